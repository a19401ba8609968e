/* machine_file.h — the machine that --machine names, corrected by what --profile-use names. */
#ifndef PML_DRIVER_MACHINE_FILE_H
#define PML_DRIVER_MACHINE_FILE_H

#include "cli.h"
#include "compiler/seconds/correct.h"

/* Sets options.machine, and options.corrected. False after a message on stderr. */
bool machine_of_cli(struct session *s, const struct cli *cli);

/* Whether what --profile-use names was a run of this program, in any layout; false after a message. True without that
 * option. */
bool machine_is_for(const struct program *p, const struct cli *cli);
/* How it corrects the machine, in lines; "" without that option. */
const char *machine_corrections(struct arena *a, const struct session *s);

#endif
