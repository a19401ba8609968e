/* holes.c — see holes.h. */
#include "holes.h"

#include "rt.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>

static int64_t length(const struct holding *h, int d)
{
	return __builtin_popcount(h->set[d]);
}

/* Where what a rank has in dimension d of what it reads lies there: at first, so many. */
static int64_t common(const struct holding *has, const struct holding *reads, int d, int64_t *first)
{
	uint32_t both = has->set[d] & reads->set[d];
	*first = both ? __builtin_popcount(reads->set[d] & ((both & -both) - 1)) : 0;
	return __builtin_popcount(both);
}

static int64_t draw(uint64_t *dice, int64_t low, int64_t high)
{
	return low + (int64_t)(sim_random(dice) % (uint64_t)(high - low + 1));
}

/* The first dimension of several elements: what it cuts off lies in one piece, if nothing else is cut. */
static int outermost(const struct holdings *h, const struct holding *reads)
{
	int d = 0;
	while (d + 1 < h->type->rank && length(reads, d) == 1)
		d++;
	return d;
}

void hole_draw(struct pmlrt_transfer *t, const struct holdings *src, const struct holdings *dst, int rank,
	       uint64_t *dice)
{
	const struct holding *has = &src->rank[rank], *reads = &dst->rank[rank];
	int first = outermost(dst, reads);
	bool wide = draw(dice, 0, 1), piece = true;
	int64_t row = 1;
	if (!has->on || !reads->on || draw(dice, 0, 3) == 0)
		return;
	for (int d = 0; d < dst->type->rank; d++) {
		int64_t from, n = common(has, reads, d, &from), begin = 0, end = n;
		if (n == 0) {
			memset(t->hole_begin, 0, sizeof t->hole_begin);
			memset(t->hole_end, 0, sizeof t->hole_end);
			return;
		}
		if (!wide || d == first) {
			begin = draw(dice, 0, n - 1);
			end = draw(dice, begin + 1, n);
		}
		t->hole_begin[d] = from + begin;
		t->hole_end[d] = from + end;
		piece = piece && (d <= first || end - begin == length(reads, d));
		row *= d > first ? length(reads, d) : 1;
	}
	if (piece && draw(dice, 0, 3))
		t->gap = (t->hole_end[first] - t->hole_begin[first]) * row;
}

static bool is_hole(const struct pmlrt_transfer *t, const struct holdings *dst, const struct holding *reads, int64_t e)
{
	bool inside = t->hole_begin[0] < t->hole_end[0];
	for (int d = dst->type->rank - 1; d >= 0; d--) {
		int64_t at = e % length(reads, d);
		inside = inside && at >= t->hole_begin[d] && at < t->hole_end[d];
		e /= length(reads, d);
	}
	return inside;
}

static bool is_untouched(const char *p, int64_t size)
{
	bool same = true;
	for (int64_t i = 0; i < size; i++)
		same = same && p[i] == HOLE_UNTOUCHED;
	return same;
}

void *hole_filled(const struct pmlrt_transfer *t, const struct holdings *dst, int rank, uint64_t salt, const void *data)
{
	int64_t size = rt_dtype_size(dst->type->dtype), n = oracle_held(dst, rank);
	char *whole = malloc((size_t)(n * size) + 1);
	const char *p = data;
	if (!whole)
		abort();
	oracle_fill(dst, rank, salt, whole);
	for (int64_t e = 0; e < n; e++) {
		bool hole = is_hole(t, dst, &dst->rank[rank], e);
		if (!hole)
			memcpy(whole + e * size, p, (size_t)size);
		else if (!t->gap && !is_untouched(p, size)) {
			free(whole);
			return NULL;
		}
		p += hole && t->gap ? 0 : size;
	}
	return whole;
}
