/* steady.h — the middle of a pipeline, where every stage does the same again and again: one period is a turn of a loop,
 * so that what comes behind the pipeline sees as many micro-batches as stages hold, however many there are. */
#ifndef PML_PIPELINE_STEADY_H
#define PML_PIPELINE_STEADY_H

#include "units.h"

/* Forward and backward passes are in one loop, or each in one of their own where stages do all of the former first. */
enum { STEADY_LOOPS = 2 };

/* A loop of periods. */
struct steady_loop {
	struct loop *now;  /* once it is made (steady_roll) */
	int begin, length; /* its segments: behind `begin`, so many */
	int most;          /* the largest `first` of its nodes */
	int64_t turns;
};

/* Of a block of micro-batches that are turns of a loop. By node of its body, from the loop's first one on. */
struct steady {
	struct loop *loop;
	struct pass_units units;   /* all passes, scheduled */
	struct loop_extent extent; /* of the loop as it is: the body is [from, exits), the exits follow */
	int from;
	struct node **end; /* by CARRY of the graph: its END */
	int *place;        /* its pass; -1: an entry of the loop, or nobody needs it */
	int *in;           /* which of the loops of periods it is in */
	int *first;        /* the micro-batch of their first turn; those before are ahead of the loop */
	int *segment;      /* of it in the loop */
	int *of_unit;      /* by unit: the segment of its nodes; those of loops are the same in every turn */
	int nloops;
	struct steady_loop loops[STEADY_LOOPS]; /* one behind the other */
};

/* The steady state of loop l, whose turns are micro-batches of stages; false: there is none that is worth a loop, or
 * micro-batches differ in more than their number. */
bool steady_find(struct arena *a, struct graph *g, struct loop *l, struct steady *s);
/* Of one whose passes are scheduled: where they stand in periods (period.c). False: there are none, or none that keep
 * ranks from waiting. */
bool steady_period(struct arena *a, const struct graph *g, struct steady *s);
/* Which node of the body makes what another reads as x, *earlier micro-batches before; -1: none. More than one earlier:
 * further back than is looked. */
int steady_maker(const struct steady *s, const struct node *x, int *earlier);
/* By node of the body: whether whoever reads it in a later turn, or in another loop, computes it once more instead of
 * having it kept (again.c). */
bool *steady_again(struct arena *a, const struct graph *g, const struct steady *s);
/* Puts in the place of the loop the passes ahead of each loop of periods (loop.stages), these loops and the passes
 * behind them; their nodes' segments are numbers of passes in the order of all, from 1 on, or 0 where whoever reads
 * them says when they are computed. */
void steady_roll(struct arena *a, struct graph *g, struct steady *s);

#endif
