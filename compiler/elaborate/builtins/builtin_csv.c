/* builtin_csv.c — data.csv: which columns make which fields, and what holds for all of them.
 *
 *   data_csv(path, [["age", "fare"], ["sex"], "survived"])    three fields: two columns, one column, one column
 *   data_csv(path, [64, 1])                                   two fields: columns 0 to 63, column 64; there are no
 * others data_csv(path, [[64], 0..3])                              two fields: column 64, columns 0 to 2 */
#include "builtin.h"
#include "../region/region.h"

#include <string.h>

/* Columns as the runtime takes them: a name, or (no name) count columns from a number on. */
struct columns {
	struct host_expr *name, *number;
	int64_t count;
};

struct csv_call {
	struct elab *e;
	struct host_expr *handle;
	const struct argument *at; /* what is being read, for messages */
	int64_t next;              /* the column behind those that were counted */
	bool counts;               /* fields are numbers of columns, from the left */
};

static bool known_int(const struct value *v, int64_t *out)
{
	*out = value_is_known(v) && v->host.type == HOST_INT ? v->host.i : -1;
	return *out >= 0;
}

static bool known_range(const struct value *v, int64_t *from, int64_t *to)
{
	return v->kind == VALUE_RANGE && known_int(v->range.from, from) && known_int(v->range.to, to) && *to > *from;
}

/* Columns that a table may have, and how many of texts, each of which has codes of its own. */
enum { MAX_COLUMNS = 1 << 24, MAX_TEXT_COLUMNS = 1 << 16 };

static bool by_number(const struct csv_call *c, int64_t from, int64_t count, struct columns *out)
{
	if (count > MAX_COLUMNS || from > MAX_COLUMNS - count) {
		elab_error(c->e, PML0209, c->at->span, "a table has at most %d columns, numbered from 0", MAX_COLUMNS);
		return false;
	}
	*out = (struct columns){host_text(c->e, ""), host_int(c->e, from), count};
	return true;
}

/* A name, a number or a range of numbers. False after an error. */
static bool column_of(const struct csv_call *c, const struct value *v, struct columns *out)
{
	int64_t from, to;
	if (v->kind == VALUE_HOST && v->host.type == HOST_TEXT) {
		*out = (struct columns){host_of(c->e, &v->host), host_int(c->e, -1), 1};
		return true;
	}
	if (known_int(v, &from))
		return by_number(c, from, 1, out);
	if (known_range(v, &from, &to))
		return by_number(c, from, to - from, out);
	if (!value_failed(v))
		elab_error(c->e, PML0209, c->at->span,
			   "a column is a text, its name, or an int from 0 on, known when compiling; this is %s",
			   value_describe(c->e, v));
	return false;
}

static void add_column(const struct csv_call *c, const char *function, struct host_expr *to,
		       const struct columns *columns)
{
	struct host_expr *x[4] = {to, columns->name, columns->number, host_int(c->e, columns->count)};
	int n = strcmp(function, "csv_text") == 0 ? 3 : 4;
	host_eval(c->e, host_call(c->e, function, HOST_VOID, c->at->span, n, x), c->at->span);
}

/* One member of `columns`: a list of columns, one column, or how many of those that follow. */
static bool add_field(struct csv_call *c, const struct value *v, struct host_expr **field)
{
	struct host_expr *x[2] = {c->handle, host_int(c->e, elab_site_id(c->e, c->at->span, "data.csv"))};
	const struct value *h =
		host_freeze(c->e, value_expr(c->e, host_call(c->e, "csv_field", HOST_HANDLE, c->at->span, 2, x)), NULL,
			    c->at->span);
	struct columns columns;
	int64_t count;
	*field = host_of(c->e, &h->host);
	if (c->counts && known_int(v, &count) && count > 0) {
		if (!by_number(c, c->next, count, &columns))
			return false;
		c->next += count;
		add_column(c, "csv_column", *field, &columns);
		return true;
	}
	if (c->counts) {
		elab_error(c->e, PML0209, c->at->span, "a field of a dataset has at least one column");
		return false;
	}
	bool listed = v->kind == VALUE_LIST && v->items.n > 0;
	for (int i = 0; i < (listed ? v->items.n : 1); i++) {
		if (!column_of(c, listed ? v->items.at[i] : v, &columns))
			return false;
		add_column(c, "csv_column", *field, &columns);
	}
	return true;
}

/* All members of `columns`, joined; NULL after an error. */
static struct host_expr *add_fields(struct csv_call *c, int *n)
{
	const struct value *list = c->at->value;
	struct host_expr *all = NULL;
	if (list->kind != VALUE_LIST || !list->items.n) {
		struct diag *d =
			elab_error(c->e, PML0209, c->at->span, "`columns` of `data.csv` lists the fields, this is %s",
				   list->kind == VALUE_LIST ? "an empty list" : value_describe(c->e, list));
		diag_help(d,
			  "for example `[[\"age\", \"fare\"], \"class\"]`, or `[64, 1]` for 64 columns and one more");
		return NULL;
	}
	c->counts = true;
	for (int i = 0; i < list->items.n; i++)
		c->counts &= list->items.at[i]->kind == VALUE_HOST && list->items.at[i]->host.type == HOST_INT;
	if (c->counts)
		host_eval(c->e, host_call(c->e, "csv_counted", HOST_VOID, c->at->span, 1, &c->handle), c->at->span);
	for (int i = 0; i < list->items.n; i++) {
		struct host_expr *field;
		if (!add_field(c, list->items.at[i], &field))
			return NULL;
		struct host_expr *pair[3] = {all, field, host_int(c->e, 0)};
		all = all ? host_call(c->e, "data_join", HOST_HANDLE, c->at->span, 3, pair) : field;
	}
	*n = list->items.n;
	return all;
}

/* An argument that is there and not `none`. */
static bool given(struct arguments *args, const char *name, const struct argument **out)
{
	*out = builtin_take(args, name);
	return *out && (*out)->value->kind != VALUE_NONE && !value_failed((*out)->value);
}

static bool add_texts(struct csv_call *c, struct arguments *args)
{
	if (!given(args, "text", &c->at))
		return true;
	const struct value *v = c->at->value;
	bool listed = v->kind == VALUE_LIST;
	for (int i = 0; i < (listed ? v->items.n : 1); i++) {
		struct columns columns;
		if (!column_of(c, listed ? v->items.at[i] : v, &columns))
			return false;
		if (columns.count > MAX_TEXT_COLUMNS) {
			elab_error(c->e, PML0209, c->at->span, "at most %d columns of texts are read, these are %lld",
				   MAX_TEXT_COLUMNS, (long long)columns.count);
			return false;
		}
		for (int64_t k = 0; k < columns.count; k++) {
			struct columns one = columns;
			if (columns.number->i >= 0)
				one.number = host_int(c->e, columns.number->i + k);
			add_column(c, "csv_text", c->handle, &one);
		}
	}
	return true;
}

static bool add_codes(const struct csv_call *c, struct arguments *args)
{
	const struct argument *a;
	struct elab *e = c->e;
	if (!given(args, "codes", &a))
		return true;
	if (a->value->kind == VALUE_DATASET) {
		struct host_expr *x[3] = {c->handle, a->value->dataset->handle,
					  host_int(e, elab_site_id(e, a->span, "data.csv"))};
		host_eval(e, host_call(e, "csv_codes_of", HOST_VOID, a->span, 3, x), a->span);
		return true;
	}
	if (a->value->kind != VALUE_HOST || a->value->host.type != HOST_TEXT) {
		elab_error(
			e, PML0209, a->span,
			"`codes` of `data.csv` is the dataset that has them or a file of data.save_codes, this is %s",
			value_describe(e, a->value));
		return false;
	}
	struct host_expr *x[2] = {c->handle, host_of(e, &a->value->host)};
	host_eval(e, host_call(e, "csv_codes_file", HOST_VOID, a->span, 2, x), a->span);
	return true;
}

/* A number for the whole file: `missing = 0.0`, `unknown = -1`. */
static bool add_number(const struct csv_call *c, struct arguments *args, const char *name, const char *function,
		       bool is_float)
{
	const struct argument *a;
	if (!given(args, name, &a))
		return true;
	if (!value_is_number(a->value) || (!is_float && a->value->host.type != HOST_INT)) {
		elab_error(c->e, PML0209, a->span, "`%s` of `data.csv` is %s, this is %s", name,
			   is_float ? "a number" : "an int", value_describe(c->e, a->value));
		return false;
	}
	const struct value *v = is_float ? host_to_float(c->e, a->value) : a->value;
	struct host_expr *x[2] = {c->handle, host_of(c->e, &v->host)};
	host_eval(c->e, host_call(c->e, function, HOST_VOID, a->span, 2, x), a->span);
	return true;
}

/* `separator = ";"`, `decimal = ","`; NULL after an error. */
static struct host_expr *sign_of(struct elab *e, struct arguments *args, const char *name, const char *otherwise)
{
	const struct argument *a;
	if (!given(args, name, &a))
		return host_text(e, otherwise);
	if (a->value->kind == VALUE_HOST && a->value->host.type == HOST_TEXT)
		return host_of(e, &a->value->host);
	elab_error(e, PML0209, a->span, "`%s` is a text of one sign, this is %s", name, value_describe(e, a->value));
	return NULL;
}

/* The handle of a csv file: its path, separators and heading. False after an error. */
static bool open_file(struct csv_call *c, struct arguments *args, const struct data_paths *paths, struct span at)
{
	const struct argument *heading;
	struct elab *e = c->e;
	bool has_heading = given(args, "heading", &heading);
	if (has_heading && (!value_is_known(heading->value) || heading->value->host.type != HOST_BOOL)) {
		elab_error(e, PML0209, heading->span,
			   "`heading` says whether the first line is one: a bool known when compiling, this is %s",
			   value_describe(e, heading->value));
		return false;
	}
	struct host_expr *x[5] = {paths->path[0], sign_of(e, args, "separator", ","), sign_of(e, args, "decimal", "."),
				  host_int(e, has_heading ? heading->value->host.i : -1),
				  host_int(e, elab_site_id(e, at, "data.csv"))};
	if (!x[1] || !x[2])
		return false;
	const struct value *h =
		host_freeze(e, value_expr(e, host_call(e, "csv_open", HOST_HANDLE, at, 5, x)), NULL, at);
	c->handle = host_of(e, &h->host);
	for (int i = 1; i < paths->n; i++) {
		struct host_expr *more[2] = {c->handle, paths->path[i]};
		host_eval(e, host_call(e, "csv_more", HOST_VOID, at, 2, more), at);
	}
	return true;
}

/* data_csv(path, columns, heading, separator, decimal, missing, text, codes, unknown). */
const struct value *builtin_data_csv(struct elab *e, struct arguments *args)
{
	struct csv_call c = {.e = e};
	struct data_paths paths;
	const struct argument *path = builtin_need(e, args, BUILTIN_data_csv, "path");
	const struct argument *list = path ? builtin_need(e, args, BUILTIN_data_csv, "columns") : NULL;
	if (!list)
		return &value_error;
	if (!data_paths(e, path, BUILTIN_data_csv, &paths) || !open_file(&c, args, &paths, args->span) ||
	    !add_number(&c, args, "missing", "csv_missing", true) || !add_texts(&c, args) || !add_codes(&c, args) ||
	    !add_number(&c, args, "unknown", "csv_unknown", false) || !builtin_done(e, args, BUILTIN_data_csv))
		return &value_error;
	int n = 0;
	c.at = list;
	struct host_expr *all = add_fields(&c, &n);
	return all ? data_value(e, all, n, args->span) : &value_error;
}

/* ---- what codes stand for ---- */

/* Dataset, name and number of a column of texts; false after an error. */
static bool text_column(struct elab *e, struct arguments *args, enum builtin b, struct host_expr **x)
{
	const struct dataset *d = data_of(e, builtin_need(e, args, b, "dataset"));
	const struct argument *column = d ? builtin_need(e, args, b, "column") : NULL;
	struct csv_call c = {.e = e, .at = column};
	struct columns columns;
	if (!column || !column_of(&c, column->value, &columns))
		return false;
	x[0] = d->handle;
	x[1] = columns.name;
	x[2] = columns.number;
	return true;
}

const struct value *builtin_data_texts(struct elab *e, struct arguments *args)
{
	struct host_expr *x[4];
	if (!text_column(e, args, BUILTIN_data_texts, x) || !builtin_done(e, args, BUILTIN_data_texts))
		return &value_error;
	x[3] = host_int(e, elab_site_id(e, args->span, "data.texts"));
	return value_expr(e, host_call(e, "data_texts", HOST_INT, args->span, 4, x));
}

const struct value *builtin_data_text(struct elab *e, struct arguments *args)
{
	struct host_expr *x[5];
	if (!text_column(e, args, BUILTIN_data_text, x))
		return &value_error;
	const struct argument *code = builtin_need(e, args, BUILTIN_data_text, "code");
	if (!code)
		return &value_error;
	struct argument number = *code;
	if (value_is_tensor(code->value))
		number.value = read_scalar(e, code->value, code->span);
	if (value_failed(number.value) || !(x[3] = data_int(e, &number, "a code")) ||
	    !builtin_done(e, args, BUILTIN_data_text))
		return &value_error;
	x[4] = host_int(e, elab_site_id(e, args->span, "data.text"));
	return value_expr(e, host_call(e, "data_text", HOST_TEXT, args->span, 5, x));
}

const struct value *builtin_data_save_codes(struct elab *e, struct arguments *args)
{
	const struct dataset *d = data_of(e, builtin_need(e, args, BUILTIN_data_save_codes, "dataset"));
	const struct argument *path = d ? builtin_need(e, args, BUILTIN_data_save_codes, "path") : NULL;
	struct host_expr *x[3] = {d ? d->handle : NULL,
				  path ? data_path(e, path->value, path->span, BUILTIN_data_save_codes) : NULL,
				  host_int(e, elab_site_id(e, args->span, "data.save_codes"))};
	if (!x[0] || !x[1] || !builtin_done(e, args, BUILTIN_data_save_codes))
		return &value_error;
	region_close(e);
	host_eval(e, host_call(e, "data_save_codes", HOST_VOID, args->span, 3, x), args->span);
	return &value_nothing;
}
