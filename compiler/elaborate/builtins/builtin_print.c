/* builtin_print.c — print: a line of values, from one rank.
 *
 * Tensors are whole on all ranks behind the region that computes them, so what is printed of them waits for its end. A
 * region does not end inside a function that is differentiated or a micro-batch: there the line waits until the
 * derivative or all micro-batches are done, and whatever is printed meanwhile waits behind it. Waiting lines of a
 * function that is walked once more are forgotten with all else that the first walk did. */
#include "builtin.h"
#include "../region/region.h"

#include <string.h>

/* Evaluated now, or behind the open region. */
static void say(struct elab *e, bool waits, struct host_expr *call, struct span at)
{
	if (waits)
		region_behind(e, call, NULL, at);
	else
		host_eval(e, call, at);
}

static void print_tensor(struct elab *e, const struct value *v, struct span at)
{
	struct node *n = tensor_node(e, v, at);
	struct layout_spec whole = {.form = LAYOUT_GIVEN, .layout = layout_broadcast()};
	struct node_site site = elab_site(e, at);
	site.name = n->name;
	if (n->place)
		n = graph_contract(region_graph(e), &site, n, n->place, &whole, "argument of `print`", at);
	struct host_expr *type = host_int(e, program_type(e->p, n->dtype, &n->shape, e->world, &whole.layout));
	struct host_expr *args[2] = {type, NULL};
	region_behind(e, host_call(e, "print_tensor", HOST_VOID, at, 2, args), n, at);
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
	say(e, waits, host_call(e, calls[v->host.type], HOST_VOID, at, 1, &x), at);
}

/* What ends the line: a text, by name. NULL after an error. */
static const struct value *line_end(struct elab *e, struct arguments *args)
{
	for (int i = 0; i < args->at.n; i++) {
		const struct argument *a = &args->at.at[i];
		if (!a->name || strcmp(a->name, "end") != 0)
			continue;
		const struct value *v = builtin_take(args, "end")->value;
		if (v->kind == VALUE_HOST && v->host.type == HOST_TEXT)
			return v;
		elab_error(e, PML0209, args->span, "`end` of `print` is a string, this is %s", value_describe(e, v));
		return NULL;
	}
	return value_text(e, "\n");
}

/* Whether a number prints the same as a host value: a u64 may be more than an int, and digits hang on the type of a
 * float.
 */
static bool host_says(enum dtype t)
{
	return t != DT_U64 && (!dtype_is_float(t) || t == DT_F32);
}

/* An argument as it is printed: a tensor, or a host value. apart: in the midst of what is computed as one, where no
 * tensor becomes a host value. */
static const struct value *printed(struct elab *e, const struct argument *a, bool apart)
{
	const struct value *v = a->value;
	if (a->name) {
		elab_error(e, PML0203, a->span, "`print` has no parameter `%s`", a->name);
		return &value_error;
	}
	if (value_is_tensor(v) && !apart && tensor_shape(e, v)->rank == 0 && host_says(tensor_dtype(e, v)))
		v = read_scalar(e, v, a->span);
	if (value_static_text(e, v))
		v = value_text(e, value_static_text(e, v));
	if (value_is_tensor(v) || value_failed(v) || (v->kind == VALUE_HOST && v->host.type != HOST_HANDLE))
		return v;
	struct diag *d = elab_error(e, PML0506, a->span, "%s cannot be printed", value_describe(e, v));
	if (v->kind == VALUE_GRADIENT)
		diag_help(d, "its parts can, `g.w`, and its length, `optim.norm(g)`");
	else if (v->kind == VALUE_LIST || v->kind == VALUE_SHAPE)
		diag_help(d, "a list of numbers can as a tensor: `list as i32`");
	return &value_error;
}

/* Values are read before the line begins: reading ends a region. */
const struct value *builtin_print(struct elab *e, struct arguments *args)
{
	bool apart = e->grad_depth || e->micro, tensors = false;
	const struct value *end = line_end(e, args);
	if (!end || graph_loop_refuses(e, args->span, "`print`"))
		return &value_error;
	const struct value **v = ARENA_ARRAY(e->a, const struct value *, args->at.n + 1);
	for (int i = 0; i < args->at.n; i++) {
		v[i] = printed(e, &args->at.at[i], apart);
		if (value_failed(v[i]))
			return &value_error;
		tensors |= value_is_tensor(v[i]);
	}
	bool waits = apart || tensors || region_has_behind(e);
	for (int i = 0; i < args->at.n; i++) {
		if (value_is_tensor(v[i]))
			print_tensor(e, v[i], args->at.at[i].span);
		else
			print_host(e, waits, v[i], args->at.at[i].span);
	}
	if (waits)
		end = host_freeze(e, end, NULL, args->span);
	struct host_expr *x = host_of(e, &end->host);
	say(e, waits, host_call(e, "print_end", HOST_VOID, args->span, 1, &x), args->span);
	if (waits && !apart)
		region_close(e);
	return &value_none;
}
