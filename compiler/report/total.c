/* total.c — sums over regions and roles of a report, and the words of its columns. */
#include "../layout/exchange.h"
#include "report.h"

#include <inttypes.h>
#include <string.h>

static const char *const when_text[] = {
#define WHEN(name, text, description) [REPORT_##name] = text,
#include "when.def"
#undef WHEN
};
static const char *const when_description[] = {
#define WHEN(name, text, description) [REPORT_##name] = description,
#include "when.def"
#undef WHEN
};
static const char *const phase_text[] = {
#define PHASE(name, text) [REPORT_##name] = text,
#include "phase.def"
#undef PHASE
};
static const char *const kinds[] = {
#define REDIST(name, text, most) text,
#include "../../runtime/redist.def"
#undef REDIST
};

const char *report_when_text(enum report_when w)
{
	return when_text[w];
}

const char *report_when_description(enum report_when w)
{
	return when_description[w];
}

const char *report_phase_text(enum report_phase p)
{
	return phase_text[p];
}

const char *report_kind(int i)
{
	return i < (int)(sizeof kinds / sizeof *kinds) ? kinds[i] : NULL;
}

const char *report_runs_text(struct arena *a, const struct report_runs *r)
{
	struct text t;
	text_init(&t, a);
	if (r->times > 1)
		text_printf(&t, "%" PRId64 " times", r->times);
	if (r->times == 0)
		text_add(&t, "several times");
	if (r->every > 1)
		text_printf(&t, "%severy %" PRId64, t.n ? ", " : "", r->every);
	return text_get(&t);
}

int64_t report_times(const struct report *r, const struct report_transfer *x)
{
	int64_t times = r->regions.at[x->region].runs.times;
	return count_mul(times ? times : 1, x->turns ? x->turns : 1);
}

int64_t report_flops(const struct report *r, enum report_when when)
{
	int64_t flops = 0;
	for (int i = 0; i < r->regions.n; i++) {
		const struct report_runs *runs = &r->regions.at[i].runs;
		if (runs->when == when)
			flops = count_add(flops, count_mul(r->regions.at[i].flops, runs->times ? runs->times : 1));
	}
	return flops;
}

int64_t report_busiest_flops(const struct report *r, enum report_when when, const char **role)
{
	int64_t most = 0;
	*role = "";
	for (int i = 0; i < r->roles.n; i++) {
		int64_t flops = 0;
		for (int k = 0; k < r->roles.at[i].work.n; k++) {
			const struct report_work *w = &r->roles.at[i].work.at[k];
			const struct report_runs *runs = &r->regions.at[w->region].runs;
			if (runs->when == when)
				flops = count_add(flops, count_mul(w->flops, runs->times ? runs->times : 1));
		}
		if (flops > most)
			*role = r->roles.at[i].name;
		most = flops > most ? flops : most;
	}
	return most;
}

bool report_has_times(const struct report *r)
{
	return r->machine && *r->machine;
}

bool report_is_mean(const struct report *r)
{
	bool is_mean = false;
	for (int i = 0; i < r->regions.n; i++) {
		const struct report_runs *runs = &r->regions.at[i].runs;
		is_mean |= report_share(runs) > 0 && (runs->every > 1 || runs->sides > 1);
	}
	return is_mean;
}

/* Of a step that some regions run in now and then. */
static int64_t step_ns(const struct report *r)
{
	double ns = 0;
	for (int i = 0; i < r->region_times.n; i++)
		ns += (double)r->region_times.at[i].ns *
		      report_share(&r->regions.at[r->region_times.at[i].region].runs);
	return ns < 9e18 ? (int64_t)(ns + 0.5) : INT64_MAX;
}

int64_t report_ns(const struct report *r, enum report_when when)
{
	int64_t ns = 0;
	if (when == REPORT_STEP)
		return step_ns(r);
	for (int i = 0; i < r->region_times.n; i++) {
		const struct report_region_times *x = &r->region_times.at[i];
		const struct report_runs *runs = &r->regions.at[x->region].runs;
		if (runs->when == when)
			ns = count_add(ns, count_mul(x->ns, runs->times ? runs->times : 1));
	}
	return ns;
}

int64_t report_memory_all(const struct report_memory *m)
{
	const int64_t all[] = {m->parameters, m->state, m->values, m->arena, m->data, m->staging, m->windows};
	int64_t sum = 0;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		sum = count_add(sum, all[i]);
	return sum;
}

int64_t report_memory_most(const struct report *r)
{
	int64_t most = 0;
	for (int i = 0; i < r->roles.n; i++) {
		int64_t bytes = report_memory_all(&r->roles.at[i].memory);
		most = bytes > most ? bytes : most;
	}
	return most;
}
