/* csv_rows.c — see csv_rows.h. */
#include "csv_rows.h"
#include "element.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER_MOST = 512, SHOWN_TEXTS = 8, TEXT_MOST = 4096 };

static const char *const missing_words[] = {"", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "None", "?"};

bool csv_is_missing(const struct csv_field *f)
{
	size_t n = (size_t)(f->end - f->begin);
	for (size_t i = 0; i < sizeof missing_words / sizeof *missing_words; i++)
		if (strlen(missing_words[i]) == n && memcmp(missing_words[i], f->begin, n) == 0)
			return true;
	return false;
}

static int64_t code_of(const struct codes *codes, const struct csv_field *f)
{
	char text[TEXT_MOST];
	if (!f->doubled)
		return codes_find(codes, f->begin, f->end - f->begin);
	if (f->end - f->begin > TEXT_MOST)
		return -1;
	size_t n = csv_contents(f, text);
	return codes_find(codes, text, (int64_t)n);
}

static bool read_code(const struct csv_picks *p, const struct csv_pick *pick, const struct csv_field *f, void *out,
		      struct csv_wrong *wrong)
{
	int64_t code = code_of(pick->codes, f);
	wrong->mistake = code < 0 && !p->rules->has_unknown ? CSV_NO_CODE : CSV_CODE;
	code = code < 0 ? p->rules->unknown : code;
	return wrong->mistake == CSV_CODE && element_of_number(p->dtype, (double)code, out);
}

static bool read_number(const struct csv_picks *p, const struct csv_field *f, void *out, struct csv_wrong *wrong)
{
	switch (element_read(p->dtype, f->begin, f->end, p->rules->point, out)) {
	case ELEMENT_READ:
		if (!element_is_float(p->dtype) || !csv_is_missing(f)) /* `nan` is a number to the C library */
			return true;
		break;
	case ELEMENT_LARGE:
		wrong->mistake = CSV_LARGE;
		return false;
	case ELEMENT_NONE:
		break;
	}
	bool missing = csv_is_missing(f);
	wrong->mistake = missing ? CSV_MISSING : CSV_NO_VALUE;
	return missing && p->rules->has_missing && element_of_number(p->dtype, p->rules->missing, out);
}

/* A field that is none of its column, in a record of another length than the first: the length is the mistake. */
static void count_fields(const struct csv_picks *p, const char *record, bool last, struct csv_wrong *wrong)
{
	int64_t n = wrong->field + 1;
	struct csv_field f;
	for (; !last; n++)
		if (csv_take(&record, p->table->end, p->table->separator, &f, &last) != CSV_FINE)
			return;
	if (n != p->table->fields)
		*wrong = (struct csv_wrong){.mistake = CSV_FIELDS, .field = n};
}

bool csv_read_row(const struct csv_picks *p, const char *record, bool whole, char *out, struct csv_wrong *wrong)
{
	const struct csv_pick *pick = p->pick, *end = p->pick + p->n;
	int64_t size = rt_dtype_size(p->dtype), at = 0;
	bool last = false;
	for (; !last && (whole || pick < end); at++) {
		struct csv_field *f = &wrong->text;
		*wrong = (struct csv_wrong){.mistake = CSV_QUOTE, .field = at};
		if (csv_take(&record, p->table->end, p->table->separator, f, &last) != CSV_FINE)
			return false;
		for (; pick < end && pick->field == at; pick++) {
			wrong->pick = pick;
			char *to = out + pick->element * size;
			if (!(pick->codes ? read_code(p, pick, f, to, wrong) : read_number(p, f, to, wrong))) {
				count_fields(p, record, last, wrong);
				return false;
			}
		}
	}
	*wrong = (struct csv_wrong){.mistake = CSV_FIELDS, .field = at};
	return pick == end && (!whole || at == p->table->fields);
}

/* ---- messages ---- */

/* "`female`, `male`": the first of them. */
static void texts_of(const struct codes *c, char *buffer, size_t size)
{
	size_t used = 0;
	buffer[0] = 0;
	for (int64_t i = 0; i < c->n && i < SHOWN_TEXTS && used < size; i++) {
		char shown[64];
		struct csv_field f = {.begin = c->text[i].text, .end = c->text[i].text + c->text[i].length};
		used += (size_t)snprintf(buffer + used, size - used, "%s`%s`", i ? ", " : "",
					 csv_shown(&f, shown, sizeof shown));
	}
	if (c->n > SHOWN_TEXTS && used < size)
		snprintf(buffer + used, size - used, ", ...");
}

static _Noreturn void fail_fields(struct pmlrt *rt, const struct csv_picks *p, long long line, int64_t fields,
				  int32_t site)
{
	const struct csv_table *t = p->table;
	if (fields == t->fields)
		rt_fail(rt, site, "`%s` has no column %lld: it has %lld, numbered from 0%s", t->path,
			(long long)p->pick[p->n - 1].field, (long long)fields, csv_separator_help(t));
	rt_fail(rt, site, "`%s` line %lld has %lld field%s, the first line has %lld%s", t->path, line,
		(long long)fields, fields == 1 ? "" : "s", (long long)t->fields,
		fields > t->fields ? "\nhelp: a text with a separator in it stands in quotes" : "");
}

static _Noreturn void fail_code(struct pmlrt *rt, const struct csv_pick *pick, const char *where, const char *shown,
				int32_t site)
{
	char texts[SHOWN_TEXTS * 64];
	texts_of(pick->codes, texts, sizeof texts);
	rt_fail(rt, site,
		"%s: `%s` is none of the %lld texts of `%s`: %s\n"
		"help: `unknown = -1` gives all such texts that code",
		where, shown, (long long)pick->codes->n, pick->codes_from, texts);
}

/* Whether it is a number all the same, which has a fraction or a power of ten. */
static bool is_fraction(const struct csv_field *f)
{
	char text[64], *end;
	size_t n = (size_t)(f->end - f->begin);
	if (n == 0 || n >= sizeof text || !memchr("+-.0123456789", f->begin[0], 13))
		return false;
	memcpy(text, f->begin, n);
	text[n] = 0;
	strtod(text, &end);
	return end == text + n && strcspn(text, "xX") == n;
}

/* How many bytes from at on are among these. */
static int64_t run_of(const char *at, const char *end, const char *among)
{
	const char *p = at;
	while (p < end && *p && strchr(among, *p))
		p++;
	return p - at;
}

/* A number with something around it: blanks that quotes hold, a sign of percent, a unit, a date. NULL: none of these.
 */
static const char *advice_around(const struct csv_field *f)
{
	const char *at = f->begin, *end = f->end;
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	bool blanks = at > f->begin || (end > at && (end[-1] == ' ' || end[-1] == '\t'));
	const char *number = at + run_of(at, end, "+-");
	const char *behind = number + run_of(number, end, "0123456789.,");
	bool signs = behind + 1 < end && *behind && strchr("-/:", *behind);
	if (behind == number)
		return NULL;
	if (blanks && behind + run_of(behind, end, " \t") == end)
		return "\nhelp: blanks within quotes are part of a field, and of no number";
	if (signs && run_of(behind + 1, end, "0123456789") > 0)
		return "\nhelp: dates and times are no numbers; as texts they are listed in `text = [...]`";
	if (behind < end)
		return "\nhelp: units and percent signs are part of no number; a column of texts is listed in `text = "
		       "[...]`";
	return NULL;
}

/* What may have been meant by a field that is no number of this type. */
static const char *advice(const struct csv_picks *p, const char *record, const struct csv_field *f, const char *type,
			  bool guessed)
{
	size_t n = (size_t)(f->end - f->begin);
	bool digits = n > 0 && (f->begin[n - 1] >= '0' && f->begin[n - 1] <= '9');
	const char *separator = csv_separator_help(p->table);
	if (*separator)
		return separator;
	if (digits && p->rules->point == '.' && memchr(f->begin, ',', n))
		return "\nhelp: if a comma stands before fractions, say `decimal = \",\"`; signs between thousands are "
		       "not read";
	if (digits && p->rules->point == ',' && memchr(f->begin, '.', n))
		return "\nhelp: with `decimal = \",\"` no number has a point; signs between thousands are not read";
	if (p->rules->point == '.' && strchr("iu", *type) && is_fraction(f))
		return "\nhelp: a column of numbers with fractions is claimed as f32 or f64";
	if (guessed && record == p->table->first)
		return "\nhelp: if the first line is a heading, say `heading = true`";
	const char *around = advice_around(f);
	return around ? around : "\nhelp: a column of texts is listed in `text = [...]`";
}

_Noreturn void csv_fail(struct pmlrt *rt, const struct csv_picks *p, const char *record, const struct csv_wrong *wrong,
			bool guessed, int32_t site)
{
	char column[128], where[512], shown[64];
	long long line = csv_line_at(p->table, record);
	const char *type = rt_dtype_text(p->dtype), *help;
	if (wrong->mistake == CSV_FIELDS)
		fail_fields(rt, p, line, wrong->field, site);
	csv_column_text(p->table, wrong->field, column, sizeof column);
	snprintf(where, sizeof where, "`%.300s` line %lld %s", p->table->path, line, column);
	csv_shown(&wrong->text, shown, sizeof shown);
	switch (wrong->mistake) {
	case CSV_FIELDS:
	case CSV_QUOTE:
		rt_fail(rt, site,
			"%s: there is text behind the quote that ends `%s`\n"
			"help: a quote within quotes is written twice",
			where, shown);
	case CSV_MISSING:
		help = p->rules->has_missing ? "" : "\nhelp: `missing = 0.0` takes 0 for all that are missing";
		if (p->rules->has_missing)
			rt_fail(rt, site, "%s is missing, and %g is not of type %s", where, p->rules->missing, type);
		rt_fail(rt, site, "%s: `%s` is not of type %s, it is missing%s", where, shown, type, help);
	case CSV_LARGE:
		rt_fail(rt, site, "%s: `%s` is not of type %s, it is too large", where, shown, type);
	case CSV_NO_CODE:
		fail_code(rt, wrong->pick, where, shown, site);
	case CSV_CODE:
		rt_fail(rt, site, "%s: the code of `%s` is not of type %s", where, shown, type);
	case CSV_NO_VALUE:
		break;
	}
	rt_fail(rt, site, "%s: `%s` is not of type %s%s", where, shown, type,
		advice(p, record, &wrong->text, type, guessed));
}
