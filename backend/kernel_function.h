/* kernel_function.h — a kernel as an LLVM function of the module. */
#ifndef PML_BACKEND_KERNEL_FUNCTION_H
#define PML_BACKEND_KERNEL_FUNCTION_H

#include "../compiler/kernel/kernel.h"
#include "emit.h"

/* The function of a kernel, made at its first use, or declared if it is in another object; its parameters are those
 * of the kernel: a pointer for each buffer, a scalar (bool as i1, bf16 and f16 as f32) for each scalar; then, if
 * threads can share it (kernel_divided), the turns of that loop that it makes: the first one and the one behind the
 * last. *type: its type. */
LLVMValueRef kernel_function(struct emitter *e, const struct kernel *k, LLVMTypeRef *type);

/* Calls a kernel, all of it, with an argument for each of its parameters; the threads of the rank share it. */
void kernel_call(struct emitter *e, const struct kernel *k, LLVMValueRef rt, LLVMValueRef *arguments);

/* Its code where code is being put, in the place of a call; of a kernel that threads do not share. */
void kernel_inline(struct emitter *e, const struct kernel *k, LLVMValueRef *arguments);

/* An external function void (void *const *buffers, const union scalar_value *scalars) that calls the kernel: for
 * tests. Of a kernel that threads share it makes the turns in parts, the last one first. */
LLVMValueRef kernel_wrapper(struct emitter *e, const struct kernel *k, const char *symbol);

#endif
