/* pack_windows.c — see pack_windows.h. */
#include "pack_windows.h"

/* What one element, and one plane, adds to a place along a dimension: in the part, or in the tensor if that is read in
 * place. */
struct step {
	struct product_planes planes;
	int64_t element, plane;
};

/* All points of the factors are in the first plane along all dimensions. */
static bool is_in_plane(const struct packing *p, const int64_t *list, int64_t n, const struct step *step)
{
	for (int64_t i = 0; i < n; i++)
		for (int64_t d = 0; d < p->rank; d++)
			if (packing_factor(p, list, i)[1 + d] % step[d].planes.apart)
				return false;
	return true;
}

/* Windows lie in lines of neighbours: the last factor goes along the last dimension, one by one, and at most one other
 * one from line to line. */
static bool has_lines(const struct packing *p, const int64_t *own, int64_t n, const struct step *step)
{
	if (n < 1 || n > 2 || !is_in_plane(p, own, n, step))
		return false;
	const int64_t *inner = packing_factor(p, own, n - 1);
	for (int64_t d = 0; d < p->rank; d++)
		if (inner[1 + d] != (d == p->rank - 1) * step[d].planes.apart)
			return false;
	return true;
}

static void find_lines(const struct packing *p, const int64_t *own, int64_t n, const struct step *step,
		       struct product_windows *w)
{
	const int64_t *outer = packing_factor(p, own, 0);
	w->extent = packing_factor(p, own, n - 1)[0];
	w->lines = n > 1 ? outer[0] : 1;
	for (int64_t d = 0; d < p->rank && n > 1; d++)
		w->pitch += outer[1 + d] / step[d].planes.apart * step[d].element;
}

/* Where the points of some factors lie; the end of what is written. low: where they begin, along all dimensions. */
static int64_t *find_places(const struct packing *p, const int64_t *list, int64_t n, const struct step *step,
			    const int64_t *low, int64_t *to)
{
	int64_t turn[FACTORS_MAX] = {0}, index[PACK_RANK_MAX] = {0};
	do {
		*to = 0;
		for (int64_t d = 0; d < p->rank; d++) {
			int64_t at = index[d] - low[d], apart = step[d].planes.apart;
			*to += at / apart * step[d].element + at % apart * step[d].plane;
		}
		to++;
	} while (packing_next(p, list, n, turn, index));
	return to;
}

static bool stays_inside(const struct packing *p, const int64_t *words, const int64_t *loops)
{
	const int64_t *loop = packing_factor(p, p->col, p->ncols);
	for (int64_t d = 0; d < p->rank; d++) {
		const int64_t *dim = p->dim + d * PACK_DIM_WORDS;
		struct product_reach r = packing_reach(p, p->row, p->nrows + p->ncols, d);
		for (int64_t l = 0; l < words[PACK_LOOPS]; l++)
			product_reach_add(&r, loops[l * LOOP_WORDS + LOOP_EXTENT], loop[l * p->rank + d]);
		if (dim[PACK_OFFSET] + r.low < 0 || dim[PACK_OFFSET] + r.high >= dim[PACK_EXTENT])
			return false;
	}
	return true;
}

/* All of a dimension in one plane, unless planes are left out: what is read point by point need not be dealt into
 * planes, where windows would have fewer neighbours in a line of the cache. */
static struct product_planes together(const struct packing *p, int64_t d)
{
	struct product_planes planes = packing_planes(p, d);
	struct product_reach rows = packing_reach(p, p->row, p->nrows, d),
			     columns = packing_reach(p, p->col, p->ncols, d);
	if (planes.count < planes.apart)
		return planes;
	return (struct product_planes){planes.low, 1, 1, rows.high - rows.low + columns.high - columns.low + 1};
}

/* Of the part. */
static void find_steps(const struct packing *p, bool dealt, struct step *step)
{
	int64_t volume = 1;
	for (int64_t d = p->rank - 1; d >= 0; d--) {
		step[d] = (struct step){dealt ? packing_planes(p, d) : together(p, d), volume, 0};
		volume *= step[d].planes.extent;
	}
	for (int64_t d = p->rank - 1; d >= 0; d--) {
		step[d].plane = volume;
		volume *= step[d].planes.count;
	}
}

/* Of the tensor, where neighbours stay what they are. */
static void steps_in_place(const struct packing *p, struct step *step)
{
	for (int64_t d = 0; d < p->rank; d++) {
		step[d].planes.apart = 1;
		step[d].element = p->dim[d * PACK_DIM_WORDS + PACK_STRIDE];
	}
}

/* Where rows, or columns, begin along each dimension: where the matrix does if they are read in place. */
static void find_low(const struct windows *w, const struct packing *p, const int64_t *list, int64_t n, int64_t *low)
{
	for (int64_t d = 0; d < p->rank; d++)
		low[d] = w->in_place ? 0 : packing_reach(p, list, n, d).low;
}

/* Whether windows are read in lines, with the steps of planes. */
static bool goes_in_lines(enum product_level level, enum product_type type, const struct packing *p, const int64_t *own,
			  int64_t n, const struct step *step, const struct product *of)
{
	struct product_windows w = {.left = false};
	if (!has_lines(p, own, n, step))
		return false;
	find_lines(p, own, n, step, &w);
	return product_goes_in_lines(level, type, of, &w);
}

static bool are_dealt(const struct packing *p, const struct step *step)
{
	for (int64_t d = 0; d < p->rank; d++)
		if (step[d].planes.apart > 1)
			return true;
	return false;
}

static int64_t *aligned_room(void *room)
{
	enum { ALIGN = 8 };
	return (int64_t *)(((uintptr_t)room + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
}

struct windows windows_of(enum product_level level, enum product_type type, const int64_t *words, const int64_t *loops,
			  const struct product *of, const void *x, bool left, void *room)
{
	struct packing p = packing_of(words);
	int64_t size = type == PRODUCT_F64 ? sizeof(double) : sizeof(float), low[PACK_RANK_MAX] = {0};
	struct step step[PACK_RANK_MAX];
	struct windows w = {.words = words, .x = x, .size = size, .round = product_rounding_of(level, type)};
	int64_t *place = aligned_room(room);
	const int64_t *own = left ? p.row : p.col, *of_k = left ? p.col : p.row;
	int64_t nown = left ? p.nrows : p.ncols, nk = left ? p.ncols : p.nrows;
	find_steps(&p, true, step);
	if (are_dealt(&p, step) && (left || !goes_in_lines(level, type, &p, own, nown, step, of)))
		find_steps(&p, false, step);
	for (int64_t d = 0; d < p.rank; d++)
		w.planes[d] = step[d].planes;
	w.copy = lines_of(level, (int)size, w.planes[p.rank - 1].apart);
	bool lines = has_lines(&p, own, nown, step), neighbours = w.planes[p.rank - 1].apart == 1;
	w.in_place = !w.round && !lines && neighbours && stays_inside(&p, words, loops);
	if (w.in_place)
		steps_in_place(&p, step);
	find_low(&w, &p, own, nown, low);
	int64_t *offset = find_places(&p, own, nown, step, low, place);
	find_low(&w, &p, of_k, nk, low);
	w.part = (char *)find_places(&p, of_k, nk, step, low, offset);
	w.w = (struct product_windows){.at = w.part, .place = place, .offset = offset, .left = left};
	if (lines)
		find_lines(&p, own, nown, step, &w.w);
	return w;
}

struct windows windows_of_channels(enum product_level level, int64_t size, const int64_t *words, bool by_rows,
				   const void *x, void *room)
{
	struct packing p = packing_of(words);
	int64_t low[PACK_RANK_MAX] = {0}, nown = by_rows ? p.nrows : p.ncols, nk = by_rows ? p.ncols : p.nrows;
	const int64_t *own = by_rows ? p.row : p.col, *of_k = by_rows ? p.col : p.row;
	struct step step[PACK_RANK_MAX];
	struct windows w = {.words = words, .x = x, .size = size};
	int64_t *place = aligned_room(room);
	find_steps(&p, true, step);
	for (int64_t d = 0; d < p.rank; d++)
		w.planes[d] = step[d].planes;
	w.copy = lines_of(level, (int)size, w.planes[p.rank - 1].apart);
	find_low(&w, &p, own, nown, low);
	int64_t *offset = find_places(&p, own, nown, step, low, place);
	find_low(&w, &p, of_k, nk, low);
	w.part = (char *)find_places(&p, of_k, nk, step, low, offset);
	w.w = (struct product_windows){.at = w.part, .place = place, .offset = offset};
	if (has_lines(&p, own, nown, step))
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
	const char *first = next + (l->first * l->step + l->begin * l->apart) * w->size;
	for (const char *x = first; x < next + ((l->last - 1) * l->step + l->end * l->apart) * w->size; x += LINE_BYTES)
		__builtin_prefetch(x);
}

/* How many of a line's points, `apart` elements from each other, lie before the element that is so many away. */
static int64_t points_before(int64_t elements, const struct product_planes *line)
{
	return elements <= 0 ? 0 : lines_within((elements + line->apart - 1) / line->apart, line->extent);
}

/* Lines of the two innermost dimensions at an index of all, which of the others is in the tensor or not. fetches: those
 * at the next one are asked for. */
static void fill_lines(struct windows *w, const struct packing *p, const int64_t *index, bool inside, bool fetches,
		       char *to)
{
	int64_t at = 0, rank = p->rank, last = rank - 1;
	const struct product_planes one = {.apart = 1, .extent = 1}, *line = rank > 1 ? &w->planes[last - 1] : &one;
	struct lines l = {.count = line->extent, .extent = w->planes[last].extent, .apart = w->planes[last].apart};
	for (int64_t d = 0; d < rank; d++)
		at += index[d] * p->dim[d * PACK_DIM_WORDS + PACK_STRIDE];
	l.begin = points_before(-index[last], &w->planes[last]);
	l.end = points_before(p->dim[last * PACK_DIM_WORDS + PACK_EXTENT] - index[last], &w->planes[last]);
	l.last = l.count;
	if (rank > 1) {
		const int64_t *dim = p->dim + (last - 1) * PACK_DIM_WORDS;
		l.first = points_before(-index[last - 1], line);
		l.last = points_before(dim[PACK_EXTENT] - index[last - 1], line);
		l.step = dim[PACK_STRIDE] * line->apart;
	}
	if (!inside || l.begin >= l.end || l.first >= l.last)
		l.first = l.last = l.count;
	if (fetches)
		ahead(w, p, &l, at);
	w->copy(&l, w->x + at * w->size, to);
}

/* Goes on in dimensions `n`..0 of numbers that count to `most`, the last first; false after the last. */
static bool count_on(int64_t n, int64_t *number, const int64_t *most)
{
	for (int64_t d = n; d >= 0; d--) {
		if (++number[d] < most[d])
			return true;
		number[d] = 0;
	}
	return false;
}

/* The part from an index in the tensor on: all planes of the two innermost dimensions, one after the other while what
 * they share of the tensor is in the cache, then those of the next place in the others. */
static void fill_part(struct windows *w, const struct packing *p, const int64_t *low)
{
	int64_t plane[PACK_RANK_MAX] = {0}, turn[PACK_RANK_MAX] = {0}, planes[PACK_RANK_MAX], turns[PACK_RANK_MAX];
	int64_t index[PACK_RANK_MAX], outer = p->rank - 3, lines = w->size, whole;
	for (int64_t d = 0; d < p->rank; d++) {
		planes[d] = w->planes[d].count;
		turns[d] = w->planes[d].extent;
		lines *= d > outer ? turns[d] : 1;
	}
	whole = lines;
	for (int64_t d = 0; d <= outer; d++)
		whole *= turns[d];
	char *first = w->part;
	do {
		char *to = first;
		do {
			bool inside = true;
			for (int64_t d = 0; d < p->rank; d++) {
				index[d] = low[d] + plane[d] + turn[d] * w->planes[d].apart;
				inside = inside && (d > outer || (index[d] >= 0 &&
								  index[d] < p->dim[d * PACK_DIM_WORDS + PACK_EXTENT]));
			}
			fill_lines(w, p, index, inside, to == first, to);
			to += whole;
		} while (count_on(p->rank - 1, plane, planes));
		first += lines;
	} while (count_on(outer, turn, turns));
}

bool windows_at(struct windows *w, const struct product_turn *t)
{
	struct packing p = packing_of(w->words);
	int64_t index[PACK_RANK_MAX], size = w->size;
	bool moves = packing_moves(&p, w->words, t, w->had, index);
	if (w->in_place) {
		int64_t at = 0;
		for (int64_t i = 0; i < p.rank; i++)
			at += index[i] * p.dim[i * PACK_DIM_WORDS + PACK_STRIDE];
		w->w.at = w->x + at * w->size;
		return moves;
	}
	if (!moves && w->is_filled)
		return false;
	for (int64_t d = 0; d < p.rank; d++) {
		index[d] += w->planes[d].low;
		size *= w->planes[d].count * w->planes[d].extent;
	}
	fill_part(w, &p, index);
	if (w->round)
		w->round(size / w->size, (float *)(void *)w->part);
	w->is_filled = true;
	return true;
}
