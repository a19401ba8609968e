/* critical.c — the longest chain of causes of a play: from the last rank's end back through what it did; where it
 * waited, along the way of the message that came last to whoever began it last. */
#include "play.h"

/* The last span of a rank that begins before t; -1: there is none. */
static int span_before(const struct play_rank *r, double t)
{
	int low = 0, high = r->spans.n;
	while (low < high) {
		int middle = low + (high - low) / 2;
		if (r->spans.at[middle].begin < t)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

struct play_path play_critical(struct arena *a, const struct play *p)
{
	struct play_path path = {0};
	int32_t rank = 0;
	for (int r = 0; r < p->nranks; r++)
		if (p->rank[r].end > p->rank[rank].end)
			rank = r;
	double t = p->rank[rank].end;
	for (int i = span_before(&p->rank[rank], t); i >= 0 && t > 0; i = span_before(&p->rank[rank], t)) {
		const struct play_span *s = &p->rank[rank].spans.at[i];
		struct play_link link = {rank, s->step, s->kind, s->begin, s->end < t ? s->end : t};
		bool jumps = s->kind == PLAY_WAIT && s->since < link.end;
		link.begin = jumps ? s->since : link.begin;
		vec_push(a, &path.links, link);
		rank = jumps ? s->from : rank;
		t = link.begin;
	}
	return path;
}
