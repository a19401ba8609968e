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

static int64_t aligned(int64_t bytes)
{
	return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static int by_size(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return x->number - y->number;
}

static bool live_together(const struct buffer *a, const struct buffer *b)
{
	return a->first_step <= b->last_step && b->first_step <= a->last_step;
}

/* placed: sorted by offset. The start of the smallest gap that holds bytes. */
static int64_t best_gap(const struct stretch *placed, int n, const struct stretch *x)
{
	int64_t free_from = 0, best = -1, best_size = 0;
	for (int i = 0; i < n; i++) {
		if (!live_together(placed[i].buffer, x->buffer))
			continue;
		int64_t gap = placed[i].buffer->offset - free_from;
		if (gap >= x->bytes && (best < 0 || gap < best_size)) {
			best = free_from;
			best_size = gap;
		}
		int64_t end = count_add(placed[i].buffer->offset, placed[i].bytes);
		free_from = end > free_from ? end : free_from;
	}
	return best >= 0 ? best : free_from;
}

/* What no machine has is as much as can be counted; the running program says that it gets no memory. */
static int64_t stretch_bytes(const struct buffer *b)
{
	int64_t bytes = count_mul(b->elements, dtype_size(b->type));
	return aligned(bytes < INT64_MAX / 2 ? bytes : INT64_MAX / 2);
}

void plan_place_buffers(struct arena *scratch, struct plan *plan)
{
	struct stretch *todo = ARENA_ARRAY(scratch, struct stretch, plan->buffers.n);
	struct stretch *placed = ARENA_ARRAY(scratch, struct stretch, plan->buffers.n);
	int n = 0, done = 0;
	for (int i = 0; i < plan->buffers.n; i++) {
		struct buffer *b = &plan->buffers.at[i];
		if (b->kind == BUFFER_ARENA)
			todo[n++] = (struct stretch){b, stretch_bytes(b), i};
	}
	qsort(todo, (size_t)n, sizeof *todo, by_size);
	plan->arena_bytes = 0;
	for (int i = 0; i < n; i++) {
		int64_t at = best_gap(placed, done, &todo[i]);
		todo[i].buffer->offset = at;
		int k = done++;
		for (; k > 0 && placed[k - 1].buffer->offset > at; k--)
			placed[k] = placed[k - 1];
		placed[k] = todo[i];
		if (count_add(at, todo[i].bytes) > plan->arena_bytes)
			plan->arena_bytes = count_add(at, todo[i].bytes);
	}
}
