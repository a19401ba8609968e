/* math_library.c — calls of the C library, lane by lane. */
#include "math_parts.h"

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

LLVMValueRef math_any_lane(struct emitter *e, LLVMValueRef mask)
{
	if (!emit_lanes(LLVMTypeOf(mask)))
		return mask;
	return emit_intrinsic1(e, "llvm.vector.reduce.or", mask);
}

/* A mask as ints, 0 or -1, as wide as what is compared; NULL: nobody knows how wide. */
static LLVMValueRef mask_lanes(struct emitter *e, LLVMValueRef mask)
{
	LLVMBuilderRef b = e->builder;
	if (LLVMIsABinaryOperator(mask)) {
		LLVMValueRef other = LLVMGetOperand(mask, 1), x = mask_lanes(e, LLVMGetOperand(mask, 0)), y = NULL;
		LLVMOpcode opcode = LLVMGetInstructionOpcode(mask);
		if (x && LLVMIsConstant(other)) /* of a negation */
			y = opcode == LLVMXor ? LLVMConstAllOnes(LLVMTypeOf(x)) : NULL;
		else if (x)
			y = mask_lanes(e, other);
		return y ? LLVMBuildBinOp(b, opcode, x, y, "") : NULL;
	}
	if (!LLVMIsAFCmpInst(mask))
		return NULL;
	LLVMTypeRef real = LLVMTypeOf(LLVMGetOperand(mask, 0));
	LLVMTypeRef wide = emit_type_like(emit_element(real) == e->f64 ? e->i64 : e->i32, real);
	LLVMValueRef lanes = LLVMBuildBitCast(b, LLVMBuildSExt(b, mask, wide, ""), real, "");
	return LLVMBuildBitCast(b, emit_opaque(e, lanes), wide, "");
}

/* Without registers for masks these are lanes of ints: packed to bits, as LLVM has conditions in several vectors at
 * once and from one block to another, they would cost as much as a short polynomial. */
struct math_branch math_rarely(struct emitter *e, LLVMValueRef rare)
{
	LLVMBuilderRef b = e->builder;
	bool packed = e->target->scalef || !emit_lanes(LLVMTypeOf(rare));
	LLVMValueRef any, lanes = packed ? NULL : mask_lanes(e, rare), none = NULL;
	if (lanes) {
		none = LLVMConstNull(LLVMTypeOf(lanes));
		any = emit_intrinsic1(e, "llvm.vector.reduce.or", lanes);
		any = LLVMBuildICmp(b, LLVMIntNE, any, LLVMConstNull(LLVMTypeOf(any)), "");
	} else {
		any = math_any_lane(e, rare);
	}
	struct math_branch m = {rare, emit_current_block(e), emit_block(e, "usual")};
	LLVMBasicBlockRef slow = emit_block(e, "rare");
	LLVMBuildCondBr(b, any, slow, m.done);
	LLVMPositionBuilderAtEnd(b, slow);
	if (lanes)
		m.rare = LLVMBuildICmp(b, LLVMIntSLT, lanes, none, "");
	return m;
}

LLVMValueRef math_mixed(struct emitter *e, const struct math_branch *m, LLVMValueRef there, LLVMValueRef usual)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef mixed = LLVMBuildSelect(b, m->rare, there, usual, "");
	LLVMBasicBlockRef from[] = {m->before, emit_current_block(e)};
	LLVMBuildBr(b, m->done);
	LLVMPositionBuilderAtEnd(b, m->done);
	LLVMValueRef result = LLVMBuildPhi(b, LLVMTypeOf(usual), "");
	LLVMAddIncoming(result, (LLVMValueRef[]){usual, mixed}, from, 2);
	return result;
}

LLVMValueRef math_apart(struct emitter *e, const char *name, math_body *body, LLVMValueRef x)
{
	LLVMTypeRef t = LLVMTypeOf(x), type = LLVMFunctionType(t, &t, 1, 0);
	bool fresh;
	struct emit_place place;
	const char *of = math_is_f64(e, x) ? "f64" : "f32";
	const char *symbol = arena_printf(e->arena, "%s.far.%s.%d", name, of, emit_lanes(t));
	LLVMValueRef f = emit_helper(e, symbol, type, &fresh, &place);
	if (fresh) {
		LLVMBuildRet(e->builder, body(e, LLVMGetParam(f, 0)));
		emit_return(e, &place);
	}
	return LLVMBuildCall2(e->builder, type, f, &x, 1, "");
}

LLVMValueRef math_unless(struct emitter *e, LLVMValueRef rare, const char *function, LLVMValueRef x, LLVMValueRef y,
			 LLVMValueRef usual)
{
	struct math_branch m = math_rarely(e, rare);
	return math_mixed(e, &m, math_library(e, function, x, y), usual);
}
