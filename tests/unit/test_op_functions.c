/* test_op_functions.c — the records of functions of a point: that they are whole, and that what they say of values,
 * folding and ranges is true of the values they give. Derivatives are test_op_gradients.c's, unfinished values and text
 * test_op_rules.c's, code test_backend_math.c's. */
#include "compiler/op/range.h"
#include "compiler/op/scalars/function.h"
#include "suite.h"

#include <math.h>
#include <string.h>

static const double samples[] = {0, -0.0, 0.25, -0.25, 1, -1, 2, -2, 3.5, -7.5, 40, -40, INFINITY, -INFINITY};
enum { SAMPLES = sizeof samples / sizeof *samples };

/* fn(operand 0, operand 1, operand 2) with nothing folded. */
struct node {
	struct scalar operand[3], s;
};
static const struct scalar *node_of(struct node *n, enum scalar_fn fn, enum dtype type)
{
	const struct scalar_function *f = scalar_functions[fn];
	n->s = (struct scalar){.kind = SCALAR_APPLY, .type = type, .fn = fn};
	for (int k = 0; k < f->arity; k++) {
		enum dtype t = f->chooses && k == 0 ? DT_BOOL : type;
		n->operand[k] = (struct scalar){.kind = SCALAR_OPERAND, .type = t, .index = k};
		n->s.arg[k] = &n->operand[k];
	}
	return &n->s;
}

static bool takes(enum scalar_fn fn, enum dtype t)
{
	const struct scalar_function *f = scalar_functions[fn];
	bool is_float = dtype_is_float(t);
	if (f->internal || f->draws || f->bools == BOOLS_ONLY || f->result == SCALAR_PRED)
		return false;
	return f->eval || (is_float ? f->float1 || f->float2 : f->ints != NULL);
}

START_TEST(records_are_whole)
{
	const struct scalar_function *f = scalar_functions[_i];
	enum scalar_fn fn = (enum scalar_fn)_i;
	ck_assert_msg(scalar_fn_of_text(f->text) == fn, "`%s` is the text of two functions", f->text);
	ck_assert_msg((scalar_fn_of_source(f->text) == fn) != f->internal, "`%s` and programs", f->text);
	ck_assert_msg(f->arity >= 1 && f->arity <= 3, "%s takes %d arguments", f->text, f->arity);
	ck_assert_msg((f->prefix != NULL) == (f->level == LEVEL_UNARY), "%s has a prefix, or none", f->text);
	ck_assert_msg(!f->float1 || f->arity == 1, "%s takes one float of several", f->text);
	ck_assert_msg(!f->float2 || f->arity == 2, "%s takes two floats of others", f->text);
	bool of_floats = f->float1 || f->float2;
	ck_assert_msg(f->eval ? !of_floats : of_floats || f->ints, "%s has no value, or two", f->text);
	ck_assert_msg(f->eval || (f->ints != NULL) == (f->result == SCALAR_SAME), "%s of ints", f->text);
	ck_assert_msg(!f->slope || (f->arity == 1 && !f->derive), "%s has a slope that is not its derivative", f->text);
	ck_assert_msg(f->absence >> f->arity == 0, "%s has no such argument", f->text);
	ck_assert_msg(!f->chooses || f->arity == 3, "%s chooses among nothing", f->text);
}
END_TEST

static unsigned facts_of(double v)
{
	return (isinf(v) ? 0 : FACT_FINITE) | (v != 0 ? FACT_NOT_ZERO : 0);
}

static unsigned sign_of_value(double v)
{
	return v > 0 ? SIGN_POSITIVE | SIGN_NOT_NEGATIVE : v == 0 ? SIGN_NOT_NEGATIVE : 0;
}

/* One value with what is said of it. */
static void check_value(const struct scalar *s, const union scalar_value *v)
{
	const struct scalar_function *f = scalar_functions[s->fn];
	double r = scalar_eval(s, v, NULL).f;
	unsigned facts[3], signs[3], absent = 0;
	for (int k = 0; k < f->arity; k++) {
		double x = s->arg[k]->type == DT_BOOL ? (double)v[k].i : v[k].f;
		facts[k] = facts_of(x);
		signs[k] = sign_of_value(x);
		absent |= s->arg[k]->type != DT_BOOL && x == 0 && signbit(x) ? 1u << k : 0;
	}
	unsigned said = f->always | (f->facts ? f->facts(s, facts) : 0), sign = f->sign ? f->sign(signs) : 0;
	ck_assert_msg(!(said & FACT_FINITE) || !isinf(r), "%s(%g, %g) is %g", f->text, v[0].f, v[1].f, r);
	ck_assert_msg(!(said & FACT_NOT_ZERO) || r != 0, "%s(%g, %g) is %g", f->text, v[0].f, v[1].f, r);
	bool known = !isnan(r) && isfinite(v[0].f); /* exp of -inf is the limit of what is positive */
	ck_assert_msg(!known || !(sign & SIGN_POSITIVE) || r > 0, "%s(%g, %g) is %g", f->text, v[0].f, v[1].f, r);
	ck_assert_msg(!known || !(sign & SIGN_NOT_NEGATIVE) || r >= 0, "%s(%g, %g) is %g", f->text, v[0].f, v[1].f, r);
	if (f->absence && (absent & f->absence) == f->absence)
		ck_assert_msg(r == 0 && signbit(r), "%s of -0.0 is %g", f->text, r);
}

START_TEST(values_are_as_is_said)
{
	enum scalar_fn fn = (enum scalar_fn)_i;
	struct node n;
	union scalar_value v[3];
	if (!takes(fn, DT_F64))
		return;
	const struct scalar *s = node_of(&n, fn, DT_F64);
	for (int i = 0; i < SAMPLES * SAMPLES * 2; i++) {
		bool chooses = scalar_functions[fn]->chooses;
		int first = chooses;
		v[0].i = i / (SAMPLES * SAMPLES);
		v[first].f = samples[i % SAMPLES];
		v[first + 1].f = samples[i / SAMPLES % SAMPLES];
		check_value(s, v);
	}
}
END_TEST

START_TEST(folded_is_equal)
{
	static const double constants[] = {0, 1, -1, 2, 3};
	enum scalar_fn fn = (enum scalar_fn)_i;
	struct node n;
	if (!takes(fn, DT_F64) || scalar_arity(fn) != 2)
		return;
	struct arena *a = arena_new("folded");
	const struct scalar *plain = node_of(&n, fn, DT_F64);
	for (int i = 0; i < 2 * 5 * SAMPLES; i++) {
		int at = i % 2;
		union scalar_value v[2] = {{.f = 0}, {.f = 0}};
		double c = constants[i / 2 % 5], x = samples[i / 10];
		const struct scalar *arg[2];
		arg[at] = scalar_float(a, DT_F64, c);
		arg[!at] = scalar_operand(a, DT_F64, !at);
		v[at].f = c;
		v[!at].f = x;
		double want = scalar_eval(plain, v, NULL).f;
		double got = scalar_eval(scalar_apply(a, fn, DT_F64, arg[0], arg[1], NULL), v, NULL).f;
		if (isfinite(x) && isfinite(want))
			ck_assert_msg(fabs(got - want) <= 1e-14 * fabs(want), "%s(%g, %g) is %g, folded %g",
				      scalar_text(fn), v[0].f, v[1].f, want, got);
	}
	arena_free(a);
}
END_TEST

/* All intervals within a few numbers, and all ints in them. */
START_TEST(ints_stay_in_their_range)
{
	enum { LOW = -3, HIGH = 4, N = HIGH - LOW + 1 };
	enum scalar_fn fn = (enum scalar_fn)_i;
	const struct scalar_function *f = scalar_functions[fn];
	struct node n;
	if (!f->range || !takes(fn, DT_I32))
		return;
	const struct scalar *s = node_of(&n, fn, DT_I32);
	for (int k = 0; k < N * N * N * N; k++) {
		struct range a = {LOW + k % N, LOW + k / N % N}, b = {LOW + k / (N * N) % N, LOW + k / (N * N * N)};
		if (a.low > a.high || b.low > b.high)
			continue;
		int first = f->chooses;
		struct range x[4] = {{0, 1}};
		x[first] = a;
		x[first + 1] = b;
		struct range said = f->range(x);
		for (int64_t i = a.low; i <= a.high; i++)
			for (int64_t j = b.low; j <= b.high; j++) {
				union scalar_value v[4] = {{.i = (i + j) & 1}};
				v[first].i = i;
				v[first + 1].i = j;
				int64_t r = scalar_eval(s, v, NULL).i;
				ck_assert_msg(r >= said.low && r <= said.high, "%s(%d, %d) is %d, not in %d..%d",
					      f->text, (int)i, (int)j, (int)r, (int)said.low, (int)said.high);
			}
	}
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *tc = suite_begin(&suite, "op functions");
	tcase_add_loop_test(tc, records_are_whole, 0, SC_FN_COUNT);
	tcase_add_loop_test(tc, values_are_as_is_said, 0, SC_FN_COUNT);
	tcase_add_loop_test(tc, folded_is_equal, 0, SC_FN_COUNT);
	tcase_add_loop_test(tc, ints_stay_in_their_range, 0, SC_FN_COUNT);
	return suite_end(suite);
}
