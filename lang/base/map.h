/* map.h — interned strings, and hash maps from pointers (interned names included) or 64-bit keys to pointers. */
#ifndef PML_MAP_H
#define PML_MAP_H

#include "arena.h"

#include <stdbool.h>
#include <stdint.h>

/* Interning: equal bytes give the same pointer, so names are compared with ==. */
struct interner;
struct interner *interner_new(struct arena *a);
const char *intern_n(struct interner *in, const char *s, size_t n);
const char *intern(struct interner *in, const char *s);

/* A map in an arena; entries keep their order of insertion, so walking one is deterministic. */
struct map_entry {
	uint64_t key;
	void *value;
};
struct map {
	struct arena *arena;
	struct map_entry *entries;
	int n, cap;
	int32_t *slots; /* index into entries, or -1 */
	int nslots;     /* a power of two, or 0 */
};

void map_init(struct map *m, struct arena *a);
void *map_get(const struct map *m, const void *key); /* NULL if absent */
void map_set(struct map *m, const void *key, void *value);
void *map_get_u64(const struct map *m, uint64_t key);
void map_set_u64(struct map *m, uint64_t key, void *value);

/* FNV-1a over n bytes, chained through seed (start with HASH_SEED); the hash of the project, stable over runs. */
#define HASH_SEED 0xcbf29ce484222325u
uint64_t hash_bytes(uint64_t seed, const void *p, size_t n);
uint64_t hash_string(uint64_t seed, const char *s);
/* The same over numbers, one at a time and faster; not stable between versions. */
static inline uint64_t hash_number(uint64_t seed, uint64_t v)
{
	seed = (seed ^ v) * 0x9e3779b97f4a7c15u;
	return seed ^ seed >> 32;
}

#endif
