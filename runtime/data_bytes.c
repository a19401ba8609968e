/* data_bytes.c — raw little-endian elements without a header: text (u8), token files (u16, u32). The claim gives
 * element type and row shape; what is left over at the end of the file is no row. */
#include "data.h"

static void bytes_open(struct pmlrt *rt, struct column *c)
{
	c->dtype = DTYPE_OF_CLAIM;
	c->offset = file_size(rt, c->path, c->site);
	c->rows = -1; /* known with the claim */
}

static void bytes_load(struct pmlrt *rt, struct column *c)
{
	c->data = file_bytes(rt, c->path, c->offset, &c->mapped, c->site);
}

const struct reader reader_bytes = {"raw", bytes_open, bytes_load};
