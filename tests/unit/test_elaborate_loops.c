/* test_elaborate_loops.c — loops and branches of functions that are differentiated, as loops of the graph: programs
 * print what they print where the same is written out turn by turn. */
#define _POSIX_C_SOURCE 200809L
#include "host_run.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

#define HEAD "place p = ranks(0..1);\nparam w : f32[3] @ p = full(0.5);\nconfig n : int = 3;\nconst c : int = 3;\n"
#define MAIN "main { let (l, g) = value_and_grad(f)(ones([3]) to @p); print(l, sum(g.w), g.w[0], g.w[2]); }\n"
#define F    "fn f(x: f32[3] @ p) -> f32 @ p "

/* A loop that the running program counts, and the same with a count known when compiling. */
static const char *const counted[][2] = {
	{HEAD F "{ var h = x; for i in 0..n { h = tanh(h * w); } return sum(h); }\n" MAIN,
	 HEAD F "{ var h = x; for i in 0..c { h = tanh(h * w); } return sum(h); }\n" MAIN},
	/* from a number on, with the number of the turn */
	{HEAD F "{ var h = x; for i in n - 1..n + 2 { h = h * w + i; } return sum(h); }\n" MAIN,
	 HEAD F "{ var h = x; for i in c - 1..c + 2 { h = h * w + i; } return sum(h); }\n" MAIN},
	/* no turn */
	{HEAD F "{ var h = x * w; for i in n..0 { h = h * 2.0; } return sum(h); }\n" MAIN,
	 HEAD F "{ var h = x * w; for i in c..0 { h = h * 2.0; } return sum(h); }\n" MAIN},
	/* numbers that become tensors, numbers that stay numbers, a start on no rank */
	{HEAD F
	 "{ var s = 0; var k = 1; var r = 1.0; var h = ones([3]); for i in 0..n { s = s + sum(h * w); k = k * 2; "
	 "r = r / 4; h = h * x * k + r; } return s * k; }\n" MAIN,
	 HEAD F
	 "{ var s = 0; var k = 1; var r = 1.0; var h = ones([3]); for i in 0..c { s = s + sum(h * w); k = k * 2; "
	 "r = r / 4; h = h * x * k + r; } return s * k; }\n" MAIN},
	/* two that take each other's place, one that follows another */
	{HEAD F
	 "{ var a = x; var b = x * w; var d = 0.0; for i in 0..n { (a, b) = (b, a + b); d = sum(a); } return sum(b) + "
	 "d; }\n" MAIN,
	 HEAD F
	 "{ var a = x; var b = x * w; var d = 0.0; for i in 0..c { (a, b) = (b, a + b); d = sum(a); } return sum(b) + "
	 "d; }\n" MAIN},
	/* a number that grows by way of another, a tuple, a list */
	{HEAD F "{ var a = 0.0; var b = 0.0; var t = (x, 1); var v = [1.0, 2.0]; for i in 0..n { b = a; a = a + sum(x "
		"* w); let "
		"(y, k) = t; t = (y * w, k + 1); v = [v[1], v[0] + 1]; } let (y, k) = t; return sum(y) * k + a + b + "
		"v[0]; }\n" MAIN,
	 HEAD F "{ var a = 0.0; var b = 0.0; var t = (x, 1); var v = [1.0, 2.0]; for i in 0..c { b = a; a = a + sum(x "
		"* w); let "
		"(y, k) = t; t = (y * w, k + 1); v = [v[1], v[0] + 1]; } let (y, k) = t; return sum(y) * k + a + b + "
		"v[0]; }\n" MAIN},
	/* a loop in a loop that counts with it */
	{HEAD F "{ var h = x; for i in 0..n { var k = 1; for j in i..n { k = k * 2 + j; } h = h * w + k; } return "
		"sum(h); }\n" MAIN,
	 HEAD F "{ var h = x; for i in 0..c { var k = 1; for j in i..c { k = k * 2 + j; } h = h * w + k; } return "
		"sum(h); }\n" MAIN},
	/* a function with a loop, called in a loop; elements by number */
	{HEAD "fn inner(h: f32[3] @ p, m: int) -> f32[3] @ p { var y = h; for j in 0..m { y = y * w; } return y; }\n" F
	      "{ var h = x; for i in 0..n { h = h * w + stop_gradient(inner(h, i)) + x[i]; h[i] = 2.0; } return sum(h "
	      "* w); }\n" MAIN,
	 HEAD "fn inner(h: f32[3] @ p, m: int) -> f32[3] @ p { var y = h; for j in 0..m { y = y * w; } return y; }\n" F
	      "{ var h = x; for i in 0..c { h = h * w + stop_gradient(inner(h, i)) + x[i]; h[i] = 2.0; } return sum(h "
	      "* w); }\n" MAIN},
	/* elements added up, whose index counts from either end */
	{HEAD F "{ var s = 0.0; for i in 0..n { s += x[i] * w[-1 - i]; s -= w[i]; } return s; }\n" MAIN,
	 HEAD F "{ var s = 0.0; for i in 0..c { s += x[i] * w[-1 - i]; s -= w[i]; } return s; }\n" MAIN},
	/* draws: keys made of the turn, of another key, handed on */
	{HEAD F
	 "{ var h = x; var k = rng(7); for i in 0..n { h = h * w + normal(rng(i), [3]); k = fold(k, i + 1); h = h * "
	 "uniform(k, [3]) + normal(fold(rng(3), i, 2), [3]); } return sum(h); }\n" MAIN,
	 HEAD F
	 "{ var h = x; var k = rng(7); for i in 0..c { h = h * w + normal(rng(i), [3]); k = fold(k, i + 1); h = h * "
	 "uniform(k, [3]) + normal(fold(rng(3), i, 2), [3]); } return sum(h); }\n" MAIN},
	/* a state */
	{HEAD F "{ state v : f32[3] @ p = ones(); for i in 0..n { v = v * 2.0 + i; } return sum(v * w); }\n" MAIN,
	 HEAD F "{ state v : f32[3] @ p = ones(); for i in 0..c { v = v * 2.0 + i; } return sum(v * w); }\n" MAIN},
};

/* Branches and loops by conditions, and what they come to. */
static const char *const decided[][2] = {
	{HEAD F "{ var h = x * w; if sum(h) > 1.0 { h = h * 2.0; } return sum(h * h); }\n" MAIN,
	 HEAD F "{ let h = x * w; return sum(h * h * 4.0); }\n" MAIN},
	{HEAD F "{ var h = x * w; if sum(h) > 3.0 { h = h * 2.0; } return sum(h * h); }\n" MAIN,
	 HEAD F "{ let h = x * w; return sum(h * h); }\n" MAIN},
	/* one arm or the other, one in the other, of values from outside */
	{HEAD F
	 "{ let a = x * w; let b = exp(w); var h = 0.0; if n > 5 { h = sum(a * b); } else if n == 3 { h = sum(a) + "
	 "sum(b * w); } else { h = sum(b); } return h; }\n" MAIN,
	 HEAD F "{ let a = x * w; let b = exp(w); return sum(a) + sum(b * w); }\n" MAIN},
	/* what is not taken is not computed: no NaN of it */
	{HEAD F "{ let z = w - 0.5; var h = sum(w); if sum(z) > 0.0 { h = h + sum(x / z); } else { h = h * 3.0; } "
		"return h; }\n" MAIN,
	 HEAD F "{ return sum(w) * 3.0; }\n" MAIN},
	/* numbers and bools, of both arms */
	{HEAD F "{ var k = 1; var found = false; if sum(x * w) > 1.0 { k = 7; found = true; } else { k = 9; } var h = "
		"w * k; if "
		"found { h = h + 1.0; } return sum(h); }\n" MAIN,
	 HEAD F "{ return sum(w * 7 + 1.0); }\n" MAIN},
	{HEAD F "{ var h = x * w; while sum(h) < 30.0 { h = h * 2.0; } return sum(h * h); }\n" MAIN,
	 HEAD F "{ var h = x * w; for i in 0..5 { h = h * 2.0; } return sum(h * h); }\n" MAIN},
	{HEAD F "{ var h = x * w; var k = 0; while k < n && sum(h) < 1000.0 { h = h * w; k += 1; } return sum(h) * k; "
		"}\n" MAIN,
	 HEAD F "{ var h = x * w; for i in 0..c { h = h * w; } return sum(h) * 3; }\n" MAIN},
	/* never */
	{HEAD F "{ var h = x * w; while sum(h) > 30.0 { h = h / 0.0; } return sum(h); }\n" MAIN,
	 HEAD F "{ return sum(x * w); }\n" MAIN},
	/* left by break, in a loop of known and of unknown turns, and in one that never ends */
	{HEAD F
	 "{ var h = x * w; for i in 0..10 { if sum(h) > 20.0 { break; } h = h * 2.0; } return sum(h * h); }\n" MAIN,
	 HEAD F "{ var h = x * w; for i in 0..4 { h = h * 2.0; } return sum(h * h); }\n" MAIN},
	{HEAD F "{ var h = x * w; for i in 1..n * 4 { h = h * 2.0; if sum(h) > 20.0 { h = h + i; break; } h = h + 1.0; "
		"} return "
		"sum(h * h); }\n" MAIN,
	 HEAD F "{ var h = x * w; h = h * 2.0 + 1.0; h = h * 2.0 + 1.0; h = h * 2.0 + 3; return sum(h * h); }\n" MAIN},
	{HEAD F "{ var h = x * w; var k = 0; while true { k += 1; if k > 3 { break; } h = h * w; } return sum(h) + k; "
		"}\n" MAIN,
	 HEAD F "{ var h = x * w; for i in 0..3 { h = h * w; } return sum(h) + 4; }\n" MAIN},
	/* a condition that is not asked again where a break was reached */
	{HEAD F "{ var h = x * w; var k = 0; while x[k] > 0.0 { h = h * 2.0; k += 1; if k == 3 { break; } } return "
		"sum(h); }\n" MAIN,
	 HEAD F "{ return sum(x * w * 8.0); }\n" MAIN},
	/* continue, in branches of branches, and in a loop in the loop */
	{HEAD F "{ var h = x * w; for i in 0..n + 3 { if i % 2 == 0 { if i > 3 { h = h + 1.0; continue; } h = h * 2.0; "
		"} else { "
		"continue; } h = h + i; } return sum(h * h); }\n" MAIN,
	 HEAD F "{ var h = x * w; h = h * 2.0 + 0; h = h * 2.0 + 2; h = h + 1.0; return sum(h * h); }\n" MAIN},
	{HEAD F "{ var h = x * w; for i in 0..n { for j in 0..4 { if j > i { break; } h = h + w * j; } if i == 1 { "
		"continue; } h = "
		"h * 2.0; } return sum(h * h); }\n" MAIN,
	 HEAD F "{ var h = x * w; h = h * 2.0; h = h + w; h = h + w + w * 2; h = h * 2.0; return sum(h * h); }\n" MAIN},
	/* params that only an arm or a turn not made mentions */
	{HEAD "param u : f32[3] @ p = ones();\n" F
	      "{ var h = x * w; if n > 5 { h = h * u; } for i in n..0 { h = h + u; } return "
	      "sum(h); }\nmain { let (l, g) = value_and_grad(f)(ones([3]) to @p); print(l, sum(g.w), g.w[0], sum(g.u), "
	      "g.u[1]); }\n",
	 HEAD "param u : f32[3] @ p = ones();\n" F
	      "{ return sum(x * w + 0.0 * u); }\nmain { let (l, g) = value_and_grad(f)(ones([3]) "
	      "to @p); print(l, sum(g.w), g.w[0], sum(g.u), g.u[1]); }\n"},
};

#define LAYERS \
	"struct Layer[p: place] { w: f32[3, 3] @ p = normal(), b: f32[3] @ p = normal() }\nparam layers : [4] " \
	"Layer[p];\n"
#define ALL \
	"main { let (l, g) = value_and_grad(f)(normal(rng(1), [4, 3]) to @p); print(l, sum(g.layers[0].w), " \
	"g.layers[1].w[0, 2], g.layers[3].b[1]); }\n"
#define ROWS "fn f(x: f32[4, 3] @ p) -> f32 @ p "
#define BY_W \
	"main { let (l, g) = value_and_grad(f)(normal(rng(1), [4, 3]) to @p); print(l, sum(g.w), g.w[0], g.w[2]); }\n"
#define BY_X \
	"main { let (l, g) = value_and_grad(f, wrt = \"x\")(normal(rng(1), [4, 3]) to @p); print(l, sum(g), g[0, 0], " \
	"g[3, 2]); }\n"

/* Loops of known turns, kept and turn by turn. */
static const struct {
	bool kept;
	const char *source;
} known[] = {
	{true, HEAD F "{ var h = x; for i in 0..c { h = tanh(h * w); } return sum(h); }\n" MAIN},
	/* lines of tensors: forward, backward, from the end, in steps, of other dimensions */
	{true, HEAD ROWS "{ var h = w; for i in 0..4 { h = tanh(h + x[i]); } return sum(h); }\n" BY_W},
	{true, HEAD ROWS "{ var h = w; for i in 0..4 { h = tanh(h + x[3 - i]) * x[-1 - i]; } return sum(h); }\n" BY_X},
	{true, HEAD ROWS
	 "{ var h = w; for i in 0..2 { let k = 2 * i; h = tanh(h * x[k + 1]) + x[k, 1] * x[i, 1..2][0]; } return "
	 "sum(h); }\n" BY_X},
	{true, HEAD ROWS "{ var h = 0.0; for i in 0..3 { h = tanh(h + sum(x[.., i])) + x[0, i]; } return h; }\n" BY_X},
	/* in index notation: beside factors, of both dimensions, of two loops in either order, twice of one */
	{true, HEAD ROWS "{ var h = w; for i in 0..3 { let a[k] = h[k] * x[i + 1, k] - x[3 - i, k]; h = tanh(a); } "
			 "return sum(h); }\n" BY_X},
	{true, HEAD ROWS "{ var h = 0.0; for i in 0..3 { let a[n] = x[n, i] * x[n, 2 - i]; h = tanh(h) + sum(a); } "
			 "return h; }\n" BY_X},
	{true, HEAD ROWS "{ var h = 0.0; for i in 0..3 { for j in 0..4 { h = tanh(h) + sum[k] x[j, i] * x[j, k] + "
			 "x[i, i]; } } return h; }\n" BY_X},
	{true, HEAD ROWS "{ var h = 0.0; for i in 0..3 { let a[n] = x[n, i] * x[i, i]; h = h + sum(a); } return h; "
			 "}\n" BY_X},
	/* but where a turn is outside, or no line of them */
	{false, HEAD ROWS "{ var h = w; for i in 0..2 { let a[k] = h[k] + x[(3 * i + 2)?, k]; h = a; } return sum(h); "
			  "}\n" BY_X},
	{false,
	 HEAD ROWS "{ var h = w; for i in 0..2 { let a[k] = h[k] + x[i * i, k]; h = a; } return sum(h); }\n" BY_X},
	/* some lines are outside in some turns: the program looks when it runs */
	{true, HEAD ROWS "{ var h = w; for i in 0..6 { h = tanh(h + x[i % 4] * x[i - 4]); } return sum(h); }\n" BY_W},
	/* lists of params, of structs, of numbers */
	{true, HEAD LAYERS ROWS
	 "{ var h = x; for i in 0..4 { h = tanh(h @ layers[i].w + layers[i].b); } return sum(h); }\n" ALL},
	{true, HEAD LAYERS ROWS "{ var h = x; for l in layers { h = tanh(h @ l.w + l.b); } return sum(h * w); }\n" ALL},
	{true, HEAD LAYERS ROWS
	 "{ var h = x; for i in 0..2 { let (a, b) = (layers[i], layers[3 - i]); h = tanh(h @ a.w @ b.w + b.b "
	 "* i); } return sum(h); }\n" ALL},
	{true, HEAD LAYERS
	 "fn layer(l: Layer[p], x: f32[..] @ p, scale: float) -> f32[..] @ p { return tanh(x @ l.w + l.b) * scale; "
	 "}\n" ROWS "{ let scales = [0.5, 1.0, 2.0, 4.0]; var h = x; for i in 0..4 { h = layer(layers[i], h, "
	 "scales[i]); } return sum(h); }\n" ALL},
	/* lists that differ in what is known when compiling, and numbers that are: turn by turn */
	{false, HEAD ROWS "{ var h = 0.0; for d in [1, 2, 3] { h = h + sum(x[0..d] * w); } return h; }\n" BY_W},
	{false, HEAD ROWS
	 "{ var h = 0.0; var k = 1; for i in 0..3 { k = k + 1; h = h + sum(x[0..k] * w); } return h; }\n" BY_W},
	{false, HEAD ROWS
	 "{ var h = w; for d in [\"a\", \"b\", \"c\"] { print(d, sum(h)); h = h * x[0]; } return sum(h); }\n" BY_W},
	/* what turns show, with their numbers */
	{true, HEAD ROWS "{ var h = w; for i in 0..3 { print(i, sum(h)); h = h * x[i]; } return sum(h); }\n" BY_W},
	/* what is known to hold when compiling, here and in the library */
	{true, "fn f(x: f32[4]) { var h = x; for i in 0..3 { assert(length([i, 1]) == 2); h = h * 0.5 + "
	       "sum(top_k(h, 2)[0]); } return h; }\nmain { print(f([1.0, 2.0, 3.0, 4.0])); }"},
	/* branches by the number of the turn; a break that is known */
	{true, HEAD ROWS "{ var h = w; for i in 0..4 { if i % 2 == 1 { h = h * x[i]; } else { h = tanh(h); } } return "
			 "sum(h); }\n" BY_W},
	/* loops in loops */
	{true, HEAD ROWS
	 "{ var h = w; for i in 0..4 { for j in 0..3 { h = tanh(h * x[i, j] + x[j]); } } return sum(h); }\n" BY_W},
	/* no turn: a gradient has the params that one would read; and one of another type, nothing of which is known */
	{true, HEAD F "{ var h = x; for i in c..0 { h = h * w; } return sum(h); }\n" MAIN},
	{true, HEAD F
	 "{ var h = x; var k = 0; for i in c..0 { h = h * w; k = k + 1; } return sum(h * ones([k + 3])); }\n" MAIN},
	{false, HEAD F "{ var h = x * w; for i in c..0 { h = [h, h][9] * w; } return sum(h); }\n" MAIN},
	{false, HEAD F "{ var h = x; for i in c..0 { h = h * w; h = h[0..i + 1] * 2.0; } return sum(h); }\n" MAIN},
	{false, HEAD F "{ var h = x; for i in c..0 { h = h * w; break; } return sum(h); }\n" MAIN},
	{false, HEAD F "{ for i in c..0 { return sum(x * w); } return sum(x); }\n" MAIN},
	/* more turns than are walked one by one */
	{true, HEAD F "{ var h = x; for i in 0..4100 { h = tanh(h * w + 1.0); } return sum(h); }\n" MAIN},
	/* a derivative in a loop */
	{true, HEAD
	 "fn inner(y: f32[3] @ p) -> f32 @ p { return sum(y * y * w); }\n" ROWS
	 "{ var h = w; for i in 0..3 { h = h - 0.1 * grad(inner, wrt = \"y\")(h * x[i]); } return sum(h); }\n" BY_W},
	/* a state, remat, a start that a turn replaces */
	{true,
	 HEAD ROWS "{ state v : f32[3] @ p = ones(); for i in 0..3 { v = remat { tanh(v * x[i]) }; } return sum(v * "
		   "w); }\n" BY_W},
};

static struct session *open_session(bool keep)
{
	struct session *s = session_new();
	const char *build = getenv("BUILD_DIR");
	s->options.stdlib_path = arena_printf(s->arena, "%s/stdlib", build ? build : ".");
	s->options.unroll_loops = !keep;
	return s;
}

static struct program *elaborate(struct session *s, const char *source)
{
	struct program *p = host_run_elaborate(s, source, ELABORATE_MAIN);
	if (!p)
		diag_flush(s, stdout);
	ck_assert_msg(p != NULL, "the program has errors:\n%s", source);
	return p;
}

static const char *printed(struct program *p)
{
	struct host_run r;
	host_run_init(&r, p);
	host_run_function(&r, p->main);
	return text_get(&r.printed);
}

static int loops_of(const struct program *p)
{
	int n = 0;
	for (int i = 0; i < p->regions.n; i++)
		n += p->regions.at[i]->graph->loops.n;
	return n;
}

/* with: loops of graphs; without: the same without. */
static void prints_the_same(const char *with, const char *without)
{
	struct session *s = open_session(true), *t = open_session(false);
	struct program *kept = elaborate(s, with), *unrolled = elaborate(t, without);
	ck_assert_int_gt(loops_of(kept), 0);
	for (int i = 0; i < kept->regions.n; i++) {
		const char *wrong = graph_verify(kept->regions.at[i]->graph);
		ck_assert_msg(!wrong, "%s:\n%s", wrong, with);
	}
	ck_assert_msg(!strcmp(printed(kept), printed(unrolled)), "%s\nprints %snot %s", with, printed(kept),
		      printed(unrolled));
	session_free(s);
	session_free(t);
}

START_TEST(counted_loops_compute_what_their_turns_do_one_by_one)
{
	prints_the_same(counted[_i][0], counted[_i][1]);
}
END_TEST

START_TEST(branches_and_conditions_decide_as_the_values_say)
{
	prints_the_same(decided[_i][0], decided[_i][1]);
}
END_TEST

START_TEST(loops_of_known_turns_are_kept_where_their_turns_are_alike)
{
	struct session *s = open_session(true), *t = open_session(false);
	struct program *kept = elaborate(s, known[_i].source), *unrolled = elaborate(t, known[_i].source);
	for (int i = 0; i < kept->regions.n; i++) {
		const char *wrong = graph_verify(kept->regions.at[i]->graph);
		ck_assert_msg(!wrong, "%s:\n%s", wrong, known[_i].source);
	}
	ck_assert_msg((loops_of(kept) > 0) == known[_i].kept, "%d loops are kept:\n%s", loops_of(kept),
		      known[_i].source);
	ck_assert_msg(!strcmp(printed(kept), printed(unrolled)), "%s\nprints %snot %s", known[_i].source, printed(kept),
		      printed(unrolled));
	session_free(s);
	session_free(t);
}
END_TEST

/* The source with `remat every k` before each loop. */
static const char *cut(struct session *s, const char *source, int k)
{
	struct text t;
	text_init(&t, s->arena);
	for (const char *c = source; *c; c++) {
		bool begins = (!strncmp(c, "for ", 4) || !strncmp(c, "while ", 6)) && c[-1] == ' ';
		if (begins)
			text_printf(&t, "remat every %d ", k);
		text_printf(&t, "%c", *c);
	}
	return text_get(&t);
}

static void prints_the_same_cut(const char *source)
{
	struct session *whole = open_session(false);
	const char *wanted = printed(elaborate(whole, source));
	for (int i = 0; i < 6; i++) {
		struct session *s = open_session(i % 2);
		const char *segments = cut(s, source, 1 + i / 2);
		struct program *p = elaborate(s, segments);
		for (int k = 0; k < p->regions.n; k++) {
			const char *wrong = graph_verify(p->regions.at[k]->graph);
			ck_assert_msg(!wrong, "%s:\n%s", wrong, segments);
		}
		ck_assert_msg(!strcmp(printed(p), wanted), "%s\nprints %snot %s", segments, printed(p), wanted);
		session_free(s);
	}
	session_free(whole);
}

START_TEST(segments_compute_what_the_loop_does)
{
	int ncounted = sizeof counted / sizeof *counted, ndecided = sizeof decided / sizeof *decided, i = _i;
	prints_the_same_cut(i < ncounted              ? counted[i][0]
			    : i < ncounted + ndecided ? decided[i - ncounted][0]
						      : known[i - ncounted - ndecided].source);
}
END_TEST

/* One of a list in each turn is as many turns as there are at the most, so there are no segments. */
static const char *const not_cut[] = {
	HEAD "param ws : [3] f32[3] @ p = ones();\n" F
	     "{ var h = x; for i in 0..n { h = remat { let z = tanh(h * ws[i]); z * z }; } return sum(h * w); }\n" MAIN,
	HEAD "param ws : [3] f32[3] @ p = ones();\n" F "{ var h = x; for i in 0..n { h = remat { let z = tanh(h * "
						       "ws[i]); remat { sin(z) * z } + z }; } return sum(h * w); "
	     "}\n" MAIN,
	HEAD "param ws : [3] f32[3] @ p = ones();\nfn f(x) { var h = x; for i in 0..n { h = tanh(h * ws[i]); } return "
	     "mean(h * w); "
	     "}\nmain { let (l, g) = microbatch(2) { value_and_grad(f)(ones([4, 3]) to @p) }; print(l, g.w[0]); }\n",
	HEAD "param ws : [3] f32[3] @ p = ones();\nfn f(x) { var h = x; for i in 0..n { h = remat { tanh(h * ws[i]) * "
	     "h }; } return "
	     "mean(h * w); }\nmain { let (l, g) = microbatch(2) { value_and_grad(f)(ones([4, 3]) to @p) }; print(l, "
	     "g.w[0]); "
	     "}\n",
};

static int computed_again(const struct program *p)
{
	int n = 0;
	for (int k = 0; k < p->regions.n; k++) {
		const struct graph *g = p->regions.at[k]->graph;
		for (int i = 0; i < g->nodes.n; i++)
			n += g->nodes.at[i]->kind == NODE_REMAT;
	}
	return n;
}

START_TEST(blocks_in_segments_that_are_not_made_are_computed_again_as_they_were)
{
	struct session *s = open_session(true), *t = open_session(true);
	struct program *whole = elaborate(s, not_cut[_i]), *p = elaborate(t, cut(t, not_cut[_i], 2));
	for (int k = 0; k < p->regions.n; k++) {
		const char *wrong = graph_verify(p->regions.at[k]->graph);
		ck_assert_msg(!wrong, "%s:\n%s", wrong, not_cut[_i]);
	}
	ck_assert_msg(computed_again(whole) > 0 && computed_again(p) == computed_again(whole), "%d values, not %d:\n%s",
		      computed_again(p), computed_again(whole), not_cut[_i]);
	ck_assert_str_eq(printed(p), printed(whole));
	session_free(s);
	session_free(t);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "loops of graphs");
	tcase_add_loop_test(t, blocks_in_segments_that_are_not_made_are_computed_again_as_they_were, 0,
			    (int)(sizeof not_cut / sizeof *not_cut));
	tcase_add_loop_test(t, counted_loops_compute_what_their_turns_do_one_by_one, 0,
			    (int)(sizeof counted / sizeof *counted));
	tcase_add_loop_test(t, branches_and_conditions_decide_as_the_values_say, 0,
			    (int)(sizeof decided / sizeof *decided));
	tcase_add_loop_test(t, loops_of_known_turns_are_kept_where_their_turns_are_alike, 0,
			    (int)(sizeof known / sizeof *known));
	tcase_add_loop_test(t, segments_compute_what_the_loop_does, 0,
			    (int)(sizeof counted / sizeof *counted + sizeof decided / sizeof *decided +
				  sizeof known / sizeof *known));
	return suite_end(s);
}
