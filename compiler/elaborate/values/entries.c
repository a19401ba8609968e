/* entries.c — entries of gradients: by themselves, as lines of the derivative by a list, in the form of others. Two
 * gradients by the same params may differ in form: in the order in which their functions read the params, and in
 * whether the derivatives by the params of a list are one tensor. */
#include "values.h"

const struct gradient_entry *gradient_entry_for(const struct value *g, int slot)
{
	for (int i = 0; i < g->gradient.n; i++)
		if (g->gradient.at[i].slot == slot)
			return &g->gradient.at[i];
	return NULL;
}

const struct value *gradient_d(struct elab *e, const struct gradient_entry *d, struct span at)
{
	struct node_site site = elab_site(e, at);
	if (d->d)
		return d->d;
	site.name = arena_printf(e->a, "d%s", d->name);
	return tensor_value_of(e, graph_line_of(region_graph(e), &site, tensor_node(e, d->all, at), d->turn));
}

bool gradients_alike(const struct value *a, const struct value *b)
{
	bool same = a->gradient.n == b->gradient.n;
	for (int i = 0; same && i < a->gradient.n; i++)
		same = gradient_entry_for(b, a->gradient.at[i].slot);
	return same;
}

/* By entry: the first one that is a line of the same derivative by a list; -1: it is no line. */
static int *first_lines(struct elab *e, const struct value *g)
{
	int *first = ARENA_ARRAY(e->a, int, g->gradient.n + 1);
	struct map met; /* what entries are lines of -> the number of the first, from 1 on */
	map_init(&met, e->a);
	for (int i = 0; i < g->gradient.n; i++) {
		const struct value *all = g->gradient.at[i].all;
		if (all && !map_get(&met, all))
			map_set(&met, all, (void *)(intptr_t)(i + 1));
		first[i] = all ? (int)(intptr_t)map_get(&met, all) - 1 : -1;
	}
	return first;
}

static bool is_form(struct elab *e, const struct value *form, const struct value *g)
{
	const int *was = first_lines(e, form), *is = first_lines(e, g);
	bool same = true;
	for (int i = 0; same && i < g->gradient.n; i++)
		same = form->gradient.at[i].slot == g->gradient.at[i].slot && was[i] == is[i];
	return same;
}

/* The derivative by the list of entry i of a form, each line from what g has for it. */
static const struct value *stacked(struct elab *e, const struct value *form, int i, const struct value *g,
				   struct span at)
{
	const struct gradient_entry *first = &form->gradient.at[i];
	const struct slot *list = e->p->slots.at[first->slot]->list;
	struct node_site site = elab_site(e, at);
	const struct gradient_entry **of = ARENA_ARRAY(e->a, const struct gradient_entry *, list->shape.dim[0]);
	struct node *all = NULL;
	site.name = arena_printf(e->a, "d%s", list->name);
	for (int k = i; k < form->gradient.n; k++)
		if (form->gradient.at[k].all == first->all)
			of[form->gradient.at[k].turn] = gradient_entry_for(g, form->gradient.at[k].slot);
	for (int64_t line = 0; line < list->shape.dim[0]; line++) {
		if (!of[line])
			continue;
		struct node *x = tensor_node(e, gradient_d(e, of[line], at), at);
		x = graph_as_line(region_graph(e), &site, x, &list->shape, line);
		all = all ? graph_joined_lines(region_graph(e), &site, all, x, line) : x;
	}
	return tensor_value_of(e, all);
}

const struct value *gradient_in_form(struct elab *e, const struct value *form, const struct value *g, struct span at)
{
	if (is_form(e, form, g))
		return g;
	struct value *out = value_new(e, VALUE_GRADIENT);
	const int *first = first_lines(e, form);
	for (int i = 0; i < form->gradient.n; i++) {
		struct gradient_entry d = form->gradient.at[i];
		const struct gradient_entry *from = gradient_entry_for(g, d.slot);
		d.layout = from->layout;
		d.d = first[i] < 0 ? gradient_d(e, from, at) : NULL;
		if (first[i] >= 0)
			d.all = first[i] == i ? stacked(e, form, i, g, at) : out->gradient.at[first[i]].all;
		vec_push(e->a, &out->gradient, d);
	}
	return out;
}

void gradient_help(struct diag *d, const struct value *v)
{
	if (v->kind == VALUE_TUPLE && v->items.n == 2 && v->items.at[1]->kind == VALUE_GRADIENT)
		diag_help(d, "the gradient is its second member: `let (l, g) = value_and_grad(f)(x);`; `grad(f)(x)` "
			     "gives it alone");
	else if (v->kind == VALUE_STRUCT || v->kind == VALUE_LIST || v->kind == VALUE_TUPLE)
		diag_help(d, "`wrt = \"x\"` gives the derivative in the form of the argument, which says nothing of "
			     "params; without it, "
			     "of a function that reads params or is handed some, it is a gradient by them");
	if (v->kind == VALUE_STRUCT)
		diag_help(d, "a struct of params changes by one in its form as a whole, `net = net - 0.1 * g;`");
}

bool gradient_is_at(struct elab *e, const struct value *v, struct span at)
{
	if (!e->each || v->kind != VALUE_TENSOR || e->each->d->kind != VALUE_TENSOR)
		return false;
	const struct node *n = tensor_node(e, v, at), *d = tensor_node(e, e->each->d, at);
	while (n->kind == NODE_CONTRACT)
		n = n->in[0];
	while (d->kind == NODE_CONTRACT)
		d = d->in[0];
	return n == d;
}
