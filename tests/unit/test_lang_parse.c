/* The grammar: how operators bind, what words mean where, and that what is printed reads back. */
#include "lang.h"
#include "parse.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

static struct session *session;

static void setup(void)
{
	session = session_new();
}

static void teardown(void)
{
	session_free(session);
}

static struct expr *parse(const char *text)
{
	return ast_parse_expr(session, session_add_source(session, "expr", text, strlen(text)));
}

static struct module *parse_module(const char *text)
{
	return module_parse(session, "test", session_add_source(session, "test.pml", text, strlen(text)));
}

static const char *printed(const struct expr *e)
{
	struct text t;
	text_init(&t, session->arena);
	ast_print_expr(&t, e);
	return text_get(&t);
}

/* Prints with every operation in parentheses would be clearer to read, but needs a second printer: two texts mean the
 * same when they print the same. */
static void same(const char *a, const char *b)
{
	struct expr *x = parse(a), *y = parse(b);
	ck_assert_msg(x && y, "`%s` or `%s` does not parse", a, b);
	ck_assert_str_eq(printed(x), printed(y));
}

static void differ(const char *a, const char *b)
{
	struct expr *x = parse(a), *y = parse(b);
	ck_assert_msg(x && y, "`%s` or `%s` does not parse", a, b);
	ck_assert_str_ne(printed(x), printed(y));
}

START_TEST(operators_bind_as_documented)
{
	same("x + y to B", "(x + y) to B");
	same("a * b + c", "(a * b) + c");
	differ("a * b + c", "a * (b + c)");
	same("a - b - c", "(a - b) - c");
	differ("a - b - c", "a - (b - c)");
	same("-x ** 2", "-(x ** 2)");
	differ("-x ** 2", "(-x) ** 2");
	same("-x * y", "(-x) * y");
	same("a ** b ** c", "a ** (b ** c)");
	same("image as f32 / 255.0", "(image as f32) / 255.0");
	same("-x as f32", "-(x as f32)");
	same("x @ w1 + c1", "(x @ w1) + c1");
	same("a || b && c", "a || (b && c)");
	same("a && b == c", "a && (b == c)");
	same("!a == b", "(!a) == b");
	same("0..L / 2", "0..(L / 2)");
	same("a + b..c", "(a + b)..c");
	same("f(x)[0].y(z)", "((f(x))[0].y)(z)");
	same("if c => a else b to B", "(if c => a else b) to B");
	same("if c => a to B else b", "if c => (a to B) else b");
	same("if a => b else if c => d else e", "if a => b else (if c => d else e)");
	same("x to @p : S(0) to B", "(x to @p : S(0)) to B");
	same("x ** -y * z", "(x ** (-y)) * z");
}
END_TEST

START_TEST(the_body_of_a_reduction_takes_sums_and_products_to_its_right)
{
	same("sum[k] a * b", "sum[k] (a * b)");
	same("sum[k] a * b + c", "sum[k] (a * b + c)");
	differ("sum[k] a + c", "(sum[k] a) + c");
	same("sum[k] a < b", "(sum[k] a) < b");
	same("x * sum[k] a + c", "x * (sum[k] (a + c))");
	same("sum[k] a to B", "(sum[k] a) to B");
	same("sum[i] max[j] a + b", "sum[i] (max[j] (a + b))");
	ck_assert_int_eq(parse("sum[c, p] x[n, c] * w")->reduce.factors.n, 2);
}
END_TEST

START_TEST(a_variable_called_like_a_combiner_can_be_indexed)
{
	ck_assert_int_eq(parse("sum[k]")->kind, EXPR_INDEX);
	ck_assert_int_eq(parse("sum[k] + 1")->kind, EXPR_BINARY);
	ck_assert_int_eq(parse("max[i] as f32")->kind, EXPR_AS);
	ck_assert_int_eq(parse("max[i] to B")->kind, EXPR_TO);
	ck_assert_int_eq(parse("sum[0] * x")->kind, EXPR_BINARY);
	ck_assert_int_eq(parse("sum(x)")->kind, EXPR_CALL);
	ck_assert_int_eq(parse("sum[k] != 0")->kind, EXPR_BINARY);
	ck_assert_int_eq(parse("sum [ k , l ] // note\n (x)")->kind, EXPR_REDUCE);
	ck_assert_int_eq(parse("argmax[k] -x")->kind, EXPR_REDUCE);
	same("(sum[k])(x)", "((sum[k]))(x)");
	ck_assert_int_eq(parse(printed(parse("(sum[k])(x)")))->kind, EXPR_CALL);
}
END_TEST

START_TEST(numbers_are_read_exactly)
{
	ck_assert_int_eq(parse("9223372036854775807")->i, INT64_MAX);
	ck_assert_int_eq(parse("0x7f_ff")->i, 0x7fff);
	ck_assert_int_eq(parse("1_000")->i, 1000);
	ck_assert_double_eq(parse("1e-5")->f, 1e-5);
	ck_assert_double_eq(parse("0.1")->f, 0.1);
	ck_assert_int_eq(parse("0..3")->kind, EXPR_RANGE);
	ck_assert_int_eq(parse("0..3")->lhs->kind, EXPR_INT);
	ck_assert_double_eq(parse(printed(parse("0.30000000000000004")))->f, 0.30000000000000004);
	ck_assert_int_eq(parse(printed(parse("1e22")))->kind, EXPR_FLOAT);
	ck_assert_int_eq(parse(printed(parse("3.0")))->kind, EXPR_FLOAT);
}
END_TEST

START_TEST(strings_hold_their_escapes)
{
	ck_assert_str_eq(parse("\"a\\n\\t\\\\\\\"\\x41\"")->string, "a\n\t\\\"A");
	ck_assert_str_eq(parse(printed(parse("\"a\\n\\x01\\\"\"")))->string, "a\n\x01\"");
}
END_TEST

START_TEST(spans_cover_what_was_written)
{
	struct expr *e = parse("  f(x, y) + z");
	ck_assert_uint_eq(e->span.begin, 2);
	ck_assert_uint_eq(e->span.end, 13);
	ck_assert_uint_eq(e->lhs->span.end, 9);
	e = parse("(a + b) to @p : S(0)");
	ck_assert_uint_eq(e->span.begin, 0);
	ck_assert_uint_eq(e->span.end, 20);
	ck_assert_uint_eq(e->to.layout->span.begin, 16);
}
END_TEST

START_TEST(placements_and_layouts_are_read)
{
	struct expr *e = parse("ranks(0..8) as (dp = 2, tp = 4)");
	ck_assert_int_eq(e->kind, EXPR_PLACE);
	ck_assert_int_eq(e->place.ranks->kind, EXPR_RANGE);
	ck_assert_int_eq(e->place.axes.n, 2);
	ck_assert_str_eq(e->place.axes.at[1].name.text, "tp");
	ck_assert_int_eq(parse("ranks([0, 2, 4])")->place.ranks->kind, EXPR_LIST);
	ck_assert_int_eq(parse("ranks(0, 2, 4)")->place.ranks->items.n, 3);
	e = parse("x to (dp=S(1), tp=P(max))");
	ck_assert(e->to.layout->named_axes);
	ck_assert_int_eq(e->to.layout->atoms.at[0].form, ATOM_SPLIT);
	ck_assert_int_eq(e->to.layout->atoms.at[1].form, ATOM_PARTIAL);
	ck_assert_str_eq(e->to.layout->atoms.at[1].combiner.text, "max");
	ck_assert_int_eq(parse("x to @grid[pp=0]")->to.placement->kind, EXPR_INDEX);
	ck_assert_int_eq(parse("x to auto")->to.layout->atoms.at[0].form, ATOM_AUTO);
	ck_assert_int_eq(parse("f(x, grads : (dp=S(0)))")->args.at[1].layout->atoms.n, 1);
}
END_TEST

START_TEST(doc_comments_belong_to_the_item_below_or_before)
{
	struct module *m = parse_module("/// first line\n"
					"///second line\n"
					"config a : int = 3;\n"
					"config b : int = 3;   /// behind\n"
					"config c : int = 3;   // no doc\n"
					"//// neither\n"
					"config d : int = 3;\n"
					"struct S {\n"
					"    /// above\n"
					"    x : f32,\n"
					"    y : f32,   /// of y\n"
					"}\n");
	ck_assert_int_eq(session->errors, 0);
	ck_assert_str_eq(m->items.at[0]->doc, "first line\nsecond line");
	ck_assert_str_eq(m->items.at[1]->doc, "behind");
	ck_assert_ptr_null(m->items.at[2]->doc);
	ck_assert_ptr_null(m->items.at[3]->doc);
	ck_assert_str_eq(m->items.at[4]->params.at[0].doc, "above");
	ck_assert_str_eq(m->items.at[4]->params.at[1].doc, "of y");
}
END_TEST

static const char *const programs[] = {
	"import std.data;\nconst N : int = 3;\nconfig lr : f32 = 0.1;\nplace g = ranks(0..2);\n"
	"param w : f32[N, 3] @ g : S(0) = normal(std = 0.05);\nparam b : [N / 2] Block[g[pp = 0]];\n"
	"state m : f32[] @ g = zeros();\n",
	"op f(a[.., m, k], b[k, n], by: float = 2.0) -> [.., m, n]: i32 = sum[k] a * b using gemm;\n"
	"op g[n](x[2 * y + p, _], i[..]: int) -> [] = x[i, -y];\n",
	"fn f[n, t: float, p: place, ..](x: t[n, _] @ p : (dp=S(0), tp=P(sum)), k: int = 3, y) -> (t[n], i32) { return "
	"(x, k); }\n",
	"main { var x = 1; x += 2; for (a, b) in c { } each (p, d) in g { state v : like p = zeros(); state w : like d "
	"as f32 = zeros(); p -= v; } "
	"if a { } else if b { f(); } else { g(); } while x < 3 { every 10 { log(l = x); } } { let y : f32 = 3.0; } "
	"remat every 2 * n for i in 0..n { } remat every 3 while x < 3 { } let remat = 1; remat = remat + 1; "
	"return; }\n",
	"main { let q[c, .., k] = sum[d] a[.., d] * w[d, 1.., ..2, 0..3]; let r = microbatch(8) { let z = q; z } + "
	"remat { f(x) } + mixed bf16 { f(x) }; "
	"let y = microbatch(auto, schedule = auto, hold = 2) { remat(auto) { z } + remat(deep && x > 1) { z } }; "
	"let (s, (t, _)) = (x,); let u = [1, 2.5, \"s\", true]; let v = (sum[k])(x); let w2 = (ranks)(3); }\n",
	"/// a doc\n/// of two lines\nfn f(\n    /// of x\n    x: f32,\n) { }\ntest \"a \\\"title\\\"\" { }\n",
	"fn f(x: lib.Block[n, grid[a = 0, b = 1]], y: [3] [4] T, z: (f32[n] @ p, T) : B) { state s : [2] f32 @ p = x "
	"as [n, 784]; }\n",
};

START_TEST(printed_programs_read_back_as_the_same)
{
	struct text once, twice;
	text_init(&once, session->arena);
	text_init(&twice, session->arena);
	ast_print_module(&once, parse_module(programs[_i]));
	ck_assert_msg(session->errors == 0, "program %d has errors", _i);
	ast_print_module(&twice, parse_module(text_get(&once)));
	ck_assert_msg(session->errors == 0, "the printed program has errors:\n%s", text_get(&once));
	ck_assert_str_eq(text_get(&once), text_get(&twice));
}
END_TEST

/* One of a line: what is read behind a mistake is often none. */
START_TEST(every_line_with_an_error_is_reported)
{
	parse_module("fn f(x { }\nmain {\nlet = 3;\nlet a = (1 + );\nprint(1) print(2);\n}\nparam w = 3;\n");
	ck_assert_int_eq(session->errors, 5);
}
END_TEST

START_TEST(items_after_an_error_are_kept)
{
	struct module *m = parse_module("fn f(x y) { let z = 1; z; }\nconst N : int = 3;\nfn g() { }\n");
	ck_assert_int_eq(session->errors, 1);
	ck_assert_str_eq(m->items.at[m->items.n - 1]->name.text, "g");
	ck_assert_str_eq(m->items.at[m->items.n - 2]->name.text, "N");
}
END_TEST

static const struct {
	const char *source, *hint;
} habits[] = {
	{"main { if x = 3 { } }", "write `==`"},
	{"main { int x = 3; }", "`let x : int = ...;`"},
	{"main { let mut x = 3; }", "`var`"},
	{"def f(x) { }", "`fn`"},
	{"main { i++; }", "`+= 1`"},
	{"main { let a = b and c; }", "`&&`"},
	{"main { let a = not b; }", "write `!`"},
	{"main { if x { } elif y { } }", "`else if`"},
	{"main { print \"x\"; }", "`print(...)`"},
	{"main { let a = x[1:3]; }", "`1..3`"},
	{"main { let a = if x { 1 } else { 2 }; }", "`if condition => a else b`"},
	{"main { let x : f32[3]; }", "gets a value"},
	{"main { while (x) y(); }", "braces"},
	{"main { if (x) y(); }", "braces"},
	{"main { print(2 * x for x in y); }", "`xs = xs + [x];`"},
	{"place g = ranks(0..4) as (2, 2);", "`as (dp = 2, tp = 4)`"},
	{"main { for t in range(40): y(); }", "`0..n`"},
	{"main { for i, x in xs { } }", "`for (i, ...) in ...`"},
	{"main { let a = x to B + y; }", "parentheses"},
	{"param w : f32[3] : dp=S(0) = f();", "`(dp=S(0))`"},
	{"let x = 3;", "`main { }`"},
	{"main { let a = 0 < b < 3; }", "`a < b && b < c`"},
	{"main { let a = b ? c : d; }", "`if condition => a else b`"},
	{"# comment\nmain { }", "`//`"},
	{"main { let a = 1.5f; }", "no suffix"},
};

START_TEST(habits_from_other_languages_get_a_hint)
{
	parse_module(habits[_i].source);
	ck_assert_int_ge(session->diags.n, 1);
	const struct diag *d = session->diags.at[0];
	const char *hint = d->helps.n ? d->helps.at[0].text : d->notes.n ? d->notes.at[0] : "";
	ck_assert_msg(strstr(hint, habits[_i].hint), "%s: %s, hint: %s", habits[_i].source, d->message, hint);
}
END_TEST

/* prefix, then n times piece, then suffix */
static const char *repeated(const char *prefix, const char *piece, int n, const char *suffix)
{
	struct text t;
	text_init(&t, session->arena);
	text_add(&t, prefix);
	for (int i = 0; i < n; i++)
		text_add(&t, piece);
	text_add(&t, suffix);
	return text_get(&t);
}

START_TEST(deep_nesting_is_an_error_and_never_a_crash)
{
	static const char *const pieces[] = {"(",
					     "[",
					     "f(",
					     "x[",
					     "-",
					     "!",
					     "x ** ",
					     "{",
					     "if x { } else ",
					     "if x => 1 else ",
					     "sum[k] ",
					     "remat { ",
					     "[3] ",
					     "(f32, ",
					     "x as [",
					     "a.",
					     "x to @p["};
	int n = suite_count(100000, 100000, 30000);
	parse_module(repeated("fn f() { let x = ", pieces[_i], n, "1; }"));
	ck_assert_int_ge(session->errors, 1);
	parse_module(repeated("param w : ", pieces[_i], n, "f32;"));
	parse_module(repeated("fn f() { ", pieces[_i], n, "1; }"));
	parse_module(repeated("fn f() { let x = 1", ".a", n, "; }"));
	parse_module(repeated("fn f() { let x = 1", " to B", n, "; }"));
}
END_TEST

START_TEST(long_lists_are_no_nesting)
{
	parse_module(repeated("fn f() { let x = [", "1, ", 100000, "1]; }"));
	parse_module(repeated("fn f() { ", "let x = 1; ", 100000, "}"));
	parse_module(repeated("", "const N : int = 1;\n", 100000, ""));
	struct module *m = parse_module(repeated("const N : int = ", "1 - ", 100000, "1;"));
	ck_assert_int_eq(session->errors, 0);
	struct text t;
	text_init(&t, session->arena);
	ast_print_expr(&t, m->items.at[0]->value);
	ck_assert_str_eq(text_get(&t), repeated("", "1 - ", 100000, "1"));
}
END_TEST

START_TEST(tokens_are_listed_with_their_places)
{
	struct text t;
	text_init(&t, session->arena);
	const char *source = "let test = 0..n; /// doc\n";
	lang_print_tokens(session, session_add_source(session, "t.pml", source, strlen(source)), &t);
	ck_assert_str_eq(text_get(&t),
			 "1:1\t`let`\tlet\n1:5\ta name\ttest\n1:10\t`=`\t=\n1:12\tan integer\t0\n1:13\t`..`\t..\n"
			 "1:15\ta name\tn\n1:16\t`;`\t;\n");
}
END_TEST

START_TEST(the_grammar_is_printed_without_actions)
{
	const char *grammar = lang_grammar();
	ck_assert_ptr_nonnull(strstr(grammar, ": FOR pattern IN expr block"));
	ck_assert_ptr_nonnull(strstr(grammar, ": '{' stmts '}'"));
	ck_assert_ptr_null(strstr(grammar, "build_"));
	ck_assert_ptr_null(strstr(grammar, "$$"));
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *tests = suite_begin(&suite, "grammar");
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, operators_bind_as_documented);
	tcase_add_test(tests, the_body_of_a_reduction_takes_sums_and_products_to_its_right);
	tcase_add_test(tests, a_variable_called_like_a_combiner_can_be_indexed);
	tcase_add_test(tests, numbers_are_read_exactly);
	tcase_add_test(tests, strings_hold_their_escapes);
	tcase_add_test(tests, spans_cover_what_was_written);
	tcase_add_test(tests, placements_and_layouts_are_read);
	tcase_add_test(tests, doc_comments_belong_to_the_item_below_or_before);
	tcase_add_loop_test(tests, printed_programs_read_back_as_the_same, 0, sizeof programs / sizeof *programs);
	tcase_add_test(tests, every_line_with_an_error_is_reported);
	tcase_add_loop_test(tests, habits_from_other_languages_get_a_hint, 0, sizeof habits / sizeof *habits);
	tcase_add_test(tests, items_after_an_error_are_kept);
	tcase_add_loop_test(tests, deep_nesting_is_an_error_and_never_a_crash, 0, 17);
	tcase_add_test(tests, long_lists_are_no_nesting);
	tcase_add_test(tests, tokens_are_listed_with_their_places);
	tcase_add_test(tests, the_grammar_is_printed_without_actions);
	return suite_end(suite);
}
