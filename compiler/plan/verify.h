/* verify.h — what the files that check plans share: verify.c, verify_loops.c, verify_buffers.c. */
#ifndef PML_PLAN_VERIFY_H
#define PML_PLAN_VERIFY_H

#include "plan.h"

struct checker {
	struct arena *arena;
	const struct plan *p;
	const char *error;
	bool *written;    /* by buffer */
	int64_t *missing; /* by buffer: elements of parts that are still to come */
	bool *gone;       /* by buffer: of a slot that has been exchanged */
	bool *left;       /* by transfer: it has begun, and carried its bucket along */
	bool *is_line;    /* by buffer: some loop moves it along lines */
	VEC(const struct plan_step *) begun;
	struct open_loop {
		int turns, begun; /* that are over; under way when it began */
		bool was_checked; /* for two turns */
	} * loops;
	int open; /* loop, -1: none */
};

#define FAIL(c, ...) ((c)->error = (c)->error ? (c)->error : arena_printf((c)->arena, __VA_ARGS__))

/* Whether step may use buffer b; what it reads holds a value; what it writes does then. */
bool verify_names(struct checker *c, int step, int b);
bool verify_holds(const struct checker *c, int b);
void verify_writes(struct checker *c, int step, int b);

/* The begin, test or end of a loop; the step behind it. */
int verify_loop_step(struct checker *c, int step);
/* Step writes b: if that is a line which an open loop moves, nothing in the turns may use others of that tensor. */
void verify_line(struct checker *c, int step, int b);
/* Places and lives. */
void verify_buffers(struct checker *c);

#endif
