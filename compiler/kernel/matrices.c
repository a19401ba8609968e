/* matrices.c — from the dimensions of a contraction to matrix products and loops around them. */
#include "matrices.h"

bool role_of_factor(const struct access *a, const struct access *b, const struct access *c, int factor,
		    enum factor_role *role)
{
	bool in_a = access_uses(a, factor), in_b = access_uses(b, factor), in_c = access_uses(c, factor);
	*role = in_a && in_b ? in_c ? IN_BATCH : IN_K : in_a ? IN_M : IN_N;
	return (in_a && in_b) || (in_c && (in_a || in_b));
}

struct index index_of_many_values(const struct rule *r, const struct index *x)
{
	struct index y = *x;
	y.nterms = 0;
	for (int i = 0; i < x->nterms; i++)
		if (r->factor[x->term[i].factor].extent != 1)
			y.term[y.nterms++] = x->term[i];
	return y;
}

void row_major(const struct shape *s, int64_t *stride)
{
	int64_t v = 1;
	for (int d = s->rank - 1; d >= 0; d--) {
		stride[d] = v;
		v *= s->dim[d];
	}
}

int64_t step_along(const struct access *x, const int64_t *stride, int factor)
{
	uint64_t step = 0; /* of a factor that has one number the coefficient may be any, and nothing is stepped by it */
	for (int d = 0; d < x->rank; d++)
		step += (uint64_t)index_coef(&x->index[d], factor) * (uint64_t)stride[d];
	return (int64_t)step;
}

int64_t first_element(const struct strided *s, const struct access *x)
{
	int64_t at = s->offset;
	for (int d = 0; d < x->rank; d++)
		at += x->dim[d] == 1 ? 0 : x->index[d].offset * s->stride[d];
	return at;
}

/* Orders by stride in one tensor, largest first, and joins neighbours that step evenly in all. */
static void merge(struct dims *d, int by)
{
	for (int i = 1; i < d->n; i++)
		for (int j = i; j > 0 && d->at[j - 1].stride[by] < d->at[j].stride[by]; j--) {
			struct dim t = d->at[j];
			d->at[j] = d->at[j - 1];
			d->at[j - 1] = t;
		}
	int kept = d->n > 0;
	for (int i = 1; i < d->n; i++) {
		struct dim *outer = &d->at[kept - 1];
		bool even = true;
		for (int t = 0; t < TENSORS; t++)
			even = even && outer->stride[t] == d->at[i].stride[t] * d->at[i].extent;
		if (even) {
			d->at[i].extent *= outer->extent;
			*outer = d->at[i];
		} else {
			d->at[kept++] = d->at[i];
		}
	}
	d->n = kept;
}

bool strides_as_matrix(int64_t rows, int64_t cols, int64_t row_stride, int64_t col_stride, bool *transposed,
		       int64_t *ld)
{
	if (col_stride == 1 || cols == 1) {
		*transposed = false;
		*ld = rows == 1 || row_stride < cols ? cols : row_stride;
		if (rows == 1 || row_stride >= cols)
			return cols == 1 ? (*ld = rows == 1 ? 1 : row_stride, true) : true;
	}
	if (row_stride == 1 || rows == 1) {
		*transposed = true;
		*ld = cols == 1 || col_stride < rows ? rows : col_stride;
		return cols == 1 || col_stride >= rows;
	}
	return false;
}

/* One choice: which dimension of each role is of the matrices (-1 where there is none), and which tensor is on the
 * left. */
struct choice {
	int of[ROLES];
	bool swapped;
};

static struct dim chosen(const struct dims *dims, const struct choice *x, enum factor_role role)
{
	return x->of[role] < 0 ? (struct dim){.extent = 1} : dims[role].at[x->of[role]];
}

static bool as_matrices(struct contraction *c, const struct dims *dims, const struct choice *x)
{
	int left = x->swapped ? IN_B : IN_A, right = x->swapped ? IN_A : IN_B;
	struct dim m = chosen(dims, x, x->swapped ? IN_N : IN_M), n = chosen(dims, x, x->swapped ? IN_M : IN_N);
	struct dim k = chosen(dims, x, IN_K);
	bool tc;
	c->m = m.extent;
	c->n = n.extent;
	c->k = k.extent;
	return strides_as_matrix(c->m, c->k, m.stride[left], k.stride[left], &c->ta, &c->lda) &&
	       strides_as_matrix(c->k, c->n, k.stride[right], n.stride[right], &c->tb, &c->ldb) &&
	       strides_as_matrix(c->m, c->n, m.stride[IN_C], n.stride[IN_C], &tc, &c->ldc) && !tc &&
	       (c->n == 1 || n.stride[IN_C] == 1);
}

static void add_loops(struct contraction *c, const struct dims *dims, const struct choice *x, enum factor_role role)
{
	for (int i = 0; i < dims[role].n; i++)
		if (i != x->of[role]) {
			const struct dim *d = &dims[role].at[i];
			c->loop[c->nloops++] =
				(struct product_loop){d->extent, d->stride[x->swapped ? IN_B : IN_A],
						      d->stride[x->swapped ? IN_A : IN_B], d->stride[IN_C]};
		}
}

/* In multiplications: what copying an element of an operand to a packed block costs, and what a call does. Measured
 * on products of 32 to 1024 rows. */
enum { COPY_COST = 16, CALL_COST = 1 << 14 };

double contraction_cost(const struct contraction *c)
{
	double m = (double)c->m, n = (double)c->n, k = (double)c->k, turns = 1;
	for (int i = 0; i < c->nloops; i++)
		turns *= (double)c->loop[i].extent;
	return turns * (m * n * k + COPY_COST * (m * k + k * n + m * n) + CALL_COST);
}

/* Loops over k come last: C stays in cache while they add to it. */
static void describe(struct arena *arena, struct contraction *c, struct strided a, struct strided b,
		     const struct dims *dims, const struct choice *x)
{
	c->a = x->swapped ? b.base : a.base;
	c->b = x->swapped ? a.base : b.base;
	c->offset_a = x->swapped ? b.offset : a.offset;
	c->offset_b = x->swapped ? a.offset : b.offset;
	int nloops = 0;
	for (int role = 0; role < ROLES; role++)
		nloops += dims[role].n - (x->of[role] >= 0);
	c->nloops = 0;
	c->loop = ARENA_ARRAY(arena, struct product_loop, nloops);
	add_loops(c, dims, x, IN_BATCH);
	add_loops(c, dims, x, IN_M);
	add_loops(c, dims, x, IN_N);
	add_loops(c, dims, x, IN_K);
}

/* The next combination of dimensions, the last of each role first; false after the last one. */
static bool next_choice(const struct dims *dims, struct choice *x)
{
	for (int role = IN_M; role < ROLES; role++) {
		if (x->of[role] > 0) {
			x->of[role]--;
			return true;
		}
		x->of[role] = dims[role].n - 1;
	}
	return false;
}

bool contraction_as_matrices(struct arena *arena, struct contraction *c, struct strided a, struct strided b,
			     struct dims *dims)
{
	struct choice x = {.of = {[IN_BATCH] = -1}};
	struct contraction best = *c;
	double least = -1;
	for (int role = 0; role < ROLES; role++) {
		merge(&dims[role], role == IN_K ? IN_A : IN_C);
		if (role != IN_BATCH)
			x.of[role] = dims[role].n - 1;
	}
	do {
		for (int side = 0; side < 2; side++) {
			x.swapped = side;
			if (!as_matrices(c, dims, &x))
				continue;
			describe(arena, c, a, b, dims, &x);
			double cost = contraction_cost(c);
			if (least < 0 || cost < least || (cost == least && c->n > best.n)) {
				least = cost;
				best = *c;
			}
		}
	} while (next_choice(dims, &x));
	*c = best;
	return least >= 0;
}
