/* map.c — open addressing with linear probing over an array of entries in order of insertion. */
#include "map.h"

#include <string.h>

uint64_t hash_bytes(uint64_t seed, const void *p, size_t n)
{
	const unsigned char *c = p;
	for (size_t i = 0; i < n; i++)
		seed = (seed ^ c[i]) * 0x100000001b3u;
	return seed;
}

uint64_t hash_string(uint64_t seed, const char *s)
{
	return hash_bytes(seed, s, strlen(s) + 1);
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdu;
	x ^= x >> 33;
	return x;
}

void map_init(struct map *m, struct arena *a)
{
	*m = (struct map){.arena = a};
}

static int find_slot(const struct map *m, uint64_t key)
{
	int mask = m->nslots - 1, i = (int)(mix(key) & (uint64_t)mask);
	while (m->slots[i] >= 0 && m->entries[m->slots[i]].key != key)
		i = (i + 1) & mask;
	return i;
}

static void grow(struct map *m)
{
	m->nslots = m->nslots ? m->nslots * 2 : 16;
	m->slots = ARENA_ARRAY(m->arena, int32_t, m->nslots);
	memset(m->slots, 0xff, sizeof *m->slots * (size_t)m->nslots);
	m->cap = m->nslots / 2;
	struct map_entry *fresh = ARENA_ARRAY(m->arena, struct map_entry, m->cap);
	if (m->n)
		memcpy(fresh, m->entries, sizeof *fresh * (size_t)m->n);
	m->entries = fresh;
	for (int i = 0; i < m->n; i++)
		m->slots[find_slot(m, fresh[i].key)] = i;
}

void *map_get_u64(const struct map *m, uint64_t key)
{
	if (!m->nslots)
		return NULL;
	int slot = find_slot(m, key);
	return m->slots[slot] < 0 ? NULL : m->entries[m->slots[slot]].value;
}

void map_set_u64(struct map *m, uint64_t key, void *value)
{
	if (m->n == m->cap)
		grow(m);
	int slot = find_slot(m, key);
	if (m->slots[slot] < 0) {
		m->slots[slot] = m->n;
		m->entries[m->n++].key = key;
	}
	m->entries[m->slots[slot]].value = value;
}

void *map_get(const struct map *m, const void *key)
{
	return map_get_u64(m, (uintptr_t)key);
}

void map_set(struct map *m, const void *key, void *value)
{
	map_set_u64(m, (uintptr_t)key, value);
}

struct interner {
	struct map map;
	struct arena *arena;
};

struct name {
	struct name *next; /* another name with the same hash */
	size_t n;
	char text[];
};

struct interner *interner_new(struct arena *a)
{
	struct interner *in = ARENA_NEW(a, struct interner);
	in->arena = a;
	map_init(&in->map, a);
	return in;
}

const char *intern_n(struct interner *in, const char *s, size_t n)
{
	uint64_t h = hash_bytes(HASH_SEED, s, n);
	struct name *first = map_get_u64(&in->map, h);
	for (struct name *m = first; m; m = m->next)
		if (m->n == n && !memcmp(m->text, s, n))
			return m->text;
	struct name *fresh = arena_alloc(in->arena, sizeof *fresh + n + 1);
	fresh->n = n;
	fresh->next = first;
	memcpy(fresh->text, s, n);
	map_set_u64(&in->map, h, fresh);
	return fresh->text;
}

const char *intern(struct interner *in, const char *s)
{
	return intern_n(in, s, strlen(s));
}
