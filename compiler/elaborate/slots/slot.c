/* slot.c — params, states and what keeps them: one slot each, filled by the init code.
 *
 * An initialiser is a call whose leading parameters `key`, `shape` and `dtype` are supplied from the slot: the key is a
 * hash of the qualified name, so that adding a param changes the initial value of no other. */
#include "slots.h"
#include "../values/values.h"

/* An initialiser that is walked once all elements of a list are declared, and where it stands. */
struct initial {
	int slot;
	const struct expr *init;
	struct module *m;
	struct scope *scope;
	struct module *module;
};

struct initials {
	VEC(struct initial) at;
};

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
	int grad_depth, orders, mapped;
	bool is_rule;
	struct microbatch_walk *micro;
	struct list_turns *turns;
	struct initials *later;
	bool is_drawn;
};

static struct context enter_init(struct elab *e)
{
	struct context c = {.code = e->code,
			    .region = e->region,
			    .frame = e->frame,
			    .scope = e->scope,
			    .module = e->module,
			    .call = e->call,
			    .param_name = e->param_name,
			    .param_shape = e->param_shape,
			    .param_dtype = e->param_dtype,
			    .grad_depth = e->grad_depth,
			    .orders = e->orders,
			    .is_rule = e->is_rule,
			    .mapped = e->mapped,
			    .micro = e->micro,
			    .turns = e->turns,
			    .later = e->later,
			    .is_drawn = e->is_drawn};
	e->code = e->init_code;
	e->region = e->init_region;
	e->grad_depth = e->orders = e->mapped = 0;
	e->is_rule = false;
	e->micro = NULL;
	e->turns = NULL;
	e->later = NULL;
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
	e->orders = c->orders;
	e->is_rule = c->is_rule;
	e->mapped = c->mapped;
	e->micro = c->micro;
	e->turns = c->turns;
	e->later = c->later;
	e->is_drawn = c->is_drawn;
}

static struct node *fit_initial(struct elab *e, const struct slot *s, const struct value *v, struct span at)
{
	if (value_failed(v))
		return NULL;
	if (value_is_number(v) || (v->kind == VALUE_HOST && v->host.type == HOST_BOOL)) {
		struct node_site site = elab_site(e, at);
		v = number_as(e, v, s->dtype, at);
		struct node *x = value_failed(v) ? NULL : tensor_node(e, v, at);
		return !x ? NULL : s->shape.rank ? graph_fill(region_graph(e), &site, x, &s->shape) : x;
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
		if (shape_equal(&n->shape, &s->shape))
			elab_help_as(e, d, at, s->dtype);
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

/* Walks an initialiser for a slot; what it gives, NULL after a message. States declared in functions see the function's
 * values; those of a module start from nothing. */
static struct node *initial_value(struct elab *e, const struct slot *s, const struct expr *init, struct module *m)
{
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
	e->is_drawn = false;
	const struct value *v = init ? expr_eval(e, init) : value_int(e, 0);
	return fit_initial(e, s, v, init ? init->span : s->span);
}

void slot_initialise(struct elab *e, int slot, const struct expr *init, struct module *m)
{
	const struct slot *s = e->p->slots.at[slot];
	if (e->is_initial_told)
		return;
	struct context c = enter_init(e);
	struct node *n = initial_value(e, s, init, m);
	if (n)
		put_initial(e, s, n, init ? init->span : s->span);
	leave_init(e, &c);
}

/* ---- lists ---- */

/* All members begin with n. */
static void put_repeated(struct elab *e, const struct slot *list, struct node *n, struct span at)
{
	struct node_site site = elab_site(e, at);
	put_initial(e, list, graph_repeated(region_graph(e), &site, n, list->members.n), at);
}

/* The key of each turn, of a loop over the members. */
static const struct value *keys_of_turns(struct elab *e, const struct slot *list, struct loop *l, struct span at)
{
	struct node **keys = ARENA_ARRAY(e->a, struct node *, list->members.n);
	struct node_site site = elab_site(e, at);
	for (int i = 0; i < list->members.n; i++)
		keys[i] = tensor_of_host(e, slot_key(e, list->members.at[i]->name, at), DT_U64, at);
	return number_value(e, HOST_KEY, graph_line(region_graph(e), &site, l, list->members.n, keys, 0, 1, false));
}

/* Draws the members in the turns of a loop; false: nothing has been done, the initialiser is more than a graph. */
static bool put_drawn(struct elab *e, const struct slot *list, const struct expr *init, struct module *m)
{
	const struct trial *before = trial_begin(e);
	struct graph *g = region_graph(e);
	const struct region_build *region = e->region;
	int errors = e->s->errors;
	struct loop *l = graph_loop(g, NULL, list->members.n, init->span);
	e->param_key = keys_of_turns(e, list, l, init->span);
	g->open = l;
	struct node *n = initial_value(e, list->members.at[0], init, m);
	e->param_key = NULL;
	g->open = NULL;
	if (!n || e->s->errors > errors || e->region != region || !loop_is_in(n->loop, l)) {
		trial_back(e, before);
		return false;
	}
	struct node_site site = elab_site(e, init->span);
	put_initial(e, list, graph_stack(g, &site, l, n, false), init->span);
	return true;
}

/* Whether all members begin in one go: with one value, or drawn in turns. */
static bool put_list(struct elab *e, const struct slot *list, const struct expr *init, struct module *m)
{
	const struct trial *before;
	struct scope *scope = e->scope;
	struct module *module = e->module;
	e->frame = ARENA_NEW(e->a, struct frame);
	before = trial_begin(e);
	struct node *n = initial_value(e, list->members.at[0], init, m);
	if (!n)
		return false;
	if (!e->is_drawn) {
		put_repeated(e, list, n, init ? init->span : list->span);
		return true;
	}
	trial_back(e, before);
	e->scope = scope;
	e->module = module;
	return put_drawn(e, list, init, m);
}

void list_initialise(struct elab *e, const struct slot *list, const struct expr *init, struct module *m)
{
	int errors = e->s->errors;
	struct context c = enter_init(e);
	bool is_put = put_list(e, list, init, m);
	leave_init(e, &c);
	for (int i = 0; i < list->members.n && !is_put && e->s->errors == errors; i++)
		slot_initialise(e, list->members.at[i]->id, init, m);
}

static bool check_slot(struct elab *e, const struct slot *s, const struct type *t)
{
	static const char *const words[] = {[SLOT_PARAM] = "param", [SLOT_STATE] = "state", [SLOT_VALUE] = "cache"};
	const char *what = words[s->slot_class];
	if (s->slot_class == SLOT_PARAM && !dtype_is_float(s->dtype)) {
		struct diag *d = elab_error(e, PML0202, t->span, "a param has float elements, `%s` has %s", s->name,
					    dtype_text(s->dtype));
		diag_help(d, "a `state` is kept, and in checkpoints, alike; it has no gradient");
		return false;
	}
	if (layout_has_partial(s->place, &s->layout.layout)) {
		struct diag *d = elab_error(e, PML0213, t->layout->span,
					    "a %s is a finished value, it cannot be stored as `P`", what);
		diag_help(d, "every rank has all of it, `B`, or a part of its rows, `S(0)`");
		return false;
	}
	return true;
}

/* A list of lists of lists of ... has as many as one cares to write. */
enum { MAX_SLOTS = 1 << 16 };

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
	if (e->p->slots.n == MAX_SLOTS && e->s->errors)
		return &value_error;
	if (e->p->slots.n == MAX_SLOTS) {
		elab_error(e, PML0207, at,
			   "with `%s` the program has more than %d params, states and other tensors that stay", name,
			   (int)MAX_SLOTS);
		return &value_error;
	}
	struct value *v = value_new(e, VALUE_PARAM);
	v->slot = slot_new(e, &like);
	if (e->later)
		vec_push(e->a, &e->later->at, ((struct initial){v->slot, init, m, e->scope, e->module}));
	else
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

/* The first values of elements that were declared, those of a list together. What is wrong with an initialiser that
 * several elements have is told of the first. */
static void initialise_later(struct elab *e, const struct initials *all)
{
	struct scope *scope = e->scope;
	struct module *module = e->module;
	const struct expr **failed = ARENA_ARRAY(e->a, const struct expr *, all->at.n);
	int failures = 0;
	for (int i = 0; i < all->at.n; i++) {
		const struct initial *x = &all->at.at[i];
		const struct slot *s = e->p->slots.at[x->slot];
		int errors = e->s->errors, k = 0;
		while (k < failures && failed[k] != x->init)
			k++;
		if (k < failures)
			continue;
		e->scope = x->scope;
		e->module = x->module;
		if (!s->list)
			slot_initialise(e, x->slot, x->init, x->m);
		else if (!s->member)
			list_initialise(e, s->list, x->init, x->m);
		if (x->init && e->s->errors > errors)
			failed[failures++] = x->init;
	}
	e->scope = scope;
	e->module = module;
}

/* `[Block(w = a), Block(w = b)]`: an initial value for each of n structs or lists of them. NULL: init is one for all;
 * *good: false after an error. */
static struct expr *const *initial_of_each(struct elab *e, const struct type *t, const struct expr *init, int64_t n,
					   bool *good)
{
	const struct type *inner = t->element;
	while (inner->kind == TYPE_ARRAY)
		inner = inner->element;
	*good = true;
	if (!init || init->kind != EXPR_LIST || !inner->item)
		return NULL;
	*good = init->items.n == n;
	if (!*good)
		elab_error(e, PML0201, init->span, "there are %lld elements, and initial values for %d", (long long)n,
			   init->items.n);
	return init->items.at;
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
	bool good;
	struct expr *const *each = initial_of_each(e, t, init, n, &good);
	if (!good)
		return &value_error;
	/* Where elements do not know their number, they begin alike. */
	bool alike = !t->index.text && !each;
	struct initials later = {0}, *outer = e->later;
	bool is_outer = !outer && alike && class != SLOT_VALUE;
	e->later = is_outer ? &later : alike ? outer : NULL;
	const struct value *failed = NULL;
	bool is_told = e->is_initial_told;
	int errors = e->s->errors;
	for (int64_t i = 0; i < n && !failed; i++) {
		env_push(e);
		if (t->index.text)
			env_bind(e, t->index, BIND_LET, value_int(e, i));
		const struct value *one =
			slot_declare(e, &element, class, elab_intern(e, "%s.%lld", name, (long long)i), at,
				     each ? each[i] : init, m);
		env_pop(e);
		failed = value_failed(one) ? one : NULL;
		vec_push(e->a, &v->items, one);
		e->is_initial_told = is_told || (!each && e->s->errors > errors);
	}
	e->is_initial_told = is_told;
	e->later = outer;
	if (failed)
		return failed;
	if (class != SLOT_VALUE)
		list_elements(e, v);
	if (is_outer)
		initialise_later(e, &later);
	return v;
}

static const struct value *noted(struct elab *e, enum slot_class class, const char *name, const struct value *v)
{
	if (class == SLOT_PARAM && !value_failed(v))
		map_set(&e->declared, name, (void *)v);
	return v;
}

const struct value *slot_declare(struct elab *e, const struct type *t, enum slot_class class, const char *name,
				 struct span at, const struct expr *init, struct module *m)
{
	if (t->kind == TYPE_TUPLE)
		return elab_unsupported(e, t->span, "a tuple of params");
	if (t->kind == TYPE_ARRAY)
		return noted(e, class, name, declare_array(e, t, class, name, at, init, m));
	if (!t->item)
		return declare_tensor(e, t, class, name, at, init, m);
	if (!init || m)
		return noted(e, class, name, struct_declare(e, t, class, name, at, init, m));
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
