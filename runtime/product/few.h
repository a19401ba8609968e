/* few.h — products of few rows (struct product_few in kernels.h) for one level and type: see panels.h for what FEW is
 * given. A sum along k is made of CHAINS * LANES partial ones, added up in pairs; what is left of k is added to it one
 * by one. A tile is of DOTS sums. */

enum { LINES = 8, SUM_LANES = SUM_BYTES / sizeof(T) };

/* From partial sums to sums: 16 bytes of each vector are transposed, so that neighbours in a register are other sums.
 */
static inline __attribute__((always_inline)) void reduce(V (*sum)[CHAINS], T *out)
{
	_Pragma("GCC unroll 8") for (int i = 0; i < DOTS; i += CHUNK)
	{
		SUM x[CHUNK], all;
		_Alignas(SUM_BYTES) T z[SUM_LANES];
		_Pragma("GCC unroll 4") for (int q = 0; q < CHUNK; q++) x[q] = SUM_OF(sum[i + q]);
		TRANSPOSE_SUM(x);
		all = x[0] + x[1];
		_Pragma("GCC unroll 4") for (int q = 2; q < CHUNK; q += 2) all += x[q] + x[q + 1];
		*(SUM *)z = all;
		for (int g = CHUNK; g < (int)SUM_LANES; g += CHUNK)
			*(Q *)z += *(Q *)(z + g);
		*(Q *)(out + i) = *(Q *)z;
	}
}

#define FEW(NAME, name, S, WIDEN, LOAD, LOAD16) \
	static inline __attribute__((always_inline)) void dots_of_##name( \
		const int rows, const int columns, int64_t k, const T *a, int64_t a_step, const S *b, int64_t b_step, \
		T *c, int64_t ldc, T alpha, bool adds) \
	{ \
		V sum[DOTS][CHAINS] = {{{0}}}; \
		_Alignas(16) T out[DOTS]; \
		int64_t p = 0; \
		for (; p + CHAINS * LANES <= k; p += CHAINS * LANES) \
			_Pragma("GCC unroll 8") for (int j = 0; j < columns; j++) \
				_Pragma("GCC unroll 2") for (int h = 0; h < CHAINS; h++) \
			{ \
				V y = LOAD(b + j * b_step + p + h * LANES); \
				_Pragma("GCC unroll 4") for (int i = 0; i < rows; i++) ACCUMULATE( \
					sum[i * columns + j][h], *(const V *)(a + i * a_step + p + h * LANES), y); \
			} \
		reduce(sum, out); \
		for (int i = 0; i < rows; i++) \
			for (int j = 0; j < columns; j++) { \
				T s = out[i * columns + j], *to = c + i * ldc + j; \
				for (int64_t q = p; q < k; q++) \
					s += a[i * a_step + q] * WIDEN(b[j * b_step + q]); \
				*to = adds ? *to + alpha * s : alpha * s; \
			} \
	} \
	static inline __attribute__((always_inline)) void dots_beside_##name( \
		const int rows, const int columns, int64_t n, int64_t k, const T *a, int64_t a_step, const S *b, \
		int64_t b_step, T *c, int64_t ldc, T alpha, bool adds) \
	{ \
		int64_t j = 0; \
		for (; j + columns <= n; j += columns) \
			dots_of_##name(rows, columns, k, a, a_step, b + j * b_step, b_step, c + j, ldc, alpha, adds); \
		for (; j < n; j++) \
			dots_of_##name(rows, 1, k, a, a_step, b + j * b_step, b_step, c + j, ldc, alpha, adds); \
	} \
	/* Columns of B as many as stay in the first cache, for all rows. */ \
	static void dots_##name(int64_t rows, int64_t n, int64_t k, const void *a, int64_t a_step, const void *b, \
				int64_t b_step, void *c, int64_t ldc, double alpha, bool adds) \
	{ \
		enum { AT_ONCE = DOTS }; \
		for (int64_t j = 0; j < n; j += AT_ONCE) \
			for (int64_t i = 0; i < rows;) { \
				int64_t m = rows - i, w = n - j < AT_ONCE ? n - j : AT_ONCE; \
				const T *x = (const T *)a + i * a_step; \
				const S *y = (const S *)b + j * b_step; \
				T *to = (T *)c + i * ldc + j; \
				if (m >= 4) { \
					dots_beside_##name(4, DOTS / 4, w, k, x, a_step, y, b_step, to, ldc, (T)alpha, \
							   adds); \
					i += 4; \
				} else if (m >= 2) { \
					dots_beside_##name(2, DOTS / 2, w, k, x, a_step, y, b_step, to, ldc, (T)alpha, \
							   adds); \
					i += 2; \
				} else { \
					dots_beside_##name(1, DOTS, w, k, x, a_step, y, b_step, to, ldc, (T)alpha, \
							   adds); \
					i += 1; \
				} \
			} \
	} \
	static inline __attribute__((always_inline)) void lines_of_##name(const int lines, int64_t n, const T *a, \
									  const S *b, int64_t b_step, T *c, T alpha) \
	{ \
		V x[LINES]; \
		int64_t j = 0; \
		for (int p = 0; p < lines; p++) \
			x[p] = alpha * a[p] - (V){0}; \
		for (; j + LANES <= n; j += LANES) { \
			V sum = *(V *)(c + j); \
			_Pragma("GCC unroll 8") for (int p = 0; p < lines; p++) \
				ACCUMULATE(sum, x[p], LOAD(b + p * b_step + j)); \
			*(V *)(c + j) = sum; \
		} \
		for (; j < n; j++) \
			for (int p = 0; p < lines; p++) \
				c[j] = FMA_1(x[p][0], WIDEN(b[p * b_step + j]), c[j]); \
	} \
	static void lines_##name(int64_t rows, int64_t n, int64_t k, const void *a, int64_t a_step, const void *b, \
				 int64_t b_step, void *c, int64_t ldc, double alpha) \
	{ \
		int64_t p = 0; \
		for (; p + LINES <= k; p += LINES) \
			for (int64_t i = 0; i < rows; i++) \
				lines_of_##name(LINES, n, (const T *)a + i * a_step + p, (const S *)b + p * b_step, \
						b_step, (T *)c + i * ldc, (T)alpha); \
		for (; p < k; p++) \
			for (int64_t i = 0; i < rows; i++) \
				lines_of_##name(1, n, (const T *)a + i * a_step + p, (const S *)b + p * b_step, \
						b_step, (T *)c + i * ldc, (T)alpha); \
	}
EACH_SOURCE(FEW)

#define FEW_MEMBER(NAME, name, S, WIDEN, LOAD, LOAD16) [PRODUCT_##NAME] = {lines_##name, dots_##name},
