/* chains.c — one movement where the program says two, one after the other: a sum finished on every rank and then sliced
 * is a reduce-scatter, a gather followed by a slice moves less or nothing, reductions along one axis and then another
 * are one. Such chains are written out, or arise where a function ends with a `to` and its caller goes on.
 *
 * The second movement takes the source of the first if that moves no more bytes: than both together where nothing else
 * reads the value in between, else than the second alone, since the first is made in any case. What goes along one axis
 * and then along others, as gathers do, stays so unless it moves less at once: the program says in which order levels
 * of its machine are crossed.
 * Example: y:P -> B -> S(0), B not used otherwise: y:P -> S(0), half the bytes. */
#include "passes.h"

#include "../layout/exchange.h"
#include "../layout/redist.h"

struct chains {
	struct map uses; /* node -> how often it is read */
};

static intptr_t uses_of(const struct chains *c, const struct node *n)
{
	return (intptr_t)map_get(&c->uses, n);
}

static void add_uses(struct chains *c, const struct node *n, int more)
{
	map_set(&c->uses, n, (void *)(uintptr_t)(uses_of(c, n) + more));
}

static bool is_move(const struct node *n)
{
	return n->kind == NODE_TO && n->place && n->in[0]->place;
}

static bool moves_nothing(const struct node *n)
{
	return n->place == n->in[0]->place && layout_equal(n->place, &n->layout, &n->in[0]->layout);
}

static int64_t bytes_between(const struct node *from, const struct node *to)
{
	return redist_bytes(to->dtype, &to->shape, from->place, &from->layout, to->place, &to->layout);
}

/* Whether two movements, one after the other, go along different axes of one mesh. */
static bool are_levels(const struct node *from, const struct node *between, const struct node *n)
{
	bool any = false, more = false;
	if (!place_same_mesh(from->place, between->place) || !place_same_mesh(between->place, n->place))
		return false;
	for (int a = 0; a < n->place->naxes; a++) {
		bool first = !atom_equal(from->layout.atom[a], between->layout.atom[a]);
		bool second = !atom_equal(between->layout.atom[a], n->layout.atom[a]);
		if (first && second)
			return false;
		any = any || first;
		more = more || second;
	}
	return any && more;
}

/* n is in[0] moved further, and in[0] is itself moved. */
static bool is_better_without(const struct chains *c, const struct node *n)
{
	const struct node *between = n->in[0], *from = between->in[0];
	int64_t both = bytes_between(between, n);
	if (!layout_can_become(from->place, &from->layout, n->place, &n->layout))
		return false;
	if (from->place == n->place && layout_equal(n->place, &from->layout, &n->layout))
		return true;
	if (uses_of(c, between) == 1)
		both = count_add(both, bytes_between(from, between));
	else if (both == 0)
		return false;
	int64_t at_once = bytes_between(from, n);
	return at_once < both || (at_once == both && !are_levels(from, between, n));
}

static struct node *shorten(struct graph *g, struct node *n, void *context, bool *changed)
{
	(void)g;
	struct chains *c = context;
	while (is_move(n) && is_move(n->in[0]) && is_better_without(c, n)) {
		struct node *between = n->in[0];
		n->in[0] = between->in[0];
		add_uses(c, between, -1);
		add_uses(c, n->in[0], 1);
		if (uses_of(c, between) == 0)
			add_uses(c, between->in[0], -1);
		if (!n->name)
			n->name = between->name;
		*changed = true;
	}
	if (!is_move(n) || !moves_nothing(n))
		return n;
	add_uses(c, n->in[0], (int)uses_of(c, n) - 1);
	return n->in[0];
}

/* Whether there is anything to begin with. */
static bool has_chain(const struct graph *g)
{
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		if (is_move(n) && (is_move(n->in[0]) || moves_nothing(n)))
			return true;
	}
	return false;
}

bool pass_chains(struct session *s, struct graph *g)
{
	struct chains c;
	(void)s;
	if (!has_chain(g))
		return false;
	struct arena *scratch = arena_new("chains");
	map_init(&c.uses, scratch);
	const int *reads = graph_count_reads(g, scratch);
	for (int i = 0; i < g->nodes.n; i++)
		add_uses(&c, g->nodes.at[i], reads[i]);
	bool changed = graph_rewrite(g, shorten, &c);
	arena_free(scratch);
	if (changed)
		graph_compact(g);
	return changed;
}
