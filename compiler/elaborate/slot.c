/* slot.c — params, states and what keeps them: one slot each, filled by the init code.
 *
 * An initialiser is a call whose leading parameters `key`, `shape` and `dtype` are supplied from the slot: the key is a hash
 * of the qualified name, so that adding a param changes the initial value of no other. */
#include "elab.h"

int slot_new(struct elab *e, const struct slot *like)
{
	struct slot *s = ARENA_NEW(e->a, struct slot);
	*s = *like;
	s->id = e->p->slots.n;
	vec_push(e->a, &e->p->slots, s);
	return s->id;
}

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
};

static struct context enter_init(struct elab *e)
{
	struct context c = {e->code,       e->region,      e->frame,       e->scope,     e->module, e->call,
	                    e->param_name, e->param_shape, e->param_dtype, e->grad_depth};
	e->code = e->init_code;
	e->region = e->init_region;
	e->grad_depth = 0;
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
	if (!value_is_tensor(v)) {
		elab_error(e, PML0204, at, "the initial value of `%s` is %s, not a tensor", s->name, value_describe(e, v));
		return NULL;
	}
	struct node *n = tensor_node(e, v, at);
	if (n->dtype != s->dtype || !shape_equal(&n->shape, &s->shape)) {
		struct text t;
		text_init(&t, e->a);
		type_print(&t, s->dtype, &s->shape);
		struct diag *d = elab_error(e, PML0201, at, "`%s` is %s, its initial value is %s", s->name, text_get(&t),
		                            value_describe(e, v));
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
	else if (n->place != s->place) {
		elab_error(e, PML0212, at, "`%s` is on `%s`, its initial value on `%s`", s->name, s->place->name, n->place->name);
		return;
	}
	region_slot_write(e, s->id, n, at);
}

void slot_initialise(struct elab *e, int slot, const struct expr *init, struct module *m)
{
	const struct slot *s = e->p->slots.at[slot];
	struct context c = enter_init(e);
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
	if (n)
		put_initial(e, s, n, at);
	leave_init(e, &c);
}

const struct value *slot_of_item(struct elab *e, struct item *item)
{
	struct tensor_type t;
	if (item->type && (item->type->kind == TYPE_ARRAY || item->type->kind == TYPE_TUPLE))
		return elab_unsupported(e, item->type->span, "params of arrays and tuples");
	if (!item->type || !type_resolve(e, item->type, &t))
		return &value_error;
	if (item->kind == ITEM_PARAM && !dtype_is_float(t.dtype)) {
		struct diag *d = elab_error(e, PML0202, item->type->span, "a param has float elements, `%s` has %s", item->name.text,
		                            dtype_text(t.dtype));
		diag_help(d, "a `state` is kept and saved alike, without a gradient");
		return &value_error;
	}
	struct slot like = {.name = elab_qualified(e, item),
	                    .slot_class = item->kind == ITEM_PARAM ? SLOT_PARAM : SLOT_STATE,
	                    .dtype = t.dtype,
	                    .shape = t.shape,
	                    .place = t.place ? t.place : e->fallback_place,
	                    .layout = t.layout,
	                    .span = item->name.span};
	if (like.layout.form == LAYOUT_AUTO)
		return elab_unsupported(e, item->type->span, "`auto`");
	if (like.layout.form != LAYOUT_GIVEN)
		like.layout = (struct layout_spec){.form = LAYOUT_GIVEN, .layout = layout_broadcast(), .span = item->name.span};
	if (layout_has_partial(like.place, &like.layout.layout)) {
		elab_error(e, PML0213, item->type->layout->span, "a %s is a finished value, it cannot be stored as `P`",
		           item->kind == ITEM_PARAM ? "param" : "state");
		return &value_error;
	}
	int id = slot_new(e, &like);
	slot_initialise(e, id, item->value, item->module);
	struct value *v = value_new(e, VALUE_PARAM);
	v->slot = id;
	return v;
}
