/* phases.h — between finding loops that are made in phases (phases.c) and making them (phases_make.c). */
#ifndef PML_KERNEL_PHASES_H
#define PML_KERNEL_PHASES_H

#include "kernel.h"

/* What is to be done with a loop. */
struct loop_way {
	const struct kernel_instr *in;
	int64_t phases;   /* 1: none */
	bool written_out; /* turn by turn */
	bool reduces;     /* is inside of a reduction, or is one */
};

/* The kernel with its loops made that way (by loop), through a builder, so that equal values of several phases are made
 * once. */
struct kernel *kernel_in_phases(struct arena *a, const struct kernel *k, const struct loop_way *way);

#endif
