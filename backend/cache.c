/* cache.c — see cache.h. */
#define _POSIX_C_SOURCE 200809L
#include "cache.h"

#include "base/map.h"
#include "base/replace.h"
#include "base/vec.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX ".pmlo"
enum { LOOKS_EVERY = 8, FORGOTTEN = 3600 };

static const char format[8] = "PMLOBJ1";

struct header {
	char format[8];
	uint64_t settings, code, object; /* bytes of each, which follow in this order */
	uint64_t check;                  /* hash of the object */
};

static uint64_t hash_key(const struct cache_key *key)
{
	return hash_bytes(hash_bytes(HASH_SEED, key->settings.at, key->settings.n), key->code.at, key->code.n);
}

static const char *path_of(struct arena *a, const struct object_cache *c, uint64_t hash)
{
	return arena_printf(a, "%s/%016" PRIx64 SUFFIX, c->folder, hash);
}

/* ---- one file ---- */

static bool is_what_was_kept(const char *file, size_t n, const struct cache_key *key)
{
	struct header h;
	if (n < sizeof h)
		return false;
	memcpy(&h, file, sizeof h);
	const char *settings = file + sizeof h, *code = settings + key->settings.n, *object = code + key->code.n;
	size_t before = sizeof h + key->settings.n + key->code.n;
	return !memcmp(h.format, format, sizeof format) && h.settings == key->settings.n && h.code == key->code.n &&
	       n >= before && h.object == n - before && !memcmp(settings, key->settings.at, key->settings.n) &&
	       !memcmp(code, key->code.at, key->code.n) && hash_bytes(HASH_SEED, object, h.object) == h.check;
}

/* All of a file that is open; NULL. */
static char *read_all(struct arena *a, int fd, size_t *n)
{
	struct stat info;
	if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size <= 0)
		return NULL;
	char *bytes = arena_alloc(a, (size_t)info.st_size);
	for (*n = 0; *n < (size_t)info.st_size;) {
		ssize_t got = read(fd, bytes + *n, (size_t)info.st_size - *n);
		if (got <= 0)
			return NULL;
		*n += (size_t)got;
	}
	return bytes;
}

bool cache_find(struct arena *a, const struct object_cache *c, const struct cache_key *key, struct cache_bytes *object)
{
	size_t n = 0, before = sizeof(struct header) + key->settings.n + key->code.n;
	if (!c->folder)
		return false;
	int fd = open(path_of(a, c, hash_key(key)), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	char *file = read_all(a, fd, &n);
	bool found = file && is_what_was_kept(file, n, key);
	if (found) {
		*object = (struct cache_bytes){file + before, n - before};
		futimens(fd, NULL); /* it was used now */
	}
	close(fd);
	return found;
}

/* ---- all files ---- */

struct kept {
	const char *path;
	int64_t bytes, used; /* used: seconds since 1970 */
};

struct kept_files {
	struct arena *arena;
	VEC(struct kept) at;
	int64_t bytes;
};

/* Objects of a folder. Files that were begun and not finished are removed, an hour later. */
static struct kept_files find_files(struct arena *a, const char *folder, int64_t forgotten)
{
	struct kept_files files = {.arena = a};
	DIR *d = opendir(folder);
	int64_t now = (int64_t)time(NULL);
	for (struct dirent *e; d && (e = readdir(d));) {
		struct stat info;
		bool unfinished = replace_is_unfinished(e->d_name);
		if ((!unfinished && !path_ends_with(e->d_name, SUFFIX)) ||
		    fstatat(dirfd(d), e->d_name, &info, AT_SYMLINK_NOFOLLOW) || !S_ISREG(info.st_mode))
			continue;
		struct kept k = {arena_printf(a, "%s/%s", folder, e->d_name), info.st_size, info.st_mtime};
		if (!unfinished) {
			vec_push(a, &files.at, k);
			files.bytes += k.bytes;
		} else if (now - k.used >= forgotten) {
			unlink(k.path);
		}
	}
	if (d)
		closedir(d);
	return files;
}

static int by_use(const void *x, const void *y)
{
	const struct kept *a = x, *b = y;
	return a->used != b->used ? (a->used > b->used) - (a->used < b->used) : strcmp(a->path, b->path);
}

/* Removes what was not used for longest, until a quarter is free. */
static void make_room(struct arena *a, const struct object_cache *c)
{
	struct kept_files files = find_files(a, c->folder, FORGOTTEN);
	if (files.bytes <= c->most)
		return;
	qsort(files.at.at, (size_t)files.at.n, sizeof *files.at.at, by_use);
	for (int i = 0; i < files.at.n && files.bytes > c->most - c->most / 4; i++) {
		unlink(files.at.at[i].path);
		files.bytes -= files.at.at[i].bytes;
	}
}

static char *put(char *to, const void *bytes, size_t n)
{
	memcpy(to, bytes, n);
	return to + n;
}

void cache_keep(struct arena *a, const struct object_cache *c, const struct cache_key *key, struct cache_bytes object)
{
	struct header h = {.settings = key->settings.n,
			   .code = key->code.n,
			   .object = object.n,
			   .check = hash_bytes(HASH_SEED, object.at, object.n)};
	memcpy(h.format, format, sizeof format);
	int64_t n = (int64_t)(sizeof h + key->settings.n + key->code.n + object.n);
	if (!c->folder || n > c->most / 4)
		return;
	char *bytes = arena_alloc(a, (size_t)n), *end = bytes;
	end = put(end, &h, sizeof h);
	end = put(end, key->settings.at, key->settings.n);
	end = put(end, key->code.at, key->code.n);
	put(end, object.at, object.n);
	uint64_t hash = hash_key(key);
	const char *error;
	struct new_file file = {.path = path_of(a, c, hash), .bytes = bytes, .n = (size_t)n, .mode = 0600};
	if (replace_files(a, &file, 1, &error) && hash % LOOKS_EVERY == 0)
		make_room(a, c);
}

struct cache_size cache_clear(struct arena *a, const char *folder)
{
	struct kept_files files = find_files(a, folder, 0);
	struct cache_size removed = {0, 0};
	for (int i = 0; i < files.at.n; i++)
		if (unlink(files.at.at[i].path) == 0) {
			removed.files++;
			removed.bytes += files.at.at[i].bytes;
		}
	return removed;
}
