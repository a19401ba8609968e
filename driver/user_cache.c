/* user_cache.c — see user_cache.h. */
#define _POSIX_C_SOURCE 200809L
#include "user_cache.h"

#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 256000000 };
static const char objects[] = "objects";

/* Makes a folder and its parents; true if it is one that nobody but this user can write to: what lies there is run. */
static bool make_own_folder(struct arena *a, const char *path)
{
	struct stat info;
	char *copy = arena_strdup(a, path);
	for (char *p = copy + 1; *p; p++)
		if (*p == '/') {
			*p = 0;
			mkdir(copy, 0700);
			*p = '/';
		}
	mkdir(copy, 0700);
	return lstat(path, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
	       !(info.st_mode & (S_IWGRP | S_IWOTH)) && access(path, W_OK | X_OK) == 0;
}

const char *user_cache_folder(struct arena *a, const char *part)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	const char *candidates[3] = {
		cache && *cache ? arena_printf(a, "%s/pml", cache) : NULL,
		home && *home ? arena_printf(a, "%s/.cache/pml", home) : NULL,
		arena_printf(a, "/tmp/pml-%ld", (long)geteuid()),
	};
	for (int i = 0; i < 3; i++) {
		const char *folder = candidates[i] ? arena_printf(a, "%s/%s", candidates[i], part) : NULL;
		if (folder && make_own_folder(a, candidates[i]) && make_own_folder(a, folder))
			return folder;
	}
	return NULL;
}

struct object_cache user_cache_objects(struct arena *a, bool says_why)
{
	struct object_cache c = {NULL, MOST_BYTES};
	const char *most = getenv("PML_CACHE");
	if (most && !strcmp(most, "0"))
		return c;
	bool good = !most || !*most || cli_bytes(most, &c.most);
	if (!good && says_why)
		fprintf(stderr,
			"pmlc: PML_CACHE=%s: expected bytes, as in PML_CACHE=1GB, or 0: compiled without a cache\n",
			most);
	if (good)
		c.folder = user_cache_folder(a, objects);
	return c;
}

int user_cache_clear(struct arena *a)
{
	const char *folder = user_cache_folder(a, objects);
	struct cache_size removed = {0, 0};
	if (folder)
		removed = cache_clear(a, folder);
	printf("removed %d object%s, %.1f MB%s%s\n", removed.files, removed.files == 1 ? "" : "s",
	       1e-6 * (double)removed.bytes, folder ? ", from " : "", folder ? folder : "");
	return EXIT_OK;
}
