/* correct.h — a machine as a run has found it: what the model says of each kind of work and transfer that was measured
 * against what it took, by class, and the numbers of the machine that a class stands on made so much slower or faster.
 * So whatever is asked of that machine afterwards, of this program or another layout of it, is corrected. */
#ifndef PML_SECONDS_CORRECT_H
#define PML_SECONDS_CORRECT_H

#include "../machine/machine.h"
#include "measured.h"

/* Of the kinds that are of a class by the machine file. */
struct correction {
	const char *what, *where; /* "kernels bound by memory"; the processor's name, the network's, "within hosts" */
	int kinds;                /* that were measured */
	double measured, predicted, corrected; /* ns of all their calls, on all ranks: as they took; by the machine
						  file; by the corrected machine */
};

struct corrected {
	const struct measured *by;
	const struct machine *machine;
	VEC(struct correction) rows;
};

/* NULL and a message at *error if the run cannot have been on this machine. */
struct corrected *machine_correct(struct arena *a, const struct machine *m, const struct measured *by,
				  const char **error);

#endif
