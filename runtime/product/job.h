/* job.h — what a product in work is made of: blocks of its extents, panels of its operands, where they are packed. */
#ifndef RT_PRODUCT_JOB_H
#define RT_PRODUCT_JOB_H

#include "kernels.h"

enum {
	K_UNIT = 8,
	FEW_ROWS = 16,   /* for which packing B costs more than it gains */
	ROWS_APART = 16, /* elements between packed rows of A beyond K, so that rows do not share cache sets */
};
enum {
	ROOM_A = (M_BLOCK * 4 / 3 + PRODUCT_ROWS) * (K_BLOCK + 2 * ROWS_APART) * 4,
	ROOM_B = (N_WHOLE + PRODUCT_VECTORS * 16) * K_BLOCK * 4,
};

static inline int64_t least(int64_t x, int64_t y)
{
	return x < y ? x : y;
}

static inline int64_t parts(int64_t n, int64_t size)
{
	return (n + size - 1) / size;
}

/* Equal blocks of an extent, multiples of a unit. */
struct blocks {
	int64_t extent, size;
};
static inline struct blocks blocks_of(int64_t extent, int64_t whole, int64_t most, int64_t unit)
{
	int64_t count = extent <= whole ? 1 : parts(extent, most);
	return (struct blocks){extent, parts(parts(extent, count), unit) * unit};
}

/* Blocks of K, in elements of the operands. */
static inline struct blocks blocks_of_k(const struct product_kernels *x, int64_t k)
{
	int64_t most = x->most.k * x->together;
	return blocks_of(k, most, most, K_UNIT);
}

static inline int64_t block_at(const struct blocks *b, int64_t begin)
{
	return least(b->size, b->extent - begin);
}

/* k: elements of an operand, of which so many together are one of a panel. */
static inline struct product_panels panels_made(int together, int64_t extent, int64_t unit, int64_t width, int64_t k)
{
	int64_t units = parts(extent, unit), count = parts(extent, width), of_panel = parts(k, together);
	return (struct product_panels){.extent = extent,
				       .count = count,
				       .unit = unit,
				       .width = width,
				       .k = of_panel,
				       .depth = of_panel,
				       .each = units / count,
				       .more = units % count,
				       .lacks = of_panel * together - k};
}
static inline struct product_panels panels_of(const struct product_kernels *x, int64_t extent, int64_t unit,
					      int64_t width, int64_t k)
{
	return panels_made(x->together, extent, unit, width, k);
}

/* The part of an extent, in whole units: `begin`, and what is left of `extent`. Parts may be empty. */
struct share {
	int64_t begin, extent;
};
static inline struct share share_of(int64_t extent, int64_t unit, struct product_part part)
{
	int64_t units = parts(extent, unit);
	int64_t begin = least(units * part.i / part.n * unit, extent),
		end = least(units * (part.i + 1) / part.n * unit, extent);
	return (struct share){begin, end - begin};
}

/* A product whose C is of the kernels' type; `from` packs operands of the sources' type, of `size` bytes. */
struct job {
	const struct product_kernels *x;     /* those used, of these: */
	const struct product_kernels *plain; /* f32 or f64 */
	const struct product_kernels *pairs; /* of the sources' type if the level has them, or NULL */
	enum product_level level;
	const struct product_amx *amx; /* which multiply instead of x, or NULL */
	const struct product *p;
	const struct product_packing *from;
	enum product_type type; /* of the sources */
	int64_t size;
	bool converts; /* elements of the sources are not those of the kernels */
	bool is_few;   /* the whole product has few rows, whatever part of it this is */
	const struct product_few *few;
	char *room_a, *room_b, *room_lines;
};

/* How tiles read a block of A or B: element (i, k) of panel p. */
struct block {
	struct product_panels panels;
	const char *at;
	int64_t step;   /* of the tile's argument */
	bool is_packed; /* else panels begin where they do in memory, `move` bytes apart for each row or column */
	int form;
	int64_t move;
};

static inline const char *element(const struct job *j, const struct product_operand *o, int64_t row, int64_t column)
{
	return (const char *)o->at + (row * o->row + column * o->column) * j->size;
}

/* Packs o, of which k goes along one way and the panels along the other. */
static inline void pack(const struct job *j, const struct product_panels *panels, const char *at, int64_t step_k,
			int64_t step, char *room)
{
	product_pack *f = step == 1 ? j->from->along : step_k == 1 ? j->from->across : j->from->any;
	f(panels, at, step_k, step, room);
}

static inline const char *panel_at(const struct job *j, const struct block *b, int64_t i)
{
	if (b->is_packed)
		return b->at + i * b->panels.depth * b->panels.width * j->x->size;
	return b->at + panel_begin(&b->panels, i) * b->move;
}

/* blocks.c: rows m0.. of A and k0.. of both, columns n0.. of B; packed into the job's rooms, or read where they lie. */
struct block product_block_a(const struct job *j, int64_t m0, int64_t m, int64_t k0, int64_t k);
struct block product_block_b(const struct job *j, int64_t k0, int64_t k, int64_t n0, int64_t n);
/* Whether blocks of A of so many columns are packed, k by k. */
bool product_packs_panels(const struct job *j, int64_t k);
/* Whether blocks of B of so many columns, and rows, are read where they lie. */
bool product_reads_in_place(const struct job *j, int64_t n, int64_t k);

/* f32 or f64: the kernels that sum up what is multiplied. */
const struct product_kernels *product_plain(enum product_level level, enum product_type type);
/* Those of pairs that the level has for the type, or NULL. */
const struct product_kernels *product_pairs(enum product_level level, enum product_type type);
/* C = beta * C, of the kernels' type. */
void product_scale(const struct product_kernels *x, const struct product *p);

/* points.c: the product through windows element by element; beta is 0 or 1, alpha and k are not 0. */
void product_run_points(const struct job *j, const struct product_windows *w);
const struct product_few *product_few(enum product_level level, enum product_type type);

#endif
