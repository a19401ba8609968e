/* data_paths.c — the files that a path of a program stands for. */
#define _DEFAULT_SOURCE
#include "alike.h"
#include "data.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_folder(const char *path)
{
	struct stat s;
	return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct found {
	int32_t n, room;
	const char **path;
};

static void add(struct pmlrt *rt, struct found *f, const char *path)
{
	if (is_folder(path))
		return;
	if (f->n == f->room) {
		const char **more = rt_alloc(rt, (2 * f->room + 8) * (int64_t)sizeof *more);
		if (f->n)
			memcpy(more, f->path, (size_t)f->n * sizeof *more);
		rt_release(rt, f->path);
		f->path = more;
		f->room = 2 * f->room + 8;
	}
	f->path[f->n++] = rt_format(rt, "%s", path);
}

/* Files whose names begin with a point are none of the data. */
static void find_in_folder(struct pmlrt *rt, struct found *f, const char *folder, int32_t site)
{
	DIR *d = opendir(folder);
	if (!d)
		rt_fail(rt, site, "cannot open `%s`: %s", folder, strerror(errno));
	for (const struct dirent *entry; (entry = readdir(d));) {
		char *path = rt_format(rt, "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] != '.')
			add(rt, f, path);
		rt_release(rt, path);
	}
	closedir(d);
}

static void find_by_pattern(struct pmlrt *rt, struct found *f, const char *pattern)
{
	glob_t g;
	int code = glob(pattern, GLOB_NOSORT, NULL, &g);
	for (size_t i = 0; code == 0 && i < g.gl_pathc; i++)
		add(rt, f, g.gl_pathv[i]);
	if (code == 0)
		globfree(&g);
}

/* All ranks found files of the same names, with the same in them. */
static void compare(struct pmlrt *rt, const struct found *f, const char *path, int32_t site)
{
	uint64_t names = 1;
	for (int32_t i = 0; i < f->n; i++)
		names = names * 0x9e3779b97f4a7c15 + rt_fact_of_text(f->path[i]);
	char *about = rt_format(rt, "`%s` does not stand for the same files on all ranks", path),
	     *shown = rt_format(rt, "finds %d file%s (checksum of the names %016llx)", (int)f->n, f->n == 1 ? "" : "s",
				(unsigned long long)names);
	rt_alike(rt, &(struct rt_fact){names, shown}, 1, about, "copy them to the same place on every host", site);
	rt_release(rt, shown);
	rt_release(rt, about);
	for (int32_t i = 0; i < f->n; i++)
		rt_same_file(rt, f->path[i], site);
}

const char **data_paths(struct pmlrt *rt, const char *path, int32_t *n, int32_t site)
{
	struct found f = {0};
	struct stat s;
	rt_same_file(rt, path, site);
	bool folder = is_folder(path), pattern = !folder && stat(path, &s) != 0 && strpbrk(path, "*?[");
	if (folder)
		find_in_folder(rt, &f, path, site);
	else if (pattern)
		find_by_pattern(rt, &f, path);
	else
		add(rt, &f, path);
	if (f.n)
		qsort(f.path, (size_t)f.n, sizeof *f.path, by_name);
	if (folder || pattern)
		compare(rt, &f, path, site);
	if (!f.n)
		rt_fail(rt, site, folder ? "there are no files in `%s`" : "no file fits `%s`", path);
	*n = f.n;
	return f.path;
}
