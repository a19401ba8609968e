/* epochs.c — which transfers a value waits for: as many as there are up to the last that it depends on. What stands in
 * a loop depends on all that the loop reads, and its results on all of it. */
#include "transfers.h"

struct epochs {
	const struct graph *g;
	const int *number;
	int *of;    /* by node */
	int *first; /* by loop: of what it reads; -2: not come to yet */
	int *last;  /* by loop: of what stands in it */
};

static int greater(int a, int b)
{
	return a > b ? a : b;
}

/* That of x where it is read from `here`: if it is made in a loop there, that of the loop. */
static int seen_from(const struct epochs *e, const struct loop *here, const struct node *x)
{
	int seen = e->of[x->id];
	for (const struct loop *l = x->loop; l && !loop_is_in(here, l); l = l->outer)
		seen = greater(seen, e->last[l->id]);
	return seen;
}

/* n is the first of its loop: what the nodes of the loop and its exits read from outside comes before. */
static void enter(struct epochs *e, const struct loop *l, int n)
{
	if (!l || e->first[l->id] != -2)
		return;
	enter(e, l->outer, n);
	int first = l->outer ? e->first[l->outer->id] : -1;
	for (int i = n; i < e->g->nodes.n; i++) {
		const struct node *x = e->g->nodes.at[i];
		if (!loop_is_in(x->loop, l) && !(node_is_exit(x) && x->of == l))
			break;
		for (int k = 0; k < x->nin; k++)
			if (!loop_is_in(x->in[k]->loop, l))
				first = greater(first, seen_from(e, l->outer, x->in[k]));
	}
	if (l->count)
		first = greater(first, seen_from(e, l->outer, l->count));
	for (int i = 0; l->count && i < l->elsewhere.n; i++)
		first = greater(first, seen_from(e, l->outer, l->elsewhere.at[i]));
	e->first[l->id] = e->last[l->id] = first;
}

int *transfer_epochs(struct arena *a, const struct graph *g, const int *number)
{
	struct epochs e = {.g = g, .number = number};
	e.of = ARENA_ARRAY(a, int, g->nodes.n);
	e.first = ARENA_ARRAY(a, int, g->loops.n);
	e.last = ARENA_ARRAY(a, int, g->loops.n);
	for (int i = 0; i < g->loops.n; i++)
		e.first[i] = -2;
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		enter(&e, n->loop, i);
		int epoch = n->loop ? greater(number[i], e.first[n->loop->id]) : number[i];
		for (int k = 0; k < n->nin; k++)
			epoch = greater(epoch, seen_from(&e, n->loop, n->in[k]));
		if (n->after)
			epoch = greater(epoch, seen_from(&e, n->loop, n->after));
		if (node_is_exit(n) && e.first[n->of->id] != -2)
			epoch = greater(epoch, e.last[n->of->id]);
		e.of[i] = epoch;
		for (const struct loop *l = n->loop; l; l = l->outer)
			e.last[l->id] = greater(e.last[l->id], epoch);
	}
	return e.of;
}

int *transfers_asked(struct arena *a, const struct graph *g, const int *number)
{
	int *asked = ARENA_ARRAY(a, int, g->loops.n);
	bool *needed = ARENA_ARRAY(a, bool, g->nodes.n), *whole = ARENA_ARRAY(a, bool, g->loops.n);
	for (int l = 0; l < g->loops.n; l++) {
		const struct loop *loop = g->loops.at[l];
		asked[l] = -1;
		if (!loop->condition)
			continue;
		for (int i = 0; i < g->nodes.n; i++)
			needed[i] = g->nodes.at[i] == loop->condition;
		for (int i = 0; i < loop->elsewhere.n; i++)
			needed[loop->elsewhere.at[i]->id] = true;
		for (int i = 0; i < g->loops.n; i++)
			whole[i] = false;
		for (int i = g->nodes.n - 1; i >= 0; i--) {
			const struct node *n = g->nodes.at[i];
			for (const struct loop *x = n->loop; x != loop && x; x = x->outer)
				needed[i] = needed[i] || whole[x->id];
			if (!needed[i] || !loop_is_in(n->loop, loop))
				continue;
			if (node_is_exit(n))
				whole[n->of->id] = true;
			asked[l] = greater(asked[l], number[i]);
			for (int k = 0; k < n->nin; k++)
				needed[n->in[k]->id] = true;
		}
	}
	return asked;
}
