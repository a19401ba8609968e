/* types.c — types, sizes and layouts as written, with everything in them known. */
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
	if (v->kind == VALUE_HOST && v->host.type == HOST_INT && v->host.known) {
		*out = v->host.i;
		return true;
	}
	if (v->kind == VALUE_HOST && v->host.type == HOST_INT) {
		struct diag *d = elab_error(e, PML0205, at, "a size must be known when compiling");
		diag_note(d, "this int is computed by the running program; a `const`, which -D can change, is known");
		return false;
	}
	if (v->kind == VALUE_HOST && v->host.known && v->host.ratio.by) {
		struct diag *d = elab_error(e, PML0206, at, "%lld does not divide by %lld", (long long)v->host.ratio.of,
					    (long long)v->host.ratio.by);
		diag_note(d, "sizes divide exactly; `floor_div(a, b)` rounds down");
		return false;
	}
	elab_error(e, PML0204, at, "a size is an int, this is %s", value_describe(e, v));
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
	struct diag *d = elab_error(e, PML0219, x->span, "an element type stands here, this is %s", value_describe(e, v));
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

/* ---- layouts ---- */

bool layout_combiner(struct elab *e, struct name name, uint8_t *out)
{
	static const char *const names[] = {
		[SHARD_SUM] = "sum", [SHARD_MAX] = "max", [SHARD_MIN] = "min", [SHARD_PROD] = "prod"};
	*out = SHARD_SUM;
	if (!name.text)
		return true;
	for (uint8_t i = 0; i < 4; i++)
		if (strcmp(names[i], name.text) == 0) {
			*out = i;
			return true;
		}
	elab_error(e, PML0213, name.span, "a `P` is of sum, max, min or prod, not of `%s`", name.text);
	return false;
}

/* The dimension a tensor of this rank is split along; negative ones count from the end. */
static bool check_split(struct elab *e, struct span at, int64_t d, int rank, struct shard_atom *out)
{
	out->kind = SHARD_S;
	out->dim = (int8_t)(d < 0 ? d + rank : d);
	if (d >= -rank && d < rank)
		return true;
	elab_error(e, PML0210, at, "a tensor of %d dimension%s has no dimension %lld to split", rank,
		   rank == 1 ? "" : "s", (long long)(d < 0 ? d + rank : d));
	return false;
}

/* What a layout parameter or constant stands for, NULL with a message if it is no layout. */
static const struct layout_spec *named_layout(struct elab *e, const struct ast_atom *a)
{
	const struct binding *b = env_find(e, a->param.text);
	const struct value *v = b ? b->value : a->item ? item_value(e, a->item, a->span) : NULL;
	if (v && v->kind == VALUE_LAYOUT)
		return v->layout;
	if (v && value_failed(v))
		return NULL;
	elab_error(e, PML0213, a->span, "`%s` is not a layout%s%s", a->param.text, v ? ", it is " : "",
		   v ? value_describe(e, v) : "");
	return NULL;
}

static bool resolve_constant(struct elab *e, const struct ast_atom *a, const struct place *p, int axis, int rank,
			     struct shard_atom *out)
{
	const struct layout_spec *l = named_layout(e, a);
	if (!l)
		return false;
	if (l->form != LAYOUT_GIVEN) {
		struct diag *d = elab_error(e, PML0213, a->span,
					    "`%s` stands for a whole layout, not for that on one axis", a->param.text);
		diag_label(d, l->span, "it is that of all axes here");
		return false;
	}
	*out = l->layout.atom[0];
	return out->kind != SHARD_S || (check_split(e, a->span, out->dim, rank, out) &&
					shares_on_axis(e, a->span, p, axis, &out->shares));
}

static bool resolve_atom(struct elab *e, const struct ast_atom *a, const struct place *p, int axis, int rank,
			 struct shard_atom *out)
{
	memset(out, 0, sizeof *out);
	if (a->form == ATOM_AUTO && !e->takes_auto) {
		struct diag *d = elab_error(e, PML0213, a->span, "`auto` stands in the layout of a param, a state or a `to`");
		diag_help(d, "leave the layout out: `x: f32[8, 4]` takes, or gives back, whatever it is");
		return false;
	}
	if (a->form == ATOM_AUTO) {
		*out = atom_of_open(0); /* open_auto numbers it */
		return true;
	}
	if (a->form == ATOM_PARAM)
		return resolve_constant(e, a, p, axis, rank, out);
	if (a->form == ATOM_BROADCAST)
		return true;
	if (a->form == ATOM_PARTIAL) {
		out->kind = SHARD_P;
		return layout_combiner(e, a->combiner, &out->combiner);
	}
	int64_t d;
	if (!size_eval(e, a->dim, &d) || !check_split(e, a->span, d, rank, out))
		return false;
	return !a->shares || (shares_of_value(e, expr_eval(e, a->shares), a->shares->span, &out->shares) &&
			      shares_on_axis(e, a->shares->span, p, axis, &out->shares));
}

static int axis_of(struct elab *e, const struct place *p, const struct ast_atom *a)
{
	for (int i = 0; i < p->naxes; i++)
		if (p->axis[i] == a->axis.text)
			return i;
	struct diag *d = elab_error(e, PML0213, a->axis.span, "placement `%s` has no axis `%s`", p->name, a->axis.text);
	diag_label(d, p->span, "declared here");
	if (p == e->fallback_place)
		diag_help(d, "what is declared without a placement is there: say one, `@ grid`, or of a struct "
			     "`param net : Net[grid];`");
	return -1;
}

static bool report_two_combiners(struct elab *e, struct span at)
{
	struct diag *d = elab_error(e, PML0213, at, "a tensor cannot be unfinished in two ways");
	diag_note(d, "its parts would have to be joined by both reductions, and a sum of maxima is not a maximum of "
		     "sums: finish one of them first");
	return false;
}

static bool resolve_named(struct elab *e, const struct ast_layout *l, const struct place *p, int rank,
			  struct layout *out)
{
	bool seen[MAX_AXES] = {false};
	for (int i = 0; i < l->atoms.n; i++) {
		int axis = axis_of(e, p, &l->atoms.at[i]);
		if (axis < 0)
			return false;
		if (seen[axis]) {
			elab_error(e, PML0213, l->atoms.at[i].span, "axis `%s` is given twice", p->axis[axis]);
			return false;
		}
		seen[axis] = true;
		if (!resolve_atom(e, &l->atoms.at[i], p, axis, rank, &out->atom[axis]))
			return false;
		if (atoms_mix(p->naxes, out->atom))
			return report_two_combiners(e, l->atoms.at[i].span);
	}
	return true;
}

/* Several atoms without names, or one where the placement has several axes: says which axes there are. */
static bool report_no_axes(struct elab *e, const struct ast_layout *l, const struct place *p)
{
	const char *source = e->s->sources.at[l->span.file].bytes;
	const struct ast_atom *first = &l->atoms.at[0];
	struct text axes;
	text_init(&axes, e->a);
	for (int i = 0; i < p->naxes; i++)
		text_printf(&axes, "%s`%s`", i == 0 ? "" : i == p->naxes - 1 ? " and " : ", ", p->axis[i]);
	if (p->naxes == 1) {
		elab_error(e, PML0213, l->span, "`%s` has one axis, these are layouts of %d", p->name, l->atoms.n);
		return false;
	}
	struct diag *d = elab_error(e, PML0213, l->span, "`%s` has the axes %s: say on which %s", p->name,
				    text_get(&axes), l->atoms.n > 1 ? "each of these holds" : "this holds");
	if (l->atoms.n == 1) {
		const char *atom = arena_strndup(e->a, source + first->span.begin, first->span.end - first->span.begin);
		diag_help(d, "write `(%s=%s)` or `(%s=%s)`; axes that are not mentioned are `B`", p->axis[0], atom,
			  p->axis[1], atom);
		return false;
	}
	diag_note(d, "axes are named, in any order; those that are not mentioned are `B`");
	if (l->atoms.n > p->naxes)
		return false;
	diag_help(d, "in the order of the axes");
	for (int i = 0; i < l->atoms.n; i++) {
		struct span at = l->atoms.at[i].span;
		diag_edit(d, (struct span){at.file, at.begin, at.begin}, arena_printf(e->a, "%s=", p->axis[i]));
	}
	return false;
}

bool layout_resolve(struct elab *e, const struct ast_layout *l, const struct place *p, int rank,
		    struct layout_spec *out)
{
	*out = (struct layout_spec){.form = LAYOUT_INFER};
	if (!l)
		return true;
	out->span = l->span;
	out->form = LAYOUT_GIVEN;
	out->layout = layout_broadcast();
	if (l->named_axes)
		return resolve_named(e, l, p, rank, &out->layout);
	if (l->atoms.n > 1)
		return report_no_axes(e, l, p);
	const struct ast_atom *a = &l->atoms.at[0];
	bool whole = a->form == ATOM_BROADCAST;
	if (a->form == ATOM_PARAM) {
		const struct layout_spec *named = named_layout(e, a);
		if (!named)
			return false;
		if (named->form == LAYOUT_VAR) {
			*out = *named;
			out->span = a->span;
			return true;
		}
		whole = named->layout.atom[0].kind == SHARD_B;
		if (atom_variable(named->layout.atom[0]) >= 0) {
			struct diag *d = elab_error(e, PML0213, a->span,
						    "`%s` stands for the layout on one axis, not for a whole one",
						    a->param.text);
			diag_label(d, named->span, "it is that of one axis here");
			return false;
		}
	}
	if (a->form == ATOM_AUTO) {
		bool good = resolve_atom(e, a, p, 0, rank, &out->layout.atom[0]);
		for (int i = 1; i < p->naxes; i++)
			out->layout.atom[i] = out->layout.atom[0];
		return good;
	}
	if (p->naxes > 1 && !whole)
		return report_no_axes(e, l, p);
	return resolve_atom(e, a, p, 0, rank, &out->layout.atom[0]);
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
