/* amx.c — see amx.h. Blocks of A and panels of B are as other levels have them, with zeros up to whole tiles; all of K,
 * or AMX_DEPTH words of it, is summed up in registers: 32 x 32 elements of C in four tiles. An instruction adds up the
 * products of the first elements of words, those of the second ones and so on by themselves, fused, and adds these to
 * the sum; subnormal floats count as zeros in it. While sums are made those of before are put into C. Registers of
 * tiles are in use within a block alone: calls of other code and switches of tasks have nothing to save. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#ifdef HAVE_AMX
#include "avx512.h"

#include "amx.h"
#include "as_bf16.h"
#include "job.h"

#include <string.h>

enum {
	LINES = AMX_LINES,
	TALL = AMX_TALL,
	WIDE = AMX_WIDE,
	LINE_BYTES = 64,
	TILES = 8,
	COLUMNS = 32 * WIDE,    /* of B that are packed at a time; */
	COLUMNS_FEW = 6 * WIDE, /* where it is used for few rows, they stay in the second cache */
	FEW = 2 * TALL,
	A_BESIDE = 768 * 1024, /* bytes of A that stay in the second cache */
	SHALLOW = 128,         /* words of K, for which C passes more often than A: */
	LOW = 3 * TALL,        /* rows of C that are made at a time then */
};

/* Kinds of factors, of product_amx.kind, and the instruction of each. */
#define EACH_KIND(X, ...) \
	X(BF16, "tdpbf16ps", __VA_ARGS__) \
	X(I8, "tdpbssd", __VA_ARGS__) \
	X(U8, "tdpbuud", __VA_ARGS__) \
	X(I8_U8, "tdpbsud", __VA_ARGS__) \
	X(U8_I8, "tdpbusd", __VA_ARGS__)
#define KIND(name, ...) name,
enum kind { EACH_KIND(KIND, ) };

/* ---- registers ---- */

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
#define MULTIPLY_KIND(name, instruction, sum, a, b) \
	case name: \
		__asm__ volatile(instruction " %%tmm" #b ", %%tmm" #a ", %%tmm" #sum ::); \
		break;
#define MULTIPLY(kind, sum, a, b) \
	do { \
		switch (kind) { \
			EACH_KIND(MULTIPLY_KIND, sum, a, b) \
		} \
	} while (0)

/* ---- what is done beside the sums ---- */

/* Elements of C, rows `pitch` bytes apart, at most TALL times WIDE. */
struct corner {
	char *at;
	int64_t pitch, rows, columns;
};

struct beside {
	const struct job *j;
	bool adds, narrows;
	struct corner last; /* whose sums lie in sums[which ^ 1], if it has rows */
	bool is_plain;      /* they are rounded, and no more, in whole lines */
	int which;
	float (*sums)[TALL][WIDE]; /* two, in turn */
};

static inline __mmask16 some_of(int64_t columns, int64_t j)
{
	return (__mmask16)(columns - j < LINES ? (1U << (columns - j)) - 1 : 0xFFFF);
}

static inline __m512 load_c(const struct beside *s, const char *at, __mmask16 some)
{
	if (!s->narrows)
		return _mm512_maskz_loadu_ps(some, at);
	return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(some, at)), 16));
}

/* Sums of some rows of the last corner become C. */
static void put_any(const struct beside *s, int64_t row, int64_t end)
{
	const float(*sums)[WIDE] = (const float(*)[WIDE])s->sums[s->which ^ 1];
	int64_t size = s->narrows ? 2 : 4;
	float alpha = (float)s->j->p->alpha;
	__m512 scale = _mm512_set1_ps(alpha);
	for (int64_t i = row; i < end; i++)
		for (int64_t j = 0; j < s->last.columns; j += LINES) {
			__mmask16 some = some_of(s->last.columns, j);
			char *to = s->last.at + i * s->last.pitch + j * size;
			__m512 x = _mm512_load_ps(sums[i] + j);
			if (alpha != 1)
				x = s->adds ? _mm512_fmadd_ps(scale, x, load_c(s, to, some)) : _mm512_mul_ps(scale, x);
			if (s->narrows)
				_mm256_mask_storeu_epi16(to, some, sixteen_as_bf16(x));
			else
				_mm512_mask_storeu_ps(to, some, x);
		}
}

static inline void put(const struct beside *s, int64_t row, int64_t end)
{
	const float(*sums)[WIDE] = (const float(*)[WIDE])s->sums[s->which ^ 1];
	end = least(end, s->last.rows);
	if (row < end && s->is_plain)
		for (int64_t i = row; i < end; i++)
			_mm512_storeu_si512(s->last.at + i * s->last.pitch,
					    many_as_bf16(_mm512_load_ps(sums[i]), _mm512_load_ps(sums[i] + LINES)));
	else if (row < end)
		put_any(s, row, end);
}

/* C as what sums begin with. */
static void take(const struct beside *s, const struct corner *c, float (*sums)[WIDE])
{
	int64_t size = s->narrows ? 2 : 4;
	for (int64_t i = 0; i < c->rows; i++)
		for (int64_t j = 0; j < c->columns; j += LINES)
			_mm512_store_ps(sums[i] + j,
					load_c(s, c->at + i * c->pitch + j * size, some_of(c->columns, j)));
}

/* ---- sums ---- */

/* `steps` tiles along k: of A, whose rows are pitch_a bytes apart, and of a panel of B. Sums begin with what is at c,
 * or with zeros, and go there; `to` is C. */
struct sums {
	int64_t steps, pitch_a, pitch_c;
	const char *a, *b;
	char *c;
	bool begun;
	const struct corner *to;
};

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

/* One or two tiles each way. Sums are tiles 0 to 3, of A 4 and 5, of B 6 and 7. */
static inline __attribute__((always_inline)) void tiles(const enum kind kind, const bool tall, const bool wide,
							const struct sums *s, const struct beside *beside)
{
#define ZERO_OF_C(t, i, j)  ZERO(t)
#define LOAD_OF_C(t, i, j)  LOAD(t, s->c + (i)*LINES * s->pitch_c + (j)*LINE_BYTES, s->pitch_c)
#define STORE_OF_C(t, i, j) STORE(t, s->c + (i)*LINES * s->pitch_c + (j)*LINE_BYTES, s->pitch_c)
	const int64_t steps = s->steps, pitch_a = s->pitch_a, pitch_b = WIDE * 4, rows = parts(TALL, steps);
	const char *a = s->a, *b = s->b;
	const bool puts = beside->last.rows > 0;
	if (s->begun)
		EACH_OF_C(tall, wide, LOAD_OF_C);
	else
		EACH_OF_C(tall, wide, ZERO_OF_C);
	for (int64_t p = 0; p < steps; p++, a += LINE_BYTES, b += LINES * pitch_b) {
		LOAD(6, b, pitch_b);
		LOAD(4, a, pitch_a);
		MULTIPLY(kind, 0, 4, 6);
		if (wide) {
			LOAD(7, b + LINE_BYTES, pitch_b);
			MULTIPLY(kind, 1, 4, 7);
		}
		if (tall) {
			LOAD(5, a + LINES * pitch_a, pitch_a);
			MULTIPLY(kind, 2, 5, 6);
		}
		if (tall && wide)
			MULTIPLY(kind, 3, 5, 7);
		if (puts)
			put(beside, p * rows, (p + 1) * rows);
	}
	EACH_OF_C(tall, wide, STORE_OF_C);
}

static inline __attribute__((always_inline)) void tiles_of(const enum kind kind, const struct sums *s,
							   const struct beside *beside)
{
	bool tall = s->to->rows > LINES, wide = s->to->columns > LINES;
	if (tall && wide)
		tiles(kind, true, true, s, beside);
	else if (tall)
		tiles(kind, true, false, s, beside);
	else if (wide)
		tiles(kind, false, true, s, beside);
	else
		tiles(kind, false, false, s, beside);
}

static void any_tiles(enum kind kind, const struct sums *s, const struct beside *beside)
{
#define TILES_OF_KIND(name, ...) \
	case name: \
		tiles_of(name, s, beside); \
		break;
	switch (kind) {
		EACH_KIND(TILES_OF_KIND, )
	}
}

/* A corner of C: its sums are made where it lies, if they are of its type and whole tiles, else beside it. */
static void make_corner(const struct job *j, struct sums *s, struct beside *beside)
{
	const struct corner *c = s->to;
	bool scaled = j->p->alpha != 1;
	struct corner made = {0};
	s->begun = beside->adds && !scaled;
	if (!scaled && !beside->narrows && c->rows % LINES == 0 && c->columns % LINES == 0) {
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
	any_tiles((enum kind)j->amx->kind, s, beside);
	beside->last = made;
	beside->is_plain = beside->narrows && !scaled && c->columns == WIDE;
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
	fill_up(m, r.panels.width, r.panels.k, r.panels.depth, j->room_a);
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
	c.at += begin * c.panels.depth * 4;
	return c;
}

static void pack_b(const struct job *j, const struct columns *c, int64_t k0, int64_t n0)
{
	const struct product_operand *b = &j->p->b;
	const struct product_panels *p = &c->panels;
	pack(j, p, element(j, b, k0, n0), b->row, b->column, c->at);
	fill_up(p->count, p->depth * WIDE, p->k * WIDE, p->depth * WIDE, c->at);
}

static void multiply(const struct job *j, const struct rows *a, const struct columns *b, const struct corner *c,
		     struct beside *beside)
{
	int64_t size = beside->narrows ? 2 : 4, panel = b->panels.depth * WIDE * 4;
	struct corner corner = {.pitch = c->pitch};
	struct sums s = {.steps = b->panels.depth / LINES, .pitch_a = a->pitch, .to = &corner};
	open_tiles();
	for (int64_t q = 0; q < b->panels.count; q++) {
		int64_t column = panel_begin(&b->panels, q);
		corner.columns = panel_begin(&b->panels, q + 1) - column;
		s.b = b->at + q * panel;
		for (int64_t p = 0; p < a->panels.count; p++) {
			int64_t row = panel_begin(&a->panels, p);
			corner.rows = panel_begin(&a->panels, p + 1) - row;
			corner.at = c->at + row * c->pitch + column * size;
			s.a = a->at + row * a->pitch;
			make_corner(j, &s, beside);
		}
	}
	CLOSE_TILES();
	put(beside, 0, TALL);
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
		struct corner c = {(char *)p->c + (at->m0 * p->ldc + at->n0 + at->g0) * size, p->ldc * size, m, n};
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
	int64_t bytes = panels_here(j->amx, 1, 1, at.ks.size).depth * 4,
		height = bytes <= SHALLOW * 4 ? LOW : least(AMX_HEIGHT, A_BESIDE / bytes);
	int64_t group = p->m <= FEW ? COLUMNS_FEW : COLUMNS, columns = AMX_ROOM_B / bytes / group * group;
	at.ns = blocks_of(p->n, columns, columns, group);
	at.ms = blocks_of(p->m, height, height, TALL);
	for (at.n0 = 0; at.n0 < p->n; at.n0 += at.ns.size)
		for (at.k0 = 0; at.k0 < p->k; at.k0 += at.ks.size) {
			beside.adds = adds || at.k0 > 0;
			at.groups = blocks_of(block_at(&at.ns, at.n0), group, group, WIDE);
			for (at.m0 = 0; at.m0 < p->m; at.m0 += at.ms.size)
				multiply_rows(j, &at, &beside);
		}
}

/* ---- types ---- */

const struct product_amx *product_amx_of(enum product_level level, enum product_type type)
{
	static const struct product_amx of[PRODUCT_TYPES] = {
		[PRODUCT_BF16] = {BF16, 2, 1, 1, 9, &product_pack_pairs[PRODUCT_BF16]},
		[PRODUCT_F32_AS_BF16] = {BF16, 2, 1, 1, 9, &product_pack_pairs[PRODUCT_F32_AS_BF16]},
		[PRODUCT_I8] = {I8, 4, 9, 16, 48, &product_pack_words},
		[PRODUCT_U8] = {U8, 4, 9, 16, 48, &product_pack_words},
		[PRODUCT_I8_U8] = {I8_U8, 4, 9, 16, 48, &product_pack_words},
		[PRODUCT_U8_I8] = {U8_I8, 4, 9, 16, 48, &product_pack_words},
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
