/* link.h — from object code in memory to an executable on disk. */
#ifndef PML_BACKEND_LINK_H
#define PML_BACKEND_LINK_H

#include "backend.h"

/* Writes n bytes; false with the reason at *error. */
bool file_write(struct arena *a, const char *path, const char *bytes, size_t n, const char **error);

/* Links objects (NULL-terminated paths) and, if `with_runtime`, the runtime and its libraries into an executable. False
 * with the linker's words at *error. */
bool link_executable(struct arena *a, const struct backend_options *o, const char *const *objects, bool with_runtime,
		     const char *output, const char **error);

/* A fresh file, in memory if that can be had, until link_forget. NULL with the reason at *error. */
const char *link_temporary(struct arena *a, const char **error);
void link_forget(const char *path);

#endif
