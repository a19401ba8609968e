/* process.h — starting other programs: mpiexec for `run` and `test`. */
#ifndef PML_PROCESS_H
#define PML_PROCESS_H

#include "base/session.h"
#include "base/text.h"

/* Runs argv (NULL-terminated, found on PATH) and waits; its exit status, 128 + signal, or 127 if it cannot be started.
 * output NULL: inherits stdout; else collects its stdout there. */
int process_run(char *const *argv, struct text *output);

/* A folder for compiled programs, made if need be: $XDG_CACHE_HOME/pml or ~/.cache/pml or /tmp/pml-UID. NULL if none
 * can be made. */
const char *process_cache_folder(struct arena *a);

#endif
