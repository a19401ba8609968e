/* kernel_function.c — see kernel_function.h. */
#include "kernel_function.h"

#include "abi.h"
#include "debug.h"
#include "kernel_emit.h"
#include "kernel_parts.h"

#include <string.h>

static LLVMTypeRef function_type(struct emitter *e, const struct kernel *k)
{
	LLVMTypeRef *parameters = ARENA_ARRAY(e->arena, LLVMTypeRef, k->params.n + 2);
	int n = k->params.n;
	for (int i = 0; i < n; i++)
		parameters[i] = k->params.at[i].kind == KP_SCALAR ? emit_type(e, k->params.at[i].type, 0) : e->ptr;
	if (kernel_divided(k, e->least_work))
		for (int last = n + 2; n < last; n++)
			parameters[n] = e->i64;
	return LLVMFunctionType(e->nothing, parameters, (unsigned)n, 0);
}

bool kernel_is_alone(const struct kernel *k, int param)
{
	if (k->params.at[param].same >= 0)
		return false;
	for (int i = 0; i < k->params.n; i++)
		if (k->params.at[i].kind != KP_SCALAR && k->params.at[i].same == param)
			return false;
	return true;
}

static void describe_parameters(struct emitter *e, const struct kernel *k, LLVMValueRef f)
{
	for (int i = 0; i < k->params.n; i++) {
		const struct kernel_param *p = &k->params.at[i];
		LLVMValueRef value = LLVMGetParam(f, (unsigned)i);
		if (p->name)
			LLVMSetValueName2(value, p->name, strlen(p->name));
		if (p->kind == KP_SCALAR)
			continue;
		/* No more than its elements: it may be a line of another. */
		emit_attribute(e, f, (unsigned)i + 1, "align", (uint64_t)dtype_size(p->type));
		if (kernel_is_alone(k, i))
			emit_attribute(e, f, (unsigned)i + 1, "noalias", 0);
		if (p->kind == KP_IN)
			emit_attribute(e, f, (unsigned)i + 1, "readonly", 0);
	}
}

/* A kernel whose parameters are values of the function that is being written. */
static struct kernel_emitter emitter_of(struct emitter *e, const struct kernel *kernel, LLVMValueRef *params)
{
	struct kernel_emitter k = {
		.e = e,
		.kernel = kernel,
		.scan = kernel_scan(e->arena, e->target, kernel),
		.param = params,
		.reg = ARENA_ARRAY(e->arena, struct value, kernel->nregs + 1),
		.slot = ARENA_ARRAY(e->arena, struct value, kernel->nregs + 1),
		.index_slot = ARENA_ARRAY(e->arena, struct value, kernel->nregs + 1),
		.variable = ARENA_ARRAY(e->arena, LLVMValueRef, kernel->nloops + 1),
		.vector_loop = -1,
		.groups = 1,
		.divided = kernel_divided(kernel, e->least_work),
	};
	for (int i = 0; i < kernel->params.n; i++)
		if (kernel->params.at[i].kind == KP_SCALAR)
			k.reg[kernel->params.at[i].reg].at[0] = params[i];
	kernel_find_bounds(&k);
	return k;
}

static void emit_function_body(struct emitter *e, const struct kernel *kernel, LLVMValueRef f)
{
	LLVMValueRef *params = ARENA_ARRAY(e->arena, LLVMValueRef, kernel->params.n + 1);
	for (int i = 0; i < kernel->params.n; i++)
		params[i] = LLVMGetParam(f, (unsigned)i);
	struct kernel_emitter k = emitter_of(e, kernel, params);
	if (k.divided) {
		k.first_turn = LLVMGetParam(f, (unsigned)kernel->params.n);
		k.end_turn = LLVMGetParam(f, (unsigned)kernel->params.n + 1);
	}
	LLVMPositionBuilderAtEnd(e->builder, LLVMAppendBasicBlockInContext(e->context, f, "entry"));
	debug_function(e, f, kernel->name ? kernel->name : "kernel", e->debug_span);
	kernel_emit_body(&k, kernel->body);
	kernel_end_streams(&k);
	LLVMBuildRetVoid(e->builder);
}

void kernel_inline(struct emitter *e, const struct kernel *kernel, LLVMValueRef *arguments)
{
	struct kernel_emitter k = emitter_of(e, kernel, arguments);
	BUG_IF(k.divided, "a kernel that threads share is no part of another function");
	kernel_emit_body(&k, kernel->body);
	BUG_IF(k.streams, "a kernel of large results is no part of another function");
}

LLVMValueRef kernel_function(struct emitter *e, const struct kernel *k, LLVMTypeRef *type)
{
	*type = function_type(e, k);
	LLVMValueRef f = map_get(&e->kernels, k);
	if (f)
		return f;
	f = LLVMAddFunction(e->module,
			    e->parts ? e->parts->symbol[k->id]
				     : arena_printf(e->arena, "kernel.%s", k->name ? k->name : "unnamed"),
			    *type);
	map_set(&e->kernels, k, f);
	emit_function_attributes(e, f);
	emit_attribute(e, f, (unsigned)LLVMAttributeFunctionIndex, "noinline", 0);
	describe_parameters(e, k, f);
	if (!e->parts)
		LLVMSetLinkage(f, LLVMInternalLinkage);
	else
		LLVMSetVisibility(f, LLVMHiddenVisibility);
	if (e->parts && e->parts->part[k->id] != e->part)
		return f;
	/* What a role does not use the linker leaves out. */
	if (e->parts)
		LLVMSetSection(f, arena_printf(e->arena, ".text.%s", e->parts->symbol[k->id]));
	struct emit_place place = emit_leave(e);
	emit_function_body(e, k, f);
	emit_return(e, &place);
	return f;
}

static LLVMValueRef load_scalar(struct emitter *e, enum dtype t, LLVMValueRef at)
{
	LLVMBuilderRef b = e->builder;
	if (dtype_is_float(t))
		return LLVMBuildFPCast(b, LLVMBuildLoad2(b, e->f64, at, ""), emit_type(e, t, 0), "");
	LLVMValueRef word = LLVMBuildLoad2(b, e->i64, at, "");
	if (t == DT_BOOL)
		return LLVMBuildICmp(b, LLVMIntNE, word, emit_i64(e, 0), "");
	return LLVMBuildIntCast2(b, word, emit_type(e, t, 0), 0, "");
}

/* The kernel's parameters, from where the buffers' addresses and the scalars are kept; which may be one place. */
static LLVMValueRef *load_arguments(struct emitter *e, const struct kernel *k, LLVMValueRef at_buffers,
				    LLVMValueRef at_scalars)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef *arguments = ARENA_ARRAY(e->arena, LLVMValueRef, k->params.n + 2);
	int buffers = 0, scalars = 0;
	for (int i = 0; i < k->params.n; i++) {
		bool is_scalar = k->params.at[i].kind == KP_SCALAR;
		int at = at_buffers == at_scalars ? i : is_scalar ? scalars++ : buffers++;
		LLVMValueRef index = emit_i64(e, at), from = is_scalar ? at_scalars : at_buffers;
		from = LLVMBuildInBoundsGEP2(b, e->i64, from, &index, 1, "");
		arguments[i] =
			is_scalar ? load_scalar(e, k->params.at[i].type, from) : LLVMBuildLoad2(b, e->ptr, from, "");
	}
	return arguments;
}

/* Calls the kernel of the function that is being written for turns begin..end of its loop, if it has one. */
static void call_kernel(struct emitter *e, const struct kernel *k, LLVMValueRef *arguments, LLVMValueRef begin,
			LLVMValueRef end)
{
	LLVMTypeRef type;
	LLVMValueRef inner = kernel_function(e, k, &type);
	arguments[k->params.n] = begin;
	arguments[k->params.n + 1] = end;
	LLVMBuildCall2(e->builder, type, inner, arguments, LLVMCountParamTypes(type), "");
}

static LLVMValueRef begin_function(struct emitter *e, const char *symbol, LLVMTypeRef type)
{
	LLVMValueRef f = LLVMAddFunction(e->module, symbol, type);
	emit_function_attributes(e, f);
	LLVMPositionBuilderAtEnd(e->builder, LLVMAppendBasicBlockInContext(e->context, f, "entry"));
	return f;
}

LLVMValueRef kernel_wrapper(struct emitter *e, const struct kernel *k, const char *symbol)
{
	enum { PARTS = 3 };
	const struct kernel_instr *loop = kernel_divided(k, e->least_work);
	LLVMTypeRef type = LLVMFunctionType(e->nothing, (LLVMTypeRef[]){e->ptr, e->ptr}, 2, 0);
	LLVMValueRef f = begin_function(e, symbol, type);
	LLVMValueRef *arguments = load_arguments(e, k, LLVMGetParam(f, 0), LLVMGetParam(f, 1));
	for (int64_t i = loop ? PARTS - 1 : 0; i >= 0; i--) {
		int64_t begin = loop ? loop->extent * i / PARTS : 0, end = loop ? loop->extent * (i + 1) / PARTS : 0;
		call_kernel(e, k, arguments, emit_i64(e, begin), emit_i64(e, end));
	}
	LLVMBuildRetVoid(e->builder);
	return f;
}

/* void (const int64_t *words, int64_t begin, int64_t end): the runtime's pmlrt_turns. */
static LLVMValueRef turns_function(struct emitter *e, const struct kernel *k)
{
	LLVMTypeRef type = LLVMFunctionType(e->nothing, (LLVMTypeRef[]){e->ptr, e->i64, e->i64}, 3, 0);
	struct emit_place place = emit_leave(e);
	LLVMValueRef f = begin_function(e, "turns", type);
	LLVMSetLinkage(f, LLVMInternalLinkage);
	debug_function(e, f, k->name ? k->name : "kernel", k->span);
	LLVMValueRef words = LLVMGetParam(f, 0);
	call_kernel(e, k, load_arguments(e, k, words, words), LLVMGetParam(f, 1), LLVMGetParam(f, 2));
	LLVMBuildRetVoid(e->builder);
	emit_return(e, &place);
	return f;
}

/* An argument as load_scalar reads it. */
static LLVMValueRef word_of(struct emitter *e, const struct kernel_param *p, LLVMValueRef v)
{
	if (p->kind != KP_SCALAR)
		return v;
	if (dtype_is_float(p->type))
		return LLVMBuildFPCast(e->builder, v, e->f64, "");
	return LLVMBuildIntCast2(e->builder, v, e->i64, p->type != DT_BOOL, "");
}

void kernel_call(struct emitter *e, const struct kernel *k, LLVMValueRef rt, LLVMValueRef *arguments)
{
	const struct kernel_instr *loop = kernel_divided(k, e->least_work);
	LLVMTypeRef type;
	if (!loop) {
		LLVMValueRef f = kernel_function(e, k, &type);
		LLVMBuildCall2(e->builder, type, f, arguments, (unsigned)k->params.n, "");
		return;
	}
	LLVMValueRef words = emit_alloca(e, LLVMArrayType2(e->i64, (uint64_t)k->params.n), "words");
	for (int i = 0; i < k->params.n; i++) {
		LLVMValueRef index = emit_i64(e, i),
			     at = LLVMBuildInBoundsGEP2(e->builder, e->i64, words, &index, 1, "");
		LLVMBuildStore(e->builder, word_of(e, &k->params.at[i], arguments[i]), at);
	}
	abi_call(e, "share", (LLVMValueRef[]){rt, turns_function(e, k), words, emit_i64(e, loop->extent)}, 4);
}
