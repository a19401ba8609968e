/* graph_models.h — small composed models in f64, each a scalar function of its slots, for tests of derivatives and
 * passes. */
#ifndef PML_GRAPH_MODELS_H
#define PML_GRAPH_MODELS_H

#include "graph_fixture.h"

/* Builds a model over slots made on the way; f64 slots are what it is differentiated by, integer slots hold 0..4. */
typedef struct node *graph_model(struct fixture *f);
struct model_row {
	const char *name;
	graph_model *build;
};
extern const struct model_row graph_models[];
extern const int ngraph_models;

/* The nodes that read f64 slots, in order; how many. */
int model_leaves(const struct graph *g, struct node **leaf);
/* Slot values drawn from a seed. */
struct tensor_value *model_slots(const struct fixture *f, uint64_t seed);
/* <a, b> as a graph node. */
struct node *model_dot(struct graph *g, struct node *a, struct node *b);
/* A tensor of fixed numbers unlike each other, shaped like x. */
struct node *model_weights(struct graph *g, const struct node *x);
/* An f64 constant. */
struct node *model_float(struct graph *g, double v);

#endif
