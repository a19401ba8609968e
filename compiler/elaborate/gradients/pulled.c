/* pulled.c — custom_vjp(f, rule): a function of which the program says how cotangents go back.
 *
 * The rule is called with the arguments of f, what f gave and its cotangent, and gives a cotangent for each argument.
 * It need not be linear, so it cannot stand in the graph beforehand: it is walked when reverse mode has met all that
 * reads what f gave (NODE_PULLED, one for each float of it), which is given to it as that is, so that derivatives of
 * derivatives go by the rule as well. In a loop that is walked backward it becomes part of the loop's reverse. */
#include "custom.h"

struct pulled {
	struct pullback pullback; /* what differentiation knows of it */
	struct elab *e;
	const struct derived *d;
	struct arguments args;
	const struct value *result; /* what the function computes */
};

static bool has_tensors(struct elab *e, const struct value *v)
{
	struct parts parts = {0};
	bool any = false;
	parts_collect(e, v, &parts);
	for (int i = 0; i < parts.at.n; i++)
		any = any || value_is_tensor(parts.at.at[i]);
	return any;
}

/* v with other nodes, from *next on, in the place of its tensors. */
static const struct value *as_read(struct elab *e, const struct value *v, struct node *const **next)
{
	struct parts parts = {0}, now = {0};
	parts_collect(e, v, &parts);
	for (int i = 0; i < parts.at.n; i++) {
		const struct value *x = parts.at.at[i];
		vec_push(e->a, &now.at, value_is_tensor(x) ? tensor_value_of(e, *(*next)++) : x);
	}
	return parts_replaced(e, v, &now);
}

/* The rule, or for each line of all that consists of tensors, in as many dimensions in front, what it does. */
static const struct value *for_lines(const struct pulled *p, const struct arguments *args, int lines)
{
	const struct value *f = p->d->rule;
	for (; lines > 0; lines--) {
		struct derived *d = ARENA_NEW(p->e->a, struct derived);
		struct value *v = value_new(p->e, VALUE_DERIVED);
		*d = (struct derived){.how = DERIVE_VMAP, .function = f, .span = p->d->rule_span};
		for (int i = 0; i < args->at.n; i++)
			if (has_tensors(p->e, args->at.at[i].value))
				vec_push(p->e->a, &d->over, ((struct mapped_argument){.position = i, .span = d->span}));
		v->derived = d;
		f = v;
	}
	return f;
}

/* The cotangents of the tensors of one argument, x, from *out on, behind which *out is then; false after an error. */
static bool cotangents(const struct custom *c, const struct value *x, const struct value *given, struct node ***out)
{
	struct elab *e = c->e;
	struct parts xs = {0}, cs = {0};
	bool none = custom_is_zero(given) || given->kind == VALUE_NONE;
	if (!none && !parts_alike(x, given)) {
		struct diag *m = elab_error(e, PML0416, c->d->rule_span, "the rule gives %s for %s",
					    value_describe(e, given), value_describe(e, x));
		diag_note(m, "a cotangent has the form of its argument, or is 0");
		return false;
	}
	parts_collect(e, x, &xs);
	if (!none)
		parts_collect(e, parts_in_form(e, x, given, c->d->rule_span), &cs);
	for (int i = 0; i < xs.at.n; i++) {
		const struct value *part = xs.at.at[i];
		bool has = !none && value_is_float_tensor(e, part) && !custom_is_zero(cs.at.at[i]);
		struct node *d = has ? custom_part(c, part, cs.at.at[i]) : NULL;
		if (has && !d)
			return false;
		if (value_is_tensor(part))
			*(*out)++ = d;
	}
	return true;
}

static bool given_back(const struct custom *c, const struct arguments *now, int n, const struct value *v,
		       struct node **out)
{
	if (value_failed(v))
		return false;
	if (n > 1 && (v->kind != VALUE_TUPLE || v->items.n != n)) {
		struct diag *m = elab_error(c->e, PML0416, c->d->rule_span, "the rule gives %s, for %d arguments",
					    value_describe(c->e, v), n);
		diag_note(m, "it gives a tuple with a cotangent for each argument, 0 for what has none");
		return false;
	}
	for (int i = 0; i < n; i++)
		if (!cotangents(c, now->at.at[i].value, n > 1 ? v->items.at[i] : v, &out))
			return false;
	return true;
}

/* The cotangents of result x, from c on; 0 for what is no float. */
static const struct value *of_result(struct elab *e, const struct value *x, struct node *const *c)
{
	struct parts parts = {0}, of = {0};
	parts_collect(e, x, &parts);
	for (int i = 0; i < parts.at.n; i++) {
		struct node *d = value_is_tensor(parts.at.at[i]) ? *c++ : NULL;
		vec_push(e->a, &of.at, d ? tensor_value_of(e, d) : value_float(e, 0.0));
	}
	return parts_replaced(e, x, &of);
}

static bool back(const struct pullback *b, struct node *const *values, struct node *const *cotangent, struct node **out)
{
	const struct pulled *p = b->rule;
	struct elab *e = p->e;
	struct custom c = {.e = e, .d = p->d};
	struct arguments now = {.span = p->args.span};
	int count = p->args.at.n;
	const struct value *x = as_read(e, p->result, &values), *dx = of_result(e, p->result, cotangent);
	for (int i = 0; i < count; i++) {
		struct argument a = p->args.at.at[i];
		a.value = as_read(e, a.value, &values);
		vec_push(e->a, &now.at, a);
	}
	vec_push(e->a, &now.at, ((struct argument){.value = x, .span = now.span}));
	vec_push(e->a, &now.at, ((struct argument){.value = dx, .span = now.span}));
	const struct remat *remat = e->remat;
	bool is_rule = e->is_rule;
	e->grad_depth++;
	e->is_rule = true;
	e->remat = region_graph(e)->remat;
	struct arguments given = arguments_copied(e, &now);
	const struct value *v = custom_ruled(&c, for_lines(p, &now, b->lines), &given);
	e->remat = remat;
	e->is_rule = is_rule;
	e->grad_depth--;
	return given_back(&c, &now, count, v, out);
}

/* The result, of these parts, whose floats have the cotangents that the rule makes of theirs; given: the tensors of the
 * arguments. */
static const struct value *with_rule(struct pulled *p, const struct parts *result, const struct custom *given)
{
	struct elab *e = p->e;
	struct node_site site = elab_site(e, p->d->span);
	struct node **tensor = ARENA_ARRAY(e->a, struct node *, result->at.n + given->arguments.n);
	struct parts now = {0};
	int n = 0, next = 0;
	for (int i = 0; i < result->at.n; i++)
		if (value_is_tensor(result->at.at[i]))
			tensor[n++] = tensor_node(e, result->at.at[i], p->d->span);
	p->pullback.results = n;
	for (int i = 0; i < given->arguments.n; i++)
		tensor[n++] = given->arguments.at[i];
	for (int i = 0; i < result->at.n; i++) {
		const struct value *part = result->at.at[i];
		int at = next;
		next += value_is_tensor(part);
		if (value_is_float_tensor(e, part))
			part = tensor_value_of(e, graph_pulled(region_graph(e), &site, &p->pullback, at, n, tensor));
		vec_push(e->a, &now.at, part);
	}
	return parts_replaced(e, p->result, &now);
}

static bool gives_floats(struct elab *e, const struct parts *result)
{
	bool any = false;
	for (int i = 0; i < result->at.n; i++)
		any = any || value_is_float_tensor(e, result->at.at[i]);
	return any;
}

const struct value *pulled_call(struct elab *e, const struct derived *d, struct arguments *args)
{
	struct custom c = {.e = e, .d = d};
	struct parts parts = {0}, result = {0};
	if (!custom_in_order(e, d, args))
		return &value_error;
	struct pulled *p = ARENA_NEW(e->a, struct pulled);
	*p = (struct pulled){.pullback = {.back = back, .rule = p}, .e = e, .d = d, .args = arguments_copied(e, args)};
	for (int i = 0; i < args->at.n; i++)
		parts_collect(e, args->at.at[i].value, &parts);
	for (int i = 0; e->orders && i < parts.at.n; i++)
		if (value_is_tensor(parts.at.at[i]))
			vec_push(e->a, &c.arguments, tensor_node(e, parts.at.at[i], args->span));
	int from = e->orders ? region_graph(e)->nodes.n : 0;
	p->result = call_value(e, d->function, args);
	if (!e->orders || value_failed(p->result))
		return p->result;
	parts_collect(e, p->result, &result);
	if (!gives_floats(e, &result)) {
		elab_error(e, PML0416, d->span,
			   "a rule for cotangents is of a function that gives float tensors, this "
			   "one gives %s",
			   value_describe(e, p->result));
		return &value_error;
	}
	if (!custom_takes(&c, p->args.at.n + 2, "the arguments, the result and its cotangent") ||
	    !custom_reads_no_param(&c, from, &result))
		return &value_error;
	return with_rule(p, &result, &c);
}
