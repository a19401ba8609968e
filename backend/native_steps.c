/* native_steps.c — the steps of a loop, or of a region in a loop of the host, as code: see native_emit.h.
 *
 * Kernels of few points stand one behind the other in the turn of an LLVM loop, and so do loops in loops:
 *
 *   loop 100 turns; turn in b2          for (i = 0; i < 100; i++) {
 *   loop b2[0] turns; turn in b3            for (j = 0; j < i; j++) {
 *   kernel 2 sub(out b5, b2, b3, b1)            t = b1[…] - …;
 *   kernel 3 update(inout b1, b5, b2)           b1[…] = t;
 *   next turn                               }
 *   next turn                           } */
#include "native_emit.h"

struct open_loop {
	const struct plan_loop *l;
	LLVMValueRef turns, turn; /* turn: where it is kept */
	LLVMValueRef began;       /* where the clock is kept, of one that may never end; NULL: it does */
	LLVMBasicBlockRef body, behind;
};

static void emit_starts(struct native *n, const struct plan_loop *l)
{
	for (int i = 0; i < l->starts.n; i++)
		native_move(n, l->starts.at[i].buffer, native_address(n, l->starts.at[i].at, 0));
	for (int i = 0; i < l->cleared.n; i++) {
		int b = l->cleared.at[i];
		LLVMBuildMemSet(n->e->builder, native_address(n, b, 0), emit_int(n->e->i8, 0),
				emit_i64(n->e, buffer_size(&n->plan->buffers.at[b])), 1);
	}
}

/* All at once. */
static void emit_nexts(struct native *n, const struct plan_loop *l)
{
	LLVMValueRef *next = ARENA_ARRAY(n->e->arena, LLVMValueRef, l->nexts.n + 1);
	for (int i = 0; i < l->nexts.n; i++)
		next[i] = native_address(n, l->nexts.at[i].at, 0);
	for (int i = 0; i < l->nexts.n; i++)
		native_move(n, l->nexts.at[i].buffer, next[i]);
}

/* late: those of turns that the condition lets go on. */
static void emit_moves(struct native *n, const struct plan_loop *l, LLVMValueRef turns, LLVMValueRef turn, bool late)
{
	LLVMBuilderRef b = n->e->builder;
	for (int i = 0; i < l->moves.n; i++) {
		const struct plan_move *m = &l->moves.at[i];
		if (m->late != late)
			continue;
		int64_t bytes = buffer_size(&n->plan->buffers.at[m->buffer]);
		LLVMValueRef first = emit_i64(n->e, m->first);
		first = m->back ? LLVMBuildAdd(b, first, turns, "") : first;
		LLVMValueRef line = LLVMBuildAdd(b, LLVMBuildMul(b, turn, emit_i64(n->e, m->step), ""), first, "");
		LLVMValueRef offset = LLVMBuildMul(b, line, emit_i64(n->e, bytes), "");
		LLVMValueRef base = native_address(n, m->of.at[0], 0);
		native_move(n, m->buffer, LLVMBuildInBoundsGEP2(b, n->e->i8, base, &offset, 1, ""));
	}
}

/* The runtime says why there are too many, and ends the job: lines of what is gone over would run out. Behind it the
 * bound is known to whoever asks whether an index that follows from a turn is inside. */
static void emit_most(struct native *n, const struct plan_loop *l, LLVMValueRef turns)
{
	LLVMBuilderRef b = n->e->builder;
	if (l->most < 0 || l->turns >= 0 || l->asks)
		return;
	LLVMValueRef most = emit_i64(n->e, l->most), arguments[] = {n->rt, emit_i64(n->e, l->site), most, turns};
	abi_end_if(n->e, LLVMBuildICmp(b, LLVMIntSGT, turns, most, ""), "loop_has_too_many", arguments, 4);
}

static void begin_loop(struct native *n, int step, struct open_loop *o)
{
	LLVMBuilderRef b = n->e->builder;
	const struct plan_loop *l = native_loop_of(n->plan, &n->plan->steps.at[step]);
	LLVMValueRef none = emit_i64(n->e, 0);
	*o = (struct open_loop){
		.l = l, .turns = native_scalar(n, step, 0, DT_I64), .turn = emit_alloca(n->e, n->e->i64, "turn")};
	if (l->asks && l->most < 0) {
		o->began = emit_alloca(n->e, n->e->i64, "began");
		LLVMBuildStore(b, none, o->began);
	}
	emit_most(n, l, o->turns);
	o->body = emit_block(n->e, "turn");
	o->behind = emit_block(n->e, "behind");
	emit_starts(n, l);
	LLVMBuildStore(b, none, o->turn);
	LLVMValueRef any = l->asks ? emit_int(n->e->i1, 1) : LLVMBuildICmp(b, LLVMIntSGT, o->turns, none, "");
	LLVMBuildCondBr(b, any, o->body, o->behind);
	LLVMPositionBuilderAtEnd(b, o->body);
	LLVMValueRef turn = LLVMBuildLoad2(b, n->e->i64, o->turn, "");
	if (l->turn >= 0)
		LLVMBuildStore(b, turn, native_address(n, l->turn, 0));
	emit_moves(n, l, o->turns, turn, false);
}

/* One turn in many: the runtime looks whether the loop goes on for too long, and others hear of it. */
static void emit_clock(struct native *n, const struct open_loop *o, LLVMValueRef turn)
{
	enum { TURNS = 1 << 10 };
	struct emitter *e = n->e;
	LLVMBuilderRef b = e->builder;
	LLVMBasicBlockRef look = emit_block(e, "look"), go_on = emit_block(e, "on");
	LLVMValueRef last = emit_i64(e, TURNS - 1), rest = LLVMBuildAnd(b, turn, last, "");
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, rest, last, ""), look, go_on);
	LLVMPositionBuilderAtEnd(b, look);
	abi_call(e, "came_by", &n->rt, 1);
	LLVMValueRef arguments[] = {n->rt, emit_i64(e, o->l->site), LLVMBuildLoad2(b, e->i64, o->began, ""), turn};
	LLVMBuildStore(b, abi_call(e, "loop_goes_on", arguments, 4), o->began);
	LLVMBuildBr(b, go_on);
	LLVMPositionBuilderAtEnd(b, go_on);
}

/* Ends the job if the turn is one too many. */
static void emit_too_far(struct native *n, const struct plan_loop *l, LLVMValueRef turn)
{
	LLVMBuilderRef b = n->e->builder;
	LLVMValueRef most = emit_i64(n->e, l->most), arguments[] = {n->rt, emit_i64(n->e, l->site), most};
	abi_end_if(n->e, LLVMBuildICmp(b, LLVMIntSGE, turn, most, ""), "loop_goes_too_far", arguments, 3);
}

/* What is behind the loop is next where the condition does not hold. */
static void test_loop(struct native *n, int step, const struct open_loop *o)
{
	LLVMBuilderRef b = n->e->builder;
	LLVMBasicBlockRef go_on = emit_block(n->e, "holds");
	LLVMBuildCondBr(b, native_scalar(n, step, 0, DT_BOOL), go_on, o->behind);
	LLVMPositionBuilderAtEnd(b, go_on);
	LLVMValueRef turn = LLVMBuildLoad2(b, n->e->i64, o->turn, "");
	if (o->began)
		emit_clock(n, o, turn);
	else
		emit_too_far(n, o->l, turn);
	emit_moves(n, o->l, o->turns, turn, true);
}

static void end_loop(struct native *n, const struct open_loop *o, bool has_loops)
{
	LLVMBuilderRef b = n->e->builder;
	if (has_loops)
		abi_call(n->e, "came_by", &n->rt, 1);
	emit_nexts(n, o->l);
	LLVMValueRef turn = LLVMBuildAdd(b, LLVMBuildLoad2(b, n->e->i64, o->turn, ""), emit_i64(n->e, 1), "");
	LLVMBuildStore(b, turn, o->turn);
	if (o->l->asks)
		LLVMBuildBr(b, o->body);
	else
		LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, turn, o->turns, ""), o->body, o->behind);
	LLVMPositionBuilderAtEnd(b, o->behind);
}

void native_steps(struct native *n)
{
	VEC(struct open_loop) open = {0};
	int last_begin = -1; /* of a loop that may make several turns: others are arms */
	for (int i = n->from; i <= n->to; i++) {
		const struct plan_step *s = &n->plan->steps.at[i];
		struct open_loop o;
		switch (s->kind) {
		case STEP_LOOP_BEGIN:
			begin_loop(n, i, &o);
			vec_push(n->e->arena, &open, o);
			last_begin = o.l->most == 1 ? last_begin : i;
			break;
		case STEP_LOOP_TEST:
			test_loop(n, i, &open.at[open.n - 1]);
			break;
		case STEP_LOOP_END:
			o = open.at[--open.n];
			end_loop(n, &o, last_begin > o.l->begin);
			break;
		default:
			native_step(n, i);
			break;
		}
	}
}
