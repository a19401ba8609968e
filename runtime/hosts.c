/* hosts.c — see hosts.h. A host is known by its first rank. */
#define _DEFAULT_SOURCE
#include "hosts.h"

#include "alike.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One number for each rank, or NULL. */
static int32_t *read_hosts(struct pmlrt *rt, const char *text)
{
	int32_t *host = rt_alloc(rt, rt->size * (int64_t)sizeof *host);
	char *end;
	for (int r = 0; r < rt->size; r++, text = end + (*end == ',')) {
		host[r] = (int32_t)strtol(text, &end, 10);
		if (end == text)
			rt_fail(rt, 0, "PMLRT_HOSTS names the hosts of %d of %d ranks", r, rt->size);
	}
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
	rt->hosts = 0;
	for (int r = 0; r < rt->size; r++) {
		int first = 0;
		while (host[first] != host[r])
			first++;
		rt->hosts += first == r;
	}
	if (rt->hosts > 1)
		rt->host = host;
	else
		rt_release(rt, host);
}
