/* merge.c — one round of making a core smaller. Variables that determine each other, value by value (a tensor and what
 * is computed from it element by element), are one variable: most of a model's graph. Edges between the same two add
 * up, edges within one are costs of its values, and what is left with one value is folded into its neighbours. */
#include "core.h"

#include "base/map.h"
#include "base/session.h"

#include <string.h>

struct merger {
	const struct core *old;
	struct core *core;
	struct arena *scratch;
	bool **alive;
	const bool *gone;
	int *root;              /* by old variable */
	int **at;               /* by old variable: for each living value of the root, in order, its own */
	int *n;                 /* by old variable: living values */
	int *new_var;           /* by root; -1: of one value */
	struct map pairs, kept; /* edges by their variables; tables by hash */
	VEC(struct core_edge) edges;
	VEC(int64_t *) tables;
	int64_t *taken; /* memory of what has one value, as changes from row to row */
};

/* ---- groups ---- */

/* Living values of the other side by those of this one: each exactly one. False if there is another relation. */
static bool find_partners(const struct merger *m, const struct core_edge *e, int *to)
{
	int na = m->old->var[e->a].n, nb = m->old->var[e->b].n;
	bool *taken = ARENA_ARRAY(m->scratch, bool, nb);
	for (int i = 0; i < na; i++) {
		to[i] = -1;
		for (int j = 0; m->alive[e->a][i] && j < nb; j++) {
			if (!m->alive[e->b][j] || core_forbids(core_entry(m->old, e, i, j)))
				continue;
			if (to[i] >= 0 || taken[j])
				return false;
			to[i] = j;
			taken[j] = true;
		}
		if (m->alive[e->a][i] && to[i] < 0)
			return false;
	}
	return true;
}

/* A tree over the variables that determine each other: the partners along each of its edges, both ways. */
struct link {
	int to;
	const int *partner; /* by old value */
};
struct links {
	VEC(struct link) list;
};

static int find_root(int *root, int v)
{
	while (root[v] != v)
		v = root[v] = root[root[v]];
	return v;
}

static void link_pair(struct merger *m, struct links *links, const struct core_edge *e, const int *partner)
{
	int na = m->old->var[e->a].n, nb = m->old->var[e->b].n;
	int *back = ARENA_ARRAY(m->scratch, int, nb);
	for (int i = 0; i < na; i++)
		if (partner[i] >= 0)
			back[partner[i]] = i;
	struct link forth = {e->b, partner}, home = {e->a, back};
	vec_push(m->scratch, &links[e->a].list, forth);
	vec_push(m->scratch, &links[e->b].list, home);
}

/* Walks from the root over its group and notes which values go together. */
static void note_group(struct merger *m, const struct links *links, int root)
{
	VEC(int) queue = {0};
	m->at[root] = ARENA_ARRAY(m->scratch, int, m->n[root]);
	for (int i = 0, k = 0; i < m->old->var[root].n; i++)
		if (m->alive[root][i])
			m->at[root][k++] = i;
	vec_push(m->scratch, &queue, root);
	for (int q = 0; q < queue.n; q++) {
		int v = queue.at[q];
		m->root[v] = root;
		for (int l = 0; l < links[v].list.n; l++) {
			const struct link *x = &links[v].list.at[l];
			if (m->at[x->to])
				continue;
			m->at[x->to] = ARENA_ARRAY(m->scratch, int, m->n[root]);
			for (int k = 0; k < m->n[root]; k++)
				m->at[x->to][k] = x->partner[m->at[v][k]];
			vec_push(m->scratch, &queue, x->to);
		}
	}
}

static void find_groups(struct merger *m)
{
	const struct core *old = m->old;
	struct links *links = ARENA_ARRAY(m->scratch, struct links, old->nvars);
	int *root = ARENA_ARRAY(m->scratch, int, old->nvars);
	for (int v = 0; v < old->nvars; v++) {
		root[v] = v;
		for (int i = 0; i < old->var[v].n; i++)
			m->n[v] += m->alive[v][i];
	}
	for (int k = 0; k < old->nedges; k++) {
		const struct core_edge *e = &old->edge[k];
		int a = find_root(root, e->a), b = find_root(root, e->b);
		if (a == b || m->gone[e->a] || m->gone[e->b] || m->n[e->a] != m->n[e->b])
			continue;
		int *partner = ARENA_ARRAY(m->scratch, int, old->var[e->a].n);
		if (!find_partners(m, e, partner))
			continue;
		link_pair(m, links, e, partner);
		root[a > b ? a : b] = a > b ? b : a;
	}
	for (int v = 0; v < old->nvars; v++)
		if (!m->at[v] && !m->gone[v])
			note_group(m, links, v);
}

/* ---- variables ---- */

/* The values of a variable of the group follow from those of its root. */
static void tell(struct merger *m, int v)
{
	const struct core_var *x = &m->old->var[v], *r = &m->old->var[m->root[v]];
	int *choice = core_determine(m->core, x->node, 1, &r->node);
	for (int k = 0; k < m->n[v]; k++)
		choice[r->label[m->at[m->root[v]][k]]] = x->label[m->at[v][k]];
}

static void tell_single(struct merger *m, int root)
{
	const struct core_var *x = &m->old->var[root];
	*core_determine(m->core, x->node, 0, NULL) = x->label[m->at[root][0]];
}

static void add_variable(struct merger *m, int root)
{
	struct core *c = m->core;
	const struct core_var *x = &m->old->var[root];
	struct core_var *v = &c->var[c->nvars];
	*v = (struct core_var){.n = m->n[root], .node = x->node};
	v->cost = ARENA_ARRAY(c->arena, int64_t, v->n);
	v->label = ARENA_ARRAY(c->arena, int, v->n);
	for (int k = 0; k < v->n; k++)
		v->label[k] = x->label[m->at[root][k]];
	m->new_var[root] = c->nvars++;
}

/* Cost and memory of an old variable go to its group. */
static void add_member(struct merger *m, int v)
{
	struct core *c = m->core;
	const struct core_var *x = &m->old->var[v];
	int to = m->new_var[m->root[v]];
	if (to < 0)
		c->constant += x->cost[m->at[v][0]];
	for (int k = 0; to >= 0 && k < m->n[v]; k++)
		c->var[to].cost[k] = core_add(c->var[to].cost[k], x->cost[m->at[v][k]]);
	for (int i = 0; i < x->items.n; i++) {
		const struct core_item *it = &x->items.at[i];
		if (to < 0) {
			m->taken[it->from] += it->usage[m->at[v][0]];
			m->taken[it->to] -= it->usage[m->at[v][0]];
			continue;
		}
		struct core_item item = {it->from, it->to, ARENA_ARRAY(c->arena, int64_t, m->n[v])};
		for (int k = 0; k < m->n[v]; k++)
			item.usage[k] = it->usage[m->at[v][k]];
		vec_push(c->arena, &c->var[to].items, item);
	}
}

/* What the others of a group follow from is told after them: steps are taken back from the last one. */
static void make_variables(struct merger *m)
{
	struct core *c = m->core;
	int n = m->old->nvars;
	c->var = ARENA_ARRAY(c->arena, struct core_var, n);
	for (int v = 0; v < n; v++)
		if (!m->gone[v] && m->root[v] == v) {
			m->new_var[v] = -1;
			if (m->n[v] > 1)
				add_variable(m, v);
		}
	for (int v = 0; v < n; v++)
		if (!m->gone[v]) {
			add_member(m, v);
			if (m->root[v] != v)
				tell(m, v);
		}
	for (int v = 0; v < n; v++)
		if (!m->gone[v] && m->root[v] == v && m->n[v] == 1)
			tell_single(m, v);
	int64_t now = 0;
	for (int r = 0; r < c->nrows; r++) {
		now += m->taken[r];
		c->limit[r] -= now;
		c->infeasible |= c->limit[r] < 0;
	}
}

/* ---- edges ---- */

static int64_t *table_between(struct merger *m, int a, int b)
{
	uint64_t key = (uint64_t)a << 32 | (uint64_t)b;
	int64_t *at = map_get_u64(&m->pairs, key);
	if (at)
		return at;
	struct core_edge e = {a, b, NULL};
	at = ARENA_ARRAY(m->scratch, int64_t, (int64_t)m->core->var[a].n * m->core->var[b].n);
	map_set_u64(&m->pairs, key, at);
	vec_push(m->scratch, &m->edges, e);
	vec_push(m->scratch, &m->tables, at);
	return at;
}

static void add_to(int64_t *at, int64_t x)
{
	*at = core_add(*at, x);
}

static void move_edge(struct merger *m, const struct core_edge *e)
{
	const struct core *old = m->old;
	int ra = m->root[e->a], rb = m->root[e->b], a = m->new_var[ra], b = m->new_var[rb];
	const int *x = m->at[e->a], *y = m->at[e->b];
	int64_t single = 0, *cost;
	if (a >= 0 && a == b) {
		for (int k = 0; k < m->n[ra]; k++)
			add_to(&m->core->var[a].cost[k], core_entry(old, e, x[k], y[k]));
	} else if (a >= 0 && b >= 0) {
		int nb = m->n[rb];
		cost = table_between(m, a < b ? a : b, a < b ? b : a);
		for (int i = 0; i < m->n[ra]; i++)
			for (int j = 0; j < nb; j++)
				add_to(&cost[a < b ? (int64_t)i * nb + j : (int64_t)j * m->n[ra] + i],
				       core_entry(old, e, x[i], y[j]));
	} else if (a >= 0 || b >= 0) {
		cost = m->core->var[a >= 0 ? a : b].cost;
		for (int k = 0; k < m->n[a >= 0 ? ra : rb]; k++)
			add_to(&cost[k], core_entry(old, e, x[a >= 0 ? k : 0], y[b >= 0 ? k : 0]));
	} else {
		single = core_entry(old, e, x[0], y[0]);
		m->core->infeasible |= core_forbids(single);
		m->core->constant += core_forbids(single) ? 0 : single;
	}
}

/* A table that is a sum of costs of either side: to be folded into these. */
static bool is_separable(const int64_t *at, int na, int nb)
{
	for (int64_t k = 0; k < (int64_t)na * nb; k++) {
		int64_t i = k / nb, j = k % nb;
		if (core_forbids(at[k]) || at[k] - at[i * nb] != at[j] - at[0])
			return false;
	}
	return true;
}

/* Tables that are equal are kept once: models repeat them, and passes over them then stay in the caches. */
struct kept {
	const int64_t *at;
	size_t bytes;
	struct kept *next; /* of the same hash */
};

static const int64_t *keep_table(struct merger *m, const int64_t *at, int64_t n)
{
	uint64_t hash = HASH_SEED;
	size_t bytes = (size_t)n * sizeof *at;
	for (int64_t i = 0; i < n; i++)
		hash = hash_number(hash, (uint64_t)at[i]);
	struct kept *first = map_get_u64(&m->kept, hash);
	for (struct kept *k = first; k; k = k->next)
		if (k->bytes == bytes && !memcmp(k->at, at, bytes))
			return k->at;
	int64_t *copy = ARENA_ARRAY(m->core->arena, int64_t, n);
	memcpy(copy, at, bytes);
	struct kept *k = ARENA_NEW(m->scratch, struct kept);
	*k = (struct kept){copy, bytes, first};
	map_set_u64(&m->kept, hash, k);
	return copy;
}

static void keep_edges(struct merger *m)
{
	struct core *c = m->core;
	c->edge = ARENA_ARRAY(c->arena, struct core_edge, m->edges.n);
	for (int k = 0; k < m->edges.n; k++) {
		struct core_edge e = m->edges.at[k];
		struct core_var *a = &c->var[e.a], *b = &c->var[e.b];
		const int64_t *at = m->tables.at[k];
		if (is_separable(at, a->n, b->n)) {
			for (int i = 0; i < a->n; i++)
				add_to(&a->cost[i], at[(int64_t)i * b->n]);
			for (int j = 0; j < b->n; j++)
				add_to(&b->cost[j], at[j] - at[0]);
			continue;
		}
		e.at = keep_table(m, at, (int64_t)a->n * b->n);
		c->edge[c->nedges++] = e;
	}
}

struct core *core_merge(const struct core *c, bool **alive, const bool *gone)
{
	struct merger m = {
		.old = c, .core = core_next(c), .scratch = arena_new("solve: merge"), .alive = alive, .gone = gone};
	m.root = ARENA_ARRAY(m.scratch, int, c->nvars);
	m.at = ARENA_ARRAY(m.scratch, int *, c->nvars);
	m.n = ARENA_ARRAY(m.scratch, int, c->nvars);
	m.new_var = ARENA_ARRAY(m.scratch, int, c->nvars);
	m.taken = ARENA_ARRAY(m.scratch, int64_t, c->nrows + 1);
	map_init(&m.pairs, m.scratch);
	map_init(&m.kept, m.scratch);
	find_groups(&m);
	make_variables(&m);
	for (int k = 0; k < c->nedges; k++)
		if (!gone[c->edge[k].a] && !gone[c->edge[k].b])
			move_edge(&m, &c->edge[k]);
	keep_edges(&m);
	core_connect(m.core);
	arena_free(m.scratch);
	return m.core;
}
