/* problem.c — see problem.h. The evaluation shares nothing with the solver, whose word it checks. */
#include "problem.h"

#include <stdlib.h>

int64_t problem_entries(const struct problem *p, const struct problem_edge *e)
{
	int64_t n = 1;
	for (int i = 0; i < e->nnodes; i++)
		if (__builtin_mul_overflow(n, (int64_t)p->node[e->node[i]].nvalues, &n))
			return INT64_MAX;
	return n;
}

const char *problem_check(const struct problem *p, struct arena *a)
{
	int64_t all = 0;
	for (int i = 0; i < p->nnodes; i++) {
		const struct problem_node *n = &p->node[i];
		int64_t most = 0;
		if (n->nvalues < 1 || n->nvalues > UINT16_MAX)
			return arena_printf(a, "node %d has %d choices, not 1 to %d", i, n->nvalues, UINT16_MAX);
		for (int v = 0; n->usage && v < n->nvalues; v++) {
			if (n->usage[v] < 0)
				return arena_printf(a, "node %d takes %lld bytes of memory", i, (long long)n->usage[v]);
			most = n->usage[v] > most ? n->usage[v] : most;
		}
		if (__builtin_add_overflow(all, most, &all) || all >= INT64_C(1) << 62)
			return arena_printf(a, "the memory of the nodes up to %d adds up to 2^62 bytes or more", i);
	}
	for (int k = 0; k < p->nedges; k++) {
		const struct problem_edge *e = &p->edge[k];
		if (e->nnodes < 1)
			return arena_printf(a, "edge %d has no nodes", k);
		for (int i = 0; i < e->nnodes; i++)
			if (e->node[i] < 0 || e->node[i] >= p->nnodes)
				return arena_printf(a, "edge %d names node %d, and there are %d", k, e->node[i],
						    p->nnodes);
	}
	return NULL;
}

struct event {
	int64_t time, bytes;
};

/* By time; at the same time what ends comes before what begins. */
static int compare_events(const void *x, const void *y)
{
	const struct event *a = x, *b = y;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/* The most of these bytes, by node, at a time. */
static int64_t peak_of(const struct problem *p, const int64_t *bytes, struct arena *a, int64_t *time)
{
	struct event *events = ARENA_ARRAY(a, struct event, 2 * (int64_t)p->nnodes);
	int n = 0;
	for (int i = 0; i < p->nnodes; i++) {
		if (p->node[i].from >= p->node[i].to || !bytes[i])
			continue;
		events[n++] = (struct event){p->node[i].from, bytes[i]};
		events[n++] = (struct event){p->node[i].to, -bytes[i]};
	}
	if (n)
		qsort(events, (size_t)n, sizeof *events, compare_events);
	int64_t now = 0, peak = 0;
	*time = 0;
	for (int i = 0; i < n; i++) {
		now += events[i].bytes;
		if (now <= peak)
			continue;
		peak = now;
		*time = events[i].time;
	}
	return peak;
}

int64_t problem_least_memory(const struct problem *p, int64_t *time)
{
	struct arena *a = arena_new("solve: memory");
	int64_t *bytes = ARENA_ARRAY(a, int64_t, p->nnodes);
	for (int i = 0; i < p->nnodes; i++)
		for (int v = 0; p->node[i].usage && v < p->node[i].nvalues; v++)
			if (!v || p->node[i].usage[v] < bytes[i])
				bytes[i] = p->node[i].usage[v];
	int64_t peak = peak_of(p, bytes, a, time);
	arena_free(a);
	return peak;
}

static int64_t peak_with(const struct problem *p, const int *value)
{
	struct arena *a = arena_new("solve: evaluation");
	int64_t *bytes = ARENA_ARRAY(a, int64_t, p->nnodes), time;
	for (int i = 0; i < p->nnodes; i++)
		bytes[i] = p->node[i].usage ? p->node[i].usage[value[i]] : 0;
	int64_t peak = peak_of(p, bytes, a, &time);
	arena_free(a);
	return peak;
}

static bool add(wide *cost, int64_t c)
{
	if (c >= COST_FORBIDDEN)
		return false;
	*cost += c;
	return true;
}

enum verdict problem_evaluate(const struct problem *p, const int *value, wide *cost, int64_t *peak)
{
	bool allowed = true;
	*cost = 0;
	for (int i = 0; i < p->nnodes; i++)
		allowed &= add(cost, p->node[i].cost[value[i]]);
	for (int k = 0; k < p->nedges; k++) {
		const struct problem_edge *e = &p->edge[k];
		int64_t at = 0;
		for (int i = 0; i < e->nnodes; i++)
			at = at * p->node[e->node[i]].nvalues + value[e->node[i]];
		allowed &= add(cost, e->cost[at]);
	}
	*peak = peak_with(p, value);
	return !allowed ? VERDICT_FORBIDDEN : p->has_limit && *peak > p->limit ? VERDICT_MEMORY : VERDICT_GOOD;
}
