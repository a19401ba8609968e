/* gradients.h — the layouts of gradients that take least time on a machine, where the program's own are known: what a
 * search assumes of a plan (decide.c) is what the plan is compiled as, since one model and one solver decide both. */
#ifndef PML_SEARCH_GRADIENTS_H
#define PML_SEARCH_GRADIENTS_H

#include "../machine/machine.h"
#include "../program.h"

struct timing;

/* For program.timing. NULL if the machine has fewer ranks than the program. */
struct timing *gradients_timing(struct arena *a, const struct program *p, const struct machine *m);

#endif
