/* kernel_parts.h — which object a kernel of a program goes into, and the symbol by which roles call it there. Both
 * follow from what the kernel does: a part is the same code again after an edit elsewhere in the program, and is then
 * found in the cache (cache.h). */
#ifndef PML_BACKEND_KERNEL_PARTS_H
#define PML_BACKEND_KERNEL_PARTS_H

#include "emit.h"
#include "program.h"

struct kernel_parts {
	int n;
	const char **symbol; /* by kernel.id */
	int *part;
};

/* How many objects the kernels of a program are in. */
int kernel_parts_count(const struct program *p);
struct kernel_parts *kernel_parts_new(struct arena *a, const struct program *p);

/* The kernels of the emitter's part, into its module. */
void emit_kernels(struct emitter *e, const struct program *p, const char *version);

#endif
