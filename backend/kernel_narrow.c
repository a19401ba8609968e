/* kernel_narrow.c — positions are ints of 64 bits, but of loops whose turns are few 32 do: twice as many lanes in a
 * vector, and comparisons, divisions and conversions to floats that many machines have of 32 bits only. What is
 * computed so is widened again, which LLVM leaves out where the next one narrows it. */
#include "kernel_emit.h"

#include "../compiler/op/scalars/function.h"

/* Sums of two, and lanes behind the last turn, have room. Any number of 32 bits is as far from 0 as ANY. */
static const int64_t MOST = INT64_C(1) << 30, ANY = INT64_C(1) << 31;

/* Numbers are at most so far from 0: UNKNOWN if nobody knows, or more than MOST but for those that were of 32 bits. */
enum { UNKNOWN = -1 };

static int64_t within(double bound)
{
	return bound <= (double)MOST ? (int64_t)bound : UNKNOWN;
}

static double size_of(int64_t v)
{
	return v < 0 ? -(double)v : (double)v;
}

static int64_t bound_of_affine(const struct kernel_emitter *k, const struct kernel_affine *at)
{
	double bound = size_of(at->offset);
	for (int i = 0; i < at->nterms; i++) {
		int64_t turns = kernel_loop_extent(k->kernel->body, at->term[i].loop);
		bound += size_of(at->term[i].coef) * ((double)turns + MAX_GROUPS * MAX_LANES);
	}
	return at->reg < 0 ? within(bound) : UNKNOWN;
}

static bool is_widened(const struct kernel_emitter *k, const struct kernel_instr *i)
{
	return i->kind == K_APPLY && i->fn == SC_CAST && k->scan.reg[i->a].type == DT_I32;
}

static int64_t bound_of_function(const struct kernel_emitter *k, const struct kernel_instr *i)
{
	if (is_widened(k, i))
		return ANY;
	if (k->scan.reg[i->a].type != DT_I64)
		return UNKNOWN;
	int64_t a = k->scan.reg[i->a].bound, b = i->b >= 0 ? k->scan.reg[i->b].bound : 0;
	if (a < 0 || b < 0 || a > MOST || b > MOST)
		return UNKNOWN;
	switch (i->fn) {
	case SC_ADD:
	case SC_SUB:
		return within((double)a + (double)b);
	case SC_MUL:
		return within((double)a * (double)b);
	case SC_DIV:
	case SC_MOD:
		return a;
	case SC_MIN:
	case SC_MAX:
		return a > b ? a : b;
	default:
		return UNKNOWN;
	}
}

static void find_bounds(struct kernel_emitter *k, const struct kernel_instr *body)
{
	for (const struct kernel_instr *i = body; i; i = i->next) {
		if (i->kind == K_LOOP)
			find_bounds(k, i->body);
		if (i->type != DT_I64)
			continue;
		if (i->kind == K_CONST)
			k->scan.reg[i->reg].bound = within(size_of(i->number.i));
		if (i->kind == K_LOOPVAR)
			k->scan.reg[i->reg].bound = bound_of_affine(k, &i->at);
		if (i->kind == K_APPLY) {
			k->scan.reg[i->reg].bound = bound_of_function(k, i);
			k->scan.reg[i->reg].made = i;
		}
	}
}

void kernel_find_bounds(struct kernel_emitter *k)
{
	for (int r = 0; r < k->kernel->nregs; r++)
		k->scan.reg[r].bound = UNKNOWN;
	find_bounds(k, k->kernel->body);
}

bool kernel_is_narrow(const struct kernel_emitter *k, int reg)
{
	const struct reg_info *r = &k->scan.reg[reg];
	return r->vector && r->type == DT_I64 && r->bound >= 0 && r->bound <= MOST;
}

static bool is_comparison(const struct kernel_instr *i)
{
	return scalar_functions[i->fn]->level == LEVEL_COMPARE;
}

/* A number that is one for all lanes, of which nobody knows how far it is from 0: compared with what is at most MOST
 * from 0 it may as well be the nearest that 32 bits have. */
static bool is_cut(const struct kernel_emitter *k, const struct kernel_instr *i, int reg)
{
	return is_comparison(i) && k->scan.reg[reg].type == DT_I64 && k->scan.reg[reg].bound < 0 &&
	       !k->scan.reg[reg].vector;
}

/* Whether a function has it in 32 bits: what it makes of it fits, too. */
static bool fits(const struct kernel_emitter *k, const struct kernel_instr *i, int reg)
{
	const struct reg_info *r = &k->scan.reg[reg];
	if (r->type != DT_I64)
		return false;
	return is_cut(k, i, reg) || (r->bound >= 0 && r->bound <= (is_comparison(i) ? ANY : MOST));
}

bool kernel_applies_narrow(const struct kernel_emitter *k, const struct kernel_instr *i)
{
	const int from[] = {i->a, i->b, i->c};
	bool draws = i->fn == SC_RANDOM_POSITION; /* with a key in front */
	bool result = draws || kernel_is_narrow(k, i->reg) || is_comparison(i) ||
		      (i->fn == SC_CAST && dtype_is_float(i->type));
	for (int n = draws; n < scalar_arity(i->fn); n++)
		if (!fits(k, i, from[n]))
			return false;
	return k->scan.reg[i->reg].vector && result;
}

LLVMValueRef kernel_narrow(struct kernel_emitter *k, const struct kernel_instr *i, int reg, LLVMValueRef v)
{
	LLVMTypeRef wide = LLVMTypeOf(v), narrow = emit_type_like(k->e->i32, wide);
	if (k->scan.reg[reg].type != DT_I64)
		return v;
	if (is_cut(k, i, reg)) {
		LLVMValueRef x = k->reg[reg].at[0];
		x = emit_intrinsic(k->e, "llvm.smax", &k->e->i64, 1, (LLVMValueRef[]){x, emit_i64(k->e, INT32_MIN)}, 2);
		x = emit_intrinsic(k->e, "llvm.smin", &k->e->i64, 1, (LLVMValueRef[]){x, emit_i64(k->e, INT32_MAX)}, 2);
		return emit_splat(k->e, LLVMBuildTrunc(k->e->builder, x, k->e->i32, ""), emit_lanes(wide));
	}
	return LLVMBuildTrunc(k->e->builder, v, narrow, "");
}

/* Sums and products modulo 2^32 hang on no more of what they are made of. What they are made of is looked through a few
 * times, since it may be read more than once. */
enum { DEEPEST = 6 };

static LLVMValueRef low_words(struct kernel_emitter *k, int reg, int g, int depth)
{
	const struct kernel_instr *i = k->scan.reg[reg].made;
	LLVMBuilderRef b = k->e->builder;
	if (i && is_widened(k, i))
		return kernel_value(k, i->a, g, true);
	if (i && depth < DEEPEST && k->scan.reg[reg].vector &&
	    (i->fn == SC_ADD || i->fn == SC_SUB || i->fn == SC_MUL)) {
		LLVMValueRef x = low_words(k, i->a, g, depth + 1), y = low_words(k, i->b, g, depth + 1);
		return i->fn == SC_ADD   ? LLVMBuildAdd(b, x, y, "")
		       : i->fn == SC_SUB ? LLVMBuildSub(b, x, y, "")
					 : LLVMBuildMul(b, x, y, "");
	}
	LLVMValueRef v = kernel_value(k, reg, g, true);
	return LLVMBuildTrunc(b, v, emit_type_like(k->e->i32, LLVMTypeOf(v)), "");
}

LLVMValueRef kernel_low_words(struct kernel_emitter *k, int reg, int group)
{
	return low_words(k, reg, group, 0);
}
