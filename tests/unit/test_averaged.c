/* test_averaged.c — of which losses it is known that a step in micro-batches is the whole step: means over rows,
 * however they are written; and of which it is not. */
#include "host_run.h"
#include "suite.h"

#include "compiler/search/averaged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* %s: the function's body, of x [16, 8] and t [16]; then the gradient, as it is or in micro-batches. */
static const char form[] =
	"import std.loss;\nimport std.nn;\nimport std.optim;\nconst ROWS : int = 16;\n"
	"param w : f32[8, 8] = normal(std = 0.2);\nparam ws : [3] f32[8, 8] = normal(std = 0.2);\n"
	"fn f(x, t) { %s }\n"
	"main { for s in 0..3 { let x = normal(rng(s), [16, 8]); let t = randint(rng(s, 1), [16], 0, 8);\n"
	"  let (l, g) = %s value_and_grad(f)(x, t) %s; optim.sgd(g, lr = 0.1); print(l); } }\n";

static const char *refused(const char *body, int parts)
{
	char text[2][2048], open[32];
	struct session *s[2] = {session_new(), session_new()};
	struct program *p[2];
	const char *build = getenv("BUILD_DIR");
	static char why[128];
	snprintf(open, sizeof open, "microbatch(%d) {", parts);
	for (int i = 0; i < 2; i++) {
		snprintf(text[i], sizeof text[i], form, body, i ? open : "", i ? "}" : "");
		s[i]->options.stdlib_path = arena_printf(s[i]->arena, "%s/stdlib", build ? build : ".");
		p[i] = host_run_elaborate(s[i], text[i], ELABORATE_MAIN);
		ck_assert_msg(p[i] && !s[i]->errors, "does not compile: %s", text[i]);
	}
	const char *answer = averaged_refused(s[0]->arena, p[0], p[1], parts);
	snprintf(why, sizeof why, "%s", answer ? answer : "");
	for (int i = 0; i < 2; i++)
		session_free(s[i]);
	return answer ? why : NULL;
}

static const char *const means[] = {
	"return mean(tanh(x @ w));",
	"return loss.cross_entropy(tanh(x @ w), t);",
	"return loss.cross_entropy(tanh(x @ w), t) + 0.01 * sum(w * w);",
	"return 2.0 * mean(x @ w) - mean(x * x);",
	"return mean(mean(x @ w, dim = 1));",
	"let y = reshape(x @ w, [4 * x.shape[0], 2]); return mean(tanh(y));",
	"var h = x; for i in 0..3 { h = h + tanh(h @ ws[i]); } return mean(h * h) + mean(x @ w);",
	"let y = x @ w; let s[n, i] = sum[j] y[n, j] * x[n, j] * w[j, i]; return mean(softmax(s));",
	"return sum(x @ w) / (x.shape[0] * 8);",
	"return mean(w[t]) * 3.0;",
	"return mean(zeros([x.shape[0], 8]) + x @ w);",
};

START_TEST(means_over_rows_are_known)
{
	for (size_t i = 0; i < sizeof means / sizeof *means; i++)
		for (int parts = 2; parts <= 8; parts *= 2) {
			const char *why = refused(means[i], parts);
			ck_assert_msg(!why, "%s\nin %d parts: %s", means[i], parts, why ? why : "");
		}
}
END_TEST

static const char *const others[] = {
	"return sum(tanh(x @ w));",
	"return sum(x @ w) / 16.0;",
	"return sum(x @ w) / (ROWS * 8);",
	"return sqrt(mean((x @ w) ** 2));",
	"let y = x @ w; let m = mean(y, dim = 0); return mean((y - m) ** 2);",
	"return max(x @ w);",
	"return mean(x @ w) * mean(x);",
	"return mean(x @ w) / mean(x * x);",
	"let y = x @ w; let s[i, j] = sum[k] y[i, k] * x[j, k]; return mean(s);",
	"let y = reshape(x @ w, [x.shape[0] / 2, 16]); return mean(softmax(y));",
	"return mean(nn.dropout(x @ w, rng(7)));",
	"let y = x @ w; return mean(y[1..x.shape[0]] - y[0..x.shape[0] - 1]);",
	"return mean((x @ w) * reshape(iota(x.shape[0]) as f32, [x.shape[0], 1]));",
	"var h = sum(x @ w, dim = 0); for i in 0..3 { h = tanh(h @ ws[i]); } return mean(h);",
	"return mean(w) + sum(w * w);",
	"return mean(x @ w + normal(rng(7), [8]));",
	"return loss.cross_entropy(x @ w, t, ignore = 3);",
};

START_TEST(others_are_not)
{
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		ck_assert_msg(refused(others[i], 4) != NULL, "taken for a mean over rows: %s", others[i]);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "averaged");
	tcase_add_test(t, means_over_rows_are_known);
	tcase_add_test(t, others_are_not);
	return suite_end(s);
}
