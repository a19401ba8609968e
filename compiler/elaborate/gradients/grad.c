/* grad.c — grad, value_and_grad, vjp, jvp: the function is walked into the graph, then autodiff appends its derivative.
 *
 * By default the gradient is by every param the function reads and its result needs; `wrt` names some of them, or
 * arguments, or both. A function that reads no param is differentiated by its float tensors. Params are read anew
 * inside the function and arguments go through an identity, so that what they were computed from has no part in the
 * derivative. So do params in a derivative inside of another one: the outer derivative is by all that is read of a
 * param. */
#include "wrt.h"

#include <stdlib.h>
#include <string.h>

/* What is differentiated of what the function gives: nothing after an error. */
struct results {
	VEC(struct node *) at;
	bool all; /* of all of its tensors, not the first result alone */
	int from; /* the first node that the function has made */
};

/* ---- the function's value ---- */

static const struct value *walk(struct elab *e, const struct derived *d, struct arguments *args)
{
	struct arguments copy = arguments_copied(e, args);
	e->grad_depth++;
	e->orders++;
	const struct value *v = call_value(e, d->function, &copy);
	e->orders--;
	e->grad_depth--;
	return v;
}

/* The result, or the first of several; NULL after an error. */
static struct node *first_result(struct elab *e, const struct derived *d, const struct value *v, bool scalar)
{
	if (v->kind == VALUE_TUPLE && v->items.n)
		v = v->items.at[0];
	if (!value_is_tensor(v) || !dtype_is_float(tensor_dtype(e, v)) || (scalar && tensor_shape(e, v)->rank)) {
		struct diag *m = elab_error(e, PML0410, d->span,
					    "a gradient is of a function that gives one float, this one gives %s",
					    value_describe(e, v));
		if (value_is_tensor(v) && tensor_shape(e, v)->rank)
			diag_help(m, "sum it or take its mean: `mean(y)`");
		if (v->kind == VALUE_HOST) {
			diag_note(m, "a number of the host depends on no tensor");
			diag_help(m, "a number becomes a tensor by `full(2.0, [])`");
		}
		return NULL;
	}
	return tensor_node(e, v, d->span);
}

static void find_results(struct elab *e, const struct derived *d, const struct value *v, struct results *y)
{
	bool scalar = d->how == DERIVE_GRAD || d->how == DERIVE_VALUE_AND_GRAD;
	struct parts parts = {0};
	y->at.n = 0;
	if (value_failed(v))
		return;
	y->all = y->all && value_is_composed(v);
	if (y->all)
		parts_collect(e, v, &parts);
	for (int i = 0; i < parts.at.n; i++)
		if (value_is_float_tensor(e, parts.at.at[i]))
			vec_push(e->a, &y->at, tensor_node(e, parts.at.at[i], d->span));
	struct node *first = y->at.n ? NULL : first_result(e, d, v, scalar);
	if (first)
		vec_push(e->a, &y->at, first);
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

/* The derivative by a list whose params have derivatives laid out like that. */
static const struct value *list_gradient(struct elab *e, const struct slot *list, struct node *g,
					 const struct layout_spec *line, const struct node *forward, struct span at)
{
	struct layout_spec l = layout_spec_of_lines(list->place, line);
	return finished(e, list, g, &l, forward, at);
}

const struct value *gradient_entry_value(struct elab *e, const struct gradient_entry *entry, struct node *g,
					 struct span at)
{
	const struct slot *s = e->p->slots.at[entry->slot];
	return entry->all ? list_gradient(e, s->list, g, &entry->layout, g->forward, at)
			  : finished(e, s, g, &entry->layout, g->forward, at);
}

/* How the gradient by a param is laid out: like the param, if none is asked for or there is nothing to lay out; false
 * after an error. */
static bool gradient_layout(struct elab *e, const struct derived *d, const struct slot *s, struct layout_spec *out)
{
	*out = s->layout;
	return !d->layout || !s->shape.rank || asked_layout(e, d->layout, s, out);
}

/* What each argument is made of, derivatives in the place of its tensors; behind them the gradient by params, if there
 * is one. */
static const struct value *argument_gradients(struct elab *e, const struct wrt *w, struct node **out,
					      const struct value *params)
{
	const struct value **by = ARENA_ARRAY(e->a, const struct value *, w->arguments.n + 1);
	int n = w->arguments.n;
	for (int i = 0, at = 0; i < w->arguments.n; i++) {
		struct parts parts = {0}, d = {0};
		parts_collect(e, w->arguments.at[i], &parts);
		for (int k = 0; k < parts.at.n; k++)
			vec_push(e->a, &d.at, tensor_value_of(e, out[at++]));
		by[i] = parts_replaced(e, w->arguments.at[i], &d);
	}
	if (params)
		by[n++] = params;
	return n == 1 ? by[0] : value_tuple(e, n, by);
}

/* The derivative by a param that is read both by itself and as a line of its list. */
static const struct value *sum_of_reads(struct elab *e, const struct wrt *w, int i, struct node **out,
					const struct layout_spec *l, struct span at)
{
	const struct wrt_param *p = &w->params.at[i];
	const struct slot *s = e->p->slots.at[p->slot];
	struct graph *g = region_graph(e);
	struct node_site site = elab_site(e, at);
	struct node *sum = NULL;
	site.origin = ORIGIN_BACKWARD;
	site.forward = w->nodes.at[p->of];
	for (int k = 0; k < w->params.n; k++) {
		if (w->params.at[k].slot != p->slot)
			continue;
		struct node *d = out[w->params.at[k].of];
		d = w->slots.at[w->params.at[k].of] == s->id ? d : graph_line_of(g, &site, d, s->member);
		sum = sum ? graph_pointwise(g, &site, SC_ADD, sum, d, NULL) : d;
	}
	return finished(e, s, sum, l, w->nodes.at[p->of], at);
}

/* As params are declared. */
static int by_slot(const void *a, const void *b)
{
	const struct gradient_entry *x = a, *y = b;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

static const struct value *param_gradients(struct elab *e, const struct derived *d, const struct wrt *w,
					   struct node **out)
{
	struct value *v = value_new(e, VALUE_GRADIENT);
	const struct value **by = ARENA_ARRAY(e->a, const struct value *, w->nodes.n);
	int *times = ARENA_ARRAY(e->a, int, e->p->slots.n); /* by slot: how often the function reads it */
	for (int i = 0; i < w->params.n; i++)
		times[w->params.at[i].slot]++;
	for (int i = 0; i < w->params.n; i++) {
		const struct wrt_param *p = &w->params.at[i];
		const struct slot *s = e->p->slots.at[p->slot], *of = e->p->slots.at[w->slots.at[p->of]];
		struct gradient_entry entry = {.slot = p->slot, .name = s->name, .turn = s->member};
		if (!times[p->slot])
			continue;
		if (!gradient_layout(e, d, s, &entry.layout))
			return &value_error;
		if (times[p->slot] > 1)
			entry.d = sum_of_reads(e, w, i, out, &entry.layout, d->span);
		else if (of == s)
			entry.d = finished(e, s, out[p->of], &entry.layout, w->nodes.at[p->of], d->span);
		else
			entry.all = by[p->of] = by[p->of] ? by[p->of]
							  : list_gradient(e, of, out[p->of], &entry.layout,
									  w->nodes.at[p->of], d->span);
		times[p->slot] = 0;
		vec_push(e->a, &v->gradient, entry);
	}
	qsort(v->gradient.at, (size_t)v->gradient.n, sizeof *v->gradient.at, by_slot);
	return v;
}

static const struct value *gradient_value(struct elab *e, const struct derived *d, const struct wrt *w,
					  struct node **out)
{
	const struct value *params = w->arguments.n && !w->params.n ? NULL : param_gradients(e, d, w, out);
	if (!w->arguments.n || (params && value_failed(params)))
		return params;
	return argument_gradients(e, w, out, params);
}

/* Whether the function has computed with nothing but numbers of the host: its arguments may be such. */
static bool gives_number(const struct value *v)
{
	return value_is_number(v->kind == VALUE_TUPLE && v->items.n ? v->items.at[0] : v);
}

/* Walks the function; where no variables are found yet, they are the params that its result needs, and so are those
 * that `wrt` names beside arguments. A number of the host needs none and is no result then. */
static const struct value *walk_to_result(struct elab *e, const struct derived *d, struct arguments *args,
					  struct wrt *w, struct results *y)
{
	region_derivative_begin(e);
	y->from = region_graph(e)->nodes.n;
	const struct value *v = walk(e, d, args);
	if (w->nodes.n || !gives_number(v))
		find_results(e, d, v, y);
	if (y->at.n && (!w->nodes.n || d->only.n) && d->how != DERIVE_JVP &&
	    !wrt_add_params(e, d, y->at.n, y->at.at, w))
		y->at.n = 0;
	region_derivative_end(e);
	return v;
}

/* A list of numbers is the most likely argument that was meant as a tensor. */
static void propose_tensor(struct elab *e, struct diag *d, const struct arguments *args)
{
	for (int i = 0; i < args->at.n; i++) {
		const struct argument *a = &args->at.at[i];
		struct parts parts = {0};
		bool numbers = value_is_list(a->value) && !elab_is_of_library(e, a->span);
		parts_collect(e, a->value, &parts);
		for (int k = 0; numbers && k < parts.at.n; k++)
			numbers = value_is_number(parts.at.at[k]);
		if (!numbers || !parts.at.n)
			continue;
		diag_help(d, "a list of numbers becomes a tensor by `as f32`");
		if (a->expr && (a->expr->kind == EXPR_LIST || a->expr->kind == EXPR_NAME))
			diag_edit(d, (struct span){a->span.file, a->span.end, a->span.end}, " as f32");
		return;
	}
}

/* Walks the function with its variables found. */
static const struct value *prepare(struct elab *e, const struct derived *d, struct arguments *args, struct wrt *w,
				   struct results *y)
{
	y->at.n = 0;
	w->nodes.n = w->slots.n = w->arguments.n = w->params.n = 0;
	if (d->wrt.n && !wrt_add_named(e, d, args, w))
		return &value_error;
	/* vjp is by the arguments like jvp, grad by the params where there are any. */
	if (d->how == DERIVE_VJP && !d->wrt.n && !d->only.n)
		wrt_add_all(e, d->function, args, WRT_COMPOSED, w);
	const struct region_mark *before = region_mark(e);
	const struct value *v = walk_to_result(e, d, args, w, y);
	if (w->nodes.n || (!y->at.n && !gives_number(v)))
		return v;
	for (int sort = WRT_TENSORS; !w->nodes.n && sort <= WRT_NUMBERS; sort++)
		wrt_add_all(e, d->function, args, (enum wrt_sort)sort, w);
	if (!w->nodes.n) {
		struct diag *m = elab_error(e, PML0412, d->span, "there is nothing to differentiate by");
		diag_note(m, "the function reads no param and takes no float tensor");
		propose_tensor(e, m, args);
		y->at.n = 0;
		return &value_error;
	}
	/* It is walked again, from the arguments' own nodes; what it has done to states and printed is not done
	 * twice. */
	region_back(e, before);
	return walk_to_result(e, d, args, w, y);
}

/* ---- reverse ---- */

/* A number in place of a tangent or cotangent of a tensor: one for every element, as an edit. */
static void fill_number(struct elab *e, struct diag *d, const struct value *given, struct span at,
			const struct value *of)
{
	if (given->kind != VALUE_HOST || !value_is_number(given) || !value_is_float_tensor(e, of) ||
	    elab_is_of_library(e, at))
		return;
	struct text t;
	enum dtype type = tensor_dtype(e, of);
	text_init(&t, e->a);
	type_print(&t, type, tensor_shape(e, of));
	const char *shape = strchr(text_get(&t), '[');
	if (!shape)
		return;
	diag_help(d, "give a number for each element");
	diag_edit(d, (struct span){at.file, at.begin, at.begin}, "full(");
	diag_edit(d, (struct span){at.file, at.end, at.end},
		  type == DT_F32 ? arena_printf(e->a, ", %s)", shape)
				 : arena_printf(e->a, ", %s, dtype = %s)", shape, dtype_text(type)));
}

static bool seed_fails(struct elab *e, const struct argument *seed, const struct value *v)
{
	const char *is = value_describe(e, seed->value), *of = value_describe(e, v);
	struct diag *d = elab_error(e, PML0414, seed->span, "the cotangent is %s%s, the function gives %s", is,
				    strcmp(is, of) ? "" : " of another form", of);
	fill_number(e, d, seed->value, seed->span, v);
	return false;
}

/* A number or a list of numbers as what goes with a tensor of this type and shape; anything else is as it is. */
static const struct value *given_for(struct elab *e, const struct value *v, enum dtype t, const struct shape *s,
				     struct span at)
{
	if (v->kind == VALUE_HOST && value_is_number(v) && !s->rank)
		return tensor_value_of(e, tensor_of_host(e, v, t, at));
	return value_is_list(v) && s->rank ? literal_tensor(e, v, t, at) : v;
}

/* What is given for y; NULL: it is none. */
static struct node *seed_of(struct elab *e, const struct value *v, const struct node *y, struct span at)
{
	v = given_for(e, v, y->dtype, &y->shape, at);
	struct node *n = value_is_tensor(v) ? tensor_node(e, v, at) : NULL;
	return n && n->dtype == y->dtype && shape_equal(&n->shape, &y->shape) ? n : NULL;
}

/* A cotangent for each of the results, in the form that they have together. False after an error. */
static bool seeds_given(struct elab *e, const struct argument *seed, const struct value *v, const struct results *y,
			struct node **out)
{
	struct parts given = {0}, of = {0};
	if (!y->all) {
		bool is_one = value_is_part(seed->value) || value_is_list(seed->value);
		out[0] = is_one ? seed_of(e, seed->value, y->at.at[0], seed->span) : NULL;
		return out[0] || seed_fails(e, seed, tensor_value_of(e, y->at.at[0]));
	}
	if (!parts_alike(v, seed->value))
		return seed_fails(e, seed, v);
	parts_collect(e, parts_in_form(e, v, seed->value, seed->span), &given);
	parts_collect(e, v, &of);
	for (int i = 0, k = 0; i < of.at.n; i++) {
		if (!value_is_float_tensor(e, of.at.at[i]))
			continue;
		struct argument one = {.value = given.at.at[i], .span = seed->span};
		out[k] = seed_of(e, one.value, y->at.at[k], seed->span);
		if (!out[k++])
			return seed_fails(e, &one, of.at.at[i]);
	}
	return true;
}

static const struct value *reverse(struct elab *e, const struct derived *d, struct arguments *args)
{
	struct wrt *w = ARENA_NEW(e->a, struct wrt);
	struct argument seed = {0};
	struct results y = {0};
	if (d->how == DERIVE_VJP) {
		const struct value *last = args->at.n ? args->at.at[args->at.n - 1].value : &value_none;
		y.all = value_is_composed(last);
		if (!y.all && !value_is_tensor(last) && !value_is_number(last)) {
			elab_error(e, PML0414, args->span,
				   "the last argument of `vjp(f)` is a cotangent, a tensor like the result of f");
			return &value_error;
		}
		seed = args->at.at[--args->at.n];
	}
	bool wants_all = y.all;
	const struct value *v = prepare(e, d, args, w, &y);
	if (!y.at.n)
		return &value_error;
	struct graph *g = region_graph(e);
	struct node_site site = elab_site(e, d->span);
	site.origin = ORIGIN_BACKWARD;
	site.forward = y.at.at[0];
	struct node **seeds = ARENA_ARRAY(e->a, struct node *, y.at.n);
	if (!seed.value)
		seeds[0] = graph_float(g, &site, y.at.at[0]->dtype, 1.0);
	else if (wants_all != y.all && !value_is_list(seed.value) ? !seed_fails(e, &seed, v)
								  : !seeds_given(e, &seed, v, &y, seeds))
		return &value_error;
	struct node **out = ARENA_ARRAY(e->a, struct node *, w->nodes.n);
	if (!autodiff_vjps(g, y.from, y.at.n, y.at.at, seeds, w->nodes.n, w->nodes.at, out))
		return &value_error;
	microbatch_derivatives(e, w->nodes.n, w->nodes.at, out);
	const struct value *pair[2] = {v, gradient_value(e, d, w, out)};
	return d->how == DERIVE_GRAD ? pair[1] : value_tuple(e, 2, pair);
}

/* ---- forward ---- */

/* Whether t can be a tangent of x, which is made of float tensors. */
static bool is_tangent(struct elab *e, const struct value *x, const struct value *t)
{
	struct parts xs = {0}, ts = {0};
	bool fits = parts_alike(x, t);
	parts_collect(e, x, &xs);
	parts_collect(e, t, &ts);
	for (int i = 0; fits && i < xs.at.n; i++)
		fits = value_is_tensor(ts.at.at[i]) && tensor_dtype(e, ts.at.at[i]) == tensor_dtype(e, xs.at.at[i]) &&
		       shape_equal(tensor_shape(e, ts.at.at[i]), tensor_shape(e, xs.at.at[i]));
	return fits;
}

/* What is given as the tangent of x, in its form. */
static const struct value *tangent_like(struct elab *e, const struct value *x, const struct value *t, struct span at)
{
	if (value_is_tensor(x))
		return given_for(e, t, tensor_dtype(e, x), tensor_shape(e, x), at);
	return parts_alike(x, t) ? parts_in_form(e, x, t, at) : t;
}

static bool has_float_tensors(struct elab *e, const struct value *v)
{
	struct parts parts = {0};
	bool any = false;
	parts_collect(e, v, &parts);
	for (int i = 0; i < parts.at.n; i++)
		any |= value_is_float_tensor(e, parts.at.at[i]);
	return any;
}

struct tangents {
	VEC(struct node *) at;
};

/* A variable for each argument that has a tangent, and the tangents' nodes. False after an error. */
static bool add_tangents(struct elab *e, const struct derived *d, struct arguments *args,
			 const struct arguments *tangents, struct wrt *w, struct tangents *out)
{
	for (int i = 0; i < args->at.n; i++) {
		struct span at = tangents->at.at[i].span;
		struct parts parts = {0};
		if (!tangents->at.at[i].value)
			continue;
		wrt_take_number(e, d->function, args, i);
		const struct value *x = args->at.at[i].value;
		if (!has_float_tensors(e, x) && !d->wrt.n)
			continue;
		const struct value *t = tangent_like(e, x, tangents->at.at[i].value, at);
		if (value_failed(t))
			return false;
		if (!value_is_differentiable(e, x)) {
			elab_error(e, PML0414, args->at.at[i].span,
				   "%s has no tangent: it is not made of float tensors alone", value_describe(e, x));
			return false;
		}
		if (!is_tangent(e, x, t)) {
			struct diag *m = elab_error(e, PML0414, at, "the tangent of %s is %s", value_describe(e, x),
						    value_describe(e, t));
			fill_number(e, m, t, at, x);
			return false;
		}
		wrt_add_argument(e, d->function, args, i, w);
		parts_collect(e, t, &parts);
		for (int k = 0; k < parts.at.n; k++)
			vec_push(e->a, &out->at, tensor_node(e, parts.at.at[k], at));
	}
	return true;
}

/* v with tangents in the place of its float tensors; what is none does not move. */
static const struct value *tangents_of(struct elab *e, const struct value *v, struct node *const *dy)
{
	struct parts parts = {0}, d = {0};
	parts_collect(e, v, &parts);
	for (int i = 0; i < parts.at.n; i++) {
		const struct value *p = parts.at.at[i];
		vec_push(e->a, &d.at, value_is_float_tensor(e, p) ? tensor_value_of(e, *dy++) : value_float(e, 0.0));
	}
	return parts_replaced(e, v, &d);
}

/* Parts jvp(f)(x, y, dx, dy) into arguments, which stay, and as many tangents; or, as jvp(f, wrt = "y")(x, y, dy),
 * tangents of the arguments that are named, without a value for others. False after an error. */
static bool part_tangents(struct elab *e, const struct derived *d, struct arguments *args, struct arguments *tangents)
{
	int given = d->wrt.n ? d->wrt.n : args->at.n / 2, n = args->at.n - given;
	if (n < given || (!d->wrt.n && n != given)) {
		struct diag *m = elab_error(e, PML0414, args->span,
					    "`jvp(f)` takes the arguments of f and a tangent for each%s, this is %d",
					    d->wrt.n ? " that `wrt` names" : "", args->at.n);
		if (!d->wrt.n)
			diag_help(m, "an argument that is no float has the tangent 0, or name those that have one: "
				     "`jvp(f, wrt = \"x\")(x, y, dx)`");
		return false;
	}
	args->at.n = n;
	for (int i = 0; i < n; i++)
		vec_push(e->a, &tangents->at, d->wrt.n ? (struct argument){0} : args->at.at[n + i]);
	for (int k = 0; k < d->wrt.n; k++) {
		int i = wrt_named(e, d, args, k);
		if (i < 0)
			return false;
		tangents->at.at[i] = args->at.at[n + k];
	}
	return true;
}

/* The value and the tangent of jvp(f)(…). */
static const struct value *forward(struct elab *e, const struct derived *d, struct arguments *args)
{
	struct wrt *w = ARENA_NEW(e->a, struct wrt);
	struct results y = {.all = true};
	struct arguments tangents = {.span = args->span};
	struct tangents nodes = {0};
	if (!part_tangents(e, d, args, &tangents) || !add_tangents(e, d, args, &tangents, w, &nodes))
		return &value_error;
	const struct value *v = walk_to_result(e, d, args, w, &y);
	struct node **dy = ARENA_ARRAY(e->a, struct node *, y.at.n + 1);
	if (!y.at.n ||
	    !autodiff_jvps(region_graph(e), y.from, y.at.n, y.at.at, w->nodes.n, w->nodes.at, nodes.at.at, dy))
		return &value_error;
	const struct value *pair[2] = {v, y.all ? tangents_of(e, v, dy) : tensor_value_of(e, dy[0])};
	return value_tuple(e, 2, pair);
}

/* Outside of what is differentiated, numbers that the graph computes are tensors like others. */
static const struct value *numbers_out(struct elab *e, const struct value *v, struct span at)
{
	struct parts parts = {0}, out = {0};
	if (e->grad_depth)
		return v;
	parts_collect(e, v, &parts);
	for (int i = 0; i < parts.at.n; i++)
		vec_push(e->a, &out.at, number_as_tensor(e, parts.at.at[i], at));
	return parts_replaced(e, v, &out);
}

const struct value *gradient_call(struct elab *e, const struct derived *d, struct arguments *args)
{
	e->p->differentiates = true;
	/* Params assigned before are read as what they are now. */
	if (region_writes(e) && !e->grad_depth && !e->micro) {
		if (graph_loop_refuses(e, args->span, "a gradient behind an assignment"))
			return &value_error;
		region_close(e);
	}
	return numbers_out(e, d->how == DERIVE_JVP ? forward(e, d, args) : reverse(e, d, args), args->span);
}
