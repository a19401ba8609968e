/* rule_read_body.c — the body of a rule: an expression of scalars, by levels of precedence. */
#include "rule_read.h"

#include "scalars/function.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 200 };

/* A number without a type takes the type of what it meets. One above the largest i64, of which the least is the
 * negative, has the bits of a u64. */
struct value {
	const struct scalar *s;
	bool untyped;
};

static struct value read_level(struct reader *r, enum scalar_level level);

static struct value number(struct reader *r, const char *text, const char *end)
{
	bool is_float = strpbrk(text, ".ein") && strpbrk(text, ".ein") < end;
	struct value v = {.untyped = true};
	v.s = is_float ? scalar_float(r->arena, DT_F64, strtod(text, NULL))
		       : scalar_int(r->arena, DT_I64, (int64_t)strtoull(text, NULL, 10));
	return v;
}

static const struct scalar *with_type(struct reader *r, struct value v, enum dtype t)
{
	if (!v.untyped)
		return v.s;
	union scalar_value x = {.i = v.s->i};
	if (v.s->type == DT_F64)
		x.f = v.s->f;
	x = scalar_convert(x, v.s->type, dtype_is_narrow(t) ? DT_F32 : t);
	return dtype_is_float(t) ? scalar_float(r->arena, t, x.f) : scalar_int(r->arena, t, x.i);
}

static const struct scalar *with_own_type(struct reader *r, struct value v)
{
	return with_type(r, v, v.s->type == DT_F64 ? DT_F32 : DT_I64);
}

/* Arguments from `first` on get one type, that of a typed one. */
static void settle(struct reader *r, struct value *v, int first, int n)
{
	enum dtype t = DT_COUNT;
	bool is_float = false;
	for (int k = first; k < n; k++) {
		is_float = is_float || v[k].s->type == DT_F64;
		if (!v[k].untyped && t == DT_COUNT)
			t = v[k].s->type;
	}
	if (t == DT_COUNT)
		t = is_float ? DT_F32 : DT_I64;
	for (int k = first; k < n; k++)
		v[k] = (struct value){with_type(r, v[k], t), false};
}

static struct value apply(struct reader *r, enum scalar_fn fn, enum dtype t, struct value *v)
{
	int n = scalar_arity(fn);
	struct value none = {scalar_int(r->arena, DT_I64, 0), true};
	if (r->error)
		return none;
	if (fn == SC_NEG && v[0].untyped && v[0].s->kind == SCALAR_CONST)
		return (struct value){scalar_apply(r->arena, SC_NEG, DT_I64, v[0].s, NULL, NULL), true};
	if (fn == SC_CAST) {
		const struct scalar *x =
			v[0].untyped ? with_type(r, v[0], t) : scalar_apply(r->arena, fn, t, v[0].s, NULL, NULL);
		return (struct value){x, false};
	}
	enum scalar_result kind = scalar_result_kind(fn);
	if (kind == SCALAR_FROM)
		v[0].s = with_type(r, v[0], DT_U64), v[1].s = with_type(r, v[1], DT_I64);
	else
		settle(r, v, scalar_first_value(fn), n);
	if (kind == SCALAR_FROM && n > 2)
		v[2].s = with_type(r, v[2], scalar_parameter(fn));
	/* Checked before it is built, because folding computes with the types. */
	struct scalar node = {.kind = SCALAR_APPLY, .fn = fn, .type = t};
	for (int k = 0; k < n; k++)
		node.arg[k] = v[k].s;
	if (kind != SCALAR_FROM)
		node.type = kind == SCALAR_PRED  ? DT_BOOL
			    : kind == SCALAR_INT ? DT_I64
						 : v[scalar_first_value(fn)].s->type;
	const char *wrong = scalar_check(r->arena, &node, MAX_OPERANDS, MAX_FACTORS);
	if (wrong) {
		read_fail(r, wrong);
		return none;
	}
	return (struct value){scalar_apply(r->arena, fn, t, node.arg[0], node.arg[1], node.arg[2]), false};
}

static struct value read_call(struct reader *r, enum scalar_fn fn, enum dtype t)
{
	struct value v[3];
	if (scalar_result_kind(fn) == SCALAR_FROM) {
		read_expect(r, "<");
		t = dtype_of_text(read_name(r));
		read_expect(r, ">");
		if (t == DT_COUNT)
			read_fail(r, "expected a type");
	}
	read_expect(r, "(");
	for (int k = 0; k < scalar_arity(fn); k++) {
		if (k)
			read_expect(r, ",");
		v[k] = read_level(r, LEVEL_OR);
	}
	read_expect(r, ")");
	return apply(r, fn, t, v);
}

static struct value read_word(struct reader *r)
{
	const char *start = r->at, *name = read_name(r);
	int factor = find_factor(r->rule, name), operand = find_name(r->operand, r->rule->noperands, name);
	if (operand >= 0)
		return (struct value){scalar_operand(r->arena, r->rule->operand[operand].type, operand), false};
	if (factor >= 0)
		return (struct value){scalar_factor(r->arena, factor), false};
	if (!strcmp(name, "true") || !strcmp(name, "false"))
		return (struct value){scalar_int(r->arena, DT_BOOL, name[0] == 't'), false};
	if (!strcmp(name, "inf") || !strcmp(name, "nan"))
		return number(r, start, r->at);
	if (dtype_of_text(name) < DT_COUNT)
		return read_call(r, SC_CAST, dtype_of_text(name));
	enum scalar_fn fn = scalar_fn_of_text(name);
	if (fn < SC_FN_COUNT && fn != SC_CAST && !scalar_functions[fn]->prefix)
		return read_call(r, fn, DT_F32);
	read_fail(r, arena_printf(r->arena, "unknown name `%s`", name));
	return (struct value){scalar_int(r->arena, DT_I64, 0), true};
}

static struct value read_primary(struct reader *r)
{
	struct value v = {scalar_int(r->arena, DT_I64, 0), true};
	char *end;
	read_skip(r);
	if (r->error)
		return v;
	if (read_accept(r, "-") || read_accept(r, "!")) {
		bool minus = r->at[-1] == '-';
		if (++r->depth > 6 * MAX_DEPTH)
			read_fail(r, "nested too deeply");
		v = read_primary(r);
		r->depth--;
		return apply(r, minus ? SC_NEG : SC_NOT, DT_F32, &v);
	}
	if (read_accept(r, "(")) {
		v = read_level(r, LEVEL_OR);
		read_expect(r, ")");
	} else if (isdigit((unsigned char)*r->at)) {
		strtod(r->at, &end);
		v = number(r, r->at, end);
		r->at = end;
	} else {
		v = read_word(r);
	}
	return v;
}

/* The operator of this level that stands here: of `<` and `<=` the longer. SC_FN_COUNT: none. */
static enum scalar_fn accept_binary(struct reader *r, enum scalar_level level)
{
	enum scalar_fn found = SC_FN_COUNT;
	size_t longest = 0;
	const char *start = r->at;
	for (enum scalar_fn fn = 0; fn < SC_FN_COUNT; fn++) {
		size_t length = strlen(scalar_text(fn));
		r->at = start;
		if (scalar_functions[fn]->level == level && length > longest && read_accept(r, scalar_text(fn))) {
			found = fn;
			longest = length;
		}
	}
	r->at = start;
	if (found != SC_FN_COUNT)
		read_accept(r, scalar_text(found));
	return found;
}

static struct value read_operand(struct reader *r, enum scalar_level level)
{
	return level > LEVEL_PRODUCT && !r->error ? read_level(r, level - 1) : read_primary(r);
}

static struct value read_level(struct reader *r, enum scalar_level level)
{
	if (++r->depth > 6 * MAX_DEPTH)
		read_fail(r, "nested too deeply");
	struct value v[2] = {read_operand(r, level), {0}};
	enum scalar_fn fn;
	while (!r->error && (fn = accept_binary(r, level)) != SC_FN_COUNT) {
		v[1] = read_operand(r, level);
		v[0] = apply(r, fn, DT_F32, v);
	}
	r->depth--;
	return v[0];
}

const struct scalar *read_body(struct reader *r)
{
	struct value v = read_level(r, LEVEL_OR);
	return r->error ? v.s : with_own_type(r, v);
}
