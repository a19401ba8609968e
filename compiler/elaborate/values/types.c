/* types.c — types and sizes as written, with everything in them known. */
#include "values.h"

#include <string.h>

bool size_eval(struct elab *e, const struct expr *x, int64_t *out)
{
	return x && size_of_value(e, expr_eval(e, x), x->span, out);
}

bool size_of_value(struct elab *e, const struct value *v, struct span at, int64_t *out)
{
	if (value_failed(v))
		return false;
	if (number_is_known(e, v, at, out))
		return true;
	if (v->kind == VALUE_HOST && v->host.type == HOST_INT) {
		struct diag *d = elab_error(e, PML0205, at, "a size must be known when compiling");
		if (!help_config(e, d, v))
			diag_note(d, "this int is computed by the running program; a `const`, which -D can change, is "
				     "known");
		return false;
	}
	if (v->kind == VALUE_HOST && v->host.known && v->host.ratio.by) {
		struct diag *d = elab_error(e, PML0206, at, "%lld does not divide by %lld", (long long)v->host.ratio.of,
					    (long long)v->host.ratio.by);
		diag_note(d, "sizes divide exactly; `floor_div(a, b)` rounds down");
		return false;
	}
	struct diag *d = elab_error(e, PML0204, at, "a size is an int, this is %s", value_describe(e, v));
	elab_help_int(e, d, v, at);
	return false;
}

/* The element type that a value is. */
static enum dtype dtype_of_value(struct elab *e, const struct expr *x)
{
	const struct value *v = expr_eval(e, x);
	if (v->kind == VALUE_DTYPE)
		return v->dtype;
	if (value_failed(v))
		return DT_COUNT;
	struct diag *d =
		elab_error(e, PML0219, x->span, "an element type stands here, this is %s", value_describe(e, v));
	if (value_is_tensor(v)) {
		diag_help(d, "that of its elements is its `dtype`");
		diag_edit(d, (struct span){x->span.file, x->span.end, x->span.end}, ".dtype");
	}
	return DT_COUNT;
}

enum dtype dtype_resolve(struct elab *e, const struct type *type)
{
	struct name name = type->name;
	if (type->of)
		return dtype_of_value(e, type->of);
	struct binding *b = env_find(e, name.text);
	if (b && b->value->kind == VALUE_DTYPE)
		return b->value->dtype;
	enum dtype t = dtype_of_text(name.text);
	if (t != DT_COUNT)
		return t;
	static const struct {
		const char *name;
		enum dtype t;
	} aliases[] = {{"float", DT_F32}, {"int", DT_I64}};
	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (strcmp(name.text, aliases[i].name) == 0)
			return aliases[i].t;
	elab_error(e, PML0219, name.span, "`%s` is not an element type", name.text);
	return DT_COUNT;
}

/* ---- whole types ---- */

static bool resolve_shape(struct elab *e, const struct type *t, struct shape *out)
{
	out->rank = 0;
	for (int i = 0; i < t->dims.n; i++) {
		const struct ast_dim *d = &t->dims.at[i];
		if (d->form == DIM_REST) {
			const struct binding *rest = env_find(e, elab_intern(e, ".."));
			if (!rest || rest->value->kind != VALUE_SHAPE) {
				elab_error(e, PML0205, d->span, "the sizes of this type must be known here");
				return false;
			}
			for (int k = 0; k < rest->value->shape.rank && out->rank < MAX_RANK; k++)
				out->dim[out->rank++] = rest->value->shape.dim[k];
			continue;
		}
		if (d->form != DIM_EXPR) {
			elab_error(e, PML0205, d->span, "the sizes of this type must be known here");
			return false;
		}
		if (out->rank == MAX_RANK) {
			elab_error(e, PML0211, t->span, "a tensor has at most %d dimensions", (int)MAX_RANK);
			return false;
		}
		int64_t n;
		if (!size_eval(e, d->expr, &n))
			return false;
		if (n < 0) {
			elab_error(e, PML0207, d->span, "a size cannot be negative, this is %lld", (long long)n);
			return false;
		}
		out->dim[out->rank++] = n;
	}
	if (shape_volume(out) < 0) {
		elab_error(e, PML0207, t->span, "the tensor has more elements than can be counted");
		return false;
	}
	return true;
}

bool type_resolve(struct elab *e, const struct type *t, struct tensor_type *out)
{
	memset(out, 0, sizeof *out);
	if (t->kind != TYPE_TENSOR && t->kind != TYPE_NAMED) {
		elab_error(e, PML0204, t->span, "a tensor type is needed here");
		return false;
	}
	if (!t->name.text) {
		elab_error(e, PML0219, t->span, "the element type is missing");
		return false;
	}
	if (t->item) {
		elab_unsupported(e, t->span, "a struct here");
		return false;
	}
	out->dtype = dtype_resolve(e, t);
	if (out->dtype == DT_COUNT || !resolve_shape(e, t, &out->shape))
		return false;
	if (t->placement) {
		const struct value *p = expr_eval(e, t->placement);
		if (value_failed(p))
			return false;
		if (!place_is_one(e, t->placement, p))
			return false;
		out->place = p->place;
	}
	return layout_resolve(e, t->layout, out->place ? out->place : e->fallback_place, out->shape.rank, &out->layout);
}
