/* leaf.c — a small tridiagonal matrix, by QL steps with implicit shifts (Martin, Wilkinson, 1968); rotations of a step
 * are applied to vectors together. */
#include "parts.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 60 };

/* The first line from l on that nothing joins to the next. Beside a matrix whose largest number is about 1 less than
 * LEAST is nothing. */
static int64_t end_of(int64_t l, int64_t n, const double *d, const double *e)
{
	static const double ROUNDING = 1.11e-16, LEAST = 1e-22;
	while (l < n - 1 && fabs(e[l]) > ROUNDING * (fabs(d[l]) + fabs(d[l + 1])) + LEAST)
		l++;
	return l;
}

/* A step over lines l to m; of how many pairs from m down there are rotations. */
static int64_t step(int64_t l, int64_t m, double *d, double *e, double *cosine, double *sine)
{
	double g = (d[l + 1] - d[l]) / (2 * e[l]), r = sqrt(g * g + 1);
	double s = 1, c = 1, p = 0;
	g = d[m] - d[l] + e[l] / (g + copysign(r, g));
	for (int64_t i = m - 1; i >= l; i--) {
		double f = s * e[i], b = c * e[i];
		r = sqrt(f * f + g * g);
		e[i + 1] = r;
		if (r == 0) {
			d[i + 1] -= p;
			e[m] = 0;
			return m - 1 - i;
		}
		double by = 1 / r;
		s = f * by;
		c = g * by;
		g = d[i + 1] - p;
		r = (d[i] - g) * s + 2 * c * b;
		p = s * r;
		d[i + 1] = g + p;
		g = c * r - b;
		cosine[i] = c;
		sine[i] = s;
	}
	d[l] -= p;
	e[l] = g;
	e[m] = 0;
	return m - l;
}

void eigen_leaf(struct eigen *x, int64_t first, int64_t n)
{
	double *d = x->diagonal + first, *e = x->line[0], *cosine = x->line[1], *sine = x->line[2];
	double *q = x->vectors + first * (x->step + 1);
	for (int64_t i = 0; i < n; i++) {
		e[i] = i < n - 1 ? x->beside[first + i] : 0;
		memset(q + i * x->step, 0, (size_t)(n + EIGEN_LANES) * sizeof *q);
		q[i * (x->step + 1)] = 1;
	}
	for (int64_t l = 0; l < n; l++)
		for (int steps = 0; steps < MOST_STEPS; steps++) {
			int64_t m = end_of(l, n, d, e);
			if (m == l)
				break;
			int64_t count = step(l, m, d, e, cosine, sine), top = m - count;
			x->kernels->turn(count, n, q + top * x->step, x->step, cosine + top, sine + top);
		}
	for (int64_t i = 0; i < n && x->single; i++)
		x->kernels->narrow(n, q + i * x->step, eigen_at(x, x->vectors, first + i, first));
}
