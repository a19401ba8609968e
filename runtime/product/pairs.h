/* pairs.h — packing bf16 for dot products of pairs, with the masks of AVX-512: a word of a panel holds two neighbours
 * along k, the first one in its low half. Where k is odd the last pair ends with a zero on both sides. See
 * product_packing in kernels.h; `rows` keeps rows as they are, but for that zero. */

static inline uint32_t pair_of(uint16_t first, uint16_t second)
{
	return first | (uint32_t)second << 16;
}

/* Two rows of k side by side: `n` words of at most PAIR_LANES. */
enum { PAIR_LANES = VECTOR_BYTES / 4 };
static inline void interleave(uint32_t *to, const uint16_t *first, const uint16_t *second, int64_t n)
{
	__mmask16 some = (__mmask16)((1U << n) - 1);
	__m512i low = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(some, first));
	__m512i high = _mm512_setzero_si512();
	if (second)
		high = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(some, second));
	_mm512_mask_storeu_epi32(to, some, _mm512_or_si512(low, _mm512_slli_epi32(high, 16)));
}

static void along_pairs(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, void *room)
{
	enum { AT_A_TIME = 4 };
	(void)step;
	for (int64_t k0 = 0; k0 < p->k; k0 += AT_A_TIME) {
		int64_t k1 = k0 + AT_A_TIME < p->k ? k0 + AT_A_TIME : p->k;
		for (int64_t i = 0; i < p->count; i++) {
			int64_t begin = panel_begin(p, i), n = panel_begin(p, i + 1) - begin;
			for (int64_t k = k0; k < k1; k++) {
				const uint16_t *first = (const uint16_t *)source + 2 * k * step_k + begin;
				const uint16_t *second = p->odd && k + 1 == p->k ? NULL : first + step_k;
				uint32_t *to = (uint32_t *)room + (i * p->k + k) * p->width;
				__builtin_prefetch(first + 4 * AT_A_TIME * step_k);
				__builtin_prefetch(first + (4 * AT_A_TIME + 1) * step_k);
				for (int64_t j = 0; j < n; j += PAIR_LANES)
					interleave(to + j, first + j, second ? second + j : NULL,
						   n - j < PAIR_LANES ? n - j : PAIR_LANES);
			}
		}
	}
}

/* PAIR_LANES rows at a time, transposed as words; where there are fewer, the last one stands for those beyond. */
static void across_pairs(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, void *room)
{
	int64_t whole = p->k - p->odd;
	(void)step_k;
	for (int64_t i = 0; i < p->count; i++) {
		int64_t begin = panel_begin(p, i), n = panel_begin(p, i + 1) - begin;
		for (int64_t j = 0; j < n; j += PAIR_LANES) {
			uint32_t *to = (uint32_t *)room + i * p->k * p->width + j;
			const T *row[PAIR_LANES];
			int64_t k = 0, lanes = n - j < PAIR_LANES ? n - j : PAIR_LANES;
			for (int r = 0; r < PAIR_LANES; r++)
				row[r] = (const void *)((const uint16_t *)source +
							(begin + j + (r < lanes ? r : lanes - 1)) * step);
			for (; k + CHUNK <= whole; k += CHUNK, to += CHUNK * p->width) {
				V x[CHUNK];
				_Pragma("GCC unroll 4") for (int r = 0; r < CHUNK; r++) x[r] =
					JOIN(LOAD16_F32, row, r, k);
				TRANSPOSE(x);
				_Pragma("GCC unroll 4") for (int r = 0; r < CHUNK; r++) *
					(V *)(void *)(to + r * p->width) = x[r];
			}
			for (; k < p->k; k++, to += p->width)
				for (int r = 0; r < lanes; r++) {
					const uint16_t *pair = (const void *)(row[r] + k);
					to[r] = pair_of(pair[0], k < whole ? pair[1] : 0);
				}
		}
	}
}

static void any_pairs(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, void *room)
{
	for (int64_t i = 0; i < p->count; i++) {
		int64_t begin = panel_begin(p, i), n = panel_begin(p, i + 1) - begin;
		uint32_t *to = (uint32_t *)room + i * p->k * p->width;
		for (int64_t k = 0; k < p->k; k++, to += p->width)
			for (int64_t j = 0; j < n; j++) {
				const uint16_t *first = (const uint16_t *)source + 2 * k * step_k + (begin + j) * step;
				to[j] = pair_of(first[0], p->odd && k + 1 == p->k ? 0 : first[step_k]);
			}
	}
}

static void rows_pairs(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, void *room)
{
	size_t bytes = (size_t)(2 * p->k - p->odd) * sizeof(uint16_t);
	(void)step_k;
	for (int64_t i = 0; i < p->extent; i++) {
		uint16_t *to = (uint16_t *)room + 2 * i * p->width;
		memcpy(to, (const uint16_t *)source + i * step, bytes);
		if (p->odd)
			to[2 * p->k - 1] = 0;
	}
}
