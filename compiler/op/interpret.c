/* interpret.c — the reference meaning of a rule: every point in turn, nothing clever.
 * Sums and products of floats are kept in double and rounded to the result's type at the end; their terms of 16 bits are
 * f32. */
#include "rule.h"

#include "base/session.h"

#include <math.h>

struct run {
	const struct rule *rule;
	union scalar_value *const *operands;
	union scalar_value *out;
	const struct rule_origin *origin;
	int64_t point[MAX_FACTORS]; /* global */
	union scalar_value value[MAX_OPERANDS];
	int order[MAX_OPERANDS]; /* operands without data indices first */
	int64_t *best;           /* argmax and argmin: winner per element, and its value in out until the end */
	bool left_array;
};

static int64_t volume(const struct access *a)
{
	int64_t v = 1;
	for (int d = 0; d < a->rank; d++)
		v *= a->dim[d];
	return v;
}

/* Position in the local array of dimension d, or -1. */
static int64_t position(struct run *u, const struct index *x, int64_t dim, int64_t origin)
{
	int64_t at = x->offset;
	if (x->data >= 0) {
		at = u->value[x->data].i;
		if (u->rule->operand[x->data].type == DT_U64 && at < 0)
			return -1;
	} else {
		for (int k = 0; k < x->nterms; k++)
			at += x->term[k].coef * u->point[x->term[k].factor];
		if (at % x->div)
			return -1;
		at /= x->div;
	}
	at -= origin;
	return at < 0 || at >= dim ? -1 : at;
}

/* Offset in the local array, or -1 if the point is dropped. */
static int64_t locate(struct run *u, const struct access *a, const int64_t *origin)
{
	int64_t offset = 0;
	for (int d = 0; d < a->rank; d++) {
		int64_t p = position(u, &a->index[d], a->dim[d], origin[d]);
		if (p < 0) {
			u->left_array = u->left_array || !a->index[d].guarded;
			return -1;
		}
		offset = offset * a->dim[d] + p;
	}
	return offset;
}

union scalar_value combiner_neutral(enum combiner c, enum dtype t)
{
	bool is_float = dtype_is_float(t);
	double f = c == COMBINE_PROD ? 1 : c == COMBINE_MAX || c == COMBINE_ARGMAX ? -INFINITY : INFINITY;
	union scalar_value v = {.i = 0};
	if (c == COMBINE_NONE || c == COMBINE_SUM)
		return is_float ? (union scalar_value){.f = 0} : v;
	if (is_float)
		return (union scalar_value){.f = f};
	if (dtype_kind(t) == DTYPE_BOOL)
		return (union scalar_value){.i = f > 0};
	return scalar_convert((union scalar_value){.f = f}, DT_F64, t);
}

/* True if y takes the place of x as the maximum (minimum): a NaN wins over numbers, 0.0 is greater than -0.0 where it
 * is the value that counts and not where it stands, and the first of equals stays. */
static bool wins(enum combiner c, enum dtype t, union scalar_value x, union scalar_value y)
{
	bool max = c == COMBINE_MAX || c == COMBINE_ARGMAX;
	if (!dtype_is_float(t))
		return max ? scalar_int_less(t, x.i, y.i) : scalar_int_less(t, y.i, x.i);
	bool value = c == COMBINE_MAX || c == COMBINE_MIN, zero = max ? signbit(x.f) && !signbit(y.f) : signbit(y.f);
	return x.f == x.f && (y.f != y.f || (max ? y.f > x.f : y.f < x.f) || (value && x.f == y.f && zero));
}

union scalar_value combiner_apply(enum combiner c, enum dtype t, union scalar_value x, union scalar_value y)
{
	bool is_float = dtype_is_float(t);
	union scalar_value r = y;
	switch (c) {
	case COMBINE_SUM:
		if (is_float)
			r.f = x.f + y.f;
		else
			r.i = (int64_t)((uint64_t)x.i + (uint64_t)y.i);
		break;
	case COMBINE_PROD:
		if (is_float)
			r.f = x.f * y.f;
		else
			r.i = (int64_t)((uint64_t)x.i * (uint64_t)y.i);
		break;
	case COMBINE_MAX:
	case COMBINE_MIN:
	case COMBINE_ARGMAX:
	case COMBINE_ARGMIN:
		return wins(c, t, x, y) ? y : x;
	case COMBINE_NONE:
	case COMBINE_COUNT:
		break;
	}
	return is_float ? r : scalar_convert(r, DT_I64, t);
}

static int reduced_factor(const struct rule *r)
{
	int f = 0;
	while (f < r->nfactors && !rule_reduces(r, f))
		f++;
	return f;
}

static void visit(struct run *u)
{
	const struct rule *r = u->rule;
	for (int j = 0; j < r->noperands; j++) {
		int k = u->order[j];
		int64_t at = locate(u, &r->operand[k], u->origin->operand[k]);
		if (at < 0)
			return;
		u->value[k] = u->operands[k][at];
	}
	int64_t at = locate(u, &r->out, u->origin->out);
	if (at < 0)
		return;
	bool adds = r->combiner == COMBINE_SUM || r->combiner == COMBINE_PROD;
	union scalar_value v = (adds ? scalar_eval_wide : scalar_eval)(r->body, u->value, u->point);
	if (u->best) {
		if (u->best[at] >= 0 && !wins(r->combiner, r->body->type, u->out[at], v))
			return;
		u->best[at] = u->point[reduced_factor(r)];
		u->out[at] = v;
	} else {
		u->out[at] = combiner_apply(r->combiner, r->body->type, u->out[at], v);
	}
}

static void walk(struct run *u)
{
	const struct rule *r = u->rule;
	int64_t step[MAX_FACTORS] = {0};
	for (int f = 0; f < r->nfactors; f++) {
		u->point[f] = u->origin->factor[f];
		if (r->factor[f].extent == 0)
			return;
	}
	for (int f = 0; f >= 0 && !u->left_array;) {
		visit(u);
		for (f = r->nfactors - 1; f >= 0 && ++step[f] == r->factor[f].extent; f--)
			step[f] = 0;
		for (int k = 0; k < r->nfactors; k++)
			u->point[k] = u->origin->factor[k] + step[k];
	}
}

static void set_order(struct run *u)
{
	int n = 0;
	for (int pass = 0; pass < 2; pass++)
		for (int k = 0; k < u->rule->noperands; k++) {
			bool data = false;
			for (int d = 0; d < u->rule->operand[k].rank; d++)
				data = data || u->rule->operand[k].index[d].data >= 0;
			if (data == (pass == 1))
				u->order[n++] = k;
		}
}

static void finish(struct run *u, int64_t n)
{
	enum dtype t = u->rule->out.type;
	for (int64_t i = 0; i < n; i++) {
		if (u->best)
			u->out[i].i = u->best[i] < 0 ? 0 : u->best[i];
		else if (dtype_is_float(t))
			u->out[i] = scalar_convert(u->out[i], DT_F64, t);
	}
}

bool rule_try_interpret(const struct rule *r, union scalar_value *const *operands, union scalar_value *out,
			const struct rule_origin *origin)
{
	static const struct rule_origin whole;
	struct run u = {.rule = r, .operands = operands, .out = out, .origin = origin ? origin : &whole};
	struct arena *scratch = arena_new("interpret");
	int64_t n = volume(&r->out);
	set_order(&u);
	if (r->combiner == COMBINE_ARGMAX || r->combiner == COMBINE_ARGMIN)
		u.best = ARENA_ARRAY(scratch, int64_t, n);
	for (int64_t i = 0; i < n; i++) {
		out[i] = combiner_neutral(r->combiner, r->body->type);
		if (u.best)
			u.best[i] = -1;
	}
	walk(&u);
	finish(&u, n);
	arena_free(scratch);
	return !u.left_array;
}

void rule_interpret(const struct rule *r, union scalar_value *const *operands, union scalar_value *out,
		    const struct rule_origin *origin)
{
	bool in_range = rule_try_interpret(r, operands, out, origin);
	BUG_IF(!in_range, "rule %s: an unguarded access leaves its array", r->name);
}
