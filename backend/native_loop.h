/* native_loop.h — loops of a region whose turns do so little that calling their steps one by one would take most of the
 * time: they are code of their own. */
#ifndef PML_BACKEND_NATIVE_LOOP_H
#define PML_BACKEND_NATIVE_LOOP_H

#include "step.h"

/* Whether the loop of the plan, with all loops in it, is made so. */
bool loop_is_native(const struct session *s, const struct plan *plan, int loop);
/* Whether any loop of the role's plans is. */
bool role_has_native_loops(const struct program *p, int role);

/* The pmlrt_form of its begin, that makes all of its turns, unless somebody wants to see each step (--check=finite,
 * --profile): then it is the begin as runtime/loop.c has it. */
LLVMValueRef native_loop_function(struct program_emitter *p, const struct region *region, const struct plan *plan,
				  int loop);

#endif
