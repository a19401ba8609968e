/* kernel_stream.c — what is larger than a cache will be out of it again before somebody reads it. Such results are
 * written past the caches: whole lines, which are not read before they are written, and which leave the caches to what
 * is read. Rows may begin anywhere in a line: a vector loop makes the elements up to the next one by themselves. */
#include "kernel_emit.h"

#include <string.h>

enum { LEAST_ROW = 1 << 9 }; /* bytes of a row that is worth it */

static bool is_loaded(const struct kernel_instr *body, int param)
{
	for (const struct kernel_instr *i = body; i; i = i->next)
		if (i->kind == K_LOOP ? is_loaded(i->body, param) : i->kind == K_LOAD && i->param == param)
			return true;
	return false;
}

/* How many elements the store writes; 0: one of them more than once, or it is not in the list. */
static int64_t elements_stored(const struct kernel_instr *body, const struct kernel_instr *store)
{
	for (const struct kernel_instr *i = body; i; i = i->next) {
		if (i == store)
			return 1;
		int64_t inside = i->kind == K_LOOP ? elements_stored(i->body, store) : 0;
		if (inside)
			return affine_coef(&store->at, i->loop) || i->extent == 1 ? i->extent * inside : 0;
	}
	return 0;
}

/* Whether a line is written by several vectors, and elementary functions are computed between lines: past the caches
 * that was 1.3 to 3.5 times as slow as into them (docs/measurements.md). */
static bool writes_slowly(const struct kernel_emitter *k)
{
	enum { MOST_COST = 9 }; /* of a vector; a function counts 8 */
	return k->scan.lanes * 4 < LINE_BYTES && k->scan.loop[k->vector_loop].cost > MOST_COST;
}

/* What is written in the place of what is read is in the caches already. */
bool kernel_is_streamed(const struct kernel_emitter *k, const struct kernel_instr *store)
{
	const struct kernel_param *p = &k->kernel->params.at[store->param];
	if (!k->e->target->is_x86 || p->kind != KP_OUT || k->vector_loop < 0 || store->guard >= 0 ||
	    store->at.reg >= 0 || affine_coef(&store->at, k->vector_loop) != 1 || writes_slowly(k) ||
	    !kernel_is_alone(k->kernel, store->param) || is_loaded(k->kernel->body, store->param))
		return false;
	int64_t elements = elements_stored(k->kernel->body, store);
	return elements > 0 && elements >= k->e->least_stream / dtype_size(p->type);
}

const struct kernel_instr *kernel_streamed(const struct kernel_emitter *k, const struct kernel_instr *loop)
{
	int64_t row = LEAST_ROW < k->e->least_stream ? LEAST_ROW : k->e->least_stream;
	for (const struct kernel_instr *i = loop->body; i; i = i->next)
		if (i->kind == K_STORE && kernel_is_streamed(k, i) && loop->extent >= row / dtype_size(i->type))
			return i;
	return NULL;
}

static bool joins_lanes(const struct kernel_emitter *k, const struct kernel_instr *body)
{
	for (const struct kernel_instr *i = body; i; i = i->next) {
		bool joins = i->kind == K_LOOP     ? joins_lanes(k, i->body)
			     : i->kind == K_REDUCE ? k->scan.acc[i->reg].across
						   : i->kind == K_PREFIX && k->scan.acc[i->b].running;
		if (joins)
			return true;
	}
	return false;
}

bool kernel_shifts(const struct kernel_emitter *k, const struct kernel_instr *loop)
{
	return !joins_lanes(k, loop->body);
}

/* Where the store's first lane goes, in bytes. */
static LLVMValueRef address_of_first(struct kernel_emitter *k, const struct kernel_instr *store)
{
	return LLVMBuildPtrToInt(k->e->builder, kernel_first_element(k, store), k->e->i64, "");
}

static LLVMValueRef in_line(struct kernel_emitter *k, LLVMValueRef bytes)
{
	return LLVMBuildAnd(k->e->builder, bytes, emit_i64(k->e, LINE_BYTES - 1), "");
}

LLVMValueRef kernel_lead(struct kernel_emitter *k, const struct kernel_instr *loop, const struct kernel_instr *store,
			 const struct kernel_turns *turns)
{
	LLVMBuilderRef b = k->e->builder;
	int64_t size = dtype_size(k->kernel->params.at[store->param].type);
	k->variable[loop->loop] = turns->begin;
	LLVMValueRef bytes = in_line(k, LLVMBuildNeg(b, address_of_first(k, store), "")),
		     lead = LLVMBuildUDiv(b, bytes, emit_i64(k->e, size), ""),
		     all = LLVMBuildNUWSub(b, turns->end, turns->begin, "");
	return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntULT, lead, all, ""), lead, all, "");
}

LLVMValueRef kernel_begins_lines(struct kernel_emitter *k, const struct kernel_instr *loop, LLVMValueRef turn,
				 const struct kernel_instr *known)
{
	LLVMBuilderRef b = k->e->builder;
	LLVMValueRef in = NULL;
	k->variable[loop->loop] = turn;
	for (const struct kernel_instr *i = loop->body; i; i = i->next) {
		if (i->kind != K_STORE || i == known || !kernel_is_streamed(k, i))
			continue;
		LLVMValueRef in_one = in_line(k, address_of_first(k, i));
		in = in ? LLVMBuildOr(b, in, in_one, "") : in_one;
	}
	return in ? LLVMBuildICmp(b, LLVMIntEQ, in, emit_i64(k->e, 0), "") : NULL;
}

void kernel_emit_on_lines(struct kernel_emitter *k, const struct kernel_instr *loop, LLVMValueRef lines,
			  void (*emit)(struct kernel_emitter *k, const void *of), const void *of)
{
	LLVMBuilderRef b = k->e->builder;
	LLVMBasicBlockRef next = NULL;
	if (lines) {
		LLVMBasicBlockRef yes = emit_block(k->e, "lines"), no = emit_block(k->e, "others");
		next = emit_block(k->e, "next");
		LLVMBuildCondBr(b, lines, yes, no);
		LLVMPositionBuilderAtEnd(b, no);
		emit(k, of);
		LLVMBuildBr(b, next);
		LLVMPositionBuilderAtEnd(b, yes);
	}
	k->on_lines = loop->body;
	emit(k, of);
	k->on_lines = NULL;
	if (lines) {
		LLVMBuildBr(b, next);
		LLVMPositionBuilderAtEnd(b, next);
	}
}

void kernel_past_caches(struct kernel_emitter *k, LLVMValueRef store)
{
	const char *name = "nontemporal";
	LLVMMetadataRef one = LLVMValueAsMetadata(emit_i32(k->e, 1));
	LLVMValueRef node = LLVMMetadataAsValue(k->e->context, LLVMMDNodeInContext2(k->e->context, &one, 1));
	LLVMSetMetadata(store, LLVMGetMDKindIDInContext(k->e->context, name, (unsigned)strlen(name)), node);
	unsigned bytes = (unsigned)LLVMABISizeOfType(k->e->target->data, LLVMTypeOf(LLVMGetOperand(store, 0)));
	LLVMSetAlignment(store, bytes < LINE_BYTES ? bytes : LINE_BYTES);
	k->streams = true;
}

void kernel_end_streams(struct kernel_emitter *k)
{
	if (k->streams)
		emit_intrinsic(k->e, "llvm.x86.sse.sfence", NULL, 0, NULL, 0);
}
