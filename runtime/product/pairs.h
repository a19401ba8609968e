/* pairs.h — packing bf16 for dot products of pairs, with the masks of AVX-512: a word of a panel holds two neighbours
 * along k, the first one in its low half. Where k is odd the last pair ends with a zero on both sides. See
 * product_packing in kernels.h; rows keep their order, but for that zero.
 *
 * PAIRS defines the functions for elements S of a source: BITS(x) makes one bf16, LOAD16(p) CHUNK words of neighbours,
 * interleave_name a vector of words from two rows of k, row_name a row of them. */

enum { PAIR_LANES = VECTOR_BYTES / 4 };

static inline uint32_t pair_of(uint16_t first, uint16_t second)
{
	return first | (uint32_t)second << 16;
}

/* 16 vectors of 16 words: squares of 4 x 4, then these. */
static inline void transpose_words(__m512i *x)
{
	__m512i t[PAIR_LANES];
	_Pragma("GCC unroll 4") for (int g = 0; g < PAIR_LANES; g += CHUNK)
	{
		V y[CHUNK];
		_Pragma("GCC unroll 4") for (int r = 0; r < CHUNK; r++) y[r] = (V)x[g + r];
		TRANSPOSE(y);
		_Pragma("GCC unroll 4") for (int r = 0; r < CHUNK; r++) t[g + r] = (__m512i)y[r];
	}
	_Pragma("GCC unroll 4") for (int r = 0; r < CHUNK; r++)
	{
		__m512i a = _mm512_shuffle_i32x4(t[r], t[r + 4], 0x88), b = _mm512_shuffle_i32x4(t[r], t[r + 4], 0xDD);
		__m512i c = _mm512_shuffle_i32x4(t[r + 8], t[r + 12], 0x88),
			d = _mm512_shuffle_i32x4(t[r + 8], t[r + 12], 0xDD);
		x[r] = _mm512_shuffle_i32x4(a, c, 0x88);
		x[r + 4] = _mm512_shuffle_i32x4(b, d, 0x88);
		x[r + 8] = _mm512_shuffle_i32x4(a, c, 0xDD);
		x[r + 12] = _mm512_shuffle_i32x4(b, d, 0xDD);
	}
}

/* ---- bf16 as they are ---- */

#define BITS_BF16(x)         (x)
#define LOAD16_PAIRS_BF16(p) _mm_loadu_ps((const float *)(const void *)(p))

static inline __m512i interleave_bf16(__mmask16 some, const uint16_t *first, const uint16_t *second)
{
	__m512i low = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(some, first));
	__m512i high = _mm512_setzero_si512();
	if (second)
		high = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(some, second));
	return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

static inline void row_bf16(uint16_t *to, const uint16_t *from, int64_t n)
{
	memcpy(to, from, (size_t)n * sizeof *to);
}

/* ---- f32 that are rounded (as_bf16.h) ---- */

#define BITS_F32_AS_BF16(x) \
	((uint16_t)_mm_cvtsi128_si32(eight_as_bf16(_mm256_insertf128_ps(_mm256_setzero_ps(), _mm_set_ss(x), 0))))
#define LOAD16_PAIRS_F32_AS_BF16(p) _mm_castsi128_ps(eight_as_bf16(_mm256_loadu_ps(p)))

static inline __m512i interleave_f32_as_bf16(__mmask16 some, const float *first, const float *second)
{
	const __m512i order = _mm512_add_epi32(
		_mm512_mullo_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
				   _mm512_set1_epi32(0x10001)),
		_mm512_set1_epi32(16 << 16));
	__m512 low = _mm512_maskz_loadu_ps(some, first), high = _mm512_setzero_ps();
	if (second)
		high = _mm512_maskz_loadu_ps(some, second);
	return _mm512_permutexvar_epi16(order, many_as_bf16(low, high));
}

static inline void row_f32_as_bf16(uint16_t *to, const float *from, int64_t n)
{
	enum { EIGHT = 8, MANY = 2 * PAIR_LANES };
	int64_t j = 0;
	for (; j + MANY <= n; j += MANY)
		_mm512_storeu_si512(to + j,
				    many_as_bf16(_mm512_loadu_ps(from + j), _mm512_loadu_ps(from + j + PAIR_LANES)));
	for (; j + EIGHT <= n; j += EIGHT)
		_mm_storeu_si128((__m128i *)(void *)(to + j), eight_as_bf16(_mm256_loadu_ps(from + j)));
	for (; j < n; j++)
		to[j] = BITS_F32_AS_BF16(from[j]);
}

/* along: a few rows of k at a time across all panels. across: PAIR_LANES rows at a time, transposed as words; where
 * there are fewer, the last one stands for those beyond. */
#define PAIRS(NAME, name, S) \
	static void along_##name(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, \
				 void *room) \
	{ \
		enum { AT_A_TIME = 4 }; \
		(void)step; \
		for (int64_t k0 = 0; k0 < p->k; k0 += AT_A_TIME) { \
			int64_t k1 = k0 + AT_A_TIME < p->k ? k0 + AT_A_TIME : p->k; \
			for (int64_t i = 0; i < p->count; i++) { \
				int64_t begin = panel_begin(p, i), n = panel_begin(p, i + 1) - begin; \
				for (int64_t k = k0; k < k1; k++) { \
					const S *first = (const S *)source + 2 * k * step_k + begin; \
					const S *second = p->lacks && k + 1 == p->k ? NULL : first + step_k; \
					uint32_t *to = (uint32_t *)room + (i * p->depth + k) * p->width; \
					__builtin_prefetch(first + 4 * AT_A_TIME * step_k); \
					__builtin_prefetch(first + (4 * AT_A_TIME + 1) * step_k); \
					for (int64_t j = 0; j < n; j += PAIR_LANES) { \
						int64_t left = n - j < PAIR_LANES ? n - j : PAIR_LANES; \
						__mmask16 some = (__mmask16)((1U << left) - 1); \
						__m512i x = interleave_##name(some, first + j, \
									      second ? second + j : NULL); \
						_mm512_mask_storeu_epi32(to + j, some, x); \
					} \
				} \
			} \
		} \
	} \
	static void across_##name(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, \
				  void *room) \
	{ \
		int64_t whole = p->k - p->lacks; \
		(void)step_k; \
		for (int64_t i = 0; i < p->count; i++) { \
			int64_t begin = panel_begin(p, i), n = panel_begin(p, i + 1) - begin; \
			for (int64_t j = 0; j < n; j += PAIR_LANES) { \
				uint32_t *to = (uint32_t *)room + i * p->depth * p->width + j; \
				const S *row[PAIR_LANES]; \
				int64_t k = 0, lanes = n - j < PAIR_LANES ? n - j : PAIR_LANES; \
				for (int r = 0; r < PAIR_LANES; r++) \
					row[r] = (const S *)source + (begin + j + (r < lanes ? r : lanes - 1)) * step; \
				for (; k + CHUNK <= whole; k += CHUNK, to += CHUNK * p->width) { \
					V x[CHUNK]; \
					_Pragma("GCC unroll 4") for (int r = 0; r < CHUNK; r++) x[r] = \
						JOIN(LOAD16_PAIRS_##NAME, row, r, 2 * k); \
					TRANSPOSE(x); \
					_Pragma("GCC unroll 4") for (int r = 0; r < CHUNK; r++) * \
						(V *)(void *)(to + r * p->width) = x[r]; \
				} \
				for (; k < p->k; k++, to += p->width) \
					for (int r = 0; r < lanes; r++) \
						to[r] = pair_of(BITS_##NAME(row[r][2 * k]), \
								k < whole ? BITS_##NAME(row[r][2 * k + 1]) : 0); \
			} \
		} \
	} \
	static void any_##name(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, \
			       void *room) \
	{ \
		for (int64_t i = 0; i < p->count; i++) { \
			int64_t begin = panel_begin(p, i), n = panel_begin(p, i + 1) - begin; \
			uint32_t *to = (uint32_t *)room + i * p->depth * p->width; \
			for (int64_t k = 0; k < p->k; k++, to += p->width) \
				for (int64_t j = 0; j < n; j++) { \
					const S *first = (const S *)source + 2 * k * step_k + (begin + j) * step; \
					bool half = p->lacks && k + 1 == p->k; \
					to[j] = pair_of(BITS_##NAME(first[0]), half ? 0 : BITS_##NAME(first[step_k])); \
				} \
		} \
	} \
	static void rows_##name(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, \
				void *room) \
	{ \
		(void)step_k; \
		for (int64_t i = 0; i < p->extent; i++) { \
			uint16_t *to = (uint16_t *)room + 2 * i * p->width; \
			row_##name(to, (const S *)source + i * step, 2 * p->k - p->lacks); \
			if (p->lacks) \
				to[2 * p->k - 1] = 0; \
		} \
	} \
	/* Squares of words, transposed; all rows at each k, so that lines of the source are neighbours. */ \
	static void turned_##name(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, \
				  void *room) \
	{ \
		(void)step; \
		for (int64_t k = 0; k < p->k; k += PAIR_LANES) \
			for (int64_t i = 0; i < p->extent; i += PAIR_LANES) { \
				int64_t lanes = p->extent - i < PAIR_LANES ? p->extent - i : PAIR_LANES; \
				__mmask16 some = (__mmask16)((1U << lanes) - 1); \
				uint32_t *to = (uint32_t *)room + i * p->width + k; \
				__m512i x[PAIR_LANES]; \
				for (int64_t q = 0; q < PAIR_LANES; q++) { \
					const S *first = (const S *)source + 2 * (k + q) * step_k + i; \
					bool half = p->lacks && k + q + 1 == p->k; \
					x[q] = k + q >= p->k \
						       ? _mm512_setzero_si512() \
						       : interleave_##name(some, first, half ? NULL : first + step_k); \
				} \
				transpose_words(x); \
				for (int64_t r = 0; r < lanes; r++) \
					_mm512_storeu_si512(to + r * p->width, x[r]); \
			} \
	} \
	static void any_rows_##name(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, \
				    void *room) \
	{ \
		for (int64_t i = 0; i < p->extent; i++) \
			for (int64_t k = 0; k < p->k; k++) { \
				const S *first = (const S *)source + 2 * k * step_k + i * step; \
				bool half = p->lacks && k + 1 == p->k; \
				((uint32_t *)room)[i * p->width + k] = \
					pair_of(BITS_##NAME(first[0]), half ? 0 : BITS_##NAME(first[step_k])); \
			} \
	}
#define EACH_PAIRED(X) X(BF16, bf16, uint16_t) X(F32_AS_BF16, f32_as_bf16, float)
EACH_PAIRED(PAIRS)

#define PAIRS_MEMBER(NAME, name, S) \
	[PRODUCT_##NAME] = {along_##name, across_##name, any_##name, rows_##name, turned_##name, any_rows_##name},
