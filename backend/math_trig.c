/* math_trig.c — sin, cos, tan, atan2, asin and acos.
 * The argument of f32 is x = n pi/2 + r, |r| <= pi/4: by pi/2 in three numbers up to 2^17, beyond in f64, which is
 * exact enough up to 2^28 (2^18 without fused multiply-add, where all are reduced so); that of f64 is by pi in three
 * numbers, up to 2^26, for tan to 2^25. A tangent of f64 is one quotient. What is
 * beyond goes to the C library. Lanes that go elsewhere do so in a branch that is hardly ever taken. */
#include "math_parts.h"

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

/* By numbers of f64: r in f32 and the quadrant in i32. */
static LLVMValueRef reduce_far(struct emitter *e, LLVMValueRef x, LLVMValueRef *quadrant)
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

/* The same up to 2^17, with fused multiply-add: x - n p for the first p is exact, for what is left of 24 bits are no
 * more than behind that of p and of x. */
static LLVMValueRef reduce_near(struct emitter *e, LLVMValueRef x, LLVMValueRef *quadrant)
{
	static const double part[] = {0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef rounder = math_constant(x, 0x1.8p23);
	LLVMValueRef rounded = emit_fma(e, x, math_constant(x, 0x1.45f306p-1), rounder);
	LLVMValueRef n = LLVMBuildFSub(b, rounded, rounder, "");
	for (int i = 0; i < 3; i++)
		x = emit_fma(e, n, math_constant(x, -part[i]), x);
	*quadrant = LLVMBuildBitCast(b, rounded, math_bits_type(e, x), "");
	return x;
}

static LLVMValueRef beyond(struct emitter *e, LLVMValueRef x, double limit)
{
	return LLVMBuildFCmp(e->builder, LLVMRealUGT, emit_intrinsic1(e, "llvm.fabs", x), math_constant(x, limit), "");
}

/* sin(x + quarter_turns * pi/2) of any x, f32. */
static LLVMValueRef sin_anywhere(struct emitter *e, LLVMValueRef x, int quarter_turns)
{
	LLVMValueRef quadrant, r = reduce_far(e, x, &quadrant);
	quadrant = LLVMBuildAdd(e->builder, quadrant, emit_int(LLVMTypeOf(quadrant), quarter_turns), "");
	LLVMValueRef far = beyond(e, x, e->target->fma ? 0x1p28 : 0x1p18);
	return math_unless(e, far, quarter_turns ? "cosf" : "sinf", x, NULL, sin_in_quadrant(e, r, quadrant));
}

static LLVMValueRef sine_anywhere(struct emitter *e, LLVMValueRef x)
{
	return sin_anywhere(e, x, 0);
}

static LLVMValueRef cos_anywhere(struct emitter *e, LLVMValueRef x)
{
	return sin_anywhere(e, x, 1);
}

static LLVMValueRef trigonometric32(struct emitter *e, LLVMValueRef x, int quarter_turns)
{
	LLVMBuilderRef b = e->builder;
	if (!e->target->fma)
		return sin_anywhere(e, x, quarter_turns);
	LLVMValueRef quadrant, r = reduce_near(e, x, &quadrant), far = beyond(e, x, 0x1p17);
	quadrant = LLVMBuildAdd(b, quadrant, emit_int(LLVMTypeOf(quadrant), quarter_turns), "");
	LLVMValueRef usual = sin_in_quadrant(e, r, quadrant);
	struct math_branch branch = math_rarely(e, far);
	LLVMValueRef there =
		quarter_turns ? math_apart(e, "cos", cos_anywhere, x) : math_apart(e, "sin", sine_anywhere, x);
	return math_mixed(e, &branch, there, usual);
}

/* ---- f64 ---- */

/* sin(r - less), |r| <= pi/2, where less is far below r. -0.0 of r = -0.0 and less = 0.0. */
static LLVMValueRef sin64(struct emitter *e, LLVMValueRef r, LLVMValueRef less)
{
	static const double c[] = {-0x1.5555555555555p-3,  0x1.11111111110c0p-7,   -0x1.a01a01a01480cp-13,
				   0x1.71de3a5282780p-19,  -0x1.ae6454c8b2838p-26, 0x1.6123ca737014fp-33,
				   -0x1.ae42ebc03910cp-41, 0x1.88242550636b6p-49};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef z = LLVMBuildFMul(b, r, r, ""), half = LLVMBuildFMul(b, less, math_constant(r, -0.5), "");
	/* Of registers of 32 bytes processors see too few at a time where each step waits for the one before. */
	LLVMValueRef sum = e->target->lanes < 16 ? math_polynomial_in_pairs(e, z, c, 8) : math_polynomial(e, z, c, 8);
	LLVMValueRef tail = emit_fma(e, LLVMBuildFNeg(b, r, ""), sum, half);
	return LLVMBuildFSub(b, r, emit_fma(e, z, tail, less), "");
}

/* x - (n - shift) part pi = r - *less, n being the whole number in `rounded`, shift 0 or, of whole ones, 1/2, part a
 * power of two, with pi in three numbers. Of the first 48 bits are behind the point, so what is left of x by it is one
 * number, but where shift is 1/2 and |x| below 0.6; the product by the second is two. What is not exact is 2^-130, and
 * no f64 below 2^26 is nearer to a multiple of pi/2 than 2^-62. */
static LLVMValueRef reduce64(struct emitter *e, LLVMValueRef x, double part, double shift, LLVMValueRef *rounded,
			     LLVMValueRef *less)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef rounder = math_constant(x, 0x1.8p52), turns = math_constant(x, 0x1.45f306dc9c883p-2 / part);
	LLVMValueRef first = math_constant(x, 0x1.921fb54442d18p+1 * part),
		     second = math_constant(x, 0x1.1a62633145c07p-53 * part);
	if (shift == 0)
		*rounded = emit_fma(e, x, turns, rounder);
	else
		*rounded = LLVMBuildFAdd(b, emit_fma(e, x, turns, math_constant(x, shift)), rounder, "");
	LLVMValueRef n = LLVMBuildFSub(b, *rounded, rounder, "");
	if (shift != 0)
		n = LLVMBuildFSub(b, n, math_constant(x, shift), "");
	LLVMValueRef near = emit_fma(e, LLVMBuildFNeg(b, n, ""), first, x), small = LLVMBuildFMul(b, n, second, "");
	LLVMValueRef r = LLVMBuildFSub(b, near, small, "");
	LLVMValueRef lost = LLVMBuildFSub(b, LLVMBuildFSub(b, near, r, ""), small, "");
	if (shift != 0)
		lost = LLVMBuildFAdd(b, lost, LLVMBuildFSub(b, x, emit_fma(e, n, first, near), ""), "");
	LLVMValueRef rest = emit_fma(e, n, second, LLVMBuildFNeg(b, small, ""));
	rest = emit_fma(e, n, math_constant(x, -0x1.f1976b7ed8fbcp-109 * part), rest);
	*less = LLVMBuildFSub(b, rest, lost, "");
	return r;
}

/* sin(x + shift pi), whose sign is that of (-1)^n. What is beyond 2^26 is the C library's. */
static LLVMValueRef trigonometric64(struct emitter *e, LLVMValueRef x, double shift, const char *library)
{
	if (!e->target->fma)
		return math_library(e, library, x, NULL);
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef it = math_bits_type(e, x);
	LLVMValueRef rounded, less, r = reduce64(e, x, 1, shift, &rounded, &less);
	LLVMValueRef sign = LLVMBuildShl(b, LLVMBuildBitCast(b, rounded, it, ""), emit_int(it, 63), "");
	LLVMValueRef bits = LLVMBuildXor(b, LLVMBuildBitCast(b, sin64(e, r, less), it, ""), sign, "");
	LLVMValueRef size = emit_intrinsic1(e, "llvm.fabs", x);
	LLVMValueRef large = LLVMBuildFCmp(b, LLVMRealUGT, size, math_constant(x, 0x1p26), "");
	return math_unless(e, large, library, x, NULL, LLVMBuildBitCast(b, bits, LLVMTypeOf(x), ""));
}

LLVMValueRef math_size_of_sin_pi(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef r = LLVMBuildFSub(b, x, emit_intrinsic1(e, "llvm.rint", x), "");
	r = LLVMBuildFMul(b, emit_intrinsic1(e, "llvm.fabs", r), math_constant(x, 0x1.921fb54442d18p+1), "");
	return sin64(e, r, math_constant(x, 0));
}

LLVMValueRef math_sin(struct emitter *e, LLVMValueRef x)
{
	if (math_is_f64(e, x))
		return trigonometric64(e, x, 0, "sin");
	LLVMValueRef is_zero = LLVMBuildFCmp(e->builder, LLVMRealOEQ, x, math_constant(x, 0), "");
	LLVMValueRef y = trigonometric32(e, x, 0);
	return LLVMBuildSelect(e->builder, is_zero, x, y, ""); /* -0.0 too */
}

LLVMValueRef math_cos(struct emitter *e, LLVMValueRef x)
{
	return math_is_f64(e, x) ? trigonometric64(e, x, 0.5, "cos") : trigonometric32(e, x, 1);
}

/* ---- tangents ---- */

/* sine / cosine, which of f32 are a tangent and 1, or in odd quadrants -cosine / sine: `odd` is an int with that in its
 * lowest bit. */
static LLVMValueRef tan_in_quadrant(struct emitter *e, LLVMValueRef sine, LLVMValueRef cosine, LLVMValueRef odd)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef it = LLVMTypeOf(odd);
	LLVMValueRef low = LLVMBuildAnd(b, odd, emit_int(it, 1), "");
	LLVMValueRef turned = LLVMBuildICmp(b, LLVMIntNE, low, emit_int(it, 0), "");
	LLVMValueRef over = LLVMBuildSelect(b, turned, LLVMBuildFNeg(b, cosine, ""), sine, "");
	return LLVMBuildFDiv(b, over, LLVMBuildSelect(b, turned, sine, cosine, ""), "");
}

/* tan(r) is a polynomial of its own, right to 2^-29 up to pi/4: the errors of a sine and a cosine would add up. */
static LLVMValueRef tan32(struct emitter *e, LLVMValueRef r, LLVMValueRef quadrant)
{
	static const double c[] = {0x1.555560p-2, 0x1.110d74p-3,  0x1.bae0b4p-5, 0x1.5c7c5cp-6,
				   0x1.6424c8p-7, 0x1.886328p-15, 0x1.2038b0p-8};
	LLVMValueRef z = LLVMBuildFMul(e->builder, r, r, "");
	LLVMValueRef y = emit_fma(e, LLVMBuildFMul(e->builder, z, r, ""), math_polynomial(e, z, c, 7), r);
	return tan_in_quadrant(e, y, math_constant(r, 1), quadrant);
}

static LLVMValueRef tan_anywhere(struct emitter *e, LLVMValueRef x)
{
	LLVMValueRef quadrant, r = reduce_far(e, x, &quadrant), far = beyond(e, x, e->target->fma ? 0x1p28 : 0x1p18);
	return math_unless(e, far, "tanf", x, NULL, tan32(e, r, quadrant));
}

static LLVMValueRef tangent32(struct emitter *e, LLVMValueRef x)
{
	if (!e->target->fma)
		return tan_anywhere(e, x);
	LLVMValueRef quadrant, r = reduce_near(e, x, &quadrant);
	LLVMValueRef usual = tan32(e, r, quadrant);
	struct math_branch branch = math_rarely(e, beyond(e, x, 0x1p17));
	return math_mixed(e, &branch, math_apart(e, "tan", tan_anywhere, x), usual);
}

/* The sine and the cosine of r - less, |r| <= pi/4. */
static LLVMValueRef short_sin64(struct emitter *e, LLVMValueRef r, LLVMValueRef z, LLVMValueRef less)
{
	static const double c[] = {-0x1.5555555555555p-3, 0x1.1111111110bb1p-7,   -0x1.a01a019e8357dp-13,
				   0x1.71de37961e4c6p-19, -0x1.ae600a926c89ap-26, 0x1.5e0af186af739p-33};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef half = LLVMBuildFMul(b, less, math_constant(r, -0.5), "");
	LLVMValueRef tail = emit_fma(e, LLVMBuildFNeg(b, r, ""), math_polynomial(e, z, c, 6), half);
	return LLVMBuildFSub(b, r, emit_fma(e, z, tail, less), "");
}

static LLVMValueRef short_cos64(struct emitter *e, LLVMValueRef r, LLVMValueRef z, LLVMValueRef less)
{
	static const double c[] = {0x1.5555555555555p-5,   -0x1.6c16c16c16966p-10, 0x1.a01a019f4e867p-16,
				   -0x1.27e4fa17a41b4p-22, 0x1.1eeb68b109173p-29,  -0x1.907d7aebd5e3dp-37};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef one = math_constant(r, 1), half = math_constant(r, -0.5), head = emit_fma(e, z, half, one);
	LLVMValueRef lost = emit_fma(e, z, half, LLVMBuildFSub(b, one, head, ""));
	LLVMValueRef tail = emit_fma(e, LLVMBuildFMul(b, z, z, ""), math_polynomial(e, z, c, 6), lost);
	return LLVMBuildFAdd(b, head, emit_fma(e, r, less, tail), "");
}

/* x = n pi/16 + d: with the tangent of d, a short polynomial, (s + c tan d) / (c - s tan d), where s / c is the tangent
 * of n pi/16 by tables. These are multiples of its sine and its cosine such that both are numbers of f64 to 2^-10 of
 * the last place. -0.0, for tan(-0.0) is that. */
static LLVMValueRef tangent_by_pieces(struct emitter *e, LLVMValueRef x)
{
	static const double sines[] = {-0.0,
				       0x1.6d0c390d36d22p-3,
				       0x1.7daec11074c42p-2,
				       0x1.347df5a3a4259p-1,
				       0x1.c000000000000p-1,
				       0x1.ceb6a324a8610p-1,
				       0x1.cc62e11e36674p-1,
				       0x1.c9891c5319c0ap-1,
				       0x1.0000000000000p+0,
				       -0x1.c9891c5319c0ap-1,
				       -0x1.cc62e11e36674p-1,
				       -0x1.ceb6a324a8610p-1,
				       -0x1.c000000000000p-1,
				       -0x1.347df5a3a4259p-1,
				       -0x1.7daec11074c42p-2,
				       -0x1.6d0c390d36d22p-3};
	static const double cosines[] = {0x1.0000000000000p+0, 0x1.cace033d095b3p-1, 0x1.ccbb505e40d03p-1,
					 0x1.cdb0e207bab44p-1, 0x1.c000000000000p-1, 0x1.352cdbb273a41p-1,
					 0x1.7d657e1869eb8p-2, 0x1.6c09b6f9beacep-3, 0x0.0p+0,
					 0x1.6c09b6f9beacep-3, 0x1.7d657e1869eb8p-2, 0x1.352cdbb273a41p-1,
					 0x1.c000000000000p-1, 0x1.cdb0e207bab44p-1, 0x1.ccbb505e40d03p-1,
					 0x1.cace033d095b3p-1};
	static const double c[] = {0x1.5555555555560p-2, 0x1.11111110f62dcp-3, 0x1.ba1ba316ad4f3p-5,
				   0x1.664c321e7c473p-6, 0x1.2548eb0b0046bp-7};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef rounded, less, r = reduce64(e, x, 1.0 / MATH_PIECES, 0, &rounded, &less);
	LLVMValueRef piece = LLVMBuildBitCast(b, rounded, math_bits_type(e, x), ""), z = LLVMBuildFMul(b, r, r, "");
	LLVMValueRef cube = LLVMBuildFNeg(b, LLVMBuildFMul(b, r, z, ""), "");
	LLVMValueRef tangent = LLVMBuildFSub(b, r, emit_fma(e, cube, math_polynomial(e, z, c, 5), less), "");
	LLVMValueRef sine = math_of_table(e, piece, sines), cosine = math_of_table(e, piece, cosines);
	LLVMValueRef over = emit_fma(e, cosine, tangent, sine);
	return LLVMBuildFDiv(b, over, emit_fma(e, LLVMBuildFNeg(b, sine, ""), tangent, cosine), "");
}

static LLVMValueRef tangent_by_quarters(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef rounded, less, r = reduce64(e, x, 0.5, 0, &rounded, &less), z = LLVMBuildFMul(b, r, r, "");
	LLVMValueRef odd = LLVMBuildBitCast(b, rounded, math_bits_type(e, x), "");
	return tan_in_quadrant(e, short_sin64(e, r, z, less), short_cos64(e, r, z, less), odd);
}

LLVMValueRef math_tan(struct emitter *e, LLVMValueRef x)
{
	if (math_is_f64(e, x)) {
		if (!e->target->fma)
			return math_library(e, "tan", x, NULL);
		LLVMValueRef y = math_has_tables(e) ? tangent_by_pieces(e, x) : tangent_by_quarters(e, x);
		return math_unless(e, beyond(e, x, 0x1p25), "tan", x, NULL, y);
	}
	LLVMValueRef is_zero = LLVMBuildFCmp(e->builder, LLVMRealOEQ, x, math_constant(x, 0), "");
	return LLVMBuildSelect(e->builder, is_zero, x, tangent32(e, x), ""); /* -0.0 too */
}

/* ---- angles ---- */

/* Of f32 and of f64, each as two numbers. */
static const double pis[2][2] = {{0x1.921fb6p+1, -0x1.777a5cp-24}, {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53}};

/* atan(small / large), 0 <= small <= large. Equal ones, infinite too, have the quotient 1, but zeros 0. */
static LLVMValueRef octant32(struct emitter *e, LLVMValueRef small, LLVMValueRef large)
{
	static const double c[] = {-0.333333001, 0.199985741,   -0.142644854, 0.109533472,   -0.084065968,
				   0.0580081942, -0.0312256719, 0.0109391459, -0.00179889649};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef zero = math_constant(small, 0), one = math_constant(small, 1);
	LLVMValueRef q = LLVMBuildFDiv(b, emit_opaque(e, small), large, "");
	LLVMValueRef origin = LLVMBuildFCmp(b, LLVMRealOEQ, large, zero, "");
	LLVMValueRef same = LLVMBuildSelect(b, origin, zero, one, "");
	q = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, small, large, ""), same, q, "");
	LLVMValueRef z = LLVMBuildFMul(b, q, q, "");
	return emit_fma(e, LLVMBuildFMul(b, z, q, ""), math_polynomial(e, z, c, 9), q);
}

/* The same for f64: beyond tan(pi/8) by atan t = pi/4 + atan((t - 1) / (t + 1)). */
static LLVMValueRef octant64(struct emitter *e, LLVMValueRef small, LLVMValueRef large)
{
	static const double c[] = {-0x1.5555555555555p-2, 0x1.9999999999891p-3,  -0x1.24924924850eap-3,
				   0x1.c71c71be0d435p-4,  -0x1.745d1594e7d52p-4, 0x1.3b137fbcdfd1cp-4,
				   -0x1.110d5fe45b6bep-4, 0x1.e182b2ed0797dp-5,  -0x1.abe10ebe3e387p-5,
				   0x1.72662732654f5p-5,  -0x1.156c4c05d2ff6p-5, 0x1.fe22bce127553p-7};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef zero = math_constant(small, 0), one = math_constant(small, 1);
	LLVMValueRef huge = LLVMBuildFCmp(b, LLVMRealOGT, large, math_constant(small, 0x1p1000), "");
	LLVMValueRef scale = LLVMBuildSelect(b, huge, math_constant(small, 0x1p-100), one, "");
	LLVMValueRef s = LLVMBuildFMul(b, small, scale, ""), l = LLVMBuildFMul(b, large, scale, "");
	LLVMValueRef same = LLVMBuildFCmp(b, LLVMRealOEQ, small, large, ""),
		     full = LLVMBuildFCmp(b, LLVMRealOGT, small, zero, "");
	LLVMValueRef bound = LLVMBuildFMul(b, l, math_constant(small, 0.41421356237309503), "");
	LLVMValueRef beyond =
		LLVMBuildOr(b, LLVMBuildAnd(b, same, full, ""), LLVMBuildFCmp(b, LLVMRealOGT, s, bound, ""), "");
	LLVMValueRef over = LLVMBuildSelect(b, beyond, LLVMBuildFSub(b, s, l, ""), s, "");
	LLVMValueRef under = LLVMBuildSelect(b, beyond, LLVMBuildFAdd(b, s, l, ""), l, "");
	LLVMValueRef q = LLVMBuildSelect(b, same, zero, LLVMBuildFDiv(b, emit_opaque(e, over), under, ""), "");
	LLVMValueRef z = LLVMBuildFMul(b, q, q, "");
	LLVMValueRef tail = LLVMBuildFMul(b, LLVMBuildFMul(b, z, q, ""), math_polynomial(e, z, c, 12), "");
	LLVMValueRef base = LLVMBuildSelect(b, beyond, math_constant(small, 0x1.921fb54442d18p-1), zero, "");
	LLVMValueRef rest = LLVMBuildSelect(b, beyond, math_constant(small, 0x1.1a62633145c07p-55), zero, "");
	return LLVMBuildFAdd(b, base, LLVMBuildFAdd(b, q, LLVMBuildFAdd(b, tail, rest, ""), ""), "");
}

/* The smaller of |x| and |y| over the larger gives an angle up to pi/4; the octant says what it is added to or taken
 * from: 0, pi/2 or pi, the first as two numbers. */
LLVMValueRef math_atan2(struct emitter *e, LLVMValueRef y, LLVMValueRef x)
{
	bool wide = math_is_f64(e, x);
	const double *pi = pis[wide];
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(x), it = math_bits_type(e, x);
	LLVMValueRef zero = emit_float(t, 0), ax = emit_intrinsic1(e, "llvm.fabs", x),
		     ay = emit_intrinsic1(e, "llvm.fabs", y);
	LLVMValueRef steep = LLVMBuildFCmp(b, LLVMRealOGT, ay, ax, "");
	LLVMValueRef left = LLVMBuildICmp(b, LLVMIntSLT, LLVMBuildBitCast(b, x, it, ""), emit_int(it, 0), "");
	LLVMValueRef large = LLVMBuildSelect(b, steep, ay, ax, ""), small = LLVMBuildSelect(b, steep, ax, ay, "");
	LLVMValueRef angle = wide ? octant64(e, small, large) : octant32(e, small, large);
	LLVMValueRef turned = LLVMBuildFNeg(b, angle, "");
	angle = LLVMBuildSelect(b, LLVMBuildXor(b, steep, left, ""), turned, angle, "");
	LLVMValueRef flat = LLVMBuildSelect(b, left, emit_float(t, pi[0]), zero, "");
	LLVMValueRef flat_rest = LLVMBuildSelect(b, left, emit_float(t, pi[1]), zero, "");
	LLVMValueRef base = LLVMBuildSelect(b, steep, emit_float(t, pi[0] / 2), flat, "");
	LLVMValueRef rest = LLVMBuildSelect(b, steep, emit_float(t, pi[1] / 2), flat_rest, "");
	angle = LLVMBuildFAdd(b, base, LLVMBuildFAdd(b, angle, rest, ""), "");
	return math_copy_sign(e, angle, y);
}

/* What asin and acos are made of: where |x| <= 1/2 x^2, beyond the square of sin(t / 2), (1 - |x|) / 2, where t is the
 * angle that asin |x| leaves of a quarter turn. */
struct arc {
	LLVMValueRef size, large;   /* |x|; a mask, where it is beyond 1/2 */
	LLVMValueRef square, chord; /* chord: -2 sin(t / 2) */
};

static struct arc arc_of(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef half = math_constant(x, 0.5), size = emit_intrinsic1(e, "llvm.fabs", x);
	LLVMValueRef left = emit_fma(e, size, math_constant(x, -0.5), half);
	struct arc a = {.size = size, .large = LLVMBuildFCmp(b, LLVMRealOGT, size, half, "")};
	a.square = LLVMBuildSelect(b, a.large, left, LLVMBuildFMul(b, x, x, ""), "");
	a.chord = math_minus_two_roots(e, left);
	return a;
}

/* high + (low + m asin(s) / s), s^2 = square: asin(s) / s = 1 + s^2 P(s^2). */
static LLVMValueRef angle_of_arc(struct emitter *e, LLVMValueRef m, LLVMValueRef square, LLVMValueRef high,
				 LLVMValueRef low)
{
	static const double c32[] = {0x1.5555c8p-3, 0x1.330204p-4, 0x1.747bbap-5, 0x1.8c3e2ap-6, 0x1.595c8ep-5};
	static const double c64[] = {0x1.5555555555390p-3, 0x1.333333336e82dp-4,  0x1.6db6db4278508p-5,
				     0x1.f1c72c39cd329p-6, 0x1.6e89f4293443ap-6,  0x1.1c6be327407ebp-6,
				     0x1.c6fda162e16e1p-7, 0x1.8ec3df9dc5d06p-7,  0x1.abc73be34cffep-8,
				     0x1.3ffa83a234231p-6, -0x1.09dcc42308df4p-6, 0x1.0570daeaea1e8p-5};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef p = !math_is_f64(e, m)      ? math_polynomial(e, square, c32, 5)
			 : e->target->lanes < 16 ? math_polynomial_in_pairs(e, square, c64, 12)
						 : math_polynomial(e, square, c64, 12);
	LLVMValueRef tail = emit_fma(e, LLVMBuildFMul(b, m, square, ""), p, low);
	return LLVMBuildFAdd(b, high, LLVMBuildFAdd(b, m, tail, ""), "");
}

LLVMValueRef math_asin(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	const double *pi = pis[math_is_f64(e, x)];
	struct arc a = arc_of(e, x);
	LLVMValueRef zero = math_constant(x, 0), m = LLVMBuildSelect(b, a.large, a.chord, a.size, "");
	LLVMValueRef high = LLVMBuildSelect(b, a.large, math_constant(x, pi[0] / 2), zero, "");
	LLVMValueRef low = LLVMBuildSelect(b, a.large, math_constant(x, pi[1] / 2), zero, "");
	return math_copy_sign(e, angle_of_arc(e, m, a.square, high, low), x);
}

LLVMValueRef math_acos(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	const double *pi = pis[math_is_f64(e, x)];
	struct arc a = arc_of(e, x);
	LLVMValueRef zero = math_constant(x, 0), left = LLVMBuildFCmp(b, LLVMRealOLT, x, zero, "");
	LLVMValueRef m = LLVMBuildSelect(b, a.large, math_copy_sign(e, a.chord, x), LLVMBuildFNeg(b, x, ""), "");
	LLVMValueRef high = LLVMBuildSelect(b, left, math_constant(x, pi[0]), zero, "");
	LLVMValueRef low = LLVMBuildSelect(b, left, math_constant(x, pi[1]), zero, "");
	high = LLVMBuildSelect(b, a.large, high, math_constant(x, pi[0] / 2), "");
	low = LLVMBuildSelect(b, a.large, low, math_constant(x, pi[1] / 2), "");
	return angle_of_arc(e, m, a.square, high, low);
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
