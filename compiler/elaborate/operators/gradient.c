/* gradient.c — gradients as values: g + h, 0.9 * m, -g, param by param, and structs, field by field; what a derivative
 * by a param is. */
#include "operators.h"
#include "../values/values.h"

#include "habit.h"

#include <stdint.h>
#include <string.h>

static void report_shape(struct elab *e, const struct slot *s, const struct value *v, struct span at)
{
	struct diag *d = elab_error(e, PML0501, at, "the derivative by `%s` is a tensor of its shape, this is %s",
				    s->name, value_describe(e, v));
	diag_label(d, s->span, "declared here");
}

const struct value *gradient_fit(struct elab *e, const struct value *v, int slot, struct span at)
{
	const struct slot *s = e->p->slots.at[slot];
	if (value_failed(v))
		return v;
	if (!value_is_tensor(v) || !shape_equal(tensor_shape(e, v), &s->shape)) {
		report_shape(e, s, v, at);
		return &value_error;
	}
	struct node *n = tensor_node(e, v, at);
	if (!n->place || place_same_mesh(n->place, s->place))
		return tensor_value_of(e, tensor_adopt(e, n, s->place, at));
	struct diag *d = elab_error(e, PML0212, at, "the derivative by `%s` is on `%s`, the param on `%s`", s->name,
				    n->place->name, s->place->name);
	diag_label(d, s->span, "declared here");
	return &value_error;
}

const struct value *gradient_by(struct elab *e, const struct value *g, const struct value *param, struct span at)
{
	const struct gradient_entry *d = gradient_entry_for(g, param->slot);
	struct node_site site = elab_site(e, at);
	if (!d || !param->line)
		return d ? gradient_d(e, d, at) : NULL;
	struct list_turns *t = param->line->turns;
	if (!d->all || d->turn) {
		t->failed = true;
		return gradient_d(e, d, at);
	}
	struct node *all = tensor_node(e, d->all, at);
	site.name = arena_printf(e->a, "d%s", d->name);
	return tensor_value_of(e, graph_line(region_graph(e), &site, t->loop, 1, &all, 0, 1, false));
}

/* The params of both, or a message that names one that is missing. */
static bool same_params(struct elab *e, const struct value *g, const struct value *h, struct span at, struct span gs,
			struct span hs)
{
	for (int side = 0; side < 2; side++) {
		const struct value *a = side ? h : g, *b = side ? g : h;
		for (int i = 0; i < a->gradient.n; i++) {
			if (gradient_entry_for(b, a->gradient.at[i].slot))
				continue;
			struct diag *d = elab_error(e, PML0216, at, "the two gradients are by different params");
			diag_label(d, side ? hs : gs, "has a part for `%s`", a->gradient.at[i].name);
			diag_label(d, side ? gs : hs, "has none");
			return false;
		}
	}
	return true;
}

static bool is_vector(const struct value *v)
{
	return v->kind == VALUE_GRADIENT || v->kind == VALUE_STRUCT;
}

bool gradient_has(enum binary_op op, const struct value *l, const struct value *r)
{
	bool lg = is_vector(l), rg = is_vector(r);
	if (lg && rg)
		return l->kind == r->kind && (op == BIN_ADD || op == BIN_SUB);
	const struct value *by = lg ? r : l;
	return (lg || rg) && (op == BIN_MUL || (op == BIN_DIV && lg)) && (value_is_number(by) || value_is_tensor(by));
}

/* ---- params beside a gradient ---- */

const struct value *no_slope(struct elab *e, const struct value *param, struct span at)
{
	struct node_site site = elab_site(e, at);
	struct graph *g = region_graph(e);
	struct node *zero = graph_float(g, &site, tensor_dtype(e, param), 0);
	return tensor_value_of(e, graph_fill(g, &site, zero, tensor_shape(e, param)));
}

const struct value *gradient_beside(struct elab *e, const struct value *g, const struct value *params, struct span at)
{
	struct parts all = {0}, out = {0};
	bool found = false;
	if (g->kind != VALUE_GRADIENT || params->kind == VALUE_GRADIENT)
		return g;
	parts_collect(e, params, &all);
	for (int i = 0; i < all.at.n; i++) {
		const struct value *p = all.at.at[i], *d = p->kind == VALUE_PARAM ? gradient_by(e, g, p, at) : NULL;
		if (p->kind != VALUE_PARAM || !dtype_is_float(tensor_dtype(e, p)))
			return g;
		found = found || d;
		vec_push(e->a, &out.at, d ? d : no_slope(e, p, at));
	}
	return found ? parts_replaced(e, params, &out) : g;
}

/* ---- structs, which derivatives by structs are, and lists of params beside a gradient ---- */

/* How many entries are lines of each tensor. */
static void count_lines(const struct value *g, struct map *n)
{
	for (int i = 0; i < g->gradient.n; i++)
		if (g->gradient.at[i].all)
			map_set(n, g->gradient.at[i].all, (void *)((intptr_t)map_get(n, g->gradient.at[i].all) + 1));
}

/* Entries by themselves, no lines of others: all of them, or those of lists that the gradient has a part of. */
static const struct value *entries_alone(struct elab *e, const struct value *g, bool of_parts, struct span at)
{
	struct value *out = value_new(e, VALUE_GRADIENT);
	struct map lines;
	map_init(&lines, e->a);
	count_lines(g, &lines);
	for (int i = 0; i < g->gradient.n; i++) {
		struct gradient_entry d = g->gradient.at[i];
		if (!of_parts || !d.all || (intptr_t)map_get(&lines, d.all) < tensor_shape(e, d.all)->dim[0]) {
			d.d = gradient_d(e, &d, at);
			d.all = NULL;
		}
		vec_push(e->a, &out->gradient, d);
	}
	return out;
}

const struct value *parts_alone(struct elab *e, const struct value *v, struct span at)
{
	if (v->kind == VALUE_GRADIENT)
		return entries_alone(e, v, false, at);
	const struct value *out = v;
	for (int i = 0; value_is_composed(v) && i < value_members(v); i++) {
		const struct value *was = value_member(e, v, i), *is = parts_alone(e, was, at);
		if (is != was)
			out = parts_with_member(e, out, i, is);
	}
	return out;
}

static bool same_form(struct elab *e, const struct value *l, const struct value *r, struct span at, struct span ls,
		      struct span rs)
{
	if (l->kind == VALUE_GRADIENT && r->kind == VALUE_GRADIENT)
		return same_params(e, l, r, at, ls, rs);
	if (parts_alike(l, r))
		return true;
	struct diag *d = elab_error(e, PML0204, at, "the two are not of one form");
	elab_label(e, d, ls, "%s", value_describe(e, l));
	elab_label(e, d, rs, "%s", value_describe(e, r));
	return false;
}

static const struct value *as_tensor(struct elab *e, const struct value *part, struct span at)
{
	return value_is_tensor(part) ? part
				     : tensor_value_of(e, tensor_of_host(e, part, host_dtype(part->host.type), at));
}

/* The parts; of gradients none that is not of it. */
static void collect_exactly(struct elab *e, const struct value *v, struct span at, struct parts *out)
{
	if (value_is_part(v) || v->kind == VALUE_GRADIENT)
		parts_collect(e, v->kind == VALUE_GRADIENT ? entries_alone(e, v, true, at) : v, out);
	else if (value_is_composed(v))
		for (int i = 0; i < value_members(v); i++)
			collect_exactly(e, value_member(e, v, i), at, out);
}

const struct value *gradient_pairs(struct elab *e, const struct value *l, const struct value *r, struct span at,
				   struct span ls, struct span rs)
{
	struct parts of[2] = {0};
	struct value *out = value_new(e, VALUE_LIST);
	if (value_failed(l) || value_failed(r))
		return &value_error;
	if (!value_is_part(l) && !value_is_composed(l)) {
		elab_error(e, PML0208, ls,
			   "of tensors, gradients, structs, tuples and lists there are pairs, this is %s",
			   value_describe(e, l));
		return &value_error;
	}
	if (!same_form(e, l, r, at, ls, rs))
		return &value_error;
	collect_exactly(e, l, at, &of[0]);
	collect_exactly(e, parts_in_form(e, l, r, at), at, &of[1]);
	for (int i = 0; i < of[0].at.n; i++) {
		const struct value *pair[2] = {as_tensor(e, of[0].at.at[i], ls), as_tensor(e, of[1].at.at[i], rs)};
		if (!shape_equal(tensor_shape(e, pair[0]), tensor_shape(e, pair[1]))) {
			struct diag *d = elab_error(e, PML0501, at, "the two have parts of different shapes");
			diag_label(d, ls, "%s", value_describe(e, pair[0]));
			diag_label(d, rs, "%s", value_describe(e, pair[1]));
			return &value_error;
		}
		vec_push(e->a, &out->items, value_tuple(e, 2, pair));
	}
	return out;
}

/* Part by part; one of the two may be a number or scalar. */
static const struct value *struct_binary(struct elab *e, enum binary_op op, const struct value *l,
					 const struct value *r, struct span at, struct span ls, struct span rs)
{
	const struct value *form = value_is_composed(l) ? l : r;
	struct parts of[2] = {0}, out = {0};
	if (l->kind == r->kind && !same_form(e, l, r, at, ls, rs))
		return &value_error;
	parts_collect(e, l, &of[0]);
	parts_collect(e, l->kind == r->kind ? parts_in_form(e, l, r, at) : r, &of[1]);
	struct parts *all = form == l ? &of[0] : &of[1];
	for (int i = 0; i < all->at.n; i++) {
		const struct value *was = all->at.at[i], *x = value_is_composed(l) ? of[0].at.at[i] : l,
				   *y = value_is_composed(r) ? of[1].at.at[i] : r,
				   *v = binary_apply(e, op, x, y, at, ls, rs);
		if (value_failed(v))
			return v;
		if (value_is_tensor(was) &&
		    (!value_is_tensor(v) || !shape_equal(tensor_shape(e, v), tensor_shape(e, was)))) {
			elab_error(e, PML0501, at, "a part of %s is %s, with the other side it would be %s",
				   value_describe(e, form), value_describe(e, was), value_describe(e, v));
			return &value_error;
		}
		vec_push(e->a, &out.at, v);
	}
	return parts_replaced(e, form, &out);
}

static const struct value *struct_unary(struct elab *e, enum unary_op op, const struct value *v, struct span at)
{
	struct parts all = {0}, out = {0};
	parts_collect(e, v, &all);
	for (int i = 0; i < all.at.n; i++)
		vec_push(e->a, &out.at, unary_apply(e, op, all.at.at[i], at));
	return parts_replaced(e, v, &out);
}

/* An operation on two gradients in one form, on a gradient and a number, or on one alone; r: NULL then. Derivatives by
 * a list stay one. */
struct by_entry {
	enum binary_op op;
	enum unary_op alone;
	const struct value *l, *r;
	struct span at, ls, rs;
};

/* What entry i of g is computed from: itself, or what it is a line of. g: no gradient, as it is. */
static const struct value *side_of(const struct value *g, int i)
{
	if (g->kind != VALUE_GRADIENT)
		return g;
	return g->gradient.at[i].all ? g->gradient.at[i].all : g->gradient.at[i].d;
}

static const struct value *entry_apply(struct elab *e, const struct by_entry *b, int i, int slot)
{
	const struct value *l = side_of(b->l, i);
	if (!b->r)
		return unary_apply(e, b->alone, l, b->at);
	return gradient_fit(e, binary_apply(e, b->op, l, side_of(b->r, i), b->at, b->ls, b->rs), slot, b->at);
}

static const struct value *entries_apply(struct elab *e, const struct by_entry *b)
{
	const struct value *g = b->l->kind == VALUE_GRADIENT ? b->l : b->r;
	struct value *out = value_new(e, VALUE_GRADIENT);
	struct map met; /* what entries are lines of -> what has become of it */
	map_init(&met, e->a);
	for (int i = 0; i < g->gradient.n; i++) {
		struct gradient_entry d = g->gradient.at[i];
		const struct value *v = d.all ? map_get(&met, d.all) : NULL;
		if (!v)
			v = entry_apply(e, b, i, d.all ? e->p->slots.at[d.slot]->list->id : d.slot);
		if (value_failed(v))
			return v;
		if (d.all)
			map_set(&met, d.all, (void *)v);
		*(d.all ? &d.all : &d.d) = v;
		vec_push(e->a, &out->gradient, d);
	}
	return out;
}

/* Whether it goes with every line of a derivative as with all of them together. */
static bool is_single(struct elab *e, const struct value *v)
{
	return !value_is_tensor(v) || !tensor_shape(e, v)->rank;
}

const struct value *gradient_binary(struct elab *e, enum binary_op op, const struct value *l, const struct value *r,
				    struct span at, struct span ls, struct span rs)
{
	if (l->kind != VALUE_GRADIENT && r->kind != VALUE_GRADIENT)
		return struct_binary(e, op, l, r, at, ls, rs);
	if (l->kind == r->kind) {
		if (!same_params(e, l, r, at, ls, rs))
			return &value_error;
		r = gradient_in_form(e, l, r, at);
	} else {
		const struct value **g = l->kind == VALUE_GRADIENT ? &l : &r, *other = *g == l ? r : l;
		*g = is_single(e, other) ? *g : entries_alone(e, *g, false, at);
	}
	return entries_apply(e, &(struct by_entry){.op = op, .l = l, .r = r, .at = at, .ls = ls, .rs = rs});
}

const struct value *gradient_unary(struct elab *e, enum unary_op op, const struct value *g, struct span at)
{
	if (g->kind == VALUE_STRUCT)
		return struct_unary(e, op, g, at);
	return entries_apply(e, &(struct by_entry){.alone = op, .l = g, .at = at});
}

/* The parts of a gradient whose names begin with `name.`; NULL if there are none. */
static const struct value *gradient_group(struct elab *e, const struct value *g, const char *name)
{
	struct value *v = value_new(e, VALUE_GRADIENT);
	size_t n = strlen(name);
	for (int i = 0; i < g->gradient.n; i++) {
		struct gradient_entry d = g->gradient.at[i];
		if (strncmp(d.name, name, n) != 0 || d.name[n] != '.')
			continue;
		d.name += n + 1;
		vec_push(e->a, &v->gradient, d);
	}
	return v->gradient.n ? v : NULL;
}

const struct value *gradient_part(struct elab *e, const struct value *g, const char *name, struct span at)
{
	const char **candidates = ARENA_ARRAY(e->a, const char *, g->gradient.n + 1);
	int n = 0;
	for (int i = 0; i < g->gradient.n; i++) {
		const struct gradient_entry *d = &g->gradient.at[i];
		if (strcmp(d->name, name) == 0)
			return gradient_d(e, d, at);
		candidates[n++] = d->name;
	}
	const struct value *group = gradient_group(e, g, name);
	if (group)
		return group;
	struct diag *d = elab_error(e, PML0216, at, "the gradient has no part for `%s`", name);
	const char *here = habit_here(HABIT_FIELD, name);
	if (here)
		diag_help(d, "%s", here);
	else if (!elab_help_names(e, d, name, at, candidates, n, "it has a part for"))
		diag_note(d, "it has one for every param that the function reads");
	return &value_error;
}
