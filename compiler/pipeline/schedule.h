/* schedule.h — in which order the stages of a pipeline work on their micro-batches: a simulation in which every stage
 * takes what is ready by a rule of the schedule. Knows nothing of graphs. */
#ifndef PML_PIPELINE_SCHEDULE_H
#define PML_PIPELINE_SCHEDULE_H

#include "../graph/graph.h"

/* A stage's passes of a kind. Stages of overlapping ranks are not at work at the same time. */
struct pass_place {
	int ranks; /* number of a set of ranks */
	int level; /* changes of placement on the longest way there */
	enum pass_kind kind;
	int credits; /* micro-batches that it may have under way (schedule.c); 0: any number, and none is counted */
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
	int hold;   /* zero-bubble: micro-batches that a set of ranks may hold; 0: as many as 1F1B has anywhere */
	int nranks; /* sets of ranks */
	const bool *overlap; /* by two sets of ranks: [a * nranks + b] */
	VEC(struct pass_place) places;
	VEC(struct pass_unit) units;
	/* Results. */
	int *order;     /* units by their end: what needs another unit comes behind it */
	int64_t *busy;  /* by set of ranks */
	int64_t span;   /* until all is done */
	int64_t period; /* until the next such pipeline begins, if every set of ranks begins it as soon as it is done */
	int forced;     /* passes that began without a credit because nothing else could */
};

/* False if the units wait for each other in a circle. Credits never stop the work for good: where nothing else can
 * begin, the first pass that waits for a credit does. */
bool schedule_passes(struct arena *a, struct pass_plan *p);

#endif
