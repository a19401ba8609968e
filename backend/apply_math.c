/* apply_math.c — elementary functions (math.h), draws, and what sums are made of whose order does not matter. */
#include "apply_code.h"

#include "math.h"

#include <math.h>

#define OF_ONE(name) \
	LLVMValueRef code_##name(const struct application *a) \
	{ \
		return apply_rounded(a, math_##name(a->e, a->x[0])); \
	}
OF_ONE(exp)
OF_ONE(expm1)
OF_ONE(log)
OF_ONE(log1p)
OF_ONE(sqrt)
OF_ONE(rsqrt)
OF_ONE(tanh)
OF_ONE(erf)
OF_ONE(softplus)
OF_ONE(sigmoid)
OF_ONE(sin)
OF_ONE(cos)
OF_ONE(tan)
OF_ONE(asin)
OF_ONE(acos)
OF_ONE(erfinv)
OF_ONE(lgamma)
OF_ONE(normal_cdf)
#undef OF_ONE

LLVMValueRef code_pow(const struct application *a)
{
	return apply_rounded(a, math_pow(a->e, a->x[0], a->x[1]));
}

LLVMValueRef code_atan2(const struct application *a)
{
	return apply_rounded(a, math_atan2(a->e, a->x[0], a->x[1]));
}

/* ---- draws ---- */

LLVMValueRef code_random_bits(const struct application *a)
{
	LLVMTypeRef t = emit_type_like(emit_type(a->e, a->type, 0), LLVMTypeOf(a->x[0]));
	return LLVMBuildIntCast2(a->e->builder, random_bits(a->e, a->x[0], a->x[1]), t, 0, "");
}

LLVMValueRef code_random_uniform(const struct application *a)
{
	return apply_rounded(a, random_uniform(a->e, a->type, a->x[0], a->x[1]));
}

LLVMValueRef code_random_normal(const struct application *a)
{
	return apply_rounded(a, random_normal(a->e, a->type, a->x[0], a->x[1]));
}

static LLVMValueRef of_f64(const struct application *a, LLVMValueRef x)
{
	if (a->type == DT_F64)
		return x;
	LLVMTypeRef t = emit_type_like(a->e->f32, LLVMTypeOf(x));
	return apply_rounded(a, LLVMBuildFPTrunc(a->e->builder, x, t, ""));
}

LLVMValueRef code_random_gamma(const struct application *a)
{
	return of_f64(a, random_gamma(a->e, a->x[0], a->x[1], a->x[2]));
}

LLVMValueRef code_random_poisson(const struct application *a)
{
	return of_f64(a, random_poisson(a->e, a->x[0], a->x[1], a->x[2]));
}

LLVMValueRef code_random_position(const struct application *a)
{
	LLVMTypeRef t = emit_type_like(emit_type(a->e, a->type, 0), LLVMTypeOf(a->x[0]));
	return LLVMBuildIntCast2(a->e->builder, random_position(a->e, a->x[0], a->x[1], a->x[2]), t, 1, "");
}

LLVMValueRef code_fold_key(const struct application *a)
{
	return random_key(a->e, a->x[0], a->x[1]);
}

/* ---- sums in quanta ---- */

static LLVMValueRef as_bits(struct emitter *e, LLVMValueRef x)
{
	return LLVMBuildBitCast(e->builder, x, emit_type_like(e->i64, LLVMTypeOf(x)), "");
}

/* 1.5 times the power of two two above m's: the exponent is that of m, and 0 and denormals are as the least normal. */
LLVMValueRef code_sum_grid(const struct application *a)
{
	struct emitter *e = a->e;
	LLVMBuilderRef b = e->builder;
	LLVMValueRef m = emit_opaque(e, a->x[0]);
	LLVMTypeRef t = LLVMTypeOf(m), word = emit_type_like(e->i64, t);
	LLVMValueRef positive = LLVMBuildFCmp(b, LLVMRealOGT, m, emit_float(t, 0), "");
	LLVMValueRef room = LLVMBuildFCmp(b, LLVMRealOLT, m, emit_float(t, 0x1p1021), "");
	LLVMValueRef bits = as_bits(e, LLVMBuildSelect(b, positive, m, emit_float(t, 0), ""));
	LLVMValueRef shift = emit_int(word, 52), exponent = LLVMBuildLShr(b, bits, shift, "");
	exponent = LLVMBuildShl(b, LLVMBuildAdd(b, exponent, emit_int(word, 2), ""), shift, "");
	LLVMValueRef c = LLVMBuildOr(b, exponent, emit_int(word, INT64_C(1) << 51), "");
	return LLVMBuildSelect(b, room, LLVMBuildBitCast(b, c, t, ""), emit_float(t, NAN), "");
}

LLVMValueRef code_quanta(const struct application *a)
{
	struct emitter *e = a->e;
	LLVMValueRef x = a->x[0], c = a->x[1];
	LLVMValueRef t = LLVMBuildFAdd(e->builder, x, c, "");
	return LLVMBuildSub(e->builder, as_bits(e, t), as_bits(e, c), "");
}

LLVMValueRef code_of_quanta(const struct application *a)
{
	struct emitter *e = a->e;
	LLVMValueRef n = a->x[0], c = a->x[1];
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(c);
	LLVMValueRef bits = as_bits(e, c), next = LLVMBuildAdd(b, bits, emit_int(LLVMTypeOf(bits), 1), "");
	LLVMValueRef unit = LLVMBuildFSub(b, LLVMBuildBitCast(b, next, t, ""), c, "");
	return LLVMBuildFMul(b, LLVMBuildSIToFP(b, n, t, ""), unit, "");
}
