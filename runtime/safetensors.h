/* safetensors.h — the header of a .safetensors file: eight bytes of length, JSON, then the tensors' data without gaps.
 */
#ifndef RT_SAFETENSORS_H
#define RT_SAFETENSORS_H

#include "rt.h"

struct st_tensor {
	char *name;
	int32_t dtype, rank;
	int64_t dim[PMLRT_MAX_RANK];
	int64_t begin, end; /* bytes, from the end of the header */
};

struct st_header {
	int64_t ntensors;
	struct st_tensor *tensor;
	int64_t data; /* where the data begins in the file */
};

/* Reads and checks the header of a file of file_size bytes mapped at `file`. NULL, or what is wrong with it. Memory
 * belongs to rt; st_free gives it back. */
const char *st_read(struct pmlrt *rt, const char *file, int64_t file_size, struct st_header *h);
void st_free(struct pmlrt *rt, struct st_header *h);
const struct st_tensor *st_find(const struct st_header *h, const char *name);

/* The header for tensors in this order, length and padding included; sets begin and end of each. Release with
 * rt_release. */
char *st_write(struct pmlrt *rt, struct st_tensor *tensors, int64_t n, int64_t *header_size);

#endif
