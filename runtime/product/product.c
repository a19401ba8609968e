/* product.c — see product.h. Blocks in the order of Goto and van de Geijn, "Anatomy of High-Performance Matrix
 * Multiplication", 2008: blocks of N, of K, of M, panels of B, tiles of C. How large blocks are was measured
 * (README.md).
 */
#include "amx.h"
#include "prefetch.h"

#include <string.h>

enum {
	FEW_DOTS = 8,
	FEW_LINES = 2,      /* rows for which B is read once, as it lies, along K or along N; */
	FEW_K = 4096,       /* so much of A at a time */
	N_AHEAD = 384,      /* columns of B that are packed at a time if the next ones are fetched meanwhile, */
	N_AHEAD_FEW = 192,  /* and if all of A is one block, */
	K_AHEAD = 64,       /* which so many rows of B pay for */
	B_BESIDE = 1 << 20, /* bytes of B that are packed at a time where A is packed as panels */
	HALF_M = 512,
	HALF_N = 512, /* of C in f32 that 16 bits are made of */
	ALIGN = 64,
};

/* A tile whose last vector is not full is computed beside C. */
static void edge(const struct job *j, product_tile *tile, const struct block *a, const char *at_a,
		 const struct block *b, const void *at_b, int64_t rows, int64_t columns, char *c, bool adds)
{
	_Alignas(ALIGN) char beside[PRODUCT_ROWS * PRODUCT_VECTORS * 64];
	size_t bytes = (size_t)(columns * j->x->size);
	int64_t width = j->x->lanes * j->x->vectors, pitch = width * j->x->size;
	for (int64_t i = 0; adds && i < rows; i++)
		memcpy(beside + i * pitch, c + i * j->p->ldc * j->x->size, bytes);
	tile(a->panels.k, at_a, a->step, at_b, b->step, beside, width, j->p->alpha, adds);
	for (int64_t i = 0; i < rows; i++)
		memcpy(c + i * j->p->ldc * j->x->size, beside + i * pitch, bytes);
}

static void multiply(const struct job *j, const struct block *a, const struct block *b, char *c, bool adds,
		     struct prefetch *next)
{
	int form = next && a->form == TILE_IN_PLACE && b->is_packed ? TILE_AHEAD : a->form;
	int64_t ldc = j->p->ldc, size = j->x->size, lanes = j->x->lanes;
	for (int64_t q = 0; q < b->panels.count; q++) {
		int64_t column = panel_begin(&b->panels, q), columns = panel_begin(&b->panels, q + 1) - column;
		struct product_ahead ahead = {.b = panel_at(j, b, q)};
		const void *at_b = form == TILE_AHEAD ? &ahead : ahead.b;
		product_tile *const *tile = j->x->tile[form][parts(columns, lanes) - 1];
		for (int64_t p = 0; p < a->panels.count; p++) {
			int64_t row = panel_begin(&a->panels, p), rows = panel_begin(&a->panels, p + 1) - row;
			const char *at_a = panel_at(j, a, p);
			char *to = c + (row * ldc + column) * size;
			if (form == TILE_AHEAD) {
				ahead.at = next->at;
				ahead.offset = next->offset;
				prefetch_next(next);
			}
			if (columns % lanes)
				edge(j, tile[rows - 1], a, at_a, b, at_b, rows, columns, to, adds);
			else
				tile[rows - 1](a->panels.k, at_a, a->step, at_b, b->step, to, ldc, j->p->alpha, adds);
		}
	}
}

/* Columns of B in a block if the next block is fetched while one is multiplied; 0 if it is not. */
static int64_t columns_ahead(const struct job *j)
{
	const struct product *p = j->p;
	int64_t columns = p->m <= j->x->most.m ? N_AHEAD_FEW : N_AHEAD;
	bool pays = p->m > FEW_ROWS && p->k >= K_AHEAD && p->n > columns && !product_reads_in_place(j, p->n, p->k);
	return pays && p->a.column == 1 && (p->b.row == 1 || p->b.column == 1) ? columns : 0;
}

/* The block of B behind (k0, n0), while so many tiles of this one are multiplied; false if it is the last one. */
static bool fetch_next(struct prefetch *f, const struct job *j, const struct blocks *ks, const struct blocks *ns,
		       int64_t k0, int64_t n0, int64_t tiles)
{
	int64_t k1 = k0 + ks->size < ks->extent ? k0 + ks->size : 0, n1 = k1 > 0 ? n0 : n0 + ns->size;
	if (n1 >= ns->extent)
		return false;
	struct lines_of_b b = lines_of_block(j, k1, block_at(ks, k1), n1, block_at(ns, n1));
	prefetch_begin(f, &b, tiles, panels_of(j->x, 1, 1, 1, block_at(ks, k0)).depth);
	return true;
}

static struct blocks blocks_of_m(const struct job *j)
{
	return blocks_of(j->p->m, j->x->most.m, j->x->most.m, j->x->rows);
}

/* ahead: columns_ahead. */
static struct blocks blocks_of_n(const struct job *j, int64_t ahead)
{
	const struct product_sizes *most = &j->x->most;
	int64_t k = blocks_of_k(j->x, j->p->k).size, whole = most->n_whole, some = most->n;
	if (ahead) {
		whole = some = ahead;
	} else if (product_packs_panels(j, k)) {
		int64_t beside = B_BESIDE / (parts(k, j->x->together) * j->x->size);
		whole = least(whole, beside);
		some = least(some, beside);
	}
	return blocks_of(j->p->n, whole, some, j->x->lanes * j->x->vectors);
}

/* Few columns, of small operands that are read where they lie: of many such products what comes before the tiles would
 * take half of the time. */
static bool is_one_panel(const struct job *j)
{
	const struct product *p = j->p;
	return p->n <= j->x->lanes * j->x->vectors && p->m <= j->x->most.m && p->k <= j->x->most.k &&
	       p->a.column == 1 && product_reads_in_place(j, p->n, p->k);
}

static void run_one_panel(const struct job *j, bool adds)
{
	const struct product *p = j->p;
	int rows = j->x->rows, m = (int)p->m, tiles = (m + rows - 1) / rows, each = m / tiles, more = m % tiles;
	product_tile *const *tile = j->x->tile[TILE_IN_PLACE][((int)p->n - 1) / j->x->lanes];
	const char *a = p->a.at;
	char *c = p->c;
	for (int i = 0; i < tiles; i++) {
		int n = each + (i < more);
		tile[n - 1](p->k, a, p->a.row, p->b.at, p->b.row, c, p->ldc, p->alpha, adds);
		a += n * p->a.row * j->size;
		c += n * p->ldc * j->x->size;
	}
}

static void run(const struct job *j, bool adds)
{
	const struct product *p = j->p;
	if (is_one_panel(j)) {
		run_one_panel(j, adds);
		return;
	}
	int64_t panel = j->x->lanes * j->x->vectors, ahead = columns_ahead(j);
	struct blocks ns = blocks_of_n(j, ahead);
	struct blocks ks = blocks_of_k(j->x, p->k);
	struct blocks ms = blocks_of_m(j);
	struct prefetch next;
	for (int64_t n0 = 0; n0 < p->n; n0 += ns.size)
		for (int64_t k0 = 0; k0 < p->k; k0 += ks.size) {
			int64_t k = block_at(&ks, k0), n = block_at(&ns, n0);
			struct block b = product_block_b(j, k0, k, n0, n);
			for (int64_t m0 = 0; m0 < p->m; m0 += ms.size) {
				int64_t m = block_at(&ms, m0), tiles_left = parts(n, panel) * parts(m, j->x->rows);
				struct block a = product_block_a(j, m0, m, k0, k);
				char *c = (char *)p->c + (m0 * p->ldc + n0) * j->x->size;
				bool fetches =
					ahead && m0 + m == p->m && fetch_next(&next, j, &ks, &ns, k0, n0, tiles_left);
				multiply(j, &a, &b, c, adds || k0 > 0, fetches ? &next : NULL);
			}
		}
}

/* ---- few rows ---- */

static bool is_few(const struct product *p)
{
	return (p->m <= FEW_DOTS && p->b.row == 1) || (p->m <= FEW_LINES && p->b.column == 1);
}

/* Rows of A are contiguous, or made so. C is already scaled. */
static void run_few(const struct job *j, bool adds)
{
	const struct product *p = j->p;
	for (int64_t k0 = 0; k0 < p->k; k0 += FEW_K) {
		int64_t k = least(FEW_K, p->k - k0), step = p->a.row;
		const char *a = element(j, &p->a, 0, k0), *b = element(j, &p->b, k0, 0);
		if (p->a.column != 1 || j->converts) {
			struct product_panels rows = panels_of(j->x, k, k, k, p->m);
			j->from->any(&rows, a, p->a.row, p->a.column, j->room_a);
			a = j->room_a;
			step = k;
		}
		if (p->b.column == 1)
			j->few->lines(p->m, p->n, k, a, step, b, p->b.row, p->c, p->ldc, p->alpha);
		else
			j->few->dots(p->m, p->n, k, a, step, b, p->b.column, p->c, p->ldc, p->alpha, adds || k0 > 0);
	}
}

/* ---- what is left of C before, and degenerate products ---- */

#define SCALE(name, T) \
	static void scale_##name(const struct product *p, T beta) \
	{ \
		for (int64_t i = 0; i < p->m; i++) { \
			T *c = (T *)p->c + i * p->ldc; \
			for (int64_t j = 0; j < p->n; j++) \
				c[j] = beta == 0 ? 0 : beta * c[j]; \
		} \
	}
SCALE(f32, float)
SCALE(f64, double)

void product_scale(const struct product_kernels *x, const struct product *p)
{
	if (p->beta == 1)
		return;
	if (x->size == sizeof(float))
		scale_f32(p, (float)p->beta);
	else
		scale_f64(p, p->beta);
}

static void run_scaled(struct job *j)
{
	const struct product *p = j->p;
	bool nothing = p->k <= 0 || p->alpha == 0, few = !nothing && j->is_few;
	if (nothing || (p->beta != 0 && p->beta != 1) || (few && p->b.column == 1))
		product_scale(j->x, p);
	if (few)
		run_few(j, p->beta != 0);
	else if (!nothing && j->amx)
		product_amx_run(j, p->beta != 0, false);
	else if (!nothing)
		run(j, p->beta != 0);
}

/* ---- factors of 16 bits ---- */

static bool rounds(enum product_type type)
{
	return type == PRODUCT_F32_AS_BF16 || type == PRODUCT_F32_AS_F16;
}

/* Pairs are for tiles: few rows are bound by memory. */
static bool pairs_pay(const struct job *j)
{
	return j->pairs && !j->is_few;
}

static const struct product_amx *amx_of(const struct job *j, enum product_type type)
{
	const struct product_amx *amx = product_amx_of(j->level, type);
	return amx && !j->is_few && product_amx_pays(amx, j->p) ? amx : NULL;
}

static void choose_kernels(struct job *j, enum product_type type)
{
	bool half = type == PRODUCT_BF16 || type == PRODUCT_F16;
	j->is_few = j->few && is_few(j->p);
	j->x = pairs_pay(j) ? j->pairs : j->plain;
	j->amx = amx_of(j, type);
	j->from = j->amx ? j->amx->pack : &j->x->pack[type];
	j->type = type;
	j->converts = rounds(type) || (half && !j->amx && j->x == j->plain) || j->from->converts_a ||
		      (j->amx && j->amx->parts > 1);
}

/* ---- elements of 16 bits: blocks of C as f32, one after the other, or strips of it ---- */

/* K in one block: a few rows of C at a time stay in the cache as f32 until they are rounded. */
static bool has_strips(const struct job *j)
{
	const struct product *p = j->p;
	int64_t at_once = j->amx ? product_amx_k(j->amx) : blocks_of_k(j->x, p->k).size;
	return p->k > 0 && p->k <= at_once && p->alpha != 0 && (p->beta == 0 || p->beta == 1) && !j->is_few;
}

/* Rows of C that are finished; one line where both sides are. */
static void narrow_rows(const struct job *j, enum product_type type, int64_t m, int64_t n, const float *c,
			int64_t pitch, uint16_t *to, int64_t ldc)
{
	bool is_line = pitch == n && ldc == n;
	for (int64_t i = 0; i < (is_line ? 1 : m); i++)
		j->plain->narrow[type](is_line ? m * n : n, c + i * pitch, to + i * ldc);
}

static void run_strips(struct job *j, enum product_type type, float *c)
{
	const struct product *p = j->p;
	struct blocks ns = blocks_of_n(j, 0);
	struct blocks ms = blocks_of_m(j);
	for (int64_t n0 = 0; n0 < p->n; n0 += ns.size) {
		int64_t n = block_at(&ns, n0);
		struct product strip = *p;
		strip.ldc = n;
		j->p = &strip;
		struct block b = product_block_b(j, 0, p->k, n0, n);
		for (int64_t m0 = 0; m0 < p->m; m0 += ms.size) {
			int64_t m = block_at(&ms, m0);
			uint16_t *to = (uint16_t *)p->c + m0 * p->ldc + n0;
			struct product_panels rows = {.extent = m, .width = n, .k = n};
			if (p->beta != 0)
				j->plain->pack[type].rows(&rows, to, 1, p->ldc, (char *)c);
			struct block a = product_block_a(j, m0, m, 0, p->k);
			multiply(j, &a, &b, (char *)c, p->beta != 0, NULL);
			narrow_rows(j, type, m, n, c, n, to, p->ldc);
		}
	}
}

static void run_half_block(struct job *j, enum product_type type, const struct product *p, float *c)
{
	uint16_t *to = p->c;
	struct product inner = *p;
	struct product_panels rows = {.extent = p->m, .width = HALF_N, .k = p->n};
	inner.c = c;
	inner.ldc = HALF_N;
	j->p = &inner;
	if (p->beta != 0)
		j->plain->pack[type].rows(&rows, to, 1, p->ldc, (char *)c);
	run_scaled(j);
	narrow_rows(j, type, p->m, p->n, c, HALF_N, to, p->ldc);
}

static void run_half(struct job *j, enum product_type type, float *c)
{
	const struct product *p = j->p;
	if (has_strips(j)) {
		if (j->amx)
			product_amx_run(j, p->beta != 0, true);
		else
			run_strips(j, type, c);
		return;
	}
	for (int64_t n0 = 0; n0 < p->n; n0 += HALF_N)
		for (int64_t m0 = 0; m0 < p->m; m0 += HALF_M) {
			struct product block = *p;
			block.m = least(HALF_M, p->m - m0);
			block.n = least(HALF_N, p->n - n0);
			block.a.at = (const uint16_t *)p->a.at + m0 * p->a.row;
			block.b.at = (const uint16_t *)p->b.at + n0 * p->b.column;
			block.c = (uint16_t *)p->c + m0 * p->ldc + n0;
			run_half_block(j, type, &block, c);
		}
}

/* ---- */

enum {
	ROOM_C = HALF_M * HALF_N * 4,
	ROOM_OPERANDS = (int)ROOM_A + (int)ROOM_B > (int)AMX_ROOM ? (int)ROOM_A + (int)ROOM_B : (int)AMX_ROOM
};

int64_t product_room(void)
{
	return ROOM_C + ROOM_OPERANDS;
}

/* Rows of C are shared if there are more of them than columns; what is chosen by their numbers has been. */
static struct product part_of(const struct job *j, bool half, struct product_part part)
{
	struct product p = *j->p;
	if (part.n == 1)
		return p;
	int64_t size = half ? j->size : j->x->size; /* of an element of C */
	int64_t rows = j->amx ? AMX_TALL : j->x->rows, columns = j->amx ? AMX_WIDE : j->x->lanes * j->x->vectors;
	if (p.m > p.n && !j->is_few) {
		struct share s = share_of(p.m, rows, part);
		p.a.at = (const char *)p.a.at + s.begin * p.a.row * j->size;
		p.c = (char *)p.c + s.begin * p.ldc * size;
		p.m = s.extent;
	} else {
		struct share s = share_of(p.n, columns, part);
		p.b.at = (const char *)p.b.at + s.begin * p.b.column * j->size;
		p.c = (char *)p.c + s.begin * size;
		p.n = s.extent;
	}
	return p;
}

/* One column is one row where all is transposed. */
static struct product turned(const struct product *p, enum product_type *type)
{
	struct product t = *p;
	if (p->n == 1 && p->m > 1 && p->ldc == 1) {
		t.m = 1;
		t.n = p->m;
		t.ldc = p->m;
		t.a = (struct product_operand){p->b.at, p->b.column, p->b.row};
		t.b = (struct product_operand){p->a.at, p->a.column, p->a.row};
		if (*type == PRODUCT_I8_U8 || *type == PRODUCT_U8_I8)
			*type = *type == PRODUCT_I8_U8 ? PRODUCT_U8_I8 : PRODUCT_I8_U8;
	}
	return t;
}

void product_run(enum product_level level, enum product_type type, const struct product *p, struct product_part part,
		 void *room)
{
	struct product way = turned(p, &type);
	const struct product_kernels *plain = product_plain(level, type);
	bool half = type == PRODUCT_BF16 || type == PRODUCT_F16;
	struct job j = {.x = plain,
			.plain = plain,
			.pairs = product_pairs(level, type),
			.p = &way,
			.size = half                     ? 2
				: type >= PRODUCT_FLOATS ? 1
							 : plain->size,
			.few = product_few(level, type),
			.level = level};
	choose_kernels(&j, type);
	j.room_a = (char *)room + ROOM_C;
	j.room_b = j.room_a + (j.amx ? (int)AMX_ROOM_A : (int)ROOM_A);
	struct product own = part_of(&j, half, part);
	j.p = &own;
	if (own.m <= 0 || own.n <= 0)
		return;
	if (half)
		run_half(&j, type, room);
	else
		run_scaled(&j);
}
