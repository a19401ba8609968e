/* file.c — see file.h. */
#define _XOPEN_SOURCE 700
#include "file.h"

#include "base/replace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PIECE = 1 << 16, LARGEST = 1 << 30 };

static void *complain(const char *path)
{
	fprintf(stderr, "pmlc: %s: %s\n", path, strerror(errno));
	return NULL;
}

/* Whether what was read up to here may go on: a device without end gives bytes that no text has, or more than any. */
static bool is_text(const char *path, const char *piece, size_t n, size_t before)
{
	if (memchr(piece, 0, n))
		fprintf(stderr, "pmlc: %s: this is no text: it has a byte of value 0\n", path);
	else if (before + n > LARGEST)
		fprintf(stderr, "pmlc: %s: larger than 1 GB\n", path);
	else
		return true;
	return false;
}

char *file_text(struct arena *a, const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	struct stat info;
	if (!f)
		return complain(path);
	if (fstat(fileno(f), &info) == 0 && S_ISDIR(info.st_mode)) {
		fclose(f);
		errno = EISDIR;
		return complain(path);
	}
	size_t cap = PIECE, got;
	char *bytes = arena_alloc(a, cap);
	*n = 0;
	while ((got = fread(bytes + *n, 1, cap - 1 - *n, f)) > 0) {
		if (!is_text(path, bytes + *n, got, *n)) {
			fclose(f);
			return NULL;
		}
		*n += got;
		if (*n < cap - 1)
			continue;
		char *more = arena_alloc(a, cap * 2);
		memcpy(more, bytes, *n);
		bytes = more;
		cap *= 2;
	}
	bool failed = ferror(f);
	fclose(f);
	bytes[*n] = 0;
	return failed ? complain(path) : bytes;
}

/* Where a link leads, if there is a file. */
static const char *real_path(struct arena *a, const char *path)
{
	char *real = realpath(path, NULL);
	const char *there = real ? arena_strdup(a, real) : path;
	free(real);
	return there;
}

bool files_replace(struct arena *a, struct new_file *files, int n)
{
	const char *error;
	for (int i = 0; i < n; i++)
		files[i].path = real_path(a, files[i].path);
	bool good = replace_files(a, files, n, &error);
	if (!good)
		fprintf(stderr, "pmlc: %s\n", error);
	return good;
}

bool file_replace(struct arena *a, const char *path, const char *bytes, size_t n)
{
	struct new_file f = {.path = path, .bytes = bytes, .n = n};
	return files_replace(a, &f, 1);
}

bool file_is_folder(const char *path)
{
	struct stat info;
	return path_ends_with(path, "/") || (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
}

bool file_make_folder(struct arena *a, const char *path)
{
	const char *above = path_folder(a, path);
	struct stat info;
	if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
		return true;
	if (strcmp(above, path) != 0 && !file_make_folder(a, above))
		return false;
	return (mkdir(path, 0777) == 0 || errno == EEXIST) || complain(path);
}

bool file_can_begin(struct arena *a, const char *path)
{
	const char *error;
	bool good = replace_can_begin(a, real_path(a, path), &error);
	if (!good)
		fprintf(stderr, "pmlc: %s\n", error);
	return good;
}
