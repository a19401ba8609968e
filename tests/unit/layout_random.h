/* layout_random.h — what random graphs of [7, 7] tensors are made of. */
#ifndef PML_LAYOUT_RANDOM_H
#define PML_LAYOUT_RANDOM_H

#include "layout_fixture.h"

enum { N = 7, MAX_FREE = 5 };

#define SQUARE " {i=7, j=7, k=7}"
static const char *const binary[] = {
	"matmul(a[i, k], b[k, j]) -> [i, j] = sum[k] a * b" SQUARE,
	"matmul_tn(a[k, i], b[k, j]) -> [i, j] = sum[k] a * b" SQUARE,
	"add(a[i, j], b[i, j]) -> [i, j] = a + b {i=7, j=7}",
	"mul(a[i, j], b[i, j]) -> [i, j] = a * b {i=7, j=7}",
};
static const char *const unary[] = {
	"exp(a[i, j]) -> [i, j] = exp(a) {i=7, j=7}",
	"transpose(a[j, i]) -> [i, j] = a {i=7, j=7}",
	"neg(a[i, j]) -> [i, j] = -a {i=7, j=7}",
};

static inline int64_t below(uint64_t *seed, int64_t n)
{
	return (int64_t)(fixture_random(seed) % (uint64_t)n);
}

static const char *any_layout(uint64_t *seed)
{
	static const char *const all[] = {"B", "S0", "S1", "P"};
	return all[below(seed, 4)];
}

#endif
