/* work.h — what a kernel does, counted from its loops: operations by class, bytes of its buffers, vector loops entered.
 * Nothing here knows a speed; machine/ has those, price.h brings both together. */
#ifndef PML_SECONDS_WORK_H
#define PML_SECONDS_WORK_H

#include "../kernel/kernel.h"
#include "../machine/machine.h"

struct kernel_work {
	double vector[OPERATIONS]; /* of 4 bytes each, in full vectors: a last one that is not full counts as one */
	double single[OPERATIONS]; /* outside of vector loops */
	double loops;              /* vector loops that are entered */
	double bytes;              /* read and written, each element of a buffer once */
};

/* vector_bytes: of the machine's vectors. */
struct kernel_work kernel_work(const struct kernel *k, int vector_bytes);

#endif
