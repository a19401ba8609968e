/* steady.c — whether micro-batches are alike, and what each consists of. What a micro-batch's passes are and which
 * needs which is seen on a copy of the graph with three turns: those of the second are the same as of all behind it. */
#include "steady.h"

enum { SAMPLE = 3 }; /* turns that are looked at */

/* ---- the sample ---- */

/* Lines are those of the turns in their order. */
static bool has_plain_lines(const struct graph *g, const struct steady *s)
{
	for (int i = s->from; i < s->extent.end; i++) {
		const struct node *x = g->nodes.at[i];
		if (x->of == s->loop && (x->kind == NODE_STACK || x->kind == NODE_LINE) && x->line.back)
			return false;
	}
	return true;
}

/* What is computed again waits, in each turn of the sample, for the node of that turn. */
static void wait_again(struct arena *a, struct graph *sample, const struct graph *g, const struct steady *s)
{
	int n = s->extent.exits - s->from;
	const struct node **of = ARENA_ARRAY(a, const struct node *, SAMPLE *n);
	for (int i = 0; i < sample->nodes.n; i++) {
		struct node *x = sample->nodes.at[i];
		x->after = NULL;
		if (!x->segment)
			continue;
		const struct node *after = g->nodes.at[s->from + x->segment - 1]->after;
		int from = after ? after->id - s->from : -1;
		if (from >= 0 && from < n)
			x->after = of[x->micro * n + from];
		of[x->micro * n + x->segment - 1] = x;
	}
}

/* Nodes of the copy say in `segment` which node of the body they are, counted from 1. NULL: what is in the body would
 * have to be taken apart. */
static struct graph *sample_of(struct arena *a, struct graph *g, const struct steady *s)
{
	struct graph *sample = graph_copy(g, a);
	bool *marked = ARENA_ARRAY(a, bool, sample->loops.n);
	for (int i = 0; i < sample->nodes.n; i++) {
		bool is_body = i >= s->from && i < s->extent.exits;
		sample->nodes.at[i]->segment = is_body ? i - s->from + 1 : 0;
	}
	sample->loops.at[s->loop->id]->turns = SAMPLE;
	marked[s->loop->id] = true;
	graph_unroll_marked(sample, marked);
	graph_compact(sample);
	wait_again(a, sample, g, s);
	int nloops = sample->loops.n;
	bool *split = passes_split_loops(a, sample);
	for (int i = 0; i < nloops && split; i++)
		if (split[i] && !sample->loops.at[i]->batch)
			return NULL;
	return sample;
}

/* Which pass each node of the body is in; false if that is not the same in all micro-batches. */
static bool find_places(struct arena *a, struct steady *s, const struct pass_units *u)
{
	const struct graph *g = u->nodes.graph;
	int n = s->extent.exits - s->from;
	int *of[SAMPLE];
	for (int k = 0; k < SAMPLE; k++) {
		of[k] = ARENA_ARRAY(a, int, n);
		for (int i = 0; i < n; i++)
			of[k][i] = -1;
	}
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *x = g->nodes.at[i];
		if (u->unit[i] < 0 || !x->segment)
			continue;
		int *place = &of[x->micro][x->segment - 1], here = u->plan.units.at[u->unit[i]].place;
		if (*place >= 0 && *place != here)
			return false;
		*place = here;
	}
	for (int i = 0; i < n; i++)
		if (of[1][i] != of[2][i] || (of[0][i] >= 0 && of[0][i] != of[1][i]))
			return false;
	s->place = of[1];
	return true;
}

/* ---- all passes ---- */

/* Whether the sample's place is one that every micro-batch passes; first: only the first does. Else false. */
static bool place_repeats(const struct pass_units *u, int place, bool *first)
{
	int count = u->micro_count.at[place];
	*first = count == 1;
	return count == SAMPLE || count == 1;
}

/* A pass of the sample over micro-batch 0 or 1, as one over micro-batch m, and whoever needs it. */
static bool add_edges(struct pass_units *all, const struct pass_units *u, int from, int m, bool once)
{
	const struct pass_unit *x = &u->plan.units.at[from];
	int here = pass_unit(all, x->place, m), count = all->micro_count.at[0];
	for (int i = 0; i < all->micro_count.n; i++)
		count = all->micro_count.at[i] > count ? all->micro_count.at[i] : count;
	for (int i = 0; i < x->after.n; i++) {
		const struct pass_unit *y = &u->plan.units.at[x->after.at[i]];
		int later = y->micro - x->micro;
		if (later > 1 && !once)
			return false;
		if (once && y->micro > 1)
			continue;
		for (int k = m + later; k < count; k += once && later ? 1 : count)
			pass_edge(all, here, pass_unit(all, y->place, k));
	}
	return true;
}

/* The passes of all micro-batches, from those of the sample. */
static bool repeat_units(struct steady *s, const struct pass_units *u, int count)
{
	struct pass_units *all = &s->units;
	bool once;
	*all = (struct pass_units){.nodes = u->nodes, .phase = u->phase, .unit = u->unit};
	map_init(&all->units, u->nodes.arena);
	for (int i = 0; i < u->plan.places.n; i++) {
		if (!place_repeats(u, i, &once))
			return false;
		vec_push(u->nodes.arena, &all->plan.places, u->plan.places.at[i]);
		vec_push(u->nodes.arena, &all->micro_count, 0);
	}
	for (int m = 0; m < count; m++)
		for (int i = 0; i < u->plan.units.n; i++) {
			const struct pass_unit *x = &u->plan.units.at[i];
			if (x->micro != (m > 0))
				continue;
			int here = pass_unit(all, x->place, m);
			all->plan.units.at[here].cost = x->cost;
		}
	for (int m = 0; m < count; m++)
		for (int i = 0; i < u->plan.units.n; i++) {
			const struct pass_unit *x = &u->plan.units.at[i];
			place_repeats(u, x->place, &once);
			if (once && x->micro)
				return false;
			if (x->micro == (m > 0) && !add_edges(all, u, i, m, once))
				return false;
		}
	return true;
}

/* ---- what may be rolled ---- */

int steady_maker(const struct steady *s, const struct node *x, int *earlier)
{
	for (*earlier = 0; x->kind == NODE_CARRY && x->of == s->loop && *earlier < 2; ++*earlier)
		x = s->end[x->id]->in[1];
	int i = x->id - s->from;
	return i >= 0 && i < s->extent.exits - s->from && x->of != s->loop ? i : -1;
}

/* Whether a loop of periods can keep all values of a node for another: as lines of a tensor. */
static bool has_lines(const struct node *x)
{
	return x->shape.rank < MAX_RANK && !node_is_tape(x);
}

/* What is read is made earlier in the turn, in one before, or in an earlier loop. */
static bool is_in_order(const struct graph *g, const struct steady *s)
{
	int n = s->extent.exits - s->from;
	for (int i = 0; i < n; i++) {
		const struct node *x = g->nodes.at[s->from + i];
		for (int k = 0; k < x->nin && s->place[i] >= 0; k++) {
			int earlier, from = steady_maker(s, x->in[k], &earlier);
			if (earlier > 1)
				return false;
			if (from < 0)
				continue;
			int lag = earlier + s->first[from] - s->first[i];
			bool other = s->in[from] < s->in[i];
			if (s->place[from] < 0 || s->in[from] > s->in[i] ||
			    (other && !has_lines(g->nodes.at[s->from + from])) ||
			    (!other && (lag < 0 || (!lag && s->segment[from] > s->segment[i]))))
				return false;
		}
	}
	return true;
}

bool steady_find(struct arena *a, struct graph *g, struct loop *l, struct steady *s)
{
	*s = (struct steady){.loop = l, .end = graph_ends(g, a)};
	while (s->from < g->nodes.n && !loop_is_in(g->nodes.at[s->from]->loop, l))
		s->from++;
	s->extent = loop_extent(l, g->nodes.at, g->nodes.n, s->from);
	if (l->outer || l->turns < SAMPLE || l->turns != l->batch->count || !has_plain_lines(g, s))
		return false;
	struct graph *sample = sample_of(a, g, s);
	if (!sample)
		return false;
	struct pass_nodes nodes = {.arena = a, .graph = sample};
	passes_find(&nodes);
	struct pass_units u = pass_units_of(&nodes, 2 * l->batch->id + 1);
	if (!find_places(a, s, &u) || !repeat_units(s, &u, (int)l->turns) || !pass_units_schedule(&s->units, l->batch))
		return false;
	return steady_period(a, g, s) && is_in_order(g, s);
}
