/* filter_work.h — a filter in work (filter.c), and what its tiles see (filter_seen.c). Workspace: weights, a line of
 * kinds and channels for each filter of a block, group by group; what is seen, a line of tiles for each channel, kind
 * by kind; results, a line of tiles for each filter of a block. */
#ifndef RT_PRODUCT_FILTER_WORK_H
#define RT_PRODUCT_FILTER_WORK_H

#include "job.h"

enum { ROWS = FILTER_COLUMNS - 1, DEPTH = 0, GROUPS = FILTER_SUMS * FILTER_SUMS * FILTER_SUMS };

/* Points of X along a line of tiles: so many from the line's point `from` on, which is `begin` of X, and number `place`
 * of those with this remainder by the stride. */
struct stretch {
	int64_t from, begin, n, remainder, place;
};

struct filter_work {
	enum product_level level;
	enum product_type type;   /* of the products of sums: F32 or F64 */
	product_rounding *rounds; /* factors, as they are read; NULL: nothing does */
	const struct product_kernels *x;
	const struct product_filter *f;
	const struct product_filter_call *call;
	struct filter_kinds kinds;
	struct filter_blocks blocks;
	char *weights, *seen, *results;
	int64_t weights_at[GROUPS];              /* elements, of groups */
	struct filter_place place[FILTER_KINDS]; /* of weights, kinds in order of those along each dimension */
	struct {
		int group, number;
	} kind[FILTER_KINDS]; /* what they are of the groups: of that one, and which of all */
	char *seen_rows;      /* rows of X with zeros around them, each of all kinds of the first dimension */
	char *made, *edge;
	int64_t line_bytes, made_bytes, row_bytes; /* of a line of X, of one of results, of a row of all kinds */
	int64_t piece_at[FILTER_PIECES];           /* where pieces of columns begin in a line, bytes */
	struct stretch part;                       /* of X that rows have */
	void *room;
};

/* Some lines of tiles. */
struct lines {
	int64_t begin, count;
};

/* A line: the first windows that it has along each dimension. */
struct line {
	int64_t image, window[FILTER_SIDES];
};

/* A sum of two rows, or the first of them. */
struct pair {
	int how, a, b;
};

/* Its kinds, its blocks, and where they lie in the workspace, whose lines are cleared. */
void filter_find_work(struct filter_work *w);

static inline int64_t tiles_of(const struct filter_work *w, const struct lines *l)
{
	return filter_tiles(&w->blocks, l->count);
}

struct line filter_line_at(const struct filter_work *w, int64_t l);
/* Goes on behind a run of lines: those below each other from this one on, at most so many. Returns how many. */
int64_t filter_next_run(const struct filter_work *w, struct line *at, int64_t most);
/* What these lines see of all channels. */
void filter_see(struct filter_work *w, const struct lines *l);

/* Where what is seen, and results, of a group begin, of so many tiles, and results of a sum. */
static inline char *seen_of(const struct filter_work *w, int g, int64_t tiles)
{
	return w->seen + filter_group_at(g, w->kinds.group[g].begin * w->f->channels * tiles) * w->x->size;
}

static inline char *results_of(const struct filter_work *w, int g, int64_t apart)
{
	return w->results + filter_group_at(g, g * apart) * w->x->size;
}

/* Lines of numbers that vectors go beyond the end of: zeros where no tile is. */
void filter_clear_ends(const struct filter_work *w, char *at, int64_t lines, int64_t tiles, int64_t used);
/* Bytes that are read or written soon. */
static inline void fetch(const char *at, int64_t bytes)
{
	enum { LINE = 64, MOST = 1 << 13 };
	for (int64_t i = 0; i < least(bytes, MOST); i += LINE)
		__builtin_prefetch(at + i);
}

#endif
