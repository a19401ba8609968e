/* data_npy.c — .npy files of NumPy, versions 1 to 3: a magic, a header that is a Python dictionary with the keys descr,
 * fortran_order and shape, then the elements. Read: little-endian numbers and bools in C order. */
#define _POSIX_C_SOURCE 200809L
#include "data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NPY_MAGIC = 6, NPY_HEADER_MOST = 1 << 16 };

struct npy_type {
	const char *descr;
	int32_t dtype;
};
static const struct npy_type npy_types[] = {
	{"f4", PMLRT_F32}, {"f8", PMLRT_F64}, {"f2", PMLRT_F16}, {"i1", PMLRT_I8},
	{"i2", PMLRT_I16}, {"i4", PMLRT_I32}, {"i8", PMLRT_I64}, {"u1", PMLRT_U8},
	{"u2", PMLRT_U16}, {"u4", PMLRT_U32}, {"u8", PMLRT_U64}, {"b1", PMLRT_BOOL},
};

/* The text behind a key of the header, or NULL. */
static const char *value_of(const char *header, const char *key)
{
	const char *p = strstr(header, key);
	if (!p)
		return NULL;
	p += strlen(key);
	while (*p == ' ' || *p == ':')
		p++;
	return p;
}

static int32_t npy_dtype(struct pmlrt *rt, const struct column *c, const char *path, const char *descr)
{
	char text[16] = "";
	if (descr && (*descr == '\'' || *descr == '"'))
		snprintf(text, sizeof text, "%.*s", (int)strcspn(descr + 1, "'\""), descr + 1);
	for (size_t i = 0; i < sizeof npy_types / sizeof *npy_types; i++)
		if (text[0] && strchr("<|=", text[0]) && strcmp(text + 1, npy_types[i].descr) == 0)
			return npy_types[i].dtype;
	rt_fail(rt, c->site,
		"`%s` has elements of type `%s`; read are little-endian f2 f4 f8, i1 to i8, u1 to u8, and b1", path,
		text);
}

/* "(60000, 28, 28)": the first number counts rows. */
static bool npy_shape(struct column *c, struct data_file *f, const char *p)
{
	int n = -1;
	if (!p || *p++ != '(')
		return false;
	c->row_elements = 1;
	for (; n < PMLRT_MAX_RANK; n++) {
		char *end;
		while (*p == ' ' || *p == ',')
			p++;
		if (*p == ')')
			break;
		errno = 0;
		int64_t v = strtoll(p, &end, 10);
		if (end == p || v < 0 || errno)
			return false;
		p = end;
		if (n < 0)
			f->rows = v;
		else if (__builtin_mul_overflow(c->row_elements, c->dim[n] = v, &c->row_elements))
			return false;
	}
	c->rank = n;
	return n >= 0 && n < PMLRT_MAX_RANK && c->row_elements <= INT64_MAX / 64 / (f->rows + 1);
}

bool npy_is_one(struct pmlrt *rt, const char *path, int32_t site)
{
	char magic[NPY_MAGIC];
	return file_head(rt, path, magic, NPY_MAGIC, site) == NPY_MAGIC && memcmp(magic, "\x93NUMPY", NPY_MAGIC) == 0;
}

static void npy_open(struct pmlrt *rt, struct column *c, struct data_file *f)
{
	unsigned char *head = rt_alloc(rt, NPY_HEADER_MOST + 1);
	int64_t n = file_head(rt, f->path, head, NPY_HEADER_MOST, c->site);
	if (n < 12 || memcmp(head, "\x93NUMPY", NPY_MAGIC) != 0 || head[6] < 1 || head[6] > 3)
		rt_fail(rt, c->site, "`%s` is not a .npy file", f->path);
	int64_t at = head[6] == 1 ? 10 : 12, length = head[8] | head[9] << 8;
	if (head[6] > 1)
		length |= (int64_t)head[10] << 16 | (int64_t)head[11] << 24;
	if (at + length > n)
		rt_fail(rt, c->site, "`%s` ends within its header", f->path);
	char *header = (char *)head + at;
	header[length] = 0;
	f->offset = at + length;
	c->dtype = npy_dtype(rt, c, f->path, value_of(header, "'descr'"));
	const char *order = value_of(header, "'fortran_order'");
	if (!order || strncmp(order, "False", 5) != 0)
		rt_fail(rt, c->site, "`%s` is in Fortran order; save it with numpy.ascontiguousarray", f->path);
	if (!npy_shape(c, f, value_of(header, "'shape'")))
		rt_fail(rt, c->site, "`%s` has no shape that can be read (at least one dimension, at most %d)", f->path,
			PMLRT_MAX_RANK + 1);
	file_check_size(rt, f->path, f->offset + f->rows * c->row_elements * rt_dtype_size(c->dtype), c->site);
	rt_release(rt, head);
}

static void npy_load(struct pmlrt *rt, struct column *c, struct data_file *f)
{
	int64_t bytes = f->rows * c->row_elements * rt_dtype_size(c->dtype);
	f->data = file_bytes(rt, f->path, f->offset + bytes, &f->mapped, c->site) + f->offset;
}

const struct reader reader_npy = {.name = "npy", .open = npy_open, .load = npy_load};
