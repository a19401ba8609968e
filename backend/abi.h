/* abi.h — calls of the runtime, by the rows of runtime/abi.def: declarations are read from the text of the rows. */
#ifndef PML_BACKEND_ABI_H
#define PML_BACKEND_ABI_H

#include "emit.h"

enum { ABI_MAX_PARAMETERS = 24 };

struct abi_function {
	const char *name; /* without the prefix: "print_int" */
	LLVMTypeRef type, result, parameter[ABI_MAX_PARAMETERS];
	int nparameters;
	bool takes_runtime; /* the first parameter is the runtime */
};

/* The signature of a function; a name that is not in the table is a bug of ours. */
struct abi_function abi_find(const struct emitter *e, const char *name);

/* Calls it. Arguments are converted to the parameters' types: integers are cut or sign-extended (bools zero-extended),
 * floats change their width. A bool result is an i1. */
LLVMValueRef abi_call(struct emitter *e, const char *name, LLVMValueRef *arguments, int n);
/* If `wrong`, an i1, calls one that ends the program. */
void abi_end_if(struct emitter *e, LLVMValueRef wrong, const char *name, LLVMValueRef *arguments, int n);

#endif
