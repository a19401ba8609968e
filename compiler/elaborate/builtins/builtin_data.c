/* builtin_data.c — datasets: readers, claims, batches. The functions of std.data are thin wrappers around these.
 *
 * What a file holds is known when the program runs; what the program takes it to hold is claimed in the source, `data
 * as (u8[_, 784], u8[_])`, so that every type is known now and the runtime checks the claim once. */
#include "builtin.h"
#include "../values/values.h"

#include <string.h>

const struct value *data_value(struct elab *e, struct host_expr *handle, int nfiles, struct span at)
{
	const struct value *h = host_freeze(e, value_expr(e, handle), "dataset", at);
	struct dataset *d = ARENA_NEW(e->a, struct dataset);
	*d = (struct dataset){.handle = host_of(e, &h->host), .nfiles = nfiles, .span = at};
	struct value *v = value_new(e, VALUE_DATASET);
	v->dataset = d;
	return v;
}

struct host_expr *data_path(struct elab *e, const struct value *v, struct span at, enum builtin b)
{
	if (v->kind == VALUE_HOST && v->host.type == HOST_TEXT)
		return host_of(e, &v->host);
	elab_error(e, PML0209, at, "`data.%s` takes a path or a list of paths, this is %s",
		   builtin_name((int)b) + strlen("data_"), value_describe(e, v));
	return NULL;
}

bool data_paths(struct elab *e, const struct argument *a, enum builtin b, struct data_paths *out)
{
	bool listed = a->value->kind == VALUE_LIST && a->value->items.n > 0;
	out->n = listed ? a->value->items.n : 1;
	out->path = ARENA_ARRAY(e->a, struct host_expr *, out->n);
	for (int i = 0; i < out->n; i++)
		if (!(out->path[i] = data_path(e, listed ? a->value->items.at[i] : a->value, a->span, b)))
			return false;
	return true;
}

/* A dataset of the rows of all files. */
static struct host_expr *read_paths(struct elab *e, const struct data_paths *paths, const char *call, int n,
				    struct host_expr *const *args, struct span at)
{
	struct host_expr *x[4] = {paths->path[0]};
	memcpy(x + 1, args, (size_t)n * sizeof *args);
	const struct value *v = host_freeze(e, value_expr(e, host_call(e, call, HOST_HANDLE, at, n + 1, x)), NULL, at);
	struct host_expr *handle = host_of(e, &v->host);
	for (int i = 1; i < paths->n; i++) {
		struct host_expr *more[2] = {handle, paths->path[i]};
		host_eval(e, host_call(e, "data_more", HOST_VOID, at, 2, more), at);
	}
	return handle;
}

/* One reader per argument, their fields joined. `none` stands for one left out. */
static const struct value *read_files(struct elab *e, struct arguments *args, enum builtin b, const char *call)
{
	struct host_expr *all = NULL;
	int n = 0;
	for (int i = 0; i < args->at.n; i++) {
		const struct argument *a = &args->at.at[i];
		struct data_paths paths;
		if (a->value->kind == VALUE_NONE)
			continue;
		if (!data_paths(e, a, b, &paths))
			return &value_error;
		struct host_expr *site = host_int(e, elab_site_id(e, args->span, call));
		struct host_expr *one = read_paths(e, &paths, call, 1, &site, args->span);
		struct host_expr *pair[3] = {all, one, site};
		all = all ? host_call(e, "data_join", HOST_HANDLE, args->span, 3, pair) : one;
		n++;
	}
	if (n)
		return data_value(e, all, n, args->span);
	elab_error(e, PML0203, args->span, "a dataset is made of at least one file");
	return &value_error;
}

const struct value *builtin_data_idx(struct elab *e, struct arguments *args)
{
	return read_files(e, args, BUILTIN_data_idx, "data_idx");
}

const struct value *builtin_data_npy(struct elab *e, struct arguments *args)
{
	return read_files(e, args, BUILTIN_data_npy, "data_npy");
}

const struct value *builtin_data_bytes(struct elab *e, struct arguments *args)
{
	return read_files(e, args, BUILTIN_data_bytes, "data_bytes");
}

struct host_expr *data_int(struct elab *e, const struct argument *a, const char *what)
{
	if (a->value->kind == VALUE_HOST && a->value->host.type == HOST_INT)
		return host_of(e, &a->value->host);
	elab_error(e, PML0209, a->span, "%s is counted with an int, this is %s", what, value_describe(e, a->value));
	return NULL;
}

/* data_windows(path, stride): rows that begin `stride` elements apart, as long as they are claimed. */
const struct value *builtin_data_windows(struct elab *e, struct arguments *args)
{
	const struct argument *path = builtin_need(e, args, BUILTIN_data_windows, "path");
	const struct argument *stride = path ? builtin_need(e, args, BUILTIN_data_windows, "stride") : NULL;
	if (!stride || !builtin_done(e, args, BUILTIN_data_windows))
		return &value_error;
	struct host_expr *x[2] = {data_int(e, stride, "a distance"),
				  host_int(e, elab_site_id(e, args->span, "data_windows"))};
	struct data_paths paths;
	if (!x[0] || !data_paths(e, path, BUILTIN_data_windows, &paths))
		return &value_error;
	return data_value(e, read_paths(e, &paths, "data_windows", 2, x, args->span), 1, args->span);
}

const struct dataset *data_of(struct elab *e, const struct argument *a)
{
	if (!a)
		return NULL;
	if (a->value->kind == VALUE_DATASET)
		return a->value->dataset;
	elab_error(e, PML0209, a->span, "a dataset is needed here, this is %s", value_describe(e, a->value));
	return NULL;
}

/* A dataset of other rows, claimed as d is. */
static const struct value *data_again(struct elab *e, const struct dataset *d, struct host_expr *rows, struct span at)
{
	const struct value *h = host_freeze(e, value_expr(e, rows), "dataset", at);
	struct dataset *x = ARENA_NEW(e->a, struct dataset);
	*x = *d;
	x->handle = host_of(e, &h->host);
	x->span = at;
	struct value *v = value_new(e, VALUE_DATASET);
	v->dataset = x;
	return v;
}

/* Two datasets whose types are known give one whose types are known. */
static const struct value *keep_claims(struct elab *e, const struct value *joined, const struct dataset *a,
				       const struct dataset *b)
{
	if (!a->claimed || !b->claimed)
		return joined;
	struct dataset *d = ARENA_NEW(e->a, struct dataset);
	*d = *joined->dataset;
	for (int i = 0; i < a->fields.n; i++)
		vec_push(e->a, &d->fields, a->fields.at[i]);
	for (int i = 0; i < b->fields.n; i++)
		vec_push(e->a, &d->fields, b->fields.at[i]);
	d->claimed = true;
	struct value *v = value_new(e, VALUE_DATASET);
	v->dataset = d;
	return v;
}

const struct value *builtin_data_join(struct elab *e, struct arguments *args)
{
	const struct dataset *a = data_of(e, builtin_need(e, args, BUILTIN_data_join, "a"));
	const struct dataset *b = a ? data_of(e, builtin_need(e, args, BUILTIN_data_join, "b")) : NULL;
	if (!b || !builtin_done(e, args, BUILTIN_data_join))
		return &value_error;
	struct host_expr *x[3] = {a->handle, b->handle, host_int(e, elab_site_id(e, args->span, "data_join"))};
	struct host_expr *joined = host_call(e, "data_join", HOST_HANDLE, args->span, 3, x);
	return keep_claims(e, data_value(e, joined, a->nfiles + b->nfiles, args->span), a, b);
}

/* data_concat(a, b): the rows of b behind those of a, which are claimed alike. */
const struct value *builtin_data_concat(struct elab *e, struct arguments *args)
{
	const struct dataset *a = data_of(e, builtin_need(e, args, BUILTIN_data_concat, "a"));
	const struct dataset *b = a ? data_of(e, builtin_need(e, args, BUILTIN_data_concat, "b")) : NULL;
	if (!b || !builtin_done(e, args, BUILTIN_data_concat))
		return &value_error;
	bool alike = a->claimed == b->claimed && a->nfiles == b->nfiles && a->fields.n == b->fields.n;
	for (int i = 0; alike && i < a->fields.n; i++)
		alike = a->fields.at[i].dtype == b->fields.at[i].dtype &&
			shape_equal(&a->fields.at[i].row, &b->fields.at[i].row);
	if (!alike) {
		elab_error(e, PML0209, args->span, "rows of one dataset are put behind rows of the same, these differ");
		return &value_error;
	}
	struct host_expr *x[3] = {a->handle, b->handle, host_int(e, elab_site_id(e, args->span, "data_concat"))};
	return data_again(e, a, host_call(e, "data_concat", HOST_HANDLE, args->span, 3, x), args->span);
}

const struct value *builtin_data_rows(struct elab *e, struct arguments *args)
{
	const struct dataset *d = data_of(e, builtin_need(e, args, BUILTIN_data_rows, "dataset"));
	if (!d || !builtin_done(e, args, BUILTIN_data_rows))
		return &value_error;
	struct host_expr *x = d->handle;
	return value_expr(e, host_call(e, "data_rows", HOST_INT, args->span, 1, &x));
}

/* data_slice(dataset, first, last): rows first to last - 1, claimed as the whole is. */
const struct value *builtin_data_slice(struct elab *e, struct arguments *args)
{
	const struct dataset *whole = data_of(e, builtin_need(e, args, BUILTIN_data_slice, "dataset"));
	const struct argument *first = whole ? builtin_need(e, args, BUILTIN_data_slice, "first") : NULL;
	const struct argument *last = first ? builtin_need(e, args, BUILTIN_data_slice, "last") : NULL;
	if (!last || !builtin_done(e, args, BUILTIN_data_slice))
		return &value_error;
	struct host_expr *x[4] = {whole->handle, data_int(e, first, "a row"), data_int(e, last, "a row"),
				  host_int(e, elab_site_id(e, args->span, "data_slice"))};
	if (!x[1] || !x[2])
		return &value_error;
	return data_again(e, whole, host_call(e, "data_slice", HOST_HANDLE, args->span, 4, x), args->span);
}

/* False after the error of a dataset of which nobody says what it holds. */
static bool is_claimed(struct elab *e, const struct dataset *d, struct span at)
{
	if (d->claimed)
		return true;
	struct diag *g = elab_error(e, PML0221, at, "the element types and row shapes of this dataset are not known");
	diag_label(g, d->span, "read here");
	diag_help(g, "claim them where it is read: `... as (u8[_, 784], u8[_])`");
	return false;
}

/* False after the error of what is no int of at least 1 that is known. */
static bool is_known_size(struct elab *e, const struct argument *a, const char *what, const char *why)
{
	const struct host_value *n = &a->value->host;
	if (value_is_known(a->value) && n->type == HOST_INT && n->i >= 1)
		return true;
	struct diag *g = elab_error(e, PML0205, a->span, "the %s is an int of at least 1 known when compiling", what);
	diag_note(g, "%s", why);
	help_config(e, g, a->value);
	return false;
}

/* The fields of d as rows of n rows; false after an error. */
static bool add_sequences(struct elab *e, struct dataset *to, const struct dataset *d, int64_t n, struct span at)
{
	for (int i = 0; i < d->fields.n; i++) {
		struct data_field f = d->fields.at[i];
		if (f.row.rank + 1 >= MAX_RANK) {
			elab_error(e, PML0207, at, "a batch of such sequences has more than %d dimensions", MAX_RANK);
			return false;
		}
		f.row = shape_of_lines(n, &f.row);
		if (shape_volume(&f.row) < 0) {
			elab_error(e, PML0207, at, "a sequence of %lld rows has too many elements", (long long)n);
			return false;
		}
		vec_push(e->a, &to->fields, f);
	}
	return true;
}

/* data_sequences(dataset, length, stride, dilation): rows that follow each other, of a dataset that is claimed, as one
 * row. */
const struct value *builtin_data_sequences(struct elab *e, struct arguments *args)
{
	const struct argument *data = builtin_need(e, args, BUILTIN_data_sequences, "dataset");
	const struct dataset *d = data_of(e, data);
	const struct argument *length = d ? builtin_need(e, args, BUILTIN_data_sequences, "length") : NULL;
	const struct argument *stride = length ? builtin_need(e, args, BUILTIN_data_sequences, "stride") : NULL;
	const struct argument *dilation = stride ? builtin_need(e, args, BUILTIN_data_sequences, "dilation") : NULL;
	if (!dilation || !builtin_done(e, args, BUILTIN_data_sequences) || !is_claimed(e, d, data->span))
		return &value_error;
	if (!is_known_size(e, length, "length of a sequence", "it is part of the shape of every batch"))
		return &value_error;
	int64_t n = length->value->host.i;
	struct host_expr *x[5] = {d->handle, host_int(e, n), data_int(e, stride, "a distance"),
				  data_int(e, dilation, "a distance"),
				  host_int(e, elab_site_id(e, args->span, "data_sequences"))};
	if (!x[2] || !x[3])
		return &value_error;
	struct dataset of = {.nfiles = d->nfiles, .claimed = true};
	if (!add_sequences(e, &of, d, n, args->span))
		return &value_error;
	return data_again(e, &of, host_call(e, "data_sequences", HOST_HANDLE, args->span, 5, x), args->span);
}

/* ---- batches ---- */

/* A number of batches, 0 and *left_out where it is left out or `none`. NULL after an error. */
static struct host_expr *batch_number(struct elab *e, struct arguments *args, const char *name, bool *left_out)
{
	const struct argument *a = builtin_take(args, name);
	*left_out = !a || a->value->kind == VALUE_NONE;
	return *left_out ? host_int(e, 0) : data_int(e, a, "a batch");
}

/* data_batches(dataset, size, key, first, steps, rest): key `none` keeps the order, steps `none` is one pass. */
const struct value *builtin_data_batches(struct elab *e, struct arguments *args)
{
	const struct argument *data = builtin_need(e, args, BUILTIN_data_batches, "dataset");
	const struct dataset *d = data_of(e, data);
	if (!d || !is_claimed(e, d, data->span))
		return &value_error;
	const struct argument *size = builtin_need(e, args, BUILTIN_data_batches, "size");
	if (!size || !is_known_size(e, size, "size of a batch",
				    "it is part of the shape of every tensor that is computed from the batch"))
		return &value_error;
	struct batches *b = ARENA_NEW(e->a, struct batches);
	*b = (struct batches){.data = d, .size = size->value->host.i, .span = elab_site(e, args->span).span};
	const struct argument *key = builtin_take(args, "key");
	if (key && key->value->kind == VALUE_HOST && key->value->host.type == HOST_KEY) {
		b->key = &key->value->host;
	} else if (key && key->value->kind != VALUE_NONE) {
		struct diag *m = elab_error(e, PML0209, key->span, "data is shuffled with a random key, this is %s",
					    value_describe(e, key->value));
		diag_help(m, "a key of the epoch gives each pass an order of its own: `shuffle = rng(epoch)`");
		return &value_error;
	}
	bool from_the_first;
	b->first = batch_number(e, args, "first", &from_the_first);
	b->steps = batch_number(e, args, "steps", &b->once);
	const struct argument *rest = builtin_take(args, "rest");
	if (rest && (!value_is_known(rest->value) || rest->value->host.type != HOST_BOOL)) {
		elab_error(e, PML0209, rest->span, "`rest` is a bool known when compiling, this is %s",
			   value_describe(e, rest->value));
		return &value_error;
	}
	b->rest = rest && rest->value->host.i;
	if (!b->first || !b->steps || !builtin_done(e, args, BUILTIN_data_batches))
		return &value_error;
	struct value *v = value_new(e, VALUE_BATCHES);
	v->batches = b;
	return v;
}

/* Field `field` of the current batch; NULL after an error. */
static const struct value *batch_field(struct elab *e, const struct batches *b, int handle, int field,
				       const struct data_field *f, struct span at)
{
	struct node_site site = elab_site(e, at);
	struct shape s = shape_of_lines(b->size, &f->row);
	if (shape_volume(&s) < 0) {
		elab_error(e, PML0207, b->span, "a batch of %lld rows has too many elements", (long long)b->size);
		return NULL;
	}
	int argument = region_handle(e, handle, at);
	return tensor_value_of(e, graph_data(region_graph(e), &site, argument, field, f->dtype, &s));
}

const struct value *data_batch(struct elab *e, const struct batches *b, int handle, struct span at)
{
	const struct dataset *d = b->data;
	const struct data_field counts = {.dtype = DT_F32}; /* 1 for a row, 0 for what fills up the last batch */
	int n = d->fields.n + b->rest;
	const struct value **items = ARENA_ARRAY(e->a, const struct value *, n + 1);
	for (int i = 0; i < n; i++) {
		items[i] = batch_field(e, b, handle, i, i < d->fields.n ? &d->fields.at[i] : &counts, at);
		if (!items[i])
			return &value_error;
	}
	return n == 1 ? items[0] : value_tuple(e, n, items);
}
