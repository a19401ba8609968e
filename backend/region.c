/* region.c — one function per region and role: it finds the addresses of its buffers and hands the words of the plan's
 * steps to the runtime (runtime/walk.c), which calls the function of each one's form (step.h). In between nothing is
 * looked up, nothing allocated, and the runtime does something only where the plan says, or around every step with
 * --check=finite and --profile=FILE. While transfers are under way, it gets a chance to move them on after every
 * computation. */
#include "program_emit.h"

#include "debug.h"
#include "finite.h"
#include "native_loop.h"
#include "step.h"
#include "../compiler/seconds/work_json.h"

#include <string.h>

struct finite_list {
	struct step_words words;
	int *at; /* by step */
};

struct region_emitter {
	struct program_emitter *p;
	struct emitter *e;
	const struct region *region;
	const struct plan *plan;
	LLVMValueRef function, rt, given;
};

LLVMTypeRef host_llvm_type(const struct emitter *e, enum host_type t)
{
	switch (t) {
	case HOST_VOID:
		return e->nothing;
	case HOST_INT:
	case HOST_KEY:
		return e->i64;
	case HOST_FLOAT:
		return e->f64;
	case HOST_BOOL:
		return e->i1;
	case HOST_TEXT:
	case HOST_HANDLE:
		return e->ptr;
	}
	return e->nothing;
}

enum dtype cell_dtype(enum host_type t)
{
	enum dtype element = host_dtype(t);
	return element == DT_COUNT ? DT_I64 : element;
}

static LLVMValueRef number(struct region_emitter *r, int64_t v)
{
	return emit_i64(r->e, v);
}

static LLVMValueRef static_data(struct region_emitter *r, const char *name, LLVMTypeRef type, LLVMValueRef value)
{
	LLVMValueRef g = LLVMAddGlobal(r->e->module, type, name);
	LLVMSetInitializer(g, value ? value : LLVMConstNull(type));
	LLVMSetGlobalConstant(g, value != NULL);
	LLVMSetLinkage(g, LLVMInternalLinkage);
	LLVMSetAlignment(g, 8);
	return g;
}

/* As bytes, which LLVM takes in one piece: there are tens of thousands of words. Code is made for processors like this
 * one, so their order is its own. */
static LLVMValueRef static_words(struct region_emitter *r, const char *name, const int64_t *words, int n)
{
	LLVMValueRef all =
		LLVMConstStringInContext(r->e->context, (const char *)words, (unsigned)(sizeof *words * (size_t)n), 1);
	return static_data(r, name, LLVMTypeOf(all), all);
}

/* Where a buffer is when the region begins: at an offset of the arena, in slot ~where (behind all slots: their spares),
 * or found by a step. */
static int64_t place_of(const struct program *p, const struct buffer *b)
{
	switch (b->kind) {
	case BUFFER_ARENA:
		return b->offset;
	case BUFFER_SLOT:
		return ~(int64_t)b->slot;
	case BUFFER_SPARE:
		return ~(int64_t)(p->slots.n + b->slot);
	case BUFFER_BATCH:
	case BUFFER_MOVING:
		return 0;
	case BUFFER_TAPE:
		break;
	}
	return INT64_MAX; /* where it was */
}

LLVMValueRef region_places(struct program_emitter *p, const struct plan *plan)
{
	struct region_emitter r = {.p = p, .e = p->e, .plan = plan};
	int n = plan->buffers.n;
	int64_t *where = ARENA_ARRAY(p->e->arena, int64_t, n + 1);
	for (int i = 0; i < n; i++)
		where[i] = place_of(p->program, &plan->buffers.at[i]);
	return static_words(&r, "places", where, n);
}

/* The addresses of all buffers, NULL behind them, and what loops keep. */
static LLVMValueRef find_buffers(struct region_emitter *r)
{
	int n = r->plan->buffers.n;
	LLVMTypeRef type = LLVMArrayType2(r->e->ptr, (uint64_t)step_cells(r->plan));
	LLVMValueRef addresses = static_data(r, "buffers", type, NULL);
	LLVMValueRef places = region_places(r->p, r->plan);
	abi_call(r->e, "addresses", (LLVMValueRef[]){r->rt, number(r, n), places, addresses}, 4);
	return addresses;
}

/* What --check=finite reads, step by step, and where that of each begins. */
static struct finite_list finite_list(struct region_emitter *r)
{
	struct finite_list f = {.at = ARENA_ARRAY(r->e->arena, int, r->plan->steps.n)};
	for (int i = 0; i < r->plan->steps.n; i++) {
		f.at[i] = f.words.list.n;
		finite_words(r->e, r->p->program, r->region, r->plan, i, &f.words);
	}
	return f;
}

static struct pmlrt_work work_row(struct arena *a, const struct step_work *w, const char *text,
				  const struct plan_step *s)
{
	bool is_product = w->kind == WORK_PRODUCT;
	struct pmlrt_work row = {.text = text,
				 .name = work_name(a, w, s->kind == STEP_KERNEL ? s->kernel->name : ""),
				 .product_type = is_product ? (int32_t)w->type : -1};
	row.bytes = (int64_t)work_bytes(w);
	row.flops = (int64_t)(is_product ? 2 * w->turns * (double)w->m * (double)w->n * (double)w->k : 0);
	return row;
}

/* The number of what a step does in the program's table, -1: nothing that is timed. */
static int work_number(struct region_emitter *r, const struct plan_step *s)
{
	struct step_work w = step_work(&r->p->works, r->plan, s);
	if (!work_is_timed(&w) || s->kind == STEP_BATCH_READ)
		return -1;
	struct text t;
	text_init(&t, r->e->arena);
	work_print(&t, &w, s->kind == STEP_KERNEL ? s->kernel->name : "");
	const char *text = intern(r->e->session->names, text_get(&t));
	intptr_t known = (intptr_t)map_get(&r->p->work_numbers, text);
	if (!known) {
		vec_push(r->e->arena, &r->p->work_rows, work_row(r->e->arena, &w, text, s));
		known = r->p->work_rows.n;
		map_set(&r->p->work_numbers, text, (void *)known);
	}
	return (int)known - 1;
}

/* Loops that are code of their own begin with that, if no transfer is to be moved on meanwhile. */
static void take_native_loops(struct region_emitter *r, struct step_words *words, const int *at, const bool *pending)
{
	int behind = 0;
	for (int i = 0; i < r->plan->steps.n; i++) {
		const struct plan_step *s = &r->plan->steps.at[i];
		if (i < behind || s->kind != STEP_LOOP_BEGIN || pending[i] ||
		    !loop_is_native(r->e->session, r->plan, s->loop))
			continue;
		LLVMValueRef f = native_loop_function(r->p, r->region, r->plan, s->loop);
		words->list.at[at[i] + PMLRT_STEP_FORM] = step_form_add(r->p, f);
		behind = r->plan->loops.at[s->loop].end;
	}
}

/* All steps: what stands before, the words of a form, the next. */
static struct step_words step_list(struct region_emitter *r, const struct finite_list *finite)
{
	struct step_words words = {.loop = ARENA_ARRAY(r->e->arena, int, r->plan->loops.n)};
	int pending = 0, *begin = ARENA_ARRAY(r->e->arena, int, r->plan->steps.n);
	bool *waits = ARENA_ARRAY(r->e->arena, bool, r->plan->steps.n);
	for (int i = 0; i < r->plan->steps.n; i++) {
		const struct plan_step *s = &r->plan->steps.at[i];
		int at = begin[i] = words.list.n;
		waits[i] = pending > 0;
		for (int k = 0; k < PMLRT_STEP_WORDS; k++)
			vec_push(r->e->arena, &words.list, 0);
		words.list.at[at + PMLRT_STEP_FINITE] = finite->at[i];
		words.list.at[at + PMLRT_STEP_WORK] = work_number(r, s);
		const struct step_form *f = step_form_of(r->e, r->region, r->plan, s, pending > 0, &words);
		words.list.at[at + PMLRT_STEP_FORM] = step_form_number(r->p, f);
		pending += (s->kind == STEP_TRANSFER_BEGIN) - (s->kind == STEP_TRANSFER_END);
	}
	take_native_loops(r, &words, begin, waits);
	return words;
}

static void emit_steps(struct region_emitter *r, LLVMValueRef buffers, const struct step_words *words,
		       const struct step_words *finite)
{
	LLVMValueRef steps = static_words(r, "steps", words->list.at, words->list.n);
	LLVMValueRef looked_at = static_words(r, "finite", finite->list.at, finite->list.n);
	LLVMValueRef arguments[] = {r->rt,    r->given, buffers, r->p->forms.table, steps, number(r, words->list.n),
				    looked_at};
	abi_call(r->e, "steps", arguments, 7);
}

LLVMValueRef region_cell(struct emitter *e, LLVMValueRef given, int i)
{
	LLVMValueRef at = emit_i64(e, i);
	return LLVMBuildInBoundsGEP2(e->builder, e->i64, given, &at, 1, "");
}

static void clear_results(struct region_emitter *r)
{
	LLVMBuilderRef b = r->e->builder;
	for (int i = 0; i < r->region->results.n; i++) {
		LLVMValueRef cell = region_cell(r->e, r->given, r->region->arguments.n + i);
		LLVMBuildStore(b, LLVMConstNull(host_llvm_type(r->e, r->region->results.at[i])),
			       LLVMBuildLoad2(b, r->e->ptr, cell, ""));
	}
}

static void emit_body(struct region_emitter *r)
{
	struct program_emitter *p = r->p;
	LLVMValueRef id = emit_i64(r->e, r->region->id);
	LLVMPositionBuilderAtEnd(r->e->builder, LLVMAppendBasicBlockInContext(r->e->context, r->function, "entry"));
	debug_function(r->e, r->function, r->region->name ? r->region->name : "region", r->region->span);
	abi_call(r->e, "region_begin", (LLVMValueRef[]){r->rt, id}, 2);
	clear_results(r);
	const struct role *role = p->program->roles.at[p->role];
	r->plan = role->plans ? role->plans[r->region->id] : NULL;
	if (r->plan && r->plan->steps.n > 0) {
		LLVMValueRef buffers = find_buffers(r);
		struct finite_list finite = finite_list(r);
		struct step_words words = step_list(r, &finite);
		emit_steps(r, buffers, &words, &finite.words);
	}
	abi_call(r->e, "region_end", (LLVMValueRef[]){r->rt, id}, 2);
	LLVMBuildRetVoid(r->e->builder);
}

LLVMTypeRef region_type(const struct emitter *e)
{
	return LLVMFunctionType(e->nothing, (LLVMTypeRef[]){e->ptr, e->ptr}, 2, 0);
}

LLVMValueRef region_function(struct program_emitter *p, int region)
{
	if (p->region[region])
		return p->region[region];
	struct region_emitter r = {.p = p, .e = p->e, .region = p->program->regions.at[region]};
	struct emit_place place = emit_leave(p->e);
	const char *name = arena_printf(p->e->arena, "region.%s", r.region->name ? r.region->name : "unnamed");
	r.function = p->region[region] = LLVMAddFunction(p->e->module, name, region_type(p->e));
	LLVMSetLinkage(r.function, LLVMInternalLinkage);
	emit_function_attributes(p->e, r.function);
	emit_attribute(p->e, r.function, (unsigned)LLVMAttributeFunctionIndex, "noinline", 0);
	r.rt = LLVMGetParam(r.function, 0);
	r.given = LLVMGetParam(r.function, 1);
	emit_body(&r);
	emit_return(p->e, &place);
	return r.function;
}
