/* native_loop.c — a loop of a region as code, turn by turn: see native_loop.h.
 *
 * Which loops: native_choice.c; turns: native_steps.c; where buffers are: native_place.c; scalars: native_scalar.c;
 * steps: native_step.c. */
#include "native_loop.h"

#include "../runtime/loop.h"
#include "native_emit.h"

static LLVMValueRef words_behind(const struct native *n, LLVMValueRef words)
{
	LLVMBuilderRef b = n->e->builder;
	LLVMValueRef index = emit_i64(n->e, LOOP_BEHIND);
	LLVMValueRef distance =
		LLVMBuildLoad2(b, n->e->i64, LLVMBuildInBoundsGEP2(b, n->e->i64, words, &index, 1, ""), "");
	return LLVMBuildInBoundsGEP2(b, n->e->i64, words, &distance, 1, "");
}

/* Where every step is looked at, the turns are walked through. */
static void emit_begin_of_walk(struct native *n, LLVMValueRef words, LLVMValueRef turns)
{
	LLVMBuilderRef b = n->e->builder;
	LLVMBasicBlockRef walked = emit_block(n->e, "walked"), native = emit_block(n->e, "native");
	LLVMBuildCondBr(b, abi_call(n->e, "looks_at_steps", &n->rt, 1), walked, native);
	LLVMPositionBuilderAtEnd(b, walked);
	LLVMBuildRet(b, abi_call(n->e, "loop_begin", (LLVMValueRef[]){n->rt, n->cells, words, turns}, 4));
	LLVMPositionBuilderAtEnd(b, native);
}

LLVMValueRef native_loop_function(struct program_emitter *p, const struct region *region, const struct plan *plan,
				  int loop)
{
	struct emitter *e = p->e;
	const struct plan_loop *l = &plan->loops.at[loop];
	struct native n = {.e = e, .region = region, .plan = plan, .from = l->begin, .to = l->end};
	struct emit_place place = emit_leave(e);
	LLVMValueRef f = step_function(p, "loop");
	e->counts_turns = true;
	n.rt = LLVMGetParam(f, 0);
	n.given = LLVMGetParam(f, 1);
	n.cells = LLVMGetParam(f, 2);
	LLVMValueRef words = LLVMGetParam(f, 3);
	n.place = ARENA_ARRAY(e->arena, struct spot, plan->buffers.n + 1);
	native_find_places(&n);
	native_find_scalars(&n);
	LLVMValueRef turns = native_scalar(&n, n.from, 0, DT_I64);
	emit_begin_of_walk(&n, words, turns);
	native_find_tapes(&n, l, words, turns);
	native_steps(&n);
	native_leave_places(&n);
	LLVMBuildRet(e->builder, words_behind(&n, words));
	emit_return(e, &place);
	return f;
}
