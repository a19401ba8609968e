/* files.h — saved tensors: what save, load and checkpoints share.
 *
 * The checksum of a file is a sum over its elements, each mixed with its place in the file. So ranks sum what they
 * write or read, in any layout, and the sums of all ranks add up to the same number. An element that changes changes
 * the sum: the mixing function is one to one for a place. */
#ifndef RT_FILES_H
#define RT_FILES_H

#include "rt.h"

/* Adds n elements of `size` bytes (1 to 8) that stand at byte `at` of a file. */
uint64_t checksum_add(uint64_t sum, const char *elements, int64_t n, int64_t size, int64_t at);

/* Writes all params (and states) as one .safetensors file; the file is whole or the old one. All ranks call; the value,
 * alike on all, is the file's checksum. */
uint64_t rt_save_tensors(struct pmlrt *rt, const char *path, bool states, int32_t site);

/* Takes params and states from a file that was checked as a whole; what does not fit ends the job. With a checksum
 * every state must be there too, and nothing else; the value is whether the file has it, alike on all ranks. Without
 * one: true. `help`, or "", stands behind the message of a file that cannot be read. */
bool rt_load_tensors(struct pmlrt *rt, const char *path, const uint64_t *checksum, const char *help, int32_t site);

/* Makes the names in a folder last. 0 or errno. */
int rt_sync_folder(const char *path);

/* Of ranks that hold the same box of a tensor, the first one: the one with coordinate 0 on every axis that does not
 * split. */
bool rt_owns(const struct pmlrt *rt, const struct pmlrt_type *t);

#endif
