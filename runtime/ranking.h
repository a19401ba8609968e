/* ranking.h — elements of lines as keys with positions: what ranking.c sorts, and ranking_first.c and ranking_middle.c
 * choose from. */
#ifndef RT_RANKING_H
#define RT_RANKING_H

#include "rt.h"

#include <string.h>

#ifdef __GNUC__
#define ALWAYS inline __attribute__((always_inline))
#else
#define ALWAYS inline
#endif

/* Lines of n elements. Positions stand `step` apart in out. */
struct line {
	const char *x;
	int64_t bytes; /* from one element to the next */
	bool down;
	int32_t *out;
	int64_t n, step;
};

/* Bits whose order as unsigned numbers is that of the floats of which these are the bits: -0 is 0, every NaN is the
 * largest. */
#define FLOAT_KEY(name, T) \
	static ALWAYS T name(T u, int bits, T infinity) \
	{ \
		T sign = (T)1 << (bits - 1), magnitude = u & (sign - 1); \
		T key = u & sign ? sign - magnitude : sign + magnitude; \
		return magnitude > infinity ? sign | (sign - 1) : key; \
	}
FLOAT_KEY(narrow_float_key, uint32_t)
FLOAT_KEY(wide_float_key, uint64_t)
#undef FLOAT_KEY

#define LOAD(name, T, R) \
	static ALWAYS R name(const char *p) \
	{ \
		T v; \
		memcpy(&v, p, sizeof v); \
		return (R)v; \
	}
LOAD(load_8, uint8_t, uint32_t)
LOAD(load_16, uint16_t, uint32_t)
LOAD(load_32, uint32_t, uint32_t)
LOAD(load_64, uint64_t, uint64_t)
#undef LOAD

/* Larger keys come later. Signed integers are shifted, so that the least of them is 0. A key has as many bits as the
 * element. The first is of elements of at most 32 bits. */
static ALWAYS uint32_t narrow_key_of(const char *p, int32_t dtype)
{
	switch ((enum pmlrt_dtype)dtype) {
	case PMLRT_F32:
		return narrow_float_key(load_32(p), 32, 0x7F800000);
	case PMLRT_BF16:
		return narrow_float_key(load_16(p), 16, 0x7F80);
	case PMLRT_F16:
		return narrow_float_key(load_16(p), 16, 0x7C00);
	case PMLRT_I8:
		return load_8(p) ^ 0x80;
	case PMLRT_I16:
		return load_16(p) ^ 0x8000;
	case PMLRT_I32:
		return load_32(p) ^ 0x80000000;
	case PMLRT_U8:
	case PMLRT_BOOL:
		return load_8(p);
	case PMLRT_U16:
		return load_16(p);
	case PMLRT_U32:
		return load_32(p);
	case PMLRT_F64:
	case PMLRT_I64:
	case PMLRT_U64:
	case PMLRT_DTYPES:
		break;
	}
	return 0;
}

static ALWAYS uint64_t key_of(const char *p, int32_t dtype)
{
	switch ((enum pmlrt_dtype)dtype) {
	case PMLRT_F64:
		return wide_float_key(load_64(p), 64, UINT64_C(0x7FF0000000000000));
	case PMLRT_I64:
		return load_64(p) ^ UINT64_C(1) << 63;
	case PMLRT_U64:
		return load_64(p);
	case PMLRT_F32:
	case PMLRT_BF16:
	case PMLRT_F16:
	case PMLRT_I8:
	case PMLRT_I16:
	case PMLRT_I32:
	case PMLRT_U8:
	case PMLRT_U16:
	case PMLRT_U32:
	case PMLRT_BOOL:
	case PMLRT_DTYPES:
		break;
	}
	return narrow_key_of(p, dtype);
}

static ALWAYS uint64_t directed(uint64_t key, int bits, bool down)
{
	return down ? ~key & (bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1) : key;
}

/* An element of at most 32 bits with its position, as one number: the key, which is larger the later it comes, above
 * the position. All items of a line differ. */
typedef uint64_t narrow_item;
/* An element of 64 bits. */
struct wide_item {
	uint64_t key, at;
};

/* ranking.c: element i of the line as an item; the first k of n > k items, in the order in which they are, and the last
 * of them, with room for as many again. */
narrow_item rt_ranking_item(const struct line *l, int64_t i, int32_t dtype);
narrow_item rt_ranking_keep_first(narrow_item *items, narrow_item *room, int64_t n, int64_t k);

/* ranking_first.c: items of the first elements of the line in the order of their positions; false, and nothing is done,
 * where all items do as well: these are no small part of the line, the type is wide, or the line lies across memory.
 * There is room for 2 * first + 64 items in each. */
bool rt_ranking_choose(const struct line *l, int64_t first, int32_t dtype, narrow_item *items, narrow_item *room);

/* ranking_middle.c. Leading digits of keys, how many there are of each: the digits of what stands at from .. from +
 * count, and how many elements come before these. */
enum { RANKING_DIGIT_BITS = 11 };
struct ranking_digits {
	uint32_t low, high;
	int64_t before;
};
struct ranking_digits rt_ranking_digits(const uint32_t *count_of, int64_t from, int64_t count);

/* Of a line that does not lie across memory the elements whose keys begin with the digits of those that
 * stand at from .. from + count, as items (of which there is room for all) in the order of their positions: how many
 * these are; *from becomes what is left of it. */
int64_t rt_ranking_narrow_middle(const struct line *l, int64_t *from, int64_t count, int32_t dtype, narrow_item *items);
int64_t rt_ranking_wide_middle(const struct line *l, int64_t *from, int64_t count, int32_t dtype,
			       struct wide_item *items);

#endif
