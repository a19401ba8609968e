/* bound.c — the grids of a sum: powers of two above all its terms, found by maxima, which no order changes.
 *
 * Each element of the result has the grid of the terms that meet in it, so lines of very unlike sizes keep their digits
 * side by side. A term that is an operand, or a product of two, is bounded by the largest size of what is read of each
 * operand for the element, which may be more than the terms that occur: a small reduction for each operand, to a tensor
 * of the result's rank that has 1 element along dimensions in which the operand, or what it reads there, does not
 * change. Windows are not told apart: along what they slide the bound is that of all. So is what elements that are
 * scattered to have. Any other term is bounded by the largest size of itself: the same points once more with max for
 * sum. Where what is reduced is split, the maximum is a P(max) and a `to` finishes it: a transfer like any other in the
 * plan. */
#include "rewrite.h"

#include <math.h>
#include <string.h>

static const struct scalar *widened(struct arena *a, const struct scalar *s)
{
	return s->type == DT_F64 ? s : scalar_apply(a, SC_CAST, DT_F64, s, NULL, NULL);
}

/* Of terms of 16 bits that are computed the size before they are rounded, as they are added up. */
static const struct scalar *size_of(struct arena *a, const struct scalar *s)
{
	if (dtype_is_narrow(s->type) && s->kind == SCALAR_APPLY)
		s = scalar_apply(a, SC_CAST, DT_F32, s, NULL, NULL);
	return scalar_apply(a, SC_ABS, s->type, s, NULL, NULL);
}

/* A float as it is stored, or a number. */
static bool is_factor(const struct scalar *s)
{
	return dtype_is_float(s->type) && (s->kind == SCALAR_OPERAND || s->kind == SCALAR_CONST);
}

static bool is_product(const struct scalar *s)
{
	return s->kind == SCALAR_APPLY && s->fn == SC_MUL && is_factor(s->arg[0]) && is_factor(s->arg[1]);
}

const struct scalar *sum_term(struct arena *a, const struct scalar *body)
{
	if (!is_product(body))
		return widened(a, body);
	return scalar_apply(a, SC_MUL, DT_F64, widened(a, body->arg[0]), widened(a, body->arg[1]), NULL);
}

static const char *value_name(const struct node *x)
{
	return x->name ? x->name : x->kind == NODE_MAP && x->rule->name ? x->rule->name : "value";
}

/* The layout of a bound of a value of the shape s in layout l: that of the value along dimensions that both have. */
static struct layout layout_of_bound(const struct shape *bound, const struct shape *s, const struct place *p,
				     const struct layout *l)
{
	struct layout whole = layout_broadcast(), out = without_parts(p, l);
	for (int a = 0; a < p->naxes; a++)
		if (out.atom[a].kind == SHARD_S &&
		    (bound->rank == 0 || bound->dim[out.atom[a].dim] != s->dim[out.atom[a].dim]))
			out.atom[a] = whole.atom[a];
	return out;
}

static struct shape shape_of_result(const struct rule *r)
{
	struct shape s = {.rank = r->out.rank};
	memcpy(s.dim, r->out.dim, sizeof s.dim);
	return s;
}

struct bounds bounds_in(struct rewrite *w, const struct node_site *at, const struct bounds *b, const struct shape *s,
			const struct place *p, const struct layout *l)
{
	struct bounds moved = *b;
	for (int i = 0; i < b->n; i++) {
		struct layout to = layout_of_bound(&b->of[i]->shape, s, p, l);
		moved.of[i] = add_to(w, at, b->of[i], p, &to);
	}
	return moved;
}

/* Dimension d of the result is a factor of its own: all points of one number of it meet nothing of another's. */
static int own_factor(const struct rule *r, int d)
{
	int f = index_factor(&r->out.index[d]);
	if (f < 0 || r->out.index[d].guarded || r->out.dim[d] != r->factor[f].extent)
		return -1;
	for (int e = 0; e < r->out.rank; e++)
		if (e != d && index_coef(&r->out.index[e], f))
			return -1;
	return f;
}

/* Whether what an operand reads changes with a factor, which is alone where it stands. */
static bool changes_with(const struct rule *r, int k, int f)
{
	const struct access *x = &r->operand[k];
	bool found = false;
	for (int d = 0; d < x->rank; d++) {
		if (x->index[d].data >= 0 && access_uses(&r->operand[x->index[d].data], f))
			found = true;
		if (!index_coef(&x->index[d], f))
			continue;
		if (x->index[d].nterms > 1)
			return false;
		found = true;
	}
	return found;
}

static bool some_operand_uses(const struct rule *r, int f)
{
	for (int k = 0; k < r->noperands; k++)
		if (access_uses(&r->operand[k], f))
			return true;
	return false;
}

static void use_factors(const struct access *x, bool *used, int n)
{
	for (int f = 0; f < n; f++)
		used[f] = used[f] || access_uses(x, f);
}

/* Of what operand k reads, or, k < 0, of all the rule's points. */
static void factors_read(const struct rule *r, int k, bool *used)
{
	for (int f = 0; f < r->nfactors; f++)
		used[f] = k < 0;
	if (k < 0)
		return;
	use_factors(&r->operand[k], used, r->nfactors);
	for (int d = 0; d < r->operand[k].rank; d++)
		if (r->operand[k].index[d].data >= 0)
			use_factors(&r->operand[r->operand[k].index[d].data], used, r->nfactors);
}

/* The factors of `whole` that are used alone; to[f]: what f is now. */
static void keep_factors(struct rule *r, struct access *operand, const struct rule *whole, const bool *used, int *to)
{
	r->nfactors = 0;
	for (int f = 0; f < whole->nfactors; f++) {
		to[f] = r->nfactors;
		if (used[f])
			r->factor[r->nfactors++] = whole->factor[f];
	}
	for (int i = 0; i < r->noperands; i++)
		for (int d = 0; d < operand[i].rank; d++)
			for (int t = 0; t < operand[i].index[d].nterms; t++)
				operand[i].index[d].term[t].factor = (int8_t)to[operand[i].index[d].term[t].factor];
}

static bool supplies(const struct rule *r, int k, int i)
{
	for (int d = 0; d < r->operand[k].rank; d++)
		if (r->operand[k].index[d].data == i)
			return true;
	return false;
}

/* The rule of the largest sizes of a body over the points of `whole`, or of what operand k >= 0 of it reads, as it
 * reads it, whatever else is read: whether a slice is read where it lies or copied out first depends on layouts. */
static struct rule *largest_rule(struct arena *a, const struct rule *whole, int k, const struct scalar *body)
{
	int to[MAX_FACTORS] = {0}, kept = 0;
	bool used[MAX_FACTORS] = {false};
	struct rule *r = ARENA_NEW(a, struct rule);
	*r = *whole;
	struct access *operand = rule_own_operands(a, r, 0);
	for (int i = 0; i < r->noperands && k >= 0; i++)
		if (i != k && !supplies(whole, k, i))
			operand[i].rank = 0;
	factors_read(whole, k, used);
	keep_factors(r, operand, whole, used, to);
	for (int d = 0; d < whole->out.rank; d++) {
		int f = own_factor(whole, d);
		bool changes = f >= 0 && (k < 0 ? some_operand_uses(whole, f) : changes_with(whole, k, f));
		r->out.index[d] = changes ? index_of_factor(to[f]) : (struct index){.div = 1, .data = -1};
		r->out.dim[d] = changes ? whole->factor[f].extent : 1;
		kept += changes;
	}
	if (!kept)
		r->out.rank = 0;
	r->name = "largest";
	r->hint = HINT_NONE;
	r->body = size_of(a, body);
	r->out.type = r->body->type;
	r->combiner = r->nfactors > kept ? COMBINE_MAX : COMBINE_NONE;
	return r;
}

/* The bound of the body, or of operand k >= 0 that it is, for n in layout l. */
static struct node *largest(struct rewrite *w, const struct node *n, struct node *const *in, int k,
			    const struct scalar *body, const struct layout *l)
{
	struct node *read[MAX_OPERANDS];
	for (int i = 0; i < n->rule->noperands; i++)
		read[i] = in[i];
	const struct rule *r = rule_prune_inputs(w->g, largest_rule(w->arena, n->rule, k, body), read);
	struct shape shape = shape_of_result(r);
	struct layout found, to = layout_of_bound(&shape, &n->shape, n->place, l);
	struct known_bound *first = r->noperands == 1 ? map_get(&w->bounds, read[0]) : NULL;
	for (struct known_bound *b = first; b; b = b->next)
		if (b->rule == r && b->node->place == n->place && layout_equal(n->place, &b->node->layout, &to))
			return b->node;
	struct node_site at = node_site_of(n);
	at.name = arena_printf(w->arena, "max|%s|", value_name(k < 0 ? n : in[k]));
	BUG_IF(!layout_of_inputs(r, n->place, read, &found), "no layout for the maximum of `%s`", n->rule->name);
	struct node *m = add_to(w, &at, add_map(w, &at, r, read, n->place, &found), n->place, &to);
	if (r->noperands == 1) {
		struct known_bound *b = ARENA_NEW(w->arena, struct known_bound);
		*b = (struct known_bound){r, m, first};
		map_set(&w->bounds, read[0], b);
	}
	return m;
}

/* How many terms may meet in one sum. */
static double most_terms(const struct rule *r)
{
	double n = 1;
	bool scatter = rule_is_scatter(r);
	for (int f = 0; f < r->nfactors; f++)
		if (scatter || rule_reduces(r, f))
			n *= (double)r->factor[f].extent;
	return n;
}

/* Terms of 2^51 units at most; beyond 2^11 of them the unit grows, so that sums stay below 2^62. */
static double growth(const struct rule *r)
{
	int e;
	double n = most_terms(r);
	if (n <= 0x1p11)
		return 1;
	double m = frexp(n, &e);
	return ldexp(1, (m > 0.5 ? e : e - 1) - 11);
}

struct bounds bounds_of_sum(struct rewrite *w, const struct node *n, struct node *const *in, const struct layout *l)
{
	const struct scalar *body = n->rule->body, *factor[2] = {body, NULL};
	struct bounds b = {.times = growth(n->rule)};
	bool simple = is_factor(body) || is_product(body);
	if (is_product(body)) {
		factor[0] = body->arg[0];
		factor[1] = body->arg[1];
	}
	for (int i = 0; i < 2 && factor[i]; i++) {
		if (simple && factor[i]->kind == SCALAR_CONST)
			b.times *= fabs(factor[i]->f);
		else
			b.of[b.n++] = largest(w, n, in, simple ? factor[i]->index : -1, factor[i], l);
	}
	return b;
}

bool bounds_are_of_all(const struct bounds *b)
{
	for (int i = 0; i < b->n; i++)
		if (b->of[i]->shape.rank > 0)
			return false;
	return true;
}

/* Where a map whose result is `at` reads a bound of it. */
static struct access access_of_bound(const struct node *bound, const struct access *at)
{
	struct access x = access_of_shape(bound->dtype, &bound->shape);
	for (int d = 0; d < x.rank; d++)
		x.index[d] = x.dim[d] != at->dim[d] ? (struct index){.div = 1, .data = -1} : at->index[d];
	return x;
}

/* The bound of each element of the result of r. */
static const struct scalar *read_bounds(struct rewrite *w, struct rule *r, struct node **in, const struct bounds *b)
{
	struct arena *a = w->arena;
	const struct scalar *bound = scalar_float(a, DT_F64, b->times);
	for (int i = 0; i < b->n; i++) {
		struct access x = access_of_bound(b->of[i], &r->out);
		in[r->noperands] = b->of[i];
		rule_add_operand(a, r, &x);
		/* The maximum of nothing is below every size. */
		const struct scalar *m = widened(a, scalar_operand(a, x.type, r->noperands - 1));
		m = scalar_apply(a, SC_MAX, DT_F64, m, scalar_float(a, DT_F64, 0), NULL);
		bound = scalar_apply(a, SC_MUL, DT_F64, bound, m, NULL);
	}
	return bound;
}

const struct scalar *read_grid(struct rewrite *w, struct rule *r, struct node **in, const struct bounds *b)
{
	return scalar_apply(w->arena, SC_SUM_GRID, DT_F64, read_bounds(w, r, in, b), NULL, NULL);
}

/* A map of bounds alone, of a value of shape s in layout l. */
static struct node *map_of_bounds(struct rewrite *w, const struct node *n, struct rule *r, struct node *const *in,
				  const struct shape *s, const struct place *p, const struct layout *l)
{
	struct node_site at = node_site_of(n);
	struct shape shape = shape_of_result(r);
	struct layout to = layout_of_bound(&shape, s, p, l);
	at.name = NULL;
	return add_map(w, &at, r, in, p, &to);
}

struct bounds bounds_of_each(struct rewrite *w, const struct value *v)
{
	struct node *in[2], *x = v->node;
	struct rule *r = new_rule_over(w->arena, "bound", DT_F64, &x->shape);
	r->body = read_bounds(w, r, in, &v->grid);
	return (struct bounds){1, {map_of_bounds(w, v->old, r, in, &x->shape, x->place, &x->layout)}, 1};
}

/* No more elements than it has values, but for a product of matrices, which reads a grid wherever it writes a sum. */
static struct shape shape_of_grids(const struct rule *r, const struct bounds *b)
{
	struct shape s = {.rank = bounds_are_of_all(b) ? 0 : r->out.rank};
	bool apart = true;
	for (int d = 0; d < s.rank; d++) {
		s.dim[d] = 1;
		apart = apart && (r->out.dim[d] == 1 || own_factor(r, d) >= 0);
		for (int i = 0; i < b->n; i++)
			if (b->of[i]->shape.rank > 0 && b->of[i]->shape.dim[d] != 1)
				s.dim[d] = b->of[i]->shape.dim[d];
	}
	for (int d = 0; d < s.rank && b->n == 2 && apart; d++)
		s.dim[d] = r->out.dim[d];
	return s;
}

const struct scalar *read_grids_of_sum(struct rewrite *w, const struct node *n, const struct bounds *b,
				       const struct layout *l, struct rule *sum, struct node **in)
{
	struct node *of[2];
	struct shape s = shape_of_grids(n->rule, b);
	struct rule *r = new_rule_over(w->arena, "sum_grid", DT_F64, &s);
	r->body = read_grid(w, r, of, b);
	struct node *grids = map_of_bounds(w, n, r, of, &n->shape, n->place, l);
	struct access x = access_of_bound(grids, &sum->out);
	in[sum->noperands] = grids;
	rule_add_operand(w->arena, sum, &x);
	return scalar_operand(w->arena, DT_F64, sum->noperands - 1);
}
