/* part.c — some variables of a core as a core of their own: what the others have is folded into costs and limits. The
 * time it takes grows with the part and the rows, not with the core. */
#include "core.h"

#include <string.h>

/* Where var is among the ascending vars, or -1. */
static int index_of(int n, const int *vars, int var)
{
	int low = 0, high = n;
	while (low < high) {
		int mid = low + (high - low) / 2;
		if (vars[mid] < var)
			low = mid + 1;
		else
			high = mid;
	}
	return low < n && vars[low] == var ? low : -1;
}

static void add_fixed(struct core_var *v, const struct core *c, const struct core_edge *e, bool is_a, const int *value)
{
	for (int k = 0; k < v->n; k++)
		v->cost[k] = core_add(v->cost[k],
				      is_a ? core_entry(c, e, k, value[e->b]) : core_entry(c, e, value[e->a], k));
}

/* What it takes now is free again in the rows; `gives` has room for one row more. */
static void give_back(const struct core_var *x, int value, int64_t *gives)
{
	for (int i = 0; i < x->items.n; i++) {
		gives[x->items.at[i].from] += x->items.at[i].usage[value];
		gives[x->items.at[i].to] -= x->items.at[i].usage[value];
	}
}

struct core *core_part(const struct core *c, struct core_history *h, int n, const int *vars, const int *value,
		       const int64_t *used)
{
	struct core *d = core_next(c);
	VEC(struct core_edge) edges = {0};
	int64_t *gives = ARENA_ARRAY(d->arena, int64_t, c->nrows + 1), now = 0;
	d->history = h;
	d->nvars = d->nnodes = n;
	d->constant = 0;
	d->var = ARENA_ARRAY(d->arena, struct core_var, n);
	d->nchoices = ARENA_ARRAY(h->arena, int, n);
	for (int i = 0; i < n; i++) {
		const struct core_var *x = &c->var[vars[i]];
		d->var[i] = core_copy_var(d->arena, x, i);
		d->nchoices[i] = x->n;
		give_back(x, value[vars[i]], gives);
		for (int k = 0; k < x->edges.n; k++) {
			const struct core_edge *e = &c->edge[x->edges.at[k]];
			bool is_a = e->a == vars[i];
			int other = index_of(n, vars, is_a ? e->b : e->a);
			if (other < 0)
				add_fixed(&d->var[i], c, e, is_a, value);
			else if (is_a)
				vec_push(d->arena, &edges, ((struct core_edge){i, other, e->at}));
		}
	}
	d->edge = edges.at;
	d->nedges = edges.n;
	for (int r = 0; r < c->nrows; r++) {
		now += gives[r];
		d->limit[r] = c->limit[r] - used[r] + now;
	}
	core_connect(d);
	return d;
}
