/* lines.c — sums of what turns stack, made line by line where they are. The gradient of layers that are turns of a loop
 * is a stack, and what micro-batches add up, or blocks of queries to what blocks of keys get, is a tensor of stacks:
 *
 *   for m in 0..n { for t in 0..k { s[t] = x @ y };  c = c + s }
 *
 * Each turn adds its line to that of the tensor instead, which nobody else reads, so it is written over; products do
 * this on their way. The stack is never there:
 *
 *   for m in 0..n { for t in 0..k { c[t] = c[t] + x @ y } }
 *
 * Every element is the same sum, in the same order. Where no turn writes a line nothing is added to it. */
#include "planner.h"

#include "../op/intern.h"

#include <math.h>

/* By node, before any is rewritten. */
struct lines {
	struct program *program;
	struct arena *arena;
	struct phys_graph *graph;
	int *uses; /* readers and outputs */
	bool *is_output;
	bool *is_carried;           /* carried to the next turn, or a view of it is */
	struct phys_node **instead; /* of a sum: the stack that takes its place; NULL: it stays */
	int *first;                 /* by loop: the first node that stands in it; of an empty one, its first exit */
	struct added {
		VEC(struct phys_node *) list;
	} * before, *inside; /* by loop: what comes before all of it, and before its exits */
	bool *is_moved;      /* it is on a list of those before */
};

static void look(struct lines *x)
{
	struct phys_graph *g = x->graph;
	x->uses = ARENA_ARRAY(x->arena, int, g->nodes.n);
	x->is_output = ARENA_ARRAY(x->arena, bool, g->nodes.n);
	x->is_carried = ARENA_ARRAY(x->arena, bool, g->nodes.n);
	x->instead = ARENA_ARRAY(x->arena, struct phys_node *, g->nodes.n);
	x->first = ARENA_ARRAY(x->arena, int, g->loops.n);
	x->before = ARENA_ARRAY(x->arena, struct added, g->loops.n);
	x->inside = ARENA_ARRAY(x->arena, struct added, g->loops.n);
	x->is_moved = ARENA_ARRAY(x->arena, bool, g->nodes.n);
	for (int i = g->nodes.n - 1; i >= 0; i--) {
		const struct phys_node *n = g->nodes.at[i];
		for (int k = 0; k < n->nin; k++)
			x->uses[n->in[k]->id]++;
		if (n->kind == PHYS_END)
			x->is_carried[planner_root(n->in[1])->id] = true;
		if (n->kind == PHYS_END || n->kind == PHYS_STACK)
			x->first[n->of->id] = i;
		for (const struct phys_loop *l = n->loop; l; l = l->outer)
			x->first[l->id] = i;
	}
	for (int i = 0; i < g->outputs.n; i++)
		x->is_output[g->outputs.at[i].node->id] = true;
}

static struct phys_node *now(const struct lines *x, struct phys_node *n)
{
	return x->instead[n->id] ? x->instead[n->id] : n;
}

/* A constant 0 that is no -0, or filled with one. */
static bool is_zeros(const struct phys_node *n)
{
	while (n->kind == PHYS_VIEW)
		n = n->in[0];
	const struct scalar *b = n->kind == PHYS_MAP && n->rule->combiner == COMBINE_NONE ? n->rule->body : NULL;
	if (b && b->kind == SCALAR_CONST)
		return dtype_is_float(b->type) ? b->f == 0 && !signbit(b->f) : b->i == 0;
	if (b && b->kind == SCALAR_OPERAND && n->rule->operand[b->index].rank == 0)
		n = n->in[b->index];
	return n->kind == PHYS_CONST && n->number.i == 0;
}

/* Whether what l reads may be `to`: it is there before l begins. Carried values are when a turn begins, wherever they
 * stand in it. */
static bool may_come_before(const struct lines *x, const struct phys_node *to, const struct phys_loop *l)
{
	int first = x->first[l->id];
	return to->id < first ||
	       (to->kind == PHYS_CARRY && planner_segment(to) == planner_segment(x->graph->nodes.at[first]));
}

static bool is_sum(const struct phys_node *n)
{
	return n->kind == PHYS_MAP && n->nin == 2 && !n->owned && n->shape.rank > 1 && rule_is_sum(n->rule) &&
	       shape_equal(&n->in[0]->shape, &n->shape) && shape_equal(&n->in[1]->shape, &n->shape);
}

/* Whether n is read once, and by what stands beside it. */
static bool is_read_once(const struct lines *x, const struct phys_node *n)
{
	return x->uses[n->id] == 1 && !x->is_output[n->id];
}

/* The operand of a sum that can be added line by line to the other one; -1: none. */
static int stack_operand(const struct lines *x, const struct phys_node *sum)
{
	for (int k = 0; k < 2 && is_sum(sum) && !x->is_output[sum->id]; k++) {
		const struct phys_node *stack = sum->in[k], *to = sum->in[!k];
		if (stack->kind != PHYS_STACK || stack->onto || !is_read_once(x, stack) || stack->loop != sum->loop ||
		    to->loop != sum->loop)
			continue;
		int other = to->kind == PHYS_MAP ? stack_operand(x, to) : -1;
		if (may_come_before(x, other >= 0 ? to->in[other] : to, stack->of))
			return k;
	}
	return -1;
}

/* Whether all lines of a stack are written; if not, whether what is not added is 0 to a value that is never -0, so that
 * the sum is the same to the last bit. */
static bool may_leave_out(const struct phys_node *stack, const struct phys_node *carry)
{
	int64_t turns = stack->of->loop->turns;
	if (turns >= 0)
		return turns == stack->shape.dim[0];
	return stack->shape.dim[0] > 0 && !stack->of->condition && carry && is_zeros(carry->in[0]);
}

/* Whether n is what is carried, and stacks added to it, and nobody else reads any of it. */
static bool adds_to_carry(const struct lines *x, const struct phys_node *n, const struct phys_node *carry)
{
	if (n == carry)
		return x->uses[n->id] == 2 && !x->is_output[n->id] && !carry->of->condition;
	int k = stack_operand(x, n);
	return k >= 0 && is_read_once(x, n) && may_leave_out(n->in[k], carry) && adds_to_carry(x, n->in[!k], carry);
}

/* Whether n lies in memory that is its own: a stack where no line is carried on as it lies, or what such sums became
 * that were carried. */
static bool has_own_memory(const struct lines *x, const struct phys_node *n)
{
	if (n->kind == PHYS_END)
		return n->in[1]->kind == PHYS_STACK && n->in[1]->onto;
	return n->kind == PHYS_STACK && (n->onto || !x->is_carried[planner_root(n->in[0])->id]);
}

/* The sum of what an earlier loop has left, which nobody else reads, and the stack of a later one. */
static bool adds_to_result(const struct lines *x, const struct phys_node *n)
{
	int k = stack_operand(x, n);
	return k >= 0 && has_own_memory(x, n->in[!k]) && is_read_once(x, n->in[!k]) && may_leave_out(n->in[k], NULL);
}

/* In the turns, and the pass, that make the stack, which may be earlier than the sum's. */
static struct phys_node *add(struct lines *x, enum phys_kind kind, const struct phys_node *sum,
			     const struct phys_node *stack, int nin)
{
	struct phys_node *n = ARENA_NEW(x->arena, struct phys_node);
	struct node *as = ARENA_NEW(x->arena, struct node);
	*as = *sum->node;
	as->segment = stack->node->segment;
	as->batch = stack->node->batch;
	as->micro = stack->node->micro;
	*n = *sum;
	n->node = as;
	n->kind = kind;
	n->loop = stack->of;
	n->shape = shape_of_line(&sum->shape);
	n->nin = nin;
	n->in = ARENA_ARRAY(x->arena, struct phys_node *, nin);
	vec_push(x->arena, &x->inside[stack->of->id].list, n);
	return n;
}

/* The line of `to` that the turn writes of the stack. */
static struct phys_node *line_of(struct lines *x, struct phys_node *to, const struct phys_node *stack,
				 const struct phys_node *sum)
{
	bool back = stack->node->line.back;
	struct phys_node *n = add(x, PHYS_LINE, sum, stack, 1);
	struct node *as = (struct node *)n->node; /* which is a copy */
	as->kind = NODE_LINE;
	as->line.back = back;
	as->line.first = back ? -1 : 0;
	as->line.step = back ? -1 : 1;
	n->of = stack->of;
	n->rule = NULL;
	n->origins = NULL;
	n->in[0] = to;
	return n;
}

/* The rule of a line of the sum. */
static const struct rule *rule_of_line(struct lines *x, const struct phys_node *sum)
{
	struct rule *r = ARENA_NEW(x->arena, struct rule);
	struct access operand[2];
	*r = (struct rule){
		.name = sum->rule->name, .nfactors = sum->shape.rank - 1, .noperands = 2, .operand = operand};
	r->out.type = sum->dtype;
	r->out.rank = r->nfactors;
	for (int f = 0; f < r->nfactors; f++) {
		r->factor[f] = sum->rule->factor[index_factor(&sum->rule->out.index[f + 1])];
		r->out.dim[f] = r->factor[f].extent;
		r->out.index[f] = index_of_factor(f);
	}
	operand[0] = operand[1] = r->out;
	r->body = sum->rule->body;
	return rule_intern(x->program->rules, r);
}

/* Adds operand k of the sum, a stack, to what the other one is by now. */
static void rewrite(struct lines *x, const struct phys_node *sum, int k)
{
	struct phys_node *stack = sum->in[k], *to = now(x, sum->in[!k]);
	struct phys_node *line = line_of(x, to, stack, sum), *n = add(x, PHYS_MAP, sum, stack, 2);
	n->rule = rule_of_line(x, sum);
	n->origins = NULL;
	n->in[!k] = line;
	n->in[k] = stack->in[0];
	stack->in[0] = n;
	stack->onto = line;
	stack->name = sum->name;
	x->instead[sum->id] = stack;
	if (to->id >= x->first[stack->of->id]) {
		x->is_moved[to->id] = true;
		vec_push(x->arena, &x->before[stack->of->id].list, to);
	}
	x->uses[stack->id] = x->uses[sum->id];
}

static void add_to_carry(struct lines *x, struct phys_node *n, struct phys_node *carry)
{
	if (n == carry)
		return;
	int k = stack_operand(x, n);
	add_to_carry(x, n->in[!k], carry);
	rewrite(x, n, k);
}

static void find(struct lines *x, struct phys_node *n)
{
	for (int k = 0; k < n->nin; k++)
		n->in[k] = now(x, n->in[k]);
	n->after = n->after ? now(x, (struct phys_node *)n->after) : NULL;
	if (n->kind == PHYS_END && adds_to_carry(x, n->in[1], n->in[0])) {
		add_to_carry(x, n->in[1], n->in[0]);
		n->in[1] = now(x, n->in[1]);
	} else if (n->kind == PHYS_MAP && adds_to_result(x, n)) {
		rewrite(x, n, stack_operand(x, n));
	}
}

static void put(struct lines *x, struct added *a)
{
	for (int i = 0; i < a->list.n; i++)
		vec_push(x->arena, &x->graph->nodes, a->list.at[i]);
	a->list.n = 0;
}

void planner_add_lines(struct program *program, struct arena *a, struct phys_graph *g)
{
	struct lines x = {.program = program, .arena = a, .graph = g};
	int count = g->nodes.n;
	if (!g->loops.n)
		return;
	look(&x);
	for (int i = 0; i < count; i++)
		find(&x, g->nodes.at[i]);
	struct phys_node **old = physical_take_nodes(a, g);
	for (int i = 0; i < count; i++) {
		for (const struct phys_loop *l = old[i]->loop; l; l = l->outer)
			if (x.first[l->id] == i)
				put(&x, &x.before[l->id]);
		const struct phys_loop *left =
			old[i]->kind == PHYS_END || old[i]->kind == PHYS_STACK ? old[i]->of : NULL;
		if (left && x.first[left->id] == i)
			put(&x, &x.before[left->id]);
		if (left)
			put(&x, &x.inside[left->id]);
		if (!x.instead[i] && !x.is_moved[i])
			vec_push(a, &g->nodes, old[i]);
	}
	physical_number(g);
}
