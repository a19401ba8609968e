/* model.c — see model.h: variables, edges, prices; the regions of the program one after the other. */
#include "model.h"

#include "../layout/owners.h"

#include "../layout/stage.h"
#include "../report/runs.h"
#include "../simplify/passes.h"

#include <math.h>
#include <string.h>

int model_variable(struct model *m, int n)
{
	struct model_var v = {
		.n = n, .cost = ARENA_ARRAY(m->arena, int64_t, n), .usage = ARENA_ARRAY(m->arena, int64_t, n)};
	vec_push(m->arena, &m->vars, v);
	return m->vars.n - 1;
}

static int64_t add(int64_t a, int64_t b)
{
	return a >= COST_FORBIDDEN || b >= COST_FORBIDDEN ? COST_FORBIDDEN : a + b;
}

/* A node or transfer that takes a quarter of an hour is as bad as any longer one: sums stay far below what is
 * forbidden. */
static int64_t weighed(const struct model *m, double ns)
{
	const double most = 1e15;
	double ps = ns * (double)m->weight;
	return ps < most ? (int64_t)floor(ps + 0.5) : (int64_t)most;
}

void model_add_time(struct model *m, int var, int value, double ns)
{
	int64_t *cost = var < 0 ? &m->cost : &m->vars.at[var].cost[value];
	*cost = add(*cost, weighed(m, ns));
}

void model_forbid(struct model *m, int var, int value, const struct node *at)
{
	if (var >= 0)
		m->vars.at[var].cost[value] = COST_FORBIDDEN;
	else if (!m->impossible)
		m->impossible = at;
}

void model_add_usage(struct model *m, const struct model_value *v, enum dtype t, const struct shape *s, int64_t times)
{
	for (int i = 0; i < v->n; i++) {
		struct shape local = layout_largest_shape(v->place, &v->layout[i], s);
		int64_t *usage = v->var < 0 ? &m->usage : &m->vars.at[v->var].usage[i];
		double bytes = (double)shape_volume(&local) * (double)dtype_size(t) * (double)times;
		*usage += (int64_t)(bytes * (double)v->place->count / (double)m->program->nranks + 0.5);
	}
}

void *model_list(struct model *m, const void *list, size_t size)
{
	memo_begin(&m->lists);
	for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
		uint64_t word = 0;
		memcpy(&word, (const char *)list + at, size - at < sizeof word ? size - at : sizeof word);
		memo_add(&m->lists, word);
	}
	memo_add(&m->lists, size);
	void **known = memo_find(&m->lists);
	if (!*known) {
		*known = arena_alloc(m->arena, size);
		memcpy(*known, list, size);
	}
	return *known;
}

struct model_value model_fixed(struct model *m, const struct place *p, const struct layout *l)
{
	struct model_value v = {.place = p, .var = -1, .n = 1, .layout = ARENA_NEW(m->arena, struct layout)};
	*v.layout = *l;
	return v;
}

struct model_value model_given(struct model *m, const struct place *p, const struct layout *l)
{
	int open = layout_open(p, l);
	if (open < 0)
		return model_fixed(m, p, l);
	const struct model_value *o = &m->open[open];
	struct model_value v = {
		.place = p, .var = o->var, .n = o->n, .layout = ARENA_ARRAY(m->arena, struct layout, o->n)};
	for (int i = 0; i < v.n; i++) {
		v.layout[i] = *l;
		for (int a = 0; a < p->naxes; a++)
			if (atom_open(l->atom[a]) >= 0)
				v.layout[i].atom[a] = atom_chosen(l->atom[a], o->layout[i].atom[a]);
	}
	return v;
}

/* ---- edges ---- */

static void pay_at(struct model *m, int var, int value, int64_t cost, const struct node *at)
{
	if (cost >= COST_FORBIDDEN)
		model_forbid(m, var, value, at);
	else if (var < 0)
		m->cost = add(m->cost, cost);
	else
		m->vars.at[var].cost[value] = add(m->vars.at[var].cost[value], cost);
}

static bool is_forbidden(const struct model *m, int var, int value)
{
	return m->vars.at[var].cost[value] >= COST_FORBIDDEN;
}

static void add_to_key(const struct model *m, const struct model_value *v, struct memo *key)
{
	memo_add_pointer(key, v->place);
	memo_add_pointer(key, v->layout);
	for (int i = 0; i < v->n; i++)
		memo_add(key, is_forbidden(m, v->var, i));
}

/* Values of a variable by what they lay the tensor out as: choices differ in what else they say. */
struct model_kinds {
	int n, *of; /* by value: a number below n */
};

/* Once for each list of layouts; equal lists of choices are one. */
static const struct model_kinds *kinds_of(struct model *m, const struct model_value *v)
{
	struct model_kinds *kinds = map_get(&m->kinds, v->layout);
	if (kinds)
		return kinds;
	struct arena *scratch = arena_new("search: kinds");
	struct memo known;
	memo_init(&known, scratch);
	kinds = ARENA_NEW(m->arena, struct model_kinds);
	kinds->of = ARENA_ARRAY(m->arena, int, v->n);
	for (int i = 0; i < v->n; i++) {
		memo_begin(&known);
		layout_add_key(&known, v->place, &v->layout[i]);
		void **first = memo_find(&known);
		if (!*first) {
			*first = &kinds->of[i];
			kinds->of[i] = kinds->n++;
		}
		kinds->of[i] = *(const int *)*first;
	}
	map_set(&m->kinds, v->layout, kinds);
	arena_free(scratch);
	return kinds;
}

/* Of an edge; NULL: it says nothing. */
static const int64_t *make_table(struct model *m, const struct node *x, const struct model_value *from,
				 const struct model_value *to, model_price *price)
{
	enum { UNKNOWN = -1 };
	const struct model_kinds *f = kinds_of(m, from), *t = kinds_of(m, to);
	struct arena *scratch = arena_new("search: table");
	int64_t *cost = ARENA_ARRAY(m->arena, int64_t, (int64_t)from->n * to->n),
		*of_kinds = ARENA_ARRAY(scratch, int64_t, (int64_t)f->n * t->n);
	bool any = false;
	for (int i = 0; i < f->n * t->n; i++)
		of_kinds[i] = UNKNOWN;
	for (int i = 0; i < from->n; i++)
		for (int k = 0; k < to->n; k++) {
			int64_t *known = &of_kinds[f->of[i] * t->n + t->of[k]];
			if (is_forbidden(m, from->var, i) || is_forbidden(m, to->var, k))
				continue;
			if (*known == UNKNOWN)
				*known = price(m, x, from->place, &from->layout[i], to->place, &to->layout[k]);
			cost[i * to->n + k] = *known;
			any |= *known != 0;
		}
	arena_free(scratch);
	return any ? cost : NULL;
}

static bool same_table(const int64_t *a, const int64_t *b, int n)
{
	return a && b ? !memcmp(a, b, sizeof *a * (size_t)n) : a == b;
}

/* The same one for values that are alike. */
static const int64_t *table_of(struct model *m, const struct node *x, const struct model_value *from,
			       const struct model_value *to, model_price *price)
{
	struct memo *key = &m->tables;
	struct known {
		const int64_t *cost;
	} * known;
	memo_begin(key);
	memo_add(key, (uintptr_t)price);
	memo_add(key, (uint64_t)m->weight);
	memo_add(key, (uint64_t)x->dtype << 8 | (uint64_t)x->shape.rank);
	for (int d = 0; d < x->shape.rank; d++)
		memo_add(key, (uint64_t)x->shape.dim[d]);
	add_to_key(m, from, key);
	add_to_key(m, to, key);
	void **found = memo_find(key);
	if (*found) {
		known = *found;
		BUG_IF(m->program->session->options.verify_each &&
			       !same_table(make_table(m, x, from, to, price), known->cost, from->n * to->n),
		       "the memo of search/model.c: node %%%d does not cost what the one it was taken for does", x->id);
		return known->cost;
	}
	*found = known = ARENA_NEW(m->arena, struct known);
	known->cost = make_table(m, x, from, to, price);
	return known->cost;
}

void model_pay(struct model *m, const struct node *x, const struct model_value *from, const struct model_value *to,
	       model_price *price)
{
	const struct place *p = from->place, *q = to->place;
	if (from->is_free)
		return;
	if (from->var >= 0 && to->var >= 0 && from->var != to->var) {
		struct model_edge e = {{from->var, to->var}, table_of(m, x, from, to, price)};
		if (e.cost)
			vec_push(m->arena, &m->edges, e);
		return;
	}
	int var = from->var >= 0 ? from->var : to->var, n = from->n > to->n ? from->n : to->n;
	for (int i = 0; i < n; i++)
		pay_at(m, var, i,
		       price(m, x, p, &from->layout[from->var < 0 ? 0 : i], q, &to->layout[to->var < 0 ? 0 : i]), x);
}

/* Moved, or returned from what it is or from what its parts are finished as by splitting; with --reproducible parts are
 * rounded behind their last movement, and so finished by that. */
static int64_t price_rows(struct model *m, const struct node *x, const struct place *p, const struct layout *a,
			  const struct layout *b, uint32_t owning)
{
	int64_t least = model_price_move(m, x, p, a, p, b);
	struct layout l = *a;
	if (m->program->session->options.reproducible && dtype_is_float(x->dtype) && layout_has_partial(p, a))
		return least;
	for (int i = 0; owning && m->weight && x->shape.rank && convert_parts_split(p, &x->shape, i, &l); i++, l = *a) {
		if (!owners_return(p, &l, b, owning))
			continue;
		int64_t cost = weighed(m, transfer_time_returned(m->transfers, x->dtype, &x->shape, p, &l, b)) + 1;
		cost = add(cost, model_price_move(m, x, p, a, p, &l));
		least = cost < least ? cost : least;
	}
	return least;
}

void model_pay_rows(struct model *m, const struct node *x, const struct model_value *from, const struct model_value *to,
		    const uint32_t *owning)
{
	const struct place *p = from->place;
	int nfrom = from->var >= 0 ? from->n : 1, nto = to->var >= 0 ? to->n : 1;
	bool is_edge = from->var >= 0 && to->var >= 0 && from->var != to->var, is_one = from->var == to->var;
	int64_t *cost = is_edge ? ARENA_ARRAY(m->arena, int64_t, (int64_t)nfrom * nto) : NULL;
	for (int i = 0; i < nfrom; i++)
		for (int k = 0; k < nto; k++) {
			if ((is_one && i != k) || (from->var >= 0 && is_forbidden(m, from->var, i)) ||
			    (to->var >= 0 && is_forbidden(m, to->var, k)))
				continue;
			int64_t ps = price_rows(m, x, p, &from->layout[i], &to->layout[k], owning[k]);
			if (is_edge)
				cost[i * nto + k] = ps;
			else
				pay_at(m, from->var >= 0 ? from->var : to->var, from->var >= 0 ? i : k, ps, x);
		}
	if (is_edge)
		vec_push(m->arena, &m->edges, ((struct model_edge){{from->var, to->var}, cost}));
}

int64_t model_price_free(struct model *m, const struct node *x, const struct place *from, const struct layout *a,
			 const struct place *to, const struct layout *b)
{
	(void)m;
	return from == to && (layout_equal(from, a, b) || layout_converts_freely(from, &x->shape, a, b))
		       ? 0
		       : COST_FORBIDDEN;
}

int64_t model_price_equal(struct model *m, const struct node *x, const struct place *from, const struct layout *a,
			  const struct place *to, const struct layout *b)
{
	(void)m;
	(void)x;
	return from == to && layout_equal(from, a, b) ? 0 : COST_FORBIDDEN;
}

/* A copy on the rank itself is no transfer; one ps keeps what changes nothing the cheapest. */
int64_t model_price_move(struct model *m, const struct node *x, const struct place *from, const struct layout *a,
			 const struct place *to, const struct layout *b)
{
	if (from == to && layout_same(from, a, b))
		return layout_equal(from, a, b) ? 0 : 1;
	if (!layout_can_become(from, a, to, b))
		return COST_FORBIDDEN;
	if (from == to && layout_converts_freely(from, &x->shape, a, b))
		return 1;
	return m->weight ? weighed(m, transfer_time_by_steps(m->transfers, x->dtype, &x->shape, from, a, to, b)) + 1
			 : 1;
}

/* ---- the program ---- */

/* All layouts that are finished, with at least an element for each rank of an axis that shares out a dimension. */
static void add_open(struct model *m, int i)
{
	const struct open_layout *o = &m->program->open.at[i];
	const struct place *p = o->place;
	int64_t count = 1;
	for (int a = 0; a < p->naxes; a++)
		count *= 1 + o->shape.rank;
	struct layout *all = ARENA_ARRAY(m->arena, struct layout, count);
	int n = 0;
	for (int64_t k = 0; k < count; k++) {
		struct layout l = o->layout;
		bool good = true;
		int64_t rest = k;
		for (int a = p->naxes - 1; a >= 0; a--) {
			int d = (int)(rest % (1 + o->shape.rank)) - 1;
			rest /= 1 + o->shape.rank;
			if (atom_open(o->layout.atom[a]) < 0) {
				good &= d < 0;
				continue;
			}
			l.atom[a] =
				(struct shard_atom){.kind = d < 0 ? SHARD_B : SHARD_S, .dim = (int8_t)(d < 0 ? 0 : d)};
			good &= d < 0 || (p->extent[a] > 1 && o->shape.dim[d] >= p->extent[a]);
		}
		if (good)
			all[n++] = l;
	}
	m->open[i] = (struct model_value){.place = p, .var = model_variable(m, n), .n = n, .layout = all};
}

static void add_slots(struct model *m)
{
	for (int i = 0; i < m->program->slots.n; i++) {
		const struct slot *s = m->program->slots.at[i];
		if (s->slot_class == SLOT_VALUE && s->layout.form != LAYOUT_GIVEN)
			continue;
		struct layout whole = layout_broadcast();
		m->slots[i] = model_given(m, s->place, s->layout.form == LAYOUT_GIVEN ? &s->layout.layout : &whole);
		if (!s->members.n)
			model_add_usage(m, &m->slots[i], s->dtype, &s->shape, 1);
	}
}

struct model *model_of_machine(struct arena *a, const struct program *p, const struct machine *machine,
			       struct transfer_times *transfers)
{
	struct model *m = ARENA_NEW(a, struct model);
	*m = (struct model){.arena = a, .program = p, .machine = machine_in_turns(machine), .transfers = transfers};
	m->open = ARENA_ARRAY(a, struct model_value, p->open.n);
	m->slots = ARENA_ARRAY(a, struct model_value, p->slots.n);
	memo_init(&m->choices, a);
	memo_init(&m->lists, a);
	memo_init(&m->tables, a);
	memo_init(&m->shares, a);
	map_init(&m->kinds, a);
	return m;
}

struct problem model_problem(const struct model *m, struct arena *a)
{
	struct problem p = {.nnodes = m->vars.n, .nedges = m->edges.n};
	p.node = ARENA_ARRAY(a, struct problem_node, p.nnodes);
	p.edge = ARENA_ARRAY(a, struct problem_edge, p.nedges);
	for (int i = 0; i < m->vars.n; i++) {
		const struct model_var *v = &m->vars.at[i];
		bool uses = false;
		for (int k = 0; k < v->n; k++)
			uses |= v->usage[k] > 0;
		p.node[i] = (struct problem_node){
			.nvalues = v->n, .cost = v->cost, .usage = uses ? v->usage : NULL, .to = uses};
	}
	for (int i = 0; i < m->edges.n; i++)
		p.edge[i] = (struct problem_edge){2, m->edges.at[i].var, m->edges.at[i].cost};
	return p;
}

/* What is no part of a step counts a thousandth. */
static int64_t weight_of(const struct report_runs *runs)
{
	const double most = 1e12;
	double weight = MODEL_STEP * report_share(runs);
	return weight < 1 ? 1 : (int64_t)floor((weight < most ? weight : most) + 0.5);
}

struct model *model_new(struct arena *a, const struct program *p, const struct machine *machine)
{
	struct model *m = model_of_machine(a, p, machine, transfer_times_new(a, p, machine));
	for (int i = 0; i < p->open.n; i++)
		if (p->open.at[i].searched)
			add_open(m, i);
	add_slots(m);
	int64_t *weight = ARENA_ARRAY(a, int64_t, p->regions.n);
	for (int i = 0; i < p->regions.n; i++)
		weight[i] = p->regions.at[i]->graph->nodes.n;
	const struct report_runs *runs = runs_of_regions(a, p, weight);
	for (int i = 0; i < p->written.n && !m->refused; i++) {
		struct graph *g = graph_copy(p->written.at[i], a);
		stage_place(g);
		model_add_graph(m, g, 0);
	}
	for (int i = 0; i < p->regions.n && !m->refused; i++) {
		struct graph *g = graph_copy(p->regions.at[i]->graph, a);
		graph_run_passes(p->session, g);
		stage_place(g);
		model_add_graph(m, g, weight_of(&runs[i]));
	}
	return m;
}
