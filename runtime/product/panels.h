/* panels.h — packing for one level, into elements T in vectors V (f32.h, f64.h): see product_packing in kernels.h.
 * PACKING defines the functions for elements S of a source: WIDEN(x) and LOAD(p) make one T and LANES of them,
 * LOAD16(p) as many as fit into 16 bytes, which is CHUNK. Of the level: JOIN(LOAD16, row, r, k) is a vector of CHUNK
 * elements from k on of rows r, r + CHUNK, r + 2 * CHUNK …; TRANSPOSE(x) transposes CHUNK vectors in each 16 bytes by
 * themselves. */

/* A row of a panel of whole vectors: zeros where the last one is not full. Numbers left there by other products may be
 * subnormal, which multiplications wait for. */
static inline void clear_behind(const struct product_panels *p, int64_t n, T *row)
{
	if (n % LANES && p->width % LANES == 0)
		*(V *)(row + n - n % LANES) = (V){0};
}

typedef T Q __attribute__((vector_size(16), aligned(sizeof(T)), may_alias));

#define PACKING(NAME, name, S, WIDEN, LOAD, LOAD16) \
	static inline __attribute__((always_inline)) void copy_##name(T *to, const S *from, int64_t n) \
	{ \
		int64_t even = n - n % LANES, chunks = n - n % CHUNK; \
		for (int64_t j = 0; j < even; j += LANES) \
			*(V *)(to + j) = LOAD(from + j); \
		for (int64_t j = even; j < chunks; j += CHUNK) \
			*(Q *)(to + j) = LOAD16(from + j); \
		for (int64_t j = chunks; j < n; j++) \
			to[j] = WIDEN(from[j]); \
	} \
	/* The sizes that most panels have are constants. */ \
	static inline void copy_row_##name(T *to, const S *from, int64_t n) \
	{ \
		if (n == VECTORS * LANES) \
			copy_##name(to, from, VECTORS *LANES); \
		else if (n == ROWS) \
			copy_##name(to, from, ROWS); \
		else if (n == ROWS - 1) \
			copy_##name(to, from, ROWS - 1); \
		else \
			copy_##name(to, from, n); \
	} \
	/* A few rows of k at a time across all panels: rows far apart in memory are not walked once for each. */ \
	static void along_##name(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, \
				 void *room) \
	{ \
		enum { AT_A_TIME = 8 }; \
		(void)step; \
		const int64_t whole = p->k, width = p->width; \
		for (int64_t k0 = 0; k0 < whole; k0 += AT_A_TIME) { \
			int64_t rows = whole - k0 < AT_A_TIME ? whole - k0 : AT_A_TIME; \
			for (int64_t i = 0; i < p->count; i++) { \
				int64_t begin = panel_begin(p, i), n = panel_begin(p, i + 1) - begin; \
				const S *from = (const S *)source + k0 * step_k + begin; \
				T *to = (T *)room + (i * whole + k0) * width; \
				for (int64_t k = 0; k < rows; k++, from += step_k, to += width) { \
					__builtin_prefetch(from + 2 * AT_A_TIME * step_k); \
					clear_behind(p, n, to); \
					copy_row_##name(to, from, n); \
				} \
			} \
		} \
	} \
	/* LANES rows of the source at a time; where there are fewer, the last one stands for those beyond. */ \
	static void across_##name(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, \
				  void *room) \
	{ \
		(void)step_k; \
		for (int64_t i = 0; i < p->count; i++) { \
			int64_t begin = panel_begin(p, i), n = panel_begin(p, i + 1) - begin; \
			for (int64_t j = 0; j < n; j += LANES) { \
				T *to = (T *)room + i * p->k * p->width + j; \
				const S *row[LANES]; \
				int64_t k = 0; \
				for (int r = 0; r < LANES; r++) \
					row[r] = (const S *)source + (begin + (j + r < n ? j + r : n - 1)) * step; \
				for (; k + CHUNK <= p->k; k += CHUNK, to += CHUNK * p->width) { \
					V x[CHUNK]; \
					_Pragma("GCC unroll 4") for (int r = 0; r < CHUNK; r++) x[r] = \
						JOIN(LOAD16, row, r, k); \
					TRANSPOSE(x); \
					_Pragma("GCC unroll 4") for (int r = 0; r < CHUNK; r++) * \
						(V *)(to + r * p->width) = x[r]; \
				} \
				for (; k < p->k; k++, to += p->width) \
					for (int r = 0; r < LANES; r++) \
						to[r] = WIDEN(row[r][k]); \
			} \
		} \
	} \
	static void any_##name(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, \
			       void *room) \
	{ \
		for (int64_t i = 0; i < p->count; i++) { \
			int64_t begin = panel_begin(p, i), n = panel_begin(p, i + 1) - begin; \
			T *to = (T *)room + i * p->k * p->width; \
			for (int64_t k = 0; k < p->k; k++, to += p->width) { \
				clear_behind(p, n, to); \
				for (int64_t j = 0; j < n; j++) \
					to[j] = WIDEN(((const S *)source)[k * step_k + (begin + j) * step]); \
			} \
		} \
	} \
	static void rows_##name(const struct product_panels *p, const void *source, int64_t step_k, int64_t step, \
				void *room) \
	{ \
		(void)step_k; \
		for (int64_t i = 0; i < p->extent; i++) \
			copy_##name((T *)room + i * p->width, (const S *)source + i * step, p->k); \
	}
#define PACKING_MEMBER(NAME, name, S, WIDEN, LOAD, LOAD16) \
	[PRODUCT_##NAME] = {.along = along_##name, .across = across_##name, .any = any_##name, .rows = rows_##name},

/* ---- matrices of the kernels' type, transposed ---- */

#define LOAD16_PLAIN(p) (*(const Q *)(p))

/* LANES rows and whole chunks of columns. Compilers would keep the address of each row in memory for want of registers,
 * and read it for every chunk: they are not told what addresses are made of. */
static inline __attribute__((always_inline)) void transpose_whole(int64_t columns, const T *from, int64_t from_step,
								  T *to, int64_t to_step)
{
	int64_t one = from_step * (int64_t)sizeof(T), three = 3 * one;
	const char *group[LANES / CHUNK];
	for (int g = 0; g < LANES / CHUNK; g++)
		group[g] = (const char *)(from + g * CHUNK * from_step);
	for (int64_t k = 0; k < columns; k += CHUNK, to += CHUNK * to_step) {
		const T *row[LANES];
		V x[CHUNK];
		_Pragma("GCC unroll 4") for (int g = 0; g < LANES / CHUNK; g++)
		{
			__asm__("" : "+r"(group[g]));
			_Pragma("GCC unroll 4") for (int r = 0; r < CHUNK; r++) row[g * CHUNK + r] =
				(const T *)(group[g] + (r == 3 ? three : r * one));
			group[g] += CHUNK * sizeof(T);
		}
		_Pragma("GCC unroll 4") for (int r = 0; r < CHUNK; r++) x[r] = JOIN(LOAD16_PLAIN, row, r, 0);
		TRANSPOSE(x);
		_Pragma("GCC unroll 4") for (int r = 0; r < CHUNK; r++) * (V *)(to + r * to_step) = x[r];
	}
}

/* Up to LANES rows. */
static inline void transpose_lines(int64_t rows, int64_t columns, const T *from, int64_t from_step, T *to,
				   int64_t to_step)
{
	const T *row[LANES];
	int64_t k = 0;
	if (rows == LANES) {
		k = columns - columns % CHUNK;
		transpose_whole(k, from, from_step, to, to_step);
		to += k * to_step;
	}
	for (int r = 0; r < LANES; r++)
		row[r] = from + (r < rows ? r : rows - 1) * from_step;
	for (; k + CHUNK <= columns; k += CHUNK, to += CHUNK * to_step) {
		V x[CHUNK];
		_Pragma("GCC unroll 4") for (int r = 0; r < CHUNK; r++) x[r] = JOIN(LOAD16_PLAIN, row, r, k);
		TRANSPOSE(x);
		_Pragma("GCC unroll 4") for (int r = 0; r < CHUNK; r++)
			memcpy(to + r * to_step, &x[r], (size_t)rows * sizeof(T));
	}
	for (; k < columns; k++, to += to_step)
		for (int64_t r = 0; r < rows; r++)
			to[r] = row[r][k];
}

/* A few lines of the cache of each row, and of each column, at a time. */
static void transpose(int64_t rows, int64_t columns, const void *from, int64_t from_step, void *to, int64_t to_step)
{
	enum { ROWS_AT_A_TIME = 4 * LANES, COLUMNS_AT_A_TIME = 64 / sizeof(T) };
	for (int64_t i0 = 0; i0 < rows; i0 += ROWS_AT_A_TIME) {
		int64_t end = i0 + ROWS_AT_A_TIME < rows ? i0 + ROWS_AT_A_TIME : rows;
		for (int64_t j = 0; j < columns; j += COLUMNS_AT_A_TIME)
			for (int64_t i = i0; i < end; i += LANES)
				transpose_lines(end - i < LANES ? end - i : LANES,
						columns - j < COLUMNS_AT_A_TIME ? columns - j : COLUMNS_AT_A_TIME,
						(const T *)from + i * from_step + j, from_step,
						(T *)to + j * to_step + i, to_step);
	}
}
