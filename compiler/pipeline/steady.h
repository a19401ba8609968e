/* steady.h — the middle of a pipeline, where every stage does the same again and again: one period is a turn of a loop,
 * so that what comes behind the pipeline sees as many micro-batches as stages hold, however many there are. */
#ifndef PML_PIPELINE_STEADY_H
#define PML_PIPELINE_STEADY_H

#include "units.h"

/* Of a block of micro-batches that are turns of a loop. By node of its body, from the loop's first one on. */
struct steady {
	struct loop *loop;
	struct pass_units units;   /* all passes, scheduled */
	struct loop_extent extent; /* of the loop as it is: the body is [from, exits), the exits follow */
	int from;
	int *place;   /* its pass; -1: an entry of the loop, or nobody needs it */
	int *first;   /* the micro-batch of the period's first turn; those before are ahead of it */
	int *segment; /* of it in the loop */
	int *of_unit; /* by unit: the segment of its nodes; those of the loop are the same in every turn */
	int begin;    /* segments of the loop: behind this one, */
	int length;   /* so many */
	int most;     /* the largest of `first` */
	int64_t turns;
};

/* The steady state of loop l, whose turns are micro-batches of stages; false: there is none that is worth a loop, or
 * micro-batches differ in more than their number. */
bool steady_find(struct arena *a, struct graph *g, struct loop *l, struct steady *s);
/* Of one whose passes are scheduled: where they stand in a period (period.c). False: there is none, or none that keeps
 * ranks from waiting. */
bool steady_period(struct arena *a, const struct graph *g, struct steady *s);
/* By node of the body: whether whoever reads it in a later turn computes it once more instead of having it carried
 * (again.c). */
bool *steady_again(struct arena *a, const struct graph *g, const struct steady *s);
/* Puts in the place of the loop the passes before the steady state, a loop of periods (loop.stages) and the passes
 * behind it; their nodes' segments are numbers of passes in the order of all, from 1 on, or 0 where whoever reads them
 * says when they are computed. */
void steady_roll(struct arena *a, struct graph *g, struct steady *s);

#endif
