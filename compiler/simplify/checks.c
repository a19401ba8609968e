/* checks.c — indices that cannot be outside are not checked: positions, remainders, classes of argmax, bytes as indices
 * of 256 rows; nor divisors that cannot be 0, nor numbers that fit, nor sums of small ones (graph/ranges.h).
 * Of those that are inside because of the turns of loops (graph/bounds.h), as k in `for k in i + 1..j`, that is kept
 * with them, since who reads by them could not find it out again. */
#include "simplify.h"

#include "../graph/bounds.h"

static bool is_proved(const struct check *c, struct range r)
{
	if (c->asked == ASKED_NOT_ZERO)
		return r.low > 0 || r.high < 0;
	if (c->asked == ASKED_WITHIN) /* where none counts from the end */
		return r.low >= 0 && r.high < c->extent;
	return asked_holds(c->asked, c->extent, r.low) && asked_holds(c->asked, c->extent, r.high);
}

/* context: by id, a node's own until it is replaced or kept. A flag that is asked is 0. */
static struct node *drop_proved(struct graph *g, struct node *n, void *context, bool *changed)
{
	const bool *proved = context;
	(void)changed;
	if (!proved[n->id])
		return n;
	struct node_site site = node_site_of(n);
	return n->check.asked == ASKED_HELD && !n->shape.rank ? graph_int(g, &site, n->dtype, 0) : n->in[0];
}

static bool has_checks(const struct graph *g)
{
	for (int i = 0; i < g->nodes.n; i++)
		if (g->nodes.at[i]->kind == NODE_CHECK)
			return true;
	return false;
}

bool pass_checks(struct session *s, struct graph *g)
{
	(void)s;
	if (!has_checks(g))
		return false;
	struct arena *scratch = arena_new("checks");
	const struct bounds *bounds = bounds_of_graph(scratch, g);
	const struct range *ranges = bounds_ranges(bounds);
	bool *proved = ARENA_ARRAY(scratch, bool, g->nodes.n), marked = false;
	for (int i = 0; i < g->nodes.n; i++) {
		struct node *n = g->nodes.at[i];
		if (n->kind != NODE_CHECK || n->check.is_proved)
			continue;
		bool by_turns = is_proved(&n->check, bounds_of_node(bounds, n->in[0])),
		     is_index = n->check.asked == ASKED_WITHIN || n->check.asked == ASKED_BELOW;
		proved[i] = is_proved(&n->check, ranges[n->in[0]->id]) || (by_turns && !is_index);
		n->check.is_proved = by_turns && !proved[i];
		marked |= n->check.is_proved;
	}
	bool changed = graph_rewrite(g, drop_proved, proved) || marked;
	arena_free(scratch);
	return changed;
}
