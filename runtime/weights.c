/* weights.c — see weights.h. An index is {"metadata": ..., "weight_map": {TENSOR: FILE, ...}}; its files are beside it.
 */
#define _DEFAULT_SOURCE
#include "weights.h"

#include "alike.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MOST = 10000 };

static struct rt_mapping *map_file(struct pmlrt *rt, const char *path, const char *help, int32_t site)
{
	struct stat s;
	rt_same_file(rt, path, site);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &s) != 0)
		rt_fail(rt, site, "cannot open `%s`: %s%s", path, strerror(errno), help);
	if (!S_ISREG(s.st_mode) || s.st_size == 0)
		rt_fail(rt, site, "`%s` is not a .safetensors file: it is %s%s", path,
			S_ISREG(s.st_mode) ? "empty" : "no file", help);
	return mapped_file(rt, fd, false, path, s.st_size, site);
}

void weights_open_file(struct pmlrt *rt, const char *path, const char *help, struct weights_file *f, int32_t site)
{
	*f = (struct weights_file){.path = path};
	f->mapping = map_file(rt, path, help, site);
	f->bytes = f->mapping->begin;
	f->size = f->mapping->bytes;
	const char *wrong = st_read(rt, f->bytes, f->size, &f->header);
	if (wrong)
		rt_fail(rt, site, "`%s` is not a .safetensors file: %s%s", path, wrong, help);
	f->used = rt_alloc(rt, f->header.ntensors + 1);
}

void weights_close_file(struct pmlrt *rt, struct weights_file *f)
{
	st_free(rt, &f->header);
	mapped_release(f->mapping);
	rt_release(rt, f->used);
}

static bool exists(const char *path)
{
	struct stat s;
	return stat(path, &s) == 0;
}

static const char *const usual[] = {"model.safetensors.index.json", "model.safetensors"};

/* The file that stands for a folder; NULL if there is none in it. */
static const char *in_folder(struct pmlrt *rt, const char *path)
{
	struct stat s;
	if (stat(path, &s) != 0 || !S_ISDIR(s.st_mode))
		return path;
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
		const char *file = rt_format(rt, "%s/%s", path, usual[i]);
		if (exists(file))
			return file;
	}
	return NULL;
}

static const char *choose_file(struct pmlrt *rt, const char *path, int32_t site)
{
	const char *file = in_folder(rt, path);
	char *about = rt_format(rt, "`%s` is not the same on all ranks", path);
	struct rt_fact fact = {rt_fact_of_text(file), file ? rt_format(rt, "reads `%s`", file) : "finds no file there"};
	rt_alike(rt, &fact, 1, about, "copy it to the same place on every host", site);
	rt_release(rt, about);
	if (!file)
		rt_fail(rt, site, "the folder `%s` has no `%s` and no `%s`", path, usual[1], usual[0]);
	return file;
}

static struct weights_file *file_of(struct pmlrt *rt, struct weights *w, const char *index, const char *name,
				    int32_t site)
{
	const char *slash = strrchr(index, '/');
	const char *path =
		slash ? rt_format(rt, "%.*s/%s", (int)(slash - index), index, name) : rt_format(rt, "%s", name);
	for (int i = 0; i < w->nfiles; i++)
		if (strcmp(w->file[i].path, path) == 0)
			return &w->file[i];
	if (strchr(name, '/') || w->nfiles == FILES_MOST)
		rt_fail(rt, site, "`%s` names a file that is not beside it: `%s`", index, name);
	weights_open_file(rt, path, "", &w->file[w->nfiles], site);
	return &w->file[w->nfiles++];
}

static void open_index(struct pmlrt *rt, const char *path, struct weights *w, int32_t site)
{
	json_error_t error;
	const char *tensor;
	json_t *file;
	int64_t listed = 0, held = 0;
	struct rt_mapping *index = map_file(rt, path, "", site);
	json_t *root = json_loadb(index->begin, (size_t)index->bytes, JSON_REJECT_DUPLICATES, &error),
	       *map = json_object_get(root, "weight_map");
	if (!json_is_object(map))
		rt_fail(rt, site, "`%s` is not an index of .safetensors files: %s", path,
			root ? "it has no weight_map" : error.text);
	w->file = rt_alloc(rt, FILES_MOST * (int64_t)sizeof *w->file);
	json_object_foreach(map, tensor, file)
	{
		if (!json_is_string(file))
			rt_fail(rt, site, "`%s` has no file for `%s`", path, tensor);
		struct weights_file *f = file_of(rt, w, path, json_string_value(file), site);
		if (!st_find(&f->header, tensor))
			rt_fail(rt, site, "`%s` says that `%s` is in `%s`, but it is not", path, tensor, f->path);
		listed++;
	}
	for (int i = 0; i < w->nfiles; i++)
		held += w->file[i].header.ntensors;
	if (held != listed)
		rt_fail(rt, site, "the files of `%s` hold %lld tensors, it lists %lld", path, (long long)held,
			(long long)listed);
	json_decref(root);
	mapped_release(index);
}

void weights_open(struct pmlrt *rt, const char *path, struct weights *w, int32_t site)
{
	*w = (struct weights){0};
	path = choose_file(rt, path, site);
	size_t n = strlen(path);
	if (n > 5 && strcmp(path + n - 5, ".json") == 0) {
		open_index(rt, path, w, site);
		return;
	}
	w->file = rt_alloc(rt, (int64_t)sizeof *w->file);
	w->nfiles = 1;
	weights_open_file(rt, path, "", w->file, site);
}

void weights_close(struct pmlrt *rt, struct weights *w)
{
	for (int i = 0; i < w->nfiles; i++)
		weights_close_file(rt, &w->file[i]);
	rt_release(rt, w->file);
}
