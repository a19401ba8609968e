/* windows.c — products with an operand that is windows of a tensor: convolutions, without a matrix of the windows. They
 * go point by point (points.c), or, if that wastes less, line by line: a vector of a tile is LANES neighbours in memory
 * for every k, at an address that k moves. Vectors lie in lines one by one, or regardless of where lines end, whichever
 * are fewer; where they hold more than the lines do, C is made beside and its lines are put together afterwards. */
#include "../lines.h"
#include "job.h"

#include <string.h>

enum { LINES_M = 3 };
/* Tiles for which vectors are packed first: lines for neighbouring k are often a multiple of a page apart, so that the
 * first cache does not keep them from one tile to the next, and most vectors lie across two of its lines. With four
 * tiles packing still costs more than that. */
enum { PACKED_TILES = 8 };
/* In multiplications: an element of C that is transposed or put in its place, or of A that is packed. */
enum { TRANSPOSE_COST = 8, SPREAD_COST = 4, PACK_COST = 8 };

/* All vectors of a row of C. */
struct vectors {
	int64_t count, per_line; /* per_line 0: vectors go on over the ends of lines */
	int64_t pitch;           /* elements between lines of C as it is made */
};

static struct vectors vectors_of(const struct product_windows *w, int64_t lanes)
{
	int64_t per_line = parts(w->extent, lanes);
	struct vectors v = {w->lines * per_line, per_line, per_line * lanes};
	int64_t through = parts((w->lines - 1) * w->pitch + w->extent, lanes);
	if (w->pitch >= w->extent && through < v.count)
		return (struct vectors){through, 0, w->pitch};
	return v;
}

static const char *vector_at(const struct job *j, const struct product_windows *w, const struct vectors *v, int64_t i)
{
	int64_t lanes = j->x->lanes;
	int64_t at = v->per_line ? i / v->per_line * w->pitch + i % v->per_line * lanes : i * lanes;
	return (const char *)w->at + at * j->size;
}

static void run_block(const struct job *j, const struct product_windows *w, const struct vectors *v,
		      const struct product_panels *a, int64_t k0, char *c, int64_t ldc, bool adds)
{
	const struct product_kernels *x = j->x;
	struct product_panels groups = panels_of(x, v->count, 1, x->vectors, a->k);
	bool packs = a->count >= PACKED_TILES;
	for (int64_t q = 0; q < groups.count; q++) {
		int64_t first = panel_begin(&groups, q), n = panel_begin(&groups, q + 1) - first;
		struct product_lines_at at = {.offset = w->offset + k0};
		for (int64_t i = 0; i < n; i++)
			at.at[i] = vector_at(j, w, v, first + i);
		if (packs)
			x->pack_lines(n, a->k, &at, j->room_lines);
		product_tile *const *tile = x->tile[packs ? TILE_OF_PANELS : TILE_OF_LINES][n - 1];
		const void *b = packs ? (const void *)j->room_lines : &at;
		for (int64_t p = 0; p < a->count; p++) {
			int64_t row = panel_begin(a, p), rows = panel_begin(a, p + 1) - row;
			tile[rows - 1](a->k, j->room_a + p * a->k * a->width * x->size, a->width, b, n * x->lanes,
				       c + (row * ldc + first * x->lanes) * x->size, ldc, j->p->alpha, adds);
		}
	}
}

/* Lines of C as the tiles have them, from C or to it. */
static void spread(const struct product_windows *w, const struct vectors *v, int64_t size, const char *c, char *beside)
{
	for (int64_t i = 0; i < w->lines; i++)
		memcpy(beside + i * v->pitch * size, c + i * w->extent * size, (size_t)(w->extent * size));
}

static void put_together(const struct product_windows *w, const struct vectors *v, lines_copy *copy, const char *beside,
			 char *c)
{
	struct lines l = {w->lines, 0, w->lines, v->pitch, w->extent, 0, w->extent, 1};
	copy(&l, beside, c);
}

static void run_rows(const struct job *j, const struct product_windows *w, const struct vectors *v, lines_copy *copy,
		     int64_t m0, int64_t m)
{
	const struct product *p = j->p;
	int64_t width = v->count * j->x->lanes, size = j->size;
	bool beside = v->pitch != w->extent || width != p->n;
	char *rows = (char *)p->c + m0 * p->ldc * size, *c = beside ? j->room_b : rows;
	int64_t ldc = beside ? width : p->ldc;
	struct blocks ks = blocks_of_k(j->x, p->k);
	for (int64_t i = 0; beside && p->beta != 0 && i < m; i++)
		spread(w, v, size, rows + i * p->ldc * size, c + i * width * size);
	for (int64_t k0 = 0; k0 < p->k; k0 += ks.size) {
		struct product_panels a = panels_of(j->x, m, 1, j->x->rows, block_at(&ks, k0));
		if (j->x->lanes < a.width) /* whole vectors are packed, one beside the other */
			a.width = parts(a.width, j->x->lanes) * j->x->lanes;
		pack(j, &a, element(j, &p->a, m0, k0), p->a.column, p->a.row, j->room_a);
		run_block(j, w, v, &a, k0, c, ldc, p->beta != 0 || k0 > 0);
	}
	for (int64_t i = 0; beside && i < m; i++)
		put_together(w, v, copy, c + i * width * size, rows + i * p->ldc * size);
}

static double vectors_cost(const struct product_kernels *x, const struct product *p, int64_t rows, int64_t vectors)
{
	return (double)(vectors * x->lanes) * (double)rows * (double)p->k;
}

/* Whether lines cost less than points: lanes that are not full, and what is moved besides. */
static bool goes_in_lines(const struct product_kernels *x, const struct product *p, const struct product_windows *w)
{
	if (w->left || !w->lines || p->m < LINES_M)
		return false;
	struct vectors v = vectors_of(w, x->lanes);
	if (v.count * x->lanes * x->size * PRODUCT_ROWS > ROOM_B)
		return false;
	bool beside = v.pitch != w->extent || v.count * x->lanes != p->n;
	/* The same for all products that add to one C. */
	double c = (double)p->m * (double)p->n * (p->beta != 0 || w->goes_on ? 2 : 1);
	double lines = vectors_cost(x, p, p->m, v.count) + (beside ? SPREAD_COST * c : 0) +
		       PACK_COST * (double)p->m * (double)p->k;
	double points = vectors_cost(x, p, p->n, parts(p->m, x->lanes)) + TRANSPOSE_COST * c;
	return lines < points;
}

bool product_goes_in_lines(enum product_level level, enum product_type type, const struct product *p,
			   const struct product_windows *w)
{
	return goes_in_lines(product_plain(level, type), p, w);
}

static void run_lines(const struct job *j, enum product_level level, const struct product_windows *w)
{
	const struct product_kernels *x = j->x;
	struct vectors v = vectors_of(w, x->lanes);
	int64_t most = least(M_BLOCK, ROOM_B / (v.count * x->lanes * x->size));
	struct blocks ms = blocks_of(j->p->m, most, most, 1);
	for (int64_t m0 = 0; m0 < j->p->m; m0 += ms.size)
		run_rows(j, w, &v, lines_of(level, x->size, 1), m0, block_at(&ms, m0));
}

/* Lines of windows, or rows where those are more. */
static void part_of_lines(struct product *p, struct product_windows *w, const struct product_kernels *x,
			  struct product_part part)
{
	bool rows = p->m > w->lines;
	struct share s = share_of(rows ? p->m : w->lines, 1, part);
	if (rows) {
		p->a.at = (const char *)p->a.at + s.begin * p->a.row * x->size;
		p->c = (char *)p->c + s.begin * p->ldc * x->size;
		p->m = s.extent;
	} else {
		w->at = (const char *)w->at + s.begin * w->pitch * x->size;
		p->c = (char *)p->c + s.begin * w->extent * x->size;
		w->lines = s.extent;
		p->n = s.extent * w->extent;
	}
}

/* Some of the windows, in whole tiles. */
static void part_of_points(struct product *p, struct product_windows *w, const struct product_kernels *x,
			   struct product_part part)
{
	struct share s = share_of(w->left ? p->m : p->n, x->rows, part);
	w->place += s.begin;
	p->c = (char *)p->c + s.begin * (w->left ? p->ldc : 1) * x->size;
	*(w->left ? &p->m : &p->n) = s.extent;
}

void product_run_windows(enum product_level level, enum product_type type, const struct product *p,
			 const struct product_windows *w, struct product_part part, void *room)
{
	const struct product_kernels *x = product_plain(level, type);
	struct product own = *p;
	struct product_windows seen = *w;
	struct job j = {.x = x,
			.p = &own,
			.from = &x->pack[type],
			.size = x->size,
			.room_a = room,
			.room_b = (char *)room + ROOM_A,
			.room_lines = (char *)room + ROOM_A + ROOM_B};
	bool lines = goes_in_lines(x, p, w);
	(lines ? part_of_lines : part_of_points)(&own, &seen, x, part);
	if (own.m <= 0 || own.n <= 0)
		return;
	bool nothing = own.k <= 0 || own.alpha == 0;
	if (nothing || (lines && own.beta != 0 && own.beta != 1)) {
		product_scale(x, &own);
		own.beta = 1;
	}
	if (!nothing && lines)
		run_lines(&j, level, &seen);
	else if (!nothing)
		product_run_points(&j, &seen);
}
