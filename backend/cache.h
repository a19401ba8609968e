/* cache.h — objects that were made before, found by what they were made from: a file each, with the settings, the code
 * before it was optimised, and the object. All of the code is compared, so what is found is what would be made. Several
 * processes may use a folder at once. */
#ifndef PML_BACKEND_CACHE_H
#define PML_BACKEND_CACHE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct object_cache {
	const char *folder; /* NULL: none */
	int64_t most;       /* bytes of all files; where they are more, those go that were not used for longest */
};

struct cache_bytes {
	const char *at;
	size_t n;
};

/* What an object follows from. */
struct cache_key {
	struct cache_bytes settings, code;
};

/* False if there is no such object, or a damaged one. */
bool cache_find(struct arena *a, const struct object_cache *c, const struct cache_key *key, struct cache_bytes *object);

/* Keeps an object. Where that cannot be done, nothing happens: it is made again next time. */
void cache_keep(struct arena *a, const struct object_cache *c, const struct cache_key *key, struct cache_bytes object);

struct cache_size {
	int files;
	int64_t bytes;
};

/* Removes all objects of a folder; what was removed. */
struct cache_size cache_clear(struct arena *a, const char *folder);

#endif
