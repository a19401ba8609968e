/* compiled_kernel.h — a kernel compiled into this process, and memory for its buffers. */
#ifndef TEST_COMPILED_KERNEL_H
#define TEST_COMPILED_KERNEL_H

#include "backend/backend.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

typedef void kernel_call(void *const *buffers, const union scalar_value *scalars);

/* streams: as backend_jit_kernel's; what: stands in front of the error. */
static inline kernel_call *compiled_kernel(struct session *s, const struct kernel *k, bool streams, const char *what,
					   struct backend_jit **jit)
{
	const char *error = NULL;
	void *address = NULL;
	*jit = backend_jit_kernel(s, k, streams, &address, &error);
	ck_assert_msg(*jit != NULL, "%s: %s", what, error);
	kernel_call *call;
	memcpy(&call, &address, sizeof call);
	return call;
}

/* n zero bytes and at least 64 behind them, at the beginning of a cache line. */
static inline void *aligned(size_t n)
{
	void *p = NULL;
	ck_assert_int_eq(posix_memalign(&p, 64, (n + 191) / 64 * 64), 0);
	memset(p, 0, n);
	return p;
}

#endif
