/* kernel_split.c — vector loops with a condition that holds up to some turn and not behind it, as positions are seen up
 * to one's own: chunks before that turn are made by code to which the condition is known to be true, those behind it by
 * code to which it is false, where what hangs on it is one number for all turns, and is computed once. */
#include "kernel_emit.h"

static const struct kernel_instr *maker(const struct kernel_instr *list, int reg)
{
	for (; list; list = list->next)
		if (list->reg == reg && (list->kind == K_APPLY || list->kind == K_LOOPVAR))
			return list;
	return NULL;
}

/* The instruction of the body that the turn of the loop is, but for what does not depend on it, which the way there
 * adds or takes off; NULL: none. */
static const struct kernel_instr *turn_in(const struct kernel_emitter *k, const struct kernel_instr *loop, int reg)
{
	const struct kernel_instr *i = maker(loop->body, reg);
	if (!i || (i->kind == K_LOOPVAR && (affine_coef(&i->at, loop->loop) != 1 || i->at.reg >= 0)))
		return NULL;
	if (i->kind == K_LOOPVAR)
		return i;
	if (i->fn == SC_ADD && !k->scan.reg[i->a].vector)
		return turn_in(k, loop, i->b);
	if ((i->fn == SC_ADD || i->fn == SC_SUB) && !k->scan.reg[i->b].vector)
		return turn_in(k, loop, i->a);
	return NULL;
}

/* Whether it chooses what is computed with. Where it says what is loaded, three loops take longer than masks. */
static bool chooses(const struct kernel_instr *loop, int condition)
{
	bool any = false;
	for (const struct kernel_instr *i = loop->body; i; i = i->next) {
		if ((i->kind == K_LOAD || i->kind == K_STORE) && i->guard == condition)
			return false;
		any = any || (i->kind == K_APPLY && i->fn == SC_WHERE && i->a == condition);
	}
	return any;
}

const struct kernel_instr *kernel_split_at(const struct kernel_emitter *k, const struct kernel_instr *loop)
{
	for (const struct kernel_instr *i = loop->body; i; i = i->next)
		if (i->kind == K_APPLY && (i->fn == SC_LE || i->fn == SC_LT) && k->scan.reg[i->a].type == DT_I64 &&
		    k->scan.reg[i->a].vector && k->scan.reg[i->a].bound >= 0 && !k->scan.reg[i->b].vector &&
		    turn_in(k, loop, i->a) && chooses(loop, i->reg))
			return i;
	return NULL;
}

/* What the register is in the turn that is number 0. */
static LLVMValueRef first_value(struct kernel_emitter *k, const struct kernel_instr *loop, int reg)
{
	LLVMBuilderRef b = k->e->builder;
	if (!k->scan.reg[reg].vector)
		return k->reg[reg].at[0];
	const struct kernel_instr *i = maker(loop->body, reg);
	if (i->kind == K_APPLY) {
		LLVMValueRef x = first_value(k, loop, i->a), y = first_value(k, loop, i->b);
		return i->fn == SC_ADD ? LLVMBuildAdd(b, x, y, "") : LLVMBuildSub(b, x, y, "");
	}
	LLVMValueRef sum = emit_i64(k->e, i->at.offset);
	for (int n = 0; n < i->at.nterms; n++)
		if (i->at.term[n].loop != loop->loop)
			sum = LLVMBuildAdd(b, sum,
					   LLVMBuildMul(b, k->variable[i->at.term[n].loop],
							emit_i64(k->e, i->at.term[n].coef), ""),
					   "");
	return sum;
}

static LLVMValueRef of_two(struct kernel_emitter *k, const char *name, LLVMValueRef x, LLVMValueRef y)
{
	return emit_intrinsic(k->e, name, &k->e->i64, 1, (LLVMValueRef[]){x, y}, 2);
}

LLVMValueRef kernel_split_turn(struct kernel_emitter *k, const struct kernel_instr *loop,
			       const struct kernel_instr *condition)
{
	LLVMValueRef most = k->reg[condition->b].at[0], first = first_value(k, loop, condition->a);
	LLVMValueRef count = of_two(k, "llvm.ssub.sat", most, first);
	if (condition->fn == SC_LE)
		count = of_two(k, "llvm.sadd.sat", count, emit_i64(k->e, 1));
	count = of_two(k, "llvm.smax", count, emit_i64(k->e, 0));
	return of_two(k, "llvm.smin", count, emit_i64(k->e, loop->extent));
}
