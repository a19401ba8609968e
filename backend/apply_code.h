/* apply_code.h — the code of each function of a point, code_NAME for a row of scalar.def; what is missing does not
 * link. Functions are by family: apply_numbers.c, apply_math.c. */
#ifndef PML_BACKEND_APPLY_CODE_H
#define PML_BACKEND_APPLY_CODE_H

#include "apply.h"

/* One application: what it is applied to, the type of the first argument, that of the result and how it is treated.
 * bool is 0 and 1 under integer arithmetic, anything not 0 being true. */
struct application {
	struct emitter *e;
	enum dtype type, from;
	bool is_float, is_bool, is_signed;
	const LLVMValueRef *x;
};

typedef LLVMValueRef application_code(const struct application *a);
#define SCALAR(NAME, name) application_code code_##name;
#include "../compiler/op/scalar.def"
#undef SCALAR

/* v, which was computed in f32 if the type has fewer digits, as a number of the result's type. */
LLVMValueRef apply_rounded(const struct application *a, LLVMValueRef v);

#endif
