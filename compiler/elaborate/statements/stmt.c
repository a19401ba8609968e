/* stmt.c — statements that do not branch: let, var, state; blocks. */
#include "statements.h"
#include "../values/values.h"
#include "../notation/notation.h"
#include "../operators/operators.h"
#include "../slots/slots.h"

#include <string.h>

/* `let y[i] = 2.0 * x[i] to S(0);`: a `to` is of the whole y. */
static const struct value *indexed_value(struct elab *e, const struct pattern *p, const struct expr *x)
{
	return x->kind == EXPR_TO ? value_to(e, indexed_value(e, p, x->to.value), x) : notation_let(e, p, x, x->span);
}

static void let_or_var(struct elab *e, const struct stmt *s)
{
	const struct pattern *p = s->pattern;
	const struct value *v = p->indexed ? indexed_value(e, p, s->value) : open_eval(e, s->value);
	bool is_var = s->kind == STMT_VAR;
	v = is_var ? parts_now(e, v, s->value->span) : value_snapshot(e, v, s->value->span);
	pattern_bind(e, p, is_var ? BIND_VAR : BIND_LET, v, s->value->span);
}

/* ---- states of functions ---- */

struct state_entry {
	int slot;
	bool by_part; /* it belongs to a part of what `each d in v` walks, not to a param */
	struct span span;
	const struct call_site *call;
};

/* What a state is like: the slot it belongs to, or a part of what `each` walks, and the layout. */
struct like {
	const struct slot *slot;
	const struct value *part;
	struct layout_spec layout;
	bool by_part; /* it belongs to one */
	bool is_line; /* in the turns of a loop over its list, of which it is the first */
};

/* `like p`, a param or state; or `like d`, the derivative in `each (p, d) in g`: the state belongs to p and is laid out
 * like d. False after a message. */
static bool state_like(struct elab *e, const struct stmt *s, struct like *out)
{
	const struct value *v = s->like ? expr_eval(e, s->like) : NULL;
	if (!v)
		return true;
	if (v->kind == VALUE_PARAM) {
		const struct slot *of = e->p->slots.at[v->slot];
		*out = (struct like){.slot = of, .layout = of->layout, .is_line = v->line != NULL};
		return true;
	}
	if (gradient_is_at(e, v, s->like->span)) {
		*out = (struct like){.layout = e->each->layout};
		if (e->each->slot < 0) {
			out->part = e->each->d;
		} else {
			out->slot = e->p->slots.at[e->each->slot];
			out->is_line = e->turns != NULL;
		}
		return true;
	}
	if (!value_failed(v)) {
		struct diag *d = elab_error(e, PML0507, s->like->span, "a state is `like` a param or state, this is %s",
					    value_describe(e, v));
		if (value_is_tensor(v))
			diag_note(d, "or like what `each (p, d) in g` or `each d in v` gives, as it is: `like d`");
	}
	return false;
}

const char *each_owner(const struct elab *e)
{
	for (const struct frame *f = e->frame; f; f = f->outer)
		if (f->like)
			return f->like;
	return NULL;
}

/* The param that a state belongs to: the one it is `like`, or the one that the innermost `each` stands at, here or in a
 * caller; NULL: to none. */
static const char *state_owner(struct elab *e, const struct like *like)
{
	return like->slot ? like->slot->name : each_owner(e);
}

static const char *state_name(struct elab *e, const struct stmt *s, const char *of)
{
	const char *fn = e->frame && e->frame->item ? elab_qualified(e, e->frame->item) : "main";
	return of ? elab_intern(e, "%s.%s.%s", fn, s->pattern->name.text, of)
		  : elab_intern(e, "%s.%s", fn, s->pattern->name.text);
}

static bool state_type(struct elab *e, const struct stmt *s, struct slot *out)
{
	struct tensor_type t;
	if (!type_resolve(e, s->type, &t))
		return false;
	out->dtype = t.dtype;
	out->shape = t.shape;
	out->place = t.place ? t.place : e->fallback_place;
	out->layout = t.layout;
	if (out->layout.form == LAYOUT_INFER)
		open_type(e, s->pattern->name.text, s->type, &t.shape, &out->place, &out->layout);
	if (out->layout.form != LAYOUT_GIVEN)
		out->layout = (struct layout_spec){.form = LAYOUT_GIVEN, .layout = layout_broadcast(), .span = s->span};
	return true;
}

/* False after a message. */
static bool state_slot(struct elab *e, const struct stmt *s, const struct like *like, const char *name,
		       struct slot *out)
{
	*out = (struct slot){.name = name, .slot_class = SLOT_STATE, .span = s->pattern->name.span};
	if (!s->like)
		return state_type(e, s, out);
	const struct slot *p = like->slot;
	struct tensor_type t = {.dtype = p ? p->dtype : tensor_dtype(e, like->part)};
	if (s->type && !type_resolve(e, s->type, &t))
		return false;
	out->dtype = t.dtype;
	out->shape = p ? p->shape : *tensor_shape(e, like->part);
	out->place = p ? p->place : tensor_place(e, like->part);
	out->place = out->place ? out->place : e->fallback_place;
	out->layout = like->layout;
	return true;
}

static void know_state(struct elab *e, const struct stmt *s, const struct like *like, const char *name, int slot)
{
	struct state_entry *known = ARENA_NEW(e->a, struct state_entry);
	*known = (struct state_entry){slot, like->by_part, s->span, e->call};
	map_set(&e->states, name, known);
}

static void new_state(struct elab *e, const struct stmt *s, const struct like *like, const char *name)
{
	struct slot slot;
	int id = state_slot(e, s, like, name, &slot) ? slot_new(e, &slot) : -1;
	if (id >= 0)
		slot_initialise(e, id, s->value, NULL);
	know_state(e, s, like, name, id);
}

static bool same_call(const struct call_site *a, const struct call_site *b)
{
	for (; a && b; a = a->outer, b = b->outer)
		if (a->span.file != b->span.file || a->span.begin != b->span.begin)
			return false;
	return a == b;
}

/* States of parts are one for each place that the function is called from: the name, or `name.2` and so on where
 * another has it, a param's too. */
static const char *free_name(struct elab *e, const struct like *like, const char *name)
{
	const char *out = name;
	for (int n = 2;; n++) {
		const struct state_entry *known = map_get(&e->states, out);
		if (!known || (!known->by_part && !like->by_part) ||
		    (known->by_part && like->by_part && same_call(known->call, e->call)))
			return out;
		out = elab_intern(e, "%s.%d", name, n);
	}
}

/* A state for each param of a list, the first of which is called `name`. */
static void new_states(struct elab *e, const struct stmt *s, const struct like *like, const struct slot *list,
		       const char *name)
{
	struct slot slot, **members = ARENA_ARRAY(e->a, struct slot *, list->members.n);
	if (!state_slot(e, s, like, name, &slot)) {
		know_state(e, s, like, name, -1);
		return;
	}
	for (int i = 0; i < list->members.n; i++) {
		slot.name = free_name(e, like, state_name(e, s, list->members.at[i]->name));
		int id = slot_new(e, &slot);
		members[i] = e->p->slots.at[id];
		know_state(e, s, like, slot.name, members[i]->id);
	}
	slot_list(e, list->members.n, members);
	if (members[0]->list)
		list_initialise(e, members[0]->list, s->value, NULL);
	for (int i = 0; i < list->members.n && !members[0]->list; i++)
		slot_initialise(e, members[i]->id, s->value, NULL);
}

/* In the turns of a loop over lists: the param that the state belongs to, as the first of its list; NULL: it belongs to
 * no param of the turn. */
static const struct slot *owner_in_turns(struct elab *e, const struct like *like, const char *of)
{
	const struct slot *turn = e->turns && e->each && e->each->slot >= 0 ? e->p->slots.at[e->each->slot] : NULL;
	if (like->slot)
		return like->is_line ? like->slot : NULL;
	return turn && turn->name == of ? turn : NULL;
}

static struct slot_line *state_line(struct elab *e, int slot, struct span at)
{
	const struct slot *s = e->p->slots.at[slot];
	if (s->list && !s->member)
		return slot_line_in(e, e->turns, s->list, at);
	e->turns->failed = true;
	return NULL;
}

/* One state per function and, with `like p` or where `each` walks params, per param: whoever calls the function for
 * this param shares it. Otherwise nothing tells two calls apart, so the second place that calls is an error. */
static void stmt_state(struct elab *e, const struct stmt *s)
{
	struct like like = {0};
	if (!state_like(e, s, &like)) {
		env_bind(e, s->pattern->name, BIND_LET, &value_error);
		return;
	}
	like.by_part = !like.slot && e->each && e->each->slot < 0;
	const char *of = state_owner(e, &like), *name = free_name(e, &like, state_name(e, s, of));
	struct state_entry *known = map_get(&e->states, name);
	if (known && !of && !same_call(known->call, e->call)) {
		struct diag *d = elab_error(e, PML0507, e->call ? e->call->span : s->span,
					    "`%s` keeps a state, it cannot be called from two places",
					    e->call ? e->call->function : "this");
		diag_label(d, s->span, "this state");
		diag_label(d, known->call ? known->call->span : known->span, "called here before");
		diag_help(d, "declare the state outside and pass it, or make it `like` a param");
	}
	const struct slot *owner = of ? owner_in_turns(e, &like, of) : NULL;
	if (e->turns && like.by_part) /* one for each turn, which are no params of a list */
		e->turns->failed = true;
	if (!known && owner)
		new_states(e, s, &like, owner->list, name);
	else if (!known)
		new_state(e, s, &like, name);
	known = map_get(&e->states, name);
	struct value *v = value_new(e, known->slot < 0 ? VALUE_ERROR : VALUE_PARAM);
	v->slot = known->slot;
	if (owner && known->slot >= 0)
		v->line = state_line(e, known->slot, s->span);
	env_bind(e, s->pattern->name, BIND_LET, v);
}

/* ---- calls ---- */

/* `clip(g, 1.0);` where `g = clip(g, 1.0);` was meant. */
static void warn_of_call(struct elab *e, const struct expr *x)
{
	struct diag *d = elab_error(e, PML0513, x->span, "nothing uses what this call gives, and it does nothing else");
	diag_help(d, e->frame->item
			     ? "name it (`let y = ...`), assign it, or `return` it; what a function is given "
			       "stays as it is"
			     : "name it (`let y = ...`), assign it, or print it; what a function is given stays as "
			       "it is");
}

static void call_or_value(struct elab *e, const struct expr *x)
{
	int effects = e->effects, errors = e->s->errors;
	const struct value *v = expr_eval(e, x);
	if (x->kind == EXPR_CALL && e->effects == effects && e->s->errors == errors && !value_failed(v) &&
	    v->kind != VALUE_NONE && v != &value_nothing && !elab_is_of_library(e, x->span))
		warn_of_call(e, x);
}

/* ---- all ---- */

void stmt_eval(struct elab *e, const struct stmt *s)
{
	if (!elab_step(e, 1, s->span))
		return;
	switch (s->kind) {
	case STMT_LET:
	case STMT_VAR:
		let_or_var(e, s);
		break;
	case STMT_STATE:
		stmt_state(e, s);
		break;
	case STMT_ASSIGN:
		stmt_assign(e, s);
		break;
	case STMT_EXPR:
		e->statement = e->unread = s->value;
		call_or_value(e, s->value);
		break;
	case STMT_RETURN:
		stmt_return(e, s);
		break;
	case STMT_BREAK:
	case STMT_CONTINUE:
		stmt_leave(e, s);
		break;
	case STMT_FOR:
		stmt_for(e, s);
		break;
	case STMT_EACH:
		stmt_each(e, s);
		break;
	case STMT_WHILE:
		stmt_while(e, s);
		break;
	case STMT_IF:
		stmt_if(e, s);
		break;
	case STMT_EVERY:
		stmt_every(e, s);
		break;
	case STMT_BLOCK:
		stmt_block(e, s->body);
		break;
	}
}

void block_walked(struct elab *e, const struct stmt *first)
{
	env_push(e);
	for (const struct stmt *s = first; s && !(e->frame && (e->frame->returned || e->frame->left)); s = s->next) {
		stmt_eval(e, s);
		if (rest_walked(e, s))
			break;
	}
	env_pop(e);
}

const struct value *block_evaluated(struct elab *e, const struct stmt *first)
{
	const struct value *v = &value_none;
	env_push(e);
	for (const struct stmt *s = first; s; s = s->next) {
		if (!s->next && s->kind == STMT_EXPR) {
			e->statement = s->value;
			v = expr_eval(e, s->value);
		} else {
			stmt_eval(e, s);
		}
	}
	env_pop(e);
	return v;
}
