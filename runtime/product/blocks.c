/* blocks.c — a block of A or of B: read where it lies, or packed. What is packed was measured (README.md). */
#include "job.h"

#include <unistd.h>

enum {
	SOME_ROWS = 64,  /* for which packing B costs more than it gains, */
	NEAR = 2048,     /* if its rows are at most so many bytes apart; for FEW_ROWS always */
	SMALL_B = 16384, /* bytes that lie in the first cache as they are */
	PANEL_K = 128,   /* up to here panels of A are read where they lie, */
	CLOSE = 128,     /* and where what follows along k is at most so many bytes away */
	CONFLICT = 4096, /* bytes between rows that share a cache set */
};

/* Whether a set of the first cache holds what a tile reads at a time: a line of each of its rows, and of the vectors of
 * B that pass. It has 12 ways on processors of Intel since 2019 and of AMD since 2024, and had 8 before. */
static bool fits_one_set(const struct product_kernels *x)
{
#ifdef _SC_LEVEL1_DCACHE_ASSOC
	return sysconf(_SC_LEVEL1_DCACHE_ASSOC) > x->rows + x->vectors;
#else
	(void)x;
	return false;
#endif
}

/* Rows of A that run along k are read where they lie, if they are of the kernels' type, whole words where it is one of
 * several elements, and do not share cache sets that are too small. */
static bool has_rows_in_place(const struct job *j, int64_t k)
{
	const struct product_operand *a = &j->p->a;
	bool conflict = a->row * j->size % CONFLICT == 0 && j->p->n >= 512 && !fits_one_set(j->x);
	return a->column == 1 && !j->converts && !conflict && a->row % j->x->together == 0 && k % j->x->together == 0;
}

bool product_packs_panels(const struct job *j, int64_t k)
{
	const struct product_operand *a = &j->p->a;
	bool in_place =
		a->row == 1 && !j->converts && j->x->together == 1 && (k <= PANEL_K || a->column * j->size <= CLOSE);
	return a->column != 1 && !j->x->rows_of_a && !in_place;
}

struct block product_block_a(const struct job *j, int64_t m0, int64_t m, int64_t k0, int64_t k)
{
	const struct product_operand *a = &j->p->a;
	const struct product_kernels *x = j->x;
	const char *at = element(j, a, m0, k0);
	struct block b = {panels_of(x, m, 1, x->rows, k), at, x->rows, true, TILE_OF_PANELS, 0};
	if (has_rows_in_place(j, k)) {
		b.step = a->row / x->together;
		b.is_packed = false;
		b.move = a->row * j->size;
		b.form = TILE_IN_PLACE;
	} else if (a->column == 1 || x->rows_of_a) {
		product_pack *f = a->column == 1 ? j->from->rows : a->row == 1 ? j->from->turned : j->from->any_rows;
		b.step = b.panels.width = b.panels.depth + ROWS_APART;
		f(&b.panels, at, a->column, a->row, j->room_a);
		b.at = j->room_a;
		b.is_packed = false;
		b.move = b.step * x->size;
		b.form = TILE_IN_PLACE;
	} else if (product_packs_panels(j, k)) {
		pack(j, &b.panels, at, a->column, a->row, j->room_a);
		b.at = j->room_a;
	} else {
		b.step = a->column;
		b.is_packed = false;
		b.move = j->size;
	}
	return b;
}

static bool lies_near(const struct job *j, int64_t n, int64_t k)
{
	const struct product_operand *b = &j->p->b;
	if (b->column != 1 || j->converts || j->x->together > 1)
		return false;
	return j->p->m <= FEW_ROWS || (j->p->m <= SOME_ROWS && b->row * j->size <= NEAR) ||
	       (b->row == n && n * k * j->size <= SMALL_B);
}

bool product_reads_in_place(const struct job *j, int64_t n, int64_t k)
{
	return n % j->x->lanes == 0 && lies_near(j, n, k);
}

/* Whether the last vector of each row before row k ends within B: what it reads behind the row is for no column. */
static bool ends_within(const struct job *j, int64_t k)
{
	return (j->p->k - k) * j->p->b.row >= j->x->lanes;
}

struct block product_block_b(const struct job *j, int64_t k0, int64_t k, int64_t n0, int64_t n)
{
	const struct product_operand *b = &j->p->b;
	int64_t width = j->x->lanes * j->x->vectors;
	const char *at = element(j, b, k0, n0);
	struct block r = {panels_of(j->x, n, j->x->lanes, width, k), at, width, true, 0, j->size};
	if (lies_near(j, n, k) && (n % j->x->lanes == 0 || ends_within(j, k0 + k))) {
		r.step = b->row;
		r.is_packed = false;
	} else {
		r.panels.depth += j->x->starts[j->type] != NULL;
		pack(j, &r.panels, at, b->row, b->column, j->room_b);
		if (j->x->starts[j->type])
			j->x->starts[j->type](&r.panels, j->room_b);
		r.at = j->room_b;
	}
	return r;
}
