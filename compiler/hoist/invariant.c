/* invariant.c — which nodes of a region are worth keeping from turn to turn (hoist.h). */
#include "hoist.h"

/* A value that takes less work per byte than this is computed again as fast as it is read. */
enum { FLOPS_PER_BYTE = 4 };
/* What is quickly made of kept values is kept in their place if it is no more than so many times as large: products
 * need their factors in memory. */
enum { TIMES_AS_LARGE = 4 };

struct search {
	const struct program *p;
	const struct graph *g;
	const struct host_stmt *run;
	const struct changes *changes;
	struct arena *arena;
	bool *same; /* by node: the same in all turns; */
	struct invariants
		*keeps; /* of these: what is kept for those who read it: it, or some of what it is computed from */
	bool *is_kept;
};

static bool is_same_number(const struct changes *c, const struct host_expr *x)
{
	switch (x->kind) {
	case HOST_CONST:
		return true;
	case HOST_VAR:
		return !c->variables[x->index];
	case HOST_APPLY:
	case HOST_SELECT:
		for (int i = 0; i < x->nargs; i++)
			if (!is_same_number(c, x->arg[i]))
				return false;
		return true;
	case HOST_CALL:
	case HOST_SLOT:
	case HOST_NUMBER:
		return false;
	}
	return false;
}

static bool stands_before(const struct node *n, const struct host_stmt *loop)
{
	struct span at = node_said_at(n);
	return at.file == loop->span.file && at.begin < loop->span.begin;
}

/* All but loops, whose nodes are looked at together. */
static bool is_same_node(const struct search *s, const struct node *n)
{
	if (n->kind == NODE_CONST)
		return true;
	if (n->kind == NODE_HOST)
		return is_same_number(s->changes, s->run->args.at[n->argument]);
	if (n->kind == NODE_SLOT)
		return s->p->slots.at[n->slot]->slot_class == SLOT_VALUE && !s->changes->slots[n->slot];
	if (n->kind == NODE_DATA || n->batch || !stands_before(n, s->changes->loop))
		return false;
	for (int i = 0; i < n->nin; i++)
		if (!s->same[n->in[i]->id])
			return false;
	return true;
}

static bool is_inside(int begin, int end, const struct node *n)
{
	return n->id >= begin && n->id < end;
}

/* Whether the nodes from `begin` to `end`, a whole loop, read nothing else that changes. */
static bool is_same_loop(const struct search *s, int begin, int end)
{
	for (int i = begin; i < end; i++) {
		const struct node *n = s->g->nodes.at[i];
		if (n->kind == NODE_DATA || n->batch || !stands_before(n, s->changes->loop))
			return false;
		for (int k = 0; k < n->nin; k++)
			if (!is_inside(begin, end, n->in[k]) && !s->same[n->in[k]->id])
				return false;
		for (int k = 0; n->of && loop_asked(n->of, k); k++) {
			const struct node *x = *loop_asked(n->of, k);
			if (!is_inside(begin, end, x) && !s->same[x->id])
				return false;
		}
	}
	return true;
}

static void find_same(struct search *s)
{
	const struct graph *g = s->g;
	for (int i = 0; i < g->nodes.n;) {
		int end = graph_whole_end(g, i);
		bool is_loop = node_whole_loop(g->nodes.at[i]) != NULL;
		bool same = is_loop ? is_same_loop(s, i, end) : is_same_node(s, g->nodes.at[i]);
		for (; i < end; i++)
			s->same[i] = same;
	}
}

static int64_t bytes_of(const struct node *n)
{
	return shape_volume(&n->shape) * dtype_size(n->dtype);
}

/* A loop's result takes its turns; of a transfer or a check somebody waits. */
static bool is_heavy(const struct node *n)
{
	if (node_is_exit(n))
		return true;
	return n->kind == NODE_MAP && rule_flops(n->rule) / FLOPS_PER_BYTE >= bytes_of(n);
}

static bool can_be_kept(const struct node *n)
{
	return n->place && !n->loop && n->kind != NODE_CONST && n->kind != NODE_HOST && n->kind != NODE_SLOT &&
	       bytes_of(n) > 0 && !layout_has_partial(n->place, &n->layout) && !layout_has_window(n->place, &n->layout);
}

static void add(struct search *s, struct invariants *to, struct node *n)
{
	for (int i = 0; i < to->nodes.n; i++)
		if (to->nodes.at[i] == n)
			return;
	vec_push(s->arena, &to->nodes, n);
}

/* Its inputs are looked at. */
static void decide(struct search *s, struct node *n)
{
	struct invariants *keeps = &s->keeps[n->id];
	int64_t bytes = 0;
	for (int i = 0; i < n->nin; i++)
		for (int k = 0; k < s->keeps[n->in[i]->id].nodes.n; k++)
			add(s, keeps, s->keeps[n->in[i]->id].nodes.at[k]);
	for (int k = 0; k < keeps->nodes.n; k++)
		bytes += bytes_of(keeps->nodes.at[k]);
	if (can_be_kept(n) && (is_heavy(n) || (bytes && bytes_of(n) / TIMES_AS_LARGE <= bytes))) {
		keeps->nodes.n = 0;
		add(s, keeps, n);
	}
}

/* n is read by what changes. */
static void keep_for(struct search *s, const struct node *n)
{
	for (int k = 0; k < s->keeps[n->id].nodes.n; k++)
		s->is_kept[s->keeps[n->id].nodes.at[k]->id] = true;
}

static void find_kept(struct search *s)
{
	const struct graph *g = s->g;
	for (int i = 0; i < g->nodes.n; i++)
		if (s->same[i] && g->nodes.at[i]->loop == NULL)
			decide(s, g->nodes.at[i]);
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		for (int k = 0; k < n->nin && !s->same[i]; k++)
			keep_for(s, n->in[k]);
		for (int k = 0; n->of && !s->same[i] && loop_asked(n->of, k); k++)
			keep_for(s, *loop_asked(n->of, k));
	}
	for (int i = 0; i < g->outputs.n; i++)
		keep_for(s, g->outputs.at[i].node);
}

struct invariants invariants_find(const struct program *p, const struct graph *g, const struct host_stmt *run,
				  const struct changes *c)
{
	struct invariants found = {0};
	int n = g->nodes.n;
	struct arena *a = arena_new("hoist");
	struct search s = {.p = p, .g = g, .run = run, .changes = c, .arena = a};
	s.same = ARENA_ARRAY(a, bool, n);
	s.keeps = ARENA_ARRAY(a, struct invariants, n);
	s.is_kept = ARENA_ARRAY(a, bool, n);
	find_same(&s);
	find_kept(&s);
	for (int i = 0; i < n; i++)
		if (s.is_kept[i])
			vec_push(g->arena, &found.nodes, g->nodes.at[i]);
	arena_free(a);
	return found;
}
