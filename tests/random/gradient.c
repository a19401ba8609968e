/* gradient.c — functions that are differentiated. What must come out is worked out forward: one directional derivative
 * for each element of an argument. */
#include "calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WRT = 4 };

struct derivation {
	struct function f;
	int arg[MAX_PARAMS], nargs;  /* variables of main */
	int param[MAX_WRT], nparams; /* nodes */
	const char *param_name[MAX_WRT];
	int first, last, result;
};

/* ---- which inputs the result depends on ---- */

static bool depends(const struct maker *m, const struct derivation *d, int input)
{
	bool *on = calloc((size_t)d->last + 1, sizeof *on), result;
	if (!on)
		return false;
	on[input] = true;
	for (int i = d->first; i < d->last; i++) {
		const struct node *n = &m->node[i];
		for (int k = 0; k < n->nin && dtype_is_float(n->type) && !n->stops; k++)
			on[i] |= on[n->in[k]];
	}
	result = on[d->result];
	free(on);
	return result;
}

static void clear_tangents(struct maker *m)
{
	for (int i = 0; i < m->nnodes; i++)
		memset(m->node[i].t, 0, sizeof *m->node[i].t * (size_t)shape_volume(&m->node[i].shape));
}

/* A node that stands for the derivative by an input; ct: the cotangent, NULL for a single number. */
static int derivative(struct maker *m, const struct derivation *d, int input, const double *ct)
{
	struct node x = m->node[input];
	int g = node_source(m, x.type, &x.shape, x.place, &(struct layout){0});
	const struct node *r = &m->node[d->result];
	double scale = 1;
	for (int i = d->first; i < d->last; i++)
		scale = fmax(scale, fmin(m->node[i].scale, 1e4));
	for (int e = 0; e < shape_volume(&x.shape); e++) {
		clear_tangents(m);
		m->node[input].t[e] = 1;
		node_evaluate(m, d->first, d->last, true);
		double sum = 0;
		for (int i = 0; i < shape_volume(&r->shape); i++)
			sum += r->t[i] * (ct ? ct[i] : 1);
		m->node[g].v[e] = sum;
		scale = fmax(scale, fabs(sum));
	}
	m->node[g].exact = false;
	m->node[g].scale = scale;
	m->spoiled |= !usable(m, g);
	return g;
}

/* ---- the function ---- */

static void add_param(struct maker *m, struct derivation *d)
{
	static const int ranks[] = {0, 1, 1, 2, 2, 2, 3};
	struct shape s = some_shape(m, ranks[dice_below(&m->dice, 7)]);
	struct layout l = some_layout(m, m->at, &s, 0);
	int n = node_source(m, dice_chance(&m->dice, 60) ? F32 : F64, &s, m->at, &l);
	source_fill(m, n);
	const char *name = new_name(m, "w"), *text = source_text(m, n);
	if (!s.rank) /* a number is no tensor before it is placed */
		text = number(m, F64, m->node[n].v[0]);
	buffer_add(&m->items, "param %s : %s = %s;\n", name, type_text(m, n),
		   s.rank ? text : heap_text(m->heap, "full(%s)", text));
	d->param[d->nparams] = n;
	d->param_name[d->nparams++] = name;
}

static void add_argument(struct maker *m, struct derivation *d)
{
	static const int ranks[] = {0, 1, 1, 2, 2, 2, 3, 4};
	struct shape s = some_shape(m, ranks[dice_below(&m->dice, 8)]);
	struct layout l = some_layout(m, m->at, &s, 5);
	d->arg[d->nargs++] = new_source(m, dice_chance(&m->dice, 60) ? F32 : F64, &s, m->at, &l);
}

static int total(struct maker *m, int n)
{
	if (m->node[n].shape.rank == 2)
		return node_apply(m, app_reduce(m, n, -1, JOIN_SUM, m->node[n].type), &n);
	while (m->node[n].shape.rank && !m->undecided)
		n = node_apply(m, app_reduce(m, n, m->node[n].shape.rank - 1, JOIN_SUM, m->node[n].type), &n);
	return n;
}

static int finished(struct maker *m, int n)
{
	const struct place *p = m->node[n].place ? m->node[n].place : m->at;
	return node_move(m, n, p, &(struct layout){0});
}

/* return sum(v) to B; or of two values, of equal types */
static void return_number(struct maker *m, struct derivation *d)
{
	int first = m->nnodes, last = m->npool - 1, other = dice_below(&m->dice, m->npool);
	while (last > 0 && (!m->node[m->pool[last].node].place || !dtype_is_float(m->node[m->pool[last].node].type)))
		last--;
	d->result = finished(m, total(m, m->pool[last].node));
	const struct node *a = &m->node[m->pool[last].node], *b = &m->node[m->pool[other].node];
	bool two = other != last && a->type == b->type && a->place == b->place;
	if (two && !m->failed && !m->undecided) {
		int in[2] = {d->result, finished(m, total(m, m->pool[other].node))};
		const struct body *sum =
			b_fn(m, FN_ADD, a->type, b_operand(m, 0, a->type), b_operand(m, 1, a->type), NULL);
		d->result = node_apply(m, app_pointwise(m, sum, in, 2), in);
		line(m, "return (sum(%s) to B) + (sum(%s) to B);", m->pool[last].text, m->pool[other].text);
	} else {
		line(m, "return sum(%s) to B;", m->pool[last].text);
	}
	m->spoiled |= m->failed || m->undecided || !usable(m, d->result);
	(void)first;
}

static void begin(struct maker *m, struct derivation *d, int params)
{
	int args = dice_range(&m->dice, params ? 0 : 1, MAX_PARAMS - 1);
	if (params && !args)
		args = dice_chance(&m->dice, 70);
	for (int k = 0; k < args; k++)
		add_argument(m, d);
	for (int k = 0; k < params; k++)
		add_param(m, d);
	function_begin(m, &d->f);
	for (int k = 0; k < d->nargs; k++)
		function_param(m, &d->f, d->f.outer_pool[d->arg[k]].node);
	for (int k = 0; k < d->nparams; k++)
		m->pool[m->npool++] = (struct variable){d->param_name[k], d->param[k], true};
	d->first = m->nnodes;
	make_steps(m, 2, 7);
	int what = dice_below(&m->dice, 10);
	if (what < 3) {
		what == 0 ? make_loop(m) : make_remat(m);
		make_steps(m, 1, 3);
	}
}

static const char *arguments(struct maker *m, const struct derivation *d)
{
	const char *text = "";
	for (int k = 0; k < d->nargs; k++)
		text = heap_text(m->heap, "%s%s%s", text, k ? ", " : "", m->pool[d->arg[k]].text);
	return text;
}

/* ---- forms ---- */

/* value_and_grad by params, printed and used for updates. */
static void by_params(struct maker *m)
{
	struct derivation d = {0};
	const char *l = new_name(m, "l"), *g = new_name(m, "g");
	bool all = true, any = false;
	begin(m, &d, dice_range(&m->dice, 1, 3));
	return_number(m, &d);
	function_end(m, &d.f, "");
	d.last = m->nnodes;
	for (int k = 0; k < d.nparams; k++) {
		all &= depends(m, &d, d.param[k]);
		any |= depends(m, &d, d.param[k]);
	}
	if (!any || m->spoiled) {
		m->spoiled = true;
		return;
	}
	bool shared = m->at->naxes == 1 && dice_chance(&m->dice, 25);
	for (int k = 0; k < d.nparams; k++)
		shared &= m->node[d.param[k]].shape.rank > 0;
	line(m, "let (%s, %s) = value_and_grad(%s%s)(%s);", l, g, d.f.name, shared ? ", grads : S(0)" : "",
	     arguments(m, &d));
	expect(m, d.result, l);
	int gradient[MAX_WRT];
	for (int k = 0; k < d.nparams; k++) {
		gradient[k] = depends(m, &d, d.param[k]) ? derivative(m, &d, d.param[k], NULL) : -1;
		if (gradient[k] < 0)
			continue;
		const char *dw = heap_text(m->heap, "%s.%s", g, d.param_name[k]);
		m->node[gradient[k]].layout = shared ? (struct layout){{{ATOM_S, 0, SUM}}} : m->node[d.param[k]].layout;
		if (dice_chance(&m->dice, 50)) {
			const char *typed = new_name(m, "g");
			line(m, "let %s : %s = %s;", typed, type_text(m, gradient[k]), dw);
			dw = typed;
		}
		expect(m, gradient[k], dw);
	}
	if (m->spoiled || shared || dice_chance(&m->dice, 40))
		return;
	line(m, "each (p, dp) in %s { p = p - 0.125 * dp; }", g);
	for (int k = 0; k < d.nparams; k++) {
		struct node *w = &m->node[d.param[k]];
		double most = 0;
		for (int e = 0; e < shape_volume(&w->shape); e++) {
			w->v[e] -= gradient[k] < 0 ? 0 : 0.125 * m->node[gradient[k]].v[e];
			most = fmax(most, fabs(w->v[e]));
		}
		w->exact = false;
		w->scale = fmax(most, gradient[k] < 0 ? 1 : m->node[gradient[k]].scale);
		expect(m, d.param[k], d.param_name[k]);
	}
}

/* grad and value_and_grad by arguments. */
static void by_arguments(struct maker *m)
{
	struct derivation d = {0};
	const char *names = "", *results = "", *g[MAX_PARAMS];
	int n = 0, wrt[MAX_PARAMS];
	begin(m, &d, 0);
	return_number(m, &d);
	function_end(m, &d.f, "");
	d.last = m->nnodes;
	for (int k = 0; k < d.nargs; k++)
		if (depends(m, &d, d.f.param_node[k])) {
			g[n] = new_name(m, "g");
			names = heap_text(m->heap, "%s%s\"%s\"", names, n ? ", " : "", d.f.param_name[k]);
			results = heap_text(m->heap, "%s%s%s", results, n ? ", " : "", g[n]);
			wrt[n++] = k;
		}
	if (!n || m->spoiled) {
		m->spoiled = true;
		return;
	}
	const char *pattern = n > 1 ? heap_text(m->heap, "(%s)", results) : results;
	const char *by = n > 1 ? heap_text(m->heap, "(%s)", names) : names;
	if (dice_chance(&m->dice, 50)) {
		const char *l = new_name(m, "l");
		line(m, "let (%s, %s) = value_and_grad(%s, wrt = %s)(%s);", l, pattern, d.f.name, by, arguments(m, &d));
		expect(m, d.result, l);
	} else if (n == d.nargs && dice_chance(&m->dice, 50)) {
		line(m, "let %s = grad(%s)(%s);", pattern, d.f.name, arguments(m, &d));
	} else {
		line(m, "let %s = grad(%s, wrt = %s)(%s);", pattern, d.f.name, by, arguments(m, &d));
	}
	for (int k = 0; k < n && !m->spoiled; k++)
		expect(m, derivative(m, &d, d.f.param_node[wrt[k]], NULL), g[k]);
}

/* vjp and jvp of any value. */
static void by_products(struct maker *m)
{
	struct derivation d = {0};
	begin(m, &d, 0);
	int last = m->npool - 1;
	while (last > 0 && !m->node[m->pool[last].node].place)
		last--;
	d.result = m->pool[last].node;
	bool part = layout_has_part(m->node[d.result].place, &m->node[d.result].layout);
	line(m, "return %s;", m->pool[last].text);
	function_end(m, &d.f, part ? heap_text(m->heap, " -> %s", type_text(m, d.result)) : "");
	d.last = m->nnodes;
	bool all = true;
	for (int k = 0; k < d.nargs; k++)
		all &= depends(m, &d, d.f.param_node[k]);
	if (!all) {
		m->spoiled = true;
		return;
	}
	struct node r = m->node[d.result];
	const char *y = new_name(m, "y"), *pattern = y, *call = arguments(m, &d);
	if (dice_chance(&m->dice, 50)) {
		struct layout l = part ? (struct layout){0} : r.layout;
		int ct = new_source(m, r.type, &r.shape, r.place, &l);
		const char *g[MAX_PARAMS], *all_of_them = "";
		for (int k = 0; k < d.nargs; k++)
			all_of_them = heap_text(m->heap, "%s%s%s", all_of_them, k ? ", " : "", g[k] = new_name(m, "g"));
		line(m, d.nargs > 1 ? "let (%s, (%s)) = vjp(%s)(%s, %s);" : "let (%s, %s) = vjp(%s)(%s, %s);", pattern,
		     all_of_them, d.f.name, call, m->pool[ct].text);
		expect(m, d.result, y);
		for (int k = 0; k < d.nargs && !m->spoiled; k++)
			expect(m, derivative(m, &d, d.f.param_node[k], m->node[m->pool[ct].node].v), g[k]);
		return;
	}
	clear_tangents(m);
	for (int k = 0; k < d.nargs; k++) {
		struct node x = m->node[d.f.param_node[k]];
		int t = new_source(m, x.type, &x.shape, x.place, &x.layout);
		call = heap_text(m->heap, "%s, %s", call, m->pool[t].text);
		memcpy(x.t, m->node[m->pool[t].node].v, sizeof *x.t * (size_t)shape_volume(&x.shape));
	}
	node_evaluate(m, d.first, d.last, true);
	int t = node_source(m, r.type, &r.shape, r.place, &(struct layout){0});
	for (int e = 0; e < shape_volume(&r.shape); e++) {
		m->node[t].v[e] = r.t[e];
		m->node[t].scale = fmax(fmax(r.scale, 1), fmax(m->node[t].scale, fabs(r.t[e])));
	}
	m->node[t].exact = false;
	m->spoiled |= !usable(m, t);
	const char *dy = new_name(m, "dy");
	line(m, "let (%s, %s) = jvp(%s)(%s);", y, dy, d.f.name, call);
	expect(m, d.result, y);
	expect(m, t, dy);
}

void make_gradient(struct maker *m)
{
	int what = dice_below(&m->dice, 10);
	if (what < 4)
		by_params(m);
	else if (what < 7)
		by_arguments(m);
	else
		by_products(m);
}
