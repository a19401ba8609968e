/* cse.c — equal nodes with equal inputs on the same placement are one node. Everything in a graph is a function of its
 * inputs, random draws included, so equal means equal values; contracts that ask the same of the same value, too, or a
 * function called twice would be computed twice (their messages are given before, on the graph as it was elaborated).
 * Kept apart are values to be recomputed, layouts handed over to the search, and a source node that equals an earlier
 * backward one: its layout is inferred forward, the other's is not. So is a backward node that equals a source one
 * which is only moved, as a roll is before its `to`: that may be in parts, or read around shards, and wants the `to`.
 */
#include "simplify.h"

#include "../../compiler/program.h"
#include "base/memo.h"

struct bucket {
	struct bucket *next;
	struct node *node;
	bool is_moved;
};

struct seen {
	struct memo nodes;
	const bool *moved; /* by node, as it was numbered: a source node that nothing but a `to` reads */
};

static const bool *find_moved(struct arena *a, const struct graph *g)
{
	bool *moved = ARENA_ARRAY(a, bool, g->nodes.n), *stays = ARENA_ARRAY(a, bool, g->nodes.n);
	for (int i = 0; i < g->outputs.n; i++)
		stays[g->outputs.at[i].node->id] = true;
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		for (int k = 0; k < n->nin; k++)
			*(n->kind == NODE_TO ? &moved[n->in[k]->id] : &stays[n->in[k]->id]) = true;
	}
	for (int i = 0; i < g->nodes.n; i++)
		moved[i] &= !stays[i] && g->nodes.at[i]->origin == ORIGIN_SOURCE && g->nodes.at[i]->kind == NODE_MAP;
	return moved;
}

static void add_target(struct memo *m, const struct node *n)
{
	const struct layout_spec *l = &n->target->layout;
	memo_add_pointer(m, n->target->place);
	memo_add(m, l->form);
	if (l->form == LAYOUT_GIVEN)
		layout_add_key(m, n->place, &l->layout);
	else if (l->form == LAYOUT_VAR)
		memo_add(m, (uint64_t)l->var);
}

/* What is carried may become different, what is computed again is to stay apart, and what a layout says of data that are
 * nowhere yet is not known. */
static bool may_be_merged(const struct node *n)
{
	bool is_told = n->kind == NODE_TO || n->kind == NODE_CONTRACT;
	return n->kind != NODE_CARRY && n->kind != NODE_REMAT &&
	       !(is_told && !n->place && n->target->layout.form == LAYOUT_GIVEN);
}

static void add_key(struct memo *m, const struct node *n)
{
	node_add_key(m, n);
	memo_add_pointer(m, n->place);
	memo_add_pointer(m, n->of);
	for (int i = 0; i < n->nin; i++)
		memo_add_pointer(m, n->in[i]);
	if (n->kind == NODE_TO || n->kind == NODE_CONTRACT)
		add_target(m, n);
}

static bool may_stand_for(const struct bucket *earlier, const struct node *n)
{
	return n->origin == ORIGIN_BACKWARD ? !earlier->is_moved : earlier->node->origin == ORIGIN_SOURCE;
}

static struct node *merge(struct graph *g, struct node *n, void *context, bool *changed)
{
	(void)g, (void)changed;
	struct seen *seen = context;
	if (!may_be_merged(n))
		return n;
	memo_begin(&seen->nodes);
	add_key(&seen->nodes, n);
	struct bucket **first = (struct bucket **)memo_find(&seen->nodes);
	for (struct bucket *b = *first; b; b = b->next)
		if (may_stand_for(b, n)) {
			if (!b->node->name)
				b->node->name = n->name;
			return b->node;
		}
	struct bucket *fresh = ARENA_NEW(seen->nodes.by_hash.arena, struct bucket);
	*fresh = (struct bucket){.next = *first, .node = n, .is_moved = seen->moved[n->id]};
	*first = fresh;
	return n;
}

bool pass_cse(struct session *s, struct graph *g)
{
	(void)s;
	struct arena *scratch = arena_new("cse");
	struct seen seen = {.moved = find_moved(scratch, g)};
	memo_init(&seen.nodes, scratch);
	bool changed = graph_rewrite(g, merge, &seen);
	arena_free(scratch);
	return changed;
}
