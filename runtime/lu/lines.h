/* lines.h — the kernels of a level for a type. Included after a level's header of ../product/, T, INDEX (an integer as
 * long), FMA and the name KERNELS_OF. */
#include <float.h>
#include <math.h>

#include "../factors_vectors.h"

static ALWAYS I numbers(int64_t first)
{
	I x = {0};
	for (int i = 0; i < LANES; i++)
		x[i] = (INDEX)(first + i);
	return x;
}

static ALWAYS I choose_place(I where, I x, I other)
{
	return (x & where) | (other & ~where);
}

static ALWAYS V choose(I where, V x, V other)
{
	return (V)choose_place(where, (I)x, (I)other);
}

static ALWAYS V size_of(V x)
{
	return (V)((I)x & (INDEX)(((uint64_t)1 << (8 * sizeof(T) - 1)) - 1));
}

/* In each lane the first of the largest absolute values, -1 where all were NaN, and its place. */
struct most {
	V size;
	I place;
};

static ALWAYS struct most nothing(void)
{
	return (struct most){all(-1), (I){0}};
}

static ALWAYS void look(struct most *m, V x, I place, I where)
{
	V size = size_of(x);
	where &= (I)(size > m->size);
	m->size = choose(where, size, m->size);
	m->place = choose_place(where, place, m->place);
}

/* If all are NaN, `other`. */
static ALWAYS int64_t place_of(const struct most *m, int64_t other)
{
	T size = -1;
	int64_t place = other;
	for (int i = 0; i < LANES; i++) {
		T s = m->size[i];
		int64_t p = (int64_t)m->place[i];
		if (s > size || (s == size && s >= 0 && p < place)) {
			size = s;
			place = p;
		}
	}
	return place;
}

/* Lines `first` on of a column, as vectors from whole ones on: of the vector it stands in, and of the last. */
struct lines {
	int64_t first, begin, rows;
};

static ALWAYS I in(const struct lines *l, I place)
{
	return (I)(place >= (INDEX)l->first) & (I)(place < (INDEX)l->rows);
}

static int64_t largest(const struct lines *l, const T *x)
{
	struct most m = nothing();
	I place = numbers(l->begin);
	for (int64_t i = l->begin; i < l->rows; i += LANES, place += LANES)
		look(&m, at(x + i), place, in(l, place));
	return place_of(&m, l->first);
}

/* Columns less factor[c] times l; those of the lines alone. */
static ALWAYS void less(int count, const struct lines *l, const T *x, T *column, int64_t step, int64_t line)
{
	V f[4];
	UNROLL
	for (int c = 0; c < count; c++)
		f[c] = all(-column[c * step + line]);
	int64_t i = l->begin;
	I where = in(l, numbers(i));
	V v = at(x + i);
	UNROLL
	for (int c = 0; c < count; c++) {
		V old = at(column + c * step + i);
		put(column + c * step + i, choose(where, FMA(v, f[c], old), old));
	}
	for (i += LANES; i < l->rows; i += LANES) {
		v = at(x + i);
		UNROLL
		for (int c = 0; c < count; c++)
			put(column + c * step + i, FMA(v, f[c], at(column + c * step + i)));
	}
}

/* The same of one column, and where the largest of these lines then is. */
static int64_t less_and_largest(const struct lines *l, const T *x, T *column, int64_t line)
{
	struct most m = nothing();
	V f = all(-column[line]);
	I place = numbers(l->begin);
	for (int64_t i = l->begin; i < l->rows; i += LANES, place += LANES) {
		V old = at(column + i), v = FMA(at(x + i), f, old);
		I where = in(l, place);
		put(column + i, choose(where, v, old));
		look(&m, v, place, where);
	}
	return place_of(&m, l->first);
}

/* By multiplication, where the pivot has a reciprocal. */
static void divide(const struct lines *l, T *x, T pivot)
{
	T size = pivot < 0 ? -pivot : pivot;
	if (size == 0)
		return;
	if (!(size >= LEAST && 1 / size >= LEAST)) {
		for (int64_t i = l->first; i < l->rows; i++)
			x[i] /= pivot;
		return;
	}
	V by = all(1 / pivot);
	int64_t i = l->begin;
	put(x + i, choose(in(l, numbers(i)), at(x + i) * by, at(x + i)));
	for (i += LANES; i < l->rows; i += LANES)
		put(x + i, at(x + i) * by);
}

static void panel(int64_t rows, int64_t columns, void *at_panel, int64_t step, int64_t *pivot)
{
	T *p = at_panel;
	struct lines l = {0, 0, rows};
	int64_t best = largest(&l, p);
	for (int64_t j = 0; j < columns; j++) {
		pivot[j] = best;
		for (int64_t c = 0; c < columns; c++) {
			T x = p[c * step + j];
			p[c * step + j] = p[c * step + best];
			p[c * step + best] = x;
		}
		l = (struct lines){j + 1, (j + 1) / LANES * LANES, rows};
		if (j + 1 == rows)
			break;
		T *x = p + j * step;
		divide(&l, x, x[j]);
		if (j + 1 == columns)
			break;
		best = less_and_largest(&l, x, x + step, j);
		int64_t c = j + 2;
		for (; c + 4 <= columns; c += 4)
			less(4, &l, x, p + c * step, step, j);
		for (; c < columns; c++)
			less(1, &l, x, p + c * step, step, j);
	}
}

static ALWAYS void triangle_columns(int vectors, int64_t lines, const T *l, T *b, int64_t step)
{
	for (int64_t i = 1; i < lines; i++) {
		V s[4];
		UNROLL
		for (int v = 0; v < vectors; v++)
			s[v] = at(b + i * step + v * LANES);
		for (int64_t k = 0; k < i; k++) {
			V f = all(-l[i * step + k]);
			UNROLL
			for (int v = 0; v < vectors; v++)
				s[v] = FMA(f, at(b + k * step + v * LANES), s[v]);
		}
		UNROLL
		for (int v = 0; v < vectors; v++)
			put(b + i * step + v * LANES, s[v]);
	}
}

static void triangle(int64_t lines, int64_t n, const void *l, void *b, int64_t step)
{
	T *to = b;
	for (; n >= 4 * LANES; n -= 4 * LANES, to += 4 * LANES)
		triangle_columns(4, lines, l, to, step);
	for (; n >= LANES; n -= LANES, to += LANES)
		triangle_columns(1, lines, l, to, step);
	if (n == 0)
		return;
	T rest[LU_PANEL * LANES] = {0};
	for (int64_t i = 0; i < lines; i++)
		for (int64_t k = 0; k < n; k++)
			rest[i * LANES + k] = to[i * step + k];
	for (int64_t i = 1; i < lines; i++) {
		V s = at(rest + i * LANES);
		for (int64_t k = 0; k < i; k++)
			s = FMA(all(-((const T *)l)[i * step + k]), at(rest + k * LANES), s);
		put(rest + i * LANES, s);
	}
	for (int64_t i = 0; i < lines; i++)
		for (int64_t k = 0; k < n; k++)
			to[i * step + k] = rest[i * LANES + k];
}

static void exchange(int64_t lines, const int64_t *pivot, int64_t n, void *a, int64_t step)
{
	for (int64_t i = 0; i < lines; i++) {
		if (pivot[i] == i)
			continue;
		T *x = (T *)a + i * step, *y = (T *)a + pivot[i] * step;
		int64_t k = 0;
		for (; k + LANES <= n; k += LANES) {
			V v = at(x + k);
			put(x + k, at(y + k));
			put(y + k, v);
		}
		for (; k < n; k++) {
			T v = x[k];
			x[k] = y[k];
			y[k] = v;
		}
	}
}

#include "many.h"

const struct lu_kernels KERNELS_OF = {panel, triangle, exchange, LANES, many};
