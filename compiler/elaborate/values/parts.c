/* parts.c — values as the tensors and numbers that they consist of: those that a program hands on as one, in a tuple, a
 * list, a struct or a gradient. What else they hold (sizes, placements, names) is their form. */
#include "values.h"

#include <string.h>

bool value_is_part(const struct value *v)
{
	return value_is_tensor(v) || (v->kind == VALUE_HOST && host_dtype(v->host.type) != DT_COUNT);
}

bool value_is_composed(const struct value *v)
{
	return v->kind == VALUE_TUPLE || v->kind == VALUE_LIST || v->kind == VALUE_STRUCT || v->kind == VALUE_GRADIENT;
}

int value_members(const struct value *v)
{
	return v->kind == VALUE_STRUCT ? v->object.fields.n : v->kind == VALUE_GRADIENT ? v->gradient.n : v->items.n;
}

const struct value *value_member(struct elab *e, const struct value *v, int i)
{
	return v->kind == VALUE_STRUCT     ? v->object.fields.at[i].value
	       : v->kind == VALUE_GRADIENT ? gradient_d(e, &v->gradient.at[i], (struct span){0})
					   : v->items.at[i];
}

static void collect(struct elab *e, const struct value *part, bool by_list, struct parts *out)
{
	vec_push(e->a, &out->at, part);
	vec_push(e->a, &out->by_list, by_list);
}

/* Derivatives by a list are one part, however many entries are lines of it. */
static void collect_gradient(struct elab *e, const struct value *v, struct parts *out)
{
	struct map met;
	map_init(&met, e->a);
	for (int i = 0; i < v->gradient.n; i++) {
		const struct gradient_entry *d = &v->gradient.at[i];
		if (d->all && map_get(&met, d->all))
			continue;
		if (d->all)
			map_set(&met, d->all, (void *)d->all);
		collect(e, d->all ? d->all : d->d, d->all, out);
	}
}

void parts_collect(struct elab *e, const struct value *v, struct parts *out)
{
	if (value_is_part(v))
		collect(e, v, false, out);
	else if (v->kind == VALUE_GRADIENT)
		collect_gradient(e, v, out);
	else if (value_is_composed(v))
		for (int i = 0; i < value_members(v); i++)
			parts_collect(e, value_member(e, v, i), out);
}

/* v with its members in memory of its own. */
static struct value *copied(struct elab *e, const struct value *v)
{
	struct value *out = value_new(e, v->kind);
	*out = *v;
	if (v->kind == VALUE_STRUCT) {
		out->object.fields.at = NULL;
		out->object.fields.n = out->object.fields.cap = 0;
	} else if (v->kind == VALUE_GRADIENT) {
		out->gradient.at = NULL;
		out->gradient.n = out->gradient.cap = 0;
	} else {
		out->items.at = NULL;
		out->items.n = out->items.cap = 0;
	}
	return out;
}

/* Which size of that name a field's value has, where its type has the name alone; -1: none. */
static int64_t size_in(struct elab *e, const struct type *t, const struct value *v, const char *name)
{
	if (value_is_tensor(v) && tensor_shape(e, v)->rank == t->dims.n)
		for (int d = 0; d < t->dims.n; d++)
			if (t->dims.at[d].form == DIM_EXPR && t->dims.at[d].expr->kind == EXPR_NAME &&
			    t->dims.at[d].expr->name.text == name)
				return tensor_shape(e, v)->dim[d];
	for (int i = 0; v->kind == VALUE_STRUCT && i < t->args.n && i < v->object.args.n; i++)
		if (t->args.at[i]->kind == EXPR_NAME && t->args.at[i]->name.text == name &&
		    value_is_known(v->object.args.at[i]))
			return v->object.args.at[i]->host.i;
	return -1;
}

/* A struct with other fields has the sizes that these say: rows that were cut are fewer. */
static const struct value *resized(struct elab *e, struct value *v)
{
	const struct item *s = v->kind == VALUE_STRUCT ? v->object.item : NULL;
	const struct value *const *was = v->object.args.at;
	if (!s || v->object.args.n < s->generics.n)
		return v;
	v->object.args.at = NULL;
	v->object.args.n = v->object.args.cap = 0;
	for (int g = 0; g < s->generics.n; g++) {
		int64_t n = -1;
		for (int i = 0; i < s->params.n && n < 0 && !s->generics.at[g].kind.text; i++)
			n = size_in(e, s->params.at[i].type, v->object.fields.at[i].value, s->generics.at[g].name.text);
		vec_push(e->a, &v->object.args, n < 0 ? was[g] : value_int(e, n));
	}
	return v;
}

static const struct value *replaced_gradient(struct elab *e, const struct value *v, const struct value *const **next)
{
	struct value *out = copied(e, v);
	struct map met; /* by what entries are lines of -> what they are lines of now */
	map_init(&met, e->a);
	for (int i = 0; i < v->gradient.n; i++) {
		struct gradient_entry d = v->gradient.at[i];
		const struct value *now = d.all ? map_get(&met, d.all) : NULL;
		if (!now)
			now = *(*next)++;
		if (d.all)
			map_set(&met, d.all, (void *)now);
		*(d.all ? &d.all : &d.d) = now;
		vec_push(e->a, &out->gradient, d);
	}
	return out;
}

static const struct value *replaced(struct elab *e, const struct value *v, const struct value *const **next)
{
	if (value_is_part(v))
		return *(*next)++;
	if (!value_is_composed(v))
		return v;
	if (v->kind == VALUE_GRADIENT)
		return replaced_gradient(e, v, next);
	struct value *out = copied(e, v);
	for (int i = 0; i < value_members(v); i++) {
		const struct value *one = replaced(e, value_member(e, v, i), next);
		if (v->kind == VALUE_STRUCT) {
			vec_push(e->a, &out->object.fields, ((struct struct_field){v->object.fields.at[i].name, one}));
		} else {
			vec_push(e->a, &out->items, one);
		}
	}
	return resized(e, out);
}

const struct value *parts_replaced(struct elab *e, const struct value *v, const struct parts *with)
{
	const struct value *const *next = with->at.at;
	return replaced(e, v, &next);
}

const struct value *parts_changed(struct elab *e, const struct value *v, part_change *change, struct span at)
{
	struct parts parts = {.at = {.n = 0}};
	if (!value_is_composed(v))
		return change(e, v, at);
	parts_collect(e, v, &parts);
	for (int i = 0; i < parts.at.n; i++)
		parts.at.at[i] = change(e, parts.at.at[i], at);
	return parts_replaced(e, v, &parts);
}

const struct value *parts_with_member(struct elab *e, const struct value *v, int i, const struct value *x)
{
	struct value *out = copied(e, v);
	for (int k = 0; k < value_members(v); k++) {
		const struct value *one = k == i ? x : value_member(e, v, k);
		if (v->kind == VALUE_STRUCT)
			vec_push(e->a, &out->object.fields, ((struct struct_field){v->object.fields.at[k].name, one}));
		else
			vec_push(e->a, &out->items, one);
	}
	return resized(e, out);
}

bool parts_alike(const struct value *a, const struct value *b)
{
	if (value_is_part(a) || value_is_part(b))
		return value_is_part(a) && value_is_part(b);
	if (a->kind != b->kind || !value_is_composed(a))
		return a == b || value_is_same(a, b);
	if (a->kind == VALUE_GRADIENT)
		return gradients_alike(a, b);
	bool same =
		value_members(a) == value_members(b) && (a->kind != VALUE_STRUCT || a->object.item == b->object.item);
	for (int i = 0; same && i < value_members(a); i++)
		same = a->kind == VALUE_STRUCT ? parts_alike(a->object.fields.at[i].value, b->object.fields.at[i].value)
					       : parts_alike(a->items.at[i], b->items.at[i]);
	return same;
}

const struct value *parts_in_form(struct elab *e, const struct value *form, const struct value *v, struct span at)
{
	if (v->kind == VALUE_GRADIENT)
		return gradient_in_form(e, form, v, at);
	if (!value_is_composed(v))
		return v;
	const struct value *out = v;
	for (int i = 0; i < value_members(v); i++) {
		const struct value *was = value_member(e, v, i),
				   *is = parts_in_form(e, value_member(e, form, i), was, at);
		if (is != was)
			out = parts_with_member(e, out, i, is);
	}
	return out;
}

const struct value *parts_now(struct elab *e, const struct value *v, struct span at)
{
	struct parts all = {0}, now = {0};
	parts_collect(e, v, &all);
	for (int i = 0; i < all.at.n; i++) {
		const struct value *part = all.at.at[i];
		if (part->kind == VALUE_PARAM)
			part = tensor_value_of(e, tensor_node(e, part, at));
		vec_push(e->a, &now.at, host_freeze(e, part, NULL, at));
	}
	return parts_replaced(e, v, &now);
}

static bool same_atoms(const struct layout *l, const struct layout *r)
{
	for (int a = 0; a < MAX_AXES; a++)
		if (!atom_equal(l->atom[a], r->atom[a]))
			return false;
	return true;
}

static bool same_specs(const struct layout_spec *l, const struct layout_spec *r)
{
	return l->form == r->form && l->var == r->var && same_atoms(&l->layout, &r->layout);
}

/* What a layout is on an axis that its names leave out. */
static bool is_whole(const struct layout_spec *l)
{
	return l->form == LAYOUT_GIVEN && l->layout.atom[0].kind == SHARD_B;
}

/* Whether each axis that l names has the same in r. */
static bool axes_within(const struct value *l, const struct value *r)
{
	for (int i = 0; i < l->axes.n; i++) {
		const struct layout_spec *other = NULL;
		for (int k = 0; k < r->axes.n; k++)
			if (r->axes.at[k].axis.text == l->axes.at[i].axis.text)
				other = r->axes.at[k].layout;
		if (other ? !same_specs(l->axes.at[i].layout, other) : !is_whole(l->axes.at[i].layout))
			return false;
	}
	return true;
}

static bool same_layout_values(const struct value *l, const struct value *r)
{
	if (l->layout && r->layout)
		return same_specs(l->layout, r->layout);
	return !l->layout && !r->layout && axes_within(l, r) && axes_within(r, l);
}

bool value_is_same(const struct value *l, const struct value *r)
{
	if (l->kind != r->kind)
		return false;
	switch (l->kind) {
	case VALUE_PLACE:
		return place_same_ranks(l->place, r->place);
	case VALUE_DTYPE:
		return l->dtype == r->dtype;
	case VALUE_SHAPE:
		return shape_equal(&l->shape, &r->shape);
	case VALUE_LAYOUT:
		return same_layout_values(l, r);
	case VALUE_NONE:
		return true;
	case VALUE_ERROR:
	case VALUE_HOST:
	case VALUE_TENSOR:
	case VALUE_PARAM:
	case VALUE_TUPLE:
	case VALUE_LIST:
	case VALUE_RANGE:
	case VALUE_STRUCT:
	case VALUE_STRUCT_TYPE:
	case VALUE_FUNCTION:
	case VALUE_BUILTIN:
	case VALUE_DERIVED:
	case VALUE_GRADIENT:
	case VALUE_DATASET:
	case VALUE_BATCHES:
	case VALUE_NAMES:
		return false;
	}
	return false;
}
