/* host_native.h — loops of the host whose turns run regions of a few elements: these stand in the turns as code. */
#ifndef PML_BACKEND_HOST_NATIVE_H
#define PML_BACKEND_HOST_NATIVE_H

#include "program_emit.h"

/* Whether the loop, a HOST_WHILE, is such a one on this role. */
bool host_loop_is_native(const struct program *p, int role, const struct host_stmt *loop);
/* Whether any loop of the role's host code is. */
bool role_has_native_host_loops(const struct program *p, int role);

/* Before the first turn and behind the last: in between, host_native_region runs the regions of the loop, and what they
 * have in slots of one element nobody else sees. */
struct host_natives *host_natives_begin(struct host_emitter *h, const struct host_stmt *loop);
void host_natives_end(const struct host_emitter *h, const struct host_natives *n);
/* One of its statements HOST_REGION. */
void host_native_region(struct host_emitter *h, const struct host_stmt *s);

#endif
