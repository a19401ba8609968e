/* vec.c — the one function behind vec_push. */
#include "vec.h"

#include <string.h>

/* Most vectors stay short: few elements at first where they are large. */
static int first_capacity(size_t size)
{
	enum { BYTES = 128, LEAST = 2, MOST = 8 };
	return size > BYTES / LEAST ? LEAST : size < BYTES / MOST ? MOST : (int)(BYTES / size);
}

void vec_reserve_(struct arena *a, void *at, int n, int *cap, size_t size)
{
	if (n < *cap)
		return;
	*cap = *cap ? *cap * 2 : first_capacity(size);
	void *old, *fresh = arena_alloc(a, (size_t)*cap * size);
	memcpy(&old, at, sizeof old);
	if (n)
		memcpy(fresh, old, (size_t)n * size);
	memcpy(at, &fresh, sizeof fresh);
}
