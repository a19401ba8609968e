/* halves.c — a tridiagonal matrix as two of half as many lines that an element joins, which is a matrix of rank one
 * beside them (Cuppen, 1981). What the joint changes by less than rounding stays as it is, and of two values that are
 * as good as equal one does (Dongarra, Sorensen, 1987). Vectors of the others are those of the joint for which the
 * values found are exact, so they are orthogonal however close values are (Gu, Eisenstat, 1994). */
#include "parts.h"

#include <math.h>
#include <string.h>

enum { LEAF = 12 };
static const double ROUNDING = 1.11e-16;
/* Of a value of singles, as a part of it: what rounding it to f32 changes. */
static const double ALIKE = 6e-8;
static const double AWAY = 1e300; /* a pole that weighs nothing */

enum half { IN_FIRST, IN_BOTH, IN_SECOND, HALVES };

/* Two halves, `half` of n lines and the others, from line `first` on. Rows of vectors and columns are counted from
 * there. */
struct joint {
	struct eigen *x;
	int64_t first, half, n;
	double beside;                /* what joins them */
	double *d, *z, rho;           /* of rows of vectors the values; of each what the joint sees of it */
	int64_t *order, *kept, *in,
		*left; /* the smallest first; rows that change, and those that stay; of each an enum half */
	int64_t nkept, nleft;
	int64_t of[HALVES]; /* rows that change, by where they are not 0 */
};

static void sort(int64_t n, int64_t *order, const double *d)
{
	for (int64_t i = 1; i < n; i++) {
		int64_t row = order[i], k = i;
		for (; k > 0 && d[order[k - 1]] > d[row]; k--)
			order[k] = order[k - 1];
		order[k] = row;
	}
}

/* Both in order. */
static void merge(const double *d, int64_t na, const int64_t *a, int64_t nb, const int64_t *b, int64_t *out)
{
	int64_t i = 0, k = 0;
	while (i < na || k < nb)
		if (k == nb || (i < na && d[a[i]] <= d[b[k]]))
			*out++ = a[i++];
		else
			*out++ = b[k++];
}

static void *vector_at(const struct joint *j, int64_t row, int64_t column)
{
	return eigen_at(j->x, j->x->vectors, j->first + row, j->first + column);
}

static struct joint joint_of(struct eigen *x, int64_t first, int64_t half, int64_t n, double beside)
{
	struct joint j = {.x = x,
			  .first = first,
			  .half = half,
			  .n = n,
			  .beside = beside,
			  .d = x->diagonal + first,
			  .z = x->line[0],
			  .rho = 2 * fabs(beside),
			  .order = x->order + first,
			  .kept = x->number[0],
			  .left = x->number[1],
			  .in = x->number[2]};
	double root = sqrt(0.5);
	for (int64_t r = 0; r < n; r++) {
		bool is_first = r < half;
		j.in[r] = is_first ? IN_FIRST : IN_SECOND;
		const void *edge = vector_at(&j, r, half - is_first);
		double seen = x->single ? (double)*(const float *)edge : *(const double *)edge;
		j.z[r] = root * seen * (is_first || beside > 0 ? 1 : -1);
	}
	int64_t *merged = x->number[3];
	for (int64_t r = half; r < n; r++)
		j.order[r] += half;
	merge(j.d, half, j.order, n - half, j.order + half, merged);
	memcpy(j.order, merged, (size_t)n * sizeof *merged);
	return j;
}

/* What a row has of the columns from *from on to *behind. */
static void reach_of(const struct joint *j, int64_t row, int64_t *from, int64_t *behind)
{
	*from = j->in[row] == IN_SECOND ? j->half : 0;
	*behind = j->in[row] == IN_FIRST ? j->half : j->n;
}

/* A row, at `to`, is 0 in the other columns. */
static void fill(const struct joint *j, int64_t row, void *to)
{
	int64_t from, behind, size = eigen_size(j->x);
	reach_of(j, row, &from, &behind);
	memset(to, 0, (size_t)(from * size));
	memset((char *)to + behind * size, 0, (size_t)((j->n - behind) * size));
}

/* What may change of a row's value beside `least`. */
static double alike(const struct joint *j, int64_t row)
{
	return j->x->single ? ALIKE * fabs(j->d[row]) : 0;
}

/* Of two rows that are kept, the second of which the joint sees all of then, if that changes less than `least`, or of
 * singles nothing that they hold. */
static bool turns_away(struct joint *j, int64_t a, int64_t b, double least)
{
	double size = sqrt(j->z[a] * j->z[a] + j->z[b] * j->z[b]), c = j->z[b] / size, s = j->z[a] / size;
	double apart = j->d[b] - j->d[a];
	if (fabs(apart * c * s) > fmax(least, fmin(alike(j, a), alike(j, b))))
		return false;
	j->z[b] = size;
	j->z[a] = 0;
	if (j->in[a] != j->in[b]) {
		fill(j, a, vector_at(j, a, 0));
		fill(j, b, vector_at(j, b, 0));
		j->in[a] = j->in[b] = IN_BOTH;
	}
	if (j->x->single)
		j->x->kernels->turn_singles(j->n, vector_at(j, a, 0), vector_at(j, b, 0), c, s);
	else
		j->x->kernels->turn(1, j->n, vector_at(j, a, 0), (b - a) * j->x->step, &c, &s);
	double of_a = j->d[a] * c * c + j->d[b] * s * s;
	j->d[b] = j->d[a] * s * s + j->d[b] * c * c;
	j->d[a] = of_a;
	return true;
}

static void choose(struct joint *j)
{
	double largest = 0, seen = 0;
	for (int64_t r = 0; r < j->n; r++) {
		largest = fmax(largest, fabs(j->d[r]));
		seen = fmax(seen, fabs(j->z[r]));
	}
	double least = 8 * ROUNDING * fmax(largest, seen);
	for (int64_t i = 0; i < j->n; i++) {
		int64_t row = j->order[i];
		if (j->rho * fabs(j->z[row]) <= fmax(least, alike(j, row))) {
			j->left[j->nleft++] = row;
		} else {
			if (j->nkept && turns_away(j, j->kept[j->nkept - 1], row, least))
				j->left[j->nleft++] = j->kept[--j->nkept];
			j->kept[j->nkept++] = row;
		}
	}
}

/* Rows that are kept behind each other by where they are not 0, and those that stay behind them; place: of each that
 * is kept, by value. */
static void gather(struct joint *j, int64_t *place)
{
	struct eigen *x = j->x;
	int64_t at[HALVES] = {0};
	for (int64_t i = 0; i < j->nkept; i++)
		j->of[j->in[j->kept[i]]]++;
	for (int h = 1; h < HALVES; h++)
		at[h] = at[h - 1] + j->of[h - 1];
	for (int64_t i = 0; i < j->n; i++) {
		bool is_kept = i < j->nkept;
		int64_t row = is_kept ? j->kept[i] : j->left[i - j->nkept], to = is_kept ? at[j->in[row]]++ : i;
		void *copy = eigen_at(x, x->a, to, 0);
		int64_t from, behind, size = eigen_size(x);
		reach_of(j, row, &from, &behind);
		memcpy((char *)copy + from * size, vector_at(j, row, from), (size_t)((behind - from) * size));
		if (!is_kept)
			fill(j, row, copy);
		if (is_kept)
			place[i] = to;
	}
}

/* A line of n numbers, of which those of rows that are kept are given, in their place. */
static void placed(const struct joint *j, const int64_t *place, const double *from, double *to)
{
	for (int64_t i = 0; i < j->nkept; i++)
		to[place[i]] = from[j->kept[i]];
	for (int64_t i = j->nkept; i < j->nkept + EIGEN_LANES; i++)
		to[i] = 0;
}

/* Distances of the roots from the poles at `origin`. */
static void find_roots(const struct joint *j, const int64_t *place, const double *d, const double *weight,
		       double *origin, double *distance)
{
	double *pole = j->x->line[6], *of_pole = j->x->line[7];
	int64_t n = j->nkept;
	for (int64_t i = 0; i < n; i++) {
		pole[i] = d[place[i]];
		of_pole[i] = weight[place[i]];
	}
	for (int64_t i = n; i < n + EIGEN_LANES; i++) {
		pole[i] = pole[i - 1] + 1;
		of_pole[i] = 0;
	}
	j->x->kernels->between(n, d, weight, j->rho, n - 1, pole, of_pole, origin, distance);
	origin[n - 1] = pole[n - 1];
	distance[n - 1] = eigen_last_root(n, j->rho, d, weight, place[n - 1], n > 1 ? place[n - 2] : -1);
}

/* Values, and in rows of x->joint the vectors of the joint. */
static void vectors_of_joint(struct joint *j, const int64_t *place, double *values)
{
	struct eigen *x = j->x;
	const struct eigen_kernels *k = x->kernels;
	double *d = x->line[1], *weight = x->line[2], *z = x->line[3], *product = x->line[4], *of = x->line[5];
	int64_t n = j->nkept;
	placed(j, place, j->d, d);
	placed(j, place, j->z, z);
	for (int64_t i = n; i < n + EIGEN_LANES; i++)
		d[i] = AWAY;
	for (int64_t i = 0; i < n + EIGEN_LANES; i++)
		weight[i] = z[i] * z[i];
	double *origin = of, *distance = product;
	find_roots(j, place, d, weight, origin, distance);
	for (int64_t i = 0; i < n; i++) {
		values[i] = origin[i] + distance[i];
		k->apart(n, d, origin[i], distance[i], x->joint + i * x->step);
	}
	for (int64_t i = 0; i < n + EIGEN_LANES; i++)
		product[i] = 1;
	for (int64_t i = 0; i < n; i++)
		of[i] = d[place[i]];
	k->weigh(n, n, x->joint, x->step, d, of, product);
	for (int64_t i = 0; i < n; i++)
		z[i] = copysign(sqrt(fabs(product[i])), z[i]);
	for (int64_t i = 0; i < n; i++) {
		double *row = x->joint + i * x->step;
		k->vector(n, z, row);
		if (x->single)
			k->narrow(n, row, (float *)(void *)row);
	}
}

/* Columns of the rows that are kept, by what the joint has of rows `from` on of those gathered. */
static void multiply(const struct joint *j, int64_t from, int64_t rows, int64_t column, int64_t columns)
{
	struct eigen *x = j->x;
	struct product p = {.m = j->nkept,
			    .n = columns,
			    .k = rows,
			    .a = {eigen_at(x, x->joint, 0, from), eigen_pitch(x), 1},
			    .b = {eigen_at(x, x->a, from, column), eigen_pitch(x), 1},
			    .c = vector_at(j, 0, column),
			    .ldc = eigen_pitch(x),
			    .alpha = 1};
	eigen_product(x, &p);
}

static void join(struct eigen *x, int64_t first, int64_t half, int64_t n, double beside)
{
	struct joint j = joint_of(x, first, half, n, beside);
	int64_t *place = x->number[4];
	choose(&j);
	if (!j.nkept) {
		for (int64_t row = 0; row < n; row++)
			fill(&j, row, vector_at(&j, row, 0));
		sort(n, j.order, j.d);
		return;
	}
	gather(&j, place);
	double *values = x->line[8];
	vectors_of_joint(&j, place, values);
	multiply(&j, 0, j.of[IN_FIRST] + j.of[IN_BOTH], 0, half);
	multiply(&j, j.of[IN_FIRST], j.of[IN_BOTH] + j.of[IN_SECOND], half, n - half);
	for (int64_t i = 0; i < j.nleft; i++) {
		memcpy(vector_at(&j, j.nkept + i, 0), eigen_at(x, x->a, j.nkept + i, 0), (size_t)(n * eigen_size(x)));
		values[j.nkept + i] = j.d[j.left[i]];
	}
	memcpy(j.d, values, (size_t)n * sizeof *values);
	int64_t *kept = x->number[0], *left = x->number[1];
	for (int64_t i = 0; i < n; i++)
		*(i < j.nkept ? &kept[i] : &left[i - j.nkept]) = i;
	sort(j.nkept, kept, j.d);
	sort(j.nleft, left, j.d);
	merge(j.d, j.nkept, kept, j.nleft, left, j.order);
}

static void solve(struct eigen *x, int64_t first, int64_t n)
{
	if (n <= LEAF) {
		eigen_leaf(x, first, n);
		for (int64_t i = 0; i < n; i++)
			x->order[first + i] = i;
		sort(n, x->order + first, x->diagonal + first);
		return;
	}
	int64_t half = n / 2;
	double beside = x->beside[first + half - 1];
	x->diagonal[first + half - 1] -= fabs(beside);
	x->diagonal[first + half] -= fabs(beside);
	solve(x, first, half);
	solve(x, first + half, n - half);
	join(x, first, half, n, beside);
}

void eigen_halves(struct eigen *x)
{
	solve(x, 0, x->n);
}
