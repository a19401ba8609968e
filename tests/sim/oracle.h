/* oracle.h — what redistribution means, from the words of docs/layouts.md alone: who holds which indices, which values
 * a rank has to end up with, and how few bytes can do it. Nothing of runtime/ or compiler/ is asked. */
#ifndef SIM_ORACLE_H
#define SIM_ORACLE_H

#include "pmlrt.h"

enum { ORACLE_LONGEST = 12, ORACLE_MOST_ELEMENTS = 12 * 12 * 12, ORACLE_MOST_RANKS = 32 };

/* The indices of each dimension that a rank holds, as sets of bits: what it holds is their product. Not on the
 * placement: on is false. part and replica number the combinations of coordinates on the P and on the B axes. */
struct holding {
	bool on;
	uint32_t set[PMLRT_MAX_RANK];
	int part, replica;
};

/* A tensor type with what every world rank holds of it. */
struct holdings {
	const struct pmlrt_type *type;
	int ranks, parts, replicas, combiner;
	bool partial; /* the parts have to be joined */
	struct holding rank[ORACLE_MOST_RANKS];
};

void oracle_hold(struct holdings *h, const struct pmlrt_program *program, int32_t type, int ranks);
int64_t oracle_held(const struct holdings *h, int rank);                                  /* elements */
int64_t oracle_lacking(const struct holdings *src, const struct holdings *dst, int rank); /* |dst \ src| */
int64_t oracle_volume(const struct pmlrt_type *t);

/* The fewest elements that ranks must receive in all, and the most that this project allows itself; -1: no bound is
 * known. From P, an element of k parts wanted by m ranks needs k + m - 1 messages, one less if a rank that wants it has
 * a part: the first rank to know the whole needs k - 1 parts, or k, and each other one hears at least once more after
 * that. At most every element costs one message more. On one placement, from P and B alone, the least is reached by one
 * movement, but that every group of ranks along the axis of a single P scatters it for itself: with m groups of k ranks
 * that is (k - 2)(m - 1) messages more. */
struct bounds {
	int64_t least, most;
};
struct bounds oracle_bounds(const struct pmlrt_program *program, const struct holdings *src,
			    const struct holdings *dst);

/* Elements that have to cross from one host to another: finished values once to each host that wants what nobody there
 * holds. From P: at most what goes once from each host that has parts to where the sum is made, and from there once to
 * each other host that wants it; where every group of ranks scatters it for itself (above), that in each group, with the
 * sum made where it is wanted. */
int64_t oracle_crossing(const struct pmlrt_program *program, const struct holdings *src, const struct holdings *dst,
			const int32_t *host);

/* Elements by the table of docs/layouts.md: one axis on either side, one placement or disjoint ones. -1: not listed. */
int64_t oracle_listed(const struct pmlrt_program *program, const struct holdings *src, const struct holdings *dst);

/* An element's value, as it lies in memory. */
void oracle_value(const struct holdings *h, int64_t element, uint64_t salt, void *out);
/* Fills a rank's shard of a source; salt makes other values. */
void oracle_fill(const struct holdings *h, int rank, uint64_t salt, void *data);
/* What is wrong with all ranks' shards of the destination (NULL for ranks that hold nothing), or NULL. */
const char *oracle_check(const struct holdings *src, const struct holdings *dst, uint64_t salt, void *const *data);

#endif
