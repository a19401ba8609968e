/* vmap.c — vmap(f)(x): f for every line of x at once.
 *
 * f is walked once, with a line of each argument for the argument, as the turn of a loop that hands nothing on. Then
 * every node of the turn becomes one for all turns (graph/at_once.h): a map has one factor more, so layouts, costs and
 * kernels need nothing of their own, and a batch that is split stays so. What cannot be written that way, a loop that
 * each line ends elsewhere most of all, stays a loop whose results are stacked. */
#include "gradients.h"
#include "../../graph/at_once.h"
#include "../operators/operators.h"

struct mapping {
	struct elab *e;
	struct graph *g;
	struct loop *loop;
	int64_t n;            /* lines */
	bool written;         /* what is called for each is a function of the program */
	bool whole;           /* all of them are of what no micro-batch has a part of */
	struct at_once *once; /* the turn, of all lines; NULL: it stays a loop */
};

/* ---- arguments and results ---- */

static bool names(const struct mapped_argument *o, const struct derived *d, const struct arguments *args, int i)
{
	const struct argument *a = &args->at.at[i];
	return o->name ? o->name == (a->name ? a->name : function_param_name(d->function, i)) : o->position == i;
}

static bool is_over(const struct derived *d, const struct arguments *args, int i)
{
	bool is = !d->over.n;
	for (int k = 0; k < d->over.n && !is; k++)
		is = names(&d->over.at[k], d, args, i);
	return is;
}

/* False after an error: `over` names what the call has not. */
static bool check_over(struct elab *e, const struct derived *d, const struct arguments *args)
{
	int n;
	const struct param *params = function_params(d->function, &n);
	for (int k = 0; k < d->over.n; k++) {
		const struct mapped_argument *o = &d->over.at[k];
		bool found = false;
		for (int i = 0; i < args->at.n && !found; i++)
			found = names(o, d, args, i);
		if (found)
			continue;
		const char *what = o->name ? arena_printf(e->a, "`%s`", o->name)
					   : arena_printf(e->a, "number %lld", (long long)o->position);
		struct diag *m = elab_error(e, PML0414, o->span, "the function has no argument %s here", what);
		if (n)
			diag_note(m, "its argument%s %s%s", n > 1 ? "s are" : " is", param_names(e, params, n),
				  o->name ? "" : ", counted from 0");
		return false;
	}
	return true;
}

/* The derivative by a list of params has these in front of lines, and lines in front of these here. */
static struct node *exchanged(struct mapping *m, struct node *x, bool by_list, struct span at)
{
	struct node_site site = elab_site(m->e, at);
	return by_list && x->shape.rank > 1 ? graph_turned(m->g, &site, x, 0, 1) : x;
}

/* The lines of a tensor, of which there are m->n, -1 so far. */
static const struct value *line_of(struct mapping *m, const struct value *v, bool by_list, const struct argument *a)
{
	struct node_site site = elab_site(m->e, a->span);
	struct node *x = exchanged(m, tensor_node(m->e, v, a->span), by_list, a->span);
	if (!x->shape.rank || (m->n >= 0 && x->shape.dim[0] != m->n)) {
		struct diag *d = elab_error(m->e, PML0414, a->span, "`vmap` goes over the first dimension, this is %s",
					    value_describe(m->e, v));
		if (x->shape.rank && m->n >= 0)
			diag_note(d, "another argument has %lld lines", (long long)m->n);
		diag_help(d, "name the arguments that it goes over: `vmap(f, over = \"x\")`");
		return &value_error;
	}
	m->n = x->shape.dim[0];
	m->whole = m->whole && microbatch_is_whole(m->e, x);
	if (!m->loop)
		m->loop = m->g->open = graph_loop(m->g, m->g->open, m->n, a->span);
	struct node *line = graph_line(m->g, &site, m->loop, 1, &x, 0, 1, false);
	line->name = x->name;
	return tensor_value_of(m->e, line);
}

/* A list of numbers is a tensor. */
static const struct value *list_as_tensor(struct elab *e, const struct value *v, struct span at)
{
	struct parts parts = {0};
	bool numbers = value_is_list(v);
	parts_collect(e, v, &parts);
	for (int i = 0; numbers && i < parts.at.n; i++)
		numbers = value_is_number(parts.at.at[i]);
	return numbers ? literal_tensor(e, v, literal_natural_type(e, v), at) : v;
}

/* A list of keys is a tensor of them, of which each line has one; NULL: it is none. */
static const struct value *keys_as_tensor(struct elab *e, const struct value *v, struct span at)
{
	if (v->kind != VALUE_LIST || !v->items.n)
		return NULL;
	struct value *all = value_new(e, VALUE_LIST);
	for (int i = 0; i < v->items.n; i++) {
		const struct value *key = v->items.at[i];
		if (key->kind != VALUE_HOST || key->host.type != HOST_KEY)
			return NULL;
		vec_push(e->a, &all->items, tensor_value_of(e, tensor_of_host(e, key, DT_U64, at)));
	}
	const struct value *arguments[] = {all, value_int(e, 0)};
	struct span spans[] = {at, at};
	return call_prelude(e, "stack", at, 2, arguments, spans);
}

static bool take_keys(struct mapping *m, const struct value *keys, struct argument *a)
{
	const struct value *line = line_of(m, keys, false, a);
	if (value_failed(line))
		return false;
	a->value = number_value(m->e, HOST_KEY, tensor_node(m->e, line, a->span));
	return true;
}

static bool take_lines(struct mapping *m, const struct derived *d, struct arguments *args)
{
	for (int i = 0; i < args->at.n; i++) {
		struct argument *a = &args->at.at[i];
		struct parts parts = {0}, lines = {0};
		if (value_failed(a->value))
			return false;
		if (!is_over(d, args, i))
			continue;
		const struct value *keys = keys_as_tensor(m->e, a->value, a->span);
		if (keys && !take_keys(m, keys, a))
			return false;
		if (keys)
			continue;
		a->value = list_as_tensor(m->e, a->value, a->span);
		if (!value_is_tensor(a->value) && !value_is_composed(a->value))
			continue;
		parts_collect(m->e, a->value, &parts);
		for (int k = 0; k < parts.at.n; k++) {
			const struct value *part = parts.at.at[k];
			const struct value *line =
				value_is_tensor(part) ? line_of(m, part, parts.by_list.at[k], a) : part;
			if (value_failed(line))
				return false;
			vec_push(m->e->a, &lines.at, line);
		}
		a->value = parts_replaced(m->e, a->value, &lines);
	}
	if (m->loop)
		return true;
	elab_error(m->e, PML0414, args->span, "`vmap` goes over the lines of tensors, and is given none");
	return false;
}

/* x of the turn, of all lines. */
static struct node *all_of(struct mapping *m, struct node *x, struct span at)
{
	struct node_site site = elab_site(m->e, at);
	struct node *all = m->once ? at_once_lines(m->once, x) : graph_stack(m->g, &site, m->loop, x, false);
	all = all ? all : at_once_repeated(m->once, x);
	microbatch_mapped(m->e, x, m->whole, all);
	return all;
}

static const struct value *result(struct mapping *m, const struct value *v, bool by_list, struct span at)
{
	v = number_as_tensor(m->e, v, at);
	if (!value_is_tensor(v))
		return v;
	return tensor_value_of(m->e, exchanged(m, all_of(m, tensor_node(m->e, v, at), at), by_list, at));
}

static void find_at_once(struct mapping *m, int from, struct span at)
{
	struct one_by_one o;
	m->once = graph_at_once(m->g, m->loop, m->n, from, m->e->grad_depth > 0, m->written, &o);
	if (m->once && region_may_show(m->e, m->loop, m->once, &o))
		return;
	if (m->once)
		at_once_forget(m->once);
	m->once = NULL;
	vec_push(m->e->p->arena, &m->e->p->one_by_one, ((struct line_by_line){at, o.where, o.why}));
}

static const struct value *results(struct mapping *m, const struct value *v, int from, struct span at)
{
	struct parts parts = {0}, all = {0};
	if (value_failed(v) || v->kind == VALUE_NONE)
		return v;
	if (!value_is_part(v) && !value_is_composed(v)) {
		elab_error(m->e, PML0414, at, "`vmap` takes what a function gives for each line, this is %s",
			   value_describe(m->e, v));
		return &value_error;
	}
	find_at_once(m, from, at);
	parts_collect(m->e, v, &parts);
	for (int i = 0; i < parts.at.n; i++)
		vec_push(m->e->a, &all.at, result(m, parts.at.at[i], parts.by_list.at[i], at));
	if (m->once) {
		region_behind_lines(m->e, m->loop, m->n, m->once, at);
		at_once_end(m->once);
	}
	return parts_replaced(m->e, v, &all);
}

static bool is_of_program(const struct elab *e, const struct value *f)
{
	while (f->kind == VALUE_DERIVED)
		f = f->derived->function;
	return f->kind == VALUE_FUNCTION && !elab_is_of_library(e, f->function->name.span);
}

static void error_assigns(struct elab *e, int slot, struct span at)
{
	if (!elab_counts_every(e, slot)) {
		elab_error(e, PML0411, at, "a function that `vmap` calls for each line assigns `%s`",
			   e->p->slots.at[slot]->name);
		return;
	}
	struct diag *d = elab_error(e, PML0411, at, "a function that `vmap` calls for each line has an `every`");
	diag_label(d, e->p->slots.at[slot]->span, "this one");
	diag_note(d, "it counts how often it was reached, and all lines are computed at once");
}

const struct value *vmap_call(struct elab *e, const struct derived *d, struct arguments *args)
{
	if (!check_over(e, d, args))
		return &value_error;
	/* A gradient in it reads params as what they are now. */
	if (region_writes(e) && !region_stays_open(e) && !region_loop(e))
		region_close(e);
	struct mapping m = {
		.e = e, .g = region_graph(e), .n = -1, .whole = true, .written = is_of_program(e, d->function)};
	struct loop *outer = m.g->open;
	int from = m.g->nodes.n, slot;
	const struct region_mark *before = region_mark(e);
	const struct value *v = &value_error;
	if (take_lines(&m, d, args)) {
		e->mapped++;
		v = call_value(e, d->function, args);
		e->mapped--;
	}
	m.g->open = outer;
	if (!value_failed(v) && region_assigned(e, before, &slot, 1)) {
		error_assigns(e, slot, d->span);
		return &value_error;
	}
	return value_failed(v) ? v : results(&m, v, from, args->span);
}
