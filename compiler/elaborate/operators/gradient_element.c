/* gradient_element.c — `g.blocks[i]`: what a gradient has for one of a list of params. By an int that only the running
 * program knows it is in the form of that, with zeros for what the function does not read: derivatives by the params of
 * a list that are one tensor are read from it by the line, all others stacked. */
#include "operators.h"
#include "../values/values.h"

#include <string.h>

/* The list of params whose elements the entries of g are named after, as "0.w" is in "blocks.0.w"; NULL: there is none.
 */
static const struct value *list_of(struct elab *e, const struct value *g)
{
	const struct gradient_entry *d = &g->gradient.at[0];
	const char *full = g->gradient.n ? e->p->slots.at[d->slot]->name : "";
	size_t n = strlen(full), own = g->gradient.n ? strlen(d->name) : 0;
	if (n <= own + 1 || full[n - own - 1] != '.')
		return NULL;
	const struct value *list = map_get(&e->declared, elab_intern(e, "%.*s", (int)(n - own - 1), full));
	return list && list->kind == VALUE_LIST ? list : NULL;
}

int64_t gradient_elements(struct elab *e, const struct value *g)
{
	const struct value *list = list_of(e, g);
	return list ? list->items.n : MAX_UNROLLED;
}

/* Of n params, one of each element, the derivative that x says; NULL: they are not alike. */
static const struct value *derivative_of(struct elab *e, const struct value *g, int n, const struct value **param,
					 const struct expr *x)
{
	const struct value **d = ARENA_ARRAY(e->a, const struct value *, n), *all = NULL;
	bool in_one = true;
	for (int k = 0; k < n; k++) {
		const struct gradient_entry *entry = gradient_entry_for(g, param[k]->slot);
		all = all || !entry ? all : entry->all;
		in_one = in_one && entry && entry->all && entry->all == all && entry->turn == k;
		d[k] = entry ? gradient_d(e, entry, x->span) : no_slope(e, param[k], x->span);
	}
	if (in_one && tensor_shape(e, all)->dim[0] == n)
		return index_tensor(e, all, x);
	return one_of_tensors(e, d, n, x);
}

const struct value *gradient_element(struct elab *e, const struct value *g, const struct expr *x)
{
	const struct value *list = list_of(e, g);
	int n = list ? list->items.n : 0;
	struct parts *of = ARENA_ARRAY(e->a, struct parts, n + 1), out = {0};
	const struct value **param = ARENA_ARRAY(e->a, const struct value *, n + 1);
	for (int k = 0; k < n; k++) {
		parts_collect(e, list->items.at[k], &of[k]);
		if (of[k].at.n != of[0].at.n)
			return NULL;
	}
	for (int i = 0; n && i < of[0].at.n; i++) {
		for (int k = 0; k < n; k++)
			param[k] = of[k].at.at[i];
		const struct value *d = derivative_of(e, g, n, param, x);
		if (!d || value_failed(d))
			return d;
		vec_push(e->a, &out.at, d);
	}
	return n ? parts_replaced(e, list->items.at[0], &out) : NULL;
}
