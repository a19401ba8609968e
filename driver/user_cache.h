/* user_cache.h — what pmlc keeps for its user between compilations: $XDG_CACHE_HOME/pml, or ~/.cache/pml, or
 * /tmp/pml-UID. */
#ifndef PML_USER_CACHE_H
#define PML_USER_CACHE_H

#include "backend/backend.h"

/* A folder in it, made if need be, that is the user's own: nobody else may write there. NULL if there can be none. */
const char *user_cache_folder(struct arena *a, const char *part);

/* Where objects are kept, and how many bytes: $PML_CACHE, 256 MB if it is not set, no objects if it is 0. If it is
 * neither there are none as well, after a message if says_why. */
struct object_cache user_cache_objects(struct arena *a, bool says_why);

/* Removes all objects and says how many; an exit status. */
int user_cache_clear(struct arena *a);

#endif
