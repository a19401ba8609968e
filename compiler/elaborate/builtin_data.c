/* builtin_data.c — datasets: readers, claims, batches. The functions of std.data are thin wrappers around these.
 *
 * What a file holds is known when the program runs; what the program takes it to hold is claimed in the source, `data
 * as (u8[_, 784], u8[_])`, so that every type is known now and the runtime checks the claim once. */
#include "builtin.h"

#include <string.h>

static const struct value *dataset_value(struct elab *e, struct host_expr *handle, int nfiles, struct span at)
{
	const struct value *h = host_freeze(e, value_expr(e, handle), "dataset", at);
	struct dataset *d = ARENA_NEW(e->a, struct dataset);
	*d = (struct dataset){.handle = host_of(e, &h->host), .nfiles = nfiles, .span = at};
	struct value *v = value_new(e, VALUE_DATASET);
	v->dataset = d;
	return v;
}

static struct host_expr *text_of(struct elab *e, const struct argument *a, enum builtin b)
{
	if (a->value->kind == VALUE_HOST && a->value->host.type == HOST_TEXT)
		return host_of(e, &a->value->host);
	elab_error(e, PML0209, a->span, "`%s` takes paths, this is %s", builtin_name((int)b),
		   value_describe(e, a->value));
	return NULL;
}

/* One reader per path, their fields joined. `none` stands for a path left out. */
static const struct value *read_files(struct elab *e, struct arguments *args, enum builtin b, const char *call)
{
	struct host_expr *all = NULL;
	int n = 0;
	for (int i = 0; i < args->at.n; i++) {
		const struct argument *a = &args->at.at[i];
		if (a->value->kind == VALUE_NONE)
			continue;
		struct host_expr *path = text_of(e, a, b);
		if (!path)
			return &value_error;
		struct host_expr *site = host_int(e, elab_site_id(e, args->span, call));
		struct host_expr *x[3] = {path, site, NULL};
		struct host_expr *one = host_call(e, call, HOST_HANDLE, args->span, 2, x);
		struct host_expr *pair[3] = {all, one, site};
		all = all ? host_call(e, "data_join", HOST_HANDLE, args->span, 3, pair) : one;
		n++;
	}
	if (n)
		return dataset_value(e, all, n, args->span);
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

static struct host_expr *int_of(struct elab *e, const struct argument *a, const char *what)
{
	if (a->value->kind == VALUE_HOST && a->value->host.type == HOST_INT)
		return host_of(e, &a->value->host);
	elab_error(e, PML0209, a->span, "%s is counted with an int, this is %s", what, value_describe(e, a->value));
	return NULL;
}

/* data_csv(path, first, count): one field of `count` columns. */
const struct value *builtin_data_csv(struct elab *e, struct arguments *args)
{
	const struct argument *path = builtin_need(e, args, BUILTIN_data_csv, "path");
	if (!path)
		return &value_error;
	struct host_expr *x[4] = {text_of(e, path, BUILTIN_data_csv)};
	const struct argument *first = builtin_need(e, args, BUILTIN_data_csv, "first");
	x[1] = first ? int_of(e, first, "a column") : NULL;
	const struct argument *count = first ? builtin_need(e, args, BUILTIN_data_csv, "columns") : NULL;
	x[2] = count ? int_of(e, count, "a column") : NULL;
	if (!x[0] || !x[1] || !x[2] || !builtin_done(e, args, BUILTIN_data_csv))
		return &value_error;
	x[3] = host_int(e, elab_site_id(e, args->span, "data_csv"));
	return dataset_value(e, host_call(e, "data_csv", HOST_HANDLE, args->span, 4, x), 1, args->span);
}

/* data_windows(path, stride): rows that begin `stride` elements apart, as long as they are claimed. */
const struct value *builtin_data_windows(struct elab *e, struct arguments *args)
{
	const struct argument *path = builtin_need(e, args, BUILTIN_data_windows, "path");
	const struct argument *stride = path ? builtin_need(e, args, BUILTIN_data_windows, "stride") : NULL;
	if (!stride || !builtin_done(e, args, BUILTIN_data_windows))
		return &value_error;
	struct host_expr *x[3] = {text_of(e, path, BUILTIN_data_windows), int_of(e, stride, "a distance"),
				  host_int(e, elab_site_id(e, args->span, "data_windows"))};
	if (!x[0] || !x[1])
		return &value_error;
	return dataset_value(e, host_call(e, "data_windows", HOST_HANDLE, args->span, 3, x), 1, args->span);
}

static const struct dataset *dataset_of(struct elab *e, const struct argument *a)
{
	if (!a)
		return NULL;
	if (a->value->kind == VALUE_DATASET)
		return a->value->dataset;
	elab_error(e, PML0209, a->span, "a dataset is needed here, this is %s", value_describe(e, a->value));
	return NULL;
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
	const struct dataset *a = dataset_of(e, builtin_need(e, args, BUILTIN_data_join, "a"));
	const struct dataset *b = a ? dataset_of(e, builtin_need(e, args, BUILTIN_data_join, "b")) : NULL;
	if (!b || !builtin_done(e, args, BUILTIN_data_join))
		return &value_error;
	struct host_expr *x[3] = {a->handle, b->handle, host_int(e, elab_site_id(e, args->span, "data_join"))};
	struct host_expr *joined = host_call(e, "data_join", HOST_HANDLE, args->span, 3, x);
	return keep_claims(e, dataset_value(e, joined, a->nfiles + b->nfiles, args->span), a, b);
}

const struct value *builtin_data_rows(struct elab *e, struct arguments *args)
{
	const struct dataset *d = dataset_of(e, builtin_need(e, args, BUILTIN_data_rows, "dataset"));
	if (!d || !builtin_done(e, args, BUILTIN_data_rows))
		return &value_error;
	struct host_expr *x = d->handle;
	return value_expr(e, host_call(e, "data_rows", HOST_INT, args->span, 1, &x));
}

/* data_slice(dataset, first, last): rows first to last - 1, claimed as the whole is. */
const struct value *builtin_data_slice(struct elab *e, struct arguments *args)
{
	const struct dataset *whole = dataset_of(e, builtin_need(e, args, BUILTIN_data_slice, "dataset"));
	const struct argument *first = whole ? builtin_need(e, args, BUILTIN_data_slice, "first") : NULL;
	const struct argument *last = first ? builtin_need(e, args, BUILTIN_data_slice, "last") : NULL;
	if (!last || !builtin_done(e, args, BUILTIN_data_slice))
		return &value_error;
	struct host_expr *x[4] = {whole->handle, int_of(e, first, "a row"), int_of(e, last, "a row"),
				  host_int(e, elab_site_id(e, args->span, "data_slice"))};
	if (!x[1] || !x[2])
		return &value_error;
	const struct value *h = host_freeze(e, value_expr(e, host_call(e, "data_slice", HOST_HANDLE, args->span, 4, x)),
					    "dataset", args->span);
	struct dataset *d = ARENA_NEW(e->a, struct dataset);
	*d = *whole;
	d->handle = host_of(e, &h->host);
	d->span = args->span;
	struct value *v = value_new(e, VALUE_DATASET);
	v->dataset = d;
	return v;
}

/* ---- claims ---- */

static bool claim_field(struct elab *e, struct dataset *d, const struct type *t, int field)
{
	struct data_field f = {0};
	int64_t rows = -1;
	if (t->kind == TYPE_TUPLE || t->kind == TYPE_ARRAY || !t->name.text || !t->has_dims || !t->dims.n ||
	    t->dims.n > MAX_RANK) {
		struct diag *g = elab_error(e, PML0221, t->span,
					    "a field of a dataset is claimed as element type, rows and row shape");
		diag_help(g, "for example `u8[_, 784]`");
		return false;
	}
	f.dtype = dtype_resolve(e, t->name);
	if (f.dtype == DT_COUNT)
		return false;
	for (int i = 0; i < t->dims.n; i++) {
		const struct ast_dim *dim = &t->dims.at[i];
		int64_t n = -1;
		if (dim->form == DIM_EXPR ? !size_eval(e, dim->expr, &n) || n < 0 : i > 0) {
			elab_error(e, PML0221, dim->span, "only the number of rows may be left to the file");
			return false;
		}
		if (i)
			f.row.dim[f.row.rank++] = n;
		else
			rows = n;
	}
	vec_push(e->a, &d->fields, f);
	struct layout whole = layout_broadcast();
	struct host_expr *x[5] = {d->handle, host_int(e, field),
				  host_int(e, program_type(e->p, f.dtype, &f.row, NULL, &whole)), host_int(e, rows),
				  host_int(e, elab_site_id(e, t->span, "claim of a dataset"))};
	host_eval(e, host_call(e, "data_claim", HOST_VOID, t->span, 5, x), t->span);
	return true;
}

const struct value *data_claim(struct elab *e, const struct value *v, const struct expr *x)
{
	const struct type *t = x->as.type;
	struct dataset *d = ARENA_NEW(e->a, struct dataset);
	*d = *v->dataset;
	d->fields.n = d->fields.cap = 0;
	d->fields.at = NULL;
	int n = t->kind == TYPE_TUPLE ? t->members.n : 1;
	if (d->nfiles >= 0 && n != d->nfiles) {
		elab_error(e, PML0221, t->span, "the dataset has %d field%s, the claim has %d", d->nfiles,
			   d->nfiles == 1 ? "" : "s", n);
		return &value_error;
	}
	for (int i = 0; i < n; i++)
		if (!claim_field(e, d, t->kind == TYPE_TUPLE ? t->members.at[i] : t, i))
			return &value_error;
	d->claimed = true;
	struct value *out = value_new(e, VALUE_DATASET);
	out->dataset = d;
	return out;
}

/* ---- batches ---- */

/* A number of batches; the fallback where it is left out or `none`. NULL after an error. */
static struct host_expr *batch_number(struct elab *e, struct arguments *args, const char *name, int64_t fallback)
{
	const struct argument *a = builtin_take(args, name);
	return a && a->value->kind != VALUE_NONE ? int_of(e, a, "a batch") : host_int(e, fallback);
}

/* data_batches(dataset, size, key, first, steps): key `none` keeps the order, steps `none` is one pass. */
const struct value *builtin_data_batches(struct elab *e, struct arguments *args)
{
	const struct argument *data = builtin_need(e, args, BUILTIN_data_batches, "dataset");
	const struct dataset *d = dataset_of(e, data);
	if (!d)
		return &value_error;
	if (!d->claimed) {
		struct diag *g = elab_error(e, PML0221, data->span,
					    "the element types and row shapes of this dataset are not known");
		diag_label(g, d->span, "read here");
		diag_help(g, "claim them where it is read: `... as (u8[_, 784], u8[_])`");
		return &value_error;
	}
	const struct argument *size = builtin_need(e, args, BUILTIN_data_batches, "size");
	if (!size)
		return &value_error;
	if (!value_is_known(size->value) || size->value->host.type != HOST_INT || size->value->host.i < 1) {
		struct diag *g = elab_error(e, PML0205, size->span,
					    "the size of a batch is an int of at least 1 known when compiling");
		diag_note(g, "it is part of the shape of every tensor that is computed from the batch");
		return &value_error;
	}
	struct batches *b = ARENA_NEW(e->a, struct batches);
	*b = (struct batches){.data = d, .size = size->value->host.i, .span = elab_site(e, args->span).span};
	const struct argument *key = builtin_take(args, "key");
	if (key && key->value->kind == VALUE_HOST && key->value->host.type == HOST_KEY) {
		b->key = &key->value->host;
	} else if (key && key->value->kind != VALUE_NONE) {
		elab_error(e, PML0209, key->span, "data is shuffled with a random key, this is %s",
			   value_describe(e, key->value));
		return &value_error;
	}
	b->first = batch_number(e, args, "first", 0);
	b->steps = batch_number(e, args, "steps", -1);
	if (!b->first || !b->steps || !builtin_done(e, args, BUILTIN_data_batches))
		return &value_error;
	struct value *v = value_new(e, VALUE_BATCHES);
	v->batches = b;
	return v;
}

const struct value *data_batch(struct elab *e, const struct batches *b, int handle, struct span at)
{
	const struct dataset *d = b->data;
	const struct value **items = ARENA_ARRAY(e->a, const struct value *, d->fields.n + 1);
	struct graph *g = region_graph(e);
	struct node_site site = elab_site(e, at);
	int argument = region_handle(e, handle, at);
	for (int i = 0; i < d->fields.n; i++) {
		const struct data_field *f = &d->fields.at[i];
		struct shape s = {.rank = f->row.rank + 1, .dim = {b->size}};
		memcpy(s.dim + 1, f->row.dim, sizeof *s.dim * (size_t)f->row.rank);
		if (shape_volume(&s) < 0) {
			elab_error(e, PML0207, b->span, "a batch of %lld rows has too many elements",
				   (long long)b->size);
			return &value_error;
		}
		items[i] = tensor_value_of(e, graph_data(g, &site, argument, i, f->dtype, &s));
	}
	return d->fields.n == 1 ? items[0] : value_tuple(e, d->fields.n, items);
}
