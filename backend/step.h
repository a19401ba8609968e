/* step.h — a step of a plan as a call: what is called, and how each argument comes about.
 *
 * Steps of equal layers differ in numbers only: which buffers, which offsets, which transfer. So a call is split into
 * its form, which is code, and its words, which are data: for each form there is one function that takes its numbers
 * from an array of words, and a region is the list of its steps' words. Code size and compile time grow with the number
 * of different steps, not with the number of layers.
 *
 *   step                                    form                                    words
 *   gemm(m = 64, …, a = b3, b = b7, …)      gemm_f32(word, …, buffer + word, …)     64, …, 3, 0, 7, 0, …
 */
#ifndef PML_BACKEND_STEP_H
#define PML_BACKEND_STEP_H

#include "program_emit.h"

enum callee_kind {
	CALLEE_RUNTIME, /* function `name` of the runtime */
	CALLEE_KERNEL,
	CALLEE_COPY,  /* memcpy of (destination, source, bytes) */
	CALLEE_STORE, /* argument 0 becomes the result of the region whose cell the next word names */
	CALLEE_NEXT,  /* function `name` of the runtime, which says what the next step is */
};

enum argument_kind {
	FROM_RUNTIME, /* the runtime itself */
	FROM_CELLS,   /* where the addresses of all buffers are kept */
	FROM_WORD,    /* a number: the next word, an integer or the bits of a double */
	FROM_WORDS,   /* the address of the next `index` words */
	FROM_BUFFER,  /* an address: the next words are a buffer's number and an offset in bytes */
	FROM_CELL,    /* where the address is kept of the buffer whose number the next word is */
	FROM_REGION,  /* what the region was given in the cell that the next word names, of the host's type `index` */
	FROM_ORIGIN,  /* the first global index of this rank's shard: dimension `dim` of type `index` */
	FROM_ELEMENT, /* the element of a buffer; words as for FROM_BUFFER */
};

struct step_argument {
	enum argument_kind kind;
	enum dtype from, via, to; /* numbers: the type it has there, the scalar's, and the one it is passed as */
	int index, dim;
};

struct step_form {
	enum callee_kind callee;
	const char *name;
	const struct kernel *kernel;
	bool pokes;       /* afterwards transfers are given a chance to move on */
	struct span span; /* with -g, where equal code of other lines is another form */
	int narguments;
	struct step_argument *argument;
};

struct step_words {
	VEC(int64_t) list;
	int *loop; /* by loop of the plan: where the words of its begin are */
};

/* Cells behind those of the buffers: one for none, then those of each loop (runtime/loop.c), then of each tape. */
int step_cells(const struct plan *plan);
int step_cell_of_loop(const struct plan *plan, int loop);
int step_cell_of_tape(const struct plan *plan, int buffer);

/* The form of a step; its words are appended. pending: transfers are under way. */
struct step_form *step_form_of(struct emitter *e, const struct region *region, const struct plan *plan,
			       const struct plan_step *s, bool pending, struct step_words *words);

/* Equal forms have the same key. */
const char *step_form_key(struct emitter *e, const struct step_form *f);

/* The place of its function, a pmlrt_form, in the table of forms, which all regions of the role have in common. What it
 * is given are cells of 8 bytes: the region's arguments, then the addresses of its results. */
int step_form_number(struct program_emitter *p, const struct step_form *f);
/* A function of that type, internal, whose entry block is where code is put next; what it is comes into the table. */
LLVMValueRef step_function(struct program_emitter *p, const char *name);
int step_form_add(struct program_emitter *p, LLVMValueRef function);
/* Fills the table, when all regions are there. */
void step_forms_emit(struct program_emitter *p);

#endif
