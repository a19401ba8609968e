/* contraction.c — recognises matrix multiplications among sums of products.
 *
 * Factors of the sum are sorted by where they occur: in A, B and the result (batch), A and result (m), B and result
 * (n), A and B (k). Neighbouring factors of a kind that step evenly in both tensors they occur in merge into one.
 * Transposed operands are flags, permuted ones are strides, slices are offsets, and what a batch dimension cannot express becomes several
 * calls. */
#include "contraction.h"

#include "lower.h"

#include <string.h>

/* Below this many multiplications a call costs more than loops. */
static const int64_t worth_a_call = 4096;

static void row_major(const struct shape *s, int64_t *stride)
{
	int64_t v = 1;
	for (int d = s->rank - 1; d >= 0; d--) {
		stride[d] = v;
		v *= s->dim[d];
	}
}

/* Element p of the result is element p (permuted, sliced) of operand 0, nothing computed. */
static bool is_rearrangement(const struct phys_node *n)
{
	if (n->kind != PHYS_MAP || n->nin != 1 || !map_is_pointwise(n) || n->rule->body->kind != SCALAR_OPERAND)
		return false;
	const struct access *a = &n->rule->operand[0];
	for (int d = 0; d < a->rank; d++) {
		const struct index *x = &a->index[d];
		if (x->data >= 0 || x->guarded || x->div != 1)
			return false;
		bool shifted = n->origins && n->origins->operand[0][d].type >= 0;
		for (int i = 0; i < x->nterms; i++)
			shifted = shifted || (n->origins && n->origins->factor[x->term[i].factor].type >= 0);
		int f = index_factor(x);
		if (shifted && (f < 0 || n->origins->operand[0][d].type != n->origins->factor[f].type))
			return false;
	}
	return true;
}

static struct strided through_rearrangement(struct phys_node *n)
{
	struct strided in = strided_of(n->in[0]), out = {in.base, in.offset, {0}};
	const struct access *a = &n->rule->operand[0];
	for (int d = 0; d < a->rank; d++)
		out.offset += a->index[d].offset * in.stride[d];
	for (int e = 0; e < n->shape.rank; e++) {
		int f = index_factor(&n->rule->out.index[e]);
		for (int d = 0; f >= 0 && d < a->rank; d++)
			for (int i = 0; i < a->index[d].nterms; i++)
				if (a->index[d].term[i].factor == f)
					out.stride[e] += a->index[d].term[i].coef * in.stride[d];
	}
	return out;
}

static bool is_contiguous(const struct strided *s, const struct shape *shape)
{
	int64_t plain[MAX_RANK];
	row_major(shape, plain);
	for (int d = 0; d < shape->rank; d++)
		if (shape->dim[d] != 1 && s->stride[d] != plain[d])
			return false;
	return true;
}

struct strided strided_of(struct phys_node *n)
{
	if (is_rearrangement(n))
		return through_rearrangement(n);
	struct strided s = {n, 0, {0}};
	if (n->kind == PHYS_VIEW) {
		struct strided in = strided_of(n->in[0]);
		if (is_contiguous(&in, &n->in[0]->shape)) {
			s.base = in.base;
			s.offset = in.offset;
		} else {
			while (s.base->kind == PHYS_VIEW)
				s.base = s.base->in[0];
		}
	}
	row_major(&n->shape, s.stride);
	return s;
}

struct phys_node *scalar_behind(struct phys_node *n)
{
	if (shape_volume(&n->shape) == 1)
		return n;
	if (n->kind == PHYS_MAP && n->nin == 1 && map_is_pointwise(n) && n->rule->body->kind == SCALAR_OPERAND)
		return scalar_behind(n->in[0]);
	return NULL;
}

bool coefficient_multiply(struct coefficient *x, const struct coefficient *y)
{
	if (x->ntimes + y->ntimes > MAX_COEFFICIENTS || x->nover + y->nover > MAX_COEFFICIENTS)
		return false;
	x->number *= y->number;
	memcpy(x->times + x->ntimes, y->times, sizeof y->times[0] * (size_t)y->ntimes);
	memcpy(x->over + x->nover, y->over, sizeof y->over[0] * (size_t)y->nover);
	x->ntimes += y->ntimes;
	x->nover += y->nover;
	return true;
}

/* An expression of one-element operands and numbers as a coefficient. */
static bool as_coefficient(const struct phys_node *n, const struct scalar *s, struct coefficient *c)
{
	struct coefficient x, y;
	*c = (struct coefficient){.number = 1};
	if (s->kind == SCALAR_CONST) {
		c->number = dtype_is_float(s->type) ? s->f : (double)s->i;
		return true;
	}
	if (s->kind == SCALAR_OPERAND) {
		struct phys_node *one = scalar_behind(n->in[s->index]);
		if (!one || one->dtype != n->dtype)
			return false;
		if (one->kind == PHYS_CONST)
			c->number = one->number.f;
		else
			c->times[c->ntimes++] = one;
		return true;
	}
	if (s->kind != SCALAR_APPLY || s->type != n->dtype)
		return false;
	if (s->fn == SC_NEG && as_coefficient(n, s->arg[0], c)) {
		c->number = -c->number;
		return true;
	}
	if ((s->fn != SC_MUL && s->fn != SC_DIV) || !as_coefficient(n, s->arg[0], &x) ||
	    !as_coefficient(n, s->arg[1], &y))
		return false;
	*c = x;
	if (s->fn == SC_MUL)
		return coefficient_multiply(c, &y);
	struct coefficient inverse = {.number = 1 / y.number, .ntimes = y.nover, .nover = y.ntimes};
	memcpy(inverse.times, y.over, sizeof y.over);
	memcpy(inverse.over, y.times, sizeof y.times);
	return coefficient_multiply(c, &inverse);
}

static const struct scalar *apply(struct arena *a, enum scalar_fn fn, enum dtype t, const struct scalar *x,
				  const struct scalar *y)
{
	return scalar_apply(a, fn, t, x, y, NULL);
}

bool linear_in_operand(struct arena *a, const struct phys_node *n, const struct scalar *s, int k,
		       struct coefficient *coef, const struct scalar **rest)
{
	*coef = (struct coefficient){.number = 1};
	*rest = NULL;
	if (s->kind == SCALAR_OPERAND && s->index == k)
		return true;
	if (s->kind != SCALAR_APPLY || s->type != n->dtype)
		return false;
	if (s->fn == SC_NEG) {
		if (!linear_in_operand(a, n, s->arg[0], k, coef, rest))
			return false;
		coef->number = -coef->number;
		*rest = *rest ? apply(a, SC_NEG, s->type, *rest, NULL) : NULL;
		return true;
	}
	bool left = s->arg[0] && scalar_uses_operand(s->arg[0], k);
	bool right = scalar_arity(s->fn) > 1 && scalar_uses_operand(s->arg[1], k);
	if (left == right)
		return false;
	const struct scalar *with = s->arg[left ? 0 : 1], *other = s->arg[left ? 1 : 0];
	if (s->fn == SC_ADD || s->fn == SC_SUB) {
		if (!linear_in_operand(a, n, with, k, coef, rest))
			return false;
		bool minus = s->fn == SC_SUB && right;
		coef->number = minus ? -coef->number : coef->number;
		if (s->fn == SC_SUB && left)
			*rest = *rest ? apply(a, SC_SUB, s->type, *rest, other)
				      : apply(a, SC_NEG, s->type, other, NULL);
		else
			*rest = *rest ? apply(a, s->fn, s->type, other, *rest) : other;
		return true;
	}
	struct coefficient c;
	if ((s->fn != SC_MUL && (s->fn != SC_DIV || right)) || !linear_in_operand(a, n, with, k, coef, rest) ||
	    !as_coefficient(n, other, &c))
		return false;
	*rest = *rest ? apply(a, s->fn, s->type, *rest, other) : NULL;
	if (s->fn == SC_MUL)
		return coefficient_multiply(coef, &c);
	struct coefficient inverse = {.number = 1 / c.number, .ntimes = c.nover, .nover = c.ntimes};
	memcpy(inverse.times, c.over, sizeof c.over);
	memcpy(inverse.over, c.times, sizeof c.times);
	return coefficient_multiply(coef, &inverse);
}

/* The two tensors of a product body and its coefficient. */
static bool product_operands(const struct phys_node *n, const struct scalar *s, int *tensor, int *ntensors,
			     struct coefficient *alpha)
{
	struct coefficient c;
	if (s->kind == SCALAR_OPERAND && !scalar_behind(n->in[s->index])) {
		if (*ntensors == 2)
			return false;
		tensor[(*ntensors)++] = s->index;
		return true;
	}
	if (as_coefficient(n, s, &c))
		return coefficient_multiply(alpha, &c);
	if (s->kind != SCALAR_APPLY || s->type != n->dtype)
		return false;
	if (s->fn == SC_NEG) {
		alpha->number = -alpha->number;
		return product_operands(n, s->arg[0], tensor, ntensors, alpha);
	}
	return s->fn == SC_MUL && product_operands(n, s->arg[0], tensor, ntensors, alpha) &&
	       product_operands(n, s->arg[1], tensor, ntensors, alpha);
}

enum role_of_factor { IN_BATCH, IN_M, IN_N, IN_K, KINDS };

/* Factors of one kind with their strides in A, B and C. */
struct dims {
	int n;
	int64_t extent[MAX_FACTORS], stride[MAX_FACTORS][3];
};

struct matcher {
	struct phys_node *node;
	struct strided a, b;
	struct dims dims[KINDS];
};

/* The factor of an index that is one plus a number, as in a slice; -1: another index. */
static int shifted_factor(const struct index *x)
{
	bool shifted = x->data < 0 && x->nterms == 1 && x->term[0].coef == 1 && x->div == 1;
	return shifted ? x->term[0].factor : -1;
}

static bool is_fixed(const struct index *x)
{
	return x->nterms == 0 && x->data < 0 && x->div == 1;
}

static bool accesses_are_plain(const struct phys_node *n, int k)
{
	const struct access *x = &n->rule->operand[k];
	for (int d = 0; d < x->rank; d++) {
		int had = n->origins ? n->origins->operand[k][d].type : -1;
		if (is_fixed(&x->index[d]) && (x->dim[d] == 1 || (had < 0 && !x->index[d].guarded)))
			continue;
		int f = shifted_factor(&x->index[d]);
		if (f < 0 || x->index[d].guarded || (n->origins ? n->origins->factor[f].type : -1) != had)
			return false;
	}
	return true;
}

static int64_t stride_of(const struct access *x, const int64_t *stride, int f)
{
	int64_t s = 0;
	for (int d = 0; d < x->rank; d++)
		if (shifted_factor(&x->index[d]) == f)
			s += stride[d];
	return s;
}

/* Where the first element that is read lies. */
static void move_to_first(struct strided *s, const struct access *x)
{
	for (int d = 0; d < x->rank; d++)
		s->offset += x->dim[d] == 1 ? 0 : x->index[d].offset * s->stride[d];
}

static bool sort_factors(struct matcher *x, int ka, int kb)
{
	const struct rule *r = x->node->rule;
	int64_t out[MAX_RANK];
	row_major(&x->node->shape, out);
	for (int f = 0; f < r->nfactors; f++) {
		if (r->factor[f].extent == 1)
			continue;
		bool a = access_uses(&r->operand[ka], f), b = access_uses(&r->operand[kb], f),
		     c = access_uses(&r->out, f);
		enum role_of_factor kind = a && b && c ? IN_BATCH : a && c ? IN_M : b && c ? IN_N : IN_K;
		if (kind == IN_K && !(a && b && !c))
			return false;
		struct dims *d = &x->dims[kind];
		d->extent[d->n] = r->factor[f].extent;
		d->stride[d->n][0] = stride_of(&r->operand[ka], x->a.stride, f);
		d->stride[d->n][1] = stride_of(&r->operand[kb], x->b.stride, f);
		d->stride[d->n][2] = stride_of(&r->out, out, f);
		d->n++;
	}
	return true;
}

/* Orders by stride (of C, or of A for k), largest first, and joins neighbours that step evenly. */
static void merge(struct dims *d, int by)
{
	for (int i = 1; i < d->n; i++)
		for (int j = i; j > 0 && d->stride[j - 1][by] < d->stride[j][by]; j--) {
			struct dims t = *d;
			d->extent[j] = t.extent[j - 1];
			d->extent[j - 1] = t.extent[j];
			memcpy(d->stride[j], t.stride[j - 1], sizeof t.stride[0]);
			memcpy(d->stride[j - 1], t.stride[j], sizeof t.stride[0]);
		}
	for (int i = 0; i + 1 < d->n;) {
		bool even = true;
		for (int t = 0; t < 3; t++)
			even = even && d->stride[i][t] == d->stride[i + 1][t] * d->extent[i + 1];
		if (!even) {
			i++;
			continue;
		}
		d->extent[i] *= d->extent[i + 1];
		memcpy(d->stride[i], d->stride[i + 1], sizeof d->stride[0]);
		for (int j = i + 1; j + 1 < d->n; j++) {
			d->extent[j] = d->extent[j + 1];
			memcpy(d->stride[j], d->stride[j + 1], sizeof d->stride[0]);
		}
		d->n--;
	}
}

/* All but the innermost dimension of a kind become turns of the outer loop; turns over k add up. */
static bool spill(struct contraction *c, struct dims *d, bool adds)
{
	for (int i = d->n - 2; i >= 0; i--) {
		int64_t n = d->extent[i];
		if (n == 0 || n * c->nouter > MAX_OUTER)
			return false;
		int had = c->nouter;
		for (int64_t turn = 1; turn < n; turn++)
			for (int o = 0; o < had; o++) {
				int at = c->nouter++;
				c->offset_a[at] = c->offset_a[o] + turn * d->stride[i][0];
				c->offset_b[at] = c->offset_b[o] + turn * d->stride[i][1];
				c->offset_c[at] = c->offset_c[o] + turn * d->stride[i][2];
				c->adds[at] = c->adds[o] || adds;
			}
	}
	return true;
}

/* Rows and columns with strides to flag and leading dimension: one of the strides must be 1. */
static bool as_matrix(int64_t rows, int64_t cols, int64_t row_stride, int64_t col_stride, bool *transposed, int64_t *ld)
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

static int64_t last_extent(const struct dims *d)
{
	return d->n ? d->extent[d->n - 1] : 1;
}

static int64_t last_stride(const struct dims *d, int tensor)
{
	return d->n ? d->stride[d->n - 1][tensor] : 0;
}

static void swap_sides(struct matcher *x, struct contraction *c)
{
	struct strided s = x->a;
	x->a = x->b;
	x->b = s;
	struct dims m = x->dims[IN_M];
	x->dims[IN_M] = x->dims[IN_N];
	x->dims[IN_N] = m;
	for (int kind = 0; kind < KINDS; kind++)
		for (int i = 0; i < x->dims[kind].n; i++) {
			int64_t *t = x->dims[kind].stride[i], first = t[0];
			t[0] = t[1];
			t[1] = first;
		}
	for (int o = 0; o < c->nouter; o++) {
		int64_t first = c->offset_a[o];
		c->offset_a[o] = c->offset_b[o];
		c->offset_b[o] = first;
	}
}

/* Where there is no batch, a dimension of m or n that does not merge with the others serves as one: its stride in the
 * operand that lacks it is 0. */
static bool take_as_batch(struct matcher *x, enum role_of_factor kind)
{
	struct dims *d = &x->dims[kind], *batch = &x->dims[IN_BATCH];
	if (d->n < 2)
		return false;
	batch->n = 1;
	batch->extent[0] = d->extent[d->n - 2];
	memcpy(batch->stride[0], d->stride[d->n - 2], sizeof d->stride[0]);
	d->extent[d->n - 2] = d->extent[d->n - 1];
	memcpy(d->stride[d->n - 2], d->stride[d->n - 1], sizeof d->stride[0]);
	d->n--;
	return true;
}

static bool match(struct matcher *x, struct contraction *c, int ka, int kb)
{
	memset(x->dims, 0, sizeof x->dims);
	move_to_first(&x->a, &x->node->rule->operand[ka]);
	move_to_first(&x->b, &x->node->rule->operand[kb]);
	if (!sort_factors(x, ka, kb))
		return false;
	merge(&x->dims[IN_BATCH], 2);
	merge(&x->dims[IN_M], 2);
	merge(&x->dims[IN_N], 2);
	merge(&x->dims[IN_K], 0);
	if (x->dims[IN_K].n == 0)
		return false;
	if (x->dims[IN_BATCH].n == 0 && !take_as_batch(x, IN_M))
		take_as_batch(x, IN_N);
	c->nouter = 1;
	c->adds[0] = false;
	c->offset_a[0] = x->a.offset;
	c->offset_b[0] = x->b.offset;
	c->offset_c[0] = 0;
	if (!spill(c, &x->dims[IN_BATCH], false) || !spill(c, &x->dims[IN_M], false) ||
	    !spill(c, &x->dims[IN_N], false) || !spill(c, &x->dims[IN_K], true))
		return false;
	if (x->dims[IN_N].n ? last_stride(&x->dims[IN_N], 2) != 1 : last_stride(&x->dims[IN_M], 2) == 1)
		swap_sides(x, c);
	const struct dims *m = &x->dims[IN_M], *n = &x->dims[IN_N], *k = &x->dims[IN_K], *batch = &x->dims[IN_BATCH];
	c->a = x->a.base;
	c->b = x->b.base;
	c->m = last_extent(m);
	c->n = last_extent(n);
	c->k = last_extent(k);
	c->batch = last_extent(batch);
	c->stride_a = last_stride(batch, 0);
	c->stride_b = last_stride(batch, 1);
	c->stride_c = last_stride(batch, 2);
	bool tc;
	return as_matrix(c->m, c->k, last_stride(m, 0), last_stride(k, 0), &c->ta, &c->lda) &&
	       as_matrix(c->k, c->n, last_stride(k, 1), last_stride(n, 1), &c->tb, &c->ldb) &&
	       as_matrix(c->m, c->n, last_stride(m, 2), last_stride(n, 2), &tc, &c->ldc) && !tc &&
	       (c->n == 1 || last_stride(n, 2) == 1);
}

static struct strided stored_as(struct phys_node *n)
{
	struct strided s = {n, 0, {0}};
	while (s.base->kind == PHYS_VIEW)
		s.base = s.base->in[0];
	row_major(&n->shape, s.stride);
	return s;
}

/* The operand that one side of an exact product is: an f64, or an f32 as one. */
static int exact_side(const struct scalar *s)
{
	bool widens = s->kind == SCALAR_APPLY && s->fn == SC_CAST && s->type == DT_F64;
	if (widens && s->arg[0]->type == DT_F32)
		s = s->arg[0];
	return s->kind == SCALAR_OPERAND ? s->index : -1;
}

/* quanta(a * b, c) with c of one element: a product on a grid. */
static bool exact_operands(const struct phys_node *n, const struct scalar *s, int *tensor, struct contraction *c)
{
	if (s->kind != SCALAR_APPLY || s->fn != SC_QUANTA || s->arg[1]->kind != SCALAR_OPERAND ||
	    s->arg[0]->kind != SCALAR_APPLY || s->arg[0]->fn != SC_MUL)
		return false;
	tensor[0] = exact_side(s->arg[0]->arg[0]);
	tensor[1] = exact_side(s->arg[0]->arg[1]);
	struct phys_node *grid = scalar_behind(n->in[s->arg[1]->index]);
	if (tensor[0] < 0 || tensor[1] < 0 || !grid)
		return false;
	c->exact = true;
	if (grid->kind == PHYS_CONST)
		c->alpha.number = grid->number.f;
	else
		c->alpha.times[c->alpha.ntimes++] = grid;
	return true;
}

static bool find_operands(const struct phys_node *n, int *tensor, struct contraction *c)
{
	int ntensors = 0;
	*c = (struct contraction){.alpha = {.number = 1}};
	if (n->dtype == DT_I64)
		return exact_operands(n, n->rule->body, tensor, c);
	return (n->dtype == DT_F32 || n->dtype == DT_F64) &&
	       product_operands(n, n->rule->body, tensor, &ntensors, &c->alpha) && ntensors == 2;
}

bool contraction_of_map(struct phys_node *n, struct contraction *c)
{
	const struct rule *r = n->rule;
	int tensor[2];
	if (n->kind != PHYS_MAP || r->combiner != COMBINE_SUM || !map_is_plain(n))
		return false;
	if (!find_operands(n, tensor, c) || tensor[0] == tensor[1])
		return false;
	c->type = n->in[tensor[0]]->dtype;
	for (int i = 0; i < r->noperands; i++)
		if (!accesses_are_plain(n, i))
			return false;
	for (int i = 0; i < 2; i++)
		if (n->in[tensor[i]]->dtype != (c->exact ? c->type : n->dtype))
			return false;
	struct matcher x = {.node = n, .a = strided_of(n->in[tensor[0]]), .b = strided_of(n->in[tensor[1]])};
	struct matcher y = {.node = n, .a = stored_as(n->in[tensor[0]]), .b = stored_as(n->in[tensor[1]])};
	if (!match(&x, c, tensor[0], tensor[1]) && !match(&y, c, tensor[0], tensor[1]))
		return false;
	int64_t work;
	return __builtin_mul_overflow(c->m * c->n, c->k, &work) || work >= worth_a_call;
}
