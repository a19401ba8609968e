/* carried.c — what the turns of a loop of a graph hand on to each other.
 *
 * Carried are the variables that the body assigns and the slots that it, or what it calls, assigns. Tensors are carried
 * as they are, numbers of the host as scalars that keep all of them, lists, tuples and structs by their parts. What a
 * turn begins with and what it leaves must be of one type. It is read off the value before the loop, which may say
 * less than the body: a number becomes the tensor that is made of it, what is on no rank yet goes where the body's
 * value is. Then the body is walked again. Types only ever grow more definite, so that this ends. */
#include "handed.h"
#include "../operators/operators.h"
#include "visit.h"

#include <string.h>

/* A part: a number of the host, or a tensor. */
struct part {
	bool is_number, was_number;
	enum host_type number;
	enum dtype dtype;
	struct shape shape;
	const struct place *place;
	struct node *carry, *end;
	const struct value *outside, *inside; /* what it begins with; what stands for it in the body */
};

struct carried {
	struct binding *binding; /* NULL: a slot */
	int slot;
	const char *name;
	struct span span, assigned; /* where it is declared, and assigned last */
	const struct value *before; /* for its form */
	VEC(struct part) parts;
};

struct carried_set {
	VEC(struct carried *) at;
};

/* ---- what is carried ---- */

static struct part part_of(struct elab *e, const struct value *v)
{
	struct part p = {.is_number = v->kind == VALUE_HOST};
	p.was_number = p.is_number;
	if (p.is_number) {
		p.number = v->host.type;
		return p;
	}
	p.dtype = tensor_dtype(e, v);
	p.shape = *tensor_shape(e, v);
	p.place = tensor_place(e, v);
	return p;
}

/* What a function gives; other variables may be numbers that turns make tensors of any shape of. */
static bool is_given(struct elab *e, const struct carried *c)
{
	return c->binding && c->name == intern(e->s->names, HIDDEN_GIVEN);
}

static void add_parts(struct elab *e, struct carried *c, const struct value *like)
{
	struct parts all = {0};
	parts_collect(e, like, &all);
	for (int i = 0; i < all.at.n; i++) {
		struct part p = part_of(e, all.at.at[i]);
		p.was_number &= !is_given(e, c);
		vec_push(e->a, &c->parts, p);
	}
}

void carried_add(struct elab *e, struct carried_set *set, const char *name, struct span at)
{
	struct binding *b = env_find(e, name);
	if (!b || b->kind != BIND_VAR || value_failed(b->value))
		return;
	for (int i = 0; i < set->at.n; i++)
		if (set->at.at[i]->binding == b) {
			set->at.at[i]->assigned = at;
			return;
		}
	struct carried *c = ARENA_NEW(e->a, struct carried);
	*c = (struct carried){.binding = b, .name = name, .span = b->span, .assigned = at, .before = b->value};
	add_parts(e, c, c->before);
	vec_push(e->a, &set->at, c);
}

static void add_target(struct elab *e, struct carried_set *set, const struct expr *target, struct span at)
{
	target = assigned_root(target);
	if (target->kind == EXPR_NAME)
		carried_add(e, set, target->name.text, at);
	for (int i = 0; target->kind == EXPR_TUPLE && i < target->items.n; i++)
		add_target(e, set, target->items.at[i], at);
}

struct assignments {
	struct visitor visitor;
	struct elab *e;
	struct carried_set *set;
};

static bool add_assigned(struct visitor *v, const struct stmt *s)
{
	struct assignments *a = (struct assignments *)v;
	if (s->kind == STMT_BREAK || s->kind == STMT_CONTINUE || s->kind == STMT_RETURN)
		graph_leave_flags(a->e, a->set, s);
	if (s->kind == STMT_ASSIGN)
		add_target(a->e, a->set, s->target, s->span);
	return true;
}

struct carried_set *carried_by(struct elab *e, const struct stmt *first, const struct stmt *second)
{
	struct assignments a = {{.stmt = add_assigned}, e, ARENA_NEW(e->a, struct carried_set)};
	region_graph(e);
	visit_stmts(&a.visitor, first);
	visit_stmts(&a.visitor, second);
	return a.set;
}

/* Slots are carried once a walk has assigned them. */
static bool add_slots(struct elab *e, struct carried_set *set, const struct trial *before)
{
	int n = e->p->slots.n, known = set->at.n;
	int *slots = ARENA_ARRAY(e->a, int, n + 1);
	n = region_assigned(e, trial_mark(before), slots, n);
	for (int i = 0; i < n; i++) {
		bool is_known = false;
		for (int k = 0; k < known; k++)
			is_known |= !set->at.at[k]->binding && set->at.at[k]->slot == slots[i];
		if (is_known)
			continue;
		struct value *v = value_new(e, VALUE_PARAM);
		struct carried *c = ARENA_NEW(e->a, struct carried);
		const struct slot *s = e->p->slots.at[slots[i]];
		v->slot = slots[i];
		*c = (struct carried){.slot = slots[i], .name = s->name, .span = s->span, .before = v};
		add_parts(e, c, c->before);
		vec_push(e->a, &set->at, c);
	}
	return set->at.n > known;
}

/* ---- into the loop ---- */

/* What the loop begins with, from the value of a part now. */
static struct node *start_of(struct elab *e, const struct part *p, const struct value *v, const char *name,
			     struct span at)
{
	struct node_site site = elab_site(e, at);
	struct layout_spec any = {.form = LAYOUT_INFER};
	struct graph *g = region_graph(e);
	enum dtype t = p->is_number ? host_dtype(p->number) : p->dtype;
	struct node *n = v->kind == VALUE_HOST ? number_fitted(e, v, t, at) : tensor_node(e, v, at);
	site.name = name;
	if (!p->is_number && !shape_equal(&n->shape, &p->shape))
		n = graph_fill(g, &site, n, &p->shape);
	if (p->place && !n->place)
		n = graph_to(g, &site, n, p->place, &any);
	return n;
}

/* A number for what will be like v. */
static const struct value *zero_like(struct elab *e, const struct value *v)
{
	bool tensor = value_is_tensor(v);
	struct host_value zero = {.type = tensor ? HOST_INT : v->host.type, .known = true};
	if (tensor && tensor_dtype(e, v) == DT_BOOL)
		zero.type = HOST_BOOL;
	return value_host(e, &zero);
}

/* A function is left with v for the first time: what it gives begins with zeros, which nobody reads. */
static void begin_given(struct elab *e, struct carried *c, const struct value *v)
{
	struct parts all = {0}, zeros = {0};
	parts_collect(e, v, &all);
	for (int i = 0; i < all.at.n; i++)
		vec_push(e->a, &zeros.at, zero_like(e, all.at.at[i]));
	c->before = parts_replaced(e, v, &zeros);
	add_parts(e, c, v);
}

static const struct value *begun(struct elab *e, struct part *p, struct loop *l, const struct value *v,
				 const char *name, struct span at)
{
	struct node_site site = elab_site(e, at);
	site.name = name;
	p->outside = v;
	p->carry = graph_carry(region_graph(e), &site, l, start_of(e, p, v, name, at));
	p->inside = p->is_number ? host_typed_like(e, number_value(e, p->number, p->carry), 1, &v)
				 : tensor_value_of(e, p->carry);
	return p->inside;
}

/* What the variable or slot holds now. */
static const struct value *value_now(const struct carried *c)
{
	return c->binding && c->binding->value != &value_nothing ? c->binding->value : c->before;
}

void carried_begin(struct elab *e, struct carried_set *set, struct loop *l, struct span at)
{
	for (int i = 0; i < set->at.n; i++) {
		struct carried *c = set->at.at[i];
		struct parts now = {0}, inside = {0};
		parts_collect(e, value_now(c), &now);
		for (int k = 0; k < now.at.n; k++)
			vec_push(e->a, &inside.at, begun(e, &c->parts.at[k], l, now.at.at[k], c->name, at));
		if (c->binding)
			c->binding->value = parts_replaced(e, value_now(c), &inside);
		else
			region_slot_write(e, c->slot, c->parts.at[0].carry, at);
	}
}

/* ---- behind a turn ---- */

enum fit { FITS, GROWS, DIFFERS };

static bool number_takes(enum host_type t, enum dtype d)
{
	if (t == HOST_KEY)
		return d == DT_U64;
	if (t == HOST_BOOL)
		return d == DT_BOOL;
	return dtype_is_float(d) || (t == HOST_INT && d != DT_BOOL);
}

static enum fit fit_number(struct part *p, enum host_type t)
{
	if (!p->is_number)
		return !p->shape.rank && number_takes(t, p->dtype) ? FITS : DIFFERS;
	if (p->number == t || (p->number == HOST_FLOAT && t == HOST_INT))
		return FITS;
	if (p->number != HOST_INT || t != HOST_FLOAT)
		return DIFFERS;
	p->number = HOST_FLOAT;
	return GROWS;
}

static enum fit fit_part(struct elab *e, struct part *p, const struct value *v)
{
	if (v->kind == VALUE_HOST)
		return fit_number(p, v->host.type);
	enum dtype d = tensor_dtype(e, v);
	const struct shape *s = tensor_shape(e, v);
	const struct place *place = tensor_place(e, v);
	if (p->is_number ? !number_takes(p->number, d) : p->dtype != d)
		return DIFFERS;
	bool grows = p->is_number || (p->was_number && !p->shape.rank && s->rank) || (!p->place && place);
	if (!grows)
		return shape_equal(&p->shape, s) && (!place || place_same_mesh(p->place, place)) ? FITS : DIFFERS;
	if (!p->was_number && !shape_equal(&p->shape, s))
		return DIFFERS;
	p->is_number = false;
	p->dtype = d;
	p->shape = *s;
	p->place = p->place ? p->place : place;
	return GROWS;
}

static const char *part_describe(struct elab *e, const struct part *p)
{
	if (p->is_number)
		return host_type_text(p->number);
	return value_describe(e, p->inside);
}

static void differs(struct elab *e, const struct carried *c, const struct part *p, const struct value *after)
{
	const char *was = p ? part_describe(e, p) : value_describe(e, c->before), *is = value_describe(e, after);
	bool parts = p && c->parts.n > 1;
	if (is_given(e, c)) {
		return_differs(e, was, is, c->assigned);
		return;
	}
	struct diag *d =
		strcmp(was, is)
			? elab_error(e, PML0505, c->assigned, "%s`%s` is %s when a turn begins and %s behind it",
				     parts ? "a part of " : "", c->name, was, is)
			: elab_error(e, PML0505, c->assigned,
				     "`%s` is %s and cannot change in a loop or branch that is differentiated", c->name,
				     is);
	diag_label(d, c->span, "declared here");
	diag_note(d,
		  "what the running program decides keeps the type, shape and placement of what it assigns, and lists "
		  "their length");
}

static enum fit fit_value(struct elab *e, struct carried *c)
{
	const struct value *after = value_now(c);
	enum fit worst = FITS;
	if (!c->binding)
		return FITS;
	if (value_failed(after))
		return DIFFERS;
	if (is_given(e, c) && c->before == &value_nothing && after != &value_nothing) {
		begin_given(e, c, after);
		return GROWS;
	}
	if (!parts_alike(c->before, after)) {
		differs(e, c, NULL, after);
		return DIFFERS;
	}
	struct parts all = {0};
	parts_collect(e, after, &all);
	for (int k = 0; k < all.at.n; k++) {
		enum fit fit = fit_part(e, &c->parts.at[k], all.at.at[k]);
		if (fit == DIFFERS)
			differs(e, c, &c->parts.at[k], all.at.at[k]);
		worst = fit > worst ? fit : worst;
	}
	return worst;
}

bool carried_fits(struct elab *e, struct carried_set *set, const struct trial *before, bool *failed)
{
	bool fits = true;
	for (int i = 0; i < set->at.n; i++) {
		enum fit fit = fit_value(e, set->at.at[i]);
		*failed |= fit == DIFFERS;
		fits &= fit == FITS;
	}
	return !add_slots(e, set, before) && fits && !*failed;
}

/* ---- out of the loop ---- */

static struct node *next_of(struct elab *e, const struct part *p, const struct value *v, const char *name,
			    struct span at)
{
	struct node_site site = elab_site(e, at);
	struct layout_spec any = {.form = LAYOUT_INFER};
	site.name = name;
	if (p->is_number || v->kind == VALUE_HOST)
		return number_fitted(e, v, p->is_number ? host_dtype(p->number) : p->dtype, at);
	struct node *n = tensor_node(e, v, at);
	if (p->place && !n->place)
		return graph_to(region_graph(e), &site, n, p->place, &any);
	return p->place ? tensor_adopt(e, n, p->place, at) : n;
}

static const struct value *ended(struct elab *e, struct part *p, const struct value *v, const char *name,
				 struct span at)
{
	struct node *next = next_of(e, p, v, name, at);
	struct node_site site = elab_site(e, at);
	bool stays = p->carry->of->turns == 0 && p->was_number && (p->is_number || p->number != HOST_FLOAT);
	site.name = name;
	p->end = graph_end(region_graph(e), &site, p->carry, next);
	if (next == p->carry || stays)
		return p->outside;
	if (p->is_number) {
		const struct value *of[] = {p->outside, v};
		return host_typed_like(e, number_value(e, p->number, p->end), 2, of);
	}
	struct node *lines = index_updates(e, p->carry, next, at);
	return tensor_value_of(e, lines ? lines : p->end);
}

void carried_end(struct elab *e, struct carried_set *set, struct span at)
{
	for (int i = 0; i < set->at.n; i++) {
		struct carried *c = set->at.at[i];
		struct parts now = {0}, behind = {0};
		parts_collect(e, value_now(c), &now);
		for (int k = 0; k < now.at.n; k++)
			vec_push(e->a, &behind.at, ended(e, &c->parts.at[k], now.at.at[k], c->name, at));
		if (c->binding)
			c->binding->value = parts_replaced(e, value_now(c), &behind);
		else
			region_slot_write(e, c->slot, c->parts.at[0].end, at);
	}
}

/* ---- numbers behind a loop ---- */

bool carried_is_hidden(const char *name)
{
	return strchr(name, ' ') != NULL;
}

/* A part behind the loop that is a number of it; v: what the variable has for it. */
static bool is_handed(const struct part *p, const struct value *v)
{
	return p->is_number && p->end && v != p->outside;
}

/* What the part of c is behind the loop; NULL: it would be known, or the host would see it, where the turns are walked
 * one by one. */
static const struct value *behind_loop(struct elab *e, const struct carried *c, struct part *p, const struct value *v)
{
	union scalar_value number;
	struct host_value known = {.type = p->number, .known = true};
	enum handed handed = handed_number(e, p->end, &number);
	bool may_run = e->grad_depth || !e->micro; /* of micro-batches the host sees nothing */
	if (carried_is_hidden(c->name))
		may_run &= region_stays_open(e) || !strcmp(c->name, GOES_ON);
	if (handed == HANDED_RUNS)
		return may_run ? v : NULL;
	if (carried_is_hidden(c->name) || handed == HANDED_UNSURE || p->number == HOST_KEY)
		return NULL;
	if (p->number == HOST_FLOAT)
		known.f = number.f;
	else
		known.i = number.i;
	return host_typed_like(e, value_host(e, &known), 1, &v);
}

const char *carried_numbers(struct elab *e, struct carried_set *set)
{
	for (int i = 0; i < set->at.n; i++) {
		struct carried *c = set->at.at[i];
		struct parts now = {0}, behind = {0};
		if (!c->binding)
			continue;
		parts_collect(e, value_now(c), &now);
		for (int k = 0; k < now.at.n; k++) {
			struct part *p = &c->parts.at[k];
			const struct value *v = now.at.at[k];
			v = is_handed(p, v) ? behind_loop(e, c, p, v) : v;
			if (!v)
				return c->name;
			vec_push(e->a, &behind.at, v);
		}
		c->binding->value = parts_replaced(e, value_now(c), &behind);
	}
	return NULL;
}

void carried_read(struct elab *e, struct carried_set *set, struct span at)
{
	for (int i = 0; i < set->at.n; i++) {
		struct carried *c = set->at.at[i];
		struct parts now = {0}, read = {0};
		if (!c->binding || carried_is_hidden(c->name))
			continue;
		parts_collect(e, value_now(c), &now);
		for (int k = 0; k < now.at.n; k++) {
			const struct part *p = &c->parts.at[k];
			const struct value *v = now.at.at[k];
			if (is_handed(p, v) && value_is_of_graph(v))
				v = host_typed_like(e, read_number(e, number_as_tensor(e, v, at), p->number, at), 1,
						    &v);
			vec_push(e->a, &read.at, v);
		}
		c->binding->value = parts_replaced(e, value_now(c), &read);
	}
}

void carried_fail(struct carried_set *set)
{
	for (int i = 0; i < set->at.n; i++)
		if (set->at.at[i]->binding)
			set->at.at[i]->binding->value = &value_error;
}
