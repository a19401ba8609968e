/* contraction.c — recognises matrix multiplications among sums of products.
 *
 * Factors of the sum are sorted by where they occur: in A, B and the result (batch), A and result (m), B and result
 * (n), A and B (k). matrices.c makes matrices of them: transposed operands are flags, permuted ones are strides, slices
 * are offsets, and what a matrix cannot express becomes a loop around the product. */
#include "contraction.h"

#include "lower.h"
#include "matrices.h"

#include <string.h>

/* Below this many multiplications a call costs more than loops. */
static const int64_t worth_a_call = 4096;

/* A line times a line, or times a matrix of so few rows or columns: nothing is used again that calls would pack. Loops
 * go through few columns one after the other, so a cache near the core is to hold them. */
static bool is_thin(int64_t lines, int64_t columns, int64_t k)
{
	enum { FEW = 4, IN_CACHE = 1 << 13 /* elements */ };
	return lines == 1 && (columns == 1 || k <= FEW || (columns <= FEW && k <= IN_CACHE / FEW));
}

/* Whether calls do better than loops. Products of line with line alone, whatever their number, read every element once:
 * loops do that along with what else is computed of the lines, in the order in which they lie. So do those of a line
 * with a thin matrix, which loops compute where they read it, if that is cheap. */
static bool is_worth_calls(const struct contraction *c)
{
	int64_t work;
	if (!c->exact && (is_thin(c->m, c->n, c->k) || is_thin(c->n, c->m, c->k)))
		return false;
	return __builtin_mul_overflow(c->m * c->n, c->k, &work) || work >= worth_a_call;
}

/* What a body of i32 widens from 8 bits; the body itself if it does not. */
static const struct scalar *widened_from(const struct scalar *s)
{
	bool widens = s->kind == SCALAR_APPLY && s->fn == SC_CAST && s->type == DT_I32;
	return widens && dtype_is_byte(s->arg[0]->type) ? s->arg[0] : s;
}

/* Element p of the result is element p (permuted, sliced) of operand 0, nothing computed but that it may be widened
 * from 8 bits to 32. */
static bool is_rearrangement(const struct phys_node *n)
{
	if (n->kind != PHYS_MAP || n->nin != 1 || !map_is_pointwise(n) ||
	    widened_from(n->rule->body)->kind != SCALAR_OPERAND)
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
		out.stride[e] = f < 0 ? 0 : step_along(a, in.stride, f);
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
		if (shape_equal(&n->shape, &n->in[0]->shape))
			return in;
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

/* The tensors of a product body and what they are rounded to. */
struct factors {
	int n, tensor[2];
	enum dtype type[2]; /* DT_COUNT: to nothing */
};

/* The two tensors of a product body and its coefficient. */
static bool product_operands(const struct phys_node *n, const struct scalar *s, struct factors *f,
			     struct coefficient *alpha)
{
	struct coefficient c;
	enum dtype rounded = scalar_narrows(s);
	const struct scalar *x = rounded == DT_COUNT ? s : s->arg[0];
	if (x->kind == SCALAR_OPERAND && (rounded != DT_COUNT || !scalar_behind(n->in[x->index]))) {
		if (f->n == 2)
			return false;
		f->type[f->n] = rounded;
		f->tensor[f->n++] = x->index;
		return true;
	}
	if (coefficient_of_body(n, s, &c))
		return coefficient_multiply(alpha, &c);
	if (s->kind != SCALAR_APPLY || s->type != n->dtype)
		return false;
	if (s->fn == SC_NEG) {
		alpha->number = -alpha->number;
		return product_operands(n, s->arg[0], f, alpha);
	}
	return s->fn == SC_MUL && product_operands(n, s->arg[0], f, alpha) && product_operands(n, s->arg[1], f, alpha);
}

static bool accesses_are_plain(const struct phys_node *n, int k)
{
	const struct access *x = &n->rule->operand[k];
	for (int d = 0; d < x->rank; d++) {
		int had = n->origins ? n->origins->operand[k][d].type : -1;
		struct index at = index_of_many_values(n->rule, &x->index[d]);
		if (index_is_fixed(&at) && (x->dim[d] == 1 || (had < 0 && !at.guarded)))
			continue;
		int f = index_shifted_factor(&at);
		if (f < 0 || at.guarded || (n->origins ? n->origins->factor[f].type : -1) != had)
			return false;
	}
	return true;
}

/* The roles of the factors that are not of extent 1; false if some factor has none, or an extent is 0. */
static bool sort_factors(const struct phys_node *n, const struct strided *a, const struct strided *b, int ka, int kb,
			 struct dims *dims)
{
	const struct rule *r = n->rule;
	int64_t out[MAX_RANK];
	row_major(&n->shape, out);
	for (int f = 0; f < r->nfactors; f++) {
		if (r->factor[f].extent == 1)
			continue;
		enum factor_role role;
		const struct access *left = &r->operand[ka], *right = &r->operand[kb];
		if (r->factor[f].extent == 0 || !role_of_factor(left, right, &r->out, f, &role))
			return false;
		struct dims *d = &dims[role];
		d->at[d->n++] = (struct dim){
			r->factor[f].extent,
			{step_along(left, a->stride, f), step_along(right, b->stride, f), step_along(&r->out, out, f)}};
	}
	return dims[IN_K].n > 0;
}

static bool match(struct arena *arena, const struct phys_node *n, struct strided a, struct strided b,
		  struct contraction *c, int ka, int kb)
{
	struct dims dims[ROLES] = {0};
	a.offset = first_element(&a, &n->rule->operand[ka]);
	b.offset = first_element(&b, &n->rule->operand[kb]);
	return sort_factors(n, &a, &b, ka, kb, dims) && contraction_as_matrices(arena, c, a, b, dims);
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

/* The grids of a product, one for each element of the result, where they lie as that does: operand k. */
static bool read_grids(struct phys_node *n, int k, struct contraction *c)
{
	const struct access *x = &n->rule->operand[k];
	struct strided grids = stored_as(n->in[k]);
	int64_t out[MAX_RANK];
	row_major(&n->shape, out);
	for (int f = 0; f < n->rule->nfactors; f++)
		if (n->rule->factor[f].extent != 1 &&
		    step_along(x, grids.stride, f) != step_along(&n->rule->out, out, f))
			return false;
	c->grid = grids.base;
	c->offset_grid = first_element(&grids, x);
	return true;
}

/* quanta(a * b, c): a product on a grid, or on one for each element. */
static bool exact_operands(struct phys_node *n, const struct scalar *s, int *tensor, struct contraction *c)
{
	if (s->kind != SCALAR_APPLY || s->fn != SC_QUANTA || s->arg[1]->kind != SCALAR_OPERAND ||
	    s->arg[0]->kind != SCALAR_APPLY || s->arg[0]->fn != SC_MUL)
		return false;
	tensor[0] = exact_side(s->arg[0]->arg[0]);
	tensor[1] = exact_side(s->arg[0]->arg[1]);
	struct phys_node *grid = scalar_behind(n->in[s->arg[1]->index]);
	if (tensor[0] < 0 || tensor[1] < 0)
		return false;
	c->exact = true;
	if (!grid)
		return read_grids(n, s->arg[1]->index, c);
	if (grid->kind == PHYS_CONST)
		c->alpha.number = grid->number.f;
	else
		c->alpha.times[c->alpha.ntimes++] = grid;
	return true;
}

/* a * b of whole numbers, summed up in 32 bits. */
static bool int_operands(const struct scalar *s, int *tensor)
{
	if (s->kind != SCALAR_APPLY || s->fn != SC_MUL)
		return false;
	for (int i = 0; i < 2; i++) {
		const struct scalar *x = widened_from(s->arg[i]);
		if (x->kind != SCALAR_OPERAND)
			return false;
		tensor[i] = x->index;
	}
	return true;
}

static bool find_operands(struct phys_node *n, int *tensor, struct contraction *c)
{
	struct factors f = {.n = 0};
	*c = (struct contraction){.factors = DT_F32, .alpha = {.number = 1}};
	if (n->dtype == DT_I64)
		return exact_operands(n, n->rule->body, tensor, c);
	if (n->dtype == DT_I32)
		return int_operands(n->rule->body, tensor);
	if (!dtype_is_float(n->dtype) || !product_operands(n, n->rule->body, &f, &c->alpha) || f.n != 2)
		return false;
	tensor[0] = f.tensor[0];
	tensor[1] = f.tensor[1];
	c->factors = f.type[0] == DT_COUNT ? DT_F32 : f.type[0];
	return f.type[0] == f.type[1];
}

/* A product sums up in f32 and rounds to 16 bits once, as the map does: not in every turn of a loop along k, and its
 * factor not at all. */
static bool rounds_once(const struct phys_node *n, const struct contraction *c)
{
	if (dtype_size(n->dtype) > 2)
		return true;
	for (int i = 0; i < c->nloops; i++)
		if (c->loop[i].c == 0)
			return false;
	return c->alpha.nover == 0 && (c->alpha.ntimes == 0 || (c->alpha.ntimes == 1 && c->alpha.number == 1));
}

/* As matrices where they lie. */
static bool match_in_place(struct arena *arena, const struct phys_node *n, struct contraction *c, int ka, int kb)
{
	struct phys_node *a = n->in[ka], *b = n->in[kb];
	return accesses_are_plain(n, ka) && accesses_are_plain(n, kb) &&
	       (match(arena, n, strided_of(a), strided_of(b), c, ka, kb) ||
		(n->dtype != DT_I32 && match(arena, n, stored_as(a), stored_as(b), c, ka, kb)));
}

/* Factors are of the sum's type, or both f32 or f64 where it counts quanta, or of 8 bits where they are stored. */
static bool types_fit(const struct phys_node *n, const struct contraction *c)
{
	if (n->dtype == DT_I32)
		return dtype_is_byte(c->type) && dtype_is_byte(c->type_b);
	return c->type == c->type_b && (c->exact || c->type == n->dtype);
}

bool contraction_of_map(struct arena *a, struct phys_node *n, struct contraction *c)
{
	const struct rule *r = n->rule;
	int tensor[2];
	if (n->kind != PHYS_MAP || r->combiner != COMBINE_SUM || !map_is_plain(n))
		return false;
	if (!find_operands(n, tensor, c) || tensor[0] == tensor[1])
		return false;
	for (int i = 0; i < r->noperands; i++)
		if (i != tensor[0] && i != tensor[1] && !accesses_are_plain(n, i))
			return false;
	bool in_place = match_in_place(a, n, c, tensor[0], tensor[1]);
	if (in_place ? !is_worth_calls(c) : !contraction_by_windows(a, n, c, tensor[0], tensor[1]))
		return false;
	if (!in_place)
		contraction_find_filter(a, n, c, tensor[0], tensor[1]);
	c->type = c->a->dtype;
	c->type_b = c->b->dtype;
	return types_fit(n, c) && rounds_once(n, c);
}
