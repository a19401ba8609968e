/* starter.h — the table of a program of several roles. The starter (starter.c, compiled once and installed) is linked
 * with one generated constant of this type and becomes the executable that its rank needs: `<itself>.<role>`. */
#ifndef PMLRT_STARTER_H
#define PMLRT_STARTER_H

#include <stdint.h>

/* Ranks first, first + 1, … first + count - 1 run roles[role]. */
struct pmlrt_starter_run {
	int32_t first, count, role;
};

struct pmlrt_starter {
	int32_t nranks, nroles, nruns;
	const char *const *roles; /* "left", "right": endings of the executables' names */
	const struct pmlrt_starter_run *runs;
};

/* The generated constant. */
extern const struct pmlrt_starter pmlrt_starter;

#endif
