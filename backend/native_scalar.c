/* native_scalar.c — the scalars of steps in a loop that is code: see native_emit.h. What is the same in all turns is
 * computed in front of the first; elements, which turns may change, are read where they are used. */
#include "native_emit.h"

#include "apply.h"

static LLVMValueRef cast(const struct native *n, LLVMValueRef v, enum dtype from, enum dtype to)
{
	return from == to ? v : apply_function(n->e, SC_CAST, to, from, &v);
}

/* What is the same in all turns; NULL: an element. */
static LLVMValueRef scalar_outside(const struct native *n, const struct plan_scalar *s, enum dtype to)
{
	struct emitter *e = n->e;
	switch (s->kind) {
	case OPERAND_CONST:
		return cast(n, emit_number(e, s->type, s->number, 0), s->type, to);
	case OPERAND_ARGUMENT: {
		enum host_type type = n->region->arguments.at[s->argument];
		LLVMValueRef v = n->arguments ? n->arguments[s->argument]
					      : LLVMBuildLoad2(e->builder, host_llvm_type(e, type),
							       region_cell(e, n->given, s->argument), "");
		return cast(n, cast(n, v, cell_dtype(type), s->type), s->type, to);
	}
	case OPERAND_ORIGIN: {
		LLVMValueRef arguments[] = {n->rt, emit_i64(e, s->origin.type), emit_i64(e, s->origin.dim)};
		LLVMValueRef v = abi_call(e, "origin", arguments, 3);
		return cast(n, cast(n, v, DT_I64, s->type), s->type, to);
	}
	case OPERAND_ELEMENT:
		break;
	}
	return NULL;
}

LLVMValueRef native_scalar(const struct native *n, int step, int number, enum dtype to)
{
	const struct plan_scalar *s = &n->plan->steps.at[step].scalars.at[number];
	if (n->scalar[step][number])
		return n->scalar[step][number];
	enum dtype from = n->plan->buffers.at[s->argument].type;
	LLVMValueRef v =
		LLVMBuildLoad2(n->e->builder, emit_storage_type(n->e, from), native_address(n, s->argument, 0), "");
	return cast(n, cast(n, emit_unpack(n->e, from, v), from, s->type), s->type, to);
}

/* As what a step's scalars are passed, by number. */
static enum dtype scalar_type(const struct native *n, const struct plan_step *s, int number)
{
	if (s->kind == STEP_RESULT)
		return cell_dtype(n->region->results.at[s->result]);
	if (s->kind == STEP_LOOP_TEST)
		return DT_BOOL;
	if (s->kind != STEP_KERNEL)
		return DT_I64; /* how many turns a loop makes */
	for (int i = 0; i < s->kernel->params.n; i++)
		if (s->kernel->params.at[i].kind == KP_SCALAR && number-- == 0)
			return s->kernel->params.at[i].type;
	return DT_I64;
}

void native_find_scalars(struct native *n)
{
	n->scalar = ARENA_ARRAY(n->e->arena, LLVMValueRef *, n->plan->steps.n);
	for (int i = n->from; i <= n->to; i++) {
		const struct plan_step *s = &n->plan->steps.at[i];
		n->scalar[i] = ARENA_ARRAY(n->e->arena, LLVMValueRef, s->scalars.n + 1);
		for (int k = 0; k < s->scalars.n; k++)
			n->scalar[i][k] = scalar_outside(n, &s->scalars.at[k], scalar_type(n, s, k));
	}
}
