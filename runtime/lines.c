/* lines.c — see lines.h. Lines of windows are often shorter than a vector, so each is a few vectors whose lanes are
 * masked both where the tensor ends and where the line does. Those of more are copied one after the other, without
 * masks: the last vector of what is in the tensor goes over the one before. */
#include "lines.h"

#include <stdbool.h>
#include <string.h>

/* All lines are one piece of memory; not asked where elements are apart. */
static bool is_whole(const struct lines *l)
{
	return !l->begin && l->end == l->extent && !l->first && l->last == l->count && l->step == l->extent;
}

#define PLAIN(T, name, apart) \
	static void name(const struct lines *l, const void *from, void *to) \
	{ \
		T *at = to; \
		for (int64_t i = 0; i < l->count; i++) { \
			bool inside = i >= l->first && i < l->last; \
			int64_t begin = inside ? l->begin : l->extent, end = inside ? l->end : l->extent; \
			const T *line = (const T *)from + i * l->step; \
			for (int64_t j = 0; j < begin; j++) \
				*at++ = 0; \
			for (int64_t j = begin; j < end; j++) \
				*at++ = line[j * (apart)]; \
			for (int64_t j = end; j < l->extent; j++) \
				*at++ = 0; \
		} \
	}
PLAIN(uint8_t, plain_1, 1)
PLAIN(uint16_t, plain_2, 1)
PLAIN(uint32_t, plain_4, 1)
PLAIN(uint64_t, plain_8, 1)
PLAIN(uint8_t, apart_1, l->apart)
PLAIN(uint16_t, apart_2, l->apart)
PLAIN(uint32_t, apart_4, l->apart)
PLAIN(uint64_t, apart_8, l->apart)

#ifdef __x86_64__
#include <immintrin.h>

/* Lines of which at least a vector is the tensor's: LOAD(p) makes LANES elements of those that are APART, and reads
 * none behind the last. Zeros go on beyond the end of a line, whose next one comes later. */
#define LINE_BY_LINE(name, T, LANES, APART, LOAD) \
	__attribute__((target("avx2"))) static void name(const struct lines *l, const void *of, void *to) \
	{ \
		typedef T vector __attribute__((vector_size(32), aligned(sizeof(T)), may_alias)); \
		const int64_t n = l->extent, begin = l->begin, end = l->end; \
		const T *line = (const T *)of + l->first * l->step; \
		T *at = (T *)to + l->first * n; \
		memset(to, 0, (size_t)(l->first * n) * sizeof(T)); \
		for (int64_t i = l->first; i < l->last; i++, at += n, line += l->step) { \
			for (int64_t j = 0; j < begin; j += LANES) \
				*(vector *)(at + j) = (vector){0}; \
			for (int64_t j = begin; j < end - LANES; j += LANES) \
				*(vector *)(at + j) = LOAD(line + j * (APART)); \
			*(vector *)(at + end - LANES) = LOAD(line + (end - LANES) * (APART)); \
			for (int64_t j = end; j < n && i + 1 < l->count; j += LANES) \
				*(vector *)(at + j) = (vector){0}; \
			if (i + 1 == l->count) \
				memset(at + end, 0, (size_t)(n - end) * sizeof(T)); \
		} \
		memset(at, 0, (size_t)((l->count - l->last) * n) * sizeof(T)); \
	}
#define NEIGHBOURS(p) (*(const vector *)(p))
/* The even ones of 8, and behind them the odd ones of 8 that begin with the last of those; the same of 16. */
#define EVENS(p) \
	(vector) _mm256_permute4x64_epi64( \
		_mm256_castps_si256(_mm256_shuffle_ps(_mm256_loadu_ps((const float *)(const void *)(p)), \
						      _mm256_loadu_ps((const float *)(const void *)(p) + 7), 0xD8)), \
		0xD8)
#define EVENS_16(p) \
	(vector) _mm256_permute4x64_epi64( \
		_mm256_packus_epi32( \
			_mm256_and_si256(_mm256_loadu_si256((const __m256i *)(const void *)(p)), \
					 _mm256_set1_epi32(0xFFFF)), \
			_mm256_srli_epi32(_mm256_loadu_si256((const __m256i *)(const void *)((p) + 15)), 16)), \
		0xD8)
LINE_BY_LINE(long_1, uint8_t, 32, 1, NEIGHBOURS)
LINE_BY_LINE(long_2, uint16_t, 16, 1, NEIGHBOURS)
LINE_BY_LINE(long_4, uint32_t, 8, 1, NEIGHBOURS)
LINE_BY_LINE(long_8, uint64_t, 4, 1, NEIGHBOURS)
LINE_BY_LINE(long_even, uint32_t, 8, 2, EVENS)
LINE_BY_LINE(long_even_16, uint16_t, 16, 2, EVENS_16)

/* Of a level whose masks cost nothing: lines that are so long that all of them, vector by vector, are more than the
 * first cache keeps. */
enum { AVX2_LEAST = 32, AVX512_LEAST = 512 /* bytes */ };

static bool are_long(const struct lines *l, int64_t least)
{
	return l->first < l->last && l->end - l->begin >= least;
}

/* VECTOR(from, begin, end, to, size, after): lanes begin..end-1 of a vector, the others zeros; `size` lanes are
 * written, or more, but not from `after` on. What is written beyond the end of a line is the beginning of the next one:
 * so the last vectors of all lines come first, the first ones last. */
#define COPY(name, features, T, LANES, APART, LEAST, LONG, VECTOR) \
	__attribute__((target(features), always_inline)) static inline T *some_of_##name( \
		const struct lines *l, const void *from, int64_t first, int64_t last, int64_t begin, int64_t end, \
		T *at, const T *after) \
	{ \
		const T *line = (const T *)from + first * l->step; \
		int64_t n = l->extent; \
		for (int64_t j = (n - 1) / LANES * LANES; j >= 0; j -= LANES) { \
			int64_t size = lines_within(n - j, LANES), low = lines_within(begin - j, size), \
				high = lines_within(end - j, size); \
			const T *x = line + j * (APART); \
			T *y = at + j; \
			for (int64_t i = first; i < last; i++, x += l->step, y += n) \
				VECTOR(x, low, high, y, size, after); \
		} \
		return at + (last - first) * n; \
	} \
	__attribute__((target(features))) static void name(const struct lines *l, const void *from, void *to) \
	{ \
		const T *after = (T *)to + l->count * l->extent; \
		if ((APART) == 1 && is_whole(l)) { \
			memcpy(to, from, (size_t)(l->count * l->extent) * sizeof(T)); \
			return; \
		} \
		if (are_long(l, (LEAST) / (int64_t)sizeof(T))) { \
			LONG(l, from, to); \
			return; \
		} \
		T *at = some_of_##name(l, from, 0, l->first, 0, 0, to, after); \
		at = some_of_##name(l, from, l->first, l->last, l->begin, l->end, at, after); \
		some_of_##name(l, from, l->last, l->count, 0, 0, at, after); \
	}

#define LOW(n)               ((1U << (n)) - 1)
#define LANES_OF(begin, end) (LOW(end) & ~LOW(begin))
#define AVX512_32(x, b, e, to, n, after) \
	(void)(after), _mm512_mask_storeu_epi32(to, (__mmask16)LOW(n), \
						_mm512_maskz_loadu_epi32((__mmask16)LANES_OF(b, e), x))
#define AVX512_64(x, b, e, to, n, after) \
	(void)(after), \
		_mm512_mask_storeu_epi64(to, (__mmask8)LOW(n), _mm512_maskz_loadu_epi64((__mmask8)LANES_OF(b, e), x))
#define AVX512_8(x, b, e, to, n, after) \
	(void)(after), _mm_mask_storeu_epi8(to, (__mmask16)LOW(n), _mm_maskz_loadu_epi8((__mmask16)LANES_OF(b, e), x))
#define AVX512_16(x, b, e, to, n, after) \
	(void)(after), _mm256_mask_storeu_epi16(to, (__mmask16)LOW(n), \
						_mm256_maskz_loadu_epi16((__mmask16)LANES_OF(b, e), x))
/* Every other one of 32 elements, of which those from the first wanted one to the last are read. */
#define EVEN_OF(b, e) ((b) < (e) ? (uint32_t)((1ULL << (2 * (e)-1)) - (1ULL << 2 * (b))) : 0)
#define AVX512_EVEN(x, b, e, to, n, after) \
	do { \
		uint32_t read_ = EVEN_OF(b, e); \
		__m512i even_ = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30); \
		__m512i low_ = _mm512_maskz_loadu_epi32((__mmask16)read_, x), \
			high_ = _mm512_maskz_loadu_epi32((__mmask16)(read_ >> 16), (x) + 16); \
		(void)(after); \
		_mm512_mask_storeu_epi32(to, (__mmask16)LOW(n), _mm512_permutex2var_epi32(low_, even_, high_)); \
	} while (0)
#define AVX512_EVEN_16(x, b, e, to, n, after) \
	(void)(after), _mm256_mask_storeu_epi16(to, (__mmask16)LOW(n), \
						_mm512_cvtepi32_epi16(_mm512_maskz_loadu_epi16(EVEN_OF(b, e), x)))
#define AVX512 "avx512f,avx512bw,avx512vl"
COPY(avx512_1, AVX512, uint8_t, 16, 1, AVX512_LEAST, long_1, AVX512_8)
COPY(avx512_2, AVX512, uint16_t, 16, 1, AVX512_LEAST, long_2, AVX512_16)
COPY(avx512_4, AVX512, uint32_t, 16, 1, AVX512_LEAST, long_4, AVX512_32)
COPY(avx512_8, AVX512, uint64_t, 8, 1, AVX512_LEAST, long_8, AVX512_64)
COPY(avx512_even, AVX512, uint32_t, 16, 2, AVX512_LEAST, long_even, AVX512_EVEN)
COPY(avx512_even_16, AVX512, uint16_t, 16, 2, AVX512_LEAST, long_even_16, AVX512_EVEN_16)

#define AT_LEAST_32(b) _mm256_cmpgt_epi32(_mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8), _mm256_set1_epi32((int)(b)))
#define AT_LEAST_64(b) _mm256_cmpgt_epi64(_mm256_setr_epi64x(1, 2, 3, 4), _mm256_set1_epi64x(b))
#define AVX2_LANES(bits, whole, x, b, e) \
	_mm256_maskload_epi##bits((const whole *)(const void *)(x), \
				  _mm256_andnot_si256(AT_LEAST_##bits(e), AT_LEAST_##bits(b)))
#define AVX2_PUT(bits, whole, value, to, n, after) \
	do { \
		__m256i value_ = value; \
		if ((after) - (to) >= 32 / (int)sizeof *(to)) \
			_mm256_storeu_si256((__m256i *)(void *)(to), value_); \
		else \
			_mm256_maskstore_epi##bits((whole *)(void *)(to), \
						   _mm256_andnot_si256(AT_LEAST_##bits(n), AT_LEAST_##bits(0)), \
						   value_); \
	} while (0)
#define AVX2_32(x, b, e, to, n, after) AVX2_PUT(32, int, AVX2_LANES(32, int, x, b, e), to, n, after)
#define AVX2_64(x, b, e, to, n, after) AVX2_PUT(64, long long, AVX2_LANES(64, long long, x, b, e), to, n, after)
/* Every other one of 16 elements. */
__attribute__((target("avx2"))) static inline __m256i avx2_evens(const uint32_t *x, int64_t begin, int64_t end)
{
	int64_t low = 2 * begin, high = begin < end ? 2 * end - 1 : low;
	__m256 a = _mm256_castsi256_ps(AVX2_LANES(32, int, x, low, high)),
	       b = _mm256_castsi256_ps(AVX2_LANES(32, int, x + 8, low - 8, high - 8));
	return _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88)), 0xD8);
}
#define AVX2_EVEN(x, b, e, to, n, after) AVX2_PUT(32, int, avx2_evens(x, b, e), to, n, after)
static void avx2_1(const struct lines *l, const void *from, void *to)
{
	(are_long(l, AVX2_LEAST) ? long_1 : plain_1)(l, from, to);
}
static void avx2_2(const struct lines *l, const void *from, void *to)
{
	(are_long(l, AVX2_LEAST / 2) ? long_2 : plain_2)(l, from, to);
}
COPY(avx2_4, "avx2", uint32_t, 8, 1, AVX2_LEAST, long_4, AVX2_32)
COPY(avx2_8, "avx2", uint64_t, 4, 1, AVX2_LEAST, long_8, AVX2_64)
COPY(avx2_even, "avx2", uint32_t, 8, 2, AVX2_LEAST, long_even, AVX2_EVEN)
#endif

static lines_copy *apart_of(enum product_level level, int size, int64_t apart)
{
#ifdef __x86_64__
	static lines_copy *const even[] = {
		[PRODUCT_BASE] = apart_4, [PRODUCT_AVX2] = avx2_even, [PRODUCT_AVX512] = avx512_even};
	if (size == 4 && apart == 2)
		return even[product_vectors(level)];
	if (size == 2 && apart == 2 && product_vectors(level) == PRODUCT_AVX512)
		return avx512_even_16;
#else
	(void)level, (void)apart;
#endif
	return size == 1 ? apart_1 : size == 2 ? apart_2 : size == 4 ? apart_4 : apart_8;
}

lines_copy *lines_of(enum product_level level, int size, int64_t apart)
{
	if (apart != 1)
		return apart_of(level, size, apart);
#ifdef __x86_64__
	static lines_copy *const of[][9] = {
		[PRODUCT_BASE] = {[1] = plain_1, [2] = plain_2, [4] = plain_4, [8] = plain_8},
		[PRODUCT_AVX2] = {[1] = avx2_1, [2] = avx2_2, [4] = avx2_4, [8] = avx2_8},
		[PRODUCT_AVX512] = {[1] = avx512_1, [2] = avx512_2, [4] = avx512_4, [8] = avx512_8},
	};
	return of[product_vectors(level)][size];
#else
	(void)level;
	return size == 1 ? plain_1 : size == 2 ? plain_2 : size == 4 ? plain_4 : plain_8;
#endif
}
