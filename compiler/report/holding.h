/* holding.h — what the rank that takes most memory holds: the rows of a report with the tensors behind them. */
#ifndef PML_REPORT_HOLDING_H
#define PML_REPORT_HOLDING_H

#include "report.h"

/* A tensor that outlives regions. */
struct report_held {
	const char *name, *type; /* type: as laid out, "f32[1000, 1000] @ dp : (dp=S(0)), each rank f32[250, 1000]" */
	int64_t bytes;           /* on the rank; of a list all its elements */
};

struct report_holding {
	int32_t rank; /* the first of the role that takes most */
	struct report_memory memory;
	VEC(struct report_held) tensors; /* params, states and kept values, the largest first */
};

/* Of a tensor, on a rank. */
struct placed_type;
int64_t report_local_bytes(const struct placed_type *t, int32_t rank);

/* Of a program after compiler_plan and its report; everything is in the arena. */
struct report_holding report_holding_of(struct arena *a, const struct program *p, const struct report *r);

/* "rank 3: 2.1 GB: parameters 1.2 GB, state 0 B, …": what there is none of is left out. */
void report_print_holding(struct text *t, const struct report_holding *h);
/* A line for each of the largest tensors, as far as they are a hundredth of it all. */
void report_print_held(struct text *t, const struct report_holding *h);

#endif
