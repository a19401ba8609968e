/* combine_loops.h — the loops of combine.c for one width of vectors: NAME(f) is what a function is called, ATTRIBUTE
 * names the instructions, HAS_F16C says that they convert f16. */

#define LOOP(RESULT) \
	_Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) to[i] = RESULT; \
	return;

#define COMBINE(dtype, T, WIDE, NARROW, LARGER, SMALLER) \
	ATTRIBUTE static void NAME(dtype)(int32_t combiner, void *to_, const void *a_, const void *b_, int64_t n) \
	{ \
		T *to = to_; \
		const T *a = a_, *b = b_; \
		switch ((enum shard_combiner)combiner) { \
		case SHARD_SUM: \
			LOOP((T)NARROW(WIDE(a[i]) + WIDE(b[i]))) \
		case SHARD_PROD: \
			LOOP((T)NARROW(WIDE(a[i]) * WIDE(b[i]))) \
		case SHARD_MAX: \
			LOOP(LARGER(a[i], b[i])) \
		case SHARD_MIN: \
			LOOP(SMALLER(a[i], b[i])) \
		} \
	}
PLAIN_TYPES(COMBINE)
#undef COMBINE

ATTRIBUTE static void NAME(BOOL)(int32_t combiner, void *to_, const void *a_, const void *b_, int64_t n)
{
	uint8_t *to = to_;
	const uint8_t *a = a_, *b = b_;
	if (combiner == SHARD_SUM || combiner == SHARD_MAX) {
		LOOP(a[i] | b[i])
	}
	LOOP(a[i] & b[i])
}
#undef LOOP

ATTRIBUTE static void NAME(widen)(bool brain, float *to, const uint16_t *from, int64_t n)
{
	int64_t i = 0;
#ifdef HAS_F16C
	for (; !brain && i + 8 <= n; i += 8)
		_mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(from + i))));
#endif
	if (brain)
		for (; i < n; i++)
			to[i] = half_to_float(from[i], true);
	for (; i < n; i++)
		to[i] = half_to_float(from[i], false);
}

ATTRIBUTE static void NAME(narrow)(bool brain, uint16_t *to, const float *from, int64_t n)
{
	int64_t i = 0;
#ifdef HAS_F16C
	for (; !brain && i + 8 <= n; i += 8)
		_mm_storeu_si128((__m128i *)(void *)(to + i),
				 _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
#endif
	if (brain)
		for (; i < n; i++)
			to[i] = half_of_float(from[i], true);
	for (; i < n; i++)
		to[i] = half_of_float(from[i], false);
}

#define ROW(dtype, T, WIDE, NARROW, LARGER, SMALLER) [PMLRT_##dtype] = NAME(dtype),
static const struct combine_way NAME(way) = {{PLAIN_TYPES(ROW)[PMLRT_BOOL] = NAME(BOOL)}, NAME(widen), NAME(narrow)};
#undef ROW
