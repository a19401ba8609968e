/* shard.h — who holds what: the arithmetic of layouts, shared by compiler and runtime so that they cannot disagree.
 * n elements over k ranks: the first n mod k ranks hold one more (12 over 5 = 3,3,2,2,2); empty shards are legal. That
 * is how a split is cut, and how algorithms share work out; where a tensor's splits are cut is asked by `cuts_`. */
#ifndef PML_SHARD_H
#define PML_SHARD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The most elements one message carries: far below the end of MPI's counts, so that buffers of MPI's own can have a
 * header. */
enum { SHARD_MESSAGE_ELEMENTS = 1 << 30 };

enum shard_kind { SHARD_B, SHARD_S, SHARD_P, SHARD_WINDOW };
enum shard_combiner { SHARD_SUM, SHARD_MAX, SHARD_MIN, SHARD_PROD };

/* One placement axis's share in a layout. A window is what is read for a share: a rank that has the numbers [b, e) of
 * `of`, split as a dimension of that extent would be, holds of dimension `dim` the elements from (step * i + low) / div
 * to (step * i + high) / div for all its i, as far as there are any. Windows of neighbours overlap; the part that is
 * not a rank's own shard is its halo. With step 0 no number counts: all ranks hold elements low / div to high / div.
 *
 * Unequal shares: shares[0] is the number k of the axis's coordinates, shares[1 + r] how many shares those before
 * coordinate r have of shares[1 + k] in all. Of n elements coordinate r begins at the floor of n times that ratio.
 * Example: {2, 0, 2, 3} cuts 8 elements at 0, 5, 8. */
struct shard_atom {
	uint8_t kind;     /* enum shard_kind */
	uint8_t combiner; /* SHARD_P */
	int8_t dim;       /* SHARD_S, SHARD_WINDOW */
	int8_t spare;
	int32_t of, step, low, high, div; /* SHARD_WINDOW, else 0 */
	const int32_t *shares;            /* SHARD_S, SHARD_WINDOW; NULL: even ones */
};

/* Whether two splits, or the numbers of two windows, are cut alike, whatever their dimensions. */
static inline bool cuts_equal(struct shard_atom a, struct shard_atom b)
{
	if (a.shares == b.shares || !a.shares || !b.shares)
		return a.shares == b.shares;
	return a.shares[0] == b.shares[0] &&
	       !memcmp(a.shares, b.shares, sizeof *a.shares * (size_t)(a.shares[0] + 2));
}

static inline bool atom_equal(struct shard_atom a, struct shard_atom b)
{
	if (a.kind != b.kind)
		return false;
	if (a.kind == SHARD_WINDOW)
		return a.dim == b.dim && a.of == b.of && a.low == b.low && a.high == b.high && a.step == b.step &&
		       a.div == b.div && cuts_equal(a, b);
	if (a.kind > SHARD_P) /* the compiler's, which gives these members a meaning */
		return a.combiner == b.combiner && a.dim == b.dim && a.spare == b.spare;
	return a.kind == SHARD_B || (a.kind == SHARD_S ? a.dim == b.dim && cuts_equal(a, b) : a.combiner == b.combiner);
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

/* The greatest common divisor, not negative; with 0 that of the other. */
static inline int64_t shard_gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a < 0 ? -a : a;
}

/* ---- cuts: what an axis of k coordinates makes of n elements ---- */

/* Where the share of coordinate r begins; of k: n. */
static inline int64_t cuts_begin(struct shard_atom x, int64_t n, int64_t k, int64_t r)
{
	if (!x.shares)
		return shard_begin(n, k, r);
	int64_t before = x.shares[1 + r], all = x.shares[1 + k];
	return n / all * before + n % all * before / all;
}

static inline int64_t cuts_count(struct shard_atom x, int64_t n, int64_t k, int64_t r)
{
	return cuts_begin(x, n, k, r + 1) - cuts_begin(x, n, k, r);
}

/* Narrows [*begin, *end) to the share of coordinate r. */
static inline void cuts_narrow(struct shard_atom x, int64_t k, int64_t r, int64_t *begin, int64_t *end)
{
	int64_t n = *end - *begin, first = *begin;
	*begin = first + cuts_begin(x, n, k, r);
	*end = first + cuts_begin(x, n, k, r + 1);
}

/* Who holds element i: the first coordinate whose share ends behind it. */
static inline int64_t cuts_owner(struct shard_atom x, int64_t n, int64_t k, int64_t i)
{
	if (!x.shares)
		return shard_owner(n, k, i);
	int64_t first = 0, last = k - 1;
	while (first < last) {
		int64_t middle = first + (last - first) / 2;
		if (cuts_begin(x, n, k, middle + 1) > i)
			last = middle;
		else
			first = middle + 1;
	}
	return first;
}

/* Shares are in classes of equal size that lie side by side: the first coordinate behind the class of r. */
static inline int64_t cuts_class_end(struct shard_atom x, int64_t n, int64_t k, int64_t r)
{
	if (!x.shares)
		return r < n % k ? n % k : k;
	int64_t count = cuts_count(x, n, k, r), end = r + 1;
	while (end < k && cuts_count(x, n, k, end) == count)
		end++;
	return end;
}

/* The largest share. */
static inline int64_t cuts_most(struct shard_atom x, int64_t n, int64_t k)
{
	int64_t most = shard_count(n, k, 0);
	for (int64_t r = 0; x.shares && r < k; r++) {
		int64_t count = cuts_count(x, n, k, r);
		most = r == 0 || count > most ? count : most;
	}
	return most;
}

/* Whether no coordinate has more than the first, whatever is cut. */
static inline bool cuts_fall(struct shard_atom x)
{
	return !x.shares;
}

static inline int64_t shard_floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static inline int64_t shard_clamp(int64_t i, int64_t n)
{
	return i < 0 ? 0 : i > n ? n : i;
}

/* What is read of n elements for the numbers [*begin, *end). */
static inline void shard_window(struct shard_atom x, int64_t n, int64_t *begin, int64_t *end)
{
	int64_t first = x.step > 0 ? *begin : *end - 1, last = x.step > 0 ? *end - 1 : *begin;
	bool empty = *begin >= *end;
	*begin = empty ? 0 : shard_clamp(-shard_floor_div(-(x.step * first + x.low), x.div), n);
	*end = empty ? 0 : shard_clamp(shard_floor_div(x.step * last + x.high, x.div) + 1, n);
	*end = *end < *begin ? *begin : *end;
}

/* The axes of windows on the dimension of that of axis `first` split its numbers, the outer ones first. */
static inline void shard_window_box(int64_t n, int naxes, const int64_t *extent, const struct shard_atom *atom,
				    const int64_t *coordinate, int first, int64_t *begin, int64_t *end)
{
	*begin = 0;
	*end = atom[first].step ? atom[first].of : 1;
	for (int a = first; a < naxes && atom[first].step; a++) {
		if (atom[a].kind != SHARD_WINDOW || atom[a].dim != atom[first].dim)
			continue;
		cuts_narrow(atom[a], extent[a], coordinate[a], begin, end);
	}
	shard_window(atom[first], n, begin, end);
}

/* The half-open box [begin, end) per dimension that the rank with the given coordinates holds of a tensor: atoms are
 * applied from the outermost axis inwards, each splitting what the outer ones left. B and P leave the box whole. A
 * dimension is split or read through one window, never both; an axis of one rank has all of it. */
static inline void shard_box(int rank, const int64_t *dim, int naxes, const int64_t *extent,
			     const struct shard_atom *atom, const int64_t *coordinate, int64_t *begin, int64_t *end)
{
	for (int d = 0; d < rank; d++) {
		begin[d] = 0;
		end[d] = dim[d];
	}
	uint32_t done = 0; /* dimensions whose window is found */
	for (int a = 0; a < naxes; a++) {
		int d = atom[a].dim;
		if (atom[a].kind == SHARD_WINDOW && extent[a] > 1 && !(done >> d & 1)) {
			shard_window_box(dim[d], naxes, extent, atom, coordinate, a, &begin[d], &end[d]);
			done |= UINT32_C(1) << d;
		}
		if (atom[a].kind == SHARD_S)
			cuts_narrow(atom[a], extent[a], coordinate[a], &begin[d], &end[d]);
	}
}

#endif
