/* abi.c — from the text "(struct pmlrt *rt, int32_t id)" to LLVM types. */
#include "abi.h"

#include <string.h>

struct row {
	const char *result, *name, *parameters;
};
static const struct row rows[] = {
#define RT(result, name, parameters, traits) {#result, #name, #parameters},
#include "../runtime/abi.def"
#undef RT
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static bool has_word(const char *text, size_t n, const char *word)
{
	size_t length = strlen(word);
	for (size_t i = 0; i + length <= n; i++)
		if (!strncmp(text + i, word, length))
			return true;
	return false;
}

/* The type that n bytes of C text name, the parameter's name included. */
static LLVMTypeRef type_of(const struct emitter *e, const char *text, size_t n)
{
	if (has_word(text, n, "*"))
		return e->ptr;
	if (has_word(text, n, "int64_t"))
		return e->i64;
	if (has_word(text, n, "int32_t"))
		return e->i32;
	if (has_word(text, n, "double"))
		return e->f64;
	if (has_word(text, n, "float"))
		return e->f32;
	if (has_word(text, n, "bool"))
		return e->i1;
	BUG_IF(!has_word(text, n, "void"), "a type of abi.def is unknown: %s", text);
	return e->nothing;
}

static void read_parameters(const struct emitter *e, const char *text, struct abi_function *f)
{
	f->takes_runtime = !strncmp(text, "(struct pmlrt *", 15);
	for (const char *at = text + 1; *at && *at != ')';) {
		size_t n = strcspn(at, ",)");
		BUG_IF(f->nparameters == ABI_MAX_PARAMETERS, "`%s` has too many parameters", f->name);
		f->parameter[f->nparameters++] = type_of(e, at, n);
		at += n + (at[n] == ',');
	}
	if (f->nparameters == 1 && f->parameter[0] == e->nothing)
		f->nparameters = 0;
}

struct abi_function abi_find(const struct emitter *e, const char *name)
{
	struct abi_function f = {.name = name};
	for (int i = 0; i < ROWS; i++) {
		if (strcmp(rows[i].name, name))
			continue;
		f.result = type_of(e, rows[i].result, strlen(rows[i].result));
		read_parameters(e, rows[i].parameters, &f);
		f.type = LLVMFunctionType(f.result, f.parameter, (unsigned)f.nparameters, 0);
		return f;
	}
	BUG_IF(true, "the runtime has no function `%s`", name);
	return f;
}

/* bool is passed as C does: zero-extended. */
static LLVMValueRef declare(struct emitter *e, const struct abi_function *f)
{
	const char *symbol = arena_printf(e->arena, "pmlrt_%s", f->name);
	LLVMValueRef known = LLVMGetNamedFunction(e->module, symbol);
	if (known)
		return known;
	LLVMValueRef fresh = LLVMAddFunction(e->module, symbol, f->type);
	emit_attribute(e, fresh, (unsigned)LLVMAttributeFunctionIndex, "nounwind", 0);
	for (int i = 0; i < f->nparameters; i++)
		if (f->parameter[i] == e->i1)
			emit_attribute(e, fresh, (unsigned)i + 1, "zeroext", 0);
	if (f->result == e->i1)
		emit_attribute(e, fresh, LLVMAttributeReturnIndex, "zeroext", 0);
	return fresh;
}

static LLVMValueRef convert(struct emitter *e, LLVMValueRef v, LLVMTypeRef to)
{
	LLVMTypeRef from = LLVMTypeOf(v);
	if (from == to)
		return v;
	if (LLVMGetTypeKind(to) == LLVMIntegerTypeKind)
		return LLVMBuildIntCast2(e->builder, v, to, from != e->i1, "");
	return LLVMBuildFPCast(e->builder, v, to, "");
}

LLVMValueRef abi_call(struct emitter *e, const char *name, LLVMValueRef *arguments, int n)
{
	struct abi_function f = abi_find(e, name);
	LLVMValueRef converted[ABI_MAX_PARAMETERS], function = declare(e, &f);
	BUG_IF(n != f.nparameters, "`%s` takes %d arguments, not %d", name, f.nparameters, n);
	for (int i = 0; i < n; i++)
		converted[i] = convert(e, arguments[i], f.parameter[i]);
	LLVMValueRef call = LLVMBuildCall2(e->builder, f.type, function, converted, (unsigned)n, "");
	for (int i = 0; i < n; i++)
		if (f.parameter[i] == e->i1)
			LLVMAddCallSiteAttribute(
				call, (unsigned)i + 1,
				LLVMCreateEnumAttribute(e->context, LLVMGetEnumAttributeKindForName("zeroext", 7), 0));
	if (f.result == e->i1)
		LLVMAddCallSiteAttribute(
			call, LLVMAttributeReturnIndex,
			LLVMCreateEnumAttribute(e->context, LLVMGetEnumAttributeKindForName("zeroext", 7), 0));
	return call;
}

void abi_end_if(struct emitter *e, LLVMValueRef wrong, const char *name, LLVMValueRef *arguments, int n)
{
	LLVMBasicBlockRef tell = emit_block(e, "tell"), go_on = emit_block(e, "fits");
	LLVMBuildCondBr(e->builder, wrong, tell, go_on);
	LLVMPositionBuilderAtEnd(e->builder, tell);
	abi_call(e, name, arguments, n);
	LLVMBuildUnreachable(e->builder);
	LLVMPositionBuilderAtEnd(e->builder, go_on);
}
