/* pack.c — gathers windows of a tensor into a matrix. Whatever all columns share is added up once per row; the
 * innermost factors of the columns are lines of elements, cut where they leave the tensor. What lies in it as a whole
 * and has no long lines goes another way (pack_inside.h). */
#include "pack_inside.h"

#include <string.h>

int64_t pack_elements(const int64_t *words)
{
	if (!words[PACK_RANK])
		return 0;
	struct packing p = packing_of(words);
	return packing_volume(&p, p.row, p.nrows) * packing_volume(&p, p.col, p.ncols);
}

int64_t pack_room(const int64_t *words)
{
	if (!words[PACK_RANK])
		return 0;
	struct packing p = packing_of(words);
	int64_t volume = 1;
	for (int64_t d = 0; d < p.rank; d++) {
		struct product_planes x = packing_planes(&p, d);
		volume *= x.count * x.extent;
	}
	return product_way_room((enum product_way)words[PACK_WAY], packing_volume(&p, p.row, p.nrows),
				packing_volume(&p, p.col, p.ncols), volume);
}

/* The two innermost factors of the columns as lines, from `at` on, elements `step` apart. each: divisors make every
 * element a question of its own. */
struct block {
	struct lines l;
	int64_t at, step;
	bool each;
};

static int64_t floor_div(int64_t x, int64_t y)
{
	return x / y - (x % y < 0);
}

/* Elements low..high of a run are inside of the dimension, whatever its divisor says of those between. */
static void inside(int64_t index, int64_t coef, int64_t last, int64_t *low, int64_t *high)
{
	if (coef == 1) {
		*low = -index;
		*high = last - index;
	} else if (coef > 0) {
		*low = -floor_div(index, coef);
		*high = floor_div(last - index, coef);
	} else {
		*low = -floor_div(last - index, -coef);
		*high = floor_div(index, -coef);
	}
}

static void raise(int64_t *begin, int64_t low)
{
	*begin = low > *begin ? low : *begin;
}

static void lower(int64_t *end, int64_t high)
{
	*end = high + 1 < *end ? high + 1 : *end;
}

/* Cuts the block where it leaves the dimension; index is that of its first element, `line` and `coef` what a line and
 * an element add. */
static void cut(struct block *r, const int64_t *dim, int64_t index, int64_t line, int64_t coef)
{
	int64_t div = dim[PACK_DIV], stride = dim[PACK_STRIDE], last = dim[PACK_EXTENT] * div - 1, low, high;
	if (coef == 0 && line == 0) {
		if (index < 0 || index > last || (div != 1 && index % div))
			r->l.end = r->l.begin;
		r->at += (div == 1 ? index : index / div) * stride;
		return;
	}
	inside(index, coef ? coef : line, last, &low, &high);
	raise(coef ? &r->l.begin : &r->l.first, low);
	lower(coef ? &r->l.end : &r->l.last, high);
	r->each = r->each || div != 1;
	r->at += index * stride;
	r->step += coef * stride;
	r->l.step += line * stride;
}

/* Lines can be taken together: no dimension depends on both of the innermost factors. */
static bool has_lines(const struct packing *p)
{
	const int64_t *line = packing_factor(p, p->col, p->ncols - 2), *inner = packing_factor(p, p->col, p->ncols - 1);
	for (int64_t d = 0; d < p->rank && p->ncols > 1; d++)
		if (line[1 + d] && (inner[1 + d] || p->dim[d * PACK_DIM_WORDS + PACK_DIV] != 1))
			return false;
	return p->ncols > 1;
}

/* Into r: a copy of what was just written part by part would wait for it. */
static void block_at(const struct packing *p, const int64_t *index, const int64_t *line, const int64_t *inner,
		     struct block *r)
{
	*r = (struct block){.l = {.count = line ? line[0] : 1, .extent = inner ? inner[0] : 1}};
	r->l.last = r->l.count;
	r->l.end = r->l.extent;
	for (int64_t d = 0; d < p->rank; d++)
		cut(r, p->dim + d * PACK_DIM_WORDS, index[d], line ? line[1 + d] : 0, inner ? inner[1 + d] : 0);
	if (r->l.begin >= r->l.end || r->l.first >= r->l.last)
		r->l.first = r->l.last = r->l.count;
}

/* Where element j of line i is, -1: nowhere. */
static int64_t place_of(const struct packing *p, const int64_t *index, const int64_t *line, int64_t i,
			const int64_t *inner, int64_t j)
{
	int64_t at = 0;
	for (int64_t d = 0; d < p->rank; d++) {
		int64_t v = index[d] + (line ? i * line[1 + d] : 0) + (inner ? j * inner[1 + d] : 0);
		int64_t div = p->dim[d * PACK_DIM_WORDS + PACK_DIV];
		if (v % div)
			return -1;
		at += v / div * p->dim[d * PACK_DIM_WORDS + PACK_STRIDE];
	}
	return at;
}

#define PACK(name, T) \
	static T *zeros_##name(T *to, int64_t n) \
	{ \
		for (int64_t j = 0; j < n; j++) \
			to[j] = 0; \
		return to + n; \
	} \
	/* Lines whose elements are not neighbours. */ \
	static void scattered_##name(const struct packing *p, const struct block *r, const int64_t *index, \
				     const int64_t *line, const int64_t *inner, const T *x, T *to) \
	{ \
		const struct lines *l = &r->l; \
		to = zeros_##name(to, l->first * l->extent); \
		for (int64_t i = l->first; i < l->last; i++) { \
			const T *from = x + r->at + i * l->step; \
			to = zeros_##name(to, l->begin); \
			for (int64_t j = l->begin; j < l->end && r->each; j++) { \
				int64_t at = place_of(p, index, line, i, inner, j); \
				*to++ = at < 0 ? 0 : x[at]; \
			} \
			for (int64_t j = l->begin; j < l->end && !r->each; j++) \
				*to++ = from[j * r->step]; \
			to = zeros_##name(to, l->extent - l->end); \
		} \
		zeros_##name(to, (l->count - l->last) * l->extent); \
	} \
	bool packed_moves_##name(struct packed_##name *o, const struct product_turn *t, int64_t *index) \
	{ \
		if (!o->words[PACK_RANK]) \
			return false; \
		struct packing p = packing_of(o->words); \
		o->is_fresh = packing_moves(&p, o->words, t, o->had, index) || !o->is_filled; \
		o->is_filled = true; \
		return o->is_fresh; \
	} \
	void packed_rows_##name(const struct packed_##name *o, const int64_t *first, struct product_part part) \
	{ \
		struct packing p = packing_of(o->words); \
		int64_t rows = packing_volume(&p, p.row, p.nrows), columns = packing_volume(&p, p.col, p.ncols); \
		int64_t begin = rows * part.i / part.n, end = rows * (part.i + 1) / part.n, row = 0; \
		int64_t index[PACK_RANK_MAX], turn[FACTORS_MAX] = {0}; \
		struct inside s; \
		if (inside_of(&p, first, &s)) { \
			inside_rows(&s, sizeof(T), o->x, begin, end, o->room); \
			return; \
		} \
		memcpy(index, first, sizeof index); \
		bool lines = has_lines(&p); \
		const int64_t *inner = p.ncols ? packing_factor(&p, p.col, p.ncols - 1) : NULL; \
		const int64_t *line = lines ? packing_factor(&p, p.col, p.ncols - 2) : NULL; \
		T *to = o->room + begin * columns; \
		do { \
			do { \
				struct block r; \
				if (row < begin || row >= end) \
					break; \
				block_at(&p, index, line, inner, &r); \
				if (r.step == 1 && !r.each) \
					o->copy(&r.l, o->x + r.at, to); \
				else \
					scattered_##name(&p, &r, index, line, inner, o->x, to); \
				to += r.l.count * r.l.extent; \
			} while (packing_next(&p, p.col, p.ncols - (lines ? 2 : 1), p.turn, index)); \
		} while (++row < end && packing_next(&p, p.row, p.nrows, turn, index)); \
	} \
	const T *packed_at_##name(struct packed_##name *o, const struct product_turn *t, int64_t moved) \
	{ \
		int64_t index[PACK_RANK_MAX]; \
		if (!o->words[PACK_RANK]) \
			return o->x + moved; \
		if (packed_moves_##name(o, t, index)) \
			packed_rows_##name(o, index, product_whole()); \
		return o->room; \
	}
PACK(f32, float)
PACK(f64, double)
PACK(half, uint16_t)
PACK(byte, uint8_t)
