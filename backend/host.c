/* host.c — host code as native code: variables are stack slots (the optimiser makes registers of them), statements are
 * blocks and branches, effects are calls of the runtime and of region functions. */
#include "program_emit.h"

#include "debug.h"
#include "host_native.h"

#include <string.h>

static void emit_block_of(struct host_emitter *h, const struct host_stmt *body);

static void emit_if(struct host_emitter *h, const struct host_stmt *s)
{
	LLVMBuilderRef b = h->e->builder;
	LLVMValueRef condition = host_expression(h, s->expr);
	LLVMBasicBlockRef yes = emit_block(h->e, "then"), no = emit_block(h->e, "else"), done = emit_block(h->e, "end");
	LLVMBuildCondBr(b, condition, yes, no);
	LLVMPositionBuilderAtEnd(b, yes);
	emit_block_of(h, s->body);
	LLVMBuildBr(b, done);
	LLVMPositionBuilderAtEnd(b, no);
	emit_block_of(h, s->other);
	LLVMBuildBr(b, done);
	LLVMPositionBuilderAtEnd(b, done);
}

/* What follows a jump in its block: nothing jumps there. */
static void emit_jump(struct host_emitter *h, LLVMBasicBlockRef to)
{
	LLVMBuildBr(h->e->builder, to);
	LLVMPositionBuilderAtEnd(h->e->builder, emit_block(h->e, "left"));
}

/* One turn in many, others hear that the loop goes on. */
static void emit_came_by(struct host_emitter *h, LLVMValueRef count)
{
	enum { TURNS = 1 << 8 };
	LLVMBuilderRef b = h->e->builder;
	LLVMBasicBlockRef tell = emit_block(h->e, "tell"), go_on = emit_block(h->e, "on");
	LLVMValueRef n = LLVMBuildAdd(b, LLVMBuildLoad2(b, h->e->i64, count, ""), emit_i64(h->e, 1), "");
	LLVMBuildStore(b, n, count);
	LLVMValueRef rest = LLVMBuildAnd(b, n, emit_i64(h->e, TURNS - 1), "");
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, rest, emit_i64(h->e, 0), ""), tell, go_on);
	LLVMPositionBuilderAtEnd(b, tell);
	abi_call(h->e, "came_by", &h->rt, 1);
	LLVMBuildBr(b, go_on);
	LLVMPositionBuilderAtEnd(b, go_on);
}

static void emit_turns(struct host_emitter *h, const struct host_stmt *s)
{
	LLVMBuilderRef b = h->e->builder;
	LLVMBasicBlockRef head = emit_block(h->e, "while"), turn = emit_block(h->e, "do"),
			  after = emit_block(h->e, "after"), done = emit_block(h->e, "end");
	LLVMBasicBlockRef outer[] = {h->after, h->done};
	LLVMValueRef count = h->natives && host_runs_region(s->body) ? emit_alloca(h->e, h->e->i64, "turns") : NULL;
	if (count)
		LLVMBuildStore(b, emit_i64(h->e, 0), count);
	LLVMBuildBr(b, head);
	LLVMPositionBuilderAtEnd(b, head);
	LLVMBuildCondBr(b, host_expression(h, s->expr), turn, done);
	LLVMPositionBuilderAtEnd(b, turn);
	h->after = after;
	h->done = done;
	emit_block_of(h, s->body);
	h->after = outer[0];
	h->done = outer[1];
	LLVMBuildBr(b, after);
	LLVMPositionBuilderAtEnd(b, after);
	if (count)
		emit_came_by(h, count);
	emit_block_of(h, s->other);
	LLVMBuildBr(b, head);
	LLVMPositionBuilderAtEnd(b, done);
}

/* Twice: where somebody looks at steps and regions (--check=finite, --profile), regions are run. */
static void emit_native_while(struct host_emitter *h, const struct host_stmt *s)
{
	LLVMBuilderRef b = h->e->builder;
	LLVMBasicBlockRef walked = emit_block(h->e, "walked"), native = emit_block(h->e, "native"),
			  behind = emit_block(h->e, "behind");
	LLVMBuildCondBr(b, abi_call(h->e, "looks_at_regions", &h->rt, 1), walked, native);
	LLVMPositionBuilderAtEnd(b, walked);
	h->is_walked = true;
	emit_turns(h, s);
	h->is_walked = false;
	LLVMBuildBr(b, behind);
	LLVMPositionBuilderAtEnd(b, native);
	h->natives = host_natives_begin(h, s);
	emit_turns(h, s);
	host_natives_end(h, h->natives);
	h->natives = NULL;
	LLVMBuildBr(b, behind);
	LLVMPositionBuilderAtEnd(b, behind);
}

static void emit_while(struct host_emitter *h, const struct host_stmt *s)
{
	if (!h->natives && !h->is_walked && host_loop_is_native(h->p->program, h->p->role, s))
		emit_native_while(h, s);
	else
		emit_turns(h, s);
}

/* The run whose variables are arguments i to i + *n - 1, in their order; NULL: of none, *n is 1. */
static const struct host_run *run_of_arguments(const struct host_emitter *h, const struct host_stmt *s, int i, int *n)
{
	const struct host_expr *x = s->args.at[i];
	const struct host_run *r = x->kind == HOST_VAR ? host_run_at(h, x->index) : NULL;
	*n = 1;
	while (r && i + *n < s->args.n && s->args.at[i + *n]->kind == HOST_VAR &&
	       s->args.at[i + *n]->index == x->index + *n && x->index + *n < r->first->var + r->n)
		++*n;
	return r;
}

/* Arguments and addresses of results go through memory, where the region's steps find them by number: passing hundreds
 * (the keys of all params) would take LLVM long on both sides. */
static void emit_region(struct host_emitter *h, const struct host_stmt *s)
{
	const struct region *region = h->p->program->regions.at[s->region];
	int nargs = region->arguments.n, nresults = region->results.n;
	LLVMBuilderRef b = h->e->builder;
	BUG_IF(s->args.n != nargs || s->results.n > nresults, "region %s is started with the wrong number of arguments",
	       region->name);
	LLVMValueRef given = emit_alloca(h->e, LLVMArrayType2(h->e->i64, (uint64_t)(nargs + nresults)), "given");
	for (int i = 0, n; i < nargs; i += n) {
		const struct host_run *r = run_of_arguments(h, s, i, &n);
		LLVMValueRef cell = region_cell(h->e, given, i);
		if (r)
			LLVMBuildMemCpy(b, cell, 8, host_variable(h, s->args.at[i]->index), 8,
					emit_i64(h->e, 8 * (int64_t)n));
		else
			LLVMBuildStore(b, host_expression(h, s->args.at[i]), cell);
	}
	for (int i = 0; i < nresults; i++) {
		bool wanted = i < s->results.n && s->results.at[i] >= 0;
		LLVMValueRef at = wanted ? host_variable(h, s->results.at[i])
					 : emit_alloca(h->e, host_llvm_type(h->e, region->results.at[i]), "unused");
		LLVMBuildStore(b, at, region_cell(h->e, given, nargs + i));
	}
	LLVMValueRef f = region_function(h->p, s->region);
	LLVMBuildCall2(b, region_type(h->e), f, (LLVMValueRef[]){h->rt, given}, 2, "");
}

static void emit_statement(struct host_emitter *h, const struct host_stmt *s)
{
	debug_line(h->e, s->span);
	switch (s->kind) {
	case HOST_SET:
		LLVMBuildStore(h->e->builder, host_expression(h, s->expr), host_variable(h, s->var));
		break;
	case HOST_EVAL:
		host_expression(h, s->expr);
		break;
	case HOST_IF:
		emit_if(h, s);
		break;
	case HOST_WHILE:
		emit_while(h, s);
		break;
	case HOST_BREAK:
		emit_jump(h, h->done);
		break;
	case HOST_CONTINUE:
		emit_jump(h, h->after);
		break;
	case HOST_REGION:
		if (h->natives)
			host_native_region(h, s);
		else
			emit_region(h, s);
		break;
	}
}

static void emit_block_of(struct host_emitter *h, const struct host_stmt *body)
{
	for (const struct host_stmt *s = body; s;) {
		const struct host_run *r = s->kind == HOST_SET ? host_run_at(h, s->var) : NULL;
		if (r && r->first == s) {
			debug_line(h->e, s->span);
			s = host_emit_run(h, r);
			continue;
		}
		emit_statement(h, s);
		s = s->next;
	}
}

static void make_variables(struct host_emitter *h)
{
	const struct host_function *f = h->function;
	h->variable = ARENA_ARRAY(h->e->arena, LLVMValueRef, f->vars.n + 1);
	host_find_runs(h);
	for (int i = 0; i < f->vars.n; i++) {
		if (host_run_at(h, i))
			continue;
		LLVMTypeRef t = host_llvm_type(h->e, f->vars.at[i].type);
		h->variable[i] = emit_alloca(h->e, t, f->vars.at[i].name ? f->vars.at[i].name : "");
	}
	for (int i = 0; i < f->vars.n; i++)
		if (h->variable[i])
			LLVMBuildStore(h->e->builder, LLVMConstNull(host_llvm_type(h->e, f->vars.at[i].type)),
				       h->variable[i]);
}

LLVMValueRef host_function_emit(struct program_emitter *p, const struct host_function *f, const char *symbol)
{
	struct emitter *e = p->e;
	struct host_emitter h = {.p = p, .e = e, .function = f};
	LLVMValueRef function = LLVMAddFunction(e->module, symbol, LLVMFunctionType(e->nothing, &e->ptr, 1, 0));
	LLVMSetLinkage(function, LLVMInternalLinkage);
	emit_function_attributes(e, function);
	h.rt = LLVMGetParam(function, 0);
	e->counts_turns |= host_turns_alone(f);
	LLVMPositionBuilderAtEnd(e->builder, LLVMAppendBasicBlockInContext(e->context, function, "entry"));
	debug_function(e, function, f->name ? f->name : symbol, f->body ? f->body->span : (struct span){0, 0, 0});
	make_variables(&h);
	emit_block_of(&h, f->body);
	LLVMBuildRetVoid(e->builder);
	return function;
}
