/* launch.h — compiled programs in the cache folder, started under mpiexec or what --launcher says. */
#ifndef PML_LAUNCH_H
#define PML_LAUNCH_H

#include "drive.h"

/* Starts a compiled program on n ranks; its exit status. output NULL: its output is the user's, header and all; else
 * collected. messages: where stderr goes; NULL: to the user. A signal that ends pmlc meanwhile ends the program first,
 * and removes it. */
int launch(const struct drive *d, const char *program, int64_t n, struct text *output, FILE *messages);

/* Where a compiled program of this source and tag goes: a folder of its own per process, so that two runs never meet.
 * NULL after a message. */
const char *launch_path(struct drive *d, const char *tag);

/* Removes that folder. */
void launch_remove(const char *program, struct arena *a);

#endif
