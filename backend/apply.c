/* apply.c — a function of scalar.def as LLVM IR, on scalars or vectors alike; its meaning is that of its record in
 * compiler/op/scalars/, undefined corners included (x / 0 is 0, NaN becomes the integer 0, max and min hand a NaN on).
 * bf16 and f16 are computed in f32 and rounded after every function. */
#include "apply_code.h"

/* To bf16, ties to even; NaN stays NaN. */
static LLVMValueRef round_bf16(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(x), word = emit_type_like(e->i32, t);
	LLVMValueRef bits = LLVMBuildBitCast(b, x, word, "");
	LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, emit_int(word, 16), ""), emit_int(word, 1), "");
	LLVMValueRef up = LLVMBuildAdd(b, bits, LLVMBuildAdd(b, odd, emit_int(word, 0x7fff), ""), "");
	LLVMValueRef nan = LLVMBuildFCmp(b, LLVMRealUNO, x, x, "");
	LLVMValueRef quiet = LLVMBuildOr(b, bits, emit_int(word, 0x400000), "");
	bits = LLVMBuildAnd(b, LLVMBuildSelect(b, nan, quiet, up, ""), emit_int(word, 0xffff0000), "");
	return LLVMBuildBitCast(b, bits, t, "");
}

LLVMValueRef apply_rounded(const struct application *a, LLVMValueRef x)
{
	struct emitter *e = a->e;
	if (a->type == DT_BF16)
		return round_bf16(e, x);
	if (a->type == DT_F16) {
		LLVMTypeRef half = emit_type_like(e->f16, LLVMTypeOf(x));
		return LLVMBuildFPExt(e->builder, LLVMBuildFPTrunc(e->builder, x, half, ""), LLVMTypeOf(x), "");
	}
	return x;
}

LLVMValueRef apply_function(struct emitter *e, enum scalar_fn fn, enum dtype type, enum dtype from,
			    const LLVMValueRef *x)
{
	static application_code *const code[SC_FN_COUNT] = {
#define SCALAR(NAME, name) [SC_##NAME] = code_##name,
#include "../compiler/op/scalar.def"
#undef SCALAR
	};
	BUG_IF(fn >= SC_FN_COUNT, "no scalar function has the number %d", (int)fn);
	const struct application a = {.e = e,
				      .type = type,
				      .from = from,
				      .is_float = dtype_is_float(type),
				      .is_bool = type == DT_BOOL,
				      .is_signed = dtype_kind(type) == DTYPE_INT,
				      .x = x};
	return code[fn](&a);
}
