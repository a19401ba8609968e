/* test_averaged.c — of which losses it is known that a step in micro-batches is the whole step: means over rows,
 * however they are written; and of which it is not. */
#include "host_run.h"
#include "suite.h"

#include "compiler/search/averaged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* BODY: the function's, of x [16, 8] and t [16]; OPEN, CLOSE: around the gradient, as it is or in micro-batches. */
static const char form[] =
	"import std.loss;\nimport std.nn;\nimport std.optim;\nconst ROWS : int = 16;\n"
	"param w : f32[8, 8] = normal(std = 0.2);\nparam ws : [3] f32[8, 8] = normal(std = 0.2);\n"
	"fn f(x, t) { BODY }\n"
	"main { for s in 0..3 { let x = normal(rng(s), [16, 8]); let t = randint(rng(s, 1), [16], 0, 8);\n"
	"  let (l, g) = OPEN value_and_grad(f)(x, t) CLOSE; optim.sgd(g, lr = 0.1); print(l); } }\n";

/* The same with a pipeline of two stages, whose micro-batches are walked one by one. */
static const char form_of_stages[] =
	"import std.loss;\nplace grid = ranks(0..2) as (pp = 2);\n"
	"param w : f32[8, 8] @ grid[pp = 0] = normal(std = 0.2);\n"
	"param v : f32[8, 8] @ grid[pp = 1] = normal(std = 0.2);\n"
	"fn f(x, t) { let y = tanh(x @ w) to @grid[pp = 1]; BODY }\n"
	"main { for s in 0..3 { let x = normal(rng(s), [16, 8]); let t = randint(rng(s, 1), [16], 0, 8);\n"
	"  let (l, g) = OPEN value_and_grad(f)(x to @grid[pp = 0], t to @grid[pp = 1]) CLOSE; w -= 0.1 * g.w; "
	"print(l); } }\n";

/* The text with what stands for a word. */
static const char *filled(struct arena *a, const char *text, const char *word, const char *with)
{
	const char *at = strstr(text, word);
	return arena_printf(a, "%.*s%s%s", (int)(at - text), text, with, at + strlen(word));
}

/* block: of the block with one micro-batch and with `parts`; else of the program without and with it. */
static const char *refused(const char *of, const char *body, int parts, bool block)
{
	struct session *s[2] = {session_new(), session_new()};
	struct program *p[2];
	const char *build = getenv("BUILD_DIR");
	static char why[128];
	for (int i = 0; i < 2; i++) {
		struct arena *a = s[i]->arena;
		bool cut = i || block;
		const char *text = filled(a, of, "BODY", body),
			   *open = arena_printf(a, "microbatch(%d) {", i ? parts : 1);
		text = filled(a, filled(a, text, "OPEN", cut ? open : ""), "CLOSE", cut ? "}" : "");
		s[i]->options.stdlib_path = arena_printf(s[i]->arena, "%s/stdlib", build ? build : ".");
		p[i] = host_run_elaborate(s[i], text, ELABORATE_MAIN);
		ck_assert_msg(p[i] && !s[i]->errors, "does not compile: %s", text);
	}
	const char *answer = block ? averaged_block_refused(s[0]->arena, p[0], p[0]->microbatches.at[0], p[1],
							    p[1]->microbatches.at[0])
				   : averaged_refused(s[0]->arena, p[0], p[1], parts);
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
			for (int block = 0; block <= 1; block++) {
				const char *why = refused(form, means[i], parts, block);
				ck_assert_msg(!why, "%s\nin %d parts: %s", means[i], parts, why ? why : "");
			}
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
		for (int block = 0; block <= 1; block++) /* what no row goes into is the same in all micro-batches */
			ck_assert_msg(refused(form, others[i], 4, block) != NULL || (block && !strchr(others[i], 'x')),
				      "taken for a mean over rows: %s", others[i]);
}
END_TEST

START_TEST(stages_are_as_one)
{
	static const char *const good[] = {
		"return mean(tanh(y @ v));",
		"return loss.cross_entropy(y @ v, t);",
		"let h = remat { tanh(y @ v) }; return mean(h * h) + 0.1 * sum(v * v);",
	};
	static const char *const bad[] = {
		"return sum(tanh(y @ v));",
		"let m = mean(y, dim = 0); return mean((y @ v - m) ** 2);",
		"return max(y @ v);",
	};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		for (int parts = 2; parts <= 8; parts *= 2) {
			const char *why = refused(form_of_stages, good[i], parts, true);
			ck_assert_msg(!why, "%s\nin %d parts: %s", good[i], parts, why ? why : "");
		}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(refused(form_of_stages, bad[i], 4, true) != NULL, "taken for a mean over rows: %s",
			      bad[i]);
}
END_TEST

/* A block gives more than the loss and its gradient. */
START_TEST(all_that_a_block_gives_is_looked_at)
{
	static const char given[] = "param w : f32[8, 8] = normal(std = 0.2);\nfn f(x) { return mean(tanh(x @ w)); }\n"
				    "main { for s in 0..3 { let x = normal(rng(s), [16, 8]);\n"
				    "  let (a, g) = OPEN (BODY, grad(f)(x)) CLOSE; w -= 0.1 * g.w; print(a); } }\n";
	static const struct {
		const char *value;
		bool good;
	} cases[] = {{"mean(x)", true}, {"mean(w)", true}, {"sum(w @ w)", true}, {"sum(x)", false}, {"max(x)", false}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *why = refused(given, cases[i].value, 4, true);
		ck_assert_msg(!why == cases[i].good, "%s: %s", cases[i].value, why ? why : "taken for a mean");
	}
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "averaged");
	tcase_add_test(t, means_over_rows_are_known);
	tcase_add_test(t, others_are_not);
	tcase_add_test(t, stages_are_as_one);
	tcase_add_test(t, all_that_a_block_gives_is_looked_at);
	return suite_end(s);
}
