/* value.c — making and describing values. */
#include "elab.h"

#include <string.h>

const struct value value_error = {.kind = VALUE_ERROR};
const struct value value_none = {.kind = VALUE_NONE}, value_nothing = {.kind = VALUE_NONE};

struct value *value_new(struct elab *e, enum value_kind kind)
{
	struct value *v = ARENA_NEW(e->a, struct value);
	v->kind = kind;
	return v;
}

const struct value *value_host(struct elab *e, const struct host_value *h)
{
	struct value *v = value_new(e, VALUE_HOST);
	v->host = *h;
	return v;
}

bool host_known_same(const struct host_value *l, const struct host_value *r)
{
	bool same_text = l->text && r->text ? strcmp(l->text, r->text) == 0 : !l->text && !r->text;
	return l->known && r->known && l->type == r->type && l->i == r->i && same_text &&
	       memcmp(&l->f, &r->f, sizeof l->f) == 0;
}

const struct value *value_int(struct elab *e, int64_t i)
{
	return value_host(e, &(struct host_value){.type = HOST_INT, .known = true, .i = i});
}

const struct value *value_float(struct elab *e, double f)
{
	return value_host(e, &(struct host_value){.type = HOST_FLOAT, .known = true, .f = f});
}

const struct value *value_bool(struct elab *e, bool b)
{
	return value_host(e, &(struct host_value){.type = HOST_BOOL, .known = true, .i = b});
}

const struct value *value_text(struct elab *e, const char *text)
{
	return value_host(e, &(struct host_value){.type = HOST_TEXT, .known = true, .text = text});
}

const struct value *value_expr(struct elab *e, struct host_expr *expr)
{
	return value_host(e, &(struct host_value){.type = expr->type, .expr = expr});
}

const struct value *value_place(struct elab *e, const struct place *p)
{
	struct value *v = value_new(e, VALUE_PLACE);
	v->place = p;
	return v;
}

const struct value *value_dtype(struct elab *e, enum dtype t)
{
	struct value *v = value_new(e, VALUE_DTYPE);
	v->dtype = t;
	return v;
}

const struct value *value_shape(struct elab *e, const struct shape *s)
{
	struct value *v = value_new(e, VALUE_SHAPE);
	v->shape = *s;
	return v;
}

const struct value *value_layout(struct elab *e, const struct layout_spec *l)
{
	struct value *v = value_new(e, VALUE_LAYOUT);
	struct layout_spec *copy = ARENA_NEW(e->a, struct layout_spec);
	*copy = *l;
	v->layout = copy;
	return v;
}

const struct value *value_atom(struct elab *e, enum shard_kind kind, int dim, int combiner)
{
	struct layout_spec l = {.form = LAYOUT_GIVEN, .layout = layout_broadcast()};
	l.layout.atom[0].kind = (uint8_t)kind;
	l.layout.atom[0].dim = (int8_t)dim;
	l.layout.atom[0].combiner = (uint8_t)combiner;
	return value_layout(e, &l);
}

const struct value *value_tuple(struct elab *e, int n, const struct value *const *items)
{
	struct value *v = value_new(e, VALUE_TUPLE);
	for (int i = 0; i < n; i++) {
		if (value_failed(items[i]))
			return &value_error;
		vec_push(e->a, &v->items, items[i]);
	}
	return v;
}

bool value_is_number(const struct value *v)
{
	return v->kind == VALUE_HOST && (v->host.type == HOST_INT || v->host.type == HOST_FLOAT);
}

bool value_is_tensor(const struct value *v)
{
	return v->kind == VALUE_TENSOR || v->kind == VALUE_PARAM;
}

const char *host_type_text(enum host_type t)
{
	switch (t) {
	case HOST_VOID:
		return "nothing";
	case HOST_INT:
		return "an int";
	case HOST_FLOAT:
		return "a float";
	case HOST_BOOL:
		return "a bool";
	case HOST_TEXT:
		return "a string";
	case HOST_KEY:
		return "a random key";
	case HOST_HANDLE:
		return "a handle";
	}
	return "?";
}
