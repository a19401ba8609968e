/* sim_messages.c — point-to-point messages. The n-th send of a channel (sender, receiver, communicator, tag) meets its
 * n-th receive, as MPI's order of messages demands (no wildcards here); apart from that they arrive in any order. A
 * message is taken when it is sent, and its send complete at once, or only when it arrives, as an implementation may do
 * either: some worlds do the one with all messages, some the other, some draw. */
#include "sim_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024 };

struct message {
	struct message *next; /* of its queue */
	MPI_Request request;
	const char *data;
	char *into;
	int count;
	MPI_Datatype type;
	bool eager;
};

struct queue {
	struct message *first, *last;
};

struct sim_channel {
	struct sim_channel *next; /* of its bucket */
	int from, to, tag;
	MPI_Comm comm;
	struct queue sends, receives;
};

struct delivery {
	struct message *send, *receive;
};

static struct sim_channel *channel_of(int from, int to, int tag, MPI_Comm comm)
{
	struct sim_world *w = sim_now();
	if (!w->channels)
		w->channels = sim_alloc(BUCKETS * sizeof(struct sim_channel *));
	struct sim_channel **bucket =
		&w->channels[((unsigned)from * 31 + (unsigned)to * 7 + (unsigned)tag * 131) % BUCKETS];
	for (struct sim_channel *c = *bucket; c; c = c->next)
		if (c->from == from && c->to == to && c->tag == tag && c->comm == comm)
			return c;
	struct sim_channel *c = sim_alloc(sizeof *c);
	*c = (struct sim_channel){.next = *bucket, .from = from, .to = to, .tag = tag, .comm = comm};
	return *bucket = c;
}

static void push(struct queue *q, struct message *m)
{
	*(q->last ? &q->last->next : &q->first) = m;
	q->last = m;
}

static struct message *pop(struct queue *q)
{
	struct message *m = q->first;
	q->first = m->next;
	if (!q->first)
		q->last = NULL;
	return m;
}

static void deliver(void *what)
{
	struct delivery *d = what;
	memcpy(d->receive->into, d->send->data, (size_t)d->send->count * sim_type_size(d->send->type));
	sim_request_complete(d->receive->request);
	if (!d->send->eager)
		sim_request_complete(d->send->request);
}

static void send_done(void *what)
{
	sim_request_complete(((struct message *)what)->request);
}

static void match(struct sim_channel *c)
{
	while (c->sends.first && c->receives.first) {
		struct delivery *d = sim_alloc(sizeof *d);
		*d = (struct delivery){pop(&c->sends), pop(&c->receives)};
		if (d->send->count != d->receive->count || d->send->type != d->receive->type)
			sim_fail("rank %d sends %d %s to rank %d with tag %d, which expects %d %s", c->from,
				 d->send->count, sim_type_name(d->send->type), c->to, c->tag, d->receive->count,
				 sim_type_name(d->receive->type));
		sim_count(c->tag, c->from, (int64_t)(d->send->count * sim_type_size(d->send->type)), 0);
		sim_count(c->tag, c->to, 0, (int64_t)(d->send->count * sim_type_size(d->send->type)));
		sim_count_crossing(c->tag, c->from, c->to, (int64_t)(d->send->count * sim_type_size(d->send->type)));
		sim_event(deliver, d);
	}
}

static void check_arguments(const char *call, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
	if (!comm || count < 0 || !sim_type_size(type) || peer < 0 || peer >= comm->n || tag < 0)
		sim_fail("rank %d calls %s with count %d, type %d, peer %d, tag %d", sim_rank(), call, count, type,
			 peer, tag);
	if (comm->ranks[peer] == sim_rank())
		sim_fail("rank %d sends itself a message", sim_rank());
	sim_yield();
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
	check_arguments("MPI_Isend", count, type, to, tag, comm);
	struct message *m = sim_alloc(sizeof *m);
	*m = (struct message){.request = *request = sim_request_make(), .data = data, .count = count, .type = type};
	m->eager = sim_chance(sim_now()->eager_one_in);
	if (m->eager) {
		size_t bytes = (size_t)count * sim_type_size(type);
		char *copy = sim_alloc(bytes);
		memcpy(copy, data, bytes);
		m->data = copy;
		sim_event(send_done, m);
	}
	struct sim_channel *c = channel_of(sim_rank(), comm->ranks[to], tag, comm);
	push(&c->sends, m);
	match(c);
	return MPI_SUCCESS;
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
	check_arguments("MPI_Irecv", count, type, from, tag, comm);
	struct message *m = sim_alloc(sizeof *m);
	*m = (struct message){.request = *request = sim_request_make(), .into = data, .count = count, .type = type};
	sim_spoil(data, (size_t)count * sim_type_size(type));
	struct sim_channel *c = channel_of(comm->ranks[from], sim_rank(), tag, comm);
	push(&c->receives, m);
	match(c);
	return MPI_SUCCESS;
}

/* The first channel with something unmatched. */
static const struct sim_channel *first_open(void)
{
	struct sim_world *w = sim_now();
	for (int b = 0; w->channels && b < BUCKETS; b++)
		for (const struct sim_channel *c = w->channels[b]; c; c = c->next)
			if (c->sends.first || c->receives.first)
				return c;
	return NULL;
}

void sim_messages_describe(char *text, size_t size)
{
	const struct sim_channel *c = first_open();
	text[0] = 0;
	if (c)
		snprintf(text, size, "%s (rank %d to rank %d, tag %d)",
			 c->sends.first ? "a message is sent that nobody receives"
					: "a message is expected that nobody sends",
			 c->from, c->to, c->tag);
	if (c)
		sim_now()->error_label = c->tag;
}

const char *sim_messages_left(void)
{
	const struct sim_channel *c = first_open();
	return !c ? NULL : c->sends.first ? "a message that nobody received" : "a receive that nobody served";
}
