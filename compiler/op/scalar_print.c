/* scalar_print.c — a body as text that reads back: parentheses only where needed, types only where not clear. */
#include "scalars/function.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct names {
	const char *const *operands, *const *factors;
};

/* How tightly a node binds; names do as calls do. */
static enum scalar_level level_of(const struct scalar *s)
{
	return s->kind == SCALAR_APPLY ? scalar_functions[s->fn]->level : LEVEL_CALL;
}

/* The shortest digits that give the same number of that type. */
static void print_float(struct text *t, enum dtype type, double v)
{
	char digits[40];
	if (isnan(v)) {
		text_add(t, "nan");
		return;
	}
	if (isinf(v)) {
		text_add(t, v < 0 ? "-inf" : "inf");
		return;
	}
	if (v == trunc(v) && fabs(v) < 1e9) {
		text_printf(t, "%.1f", v);
		return;
	}
	for (int precision = 1; precision <= 17; precision++) {
		snprintf(digits, sizeof digits, "%.*g", precision, v);
		if (scalar_convert((union scalar_value){.f = strtod(digits, NULL)}, DT_F64, type).f == v)
			break;
	}
	text_add(t, digits);
	if (!strpbrk(digits, ".e"))
		text_add(t, ".0");
}

static void print_number(struct text *t, const struct scalar *s, bool typed)
{
	if (s->type == DT_BOOL) {
		text_add(t, s->i ? "true" : "false");
		return;
	}
	if (typed)
		text_printf(t, "%s(", dtype_text(s->type));
	if (dtype_is_float(s->type))
		print_float(t, dtype_is_narrow(s->type) ? DT_F32 : s->type, s->f);
	else
		text_printf(t, "%" PRId64, s->i);
	if (typed)
		text_add(t, ")");
}

static void print(struct text *t, const struct scalar *s, const struct names *n);

/* True if the type of argument k shows in another one, so that a number may stand without its type. */
static bool type_is_clear(const struct scalar *s, int k)
{
	enum scalar_result kind = scalar_result_kind(s->fn);
	int first = scalar_first_value(s->fn);
	if (kind == SCALAR_NAMED || kind == SCALAR_FROM || k < first)
		return false;
	for (int j = first; j < 3 && s->arg[j]; j++)
		if (j != k && s->arg[j]->type == s->arg[k]->type && (s->arg[j]->kind != SCALAR_CONST || j < k))
			return true;
	return false;
}

/* In parentheses if it binds less tightly than `loosest`. */
static void print_argument(struct text *t, const struct scalar *s, int k, int loosest, const struct names *n)
{
	const struct scalar *x = s->arg[k];
	bool parentheses = (int)level_of(x) > loosest;
	if (x->kind == SCALAR_CONST) {
		print_number(t, x, !type_is_clear(s, k));
		return;
	}
	if (parentheses)
		text_add(t, "(");
	print(t, x, n);
	if (parentheses)
		text_add(t, ")");
}

static void print_call(struct text *t, const struct scalar *s, const struct names *n)
{
	if (scalar_result_kind(s->fn) == SCALAR_NAMED)
		text_printf(t, "%s(", dtype_text(s->type));
	else if (scalar_result_kind(s->fn) == SCALAR_FROM)
		text_printf(t, "%s<%s>(", scalar_text(s->fn), dtype_text(s->type));
	else
		text_printf(t, "%s(", scalar_text(s->fn));
	for (int k = 0; k < 3 && s->arg[k]; k++) {
		text_add(t, k ? ", " : "");
		print_argument(t, s, k, LEVEL_OR, n);
	}
	text_add(t, ")");
}

static void print_name(struct text *t, const char *const *names, char sign, int index)
{
	if (names)
		text_add(t, names[index]);
	else
		text_printf(t, "%c%d", sign, index);
}

static void print(struct text *t, const struct scalar *s, const struct names *n)
{
	int level = (int)level_of(s);
	switch (s->kind) {
	case SCALAR_CONST:
		print_number(t, s, s->type != DT_I64);
		return;
	case SCALAR_OPERAND:
		print_name(t, n->operands, '%', s->index);
		return;
	case SCALAR_FACTOR:
		print_name(t, n->factors, '$', s->index);
		return;
	case SCALAR_EXTENT:
		text_add(t, "extent ");
		print_name(t, n->factors, '$', s->index);
		return;
	case SCALAR_APPLY:
		break;
	}
	if (level == LEVEL_CALL) {
		print_call(t, s, n);
	} else if (level == LEVEL_UNARY) {
		text_add(t, scalar_functions[s->fn]->prefix);
		print_argument(t, s, 0, LEVEL_CALL, n);
	} else {
		print_argument(t, s, 0, level - (level == LEVEL_COMPARE), n);
		text_printf(t, " %s ", scalar_text(s->fn));
		print_argument(t, s, 1, level - 1, n);
	}
}

void scalar_print(struct text *t, const struct scalar *s, const char *const *operands, const char *const *factors)
{
	print(t, s, &(struct names){operands, factors});
}

void number_print(struct text *t, enum dtype type, union scalar_value v)
{
	if (!dtype_is_float(type))
		text_printf(t, "%" PRId64, v.i);
	else
		text_printf(t, isnan(v.f) ? "nan" : "%.17g", v.f);
}
