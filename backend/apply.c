/* apply.c — the functions of scalar.def as LLVM IR, on scalars or vectors alike; their meaning is that of
 * compiler/op/eval.c, undefined corners included (x / 0 is 0, NaN becomes the integer 0, max and min hand a NaN on).
 * bf16 and f16 are computed in f32 and rounded after every function. */
#include "apply.h"

#include "math.h"

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

/* The one that wins, a NaN if there is one. With a constant, which is no NaN, one machine instruction does it. */
static LLVMValueRef float_extreme(struct emitter *e, LLVMRealPredicate wins, LLVMValueRef x, LLVMValueRef y)
{
	LLVMBuilderRef b = e->builder;
	if (LLVMIsConstant(y)) {
		LLVMValueRef constant = y;
		y = x;
		x = constant;
	}
	LLVMValueRef first = LLVMBuildFCmp(b, wins, x, y, "");
	LLVMValueRef best = LLVMBuildSelect(b, first, x, y, "");
	if (LLVMIsConstant(x))
		return best;
	return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUNO, x, x, ""), x, best, "");
}

static LLVMValueRef library_function(struct emitter *e, enum scalar_fn fn, const LLVMValueRef *x)
{
	switch (fn) {
	case SC_POW:
		return math_pow(e, x[0], x[1]);
	case SC_EXP:
		return math_exp(e, x[0]);
	case SC_LOG:
		return math_log(e, x[0]);
	case SC_SQRT:
		return emit_intrinsic1(e, "llvm.sqrt", x[0]);
	case SC_RSQRT:
		return math_rsqrt(e, x[0]);
	case SC_TANH:
		return math_tanh(e, x[0]);
	case SC_ERF:
		return math_erf(e, x[0]);
	case SC_SIN:
		return math_sin(e, x[0]);
	case SC_COS:
		return math_cos(e, x[0]);
	case SC_FLOOR:
		return emit_intrinsic1(e, "llvm.floor", x[0]);
	case SC_ADD: case SC_SUB: case SC_MUL: case SC_DIV: case SC_MOD: case SC_NEG: case SC_MIN: case SC_MAX: case SC_ABS:
	case SC_EQ: case SC_NE: case SC_LT: case SC_LE: case SC_GT: case SC_GE: case SC_AND: case SC_OR: case SC_NOT:
	case SC_WHERE: case SC_CAST: case SC_RANDOM_BITS: case SC_RANDOM_UNIFORM: case SC_RANDOM_NORMAL: case SC_FN_COUNT:
		break;
	}
	BUG_IF(true, "`%s` has no code for floats", scalar_text(fn));
	return NULL;
}

static LLVMValueRef float_function(struct emitter *e, enum scalar_fn fn, const LLVMValueRef *x)
{
	LLVMBuilderRef b = e->builder;
	switch (fn) {
	case SC_ADD:
		return LLVMBuildFAdd(b, x[0], x[1], "");
	case SC_SUB:
		return LLVMBuildFSub(b, x[0], x[1], "");
	case SC_MUL:
		return LLVMBuildFMul(b, x[0], x[1], "");
	case SC_DIV:
		return LLVMBuildFDiv(b, x[0], x[1], "");
	case SC_MOD:
		return math_library(e, emit_element(LLVMTypeOf(x[0])) == e->f64 ? "fmod" : "fmodf", x[0], x[1]);
	case SC_NEG:
		return LLVMBuildFNeg(b, x[0], "");
	case SC_MIN:
		return float_extreme(e, LLVMRealOLT, x[0], x[1]);
	case SC_MAX:
		return float_extreme(e, LLVMRealOGT, x[0], x[1]);
	case SC_ABS:
		return emit_intrinsic1(e, "llvm.fabs", x[0]);
	case SC_POW: case SC_EXP: case SC_LOG: case SC_SQRT: case SC_RSQRT: case SC_TANH: case SC_ERF: case SC_SIN:
	case SC_COS: case SC_FLOOR: case SC_EQ: case SC_NE: case SC_LT: case SC_LE: case SC_GT: case SC_GE: case SC_AND:
	case SC_OR: case SC_NOT: case SC_WHERE: case SC_CAST: case SC_RANDOM_BITS: case SC_RANDOM_UNIFORM:
	case SC_RANDOM_NORMAL: case SC_FN_COUNT:
		break;
	}
	return library_function(e, fn, x);
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

static LLVMValueRef int_function(struct emitter *e, enum scalar_fn fn, bool is_signed, const LLVMValueRef *x)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(x[0]);
	switch (fn) {
	case SC_ADD:
		return LLVMBuildAdd(b, x[0], x[1], "");
	case SC_SUB:
		return LLVMBuildSub(b, x[0], x[1], "");
	case SC_MUL:
		return LLVMBuildMul(b, x[0], x[1], "");
	case SC_DIV:
		return int_divide(e, is_signed, x[0], x[1]);
	case SC_MOD:
		return int_modulo(e, is_signed, x[0], x[1]);
	case SC_NEG:
		return LLVMBuildNeg(b, x[0], "");
	case SC_MIN:
		return int_extreme(e, is_signed ? LLVMIntSLT : LLVMIntULT, x);
	case SC_MAX:
		return int_extreme(e, is_signed ? LLVMIntSGT : LLVMIntUGT, x);
	case SC_ABS:
		return is_signed ? emit_intrinsic(e, "llvm.abs", &t, 1, (LLVMValueRef[]){x[0], emit_int(e->i1, 0)}, 2) : x[0];
	case SC_POW: case SC_EXP: case SC_LOG: case SC_SQRT: case SC_RSQRT: case SC_TANH: case SC_ERF: case SC_SIN:
	case SC_COS: case SC_FLOOR: case SC_EQ: case SC_NE: case SC_LT: case SC_LE: case SC_GT: case SC_GE: case SC_AND:
	case SC_OR: case SC_NOT: case SC_WHERE: case SC_CAST: case SC_RANDOM_BITS: case SC_RANDOM_UNIFORM:
	case SC_RANDOM_NORMAL: case SC_FN_COUNT:
		break;
	}
	BUG_IF(true, "`%s` has no code for integers", scalar_text(fn));
	return NULL;
}

/* Numbers 0 and 1 under integer arithmetic, anything not 0 being true. */
static LLVMValueRef bool_function(struct emitter *e, enum scalar_fn fn, const LLVMValueRef *x)
{
	LLVMBuilderRef b = e->builder;
	switch (fn) {
	case SC_ADD:
	case SC_MAX:
		return LLVMBuildOr(b, x[0], x[1], "");
	case SC_MUL:
	case SC_MIN:
	case SC_DIV:
		return LLVMBuildAnd(b, x[0], x[1], "");
	case SC_SUB:
		return LLVMBuildXor(b, x[0], x[1], "");
	case SC_MOD:
		return LLVMConstNull(LLVMTypeOf(x[0]));
	case SC_NEG:
	case SC_ABS:
		return x[0];
	case SC_POW: case SC_EXP: case SC_LOG: case SC_SQRT: case SC_RSQRT: case SC_TANH: case SC_ERF: case SC_SIN:
	case SC_COS: case SC_FLOOR: case SC_EQ: case SC_NE: case SC_LT: case SC_LE: case SC_GT: case SC_GE: case SC_AND:
	case SC_OR: case SC_NOT: case SC_WHERE: case SC_CAST: case SC_RANDOM_BITS: case SC_RANDOM_UNIFORM:
	case SC_RANDOM_NORMAL: case SC_FN_COUNT:
		break;
	}
	BUG_IF(true, "`%s` has no code for bools", scalar_text(fn));
	return NULL;
}

static LLVMValueRef compare(struct emitter *e, enum scalar_fn fn, enum dtype from, const LLVMValueRef *x)
{
	/* EQ, NE, LT, LE, GT, GE in order. A NaN is unequal to all and neither less nor greater. */
	static const LLVMRealPredicate real[] = {LLVMRealOEQ, LLVMRealUNE, LLVMRealOLT, LLVMRealOLE, LLVMRealOGT, LLVMRealOGE};
	static const LLVMIntPredicate with_sign[] = {LLVMIntEQ, LLVMIntNE, LLVMIntSLT, LLVMIntSLE, LLVMIntSGT, LLVMIntSGE};
	static const LLVMIntPredicate without[] = {LLVMIntEQ, LLVMIntNE, LLVMIntULT, LLVMIntULE, LLVMIntUGT, LLVMIntUGE};
	int which = (int)fn - (int)SC_EQ;
	if (dtype_is_float(from))
		return LLVMBuildFCmp(e->builder, real[which], x[0], x[1], "");
	return LLVMBuildICmp(e->builder, dtype_kind(from) == DTYPE_INT ? with_sign[which] : without[which], x[0], x[1], "");
}

static LLVMValueRef float_to_int(struct emitter *e, enum dtype to, LLVMValueRef x)
{
	LLVMTypeRef t = LLVMTypeOf(x), target = emit_type_like(emit_type(e, to, 0), t);
	if (to == DT_BOOL)
		return LLVMBuildFCmp(e->builder, LLVMRealUNE, x, emit_float(t, 0), "");
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
		return round_to(e, to, is_signed ? LLVMBuildSIToFP(b, x, target, "") : LLVMBuildUIToFP(b, x, target, ""));
	if (to == DT_BOOL)
		return LLVMBuildICmp(b, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "");
	return LLVMBuildIntCast2(b, x, target, is_signed, "");
}

/* The result is an argument but for its sign, so it needs no rounding. */
static bool is_exact(enum scalar_fn fn)
{
	return fn == SC_MIN || fn == SC_MAX || fn == SC_NEG || fn == SC_ABS;
}

static LLVMValueRef same_function(struct emitter *e, enum scalar_fn fn, enum dtype type, const LLVMValueRef *x)
{
	if (dtype_is_float(type))
		return is_exact(fn) ? float_function(e, fn, x) : round_to(e, type, float_function(e, fn, x));
	if (type == DT_BOOL)
		return bool_function(e, fn, x);
	return int_function(e, fn, dtype_kind(type) == DTYPE_INT, x);
}

LLVMValueRef apply_function(struct emitter *e, enum scalar_fn fn, enum dtype type, enum dtype from,
                            const LLVMValueRef *x)
{
	LLVMBuilderRef b = e->builder;
	switch (fn) {
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
		return LLVMBuildIntCast2(b, random_bits(e, x[0], x[1]), emit_type_like(emit_type(e, type, 0), LLVMTypeOf(x[0])), 0,
		                         "");
	case SC_RANDOM_UNIFORM:
		return round_to(e, type, random_uniform(e, type, x[0], x[1]));
	case SC_RANDOM_NORMAL:
		return round_to(e, type, random_normal(e, type, x[0], x[1]));
	case SC_ADD: case SC_SUB: case SC_MUL: case SC_DIV: case SC_MOD: case SC_NEG: case SC_MIN: case SC_MAX: case SC_POW:
	case SC_EXP: case SC_LOG: case SC_SQRT: case SC_RSQRT: case SC_TANH: case SC_ERF: case SC_SIN: case SC_COS: case SC_ABS:
	case SC_FLOOR: case SC_FN_COUNT:
		break;
	}
	return same_function(e, fn, type, x);
}
