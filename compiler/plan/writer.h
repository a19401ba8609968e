/* writer.h — writing a plan's steps: steps.c, library_steps.c, loop_steps.c. */
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
/* Gives a written node its buffer: the slot's, the batch's, `reuse` (which dies here; -1: none does), or a new one. */
int writer_make_buffer(struct writer *w, struct phys_node *n, int reuse);
/* Whether what is made next may take the place of a buffer that nobody reads any more. */
bool writer_may_take_over(const struct writer *w, int b);
struct plan_step *writer_add_step(struct writer *w, enum plan_step_kind kind, const struct phys_node *n);
/* The step is the last that writes n, which lies in the buffer. */
void writer_note_written(struct writer *w, struct plan_step *s, const struct phys_node *n, int buffer);
/* Of n, for a slot (-1: none). */
void writer_copy_step(struct writer *w, const struct phys_node *n, int slot, int src, int dst);
/* A scalar value: a constant, an argument, or the element of a buffer. */
struct plan_scalar writer_scalar(struct writer *w, struct phys_node *n);

/* library_steps.c */
void writer_product_step(struct writer *w, struct unit *u);
void writer_sorted_step(struct writer *w, struct unit *u);
void writer_fourier_step(struct writer *w, struct unit *u);
void writer_factors_step(struct writer *w, struct unit *u);

/* loop_steps.c */
void writer_loop_begin(struct writer *w, struct unit *u);
void writer_loop_test(struct writer *w, struct unit *u);
void writer_loop_end(struct writer *w, struct unit *u);

#endif
