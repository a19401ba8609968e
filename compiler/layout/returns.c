/* returns.c — see returns.h. A `to` that returns rows stands in front of the map that reads them, behind the indices of
 * that, whose place says when it may begin; parts are finished, once for all, in front of the first of them. */
#include "returns.h"

#include "../program.h"
#include "convert.h"
#include "owners.h"

/* A `to` whose readers all add rows up. */
struct returning {
	const struct node *to;
	struct wanted whole;
	struct layout via;
	bool has_via, pays;
	struct node *between; /* that it is moved to first; NULL: not made yet, or none */
};

struct returns {
	struct arena *scratch;
	struct convert_costs *costs;
	struct map by_to, by_reader;
};

static int times_read(const struct node *map, const struct node *x)
{
	int n = 0;
	for (int i = 0; i < map->nin; i++)
		n += map->in[i] == x;
	return n;
}

/* The axes that share out the rows in which a map adds up what a `to` of its placement gives; else 0. */
static uint32_t owning_axes(const struct node *map, int i)
{
	const struct node *to = map->in[i];
	if (map->kind != NODE_MAP || to->kind != NODE_TO || !map->place || to->place != map->place ||
	    to->in[0]->place != map->place || to->loop != map->loop || times_read(map, to) > 1)
		return 0;
	return owners_axes(map, i, map->place, &map->layout);
}

static void note_reader(struct returns *r, const struct node *map, int i)
{
	uint32_t owning = owning_axes(map, i);
	if (!owning)
		return;
	const struct node *to = map->in[i];
	struct returning *x = map_get(&r->by_to, to), **of = map_get(&r->by_reader, map);
	const struct wanted one = {.layout = to->layout, .readers = 1, .owning = owning};
	if (!x) {
		x = ARENA_NEW(r->scratch, struct returning);
		*x = (struct returning){.to = to, .whole = one};
		map_set(&r->by_to, to, x);
	} else {
		wanted_join(&x->whole, &one);
	}
	if (!of) {
		of = ARENA_ARRAY(r->scratch, struct returning *, map->nin);
		map_set(&r->by_reader, map, of);
	}
	of[i] = x;
}

/* reads: by all who do, whatever for. */
static void decide(const struct returns *r, struct returning *x, int reads)
{
	const struct node *to = x->to, *from = to->in[0];
	struct cost whole =
		convert_cost(r->costs, to->dtype, &to->shape, from->place, &from->layout, to->place, &to->layout);
	struct cost rows = convert_returned(r->costs, to->dtype, &to->shape, to->place, &from->layout, &x->whole,
					    &x->via, &x->has_via);
	x->pays = x->whole.readers == reads && cost_less(rows, whole);
}

static struct node *write_to(struct graph *g, const struct node *to, struct node *x, const struct layout *l)
{
	struct node_site at = node_site_of(to);
	struct node *n = graph_moved(g, &at, x, to->place, l);
	n->name = to->name ? to->name : to->in[0]->name;
	return n;
}

static struct node *returned(struct graph *g, struct node *source, struct returning *x)
{
	if (x->has_via && !x->between)
		x->between = write_to(g, x->to, source, &x->via);
	return write_to(g, x->to, x->has_via ? x->between : source, &x->to->layout);
}

/* A `to` that goes is its source for who reads it, until that is come to. */
static struct node *write_return(struct graph *g, struct node *n, void *context, bool *changed)
{
	struct returns *r = context;
	struct returning *x = map_get(&r->by_to, n), **of = map_get(&r->by_reader, n);
	if (x)
		return x->pays ? n->in[0] : n;
	for (int i = 0; of && i < n->nin; i++) {
		if (!of[i] || !of[i]->pays)
			continue;
		n->in[i] = returned(g, n->in[i], of[i]);
		*changed = true;
	}
	return n;
}

bool returns_write(struct graph *g)
{
	struct arena *scratch = arena_new("layout: returns");
	struct returns r = {.scratch = scratch};
	int *reads = graph_count_reads(g, scratch);
	map_init(&r.by_to, scratch);
	map_init(&r.by_reader, scratch);
	for (int i = 0; i < g->nodes.n; i++)
		for (int k = 0; k < g->nodes.at[i]->nin; k++)
			note_reader(&r, g->nodes.at[i], k);
	r.costs = convert_costs_new(scratch, false);
	if (g->program && g->program->timing)
		convert_costs_by_time(r.costs, g->program->timing);
	bool any = false;
	for (int i = 0; i < g->nodes.n; i++) {
		struct returning *x = map_get(&r.by_to, g->nodes.at[i]);
		if (!x)
			continue;
		decide(&r, x, reads[i]);
		any |= x->pays;
	}
	bool changed = any && graph_rewrite(g, write_return, &r);
	arena_free(scratch);
	return changed;
}
