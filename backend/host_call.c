/* host_call.c — expressions of host code. Integers are 64 bits; a result that is none of these ends the program with a
 * message, as does a division by zero; && and || and the two sides of a choice are evaluated only when needed. */
#include "apply.h"
#include "program_emit.h"

#include "math.h"

#include <string.h>

void host_check(struct host_emitter *h, LLVMValueRef ok, const char *message, const struct host_expr *at)
{
	int site = program_site(h->p->program, at->span, message);
	abi_call(h->e, "check", (LLVMValueRef[]){h->rt, ok, emit_text(h->e, message), emit_i64(h->e, site)}, 4);
}

/* ---- results that are no int ---- */

/* Ends the program if `over`: x op y, or op(x, y), is no int. */
static void check_overflow(struct host_emitter *h, const struct host_expr *at, LLVMValueRef over, const char *op,
			   LLVMValueRef x, LLVMValueRef y)
{
	int site = program_site(h->p->program, at->span, "arithmetic");
	abi_end_if(h->e, over, "overflow", (LLVMValueRef[]){h->rt, x, y, emit_text(h->e, op), emit_i64(h->e, site)}, 5);
}

/* By an intrinsic that gives the result and whether it is none. */
static LLVMValueRef in_64_bits(struct host_emitter *h, const struct host_expr *at, const char *intrinsic,
			       const char *op, LLVMValueRef x, LLVMValueRef y)
{
	LLVMValueRef pair = emit_intrinsic(h->e, intrinsic, &h->e->i64, 1, (LLVMValueRef[]){x, y}, 2);
	LLVMValueRef result = LLVMBuildExtractValue(h->e->builder, pair, 0, "");
	check_overflow(h, at, LLVMBuildExtractValue(h->e->builder, pair, 1, ""), op, x, y);
	return result;
}

static LLVMValueRef int_negative(struct host_emitter *h, const struct host_expr *at, LLVMValueRef x)
{
	return in_64_bits(h, at, "llvm.ssub.with.overflow", "-", emit_i64(h->e, 0), x);
}

/* Bits that are shifted out, and into the sign, are missing when it is shifted back. By a negative number it is 0. */
static LLVMValueRef shifted_left(struct host_emitter *h, const struct host_expr *at, const LLVMValueRef *x)
{
	LLVMBuilderRef b = h->e->builder;
	LLVMValueRef r = apply_function(h->e, SC_LEFT_SHIFT, DT_I64, DT_I64, x);
	LLVMValueRef back = apply_function(h->e, SC_RIGHT_SHIFT, DT_I64, DT_I64, (LLVMValueRef[]){r, x[1]});
	LLVMValueRef over = LLVMBuildICmp(b, LLVMIntNE, back, x[0], "");
	over = LLVMBuildAnd(b, over, LLVMBuildICmp(b, LLVMIntSGE, x[1], emit_i64(h->e, 0), ""), "");
	check_overflow(h, at, over, "left_shift", x[0], x[1]);
	return r;
}

/* ---- quotients ---- */

static void check_divisor(struct host_emitter *h, const struct host_expr *at, const LLVMValueRef *x, const char *sign)
{
	int site = program_site(h->p->program, at->span, "division");
	LLVMValueRef is_zero = LLVMBuildICmp(h->e->builder, LLVMIntEQ, x[1], emit_i64(h->e, 0), "");
	abi_end_if(h->e, is_zero, "division_by_zero",
		   (LLVMValueRef[]){h->rt, x[0], emit_text(h->e, sign), emit_i64(h->e, site)}, 4);
}

/* What the divisor is where the least integer over -1 does not fit: x / -1 is -x, and no rest. */
static LLVMValueRef safe_divisor(struct host_emitter *h, LLVMValueRef y, LLVMValueRef *minus)
{
	LLVMBuilderRef b = h->e->builder;
	*minus = LLVMBuildICmp(b, LLVMIntEQ, y, emit_i64(h->e, -1), "");
	return LLVMBuildSelect(b, *minus, emit_i64(h->e, 1), y, "");
}

static LLVMValueRef int_rest(struct host_emitter *h, const struct host_expr *at, const LLVMValueRef *x)
{
	LLVMValueRef minus;
	check_divisor(h, at, x, "%");
	return LLVMBuildSRem(h->e->builder, x[0], safe_divisor(h, x[1], &minus), "");
}

/* Ints have no -0: nor does 0 / -5. */
static LLVMValueRef int_ratio(struct host_emitter *h, const struct host_expr *at, const LLVMValueRef *x)
{
	LLVMBuilderRef b = h->e->builder;
	check_divisor(h, at, x, "/");
	LLVMValueRef ratio =
		LLVMBuildFDiv(b, LLVMBuildSIToFP(b, x[0], h->e->f64, ""), LLVMBuildSIToFP(b, x[1], h->e->f64, ""), "");
	return LLVMBuildFAdd(b, ratio, emit_float(h->e->f64, 0), "");
}

/* The quotient less one where the rest is not 0 and of another sign than the divisor. */
static LLVMValueRef floor_divide(struct host_emitter *h, const struct host_expr *at, const LLVMValueRef *x)
{
	LLVMBuilderRef b = h->e->builder;
	LLVMValueRef minus, zero = emit_i64(h->e, 0);
	check_divisor(h, at, x, "floor_div");
	LLVMValueRef y = safe_divisor(h, x[1], &minus), q = LLVMBuildSDiv(b, x[0], y, "");
	LLVMValueRef rest = LLVMBuildSRem(b, x[0], y, ""), signs = LLVMBuildXor(b, rest, y, "");
	LLVMValueRef less = LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntNE, rest, zero, ""),
					 LLVMBuildICmp(b, LLVMIntSLT, signs, zero, ""), "");
	q = LLVMBuildSub(b, q, LLVMBuildZExt(b, less, h->e->i64, ""), "");
	LLVMValueRef least = LLVMBuildICmp(b, LLVMIntEQ, x[0], emit_i64(h->e, INT64_MIN), "");
	check_overflow(h, at, LLVMBuildAnd(b, minus, least, ""), "floor_div", x[0], x[1]);
	return LLVMBuildSelect(b, minus, LLVMBuildNeg(b, x[0], ""), q, "");
}

typedef LLVMValueRef binary_builder(LLVMBuilderRef, LLVMValueRef, LLVMValueRef, const char *);

/* intrinsic: of ints. */
static LLVMValueRef by_type(struct host_emitter *h, const struct host_expr *at, binary_builder *on_float,
			    const char *intrinsic, const LLVMValueRef *x)
{
	if (at->arg[0]->type == HOST_FLOAT)
		return on_float(h->e->builder, x[0], x[1], "");
	return in_64_bits(h, at, intrinsic, host_op_text(at->op), x[0], x[1]);
}

/* What the function gives of tensors: min and max a NaN if there is one. */
static LLVMValueRef as_of_tensors(struct host_emitter *h, const struct host_expr *at, const LLVMValueRef *x)
{
	enum dtype t = host_dtype(at->type);
	return apply_function(h->e, host_op_function(at->op), t, t, x);
}

static LLVMValueRef int_of_float(struct host_emitter *h, LLVMValueRef x)
{
	LLVMTypeRef types[] = {h->e->i64, h->e->f64};
	return emit_intrinsic(h->e, "llvm.fptosi.sat", types, 2, &x, 1);
}

/* What an element of the type is of x, as an int or float of the host. Of u64 the host has the lower half. */
static LLVMValueRef as_element(struct host_emitter *h, const struct host_expr *at, LLVMValueRef x)
{
	enum dtype t = (enum dtype)at->index, from = host_dtype(at->arg[0]->type), to = host_dtype(at->type);
	LLVMValueRef v = apply_function(h->e, SC_CAST, t, from, &x);
	v = apply_function(h->e, SC_CAST, to, t, &v);
	if (t == DT_U64)
		host_check(h, LLVMBuildICmp(h->e->builder, LLVMIntSGE, v, emit_i64(h->e, 0), ""),
			   "the number as `u64` does not fit an int (64 bits, one of them the sign)", at);
	return v;
}

/* x, which elements of the type hold, or the program ends. */
static LLVMValueRef fitting(struct host_emitter *h, const struct host_expr *at, LLVMValueRef x)
{
	enum dtype t = (enum dtype)at->index;
	LLVMBuilderRef b = h->e->builder;
	LLVMValueRef v = apply_function(h->e, SC_CAST, t, DT_I64, &x);
	v = apply_function(h->e, SC_CAST, DT_I64, t, &v);
	LLVMValueRef wrong = LLVMBuildICmp(b, LLVMIntNE, v, x, "");
	if (t == DT_U64)
		wrong = LLVMBuildICmp(b, LLVMIntSLT, x, emit_i64(h->e, 0), "");
	int site = program_site(h->p->program, at->span, "number");
	abi_end_if(h->e, wrong, "unfit",
		   (LLVMValueRef[]){h->rt, x, emit_text(h->e, dtype_text(t)), emit_i64(h->e, site)}, 4);
	return x;
}

static LLVMValueRef compare(struct host_emitter *h, const struct host_expr *at, LLVMValueRef x, LLVMValueRef y)
{
	/* EQ, NE, LT, LE, GT, GE in order. */
	static const LLVMRealPredicate real[] = {LLVMRealOEQ, LLVMRealUNE, LLVMRealOLT,
						 LLVMRealOLE, LLVMRealOGT, LLVMRealOGE};
	static const LLVMIntPredicate with_sign[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntSLT,
						     LLVMIntSLE, LLVMIntSGT, LLVMIntSGE};
	LLVMBuilderRef b = h->e->builder;
	int which = (int)at->op - (int)HOST_EQ_OP;
	enum host_type t = at->arg[0]->type;
	if (t == HOST_FLOAT)
		return LLVMBuildFCmp(b, real[which], emit_opaque(h->e, x), emit_opaque(h->e, y), "");
	if (t != HOST_TEXT)
		return LLVMBuildICmp(b, with_sign[which], x, y, "");
	LLVMValueRef equal = abi_call(h->e, "text_equal", (LLVMValueRef[]){x, y}, 2);
	return at->op == HOST_NE_OP ? LLVMBuildNot(b, equal, "") : equal;
}

/* condition ? yes : no, where only the chosen side is evaluated. A side that is NULL is the condition itself. */
static LLVMValueRef choose(struct host_emitter *h, LLVMValueRef condition, const struct host_expr *yes,
			   const struct host_expr *no)
{
	LLVMBuilderRef b = h->e->builder;
	LLVMBasicBlockRef block[] = {emit_block(h->e, "yes"), emit_block(h->e, "no")},
			  done = emit_block(h->e, "chosen");
	const struct host_expr *side[] = {yes, no};
	LLVMValueRef value[2];
	LLVMBuildCondBr(b, condition, block[0], block[1]);
	for (int i = 0; i < 2; i++) {
		LLVMPositionBuilderAtEnd(b, block[i]);
		value[i] = side[i] ? host_expression(h, side[i]) : condition;
		block[i] = emit_current_block(h->e);
		LLVMBuildBr(b, done);
	}
	LLVMPositionBuilderAtEnd(b, done);
	LLVMValueRef v = LLVMBuildPhi(b, LLVMTypeOf(value[0]), "");
	LLVMAddIncoming(v, value, block, 2);
	return v;
}

LLVMValueRef emit_host_apply(struct host_emitter *h, const struct host_expr *at)
{
	LLVMBuilderRef b = h->e->builder;
	bool real = at->arg[0]->type == HOST_FLOAT, lazy = at->op == HOST_AND_OP || at->op == HOST_OR_OP;
	LLVMValueRef x[2] = {host_expression(h, at->arg[0]), NULL};
	if (at->nargs > 1 && !lazy)
		x[1] = host_expression(h, at->arg[1]);
	switch (at->op) {
	case HOST_ADD_OP:
		return by_type(h, at, LLVMBuildFAdd, "llvm.sadd.with.overflow", x);
	case HOST_SUB_OP:
		return by_type(h, at, LLVMBuildFSub, "llvm.ssub.with.overflow", x);
	case HOST_MUL_OP:
		return by_type(h, at, LLVMBuildFMul, "llvm.smul.with.overflow", x);
	case HOST_DIV_OP:
		return real ? LLVMBuildFDiv(b, x[0], x[1], "") : int_ratio(h, at, x);
	case HOST_MOD_OP:
		return real ? math_library(h->e, "fmod", x[0], x[1]) : int_rest(h, at, x);
	case HOST_FLOOR_DIV_OP:
		return floor_divide(h, at, x);
	case HOST_POW_OP:
		return math_library(h->e, "pow", x[0], x[1]);
	case HOST_NEG_OP:
		return real ? LLVMBuildFNeg(b, x[0], "") : int_negative(h, at, x[0]);
	case HOST_EQ_OP:
	case HOST_NE_OP:
	case HOST_LT_OP:
	case HOST_LE_OP:
	case HOST_GT_OP:
	case HOST_GE_OP:
		return compare(h, at, x[0], x[1]);
	case HOST_AND_OP:
		return choose(h, x[0], at->arg[1], NULL);
	case HOST_OR_OP:
		return choose(h, x[0], NULL, at->arg[1]);
	case HOST_NOT_OP:
		return LLVMBuildNot(b, x[0], "");
	case HOST_MIN_OP:
	case HOST_MAX_OP:
	case HOST_BITWISE_AND_OP:
	case HOST_BITWISE_OR_OP:
	case HOST_BITWISE_XOR_OP:
	case HOST_RIGHT_SHIFT_OP:
		return as_of_tensors(h, at, x);
	case HOST_LEFT_SHIFT_OP:
		return shifted_left(h, at, x);
	case HOST_EXP_OP:
	case HOST_LOG_OP:
	case HOST_COS_OP:
	case HOST_SIN_OP:
	case HOST_TANH_OP:
	case HOST_ERF_OP:
	case HOST_LOG1P_OP:
	case HOST_EXPM1_OP:
	case HOST_TAN_OP:
	case HOST_ATAN2_OP:
	case HOST_ASIN_OP:
	case HOST_ACOS_OP:
	case HOST_LGAMMA_OP:
		return math_library(h->e, host_op_text(at->op), x[0], x[1]); /* called as in C */
	case HOST_SQRT_OP:
		return emit_intrinsic1(h->e, "llvm.sqrt", x[0]);
	case HOST_SOFTPLUS_OP:
		return math_softplus(h->e, x[0]);
	case HOST_SIGMOID_OP:
		return math_sigmoid(h->e, x[0]);
	case HOST_ROUND_OP:
		return emit_intrinsic1(h->e, "llvm.roundeven", x[0]);
	case HOST_ERFINV_OP:
		return math_erfinv(h->e, x[0]);
	case HOST_NORMAL_CDF_OP:
		return math_normal_cdf(h->e, x[0]);
	case HOST_FLOOR_OP:
		return emit_intrinsic1(h->e, "llvm.floor", x[0]);
	case HOST_INT_OF_FLOAT_OP:
		return real ? int_of_float(h, x[0]) : x[0];
	case HOST_CONVERT_OP:
		return as_element(h, at, x[0]);
	case HOST_FITS_OP:
		return fitting(h, at, x[0]);
	case HOST_FLOAT_OF_INT_OP:
		return real ? x[0] : LLVMBuildSIToFP(b, x[0], h->e->f64, "");
	}
	BUG_IF(true, "host operation %d has no code", (int)at->op);
	return NULL;
}

static LLVMValueRef constant(struct host_emitter *h, const struct host_expr *x)
{
	LLVMTypeRef t = host_llvm_type(h->e, x->type);
	switch (x->type) {
	case HOST_FLOAT:
		return emit_float(t, x->f);
	case HOST_TEXT:
		return emit_text(h->e, x->text ? x->text : "");
	case HOST_INT:
	case HOST_KEY:
	case HOST_BOOL:
		return emit_int(t, x->i);
	case HOST_HANDLE:
	case HOST_VOID:
		break;
	}
	return LLVMConstNull(h->e->ptr);
}

static LLVMValueRef runtime_call(struct host_emitter *h, const struct host_expr *x)
{
	struct abi_function f = abi_find(h->e, x->function);
	LLVMValueRef arguments[ABI_MAX_PARAMETERS];
	int n = 0;
	if (f.takes_runtime)
		arguments[n++] = h->rt;
	for (int i = 0; i < x->nargs; i++)
		arguments[n++] = host_expression(h, x->arg[i]);
	LLVMValueRef v = abi_call(h->e, x->function, arguments, n);
	return f.result == h->e->i32 ? LLVMBuildSExt(h->e->builder, v, h->e->i64, "") : v;
}

LLVMValueRef host_variable(struct host_emitter *h, int var)
{
	const struct host_run *r = h->variable[var] ? NULL : host_run_at(h, var);
	return r ? host_run_element(h, r, emit_i64(h->e, var - r->first->var)) : h->variable[var];
}

LLVMValueRef host_expression(struct host_emitter *h, const struct host_expr *x)
{
	if (x == h->number)
		return h->number_now;
	switch (x->kind) {
	case HOST_CONST:
		return constant(h, x);
	case HOST_VAR:
		return LLVMBuildLoad2(h->e->builder, host_llvm_type(h->e, x->type), host_variable(h, x->index), "");
	case HOST_APPLY:
		return emit_host_apply(h, x);
	case HOST_CALL:
		return runtime_call(h, x);
	case HOST_SELECT:
		return choose(h, host_expression(h, x->arg[0]), x->arg[1], x->arg[2]);
	case HOST_SLOT:
		return abi_call(h->e, "slot", (LLVMValueRef[]){h->rt, emit_i64(h->e, x->index)}, 2);
	case HOST_NUMBER: /* none is left in a program */
		break;
	}
	return NULL;
}
