/* factors.c — FACTORS nodes: square matrices factored, as it is meant; the runtime does it otherwise (runtime/eigen/,
 * runtime/lu/). Of symmetric ones eigenvalues and vectors, by turning planes of two lines until nothing is off the
 * diagonal (Jacobi, 1846): signs of vectors, and vectors of equal values, are the runtime's own. L u with partial
 * pivoting, by elimination. */
#include "graph.h"

#include "../../runtime/moves/count.h"

#include <math.h>

static const struct {
	const char *what;
	int64_t thirds;
} ways[] = {
#define FACTORS(name, text, what, thirds) {what, thirds},
#include "../../runtime/factors.def"
#undef FACTORS
};

const char *factors_what(enum factors_way way)
{
	return ways[way].what;
}

int64_t factors_operations(enum factors_way way, int64_t n)
{
	return count_mul(ways[way].thirds, count_mul(n, count_mul(n, n))) / 3;
}

struct shape factors_shape(const struct shape *a)
{
	struct shape s = *a;
	if (s.rank >= 2)
		s.dim[s.rank - 2] = s.dim[s.rank - 1] + 1;
	return s;
}

bool factors_fit(enum dtype t, const struct shape *a, const struct shape *out)
{
	struct shape s = factors_shape(a);
	return (t == DT_F32 || t == DT_F64) && a->rank >= 2 && a->dim[a->rank - 2] == a->dim[a->rank - 1] &&
	       shape_equal(&s, out);
}

bool factors_take(const struct node *n, const struct layout *l)
{
	for (int axis = 0; axis < n->place->naxes; axis++) {
		struct shard_atom x = l->atom[axis];
		if (x.kind != SHARD_B && (x.kind != SHARD_S || x.dim >= n->shape.rank - 2))
			return false;
	}
	return true;
}

/* Of lines p and q, and of the rows v of vectors. */
static void turn(int64_t n, double *a, double *v, int64_t p, int64_t q)
{
	double b = a[p * n + q], half = 0.5 * (a[q * n + q] - a[p * n + p]);
	if (b == 0)
		return;
	double t = (half < 0 ? -b : b) / (fabs(half) + sqrt(half * half + b * b)), c = 1 / sqrt(t * t + 1), s = t * c;
	for (int64_t k = 0; k < n; k++) {
		double x = a[p * n + k], y = a[q * n + k];
		a[p * n + k] = c * x - s * y;
		a[q * n + k] = s * x + c * y;
		x = v[p * n + k];
		y = v[q * n + k];
		v[p * n + k] = c * x - s * y;
		v[q * n + k] = s * x + c * y;
	}
	for (int64_t k = 0; k < n; k++) {
		double x = a[k * n + p], y = a[k * n + q];
		a[k * n + p] = c * x - s * y;
		a[k * n + q] = s * x + c * y;
	}
}

static void eigen(struct arena *scratch, int64_t n, const union scalar_value *in, union scalar_value *out)
{
	enum { SWEEPS = 40 };
	double *a = ARENA_ARRAY(scratch, double, n *n), *v = ARENA_ARRAY(scratch, double, n *n), wrong = 0;
	for (int64_t i = 0; i < n; i++)
		for (int64_t k = 0; k < n; k++) {
			a[i * n + k] = in[(i < k ? i * n + k : k * n + i)].f;
			wrong += 0 * a[i * n + k];
			v[i * n + k] = i == k;
		}
	for (int sweep = 0; sweep < SWEEPS && wrong == 0; sweep++)
		for (int64_t p = 0; p < n; p++)
			for (int64_t q = p + 1; q < n; q++)
				turn(n, a, v, p, q);
	for (int64_t i = 0; i < n; i++) {
		int64_t place = 0;
		for (int64_t k = 0; k < n; k++)
			place += a[k * n + k] < a[i * n + i] || (k < i && !(a[k * n + k] > a[i * n + i]));
		out[place].f = a[i * n + i] + wrong;
		for (int64_t k = 0; k < n; k++)
			out[(place + 1) * n + k].f = v[i * n + k] + wrong;
	}
}

static void exchange(int64_t n, union scalar_value *x, union scalar_value *y)
{
	for (int64_t k = 0; k < n; k++) {
		union scalar_value v = x[k];
		x[k] = y[k];
		y[k] = v;
	}
}

static void lu(int64_t n, const union scalar_value *in, union scalar_value *order, union scalar_value *a)
{
	for (int64_t i = 0; i < n * n; i++)
		a[i] = in[i];
	for (int64_t i = 0; i < n; i++)
		order[i].f = (double)i;
	for (int64_t j = 0; j < n; j++) {
		int64_t best = j;
		for (int64_t i = j; i < n; i++)
			if (fabs(a[i * n + j].f) > fabs(a[best * n + j].f) || isnan(a[best * n + j].f))
				best = isnan(a[i * n + j].f) ? best : i;
		exchange(n, a + j * n, a + best * n);
		exchange(1, order + j, order + best);
		double pivot = a[j * n + j].f;
		for (int64_t i = j + 1; i < n; i++) {
			if (pivot != 0)
				a[i * n + j].f /= pivot;
			for (int64_t k = j + 1; k < n; k++)
				a[i * n + k].f -= a[i * n + j].f * a[j * n + k].f;
		}
	}
}

void factors_interpret(enum factors_way way, enum dtype t, const struct shape *a, const union scalar_value *in,
		       union scalar_value *out)
{
	int64_t n = a->dim[a->rank - 1], count = n ? shape_volume(a) / (n * n) : 0;
	struct arena *scratch = arena_new("factors");
	for (int64_t i = 0; i < count; i++) {
		union scalar_value *to = out + i * (n + 1) * n;
		if (way == FACTORS_LU)
			lu(n, in + i * n * n, to, to + n);
		else
			eigen(scratch, n, in + i * n * n, to);
	}
	for (int64_t i = 0; i < count * n * (n + 1); i++)
		out[i] = scalar_convert(out[i], DT_F64, t);
	arena_free(scratch);
}
