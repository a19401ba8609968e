/* vec.h — a growable array in an arena:  VEC(int) v = {0};  vec_push(arena, &v, 7);  v.at[0];  v.n
 * Growing copies and leaves the old storage to the arena, so pointers into v.at are valid until the next push. */
#ifndef PML_VEC_H
#define PML_VEC_H

#include "arena.h"

#define VEC(T) \
	struct { \
		T *at; \
		int n, cap; \
	}

#define vec_push(arena, v, x) \
	(vec_reserve_((arena), (void *)&(v)->at, (v)->n, &(v)->cap, sizeof *(v)->at), (void)((v)->at[(v)->n++] = (x)))

/* Makes room for one more element of the given size; *at is read and written through a void pointer. */
void vec_reserve_(struct arena *a, void *at, int n, int *cap, size_t size);

#endif
