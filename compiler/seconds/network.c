/* network.c — see network.h. */
#include "network.h"

#include <string.h>

/* One direction of a link: when it is free again, and how long it was not. */
struct way {
	double free, busy;
};

struct network {
	const struct machine *machine;
	struct machine_place *place; /* by rank */
	int **unit;                  /* by level, by rank: of level 0 the rank, of level 1 its host, … */
	struct way **out, **in;      /* by level, by unit */
	int *units;                  /* by level */
	double **sharers;            /* by level, by unit: ranks */
	double *messages, *bytes;    /* by level */
};

struct network *network_new(struct arena *a, const struct machine *m, int nranks)
{
	struct network *n = ARENA_NEW(a, struct network);
	*n = (struct network){.machine = m};
	n->place = ARENA_ARRAY(a, struct machine_place, nranks);
	for (int r = 0; r < nranks; r++)
		n->place[r] = machine_place_of(m, r);
	n->unit = ARENA_ARRAY(a, int *, m->networks.n + 2);
	for (int level = 0; level <= m->networks.n + 1; level++) {
		n->unit[level] = ARENA_ARRAY(a, int, nranks);
		for (int r = 0; r < nranks; r++)
			n->unit[level][r] = level ? (int)machine_unit(m, n->place[r].host, level) : r;
	}
	n->out = ARENA_ARRAY(a, struct way *, m->networks.n + 1);
	n->in = ARENA_ARRAY(a, struct way *, m->networks.n + 1);
	n->units = ARENA_ARRAY(a, int, m->networks.n + 1);
	n->sharers = ARENA_ARRAY(a, double *, m->networks.n + 1);
	n->messages = ARENA_ARRAY(a, double, m->networks.n + 1);
	n->bytes = ARENA_ARRAY(a, double, m->networks.n + 1);
	for (int level = 0; level <= m->networks.n; level++) {
		n->units[level] = n->unit[level][nranks - 1] + 1;
		n->out[level] = ARENA_ARRAY(a, struct way, n->units[level]);
		n->in[level] = ARENA_ARRAY(a, struct way, n->units[level]);
		n->sharers[level] = ARENA_ARRAY(a, double, n->units[level]);
		for (int r = 0; r < nranks; r++)
			n->sharers[level][n->unit[level][r]]++;
	}
	return n;
}

void network_empty(struct network *n)
{
	for (int level = 0; level <= n->machine->networks.n; level++) {
		memset(n->out[level], 0, sizeof *n->out[level] * (size_t)n->units[level]);
		memset(n->in[level], 0, sizeof *n->in[level] * (size_t)n->units[level]);
		n->messages[level] = n->bytes[level] = 0;
	}
}

const struct machine_link *network_link(const struct network *n, int32_t rank, int level, bool in_memory)
{
	if (level)
		return &n->machine->networks.at[level - 1].link;
	const struct machine_link *l = &n->place[rank].kind->link;
	return in_memory && l->shared_memory ? l->shared_memory : l;
}

static int level_of(const struct network *n, int32_t from, int32_t to)
{
	int level = 0;
	while (level < n->machine->networks.n && n->unit[level + 1][from] != n->unit[level + 1][to])
		level++;
	return level;
}

double network_start(const struct network *n, int32_t rank, int32_t peer, bool in_memory)
{
	return network_link(n, rank, level_of(n, rank, peer), in_memory)->start;
}

/* The head of a message reaches a link and takes it for as long as its bytes need: longer while others go the other
 * way.
 */
static double pass(double *head, struct way *w, const struct way *other, double takes, double both_ways)
{
	*head = *head > w->free ? *head : w->free;
	double both = other->free - *head;
	if (both > 0)
		takes += (both < takes ? both : takes) * both_ways;
	w->busy += takes;
	return w->free = *head + takes;
}

struct arrival network_send(struct network *n, int32_t from, int32_t to, int64_t bytes, bool in_memory, double ready)
{
	int top = level_of(n, from, to), low = top > 0;
	const struct machine_link *link = network_link(n, from, top, in_memory);
	struct arrival a = {0};
	double head = ready, end = ready;
	for (int level = low; level <= top; level++) {
		const struct machine_link *x = network_link(n, from, level, in_memory);
		double takes = curve_time(&x->rate, (double)bytes);
		int unit = n->unit[level][from];
		double tail = pass(&head, &n->out[level][unit], &n->in[level][unit], takes, x->both_ways);
		end = tail > end ? tail : end;
		a.left = level == low ? tail : a.left;
		n->messages[level]++;
		n->bytes[level] += (double)bytes;
	}
	for (int level = top; level >= low; level--) {
		const struct machine_link *x = network_link(n, to, level, in_memory);
		double takes = curve_time(&x->rate, (double)bytes);
		int unit = n->unit[level][to];
		double tail = pass(&head, &n->in[level][unit], &n->out[level][unit], takes, x->both_ways);
		end = tail > end ? tail : end;
	}
	a.arrived = end + link->latency;
	a.busy = (1 - link->overlap) * curve_time(&link->rate, (double)bytes);
	return a;
}

struct network_way network_way(const struct network *n, int32_t from, int32_t to, bool in_memory)
{
	int top = level_of(n, from, to);
	return (struct network_way){top > 0, top, network_link(n, from, top, in_memory)->latency};
}

double network_sharers(const struct network *n, int32_t rank, int level)
{
	return n->sharers[level][n->unit[level][rank]];
}

struct play_use network_use(const struct network *n, int level)
{
	struct play_use u = {.level = level, .messages = n->messages[level], .bytes = n->bytes[level]};
	for (int i = 0; i < n->units[level]; i++) {
		double out = n->out[level][i].busy, in = n->in[level][i].busy, busy = out > in ? out : in;
		u.mean += busy / n->units[level];
		if (busy > u.most) {
			u.most = busy;
			u.unit = i;
		}
	}
	return u;
}
