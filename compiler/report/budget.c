/* budget.c — what a program may send, as a text file to keep beside it. Rows are ` | ` separated and carry no
 * line numbers; `total` rows are the limits, the others say what they are made of, so that a review sees what changed
 * and a failure can name the transfers that are new or have grown. */
#include "../layout/exchange.h"
#include "report.h"
#include "table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char title[] = "# pmlc plan budget, version 1\n";

/* Equal transfers are one row with their number: order and lines may change without a new budget. */
struct row {
	const char *key;
	enum report_when when;
	int64_t count, sent, received, bytes;
};
struct rows {
	VEC(struct row) at;
};

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static const char *key_of(struct arena *a, const struct report *r, const struct report_transfer *x)
{
	return arena_printf(a, "%s | %s | %s | %s | %s | %s | %s | %s",
			    report_when_text(r->regions.at[x->region].runs.when), report_phase_text(x->phase),
			    file_name(x->file), x->tensor, x->kind, x->from, x->to, x->type);
}

static struct row *find_row(struct rows *rows, const char *key)
{
	for (int i = 0; i < rows->at.n; i++)
		if (!strcmp(rows->at.at[i].key, key))
			return &rows->at.at[i];
	return NULL;
}

/* The type of the same movement of another size, the last field of a key; NULL if there is none. */
static const char *other_type(const struct rows *rows, const char *key)
{
	const char *bar = NULL;
	for (const char *p = strstr(key, " | "); p; p = strstr(p + 1, " | "))
		bar = p;
	for (int i = 0; bar && i < rows->at.n; i++) {
		const char *other = rows->at.at[i].key;
		size_t n = (size_t)(bar - key) + 3;
		if (strlen(other) > n && !memcmp(other, key, n) && !strstr(other + n, " | "))
			return other + n;
	}
	return NULL;
}

static int by_when(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	return x->when != y->when ? (int)x->when - (int)y->when : strcmp(x->key, y->key);
}

static void collect(struct arena *a, struct rows *rows, const struct report *r)
{
	for (int i = 0; i < r->transfers.n; i++) {
		const struct report_transfer *x = &r->transfers.at[i];
		const char *key = key_of(a, r, x);
		struct row *row = find_row(rows, key);
		if (!row) {
			struct row fresh = {.key = key, .when = r->regions.at[x->region].runs.when};
			vec_push(a, &rows->at, fresh);
			row = &rows->at.at[rows->at.n - 1];
		}
		int64_t times = report_times(r, x);
		row->count = count_add(row->count, times);
		row->sent = count_add(row->sent, count_mul(x->sent_max, times));
		row->received = count_add(row->received, count_mul(x->received_max, times));
		row->bytes = count_add(row->bytes, count_mul(x->bytes, times));
	}
	if (rows->at.n)
		qsort(rows->at.at, (size_t)rows->at.n, sizeof *rows->at.at, by_when);
}

static void write_row(struct text *t, const struct row *r)
{
	text_printf(t, "%s | %" PRId64 " | %" PRId64 " | %" PRId64 " | %" PRId64 "\n", r->key, r->count, r->sent,
		    r->received, r->bytes);
}

static struct row total_row(struct arena *a, const struct report *r, enum report_when when)
{
	struct report_total x = report_total(r, when, REPORT_PHASES, NULL);
	return (struct row){arena_printf(a, "total | %s", report_when_text(when)),
			    when,
			    x.transfers,
			    x.sent_max,
			    x.received_max,
			    x.bytes};
}

void report_write_budget(struct text *t, const struct report *r)
{
	struct arena *a = arena_new("budget");
	struct rows rows = {0};
	collect(a, &rows, r);
	text_add(t, title);
	text_add(t, "# when | phase | file | tensor | kind | from | to | type | count | sent per rank | received per "
		    "rank | "
		    "bytes\n");
	for (int i = 0; i < rows.at.n; i++)
		write_row(t, &rows.at.at[i]);
	text_add(t, "# total | when | count | sent per rank | received per rank | bytes: these are the limits\n");
	for (int w = 0; w < REPORT_WHENS; w++) {
		struct row row = total_row(a, r, (enum report_when)w);
		write_row(t, &row);
	}
	arena_free(a);
}

/* ---- reading ---- */

/* Splits off the last ` | number` of a line in place. */
static bool take_number(char *line, int64_t *out)
{
	char *bar = NULL, *end;
	for (char *p = strstr(line, " | "); p; p = strstr(p + 1, " | "))
		bar = p;
	if (!bar || !bar[3])
		return false;
	*out = strtoll(bar + 3, &end, 10);
	if (*end || *out < 0)
		return false;
	*bar = 0;
	return true;
}

static bool read_row(struct arena *a, struct rows *rows, char *line)
{
	struct row r = {0};
	if (!take_number(line, &r.bytes) || !take_number(line, &r.received) || !take_number(line, &r.sent) ||
	    !take_number(line, &r.count))
		return false;
	r.key = line;
	vec_push(a, &rows->at, r);
	return true;
}

static bool read_budget(struct arena *a, struct rows *rows, const char *text, const char **error)
{
	if (strncmp(text, title, strlen(title))) {
		*error = "not a budget as `pmlc plan --write-budget` writes it";
		return false;
	}
	for (int number = 1; *text; number++) {
		size_t n = strcspn(text, "\r\n");
		char *line = arena_strndup(a, text, n);
		text += n;
		text += *text == '\r';
		text += *text == '\n';
		if (!*line || *line == '#')
			continue;
		if (!read_row(a, rows, line)) {
			*error = arena_printf(a, "line %d is malformed", number);
			return false;
		}
	}
	return true;
}

/* ---- checking ---- */

static void print_more(struct text *t, struct arena *a, const char *what, int64_t now, int64_t then)
{
	if (now > then)
		text_printf(t, "  %s: %s, %s more than the %s of the budget\n", what, bytes_text(a, now),
			    bytes_text(a, now - then), bytes_text(a, then));
}

/* The transfers of a time that the budget does not know or knows smaller. */
static void print_responsible(struct text *t, struct arena *a, const struct report *r, struct rows *had,
			      struct rows *have, enum report_when when)
{
	for (int i = 0; i < r->transfers.n; i++) {
		const struct report_transfer *x = &r->transfers.at[i];
		if (r->regions.at[x->region].runs.when != when)
			continue;
		const char *key = key_of(a, r, x);
		const struct row *then = find_row(had, key), *now = find_row(have, key);
		if (then && now->bytes <= then->bytes && now->sent <= then->sent && now->received <= then->received)
			continue;
		const char *was = then ? NULL : other_type(had, key);
		text_printf(t, "  %s:%d: %s of `%s`, %s (%s): %s sent per rank, %s in all, %s%s\n", x->file, x->line,
			    x->kind, x->tensor, x->type, report_phase_text(x->phase), bytes_text(a, x->sent_max),
			    bytes_text(a, x->bytes),
			    then  ? "more often than in the budget"
			    : was ? "in the budget "
				  : "not in the budget",
			    was ? was : "");
	}
}

bool report_check_budget(struct text *t, const struct report *r, const char *budget, const char *path,
			 const char **error)
{
	struct arena *a = arena_new("budget");
	struct rows had = {0}, have = {0};
	const char *wrong = NULL;
	bool fits = true;
	if (read_budget(a, &had, budget, &wrong)) {
		collect(a, &have, r);
		for (int w = 0; w < REPORT_WHENS; w++) {
			struct row now = total_row(a, r, (enum report_when)w);
			const struct row none = {0}, *then = find_row(&had, now.key);
			then = then ? then : &none;
			if (now.bytes <= then->bytes && now.sent <= then->sent && now.received <= then->received)
				continue;
			fits = false;
			text_printf(t, "%s: %s sends more than its budget\n", path,
				    report_when_description((enum report_when)w));
			print_more(t, a, "sent by one rank at most", now.sent, then->sent);
			print_more(t, a, "received by one rank at most", now.received, then->received);
			print_more(t, a, "sent in all", now.bytes, then->bytes);
			print_responsible(t, a, r, &had, &have, (enum report_when)w);
		}
	}
	*error = wrong ? arena_strdup(r->arena, wrong) : NULL;
	arena_free(a);
	return fits && !*error;
}
