/* step_form.c — the function of a form: its arguments are read from words, buffers and what the region was given; then
 * comes one call. */
#include "step.h"

#include "apply.h"
#include "debug.h"
#include "kernel_function.h"

#include <string.h>

struct form_emitter {
	struct program_emitter *p;
	struct emitter *e;
	LLVMValueRef function, rt, given, buffers, words;
	int nwords; /* read so far */
};

static LLVMValueRef call(struct form_emitter *r, const char *name, LLVMValueRef *arguments, int n)
{
	return abi_call(r->e, name, arguments, n);
}

static LLVMValueRef number(struct form_emitter *r, int64_t v)
{
	return emit_i64(r->e, v);
}

static LLVMValueRef cast(struct form_emitter *r, LLVMValueRef v, enum dtype from, enum dtype to)
{
	return from == to ? v : apply_function(r->e, SC_CAST, to, from, &v);
}

/* Where the next word is. */
static LLVMValueRef next_word(struct form_emitter *r)
{
	LLVMValueRef index = number(r, r->nwords++);
	return LLVMBuildInBoundsGEP2(r->e->builder, r->e->i64, r->words, &index, 1, "");
}

static LLVMValueRef next_int(struct form_emitter *r)
{
	return LLVMBuildLoad2(r->e->builder, r->e->i64, next_word(r), "");
}

/* A word in the register type of t. */
static LLVMValueRef next_number(struct form_emitter *r, enum dtype t)
{
	LLVMBuilderRef b = r->e->builder;
	LLVMTypeRef type = emit_type(r->e, t, 0);
	if (!dtype_is_float(t))
		return LLVMBuildIntCast2(b, next_int(r), type, 1, "");
	return LLVMBuildFPCast(b, LLVMBuildLoad2(b, r->e->f64, next_word(r), ""), type, "");
}

/* Where the address of a buffer is kept. */
static LLVMValueRef next_cell(struct form_emitter *r)
{
	LLVMValueRef index = next_int(r);
	return LLVMBuildInBoundsGEP2(r->e->builder, r->e->ptr, r->buffers, &index, 1, "");
}

static LLVMValueRef next_address(struct form_emitter *r)
{
	LLVMBuilderRef b = r->e->builder;
	LLVMValueRef base = LLVMBuildLoad2(b, r->e->ptr, next_cell(r), ""), bytes = next_int(r);
	return LLVMBuildGEP2(b, r->e->i8, base, &bytes, 1, "");
}

static LLVMValueRef element(struct form_emitter *r, enum dtype t)
{
	LLVMValueRef v = LLVMBuildLoad2(r->e->builder, emit_storage_type(r->e, t), next_address(r), "");
	return emit_unpack(r->e, t, v);
}

/* What the region was given in the cell that the next word names. */
static LLVMValueRef next_given(struct form_emitter *r, LLVMTypeRef type)
{
	LLVMBuilderRef b = r->e->builder;
	LLVMValueRef cell = next_int(r);
	return LLVMBuildLoad2(b, type, LLVMBuildInBoundsGEP2(b, r->e->i64, r->given, &cell, 1, ""), "");
}

static LLVMValueRef argument_value(struct form_emitter *r, const struct step_argument *a)
{
	LLVMValueRef v = NULL;
	switch (a->kind) {
	case FROM_RUNTIME:
		return r->rt;
	case FROM_CELLS:
		return r->buffers;
	case FROM_BUFFER:
		return next_address(r);
	case FROM_CELL:
		return next_cell(r);
	case FROM_WORDS:
		v = next_word(r);
		r->nwords += a->index - 1;
		return v;
	case FROM_WORD:
		v = next_number(r, a->from);
		break;
	case FROM_REGION:
		v = next_given(r, host_llvm_type(r->e, (enum host_type)a->index));
		break;
	case FROM_ORIGIN:
		v = call(r, "origin", (LLVMValueRef[]){r->rt, number(r, a->index), number(r, a->dim)}, 3);
		break;
	case FROM_ELEMENT:
		v = element(r, a->from);
		break;
	}
	return cast(r, cast(r, v, a->from, a->via), a->via, a->to);
}

/* The value says what the next step is; NULL: the one behind the words. */
static LLVMValueRef emit_call(struct form_emitter *r, const struct step_form *f, LLVMValueRef *arguments)
{
	LLVMBuilderRef b = r->e->builder;
	switch (f->callee) {
	case CALLEE_RUNTIME:
		call(r, f->name, arguments, f->narguments);
		break;
	case CALLEE_KERNEL:
		kernel_call(r->e, f->kernel, r->rt, arguments);
		break;
	case CALLEE_COPY:
		LLVMBuildMemCpy(b, arguments[0], 1, arguments[1], 1, arguments[2]);
		break;
	case CALLEE_STORE:
		LLVMBuildStore(b, arguments[0], next_given(r, r->e->ptr));
		break;
	case CALLEE_NEXT:
		return call(r, f->name, arguments, f->narguments);
	}
	if (f->pokes)
		call(r, "poke", &r->rt, 1);
	return NULL;
}

static LLVMTypeRef step_form_type(const struct emitter *e)
{
	LLVMTypeRef types[] = {e->ptr, e->ptr, e->ptr, e->ptr};
	return LLVMFunctionType(e->ptr, types, 4, 0);
}

LLVMValueRef step_function(struct program_emitter *p, const char *name)
{
	struct emitter *e = p->e;
	LLVMValueRef f = LLVMAddFunction(e->module, name, step_form_type(e));
	LLVMSetLinkage(f, LLVMInternalLinkage);
	emit_function_attributes(e, f);
	LLVMPositionBuilderAtEnd(e->builder, LLVMAppendBasicBlockInContext(e->context, f, "entry"));
	return f;
}

static LLVMValueRef step_form_function(struct program_emitter *p, const struct step_form *f)
{
	struct emitter *e = p->e;
	struct form_emitter r = {.p = p, .e = e};
	struct emit_place place = emit_leave(e);
	r.function = step_function(p, "step");
	debug_function(e, r.function, f->kernel && f->kernel->name ? f->kernel->name : "step", f->span);
	r.rt = LLVMGetParam(r.function, 0);
	r.given = LLVMGetParam(r.function, 1);
	r.buffers = LLVMGetParam(r.function, 2);
	r.words = LLVMGetParam(r.function, 3);
	LLVMValueRef *arguments = ARENA_ARRAY(e->arena, LLVMValueRef, f->narguments + 1);
	for (int i = 0; i < f->narguments; i++)
		arguments[i] = argument_value(&r, &f->argument[i]);
	LLVMValueRef next = emit_call(&r, f, arguments);
	LLVMBuildRet(e->builder, next ? next : next_word(&r));
	emit_return(e, &place);
	return r.function;
}

int step_form_number(struct program_emitter *p, const struct step_form *f)
{
	struct step_forms *all = &p->forms;
	const char *key = step_form_key(p->e, f);
	intptr_t known = (intptr_t)map_get(&all->numbers, key);
	if (known)
		return (int)known - 1;
	int number = step_form_add(p, step_form_function(p, f));
	map_set(&all->numbers, key, (void *)(intptr_t)(number + 1));
	return number;
}

int step_form_add(struct program_emitter *p, LLVMValueRef function)
{
	vec_push(p->e->arena, &p->forms.list, function);
	return p->forms.list.n - 1;
}

void step_forms_emit(struct program_emitter *p)
{
	LLVMValueRef all = LLVMConstArray2(p->e->ptr, p->forms.list.at, (uint64_t)p->forms.list.n);
	LLVMReplaceAllUsesWith(p->forms.table, emit_constant(p->e, all, "forms", 8));
	LLVMDeleteGlobal(p->forms.table);
}
