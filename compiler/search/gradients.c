/* gradients.c — see gradients.h. The program's own values have one layout each, as they are inferred; nodes of
 * gradients are the variables. What else is free (data, constants) is had in any layout, and is decided behind this. */
#include "gradients.h"

#include "../layout/solve.h"
#include "../layout/timing.h"
#include "../solve/solver.h"
#include "graph.h"

struct deciding {
	struct timing timing;
	struct arena *arena;
	const struct program *program;
	const struct machine *machine;
	struct transfer_times *transfers;
	struct model *made; /* of plans that are made */
};

static double movement(struct timing *t, enum dtype dtype, const struct shape *s, const struct place *from,
		       const struct layout *a, const struct place *to, const struct layout *b)
{
	return transfer_time(((struct deciding *)t)->transfers, dtype, s, from, a, to, b);
}

static double way(struct timing *t, enum dtype dtype, const struct shape *s, const struct place *from,
		  const struct layout *a, const struct place *to, const struct layout *b)
{
	return transfer_time_by_steps(((struct deciding *)t)->transfers, dtype, s, from, a, to, b);
}

static double returned(struct timing *t, enum dtype dtype, const struct shape *s, const struct place *p,
		       const struct layout *a, const struct layout *b)
{
	return transfer_time_returned(((struct deciding *)t)->transfers, dtype, s, p, a, b);
}

static double takes(struct timing *t, struct graph *g)
{
	return model_time_made(((struct deciding *)t)->made, g);
}

/* Whether the node is made of data and constants alone, by the program itself, as far as its inputs are. */
static bool is_data(const struct adding *x, const void *context, const struct node *n)
{
	const struct stage *st = context;
	if (n->kind == NODE_DATA || n->kind == NODE_HOST || n->kind == NODE_CONST || n->kind == NODE_TURN)
		return true;
	if (st->notes[n->id].is_alias)
		return x->is_free[n->in[0]->id];
	bool all = !adding_decides(n) && solve_is_variable(st, n);
	for (int i = 0; all && i < n->nin; i++)
		all = x->is_free[n->in[i]->id];
	return all && (n->kind != NODE_CARRY || x->is_free[x->ends[n->id]->in[1]->id]);
}

/* Nodes of gradients, and what is computed again for them. What the program's own maps give before it is moved is read
 * here as it was inferred, as a search has it. */
static bool is_decided(const struct adding *x, const struct stage *st, const struct node *n)
{
	return solve_is_variable(st, n) && !x->is_free[n->id] && !st->notes[n->id].is_opened;
}

static void find_decided(struct adding *x, const struct stage *st)
{
	const struct graph *g = st->graph;
	adding_find_free(x, is_data, st);
	/* Of gradients they are counted already, as a search does. */
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		for (int k = 0; !adding_decides(n) && is_decided(x, st, n) && k < n->nin; k++)
			x->readers[n->in[k]->id]++;
	}
}

/* What reads around shards stays with least bytes: windows serve several readers, which the model does not know. */
static bool reads_around(const struct stage *st)
{
	for (int i = 0; i < st->graph->nodes.n; i++) {
		const struct note *note = &st->notes[i];
		if (note->is_live && (note->is_pending || note->is_viewed))
			return true;
	}
	return false;
}

/* ---- the problem ---- */

/* A transfer between placements whose result is the program's own. */
static void keep_result(struct adding *x, const struct node *n)
{
	const struct model_value *v = &x->value[n->id];
	for (int k = 0; k < v->n; k++)
		if (!layout_equal(n->place, &v->layout[k], &n->layout))
			model_forbid(x->m, v->var, k, n);
}

static void add_fixed(struct adding *x, const struct stage *st, const struct node *n)
{
	for (int i = 0; i < n->nin; i++) {
		const struct model_value want = model_fixed(x->m, n->in[i]->place, &st->notes[n->id].want[i]);
		adding_pay(x, n->in[i], &want);
	}
	x->value[n->id] = model_fixed(x->m, n->place, &n->layout);
}

static void add_node(struct adding *x, const struct stage *st, const struct node *n)
{
	const struct note *note = &st->notes[n->id];
	x->m->weight = x->weight * solve_turns(n->loop);
	if (note->is_alias) {
		x->value[n->id] = x->value[n->in[0]->id];
		x->made[n->id] = x->made[n->in[0]->id];
	} else if (!is_decided(x, st, n)) {
		add_fixed(x, st, n);
		x->value[n->id].is_free = x->is_free[n->id];
	} else if (n->kind == NODE_CARRY) {
		adding_decide_carry(x, n);
	} else if (n->kind == NODE_END) {
		adding_decide_end(x, n);
	} else {
		adding_decide(x, n);
		if (!note->is_free)
			keep_result(x, n);
	}
}

static void add_wanted(struct adding *x, const struct node *v, const struct layout *l)
{
	const struct model_value want = model_fixed(x->m, v->place, l);
	adding_pay(x, v, &want);
}

static void add_graph(struct adding *x, const struct stage *st)
{
	const struct graph *g = st->graph;
	const struct layout whole = layout_broadcast();
	for (int i = 0; i < g->nodes.n; i++)
		if (st->notes[i].is_live)
			add_node(x, st, g->nodes.at[i]);
	for (int i = 0; i < g->outputs.n; i++)
		add_wanted(x, g->outputs.at[i].node, &st->output_want[i]);
	for (int i = 0; i < g->loops.n; i++)
		for (int k = 0; loop_asked(g->loops.at[i], k); k++)
			if (st->notes[(*loop_asked(g->loops.at[i], k))->id].is_live)
				add_wanted(x, *loop_asked(g->loops.at[i], k), &whole);
}

/* ---- what was decided ---- */

static const struct layout *chosen(const struct model_value *v, const int *value)
{
	return &v->layout[value[v->var]];
}

/* What outlives the model, with how it is cut. */
static struct layout kept(struct stage *st, const struct place *p, const struct layout *l)
{
	struct layout copy = *l;
	layout_keep_shares(st->program->arena, p, &copy);
	return copy;
}

static void write_down(const struct adding *x, struct stage *st, struct node *n, const int *value)
{
	const struct model_value *v = &x->value[n->id], *shared = &x->shared[n->id];
	const struct choice *c = n->kind == NODE_END ? NULL : &x->choices[n->id][value[v->var]];
	struct note *note = &st->notes[n->id];
	BUG_IF(v->var < 0, "node %%%d is decided, and stands for one that is not", n->id);
	n->layout = kept(st, n->place, chosen(v, value));
	for (int i = 0; i < n->nin; i++)
		note->want[i] = c ? kept(st, n->in[i]->place, &c->in[choice_operand(n, i)]) : n->layout;
	note->is_free = note->is_open = false;
	if (shared->layout) {
		struct layout *between = ARENA_NEW(st->arena, struct layout);
		*between = kept(st, n->place, chosen(shared, value));
		note->between = between;
	}
}

static bool decide(struct timing *t, struct stage *st)
{
	struct deciding *d = (struct deciding *)t;
	if (reads_around(st))
		return false;
	struct arena *scratch = arena_new("layout: time");
	struct model *m = model_of_machine(scratch, d->program, d->machine, d->transfers);
	struct adding x = adding_new(m, st->graph, MODEL_STEP);
	find_decided(&x, st);
	add_graph(&x, st);
	struct problem p = model_problem(m, scratch);
	struct solution s = problem_solve(&p, scratch, MODEL_LIMIT);
	bool any = false;
	for (int i = 0; s.value && i < st->graph->nodes.n; i++) {
		struct node *n = st->graph->nodes.at[i];
		if (!is_decided(&x, st, n))
			continue;
		write_down(&x, st, n, s.value);
		any = true;
	}
	if (s.value)
		convert_costs_by_time(st->costs, t);
	arena_free(scratch);
	return any;
}

struct timing *gradients_timing(struct arena *a, const struct program *p, const struct machine *m)
{
	if (machine_ranks(m) < p->nranks)
		return NULL;
	struct deciding *d = ARENA_NEW(a, struct deciding);
	struct transfer_times *transfers = transfer_times_new(a, p, m);
	*d = (struct deciding){
		.timing = {.decide = decide, .takes = takes, .movement = movement, .way = way, .returned = returned},
		.arena = a,
		.program = p,
		.machine = m,
		.transfers = transfers,
		.made = model_of_machine(a, p, m, transfers)};
	return &d->timing;
}
