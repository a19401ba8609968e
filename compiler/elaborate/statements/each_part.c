/* each_part.c — `each d in v` of a struct, tuple or list: its tensors, and numbers as such, are walked one by one,
 * those of gradients in it too. A state declared there belongs to the place in v, and has its name. */
#include "statements.h"
#include "../loops/loops.h"
#include "../operators/operators.h"
#include "../values/values.h"

/* The parts of what is walked, with their names: `first.w`, `rest.0`, and of derivatives the param, else NULL. */
struct named {
	struct parts parts;
	VEC(const char *) name;
	VEC(const struct slot *) param;
};

static const char *member_name(struct elab *e, const struct value *v, int i)
{
	return v->kind == VALUE_STRUCT     ? v->object.fields.at[i].name
	       : v->kind == VALUE_GRADIENT ? v->gradient.at[i].name
					   : arena_printf(e->a, "%d", i);
}

static void collect(struct elab *e, const struct value *v, const char *name, const struct slot *param,
		    struct named *out)
{
	if (value_is_part(v)) {
		vec_push(e->a, &out->parts.at, v);
		vec_push(e->a, &out->name, name);
		vec_push(e->a, &out->param, param);
	}
	for (int i = 0; value_is_composed(v) && i < value_members(v); i++) {
		const char *member = member_name(e, v, i);
		const struct slot *by = v->kind == VALUE_GRADIENT ? e->p->slots.at[v->gradient.at[i].slot] : NULL;
		collect(e, value_member(e, v, i), name ? elab_intern(e, "%s.%s", name, member) : member, by, out);
	}
}

/* The layout of a state like the tensor n: the one that it, or what it is the derivative of, was last brought to. */
static struct layout_spec layout_like(struct elab *e, const struct node *n)
{
	while (n) {
		if (n->kind == NODE_SLOT && e->p->slots.at[n->slot]->layout.form == LAYOUT_GIVEN)
			return e->p->slots.at[n->slot]->layout;
		bool is_brought = n->kind == NODE_TO || n->kind == NODE_CONTRACT;
		if (is_brought && n->target->layout.form == LAYOUT_GIVEN &&
		    !(n->place && layout_has_partial(n->place, &n->target->layout.layout)))
			return n->target->layout;
		n = n->origin == ORIGIN_BACKWARD ? n->forward : is_brought || node_is_identity(n) ? n->in[0] : NULL;
	}
	return (struct layout_spec){.form = LAYOUT_GIVEN, .layout = layout_broadcast()};
}

/* What became of a part stands in its place; that of a derivative has its shape, or the param's: NULL after a message.
 */
static const struct value *fit(struct elab *e, const struct value *v, const struct value *part,
			       const struct slot *param, struct span at)
{
	static const struct shape single = {0};
	if (value_failed(v))
		return NULL;
	if (value_is_part(v)) {
		const struct shape *is = value_is_tensor(v) ? tensor_shape(e, v) : &single;
		if (!param || shape_equal(is, &param->shape) || shape_equal(is, tensor_shape(e, part)))
			return v;
	}
	struct diag *d = elab_error(e, PML0501, at, "a part is %s, this in its place is %s", value_describe(e, part),
				    value_describe(e, v));
	if (value_is_part(v))
		diag_note(d, "it is the derivative by `%s`, and stays as large: a tuple or a list may hold others",
			  param->name);
	return NULL;
}

/* One part: the name is bound, states declared here belong to it. What the body gives, if it is a value. */
static const struct value *walk(struct elab *e, const struct each_part *x, const struct value *part, const char *name,
				const struct slot *param)
{
	struct node *n = value_is_tensor(part) ? tensor_node(e, part, x->at)
					       : tensor_of_host(e, part, host_dtype(part->host.type), x->at);
	struct gradient_entry d = {.slot = -1, .name = name, .d = tensor_value_of(e, n), .layout = layout_like(e, n)};
	const struct gradient_entry *before = e->each;
	const char *outer = e->frame->like, *owner = each_owner(e);
	const struct value *v = NULL;
	if (owner)
		d.name = elab_intern(e, "%s.%s", owner, name);
	e->frame->like = d.name;
	e->each = &d;
	env_push(e);
	pattern_bind(e, x->pattern, BIND_LET, d.d, x->at);
	if (x->value)
		v = fit(e, expr_eval(e, x->value), part, param, x->value->span);
	else
		stmt_block(e, x->block->body);
	env_pop(e);
	e->frame->like = outer;
	e->each = before;
	return v;
}

struct turn {
	const struct each_part *x;
	const struct value *part;
	const char *name;
	const struct slot *param;
};

static void walk_arm(struct elab *e, const void *context)
{
	const struct turn *t = context;
	walk(e, t->x, t->part, t->name, t->param);
}

/* The statements of one part, where the running program may have returned from another before. */
static void walk_statements(struct elab *e, const struct each_part *x, const struct value *part, const char *name,
			    const struct slot *param)
{
	struct turn turn = {x, part, name, param};
	struct arm_body arm = {.statements = x->block, .walk = walk_arm, .x = &turn};
	if (!(stmt_may_return(x->block) && unless_left(e, &arm, x->at)))
		walk(e, x, part, name, param);
}

const struct value *each_part(struct elab *e, const struct each_part *x, const struct value *v)
{
	struct named all = {.name = {0}};
	struct parts out = {0};
	if (value_failed(v))
		return v;
	if (!value_is_part(v) && !value_is_composed(v)) {
		elab_error(e, PML0501, x->at, "`each` walks a gradient, struct, tuple or list, this is %s",
			   value_describe(e, v));
		return &value_error;
	}
	v = parts_alone(e, v, x->at);
	collect(e, v, NULL, NULL, &all);
	for (int i = 0; i < all.name.n && !e->frame->returned; i++) {
		const char *name = all.name.at[i] ? all.name.at[i] : "value";
		if (!x->value) {
			walk_statements(e, x, all.parts.at.at[i], name, all.param.at[i]);
			continue;
		}
		const struct value *is = walk(e, x, all.parts.at.at[i], name, all.param.at[i]);
		if (!is)
			return &value_error;
		vec_push(e->a, &out.at, is);
	}
	return x->value ? parts_replaced(e, v, &out) : v;
}
