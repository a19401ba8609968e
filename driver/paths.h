/* paths.h — where pmlc finds its runtime and standard library, in the build folder or installed anywhere. */
#ifndef PML_PATHS_H
#define PML_PATHS_H

#include "base/arena.h"

struct paths {
	const char *runtime_lib;   /* libpmlrt.a */
	const char *runtime_plain; /* the same without debug information, which is most of it; else runtime_lib */
	const char *starter_lib;   /* libpmlstart.a */
	const char *needs;         /* folder of what they take of shared libraries; NULL if there is none */
	const char *stdlib;        /* folder of the std modules */
};

/* Looks beside the executable (a build folder), then in ../lib and ../share of its folder (an installation that was
 * moved), then where `make install` put things. */
struct paths paths_find(struct arena *a);

#endif
