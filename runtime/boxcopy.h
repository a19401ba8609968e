/* boxcopy.h — copying a box of a tensor between two row-major arrays that each hold a box of it.
 * The loops are worked out once (at start) into the fewest that do: a box that lies in one piece in both arrays is one
 * run, and one that lies in one piece in an array can be sent from there or received into it without staging. */
#ifndef RT_BOXCOPY_H
#define RT_BOXCOPY_H

#include "moves/box.h"

struct boxcopy {
	int32_t loops; /* around the runs, outermost first */
	int64_t count[PMLRT_MAX_RANK], from_step[PMLRT_MAX_RANK], to_step[PMLRT_MAX_RANK]; /* in elements */
	int64_t from, to; /* first element in either array */
	int64_t run;      /* elements that lie in one piece in both */
	int64_t volume;
};

/* Prepares the copy of box `part` from an array that holds the box `from` to one that holds the box `to`. */
void boxcopy_make(struct boxcopy *c, int32_t rank, const struct box *part, const struct box *from,
		  const struct box *to);
/* True if the part is one piece of the source (of the destination). */
static inline bool boxcopy_is_run(const struct boxcopy *c)
{
	return c->loops == 0;
}
void boxcopy_run(const struct boxcopy *c, int64_t size, const void *from, void *to);
/* The same to where another core reads (publish.h). */
void boxcopy_publish(const struct boxcopy *c, int64_t size, const void *from, void *to);
/* Visits every run: first element in either array and length. Stops, and is false, when a visit is. */
typedef bool boxcopy_visitor(void *context, int64_t from, int64_t to, int64_t run);
bool boxcopy_each(const struct boxcopy *c, boxcopy_visitor *visit, void *context);
/* to = to (combiner) from, elementwise (combine.c). */
void boxcopy_combine(const struct boxcopy *c, int32_t dtype, int32_t combiner, const void *from, void *to);

/* The same of 16-bit floats into an array of f32; first: they become it. */
void boxcopy_widen(const struct boxcopy *c, int32_t dtype, int32_t combiner, bool first, const void *from, float *to);

#endif
