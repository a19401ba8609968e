/* builtin_print.c — print: a line of values, from one rank.
 *
 * Tensors are whole on all ranks behind the region that computes them, so what is printed of them waits for its end. A
 * region does not end inside a function that is differentiated or a micro-batch: there the line waits until the
 * derivative or all micro-batches are done, and whatever is printed meanwhile waits behind it. Waiting lines of a
 * function that is walked once more are forgotten with all else that the first walk did. */
#include "builtin.h"
#include "../region/region.h"
#include "../values/values.h"

#include <string.h>

/* part: it is one of several that the argument at `at` consists of. */
static void print_tensor(struct elab *e, const struct value *v, bool part, struct span at)
{
	struct node *n = region_shown(e, v, part ? "part of an argument of `print`" : "argument of `print`",
				      part ? (struct span){0} : at, at);
	struct layout_spec whole = {.form = LAYOUT_GIVEN, .layout = layout_broadcast()};
	struct host_expr *type = host_int(e, program_type(e->p, n->dtype, &n->shape, e->world, &whole.layout));
	struct host_expr *args[3] = {type, NULL, NULL};
	struct shown shown = {.node = n, .arg = 1, .as = HOST_HANDLE};
	region_behind(e, host_call(e, "print_tensor", HOST_VOID, at, 3, args), 1, &shown, at);
}

static void print_host(struct elab *e, bool waits, const struct value *v, struct span at)
{
	static const char *const calls[] = {[HOST_INT] = "print_int",
					    [HOST_FLOAT] = "print_float",
					    [HOST_BOOL] = "print_bool",
					    [HOST_TEXT] = "print_text",
					    [HOST_KEY] = "print_int"};
	if (waits)
		v = host_freeze(e, v, NULL, at);
	struct host_expr *x = host_of(e, &v->host);
	region_say(e, waits, host_call(e, calls[v->host.type], HOST_VOID, at, 1, &x), at);
}

/* Whether a number prints the same as a host value: a u64 may be more than an int, and digits hang on the type of a
 * float.
 */
static bool host_says(enum dtype t)
{
	return t != DT_U64 && (!dtype_is_float(t) || t == DT_F32);
}

/* What is made of others is printed as the source writes it. */
struct members {
	const char *open, *close;
	int n;
};

static struct members members_of(struct elab *e, const struct value *v)
{
	bool is_list = v->kind == VALUE_LIST;
	const char *end = v->kind == VALUE_TUPLE && v->items.n == 1 ? ",)" : ")";
	if (v->kind == VALUE_STRUCT)
		return (struct members){arena_printf(e->a, "%s(", v->object.item->name.text), ")", v->object.fields.n};
	if (v->kind == VALUE_GRADIENT)
		return (struct members){"(", ")", v->gradient.n};
	return (struct members){is_list ? "[" : "(", is_list ? "]" : end, v->items.n};
}

/* NULL: it has none. */
static const char *name_of_member(const struct value *v, int i)
{
	return v->kind == VALUE_STRUCT     ? v->object.fields.at[i].name
	       : v->kind == VALUE_GRADIENT ? v->gradient.at[i].name
					   : NULL;
}

static bool is_printable(struct elab *e, const struct value *v)
{
	bool all = true;
	if (!value_is_composed(v))
		return value_is_tensor(v) || value_static_text(e, v) ||
		       (v->kind == VALUE_HOST && v->host.type != HOST_HANDLE);
	for (int i = 0; i < members_of(e, v).n; i++) {
		const struct gradient_entry *d = v->kind == VALUE_GRADIENT ? &v->gradient.at[i] : NULL;
		all = all && is_printable(e, d && !d->d ? d->all : value_member(e, v, i));
	}
	return all;
}

/* A tensor or number as it is printed: a tensor, or a host value. apart: in the midst of what is computed as one, where
 * no tensor becomes a host value, and numbers of a graph are tensors. */
static const struct value *part_printed(struct elab *e, const struct value *v, bool apart, struct span at)
{
	if (apart)
		return number_as_tensor(e, v, at);
	if (value_is_tensor(v) && tensor_shape(e, v)->rank == 0 && host_says(tensor_dtype(e, v)))
		return read_scalar(e, v, at);
	return v;
}

/* An argument with its parts as they are printed. */
static const struct value *printed(struct elab *e, const struct argument *a, bool apart)
{
	struct parts all = {0}, read = {0};
	if (value_failed(a->value))
		return a->value;
	if (!is_printable(e, a->value)) {
		struct diag *d = elab_error(e, PML0506, a->span, "%s cannot be printed", value_describe(e, a->value));
		elab_help_sort(e, d, a->value, a->span);
		return &value_error;
	}
	parts_collect(e, a->value, &all);
	for (int i = 0; i < all.at.n; i++) {
		const struct value *part = part_printed(e, all.at.at[i], apart, a->span);
		if (value_failed(part))
			return part;
		vec_push(e->a, &read.at, part);
	}
	return parts_replaced(e, a->value, &read);
}

static bool has_tensors(struct elab *e, const struct value *v)
{
	struct parts all = {0};
	parts_collect(e, v, &all);
	for (int i = 0; i < all.at.n; i++)
		if (value_is_tensor(all.at.at[i]))
			return true;
	return false;
}

/* Not an item of the line, but what stands between, before or behind those of a list and the like. */
static void print_mark(struct elab *e, bool waits, const char *text, bool begins, bool ends, struct span at)
{
	struct host_value flag[2] = {{.type = HOST_BOOL, .known = true, .i = begins},
				     {.type = HOST_BOOL, .known = true, .i = ends}};
	struct host_expr *x[3] = {host_text(e, text), host_of(e, &flag[0]), host_of(e, &flag[1])};
	region_say(e, waits, host_call(e, "print_mark", HOST_VOID, at, 3, x), at);
}

/* Whether there are floats that only the running program knows: those may turn out not to be finite. */
static bool has_floats(struct elab *e, const struct value *v)
{
	struct parts all = {0};
	bool any = false;
	parts_collect(e, v, &all);
	for (int i = 0; i < all.at.n; i++) {
		const struct value *x = all.at.at[i];
		any |= (value_is_tensor(x) && dtype_is_float(tensor_dtype(e, x))) ||
		       (x->kind == VALUE_HOST && x->host.type == HOST_FLOAT && !x->host.known);
	}
	return any;
}

/* What the runtime calls them by: nothing where there are none, or the program says itself that they are infinite. */
static void print_name(struct elab *e, bool waits, const struct argument *a, const struct value *v)
{
	struct text name;
	text_init(&name, e->a);
	if (a->expr && has_floats(e, v))
		ast_print_expr(&name, a->expr);
	struct host_expr *x[2] = {host_text(e, text_get(&name)), host_int(e, elab_site_id(e, a->span, "print"))};
	region_say(e, waits, host_call(e, "print_name", HOST_VOID, a->span, 2, x), a->span);
}

/* Of the floats that follow on the line. */
static void print_digits(struct elab *e, bool waits, const struct digits *d, struct span at)
{
	struct host_value behind_point = {.type = HOST_BOOL, .known = true, .i = d->behind_point};
	const struct value *count = waits ? host_freeze(e, d->count, NULL, at) : d->count;
	struct host_expr *x[3] = {host_of(e, &count->host), host_of(e, &behind_point),
				  host_int(e, elab_site_id(e, at, "print"))};
	region_say(e, waits, host_call(e, "print_digits", HOST_VOID, at, 3, x), at);
}

static void print_value(struct elab *e, bool waits, const struct value *v, bool part, struct span at)
{
	if (value_is_tensor(v)) {
		print_tensor(e, v, part, at);
		return;
	}
	if (!value_is_composed(v)) {
		const char *text = value_static_text(e, v);
		print_host(e, waits, text ? value_text(e, text) : v, at);
		return;
	}
	struct members all = members_of(e, v);
	print_mark(e, waits, all.open, true, false, at);
	for (int i = 0; i < all.n; i++) {
		const char *name = name_of_member(v, i), *comma = i ? ", " : "";
		if (name)
			print_mark(e, waits, arena_printf(e->a, "%s%s = ", comma, name), false, false, at);
		else if (i)
			print_mark(e, waits, comma, false, false, at);
		print_value(e, waits, value_member(e, v, i), true, at);
	}
	print_mark(e, waits, all.close, false, true, at);
}

/* Values are read before the line begins: reading ends a region. */
const struct value *builtin_print(struct elab *e, struct arguments *args)
{
	bool apart = region_stays_open(e), tensors = false;
	struct digits digits;
	const struct value *end;
	if (!builtin_option(e, args, BUILTIN_print, "end", HOST_TEXT, &end) ||
	    !builtin_digits(e, args, BUILTIN_print, &digits) || !graph_loop_shows(e, args->span, "`print`"))
		return &value_error;
	int n = args->at.n;
	struct argument *a = ARENA_ARRAY(e->a, struct argument, n + 1);
	const struct value **v = ARENA_ARRAY(e->a, const struct value *, n + 1);
	for (int i = 0; i < n; i++) {
		const struct argument *next = builtin_take(args, NULL);
		if (!next) {
			builtin_done(e, args, BUILTIN_print);
			return &value_error;
		}
		a[i] = *next;
		v[i] = printed(e, &a[i], apart);
		if (value_failed(v[i]))
			return &value_error;
		tensors |= has_tensors(e, v[i]);
	}
	bool waits = apart || tensors || region_has_behind(e);
	bool named = false;
	if (digits.count)
		print_digits(e, waits, &digits, args->span);
	for (int i = 0; i < n; i++) {
		named |= has_floats(e, v[i]);
		if (named)
			print_name(e, waits, &a[i], v[i]);
		print_value(e, waits, v[i], false, a[i].span);
	}
	if (!end)
		end = value_text(e, "\n");
	if (waits)
		end = host_freeze(e, end, NULL, args->span);
	struct host_expr *x = host_of(e, &end->host);
	region_say(e, waits, host_call(e, "print_end", HOST_VOID, args->span, 1, &x), args->span);
	if (waits && !apart)
		region_close(e);
	return &value_nothing;
}
