/* apply.h — the functions of scalar.def as LLVM IR. */
#ifndef PML_BACKEND_APPLY_H
#define PML_BACKEND_APPLY_H

#include "emit.h"

/* One function on values of one shape, scalars or vectors; `type` is the result's type, `from` its first argument's. */
LLVMValueRef apply_function(struct emitter *e, enum scalar_fn fn, enum dtype type, enum dtype from,
			    const LLVMValueRef *x);
/* What a type of 16 bits makes of f32 that was computed of its numbers, as f32; all else as it is. */
LLVMValueRef apply_rounding(struct emitter *e, enum dtype type, LLVMValueRef x);

#endif
