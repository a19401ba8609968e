/* custom.c — custom_jvp(f, rule): a function whose derivative the program gives.
 *
 * The rule is called with the arguments of f, what f gives, and a tangent for each argument, and gives the tangent of
 * the result. It is walked where f is called inside of what is differentiated, once for each derivative around it: what
 * f gives to the rule has its own derivative again, by the rule walked before. So derivatives of derivatives go by
 * rules, too. What the rule computes stands in the graph as any other nodes do, between TANGENT nodes, one for each
 * tensor of the arguments, and a RULED node; reverse mode goes through it backward (autodiff/adjoint.h), so that a rule
 * serves both modes. */
#include "custom.h"

bool custom_in_order(struct elab *e, const struct derived *d, struct arguments *args)
{
	int n;
	const struct param *params = function_params(d->function, &n);
	struct argument *at = ARENA_ARRAY(e->a, struct argument, n + 1);
	bool any = false;
	for (int i = 0; i < args->at.n; i++) {
		int k = args->at.at[i].name ? param_named(params, n, args->at.at[i].name) : i;
		any = any || args->at.at[i].name;
		if (k >= 0 && k < n)
			at[k] = args->at.at[i];
	}
	for (int i = 0; i < n; i++) {
		at[i].name = NULL;
		if (at[i].value)
			continue;
		struct diag *m = elab_error(e, PML0416, args->span, "`%s` is not given", params[i].name.text);
		diag_note(m, "a function with a rule for its derivative is given all of its arguments, for the rule "
			     "gets them");
		return false;
	}
	for (int i = 0; any && i < n; i++)
		args->at.at[i] = at[i];
	return true;
}

static void find_arguments(struct custom *c, const struct arguments *args)
{
	struct parts parts = {0};
	for (int i = 0; i < args->at.n; i++)
		parts_collect(c->e, args->at.at[i].value, &parts);
	for (int i = 0; i < parts.at.n; i++)
		if (value_is_float_tensor(c->e, parts.at.at[i]))
			vec_push(c->e->a, &c->arguments, tensor_node(c->e, parts.at.at[i], args->span));
}

static bool is_argument(const struct custom *c, const struct node *x)
{
	for (int i = 0; i < c->arguments.n; i++)
		if (c->arguments.at[i] == x)
			return true;
	return false;
}

/* The param that x is read from, or -1. */
static int param_of(const struct custom *c, const struct node *x)
{
	while (x->kind == NODE_TO && region_is_read(c->e, x))
		x = x->in[0];
	return x->kind == NODE_SLOT && c->e->p->slots.at[x->slot]->slot_class == SLOT_PARAM ? x->slot : -1;
}

bool custom_reads_no_param(const struct custom *c, int from, const struct parts *results)
{
	struct graph *g = region_graph(c->e);
	bool *needed = ARENA_ARRAY(c->e->a, bool, g->nodes.n - from);
	for (int i = 0; i < results->at.n; i++)
		if (value_is_float_tensor(c->e, results->at.at[i])) {
			const struct node *x = tensor_node(c->e, results->at.at[i], c->d->span);
			if (x->id >= from)
				needed[x->id - from] = true;
		}
	for (int id = g->nodes.n - 1; id >= from; id--) {
		const struct node *x = g->nodes.at[id];
		for (int i = 0; needed[id - from] && i < x->nin; i++) {
			int slot = is_argument(c, x->in[i]) ? -1 : param_of(c, x->in[i]);
			if (x->in[i]->id >= from)
				needed[x->in[i]->id - from] = true;
			if (slot < 0)
				continue;
			const char *name = c->e->p->slots.at[slot]->name;
			struct diag *m =
				elab_error(c->e, PML0416, c->d->span,
					   "the function reads the param `%s`, of which its rule knows nothing", name);
			diag_help(m, "hand `%s` to it as an argument", name);
			return false;
		}
	}
	return true;
}

bool custom_takes(const struct custom *c, int n, const char *given)
{
	int has;
	const struct param *params = function_params(c->d->rule, &has);
	if (!params || has >= n)
		return true;
	struct diag *m = elab_error(c->e, PML0416, c->d->rule_span,
				    "the rule has %d parameter%s, it is given %d values", has, has == 1 ? "" : "s", n);
	diag_note(m, "%s", given);
	return false;
}

/* A tangent for each tensor of an argument; *next: the number of the first. */
static const struct value *tangents(struct custom *c, const struct value *v, int *next)
{
	struct parts parts = {0}, moving = {0};
	struct node_site site = elab_site(c->e, c->d->rule_span);
	parts_collect(c->e, v, &parts);
	for (int i = 0; i < parts.at.n; i++) {
		bool moves = value_is_float_tensor(c->e, parts.at.at[i]);
		vec_push(c->e->a, &moving.at,
			 moves ? tensor_value_of(c->e, graph_tangent(region_graph(c->e), &site, c->e->rule_depth,
								     c->arguments.n, c->arguments.at, (*next)++))
			       : value_float(c->e, 0.0));
	}
	return parts_replaced(c->e, v, &moving);
}

bool custom_is_zero(const struct value *v)
{
	return value_is_known(v) && value_is_number(v) && (v->host.type == HOST_INT ? v->host.i == 0 : v->host.f == 0);
}

struct node *custom_part(const struct custom *c, const struct value *x, const struct value *t)
{
	struct node_site site = elab_site(c->e, c->d->rule_span);
	const struct shape *s = tensor_shape(c->e, x);
	enum dtype type = tensor_dtype(c->e, x);
	if (custom_is_zero(t))
		return graph_zeros(region_graph(c->e), &site, type, s);
	if (value_is_tensor(t) && tensor_dtype(c->e, t) == type && shape_equal(tensor_shape(c->e, t), s))
		return tensor_node(c->e, t, c->d->rule_span);
	struct diag *m = elab_error(c->e, PML0416, c->d->rule_span, "the rule gives %s for %s", value_describe(c->e, t),
				    value_describe(c->e, x));
	diag_note(m, "what it gives is a tensor like that, or 0 for nothing");
	return NULL;
}

const struct value *custom_ruled(const struct custom *c, const struct value *rule, struct arguments *given)
{
	const struct region_mark *before = region_mark(c->e);
	int slot;
	const struct value *v = call_value(c->e, rule, given);
	if (value_failed(v) || !region_assigned(c->e, before, &slot, 1))
		return v;
	elab_error(c->e, PML0411, c->d->rule_span, "a rule for a derivative assigns `%s`",
		   c->e->p->slots.at[slot]->name);
	return &value_error;
}

/* The result x of f with its derivative, by a rule that is given `known` in the place of x. */
static const struct value *with_rule(struct custom *c, const struct arguments *args, const struct value *x,
				     const struct value *known)
{
	struct elab *e = c->e;
	struct arguments given = arguments_copied(e, args);
	struct parts xs = {0}, ts = {0}, ruled = {0};
	int next = 0;
	vec_push(e->a, &given.at, ((struct argument){.value = known, .span = args->span}));
	for (int i = 0; i < args->at.n; i++) {
		const struct value *t = tangents(c, args->at.at[i].value, &next);
		vec_push(e->a, &given.at, ((struct argument){.value = t, .span = args->at.at[i].span}));
	}
	const struct value *t = custom_ruled(c, c->d->rule, &given);
	if (value_failed(t))
		return t;
	if (!parts_alike(x, t)) {
		struct diag *m = elab_error(e, PML0416, c->d->rule_span, "the rule gives %s, the function %s",
					    value_describe(e, t), value_describe(e, x));
		diag_note(m, "it gives a tangent in the form of the result");
		return &value_error;
	}
	parts_collect(e, x, &xs);
	parts_collect(e, parts_in_form(e, x, t, c->d->rule_span), &ts);
	for (int i = 0; i < xs.at.n; i++) {
		const struct value *part = xs.at.at[i];
		struct node *y = value_is_float_tensor(e, part) ? custom_part(c, part, ts.at.at[i]) : NULL;
		struct node_site site = elab_site(e, c->d->span);
		if (value_is_float_tensor(e, part) && !y)
			return &value_error;
		vec_push(e->a, &ruled.at,
			 y ? tensor_value_of(e, graph_ruled(region_graph(e), &site, e->rule_depth,
							    tensor_node(e, part, c->d->span), y, c->arguments.n,
							    c->arguments.at))
			   : part);
	}
	return parts_replaced(e, x, &ruled);
}

const struct value *custom_call(struct elab *e, const struct derived *d, struct arguments *args)
{
	struct custom c = {.e = e, .d = d};
	struct parts results = {0};
	if (!custom_in_order(e, d, args))
		return &value_error;
	struct arguments given = arguments_copied(e, args);
	if (e->orders)
		find_arguments(&c, args);
	int from = e->orders ? region_graph(e)->nodes.n : 0;
	const struct value *x = call_value(e, d->function, &given);
	if (!c.arguments.n || value_failed(x))
		return x;
	parts_collect(e, x, &results);
	if (!custom_takes(&c, 2 * args->at.n + 1, "the arguments, the result, and a tangent for each argument") ||
	    !custom_reads_no_param(&c, from, &results))
		return &value_error;
	const struct value *v = x;
	int orders = e->orders;
	bool is_rule = e->is_rule;
	e->rule_depth++;
	e->is_rule = true;
	for (e->orders = 0; e->orders < orders && !value_failed(v); e->orders++)
		v = with_rule(&c, args, x, v);
	e->orders = orders;
	e->is_rule = is_rule;
	e->rule_depth--;
	return v;
}
