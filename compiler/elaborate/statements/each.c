/* each.c — `each (p, d) in g`: a gradient is walked when compiling, param by param, as statements or as another
 * gradient. */
#include "statements.h"
#include "../operators/operators.h"

static bool is_gradient(struct elab *e, const struct value *g, struct span at)
{
	if (!value_failed(g) && g->kind != VALUE_GRADIENT)
		elab_error(e, PML0501, at, "`each` walks a gradient, this is %s", value_describe(e, g));
	return g->kind == VALUE_GRADIENT;
}

/* Goes to one param of a gradient: the pattern's names are bound, states declared here belong to the param. */
static void each_enter(struct elab *e, const struct gradient_entry *d, const struct pattern *pattern, struct span at)
{
	struct value *p = value_new(e, VALUE_PARAM);
	p->slot = d->slot;
	const struct value *pair[2] = {p, d->d};
	e->frame->like = e->p->slots.at[d->slot]->name;
	e->each = d;
	env_push(e);
	pattern_bind(e, pattern, BIND_LET, value_tuple(e, 2, pair), at);
}

static void each_leave(struct elab *e, const char *outer)
{
	env_pop(e);
	e->frame->like = outer;
}

void stmt_each(struct elab *e, const struct stmt *s)
{
	const struct value *g = expr_eval(e, s->value);
	if (!is_gradient(e, g, s->value->span))
		return;
	const struct gradient_entry *before = e->each;
	const char *outer = e->frame->like;
	for (int i = 0; i < g->gradient.n && !(e->frame && e->frame->returned); i++) {
		each_enter(e, &g->gradient.at[i], s->pattern, s->value->span);
		stmt_block(e, s->body->body);
		each_leave(e, outer);
	}
	e->each = before;
}

const struct value *expr_each(struct elab *e, const struct expr *x)
{
	const struct value *g = expr_eval(e, x->each.of);
	if (!is_gradient(e, g, x->each.of->span))
		return &value_error;
	struct value *out = value_new(e, VALUE_GRADIENT);
	const char *outer = e->frame->like;
	bool failed = false;
	const struct gradient_entry *before = e->each;
	for (int i = 0; i < g->gradient.n && !failed; i++) {
		struct gradient_entry d = g->gradient.at[i];
		each_enter(e, &g->gradient.at[i], x->each.pattern, x->each.of->span);
		d.d = gradient_fit(e, expr_eval(e, x->each.body), d.slot, x->each.body->span);
		each_leave(e, outer);
		failed = value_failed(d.d);
		vec_push(e->a, &out->gradient, d);
	}
	e->each = before;
	return failed ? &value_error : out;
}
