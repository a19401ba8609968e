/* native_emit.h — a loop, or a region in one of the host, under construction as code: the state that the files
 * native_*.c share (native_loop.h is what others see). */
#ifndef PML_BACKEND_NATIVE_EMIT_H
#define PML_BACKEND_NATIVE_EMIT_H

#include "step.h"

enum spot_kind { NOWHERE, IN_SLOT, MOVES, STAYS };

struct spot {
	enum spot_kind kind;
	/* IN_SLOT: the stack slot that holds it; MOVES: the one that holds its address; STAYS: the address. */
	LLVMValueRef at;
};

struct native {
	struct emitter *e;
	const struct region *region;
	const struct plan *plan;
	int from, to; /* its steps */
	LLVMValueRef rt, given, cells;
	LLVMValueRef *arguments, *results; /* the region's, and where its results go; NULL: they are in `given` */
	struct spot *place;                /* by buffer */
	LLVMValueRef **scalar;             /* by step, by scalar: what stays as it is; NULL: read where it is used */
};

/* The loop that a step of the plan begins or ends. */
static inline const struct plan_loop *native_loop_of(const struct plan *plan, const struct plan_step *s)
{
	return &plan->loops.at[s->loop];
}

/* native_place.c: before the first turn, a place for every buffer that the steps name. */
void native_find_places(struct native *n);
/* Where the loop's tapes are, with room for the lines of all turns. */
void native_find_tapes(struct native *n, const struct plan_loop *l, LLVMValueRef words, LLVMValueRef turns);
/* Behind the last turn: what is read there is where the steps look for it. */
void native_leave_places(const struct native *n);
/* That of the byte of a buffer, where code is emitted now; null of no buffer (-1). */
LLVMValueRef native_address(const struct native *n, int buffer, int64_t byte);
/* From now on the buffer, which moves, is at the address. */
void native_move(const struct native *n, int buffer, LLVMValueRef at);

/* native_steps.c: all of its steps. */
void native_steps(struct native *n);

/* native_scalar.c: before the first turn, what scalars of steps are the same in all turns. */
void native_find_scalars(struct native *n);
/* A scalar of a step, as type `to`, where code is emitted now. */
LLVMValueRef native_scalar(const struct native *n, int step, int number, enum dtype to);

/* native_step.c: a kernel, a copy, a check, or a number that the region gives. */
void native_step(struct native *n, int step);

/* native_choice.c: whether all steps of a region are small enough. */
bool plan_is_small(const struct plan *plan);

#endif
