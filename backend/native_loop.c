/* native_loop.c — a loop of a region as code: see native_loop.h.
 *
 * A step that is walked to costs some nanoseconds, for its words, addresses and call: nothing beside a product of
 * matrices, and ten times the work where a turn computes one element of a recurrence. So kernels of few points stand
 * one behind the other in the turn of an LLVM loop, and so do loops in loops:
 *
 *   loop 100 turns; turn in b2          for (i = 0; i < 100; i++) {
 *   loop b2[0] turns; turn in b3            for (j = 0; j < i; j++) {
 *   kernel 2 sub(out b5, b2, b3, b1)            t = b1[…] - …;
 *   kernel 3 update(inout b1, b5, b2)           b1[…] = t;
 *   next turn                               }
 *   next turn                           }
 *
 * Buffers of one element that nothing else can lie in are stack slots, which the optimiser turns into registers; they
 * are filled if they were written before the loop, and written back if they are read behind it. Of all others the
 * address is taken from its cell at the beginning; those that move have theirs in a slot, and in their cells behind the
 * loop. What is computed is what the kernels compute alone, bit for bit. */
#include "native_loop.h"

#include "../runtime/loop.h"
#include "apply.h"
#include "kernel_function.h"

#include <string.h>

/* Of the steps of a loop; of the points and copied bytes of one; turns below which no loop is worth code. */
enum { MOST_STEPS = 96, MOST_POINTS = 64, MOST_BYTES = 512, FEW_TURNS = 16 };

/* ---- which loops ---- */

static int64_t points_of(const struct kernel_instr *body)
{
	int64_t points = 1;
	for (const struct kernel_instr *i = body; i; i = i->next)
		if (i->kind == K_LOOP) {
			int64_t inside = i->extent > MOST_POINTS ? MOST_POINTS + 1 : i->extent * points_of(i->body);
			points = inside > points ? inside : points;
		}
	return points > MOST_POINTS ? MOST_POINTS + 1 : points;
}

static bool is_small(const struct plan *plan, const struct plan_step *s)
{
	switch (s->kind) {
	case STEP_KERNEL:
		return points_of(s->kernel->body) <= MOST_POINTS;
	case STEP_COPY: {
		const struct buffer *b = &plan->buffers.at[s->dst];
		return b->elements <= MOST_BYTES / dtype_size(b->type);
	}
	case STEP_CHECK:
		return plan->buffers.at[s->src].elements == 1 && dtype_is_int(plan->buffers.at[s->src].type) &&
		       s->check->rows.argument < 0;
	case STEP_LOOP_BEGIN:
	case STEP_LOOP_END:
		return true;
	default:
		return false;
	}
}

/* Lines within what they are lines of, whatever the turn. */
static bool moves_inside(const struct plan *plan, const struct plan_loop *l)
{
	for (int i = 0; i < l->moves.n; i++) {
		const struct plan_move *m = &l->moves.at[i];
		int64_t first = m->first + (m->back ? l->turns : 0), last = first + m->step * (l->turns - 1);
		if (m->late || l->turns < 1 || m->of.n != 1 || plan->buffers.at[m->of.at[0]].kind == BUFFER_TAPE ||
		    first < 0 || last < 0 || first >= m->lines || last >= m->lines)
			return false;
	}
	return true;
}

static bool is_plain(const struct plan *plan, const struct plan_loop *l)
{
	return l->test < 0 && !l->asks && !l->tapes.n && !l->rewinds.n && moves_inside(plan, l);
}

/* A loop's number in the plan, of a step that begins or ends it. */
static const struct plan_loop *loop_of(const struct plan *plan, const struct plan_step *s)
{
	return &plan->loops.at[s->loop];
}

bool loop_is_native(const struct session *s, const struct plan *plan, int loop)
{
	const struct plan_loop *l = &plan->loops.at[loop];
	int64_t turns = 1;
	bool computes = false;
	if (s->options.debug_info || l->end - l->begin > MOST_STEPS)
		return false;
	for (int i = l->begin; i <= l->end; i++) {
		const struct plan_step *x = &plan->steps.at[i];
		if (!is_small(plan, x) || (x->kind == STEP_LOOP_BEGIN && !is_plain(plan, loop_of(plan, x))))
			return false;
		if (x->kind == STEP_LOOP_BEGIN && turns < FEW_TURNS)
			turns *= loop_of(plan, x)->turns < 0 ? FEW_TURNS : loop_of(plan, x)->turns;
		computes |= x->kind == STEP_KERNEL;
	}
	return computes && turns >= FEW_TURNS;
}

static bool plan_has_native_loops(const struct session *s, const struct plan *plan)
{
	for (int i = 0; plan && i < plan->loops.n; i++)
		if (loop_is_native(s, plan, i))
			return true;
	return false;
}

bool role_has_native_loops(const struct program *p, int role)
{
	const struct role *r = p->roles.at[role];
	for (int i = 0; r->plans && i < p->regions.n; i++)
		if (plan_has_native_loops(p->session, r->plans[i]))
			return true;
	return false;
}

/* ---- where buffers are ---- */

enum spot_kind { NOWHERE, IN_SLOT, MOVES, STAYS };

struct spot {
	enum spot_kind kind;
	/* IN_SLOT: the stack slot that holds it; MOVES: the one that holds its address; STAYS: the address. */
	LLVMValueRef at;
};

struct native {
	struct program_emitter *p;
	struct emitter *e;
	const struct region *region;
	const struct plan *plan;
	const struct plan_loop *outer;
	const struct step_words *words;
	LLVMValueRef rt, given, cells, first_words;
	struct spot *place;    /* by buffer */
	LLVMValueRef **scalar; /* by step, by scalar: what stays as it is; NULL: read where it is used */
};

static LLVMValueRef cell_of(const struct native *n, int buffer)
{
	LLVMValueRef index = emit_i64(n->e, buffer);
	return LLVMBuildInBoundsGEP2(n->e->builder, n->e->ptr, n->cells, &index, 1, "");
}

static LLVMValueRef address_in_cell(const struct native *n, int buffer)
{
	return LLVMBuildLoad2(n->e->builder, n->e->ptr, cell_of(n, buffer), "");
}

static LLVMValueRef address(const struct native *n, int buffer, int64_t bytes)
{
	LLVMBuilderRef b = n->e->builder;
	if (buffer < 0)
		return LLVMConstNull(n->e->ptr);
	const struct spot *x = &n->place[buffer];
	LLVMValueRef at = x->kind == MOVES ? LLVMBuildLoad2(b, n->e->ptr, x->at, "") : x->at;
	LLVMValueRef index = emit_i64(n->e, bytes);
	return bytes ? LLVMBuildInBoundsGEP2(b, n->e->i8, at, &index, 1, "") : at;
}

/* Buffers that others may lie in keep their memory. */
static void keep_memory(bool *in_memory, const struct plan *plan, const struct plan_loop *l)
{
	for (int i = 0; i < l->moves.n; i++)
		for (int k = 0; k < l->moves.at[i].of.n; k++)
			in_memory[l->moves.at[i].of.at[k]] = true;
	for (int i = 0; i < l->starts.n; i++)
		in_memory[l->starts.at[i].at] = true;
	for (int i = 0; i < l->nexts.n; i++)
		in_memory[l->nexts.at[i].at] = true;
	for (int i = 0; i < plan->buffers.n; i++)
		in_memory[i] |= plan->buffers.at[i].is_shared;
}

static void find_place(struct native *n, int buffer, const bool *in_memory)
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
	if (b->kind != BUFFER_ARENA || b->elements != 1 || in_memory[buffer]) {
		*x = (struct spot){STAYS, address_in_cell(n, buffer)};
		return;
	}
	LLVMTypeRef type = emit_storage_type(n->e, b->type);
	*x = (struct spot){IN_SLOT, emit_alloca(n->e, type, "element")};
	if (b->first_step < n->outer->begin)
		LLVMBuildStore(builder, LLVMBuildLoad2(builder, type, address_in_cell(n, buffer), ""), x->at);
}

static void find_places_of_loop(struct native *n, const struct plan_loop *l, const bool *in_memory)
{
	find_place(n, l->turn, in_memory);
	for (int i = 0; i < l->moves.n; i++) {
		find_place(n, l->moves.at[i].buffer, in_memory);
		find_place(n, l->moves.at[i].of.at[0], in_memory);
	}
	for (int i = 0; i < l->starts.n; i++) {
		find_place(n, l->starts.at[i].buffer, in_memory);
		find_place(n, l->starts.at[i].at, in_memory);
	}
	for (int i = 0; i < l->nexts.n; i++) {
		find_place(n, l->nexts.at[i].buffer, in_memory);
		find_place(n, l->nexts.at[i].at, in_memory);
	}
	for (int i = 0; i < l->cleared.n; i++)
		find_place(n, l->cleared.at[i], in_memory);
}

static void find_places(struct native *n)
{
	bool *in_memory = ARENA_ARRAY(n->e->arena, bool, n->plan->buffers.n + 1);
	for (int i = n->outer->begin; i <= n->outer->end; i++)
		if (n->plan->steps.at[i].kind == STEP_LOOP_BEGIN)
			keep_memory(in_memory, n->plan, loop_of(n->plan, &n->plan->steps.at[i]));
	for (int i = n->outer->begin; i <= n->outer->end; i++) {
		const struct plan_step *s = &n->plan->steps.at[i];
		int used[64], count = 0;
		for (int more = 0; (count = plan_step_buffers(s, used, 64, more)) > 0; more += count)
			for (int k = 0; k < count; k++)
				find_place(n, used[k], in_memory);
		if (s->kind == STEP_LOOP_BEGIN)
			find_places_of_loop(n, loop_of(n->plan, s), in_memory);
	}
}

/* What is read behind the loop is where the steps there look for it. */
static void leave_places(const struct native *n)
{
	LLVMBuilderRef builder = n->e->builder;
	for (int i = 0; i < n->plan->buffers.n; i++) {
		const struct buffer *b = &n->plan->buffers.at[i];
		const struct spot *x = &n->place[i];
		if (x->kind == MOVES)
			LLVMBuildStore(builder, address(n, i, 0), cell_of(n, i));
		if (x->kind == IN_SLOT && b->last_step > n->outer->end)
			LLVMBuildStore(builder, LLVMBuildLoad2(builder, emit_storage_type(n->e, b->type), x->at, ""),
				       address_in_cell(n, i));
	}
}

/* ---- scalars ---- */

static LLVMValueRef cast(const struct native *n, LLVMValueRef v, enum dtype from, enum dtype to)
{
	return from == to ? v : apply_function(n->e, SC_CAST, to, from, &v);
}

/* What is the same in all turns; NULL: an element. */
static LLVMValueRef scalar_outside(const struct native *n, const struct plan_scalar *s, enum dtype to)
{
	struct emitter *e = n->e;
	switch (s->kind) {
	case OPERAND_CONST:
		return cast(n, emit_number(e, s->type, s->number, 0), s->type, to);
	case OPERAND_ARGUMENT: {
		enum host_type type = n->region->arguments.at[s->argument];
		LLVMValueRef v =
			LLVMBuildLoad2(e->builder, host_llvm_type(e, type), region_cell(e, n->given, s->argument), "");
		return cast(n, cast(n, v, cell_dtype(type), s->type), s->type, to);
	}
	case OPERAND_ORIGIN: {
		LLVMValueRef arguments[] = {n->rt, emit_i64(e, s->origin.type), emit_i64(e, s->origin.dim)};
		LLVMValueRef v = abi_call(e, "origin", arguments, 3);
		return cast(n, cast(n, v, DT_I64, s->type), s->type, to);
	}
	case OPERAND_ELEMENT:
		break;
	}
	return NULL;
}

static LLVMValueRef scalar_of(const struct native *n, int step, int number, enum dtype to)
{
	const struct plan_scalar *s = &n->plan->steps.at[step].scalars.at[number];
	if (n->scalar[step][number])
		return n->scalar[step][number];
	enum dtype from = n->plan->buffers.at[s->argument].type;
	LLVMValueRef v = LLVMBuildLoad2(n->e->builder, emit_storage_type(n->e, from), address(n, s->argument, 0), "");
	return cast(n, cast(n, emit_unpack(n->e, from, v), from, s->type), s->type, to);
}

/* As what a step's scalars are passed, by number. */
static enum dtype scalar_type(const struct plan_step *s, int number)
{
	if (s->kind != STEP_KERNEL)
		return DT_I64; /* how many turns a loop makes */
	for (int i = 0; i < s->kernel->params.n; i++)
		if (s->kernel->params.at[i].kind == KP_SCALAR && number-- == 0)
			return s->kernel->params.at[i].type;
	return DT_I64;
}

static void find_scalars(struct native *n)
{
	n->scalar = ARENA_ARRAY(n->e->arena, LLVMValueRef *, n->plan->steps.n);
	for (int i = n->outer->begin; i <= n->outer->end; i++) {
		const struct plan_step *s = &n->plan->steps.at[i];
		n->scalar[i] = ARENA_ARRAY(n->e->arena, LLVMValueRef, s->scalars.n + 1);
		for (int k = 0; k < s->scalars.n; k++)
			n->scalar[i][k] = scalar_outside(n, &s->scalars.at[k], scalar_type(s, k));
	}
}

/* ---- steps ---- */

static void emit_kernel(struct native *n, int step)
{
	const struct plan_step *s = &n->plan->steps.at[step];
	const struct kernel *k = s->kernel;
	LLVMValueRef *arguments = ARENA_ARRAY(n->e->arena, LLVMValueRef, k->params.n + 1);
	int buffers = 0, scalars = 0;
	for (int i = 0; i < k->params.n; i++) {
		if (k->params.at[i].kind == KP_SCALAR) {
			arguments[i] = scalar_of(n, step, scalars++, k->params.at[i].type);
			continue;
		}
		int64_t from = plan_step_from(s, buffers) * dtype_size(k->params.at[i].type);
		arguments[i] = address(n, s->buffers.at[buffers++], from);
	}
	kernel_inline(n->e, k, arguments);
}

static int64_t bytes_of(const struct native *n, int buffer)
{
	const struct buffer *b = &n->plan->buffers.at[buffer];
	return b->elements * dtype_size(b->type);
}

static void emit_copy(struct native *n, const struct plan_step *s)
{
	int64_t to = bytes_of(n, s->dst), from = bytes_of(n, s->src);
	LLVMBuildMemCpy(n->e->builder, address(n, s->dst, 0), 1, address(n, s->src, 0), 1,
			emit_i64(n->e, from < to ? from : to));
}

/* Whether the number is as asked (runtime/asked.def), as runtime/indices.c finds it. */
static LLVMValueRef is_as_asked(const struct native *n, const struct plan_check *c, LLVMValueRef v)
{
	LLVMBuilderRef b = n->e->builder;
	LLVMValueRef extent = emit_i64(n->e, c->extent), zero = emit_i64(n->e, 0), from = v;
	switch (c->asked) {
	case ASKED_NOT_ZERO:
		return LLVMBuildICmp(b, LLVMIntNE, v, zero, "");
	case ASKED_WITHIN:
	case ASKED_FITS:
		from = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, v, zero, ""), LLVMBuildAdd(b, v, extent, ""), v,
				       "");
		break;
	case ASKED_NATURAL:
		from = LLVMBuildLShr(b, v, emit_i64(n->e, 1), "");
		break;
	default:
		break;
	}
	return LLVMBuildICmp(b, LLVMIntULT, from, extent, "");
}

/* What is wrong the runtime says, and ends the job. */
static void emit_check(struct native *n, const struct plan_step *s)
{
	struct emitter *e = n->e;
	LLVMBuilderRef b = e->builder;
	const struct plan_check *c = s->check;
	enum dtype t = n->plan->buffers.at[s->src].type;
	LLVMTypeRef type = emit_storage_type(e, t);
	LLVMBasicBlockRef wrong = emit_block(e, "wrong"), right = emit_block(e, "right");
	LLVMValueRef v = LLVMBuildLoad2(b, type, address(n, s->src, 0), "");
	LLVMValueRef wide = LLVMBuildIntCast2(b, v, e->i64, dtype_kind(t) == DTYPE_INT, "");
	LLVMBuildCondBr(b, is_as_asked(n, c, wide), right, wrong);
	LLVMPositionBuilderAtEnd(b, wrong);
	LLVMValueRef at = emit_alloca(e, type, "wrong");
	LLVMBuildStore(b, v, at);
	LLVMValueRef arguments[] = {n->rt,
				    emit_i64(e, c->type),
				    at,
				    at,
				    emit_i64(e, 1),
				    emit_i64(e, c->extent),
				    emit_i64(e, c->asked),
				    emit_i64(e, c->site)};
	abi_call(e, "check_indices", arguments, 8);
	LLVMBuildUnreachable(b);
	LLVMPositionBuilderAtEnd(b, right);
	if (c->asked == ASKED_WITHIN) {
		LLVMValueRef is_negative = LLVMBuildICmp(b, LLVMIntSLT, wide, emit_i64(e, 0), "");
		LLVMValueRef from_end = LLVMBuildAdd(b, wide, emit_i64(e, c->extent), "");
		v = LLVMBuildIntCast2(b, LLVMBuildSelect(b, is_negative, from_end, wide, ""), type, 1, "");
	}
	LLVMBuildStore(b, v, address(n, s->dst, 0));
}

/* ---- loops ---- */

struct open_loop {
	const struct plan_loop *l;
	LLVMValueRef turns, turn; /* turn: where it is kept */
	LLVMBasicBlockRef body, behind;
};

static void move_to(const struct native *n, int buffer, LLVMValueRef at)
{
	LLVMBuildStore(n->e->builder, at, n->place[buffer].at);
}

static void emit_starts(struct native *n, const struct plan_loop *l)
{
	for (int i = 0; i < l->starts.n; i++)
		move_to(n, l->starts.at[i].buffer, address(n, l->starts.at[i].at, 0));
	for (int i = 0; i < l->cleared.n; i++)
		LLVMBuildMemSet(n->e->builder, address(n, l->cleared.at[i], 0), LLVMConstNull(n->e->i8),
				emit_i64(n->e, bytes_of(n, l->cleared.at[i])), 1);
}

/* All at once. */
static void emit_nexts(struct native *n, const struct plan_loop *l)
{
	LLVMValueRef *next = ARENA_ARRAY(n->e->arena, LLVMValueRef, l->nexts.n + 1);
	for (int i = 0; i < l->nexts.n; i++)
		next[i] = address(n, l->nexts.at[i].at, 0);
	for (int i = 0; i < l->nexts.n; i++)
		move_to(n, l->nexts.at[i].buffer, next[i]);
}

static void emit_moves(struct native *n, const struct plan_loop *l, LLVMValueRef turn)
{
	LLVMBuilderRef b = n->e->builder;
	for (int i = 0; i < l->moves.n; i++) {
		const struct plan_move *m = &l->moves.at[i];
		int64_t first = m->first + (m->back ? l->turns : 0), bytes = bytes_of(n, m->buffer);
		LLVMValueRef line =
			LLVMBuildAdd(b, LLVMBuildMul(b, turn, emit_i64(n->e, m->step), ""), emit_i64(n->e, first), "");
		LLVMValueRef offset = LLVMBuildMul(b, line, emit_i64(n->e, bytes), "");
		LLVMValueRef base = address(n, m->of.at[0], 0);
		move_to(n, m->buffer, LLVMBuildInBoundsGEP2(b, n->e->i8, base, &offset, 1, ""));
	}
}

/* The runtime says why there are too many, and ends the job. */
static void emit_most(struct native *n, const struct plan_loop *l, LLVMValueRef turns)
{
	LLVMBuilderRef b = n->e->builder;
	if (l->most < 0 || l->turns >= 0)
		return;
	LLVMBasicBlockRef many = emit_block(n->e, "many"), few = emit_block(n->e, "few");
	int number = (int)(l - n->plan->loops.at), outer = (int)(n->outer - n->plan->loops.at);
	LLVMValueRef distance = emit_i64(n->e, n->words->loop[number] - n->words->loop[outer]);
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSGT, turns, emit_i64(n->e, l->most), ""), many, few);
	LLVMPositionBuilderAtEnd(b, many);
	LLVMValueRef words = LLVMBuildInBoundsGEP2(b, n->e->i64, n->first_words, &distance, 1, "");
	abi_call(n->e, "loop_begin", (LLVMValueRef[]){n->rt, n->cells, words, turns}, 4);
	LLVMBuildUnreachable(b);
	LLVMPositionBuilderAtEnd(b, few);
}

static void begin_loop(struct native *n, int step, struct open_loop *o)
{
	LLVMBuilderRef b = n->e->builder;
	const struct plan_loop *l = loop_of(n->plan, &n->plan->steps.at[step]);
	LLVMValueRef none = emit_i64(n->e, 0);
	*o = (struct open_loop){
		.l = l, .turns = scalar_of(n, step, 0, DT_I64), .turn = emit_alloca(n->e, n->e->i64, "turn")};
	emit_most(n, l, o->turns);
	o->body = emit_block(n->e, "turn");
	o->behind = emit_block(n->e, "behind");
	emit_starts(n, l);
	LLVMBuildStore(b, none, o->turn);
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSGT, o->turns, none, ""), o->body, o->behind);
	LLVMPositionBuilderAtEnd(b, o->body);
	LLVMValueRef turn = LLVMBuildLoad2(b, n->e->i64, o->turn, "");
	if (l->turn >= 0)
		LLVMBuildStore(b, turn, address(n, l->turn, 0));
	emit_moves(n, l, turn);
}

static void end_loop(struct native *n, const struct open_loop *o, bool has_loops)
{
	LLVMBuilderRef b = n->e->builder;
	if (has_loops)
		abi_call(n->e, "came_by", &n->rt, 1);
	emit_nexts(n, o->l);
	LLVMValueRef turn = LLVMBuildAdd(b, LLVMBuildLoad2(b, n->e->i64, o->turn, ""), emit_i64(n->e, 1), "");
	LLVMBuildStore(b, turn, o->turn);
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, turn, o->turns, ""), o->body, o->behind);
	LLVMPositionBuilderAtEnd(b, o->behind);
}

static void emit_steps(struct native *n)
{
	VEC(struct open_loop) open = {0};
	int last_begin = -1;
	for (int i = n->outer->begin; i <= n->outer->end; i++) {
		const struct plan_step *s = &n->plan->steps.at[i];
		struct open_loop o;
		switch (s->kind) {
		case STEP_LOOP_BEGIN:
			begin_loop(n, i, &o);
			vec_push(n->e->arena, &open, o);
			last_begin = i;
			break;
		case STEP_LOOP_END:
			o = open.at[--open.n];
			end_loop(n, &o, last_begin > o.l->begin);
			break;
		case STEP_COPY:
			emit_copy(n, s);
			break;
		case STEP_CHECK:
			emit_check(n, s);
			break;
		default:
			emit_kernel(n, i);
			break;
		}
	}
}

static LLVMValueRef words_behind(const struct native *n)
{
	LLVMBuilderRef b = n->e->builder;
	LLVMValueRef index = emit_i64(n->e, LOOP_BEHIND);
	LLVMValueRef distance =
		LLVMBuildLoad2(b, n->e->i64, LLVMBuildInBoundsGEP2(b, n->e->i64, n->first_words, &index, 1, ""), "");
	return LLVMBuildInBoundsGEP2(b, n->e->i64, n->first_words, &distance, 1, "");
}

/* Where every step is looked at, the turns are walked through. */
static void emit_begin_of_walk(struct native *n, LLVMValueRef turns)
{
	LLVMBuilderRef b = n->e->builder;
	LLVMBasicBlockRef walked = emit_block(n->e, "walked"), native = emit_block(n->e, "native");
	LLVMBuildCondBr(b, abi_call(n->e, "looks_at_steps", &n->rt, 1), walked, native);
	LLVMPositionBuilderAtEnd(b, walked);
	LLVMBuildRet(b, abi_call(n->e, "loop_begin", (LLVMValueRef[]){n->rt, n->cells, n->first_words, turns}, 4));
	LLVMPositionBuilderAtEnd(b, native);
}

LLVMValueRef native_loop_function(struct program_emitter *p, const struct region *region, const struct plan *plan,
				  int loop, const struct step_words *words)
{
	struct emitter *e = p->e;
	struct native n = {
		.p = p, .e = e, .region = region, .plan = plan, .outer = &plan->loops.at[loop], .words = words};
	struct emit_place place = emit_leave(e);
	LLVMValueRef f = step_function(p, "loop");
	e->counts_turns = true;
	n.rt = LLVMGetParam(f, 0);
	n.given = LLVMGetParam(f, 1);
	n.cells = LLVMGetParam(f, 2);
	n.first_words = LLVMGetParam(f, 3);
	n.place = ARENA_ARRAY(e->arena, struct spot, plan->buffers.n + 1);
	find_places(&n);
	find_scalars(&n);
	emit_begin_of_walk(&n, scalar_of(&n, n.outer->begin, 0, DT_I64));
	emit_steps(&n);
	leave_places(&n);
	LLVMBuildRet(e->builder, words_behind(&n));
	emit_return(e, &place);
	return f;
}
