/* machine_file.h — the machine that --machine names. */
#ifndef PML_DRIVER_MACHINE_FILE_H
#define PML_DRIVER_MACHINE_FILE_H

#include "compiler/machine/machine.h"

/* NULL after a message on stderr. */
struct machine *machine_of_file(struct arena *a, const char *path);

#endif
