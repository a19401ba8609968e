/* csv_codes.c — the codes of columns of texts: found in the files themselves, taken from another dataset, or from a
 * file in which they were saved, a CSV file of columns and texts in the order of codes. */
#define _POSIX_C_SOURCE 200809L
#include "alike.h"
#include "data_csv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* Adds the contents of a field. */
static int64_t add_field(struct pmlrt *rt, struct codes *codes, const struct csv_field *f)
{
	int64_t n = f->end - f->begin;
	if (!f->doubled)
		return codes_add(codes, f->begin, n);
	char *text = rt_alloc(rt, n + 1);
	int64_t code = codes_add(codes, text, (int64_t)csv_contents(f, text));
	rt_release(rt, text);
	return code;
}

/* Adds what the column has in all rows of a table. */
static void collect(struct pmlrt *rt, const struct csv_table *t, int64_t column, struct codes *codes)
{
	struct csv_field f;
	const char *record = csv_row(t, 0);
	for (int64_t row = 0; row < t->rows; row++, record = csv_next(t, record)) {
		const char *p = record;
		bool last = false;
		int64_t i = 0;
		for (; !last && i <= column; i++)
			csv_take(&p, t->end, t->separator, &f, &last);
		if (i > column)
			add_field(rt, codes, &f);
	}
}

/* Files are compared by some of their bytes alone; codes that differ would go unseen. */
static void compare_codes(struct pmlrt *rt, const struct codes *codes, const char *path, int32_t site)
{
	uint64_t texts = 1;
	for (int64_t i = 0; i < codes->n; i++)
		texts = texts * 0x9e3779b97f4a7c15 + rt_fact_of_text(codes->text[i].text);
	char *about = rt_format(rt, "`%s` is not the same file on all ranks", path),
	     *shown = rt_format(rt, "finds %lld texts (checksum %016llx)", (long long)codes->n,
				(unsigned long long)texts);
	rt_alike(rt, &(struct rt_fact){texts, shown}, 1, about, "copy it to the same place on every host", site);
	rt_release(rt, shown);
	rt_release(rt, about);
}

static void find_in_files(struct pmlrt *rt, struct csv_source *s)
{
	for (int32_t i = 0; i < s->ntexts; i++) {
		struct csv_texts *texts = &s->texts[i];
		if (s->stream)
			rt_fail(rt, s->site,
				"the texts of `%s` are not known before it ends\n"
				"help: take the codes of the file that the model was trained with: `codes = ...`",
				s->paths[0]);
		texts->codes = codes_new(rt);
		texts->from = s->paths[0];
		for (int32_t k = 0; k < s->ntables; k++) {
			const struct csv_table *t = s->tables[k];
			if (t->rows)
				collect(rt, t, csv_find_column(rt, s, t, &texts->column, s->site), texts->codes);
		}
		codes_sort(texts->codes);
		compare_codes(rt, texts->codes, s->paths[0], s->site);
	}
}

/* Columns are the same by name; where one of them has only a number, by their places in the lists. */
static const struct csv_texts *same_texts(const struct csv_source *from, const struct csv_name *column, int32_t place)
{
	bool named = column->name != NULL;
	for (int32_t i = 0; i < from->ntexts; i++)
		named &= from->texts[i].column.name != NULL;
	for (int32_t i = 0; named && i < from->ntexts; i++)
		if (strcmp(from->texts[i].column.name, column->name) == 0)
			return &from->texts[i];
	return named || place >= from->ntexts ? NULL : &from->texts[place];
}

static const char *name_text(struct pmlrt *rt, const struct csv_name *column)
{
	return column->name ? rt_format(rt, "`%s`", column->name) : rt_format(rt, "%lld", (long long)column->number);
}

static void take_from(struct pmlrt *rt, struct csv_source *s, struct csv_source *from)
{
	csv_prepare(rt, from);
	for (int32_t i = 0; i < s->ntexts; i++) {
		const struct csv_texts *texts = same_texts(from, &s->texts[i].column, i);
		if (!texts)
			rt_fail(rt, s->site, "column %s of `%s` is no column of texts of `%s`, which has the codes",
				name_text(rt, &s->texts[i].column), s->paths[0], from->paths[0]);
		s->texts[i].codes = texts->codes;
		s->texts[i].from = texts->from;
	}
}

/* Reads a file of codes: a source that has nothing but columns of texts. */
static struct csv_source *read_codes(struct pmlrt *rt, const char *path, int32_t site)
{
	struct csv_source *s = rt_alloc(rt, sizeof *s);
	rt_same_file(rt, path, site);
	struct csv_table *t = csv_table_open(rt, path, ',', site);
	char *column = rt_alloc(rt, t->end - t->text + 1);
	s->paths = rt_alloc(rt, (int64_t)sizeof *s->paths);
	s->paths[0] = path;
	s->npaths = 1;
	s->site = site;
	s->prepared = true;
	csv_table_count(rt, t, true, site);
	s->texts = rt_alloc(rt, t->rows * (int64_t)sizeof *s->texts);
	const char *record = t->rows ? csv_row(t, 0) : t->end;
	for (int64_t row = 0; row < t->rows; row++, record = csv_next(t, record)) {
		struct csv_field f, text;
		const char *p = record;
		bool last, end = false;
		if (csv_take(&p, t->end, ',', &f, &last) || last || csv_take(&p, t->end, ',', &text, &end) || !end)
			rt_fail(rt, site, "`%s` line %lld is no column and text of data.save_codes", path,
				(long long)csv_line_at(t, record));
		column[csv_contents(&f, column)] = 0;
		struct csv_texts *texts = s->ntexts ? &s->texts[s->ntexts - 1] : NULL;
		if (!texts || strcmp(texts->column.name, column) != 0) {
			texts = &s->texts[s->ntexts++];
			*texts = (struct csv_texts){.column.name = rt_format(rt, "%s", column), .from = path};
			texts->codes = codes_new(rt);
		}
		add_field(rt, texts->codes, &text);
	}
	rt_release(rt, column);
	return s;
}

void csv_find_codes(struct pmlrt *rt, struct csv_source *s)
{
	if (s->codes_path)
		take_from(rt, s, read_codes(rt, s->codes_path, s->site));
	else if (s->codes_of)
		take_from(rt, s, s->codes_of);
	else
		find_in_files(rt, s);
}

/* ---- for the program ---- */

static struct csv_source *source_of(struct pmlrt *rt, void *dataset, int32_t site)
{
	const struct dataset *d = dataset;
	for (int32_t i = 0; i < d->nfields; i++) {
		const struct column *c = d->field[i];
		column_first_row(&c, 0);
		if (c->part && c->part->source->ntexts) {
			csv_prepare(rt, c->part->source);
			return c->part->source;
		}
	}
	rt_fail(rt, site, "`%s` has no columns of texts: `text = [...]` of data.csv lists them", d->field[0]->path);
}

void pmlrt_csv_codes_of(struct pmlrt *rt, void *csv, void *dataset, int32_t site)
{
	struct csv_source *s = csv;
	s->codes_of = source_of(rt, dataset, site);
}

void pmlrt_csv_codes_file(struct pmlrt *rt, void *csv, const char *path)
{
	struct csv_source *s = csv;
	s->codes_path = rt_format(rt, "%s", path);
}

static const struct csv_texts *texts_of(struct pmlrt *rt, void *dataset, const char *name, int64_t number, int32_t site)
{
	const struct csv_source *s = source_of(rt, dataset, site);
	struct csv_name column = {number < 0 ? name : NULL, number};
	for (int32_t i = 0; i < s->ntexts; i++) {
		const struct csv_name *c = &s->texts[i].column;
		if (column.name && c->name ? strcmp(c->name, name) == 0
					   : !column.name && !c->name && c->number == number)
			return &s->texts[i];
	}
	rt_fail(rt, site, "column %s of `%s` is not in the list `text = [...]` of data.csv", name_text(rt, &column),
		s->paths[0]);
}

int64_t pmlrt_data_texts(struct pmlrt *rt, void *dataset, const char *name, int64_t number, int32_t site)
{
	return texts_of(rt, dataset, name, number, site)->codes->n;
}

const char *pmlrt_data_text(struct pmlrt *rt, void *dataset, const char *name, int64_t number, int64_t code,
			    int32_t site)
{
	const struct csv_texts *texts = texts_of(rt, dataset, name, number, site);
	if (code < 0 || code >= texts->codes->n)
		rt_fail(rt, site, "no text has the code %lld: there are %lld in column %s", (long long)code,
			(long long)texts->codes->n, name_text(rt, &texts->column));
	return texts->codes->text[code].text;
}

/* A field in quotes, unless it needs none. */
static void write_field(FILE *f, const char *text)
{
	bool plain = *text && !strpbrk(text, "\",\r\n") && *text != ' ' && *text != '\t' &&
		     text[strlen(text) - 1] != ' ' && text[strlen(text) - 1] != '\t';
	if (plain) {
		fputs(text, f);
		return;
	}
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text, f);
	}
	fputc('"', f);
}

static int write_codes(const struct csv_source *s, const char *path)
{
	FILE *f = rt_create_stream(path, O_TRUNC);
	if (!f)
		return errno;
	fputs("column,text\n", f);
	for (int32_t i = 0; i < s->ntexts; i++)
		for (int64_t k = 0; k < s->texts[i].codes->n; k++) {
			char number[32];
			const struct csv_name *c = &s->texts[i].column;
			snprintf(number, sizeof number, "%lld", (long long)c->number);
			write_field(f, c->name ? c->name : number);
			fputc(',', f);
			write_field(f, s->texts[i].codes->text[k].text);
			fputc('\n', f);
		}
	int wrong = ferror(f) ? EIO : 0;
	return fclose(f) != 0 ? errno : wrong;
}

void pmlrt_data_save_codes(struct pmlrt *rt, void *dataset, const char *path, int32_t site)
{
	const struct csv_source *s = source_of(rt, dataset, site);
	char *partial = rt_format(rt, "%s.partial", path);
	int wrong = rt->rank == 0 ? rt_replaces(path) : 0;
	if (!wrong && rt->rank == 0)
		wrong = write_codes(s, partial);
	if (!wrong && rt->rank == 0 && rename(partial, path) != 0)
		wrong = errno;
	if (wrong) {
		remove(partial);
		rt_fail(rt, site, "cannot save `%s`: %s", path, rt_file_error(wrong));
	}
	rt_release(rt, partial);
	rt_barrier(rt, "the codes to be saved", site);
}
