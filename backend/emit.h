/* emit.h — what all emitters share: one LLVM module under construction, its types, and small helpers over llvm-c. */
#ifndef PML_BACKEND_EMIT_H
#define PML_BACKEND_EMIT_H

#include "../compiler/op/scalar.h"
#include "base/map.h"
#include "target.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

struct kernel_parts;

/* Of a vector, at most. */
enum { MAX_LANES = 64 };

struct emitter {
	struct session *session;
	struct arena *arena;
	const struct target *target;
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMTypeRef i1, i8, i16, i32, i64, f16, f32, f64, ptr, nothing;
	struct map kernels;   /* struct kernel -> its function */
	double least_work;    /* of kernels that threads share (kernel_divided) */
	int64_t least_stream; /* bytes of results that go past the caches (kernel_stream.c) */
	/* Kernels are in objects of their own (kernel_parts.h), of which this module is number `part`, or none, -1.
	 * NULL: they are functions of this module. */
	const struct kernel_parts *parts;
	int part;
	bool counts_turns; /* some loop of a region (native_loop.h) or of the host is code of this module */
	struct map texts;  /* interned text -> where it is in the module */
	/* debug.c; NULL without -g */
	LLVMDIBuilderRef debug;
	LLVMMetadataRef debug_scope;
	struct span debug_span; /* of what is being emitted */
	struct map debug_files; /* number of the source + 1 -> file */
};

struct emitter *emitter_new(struct session *s, struct arena *a, const struct target *t, const char *module_name);
void emitter_free(struct emitter *e);

/* The type of a register: bool is i1, bf16 and f16 are computed in f32. lanes 0: a scalar. */
LLVMTypeRef emit_type(const struct emitter *e, enum dtype t, int lanes);
/* The type of an element in memory: bool is a byte, bf16 and f16 are 16 bits. */
LLVMTypeRef emit_storage_type(const struct emitter *e, enum dtype t);
/* f16 in f32. Of vectors LLVM does not know where they come from: it would compare them as f16 again, element by element.
 */
LLVMValueRef emit_widened(const struct emitter *e, LLVMValueRef half, LLVMTypeRef to);
/* Memory form to register form and back; values to be packed as bf16 or f16 are rounded already. Scalars or vectors. */
LLVMValueRef emit_unpack(const struct emitter *e, enum dtype t, LLVMValueRef v);
LLVMValueRef emit_pack(const struct emitter *e, enum dtype t, LLVMValueRef v);
/* A number as a constant of a register type. lanes 0: a scalar. */
LLVMValueRef emit_number(const struct emitter *e, enum dtype t, union scalar_value v, int lanes);
/* t with as many lanes as `like` has. */
LLVMTypeRef emit_type_like(LLVMTypeRef t, LLVMTypeRef like);
int emit_lanes(LLVMTypeRef t); /* 0: a scalar */
LLVMTypeRef emit_element(LLVMTypeRef t);

/* Constants of a scalar or vector type, all lanes equal. */
LLVMValueRef emit_float(LLVMTypeRef t, double v);
LLVMValueRef emit_int(LLVMTypeRef t, int64_t v);
LLVMValueRef emit_i64(const struct emitter *e, int64_t v);
LLVMValueRef emit_i32(const struct emitter *e, int64_t v);
/* {0, step, 2 step, …} of integer type. */
LLVMValueRef emit_iota(LLVMTypeRef element, int lanes, int64_t step);
/* True in the first n lanes. */
LLVMValueRef emit_first_lanes(const struct emitter *e, int lanes, int n);
LLVMValueRef emit_splat(const struct emitter *e, LLVMValueRef scalar, int lanes);
LLVMValueRef emit_lane(const struct emitter *e, LLVMValueRef vector, int lane);
/* x && y, of one type. Whatever constants say of lanes is one operand of the result, the last: of masks in which
 * several say no to one lane, LLVM 19 takes that lane for one that is read. */
LLVMValueRef emit_both(const struct emitter *e, LLVMValueRef x, LLVMValueRef y);
/* Lanes of x and, behind them, y (NULL: none), which have equal types: lane i of the n is that of number from[i], or
 * any if that is negative. */
LLVMValueRef emit_shuffle(const struct emitter *e, LLVMValueRef x, LLVMValueRef y, const int *from, int n);
/* The first or (upper) the second half of a vector's lanes; two vectors of equal types in a row. */
LLVMValueRef emit_half(const struct emitter *e, LLVMValueRef vector, bool upper);
LLVMValueRef emit_joined(const struct emitter *e, LLVMValueRef low, LLVMValueRef high);

/* A constant in the memory of the module, which nobody else sees. alignment: bytes. */
LLVMValueRef emit_constant(const struct emitter *e, LLVMValueRef value, const char *name, unsigned alignment);

/* Calls an LLVM intrinsic overloaded on the given types. */
LLVMValueRef emit_intrinsic(const struct emitter *e, const char *name, LLVMTypeRef *types, int ntypes,
			    LLVMValueRef *arguments, int narguments);
/* One argument, overloaded on its type ("llvm.fabs"). */
LLVMValueRef emit_intrinsic1(const struct emitter *e, const char *name, LLVMValueRef x);

/* a * b + c: fused where the machine has it in one instruction, else two roundings. Scalars or vectors of one type. */
LLVMValueRef emit_fma(const struct emitter *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);
/* The float, of which passes do not see what it was computed by; no instruction. What is compared goes through it: LLVM
 * 19 to 21 take |x| > 0 for x > 0 where another comparison decides between the same two values. And one side of what is
 * divided does, see code_div. */
LLVMValueRef emit_opaque(const struct emitter *e, LLVMValueRef x);

/* Where code is being put: left for another function, and come back to. */
struct emit_place {
	LLVMBasicBlockRef block; /* NULL: nowhere yet */
	LLVMMetadataRef scope, location;
	struct span span;
};
struct emit_place emit_leave(struct emitter *e);
void emit_return(struct emitter *e, const struct emit_place *place);

/* A helper that the module has once: the internal function of that name. If it is new, *fresh is set, the builder
 * stands in its empty entry block, and the caller, having filled it, returns to *place. */
LLVMValueRef emit_helper(struct emitter *e, const char *name, LLVMTypeRef type, bool *fresh, struct emit_place *place);

/* Attributes of every function: the target's processor and vector width, no unwinding. */
void emit_function_attributes(const struct emitter *e, LLVMValueRef function);
void emit_attribute(const struct emitter *e, LLVMValueRef function, unsigned index, const char *name, uint64_t value);
LLVMBasicBlockRef emit_block(const struct emitter *e, const char *name); /* in the current function */
LLVMBasicBlockRef emit_current_block(const struct emitter *e);
LLVMValueRef emit_current_function(const struct emitter *e);
/* Storage in the entry block of the current function. */
LLVMValueRef emit_alloca(const struct emitter *e, LLVMTypeRef t, const char *name);
/* A constant text in the module; equal texts once. */
LLVMValueRef emit_text(struct emitter *e, const char *text);
/* Many of them (NULL ones are skipped) as one piece of data: thousands of globals would take LLVM long. */
void emit_texts(struct emitter *e, const char *const *texts, int64_t n);

#endif
