/* file.c — see file.h. */
#define _POSIX_C_SOURCE 200809L
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 16 };

static void *complain(const char *path)
{
	fprintf(stderr, "pmlc: %s: %s\n", path, strerror(errno));
	return NULL;
}

char *file_bytes(struct arena *a, const char *path, size_t *n)
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

bool file_replace(struct arena *a, const char *path, const char *bytes, size_t n)
{
	struct stat info;
	const char *fresh = arena_printf(a, "%s.%ld.new", path, (long)getpid());
	bool known = stat(path, &info) == 0;
	/* A pipe or device is not replaced. */
	if (known && !S_ISREG(info.st_mode))
		fresh = path;
	FILE *f = fopen(fresh, "wb");
	if (!f)
		return complain(path) != NULL;
	bool ok = fwrite(bytes, 1, n, f) == n;
	ok = fflush(f) == 0 && ok;
	if (known && fresh != path)
		ok = fchmod(fileno(f), info.st_mode & 07777) == 0 && ok;
	ok = fclose(f) == 0 && ok;
	if (ok && fresh != path)
		ok = rename(fresh, path) == 0;
	if (!ok) {
		complain(path);
		if (fresh != path)
			unlink(fresh);
	}
	return ok;
}
