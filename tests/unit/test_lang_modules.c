/* Imports, names and -D options: what a loaded program looks like to the elaborator. */
#define _POSIX_C_SOURCE 200809L
#include "lang.h"
#include "suite.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct session *session;
static char folder[] = "/tmp/pml-test-XXXXXX";

static void setup(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	session = session_new();
}

static const char *path_of(const char *name)
{
	return arena_printf(session->arena, "%s/%s", folder, name);
}

static void remove_folder(void)
{
	char command[100];
	snprintf(command, sizeof command, "rm -r '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

static void teardown(void)
{
	session_free(session);
	remove_folder();
}

static void add_folder(const char *name)
{
	ck_assert_int_eq(mkdir(path_of(name), 0700), 0);
}

static void add_file(const char *name, const char *text)
{
	FILE *f = fopen(path_of(name), "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static struct program_ast *load(const char *text)
{
	add_file("main.pml", text);
	return lang_load(session, path_of("main.pml"));
}

static void expect_codes(const char *wanted)
{
	struct text t;
	text_init(&t, session->arena);
	for (int i = 0; i < session->diags.n; i++)
		text_printf(&t, "%s%s", i ? " " : "", diag_code_name(session->diags.at[i]->code));
	ck_assert_str_eq(text_get(&t), wanted);
}

static void define(const char *name, const char *value)
{
	struct define d = {intern(session->names, name), value, false};
	vec_push(session->arena, &session->options.defines, d);
}

static struct item *item_of(struct program_ast *p, const char *name)
{
	struct item *it = map_get(&p->main->scope, intern(session->names, name));
	ck_assert_ptr_nonnull(it);
	return it;
}

START_TEST(modules_come_before_those_that_import_them)
{
	add_file("a.pml", "import b;\nfn f() { b.g(); }\n");
	add_file("b.pml", "fn g() { }\n");
	struct program_ast *p = load("import a;\nimport b;\nmain { a.f(); b.g(); }\n");
	expect_codes("");
	ck_assert_int_eq(p->modules.n, 4);
	ck_assert_str_eq(p->modules.at[0]->name, "prelude");
	ck_assert_str_eq(p->modules.at[1]->name, "b");
	ck_assert_str_eq(p->modules.at[2]->name, "a");
	ck_assert_str_eq(p->modules.at[3]->name, "main");
	ck_assert_ptr_eq(p->main, p->modules.at[3]);
}
END_TEST

START_TEST(modules_are_looked_for_beside_the_file_then_in_I_and_std_in_the_library)
{
	add_folder("inc");
	add_folder("lib");
	add_folder("sub");
	add_file("inc/one.pml", "fn f() { }\n");
	add_file("inc/two.pml", "fn wrong() { }\n");
	add_file("two.pml", "fn f() { }\n");
	add_file("lib/data.pml", "fn f() { }\n");
	add_file("sub/deep.pml", "import near;\nfn f() { near.f(); }\n");
	add_file("sub/near.pml", "fn f() { }\n");
	session->options.stdlib_path = path_of("lib");
	vec_push(session->arena, &session->options.include_paths, path_of("inc"));
	load("import one;\nimport two;\nimport std.data;\nimport sub.deep;\nmain { one.f(); two.f(); data.f(); "
	     "deep.f(); }\n");
	expect_codes("");
}
END_TEST

START_TEST(a_missing_module_says_where_it_was_looked_for)
{
	load("import no.such;\n");
	expect_codes("PML0103");
	ck_assert_ptr_nonnull(strstr(session->diags.at[0]->notes.at[0], "/no/such.pml"));
}
END_TEST

START_TEST(a_circle_of_imports_shows_the_chain)
{
	add_file("a.pml", "import b;\n");
	add_file("b.pml", "import c;\n");
	add_file("c.pml", "import a;\n");
	load("import a;\n");
	expect_codes("PML0104");
	ck_assert_str_eq(session->diags.at[0]->notes.at[0], "`a` imports `b` imports `c` imports `a`");
}
END_TEST

START_TEST(a_file_that_cannot_be_read_is_an_error)
{
	ck_assert_ptr_null(lang_load(session, path_of("nothing.pml")));
	ck_assert_ptr_null(lang_load(session, folder));
	expect_codes("PML0103 PML0103");
	ck_assert_int_eq(session->errors, 2);
}
END_TEST

START_TEST(names_know_the_item_they_refer_to)
{
	add_file("lib.pml", "const K : int = 3;\nstruct S[p: place] { w : f32[3] @ p }\n");
	struct program_ast *p =
		load("import lib;\nconst N : int = lib.K;\nplace g = ranks(0..2);\n"
		     "fn f(N) { return N; }\nfn h(s: lib.S[g], t: f32[N], b: bool, c: bool[N]) { return f(N); }\n");
	expect_codes("");
	struct expr *k = item_of(p, "N")->value;
	ck_assert_ptr_eq(k->item, map_get(&p->modules.at[1]->scope, intern(session->names, "K")));
	ck_assert_int_eq(k->object->item->kind, ITEM_IMPORT);
	ck_assert_ptr_null(item_of(p, "f")->body->body->value->item);
	struct item *h = item_of(p, "h");
	ck_assert_ptr_eq(h->body->body->value->callee->item, item_of(p, "f"));
	ck_assert_ptr_eq(h->body->body->value->args.at[0].value->item, item_of(p, "N"));
	struct type *s = h->params.at[0].type;
	ck_assert_int_eq(s->kind, TYPE_NAMED);
	ck_assert_str_eq(s->item->name.text, "S");
	ck_assert_int_eq(s->args.n, 1);
	ck_assert_int_eq(s->dims.n, 0);
	ck_assert_int_eq(h->params.at[1].type->kind, TYPE_TENSOR);
	ck_assert_int_eq(h->params.at[2].type->kind, TYPE_NAMED);
	ck_assert_int_eq(h->params.at[3].type->kind, TYPE_TENSOR);
}
END_TEST

START_TEST(defines_replace_values_of_consts_and_places)
{
	add_file("lib.pml", "const K : int = 3;\n");
	define("N", "2 * 5");
	define("lib.K", "7");
	define("g", "ranks(0..8) as (dp = 2, tp = 4)");
	struct program_ast *p = load("import lib;\nconst N : int = 1;\nplace g = ranks(0..2);\n");
	expect_codes("");
	ck_assert_int_eq(item_of(p, "N")->value->kind, EXPR_BINARY);
	ck_assert_int_eq(item_of(p, "g")->value->place.axes.n, 2);
	struct item *k = map_get(&p->modules.at[1]->scope, intern(session->names, "K"));
	ck_assert_int_eq(k->value->i, 7);
	for (int i = 0; i < 3; i++)
		ck_assert(session->options.defines.at[i].used);
}
END_TEST

START_TEST(defined_texts_need_no_quotes)
{
	define("a", "1f1b");
	define("b", "\"two words\"");
	define("c", "");
	struct program_ast *p =
		load("const a : string = \"x\";\nconst b : string = \"x\";\nconst c : string = \"x\";\n");
	expect_codes("");
	ck_assert_str_eq(item_of(p, "a")->value->string, "1f1b");
	ck_assert_str_eq(item_of(p, "b")->value->string, "two words");
	ck_assert_str_eq(item_of(p, "c")->value->string, "");
}
END_TEST

START_TEST(defines_that_fit_nothing_are_errors)
{
	define("M", "1");
	define("lr", "1");
	define("N", "1 +");
	load("const N : int = 1;\nconfig lr : f32 = 0.1;\n");
	expect_codes("PML0105 PML0105 PML0106");
	ck_assert_ptr_nonnull(strstr(session->diags.at[1]->helps.at[0].text, "--lr=1"));
}
END_TEST

START_TEST(items_of_a_program_hide_those_of_the_prelude)
{
	struct program_ast *p = load("fn relu(x) { return x; }\nmain { relu(1); matmul(1, 2); }\n");
	expect_codes("");
	struct stmt *first = p->main->items.at[1]->body->body;
	ck_assert_ptr_eq(first->value->callee->item, item_of(p, "relu"));
	ck_assert_ptr_eq(first->next->value->callee->item->module, p->modules.at[0]);
}
END_TEST

static struct item *prelude_item(struct program_ast *p, const char *name)
{
	struct item *it = map_get(&p->modules.at[0]->scope, intern(session->names, name));
	ck_assert_ptr_nonnull(it);
	return it;
}

START_TEST(of_the_library_is_read_what_something_refers_to)
{
	struct program_ast *p = load("fn f(x) { return gelu(x); }\nmain { f(1); }\n");
	expect_codes("");
	ck_assert(!prelude_item(p, "gelu")->waits);
	ck_assert_ptr_nonnull(prelude_item(p, "gelu")->value);
	ck_assert(!prelude_item(p, "normal_cdf")->waits);
	ck_assert(prelude_item(p, "softmax")->waits);
	ck_assert_ptr_eq(lang_item(p, p->modules.at[0], intern(session->names, "softmax")), prelude_item(p, "softmax"));
	ck_assert(!prelude_item(p, "softmax")->waits);
	ck_assert(!prelude_item(p, "exp")->waits);
	ck_assert_ptr_null(lang_item(p, p->modules.at[0], intern(session->names, "softmix")));
}
END_TEST

static const char *print(const struct module *m)
{
	struct text t;
	text_init(&t, session->arena);
	ast_print_module(&t, m);
	for (int i = 0; i < m->items.n; i++)
		text_printf(&t, "%s: %s\n", m->items.at[i]->name.text ? m->items.at[i]->name.text : "",
			    m->items.at[i]->doc ? m->items.at[i]->doc : "no doc");
	return text_get(&t);
}

/* A file of the library read item by item is what it is when it is read as a program. */
static void expect_same(struct program_ast *p, const struct module *m, const char *path)
{
	lang_read_all(p, m);
	struct program_ast *whole = lang_load(session, path);
	expect_codes("");
	const char *a = print(m), *b = print(whole->main);
	size_t same = 0;
	while (a[same] && a[same] == b[same])
		same++;
	ck_assert_msg(!a[same] && !b[same], "%s: %.60s, as a whole %.60s", path, a + same, b + same);
	ck_assert_int_gt(m->items.n, 5);
}

START_TEST(the_library_item_by_item_is_what_it_is_as_a_whole)
{
	session->options.stdlib_path = PML_TEST_SOURCE "/stdlib";
	struct program_ast *p = NULL;
	glob_t files;
	ck_assert_int_eq(glob(PML_TEST_SOURCE "/stdlib/*.pml", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		const char *file = strrchr(files.gl_pathv[i], '/') + 1;
		p = load(arena_printf(session->arena, "import std.%.*s;\nmain { }\n", (int)strcspn(file, "."), file));
		struct module *m = p->main->items.at[0]->target;
		expect_same(p, m, session->sources.at[m->file].path);
	}
	globfree(&files);
	size_t size;
	add_file("prelude.pml", lang_prelude(&size));
	expect_same(p, p->modules.at[0], path_of("prelude.pml"));
}
END_TEST

START_TEST(a_damaged_library_is_an_error_where_it_is_used)
{
	add_folder("lib");
	add_file("lib/odd.pml", "fn good(x) { return x; }\nfn bad(x) { return x +; }\nconst c = 1;\n");
	session->options.stdlib_path = path_of("lib");
	load("import std.odd;\nmain { odd.good(1); odd.good(odd.c); }\n");
	expect_codes("");
	load("import std.odd;\nmain { odd.good(odd.bad(1)); odd.bad(2); }\n");
	ck_assert_int_eq(session->errors, 1);
}
END_TEST

START_TEST(two_sessions_live_side_by_side)
{
	struct session *other = session_new();
	static const char text[] = "fn f() { return x; }";
	struct program_ast *p = load("fn f() { return 1; }");
	lang_load_text(other, "other.pml", text, strlen(text));
	ck_assert_int_eq(session->errors, 0);
	ck_assert_int_eq(other->errors, 1);
	ck_assert_str_eq(p->main->items.at[0]->name.text, "f");
	session_free(other);
}
END_TEST

static const char expressions[] =
	"place grid = ranks(0..8) as (dp = 2, tp = 4);\n"
	"place some = ranks([0, 2, 4]);\n"
	"place again = grid as (a = 8);\n"
	"fn f[n, t: float, p: place, l: layout](x: t[n, 3] @ p : l, k: int = 3, g = 0) -> (t[n] @ p, i32[n]) {\n"
	"    let a = -x ** 2 * 3 as f32 / 255.0;\n"
	"    let b = if a > 0 && !(a == 1) || false => a else -a;\n"
	"    let c = a[1..3, .., 0] + a[..2] - a[1..];\n"
	"    let d = x to @grid[tp=0] : (dp=S(0)) to B;\n"
	"    let e = (a, b, (c, d));\n"
	"    let h = [1, 2, 3,];\n"
	"    let i = microbatch(4) { let q = a; q + 1 };\n"
	"    let j = remat { f(a) } + mixed P { f(a) };\n"
	"    let m = sum[k2, l2] a[k2, l2] * 2 + 1;\n"
	"    var o : f32[n] @ p : B = 0.0;\n"
	"    o += 1; o -= 1; o *= 2; o /= 2;\n"
	"    while k < 3 { every 10 { log(loss = a); } }\n"
	"    if k == 1 { return a; } else if k == 2 { return b; } else { return c; }\n"
	"    each (w, dw) in g { w -= 0.1 * dw; }\n"
	"    let r = value_and_grad(f, grads : (dp=S(0)))(x);\n"
	"    let s = x to : S(1);\n"
	"    let u = x to @p : auto;\n"
	"    return f(x, k = 3, g = d,);\n"
	"}\n";

static const char soft_words[] =
	"fn f(test, main, state, op, place, param, config, like, using, remat, microbatch, mixed, ranks) {\n"
	"    let sum = [1, 2];\n"
	"    let max = sum[0] + test + main + mixed(test);\n"
	"    let k = 0;\n"
	"    let y = sum[k] + 1;\n"
	"    let z = max * sum[k];\n"
	"    let total = sum[k] as f32;\n"
	"    return state + op + place.test + y;\n"
	"}\n"
	"test \"words are names where no item begins\" { print(f); }\n";

START_TEST(every_form_of_the_language_is_accepted)
{
	load(expressions);
	expect_codes("");
}
END_TEST

START_TEST(words_are_names_where_no_item_begins)
{
	load(soft_words);
	expect_codes("");
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *tests = suite_begin(&suite, "modules and names");
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, modules_come_before_those_that_import_them);
	tcase_add_test(tests, modules_are_looked_for_beside_the_file_then_in_I_and_std_in_the_library);
	tcase_add_test(tests, a_missing_module_says_where_it_was_looked_for);
	tcase_add_test(tests, a_circle_of_imports_shows_the_chain);
	tcase_add_test(tests, a_file_that_cannot_be_read_is_an_error);
	tcase_add_test(tests, names_know_the_item_they_refer_to);
	tcase_add_test(tests, defines_replace_values_of_consts_and_places);
	tcase_add_test(tests, defined_texts_need_no_quotes);
	tcase_add_test(tests, defines_that_fit_nothing_are_errors);
	tcase_add_test(tests, items_of_a_program_hide_those_of_the_prelude);
	tcase_add_test(tests, of_the_library_is_read_what_something_refers_to);
	tcase_add_test(tests, the_library_item_by_item_is_what_it_is_as_a_whole);
	tcase_add_test(tests, a_damaged_library_is_an_error_where_it_is_used);
	tcase_add_test(tests, every_form_of_the_language_is_accepted);
	tcase_add_test(tests, words_are_names_where_no_item_begins);
	tcase_add_test(tests, two_sessions_live_side_by_side);
	return suite_end(suite);
}
