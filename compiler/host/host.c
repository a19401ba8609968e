/* host.c — the table of operations, the element types of host values, and which loops compute alone. */
#include "host.h"

static const struct {
	const char *text;
	int arity;
	enum scalar_fn fn;
} ops[] = {
#define HOST_OP(name, text, arity, fn) [HOST_##name##_OP] = {text, arity, SC_##fn},
#include "host.def"
#undef HOST_OP
};

const char *host_op_text(enum host_op op)
{
	return ops[op].text;
}

int host_op_arity(enum host_op op)
{
	return ops[op].arity;
}

enum scalar_fn host_op_function(enum host_op op)
{
	return ops[op].fn;
}

bool host_op_of_function(enum scalar_fn fn, enum host_op *op)
{
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		if (ops[i].fn == fn) {
			*op = (enum host_op)i;
			return true;
		}
	return false;
}

enum dtype host_dtype(enum host_type t)
{
	switch (t) {
	case HOST_INT:
		return DT_I64;
	case HOST_FLOAT:
		return DT_F64;
	case HOST_BOOL:
		return DT_BOOL;
	case HOST_KEY:
		return DT_U64;
	case HOST_VOID:
	case HOST_TEXT:
	case HOST_HANDLE:
		break;
	}
	return DT_COUNT;
}

bool host_runs_region(const struct host_stmt *s)
{
	for (; s; s = s->next)
		if (s->kind == HOST_REGION || host_runs_region(s->body) || host_runs_region(s->other))
			return true;
	return false;
}

static bool block_turns_alone(const struct host_stmt *s)
{
	for (; s; s = s->next) {
		bool alone = s->kind == HOST_WHILE && !host_runs_region(s->body) && !host_runs_region(s->other);
		if (alone || block_turns_alone(s->body) || block_turns_alone(s->other))
			return true;
	}
	return false;
}

bool host_turns_alone(const struct host_function *f)
{
	return f && block_turns_alone(f->body);
}
