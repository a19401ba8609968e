/* assign.c — assignment: to variables known now, variables of the host, slots, and elements of tensors. */
#include "statements.h"
#include "../operators/operators.h"
#include "../gradients/gradients.h"

#include <string.h>

static void assign_slot(struct elab *e, const struct value *param, const struct value *v, struct span at)
{
	const struct slot *s = e->p->slots.at[param->slot];
	if (value_failed(v))
		return;
	if (s->slot_class == SLOT_PARAM &&
	    microbatch_refuses(e, at, arena_printf(e->a, "an assignment of param `%s`", s->name)))
		return;
	if (s->slot_class == SLOT_PARAM && e->grad_depth) {
		struct diag *d = elab_error(e, PML0502, at,
					    "param `%s` is assigned in a function that is differentiated", s->name);
		diag_note(d, "its derivative would be of two values; assign it after the gradient is computed");
		return;
	}
	if (v->kind == VALUE_HOST && v->host.type != HOST_TEXT && s->shape.rank == 0)
		v = number_as(e, v, s->dtype, at);
	if (value_is_list(v))
		v = literal_tensor(e, v, s->dtype, at);
	if (value_failed(v))
		return;
	if (!value_is_tensor(v)) {
		struct diag *d = elab_error(e, PML0505, at, "`%s` is a tensor, this is %s",
					    s->name ? s->name : "the variable", value_describe(e, v));
		if (value_is_number(v))
			diag_help(d,
				  "a tensor of one number is `full(v, [n, m])`; elements are assigned by `x[..] = v;`");
		elab_help_sort(e, d, v, at);
		return;
	}
	struct node *n = tensor_node(e, v, at);
	struct node_site site = elab_site(e, at);
	site.name = s->name;
	if (n->dtype != s->dtype || !shape_equal(&n->shape, &s->shape)) {
		struct text t;
		text_init(&t, e->a);
		type_print(&t, s->dtype, &s->shape);
		struct diag *d = elab_error(e, PML0505, at, "`%s` is %s, this is %s",
					    s->name ? s->name : "the variable", text_get(&t), value_describe(e, v));
		diag_label(d, s->span, "declared here");
		if (shape_equal(&n->shape, &s->shape))
			elab_help_as(e, d, at, s->dtype);
		return;
	}
	if (!n->place)
		n = graph_to(region_graph(e), &site, n, s->place, &s->layout);
	else if (!place_same_mesh(n->place, s->place)) {
		struct diag *d = elab_error(e, PML0212, at, "`%s` is on `%s`, this is on `%s`",
					    s->name ? s->name : "the variable", s->place->name, n->place->name);
		diag_help(d, "move it: `to @%s`", s->place->name);
		elab_edit_behind(e, d, at, arena_printf(e->a, " to @%s", s->place->name), false);
		return;
	}
	n = tensor_adopt(e, n, s->place, at);
	if (s->layout.form == LAYOUT_GIVEN)
		n = graph_contract(region_graph(e), &site, n, s->place, &s->layout, arena_printf(e->a, "`%s`", s->name),
				   s->span);
	if (param->line)
		slot_line_write(e, param->line, n, at);
	else
		region_slot_write(e, param->slot, n, at);
}

/* To a host variable, `old`. A tensor becomes a host value when one takes it. */
static void assign_host(struct elab *e, const struct binding *b, const struct value *old, const struct value *v,
			struct span at)
{
	enum host_type want = old->host.type;
	/* Turns would hand it on, which host code does not see; walked one by one they do. */
	if (region_loop(e) && !region_loop(e)->batch &&
	    graph_loop_refuses(e, at, "an assignment of what the host holds"))
		return;
	if (value_is_tensor(v))
		v = read_scalar(e, v, at);
	if (value_failed(v))
		return;
	if (want == HOST_FLOAT)
		v = host_to_float(e, v);
	if (v->kind != VALUE_HOST || v->host.type != want) {
		struct diag *d = elab_error(e, PML0505, at, "`%s` is %s, this is %s", b->name, host_type_text(want),
					    value_describe(e, v));
		diag_label(d, b->span, "declared here");
		if (want == HOST_INT && v->kind == VALUE_HOST && v->host.type == HOST_FLOAT)
			diag_help(d, "begin with a float: `0.0`");
		return;
	}
	host_set(e, old->host.expr->index, host_of(e, &v->host), at);
}

static void report_form(struct elab *e, const struct value *old, const struct value *v, const char *name,
			struct span declared, struct span at)
{
	const char *was = value_describe(e, old), *is = value_describe(e, v);
	bool same = !strcmp(was, is), list = old->kind == VALUE_LIST, gradient = old->kind == VALUE_GRADIENT;
	struct diag *d = elab_error(e, PML0505, at, "`%s` is %s, this is %s%s", name, was, is,
				    !same      ? ""
				    : list     ? " of another form"
				    : gradient ? " by other params"
					       : " of other things");
	if (declared.file)
		diag_label(d, declared, "declared here");
	if (!same || !list)
		return;
	diag_note(d, "a list keeps its length while the program runs");
	if (!e->frame->item)
		diag_help(d, "where the turns of a loop are known when compiling, a function collects: write the loop "
			     "in a `fn` that "
			     "returns the list");
}

/* Part by part, all of v as it is before, up to the first that is wrong: what is wrong with one, such as its place, is
 * with others. b: NULL if it is no variable. False where forms differ. */
static bool assign_parts(struct elab *e, const struct binding *b, const struct value *old, const struct value *v,
			 const char *name, struct span at)
{
	struct parts to = {0}, from = {0};
	if (!parts_alike(old, v)) {
		report_form(e, old, v, name, b ? b->span : (struct span){0}, at);
		return false;
	}
	parts_collect(e, old, &to);
	parts_collect(e, parts_now(e, parts_in_form(e, old, v, at), at), &from);
	int errors = e->s->errors;
	for (int i = 0; i < to.at.n && e->s->errors == errors; i++) {
		if (to.at.at[i]->kind == VALUE_PARAM)
			assign_slot(e, to.at.at[i], from.at.at[i], at);
		else
			assign_host(e, b, to.at.at[i], from.at.at[i], at);
	}
	return true;
}

/* A struct or list of params and states. */
static bool is_assignable(struct elab *e, const struct value *v)
{
	struct parts all = {0};
	bool slots = v->kind == VALUE_STRUCT || v->kind == VALUE_LIST;
	if (slots)
		parts_collect(e, v, &all);
	for (int i = 0; i < all.at.n; i++)
		slots = slots && all.at.at[i]->kind == VALUE_PARAM;
	return slots && all.at.n;
}

void binding_assign(struct elab *e, struct binding *b, const struct value *v, struct span at)
{
	/* What is computed from it from now on is as wrong as it is. */
	if (value_failed(v)) {
		if (b->kind == BIND_VAR)
			b->value = v;
		return;
	}
	if (!microbatch_may_assign(e, b, at))
		return;
	if (b->value->kind == VALUE_PARAM) {
		assign_slot(e, b->value, v, at);
		return;
	}
	switch (b->kind) {
	case BIND_LET: {
		struct diag *d = elab_error(e, PML0502, at, "`%s` does not change: it is not a `var`", b->name);
		diag_label(d, b->span, "declared here");
		return;
	}
	case BIND_VAR:
		if (v->kind == VALUE_HOST)
			v = host_freeze(e, v, b->name, at);
		if (parts_alike(b->value, v))
			v = parts_in_form(e, b->value, v, at);
		b->value = binding_named(e, parts_now(e, v, at), b->name);
		return;
	case BIND_HOST:
		assign_host(e, b, b->value, v, at);
		return;
	case BIND_SLOT:
		assign_slot(e, b->value, v, at);
		return;
	case BIND_PARTS:
		if (!assign_parts(e, b, b->value, v, b->name, at)) {
			b->kind = BIND_VAR;
			b->value = &value_error;
		}
		return;
	}
}

static enum binary_op operator_of(enum assign_op op)
{
	static const enum binary_op ops[] = {
		[ASSIGN_ADD] = BIN_ADD, [ASSIGN_SUB] = BIN_SUB, [ASSIGN_MUL] = BIN_MUL, [ASSIGN_DIV] = BIN_DIV};
	return ops[op];
}

/* Whether v has elements like x in `x op= v`: what x is stays, so v is converted. */
static bool elements_fit(struct elab *e, const struct stmt *s, const struct expr *x, const struct value *old,
			 const struct value *v)
{
	if (!value_is_tensor(old) || !value_is_tensor(v) || tensor_dtype(e, old) == tensor_dtype(e, v))
		return true;
	const enum dtype kept = tensor_dtype(e, old);
	struct diag *d = elab_error_mixed(e, kept, x->span, tensor_dtype(e, v), s->value->span);
	elab_help_as(e, d, s->value->span, kept);
	return false;
}

/* The value that `x op= v` gives x. */
static const struct value *combined(struct elab *e, const struct stmt *s, const struct expr *x, const struct value *v)
{
	if (s->op == ASSIGN_SET || value_failed(v))
		return v;
	const struct value *old = expr_eval(e, x);
	/* A host variable takes a finished scalar: read it before it is added. A number that the graph computes becomes
	 * a tensor, and in a derivative there is none. */
	bool is_hosts = old->kind == VALUE_HOST && !old->host.known && !value_is_of_graph(old);
	if (is_hosts && !e->grad_depth && value_is_tensor(v))
		v = read_scalar(e, v, s->value->span);
	if (!elements_fit(e, s, x, old, v))
		return &value_error;
	return binary_apply(e, operator_of(s->op), old, v, s->span, x->span, s->value->span);
}

/* A field keeps its type. */
static bool is_field_like(struct elab *e, const struct value *old, const struct value *v, const char *name,
			  struct span at)
{
	struct parts was = {0}, is = {0};
	bool same = parts_alike(old, v);
	parts_collect(e, old, &was);
	parts_collect(e, same ? parts_in_form(e, old, v, at) : v, &is);
	for (int i = 0; same && i < was.at.n; i++) {
		const struct value *a = was.at.at[i], *b = is.at.at[i];
		same = value_is_tensor(a) == value_is_tensor(b) &&
		       (!value_is_tensor(a) || (tensor_dtype(e, a) == tensor_dtype(e, b) &&
						shape_equal(tensor_shape(e, a), tensor_shape(e, b))));
	}
	if (!same)
		elab_error(e, PML0505, at, "`%s` is %s, this is %s", name, value_describe(e, old),
			   value_describe(e, v));
	return same;
}

/* A tensor of one element takes a number that it can hold. */
static bool is_number_for(struct elab *e, const struct value *old, const struct value *v)
{
	return value_is_tensor(old) && !tensor_shape(e, old)->rank && value_is_number(v) &&
	       (v->host.type == HOST_INT || dtype_is_float(tensor_dtype(e, old)));
}

/* A member of a variable: it becomes itself with another one. */
static void assign_member(struct elab *e, struct binding *root, const struct expr *t, const struct value *old,
			  const struct value *v, struct span at)
{
	struct text name;
	text_init(&name, e->a);
	ast_print_expr(&name, t);
	if (value_is_tensor(old) && value_is_list(v))
		v = literal_tensor(e, v, tensor_dtype(e, old), at);
	else if (is_number_for(e, old, v))
		v = number_as(e, v, tensor_dtype(e, old), at);
	if (value_failed(v))
		return;
	if (root->kind == BIND_PARTS) {
		assign_parts(e, root, old, v, text_get(&name), at);
		return;
	}
	if (t->kind == EXPR_FIELD && root->kind == BIND_VAR && !is_field_like(e, old, v, text_get(&name), at))
		return;
	for (; t->kind != EXPR_NAME; t = t->kind == EXPR_FIELD ? t->object : t->callee) {
		const struct value *whole = expr_eval(e, t->kind == EXPR_FIELD ? t->object : t->callee);
		int64_t i = 0;
		while (t->kind == EXPR_FIELD && whole->object.fields.at[i].name != t->name.text)
			i++;
		if (t->kind == EXPR_INDEX && !index_position(e, t, whole->items.n, "elements", &i))
			return;
		v = parts_with_member(e, whole, (int)i, v);
	}
	binding_assign(e, root, v, at);
}

/* The variable that t is a field or element of, through structs, tuples and lists alone; NULL: none. */
static struct binding *member_root(struct elab *e, const struct expr *t)
{
	const struct expr *root = assigned_root(t);
	for (const struct expr *x = t; x != root; x = x->kind == EXPR_FIELD ? x->object : x->callee) {
		const struct value *whole = expr_eval(e, x->kind == EXPR_FIELD ? x->object : x->callee);
		if (x->kind == EXPR_FIELD ? whole->kind != VALUE_STRUCT
					  : whole->kind != VALUE_LIST && whole->kind != VALUE_TUPLE)
			return NULL;
	}
	return root->kind == EXPR_NAME && root != t ? env_find(e, root->name.text) : NULL;
}

/* `net = start;` behind `let start = net;`, which names the params, not what they were. */
static void warn_of_itself(struct elab *e, const struct stmt *s, const struct value *target, const struct value *v)
{
	const struct binding *b = s->value->kind == EXPR_NAME ? env_find(e, s->value->name.text) : NULL;
	struct parts to = {0}, from = {0};
	if (!b || b->kind != BIND_LET || s->op != ASSIGN_SET || !parts_alike(target, v))
		return;
	parts_collect(e, target, &to);
	parts_collect(e, v, &from);
	for (int i = 0; i < to.at.n; i++)
		if (from.at.at[i]->kind != VALUE_PARAM || from.at.at[i]->slot != to.at.at[i]->slot)
			return;
	struct diag *d = elab_error(e, PML0512, s->span,
				    "`%s` is another name of what is assigned here, so this changes nothing", b->name);
	diag_label(d, b->span, "a name for the params, as they are whenever they are read");
	struct text name;
	text_init(&name, e->a);
	ast_print_expr(&name, s->target);
	static const char word[] = "let";
	const struct source *src = &e->s->sources.at[b->span.file];
	uint32_t begin = b->span.begin - (uint32_t)sizeof word;
	bool is_bound = b->span.begin >= sizeof word && !memcmp(src->bytes + begin, word, sizeof word - 1);
	diag_help(d, "what they are at some point is kept by a variable: `var %s = %s;`", is_bound ? b->name : "kept",
		  text_get(&name));
	if (is_bound)
		diag_edit(d, (struct span){b->span.file, begin, begin + (uint32_t)sizeof word - 1}, "var");
}

static void assign_to(struct elab *e, const struct stmt *s, const struct expr *t, const struct value *v)
{
	struct span at = s->value->span;
	struct binding *b = t->kind == EXPR_NAME ? env_find(e, t->name.text) : NULL;
	if (b) {
		binding_assign(e, b, v, at);
		return;
	}
	if (assigns_any(e, t)) {
		assign_any(e, s, t, v);
		return;
	}
	const struct value *target = expr_eval(e, t);
	if (value_failed(target) || value_failed(v))
		return;
	if (target->kind == VALUE_PARAM) {
		assign_slot(e, target, v, at);
		return;
	}
	if (is_assignable(e, target)) {
		warn_of_itself(e, s, target, v);
		struct text name;
		text_init(&name, e->a);
		ast_print_expr(&name, t);
		assign_parts(e, NULL, target, v, text_get(&name), at);
		return;
	}
	b = member_root(e, t);
	if (b) {
		assign_member(e, b, t, target, v, at);
		return;
	}
	struct diag *d = elab_error(e, PML0502, t->span, "only variables, params and states are assigned, this is %s",
				    value_describe(e, target));
	if (value_is_tensor(target) && t->kind == EXPR_INDEX && t->callee->kind == EXPR_INDEX)
		diag_help(d, "elements of elements are named by one index: `x[i, j]`");
}

/* `x[i] = v`: x becomes itself with some elements replaced. */
static void assign_elements(struct elab *e, const struct stmt *s, const struct expr *t, const struct value *x,
			    const struct value *v)
{
	struct span at = s->value->span;
	if (s->op == ASSIGN_SET) {
		assign_to(e, s, t->callee, index_update(e, x, t, v, at));
		return;
	}
	assign_to(e, s, t->callee, index_combine(e, operator_of(s->op), x, t, v, s->span, at));
}

static void assign_one(struct elab *e, const struct stmt *s, const struct expr *t, const struct value *v)
{
	const struct value *whole = t->kind == EXPR_INDEX ? expr_eval(e, t->callee) : &value_none;
	if (value_failed(whole))
		return;
	if (value_is_tensor(whole))
		assign_elements(e, s, t, whole, v);
	else
		assign_to(e, s, t, combined(e, s, t, v));
}

static void assign_items(struct elab *e, const struct stmt *s, const struct expr *t, const struct value *given)
{
	const struct value *v = value_sizes(e, given);
	bool fits = !value_failed(v) && (v->kind == VALUE_TUPLE || v->kind == VALUE_LIST) && v->items.n == t->items.n;
	if (!fits && !value_failed(v)) {
		struct diag *d = elab_error(e, PML0217, s->value->span, "%s does not come apart into %d values",
					    value_describe(e, given), t->items.n);
		diag_label(d, t->span, "assigned to these");
	}
	for (int i = 0; i < t->items.n; i++) {
		const struct value *item = fits ? v->items.at[i] : &value_error;
		if (t->items.at[i]->kind == EXPR_TUPLE)
			assign_items(e, s, t->items.at[i], item);
		else
			assign_one(e, s, t->items.at[i], item);
	}
}

/* Host values of a tuple as they are now. */
static const struct value *freeze_items(struct elab *e, const struct value *v, struct span at)
{
	if (v->kind != VALUE_TUPLE && v->kind != VALUE_LIST)
		return host_freeze(e, v, "assigned", at);
	struct value *out = value_new(e, v->kind);
	for (int i = 0; i < v->items.n; i++)
		vec_push(e->a, &out->items, freeze_items(e, v->items.at[i], at));
	return out;
}

void stmt_assign(struct elab *e, const struct stmt *s)
{
	const struct value *v = s->op == ASSIGN_SET ? open_eval(e, s->value) : expr_eval(e, s->value);
	/* All of the right side is computed before anything is assigned: `(a, b) = (b, a)` exchanges them. */
	if (s->target->kind == EXPR_TUPLE)
		assign_items(e, s, s->target, freeze_items(e, value_snapshot(e, v, s->value->span), s->value->span));
	else
		assign_one(e, s, s->target, v);
}
