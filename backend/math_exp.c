/* math_exp.c — exp, log and what follows from them: tanh, erf, erfinv, pow.
 * exp: x = n ln 2 + r with n rounded by adding 1.5 * 2^23 (2^52), exp r = 1 + r + r^2 P(r), then times 2^n. log: x = m
 * 2^n with m in [sqrt 1/2, sqrt 2), log m by a polynomial in m - 1 (f32) or in (m - 1) / (m + 1) (f64). */
#include "math.h"

#include <math.h>

/* Numbers that differ between f32 and f64. */
struct format {
	int fraction_bits;
	double rounder;           /* 1.5 * 2^fraction_bits: adding it rounds to an integer */
	double exp_low, exp_high; /* outside, exp is 0 or infinite */
	double ln2_high, ln2_low; /* high: so few bits that n * high is exact */
	double tiny, tiny_scale;  /* denormals are scaled up before taking the exponent */
	int64_t root_bits;        /* sqrt 1/2 as an integer */
	int bias;
};
static const struct format format32 = {23,       0x1.8p23, -104.0,     89.0, 0x1.62e4p-1, 0x1.7f7d1cp-20,
				       0x1p-126, 0x1p23,   0x3f3504f3, 127};
static const struct format format64 = {
	52,     0x1.8p52,           -746.0, 710.0, 0x1.62e42fee00000p-1, 0x1.a39ef35793c76p-33, 0x1p-1022,
	0x1p52, 0x3fe6a09e667f3bcd, 1023};

static bool is_f64(const struct emitter *e, LLVMValueRef x)
{
	return emit_element(LLVMTypeOf(x)) == e->f64;
}

static LLVMTypeRef int_type_of(const struct emitter *e, LLVMValueRef x)
{
	return emit_type_like(is_f64(e, x) ? e->i64 : e->i32, LLVMTypeOf(x));
}

static LLVMValueRef constant_like(LLVMValueRef x, double v)
{
	return emit_float(LLVMTypeOf(x), v);
}

LLVMValueRef math_polynomial(struct emitter *e, LLVMValueRef x, const double *c, int n)
{
	LLVMValueRef p = constant_like(x, c[n - 1]);
	for (int i = n - 2; i >= 0; i--)
		p = emit_fma(e, p, x, constant_like(x, c[i]));
	return p;
}

/* p * 2^n in two steps, so that results near the ends of the range overflow and underflow as they should. */
static LLVMValueRef scale_by_parts(struct emitter *e, const struct format *f, LLVMValueRef p, LLVMValueRef rounded)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(p), it = int_type_of(e, p);
	LLVMValueRef shift = emit_int(it, f->fraction_bits), bias = emit_int(it, f->bias);
	LLVMValueRef zero = LLVMBuildBitCast(b, constant_like(p, f->rounder), it, "");
	LLVMValueRef n = LLVMBuildSub(b, LLVMBuildBitCast(b, rounded, it, ""), zero, "");
	LLVMValueRef half = LLVMBuildAShr(b, n, emit_int(it, 1), ""), rest = LLVMBuildSub(b, n, half, "");
	LLVMValueRef s1 = LLVMBuildShl(b, LLVMBuildAdd(b, half, bias, ""), shift, "");
	LLVMValueRef s2 = LLVMBuildShl(b, LLVMBuildAdd(b, rest, bias, ""), shift, "");
	p = LLVMBuildFMul(b, p, LLVMBuildBitCast(b, s1, t, ""), "");
	return LLVMBuildFMul(b, p, LLVMBuildBitCast(b, s2, t, ""), "");
}

/* The same by the instruction for it, for registers of 512 bits. */
static LLVMValueRef scale_by_instruction(struct emitter *e, LLVMValueRef p, LLVMValueRef n)
{
	bool wide = is_f64(e, p);
	if (wide && emit_lanes(LLVMTypeOf(p)) == 16) {
		LLVMValueRef low = scale_by_instruction(e, emit_half(e, p, false), emit_half(e, n, false));
		return emit_joined(e, low, scale_by_instruction(e, emit_half(e, p, true), emit_half(e, n, true)));
	}
	LLVMValueRef all = wide ? emit_int(e->i8, -1) : emit_int(e->i16, -1);
	LLVMValueRef arguments[] = {p, n, p, all, emit_i32(e, 4)};
	return emit_intrinsic(e, wide ? "llvm.x86.avx512.mask.scalef.pd.512" : "llvm.x86.avx512.mask.scalef.ps.512",
			      NULL, 0, arguments, 5);
}

static LLVMValueRef clamp(struct emitter *e, LLVMValueRef x, double low, double high)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef l = constant_like(x, low), h = constant_like(x, high);
	x = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, x, h, ""), h, x, "");
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, x, l, ""), l, x, "");
}

/* exp(x) = (1 + part) 2^n; *rounded is n plus the format's rounder. */
static LLVMValueRef exp_parts(struct emitter *e, LLVMValueRef x, LLVMValueRef *rounded, LLVMValueRef *n)
{
	static const double c32[] = {0.499999935, 0.166665209, 0.0416683806, 0.00836870992, 0.001381483};
	static const double c64[] = {0.5,
				     0.16666666666666682,
				     0.041666666666666116,
				     0.008333333333317294,
				     0.001388888888911128,
				     0.00019841269895902369,
				     2.4801586930744e-05,
				     2.7557235229193727e-06,
				     2.755758022833686e-07,
				     2.511193857673279e-08,
				     2.082681839969311e-09};
	bool wide = is_f64(e, x);
	const struct format *f = wide ? &format64 : &format32;
	LLVMValueRef rounder = constant_like(x, f->rounder);
	*rounded = emit_fma(e, x, constant_like(x, 1.4426950408889634), rounder);
	*n = LLVMBuildFSub(e->builder, *rounded, rounder, "");
	LLVMValueRef r = emit_fma(e, *n, constant_like(x, -f->ln2_high), x);
	r = emit_fma(e, *n, constant_like(x, -f->ln2_low), r);
	LLVMValueRef p = wide ? math_polynomial(e, r, c64, 11) : math_polynomial(e, r, c32, 5);
	return emit_fma(e, LLVMBuildFMul(e->builder, r, r, ""), p, r);
}

/* What is hidden of the scores of attention is -1e30 before exp. A result that is all but a subnormal number takes 200
 * times as long as others: the instruction's is 0 at once far below, and products have a factor 0. */
enum { FAR_BELOW = 16 };

LLVMValueRef math_exp(struct emitter *e, LLVMValueRef x)
{
	const struct format *f = is_f64(e, x) ? &format64 : &format32;
	bool scalef = e->target->scalef && emit_lanes(LLVMTypeOf(x)) == 16;
	LLVMValueRef zero = constant_like(x, 0.0), one = constant_like(x, 1.0), low = constant_like(x, f->exp_low);
	LLVMValueRef rounded, n;
	LLVMValueRef bounded = clamp(e, x, scalef ? FAR_BELOW * f->exp_low : f->exp_low, f->exp_high);
	LLVMValueRef p = LLVMBuildFAdd(e->builder, exp_parts(e, bounded, &rounded, &n), one, "");
	if (scalef)
		return scale_by_instruction(e, p, n);
	p = LLVMBuildSelect(e->builder, LLVMBuildFCmp(e->builder, LLVMRealOLT, x, low, ""), zero, p, "");
	return scale_by_parts(e, f, p, rounded);
}

/* log of m 2^n from f = m - 1, f32: f - f^2/2 + f^3 P(f) + n ln 2, small terms first. */
static LLVMValueRef log_of_parts32(struct emitter *e, LLVMValueRef f, LLVMValueRef n)
{
	static const double c[] = {0.333333126,  -0.250000096, 0.200021187,  -0.166679959, 0.142195516,
				   -0.124055872, 0.118881655,  -0.116756644, 0.0674665006};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef square = LLVMBuildFMul(b, f, f, "");
	LLVMValueRef tail = LLVMBuildFMul(b, LLVMBuildFMul(b, square, f, ""), math_polynomial(e, f, c, 9), "");
	tail = emit_fma(e, n, constant_like(f, format32.ln2_low), tail);
	tail = emit_fma(e, square, constant_like(f, -0.5), tail);
	return emit_fma(e, n, constant_like(f, format32.ln2_high), LLVMBuildFAdd(b, f, tail, ""));
}

/* The same for f64: log(1 + f) = f - (f^2/2 - s (f^2/2 + s^2 P(s^2))) with s = f / (2 + f). */
static LLVMValueRef log_of_parts64(struct emitter *e, LLVMValueRef f, LLVMValueRef n)
{
	static const double c[] = {0.6666666666666666, 0.4000000000000633,  0.28571428569058505, 0.22222222650939558,
				   0.181817753325222,  0.15387105381093988, 0.1324978697174695,  0.13254353254551665};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef s = LLVMBuildFDiv(b, f, LLVMBuildFAdd(b, f, constant_like(f, 2.0), ""), "");
	LLVMValueRef z = LLVMBuildFMul(b, s, s, "");
	LLVMValueRef half = LLVMBuildFMul(b, LLVMBuildFMul(b, f, f, ""), constant_like(f, 0.5), "");
	LLVMValueRef inner = emit_fma(e, z, math_polynomial(e, z, c, 8), half);
	LLVMValueRef tail = LLVMBuildFMul(b, s, inner, "");
	tail = emit_fma(e, n, constant_like(f, format64.ln2_low), tail);
	tail = LLVMBuildFSub(b, LLVMBuildFSub(b, half, tail, ""), f, "");
	return LLVMBuildFSub(b, LLVMBuildFMul(b, n, constant_like(f, format64.ln2_high), ""), tail, "");
}

static LLVMValueRef log_special(struct emitter *e, LLVMValueRef x, LLVMValueRef y)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef zero = constant_like(x, 0.0), infinity = constant_like(x, INFINITY);
	y = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, x, infinity, ""), infinity, y, "");
	y = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealULT, x, zero, ""), constant_like(x, NAN), y, "");
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, x, zero, ""), constant_like(x, -INFINITY), y, "");
}

LLVMValueRef math_log(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	bool wide = is_f64(e, x);
	const struct format *f = wide ? &format64 : &format32;
	LLVMTypeRef t = LLVMTypeOf(x), it = int_type_of(e, x);
	LLVMValueRef small = LLVMBuildFCmp(b, LLVMRealOLT, x, constant_like(x, f->tiny), "");
	LLVMValueRef big = LLVMBuildFMul(b, x, constant_like(x, f->tiny_scale), "");
	LLVMValueRef bits = LLVMBuildBitCast(b, LLVMBuildSelect(b, small, big, x, ""), it, "");
	LLVMValueRef shift = emit_int(it, f->fraction_bits);
	LLVMValueRef n = LLVMBuildAShr(b, LLVMBuildSub(b, bits, emit_int(it, f->root_bits), ""), shift, "");
	LLVMValueRef m = LLVMBuildBitCast(b, LLVMBuildSub(b, bits, LLVMBuildShl(b, n, shift, ""), ""), t, "");
	LLVMValueRef lowered = LLVMBuildSub(b, n, shift, "");
	n = LLVMBuildSIToFP(b, LLVMBuildSelect(b, small, lowered, n, ""), t, "");
	LLVMValueRef part = LLVMBuildFSub(b, m, constant_like(x, 1.0), "");
	return log_special(e, x, wide ? log_of_parts64(e, part, n) : log_of_parts32(e, part, n));
}

LLVMValueRef math_rsqrt(struct emitter *e, LLVMValueRef x)
{
	return LLVMBuildFDiv(e->builder, constant_like(x, 1.0), emit_intrinsic1(e, "llvm.sqrt", x), "");
}

/* Markstein: with r = 1/y rounded correctly and q = x r, q + r (x - q y) is the quotient rounded correctly. Where that
 * is not a number (zeros, infinities) q is the quotient already. A tiny y is scaled up with x, lest 1/y overflow. */
LLVMValueRef math_divide_all(struct emitter *e, LLVMValueRef x, LLVMValueRef y)
{
	LLVMBuilderRef b = e->builder;
	int lanes = emit_lanes(LLVMTypeOf(x));
	LLVMValueRef one = constant_like(y, 1.0), size = emit_intrinsic1(e, "llvm.fabs", y);
	LLVMValueRef tiny = LLVMBuildFCmp(b, LLVMRealOLT, size, constant_like(y, 0x1p-64), "");
	LLVMValueRef scale = LLVMBuildSelect(b, tiny, constant_like(y, 0x1p64), one, "");
	LLVMValueRef scaled = LLVMBuildFMul(b, y, scale, ""), reciprocal = LLVMBuildFDiv(b, one, scaled, "");
	LLVMValueRef minus = emit_splat(e, LLVMBuildFNeg(b, scaled, ""), lanes), r = emit_splat(e, reciprocal, lanes);
	x = LLVMBuildFMul(b, x, emit_splat(e, scale, lanes), "");
	LLVMValueRef q = LLVMBuildFMul(b, x, r, ""), rest = emit_fma(e, q, minus, x);
	LLVMValueRef corrected = emit_fma(e, rest, r, q);
	LLVMValueRef lost = LLVMBuildFCmp(b, LLVMRealUNO, corrected, corrected, "");
	return LLVMBuildSelect(b, lost, q, corrected, "");
}

/* The machine's estimate of 1 / d, f32: the same for a scalar and in a vector of 16. */
static LLVMValueRef estimated_reciprocal(struct emitter *e, LLVMValueRef d)
{
	if (emit_lanes(LLVMTypeOf(d))) {
		LLVMValueRef arguments[] = {d, d, emit_int(e->i16, -1)};
		return emit_intrinsic(e, "llvm.x86.avx512.rcp14.ps.512", NULL, 0, arguments, 3);
	}
	LLVMValueRef four = emit_splat(e, d, 4), arguments[] = {four, four, four, emit_int(e->i8, -1)};
	return emit_lane(e, emit_intrinsic(e, "llvm.x86.avx512.rcp14.ss", NULL, 0, arguments, 4), 0);
}

/* n / d to the last bit or so, where n, d and 1 / d are normal numbers of f32: the machine's estimate of 1 / d and one
 * Newton step. */
static LLVMValueRef quick_divide(struct emitter *e, LLVMValueRef n, LLVMValueRef d)
{
	if (!e->target->scalef)
		return LLVMBuildFDiv(e->builder, n, d, "");
	LLVMValueRef y = estimated_reciprocal(e, d);
	LLVMValueRef error = emit_fma(e, LLVMBuildFNeg(e->builder, d, ""), y, constant_like(d, 1.0));
	return LLVMBuildFMul(e->builder, n, emit_fma(e, y, error, y), "");
}

static LLVMValueRef copy_sign(struct emitter *e, LLVMValueRef x, LLVMValueRef sign)
{
	LLVMTypeRef t = LLVMTypeOf(x);
	return emit_intrinsic(e, "llvm.copysign", &t, 1, (LLVMValueRef[]){x, sign}, 2);
}

/* 2^n as a number of f32, |n| < 127. */
static LLVMValueRef power_of_two(struct emitter *e, LLVMValueRef rounded)
{
	LLVMTypeRef t = LLVMTypeOf(rounded), it = int_type_of(e, rounded);
	LLVMValueRef n = LLVMBuildShl(e->builder, LLVMBuildBitCast(e->builder, rounded, it, ""), emit_int(it, 23), "");
	return LLVMBuildBitCast(e->builder, LLVMBuildAdd(e->builder, n, emit_int(it, 0x3f800000), ""), t, "");
}

/* t / (t + 2) with t = exp 2x - 1 = 2^n part + (2^n - 1), which loses nothing near 0. From 9.1 on it is 1 to the last
 * bit. */
LLVMValueRef math_tanh(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	if (is_f64(e, x))
		return math_library(e, "tanh", x, NULL);
	LLVMValueRef n, rounded, a = clamp(e, x, -9.5, 9.5);
	LLVMValueRef part = exp_parts(e, LLVMBuildFAdd(b, a, a, ""), &rounded, &n), power = power_of_two(e, rounded);
	LLVMValueRef t = emit_fma(e, power, part, LLVMBuildFSub(b, power, constant_like(x, 1.0), ""));
	return copy_sign(e, quick_divide(e, t, LLVMBuildFAdd(b, t, constant_like(x, 2.0), "")), x);
}

/* |x| < 0.93: x + x P(x^2); else 1 - exp(-Q(|x|)), where Q is -log erfc; from 4 on the result is 1. */
LLVMValueRef math_erf(struct emitter *e, LLVMValueRef x)
{
	static const double c[] = {0.128379167,   -0.376126332,    0.112836872,   -0.0268589415,
				   0.00519990669, -0.000813001284, 8.31677577e-05};
	static const double q[] = {0.000166456809, 1.1277972,     0.636976154,    0.104113613,
				   -0.0223151799,  0.00306548159, -0.000198218728};
	LLVMBuilderRef b = e->builder;
	if (is_f64(e, x))
		return math_library(e, "erf", x, NULL);
	LLVMValueRef z = LLVMBuildFMul(b, x, x, "");
	LLVMValueRef near = emit_fma(e, x, math_polynomial(e, z, c, 7), x);
	LLVMValueRef a = emit_intrinsic1(e, "llvm.fabs", x);
	LLVMValueRef t = clamp(e, a, 0.0, 4.0);
	LLVMValueRef lost = math_exp(e, LLVMBuildFNeg(b, math_polynomial(e, t, q, 7), ""));
	LLVMValueRef far = copy_sign(e, LLVMBuildFSub(b, constant_like(x, 1.0), lost, ""), x);
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, a, constant_like(x, 0.93), ""), near, far, "");
}

/* erfinv to six digits, of 0 <= a < 1 and w = -log(1 - a^2), f64. */
static LLVMValueRef erfinv_guess(struct emitter *e, LLVMValueRef a, LLVMValueRef w)
{
	static const double near[] = {0.8862266888,     0.2320213654,  0.01150927371,   -0.002256760912,
				      -0.0002027748976, 8.51208821e-5, -8.709459285e-6, 3.156328544e-7};
	static const double far[] = {0.1251638192,   0.6502807623,     0.1683407178,  -0.04280684098,
				     0.006235757126, -0.0004916307422, 1.629911007e-5};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef close = LLVMBuildFMul(b, a, math_polynomial(e, w, near, 8), "");
	LLVMValueRef distant = math_polynomial(e, emit_intrinsic1(e, "llvm.sqrt", w), far, 7);
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, w, constant_like(w, 5.0), ""), close, distant, "");
}

/* Halley's step from the guess y for |x|: with d the difference of erf y from it, by what is left to 1 where that has
 * more digits, over the slope there, y - d / (1 + y d). Computed in f64. */
LLVMValueRef math_erfinv(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	if (!is_f64(e, x)) {
		LLVMValueRef wide = LLVMBuildFPExt(b, x, emit_type_like(e->f64, LLVMTypeOf(x)), "");
		return LLVMBuildFPTrunc(b, math_erfinv(e, wide), LLVMTypeOf(x), "");
	}
	LLVMValueRef one = constant_like(x, 1.0), a = emit_intrinsic1(e, "llvm.fabs", x);
	LLVMValueRef rest = LLVMBuildFSub(b, one, a, "");
	LLVMValueRef w = LLVMBuildFNeg(b, math_log(e, LLVMBuildFMul(b, rest, LLVMBuildFAdd(b, one, a, ""), "")), "");
	LLVMValueRef y = erfinv_guess(e, a, w);
	LLVMValueRef below = LLVMBuildFSub(b, math_library(e, "erf", y, NULL), a, "");
	LLVMValueRef above = LLVMBuildFSub(b, rest, math_library(e, "erfc", y, NULL), "");
	LLVMValueRef half = LLVMBuildFCmp(b, LLVMRealOLT, a, constant_like(x, 0.5), "");
	LLVMValueRef slope = math_exp(e, LLVMBuildFNeg(b, LLVMBuildFMul(b, y, y, ""), ""));
	slope = LLVMBuildFMul(b, constant_like(x, 1.12837916709551257390), slope, "");
	LLVMValueRef d = LLVMBuildFDiv(b, LLVMBuildSelect(b, half, below, above, ""), slope, "");
	LLVMValueRef step = LLVMBuildFDiv(b, d, LLVMBuildFAdd(b, one, LLVMBuildFMul(b, y, d, ""), ""), "");
	LLVMValueRef end = LLVMBuildFCmp(b, LLVMRealOEQ, a, one, "");
	LLVMValueRef inside = LLVMBuildFSub(b, y, step, "");
	return copy_sign(e, LLVMBuildSelect(b, end, constant_like(x, INFINITY), inside, ""), x);
}

/* With u the rounded 1 + x, log u * x / (u - 1): both quotients are off alike (Kahan). Where 1 + x is exact, log u;
 * where it is 1, x. */
LLVMValueRef math_log1p(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	if (is_f64(e, x))
		return math_library(e, "log1p", x, NULL);
	LLVMValueRef one = constant_like(x, 1.0), u = LLVMBuildFAdd(b, x, one, "");
	LLVMValueRef back = LLVMBuildFSub(b, u, one, ""), log = math_log(e, u);
	LLVMValueRef y = LLVMBuildFMul(b, log, LLVMBuildFDiv(b, x, back, ""), "");
	y = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, back, x, ""), log, y, "");
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, u, one, ""), x, y, "");
}

/* 2^n part + (2^n - 1), which loses nothing near 0; below -18 it is -1 to the last bit, from 18 on exp x. */
LLVMValueRef math_expm1(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	if (is_f64(e, x))
		return math_library(e, "expm1", x, NULL);
	LLVMValueRef n, rounded, a = clamp(e, x, -18.0, 18.0);
	LLVMValueRef part = exp_parts(e, a, &rounded, &n), power = power_of_two(e, rounded);
	LLVMValueRef near = emit_fma(e, power, part, LLVMBuildFSub(b, power, constant_like(x, 1.0), ""));
	LLVMValueRef large = LLVMBuildFCmp(b, LLVMRealOGE, x, constant_like(x, 18.0), "");
	return LLVMBuildSelect(b, large, math_exp(e, x), copy_sign(e, near, x), "");
}

/* max(x, 0) + log1p(exp(-|x|)), which loses nothing on either side. */
LLVMValueRef math_softplus(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef zero = constant_like(x, 0), size = emit_intrinsic1(e, "llvm.fabs", x);
	LLVMValueRef positive = LLVMBuildFCmp(b, LLVMRealOGT, x, zero, "");
	LLVMValueRef rest = math_log1p(e, math_exp(e, LLVMBuildFNeg(b, size, "")));
	return LLVMBuildFAdd(b, LLVMBuildSelect(b, positive, x, zero, ""), rest, "");
}

/* With t = exp(-|x|), 1 / (1 + t), or t / (1 + t) where x is negative. */
LLVMValueRef math_sigmoid(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef one = constant_like(x, 1.0), zero = constant_like(x, 0.0);
	LLVMValueRef t = math_exp(e, LLVMBuildFNeg(b, emit_intrinsic1(e, "llvm.fabs", x), ""));
	LLVMValueRef above = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, x, zero, ""), one, t, "");
	LLVMValueRef below = LLVMBuildFAdd(b, t, one, "");
	return is_f64(e, x) ? LLVMBuildFDiv(b, above, below, "") : quick_divide(e, above, below);
}

/* What Annex F says of pow beyond exp(y log |x|): signs, and the cases where one argument decides. */
static LLVMValueRef pow_special(struct emitter *e, LLVMValueRef x, LLVMValueRef y, LLVMValueRef r)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef it = int_type_of(e, x);
	LLVMValueRef zero = constant_like(x, 0.0), one = constant_like(x, 1.0), infinity = constant_like(x, INFINITY);
	LLVMValueRef half = LLVMBuildFMul(b, y, constant_like(x, 0.5), "");
	LLVMValueRef whole = LLVMBuildFCmp(b, LLVMRealOEQ, emit_intrinsic1(e, "llvm.floor", y), y, "");
	LLVMValueRef odd = LLVMBuildFCmp(b, LLVMRealONE, emit_intrinsic1(e, "llvm.floor", half), half, "");
	LLVMValueRef signed_x = LLVMBuildICmp(b, LLVMIntSLT, LLVMBuildBitCast(b, x, it, ""), emit_int(it, 0), "");
	LLVMValueRef flip = LLVMBuildAnd(b, signed_x, LLVMBuildAnd(b, whole, odd, ""), "");
	r = LLVMBuildSelect(b, flip, LLVMBuildFNeg(b, r, ""), r, "");
	LLVMValueRef below = LLVMBuildAnd(b, LLVMBuildFCmp(b, LLVMRealOLT, x, zero, ""),
					  LLVMBuildFCmp(b, LLVMRealOGT, x, constant_like(x, -INFINITY), ""), "");
	LLVMValueRef bad = LLVMBuildAnd(b, below, LLVMBuildNot(b, whole, ""), "");
	r = LLVMBuildSelect(b, bad, constant_like(x, NAN), r, "");
	LLVMValueRef unit =
		LLVMBuildAnd(b, LLVMBuildFCmp(b, LLVMRealOEQ, x, constant_like(x, -1.0), ""),
			     LLVMBuildFCmp(b, LLVMRealOEQ, emit_intrinsic1(e, "llvm.fabs", y), infinity, ""), "");
	LLVMValueRef sure = LLVMBuildOr(b, LLVMBuildFCmp(b, LLVMRealOEQ, y, zero, ""),
					LLVMBuildFCmp(b, LLVMRealOEQ, x, one, ""), "");
	return LLVMBuildSelect(b, LLVMBuildOr(b, sure, unit, ""), one, r, "");
}

LLVMValueRef math_pow(struct emitter *e, LLVMValueRef x, LLVMValueRef y)
{
	LLVMBuilderRef b = e->builder;
	if (is_f64(e, x))
		return math_library(e, "pow", x, y);
	LLVMTypeRef t = LLVMTypeOf(x), wide = emit_type_like(e->f64, t);
	LLVMValueRef log = math_log(e, LLVMBuildFPExt(b, emit_intrinsic1(e, "llvm.fabs", x), wide, ""));
	LLVMValueRef power = LLVMBuildFMul(b, LLVMBuildFPExt(b, y, wide, ""), log, "");
	return pow_special(e, x, y, LLVMBuildFPTrunc(b, math_exp(e, power), t, ""));
}
