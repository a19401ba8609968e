/* kernel_parts.c — see kernel_parts.h. */
#include "kernel_parts.h"

#include "debug.h"
#include "kernel_function.h"

#include <inttypes.h>

/* Kernels of a part, about: many for each, since a module takes some milliseconds of its own, and more without
 * optimisation, where it holds the functions that its kernels call (apply.c). */
enum { KERNELS_EACH = 16, KERNELS_EACH_O0 = 32, MOST_PARTS = 32 };

/* A power of two, so that a kernel more seldom moves the others. */
int kernel_parts_count(const struct program *p)
{
	int n = 1, each = p->session->options.opt_level ? KERNELS_EACH : KERNELS_EACH_O0;
	while (n < MOST_PARTS && n * each < p->kernels.n)
		n *= 2;
	return p->kernels.n ? n : 0;
}

struct kernel_parts *kernel_parts_new(struct arena *a, const struct program *p)
{
	int n = p->kernels.n;
	struct kernel_parts *parts = ARENA_NEW(a, struct kernel_parts);
	struct map taken;
	map_init(&taken, a);
	parts->n = kernel_parts_count(p);
	parts->symbol = ARENA_ARRAY(a, const char *, n + 1);
	parts->part = ARENA_ARRAY(a, int, n + 1);
	for (int i = 0; i < n; i++) {
		const struct kernel *k = p->kernels.at[i];
		uint64_t h = kernel_hash(k);
		while (map_get_u64(&taken, h))
			h++; /* another kernel has this number */
		map_set_u64(&taken, h, (void *)k);
		parts->symbol[k->id] = arena_printf(a, "kernel.%s.%016" PRIx64, k->name ? k->name : "unnamed", h);
		parts->part[k->id] = (int)(h >> 32) & (parts->n - 1);
	}
	return parts;
}

void emit_kernels(struct emitter *e, const struct program *p, const char *version)
{
	LLVMTypeRef type;
	debug_begin(e, version);
	for (int i = 0; i < p->kernels.n; i++)
		if (e->parts->part[p->kernels.at[i]->id] == e->part) {
			e->debug_span = p->kernels.at[i]->span;
			kernel_function(e, p->kernels.at[i], &type);
		}
	debug_end(e);
}
