/* strips.h — runs of steps that are made strip by strip: found by strips.c, made by strips_cut.c. */
#ifndef PML_PLAN_STRIPS_H
#define PML_PLAN_STRIPS_H

#include "../kernel/strip.h"
#include "planner.h"

enum { USES_MOST = 128 /* of buffers by the steps of a run */ };

/* A step of the run touches a line of the buffer in each strip, or all of it, which it reads. */
struct use {
	int step, buffer;
	bool is_line, writes;
};

struct run {
	struct planner *p;
	struct plan *plan;
	int first, last; /* steps */
	int64_t strips;  /* that there may be; a divisor of them is chosen */
	struct use use[USES_MOST];
	int nuses;
	bool fits;
};

static inline const struct buffer *buffer_at(const struct run *r, int b)
{
	return &r->plan->buffers.at[b];
}

/* By parameter of the step's kernel: elements of its buffer and where it begins. */
struct kernel_buffers {
	int64_t *elements, *from;
	int *buffer;
	enum strip_way *way;
};
struct kernel_buffers strip_kernel_buffers(const struct run *r, const struct plan_step *s);

/* Puts the run's steps into a loop of the plan, which stands in the loop `outer`, -1: in none. */
void strips_cut(struct run *r, int outer);

#endif
