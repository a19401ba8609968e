/* verify_buffers.c — buffers of plans: where they lie and how long they live. */
#include "verify.h"

#include <stdlib.h>
#include <string.h>

/* Buffers of the arena that are live at one step, by offset. As none of them overlap, one more overlaps its neighbours
 * if any. */
struct live {
	const struct buffer **at;
	int n;
};

static int64_t end_of(const struct buffer *b)
{
	return count_add(b->offset, buffer_size(b));
}

/* The first of the list that does not lie before b. */
static int place_of(const struct live *l, const struct buffer *b)
{
	int low = 0, high = l->n;
	while (low < high) {
		int middle = (low + high) / 2;
		if (l->at[middle]->offset < b->offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void begin_life(struct checker *c, struct live *l, const struct buffer *b)
{
	int at = place_of(l, b), other = at > 0 && end_of(l->at[at - 1]) > b->offset ? at - 1 : at;
	if (other < l->n && l->at[other]->offset < end_of(b))
		FAIL(c, "buffers %d and %d overlap while both live", (int)(l->at[other] - c->p->buffers.at),
		     (int)(b - c->p->buffers.at));
	memmove(l->at + at + 1, l->at + at, sizeof *l->at * (size_t)(l->n++ - at));
	l->at[at] = b;
}

static void end_life(struct live *l, const struct buffer *b)
{
	int at = place_of(l, b);
	if (at < l->n && l->at[at] == b)
		memmove(l->at + at, l->at + at + 1, sizeof *l->at * (size_t)(--l->n - at));
}

static int by_first_step(const void *a, const void *b)
{
	const struct buffer *x = *(const struct buffer *const *)a, *y = *(const struct buffer *const *)b;
	return (x->first_step > y->first_step) - (x->first_step < y->first_step);
}

static int by_last_step(const void *a, const void *b)
{
	const struct buffer *x = *(const struct buffer *const *)a, *y = *(const struct buffer *const *)b;
	return (x->last_step > y->last_step) - (x->last_step < y->last_step);
}

static void check_lives(struct checker *c)
{
	int total = c->p->buffers.n, n = 0, ended = 0;
	const struct buffer **begin = ARENA_ARRAY(c->arena, const struct buffer *, total);
	const struct buffer **end = ARENA_ARRAY(c->arena, const struct buffer *, total);
	struct live live = {ARENA_ARRAY(c->arena, const struct buffer *, total), 0};
	for (int i = 0; i < total; i++) {
		const struct buffer *b = &c->p->buffers.at[i];
		if (b->kind == BUFFER_ARENA && b->elements > 0)
			begin[n] = end[n] = b, n++;
	}
	qsort(begin, (size_t)n, sizeof(*begin), by_first_step);
	qsort(end, (size_t)n, sizeof(*end), by_last_step);
	for (int i = 0; i < n && !c->error; i++) {
		while (ended < n && end[ended]->last_step < begin[i]->first_step)
			end_life(&live, end[ended++]);
		begin_life(c, &live, begin[i]);
	}
}

/* A slot has one buffer. */
static void check_slots(struct checker *c)
{
	struct map known;
	map_init(&known, c->arena);
	for (int i = 0; i < c->p->buffers.n; i++) {
		const struct buffer *b = &c->p->buffers.at[i];
		if (b->kind != BUFFER_SLOT)
			continue;
		if (map_get_u64(&known, (uint64_t)b->slot))
			FAIL(c, "slot %d has two buffers", b->slot);
		map_set_u64(&known, (uint64_t)b->slot, (void *)b);
	}
}

/* What a moving buffer lies in is there as long as it is, and says so. */
static void check_moving(struct checker *c)
{
	for (int i = 0; i < c->p->buffers.n; i++) {
		const struct buffer *b = &c->p->buffers.at[i];
		if ((b->kind == BUFFER_MOVING) != (b->within.n > 0))
			FAIL(c, "buffer %d lies nowhere, or in others and does not move", i);
		for (int k = 0; k < b->within.n && b->first_step >= 0; k++) {
			const struct buffer *x = &c->p->buffers.at[b->within.at[k]];
			if (!x->is_shared)
				FAIL(c, "buffer %d lies in buffer %d, which is not shared", i, b->within.at[k]);
			if (x->first_step > b->first_step || x->last_step < b->last_step)
				FAIL(c, "buffer %d is gone before buffer %d, which lies in it", b->within.at[k], i);
		}
	}
}

static bool crosses(const struct plan_loop *l, const struct buffer *b)
{
	bool before = b->first_step < l->begin && b->last_step >= l->begin && b->last_step < l->end;
	return before || (b->first_step > l->begin && b->first_step <= l->end && b->last_step > l->end);
}

void verify_buffers(struct checker *c)
{
	check_moving(c);
	for (int i = 0; i < c->p->loops.n; i++)
		for (int k = 0; k < c->p->buffers.n; k++)
			if (crosses(&c->p->loops.at[i], &c->p->buffers.at[k]))
				FAIL(c, "buffer %d is used in loop %d and around it, but does not live through it", k,
				     i);
	for (int i = 0; i < c->p->buffers.n; i++) {
		const struct buffer *b = &c->p->buffers.at[i];
		if (b->kind != BUFFER_ARENA)
			continue;
		if (b->offset < 0 || b->offset % 64 || end_of(b) > c->p->arena_bytes)
			FAIL(c, "buffer %d is not inside the arena at a multiple of 64", i);
	}
	check_slots(c);
	check_lives(c);
}
