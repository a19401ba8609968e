/* step_writer.h — a step's form and words under construction: step.c, step_loop.c. */
#ifndef PML_BACKEND_STEP_WRITER_H
#define PML_BACKEND_STEP_WRITER_H

#include "step.h"

struct writer {
	struct emitter *e;
	const struct region *region;
	const struct plan *plan;
	struct step_form *form;
	struct step_words *words;
	VEC(struct step_argument) arguments;
};

static inline void word(struct writer *w, int64_t v)
{
	vec_push(w->e->arena, &w->words->list, v);
}

static inline void argument(struct writer *w, struct step_argument a)
{
	vec_push(w->e->arena, &w->arguments, a);
}

static inline void runtime(struct writer *w)
{
	argument(w, (struct step_argument){.kind = FROM_RUNTIME});
}

/* A scalar of the plan, passed as `to`. */
void step_scalar(struct writer *w, const struct plan_scalar *s, enum dtype to);
/* The begin, test or end of a loop. */
void step_write_loop(struct writer *w, const struct plan_step *s);

#endif
