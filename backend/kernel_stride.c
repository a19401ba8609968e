/* kernel_stride.c — lanes that are a few elements apart in memory: rows of neighbours and shuffles, where a gather would
 * touch every element by itself. Loads read from the first lane's element to the last one's and not beyond. Stores that
 * fill the gaps of one another, as those of phases do, are made together, when the last of them is reached. */
#include "kernel_emit.h"

#include "../compiler/kernel/across.h"
#include "../compiler/kernel/build.h"

#include <string.h>

/* Of each element j of the row that begins `begin` elements behind the first lane: its lane, or -1. */
static void lanes_of_row(int lanes, int64_t stride, int64_t begin, int *lane)
{
	for (int j = 0; j < lanes; j++)
		lane[j] = (begin + j) % stride ? -1 : (int)((begin + j) / stride);
}

/* The mask of a row's elements, from that of lanes. */
static LLVMValueRef row_mask(struct kernel_emitter *k, LLVMValueRef mask, const int *lane)
{
	int from[MAX_LANES], lanes = k->scan.lanes;
	if (!mask)
		return NULL;
	for (int j = 0; j < lanes; j++)
		from[j] = lane[j] < 0 ? lanes : lane[j];
	return emit_shuffle(k->e, mask, LLVMConstNull(LLVMTypeOf(mask)), from, lanes);
}

LLVMValueRef kernel_load_apart(struct kernel_emitter *k, int param, LLVMValueRef first, int64_t stride,
			       LLVMValueRef mask)
{
	int lanes = k->scan.lanes, lane[MAX_LANES], from[MAX_LANES];
	int64_t most = (lanes - 1) * stride + 1 - lanes; /* where the last row begins */
	LLVMValueRef all = NULL;
	for (int l = 0; l < lanes; l++)
		from[l] = -1;
	for (int64_t begin = 0; begin <= most; begin = begin == most || begin + lanes <= most ? begin + lanes : most) {
		LLVMValueRef at = LLVMBuildAdd(k->e->builder, first, emit_i64(k->e, begin), "");
		lanes_of_row(lanes, stride, begin, lane);
		LLVMValueRef row = kernel_load_row(k, param, at, row_mask(k, mask, lane));
		for (int j = 0; j < lanes; j++)
			if (lane[j] >= 0 && lane[j] < lanes)
				from[lane[j]] = all ? lanes + j : j;
		all = emit_shuffle(k->e, all ? all : row, all ? row : NULL, from, lanes);
		for (int l = 0; l < lanes; l++)
			from[l] = from[l] < 0 ? -1 : l;
	}
	return all;
}

/* ---- stores ---- */

static bool touches(const struct kernel_instr *i, int param)
{
	if (i->kind == K_LOAD || i->kind == K_STORE)
		return i->param == param;
	for (const struct kernel_instr *in = i->kind == K_LOOP ? i->body : NULL; in; in = in->next)
		if (touches(in, param))
			return true;
	return false;
}

static bool is_beside(const struct kernel_instr *s, const struct kernel_instr *i)
{
	struct kernel_affine at = s->at;
	at.offset = i->at.offset;
	return s->kind == K_STORE && s->param == i->param && s->guard == i->guard && affine_equal(&at, &i->at);
}

/* The stores of the list that fill each other's gaps, in the order of their elements, and the last that is reached. */
struct stores {
	const struct kernel_instr *at[MAX_APART], *last;
};

/* Where the run of `stride` elements begins that the store is part of, by offset. */
static int64_t run_of(const struct kernel_instr *body, const struct kernel_instr *i, int64_t stride)
{
	int64_t least = i->at.offset;
	for (const struct kernel_instr *s = body; s; s = s->next)
		if (is_beside(s, i) && s->at.offset < least)
			least = s->at.offset;
	return least + (i->at.offset - least) / stride * stride;
}

/* False: some are missing, or something between them touches the buffer, too. */
static bool find_stores(const struct kernel_instr *body, const struct kernel_instr *i, int64_t stride,
			struct stores *set)
{
	int64_t begin = run_of(body, i, stride), n = 0;
	memset(set, 0, sizeof *set);
	for (const struct kernel_instr *s = body; s && n < stride; s = s->next) {
		int64_t at = s->at.offset - begin;
		if (is_beside(s, i) && at >= 0 && at < stride && !set->at[at]) {
			set->at[at] = set->last = s;
			n++;
		} else if (n && touches(s, i->param)) {
			return false;
		}
	}
	return n == stride;
}

/* Row w of the elements that the stores make together. */
static LLVMValueRef row_of(struct kernel_emitter *k, const LLVMValueRef *v, int stride, int w)
{
	int lanes = k->scan.lanes, from[MAX_LANES];
	LLVMValueRef row = v[0];
	for (int s = 1; s < stride; s++) {
		for (int j = 0; j < lanes; j++) {
			int e = w * lanes + j, of = e % stride;
			from[j] = of == s ? lanes + e / stride : of > s ? -1 : s == 1 ? e / stride : j;
		}
		row = emit_shuffle(k->e, row, v[s], from, lanes);
	}
	return row;
}

/* All rows of group g, of which the first lane of the first store is at `first`. */
static void store_rows(struct kernel_emitter *k, const struct stores *set, int stride, int g, LLVMValueRef first)
{
	LLVMValueRef v[MAX_APART], mask = kernel_mask(k, g, set->last->guard);
	int lanes = k->scan.lanes, lane[MAX_LANES], param = set->last->param;
	bool ends = mask && set->last->guard < 0 && k->active > 0; /* after so many lanes */
	for (int s = 0; s < stride; s++)
		v[s] = emit_pack(k->e, k->kernel->params.at[param].type, kernel_value(k, set->at[s]->a, g, true));
	for (int w = 0; w < stride; w++) {
		int active = ends ? k->active * stride - w * lanes : lanes;
		if (active <= 0)
			return;
		for (int j = 0; j < lanes; j++)
			lane[j] = (w * lanes + j) / stride;
		LLVMValueRef at = LLVMBuildAdd(k->e->builder, first, emit_i64(k->e, (int64_t)w * lanes), "");
		LLVMValueRef on = !ends ? row_mask(k, mask, lane)
				: active < lanes ? emit_first_lanes(k->e, lanes, active) : NULL;
		kernel_store_row(k, param, row_of(k, v, stride, w), at, on, active);
	}
}

bool kernel_store_apart(struct kernel_emitter *k, const struct kernel_instr *i, LLVMValueRef first, int64_t stride)
{
	struct stores set;
	if (!kernel_is_apart(stride) || !find_stores(k->body, i, stride, &set))
		return false;
	if (i != set.last)
		return true;
	first = LLVMBuildAdd(k->e->builder, first, emit_i64(k->e, set.at[0]->at.offset - i->at.offset), "");
	for (int g = 0; g < k->groups; g++) {
		int64_t before = stride * g * k->scan.lanes;
		store_rows(k, &set, (int)stride, g, LLVMBuildAdd(k->e->builder, first, emit_i64(k->e, before), ""));
	}
	return true;
}
