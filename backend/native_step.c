/* native_step.c — steps that stand in the turn of a loop that is code: see native_emit.h. What is computed is what the
 * kernels compute alone, bit for bit, and what is wrong the runtime says in the words of the walk. */
#include "native_emit.h"

#include "kernel_function.h"

static void emit_kernel(struct native *n, int step)
{
	const struct plan_step *s = &n->plan->steps.at[step];
	const struct kernel *k = s->kernel;
	LLVMValueRef *arguments = ARENA_ARRAY(n->e->arena, LLVMValueRef, k->params.n + 1);
	int buffers = 0, scalars = 0;
	for (int i = 0; i < k->params.n; i++) {
		if (k->params.at[i].kind == KP_SCALAR) {
			arguments[i] = native_scalar(n, step, scalars++, k->params.at[i].type);
			continue;
		}
		int64_t from = plan_step_from(s, buffers) * dtype_size(k->params.at[i].type);
		arguments[i] = native_address(n, s->buffers.at[buffers++], from);
	}
	kernel_inline(n->e, k, arguments);
}

static void emit_copy(struct native *n, const struct plan_step *s)
{
	int64_t to = buffer_size(&n->plan->buffers.at[s->dst]), from = buffer_size(&n->plan->buffers.at[s->src]);
	LLVMBuildMemCpy(n->e->builder, native_address(n, s->dst, 0), 1, native_address(n, s->src, 0), 1,
			emit_i64(n->e, from < to ? from : to));
}

/* Whether the number is as asked (runtime/asked.def), as runtime/indices.c finds it. */
static LLVMValueRef is_as_asked(const struct native *n, const struct plan_check *c, LLVMValueRef v)
{
	LLVMBuilderRef b = n->e->builder;
	LLVMValueRef extent = emit_i64(n->e, c->extent), zero = emit_i64(n->e, 0), from = v;
	switch (c->asked) {
	case ASKED_NOT_ZERO:
		return LLVMBuildICmp(b, LLVMIntNE, v, zero, "");
	case ASKED_WITHIN:
	case ASKED_FITS:
		from = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, v, zero, ""), LLVMBuildAdd(b, v, extent, ""), v,
				       "");
		break;
	case ASKED_NATURAL:
		from = LLVMBuildLShr(b, v, emit_i64(n->e, 1), "");
		break;
	default:
		break;
	}
	return LLVMBuildICmp(b, LLVMIntULT, from, extent, "");
}

/* What is proved is told to passes, which cannot see why: so what reads at it need not look whether it is there. */
static void emit_proved(struct native *n, const struct plan_step *s)
{
	LLVMBuilderRef b = n->e->builder;
	enum dtype t = n->plan->buffers.at[s->src].type;
	LLVMValueRef v = LLVMBuildLoad2(b, emit_storage_type(n->e, t), native_address(n, s->src, 0), "");
	LLVMValueRef wide = LLVMBuildIntCast2(b, v, n->e->i64, dtype_kind(t) == DTYPE_INT, "");
	LLVMValueRef inside = LLVMBuildICmp(b, LLVMIntULT, wide, emit_i64(n->e, s->check->extent), "");
	emit_intrinsic(n->e, "llvm.assume", NULL, 0, &inside, 1);
	LLVMBuildStore(b, v, native_address(n, s->dst, 0));
}

/* What is wrong the runtime says, and ends the job. */
static void emit_check(struct native *n, const struct plan_step *s)
{
	struct emitter *e = n->e;
	LLVMBuilderRef b = e->builder;
	const struct plan_check *c = s->check;
	enum dtype t = n->plan->buffers.at[s->src].type;
	LLVMTypeRef type = emit_storage_type(e, t);
	LLVMBasicBlockRef wrong = emit_block(e, "wrong"), right = emit_block(e, "right");
	LLVMValueRef v = LLVMBuildLoad2(b, type, native_address(n, s->src, 0), "");
	LLVMValueRef wide = LLVMBuildIntCast2(b, v, e->i64, dtype_kind(t) == DTYPE_INT, "");
	LLVMBuildCondBr(b, is_as_asked(n, c, wide), right, wrong);
	LLVMPositionBuilderAtEnd(b, wrong);
	LLVMValueRef at = emit_alloca(e, type, "wrong");
	LLVMBuildStore(b, v, at);
	LLVMValueRef arguments[] = {n->rt,
				    emit_i64(e, c->type),
				    at,
				    at,
				    emit_i64(e, 1),
				    emit_i64(e, c->extent),
				    emit_i64(e, c->asked),
				    emit_i64(e, c->site)};
	abi_call(e, "check_indices", arguments, 8);
	LLVMBuildUnreachable(b);
	LLVMPositionBuilderAtEnd(b, right);
	if (c->asked == ASKED_WITHIN) {
		LLVMValueRef is_negative = LLVMBuildICmp(b, LLVMIntSLT, wide, emit_i64(e, 0), "");
		LLVMValueRef from_end = LLVMBuildAdd(b, wide, emit_i64(e, c->extent), "");
		v = LLVMBuildIntCast2(b, LLVMBuildSelect(b, is_negative, from_end, wide, ""), type, 1, "");
	}
	LLVMBuildStore(b, v, native_address(n, s->dst, 0));
}

/* To where the region's result goes. */
static void emit_result(struct native *n, int step)
{
	int result = n->plan->steps.at[step].result;
	LLVMValueRef v = native_scalar(n, step, 0, cell_dtype(n->region->results.at[result]));
	LLVMBuildStore(n->e->builder, v, n->results[result]);
}

void native_step(struct native *n, int step)
{
	const struct plan_step *s = &n->plan->steps.at[step];
	switch (s->kind) {
	case STEP_COPY:
		emit_copy(n, s);
		break;
	case STEP_CHECK:
		(s->check->is_proved ? emit_proved : emit_check)(n, s);
		break;
	case STEP_RESULT:
		emit_result(n, step);
		break;
	default:
		emit_kernel(n, step);
		break;
	}
}
