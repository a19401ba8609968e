/* launchers.h — in which variable of the environment a launcher tells a process its rank: MPICH's and others that speak
 * PMI, PMIx, Open MPI. Slurm sets SLURM_PROCID beside them, also for a batch script, which is no rank. */
#ifndef PML_LAUNCHERS_H
#define PML_LAUNCHERS_H

#define LAUNCHER_RANKS "PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"

#endif
