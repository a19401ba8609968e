/* safetensors.c — see safetensors.h. The reader trusts nothing: length, JSON, dtypes, shapes, sizes, order, gaps and
 * overlaps are checked before a byte of data is used, so that a damaged or hostile file is refused as a whole. */
#define _POSIX_C_SOURCE 200809L
#include "safetensors.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const int64_t HEADER_MOST = 100000000;

static const char *const dtype_names[PMLRT_DTYPES] = {
#define DTYPE(name, text, ctype, size, kind) [PMLRT_##name] = #name,
#include "dtype.def"
#undef DTYPE
};

static int32_t dtype_of(const char *name)
{
	for (int32_t i = 0; i < PMLRT_DTYPES; i++)
		if (strcmp(dtype_names[i], name) == 0)
			return i;
	return -1;
}

static int64_t little_endian(const char *p)
{
	uint64_t v = 0;
	for (int i = 7; i >= 0; i--)
		v = v << 8 | (unsigned char)p[i];
	return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

static const char *read_shape(const json_t *shape, struct st_tensor *t, int64_t *bytes)
{
	if (!json_is_array(shape))
		return "has no shape";
	if (json_array_size(shape) > PMLRT_MAX_RANK)
		return "has too many dimensions";
	t->rank = (int32_t)json_array_size(shape);
	*bytes = rt_dtype_size(t->dtype);
	for (int d = 0; d < t->rank; d++) {
		const json_t *n = json_array_get(shape, (size_t)d);
		if (!json_is_integer(n) || json_integer_value(n) < 0)
			return "has a dimension that is no size";
		t->dim[d] = json_integer_value(n);
		if (__builtin_mul_overflow(*bytes, t->dim[d], bytes))
			return "is larger than any file";
	}
	return NULL;
}

static const char *read_tensor(const json_t *entry, struct st_tensor *t)
{
	const json_t *dtype = json_object_get(entry, "dtype"), *offsets = json_object_get(entry, "data_offsets");
	int64_t bytes;
	if (!json_is_object(entry) || json_object_size(entry) != 3)
		return "is not described by dtype, shape and data_offsets alone";
	t->dtype = json_is_string(dtype) ? dtype_of(json_string_value(dtype)) : -1;
	if (t->dtype < 0)
		return "has an unknown dtype";
	const char *wrong = read_shape(json_object_get(entry, "shape"), t, &bytes);
	if (wrong)
		return wrong;
	const json_t *begin = json_array_get(offsets, 0), *end = json_array_get(offsets, 1);
	if (json_array_size(offsets) != 2 || !json_is_integer(begin) || !json_is_integer(end))
		return "has no data_offsets";
	t->begin = json_integer_value(begin);
	t->end = json_integer_value(end);
	if (t->begin < 0 || t->end < t->begin || t->end - t->begin != bytes)
		return "has data_offsets that do not fit its shape";
	return NULL;
}

static int by_place(const void *a, const void *b)
{
	const struct st_tensor *x = a, *y = b;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

/* Sorts by place; the data must be covered without gap or overlap. */
static const char *check_cover(struct st_header *h, int64_t data_size)
{
	int64_t at = 0;
	qsort(h->tensor, (size_t)h->ntensors, sizeof *h->tensor, by_place);
	for (int64_t i = 0; i < h->ntensors; i++) {
		if (h->tensor[i].begin != at)
			return h->tensor[i].begin < at ? "tensors overlap" : "there is a gap between tensors";
		at = h->tensor[i].end;
	}
	if (at != data_size)
		return at > data_size ? "the file ends before its data" : "there are bytes behind the last tensor";
	return NULL;
}

static const char *check_metadata(const json_t *metadata)
{
	const char *key;
	json_t *value;
	if (!json_is_object(metadata))
		return "__metadata__ is not an object";
	json_object_foreach((json_t *)(uintptr_t)metadata, key,
			    value) if (!json_is_string(value)) return "__metadata__ holds something that is not text";
	return NULL;
}

static const char *read_entries(struct pmlrt *rt, json_t *root, struct st_header *h)
{
	const char *name, *wrong;
	json_t *entry;
	json_object_foreach(root, name, entry)
	{
		if (strcmp(name, "__metadata__") == 0) {
			if ((wrong = check_metadata(entry)))
				return wrong;
			continue;
		}
		struct st_tensor *t = &h->tensor[h->ntensors++];
		t->name = rt_format(rt, "%s", name);
		if ((wrong = read_tensor(entry, t)))
			return rt_format(rt, "tensor `%s` %s", name, wrong);
	}
	return NULL;
}

const char *st_read(struct pmlrt *rt, const char *file, int64_t file_size, struct st_header *h)
{
	json_error_t error;
	*h = (struct st_header){0};
	if (file_size < 8)
		return "it is shorter than eight bytes";
	int64_t n = little_endian(file);
	if (n > HEADER_MOST)
		return "its header is longer than 100 MB";
	if (n > file_size - 8)
		return "it ends within its header";
	if (n < 2 || file[8] != '{')
		return "its header is not JSON";
	json_t *root = json_loadb(file + 8, (size_t)n, JSON_REJECT_DUPLICATES, &error);
	if (!root)
		return rt_format(rt, "its header is not JSON as it should be: %s", error.text);
	const char *wrong = "its header is not an object";
	h->data = 8 + n;
	if (json_is_object(root)) {
		h->tensor = rt_alloc(rt, (int64_t)json_object_size(root) * (int64_t)sizeof *h->tensor);
		wrong = read_entries(rt, root, h);
	}
	json_decref(root);
	return wrong ? wrong : check_cover(h, file_size - h->data);
}

void st_free(struct pmlrt *rt, struct st_header *h)
{
	for (int64_t i = 0; i < h->ntensors; i++)
		rt_release(rt, h->tensor[i].name);
	rt_release(rt, h->tensor);
	*h = (struct st_header){0};
}

const struct st_tensor *st_find(const struct st_header *h, const char *name)
{
	for (int64_t i = 0; i < h->ntensors; i++)
		if (strcmp(h->tensor[i].name, name) == 0)
			return &h->tensor[i];
	return NULL;
}

static json_t *describe(struct st_tensor *t, int64_t *at)
{
	json_t *shape = json_array();
	int64_t bytes = rt_dtype_size(t->dtype);
	for (int d = 0; d < t->rank; d++) {
		json_array_append_new(shape, json_integer(t->dim[d]));
		bytes *= t->dim[d];
	}
	t->begin = *at;
	t->end = *at += bytes;
	return json_pack("{s:s, s:o, s:[I, I]}", "dtype", dtype_names[t->dtype], "shape", shape, "data_offsets",
			 (json_int_t)t->begin, (json_int_t)t->end);
}

char *st_write(struct pmlrt *rt, struct st_tensor *tensors, int64_t n, int64_t *header_size)
{
	json_t *root = json_object();
	int64_t at = 0;
	for (int64_t i = 0; i < n; i++)
		if (json_object_set_new(root, tensors[i].name, describe(&tensors[i], &at)) != 0)
			rt_fail(rt, 0, "internal error: tensor `%s` has no JSON name", tensors[i].name);
	char *json = json_dumps(root, JSON_COMPACT);
	json_decref(root);
	if (!json)
		rt_fail(rt, 0, "out of memory");
	int64_t length = (int64_t)strlen(json), padded = (length + 7) / 8 * 8;
	char *out = rt_alloc(rt, 8 + padded);
	for (int i = 0; i < 8; i++)
		out[i] = (char)((uint64_t)padded >> (8 * i));
	memcpy(out + 8, json, (size_t)length);
	memset(out + 8 + length, ' ', (size_t)(padded - length));
	free(json);
	*header_size = 8 + padded;
	return out;
}
