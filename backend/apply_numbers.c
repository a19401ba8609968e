/* apply_numbers.c — arithmetic, comparison and choice, functions of bools, conversions. */
#include "apply_code.h"

#include "math.h"

#include <float.h>
#include <math.h>

/* ---- arithmetic ---- */

typedef LLVMValueRef binary_builder(LLVMBuilderRef, LLVMValueRef, LLVMValueRef, const char *);

static LLVMValueRef by_kind(const struct application *a, binary_builder *on_float, binary_builder *on_int,
			    binary_builder *on_bool)
{
	binary_builder *build = a->is_float ? on_float : a->is_bool ? on_bool : on_int;
	return apply_rounded(a, build(a->e->builder, a->x[0], a->x[1], ""));
}

LLVMValueRef code_add(const struct application *a)
{
	return by_kind(a, LLVMBuildFAdd, LLVMBuildAdd, LLVMBuildOr);
}

LLVMValueRef code_sub(const struct application *a)
{
	return by_kind(a, LLVMBuildFSub, LLVMBuildSub, LLVMBuildXor);
}

LLVMValueRef code_mul(const struct application *a)
{
	return by_kind(a, LLVMBuildFMul, LLVMBuildMul, LLVMBuildAnd);
}

/* What a constant's elements all are; nothing of what is no constant. */
enum { IS_NUMBER = 1, IS_NOT_ZERO = 2, IS_MINUS_ZERO = 4, IS_ZERO = 8 };

static unsigned facts_of_constant(LLVMValueRef x)
{
	LLVMTypeRef t = LLVMTypeOf(x);
	bool vector = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
	unsigned facts = LLVMIsConstant(x) ? ~0u : 0;
	for (unsigned i = 0; facts && i < (vector ? LLVMGetVectorSize(t) : 1); i++) {
		LLVMBool inexact;
		LLVMValueRef element = vector ? LLVMGetAggregateElement(x, i) : x;
		if (!element || !LLVMIsAConstantFP(element))
			return 0;
		double f = LLVMConstRealGetDouble(element, &inexact);
		facts &= isnan(f)      ? 0
			 : f != 0      ? IS_NUMBER | IS_NOT_ZERO
			 : !signbit(f) ? IS_NUMBER | IS_ZERO
				       : IS_NUMBER | IS_MINUS_ZERO;
	}
	return facts;
}

/* LLVM takes lanes that it knows to be 0 on both sides, of a masked load say, for lanes whose quotient is 0, not NaN,
 * and leaves out what chooses another value for them (14 to 21): one side is hidden from it unless the other is never
 * 0. */
static LLVMValueRef float_divide(const struct application *a)
{
	LLVMValueRef x = a->x[0], y = a->x[1];
	if (!((facts_of_constant(x) | facts_of_constant(y)) & IS_NOT_ZERO)) {
		if (LLVMIsConstant(x))
			y = emit_opaque(a->e, y);
		else
			x = emit_opaque(a->e, x);
	}
	return apply_rounded(a, LLVMBuildFDiv(a->e->builder, x, y, ""));
}

/* y is not 0, nor -1 if signed. Processors divide ints one by one: those of vectors are divided as floats of twice as
 * many bits or so, for x / y is a whole number or, of |x| < 2^n, at least 2^-n of itself away from the next one, so
 * that it is cut to the right one. */
static LLVMValueRef quotient(struct emitter *e, bool is_signed, LLVMValueRef x, LLVMValueRef y)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(x);
	unsigned bits = LLVMGetIntTypeWidth(emit_element(t));
	if (!emit_lanes(t) || bits > 32 || LLVMIsConstant(y))
		return is_signed ? LLVMBuildSDiv(b, x, y, "") : LLVMBuildUDiv(b, x, y, "");
	LLVMTypeRef real = emit_type_like(bits > 16 ? e->f64 : e->f32, t);
	if (is_signed) {
		LLVMValueRef q = LLVMBuildFDiv(b, LLVMBuildSIToFP(b, x, real, ""), LLVMBuildSIToFP(b, y, real, ""), "");
		return LLVMBuildFPToSI(b, q, t, "");
	}
	LLVMValueRef q = LLVMBuildFDiv(b, LLVMBuildUIToFP(b, x, real, ""), LLVMBuildUIToFP(b, y, real, ""), "");
	return LLVMBuildFPToUI(b, q, t, "");
}

/* Quotient that truncates, with x / 0 = 0 and the least number over -1 wrapping. Lanes that divide by 0 divide by 1. */
static LLVMValueRef int_divide(struct emitter *e, bool is_signed, LLVMValueRef x, LLVMValueRef y)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(x);
	LLVMValueRef zero = emit_int(t, 0), one = emit_int(t, 1);
	LLVMValueRef by_zero = LLVMBuildICmp(b, LLVMIntEQ, y, zero, "");
	LLVMValueRef safe = LLVMBuildSelect(b, by_zero, one, y, "");
	LLVMValueRef q;
	if (is_signed) {
		LLVMValueRef by_minus = LLVMBuildICmp(b, LLVMIntEQ, y, emit_int(t, -1), "");
		safe = LLVMBuildSelect(b, by_minus, one, safe, "");
		q = quotient(e, true, x, safe);
		q = LLVMBuildSelect(b, by_minus, LLVMBuildNeg(b, x, ""), q, "");
	} else {
		q = quotient(e, false, x, safe);
	}
	return LLVMBuildSelect(b, by_zero, zero, q, "");
}

static LLVMValueRef int_modulo(struct emitter *e, bool is_signed, LLVMValueRef x, LLVMValueRef y)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef zero = emit_int(LLVMTypeOf(x), 0);
	LLVMValueRef rest = LLVMBuildSub(b, x, LLVMBuildMul(b, int_divide(e, is_signed, x, y), y, ""), "");
	return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, y, zero, ""), zero, rest, "");
}

LLVMValueRef code_div(const struct application *a)
{
	if (a->is_float)
		return float_divide(a);
	if (a->is_bool)
		return LLVMBuildAnd(a->e->builder, a->x[0], a->x[1], "");
	return int_divide(a->e, a->is_signed, a->x[0], a->x[1]);
}

LLVMValueRef code_mod(const struct application *a)
{
	if (a->is_bool)
		return LLVMConstNull(LLVMTypeOf(a->x[0]));
	if (!a->is_float)
		return int_modulo(a->e, a->is_signed, a->x[0], a->x[1]);
	return apply_rounded(a, math_fmod(a->e, a->x[0], a->x[1]));
}

LLVMValueRef code_neg(const struct application *a)
{
	if (a->is_bool)
		return a->x[0];
	return a->is_float ? LLVMBuildFNeg(a->e->builder, a->x[0], "") : LLVMBuildNeg(a->e->builder, a->x[0], "");
}

LLVMValueRef code_abs(const struct application *a)
{
	LLVMTypeRef t = LLVMTypeOf(a->x[0]);
	if (a->is_float)
		return emit_intrinsic1(a->e, "llvm.fabs", a->x[0]);
	LLVMValueRef arguments[] = {a->x[0], emit_int(a->e->i1, 0)};
	return a->is_signed ? emit_intrinsic(a->e, "llvm.abs", &t, 1, arguments, 2) : a->x[0];
}

LLVMValueRef code_floor(const struct application *a)
{
	return apply_rounded(a, emit_intrinsic1(a->e, "llvm.floor", a->x[0]));
}

LLVMValueRef code_round(const struct application *a)
{
	return apply_rounded(a, emit_intrinsic1(a->e, "llvm.roundeven", a->x[0]));
}

/* ---- comparison and choice ---- */

/* The one that wins, the second if none does. */
static LLVMValueRef winner(struct emitter *e, LLVMRealPredicate wins, LLVMValueRef x, LLVMValueRef y)
{
	return LLVMBuildSelect(e->builder, LLVMBuildFCmp(e->builder, wins, x, y, ""), x, y, "");
}

/* Neither is a NaN that wins, and of zeros which wins hangs on the order: both orders agree but for the sign. Of a NaN
 * and a number one order has each; `or` keeps a NaN. */
static LLVMValueRef extreme_of_two(struct emitter *e, bool greatest, LLVMValueRef x, LLVMValueRef y)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(x), scalar = LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
	LLVMTypeRef word = emit_type_like(LLVMGetTypeKind(scalar) == LLVMDoubleTypeKind ? e->i64 : e->i32, t);
	LLVMRealPredicate wins = greatest ? LLVMRealOGT : LLVMRealOLT;
	LLVMValueRef first = LLVMBuildBitCast(b, winner(e, wins, x, y), word, "");
	LLVMValueRef second = LLVMBuildBitCast(b, winner(e, wins, y, x), word, "");
	if (!greatest)
		return LLVMBuildBitCast(b, LLVMBuildOr(b, first, second, ""), t, "");
	LLVMValueRef best = LLVMBuildBitCast(b, LLVMBuildAnd(b, first, second, ""), t, "");
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUNO, x, y, ""), emit_float(t, NAN), best, "");
}

/* A NaN if there is one, and 0.0 is greater than -0.0: in whatever order the elements of a tensor come, lane by lane or
 * rank by rank, the result is the same. With most constant numbers, one machine instruction does it. */
static LLVMValueRef float_extreme(struct emitter *e, bool greatest, LLVMValueRef x, LLVMValueRef y)
{
	unsigned facts = facts_of_constant(x);
	if (facts_of_constant(y)) {
		LLVMValueRef constant = y;
		facts = facts_of_constant(y);
		y = x;
		x = constant;
	}
	x = emit_opaque(e, x);
	y = emit_opaque(e, y);
	LLVMValueRef best = winner(e, greatest ? LLVMRealOGT : LLVMRealOLT, x, y);
	if (facts & IS_NOT_ZERO || facts & (greatest ? IS_MINUS_ZERO : IS_ZERO))
		return best;
	if (greatest && facts & IS_ZERO)
		return LLVMBuildFAdd(e->builder, best, x, "");
	return extreme_of_two(e, greatest, x, y);
}

static LLVMValueRef int_extreme(struct emitter *e, LLVMIntPredicate wins, const LLVMValueRef *x)
{
	return LLVMBuildSelect(e->builder, LLVMBuildICmp(e->builder, wins, x[0], x[1], ""), x[0], x[1], "");
}

static LLVMValueRef extreme(const struct application *a, bool greatest)
{
	if (a->is_float)
		return float_extreme(a->e, greatest, a->x[0], a->x[1]);
	if (a->is_signed)
		return int_extreme(a->e, greatest ? LLVMIntSGT : LLVMIntSLT, a->x);
	return int_extreme(a->e, greatest ? LLVMIntUGT : LLVMIntULT, a->x);
}

LLVMValueRef code_min(const struct application *a)
{
	return extreme(a, false);
}

LLVMValueRef code_max(const struct application *a)
{
	return extreme(a, true);
}

/* Of floats, of signed and of other ints. */
static LLVMValueRef compare(const struct application *a, LLVMRealPredicate real, LLVMIntPredicate with_sign,
			    LLVMIntPredicate without)
{
	struct emitter *e = a->e;
	if (dtype_is_float(a->from))
		return LLVMBuildFCmp(e->builder, real, emit_opaque(e, a->x[0]), emit_opaque(e, a->x[1]), "");
	return LLVMBuildICmp(e->builder, dtype_kind(a->from) == DTYPE_INT ? with_sign : without, a->x[0], a->x[1], "");
}

/* A NaN is unequal to all and neither less nor greater. */
LLVMValueRef code_eq(const struct application *a)
{
	return compare(a, LLVMRealOEQ, LLVMIntEQ, LLVMIntEQ);
}

LLVMValueRef code_ne(const struct application *a)
{
	return compare(a, LLVMRealUNE, LLVMIntNE, LLVMIntNE);
}

LLVMValueRef code_lt(const struct application *a)
{
	return compare(a, LLVMRealOLT, LLVMIntSLT, LLVMIntULT);
}

LLVMValueRef code_le(const struct application *a)
{
	return compare(a, LLVMRealOLE, LLVMIntSLE, LLVMIntULE);
}

LLVMValueRef code_gt(const struct application *a)
{
	return compare(a, LLVMRealOGT, LLVMIntSGT, LLVMIntUGT);
}

LLVMValueRef code_ge(const struct application *a)
{
	return compare(a, LLVMRealOGE, LLVMIntSGE, LLVMIntUGE);
}

LLVMValueRef code_and(const struct application *a)
{
	return emit_both(a->e, a->x[0], a->x[1]);
}

LLVMValueRef code_or(const struct application *a)
{
	return LLVMBuildOr(a->e->builder, a->x[0], a->x[1], "");
}

LLVMValueRef code_not(const struct application *a)
{
	return LLVMBuildNot(a->e->builder, a->x[0], "");
}

LLVMValueRef code_bitwise_and(const struct application *a)
{
	return LLVMBuildAnd(a->e->builder, a->x[0], a->x[1], "");
}

LLVMValueRef code_bitwise_or(const struct application *a)
{
	return LLVMBuildOr(a->e->builder, a->x[0], a->x[1], "");
}

LLVMValueRef code_bitwise_xor(const struct application *a)
{
	return LLVMBuildXor(a->e->builder, a->x[0], a->x[1], "");
}

/* By less than there are bits: what LLVM shifts by. */
static LLVMValueRef shifts_within(const struct application *a)
{
	LLVMTypeRef t = LLVMTypeOf(a->x[1]);
	LLVMValueRef bits = emit_int(t, LLVMGetIntTypeWidth(emit_element(t)));
	return LLVMBuildICmp(a->e->builder, LLVMIntULT, a->x[1], bits, "");
}

LLVMValueRef code_left_shift(const struct application *a)
{
	LLVMBuilderRef b = a->e->builder;
	LLVMValueRef within = shifts_within(a), none = LLVMConstNull(LLVMTypeOf(a->x[0]));
	LLVMValueRef by = LLVMBuildSelect(b, within, a->x[1], none, "");
	return LLVMBuildSelect(b, within, LLVMBuildShl(b, a->x[0], by, ""), none, "");
}

LLVMValueRef code_right_shift(const struct application *a)
{
	LLVMBuilderRef b = a->e->builder;
	LLVMTypeRef t = LLVMTypeOf(a->x[0]);
	LLVMValueRef within = shifts_within(a), none = LLVMConstNull(t);
	LLVMValueRef sign = emit_int(t, LLVMGetIntTypeWidth(emit_element(t)) - 1);
	LLVMValueRef by = LLVMBuildSelect(b, within, a->x[1], a->is_signed ? sign : none, "");
	if (a->is_signed)
		return LLVMBuildAShr(b, a->x[0], by, "");
	return LLVMBuildSelect(b, within, LLVMBuildLShr(b, a->x[0], by, ""), none, "");
}

static LLVMValueRef overflows(const struct application *a, const char *intrinsic)
{
	LLVMTypeRef t = LLVMTypeOf(a->x[0]);
	return LLVMBuildExtractValue(a->e->builder, emit_intrinsic(a->e, intrinsic, &t, 1, (LLVMValueRef *)a->x, 2), 1,
				     "");
}

LLVMValueRef code_add_overflows(const struct application *a)
{
	return overflows(a, "llvm.sadd.with.overflow");
}

LLVMValueRef code_sub_overflows(const struct application *a)
{
	return overflows(a, "llvm.ssub.with.overflow");
}

LLVMValueRef code_mul_overflows(const struct application *a)
{
	return overflows(a, "llvm.smul.with.overflow");
}

LLVMValueRef code_where(const struct application *a)
{
	return LLVMBuildSelect(a->e->builder, a->x[0], a->x[1], a->x[2], "");
}

LLVMValueRef code_as_if(const struct application *a)
{
	return a->x[0];
}

/* ---- conversions ---- */

/* What is beyond a limit becomes it, and NaN 0. LLVM's own instruction for that is taken apart into single elements,
 * so floats are brought within the limits first, which is one instruction each. The largest whole number of more digits
 * than the float has is put in afterwards: it is what floats beyond it become. */
static LLVMValueRef float_to_int(struct emitter *e, enum dtype to, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(x), target = emit_type_like(emit_type(e, to, 0), t);
	x = emit_opaque(e, x);
	if (to == DT_BOOL)
		return LLVMBuildFCmp(b, LLVMRealUNE, x, emit_float(t, 0), "");
	bool is_signed = dtype_kind(to) == DTYPE_INT, narrow = dtype_size(to) < 4;
	int digits = emit_element(t) == e->f64 ? DBL_MANT_DIG : FLT_MANT_DIG,
	    bits = 8 * (int)dtype_size(to) - is_signed;
	double beyond = ldexp(1, bits), most = beyond - (bits > digits ? ldexp(1, bits - digits) : 1);
	LLVMValueRef within = winner(e, LLVMRealOGT, x, emit_float(t, is_signed ? -beyond : 0));
	within = winner(e, LLVMRealOLT, within, emit_float(t, most));
	LLVMTypeRef whole = narrow ? emit_type_like(e->i32, t) : target;
	LLVMValueRef v =
		is_signed || narrow ? LLVMBuildFPToSI(b, within, whole, "") : LLVMBuildFPToUI(b, within, whole, "");
	if (bits > digits) {
		LLVMValueRef largest = emit_int(whole, is_signed ? (int64_t)(UINT64_MAX >> (64 - bits)) : -1);
		v = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGE, x, emit_float(t, beyond), ""), largest, v, "");
	}
	if (is_signed)
		v = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealORD, x, x, ""), v, LLVMConstNull(whole), "");
	return narrow ? LLVMBuildTrunc(b, v, target, "") : v;
}

LLVMValueRef code_narrow_bf16(const struct application *a)
{
	struct application narrow = *a;
	narrow.type = DT_BF16;
	return apply_rounded(&narrow, a->x[0]);
}

LLVMValueRef code_narrow_f16(const struct application *a)
{
	struct application narrow = *a;
	narrow.type = DT_F16;
	return apply_rounded(&narrow, a->x[0]);
}

LLVMValueRef code_cast(const struct application *a)
{
	struct emitter *e = a->e;
	enum dtype to = a->type, from = a->from;
	LLVMValueRef x = a->x[0];
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef target = emit_type_like(emit_type(e, to, 0), LLVMTypeOf(x));
	bool is_signed = dtype_kind(from) == DTYPE_INT;
	if (from == DT_F16 && to == DT_BF16) /* LLVM would make the step between them element by element */
		x = emit_opaque(e, x);
	if (dtype_is_float(from))
		return dtype_is_float(to) ? apply_rounded(a, LLVMBuildFPCast(b, x, target, ""))
					  : float_to_int(e, to, x);
	if (dtype_is_float(to))
		return apply_rounded(a,
				     is_signed ? LLVMBuildSIToFP(b, x, target, "") : LLVMBuildUIToFP(b, x, target, ""));
	if (to == DT_BOOL)
		return LLVMBuildICmp(b, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "");
	return LLVMBuildIntCast2(b, x, target, is_signed, "");
}

LLVMValueRef code_reinterpret(const struct application *a)
{
	LLVMTypeRef t = emit_type_like(emit_type(a->e, a->type, 0), LLVMTypeOf(a->x[0]));
	return LLVMBuildBitCast(a->e->builder, a->x[0], t, "");
}
