/* rows.c — see rows.h. */
#include "rows.h"

#include "rt.h"
#include "sim.h"

#include <stdio.h>
#include <string.h>

static uint64_t draw(uint64_t salt, int64_t number)
{
	uint64_t dice =
		(salt * UINT64_C(0x9E3779B97F4A7C15) ^ ((uint64_t)number + 1) * UINT64_C(0xD1B54A32D192ED03)) | 1;
	for (int i = 0; i < 3; i++)
		sim_random(&dice);
	return sim_random(&dice) >> 16;
}

static int64_t index_outside(const struct rows *x, uint64_t k)
{
	int64_t n = x->table.type->dim[x->dim], top = (int64_t)(UINT64_C(1) << (8 * rt_dtype_size(x->dtype) - 1));
	const int64_t outside[] = {n, -1, -n, top, (int64_t)((uint64_t)top - 1)};
	return outside[k % (sizeof outside / sizeof *outside)];
}

/* Of one call's indices: any rows, most the same row, a third outside, or all of them. */
static int64_t index_at(const struct rows *x, int64_t number, uint64_t salt)
{
	enum { ANY, ALIKE, SOME_OUTSIDE, OUTSIDE, WAYS };
	uint64_t way = draw(salt, -2) % (2 * WAYS), k = draw(salt, number);
	uint64_t n = (uint64_t)x->table.type->dim[x->dim];
	if (way == OUTSIDE || (way % WAYS == SOME_OUTSIDE && k % 3 == 0))
		return index_outside(x, k / 3);
	return (int64_t)((way % WAYS == ALIKE && k % 4 ? draw(salt, -3) : k / 4) % n);
}

/* Where an element is in its tensor. */
static void coordinates(const struct pmlrt_type *t, int64_t element, int64_t *at)
{
	for (int d = t->rank - 1; d >= 0; d--) {
		at[d] = element % t->dim[d];
		element /= t->dim[d];
	}
}

static bool holds(const struct holdings *h, int rank, const int64_t *at, int first, int last)
{
	for (int d = first; d < last; d++)
		if (!(h->rank[rank].set[d] >> at[d] & 1))
			return false;
	return true;
}

/* The row that an element is taken from, and its number in the table; -1: outside, where it has none. */
static int64_t row_of(const struct rows *x, const struct pmlrt_type *t, const int64_t *at, uint64_t salt,
		      int64_t *element)
{
	int64_t number = 0;
	for (int d = x->at; d < x->at + x->rank; d++)
		number = number * t->dim[d] + at[d];
	int64_t row = index_at(x, number, salt);
	if (row < 0 || row >= x->table.type->dim[x->dim])
		return -1;
	*element = 0;
	for (int d = 0, k = 0; d < x->table.type->rank; d++) {
		k += k == x->at && d != x->dim ? x->rank : 0;
		*element = *element * x->table.type->dim[d] + (d == x->dim ? row : at[k++]);
	}
	return row;
}

static bool owns(const struct rows *x, const struct holdings *src, int rank, int64_t row)
{
	return row < 0 ? src->rank[rank].part == 0 : x->table.rank[rank].set[x->dim] >> row & 1;
}

void rows_indices(const struct rows *x, const struct holdings *h, int rank, uint64_t salt, void *out)
{
	int64_t size = rt_dtype_size(x->dtype), n = 1, at[PMLRT_MAX_RANK];
	char *p = out;
	struct pmlrt_type indices = {.rank = x->at + x->rank};
	for (int d = 0; d < indices.rank; d++)
		n *= indices.dim[d] = d < x->at ? 1 : h->type->dim[d];
	for (int64_t i = 0; i < n; i++) {
		int64_t index = index_at(x, i, salt);
		coordinates(&indices, i, at);
		if (!holds(h, rank, at, x->at, x->at + x->rank))
			continue;
		memcpy(p, &index, (size_t)size);
		p += size;
	}
}

void rows_fill(const struct rows *x, const struct holdings *src, int rank, uint64_t salt, void *data)
{
	int64_t size = rt_dtype_size(src->type->dtype), at[PMLRT_MAX_RANK], element;
	char *p = data;
	if (x->way == ROWS_RETURNED) {
		oracle_fill(src, rank, salt, data);
		return;
	}
	for (int64_t e = 0; e < oracle_volume(src->type); e++) {
		coordinates(src->type, e, at);
		if (!holds(src, rank, at, 0, src->type->rank))
			continue;
		int64_t row = row_of(x, src->type, at, salt, &element);
		memset(p, 0, (size_t)size);
		if (row >= 0 && owns(x, src, rank, row))
			oracle_value(&x->table, element, salt, p);
		p += size;
	}
}

static const char *check_rank(const struct rows *x, const struct holdings *src, const struct holdings *dst, int rank,
			      uint64_t salt, const char *p)
{
	static char text[96];
	size_t size = (size_t)rt_dtype_size(dst->type->dtype);
	int64_t at[PMLRT_MAX_RANK], element;
	for (int64_t e = 0; e < oracle_volume(dst->type); e++) {
		char expected[8] = {0};
		coordinates(dst->type, e, at);
		if (!holds(dst, rank, at, 0, dst->type->rank))
			continue;
		int64_t row = row_of(x, dst->type, at, salt, &element);
		if (x->way == ROWS_RETURNED && row >= 0 && owns(x, src, rank, row))
			oracle_value(src, e, salt, expected);
		else if (x->way != ROWS_RETURNED && row >= 0)
			oracle_value(&x->table, element, salt, expected);
		if (memcmp(p, expected, size)) {
			snprintf(text, sizeof text, "wrong row (rank %d, element %lld)", rank, (long long)e);
			return text;
		}
		p += size;
	}
	return NULL;
}

const char *rows_check(const struct rows *x, const struct holdings *src, const struct holdings *dst, uint64_t salt,
		       void *const *data)
{
	const char *wrong = NULL;
	for (int r = 0; r < dst->ranks && !wrong; r++)
		wrong = dst->rank[r].on ? check_rank(x, src, dst, r, salt, data[r]) : NULL;
	return wrong;
}

/* Whether a rank has an element in the end that it did not have. */
static bool comes(const struct rows *x, const struct holdings *src, const struct holdings *dst, int rank,
		  const int64_t *at, int64_t row)
{
	if (!dst->rank[rank].on || !holds(dst, rank, at, 0, dst->type->rank))
		return false;
	if (x->way != ROWS_RETURNED)
		return !owns(x, src, rank, row);
	return row >= 0 && owns(x, src, rank, row) && !holds(src, rank, at, 0, src->type->rank);
}

int64_t rows_lacking(const struct rows *x, const struct holdings *src, const struct holdings *dst, int rank,
		     uint64_t salt)
{
	int64_t n = 0, at[PMLRT_MAX_RANK], element;
	for (int64_t e = 0; e < oracle_volume(dst->type); e++) {
		coordinates(dst->type, e, at);
		n += comes(x, src, dst, rank, at, row_of(x, src->type, at, salt, &element));
	}
	return n;
}

/* Whether two ranks share the rows of a table out: whole, they have the same of the tensor. */
static bool together(const struct holdings *src, const struct holdings *whole, int a, int b)
{
	return src->rank[b].on && src->rank[a].replica == src->rank[b].replica &&
	       !memcmp(whole->rank[a].set, whole->rank[b].set, sizeof whole->rank[a].set);
}

static int64_t crossing_to_all(const struct holdings *src, const int32_t *host)
{
	int64_t n = 0;
	for (int r = 0; r < src->ranks; r++) {
		bool first = src->rank[r].on && src->rank[r].part > 0;
		for (int k = 0; k < src->ranks && first; k++)
			first = !together(src, src, r, k) || host[k] != host[r] ||
				(src->rank[k].part >= src->rank[r].part && src->rank[k].part > 0);
		n += first ? oracle_held(src, r) : 0;
	}
	return n;
}

int64_t rows_crossing(const struct rows *x, const struct holdings *src, const struct holdings *dst, const int32_t *host,
		      uint64_t salt)
{
	const struct holdings *whole = x->way == ROWS_RETURNED ? dst : src;
	int64_t n = 0, at[PMLRT_MAX_RANK], element;
	if (x->way == ROWS_GATHERED)
		return crossing_to_all(src, host);
	for (int64_t e = 0; e < oracle_volume(src->type); e++) {
		coordinates(src->type, e, at);
		int64_t row = row_of(x, src->type, at, salt, &element);
		for (int r = 0; r < src->ranks; r++)
			for (int k = 0; k < src->ranks && comes(x, src, dst, r, at, row); k++)
				n += host[k] != host[r] && together(src, whole, r, k) &&
				     holds(src, k, at, 0, src->type->rank) &&
				     (x->way == ROWS_RETURNED || owns(x, src, k, row));
	}
	return n;
}
