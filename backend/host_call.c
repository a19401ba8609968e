/* host_call.c — expressions of host code. Integers are 64 bits and wrap, but a division by zero ends the program with a
 * message; && and || and the two sides of a choice are evaluated only when needed. */
#include "apply.h"
#include "program_emit.h"

#include "math.h"

#include <string.h>

void host_check(struct host_emitter *h, LLVMValueRef ok, const char *message, const struct host_expr *at)
{
	int site = program_site(h->p->program, at->span, message);
	abi_call(h->e, "check", (LLVMValueRef[]){h->rt, ok, emit_text(h->e, message), emit_i64(h->e, site)}, 4);
}

static void check_divisor(struct host_emitter *h, const struct host_expr *at, const LLVMValueRef *x, const char *sign)
{
	int site = program_site(h->p->program, at->span, "division");
	abi_call(h->e, "check_divisor",
		 (LLVMValueRef[]){h->rt, x[0], x[1], emit_text(h->e, sign), emit_i64(h->e, site)}, 5);
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
	return LLVMBuildSelect(b, minus, LLVMBuildNeg(b, x[0], ""), q, "");
}

/* x to the power n >= 0 by squaring: "int.power". */
static LLVMValueRef power_function(struct emitter *e, LLVMTypeRef *type)
{
	LLVMBuilderRef b = e->builder;
	*type = LLVMFunctionType(e->i64, (LLVMTypeRef[]){e->i64, e->i64}, 2, 0);
	bool fresh;
	struct emit_place place;
	LLVMValueRef f = emit_helper(e, "int.power", *type, &fresh, &place);
	if (!fresh)
		return f;
	LLVMBasicBlockRef entry = emit_current_block(e), head = emit_block(e, "head"), turn = emit_block(e, "turn");
	LLVMBasicBlockRef done = emit_block(e, "done");
	LLVMBuildBr(b, head);
	LLVMPositionBuilderAtEnd(b, head);
	LLVMValueRef x = LLVMBuildPhi(b, e->i64, "x"), n = LLVMBuildPhi(b, e->i64, "n"),
		     y = LLVMBuildPhi(b, e->i64, "y");
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSGT, n, emit_i64(e, 0), ""), turn, done);
	LLVMPositionBuilderAtEnd(b, turn);
	LLVMValueRef odd = LLVMBuildTrunc(b, n, e->i1, "");
	LLVMValueRef more = LLVMBuildSelect(b, odd, LLVMBuildMul(b, y, x, ""), y, "");
	LLVMValueRef square = LLVMBuildMul(b, x, x, ""), half = LLVMBuildLShr(b, n, emit_i64(e, 1), "");
	LLVMBuildBr(b, head);
	LLVMBasicBlockRef from[] = {entry, turn};
	LLVMAddIncoming(x, (LLVMValueRef[]){LLVMGetParam(f, 0), square}, from, 2);
	LLVMAddIncoming(n, (LLVMValueRef[]){LLVMGetParam(f, 1), half}, from, 2);
	LLVMAddIncoming(y, (LLVMValueRef[]){emit_i64(e, 1), more}, from, 2);
	LLVMPositionBuilderAtEnd(b, done);
	LLVMBuildRet(b, y);
	emit_return(e, &place);
	return f;
}

static LLVMValueRef int_power(struct host_emitter *h, const struct host_expr *at, LLVMValueRef x, LLVMValueRef n)
{
	LLVMBuilderRef b = h->e->builder;
	LLVMTypeRef type;
	host_check(h, LLVMBuildICmp(b, LLVMIntSGE, n, emit_i64(h->e, 0), ""), "a negative power of an integer", at);
	LLVMValueRef f = power_function(h->e, &type);
	return LLVMBuildCall2(b, type, f, (LLVMValueRef[]){x, n}, 2, "");
}

typedef LLVMValueRef binary_builder(LLVMBuilderRef, LLVMValueRef, LLVMValueRef, const char *);

static LLVMValueRef by_type(struct host_emitter *h, bool real, binary_builder *on_float, binary_builder *on_int,
			    const LLVMValueRef *x)
{
	return (real ? on_float : on_int)(h->e->builder, x[0], x[1], "");
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
		return by_type(h, real, LLVMBuildFAdd, LLVMBuildAdd, x);
	case HOST_SUB_OP:
		return by_type(h, real, LLVMBuildFSub, LLVMBuildSub, x);
	case HOST_MUL_OP:
		return by_type(h, real, LLVMBuildFMul, LLVMBuildMul, x);
	case HOST_DIV_OP:
		return real ? LLVMBuildFDiv(b, x[0], x[1], "") : int_ratio(h, at, x);
	case HOST_MOD_OP:
		return real ? math_library(h->e, "fmod", x[0], x[1]) : int_rest(h, at, x);
	case HOST_FLOOR_DIV_OP:
		return floor_divide(h, at, x);
	case HOST_POW_OP:
		return real ? math_library(h->e, "pow", x[0], x[1]) : int_power(h, at, x[0], x[1]);
	case HOST_NEG_OP:
		return real ? LLVMBuildFNeg(b, x[0], "") : LLVMBuildNeg(b, x[0], "");
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
	case HOST_LEFT_SHIFT_OP:
	case HOST_RIGHT_SHIFT_OP:
		return as_of_tensors(h, at, x);
	case HOST_EXP_OP:
	case HOST_LOG_OP:
	case HOST_COS_OP:
	case HOST_SIN_OP:
	case HOST_TANH_OP:
	case HOST_ERF_OP:
	case HOST_LOG1P_OP:
	case HOST_EXPM1_OP:
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
	case HOST_FLOOR_OP:
		return emit_intrinsic1(h->e, "llvm.floor", x[0]);
	case HOST_INT_OF_FLOAT_OP:
		return real ? int_of_float(h, x[0]) : x[0];
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
