/* pairs.c — see pairs.h. What a rank sends is sorted by receiver; going through what all ranks receive in the order of
 * ranks, the other end is always the next one that the sender has. */
#include "pairs.h"

#include <stdlib.h>

struct span_of {
	int32_t rank, round;
	struct route_message *messages;
	int n;
};

/* A message that a rank sends. */
struct sent {
	int32_t to, round;
	struct route_message *message;
};

struct sender {
	struct sent *sent; /* by receiver, those to one in their order */
	int n, next;
};

struct pairs {
	struct arena *arena;
	VEC(struct span_of) spans;
};

struct pairs *pairs_new(struct arena *scratch)
{
	struct pairs *p = ARENA_NEW(scratch, struct pairs);
	p->arena = scratch;
	return p;
}

void pairs_add(struct pairs *p, int32_t rank, int round, struct route_message *messages, int n)
{
	vec_push(p->arena, &p->spans, ((struct span_of){rank, round, messages, n}));
}

static int compare(const void *x, const void *y)
{
	const struct sent *a = x, *b = y;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->round != b->round ? a->round - b->round : (a->message > b->message) - (a->message < b->message);
}

static void sort(struct sender *s)
{
	for (int i = 1; i < s->n; i++)
		if (compare(&s->sent[i - 1], &s->sent[i]) > 0) {
			qsort(s->sent, (size_t)s->n, sizeof *s->sent, compare);
			return;
		}
}

static struct sender *find_senders(const struct pairs *p, int nranks)
{
	struct sender *senders = ARENA_ARRAY(p->arena, struct sender, nranks);
	for (int k = 0; k < p->spans.n; k++)
		for (int i = 0; i < p->spans.at[k].n; i++)
			senders[p->spans.at[k].rank].n += p->spans.at[k].messages[i].sends;
	for (int r = 0; r < nranks; r++)
		senders[r].sent = ARENA_ARRAY(p->arena, struct sent, senders[r].n + 1);
	for (int k = 0; k < p->spans.n; k++) {
		const struct span_of *x = &p->spans.at[k];
		struct sender *s = &senders[x->rank];
		for (int i = 0; i < x->n; i++)
			if (x->messages[i].sends)
				s->sent[s->next++] = (struct sent){x->messages[i].peer, x->round, &x->messages[i]};
	}
	for (int r = 0; r < nranks; r++) {
		sort(&senders[r]);
		senders[r].next = 0;
	}
	return senders;
}

/* Where a message stands in its round. */
static int index_of(const struct pairs *p, const int *first, int32_t rank, const struct sent *s)
{
	int k = first[rank];
	while (p->spans.at[k].round != s->round)
		k++;
	return (int)(s->message - p->spans.at[k].messages);
}

void pairs_find(struct pairs *p, int nranks)
{
	struct sender *senders = find_senders(p, nranks);
	int *first = ARENA_ARRAY(p->arena, int, nranks);
	for (int k = p->spans.n - 1; k >= 0; k--)
		first[p->spans.at[k].rank] = k;
	for (int k = 0; k < p->spans.n; k++) {
		const struct span_of *x = &p->spans.at[k];
		for (int i = 0; i < x->n; i++) {
			struct route_message *m = &x->messages[i];
			if (m->sends)
				continue;
			struct sender *from = &senders[m->peer];
			const struct sent *s = &from->sent[from->next++];
			BUG_IF(from->next > from->n || s->to != x->rank, "a message from %d to %d has no other end",
			       m->peer, x->rank);
			m->round = s->round;
			m->index = index_of(p, first, m->peer, s);
			s->message->round = x->round;
			s->message->index = i;
		}
	}
	for (int r = 0; r < nranks; r++)
		BUG_IF(senders[r].next < senders[r].n, "a message from %d to %d has no other end", r,
		       senders[r].sent[senders[r].next].to);
}
