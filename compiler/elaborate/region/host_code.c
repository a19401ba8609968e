/* host_code.c — building host expressions and statements. Constants are folded where they are made. */
#include "region.h"

static struct host_expr *host_new(struct elab *e, enum host_expr_kind kind, enum host_type t)
{
	struct host_expr *x = ARENA_NEW(e->a, struct host_expr);
	x->kind = kind;
	x->type = t;
	return x;
}

struct host_expr *host_int(struct elab *e, int64_t v)
{
	struct host_expr *x = host_new(e, HOST_CONST, HOST_INT);
	x->i = v;
	return x;
}

struct host_expr *host_text(struct elab *e, const char *s)
{
	struct host_expr *x = host_new(e, HOST_CONST, HOST_TEXT);
	x->text = s;
	return x;
}

struct host_expr *host_text_of_bool(struct elab *e, struct host_expr *x)
{
	struct host_expr *s = host_new(e, HOST_SELECT, HOST_TEXT);
	s->nargs = 3;
	s->arg[0] = x;
	s->arg[1] = host_text(e, "true");
	s->arg[2] = host_text(e, "false");
	return s;
}

struct host_expr *host_var(struct elab *e, enum host_type t, int var)
{
	struct host_expr *x = host_new(e, HOST_VAR, t);
	x->index = var;
	return x;
}

struct host_expr *host_of(struct elab *e, const struct host_value *h)
{
	if (!h->known)
		return h->expr;
	struct host_expr *x = host_new(e, HOST_CONST, h->type);
	x->i = h->i;
	x->f = h->f;
	x->text = h->text;
	return x;
}

struct host_expr *host_slot(struct elab *e, int slot, struct span at)
{
	struct host_expr *x = host_new(e, HOST_SLOT, HOST_HANDLE);
	x->index = slot;
	x->span = at;
	return x;
}

struct host_expr *host_apply(struct elab *e, enum host_op op, enum host_type t, struct host_expr *x,
			     struct host_expr *y, struct span at)
{
	struct host_expr *r = host_new(e, HOST_APPLY, t);
	r->op = op;
	r->span = elab_user_span(e, at); /* which messages of the running program name */
	r->arg[r->nargs++] = x;
	if (y)
		r->arg[r->nargs++] = y;
	return r;
}

struct host_expr *host_call(struct elab *e, const char *function, enum host_type t, struct span at, int n,
			    struct host_expr *const *args)
{
	struct host_expr *r = host_new(e, HOST_CALL, t);
	r->function = function;
	r->span = at;
	BUG_IF(n > (int)(sizeof r->arg / sizeof *r->arg), "call of %s with %d arguments", function, n);
	for (int i = 0; i < n; i++)
		r->arg[r->nargs++] = args[i];
	return r;
}

int host_new_var(struct elab *e, const char *name, enum host_type t)
{
	struct host_var v = {.name = name, .type = t};
	vec_push(e->a, &e->code->fn->vars, v);
	return e->code->fn->vars.n - 1;
}

struct host_stmt *host_emit(struct elab *e, enum host_stmt_kind kind, struct span at)
{
	struct host_stmt *s = ARENA_NEW(e->a, struct host_stmt);
	s->kind = kind;
	s->span = at;
	e->effects += kind != HOST_REGION;
	*e->code->tail = s;
	e->code->tail = &s->next;
	return s;
}

struct host_stmt *host_in_front(struct elab *e, enum host_stmt_kind kind, struct host_expr *x, struct host_stmt *next,
				struct span at)
{
	struct host_stmt *s = ARENA_NEW(e->a, struct host_stmt);
	*s = (struct host_stmt){.kind = kind, .span = at, .expr = x, .next = next};
	return s;
}

void host_set(struct elab *e, int var, struct host_expr *x, struct span at)
{
	if (!number_stays(e, x, at))
		return;
	struct host_stmt *s = host_emit(e, HOST_SET, at);
	s->var = var;
	s->expr = x;
}

void host_eval(struct elab *e, struct host_expr *x, struct span at)
{
	if (!number_stays(e, x, at) || graph_loop_refuses(e, at, "what only the host does"))
		return;
	host_emit(e, HOST_EVAL, at)->expr = x;
}

const struct value *slot_key(struct elab *e, const char *name, struct span at)
{
	struct host_expr *x[2] = {host_call(e, "key_root", HOST_KEY, at, 0, NULL), NULL};
	x[1] = host_of(
		e, &(struct host_value){.type = HOST_KEY, .known = true, .i = (int64_t)hash_string(HASH_SEED, name)});
	return value_expr(e, host_call(e, "key_fold", HOST_KEY, at, 2, x));
}

struct host_stmt **host_enter(struct elab *e, struct host_stmt **body)
{
	struct host_stmt **outer = e->code->tail;
	e->code->tail = body;
	return outer;
}

void host_leave(struct elab *e, struct host_stmt **outer)
{
	e->code->tail = outer;
}

static bool is_frozen(const struct elab *e, const struct host_expr *x)
{
	if (x->kind == HOST_CONST)
		return true;
	if (x->kind != HOST_VAR)
		return false;
	for (int i = 0; i < e->code->assigned.n; i++)
		if (e->code->assigned.at[i] == x->index)
			return false;
	return true;
}

/* Whether it is the same wherever what it is made of can be named. */
static bool stays(const struct elab *e, const struct host_expr *x)
{
	if (x->kind == HOST_CALL)
		return !strcmp(x->function, "config_int");
	if (x->kind != HOST_APPLY)
		return is_frozen(e, x);
	for (int i = 0; i < x->nargs; i++)
		if (!stays(e, x->arg[i]))
			return false;
	return true;
}

const struct value *host_freeze(struct elab *e, const struct value *v, const char *name, struct span at)
{
	if (v->kind != VALUE_HOST || v->host.known || is_frozen(e, v->host.expr))
		return v;
	if (number_in(v->host.expr))
		return number_freeze(e, v, at);
	int var = host_new_var(e, name, v->host.type);
	host_set(e, var, v->host.expr, at);
	struct host_value h = v->host;
	h.expr = host_var(e, v->host.type, var);
	h.expr->is = stays(e, v->host.expr) ? v->host.expr : NULL;
	return value_host(e, &h);
}

const struct value *host_to_float(struct elab *e, const struct value *v)
{
	if (v->kind != VALUE_HOST || v->host.type != HOST_INT)
		return v;
	if (v->host.known)
		return value_float(e, (double)v->host.i);
	return value_expr(e, host_apply(e, HOST_FLOAT_OF_INT_OP, HOST_FLOAT, v->host.expr, NULL, v->host.expr->span));
}

const struct value *host_typed(struct elab *e, const struct value *v, enum dtype t)
{
	if (v->kind != VALUE_HOST)
		return v;
	struct host_value h = v->host;
	h.is_typed = true;
	h.dtype = t;
	return value_host(e, &h);
}

const struct value *host_typed_like(struct elab *e, const struct value *v, int n, const struct value *const *of)
{
	enum dtype said = DT_COUNT;
	if (v->kind != VALUE_HOST || v->host.type != HOST_FLOAT)
		return v;
	for (int i = 0; i < n; i++) {
		bool says = of[i]->kind == VALUE_HOST && of[i]->host.is_typed && dtype_is_float(of[i]->host.dtype);
		if (says && (said == DT_COUNT || dtype_size(of[i]->host.dtype) > dtype_size(said)))
			said = of[i]->host.dtype;
	}
	return said == DT_COUNT ? v : host_typed(e, v, said);
}
