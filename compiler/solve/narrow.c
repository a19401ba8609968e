/* narrow.c — what is narrow enough is settled by elimination (network.h): its least priced cost is known exactly, which
 * is the best bound that these prices give, and without rows of memory the answer. */
#include "level.h"
#include "network.h"

#include "base/map.h"

enum { MOST_VARIABLES = 2000, MOST_ENTRIES = 1 << 18, MAX_TABLE = 1 << 18, MAX_SUM = 1 << 22 };

static struct cost cost_of(int64_t x)
{
	return (struct cost){.bytes = core_forbids(x) ? 0 : x, .forbidden = core_forbids(x)};
}

static void make_network(struct network *n, const struct dual *d, struct arena *a)
{
	const struct core *c = d->core;
	struct map known; /* tables of costs by tables of the core */
	map_init(&known, a);
	network_init(n, a);
	for (int v = 0; v < c->nvars; v++) {
		int var = network_variable(n, c->var[v].n);
		struct cost *at = network_factor(n, 1, &var);
		for (int k = 0; k < c->var[v].n; k++)
			at[k] = cost_of(d->theta[v][k]);
	}
	for (int k = 0; k < c->nedges; k++) {
		const struct core_edge *e = &c->edge[k];
		int vars[] = {e->a, e->b};
		struct cost *at = map_get(&known, e->at);
		if (!at) {
			at = network_factor(n, 2, vars);
			for (int64_t i = network_size(n, 2, vars) - 1; i >= 0; i--)
				at[i] = cost_of(e->at[i]);
			map_set(&known, e->at, at);
		} else {
			network_factor_like(n, 2, vars, at);
		}
	}
}

static bool is_small(const struct core *c)
{
	return c->nvars <= MOST_VARIABLES && core_entries(c) <= MOST_ENTRIES;
}

bool core_is_narrow(const struct core *c)
{
	if (c->nrows || !is_small(c))
		return false;
	struct arena *a = arena_new("solve: width");
	struct network n;
	network_init(&n, a);
	for (int v = 0; v < c->nvars; v++)
		network_variable(&n, c->var[v].n);
	for (int k = 0; k < c->nedges; k++)
		network_factor_like(&n, 2, (int[]){c->edge[k].a, c->edge[k].b}, NULL);
	bool narrow = network_is_narrow(&n, MAX_TABLE, MAX_SUM);
	arena_free(a);
	return narrow;
}

void level_eliminate(struct search *s, struct level *l)
{
	const struct core *c = l->core;
	if (!is_small(c))
		return;
	struct arena *a = arena_new("solve: narrow");
	struct dual *d = dual_new(c, a);
	struct network n;
	make_network(&n, d, a);
	s->effort += 4 * core_effort(c);
	if (network_is_narrow(&n, MAX_TABLE, MAX_SUM)) {
		int *value = ARENA_ARRAY(a, int, c->nvars);
		bool exact;
		struct cost least = network_solve(&n, MAX_TABLE, value, &exact);
		int64_t bound = least.forbidden ? CORE_FORBIDDEN : d->base + least.bytes;
		l->bound = bound > l->bound ? bound : l->bound;
		if (!least.forbidden && dual_fits(d, value))
			level_offer(s, l, value);
		s->effort += MAX_SUM;
	}
	arena_free(a);
}
