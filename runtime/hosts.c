/* hosts.c — see hosts.h. A host is known by its first rank. */
#define _DEFAULT_SOURCE
#include "hosts.h"

#include "alike.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of every rank a number, as text has them, separated by commas. */
static int32_t *read_hosts(struct pmlrt *rt, const char *text)
{
	int32_t *host = rt_alloc(rt, rt->size * (int64_t)sizeof *host);
	const char *at = text;
	char *end = NULL;
	int r = 0;
	for (; r < rt->size && *at >= '0' && *at <= '9'; r++, at = end + (*end == ',' && end[1])) {
		long number = strtol(at, &end, 10);
		if (number > INT32_MAX || (*end && *end != ','))
			break;
		host[r] = (int32_t)number;
	}
	if (r < rt->size || *at)
		rt_fail(rt, 0,
			"PMLRT_HOSTS=%s is neither `one` nor the numbers of the hosts of %d ranks, as in 0,0,1,1", text,
			rt->size);
	return host;
}

/* Names the machine of this rank: as long as it runs, no other has that number. */
static uint64_t machine_number(void)
{
	char text[256] = "";
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
	if (!f || !fgets(text, sizeof text, f))
		gethostname(text, sizeof text - 1);
	if (f)
		fclose(f);
	return rt_fact_of_text(text);
}

static int32_t *ask_hosts(struct pmlrt *rt)
{
	int32_t *host = rt_alloc(rt, rt->size * (int64_t)sizeof *host);
	uint64_t own = machine_number(), *all = rt_alloc(rt, rt->size * (int64_t)sizeof *all);
	MPI_Request request;
	RT_CHECK(rt, MPI_Iallgather(&own, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, rt->control, &request));
	rt_wait_request(rt, &request, "the hosts of all ranks", 0);
	for (int r = 0; r < rt->size; r++) {
		host[r] = 0;
		while (all[host[r]] != all[r])
			host[r]++;
	}
	rt_release(rt, all);
	return host;
}

void hosts_find(struct pmlrt *rt)
{
	const char *text = getenv("PMLRT_HOSTS");
	rt->hosts = 1;
	if (text && !strcmp(text, "one"))
		return;
	int32_t *host = text ? read_hosts(rt, text) : ask_hosts(rt);
	int32_t *known = rt_alloc(rt, rt->size * (int64_t)sizeof *known);
	rt->hosts = 0;
	for (int r = 0; r < rt->size; r++) {
		int first = 0;
		while (host[first] != host[r])
			first++;
		rt->hosts += first == r;
		known[r] = first;
	}
	rt_release(rt, host);
	host = known;
	if (rt->hosts > 1)
		rt->host = host;
	else
		rt_release(rt, host);
}
