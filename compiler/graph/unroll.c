/* unroll.c — loops turn by turn: every node of a loop once for each of its turns, one behind the other. This is what a
 * loop means; whatever keeps loops is tested against it.
 * In: a graph.  Out: the same graph without the loops whose turns are known. A line of a stack of this graph is the
 * value itself; a stack that something else reads is put together from all values. Tapes cannot be put together, so a
 * loop that stacks them stays. */
#include "graph.h"

#include <string.h>

struct values {
	VEC(struct node *) at; /* by turn */
};

struct unroller {
	struct graph *g;
	struct node **from; /* the nodes as they were */
	int n;
	struct node **now;   /* by old node: its latest copy */
	struct values *line; /* by old STACK: what was stacked */
	struct loop **loop;  /* by old loop that stays: its latest copy */
	int64_t *turn;       /* by old loop that is unrolled */
	bool *is_unrolled;   /* by old loop */
	int nvars;           /* layout parameters as there were */
	struct variable {
		int now;                    /* what it is called in this turn, */
		int renewed;                /* since this renewal */
		VEC(struct loop *) homes;   /* that the call stands in, and where a gradient computes it again */
		VEC(struct node *) outside; /* who name it and stand further out */
	} * vars;
	int renewals;
	int *told;     /* by old node that names layout parameters: the renewal before its latest copy */
	bool *is_read; /* by old STACK: by something but lines of loops that are unrolled */
};

static int unroll_nodes(struct unroller *u, const struct loop *in, int from);

/* ---- layout parameters: those of calls in a loop stand for another layout in each turn ---- */

/* Whether a loop is a home, or has one in it. */
static bool is_around_home(const struct variable *v, const struct loop *l)
{
	for (int i = 0; i < v->homes.n; i++)
		if (loop_is_in(v->homes.at[i], l))
			return true;
	return false;
}

/* Of a loop in another the inner one is a home. */
static void add_home(struct unroller *u, struct variable *v, struct loop *l)
{
	if (!l || is_around_home(v, l))
		return;
	for (int i = 0; i < v->homes.n; i++)
		if (loop_is_in(l, v->homes.at[i])) {
			v->homes.at[i] = l;
			return;
		}
	vec_push(u->g->arena, &v->homes, l);
}

static bool is_home(const struct variable *v, const struct loop *l)
{
	for (int i = 0; i < v->homes.n; i++)
		if (v->homes.at[i] == l)
			return true;
	return false;
}

/* A call stands in the innermost loop of those who name its parameter, of each loop apart; what it is given may stand
 * outside. */
static void find_variables(struct unroller *u)
{
	int named[MAX_AXES];
	u->nvars = u->g->nlayout_vars;
	u->vars = ARENA_ARRAY(u->g->arena, struct variable, u->nvars);
	u->told = ARENA_ARRAY(u->g->arena, int, u->n);
	for (int v = 0; v < u->nvars; v++)
		u->vars[v].now = v;
	for (int pass = 0; pass < 2 && u->nvars; pass++)
		for (int i = 0; i < u->n; i++)
			for (int k = node_variables(u->from[i], named) - 1; k >= 0; k--) {
				struct variable *v = &u->vars[named[k]];
				if (!pass)
					add_home(u, v, u->from[i]->loop);
				else if (v->homes.n && !is_home(v, u->from[i]->loop))
					vec_push(u->g->arena, &v->outside, u->from[i]);
			}
}

/* In the first turn of its first home a parameter keeps its name, if nobody outside has it. */
static void renew_variables(struct unroller *u, const struct loop *l)
{
	u->renewals++;
	for (int i = 0; i < u->nvars; i++) {
		struct variable *v = &u->vars[i];
		bool is_first = !u->turn[l->id] && !v->outside.n && v->homes.n && loop_is_in(v->homes.at[0], l);
		if (!is_around_home(v, l) || is_first)
			continue;
		v->now = u->g->nlayout_vars++;
		v->renewed = u->renewals;
	}
}

static void rename_variables(const struct unroller *u, struct node *n)
{
	struct layout_spec *l = &graph_retarget(u->g, n)->layout;
	if (l->form == LAYOUT_VAR)
		l->var = u->vars[l->var].now;
	for (int a = 0; l->form == LAYOUT_GIVEN && n->place && a < n->place->naxes; a++)
		if (atom_variable(l->layout.atom[a]) >= 0)
			l->layout.atom[a] = atom_of_variable(u->vars[atom_variable(l->layout.atom[a])].now);
}

static struct node *emit(struct unroller *u, struct node *n, bool is_copy);

/* What n makes in this turn stands where n does, in the micro-batch that the turn is, if it is one. */
static struct node_site site_of(const struct unroller *u, const struct node *n)
{
	struct node_site at = node_site_of(n);
	for (const struct loop *l = n->loop; l; l = l->outer)
		if (l->batch && u->is_unrolled[l->id]) {
			at.batch = l->batch;
			at.micro = (int)u->turn[l->id];
		}
	return at;
}

/* What a call is given from outside is given in each turn: n once more, if it names parameters of an earlier one. */
static void give_again(struct unroller *u, struct node *n)
{
	int named[MAX_AXES];
	for (int k = node_variables(n, named) - 1; k >= 0; k--)
		if (u->vars[named[k]].renewed > u->told[n->id]) {
			u->now[n->id] = emit(u, n, true);
			return;
		}
}

/* Before n the arguments that stand before it in the call: who is first says what a parameter stands for. What is not
 * there yet belongs to the call computed again. */
static void give_before(struct unroller *u, const struct node *n)
{
	int named[MAX_AXES];
	for (int k = node_variables(n, named) - 1; k >= 0; k--) {
		const struct variable *v = &u->vars[named[k]];
		for (int i = 0; i < v->outside.n; i++)
			if (v->outside.at[i] != n && u->now[v->outside.at[i]->id] &&
			    node_names_before(v->outside.at[i], n))
				give_again(u, v->outside.at[i]);
	}
}

/* ---- */

/* Of a loop, turn by turn or as a whole; else the node itself goes on, since outputs and others know it. */
static struct node *emit(struct unroller *u, struct node *n, bool is_copy)
{
	struct node *x = n;
	if (is_copy && u->nvars) {
		u->told[n->id] = u->renewals;
		give_before(u, n);
		for (int i = 0; i < n->nin; i++)
			give_again(u, n->in[i]);
	}
	if (is_copy) {
		x = graph_node(u->g);
		*x = *n;
		x->in = ARENA_ARRAY(u->g->arena, struct node *, n->nin);
	}
	for (int i = 0; i < n->nin; i++)
		x->in[i] = u->now[n->in[i]->id];
	const struct node *f = n->forward;
	if (f && f->id < u->n && u->from[f->id] == f && u->now[f->id])
		x->forward = u->now[f->id];
	x->after = n->after ? u->now[n->after->id] : NULL;
	x->of = n->of && u->loop[n->of->id] ? u->loop[n->of->id] : n->of;
	x->loop = node_loop(x);
	bool is_told = (x->kind == NODE_TO || x->kind == NODE_CONTRACT) && x->target->place;
	if (x->nin && !is_told) /* in the first turn a number, on no rank */
		x->place = node_place_of_inputs(x);
	if (is_copy && (x->kind == NODE_TO || x->kind == NODE_CONTRACT))
		rename_variables(u, x);
	struct node_site at = site_of(u, n);
	x->batch = at.batch;
	x->micro = at.micro;
	vec_push(u->g->arena, &u->g->nodes, x);
	return x;
}

/* Nodes that the builders make stand where n stands. */
static struct node *settle(struct node *x, const struct node *n)
{
	x->place = x->place ? x->place : n->place;
	x->layout = n->layout;
	return x;
}

static struct node *stacked_line(const struct unroller *u, const struct node *n, int64_t line)
{
	const struct values *v = &u->line[n->id];
	return v->at.at[n->line.back ? v->at.n - 1 - line : line];
}

static struct node *stacked(struct unroller *u, const struct node *n)
{
	struct node_site at = node_site_of(n);
	const struct values *v = &u->line[n->id];
	struct node *sum = NULL;
	for (int t = 0; t < v->at.n; t++) {
		struct node *x = settle(graph_as_line(u->g, &at, stacked_line(u, n, t), &n->shape, t), n);
		sum = sum ? settle(graph_joined_lines(u->g, &at, sum, x, t), n) : x;
	}
	if (sum)
		return sum;
	sum = settle(graph_number(u->g, &at, n->dtype, (union scalar_value){0}), n);
	return settle(graph_fill(u->g, &at, sum, &n->shape), n);
}

static struct node *line(struct unroller *u, struct node *n)
{
	int64_t line = (n->line.back ? n->of->turns : 0) + n->line.first + n->line.step * u->turn[n->of->id];
	if (n->nin > 1)
		return u->now[n->in[line]->id];
	if (n->in[0]->kind == NODE_STACK && u->line[n->in[0]->id].at.n)
		return stacked_line(u, n->in[0], line);
	struct node_site at = site_of(u, n);
	struct node *x = u->now[n->in[0]->id];
	/* Of a block that is a slice ranks keep the rows they have. */
	struct node *block = u->g->stage < GRAPH_LAID_OUT ? graph_block_of(u->g, &at, x, line) : NULL;
	return settle(block ? block : graph_line_of(u->g, &at, x, line), n);
}

static struct node *number(struct unroller *u, const struct node *n)
{
	struct node_site at = site_of(u, n);
	return settle(graph_int(u->g, &at, DT_I64, u->turn[n->of->id]), n);
}

static bool is_nothing(const struct node *n)
{
	while (n->kind == NODE_TO || (n->kind == NODE_MAP && n->nin == 1 && n->rule->body->kind == SCALAR_OPERAND))
		n = n->in[0];
	return n->kind == NODE_CONST && dtype_is_float(n->dtype) && n->number.f == 0;
}

struct node *loop_first_addend(const struct node *n)
{
	for (int k = 0; k < n->nin && n->loop && n->loop->batch && node_is_sum(n); k++) {
		struct node *sum = n->in[k], *x = n->in[1 - k];
		if (sum->kind == NODE_CARRY && sum->of == n->loop && is_nothing(sum->in[0]) &&
		    layout_same(n->place, &n->layout, &x->layout))
			return x;
	}
	return NULL;
}

static struct node *first_addend(const struct unroller *u, const struct node *n)
{
	const struct node *x = n->loop && !u->turn[n->loop->id] ? loop_first_addend(n) : NULL;
	return x ? u->now[x->id] : NULL;
}

/* A node of a loop that is unrolled, `in`, or of none. */
static void one(struct unroller *u, const struct loop *in, struct node *n)
{
	bool unrolled = n->of && !u->loop[n->of->id];
	if (unrolled && n->kind == NODE_CARRY)
		return;
	if (unrolled && n->kind == NODE_TURN)
		u->now[n->id] = number(u, n);
	else if (unrolled && n->kind == NODE_LINE)
		u->now[n->id] = line(u, n);
	else if (in && u->is_unrolled[in->id] && first_addend(u, n))
		u->now[n->id] = first_addend(u, n);
	else
		u->now[n->id] = emit(u, n, in != NULL);
}

static void turns(struct unroller *u, const struct loop *l, int from, int exits, int end)
{
	struct node **next = ARENA_ARRAY(u->g->arena, struct node *, end - exits);
	for (int i = from; i < exits; i++)
		if (u->from[i]->kind == NODE_CARRY && u->from[i]->of == l)
			u->now[i] = u->now[u->from[i]->in[0]->id];
	for (u->turn[l->id] = 0; u->turn[l->id] < l->turns; u->turn[l->id]++) {
		renew_variables(u, l);
		unroll_nodes(u, l, from);
		for (int i = exits; i < end; i++) {
			const struct node *n = u->from[i];
			next[i - exits] = u->now[n->in[n->nin - 1]->id];
			if (n->kind == NODE_STACK)
				vec_push(u->g->arena, &u->line[i].at, next[i - exits]);
		}
		for (int i = exits; i < end; i++)
			if (u->from[i]->kind == NODE_END)
				u->now[u->from[i]->in[0]->id] = next[i - exits];
	}
	for (int i = exits; i < end; i++)
		if (u->from[i]->kind == NODE_END)
			u->now[i] = u->now[u->from[i]->in[0]->id];
		else if (u->is_read[i])
			u->now[i] = stacked(u, u->from[i]);
}

/* One that stays: once more as it is, where it stands in one that is unrolled. */
static void keep_loop(struct unroller *u, struct loop *l, int from, int exits, int end)
{
	struct loop *x = l, *outer = l->outer;
	struct node **elsewhere = l->elsewhere.at;
	int nelsewhere = l->elsewhere.n;
	if (outer && u->loop[outer->id] != outer) {
		x = graph_loop(u->g, NULL, l->turns, l->span);
		int id = x->id;
		*x = *l;
		x->id = id;
	}
	while (outer && !u->loop[outer->id])
		outer = outer->outer;
	x->outer = outer ? u->loop[outer->id] : NULL;
	u->loop[l->id] = x;
	x->count = l->count ? u->now[l->count->id] : NULL;
	unroll_nodes(u, l, from);
	x->condition = l->condition ? u->now[l->condition->id] : NULL;
	memset(&x->elsewhere, 0, sizeof x->elsewhere);
	for (int i = 0; i < nelsewhere; i++)
		vec_push(u->g->arena, &x->elsewhere, u->now[elsewhere[i]->id]);
	for (int i = exits; i < end; i++)
		u->now[i] = emit(u, u->from[i], x != l);
}

static int unroll_loop(struct unroller *u, struct loop *l, int from)
{
	struct loop_extent x = loop_extent(l, u->from, u->n, from);
	for (int i = x.exits; i < x.end; i++)
		u->line[i] = (struct values){{0}};
	if (u->is_unrolled[l->id])
		turns(u, l, from, x.exits, x.end);
	else
		keep_loop(u, l, from, x.exits, x.end);
	return x.end;
}

static int unroll_nodes(struct unroller *u, const struct loop *in, int from)
{
	int i = from;
	while (i < u->n && loop_is_in(u->from[i]->loop, in)) {
		struct node *n = u->from[i];
		if (n->loop != in || node_is_exit(n))
			i = unroll_loop(u, n->loop == in ? n->of : loop_below(n->loop, in), i);
		else
			one(u, in, u->from[i++]);
	}
	return i;
}

static void find_reads(struct unroller *u)
{
	for (int i = 0; i < u->n; i++) {
		const struct node *n = u->from[i];
		for (int k = 0; k < n->nin && !(n->kind == NODE_LINE && n->nin == 1 && u->is_unrolled[n->of->id]); k++)
			u->is_read[n->in[k]->id] = true;
	}
	for (int i = 0; i < u->g->outputs.n; i++)
		u->is_read[u->g->outputs.at[i].node->id] = true;
}

void graph_unroll_marked(struct graph *g, const bool *marked)
{
	struct unroller u = {.g = g, .from = g->nodes.at, .n = g->nodes.n};
	const bool *stays = graph_stacks_tapes(g, g->arena);
	u.is_unrolled = ARENA_ARRAY(g->arena, bool, g->loops.n);
	for (int i = 0; i < g->loops.n; i++)
		u.is_unrolled[i] = marked[i] && g->loops.at[i]->turns >= 0 && !stays[i];
	u.now = ARENA_ARRAY(g->arena, struct node *, u.n);
	u.line = ARENA_ARRAY(g->arena, struct values, u.n);
	u.is_read = ARENA_ARRAY(g->arena, bool, u.n);
	u.loop = ARENA_ARRAY(g->arena, struct loop *, g->loops.n);
	u.turn = ARENA_ARRAY(g->arena, int64_t, g->loops.n);
	find_reads(&u);
	find_variables(&u);
	g->nodes.at = NULL;
	g->nodes.n = g->nodes.cap = 0;
	unroll_nodes(&u, NULL, 0);
	for (int i = 0; i < g->outputs.n; i++)
		g->outputs.at[i].node = u.now[g->outputs.at[i].node->id];
	for (int i = 0; i < g->nodes.n; i++)
		g->nodes.at[i]->id = i;
	graph_drop_loops(g);
	const char *wrong = graph_order(g);
	BUG_IF(wrong, "after unrolling: %s", wrong);
}

bool graph_unroll(struct graph *g)
{
	if (!g->loops.n)
		return true;
	bool *all = ARENA_ARRAY(g->arena, bool, g->loops.n);
	memset(all, true, sizeof *all * (size_t)g->loops.n);
	graph_unroll_marked(g, all);
	return !g->loops.n;
}
