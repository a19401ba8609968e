/* expr.c — expressions to values, by kind; names, literals, fields, tuples and lists are here. */
#include "elaborate.h"
#include "operators/operators.h"
#include "notation/notation.h"
#include "loops/loops.h"
#include "gradients/gradients.h"
#include "builtins/builtins.h"
#include "statements/statements.h"

#include "habit.h"

#include <string.h>

static const struct value *named_builtin(struct elab *e, int b)
{
	struct value *v = value_new(e, VALUE_BUILTIN);
	v->builtin = b;
	return v;
}

/* The init code cannot see what main computes. */
static const struct value *binding_value(struct elab *e, const struct binding *b, struct span at)
{
	bool runtime = b->value->kind == VALUE_TENSOR || (b->value->kind == VALUE_HOST && !b->value->host.known);
	if (!runtime || b->code == e->code)
		return b->value;
	struct diag *d = elab_error(
		e, PML0507, at, "an initial value is made before the program runs, `%s` is not known then", b->name);
	diag_label(d, b->span, "`%s` comes from here", b->name);
	return &value_error;
}

const struct value *expr_name(struct elab *e, const struct expr *x)
{
	const char *name = x->name.text;
	struct binding *b = env_find(e, name);
	if (b)
		return microbatch_outside(e, b, binding_value(e, b, x->span), x->span);
	struct item *item = x->item ? x->item : elab_item(e, name);
	if (item)
		return item_value(e, item, x->span);
	if (dtype_of_text(name) != DT_COUNT)
		return value_dtype(e, dtype_of_text(name));
	int k = builtin_find(name);
	if (k >= 0 && (strcmp(name, "B") == 0 || strcmp(name, "P") == 0))
		return value_atom(e, name[0] == 'B' ? SHARD_B : SHARD_P, 0, SHARD_SUM);
	if (k >= 0)
		return strcmp(name, "none") ? named_builtin(e, k) : &value_none;
	struct diag *d = elab_error(e, PML0222, x->span, "`%s` has no value here", name);
	const struct item *f = e->frame ? e->frame->item : NULL;
	for (int i = 0; f && i < f->generics.n; i++)
		if (f->generics.at[i].name.text == name)
			diag_note(d, "sizes and placements of `%s` are told by a type that has them alone, `%s`",
				  f->name.text, f->generics.at[i].kind.text ? "f32[3] @ p" : "f32[n]");
	return &value_error;
}

/* ---- fields ---- */

static const struct value *struct_field(struct elab *e, const struct value *v, const struct expr *x)
{
	for (int i = 0; i < v->object.fields.n; i++)
		if (v->object.fields.at[i].name == x->name.text)
			return v->object.fields.at[i].value;
	struct diag *d =
		elab_error(e, PML0216, x->name.span, "`%s` has no field `%s`", v->object.item->name.text, x->name.text);
	const struct item *function = elab_item(e, x->name.text);
	if (function && function->kind == ITEM_FN) {
		diag_help(d, "functions are called with what they work on: `%s(...)`", x->name.text);
		return &value_error;
	}
	const char *candidates[64];
	int n = 0;
	for (int i = 0; i < v->object.fields.n && n < 64; i++)
		candidates[n++] = v->object.fields.at[i].name;
	elab_help_names(e, d, x->name.text, x->name.span, candidates, n, "it has");
	return &value_error;
}

static const struct value *place_field(struct elab *e, const struct value *v, const struct expr *x)
{
	const struct place *p = tensor_place(e, v);
	if (p)
		return value_place(e, p);
	elab_error(e, PML0204, x->span, "%s is on no placement yet", value_describe(e, v));
	return &value_error;
}

static const struct value *shape_field(struct elab *e, const struct value *v, const struct expr *x)
{
	const char *name = x->name.text;
	if (value_is_tensor(v) && strcmp(name, "shape") == 0)
		return value_shape(e, tensor_shape(e, v));
	if (value_is_tensor(v) && strcmp(name, "dtype") == 0)
		return value_dtype(e, tensor_dtype(e, v));
	if (value_is_tensor(v) && strcmp(name, "place") == 0)
		return place_field(e, v, x);
	struct diag *d = elab_error(e, PML0216, x->name.span, "%s has no field `%s`", value_describe(e, v), name);
	const char *here = habit_here(HABIT_FIELD, name);
	if (value_is_tensor(v))
		diag_note(d, "a tensor has the fields `shape`, `dtype` and `place`");
	if (v->kind == VALUE_DATASET)
		diag_help(d, "how many rows a dataset has is `data.rows(d)`; their shape is claimed where it is read");
	else if (here)
		diag_help(d, "%s", here);
	else if (v->kind == VALUE_TUPLE)
		diag_help(d, "a tuple comes apart by names, `let (a, b) = ...;`, or by numbers, `[0]`");
	else if (v->kind == VALUE_LIST && v->items.n)
		diag_help(d, "take one of its %d elements first: `%s[0].%s`", v->items.n,
			  x->callee && x->callee->kind == EXPR_NAME ? x->callee->name.text : "", name);
	else if (value_is_tensor(v) && (elab_prelude(e, name) || builtin_find(name) >= 0))
		diag_help(d, "functions are called with the tensor: `%s(...)`", name);
	else
		elab_help_sort(e, d, v, x->object->span);
	return &value_error;
}

/* `data.idx`: an item of an imported module. The front end has found it; otherwise the object is a value. */
static struct item *module_member(struct elab *e, const struct expr *x)
{
	if (x->item)
		return x->item;
	if (x->object->kind != EXPR_NAME || env_find(e, x->object->name.text))
		return NULL;
	struct item *import = map_get(&e->module->imports, x->object->name.text);
	return import && import->target ? lang_item(e->ast, import->target, x->name.text) : NULL;
}

/* `grid.pp`: how many positions the axis has, as the source has it. */
static const struct value *axis_extent(struct elab *e, const struct place *p, const struct expr *x)
{
	p = p->unfolded ? p->unfolded : p;
	for (int a = 0; a < p->naxes; a++)
		if (p->axis[a] == x->name.text)
			return value_int(e, p->extent[a]);
	place_note_axes(e, elab_error(e, PML0216, x->name.span, "`%s` has no axis `%s`", p->name, x->name.text), p);
	return &value_error;
}

const struct value *expr_field(struct elab *e, const struct expr *x)
{
	struct item *item = module_member(e, x);
	if (item)
		return item_value(e, item, x->span);
	const struct value *v = expr_eval(e, x->object);
	if (value_failed(v))
		return v;
	if (v->kind == VALUE_GRADIENT)
		return gradient_part(e, v, x->name.text, x->name.span);
	if (v->kind == VALUE_STRUCT)
		return struct_field(e, v, x);
	if (v->kind == VALUE_PLACE)
		return axis_extent(e, v->place, x);
	return shape_field(e, v, x);
}

/* ---- lists ---- */

static const struct value *eval_items(struct elab *e, const struct expr *x, enum value_kind kind)
{
	struct value *v = value_new(e, kind);
	bool failed = false;
	for (int i = 0; i < x->items.n; i++) {
		const struct value *item = expr_eval(e, x->items.at[i]);
		failed = failed || value_failed(item);
		vec_push(e->a, &v->items, item);
	}
	return failed ? &value_error : v;
}

static const struct value *eval_range(struct elab *e, const struct expr *x)
{
	struct value *v = value_new(e, VALUE_RANGE);
	if (!x->lhs || !x->rhs) {
		elab_error(e, PML0204, x->span, "a range needs both ends here");
		return &value_error;
	}
	v->range.from = expr_eval(e, x->lhs);
	v->range.to = expr_eval(e, x->rhs);
	return value_failed(v->range.from) || value_failed(v->range.to) ? &value_error : v;
}

const struct value *expr_of_kind(struct elab *e, const struct expr *x)
{
	switch (x->kind) {
	case EXPR_INT:
		return value_int(e, x->i);
	case EXPR_FLOAT:
		return value_float(e, x->f);
	case EXPR_STRING:
		return value_text(e, x->string);
	case EXPR_BOOL:
		return value_bool(e, x->i != 0);
	case EXPR_NAME:
		return expr_name(e, x);
	case EXPR_FIELD:
		return expr_field(e, x);
	case EXPR_MAYBE:
		return expr_maybe(e, x);
	case EXPR_UNARY:
		return expr_unary(e, x);
	case EXPR_BINARY:
		return expr_binary(e, x);
	case EXPR_RANGE:
		return eval_range(e, x);
	case EXPR_CALL:
		return expr_call(e, x);
	case EXPR_INDEX:
		return expr_index(e, x);
	case EXPR_TUPLE:
		return eval_items(e, x, VALUE_TUPLE);
	case EXPR_LIST:
		return eval_items(e, x, VALUE_LIST);
	case EXPR_LAYOUT:
		return layout_eval(e, x);
	case EXPR_TO:
		return expr_to(e, x);
	case EXPR_AS:
		return expr_as(e, x);
	case EXPR_IF:
		return expr_if(e, x);
	case EXPR_EACH:
		return expr_each(e, x);
	case EXPR_REDUCE:
		return notation_let(e, NULL, x, x->span);
	case EXPR_BLOCK:
		if (!strcmp(x->block.head.text, "remat"))
			return expr_remat(e, x);
		if (strcmp(x->block.head.text, "mixed") == 0)
			return expr_mixed(e, x);
		if (strcmp(x->block.head.text, "microbatch") == 0)
			return expr_microbatch(e, x);
		return elab_unsupported(e, x->span, arena_printf(e->a, "`%s`", x->block.head.text));
	case EXPR_PLACE:
		return place_eval(e, x);
	}
	return &value_error;
}
