/* fake_starter.c — the table that a compiler generates for a program of two roles, for the tests of the starter. */
#include "starter.h"

static const char *const roles[] = {"left", "right"};
static const struct pmlrt_starter_run runs[] = {{0, 1, 0}, {1, 1, 1}};
const struct pmlrt_starter pmlrt_starter = {2, 2, 2, roles, runs};
