/* finite.h — what --check=finite looks at, as data: per step the words that runtime/finite.c reads (`steps` in
 * runtime/abi.def has their order). A step without them is one that writes no floats. */
#ifndef PML_BACKEND_FINITE_H
#define PML_BACKEND_FINITE_H

#include "step.h"

/* Appends those of step number `step` of the plan. */
void finite_words(struct emitter *e, const struct program *p, const struct region *region, const struct plan *plan,
		  int step, struct step_words *words);

#endif
