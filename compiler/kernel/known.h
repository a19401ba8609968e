/* known.h — kernels of groups lowered before; known to lower.c. */
#ifndef PML_KERNEL_KNOWN_H
#define PML_KERNEL_KNOWN_H

#include "lower.h"

/* A group as numbers: equal ones are lowered to equal kernels, whose buffers are nodes of equal number. */
struct group_key {
	struct arena *arena;
	const bool *stored;
	VEC(uint64_t) words;
	VEC(struct phys_node *) nodes; /* by number, from 0 */
	struct map number;             /* node -> its number + 1 */
};
void group_key_make(struct group_key *k, struct arena *a, const struct group *g, const bool *stored);

/* A copy, in the arena, of what was lowered of an equal group, for the nodes of this one; NULL: there was none. */
struct lowered *lowerings_find(struct lowerings *l, struct arena *a, const struct group_key *k);
/* Whether what is found is to be compared with what lowering anew gives. */
bool lowerings_verify(const struct lowerings *l);
/* Equal kernels of the same buffers and scalars. */
bool lowered_equal(const struct lowered *x, const struct lowered *y);
void lowerings_add(struct lowerings *l, const struct group_key *k, struct lowered *made);

#endif
