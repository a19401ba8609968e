/* test_elaborate_loops.c — loops and branches of functions that are differentiated, as loops of the graph: programs
 * print what they print where the same is written out turn by turn. */
#define _POSIX_C_SOURCE 200809L
#include "host_run.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

#define HEAD "place p = ranks(0..1);\nparam w : f32[3] @ p = full(0.5);\nconfig n : int = 3;\nconst c : int = 3;\n"
#define MAIN "main { let (l, g) = value_and_grad(f)(ones([3]) to @p); print(l, g.w); }\n"
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
	/* a state */
	{HEAD F "{ state v : f32[3] @ p = ones(); for i in 0..n { v = v * 2.0 + i; } return sum(v * w); }\n" MAIN,
	 HEAD F "{ state v : f32[3] @ p = ones(); for i in 0..c { v = v * 2.0 + i; } return sum(v * w); }\n" MAIN},
};

static struct session *open_session(bool keep)
{
	struct session *s = session_new();
	const char *build = getenv("BUILD_DIR");
	s->options.stdlib_path = arena_printf(s->arena, "%s/stdlib", build ? build : ".");
	s->options.keep_loops = keep;
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

START_TEST(loops_compute_what_their_turns_do_one_by_one)
{
	struct session *s = open_session(true), *t = open_session(false);
	struct program *kept = elaborate(s, counted[_i][0]), *unrolled = elaborate(t, counted[_i][1]);
	ck_assert_int_gt(loops_of(kept), 0);
	ck_assert_int_eq(loops_of(unrolled), 0);
	for (int i = 0; i < kept->regions.n; i++) {
		const char *wrong = graph_verify(kept->regions.at[i]->graph);
		ck_assert_msg(!wrong, "%s", wrong);
	}
	ck_assert_str_eq(printed(kept), printed(unrolled));
	session_free(s);
	session_free(t);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "loops of graphs", 60);
	tcase_add_loop_test(t, loops_compute_what_their_turns_do_one_by_one, 0,
			    (int)(sizeof counted / sizeof *counted));
	return suite_end(s);
}
