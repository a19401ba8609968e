/* cse.c — equal nodes with equal inputs on the same placement are one node. Everything in a graph is a function of its
 * inputs, random draws included, so equal means equal values; contracts that ask the same of the same value, too, or a
 * function called twice would be computed twice (their messages are given before, on the graph as it was elaborated).
 * Kept apart are values to be recomputed, layouts handed over to the search, and a source node that equals an earlier
 * backward one: its layout is inferred forward, the other's is not. */
#include "simplify.h"

#include "../../compiler/program.h"

#include <string.h>

struct bucket {
	struct bucket *next;
	struct node *node;
};

static uint64_t hash_int(uint64_t h, int64_t v)
{
	return hash_number(h, (uint64_t)v);
}

static uint64_t hash_node(const struct node *n)
{
	uint64_t h = hash_int(HASH_SEED, n->kind);
	h = hash_int(h, n->dtype);
	h = hash_int(h, n->place ? n->place->id : -1);
	for (int d = 0; d < n->shape.rank; d++)
		h = hash_int(h, n->shape.dim[d]);
	for (int i = 0; i < n->nin; i++)
		h = hash_int(h, n->in[i]->id);
	switch (n->kind) {
	case NODE_MAP:
		return hash_number(h, rule_hash(n->rule));
	case NODE_CONST:
		return hash_int(h, n->number.i);
	case NODE_SLOT:
		return hash_int(h, n->slot);
	case NODE_DATA:
		return hash_int(hash_int(h, n->data.argument), n->data.field);
	case NODE_HOST:
		return hash_int(h, n->argument);
	case NODE_CHECK:
		return hash_int(hash_int(h, n->check.extent), n->check.asked);
	case NODE_LINE:
		h = hash_int(hash_int(hash_int(h, n->line.first), n->line.step), n->line.back);
		return hash_int(h, n->of->id);
	case NODE_TURN:
	case NODE_CARRY:
	case NODE_END:
	case NODE_STACK:
		return hash_int(h, n->of->id);
	case NODE_RESHAPE:
	case NODE_TO:
	case NODE_CONTRACT:
	case NODE_STOP:
	case NODE_REMAT:
	case NODE_KINDS:
		break;
	}
	return h;
}

static bool same_target(const struct node *a, const struct node *b)
{
	const struct layout_spec *l = &a->target->layout, *m = &b->target->layout;
	if (a->target->place != b->target->place || l->form != m->form)
		return false;
	switch (l->form) {
	case LAYOUT_INFER:
	case LAYOUT_FINISH:
		return true;
	case LAYOUT_GIVEN:
		return a->place && layout_equal(a->place, &l->layout, &m->layout);
	case LAYOUT_VAR:
		return l->var == m->var;
	}
	return false;
}

static bool same_attributes(const struct node *a, const struct node *b)
{
	switch (a->kind) {
	case NODE_SLOT:
		return a->slot == b->slot;
	case NODE_DATA:
		return a->data.argument == b->data.argument && a->data.field == b->data.field;
	case NODE_HOST:
		return a->argument == b->argument;
	case NODE_CONST:
		return a->number.i == b->number.i;
	case NODE_MAP:
		return rule_equal(a->rule, b->rule);
	case NODE_CHECK: /* of two places that would fail, the first is told */
		return a->check.extent == b->check.extent && a->check.asked == b->check.asked;
	case NODE_RESHAPE:
	case NODE_STOP:
		return true;
	case NODE_TO:
	case NODE_CONTRACT:
		return same_target(a, b);
	case NODE_LINE:
		return a->of == b->of && a->line.first == b->line.first && a->line.step == b->line.step &&
		       a->line.back == b->line.back;
	case NODE_STACK:
		return a->of == b->of && a->line.back == b->line.back;
	case NODE_TURN:
	case NODE_END:
		return a->of == b->of;
	case NODE_CARRY: /* they may become different */
	case NODE_REMAT:
	case NODE_KINDS:
		break;
	}
	return false;
}

static bool same(const struct node *a, const struct node *b)
{
	if (a->kind != b->kind || a->dtype != b->dtype || !shape_equal(&a->shape, &b->shape) || a->place != b->place ||
	    a->nin != b->nin)
		return false;
	for (int i = 0; i < a->nin; i++)
		if (a->in[i] != b->in[i])
			return false;
	return same_attributes(a, b);
}

static bool may_stand_for(const struct node *earlier, const struct node *n)
{
	return earlier->origin == ORIGIN_SOURCE || n->origin == ORIGIN_BACKWARD;
}

static struct node *merge(struct graph *g, struct node *n, void *context, bool *changed)
{
	(void)g, (void)changed;
	struct map *seen = context;
	if (n->kind == NODE_REMAT)
		return n;
	uint64_t h = hash_node(n);
	struct bucket *first = map_get_u64(seen, h);
	for (struct bucket *b = first; b; b = b->next)
		if (same(b->node, n) && may_stand_for(b->node, n)) {
			if (!b->node->name)
				b->node->name = n->name;
			return b->node;
		}
	struct bucket *fresh = ARENA_NEW(seen->arena, struct bucket);
	*fresh = (struct bucket){.next = first, .node = n};
	map_set_u64(seen, h, fresh);
	return n;
}

bool pass_cse(struct session *s, struct graph *g)
{
	(void)s;
	struct map seen;
	struct arena *scratch = arena_new("cse");
	map_init(&seen, scratch);
	bool changed = graph_rewrite(g, merge, &seen);
	arena_free(scratch);
	return changed;
}
