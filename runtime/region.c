/* region.c — how long regions take: for --profile the duration of every call, for a trace an event each. The durations
 * of a region lie in a buffer of fixed size; when it is full every second one is dropped, and from then on fewer are
 * kept, so that the median is that of calls spread evenly over the run. */
#define _POSIX_C_SOURCE 200809L
#include "rt.h"

#include <stdlib.h>
#include <time.h>

enum { SAMPLES = 1 << 12 };

struct rt_region {
	int64_t calls, total_ns, begun_ns, least_ns;
	int64_t processor_ns, processor_begun_ns; /* least of a call; at its begin */
	int64_t kept, stride;                     /* every stride-th call is kept */
	int64_t ns[SAMPLES];
};

void rt_regions_start(struct pmlrt *rt)
{
	int64_t n = rt->program->nregions;
	if (!rt->options.profile || !n)
		return;
	rt->regions = rt_alloc_large(rt, n * (int64_t)sizeof *rt->regions);
	for (int64_t i = 0; i < n; i++)
		rt->regions[i].stride = 1;
}

static void keep(struct rt_region *r, int64_t ns)
{
	if (r->calls % r->stride)
		return;
	if (r->kept == SAMPLES) {
		for (int64_t i = 0; i < SAMPLES / 2; i++)
			r->ns[i] = r->ns[2 * i];
		r->kept /= 2;
		r->stride *= 2;
		if (r->calls % r->stride)
			return;
	}
	r->ns[r->kept++] = ns;
}

/* What this process has used: what it did not get because others ran is not in it. */
static int64_t processor_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void pmlrt_region_begin(struct pmlrt *rt, int32_t region)
{
	rt_came_by(rt);
	if (!rt->regions)
		return;
	rt->regions[region].processor_begun_ns = processor_now();
	rt->regions[region].begun_ns = rt_now();
}

void pmlrt_region_end(struct pmlrt *rt, int32_t region)
{
	rt_came_by(rt);
	if (!rt->regions)
		return;
	struct rt_region *r = &rt->regions[region];
	pmlrt_pass(rt, NULL, -1, -1, 0);
	int64_t now = rt_now();
	int64_t used = processor_now() - r->processor_begun_ns;
	keep(r, now - r->begun_ns);
	if (!r->calls || now - r->begun_ns < r->least_ns)
		r->least_ns = now - r->begun_ns;
	if (!r->calls || used < r->processor_ns)
		r->processor_ns = used;
	r->calls++;
	r->total_ns += now - r->begun_ns;
	rt_trace_event(rt, RT_EVENT_REGION, region, r->begun_ns, now, 0);
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

struct rt_region_times rt_region_times(struct pmlrt *rt, int32_t region)
{
	struct rt_region *r = &rt->regions[region];
	qsort(r->ns, (size_t)r->kept, sizeof *r->ns, compare);
	return (struct rt_region_times){.calls = r->calls,
				       .median_ns = r->kept ? r->ns[r->kept / 2] : 0,
				       .least_ns = r->least_ns,
				       .total_ns = r->total_ns,
				       .processor_ns = r->processor_ns};
}
