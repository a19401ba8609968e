/* test_lang_habit.c — every row of habit.def, written into a program, is answered with what the row says. */
#include "check/names.h"
#include "compiler.h"
#include "habit.h"
#include "lang.h"
#include "suite.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	enum habit_where where;
	const char *word, *here;
} rows[] = {
#define HABIT(where, word, here) {HABIT_##where, word, here},
#include "habit.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

/* A program in which the word is met in this position. */
static const char *program_with(struct session *s, enum habit_where where, const char *word)
{
	size_t n = strlen(word);
	switch (where) {
	case HABIT_NAME:
		return arena_printf(s->arena, "main { print(%s(3)); }\n", word);
	case HABIT_MEMBER:
		return arena_printf(s->arena, "import std.nn;\nmain { print(nn.%s(3)); }\n", word);
	case HABIT_FIELD:
		return arena_printf(s->arena, "main { let x = ones([3]); print(x.%s); }\n", word);
	case HABIT_ARGUMENT:
		return arena_printf(s->arena, "fn f(x) { return x; }\nmain { print(f(3, %s = 1)); }\n", word);
	case HABIT_SURPLUS:
		return arena_printf(s->arena, "main { print(%s(3, 4, 5)); }\n", word);
	case HABIT_TYPE:
		return arena_printf(s->arena, "fn f(x: %s[3]) { return x; }\n", word);
	case HABIT_MODULE:
		return arena_printf(s->arena, "import %s;\n", word);
	case HABIT_BEHIND:
		if (word[n - 1] == '"')
			return arena_printf(s->arena, "main { print(%s%sa\"); }\n", word,
					    n == 2 && *word == '"' ? "\"" : "");
		if (!isalpha((unsigned char)*word))
			return arena_printf(s->arena, "main { let y = 3 %s 4; }\n", word);
		return arena_printf(s->arena, "main { if %s x { } }\n", word);
	case HABIT_AT:
		return arena_printf(s->arena, "main { let y = x %s z; }\n", word);
	case HABIT_LAYOUT:
		return arena_printf(s->arena, "place p = ranks(0..2);\nmain { let x = ones([4]) to @p : %s; }\n", word);
	case HABIT_SIGN:
		return arena_printf(s->arena, "main { let y = 3 %s 4;\n}\n", word);
	}
	return "";
}

static bool says(const struct diag *d, const char *here)
{
	for (int i = 0; i < d->notes.n; i++)
		if (!strcmp(d->notes.at[i], here))
			return true;
	for (int i = 0; i < d->helps.n; i++)
		if (!strcmp(d->helps.at[i].text, here))
			return true;
	return false;
}

START_TEST(every_habit_is_told_once_and_in_its_words)
{
	struct session *s = session_new();
	const char *build = getenv("BUILD_DIR"), *here = rows[_i].here;
	s->options.stdlib_path = arena_printf(s->arena, "%s/stdlib", build ? build : ".");
	const char *text = program_with(s, rows[_i].where, rows[_i].word);
	struct program_ast *ast = lang_load_text(s, "habit.pml", text, strlen(text));
	if (ast && !s->errors)
		compiler_elaborate(ast, ELABORATE_MAIN);
	if (rows[_i].where == HABIT_TYPE)
		here = arena_printf(s->arena, "did you mean `%s`?", here);
	ck_assert_msg(s->diags.n == 1, "%d messages about: %s", (int)s->diags.n, text);
	ck_assert_msg(says(s->diags.at[0], here), "`%s` is not said of: %s", here, text);
	session_free(s);
}
END_TEST

/* Whether a word in front of a bracket is a function of the library, or one that the row is about (`f(x)`). */
static bool is_function(const struct program_ast *ast, const char *word)
{
	static const char *const own[] = {"f", "ranks", "S", "rng", "microbatch", "step"};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (!strcmp(own[i], word))
			return true;
	for (int m = 0; m < ast->modules.n; m++)
		if (map_get(&ast->modules.at[m]->scope, intern(ast->session->names, word)))
			return true;
	return scope_is_builtin(word);
}

START_TEST(what_a_row_tells_to_call_is_there)
{
	static const char library[] =
		"import std.nn;\nimport std.loss;\nimport std.optim;\nimport std.data;\nimport std.parallel;\n"
		"import std.minimize;\nimport std.ode;\nimport std.windows;\nimport std.boxes;\nimport "
		"std.linalg;\nimport std.fft;\nimport std.special;\nimport std.distributions;\n";
	struct session *s = session_new();
	const char *build = getenv("BUILD_DIR");
	s->options.stdlib_path = arena_printf(s->arena, "%s/stdlib", build ? build : ".");
	struct program_ast *ast = lang_load_text(s, "habit.pml", library, strlen(library));
	for (int i = 0; i < ROWS; i++)
		for (const char *at = strchr(rows[i].here, '('); at; at = strchr(at + 1, '(')) {
			const char *begin = at;
			while (begin > rows[i].here && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
				begin--;
			const char *word = arena_strndup(s->arena, begin, (size_t)(at - begin));
			if (*word && !is_function(ast, word))
				ck_abort_msg("`%s`: there is no function `%s`", rows[i].word, word);
		}
	session_free(s);
}
END_TEST

START_TEST(a_word_is_looked_up_where_it_is_met)
{
	ck_assert_ptr_nonnull(habit_here(HABIT_NAME, "einsum"));
	ck_assert_ptr_eq(habit_here(HABIT_FIELD, "einsum"), habit_here(HABIT_NAME, "einsum"));
	ck_assert_ptr_eq(habit_here(HABIT_MEMBER, "einsum"), habit_here(HABIT_NAME, "einsum"));
	ck_assert_ptr_eq(habit_here(HABIT_NAME, "Module"), habit_here(HABIT_MEMBER, "Module"));
	ck_assert_ptr_null(habit_here(HABIT_NAME, "t")); /* a field alone: everybody has a variable of this name */
	ck_assert_ptr_null(habit_here(HABIT_ARGUMENT, "einsum"));
	for (int i = 0; i < ROWS; i++)
		ck_assert_msg(!strcmp(habit_here(rows[i].where, rows[i].word), rows[i].here), "`%s` has two rows",
			      rows[i].word);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "habit");
	tcase_add_loop_test(t, every_habit_is_told_once_and_in_its_words, 0, ROWS);
	tcase_add_test(t, what_a_row_tells_to_call_is_there);
	tcase_add_test(t, a_word_is_looked_up_where_it_is_met);
	return suite_end(suite);
}
