/* physical.h — what one role computes in one region: the laid-out graph with local shapes, before it is cut into
 * kernels.
 *
 * Nodes stand in order of computation. Maps carry the localised rule; where their code must know which part of the
 * logical tensor it works on (index values, guards, data indices), origins name the shards whose first global index the
 * runtime coordinate gives. Conversions that move nothing between ranks are maps too; all others are transfers. */
#ifndef PML_PHYSICAL_H
#define PML_PHYSICAL_H

#include "../program.h"

/* First global index of this rank's shard of dimension 0 of a program type; type -1: 0. Equal origins are equal
 * numbers. */
struct phys_origin {
	int type;
};

/* By factor, operand dimension and result dimension of a rule; NULL in a node: all are 0. */
struct phys_origins {
	struct phys_origin factor[MAX_FACTORS];
	struct phys_origin (*operand)[MAX_RANK]; /* of noperands */
	struct phys_origin out[MAX_RANK];
};

/* For a rule of n operands, all of type 0; a copy of o for one. */
struct phys_origins *phys_origins_new(struct arena *a, int n);
struct phys_origins *phys_origins_copy(struct arena *a, const struct phys_origins *o, int n);

enum phys_kind {
	PHYS_SLOT,     /* the value of slot `slot` when the region starts */
	PHYS_DATA,     /* field `field` of the batch in argument `argument`, as type `type` */
	PHYS_HOST,     /* scalar argument `argument` */
	PHYS_CONST,    /* `number` */
	PHYS_MAP,      /* rule over in */
	PHYS_VIEW,     /* the elements of in[0], in order, under another shape */
	PHYS_CHECK,    /* the indices in[0], once they are known to be in their range; of type `type` */
	PHYS_FACTORS,  /* of the matrices in[0] */
	PHYS_TRANSFER, /* what transfer `transfer` brings here; in[0] is its source on this rank, nin 0 where there is
			  none; in[1] the indices of a row gather (layout/owners.h) */
	PHYS_SEND,     /* the source side alone: no value */
	/* Loops: entries stand in theirs, exits around it (graph/loop.c). */
	PHYS_TURN,
	PHYS_CARRY, /* of in[0]; one that no turn changes is a VIEW of it */
	PHYS_LINE,
	PHYS_END, /* of in[0], which becomes in[1] */
	PHYS_STACK,
};

struct phys_node;

/* A map that computes a part of a tensor: from `begin` on, as many points as its rule has. */
struct phys_part {
	const struct rule *whole; /* of all points */
	int64_t begin[MAX_RANK];
};

/* A role's part of a loop. */
struct phys_loop {
	int id;                  /* position in the graph's list */
	struct phys_loop *outer; /* NULL: none */
	const struct loop *loop;
	struct phys_node *count, *condition; /* as those of the loop; NULL where it has none */
};

struct phys_node {
	int id; /* position in the graph */
	enum phys_kind kind;
	const struct node *node;
	struct phys_loop *loop; /* the innermost that it stands in; NULL: none */
	struct phys_loop *of;   /* that it enters or leaves */
	struct phys_node *end;  /* CARRY: its END */
	/* What the value is but for what is written, and is written over if it can be. STACK: a LINE of the same loop,
	 * by nobody else read than what makes the line of the stack. NULL: nothing. */
	struct phys_node *onto;
	const struct phys_node *after; /* VIEW: what reads it is better not computed before this; may be NULL */
	const char *name;              /* of the source; may be NULL */
	enum dtype dtype;
	struct shape shape; /* local */
	int nin;
	struct phys_node **in;
	const struct rule *rule;
	const struct phys_origins *origins;
	/* The node's own rule, of whole tensors, of which `rule` makes this rank's part: every element is on one rank.
	 * What points leave out here is another rank's and holds -0.0, which added to any float gives that float; only
	 * what they leave out of whole tensors is 0. NULL: nothing of the kind. */
	const struct rule *owned;
	const struct phys_part *part; /* MAP: of `shape` it makes a part (plan/halos.c); NULL: all */
	bool is_turned; /* MAP: it holds what it reads in another order, for what reads that (plan/turned.c) */
	int transfer, slot, argument, field, type;
	union scalar_value number;
};

struct phys_output {
	enum output_kind kind;
	int index; /* slot or region result */
	struct phys_node *node;
	struct span span;
};

struct phys_graph {
	VEC(struct phys_node *) nodes;
	VEC(struct phys_output) outputs;
	VEC(struct phys_loop *) loops; /* outer ones first */
};

/* Whether inner is outer or stands in it; outer NULL: always. */
bool phys_loop_is_in(const struct phys_loop *inner, const struct phys_loop *outer);

/* The part of a region that a role computes; NULL if it has nothing to do there. transfers[node id]: number of the
 * transfer that a TO node is, or -1. */
struct phys_graph *physical_graph(struct program *p, struct arena *a, const struct role *role, const struct graph *g,
				  const int *transfers);

/* Whether a TO of the graph is done by each rank alone. Else it becomes a transfer. */
bool physical_is_local(const struct node *to);

/* Takes all nodes out, which a pass puts back in order with others among them; it numbers them then. */
struct phys_node **physical_take_nodes(struct arena *a, struct phys_graph *g);
void physical_number(struct phys_graph *g);

void physical_print(struct text *t, const struct program *p, const struct phys_graph *g);

#endif
