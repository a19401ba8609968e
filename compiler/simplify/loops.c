/* loops.c — loops with less in them: what is carried and never changes is read from outside, a line of a stack of one
 * value is the value, a stack of all lines of a tensor is the tensor; a loop of one turn or none is no loop.
 *
 *   %3 = carry(%0) of 0                      %5 = map(%0, %4) …
 *   %5 = map(%3, %4) …          becomes
 *   %6 = end(%3, %3) of 0                    (%6 is %0)
 *
 * What an arm of a branch reads from outside is carried for a reason, and stays. */
#include "simplify.h"

struct looking {
	struct node **end; /* graph_ends, before the rewriting */
};

static struct node *carry(const struct looking *l, struct node *n)
{
	const struct node *next = l->end[n->id]->in[1];
	bool stays = next == n || next == n->in[0];
	return (stays && !n->of->is_branch) || n->of->turns == 1 ? n->in[0] : n;
}

static struct node *end(struct node *n)
{
	if (n->of->turns == 1)
		return n->in[1];
	if (n->in[0]->kind != NODE_CARRY || n->in[0]->of != n->of)
		return n->in[0];
	return n->of->turns == 0 ? n->in[0]->in[0] : n;
}

static struct node *line(struct graph *g, struct node *n)
{
	struct node *x = n->in[0];
	struct node_site at = node_site_of(n);
	if (n->nin == 1 && x->kind == NODE_STACK && x->of->turns > 0 && !loop_is_in(x->in[0]->loop, x->of))
		return x->in[0];
	if (n->of->turns != 1)
		return n;
	if (n->nin == 1 && x->kind == NODE_RESHAPE && shape_equal(&x->in[0]->shape, &n->shape))
		return x->in[0]; /* what was a stack of one line */
	int64_t first = n->line.first + n->line.back;
	return n->nin > 1 ? n->in[first] : graph_line_of(g, &at, x, first);
}

/* Zeros, of which there may be none, where n is. */
static struct node *zeros(struct graph *g, const struct node *n)
{
	struct node_site at = node_site_of(n);
	const struct layout_spec any = {.form = LAYOUT_INFER};
	struct node *x = graph_zeros(g, &at, n->dtype, &n->shape);
	return n->place ? graph_to(g, &at, x, n->place, &any) : x;
}

static struct node *stack(struct graph *g, struct node *n)
{
	struct node_site at = node_site_of(n);
	int64_t turns = n->of->turns;
	if (turns == 0)
		return zeros(g, n);
	if (turns == 1)
		return graph_reshape(g, &at, n->in[0], &n->shape);
	struct node *all = simplify_stack_of_lines(n, n->in[0]);
	return all ? all : n;
}

static struct node *look(struct graph *g, struct node *n, void *context, bool *changed)
{
	(void)changed;
	struct node_site at = node_site_of(n);
	switch (n->kind) {
	case NODE_TURN:
		return n->of->turns == 1 ? graph_int(g, &at, DT_I64, 0) : n;
	case NODE_CARRY:
		return carry(context, n);
	case NODE_LINE:
		return line(g, n);
	case NODE_END:
		return end(n);
	case NODE_STACK:
		return stack(g, n);
	case NODE_SLOT:
	case NODE_DATA:
	case NODE_HOST:
	case NODE_CONST:
	case NODE_MAP:
	case NODE_RESHAPE:
	case NODE_TO:
	case NODE_CONTRACT:
	case NODE_CHECK:
	case NODE_FACTORS:
	case NODE_STOP:
	case NODE_REMAT:
	case NODE_TANGENT:
	case NODE_RULED:
	case NODE_PULLED:
	case NODE_KINDS:
		break;
	}
	return n;
}

/* Whether something but lines reads a stack of l, whose extents are that of the stack. */
static bool is_read_whole(const struct graph *g, const struct loop *l)
{
	bool is_read = false;
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		for (int k = 0; k < n->nin; k++)
			is_read |= n->kind != NODE_LINE && n->in[k]->kind == NODE_STACK && n->in[k]->of == l;
	}
	for (int i = 0; i < g->outputs.n; i++)
		is_read |= g->outputs.at[i].node->kind == NODE_STACK && g->outputs.at[i].node->of == l;
	return is_read;
}

/* Whether a turn of l reads a line of what a loop of any number of turns keeps. */
static bool reads_tape(const struct graph *g, const struct loop *l)
{
	bool reads = false;
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		for (int k = 0; k < n->nin && n->kind == NODE_LINE && n->of == l; k++)
			reads |= n->in[k]->kind == NODE_STACK && n->in[k]->of->turns < 0;
	}
	return reads;
}

/* A number of turns that turned out to be a constant. Stacks of a stated bound keep their extent, so such loops stay as
 * they are, and so do those whose stacks other than lines read, and those that read what has no extent yet: it has once
 * it is known of the loop that keeps it. */
static bool know_turns(struct graph *g, struct loop *l)
{
	if (!l->count || l->count->kind != NODE_CONST)
		return false;
	int64_t turns = l->count->number.i < 0 ? 0 : l->count->number.i;
	bool is_stacked = false;
	for (int i = 0; i < g->nodes.n; i++)
		is_stacked |= g->nodes.at[i]->kind == NODE_STACK && g->nodes.at[i]->of == l;
	if ((is_stacked && l->most != turns && (l->most >= 0 || is_read_whole(g, l))) || reads_tape(g, l))
		return false;
	for (int i = 0; i < g->nodes.n; i++)
		if (g->nodes.at[i]->kind == NODE_STACK && g->nodes.at[i]->of == l)
			g->nodes.at[i]->shape.dim[0] = turns;
	l->turns = turns;
	l->count = NULL;
	return true;
}

/* Loops of one turn are no more. */
static void leave_single(struct loop *l)
{
	while (l->outer && l->outer->turns == 1)
		l->outer = l->outer->outer;
}

bool pass_loops(struct session *s, struct graph *g)
{
	(void)s;
	bool changed = false;
	if (!g->loops.n)
		return false;
	struct looking l;
	struct arena *scratch = arena_new("loops");
	for (int i = 0; i < g->loops.n; i++)
		changed |= know_turns(g, g->loops.at[i]);
	for (int i = 0; i < g->loops.n; i++)
		leave_single(g->loops.at[i]);
	l.end = graph_ends(g, scratch);
	changed |= graph_rewrite(g, look, &l);
	arena_free(scratch);
	if (changed)
		graph_compact(g);
	return changed;
}
