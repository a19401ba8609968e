/* slot.c — params, states and what keeps them: one slot each, filled by the init code.
 *
 * An initialiser is a call whose leading parameters `key`, `shape` and `dtype` are supplied from the slot: the key is a
 * hash of the qualified name, so that adding a param changes the initial value of no other. */
#include "slots.h"
#include "../values/values.h"

struct context {
	struct code *code;
	struct region_build *region;
	struct frame *frame;
	struct scope *scope;
	struct module *module;
	const struct call_site *call;
	const char *param_name;
	const struct shape *param_shape;
	enum dtype param_dtype;
	int grad_depth;
	struct microbatch_walk *micro;
	struct list_turns *turns;
};

static struct context enter_init(struct elab *e)
{
	struct context c = {e->code,       e->region,      e->frame,       e->scope,      e->module, e->call,
			    e->param_name, e->param_shape, e->param_dtype, e->grad_depth, e->micro,  e->turns};
	e->code = e->init_code;
	e->region = e->init_region;
	e->grad_depth = 0;
	e->micro = NULL;
	e->turns = NULL;
	return c;
}

static void leave_init(struct elab *e, const struct context *c)
{
	e->init_region = e->region;
	e->code = c->code;
	e->region = c->region;
	e->frame = c->frame;
	e->scope = c->scope;
	e->module = c->module;
	e->call = c->call;
	e->param_name = c->param_name;
	e->param_shape = c->param_shape;
	e->param_dtype = c->param_dtype;
	e->grad_depth = c->grad_depth;
	e->micro = c->micro;
	e->turns = c->turns;
}

static struct node *fit_initial(struct elab *e, const struct slot *s, const struct value *v, struct span at)
{
	if (value_failed(v))
		return NULL;
	if (value_is_number(v) || (v->kind == VALUE_HOST && v->host.type == HOST_BOOL)) {
		struct node_site site = elab_site(e, at);
		struct node *x = tensor_of_host(e, v, s->dtype, at);
		return s->shape.rank ? graph_fill(region_graph(e), &site, x, &s->shape) : x;
	}
	if (value_is_list(v))
		v = literal_tensor(e, v, s->dtype, at);
	if (value_failed(v))
		return NULL;
	if (!value_is_tensor(v)) {
		struct diag *d = elab_error(e, PML0204, at, "the initial value of `%s` is %s, not a tensor", s->name,
					    value_describe(e, v));
		if (v->kind == VALUE_FUNCTION || v->kind == VALUE_BUILTIN) {
			diag_help(d, "call it; key and shape are the param's where they are left out");
			elab_edit_behind(e, d, at, "()", false);
		}
		return NULL;
	}
	struct node *n = tensor_node(e, v, at);
	if (n->dtype != s->dtype || !shape_equal(&n->shape, &s->shape)) {
		struct text t;
		text_init(&t, e->a);
		type_print(&t, s->dtype, &s->shape);
		struct diag *d = elab_error(e, PML0201, at, "`%s` is %s, its initial value is %s", s->name,
					    text_get(&t), value_describe(e, v));
		diag_label(d, s->span, "declared here");
		return NULL;
	}
	return n;
}

static void put_initial(struct elab *e, const struct slot *s, struct node *n, struct span at)
{
	struct node_site site = elab_site(e, at);
	site.name = s->name;
	if (!n->place)
		n = graph_to(region_graph(e), &site, n, s->place, &s->layout);
	else if (!place_same_mesh(n->place, s->place)) {
		elab_error(e, PML0212, at, "`%s` is on `%s`, its initial value on `%s`", s->name, s->place->name,
			   n->place->name);
		return;
	}
	region_slot_write(e, s->id, tensor_adopt(e, n, s->place, at), at);
}

static void put_all(struct elab *e, const struct slot *list, struct node *n, struct span at)
{
	struct node_site site = elab_site(e, at);
	put_initial(e, list, graph_repeated(region_graph(e), &site, n, list->members.n), at);
}

/* all: the slot's list begins with its value, unless that is drawn; then true. */
static bool initialise(struct elab *e, const struct slot *s, const struct expr *init, struct module *m, bool all)
{
	struct context c = enter_init(e);
	bool outer = e->is_drawn, is_all;
	e->is_drawn = false;
	/* States declared in functions see the function's values; those of a module start from nothing. */
	if (m) {
		e->scope = NULL;
		e->module = m;
		e->call = NULL;
		env_push(e);
	}
	e->frame = ARENA_NEW(e->a, struct frame);
	e->param_name = s->name;
	e->param_shape = &s->shape;
	e->param_dtype = s->dtype;
	const struct value *v = init ? expr_eval(e, init) : value_int(e, 0);
	struct span at = init ? init->span : s->span;
	struct node *n = fit_initial(e, s, v, at);
	is_all = all && !e->is_drawn;
	if (n && is_all)
		put_all(e, s->list, n, at);
	else if (n)
		put_initial(e, s, n, at);
	e->is_drawn = outer;
	leave_init(e, &c);
	return is_all;
}

void slot_initialise(struct elab *e, int slot, const struct expr *init, struct module *m)
{
	initialise(e, e->p->slots.at[slot], init, m, false);
}

void list_initialise(struct elab *e, const struct slot *list, const struct expr *init)
{
	bool is_all = initialise(e, list->members.at[0], init, NULL, true);
	for (int i = 1; i < list->members.n && !is_all; i++)
		initialise(e, list->members.at[i], init, NULL, false);
}

static bool check_slot(struct elab *e, const struct slot *s, const struct type *t)
{
	static const char *const words[] = {[SLOT_PARAM] = "param", [SLOT_STATE] = "state", [SLOT_VALUE] = "cache"};
	const char *what = words[s->slot_class];
	if (s->slot_class == SLOT_PARAM && !dtype_is_float(s->dtype)) {
		struct diag *d = elab_error(e, PML0202, t->span, "a param has float elements, `%s` has %s", s->name,
					    dtype_text(s->dtype));
		diag_help(d, "a `state` is kept and saved alike, without a gradient");
		return false;
	}
	if (layout_has_partial(s->place, &s->layout.layout)) {
		elab_error(e, PML0213, t->layout->span, "a %s is a finished value, it cannot be stored as `P`", what);
		return false;
	}
	return true;
}

static const struct value *declare_tensor(struct elab *e, const struct type *t, enum slot_class class, const char *name,
					  struct span at, const struct expr *init, struct module *m)
{
	struct tensor_type tt;
	bool outer = e->takes_auto;
	e->takes_auto = true;
	bool good = type_resolve(e, t, &tt);
	e->takes_auto = outer;
	if (!good)
		return &value_error;
	struct slot like = {.name = name,
			    .slot_class = class,
			    .dtype = tt.dtype,
			    .shape = tt.shape,
			    .place = tt.place ? tt.place : e->fallback_place,
			    .layout = tt.layout,
			    .span = at};
	if (like.place && layout_open(like.place, &like.layout.layout) >= 0 &&
	    !open_auto(e, name, like.place, &like.shape, &like.layout))
		return &value_error;
	if (like.layout.form == LAYOUT_INFER)
		open_type(e, name, t, &like.shape, &like.place, &like.layout);
	if (like.layout.form == LAYOUT_INFER && like.place && like.shape.rank)
		open_layout(e, name, like.place, &like.shape, &like.layout);
	if (like.layout.form != LAYOUT_GIVEN)
		like.layout = (struct layout_spec){.form = LAYOUT_GIVEN, .layout = layout_broadcast(), .span = at};
	if (!like.place) {
		elab_error(e, PML0205, at, "the placements are not known yet: they cannot depend on `%s`", name);
		return &value_error;
	}
	if (!check_slot(e, &like, t))
		return &value_error;
	struct value *v = value_new(e, VALUE_PARAM);
	v->slot = slot_new(e, &like);
	slot_initialise(e, v->slot, init, m);
	return v;
}

/* The length of an array: `[4]`, or what counts its elements, `[i in 0..4]`. */
static bool array_length(struct elab *e, const struct type *t, int64_t *n)
{
	if (t->dims.n != 1 || t->dims.at[0].form != DIM_EXPR)
		return false;
	const struct expr *x = t->dims.at[0].expr;
	if (!t->index.text)
		return size_eval(e, x, n);
	if (x->kind != EXPR_RANGE || !x->lhs || !x->rhs || x->lhs->kind != EXPR_INT || x->lhs->i != 0) {
		elab_error(e, PML0207, x->span, "the elements of a list are counted from 0: `[%s in 0..n]`",
			   t->index.text);
		return false;
	}
	return size_eval(e, x->rhs, n);
}

/* What elements have in the same place goes into one list, if it is alike. */
static void list_elements(struct elab *e, const struct value *v)
{
	struct parts *of = ARENA_ARRAY(e->a, struct parts, v->items.n);
	struct slot **members = ARENA_ARRAY(e->a, struct slot *, v->items.n);
	bool same = true;
	for (int i = 0; i < v->items.n; i++) {
		parts_collect(e, v->items.at[i], &of[i]);
		same = same && of[i].at.n == of[0].at.n;
	}
	for (int k = 0; same && v->items.n && k < of[0].at.n; k++) {
		for (int i = 0; i < v->items.n; i++)
			members[i] = e->p->slots.at[of[i].at.at[k]->slot];
		slot_list(e, v->items.n, members);
	}
}

/* [L] Block[p]: a list, whose elements are named by their number. */
static const struct value *declare_array(struct elab *e, const struct type *t, enum slot_class class, const char *name,
					 struct span at, const struct expr *init, struct module *m)
{
	int64_t n;
	if (!array_length(e, t, &n))
		return &value_error;
	if (n < 0 || n > MAX_UNROLLED) {
		elab_error(e, PML0207, t->dims.at[0].span, "a list of params has 0 to %d elements, not %lld",
			   (int)MAX_UNROLLED, (long long)n);
		return &value_error;
	}
	struct value *v = value_new(e, VALUE_LIST);
	/* What stands behind the element type, `[L] f32[n] @ left : B`, is said of every element. */
	struct type element = *t->element;
	element.placement = element.placement ? element.placement : t->placement;
	element.layout = element.layout ? element.layout : t->layout;
	for (int64_t i = 0; i < n; i++) {
		env_push(e);
		if (t->index.text)
			env_bind(e, t->index, BIND_LET, value_int(e, i));
		const struct value *one =
			slot_declare(e, &element, class, elab_intern(e, "%s.%lld", name, (long long)i), at, init, m);
		env_pop(e);
		if (value_failed(one))
			return one;
		vec_push(e->a, &v->items, one);
	}
	if (class != SLOT_VALUE)
		list_elements(e, v);
	return v;
}

const struct value *slot_declare(struct elab *e, const struct type *t, enum slot_class class, const char *name,
				 struct span at, const struct expr *init, struct module *m)
{
	if (t->kind == TYPE_TUPLE)
		return elab_unsupported(e, t->span, "a tuple of params");
	if (t->kind == TYPE_ARRAY)
		return declare_array(e, t, class, name, at, init, m);
	if (!t->item)
		return declare_tensor(e, t, class, name, at, init, m);
	if (!init)
		return struct_declare(e, t, class, name, at);
	elab_error(e, PML0209, init->span, "the fields of `%s` have initial values of their own", t->item->name.text);
	return &value_error;
}

const struct value *slot_of_item(struct elab *e, struct item *item)
{
	enum slot_class class = item->kind == ITEM_PARAM   ? SLOT_PARAM
				: item->kind == ITEM_STATE ? SLOT_STATE
							   : SLOT_VALUE;
	return slot_declare(e, item->type, class, elab_qualified(e, item), item->name.span, item->value, item->module);
}
