/* test_op_text.c — types, scalar trees and the record of a rule: meaning of functions, folding, printing and reading
 * back, the checks that keep malformed rules out, the words that explain illegal layouts, and the shapes derivatives
 * take. */
#include "compiler/op/signature.h"
#include "runtime/philox.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct arena *arena;

static void set_up(void)
{
	arena = arena_new("test_op_text");
}

static void tear_down(void)
{
	arena_free(arena);
}

static const struct rule *read(const char *text)
{
	const char *error = NULL;
	const struct rule *r = rule_read(arena, text, &error);
	ck_assert_msg(r != NULL, "%s: %s", text, error);
	return r;
}

static const char *print(const struct rule *r)
{
	struct text t;
	text_init(&t, arena);
	rule_print(&t, r);
	return text_get(&t);
}

/* The body after reading, which folds it. */
static const char *body(const char *operands, const char *text)
{
	struct text t;
	const char *name[MAX_OPERANDS];
	text_init(&t, arena);
	const struct rule *r = read(arena_printf(arena, "f(%s) -> [i] = %s {i=4}", operands, text));
	rule_operand_names(arena, r, name);
	scalar_print(&t, r->body, name, (const char *const[]){"i"});
	return text_get(&t);
}

/* ---- types ---- */

START_TEST(types_have_names_sizes_and_kinds)
{
	ck_assert_int_eq(dtype_of_text("bf16"), DT_BF16);
	ck_assert_int_eq(dtype_of_text("f31"), DT_COUNT);
	ck_assert_int_eq(dtype_size(DT_I64), 8);
	ck_assert(dtype_is_float(DT_F16) && !dtype_is_float(DT_BOOL));
	for (int t = 0; t < DT_COUNT; t++)
		ck_assert_int_eq(dtype_of_text(dtype_text((enum dtype)t)), t);
}
END_TEST

START_TEST(shapes_print_and_their_volume_does_not_overflow)
{
	struct text t;
	struct shape s = {2, {64, 256}}, huge = {3, {1 << 30, 1 << 30, 1 << 30}}, empty = {3, {1 << 30, 0, INT64_MAX}};
	text_init(&t, arena);
	type_print(&t, DT_F32, &s);
	text_add(&t, " ");
	type_print(&t, DT_I8, &(struct shape){0, {0}});
	ck_assert_str_eq(text_get(&t), "f32[64, 256] i8");
	ck_assert_int_eq(shape_volume(&s), 64 * 256);
	ck_assert_int_eq(shape_volume(&huge), -1);
	ck_assert_int_eq(shape_volume(&empty), 0);
	ck_assert(!shape_equal(&s, &huge) && shape_equal(&s, &s));
}
END_TEST

static union scalar_value of_float(double v, enum dtype t)
{
	return scalar_convert((union scalar_value){.f = v}, DT_F64, t);
}

START_TEST(conversions_saturate_wrap_and_round)
{
	ck_assert_int_eq(of_float(300, DT_U8).i, 255);
	ck_assert_int_eq(of_float(-300, DT_I8).i, -128);
	ck_assert_int_eq(of_float(-1.9, DT_I32).i, -1);
	ck_assert_int_eq(of_float(NAN, DT_I32).i, 0);
	ck_assert_int_eq(of_float(1e30, DT_I64).i, INT64_MAX);
	ck_assert_uint_eq((uint64_t)of_float(1e30, DT_U64).i, UINT64_MAX);
	ck_assert_int_eq(of_float(0.5, DT_BOOL).i, 1);
	ck_assert_int_eq(scalar_convert((union scalar_value){.i = 257}, DT_I64, DT_U8).i, 1);
	ck_assert_int_eq(scalar_convert((union scalar_value){.i = 128}, DT_I64, DT_I8).i, -128);
	ck_assert_double_eq(of_float(1 + 0x1p-8, DT_BF16).f, 1); /* a tie goes to the even neighbour */
	ck_assert_double_eq(of_float(1 + 0x3p-8, DT_BF16).f, 1 + 0x1p-6);
	ck_assert_double_eq(of_float(0.1, DT_F32).f, (double)0.1f);
	ck_assert_double_eq(of_float(65519, DT_F16).f, 65504);
	ck_assert_double_eq(of_float(65520, DT_F16).f, INFINITY);
	ck_assert_double_eq(of_float(0x1p-25, DT_F16).f, 0);
	ck_assert_double_eq(of_float(0x1.8p-25, DT_F16).f, 0x1p-24);
}
END_TEST

/* ---- scalar functions ---- */

static int64_t int_value(const char *text)
{
	const struct rule *r = read(arena_printf(arena, "f() -> [] = %s", text));
	return scalar_eval(r->body, NULL, NULL).i;
}

START_TEST(integer_arithmetic_has_no_undefined_cases)
{
	ck_assert_int_eq(int_value("i32(7) / i32(0)"), 0);
	ck_assert_int_eq(int_value("i32(7) % i32(0)"), 0);
	ck_assert_int_eq(int_value("-7 / 2"), -3);
	ck_assert_int_eq(int_value("-7 % 2"), -1);
	ck_assert_int_eq(int_value("i32(-2147483648) / i32(-1)"), INT32_MIN);
	ck_assert_int_eq(int_value("i8(100) + i8(100)"), -56);
	ck_assert_int_eq(int_value("u8(3) - u8(5)"), 254);
	ck_assert_int_eq(int_value("i64(u64(-1) > u64(1))"), 1);
	ck_assert_int_eq(int_value("abs(i8(-128))"), -128);
}
END_TEST

START_TEST(maxima_hand_on_a_nan)
{
	for (int i = 0; i < 4; i++) {
		static const char *const text[] = {"max(f32(nan), 1)", "max(f32(1), nan)", "min(f32(nan), 1)",
						   "min(f32(1), nan)"};
		const struct rule *r = read(arena_printf(arena, "f() -> [] = %s", text[i]));
		ck_assert_msg(isnan(scalar_eval(r->body, NULL, NULL).f), "%s", text[i]);
	}
}
END_TEST

START_TEST(bodies_fold)
{
	static const char *const pair[][2] = {
		{"a + 0", "a"},
		{"0 + a", "a"},
		{"0 - a", "0.0 - a"},
		{"a * 1", "a"},
		{"a * 0", "a * 0.0"},
		{"0 / a", "0.0 / a"},
		{"f32(i * 0)", "f32(0.0)"},
		{"a / 1", "a"},
		{"-(-a)", "a"},
		{"a - -b", "a + b"},
		{"-a * -b", "a * b"},
		{"a * (1 / b)", "a / b"},
		{"a * -1", "-a"},
		{"pow(a, 2)", "a * a"},
		{"pow(a, 0)", "f32(1.0)"},
		{"max(a, a)", "max(a, a)"},
		{"f32(2) * 3 + a", "6.0 + a"},
		{"where(true, a, b)", "a"},
		{"where(a > b, a, a)", "where(a > b, a, a)"},
		{"where(a > b && true, a, b)", "where(a > b, a, b)"},
		{"f32(a)", "a"},
		{"f32(f64(a))", "a"},
		{"f32(bf16(a))", "f32(bf16(a))"},
		{"!!(a > b) || false", "a > b"},
		{"a * where(a > b, f32(1), 0)", "a * where(a > b, f32(1.0), 0.0)"},
		{"f32(i * where(a > b, i64(1), 0))", "f32(where(a > b, i, 0))"},
		{"f32(i + -2)", "f32(i - 2)"},
		{"exp(f32(0)) * a", "a"},
	};
	for (size_t k = 0; k < sizeof pair / sizeof *pair; k++)
		ck_assert_str_eq(body("a[i], b[i]", pair[k][0]), pair[k][1]);
}
END_TEST

START_TEST(bodies_print_with_the_parentheses_they_need)
{
	static const char *const texts[] = {
		"a - (b - a)",
		"a - b - a",
		"(a + b) * a",
		"a * b + a",
		"a / (b * a)",
		"-(a + b)",
		"-a * b",
		"(a < b) == (b < a)",
		"where(a < b || b == a && !(a > 1.0), a, b)",
		"a % b * a",
		"a % (b * a)",
		"pow(a, b - 1.0)",
		"max(min(a, 0.5), -2.0)",
		"f32(i32(a) + 1)",
		"f32(i % 2)",
		"a * 1e-10",
		"a + 3.4028235e+38",
		"a + inf",
		"max(a, -inf)",
	};
	for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
		const char *expect = !strcmp(texts[k], "-a * b") ? "-(a * b)" : texts[k];
		ck_assert_str_eq(body("a[i], b[i]", texts[k]), expect);
	}
}
END_TEST

START_TEST(random_draws_are_philox)
{
	/* The known answers of the Random123 distribution. */
	struct philox zero = philox4x32(0, 0, 0), ones = philox4x32(UINT64_MAX, UINT64_MAX, UINT64_MAX);
	ck_assert_uint_eq(zero.word[0], 0x6627e8d5);
	ck_assert_uint_eq(zero.word[3], 0x9b00dbd8);
	ck_assert_uint_eq(ones.word[0], 0x408f276d);
	ck_assert_uint_eq(ones.word[3], 0x6d5451fd);
	const struct rule *r = read("f(key: u64) -> [i] = random_normal<f32>(key, i) {i=4000}");
	union scalar_value key = {.i = 12345}, *operand[] = {&key}, *y = ARENA_ARRAY(arena, union scalar_value, 4000);
	double sum = 0, squares = 0;
	rule_interpret(r, operand, y, NULL);
	for (int i = 0; i < 4000; i++) {
		sum += y[i].f;
		squares += y[i].f * y[i].f;
	}
	ck_assert_double_eq(y[17].f, (double)philox_normal_f32(12345, 17));
	ck_assert(fabs(sum / 4000) < 0.05 && fabs(squares / 4000 - 1) < 0.06);
	ck_assert_uint_ne(philox_key_fold(1, 2), philox_key_fold(2, 1));
}
END_TEST

/* ---- rules ---- */

START_TEST(the_least_and_largest_ints_are_read_back)
{
	const char *const texts[] = {"f(a[i]: i64) -> [i] = a + -9223372036854775808 {i=4}",
				     "f(a[i]: i64) -> [i] = a + 9223372036854775807 {i=4}",
				     "f(a[i]: u64) -> [i] = a + -1 {i=4}"};
	for (int i = 0; i < 3; i++)
		ck_assert_str_eq(print(read(texts[i])), texts[i]);
}
END_TEST

START_TEST(rules_read_and_print_as_they_were_written)
{
	static const char *const texts[] = {
		"matmul(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b using gemm {m=64, k=512, n=10}",
		"embed(a[b:100, d], b[n]: i32) -> [n, d] = a {n=8, d=16}",
		"conv(a[n, 2 * y + p - 1:9], b[p]: f64) -> [n, y] = sum[p] f64(a) * b {n=2, y=4, p=3}",
		"d(pool)/da(a[(y - p) / 2:4]) -> [y] = sum[p] a {y=8, p=2}",
		"fill(a) -> [i] = a {i=0}",
		"one() -> [] = f32(1.0)",
		"pick(a[3, j]) -> [j] = a {j=4}",
		"loose(a[i?]) -> [i] = a {i=4}",
		"add() -> [y + p] = sum[] 1 {y=4, p=2}",
	};
	for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
		ck_assert_str_eq(print(read(texts[k])), texts[k]);
}
END_TEST

START_TEST(names_do_not_make_rules_different)
{
	const struct rule *a = read("f(a[i, k]) -> [i] = sum[k] a {i=4, k=6}"),
			  *b = read("g(q[m, n]) -> [m] = sum[n] q {m=4, n=6}");
	const struct rule *c = read("f(a[i, k]) -> [i] = sum[k] a {i=4, k=7}"),
			  *d = read("f(a[i, k]) -> [i] = max[k] a {i=4, k=6}");
	ck_assert(rule_equal(a, b) && rule_hash(a) == rule_hash(b));
	ck_assert(!rule_equal(a, c) && rule_hash(a) != rule_hash(c));
	ck_assert(!rule_equal(a, d) && rule_hash(a) != rule_hash(d));
}
END_TEST

START_TEST(malformed_text_is_refused_with_a_reason)
{
	static const struct {
		const char *text, *reason;
	} bad[] = {
		{"", "expected"},
		{"f", "expected"},
		{"f(a[i]) -> [i] = b {i=4}", "unknown name `b`"},
		{"f(a[j]) -> [i] = a {i=4}", "`j` is not a factor"},
		{"f(a[i]) -> [] = a {i=4}", "no combiner"},
		{"f(a[i]) -> [i] = sum[i] a {i=4}", "not a factor that is reduced"},
		{"f(a[i]) -> [] = sum[] a {i=4}", "are not those the result lacks"},
		{"f(a[i]: bool) -> [] = sum[i] a {i=4}", "sum of bools"},
		{"f(a[i], b[i]: i32) -> [i] = a + b {i=4}", "f32 and i32"},
		{"f(a[i]: i32) -> [i] = exp(a) {i=4}", "not a float"},
		{"f(a[i]) -> [i] = a && a {i=4}", "takes bools"},
		{"f(a[i]) -> [i] = where(a, a, a) {i=4}", "takes a bool"},
		{"f(a[i, j]) -> [] = argmax[i, j] a {i=4, j=4}", "exactly one factor"},
		{"f(a[b:4], b[c:4]: i32, c[i]: i32) -> [i] = a {i=4}", "itself read through an index"},
		{"f(a[b:4], b[i]) -> [i] = a {i=4}", "indexed by f32"},
		{"f(a[i]) -> [b:4] = a {i=4}", "`b` is not a factor"},
		{"f(a[i], b[i]: i32) -> [b:4] = a {i=4}", "needs a combiner"},
		{"f(a[i + i]) -> [i] = a {i=4}", "twice"},
		{"f(a[(i) / 0]) -> [i] = a {i=4}", "malformed"},
		{"f(a[4000000000000000000 * i]) -> [i] = a {i=4}", "64 bits"},
		{"f(a[i, j, k, l]) -> [i, j, k, l] = a {i=1000000, j=1000000, k=1000000, l=1000000}",
		 "too many elements"},
		{"f(a[i]) -> [i] = a using blas {i=4}", "expected `gemm`"},
		{"f(a[i]) -> [i] = a a {i=4}", "unexpected text"},
		{"f(a[i, i, i, i, i, i, i, i, i]) -> [i] = a {i=4}", "too many dimensions"},
		{"f(a[i]: f33) -> [i] = a {i=4}", "expected a type"},
		{"f(k: u64) -> [i] = random_uniform<i32>(k, i) {i=4}", "cannot give i32"},
	};
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
		const char *error = NULL;
		ck_assert_msg(!rule_read(arena, bad[k].text, &error), "%s is read", bad[k].text);
		ck_assert_msg(strstr(error, bad[k].reason) != NULL, "%s: %s", bad[k].text, error);
	}
}
END_TEST

static const char *repeated(const char *s, int n)
{
	struct text t;
	text_init(&t, arena);
	for (int k = 0; k < n; k++)
		text_add(&t, s);
	return text_get(&t);
}

START_TEST(limits_end_in_messages)
{
	const char *error;
	ck_assert_ptr_null(rule_read(arena, arena_printf(arena, "f() -> [] = %s1", repeated("(", 100000)), &error));
	ck_assert_ptr_nonnull(strstr(error, "nested too deeply"));
	ck_assert_ptr_null(rule_read(arena, arena_printf(arena, "f() -> [] = %s1", repeated("-", 100000)), &error));
	ck_assert_ptr_nonnull(strstr(error, "nested too deeply"));
	ck_assert_ptr_null(rule_read(arena, arena_printf(arena, "f(%sa) -> [] = 1", repeated("a, ", 80)), &error));
	ck_assert_ptr_nonnull(strstr(error, "too many operands"));
	ck_assert_ptr_null(
		rule_read(arena, arena_printf(arena, "f() -> [] = 1 {%sx=1}", repeated("x=1, ", 20)), &error));
	ck_assert_ptr_nonnull(strstr(error, "too many factors"));
}
END_TEST

START_TEST(an_unguarded_index_must_stay_inside)
{
	struct rule r = *read("f(a[i + 2]) -> [i] = a {i=4}");
	ck_assert_ptr_null(rule_check(arena, &r));
	struct access *own = rule_own_operands(arena, &r, 0);
	own->dim[0] = 5;
	ck_assert_ptr_nonnull(strstr(rule_check(arena, &r), "can leave the extent 5"));
	own->index[0].guarded = true;
	ck_assert_ptr_null(rule_check(arena, &r));
}
END_TEST

START_TEST(an_unguarded_read_outside_is_noticed)
{
	struct rule r = *read("f(a[i + 2]) -> [i] = a {i=4}");
	union scalar_value x[6] = {{.f = 1}, {.f = 2}, {.f = 3}, {.f = 4}, {.f = 5}, {.f = 6}}, y[4], *operand[] = {x};
	ck_assert(rule_try_interpret(&r, operand, y, NULL));
	ck_assert_double_eq(y[3].f, 6);
	rule_own_operands(arena, &r, 0)->dim[0] = 5;
	ck_assert(!rule_try_interpret(&r, operand, y, NULL));
}
END_TEST

START_TEST(a_point_dropped_by_one_operand_contributes_nothing)
{
	const struct rule *r = read("f(a[i:2], b[i - 2:2]) -> [i] = a + b {i=4}"),
			  *m = read("f(a[i:2]) -> [] = max[i] a {i=4}");
	union scalar_value a[2] = {{.f = 1}, {.f = 2}}, b[2] = {{.f = 3}, {.f = 4}}, y[4], *operand[] = {a, b};
	rule_interpret(r, operand, y, NULL);
	for (int i = 0; i < 4; i++)
		ck_assert_double_eq(y[i].f, 0);
	rule_interpret(m, operand, y, NULL);
	ck_assert_double_eq(y[0].f, 2);
}
END_TEST

START_TEST(questions_about_rules)
{
	const struct rule *matmul = read("matmul(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=4, k=6, n=5}");
	const struct rule *bias = read("bias(a[i, j], b[j]) -> [i, j] = a + b {i=4, j=6}");
	const struct rule *scatter = read("f(a[n], b[n]: i32) -> [b:4] = sum[n] a {n=4}");
	ck_assert(rule_reduces(matmul, 1) && !rule_reduces(matmul, 0));
	ck_assert_int_eq(access_dim_of(&matmul->operand[1], 2), 1);
	ck_assert_int_eq(access_dim_of(&matmul->operand[1], 0), -1);
	ck_assert(rule_is_elementwise(bias) && !rule_is_elementwise(matmul));
	ck_assert(!rule_is_elementwise(read("t(a[i, j]) -> [j, i] = a {i=4, j=6}")));
	ck_assert(rule_is_scatter(scatter) && !rule_is_scatter(matmul));
	ck_assert(rule_is_scatter(read("f(a[i]) -> [i:6] = a {i=4}")));
	ck_assert(rule_reads_index(scatter, 1) && !rule_reads_index(scatter, 0));
	ck_assert_int_eq(rule_flops(matmul), 2 * 4 * 6 * 5);
	ck_assert_int_eq(rule_flops(read("t(a[i, j]) -> [j, i] = a {i=4, j=6}")), 0);
	ck_assert_int_eq(
		rule_flops(read("f(a[i, k], b[k, j]) -> [i, j] = sum[k] a * b {i=60000000, j=60000000, k=10000}")),
		INT64_MAX);
}
END_TEST

/* ---- layouts in words ---- */

static struct shard_atom atom(const char *text)
{
	if (text[0] == 'S')
		return (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)(text[1] - '0')};
	if (text[0] == 'P')
		return (struct shard_atom){.kind = SHARD_P, .combiner = text[1] == '^' ? SHARD_MAX : SHARD_SUM};
	return (struct shard_atom){.kind = SHARD_B};
}

START_TEST(matmul_has_the_five_rules_and_all_whole)
{
	static const char *const want[] = {"B, B -> B",       "S(0), B -> S(0)",     "S(1), S(0) -> P(sum)",
					   "B, S(1) -> S(1)", "B, P(sum) -> P(sum)", "P(sum), B -> P(sum)"};
	const struct rule *r = read("matmul(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=4, k=6, n=5}");
	const struct signature *s;
	int n = rule_signatures(arena, r, &s);
	ck_assert_int_eq(n, 6);
	for (int k = 0; k < n; k++) {
		struct text t;
		text_init(&t, arena);
		signature_print(&t, r, &s[k]);
		ck_assert_str_eq(text_get(&t), want[k]);
	}
}
END_TEST

static bool takes(const struct rule *r, const struct signature *s, int n, int first)
{
	for (int i = 0; i < n; i++) {
		bool same = true;
		for (int k = 0; k < r->noperands; k++)
			same = same && (s[i].operand[k].kind == SHARD_P) == (k % 2 == first);
		if (same && s[i].out.kind == SHARD_P)
			return true;
	}
	return false;
}

/* One of each of 30 products may be unfinished, which is 2^30 sets. */
START_TEST(a_sum_of_many_products_takes_parts_on_either_side)
{
	struct text operands, body;
	const struct signature *s;
	text_init(&operands, arena);
	text_init(&body, arena);
	for (int k = 0; k < 30; k++) {
		text_printf(&operands, "%sx%d[i], y%d[i]", k ? ", " : "", k, k);
		text_printf(&body, "%sx%d * y%d", k ? " + " : "", k, k);
	}
	const struct rule *r =
		read(arena_printf(arena, "f(%s) -> [i] = %s {i=4}", text_get(&operands), text_get(&body)));
	int n = rule_signatures(arena, r, &s);
	ck_assert_int_lt(n, 200);
	ck_assert(takes(r, s, n, 0) && takes(r, s, n, 1));
}
END_TEST

START_TEST(illegal_layouts_are_explained)
{
	static const struct {
		const char *rule, *atom[3], *reason;
	} cases[] = {
		{"relu(a[i]) -> [i] = max(a, 0) {i=4}",
		 {"P"},
		 "relu is not linear: relu(a) + relu(b) is not relu(a + b)"},
		{"mul(a[i], b[i]) -> [i] = a * b {i=4}", {"P", "P"}, "a product of sums is not a sum of products"},
		{"add(a[i], b[i]) -> [i] = a + b {i=4}", {"P", "B"}, "`b` would be counted on every rank"},
		{"max_of(a[i, k]) -> [i] = max[k] a {i=4, k=4}",
		 {"P"},
		 "the max of unfinished sums is not the max of the sums"},
		{"cast(a[i]) -> [i] = i32(a) {i=4}", {"P"}, "from f32 to i32 needs a finished value"},
		{"cast(a[i]) -> [i] = bf16(a) {i=4}", {"P"}, "from f32 to bf16 rounds"},
		{"embed(t[i:7, d], i[n]: i32) -> [n, d] = t {n=4, d=4}", {"B", "P"}, "an index must be finished"},
		{"sum(a[i, k]) -> [i] = sum[k] a {i=4, k=4}", {"P^"}, "unfinished maximum"},
		{"conv(x[y + p], w[p]) -> [y] = sum[p] x * w {y=4, p=3}", {"S0", "B"}, "read through a window"},
		{"slice(x[i + 1]) -> [i] = x {i=4}", {"S0"}, "read from an offset"},
		{"argmax(a[i, k]) -> [i] = argmax[k] a {i=4, k=4}", {"S1"}, "positions of parts do not join"},
		{"add(a[i, j], b[i, j]) -> [i, j] = a + b {i=4, j=4}",
		 {"S0", "S1"},
		 "on one axis only one of them can be split"},
		{"gelu2(a[i], b[i]) -> [i] = a * exp(b) {i=4}", {"B", "P"}, "gelu2 is not linear in `b`"},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		const struct rule *r = read(cases[k].rule);
		struct shard_atom atoms[3] = {{0}};
		for (int j = 0; j < r->noperands; j++)
			atoms[j] = atom(cases[k].atom[j]);
		const char *reason = rule_explain(arena, r, true, atoms, NULL);
		ck_assert_msg(reason && strstr(reason, cases[k].reason), "%s: %s", cases[k].rule,
			      reason ? reason : "(nothing)");
	}
}
END_TEST

START_TEST(legal_layouts_need_no_explanation)
{
	const struct rule *r = read("matmul(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=4, k=6, n=5}");
	ck_assert_ptr_null(rule_explain(arena, r, true, (struct shard_atom[]){atom("S1"), atom("S0")}, NULL));
	ck_assert_ptr_null(rule_explain(arena, r, true, (struct shard_atom[]){atom("P"), atom("B")}, NULL));
}
END_TEST

/* ---- derivatives ---- */

static const char *gradient(const char *text, int wrt)
{
	int kept[MAX_OPERANDS];
	struct rule_gradient g = rule_gradient(arena, read(text), wrt);
	return g.rule ? print(rule_prune(arena, g.rule, kept)) : g.error ? g.error : "none";
}

START_TEST(gradients_are_what_one_would_write)
{
	static const struct {
		const char *rule;
		int wrt;
		const char *gradient;
	} cases[] = {
		{"matmul(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b using gemm {m=4, k=6, n=5}", 0,
		 "d(matmul)/da(a[k, n], b[m, n]) -> [m, k] = sum[n] b * a using gemm {m=4, k=6, n=5}"},
		/* of a transposed window: no point that drops */
		{"spread(x[c, (y + 1 - p) / 2:5], w[c, p]) -> [y] = sum[c, p] x * w {c=2, p=3, y=9}", 1,
		 "d(spread)/db(a[c, y], b[p + 2 * y - 1:9]) -> [c, p] = sum[y] b * a {c=2, p=3, y=5}"},
		{"embed(t[i:7, d], i[n]: i32) -> [n, d] = t {n=5, d=4}", 0,
		 "d(embed)/da(a[n]: i32, b[n, d]) -> [a:7, d] = sum[n] b {n=5, d=4}"},
		{"conv(x[2 * y + p], w[p]) -> [y] = sum[p] x * w {y=4, p=3}", 0,
		 "d(conv)/da(a[p], b[(y - p) / 2:4]) -> [y] = sum[p] b * a {y=9, p=3}"},
		{"slice(x[i + 2:11]) -> [i] = x {i=6}", 0, "d(slice)/da(a[i - 2:6]) -> [i] = a {i=11}"},
		{"head(x[i:9]) -> [i] = x {i=6}", 0, "d(head)/da(a[i:6]) -> [i] = a {i=9}"},
		{"trace(a[i, i]) -> [] = sum[i] a {i=5}", 0,
		 "d(trace)/da(a) -> [i, u] = where(u == i, a, 0.0) {i=5, u=5}"},
		{"select(x[2:5, j]) -> [j] = x {j=6}", 0,
		 "d(select)/da(a[j]) -> [u, j] = where(u == 2, a, 0.0) {j=6, u=5}"},
		{"argmax(a[i, k]) -> [i] = argmax[k] a {i=4, k=4}", 0, "none"},
		{"floor(a[i]) -> [i] = floor(a) {i=4}", 0, "none"},
		{"f(a[i]: i32) -> [i] = f32(a) {i=4}", 0, "none"},
		{"f(a, b, c, d, e, f, a1, b1, c1, d1, e1, f1, a2, b2, c2, d2, e2, f2, a3, b3, c3, d3, e3, "
		 "f3, a4, b4, c4, d4, e4, f4, a5, b5, c5, d5, e5, f5, a6, b6, c6, d6, e6, f6, a7, b7, c7, "
		 "d7, e7, f7, a8, b8, c8, d8, e8, f8, a9, b9, c9, d9, e9) -> [] = a * b * c * d * e * f * "
		 "a1 * b1 * c1 * d1 * e1 * f1 * a2 * b2 * c2 * d2 * e2 * f2 * a3 * b3 * c3 * d3 * e3 * f3 "
		 "* a4 * b4 * c4 * d4 * e4 * f4 * a5 * b5 * c5 * d5 * e5 * f5 * a6 * b6 * c6 * d6 * e6 * f"
		 "6 * a7 * b7 * c7 * d7 * e7 * f7 * a8 * b8 * c8 * d8 * e8 * f8 * a9 * b9 * c9 * d9 * e9",
		 0, "the derivative of `f` needs 61 operands, at most 60 are possible"},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		ck_assert_str_eq(gradient(cases[k].rule, cases[k].wrt), cases[k].gradient);
}
END_TEST

START_TEST(pruning_tells_which_operands_stay)
{
	int kept[MAX_OPERANDS];
	const struct rule *g = rule_gradient(arena, read("mul(a[i], b[i]) -> [i] = a * b {i=4}"), 0).rule;
	const struct rule *p = rule_prune(arena, g, kept);
	ck_assert_int_eq(p->noperands, 2);
	ck_assert_int_eq(kept[0], 1);
	ck_assert_int_eq(kept[1], 3);
	/* b drops the first point of every gradient, though its value is not read. */
	g = rule_gradient(arena, read("f(a[i], b[i - 1:4]) -> [i] = a + b {i=4}"), 0).rule;
	ck_assert_int_eq(rule_prune(arena, g, kept)->noperands, 2);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *tc = suite_begin(&suite, "op text");
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, types_have_names_sizes_and_kinds);
	tcase_add_test(tc, shapes_print_and_their_volume_does_not_overflow);
	tcase_add_test(tc, conversions_saturate_wrap_and_round);
	tcase_add_test(tc, integer_arithmetic_has_no_undefined_cases);
	tcase_add_test(tc, maxima_hand_on_a_nan);
	tcase_add_test(tc, bodies_fold);
	tcase_add_test(tc, bodies_print_with_the_parentheses_they_need);
	tcase_add_test(tc, random_draws_are_philox);
	tcase_add_test(tc, the_least_and_largest_ints_are_read_back);
	tcase_add_test(tc, rules_read_and_print_as_they_were_written);
	tcase_add_test(tc, names_do_not_make_rules_different);
	tcase_add_test(tc, malformed_text_is_refused_with_a_reason);
	tcase_add_test(tc, limits_end_in_messages);
	tcase_add_test(tc, an_unguarded_index_must_stay_inside);
	tcase_add_test(tc, an_unguarded_read_outside_is_noticed);
	tcase_add_test(tc, a_point_dropped_by_one_operand_contributes_nothing);
	tcase_add_test(tc, questions_about_rules);
	tcase_add_test(tc, matmul_has_the_five_rules_and_all_whole);
	tcase_add_test(tc, a_sum_of_many_products_takes_parts_on_either_side);
	tcase_add_test(tc, illegal_layouts_are_explained);
	tcase_add_test(tc, legal_layouts_need_no_explanation);
	tcase_add_test(tc, gradients_are_what_one_would_write);
	tcase_add_test(tc, pruning_tells_which_operands_stay);
	return suite_end(suite);
}
