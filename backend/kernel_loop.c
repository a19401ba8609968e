/* kernel_loop.c — the structure of a kernel: loops, and instructions in order. */
#include "kernel_emit.h"

#include "math.h"

#include <string.h>

LLVMValueRef kernel_value(struct kernel_emitter *k, int r, int g, bool vector)
{
	if (k->scan.reg[r].vector)
		return k->reg[r].at[g];
	return vector ? emit_splat(k->e, k->reg[r].at[0], k->scan.lanes) : k->reg[r].at[0];
}

LLVMValueRef kernel_mask(struct kernel_emitter *k, int g, int guard)
{
	LLVMValueRef tail = g == k->groups - 1 ? k->mask : NULL;
	if (guard < 0)
		return tail;
	LLVMValueRef on = kernel_value(k, guard, g, true);
	return tail ? emit_both(k->e, on, tail) : on;
}

/* A division of all points of a vector loop by one number. */
static bool divides_all(struct kernel_emitter *k, const struct kernel_instr *i)
{
	if (i->fn != SC_DIV || !k->long_loop || k->scan.reg[i->b].vector || !k->scan.reg[i->a].vector)
		return false;
	if (i->type == DT_F32 || i->type == DT_F64) /* quotients near the ends of the range may round otherwise */
		return k->e->target->fma && !k->e->session->options.reproducible;
	return i->type == DT_BF16 || (i->type == DT_F16 && k->e->target->fma);
}

/* The quotients of f32 that those of f16 are rounded from have all their digits. */
static LLVMValueRef divided_by_all(struct kernel_emitter *k, const struct kernel_instr *i, LLVMValueRef x)
{
	LLVMValueRef y = k->reg[i->b].at[0];
	return apply_rounding(k->e, i->type, (i->type == DT_BF16 ? math_divide_all_bf16 : math_divide_all)(k->e, x, y));
}

/* How many registers a function computes at a time, step by step of all: steps of one wait for each other, and those of
 * the others fill the gaps. So are positions, whose chain of 100 steps is longer than what the processor looks ahead,
 * and functions of f32 where there are but 16 registers and constants, which have none, are read once for both. */
static int at_a_time(const struct kernel_emitter *k, const struct kernel_instr *i)
{
	bool pairs = k->scan.lanes < 16 && scalar_effort(i->fn) == EFFORT_FUNCTION && i->type == DT_F32 &&
		     k->scan.reg[i->a].type == DT_F32;
	int count = !k->scan.reg[i->reg].vector ? 1 : pairs ? 2 : kernel_waits(i);
	while (k->groups % count)
		count /= 2;
	return count;
}

/* Groups from g on, 1, 2 or 4 of them, as one vector. */
static LLVMValueRef joined_groups(struct kernel_emitter *k, int reg, int g, int count, bool vector)
{
	if (count == 1)
		return kernel_value(k, reg, g, vector);
	if (!k->scan.reg[reg].vector)
		return emit_splat(k->e, k->reg[reg].at[0], count * k->scan.lanes);
	return emit_joined(k->e, joined_groups(k, reg, g, count / 2, true),
			   joined_groups(k, reg, g + count / 2, count / 2, true));
}

static void set_groups(struct kernel_emitter *k, int reg, int g, int count, LLVMValueRef v)
{
	if (count == 1) {
		k->reg[reg].at[g] = v;
		return;
	}
	set_groups(k, reg, g, count / 2, emit_half(k->e, v, false));
	set_groups(k, reg, g + count / 2, count / 2, emit_half(k->e, v, true));
}

static void emit_apply(struct kernel_emitter *k, const struct kernel_instr *i)
{
	bool vector = k->scan.reg[i->reg].vector, narrow = kernel_applies_narrow(k, i);
	const int from[] = {i->a, i->b, i->c};
	enum dtype type = k->scan.reg[i->a].type;
	for (int g = 0; i == k->known && g < k->groups; g++)
		k->reg[i->reg].at[g] = emit_splat(k->e, LLVMConstInt(k->e->i1, k->holds, 0), k->scan.lanes);
	if (i == k->known)
		return;
	if (divides_all(k, i)) {
		for (int g = 0; g < k->groups; g++)
			k->reg[i->reg].at[g] = divided_by_all(k, i, k->reg[i->a].at[g]);
		return;
	}
	bool widens = narrow && i->type == DT_I64;
	for (int g = 0, count = at_a_time(k, i); g < (vector ? k->groups : 1); g += count) {
		LLVMValueRef x[3] = {NULL, NULL, NULL};
		for (int n = 0; n < scalar_arity(i->fn); n++) {
			x[n] = joined_groups(k, from[n], g, count, vector);
			x[n] = narrow ? kernel_narrow(k, i, from[n], x[n]) : x[n];
		}
		LLVMValueRef v = apply_function(k->e, i->fn, widens ? DT_I32 : i->type, narrow ? DT_I32 : type, x);
		if (widens)
			v = LLVMBuildSExt(k->e->builder, v, emit_type_like(k->e->i64, LLVMTypeOf(v)), "");
		set_groups(k, i->reg, g, count, v);
	}
}

/* Reading a large tensor row by row, in several passes: the last pass, which writes, asks for the next row, which the
 * first would else wait for while nothing is written. */
static void prefetch_next_row(struct kernel_emitter *k)
{
	enum { LARGE = 1 << 20 };
	const struct kernel_passes *p = &k->passes;
	for (const struct kernel_instr *i = p->first->body; i; i = i->next) {
		if (i->kind != K_LOAD || i->guard >= 0 || i->at.reg >= 0 || affine_coef(&i->at, p->first->loop) != 1 ||
		    affine_coef(&i->at, p->rows->loop) < 1 || k->kernel->params.at[i->param].size < LARGE)
			continue;
		struct kernel_affine at = i->at;
		at.offset += affine_coef(&at, p->rows->loop);
		for (int n = 0; n < at.nterms; n++)
			if (at.term[n].loop == p->first->loop)
				at.term[n].loop = p->last->loop;
		kernel_emit_prefetch(k, i, &at);
	}
}

/* Reading down the columns of a large tensor, some vectors of each row: rows to come are asked for, since what is read
 * of each is too short to be foreseen by the processor. */
static void prefetch_rows_below(struct kernel_emitter *k, const struct kernel_instr *loop)
{
	enum { LARGE = 1 << 20, ROWS = 16, APART = 256 /* bytes */ };
	for (const struct kernel_instr *i = loop->body; i && k->vector_loop >= 0 && loop->extent > ROWS; i = i->next) {
		if (i->kind != K_LOAD || i->guard >= 0 || i->at.reg >= 0 || affine_coef(&i->at, k->vector_loop) != 1 ||
		    k->kernel->params.at[i->param].size < LARGE ||
		    affine_coef(&i->at, loop->loop) * dtype_size(i->type) < APART)
			continue;
		struct kernel_affine at = i->at;
		at.offset += ROWS * affine_coef(&at, loop->loop);
		kernel_emit_prefetch(k, i, &at);
	}
}

/* The load of the list that the index register is, or is a cast of; NULL: something else made it. */
static const struct kernel_instr *loaded_index(const struct kernel_emitter *k, const struct kernel_instr *body, int reg)
{
	for (const struct kernel_instr *i = body; i; i = i->next) {
		if (i->reg != reg || (i->kind != K_APPLY && i->kind != K_LOAD))
			continue;
		if (i->kind == K_APPLY)
			return i->fn == SC_CAST ? loaded_index(k, body, i->a) : NULL;
		bool plain = i->guard < 0 && i->at.reg < 0 && k->kernel->params.at[i->param].kind == KP_IN;
		return plain && !dtype_is_float(i->type) ? i : NULL;
	}
	return NULL;
}

/* Reading rows of a large tensor that a list names: those that it names further on are asked for, since nothing else
 * foresees them. */
static void prefetch_rows_named(struct kernel_emitter *k, const struct kernel_instr *loop)
{
	enum { LARGE = 1 << 20, ROWS = 16 };
	for (const struct kernel_instr *i = loop->body; i && k->vector_loop >= 0; i = i->next) {
		if (i->kind != K_LOAD || i->at.reg < 0 || k->scan.reg[i->at.reg].vector ||
		    affine_coef(&i->at, k->vector_loop) != 1 || k->kernel->params.at[i->param].size < LARGE)
			continue;
		const struct kernel_instr *name = loaded_index(k, loop->body, i->at.reg);
		if (!name || affine_coef(&name->at, loop->loop) < 1)
			continue;
		struct kernel_affine at = name->at;
		at.offset += ROWS * affine_coef(&at, loop->loop);
		kernel_emit_prefetch_named(k, i, name, &at);
	}
}

/* How far a turn of the loop around goes that steps least, where what is read in the turns of this one is short:
 * several such pieces may be read side by side, and the one behind is another's. `least` if there is none. */
static int64_t next_turn(const struct kernel_affine *at, const struct kernel_instr *loop, int64_t least)
{
	int64_t step = 0;
	for (int n = 0; n < at->nterms; n++)
		if (at->term[n].loop != loop->loop && at->term[n].coef > 0 && (!step || at->term[n].coef < step))
			step = at->term[n].coef;
	return step > least ? step : least;
}

/* Reading a tensor line by line: those to come are asked for, since a processor that is busy with much that is computed
 * between lines does not see the next ones early enough, nor any one those that no cache has. */
static void prefetch_lines(struct kernel_emitter *k, const struct kernel_instr *loop)
{
	enum { LARGE = 1 << 20, FAR = 1 << 25 /* bytes */, AHEAD = 16, MUCH = 10 /* a function counts 8 */ };
	int64_t least = k->scan.loop[loop->loop].cost >= MUCH ? LARGE : FAR;
	for (const struct kernel_instr *i = loop->body; i; i = i->next) {
		if (i->kind != K_LOAD || i->guard >= 0 || i->at.reg >= 0 || affine_coef(&i->at, loop->loop) != 1 ||
		    k->kernel->params.at[i->param].size * dtype_size(i->type) < least)
			continue;
		struct kernel_affine at = i->at;
		int64_t ahead = AHEAD * LINE_BYTES / dtype_size(i->type);
		at.offset += loop->extent <= ahead ? next_turn(&at, loop, ahead) : ahead;
		kernel_emit_prefetch(k, i, &at);
	}
}

/* The passes of a loop over rows, if there are several over as many columns. */
static struct kernel_passes find_passes(const struct kernel_instr *loop)
{
	struct kernel_passes p = {.rows = loop};
	for (const struct kernel_instr *i = loop->body; i; i = i->next)
		if (i->kind == K_LOOP && i->vector) {
			p.first = p.first ? p.first : i;
			p.last = i;
		}
	bool several = p.first != p.last && p.first->extent == p.last->extent && loop->extent > 1;
	return several ? p : (struct kernel_passes){.rows = NULL};
}

/* The lanes of a vector that begins with this turn of the loop which are turns before `ends`. */
static LLVMValueRef lanes_before(struct kernel_emitter *k, LLVMValueRef variable, LLVMValueRef ends)
{
	LLVMBuilderRef b = k->e->builder;
	int lanes = k->scan.lanes;
	LLVMValueRef left = emit_splat(k->e, LLVMBuildNUWSub(b, ends, variable, ""), lanes);
	return LLVMBuildICmp(b, LLVMIntULT, emit_iota(k->e->i64, lanes, 1), left, "");
}

/* One turn of a loop whose variable is given: of a vector loop, its chunk, some vectors at a time. */
static void emit_turn(struct kernel_emitter *k, const struct kernel_instr *loop, LLVMValueRef variable)
{
	int at_a_time = k->scan.loop[loop->loop].groups;
	k->variable[loop->loop] = variable;
	if (loop->vector && k->ends)
		k->tail = lanes_before(k, variable, k->ends);
	if (!loop->vector) {
		prefetch_rows_below(k, loop);
		prefetch_rows_named(k, loop);
		kernel_emit_body(k, loop->body);
		return;
	}
	for (k->first = 0; k->first < k->chunk; k->first += at_a_time) {
		int rest = k->chunk - k->first;
		LLVMValueRef before = emit_i64(k->e, (int64_t)k->first * k->scan.lanes);
		k->groups = rest < at_a_time ? rest : at_a_time;
		k->mask = rest <= at_a_time ? k->tail : NULL;
		if (k->first)
			k->variable[loop->loop] = LLVMBuildNUWAdd(k->e->builder, variable, before, "");
		if (loop == k->passes.last)
			prefetch_next_row(k);
		else
			prefetch_lines(k, loop);
		kernel_emit_body(k, loop->body);
	}
	k->first = 0;
	k->groups = 1;
	k->mask = NULL;
}

/* ---- the turns of a loop that threads share ---- */

/* The least multiple of the unit that is not below v, and at most `most`. */
static LLVMValueRef rounded_up(struct kernel_emitter *k, LLVMValueRef v, int64_t unit, int64_t most)
{
	LLVMBuilderRef b = k->e->builder;
	LLVMValueRef u = emit_i64(k->e, unit), limit = emit_i64(k->e, most);
	if (unit > 1) {
		LLVMValueRef above = LLVMBuildNUWAdd(b, v, emit_i64(k->e, unit - 1), "");
		v = LLVMBuildNUWMul(b, LLVMBuildUDiv(b, above, u, ""), u, "");
	}
	return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntULT, v, limit, ""), v, limit, "");
}

struct kernel_turns kernel_turns_of(struct kernel_emitter *k, const struct kernel_instr *loop, int64_t unit,
				    int64_t whole)
{
	if (loop != k->divided)
		return (struct kernel_turns){emit_i64(k->e, 0), emit_i64(k->e, whole), false};
	return (struct kernel_turns){rounded_up(k, k->first_turn, unit, whole), rounded_up(k, k->end_turn, unit, whole),
				     true};
}

LLVMBasicBlockRef kernel_begin_last(struct kernel_emitter *k, const struct kernel_instr *loop)
{
	LLVMBuilderRef b = k->e->builder;
	if (loop != k->divided)
		return NULL;
	LLVMBasicBlockRef last = emit_block(k->e, "last"), after = emit_block(k->e, "after");
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, k->end_turn, emit_i64(k->e, loop->extent), ""), last, after);
	LLVMPositionBuilderAtEnd(b, last);
	return after;
}

void kernel_end_last(struct kernel_emitter *k, LLVMBasicBlockRef after)
{
	if (!after)
		return;
	LLVMBuildBr(k->e->builder, after);
	LLVMPositionBuilderAtEnd(k->e->builder, after);
}

/* The variable as a loop over the turns, by step, around the body. */
static void emit_counted(struct kernel_emitter *k, const struct kernel_instr *loop, const struct kernel_turns *turns,
			 int64_t step)
{
	LLVMBuilderRef b = k->e->builder;
	LLVMBasicBlockRef before = emit_current_block(k->e),
			  head = emit_block(k->e, loop->loop_name ? loop->loop_name : "loop"),
			  after = emit_block(k->e, "after");
	if (turns->may_be_none)
		LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, turns->begin, turns->end, ""), head, after);
	else
		LLVMBuildBr(b, head);
	LLVMPositionBuilderAtEnd(b, head);
	LLVMValueRef variable = LLVMBuildPhi(b, k->e->i64, loop->loop_name ? loop->loop_name : "");
	emit_turn(k, loop, variable);
	LLVMValueRef next = LLVMBuildNUWAdd(b, variable, emit_i64(k->e, step), "");
	LLVMValueRef more = LLVMBuildICmp(b, LLVMIntULT, next, turns->end, "");
	LLVMBasicBlockRef last = emit_current_block(k->e);
	LLVMBuildCondBr(b, more, head, after);
	LLVMAddIncoming(variable, (LLVMValueRef[]){turns->begin, next}, (LLVMBasicBlockRef[]){before, last}, 2);
	LLVMPositionBuilderAtEnd(b, after);
}

static void emit_plain_loop(struct kernel_emitter *k, const struct kernel_instr *loop)
{
	if (kernel_emit_tiles(k, loop))
		return;
	if (!kernel_unrolls(loop, k->scan.loop[loop->loop].cost) || loop == k->divided) {
		struct kernel_passes outside = k->passes;
		struct kernel_turns turns = kernel_turns_of(k, loop, 1, loop->extent);
		k->passes = find_passes(loop);
		emit_counted(k, loop, &turns, 1);
		k->passes = outside;
		return;
	}
	for (int64_t i = 0; i < loop->extent; i++)
		emit_turn(k, loop, emit_i64(k->e, i));
}

struct chunks {
	const struct kernel_instr *loop;
	const struct kernel_turns *turns;
};

static void emit_between(struct kernel_emitter *k, const struct kernel_instr *loop, LLVMValueRef begin,
			 LLVMValueRef end)
{
	emit_counted(k, loop, &(struct kernel_turns){begin, end, true}, (int64_t)k->chunk * k->scan.lanes);
}

/* A turn, or the nearest of these. */
static LLVMValueRef turn_of(struct kernel_emitter *k, const struct kernel_turns *turns, LLVMValueRef turn)
{
	LLVMBuilderRef b = k->e->builder;
	turn = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntULT, turn, turns->end, ""), turn, turns->end, "");
	return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntUGT, turn, turns->begin, ""), turn, turns->begin, "");
}

static void emit_these_chunks(struct kernel_emitter *k, const void *of)
{
	const struct chunks *c = of;
	int64_t chunk = (int64_t)k->chunk * k->scan.lanes;
	const struct kernel_instr *condition = kernel_split_at(k, c->loop);
	if (!condition) {
		emit_counted(k, c->loop, c->turns, chunk);
		return;
	}
	LLVMBuilderRef b = k->e->builder;
	LLVMValueRef turn = kernel_split_turn(k, c->loop, condition), unit = emit_i64(k->e, chunk);
	LLVMValueRef whole = LLVMBuildNUWMul(b, LLVMBuildUDiv(b, turn, unit, ""), unit, "");
	LLVMValueRef first = turn_of(k, c->turns, whole);
	LLVMValueRef last = turn_of(k, c->turns, rounded_up(k, turn, chunk, c->loop->extent / chunk * chunk));
	k->known = condition;
	k->holds = true;
	emit_between(k, c->loop, c->turns->begin, first);
	k->known = NULL;
	emit_between(k, c->loop, first, last);
	k->known = condition;
	k->holds = false;
	emit_between(k, c->loop, last, c->turns->end);
	k->known = NULL;
}

/* Whole chunks. Stores that go past the caches begin lines of them in all chunks or in none; `on_line` does. */
static void emit_chunks(struct kernel_emitter *k, const struct kernel_instr *loop, const struct kernel_turns *turns,
			const struct kernel_instr *on_line)
{
	struct chunks chunks = {loop, turns};
	if (kernel_streamed(k, loop))
		kernel_emit_on_lines(k, loop, kernel_begins_lines(k, loop, turns->begin, on_line), emit_these_chunks,
				     &chunks);
	else
		emit_these_chunks(k, &chunks);
}

/* Vectors of the turns, the last of which may end before its lanes do. */
static void emit_open_turns(struct kernel_emitter *k, const struct kernel_instr *loop, LLVMValueRef begin,
			    LLVMValueRef end)
{
	struct kernel_turns turns = {begin, end, true};
	k->chunk = 1;
	k->ends = end;
	emit_counted(k, loop, &turns, k->scan.lanes);
	k->ends = NULL;
}

/* Turns up to the first whose element begins a line of the cache, chunks from there on, the rest. */
static void emit_shifted_loop(struct kernel_emitter *k, const struct kernel_instr *loop,
			      const struct kernel_instr *store)
{
	LLVMBuilderRef b = k->e->builder;
	int64_t chunk = (int64_t)k->chunk * k->scan.lanes;
	struct kernel_turns turns = kernel_turns_of(k, loop, chunk, loop->extent);
	LLVMValueRef first = LLVMBuildNUWAdd(b, turns.begin, kernel_lead(k, loop, store, &turns), ""),
		     left = LLVMBuildNUWSub(b, turns.end, first, ""),
		     over = LLVMBuildURem(b, left, emit_i64(k->e, chunk), ""),
		     rest = LLVMBuildNUWSub(b, turns.end, over, "");
	struct kernel_turns whole = {first, rest, true};
	emit_open_turns(k, loop, turns.begin, first);
	k->chunk = k->scan.loop[loop->loop].chunk;
	k->tail = NULL;
	emit_chunks(k, loop, &whole, store);
	emit_open_turns(k, loop, rest, turns.end);
}

/* Chunks, and a rest whose length is known. */
static void emit_fixed_loop(struct kernel_emitter *k, const struct kernel_instr *loop)
{
	int lanes = k->scan.lanes;
	int64_t chunk = (int64_t)k->chunk * lanes, whole = loop->extent / chunk * chunk, rest = loop->extent - whole;
	struct kernel_turns turns = kernel_turns_of(k, loop, chunk, whole);
	if (whole == chunk && loop != k->divided)
		emit_turn(k, loop, emit_i64(k->e, 0));
	else if (whole > 0)
		emit_chunks(k, loop, &turns, NULL);
	if (rest > 0) {
		LLVMBasicBlockRef after = kernel_begin_last(k, loop);
		int last = (int)(rest % lanes);
		k->chunk = (int)((rest + lanes - 1) / lanes);
		k->tail = last ? emit_first_lanes(k->e, lanes, last) : NULL;
		k->active = last;
		emit_turn(k, loop, emit_i64(k->e, whole));
		kernel_end_last(k, after);
	}
}

static void emit_vector_loop(struct kernel_emitter *k, const struct kernel_instr *loop)
{
	k->vector_loop = loop->loop;
	k->long_loop = loop->extent > 2 * k->scan.lanes;
	k->chunk = k->scan.loop[loop->loop].chunk;
	const struct kernel_instr *store = kernel_streamed(k, loop);
	if (store && kernel_shifts(k, loop))
		emit_shifted_loop(k, loop, store);
	else
		emit_fixed_loop(k, loop);
	k->tail = NULL;
	k->active = 0;
	k->vector_loop = -1;
}

static void emit_turns(struct kernel_emitter *k, const struct kernel_instr *loop)
{
	for (int n = 0; n < loop->naccs; n++)
		kernel_begin_acc(k, &loop->acc[n]);
	if (loop->extent > 0 && loop->vector)
		emit_vector_loop(k, loop);
	else if (loop->extent > 0)
		emit_plain_loop(k, loop);
	for (int n = 0; n < loop->naccs; n++)
		kernel_end_acc(k, &loop->acc[n]);
}

static void emit_loop(struct kernel_emitter *k, const struct kernel_instr *loop)
{
	int condition = kernel_skipped_by(k, loop);
	if (condition < 0) {
		emit_turns(k, loop);
		return;
	}
	LLVMValueRef *known = &k->reg[condition].at[0], on = *known;
	LLVMBasicBlockRef yes = emit_block(k->e, "guarded"), next = emit_block(k->e, "next");
	LLVMBuildCondBr(k->e->builder, on, yes, next);
	LLVMPositionBuilderAtEnd(k->e->builder, yes);
	*known = LLVMConstInt(k->e->i1, 1, 0);
	emit_turns(k, loop);
	*known = on;
	LLVMBuildBr(k->e->builder, next);
	LLVMPositionBuilderAtEnd(k->e->builder, next);
}

void kernel_emit_body(struct kernel_emitter *k, const struct kernel_instr *body)
{
	for (const struct kernel_instr *i = body; i; i = i->next) {
		k->body = body;
		switch (i->kind) {
		case K_CONST:
			k->reg[i->reg].at[0] = emit_number(k->e, i->type, i->number, 0);
			break;
		case K_LOOPVAR:
			kernel_emit_loopvar(k, i);
			break;
		case K_APPLY:
			emit_apply(k, i);
			break;
		case K_LOAD:
			kernel_emit_load(k, i);
			break;
		case K_STORE:
			kernel_emit_store(k, i);
			break;
		case K_REDUCE:
			kernel_emit_reduce(k, i);
			break;
		case K_PREFIX:
			kernel_emit_prefix(k, i);
			break;
		case K_LOOP:
			emit_loop(k, i);
			break;
		}
	}
}
