/* data_npy.c — .npy files of NumPy, versions 1 to 3: a magic, a header that is a Python dictionary with the keys descr,
 * fortran_order and shape, then the elements. Read: little-endian numbers and bools in C order. Written: the same, in
 * version 1, by all ranks together. */
#define _POSIX_C_SOURCE 200809L
#include "data.h"
#include "joint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NPY_MAGIC = 6, NPY_HEADER_MOST = 1 << 16, NPY_PREFIX = 10, NPY_ALIGN = 64 };

struct npy_type {
	const char *descr;
	int32_t dtype;
};
static const struct npy_type npy_types[] = {
	{"f4", PMLRT_F32}, {"f8", PMLRT_F64}, {"f2", PMLRT_F16}, {"i1", PMLRT_I8},
	{"i2", PMLRT_I16}, {"i4", PMLRT_I32}, {"i8", PMLRT_I64}, {"u1", PMLRT_U8},
	{"u2", PMLRT_U16}, {"u4", PMLRT_U32}, {"u8", PMLRT_U64}, {"b1", PMLRT_BOOL},
};

/* Behind a text in quotes, of either kind. */
static const char *behind_text(const char *p)
{
	const char *end = strchr(p + 1, *p);
	return end ? end + 1 : p + strlen(p);
}

/* The text behind a key of the header, or NULL. Of a key that stands there twice the last counts, as in Python. */
static const char *value_of(const char *header, const char *key)
{
	const char *value = NULL;
	size_t n = strlen(key);
	for (const char *p = header; *p;) {
		if (*p != '\'' && *p != '"') {
			p++;
			continue;
		}
		const char *end = behind_text(p), *next = end + strspn(end, " ");
		if (*next == ':' && (size_t)(end - p) == n + 2 && strncmp(p + 1, key, n) == 0)
			value = next + 1 + strspn(next + 1, " ");
		p = end;
	}
	return value;
}

static int32_t npy_dtype(struct pmlrt *rt, const struct column *c, const char *path, const char *descr)
{
	char text[16] = "";
	if (descr && (*descr == '\'' || *descr == '"'))
		snprintf(text, sizeof text, "%.*s", (int)strcspn(descr + 1, "'\""), descr + 1);
	for (size_t i = 0; i < sizeof npy_types / sizeof *npy_types; i++)
		if (text[0] && strchr("<|=", text[0]) && strcmp(text + 1, npy_types[i].descr) == 0)
			return npy_types[i].dtype;
	if (!text[0])
		rt_fail(rt, c->site, "`%s` has %s", path,
			descr && *descr == '[' ? "records of several fields; save each of them as an array"
					       : "no type of elements (`descr`) in its header");
	rt_fail(rt, c->site,
		"`%s` has elements of type `%s`; read are little-endian f2 f4 f8, i1 to i8, u1 to u8, and b1", path,
		text);
}

/* "(60000, 28, 28)": the first number counts rows. "()": one row, a number. */
static bool npy_shape(struct column *c, struct data_file *f, const char *p)
{
	int n = -1;
	if (!p || *p++ != '(')
		return false;
	c->row_elements = 1;
	f->rows = 1;
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
	c->rank = n < 0 ? 0 : n;
	return n < PMLRT_MAX_RANK && f->rows < INT64_MAX && c->row_elements <= INT64_MAX / 64 / (f->rows + 1);
}

bool npy_is_one(struct pmlrt *rt, const char *path, int32_t site)
{
	char magic[NPY_MAGIC];
	return file_head(rt, path, magic, NPY_MAGIC, site) == NPY_MAGIC && memcmp(magic, "\x93NUMPY", NPY_MAGIC) == 0;
}

/* What a file is that is no .npy file, by its first n bytes; "": nobody knows. */
static const char *what_it_is(const unsigned char *head, int64_t n)
{
	static const struct {
		const char *begin, *text;
		int64_t length;
	} known[] = {
		{"PK\x03\x04",
		 ", but an archive of some (.npz)\nhelp: unpack it, `unzip x.npz`, or write each array by `numpy.save`",
		 4},
		{"\x89HDF", ", but HDF5\nhelp: write each array by `numpy.save`", 4},
		{"\x93NUMPY", ": its version is not 1, 2 or 3", NPY_MAGIC},
	};
	if (!n)
		return ": it is empty";
	if (n >= NPY_MAGIC && n < 12 && !memcmp(head, "\x93NUMPY", NPY_MAGIC))
		return ": it ends within its header";
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (n >= known[i].length && !memcmp(head, known[i].begin, (size_t)known[i].length))
			return known[i].text;
	return "";
}

static void npy_open(struct pmlrt *rt, struct column *c, struct data_file *f)
{
	unsigned char *head = rt_alloc(rt, NPY_HEADER_MOST + 1);
	int64_t n = file_head(rt, f->path, head, NPY_HEADER_MOST, c->site);
	if (n < 12 || memcmp(head, "\x93NUMPY", NPY_MAGIC) != 0 || head[6] < 1 || head[6] > 3)
		rt_fail(rt, c->site, "`%s` is not a .npy file%s", f->path, what_it_is(head, n));
	int64_t at = head[6] == 1 ? 10 : 12, length = head[8] | head[9] << 8;
	if (head[6] > 1)
		length |= (int64_t)head[10] << 16 | (int64_t)head[11] << 24;
	if (at + length > n)
		rt_fail(rt, c->site, "`%s` ends within its header", f->path);
	char *header = (char *)head + at;
	header[length] = 0;
	f->offset = at + length;
	c->dtype = npy_dtype(rt, c, f->path, value_of(header, "descr"));
	const char *order = value_of(header, "fortran_order");
	if (!order)
		rt_fail(rt, c->site, "`%s` does not say in its header whether it is in C order (`fortran_order`)",
			f->path);
	if (strncmp(order, "False", 5) != 0)
		rt_fail(rt, c->site, "`%s` is in Fortran order; save it with numpy.ascontiguousarray", f->path);
	if (!npy_shape(c, f, value_of(header, "shape")))
		rt_fail(rt, c->site, "`%s` has no shape that can be read (at most %d dimensions)", f->path,
			PMLRT_MAX_RANK);
	file_check_size(rt, f->path, f->offset + f->rows * c->row_elements * rt_dtype_size(c->dtype), c->site);
	rt_release(rt, head);
}

static void npy_load(struct pmlrt *rt, struct column *c, struct data_file *f)
{
	int64_t bytes = f->rows * c->row_elements * rt_dtype_size(c->dtype);
	f->data = file_bytes(rt, f->path, f->offset + bytes, &f->mapped, c->site) + f->offset;
}

const struct reader reader_npy = {.name = "npy", .open = npy_open, .load = npy_load};

/* ---- written ---- */

static const char *npy_descr(int32_t dtype)
{
	for (size_t i = 0; i < sizeof npy_types / sizeof *npy_types; i++)
		if (npy_types[i].dtype == dtype)
			return npy_types[i].descr;
	return "";
}

char *npy_header(struct pmlrt *rt, const struct pmlrt_type *t, int64_t *size)
{
	char shape[24 * PMLRT_MAX_RANK + 1] = "";
	for (int d = 0, n = 0; d < t->rank; d++)
		n += snprintf(shape + n, sizeof shape - (size_t)n, "%s%lld%s", d ? " " : "", (long long)t->dim[d],
			      d < t->rank - 1 || t->rank == 1 ? "," : "");
	char *text = rt_format(rt, "{'descr': '%c%s', 'fortran_order': False, 'shape': (%s), }",
			       rt_dtype_size(t->dtype) == 1 ? '|' : '<', npy_descr(t->dtype), shape);
	int64_t length = (int64_t)strlen(text);
	*size = (NPY_PREFIX + length + NPY_ALIGN) / NPY_ALIGN * NPY_ALIGN;
	char *header = rt_alloc(rt, *size);
	memcpy(header, "\x93NUMPY\x01", NPY_MAGIC + 1);
	header[8] = (char)((*size - NPY_PREFIX) & 0xff);
	header[9] = (char)((*size - NPY_PREFIX) >> 8);
	memset(header + NPY_PREFIX, ' ', (size_t)(*size - NPY_PREFIX));
	memcpy(header + NPY_PREFIX, text, (size_t)length);
	header[*size - 1] = '\n';
	rt_release(rt, text);
	return header;
}

void pmlrt_data_save_npy(struct pmlrt *rt, const char *path, int32_t slot, int32_t site)
{
	struct joint file;
	int64_t size;
	char *header = npy_header(rt, &rt->program->types[rt->program->slots[slot].type], &size);
	joint_begin(&file, rt, path, header, size, site);
	joint_end(&file, joint_write_slot(&file, slot, size));
	rt_release(rt, header);
}
