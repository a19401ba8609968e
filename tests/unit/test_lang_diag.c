/* Messages as people, editors and tests see them: the exact text of every form. */
#define _POSIX_C_SOURCE 200809L
#include "base/diag.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

static struct session *session;
static uint32_t file;
static const char *source;

static void open_source(const char *text)
{
	session = session_new();
	source = text;
	file = session_add_source(session, "mlp.pml", text, strlen(text));
}

static void close_source(void)
{
	session_free(session);
}

/* The n-th place (from 0) of a piece of the source. */
static struct span find(const char *piece, int n)
{
	const char *at = strstr(source, piece);
	while (n-- > 0)
		at = strstr(at + 1, piece);
	uint32_t begin = (uint32_t)(at - source);
	return (struct span){file, begin, begin + (uint32_t)strlen(piece)};
}

static void expect(const char *wanted)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	diag_flush(session, out);
	fclose(out);
	ck_assert_str_eq(text, wanted);
	free(text);
}

START_TEST(full_form_shows_both_sides_why_and_edits)
{
	open_source("\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
		    "    let y = g @ w2;\n    return relu(y) + c2;\n");
	struct span y = find("y", 1);
	struct diag *d = diag_error(session, PML0001, y, "`y` is an unfinished sum and cannot be used by `relu`");
	diag_primary(d, "f32[64, 10] @ right : P(sum), each rank f32[64, 10]");
	diag_label(d, find("g @ w2", 0), "contracts a dimension that is split over `right`");
	diag_note(d, "relu is not linear: relu(a) + relu(b) is not relu(a + b)");
	diag_help(d, "finish the sum (all-reduce, 2.6 kB sent per rank)");
	diag_edit(d, (struct span){file, y.end, y.end}, " to B");
	diag_help(d, "or keep rows split (reduce-scatter, 1.3 kB sent per rank): `y to S(0)`");
	expect("error[PML0001]: `y` is an unfinished sum and cannot be used by `relu`\n"
	       "  --> mlp.pml:24:17\n"
	       "   |\n"
	       "23 |     let y = g @ w2;\n"
	       "   |             ------ contracts a dimension that is split over `right`\n"
	       "24 |     return relu(y) + c2;\n"
	       "   |                 ^ f32[64, 10] @ right : P(sum), each rank f32[64, 10]\n"
	       "   |\n"
	       "   = note: relu is not linear: relu(a) + relu(b) is not relu(a + b)\n"
	       "help: finish the sum (all-reduce, 2.6 kB sent per rank)\n"
	       "   |\n"
	       "24 |     return relu(y to B) + c2;\n"
	       "   |                   ++++\n"
	       "help: or keep rows split (reduce-scatter, 1.3 kB sent per rank): `y to S(0)`\n\n");
	close_source();
}
END_TEST

START_TEST(labels_of_one_line_hang_below_each_other)
{
	open_source("let z = alpha @ beta;\n");
	struct diag *d = diag_error(session, PML0001, find("@", 0), "sizes differ");
	diag_primary(d, "3 is not 4");
	diag_label(d, find("alpha", 0), "has 3 columns");
	diag_label(d, find("beta", 0), "has 4 rows");
	expect("error[PML0001]: sizes differ\n"
	       " --> mlp.pml:1:15\n"
	       "  |\n"
	       "1 | let z = alpha @ beta;\n"
	       "  |         ----- ^ ---- has 4 rows\n"
	       "  |         |     |\n"
	       "  |         |     3 is not 4\n"
	       "  |         has 3 columns\n\n");
	close_source();
}
END_TEST

START_TEST(labels_of_one_place_share_it)
{
	open_source("x + y;\n");
	struct diag *d = diag_error(session, PML0001, find("x", 0), "bad");
	diag_primary(d, "one");
	diag_label(d, find("x", 0), "two");
	expect("error[PML0001]: bad\n"
	       " --> mlp.pml:1:1\n"
	       "  |\n"
	       "1 | x + y;\n"
	       "  | ^\n"
	       "  | |\n"
	       "  | one\n"
	       "  | two\n\n");
	close_source();
}
END_TEST

START_TEST(distant_lines_are_joined_by_dots)
{
	open_source("one\ntwo\nthree\nfour\nfive\nsix\n");
	struct diag *d = diag_error(session, PML0001, find("six", 0), "bad");
	diag_label(d, find("one", 0), "first");
	diag_label(d, find("four", 0), "second");
	expect("error[PML0001]: bad\n"
	       " --> mlp.pml:6:1\n"
	       "  |\n"
	       "1 | one\n"
	       "  | --- first\n"
	       "...\n"
	       "4 | four\n"
	       "  | ---- second\n"
	       "5 | five\n"
	       "6 | six\n"
	       "  | ^^^\n\n");
	close_source();
}
END_TEST

START_TEST(a_place_of_several_lines_marks_the_first_and_the_last)
{
	open_source("let a = f(\n    1,\n    2,\n    3);\n");
	struct diag *d = diag_error(session, PML0001, find("f(\n    1,\n    2,\n    3)", 0), "bad");
	diag_primary(d, "too many");
	expect("error[PML0001]: bad\n"
	       " --> mlp.pml:1:9\n"
	       "  |\n"
	       "1 | let a = f(\n"
	       "  |         ^^\n"
	       "...\n"
	       "4 |     3);\n"
	       "  |     ^^ too many\n\n");
	close_source();
}
END_TEST

START_TEST(tabs_and_wide_characters_keep_underlines_in_place)
{
	open_source("\tprint(\"日本\", x);\n");
	diag_error(session, PML0001, find("x", 0), "bad");
	expect("error[PML0001]: bad\n"
	       " --> mlp.pml:1:18\n"
	       "  |\n"
	       "1 |     print(\"日本\", x);\n"
	       "  |                   ^\n\n");
	close_source();
}
END_TEST

START_TEST(bytes_that_are_no_text_never_reach_the_terminal)
{
	open_source("a\x1b[31m\xff"
		    "b\n");
	diag_error(session, PML0001, find("b", 0), "bad");
	expect("error[PML0001]: bad\n"
	       " --> mlp.pml:1:8\n"
	       "  |\n"
	       "1 | a\xef\xbf\xbd[31m\xef\xbf\xbd"
	       "b\n"
	       "  |        ^\n\n");
	close_source();
}
END_TEST

START_TEST(long_lines_are_cut_around_the_place)
{
	char line[1001], *text = NULL, *shown;
	size_t size = 0;
	memset(line, 'a', 1000);
	line[1000] = 0;
	line[700] = 'x';
	open_source(line);
	diag_error(session, PML0001, find("x", 0), "bad");
	FILE *out = open_memstream(&text, &size);
	diag_flush(session, out);
	fclose(out);
	shown = strstr(text, "1 | ");
	ck_assert_ptr_nonnull(shown);
	ck_assert(!strncmp(shown + 4, "... ", 4));
	ck_assert_uint_le(strcspn(shown, "\n"), 124);
	char *under = strchr(shown, '\n') + 1;
	ck_assert_int_eq(strchr(under, '^') - under, strchr(shown, 'x') - shown);
	free(text);
	close_source();
}
END_TEST

START_TEST(replaced_and_removed_text_is_previewed)
{
	open_source("if x = y z\n");
	struct diag *d = diag_error(session, PML0001, find("=", 0), "bad");
	diag_help(d, "write");
	diag_edit(d, find(" z", 0), "");
	diag_edit(d, find("=", 0), "==");
	expect("error[PML0001]: bad\n"
	       " --> mlp.pml:1:6\n"
	       "  |\n"
	       "1 | if x = y z\n"
	       "  |      ^\n"
	       "help: write\n"
	       "  |\n"
	       "1 | if x == y z\n"
	       "  |      ~~   -\n\n");
	close_source();
}
END_TEST

START_TEST(a_label_in_another_file_shows_that_file)
{
	open_source("use(x);\n");
	uint32_t other = session_add_source(session, "lib.pml", "\nfn use(y) { }\n", 15);
	struct diag *d = diag_error(session, PML0001, find("x", 0), "bad");
	diag_label(d, (struct span){other, 8, 9}, "declared here");
	expect("error[PML0001]: bad\n"
	       " --> mlp.pml:1:5\n"
	       "  |\n"
	       "1 | use(x);\n"
	       "  |     ^\n"
	       " ::: lib.pml:2:8\n"
	       "  |\n"
	       "2 | fn use(y) { }\n"
	       "  |        - declared here\n\n");
	close_source();
}
END_TEST

START_TEST(a_message_without_place_has_none)
{
	open_source("x");
	struct diag *d = diag_error(session, PML0105, (struct span){0}, "-D N: there is none");
	diag_note(d, "try M");
	expect("error[PML0105]: -D N: there is none\n"
	       "  = note: try M\n\n");
	close_source();
}
END_TEST

START_TEST(a_place_beyond_the_end_is_shown_at_the_end)
{
	open_source("x\n");
	diag_error(session, PML0001, (struct span){file, 2, 2}, "expected more");
	expect("error[PML0001]: expected more\n"
	       " --> mlp.pml:2:1\n"
	       "  |\n"
	       "2 |\n"
	       "  | ^\n\n");
	close_source();
}
END_TEST

START_TEST(messages_come_in_order_of_place_and_equal_ones_once)
{
	open_source("a b c\n");
	session->options.diag_format = DIAG_SHORT;
	diag_error(session, PML0001, find("c", 0), "third");
	diag_error(session, PML0001, find("a", 0), "first");
	diag_error(session, PML0001, find("b", 0), "second");
	diag_error(session, PML0001, find("b", 0), "second");
	diag_error(session, PML0001, find("b", 0), "another");
	expect("mlp.pml:1:1: error[PML0001]: first\n"
	       "mlp.pml:1:3: error[PML0001]: second\n"
	       "mlp.pml:1:3: error[PML0001]: another\n"
	       "mlp.pml:1:5: error[PML0001]: third\n");
	ck_assert_int_eq(session->errors, 5);
	expect("");
	close_source();
}
END_TEST

START_TEST(max_errors_limits_what_is_printed)
{
	open_source("abc\n");
	session->options.max_errors = 1;
	session->options.diag_format = DIAG_SHORT;
	diag_error(session, PML0001, find("a", 0), "one");
	diag_error(session, PML0001, find("b", 0), "two");
	expect("mlp.pml:1:1: error[PML0001]: one\n");
	close_source();
}
END_TEST

START_TEST(json_form_is_one_object_a_line)
{
	open_source("let \"x\"\n");
	session->options.diag_format = DIAG_JSON;
	struct diag *d = diag_error(session, PML0001, find("\"x\"", 0), "bad \"x\"");
	diag_primary(d, "here");
	diag_note(d, "a note");
	diag_help(d, "remove it");
	diag_edit(d, find("\"x\"", 0), "y");
	expect("{\"code\":\"PML0001\",\"severity\":\"error\",\"message\":\"bad "
	       "\\\"x\\\"\",\"file\":\"mlp.pml\",\"line\":1,"
	       "\"column\":5,\"end_line\":1,\"end_column\":8,\"begin\":4,\"end\":7,\"label\":\"here\",\"labels\":[],"
	       "\"notes\":[\"a note\"],\"helps\":[{\"text\":\"remove "
	       "it\",\"edits\":[{\"text\":\"y\",\"file\":\"mlp.pml\","
	       "\"line\":1,\"column\":5,\"end_line\":1,\"end_column\":8,\"begin\":4,\"end\":7}]}]}\n");
	close_source();
}
END_TEST

START_TEST(color_is_used_when_asked_for)
{
	open_source("x\n");
	session->options.color = WHEN_ALWAYS;
	diag_error(session, PML0001, find("x", 0), "bad");
	expect("\033[1;31merror[PML0001]\033[0m\033[1m: bad\033[0m\n"
	       " \033[1;34m-->\033[0m mlp.pml:1:1\n"
	       " \033[1;34m |\033[0m\n"
	       "\033[1;34m1 |\033[0m x\n"
	       "\033[1;34m  | \033[0m\033[1;31m^\033[0m\n\n");
	close_source();
}
END_TEST

START_TEST(the_nearest_name_is_found_and_distant_ones_are_not)
{
	static const char *const names[] = {"forward", "accuracy", "lr", "total"};
	ck_assert_str_eq(diag_nearest("forwrd", names, 4), "forward");
	ck_assert_str_eq(diag_nearest("fowrard", names, 4), "forward");
	ck_assert_str_eq(diag_nearest("acuracyy", names, 4), "accuracy");
	ck_assert_str_eq(diag_nearest("tota", names, 4), "total");
	const char *const optims[] = {"clip_norm", "xavier", "normal"};
	ck_assert_str_eq(diag_nearest("clipped", optims, 3), "clip_norm");
	ck_assert_str_eq(diag_nearest("xavier_uniform", optims, 3), "xavier");
	ck_assert_ptr_null(diag_nearest("clipboard_of_all", optims, 3));
	ck_assert_str_eq(diag_nearest("S", (const char *const[]){"t", "s"}, 2), "s");
	ck_assert_str_eq(diag_nearest("FORWARD", (const char *const[]){"FORWARDS", "forward"}, 2), "forward");
	ck_assert_ptr_null(diag_nearest("xyz", names, 4));
	ck_assert_ptr_null(diag_nearest("q", names, 4));
	ck_assert_ptr_null(diag_nearest("", names, 4));
}
END_TEST

START_TEST(every_code_is_explained_with_a_wrong_and_a_right_program)
{
	for (int code = 0; code < DIAG_COUNT; code++) {
		const char *name = diag_code_name((enum diag_code)code),
			   *story = diag_explanation((enum diag_code)code);
		ck_assert_int_eq(diag_code_of(name), code);
		ck_assert_msg(strlen(diag_title((enum diag_code)code)) > 5, "%s has no title", name);
		ck_assert_msg(strlen(story) > 40, "%s has no explanation", name);
		for (int other = 0; other < code; other++)
			ck_assert_str_ne(name, diag_code_name((enum diag_code)other));
	}
	ck_assert_int_eq(diag_code_of("PML9999"), DIAG_COUNT);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *tests = suite_begin(&suite, "messages");
	tcase_add_test(tests, full_form_shows_both_sides_why_and_edits);
	tcase_add_test(tests, labels_of_one_line_hang_below_each_other);
	tcase_add_test(tests, labels_of_one_place_share_it);
	tcase_add_test(tests, distant_lines_are_joined_by_dots);
	tcase_add_test(tests, a_place_of_several_lines_marks_the_first_and_the_last);
	tcase_add_test(tests, tabs_and_wide_characters_keep_underlines_in_place);
	tcase_add_test(tests, bytes_that_are_no_text_never_reach_the_terminal);
	tcase_add_test(tests, long_lines_are_cut_around_the_place);
	tcase_add_test(tests, replaced_and_removed_text_is_previewed);
	tcase_add_test(tests, a_label_in_another_file_shows_that_file);
	tcase_add_test(tests, a_message_without_place_has_none);
	tcase_add_test(tests, a_place_beyond_the_end_is_shown_at_the_end);
	tcase_add_test(tests, messages_come_in_order_of_place_and_equal_ones_once);
	tcase_add_test(tests, max_errors_limits_what_is_printed);
	tcase_add_test(tests, json_form_is_one_object_a_line);
	tcase_add_test(tests, color_is_used_when_asked_for);
	tcase_add_test(tests, the_nearest_name_is_found_and_distant_ones_are_not);
	tcase_add_test(tests, every_code_is_explained_with_a_wrong_and_a_right_program);
	return suite_end(suite);
}
