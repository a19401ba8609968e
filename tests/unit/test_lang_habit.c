/* test_lang_habit.c — every row of habit.def, written into a program, is answered with what the row says. */
#include "compiler.h"
#include "habit.h"
#include "lang.h"
#include "suite.h"

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
	case HABIT_TYPE:
		return arena_printf(s->arena, "fn f(x: %s[3]) { return x; }\n", word);
	case HABIT_MODULE:
		return arena_printf(s->arena, "import %s;\n", word);
	case HABIT_BEHIND:
		if (word[n - 1] == '"')
			return arena_printf(s->arena, "main { print(%s%sa\"); }\n", word,
					    n == 2 && *word == '"' ? "\"" : "");
		return arena_printf(s->arena, "main { if %s x { } }\n", word);
	case HABIT_AT:
		return arena_printf(s->arena, "main { let y = x %s z; }\n", word);
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

START_TEST(a_word_is_looked_up_where_it_is_met)
{
	ck_assert_ptr_nonnull(habit_here(HABIT_NAME, "einsum"));
	ck_assert_ptr_null(habit_here(HABIT_FIELD, "einsum"));
	for (int i = 0; i < ROWS; i++)
		ck_assert_msg(habit_here(rows[i].where, rows[i].word) == rows[i].here, "`%s` has two rows",
			      rows[i].word);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "habit", 20);
	tcase_add_loop_test(t, every_habit_is_told_once_and_in_its_words, 0, ROWS);
	tcase_add_test(t, a_word_is_looked_up_where_it_is_met);
	return suite_end(suite);
}
