/* values.h — the value of a tensor at one point, as registers: shared by the lowerings. */
#ifndef PML_KERNEL_VALUES_H
#define PML_KERNEL_VALUES_H

#include "build.h"
#include "lower.h"

struct held_value {
	const struct phys_node *node;
	struct kernel_affine *at;
	int guard, reg;
};

struct lowering {
	struct arena *arena, *scratch;
	struct kernel_builder *b;
	const struct group *group;
	const bool *stored; /* by node id */
	struct lowered *out;
	struct map params;  /* node -> number of its parameter + 1 */
	struct map members; /* node -> struct member */
	struct map scalars; /* node or origin -> register + 1 */
	VEC(struct held_value) held;
	int depth; /* of inlining, against runaway recursion */
	/* Members whose stores lie behind: their elements at the domain's own point may be loaded again. */
	struct map done; /* node -> struct kernel_affine of its canonical indices */
};

/* The register of the node's value at local indices; where guard (a bool register, or -1) is false it may be anything.
 */
int value_at(struct lowering *l, struct phys_node *n, const struct kernel_affine *at, int guard);

/* The body of a map at a point: factor holds local values. Where an access drops the point it is the neutral element;
 * *ok (may be NULL: then that is done here) receives the register of that condition, -1 if it always holds. */
int value_of_point(struct lowering *l, struct phys_node *n, const struct kernel_affine *factor, int guard, int *ok);

/* The same, as what a reduction joins. *times: a factor that it is still to be multiplied by (build_reduce), or -1.
 * That hangs on the rule alone, so a sum has the same bits whatever else its kernel computes. */
int value_of_summand(struct lowering *l, struct phys_node *n, const struct kernel_affine *factor, int *times,
		     int *guard);

/* Remembers a register as the value at these indices. */
void value_set(struct lowering *l, const struct phys_node *n, const struct kernel_affine *at, int rank, int guard,
	       int reg);

/* The parameter of a stored node's buffer; made on first use. */
int value_param(struct lowering *l, struct phys_node *n, enum kernel_param_kind kind);
/* Address of an element: row-major. */
struct kernel_affine value_address(struct lowering *l, const struct shape *s, const struct kernel_affine *at);

/* Address of a map's result at a point; *guard: condition under which it exists (-1 always), joined with the one given.
 */
struct kernel_affine value_out_address(struct lowering *l, struct phys_node *n, const struct kernel_affine *factor,
				       int *guard);

/* *at += the origin of a factor of the map * scale: where this rank's part of it begins. */
void value_add_origin(struct lowering *l, struct kernel_affine *at, const struct phys_node *n, int factor,
		      int64_t scale);

#endif
