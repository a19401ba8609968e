/* rng.c — keys of host code. The root key is the seed itself; every other key is folded from it (philox.h). */
#include "philox.h"
#include "rt.h"

uint64_t pmlrt_key_root(struct pmlrt *rt)
{
	return (uint64_t)rt->options.seed;
}

uint64_t pmlrt_key_fold(uint64_t key, uint64_t data)
{
	return philox_key_fold(key, data);
}
