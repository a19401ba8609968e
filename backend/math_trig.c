/* math_trig.c — sin, cos, atan2, asin and acos, and calls of the C library lane by lane.
 * The argument is reduced in f64: x = n pi/2 + r, |r| <= pi/4, which is exact enough for f32 up to 2^28 (2^18 without
 * fused multiply-add); lanes beyond go to the C library, in a branch that is hardly ever taken. */
#include "math.h"

#include <string.h>

static LLVMValueRef sin_polynomial(struct emitter *e, LLVMValueRef r, LLVMValueRef z)
{
	static const double c[] = {-0.166666666, 0.00833332928, -0.000198393044, 2.71804645e-06};
	return emit_fma(e, LLVMBuildFMul(e->builder, z, r, ""), math_polynomial(e, z, c, 4), r);
}

static LLVMValueRef cos_polynomial(struct emitter *e, LLVMValueRef z)
{
	static const double c[] = {0.0416666666, -0.00138888835, 2.47994516e-05, -2.72050463e-07};
	LLVMTypeRef t = LLVMTypeOf(z);
	LLVMValueRef head = emit_fma(e, z, emit_float(t, -0.5), emit_float(t, 1.0));
	return emit_fma(e, LLVMBuildFMul(e->builder, z, z, ""), math_polynomial(e, z, c, 4), head);
}

/* sin(r + quadrant * pi/2), f32; quadrant is i32, only its two low bits count. */
static LLVMValueRef sin_in_quadrant(struct emitter *e, LLVMValueRef r, LLVMValueRef quadrant)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(r), it = LLVMTypeOf(quadrant);
	LLVMValueRef z = LLVMBuildFMul(b, r, r, ""), zero = emit_int(it, 0);
	LLVMValueRef even = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildAnd(b, quadrant, emit_int(it, 1), ""), zero, "");
	LLVMValueRef y = LLVMBuildSelect(b, even, sin_polynomial(e, r, z), cos_polynomial(e, z), "");
	LLVMValueRef sign = LLVMBuildShl(b, LLVMBuildAnd(b, quadrant, emit_int(it, 2), ""), emit_int(it, 30), "");
	return LLVMBuildBitCast(b, LLVMBuildXor(b, LLVMBuildBitCast(b, y, it, ""), sign, ""), t, "");
}

/* r in f32 and the quadrant in i32. */
static LLVMValueRef reduce(struct emitter *e, LLVMValueRef x, LLVMValueRef *quadrant)
{
	static const double part[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(x), wide = emit_type_like(e->f64, t);
	LLVMValueRef d = LLVMBuildFPExt(b, x, wide, ""), rounder = emit_float(wide, 0x1.8p52);
	LLVMValueRef rounded =
		LLVMBuildFAdd(b, LLVMBuildFMul(b, d, emit_float(wide, 0.63661977236758138), ""), rounder, "");
	LLVMValueRef n = LLVMBuildFSub(b, rounded, rounder, "");
	for (int i = 0; i < 3; i++)
		d = emit_fma(e, n, emit_float(wide, -part[i]), d);
	LLVMValueRef bits = LLVMBuildBitCast(b, rounded, emit_type_like(e->i64, t), "");
	*quadrant = LLVMBuildTrunc(b, bits, emit_type_like(e->i32, t), "");
	return LLVMBuildFPTrunc(b, d, t, "");
}

static LLVMValueRef any_lane(struct emitter *e, LLVMValueRef mask)
{
	if (!emit_lanes(LLVMTypeOf(mask)))
		return mask;
	return emit_intrinsic1(e, "llvm.vector.reduce.or", mask);
}

static LLVMValueRef trigonometric(struct emitter *e, LLVMValueRef x, int quarter_turns, const char *library)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(x);
	LLVMValueRef quadrant, r = reduce(e, x, &quadrant);
	quadrant = LLVMBuildAdd(b, quadrant, emit_int(LLVMTypeOf(quadrant), quarter_turns), "");
	LLVMValueRef near = sin_in_quadrant(e, r, quadrant);
	LLVMValueRef limit = emit_float(t, e->target->fma ? 0x1p28 : 0x1p18);
	LLVMValueRef far = LLVMBuildFCmp(b, LLVMRealUGT, emit_intrinsic1(e, "llvm.fabs", x), limit, "");
	LLVMBasicBlockRef here = emit_current_block(e), slow = emit_block(e, "large"), done = emit_block(e, "small");
	LLVMBuildCondBr(b, any_lane(e, far), slow, done);
	LLVMPositionBuilderAtEnd(b, slow);
	LLVMValueRef called = math_library(e, library, x, NULL);
	LLVMValueRef mixed = LLVMBuildSelect(b, far, called, near, "");
	LLVMBasicBlockRef slow_end = emit_current_block(e);
	LLVMBuildBr(b, done);
	LLVMPositionBuilderAtEnd(b, done);
	LLVMValueRef y = LLVMBuildPhi(b, t, "");
	LLVMAddIncoming(y, (LLVMValueRef[]){near, mixed}, (LLVMBasicBlockRef[]){here, slow_end}, 2);
	return y;
}

LLVMValueRef math_sin(struct emitter *e, LLVMValueRef x)
{
	if (emit_element(LLVMTypeOf(x)) == e->f64)
		return math_library(e, "sin", x, NULL);
	LLVMValueRef is_zero = LLVMBuildFCmp(e->builder, LLVMRealOEQ, x, emit_float(LLVMTypeOf(x), 0), "");
	return LLVMBuildSelect(e->builder, is_zero, x, trigonometric(e, x, 0, "sinf"), ""); /* -0.0 too */
}

LLVMValueRef math_cos(struct emitter *e, LLVMValueRef x)
{
	if (emit_element(LLVMTypeOf(x)) == e->f64)
		return math_library(e, "cos", x, NULL);
	return trigonometric(e, x, 1, "cosf");
}

/* atan(t) for 0 <= t <= 1, f32. */
static LLVMValueRef atan_polynomial(struct emitter *e, LLVMValueRef t)
{
	static const double c[] = {-0.333333001, 0.199985741,   -0.142644854, 0.109533472,   -0.084065968,
				   0.0580081942, -0.0312256719, 0.0109391459, -0.00179889649};
	LLVMValueRef z = LLVMBuildFMul(e->builder, t, t, "");
	return emit_fma(e, LLVMBuildFMul(e->builder, z, t, ""), math_polynomial(e, z, c, 9), t);
}

/* The smaller of |x| and |y| over the larger gives an angle up to pi/4; the octant says what it is added to or taken
 * from: 0, pi/2 or pi, the first as two numbers. Equal ones, infinite too, have the quotient 1, but zeros 0. */
LLVMValueRef math_atan2(struct emitter *e, LLVMValueRef y, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(x), it = emit_type_like(e->i32, t);
	if (emit_element(t) == e->f64)
		return math_library(e, "atan2", y, x);
	LLVMValueRef zero = emit_float(t, 0), one = emit_float(t, 1), ax = emit_intrinsic1(e, "llvm.fabs", x),
		     ay = emit_intrinsic1(e, "llvm.fabs", y);
	LLVMValueRef steep = LLVMBuildFCmp(b, LLVMRealOGT, ay, ax, "");
	LLVMValueRef left = LLVMBuildICmp(b, LLVMIntSLT, LLVMBuildBitCast(b, x, it, ""), emit_int(it, 0), "");
	LLVMValueRef large = LLVMBuildSelect(b, steep, ay, ax, ""), small = LLVMBuildSelect(b, steep, ax, ay, "");
	LLVMValueRef q = LLVMBuildFDiv(b, emit_opaque(e, small), large, "");
	LLVMValueRef origin = LLVMBuildFCmp(b, LLVMRealOEQ, large, zero, "");
	LLVMValueRef same = LLVMBuildSelect(b, origin, zero, one, "");
	q = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, ax, ay, ""), same, q, "");
	LLVMValueRef angle = atan_polynomial(e, q), turned = LLVMBuildFNeg(b, angle, "");
	angle = LLVMBuildSelect(b, LLVMBuildXor(b, steep, left, ""), turned, angle, "");
	LLVMValueRef flat = LLVMBuildSelect(b, left, emit_float(t, 0x1.921fb6p+1), zero, "");
	LLVMValueRef flat_rest = LLVMBuildSelect(b, left, emit_float(t, -0x1.777a5cp-24), zero, "");
	LLVMValueRef base = LLVMBuildSelect(b, steep, emit_float(t, 0x1.921fb6p+0), flat, "");
	LLVMValueRef rest = LLVMBuildSelect(b, steep, emit_float(t, -0x1.777a5cp-25), flat_rest, "");
	angle = LLVMBuildFAdd(b, base, LLVMBuildFAdd(b, angle, rest, ""), "");
	return emit_intrinsic(e, "llvm.copysign", &t, 1, (LLVMValueRef[]){angle, y}, 2);
}

/* sqrt((1 - x) (1 + x)), which is the cosine of asin x; not a number where |x| is above 1. */
static LLVMValueRef other_side(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef one = emit_float(LLVMTypeOf(x), 1);
	LLVMValueRef square = LLVMBuildFMul(b, LLVMBuildFSub(b, one, x, ""), LLVMBuildFAdd(b, one, x, ""), "");
	return emit_intrinsic1(e, "llvm.sqrt", square);
}

LLVMValueRef math_asin(struct emitter *e, LLVMValueRef x)
{
	if (emit_element(LLVMTypeOf(x)) == e->f64)
		return math_library(e, "asin", x, NULL);
	return math_atan2(e, x, other_side(e, x));
}

LLVMValueRef math_acos(struct emitter *e, LLVMValueRef x)
{
	if (emit_element(LLVMTypeOf(x)) == e->f64)
		return math_library(e, "acos", x, NULL);
	return math_atan2(e, other_side(e, x), x);
}

LLVMValueRef math_lgamma(struct emitter *e, LLVMValueRef x)
{
	LLVMTypeRef t = LLVMTypeOf(x);
	if (emit_element(t) == e->f64)
		return math_library(e, "lgamma", x, NULL);
	LLVMValueRef wide = LLVMBuildFPExt(e->builder, x, emit_type_like(e->f64, t), "");
	return LLVMBuildFPTrunc(e->builder, math_library(e, "lgamma", wide, NULL), t, "");
}

LLVMValueRef math_cos_turns(struct emitter *e, LLVMValueRef v)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(v), it = emit_type_like(e->i32, t);
	LLVMValueRef rounder = emit_float(t, 0x1.8p23);
	LLVMValueRef rounded = LLVMBuildFAdd(b, LLVMBuildFMul(b, v, emit_float(t, 4.0), ""), rounder, "");
	LLVMValueRef n = LLVMBuildFSub(b, rounded, rounder, "");
	LLVMValueRef rest = emit_fma(e, n, emit_float(t, -0.25), v);
	LLVMValueRef r = LLVMBuildFMul(b, rest, emit_float(t, 6.283185307179586), "");
	LLVMValueRef quadrant = LLVMBuildAdd(b, LLVMBuildBitCast(b, rounded, it, ""), emit_int(it, 1), "");
	return sin_in_quadrant(e, r, quadrant);
}

static LLVMValueRef declare_library(struct emitter *e, const char *name, LLVMTypeRef t, int n, LLVMTypeRef *type)
{
	LLVMTypeRef parameters[] = {t, t};
	*type = LLVMFunctionType(t, parameters, (unsigned)n, 0);
	LLVMValueRef f = LLVMGetNamedFunction(e->module, name);
	return f ? f : LLVMAddFunction(e->module, name, *type);
}

/* The body of "tanh.8": a call per lane. */
static void call_lanes(struct emitter *e, LLVMValueRef function, const char *name, LLVMTypeRef t, int n)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef type;
	LLVMValueRef called = declare_library(e, name, emit_element(t), n, &type);
	LLVMValueRef all = LLVMGetPoison(t);
	for (int lane = 0; lane < emit_lanes(t); lane++) {
		LLVMValueRef arguments[2];
		for (int i = 0; i < n; i++)
			arguments[i] = emit_lane(e, LLVMGetParam(function, (unsigned)i), lane);
		LLVMValueRef y = LLVMBuildCall2(b, type, called, arguments, (unsigned)n, "");
		all = LLVMBuildInsertElement(b, all, y, emit_i32(e, lane), "");
	}
	LLVMBuildRet(b, all);
}

LLVMValueRef math_library(struct emitter *e, const char *name, LLVMValueRef x, LLVMValueRef y)
{
	LLVMTypeRef t = LLVMTypeOf(x), type;
	int n = y ? 2 : 1, lanes = emit_lanes(t);
	LLVMValueRef arguments[] = {x, y};
	if (!lanes) {
		LLVMValueRef f = declare_library(e, name, t, n, &type);
		return LLVMBuildCall2(e->builder, type, f, arguments, (unsigned)n, "");
	}
	bool fresh;
	struct emit_place place;
	type = LLVMFunctionType(t, (LLVMTypeRef[]){t, t}, (unsigned)n, 0);
	LLVMValueRef f = emit_helper(e, arena_printf(e->arena, "%s.%d", name, lanes), type, &fresh, &place);
	if (fresh) {
		call_lanes(e, f, name, t, n);
		emit_return(e, &place);
	}
	return LLVMBuildCall2(e->builder, type, f, arguments, (unsigned)n, "");
}
