/* types.c — resolves the names in types: settles whether `b[p]` is a tensor or a struct, and finds the struct. */
#include "names.h"

#include "../habit.h"

#include <string.h>

static void unknown_type(struct checker *c, const struct type *t)
{
	static const char *const types[] = {
#define DTYPE(name, text, ctype, size, kind) text,
#include "../../runtime/dtype.def"
#undef DTYPE
#define HOST_TYPE(text) text,
#include "../ast.def"
	};
	struct name name = t->name;
	const char *meant = diag_nearest(name.text, types, sizeof types / sizeof *types);
	const char *ours = nearest_item(c->session, name.text, &c->module->scope, 1u << ITEM_STRUCT);
	meant = ours ? ours : meant;
	const char *habit = habit_here(HABIT_TYPE, name.text);
	struct diag *d = diag_error(c->session, PML0111, name.span, "there is no type `%s`", name.text);
	const char *layer = habit || meant ? NULL : habit_here(HABIT_MEMBER, name.text);
	suggest(d, name.span, habit ? habit : meant);
	const struct local *local = scope_local(c, name.text);
	if (local && local->kind == LOCAL_SIZE)
		diag_help(d, "what stands for a type says which: `[%s: float]`, `int` or `dtype`", name.text);
	if (layer)
		diag_help(d, "%s", layer);
}

/* The struct a type names, from another module if it is qualified; reports if there is none. */
static struct item *find_struct(struct checker *c, struct type *t)
{
	struct item *it = scope_item(c, t->name.text);
	if (t->qualifier.text) {
		struct item *import = scope_import(c, t->qualifier.text);
		if (!import) {
			scope_unknown(c, t->qualifier);
			return NULL;
		}
		it = import->target ? scope_member(c->program, import->target, t->name.text) : NULL;
	}
	if (it && it->kind == ITEM_STRUCT)
		return it;
	unknown_type(c, t);
	return NULL;
}

/* Whether sizes and placements may be declared behind the name of the item. */
static bool takes_parameters(const struct checker *c)
{
	return c->item->kind == ITEM_FN || c->item->kind == ITEM_STRUCT;
}

static const char *item_word(const struct item *i)
{
	return i->kind == ITEM_FN ? "fn" : "struct";
}

/* A size of a function's or struct's type that nothing declares is most often a forgotten size parameter. */
static bool is_forgotten_size(const struct checker *c, const struct expr *e)
{
	return takes_parameters(c) && e->kind == EXPR_NAME && strcmp(e->name.text, "_") &&
	       !scope_local(c, e->name.text) && !scope_item(c, e->name.text);
}

/* Where the size is declared that is not known here: behind those there are, and in front of placements. */
static void help_declared(const struct checker *c, struct diag *d, const char *name)
{
	const struct item *it = c->item;
	int before = 0, n = it->generics.n;
	while (before < n &&
	       !(it->generics.at[before].kind.text && !strcmp(it->generics.at[before].kind.text, "place")))
		before++;
	struct span at = it->name.span;
	at.begin = at.end;
	if (before < n)
		at.begin = at.end = it->generics.at[before].name.span.begin;
	else if (n)
		at.begin = at.end = it->generics.at[n - 1].kind.text ? it->generics.at[n - 1].kind.span.end
								     : it->generics.at[n - 1].name.span.end;
	diag_help(d, "a size is declared behind the name: `%s %s[%s]`", item_word(it), it->name.text, name);
	diag_edit(d, at, arena_printf(c->session->arena, before < n ? "%s, " : n ? ", %s" : "[%s]", name));
}

static void check_dims(struct checker *c, struct type *t)
{
	for (int i = 0; i < t->dims.n; i++) {
		struct expr *e = t->dims.at[i].expr;
		if (t->dims.at[i].form != DIM_EXPR)
			continue;
		if (!is_forgotten_size(c, e)) {
			check_expr(c, e);
			continue;
		}
		help_declared(c, scope_unknown(c, e->name), e->name.text);
		scope_declare(c, e->name, LOCAL_SIZE); /* told once */
	}
}

/* What the parser took for dimensions are the arguments of a struct. */
static void dims_to_args(struct checker *c, struct type *t)
{
	for (int i = 0; i < t->dims.n; i++) {
		struct ast_dim *dim = &t->dims.at[i];
		if (dim->form == DIM_EXPR)
			vec_push(c->session->arena, &t->args, dim->expr);
		else
			diag_error(c->session, PML0111, dim->span,
				   "`%s` is a struct and takes sizes and placements here", t->name.text);
	}
	t->dims.n = 0;
}

/* A name of a value that may be an element type: a parameter, a variable, or a const. */
static bool names_value(const struct checker *c, const struct type *t)
{
	const struct local *local = scope_local(c, t->name.text);
	const struct item *item = local ? NULL : scope_item(c, t->name.text);
	if (item)
		return item->kind == ITEM_CONST;
	return local && local->kind != LOCAL_PLACE && local->kind != LOCAL_LAYOUT && local->kind != LOCAL_SIZE &&
	       local->kind != LOCAL_FACTOR;
}

static void check_of_value(struct checker *c, struct type *t)
{
	if (!t->of) {
		struct expr *x = ARENA_NEW(c->session->arena, struct expr);
		*x = (struct expr){.kind = EXPR_NAME, .span = t->name.span, .name = t->name};
		t->of = x;
	}
	check_expr(c, t->of);
}

/* A struct is where its fields are, and what is of the host everywhere: what is said behind t, the element of lists of
 * the type `of`, nobody would heed. False if something is. */
static bool check_nothing_behind(struct checker *c, const struct type *t, const struct type *of)
{
	const char *name = t->name.text;
	bool is_host = t->kind == TYPE_NAMED && !t->item && name && type_is_host(name);
	if ((!t->item && !is_host) || (!of->placement && !of->layout))
		return true;
	struct span at = of->placement ? of->placement->span : of->layout->span;
	struct diag *d =
		diag_error(c->session, PML0219, at, "`%s` takes no %s", name, of->placement ? "placement" : "layout");
	if (is_host) {
		diag_help(d, "what is on some ranks, or split, is a tensor: `f32[n] @ p : S(0)`, a number `f32[] @ p`");
		return false;
	}
	diag_label(d, t->item->name.span, "declared here");
	diag_note(d, "the fields of a struct say where they are and how they are laid out");
	diag_help(d,
		  "a placement that each use brings is declared behind the name, `struct %s[p: place] { … @ p }`, and "
		  "given in brackets, `%s[q]`",
		  t->item->name.text, name);
	return false;
}

static void check_named(struct checker *c, struct type *t)
{
	struct local *local = t->qualifier.text || !t->name.text || t->of ? NULL : scope_local(c, t->name.text);
	const char *name = t->name.text;
	check_dims(c, t);
	if (!name || (local && local->kind == LOCAL_DTYPE))
		return;
	if (t->of || (!t->qualifier.text && !type_is_dtype(name) && !type_is_host(name) && names_value(c, t))) {
		check_of_value(c, t);
		return;
	}
	if (!t->qualifier.text && type_is_host(name))
		return;
	if (!t->qualifier.text && type_is_dtype(name)) {
		bool host_bool = !strcmp(name, "bool") && !t->has_dims && !t->placement && !t->layout;
		t->kind = host_bool ? TYPE_NAMED : TYPE_TENSOR;
		return;
	}
	t->item = find_struct(c, t);
	if (!t->item)
		return;
	t->kind = TYPE_NAMED;
	dims_to_args(c, t);
}

void check_layout(struct checker *c, struct ast_layout *l)
{
	for (int i = 0; i < l->atoms.n; i++) {
		struct ast_atom *atom = &l->atoms.at[i];
		if (atom->dim)
			check_expr(c, atom->dim);
		for (int j = 0; j < i; j++)
			if (atom->axis.text && l->atoms.at[j].axis.text == atom->axis.text)
				diag_error(c->session, PML0108, atom->axis.span, "axis `%s` is given twice",
					   atom->axis.text);
		if (atom->form != ATOM_PARAM)
			continue;
		struct local *local = scope_local(c, atom->param.text);
		if (local && local->kind == LOCAL_LAYOUT)
			continue;
		struct item *item = local ? NULL : scope_item(c, atom->param.text);
		if (item && item->kind == ITEM_CONST) {
			atom->item = item;
			continue;
		}
		struct diag *d =
			diag_error(c->session, PML0014, atom->param.span, "`%s` is not a layout", atom->param.text);
		const char *here = habit_here(HABIT_LAYOUT, atom->param.text);
		if (here)
			diag_help(d, "%s", here);
		diag_note(d,
			  "layouts are `S(d)`, `B`, `P`, `P(sum)`, `P(max)`, `P(min)`, `P(prod)`, `auto`, a parameter "
			  "`l: layout`, or a `const l : layout`");
		if (item || local)
			diag_note(d, "a placement follows `to @`");
	}
}

static void unknown_place(struct checker *c, struct name name)
{
	struct diag *d = scope_tell_unknown(c, name);
	if (!d->message)
		return;
	suggest(d, name.span, nearest_item(c->session, name.text, &c->module->scope, 1u << ITEM_PLACE));
	if (d->helps.n)
		return;
	if (takes_parameters(c))
		diag_help(d, "a placement that each call brings is declared behind the name: `%s %s[%s: place]`",
			  item_word(c->item), c->item->name.text, name.text);
	diag_help(d, "a placement is declared: `place %s = ranks(0..4);`", name.text);
}

void check_place(struct checker *c, struct expr *e)
{
	const char *name = e->kind == EXPR_NAME ? e->name.text : NULL;
	if (name && !strcmp(name, "auto"))
		return;
	if (name && !scope_local(c, name) && !scope_item(c, name) && !scope_is_builtin(name))
		unknown_place(c, e->name);
	else
		check_expr(c, e);
}

static void check_where(struct checker *c, struct type *t)
{
	if (t->placement)
		check_place(c, t->placement);
	if (t->layout)
		check_layout(c, t->layout);
}

/* The number of an element may stand in what is said of it, the placement behind several lists included. */
static void check_array(struct checker *c, struct type *t)
{
	struct scope scope;
	check_dims(c, t);
	scope_push(c, &scope);
	if (t->index.text)
		scope_declare(c, t->index, LOCAL_LET);
	if (t->element->kind == TYPE_ARRAY && !t->element->placement && !t->element->layout) {
		t->element->placement = t->placement;
		t->element->layout = t->layout;
		t->placement = NULL;
		t->layout = NULL;
	}
	check_type(c, t->element);
	if (check_nothing_behind(c, t->element, t))
		check_where(c, t);
	scope_pop(c);
}

void check_type(struct checker *c, struct type *t)
{
	switch (t->kind) {
	case TYPE_TENSOR:
	case TYPE_NAMED:
		check_named(c, t);
		if (!check_nothing_behind(c, t, t))
			return;
		break;
	case TYPE_ARRAY:
		check_array(c, t);
		return;
	case TYPE_TUPLE:
		for (int i = 0; i < t->members.n; i++)
			check_type(c, t->members.at[i]);
		break;
	}
	check_where(c, t);
}
