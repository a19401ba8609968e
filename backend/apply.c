/* apply.c — a function of scalar.def as LLVM IR, on scalars or vectors alike; its meaning is that of its record in
 * compiler/op/scalars/, undefined corners included (x / 0 is 0, NaN becomes the integer 0, max and min hand a NaN on).
 * bf16 and f16 are computed in f32 and rounded after every function. */
#include "apply_code.h"

/* To bf16, ties to even; NaN stays NaN: what is computed of bf16 is none whose low 16 bits would carry, but any f32 may
 * be. */
static LLVMValueRef round_bf16(struct emitter *e, LLVMValueRef x, bool of_bf16)
{
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef t = LLVMTypeOf(x), word = emit_type_like(e->i32, t);
	LLVMValueRef bits = LLVMBuildBitCast(b, x, word, "");
	LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, emit_int(word, 16), ""), emit_int(word, 1), "");
	LLVMValueRef up = LLVMBuildAdd(b, bits, LLVMBuildAdd(b, odd, emit_int(word, 0x7fff), ""), "");
	if (!of_bf16) {
		LLVMValueRef nan = LLVMBuildFCmp(b, LLVMRealUNO, x, x, "");
		up = LLVMBuildSelect(b, nan, LLVMBuildOr(b, bits, emit_int(word, 0x400000), ""), up, "");
	}
	return LLVMBuildBitCast(b, LLVMBuildAnd(b, up, emit_int(word, 0xffff0000), ""), t, "");
}

LLVMValueRef apply_rounded(const struct application *a, LLVMValueRef x)
{
	struct emitter *e = a->e;
	if (a->type == DT_BF16)
		return round_bf16(e, x, a->from == DT_BF16);
	if (a->type == DT_F16) {
		LLVMTypeRef half = emit_type_like(e->f16, LLVMTypeOf(x));
		return emit_widened(e, LLVMBuildFPTrunc(e->builder, x, half, ""), LLVMTypeOf(x));
	}
	return x;
}

LLVMValueRef apply_rounding(struct emitter *e, enum dtype type, LLVMValueRef x)
{
	const struct application a = {.e = e, .type = type, .from = type};
	return apply_rounded(&a, x);
}

/* Whether it is a call of a function of the module. Without optimisation what takes LLVM long is choosing instructions,
 * and a function of dozens of them that stands in many kernels would be chosen in each. Code with a constant argument
 * is shorter. */
static bool is_called(const struct application *a, enum scalar_fn fn)
{
	bool is_long = scalar_effort(fn) == EFFORT_FUNCTION || (scalar_effort(fn) == EFFORT_DIVISION && !a->is_float) ||
		       (a->is_float && (fn == SC_MAX || fn == SC_MIN));
	for (int i = 0; i < scalar_arity(fn); i++)
		is_long &= !LLVMIsConstant(a->x[i]) && emit_element(LLVMTypeOf(a->x[i])) != a->e->i1;
	return is_long && a->e->session->options.opt_level == 0;
}

static LLVMValueRef call_helper(const struct application *a, enum scalar_fn fn, application_code *code)
{
	enum { ARITY = 3 };
	struct emitter *e = a->e;
	LLVMTypeRef types[ARITY];
	LLVMValueRef arguments[ARITY];
	int n = scalar_arity(fn);
	for (int i = 0; i < n; i++)
		types[i] = LLVMTypeOf(arguments[i] = a->x[i]);
	LLVMTypeRef type = LLVMFunctionType(emit_type(e, a->type, emit_lanes(types[0])), types, (unsigned)n, 0);
	const char *name = arena_printf(e->arena, "%s.%s.%s.%d", scalar_name(fn), dtype_text(a->type),
					dtype_text(a->from), emit_lanes(types[0]));
	bool fresh;
	struct emit_place place;
	LLVMValueRef f = emit_helper(e, name, type, &fresh, &place);
	if (fresh) {
		struct application within = *a;
		LLVMValueRef parameters[ARITY];
		for (int i = 0; i < n; i++)
			parameters[i] = LLVMGetParam(f, (unsigned)i);
		within.x = parameters;
		LLVMBuildRet(e->builder, code(&within));
		emit_return(e, &place);
	}
	return LLVMBuildCall2(e->builder, type, f, arguments, (unsigned)n, "");
}

LLVMValueRef apply_function(struct emitter *e, enum scalar_fn fn, enum dtype type, enum dtype from,
			    const LLVMValueRef *x)
{
	static application_code *const code[SC_FN_COUNT] = {
#define SCALAR(NAME, name) [SC_##NAME] = code_##name,
#include "../compiler/op/scalar.def"
#undef SCALAR
	};
	BUG_IF(fn >= SC_FN_COUNT, "no scalar function has the number %d", (int)fn);
	const struct application a = {.e = e,
				      .type = type,
				      .from = from,
				      .is_float = dtype_is_float(type),
				      .is_bool = type == DT_BOOL,
				      .is_signed = dtype_kind(type) == DTYPE_INT,
				      .x = x};
	return is_called(&a, fn) ? call_helper(&a, fn, code[fn]) : code[fn](&a);
}
