/* memo.h — what was worked out before, found by all that it follows from, written down as numbers: equal layers of a
 * model give equal numbers, so the work is done for the first of them.
 *
 *     memo_begin(m); memo_add(m, …); …          everything the answer follows from, in an order that tells it apart
 *     void **known = memo_find(m);              *known NULL: not met before; the caller puts its answer there
 *
 * A key that leaves something out gives one thing the answer of another, which is hard to see: with options.verify_each
 * the caller works out the answer again and compares. */
#ifndef PML_MEMO_H
#define PML_MEMO_H

#include "map.h"
#include "vec.h"

struct memo {
	struct map by_hash;
	VEC(uint64_t) key; /* being written */
};

void memo_init(struct memo *m, struct arena *a);

static inline void memo_begin(struct memo *m)
{
	m->key.n = 0;
}

static inline void memo_add(struct memo *m, uint64_t word)
{
	vec_push(m->by_hash.arena, &m->key, word);
}

static inline void memo_add_pointer(struct memo *m, const void *p)
{
	memo_add(m, (uintptr_t)p);
}

/* Where the answer to the key stands; the same place for equal keys, as long as the arena lives. */
void **memo_find(struct memo *m);
/* The same for a key of n words that was written elsewhere; it is copied. */
void **memo_find_words(struct memo *m, const uint64_t *words, int n);

#endif
