/* verify.c — host code is legal: every variable is set with its type, operations and conditions have the types they
 * need, calls fit the prototypes of runtime/abi.def. Prototypes are read from the text of the rows, so no list is
 * written twice. */
#include "host.h"

#include <string.h>

enum { BLIND = 1, SILENT = 2 };
struct prototype {
	const char *name, *result, *parameters;
	unsigned traits;
};
static const struct prototype prototypes[] = {
#define RT(result, name, parameters, traits) {#name, #result, #parameters, traits},
#include "../../runtime/abi.def"
#undef RT
};

struct check {
	struct arena *arena;
	const struct host_function *f;
	const char *wrong;
};

static void fail(struct check *c, const char *what, const char *detail)
{
	if (!c->wrong)
		c->wrong = arena_printf(c->arena, "%s%s%s", what, detail ? ": " : "", detail ? detail : "");
}

/* ---- prototypes ---- */

/* The host type of "const char *path", "int64_t n", "void *dataset"; false for the runtime itself. */
static bool parameter_type(const char *text, size_t n, enum host_type *out)
{
	char buffer[128];
	if (n >= sizeof buffer)
		n = sizeof buffer - 1;
	memcpy(buffer, text, n);
	buffer[n] = 0;
	if (strstr(buffer, "struct pmlrt"))
		return false;
	*out = strstr(buffer, "char *")   ? HOST_TEXT
	       : strstr(buffer, "*")      ? HOST_HANDLE
	       : strstr(buffer, "uint64") ? HOST_KEY
	       : strstr(buffer, "double") ? HOST_FLOAT
	       : strstr(buffer, "float ") ? HOST_FLOAT
	       : strstr(buffer, "bool")   ? HOST_BOOL
					  : HOST_INT;
	return true;
}

static enum host_type result_type(const char *text)
{
	enum host_type t = HOST_VOID;
	if (strcmp(text, "void") != 0)
		parameter_type(text, strlen(text), &t);
	return t;
}

static const struct prototype *find_prototype(const char *name)
{
	for (size_t i = 0; i < sizeof prototypes / sizeof *prototypes; i++)
		if (!strcmp(prototypes[i].name, name))
			return &prototypes[i];
	return NULL;
}

bool host_call_is_blind(const char *function)
{
	const struct prototype *p = find_prototype(function);
	return p && p->traits & BLIND;
}

bool host_call_is_silent(const char *function)
{
	const struct prototype *p = find_prototype(function);
	return p && p->traits & SILENT;
}

/* An int is data of a key, and a key prints as an int: both are 64 bits. */
static bool fits(enum host_type have, enum host_type want)
{
	return have == want || (have == HOST_INT && want == HOST_KEY) || (have == HOST_KEY && want == HOST_INT);
}

static void check_call(struct check *c, const struct host_expr *x)
{
	const struct prototype *p = find_prototype(x->function);
	if (!p) {
		fail(c, "unknown runtime function", x->function);
		return;
	}
	if (result_type(p->result) != x->type)
		fail(c, "wrong result type of a call", x->function);
	int n = 0;
	for (const char *at = p->parameters + 1; *at && *at != ')';) {
		size_t length = strcspn(at, ",)");
		enum host_type t;
		if (parameter_type(at, length, &t)) {
			if (n >= x->nargs || !fits(x->arg[n]->type, t))
				fail(c, "wrong arguments of a call", x->function);
			n++;
		}
		at += length;
		at += *at == ',';
	}
	if (n != x->nargs)
		fail(c, "wrong number of arguments of a call", x->function);
}

/* ---- expressions ---- */

static void check_expr(struct check *c, const struct host_expr *x);

static bool is_number(enum host_type t)
{
	return t == HOST_INT || t == HOST_FLOAT;
}

static bool is_logic(enum host_op op)
{
	return op == HOST_AND_OP || op == HOST_OR_OP || op == HOST_NOT_OP;
}

static bool is_of_ints(enum host_op op)
{
	return op == HOST_FLOOR_DIV_OP || (op >= HOST_BITWISE_AND_OP && op <= HOST_RIGHT_SHIFT_OP);
}

static void check_apply(struct check *c, const struct host_expr *x)
{
	if (x->nargs != host_op_arity(x->op)) {
		fail(c, "wrong number of operands", NULL);
		return;
	}
	enum host_type t = x->arg[0]->type;
	bool compares = x->op >= HOST_EQ_OP && x->op <= HOST_GE_OP;
	if (x->nargs == 2 && x->arg[1]->type != t)
		fail(c, "operands of two types", NULL);
	if (x->op == HOST_CONVERT_OP || x->op == HOST_FITS_OP) {
		bool known = x->index >= 0 && x->index < DT_COUNT && x->index != DT_BOOL;
		if (!known || !is_number(t) || (x->op == HOST_FITS_OP && t != HOST_INT) ||
		    x->type != (dtype_is_float((enum dtype)x->index) ? HOST_FLOAT : HOST_INT))
			fail(c, "wrong types of a conversion", NULL);
	} else if (x->op == HOST_INT_OF_FLOAT_OP || x->op == HOST_FLOAT_OF_INT_OP) {
		bool to_int = x->op == HOST_INT_OF_FLOAT_OP;
		if (t != (to_int ? HOST_FLOAT : HOST_INT) || x->type != (to_int ? HOST_INT : HOST_FLOAT))
			fail(c, "wrong types of a conversion", NULL);
	} else if (is_logic(x->op) ? t != HOST_BOOL : !is_number(t) && !(compares && t == HOST_BOOL)) {
		fail(c, "an operation of a type it does not have", NULL);
	} else if ((is_of_ints(x->op) && t != HOST_INT) || (x->op == HOST_POW_OP && t != HOST_FLOAT)) {
		fail(c, "an operation of a type it does not have", NULL);
	} else if (x->type != (compares || is_logic(x->op) ? HOST_BOOL : x->op == HOST_DIV_OP ? HOST_FLOAT : t)) {
		fail(c, "wrong result type of an operation", NULL);
	}
}

static void check_expr(struct check *c, const struct host_expr *x)
{
	if (!x) {
		fail(c, "a missing expression", NULL);
		return;
	}
	for (int i = 0; i < x->nargs && !c->wrong; i++)
		check_expr(c, x->arg[i]);
	if (c->wrong)
		return;
	switch (x->kind) {
	case HOST_CONST:
		if (x->type == HOST_TEXT && !x->text)
			fail(c, "a text without characters", NULL);
		break;
	case HOST_VAR:
		if (x->index < 0 || x->index >= c->f->vars.n || c->f->vars.at[x->index].type != x->type)
			fail(c, "a variable that does not exist or has another type", NULL);
		break;
	case HOST_APPLY:
		check_apply(c, x);
		break;
	case HOST_CALL:
		check_call(c, x);
		break;
	case HOST_SELECT:
		if (x->nargs != 3 || x->arg[0]->type != HOST_BOOL || x->arg[1]->type != x->type ||
		    x->arg[2]->type != x->type)
			fail(c, "wrong types of a selection", NULL);
		break;
	case HOST_SLOT:
		if (x->type != HOST_HANDLE)
			fail(c, "a slot that is no handle", NULL);
		break;
	case HOST_NUMBER:
		fail(c, "a number that a graph computes", NULL);
		break;
	}
}

/* ---- statements ---- */

static void check_block(struct check *c, const struct host_stmt *s, bool in_loop)
{
	for (; s && !c->wrong; s = s->next) {
		switch (s->kind) {
		case HOST_SET:
			check_expr(c, s->expr);
			if (!c->wrong &&
			    (s->var < 0 || s->var >= c->f->vars.n || c->f->vars.at[s->var].type != s->expr->type))
				fail(c, "a variable is set with another type", NULL);
			break;
		case HOST_EVAL:
			check_expr(c, s->expr);
			break;
		case HOST_BREAK:
		case HOST_CONTINUE:
			if (!in_loop || s->next)
				fail(c, "a loop is left where there is none, or before the end of a block", NULL);
			break;
		case HOST_IF:
		case HOST_WHILE:
			check_expr(c, s->expr);
			if (!c->wrong && s->expr->type != HOST_BOOL)
				fail(c, "a condition that is no bool", NULL);
			check_block(c, s->body, in_loop || s->kind == HOST_WHILE);
			check_block(c, s->other, in_loop && s->kind == HOST_IF);
			break;
		case HOST_REGION:
			for (int i = 0; i < s->args.n && !c->wrong; i++)
				check_expr(c, s->args.at[i]);
			for (int i = 0; i < s->results.n; i++)
				if (s->results.at[i] >= c->f->vars.n)
					fail(c, "a result of a region has no variable", NULL);
			break;
		}
	}
}

const char *host_verify(struct arena *a, const struct host_function *f)
{
	struct check c = {.arena = a, .f = f};
	check_block(&c, f->body, false);
	return c.wrong;
}
