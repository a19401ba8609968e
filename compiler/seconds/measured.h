/* measured.h — what a run with --profile=FILE took, as the file says it: each kind of work of each rank, and transfers
 * that went on while their ranks did nothing else. The program that ran need not be at hand: the file says what the
 * work was, so it tells as much of other layouts of the same program, which have the same params and states. */
#ifndef PML_SECONDS_MEASURED_H
#define PML_SECONDS_MEASURED_H

#include "base/json.h"
#include "work.h"

struct measured_work {
	int32_t rank;
	struct step_work work;
	double calls, ns; /* ns: of a call that nobody disturbed */
};

struct measured_transfer {
	int transfer; /* of program.transfers */
	double calls, ns;
};

struct measured {
	const char *name; /* of the program */
	uint64_t tensors; /* program_tensors of it */
	int64_t ranks;
	int vector_bytes; /* of the vectors its kernels were made for */
	VEC(struct measured_work) works;
	VEC(struct measured_transfer) transfers;
	struct program *program; /* types and transfers, and nothing else */
};

/* NULL and a message at *error if the text is no such file. */
struct measured *measured_read(struct arena *a, const char *text, size_t n, const char **error);
/* The same of what was read as JSON already. */
struct measured *measured_of(struct arena *a, const struct json *j, const char **error);

#endif
