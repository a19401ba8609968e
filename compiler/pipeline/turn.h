/* turn.h — which passes are in a turn of a loop of periods, over which micro-batches, in which order (turn.c). */
#ifndef PML_PIPELINE_TURN_H
#define PML_PIPELINE_TURN_H

#include "steady.h"

/* Pass `to` reads what `from` made `later` micro-batches before. */
struct turn_edge {
	int from, to, later;
};

/* Loops of periods as they are put together. By place: */
struct turns {
	struct arena *arena;
	const struct pass_units *units;
	int nplaces;
	int *unit;  /* its pass over a micro-batch from 1 on; -1: it is in no loop */
	int *in;    /* which of the loops it is in */
	int *first; /* the micro-batch of the first turn */
	int *rank;  /* which it is of the passes of its ranks in a turn, from 0 */
	int *at;    /* which it is of all in a turn, from 1 */
	/* Of the loop that is looked at: */
	int *list, n; /* its places, one that is ready earlier first */
	VEC(struct turn_edge) edges;
};

int turn_ranks_of(const struct turns *d, int place);
/* From units, in, first, rank: what is looked at. */
void turn_look_at(struct turns *d, int loop);
/* How many turns before `to` `from` is done. */
int turn_lag(const struct turns *d, const struct turn_edge *e);
/* Whether a message from a pass to another is kept by who sends it until the turn in which it is read. */
bool turn_sends_later(const struct turns *d, int from, int to);
/* A turn of each set of ranks begins with the pass with which least is held from turn to turn: a forward pass and the
 * backward pass behind it are in one. */
void turn_cut(struct turns *d);
/* Sets of ranks shifted by turns until all is made before it is read, and the order `at`. False: there is none. */
bool turn_order(struct turns *d);
/* What a turn takes when it goes on and on, in units of the estimate. */
int64_t turn_time(const struct turns *d);
/* Exchanges passes of turns and moves where these begin until one takes at most that long; false: it does not come to
 * that. */
bool turn_improve(struct turns *d, int64_t goal);

#endif
