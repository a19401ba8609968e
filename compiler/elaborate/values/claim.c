/* claim.c — `dataset as (u8[_, 784], u8[_])`: what the fields of a dataset are taken to be, which the running program
 * checks. */
#include "values.h"

#include <string.h>

static bool claim_field(struct elab *e, struct dataset *d, const struct type *t, int field)
{
	struct data_field f = {0};
	int64_t rows = -1;
	if (t->kind == TYPE_TUPLE || t->kind == TYPE_ARRAY || !t->name.text || !t->has_dims || !t->dims.n ||
	    t->dims.n > MAX_RANK) {
		struct diag *g = elab_error(e, PML0221, t->span,
					    "a field of a dataset is claimed as element type, rows and row shape");
		diag_help(g, "a number in each row is `f32[_]`, 784 bytes in each are `u8[_, 784]`");
		return false;
	}
	f.dtype = dtype_resolve(e, t);
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

/* The list of `columns` that is written in `data.csv(…) as …`; NULL: none. */
static const struct expr *columns_of(const struct expr *x)
{
	if (x->kind != EXPR_CALL || x->callee->kind != EXPR_FIELD || strcmp(x->callee->name.text, "csv") != 0)
		return NULL;
	for (int i = 0; i < x->args.n; i++) {
		const struct arg *a = &x->args.at[i];
		bool is_it = a->name.text ? strcmp(a->name.text, "columns") == 0 : i == 1;
		if (is_it && a->value && a->value->kind == EXPR_LIST && a->value->items.n)
			return a->value;
	}
	return NULL;
}

/* How many columns the list has in all, if it has numbers of columns alone; 0: it has others. */
static int64_t counted_columns(const struct expr *list)
{
	int64_t sum = 0;
	for (int i = 0; i < list->items.n; i++) {
		if (list->items.at[i]->kind != EXPR_INT)
			return 0;
		sum += list->items.at[i]->i;
	}
	return sum;
}

static int64_t columns_of_field(const struct expr *list, int i)
{
	const struct expr *x = list->items.at[i];
	return counted_columns(list) ? x->i : x->kind == EXPR_LIST ? x->items.n : 1;
}

/* "(f32[_, 64], f32[_])": a claim of the elements t for each field. */
static const char *claim_of_fields(struct elab *e, const struct type *t, const struct expr *list)
{
	struct text all;
	text_init(&all, e->a);
	text_add(&all, "(");
	for (int i = 0; i < list->items.n; i++) {
		int64_t n = columns_of_field(list, i);
		text_printf(&all, "%s%s[_", i ? ", " : "", t->name.text);
		if (n > 1)
			text_printf(&all, ", %lld", (long long)n);
		text_add(&all, "]");
	}
	text_add(&all, ")");
	return text_get(&all);
}

/* One type where there are several fields: they are meant to be one, or one claim is meant for each. */
static void help_one_claim(struct elab *e, struct diag *d, const struct type *t, const struct expr *list)
{
	if (!list || !t->name.text) {
		diag_help(d, "a claim has a type for each field: `(f32[_, 3], i32[_])`");
		return;
	}
	const char *each = claim_of_fields(e, t, list);
	if (t->dims.n < 2) {
		diag_help(d, "a claim has a type for each field: `%s`", each);
		diag_edit(d, t->span, each);
		return;
	}
	int64_t sum = counted_columns(list);
	struct span at = list->span;
	diag_note(d, "each member of `columns` is a field, of which the claim would be `%s`", each);
	diag_help(d, sum ? "columns that are one field are one number"
			 : "columns that are one field stand in a list of their own");
	if (sum) {
		diag_edit(d, at, arena_printf(e->a, "[%lld]", (long long)sum));
		return;
	}
	diag_edit(d, (struct span){at.file, at.begin, at.begin}, "[");
	diag_edit(d, (struct span){at.file, at.end, at.end}, "]");
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
		struct diag *g = elab_error(e, PML0221, t->span, "the dataset has %d field%s, the claim has %d",
					    d->nfiles, d->nfiles == 1 ? "" : "s", n);
		const struct expr *list = columns_of(x->as.value);
		if (n == 1)
			help_one_claim(e, g, t, list && list->items.n == d->nfiles ? list : NULL);
		else if (list)
			diag_note(g, "each member of `columns` is a field: `[\"a\", \"b\"]` are two, "
				     "`[[\"a\", \"b\"]]` is one of two columns");
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
