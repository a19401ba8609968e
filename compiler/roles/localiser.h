/* localiser.h — a physical graph under construction: physical.c, loops.c. */
#ifndef PML_ROLES_LOCALISER_H
#define PML_ROLES_LOCALISER_H

#include "localise.h"
#include "physical.h"

struct localiser {
	struct program *program;
	struct arena *arena;
	const struct role *role;
	const struct graph *graph;
	const int *transfers;
	struct phys_graph *out;
	struct phys_node **of;         /* by node id; NULL: not on this role */
	VEC(const struct node *) data; /* so far, each field in each layout once */
	struct phys_node **slot;       /* by slot: its node; NULL: none yet */
	struct phys_loop **loop;       /* by loop: this role's part; NULL: none yet */
	struct node **end;             /* by CARRY: its END */
};

/* A node for n, without inputs; its inputs are those of n. */
struct phys_node *localiser_add(struct localiser *l, enum phys_kind kind, const struct node *n);
void localiser_set_inputs(struct localiser *l, struct phys_node *x, const struct node *n);

/* The elements of `of` under the shape of n. Constants and arguments have no memory to see otherwise: they are their own
 * view, or a map where n has dimensions. */
struct phys_node *localiser_view(struct localiser *l, const struct node *n, struct phys_node *of);

/* loops.c: this role's part of a loop (NULL: of none), made when its first node is; an entry or exit. */
struct phys_loop *localiser_loop(struct localiser *l, const struct loop *loop);
struct phys_node *localiser_border(struct localiser *l, const struct node *n);
/* windows.c: what reads windows, once it is a part of this role's with its origins: needs none of these, if it can.
 * operand: those of the part, to be written to. */
void localiser_settle_windows(const struct localiser *l, const struct node *n, const struct map_split *split,
			      struct rule *part, struct access *operand, struct phys_origins *o);
/* When all nodes are there. */
void localiser_find_conditions(struct localiser *l);

#endif
