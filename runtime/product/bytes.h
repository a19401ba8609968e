/* bytes.h — products of whole numbers of 8 bits for one level, summed up in 32 bits, modulo 2^32: exact, whatever the
 * order. Words are those of bytes_pack.h. Included after the level's header and ACCUMULATE; with VNNI B_SIGNED says
 * what B is.
 *
 * The instruction of VNNI multiplies numbers without a sign by such with one. Where both factors are of one kind, those
 * of A are moved by 128 into the other, and what that adds to a sum is taken off again: 128 times the sum of a column
 * of B, which stands behind the panel's rows (`starts`). */
#include "bytes_pack.h"

/* ---- tiles ---- */

#define PUT(to, scale, sum, adds) \
	do { \
		(void)(scale); \
		*(to) = (adds) ? *(to) + (sum) : (V){0} + (sum); \
	} while (0)
#if TOGETHER == 4
#define STARTS
#endif
#include "tiles.h"

#if TOGETHER == 4
/* 128 times the sum of each column, behind the rows of its panel. */
static inline __attribute__((always_inline)) void starts(const struct product_panels *p, T *room, int32_t factor)
{
	const V ones = 0x01010101 - (V){0};
	for (int64_t i = 0; i < p->count; i++) {
		T *panel = room + i * p->depth * p->width;
		for (int64_t j = 0; j < p->width; j += LANES) {
			V sum = {0};
			for (int64_t k = 0; k < p->k && factor; k++)
				ACCUMULATE(sum, ones, *(const V *)(panel + k * p->width + j));
			*(V *)(panel + p->k * p->width + j) = sum * factor;
		}
	}
}
#define START(name, factor) \
	static void starts_##name(const struct product_panels *p, void *room) \
	{ \
		starts(p, room, factor); \
	}
#if B_SIGNED
#define EACH_BYTES(X) X(I8, i8, FLIPPED, PLAIN) X(U8_I8, u8_i8, PLAIN, PLAIN)
START(i8, -MOVED)
START(u8_i8, 0)
#define STARTS_MEMBER .starts = {[PRODUCT_I8] = starts_i8, [PRODUCT_U8_I8] = starts_u8_i8}
#else
#define EACH_BYTES(X) X(U8, u8, FLIPPED, PLAIN) X(I8_U8, i8_u8, PLAIN, PLAIN)
START(u8, MOVED)
START(i8_u8, 0)
#define STARTS_MEMBER .starts = {[PRODUCT_U8] = starts_u8, [PRODUCT_I8_U8] = starts_i8_u8}
#endif
#else
#define EACH_BYTES(X) \
	X(I8, i8, SIGNED, SIGNED) \
	X(U8, u8, UNSIGNED, UNSIGNED) X(I8_U8, i8_u8, SIGNED, UNSIGNED) X(U8_I8, u8_i8, UNSIGNED, SIGNED)
#define STARTS_MEMBER .starts = {0}
#endif

EACH_BYTES(PACK_BYTES)
static const struct product_packing packing[PRODUCT_TYPES] = {EACH_BYTES(PACK_MEMBER)};

#define BYTES_MEMBERS TILE_MEMBERS, .together = TOGETHER, .rows_of_a = true, .pack = packing, STARTS_MEMBER
