/* test_op_derive.h — evaluating derivatives of rules and comparing them with central differences, first and second
 * order. All floats are f64. Everything is allocated from `arena`. */
#ifndef PML_TEST_OP_DERIVE_H
#define PML_TEST_OP_DERIVE_H

#include "test_op_simulate.h"

#include <check.h>

static const double STEP = 1e-5, TOLERANCE = 2e-6;

static struct arena *arena;

static inline union scalar_value *run(const struct rule *r, union scalar_value *const *x)
{
	union scalar_value *y = new_values(arena, access_volume(&r->out));
	rule_interpret(r, x, y, NULL);
	return y;
}

static inline union scalar_value *random_cotangent(const struct access *at, uint64_t *seed)
{
	int64_t n = access_volume(at);
	union scalar_value *g = new_values(arena, n);
	for (int64_t i = 0; i < n; i++)
		g[i].f = 2 * random_unit(seed) - 1;
	return g;
}

/* Makes a mistake in a gradient rule of a rule with n operands; false if this one does not apply. */
typedef bool mutate_fn(struct rule *q, int mutation, int n);

/* Derivatives whose points are dropped by zeros in the place of operands that they do not read. */
static int guarded_apart;

/* The rule with its guards apart gives the same. */
static inline void check_guards_apart(const struct rule *r, union scalar_value *const *operands,
				      const union scalar_value *result)
{
	union scalar_value *x[MAX_OPERANDS];
	int kept[MAX_OPERANDS], nkept;
	const struct rule *apart = rule_guards_apart(arena, r, kept, &nkept);
	if (apart == r)
		return;
	const char *wrong = rule_check(arena, apart);
	ck_assert_msg(!wrong, "%s: %s", apart->name, wrong);
	for (int k = 0; k < apart->noperands; k++)
		x[k] = k < nkept ? operands[kept[k]] : new_values(arena, access_volume(&apart->operand[k]));
	const union scalar_value *y = run(apart, x);
	for (int64_t i = 0; i < access_volume(&r->out); i++)
		if (memcmp(&y[i], &result[i], sizeof *y) && !(isnan(y[i].f) && isnan(result[i].f)))
			ck_abort_msg("%s: element %d is %g, with its guards apart %g", r->name, (int)i, result[i].f,
				     y[i].f);
	guarded_apart++;
}

/* What helpers of a derivative of r give becomes the operands behind the cotangent or tangent. */
static inline void run_helpers(const struct rule_gradient *g, const struct rule *r, union scalar_value **operands)
{
	for (int i = 0; i < MAX_HELPERS && g->helper[i]; i++) {
		const char *wrong = rule_check(arena, g->helper[i]);
		ck_assert_msg(!wrong, "%s: %s", g->helper[i]->name, wrong);
		operands[r->noperands + 2 + i] = run(g->helper[i], operands);
	}
}

/* Adds to dx the gradient of <cotangent, r(x)> for operand wrt; false if the mutation does not apply. */
static inline bool pull(const struct rule *r, union scalar_value *const *x, union scalar_value *cotangent, int wrt,
			mutate_fn *mutate, int mutation, union scalar_value *dx)
{
	struct rule_gradient g = rule_gradient(arena, r, wrt);
	ck_assert_msg(!g.error, "%s", g.error);
	if (!g.rule)
		return false;
	const char *wrong = rule_check(arena, g.rule);
	ck_assert_msg(!wrong, "%s: %s", g.rule->name, wrong);
	struct rule mutant = *g.rule;
	if (mutate && !mutate(&mutant, mutation, r->noperands))
		return false;
	union scalar_value *operands[MAX_OPERANDS], *part = new_values(arena, access_volume(&mutant.out));
	memcpy(operands, x, sizeof *x * (size_t)r->noperands);
	operands[r->noperands] = run(r, x);
	operands[r->noperands + 1] = cotangent;
	run_helpers(&g, r, operands);
	if (!rule_try_interpret(&mutant, operands, part, NULL))
		part[0].f = NAN;
	else if (!mutate)
		check_guards_apart(g.rule, operands, part);
	for (int64_t i = 0; i < access_volume(&mutant.out); i++)
		dx[i].f += part[i].f;
	return true;
}

/* Elements that no point reaches are infinite for max and min: they do not move. */
static inline double inner(const struct access *at, const union scalar_value *x, const union scalar_value *y)
{
	double sum = 0;
	for (int64_t i = 0; i < access_volume(at); i++)
		sum += isinf(y[i].f) ? 0 : x[i].f * y[i].f;
	return sum;
}

/* ---- the two functions that are differentiated ---- */

struct problem {
	const struct rule *rule;
	union scalar_value *x[MAX_OPERANDS];
	union scalar_value *g; /* cotangent of the result */
	int wrt;               /* second order: the gradient for this operand … */
	union scalar_value *h; /* … is paired with this */
};

static inline double first_order(const struct problem *p)
{
	return inner(&p->rule->out, p->g, run(p->rule, p->x));
}

static inline double second_order(const struct problem *p)
{
	const struct access *at = &p->rule->operand[p->wrt];
	union scalar_value *dx = new_values(arena, access_volume(at));
	pull(p->rule, p->x, p->g, p->wrt, NULL, 0, dx);
	return inner(at, p->h, dx);
}

/* d second_order / dx[v]: through the operands of the gradient rule, and through y and helpers, which depend on x. */
static inline void second_gradient(const struct problem *p, int v, union scalar_value *dx)
{
	const struct rule *r = p->rule;
	struct rule_gradient g = rule_gradient(arena, r, p->wrt);
	union scalar_value *operands[MAX_OPERANDS];
	if (!g.rule)
		return;
	memcpy(operands, p->x, sizeof *p->x * (size_t)r->noperands);
	operands[r->noperands] = run(r, p->x);
	operands[r->noperands + 1] = p->g;
	run_helpers(&g, r, operands);
	pull(g.rule, operands, p->h, v, NULL, 0, dx);
	union scalar_value *y_bar = new_values(arena, access_volume(&r->out));
	if (pull(g.rule, operands, p->h, r->noperands, NULL, 0, y_bar))
		pull(r, p->x, y_bar, v, NULL, 0, dx);
	for (int i = 0; i < MAX_HELPERS && g.helper[i]; i++) {
		union scalar_value *bar = new_values(arena, access_volume(&g.helper[i]->out));
		if (pull(g.rule, operands, p->h, r->noperands + 2 + i, NULL, 0, bar))
			pull(g.helper[i], operands, bar, v, NULL, 0, dx);
	}
}

/* Largest error of dx against central differences of f along x[v], relative to the size of both. */
static inline double compare(double (*f)(const struct problem *), struct problem *p, int v,
			     const union scalar_value *dx)
{
	int64_t n = access_volume(&p->rule->operand[v]);
	double worst = 0;
	for (int64_t i = 0; i < n; i++) {
		double keep = p->x[v][i].f;
		p->x[v][i].f = keep + STEP;
		double up = f(p);
		p->x[v][i].f = keep - STEP;
		double down = f(p);
		p->x[v][i].f = keep;
		double want = (up - down) / (2 * STEP), error = fabs(want - dx[i].f) / (1 + fabs(want) + fabs(dx[i].f));
		if (!(error <= worst)) /* a NaN too */
			worst = error == error ? error : INFINITY;
	}
	return worst;
}

#endif
