/* emit.c — a module under construction and the helpers that llvm-c lacks. */
#include "emit.h"

#include <llvm-c/Target.h>
#include <string.h>

enum { LEAST_WORK = 1 << 18 /* below it, some 10 us, sharing a kernel costs more than it gains */ };
enum { LEAST_STREAM = 1 << 24 /* below it, some of a result is still in a cache of 32 MB when it is read */ };

struct emitter *emitter_new(struct session *s, struct arena *a, const struct target *t, const char *module_name)
{
	struct emitter *e = ARENA_NEW(a, struct emitter);
	e->session = s;
	e->arena = a;
	e->target = t;
	e->least_work = LEAST_WORK;
	e->least_stream = LEAST_STREAM;
	LLVMContextRef c = e->context = LLVMContextCreate();
	e->module = LLVMModuleCreateWithNameInContext(module_name, c);
	e->builder = LLVMCreateBuilderInContext(c);
	e->i1 = LLVMInt1TypeInContext(c);
	e->i8 = LLVMInt8TypeInContext(c);
	e->i16 = LLVMInt16TypeInContext(c);
	e->i32 = LLVMInt32TypeInContext(c);
	e->i64 = LLVMInt64TypeInContext(c);
	e->f16 = LLVMHalfTypeInContext(c);
	e->f32 = LLVMFloatTypeInContext(c);
	e->f64 = LLVMDoubleTypeInContext(c);
	e->ptr = LLVMPointerTypeInContext(c, 0);
	e->nothing = LLVMVoidTypeInContext(c);
	map_init(&e->kernels, a);
	map_init(&e->texts, a);
	LLVMSetTarget(e->module, t->triple);
	LLVMSetDataLayout(e->module, t->layout);
	return e;
}

void emitter_free(struct emitter *e)
{
	LLVMDisposeBuilder(e->builder);
	LLVMDisposeModule(e->module);
	LLVMContextDispose(e->context);
}

LLVMTypeRef emit_type(const struct emitter *e, enum dtype t, int lanes)
{
	LLVMTypeRef element = t == DT_BOOL ? e->i1 : t == DT_BF16 || t == DT_F16 ? e->f32 : emit_storage_type(e, t);
	return lanes ? LLVMVectorType(element, (unsigned)lanes) : element;
}

LLVMTypeRef emit_storage_type(const struct emitter *e, enum dtype t)
{
	if (t == DT_F32)
		return e->f32;
	if (t == DT_F64)
		return e->f64;
	switch (dtype_size(t)) {
	case 1:
		return e->i8;
	case 2:
		return e->i16;
	case 4:
		return e->i32;
	default:
		return e->i64;
	}
}

int emit_lanes(LLVMTypeRef t)
{
	return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? (int)LLVMGetVectorSize(t) : 0;
}

LLVMTypeRef emit_element(LLVMTypeRef t)
{
	return emit_lanes(t) ? LLVMGetElementType(t) : t;
}

LLVMTypeRef emit_type_like(LLVMTypeRef t, LLVMTypeRef like)
{
	int lanes = emit_lanes(like);
	return lanes ? LLVMVectorType(emit_element(t), (unsigned)lanes) : emit_element(t);
}

static LLVMValueRef spread_constant(LLVMTypeRef t, LLVMValueRef scalar)
{
	int lanes = emit_lanes(t);
	LLVMValueRef all[MAX_LANES];
	if (!lanes)
		return scalar;
	for (int i = 0; i < lanes; i++)
		all[i] = scalar;
	return LLVMConstVector(all, (unsigned)lanes);
}

LLVMValueRef emit_float(LLVMTypeRef t, double v)
{
	return spread_constant(t, LLVMConstReal(emit_element(t), v));
}

LLVMValueRef emit_int(LLVMTypeRef t, int64_t v)
{
	LLVMTypeRef element = emit_element(t);
	unsigned bits = LLVMGetIntTypeWidth(element);
	uint64_t word = bits < 64 ? (uint64_t)v & ((UINT64_C(1) << bits) - 1) : (uint64_t)v;
	return spread_constant(t, LLVMConstInt(element, word, 0));
}

LLVMValueRef emit_i64(const struct emitter *e, int64_t v)
{
	return emit_int(e->i64, v);
}

LLVMValueRef emit_i32(const struct emitter *e, int64_t v)
{
	return emit_int(e->i32, v);
}

LLVMValueRef emit_iota(LLVMTypeRef element, int lanes, int64_t step)
{
	LLVMValueRef all[MAX_LANES];
	for (int i = 0; i < lanes; i++)
		all[i] = emit_int(element, (int64_t)((uint64_t)i * (uint64_t)step));
	return LLVMConstVector(all, (unsigned)lanes);
}

LLVMValueRef emit_first_lanes(const struct emitter *e, int lanes, int n)
{
	LLVMValueRef all[MAX_LANES];
	for (int i = 0; i < lanes; i++)
		all[i] = emit_int(e->i1, i < n);
	return LLVMConstVector(all, (unsigned)lanes);
}

LLVMValueRef emit_splat(const struct emitter *e, LLVMValueRef scalar, int lanes)
{
	LLVMTypeRef vector = LLVMVectorType(LLVMTypeOf(scalar), (unsigned)lanes);
	if (LLVMIsConstant(scalar))
		return spread_constant(vector, scalar);
	LLVMValueRef none = LLVMGetPoison(vector);
	LLVMValueRef first = LLVMBuildInsertElement(e->builder, none, scalar, emit_i32(e, 0), "");
	return LLVMBuildShuffleVector(e->builder, first, none, emit_int(LLVMVectorType(e->i32, (unsigned)lanes), 0),
				      "");
}

LLVMValueRef emit_lane(const struct emitter *e, LLVMValueRef vector, int lane)
{
	return LLVMBuildExtractElement(e->builder, vector, emit_i32(e, lane), "");
}

/* What a condition of lanes is but for what constants say of them, which is *known (NULL: nothing). NULL: no more. */
static LLVMValueRef unknown_of(LLVMValueRef lanes, LLVMValueRef *known)
{
	*known = LLVMIsConstant(lanes) ? lanes : NULL;
	if (*known)
		return NULL;
	bool both = LLVMIsAInstruction(lanes) && LLVMGetInstructionOpcode(lanes) == LLVMAnd;
	LLVMValueRef last = both ? LLVMGetOperand(lanes, 1) : lanes;
	*known = LLVMIsConstant(last) ? last : NULL;
	return *known ? LLVMGetOperand(lanes, 0) : lanes;
}

static LLVMValueRef and_if(const struct emitter *e, LLVMValueRef x, LLVMValueRef y)
{
	return !x ? y : !y || x == y ? x : LLVMBuildAnd(e->builder, x, y, "");
}

static LLVMValueRef with_known(const struct emitter *e, LLVMValueRef x, LLVMValueRef known)
{
	if (!x || !known)
		return x ? x : known;
	if (LLVMIsNull(known))
		return known;
	return known == LLVMConstAllOnes(LLVMTypeOf(known)) ? x : and_if(e, x, known);
}

LLVMValueRef emit_both(const struct emitter *e, LLVMValueRef x, LLVMValueRef y)
{
	LLVMValueRef of_x, of_y;
	if (!emit_lanes(LLVMTypeOf(x)))
		return LLVMBuildAnd(e->builder, x, y, "");
	x = unknown_of(x, &of_x);
	y = unknown_of(y, &of_y);
	return with_known(e, and_if(e, x, y), and_if(e, of_x, of_y));
}

static LLVMValueRef shuffled(const struct emitter *e, LLVMValueRef x, LLVMValueRef y, const int *from, int n)
{
	LLVMValueRef pick[MAX_LANES];
	BUG_IF(n > MAX_LANES, "a vector of %d lanes", n);
	for (int i = 0; i < n; i++)
		pick[i] = from[i] < 0 ? LLVMGetPoison(e->i32) : emit_i32(e, from[i]);
	return LLVMBuildShuffleVector(e->builder, x, y ? y : LLVMGetPoison(LLVMTypeOf(x)),
				      LLVMConstVector(pick, (unsigned)n), "");
}

/* Of conditions, of which y's are constants: what is known of x stays apart. */
static LLVMValueRef conditions_shuffled(const struct emitter *e, LLVMValueRef x, LLVMValueRef y, const int *from, int n)
{
	int of_x[MAX_LANES];
	LLVMValueRef known, rest = unknown_of(x, &known), all = LLVMConstAllOnes(LLVMTypeOf(x));
	BUG_IF(n > MAX_LANES, "a vector of %d lanes", n);
	for (int i = 0; i < n; i++)
		of_x[i] = from[i] < emit_lanes(LLVMTypeOf(x)) ? from[i] : 0;
	rest = rest ? shuffled(e, rest, NULL, of_x, n) : NULL;
	return with_known(e, rest, shuffled(e, known ? known : all, y, from, n));
}

LLVMValueRef emit_shuffle(const struct emitter *e, LLVMValueRef x, LLVMValueRef y, const int *from, int n)
{
	bool conditions = emit_element(LLVMTypeOf(x)) == e->i1 && (!y || LLVMIsConstant(y));
	return (conditions ? conditions_shuffled : shuffled)(e, x, y, from, n);
}

/* n lanes of x and y in a row, from lane `first` on. */
static LLVMValueRef in_a_row(const struct emitter *e, LLVMValueRef x, LLVMValueRef y, int first, int n)
{
	int from[MAX_LANES];
	for (int i = 0; i < n; i++)
		from[i] = first + i;
	return emit_shuffle(e, x, y, from, n);
}

LLVMValueRef emit_half(const struct emitter *e, LLVMValueRef vector, bool upper)
{
	int n = emit_lanes(LLVMTypeOf(vector)) / 2;
	return in_a_row(e, vector, NULL, upper ? n : 0, n);
}

LLVMValueRef emit_joined(const struct emitter *e, LLVMValueRef low, LLVMValueRef high)
{
	return in_a_row(e, low, high, 0, 2 * emit_lanes(LLVMTypeOf(low)));
}

LLVMValueRef emit_number(const struct emitter *e, enum dtype t, union scalar_value v, int lanes)
{
	LLVMTypeRef type = emit_type(e, t, lanes);
	if (dtype_is_float(t))
		return emit_float(type, v.f);
	return emit_int(type, t == DT_BOOL ? v.i != 0 : v.i);
}

LLVMValueRef emit_widened(const struct emitter *e, LLVMValueRef half, LLVMTypeRef to)
{
	LLVMValueRef wide = LLVMBuildFPExt(e->builder, half, to, "");
	return emit_lanes(to) ? emit_opaque(e, wide) : wide;
}

LLVMValueRef emit_unpack(const struct emitter *e, enum dtype t, LLVMValueRef v)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef type = LLVMTypeOf(v), word = emit_type_like(e->i32, type), real = emit_type_like(e->f32, type);
	if (t == DT_BOOL)
		return LLVMBuildICmp(b, LLVMIntNE, v, LLVMConstNull(type), "");
	if (t == DT_BF16)
		return LLVMBuildBitCast(b, LLVMBuildShl(b, LLVMBuildZExt(b, v, word, ""), emit_int(word, 16), ""), real,
					"");
	if (t == DT_F16)
		return emit_widened(e, LLVMBuildBitCast(b, v, emit_type_like(e->f16, type), ""), real);
	return v;
}

LLVMValueRef emit_pack(const struct emitter *e, enum dtype t, LLVMValueRef v)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef type = LLVMTypeOf(v), word = emit_type_like(e->i32, type), half = emit_type_like(e->i16, type);
	if (t == DT_BOOL)
		return LLVMBuildZExt(b, v, emit_type_like(e->i8, type), "");
	if (t == DT_BF16)
		return LLVMBuildTrunc(b, LLVMBuildLShr(b, LLVMBuildBitCast(b, v, word, ""), emit_int(word, 16), ""),
				      half, "");
	if (t == DT_F16)
		return LLVMBuildBitCast(b, LLVMBuildFPTrunc(b, v, emit_type_like(e->f16, type), ""), half, "");
	return v;
}

LLVMValueRef emit_intrinsic(const struct emitter *e, const char *name, LLVMTypeRef *types, int ntypes,
			    LLVMValueRef *arguments, int narguments)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	BUG_IF(!id, "LLVM has no intrinsic `%s`", name);
	LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->module, id, types, (size_t)ntypes);
	LLVMTypeRef type = LLVMIntrinsicGetType(e->context, id, types, (size_t)ntypes);
	return LLVMBuildCall2(e->builder, type, f, arguments, (unsigned)narguments, "");
}

LLVMValueRef emit_intrinsic1(const struct emitter *e, const char *name, LLVMValueRef x)
{
	LLVMTypeRef t = LLVMTypeOf(x);
	return emit_intrinsic(e, name, &t, 1, &x, 1);
}

LLVMValueRef emit_fma(const struct emitter *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
	LLVMTypeRef t = LLVMTypeOf(a);
	LLVMValueRef arguments[] = {a, b, c};
	if (e->target->fma)
		return emit_intrinsic(e, "llvm.fma", &t, 1, arguments, 3);
	return LLVMBuildFAdd(e->builder, LLVMBuildFMul(e->builder, a, b, ""), c, "");
}

LLVMValueRef emit_opaque(const struct emitter *e, LLVMValueRef x)
{
	return LLVMIsConstant(x) ? x : emit_intrinsic1(e, "llvm.arithmetic.fence", x);
}

void emit_attribute(const struct emitter *e, LLVMValueRef function, unsigned index, const char *name, uint64_t value)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	BUG_IF(!kind, "LLVM has no attribute `%s`", name);
	LLVMAddAttributeAtIndex(function, index, LLVMCreateEnumAttribute(e->context, kind, value));
}

static void text_attribute(const struct emitter *e, LLVMValueRef function, const char *name, const char *value)
{
	LLVMAddAttributeAtIndex(
		function, LLVMAttributeFunctionIndex,
		LLVMCreateStringAttribute(e->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value)));
}

void emit_function_attributes(const struct emitter *e, LLVMValueRef function)
{
	emit_attribute(e, function, LLVMAttributeFunctionIndex, "nounwind", 0);
	emit_attribute(e, function, LLVMAttributeFunctionIndex, "sspstrong", 0);
	text_attribute(e, function, "target-cpu", e->target->cpu);
	if (*e->target->features)
		text_attribute(e, function, "target-features", e->target->features);
	text_attribute(e, function, "prefer-vector-width", "512");
}

struct emit_place emit_leave(struct emitter *e)
{
	struct emit_place place = {emit_current_block(e), e->debug_scope, NULL, e->debug_span};
	if (e->debug)
		place.location = LLVMGetCurrentDebugLocation2(e->builder);
	return place;
}

void emit_return(struct emitter *e, const struct emit_place *place)
{
	e->debug_scope = place->scope;
	e->debug_span = place->span;
	if (e->debug)
		LLVMSetCurrentDebugLocation2(e->builder, place->location);
	if (place->block)
		LLVMPositionBuilderAtEnd(e->builder, place->block);
}

LLVMValueRef emit_helper(struct emitter *e, const char *name, LLVMTypeRef type, bool *fresh, struct emit_place *place)
{
	LLVMValueRef f = LLVMGetNamedFunction(e->module, name);
	*fresh = !f;
	if (f)
		return f;
	*place = emit_leave(e);
	f = LLVMAddFunction(e->module, name, type);
	LLVMSetLinkage(f, LLVMInternalLinkage);
	emit_function_attributes(e, f);
	emit_attribute(e, f, (unsigned)LLVMAttributeFunctionIndex, "noinline", 0);
	LLVMPositionBuilderAtEnd(e->builder, LLVMAppendBasicBlockInContext(e->context, f, "entry"));
	if (e->debug)
		LLVMSetCurrentDebugLocation2(e->builder, NULL);
	return f;
}

LLVMValueRef emit_current_function(const struct emitter *e)
{
	return LLVMGetBasicBlockParent(emit_current_block(e));
}

LLVMBasicBlockRef emit_current_block(const struct emitter *e)
{
	return LLVMGetInsertBlock(e->builder);
}

LLVMBasicBlockRef emit_block(const struct emitter *e, const char *name)
{
	return LLVMAppendBasicBlockInContext(e->context, emit_current_function(e), name);
}

LLVMValueRef emit_alloca(const struct emitter *e, LLVMTypeRef t, const char *name)
{
	LLVMBasicBlockRef here = emit_current_block(e), entry = LLVMGetEntryBasicBlock(emit_current_function(e));
	LLVMValueRef first = LLVMGetFirstInstruction(entry);
	if (first)
		LLVMPositionBuilderBefore(e->builder, first);
	else
		LLVMPositionBuilderAtEnd(e->builder, entry);
	LLVMValueRef at = LLVMBuildAlloca(e->builder, t, name);
	LLVMPositionBuilderAtEnd(e->builder, here);
	return at;
}

LLVMValueRef emit_constant(const struct emitter *e, LLVMValueRef value, const char *name, unsigned alignment)
{
	LLVMValueRef g = LLVMAddGlobal(e->module, LLVMTypeOf(value), name);
	LLVMSetInitializer(g, value);
	LLVMSetGlobalConstant(g, 1);
	LLVMSetLinkage(g, LLVMPrivateLinkage);
	LLVMSetAlignment(g, alignment);
	return g;
}

/* A global of these bytes, whose address means nothing. */
static LLVMValueRef text_global(struct emitter *e, const char *bytes, size_t n)
{
	LLVMValueRef value = LLVMConstStringInContext(e->context, bytes, (unsigned)n, 1);
	LLVMValueRef g = emit_constant(e, value, "text", 1);
	LLVMSetUnnamedAddress(g, LLVMGlobalUnnamedAddr);
	return g;
}

LLVMValueRef emit_text(struct emitter *e, const char *text)
{
	const char *key = intern(e->session->names, text);
	LLVMValueRef known = map_get(&e->texts, key);
	if (known)
		return known;
	LLVMValueRef g = text_global(e, text, strlen(text) + 1);
	map_set(&e->texts, key, g);
	return g;
}

void emit_texts(struct emitter *e, const char *const *texts, int64_t n)
{
	VEC(const char *) fresh = {0};
	struct text all;
	text_init(&all, e->arena);
	for (int64_t i = 0; i < n; i++) {
		const char *key = texts[i] ? intern(e->session->names, texts[i]) : NULL;
		if (!key || map_get(&e->texts, key))
			continue;
		map_set(&e->texts, key, (void *)key); /* until its place is known */
		vec_push(e->arena, &fresh, key);
		text_add_n(&all, key, strlen(key) + 1);
	}
	if (!fresh.n)
		return;
	LLVMValueRef g = text_global(e, all.at, (size_t)all.n);
	size_t at = 0;
	for (int i = 0; i < fresh.n; i++) {
		LLVMValueRef offset = emit_i64(e, (int64_t)at);
		map_set(&e->texts, fresh.at[i], LLVMConstInBoundsGEP2(e->i8, g, &offset, 1));
		at += strlen(fresh.at[i]) + 1;
	}
}
