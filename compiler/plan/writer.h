/* writer.h — writing a plan's steps: steps.c, loop_steps.c. */
#ifndef PML_PLAN_WRITER_H
#define PML_PLAN_WRITER_H

#include "planner.h"

struct writer {
	struct planner *p;
	int *readers; /* by buffer: units that still read it */
	int nbuffers;
	int *slot_buffer;
	VEC(const struct pipeline_unit *) pass; /* by segment; NULL: of no stage */
	const struct pipeline_unit *now;        /* the pass that steps belong to */
};

/* A buffer for the value of n. */
int writer_new_buffer(struct writer *w, enum buffer_kind kind, const struct phys_node *n, int slot);
/* That of a node which has one. */
int writer_buffer(struct writer *w, struct phys_node *n);
struct plan_step *writer_add_step(struct writer *w, enum plan_step_kind kind, const struct phys_node *n);
/* A scalar value: a constant, an argument, or the element of a buffer. */
struct plan_scalar writer_scalar(struct writer *w, struct phys_node *n);

void writer_loop_begin(struct writer *w, struct unit *u);
void writer_loop_test(struct writer *w, struct unit *u);
void writer_loop_end(struct writer *w, struct unit *u);

#endif
