/* amx.c — see amx.h. Blocks of A and panels of B are as other levels have them, with zeros up to whole tiles; all of K,
 * or so many words of it, is summed up in registers: 32 x 32 elements of C in four tiles. An instruction adds up the
 * products of the first elements of words, those of the second ones and so on by themselves, fused, and adds these to
 * the sum; subnormal floats count as zeros in it. While sums are made those of before are put into C. Registers of
 * tiles are in use within a block alone: calls of other code and switches of tasks have nothing to save. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#ifdef HAVE_AMX
#include "avx512.h"

#include "amx_sums.h"

#include <string.h>

enum {
	COLUMNS = 32 * WIDE,       /* of B that are packed at a time; */
	COLUMNS_PARTS = 10 * WIDE, /* where each has parts, */
	COLUMNS_FEW = 6 * WIDE,    /* and where it is used for few rows, they stay in the second cache */
	FEW = 2 * TALL,
	A_BESIDE = 768 * 1024, /* bytes of A that stay in the second cache */
	SHALLOW = 128,         /* words of K, for which C passes more often than A: */
	LOW = 3 * TALL,        /* rows of C that are made at a time then */
};

/* A corner of C: its sums are made where it lies, if they are of its type and whole tiles, and need not be looked at,
 * else beside it. */
static void make_corner(const struct job *j, struct sums *s, struct beside *beside)
{
	const struct corner *c = s->to;
	bool scaled = j->p->alpha != 1, of_parts = j->amx->parts > 1;
	struct corner made = {0};
	s->begun = beside->adds && !scaled && !of_parts;
	if (!scaled && !of_parts && !beside->narrows && c->rows % LINES == 0 && c->columns % LINES == 0) {
		s->c = c->at;
		s->pitch_c = c->pitch;
	} else {
		float(*sums)[WIDE] = beside->sums[beside->which];
		made = *c;
		s->c = (char *)sums;
		s->pitch_c = sizeof *sums;
		if (s->begun)
			take(beside, c, sums);
	}
	any_tiles(j->amx, s, beside);
	beside->last = made;
	beside->is_plain = (of_parts || (beside->narrows && !(scaled && beside->adds))) && c->columns == WIDE;
	beside->which ^= 1;
}

/* ---- blocks ---- */

/* Panels of rows of A or columns of B, k elements each. */
static struct product_panels panels_here(const struct product_amx *x, int64_t extent, int64_t width, int64_t k)
{
	struct product_panels p = panels_made(x->together, extent, LINES, width, k);
	p.depth = parts(p.k, LINES) * LINES;
	return p;
}

/* Zeros in a line, `pitch` words each, from one word to another. */
static void fill_up(int64_t lines, int64_t pitch, int64_t from, int64_t to, char *room)
{
	for (int64_t i = 0; i < lines && from < to; i++)
		memset(room + (i * pitch + from) * 4, 0, (size_t)(to - from) * 4);
}

/* Rows of A, `pitch` bytes apart, and whole tiles of them: where they lie if they are. */
struct rows {
	struct product_panels panels;
	const char *at;
	int64_t pitch;
};

static struct rows rows_of_a(const struct job *j, int64_t m0, int64_t m, int64_t k0, int64_t k)
{
	const struct product_operand *a = &j->p->a;
	const char *at = element(j, a, m0, k0);
	struct rows r = {panels_here(j->amx, m, TALL, k), at, a->row * j->size};
	if (a->column == 1 && !j->converts && k % (j->amx->together * LINES) == 0 && m % LINES == 0)
		return r;
	product_pack *f = a->column == 1 ? j->from->rows : a->row == 1 ? j->from->turned : j->from->any_rows;
	r.panels.width = r.panels.depth + AMX_APART;
	f(&r.panels, at, a->column, a->row, j->room_a);
	fill_up(m * j->amx->parts, r.panels.width, r.panels.k, r.panels.depth, j->room_a);
	r.at = j->room_a;
	r.pitch = r.panels.width * 4;
	return r;
}

/* Panels of B that lie in the room, from some column on. */
struct columns {
	struct product_panels panels;
	char *at;
};

static struct columns columns_of_b(const struct job *j, int64_t k, int64_t begin, int64_t n)
{
	struct columns c = {panels_here(j->amx, n, WIDE, k), j->room_b};
	c.at += begin * c.panels.depth * 4 * j->amx->parts;
	return c;
}

static void pack_b(const struct job *j, const struct columns *c, int64_t k0, int64_t n0)
{
	const struct product_operand *b = &j->p->b;
	const struct product_panels *p = &c->panels;
	pack(j, p, element(j, b, k0, n0), b->row, b->column, c->at);
	fill_up(p->count * j->amx->parts, p->depth * WIDE, p->k * WIDE, p->depth * WIDE, c->at);
}

static void multiply(const struct job *j, const struct rows *a, const struct columns *b, const struct corner *c,
		     struct beside *beside)
{
	int64_t size = beside->narrows ? 2 : 4, part = b->panels.depth * WIDE * 4, panel = part * j->amx->parts;
	struct corner corner = {.pitch = c->pitch};
	struct sums s = {.steps = b->panels.depth / LINES,
			 .pitch_a = a->pitch,
			 .part_a = a->panels.extent * a->pitch,
			 .part_b = part,
			 .to = &corner};
	open_tiles();
	for (int64_t q = 0; q < b->panels.count; q++) {
		int64_t column = panel_begin(&b->panels, q);
		corner.columns = panel_begin(&b->panels, q + 1) - column;
		s.b = b->at + q * panel;
		for (int64_t p = 0; p < a->panels.count; p++) {
			int64_t row = panel_begin(&a->panels, p);
			corner.rows = panel_begin(&a->panels, p + 1) - row;
			corner.at = c->at + row * c->pitch + column * size;
			corner.row = c->row + row;
			corner.column = c->column + column;
			s.a = a->at + row * a->pitch;
			s.fetch = s.b + panel + p * (panel / a->panels.count);
			make_corner(j, &s, beside);
		}
	}
	CLOSE_TILES();
	put(beside, 0, TALL);
	put_end(beside);
	beside->last.rows = 0;
}

/* Where the product is: blocks of columns, of K and of rows; groups of columns that are packed at a time. */
struct place {
	struct blocks ns, ks, ms, groups;
	int64_t n0, k0, m0, g0;
};

/* Rows of A and of C, all columns of a block. */
static void multiply_rows(const struct job *j, struct place *at, struct beside *beside)
{
	const struct product *p = j->p;
	int64_t k = block_at(&at->ks, at->k0), m = block_at(&at->ms, at->m0), size = beside->narrows ? 2 : 4;
	struct rows a = rows_of_a(j, at->m0, m, at->k0, k);
	for (at->g0 = 0; at->g0 < at->groups.extent; at->g0 += at->groups.size) {
		int64_t n = block_at(&at->groups, at->g0);
		/* What no other rows will read makes room for the next group, which stays in the second cache. */
		struct columns b = columns_of_b(j, k, m == p->m ? 0 : at->g0, n);
		if (at->m0 == 0)
			pack_b(j, &b, at->k0, at->n0 + at->g0);
		int64_t column = at->n0 + at->g0;
		struct corner c = {
			(char *)p->c + (at->m0 * p->ldc + column) * size, p->ldc * size, m, n, at->m0, column};
		multiply(j, &a, &b, &c, beside);
	}
}

void product_amx_run(const struct job *j, bool adds, bool narrows)
{
	const struct product *p = j->p;
	_Alignas(LINE_BYTES) float sums[2][TALL][WIDE];
	struct beside beside = {.j = j, .narrows = narrows, .sums = sums};
	struct place at = {
		.ks = blocks_of(p->k, product_amx_k(j->amx), product_amx_k(j->amx), LINES * j->amx->together)};
	int64_t depth = panels_here(j->amx, 1, 1, at.ks.size).depth, bytes = depth * 4 * j->amx->parts,
		height = depth <= SHALLOW ? LOW : least(AMX_HEIGHT, A_BESIDE / bytes / TALL * TALL);
	int64_t group = p->m <= FEW         ? COLUMNS_FEW
			: j->amx->parts > 1 ? COLUMNS_PARTS
					    : COLUMNS,
		columns = AMX_ROOM_B / bytes / group * group;
	at.ns = blocks_of(p->n, columns, columns, group);
	at.ms = blocks_of(p->m, height, height, TALL);
	for (at.n0 = 0; at.n0 < p->n; at.n0 += at.ns.size)
		for (at.k0 = 0; at.k0 < p->k; at.k0 += at.ks.size) {
			beside.adds = adds || at.k0 > 0;
			beside.k0 = at.k0;
			beside.k = block_at(&at.ks, at.k0);
			at.groups = blocks_of(block_at(&at.ns, at.n0), group, group, WIDE);
			for (at.m0 = 0; at.m0 < p->m; at.m0 += at.ms.size)
				multiply_rows(j, &at, &beside);
		}
}

/* ---- types ---- */

const struct product_amx *product_amx_of(enum product_level level, enum product_type type)
{
	static const struct product_amx of[PRODUCT_TYPES] = {
		[PRODUCT_F32] = {BF16, 2, BF16_PARTS, true, AMX_DEEPEST / 4, 48, 64, 48, 48,
				 &product_pack_pairs[PRODUCT_F32]},
		[PRODUCT_F16] = {BF16, 2, BF16_PARTS_F16, false, AMX_DEEPEST / 2, 48, 64, 48, 48,
				 &product_pack_pairs[PRODUCT_F16]},
		[PRODUCT_F32_AS_F16] = {BF16, 2, BF16_PARTS_F16, false, AMX_DEEPEST / 2, 48, 64, 48, 48,
					&product_pack_pairs[PRODUCT_F32_AS_F16]},
		[PRODUCT_BF16] = {BF16, 2, 1, false, AMX_DEPTH, 1, 1, 9, 0, &product_pack_pairs[PRODUCT_BF16]},
		[PRODUCT_F32_AS_BF16] = {BF16, 2, 1, false, AMX_DEPTH, 1, 1, 9, 0,
					 &product_pack_pairs[PRODUCT_F32_AS_BF16]},
		[PRODUCT_I8] = {I8, 4, 1, false, AMX_DEPTH, 9, 16, 48, 0, &product_pack_words},
		[PRODUCT_U8] = {U8, 4, 1, false, AMX_DEPTH, 9, 16, 48, 0, &product_pack_words},
		[PRODUCT_I8_U8] = {I8_U8, 4, 1, false, AMX_DEPTH, 9, 16, 48, 0, &product_pack_words},
		[PRODUCT_U8_I8] = {U8_I8, 4, 1, false, AMX_DEPTH, 9, 16, 48, 0, &product_pack_words},
	};
	return level == PRODUCT_AMX && of[type].pack ? &of[type] : NULL;
}

#else
#include "amx.h"

const struct product_amx *product_amx_of(enum product_level level, enum product_type type)
{
	(void)level, (void)type;
	return NULL;
}

void product_amx_run(const struct job *j, bool adds, bool narrows)
{
	(void)j, (void)adds, (void)narrows;
}
#endif
