/* phases.c — sums over transposed windows without the points that a stride leaves out. A gradient of a window with a
 * stride, or a transposed convolution, reads
 *
 *   out[.., y] = sum[p] x[.., (y + k - p) / s] * w[p]
 *
 * where s divides y + k - p, which for each y is one p in s. Every s-th point of the sum from the same one on belongs
 * to the same remainder r of y, so with y = s * y' + r - k and p = s * p' + r
 *
 *   part[r, .., y'] = sum[p'] x[.., y' - p'] * w[s * p' + r]        out[.., s * y' + r - k] = part[r, .., y']
 *
 * or for s = 2 and odd k, which reaches no farther, y = 2 * y' + r, p = 2 * p' + 1 - r and part[r, .., y'] of x[.., y'
 * + r - p']. The parts are sums of plain windows, and products if out would be one. Where windows do not overlap, p' is
 * 0, and the second map computes the one summand there is. Sums keep their order. */
#include "planner.h"

#include "../op/intern.h"

#include <string.h>

enum { MAX_PHASES = 3 };

/* An index (y + offset - p) / by; p -1: none. rest: offset modulo by, shift: what is left of it, in steps of by. */
struct phase {
	int y, p;
	int64_t by, rest, shift;
	int part;    /* new factor: the remainder; -1: there is only one */
	bool turned; /* y = by * y' + part, p = by * p' + by - 1 - part */
};

struct phases {
	const struct phys_node *node;
	const struct rule *rule;
	struct phase at[MAX_PHASES];
	int n;
	int to[MAX_FACTORS]; /* new number of a factor; -1: it is always 0 */
};

static struct phase *phase_with(struct phases *x, int factor)
{
	for (int i = 0; i < x->n; i++)
		if (x->at[i].y == factor || x->at[i].p == factor)
			return &x->at[i];
	return NULL;
}

static bool add_phase(struct phases *x, const struct index *index)
{
	const struct rule *r = x->rule;
	struct phase f = {.y = -1, .p = -1, .by = index->div, .part = -1};
	for (int i = 0; i < index->nterms; i++) {
		int *of = rule_reduces(r, index->term[i].factor) ? &f.p : &f.y;
		if (*of >= 0 || index->term[i].coef != (of == &f.y ? 1 : -1))
			return false;
		*of = index->term[i].factor;
	}
	f.rest = (index->offset % f.by + f.by) % f.by;
	f.shift = (index->offset - f.rest) / f.by;
	if (f.y < 0 || access_dim_of(&r->out, f.y) < 0 || scalar_uses_factor(r->body, f.y) ||
	    (f.p >= 0 && scalar_uses_factor(r->body, f.p)))
		return false;
	struct phase *y = phase_with(x, f.y), *p = f.p < 0 ? NULL : phase_with(x, f.p);
	if (y || p)
		return y && (f.p < 0 || p == y) && y->p == f.p && y->by == f.by && y->rest == f.rest &&
		       y->shift == f.shift;
	if (x->n == MAX_PHASES)
		return false;
	x->at[x->n++] = f;
	return true;
}

/* Nothing that becomes another factor is a part of a tensor on this rank. */
static bool is_local(const struct phases *x)
{
	const struct phys_origins *o = x->node->origins;
	for (int i = 0; i < x->n && o; i++) {
		if (o->factor[x->at[i].y].type >= 0 || (x->at[i].p >= 0 && o->factor[x->at[i].p].type >= 0))
			return false;
		for (int k = 0; k < x->rule->noperands; k++)
			for (int d = 0; d < x->rule->operand[k].rank; d++)
				if (o->operand[k][d].type >= 0 &&
				    (index_coef(&x->rule->operand[k].index[d], x->at[i].y) ||
				     x->rule->operand[k].index[d].div > 1))
					return false;
	}
	return true;
}

/* The last remainders may have a point less of the sum: there is none beyond its end, or an operand that names the
 * points leaves it out. */
static bool ends_well(const struct rule *r, const struct phase *f)
{
	int64_t extent = f->p < 0 ? 1 : r->factor[f->p].extent;
	bool ends = extent <= f->by || extent % f->by == 0;
	for (int k = 0; k < r->noperands && !ends; k++) {
		int d = access_dim_of(&r->operand[k], f->p);
		ends = d >= 0 && r->operand[k].dim[d] == extent;
	}
	return ends;
}

static int64_t least(int64_t x, int64_t y)
{
	return x < y ? x : y;
}

/* Halves whose first points are not those of the window: taken the other way round, they begin where the result does.
 */
static void turn_halves(struct phases *x)
{
	for (int i = 0; i < x->n; i++) {
		struct phase *f = &x->at[i];
		f->turned = f->by == 2 && f->rest == 1 && f->p >= 0 && x->rule->factor[f->p].extent > 1;
		if (f->turned)
			f->rest = 0;
	}
}

static bool find_phases(struct phases *x)
{
	const struct phys_node *n = x->node;
	const struct rule *r = x->rule;
	if (r->combiner != COMBINE_SUM || n->owned || !map_is_plain(n))
		return false;
	for (int k = 0; k < r->noperands; k++)
		for (int d = 0; d < r->operand[k].rank; d++)
			if (r->operand[k].index[d].div > 1 && !add_phase(x, &r->operand[k].index[d]))
				return false;
	for (int i = 0; i < x->n; i++)
		if (!ends_well(r, &x->at[i]))
			return false;
	turn_halves(x);
	return x->n > 0 && is_local(x);
}

static int64_t parts_of(int64_t n, int64_t by)
{
	return (n + by - 1) / by;
}

/* The factors of the parts, each remainder after the factor it belongs to; false: too many. */
static bool new_factors(struct phases *x, struct rule *to)
{
	for (int f = 0; f < x->rule->nfactors; f++) {
		struct factor factor = x->rule->factor[f];
		struct phase *own = phase_with(x, f);
		x->to[f] = -1;
		if (own)
			factor.extent = parts_of(factor.extent + (own->y == f ? own->rest : 0), own->by);
		if (own && own->p == f && factor.extent == 1)
			continue;
		if (to->nfactors + 2 > MAX_FACTORS)
			return false;
		x->to[f] = to->nfactors;
		to->factor[to->nfactors++] = factor;
		if (own && own->y == f && own->p >= 0) {
			own->part = to->nfactors;
			to->factor[to->nfactors++] =
				(struct factor){"part", least(own->by, x->rule->factor[own->p].extent)};
		}
	}
	return true;
}

static void add_term(struct index *x, int factor, int64_t coef, bool *fits)
{
	for (int i = 0; i < x->nterms; i++)
		if (x->term[i].factor == factor) {
			x->term[i].coef += coef;
			if (!x->term[i].coef)
				x->term[i] = x->term[--x->nterms];
			return;
		}
	*fits = *fits && x->nterms < MAX_TERMS;
	if (!*fits || !coef)
		return;
	x->term[x->nterms].factor = factor;
	x->term[x->nterms++].coef = coef;
}

/* An index by the new factors. The terms that cancel come first, so that there is room. */
static struct index new_index(const struct phases *x, const struct index *old, bool *fits)
{
	struct index to = {.offset = old->offset, .div = 1, .data = old->data, .guarded = old->guarded};
	for (int i = 0; i < old->nterms; i++) {
		int f = old->term[i].factor;
		const struct phase *own = phase_with((struct phases *)x, f);
		int64_t coef = old->term[i].coef, step = !own || old->div > 1 ? 1 : own->by;
		if (own && old->div == 1 && own->y == f)
			to.offset -= coef * own->rest;
		if (own && own->turned && own->p == f && old->div == 1)
			to.offset += coef * (own->by - 1);
		if (own && own->part >= 0 && (own->turned ? old->div == 1 || own->y == f : old->div == 1))
			add_term(&to, own->part, own->turned && own->p == f ? -coef : coef, fits);
		if (x->to[f] >= 0)
			add_term(&to, x->to[f], coef * step, fits);
		if (old->div > 1)
			to.offset = own->shift;
	}
	return to;
}

static void new_access(const struct phases *x, const struct rule *rule, const struct access *old, struct access *to,
		       bool *fits)
{
	*to = *old;
	for (int d = 0; d < old->rank; d++) {
		to->index[d] = new_index(x, &old->index[d], fits);
		if (*fits && to->index[d].data < 0)
			to->index[d].guarded =
				to->index[d].guarded || index_needs_guard(rule, &to->index[d], to->dim[d]);
	}
}

/* The map over the new factors, scattered to where it was. */
static struct rule *scattered(struct arena *a, struct phases *x)
{
	const struct rule *r = x->rule;
	struct rule *to = ARENA_NEW(a, struct rule);
	struct access *operand = ARENA_ARRAY(a, struct access, r->noperands);
	bool fits = true;
	*to = (struct rule){.name = r->name,
			    .noperands = r->noperands,
			    .operand = operand,
			    .combiner = r->combiner,
			    .hint = r->hint};
	if (!new_factors(x, to))
		return NULL;
	for (int k = 0; k < r->noperands; k++)
		new_access(x, to, &r->operand[k], &operand[k], &fits);
	new_access(x, to, &r->out, &to->out, &fits);
	to->body = scalar_substitute(a, r->body, NULL, x->to);
	return fits ? to : NULL;
}

static struct phys_origins *new_origins(struct arena *a, const struct phases *x)
{
	const struct phys_origins *o = x->node->origins;
	if (!o)
		return NULL;
	struct phys_origins *to = phys_origins_copy(a, o, x->rule->noperands);
	for (int f = 0; f < MAX_FACTORS; f++)
		to->factor[f] = (struct phys_origin){-1};
	for (int f = 0; f < x->rule->nfactors; f++)
		if (x->to[f] >= 0)
			to->factor[x->to[f]] = o->factor[f];
	return to;
}

/* The parts: remainders first, then the dimensions of the result. */
static bool parts_access(const struct phases *x, const struct rule *to, struct access *out)
{
	*out = (struct access){.type = to->out.type};
	for (int i = 0; i < x->n; i++)
		if (x->at[i].part >= 0)
			out->index[out->rank++] = index_of_factor(x->at[i].part);
	if (out->rank + to->out.rank > MAX_RANK)
		return false;
	for (int d = 0; d < to->out.rank; d++)
		out->index[out->rank++] = index_of_factor(x->to[index_factor(&x->rule->out.index[d])]);
	for (int d = 0; d < out->rank; d++)
		out->dim[d] = to->factor[index_factor(&out->index[d])].extent;
	return true;
}

/* A rule over what is not reduced, that reads `parts` element by element. */
static struct rule *placing(struct arena *a, const struct rule *to, const struct access *parts, int *kept)
{
	struct rule *r = ARENA_NEW(a, struct rule);
	struct access *operand = ARENA_NEW(a, struct access);
	*r = (struct rule){
		.name = to->name, .noperands = 1, .operand = operand, .combiner = COMBINE_SUM, .out = to->out};
	for (int f = 0; f < to->nfactors; f++) {
		kept[f] = -1;
		if (access_dim_of(parts, f) < 0)
			continue;
		kept[f] = r->nfactors;
		r->factor[r->nfactors++] = to->factor[f];
	}
	*operand = *parts;
	for (int d = 0; d < parts->rank; d++)
		operand->index[d] = index_of_factor(kept[index_factor(&parts->index[d])]);
	for (int d = 0; d < r->out.rank; d++)
		for (int i = 0; i < r->out.index[d].nterms; i++)
			r->out.index[d].term[i].factor = kept[r->out.index[d].term[i].factor];
	r->body = scalar_operand(a, to->out.type, 0);
	return r;
}

static bool reduces_more(const struct rule *r)
{
	for (int f = 0; f < r->nfactors; f++)
		if (rule_reduces(r, f) && r->factor[f].extent != 1)
			return true;
	return false;
}

/* Makes n read a node of its parts, which is returned, or NULL where n itself computes what it places. */
static struct phys_node *split(struct program *program, struct arena *a, struct phys_node *n)
{
	struct phases x = {.node = n, .rule = n->rule};
	struct access out;
	int kept[MAX_FACTORS];
	if (n->kind != PHYS_MAP || !find_phases(&x))
		return NULL;
	struct rule *to = scattered(a, &x);
	if (!to || !parts_access(&x, to, &out))
		return NULL;
	struct phys_origins *origins = new_origins(a, &x);
	if (!reduces_more(to)) {
		n->rule = rule_intern(program->rules, to);
		n->origins = origins;
		return NULL;
	}
	struct rule *place = placing(a, to, &out, kept);
	struct phys_node *parts = ARENA_NEW(a, struct phys_node);
	*parts = *n;
	to->out = out;
	parts->rule = rule_intern(program->rules, to);
	parts->shape = (struct shape){.rank = out.rank};
	memcpy(parts->shape.dim, out.dim, sizeof out.dim);
	parts->origins = origins;
	n->rule = rule_intern(program->rules, place);
	n->nin = 1;
	n->in = ARENA_ARRAY(a, struct phys_node *, 1);
	n->in[0] = parts;
	if (origins) {
		struct phys_origins *placed = phys_origins_copy(a, origins, to->noperands),
				    *of_parts = phys_origins_copy(a, origins, to->noperands);
		for (int f = 0; f < MAX_FACTORS; f++)
			placed->factor[f] = (struct phys_origin){-1};
		for (int f = 0; f < to->nfactors; f++)
			if (kept[f] >= 0)
				placed->factor[kept[f]] = origins->factor[f];
		for (int d = 0; d < out.rank; d++)
			of_parts->out[d] = placed->operand[0][d] = origins->factor[index_factor(&out.index[d])];
		parts->origins = of_parts;
		n->origins = placed;
	}
	return parts;
}

void planner_split_phases(struct program *program, struct arena *a, struct phys_graph *g)
{
	int count = g->nodes.n;
	struct phys_node **old = physical_take_nodes(a, g);
	for (int i = 0; i < count; i++) {
		struct phys_node *parts = split(program, a, old[i]);
		if (parts)
			vec_push(a, &g->nodes, parts);
		vec_push(a, &g->nodes, old[i]);
	}
	physical_number(g);
}
