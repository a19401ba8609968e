/* math_pow.c — x^y as exp(y log |x|). y log |x| needs ten bits more than the result has: f32 is computed in f64; for
 * f64 the logarithm and its product by y are sums of two numbers (Dekker, 1971), whose low parts fused multiply-adds
 * give. */
#include "math_parts.h"

#include <math.h>

/* high + low, where low is what high was rounded by. */
struct two {
	LLVMValueRef high, low;
};

static LLVMValueRef add(const struct emitter *e, LLVMValueRef x, LLVMValueRef y)
{
	return LLVMBuildFAdd(e->builder, x, y, "");
}

static LLVMValueRef subtract(const struct emitter *e, LLVMValueRef x, LLVMValueRef y)
{
	return LLVMBuildFSub(e->builder, x, y, "");
}

static struct two product(struct emitter *e, LLVMValueRef x, LLVMValueRef y)
{
	LLVMValueRef high = LLVMBuildFMul(e->builder, x, y, "");
	return (struct two){high, emit_fma(e, x, y, LLVMBuildFNeg(e->builder, high, ""))};
}

/* x + y + rest, |x| >= |y| or x = 0; rest, which is some units of the last place of x, is in the low part. */
static struct two sum(struct emitter *e, LLVMValueRef x, LLVMValueRef y, LLVMValueRef rest)
{
	LLVMValueRef high = add(e, x, y);
	return (struct two){high, add(e, subtract(e, y, subtract(e, high, x)), rest)};
}

/* log x to some 2^-68 of itself, x positive and finite: with s = f / (2 + f) in two parts it is n ln 2 + 2 s + 2/3 s^3
 * + s^5 P(s^2), of which all but the last are in two parts. */
static struct two logarithm(struct emitter *e, LLVMValueRef x)
{
	static const double c[] = {0x1.999999999999ap-2, 0x1.2492492492523p-2, 0x1.c71c71c6ea203p-3,
				   0x1.745d177afef25p-3, 0x1.3b1395a96d2cbp-3, 0x1.1118cffb2d49ap-3,
				   0x1.df7b30caae976p-4, 0x1.e03e3af5c2272p-4};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef n, f = math_split(e, x, &n), two = math_constant(x, 2.0), half = math_constant(x, 0.5);
	LLVMValueRef d = add(e, f, two), d_low = subtract(e, f, subtract(e, d, two));
	LLVMValueRef s = LLVMBuildFDiv(b, f, d, ""), minus = LLVMBuildFNeg(b, s, "");
	LLVMValueRef rest = emit_fma(e, minus, d_low, emit_fma(e, minus, d, f));
	LLVMValueRef s_low = LLVMBuildFMul(b, rest, emit_fma(e, minus, half, half), ""); /* 1 / d is (1 - s) / 2 */
	struct two z = product(e, s, s);
	z.low = emit_fma(e, add(e, s, s), s_low, z.low);
	struct two cube = product(e, z.high, s);
	cube.low = emit_fma(e, z.high, s_low, emit_fma(e, z.low, s, cube.low));
	struct two third = product(e, cube.high, math_constant(x, 0x1.5555555555555p-1));
	third.low = emit_fma(e, cube.high, math_constant(x, 0x1.5555555555555p-55),
			     emit_fma(e, cube.low, math_constant(x, 0x1.5555555555555p-1), third.low));
	LLVMValueRef fifth = LLVMBuildFMul(b, cube.high, z.high, "");
	third.low = emit_fma(e, fifth, math_polynomial(e, z.high, c, 8), third.low);
	struct two y = sum(e, add(e, s, s), third.high, add(e, add(e, s_low, s_low), third.low));
	struct two scale = product(e, n, math_constant(x, 0x1.62e42fefa39efp-1));
	scale.low = emit_fma(e, n, math_constant(x, 0x1.abc9e3b39803fp-56), scale.low);
	return sum(e, scale.high, y.high, add(e, scale.low, y.low));
}

static LLVMValueRef power64(struct emitter *e, LLVMValueRef x, LLVMValueRef y)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef a = emit_intrinsic1(e, "llvm.fabs", x), infinity = math_constant(x, INFINITY),
		     zero = math_constant(x, 0.0);
	struct two log = logarithm(e, a);
	log.high = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, a, zero, ""), math_constant(x, -INFINITY), log.high,
				   "");
	LLVMValueRef finite = LLVMBuildFCmp(b, LLVMRealOLT, a, infinity, "");
	log.high = LLVMBuildSelect(b, finite, log.high, a, "");
	struct two p = product(e, y, log.high);
	p.low = emit_fma(e, y, log.low, p.low);
	LLVMValueRef size = emit_intrinsic1(e, "llvm.fabs", p.high);
	LLVMValueRef near = LLVMBuildFCmp(b, LLVMRealOLT, size, math_constant(x, 1000.0), "");
	return math_exp_sum(e, p.high, LLVMBuildSelect(b, near, p.low, zero, ""));
}

/* What Annex F says of pow beyond exp(y log |x|): signs, and the cases where one argument decides. */
static LLVMValueRef pow_special(struct emitter *e, LLVMValueRef x, LLVMValueRef y, LLVMValueRef r)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef it = math_bits_type(e, x);
	LLVMValueRef zero = math_constant(x, 0.0), one = math_constant(x, 1.0), infinity = math_constant(x, INFINITY);
	LLVMValueRef half = LLVMBuildFMul(b, y, math_constant(x, 0.5), "");
	LLVMValueRef whole = LLVMBuildFCmp(b, LLVMRealOEQ, emit_intrinsic1(e, "llvm.floor", y), y, "");
	LLVMValueRef odd = LLVMBuildFCmp(b, LLVMRealONE, emit_intrinsic1(e, "llvm.floor", half), half, "");
	LLVMValueRef signed_x = LLVMBuildICmp(b, LLVMIntSLT, LLVMBuildBitCast(b, x, it, ""), emit_int(it, 0), "");
	LLVMValueRef flip = LLVMBuildAnd(b, signed_x, LLVMBuildAnd(b, whole, odd, ""), "");
	r = LLVMBuildSelect(b, flip, LLVMBuildFNeg(b, r, ""), r, "");
	LLVMValueRef below = LLVMBuildAnd(b, LLVMBuildFCmp(b, LLVMRealOLT, x, zero, ""),
					  LLVMBuildFCmp(b, LLVMRealOGT, x, math_constant(x, -INFINITY), ""), "");
	LLVMValueRef bad = LLVMBuildAnd(b, below, LLVMBuildNot(b, whole, ""), "");
	r = LLVMBuildSelect(b, bad, math_constant(x, NAN), r, "");
	LLVMValueRef unit =
		LLVMBuildAnd(b, LLVMBuildFCmp(b, LLVMRealOEQ, x, math_constant(x, -1.0), ""),
			     LLVMBuildFCmp(b, LLVMRealOEQ, emit_intrinsic1(e, "llvm.fabs", y), infinity, ""), "");
	LLVMValueRef sure = LLVMBuildOr(b, LLVMBuildFCmp(b, LLVMRealOEQ, y, zero, ""),
					LLVMBuildFCmp(b, LLVMRealOEQ, x, one, ""), "");
	return LLVMBuildSelect(b, LLVMBuildOr(b, sure, unit, ""), one, r, "");
}

LLVMValueRef math_pow(struct emitter *e, LLVMValueRef x, LLVMValueRef y)
{
	LLVMBuilderRef b = e->builder;
	if (math_is_f64(e, x))
		return e->target->fma ? pow_special(e, x, y, power64(e, x, y)) : math_library(e, "pow", x, y);
	LLVMTypeRef t = LLVMTypeOf(x), wide = emit_type_like(e->f64, t);
	LLVMValueRef log = math_log(e, LLVMBuildFPExt(b, emit_intrinsic1(e, "llvm.fabs", x), wide, ""));
	LLVMValueRef power = LLVMBuildFMul(b, LLVMBuildFPExt(b, y, wide, ""), log, "");
	return pow_special(e, x, y, LLVMBuildFPTrunc(b, math_exp(e, power), t, ""));
}
