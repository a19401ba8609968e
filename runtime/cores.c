/* cores.c — whether ranks are bound to cores that are too few for them while others of their host have none. Waits are
 * spent polling, so two ranks on one core take turns by the kernel's clock, and a job can be many times slower for it;
 * nothing else shows that. Asked once, at start. */
#define _GNU_SOURCE
#include "cores.h"

#include "hosts.h"

#include <sched.h>
#include <string.h>

/* Of one rank: the cores it is bound to, and those it could have, for there may be fewer than the machine has. */
struct binding {
	cpu_set_t own, could;
};

/* The kernel takes from a wish what this process may have. */
static void find_binding(struct binding *b)
{
	cpu_set_t all;
	memset(b, 0, sizeof *b);
	memset(&all, 0xff, sizeof all);
	if (sched_getaffinity(0, sizeof b->own, &b->own))
		return;
	b->could = b->own;
	if (sched_setaffinity(0, sizeof all, &all))
		return;
	sched_getaffinity(0, sizeof b->could, &b->could);
	sched_setaffinity(0, sizeof b->own, &b->own);
}

/* Ranks of r's host that are bound as r is; the last of them but r. */
static int bound_alike(const struct pmlrt *rt, const struct binding *all, int r, int *other)
{
	int n = 0;
	for (int i = 0; i < rt->size; i++) {
		if (host_of(rt, i) != host_of(rt, r) || !CPU_EQUAL(&all[i].own, &all[r].own))
			continue;
		n++;
		*other = i == r ? *other : i;
	}
	return n;
}

/* Cores of r's host that no rank is bound to. */
static int idle_cores(const struct pmlrt *rt, const struct binding *all, int r)
{
	cpu_set_t used, could;
	memset(&used, 0, sizeof used);
	memset(&could, 0, sizeof could);
	for (int i = 0; i < rt->size; i++) {
		if (host_of(rt, i) != host_of(rt, r))
			continue;
		CPU_OR(&used, &used, &all[i].own);
		CPU_OR(&could, &could, &all[i].could);
	}
	CPU_OR(&could, &could, &used);
	return CPU_COUNT(&could) - CPU_COUNT(&used);
}

static void look(const struct pmlrt *rt, const struct binding *all)
{
	for (int r = 0; r < rt->size; r++) {
		int other = r, ranks = bound_alike(rt, all, r, &other), cores = CPU_COUNT(&all[r].own);
		int idle = ranks > cores && cores ? idle_cores(rt, all, r) : 0;
		if (!idle)
			continue;
		fprintf(stderr,
			"warning: rank %d and rank %d share %s, and %d core%s of that machine %s idle: they wait for "
			"each "
			"other's turns; bind each rank to a core of its own, as by mpiexec -bind-to core\n",
			r, other, cores == 1 ? "a core" : "cores that are too few", idle, idle == 1 ? "" : "s",
			idle == 1 ? "is" : "are");
		return;
	}
}

/* Of all ranks, on every rank. */
static struct binding *gather_bindings(struct pmlrt *rt)
{
	struct binding own, *all = rt_alloc(rt, rt->size * (int64_t)sizeof *all);
	MPI_Request request;
	find_binding(&own);
	RT_CHECK(rt, MPI_Iallgather(&own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own, MPI_BYTE, rt->control,
				    &request));
	rt_wait_request(rt, &request, "the cores of all ranks", 0);
	return all;
}

int64_t rt_cores_each(struct pmlrt *rt)
{
	struct binding *all = gather_bindings(rt);
	int other, cores = CPU_COUNT(&all[rt->rank].own), ranks = bound_alike(rt, all, rt->rank, &other);
	rt_release(rt, all);
	return cores > ranks ? cores / ranks : 1;
}

void rt_cores_check(struct pmlrt *rt)
{
	if (rt->size == 1)
		return;
	struct binding *all = gather_bindings(rt);
	if (rt->rank == 0)
		look(rt, all);
	rt_release(rt, all);
}
