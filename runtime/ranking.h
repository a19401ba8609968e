/* ranking.h — elements of lines as keys with positions: what ranking.c sorts and ranking_first.c chooses from. */
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
static ALWAYS uint64_t float_key(uint64_t u, int bits, uint64_t infinity)
{
	uint64_t sign = UINT64_C(1) << (bits - 1), magnitude = u & (sign - 1);
	if (magnitude > infinity)
		return sign | (sign - 1);
	return u & sign ? sign - magnitude : sign + magnitude;
}

#define LOAD(name, T) \
	static ALWAYS uint64_t name(const char *p) \
	{ \
		T v; \
		memcpy(&v, p, sizeof v); \
		return (uint64_t)v; \
	}
LOAD(load_8, uint8_t)
LOAD(load_16, uint16_t)
LOAD(load_32, uint32_t)
LOAD(load_64, uint64_t)
#undef LOAD

/* Larger keys come later. Signed integers are shifted, so that the least of them is 0. A key has as many bits as the
 * element. */
static ALWAYS uint64_t key_of(const char *p, int32_t dtype)
{
	switch ((enum pmlrt_dtype)dtype) {
	case PMLRT_F32:
		return float_key(load_32(p), 32, UINT64_C(0x7F800000));
	case PMLRT_F64:
		return float_key(load_64(p), 64, UINT64_C(0x7FF0000000000000));
	case PMLRT_BF16:
		return float_key(load_16(p), 16, UINT64_C(0x7F80));
	case PMLRT_F16:
		return float_key(load_16(p), 16, UINT64_C(0x7C00));
	case PMLRT_I8:
		return load_8(p) ^ UINT64_C(0x80);
	case PMLRT_I16:
		return load_16(p) ^ UINT64_C(0x8000);
	case PMLRT_I32:
		return load_32(p) ^ UINT64_C(0x80000000);
	case PMLRT_I64:
		return load_64(p) ^ UINT64_C(1) << 63;
	case PMLRT_U8:
	case PMLRT_BOOL:
		return load_8(p);
	case PMLRT_U16:
		return load_16(p);
	case PMLRT_U32:
		return load_32(p);
	case PMLRT_U64:
		return load_64(p);
	case PMLRT_DTYPES:
		break;
	}
	return 0;
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

#endif
