/* kernel_memory.c — addresses, loads and stores. Neighbouring lanes at neighbouring elements are one vector access;
 * anything else is a gather or scatter. What a mask or a guard leaves out is not touched. */
#include "kernel_emit.h"

#include "../compiler/kernel/across.h"

#include <string.h>

/* An affine address, split by what varies over lanes. All in elements. */
struct address {
	LLVMValueRef base; /* i64: of lane 0 of group 0 */
	int64_t stride;    /* from lane to lane */
	int reg;           /* a vector register added, or -1 */
	int64_t scale;
};

static LLVMValueRef scaled(struct kernel_emitter *k, LLVMValueRef v, int64_t by)
{
	return by == 1 ? v : LLVMBuildNSWMul(k->e->builder, v, emit_int(LLVMTypeOf(v), by), "");
}

static LLVMValueRef add_index(struct kernel_emitter *k, LLVMValueRef sum, LLVMValueRef v)
{
	return sum ? LLVMBuildNSWAdd(k->e->builder, sum, v, "") : v;
}

/* A register as an index: widened or narrowed to the integer type t. */
static LLVMValueRef index_of(struct kernel_emitter *k, int reg, int group, LLVMTypeRef t)
{
	if (k->scan.reg[reg].vector && k->scan.reg[reg].type == DT_I64 && t == k->e->i32)
		return kernel_low_words(k, reg, group);
	LLVMValueRef v = kernel_value(k, reg, group, k->scan.reg[reg].vector);
	enum dtype type = k->scan.reg[reg].type;
	bool is_signed = dtype_kind(type) == DTYPE_INT;
	return LLVMBuildIntCast2(k->e->builder, v, emit_type_like(t, LLVMTypeOf(v)), is_signed, "");
}

static struct address address_of(struct kernel_emitter *k, const struct kernel_affine *at)
{
	struct address out = {.reg = -1};
	for (int i = 0; i < at->nterms; i++) {
		int64_t coef = at->term[i].coef;
		if (coef == 0)
			continue;
		if (at->term[i].loop == k->vector_loop)
			out.stride += coef;
		out.base = add_index(k, out.base, scaled(k, k->variable[at->term[i].loop], coef));
	}
	if (at->reg >= 0 && at->scale != 0) {
		if (k->scan.reg[at->reg].vector) {
			out.reg = at->reg;
			out.scale = at->scale;
		} else {
			out.base = add_index(k, out.base, scaled(k, index_of(k, at->reg, 0, k->e->i64), at->scale));
		}
	}
	if (at->offset != 0 || !out.base)
		out.base = add_index(k, out.base, emit_i64(k->e, at->offset));
	return out;
}

/* The part of the index that differs between lanes of one group. */
static LLVMValueRef lane_index(struct kernel_emitter *k, const struct address *a, int g, LLVMTypeRef t)
{
	int lanes = k->scan.lanes;
	LLVMValueRef index = emit_iota(t, lanes, a->stride);
	if (a->reg < 0)
		return index;
	LLVMValueRef by_data = LLVMBuildMul(k->e->builder, index_of(k, a->reg, g, t),
					    emit_int(LLVMVectorType(t, (unsigned)lanes), a->scale), "");
	return a->stride ? LLVMBuildAdd(k->e->builder, by_data, index, "") : by_data;
}

static LLVMValueRef group_base(struct kernel_emitter *k, const struct address *a, int g)
{
	int64_t offset = a->stride * g * k->scan.lanes;
	return offset ? LLVMBuildNSWAdd(k->e->builder, a->base, emit_i64(k->e, offset), "") : a->base;
}

/* Lanes of 64 bits that fit in 32 are made of such, so that LLVM knows it (kernel_narrow.c). */
void kernel_emit_loopvar(struct kernel_emitter *k, const struct kernel_instr *i)
{
	struct address a = address_of(k, &i->at);
	LLVMBuilderRef b = k->e->builder;
	int lanes = k->scan.lanes;
	if (!k->scan.reg[i->reg].vector) {
		k->reg[i->reg].at[0] = a.base;
		return;
	}
	bool narrow = kernel_is_narrow(k, i->reg);
	LLVMTypeRef t = narrow ? k->e->i32 : k->e->i64, wide = LLVMVectorType(k->e->i64, (unsigned)lanes);
	for (int g = 0; g < k->groups; g++) {
		LLVMValueRef base = emit_splat(k->e, LLVMBuildIntCast2(b, group_base(k, &a, g), t, true, ""), lanes);
		LLVMValueRef v = LLVMBuildAdd(b, base, lane_index(k, &a, g, t), "");
		k->reg[i->reg].at[g] = narrow ? LLVMBuildSExt(b, v, wide, "") : v;
	}
}

static LLVMValueRef element_pointer(struct kernel_emitter *k, int param, LLVMValueRef index, bool in_range)
{
	LLVMTypeRef t = emit_storage_type(k->e, k->kernel->params.at[param].type);
	LLVMValueRef base = k->param[param];
	return in_range ? LLVMBuildInBoundsGEP2(k->e->builder, t, base, &index, 1, "")
			: LLVMBuildGEP2(k->e->builder, t, base, &index, 1, "");
}

static unsigned element_bytes(struct kernel_emitter *k, int param)
{
	return (unsigned)dtype_size(k->kernel->params.at[param].type);
}

/* Masked accesses take the alignment as an argument up to LLVM 21 and as an attribute from 22 on (where an element's
 * own alignment is what we would say anyway). `masked` = {pointers, mask} or {value, pointers, mask}; after:
 * pass-through. */
static LLVMValueRef call_masked(struct kernel_emitter *k, const char *name, LLVMTypeRef *types, LLVMValueRef *first,
				int nfirst, unsigned align, LLVMValueRef mask, LLVMValueRef passthru)
{
	bool aligned =
		LLVMCountParamTypes(LLVMIntrinsicGetType(k->e->context, LLVMLookupIntrinsicID(name, strlen(name)),
							 types, 2)) == (unsigned)(nfirst + 2 + (passthru != NULL));
	LLVMValueRef arguments[5];
	int n = 0;
	for (int i = 0; i < nfirst; i++)
		arguments[n++] = first[i];
	if (aligned)
		arguments[n++] = emit_i32(k->e, align);
	arguments[n++] = mask;
	if (passthru)
		arguments[n++] = passthru;
	LLVMValueRef call = emit_intrinsic(k->e, name, types, 2, arguments, n);
	if (!aligned)
		LLVMSetInstrParamAlignment(call, (unsigned)nfirst, align);
	return call;
}

static LLVMValueRef all_lanes(struct kernel_emitter *k, LLVMValueRef mask)
{
	return mask ? mask : emit_first_lanes(k->e, k->scan.lanes, k->scan.lanes);
}

/* Pointers of the lanes of group g; indices of 32 bits where the buffer allows, which gathers do faster. */
static LLVMValueRef lane_pointers(struct kernel_emitter *k, const struct kernel_instr *i, const struct address *a,
				  int g)
{
	enum dtype type = k->kernel->params.at[i->param].type;
	bool narrow = k->kernel->params.at[i->param].size < INT32_MAX;
	LLVMValueRef start = element_pointer(k, i->param, group_base(k, a, g), false);
	LLVMValueRef index = lane_index(k, a, g, narrow ? k->e->i32 : k->e->i64);
	return LLVMBuildGEP2(k->e->builder, emit_storage_type(k->e, type), start, &index, 1, "");
}

/* Lanes in the opposite order. */
static LLVMValueRef turned(struct kernel_emitter *k, LLVMValueRef v)
{
	int from[MAX_LANES];
	for (int l = 0; l < k->scan.lanes; l++)
		from[l] = k->scan.lanes - 1 - l;
	return emit_shuffle(k->e, v, NULL, from, k->scan.lanes);
}

/* Whether the lanes of a group are neighbours in memory; *backwards: the last lane is the first of them. */
static bool lanes_are_neighbours(const struct address *a, bool *backwards)
{
	*backwards = a->stride == -1;
	return a->reg < 0 && (a->stride == 1 || a->stride == -1);
}

/* Where the group's first element in memory is. */
static LLVMValueRef group_pointer(struct kernel_emitter *k, const struct kernel_instr *i, const struct address *a,
				  int g)
{
	LLVMValueRef first = group_base(k, a, g);
	if (a->stride == -1)
		first = LLVMBuildNSWSub(k->e->builder, first, emit_i64(k->e, k->scan.lanes - 1), "");
	return element_pointer(k, i->param, first, i->guard < 0 && a->stride == 1);
}

/* Each register of a vector by itself: of one whose mask says no to all of its upper half, LLVM 19 reads that half
 * without a mask. */
static LLVMValueRef load_masked(struct kernel_emitter *k, int param, LLVMValueRef pointer, LLVMValueRef mask)
{
	int lanes = emit_lanes(LLVMTypeOf(mask));
	LLVMTypeRef element = emit_storage_type(k->e, k->kernel->params.at[param].type);
	LLVMTypeRef t = LLVMVectorType(element, (unsigned)lanes);
	unsigned align = element_bytes(k, param);
	if (lanes * (int)align <= 4 * k->e->target->lanes)
		return call_masked(k, "llvm.masked.load", (LLVMTypeRef[]){t, k->e->ptr}, &pointer, 1, align, mask,
				   LLVMConstNull(t));
	LLVMValueRef half = emit_i64(k->e, lanes / 2);
	LLVMValueRef behind = LLVMBuildGEP2(k->e->builder, element, pointer, &half, 1, "");
	LLVMValueRef low = load_masked(k, param, pointer, emit_half(k->e, mask, false));
	return emit_joined(k->e, low, load_masked(k, param, behind, emit_half(k->e, mask, true)));
}

/* A vector from `pointer` on, those of it that the mask says (NULL: all). */
static LLVMValueRef load_vector(struct kernel_emitter *k, int param, LLVMValueRef pointer, LLVMValueRef mask)
{
	if (mask)
		return load_masked(k, param, pointer, mask);
	LLVMTypeRef t =
		LLVMVectorType(emit_storage_type(k->e, k->kernel->params.at[param].type), (unsigned)k->scan.lanes);
	unsigned align = element_bytes(k, param);
	LLVMValueRef v = LLVMBuildLoad2(k->e->builder, t, pointer, "");
	LLVMSetAlignment(v, align);
	return v;
}

static void store_vector(struct kernel_emitter *k, int param, LLVMValueRef v, LLVMValueRef pointer, LLVMValueRef mask)
{
	unsigned align = element_bytes(k, param);
	if (mask) {
		call_masked(k, "llvm.masked.store", (LLVMTypeRef[]){LLVMTypeOf(v), k->e->ptr},
			    (LLVMValueRef[]){v, pointer}, 2, align, mask, NULL);
		return;
	}
	LLVMValueRef store = LLVMBuildStore(k->e->builder, v, pointer);
	LLVMSetAlignment(store, align);
	if (k->past_caches)
		kernel_past_caches(k, store);
}

/* Whether what group g has of neighbours is a vector of its own: the first 2, 4 or 8 of the last vector of a loop. What
 * is written under a mask is not handed on to who reads it next, or what lies behind it, before it is in the cache. */
static bool is_short(struct kernel_emitter *k, const struct kernel_instr *i, LLVMValueRef mask)
{
	int n = k->active;
	return mask && i->guard < 0 && n > 1 && (n & (n - 1)) == 0 && n * (int)element_bytes(k, i->param) >= 8;
}

static LLVMValueRef load_short(struct kernel_emitter *k, const struct kernel_instr *i, LLVMValueRef pointer)
{
	int from[MAX_LANES];
	LLVMTypeRef t =
		LLVMVectorType(emit_storage_type(k->e, k->kernel->params.at[i->param].type), (unsigned)k->active);
	LLVMValueRef v = LLVMBuildLoad2(k->e->builder, t, pointer, "");
	LLVMSetAlignment(v, element_bytes(k, i->param));
	for (int lane = 0; lane < k->scan.lanes; lane++)
		from[lane] = lane < k->active ? lane : k->active;
	return emit_shuffle(k->e, v, LLVMConstNull(t), from, k->scan.lanes);
}

static void store_short(struct kernel_emitter *k, const struct kernel_instr *i, LLVMValueRef v, LLVMValueRef pointer)
{
	int from[MAX_LANES];
	for (int lane = 0; lane < k->active; lane++)
		from[lane] = lane;
	LLVMValueRef store = LLVMBuildStore(k->e->builder, emit_shuffle(k->e, v, NULL, from, k->active), pointer);
	LLVMSetAlignment(store, element_bytes(k, i->param));
}

/* LLVM 22 makes a store of a narrowed vector under a mask of one lane too wide; and this is shorter anyway. */
static void store_first_lane(struct kernel_emitter *k, LLVMValueRef v, LLVMValueRef pointer)
{
	LLVMBuildStore(k->e->builder, emit_lane(k->e, v, 0), pointer);
}

LLVMValueRef kernel_load_row(struct kernel_emitter *k, int param, LLVMValueRef first, LLVMValueRef mask)
{
	return load_vector(k, param, element_pointer(k, param, first, false), mask);
}

void kernel_store_row(struct kernel_emitter *k, int param, LLVMValueRef v, LLVMValueRef first, LLVMValueRef mask,
		      int active)
{
	LLVMValueRef pointer = element_pointer(k, param, first, false);
	if (mask && active == 1)
		store_first_lane(k, v, pointer);
	else
		store_vector(k, param, v, pointer, mask);
}

/* Where a vector is read under a guard: if no lane is, at the first element. Processors take a hundred cycles for a
 * vector without a lane that lies where no memory is, as the rows before and behind what a slice was put from may. */
static LLVMValueRef guarded_pointer(struct kernel_emitter *k, const struct kernel_instr *i, LLVMValueRef pointer,
				    LLVMValueRef mask)
{
	LLVMBuilderRef b = k->e->builder;
	LLVMTypeRef bits = LLVMIntTypeInContext(k->e->context, (unsigned)emit_lanes(LLVMTypeOf(mask)));
	LLVMValueRef any = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildBitCast(b, mask, bits, ""), LLVMConstNull(bits), "");
	return LLVMBuildSelect(b, any, pointer, element_pointer(k, i->param, emit_i64(k->e, 0), false), "");
}

static LLVMValueRef load_group(struct kernel_emitter *k, const struct kernel_instr *i, const struct address *a, int g)
{
	LLVMValueRef mask = kernel_mask(k, g, i->guard);
	bool backwards;
	if (a->reg < 0 && kernel_is_apart(a->stride))
		return kernel_load_apart(k, i->param, group_base(k, a, g), a->stride, mask);
	if (!lanes_are_neighbours(a, &backwards)) {
		LLVMTypeRef t = LLVMVectorType(emit_storage_type(k->e, i->type), (unsigned)k->scan.lanes);
		LLVMValueRef pointers = lane_pointers(k, i, a, g);
		LLVMTypeRef types[] = {t, LLVMTypeOf(pointers)};
		return call_masked(k, "llvm.masked.gather", types, &pointers, 1, element_bytes(k, i->param),
				   all_lanes(k, mask), LLVMConstNull(t));
	}
	mask = mask && backwards ? turned(k, mask) : mask;
	LLVMValueRef pointer = group_pointer(k, i, a, g);
	if (!backwards && is_short(k, i, mask))
		return load_short(k, i, pointer);
	if (mask && i->guard >= 0)
		pointer = guarded_pointer(k, i, pointer, mask);
	if (mask && i->guard >= 0 && element_bytes(k, i->param) == 4)
		mask = kernel_masking(k, mask);
	LLVMValueRef v = load_vector(k, i->param, pointer, mask);
	return backwards ? turned(k, v) : v;
}

/* A guarded scalar load reads element 0 where the guard is false: a buffer has at least that one. */
static LLVMValueRef load_scalar(struct kernel_emitter *k, const struct kernel_instr *i, const struct address *a)
{
	LLVMBuilderRef b = k->e->builder;
	LLVMValueRef index = a->base;
	if (i->guard >= 0 && k->kernel->params.at[i->param].size == 0)
		return emit_number(k->e, i->type, i->number, 0);
	if (i->guard >= 0)
		index = LLVMBuildSelect(b, k->reg[i->guard].at[0], index, emit_i64(k->e, 0), "");
	LLVMValueRef v =
		LLVMBuildLoad2(b, emit_storage_type(k->e, i->type), element_pointer(k, i->param, index, true), "");
	v = emit_unpack(k->e, i->type, v);
	if (i->guard >= 0)
		v = LLVMBuildSelect(b, k->reg[i->guard].at[0], v, emit_number(k->e, i->type, i->number, 0), "");
	return v;
}

LLVMValueRef kernel_first_element(struct kernel_emitter *k, const struct kernel_instr *i)
{
	return element_pointer(k, i->param, address_of(k, &i->at).base, true);
}

/* Asks for the vectors of all groups from element `base` on. */
static void prefetch_groups(struct kernel_emitter *k, int param, LLVMValueRef base)
{
	int bytes = k->scan.lanes * (int)element_bytes(k, param);
	for (int g = 0; g < k->groups; g++) {
		if (g * bytes % LINE_BYTES != 0)
			continue;
		LLVMValueRef index = LLVMBuildAdd(k->e->builder, base, emit_i64(k->e, (int64_t)g * k->scan.lanes), "");
		LLVMValueRef arguments[] = {element_pointer(k, param, index, false), emit_i32(k->e, 0),
					    emit_i32(k->e, 2), emit_i32(k->e, 1)};
		emit_intrinsic(k->e, "llvm.prefetch", &k->e->ptr, 1, arguments, 4);
	}
}

void kernel_emit_prefetch(struct kernel_emitter *k, const struct kernel_instr *load, const struct kernel_affine *at)
{
	prefetch_groups(k, load->param, address_of(k, at).base);
}

void kernel_emit_prefetch_named(struct kernel_emitter *k, const struct kernel_instr *load,
				const struct kernel_instr *name, const struct kernel_affine *at)
{
	LLVMBuilderRef b = k->e->builder;
	LLVMValueRef i = address_of(k, at).base, last = emit_i64(k->e, k->kernel->params.at[name->param].size - 1);
	i = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntULT, i, last, ""), i, last, "");
	LLVMValueRef row =
		LLVMBuildLoad2(b, emit_storage_type(k->e, name->type), element_pointer(k, name->param, i, true), "");
	row = LLVMBuildIntCast2(b, row, k->e->i64, dtype_kind(name->type) == DTYPE_INT, "");
	row = LLVMBuildMul(b, row, emit_i64(k->e, load->at.scale), "");
	struct kernel_affine rest = load->at;
	rest.reg = -1;
	prefetch_groups(k, load->param, LLVMBuildAdd(b, row, address_of(k, &rest).base, ""));
}

/* Vectors under a condition that all lanes share: read behind a branch, which is foreseen where a mask would be made.
 */
static void load_or_skip(struct kernel_emitter *k, const struct kernel_instr *i, const struct address *a)
{
	LLVMBuilderRef b = k->e->builder;
	LLVMBasicBlockRef from[2] = {emit_current_block(k->e)}, yes = emit_block(k->e, "guarded"),
			  next = emit_block(k->e, "next");
	LLVMValueRef v[MAX_GROUPS], other = emit_number(k->e, i->type, i->number, k->scan.lanes);
	struct kernel_instr plain = *i;
	plain.guard = -1;
	LLVMBuildCondBr(b, k->reg[i->guard].at[0], yes, next);
	LLVMPositionBuilderAtEnd(b, yes);
	for (int g = 0; g < k->groups; g++)
		v[g] = emit_unpack(k->e, i->type, load_group(k, &plain, a, g));
	LLVMBuildBr(b, next);
	from[1] = emit_current_block(k->e);
	LLVMPositionBuilderAtEnd(b, next);
	for (int g = 0; g < k->groups; g++) {
		LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(v[g]), "");
		LLVMAddIncoming(phi, (LLVMValueRef[]){other, v[g]}, from, 2);
		k->reg[i->reg].at[g] = phi;
	}
}

void kernel_emit_load(struct kernel_emitter *k, const struct kernel_instr *i)
{
	if (kernel_tile_load(k, i))
		return;
	struct address a = address_of(k, &i->at);
	if (!k->scan.reg[i->reg].vector) {
		k->reg[i->reg].at[0] = load_scalar(k, i, &a);
		return;
	}
	if (i->guard >= 0 && !k->scan.reg[i->guard].vector) {
		load_or_skip(k, i, &a);
		return;
	}
	bool is_zero = i->number.i == 0;
	for (int g = 0; g < k->groups; g++) {
		LLVMValueRef v = emit_unpack(k->e, i->type, load_group(k, i, &a, g));
		if (i->guard >= 0 && !is_zero)
			v = LLVMBuildSelect(k->e->builder, kernel_value(k, i->guard, g, true), v,
					    emit_number(k->e, i->type, i->number, k->scan.lanes), "");
		k->reg[i->reg].at[g] = v;
	}
}

static void store_group(struct kernel_emitter *k, const struct kernel_instr *i, const struct address *a, int g)
{
	LLVMValueRef v = emit_pack(k->e, k->kernel->params.at[i->param].type, kernel_value(k, i->a, g, true));
	LLVMValueRef mask = kernel_mask(k, g, i->guard);
	bool backwards;
	if (!lanes_are_neighbours(a, &backwards)) {
		LLVMValueRef pointers = lane_pointers(k, i, a, g);
		LLVMTypeRef types[] = {LLVMTypeOf(v), LLVMTypeOf(pointers)};
		call_masked(k, "llvm.masked.scatter", types, (LLVMValueRef[]){v, pointers}, 2,
			    element_bytes(k, i->param), all_lanes(k, mask), NULL);
		return;
	}
	if (mask && k->active == 1 && i->guard < 0) {
		store_first_lane(k, v, element_pointer(k, i->param, group_base(k, a, g), true));
		return;
	}
	LLVMValueRef pointer = group_pointer(k, i, a, g);
	if (!backwards && is_short(k, i, mask)) {
		store_short(k, i, v, pointer);
		return;
	}
	v = backwards ? turned(k, v) : v;
	mask = mask && backwards ? turned(k, mask) : mask;
	store_vector(k, i->param, v, pointer, mask);
}

static void store_groups(struct kernel_emitter *k, const struct kernel_instr *i, const struct address *a)
{
	for (int g = 0; g < k->groups; g++)
		store_group(k, i, a, g);
}

/* Behind a branch if the store has a guard; where that is over, or NULL. */
static LLVMBasicBlockRef begin_guarded(struct kernel_emitter *k, const struct kernel_instr *i)
{
	if (i->guard < 0)
		return NULL;
	LLVMBasicBlockRef yes = emit_block(k->e, "guarded"), done = emit_block(k->e, "next");
	LLVMBuildCondBr(k->e->builder, k->reg[i->guard].at[0], yes, done);
	LLVMPositionBuilderAtEnd(k->e->builder, yes);
	return done;
}

static void end_guarded(struct kernel_emitter *k, LLVMBasicBlockRef done)
{
	if (!done)
		return;
	LLVMBuildBr(k->e->builder, done);
	LLVMPositionBuilderAtEnd(k->e->builder, done);
}

static void store_scalar(struct kernel_emitter *k, const struct kernel_instr *i, const struct address *a)
{
	LLVMBasicBlockRef done = begin_guarded(k, i);
	LLVMValueRef v = emit_pack(k->e, k->kernel->params.at[i->param].type, k->reg[i->a].at[0]);
	LLVMBuildStore(k->e->builder, v, element_pointer(k, i->param, a->base, true));
	end_guarded(k, done);
}

/* Of vectors, under a condition that all lanes share. */
static void store_or_skip(struct kernel_emitter *k, const struct kernel_instr *i, const struct address *a)
{
	struct kernel_instr plain = *i;
	plain.guard = -1;
	LLVMBasicBlockRef done = begin_guarded(k, i);
	store_groups(k, &plain, a);
	end_guarded(k, done);
}

void kernel_emit_store(struct kernel_emitter *k, const struct kernel_instr *i)
{
	struct address a = address_of(k, &i->at);
	bool vector = a.stride != 0 || a.reg >= 0 || k->scan.reg[i->a].vector ||
		      (i->guard >= 0 && k->scan.reg[i->guard].vector);
	if (!vector) {
		store_scalar(k, i, &a);
		return;
	}
	if (a.reg < 0 && kernel_store_apart(k, i, a.base, a.stride))
		return;
	if (i->guard >= 0 && !k->scan.reg[i->guard].vector) {
		store_or_skip(k, i, &a);
		return;
	}
	k->past_caches = k->on_lines == k->body && kernel_is_streamed(k, i);
	store_groups(k, i, &a);
	k->past_caches = false;
}
