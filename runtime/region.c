/* region.c — how long regions take: for --profile the duration of every call, for a trace an event each. */
#define _POSIX_C_SOURCE 200809L
#include "rt.h"
#include "samples.h"
#include "windows.h"

#include <time.h>

enum { SAMPLES = 1 << 12 };

struct rt_region {
	int64_t calls, total_ns, begun_ns, least_ns;
	int64_t processor_ns, processor_begun_ns; /* least of a call; at its begin */
	struct rt_samples samples;
};

void rt_regions_start(struct pmlrt *rt)
{
	int64_t n = rt->program->nregions;
	if (!rt->options.profile || !n)
		return;
	rt->regions = rt_alloc_large(rt, n * (int64_t)sizeof *rt->regions);
	int64_t *ns = rt_alloc_large(rt, n * SAMPLES * (int64_t)sizeof *ns);
	for (int64_t i = 0; i < n; i++)
		rt->regions[i].samples = rt_samples_in(ns + i * SAMPLES, SAMPLES);
}

/* What all threads of this process have used: what they did not get because others ran is not in it. */
static int64_t process_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void pmlrt_region_begin(struct pmlrt *rt, int32_t region)
{
	rt_came_by(rt);
	windows_settle(rt);
	if (!rt->regions)
		return;
	rt->regions[region].processor_begun_ns = process_now();
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
	int64_t used = process_now() - r->processor_begun_ns;
	rt_sample(&r->samples, now - r->begun_ns);
	if (!r->calls || now - r->begun_ns < r->least_ns)
		r->least_ns = now - r->begun_ns;
	if (!r->calls || used < r->processor_ns)
		r->processor_ns = used;
	r->calls++;
	r->total_ns += now - r->begun_ns;
	rt_trace_event(rt, RT_EVENT_REGION, region, r->begun_ns, now, 0);
}

struct rt_region_times rt_region_times(struct pmlrt *rt, int32_t region)
{
	struct rt_region *r = &rt->regions[region];
	return (struct rt_region_times){.calls = r->calls,
					.median_ns = rt_samples_above(&r->samples, 5),
					.least_ns = r->least_ns,
					.total_ns = r->total_ns,
					.processor_ns = r->processor_ns};
}
