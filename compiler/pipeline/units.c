/* units.c — see units.h. */
#include "units.h"

static int place_of(struct pass_units *b, const struct node *x)
{
	const struct pass_nodes *n = &b->nodes;
	struct pass_place p = {.ranks = n->ranks[x->id], .level = n->level[x->id], .kind = n->kind[x->id]};
	uint64_t key = ((uint64_t)p.ranks << 34 | (uint64_t)p.level << 2 | p.kind) + 1;
	uintptr_t known = (uintptr_t)map_get_u64(&b->places, key);
	if (known)
		return (int)known - 1;
	vec_push(n->arena, &b->plan.places, p);
	vec_push(n->arena, &b->micro_count, 0);
	map_set_u64(&b->places, key, (void *)(uintptr_t)b->plan.places.n);
	return b->plan.places.n - 1;
}

int pass_unit(struct pass_units *b, int place, int micro)
{
	uint64_t key = ((uint64_t)place << 32 | (uint64_t)micro) + 1;
	uintptr_t known = (uintptr_t)map_get_u64(&b->units, key);
	if (known)
		return (int)known - 1;
	struct pass_unit u = {.place = place, .micro = micro};
	vec_push(b->nodes.arena, &b->plan.units, u);
	b->micro_count.at[place]++;
	map_set_u64(&b->units, key, (void *)(uintptr_t)b->plan.units.n);
	return b->plan.units.n - 1;
}

void pass_edge(struct pass_units *b, int from, int to)
{
	struct pass_unit *u = &b->plan.units.at[from];
	for (int i = 0; i < u->after.n; i++)
		if (u->after.at[i] == to)
			return;
	vec_push(b->nodes.arena, &u->after, to);
	b->plan.units.at[to].waits++;
}

static void add_node(struct pass_units *b, const struct node *x, int micro)
{
	int u = b->unit[x->id] = pass_unit(b, place_of(b, x), micro);
	b->plan.units.at[u].cost += passes_cost(x);
	for (int k = 0; k < passes_sources(x); k++) {
		int from = b->unit[passes_source(x, k)->id];
		if (from >= 0 && from != u)
			pass_edge(b, from, u);
	}
}

/* A loop is of one micro-batch, whatever nodes of it, as counts of its turns, are of none in particular. */
static void find_units(struct pass_units *b)
{
	const struct graph *g = b->nodes.graph;
	for (int from = 0, end; from < g->nodes.n; from = end) {
		int micro = 0;
		end = graph_whole_end(g, from);
		for (int i = from; i < end; i++) {
			b->unit[i] = -1;
			micro = g->nodes.at[i]->micro > micro ? g->nodes.at[i]->micro : micro;
		}
		for (int i = from; i < end; i++)
			if (b->nodes.phase[i] == b->phase)
				add_node(b, g->nodes.at[i], micro);
	}
	for (int u = 0; u < b->plan.units.n; u++)
		b->plan.units.at[u].cost += !b->plan.units.at[u].cost;
}

bool pass_is_stage(const struct pass_units *b, const struct microbatch *m, int place)
{
	return b->micro_count.at[place] == m->count;
}

/* p - s of stage s: as many as there are levels of its kind of pass from there on. */
static void give_credits(struct pass_units *b, const struct microbatch *m)
{
	for (int i = 0; i < b->plan.places.n; i++) {
		struct pass_place *p = &b->plan.places.at[i];
		int last = p->level;
		for (int k = 0; k < b->plan.places.n; k++) {
			const struct pass_place *q = &b->plan.places.at[k];
			if (q->kind == p->kind && pass_is_stage(b, m, k) && q->level > last)
				last = q->level;
		}
		p->credits = pass_is_stage(b, m, i) ? last - p->level + 1 : 0;
	}
}

static void find_overlaps(struct pass_units *b)
{
	int n = b->plan.nranks = b->nodes.sets.n;
	bool *overlap = ARENA_ARRAY(b->nodes.arena, bool, n *n);
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			overlap[i * n + k] = i == k || place_overlap(b->nodes.sets.at[i], b->nodes.sets.at[k]);
	b->plan.overlap = overlap;
}

struct pass_units pass_units_of(const struct pass_nodes *nodes, int phase)
{
	struct pass_units b = {.nodes = *nodes, .phase = phase};
	b.unit = ARENA_ARRAY(nodes->arena, int, nodes->graph->nodes.n);
	map_init(&b.places, nodes->arena);
	map_init(&b.units, nodes->arena);
	find_units(&b);
	return b;
}

bool pass_units_schedule(struct pass_units *b, const struct microbatch *m)
{
	b->plan.schedule = m->schedule;
	b->plan.hold = m->hold;
	give_credits(b, m);
	find_overlaps(b);
	return schedule_passes(b->nodes.arena, &b->plan);
}
