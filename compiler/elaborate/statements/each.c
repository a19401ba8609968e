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

struct entry {
	const struct stmt *s;
	const struct gradient_entry *d;
};

static void walk_entry(struct elab *e, const void *x)
{
	const struct entry *entry = x;
	const char *outer = e->frame->like;
	each_enter(e, entry->d, entry->s->pattern, entry->s->value->span);
	stmt_block(e, entry->s->body->body);
	each_leave(e, outer);
}

void stmt_each(struct elab *e, const struct stmt *s)
{
	const struct value *g = expr_eval(e, s->value);
	if (!is_gradient(e, g, s->value->span))
		return;
	const struct gradient_entry *before = e->each;
	for (int i = 0; i < g->gradient.n && !(e->frame && e->frame->returned); i++) {
		struct entry entry = {s, &g->gradient.at[i]};
		struct arm_body arm = {.statements = s->body, .walk = walk_entry, .x = &entry};
		if (!(stmt_may_return(s->body) && unless_left(e, &arm, s->value->span)))
			walk_entry(e, &entry);
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
