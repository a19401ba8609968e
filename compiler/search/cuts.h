/* cuts.h — where a chain of layers is cut into stages: exactly, by dynamic programming; and what a pipeline of these
 * stages takes, by the simulation that orders its passes (../pipeline/schedule.h). */
#ifndef PML_SEARCH_CUTS_H
#define PML_SEARCH_CUTS_H

#include "../graph/graph.h"
#include "layers.h"

struct cutting {
	int layers, pieces, micro;
	const double *time; /* ns of a micro-batch, by layer */
	const double *send; /* ns, by layer: to bring a micro-batch to it if a piece begins there */
	/* Bytes: of a layer for good, and of each micro-batch that is held; by piece, how many are. limit 0: none. */
	const int64_t *fixed, *kept;
	const int *held;
	int64_t limit;
};

/* The least of the sum over pieces plus (micro - 1) times the slowest piece, which is what a micro-batch takes to come
 * through, and the others behind it; a piece takes its layers' times and what it is sent. first: by piece, its first
 * layer. False: nothing keeps to the limit, or there are more pieces than layers. */
bool cut_layers(const struct cutting *c, int *first, double *ns);

/* A pipeline as one would write it. */
struct pipelining {
	int stages, turns; /* stages * turns pieces, dealt out in turns */
	const int *first;
	int micro;
	enum schedule schedule;
	double ranks;       /* of a stage: its work is shared out evenly */
	const double *send; /* ns by layer, of a micro-batch */
};
struct pipelined {
	double ns;      /* until all micro-batches are through */
	int64_t memory; /* of a rank that has most, by layers.h */
};
/* l: of a micro-batch. */
struct pipelined pipeline_takes(struct arena *a, const struct layers *l, const struct pipelining *p);

#endif
