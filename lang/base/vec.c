/* vec.c — the one function behind vec_push. */
#include "vec.h"

#include <string.h>

void vec_reserve_(struct arena *a, void *at, int n, int *cap, size_t size)
{
	if (n < *cap)
		return;
	*cap = *cap ? *cap * 2 : 8;
	void *old, *fresh = arena_alloc(a, (size_t)*cap * size);
	memcpy(&old, at, sizeof old);
	if (n)
		memcpy(fresh, old, (size_t)n * size);
	memcpy(at, &fresh, sizeof fresh);
}
