/* order.c — arguments that stand in another order than the parameters, `full([3], 2.0)`, or without the brackets of the
 * list that they are, `zeros(3, 4)`: told once, with the edit, instead of each that does not fit.
 *
 * Only what cannot fit counts: a parameter without a type takes everything here. */
#include "values.h"

#include <string.h>

enum { MOST = 8 };

/* The parameters by position of a function or operator, and what is given for them. */
struct call {
	struct elab *e;
	const struct item *item;
	const struct argument *given[MOST];
	int n;
};

static bool is_host(const struct value *v, enum host_type t)
{
	return v->kind == VALUE_HOST && v->host.type == t;
}

/* What a generic or a class of element types stands for: "float", "int", "bool", an element type; else NULL. */
static const char *elements_of(const struct call *c, const struct type *t)
{
	for (int i = 0; i < c->item->generics.n; i++)
		if (c->item->generics.at[i].name.text == t->name.text)
			return c->item->generics.at[i].kind.text;
	return t->name.text;
}

static bool has_elements(const char *want, enum dtype t)
{
	if (!want)
		return true;
	if (!strcmp(want, "int"))
		return dtype_is_int(t);
	if (!strcmp(want, "float"))
		return dtype_is_float(t);
	return dtype_of_text(want) == DT_COUNT || dtype_of_text(want) == t;
}

/* Whether a number or bool of the host can be an element of that kind. */
static bool becomes(const char *want, const struct value *v)
{
	enum dtype t = want ? dtype_of_text(want) : DT_COUNT;
	if (t != DT_COUNT && dtype_kind(t) == DTYPE_BOOL)
		return is_host(v, HOST_BOOL);
	bool ints = t != DT_COUNT ? dtype_is_int(t) : want && !strcmp(want, "int");
	return !ints || !is_host(v, HOST_FLOAT);
}

static bool fits_tensor(const struct call *c, const struct param *p, const struct value *v)
{
	const char *want = p->type ? elements_of(c, p->type) : NULL;
	bool single = p->has_dims ? p->dims.n == 0 : p->type && p->type->has_dims && p->type->dims.n == 0;
	if (v->kind == VALUE_FUNCTION || v->kind == VALUE_DTYPE || is_host(v, HOST_TEXT) || is_host(v, HOST_KEY))
		return false;
	if (!value_is_tensor(v))
		return (!single || !value_is_list(v)) && (v->kind != VALUE_HOST || becomes(want, v));
	if (single && tensor_shape(c->e, v)->rank)
		return false;
	return has_elements(want, tensor_dtype(c->e, v));
}

static bool is_single(const struct call *c, const struct value *v)
{
	return value_is_tensor(v) && !tensor_shape(c->e, v)->rank;
}

static bool is_of(const struct param *p, const char *name)
{
	return p->type && !p->has_dims && !p->type->has_dims && p->type->name.text && !strcmp(p->type->name.text, name);
}

/* Whether v may be given for the parameter; false only where it cannot. */
static bool may_be(const struct call *c, const struct param *p, const struct value *v)
{
	const struct type *t = p->type;
	if (v->kind == VALUE_NONE || (t && (t->kind == TYPE_TUPLE || t->kind == TYPE_ARRAY)))
		return true;
	if (t && t->item)
		return v->kind == VALUE_STRUCT || v->kind == VALUE_STRUCT_TYPE || v->kind == VALUE_GRADIENT;
	if (p->has_dims || (t && t->has_dims))
		return fits_tensor(c, p, v);
	if (!t || !t->name.text)
		return true;
	const char *name = t->name.text;
	if (!strcmp(name, "shape"))
		return value_is_list(v);
	if (!strcmp(name, "list"))
		return value_is_list(v) || v->kind == VALUE_TUPLE;
	if (!strcmp(name, "rngkey"))
		return is_host(v, HOST_KEY) || (value_is_tensor(v) && tensor_dtype(c->e, v) == DT_U64);
	if (!strcmp(name, "dtype"))
		return v->kind == VALUE_DTYPE;
	if (!strcmp(name, "string") || !strcmp(name, "path"))
		return is_host(v, HOST_TEXT);
	if (!strcmp(name, "int"))
		return is_host(v, HOST_INT) || is_single(c, v);
	return strcmp(name, "float") || value_is_number(v) || is_single(c, v);
}

/* A size in place of a shape. */
static bool is_size(const struct call *c, int param, int argument)
{
	return is_of(&c->item->params.at[param], "shape") && is_host(c->given[argument]->value, HOST_INT);
}

static bool all_fit(const struct call *c, const int *at)
{
	for (int i = 0; i < c->n; i++)
		if (!may_be(c, &c->item->params.at[i], c->given[at[i]]->value) && !is_size(c, i, at[i]))
			return false;
	return true;
}

/* One argument moved from one place to another. */
static void moved(int n, int from, int to, int *at)
{
	int k = 0;
	for (int i = 0; i < n; i++) {
		if (i == to)
			at[i] = from;
		else {
			k += k == from;
			at[i] = k++;
		}
	}
}

/* The order that fits with one argument moved, and with the fewest of them in another place; false if none fits. */
static bool order_that_fits(const struct call *c, int *best)
{
	int most = -1, at[MOST];
	for (int from = 0; from < c->n; from++)
		for (int to = 0; to < c->n; to++) {
			moved(c->n, from, to, at);
			int stay = 0;
			for (int i = 0; i < c->n; i++)
				stay += at[i] == i;
			if (from == to || stay <= most || !all_fit(c, at))
				continue;
			most = stay;
			memcpy(best, at, sizeof at);
		}
	return most >= 0;
}

static bool is_in_program(const struct call *c)
{
	for (int i = 0; i < c->n; i++)
		if (elab_is_of_library(c->e, c->given[i]->span) || c->given[i]->span.file != c->given[0]->span.file)
			return false;
	return true;
}

static const char *source_of(const struct call *c, struct span at)
{
	return arena_printf(c->e->a, "%.*s", (int)(at.end - at.begin), c->e->s->sources.at[at.file].bytes + at.begin);
}

static void tell_order(const struct call *c, const int *at)
{
	int first = 0;
	while (may_be(c, &c->item->params.at[first], c->given[first]->value))
		first++;
	struct diag *d = elab_error(c->e, PML0203, c->given[first]->span,
				    "the arguments of `%s` stand in another order: it takes %s", c->item->name.text,
				    param_names(c->e, c->item->params.at, c->n));
	diag_primary(d, "this is no `%s`", c->item->params.at[first].name.text);
	if (!is_in_program(c))
		return;
	diag_help(d, "put them in this order");
	for (int i = 0; i < c->n; i++)
		if (at[i] != i)
			diag_edit(d, c->given[i]->span,
				  arena_printf(c->e->a, is_size(c, i, at[i]) ? "[%s]" : "%s",
					       source_of(c, c->given[at[i]]->span)));
}

static void put_in_brackets(struct elab *e, struct diag *d, struct span first, struct span last)
{
	diag_help(d, "a list stands in brackets");
	if (elab_is_of_library(e, first) || elab_is_of_library(e, last) || first.file != last.file)
		return;
	diag_edit(d, (struct span){first.file, first.begin, first.begin}, "[");
	diag_edit(d, (struct span){last.file, last.end, last.end}, "]");
}

static bool is_tuple_of_sizes(const struct value *v)
{
	bool all = v->kind == VALUE_TUPLE;
	for (int i = 0; all && i < v->items.n; i++)
		all = is_host(v->items.at[i], HOST_INT);
	return all;
}

/* `zeros((3, 4))`: the parentheses of a tuple become brackets. */
static void put_brackets_for_parentheses(const struct call *c, struct diag *d, struct span at)
{
	const char *source = source_of(c, at);
	diag_help(d, "a list stands in brackets");
	if (elab_is_of_library(c->e, at) || source[0] != '(')
		return;
	diag_edit(d, (struct span){at.file, at.begin, at.begin + 1}, "[");
	diag_edit(d, (struct span){at.file, at.end - 1, at.end}, "]");
}

/* Arguments from `first` on that are the members of one list: `zeros(3, 4)`, `concat(x, y)`. */
static bool tell_list(const struct call *c, int first)
{
	bool sizes = is_of(&c->item->params.at[first], "shape"),
	     tuple = sizes && is_tuple_of_sizes(c->given[first]->value);
	if (!sizes && !is_of(&c->item->params.at[first], "list"))
		return false;
	for (int i = first; i < c->n && !tuple; i++)
		if (sizes ? !is_host(c->given[i]->value, HOST_INT) : !value_is_tensor(c->given[i]->value))
			return false;
	const char *param = c->item->params.at[first].name.text;
	struct span begin = c->given[first]->span, end = c->given[c->n - 1]->span;
	struct diag *d =
		elab_error(c->e, PML0209, begin, "parameter `%s` of `%s` is a list%s, this is %s", param,
			   c->item->name.text, sizes ? " of sizes" : "", value_describe(c->e, c->given[first]->value));
	diag_label(d, c->item->params.at[first].span, "declared here");
	if (tuple)
		put_brackets_for_parentheses(c, d, begin);
	else
		put_in_brackets(c->e, d, begin, end);
	return true;
}

bool arguments_of_list(struct elab *e, const char *callee, const struct arguments *args)
{
	int n = args->at.n, ints = 0;
	const struct argument *a = args->at.at;
	for (int i = 1; i < n && !a[i].name && is_host(a[i].value, HOST_INT); i++)
		ints++;
	if (n > 1 && ints == n - 1 && value_is_tensor(a[0].value) && !a[0].name) {
		struct diag *d =
			elab_error(e, PML0209, a[1].span, "`%s` takes one list of ints, this is an int", callee);
		put_in_brackets(e, d, a[1].span, a[n - 1].span);
		return true;
	}
	if (n != 2 || a[0].name || a[1].name || !value_is_list(a[0].value) || !value_is_tensor(a[1].value))
		return false;
	struct call c = {.e = e, .given = {&a[0], &a[1]}, .n = 2};
	struct diag *d = elab_error(e, PML0203, a[0].span,
				    "the arguments of `%s` stand in another order: it takes the tensor first", callee);
	if (is_in_program(&c)) {
		diag_help(d, "put them in this order");
		diag_edit(d, a[0].span, source_of(&c, a[1].span));
		diag_edit(d, a[1].span, source_of(&c, a[0].span));
	}
	return true;
}

bool arguments_disordered(struct elab *e, const struct item *item, const struct arguments *args)
{
	struct call c = {.e = e, .item = item};
	int at[MOST];
	for (int i = 0; i < args->at.n && !args->at.at[i].name; i++) {
		if (i == MOST || i == item->params.n || value_failed(args->at.at[i].value) || !args->at.at[i].expr)
			return false;
		c.given[c.n++] = &args->at.at[i];
	}
	int bad = 0;
	while (bad < c.n && may_be(&c, &item->params.at[bad], c.given[bad]->value))
		bad++;
	if (bad == c.n)
		return false;
	if (tell_list(&c, bad))
		return true;
	bool found = order_that_fits(&c, at);
	if (found)
		tell_order(&c, at);
	return found;
}
