/* ranks.c — the runtime on simulated ranks: what its files need of those that are not linked here (start, end, errors,
 * traces), and a rank's life from prepared transfers to freed memory. */
#include "ranks.h"

#include "rt.h"

#include <stdarg.h>
#include <stdlib.h>

void rt_fail(struct pmlrt *rt, int32_t site, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	(void)site;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	sim_fail("the runtime ends the program on rank %d: %s", rt->rank, text);
}

void rt_fail_mpi(struct pmlrt *rt, int32_t site, const char *call, int code)
{
	(void)site;
	sim_fail("rank %d: %s is %d", rt->rank, call, code);
}

void rt_trace_event(struct pmlrt *rt, int32_t kind, int32_t id, int64_t begin_ns, int64_t end_ns, int64_t amount)
{
	(void)rt;
	(void)kind;
	(void)id;
	(void)begin_ns;
	(void)end_ns;
	(void)amount;
}

void rt_trace_wait(struct pmlrt *rt, bool begins)
{
	(void)rt;
	(void)begins;
}

bool rt_works_times_steps(const struct pmlrt *rt)
{
	(void)rt;
	return false;
}

void rt_work_poked(struct pmlrt *rt, int64_t since_ns)
{
	(void)rt;
	(void)since_ns;
}

void rt_work_transfer_begins(struct pmlrt *rt, int32_t id)
{
	(void)rt;
	(void)id;
}

void rt_work_transfer_ends(struct pmlrt *rt, int32_t id, int64_t ns)
{
	(void)rt;
	(void)id;
	(void)ns;
}

struct pmlrt *rank_start(const struct pmlrt_program *program, int rank, int64_t few_ranks, int64_t message_elements,
			 int64_t piece_bytes, int64_t window_bytes, int64_t pull_bytes, const int32_t *host)
{
	struct pmlrt *rt = calloc(1, sizeof *rt);
	if (!rt)
		abort();
	rt->program = program;
	rt->rank = rank;
	rt->size = rt->local_size = (int)program->nranks;
	rt->few_ranks = few_ranks;
	rt->buckets = true;
	rt->host = host;
	rt->message_elements = message_elements;
	rt->piece_bytes = piece_bytes;
	rt->window_bytes = window_bytes;
	rt->pull_bytes = pull_bytes;
	rt->spin_ns = INT64_MAX; /* nothing comes by sleeping: the scheduler is called by MPI_Test */
	return rt;
}

void rank_prepare(struct pmlrt *rt)
{
	MPI_Comm_dup(MPI_COMM_WORLD, &rt->control);
	MPI_Comm_dup(MPI_COMM_WORLD, &rt->wire);
	rt_places_prepare(rt);
	rt_transfers_prepare(rt);
	rt_places_connect(rt);
	rt_transfers_connect(rt);
}

void rank_end(struct pmlrt *rt)
{
	rt_free_all(rt);
	free(rt);
}
