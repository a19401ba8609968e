/* progress.c — header, progress and footer, all on stderr and by rank 0: results alone go to stdout. A bar only on a
 * terminal, at most ten times a second; elsewhere a plain line every ten seconds. */
#define _POSIX_C_SOURCE 200809L
#include "rt.h"
#include "transfer.h"

#include <string.h>
#include <unistd.h>

enum { BAR_NS = 100000000, BAR_WIDTH = 30 };
static const int64_t PLAIN_NS = 10000000000;

static int64_t count_params(const struct pmlrt_program *p)
{
	int64_t n = 0;
	for (int32_t i = 0; i < p->nslots; i++)
		if (p->slots[i].slot_class == PMLRT_PARAM)
			n += rt_type_volume(&p->types[p->slots[i].type]);
	return n;
}

void rt_header(struct pmlrt *rt)
{
	const struct pmlrt_program *p = rt->program;
	int64_t most = rt->slot_bytes + rt->arena_bytes + rt->batch_bytes + rt->staging_bytes + rt->windows_shared;
	char bytes[32];
	if (rt->options.quiet)
		return;
	rt_all_reduce(rt, &most, 1, MPI_INT64_T, MPI_MAX, "the header", 0);
	if (rt->rank != 0)
		return;
	fprintf(stderr, "%s (%s, pmlc %s, plan %08llx): %d rank%s, %lld parameters, %s per rank, seed %lld\n", p->name,
		p->source, p->version, (unsigned long long)(p->fingerprint >> 32), rt->size, rt->size == 1 ? "" : "s",
		(long long)count_params(p), rt_bytes_text(most, bytes, sizeof bytes), (long long)rt->options.seed);
	for (int32_t i = 0; i < p->nconfigs; i++)
		if (rt->configs[i].given)
			fprintf(stderr, "  %s = %s\n", p->configs[i].name, rt->configs[i].text);
}

static bool shows_bar(const struct pmlrt *rt)
{
	if (rt->rank != 0 || rt->options.quiet || rt->options.progress == RT_NEVER)
		return false;
	return rt->options.progress == RT_ALWAYS || isatty(STDERR_FILENO);
}

void rt_progress_clear(struct pmlrt *rt)
{
	if (rt->bar_drawn)
		fprintf(stderr, "\r\033[K");
	rt->bar_drawn = false;
}

static void draw_bar(struct pmlrt *rt, int64_t done, int64_t total)
{
	char bar[BAR_WIDTH + 1];
	int64_t full = total ? done * BAR_WIDTH / total : 0;
	for (int i = 0; i < BAR_WIDTH; i++)
		bar[i] = i < full ? '#' : '.';
	bar[BAR_WIDTH] = 0;
	fprintf(stderr, "\r[%s] %lld/%lld\033[K", bar, (long long)done, (long long)total);
	rt->bar_drawn = true;
}

void rt_progress_show(struct pmlrt *rt, int64_t done, int64_t total)
{
	if (rt->rank != 0 || rt->options.quiet || rt->options.progress == RT_NEVER)
		return;
	int64_t now = rt_now();
	if (!rt->plain_at)
		rt->plain_at = now;
	if (now - rt->bar_at < BAR_NS)
		return;
	rt->bar_at = now;
	if (shows_bar(rt)) {
		draw_bar(rt, done, total);
	} else if (now - rt->plain_at > PLAIN_NS) {
		rt->plain_at = now;
		fprintf(stderr, "batch %lld of %lld, step %lld, %.0f s\n", (long long)done, (long long)total,
			(long long)rt_step(rt), (double)(now - rt->start_ns) * 1e-9);
	}
}

/* The transfer that cost most waiting on this rank, or NULL. */
static const struct rt_transfer *slowest_transfer(const struct pmlrt *rt)
{
	const struct rt_transfer *worst = NULL;
	for (int32_t i = 0; i < rt->program->ntransfers; i++)
		if (rt->transfers[i].waited_ns > (worst ? worst->waited_ns : 0))
			worst = &rt->transfers[i];
	return worst;
}

void rt_footer(struct pmlrt *rt)
{
	if (rt->rank == 0 && rt->options.steps != INT64_MAX && !rt->has_steps)
		fprintf(stderr,
			"warning: --steps=%lld ended nothing: it counts the turns of loops that train, take batches or "
			"assign states\n",
			(long long)rt->options.steps);
	if (rt->options.quiet || rt->rank != 0)
		return;
	double total = (double)(rt_now() - rt->entry_ns) * 1e-9, waited = (double)rt->wait_ns * 1e-9;
	const struct rt_transfer *worst = slowest_transfer(rt);
	char place[512];
	fprintf(stderr, "done in %.2f s", total);
	if (rt->size > 1 && total > 0)
		fprintf(stderr, ", %.0f %% of it waiting", 100 * waited / total);
	if (worst && worst->waited_ns > 1000000)
		fprintf(stderr, ", most at %s (`%s`, %.2f s)", rt_site_text(rt, worst->site, place, sizeof place),
			rt->program->sites[worst->site].what, (double)worst->waited_ns * 1e-9);
	fprintf(stderr, "\n");
}
