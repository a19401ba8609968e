/* region.c — one function per region and role: the steps of the plan in order. Addresses of buffers are computed once
 * at the start; then nothing is looked up, nothing allocated, and the runtime is called only where the plan says. While
 * transfers are under way, the runtime gets a chance to move them on after every computation. */
#include "program_emit.h"

#include "apply.h"
#include "debug.h"
#include "kernel_function.h"

#include <string.h>

struct region_emitter {
	struct program_emitter *p;
	struct emitter *e;
	const struct region *region;
	const struct plan *plan;
	LLVMValueRef function, rt, *buffer;
	int pending; /* transfers begun and not ended */
};

LLVMTypeRef host_llvm_type(const struct emitter *e, enum host_type t)
{
	switch (t) {
	case HOST_VOID:
		return e->nothing;
	case HOST_INT:
	case HOST_KEY:
		return e->i64;
	case HOST_FLOAT:
		return e->f64;
	case HOST_BOOL:
		return e->i1;
	case HOST_TEXT:
	case HOST_HANDLE:
		return e->ptr;
	}
	return e->nothing;
}

enum dtype host_dtype(enum host_type t)
{
	switch (t) {
	case HOST_FLOAT:
		return DT_F64;
	case HOST_BOOL:
		return DT_BOOL;
	case HOST_KEY:
		return DT_U64;
	case HOST_INT:
	case HOST_VOID:
	case HOST_TEXT:
	case HOST_HANDLE:
		break;
	}
	return DT_I64;
}

static LLVMValueRef call(struct region_emitter *r, const char *name, LLVMValueRef *arguments, int n)
{
	return abi_call(r->e, name, arguments, n);
}

static LLVMValueRef number(struct region_emitter *r, int64_t v)
{
	return emit_i64(r->e, v);
}

/* Argument i of the region; results follow the arguments. */
static LLVMValueRef argument(struct region_emitter *r, int i)
{
	return LLVMGetParam(r->function, (unsigned)i + 1);
}

/* n / k + (c < n % k), and c * (n / k) + min(c, n % k): shard_count and shard_begin of runtime/shard.h. */
static LLVMValueRef shard_count_of(struct region_emitter *r, LLVMValueRef n, int64_t k, LLVMValueRef c)
{
	LLVMBuilderRef b = r->e->builder;
	LLVMValueRef more = LLVMBuildICmp(b, LLVMIntSLT, c, LLVMBuildSRem(b, n, number(r, k), ""), "");
	return LLVMBuildAdd(b, LLVMBuildSDiv(b, n, number(r, k), ""), LLVMBuildZExt(b, more, r->e->i64, ""), "");
}

static LLVMValueRef shard_begin_of(struct region_emitter *r, LLVMValueRef n, int64_t k, LLVMValueRef c)
{
	LLVMBuilderRef b = r->e->builder;
	LLVMValueRef rest = LLVMBuildSRem(b, n, number(r, k), "");
	LLVMValueRef extra = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, c, rest, ""), c, rest, "");
	return LLVMBuildAdd(b, LLVMBuildMul(b, c, LLVMBuildSDiv(b, n, number(r, k), ""), ""), extra, "");
}

/* First global index of this rank's shard: shard_box of runtime/shard.h for one dimension, outer axes first. */
static LLVMValueRef shard_origin(struct region_emitter *r, const struct placed_type *t, int dim)
{
	LLVMValueRef begin = number(r, 0), n = number(r, t->shape.dim[dim]);
	for (int a = 0; t->place && a < t->place->naxes; a++) {
		if (t->layout.atom[a].kind != SHARD_S || t->layout.atom[a].dim != dim)
			continue;
		LLVMValueRef c =
			call(r, "coordinate", (LLVMValueRef[]){r->rt, number(r, t->place->id), number(r, a)}, 3);
		begin = LLVMBuildAdd(r->e->builder, begin, shard_begin_of(r, n, t->place->extent[a], c), "");
		n = shard_count_of(r, n, t->place->extent[a], c);
	}
	return begin;
}

static LLVMValueRef cast(struct region_emitter *r, LLVMValueRef v, enum dtype from, enum dtype to)
{
	return from == to ? v : apply_function(r->e, SC_CAST, to, from, &v);
}

/* The value of a scalar in its own type. */
static LLVMValueRef scalar(struct region_emitter *r, const struct plan_scalar *s)
{
	LLVMBuilderRef b = r->e->builder;
	switch (s->kind) {
	case OPERAND_ARGUMENT:
		return cast(r, argument(r, s->argument), host_dtype(r->region->arguments.at[s->argument]), s->type);
	case OPERAND_CONST:
		return emit_number(r->e, s->type, s->number, 0);
	case OPERAND_ORIGIN:
		return cast(r, shard_origin(r, &r->p->program->types.at[s->origin.type], s->origin.dim), DT_I64,
			    s->type);
	case OPERAND_ELEMENT: {
		enum dtype from = r->plan->buffers.at[s->argument].type;
		LLVMValueRef v = LLVMBuildLoad2(b, emit_storage_type(r->e, from), r->buffer[s->argument], "");
		return cast(r, emit_unpack(r->e, from, v), from, s->type);
	}
	}
	return NULL;
}

/* Where buffer b lives; NULL pointer for "none". */
static LLVMValueRef buffer(struct region_emitter *r, int b)
{
	return b < 0 ? LLVMConstNull(r->e->ptr) : r->buffer[b];
}

static LLVMValueRef at_byte(struct region_emitter *r, LLVMValueRef base, int64_t bytes)
{
	LLVMValueRef index = number(r, bytes);
	return bytes ? LLVMBuildInBoundsGEP2(r->e->builder, r->e->i8, base, &index, 1, "") : base;
}

static void find_buffers(struct region_emitter *r)
{
	LLVMValueRef arena = NULL;
	r->buffer = ARENA_ARRAY(r->e->arena, LLVMValueRef, r->plan->buffers.n + 1);
	for (int i = 0; i < r->plan->buffers.n; i++) {
		const struct buffer *b = &r->plan->buffers.at[i];
		if (b->kind == BUFFER_SLOT) {
			r->buffer[i] = call(r, "slot", (LLVMValueRef[]){r->rt, number(r, b->slot)}, 2);
		} else {
			arena = arena ? arena : call(r, "arena", &r->rt, 1);
			r->buffer[i] = at_byte(r, arena, b->offset);
		}
		if (b->name)
			LLVMSetValueName2(r->buffer[i], b->name, strlen(b->name));
	}
}

static void poke(struct region_emitter *r)
{
	if (r->pending > 0)
		call(r, "poke", &r->rt, 1);
}

static void emit_kernel(struct region_emitter *r, const struct plan_step *s)
{
	const struct kernel *k = s->kernel;
	LLVMTypeRef type;
	LLVMValueRef f = kernel_function(r->e, k, &type);
	LLVMValueRef *arguments = ARENA_ARRAY(r->e->arena, LLVMValueRef, k->params.n + 1);
	int buffers = 0, scalars = 0;
	for (int i = 0; i < k->params.n; i++) {
		if (k->params.at[i].kind != KP_SCALAR) {
			BUG_IF(buffers >= s->buffers.n, "step %s passes too few buffers", s->name ? s->name : "");
			arguments[i] = buffer(r, s->buffers.at[buffers++]);
			continue;
		}
		BUG_IF(scalars >= s->scalars.n, "step %s passes too few scalars", s->name ? s->name : "");
		const struct plan_scalar *from = &s->scalars.at[scalars++];
		arguments[i] = cast(r, scalar(r, from), from->type, k->params.at[i].type);
	}
	LLVMBuildCall2(r->e->builder, type, f, arguments, (unsigned)k->params.n, "");
	poke(r);
}

static LLVMValueRef gemm_operand(struct region_emitter *r, int b, int64_t offset, enum dtype t)
{
	return at_byte(r, buffer(r, b), offset * dtype_size(t));
}

/* The runtime's function; its eleventh argument is a factor of C, or whether C is added to. */
static void call_gemm(struct region_emitter *r, const struct plan_gemm *g, LLVMValueRef *arguments, size_t n)
{
	bool adds = g->beta.kind == OPERAND_CONST && g->beta.number.f == 1;
	if (g->exact)
		arguments[10] = number(r, adds);
	if (g->type == DT_F32)
		call(r, g->exact ? "contract_exact_f32" : "gemm_f32", arguments, n);
	else
		call(r, g->exact ? "contract_exact_f64" : "gemm_f64", arguments, n);
}

static void emit_gemm(struct region_emitter *r, const struct plan_gemm *g)
{
	BUG_IF(g->type != DT_F32 && g->type != DT_F64, "no contraction kernel for %s", dtype_text(g->type));
	LLVMValueRef alpha = cast(r, scalar(r, &g->alpha), g->alpha.type, g->exact ? DT_F64 : g->type);
	LLVMValueRef beta = cast(r, scalar(r, &g->beta), g->beta.type, g->type);
	LLVMValueRef arguments[] = {
		number(r, g->ta),
		number(r, g->tb),
		number(r, g->m),
		number(r, g->n),
		number(r, g->k),
		alpha,
		gemm_operand(r, g->a, g->offset_a, g->type),
		number(r, g->lda),
		gemm_operand(r, g->b, g->offset_b, g->type),
		number(r, g->ldb),
		beta,
		gemm_operand(r, g->c, g->offset_c, g->exact ? DT_I64 : g->type),
		number(r, g->ldc),
		number(r, g->batch),
		number(r, g->stride_a),
		number(r, g->stride_b),
		number(r, g->stride_c),
	};
	call_gemm(r, g, arguments, sizeof arguments / sizeof arguments[0]);
	poke(r);
}

static void emit_sorted(struct region_emitter *r, const struct plan_step *s)
{
	LLVMValueRef arguments[] = {
		number(r, s->sorted.type),
		number(r, s->sorted.down),
		number(r, s->sorted.outer),
		number(r, s->sorted.n),
		number(r, s->sorted.inner),
		buffer(r, s->src),
		buffer(r, s->dst),
	};
	call(r, "ranking", arguments, sizeof arguments / sizeof arguments[0]);
	poke(r);
}

static void emit_copy(struct region_emitter *r, const struct plan_step *s)
{
	const struct buffer *src = &r->plan->buffers.at[s->src], *dst = &r->plan->buffers.at[s->dst];
	int64_t n = dst->elements < src->elements ? dst->elements : src->elements;
	if (n > 0)
		LLVMBuildMemCpy(r->e->builder, buffer(r, s->dst), 64, buffer(r, s->src), 64,
				number(r, n * dtype_size(dst->type)));
}

static void emit_result(struct region_emitter *r, const struct plan_step *s)
{
	enum host_type to = r->region->results.at[s->result];
	LLVMValueRef v = cast(r, scalar(r, &s->scalars.at[0]), s->scalars.at[0].type, host_dtype(to));
	LLVMBuildStore(r->e->builder, v, argument(r, r->region->arguments.n + s->result));
}

static void emit_step(struct region_emitter *r, const struct plan_step *s)
{
	debug_line(r->e, s->span);
	switch (s->kind) {
	case STEP_KERNEL:
		emit_kernel(r, s);
		break;
	case STEP_GEMM:
		emit_gemm(r, &s->gemm);
		break;
	case STEP_SORTED:
		emit_sorted(r, s);
		break;
	case STEP_TRANSFER_BEGIN:
		call(r, "transfer_begin",
		     (LLVMValueRef[]){r->rt, number(r, s->transfer), buffer(r, s->src), buffer(r, s->dst)}, 4);
		r->pending++;
		break;
	case STEP_TRANSFER_END:
		call(r, "transfer_end", (LLVMValueRef[]){r->rt, number(r, s->transfer)}, 2);
		r->pending--;
		break;
	case STEP_BATCH_READ:
		call(r, "batch_read",
		     (LLVMValueRef[]){r->rt, argument(r, s->argument), number(r, s->field), number(r, s->type),
				      buffer(r, s->dst)},
		     5);
		break;
	case STEP_COPY:
		emit_copy(r, s);
		break;
	case STEP_RESULT:
		emit_result(r, s);
		break;
	}
}

static LLVMTypeRef region_type(struct program_emitter *p, const struct region *region)
{
	int n = 0;
	LLVMTypeRef *parameters = ARENA_ARRAY(p->e->arena, LLVMTypeRef, region->arguments.n + region->results.n + 1);
	parameters[n++] = p->e->ptr;
	for (int i = 0; i < region->arguments.n; i++)
		parameters[n++] = host_llvm_type(p->e, region->arguments.at[i]);
	for (int i = 0; i < region->results.n; i++)
		parameters[n++] = p->e->ptr;
	return LLVMFunctionType(p->e->nothing, parameters, (unsigned)n, 0);
}

static void emit_body(struct region_emitter *r)
{
	struct program_emitter *p = r->p;
	LLVMValueRef id = emit_i64(r->e, r->region->id);
	LLVMPositionBuilderAtEnd(r->e->builder, LLVMAppendBasicBlockInContext(r->e->context, r->function, "entry"));
	debug_function(r->e, r->function, r->region->name ? r->region->name : "region", r->region->span);
	call(r, "region_begin", (LLVMValueRef[]){r->rt, id}, 2);
	for (int i = 0; i < r->region->results.n; i++)
		LLVMBuildStore(r->e->builder, LLVMConstNull(host_llvm_type(r->e, r->region->results.at[i])),
			       argument(r, r->region->arguments.n + i));
	const struct role *role = p->program->roles.at[p->role];
	r->plan = role->plans ? role->plans[r->region->id] : NULL;
	if (r->plan) {
		find_buffers(r);
		for (int i = 0; i < r->plan->steps.n; i++)
			emit_step(r, &r->plan->steps.at[i]);
	}
	call(r, "region_end", (LLVMValueRef[]){r->rt, id}, 2);
	LLVMBuildRetVoid(r->e->builder);
}

LLVMValueRef region_function(struct program_emitter *p, int region)
{
	if (p->region[region])
		return p->region[region];
	struct region_emitter r = {.p = p, .e = p->e, .region = p->program->regions.at[region]};
	struct emit_place place = emit_leave(p->e);
	p->region_type[region] = region_type(p, r.region);
	const char *name = arena_printf(p->e->arena, "region.%s", r.region->name ? r.region->name : "unnamed");
	r.function = p->region[region] = LLVMAddFunction(p->e->module, name, p->region_type[region]);
	LLVMSetLinkage(r.function, LLVMInternalLinkage);
	emit_function_attributes(p->e, r.function);
	emit_attribute(p->e, r.function, (unsigned)LLVMAttributeFunctionIndex, "noinline", 0);
	r.rt = LLVMGetParam(r.function, 0);
	emit_body(&r);
	emit_return(p->e, &place);
	return r.function;
}
