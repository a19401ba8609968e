/* points.c — products through windows, element by element: a tile takes some of the windows as its rows, each of which
 * is an address to which k adds, whatever their steps are, so that nothing of them is copied. The other operand is
 * packed, along its own dimension into lanes. C is made beside where it belongs, a row for each window, in blocks that
 * stay in cache, and transposed from there if the windows are on the right. */
#include "job.h"

#include <string.h>

enum { MOST_COLUMNS = 1024, CONFLICT = 4096 };

/* C as it is made: rows of windows, columns of the other operand, of which element (p, i) is `other`'s. */
struct sides {
	int64_t rows, columns;
	struct product_operand other;
};

static struct sides sides_of(const struct product *p, const struct product_windows *w)
{
	if (w->left)
		return (struct sides){p->m, p->n, p->b};
	return (struct sides){p->n, p->m, {p->a.at, p->a.column, p->a.row}};
}

/* Columns, and what of k, that are packed at a time; all if they fit. Blocks of k stay what they are. */
struct stretch {
	int64_t columns, k;
};

static struct stretch stretch_of(const struct job *j, const struct sides *s)
{
	int64_t panel = j->x->lanes * j->x->vectors, most = ROOM_B / j->x->size;
	struct blocks ks = blocks_of_k(j->x, j->p->k);
	struct stretch t = {least(s->columns, MOST_COLUMNS), j->p->k};
	t.columns = least(t.columns, most / j->p->k / panel * panel);
	if (t.columns > 0)
		return t;
	t.columns = least(s->columns, panel);
	t.k = most / panel / ks.size * ks.size;
	return t;
}

/* A block of C beside: rows m0.., columns n0... */
struct beside {
	int64_t m0, m, n0, n, pitch;
	char *at;
};

static char *place_of(const struct job *j, const struct product_windows *w, const struct beside *b)
{
	int64_t row = w->left ? b->m0 : b->n0, column = w->left ? b->n0 : b->m0;
	return (char *)j->p->c + (row * j->p->ldc + column) * j->x->size;
}

/* What is there of C, times beta. */
static void fetch(const struct job *j, const struct product_windows *w, const struct beside *b, double beta)
{
	int64_t size = j->x->size, ldc = j->p->ldc, lanes = j->x->lanes, full = b->n / lanes * lanes;
	const char *c = place_of(j, w, b);
	for (int64_t i = 0; i < b->m; i++) {
		if (full < b->n) /* what the room has from before may be slow to add to */
			memset(b->at + (i * b->pitch + full) * size, 0, (size_t)(lanes * size));
		if (w->left)
			memcpy(b->at + i * b->pitch * size, c + i * ldc * size, (size_t)(b->n * size));
	}
	if (!w->left)
		j->x->transpose(b->n, b->m, c, ldc, b->at, b->pitch);
	product_scale(j->x, &(struct product){.m = b->m, .n = b->n, .c = b->at, .ldc = b->pitch, .beta = beta});
}

static void put(const struct job *j, const struct product_windows *w, const struct beside *b)
{
	int64_t size = j->x->size, ldc = j->p->ldc;
	char *c = place_of(j, w, b);
	if (!w->left)
		j->x->transpose(b->m, b->n, b->at, b->pitch, c, ldc);
	for (int64_t i = 0; w->left && i < b->m; i++)
		memcpy(c + i * ldc * size, b->at + i * b->pitch * size, (size_t)(b->n * size));
}

static void pack_other(const struct job *j, const struct sides *s, int64_t n0, int64_t n, int64_t k0, int64_t k)
{
	int64_t lanes = j->x->lanes, width = lanes * j->x->vectors;
	struct blocks ks = blocks_of_k(j->x, j->p->k);
	for (int64_t at = k0; at < k0 + k; at += ks.size) {
		int64_t some = least(ks.size, k0 + k - at);
		struct product_panels panels = panels_of(j->x, n, lanes, width, some);
		pack(j, &panels, element(j, &s->other, at, n0), s->other.row, s->other.column,
		     j->room_b + (at - k0) * panels.count * width * j->x->size);
	}
}

/* While the tiles of one panel are multiplied, the next one comes to the second cache, each with a part of it, for all
 * panels may be more than that holds; behind the last one it is `next`. */
static void run_tiles(const struct job *j, const struct product_windows *w, const struct beside *b, int64_t k0,
		      int64_t k, const char *packed, const char *next, bool adds)
{
	const struct product_kernels *x = j->x;
	int64_t width = x->lanes * x->vectors, bytes = k * width * x->size;
	struct product_panels columns = panels_of(x, b->n, x->lanes, width, k),
			      rows = panels_of(x, b->m, 1, x->rows, k);
	for (int64_t q = 0; q < columns.count; q++) {
		int64_t column = panel_begin(&columns, q), n = panel_begin(&columns, q + 1) - column;
		product_tile *const *tile = x->tile[TILE_OF_POINTS][parts(n, x->lanes) - 1];
		const char *panel = packed + q * bytes, *fetched = q + 1 < columns.count ? panel + bytes : next;
		for (int64_t p = 0; p < rows.count; p++, fetched += bytes / rows.count) {
			int64_t row = panel_begin(&rows, p), m = panel_begin(&rows, p + 1) - row;
			struct product_points_at at = {.offset = w->offset + k0, .fetched = fetched};
			for (int64_t i = 0; i < m; i++)
				at.at[i] = (const char *)w->at + w->place[b->m0 + row + i] * x->size;
			tile[m - 1](k, &at, 0, panel, width, b->at + (row * b->pitch + column) * x->size, b->pitch,
				    j->p->alpha, adds);
		}
	}
}

/* Columns n0.. and what of k is packed, for all rows. whole: that is all of it. C stays beside where the next product
 * adds to it. */
static void run_stretch(const struct job *j, const struct product_windows *w, const struct sides *s, int64_t n0,
			int64_t n, int64_t k0, int64_t k, bool whole)
{
	int64_t lanes = j->x->lanes, size = j->x->size, width = lanes * j->x->vectors, pitch = parts(n, lanes) * lanes;
	if (pitch * size % CONFLICT == 0)
		pitch += lanes;
	int64_t most = ROOM_A / (pitch * size) / j->x->rows * j->x->rows;
	struct blocks ms = blocks_of(s->rows, most, most, j->x->rows), ks = blocks_of_k(j->x, j->p->k);
	bool adds = j->p->beta != 0 || k0 > 0, alone = whole && ms.size >= s->rows;
	for (int64_t m0 = 0; m0 < s->rows; m0 += ms.size) {
		struct beside b = {m0, block_at(&ms, m0), n0, n, pitch, j->room_a};
		if (adds && !(alone && w->stays))
			fetch(j, w, &b, k0 > 0 ? 1 : j->p->beta);
		const char *packed = j->room_b;
		for (int64_t at = k0; at < k0 + k; at += ks.size) {
			int64_t some = least(ks.size, k0 + k - at);
			const char *next = packed + some * parts(n, width) * width * size;
			run_tiles(j, w, &b, at, some, packed, at + some < k0 + k ? next : j->room_b, adds || at > k0);
			packed = next;
		}
		if (!(alone && w->goes_on))
			put(j, w, &b);
	}
}

void product_run_points(const struct job *j, const struct product_windows *w)
{
	struct sides s = sides_of(j->p, w);
	struct stretch t = stretch_of(j, &s);
	bool whole = t.columns == s.columns && t.k == j->p->k;
	for (int64_t n0 = 0; n0 < s.columns; n0 += t.columns)
		for (int64_t k0 = 0; k0 < j->p->k; k0 += t.k) {
			int64_t n = least(t.columns, s.columns - n0), k = least(t.k, j->p->k - k0);
			if (!whole || !w->kept)
				pack_other(j, &s, n0, n, k0, k);
			run_stretch(j, w, &s, n0, n, k0, k, whole);
		}
}
