/* native_place.c — where the buffers of a loop that is code are: see native_emit.h.
 *
 * Buffers of one element that nothing else can lie in are stack slots, which the optimiser turns into registers; they
 * are filled if they were written before the loop, and written back if they are read behind it. Of all others the
 * address is taken from its cell at the beginning; those that move have theirs in a slot, and in their cells behind the
 * loop. */
#include "native_emit.h"

#include "../runtime/loop.h"

static LLVMValueRef cell_of(const struct native *n, int buffer)
{
	LLVMValueRef index = emit_i64(n->e, buffer);
	return LLVMBuildInBoundsGEP2(n->e->builder, n->e->ptr, n->cells, &index, 1, "");
}

static LLVMValueRef address_in_cell(const struct native *n, int buffer)
{
	return LLVMBuildLoad2(n->e->builder, n->e->ptr, cell_of(n, buffer), "");
}

LLVMValueRef native_address(const struct native *n, int buffer, int64_t bytes)
{
	LLVMBuilderRef b = n->e->builder;
	if (buffer < 0)
		return LLVMConstNull(n->e->ptr);
	const struct spot *x = &n->place[buffer];
	LLVMValueRef at = x->kind == MOVES ? LLVMBuildLoad2(b, n->e->ptr, x->at, "") : x->at;
	LLVMValueRef index = emit_i64(n->e, bytes);
	return bytes ? LLVMBuildInBoundsGEP2(b, n->e->i8, at, &index, 1, "") : at;
}

static void find_place(struct native *n, int buffer)
{
	const struct buffer *b = buffer < 0 ? NULL : &n->plan->buffers.at[buffer];
	LLVMBuilderRef builder = n->e->builder;
	if (!b || n->place[buffer].kind != NOWHERE)
		return;
	struct spot *x = &n->place[buffer];
	if (b->kind == BUFFER_MOVING) {
		*x = (struct spot){MOVES, emit_alloca(n->e, n->e->ptr, "moving")};
		LLVMBuildStore(builder, address_in_cell(n, buffer), x->at);
		return;
	}
	if (b->kind == BUFFER_TAPE) {
		*x = (struct spot){STAYS, NULL}; /* native_find_tapes */
		return;
	}
	if (b->kind != BUFFER_ARENA || b->elements != 1 || b->is_shared) {
		*x = (struct spot){STAYS, address_in_cell(n, buffer)};
		return;
	}
	LLVMTypeRef type = emit_storage_type(n->e, b->type);
	*x = (struct spot){IN_SLOT, emit_alloca(n->e, type, "element")};
	if (b->first_step < n->from)
		LLVMBuildStore(builder, LLVMBuildLoad2(builder, type, address_in_cell(n, buffer), ""), x->at);
}

static void find_places_of_loop(struct native *n, const struct plan_loop *l)
{
	find_place(n, l->turn);
	for (int i = 0; i < l->moves.n; i++) {
		find_place(n, l->moves.at[i].buffer);
		find_place(n, l->moves.at[i].of.at[0]);
	}
	for (int i = 0; i < l->starts.n; i++) {
		find_place(n, l->starts.at[i].buffer);
		find_place(n, l->starts.at[i].at);
	}
	for (int i = 0; i < l->nexts.n; i++) {
		find_place(n, l->nexts.at[i].buffer);
		find_place(n, l->nexts.at[i].at);
	}
}

void native_find_places(struct native *n)
{
	for (int i = n->from; i <= n->to; i++) {
		const struct plan_step *s = &n->plan->steps.at[i];
		int used[64], count = 0;
		for (int more = 0; (count = plan_step_buffers(s, used, 64, more)) > 0; more += count)
			for (int k = 0; k < count; k++)
				find_place(n, used[k]);
		if (s->kind == STEP_LOOP_BEGIN)
			find_places_of_loop(n, native_loop_of(n->plan, s));
	}
}

static LLVMValueRef lines_before(const struct native *n, int tape)
{
	LLVMValueRef cell = cell_of(n, step_cell_of_tape(n->plan, tape) + TAPE_BEFORE);
	return LLVMBuildLoad2(n->e->builder, n->e->i64, cell, "");
}

void native_find_tapes(struct native *n, const struct plan_loop *l, LLVMValueRef words, LLVMValueRef turns)
{
	LLVMBuilderRef b = n->e->builder;
	if (l->tapes.n || l->rewinds.n)
		abi_call(n->e, "loop_tapes", (LLVMValueRef[]){n->rt, n->cells, words, turns}, 4);
	for (int i = 0; i < n->plan->buffers.n; i++) {
		const struct buffer *tape = &n->plan->buffers.at[i];
		if (tape->kind != BUFFER_TAPE || n->place[i].kind == NOWHERE)
			continue;
		LLVMValueRef before = LLVMBuildMul(b, lines_before(n, i), emit_i64(n->e, buffer_size(tape)), "");
		n->place[i].at = LLVMBuildInBoundsGEP2(b, n->e->i8, address_in_cell(n, i), &before, 1, "");
	}
}

/* What is read behind the loop is where the steps there look for it. */
void native_leave_places(const struct native *n)
{
	LLVMBuilderRef builder = n->e->builder;
	for (int i = 0; i < n->plan->buffers.n; i++) {
		const struct buffer *b = &n->plan->buffers.at[i];
		const struct spot *x = &n->place[i];
		if (x->kind == MOVES)
			LLVMBuildStore(builder, native_address(n, i, 0), cell_of(n, i));
		if (x->kind == IN_SLOT && b->last_step > n->to)
			LLVMBuildStore(builder, LLVMBuildLoad2(builder, emit_storage_type(n->e, b->type), x->at, ""),
				       address_in_cell(n, i));
	}
}

void native_move(const struct native *n, int buffer, LLVMValueRef at)
{
	LLVMBuildStore(n->e->builder, at, n->place[buffer].at);
}
