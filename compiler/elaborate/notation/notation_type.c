/* notation_type.c — element types in index notation: numbers and host scalars take the type of what they meet, index
 * values that of any integer; everything else has to agree. */
#include "notation_build.h"
#include "../operators/operators.h"

/* ---- types ---- */

/* operand: a number given for an operand of an op stays one, so that it can be finished and split like one. */
static const struct scalar *number(struct notation *n, const struct value *v, enum dtype type, bool operand,
				   struct span at)
{
	const struct host_value *h = &v->host;
	struct arena *a = n->e->a;
	if (!number_fits(n->e, h, type, at)) {
		notation_fail(n);
		return NULL;
	}
	if (h->known && !operand && dtype_is_float(type))
		return scalar_float(a, type, h->type == HOST_FLOAT ? h->f : (double)h->i);
	if (h->known && !operand)
		return scalar_int(a, type, h->i);
	struct node *x = number_fitted(n->e, v, type, at);
	struct access none = {.type = type};
	int k = notation_operand(n, x, &none, at);
	return k < 0 ? NULL : scalar_operand(a, type, k);
}

enum dtype notation_natural_type(const struct value *v)
{
	if (v->host.is_typed)
		return v->host.dtype;
	switch (v->host.type) {
	case HOST_FLOAT:
		return DT_F32;
	case HOST_BOOL:
		return DT_BOOL;
	case HOST_KEY:
		return DT_U64;
	case HOST_INT:
	case HOST_VOID:
	case HOST_TEXT:
	case HOST_HANDLE:
		return DT_I32;
	}
	return DT_I32;
}

/* `if c => 1 else 0`: a choice among number literals, in another type. */
static const struct scalar *retyped(struct arena *a, const struct scalar *s, enum dtype t)
{
	if (s->kind == SCALAR_CONST && dtype_is_float(t))
		return scalar_float(a, t, dtype_is_float(s->type) ? s->f : (double)s->i);
	if (s->kind == SCALAR_CONST && !dtype_is_float(s->type))
		return scalar_int(a, t, s->i);
	if (s->kind != SCALAR_APPLY || s->fn != SC_WHERE)
		return scalar_apply(a, SC_CAST, t, s, NULL, NULL);
	return scalar_apply(a, SC_WHERE, t, s->arg[0], retyped(a, s->arg[1], t), retyped(a, s->arg[2], t));
}

/* Whether a term is a number literal or a choice among some, and of which type they are: HOST_INT, HOST_FLOAT;
 * HOST_VOID if not. */
static enum host_type literal_type(struct term t)
{
	if (t.is_number)
		return dtype_is_float(t.s->type) ? HOST_FLOAT : HOST_INT;
	bool literal = t.host && t.host->host.known && !t.is_operand;
	return literal && (t.host->host.type == HOST_INT || t.host->host.type == HOST_FLOAT) ? t.host->host.type
											     : HOST_VOID;
}

/* Whether the number literals of such a choice can be elements of the type; false after an error. */
static bool choice_fits(struct notation *n, const struct scalar *s, enum dtype t, struct span at)
{
	if (s->kind == SCALAR_APPLY && s->fn == SC_WHERE)
		return choice_fits(n, s->arg[1], t, at) && choice_fits(n, s->arg[2], t, at);
	struct host_value h = {.type = HOST_INT, .known = true, .i = s->i};
	bool fits = s->kind != SCALAR_CONST || dtype_is_float(s->type) || number_fits(n->e, &h, t, at);
	if (!fits)
		notation_fail(n);
	return fits;
}

const struct scalar *notation_typed(struct notation *n, struct term t, enum dtype type, struct span at)
{
	if (!term_ok(n, t))
		return NULL;
	if (t.is_number && type == DT_COUNT)
		type = literal_type(t) == HOST_FLOAT ? DT_F32 : DT_I32;
	if (t.is_number)
		return choice_fits(n, t.s, type, at) ? retyped(n->e->a, t.s, type) : NULL;
	if (t.s)
		return t.s;
	return number(n, t.host, type == DT_COUNT ? notation_natural_type(t.host) : type, t.is_operand, at);
}

/* Whether elements of type a can be those of type b with less loss than the other way. */
static bool goes_into(enum dtype a, enum dtype b)
{
	if (dtype_is_float(a) != dtype_is_float(b))
		return dtype_is_float(b);
	return dtype_size(a) < dtype_size(b);
}

static void mixed(struct notation *n, enum dtype a, enum dtype b, struct span at, struct span other)
{
	if (n->failed)
		return;
	struct diag *d = elab_error_mixed(n->e, a, other, b, at);
	bool first = goes_into(a, b);
	enum dtype to = first ? b : a;
	diag_help(d, "convert one of them: `as %s`", dtype_text(to));
	elab_edit_as(n->e, d, first ? other : at, to);
	notation_fail(n);
}

/* The element type the terms agree on; DT_COUNT if all are host values or choices among numbers, or after an error. */
static enum dtype common_type(struct notation *n, struct typed_list *l)
{
	int first = -1;
	bool index = false;
	for (int i = 0; i < l->n; i++) {
		if (!l->term[i].s || l->term[i].is_number)
			continue;
		if (l->term[i].is_index) {
			index = true;
			continue;
		}
		if (first < 0)
			first = i;
		else if (l->term[i].s->type != l->term[first].s->type) {
			mixed(n, l->term[first].s->type, l->term[i].s->type, l->span[i], l->span[first]);
			return DT_COUNT;
		}
	}
	if (first < 0)
		return index ? DT_I64 : DT_COUNT;
	enum dtype t = l->term[first].s->type;
	enum dtype_kind k = dtype_kind(t);
	if (index && (k == DTYPE_INT || k == DTYPE_UINT))
		return DT_I64;
	for (int i = 0; index && i < l->n; i++)
		if (l->term[i].is_index) {
			mixed(n, t, DT_I64, l->span[i], l->span[first]);
			return DT_COUNT;
		}
	return t;
}

bool notation_host_fits(const struct value *v, enum dtype t)
{
	switch (v->host.type) {
	case HOST_INT:
		return dtype_kind(t) != DTYPE_BOOL;
	case HOST_FLOAT:
		return dtype_is_float(t);
	case HOST_BOOL:
		return t == DT_BOOL;
	case HOST_KEY:
		return t == DT_U64;
	case HOST_VOID:
	case HOST_TEXT:
	case HOST_HANDLE:
		return false;
	}
	return false;
}

/* Whether what has no type of its own can take this one. */
static bool literal_fits(struct term x, enum dtype t)
{
	if (x.is_number)
		return dtype_is_float(t) || (literal_type(x) == HOST_INT && t != DT_BOOL);
	return !x.host || notation_host_fits(x.host, t);
}

/* The elements that the literal meets, converted where they stand. */
static void help_convert(struct notation *n, struct diag *d, const struct typed_list *l, enum dtype to)
{
	diag_help(d, "convert the elements: `as %s`", dtype_text(to));
	for (int i = 0; i < l->n; i++)
		if (l->term[i].s && !l->term[i].is_number && l->term[i].s->type != to)
			elab_edit_as(n->e, d, l->span[i], to);
}

/* Literal i has no place among elements of type t, which `wants_ints` says cannot be others. */
static void unfit_literal(struct notation *n, const struct typed_list *l, int i, enum dtype t, bool wants_ints)
{
	struct term x = l->term[i];
	bool is_float = x.is_number ? literal_type(x) == HOST_FLOAT : x.host->host.type == HOST_FLOAT;
	bool is_int = x.is_number ? !is_float : x.host->host.type == HOST_INT;
	struct diag *d =
		elab_error(n->e, PML0202, l->span[i], "%s does not mix with `%s` elements",
			   x.is_number ? "a choice among numbers" : value_describe(n->e, x.host), dtype_text(t));
	diag_note(d, "an int fits any number, a float only float elements, a bool only bools");
	bool is_whole = is_float && x.host && dtype_is_int(t) && elab_help_whole(n->e, d, x.host, l->span[i]);
	if (is_float && wants_ints && !is_whole)
		diag_help(d, "ints are wanted here: `round(x) as %s` makes one of a float", dtype_text(t));
	if ((is_float && !wants_ints) || (t == DT_BOOL && is_int))
		help_convert(n, d, l, is_float ? DT_F32 : DT_I32);
	if (is_float && dtype_is_int(t) && x.host && !x.host->host.known) { /* as 2 ** i is, whatever i */
		diag_help(d, "or the number, without its fraction: `as %s`", dtype_text(t));
		elab_edit_as(n->e, d, l->span[i], t);
	}
	notation_fail(n);
}

/* Brings all to one element type; false after an error. */
static bool unify_types(struct notation *n, struct typed_list *l, enum dtype t, bool wants_ints)
{
	for (int i = 0; i < l->n; i++) {
		if (!literal_fits(l->term[i], t)) {
			unfit_literal(n, l, i, t, wants_ints);
			return false;
		}
		l->s[i] = notation_typed(n, l->term[i], t, l->span[i]);
		if (!l->s[i])
			return false;
		if (l->s[i]->type != t)
			l->s[i] = scalar_apply(n->e->a, SC_CAST, t, l->s[i], NULL, NULL);
	}
	return true;
}

static bool all_index(const struct typed_list *l)
{
	for (int i = 0; i < l->n; i++)
		if (l->term[i].s ? !l->term[i].is_index && literal_type(l->term[i]) != HOST_INT
				 : l->term[i].host->host.type != HOST_INT)
			return false;
	return true;
}

static bool says_type(struct term t)
{
	return t.host && t.host->host.is_typed;
}

/* The type of what has none of its own and met nothing that has: what numbers say of themselves, `1.0 as f64`, the one
 * that others go into, if they are floats or nothing else is. */
static enum dtype natural_type(const struct typed_list *l)
{
	enum dtype said = DT_COUNT;
	for (int i = 0; i < l->n; i++)
		if (says_type(l->term[i]) && (said == DT_COUNT || goes_into(said, l->term[i].host->host.dtype)))
			said = l->term[i].host->host.dtype;
	if (said != DT_COUNT && dtype_is_float(said))
		return said;
	for (int i = 0; i < l->n; i++)
		if (literal_type(l->term[i]) == HOST_FLOAT ||
		    (l->term[i].host && l->term[i].host->host.type == HOST_FLOAT))
			return DT_F32;
	if (said != DT_COUNT)
		return said;
	return l->term[0].host ? notation_natural_type(l->term[0].host) : DT_I32;
}

/* ---- functions ---- */

static struct term apply_typed(struct notation *n, enum scalar_fn fn, struct typed_list *l, enum dtype t,
			       struct span at)
{
	enum scalar_result kind = scalar_result_kind(fn);
	bool logic = scalar_is_of_bools(fn);
	if (logic != (t == DT_BOOL) && fn != SC_WHERE && (logic || kind != SCALAR_PRED)) {
		elab_error(n->e, PML0202, at, "`%s` wants %s, not `%s` elements", scalar_text(fn),
			   logic ? "bools" : "numbers", dtype_text(t));
		return fail_term(n);
	}
	if (kind == SCALAR_FLOAT && !dtype_is_float(t)) {
		struct diag *d = elab_error(n->e, PML0202, at, "`%s` wants floats, not `%s` elements", scalar_text(fn),
					    dtype_text(t));
		diag_help(d, "convert them first: `as f32`");
		elab_edit_as(n->e, d, l->span[0], DT_F32);
		return fail_term(n);
	}
	if (scalar_is_of_ints(fn) && !dtype_is_int(t)) {
		elab_error(n->e, PML0202, at, "`%s` wants ints, not `%s` elements", scalar_text(fn), dtype_text(t));
		return fail_term(n);
	}
	if (fn == SC_DIV && !dtype_is_float(t)) {
		elab_int_quotient(n->e, at, t, l->term[0].s ? &l->span[0] : NULL, l->term[1].s ? &l->span[1] : NULL);
		return fail_term(n);
	}
	if (fn == SC_MOD && !dtype_is_float(t) && !notation_divisor(n, l))
		return fail_term(n);
	enum dtype result = kind == SCALAR_PRED ? DT_BOOL : t;
	struct term r = typed_term(scalar_apply(n->e->a, fn, result, l->s[0], l->s[1], l->s[2]));
	r.is_index = kind == SCALAR_SAME && all_index(l);
	return r;
}

struct term notation_floor_div(struct notation *n, struct typed_list *l, struct span at)
{
	struct arena *a = n->e->a;
	enum dtype t = common_type(n, l);
	if (n->failed)
		return (struct term){0};
	t = t == DT_COUNT ? natural_type(l) : t;
	if (dtype_is_float(t) || t == DT_BOOL) {
		elab_error(n->e, PML0202, at, "`floor_div` wants ints, not `%s` elements", dtype_text(t));
		return fail_term(n);
	}
	if (!unify_types(n, l, t, true) || !notation_divisor(n, l))
		return fail_term(n);
	const struct scalar *x = l->s[0], *y = l->s[1], *zero = scalar_int(a, t, 0);
	const struct scalar *q = scalar_apply(a, SC_DIV, t, x, y, NULL), *rest = scalar_apply(a, SC_MOD, t, x, y, NULL);
	if (dtype_kind(t) == DTYPE_INT) { /* one less where there is a rest of another sign than the divisor */
		const struct scalar *sign =
			scalar_apply(a, SC_NE, DT_BOOL, scalar_apply(a, SC_LT, DT_BOOL, rest, zero, NULL),
				     scalar_apply(a, SC_LT, DT_BOOL, y, zero, NULL), NULL);
		const struct scalar *less =
			scalar_apply(a, SC_AND, DT_BOOL, scalar_apply(a, SC_NE, DT_BOOL, rest, zero, NULL), sign, NULL);
		q = scalar_apply(a, SC_SUB, t, q, scalar_apply(a, SC_WHERE, t, less, scalar_int(a, t, 1), zero), NULL);
	}
	struct term r = typed_term(q);
	r.is_index = all_index(l);
	return r;
}

/* Whether what `&&`, `||` and `!` are given are bools; false after an error. */
static bool all_bools(struct notation *n, enum scalar_fn fn, const struct typed_list *l)
{
	for (int i = 0; i < l->n; i++) {
		const struct scalar *x = l->term[i].s;
		if (!x || x->type == DT_BOOL)
			continue;
		const char *zero = dtype_is_float(x->type) ? "0.0" : "0";
		struct diag *d = elab_error(n->e, PML0202, l->span[i], "`%s` wants bools, not `%s` elements",
					    scalar_text(fn), dtype_text(x->type));
		diag_help(d, "where they are %s: `x %s %s`", l->n == 1 ? "zero" : "not zero",
			  l->n == 1 ? "==" : "!=", zero);
		if (l->n > 1) /* which bind more weakly than a comparison */
			elab_edit_behind(n->e, d, l->span[i], arena_printf(n->e->a, " != %s", zero), false);
		notation_fail(n);
		return false;
	}
	return true;
}

struct term notation_apply(struct notation *n, enum scalar_fn fn, struct typed_list *l, struct span at)
{
	if (scalar_is_of_bools(fn) && !n->failed && !all_bools(n, fn, l))
		return fail_term(n);
	enum dtype t = common_type(n, l);
	if (n->failed)
		return (struct term){0};
	if (t == DT_COUNT)
		t = scalar_result_kind(fn) == SCALAR_FLOAT ? DT_F32 : natural_type(l);
	if (!unify_types(n, l, t, scalar_is_of_ints(fn)))
		return fail_term(n);
	return apply_typed(n, fn, l, t, at);
}

/* What is unsigned is never below 0, so a number that is none of its elements may stand for it there: -1 of `sign`. */
static bool never_holds(const struct scalar *cond)
{
	bool below = cond->kind == SCALAR_APPLY && cond->fn == SC_LT;
	return below && dtype_kind(cond->arg[0]->type) == DTYPE_UINT && scalar_is_zero(cond->arg[1]);
}

/* The side that a known condition takes: a number has the type that it would have beside the other one. */
static struct term taken(struct notation *n, struct term x, struct term other, struct span at)
{
	bool is_free = x.host && !x.s && !says_type(x);
	if (!is_free || !other.s || other.is_number || other.is_index)
		return x;
	const struct scalar *s = notation_typed(n, x, other.s->type, at);
	return s ? typed_term(s) : fail_term(n);
}

struct term notation_where(struct notation *n, struct term c, struct term x, struct term y, const struct span *spans)
{
	struct typed_list l = {.n = 2, .term = {x, y}, .span = {spans[1], spans[2]}};
	if (!term_ok(n, c) || !term_ok(n, x) || !term_ok(n, y))
		return fail_term(n);
	if (c.host && c.host->host.known && c.host->host.type == HOST_BOOL)
		return c.host->host.i ? taken(n, x, y, spans[1]) : taken(n, y, x, spans[2]);
	const struct scalar *cond = notation_typed(n, c, DT_BOOL, spans[0]);
	if (!cond || cond->type != DT_BOOL) {
		if (!n->failed)
			elab_error(n->e, PML0202, spans[0], "a condition is a bool");
		return fail_term(n);
	}
	if (never_holds(cond) && literal_type(x) != HOST_VOID && x.host)
		l.term[0] = y;
	enum dtype t = common_type(n, &l);
	if (n->failed)
		return (struct term){0};
	enum host_type a = literal_type(x), b = literal_type(y);
	bool number = t == DT_COUNT && a != HOST_VOID && b != HOST_VOID && !says_type(x) && !says_type(y);
	if (number)
		t = a == HOST_FLOAT || b == HOST_FLOAT ? DT_F64 : DT_I64;
	else if (t == DT_COUNT)
		t = natural_type(&l);
	if (!unify_types(n, &l, t, false))
		return fail_term(n);
	struct term r = typed_term(scalar_apply(n->e->a, SC_WHERE, t, cond, l.s[0], l.s[1]));
	r.is_index = !number && all_index(&l);
	r.is_number = number;
	return r;
}

bool notation_is_draw(enum scalar_fn fn)
{
	return scalar_result_kind(fn) == SCALAR_FROM;
}
