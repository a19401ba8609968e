/* indices.c — indices and divisors that are known only now: each is as it must be, or the job ends. What a wrong index
 * names is left out by generated code, for that is how a rank reads its shard of a table, and what is divided by 0
 * gives 0; so either would pass unnoticed. The common case is one pass without a branch; which element is wrong is
 * found out afterwards. */
#pragma GCC optimize("O3") /* loops over any number of elements become vector loops */
#include "data.h"
#include "element.h"
#include "rt.h"

#include <inttypes.h>
#include <string.h>

/* Where the elements come from; batches NULL: not from data. */
struct rows {
	void *batches;
	int32_t field;
	int64_t first, per, step;
};

/* Whether an index is below extent, or would be, counted from the end. */
static bool is_in(int64_t v, int64_t extent, bool wraps)
{
	return (uint64_t)v + (wraps && v < 0 ? (uint64_t)extent : 0) < (uint64_t)extent;
}

/* Whether all n elements are as asked, in vectors of their own width: as unsigned numbers, of which those that were
 * negative are above the greatest signed one. Of 64 bits, for which not all processors have a comparison, the highest
 * bit of x and of last - x. */
#define ALL_IN(type, width, greatest) \
	static bool all_in_##type(const void *at, int64_t n, int64_t extent, int32_t asked) \
	{ \
		const type *x = at; \
		const uint##width##_t *u = at; \
		uint##width##_t wrong = 0, last = (uint##width##_t)(extent <= (greatest) ? extent - 1 : (greatest)); \
		if (asked == PMLRT_ASKED_NOT_ZERO) \
			for (int64_t i = 0; i < n; i++) \
				wrong |= u[i] == 0; \
		else if (asked == PMLRT_ASKED_WITHIN || asked == PMLRT_ASKED_FITS) \
			for (int64_t i = 0; i < n; i++) \
				wrong |= !is_in((int64_t)x[i], extent, true); \
		else if (asked == PMLRT_ASKED_NATURAL) \
			for (int64_t i = 0; i < n; i++) \
				wrong |= !is_in((int64_t)((uint64_t)x[i] >> 1), extent, false); \
		else if ((width) == 64) \
			for (int64_t i = 0; i < n; i++) \
				wrong |= (u[i] | (last - u[i])) >> ((width)-1); \
		else \
			for (int64_t i = 0; i < n; i++) \
				wrong |= u[i] > last; \
		return !wrong && (extent > 0 || n == 0 || asked == PMLRT_ASKED_NOT_ZERO); \
	}
ALL_IN(int8_t, 8, INT8_MAX)
ALL_IN(int16_t, 16, INT16_MAX)
ALL_IN(int32_t, 32, INT32_MAX)
ALL_IN(int64_t, 64, INT64_MAX)
ALL_IN(uint8_t, 8, UINT8_MAX)
ALL_IN(uint16_t, 16, UINT16_MAX)
ALL_IN(uint32_t, 32, (int64_t)UINT32_MAX)
ALL_IN(uint64_t, 64, INT64_MAX)

static bool all_in(int32_t dtype, const void *x, int64_t n, int64_t extent, int32_t asked)
{
	switch ((enum pmlrt_dtype)dtype) {
	case PMLRT_I8:
		return all_in_int8_t(x, n, extent, asked);
	case PMLRT_I16:
		return all_in_int16_t(x, n, extent, asked);
	case PMLRT_I32:
		return all_in_int32_t(x, n, extent, asked);
	case PMLRT_I64:
		return all_in_int64_t(x, n, extent, asked);
	case PMLRT_U8:
		return all_in_uint8_t(x, n, extent, asked);
	case PMLRT_U16:
		return all_in_uint16_t(x, n, extent, asked);
	case PMLRT_U32:
		return all_in_uint32_t(x, n, extent, asked);
	case PMLRT_U64:
		return all_in_uint64_t(x, n, extent, asked);
	case PMLRT_F32:
	case PMLRT_F64:
	case PMLRT_BF16:
	case PMLRT_F16:
	case PMLRT_BOOL:
	case PMLRT_DTYPES:
		break;
	}
	return false;
}

/* "[3, 0]" and the row-major number of element i of this rank's shard, in the logical tensor. */
static int64_t logical_position(struct pmlrt *rt, const struct pmlrt_type *t, int64_t i, char *text, size_t size)
{
	int64_t begin[PMLRT_MAX_RANK], end[PMLRT_MAX_RANK], at[PMLRT_MAX_RANK], number = 0;
	if (!rt_type_box(rt, t, begin, end))
		return -1;
	for (int d = t->rank - 1; d >= 0; d--) {
		at[d] = begin[d] + i % (end[d] - begin[d]);
		i /= end[d] - begin[d];
	}
	size_t used = (size_t)snprintf(text, size, "[");
	for (int d = 0; d < t->rank && used < size; d++) {
		number = number * t->dim[d] + at[d];
		used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, d ? ", " : "", at[d]);
	}
	if (used < size)
		snprintf(text + used, size - used, "]");
	return number;
}

/* What is meant by an index of a tensor that is below 0, as what fills up is marked: it is to be left out. */
static const char *help_negative(struct pmlrt *rt, const char *what, const char *value)
{
	if (strstr(what, "`loss.cross_entropy`") || strstr(what, "`loss.nll`"))
		return rt_format(rt, "\nhelp: rows with this label are left out by `ignore = %s`", value);
	return "\nhelp: a `?` behind an index that may be outside, `x[i?]` or `one_hot(i?, n)`, passes over it";
}

static _Noreturn void fail(struct pmlrt *rt, const struct pmlrt_type *t, int64_t i, const void *at, int32_t asked,
			   int32_t site, const struct rows *rows)
{
	bool divides = asked == PMLRT_ASKED_NOT_ZERO;
	bool narrows = asked == PMLRT_ASKED_FITS || asked == PMLRT_ASKED_NATURAL;
	char value[64], element[256], which[320] = "", row[1024] = "";
	int64_t number = logical_position(rt, t, i, element, sizeof element);
	if (t->rank)
		snprintf(which, sizeof which, "\nnote: it is element %s of the %s", element,
			 divides ? "divisor" : "indices");
	if (asked == PMLRT_ASKED_HELD)
		rt_fail(rt, site, "%s does not fit an int (64 bits)", rt->program->sites[site].what);
	if (rows && rows->per > 0)
		batch_row_text(rows->batches, rows->field, rows->first + number / rows->per * rows->step, row,
			       sizeof row);
	if (divides)
		rt_fail(rt, site, "division by zero: %s is 0%s%s%s", rt->program->sites[site].what, which,
			row[0] ? ", from " : "", row);
	element_text(t->dtype, at, false, value, sizeof value);
	bool marks = t->rank && !narrows && asked != PMLRT_ASKED_WITHIN && value[0] == '-';
	rt_fail(rt, site, "%s%s is %s%s%s%s%s%s", narrows ? "" : "index ", value, narrows ? "" : "out of range, ",
		rt->program->sites[site].what, which, row[0] ? ", from " : "", row,
		marks ? help_negative(rt, rt->program->sites[site].what, value) : "");
}

static void check(struct pmlrt *rt, int32_t type, const void *src, void *dst, int64_t n, int64_t extent, int32_t asked,
		  int32_t site, const struct rows *rows)
{
	const struct pmlrt_type *t = &rt->program->types[type];
	int64_t size = rt_dtype_size(t->dtype), i = 0;
	if (!all_in(t->dtype, src, n, extent, asked)) {
		while (all_in(t->dtype, (const char *)src + i * size, 1, extent, asked))
			i++;
		fail(rt, t, i, (const char *)src + i * size, asked, site, rows);
	}
	if (src != dst)
		memcpy(dst, src, (size_t)(n * size));
	if (asked != PMLRT_ASKED_WITHIN)
		return;
	for (int64_t *x = dst; i < n; i++)
		x[i] += x[i] < 0 ? extent : 0;
}

void pmlrt_check_indices(struct pmlrt *rt, int32_t type, const void *src, void *dst, int64_t n, int64_t extent,
			 int32_t asked, int32_t site)
{
	check(rt, type, src, dst, n, extent, asked, site, NULL);
}

void pmlrt_check_rows(struct pmlrt *rt, int32_t type, const void *src, void *dst, int64_t n, int64_t extent,
		      int32_t asked, int32_t site, void *batches, int32_t field, int64_t first, int64_t per,
		      int64_t step, void **cells, int64_t cell, int64_t turn)
{
	int64_t turns = cell < 0 ? 0 : ((const int64_t *)(cells + cell))[0];
	const struct rows rows = {batches, field, first + turn * turns, per, step};
	check(rt, type, src, dst, n, extent, asked, site, &rows);
}
