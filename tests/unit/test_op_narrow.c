/* test_op_narrow.c — which rules `mixed` makes products of rounded factors, what their gradients and tangents are, and
 * that values are those of factors rounded beforehand. */
#include "compiler/op/rule.h"
#include "suite.h"

static const struct rule *read(struct arena *a, const char *text)
{
	const char *error = NULL;
	const struct rule *r = rule_read(a, text, &error);
	ck_assert_msg(r != NULL, "%s: %s", text, error);
	return r;
}

static const struct {
	const char *rule, *body; /* NULL: it stays as it is */
} rules[] = {
	{"matmul(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=9, k=2, n=9}", "narrow_bf16(a) * narrow_bf16(b)"},
	{"scaled(a[m, k], b[n, k], s[]) -> [m, n] = sum[k] -(a * (0.5 * b)) * s {m=9, k=2, n=9}", "narrow_bf16(a)"},
	{"conv(x[c, y + p], w[o, c, p]) -> [o, y] = sum[c, p] x * w {c=2, o=9, y=30, p=3}", "narrow_bf16(a) * narrow_bf16(b)"},
	{"heads(a[t, d], w[d, h, k]) -> [h, t, k] = sum[d] a * w {t=9, d=4, h=3, k=3}", "narrow_bf16(b)"},
	{"few_rows(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=8, k=2, n=99}", NULL},
	{"vector(a[m, k], b[k]) -> [m] = sum[k] a * b {m=99, k=99}", NULL},
	{"lines(a[m, k], b[m, k]) -> [m] = sum[k] a * b {m=99, k=99}", NULL},
	{"square(a[m, k]) -> [m] = sum[k] a * a {m=99, k=99}", NULL},
	{"depthwise(x[c, y + p], w[c, p]) -> [c, y] = sum[p] x * w {c=99, y=30, p=3}", NULL},
	{"outer(a[m], b[n]) -> [m, n] = a * b {m=99, n=99}", NULL},
	{"distance(a[m, k], b[n, k]) -> [m, n] = sum[k] abs(a - b) {m=99, k=9, n=99}", NULL},
	{"greatest(a[m, k], b[k, n]) -> [m, n] = max[k] a * b {m=99, k=9, n=99}", NULL},
	{"wide(a[m, k]: f64, b[k, n]: f64) -> [m, n] = sum[k] a * b {m=99, k=9, n=99}", NULL},
	{"half(a[m, k]: bf16, b[k, n]: bf16) -> [m, n] = sum[k] a * b {m=99, k=9, n=99}", NULL},
	{"three(a[m, k], b[k, n], c[k, n]) -> [m, n] = sum[k] a * b * c {m=99, k=9, n=99}", NULL},
	{"rows(t[i:99, k], i[m]: i32, b[k, n]) -> [m, n] = sum[k] t * b {m=99, k=9, n=99}", NULL},
};

static bool rounds(const struct scalar *s)
{
	if (s->kind != SCALAR_APPLY)
		return false;
	bool found = scalar_narrows(s) != DT_COUNT;
	for (int k = 0; k < 3 && s->arg[k]; k++)
		found = found || rounds(s->arg[k]);
	return found;
}

static const char *text_of(struct arena *a, const struct rule *r)
{
	struct text t = {.arena = a};
	rule_print(&t, r);
	return text_get(&t);
}

START_TEST(products_of_matrices_and_windows_round_their_factors)
{
	struct arena *a = arena_new("narrow");
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		const struct rule *r = read(a, rules[i].rule);
		struct rule narrow = *r;
		rule_narrow_factors(a, &narrow, DT_BF16);
		ck_assert_msg(!rule_check(a, &narrow), "%s: %s", rules[i].rule, rule_check(a, &narrow));
		if (!rules[i].body)
			ck_assert_msg(rule_equal(r, &narrow), "%s", text_of(a, &narrow));
		else
			ck_assert_msg(strstr(text_of(a, &narrow), rules[i].body) != NULL, "%s", text_of(a, &narrow));
		ck_assert_msg(rule_equal(&narrow, read(a, text_of(a, &narrow))), "%s", rules[i].rule);
	}
	arena_free(a);
}
END_TEST

/* The cotangent and the tangent are rounded as the factor beside them is, in derivatives of derivatives too. */
START_TEST(derivatives_round_what_flows)
{
	struct arena *a = arena_new("narrow");
	for (int i = 0; i < 4; i++) {
		struct rule r = *read(a, rules[i].rule);
		rule_narrow_factors(a, &r, DT_F16);
		for (int wrt = 0; wrt < 2; wrt++) {
			struct rule_gradient g = rule_gradient(a, &r, wrt), t = rule_tangent(a, &r, wrt);
			int flow = r.noperands + 1;
			const struct rule *made[] = {g.rule, t.rule};
			for (int k = 0; k < 2; k++) {
				const struct scalar *one = scalar_derive(a, made[k]->body, flow);
				ck_assert_msg(rounds(made[k]->body) && rounds(one), "%s", text_of(a, made[k]));
				ck_assert(!rule_check(a, made[k]));
			}
			struct rule_gradient again = rule_gradient(a, g.rule, flow);
			ck_assert_msg(again.rule && rounds(again.rule->body), "%s", text_of(a, g.rule));
		}
	}
	arena_free(a);
}
END_TEST

START_TEST(values_are_those_of_rounded_factors)
{
	enum { M = 9, K = 5, N = 10 };
	struct arena *a = arena_new("narrow");
	const struct rule *r = read(a, "matmul(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=9, k=5, n=10}");
	static const struct rule_origin none;
	for (int type = 0; type < 2; type++) {
		enum dtype t = type ? DT_F16 : DT_BF16;
		struct rule narrow = *r;
		union scalar_value x[2][M * K + K * N], rounded[2][M * K + K * N], out[2][M * N];
		for (int i = 0; i < 2 * (M * K + K * N); i++) {
			union scalar_value v = {.f = (double)(float)(1.0 / (i + 3) - 0.01 * i)};
			x[i % 2][i / 2] = v;
			rounded[i % 2][i / 2] = scalar_convert(v, DT_F32, t);
		}
		rule_narrow_factors(a, &narrow, t);
		rule_interpret(&narrow, (union scalar_value *[]){x[0], x[1]}, out[0], &none);
		rule_interpret(r, (union scalar_value *[]){rounded[0], rounded[1]}, out[1], &none);
		for (int i = 0; i < M * N; i++)
			ck_assert_double_eq(out[0][i].f, out[1][i].f);
	}
	arena_free(a);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "factors of 16 bits");
	tcase_add_test(t, products_of_matrices_and_windows_round_their_factors);
	tcase_add_test(t, derivatives_round_what_flows);
	tcase_add_test(t, values_are_those_of_rounded_factors);
	return suite_end(s);
}
