/* wait.c — waiting without blocking: test, spin for a moment, then yield the core, then sleep in short pieces. What is
 * idle time to a rank is where its actors act (actor.h).
 * With more ranks than cores a blocking MPI call spins in the way of the very rank it waits for (a hundred times slower
 * in trials), so nothing in the runtime waits inside MPI after start-up. */
#define _POSIX_C_SOURCE 200809L
#include "actor.h"

#include <sched.h>
#include <time.h>

/* A wait that has been as short as a slice of an actor may end at once. */
enum { ACT_AFTER_NS = ACTOR_SLICE_NS / 2 };
enum { YIELD_NS = 2000000, SLEEP_NS = 10000, LONGEST_SLEEP_NS = 50000, SLEEP_PART = 256 };

int64_t rt_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t rt_processor_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void rt_pause_begin(const struct pmlrt *rt, struct rt_pause *p)
{
	*p = (struct rt_pause){.since = rt_now(), .spin_ns = rt->spin_ns};
}

/* A yield lets another rank of the job run at once; but beside a program that computes it can cost that one's whole
 * time slice, while a process that wakes from sleep gets its turn soon. So after some time it sleeps, the longer the
 * wait has been the longer, but never so long that a late message is found late. */
void rt_pause(struct pmlrt *rt, struct rt_pause *p)
{
	int64_t waited = rt_now() - p->since;
	if (waited >= ACT_AFTER_NS && rt_actors_act(rt))
		return;
	if (waited < p->spin_ns)
		return;
	if (waited < p->spin_ns + YIELD_NS) {
		sched_yield();
		return;
	}
	int64_t sleep = waited / SLEEP_PART;
	sleep = sleep < SLEEP_NS ? SLEEP_NS : sleep > LONGEST_SLEEP_NS ? LONGEST_SLEEP_NS : sleep;
	nanosleep(&(struct timespec){.tv_nsec = sleep}, NULL);
}

void rt_wait_begin(struct pmlrt *rt, const char *what, int32_t transfer, int32_t site)
{
	rt_came_by(rt);
	atomic_store_explicit(&rt->waiting.what, what, memory_order_relaxed);
	atomic_store_explicit(&rt->waiting.transfer, transfer, memory_order_relaxed);
	atomic_store_explicit(&rt->waiting.site, site, memory_order_relaxed);
	rt->wait_begin_ns = rt_now();
	atomic_store_explicit(&rt->waiting.since, rt->wait_begin_ns, memory_order_release);
	rt_trace_wait(rt, true);
}

void rt_wait_end(struct pmlrt *rt)
{
	rt->wait_ns += rt_now() - rt->wait_begin_ns;
	atomic_store_explicit(&rt->waiting.since, 0, memory_order_release);
	rt_trace_wait(rt, false);
}

void rt_wait_request(struct pmlrt *rt, MPI_Request *request, const char *what, int32_t site)
{
	struct rt_pause pause;
	int done = 0;
	rt_wait_begin(rt, what, -1, site);
	rt_pause_begin(rt, &pause);
	for (;;) {
		RT_CHECK_AT(rt, site, MPI_Test(request, &done, MPI_STATUS_IGNORE));
		if (done)
			break;
		rt_pause(rt, &pause);
	}
	rt_wait_end(rt);
}

void rt_barrier(struct pmlrt *rt, const char *what, int32_t site)
{
	MPI_Request request;
	RT_CHECK_AT(rt, site, MPI_Ibarrier(rt->control, &request));
	rt_wait_request(rt, &request, what, site);
}

void rt_all_reduce(struct pmlrt *rt, void *data, int count, MPI_Datatype type, MPI_Op op, const char *what,
		   int32_t site)
{
	MPI_Request request;
	RT_CHECK_AT(rt, site, MPI_Iallreduce(MPI_IN_PLACE, data, count, type, op, rt->control, &request));
	rt_wait_request(rt, &request, what, site);
}

void rt_broadcast(struct pmlrt *rt, void *data, int count, MPI_Datatype type, int root, const char *what, int32_t site)
{
	MPI_Request request;
	RT_CHECK_AT(rt, site, MPI_Ibcast(data, count, type, root, rt->control, &request));
	rt_wait_request(rt, &request, what, site);
}
