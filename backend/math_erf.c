/* math_erf.c — erf, its inverse, the normal distribution function, and lgamma. */
#include "math_parts.h"

#include <math.h>

/* Polynomials of erf: |x| < 0.93: x + x near(x^2); else 1 - exp(far(|x| - shift)), where far is log erfc; from `end`
 * on erf is 1 to the last bit. */
struct fit {
	double end, shift;
	int nears, fars;
	double near[13], far[18];
};
static const struct fit fits[] = {
	{4.0,
	 0.0,
	 7,
	 7,
	 {0.128379167, -0.376126332, 0.112836872, -0.0268589415, 0.00519990669, -0.000813001284, 8.31677577e-05},
	 {-0.000166456809, -1.1277972, -0.636976154, -0.104113613, 0.0223151799, -0.00306548159, 0.000198218728}},
	{5.93,
	 1.0,
	 13,
	 18,
	 {0x1.06eba8214db69p-3, -0x1.812746b0379e7p-2, 0x1.ce2f21a042bbcp-4, -0x1.b82ce31287c60p-6,
	  0x1.565bcd0e38b60p-8, -0x1.c02db3f3fd412p-11, 0x1.f9a3250740185p-14, -0x1.f4d22723fc6bfp-17,
	  0x1.b9e2e88c2ab0ap-20, -0x1.5f422b762ea1ap-23, 0x1.f9590f3ea8605p-27, -0x1.3e375c9ac8d12p-30,
	  0x1.16b8bed4bdef9p-34},
	 {-0x1.d97fbf27aa2a1p+0, -0x1.51c9b0006c234p+1, -0x1.afabc11a28e9ap-1, -0x1.5477f09ce1ec2p-5,
	  0x1.48c9d40fdc715p-7, -0x1.033f68964410dp-9, 0x1.f1b3f8e9555b1p-13, 0x1.b8ddb01d3c6a7p-16,
	  -0x1.c7ba4bef501bbp-16, 0x1.42e57f05dcc8ep-17, -0x1.17b9f5adc0bb5p-19, 0x1.6d889eedacd8fp-23,
	  0x1.47806a8f7db3fp-24, -0x1.5a32d823ff9dcp-25, 0x1.6388ff235e98ap-27, -0x1.c28d0634a93b0p-30,
	  0x1.4f6e519e72857p-33, -0x1.c31188c3af39fp-38}},
};

LLVMValueRef math_erf(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	const struct fit *f = &fits[math_is_f64(e, x)];
	LLVMValueRef z = LLVMBuildFMul(b, x, x, "");
	LLVMValueRef near = emit_fma(e, x, math_polynomial(e, z, f->near, f->nears), x);
	LLVMValueRef a = emit_intrinsic1(e, "llvm.fabs", x);
	LLVMValueRef end = math_constant(x, f->end), beyond = LLVMBuildFCmp(b, LLVMRealOGT, a, end, "");
	LLVMValueRef t = LLVMBuildFSub(b, LLVMBuildSelect(b, beyond, end, a, ""), math_constant(x, f->shift), "");
	/* Of f64 so many steps, each of which waits for the one before, that processors see too few vectors at a time.
	 */
	LLVMValueRef log =
		f->fars > 8 ? math_polynomial_in_pairs(e, t, f->far, f->fars) : math_polynomial(e, t, f->far, f->fars);
	LLVMValueRef lost = math_exp_normal(e, log);
	LLVMValueRef far = math_copy_sign(e, LLVMBuildFSub(b, math_constant(x, 1.0), lost, ""), x);
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, a, math_constant(x, 0.93), ""), near, far, "");
}

/* Of f32 for x < 0 by 2^t with t = log2 erfc(|x| / sqrt 2) - 1 = |x| slope(|x|) - 1, from `end` on 0; else what that
 * leaves of 1. The polynomials are off by less than 6e-8 of 1 together, and by nothing at 0. */
static LLVMValueRef normal_cdf_of_f32(struct emitter *e, LLVMValueRef x)
{
	static const double slope[] = {-1.15110553,     -0.459204832,   -0.0525044957,   0.00706492521, -0.000120439497,
				       -0.000207681528, 5.06789582e-05, -5.54777667e-06, 2.44754706e-07};
	static const double power[] = {1, 0.693146978, 0.240222421, 0.0555073388, 0.00967151462, 0.00132646777};
	static const double end = 5.65685424949;
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef it = math_bits_type(e, x);
	LLVMValueRef one = math_constant(x, 1), zero = math_constant(x, 0), rounder = math_constant(x, 0x1.8p23);
	LLVMValueRef a = emit_intrinsic1(e, "llvm.fabs", x);
	LLVMValueRef s =
		e->target->lanes < 16 ? math_polynomial_in_pairs(e, a, slope, 9) : math_polynomial(e, a, slope, 9);
	LLVMValueRef t = emit_fma(e, a, s, math_constant(x, -1)), rounded = LLVMBuildFAdd(b, t, rounder, "");
	LLVMValueRef r = LLVMBuildFSub(b, t, LLVMBuildFSub(b, rounded, rounder, ""), "");
	LLVMValueRef p = LLVMBuildBitCast(b, math_polynomial(e, r, power, 6), it, "");
	LLVMValueRef n = LLVMBuildShl(b, LLVMBuildBitCast(b, rounded, it, ""), emit_int(it, 23), "");
	LLVMValueRef rest = LLVMBuildBitCast(b, LLVMBuildAdd(b, p, n, ""), LLVMTypeOf(x), "");
	rest = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, a, math_constant(x, end), ""), zero, rest, "");
	LLVMValueRef above = LLVMBuildFCmp(b, LLVMRealOGT, x, zero, "");
	return LLVMBuildSelect(b, above, LLVMBuildFSub(b, one, rest, ""), rest, "");
}

LLVMValueRef math_normal_cdf(struct emitter *e, LLVMValueRef x)
{
	if (!math_is_f64(e, x))
		return normal_cdf_of_f32(e, x);
	LLVMValueRef y = math_erf(e, LLVMBuildFMul(e->builder, x, math_constant(x, 0.70710678118654752440), ""));
	LLVMValueRef both = LLVMBuildFAdd(e->builder, math_constant(x, 1), y, "");
	return LLVMBuildFMul(e->builder, both, math_constant(x, 0.5), "");
}

/* Of f32, with w = -log(1 - x^2) for |x| < 1: |x| + |x| near(w), from w = 5 on, where few are, |x| far(sqrt w - 3); as
 * good as in f64 to 3e-9. */
static LLVMValueRef erfinv_of_f32(struct emitter *e, LLVMValueRef x)
{
	static const double near[] = {-0.113773073,    0.232013556,     0.0115503353,   -0.00233854009,
				      -0.000122003225, 4.04871953e-05,  5.83546306e-06, -2.49784063e-06,
				      3.09790978e-07,  -1.71608533e-08, 3.35522536e-10};
	static const double far[] = {2.8329768,      1.00167509,   0.00944568144,   -0.00763938704,  0.00568320147,
				     -0.00358710514, 0.0014957681, -7.63923265e-05, -0.000318643723, 0.000128813203};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef one = math_constant(x, 1.0), a = emit_intrinsic1(e, "llvm.fabs", x);
	LLVMValueRef v = LLVMBuildFMul(b, LLVMBuildFSub(b, one, a, ""), LLVMBuildFAdd(b, one, a, ""), "");
	LLVMValueRef w = LLVMBuildFNeg(b, math_log(e, v), "");
	LLVMValueRef close = emit_fma(e, a, math_polynomial(e, w, near, 11), a);
	struct math_branch few = math_rarely(e, LLVMBuildFCmp(b, LLVMRealUGE, w, math_constant(x, 5.0), ""));
	LLVMValueRef root = emit_intrinsic1(e, "llvm.sqrt", w);
	LLVMValueRef t = LLVMBuildFSub(b, root, math_constant(x, 3.0), "");
	LLVMValueRef distant = LLVMBuildFMul(b, a, math_polynomial(e, t, far, 10), "");
	LLVMValueRef y = math_mixed(e, &few, distant, close);
	LLVMValueRef end = LLVMBuildFCmp(b, LLVMRealOEQ, a, one, "");
	return math_copy_sign(e, LLVMBuildSelect(b, end, math_constant(x, INFINITY), y, ""), x);
}

/* Of f64 likewise: |x| + |x| near(w - 1), from w = 25/4 on, where few are, t + t far(t - 17/4) with t = sqrt w,
 * and what the root loses. */
static LLVMValueRef erfinv_of_f64(struct emitter *e, LLVMValueRef x)
{
	static const double near[] = {
		0x1.04dcddb9f1ca7p-3,   0x1.fb8fccc606519p-3,   0x1.16931130fa7edp-8,   -0x1.3779be7c1a9bfp-9,
		0x1.a3f0f04acc2d1p-14,  0x1.4075e57c986dap-15,  -0x1.1eee00e6f564ap-18, -0x1.2f73f4227047fp-21,
		0x1.06ac8dc7b4ff5p-23,  0x1.9f119b79aa62bp-28,  -0x1.9fa11f0d770e9p-29, 0x1.24240167c7a84p-36,
		0x1.28f845b7d79ecp-34,  -0x1.03f01b8ef43d7p-38, -0x1.7e22e95216585p-40, 0x1.333f4b3e7ced6p-43,
		0x1.29a195e5e354bp-45,  -0x1.0127ad287b64bp-47, -0x1.5e0480126bd90p-53, 0x1.0869bb6812664p-52,
		-0x1.64d9b41c7dd9fp-55, 0x1.ee045fc781038p-59,  -0x1.72b5690bcfa06p-63, 0x1.e224c214ac59fp-69};
	static const double far[] = {
		-0x1.301e79ea8e743p-5,  0x1.6b2a4d8a74070p-7,   -0x1.3fd9d1cf422d8p-9,  0x1.c4b4a078cd016p-12,
		-0x1.ba87cd5339f44p-15, -0x1.3d843f3f13a0fp-20, 0x1.edb4d7787f7a8p-19,  -0x1.b7d18ae243b4bp-20,
		0x1.1e7bfbf9c3ecep-21,  -0x1.2c34cb3d1911bp-23, 0x1.bb632bec2d76dp-26,  -0x1.89e01d0abb9fbp-36,
		-0x1.85a0ecf24a2e9p-29, 0x1.b8a2314736f44p-30,  -0x1.2cfe5f1c01f37p-31, 0x1.bdfe4e3861b78p-34,
		0x1.7a8b11c493a02p-38,  -0x1.6edd4611e4c8ap-37, 0x1.a3a9b5ce2a88fp-38,  -0x1.839686154e559p-39,
		0x1.365ec7ccc53f0p-42,  0x1.730c906ac3a1bp-42,  -0x1.b4d260c7b9816p-44, -0x1.41da92cf4c1fdp-47,
		0x1.3c23dd37664bcp-48};
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef type = LLVMTypeOf(x);
	LLVMValueRef one = math_constant(x, 1.0), a = emit_intrinsic1(e, "llvm.fabs", x);
	LLVMValueRef v = LLVMBuildFMul(b, LLVMBuildFSub(b, one, a, ""), LLVMBuildFAdd(b, one, a, ""), "");
	LLVMValueRef w = LLVMBuildFNeg(b, math_log(e, v), "");
	LLVMValueRef from_one = LLVMBuildFSub(b, w, one, "");
	LLVMValueRef close = emit_fma(e, a, math_polynomial_in_pairs(e, from_one, near, 24), a);
	LLVMValueRef is_far = LLVMBuildFCmp(b, LLVMRealUGE, w, math_constant(x, 6.25), "");
	LLVMBasicBlockRef here = emit_current_block(e), rare = emit_block(e, "far"), done = emit_block(e, "found");
	LLVMBuildCondBr(b, math_any_lane(e, is_far), rare, done);
	LLVMPositionBuilderAtEnd(b, rare);
	LLVMValueRef t = emit_intrinsic1(e, "llvm.sqrt", w);
	LLVMValueRef slope = math_polynomial_in_pairs(e, LLVMBuildFSub(b, t, math_constant(x, 4.25), ""), far, 25);
	LLVMValueRef lost = emit_fma(e, LLVMBuildFNeg(b, t, ""), t, w); /* of w by the root */
	lost = LLVMBuildFDiv(b, lost, LLVMBuildFAdd(b, t, t, ""), "");
	LLVMValueRef distant = LLVMBuildFAdd(b, t, emit_fma(e, t, slope, lost), "");
	LLVMValueRef mixed = LLVMBuildSelect(b, is_far, distant, close, "");
	LLVMValueRef end = LLVMBuildFCmp(b, LLVMRealOEQ, a, one, "");
	mixed = LLVMBuildSelect(b, end, math_constant(x, INFINITY), mixed, "");
	LLVMBuildBr(b, done);
	LLVMPositionBuilderAtEnd(b, done);
	LLVMValueRef result = LLVMBuildPhi(b, type, "");
	LLVMAddIncoming(result, (LLVMValueRef[]){close, mixed}, (LLVMBasicBlockRef[]){here, rare}, 2);
	return math_copy_sign(e, result, x);
}

LLVMValueRef math_erfinv(struct emitter *e, LLVMValueRef x)
{
	return math_is_f64(e, x) ? erfinv_of_f64(e, x) : erfinv_of_f32(e, x);
}

/* lgamma of f64 to some 10^-14, which is exact enough for f32, also near the zeros below -2: of y = x, or below
 * 1/2 of y = 1 - x by the sine's reflection; y is lifted by 8 where it is less, by y (y + 1) ... (y + 7) = w (w + 6) (w
 * + 10) (w + 12) with w = y (y + 7), and there Stirling's series holds. */
static LLVMValueRef lgamma_anywhere(struct emitter *e, LLVMValueRef x)
{
	static const double series[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
					1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef one = math_constant(x, 1.0), infinity = math_constant(x, INFINITY);
	LLVMValueRef low = LLVMBuildFCmp(b, LLVMRealOLT, x, math_constant(x, 0.5), "");
	LLVMValueRef y = LLVMBuildSelect(b, low, LLVMBuildFSub(b, one, x, ""), x, "");
	LLVMValueRef w = LLVMBuildFMul(b, y, LLVMBuildFAdd(b, y, math_constant(x, 7), ""), ""), p = w;
	for (int i = 1; i < 4; i++)
		p = LLVMBuildFMul(b, p, LLVMBuildFAdd(b, w, math_constant(x, i * (7 - i)), ""), "");
	LLVMValueRef eight = math_constant(x, 8.0), small = LLVMBuildFCmp(b, LLVMRealOLT, y, eight, "");
	LLVMValueRef z = LLVMBuildSelect(b, small, LLVMBuildFAdd(b, y, eight, ""), y, "");
	p = LLVMBuildSelect(b, small, p, one, "");
	LLVMValueRef mirrored = LLVMBuildFDiv(b, LLVMBuildFMul(b, p, math_constant(x, 3.14159265358979323846), ""),
					      math_size_of_sin_pi(e, x), "");
	LLVMValueRef log = math_log(e, LLVMBuildSelect(b, low, mirrored, p, ""));
	LLVMValueRef inverse = LLVMBuildFDiv(b, one, z, "");
	LLVMValueRef tail =
		LLVMBuildFMul(b, inverse, math_polynomial(e, LLVMBuildFMul(b, inverse, inverse, ""), series, 8), "");
	tail = LLVMBuildFAdd(b, tail, math_constant(x, 0.91893853320467274178), "");
	tail = LLVMBuildFSub(b, tail, z, "");
	LLVMValueRef stirling = emit_fma(e, LLVMBuildFSub(b, z, math_constant(x, 0.5), ""), math_log(e, z), tail);
	LLVMValueRef above = LLVMBuildFSub(b, stirling, log, ""), below = LLVMBuildFSub(b, log, stirling, "");
	LLVMValueRef gamma = LLVMBuildSelect(b, low, below, above, ""), size = emit_intrinsic1(e, "llvm.fabs", x);
	LLVMValueRef zero = LLVMBuildOr(b, LLVMBuildFCmp(b, LLVMRealOEQ, x, one, ""),
					LLVMBuildFCmp(b, LLVMRealOEQ, x, math_constant(x, 2.0), ""), "");
	gamma = LLVMBuildSelect(b, zero, math_constant(x, 0.0), gamma, "");
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUEQ, size, infinity, ""), size, gamma, "");
}

/* lgamma of an f32 as an f64 above -2, to 2^-29 of itself. y as above, z = y or, below 3/2, y + 1; up to 3 lgamma z is
 * t (t + 1) Q(t) with t = z - 2, which is exact at its zeros, and from it is taken log y below 3/2, and it is taken
 * from log(pi / sin(pi x)) below 1/2; from 3 on it is Stirling's, by log(1 / y). So there is one logarithm, of one
 * quotient: of y or 1 by 1, sin(pi x) / pi or y. */
static LLVMValueRef lgamma_above(struct emitter *e, LLVMValueRef x)
{
	static const double q[] = {0x1.b0ee606ff2d8dp-2,   -0x1.9ae64f8a081d0p-4,  0x1.0e0ca4ce3d952p-5,
				   -0x1.95cf90cf5366cp-7,  0x1.4795494a032eep-8,   -0x1.140cf5ed6cd2fp-9,
				   0x1.df6e61fb9bc4ap-11,  -0x1.b275f8e22f219p-12, 0x1.95feeb59463fcp-13,
				   -0x1.3db13d70be199p-14, 0x1.0467504598228p-16};
	static const double series[] = {0x1.555552f54834ep-4, -0x1.6c0114a918892p-9, 0x1.97a98d564947ap-11,
					-0x1.b8dbb04350b37p-12};
	static const double sine[] = {0x1.ffffffffd167ep-1,  -0x1.a51a660cadcebp+0, 0x1.9f9cab7909c97p-1,
				      -0x1.86a6b09c1e279p-3, 0x1.abe350045abc0p-6,  -0x1.24f9c122bb168p-9};
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef it = math_bits_type(e, x);
	LLVMValueRef one = math_constant(x, 1.0), infinity = math_constant(x, INFINITY);
	LLVMValueRef below = LLVMBuildFCmp(b, LLVMRealOLT, x, math_constant(x, 0.5), "");
	LLVMValueRef y = LLVMBuildSelect(b, below, LLVMBuildFSub(b, one, x, ""), x, "");
	LLVMValueRef near = LLVMBuildFCmp(b, LLVMRealOLT, y, math_constant(x, 1.5), "");
	LLVMValueRef large = LLVMBuildFCmp(b, LLVMRealOGE, y, math_constant(x, 3.0), "");
	LLVMValueRef r = LLVMBuildFSub(b, x, emit_intrinsic1(e, "llvm.rint", x), "");
	LLVMValueRef turn = math_polynomial(e, LLVMBuildFMul(b, r, r, ""), sine, 6);
	turn = emit_intrinsic1(e, "llvm.fabs", LLVMBuildFMul(b, r, turn, ""));
	LLVMValueRef over = LLVMBuildSelect(b, near, y, one, "");
	LLVMValueRef under = LLVMBuildSelect(b, large, y, LLVMBuildSelect(b, below, turn, one, ""), "");
	LLVMValueRef quotient = LLVMBuildFDiv(b, over, emit_opaque(e, under), ""), log = math_log_short(e, quotient);
	LLVMValueRef t =
		LLVMBuildFAdd(b, y, LLVMBuildSelect(b, near, math_constant(x, -1.0), math_constant(x, -2.0), ""), "");
	LLVMValueRef little = LLVMBuildFMul(b, emit_fma(e, t, t, t), math_polynomial(e, t, q, 11), "");
	little = LLVMBuildBitCast(b, LLVMBuildFSub(b, little, log, ""), it, "");
	LLVMValueRef sign = LLVMBuildSelect(b, below, emit_int(it, INT64_MIN), emit_int(it, 0), "");
	little = LLVMBuildBitCast(b, LLVMBuildXor(b, little, sign, ""), LLVMTypeOf(x), "");
	LLVMValueRef tail = math_polynomial(e, LLVMBuildFMul(b, quotient, quotient, ""), series, 4);
	tail = emit_fma(e, quotient, tail, LLVMBuildFSub(b, math_constant(x, 0.91893853320467274178), y, ""));
	tail = emit_fma(e, LLVMBuildFSub(b, math_constant(x, 0.5), y, ""), log, tail);
	LLVMValueRef gamma = LLVMBuildSelect(b, large, tail, little, ""), size = emit_intrinsic1(e, "llvm.fabs", x);
	gamma = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, quotient, infinity, ""), infinity, gamma, "");
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUEQ, size, infinity, ""), size, gamma, "");
}

LLVMValueRef math_lgamma(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(x);
	if (math_is_f64(e, x))
		return math_library(e, "lgamma", x, NULL);
	LLVMValueRef wide = LLVMBuildFPExt(b, x, emit_type_like(e->f64, t), "");
	LLVMValueRef far = LLVMBuildFCmp(b, LLVMRealOLE, x, math_constant(x, -2.0), "");
	LLVMValueRef usual = LLVMBuildFPTrunc(b, lgamma_above(e, wide), t, "");
	struct math_branch branch = math_rarely(e, far);
	return math_mixed(e, &branch, LLVMBuildFPTrunc(b, math_apart(e, "lgamma", lgamma_anywhere, wide), t, ""),
			  usual);
}
