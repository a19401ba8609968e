/* joint.h — a file that all ranks write together, each the bytes it holds. It is written beside its target and takes
 * the target's name only when every byte of every rank is on disk: whoever looks sees the old file or the new one,
 * never a part. What goes wrong on any rank ends the job with one message, `cannot save PATH: …`, and leaves nothing.
 */
#ifndef RT_JOINT_H
#define RT_JOINT_H

#include "files.h"

struct joint {
	struct pmlrt *rt;
	const char *path;
	char *partial; /* the name until it is whole */
	int32_t site;
	int fd;
	uint64_t checksum; /* of what this rank writes */
};

/* All ranks: opens the file; rank 0 writes the header, which all know. */
void joint_begin(struct joint *f, struct pmlrt *rt, const char *path, const char *header, int64_t header_size,
		 int32_t site);
/* n elements of `size` bytes at byte `at`. False and errno. */
bool joint_write(struct joint *f, const char *elements, int64_t n, int64_t size, int64_t at);
/* What this rank owns of the logical tensor in a slot, which begins at byte `at`: row-major. False and errno. */
bool joint_write_slot(struct joint *f, int32_t slot, int64_t at);
/* All ranks: the file takes its name if they all are ok; else errno says why not. The checksum, alike on all. */
uint64_t joint_end(struct joint *f, bool ok);

#endif
