/* factors_fixture.h — numbers of the matrices that are factored, and memory for them: test_rt_eigen.c, test_rt_lu.c. */
#ifndef PML_FACTORS_FIXTURE_H
#define PML_FACTORS_FIXTURE_H

#include "suite.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BEHIND = 64 }; /* bytes of what lies there that stay as they are */

static uint64_t seed;

static inline double draw(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(int64_t)(seed >> 33) / (double)(INT64_C(1) << 30) - 1;
}

static inline void *take(int64_t bytes)
{
	size_t all = ((size_t)bytes + 2 * BEHIND - 1) / BEHIND * BEHIND;
	void *p = aligned_alloc(BEHIND, all);
	ck_assert_ptr_nonnull(p);
	return memset(p, 0xff, all); /* what is not written is no number */
}

#endif
