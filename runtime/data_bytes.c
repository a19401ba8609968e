/* data_bytes.c — raw little-endian elements without a header: text (u8), token files (u16, u32). The claim gives
 * element type and row shape; elements at the end that fill no row are no row. Windows may also be over a .npy file of
 * one dimension, which is such elements behind a header. No row goes on from one file into the next. */
#include "data.h"

static void bytes_open(struct pmlrt *rt, struct column *c, struct data_file *f)
{
	f->is_npy = npy_is_one(rt, f->path, c->site);
	if (f->is_npy && c->stride) {
		reader_npy.open(rt, c, f);
		if (c->rank)
			rt_fail(rt, c->site, "windows are pieces of one dimension, `%s` has %d", f->path, c->rank + 1);
		f->bytes = f->rows * rt_dtype_size(c->dtype);
	} else {
		c->dtype = DTYPE_OF_CLAIM;
		f->bytes = file_size(rt, f->path, c->site);
	}
	f->rows = -1; /* known with the claim */
}

void bytes_claim(struct pmlrt *rt, struct column *c, const struct pmlrt_type *row, int32_t site)
{
	int64_t size = rt_dtype_size(row->dtype), elements = rt_type_volume(row);
	c->row_elements = elements;
	for (struct data_file *f = c->files; f < c->files + c->nfiles; f++) {
		int64_t all = f->bytes / size;
		if (f->is_npy && !c->stride && size > 1)
			rt_fail(rt, site,
				"`%s` is a .npy file, its header is no data\n"
				"help: read it with data.npy or data.windows",
				f->path);
		if (f->bytes % size)
			rt_fail(rt, site, "`%s` holds %lld bytes, which is no whole number of %s", f->path,
				(long long)f->bytes, rt_dtype_text(row->dtype));
		f->rows = elements && all >= elements ? (all - elements) / (c->stride ? c->stride : elements) + 1 : 0;
	}
}

static void bytes_load(struct pmlrt *rt, struct column *c, struct data_file *f)
{
	f->data = file_bytes(rt, f->path, f->offset + f->bytes, &f->mapped, c->site) + f->offset;
}

const struct reader reader_bytes = {.name = "raw", .open = bytes_open, .load = bytes_load};
