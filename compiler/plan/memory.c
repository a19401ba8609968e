/* memory.c — places for the buffers of a region's arena: big ones first, each at the tightest gap that is free during
 * its whole life. Two buffers share bytes only if no step needs both. */
#include "planner.h"
#include "../layout/exchange.h"

#include <stdlib.h>

enum { ALIGNMENT = 64 };

struct stretch {
	struct buffer *buffer;
	int64_t bytes;
	int number;
};

/* A stretch with a place: what deciding about others needs of it, side by side. */
struct placed {
	int first_step, last_step;
	int64_t begin, end;
};

static int by_size(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return x->number - y->number;
}

int64_t plan_buffer_bytes(const struct buffer *b)
{
	int64_t bytes = buffer_size(b);
	bytes = bytes < INT64_MAX / 2 ? bytes : INT64_MAX / 2;
	return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* placed: sorted by offset. The start of the smallest gap that holds bytes. */
static int64_t best_gap(const struct placed *placed, int n, const struct stretch *x)
{
	int64_t free_from = 0, best = -1, best_size = 0;
	int first_step = x->buffer->first_step, last_step = x->buffer->last_step;
	for (int i = 0; i < n; i++) {
		if (placed[i].first_step > last_step || placed[i].last_step < first_step)
			continue;
		int64_t gap = placed[i].begin - free_from;
		if (gap >= x->bytes && (best < 0 || gap < best_size)) {
			best = free_from;
			best_size = gap;
		}
		free_from = placed[i].end > free_from ? placed[i].end : free_from;
	}
	return best >= 0 ? best : free_from;
}

void plan_place_buffers(struct arena *scratch, struct plan *plan)
{
	struct stretch *todo = ARENA_ARRAY(scratch, struct stretch, plan->buffers.n);
	struct placed *placed = ARENA_ARRAY(scratch, struct placed, plan->buffers.n);
	int n = 0, done = 0;
	for (int i = 0; i < plan->buffers.n; i++) {
		struct buffer *b = &plan->buffers.at[i];
		if (b->kind == BUFFER_ARENA)
			todo[n++] = (struct stretch){b, plan_buffer_bytes(b), i};
	}
	qsort(todo, (size_t)n, sizeof *todo, by_size);
	plan->arena_bytes = 0;
	for (int i = 0; i < n; i++) {
		int64_t at = best_gap(placed, done, &todo[i]);
		todo[i].buffer->offset = at;
		int k = done++;
		for (; k > 0 && placed[k - 1].begin > at; k--)
			placed[k] = placed[k - 1];
		const struct buffer *b = todo[i].buffer;
		placed[k] = (struct placed){b->first_step, b->last_step, at, count_add(at, todo[i].bytes)};
		if (placed[k].end > plan->arena_bytes)
			plan->arena_bytes = placed[k].end;
	}
}
