/* grad.c — grad, value_and_grad, vjp, jvp: the function is walked into the graph, then autodiff appends its derivative.
 *
 * By default the gradient is by every param the function reads and its result needs; `wrt` names some of them, or
 * arguments instead. A function that reads no param is differentiated by its float tensors. Params are read anew inside
 * the function and arguments go through an identity, so that what they were computed from has no part in the
 * derivative. So do params in a derivative inside of another one: the outer derivative is by all that is read of a
 * param. */
#include "gradients.h"
#include "../values/values.h"

#include <string.h>

enum { MAX_WRT = 4096 };

struct wrt {
	VEC(const struct value *) arguments; /* that the derivative is by, made of the nodes */
	int n;
	struct node *node[MAX_WRT];
	int slot[MAX_WRT]; /* -1: an argument */
	const char *name[MAX_WRT];
};

/* ---- arguments as variables of the derivative ---- */

static bool is_float_tensor(struct elab *e, const struct value *v)
{
	return value_is_tensor(v) && dtype_is_float(tensor_dtype(e, v));
}

static const char *parameter_name(const struct value *f, int i)
{
	return f->kind == VALUE_FUNCTION && i < f->function->params.n ? f->function->params.at[i].name.text : "";
}

static const char *argument_name(const struct value *f, const struct arguments *args, int i)
{
	return args->at.at[i].name ? args->at.at[i].name : parameter_name(f, i);
}

/* A node of its own for a part of an argument, which is counted among the variables. */
static const struct value *variable(struct elab *e, const struct value *part, const char *name, struct span at,
				    struct wrt *w)
{
	struct node_site site = elab_site(e, at);
	struct node *n = tensor_node(e, part, at);
	struct layout_spec any = {.form = LAYOUT_INFER};
	struct graph *g = region_graph(e);
	site.name = n->name;
	/* In whatever layout it comes, P too: what the function takes, its signature says. */
	n = n->place ? graph_to(g, &site, n, n->place, &any)
		     : graph_contract(g, &site, n, NULL, &any, arena_printf(e->a, "argument `%s`", name), at);
	w->node[w->n] = n;
	w->slot[w->n] = -1;
	w->name[w->n++] = name;
	return tensor_value_of(e, n);
}

static void add_argument(struct elab *e, const struct value *f, struct arguments *args, int i, struct wrt *w)
{
	struct argument *a = &args->at.at[i];
	struct parts parts = {0}, variables = {0};
	parts_collect(e, a->value, &parts);
	for (int k = 0; k < parts.at.n; k++)
		vec_push(e->a, &variables.at, variable(e, parts.at.at[k], argument_name(f, args, i), a->span, w));
	a->value = parts_replaced(e, a->value, &variables);
	vec_push(e->a, &w->arguments, a->value);
}

/* A float tensor, or something made of nothing else. */
static bool is_differentiable(struct elab *e, const struct value *v, const struct wrt *w)
{
	struct parts parts = {0};
	parts_collect(e, v, &parts);
	bool all = parts.at.n > 0 && parts.at.n <= MAX_WRT - w->n;
	for (int i = 0; i < parts.at.n; i++)
		all = all && is_float_tensor(e, parts.at.at[i]);
	return all;
}

static bool add_named(struct elab *e, const struct derived *d, struct arguments *args, struct wrt *w)
{
	for (int k = 0; k < d->wrt.n; k++) {
		int found = -1;
		for (int i = 0; i < args->at.n; i++)
			if (argument_name(d->function, args, i) == d->wrt.at[k].text)
				found = i;
		if (found < 0) {
			elab_error(e, PML0413, d->wrt.at[k].span, "the function has no argument `%s` here",
				   d->wrt.at[k].text);
			return false;
		}
		if (!is_differentiable(e, args->at.at[found].value, w)) {
			struct diag *m = elab_error(e, PML0413, args->at.at[found].span,
						    "the gradient by `%s` needs a float tensor, this is %s",
						    d->wrt.at[k].text, value_describe(e, args->at.at[found].value));
			diag_note(m, "a struct, tuple, list or gradient of float tensors alone will do as well");
			return false;
		}
		add_argument(e, d->function, args, found, w);
	}
	return true;
}

static void add_all(struct elab *e, const struct value *f, struct arguments *args, struct wrt *w)
{
	for (int i = 0; i < args->at.n; i++)
		if (is_float_tensor(e, args->at.at[i].value))
			add_argument(e, f, args, i, w);
}

/* ---- params as variables ---- */

static bool has_slot(const struct wrt_params *p, int slot)
{
	for (int i = 0; i < p->slots.n; i++)
		if (p->slots.at[i] == slot)
			return true;
	return false;
}

static bool is_asked_for(const struct derived *d, int slot)
{
	for (int i = 0; i < d->only.n; i++)
		if (has_slot(&d->only.at[i], slot))
			return true;
	return d->only.n == 0;
}

/* Everything that `wrt` names must have a part in the function. */
static bool check_found(struct elab *e, const struct derived *d, const struct wrt *w)
{
	for (int i = 0; i < d->only.n; i++) {
		const struct wrt_params *p = &d->only.at[i];
		bool found = false;
		for (int k = 0; k < w->n; k++)
			found |= has_slot(p, w->slot[k]);
		if (found)
			continue;
		elab_error(e, PML0413, p->span, "the function's result does not depend on `%s`",
			   e->p->slots.at[p->slots.at[0]]->name);
		return false;
	}
	return true;
}

/* Params in the order in which the function reads them. */
struct reads {
	int n, slot[MAX_WRT];
	struct node *node[MAX_WRT];
};

static int place_of(const struct reads *r, const struct node *n)
{
	for (int i = 0; i < r->n; i++)
		if (r->node[i] == n)
			return i;
	return -1;
}

static void swap_reads(struct reads *r, int i, int k)
{
	struct node *node = r->node[i];
	int slot = r->slot[i];
	r->node[i] = r->node[k];
	r->slot[i] = r->slot[k];
	r->node[k] = node;
	r->slot[k] = slot;
}

/* A loop over lists has read them list by list; its turns read one of each list, then the next. The places are those
 * that the lists have. */
static void order_turns(struct elab *e, const struct graph *g, const struct loop *l, struct reads *r)
{
	VEC(const struct node *) lines = {0};
	VEC(int) places = {0};
	for (int i = 0; i < g->nodes.n; i++)
		if (g->nodes.at[i]->kind == NODE_LINE && g->nodes.at[i]->of == l && g->nodes.at[i]->nin > 1)
			vec_push(e->a, &lines, g->nodes.at[i]);
	for (int i = 0; i < r->n && lines.n; i++)
		for (int k = 0, found = 0; k < lines.n && !found; k++)
			for (int t = 0; t < lines.at[k]->nin && !found; t++)
				if (lines.at[k]->in[t] == r->node[i]) {
					vec_push(e->a, &places, i);
					found = 1;
				}
	int next = 0;
	for (int t = 0; next < places.n && t < MAX_WRT; t++)
		for (int k = 0; k < lines.n && next < places.n; k++) {
			int at = t < lines.at[k]->nin ? place_of(r, lines.at[k]->in[t]) : -1;
			if (at >= places.at[next])
				swap_reads(r, at, places.at[next++]);
		}
}

static bool add_params(struct elab *e, const struct derived *d, struct node *y, struct wrt *w)
{
	struct reads *r = ARENA_NEW(e->a, struct reads);
	const struct graph *g = region_graph(e);
	r->n = region_reads(e, r->slot, r->node, MAX_WRT);
	for (int i = 0; i < g->loops.n; i++)
		order_turns(e, g, g->loops.at[i], r);
	bool *needed = graph_needed(g, e->a, 1, &y, false);
	for (int i = 0; i < r->n; i++) {
		const struct slot *s = e->p->slots.at[r->slot[i]];
		if (s->slot_class != SLOT_PARAM || !needed[r->node[i]->id] || w->n == MAX_WRT ||
		    !is_asked_for(d, r->slot[i]))
			continue;
		w->node[w->n] = r->node[i];
		w->slot[w->n] = r->slot[i];
		w->name[w->n++] = s->name;
	}
	return check_found(e, d, w);
}

/* ---- the function's value ---- */

static const struct value *walk(struct elab *e, const struct derived *d, struct arguments *args)
{
	struct arguments copy = {.span = args->span};
	for (int i = 0; i < args->at.n; i++)
		vec_push(e->a, &copy.at, args->at.at[i]);
	e->grad_depth++;
	const struct value *v = call_value(e, d->function, &copy);
	e->grad_depth--;
	return v;
}

/* What is differentiated: the result, or the first of several. */
static struct node *result_node(struct elab *e, const struct derived *d, const struct value *v, bool scalar)
{
	if (value_failed(v))
		return NULL;
	if (v->kind == VALUE_TUPLE && v->items.n)
		v = v->items.at[0];
	if (!value_is_tensor(v) || !dtype_is_float(tensor_dtype(e, v)) || (scalar && tensor_shape(e, v)->rank)) {
		struct diag *m = elab_error(e, PML0410, d->span,
					    "a gradient is of a function that gives one float, this one gives %s",
					    value_describe(e, v));
		if (value_is_tensor(v) && tensor_shape(e, v)->rank)
			diag_help(m, "sum it or take its mean: `mean(y)`");
		if (v->kind == VALUE_HOST)
			diag_note(m, "a number of the host depends on no tensor");
		return NULL;
	}
	return tensor_node(e, v, d->span);
}

/* ---- results ---- */

/* A layout by axes says nothing of the axes that it does not mention: there the gradient is laid out like the param. */
static bool asked_layout(struct elab *e, const struct ast_layout *asked, const struct slot *s, struct layout_spec *out)
{
	if (!layout_resolve(e, asked, s->place, s->shape.rank, out))
		return false;
	for (int a = 0; asked->named_axes && a < s->place->naxes; a++) {
		bool mentioned = false;
		for (int i = 0; i < asked->atoms.n; i++)
			mentioned |= asked->atoms.at[i].axis.text == s->place->axis[a];
		if (!mentioned)
			out->layout.atom[a] = s->layout.layout.atom[a];
	}
	return true;
}

/* Brings a gradient to where its param is, in the layout that the program asks for. */
static const struct value *finished(struct elab *e, const struct slot *s, struct node *g, const struct layout_spec *l,
				    const struct node *forward, struct span at)
{
	struct node_site site = elab_site(e, at);
	site.origin = ORIGIN_BACKWARD;
	site.forward = forward;
	site.name = arena_printf(e->a, "d%s", s->name);
	if (!g->place)
		return tensor_value_of(e, graph_to(region_graph(e), &site, g, s->place, l));
	g = tensor_adopt(e, g, s->place, at);
	return tensor_value_of(e, graph_contract(region_graph(e), &site, g, s->place, l,
						 arena_printf(e->a, "gradient of `%s`", s->name), s->span));
}

const struct value *gradient_entry_value(struct elab *e, const struct gradient_entry *entry, struct node *g,
					 struct span at)
{
	return finished(e, e->p->slots.at[entry->slot], g, &entry->layout, g->forward, at);
}

static const struct value *param_gradient(struct elab *e, const struct derived *d, const struct wrt *w, int i,
					  struct node *g, struct layout_spec *layout)
{
	const struct slot *s = e->p->slots.at[w->slot[i]];
	struct layout_spec l = s->layout;
	if (d->layout && !asked_layout(e, d->layout, s, &l))
		return &value_error;
	*layout = l;
	return finished(e, s, g, &l, w->node[i], d->span);
}

/* What each argument is made of, derivatives in the place of its tensors. */
static const struct value *argument_gradients(struct elab *e, const struct wrt *w, struct node **out)
{
	const struct value **by = ARENA_ARRAY(e->a, const struct value *, w->arguments.n);
	for (int i = 0, at = 0; i < w->arguments.n; i++) {
		struct parts parts = {0}, d = {0};
		parts_collect(e, w->arguments.at[i], &parts);
		for (int k = 0; k < parts.at.n; k++)
			vec_push(e->a, &d.at, tensor_value_of(e, out[at++]));
		by[i] = parts_replaced(e, w->arguments.at[i], &d);
	}
	return w->arguments.n == 1 ? by[0] : value_tuple(e, w->arguments.n, by);
}

static const struct value *gradient_value(struct elab *e, const struct derived *d, const struct wrt *w,
					  struct node **out)
{
	if (w->arguments.n)
		return argument_gradients(e, w, out);
	struct value *v = value_new(e, VALUE_GRADIENT);
	for (int i = 0; i < w->n; i++) {
		struct gradient_entry entry = {.slot = w->slot[i], .name = w->name[i]};
		entry.d = param_gradient(e, d, w, i, out[i], &entry.layout);
		if (value_failed(entry.d))
			return &value_error;
		vec_push(e->a, &v->gradient, entry);
	}
	return v;
}

/* Walks the function; where no variables are found yet, they are the params that its result needs. y is NULL after an
 * error. */
static const struct value *walk_to_result(struct elab *e, const struct derived *d, struct arguments *args,
					  struct wrt *w, struct node **y)
{
	region_derivative_begin(e);
	const struct value *v = walk(e, d, args);
	*y = result_node(e, d, v, d->how == DERIVE_GRAD || d->how == DERIVE_VALUE_AND_GRAD);
	if (*y && !w->n && d->how != DERIVE_JVP && !add_params(e, d, *y, w))
		*y = NULL;
	region_derivative_end(e);
	return v;
}

/* Walks the function with its variables found; y is NULL after an error. */
static const struct value *prepare(struct elab *e, const struct derived *d, struct arguments *args, struct wrt *w,
				   struct node **y)
{
	*y = NULL;
	w->n = w->arguments.n = 0;
	if (d->wrt.n && !add_named(e, d, args, w))
		return &value_error;
	/* vjp is by the arguments like jvp, grad by the params where there are any. */
	if (d->how == DERIVE_VJP && !d->wrt.n && !d->only.n)
		add_all(e, d->function, args, w);
	const struct region_mark *before = region_mark(e);
	const struct value *v = walk_to_result(e, d, args, w, y);
	if (!*y || w->n)
		return v;
	add_all(e, d->function, args, w);
	for (int i = 0, tensors = w->n; i < args->at.n && !tensors; i++)
		if (is_differentiable(e, args->at.at[i].value, w))
			add_argument(e, d->function, args, i, w);
	if (!w->n) {
		struct diag *m = elab_error(e, PML0412, d->span, "there is nothing to differentiate by");
		diag_note(m, "the function reads no param and takes no float tensor");
		*y = NULL;
		return &value_error;
	}
	/* It is walked again, from the arguments' own nodes; what it has done to states and printed is not done
	 * twice. */
	region_back(e, before);
	return walk_to_result(e, d, args, w, y);
}

static const struct value *reverse(struct elab *e, const struct derived *d, struct arguments *args)
{
	struct wrt *w = ARENA_NEW(e->a, struct wrt);
	struct argument seed_argument = {0};
	struct node *y, *seed = NULL;
	if (d->how == DERIVE_VJP) {
		const struct value *last = args->at.n ? args->at.at[args->at.n - 1].value : &value_none;
		if (!value_is_tensor(last) && !value_is_number(last)) {
			elab_error(e, PML0414, args->span,
				   "the last argument of `vjp(f)` is a cotangent, a tensor like the result of f");
			return &value_error;
		}
		seed_argument = args->at.at[--args->at.n];
	}
	const struct value *v = prepare(e, d, args, w, &y);
	if (!y)
		return &value_error;
	struct graph *g = region_graph(e);
	struct node_site site = elab_site(e, d->span);
	site.origin = ORIGIN_BACKWARD;
	site.forward = y;
	if (seed_argument.value) {
		seed = value_is_tensor(seed_argument.value)
			       ? tensor_node(e, seed_argument.value, seed_argument.span)
			       : tensor_of_host(e, seed_argument.value, y->dtype, seed_argument.span);
		if (seed->dtype != y->dtype || !shape_equal(&seed->shape, &y->shape)) {
			elab_error(e, PML0414, seed_argument.span, "the cotangent is %s, the function gives %s",
				   value_describe(e, seed_argument.value), value_describe(e, tensor_value_of(e, y)));
			return &value_error;
		}
	} else {
		seed = graph_float(g, &site, y->dtype, 1.0);
	}
	struct node **out = ARENA_ARRAY(e->a, struct node *, w->n);
	if (!autodiff_vjp(g, y, seed, w->n, w->node, out))
		return &value_error;
	const struct value *pair[2] = {v, gradient_value(e, d, w, out)};
	return d->how == DERIVE_GRAD ? pair[1] : value_tuple(e, 2, pair);
}

/* jvp(f)(x, y, dx, dy): as many tangents as arguments. */
static const struct value *forward(struct elab *e, const struct derived *d, struct arguments *args)
{
	struct wrt *w = ARENA_NEW(e->a, struct wrt);
	struct node *tangent[64], *y;
	int n = args->at.n / 2;
	if (args->at.n % 2 || n > 64) {
		elab_error(e, PML0414, args->span, "`jvp(f)` takes the arguments of f and a tangent for each");
		return &value_error;
	}
	struct arguments tangents = {.span = args->span};
	for (int i = n; i < 2 * n; i++)
		vec_push(e->a, &tangents.at, args->at.at[i]);
	args->at.n = n;
	int count = 0;
	for (int i = 0; i < n; i++) {
		const struct value *x = args->at.at[i].value, *t = tangents.at.at[i].value;
		if (!is_float_tensor(e, x))
			continue;
		if (!value_is_tensor(t) || tensor_dtype(e, t) != tensor_dtype(e, x) ||
		    !shape_equal(tensor_shape(e, t), tensor_shape(e, x))) {
			elab_error(e, PML0414, tangents.at.at[i].span, "the tangent of %s is %s", value_describe(e, x),
				   value_describe(e, t));
			return &value_error;
		}
		add_argument(e, d->function, args, i, w);
		tangent[count++] = tensor_node(e, t, tangents.at.at[i].span);
	}
	const struct value *v = walk_to_result(e, d, args, w, &y);
	if (!y)
		return &value_error;
	struct node *dy = autodiff_jvp(region_graph(e), y, w->n, w->node, tangent);
	const struct value *pair[2] = {v, tensor_value_of(e, dy)};
	return value_tuple(e, 2, pair);
}

/* Outside of what is differentiated, numbers that the graph computes are tensors like others. */
static const struct value *numbers_out(struct elab *e, const struct value *v, struct span at)
{
	if (v->kind != VALUE_TUPLE || e->grad_depth)
		return v;
	const struct value **items = ARENA_ARRAY(e->a, const struct value *, v->items.n);
	for (int i = 0; i < v->items.n; i++)
		items[i] = numbers_out(e, number_as_tensor(e, v->items.at[i], at), at);
	return value_tuple(e, v->items.n, items);
}

const struct value *gradient_call(struct elab *e, const struct derived *d, struct arguments *args)
{
	/* Params assigned before are read as what they are now. */
	if (region_writes(e) && !e->grad_depth && !e->micro) {
		if (graph_loop_refuses(e, args->span, "a gradient behind an assignment"))
			return &value_error;
		region_close(e);
	}
	return numbers_out(e, d->how == DERIVE_JVP ? forward(e, d, args) : reverse(e, d, args), args->span);
}
