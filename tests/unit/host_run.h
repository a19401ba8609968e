/* host_run.h — runs a program's host code in the test itself: host statements here, regions by the reference
 * interpreter. Text that the program prints or logs is collected; checks that fail are counted. A dataset has two
 * batches whose elements are a fixed function of batch, field and position. */
#ifndef HOST_RUN_H
#define HOST_RUN_H

#include "compiler.h"

struct host_run {
	struct program *program;
	struct tensor_value *slots;
	struct text printed;
	int checks, failures;
	const char *first; /* message of the first check that failed */
	int64_t steps;     /* statements run; a program that never ends is stopped */
};

/* Elaborates source (named main.pml); NULL if there are errors, which stay in the session. */
struct program *host_run_elaborate(struct session *s, const char *source, enum elaborate_what what);
void host_run_init(struct host_run *r, struct program *p);
void host_run_function(struct host_run *r, const struct host_function *f);

#endif
