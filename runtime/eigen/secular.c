/* secular.c — the eigenvalue behind the last pole: where 1 / rho + sum of weight[k] / (d[k] - at) is 0 there, by steps
 * to where a function with the last two poles is 0 (Li, 1993, LAPACK working note 89), between bounds. */
#include "parts.h"

#include <math.h>

struct secular {
	int64_t n;
	double rho;
	const double *d, *weight;
	double pole[2], of_pole[2]; /* the last two, and what they weigh */
};
struct at {
	double value, slope, size; /* size: what rounding of the value is relative to */
};

static struct at at_distance(const struct secular *p, double distance)
{
	struct at f = {.value = 1 / p->rho, .size = 1 / p->rho};
	for (int64_t k = 0; k < p->n; k++) {
		double by = 1 / ((p->d[k] - p->pole[1]) - distance), t = p->weight[k] * by;
		f.value += t;
		f.size -= t;
		f.slope += t * by;
	}
	return f;
}

/* Where c x^2 - a x + b is 0, farthest to the right. */
static double farthest(double a, double b, double c)
{
	double root = sqrt(fmax(a * a - 4 * b * c, 0));
	if (a >= 0)
		return c == 0 ? 0 : (a + root) / (2 * c);
	return 2 * b / (a - root);
}

static double step_of(const struct secular *p, const struct at *f, double distance)
{
	double x = (p->pole[0] - p->pole[1]) - distance, y = -distance, own = p->of_pole[1] / y / y;
	double c = fabs(f->value - x * (f->slope - own) - y * own);
	double step = farthest((x + y) * f->value - x * y * f->slope, x * y * f->value, c);
	return f->value * step < 0 ? step : -f->value / f->slope;
}

static double first_guess(const struct secular *p, const struct at *f, double half)
{
	double gap = p->pole[1] - p->pole[0], *weight = (double[]){p->of_pole[0], p->of_pole[1]};
	double c = f->value + weight[0] / (gap + half) + weight[1] / half;
	return c > 0 ? farthest(weight[0] + weight[1] - c * gap, -weight[1] * gap, c) : half;
}

double eigen_last_root(int64_t n, double rho, const double *d, const double *weight, int64_t last, int64_t below)
{
	double all = 0;
	for (int64_t k = 0; k < n; k++)
		all += weight[k];
	all *= rho;
	if (below < 0)
		return all;
	struct secular p = {n, rho, d, weight, {d[below], d[last]}, {weight[below], weight[last]}};
	double half = 0.5 * all;
	struct at f = at_distance(&p, half);
	double low = f.value <= 0 ? half : 0, high = f.value <= 0 ? all * (1 + 4 * EIGEN_ROUNDING) : half;
	double distance = first_guess(&p, &f, half);
	if (!(distance > low && distance < high))
		distance = 0.5 * (low + high);
	for (int i = 0; i < EIGEN_STEPS; i++) {
		f = at_distance(&p, distance);
		if (fabs(f.value) <= 8 * EIGEN_ROUNDING * f.size)
			break;
		*(f.value < 0 ? &low : &high) = distance;
		double next = distance + step_of(&p, &f, distance);
		if (!(next > low && next < high))
			next = low > 0 ? sqrt(low) * sqrt(high) : high / 64;
		bool is_close = fabs(next - distance) <= EIGEN_CLOSE * next;
		distance = next;
		if (is_close)
			break;
	}
	return distance;
}
