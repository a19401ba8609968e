/* mapped.h — files that are mapped into memory. Their pages come from the disk when they are touched, at any later
 * moment; a file that was cut short meanwhile, or cannot be read, then ends the job with a message that names it, not
 * with a bare SIGBUS. */
#ifndef RT_MAPPED_H
#define RT_MAPPED_H

#include "rt.h"

struct rt_mapping {
	struct pmlrt *rt;
	char *begin;
	int64_t bytes;
	int fd; /* -1: not kept */
	const char *path;
	int32_t site;
	struct rt_mapping *next;
};

/* Maps `bytes` (more than 0) of an open file, private to this process; what is written there the file does not see.
 * Takes the descriptor, and keeps it if mapped_check is to be called. Ends the job at the site if that is not possible.
 */
struct rt_mapping *mapped_file(struct pmlrt *rt, int fd, bool keeps, const char *path, int64_t bytes, int32_t site);
void mapped_release(struct rt_mapping *m);
/* Ends the job if the file became shorter than what is mapped of it: behind its end, in its last page, zeros are read
 * without a signal. One system call. */
void mapped_check(const struct rt_mapping *m);

#endif
