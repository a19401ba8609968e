/* network.c — see network.h. */
#include "network.h"

struct network {
	const struct machine *machine;
	struct machine_place *place; /* by rank */
	int **unit;                  /* by level, by rank: of level 0 the rank, of level 1 its host, … */
	/* When a link is free again: by level and unit, those of level 0 are ranks. */
	double **out, **in;
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
	n->out = ARENA_ARRAY(a, double *, m->networks.n + 1);
	n->in = ARENA_ARRAY(a, double *, m->networks.n + 1);
	for (int level = 0; level <= m->networks.n; level++) {
		int64_t units = n->unit[level][nranks - 1] + 1;
		n->out[level] = ARENA_ARRAY(a, double, units);
		n->in[level] = ARENA_ARRAY(a, double, units);
	}
	return n;
}

static const struct machine_link *link_of(const struct network *n, int32_t rank, int level)
{
	return level ? &n->machine->networks.at[level - 1].link : &n->place[rank].kind->link;
}

static int level_of(const struct network *n, int32_t from, int32_t to)
{
	int level = 0;
	while (level < n->machine->networks.n && n->unit[level + 1][from] != n->unit[level + 1][to])
		level++;
	return level;
}

double network_start(const struct network *n, int32_t rank, int32_t peer)
{
	return link_of(n, rank, level_of(n, rank, peer))->start;
}

/* The head of a message reaches a link and takes it for as long as its bytes need. */
static double pass(double *head, double *free, double takes)
{
	*head = *head > *free ? *head : *free;
	return *free = *head + takes;
}

struct arrival network_send(struct network *n, int32_t from, int32_t to, int64_t bytes, double ready)
{
	int top = level_of(n, from, to), low = top > 0;
	const struct machine_link *link = link_of(n, from, top);
	struct arrival a = {0};
	double head = ready, end = ready;
	for (int level = low; level <= top; level++) {
		double takes = curve_time(&link_of(n, from, level)->rate, (double)bytes);
		double tail = pass(&head, &n->out[level][n->unit[level][from]], takes);
		end = tail > end ? tail : end;
		a.left = level == low ? tail : a.left;
	}
	for (int level = top; level >= low; level--) {
		double takes = curve_time(&link_of(n, to, level)->rate, (double)bytes);
		double tail = pass(&head, &n->in[level][n->unit[level][to]], takes);
		end = tail > end ? tail : end;
	}
	a.arrived = end + link->latency;
	a.busy = (1 - link->overlap) * curve_time(&link->rate, (double)bytes);
	return a;
}
