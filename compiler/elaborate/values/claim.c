/* claim.c — `dataset as (u8[_, 784], u8[_])`: what the fields of a dataset are taken to be, which the running program
 * checks. */
#include "values.h"

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
