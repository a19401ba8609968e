/* amx_bf16.c — products of bf16 by tiles of AMX: 16 rows of 16 pairs of A times 16 rows of 16 columns of pairs of B are
 * added to 16 x 16 sums of f32, four of which are in work. Panels are those of avx512_bf16.c, with zeros up to whole
 * tiles. An instruction adds up the products of first elements and those of second ones by themselves, fused, and adds
 * both to the sum; subnormal numbers count as zeros in it. Registers of tiles are in use within a block alone: calls of
 * other code and switches of tasks have nothing to save. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#ifdef HAVE_AMX
#include "avx512.h"

#include "prefetch.h"

enum {
	LINES = 16, /* of a tile, */
	WORDS = 16, /* each of so many sums or pairs */
	LINE_BYTES = 4 * WORDS,
	TALL = 2 * LINES, /* C in work: */
	WIDE = 2 * WORDS,
	TILES = 8,
	LEAST_K = 9, /* else vectors are as fast */
	LEAST_A = 200,
	K_OF_PANELS = 256, /* a panel of B stays in the first cache */
};

/* All tiles are whole. The instructions are written out: as functions of the compiler they are not bound to memory. */
static void open_tiles(void)
{
	struct {
		uint8_t palette, start_row, reserved[14];
		uint16_t line_bytes[16];
		uint8_t lines[16];
	} shape = {.palette = 1};
	for (int i = 0; i < TILES; i++) {
		shape.line_bytes[i] = LINE_BYTES;
		shape.lines[i] = LINES;
	}
	__asm__ volatile("ldtilecfg %0" ::"m"(shape));
}
#define CLOSE_TILES()       __asm__ volatile("tilerelease" ::: "memory")
#define ZERO(t)             __asm__ volatile("tilezero %%tmm" #t ::)
#define LOAD(t, at, pitch)  __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #t ::"r"(at), "r"(pitch) : "memory")
#define STORE(t, at, pitch) __asm__ volatile("tilestored %%tmm" #t ", (%0,%1,1)" ::"r"(at), "r"(pitch) : "memory")
#define MULTIPLY(sum, a, b) __asm__ volatile("tdpbf16ps %%tmm" #b ", %%tmm" #a ", %%tmm" #sum ::)
#define EACH_OF_C(tall, wide, does) \
	do { \
		does(0, 0, 0); \
		if (wide) \
			does(1, 0, 1); \
		if (tall) \
			does(2, 1, 0); \
		if ((tall) && (wide)) \
			does(3, 1, 1); \
	} while (0)

/* What the loop over k fetches: some lines for each step. */
static inline void fetch(const struct prefetch *next, int64_t k)
{
	for (int i = 0; next && i < WORDS; i++)
		__builtin_prefetch(next->at + next->offset[k + i], 0, 2);
}

/* One or two tiles each way: C = A B, or adds it. Pitches are bytes between lines. Sums are tiles 0 to 3, of A 4 and 5,
 * of B 6 and 7. */
static inline __attribute__((always_inline)) void tiles(const bool tall, const bool wide, int64_t k, const char *a,
							int64_t pitch_a, const char *b, char *c, int64_t pitch_c,
							bool adds, const struct prefetch *next)
{
#define ZERO_OF_C(t, i, j)  ZERO(t)
#define LOAD_OF_C(t, i, j)  LOAD(t, c + (i)*LINES * pitch_c + (j)*LINE_BYTES, pitch_c)
#define STORE_OF_C(t, i, j) STORE(t, c + (i)*LINES * pitch_c + (j)*LINE_BYTES, pitch_c)
	const int64_t pitch_b = WIDE * 4;
	if (adds)
		EACH_OF_C(tall, wide, LOAD_OF_C);
	else
		EACH_OF_C(tall, wide, ZERO_OF_C);
	for (int64_t p = 0; p < k; p += WORDS) {
		LOAD(6, b + p * pitch_b, pitch_b);
		LOAD(4, a + p * 4, pitch_a);
		MULTIPLY(0, 4, 6);
		if (wide) {
			LOAD(7, b + p * pitch_b + LINE_BYTES, pitch_b);
			MULTIPLY(1, 4, 7);
		}
		if (tall) {
			LOAD(5, a + LINES * pitch_a + p * 4, pitch_a);
			MULTIPLY(2, 5, 6);
		}
		if (tall && wide)
			MULTIPLY(3, 5, 7);
		fetch(next, p);
	}
	EACH_OF_C(tall, wide, STORE_OF_C);
}

static void any_tiles(bool tall, bool wide, int64_t k, const char *a, int64_t pitch_a, const char *b, char *c,
		      int64_t pitch_c, bool adds, const struct prefetch *next)
{
	if (tall && wide)
		tiles(true, true, k, a, pitch_a, b, c, pitch_c, adds, next);
	else if (tall)
		tiles(true, false, k, a, pitch_a, b, c, pitch_c, adds, next);
	else if (wide)
		tiles(false, true, k, a, pitch_a, b, c, pitch_c, adds, next);
	else
		tiles(false, false, k, a, pitch_a, b, c, pitch_c, adds, next);
}

/* ---- C beside C: where it is not of whole tiles, or alpha is not 1 ---- */

static inline __mmask16 some_of(int64_t columns, int64_t j)
{
	return (__mmask16)(columns - j < WORDS ? (1U << (columns - j)) - 1 : 0xFFFF);
}

static void take(const float *c, int64_t ldc, int64_t rows, int64_t columns, float (*beside)[WIDE])
{
	for (int64_t i = 0; i < rows; i++)
		for (int64_t j = 0; j < columns; j += WORDS)
			_mm512_store_ps(beside[i] + j, _mm512_maskz_loadu_ps(some_of(columns, j), c + i * ldc + j));
}

/* C = beside; times alpha, to which C is added, if it is not 1. */
static void give(float (*beside)[WIDE], int64_t rows, int64_t columns, float alpha, bool adds, float *c, int64_t ldc)
{
	__m512 scale = _mm512_set1_ps(alpha);
	for (int64_t i = 0; i < rows; i++)
		for (int64_t j = 0; j < columns; j += WORDS) {
			__mmask16 some = some_of(columns, j);
			__m512 x = _mm512_load_ps(beside[i] + j);
			if (alpha != 1 && adds)
				x = _mm512_fmadd_ps(scale, x, _mm512_maskz_loadu_ps(some, c + i * ldc + j));
			else if (alpha != 1)
				x = _mm512_mul_ps(scale, x);
			_mm512_mask_storeu_ps(c + i * ldc + j, some, x);
		}
}

static void panels(const struct job *j, const struct block *a, const struct block *b, const char *at_a,
		   const char *at_b, int64_t rows, int64_t columns, float *c, bool adds, const struct prefetch *next)
{
	_Alignas(LINE_BYTES) float beside[TALL][WIDE];
	bool tall = rows > LINES, wide = columns > WORDS;
	float alpha = (float)j->p->alpha;
	int64_t k = b->panels.depth, pitch_a = a->step * 4;
	if (alpha == 1 && rows % LINES == 0 && columns % WORDS == 0) {
		any_tiles(tall, wide, k, at_a, pitch_a, at_b, (char *)c, j->p->ldc * 4, adds, next);
		return;
	}
	if (adds && alpha == 1)
		take(c, j->p->ldc, rows, columns, beside);
	any_tiles(tall, wide, k, at_a, pitch_a, at_b, (char *)beside, sizeof *beside, adds && alpha == 1, next);
	give(beside, rows, columns, alpha, adds, c, j->p->ldc);
}

static void multiply(const struct job *j, const struct block *a, const struct block *b, char *c, bool adds,
		     struct prefetch *next)
{
	open_tiles();
	for (int64_t q = 0; q < b->panels.count; q++) {
		int64_t column = panel_begin(&b->panels, q), columns = panel_begin(&b->panels, q + 1) - column;
		for (int64_t p = 0; p < a->panels.count; p++) {
			int64_t row = panel_begin(&a->panels, p), rows = panel_begin(&a->panels, p + 1) - row;
			if (next)
				prefetch_next(next);
			panels(j, a, b, panel_at(j, a, p), panel_at(j, b, q), rows, columns,
			       (float *)(void *)c + row * j->p->ldc + column, adds, next);
		}
	}
	CLOSE_TILES();
}

const struct product_kernels product_amx_bf16 = {.size = 4,
						 .lanes = WORDS,
						 .rows = TALL,
						 .vectors = 2,
						 .together = 2,
						 .steps = WORDS,
						 .units = LINES,
						 .most = {M_BLOCK, N_WHOLE, N_BLOCK, K_OF_PANELS},
						 .least_k = LEAST_K,
						 .least_a = LEAST_A,
						 .rows_of_a = true,
						 .multiply = multiply,
						 .pack = product_pack_pairs};
#endif
