/* slices.c — maps of all elements of a tensor that put something in the place of a slice, which begins where the
 * running program says. Written down, they are three, each as long as the tensor:
 *
 *   p = i - s,  q = v[p] where there is one,  c' = where(p >= 0 && p < W, q, c)       p = j + s;  c'[p[j]] = v[j]
 *
 * Only the first W places are worked out, and v is written there: a cache to which a step adds a few rows costs these
 * rows. v may be one number for all. The derivatives of both are written down so, too:
 *
 *   q = where(p >= 0 && p < W, c, 0),  g[p] += q                         p = j + s;  g[j] = c[p[j]]
 *   p = j + s,  q = zeros, q[p[j]] += g[j],  c' = c + q                  c'[p[j]] += g[j]
 *
 * What else is to hold of c is said in elements.c, which looks for such steps. */
#include "slices.h"

#include "../op/intern.h"

#include <string.h>

/* Of so many slices' lengths at least; fewer are written whole by vectors. */
enum { SLICES = 4 };

/* A map that is what its rule says. */
static bool is_free(const struct planner *p, const struct phys_node *n)
{
	return n->kind == PHYS_MAP && n->origins && !n->owned && !n->part && !n->onto &&
	       p->treat[n->id] == TREAT_NONE && p->rows[n->id] == ROWS_ALL;
}

static bool is_own(const struct planner *p, const struct phys_node *n)
{
	return is_free(p, n) && n->rule->combiner == COMBINE_NONE && !rule_is_scatter(n->rule);
}

static bool compares(const struct scalar *s, enum scalar_fn fn, int *operand, int64_t *number)
{
	if (s->kind != SCALAR_APPLY || s->fn != fn || s->arg[0]->kind != SCALAR_OPERAND ||
	    s->arg[1]->kind != SCALAR_CONST || !dtype_is_int(s->arg[0]->type))
		return false;
	*operand = s->arg[0]->index;
	*number = s->arg[1]->i;
	return true;
}

/* p >= 0 && p < W. */
static bool is_range(const struct scalar *s, int *operand, int64_t *width)
{
	int other;
	int64_t zero;
	return s->kind == SCALAR_APPLY && s->fn == SC_AND && compares(s->arg[0], SC_GE, operand, &zero) &&
	       compares(s->arg[1], SC_LT, &other, width) && other == *operand && !zero && *width > 0;
}

/* i - s or, if fn is SC_ADD, i + s, of a dimension that every rank has whole. */
static bool is_places(const struct planner *p, const struct phys_node *n, enum scalar_fn fn)
{
	const struct rule *r = n->rule;
	if (!is_own(p, n) || r->nfactors != 1 || r->out.rank != 1 || index_factor(&r->out.index[0]) ||
	    n->origins->factor[0].type >= 0 || n->origins->out[0].type >= 0)
		return false;
	for (int k = 0; k < r->noperands; k++)
		if (r->operand[k].rank)
			return false;
	return r->body->kind == SCALAR_APPLY && r->body->fn == fn && r->body->arg[0]->kind == SCALAR_FACTOR &&
	       !scalar_uses_factor(r->body->arg[1], 0);
}

/* Which factor of `to` each one of `put` is, whose result `to` reads as operand k; false if some is none. */
static bool map_factors(const struct slice *s, const struct phys_node *put, int k, int *to)
{
	for (int f = 0; f < put->rule->nfactors; f++) {
		int d = access_dim_of(&put->rule->out, f);
		const struct index *x = d >= 0 ? &s->to->rule->operand[k].index[d] : NULL;
		to[f] = x && !x->guarded && x->data < 0 ? index_factor(x) : -1;
		if (to[f] < 0 || index_factor(&put->rule->out.index[d]) != f)
			return false;
	}
	return true;
}

/* v where it belongs: by the places in one dimension, as it is in the others. */
static bool is_put(const struct planner *p, struct slice *s, int k)
{
	struct phys_node *put = s->to->in[k];
	int to[MAX_FACTORS], seen = 0;
	if (!is_own(p, put) || put->loop != s->to->loop || p->uses[put->id] != 1 || put->nin != 2 ||
	    put->rule->body->kind != SCALAR_OPERAND || !map_factors(s, put, k, to))
		return false;
	int from = put->rule->body->index, data = 1 - from;
	const struct access *v = &put->rule->operand[from], *at = &put->rule->operand[data];
	if (put->in[data] != s->places || at->rank != 1 || at->index[0].data >= 0 || index_factor(&at->index[0]) < 0 ||
	    to[index_factor(&at->index[0])] != s->factor)
		return false;
	s->value = *v;
	access_rename_factors(&s->value, to);
	for (int d = 0; d < v->rank; d++) {
		if (v->index[d].data != data && (v->index[d].data >= 0 || v->index[d].guarded))
			return false;
		if (v->index[d].data != data)
			continue;
		if (seen++ || v->dim[d] != s->width || put->origins->operand[from][d].type >= 0)
			return false;
		s->value.index[d] = index_of_factor(s->factor);
	}
	s->put = put;
	s->from_put = from;
	return seen == 1 && !access_uses(v, index_factor(&at->index[0]));
}

static bool find_put(const struct planner *p, struct phys_node *n, struct slice *s)
{
	const struct rule *r = n->rule;
	int places, rest;
	*s = (struct slice){.to = n};
	if (!is_own(p, n) || r->nfactors != n->shape.rank || rule_is_guarded(r) || r->body->kind != SCALAR_APPLY ||
	    r->body->fn != SC_WHERE || !is_range(r->body->arg[0], &places, &s->width) ||
	    r->body->arg[2]->kind != SCALAR_OPERAND || r->operand[places].rank != 1)
		return false;
	rest = r->body->arg[2]->index;
	s->factor = index_factor(&r->operand[places].index[0]);
	s->dim = s->factor < 0 ? -1 : access_dim_of(&r->out, s->factor);
	if (s->dim < 0 || index_factor(&r->out.index[s->dim]) != s->factor || n->origins->factor[s->factor].type >= 0 ||
	    !access_equal(&r->operand[rest], &r->out) || r->factor[s->factor].extent / s->width < SLICES)
		return false;
	s->from = n->in[rest];
	s->places = n->in[places];
	s->number = r->body->arg[1];
	if (!is_places(p, s->places, SC_SUB) || s->places->shape.dim[0] != r->factor[s->factor].extent)
		return false;
	if (s->number->kind == SCALAR_CONST)
		return true;
	if (s->number->kind != SCALAR_OPERAND)
		return false;
	return !r->operand[s->number->index].rank || is_put(p, s, s->number->index);
}

/* Adds up at places, operand *data, in dimension *dim of the result; all else goes its own way through the dimensions.
 */
static bool sums_at_places(const struct planner *p, const struct phys_node *n, enum scalar_fn fn, int *data, int *dim)
{
	const struct rule *r = n->rule;
	int found = 0;
	if (!is_free(p, n) || r->combiner != COMBINE_SUM || rule_is_guarded(r))
		return false;
	for (int d = 0; d < r->out.rank; d++) {
		const struct index *x = &r->out.index[d];
		if (x->data < 0 && (x->guarded || index_factor(x) < 0))
			return false;
		if (x->data < 0)
			continue;
		*data = x->data;
		*dim = d;
		found++;
	}
	if (found != 1 || n->origins->out[*dim].type >= 0 || r->operand[*data].rank != 1 || !r->operand[*data].dim[0] ||
	    !r->out.dim[*dim] || !is_places(p, n->in[*data], fn))
		return false;
	int own = index_factor(&r->operand[*data].index[0]);
	for (int f = 0; f < r->nfactors; f++)
		if ((access_dim_of(&r->out, f) < 0) != (f == own))
			return false;
	return own >= 0 && n->origins->factor[own].type < 0;
}

/* The places and a value, which is kept before any is written (storage.c). */
static bool is_value_last(const struct rule *r, int data)
{
	return r->noperands == 2 && !data && r->body->kind == SCALAR_OPERAND && r->body->index == 1;
}

static bool find_added(const struct planner *p, struct phys_node *n, struct slice *s)
{
	int data, dim;
	bool is_sum = is_own(p, n) && n->nin == 2 && rule_is_sum(n->rule) && n->in[0] != n->in[1];
	for (int k = 0; k < 2 && is_sum; k++) {
		struct phys_node *x = n->in[k], *from = n->in[1 - k];
		if (x->loop != n->loop || p->uses[x->id] != 1 || x->dtype != n->dtype ||
		    !shape_equal(&x->shape, &n->shape) || !shape_equal(&from->shape, &n->shape) ||
		    !sums_at_places(p, x, SC_ADD, &data, &dim) || !is_value_last(x->rule, data) ||
		    x->rule->out.dim[dim] / x->in[data]->shape.dim[0] < SLICES)
			continue;
		*s = (struct slice){.from = from, .to = n, .width = x->in[data]->shape.dim[0], .added = x};
		return true;
	}
	return false;
}

/* What `to` sums up is of c where the range holds, and 0 elsewhere: c, and the map that chooses is not needed. */
static struct phys_node *chosen(const struct planner *p, const struct slice *s, struct phys_node *x)
{
	const struct rule *r = x->rule;
	const struct scalar *b = r ? r->body : NULL;
	int places;
	int64_t width;
	bool is_choice = is_own(p, x) && x->loop == s->to->loop && p->uses[x->id] == 1 && b->kind == SCALAR_APPLY &&
			 b->fn == SC_WHERE && is_range(b->arg[0], &places, &width) && width == s->width &&
			 x->in[places] == s->places && r->operand[places].rank == 1 && scalar_is_zero(b->arg[2]) &&
			 b->arg[1]->kind == SCALAR_OPERAND && access_equal(&r->operand[b->arg[1]->index], &r->out) &&
			 !rule_is_guarded(r) && r->nfactors == x->shape.rank;
	if (!is_choice)
		return NULL;
	int d = access_dim_of(&r->out, index_factor(&r->operand[places].index[0]));
	return d >= 0 && d == s->dim ? x->in[b->arg[1]->index] : NULL;
}

static bool find_read(const struct planner *p, struct phys_node *n, struct slice *s)
{
	int data, dim;
	*s = (struct slice){.to = n, .dim = -1};
	if (n->kind != PHYS_MAP || n->nin != 2 || !rule_is_scatter(n->rule) ||
	    !sums_at_places(p, n, SC_SUB, &data, &dim) || n->rule->body->kind != SCALAR_OPERAND ||
	    n->rule->body->index == data)
		return false;
	const struct access *x = &n->rule->operand[1 - data];
	s->factor = index_factor(&n->rule->operand[data].index[0]);
	s->places = n->in[data];
	s->width = n->rule->out.dim[dim];
	s->result_dim = dim;
	for (int d = 0; d < x->rank; d++) {
		bool is_here = index_factor(&x->index[d]) == s->factor;
		if (x->index[d].data >= 0 || x->index[d].guarded || (!is_here && index_coef(&x->index[d], s->factor)) ||
		    (is_here && s->dim >= 0))
			return false;
		s->dim = is_here ? d : s->dim;
	}
	if (s->dim < 0 || x->dim[s->dim] / s->width < SLICES || n->origins->operand[1 - data][s->dim].type >= 0 ||
	    s->places->shape.dim[0] != x->dim[s->dim])
		return false;
	s->value = *x;
	s->from_put = 1 - data;
	s->put = n->in[1 - data];
	s->from = chosen(p, s, s->put);
	if (!s->from) {
		s->from = s->put;
		s->put = NULL;
	}
	return true;
}

static struct phys_node *places_of(const struct planner *p, const struct slice *s)
{
	struct arena *a = p->scratch;
	struct phys_node *n = ARENA_NEW(a, struct phys_node);
	struct rule r = *s->places->rule;
	*n = *s->places;
	r.name = "places";
	r.facts = NULL;
	r.factor[0].extent = r.out.dim[0] = n->shape.dim[0] = s->width;
	r.body = scalar_apply(a, SC_ADD, r.body->type, r.body->arg[0], r.body->arg[1], NULL);
	n->rule = rule_intern(p->program->rules, &r);
	n->loop = s->to->loop;
	return n;
}

/* `to` on its way to a map over the slice alone: its first operand says where that is. */
struct sliced {
	struct rule rule;
	struct phys_origins *origins;
	struct phys_node *in[2];
};
static void begin_sliced(struct sliced *x, const struct planner *p, const struct slice *s, struct phys_node *places)
{
	const struct phys_node *n = s->to;
	struct access at = {.type = places->dtype, .rank = 1, .dim = {s->width}, .index = {index_of_factor(s->factor)}};
	*x = (struct sliced){
		.rule = {.name = n->rule->name, .nfactors = n->rule->nfactors, .combiner = COMBINE_NONE},
		.origins = phys_origins_new(p->scratch, 2),
		.in = {places},
	};
	memcpy(x->rule.factor, n->rule->factor, sizeof x->rule.factor);
	memcpy(x->origins->factor, n->origins->factor, sizeof x->origins->factor);
	memcpy(x->origins->out, n->origins->out, sizeof x->origins->out);
	x->rule.factor[s->factor].extent = s->width;
	x->rule.out = n->rule->out;
	rule_add_operand(p->scratch, &x->rule, &at);
	x->origins->operand[0][0] = places->origins->out[0];
}

static void value_sliced(struct sliced *x, const struct planner *p, struct phys_node *in, const struct access *at,
			 const struct phys_origin *origins)
{
	rule_add_operand(p->scratch, &x->rule, at);
	x->rule.body = scalar_operand(p->scratch, at->type, 1);
	x->in[1] = in;
	memcpy(x->origins->operand[1], origins, sizeof x->origins->operand[1]);
}

static void end_sliced(const struct sliced *x, const struct planner *p, struct phys_node *n)
{
	n->nin = x->rule.noperands;
	n->in = memcpy(ARENA_ARRAY(p->scratch, struct phys_node *, 2), x->in, sizeof x->in);
	n->rule = rule_intern(p->program->rules, &x->rule);
	n->origins = x->origins;
}

/* Along dimension d at the places. */
static void go_by_places(struct access *a, int d)
{
	a->index[d] = (struct index){.div = 1, .data = 0, .guarded = true};
}

static void read_slice(const struct planner *p, const struct slice *s, struct phys_node *places)
{
	struct sliced x;
	struct access from = s->value;
	go_by_places(&from, s->dim);
	begin_sliced(&x, p, s, places);
	value_sliced(&x, p, s->from, &from, s->to->origins->operand[s->from_put]);
	x.rule.out.index[s->result_dim] = index_of_factor(s->factor);
	end_sliced(&x, p, s->to);
}

static void put_slice(const struct planner *p, const struct slice *s, struct phys_node *places)
{
	struct sliced x;
	const struct phys_node *n = s->to, *put = s->put;
	int k = s->number->kind == SCALAR_OPERAND ? s->number->index : -1;
	begin_sliced(&x, p, s, places);
	x.rule.body = s->number;
	if (put)
		value_sliced(&x, p, put->in[s->from_put], &s->value, put->origins->operand[s->from_put]);
	else if (k >= 0)
		value_sliced(&x, p, n->in[k], &n->rule->operand[k], n->origins->operand[k]);
	go_by_places(&x.rule.out, s->dim);
	end_sliced(&x, p, s->to);
	s->to->onto = s->from;
}

static void add_slice(const struct slice *s)
{
	struct phys_node *n = s->to;
	n->rule = s->added->rule;
	n->origins = s->added->origins;
	n->in = s->added->in;
	n->nin = s->added->nin;
	n->onto = s->from;
}

/* ---- the steps ---- */

bool planner_slice_step(const struct planner *p, struct phys_node *n, struct slice *s)
{
	return find_put(p, n, s) || find_added(p, n, s);
}

/* It needs neither the places of all elements any more, nor what was made by them. */
static void leave_out(const struct slice *s, int *put)
{
	put[s->places->id] += s->put ? 2 : 1;
	if (s->put)
		put[s->put->id]++;
}

void planner_slice_write(struct planner *p, const struct slice *s, struct phys_node **before, int *put)
{
	int id = s->to->id;
	p->rows[id] = ROWS_ONTO;
	if (s->added) {
		add_slice(s);
		put[s->added->id]++;
		return;
	}
	before[id] = places_of(p, s);
	put_slice(p, s, before[id]);
	leave_out(s, put);
}

void planner_slice_read(const struct planner *p, struct phys_node *n, struct phys_node **before, int *put)
{
	struct slice s;
	if (!n->loop || before[n->id] || !find_read(p, n, &s))
		return;
	before[n->id] = places_of(p, &s);
	read_slice(p, &s, before[n->id]);
	leave_out(&s, put);
}
