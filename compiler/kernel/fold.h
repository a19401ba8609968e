/* fold.h — what becomes of instructions where some conditions are known: what a copy of a loop's turns is made with. */
#ifndef PML_KERNEL_FOLD_H
#define PML_KERNEL_FOLD_H

#include "kernel.h"

enum { UNKNOWN = -1 };

/* What the application is, a bool, or UNKNOWN. a, b: what its first arguments are known to be. */
int fold_bool(const struct kernel_instr *in, int a, int b);
/* The one argument that the result is; -1: it is neither known nor one of them. */
int fold_choice(const struct kernel_instr *in, int a, int b);

/* Instructions without effect whose result nobody reads are taken out, and loops that are empty then. */
void kernel_drop_unused(struct arena *a, struct kernel *k);

#endif
