/* launch.h — compiled programs in the cache folder, started under mpiexec. */
#ifndef PML_LAUNCH_H
#define PML_LAUNCH_H

#include "drive.h"

/* Starts a compiled program on n ranks; its exit status. output NULL: its output is the user's, header and all; else
 * collected. messages: where stderr goes; NULL: to the user. A signal that ends pmlc meanwhile ends the program first,
 * and removes it. */
int launch(const struct drive *d, const char *program, int64_t n, struct text *output, FILE *messages);

/* Removes the executable and what stands beside it: the roles' executables and the launch file. */
void launch_remove(const struct drive *d, const char *program);

/* Where a compiled program of this source and tag goes: a name of its own per process, so that two runs never meet.
 * NULL after a message. */
const char *launch_path(struct drive *d, const char *tag);

#endif
