/* bytes_pack.h — packing whole numbers of 8 bits for one level: a word of a panel or of a row of A holds TOGETHER
 * neighbours along k, 4 as they are, or 2 widened to 16 bits. Where K is no multiple of that, the last word of B ends with
 * zeros. Included after the level's header. */
#include <string.h>

typedef int32_t T __attribute__((aligned(1), may_alias));
typedef int32_t V __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));
typedef int32_t W __attribute__((vector_size(16), aligned(1), may_alias));
typedef int16_t PAIRS_OF_WORDS __attribute__((vector_size(16), may_alias));
typedef uint8_t BYTES __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint8_t HALF __attribute__((vector_size(8), aligned(1), may_alias));
typedef int8_t SIGNED_HALF __attribute__((vector_size(8), aligned(1), may_alias));

/* WORDS of a row are AT_ONCE elements along k, and as many columns are interleaved. */
enum { LANES = VECTOR_BYTES / 4, WORDS = 4, AT_ONCE = WORDS * TOGETHER, SQUARE = 16, MOVED = 128 };

/* What becomes of elements while they are packed. */
enum as { PLAIN, FLIPPED, SIGNED, UNSIGNED };

/* ---- words ---- */

static inline __attribute__((always_inline)) W words_of(const uint8_t *from, enum as as)
{
#if TOGETHER == 4
	BYTES x = *(const BYTES *)from;
	if (as == FLIPPED)
		x ^= MOVED;
	return (W)x;
#else
	if (as == SIGNED)
		return (W) __builtin_convertvector(*(const SIGNED_HALF *)from, PAIRS_OF_WORDS);
	return (W) __builtin_convertvector(*(const HALF *)from, PAIRS_OF_WORDS);
#endif
}

/* Elements step apart, zeros from the n-th on. */
static inline W words_apart(const uint8_t *from, int64_t step, int64_t n, enum as as)
{
	uint8_t line[AT_ONCE] = {0};
	for (int64_t i = 0; i < AT_ONCE && i < n; i++)
		line[i] = from[i * step];
	return words_of(line, as);
}

static inline W words_beginning(const uint8_t *from, int64_t n, enum as as)
{
	return n >= AT_ONCE ? words_of(from, as) : words_apart(from, 1, n, as);
}

static inline BYTES bytes_beginning(const uint8_t *from, int64_t n)
{
	uint8_t line[sizeof(BYTES)] = {0};
	if (n >= (int64_t)sizeof(BYTES))
		return *(const BYTES *)from;
	memcpy(line, from, n > 0 ? (size_t)n : 0);
	return *(const BYTES *)line;
}

#define LOW_BYTES(x, y)  __builtin_shufflevector(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_BYTES(x, y) __builtin_shufflevector(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)

static inline void transpose_words(W *x)
{
	W a = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5), b = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5);
	W c = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7), d = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
	x[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
	x[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
	x[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
	x[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

/* A square of bytes: each round deals its lines like cards, and after four of them all are turned. */
static inline void transpose_bytes(BYTES *x)
{
	_Pragma("GCC unroll 4") for (int round = 0; round < 4; round++)
	{
		BYTES y[SQUARE];
		_Pragma("GCC unroll 8") for (int i = 0; i < SQUARE / 2; i++)
		{
			y[2 * i] = LOW_BYTES(x[i], x[i + SQUARE / 2]);
			y[2 * i + 1] = HIGH_BYTES(x[i], x[i + SQUARE / 2]);
		}
		memcpy(x, y, sizeof y);
	}
}

/* AT_ONCE columns as words: of rows `pitch` apart, zeros from the n-th row on; `left` of the columns are there. */
static inline __attribute__((always_inline)) void interleaved(const uint8_t *from, int64_t pitch, int64_t n,
							      int64_t left, enum as as, W *to)
{
#if TOGETHER == 4
	BYTES x[TOGETHER];
	(void)as;
	_Pragma("GCC unroll 4") for (int r = 0; r < TOGETHER; r++) x[r] =
		r < n ? bytes_beginning(from + r * pitch, left) : (BYTES){0};
	PAIRS_OF_WORDS a = (PAIRS_OF_WORDS)LOW_BYTES(x[0], x[1]), b = (PAIRS_OF_WORDS)LOW_BYTES(x[2], x[3]);
	PAIRS_OF_WORDS c = (PAIRS_OF_WORDS)HIGH_BYTES(x[0], x[1]), d = (PAIRS_OF_WORDS)HIGH_BYTES(x[2], x[3]);
#else
	W x[TOGETHER];
	_Pragma("GCC unroll 2") for (int r = 0; r < TOGETHER; r++) x[r] =
		r < n ? words_beginning(from + r * pitch, left, as) : (W){0};
	PAIRS_OF_WORDS a = (PAIRS_OF_WORDS)x[0], b = (PAIRS_OF_WORDS)x[1];
#endif
	to[0] = (W)__builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
	to[1] = (W)__builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#if TOGETHER == 4
	to[2] = (W)__builtin_shufflevector(c, d, 0, 8, 1, 9, 2, 10, 3, 11);
	to[3] = (W)__builtin_shufflevector(c, d, 4, 12, 5, 13, 6, 14, 7, 15);
#endif
}

/* ---- panels of B: see product_packing in kernels.h ---- */

static inline int64_t elements_of(const struct product_panels *p)
{
	return p->k * TOGETHER - p->lacks;
}

/* A few words of k at a time across all panels. */
static inline __attribute__((always_inline)) void along(const struct product_panels *p, const uint8_t *source,
							int64_t step_k, T *room, enum as as)
{
	enum { AT_A_TIME = 4 };
	int64_t elements = elements_of(p);
	for (int64_t k0 = 0; k0 < p->k; k0 += AT_A_TIME)
		for (int64_t i = 0; i < p->count; i++) {
			int64_t begin = panel_begin(p, i), n = panel_begin(p, i + 1) - begin;
			for (int64_t k = k0; k < k0 + AT_A_TIME && k < p->k; k++) {
				T *to = room + (i * p->depth + k) * p->width;
				const uint8_t *from = source + k * TOGETHER * step_k + begin;
				for (int64_t j = 0; j < n; j += AT_ONCE) {
					W x[TOGETHER];
					interleaved(from + j, step_k, elements - k * TOGETHER, n - j, as, x);
					_Pragma("GCC unroll 4") for (int w = 0; w < TOGETHER; w++) *
						(W *)(to + j + w * WORDS) = x[w];
				}
			}
		}
}

/* WORDS rows of the source at a time, transposed as words; where there are fewer, the last one stands for those beyond.
 */
static inline __attribute__((always_inline)) void across(const struct product_panels *p, const uint8_t *source,
							 int64_t step, T *room, enum as as)
{
	int64_t elements = elements_of(p);
	for (int64_t i = 0; i < p->count; i++) {
		int64_t begin = panel_begin(p, i), n = panel_begin(p, i + 1) - begin;
		T *to = room + i * p->depth * p->width;
		for (int64_t k = 0; k < p->k; k += WORDS, to += WORDS * p->width)
			for (int64_t j = 0; j < n; j += WORDS) {
				W x[WORDS];
				for (int r = 0; r < WORDS; r++) {
					int64_t row = begin + (j + r < n ? j + r : n - 1);
					x[r] = words_beginning(source + row * step + k * TOGETHER,
							       elements - k * TOGETHER, as);
				}
				transpose_words(x);
				for (int r = 0; r < WORDS && k + r < p->k; r++)
					*(W *)(to + r * p->width + j) = x[r];
			}
	}
}

static inline __attribute__((always_inline)) void any(const struct product_panels *p, const uint8_t *source,
						      int64_t step_k, int64_t step, T *room, enum as as)
{
	for (int64_t i = 0; i < p->count; i++) {
		int64_t begin = panel_begin(p, i), n = panel_begin(p, i + 1) - begin;
		T *to = room + i * p->depth * p->width;
		for (int64_t k = 0; k < p->k; k += WORDS, to += WORDS * p->width)
			for (int64_t j = 0; j < n; j++) {
				W x = words_apart(source + k * TOGETHER * step_k + (begin + j) * step, step_k,
						  elements_of(p) - k * TOGETHER, as);
				for (int r = 0; r < WORDS && k + r < p->k; r++)
					to[r * p->width + j] = x[r];
			}
	}
}

/* ---- rows of A, which have room for some words more ---- */

static inline __attribute__((always_inline)) void rows(const struct product_panels *p, const uint8_t *source,
						       int64_t step, T *room, enum as as)
{
	for (int64_t i = 0; i < p->extent; i++) {
		const uint8_t *from = source + i * step;
		T *to = room + i * p->width;
		int64_t k = 0, whole = p->k - (p->lacks > 0);
		for (; k + SQUARE <= whole; k += SQUARE)
			_Pragma("GCC unroll 4") for (int w = 0; w < SQUARE; w += WORDS) * (W *)(to + k + w) =
				words_of(from + (k + w) * TOGETHER, as);
		for (; k < p->k; k += WORDS)
			*(W *)(to + k) = words_beginning(from + k * TOGETHER, elements_of(p) - k * TOGETHER, as);
	}
}

/* Squares, turned; all rows at each k, so that lines of the source are neighbours. */
static inline __attribute__((always_inline)) void turned(const struct product_panels *p, const uint8_t *source,
							 int64_t step_k, T *room, enum as as)
{
	int64_t elements = elements_of(p);
	for (int64_t k = 0; k < elements; k += SQUARE)
		for (int64_t i = 0; i < p->extent; i += SQUARE) {
			_Alignas(16) BYTES x[SQUARE];
			for (int64_t q = 0; q < SQUARE; q++)
				x[q] = k + q < elements ? bytes_beginning(source + (k + q) * step_k + i, p->extent - i)
							: (BYTES){0};
			transpose_bytes(x);
			for (int64_t r = 0; r < SQUARE && i + r < p->extent; r++)
				for (int w = 0; w < SQUARE / AT_ONCE; w++)
					*(W *)(room + (i + r) * p->width + k / TOGETHER + w * WORDS) =
						words_of((const uint8_t *)&x[r] + w * AT_ONCE, as);
		}
}

static inline __attribute__((always_inline)) void any_rows(const struct product_panels *p, const uint8_t *source,
							   int64_t step_k, int64_t step, T *room, enum as as)
{
	for (int64_t i = 0; i < p->extent; i++)
		for (int64_t k = 0; k < p->k; k += WORDS)
			*(W *)(room + i * p->width + k) = words_apart(source + k * TOGETHER * step_k + i * step, step_k,
								      elements_of(p) - k * TOGETHER, as);
}

#define PACK(name, how, call) \
	static void how##_##name(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, \
				 void *room) \
	{ \
		(void)step_k, (void)step; \
		call; \
	}
/* of_a, of_b: how elements of A and of B are packed. */
#define PACK_BYTES(NAME, name, of_a, of_b) \
	PACK(name, along, along(p, source, step_k, room, of_b)) \
	PACK(name, across, across(p, source, step, room, of_b)) \
	PACK(name, any, any(p, source, step_k, step, room, of_b)) \
	PACK(name, rows, rows(p, source, step, room, of_a)) \
	PACK(name, turned, turned(p, source, step_k, room, of_a)) \
	PACK(name, any_rows, any_rows(p, source, step_k, step, room, of_a))
#define PACK_MEMBER(NAME, name, of_a, of_b) \
	[PRODUCT_##NAME] = {.along = along_##name, \
			    .across = across_##name, \
			    .any = any_##name, \
			    .rows = rows_##name, \
			    .turned = turned_##name, \
			    .any_rows = any_rows_##name, \
			    .converts_a = (of_a) != PLAIN},
