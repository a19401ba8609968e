/* pack_windows.c — see pack_windows.h. */
#include "pack_windows.h"

/* What the factors of a list add to the index in a dimension, at least and at most. */
static void reach(const struct packing *p, const int64_t *list, int64_t n, int64_t d, int64_t *low, int64_t *high)
{
	for (int64_t i = 0; i < n; i++) {
		const int64_t *f = packing_factor(p, list, i);
		int64_t most = (f[0] - 1) * f[1 + d];
		*(most < 0 ? low : high) += most;
	}
}

/* The columns are lines of neighbours: the last factor goes along the last dimension, one by one. */
static bool has_columns_in_lines(const struct packing *p)
{
	if (p->ncols < 1 || p->ncols > 2 || p->dim[(p->rank - 1) * PACK_DIM_WORDS + PACK_STRIDE] != 1)
		return false;
	const int64_t *inner = packing_factor(p, p->col, p->ncols - 1);
	for (int64_t d = 0; d < p->rank; d++)
		if (p->dim[d * PACK_DIM_WORDS + PACK_DIV] != 1 || inner[1 + d] != (d == p->rank - 1))
			return false;
	return true;
}

static int64_t along(const struct packing *p, const int64_t *factor, const int64_t *step)
{
	int64_t sum = 0;
	for (int64_t d = 0; d < p->rank; d++)
		sum += factor[1 + d] * step[d];
	return sum;
}

bool windows_of(struct windows *w, enum product_level level, enum product_type type, const int64_t *words, int64_t k,
		int64_t n, const void *x, void *room)
{
	int64_t size = type == PRODUCT_F64 ? sizeof(double) : sizeof(float);
	if (!words[PACK_RANK])
		return false;
	struct packing p = packing_of(words);
	if (!has_columns_in_lines(&p) || packing_volume(&p, p.row, p.nrows) != k ||
	    packing_volume(&p, p.col, p.ncols) != n)
		return false;
	*w = (struct windows){.words = words, .x = x, .size = size, .copy = lines_of(level, (int)size), .round = product_rounding_of(level, type)};
	int64_t step[PACK_RANK_MAX], volume = 1, first = 0;
	for (int64_t d = p.rank - 1; d >= 0; d--) {
		int64_t low = 0, high = 0;
		reach(&p, p.row, p.nrows, d, &low, &high);
		reach(&p, p.col, p.ncols, d, &low, &high);
		w->extent[d] = high - low + 1;
		w->low[d] = low;
		step[d] = volume;
		first -= low * volume;
		volume *= w->extent[d];
	}
	int64_t *offset = (int64_t *)(((uintptr_t)room + sizeof *offset - 1) & ~(sizeof *offset - 1));
	w->part = (char *)(offset + k);
	if (w->part + (volume + PRODUCT_BEYOND) * size > (char *)room + k * n * size)
		return false;
	w->w = (struct product_windows){.at = w->part,
					.offset = offset,
					.lines = p.ncols > 1 ? packing_factor(&p, p.col, 0)[0] : 1,
					.extent = packing_factor(&p, p.col, p.ncols - 1)[0],
					.pitch = p.ncols > 1 ? along(&p, packing_factor(&p, p.col, 0), step) : 0};
	int64_t turn[FACTORS_MAX] = {0}, index[PACK_RANK_MAX] = {0};
	do {
		*offset = first;
		for (int64_t d = 0; d < p.rank; d++)
			*offset += index[d] * step[d];
		offset++;
	} while (packing_next(&p, p.row, p.nrows, turn, index));
	return true;
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

const void *windows_at(struct windows *w, const struct product_turn *t)
{
	struct packing p = packing_of(w->words);
	int64_t index[PACK_RANK_MAX], turn[PACK_RANK_MAX] = {0}, outer = p.rank > 2 ? p.rank - 2 : 0;
	if (!packing_moves(&p, w->words, t, w->had, index) && w->is_filled)
		return w->part;
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
	return w->part;
}
