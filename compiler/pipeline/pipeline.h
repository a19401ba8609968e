/* pipeline.h — the micro-batches of a region put in order: which stage works on which of them when. */
#ifndef PML_PIPELINE_H
#define PML_PIPELINE_H

#include "../program.h"

/* Ranks that work on one placement of a `microbatch`. */
struct pipeline_stage {
	const char *name; /* of the placement */
	int64_t ranks;
	int level;                /* its place in the pipeline, from 0; ranks that are come back to have several */
	int64_t work[PASS_KINDS]; /* of a rank for one micro-batch, in units of the estimate; 0: no such pass */
	int held;                 /* most micro-batches whose activations are held at a time */
};

struct pipeline_unit {
	int stage, micro;
	enum pass_kind kind;
	int segment;           /* of its nodes */
	int64_t start, finish; /* as estimated */
};

struct pipeline {
	const struct microbatch *batch;
	VEC(struct pipeline_stage) stages; /* by level */
	VEC(struct pipeline_unit) units;
	int64_t span; /* until all is done, as estimated */
	int idle;     /* thousandths of the ranks' time in which they wait, as estimated */
	int between;  /* the same from a pipeline to the next, where ranks begin it as soon as they are done */
};

/* Puts the nodes of a laid-out graph in the order in which they are to be computed and gives each its `segment`;
 * describes what it found in region->pipelines. Regions without micro-batches stay as they are. */
void pipeline_of_region(struct program *p, struct region *r);

/* Its stages and passes as text. */
void pipeline_print(struct text *t, const struct pipeline *p);

#endif
