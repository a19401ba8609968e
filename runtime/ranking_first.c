/* ranking_first.c — chooses the first elements of a line in two passes, both vectors all through. The first finds the
 * largest of every column: the line has rows of LANES elements, one below the other. The k-th largest of the LANES
 * columns bounds the k-th element of the line, so few elements are beyond it, and the second pass looks which rows have
 * any, while the next line comes: it collects items with exact keys and positions, of which the first k are kept.
 * Should there be more than expected, of equal elements say, all but the first k are dropped, and what comes after the
 * last of these does from then on.
 *
 * Values are compared so that larger ones come earlier. A NaN is beyond every bound. */
#include "ranking.h"

#include "contract_vectors.h"

#include <math.h>

enum {
	LANES = 64,
	CACHE_LINE = 64,
	MARGIN = 64,       /* items beyond 2 k that there is room for */
	MOST_BOUNDED = 48, /* k up to which the columns tell anything about it */
	LEAST_LINE = 256,
};

/* What makes values of bits: some of them turned. */
struct direction {
	uint32_t turned, infinity;
};

static uint32_t half_key(uint16_t u, uint32_t infinity)
{
	uint32_t magnitude = u & 0x7FFFu;
	return magnitude > infinity ? 0xFFFFu : u & 0x8000u ? 0x8000u - magnitude : 0x8000u + magnitude;
}

static bool lower_float(float *bound)
{
	if (!(*bound > -INFINITY))
		return false;
	*bound = nextafterf(*bound, -INFINITY);
	return true;
}

static bool lower_u32(uint32_t *bound)
{
	return (*bound)-- > 0;
}

#define AS_NUMBER(u, d) (u)
#define AS_OTHER(u, d)  (-(u))
#define AS_BITS(u, d)   ((u) ^ (d)->turned)
#define AS_HALF(u, d)   (half_key(u, (d)->infinity) ^ (d)->turned)

/* T: elements; V: their values, of which none is less than LEAST.
 *
 * columns: the largest value of every column of so many rows; bounded: a bound that k values are beyond, from these;
 * any, beyond: whether elements of a row are, and which; choose: the items of the first k, in the order of their
 * positions. */
#define CHOOSE(name, attributes, T, V, VALUE, LEAST, LOWER) \
	attributes static void columns_##name(const T *x, int64_t rows, const struct direction *d, V *part) \
	{ \
		(void)d; \
		V most[LANES]; \
		for (int j = 0; j < LANES; j++) \
			most[j] = LEAST; \
		for (int64_t i = 0; i < rows; i++) \
			for (int j = 0; j < LANES; j++) { \
				V v = VALUE(x[i * LANES + j], d); \
				most[j] = v > most[j] ? v : most[j]; \
			} \
		for (int j = 0; j < LANES; j++) \
			part[j] = most[j]; \
	} \
	attributes static bool bounded_##name(V *part, int64_t k, V *bound) \
	{ \
		int lanes = k <= LANES / 4 ? LANES / 2 : LANES; \
		uint32_t larger[LANES] = {0}; \
		bool found = false; \
		for (int j = lanes; j < LANES; j++) \
			part[j - lanes] = part[j] > part[j - lanes] ? part[j] : part[j - lanes]; \
		for (int i = 0; i < lanes; i++) \
			for (int j = 0; j < lanes; j++) \
				larger[j] += part[i] > part[j]; \
		for (int j = 0; j < lanes; j++) \
			if (larger[j] < k && (!found || part[j] < *bound)) { \
				*bound = part[j]; \
				found = true; \
			} \
		return LOWER(bound); \
	} \
	attributes static bool any_##name(const T *x, V bound, const struct direction *d) \
	{ \
		(void)d; \
		uint32_t any = 0; \
		for (int j = 0; j < LANES; j++) \
			any |= !(VALUE(x[j], d) <= bound); \
		return any; \
	} \
	attributes static int beyond_##name(const T *x, V bound, bool all, const struct direction *d, int *column) \
	{ \
		(void)d; \
		uint8_t hit[LANES]; \
		int n = 0; \
		for (int j = 0; j < LANES; j++) \
			hit[j] = all || !(VALUE(x[j], d) <= bound); \
		for (int j = 0; j < LANES; j += 8) { \
			uint64_t eight; \
			memcpy(&eight, hit + j, sizeof eight); \
			for (int i = j; eight && i < j + 8; i++) { \
				column[n] = i; \
				n += hit[i]; \
			} \
		} \
		return n; \
	} \
	attributes static void choose_##name(const struct line *l, int64_t k, int32_t dtype, \
					     const struct direction *d, narrow_item *items, narrow_item *room) \
	{ \
		const T *x = (const T *)(const void *)l->x; \
		int64_t n = l->n, count = 0, whole = n / LANES * LANES; \
		V part[LANES], bound = LEAST; \
		columns_##name(x, n / LANES, d, part); \
		bool all = k > MOST_BOUNDED || !bounded_##name(part, k, &bound), over = false; \
		for (int64_t row = 0; row < n && !over; row += LANES) { \
			int column[LANES + 1], ncolumns = 0; \
			for (size_t b = 0; b < LANES * sizeof(T); b += CACHE_LINE) \
				__builtin_prefetch((const char *)(x + n + row) + b); \
			if (row < whole && !all && !any_##name(x + row, bound, d)) \
				continue; \
			if (row < whole) \
				ncolumns = beyond_##name(x + row, bound, all, d, column); \
			for (int64_t i = row; row == whole && i < n; i++) \
				if (all || !(VALUE(x[i], d) <= bound)) \
					column[ncolumns++] = (int)(i - row); \
			for (int c = 0; c < ncolumns; c++) \
				items[count++] = rt_ranking_item(l, row + column[c], dtype); \
			if (count <= 2 * k) \
				continue; \
			narrow_item last = rt_ranking_keep_first(items, room, count, k); \
			count = k; \
			bound = VALUE(x[(uint32_t)last], d); \
			all = false; \
			over = l->down && bound != bound; \
		} \
		if (count > k) \
			rt_ranking_keep_first(items, room, count, k); \
	}

#define CHOOSE_ALL(width, attributes) \
	CHOOSE(down_##width, attributes, float, float, AS_NUMBER, -INFINITY, lower_float) \
	CHOOSE(up_##width, attributes, float, float, AS_OTHER, -INFINITY, lower_float) \
	CHOOSE(half_##width, attributes, uint16_t, uint32_t, AS_HALF, 0, lower_u32) \
	CHOOSE(u8_##width, attributes, uint8_t, uint32_t, AS_BITS, 0, lower_u32) \
	CHOOSE(u16_##width, attributes, uint16_t, uint32_t, AS_BITS, 0, lower_u32) \
	CHOOSE(u32_##width, attributes, uint32_t, uint32_t, AS_BITS, 0, lower_u32)
CHOOSE_ALL(base, __attribute__((SEPARATE)))
#ifdef __x86_64__
CHOOSE_ALL(avx2, __attribute__((SEPARATE, AVX2)))
CHOOSE_ALL(avx512, __attribute__((SEPARATE, AVX512)))
#endif

typedef void choose(const struct line *, int64_t, int32_t, const struct direction *, narrow_item *, narrow_item *);

/* How elements of the type are compared; NULL: not here. */
static choose *choose_for(int32_t dtype, bool down, struct direction *d)
{
	uint32_t all = 0, sign = 0;
	switch ((enum pmlrt_dtype)dtype) {
	case PMLRT_F32:
		return down ? WIDEST(&choose_down_base, &choose_down_avx2, &choose_down_avx512)
			    : WIDEST(&choose_up_base, &choose_up_avx2, &choose_up_avx512);
	case PMLRT_BF16:
	case PMLRT_F16:
		d->infinity = dtype == PMLRT_BF16 ? 0x7F80 : 0x7C00;
		d->turned = down ? 0 : UINT16_MAX;
		return WIDEST(&choose_half_base, &choose_half_avx2, &choose_half_avx512);
	case PMLRT_I8:
		sign = 0x80;
		/* fallthrough */
	case PMLRT_U8:
	case PMLRT_BOOL:
		all = UINT8_MAX;
		break;
	case PMLRT_I16:
		sign = 0x8000;
		/* fallthrough */
	case PMLRT_U16:
		all = UINT16_MAX;
		break;
	case PMLRT_I32:
		sign = 0x80000000;
		/* fallthrough */
	case PMLRT_U32:
		all = UINT32_MAX;
		break;
	case PMLRT_F64:
	case PMLRT_I64:
	case PMLRT_U64:
	case PMLRT_DTYPES:
		return NULL;
	}
	d->turned = sign ^ (down ? 0 : all);
	return all == UINT8_MAX    ? WIDEST(&choose_u8_base, &choose_u8_avx2, &choose_u8_avx512)
	       : all == UINT16_MAX ? WIDEST(&choose_u16_base, &choose_u16_avx2, &choose_u16_avx512)
				   : WIDEST(&choose_u32_base, &choose_u32_avx2, &choose_u32_avx512);
}

bool rt_ranking_choose(const struct line *l, int64_t first, int32_t dtype, narrow_item *items, narrow_item *room)
{
	struct direction d;
	choose *f = choose_for(dtype, l->down, &d);
	if (!f || first < 1 || l->step != 1 || l->n < LEAST_LINE || first > l->n / 8)
		return false;
	f(l, first, dtype, &d, items, room);
	return true;
}
