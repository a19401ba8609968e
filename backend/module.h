/* module.h — a finished module: checked, optimised, turned into an object or text. */
#ifndef PML_BACKEND_MODULE_H
#define PML_BACKEND_MODULE_H

#include "emit.h"

/* The passes of the session's optimisation level, as LLVM writes them, in their order; NULL behind the last. */
enum { MODULE_PASSES = 2 };
struct module_passes {
	const char *text[MODULE_PASSES];
};
struct module_passes module_passes(const struct emitter *e);

/* Checks the module (a wrong one is a bug of ours) and runs these passes. */
void module_optimise(struct emitter *e);

/* Machine code of a module: an object file in memory, or assembly text. Released with LLVMDisposeMemoryBuffer. */
LLVMMemoryBufferRef module_code(struct emitter *e, LLVMCodeGenFileType kind);

/* Puts a text into a note section, where strip leaves it. */
void module_mark(struct emitter *e, const char *text);

/* Adds the LLVM IR as text. */
void module_print(struct emitter *e, struct text *out);

#endif
