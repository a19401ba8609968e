/* full.h — every pair of layouts, by one member or more of each class (classes.h). */
#ifndef SIM_FULL_H
#define SIM_FULL_H

#include "batch.h"

struct full {
	int rank;            /* tensors of up to so many dimensions */
	int members;         /* of each class, drawn; 1: every pair is stood for once */
	int64_t part, parts; /* of every `parts` batches only the one of that number is run */
	int schedules;
	uint64_t seed;
	bool stop;              /* after the first batch with a failure */
	int64_t classes, pairs; /* counted: classes run, and pairs they stand for */
};

/* Runs them, and checks that what is announced of a member is that of its class; that all classes together are as many
 * pairs as there are. */
void full_run(struct full *f, struct tally *t);

#endif
