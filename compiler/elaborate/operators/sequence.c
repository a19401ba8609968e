/* sequence.c — shapes, lists, tuples and structs: compared item by item; lists and shapes joined by `+`; parts of them.
 */
#include "operators.h"
#include "../values/values.h"

int sequence_length(const struct value *v)
{
	if (v->kind == VALUE_SHAPE)
		return v->shape.rank;
	return v->kind == VALUE_LIST || v->kind == VALUE_TUPLE || v->kind == VALUE_STRUCT ? value_members(v) : -1;
}

static const struct value *item(struct elab *e, const struct value *v, int i)
{
	return v->kind == VALUE_SHAPE ? value_int(e, v->shape.dim[i]) : value_member(e, v, i);
}

bool sequence_compares(const struct value *l, const struct value *r)
{
	if (l->kind == VALUE_STRUCT || r->kind == VALUE_STRUCT)
		return l->kind == r->kind && l->object.item == r->object.item;
	return sequence_length(l) >= 0 && sequence_length(r) >= 0;
}

const struct value *sequence_equal(struct elab *e, const struct value *l, const struct value *r, struct span at)
{
	int n = sequence_length(l);
	const struct value *all = value_bool(e, n == sequence_length(r));
	for (int i = 0; i < n && n == sequence_length(r); i++) {
		const struct value *x = item(e, l, i), *y = item(e, r, i);
		if (value_is_tensor(x) || value_is_tensor(y)) {
			struct diag *d = elab_error(e, PML0204, at, "%s of tensors cannot be compared",
						    l->kind == VALUE_STRUCT  ? "structs"
						    : l->kind == VALUE_TUPLE ? "tuples"
									     : "lists");
			diag_help(d, "tensors are compared element by element: `all(a == b)`");
			return &value_error;
		}
		all = binary_apply(e, BIN_AND, all, binary_apply(e, BIN_EQ, x, y, at, at, at), at, at, at);
	}
	return all;
}

bool sequence_joins(const struct value *v)
{
	return v->kind == VALUE_LIST || v->kind == VALUE_SHAPE;
}

const struct value *sequence_joined(struct elab *e, const struct value *l, const struct value *r, struct span at)
{
	if (sequence_length(l) + sequence_length(r) > MAX_UNROLLED) {
		elab_error(e, PML0207, at, "a list has at most %d items", MAX_UNROLLED);
		return &value_error;
	}
	struct value *list = value_new(e, VALUE_LIST);
	for (int i = 0; i < sequence_length(l); i++)
		vec_push(e->a, &list->items, item(e, l, i));
	for (int i = 0; i < sequence_length(r); i++)
		vec_push(e->a, &list->items, item(e, r, i));
	return list;
}

bool sequence_is_sliced(const struct expr *x)
{
	return x->args.n == 1 && x->args.at[0].value && x->args.at[0].value->kind == EXPR_RANGE;
}

const struct value *sequence_slice(struct elab *e, const struct value *v, const struct expr *x)
{
	const struct expr *range = x->args.at[0].value;
	struct slice s;
	if (!slice_eval(e, range, -1, sequence_length(v), &s))
		return &value_error;
	if (s.from) {
		struct diag *d =
			elab_error(e, PML0205, range->span, "which items these are must be known when compiling");
		diag_note(d, "the ends are computed by the running program; one item, `v[i]`, may be chosen there");
		return &value_error;
	}
	struct value *list = value_new(e, v->kind == VALUE_TUPLE ? VALUE_TUPLE : VALUE_LIST);
	for (int i = 0; i < s.width; i++)
		vec_push(e->a, &list->items, item(e, v, (int)s.begin + i));
	return list;
}
