/* shard.h — who holds what: the arithmetic of layouts, shared by compiler and runtime so that they cannot disagree.
 * n elements over k ranks: the first n mod k ranks hold one more (12 over 5 = 3,3,2,2,2); empty shards are legal. */
#ifndef PML_SHARD_H
#define PML_SHARD_H

#include <stdbool.h>
#include <stdint.h>

/* The most elements one message carries: far below the end of MPI's counts, so that buffers of MPI's own can have a
 * header. */
enum { SHARD_MESSAGE_ELEMENTS = 1 << 30 };

enum shard_kind { SHARD_B, SHARD_S, SHARD_P };
enum shard_combiner { SHARD_SUM, SHARD_MAX, SHARD_MIN, SHARD_PROD };

/* One placement axis's share in a layout. */
struct shard_atom {
	uint8_t kind;     /* enum shard_kind */
	uint8_t combiner; /* SHARD_P */
	int8_t dim;       /* SHARD_S */
	int8_t spare;
};

/* Kinds beyond SHARD_P are the compiler's, which gives all other members a meaning. */
static inline bool atom_equal(struct shard_atom a, struct shard_atom b)
{
	if (a.kind != b.kind)
		return false;
	if (a.kind > SHARD_P)
		return a.combiner == b.combiner && a.dim == b.dim && a.spare == b.spare;
	return a.kind == SHARD_B || (a.kind == SHARD_S ? a.dim == b.dim : a.combiner == b.combiner);
}

/* Parts of different reductions on two axes: a sum of maxima is not a maximum of sums, so no tensor is laid out so. */
static inline bool atoms_mix(int naxes, const struct shard_atom *atom)
{
	int first = -1;
	for (int a = 0; a < naxes; a++) {
		if (atom[a].kind != SHARD_P)
			continue;
		if (first >= 0 && atom[a].combiner != atom[first].combiner)
			return true;
		first = a;
	}
	return false;
}

static inline int64_t shard_count(int64_t n, int64_t k, int64_t r)
{
	return n / k + (r < n % k);
}

static inline int64_t shard_begin(int64_t n, int64_t k, int64_t r)
{
	int64_t more = n % k;
	return r * (n / k) + (r < more ? r : more);
}

/* Who holds element i of n. */
static inline int64_t shard_owner(int64_t n, int64_t k, int64_t i)
{
	int64_t more = n % k, size = n / k, longer = more * (size + 1);
	return i < longer ? i / (size + 1) : more + (i - longer) / size;
}

/* The half-open box [begin, end) per dimension that the rank with the given coordinates holds of a tensor: atoms are
 * applied from the outermost axis inwards, each splitting what the outer ones left. B and P leave the box whole. */
static inline void shard_box(int rank, const int64_t *dim, int naxes, const int64_t *extent,
			     const struct shard_atom *atom, const int64_t *coordinate, int64_t *begin, int64_t *end)
{
	for (int d = 0; d < rank; d++) {
		begin[d] = 0;
		end[d] = dim[d];
	}
	for (int a = 0; a < naxes; a++) {
		if (atom[a].kind != SHARD_S)
			continue;
		int d = atom[a].dim;
		int64_t n = end[d] - begin[d];
		int64_t first = begin[d] + shard_begin(n, extent[a], coordinate[a]);
		end[d] = first + shard_count(n, extent[a], coordinate[a]);
		begin[d] = first;
	}
}

#endif
