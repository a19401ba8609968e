/* describe.c — values as messages and `print` name them. */
#include "region.h"

static const char *describe_tensor(struct elab *e, const struct value *v)
{
	struct text t;
	text_init(&t, e->a);
	const struct place *p = tensor_place(e, v);
	type_print(&t, tensor_dtype(e, v), tensor_shape(e, v));
	if (p && p != e->world) /* which no program names */
		text_printf(&t, " @ %s", p->name);
	return text_get(&t);
}

const char *value_describe(struct elab *e, const struct value *v)
{
	switch (v->kind) {
	case VALUE_ERROR:
		return "an error";
	case VALUE_NONE:
		return "nothing";
	case VALUE_HOST:
		if (v->host.known && v->host.ratio.by)
			return arena_printf(e->a, "%g, since %lld does not divide by %lld", v->host.f,
					    (long long)v->host.ratio.of, (long long)v->host.ratio.by);
		return host_type_text(v->host.type);
	case VALUE_TENSOR:
	case VALUE_PARAM:
		return describe_tensor(e, v);
	case VALUE_PLACE:
		return "a placement";
	case VALUE_LAYOUT:
		return "a layout";
	case VALUE_DTYPE:
		return "an element type";
	case VALUE_SHAPE:
		return "a shape";
	case VALUE_TUPLE:
		return arena_printf(e->a, "a tuple of %d", v->items.n);
	case VALUE_LIST:
		return "a list";
	case VALUE_RANGE:
		return "a range";
	case VALUE_STRUCT:
		return arena_printf(e->a, "a `%s`", v->object.item->name.text);
	case VALUE_STRUCT_TYPE:
		return arena_printf(e->a, "the struct `%s`", v->object.item->name.text);
	case VALUE_FUNCTION:
		return "a function";
	case VALUE_BUILTIN:
		return "a built-in function";
	case VALUE_DERIVED:
		return "a differentiated function";
	case VALUE_GRADIENT:
		return "a gradient";
	case VALUE_DATASET:
		return "a dataset";
	case VALUE_BATCHES:
		return "batches of a dataset";
	case VALUE_NAMES:
		return "names of params in files";
	}
	return "?";
}

const char *value_static_text(struct elab *e, const struct value *v)
{
	if (v->kind == VALUE_NONE)
		return "none";
	if (v->kind == VALUE_PLACE)
		return v->place->name;
	if (v->kind == VALUE_DTYPE)
		return dtype_text(v->dtype);
	if (v->kind != VALUE_SHAPE)
		return NULL;
	struct text t;
	text_init(&t, e->a);
	text_add(&t, "[");
	for (int i = 0; i < v->shape.rank; i++)
		text_printf(&t, "%s%lld", i ? ", " : "", (long long)v->shape.dim[i]);
	text_add(&t, "]");
	return text_get(&t);
}
