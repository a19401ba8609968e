/* data_csv.c — columns of CSV files (csv.h). Files stay text, mapped or unpacked, and a row is read when a batch takes
 * it, so a rank reads the fields and rows that it needs; what it read it keeps as long as all values of a column take
 * KEPT_MOST bytes, or, where sequences are made of it, KEPT_REPEATED. Each rank looks over its share of the rows when
 * types are claimed: mistakes are told at the beginning. */
#define _DEFAULT_SOURCE
#include "data_csv.h"
#include "element.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT_MOST = 4 << 20, KEPT_REPEATED = 256 << 20 };

/* ---- what the program says of the files ---- */

void *pmlrt_csv_open(struct pmlrt *rt, const char *path, const char *separator, const char *decimal, int64_t heading,
		     int32_t site)
{
	struct csv_source *s = rt_alloc(rt, sizeof *s);
	s->site = site;
	s->heading = heading;
	s->separator = separator[0];
	if (!csv_may_separate(separator[0]) || separator[1])
		rt_fail(rt, site, "fields are separated by one sign that is in no number, not by `%s`", separator);
	if (strcmp(decimal, ".") != 0 && strcmp(decimal, ",") != 0)
		rt_fail(rt, site, "`decimal` is the sign before the fraction of a number, `.` or `,`, not `%s`",
			decimal);
	s->rules.point = decimal[0];
	pmlrt_csv_more(rt, s, path);
	return s;
}

/* A list with one more element of so many bytes. */
static void *more(struct pmlrt *rt, void *list, int64_t n, int64_t bytes)
{
	void *longer = rt_alloc(rt, (n + 1) * bytes);
	if (n)
		memcpy(longer, list, (size_t)(n * bytes));
	rt_release(rt, list);
	return longer;
}

void pmlrt_csv_more(struct pmlrt *rt, void *csv, const char *path)
{
	struct csv_source *s = csv;
	s->paths = more(rt, s->paths, s->npaths, (int64_t)sizeof *s->paths);
	s->paths[s->npaths++] = rt_format(rt, "%s", path);
}

void pmlrt_csv_missing(struct pmlrt *rt, void *csv, double value)
{
	(void)rt;
	struct csv_source *s = csv;
	s->rules.has_missing = true;
	s->rules.missing = value;
}

void pmlrt_csv_unknown(struct pmlrt *rt, void *csv, int64_t code)
{
	(void)rt;
	struct csv_source *s = csv;
	s->rules.has_unknown = true;
	s->rules.unknown = code;
}

void pmlrt_csv_counted(struct pmlrt *rt, void *csv)
{
	(void)rt;
	struct csv_source *s = csv;
	s->counted = true;
}

static struct csv_name name_of(struct pmlrt *rt, const char *name, int64_t number)
{
	return (struct csv_name){number < 0 ? rt_format(rt, "%s", name) : NULL, number};
}

void pmlrt_csv_text(struct pmlrt *rt, void *csv, const char *name, int64_t number)
{
	struct csv_source *s = csv;
	s->texts = more(rt, s->texts, s->ntexts, (int64_t)sizeof *s->texts);
	s->texts[s->ntexts++].column = name_of(rt, name, number);
}

void *pmlrt_csv_field(struct pmlrt *rt, void *csv, int32_t site)
{
	struct csv_source *s = csv;
	struct dataset *d = dataset_of_file(rt, &reader_csv, s->paths[0], site);
	struct csv_part *part = d->field[0]->part = rt_alloc(rt, sizeof *part);
	part->source = s;
	s->parts = more(rt, s->parts, s->nparts, (int64_t)sizeof(struct csv_part *));
	s->parts[s->nparts++] = part;
	return d;
}

void pmlrt_csv_column(struct pmlrt *rt, void *dataset, const char *name, int64_t number, int64_t count)
{
	struct csv_part *part = ((struct dataset *)dataset)->field[0]->part;
	int64_t size = (int64_t)sizeof *part->column;
	struct csv_name *all = rt_alloc(rt, (part->n + count) * size);
	if (part->n)
		memcpy(all, part->column, (size_t)(part->n * size));
	for (int64_t i = 0; i < count; i++)
		all[part->n + i] = name_of(rt, name, number < 0 ? number : number + i);
	rt_release(rt, part->column);
	part->column = all;
	part->n += count;
}

/* ---- the heading ---- */

static bool is_text(const struct csv_source *s, const struct csv_name *column)
{
	for (int32_t i = 0; i < s->ntexts; i++)
		if (!s->texts[i].column.name && s->texts[i].column.number == column->number)
			return true;
	return false;
}

static bool names_columns(const struct csv_source *s)
{
	bool named = false;
	for (int32_t i = 0; i < s->nparts; i++)
		for (int64_t k = 0; k < s->parts[i]->n; k++)
			named |= s->parts[i]->column[k].name != NULL;
	for (int32_t i = 0; i < s->ntexts; i++)
		named |= s->texts[i].column.name != NULL;
	return named;
}

/* For each field of a record whether a number is taken from it. */
static bool *numbers_taken(struct pmlrt *rt, const struct csv_source *s, int64_t fields)
{
	bool *taken = rt_alloc(rt, fields + 1);
	for (int32_t i = 0; i < s->nparts; i++)
		for (int64_t k = 0; k < s->parts[i]->n; k++) {
			const struct csv_name *column = &s->parts[i]->column[k];
			if (column->number >= 0 && column->number < fields && !is_text(s, column))
				taken[column->number] = true;
		}
	return taken;
}

/* Whether the first record is a heading, by what it has where numbers are taken: a word and no number. Where its fields
 * are 0, 1, 2, ... it may be either, so the program has to say. */
static bool finds_heading(struct pmlrt *rt, const struct csv_source *s, const struct csv_table *t)
{
	const char *p = t->first;
	bool last = p == t->end, counts = !last, taken = false, words = false, numbers = false;
	bool *takes_number = numbers_taken(rt, s, t->fields);
	int64_t unnamed = 0;
	for (int64_t i = 0; !last; i++) {
		struct csv_field f;
		double v;
		csv_take(&p, t->end, s->separator, &f, &last);
		bool number = element_read(PMLRT_F64, f.begin, f.end, s->rules.point, &v) != ELEMENT_NONE &&
			      !csv_is_missing(&f);
		unnamed += i == 0 && f.begin == f.end; /* above the names of rows */
		counts &= (number && v == (double)(i - unnamed)) || (i == 0 && unnamed);
		if (takes_number[i]) {
			taken = true;
			numbers |= number;
			words |= !number && !csv_is_missing(&f);
		}
	}
	rt_release(rt, takes_number);
	if (t->first < t->end && (counts || !taken))
		rt_fail(rt, s->site,
			"the first line of `%s` may be a heading or a row: %s\n"
			"help: say `heading = true` or `heading = false`",
			t->path, counts ? "it counts from 0" : "no number is read that would tell");
	return words && !numbers;
}

/* ---- files ---- */

/* The greatest number of a column that the program takes of the source. */
static int64_t last_taken(const struct csv_source *s)
{
	int64_t last = -1;
	for (int32_t p = 0; p < s->nparts; p++)
		for (int64_t i = 0; i < s->parts[p]->n; i++) {
			const struct csv_name *c = &s->parts[p]->column[i];
			last = !c->name && c->number > last ? c->number : last;
		}
	return last;
}

static _Noreturn void fail_number(struct pmlrt *rt, const struct csv_source *s, const struct csv_table *t,
				  int64_t number, int32_t site)
{
	int64_t last = last_taken(s);
	rt_fail(rt, site, "`%s` has no column %lld: it has %lld, numbered from 0%s%s", t->path, (long long)number,
		(long long)t->fields,
		last > number ? rt_format(rt, ", and those up to %lld are taken", (long long)last) : "",
		csv_separator_help(t));
}

int64_t csv_find_column(struct pmlrt *rt, const struct csv_source *s, const struct csv_table *t,
			const struct csv_name *name, int32_t site)
{
	char near[128];
	int64_t at = csv_column(t, name);
	if (at >= 0)
		return at;
	if (!name->name)
		fail_number(rt, s, t, name->number, site);
	if (at == -2)
		rt_fail(rt, site, "`%s` has more than one column `%s`\nhelp: columns have numbers, too, from 0 on",
			t->path, name->name);
	bool is_near = csv_nearest_column(t, name->name, near, sizeof near);
	if (!is_near)
		csv_shown_heading(t, near, sizeof near);
	rt_fail(rt, site, "`%s` has no column `%s`%s%s%s%s", t->path, name->name,
		is_near ? "; did you mean `" : ", its heading is `", near, is_near ? "`?" : "`", csv_heading_help(t));
}

/* A program that counts columns from the left would take others for those it means where the table has more. */
static void check_counted(struct pmlrt *rt, const struct csv_source *s, const struct csv_table *t)
{
	char ranges[256] = "";
	size_t used = 0;
	int64_t taken = last_taken(s) + 1;
	if (!s->counted || t->fields == INT64_MAX || t->fields <= taken)
		return;
	for (int32_t i = 0; i < s->nparts && used < sizeof ranges; i++) {
		long long first = s->parts[i]->column[0].number, n = s->parts[i]->n;
		const char *comma = i ? ", " : "";
		used += (size_t)(n == 1 ? snprintf(ranges + used, sizeof ranges - used, "%s[%lld]", comma, first)
					: snprintf(ranges + used, sizeof ranges - used, "%s[%lld..%lld]", comma, first,
						   first + n));
	}
	rt_fail(rt, s->site,
		"`%s` has %lld columns, `columns` counts %lld\n"
		"help: some are left out where columns are named or numbered, `columns = [%s]`",
		t->path, (long long)t->fields, (long long)taken, used < sizeof ranges ? ranges : "[0..2], [5]");
}

static void add_table(struct pmlrt *rt, struct csv_source *s, struct csv_table *t)
{
	s->tables = more(rt, s->tables, s->ntables, (int64_t)sizeof(struct csv_table *));
	s->tables[s->ntables++] = t;
}

static void open_files(struct pmlrt *rt, struct csv_source *s, const char *path)
{
	int32_t n;
	const char **found = data_paths(rt, path, &n, s->site);
	for (int32_t k = 0; k < n; k++) {
		struct csv_table *t = csv_table_open(rt, found[k], s->separator, s->site);
		bool heading = s->heading == 1 || names_columns(s) || (s->heading < 0 && finds_heading(rt, s, t));
		csv_table_count(rt, t, heading, s->site);
		if (!t->fields && names_columns(s))
			rt_fail(rt, s->site, "`%s` is empty: its first line would name the columns", t->path);
		check_counted(rt, s, t);
		add_table(rt, s, t);
	}
	rt_release(rt, found);
}

void csv_prepare(struct pmlrt *rt, struct csv_source *s)
{
	if (s->prepared)
		return;
	if (s->heading == 0 && names_columns(s))
		rt_fail(rt, s->site,
			"columns of `%s` have names, but with `heading = false` its first line is a row\n"
			"help: columns are numbered from 0",
			s->paths[0]);
	if (s->npaths == 1 && csv_is_stream(rt, s->paths[0], s->site)) {
		bool heading = s->heading == 1 || names_columns(s);
		s->stream = csv_stream_open(rt, s->paths[0], s->separator, heading, s->site);
		add_table(rt, s, csv_stream_table(s->stream));
	}
	for (int32_t i = 0; i < s->npaths && !s->stream; i++)
		open_files(rt, s, s->paths[i]);
	csv_find_codes(rt, s);
	s->prepared = true;
}

static const struct csv_texts *texts_at(const struct csv_source *s, const struct csv_table *t, int64_t field)
{
	for (int32_t i = 0; i < s->ntexts; i++)
		if (csv_column(t, &s->texts[i].column) == field)
			return &s->texts[i];
	return NULL;
}

static int by_field(const void *a, const void *b)
{
	const struct csv_pick *x = a, *y = b;
	return x->field != y->field ? (x->field > y->field) - (x->field < y->field)
				    : (x->element > y->element) - (x->element < y->element);
}

/* What the column takes of the records of a table. */
static struct csv_picks picks_of(struct pmlrt *rt, const struct csv_part *part, const struct csv_table *t, int32_t site)
{
	struct csv_picks p = {.table = t, .rules = &part->source->rules, .n = part->n};
	p.pick = rt_alloc(rt, p.n * (int64_t)sizeof *p.pick);
	for (int64_t i = 0; i < p.n && t->fields > 0; i++) {
		int64_t field = csv_find_column(rt, part->source, t, &part->column[i], site);
		const struct csv_texts *texts = texts_at(part->source, t, field);
		p.pick[i] = (struct csv_pick){.field = field,
					      .element = i,
					      .codes = texts ? texts->codes : NULL,
					      .codes_from = texts ? texts->from : NULL};
	}
	qsort(p.pick, (size_t)p.n, sizeof *p.pick, by_field);
	return p;
}

/* ---- the reader ---- */

void csv_find_files(struct pmlrt *rt, struct column *c)
{
	struct csv_part *part = c->part;
	csv_prepare(rt, part->source);
	c->nfiles = part->source->ntables;
	c->files = rt_alloc(rt, c->nfiles * (int64_t)sizeof *c->files);
	part->picks = rt_alloc(rt, c->nfiles * (int64_t)sizeof *part->picks);
	for (int32_t i = 0; i < c->nfiles; i++) {
		c->files[i].path = part->source->tables[i]->path;
		c->files[i].table = part->source->tables[i];
		part->picks[i] = picks_of(rt, part, c->files[i].table, c->site);
	}
}

static void csv_open(struct pmlrt *rt, struct column *c, struct data_file *f)
{
	(void)rt;
	c->dtype = DTYPE_OF_CLAIM;
	c->rank = 1;
	c->dim[0] = c->row_elements = c->part->n;
	f->rows = c->part->source->stream ? -1 : f->table->rows;
	f->mapped = f->table->mapped;
}

/* The number of the first row from `first` to `last` that has a mistake; `last` if none has. */
static int64_t first_mistake(struct column *c, int64_t first, int64_t last)
{
	struct csv_wrong wrong;
	for (int64_t row = first; row < last;) {
		const struct data_file *f = column_file(c, row);
		const struct csv_picks *p = &c->part->picks[f - c->files];
		int64_t end = f->first + f->rows < last ? f->first + f->rows : last;
		for (const char *record = csv_row(f->table, row - f->first); row < end; row++) {
			if (!csv_read_row(p, record, true, c->part->buffer, &wrong))
				return row;
			record = csv_next(f->table, record);
		}
	}
	return last;
}

static _Noreturn void fail_row(struct pmlrt *rt, const struct column *c, int64_t row, int32_t site)
{
	struct csv_wrong wrong;
	const struct data_file *f = column_file(c, row);
	const struct csv_picks *p = &c->part->picks[f - c->files];
	const char *record = csv_row(f->table, row - f->first);
	bool guessed = c->part->source->heading < 0 && !f->table->heading && !f->table->line;
	if (csv_read_row(p, record, true, c->part->buffer, &wrong))
		rt_fail(rt, site, "`%s` was changed while the program ran", f->path);
	csv_fail(rt, p, record, &wrong, guessed, site);
}

void csv_claim(struct pmlrt *rt, struct column *c, int32_t site)
{
	struct csv_part *part = c->part;
	for (int32_t i = 0; i < c->nfiles; i++)
		part->picks[i].dtype = c->row.dtype;
	rt_release(rt, part->buffer);
	part->buffer = rt_alloc(rt, c->row_bytes);
	if (part->source->stream)
		return;
	int64_t share = c->rows / rt->size, first = share * rt->rank;
	int64_t last = rt->rank == rt->size - 1 ? c->rows : first + share;
	int64_t row = first_mistake(c, first, last);
	row = row < last ? row : INT64_MAX;
	if (rt->size > 1)
		rt_all_reduce(rt, &row, 1, MPI_INT64_T, MPI_MIN, "other ranks, which look over their rows", site);
	if (row < INT64_MAX)
		fail_row(rt, c, row, site);
}

struct csv_source *csv_stream_of(const struct column *c)
{
	return c->part && c->part->source->stream ? c->part->source : NULL;
}

int64_t csv_next_batch(struct pmlrt *rt, const struct dataset *d, int64_t size)
{
	struct csv_wrong wrong;
	const struct csv_table *t = d->field[0]->files[0].table;
	int64_t n = csv_stream_take(rt, d->field[0]->part->source->stream, size);
	check_counted(rt, d->field[0]->part->source, t);
	for (int32_t i = 0; i < d->nfields; i++) {
		const char *record = t->first;
		for (int64_t row = 0; row < n; row++, record = csv_next(t, record))
			if (!csv_read_row(&d->field[i]->part->picks[0], record, true, d->field[i]->part->buffer,
					  &wrong))
				fail_row(rt, d->field[i], row, d->field[i]->site);
	}
	return n;
}

static void csv_load(struct pmlrt *rt, struct column *c, struct data_file *f)
{
	struct csv_part *part = c->part;
	int64_t most = c->repeated ? KEPT_REPEATED : KEPT_MOST;
	(void)f;
	if (part->values || part->source->stream || c->rows * c->row_bytes > most)
		return;
	part->values = rt_alloc_large(rt, c->rows * c->row_bytes);
	part->has = rt_alloc_large(rt, c->rows);
}

static const char *csv_row_of(struct pmlrt *rt, struct column *c, struct data_file *f, int64_t row)
{
	struct csv_part *part = c->part;
	struct csv_wrong wrong;
	int64_t at = f->first + row;
	char *out = part->values ? part->values + at * c->row_bytes : part->buffer;
	if (part->values && part->has[at])
		return out;
	if (!csv_read_row(&part->picks[f - c->files], csv_row(f->table, row), false, out, &wrong))
		fail_row(rt, c, at, c->site);
	if (part->values)
		part->has[at] = true;
	return out;
}

const struct reader reader_csv = {.name = "CSV", .open = csv_open, .load = csv_load, .row = csv_row_of};
