/* pack_windows.c — see pack_windows.h. */
#include "pack_windows.h"

/* Windows lie in lines of neighbours: the last factor goes along the last dimension, one by one, and at most one other
 * one from line to line. */
static bool has_lines(const struct packing *p, const int64_t *own, int64_t n)
{
	if (n < 1 || n > 2)
		return false;
	const int64_t *inner = packing_factor(p, own, n - 1);
	for (int64_t d = 0; d < p->rank; d++)
		if (inner[1 + d] != (d == p->rank - 1))
			return false;
	return true;
}

static void find_lines(const struct packing *p, const int64_t *own, int64_t n, const int64_t *step,
		       struct product_windows *w)
{
	const int64_t *outer = packing_factor(p, own, 0);
	w->extent = packing_factor(p, own, n - 1)[0];
	w->lines = n > 1 ? outer[0] : 1;
	for (int64_t d = 0; d < p->rank && n > 1; d++)
		w->pitch += outer[1 + d] * step[d];
}

/* Where the points of some factors lie, from `first` on; the end of what is written. */
static int64_t *find_places(const struct packing *p, const int64_t *list, int64_t n, const int64_t *step, int64_t first,
			    int64_t *to)
{
	int64_t turn[FACTORS_MAX] = {0}, index[PACK_RANK_MAX] = {0};
	do {
		*to = first;
		for (int64_t d = 0; d < p->rank; d++)
			*to += index[d] * step[d];
		to++;
	} while (packing_next(p, list, n, turn, index));
	return to;
}

static bool stays_inside(const struct packing *p, const int64_t *words, const int64_t *loops)
{
	const int64_t *loop = packing_factor(p, p->col, p->ncols);
	for (int64_t d = 0; d < p->rank; d++) {
		const int64_t *dim = p->dim + d * PACK_DIM_WORDS;
		struct packing_reach r = packing_reach(p, d);
		for (int64_t l = 0; l < words[PACK_LOOPS]; l++) {
			int64_t most = (loops[l * LOOP_WORDS + LOOP_EXTENT] - 1) * loop[l * p->rank + d];
			*(most < 0 ? &r.low : &r.high) += most;
		}
		if (dim[PACK_OFFSET] + r.low < 0 || dim[PACK_OFFSET] + r.high >= dim[PACK_EXTENT])
			return false;
	}
	return true;
}

/* Elements between neighbours along a dimension: of the part from its first element on, or of the tensor. */
static void find_steps(struct windows *w, const struct packing *p, int64_t *step, int64_t *first)
{
	int64_t volume = 1;
	*first = 0;
	for (int64_t d = p->rank - 1; d >= 0; d--) {
		struct packing_reach r = packing_reach(p, d);
		w->extent[d] = r.high - r.low + 1;
		w->low[d] = r.low;
		step[d] = w->in_place ? p->dim[d * PACK_DIM_WORDS + PACK_STRIDE] : volume;
		*first -= w->in_place ? 0 : r.low * volume;
		volume *= w->extent[d];
	}
}

struct windows windows_of(enum product_level level, enum product_type type, const int64_t *words, const int64_t *loops,
			  const void *x, bool left, void *room)
{
	enum { ALIGN = 8 };
	struct packing p = packing_of(words);
	int64_t size = type == PRODUCT_F64 ? sizeof(double) : sizeof(float);
	int64_t step[PACK_RANK_MAX], first;
	struct windows w = {.words = words,
			    .x = x,
			    .size = size,
			    .copy = lines_of(level, (int)size),
			    .round = product_rounding_of(level, type)};
	int64_t *place = (int64_t *)(((uintptr_t)room + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
	const int64_t *own = left ? p.row : p.col, *of_k = left ? p.col : p.row;
	int64_t nown = left ? p.nrows : p.ncols, nk = left ? p.ncols : p.nrows;
	w.in_place = !w.round && !has_lines(&p, own, nown) && stays_inside(&p, words, loops);
	find_steps(&w, &p, step, &first);
	int64_t *offset = find_places(&p, own, nown, step, 0, place);
	int64_t *end = find_places(&p, of_k, nk, step, first, offset);
	w.part = (char *)end;
	w.w = (struct product_windows){.at = w.part, .place = place, .offset = offset, .left = left};
	if (has_lines(&p, own, nown))
		find_lines(&p, own, nown, step, &w.w);
	return w;
}

/* Asks for the lines that are likely to come next, for they begin elsewhere. */
static void ahead(const struct windows *w, const struct packing *p, const struct lines *l, int64_t at)
{
	enum { LINE_BYTES = 64 };
	if (p->rank < 3)
		return;
	const char *next = w->x + (at + p->dim[(p->rank - 3) * PACK_DIM_WORDS + PACK_STRIDE]) * w->size;
	const char *first = next + (l->first * l->step + l->begin) * w->size;
	for (const char *x = first; x < next + ((l->last - 1) * l->step + l->end) * w->size; x += LINE_BYTES)
		__builtin_prefetch(x);
}

/* Lines of the two innermost dimensions at an index of the others, which is in the tensor or not. */
static void fill_lines(struct windows *w, const struct packing *p, const int64_t *index, bool inside, char *to)
{
	int64_t at = 0, rank = p->rank, last = rank - 1;
	struct lines l = {.count = rank > 1 ? w->extent[last - 1] : 1, .extent = w->extent[last]};
	for (int64_t d = 0; d < rank; d++)
		at += index[d] * p->dim[d * PACK_DIM_WORDS + PACK_STRIDE];
	l.begin = lines_within(-index[last], l.extent);
	l.end = lines_within(p->dim[last * PACK_DIM_WORDS + PACK_EXTENT] - index[last], l.extent);
	l.last = l.count;
	if (rank > 1) {
		const int64_t *dim = p->dim + (last - 1) * PACK_DIM_WORDS;
		l.first = lines_within(-index[last - 1], l.count);
		l.last = lines_within(dim[PACK_EXTENT] - index[last - 1], l.count);
		l.step = dim[PACK_STRIDE];
	}
	if (!inside || l.begin >= l.end || l.first >= l.last)
		l.first = l.last = l.count;
	ahead(w, p, &l, at);
	w->copy(&l, w->x + at * w->size, to);
}

void windows_at(struct windows *w, const struct product_turn *t)
{
	struct packing p = packing_of(w->words);
	int64_t index[PACK_RANK_MAX], turn[PACK_RANK_MAX] = {0}, outer = p.rank > 2 ? p.rank - 2 : 0;
	bool moves = packing_moves(&p, w->words, t, w->had, index);
	if (w->in_place) {
		int64_t at = 0;
		for (int64_t i = 0; i < p.rank; i++)
			at += index[i] * p.dim[i * PACK_DIM_WORDS + PACK_STRIDE];
		w->w.at = w->x + at * w->size;
		return;
	}
	if (!moves && w->is_filled)
		return;
	int64_t bytes = w->size * w->extent[p.rank - 1] * (p.rank > 1 ? w->extent[p.rank - 2] : 1), d;
	char *to = w->part;
	for (d = 0; d < p.rank; d++)
		index[d] += w->low[d];
	do {
		bool inside = true;
		for (d = 0; d < outer; d++)
			inside = inside && index[d] >= 0 && index[d] < p.dim[d * PACK_DIM_WORDS + PACK_EXTENT];
		fill_lines(w, &p, index, inside, to);
		to += bytes;
		for (d = outer - 1; d >= 0; d--) {
			index[d]++;
			if (++turn[d] < w->extent[d])
				break;
			index[d] -= w->extent[d];
			turn[d] = 0;
		}
	} while (d >= 0);
	if (w->round)
		w->round((to - w->part) / w->size, (float *)(void *)w->part);
	w->is_filled = true;
}
