/* math_divide.c — quotients by one divisor, what is left of a division, and roots. */
#include "math_parts.h"

#include <math.h>

/* Markstein: with r = 1/y rounded correctly and q = x r, q + r (x - q y) is the quotient rounded correctly. Where that
 * is not a number (infinities), or a zero, whose sign it may lack, q is the quotient already. A tiny y is scaled up
 * with x, lest 1/y overflow. */
LLVMValueRef math_divide_all(struct emitter *e, LLVMValueRef x, LLVMValueRef y)
{
	LLVMBuilderRef b = e->builder;
	int lanes = emit_lanes(LLVMTypeOf(x));
	LLVMValueRef one = math_constant(y, 1.0), size = emit_intrinsic1(e, "llvm.fabs", y);
	LLVMValueRef tiny = LLVMBuildFCmp(b, LLVMRealOLT, size, math_constant(y, 0x1p-64), "");
	LLVMValueRef scale = LLVMBuildSelect(b, tiny, math_constant(y, 0x1p64), one, "");
	LLVMValueRef scaled = LLVMBuildFMul(b, y, scale, ""), reciprocal = LLVMBuildFDiv(b, one, scaled, "");
	LLVMValueRef minus = emit_splat(e, LLVMBuildFNeg(b, scaled, ""), lanes), r = emit_splat(e, reciprocal, lanes);
	x = LLVMBuildFMul(b, x, emit_splat(e, scale, lanes), "");
	LLVMValueRef q = LLVMBuildFMul(b, x, r, ""), rest = emit_fma(e, q, minus, x);
	LLVMValueRef corrected = emit_fma(e, rest, r, q);
	LLVMValueRef lost = LLVMBuildFCmp(b, LLVMRealUEQ, corrected, math_constant(corrected, 0), "");
	return LLVMBuildSelect(b, lost, q, corrected, "");
}

/* x / y is no number of nine digits, for y times one has nine or more, and x has eight; nor is it nearer than 2^-17 of
 * it to one, for x and y times that are multiples of a unit. So x r, which is off by less than 2^-22, is on the same
 * side of all that lies halfway between numbers of bf16. Below 2^-126 f32 has fewer digits, but so does bf16: what lies
 * halfway there is reached exactly, or is farther away than the last digit. A tiny or huge y is scaled with x, so that
 * 1/y has all its digits; what x loses by that would be 0 or infinite anyway. */
LLVMValueRef math_divide_all_bf16(struct emitter *e, LLVMValueRef x, LLVMValueRef y)
{
	LLVMBuilderRef b = e->builder;
	int lanes = emit_lanes(LLVMTypeOf(x));
	LLVMValueRef one = math_constant(y, 1.0), size = emit_intrinsic1(e, "llvm.fabs", y);
	LLVMValueRef tiny = LLVMBuildFCmp(b, LLVMRealOLT, size, math_constant(y, 0x1p-100), "");
	LLVMValueRef huge = LLVMBuildFCmp(b, LLVMRealOGT, size, math_constant(y, 0x1p100), "");
	LLVMValueRef scale = LLVMBuildSelect(b, huge, math_constant(y, 0x1p-64), one, "");
	scale = LLVMBuildSelect(b, tiny, math_constant(y, 0x1p64), scale, "");
	LLVMValueRef reciprocal = LLVMBuildFDiv(b, one, LLVMBuildFMul(b, y, scale, ""), "");
	x = LLVMBuildFMul(b, x, emit_splat(e, scale, lanes), "");
	return LLVMBuildFMul(b, x, emit_splat(e, reciprocal, lanes), "");
}

/* With q the quotient rounded to nearest and cut to a whole number, which is at most 1 too large and hardly ever too
 * small, |x| - q |y| is exact as long as q has no more digits than a number of the type: what is below 0 is lifted by
 * |y|. Larger quotients, and where x or 1 / y is not finite, are the C library's. */
LLVMValueRef math_fmod(struct emitter *e, LLVMValueRef x, LLVMValueRef y)
{
	bool wide = math_is_f64(e, x);
	const char *library = wide ? "fmod" : "fmodf";
	if (!e->target->fma)
		return math_library(e, library, x, y);
	LLVMBuilderRef b = e->builder;
	LLVMValueRef ax = emit_intrinsic1(e, "llvm.fabs", x), ay = emit_intrinsic1(e, "llvm.fabs", y);
	LLVMValueRef q = emit_intrinsic1(e, "llvm.trunc", LLVMBuildFDiv(b, ax, ay, ""));
	LLVMValueRef rest = emit_fma(e, LLVMBuildFNeg(b, q, ""), ay, ax);
	LLVMValueRef below = LLVMBuildFCmp(b, LLVMRealOLT, rest, math_constant(x, 0.0), "");
	rest = LLVMBuildSelect(b, below, LLVMBuildFAdd(b, rest, ay, ""), rest, "");
	LLVMValueRef many = LLVMBuildFCmp(b, LLVMRealUGE, q, math_constant(x, wide ? 0x1p52 : 0x1p23), "");
	LLVMValueRef endless = LLVMBuildFCmp(b, LLVMRealUEQ, ay, math_constant(x, INFINITY), "");
	return math_unless(e, LLVMBuildOr(b, many, endless, ""), library, x, y, math_copy_sign(e, rest, x));
}

/* The machine's estimate of 1 / sqrt x, to 2^-14: the same for a scalar and in a vector. */
static LLVMValueRef estimated_rsqrt(struct emitter *e, LLVMValueRef x)
{
	bool wide = math_is_f64(e, x);
	int lanes = emit_lanes(LLVMTypeOf(x));
	if (!lanes) {
		LLVMValueRef all = emit_splat(e, x, wide ? 2 : 4), arguments[] = {all, all, all, emit_int(e->i8, -1)};
		const char *name = wide ? "llvm.x86.avx512.rsqrt14.sd" : "llvm.x86.avx512.rsqrt14.ss";
		return emit_lane(e, emit_intrinsic(e, name, NULL, 0, arguments, 4), 0);
	}
	if (wide && lanes == 16) {
		LLVMValueRef low = estimated_rsqrt(e, emit_half(e, x, false));
		return emit_joined(e, low, estimated_rsqrt(e, emit_half(e, x, true)));
	}
	LLVMValueRef arguments[] = {x, x, emit_int(wide ? e->i8 : e->i16, -1)};
	const char *name = wide ? "llvm.x86.avx512.rsqrt14.pd.512" : "llvm.x86.avx512.rsqrt14.ps.512";
	return emit_intrinsic(e, name, NULL, 0, arguments, 3);
}

/* 1 - x y^2, exact but for the last rounding, where y is near 1 / sqrt x. */
static LLVMValueRef rest_of_rsqrt(struct emitter *e, LLVMValueRef x, LLVMValueRef y)
{
	LLVMValueRef product = LLVMBuildFMul(e->builder, x, y, ""), minus = LLVMBuildFNeg(e->builder, product, "");
	LLVMValueRef lost = emit_fma(e, x, y, minus), rest = emit_fma(e, minus, y, math_constant(x, 1.0));
	return emit_fma(e, LLVMBuildFNeg(e->builder, lost, ""), y, rest);
}

/* By the machine's estimate and Newton's steps, the last with what is left to the second order. Where that is not a
 * number (zeros, infinity) the estimate is right. */
LLVMValueRef math_rsqrt(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef half = math_constant(x, 0.5), one = math_constant(x, 1.0);
	if (!e->target->scalef)
		return LLVMBuildFDiv(b, one, emit_intrinsic1(e, "llvm.sqrt", x), "");
	LLVMValueRef estimate = estimated_rsqrt(e, x), y = estimate;
	if (math_is_f64(e, x)) {
		LLVMValueRef minus = LLVMBuildFNeg(b, LLVMBuildFMul(b, x, y, ""), "");
		y = emit_fma(e, LLVMBuildFMul(b, y, half, ""), emit_fma(e, minus, y, one), y);
	}
	LLVMValueRef rest = rest_of_rsqrt(e, x, y);
	LLVMValueRef step = LLVMBuildFMul(b, rest, emit_fma(e, rest, math_constant(x, 0.375), half), "");
	y = emit_fma(e, y, step, y);
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUNO, rest, rest, ""), estimate, y, "");
}

/* Of vectors of f64, whose instruction holds one of two ports for 19 cycles: with y = (1 + a) / sqrt x, |a| <= 2^-14,
 * the machine's estimate, and e = 1 - x y^2, s = x y (1 + e/2 + 3/8 e^2) is off by 2^-40 of itself and so is, likewise,
 * t from 1 / sqrt x. The root is s + d / (s + sqrt x), d = x - s^2, so between s + d t (1/2 - 2^-33) and s + d t (1/2 +
 * 2^-33): where these round to the same number it is the root rounded correctly, however good the estimate is. Where
 * they do not, once in 2^17 times, or d may be subnormal, the instruction is taken, and so it is for zeros, infinity
 * and NaN, of which s is none. */
LLVMValueRef math_sqrt(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	if (!e->target->scalef || !math_is_f64(e, x) || !emit_lanes(LLVMTypeOf(x)))
		return emit_intrinsic1(e, "llvm.sqrt", x);
	LLVMValueRef y = estimated_rsqrt(e, x), s = LLVMBuildFMul(b, x, y, "");
	LLVMValueRef rest = emit_fma(e, LLVMBuildFNeg(b, s, ""), y, math_constant(x, 1.0));
	LLVMValueRef step = emit_fma(e, rest, math_constant(x, 0.375), math_constant(x, 0.5));
	step = LLVMBuildFMul(b, rest, step, "");
	s = emit_fma(e, s, step, s);
	LLVMValueRef t = emit_fma(e, y, step, y), d = emit_fma(e, LLVMBuildFNeg(b, s, ""), s, x);
	LLVMValueRef low = emit_fma(e, d, LLVMBuildFMul(b, t, math_constant(x, 0.5 - 0x1p-33), ""), s);
	LLVMValueRef high = emit_fma(e, d, LLVMBuildFMul(b, t, math_constant(x, 0.5 + 0x1p-33), ""), s);
	LLVMValueRef apart = LLVMBuildFCmp(b, LLVMRealUNE, low, high, "");
	LLVMValueRef tiny = LLVMBuildFCmp(b, LLVMRealULT, low, math_constant(x, 0x1p-480), "");
	struct math_branch rare = math_rarely(e, LLVMBuildOr(b, apart, tiny, ""));
	return math_mixed(e, &rare, emit_intrinsic1(e, "llvm.sqrt", x), low);
}

/* sqrt x = s + d y / 2, where y is 1 / sqrt x to 2^-14 (f64: 2^-27) and d what the square of s leaves of x. */
LLVMValueRef math_minus_two_roots(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef zero = math_constant(x, 0.0), minus_two = math_constant(x, -2.0);
	if (!e->target->scalef)
		return LLVMBuildFMul(b, emit_intrinsic1(e, "llvm.sqrt", x), minus_two, "");
	LLVMValueRef none = LLVMBuildFCmp(b, LLVMRealOEQ, x, zero, "");
	LLVMValueRef y = LLVMBuildSelect(b, none, zero, estimated_rsqrt(e, x), ""), s = LLVMBuildFMul(b, x, y, "");
	if (math_is_f64(e, x)) {
		LLVMValueRef half = math_constant(x, 0.5);
		LLVMValueRef rest = emit_fma(e, LLVMBuildFNeg(b, s, ""), LLVMBuildFMul(b, y, half, ""), half);
		s = emit_fma(e, s, rest, s);
		y = emit_fma(e, y, rest, y);
	}
	LLVMValueRef d = emit_fma(e, LLVMBuildFNeg(b, s, ""), s, x);
	return emit_fma(e, LLVMBuildFNeg(b, d, ""), y, LLVMBuildFMul(b, s, minus_two, ""));
}
