/* schedule.h — in which order the stages of a pipeline work on their micro-batches: a simulation in which every stage
 * takes what is ready by a rule of the schedule. Knows nothing of graphs. */
#ifndef PML_PIPELINE_SCHEDULE_H
#define PML_PIPELINE_SCHEDULE_H

#include "../graph/graph.h"

/* A stage's forward or backward pass. Stages of overlapping ranks are not at work at the same time. */
struct pass_place {
	int ranks; /* number of a set of ranks */
	int level; /* changes of placement on the longest way there */
	bool backward;
	int credits; /* 1F1B: micro-batches that it may hold; 0: any number */
	/* Results. */
	int held; /* most micro-batches held at a time */
};

/* One pass over one micro-batch. */
struct pass_unit {
	int place; /* pass_place */
	int micro;
	int64_t cost;   /* at least 1 */
	VEC(int) after; /* units that need it, of any micro-batch */
	int waits;      /* for as many units */
	/* Results. */
	int64_t start, finish;
};

struct pass_plan {
	enum schedule schedule;
	int nranks;          /* sets of ranks */
	const bool *overlap; /* by two sets of ranks: [a * nranks + b] */
	VEC(struct pass_place) places;
	VEC(struct pass_unit) units;
	/* Results. */
	int *order;    /* units by their end: what needs another unit comes behind it */
	int64_t *busy; /* by set of ranks */
	int64_t span;  /* until all is done */
	int forced;    /* passes that began without a credit because nothing else could */
};

/* False if the units wait for each other in a circle. Credits never stop the work for good: where nothing else can
 * begin, the first pass that waits for a credit does. */
bool schedule_passes(struct arena *a, struct pass_plan *p);

#endif
