/* test_hoist.c — what main computes in front of a loop of the host, and what several regions compute alike, is computed once,
 * and whatever is kept, programs print what they print without. */
#include "host_run.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

#define HEAD_OF(n) \
	"param w : f32[" n "] = full(0.5);\nstate s : f32[" n "] = zeros();\n" \
	"fn f(b) { return mean(square(b @ w - 1.0)); }\n" \
	"fn step(b) { let (l, g) = value_and_grad(f)(b); w -= 0.1 * g.w; return l; }\n"
#define HEAD HEAD_OF("4")
#define DRAW "let a = normal(rng(1), [4, 4]);\n"
/* Large enough for a product to take longer than reading it. */
#define WIDE HEAD_OF("16") "main { let a = normal(rng(1), [16, 16]);\n"
#define NUMBER "var k = 1; if sum(w) > 0.0 { k = 2; }\n"

/* kept: elements of what is kept. loop, before: the random numbers and products with a sum of four terms or more that
 * are computed in turns of the inner loop and elsewhere in main, one for each node. */
static const struct {
	const char *what, *source;
	int loop, before, kept;
} rows[] = {
	{"a product of what is drawn", HEAD "main { " DRAW "let b = a @ a @ a; for i in 0..3 { print(step(b)); } }", 3,
	 3, 16},
	{"what is drawn, alone", HEAD "main { " DRAW "for i in 0..3 { print(step(a)); } }", 3, 1, 16},
	{"what the loop says itself stays there",
	 HEAD "main { for i in 0..3 { let a = normal(rng(1), [4, 4]); print(step(a @ a)); } }", 5, 0, 0},
	{"what changes with the turn stays",
	 HEAD "main { for i in 0..3 { " DRAW "print(step(a + normal(rng(i), [4, 4]))); } }", 5, 0, 0},
	{"what is quickly computed stays, read by what is kept or not",
	 HEAD "main { let a = iota(16) as f32; let b = reshape(a + 1.0, [4, 4]); for i in 0..3 { print(step(b)); } }",
	 3, 0, 0},
	{"a table that is made of a few kept numbers is made again",
	 HEAD "main { let v = normal(rng(1), [4]); let b = broadcast(sum(v), [4, 4]) * reshape(iota(16) as f32, [4, "
	      "4]); for i in 0..3 { print(step(b)); } }",
	 3, 2, 1},
	{"in front of the inner loop: what changes with the outer one",
	 HEAD
	 "main { for e in 0..2 { let a = normal(rng(e), [4, 4]); let b = a @ a; for i in 0..3 { print(step(b)); } } }",
	 3, 2, 16},
	{"and what changes with neither in front of both",
	 HEAD "main { " DRAW
	      "let b = a @ a; for e in 0..2 { let c = b @ normal(rng(e), [4, 4]); for i in 0..3 { print(step(c "
	      "+ b)); } } }",
	 3, 4, 32},
	{"a kept value that the loop assigns is no invariant",
	 HEAD "main { " DRAW "var b = a @ a; for i in 0..3 { print(step(b)); b = b @ a; } }", 4, 3, 16},
	{"a number that the loop changes",
	 HEAD "main { var k = 1; " DRAW "for i in 0..3 { print(step(a * k)); k = k + 1; } }", 3, 1, 16},
	{"a loop that is asked by its condition",
	 HEAD "main { " DRAW "let b = a @ a; var l = 9.0; while l > 0.9 { l = step(b); print(l); } }", 3, 2, 16},
	{"one arm reads it", HEAD "main { " DRAW "let b = a @ a; for i in 0..4 { if i % 2 == 1 { print(step(b)); } } }",
	 3, 2, 16},
	{"a loop of the graph",
	 HEAD "fn powers(a) { var b = a; for k in 0..9 { b = 0.5 * (b @ a); } return sum(b * a); }\n"
	      "main { " DRAW "let b = grad(powers, wrt = \"a\")(a); for i in 0..3 { print(step(b)); } }",
	 3, 4, 16},
	{"two regions of a turn, each with its own",
	 HEAD "main { " DRAW "let b = a @ a; for i in 0..3 { print(step(b)); if i < 1 { print(sum(b @ b)); } } }", 5, 4,
	 32},
	{"checks of indices",
	 HEAD "main { " DRAW
	      "let k = randint(rng(2), [4], 0, 4); let b = (a @ a)[k]; for i in 0..3 { print(step(b)); } }",
	 3, 3, 16},
	{"read by two lines of main", WIDE "let b = a @ a; print(sum(b)); print(max(b)); print(min(b)); }", 0, 3, 256},
	{"what is drawn is drawn again", WIDE "print(sum(a)); print(max(a)); }", 0, 3, 0},
	{"written twice", WIDE "print(sum(a @ a)); print(max(a @ a)); }", 0, 3, 256},
	{"and transposed once", WIDE "print(sum(a @ a)); print(max(a @ transpose(a))); }", 0, 5, 0},
	{"in two arms, of which one runs, and behind them",
	 WIDE "let b = a @ a; if sum(w) > 0.0 { print(sum(b)); } else { print(max(b)); } print(min(b)); }", 0, 8, 0},
	{"in front of the arms as well",
	 WIDE "let b = a @ a; print(min(b)); if sum(w) > 0.0 { print(max(b)); } else { print(sum(b)); } print(max(b)); }",
	 0, 4, 256},
	{"twice in a turn, of what changes with it",
	 HEAD
	 "main { for i in 0..3 { let a = normal(rng(i), [16, 16]); let b = a @ a; print(sum(b)); print(max(b)); } }",
	 3, 0, 256},
	{"in turns, of which there may be none, and behind them",
	 HEAD "main { for i in 0..3 { let a = normal(rng(7), [16, 16]); print(sum(a @ a)); } let a = normal(rng(7), [16, "
	      "16]); print(max(a @ a)); }",
	 3, 2, 0},
	{"a number that has changed in between",
	 WIDE NUMBER "print(sum(a @ (a * k))); k = k + 1; print(max(a @ (a * k))); }", 0, 6, 0},
	{"a number that has become another in an arm",
	 WIDE NUMBER "print(sum(a @ (a * k))); if k > 1 { k = k + 1; print(k); } print(max(a @ (a * k))); }", 0, 6, 0},
	{"a variable that has another value by now",
	 WIDE "var b = a @ a; print(sum(b)); b = b @ a; print(sum(b)); print(max(b)); b = a @ a; print(max(b)); }", 0, 6,
	 512},
	{"loops of the graph, whatever stands first in them",
	 "fn powers(a) { var b = a; for k in 0..9 { b = 0.5 * (b @ a) + k; } return b; }\n" WIDE
	 "print(sum(powers(a))); print(max(powers(a))); }",
	 0, 3, 256},
	{"loops of the graph that differ in what they add",
	 "fn powers(a, c) { var b = a; for k in 0..9 { b = 0.5 * (b @ a) + c; } return b; }\n" WIDE
	 "print(sum(powers(a, 1))); print(max(powers(a, 2))); }",
	 0, 5, 0},
	{"kept by a variable already",
	 WIDE "let b = a @ a; for i in 0..2 { print(step(b)); } print(sum(b)); print(max(b)); }", 3, 3, 256},
	{"the second arm begins with what stood in front of both",
	 WIDE NUMBER
	 "print(sum(a @ (a * k))); if sum(w) > 9.0 { k = k + 1; print(k); } else { print(max(a @ (a * k))); } }",
	 0, 5, 256},
	{"a number that an arm changes", WIDE NUMBER "if k > 1 { print(sum(a @ (a * k))); k = k + 1; print(max(a @ (a * k))); } }", 0,
	 6, 0},
	{"a number that the next turn finds changed",
	 WIDE NUMBER "print(sum(a @ (a * k))); for i in 0..2 { print(max(a @ (a * k))); k = k + 1; } }", 1, 5, 256},
	{"a variable that a loop has assigned",
	 "place p = ranks(0..1);\n" WIDE
	 "var b = (a @ a) to @p; print(sum(b)); for i in 0..2 { b = b @ b; print(i); } print(max(b), max((a @ a) to @p)); }",
	 1, 3, 0},
	{"a variable that is assigned twice in a turn",
	 "place p = ranks(0..1);\n" WIDE "var b = zeros([16, 16]) to @p; for i in 0..2 { b = (a @ (a * i)) to @p; print(sum(b)); "
	 "b = b @ b; print(sum(b)); print(max((a @ (a * i)) to @p)); } print(sum(b)); }",
	 4, 2, 256 + 256},
	{"split along one dimension and the other",
	 "place p = ranks(0..2);\n" HEAD "main { let c = normal(rng(3), [16, 16, 16]); let r = sum(c, dim = 2);\n"
	 "print(sum(r to @p : S(0)) to B); print(max(r to @p : S(1)) to B); }",
	 0, 5, 0},
	{"two results of a loop of the graph",
	 "fn two(a) { var b = a; var c = 2.0 * a; for k in 0..9 { b = 0.1 * (b @ a); c = c @ a * 0.1 + k; } return (b, c); "
	 "}\n" WIDE "let (b, c) = two(a); print(sum(b) + sum(c)); print(max(b)); print(max(c)); }",
	 0, 5, 512},
	{"one of two results of a loop of the graph, and then both",
	 "fn two(a) { var b = a; var c = 2.0 * a; for k in 0..9 { b = 0.1 * (b @ a); c = (c + b) @ a * 0.1 + k; } return (b, "
	 "c); }\n" WIDE "let (b, c) = two(a); print(sum(b)); print(max(b) + max(c)); print(min(c)); }",
	 0, 6, 256},
	{"of a batch, in front of a loop that takes none, and behind it",
	 "import std.data;\n" HEAD
	 "main { let d = data.npy(\"x.npy\") as f32[_, 16]; for (x) in data.batches(d, size = 16) { let c = transpose(x) @ x; "
	 "var v = ones([16]); for i in 0..3 { let u = c @ v; v = u / norm(u); } print(v[0], max(c)); } }",
	 2, 1, 256},
	{"loops of the graph of as many turns",
	 "fn powers(a, n) { var b = a; for k in 0..n { b = 0.5 * (b @ a) + k; } return b; }\n" WIDE
	 "print(sum(powers(a, 9))); print(max(powers(a, 8))); }",
	 0, 5, 0},
	{"loops of the graph whose nodes are listed in another order",
	 "fn root(a) { var l = zeros([16, 16]); for j in 0..16 { let c = a[j] - l @ l[j]; l[.., j] = c / sqrt(c[j]); } return "
	 "l; }\n" WIDE "let b = root(a @ transpose(a) + 16.0 * eye(16)); print(sum(b)); print(max(b)); }",
	 0, 4, 256},
	{"no turn", HEAD "main { " DRAW "let b = a @ a; for i in 0..0 { print(step(b)); } print(sum(b)); }", 3, 5, 16},
};

static struct session *begin(const char *source, struct program **p)
{
	struct session *s = session_new();
	const char *build = getenv("BUILD_DIR");
	s->options.stdlib_path = arena_printf(s->arena, "%s/stdlib", build ? build : ".");
	*p = host_run_elaborate(s, source, ELABORATE_MAIN);
	ck_assert_msg(*p && !s->errors, "%s", source);
	compiler_simplify(*p);
	compiler_layout(*p);
	compiler_simplify(*p);
	ck_assert_msg(!s->errors, "%s", source);
	return s;
}

static const char *printed(struct program *p)
{
	struct host_run r;
	host_run_init(&r, p);
	host_run_function(&r, p->init);
	host_run_function(&r, p->main);
	return text_get(&r.printed);
}

/* A draw, or a sum of four terms or more. */
static bool counts(const struct node *n)
{
	if (n->kind != NODE_MAP)
		return false;
	return rule_flops(n->rule) >= 4 * shape_volume(&n->shape) &&
	       (n->rule->combiner == COMBINE_SUM || !n->nin || n->in[0]->dtype == DT_U64);
}

static int heavy_in(const struct program *p, const struct host_stmt *first, bool in_loop, bool wanted)
{
	int found = 0;
	for (const struct host_stmt *s = first; s; s = s->next) {
		const struct graph *g = s->kind == HOST_REGION ? p->regions.at[s->region]->graph : NULL;
		for (int i = 0; g && in_loop == wanted && i < g->nodes.n; i++)
			found += counts(g->nodes.at[i]);
		/* the innermost loop: there is none in its body */
		bool inner = s->kind == HOST_WHILE;
		for (const struct host_stmt *b = s->body; b; b = b->next)
			inner = inner && b->kind != HOST_WHILE;
		found += heavy_in(p, s->body, in_loop || inner, wanted) +
			 heavy_in(p, s->other, in_loop || inner, wanted);
	}
	return found;
}

START_TEST(what_is_the_same_is_computed_once)
{
	struct program *plain, *hoisted;
	struct session *s = begin(rows[_i].source, &plain), *t = begin(rows[_i].source, &hoisted);
	compiler_hoist(hoisted);
	for (int i = 0; i < hoisted->regions.n; i++) {
		const char *wrong = graph_verify(hoisted->regions.at[i]->graph);
		ck_assert_msg(!wrong, "%s: %s", rows[_i].what, wrong);
	}
	ck_assert_ptr_null(host_verify(t->arena, hoisted->main));
	ck_assert_int_eq(heavy_in(hoisted, hoisted->main->body, false, true), rows[_i].loop);
	ck_assert_int_eq(heavy_in(hoisted, hoisted->main->body, false, false), rows[_i].before);
	int64_t kept = 0;
	for (int i = plain->slots.n; i < hoisted->slots.n; i++)
		kept += shape_volume(&hoisted->slots.at[i]->shape);
	ck_assert_int_eq(kept, rows[_i].kept);
	ck_assert_str_eq(printed(plain), printed(hoisted));
	session_free(s);
	session_free(t);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "hoist");
	tcase_add_loop_test(t, what_is_the_same_is_computed_once, 0, (int)(sizeof rows / sizeof *rows));
	return suite_end(s);
}
