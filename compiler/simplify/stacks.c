/* stacks.c — what turns keep of a tensor is the tensor, also of what was moved, where that is laid out as it was:
 *
 *   %2 = line(%w)
 *   %3 = to(%2) …
 *   %4 = stack(%3)             (%4 is %w)
 *
 * Weights are moved to where a layer computes with them (`w to (tp=S(1))`), and gradients read what was moved. Before
 * layouts are known that is a value of its own, kept for each layer. */
#include "simplify.h"

/* Whether the turns of `stack` take each line of x once: as many as stacked it, where they are not known, if the same
 * number says so. A tape is written in the loops that it is stacked in. */
static bool is_taken_whole(const struct node *stack, const struct node *x)
{
	const struct loop *l = stack->of;
	bool is_written_here = !node_is_tape(stack) || x->loop == stack->loop;
	return is_written_here && (l->turns >= 0 || (x->kind == NODE_STACK && l->count && x->of->count == l->count));
}

struct node *simplify_stack_of_lines(const struct node *stack, const struct node *line)
{
	int64_t turns = stack->of->turns;
	if (line->kind != NODE_LINE || line->of != stack->of || line->nin != 1 ||
	    !shape_equal(&line->in[0]->shape, &stack->shape) || !is_taken_whole(stack, line->in[0]))
		return NULL;
	int64_t first = line->line.first + (line->line.back && turns >= 0 ? turns : 0);
	bool in_order = (!line->line.back || turns >= 0) && first == 0 && line->line.step == 1;
	bool from_end = line->line.step == -1 && first == (line->line.back && turns < 0 ? -1 : turns - 1) &&
			(line->line.back || turns >= 0);
	return (stack->line.back ? from_end : in_order) ? line->in[0] : NULL;
}

static struct node *look(struct graph *g, struct node *n, void *context, bool *changed)
{
	(void)g, (void)context, (void)changed;
	if (n->kind != NODE_STACK)
		return n;
	const struct node *line = n->in[0];
	while (line->kind == NODE_TO)
		line = line->in[0];
	struct node *all = simplify_stack_of_lines(n, line);
	bool is_laid_out_alike =
		all && all->place == n->place && (!n->place || layout_equal(n->place, &all->layout, &n->layout));
	return is_laid_out_alike ? all : n;
}

bool pass_stacks(struct session *s, struct graph *g)
{
	(void)s;
	bool changed = g->loops.n && graph_rewrite(g, look, NULL);
	if (changed)
		graph_compact(g);
	return changed;
}
