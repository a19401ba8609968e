/* file.h — whole files. */
#ifndef PML_DRIVER_FILE_H
#define PML_DRIVER_FILE_H

#include "base/arena.h"

#include <stdbool.h>

/* The text in a file, which has no byte of value 0 and at most 1 GB, with a 0 behind it; NULL after a message on
 * stderr. */
char *file_text(struct arena *a, const char *path, size_t *n);
/* Replaces the file at once (base/replace.h), the one that a link of this name leads to. False after a message on
 * stderr. */
bool file_replace(struct arena *a, const char *path, const char *bytes, size_t n);
/* The same of several, all or none. */
struct new_file;
bool files_replace(struct arena *a, struct new_file *files, int n);
/* Whether it is one, or says that it is to be one by a slash at its end. */
bool file_is_folder(const char *path);
/* And those above it, where they are missing. False after a message on stderr. */
bool file_make_folder(struct arena *a, const char *path);
/* Whether file_replace can begin, to be asked before what takes long. False after a message on stderr. */
bool file_can_begin(struct arena *a, const char *path);

#endif
