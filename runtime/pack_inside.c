/* pack_inside.c — see pack_inside.h. Columns go in blocks, whose places are found once for all rows, and what
 * neighbouring rows find in the same line of the cache is then still there. */
#include "pack_inside.h"

#include <string.h>

enum {
	LONG_RUN = 16,    /* neighbours that are copied as such */
	LONG_LINES = 128, /* elements of lines of neighbours that cost no more than their places */
};

static int64_t stride_of(const struct packing *p, const int64_t *factor)
{
	int64_t stride = 0;
	for (int64_t d = 0; d < p->rank; d++)
		stride += factor[1 + d] * p->dim[d * PACK_DIM_WORDS + PACK_STRIDE];
	return stride;
}

/* Factors that go on where the next one ends are one. */
static struct strides strides_of(const struct packing *p, const int64_t *list, int64_t n)
{
	struct strides s = {.n = 0, .count = packing_volume(p, list, n)};
	for (int64_t i = 0; i < n; i++) {
		int64_t extent = packing_factor(p, list, i)[0], step = stride_of(p, packing_factor(p, list, i));
		if (extent == 1)
			continue;
		bool joins = s.n && s.step[s.n - 1] == extent * step;
		s.n += !joins;
		s.extent[s.n - 1] = joins ? s.extent[s.n - 1] * extent : extent;
		s.step[s.n - 1] = step;
	}
	return s;
}

static int64_t place_at(const struct strides *s, int64_t i)
{
	int64_t at = 0;
	for (int64_t f = s->n - 1; f >= 0; f--) {
		at += i % s->extent[f] * s->step[f];
		i /= s->extent[f];
	}
	return at;
}

/* What one call copies where lines are taken together: the two innermost factors, of neighbours. */
static bool has_long_lines(const struct packing *p)
{
	if (!p->ncols || stride_of(p, packing_factor(p, p->col, p->ncols - 1)) != 1)
		return false;
	int64_t inner = p->ncols > 1 ? 2 : 1;
	return packing_volume(p, packing_factor(p, p->col, p->ncols - inner), inner) >= LONG_LINES;
}

bool inside_of(const struct packing *p, const int64_t *first, struct inside *s)
{
	s->begin = 0;
	for (int64_t d = 0; d < p->rank; d++) {
		const int64_t *dim = p->dim + d * PACK_DIM_WORDS;
		struct product_reach r = packing_reach(p, p->row, p->nrows + p->ncols, d);
		if (dim[PACK_DIV] != 1 || first[d] + r.low < 0 || first[d] + r.high >= dim[PACK_EXTENT])
			return false;
		s->begin += first[d] * dim[PACK_STRIDE];
	}
	if (has_long_lines(p))
		return false;
	s->rows = strides_of(p, p->row, p->nrows);
	s->columns = strides_of(p, p->col, p->ncols);
	int64_t last = s->columns.n - 1;
	s->run = 1;
	if (last >= 0 && s->columns.step[last] == 1 && s->columns.extent[last] >= LONG_RUN) {
		s->run = s->columns.extent[last];
		s->columns.count /= s->run;
		s->columns.n = last;
	}
	return true;
}

#define GATHER(T) \
	static void gather_##T(int64_t n, const int64_t *place, const void *from, void *to) \
	{ \
		for (int64_t i = 0; i < n; i++) \
			((T *)to)[i] = ((const T *)from)[place[i]]; \
	}
GATHER(uint8_t)
GATHER(uint16_t)
GATHER(uint32_t)
GATHER(uint64_t)

static void gather_runs(int64_t n, const int64_t *place, int64_t run, int64_t size, const char *from, char *to)
{
	for (int64_t i = 0; i < n; i++)
		memcpy(to + i * run * size, from + place[i] * size, (size_t)(run * size));
}

void inside_rows(const struct inside *s, int size, const void *x, int64_t begin, int64_t end, void *matrix)
{
	int64_t place[INSIDE_PLACES], columns = s->columns.count, run = s->run;
	for (int64_t c = 0; c < columns; c += INSIDE_PLACES) {
		int64_t n = columns - c < INSIDE_PLACES ? columns - c : INSIDE_PLACES;
		for (int64_t i = 0; i < n; i++)
			place[i] = place_at(&s->columns, c + i);
		for (int64_t r = begin; r < end; r++) {
			const char *from = (const char *)x + (s->begin + place_at(&s->rows, r)) * size;
			char *to = (char *)matrix + (r * columns + c) * run * size;
			if (run > 1)
				gather_runs(n, place, run, size, from, to);
			else
				(size == 1   ? gather_uint8_t
				 : size == 2 ? gather_uint16_t
				 : size == 4 ? gather_uint32_t
					     : gather_uint64_t)(n, place, from, to);
		}
	}
}
