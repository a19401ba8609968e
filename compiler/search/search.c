/* search.c — see search.h. The k best: the plans left when the best is taken away are cut into those that differ from
 * it first in the first choice, first in the second, …, each with a best of its own; the cheapest of these is the next
 * (Murty 1968). */
#include "search.h"

#include "model.h"

#include "base/workers.h"

#include <string.h>

/* Some of the plans: the first `fixed` choices are those of `of`, and the next one is none of `not`; or one choice
 * alone is fixed, `only`, to a number. */
struct part {
	int fixed;
	const int *of;
	VEC(int) not ;
	int only, number;        /* only: -1, or the choice */
	struct search_plan best; /* number NULL: there is none */
};

/* The best plans within a memory, as many as were asked for: the parts of all plans that are left. */
struct ranking {
	bool is_known, has_ended;
	int64_t memory, effort;
	VEC(struct part) parts;
	struct part last; /* where the last plan came from, not split yet */
	struct search_result result;
};

struct search {
	struct arena *arena;
	struct model *model;
	VEC(int) open; /* into program.open */
	struct problem problem;
	struct ranking ranking;
};

enum { MOST_EFFORT = 4000000 }; /* entries of tables that are looked at for all plans but the first */

static const struct model_value *value_of(const struct search *x, int open)
{
	return &x->model->open[x->open.at[open]];
}

struct search *search_new(struct arena *a, const struct program *p, const struct machine *machine)
{
	struct search *x = ARENA_NEW(a, struct search);
	*x = (struct search){.arena = a, .model = model_new(a, p, machine)};
	for (int i = 0; i < p->open.n; i++)
		if (p->open.at[i].searched)
			vec_push(a, &x->open, i);
	x->problem = model_problem(x->model, a);
	return x;
}

struct search *search_nothing(struct arena *a)
{
	struct search *x = ARENA_NEW(a, struct search);
	*x = (struct search){.arena = a};
	return x;
}

const char *search_refused(const struct search *x)
{
	const struct node *n = x->model ? x->model->impossible : NULL;
	if (!x->model)
		return NULL;
	if (!n)
		return x->model->refused;
	struct line_column at;
	const struct source *source = &x->model->program->session->sources.at[n->span.file];
	at = source_position(source, n->span.begin);
	return arena_printf(x->arena, "%s:%d:%d: whatever is chosen for `auto`, no layout fits what `%s` reads",
			    source->path, at.line, at.column,
			    n->kind == NODE_MAP ? n->rule->name : node_kind_text(n->kind));
}

int search_opens(const struct search *x)
{
	return x->open.n;
}

const struct open_layout *search_open(const struct search *x, int open)
{
	return &x->model->program->open.at[x->open.at[open]];
}

int search_layouts(const struct search *x, int open)
{
	return value_of(x, open)->n;
}

const struct layout *search_layout(const struct search *x, int open, int number)
{
	return &value_of(x, open)->layout[number];
}

void search_size(const struct search *x, int *variables, int64_t *entries)
{
	*variables = x->problem.nnodes;
	*entries = 0;
	for (int i = 0; i < x->problem.nedges; i++)
		*entries += problem_entries(&x->problem, &x->problem.edge[i]);
}

/* ---- one solution ---- */

/* Data on no rank yet may be had in any layout: a `to` says in which. */
static bool changes(const struct model_move *m, const int *value)
{
	const struct layout whole = layout_broadcast(),
			    *from = m->from.is_free ? &whole
						    : &m->from.layout[m->from.var < 0 ? 0 : value[m->from.var]],
			    *to = &m->to.layout[m->to.var < 0 ? 0 : value[m->to.var]];
	return !layout_equal(m->to.place, from, to);
}

static void find_moves(const struct search *x, const int *value, struct search_plan *plan)
{
	const struct model *m = x->model;
	for (int i = 0; i < m->moves.n; i++)
		for (int k = 0; k < x->open.n; k++)
			if (x->open.at[k] == m->moves.at[i].open)
				plan->moves[k] |= changes(&m->moves.at[i], value);
}

static double ns_of(const struct search *x, wide cost)
{
	return (double)(cost + x->model->cost) / MODEL_STEP;
}

static bool may_take(const struct part *p, int choice, int number)
{
	if (choice == p->only)
		return number == p->number;
	if (choice < p->fixed)
		return number == p->of[choice];
	for (int k = 0; choice == p->fixed && k < p->not .n; k++)
		if (p->not .at[k] == number)
			return false;
	return true;
}

static void write_plan(const struct search *x, const struct problem *p, const struct solution *s,
		       struct search_plan *plan)
{
	plan->ns = ns_of(x, s->cost);
	plan->memory = x->model->usage;
	for (int i = 0; i < p->nnodes; i++)
		plan->memory += p->node[i].usage ? p->node[i].usage[s->value[i]] : 0;
	for (int i = 0; i < x->open.n; i++)
		plan->number[i] = s->value[value_of(x, i)->var];
	find_moves(x, s->value, plan);
}

/* A part with room for its best plan. */
static struct part new_part(const struct search *x)
{
	return (struct part){.only = -1,
			     .best = {.number = ARENA_ARRAY(x->arena, int, x->open.n),
				      .moves = ARENA_ARRAY(x->arena, bool, x->open.n)}};
}

/* The best plan of a part: part->best. Parts may be solved at a time. */
static struct solution solve(const struct search *x, int64_t memory, struct part *part)
{
	struct problem p = x->problem;
	struct arena *scratch = arena_new("search");
	p.node = ARENA_ARRAY(scratch, struct problem_node, p.nnodes);
	memcpy(p.node, x->problem.node, sizeof *p.node * (size_t)p.nnodes);
	for (int i = 0; i < x->open.n; i++) {
		struct problem_node *n = &p.node[value_of(x, i)->var];
		int64_t *cost = ARENA_ARRAY(scratch, int64_t, n->nvalues);
		for (int k = 0; k < n->nvalues; k++)
			cost[k] = may_take(part, i, k) ? n->cost[k] : COST_FORBIDDEN;
		n->cost = cost;
	}
	p.has_limit = memory > 0;
	p.limit = memory - x->model->usage;
	struct solution s = {.kind = SOLUTION_INFEASIBLE};
	if (!p.has_limit || p.limit >= 0)
		s = problem_solve(&p, scratch, p.has_limit ? MODEL_LIMIT_WITHIN : MODEL_LIMIT);
	if (s.value)
		write_plan(x, &p, &s, &part->best);
	else
		part->best.number = NULL;
	s.value = NULL;
	arena_free(scratch);
	return s;
}

/* ---- the best ones ---- */

/* Parts that are solved at a time. */
struct splitting {
	const struct search *search;
	int64_t memory;
	VEC(struct part) parts;
};

static void solve_one(void *context, int i)
{
	struct splitting *s = context;
	solve(s->search, s->memory, &s->parts.at[i]);
}

/* What is left of a part without its best. */
static void split_part(struct search *x, const struct part *from, int64_t memory)
{
	struct splitting s = {.search = x, .memory = memory};
	for (int i = from->fixed; i < x->open.n; i++) {
		struct part rest = new_part(x);
		rest.fixed = i;
		rest.of = from->best.number;
		for (int k = 0; i == from->fixed && k < from->not .n; k++)
			vec_push(x->arena, &rest.not, from->not .at[k]);
		vec_push(x->arena, &rest.not, from->best.number[i]);
		vec_push(x->arena, &s.parts, rest);
	}
	workers_run(s.parts.n, solve_one, &s);
	for (int i = 0; i < s.parts.n; i++)
		if (s.parts.at[i].best.number)
			vec_push(x->arena, &x->ranking.parts, s.parts.at[i]);
}

static int cheapest(const struct ranking *r)
{
	int best = 0;
	for (int i = 1; i < r->parts.n; i++)
		if (r->parts.at[i].best.ns < r->parts.at[best].best.ns)
			best = i;
	return best;
}

/* The number of the layout in which every rank has all; -1: it may not be chosen. */
static int whole_layout(const struct search *x, int open)
{
	const struct layout whole = layout_broadcast();
	const struct place *place = search_open(x, open)->place;
	for (int i = 0; i < search_layouts(x, open); i++)
		if (layout_equal(place, search_layout(x, open, i), &whole))
			return i;
	return -1;
}

/* Takes the plan in which nothing is split, which is little to search, if it is better than a best that is not known
 * to be one. */
static void try_whole(const struct search *x, int64_t memory, struct part *all)
{
	struct part whole = new_part(x);
	int *number = ARENA_ARRAY(x->arena, int, x->open.n);
	for (int i = 0; i < x->open.n; i++)
		if ((number[i] = whole_layout(x, i)) < 0)
			return;
	whole.fixed = x->open.n;
	whole.of = number;
	solve(x, memory, &whole);
	if (whole.best.number && (!all->best.number || whole.best.ns < all->best.ns))
		all->best = whole.best;
}

static void begin_ranking(struct search *x, int64_t memory)
{
	struct part all = new_part(x);
	struct solution s = {.kind = SOLUTION_OPTIMAL};
	if (x->model)
		s = solve(x, memory, &all);
	if (s.kind == SOLUTION_FOUND || s.kind == SOLUTION_UNKNOWN)
		try_whole(x, memory, &all);
	x->ranking = (struct ranking){.is_known = true, .memory = memory};
	x->ranking.result.bound = x->model ? ns_of(x, s.bound) : 0;
	x->ranking.result.is_best = s.kind == SOLUTION_OPTIMAL;
	if (all.best.number)
		vec_push(x->arena, &x->ranking.parts, all);
}

/* One more plan. The part that the last one came from is split only now; where that takes too long nobody knows what
 * is left of it, and so which plan is the next. */
static void rank_next(struct search *x)
{
	struct ranking *r = &x->ranking;
	if (r->result.plans.n) {
		int variables;
		int64_t entries;
		search_size(x, &variables, &entries);
		r->effort += (x->open.n - r->last.fixed) * entries;
		r->has_ended = r->effort > MOST_EFFORT;
		if (!r->has_ended)
			split_part(x, &r->last, r->memory);
	}
	r->has_ended |= !r->parts.n;
	if (r->has_ended)
		return;
	int i = cheapest(r);
	r->last = r->parts.at[i];
	memmove(&r->parts.at[i], &r->parts.at[i + 1], sizeof r->last * (size_t)(r->parts.n - i - 1));
	r->parts.n--;
	vec_push(x->arena, &r->result.plans, r->last.best);
}

struct search_result search_best(struct search *x, int k, int64_t memory)
{
	if (!x->ranking.is_known || x->ranking.memory != memory)
		begin_ranking(x, memory);
	while (x->ranking.result.plans.n < k && !x->ranking.has_ended)
		rank_next(x);
	struct search_result r = x->ranking.result;
	r.plans.n = r.plans.n < k ? r.plans.n : k;
	return r;
}

bool search_forced(struct search *x, int open, int number, int64_t memory, struct search_plan *out)
{
	struct part one = new_part(x);
	one.only = open;
	one.number = number;
	solve(x, memory, &one);
	*out = one.best;
	return out->number;
}

/* The edge's table with 0 for all that may be chosen. */
static const int64_t *without_costs(struct arena *a, const struct problem *p, const struct problem_edge *e)
{
	int64_t n = problem_entries(p, e), *cost = ARENA_ARRAY(a, int64_t, n);
	for (int64_t k = 0; k < n; k++)
		cost[k] = e->cost[k] < COST_FORBIDDEN ? 0 : COST_FORBIDDEN;
	return cost;
}

/* A problem of its own: memory is a sum over all that is held, so it stands in the place of time, without a limit. */
int64_t search_least_memory(struct search *x)
{
	if (!x->model)
		return 0;
	struct arena *scratch = arena_new("search: memory");
	struct problem p = x->problem;
	struct map edges;
	map_init(&edges, scratch);
	p.has_limit = false;
	p.node = ARENA_ARRAY(scratch, struct problem_node, p.nnodes);
	p.edge = ARENA_ARRAY(scratch, struct problem_edge, p.nedges);
	for (int i = 0; i < p.nnodes; i++) {
		struct problem_node *n = &p.node[i];
		*n = x->problem.node[i];
		int64_t *cost = ARENA_ARRAY(scratch, int64_t, n->nvalues);
		for (int k = 0; k < n->nvalues; k++)
			cost[k] = n->cost[k] >= COST_FORBIDDEN ? COST_FORBIDDEN : n->usage ? n->usage[k] : 0;
		n->cost = cost;
	}
	for (int i = 0; i < p.nedges; i++) {
		const struct problem_edge *e = &x->problem.edge[i];
		const int64_t *cost = map_get(&edges, e->cost); /* edges share tables */
		p.edge[i] = *e;
		p.edge[i].cost = cost ? cost : without_costs(scratch, &p, e);
		map_set(&edges, e->cost, (void *)p.edge[i].cost);
	}
	struct solution s = problem_solve(&p, scratch, MODEL_LIMIT);
	int64_t least = s.value ? (int64_t)s.cost + x->model->usage : 0;
	arena_free(scratch);
	return least;
}
