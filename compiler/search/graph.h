/* graph.h — what the files that add a graph to a model share. */
#ifndef PML_SEARCH_GRAPH_H
#define PML_SEARCH_GRAPH_H

#include "model.h"

struct adding {
	struct model *m;
	const struct graph *g;
	struct node **ends;         /* by CARRY */
	bool *is_free;              /* by node: made of data and constants, by the program itself */
	int *readers;               /* by node: how many nodes that the layout stage decides read it */
	struct model_value *value;  /* by node */
	struct model_value *shared; /* by node: converted for all of these; without layouts if there are few */
	struct model_value *left;   /* by CARRY: as the first turn of its loop leaves it */
	bool *has_begun;            /* by loop */
	bool is_first;              /* the first turn of a loop is being added */
	struct model_value *vars;   /* by layout parameter: what it is bound to; without layouts if it is not */
	int *axis;                  /* by layout parameter that stands for an axis: which */
};

/* Whether the layout stage decides how the node is computed. */
bool adding_decides(const struct node *n);

/* A node of the program itself whose layout follows from its inputs', by the rules of inference. */
void adding_infer(struct adding *x, const struct node *n);
/* A node whose layout the layout stage decides. */
void adding_decide(struct adding *x, const struct node *n);

#endif
