/* kernel_function.h — a kernel as an LLVM function of the module. */
#ifndef PML_BACKEND_KERNEL_FUNCTION_H
#define PML_BACKEND_KERNEL_FUNCTION_H

#include "../compiler/kernel/kernel.h"
#include "emit.h"

/* The function of a kernel, made at its first use, or declared if it is in another object; its parameters are those
 * of the kernel: a pointer for each buffer, a scalar (bool as i1, bf16 and f16 as f32) for each scalar. *type: its
 * type. */
LLVMValueRef kernel_function(struct emitter *e, const struct kernel *k, LLVMTypeRef *type);

/* An external function void (void *const *buffers, const union scalar_value *scalars) that calls the kernel: for tests.
 */
LLVMValueRef kernel_wrapper(struct emitter *e, const struct kernel *k, const char *symbol);

#endif
