/* launchers.h — in which variables of the environment a launcher tells a process its rank, and how many there are:
 * MPICH's and others that speak PMI, PMIx, Open MPI. Slurm sets SLURM_PROCID beside them, also for a batch script, which
 * is no rank. */
#ifndef PML_LAUNCHERS_H
#define PML_LAUNCHERS_H

#include <stdlib.h>

#define LAUNCHER_RANKS "PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"
#define LAUNCHER_SIZES "PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS"

/* The number in the first variable of a list, which ends with NULL, that there is; without any `otherwise`. */
static inline int launcher_number(const char *const *names, int otherwise)
{
	for (; *names; names++) {
		const char *value = getenv(*names);
		if (value)
			return atoi(value);
	}
	return otherwise;
}

#endif
