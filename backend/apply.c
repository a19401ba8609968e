/* apply.c — the functions of scalar.def as LLVM IR, on scalars or vectors alike; their meaning is that of
 * compiler/op/eval.c, undefined corners included (x / 0 is 0, NaN becomes the integer 0, max and min hand a NaN on).
 * bf16 and f16 are computed in f32 and rounded after every function. */
#include "apply.h"

#include "math.h"

#include <math.h>

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

static LLVMValueRef round_to(struct emitter *e, enum dtype t, LLVMValueRef x)
{
	if (t == DT_BF16)
		return round_bf16(e, x);
	if (t == DT_F16) {
		LLVMTypeRef half = emit_type_like(e->f16, LLVMTypeOf(x));
		return LLVMBuildFPExt(e->builder, LLVMBuildFPTrunc(e->builder, x, half, ""), LLVMTypeOf(x), "");
	}
	return x;
}

/* A constant whose elements are all known to be numbers. */
static bool is_constant_number(LLVMValueRef x)
{
	LLVMTypeRef t = LLVMTypeOf(x);
	bool vector = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
	for (unsigned i = 0; LLVMIsConstant(x) && i < (vector ? LLVMGetVectorSize(t) : 1); i++) {
		LLVMBool inexact;
		LLVMValueRef element = vector ? LLVMGetAggregateElement(x, i) : x;
		if (!element || !LLVMIsAConstantFP(element) || isnan(LLVMConstRealGetDouble(element, &inexact)))
			return false;
	}
	return LLVMIsConstant(x);
}

/* The one that wins, a NaN if there is one. With a constant number, one machine instruction does it. */
static LLVMValueRef float_extreme(struct emitter *e, LLVMRealPredicate wins, LLVMValueRef x, LLVMValueRef y)
{
	LLVMBuilderRef b = e->builder;
	if (is_constant_number(y)) {
		LLVMValueRef constant = y;
		y = x;
		x = constant;
	}
	x = emit_opaque(e, x);
	y = emit_opaque(e, y);
	LLVMValueRef first = LLVMBuildFCmp(b, wins, x, y, "");
	LLVMValueRef best = LLVMBuildSelect(b, first, x, y, "");
	if (is_constant_number(x))
		return best;
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUNO, x, x, ""), x, best, "");
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
		q = LLVMBuildSDiv(b, x, safe, "");
		q = LLVMBuildSelect(b, by_minus, LLVMBuildNeg(b, x, ""), q, "");
	} else {
		q = LLVMBuildUDiv(b, x, safe, "");
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

static LLVMValueRef int_extreme(struct emitter *e, LLVMIntPredicate wins, const LLVMValueRef *x)
{
	return LLVMBuildSelect(e->builder, LLVMBuildICmp(e->builder, wins, x[0], x[1], ""), x[0], x[1], "");
}

static LLVMValueRef compare(struct emitter *e, enum scalar_fn fn, enum dtype from, const LLVMValueRef *x)
{
	/* EQ, NE, LT, LE, GT, GE in order. A NaN is unequal to all and neither less nor greater. */
	static const LLVMRealPredicate real[] = {LLVMRealOEQ, LLVMRealUNE, LLVMRealOLT,
						 LLVMRealOLE, LLVMRealOGT, LLVMRealOGE};
	static const LLVMIntPredicate with_sign[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntSLT,
						     LLVMIntSLE, LLVMIntSGT, LLVMIntSGE};
	static const LLVMIntPredicate without[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntULT,
						   LLVMIntULE, LLVMIntUGT, LLVMIntUGE};
	int which = (int)fn - (int)SC_EQ;
	if (dtype_is_float(from))
		return LLVMBuildFCmp(e->builder, real[which], emit_opaque(e, x[0]), emit_opaque(e, x[1]), "");
	return LLVMBuildICmp(e->builder, dtype_kind(from) == DTYPE_INT ? with_sign[which] : without[which], x[0], x[1],
			     "");
}

static LLVMValueRef float_to_int(struct emitter *e, enum dtype to, LLVMValueRef x)
{
	LLVMTypeRef t = LLVMTypeOf(x), target = emit_type_like(emit_type(e, to, 0), t);
	if (to == DT_BOOL)
		return LLVMBuildFCmp(e->builder, LLVMRealUNE, emit_opaque(e, x), emit_float(t, 0), "");
	const char *name = dtype_kind(to) == DTYPE_INT ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
	return emit_intrinsic(e, name, (LLVMTypeRef[]){target, t}, 2, &x, 1);
}

static LLVMValueRef cast(struct emitter *e, enum dtype to, enum dtype from, LLVMValueRef x)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef target = emit_type_like(emit_type(e, to, 0), LLVMTypeOf(x));
	bool is_signed = dtype_kind(from) == DTYPE_INT;
	if (dtype_is_float(from))
		return dtype_is_float(to) ? round_to(e, to, LLVMBuildFPCast(b, x, target, "")) : float_to_int(e, to, x);
	if (dtype_is_float(to))
		return round_to(e, to,
				is_signed ? LLVMBuildSIToFP(b, x, target, "") : LLVMBuildUIToFP(b, x, target, ""));
	if (to == DT_BOOL)
		return LLVMBuildICmp(b, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "");
	return LLVMBuildIntCast2(b, x, target, is_signed, "");
}

/* One application: what it is applied to, and how its type is treated. bool is 0 and 1 under integer arithmetic,
 * anything not 0 being true. */
struct application {
	struct emitter *e;
	enum dtype type;
	bool is_float, is_bool, is_signed;
	const LLVMValueRef *x;
};

typedef LLVMValueRef binary_builder(LLVMBuilderRef, LLVMValueRef, LLVMValueRef, const char *);

static LLVMValueRef rounded(const struct application *a, LLVMValueRef v)
{
	return a->is_float ? round_to(a->e, a->type, v) : v;
}

static LLVMValueRef by_kind(const struct application *a, binary_builder *on_float, binary_builder *on_int,
			    binary_builder *on_bool)
{
	binary_builder *build = a->is_float ? on_float : a->is_bool ? on_bool : on_int;
	return rounded(a, build(a->e->builder, a->x[0], a->x[1], ""));
}

static LLVMValueRef divide(const struct application *a)
{
	if (a->is_float || a->is_bool)
		return by_kind(a, LLVMBuildFDiv, NULL, LLVMBuildAnd);
	return int_divide(a->e, a->is_signed, a->x[0], a->x[1]);
}

static LLVMValueRef modulo(const struct application *a)
{
	if (a->is_bool)
		return LLVMConstNull(LLVMTypeOf(a->x[0]));
	if (!a->is_float)
		return int_modulo(a->e, a->is_signed, a->x[0], a->x[1]);
	bool wide = emit_element(LLVMTypeOf(a->x[0])) == a->e->f64;
	return rounded(a, math_library(a->e, wide ? "fmod" : "fmodf", a->x[0], a->x[1]));
}

static LLVMValueRef extreme(const struct application *a, bool greatest)
{
	if (a->is_float)
		return float_extreme(a->e, greatest ? LLVMRealOGT : LLVMRealOLT, a->x[0], a->x[1]);
	if (a->is_signed)
		return int_extreme(a->e, greatest ? LLVMIntSGT : LLVMIntSLT, a->x);
	return int_extreme(a->e, greatest ? LLVMIntUGT : LLVMIntULT, a->x);
}

static LLVMValueRef negate(const struct application *a)
{
	if (a->is_bool)
		return a->x[0];
	return a->is_float ? LLVMBuildFNeg(a->e->builder, a->x[0], "") : LLVMBuildNeg(a->e->builder, a->x[0], "");
}

static LLVMValueRef absolute(const struct application *a)
{
	LLVMTypeRef t = LLVMTypeOf(a->x[0]);
	if (a->is_float)
		return emit_intrinsic1(a->e, "llvm.fabs", a->x[0]);
	LLVMValueRef arguments[] = {a->x[0], emit_int(a->e->i1, 0)};
	return a->is_signed ? emit_intrinsic(a->e, "llvm.abs", &t, 1, arguments, 2) : a->x[0];
}

static LLVMValueRef bits(const struct application *a)
{
	LLVMTypeRef t = emit_type_like(emit_type(a->e, a->type, 0), LLVMTypeOf(a->x[0]));
	return LLVMBuildIntCast2(a->e->builder, random_bits(a->e, a->x[0], a->x[1]), t, 0, "");
}

static LLVMValueRef as_bits(struct emitter *e, LLVMValueRef x)
{
	return LLVMBuildBitCast(e->builder, x, emit_type_like(e->i64, LLVMTypeOf(x)), "");
}

/* 1.5 times the power of two two above m's: the exponent is that of m, and 0 and denormals are as the least normal. */
static LLVMValueRef sum_grid(struct emitter *e, LLVMValueRef m)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(m), word = emit_type_like(e->i64, t);
	m = emit_opaque(e, m);
	LLVMValueRef positive = LLVMBuildFCmp(b, LLVMRealOGT, m, emit_float(t, 0), "");
	LLVMValueRef room = LLVMBuildFCmp(b, LLVMRealOLT, m, emit_float(t, 0x1p1021), "");
	LLVMValueRef bits = as_bits(e, LLVMBuildSelect(b, positive, m, emit_float(t, 0), ""));
	LLVMValueRef shift = emit_int(word, 52), exponent = LLVMBuildLShr(b, bits, shift, "");
	exponent = LLVMBuildShl(b, LLVMBuildAdd(b, exponent, emit_int(word, 2), ""), shift, "");
	LLVMValueRef c = LLVMBuildOr(b, exponent, emit_int(word, INT64_C(1) << 51), "");
	return LLVMBuildSelect(b, room, LLVMBuildBitCast(b, c, t, ""), emit_float(t, NAN), "");
}

static LLVMValueRef quanta(struct emitter *e, LLVMValueRef x, LLVMValueRef c)
{
	LLVMValueRef t = LLVMBuildFAdd(e->builder, x, c, "");
	return LLVMBuildSub(e->builder, as_bits(e, t), as_bits(e, c), "");
}

static LLVMValueRef of_quanta(struct emitter *e, LLVMValueRef n, LLVMValueRef c)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(c);
	LLVMValueRef bits = as_bits(e, c), next = LLVMBuildAdd(b, bits, emit_int(LLVMTypeOf(bits), 1), "");
	LLVMValueRef unit = LLVMBuildFSub(b, LLVMBuildBitCast(b, next, t, ""), c, "");
	return LLVMBuildFMul(b, LLVMBuildSIToFP(b, n, t, ""), unit, "");
}

LLVMValueRef apply_function(struct emitter *e, enum scalar_fn fn, enum dtype type, enum dtype from,
			    const LLVMValueRef *x)
{
	const struct application a = {e, type, dtype_is_float(type), type == DT_BOOL, dtype_kind(type) == DTYPE_INT, x};
	LLVMBuilderRef b = e->builder;
	switch (fn) {
	case SC_ADD:
		return by_kind(&a, LLVMBuildFAdd, LLVMBuildAdd, LLVMBuildOr);
	case SC_SUB:
		return by_kind(&a, LLVMBuildFSub, LLVMBuildSub, LLVMBuildXor);
	case SC_MUL:
		return by_kind(&a, LLVMBuildFMul, LLVMBuildMul, LLVMBuildAnd);
	case SC_DIV:
		return divide(&a);
	case SC_MOD:
		return modulo(&a);
	case SC_NEG:
		return negate(&a);
	case SC_MIN:
		return extreme(&a, false);
	case SC_MAX:
		return extreme(&a, true);
	case SC_POW:
		return rounded(&a, math_pow(e, x[0], x[1]));
	case SC_EXP:
		return rounded(&a, math_exp(e, x[0]));
	case SC_LOG:
		return rounded(&a, math_log(e, x[0]));
	case SC_SQRT:
		return rounded(&a, emit_intrinsic1(e, "llvm.sqrt", x[0]));
	case SC_RSQRT:
		return rounded(&a, math_rsqrt(e, x[0]));
	case SC_TANH:
		return rounded(&a, math_tanh(e, x[0]));
	case SC_ERF:
		return rounded(&a, math_erf(e, x[0]));
	case SC_LOG1P:
		return rounded(&a, math_log1p(e, x[0]));
	case SC_EXPM1:
		return rounded(&a, math_expm1(e, x[0]));
	case SC_SOFTPLUS:
		return rounded(&a, math_softplus(e, x[0]));
	case SC_SIN:
		return rounded(&a, math_sin(e, x[0]));
	case SC_COS:
		return rounded(&a, math_cos(e, x[0]));
	case SC_ATAN2:
		return rounded(&a, math_atan2(e, x[0], x[1]));
	case SC_LGAMMA:
		return rounded(&a, math_lgamma(e, x[0]));
	case SC_ABS:
		return absolute(&a);
	case SC_FLOOR:
		return rounded(&a, emit_intrinsic1(e, "llvm.floor", x[0]));
	case SC_ROUND:
		return rounded(&a, emit_intrinsic1(e, "llvm.roundeven", x[0]));
	case SC_EQ:
	case SC_NE:
	case SC_LT:
	case SC_LE:
	case SC_GT:
	case SC_GE:
		return compare(e, fn, from, x);
	case SC_AND:
		return LLVMBuildAnd(b, x[0], x[1], "");
	case SC_OR:
		return LLVMBuildOr(b, x[0], x[1], "");
	case SC_NOT:
		return LLVMBuildNot(b, x[0], "");
	case SC_WHERE:
		return LLVMBuildSelect(b, x[0], x[1], x[2], "");
	case SC_CAST:
		return cast(e, type, from, x[0]);
	case SC_RANDOM_BITS:
		return bits(&a);
	case SC_RANDOM_UNIFORM:
		return rounded(&a, random_uniform(e, type, x[0], x[1]));
	case SC_RANDOM_NORMAL:
		return rounded(&a, random_normal(e, type, x[0], x[1]));
	case SC_FOLD_KEY:
		return random_key(e, x[0], x[1]);
	case SC_SUM_GRID:
		return sum_grid(e, x[0]);
	case SC_QUANTA:
		return quanta(e, x[0], x[1]);
	case SC_OF_QUANTA:
		return of_quanta(e, x[0], x[1]);
	case SC_REINTERPRET:
		return LLVMBuildBitCast(b, x[0], emit_type_like(emit_type(e, type, 0), LLVMTypeOf(x[0])), "");
	case SC_FN_COUNT:
		break;
	}
	BUG_IF(true, "scalar function %d has no code", (int)fn);
	return NULL;
}
