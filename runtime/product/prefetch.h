/* prefetch.h — the block of B that is packed next comes to the second cache while this one is multiplied: tiles of the
 * form TILE_AHEAD fetch some of it at each k. Where A is few rows, packing B would wait for memory otherwise. */
#ifndef RT_PRODUCT_PREFETCH_H
#define RT_PRODUCT_PREFETCH_H

#include "job.h"

enum { CACHE_LINE = 64 };

struct prefetch {
	const char *at;                   /* where the tile begins that is called next */
	int64_t left, move;               /* tiles that have something to fetch; bytes from one to the next */
	int64_t offset[K_BLOCK + K_UNIT]; /* bytes, for each k of a tile */
};

/* Of B: rows of `n` lines of the cache each, `pitch` bytes apart. */
struct lines_of_b {
	const char *at;
	int64_t rows, n, pitch;
};
static inline struct lines_of_b lines_of_block(const struct job *j, int64_t k0, int64_t k, int64_t n0, int64_t n)
{
	const struct product_operand *b = &j->p->b;
	bool along_n = b->column == 1;
	return (struct lines_of_b){element(j, b, k0, n0), along_n ? k : n,
				   parts((along_n ? n : k) * j->size, CACHE_LINE),
				   (along_n ? b->row : b->column) * j->size};
}

/* Spread over so many tiles of k steps: whole rows for each, one line after the other, for a row is often a page. */
static inline void prefetch_begin(struct prefetch *f, const struct lines_of_b *b, int64_t tiles, int64_t k)
{
	int64_t rows = parts(b->rows, tiles);
	for (int64_t p = 0; p < k; p++) {
		int64_t line = p * rows * b->n / k;
		f->offset[p] = line / b->n * b->pitch + line % b->n * CACHE_LINE;
	}
	f->at = b->at;
	f->move = rows * b->pitch;
	f->left = parts(b->rows, rows);
}

static inline void prefetch_next(struct prefetch *f)
{
	if (--f->left > 0)
		f->at += f->move;
}

#endif
