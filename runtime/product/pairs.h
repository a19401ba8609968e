/* pairs.h — packing bf16 for products of pairs, with the masks of AVX-512: a word of a panel holds two neighbours
 * along k, the first one in its low half. Where k is odd the last pair ends with a zero on both sides. See
 * product_packing in kernels.h; rows keep their order, but for that zero. Numbers of f32 may be rounded, or become
 * several of bf16 that they are the sum of: a panel for each part, one behind the other; all rows, and then all of the
 * next part. f16 has parts alone.
 *
 * PAIRS defines the functions for elements S of a source that become PARTS_NAME words each: bits_name makes them of
 * one, interleave_name vectors of words from two rows of k, chunk_name CHUNK words of neighbours of each of four rows,
 * row_name a row of them, whose parts are `apart` elements apart, and brings a row that will come. */

enum {
	PAIR_LANES = VECTOR_BYTES / 4,
	PAIR_MANY = 2 * PAIR_LANES, /* elements of a vector of words */
	ROWS_AHEAD = 2,
	PARTS_BF16 = 1,
	PARTS_F32_AS_BF16 = 1,
	PARTS_F32 = BF16_PARTS,
	PARTS_F16 = BF16_PARTS_F16,
	PARTS_F32_AS_F16 = BF16_PARTS_F16
};

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

static inline void bits_bf16(uint16_t x, uint16_t *bits)
{
	bits[0] = x;
}

static inline void interleave_bf16(__mmask16 some, const uint16_t *first, const uint16_t *second, __m512i *words)
{
	__m512i low = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(some, first));
	__m512i high = _mm512_setzero_si512();
	if (second)
		high = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(some, second));
	words[0] = _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

#define LOAD16_PAIRS(p) _mm_loadu_ps((const float *)(const void *)(p))

static inline void chunk_bf16(const uint16_t *const *row, int64_t k, __m512i *words)
{
	words[0] = _mm512_castps_si512(JOIN(LOAD16_PAIRS, row, 0, k));
}

static inline void row_bf16(uint16_t *to, int64_t apart, const uint16_t *from, int64_t n, const uint16_t *next)
{
	(void)apart, (void)next;
	memcpy(to, from, (size_t)n * sizeof *to);
}

/* ---- f32 and f16, rounded or in parts (as_bf16.h) ---- */

/* Vectors of f32, of neighbours where their bits in `some` are set, or of eight at either place. */
static inline __m512 sixteen_f32(__mmask16 some, const float *from)
{
	return _mm512_maskz_loadu_ps(some, from);
}
static inline __m512 eights_f32(const float *first, const float *second)
{
	return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(first)), _mm256_loadu_ps(second), 1);
}
static inline __m512 sixteen_f16(__mmask16 some, const uint16_t *from)
{
	return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(some, from));
}
static inline __m512 eights_f16(const uint16_t *first, const uint16_t *second)
{
	__m128i low = _mm_loadu_si128((const __m128i *)(const void *)first);
	return _mm512_cvtph_ps(_mm256_inserti128_si256(_mm256_castsi128_si256(low),
						       _mm_loadu_si128((const __m128i *)(const void *)second), 1));
}
static inline __m512 rounded_as_f16(__m512 x)
{
	return _mm512_cvtph_ps(_mm512_cvtps_ph(x, TO_NEAREST));
}

/* load(some, from) and eights(first, second) give vectors of S, many(first, second, words) and pairs(…) convert
 * them. */
#define OF_VECTORS(name, S, parts, load, eights, many, pairs) \
	static inline void bits_##name(S x, uint16_t *bits) \
	{ \
		__m512i words[parts]; \
		many(load(1, &x), _mm512_setzero_ps(), words); \
		for (int s = 0; s < (parts); s++) \
			bits[s] = (uint16_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(words[s])); \
	} \
	static inline void interleave_##name(__mmask16 some, const S *first, const S *second, __m512i *words) \
	{ \
		__m512 high = second ? load(some, second) : _mm512_setzero_ps(); \
		pairs(load(some, first), high, words); \
	} \
	static inline void chunk_##name(const S *const *row, int64_t k, __m512i *words) \
	{ \
		many(eights(row[0] + k, row[CHUNK] + k), eights(row[2 * CHUNK] + k, row[3 * CHUNK] + k), words); \
	} \
	static inline void row_##name(uint16_t *to, int64_t apart, const S *from, int64_t n, const S *next) \
	{ \
		const __mmask16 all = 0xFFFF; \
		__m512i words[parts]; \
		int64_t j = 0; \
		for (; j + PAIR_MANY <= n; j += PAIR_MANY) { \
			__builtin_prefetch(next + j); \
			__builtin_prefetch(next + j + PAIR_LANES); \
			many(load(all, from + j), load(all, from + j + PAIR_LANES), words); \
			for (int s = 0; s < (parts); s++) \
				_mm512_storeu_si512(to + s * apart + j, words[s]); \
		} \
		__mmask32 left = (__mmask32)((1ULL << (n - j)) - 1); \
		if (left) { \
			many(load((__mmask16)left, from + j), \
			     load((__mmask16)(left >> PAIR_LANES), from + j + PAIR_LANES), words); \
			for (int s = 0; s < (parts); s++) \
				_mm512_mask_storeu_epi16(to + s * apart + j, left, words[s]); \
		} \
	}
#define MANY_ROUNDED(first, second, words)  ((words)[0] = many_as_bf16(first, second))
#define PAIRS_ROUNDED(first, second, words) ((words)[0] = pairs_as_bf16(first, second))
OF_VECTORS(f32_as_bf16, float, PARTS_F32_AS_BF16, sixteen_f32, eights_f32, MANY_ROUNDED, PAIRS_ROUNDED)
#define MANY_PARTS(first, second, words)  many_as_parts(PARTS_F32, first, second, words)
#define PAIRS_PARTS(first, second, words) pairs_as_parts(PARTS_F32, first, second, words)
OF_VECTORS(f32, float, PARTS_F32, sixteen_f32, eights_f32, MANY_PARTS, PAIRS_PARTS)
#define MANY_OF_F16(first, second, words)  many_as_parts(PARTS_F16, first, second, words)
#define PAIRS_OF_F16(first, second, words) pairs_as_parts(PARTS_F16, first, second, words)
OF_VECTORS(f16, uint16_t, PARTS_F16, sixteen_f16, eights_f16, MANY_OF_F16, PAIRS_OF_F16)
#define SIXTEEN_AS_F16(some, from)   rounded_as_f16(sixteen_f32(some, from))
#define EIGHTS_AS_F16(first, second) rounded_as_f16(eights_f32(first, second))
OF_VECTORS(f32_as_f16, float, PARTS_F32_AS_F16, SIXTEEN_AS_F16, EIGHTS_AS_F16, MANY_OF_F16, PAIRS_OF_F16)

/* along: a few rows of k at a time across all panels. across: PAIR_LANES rows at a time, transposed as words; where
 * there are fewer, the last one stands for those beyond. */
#define PAIRS(NAME, name, S) \
	static inline void words_##name(const S *first, const S *second, uint32_t *to, int64_t apart) \
	{ \
		uint16_t low[PARTS_##NAME], high[PARTS_##NAME] = {0}; \
		bits_##name(*first, low); \
		if (second) \
			bits_##name(*second, high); \
		for (int s = 0; s < PARTS_##NAME; s++) \
			to[s * apart] = low[s] | (uint32_t)high[s] << 16; \
	} \
	static void along_##name(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, \
				 void *room) \
	{ \
		enum { AT_A_TIME = 4 }; \
		int64_t apart = p->depth * p->width; \
		(void)step; \
		for (int64_t k0 = 0; k0 < p->k; k0 += AT_A_TIME) { \
			int64_t k1 = k0 + AT_A_TIME < p->k ? k0 + AT_A_TIME : p->k; \
			for (int64_t i = 0; i < p->count; i++) { \
				int64_t begin = panel_begin(p, i), n = panel_begin(p, i + 1) - begin; \
				for (int64_t k = k0; k < k1; k++) { \
					const S *first = (const S *)source + 2 * k * step_k + begin; \
					const S *second = p->lacks && k + 1 == p->k ? NULL : first + step_k; \
					uint32_t *to = (uint32_t *)room + i * PARTS_##NAME * apart + k * p->width; \
					__builtin_prefetch(first + 4 * AT_A_TIME * step_k); \
					__builtin_prefetch(first + (4 * AT_A_TIME + 1) * step_k); \
					for (int64_t j = 0; j < n; j += PAIR_LANES) { \
						int64_t left = n - j < PAIR_LANES ? n - j : PAIR_LANES; \
						__mmask16 some = (__mmask16)((1U << left) - 1); \
						__m512i x[PARTS_##NAME]; \
						interleave_##name(some, first + j, second ? second + j : NULL, x); \
						for (int s = 0; s < PARTS_##NAME; s++) \
							_mm512_mask_storeu_epi32(to + s * apart + j, some, x[s]); \
					} \
				} \
			} \
		} \
	} \
	static void across_##name(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, \
				  void *room) \
	{ \
		int64_t whole = p->k - p->lacks, apart = p->depth * p->width; \
		(void)step_k; \
		for (int64_t i = 0; i < p->count; i++) { \
			int64_t begin = panel_begin(p, i), n = panel_begin(p, i + 1) - begin; \
			for (int64_t j = 0; j < n; j += PAIR_LANES) { \
				uint32_t *to = (uint32_t *)room + i * PARTS_##NAME * apart + j; \
				const S *row[PAIR_LANES]; \
				int64_t k = 0, lanes = n - j < PAIR_LANES ? n - j : PAIR_LANES; \
				for (int r = 0; r < PAIR_LANES; r++) \
					row[r] = (const S *)source + (begin + j + (r < lanes ? r : lanes - 1)) * step; \
				for (; k + CHUNK <= whole; k += CHUNK, to += CHUNK * p->width) { \
					__m512i x[CHUNK][PARTS_##NAME]; \
					_Pragma("GCC unroll 4") for (int r = 0; r < CHUNK; r++) \
						chunk_##name(row + r, 2 * k, x[r]); \
					_Pragma("GCC unroll 3") for (int s = 0; s < PARTS_##NAME; s++) \
					{ \
						V y[CHUNK]; \
						_Pragma("GCC unroll 4") for (int r = 0; r < CHUNK; r++) y[r] = \
							(V)x[r][s]; \
						TRANSPOSE(y); \
						_Pragma("GCC unroll 4") for (int r = 0; r < CHUNK; r++) * \
							(V *)(void *)(to + s * apart + r * p->width) = y[r]; \
					} \
				} \
				for (; k < p->k; k++, to += p->width) \
					for (int r = 0; r < lanes; r++) \
						words_##name(row[r] + 2 * k, k < whole ? row[r] + 2 * k + 1 : NULL, \
							     to + r, apart); \
			} \
		} \
	} \
	static void any_##name(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, \
			       void *room) \
	{ \
		int64_t apart = p->depth * p->width; \
		for (int64_t i = 0; i < p->count; i++) { \
			int64_t begin = panel_begin(p, i), n = panel_begin(p, i + 1) - begin; \
			uint32_t *to = (uint32_t *)room + i * PARTS_##NAME * apart; \
			for (int64_t k = 0; k < p->k; k++, to += p->width) \
				for (int64_t j = 0; j < n; j++) { \
					const S *first = (const S *)source + 2 * k * step_k + (begin + j) * step; \
					bool half = p->lacks && k + 1 == p->k; \
					words_##name(first, half ? NULL : first + step_k, to + j, apart); \
				} \
		} \
	} \
	static void rows_##name(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, \
				void *room) \
	{ \
		int64_t apart = 2 * p->extent * p->width; \
		(void)step_k; \
		for (int64_t i = 0; i < p->extent; i++) { \
			uint16_t *to = (uint16_t *)room + 2 * i * p->width; \
			const S *from = (const S *)source + i * step; \
			row_##name(to, apart, from, 2 * p->k - p->lacks, from + ROWS_AHEAD * step); \
			for (int s = 0; p->lacks && s < PARTS_##NAME; s++) \
				to[s * apart + 2 * p->k - 1] = 0; \
		} \
	} \
	/* Squares of words, transposed; all rows at each k, so that lines of the source are neighbours. */ \
	static void turned_##name(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, \
				  void *room) \
	{ \
		int64_t apart = p->extent * p->width; \
		(void)step; \
		for (int64_t k = 0; k < p->k; k += PAIR_LANES) \
			for (int64_t i = 0; i < p->extent; i += PAIR_LANES) { \
				int64_t lanes = p->extent - i < PAIR_LANES ? p->extent - i : PAIR_LANES; \
				__mmask16 some = (__mmask16)((1U << lanes) - 1); \
				uint32_t *to = (uint32_t *)room + i * p->width + k; \
				__m512i x[PARTS_##NAME][PAIR_LANES] = {0}; \
				for (int64_t q = 0; q < PAIR_LANES && k + q < p->k; q++) { \
					const S *first = (const S *)source + 2 * (k + q) * step_k + i; \
					bool half = p->lacks && k + q + 1 == p->k; \
					__m512i words[PARTS_##NAME]; \
					interleave_##name(some, first, half ? NULL : first + step_k, words); \
					for (int s = 0; s < PARTS_##NAME; s++) \
						x[s][q] = words[s]; \
				} \
				for (int s = 0; s < PARTS_##NAME; s++) { \
					transpose_words(x[s]); \
					for (int64_t r = 0; r < lanes; r++) \
						_mm512_storeu_si512(to + s * apart + r * p->width, x[s][r]); \
				} \
			} \
	} \
	static void any_rows_##name(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, \
				    void *room) \
	{ \
		for (int64_t i = 0; i < p->extent; i++) \
			for (int64_t k = 0; k < p->k; k++) { \
				const S *first = (const S *)source + 2 * k * step_k + i * step; \
				bool half = p->lacks && k + 1 == p->k; \
				words_##name(first, half ? NULL : first + step_k, (uint32_t *)room + i * p->width + k, \
					     p->extent * p->width); \
			} \
	}
#define EACH_PAIRED(X) \
	X(BF16, bf16, uint16_t) \
	X(F32_AS_BF16, f32_as_bf16, float) \
	X(F32, f32, float) \
	X(F16, f16, uint16_t) \
	X(F32_AS_F16, f32_as_f16, float)
EACH_PAIRED(PAIRS)

#define PAIRS_MEMBER(NAME, name, S) \
	[PRODUCT_##NAME] = {along_##name, across_##name, any_##name, rows_##name, turned_##name, any_rows_##name},
