/* test_op_gradients.c — derivatives of rules (test_op_rules.def) against central differences in f64, first and second
 * order, and tangents against gradients. Where there is no gradient rule, the difference must be 0. Mutated gradients
 * must be found. */
#include "test_op_derive.h"
#include "suite.h"

static struct {
	int first, second, tangents, mutants;
	double worst;
} counted;

/* ---- the rule in f64 ---- */

static enum dtype wide(enum dtype t)
{
	return dtype_is_float(t) ? DT_F64 : t;
}

static const struct scalar *widen_body(const struct scalar *s)
{
	struct scalar *q = ARENA_NEW(arena, struct scalar);
	*q = *s;
	q->type = wide(s->type);
	for (int k = 0; k < 3 && s->kind == SCALAR_APPLY && s->arg[k]; k++)
		q->arg[k] = widen_body(s->arg[k]);
	return s->kind == SCALAR_APPLY ? scalar_apply(arena, q->fn, q->type, q->arg[0], q->arg[1], q->arg[2]) : q;
}

static const struct rule *widen(const struct rule *r)
{
	struct rule *q = ARENA_NEW(arena, struct rule);
	*q = *r;
	struct access *operand = rule_own_operands(arena, q, 0);
	for (int k = 0; k < r->noperands; k++)
		operand[k].type = wide(r->operand[k].type);
	q->out.type = wide(r->out.type);
	q->body = widen_body(r->body);
	ck_assert_ptr_null(rule_check(arena, q));
	return q;
}

/* What a gradient rule is made to do wrong. */
enum mutation { RIGHT, NEGATED, SHIFTED, UNMASKED, UNREDUCED, MUTATIONS };

static const char *const mutation_names[] = {"none", "negated", "index off by one", "mask forgotten",
					     "combined by max"};

/* True if the mutation changes the rule, whose operand n + 1 is the cotangent. */
static bool mutate(struct rule *q, int m, int n)
{
	switch ((enum mutation)m) {
	case RIGHT:
		return true;
	case NEGATED:
		q->body = scalar_apply(arena, SC_NEG, q->body->type, q->body, NULL, NULL);
		return true;
	case SHIFTED: { /* of g, where it is read with a guard */
		struct access *g = &rule_own_operands(arena, q, 0)[n + 1];
		for (int d = 0; d < g->rank; d++)
			if (g->index[d].guarded && g->index[d].data < 0 && q->nfactors) {
				g->index[d].offset += g->index[d].div;
				return true;
			}
		return false;
	}
	case UNMASKED:
		if (q->body->kind != SCALAR_APPLY || q->body->fn != SC_WHERE || !scalar_is_zero(q->body->arg[2]))
			return false;
		q->body = q->body->arg[1];
		return true;
	case UNREDUCED:
		if (q->combiner != COMBINE_SUM)
			return false;
		q->combiner = COMBINE_MAX;
		return true;
	case MUTATIONS:
		break;
	}
	return false;
}

/* A product with elements that are 0 is the hard case. */
static void plant_zeros(const struct problem *p, uint64_t *seed)
{
	for (int k = 0; p->rule->combiner == COMBINE_PROD && k < p->rule->noperands; k++)
		for (int64_t i = 0; i < access_volume(&p->rule->operand[k]); i++)
			if (random_below(seed, 4) == 0)
				p->x[k][i].f = 0;
}

static bool new_problem(const struct rule *r, uint64_t seed, struct problem *p)
{
	if (!dtype_is_float(r->out.type))
		return false;
	*p = (struct problem){.rule = widen(r)};
	random_operands(arena, p->rule, true, &seed, p->x);
	plant_zeros(p, &seed);
	p->g = random_cotangent(&p->rule->out, &seed);
	return true;
}

/* Rounding to bf16 has no difference quotient; draws have no derivative by what they are drawn for. */
static bool is_smooth(const struct rule *r)
{
	return strcmp(r->name, "half") != 0 && strcmp(r->name, "gamma") != 0 && strcmp(r->name, "poisson") != 0;
}

typedef int check_fn(struct problem *p, int wrt);

/* step 2 leaves uneven extents out, which matter to shards more than to derivatives. */
static int for_all_operands(check_fn *check, int step)
{
	int wrong = 0;
	for (int i = 0; i < RULES; i++)
		for (int variant = EVEN; variant < VARIANTS; variant += step) {
			struct problem p;
			struct arena *outer = arena;
			arena = arena_new("gradient");
			const struct rule *r = read_variant(arena, rule_texts[i], (enum variant)variant);
			if (is_smooth(r) && new_problem(r, (uint64_t)i * 3 + 1, &p))
				for (int k = 0; k < r->noperands; k++)
					if (dtype_is_float(r->operand[k].type))
						wrong += check(&p, k);
			arena_free(arena);
			arena = outer;
		}
	return wrong;
}

static int report(const struct problem *p, const char *what, int v, double error)
{
	counted.worst = error > counted.worst && error < TOLERANCE ? error : counted.worst;
	if (error < TOLERANCE)
		return 0;
	printf("%s of %s for operand %d, error %g\n", what, p->rule->name, v, error);
	return 1;
}

static int check_first(struct problem *p, int wrt)
{
	union scalar_value *dx = new_values(arena, access_volume(&p->rule->operand[wrt]));
	pull(p->rule, p->x, p->g, wrt, NULL, 0, dx);
	counted.first++;
	return report(p, "gradient", wrt, compare(first_order, p, wrt, dx));
}

static int check_second(struct problem *p, int wrt)
{
	int wrong = 0;
	uint64_t seed = 77;
	p->wrt = wrt;
	p->h = random_cotangent(&p->rule->operand[wrt], &seed);
	for (int v = 0; v < p->rule->noperands; v++) {
		if (!dtype_is_float(p->rule->operand[v].type))
			continue;
		union scalar_value *dx = new_values(arena, access_volume(&p->rule->operand[v]));
		second_gradient(p, v, dx);
		counted.second++;
		wrong += report(p, "second derivative", v, compare(second_order, p, v, dx));
	}
	return wrong;
}

/* <g, J t> = <J' g, t>. */
static int check_tangent(struct problem *p, int wrt)
{
	const struct rule *r = p->rule;
	uint64_t seed = 99;
	struct rule_gradient t = rule_tangent(arena, r, wrt);
	union scalar_value *operands[MAX_OPERANDS], *dx = new_values(arena, access_volume(&r->operand[wrt]));
	union scalar_value *tangent = random_cotangent(&r->operand[wrt], &seed);
	if (pull(r, p->x, p->g, wrt, NULL, 0, dx) != (t.rule != NULL))
		return report(p, "existence of the tangent", wrt, 1);
	if (!t.rule)
		return 0;
	ck_assert_ptr_null(rule_check(arena, t.rule));
	memcpy(operands, p->x, sizeof *p->x * (size_t)r->noperands);
	operands[r->noperands] = run(r, p->x);
	operands[r->noperands + 1] = tangent;
	run_helpers(&t, r, operands);
	double forward = inner(&r->out, p->g, run(t.rule, operands)), backward = inner(&r->operand[wrt], dx, tangent);
	counted.tangents++;
	return report(p, "tangent", wrt, 1e3 * fabs(forward - backward) / (1 + fabs(forward) + fabs(backward)));
}

/* Dropping what is not read changes nothing. */
static int check_pruned(struct problem *p, int wrt)
{
	const struct rule *r = p->rule;
	struct rule_gradient g = rule_gradient(arena, r, wrt);
	union scalar_value *operands[MAX_OPERANDS], *fewer[MAX_OPERANDS];
	int kept[MAX_OPERANDS];
	if (!g.rule)
		return 0;
	memcpy(operands, p->x, sizeof *p->x * (size_t)r->noperands);
	operands[r->noperands] = run(r, p->x);
	operands[r->noperands + 1] = p->g;
	run_helpers(&g, r, operands);
	const struct rule *q = rule_prune(arena, g.rule, kept);
	for (int k = 0; k < q->noperands; k++)
		fewer[k] = operands[kept[k]];
	bool same = same_values(DT_F64, run(g.rule, operands), run(q, fewer), access_volume(&q->out));
	return report(p, "pruned gradient", wrt, same && !rule_check(arena, q) ? 0 : 1);
}

/* The text form of derived rules reads back equal. */
static int check_text(struct problem *p, int wrt)
{
	struct rule_gradient g[] = {rule_gradient(arena, p->rule, wrt), rule_tangent(arena, p->rule, wrt)};
	const struct rule *all[] = {g[0].rule, g[0].helper[0], g[0].helper[1],
				    g[1].rule, g[1].helper[0], g[1].helper[1]};
	int wrong = 0;
	for (int i = 0; i < 6; i++) {
		struct text t;
		const char *error;
		text_init(&t, arena);
		if (!all[i])
			continue;
		rule_print(&t, all[i]);
		const struct rule *back = rule_read(arena, text_get(&t), &error);
		bool same = back && rule_equal(back, all[i]) && rule_hash(back) == rule_hash(all[i]);
		if (!same)
			printf("%s\n%s\n", text_get(&t), back ? "reads back as another rule" : error);
		wrong += !same;
	}
	return wrong;
}

static int check_mutants(struct problem *p, int wrt)
{
	int wrong = 0;
	for (int m = NEGATED; m < MUTATIONS; m++) {
		union scalar_value *dx = new_values(arena, access_volume(&p->rule->operand[wrt]));
		union scalar_value *right = new_values(arena, access_volume(&p->rule->operand[wrt]));
		if (!pull(p->rule, p->x, p->g, wrt, mutate, m, dx))
			continue;
		/* One that happens to compute the same (a sum over one point) is no mistake. */
		pull(p->rule, p->x, p->g, wrt, NULL, 0, right);
		if (same_values(DT_F64, right, dx, access_volume(&p->rule->operand[wrt])))
			continue;
		counted.mutants++;
		if (compare(first_order, p, wrt, dx) > 100 * TOLERANCE)
			continue;
		printf("%s: mutant \"%s\" is not found\n", p->rule->name, mutation_names[m]);
		wrong++;
	}
	return wrong;
}

START_TEST(gradients_agree_with_central_differences)
{
	ck_assert_int_eq(for_all_operands(check_first, 1), 0);
	ck_assert_int_gt(guarded_apart, 5);
}
END_TEST

START_TEST(second_derivatives_agree_with_central_differences)
{
	ck_assert_int_eq(for_all_operands(check_second, 2), 0);
}
END_TEST

START_TEST(tangents_agree_with_gradients)
{
	ck_assert_int_eq(for_all_operands(check_tangent, 1), 0);
}
END_TEST

START_TEST(pruned_gradients_compute_the_same)
{
	ck_assert_int_eq(for_all_operands(check_pruned, 1), 0);
}
END_TEST

START_TEST(derived_rules_print_and_read_back)
{
	ck_assert_int_eq(for_all_operands(check_text, 1), 0);
}
END_TEST

START_TEST(mutated_gradients_are_found)
{
	ck_assert_int_eq(for_all_operands(check_mutants, 2), 0);
	ck_assert_int_gt(counted.mutants, 100);
}
END_TEST

static void gradient_at(const char *text, const double *x, int64_t n, const double *want)
{
	const char *error;
	const struct rule *r = rule_read(arena, text, &error);
	ck_assert_msg(r != NULL, "%s", error);
	union scalar_value *values = new_values(arena, n), *dx = new_values(arena, n);
	union scalar_value *g = new_values(arena, access_volume(&r->out));
	for (int64_t i = 0; i < n; i++)
		values[i].f = x[i];
	for (int64_t i = 0; i < access_volume(&r->out); i++)
		g[i].f = 1;
	pull(r, &values, g, 0, NULL, 0, dx);
	for (int64_t i = 0; i < n; i++)
		ck_assert_double_eq_tol(dx[i].f, want[i], 1e-12);
}

START_TEST(equal_maxima_share_the_gradient_evenly)
{
	gradient_at("max(a[k]: f64) -> [] = max[k] a {k=5}", (double[]){1, 3, 3, 2, 3}, 5,
		    (double[]){0, 1 / 3.0, 1 / 3.0, 0, 1 / 3.0});
	gradient_at("min(a[k]: f64) -> [] = min[k] a {k=4}", (double[]){1, 3, 1, 2}, 4, (double[]){0.5, 0, 0.5, 0});
}
END_TEST

START_TEST(ties_of_two_operands_get_half_each)
{
	gradient_at("both(a[k]: f64) -> [k] = max(a, a * a) {k=3}", (double[]){-1, 1, 2}, 3, (double[]){-2, 1.5, 4});
}
END_TEST

START_TEST(ties_with_constants_get_nothing)
{
	gradient_at("relu(a[k]: f64) -> [k] = max(a, 0) {k=3}", (double[]){-1, 0, 1}, 3, (double[]){0, 0, 1});
	gradient_at("below(a[k]: f64) -> [k] = min(1, a) {k=3}", (double[]){-1, 1, 2}, 3, (double[]){1, 0, 0});
	gradient_at("abs(a[k]: f64) -> [k] = abs(a) {k=3}", (double[]){-1, 0, 1}, 3, (double[]){-1, 0, 1});
}
END_TEST

START_TEST(gradients_of_products_are_exact_at_zero)
{
	gradient_at("prod(a[k]: f64) -> [] = prod[k] a {k=3}", (double[]){2, 0, 3}, 3, (double[]){0, 6, 0});
	gradient_at("prod(a[k]: f64) -> [] = prod[k] a {k=3}", (double[]){0, 0, 3}, 3, (double[]){0, 0, 0});
}
END_TEST

int main(void)
{
	arena = arena_new("test_op_gradients");
	Suite *suite;
	TCase *tc = suite_begin(&suite, "op gradients");
	tcase_add_test(tc, gradients_agree_with_central_differences);
	tcase_add_test(tc, second_derivatives_agree_with_central_differences);
	tcase_add_test(tc, tangents_agree_with_gradients);
	tcase_add_test(tc, pruned_gradients_compute_the_same);
	tcase_add_test(tc, derived_rules_print_and_read_back);
	tcase_add_test(tc, mutated_gradients_are_found);
	tcase_add_test(tc, equal_maxima_share_the_gradient_evenly);
	tcase_add_test(tc, ties_of_two_operands_get_half_each);
	tcase_add_test(tc, ties_with_constants_get_nothing);
	tcase_add_test(tc, gradients_of_products_are_exact_at_zero);
	int failed = suite_end_counting(suite);
	printf("%d gradients, %d second derivatives, %d tangents; worst error %.1e; %d mutants found\n", counted.first,
	       counted.second, counted.tangents, counted.worst, counted.mutants);
	arena_free(arena);
	return failed;
}
