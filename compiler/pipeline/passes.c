/* passes.c — the nodes of micro-batches by stage and direction.
 *
 * A change of placement is a stage boundary: a node's level is the number of changes on the longest way to it from
 * outside. A pass is all nodes of one micro-batch, set of ranks, level and direction, so passes depend on each other in
 * no circle: a way leads to a higher level, from forward to backward, or to a later micro-batch. What no change of
 * placement leads to (masks, rows of the batch, seeds of gradients) is computed when it is needed first, not all of it
 * at the start. Values equal in several micro-batches are computed once and belong to the first. */
#include "passes.h"

int passes_sources(const struct node *x)
{
	return x->nin + (x->after != NULL);
}

const struct node *passes_source(const struct node *x, int k)
{
	return k < x->nin ? x->in[k] : x->after;
}

static bool is_marked(const struct pass_nodes *n, const struct node *x)
{
	return n->phase[x->id] & 1;
}

static int set_of(struct pass_nodes *n, const struct place *p)
{
	for (int i = 0; i < n->sets.n; i++)
		if (n->sets.at[i] == p || place_same_ranks(n->sets.at[i], p))
			return i;
	vec_push(n->arena, &n->sets, p);
	return n->sets.n - 1;
}

/* What a block's nodes read was there before; a node that passes have moved behind another block goes with what is
 * between. */
static void find_phases(struct pass_nodes *n)
{
	for (int i = 0; i < n->graph->nodes.n; i++) {
		const struct node *x = n->graph->nodes.at[i];
		int before = 0, own = x->batch ? 2 * x->batch->id + 1 : 0;
		for (int k = 0; k < passes_sources(x); k++)
			before =
				n->phase[passes_source(x, k)->id] > before ? n->phase[passes_source(x, k)->id] : before;
		n->phase[i] = own >= before && own ? own : before + (before & 1);
	}
}

static bool changes_ranks(const struct pass_nodes *n, const struct node *x)
{
	return x->kind == NODE_TO && n->ranks[x->id] != n->ranks[x->in[0]->id];
}

static bool in_same_block(const struct pass_nodes *n, const struct node *a, const struct node *b)
{
	return n->phase[a->id] == n->phase[b->id] && is_marked(n, a);
}

/* anchored: some change of placement leads there, so the level is known from what the node reads. */
static void find_levels(struct pass_nodes *n, bool *anchored)
{
	for (int i = 0; i < n->graph->nodes.n; i++) {
		const struct node *x = n->graph->nodes.at[i];
		n->ranks[i] = set_of(n, x->place);
		if (!is_marked(n, x))
			continue;
		bool change = changes_ranks(n, x);
		n->backward[i] = x->origin == ORIGIN_BACKWARD;
		anchored[i] = change;
		for (int k = 0; k < passes_sources(x); k++) {
			const struct node *in = passes_source(x, k);
			if (!in_same_block(n, x, in))
				continue;
			anchored[i] |= anchored[in->id];
			n->backward[i] |= n->backward[in->id];
			if (n->level[in->id] + change > n->level[i])
				n->level[i] = n->level[in->id] + change;
		}
	}
}

/* The others are computed in the first pass that needs them. */
static void sink(struct pass_nodes *n, const bool *anchored)
{
	enum { UNUSED = INT32_MAX };
	int count = n->graph->nodes.n;
	int *first = ARENA_ARRAY(n->arena, int, count); /* level * 2 + backward */
	for (int i = 0; i < count; i++)
		first[i] = UNUSED;
	for (int i = count - 1; i >= 0; i--) {
		const struct node *x = n->graph->nodes.at[i];
		if (!is_marked(n, x))
			continue;
		if (!anchored[i] && first[i] != UNUSED) {
			n->level[i] = first[i] / 2;
			n->backward[i] |= first[i] % 2;
		}
		for (int k = 0; k < passes_sources(x); k++) {
			const struct node *in = passes_source(x, k);
			int want = changes_ranks(n, x) ? n->backward[in->id] : 2 * n->level[i] + n->backward[i];
			if (in_same_block(n, x, in) && want < first[in->id])
				first[in->id] = want;
		}
	}
}

void passes_find(struct pass_nodes *n)
{
	int count = n->graph->nodes.n;
	n->phase = ARENA_ARRAY(n->arena, int, count);
	n->ranks = ARENA_ARRAY(n->arena, int, count);
	n->level = ARENA_ARRAY(n->arena, int, count);
	n->backward = ARENA_ARRAY(n->arena, bool, count);
	bool *anchored = ARENA_ARRAY(n->arena, bool, count);
	find_phases(n);
	find_levels(n, anchored);
	sink(n, anchored);
}

/* How many times more the whole tensor has than one rank. */
static double share(const struct node *n)
{
	struct shape local = layout_local_shape(n->place, &n->layout, &n->shape, 0);
	double whole = (double)shape_volume(&n->shape), part = (double)shape_volume(&local);
	return whole > 0 && part > 0 ? whole / part : 1;
}

/* Other operations take about ten times as long as those of a sum of products, which a tuned kernel does from
 * registers. */
enum { OTHER_COST = 10 };

int64_t passes_cost(const struct node *n)
{
	if (n->kind != NODE_MAP)
		return 0;
	double split = share(n);
	for (int i = 0; i < n->nin; i++)
		split = share(n->in[i]) > split ? share(n->in[i]) : split;
	bool product = n->rule->combiner == COMBINE_SUM && n->rule->noperands > 1;
	double cost = (double)rule_flops(n->rule) / split * (product ? 1 : OTHER_COST);
	return cost < 1e15 ? (int64_t)cost : (int64_t)1e15;
}
