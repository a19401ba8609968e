/* children.h — pieces of work side by side, in several processes: LLVM's state is per context, and pieces share nothing
 * but the program they read. */
#ifndef PML_BACKEND_CHILDREN_H
#define PML_BACKEND_CHILDREN_H

#include "compile.h"

typedef void children_work(const void *context, int piece, struct outcome *outcome);

/* Does pieces 0 … n − 1, in this process and in children of it, as many as there are processors in all; in this one
 * alone where that would gain nothing, or none can be made. An outcome is nothing but zeros when its piece begins.
 * outcomes: by piece. */
void children_run(children_work *work, const void *context, int n, struct outcome *outcomes);

#endif
