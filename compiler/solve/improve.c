/* improve.c — see improve.h. A neighbourhood grows from a variable along the edges, or along the fullest row of memory,
 * whose variables trade it among themselves; half of each sort. Its size follows what can just be searched through. */
#include "improve.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 30, LEAST_SIZE = 4 };

static int below(struct improver *m, int n)
{
	m->seed = m->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (int)((m->seed >> 33) % (uint64_t)n);
}

void improve_init(struct improver *m, struct search *s, struct arena *a)
{
	const struct core *c = s->root;
	*m = (struct improver){.search = s, .arena = a, .seed = 1, .size = 12};
	m->taken = ARENA_ARRAY(a, bool, c->nvars);
	m->used = ARENA_ARRAY(a, int64_t, c->nrows + 1);
	m->rank = ARENA_ARRAY(a, int, c->nvars);
}

/* ---- neighbourhoods ---- */

struct part {
	int n, most;
	int *vars;
};

static void take(struct improver *m, struct part *p, int var)
{
	if (m->taken[var] || p->n == p->most)
		return;
	m->taken[var] = true;
	p->vars[p->n++] = var;
}

/* Breadth first from what is there, neighbours in a random order. */
static void grow_by_edges(struct improver *m, struct part *p, int most)
{
	const struct core *c = m->search->root;
	for (int i = 0; i < p->n && p->n < most; i++) {
		const struct core_var *x = &c->var[p->vars[i]];
		int first = x->edges.n ? below(m, x->edges.n) : 0;
		for (int k = 0; k < x->edges.n && p->n < most; k++) {
			const struct core_edge *e = &c->edge[x->edges.at[(first + k) % x->edges.n]];
			take(m, p, e->a == p->vars[i] ? e->b : e->a);
		}
	}
}

static bool lives_in(const struct core_var *x, int row)
{
	for (int i = 0; i < x->items.n; i++)
		if (x->items.at[i].from <= row && row < x->items.at[i].to)
			return true;
	return false;
}

static int fullest_row(struct improver *m, int tries)
{
	const struct core *c = m->search->root;
	int best = below(m, c->nrows);
	while (--tries > 0) {
		int r = below(m, c->nrows);
		if (c->limit[r] - m->used[r] < c->limit[best] - m->used[best])
			best = r;
	}
	return best;
}

static void grow_by_row(struct improver *m, struct part *p, int most)
{
	const struct core *c = m->search->root;
	int row = fullest_row(m, 1 + below(m, 30)), n = 0;
	for (int v = 0; v < c->nvars; v++)
		if (lives_in(&c->var[v], row))
			m->rank[n++] = v;
	for (; n && p->n < most; n--) {
		int i = below(m, n);
		take(m, p, m->rank[i]);
		m->rank[i] = m->rank[n - 1];
	}
}

static int compare_ints(const void *x, const void *y)
{
	const int *a = x, *b = y;
	return (*a > *b) - (*a < *b);
}

static struct part choose_part(struct improver *m, struct arena *a)
{
	const struct core *c = m->search->root;
	int most = (int)m->size < c->nvars ? (int)m->size : c->nvars;
	struct part p = {.most = most, .vars = ARENA_ARRAY(a, int, most)};
	int kind = c->nrows ? below(m, 4) : 0;
	if (kind >= 2)
		grow_by_row(m, &p, kind == 3 ? most : (most + 3) / 4);
	else
		take(m, &p, below(m, c->nvars));
	grow_by_edges(m, &p, most);
	while (p.n < most && kind < 2) {
		take(m, &p, below(m, c->nvars));
		grow_by_edges(m, &p, most);
	}
	for (int i = 0; i < p.n; i++)
		m->taken[p.vars[i]] = false;
	qsort(p.vars, (size_t)p.n, sizeof *p.vars, compare_ints);
	return p;
}

/* ---- one step ---- */

static int64_t cost_of_part(const struct core *part, const struct part *p, const int *value, struct arena *a)
{
	int *own = ARENA_ARRAY(a, int, p->n);
	for (int i = 0; i < p->n; i++)
		own[i] = value[p->vars[i]];
	return core_cost(part, own);
}

static void take_values(struct improver *m, const struct part *p, const struct search *found, const struct core *part,
			struct arena *a)
{
	struct search *s = m->search;
	int *value = ARENA_ARRAY(a, int, p->n);
	core_choices(part, found->best, value);
	for (int i = 0; i < p->n; i++)
		s->best[p->vars[i]] = value[i];
	s->cost = core_cost(s->root, s->best);
	s->upper = s->cost - s->unit;
	core_memory(s->root, s->best, m->used);
}

/* Searches the part; whether it is better than before. */
static bool search_part(struct improver *m, const struct part *p, struct core *part, int64_t cost, struct arena *a)
{
	struct search *s = m->search, sub;
	search_init(&sub, part, a, (struct deadline){s->deadline.time, s->deadline.effort - s->effort});
	sub.unit = s->unit;
	sub.upper = cost - s->unit;
	search_root(&sub, INT64_MAX / 2);
	if (sub.stopped)
		search_run(&sub, INT64_MAX / 2, MOST_NODES);
	if (sub.found)
		take_values(m, p, &sub, part, a);
	m->size *= sub.stopped ? 0.9 : 1.02;
	m->size = m->size < LEAST_SIZE ? LEAST_SIZE : m->size;
	s->effort += sub.effort;
	search_end(&sub);
	return sub.found;
}

static bool improve_once(struct improver *m)
{
	struct search *s = m->search;
	struct arena *a = arena_new("solve: neighbourhood");
	struct part p = choose_part(m, a);
	struct core_history h = {.arena = a};
	struct core *part = core_part(s->root, &h, p.n, p.vars, s->best, m->used);
	int64_t cost = cost_of_part(part, &p, s->best, a);
	part = core_reduce(part, NULL);
	s->effort += part->spent + s->root->nrows + s->root->nvars;
	bool better = !part->infeasible && search_part(m, &p, part, cost, a);
	core_free(part);
	arena_free(a);
	return better;
}

bool improve_run(struct improver *m, int64_t effort)
{
	struct search *s = m->search;
	bool better = false;
	core_memory(s->root, s->best, m->used);
	for (int64_t most = s->effort + effort; s->effort < most && !search_is_late(s);)
		better |= improve_once(m);
	return better;
}
