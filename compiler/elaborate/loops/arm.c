/* arm.c — what an arm of a branch reads from outside is carried into it, so that all of the arm stands in its loop and
 * nothing of it is computed where the arm is not taken.
 *
 * This is done when the arm has been walked, on its nodes: whoever made them, they read what they read. What is made of
 * constants alone stays outside, and so does what a loop around the branch reads line by line. */
#include "loops.h"

struct arm {
	struct loop *loop;
	int from;        /* its first node */
	struct map into; /* node from outside -> its CARRY */
	VEC(struct node *) carries;
	bool *stays; /* by node from `from` on: it is an entry of a loop around, or made for one or for what is carried
			in, or how a param is read in all of the derivative */
};

static bool is_entry_around(const struct arm *a, const struct node *n)
{
	return node_is_entry(n) && !loop_is_in(n->of, a->loop);
}

static void find_stays(struct elab *e, struct arm *a, const struct graph *g)
{
	a->stays = ARENA_ARRAY(e->a, bool, g->nodes.n - a->from + 1);
	for (int i = g->nodes.n - 1; i >= a->from; i--) {
		const struct node *n = g->nodes.at[i];
		bool begins = node_is_entry(n) && n->of == a->loop;
		a->stays[i - a->from] |= is_entry_around(a, n) || region_is_read(e, n);
		for (int k = 0; k < n->nin && (a->stays[i - a->from] || begins); k++)
			if (n->in[k]->id >= a->from)
				a->stays[n->in[k]->id - a->from] = true;
	}
}

/* Known without the running program, so that nothing is lost where it is computed in vain. */
static bool is_constant(const struct arm *a, const struct node *n)
{
	bool is_leaf = n->kind == NODE_SLOT || n->kind == NODE_DATA || n->kind == NODE_HOST || node_is_entry(n);
	return n->kind == NODE_CONST || (n->id >= a->from && !is_leaf && !a->stays[n->id - a->from]);
}

static struct node *carried_in(struct elab *e, struct arm *a, struct node *x)
{
	struct node *carry = map_get(&a->into, x);
	if (!carry) {
		struct node_site site = node_site_of(x);
		carry = graph_carry(region_graph(e), &site, a->loop, x);
		map_set(&a->into, x, carry);
		vec_push(e->a, &a->carries, carry);
	}
	return carry;
}

/* Nodes in order again: what stayed outside, what is carried in, the arm. */
static void sort(struct elab *e, const struct arm *a, int end)
{
	struct graph *g = region_graph(e);
	struct node **nodes = ARENA_ARRAY(e->a, struct node *, g->nodes.n);
	int n = 0;
	for (int i = a->from; i < end; i++)
		if (!loop_is_in(g->nodes.at[i]->loop, a->loop))
			nodes[n++] = g->nodes.at[i];
	for (int i = end; i < g->nodes.n; i++)
		nodes[n++] = g->nodes.at[i];
	for (int i = a->from; i < end; i++)
		if (loop_is_in(g->nodes.at[i]->loop, a->loop))
			nodes[n++] = g->nodes.at[i];
	for (int i = 0; i < n; i++) {
		g->nodes.at[a->from + i] = nodes[i];
		nodes[i]->id = a->from + i;
	}
}

struct arm *arm_close(struct elab *e, struct loop *l, int from)
{
	struct graph *g = region_graph(e);
	struct arm *a = ARENA_NEW(e->a, struct arm);
	int end = g->nodes.n;
	*a = (struct arm){.loop = l, .from = from};
	map_init(&a->into, e->a);
	find_stays(e, a, g);
	for (int i = from; i < end; i++) {
		struct node *n = g->nodes.at[i];
		if (a->stays[i - from] || (n->kind == NODE_CARRY && n->of == l))
			continue;
		for (int k = 0; k < n->nin; k++)
			if (!loop_is_in(n->in[k]->loop, l) && !is_constant(a, n->in[k]))
				n->in[k] = carried_in(e, a, n->in[k]);
		n->loop = node_loop(n);
	}
	sort(e, a, end);
	return a;
}

void arm_end(struct elab *e, const struct arm *a)
{
	for (int i = 0; i < a->carries.n; i++) {
		struct node *carry = a->carries.at[i];
		struct node_site site = node_site_of(carry);
		graph_end(region_graph(e), &site, carry, carry);
	}
}
