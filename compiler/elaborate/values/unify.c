/* unify.c — fitting a value to a declared type, binding the sizes, dtypes, placements and layouts the declaration
 * leaves open. What does not fit is reported with both places: the argument and the declaration. */
#include "values.h"

#include <string.h>

/* One fit in progress. */
struct fit {
	struct elab *e;
	struct item *item; /* whose generics are bound; NULL: none are open */
	const struct type *type;
	const struct value *value;
	struct span at;
	const char *what;
};

static struct diag *mismatch(struct fit *f, enum diag_code code, const char *why)
{
	struct text t;
	text_init(&t, f->e->a);
	ast_print_type(&t, f->type);
	struct diag *d = elab_error(f->e, code, f->at, "%s is `%s`, this is %s", f->what, text_get(&t),
				    value_describe(f->e, f->value));
	diag_label(d, f->type->span, "%s", why);
	return d;
}

static struct generic *open_generic(struct fit *f, const char *name)
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
	enum dtype t = strcmp(class, "int") == 0 ? DT_I32 : DT_F32;
	diag_help(d, "convert it: `as %s`", dtype_text(t));
	elab_edit_as(f->e, d, f->at, t);
}

static bool fit_dtype(struct fit *f, enum dtype t)
{
	const char *name = f->type->name.text;
	struct generic *g = open_generic(f, name);
	if (g) {
		if (g->kind.text && !class_has(g->kind.text, t)) {
			struct diag *d =
				mismatch(f, PML0202, arena_printf(f->e->a, "`%s` stands for %s", name, g->kind.text));
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
		struct diag *d = mismatch(f, PML0202, arena_printf(f->e->a, "wants %s elements", name));
		help_class(f, d, name);
		return false;
	}
	enum dtype want = dtype_resolve(f->e, f->type->name);
	if (want == t || want == DT_COUNT)
		return want == t;
	struct diag *d = mismatch(f, PML0202, arena_printf(f->e->a, "wants %s", dtype_text(want)));
	diag_help(d, "convert it: `as %s`", dtype_text(want));
	elab_edit_as(f->e, d, f->at, want);
	return false;
}

/* ---- sizes ---- */

static bool fit_dim(struct fit *f, const struct ast_dim *d, int64_t n, int position)
{
	if (d->form == DIM_ANY)
		return true;
	if (d->expr->kind == EXPR_NAME) {
		struct generic *g = open_generic(f, d->expr->name.text);
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
		mismatch(f, PML0201, arena_printf(f->e->a, "dimension %d is %lld here", position, (long long)want));
	struct binding *b = d->expr->kind == EXPR_NAME ? env_find(f->e, d->expr->name.text) : NULL;
	if (b && b->span.file && b->span.begin != f->at.begin)
		diag_label(g, b->span, "`%s` is %lld because of this", b->name, (long long)want);
	if (!position)
		microbatch_note_rows(f->e, g, want, n);
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
		mismatch(f, PML0201, "the dimensions at `..` differ from those of an earlier argument");
		return false;
	}
	env_bind(f->e, name, BIND_LET, value_shape(f->e, &rest));
	return true;
}

static bool fit_shape(struct fit *f, const struct shape *s)
{
	const struct type *t = f->type;
	int rest = -1, n = t->dims.n;
	for (int i = 0; i < n; i++)
		if (t->dims.at[i].form == DIM_REST)
			rest = i;
	if (rest < 0 ? s->rank != n : s->rank < n - 1) {
		mismatch(f, PML0211,
			 arena_printf(f->e->a, "wants %s%d dimension%s", rest < 0 ? "" : "at least ",
				      rest < 0 ? n : n - 1, n - (rest >= 0) == 1 ? "" : "s"));
		return false;
	}
	int extra = rest < 0 ? 0 : s->rank - (n - 1);
	for (int i = 0, d = 0; i < n; i++) {
		if (i == rest) {
			if (!fit_rest(f, s, d, extra))
				return false;
			d += extra;
		} else if (!fit_dim(f, &t->dims.at[i], s->dim[d], d)) {
			return false;
		} else {
			d++;
		}
	}
	return true;
}

/* ---- placements and layouts ---- */

static bool fit_place(struct fit *f, const struct place *have, const struct place **want)
{
	*want = have;
	const struct expr *x = f->type->placement;
	if (!x)
		return true;
	struct generic *g = x->kind == EXPR_NAME ? open_generic(f, x->name.text) : NULL;
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
	struct diag *d = mismatch(f, PML0212, arena_printf(f->e->a, "wants it on `%s`", p->place->name));
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
		struct generic *g = a->form == ATOM_PARAM ? open_generic(f, a->param.text) : NULL;
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

static const struct value *fit_tensor(struct fit *f)
{
	struct elab *e = f->e;
	if (!fit_dtype(f, tensor_dtype(e, f->value)) || !fit_shape(f, tensor_shape(e, f->value)))
		return &value_error;
	return contract(f);
}

/* ---- host and compile-time values ---- */

static const struct value *fit_host_number(struct fit *f, bool is_float)
{
	const struct value *v = f->value;
	if (value_is_number(v) && is_float)
		return host_to_float(f->e, v);
	if (v->kind == VALUE_HOST && v->host.type == HOST_INT)
		return v;
	mismatch(f, PML0209, is_float ? "wants a float" : "wants an int");
	return &value_error;
}

struct host_class {
	const char *name;
	enum value_kind kind;
	enum host_type type;
};

static const struct host_class *host_class(const char *name)
{
	static const struct host_class classes[] = {
		{"string", VALUE_HOST, HOST_TEXT},       {"path", VALUE_HOST, HOST_TEXT},
		{"rngkey", VALUE_HOST, HOST_KEY},        {"place", VALUE_PLACE, HOST_VOID},
		{"layout", VALUE_LAYOUT, HOST_VOID},     {"shape", VALUE_SHAPE, HOST_VOID},
		{"dtype", VALUE_DTYPE, HOST_VOID},       {"dataset", VALUE_DATASET, HOST_VOID},
		{"gradient", VALUE_GRADIENT, HOST_VOID}, {"batches", VALUE_BATCHES, HOST_VOID},
		{"list", VALUE_LIST, HOST_VOID},
	};
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		if (strcmp(classes[i].name, name) == 0)
			return &classes[i];
	return NULL;
}

/* Item i of a list cannot be a size. */
static void error_size(struct fit *f, const struct value *n, int i)
{
	struct diag *d =
		elab_error(f->e, i < MAX_RANK && value_is_known(n) && n->host.type == HOST_INT ? PML0207 : PML0205,
			   f->at, "a shape is a list of at most %d sizes known when compiling", (int)MAX_RANK);
	if (i >= MAX_RANK)
		return;
	if (value_is_known(n) && n->host.type == HOST_INT)
		diag_note(d, "size %d is negative: %lld", i, (long long)n->host.i);
	else if (n->kind == VALUE_HOST && n->host.type == HOST_INT)
		diag_note(d, "size %d is known to the running program only; use a `const`, which `pmlc -D` can change",
			  i);
	else
		diag_note(d, "size %d is %s", i, value_describe(f->e, n));
}

static const struct value *list_to_shape(struct fit *f)
{
	struct shape s = {0};
	const struct value *v = f->value;
	for (int i = 0; i < v->items.n; i++) {
		const struct value *n = v->items.at[i];
		if (!value_is_known(n) || n->host.type != HOST_INT || n->host.i < 0 || i >= MAX_RANK) {
			error_size(f, n, i);
			return &value_error;
		}
		s.dim[s.rank++] = n->host.i;
	}
	if (shape_volume(&s) < 0) {
		elab_error(f->e, PML0207, f->at, "the tensor has more elements than can be counted");
		return &value_error;
	}
	return value_shape(f->e, &s);
}

static const struct value *fit_class(struct fit *f, const struct host_class *c)
{
	const struct value *v = f->value;
	if (c->kind == VALUE_SHAPE && v->kind == VALUE_LIST)
		return list_to_shape(f);
	if (c->kind == VALUE_LIST && v->kind == VALUE_TUPLE)
		return v;
	if (v->kind == c->kind && (c->kind != VALUE_HOST || v->host.type == c->type))
		return v;
	struct diag *d = mismatch(f, PML0209, arena_printf(f->e->a, "wants a %s", c->name));
	if (c->kind == VALUE_SHAPE && v->kind == VALUE_HOST && v->host.type == HOST_INT)
		diag_help(d, "a shape is a list: `[3]`, `[2, 3]`");
	if (c->kind == VALUE_DTYPE && v->kind == VALUE_HOST && v->host.type == HOST_TEXT)
		diag_help(d, "element types are written without quotes: `f32`");
	if (c->kind == VALUE_LIST)
		diag_help(d, "a list is written `[a, b]`");
	if (c->kind == VALUE_GRADIENT && value_is_tensor(v))
		diag_note(d, "`value_and_grad` gives the value first, then the gradient: `let (l, g) = ...`");
	return &value_error;
}

static const struct value *fit_scalar(struct fit *f)
{
	const char *name = f->type->name.text;
	if (f->value->kind == VALUE_HOST && f->value->host.type == HOST_BOOL && strcmp(name, "bool") == 0)
		return f->value;
	struct generic *g = open_generic(f, name);
	if (g) {
		enum dtype t = f->value->host.type == HOST_FLOAT ? DT_F32 : DT_I64;
		return fit_dtype(f, t) ? f->value : &value_error;
	}
	struct binding *b = env_find(f->e, name);
	enum dtype t = b && b->value->kind == VALUE_DTYPE ? b->value->dtype : dtype_of_text(name);
	if (t == DT_COUNT || dtype_kind(t) == DTYPE_BOOL) {
		mismatch(f, PML0209, "declared here");
		return &value_error;
	}
	return fit_host_number(f, dtype_is_float(t));
}

static const struct value *fit_tuple(struct fit *f)
{
	const struct type *t = f->type;
	if (f->value->kind != VALUE_TUPLE || f->value->items.n != t->members.n) {
		mismatch(f, PML0217, arena_printf(f->e->a, "wants a tuple of %d", t->members.n));
		return &value_error;
	}
	const struct value *items[64];
	if (t->members.n > 64)
		return elab_unsupported(f->e, t->span, "a tuple of more than 64 members");
	for (int i = 0; i < t->members.n; i++)
		items[i] = unify_value(f->e, f->item, t->members.at[i], f->value->items.at[i], f->at, f->what);
	return value_tuple(f->e, t->members.n, items);
}

/* [L] Block[p] */
static const struct value *fit_list(struct fit *f)
{
	const struct type *t = f->type;
	if (f->value->kind != VALUE_LIST) {
		mismatch(f, PML0209, "wants a list");
		return &value_error;
	}
	if (t->dims.n == 1 && !fit_dim(f, &t->dims.at[0], f->value->items.n, 0))
		return &value_error;
	struct value *v = value_new(f->e, VALUE_LIST);
	for (int i = 0; i < f->value->items.n; i++) {
		const struct value *one = unify_value(f->e, f->item, t->element, f->value->items.at[i], f->at, f->what);
		if (value_failed(one))
			return one;
		vec_push(f->e->a, &v->items, one);
	}
	return v;
}

/* Whether two instances of a struct have the same size, placement or element type there. */
static bool same_argument(const struct value *a, const struct value *b)
{
	if (value_is_known(a) && value_is_known(b))
		return a->host.type == b->host.type && a->host.i == b->host.i;
	return value_is_same(a, b);
}

/* Block[n, p]: sizes and placements that are open are bound to those of the value. */
static const struct value *fit_struct(struct fit *f)
{
	const struct type *t = f->type;
	const struct value *v = f->value;
	if (v->kind != VALUE_STRUCT || v->object.item != t->item) {
		mismatch(f, PML0209, arena_printf(f->e->a, "wants a `%s`", t->item->name.text));
		return &value_error;
	}
	for (int i = 0; i < t->args.n && i < v->object.args.n; i++) {
		const struct expr *x = t->args.at[i];
		struct generic *g = x->kind == EXPR_NAME ? open_generic(f, x->name.text) : NULL;
		if (g) {
			env_bind(f->e, g->name, BIND_LET, v->object.args.at[i]);
			continue;
		}
		const struct value *want = expr_eval(f->e, x);
		if (value_failed(want))
			return want;
		if (!same_argument(want, v->object.args.at[i])) {
			mismatch(f, PML0209, arena_printf(f->e->a, "argument %d of the struct differs", i + 1));
			return &value_error;
		}
	}
	return v;
}

static const struct value *unify(struct elab *e, struct item *item, const struct type *t, const struct value *v,
				 struct span at, const char *what)
{
	struct fit f = {e, item, t, v, at, what};
	if (!t || value_failed(v))
		return v;
	if (t->kind == TYPE_TUPLE)
		return fit_tuple(&f);
	if (t->kind == TYPE_ARRAY)
		return fit_list(&f);
	if (t->item)
		return fit_struct(&f);
	if (!t->name.text || t->qualifier.text)
		return elab_unsupported(e, t->span, "a parameter of this type");
	const char *name = t->name.text;
	const struct host_class *c = t->has_dims ? NULL : host_class(name);
	if (c)
		return fit_class(&f, c);
	if (value_is_list(v) && t->has_dims && dtype_of_text(name) != DT_COUNT)
		v = f.value = literal_tensor(e, v, dtype_of_text(name), at);
	if (value_failed(v))
		return v;
	if (value_is_tensor(v))
		return fit_tensor(&f);
	if (strcmp(name, "int") == 0 || strcmp(name, "float") == 0)
		return fit_host_number(&f, strcmp(name, "float") == 0);
	if (v->kind == VALUE_HOST && !t->has_dims && !t->placement)
		return fit_scalar(&f);
	if (value_is_number(v) && !t->dims.n && dtype_of_text(name) != DT_COUNT) {
		f.value = tensor_value_of(e, tensor_of_host(e, v, dtype_of_text(name), at));
		return fit_tensor(&f);
	}
	mismatch(&f, PML0209, "declared here");
	return &value_error;
}

const struct value *unify_value(struct elab *e, struct item *item, const struct type *t, const struct value *v,
				struct span at, const char *what)
{
	const struct value *fitted = unify(e, item, t, v, at, what);
	return v->may_miss && !fitted->may_miss && value_is_index(e, fitted) ? value_that_may_miss(e, fitted) : fitted;
}
