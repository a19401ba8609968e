/* replace.h — files that come into being at once: written beside their names, then renamed. Another process sees the
 * old bytes or the new ones, and so does whoever comes after a full disk or a kill. No link is followed on the way. */
#ifndef PML_REPLACE_H
#define PML_REPLACE_H

#include "arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct new_file {
	const char *path, *bytes;
	size_t n;
	mode_t mode;        /* less what the umask takes; 0: that of the file before, else 0666 */
	const char *beside; /* set by replace_files */
};

/* Writes n files, all or none, but for renaming: that can fail in the middle, if a path becomes a folder meanwhile.
 * What is no regular file (a pipe, a device, standard output) is written to as it stands. Signals that end the process
 * wait until it is done. False with the reason, which names the file, at *error. */
bool replace_files(struct arena *a, struct new_file *files, int n, const char **error);

/* Whether replace_files can begin to write this one, to be asked before what takes long: it leaves nothing behind. */
bool replace_can_begin(struct arena *a, const char *path, const char **error);

/* Whether a file of this name is one that replace_files has begun, now or in a process that was killed. */
bool replace_is_unfinished(const char *name);

/* Whether two paths are one file: by device and inode where both exist, else by folder and name. */
bool is_same_file(struct arena *a, const char *one, const char *other);

/* "a/b" -> "a", "b" -> ".", "/b" -> "/". */
const char *path_folder(struct arena *a, const char *path);
/* "a/b" -> "b". */
const char *path_name(const char *path);
bool path_ends_with(const char *path, const char *end);

#endif
