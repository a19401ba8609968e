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
	bool *is_read;              /* by node: by such a node that does more than to put it on a tape */
	bool *may_wait;             /* by node: who reads it takes it as one that reads around shards, up to a `to` */
	struct choice **choices;    /* by node: those of one that the layout stage decides, by its variable's values */
	const struct node **made;   /* by node: itself, or what it stands for */
	int64_t weight;             /* of the model outside of loops */
	struct model_value *value;  /* by node */
	struct model_value *shared; /* by node: converted for all of these; without layouts if there are few */
	struct model_value *left;   /* by CARRY: as the first turn of its loop leaves it */
	bool *has_begun;            /* by loop */
	bool is_first;              /* the first turn of a loop is being added */
	struct model_value *vars;   /* by layout parameter: what it is bound to; without layouts if it is not */
	int *axis;                  /* by layout parameter that stands for an axis: which */
};

/* Which nodes are free (x->is_free), by a test that asks it of their inputs; what is carried may be, as long as nothing
 * says otherwise. */
typedef bool adding_test(const struct adding *x, const void *context, const struct node *n);
void adding_find_free(struct adding *x, adding_test *is, const void *context);
/* Whether the layout stage decides how the node is computed. */
bool adding_decides(const struct node *n);

/* A node of the program itself whose layout follows from its inputs', by the rules of inference. */
void adding_infer(struct adding *x, const struct node *n);
/* A node whose layout the layout stage decides. */
void adding_decide(struct adding *x, const struct node *n);
/* The same of what is carried by a loop of gradients, and of its END. */
void adding_decide_carry(struct adding *x, const struct node *n);
void adding_decide_end(struct adding *x, const struct node *n);
/* What is wanted of a value beside, by a node that is not decided or an output. */
void adding_pay(struct adding *x, const struct node *v, const struct model_value *want);
/* Without a value yet. */
struct adding adding_new(struct model *m, const struct graph *g, int64_t weight);

#endif
