/* kernel_prefix.c — running values. Where every lane has an accumulator of its own, the accumulator is the running
 * value. Along a vector loop, a vector's lanes are joined in log2(lanes) steps, each with what stands 1, 2, 4, … lanes
 * before it; then what all vectors before it have come to is joined with all of them. So vectors wait for one operation
 * each, and the order depends on the number of lanes alone. */
#include "kernel_emit.h"

/* Lane l becomes lane l - by, the first lanes those of `fill`. */
static LLVMValueRef moved_up(struct kernel_emitter *k, LLVMValueRef v, LLVMValueRef fill, int by)
{
	int from[MAX_LANES];
	for (int l = 0; l < k->scan.lanes; l++)
		from[l] = l < by ? l : k->scan.lanes + l - by;
	return emit_shuffle(k->e, fill, v, from, k->scan.lanes);
}

static LLVMValueRef last_lane(struct kernel_emitter *k, LLVMValueRef v)
{
	int from[MAX_LANES];
	for (int l = 0; l < k->scan.lanes; l++)
		from[l] = k->scan.lanes - 1;
	return emit_shuffle(k->e, v, NULL, from, k->scan.lanes);
}

/* Lanes that are masked out come last: what they hold reaches the accumulator alone, as the neutral element. */
static LLVMValueRef along_lanes(struct kernel_emitter *k, const struct kernel_acc *acc, LLVMValueRef v,
				LLVMValueRef mask, LLVMValueRef slot)
{
	LLVMBuilderRef b = k->e->builder;
	LLVMValueRef neutral = kernel_neutral(k, acc, k->scan.lanes);
	if (mask)
		v = LLVMBuildSelect(b, mask, v, neutral, "");
	for (int by = 1; by < k->scan.lanes; by *= 2)
		v = kernel_join(k, acc, moved_up(k, v, neutral, by), v);
	LLVMValueRef before = LLVMBuildLoad2(b, LLVMTypeOf(v), slot, "");
	LLVMBuildStore(b, kernel_join(k, acc, before, last_lane(k, v)), slot);
	return kernel_join(k, acc, before, v);
}

void kernel_emit_prefix(struct kernel_emitter *k, const struct kernel_instr *i)
{
	LLVMBuilderRef b = k->e->builder;
	const struct kernel_acc *acc = kernel_find_acc(k->kernel->body, i->b);
	BUG_IF(!acc, "kernel %s: register %d is no accumulator", k->kernel->name, i->b);
	bool vector = k->scan.reg[i->reg].vector;
	for (int g = 0; g < (vector ? k->groups : 1); g++) {
		LLVMValueRef v = kernel_value(k, i->a, g, vector);
		if (k->scan.acc[i->b].running) {
			k->reg[i->reg].at[g] = along_lanes(k, acc, v, kernel_mask(k, g, -1), k->slot[i->b].at[0]);
			continue;
		}
		LLVMValueRef slot = k->slot[i->b].at[g], old = LLVMBuildLoad2(b, LLVMTypeOf(v), slot, "");
		k->reg[i->reg].at[g] = kernel_join(k, acc, old, v);
		LLVMBuildStore(b, k->reg[i->reg].at[g], slot);
	}
}
