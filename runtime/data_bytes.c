/* data_bytes.c — raw little-endian elements without a header: text (u8), token files (u16, u32). The claim gives
 * element type and row shape; elements at the end that fill no row are no row. Windows may also be over a .npy file of
 * one dimension, which is such elements behind a header. */
#include "data.h"

static void bytes_open(struct pmlrt *rt, struct column *c)
{
	c->is_npy = npy_is_one(rt, c);
	if (c->is_npy && c->stride) {
		reader_npy.open(rt, c);
		if (c->rank)
			rt_fail(rt, c->site, "windows are pieces of one dimension, `%s` has %d", c->path, c->rank + 1);
		c->bytes = c->rows * rt_dtype_size(c->dtype);
	} else {
		c->dtype = DTYPE_OF_CLAIM;
		c->bytes = file_size(rt, c->path, c->site);
	}
	c->rows = -1; /* known with the claim */
}

void bytes_claim(struct pmlrt *rt, struct column *c, const struct pmlrt_type *row, int32_t site)
{
	int64_t size = rt_dtype_size(row->dtype), elements = rt_type_volume(row), all = c->bytes / size;
	if (c->is_npy && !c->stride && size > 1)
		rt_fail(rt, site,
			"`%s` is a .npy file, its header is no data\nhelp: read it with data.npy or data.windows",
			c->path);
	if (c->bytes % size)
		rt_fail(rt, site, "`%s` holds %lld bytes, which is no whole number of %s", c->path, (long long)c->bytes,
			rt_dtype_text(row->dtype));
	c->row_elements = elements;
	c->rows = elements && all >= elements ? (all - elements) / (c->stride ? c->stride : elements) + 1 : 0;
}

static void bytes_load(struct pmlrt *rt, struct column *c)
{
	c->data = file_bytes(rt, c->path, c->offset + c->bytes, &c->mapped, c->site) + c->offset;
}

const struct reader reader_bytes = {"raw", bytes_open, bytes_load};
