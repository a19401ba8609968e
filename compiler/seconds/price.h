/* price.h — what the steps of a plan take on a processor, in nanoseconds, one rank looked at alone: transfers are what
 * play.h is for. */
#ifndef PML_SECONDS_PRICE_H
#define PML_SECONDS_PRICE_H

#include "../program.h"
#include "work.h"

/* The steps of one program on one processor. */
struct price {
	const struct machine_processor *processor;
	struct works works;
};
struct price price_on(struct arena *a, const struct program *p, const struct machine_processor *processor);

/* What the machine file cannot say of a program, as text: products of an element type that the processor has no rates
 * of, sums of --reproducible. NULL: nothing. */
const char *price_missing(struct arena *a, const struct program *p, const struct machine_processor *processor);

/* What makes up the time of a step: its start, its bytes or its operations by class, whichever take longer, its products
 * by element type. */
enum price_part {
	PRICE_START,
	PRICE_MEMORY,
	PRICE_OPERATION,
	PRICE_PRODUCT = PRICE_OPERATION + OPERATIONS,
	PRICE_PARTS = PRICE_PRODUCT + PMLRT_DTYPES,
};
void price_parts(const struct machine_processor *p, const struct step_work *w, double *part);
/* One step, the sum of its parts; 0 for what belongs to transfers. */
double price_step(struct price *x, const struct plan *plan, const struct plan_step *s);
double price_step_work(const struct machine_processor *p, const struct step_work *w);
/* Bytes that a kernel reads and writes, beside its operations. */
double price_memory(const struct machine_processor *p, const struct reuses *r);
/* Bytes that are copied: read and written, having been touched just before. */
double price_copy(const struct machine_processor *p, double bytes);
/* All steps of a plan behind each other, turns of loops included (1 where their number is not known), and the region
 * itself; without transfers. */
double price_plan(struct price *x, const struct plan *plan);

#endif
