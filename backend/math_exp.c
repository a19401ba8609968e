/* math_exp.c — exp, log and what follows from them: tanh, log1p, expm1, softplus, sigmoid.
 * exp: x = n ln 2 + r with n rounded by adding 1.5 * 2^23 (2^52), exp r = 1 + r + r^2 P(r), then times 2^n. log: x = m
 * 2^n with m in [sqrt 1/2, sqrt 2), log m by a polynomial in m - 1 (f32) or in (m - 1) / (m + 1) (f64). */
#include "math_parts.h"

#include <math.h>

/* Numbers that differ between f32 and f64. */
struct format {
	int fraction_bits, bias;
	double rounder;           /* 1.5 * 2^fraction_bits: adding it rounds to an integer */
	double exp_low, exp_high; /* outside, exp is 0 or infinite */
	double exp_normal;        /* of what is no larger, exp is a normal number */
	double ln2_high, ln2_low; /* high: so few bits that n * high is exact */
	double tiny, tiny_scale;  /* denormals are scaled up before taking the exponent */
	int64_t root_bits;        /* sqrt 1/2 as an integer */
	double tanh_end;          /* from here on tanh is 1 */
	double expm1_end;         /* from here on expm1 x is exp x, and of -x it is -1 */
};
static const struct format formats[] = {
	{23, 127, 0x1.8p23, -104.0, 89.0, 87.0, 0x1.62e4p-1, 0x1.7f7d1cp-20, 0x1p-126, 0x1p23, 0x3f3504f3, 9.5, 18.0},
	{52, 1023, 0x1.8p52, -746.0, 710.0, 708.0, 0x1.62e42fee00000p-1, 0x1.a39ef35793c76p-33, 0x1p-1022, 0x1p52,
	 0x3fe6a09e667f3bcd, 19.5, 40.0},
};

static const struct format *format_of(const struct emitter *e, LLVMValueRef x)
{
	return &formats[math_is_f64(e, x)];
}

bool math_is_f64(const struct emitter *e, LLVMValueRef x)
{
	return emit_element(LLVMTypeOf(x)) == e->f64;
}

LLVMTypeRef math_bits_type(const struct emitter *e, LLVMValueRef x)
{
	return emit_type_like(math_is_f64(e, x) ? e->i64 : e->i32, LLVMTypeOf(x));
}

LLVMValueRef math_constant(LLVMValueRef x, double v)
{
	return emit_float(LLVMTypeOf(x), v);
}

LLVMValueRef math_polynomial(struct emitter *e, LLVMValueRef x, const double *c, int n)
{
	LLVMValueRef p = math_constant(x, c[n - 1]);
	for (int i = n - 2; i >= 0; i--)
		p = emit_fma(e, p, x, math_constant(x, c[i]));
	return p;
}

LLVMValueRef math_polynomial_in_pairs(struct emitter *e, LLVMValueRef x, const double *c, int n)
{
	enum { MOST = 32 };
	LLVMValueRef part[MOST], power = x;
	int left = n - 1;
	for (int i = 0; i < left; i++)
		part[i] = math_constant(x, c[i + 1]);
	for (; left > 1; left = (left + 1) / 2) {
		for (int i = 0; i < left; i += 2)
			part[i / 2] = i + 1 < left ? emit_fma(e, part[i + 1], power, part[i]) : part[i];
		power = LLVMBuildFMul(e->builder, power, power, "");
	}
	return emit_fma(e, part[0], x, math_constant(x, c[0]));
}

/* p * 2^n in two steps, so that results near the ends of the range overflow and underflow as they should. */
static LLVMValueRef scale_by_parts(struct emitter *e, const struct format *f, LLVMValueRef p, LLVMValueRef rounded)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(p), it = math_bits_type(e, p);
	LLVMValueRef shift = emit_int(it, f->fraction_bits), bias = emit_int(it, f->bias);
	LLVMValueRef zero = LLVMBuildBitCast(b, math_constant(p, f->rounder), it, "");
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
	bool wide = math_is_f64(e, p);
	if (wide && emit_lanes(LLVMTypeOf(p)) == 16) {
		LLVMValueRef low = scale_by_instruction(e, emit_half(e, p, false), emit_half(e, n, false));
		return emit_joined(e, low, scale_by_instruction(e, emit_half(e, p, true), emit_half(e, n, true)));
	}
	LLVMValueRef all = wide ? emit_int(e->i8, -1) : emit_int(e->i16, -1);
	LLVMValueRef arguments[] = {p, n, p, all, emit_i32(e, 4)};
	return emit_intrinsic(e, wide ? "llvm.x86.avx512.mask.scalef.pd.512" : "llvm.x86.avx512.mask.scalef.ps.512",
			      NULL, 0, arguments, 5);
}

LLVMValueRef math_clamp(struct emitter *e, LLVMValueRef x, double low, double high)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef l = math_constant(x, low), h = math_constant(x, high);
	x = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, x, h, ""), h, x, "");
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, x, l, ""), l, x, "");
}

/* exp(x + low) = (1 + part) 2^n; *rounded is n plus the format's rounder. low: NULL is 0. */
static LLVMValueRef exp_parts(struct emitter *e, LLVMValueRef x, LLVMValueRef low, LLVMValueRef *rounded,
			      LLVMValueRef *n)
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
	bool wide = math_is_f64(e, x);
	const struct format *f = format_of(e, x);
	LLVMValueRef rounder = math_constant(x, f->rounder);
	*rounded = emit_fma(e, x, math_constant(x, 1.4426950408889634), rounder);
	*n = LLVMBuildFSub(e->builder, *rounded, rounder, "");
	LLVMValueRef r = emit_fma(e, *n, math_constant(x, -f->ln2_high), x);
	r = emit_fma(e, *n, math_constant(x, -f->ln2_low), r);
	if (low)
		r = LLVMBuildFAdd(e->builder, r, low, "");
	LLVMValueRef p = wide ? math_polynomial(e, r, c64, 11) : math_polynomial(e, r, c32, 5);
	return emit_fma(e, LLVMBuildFMul(e->builder, r, r, ""), p, r);
}

/* What is hidden of the scores of attention is -1e30 before exp. A result that is all but a subnormal number takes 200
 * times as long as others: the instruction's is 0 at once far below, and products have a factor 0. */
enum { FAR_BELOW = 16 };

LLVMValueRef math_exp_sum(struct emitter *e, LLVMValueRef x, LLVMValueRef rest)
{
	const struct format *f = format_of(e, x);
	bool scalef = e->target->scalef && emit_lanes(LLVMTypeOf(x)) == 16;
	LLVMValueRef zero = math_constant(x, 0.0), one = math_constant(x, 1.0), low = math_constant(x, f->exp_low);
	LLVMValueRef rounded, n;
	LLVMValueRef bounded = math_clamp(e, x, scalef ? FAR_BELOW * f->exp_low : f->exp_low, f->exp_high);
	LLVMValueRef p = LLVMBuildFAdd(e->builder, exp_parts(e, bounded, rest, &rounded, &n), one, "");
	if (scalef)
		return scale_by_instruction(e, p, n);
	p = LLVMBuildSelect(e->builder, LLVMBuildFCmp(e->builder, LLVMRealOLT, x, low, ""), zero, p, "");
	return scale_by_parts(e, f, p, rounded);
}

static LLVMValueRef exp_anywhere(struct emitter *e, LLVMValueRef x)
{
	return math_exp_sum(e, x, NULL);
}

/* Without the instruction vectors are looked at for what is near the ends of the range: powers of two in between are
 * one number each, by which 1 + part is the same bits. What is far below, as hidden scores are, stays with the usual.
 */
LLVMValueRef math_exp(struct emitter *e, LLVMValueRef x)
{
	if (e->target->scalef || !emit_lanes(LLVMTypeOf(x)))
		return exp_anywhere(e, x);
	LLVMBuilderRef b = e->builder;
	const struct format *f = format_of(e, x);
	LLVMValueRef below = LLVMBuildFCmp(b, LLVMRealOLT, x, math_constant(x, f->exp_low), "");
	LLVMValueRef usual = LLVMBuildSelect(b, below, math_constant(x, 0), math_exp_normal(e, x), "");
	LLVMValueRef far =
		LLVMBuildFCmp(b, LLVMRealUGT, emit_intrinsic1(e, "llvm.fabs", x), math_constant(x, f->exp_normal), "");
	struct math_branch rare = math_rarely(e, LLVMBuildAnd(b, far, LLVMBuildNot(b, below, ""), ""));
	return math_mixed(e, &rare, math_apart(e, "exp", exp_anywhere, x), usual);
}

/* log of m 2^n from f = m - 1, f32: f - f^2/2 + f^3 P(f) + n ln 2, small terms first. */
static LLVMValueRef log_of_parts32(struct emitter *e, LLVMValueRef f, LLVMValueRef n)
{
	static const double c[] = {0.333333126,  -0.250000096, 0.200021187,  -0.166679959, 0.142195516,
				   -0.124055872, 0.118881655,  -0.116756644, 0.0674665006};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef square = LLVMBuildFMul(b, f, f, "");
	LLVMValueRef tail = LLVMBuildFMul(b, LLVMBuildFMul(b, square, f, ""), math_polynomial(e, f, c, 9), "");
	tail = emit_fma(e, n, math_constant(f, formats[0].ln2_low), tail);
	tail = emit_fma(e, square, math_constant(f, -0.5), tail);
	return emit_fma(e, n, math_constant(f, formats[0].ln2_high), LLVMBuildFAdd(b, f, tail, ""));
}

/* The same for f64: log(1 + f) = f - (f^2/2 - s (f^2/2 + s^2 P(s^2))) with s = f / (2 + f). */
static LLVMValueRef log_of_parts64(struct emitter *e, LLVMValueRef f, LLVMValueRef n)
{
	static const double c[] = {0.6666666666666666, 0.4000000000000633,  0.28571428569058505, 0.22222222650939558,
				   0.181817753325222,  0.15387105381093988, 0.1324978697174695,  0.13254353254551665};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef s = LLVMBuildFDiv(b, f, LLVMBuildFAdd(b, f, math_constant(f, 2.0), ""), "");
	LLVMValueRef z = LLVMBuildFMul(b, s, s, "");
	LLVMValueRef half = LLVMBuildFMul(b, LLVMBuildFMul(b, f, f, ""), math_constant(f, 0.5), "");
	LLVMValueRef inner = emit_fma(e, z, math_polynomial(e, z, c, 8), half);
	LLVMValueRef tail = LLVMBuildFMul(b, s, inner, "");
	tail = emit_fma(e, n, math_constant(f, formats[1].ln2_low), tail);
	tail = LLVMBuildFSub(b, LLVMBuildFSub(b, half, tail, ""), f, "");
	return LLVMBuildFSub(b, LLVMBuildFMul(b, n, math_constant(f, formats[1].ln2_high), ""), tail, "");
}

static LLVMValueRef log_special(struct emitter *e, LLVMValueRef x, LLVMValueRef y)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef zero = math_constant(x, 0.0), infinity = math_constant(x, INFINITY);
	y = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, x, infinity, ""), infinity, y, "");
	y = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealULT, x, zero, ""), math_constant(x, NAN), y, "");
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, x, zero, ""), math_constant(x, -INFINITY), y, "");
}

/* f as of math_split of a normal number, and the exponent as an int. */
static LLVMValueRef split_normal(struct emitter *e, LLVMValueRef x, LLVMValueRef *exponent)
{
	LLVMBuilderRef b = e->builder;
	const struct format *f = format_of(e, x);
	LLVMTypeRef t = LLVMTypeOf(x), it = math_bits_type(e, x);
	LLVMValueRef bits = LLVMBuildBitCast(b, x, it, ""), shift = emit_int(it, f->fraction_bits);
	*exponent = LLVMBuildAShr(b, LLVMBuildSub(b, bits, emit_int(it, f->root_bits), ""), shift, "");
	LLVMValueRef m = LLVMBuildBitCast(b, LLVMBuildSub(b, bits, LLVMBuildShl(b, *exponent, shift, ""), ""), t, "");
	return LLVMBuildFSub(b, m, math_constant(x, 1.0), "");
}

/* An exponent as a float like x. Vectors of f64 have no instruction for it before AVX-512, and go element by element:
 * there by the bits of 1.5 * 2^52, to which a small int is added. */
static LLVMValueRef exponent_as_float(struct emitter *e, LLVMValueRef exponent, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(x);
	if (!math_is_f64(e, x) || e->target->scalef || !emit_lanes(t))
		return LLVMBuildSIToFP(b, exponent, t, "");
	LLVMValueRef rounder = math_constant(x, format_of(e, x)->rounder);
	LLVMValueRef bits = LLVMBuildBitCast(b, rounder, LLVMTypeOf(exponent), "");
	return LLVMBuildFSub(b, LLVMBuildBitCast(b, LLVMBuildAdd(b, exponent, bits, ""), t, ""), rounder, "");
}

LLVMValueRef math_split(struct emitter *e, LLVMValueRef x, LLVMValueRef *n)
{
	LLVMBuilderRef b = e->builder;
	const struct format *f = format_of(e, x);
	LLVMValueRef small = LLVMBuildFCmp(b, LLVMRealOLT, x, math_constant(x, f->tiny), "");
	LLVMValueRef big = LLVMBuildFMul(b, x, math_constant(x, f->tiny_scale), "");
	LLVMValueRef exponent, part = split_normal(e, LLVMBuildSelect(b, small, big, x, ""), &exponent);
	LLVMValueRef lowered = LLVMBuildSub(b, exponent, emit_int(LLVMTypeOf(exponent), f->fraction_bits), "");
	*n = exponent_as_float(e, LLVMBuildSelect(b, small, lowered, exponent, ""), x);
	return part;
}

LLVMValueRef math_log_short(struct emitter *e, LLVMValueRef x)
{
	static const double c[] = {0x1.555554fdbd2fdp-1, 0x1.999a7a5cfec72p-2, 0x1.2438e1793dbc9p-2,
				   0x1.e2f50fb84307ap-3};
	LLVMBuilderRef b = e->builder;
	LLVMValueRef exponent, f = split_normal(e, x, &exponent);
	LLVMValueRef n = exponent_as_float(e, exponent, x);
	LLVMValueRef s = LLVMBuildFDiv(b, f, LLVMBuildFAdd(b, f, math_constant(x, 2.0), ""), "");
	LLVMValueRef z = LLVMBuildFMul(b, s, s, ""), cube = LLVMBuildFMul(b, z, s, "");
	LLVMValueRef part = emit_fma(e, cube, math_polynomial(e, z, c, 4), LLVMBuildFAdd(b, s, s, ""));
	return emit_fma(e, n, math_constant(x, 0x1.62e42fefa39efp-1), part);
}

static LLVMValueRef log_of_parts(struct emitter *e, LLVMValueRef f, LLVMValueRef n)
{
	return math_is_f64(e, f) ? log_of_parts64(e, f, n) : log_of_parts32(e, f, n);
}

LLVMValueRef math_log_normal(struct emitter *e, LLVMValueRef x)
{
	LLVMValueRef exponent, f = split_normal(e, x, &exponent);
	return log_of_parts(e, f, exponent_as_float(e, exponent, x));
}

static LLVMValueRef log_anywhere(struct emitter *e, LLVMValueRef x)
{
	LLVMValueRef n, part = math_split(e, x, &n);
	return log_special(e, x, log_of_parts(e, part, n));
}

/* Of vectors what is not a positive normal number is looked for in all lanes at once. Zeros may be many, as in x log x
 * of what is one or nothing: they cost no more than that they are looked at one by one. Subnormal numbers need another
 * exponent. */
LLVMValueRef math_log(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	if (!emit_lanes(LLVMTypeOf(x)))
		return log_anywhere(e, x);
	LLVMValueRef usual = math_log_normal(e, x), tiny = math_constant(x, format_of(e, x)->tiny);
	LLVMValueRef low = LLVMBuildFCmp(b, LLVMRealULT, x, tiny, "");
	LLVMValueRef endless = LLVMBuildFCmp(b, LLVMRealOEQ, x, math_constant(x, INFINITY), "");
	struct math_branch special = math_rarely(e, LLVMBuildOr(b, low, endless, ""));
	LLVMValueRef named = log_special(e, x, usual);
	LLVMValueRef positive = LLVMBuildFCmp(b, LLVMRealOGT, x, math_constant(x, 0), "");
	low = LLVMBuildFCmp(b, LLVMRealOLT, x, tiny, "");
	struct math_branch subnormal = math_rarely(e, LLVMBuildAnd(b, positive, low, ""));
	LLVMValueRef there = math_mixed(e, &subnormal, math_apart(e, "log", log_anywhere, x), named);
	return math_mixed(e, &special, there, usual);
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

/* n / d to the last bit or so, where n, d and 1 / d are normal numbers: of f32 by the machine's estimate of 1 / d and
 * one Newton step. */
static LLVMValueRef quick_divide(struct emitter *e, LLVMValueRef n, LLVMValueRef d)
{
	if (!e->target->scalef || math_is_f64(e, n))
		return LLVMBuildFDiv(e->builder, n, d, "");
	LLVMValueRef y = estimated_reciprocal(e, d);
	LLVMValueRef error = emit_fma(e, LLVMBuildFNeg(e->builder, d, ""), y, math_constant(d, 1.0));
	return LLVMBuildFMul(e->builder, n, emit_fma(e, y, error, y), "");
}

LLVMValueRef math_copy_sign(struct emitter *e, LLVMValueRef x, LLVMValueRef sign)
{
	LLVMTypeRef t = LLVMTypeOf(x);
	return emit_intrinsic(e, "llvm.copysign", &t, 1, (LLVMValueRef[]){x, sign}, 2);
}

/* 2^n, where n is no less than the least exponent of normal numbers. */
static LLVMValueRef power_of_two(struct emitter *e, LLVMValueRef rounded)
{
	const struct format *f = format_of(e, rounded);
	LLVMTypeRef t = LLVMTypeOf(rounded), it = math_bits_type(e, rounded);
	LLVMValueRef one = emit_int(it, (int64_t)f->bias << f->fraction_bits),
		     bits = LLVMBuildBitCast(e->builder, rounded, it, "");
	LLVMValueRef n = LLVMBuildShl(e->builder, bits, emit_int(it, f->fraction_bits), "");
	return LLVMBuildBitCast(e->builder, LLVMBuildAdd(e->builder, n, one, ""), t, "");
}

LLVMValueRef math_exp_normal(struct emitter *e, LLVMValueRef x)
{
	LLVMValueRef rounded, n, part = exp_parts(e, x, NULL, &rounded, &n), power = power_of_two(e, rounded);
	return emit_fma(e, power, part, power);
}

/* t / (t + 2) with t = exp 2x - 1 = 2^n part + (2^n - 1), which loses nothing near 0. From 9.1 on (f64: 19.1) it is 1
 * to the last bit. */
LLVMValueRef math_tanh(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	double end = format_of(e, x)->tanh_end;
	LLVMValueRef n, rounded, a = math_clamp(e, x, -end, end);
	LLVMValueRef part = exp_parts(e, LLVMBuildFAdd(b, a, a, ""), NULL, &rounded, &n),
		     power = power_of_two(e, rounded);
	LLVMValueRef t = emit_fma(e, power, part, LLVMBuildFSub(b, power, math_constant(x, 1.0), ""));
	return math_copy_sign(e, quick_divide(e, t, LLVMBuildFAdd(b, t, math_constant(x, 2.0), "")), x);
}

/* With u the rounded 1 + x, log u * x / (u - 1): both quotients are off alike (Kahan). Where 1 + x is exact, log u;
 * where it is 1, x. */
LLVMValueRef math_log1p(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef one = math_constant(x, 1.0), u = LLVMBuildFAdd(b, x, one, "");
	LLVMValueRef back = LLVMBuildFSub(b, u, one, ""), log = math_log(e, u);
	LLVMValueRef y = LLVMBuildFMul(b, log, LLVMBuildFDiv(b, x, back, ""), "");
	y = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, back, x, ""), log, y, "");
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, u, one, ""), x, y, "");
}

/* 2^n part + (2^n - 1), which loses nothing near 0; below -18 (f64: -40) it is -1 to the last bit, from 18 on exp x. */
LLVMValueRef math_expm1(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	double end = format_of(e, x)->expm1_end;
	LLVMValueRef n, rounded, a = math_clamp(e, x, -end, end);
	LLVMValueRef part = exp_parts(e, a, NULL, &rounded, &n), power = power_of_two(e, rounded);
	LLVMValueRef near = emit_fma(e, power, part, LLVMBuildFSub(b, power, math_constant(x, 1.0), ""));
	LLVMValueRef large = LLVMBuildFCmp(b, LLVMRealOGE, x, math_constant(x, end), "");
	return LLVMBuildSelect(b, large, math_exp(e, x), math_copy_sign(e, near, x), "");
}

/* max(x, 0) + log1p(exp(-|x|)), which loses nothing on either side. */
LLVMValueRef math_softplus(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef zero = math_constant(x, 0), size = emit_intrinsic1(e, "llvm.fabs", x);
	LLVMValueRef positive = LLVMBuildFCmp(b, LLVMRealOGT, x, zero, "");
	LLVMValueRef rest = math_log1p(e, math_exp(e, LLVMBuildFNeg(b, size, "")));
	return LLVMBuildFAdd(b, LLVMBuildSelect(b, positive, x, zero, ""), rest, "");
}

/* With t = exp(-|x|), 1 / (1 + t), or t / (1 + t) where x is negative. */
LLVMValueRef math_sigmoid(struct emitter *e, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef one = math_constant(x, 1.0), zero = math_constant(x, 0.0);
	LLVMValueRef t = math_exp(e, LLVMBuildFNeg(b, emit_intrinsic1(e, "llvm.fabs", x), ""));
	LLVMValueRef above = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, x, zero, ""), one, t, "");
	LLVMValueRef below = LLVMBuildFAdd(b, t, one, "");
	return quick_divide(e, above, below);
}
