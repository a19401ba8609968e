/* kernel_loop.c — the structure of a kernel: its function, loops, and instructions in order. */
#include "kernel_emit.h"

#include "debug.h"
#include "kernel_function.h"
#include "kernel_parts.h"
#include "math.h"

#include <string.h>

enum { UNROLL_TURNS = 8, UNROLL_COST = 64 };

LLVMValueRef kernel_value(struct kernel_emitter *k, int r, int g, bool vector)
{
	if (k->scan.reg[r].vector)
		return k->reg[r].at[g];
	return vector ? emit_splat(k->e, k->reg[r].at[0], k->scan.lanes) : k->reg[r].at[0];
}

LLVMValueRef kernel_mask(struct kernel_emitter *k, int g, int guard)
{
	LLVMValueRef tail = g == k->groups - 1 ? k->mask : NULL;
	if (guard < 0)
		return tail;
	LLVMValueRef on = kernel_value(k, guard, g, true);
	return tail ? LLVMBuildAnd(k->e->builder, on, tail, "") : on;
}

/* A division of all points of a vector loop by one number. */
static bool divides_all(struct kernel_emitter *k, const struct kernel_instr *i)
{
	if (k->e->session->options.reproducible)
		return false; /* by a reciprocal, quotients near the ends of the range may round otherwise */
	return i->fn == SC_DIV && (i->type == DT_F32 || i->type == DT_F64) && k->e->target->fma && k->long_loop &&
	       !k->scan.reg[i->b].vector && k->scan.reg[i->a].vector;
}

static void emit_apply(struct kernel_emitter *k, const struct kernel_instr *i)
{
	bool vector = k->scan.reg[i->reg].vector;
	const int from[] = {i->a, i->b, i->c};
	enum dtype type = k->scan.reg[i->a].type;
	if (divides_all(k, i)) {
		for (int g = 0; g < k->groups; g++)
			k->reg[i->reg].at[g] = math_divide_all(k->e, k->reg[i->a].at[g], k->reg[i->b].at[0]);
		return;
	}
	for (int g = 0; g < (vector ? k->groups : 1); g++) {
		LLVMValueRef x[3] = {NULL, NULL, NULL};
		for (int n = 0; n < scalar_arity(i->fn); n++)
			x[n] = kernel_value(k, from[n], g, vector);
		k->reg[i->reg].at[g] = apply_function(k->e, i->fn, i->type, type, x);
	}
}

/* Reading a large tensor row by row, in several passes: the last pass, which writes, asks for the next row, which the
 * first would else wait for while nothing is written. */
static void prefetch_next_row(struct kernel_emitter *k)
{
	enum { LARGE = 1 << 20 };
	const struct kernel_passes *p = &k->passes;
	for (const struct kernel_instr *i = p->first->body; i; i = i->next) {
		if (i->kind != K_LOAD || i->guard >= 0 || i->at.reg >= 0 || affine_coef(&i->at, p->first->loop) != 1 ||
		    affine_coef(&i->at, p->rows->loop) < 1 || k->kernel->params.at[i->param].size < LARGE)
			continue;
		struct kernel_affine at = i->at;
		at.offset += affine_coef(&at, p->rows->loop);
		for (int n = 0; n < at.nterms; n++)
			if (at.term[n].loop == p->first->loop)
				at.term[n].loop = p->last->loop;
		kernel_emit_prefetch(k, i, &at);
	}
}

/* The passes of a loop over rows, if there are several over as many columns. */
static struct kernel_passes find_passes(const struct kernel_instr *loop)
{
	struct kernel_passes p = {.rows = loop};
	for (const struct kernel_instr *i = loop->body; i; i = i->next)
		if (i->kind == K_LOOP && i->vector) {
			p.first = p.first ? p.first : i;
			p.last = i;
		}
	bool several = p.first != p.last && p.first->extent == p.last->extent && loop->extent > 1;
	return several ? p : (struct kernel_passes){.rows = NULL};
}

/* One turn of a loop whose variable is given: of a vector loop, its chunk, some vectors at a time. */
static void emit_turn(struct kernel_emitter *k, const struct kernel_instr *loop, LLVMValueRef variable)
{
	int at_a_time = k->scan.loop[loop->loop].groups;
	k->variable[loop->loop] = variable;
	if (!loop->vector) {
		kernel_emit_body(k, loop->body);
		return;
	}
	for (k->first = 0; k->first < k->chunk; k->first += at_a_time) {
		int rest = k->chunk - k->first;
		LLVMValueRef before = emit_i64(k->e, (int64_t)k->first * k->scan.lanes);
		k->groups = rest < at_a_time ? rest : at_a_time;
		k->mask = rest <= at_a_time ? k->tail : NULL;
		if (k->first)
			k->variable[loop->loop] = LLVMBuildNUWAdd(k->e->builder, variable, before, "");
		if (loop == k->passes.last)
			prefetch_next_row(k);
		kernel_emit_body(k, loop->body);
	}
	k->first = 0;
	k->groups = 1;
	k->mask = NULL;
}

/* The variable as a loop from 0 by step while less than end, around the body. */
static void emit_counted(struct kernel_emitter *k, const struct kernel_instr *loop, int64_t end, int64_t step)
{
	LLVMBuilderRef b = k->e->builder;
	LLVMBasicBlockRef before = emit_current_block(k->e),
			  head = emit_block(k->e, loop->loop_name ? loop->loop_name : "loop");
	LLVMBuildBr(b, head);
	LLVMPositionBuilderAtEnd(b, head);
	LLVMValueRef variable = LLVMBuildPhi(b, k->e->i64, loop->loop_name ? loop->loop_name : "");
	emit_turn(k, loop, variable);
	LLVMValueRef next = LLVMBuildNUWAdd(b, variable, emit_i64(k->e, step), "");
	LLVMValueRef more = LLVMBuildICmp(b, LLVMIntULT, next, emit_i64(k->e, end), "");
	LLVMBasicBlockRef last = emit_current_block(k->e), after = emit_block(k->e, "after");
	LLVMBuildCondBr(b, more, head, after);
	LLVMAddIncoming(variable, (LLVMValueRef[]){emit_i64(k->e, 0), next}, (LLVMBasicBlockRef[]){before, last}, 2);
	LLVMPositionBuilderAtEnd(b, after);
}

static void emit_plain_loop(struct kernel_emitter *k, const struct kernel_instr *loop)
{
	if (kernel_emit_tiles(k, loop))
		return;
	int64_t cost = k->scan.loop[loop->loop].cost;
	bool unroll = loop->extent == 1 || (loop->extent <= UNROLL_TURNS && loop->extent * (cost + 1) <= UNROLL_COST);
	if (!unroll) {
		struct kernel_passes outside = k->passes;
		k->passes = find_passes(loop);
		emit_counted(k, loop, loop->extent, 1);
		k->passes = outside;
		return;
	}
	for (int64_t i = 0; i < loop->extent; i++)
		emit_turn(k, loop, emit_i64(k->e, i));
}

static void emit_vector_loop(struct kernel_emitter *k, const struct kernel_instr *loop)
{
	int lanes = k->scan.lanes;
	k->vector_loop = loop->loop;
	k->long_loop = loop->extent > 2 * lanes;
	k->chunk = k->scan.loop[loop->loop].chunk;
	int64_t chunk = (int64_t)k->chunk * lanes, whole = loop->extent / chunk * chunk, rest = loop->extent - whole;
	if (whole == chunk)
		emit_turn(k, loop, emit_i64(k->e, 0));
	else if (whole > 0)
		emit_counted(k, loop, whole, chunk);
	if (rest > 0) {
		int last = (int)(rest % lanes);
		k->chunk = (int)((rest + lanes - 1) / lanes);
		k->tail = last ? emit_first_lanes(k->e, lanes, last) : NULL;
		k->active = last;
		emit_turn(k, loop, emit_i64(k->e, whole));
	}
	k->tail = NULL;
	k->active = 0;
	k->vector_loop = -1;
}

static void emit_loop(struct kernel_emitter *k, const struct kernel_instr *loop)
{
	for (int n = 0; n < loop->naccs; n++)
		kernel_begin_acc(k, &loop->acc[n]);
	if (loop->extent > 0 && loop->vector)
		emit_vector_loop(k, loop);
	else if (loop->extent > 0)
		emit_plain_loop(k, loop);
	for (int n = 0; n < loop->naccs; n++)
		kernel_end_acc(k, &loop->acc[n]);
}

void kernel_emit_body(struct kernel_emitter *k, const struct kernel_instr *body)
{
	for (const struct kernel_instr *i = body; i; i = i->next)
		switch (i->kind) {
		case K_CONST:
			k->reg[i->reg].at[0] = emit_number(k->e, i->type, i->number, 0);
			break;
		case K_LOOPVAR:
			kernel_emit_loopvar(k, i);
			break;
		case K_APPLY:
			emit_apply(k, i);
			break;
		case K_LOAD:
			kernel_emit_load(k, i);
			break;
		case K_STORE:
			kernel_emit_store(k, i);
			break;
		case K_REDUCE:
			kernel_emit_reduce(k, i);
			break;
		case K_PREFIX:
			kernel_emit_prefix(k, i);
			break;
		case K_LOOP:
			emit_loop(k, i);
			break;
		}
}

static LLVMTypeRef function_type(struct emitter *e, const struct kernel *k)
{
	LLVMTypeRef *parameters = ARENA_ARRAY(e->arena, LLVMTypeRef, k->params.n + 1);
	for (int i = 0; i < k->params.n; i++)
		parameters[i] = k->params.at[i].kind == KP_SCALAR ? emit_type(e, k->params.at[i].type, 0) : e->ptr;
	return LLVMFunctionType(e->nothing, parameters, (unsigned)k->params.n, 0);
}

/* No other pointer reaches a buffer that the kernel writes, but for pairs that may be the same. Buffers that are only
 * read may be passed twice. */
static bool is_alone(const struct kernel *k, int param)
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
		if (is_alone(k, i))
			emit_attribute(e, f, (unsigned)i + 1, "noalias", 0);
		if (p->kind == KP_IN)
			emit_attribute(e, f, (unsigned)i + 1, "readonly", 0);
	}
}

static void emit_function_body(struct emitter *e, const struct kernel *kernel, LLVMValueRef f)
{
	struct kernel_emitter k = {
		.e = e,
		.kernel = kernel,
		.scan = kernel_scan(e->arena, e->target, kernel),
		.param = ARENA_ARRAY(e->arena, LLVMValueRef, kernel->params.n + 1),
		.reg = ARENA_ARRAY(e->arena, struct value, kernel->nregs + 1),
		.slot = ARENA_ARRAY(e->arena, struct value, kernel->nregs + 1),
		.index_slot = ARENA_ARRAY(e->arena, struct value, kernel->nregs + 1),
		.variable = ARENA_ARRAY(e->arena, LLVMValueRef, kernel->nloops + 1),
		.vector_loop = -1,
		.groups = 1,
	};
	LLVMPositionBuilderAtEnd(e->builder, LLVMAppendBasicBlockInContext(e->context, f, "entry"));
	debug_function(e, f, kernel->name ? kernel->name : "kernel", e->debug_span);
	for (int i = 0; i < kernel->params.n; i++) {
		k.param[i] = LLVMGetParam(f, (unsigned)i);
		if (kernel->params.at[i].kind == KP_SCALAR)
			k.reg[kernel->params.at[i].reg].at[0] = k.param[i];
	}
	kernel_emit_body(&k, kernel->body);
	LLVMBuildRetVoid(e->builder);
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

LLVMValueRef kernel_wrapper(struct emitter *e, const struct kernel *k, const char *symbol)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef inner_type, type = LLVMFunctionType(e->nothing, (LLVMTypeRef[]){e->ptr, e->ptr}, 2, 0);
	LLVMValueRef inner = kernel_function(e, k, &inner_type), f = LLVMAddFunction(e->module, symbol, type);
	LLVMValueRef *arguments = ARENA_ARRAY(e->arena, LLVMValueRef, k->params.n + 1);
	int buffers = 0, scalars = 0;
	emit_function_attributes(e, f);
	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(e->context, f, "entry"));
	for (int i = 0; i < k->params.n; i++) {
		bool is_scalar = k->params.at[i].kind == KP_SCALAR;
		LLVMValueRef index = emit_i64(e, is_scalar ? scalars++ : buffers++), table = LLVMGetParam(f, is_scalar);
		LLVMValueRef at = LLVMBuildInBoundsGEP2(b, is_scalar ? e->i64 : e->ptr, table, &index, 1, "");
		arguments[i] = is_scalar ? load_scalar(e, k->params.at[i].type, at) : LLVMBuildLoad2(b, e->ptr, at, "");
	}
	LLVMBuildCall2(b, inner_type, inner, arguments, (unsigned)k->params.n, "");
	LLVMBuildRetVoid(b);
	return f;
}
