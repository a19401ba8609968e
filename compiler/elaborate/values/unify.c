/* unify.c — fitting a value to a declared type, binding the sizes, dtypes, placements and layouts the declaration
 * leaves open. What does not fit is reported with both places: the argument and the declaration. */
#include "unify.h"

#include <string.h>

/* ---- host and compile-time values ---- */

static const struct value *fit_host_number(struct fit *f, bool is_float)
{
	const struct value *v = f->value;
	if (value_is_number(v) && is_float)
		return host_to_float(f->e, v);
	if (v->kind == VALUE_HOST && v->host.type == HOST_INT)
		return v;
	struct diag *d = fit_mismatch(f, PML0209, is_float ? "wants a float" : "wants an int");
	if (!is_float)
		elab_help_int(f->e, d, v, f->at);
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

/* The config that a number of the running program is computed from; NULL: none. */
static const struct config *config_within(const struct elab *e, const struct host_expr *x)
{
	if (!x)
		return NULL;
	if (x->function && (!strcmp(x->function, "config_int") || !strcmp(x->function, "config_float")))
		return &e->p->configs.at[x->arg[0]->i];
	const struct config *c = config_within(e, x->is);
	for (int i = 0; i < x->nargs && !c; i++)
		c = config_within(e, x->arg[i]);
	return c;
}

bool help_config(struct elab *e, struct diag *d, const struct value *v)
{
	const struct config *c = v->kind == VALUE_HOST && !v->host.known ? config_within(e, v->host.expr) : NULL;
	if (!c)
		return false;
	diag_help(
		d,
		"the running program is told what `%s` is; a `const` is known when compiling, by `pmlc -D %s=...` too",
		c->name, c->name);
	diag_edit(d, (struct span){c->span.file, c->span.begin, c->span.begin + (uint32_t)strlen("config")}, "const");
	diag_join(d, "and here");
	return true;
}

/* The variable of a loop outside of functions that a number of the running program is computed from; NULL: none. */
static const struct host_var *turn_within(const struct elab *e, const struct host_expr *x)
{
	if (!x)
		return NULL;
	if (x->kind == HOST_VAR && e->code->fn->vars.at[x->index].counts)
		return &e->code->fn->vars.at[x->index];
	const struct host_var *found = turn_within(e, x->is);
	for (int i = 0; i < x->nargs && !found; i++)
		found = turn_within(e, x->arg[i]);
	return found;
}

static bool help_turn(struct elab *e, struct diag *d, const struct value *v)
{
	const struct host_var *turn = v->kind == VALUE_HOST && !v->host.known ? turn_within(e, v->host.expr) : NULL;
	if (turn)
		diag_help(d,
			  "outside of functions the running program counts `%s`; in one, `fn f() { for %s in a..b { … "
			  "} }`, "
			  "it is known when compiling, where a and b are",
			  turn->name, turn->name);
	return turn;
}

void note_not_known(struct elab *e, struct diag *d, const char *what, const struct value *v)
{
	if (help_config(e, d, v) || help_turn(e, d, v))
		return;
	if (v->kind == VALUE_HOST && v->host.type == HOST_INT && !v->host.known)
		diag_note(d,
			  "%s is known to the running program only, as is a `var` that a loop changes; known when "
			  "compiling are a "
			  "`const`, which `pmlc -D` can change, sizes, and what a function is called with, which may "
			  "call itself",
			  what);
	else if (!value_failed(v))
		diag_note(d, "%s is %s", what, value_describe(e, v));
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
	else
		note_not_known(f->e, d, arena_printf(f->e->a, "size %d", i), n);
	elab_help_int(f->e, d, n, f->at);
}

static const struct value *list_to_shape(struct fit *f)
{
	struct shape s = {0};
	const struct value *v = f->value;
	for (int i = 0; i < v->items.n; i++) {
		int64_t size;
		if (!number_is_known(f->e, v->items.at[i], f->at, &size) || size < 0 || i >= MAX_RANK) {
			error_size(f, v->items.at[i], i);
			return &value_error;
		}
		s.dim[s.rank++] = size;
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
	struct diag *d = fit_mismatch(f, PML0209, arena_printf(f->e->a, "wants a %s", c->name));
	if (c->kind == VALUE_SHAPE && v->kind == VALUE_HOST && v->host.type == HOST_INT)
		diag_help(d, "a shape is a list: `[3]`, `[2, 3]`");
	if (c->kind == VALUE_DTYPE && v->kind == VALUE_HOST && v->host.type == HOST_TEXT)
		diag_help(d, "element types are written without quotes: `f32`");
	if (c->kind == VALUE_LIST)
		diag_help(d, "a list is written `[a, b]`");
	if (c->kind == VALUE_HOST && c->type == HOST_KEY)
		diag_help(d, "a key is made of numbers, `rng(1)`, or of a key and a number, `fold(key, i)`");
	if (c->kind == VALUE_GRADIENT && v->kind == VALUE_DERIVED)
		diag_help(d, "call it with the arguments of what is differentiated: `grad(f)(x)`");
	if (c->kind == VALUE_GRADIENT)
		gradient_help(d, v);
	if (c->kind == VALUE_GRADIENT && value_is_tensor(v))
		diag_note(d, "`value_and_grad` gives the value first, then the gradient: `let (l, g) = ...`");
	return &value_error;
}

static const struct value *fit_scalar(struct fit *f)
{
	const char *name = f->type->name.text;
	if (f->value->kind == VALUE_HOST && f->value->host.type == HOST_BOOL && strcmp(name, "bool") == 0)
		return f->value;
	struct generic *g = fit_open_generic(f, name);
	if (g) {
		enum dtype t = f->value->host.type != HOST_FLOAT ? DT_I64 : number_type(f->value);
		return fit_dtype(f, t) ? f->value : &value_error;
	}
	struct binding *b = env_find(f->e, name);
	enum dtype t = b && b->value->kind == VALUE_DTYPE ? b->value->dtype : dtype_of_text(name);
	if (t == DT_COUNT || dtype_kind(t) == DTYPE_BOOL) {
		fit_mismatch(f, PML0209, "declared here");
		return &value_error;
	}
	if (dtype_is_float(t))
		return host_typed(f->e, fit_host_number(f, true), t);
	const struct value *v = fit_host_number(f, false);
	return value_failed(v) ? v : number_declared(f->e, v, t, f->at);
}

/* The elements of what the program writes where a tensor is declared, whose own they are: those declared, or bound
 * already; its own where they are open, and f32 where floats are wanted and it has ints. */
static enum dtype type_for(struct fit *f, enum dtype own)
{
	const char *name = f->type->name.text;
	enum dtype t = dtype_of_text(name);
	if (t != DT_COUNT)
		return t;
	struct generic *g = fit_open_generic(f, name);
	struct binding *b = g ? NULL : env_find(f->e, name);
	const char *class = g ? g->kind.text : name;
	t = b && b->value->kind == VALUE_DTYPE ? b->value->dtype : own;
	return class && strcmp(class, "float") == 0 && !dtype_is_float(t) ? DT_F32 : t;
}

static const struct value *list_to_tensor(struct fit *f)
{
	return literal_tensor(f->e, f->value, type_for(f, literal_natural_type(f->e, f->value)), f->at);
}

/* A number where a tensor is declared that may have no dimensions: `f32[]`, `t[..]`. */
static const struct value *number_to_tensor(struct fit *f)
{
	return number_as(f->e, f->value, type_for(f, number_type(f->value)), f->at);
}

/* Whether a tensor without dimensions fits what is declared. */
static bool may_be_single(const struct type *t)
{
	return t->has_dims && (!t->dims.n || (t->dims.n == 1 && t->dims.at[0].form == DIM_REST));
}

static const struct value *fit_tuple(struct fit *f)
{
	const struct type *t = f->type;
	if (f->value->kind != VALUE_TUPLE || f->value->items.n != t->members.n) {
		fit_mismatch(f, PML0217, arena_printf(f->e->a, "wants a tuple of %d", t->members.n));
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
		fit_mismatch(f, PML0209, "wants a list");
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
		fit_mismatch(f, PML0209, arena_printf(f->e->a, "wants a `%s`", t->item->name.text));
		return &value_error;
	}
	for (int i = 0; i < t->args.n && i < v->object.args.n; i++) {
		const struct expr *x = t->args.at[i];
		struct generic *g = x->kind == EXPR_NAME ? fit_open_generic(f, x->name.text) : NULL;
		if (g) {
			env_bind(f->e, g->name, BIND_LET, v->object.args.at[i]);
			continue;
		}
		const struct value *want = expr_eval(f->e, x);
		if (value_failed(want))
			return want;
		if (!same_argument(want, v->object.args.at[i])) {
			fit_mismatch(f, PML0209, arena_printf(f->e->a, "argument %d of the struct differs", i + 1));
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
	if (value_is_list(v) && t->has_dims)
		v = f.value = list_to_tensor(&f);
	if (value_failed(v))
		return v;
	if (value_is_tensor(v))
		return fit_tensor(&f);
	if (strcmp(name, "int") == 0 || strcmp(name, "float") == 0)
		return fit_host_number(&f, strcmp(name, "float") == 0);
	if (v->kind == VALUE_HOST && !t->has_dims && !t->placement)
		return fit_scalar(&f);
	if (value_is_number(v) && (may_be_single(t) || (!t->dims.n && dtype_of_text(name) != DT_COUNT)))
		v = f.value = number_to_tensor(&f);
	if (value_failed(v))
		return v;
	if (value_is_tensor(v))
		return fit_tensor(&f);
	fit_mismatch(&f, PML0209, "declared here");
	return &value_error;
}

const struct value *unify_value(struct elab *e, struct item *item, const struct type *t, const struct value *v,
				struct span at, const char *what)
{
	const struct value *fitted = unify(e, item, t, v, at, what);
	return v->may_miss && !fitted->may_miss && value_is_index(e, fitted) ? value_that_may_miss(e, fitted) : fitted;
}
