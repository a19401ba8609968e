/* test_hoist.c — what main computes in front of a loop of the host is computed once, and whatever is hoisted, programs
 * print what they print without. */
#include "host_run.h"
#include "suite.h"

#include <string.h>

#define HEAD \
	"param w : f32[4] = full(0.5);\nstate s : f32[4] = zeros();\n" \
	"fn f(b) { return mean(square(b @ w - 1.0)); }\n" \
	"fn step(b) { let (l, g) = value_and_grad(f)(b); w -= 0.1 * g.w; return l; }\n"
#define DRAW "let a = normal(rng(1), [4, 4]);\n"

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
	{"no turn", HEAD "main { " DRAW "let b = a @ a; for i in 0..0 { print(step(b)); } print(sum(b)); }", 3, 5, 16},
};

static struct session *begin(const char *source, struct program **p)
{
	struct session *s = session_new();
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

START_TEST(what_main_computes_in_front_of_a_loop_is_computed_once)
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
	tcase_add_loop_test(t, what_main_computes_in_front_of_a_loop_is_computed_once, 0,
			    (int)(sizeof rows / sizeof *rows));
	return suite_end(s);
}
