/* lower.h — from groups of maps to kernels.
 *
 * A group is what one kernel computes. Its domain is a list of extents, cut by `split` into rows and columns; every
 * member's factors are dimensions of the domain. The kernel walks the rows; in every row it makes one or more passes
 * over the columns, each a vector loop: the first passes make the row's reductions (a maximum, a sum), the later ones
 * use them. Reductions over rows accumulate in memory, reductions over everything in registers; what depends on them
 * comes after the rows. A reduction walks the domain in the order of its own operand, whatever the group.
 *
 *   softmax: domain 256 × 10, rows 256:  pass 0: m = max x;  pass 1: s = sum exp(x - m);  pass 2: y = exp(x - m) / s
 *
 * Members that are not stored are computed where they are needed, each time: they cost registers, not memory. A map
 * that does not fit a domain (a window, a contraction, a scatter) is the first member of a group that is `general`:
 * loops over its own factors. What is computed of each of its elements may follow: the other members. */
#ifndef PML_KERNEL_LOWER_H
#define PML_KERNEL_LOWER_H

#include "../roles/physical.h"

enum space {
	SPACE_POINT,  /* rows and columns */
	SPACE_ROW,    /* rows */
	SPACE_COLUMN, /* columns */
	SPACE_SCALAR, /* neither */
};

/* What the elements hold that a scatter does not reach. */
enum scatter_rows {
	ROWS_ALL,   /* the combiner's neutral element */
	ROWS_ALONE, /* anything: nobody reads them */
	ROWS_ONTO,  /* what the buffer held before */
};

struct member {
	struct phys_node *node;
	enum scatter_rows rows;
	int map[MAX_FACTORS];   /* dimension of the domain per factor; -1 for factors of extent 1 */
	enum space from, space; /* of its points; of its result */
	bool reduces;
	bool late;   /* after the rows */
	int ready;   /* number of the last pass that must be over before its value can be computed: -1 none */
	bool stored; /* has a buffer of its own */
	bool varies; /* depends on a reduction of the group */
	int again;   /* operations of an element of it that is read elsewhere, from what others make */
};

struct group {
	int id, level;
	int epoch;                    /* the last transfer that its members depend on */
	int segment;                  /* the pass they belong to (pipeline/) */
	bool asked;                   /* they decide whether the turn is made */
	const struct phys_loop *loop; /* that they stand in */
	bool general;
	int ndims, split; /* split -1: not decided, nothing was reduced yet */
	int64_t extent[MAX_FACTORS];
	int reductions;
	VEC(struct member *) members; /* in order of computation */
};

/* A kernel and what its parameters stand for, in their order. */
struct lowered {
	struct kernel *kernel;
	int8_t *may_share; /* lowered_can_share by input * params + output: 0 not known yet, 1 yes, -1 no */
	VEC(struct phys_node *) buffers; /* never a VIEW: what it looks at */
	VEC(struct plan_scalar) scalars;
};

/* What was lowered before, for groups that compute the same. The rules of their nodes are interned and outlive it.
 * verify: groups found are lowered all the same and compared. */
struct lowerings;
struct lowerings *lowerings_new(struct arena *a, bool verify);

/* stored[node id]: the node has a buffer when this kernel runs or gets it here. Registers and instructions live in a.
 * known NULL: the group is lowered whatever was before. */
struct lowered *lower_group(struct arena *a, struct lowerings *known, const struct group *g, const bool *stored);

/* A kernel that stores the one value of a number, a host argument or a pointwise map at element 0 of the node's buffer.
 */
struct lowered *lower_scalar(struct arena *a, struct phys_node *n, const bool *stored);

/* All factors of extent other than 1 occur plainly in the result: one value per element, nothing joined. */
bool map_is_pointwise(const struct phys_node *n);
/* The result is plain: every element is written once, after its reduction. */
bool map_is_plain(const struct phys_node *n);
/* Whether the kernel of a map over loops of its own factors has neighbours of the result in the lanes of a vector once
 * they are reduced, so that what is computed of each element costs there what it would in a loop of its own. */
bool map_leaves_lanes(const struct phys_node *n);

/* A scatter whose indices are data and whose points are one per row becomes a comparison of the index with every
 * element: dense and vector-wise, and it fuses. The node unchanged if it is no such scatter. */
void map_compare_index(struct arena *a, struct phys_node *n);

/* Loops whose turns differ by a remainder are made in phases, which know it. */
void kernel_phases(struct arena *a, struct kernel *k);

/* Loops are cut where a condition on their variable changes, which each piece then knows. */
void kernel_cut(struct arena *a, struct kernel *k);

/* What a pass over a row computes by functions that a later pass wants as well is loaded there, not computed again. */
void kernel_keep(struct arena *a, struct kernel *k);

/* Rows of large tensors that are reduced one by one are read several at a time. */
void kernel_abreast(struct arena *a, struct kernel *k);

/* Loops of one turn vanish, nests whose addresses allow it become one loop. */
void kernel_collapse(struct arena *a, struct kernel *k);

/* Loops along which loads read neighbours stand next to the vector loops across which they do not; lanes of a few turns
 * are written out in a loop of more. */
void kernel_interchange(struct arena *a, struct kernel *k);

/* Whether parameter `out` may share the buffer of parameter `in`: every element is read before it is written. */
bool kernel_can_share(const struct kernel *k, int in, int out);
bool lowered_can_share(struct lowered *l, int in, int out);

struct kernel *kernel_copy(struct arena *a, const struct kernel *k);
/* A copy that reads of each buffer from the first element on that it needs, element from[i] of parameter i's, and says
 * no more of its size than it needs. from: of as many as k has parameters. */
struct kernel *kernel_rebased(struct arena *a, const struct kernel *k, int64_t *from);

#endif
