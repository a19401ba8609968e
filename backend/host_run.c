/* host_run.c — statements of host code that are alike but for a number, as a loop over a table of numbers. Every param
 * of a list has a key of its own, which is folded of the seed and a number; written one behind the other, these take
 * LLVM longer than all else of a program with many layers.
 *
 *   $0 = key_fold(key_root(), 17)
 *   $1 = key_fold(key_root(), 23)        for i in 0..n { $[i] = key_fold(key_root(), table[i]) }
 *   …
 *
 * The variables of a run stand side by side in memory. */
#include "program_emit.h"

#include <string.h>

enum { FEWEST = 8 };

/* Whether the two are alike but for one number, which is at *number in a; NULL: none yet. */
static bool are_alike(const struct host_expr *a, const struct host_expr *b, const struct host_expr **number)
{
	if (a->kind != b->kind || a->type != b->type || a->op != b->op || a->index != b->index || a->nargs != b->nargs)
		return false;
	if (a->kind == HOST_CONST) {
		bool is_whole = a->type == HOST_INT || a->type == HOST_KEY;
		if (!is_whole || a->i == b->i)
			return is_whole;
		if (*number && *number != a)
			return false;
		*number = a;
		return true;
	}
	if (a->kind == HOST_CALL && strcmp(a->function, b->function) != 0)
		return false;
	for (int i = 0; i < a->nargs; i++)
		if (!are_alike(a->arg[i], b->arg[i], number))
			return false;
	return true;
}

/* The number in another expression that stands where `number` does in a. */
static int64_t number_in(const struct host_expr *a, const struct host_expr *b, const struct host_expr *number)
{
	int64_t found = a == number ? b->i : 0;
	for (int i = 0; i < a->nargs; i++)
		found |= number_in(a->arg[i], b->arg[i], number);
	return found;
}

static struct host_run run_from(const struct host_function *f, const struct host_stmt *s)
{
	struct host_run r = {.first = s};
	for (; s && s->kind == HOST_SET && s->var == r.first->var + r.n; s = s->next, r.n++) {
		const struct host_expr *number = r.number;
		enum host_type t = f->vars.at[s->var].type;
		if ((t != HOST_INT && t != HOST_KEY) || !are_alike(r.first->expr, s->expr, &number))
			break;
		r.number = number;
	}
	r.n = r.number && r.n >= FEWEST ? r.n : 1;
	return r;
}

void host_find_runs(struct host_emitter *h)
{
	struct emitter *e = h->e;
	for (const struct host_stmt *s = h->function->body; s;) {
		struct host_run r = run_from(h->function, s);
		if (r.n > 1) {
			r.at = emit_alloca(e, LLVMArrayType2(e->i64, (uint64_t)r.n), "run");
			LLVMBuildMemSet(e->builder, r.at, emit_int(e->i8, 0), emit_i64(e, 8 * (int64_t)r.n), 8);
			vec_push(e->arena, &h->runs, r);
		}
		for (int i = 0; i < r.n; i++)
			s = s->next;
	}
}

const struct host_run *host_run_at(const struct host_emitter *h, int var)
{
	for (int i = 0; i < h->runs.n; i++) {
		const struct host_run *r = &h->runs.at[i];
		if (var >= r->first->var && var < r->first->var + r->n)
			return r;
	}
	return NULL;
}

LLVMValueRef host_run_element(struct host_emitter *h, const struct host_run *r, LLVMValueRef i)
{
	return LLVMBuildInBoundsGEP2(h->e->builder, h->e->i64, r->at, &i, 1, "");
}

/* The numbers, in the module. */
static LLVMValueRef table_of(struct emitter *e, const struct host_run *r)
{
	int64_t *numbers = ARENA_ARRAY(e->arena, int64_t, r->n);
	const struct host_stmt *s = r->first;
	for (int i = 0; i < r->n; i++, s = s->next)
		numbers[i] = number_in(r->first->expr, s->expr, r->number);
	LLVMValueRef value = LLVMConstStringInContext(e->context, (const char *)numbers,
						      (unsigned)(sizeof *numbers * (size_t)r->n), 1);
	return emit_constant(e, value, "numbers", _Alignof(int64_t));
}

const struct host_stmt *host_emit_run(struct host_emitter *h, const struct host_run *r)
{
	struct emitter *e = h->e;
	LLVMBuilderRef b = e->builder;
	LLVMBasicBlockRef from = emit_current_block(e), turn = emit_block(e, "run"), done = emit_block(e, "end");
	LLVMValueRef table = table_of(e, r);
	LLVMBuildBr(b, turn);
	LLVMPositionBuilderAtEnd(b, turn);
	LLVMValueRef i = LLVMBuildPhi(b, e->i64, "i");
	h->number = r->number;
	h->number_now = LLVMBuildLoad2(b, e->i64, LLVMBuildInBoundsGEP2(b, e->i64, table, &i, 1, ""), "");
	LLVMBuildStore(b, host_expression(h, r->first->expr), host_run_element(h, r, i));
	h->number = NULL;
	LLVMValueRef next = LLVMBuildAdd(b, i, emit_i64(e, 1), "");
	LLVMBasicBlockRef last = emit_current_block(e);
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, next, emit_i64(e, r->n), ""), done, turn);
	LLVMAddIncoming(i, (LLVMValueRef[]){emit_i64(e, 0), next}, (LLVMBasicBlockRef[]){from, last}, 2);
	LLVMPositionBuilderAtEnd(b, done);
	const struct host_stmt *s = r->first;
	for (int k = 0; k < r->n; k++)
		s = s->next;
	return s;
}
