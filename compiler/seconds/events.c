/* events.c — a heap of what ranks do next. */
#include "stage.h"

#include <string.h>

static bool is_before(const struct event *a, const struct event *b)
{
	return a->at != b->at ? a->at < b->at : a->rank < b->rank;
}

void stage_push(struct stage *s, struct actor *a, double at)
{
	struct event e = {at, a->rank, ++a->version};
	if (s->nevents == s->events_room) {
		struct event *more = ARENA_ARRAY(s->arena, struct event, 2 * s->events_room);
		memcpy(more, s->heap, sizeof *more * (size_t)s->nevents);
		s->heap = more;
		s->events_room *= 2;
	}
	int64_t i = s->nevents++;
	for (; i > 0 && is_before(&e, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = e;
}

struct event stage_pop(struct stage *s)
{
	struct event top = s->heap[0], last = s->heap[--s->nevents];
	int64_t i = 0;
	for (int64_t child = 1; child < s->nevents; child = 2 * i + 1) {
		if (child + 1 < s->nevents && is_before(&s->heap[child + 1], &s->heap[child]))
			child++;
		if (!is_before(&s->heap[child], &last))
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = last;
	return top;
}
