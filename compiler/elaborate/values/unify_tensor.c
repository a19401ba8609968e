/* unify_tensor.c — a tensor to a declared type: element type, sizes, placement, layout, each of which may be open. */
#include "unify.h"

#include <string.h>

struct diag *fit_mismatch(struct fit *f, enum diag_code code, const char *why)
{
	struct text t;
	text_init(&t, f->e->a);
	ast_print_type(&t, f->type);
	struct diag *d = elab_error(f->e, code, f->at, "%s is `%s`, this is %s", f->what, text_get(&t),
				    value_describe(f->e, f->value));
	diag_label(d, f->type->span, "%s", why);
	if (f->item)
		elab_help_argument(f->e, d, f->value, f->at);
	else
		elab_help_sort(f->e, d, f->value, f->at);
	return d;
}

struct generic *fit_open_generic(struct fit *f, const char *name)
{
	for (int i = 0; f->item && name && i < f->item->generics.n; i++) {
		struct generic *g = &f->item->generics.at[i];
		if (g->name.text == name)
			return env_find(f->e, name) ? NULL : g;
	}
	return NULL;
}

/* ---- element types ---- */

static bool class_has(const char *class, enum dtype t)
{
	enum dtype_kind k = dtype_kind(t);
	if (strcmp(class, "float") == 0)
		return k == DTYPE_FLOAT;
	if (strcmp(class, "int") == 0)
		return k == DTYPE_INT || k == DTYPE_UINT;
	if (strcmp(class, "number") == 0)
		return k != DTYPE_BOOL;
	return dtype_of_text(class) == t;
}

static bool is_class(const char *name)
{
	return strcmp(name, "float") == 0 || strcmp(name, "int") == 0 || strcmp(name, "number") == 0;
}

/* The conversion that most programs mean where any int or any float would do. */
static void help_class(struct fit *f, struct diag *d, const char *class)
{
	elab_help_as(f->e, d, f->at, strcmp(class, "int") == 0 ? DT_I32 : DT_F32);
}

bool fit_dtype(struct fit *f, enum dtype t)
{
	const char *name = f->type->name.text;
	struct generic *g = fit_open_generic(f, name);
	if (g) {
		if (g->kind.text && !class_has(g->kind.text, t)) {
			struct diag *d = fit_mismatch(f, PML0202,
						      arena_printf(f->e->a, "`%s` stands for %s", name, g->kind.text));
			help_class(f, d, g->kind.text);
			return false;
		}
		env_bind(f->e, g->name, BIND_LET, value_dtype(f->e, t));
		return true;
	}
	struct binding *b = env_find(f->e, name);
	if (!b && is_class(name)) {
		if (class_has(name, t))
			return true;
		struct diag *d = fit_mismatch(f, PML0202, arena_printf(f->e->a, "wants %s elements", name));
		help_class(f, d, name);
		return false;
	}
	enum dtype want = dtype_resolve(f->e, f->type);
	if (want == t || want == DT_COUNT)
		return want == t;
	struct diag *d = fit_mismatch(f, PML0202, arena_printf(f->e->a, "wants %s", dtype_text(want)));
	elab_help_as(f->e, d, f->at, want);
	return false;
}

/* ---- sizes ---- */

bool fit_dim(struct fit *f, const struct ast_dim *d, int64_t n, int position)
{
	if (d->form == DIM_ANY)
		return true;
	if (d->expr->kind == EXPR_NAME) {
		struct generic *g = fit_open_generic(f, d->expr->name.text);
		if (g) {
			env_bind(f->e, g->name, BIND_LET, value_int(f->e, n))->span = f->at;
			return true;
		}
	}
	int64_t want;
	if (!size_eval(f->e, d->expr, &want))
		return false;
	if (want == n)
		return true;
	struct diag *g =
		fit_mismatch(f, PML0201, arena_printf(f->e->a, "dimension %d is %lld here", position, (long long)want));
	struct binding *b = d->expr->kind == EXPR_NAME ? env_find(f->e, d->expr->name.text) : NULL;
	if (b && b->span.file && b->span.begin != f->at.begin)
		diag_label(g, b->span, "`%s` is %lld because of this", b->name, (long long)want);
	if (!position)
		microbatch_note_rows(f->e, g, want, n,
				     "leave the number of rows open in the signature: `fn f[n](x: f32[n, …])`");
	return false;
}

static bool fit_rest(struct fit *f, const struct shape *s, int first, int count)
{
	struct shape rest = {.rank = count};
	memcpy(rest.dim, s->dim + first, sizeof *rest.dim * (size_t)count);
	struct name name = {elab_intern(f->e, ".."), f->at};
	struct binding *b = env_find(f->e, name.text);
	if (b && b->value->kind == VALUE_SHAPE) {
		if (shape_equal(&b->value->shape, &rest))
			return true;
		fit_mismatch(f, PML0201, "the dimensions at `..` differ from those of an earlier argument");
		return false;
	}
	env_bind(f->e, name, BIND_LET, value_shape(f->e, &rest));
	return true;
}

/* Where `..` stands among the dimensions; -1: nowhere. */
static int rest_of(const struct type *t)
{
	int rest = -1;
	for (int i = 0; i < t->dims.n; i++)
		if (t->dims.at[i].form == DIM_REST)
			rest = i;
	return rest;
}

static bool fit_rank(struct fit *f, const struct shape *s)
{
	int rest = rest_of(f->type), n = f->type->dims.n;
	if (rest < 0 ? s->rank == n : s->rank >= n - 1)
		return true;
	fit_mismatch(f, PML0211,
		     rest < 0 && !n ? "wants one number"
				    : arena_printf(f->e->a, "wants %s%d dimension%s", rest < 0 ? "" : "at least ",
						   rest < 0 ? n : n - 1, n - (rest >= 0) == 1 ? "" : "s"));
	return false;
}

/* Sizes that are a name, or any other dimension: the former bind what the latter are computed from. */
static bool fit_sizes(struct fit *f, const struct shape *s, bool names)
{
	const struct type *t = f->type;
	int rest = rest_of(t), n = t->dims.n;
	int extra = rest < 0 ? 0 : s->rank - (n - 1);
	for (int i = 0, d = 0; i < n; d += i == rest ? extra : 1, i++) {
		bool named = t->dims.at[i].form == DIM_EXPR && t->dims.at[i].expr->kind == EXPR_NAME;
		if (named == names &&
		    (i == rest ? !fit_rest(f, s, d, extra) : !fit_dim(f, &t->dims.at[i], s->dim[d], d)))
			return false;
	}
	return true;
}

static bool fit_shape(struct fit *f, const struct shape *s)
{
	return fit_sizes(f, s, true) && fit_sizes(f, s, false);
}

/* ---- placements and layouts ---- */

static bool fit_place(struct fit *f, const struct place *have, const struct place **want)
{
	*want = have;
	const struct expr *x = f->type->placement;
	if (!x)
		return true;
	struct generic *g = x->kind == EXPR_NAME ? fit_open_generic(f, x->name.text) : NULL;
	if (g) {
		if (have)
			env_bind(f->e, g->name, BIND_LET, value_place(f->e, have))->span = f->at;
		return true;
	}
	const struct value *p = expr_eval(f->e, x);
	if (value_failed(p))
		return false;
	if (!place_is_one(f->e, x, p))
		return false;
	*want = p->place;
	if (!have || place_same_mesh(have, p->place))
		return true;
	struct diag *d = fit_mismatch(f, PML0212, arena_printf(f->e->a, "wants it on `%s`", p->place->name));
	diag_help(d, "move it: `to @%s`", p->place->name);
	elab_edit_behind(f->e, d, f->at, arena_printf(f->e->a, " to @%s", p->place->name), false);
	return false;
}

/* A layout parameter that is met first becomes a variable of the graph: of all axes, or where it stands on one, of
 * that. */
static bool fit_layout(struct fit *f, const struct place *p, int rank, struct layout_spec *out)
{
	const struct ast_layout *l = f->type->layout;
	for (int i = 0; l && i < l->atoms.n; i++) {
		const struct ast_atom *a = &l->atoms.at[i];
		struct generic *g = a->form == ATOM_PARAM ? fit_open_generic(f, a->param.text) : NULL;
		if (!g)
			continue;
		int number = region_graph(f->e)->nlayout_vars++;
		struct layout_spec var = {.form = LAYOUT_VAR, .var = number, .span = l->span};
		if (l->named_axes)
			var = (struct layout_spec){
				.form = LAYOUT_GIVEN, .layout.atom[0] = atom_of_variable(number), .span = a->span};
		env_bind(f->e, g->name, BIND_LET, value_layout(f->e, &var));
	}
	return layout_resolve(f->e, l, p, rank, out);
}

/* Where no layout is declared, any finished one passes. */
const struct value *unify_boundary(struct elab *e, const struct value *v, struct span at, const char *what,
				   struct span where)
{
	if (!value_is_tensor(v) || !tensor_place(e, v) || elab_in_library(e))
		return v;
	struct node_site site = elab_site(e, at);
	struct node *n = tensor_node(e, v, at);
	/* Params and states are finished; what a variable keeps from an earlier region may not be. */
	if (n->kind == NODE_SLOT && e->p->slots.at[n->slot]->slot_class != SLOT_VALUE)
		return v;
	site.name = n->name;
	struct layout_spec any = {.form = LAYOUT_INFER};
	return tensor_value_of(e, graph_contract(region_graph(e), &site, n, n->place, &any, what, where));
}

/* Adds the contract of a declared placement and layout. */
static const struct value *contract(struct fit *f)
{
	struct elab *e = f->e;
	const struct shape *s = tensor_shape(e, f->value);
	const struct place *have = tensor_place(e, f->value), *want;
	struct layout_spec l;
	if (!fit_place(f, have, &want))
		return &value_error;
	if (f->type->layout && !want) {
		struct diag *d = elab_error(e, PML0214, f->at, "%s is on no rank yet", f->what);
		diag_help(d, "say where it is to be: `to @place`");
		return &value_error;
	}
	if (!want || (want == have && !f->type->layout))
		return unify_boundary(e, f->value, f->at, f->what, f->type->span);
	if (!fit_layout(f, want, s->rank, &l))
		return &value_error;
	struct node_site site = elab_site(e, f->at);
	struct node *n = tensor_node(e, f->value, f->at);
	struct graph *g = region_graph(e);
	if (!have) {
		n = graph_to(g, &site, n, want, &l);
		graph_retarget(g, n)->where = f->type->span;
		return tensor_value_of(e, n);
	}
	if (n->name)
		site.name = n->name;
	n = tensor_adopt(e, n, want, f->at);
	return tensor_value_of(e, graph_contract(g, &site, n, want, &l, f->what, f->type->span));
}

const struct value *fit_tensor(struct fit *f)
{
	struct elab *e = f->e;
	const struct shape *s = tensor_shape(e, f->value);
	if (!fit_rank(f, s) || !fit_dtype(f, tensor_dtype(e, f->value)) || !fit_shape(f, s))
		return &value_error;
	return contract(f);
}
