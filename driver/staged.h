/* staged.h — a plain program with its layers computed again for gradients, or on the stages of a pipeline, as one would
 * write it by hand. What is found here is text: layouts are `auto`, and a search has yet to choose them. */
#ifndef PML_STAGED_H
#define PML_STAGED_H

#include "chain.h"
#include "compiler/graph/graph.h"

struct stages {
	int count;        /* of stages: sets of ranks */
	int turns;        /* times a micro-batch comes by each */
	const int *first; /* by piece of layers, count * turns: its first layer */
	int layers;
	int naxes; /* of the ranks of a stage; 0: each is one rank */
	int64_t extent[2];
	bool by_layer; /* every layer is brought its values by itself, so that each can be looked at */
	int micro;     /* micro-batches; 1: no `microbatch` */
	enum schedule schedule;
};

/* With stages. Layouts are searched where the first stage does it all: there layers are turns of one loop, however many
 * they are, and take what they take together on as many ranks of their own each. */
struct staged {
	struct file_texts alike; /* files that change, the main one last */
	const char *home;        /* of these the one that declares the placement, and where a layer is: */
	uint32_t at;
	const char *alike_head, *head;
	const char *alike_tail;        /* what other files end with, where they name the last stage */
	const char *alike_last, *last; /* the last stage, as what is behind the layers names it */
};
/* False: no file can be imported by all that have to say where something is. */
bool staged_new(struct arena *a, const struct chain *c, const struct stages *s, struct staged *out);
/* These texts, or what a search has made of them, with the layers dealt out to their stages. */
struct file_texts staged_dealt(struct arena *a, const struct staged *s, const struct file_texts *texts);

/* The same program with micro-batches alone. */
struct file_texts staged_micro(struct arena *a, const struct chain *c, int micro);

/* The first `layers` of all layers are computed again for gradients. False: a loop's body has another form than
 * statements that end with one assignment of what it carries. */
bool staged_remat(struct arena *a, const struct chain *c, int layers, int of, struct file_texts *out);

#endif
