/* compare.c — see compare.h. */
#include "compare.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TOLERANCE = 1e-4;

struct line {
	const char *at;
	size_t n; /* without the line feed */
};

static bool next_line(const char **at, struct line *out)
{
	if (!**at)
		return false;
	out->at = *at;
	out->n = strcspn(*at, "\n");
	*at += out->n + ((*at)[out->n] == '\n');
	return true;
}

/* "ok 3 - title", "not ok 3 - title" of test number `test`. */
static bool ends_test(const struct line *l, int test)
{
	for (int failed = 0; failed < 2; failed++) {
		char head[40];
		int n = snprintf(head, sizeof head, "%sok %d - ", failed ? "not " : "", test);
		if (l->n >= (size_t)n && !memcmp(l->at, head, (size_t)n))
			return true;
	}
	return false;
}

/* The title of a test, from the line that ends it in either output; NULL if there is none. */
static const char *title_of(const char *output, int test, size_t *n)
{
	struct line l;
	while (next_line(&output, &l))
		if (ends_test(&l, test)) {
			const char *dash = strstr(l.at, " - ") + 3;
			*n = (size_t)(l.at + l.n - dash);
			return dash;
		}
	return NULL;
}

struct token {
	const char *at;
	size_t n;
	bool is_number, is_float;
	double number;
};

/* A number of C that is not part of a word, else a run of letters or one character. */
static struct token next_token(const char *at, size_t n, bool after_word)
{
	struct token t = {.at = at, .n = 1};
	char copy[64], *end;
	size_t m = n < sizeof copy - 1 ? n : sizeof copy - 1;
	memcpy(copy, at, m);
	copy[m] = 0;
	bool may = !after_word && (isdigit((unsigned char)*at) || *at == '-' || *at == '.' || *at == 'n' || *at == 'i');
	t.number = may ? strtod(copy, &end) : 0;
	if (may && end > copy && !char_is_word(*end)) {
		t.is_number = true;
		t.n = (size_t)(end - copy);
		t.is_float = strcspn(copy, ".eEni") < t.n;
		return t;
	}
	while (char_is_word(*at) && t.n < n && char_is_word(at[t.n]))
		t.n++;
	return t;
}

static bool close_enough(const struct token *x, const struct token *y)
{
	if (isnan(x->number) || isnan(y->number) || isinf(x->number) || isinf(y->number))
		return x->number == y->number || (isnan(x->number) && isnan(y->number));
	double size = fmax(1, fmax(fabs(x->number), fabs(y->number)));
	return fabs(x->number - y->number) <= TOLERANCE * size;
}

static bool same_token(const struct token *x, const struct token *y, bool exact)
{
	if (x->n == y->n && !memcmp(x->at, y->at, x->n))
		return true;
	return !exact && x->is_number && y->is_number && (x->is_float || y->is_float) && close_enough(x, y);
}

/* True if the lines agree; else the tokens at which they do not. */
static bool same_line(const struct line *a, const struct line *b, bool exact, struct token *x, struct token *y)
{
	size_t i = 0, j = 0;
	while (i < a->n && j < b->n) {
		*x = next_token(a->at + i, a->n - i, i > 0 && char_is_word(a->at[i - 1]));
		*y = next_token(b->at + j, b->n - j, j > 0 && char_is_word(b->at[j - 1]));
		if (!same_token(x, y, exact))
			return false;
		i += x->n;
		j += y->n;
	}
	*x = (struct token){.at = a->at + i, .n = a->n - i};
	*y = (struct token){.at = b->at + j, .n = b->n - j};
	return i == a->n && j == b->n;
}

static void say(struct text *why, const char *a, const char *b, int test, int line, const struct token *x,
		const struct token *y)
{
	size_t n = 0;
	const char *title = title_of(a, test, &n);
	title = title ? title : title_of(b, test, &n);
	if (title)
		text_printf(why, "test \"%.*s\"", (int)n, title);
	else
		text_printf(why, "test %d", test);
	text_printf(why, ", line %d of its output: `%.*s` and `%.*s`", line, (int)x->n, x->at, (int)y->n, y->at);
}

bool compare_outputs(const char *a, const char *b, bool exact, struct text *why)
{
	const char *from = a, *to = b;
	int test = 1, number = 1;
	for (;;) {
		struct line x = {"", 0}, y = {"", 0};
		struct token p = {.at = "nothing", .n = 7}, q = p;
		bool more_x = next_line(&from, &x), more_y = next_line(&to, &y);
		if (!more_x && !more_y)
			return true;
		bool same = more_x && more_y && same_line(&x, &y, exact, &p, &q);
		if (!same) {
			if (!more_x || !more_y) {
				p = more_x ? (struct token){.at = x.at, .n = x.n} : p;
				q = more_y ? (struct token){.at = y.at, .n = y.n} : q;
			}
			say(why, a, b, test, number, &p, &q);
			return false;
		}
		number++;
		if (ends_test(&x, test)) {
			test++;
			number = 1;
		}
	}
}

int compare_count_tests(const char *output, struct text *failed)
{
	struct line l;
	int test = 1;
	while (next_line(&output, &l))
		if (ends_test(&l, test)) {
			if (l.at[0] == 'n')
				text_printf(failed, " %d", test);
			test++;
		}
	return test - 1;
}

void compare_without_titles(const char *output, struct text *out)
{
	struct line l;
	for (int test = 1; next_line(&output, &l);) {
		if (ends_test(&l, test)) {
			test++;
			continue;
		}
		text_add_n(out, l.at, l.n);
		text_add(out, "\n");
	}
}
