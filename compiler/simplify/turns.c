/* turns.c — what does not depend on what is carried is computed for all turns at once, where that is worth it: a
 * product of a line with a matrix is a line of the product with all lines, and what would be stacked anyway is made as
 * a stack.
 *
 *   %3 = line(%xs) of 0 first 0 step 1       %4 = map(%xs, %w) {a[t, m, k], b[k, n] -> [t, m, n] …}
 *   %4 = map(%3, %w) {x[m, k] @ w[k, n]}     %5 = line(%4) of 0 first 0 step 1
 *
 * A sum that turns add products to is one product over all turns: this is the gradient of a matrix that every turn
 * reads. It adds up in another order, so not with --reproducible.
 *
 * Values of all turns lie in the order in which the loop reads its lines: those of a loop that walks backward, last
 * turn first, so that products read everything in its order. */
#include "simplify.h"
#include "../program.h"


/* What the values of all turns may take in memory. */
static const int64_t most_bytes = INT64_C(1) << 30;

/* Of a node before the rewriting. */
struct facts {
	bool is_ready;  /* depends on lines, numbers of turns and what is outside */
	bool is_wanted; /* for all turns at once */
	int uses;       /* by nodes and outputs */
};

struct turning {
	struct arena *scratch;
	bool exact_order;                 /* --reproducible */
	struct map facts;                 /* by node */
	struct map all;                   /* node of a loop -> its values of all turns */
	struct map reversed;              /* loops whose lines are read last first */
	const struct layout_spec **bound; /* by layout parameter: what it is for all turns; NULL: not known yet */
};

static const struct facts *facts_of(const struct turning *w, const struct node *n)
{
	static const struct facts none;
	const struct facts *f = map_get(&w->facts, n);
	return f ? f : &none;
}

static bool may_turn(const struct loop *l)
{
	return l && l->turns >= 2 && !l->is_branch && !l->batch;
}

/* A line of one tensor. */
static bool is_line(const struct node *n)
{
	return n->kind == NODE_LINE && n->nin == 1;
}

static bool is_same_place(const struct node *n)
{
	return n->place == n->in[0]->place &&
	       (n->target->layout.form == LAYOUT_INFER || n->target->layout.form == LAYOUT_GIVEN);
}

static bool find_ready(const struct turning *w, const struct node *n)
{
	if (!may_turn(n->loop))
		return false;
	if (n->kind == NODE_TURN || is_line(n))
		return true;
	bool may = n->kind == NODE_MAP || n->kind == NODE_RESHAPE || n->kind == NODE_STOP ||
		   (n->kind == NODE_CONTRACT && is_same_place(n));
	for (int i = 0; i < n->nin && may; i++)
		may = n->in[i]->loop != n->loop || facts_of(w, n->in[i])->is_ready;
	return may;
}

/* Whether the lines of l are read last first. */
static bool is_reversed(const struct turning *w, const struct loop *l)
{
	return map_get(&w->reversed, l) != NULL;
}

static bool fits(const struct node *n, int64_t turns)
{
	int64_t bytes = shape_volume(&n->shape);
	return !__builtin_mul_overflow(bytes, turns * dtype_size(n->dtype), &bytes) && bytes <= most_bytes;
}

/* A sum of products with a tensor from outside. */
static bool is_product(const struct node *n)
{
	if (n->kind != NODE_MAP || n->rule->combiner != COMBINE_SUM || n->nin < 2)
		return false;
	for (int i = 0; i < n->nin; i++)
		if (n->in[i]->loop != n->loop && n->in[i]->shape.rank > 1)
			return true;
	return false;
}

/* Whether a turn's product has about as many elements as it reads. Scores of a block of queries and keys have many
 * more: then memory for those of all turns costs more than a larger product saves, and such products are large enough.
 */
static bool is_small(const struct node *n)
{
	int64_t reads = 0;
	for (int i = 0; i < n->nin; i++)
		reads += shape_volume(&n->in[i]->shape);
	return shape_volume(&n->shape) / 2 <= reads;
}

/* ---- values of all turns ---- */

static struct node *all_turns(struct graph *g, struct turning *w, struct node *n);

static struct rule_turn turn_of(const struct turning *w, const struct node *x, const struct loop *l)
{
	struct rule_turn t = {.kind = TURN_LINE, .extent = l->turns, .step = 1};
	if (!loop_is_in(x->loop, l))
		return (struct rule_turn){.kind = TURN_SAME};
	if (!is_line(x) && x->kind != NODE_TURN)
		return t;
	if (x->kind == NODE_TURN) {
		t.kind = TURN_NUMBER;
	} else {
		t.extent = x->in[0]->shape.dim[0];
		t.first = x->line.first + (x->line.back ? l->turns : 0);
		t.step = x->line.step;
	}
	if (is_reversed(w, l)) {
		t.first += t.step * (l->turns - 1);
		t.step = -t.step;
	}
	return t;
}

/* What holds all turns of operand x. */
static struct node *source_of(struct graph *g, struct turning *w, struct node *x, const struct loop *l)
{
	struct node_site at = node_site_of(x);
	if (!loop_is_in(x->loop, l))
		return x;
	if (x->kind == NODE_TURN)
		return graph_int(g, &at, DT_I64, 0);
	return is_line(x) ? x->in[0] : all_turns(g, w, x);
}

static struct node *over_turns(struct graph *g, struct turning *w, struct node *n, const struct loop *l, bool add_up)
{
	struct rule_turn turn[MAX_OPERANDS];
	struct node *in[MAX_OPERANDS] = {NULL};
	struct node_site at = node_site_of(n);
	for (int i = 0; i < n->nin; i++)
		turn[i] = turn_of(w, n->in[i], l);
	const struct rule *r = rule_over_turns(g->arena, n->rule, l->turns, turn, add_up);
	for (int i = 0; i < n->nin && r; i++) {
		in[i] = source_of(g, w, n->in[i], l);
		if (!in[i])
			return NULL;
	}
	return r ? graph_map_pruned(g, &at, r, in) : NULL;
}

static struct node *all_of_layout(struct graph *g, struct turning *w, struct node *n, struct node *x)
{
	struct node_site at = node_site_of(n);
	struct layout_spec l = layout_spec_of_lines(n->place, &n->target->layout);
	if (n->target->layout.form == LAYOUT_VAR)
		l = *w->bound[n->target->layout.var];
	if (n->kind == NODE_TO)
		return graph_to(g, &at, x, n->place, &l);
	return graph_contract(g, &at, x, n->target->place, &l, n->target->what, n->target->where);
}

/* NULL if it cannot be written. */
static struct node *make_all_turns(struct graph *g, struct turning *w, struct node *n)
{
	struct node_site at = node_site_of(n);
	if (n->kind == NODE_LINE) {
		struct rule_turn t = turn_of(w, n, n->of);
		return t.step == 1 && !t.first && t.extent == n->of->turns ? n->in[0] : NULL;
	}
	if (n->kind == NODE_MAP)
		return over_turns(g, w, n, n->loop, false);
	struct node *x = n->kind == NODE_TURN || n->in[0]->kind == NODE_TURN ? NULL : all_turns(g, w, n->in[0]);
	if (!x || n->shape.rank == MAX_RANK)
		return NULL;
	struct shape s = shape_of_lines(n->loop->turns, &n->shape);
	return n->kind == NODE_RESHAPE ? graph_reshape(g, &at, x, &s)
	       : n->kind == NODE_STOP  ? graph_stop(g, &at, x)
				       : all_of_layout(g, w, n, x);
}

static struct node *all_turns(struct graph *g, struct turning *w, struct node *n)
{
	struct node *known = map_get(&w->all, n);
	if (!known) {
		known = make_all_turns(g, w, n);
		if (known)
			map_set(&w->all, n, known);
	}
	return known;
}

static struct node *for_all(struct graph *g, struct turning *w, struct node *n)
{
	struct node_site at = node_site_of(n);
	struct node *all = all_turns(g, w, n);
	if (!all)
		return n;
	return is_reversed(w, n->loop) ? graph_line(g, &at, n->loop, 1, &all, n->loop->turns - 1, -1, false)
				       : graph_line(g, &at, n->loop, 1, &all, 0, 1, false);
}

/* ---- sums over turns ---- */

struct addends {
	VEC(struct node *) list;
	int carried; /* how often what is carried is one */
};

static void collect(const struct turning *w, const struct node *carry, struct node *n, struct addends *a)
{
	if (n == carry) {
		a->carried += 1;
		return;
	}
	if (loop_is_in(n->loop, carry->of) && node_is_sum(n) && facts_of(w, n)->uses == 1) {
		collect(w, carry, n->in[0], a);
		collect(w, carry, n->in[1], a);
		return;
	}
	vec_push(w->scratch, &a->list, n);
}

/* What a turn keeps of loops of its own is no more than they need while the turn lasts: not kept for all turns. */
static bool may_stack(const struct node *n, const struct loop *l)
{
	return n->kind != NODE_STACK && n->shape.rank < MAX_RANK && fits(n, l->turns);
}

static bool is_at_hand(const struct turning *w, const struct node *x, const struct loop *l)
{
	return !loop_is_in(x->loop, l) || is_line(x) || x->kind == NODE_TURN || map_get(&w->all, x);
}

/* Whether n's turns are added up as one map. What it reads has to be stacked then, which is worth it if that is no more than the
 * sum, which each turn would read and write: the rows that a turn computes with a matrix are, a block of scores is not. */
static bool is_one_map(const struct graph *g, const struct turning *w, const struct node *n, const struct loop *l)
{
	struct rule_turn turn[MAX_OPERANDS];
	int64_t stacked = 0;
	if (n->kind != NODE_MAP || n->loop != l)
		return false;
	for (int i = 0; i < n->nin; i++) {
		turn[i] = turn_of(w, n->in[i], l);
		if (is_at_hand(w, n->in[i], l))
			continue;
		stacked += shape_volume(&n->in[i]->shape);
		if (!may_stack(n->in[i], l) || stacked > shape_volume(&n->shape))
			return false;
	}
	return rule_over_turns(g->arena, n->rule, l->turns, turn, true) != NULL;
}

static bool may_total(const struct graph *g, const struct turning *w, const struct node *n, const struct loop *l)
{
	return !loop_is_in(n->loop, l) || is_one_map(g, w, n, l) || may_stack(n, l);
}

static void stack_operand(struct graph *g, struct turning *w, struct node *x, struct loop *l)
{
	struct node_site at = node_site_of(x);
	struct node *all = facts_of(w, x)->is_ready ? all_turns(g, w, x) : NULL;
	map_set(&w->all, x, all ? all : graph_stack(g, &at, l, x, is_reversed(w, l)));
}

/* The sum of the turns' values of n, of which may_total holds. */
static struct node *total(struct graph *g, struct turning *w, struct node *n, struct loop *l)
{
	struct node_site at = node_site_of(n);
	if (!loop_is_in(n->loop, l))
		return graph_pointwise(g, &at, SC_MUL, n, graph_float(g, &at, n->dtype, (double)l->turns), NULL);
	if (is_one_map(g, w, n, l)) {
		for (int i = 0; i < n->nin; i++)
			if (!is_at_hand(w, n->in[i], l))
				stack_operand(g, w, n->in[i], l);
		return over_turns(g, w, n, l, true);
	}
	bool first[MAX_RANK] = {true};
	return graph_reduce(g, &at, COMBINE_SUM, graph_stack(g, &at, l, n, false), first);
}

static struct node *add_up(struct graph *g, struct turning *w, struct node *n)
{
	struct node *carry = n->in[0], *sum;
	struct addends a = {.carried = 0};
	if (!may_turn(n->of) || w->exact_order || carry->kind != NODE_CARRY || !dtype_is_float(n->dtype) ||
	    facts_of(w, carry)->uses != 2) /* by its END, and by one addition */
		return n;
	collect(w, carry, n->in[1], &a);
	bool has_product = false;
	for (int i = 0; i < a.list.n; i++) {
		const struct node *x = a.list.at[i];
		if (!may_total(g, w, x, n->of))
			return n;
		has_product |= is_one_map(g, w, x, n->of) && x->rule->combiner == COMBINE_SUM && x->nin > 1;
	}
	if (a.carried != 1 || !has_product)
		return n;
	sum = carry->in[0];
	for (int i = 0; i < a.list.n; i++) {
		struct node_site at = node_site_of(n);
		sum = graph_pointwise(g, &at, SC_ADD, sum, total(g, w, a.list.at[i], n->of), NULL);
	}
	return sum;
}

/* ---- the pass ---- */

static struct node *turn(struct graph *g, struct node *n, void *context, bool *changed)
{
	struct turning *w = context;
	int nodes = g->nodes.n;
	if (n->kind == NODE_END)
		return add_up(g, w, n);
	struct node *x = facts_of(w, n)->is_wanted ? for_all(g, w, n) : n;
	*changed |= g->nodes.n > nodes; /* what was begun in vain is no part of the loop */
	return x;
}

static struct facts *facts_for(struct turning *w, const struct node *n)
{
	struct facts *f = map_get(&w->facts, n);
	if (!f) {
		f = ARENA_NEW(w->scratch, struct facts);
		map_set(&w->facts, n, f);
	}
	return f;
}

/* Whether a layout of all turns says the same: one that is given, or that of something of which all turns are known. */
static bool is_said(const struct turning *w, const struct node *n)
{
	int named[MAX_AXES];
	if (n->target->layout.form == LAYOUT_VAR)
		return n->kind == NODE_TO && n->place == n->in[0]->place && w->bound[n->target->layout.var];
	return is_same_place(n) && !layout_variables(n->place, &n->target->layout, named);
}

/* The declared layout of the slot of which the turns have the lines in n, a contract; NULL: they have others. */
static const struct layout_spec *layout_of_slot(const struct graph *g, const struct turning *w, const struct node *n)
{
	const struct node *x = n->in[0];
	int named[MAX_AXES];
	if (n->kind != NODE_CONTRACT || n->target->layout.form != LAYOUT_VAR || !is_line(x) || x->of != n->loop ||
	    !may_turn(n->loop) || is_reversed(w, n->loop) || x->in[0]->kind != NODE_SLOT)
		return NULL;
	struct rule_turn t = turn_of(w, x, n->loop);
	const struct layout_spec *l = &g->program->slots.at[x->in[0]->slot]->layout;
	bool is_said = l->form == LAYOUT_GIVEN && !layout_variables(n->place, l, named);
	return is_said && t.step == 1 && !t.first && t.extent == n->loop->turns ? l : NULL;
}

/* The first node that names a layout parameter binds it. */
static void find_bound(const struct graph *g, struct turning *w)
{
	bool *known = ARENA_ARRAY(w->scratch, bool, g->nlayout_vars);
	w->bound = ARENA_ARRAY(w->scratch, const struct layout_spec *, g->nlayout_vars);
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		int named[MAX_AXES], k = 0;
		if (n->kind == NODE_TO || n->kind == NODE_CONTRACT)
			k = layout_variables(n->place, &n->target->layout, named);
		while (k-- > 0) {
			bool is_first = !known[named[k]];
			known[named[k]] = true;
			if (is_first)
				w->bound[named[k]] = layout_of_slot(g, w, n);
		}
	}
}

/* A map that is brought to a layout before it is stacked is brought there as a stack. */
static void want_stacked(struct turning *w, struct node *x, const struct loop *l)
{
	const struct node *made = x;
	while ((made->kind == NODE_TO || made->kind == NODE_CONTRACT) && made->loop == l && is_said(w, made))
		made = made->in[0];
	if (made->loop != l || made->kind != NODE_MAP || !facts_of(w, made)->is_ready)
		return;
	for (const struct node *n = x; n != made; n = n->in[0])
		facts_for(w, n)->is_ready = true;
	facts_for(w, x)->is_wanted = true;
}

static void look(const struct graph *g, struct turning *w)
{
	struct map directed; /* loops of which a line was met */
	map_init(&directed, w->scratch);
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		struct facts *f = facts_for(w, n);
		f->is_ready = find_ready(w, n);
		f->is_wanted = f->is_ready && is_product(n) && is_small(n) && fits(n, n->loop->turns);
		for (int k = 0; k < n->nin; k++)
			facts_for(w, n->in[k])->uses++;
		if (is_line(n) && may_turn(n->of) && !map_get(&directed, n->of)) {
			map_set(&directed, n->of, n->of);
			if (n->line.step < 0)
				map_set(&w->reversed, n->of, n->of);
		}
		if (n->kind == NODE_STACK)
			want_stacked(w, n->in[0], n->of);
	}
	for (int i = 0; i < g->outputs.n; i++)
		facts_for(w, g->outputs.at[i].node)->uses++;
}

bool pass_turns(struct session *s, struct graph *g)
{
	if (!g->loops.n)
		return false;
	struct turning w = {.scratch = arena_new("turns"), .exact_order = s->options.reproducible};
	map_init(&w.all, w.scratch);
	map_init(&w.facts, w.scratch);
	map_init(&w.reversed, w.scratch);
	find_bound(g, &w);
	look(g, &w);
	bool changed = graph_rewrite(g, turn, &w);
	arena_free(w.scratch);
	if (changed)
		graph_compact(g);
	return changed;
}
