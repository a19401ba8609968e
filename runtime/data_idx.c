/* data_idx.c — IDX files (MNIST and its kin): two zero bytes, element type, number of dimensions, dimensions as
 * big-endian 32-bit numbers, then the elements, big-endian as well. The first dimension counts the rows. */
#include "data.h"

#include <string.h>

enum { IDX_HEAD = 4 + 4 * 255, IDX_SMALLEST = 8 };

static int32_t idx_dtype(unsigned char code)
{
	switch (code) {
	case 0x08:
		return PMLRT_U8;
	case 0x09:
		return PMLRT_I8;
	case 0x0B:
		return PMLRT_I16;
	case 0x0C:
		return PMLRT_I32;
	case 0x0D:
		return PMLRT_F32;
	case 0x0E:
		return PMLRT_F64;
	default:
		return DTYPE_OF_CLAIM;
	}
}

static int64_t big_endian(const unsigned char *p)
{
	return (int64_t)p[0] << 24 | (int64_t)p[1] << 16 | (int64_t)p[2] << 8 | p[3];
}

static void idx_open(struct pmlrt *rt, struct column *c, struct data_file *f)
{
	unsigned char head[IDX_HEAD];
	int64_t n = file_head(rt, f->path, head, IDX_HEAD, c->site);
	c->dtype = n < IDX_SMALLEST ? DTYPE_OF_CLAIM : idx_dtype(head[2]);
	if (c->dtype == DTYPE_OF_CLAIM || head[0] || head[1] || head[3] < 1 || n < 4 + 4 * head[3])
		rt_fail(rt, c->site, "`%s` is not an IDX file", f->path);
	if (head[3] > PMLRT_MAX_RANK)
		rt_fail(rt, c->site, "`%s` has %d dimensions, at most %d are supported", f->path, head[3],
			PMLRT_MAX_RANK);
	f->rows = big_endian(head + 4);
	c->rank = head[3] - 1;
	c->row_elements = 1;
	for (int d = 0; d < c->rank; d++) {
		c->dim[d] = big_endian(head + 8 + 4 * d);
		if (__builtin_mul_overflow(c->row_elements, c->dim[d], &c->row_elements) ||
		    c->row_elements > INT64_MAX / 64 / (f->rows + 1))
			rt_fail(rt, c->site, "`%s` promises more elements than any file has", f->path);
	}
	f->offset = 4 + 4 * head[3];
	file_check_size(rt, f->path, f->offset + f->rows * c->row_elements * rt_dtype_size(c->dtype), c->site);
}

static void swap_bytes(char *p, int64_t n, int64_t size)
{
	for (int64_t i = 0; i < n; i++, p += size)
		for (int64_t a = 0, b = size - 1; a < b; a++, b--) {
			char t = p[a];
			p[a] = p[b];
			p[b] = t;
		}
}

static void idx_load(struct pmlrt *rt, struct column *c, struct data_file *f)
{
	int64_t bytes = f->rows * c->row_elements * rt_dtype_size(c->dtype);
	f->data = file_bytes(rt, f->path, f->offset + bytes, &f->mapped, c->site) + f->offset;
	if (!c->turned && rt_dtype_size(c->dtype) > 1)
		c->turned = rt_alloc(rt, c->row_bytes);
}

static const char *idx_row(struct pmlrt *rt, struct column *c, struct data_file *f, int64_t row)
{
	(void)rt;
	const char *at = f->data + row * c->row_bytes;
	if (!c->turned)
		return at;
	memcpy(c->turned, at, (size_t)c->row_bytes);
	swap_bytes(c->turned, c->row_elements, rt_dtype_size(c->dtype));
	return c->turned;
}

const struct reader reader_idx = {.name = "IDX", .open = idx_open, .load = idx_load, .row = idx_row};
