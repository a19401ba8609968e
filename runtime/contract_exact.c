/* contract_exact.c — see contract_exact.h. Blocks of B and panels of A are converted to f64 and laid out in the order
 * the innermost loop reads them; that loop keeps a tile of sums in registers and does, per vector of products, one
 * multiply-add onto the element's grid, which is read from a tile of them (a tenth slower than one grid in a register
 * would be), and one integer addition of the bits. The bits of the grids themselves are taken off once per tile, modulo
 * 2^64. Edges are filled with zeros, which count as nothing; a few rows go their own way
 * (contract_line.h). The blocks live on the stack: nothing is allocated. */
#include "contract_exact.h"
#include "contract_line.h"
#include "contract_vectors.h"
#include "pack.h"
#include "rt.h"

#include <string.h>

enum {
	BLOCK_K = 256,
	BLOCK_N = 128,
	MOST_ROWS = 8, /* of a tile, and */
	MOST_COLUMNS = 16,
	FEW_ROWS = 3, /* that are faster one by one than as a tile */
};

/* Sums of ROWS x (LANES * VECTORS) elements over k products each: a holds ROWS numbers per product, b one row of the
 * tile; grids lie as the sums do. */
typedef void tile_function(int64_t k, const double *grids, const double *a, const double *b, int64_t *tile);
struct tile {
	int rows, columns;
	tile_function *exact;   /* products of f32: fused or not, they are the same */
	tile_function *rounded; /* products of f64: rounded before they are added */
};

#define TILE(name, ATTRIBUTE, ROWS, LANES, VECTORS) \
	ATTRIBUTE static void name(int64_t k, const double *grids, const double *a, const double *b, int64_t *tile) \
	{ \
		typedef double floats __attribute__((vector_size(8 * LANES), may_alias)); \
		typedef int64_t ints __attribute__((vector_size(8 * LANES), may_alias)); \
		const floats *c = (const floats *)grids; \
		ints sum[ROWS][VECTORS] = {{{0}}}; \
		for (int64_t p = 0; p < k; p++) { \
			const floats *y = (const floats *)b + p * VECTORS; \
			_Pragma("GCC unroll 8") for (int i = 0; i < ROWS; i++) \
				_Pragma("GCC unroll 4") for (int v = 0; v < VECTORS; v++) sum[i][v] += \
				(ints)(a[p * ROWS + i] * y[v] + c[i * VECTORS + v]); \
		} \
		_Pragma("GCC unroll 8") for (int i = 0; i < ROWS; i++) \
			_Pragma("GCC unroll 4") for (int v = 0; v < VECTORS; v++)((ints *)tile)[i * VECTORS + v] = \
				sum[i][v]; \
	}

TILE(exact_base, __attribute__((FUSED)), 2, 2, 2)
TILE(rounded_base, __attribute__((SEPARATE)), 2, 2, 2)
static const struct tile tile_base = {2, 4, exact_base, rounded_base};

#ifdef __x86_64__
TILE(exact_avx2, __attribute__((FUSED, AVX2)), 4, 4, 2)
TILE(rounded_avx2, __attribute__((SEPARATE, AVX2)), 4, 4, 2)
static const struct tile tile_avx2 = {4, 8, exact_avx2, rounded_avx2};
TILE(exact_avx512, __attribute__((FUSED, AVX512)), 8, 8, 2)
TILE(rounded_avx512, __attribute__((SEPARATE, AVX512)), 8, 8, 2)
static const struct tile tile_avx512 = {8, 16, exact_avx512, rounded_avx512};
#endif

static const struct tile *best_tile(void)
{
	return WIDEST(&tile_base, &tile_avx2, &tile_avx512);
}

static int64_t least(int64_t x, int64_t y)
{
	return x < y ? x : y;
}

/* The grids of a tile: beside the matrix any. */
static void tile_of_grids(const struct tile *t, double grid, const double *grids, int64_t ldc, int64_t rows,
			  int64_t columns, double *to)
{
	for (int64_t i = 0; i < t->rows; i++)
		for (int64_t j = 0; j < t->columns; j++)
			to[i * t->columns + j] = grids && i < rows && j < columns ? grids[i * ldc + j] : grid;
}

/* What a tile gives is added to C, less the bits of the grids that every one of its k products carried. */
static void add_tile(const struct tile *t, const int64_t *sums, const double *grids, int64_t k, int64_t rows,
		     int64_t columns, int64_t *c, int64_t ldc)
{
	for (int64_t i = 0; i < rows; i++)
		for (int64_t j = 0; j < columns; j++) {
			uint64_t grid;
			memcpy(&grid, &grids[i * t->columns + j], sizeof grid);
			c[i * ldc + j] = (int64_t)((uint64_t)c[i * ldc + j] + (uint64_t)sums[i * t->columns + j] -
						   grid * (uint64_t)k);
		}
}

/* Element (i, j) of a matrix stands at x[i * row + j * column]. */
#define PACK(T) \
	static void pack_##T(const T *x, int64_t row, int64_t column, int64_t rows, int64_t columns, int width, \
			     double *to) \
	{ \
		for (int64_t j0 = 0; j0 < columns; j0 += width) { \
			int64_t n = least(width, columns - j0); \
			for (int64_t i = 0; i < rows; i++, to += width) { \
				for (int64_t j = 0; j < n; j++) \
					to[j] = x[i * row + (j0 + j) * column]; \
				for (int64_t j = n; j < width; j++) \
					to[j] = 0; \
			} \
		} \
	}
PACK(float)
PACK(double)

#define CONTRACT(name, T, KIND) \
	static void block_##name(const struct contract_##T *x, const struct tile *t, int64_t k0, int64_t j0) \
	{ \
		_Alignas(64) double b[BLOCK_K * BLOCK_N], a[BLOCK_K * MOST_ROWS], grids[MOST_ROWS * MOST_COLUMNS]; \
		_Alignas(64) int64_t sums[MOST_ROWS * MOST_COLUMNS]; \
		int64_t k = least(BLOCK_K, x->k - k0), n = least(BLOCK_N, x->n - j0); \
		int64_t a_row = x->ta ? 1 : x->lda, a_column = x->ta ? x->lda : 1; \
		int64_t b_row = x->tb ? 1 : x->ldb, b_column = x->tb ? x->ldb : 1; \
		tile_of_grids(t, x->grid, NULL, 0, 0, 0, grids); \
		pack_##T(x->b + k0 * b_row + j0 * b_column, b_row, b_column, k, n, t->columns, b); \
		for (int64_t i0 = 0; i0 < x->m; i0 += t->rows) { \
			int64_t m = least(t->rows, x->m - i0); \
			pack_##T(x->a + i0 * a_row + k0 * a_column, a_column, a_row, k, m, t->rows, a); \
			for (int64_t j = 0; j < n; j += t->columns) { \
				int64_t at = i0 * x->ldc + j0 + j, columns = least(t->columns, n - j); \
				if (x->grids) \
					tile_of_grids(t, x->grid, x->grids + at, x->ldc, m, columns, grids); \
				t->KIND(k, grids, a, b + j * k, sums); \
				add_tile(t, sums, grids, k, m, columns, x->c + at, x->ldc); \
			} \
		} \
	} \
	/* A few rows, or one column, which is a row where all is transposed: false if there are more. */ \
	static bool line_##name(const struct contract_##T *x) \
	{ \
		struct contract_##T y = *x; \
		double a[BLOCK_K], same[BLOCK_N]; \
		if (x->n == 1 && x->m > 1 && x->ldc == 1) \
			y = (struct contract_##T){!x->tb, !x->ta,  1,        x->m, x->k, x->ldb, x->lda, \
						  1,      x->grid, x->grids, x->b, x->a, x->c}; \
		if (y.m > FEW_ROWS) \
			return false; \
		const struct line *l = best_line(); \
		for (int64_t j = 0; j < BLOCK_N; j++) \
			same[j] = y.grid; \
		for (int64_t i = 0; i < y.m; i++) \
			for (int64_t k0 = 0; k0 < y.k; k0 += BLOCK_K) { \
				int64_t k = least(BLOCK_K, y.k - k0); \
				for (int64_t p = 0; p < k; p++) \
					a[p] = y.a[y.ta ? (k0 + p) * y.lda + i : i * y.lda + k0 + p]; \
				for (int64_t j = 0; j < y.n; j += BLOCK_N) \
					(y.tb ? l->across_##name : l->along_##name)( \
						least(BLOCK_N, y.n - j), k, y.grids ? y.grids + i * y.ldc + j : same, \
						a, y.b + (y.tb ? j * y.ldb + k0 : k0 * y.ldb + j), y.ldb, \
						y.c + i * y.ldc + j); \
			} \
		return true; \
	} \
	void contract_exact_##name(const struct contract_##T *x) \
	{ \
		const struct tile *t = best_tile(); \
		if (line_##name(x)) \
			return; \
		for (int64_t j = 0; j < x->n; j += BLOCK_N) \
			for (int64_t k = 0; k < x->k; k += BLOCK_K) \
				block_##name(x, t, k, j); \
	}
CONTRACT(f32, float, exact)
CONTRACT(f64, double, rounded)

#define PLAIN(name, T) \
	void contract_plain_##name(const struct contract_##T *x) \
	{ \
		for (int64_t i = 0; i < x->m; i++) \
			for (int64_t j = 0; j < x->n; j++) { \
				double with = x->grids ? x->grids[i * x->ldc + j] : x->grid; \
				int64_t grid; \
				memcpy(&grid, &with, sizeof grid); \
				for (int64_t p = 0; p < x->k; p++) { \
					volatile double product = \
						(double)(x->ta ? x->a[p * x->lda + i] : x->a[i * x->lda + p]) * \
						(double)(x->tb ? x->b[j * x->ldb + p] : x->b[p * x->ldb + j]); \
					double sum = with + product; \
					int64_t bits; \
					memcpy(&bits, &sum, sizeof bits); \
					x->c[i * x->ldc + j] = (int64_t)((uint64_t)x->c[i * x->ldc + j] + \
									 (uint64_t)bits - (uint64_t)grid); \
				} \
			} \
	}
PLAIN(f32, float)
PLAIN(f64, double)

#define LOOPS(name, T) \
	void pmlrt_contract_exact_##name(int64_t ta, int64_t tb, int64_t m, int64_t n, int64_t k, double grid, \
					 const void *grids, const void *a, int64_t lda, const void *b, int64_t ldb, \
					 int64_t adds, void *c, int64_t ldc, int64_t nloops, const int64_t *loops, \
					 const int64_t *pack_a, const int64_t *pack_b, void *workspace) \
	{ \
		struct operands_##name o = operands_##name(PRODUCT_BASE, a, pack_a, b, pack_b, workspace); \
		struct product_turn t = {0}; \
		do { \
			const T *at = packed_at_##name(&o.left, &t, t.a); \
			const T *bt = packed_at_##name(&o.right, &t, t.b); \
			struct contract_##T x = {ta, \
						 tb, \
						 m, \
						 n, \
						 k, \
						 lda, \
						 ldb, \
						 ldc, \
						 grid, \
						 grids ? (const double *)grids + t.c : NULL, \
						 at, \
						 bt, \
						 (int64_t *)c + t.c}; \
			for (int64_t row = 0; row < m && n > 0 && !adds && !t.adds; row++) \
				memset(x.c + row * ldc, 0, (size_t)n * sizeof *x.c); \
			if (m > 0) \
				contract_exact_##name(&x); \
		} while (product_next(&t, nloops, loops)); \
	}
LOOPS(f32, float)
LOOPS(f64, double)
