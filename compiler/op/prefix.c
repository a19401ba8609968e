/* prefix.c — recognises reductions of all elements up to each by the comparison in their body: factor against factor,
 * one of them reduced, in the program's own numbering (a rank's part has a shift that is known when it runs). */
#include "prefix.h"

#include <stdlib.h>

static bool is_order(enum scalar_fn fn)
{
	return fn == SC_LT || fn == SC_LE || fn == SC_GT || fn == SC_GE;
}

/* The one comparison in which the reduced factor occurs with another. NULL and *others: there are several. */
static const struct scalar *find_condition(const struct scalar *s, int over, bool *others)
{
	const struct scalar *found = NULL;
	if (s->kind != SCALAR_APPLY)
		return NULL;
	if (is_order(s->fn) && scalar_uses_factor(s, over))
		return s;
	for (int k = 0; k < 3 && s->arg[k]; k++) {
		const struct scalar *c = find_condition(s->arg[k], over, others);
		if (c && found && !scalar_equal(c, found))
			*others = true;
		found = c ? c : found;
	}
	return found;
}

/* i and r as they occur in a sum: along * i + over * r + number. */
struct terms {
	int64_t along, over, number;
};

/* Adds the expression times `by`; false if it is anything else. */
static bool add_terms(struct terms *t, const struct scalar *s, const struct prefix *p, int64_t by)
{
	enum { FAR = 1 << 30 };
	switch (s->kind) {
	case SCALAR_CONST:
		t->number += by * s->i;
		return dtype_kind(s->type) == DTYPE_INT && s->i > -FAR && s->i < FAR;
	case SCALAR_FACTOR:
		*(s->index == p->along ? &t->along : &t->over) += by;
		return s->index == p->along || s->index == p->over;
	case SCALAR_APPLY:
		if (s->fn == SC_ADD || s->fn == SC_SUB)
			return add_terms(t, s->arg[0], p, by) && add_terms(t, s->arg[1], p, s->fn == SC_ADD ? by : -by);
		return s->fn == SC_NEG && add_terms(t, s->arg[0], p, -by);
	case SCALAR_OPERAND:
	case SCALAR_EXTENT:
		break;
	}
	return false;
}

/* The condition, or with `holds` false its opposite, as p->shift and p->backward. */
static bool read_condition(const struct scalar *c, bool holds, struct prefix *p)
{
	struct terms t = {0, 0, 0};
	if (!add_terms(&t, c->arg[0], p, 1) || !add_terms(&t, c->arg[1], p, -1))
		return false;
	bool less = (c->fn == SC_LT || c->fn == SC_LE) == holds;
	bool strict = (c->fn == SC_LT || c->fn == SC_GT) == holds;
	if (!less) /* t > 0 is -t < 0 */
		t = (struct terms){-t.along, -t.over, -t.number};
	t.number += strict;
	/* along * i + over * r + number <= 0 */
	if (t.along + t.over != 0 || llabs(t.over) != 1)
		return false;
	p->backward = t.over < 0;
	p->shift = p->backward ? -t.number : t.number;
	return true;
}

/* The body with the condition decided. */
static const struct scalar *decide(struct arena *a, const struct scalar *s, const struct scalar *condition, bool holds)
{
	if (s->kind != SCALAR_APPLY)
		return s;
	if (s == condition || (is_order(s->fn) && scalar_equal(s, condition)))
		return scalar_int(a, DT_BOOL, holds);
	const struct scalar *arg[3] = {NULL, NULL, NULL};
	for (int k = 0; k < 3 && s->arg[k]; k++)
		arg[k] = decide(a, s->arg[k], condition, holds);
	return scalar_apply(a, s->fn, s->type, arg[0], arg[1], arg[2]);
}

static bool is_neutral(const struct scalar *s, enum combiner c)
{
	union scalar_value v = combiner_neutral(c, s->type);
	return s->kind == SCALAR_CONST && (dtype_is_float(s->type) ? s->f == v.f : s->i == v.i);
}

/* The reduced factor and the one that the comparison may hold it against. */
static bool find_factors(const struct rule *r, const struct scalar *condition, struct prefix *p)
{
	p->along = -1;
	for (int f = 0; f < r->nfactors; f++) {
		if (f == p->over || !scalar_uses_factor(condition, f))
			continue;
		if (p->along >= 0 || access_dim_of(&r->out, f) < 0)
			return false;
		p->along = f;
	}
	for (int k = 0; k < r->noperands && p->along >= 0; k++)
		if (access_uses(&r->operand[k], p->along))
			return false;
	return p->along >= 0;
}

/* Reduces with an order of its own, and one factor only: that, or -1. */
static int reduced_factor(const struct rule *r)
{
	int over = -1;
	if (r->combiner == COMBINE_NONE || r->combiner == COMBINE_ARGMAX || r->combiner == COMBINE_ARGMIN ||
	    rule_is_scatter(r))
		return -1;
	for (int f = 0; f < r->nfactors; f++) {
		if (!rule_reduces(r, f) || r->factor[f].extent == 1)
			continue;
		if (over >= 0)
			return -1;
		over = f;
	}
	return over;
}

bool prefix_of_rule(struct arena *a, const struct rule *r, struct prefix *p)
{
	bool others = false;
	p->over = reduced_factor(r);
	if (p->over < 0)
		return false;
	const struct scalar *c = find_condition(r->body, p->over, &others);
	if (!c || others || !find_factors(r, c, p))
		return false;
	const struct scalar *yes = decide(a, r->body, c, true), *no = decide(a, r->body, c, false);
	bool holds = is_neutral(no, r->combiner);
	p->value = holds ? yes : no;
	return (holds || is_neutral(yes, r->combiner)) && read_condition(c, holds, p) &&
	       !scalar_uses_factor(p->value, p->along);
}
