/* solve.c — the layouts left free: one choice per node so that the fewest bytes move between ranks (cost.h says what
 * else counts), by elimination over a network of costs (network.h).
 *
 * A factor is one value and all who use it (demand.c), so a P that several add up is finished once, after the
 * additions. Values of the program itself are fixed; gradients take them as they are where they can. Example: x:S(0),
 * g:S(0), w:B: the gradient x^T g is P(sum), wanted as B: one all-reduce.
 *
 * Axes of one rank say nothing and are left out. On one axis, and on several where the tables stay small, all is solved
 * at once: exact. Otherwise axis by axis: first each alone, as if the others had one rank; then each again with the
 * others as they are, until nothing gets better. That is exact on each axis given the others, and the stage says that
 * it is not known to be the best of all. */
#include "solve.h"

#include "../program.h"
#include "timing.h"

#include <string.h>

enum {
	MAX_TABLE = 1 << 18,
	MAX_WHOLE_NODES = 40, /* free nodes where several axes are solved at once, */
	MAX_WHOLE = 1 << 20,  /* entries of all tables then, */
	MAX_WHOLE_TABLE = 1 << 18,
	MAX_ROUNDS = 8, /* over all axes */
	UNKNOWN_TURNS = 16,
};

/* ---- uses ---- */

static void add_use(struct solve *s, struct node *x, struct use use)
{
	vec_push(s->net.arena, &s->values[stage_value(s->st, x)->id].uses, use);
}

int64_t solve_turns(const struct loop *l)
{
	int64_t n = 1;
	for (; l; l = l->outer) {
		int64_t turns = l->turns >= 0 ? l->turns : l->most >= 0 ? l->most : l->is_branch ? 1 : UNKNOWN_TURNS;
		n = count_mul(n, turns > 1 ? turns : 1);
	}
	return n;
}

bool solve_takes_as_made(const struct node *n, int i)
{
	const struct node *x = n->in[i];
	return (n->kind == NODE_END && i == 0) ||
	       (n->kind == NODE_LINE && x->kind == NODE_STACK && x->shape.dim[0] == 0);
}

static const struct layout *taken(const struct solve *s, const struct node *n, int i, int choice, struct layout *room)
{
	*room = solve_fixed(s, n->in[i], &s->st->notes[n->id].want[i]);
	return s->var[n->id] < 0 ? room : &s->choices[n->id][choice].in[choice_operand(n, i)];
}

static const struct layout *made(const struct solve *s, const struct node *x, int choice, struct layout *room)
{
	*room = solve_fixed(s, x, &x->layout);
	return s->var[x->id] < 0 ? room : &s->choices[x->id][choice].out;
}

/* Forbids all other choices of n and of its input. */
static void take_as_made(struct solve *s, const struct node *n, int i)
{
	const struct node *x = n->in[i];
	int vars[2], nvars = 0, nmade = 1, ntaken = 1;
	struct layout room[2];
	if (s->var[x->id] >= 0) {
		vars[nvars++] = s->var[x->id];
		nmade = s->nchoices[x->id];
	}
	if (s->var[n->id] >= 0) {
		vars[nvars++] = s->var[n->id];
		ntaken = s->nchoices[n->id];
	}
	if (!nvars)
		return;
	struct cost *table = network_factor(&s->net, nvars, vars);
	for (int j = 0; j < nmade; j++)
		for (int k = 0; k < ntaken; k++)
			table[j * ntaken + k].forbidden =
				!layout_equal(solve_place(s, x), made(s, x, j, &room[0]), taken(s, n, i, k, &room[1]));
}

static void collect_uses(struct solve *s, const struct node *n)
{
	const struct note *note = &s->st->notes[n->id];
	if (!note->is_live || note->is_alias)
		return;
	for (int i = 0; i < n->nin; i++) {
		struct use use = {.user = n, .var = s->var[n->id], .operand = choice_operand(n, i)};
		if (solve_takes_as_made(n, i)) {
			take_as_made(s, n, i);
			continue;
		}
		if (use.var < 0) {
			use.layout = solve_fixed(s, n->in[i], &note->want[i]);
		} else {
			use.choices = s->choices[n->id];
			use.nchoices = s->nchoices[n->id];
		}
		add_use(s, n->in[i], use);
	}
}

static void add_output_use(struct solve *s, struct node *x, const struct layout *l)
{
	add_use(s, x, (struct use){.var = -1, .layout = solve_fixed(s, x, l)});
}

/* What a loop asks is wanted in full. */
static void add_asked_use(struct solve *s, struct node *x)
{
	struct layout whole = layout_broadcast();
	if (s->st->notes[x->id].is_live)
		add_output_use(s, x, &whole);
}

static void collect_output_uses(struct solve *s)
{
	for (int i = 0; i < s->st->graph->loops.n; i++) {
		struct loop *l = s->st->graph->loops.at[i];
		for (int k = 0; loop_asked(l, k); k++)
			add_asked_use(s, *loop_asked(l, k));
	}
	for (int i = 0; i < s->st->graph->outputs.n; i++)
		add_output_use(s, s->st->graph->outputs.at[i].node, &s->st->output_want[i]);
}

/* ---- one pass ---- */

static void add_variable(struct solve *s, const struct node *n)
{
	int id = n->id;
	struct domain d = solve_domain(s, n);
	s->choices[id] = d.choices;
	s->nchoices[id] = d.nchoices;
	memcpy(s->parts[id], d.parts, sizeof d.parts);
	s->var[id] = network_variable(&s->net, d.nchoices);
	network_factor_like(&s->net, 1, &s->var[id], d.own);
}

/* Whether the network is of use still: not too large, and exact where it has to be. */
static bool within_budget(struct solve *s)
{
	for (; s->counted < s->net.factors.n && s->budget >= 0; s->counted++) {
		const struct factor_table *f = &s->net.factors.at[s->counted];
		s->budget -= network_size(&s->net, f->nvars, f->vars);
	}
	return s->budget >= 0 && (s->exact || !s->must_be_exact);
}

/* Whether layouts of the value, or of somebody who uses it, are still to be chosen. */
static bool is_open(const struct solve *s, int id)
{
	bool open = s->var[id] >= 0;
	for (int u = 0; u < s->values[id].uses.n && !open; u++)
		open = s->values[id].uses.at[u].var >= 0;
	return open;
}

/* Conversions of one fixed value for other fixed users are no choice, but belong to the sum (a gradient of given
 * layout), where that is asked for. False if the network is of no use. */
static bool make_network(struct solve *s)
{
	struct graph *g = s->st->graph;
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		s->var[i] = -1;
		if (solve_is_variable(s->st, n)) {
			add_variable(s, n);
		} else if (s->st->notes[i].is_live) {
			struct layout l = solve_fixed(s, n, &n->layout);
			solve_note_parts(s, n, &l);
		}
		if (!within_budget(s))
			return false;
	}
	for (int i = 0; i < g->nodes.n; i++)
		collect_uses(s, g->nodes.at[i]);
	collect_output_uses(s);
	for (int i = 0; i < g->nodes.n; i++) {
		if (s->st->notes[i].is_live && !s->st->notes[i].is_alias && (s->counts_certain || is_open(s, i)))
			solve_demand(s, g->nodes.at[i]);
		if (!within_budget(s))
			return false;
	}
	return true;
}

static void pass_begin(struct solve *s, int axis)
{
	int n = s->st->graph->nodes.n;
	struct arena *a = arena_new("layout: pass");
	s->axis = axis;
	s->exact = true;
	s->keeps_parts = s->must_be_exact = false;
	s->budget = INT64_MAX;
	s->counted = 0;
	network_init(&s->net, a);
	s->var = ARENA_ARRAY(a, int, n);
	s->choices = ARENA_ARRAY(a, struct choice *, n);
	s->nchoices = ARENA_ARRAY(a, int, n);
	s->parts = arena_alloc(a, sizeof *s->parts * (size_t)n);
	s->values = ARENA_ARRAY(a, struct value, n);
}

/* Solves what the network holds; the choices go to `to`. */
static struct cost pass_end(struct solve *s, int64_t max_table, struct choice *to)
{
	int *value = ARENA_ARRAY(s->net.arena, int, s->net.domains.n);
	bool exact;
	struct cost cost = network_solve(&s->net, max_table, value, &exact);
	s->exact = s->exact && exact;
	for (int id = 0; id < s->st->graph->nodes.n; id++)
		if (s->var[id] >= 0)
			choice_set(s->arena, s->st->graph->nodes.at[id], &to[id], &s->choices[id][value[s->var[id]]]);
	arena_free(s->net.arena);
	return cost;
}

static struct cost solve_pass(struct solve *s, int axis, struct choice *to)
{
	pass_begin(s, axis);
	make_network(s);
	return pass_end(s, MAX_TABLE, to);
}

/* ---- axes ---- */

/* The ranks along one axis, the others at their beginning. */
static const struct place *project(struct solve *s, const struct place *p, int axis)
{
	struct place *q = ARENA_NEW(s->arena, struct place);
	int64_t stride = 1;
	*q = *p;
	for (int a = p->naxes - 1; a > axis; a--)
		stride *= p->extent[a];
	for (int a = 0; a < p->naxes; a++)
		q->extent[a] = a == axis ? p->extent[a] : 1;
	q->count = axis < p->naxes ? p->extent[axis] : 1;
	int32_t *ranks = ARENA_ARRAY(s->arena, int32_t, q->count);
	for (int64_t i = 0; i < q->count; i++)
		ranks[i] = place_rank(p, i * stride);
	q->ranks = ranks;
	place_look_up(s->arena, q);
	return q;
}

/* From now on placements are looked at along this axis only; ALL_AXES: as they are. */
static void look_along(struct solve *s, int axis)
{
	for (int i = 0; i < s->nplaces; i++)
		s->view[i] = axis == ALL_AXES || !s->places[i] ? s->places[i] : project(s, s->places[i], axis);
}

static void collect_places(struct solve *s)
{
	const struct graph *g = s->st->graph;
	for (int i = 0; i < g->nodes.n; i++)
		if (g->nodes.at[i]->place->id >= s->nplaces)
			s->nplaces = g->nodes.at[i]->place->id + 1;
	s->places = ARENA_ARRAY(s->arena, const struct place *, s->nplaces);
	s->view = ARENA_ARRAY(s->arena, const struct place *, s->nplaces);
	for (int i = 0; i < g->nodes.n; i++)
		s->places[g->nodes.at[i]->place->id] = g->nodes.at[i]->place;
}

/* The axes that are longer than one rank on some placement. */
static int active_axes(const struct solve *s, int *axes)
{
	int n = 0;
	for (int a = 0; a < MAX_AXES; a++) {
		bool active = false;
		for (int i = 0; i < s->nplaces; i++)
			active |= s->places[i] && a < s->places[i]->naxes && s->places[i]->extent[a] > 1;
		if (active)
			axes[n++] = a;
	}
	return n;
}

/* ---- the whole ---- */

/* All axes at once; false, and nothing is known, if that takes too much. */
static bool solve_whole(struct solve *s, struct cost *cost)
{
	int nfree = 0;
	for (int i = 0; i < s->st->graph->nodes.n; i++)
		nfree += solve_is_variable(s->st, s->st->graph->nodes.at[i]);
	if (nfree > MAX_WHOLE_NODES)
		return false;
	pass_begin(s, ALL_AXES);
	s->keeps_parts = s->must_be_exact = true;
	s->budget = MAX_WHOLE;
	if (!make_network(s)) {
		arena_free(s->net.arena);
		return false;
	}
	*cost = pass_end(s, MAX_WHOLE_TABLE, s->base);
	return s->exact;
}

/* Whether the choice, put together from several axes, is one of the node's. */
static bool is_legal(struct arena *a, const struct node *n, const struct choice *c)
{
	struct layout out;
	if (atoms_mix(n->place->naxes, c->out.atom) || (n->kind == NODE_MAP && !choice_nests(n, c)))
		return false;
	return n->kind != NODE_RESHAPE || (reshape_layout(a, n->place, &n->in[0]->shape, &c->in[0], &n->shape, &out) &&
					   layout_same(n->place, &out, &c->out));
}

/* Whether what the choice takes can be had of what is there: one axis alone may want a window, another have a P. */
static bool is_had(const struct solve *s, const struct node *n, const struct choice *c)
{
	for (int i = 0; n->kind != NODE_TO && i < n->nin; i++) {
		const struct node *v = stage_value(s->st, n->in[i]);
		const struct layout *has = solve_is_variable(s->st, v) ? &s->base[v->id].out : &v->layout;
		if (!layout_can_become(v->place, has, v->place, &c->in[choice_operand(n, i)]))
			return false;
	}
	return true;
}

static void add_axis(struct arena *a, struct choice *to, const struct choice *found, const struct node *n, int axis)
{
	if (!to->in)
		to->in = ARENA_ARRAY(a, struct layout, choice_nin(n));
	to->out.atom[axis] = found->out.atom[axis];
	to->signature[axis] = found->signature[axis];
	for (int i = 0; i < choice_nin(n); i++)
		to->in[i].atom[axis] = found->in[i].atom[axis];
}

/* Each axis by itself, as if the others had one rank. What does not fit together begins as B. */
static void begin_by_axes(struct solve *s, int naxes, const int *axes, struct choice *found)
{
	int n = s->st->graph->nodes.n;
	struct choice *all = ARENA_ARRAY(s->arena, struct choice, n);
	for (int k = 0; k < naxes; k++) {
		look_along(s, axes[k]);
		solve_pass(s, axes[k], found);
		for (int id = 0; id < n; id++)
			if (solve_is_variable(s->st, s->st->graph->nodes.at[id]))
				add_axis(s->arena, &all[id], &found[id], s->st->graph->nodes.at[id], axes[k]);
	}
	look_along(s, ALL_AXES);
	for (int id = 0; id < n; id++)
		if (solve_is_variable(s->st, s->st->graph->nodes.at[id]) &&
		    is_legal(s->arena, s->st->graph->nodes.at[id], &all[id]) &&
		    is_had(s, s->st->graph->nodes.at[id], &all[id]))
			choice_set(s->arena, s->st->graph->nodes.at[id], &s->base[id], &all[id]);
}

static struct cost solve_by_axes(struct solve *s, int naxes, const int *axes)
{
	int n = s->st->graph->nodes.n;
	struct choice *found = ARENA_ARRAY(s->arena, struct choice, n);
	struct cost best = {.forbidden = true};
	memset(s->base, 0, sizeof *s->base * (size_t)n);
	begin_by_axes(s, naxes, axes, found);
	int unchanged = 0;
	for (int k = 0; unchanged < naxes && k < MAX_ROUNDS * naxes; k++) {
		struct cost cost = solve_pass(s, axes[k % naxes], found);
		unchanged++;
		if (!cost_less(cost, best))
			continue;
		unchanged = 1;
		best = cost;
		for (int id = 0; id < n; id++)
			if (solve_is_variable(s->st, s->st->graph->nodes.at[id]))
				choice_set(s->arena, s->st->graph->nodes.at[id], &s->base[id], &found[id]);
	}
	return best;
}

static struct cost solve_axes(struct solve *s, int naxes, const int *axes)
{
	struct cost cost;
	look_along(s, ALL_AXES);
	if (naxes <= 1) {
		cost = solve_pass(s, ALL_AXES, s->base);
		s->st->exact = s->exact;
		return cost;
	}
	s->st->exact = !s->st->by_axes && solve_whole(s, &cost);
	return s->st->exact ? cost : solve_by_axes(s, naxes, axes);
}

/* Choices that move fixed values are left out on each node by itself, which can leave one value as a P alone and its
 * users with windows alone, which nobody makes of a P: then they are all looked at, and B does for everything. */
static struct cost solve_graph(struct solve *s)
{
	int axes[MAX_AXES] = {0}, naxes = active_axes(s, axes);
	look_along(s, ALL_AXES);
	solve_find_moved(s);
	struct cost cost = solve_axes(s, naxes, axes);
	if (cost.forbidden) {
		s->keeps_moving = true;
		memset(s->base, 0, sizeof *s->base * (size_t)s->st->graph->nodes.n);
		cost = solve_axes(s, naxes, axes);
	}
	BUG_IF(cost.forbidden, "no layouts at all for a graph");
	return cost;
}

/* What is fixed says nothing on axes of one rank from here on. */
static void plain_layouts(struct stage *st)
{
	for (int i = 0; i < st->graph->nodes.n; i++) {
		struct node *n = st->graph->nodes.at[i];
		n->layout = layout_plain(n->place, &n->layout);
		for (int k = 0; k < n->nin; k++)
			st->notes[i].want[k] = layout_plain(n->in[k]->place, &st->notes[i].want[k]);
	}
	for (int i = 0; i < st->graph->outputs.n; i++)
		st->output_want[i] = layout_plain(st->graph->outputs.at[i].node->place, &st->output_want[i]);
}

static void write_back(struct solve *s)
{
	struct stage *st = s->st;
	for (int id = 0; id < st->graph->nodes.n; id++) {
		struct node *n = st->graph->nodes.at[id];
		if (solve_is_variable(st, n)) {
			const struct choice *c = choice_keep(st->graph->arena, n, &s->base[id]);
			n->layout = c->out;
			for (int i = 0; i < n->nin; i++)
				st->notes[id].want[i] = *choice_input(n, c, i);
		}
		if (st->notes[id].is_alias)
			n->layout = n->in[0]->layout;
	}
}

bool stage_solve_for(struct stage *st, struct timing *t, struct cost *cost)
{
	struct solve s = {.st = st, .arena = arena_new("layout: solve"), .counts_certain = cost};
	plain_layouts(st);
	bool by_time = t && t->decide(t, st);
	s.base = ARENA_ARRAY(s.arena, struct choice, st->graph->nodes.n);
	collect_places(&s);
	struct cost found = solve_graph(&s);
	if (cost)
		*cost = found;
	write_back(&s);
	arena_free(s.arena);
	return by_time;
}

void stage_solve(struct stage *st, struct cost *cost)
{
	stage_solve_for(st, NULL, cost);
}
