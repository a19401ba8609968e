/* ranking_middle.c — what stands in the middle of a line, as its median does, without sorting it. The leading digits of all
 * keys are counted, which tells with which of them the elements begin that are asked for, and a second pass makes items
 * of those that do: few, of which the same is done with what they differ in (ranking_items.h). Of a million numbers of
 * f32 that takes a quarter of the time that sorting takes. */
#include "ranking.h"

#include "contract_vectors.h"

enum {
	BITS = RANKING_DIGIT_BITS,
	BLOCK = 256,      /* elements whose digits are found at a time */
	TABLES = 4,       /* of counts, so that equal neighbours do not wait for each other */
	LONG_LINE = 4096, /* from which on that many are worth their clearing */
};

struct ranking_digits rt_ranking_digits(const uint32_t *count_of, int64_t from, int64_t count)
{
	struct ranking_digits d = {0};
	while (d.before + count_of[d.low] <= from)
		d.before += count_of[d.low++];
	d.high = d.low;
	for (int64_t all = d.before + count_of[d.low]; all < from + count;)
		all += count_of[++d.high];
	return d;
}

/* The leading digits of n elements from the i-th on; keys of 8 bits are their digits. */
#define DIGITS_OF(width, attributes) \
	attributes static void digits_##width(const struct line *l, int64_t i, int n, int32_t dtype, uint32_t *digit) \
	{ \
		switch ((enum pmlrt_dtype)dtype) { \
			DIGITS_OF_ALL \
		case PMLRT_DTYPES: \
			break; \
		} \
	}
#define DIGITS_OF_TYPE(ID, bytes, T, KEY) \
	case PMLRT_##ID: { \
		const char *x = l->x + i * (bytes); \
		T turned = (T)directed(0, 8 * (bytes), l->down); \
		for (int j = 0; j < n; j++) { \
			T key = KEY(x + j * (bytes), PMLRT_##ID) ^ turned; \
			digit[j] = (uint32_t)(key >> (8 * (bytes) > BITS ? 8 * (bytes)-BITS : 0)); \
		} \
		break; \
	}
#define NARROW(ID, bytes) DIGITS_OF_TYPE(ID, bytes, uint32_t, narrow_key_of)
#define WIDE(ID)          DIGITS_OF_TYPE(ID, 8, uint64_t, key_of)
#define DIGITS_OF_ALL \
	NARROW(F32, 4) \
	WIDE(F64) \
	NARROW(BF16, 2) \
	NARROW(F16, 2) \
	NARROW(I8, 1) \
	NARROW(I16, 2) \
	NARROW(I32, 4) \
	WIDE(I64) \
	NARROW(U8, 1) \
	NARROW(U16, 2) \
	NARROW(U32, 4) \
	WIDE(U64) \
	NARROW(BOOL, 1)
DIGITS_OF(base, __attribute__((SEPARATE)))
#ifdef __x86_64__
DIGITS_OF(avx2, __attribute__((SEPARATE, AVX2)))
DIGITS_OF(avx512, __attribute__((SEPARATE, AVX512)))
#endif

typedef void digits(const struct line *, int64_t, int, int32_t, uint32_t *);

static int block_at(const struct line *l, int64_t i)
{
	return (int)(l->n - i < BLOCK ? l->n - i : BLOCK);
}

static struct ranking_digits digits_at(const struct line *l, int64_t from, int64_t count, int32_t dtype, digits *of)
{
	uint32_t table[TABLES][1 << BITS];
	uint32_t digit[BLOCK] = {0};
	int tables = l->n < LONG_LINE ? 1 : TABLES;
	memset(table, 0, sizeof table[0] * (size_t)tables);
	for (int64_t i = 0; i < l->n; i += BLOCK) {
		int n = block_at(l, i);
		of(l, i, n, dtype, digit);
		for (int j = 0; j < n; j++)
			table[j & (tables - 1)][digit[j]]++;
	}
	for (int t = 1; t < tables; t++)
		for (int d = 0; d < 1 << BITS; d++)
			table[0][d] += table[t][d];
	return rt_ranking_digits(table[0], from, count);
}

/* The positions in a block of the elements that begin with the digits: how many these are. */
static int inside(const uint32_t *digit, int n, struct ranking_digits d, int *at)
{
	int found = 0;
	for (int j = 0; j < n; j++) {
		at[found] = j;
		found += digit[j] - d.low <= d.high - d.low;
	}
	return found;
}

#define MIDDLE(NAME, ITEM, MADE) \
	int64_t rt_ranking_##NAME##_middle(const struct line *l, int64_t *from, int64_t count, int32_t dtype, \
					   ITEM *items) \
	{ \
		digits *of = WIDEST(&digits_base, &digits_avx2, &digits_avx512); \
		struct ranking_digits d = digits_at(l, *from, count, dtype, of); \
		uint32_t digit[BLOCK]; \
		int at[BLOCK]; \
		int64_t kept = 0; \
		for (int64_t i = 0; i < l->n; i += BLOCK) { \
			int n = block_at(l, i); \
			of(l, i, n, dtype, digit); \
			int found = inside(digit, n, d, at); \
			for (int j = 0; j < found; j++) \
				items[kept++] = MADE(l, i + at[j], dtype); \
		} \
		*from -= d.before; \
		return kept; \
	}

static struct wide_item wide_made(const struct line *l, int64_t i, int32_t dtype)
{
	return (struct wide_item){directed(key_of(l->x + i * l->bytes, dtype), 64, l->down), (uint64_t)i};
}
MIDDLE(narrow, narrow_item, rt_ranking_item)
MIDDLE(wide, struct wide_item, wide_made)
