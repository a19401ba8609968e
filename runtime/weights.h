/* weights.h — tensors in one or several .safetensors files, as published models come. */
#ifndef RT_WEIGHTS_H
#define RT_WEIGHTS_H

#include "mapped.h"
#include "safetensors.h"

struct weights_file {
	const char *path, *bytes;
	struct rt_mapping *mapping;
	int64_t size;
	struct st_header header;
	bool *used; /* per tensor: known to the `names` block */
};

struct weights {
	int nfiles;
	struct weights_file *file;
};

/* Maps one .safetensors file and checks it as a whole; ends the job if it cannot be read or is none, with `help` (or
 * "") behind the message. */
void weights_open_file(struct pmlrt *rt, const char *path, const char *help, struct weights_file *f, int32_t site);
void weights_close_file(struct pmlrt *rt, struct weights_file *f);

/* Opens PATH: a .safetensors file, an index of several (`model.safetensors.index.json`), or a folder with either under
 * its usual name. Every file is checked as a whole, and against the index; what is wrong ends the job. */
void weights_open(struct pmlrt *rt, const char *path, struct weights *w, int32_t site);
void weights_close(struct pmlrt *rt, struct weights *w);

#endif
