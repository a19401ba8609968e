/* random_order.c — philox_position (runtime/philox.h), lane by lane in parallel. */
#include "math_parts.h"

#include "../runtime/philox.h"

/* The bounds of both halves of 32 bits: mask + 1 = 2^bits, and upper. */
struct halves {
	LLVMValueRef bits, mask, upper;
};

/* number in 1..2^31 */
static struct halves halves_of(struct emitter *e, LLVMValueRef number)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(number);
	LLVMValueRef one = emit_int(t, 1), odd = LLVMBuildSub(b, LLVMBuildShl(b, number, one, ""), one, "");
	LLVMValueRef zeros = emit_intrinsic(e, "llvm.ctlz", &t, 1, (LLVMValueRef[]){odd, emit_int(e->i1, 1)}, 2);
	struct halves h = {.bits = LLVMBuildLShr(b, LLVMBuildSub(b, emit_int(t, 31), zeros, ""), one, "")};
	h.mask = LLVMBuildSub(b, LLVMBuildShl(b, one, h.bits, ""), one, "");
	h.upper = LLVMBuildLShr(b, LLVMBuildAdd(b, number, h.mask, ""), h.bits, "");
	return h;
}

static LLVMValueRef mix(struct emitter *e, LLVMValueRef x, LLVMValueRef k0, LLVMValueRef k1)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(x);
	x = LLVMBuildMul(b, LLVMBuildXor(b, x, k0, ""), emit_int(t, PHILOX_MIX_0), "");
	x = LLVMBuildXor(b, LLVMBuildXor(b, x, k1, ""), LLVMBuildLShr(b, x, emit_int(t, 15), ""), "");
	x = LLVMBuildMul(b, x, emit_int(t, PHILOX_MIX_1), "");
	return LLVMBuildXor(b, x, LLVMBuildLShr(b, x, emit_int(t, 16), ""), "");
}

/* The upper words of products of words: of the even lanes and of the odd ones as lanes of twice the size. */
static LLVMValueRef high_product(struct emitter *e, LLVMValueRef x, LLVMValueRef y)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(x);
	int lanes = emit_lanes(t);
	if (!lanes) {
		LLVMValueRef wide = LLVMBuildZExt(b, x, e->i64, "");
		return LLVMBuildTrunc(
			b, random_high_half(e, LLVMBuildMul(b, wide, LLVMBuildZExt(b, y, e->i64, ""), "")), t, "");
	}
	LLVMTypeRef pairs = LLVMVectorType(e->i64, (unsigned)lanes / 2);
	LLVMValueRef word = emit_int(pairs, 0xffffffff), p[2];
	int from[MAX_LANES];
	x = LLVMBuildBitCast(b, x, pairs, "");
	y = LLVMBuildBitCast(b, y, pairs, "");
	for (int odd = 0; odd < 2; odd++) {
		LLVMValueRef one = odd ? random_high_half(e, x) : LLVMBuildAnd(b, x, word, "");
		p[odd] = LLVMBuildMul(b, one, odd ? random_high_half(e, y) : LLVMBuildAnd(b, y, word, ""), "");
		p[odd] = LLVMBuildBitCast(b, p[odd], t, "");
	}
	for (int i = 0; i < lanes; i++)
		from[i] = i % 2 ? lanes + i : i + 1;
	return emit_shuffle(e, p[0], p[1], from, lanes);
}

/* x, which is below twice the bound, less the bound if it is not below it. */
static LLVMValueRef below(struct emitter *e, LLVMValueRef x, LLVMValueRef bound)
{
	LLVMTypeRef t = LLVMTypeOf(x);
	LLVMValueRef less = LLVMBuildSub(e->builder, x, bound, "");
	return emit_intrinsic(e, "llvm.umin", &t, 1, (LLVMValueRef[]){x, less}, 2);
}

static LLVMValueRef walk(struct emitter *e, LLVMValueRef k0, LLVMValueRef k1, LLVMValueRef x, struct halves h)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(x);
	LLVMValueRef low = LLVMBuildAnd(b, x, h.mask, ""), high = LLVMBuildLShr(b, x, h.bits, "");
	for (int round = 0; round < PHILOX_ROUNDS; round++) {
		LLVMValueRef mixed = mix(e, round % 2 ? low : high, k0, k1);
		if (round % 2)
			high = below(e, LLVMBuildAdd(b, high, high_product(e, mixed, h.upper), ""), h.upper);
		else
			low = LLVMBuildAnd(b, LLVMBuildAdd(b, low, mixed, ""), h.mask, "");
		k0 = LLVMBuildAdd(b, k0, emit_int(t, PHILOX_ADD_0), "");
		k1 = LLVMBuildAdd(b, k1, emit_int(t, PHILOX_ADD_1), "");
	}
	return LLVMBuildOr(b, LLVMBuildShl(b, high, h.bits, ""), low, "");
}

/* philox_position of every lane; those that are not in 0..number stay what they are. No function of its own, because
 * all but the walk depends on the key and the number alone and leaves the loop. */
LLVMValueRef random_position(struct emitter *e, LLVMValueRef key, LLVMValueRef counter, LLVMValueRef number)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef wide = LLVMTypeOf(counter), t = emit_type_like(e->i32, wide);
	LLVMValueRef few = LLVMBuildICmp(b, LLVMIntULE, number, emit_int(wide, PHILOX_POSITIONS), "");
	LLVMValueRef within = LLVMBuildICmp(b, LLVMIntULT, counter, number, "");
	LLVMValueRef right = LLVMBuildAnd(b, within, few, "");
	LLVMValueRef count = random_low_half(e, LLVMBuildSelect(b, few, number, emit_int(wide, 1), ""));
	LLVMValueRef k0 = random_low_half(e, key), k1 = random_low_half(e, random_high_half(e, key));
	struct halves h = halves_of(e, count);
	LLVMBasicBlockRef before = emit_current_block(e), walks = emit_block(e, "walk"), done = emit_block(e, "there");
	LLVMValueRef begin = LLVMBuildSelect(b, right, random_low_half(e, counter), emit_int(t, 0), "");
	LLVMBuildBr(b, walks);
	LLVMPositionBuilderAtEnd(b, walks);
	LLVMValueRef x = LLVMBuildPhi(b, t, ""), bound = LLVMBuildPhi(b, t, "");
	LLVMValueRef open = LLVMBuildICmp(b, LLVMIntUGE, x, bound, "");
	LLVMValueRef next = LLVMBuildSelect(b, open, walk(e, k0, k1, x, h), x, "");
	LLVMValueRef left = LLVMBuildICmp(b, LLVMIntUGE, next, count, "");
	LLVMBuildCondBr(b, math_any_lane(e, left), walks, done);
	LLVMBasicBlockRef after[] = {before, emit_current_block(e)};
	LLVMAddIncoming(x, (LLVMValueRef[]){begin, next}, after, 2);
	LLVMAddIncoming(bound, (LLVMValueRef[]){emit_int(t, 0), count}, after, 2);
	LLVMPositionBuilderAtEnd(b, done);
	return LLVMBuildSelect(b, right, LLVMBuildIntCast2(b, next, wide, 0, ""), counter, "");
}
