/* invariant.c — which nodes of a region are the same in all turns of a loop (hoist.h). */
#include "hoist.h"

struct search {
	const struct program *p;
	const struct graph *g;
	const struct host_stmt *run;
	const struct changes *changes;
	bool *same; /* by node */
};

static bool is_listed(int n, const int *list, int x)
{
	for (int i = 0; i < n; i++)
		if (list[i] == x)
			return true;
	return false;
}

static bool is_same_number(const struct changes *c, const struct host_expr *x)
{
	switch (x->kind) {
	case HOST_CONST:
		return true;
	case HOST_VAR:
		return !is_listed(c->variables.n, c->variables.at, x->index);
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
	if (n->kind == NODE_DATA)
		return is_same_number(s->changes, s->run->args.at[n->data.argument]);
	if (n->kind == NODE_SLOT)
		return s->p->slots.at[n->slot]->slot_class == SLOT_VALUE &&
		       !is_listed(s->changes->slots.n, s->changes->slots.at, n->slot);
	if (n->batch || !stands_before(n, s->changes->of))
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
		if (n->batch || !stands_before(n, s->changes->of))
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

struct kept_nodes invariants_find(const struct program *p, struct graph *g, const struct host_stmt *run,
				  const struct changes *c)
{
	struct arena *a = arena_new("hoist");
	struct search s = {.p = p, .g = g, .run = run, .changes = c, .same = ARENA_ARRAY(a, bool, g->nodes.n)};
	find_same(&s);
	struct kept_nodes found = kept_find(g, s.same, true);
	arena_free(a);
	return found;
}
