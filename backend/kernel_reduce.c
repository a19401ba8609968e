/* kernel_reduce.c — accumulators. Inside a vector loop every lane of every part sums for itself; when the loop that
 * owns the accumulator ends, parts and then lanes are joined pairwise, always in the same order. An index goes along
 * with argmax and argmin: a NaN wins, else the first among equals. */
#include "kernel_emit.h"

#include <math.h>

static int64_t least_int(enum dtype t)
{
	return dtype_kind(t) == DTYPE_INT ? -((int64_t)1 << (8 * dtype_size(t) - 2)) * 2 : 0;
}

static int64_t most_int(enum dtype t)
{
	int64_t bits = 8 * dtype_size(t);
	if (dtype_kind(t) == DTYPE_BOOL)
		return 1;
	return dtype_kind(t) == DTYPE_INT ? (int64_t)((UINT64_MAX >> 1) >> (64 - bits))
					  : (int64_t)(UINT64_MAX >> (64 - bits));
}

LLVMValueRef kernel_neutral(struct kernel_emitter *k, const struct kernel_acc *acc, int lanes)
{
	bool is_float = dtype_is_float(acc->type);
	union scalar_value v = {.i = 0};
	switch (acc->combiner) {
	case COMBINE_SUM:
	case COMBINE_NONE:
	case COMBINE_COUNT:
		break;
	case COMBINE_PROD:
		if (is_float)
			v.f = 1;
		else
			v.i = 1;
		break;
	case COMBINE_MAX:
	case COMBINE_ARGMAX:
		if (is_float)
			v.f = -INFINITY;
		else
			v.i = least_int(acc->type);
		break;
	case COMBINE_MIN:
	case COMBINE_ARGMIN:
		if (is_float)
			v.f = INFINITY;
		else
			v.i = most_int(acc->type);
		break;
	}
	return emit_number(k->e, acc->type, v, lanes);
}

static bool has_index(enum combiner c)
{
	return c == COMBINE_ARGMAX || c == COMBINE_ARGMIN;
}

struct pair {
	LLVMValueRef value, index; /* index NULL but for argmax and argmin */
};

/* The one that wins by value, the first of equals; a NaN wins over numbers. */
static LLVMValueRef second_wins(struct kernel_emitter *k, const struct kernel_acc *acc, struct pair x, struct pair y)
{
	LLVMBuilderRef b = k->e->builder;
	LLVMValueRef values[] = {y.value, x.value};
	LLVMValueRef better = apply_function(k->e, combiner_fn(acc->combiner), DT_BOOL, acc->type, values);
	LLVMValueRef equal = apply_function(k->e, SC_EQ, DT_BOOL, acc->type, values);
	LLVMValueRef earlier = LLVMBuildICmp(b, LLVMIntSLT, y.index, x.index, "");
	if (dtype_is_float(acc->type)) {
		LLVMValueRef xx[] = {x.value, x.value}, yy[] = {y.value, y.value};
		LLVMValueRef first = apply_function(k->e, SC_NE, DT_BOOL, acc->type, xx);
		LLVMValueRef second = apply_function(k->e, SC_NE, DT_BOOL, acc->type, yy);
		better = LLVMBuildAnd(b, LLVMBuildOr(b, better, second, ""), LLVMBuildNot(b, first, ""), "");
		equal = LLVMBuildOr(b, equal, LLVMBuildAnd(b, first, second, ""), "");
	}
	return LLVMBuildOr(b, better, LLVMBuildAnd(b, equal, earlier, ""), "");
}

static struct pair join(struct kernel_emitter *k, const struct kernel_acc *acc, struct pair x, struct pair y)
{
	LLVMBuilderRef b = k->e->builder;
	enum scalar_fn fn = combiner_fn(acc->combiner);
	if (!has_index(acc->combiner))
		return (struct pair){apply_function(k->e, fn, acc->type, acc->type, (LLVMValueRef[]){x.value, y.value}),
				     NULL};
	LLVMValueRef take = second_wins(k, acc, x, y);
	return (struct pair){LLVMBuildSelect(b, take, y.value, x.value, ""),
			     LLVMBuildSelect(b, take, y.index, x.index, "")};
}

LLVMValueRef kernel_join(struct kernel_emitter *k, const struct kernel_acc *acc, LLVMValueRef x, LLVMValueRef y)
{
	return join(k, acc, (struct pair){x, NULL}, (struct pair){y, NULL}).value;
}

/* The same where y's position is beyond x's: it wins if its value does. */
static struct pair join_later(struct kernel_emitter *k, const struct kernel_acc *acc, struct pair x, struct pair y)
{
	LLVMBuilderRef b = k->e->builder;
	LLVMValueRef take;
	if (dtype_is_float(acc->type)) {
		LLVMRealPredicate beyond = acc->combiner == COMBINE_ARGMAX ? LLVMRealUGT : LLVMRealULT;
		take = LLVMBuildAnd(b, LLVMBuildFCmp(b, beyond, y.value, x.value, ""),
				    LLVMBuildFCmp(b, LLVMRealORD, x.value, x.value, ""), "");
	} else {
		take = apply_function(k->e, combiner_fn(acc->combiner), DT_BOOL, acc->type,
				      (LLVMValueRef[]){y.value, x.value});
	}
	return (struct pair){LLVMBuildSelect(b, take, y.value, x.value, ""),
			     LLVMBuildSelect(b, take, y.index, x.index, "")};
}

/* Positions in 32 bits are as wide as the values beside them: a comparison is the mask of both. */
static enum dtype index_type(struct kernel_emitter *k, const struct kernel_acc *acc)
{
	return k->scan.acc[acc->reg].narrow ? DT_I32 : DT_I64;
}

static LLVMValueRef no_index(struct kernel_emitter *k, const struct kernel_acc *acc, int lanes)
{
	enum dtype t = index_type(k, acc);
	return emit_int(emit_type(k->e, t, lanes), t == DT_I32 ? INT32_MAX : INT64_MAX);
}

/* The stack slots: parts and lanes of the accumulator. */
static int slots_of(struct kernel_emitter *k, int reg, int *lanes)
{
	struct acc_info *info = &k->scan.acc[reg];
	bool vector = info->across || info->running || k->scan.reg[reg].vector;
	*lanes = vector ? k->scan.lanes : 0;
	return info->across ? info->parts : vector && !info->running ? k->groups : 1;
}

void kernel_begin_acc(struct kernel_emitter *k, const struct kernel_acc *acc)
{
	int lanes, n = slots_of(k, acc->reg, &lanes);
	for (int g = 0; g < n; g++) {
		LLVMValueRef start = kernel_neutral(k, acc, lanes);
		k->slot[acc->reg].at[g] = emit_alloca(k->e, LLVMTypeOf(start), "acc");
		LLVMBuildStore(k->e->builder, start, k->slot[acc->reg].at[g]);
		if (!has_index(acc->combiner))
			continue;
		LLVMValueRef none = no_index(k, acc, lanes);
		k->index_slot[acc->reg].at[g] = emit_alloca(k->e, LLVMTypeOf(none), "index");
		LLVMBuildStore(k->e->builder, none, k->index_slot[acc->reg].at[g]);
	}
}

static struct pair read_slot(struct kernel_emitter *k, const struct kernel_acc *acc, int g)
{
	int lanes;
	slots_of(k, acc->reg, &lanes);
	struct pair p = {.index = NULL};
	p.value = LLVMBuildLoad2(k->e->builder, emit_type(k->e, acc->type, lanes), k->slot[acc->reg].at[g], "");
	if (has_index(acc->combiner))
		p.index = LLVMBuildLoad2(k->e->builder, emit_type(k->e, index_type(k, acc), lanes),
					 k->index_slot[acc->reg].at[g], "");
	return p;
}

static void write_slot(struct kernel_emitter *k, const struct kernel_acc *acc, int g, struct pair p)
{
	LLVMBuildStore(k->e->builder, p.value, k->slot[acc->reg].at[g]);
	if (p.index)
		LLVMBuildStore(k->e->builder, p.index, k->index_slot[acc->reg].at[g]);
}

/* The accumulator with one value more, of group g or a scalar; a product goes into its sum with one rounding, where the
 * machine can. */
static struct pair joined(struct kernel_emitter *k, const struct kernel_instr *i, const struct kernel_acc *acc, int g,
			  bool vector, struct pair old)
{
	struct pair more = {kernel_value(k, i->a, g, vector), NULL};
	if (i->c >= 0)
		return (struct pair){emit_fma(k->e, more.value, kernel_value(k, i->c, g, vector), old.value), NULL};
	if (!has_index(acc->combiner))
		return join(k, acc, old, more);
	more.index = kernel_value(k, i->b, g, vector);
	if (k->scan.acc[acc->reg].narrow)
		more.index = LLVMBuildTrunc(k->e->builder, more.index, LLVMTypeOf(old.index), "");
	return (k->scan.acc[acc->reg].rising ? join_later : join)(k, acc, old, more);
}

LLVMValueRef kernel_masking(struct kernel_emitter *k, LLVMValueRef mask)
{
	enum { MASK_LANES = 16 };
	LLVMTypeRef t = LLVMTypeOf(mask), f = LLVMFunctionType(t, &t, 1, 0);
	static const char constraints[] = "=^Yk,0";
	bool has_registers = k->e->target->is_x86 && k->e->target->lanes == MASK_LANES;
	if (!has_registers || !LLVMIsConstant(mask) || LLVMIsNull(mask) || mask == LLVMConstAllOnes(t))
		return mask;
	for (int i = 0; i < k->nmasks; i++)
		if (k->mask_of[i] == mask)
			return k->masking[i];
	if (k->nmasks == MAX_MASKS)
		return mask;
	LLVMValueRef same =
		LLVMGetInlineAsm(f, "", 0, constraints, sizeof constraints - 1, 0, 0, LLVMInlineAsmDialectATT, 0);
	LLVMBuilderRef b = k->e->builder;
	LLVMBasicBlockRef here = emit_current_block(k->e), first = LLVMGetEntryBasicBlock(emit_current_function(k->e));
	if (LLVMGetFirstInstruction(first))
		LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(first));
	k->mask_of[k->nmasks] = mask;
	k->masking[k->nmasks] = LLVMBuildCall2(b, f, same, &mask, 1, "");
	LLVMPositionBuilderAtEnd(b, here);
	return k->masking[k->nmasks++];
}

static struct pair chosen(struct kernel_emitter *k, LLVMValueRef on, struct pair fresh, struct pair old)
{
	LLVMBuilderRef b = k->e->builder;
	fresh.value = LLVMBuildSelect(b, on, fresh.value, old.value, "");
	if (fresh.index)
		fresh.index = LLVMBuildSelect(b, on, fresh.index, old.index, "");
	return fresh;
}

static void reduce_group(struct kernel_emitter *k, const struct kernel_instr *i, const struct kernel_acc *acc, int g,
			 int part, bool vector, LLVMValueRef mask)
{
	struct pair old = read_slot(k, acc, part), fresh = joined(k, i, acc, g, vector, old);
	write_slot(k, acc, part, mask ? chosen(k, mask, fresh, old) : fresh);
}

/* One scalar into lane 0 of an accumulator that is spread over lanes. */
static void reduce_into_lane(struct kernel_emitter *k, const struct kernel_instr *i, const struct kernel_acc *acc)
{
	LLVMBuilderRef b = k->e->builder;
	struct pair all = read_slot(k, acc, 0), one = {emit_lane(k->e, all.value, 0), NULL};
	if (all.index)
		one.index = emit_lane(k->e, all.index, 0);
	struct pair fresh = joined(k, i, acc, 0, false, one);
	if (i->guard >= 0)
		fresh = chosen(k, k->reg[i->guard].at[0], fresh, one);
	all.value = LLVMBuildInsertElement(b, all.value, fresh.value, emit_i32(k->e, 0), "");
	if (all.index)
		all.index = LLVMBuildInsertElement(b, all.index, fresh.index, emit_i32(k->e, 0), "");
	write_slot(k, acc, 0, all);
}

const struct kernel_acc *kernel_find_acc(const struct kernel_instr *body, int reg)
{
	for (const struct kernel_instr *i = body; i; i = i->next) {
		if (i->kind != K_LOOP)
			continue;
		for (int n = 0; n < i->naccs; n++)
			if (i->acc[n].reg == reg)
				return &i->acc[n];
		const struct kernel_acc *found = kernel_find_acc(i->body, reg);
		if (found)
			return found;
	}
	return NULL;
}

/* Which lanes are joined; NULL: all. Of lanes that each have a sum of their own those behind the last turn have none
 * that counts. */
static LLVMValueRef mask_of_group(struct kernel_emitter *k, const struct kernel_instr *i, int g, bool vector,
				  bool across)
{
	if (i->guard < 0 && !across)
		return NULL;
	if (!vector)
		return k->reg[i->guard].at[0];
	LLVMValueRef mask = kernel_mask(k, g, i->guard);
	return mask && i->guard >= 0 && dtype_size(i->type) == 4 ? kernel_masking(k, mask) : mask;
}

void kernel_emit_reduce(struct kernel_emitter *k, const struct kernel_instr *i)
{
	const struct kernel_acc *acc = kernel_find_acc(k->kernel->body, i->reg);
	BUG_IF(!acc, "kernel %s reduces into register %d, which is no accumulator", k->kernel->name, i->reg);
	bool across = k->scan.acc[i->reg].across, vector = across || k->scan.reg[i->reg].vector;
	if (across && k->vector_loop < 0) {
		reduce_into_lane(k, i, acc);
		return;
	}
	for (int g = 0; g < (vector ? k->groups : 1); g++) {
		int part = across ? (k->first + g) % k->scan.acc[i->reg].parts : g;
		reduce_group(k, i, acc, g, part, vector, mask_of_group(k, i, g, vector, across));
	}
}

static struct pair join_lanes(struct kernel_emitter *k, const struct kernel_acc *acc, struct pair p)
{
	for (int lanes = k->scan.lanes / 2; lanes > 1; lanes /= 2) {
		struct pair low = {emit_half(k->e, p.value, false), p.index ? emit_half(k->e, p.index, false) : NULL};
		struct pair high = {emit_half(k->e, p.value, true), p.index ? emit_half(k->e, p.index, true) : NULL};
		p = join(k, acc, low, high);
	}
	struct pair first = {emit_lane(k->e, p.value, 0), p.index ? emit_lane(k->e, p.index, 0) : NULL};
	struct pair second = {emit_lane(k->e, p.value, 1), p.index ? emit_lane(k->e, p.index, 1) : NULL};
	return join(k, acc, first, second);
}

/* Where there was no point the index is 0. */
static LLVMValueRef winner_or_zero(struct kernel_emitter *k, const struct kernel_acc *acc, LLVMValueRef index,
				   int lanes)
{
	LLVMBuilderRef b = k->e->builder;
	LLVMValueRef none = LLVMBuildICmp(b, LLVMIntEQ, index, no_index(k, acc, lanes), "");
	index = LLVMBuildSelect(b, none, LLVMConstNull(LLVMTypeOf(index)), index, "");
	return LLVMBuildZExtOrBitCast(b, index, emit_type(k->e, DT_I64, lanes), "");
}

void kernel_end_acc(struct kernel_emitter *k, const struct kernel_acc *acc)
{
	int lanes, n = slots_of(k, acc->reg, &lanes);
	bool across = k->scan.acc[acc->reg].across;
	struct pair part[MAX_GROUPS];
	for (int g = 0; g < n; g++)
		part[g] = read_slot(k, acc, g);
	for (int step = 1; across && step < n; step *= 2)
		for (int g = 0; g + step < n; g += 2 * step)
			part[g] = join(k, acc, part[g], part[g + step]);
	if (across) {
		part[0] = join_lanes(k, acc, part[0]);
		n = 1;
	}
	if (k->scan.acc[acc->reg].running)
		part[0].value = emit_lane(k->e, part[0].value, 0);
	for (int g = 0; g < n; g++) {
		k->reg[acc->reg].at[g] = part[g].value;
		if (has_index(acc->combiner) && acc->index_reg >= 0)
			k->reg[acc->index_reg].at[g] = winner_or_zero(k, acc, part[g].index, across ? 0 : lanes);
	}
}
