/* passes.c — the nodes of micro-batches by stage and kind of pass.
 *
 * A change of placement is a stage boundary: a node's level is the number of changes on the longest way to it from
 * outside. A pass is all nodes of one micro-batch, set of ranks, level and kind, so passes depend on each other in
 * no circle: a way leads to a higher level, from forward to backward to weights, or to a later micro-batch. What no
 * change of placement leads to (masks, rows of the batch, seeds of gradients) is computed when it is needed first, not
 * all of it at the start. Values equal in several micro-batches are computed once and belong to the first.
 *
 * A loop is in one pass, with its exits: its nodes count as one that reads what any of them reads. So it stands on one
 * set of ranks; one that goes through several is done turn by turn before (passes_split_loops). */
#include "passes.h"

/* The k-th node outside of the loop that x enters which tells how many turns that makes; NULL: there are no more. */
static const struct node *turns_source(const struct node *x, int k)
{
	for (int i = 0; node_is_entry(x) && loop_asked(x->of, i); i++) {
		const struct node *asked = *loop_asked(x->of, i);
		if (!loop_is_in(asked->loop, x->of) && !k--)
			return asked;
	}
	return NULL;
}

int passes_sources(const struct node *x)
{
	int n = x->nin + (x->after != NULL);
	for (int k = 0; turns_source(x, k); k++)
		n++;
	return n;
}

const struct node *passes_source(const struct node *x, int k)
{
	if (k < x->nin)
		return x->in[k];
	k -= x->nin;
	return x->after && !k ? x->after : turns_source(x, k - (x->after != NULL));
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
	for (int from = 0, end; from < n->graph->nodes.n; from = end) {
		int before = 0, own = 0;
		end = graph_whole_end(n->graph, from);
		for (int i = from; i < end; i++) {
			const struct node *x = n->graph->nodes.at[i];
			own = x->batch && 2 * x->batch->id + 1 > own ? 2 * x->batch->id + 1 : own;
			for (int k = 0; k < passes_sources(x); k++) {
				int phase = n->phase[passes_source(x, k)->id];
				before = phase > before ? phase : before;
			}
		}
		for (int i = from; i < end; i++)
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

/* What is known of what is one. */
struct pass {
	int level;
	bool backward, anchored;
};

static void join_sources(const struct pass_nodes *n, const struct node *x, const bool *anchored, struct pass *p)
{
	bool change = changes_ranks(n, x);
	/* What a forward loop keeps for its derivative is made by the forward pass. */
	p->backward |= x->origin == ORIGIN_BACKWARD && x->kind != NODE_STACK;
	p->anchored |= change;
	for (int k = 0; k < passes_sources(x); k++) {
		const struct node *in = passes_source(x, k);
		if (!in_same_block(n, x, in))
			continue;
		p->anchored |= anchored[in->id];
		p->backward |= n->backward[in->id];
		if (n->level[in->id] + change > p->level)
			p->level = n->level[in->id] + change;
	}
}

/* anchored: some change of placement leads there, so the level is known from what the node reads. */
static void find_levels(struct pass_nodes *n, bool *anchored)
{
	for (int i = 0; i < n->graph->nodes.n; i++)
		n->ranks[i] = set_of(n, n->graph->nodes.at[i]->place);
	for (int from = 0, end; from < n->graph->nodes.n; from = end) {
		struct pass p = {0};
		end = graph_whole_end(n->graph, from);
		if (!is_marked(n, n->graph->nodes.at[from]))
			continue;
		for (int i = from; i < end; i++)
			join_sources(n, n->graph->nodes.at[i], anchored, &p);
		for (int i = from; i < end; i++) {
			n->level[i] = p.level;
			n->backward[i] = p.backward;
			anchored[i] = p.anchored;
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
	for (int end = count, from; end > 0; end = from) {
		int least = UNUSED;
		from = graph_whole_begin(n->graph, end - 1);
		if (!is_marked(n, n->graph->nodes.at[from]))
			continue;
		for (int i = from; i < end; i++)
			least = first[i] < least ? first[i] : least;
		for (int i = from; i < end; i++) {
			if (!anchored[i] && least != UNUSED) {
				n->level[i] = least / 2;
				n->backward[i] |= least % 2;
			}
			const struct node *x = n->graph->nodes.at[i];
			for (int k = 0; k < passes_sources(x); k++) {
				const struct node *in = passes_source(x, k);
				int want = changes_ranks(n, x) ? n->backward[in->id] : 2 * n->level[i] + n->backward[i];
				if (in_same_block(n, x, in) && want < first[in->id])
					first[in->id] = want;
			}
		}
	}
}

static bool is_split(const struct pass_nodes *n, int from, int end)
{
	for (int i = from; i < end; i++)
		if (n->backward[i] && n->graph->nodes.at[i]->batch)
			return schedule_splits(n->graph->nodes.at[i]->batch->schedule);
	return false;
}

/* Where backward passes are two pieces, the first is what another stage waits for: what leads to a change of ranks. */
static void find_kinds(struct pass_nodes *n)
{
	bool *urgent = ARENA_ARRAY(n->arena, bool, n->graph->nodes.n);
	for (int end = n->graph->nodes.n, from; end > 0; end = from) {
		bool waited = false;
		from = graph_whole_begin(n->graph, end - 1);
		for (int i = from; i < end; i++)
			waited |= urgent[i];
		bool split = is_split(n, from, end);
		for (int i = from; i < end; i++) {
			const struct node *x = n->graph->nodes.at[i];
			n->kind[i] = !n->backward[i] ? PASS_FORWARD : split && !waited ? PASS_WEIGHTS : PASS_BACKWARD;
			for (int k = 0; k < passes_sources(x); k++) {
				const struct node *in = passes_source(x, k);
				if (in_same_block(n, x, in))
					urgent[in->id] |= changes_ranks(n, x) || n->kind[i] == PASS_BACKWARD;
			}
		}
	}
}

bool *passes_split_loops(struct arena *a, const struct graph *g)
{
	bool *split = ARENA_ARRAY(a, bool, g->loops.n + 1);
	for (int from = 0, end; from < g->nodes.n; from = end) {
		const struct node *first = g->nodes.at[from];
		end = graph_whole_end(g, from);
		const struct loop *l = node_whole_loop(first);
		for (int i = from; i < end && l && !l->stages; i++)
			if ((l->batch || g->nodes.at[i]->batch) && g->nodes.at[i]->place != first->place &&
			    !place_same_ranks(g->nodes.at[i]->place, first->place))
				split[l->id] = split[g->loops.n] = true;
	}
	return split[g->loops.n] ? split : NULL;
}

void passes_find(struct pass_nodes *n)
{
	int count = n->graph->nodes.n;
	n->phase = ARENA_ARRAY(n->arena, int, count);
	n->ranks = ARENA_ARRAY(n->arena, int, count);
	n->level = ARENA_ARRAY(n->arena, int, count);
	n->backward = ARENA_ARRAY(n->arena, bool, count);
	n->kind = ARENA_ARRAY(n->arena, enum pass_kind, count);
	bool *anchored = ARENA_ARRAY(n->arena, bool, count);
	find_phases(n);
	find_levels(n, anchored);
	sink(n, anchored);
	find_kinds(n);
}

/* How many times more the whole tensor has than one rank. */
static double share(const struct node *n)
{
	struct shape local = layout_largest_shape(n->place, &n->layout, &n->shape);
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
	for (const struct loop *l = n->loop; l; l = l->outer)
		cost *= l->turns >= 0 ? (double)l->turns : 1;
	return cost < 1e15 ? (int64_t)cost : (int64_t)1e15;
}
