/* random.c — Philox4x32-10 and the draws made of it, lane by lane in parallel; the algorithm is that of
 * runtime/philox.h. A draw is long, so it is a function of the module rather than repeated wherever one is made. */
#include "math_parts.h"

#include "../runtime/philox.h"

struct words {
	LLVMValueRef at[4];
};

LLVMValueRef random_low_half(struct emitter *e, LLVMValueRef v)
{
	return LLVMBuildIntCast2(e->builder, v, emit_type_like(e->i32, LLVMTypeOf(v)), 0, "");
}

LLVMValueRef random_high_half(struct emitter *e, LLVMValueRef v)
{
	return LLVMBuildLShr(e->builder, v, emit_int(LLVMTypeOf(v), 32), "");
}

/* The low 32 bits of a word times a constant, 64 bits. */
static LLVMValueRef multiply(struct emitter *e, LLVMValueRef word, int64_t by)
{
	LLVMTypeRef t = LLVMTypeOf(word);
	return LLVMBuildMul(e->builder, LLVMBuildAnd(e->builder, word, emit_int(t, 0xffffffff), ""), emit_int(t, by),
			    "");
}

/* Words are the low halves of 64-bit lanes while rounds go on, their high halves being whatever comes: multiplication
 * looks at low halves only and gives both halves of the product, so nothing has to be moved between lanes. */
static struct words philox_of(struct emitter *e, LLVMValueRef key, LLVMValueRef counter, LLVMValueRef domain)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(counter);
	LLVMValueRef k0 = key, k1 = random_high_half(e, key), zero = emit_int(t, 0);
	struct words c = {{counter, random_high_half(e, counter), domain, zero}};
	for (int round = 0; round < 10; round++) {
		LLVMValueRef p0 = multiply(e, c.at[0], PHILOX_MULTIPLY_0), p1 = multiply(e, c.at[2], PHILOX_MULTIPLY_1);
		c = (struct words){{
			LLVMBuildXor(b, LLVMBuildXor(b, random_high_half(e, p1), c.at[1], ""), k0, ""),
			p1,
			LLVMBuildXor(b, LLVMBuildXor(b, random_high_half(e, p0), c.at[3], ""), k1, ""),
			p0,
		}};
		k0 = LLVMBuildAdd(b, k0, emit_int(t, PHILOX_ADD_0), "");
		k1 = LLVMBuildAdd(b, k1, emit_int(t, PHILOX_ADD_1), "");
	}
	for (int i = 0; i < 4; i++)
		c.at[i] = random_low_half(e, c.at[i]);
	return c;
}

/* ---- numbers below 2^32, of one key for all lanes ---- */

/* What ten rounds add of the key and, of the first three, what else is the same in all lanes, where the upper three
 * words of the counter are 0: there the first makes (k0, 0, hi + k1, lo) of (c, 0, 0, 0), + being exclusive or, so the
 * second multiplies k0. 64-bit words, of which the lower halves count. */
enum { NEAR_WORDS = 19 };

static LLVMValueRef place_of_word(struct emitter *e, LLVMValueRef at, int number)
{
	return LLVMBuildInBoundsGEP2(e->builder, e->i64, at, (LLVMValueRef[]){emit_i64(e, number)}, 1, "");
}

/* The builder behind what makes v, or at the begin of the function. */
static void stand_behind(struct emitter *e, LLVMValueRef v)
{
	LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(emit_current_function(e));
	LLVMValueRef next = LLVMGetFirstInstruction(block);
	if (LLVMIsAInstruction(v)) {
		block = LLVMGetInstructionParent(v);
		next = LLVMGetNextInstruction(v);
	}
	while (next && (LLVMIsAPHINode(next) || LLVMIsAAllocaInst(next)))
		next = LLVMGetNextInstruction(next);
	if (next)
		LLVMPositionBuilderBefore(e->builder, next);
	else
		LLVMPositionBuilderAtEnd(e->builder, block);
}

/* In memory, where lanes are filled from at no cost, and made where the key is, which is in front of the loop. */
static LLVMValueRef near_words(struct emitter *e, LLVMValueRef key)
{
	LLVMBuilderRef b = e->builder;
	LLVMBasicBlockRef here = emit_current_block(e);
	LLVMValueRef at = emit_alloca(e, LLVMArrayType2(e->i64, NEAR_WORDS), "rounds");
	stand_behind(e, key);
	LLVMValueRef k0 = key, k1 = random_high_half(e, key), first = multiply(e, key, PHILOX_MULTIPLY_0);
	int n = 0;
	for (int round = 0; round < 10; round++) {
		LLVMValueRef with[] = {k0, k1};
		if (round == 1)
			with[1] = LLVMBuildXor(b, random_high_half(e, first), k1, "");
		if (round == 2)
			with[1] = LLVMBuildXor(b, first, k1, "");
		for (int i = round == 0; i < 2; i++) {
			LLVMBuildStore(b, with[i], place_of_word(e, at, n++));
		}
		k0 = LLVMBuildAdd(b, k0, emit_i64(e, PHILOX_ADD_0), "");
		k1 = LLVMBuildAdd(b, k1, emit_i64(e, PHILOX_ADD_1), "");
	}
	BUG_IF(n != NEAR_WORDS, "%d words of rounds", n);
	LLVMPositionBuilderAtEnd(b, here);
	return at;
}
/* Word `number` of those, in all lanes of t. */
static LLVMValueRef near_word(struct emitter *e, LLVMValueRef at, int number, LLVMTypeRef t)
{
	LLVMValueRef word = LLVMBuildLoad2(e->builder, e->i32, place_of_word(e, at, number), "");
	return LLVMBuildBitCast(e->builder, emit_splat(e, word, 2 * emit_lanes(t)), t, "");
}

/* philox_of where counters are below 2^32 and the domain is 0. */
static struct words philox_near(struct emitter *e, LLVMValueRef at, LLVMValueRef counter)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(counter);
	struct words c = {{NULL, NULL, NULL, multiply(e, counter, PHILOX_MULTIPLY_0)}};
	c.at[2] = LLVMBuildXor(b, random_high_half(e, c.at[3]), near_word(e, at, 0, t), "");
	for (int round = 1; round < 10; round++) {
		LLVMValueRef p0 = round > 1 ? multiply(e, c.at[0], PHILOX_MULTIPLY_0) : NULL,
			     p1 = multiply(e, c.at[2], PHILOX_MULTIPLY_1);
		LLVMValueRef first = random_high_half(e, p1), second = round > 1 ? random_high_half(e, p0) : c.at[3];
		if (round > 1)
			first = LLVMBuildXor(b, first, c.at[1], "");
		if (round > 2)
			second = LLVMBuildXor(b, second, c.at[3], "");
		c.at[0] = LLVMBuildXor(b, first, near_word(e, at, 2 * round - 1, t), "");
		c.at[1] = p1;
		c.at[2] = LLVMBuildXor(b, second, near_word(e, at, 2 * round, t), "");
		c.at[3] = p0;
	}
	for (int i = 0; i < 4; i++)
		c.at[i] = random_low_half(e, c.at[i]);
	return c;
}

/* What a draw is of its words. */
typedef LLVMValueRef draw_body(struct emitter *e, enum dtype t, const struct words *w);

static LLVMValueRef bits(struct emitter *e, enum dtype t, const struct words *w)
{
	(void)e;
	(void)t;
	return w->at[0];
}

/* Two words, the lower first. */
static LLVMValueRef joined(struct emitter *e, LLVMValueRef low, LLVMValueRef high)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = emit_type_like(e->i64, LLVMTypeOf(low));
	LLVMValueRef upper = LLVMBuildShl(b, LLVMBuildZExt(b, high, t, ""), emit_int(t, 32), "");
	return LLVMBuildOr(b, LLVMBuildZExt(b, low, t, ""), upper, "");
}

static LLVMValueRef key(struct emitter *e, enum dtype t, const struct words *w)
{
	(void)t;
	return joined(e, w->at[0], w->at[1]);
}

/* The upper 24 bits of a word plus `more`, times 2^-24. */
static LLVMValueRef fraction24(struct emitter *e, LLVMValueRef word, int more)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef it = LLVMTypeOf(word), t = emit_type_like(e->f32, it);
	LLVMValueRef n = LLVMBuildLShr(b, word, emit_int(it, 8), "");
	if (more)
		n = LLVMBuildAdd(b, n, emit_int(it, more), "");
	return LLVMBuildFMul(b, LLVMBuildSIToFP(b, n, t, ""), emit_float(t, 0x1p-24), "");
}

/* The upper 53 bits of two words plus `more`, times 2^-53. */
static LLVMValueRef fraction53(struct emitter *e, LLVMValueRef low, LLVMValueRef high, double more)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef it = emit_type_like(e->i64, LLVMTypeOf(low)), t = emit_type_like(e->f64, it);
	LLVMValueRef n = LLVMBuildSIToFP(b, LLVMBuildLShr(b, joined(e, low, high), emit_int(it, 11), ""), t, "");
	if (more != 0)
		n = LLVMBuildFAdd(b, n, emit_float(t, more), "");
	return LLVMBuildFMul(b, n, emit_float(t, 0x1p-53), "");
}

static LLVMValueRef uniform(struct emitter *e, enum dtype t, const struct words *w)
{
	return t == DT_F64 ? fraction53(e, w->at[0], w->at[1], 0) : fraction24(e, w->at[0], 0);
}

/* A word plus `more`, times 2^-32, of f64. */
static LLVMValueRef fraction32(struct emitter *e, LLVMValueRef word, double more)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = emit_type_like(e->f64, LLVMTypeOf(word));
	LLVMValueRef wide = LLVMBuildZExt(b, word, emit_type_like(e->i64, t), ""), n = LLVMBuildSIToFP(b, wide, t, "");
	return LLVMBuildFMul(b, LLVMBuildFAdd(b, n, emit_float(t, more), ""), emit_float(t, 0x1p-32), "");
}

/* u is positive. */
static LLVMValueRef box_muller(struct emitter *e, LLVMValueRef u, LLVMValueRef v)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(u);
	LLVMValueRef square = LLVMBuildFMul(b, math_log_normal(e, u), emit_float(t, -2.0), "");
	LLVMValueRef turn = LLVMBuildFMul(b, v, emit_float(t, 6.283185307179586476925), "");
	return LLVMBuildFMul(b, emit_intrinsic1(e, "llvm.sqrt", square), math_cos(e, turn), "");
}

/* Box-Muller: sqrt(-2 log u) cos(2 pi v). */
static LLVMValueRef normal(struct emitter *e, enum dtype t, const struct words *w)
{
	LLVMBuilderRef b = e->builder;
	bool wide = t == DT_F64;
	LLVMValueRef u = wide ? fraction53(e, w->at[0], w->at[1], 1) : fraction24(e, w->at[0], 1);
	LLVMValueRef v = wide ? fraction53(e, w->at[2], w->at[3], 0) : fraction24(e, w->at[1], 0);
	if (wide)
		return box_muller(e, u, v);
	LLVMValueRef square = LLVMBuildFMul(b, math_log_normal(e, u), emit_float(LLVMTypeOf(u), -2.0), "");
	return LLVMBuildFMul(b, emit_intrinsic1(e, "llvm.sqrt", square), math_cos_turns(e, v), "");
}

/* What d (1 + z / sqrt(9 d))^3 is in one try, and where it is taken. */
static LLVMValueRef gamma_try(struct emitter *e, LLVMValueRef key, LLVMValueRef counter, LLVMValueRef number,
			      LLVMValueRef d, LLVMValueRef scale, LLVMValueRef *taken)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(d);
	LLVMValueRef domain = LLVMBuildAdd(b, number, emit_int(e->i64, PHILOX_TRY_DOMAIN), "");
	if (emit_lanes(t))
		domain = emit_splat(e, domain, emit_lanes(t));
	struct words w = philox_of(e, key, counter, domain);
	LLVMValueRef z = box_muller(e, fraction53(e, w.at[0], w.at[1], 1), fraction32(e, w.at[2], 0));
	LLVMValueRef one = emit_float(t, 1), root = LLVMBuildFAdd(b, one, LLVMBuildFMul(b, z, scale, ""), "");
	LLVMValueRef v = LLVMBuildFMul(b, LLVMBuildFMul(b, root, root, ""), root, "");
	LLVMValueRef most = LLVMBuildFAdd(b, LLVMBuildFSub(b, one, v, ""), math_log(e, v), "");
	LLVMValueRef half = LLVMBuildFMul(b, LLVMBuildFMul(b, z, emit_float(t, 0.5), ""), z, "");
	most = LLVMBuildFAdd(b, half, LLVMBuildFMul(b, d, most, ""), "");
	LLVMValueRef below = LLVMBuildFCmp(b, LLVMRealOLT, math_log_normal(e, fraction32(e, w.at[3], 1)), most, "");
	*taken = LLVMBuildAnd(b, below, LLVMBuildFCmp(b, LLVMRealOGT, v, emit_float(t, 0), ""), "");
	return LLVMBuildFMul(b, d, v, "");
}

/* philox_gamma of every lane. */
static void gamma_body(struct emitter *e, LLVMValueRef f)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef key = LLVMGetParam(f, 0), counter = LLVMGetParam(f, 1), alpha = LLVMGetParam(f, 2);
	LLVMTypeRef t = LLVMTypeOf(alpha), mask = emit_type_like(e->i1, t);
	LLVMValueRef d = LLVMBuildFSub(b, alpha, emit_float(t, 1.0 / 3.0), "");
	LLVMValueRef nine = LLVMBuildFMul(b, d, emit_float(t, 9), "");
	LLVMValueRef scale = LLVMBuildFDiv(b, emit_float(t, 1), emit_intrinsic1(e, "llvm.sqrt", nine), "");
	LLVMBasicBlockRef before = emit_current_block(e), tries = emit_block(e, "try"), done = emit_block(e, "taken");
	LLVMBuildBr(b, tries);
	LLVMPositionBuilderAtEnd(b, tries);
	LLVMValueRef number = LLVMBuildPhi(b, e->i64, ""), found = LLVMBuildPhi(b, t, ""),
		     open = LLVMBuildPhi(b, mask, "");
	LLVMValueRef taken, x = gamma_try(e, key, counter, number, d, scale, &taken);
	LLVMValueRef next = LLVMBuildSelect(b, LLVMBuildAnd(b, open, taken, ""), x, found, "");
	LLVMValueRef left = LLVMBuildAnd(b, open, LLVMBuildNot(b, taken, ""), "");
	LLVMValueRef count = LLVMBuildAdd(b, number, emit_int(e->i64, 1), "");
	LLVMValueRef may = LLVMBuildICmp(b, LLVMIntULT, count, emit_int(e->i64, PHILOX_TRIES), "");
	LLVMBuildCondBr(b, LLVMBuildAnd(b, math_any_lane(e, left), may, ""), tries, done);
	LLVMBasicBlockRef after[] = {before, emit_current_block(e)};
	LLVMAddIncoming(number, (LLVMValueRef[]){emit_int(e->i64, 0), count}, after, 2);
	LLVMAddIncoming(found, (LLVMValueRef[]){d, next}, after, 2);
	LLVMAddIncoming(open, (LLVMValueRef[]){LLVMConstAllOnes(mask), left}, after, 2);
	LLVMPositionBuilderAtEnd(b, done);
	LLVMBuildRet(b, next);
}

static LLVMValueRef log_factorial(struct emitter *e, LLVMValueRef k)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(k);
	LLVMValueRef least = emit_float(t, PHILOX_FACTORIALS), half = emit_float(t, 0.5);
	LLVMValueRef x = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, k, least, ""), least, k, "");
	LLVMValueRef by = LLVMBuildFDiv(b, emit_float(t, 1), x, "");
	LLVMValueRef tail = math_polynomial(e, LLVMBuildFMul(b, by, by, ""), philox_stirling, 4);
	tail = emit_fma(e, by, tail, emit_float(t, 0.91893853320467274178));
	LLVMValueRef log = LLVMBuildFMul(b, LLVMBuildFAdd(b, x, half, ""), math_log(e, x), "");
	log = LLVMBuildFAdd(b, LLVMBuildFSub(b, log, x, ""), tail, "");
	for (int i = PHILOX_FACTORIALS - 1; i > 0; i--) {
		LLVMValueRef up_to = LLVMBuildFCmp(b, LLVMRealOLE, k, emit_float(t, i), "");
		log = LLVMBuildSelect(b, up_to, emit_float(t, philox_log_factorials[i]), log, "");
	}
	return log;
}

/* What of the rate the tries of a draw have in common. */
struct poisson {
	LLVMValueRef rate, log, a, b, scale;
};

static struct poisson poisson_of(struct emitter *e, LLVMValueRef rate)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(rate);
	struct poisson p = {.rate = rate, .log = math_log(e, rate)};
	p.b = emit_fma(e, emit_float(t, 2.53), emit_intrinsic1(e, "llvm.sqrt", rate), emit_float(t, 0.931));
	p.a = emit_fma(e, emit_float(t, 0.02483), p.b, emit_float(t, -0.059));
	LLVMValueRef part = LLVMBuildFDiv(b, emit_float(t, 1.1328), LLVMBuildFSub(b, p.b, emit_float(t, 3.4), ""), "");
	p.scale = LLVMBuildFAdd(b, part, emit_float(t, 1.1239), "");
	return p;
}

/* What a try gives, and where it is taken. */
static LLVMValueRef poisson_try(struct emitter *e, struct words w, const struct poisson *p, LLVMValueRef *taken)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(p->rate);
	LLVMValueRef half = emit_float(t, 0.5), two = emit_float(t, 2);
	LLVMValueRef u = LLVMBuildFSub(b, fraction53(e, w.at[0], w.at[1], 0), half, "");
	LLVMValueRef s = LLVMBuildFSub(b, half, emit_intrinsic1(e, "llvm.fabs", u), "");
	LLVMValueRef part = LLVMBuildFDiv(b, p->a, s, "");
	LLVMValueRef k = LLVMBuildFMul(b, emit_fma(e, two, part, p->b), u, "");
	k = LLVMBuildFAdd(b, LLVMBuildFAdd(b, k, p->rate, ""), emit_float(t, 0.43), "");
	k = emit_intrinsic1(e, "llvm.floor", k);
	LLVMValueRef v = LLVMBuildFMul(b, fraction53(e, w.at[2], w.at[3], 1), p->scale, "");
	v = LLVMBuildFDiv(b, v, LLVMBuildFAdd(b, LLVMBuildFDiv(b, part, s, ""), p->b, ""), "");
	LLVMValueRef most = LLVMBuildFSub(b, LLVMBuildFMul(b, k, p->log, ""), p->rate, "");
	most = LLVMBuildFSub(b, most, log_factorial(e, k), "");
	LLVMValueRef below = LLVMBuildFCmp(b, LLVMRealOLE, math_log(e, v), most, "");
	*taken = LLVMBuildAnd(b, below, LLVMBuildFCmp(b, LLVMRealOGE, k, emit_float(t, 0), ""), "");
	return k;
}

/* Where `few` is set, by sums of probabilities. */
static LLVMValueRef poisson_counted(struct emitter *e, LLVMValueRef key, LLVMValueRef counter, LLVMValueRef rate,
				    LLVMValueRef few)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(rate);
	LLVMValueRef zero = emit_float(t, 0), one = emit_float(t, 1), single = emit_float(e->f64, 1);
	struct words w = philox_of(e, key, counter, emit_int(LLVMTypeOf(counter), 0));
	LLVMValueRef u = LLVMBuildSelect(b, few, fraction53(e, w.at[0], w.at[1], 0), zero, "");
	LLVMValueRef own = LLVMBuildSelect(b, few, rate, zero, ""), first = math_exp(e, LLVMBuildFNeg(b, own, ""));
	LLVMBasicBlockRef before = emit_current_block(e), steps = emit_block(e, "count"),
			  done = emit_block(e, "counted");
	LLVMBuildBr(b, steps);
	LLVMPositionBuilderAtEnd(b, steps);
	LLVMValueRef step = LLVMBuildPhi(b, e->f64, ""), p = LLVMBuildPhi(b, t, ""), total = LLVMBuildPhi(b, t, ""),
		     n = LLVMBuildPhi(b, t, "");
	LLVMValueRef above = LLVMBuildFCmp(b, LLVMRealOGT, u, total, "");
	LLVMValueRef counted = LLVMBuildFAdd(b, n, LLVMBuildSelect(b, above, one, zero, ""), "");
	LLVMValueRef by = LLVMBuildFDiv(b, single, step, "");
	if (emit_lanes(t))
		by = emit_splat(e, by, emit_lanes(t));
	LLVMValueRef next = LLVMBuildFMul(b, p, LLVMBuildFMul(b, own, by, ""), "");
	LLVMValueRef sum = LLVMBuildFAdd(b, total, next, ""), number = LLVMBuildFAdd(b, step, single, "");
	LLVMValueRef open = math_any_lane(e, LLVMBuildFCmp(b, LLVMRealOGT, u, sum, ""));
	LLVMValueRef may = LLVMBuildFCmp(b, LLVMRealOLE, number, emit_float(e->f64, PHILOX_STEPS), "");
	LLVMBuildCondBr(b, LLVMBuildAnd(b, open, may, ""), steps, done);
	LLVMBasicBlockRef after[] = {before, emit_current_block(e)};
	LLVMAddIncoming(step, (LLVMValueRef[]){single, number}, after, 2);
	LLVMAddIncoming(p, (LLVMValueRef[]){first, next}, after, 2);
	LLVMAddIncoming(total, (LLVMValueRef[]){first, sum}, after, 2);
	LLVMAddIncoming(n, (LLVMValueRef[]){zero, counted}, after, 2);
	LLVMPositionBuilderAtEnd(b, done);
	return counted;
}

/* philox_poisson of every lane. */
static void poisson_body(struct emitter *e, LLVMValueRef f)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef key = LLVMGetParam(f, 0), counter = LLVMGetParam(f, 1), rate = LLVMGetParam(f, 2);
	LLVMTypeRef t = LLVMTypeOf(rate), mask = emit_type_like(e->i1, t);
	LLVMValueRef bound = emit_float(t, PHILOX_FEW), whole = emit_intrinsic1(e, "llvm.floor", rate);
	LLVMValueRef few = LLVMBuildFCmp(b, LLVMRealOLT, rate, bound, ""),
		     many = LLVMBuildFCmp(b, LLVMRealOGE, rate, bound, "");
	LLVMBasicBlockRef before = emit_current_block(e), small = emit_block(e, "few"), rest = emit_block(e, "rest"),
			  large = emit_block(e, "many"), tries = emit_block(e, "try"), done = emit_block(e, "drawn");
	LLVMBuildCondBr(b, math_any_lane(e, few), small, rest);
	LLVMPositionBuilderAtEnd(b, small);
	LLVMValueRef counted = LLVMBuildSelect(b, few, poisson_counted(e, key, counter, rate, few), whole, "");
	LLVMBasicBlockRef after_few = emit_current_block(e);
	LLVMBuildBr(b, rest);
	LLVMPositionBuilderAtEnd(b, rest);
	LLVMValueRef begun = LLVMBuildPhi(b, t, "");
	LLVMAddIncoming(begun, (LLVMValueRef[]){whole, counted}, (LLVMBasicBlockRef[]){before, after_few}, 2);
	LLVMBuildCondBr(b, math_any_lane(e, many), large, done);
	LLVMPositionBuilderAtEnd(b, large);
	struct poisson p = poisson_of(e, LLVMBuildSelect(b, many, rate, bound, ""));
	LLVMBasicBlockRef prepared = emit_current_block(e);
	LLVMBuildBr(b, tries);
	LLVMPositionBuilderAtEnd(b, tries);
	LLVMValueRef number = LLVMBuildPhi(b, e->i64, ""), found = LLVMBuildPhi(b, t, ""),
		     open = LLVMBuildPhi(b, mask, "");
	LLVMValueRef domain = LLVMBuildAdd(b, number, emit_int(e->i64, PHILOX_TRY_DOMAIN), "");
	if (emit_lanes(t))
		domain = emit_splat(e, domain, emit_lanes(t));
	LLVMValueRef taken, k = poisson_try(e, philox_of(e, key, counter, domain), &p, &taken);
	LLVMValueRef next = LLVMBuildSelect(b, LLVMBuildAnd(b, open, taken, ""), k, found, "");
	LLVMValueRef left = LLVMBuildAnd(b, open, LLVMBuildNot(b, taken, ""), "");
	LLVMValueRef count = LLVMBuildAdd(b, number, emit_int(e->i64, 1), "");
	LLVMValueRef may = LLVMBuildICmp(b, LLVMIntULT, count, emit_int(e->i64, PHILOX_TRIES), "");
	LLVMBasicBlockRef tried = emit_current_block(e);
	LLVMBuildCondBr(b, LLVMBuildAnd(b, math_any_lane(e, left), may, ""), tries, done);
	LLVMBasicBlockRef after[] = {prepared, tried};
	LLVMAddIncoming(number, (LLVMValueRef[]){emit_int(e->i64, 0), count}, after, 2);
	LLVMAddIncoming(found, (LLVMValueRef[]){begun, next}, after, 2);
	LLVMAddIncoming(open, (LLVMValueRef[]){many, left}, after, 2);
	LLVMPositionBuilderAtEnd(b, done);
	LLVMValueRef x = LLVMBuildPhi(b, t, "");
	LLVMAddIncoming(x, (LLVMValueRef[]){begun, next}, (LLVMBasicBlockRef[]){rest, tried}, 2);
	LLVMBuildRet(b, x);
}

static LLVMValueRef draw_anywhere(struct emitter *e, const char *name, draw_body *body, enum dtype t, LLVMValueRef key,
				  LLVMValueRef counter, int64_t domain)
{
	LLVMTypeRef words = LLVMTypeOf(counter), element = body == bits ? e->i32 : emit_type(e, t, 0);
	LLVMTypeRef type = LLVMFunctionType(emit_type_like(element, words), (LLVMTypeRef[]){words, words}, 2, 0);
	const char *symbol = arena_printf(e->arena, "%s.%s.%d", name, dtype_text(t), emit_lanes(words));
	bool fresh;
	struct emit_place place;
	LLVMValueRef f = emit_helper(e, symbol, type, &fresh, &place);
	if (fresh) {
		LLVMValueRef of = LLVMGetParam(f, 0), number = LLVMGetParam(f, 1);
		struct words w = philox_of(e, of, number, emit_int(words, domain));
		LLVMBuildRet(e->builder, body(e, t, &w));
		emit_return(e, &place);
	}
	return LLVMBuildCall2(e->builder, type, f, (LLVMValueRef[]){key, counter}, 2, "");
}

/* The same by halves of lanes that are several registers. */
static LLVMValueRef draw_by_parts(struct emitter *e, const char *name, draw_body *body, enum dtype t, LLVMValueRef key,
				  LLVMValueRef counter)
{
	if (emit_lanes(LLVMTypeOf(counter)) <= e->target->lanes)
		return draw_anywhere(e, name, body, t, key, counter, 0);
	LLVMValueRef low = draw_by_parts(e, name, body, t, emit_half(e, key, false), emit_half(e, counter, false));
	LLVMValueRef high = draw_by_parts(e, name, body, t, emit_half(e, key, true), emit_half(e, counter, true));
	return emit_joined(e, low, high);
}

/* The key if it is one for all lanes of the vector (emit_splat) and no constant, else NULL. */
static LLVMValueRef key_of_all(LLVMValueRef keys)
{
	if (!LLVMIsAShuffleVectorInst(keys) || !LLVMIsAInsertElementInst(LLVMGetOperand(keys, 0)))
		return NULL;
	for (unsigned i = 0; i < LLVMGetNumMaskElements(keys); i++)
		if (LLVMGetMaskValue(keys, (int)i) != 0)
			return NULL;
	return LLVMGetOperand(LLVMGetOperand(keys, 0), 1);
}

static LLVMValueRef draw(struct emitter *e, const char *name, draw_body *body, enum dtype t, LLVMValueRef key,
			 LLVMValueRef counter)
{
	LLVMBuilderRef b = e->builder;
	LLVMValueRef one = key_of_all(key);
	if (!one)
		return draw_by_parts(e, name, body, t, key, counter);
	LLVMTypeRef words = LLVMTypeOf(counter), element = body == bits ? e->i32 : emit_type(e, t, 0);
	LLVMTypeRef result = emit_type_like(element, words);
	LLVMTypeRef type = LLVMFunctionType(result, (LLVMTypeRef[]){e->ptr, e->i64, words}, 3, 0);
	const char *symbol = arena_printf(e->arena, "%s.near.%s.%d", name, dtype_text(t), emit_lanes(words));
	bool fresh;
	struct emit_place place;
	LLVMValueRef f = emit_helper(e, symbol, type, &fresh, &place);
	if (fresh) {
		LLVMValueRef number = LLVMGetParam(f, 2), zero = emit_int(words, 0);
		LLVMValueRef high = LLVMBuildAnd(b, number, emit_int(words, (int64_t)0xffffffff00000000), "");
		LLVMValueRef far = LLVMBuildICmp(b, LLVMIntNE, high, zero, "");
		struct words w = philox_near(e, LLVMGetParam(f, 0), number);
		LLVMValueRef near = body(e, t, &w);
		struct math_branch branch = math_rarely(e, far);
		LLVMValueRef keys = emit_splat(e, LLVMGetParam(f, 1), emit_lanes(words));
		LLVMValueRef there = draw_by_parts(e, name, body, t, keys, number);
		LLVMBuildRet(b, math_mixed(e, &branch, there, near));
		emit_return(e, &place);
	}
	LLVMValueRef arguments[] = {near_words(e, one), one, counter};
	return LLVMBuildCall2(b, type, f, arguments, 3, "");
}

LLVMValueRef random_bits(struct emitter *e, LLVMValueRef key, LLVMValueRef counter)
{
	return draw(e, "bits", bits, DT_U32, key, counter);
}

LLVMValueRef random_uniform(struct emitter *e, enum dtype t, LLVMValueRef key, LLVMValueRef counter)
{
	return draw(e, "uniform", uniform, t, key, counter);
}

LLVMValueRef random_normal(struct emitter *e, enum dtype t, LLVMValueRef key, LLVMValueRef counter)
{
	return draw(e, "normal", normal, t, key, counter);
}

LLVMValueRef random_key(struct emitter *e, LLVMValueRef of, LLVMValueRef number)
{
	return draw_anywhere(e, "key", key, DT_U64, of, number, PHILOX_FOLD_DOMAIN);
}

/* A draw with a parameter of f64. */
static LLVMValueRef draw_of(struct emitter *e, const char *name, void (*body)(struct emitter *e, LLVMValueRef f),
			    LLVMValueRef key, LLVMValueRef counter, LLVMValueRef parameter)
{
	LLVMTypeRef words = LLVMTypeOf(counter), t = LLVMTypeOf(parameter);
	LLVMTypeRef type = LLVMFunctionType(t, (LLVMTypeRef[]){words, words, t}, 3, 0);
	bool fresh;
	struct emit_place place;
	LLVMValueRef f = emit_helper(e, arena_printf(e->arena, "%s.%d", name, emit_lanes(words)), type, &fresh, &place);
	if (fresh) {
		body(e, f);
		emit_return(e, &place);
	}
	return LLVMBuildCall2(e->builder, type, f, (LLVMValueRef[]){key, counter, parameter}, 3, "");
}

LLVMValueRef random_gamma(struct emitter *e, LLVMValueRef key, LLVMValueRef counter, LLVMValueRef alpha)
{
	return draw_of(e, "gamma", gamma_body, key, counter, alpha);
}

LLVMValueRef random_poisson(struct emitter *e, LLVMValueRef key, LLVMValueRef counter, LLVMValueRef rate)
{
	return draw_of(e, "poisson", poisson_body, key, counter, rate);
}
