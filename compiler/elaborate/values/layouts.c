/* layouts.c — layouts as written, on the placement and of the dimensions they are for. */
#include "values.h"

#include <string.h>

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

/* Which layout the atom is to be; written: NULL where it is one of several that a name stands for. */
static void help_layout(struct elab *e, struct diag *d, const struct ast_atom *written, const char *layout)
{
	if (written)
		diag_edit(d, written->span,
			  written->axis.text ? arena_printf(e->a, "%s=%s", written->axis.text, layout) : layout);
}

/* The dimension a tensor of this rank is split along; negative ones count from the end. */
static bool check_split(struct elab *e, struct span at, const struct ast_atom *written, int64_t d, int rank,
			struct shard_atom *out)
{
	out->kind = SHARD_S;
	out->dim = (int8_t)(d < 0 ? d + rank : d);
	if (d >= -rank && d < rank)
		return true;
	struct diag *g = elab_error(e, PML0210, at, "a tensor of %d dimension%s has no dimension %lld to split", rank,
				    rank == 1 ? "" : "s", (long long)(d < 0 ? d + rank : d));
	if (rank == 0) {
		diag_help(g, "a number is not split, every rank has it: `B`");
		help_layout(e, g, written, "B");
	} else if (d == rank) {
		const char *last = arena_printf(e->a, "S(%d)", rank - 1);
		diag_help(g, "dimensions are counted from 0, so the last one is `%s`", last);
		help_layout(e, g, written, last);
	}
	return false;
}

/* What a layout parameter or constant stands for, NULL with a message if it is no layout. */
static const struct value *named_layout(struct elab *e, const struct ast_atom *a)
{
	const struct binding *b = env_find(e, a->param.text);
	const struct value *v = b ? b->value : a->item ? item_value(e, a->item, a->span) : NULL;
	if (v && v->kind == VALUE_LAYOUT)
		return v;
	if (v && value_failed(v))
		return NULL;
	elab_error(e, PML0213, a->span, "`%s` is not a layout%s%s", a->param.text, v ? ", it is " : "",
		   v ? value_describe(e, v) : "");
	return NULL;
}

/* A layout that is a value, on one axis of a placement. word: `rows`, as it is written at `at`; written: see
 * help_layout. */
static bool place_value(struct elab *e, const struct layout_spec *l, const char *word, struct span at,
			const struct ast_atom *written, const struct place *p, int axis, int rank,
			struct shard_atom *out)
{
	if (!l || l->form != LAYOUT_GIVEN) {
		struct diag *d =
			elab_error(e, PML0213, at, "`%s` stands for a whole layout, not for that on one axis", word);
		if (l)
			diag_label(d, l->span, "it is that of all axes here");
		return false;
	}
	*out = l->layout.atom[0];
	return out->kind != SHARD_S ||
	       (check_split(e, at, written, out->dim, rank, out) && shares_on_axis(e, at, p, axis, &out->shares));
}

static bool resolve_atom(struct elab *e, const struct ast_atom *a, const struct place *p, int axis, int rank,
			 struct shard_atom *out)
{
	memset(out, 0, sizeof *out);
	if (a->form == ATOM_AUTO && !e->takes_auto) {
		struct diag *d =
			elab_error(e, PML0213, a->span, "`auto` stands in the layout of a param, a state or a `to`");
		diag_help(d, "leave the layout out: a type without one takes, or gives back, whatever it is");
		return false;
	}
	if (a->form == ATOM_AUTO) {
		*out = atom_of_open(0); /* open_auto numbers it */
		return true;
	}
	if (a->form == ATOM_PARAM) {
		const struct value *v = named_layout(e, a);
		return v && place_value(e, v->layout, a->param.text, a->span, a, p, axis, rank, out);
	}
	if (a->form == ATOM_BROADCAST)
		return true;
	if (a->form == ATOM_PARTIAL) {
		out->kind = SHARD_P;
		return layout_combiner(e, a->combiner, &out->combiner);
	}
	int64_t d;
	if (!size_eval(e, a->dim, &d) || !check_split(e, a->span, a, d, rank, out))
		return false;
	return !a->shares || (shares_of_value(e, expr_eval(e, a->shares), a->shares->span, &out->shares) &&
			      shares_on_axis(e, a->shares->span, p, axis, &out->shares));
}

/* Which axis of the placement it is, -1 with a message if there is none, or it was given before. */
static int axis_once(struct elab *e, const struct place *p, struct name name, struct span at, bool *seen)
{
	for (int i = 0; i < p->naxes; i++)
		if (p->axis[i] == name.text) {
			if (seen[i])
				elab_error(e, PML0213, at, "axis `%s` is given twice", name.text);
			bool first = !seen[i];
			seen[i] = true;
			return first ? i : -1;
		}
	struct diag *d = elab_error(e, PML0213, at, "placement `%s` has no axis `%s`", p->name, name.text);
	diag_label(d, p->span, "declared here");
	if (name.span.file != at.file || name.span.begin < at.begin || name.span.end > at.end)
		diag_label(d, name.span, "named here");
	if (place_is_open(e, p))
		diag_help(d, "which axes it has is open: write `: auto` or `: B`");
	else if (p == e->fallback_place)
		diag_help(d, "what is declared without a placement is there: say one, `@ grid`, or of a struct "
			     "`param net : Net[grid];`");
	else if (p->naxes == 1 && !*p->axis[0])
		diag_help(d, "its one axis has no name: `S(0)` and `B` stand alone, without `%s=`", name.text);
	else
		place_note_axes(e, d, p);
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
		const struct ast_atom *a = &l->atoms.at[i];
		int axis = axis_once(e, p, a->axis, a->axis.span, seen);
		if (axis < 0 || !resolve_atom(e, a, p, axis, rank, &out->atom[axis]))
			return false;
		if (atoms_mix(p->naxes, out->atom))
			return report_two_combiners(e, a->span);
	}
	return true;
}

/* A layout that is a value and names axes: `rows`, used at `at`. */
static bool resolve_axes(struct elab *e, const struct value *v, struct span at, const struct place *p, int rank,
			 struct layout *out)
{
	bool seen[MAX_AXES] = {false};
	for (int i = 0; i < v->axes.n; i++) {
		const struct axis_layout *a = &v->axes.at[i];
		int axis = axis_once(e, p, a->axis, at, seen);
		if (axis < 0 || !place_value(e, a->layout, a->axis.text, at, NULL, p, axis, rank, &out->atom[axis]))
			return false;
		if (atoms_mix(p->naxes, out->atom))
			return report_two_combiners(e, at);
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

/* A name as the whole layout of p: of a parameter, of axes by name, or of any axis, which leaves to say of which one.
 * *one: it is the last, *out is not set. */
static bool resolve_whole(struct elab *e, const struct ast_atom *a, const struct place *p, int rank,
			  struct layout_spec *out, bool *one)
{
	const struct value *v = named_layout(e, a);
	if (!v)
		return false;
	if (!v->layout)
		return resolve_axes(e, v, a->span, p, rank, &out->layout);
	if (v->layout->form == LAYOUT_VAR) {
		*out = *v->layout;
		out->span = a->span;
		return true;
	}
	if (atom_variable(v->layout->layout.atom[0]) >= 0) {
		struct diag *d =
			elab_error(e, PML0213, a->span, "`%s` stands for the layout on one axis, not for a whole one",
				   a->param.text);
		diag_label(d, v->layout->span, "it is that of one axis here");
		return false;
	}
	*one = v->layout->layout.atom[0].kind != SHARD_B;
	return true;
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
	bool one = a->form != ATOM_BROADCAST;
	if (a->form == ATOM_PARAM) {
		one = false;
		bool good = resolve_whole(e, a, p, rank, out, &one);
		if (!one)
			return good;
	}
	if (a->form == ATOM_AUTO) {
		bool good = resolve_atom(e, a, p, 0, rank, &out->layout.atom[0]);
		for (int i = 1; i < p->naxes; i++)
			out->layout.atom[i] = out->layout.atom[0];
		return good;
	}
	if (p->naxes > 1 && one)
		return report_no_axes(e, l, p);
	return resolve_atom(e, a, p, 0, rank, &out->layout.atom[0]);
}

static void report_no_atom(struct elab *e, const struct arg *a, const struct value *v)
{
	struct diag *d = elab_error(e, PML0213, a->value->span, "the layout of one axis stands here, this is %s",
				    v->kind == VALUE_LAYOUT ? "that of several" : value_describe(e, v));
	diag_note(d,
		  "names with `=` in parentheses are a layout, `(dp=S(0), tp=B)`; values that have names are a struct");
	if (v->kind == VALUE_LAYOUT)
		return;
	diag_help(d, "to compare, write `==`");
	diag_edit(d, (struct span){a->span.file, a->name.span.end, a->value->span.begin}, " == ");
}

/* `(dp=S(0), tp=rows)` where a value stands. Which placement has these axes is told where it is used. */
const struct value *layout_eval(struct elab *e, const struct expr *x)
{
	struct value *v = value_new(e, VALUE_LAYOUT);
	for (int i = 0; i < x->layout.n; i++) {
		const struct arg *a = &x->layout.at[i];
		const struct value *atom = expr_eval(e, a->value);
		if (value_failed(atom))
			return &value_error;
		if (atom->kind != VALUE_LAYOUT || !atom->layout) {
			report_no_atom(e, a, atom);
			return &value_error;
		}
		vec_push(e->a, &v->axes, ((struct axis_layout){a->name, a->span, atom->layout}));
	}
	return v;
}
