/* debug.h — with -g: which source line every function and step comes from, so that debuggers and profilers show the PML
 * program. Without -g all of these do nothing. */
#ifndef PML_BACKEND_DEBUG_H
#define PML_BACKEND_DEBUG_H

#include "emit.h"

void debug_begin(struct emitter *e, const char *version);
/* The builder stands at the start of `function`, which stems from `at`. */
void debug_function(struct emitter *e, LLVMValueRef function, const char *name, struct span at);
/* What is emitted from now on stems from `at` (no place: keeps the line). */
void debug_line(struct emitter *e, struct span at);
/* Once, before the module is checked. */
void debug_end(struct emitter *e);

#endif
