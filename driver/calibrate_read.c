/* calibrate_read.c — what the probes of a run took. */
#include "calibrate.h"

#include "base/json.h"
#include "base/map.h"
#include "compiler/seconds/measured.h"
#include "compiler/seconds/work_json.h"
#include "file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two times of a probe differ by less than this factor if only chance is between them. */
static const double ALIKE[] = {[PROBES_COMPUTING] = 1.03, [PROBES_OF_LINKS] = 1.15};

static const char *region_name(const struct probes *all, const struct probe *x)
{
	return arena_printf(all->arena, "main:%d", x->line);
}

const struct plan *probe_plan(const struct probes *all, const struct program *p, const struct probe *x)
{
	const char *name = region_name(all, x);
	for (int i = 0; i < p->regions.n; i++)
		if (!strcmp(p->regions.at[i]->name, name))
			return p->roles.at[0]->plans[i];
	return NULL;
}

bool probe_times(const struct plan *plan, int step)
{
	for (int l = 0; l < plan->loops.n; l++)
		if (step >= plan->loops.at[l].begin && step <= plan->loops.at[l].end)
			return false;
	return true;
}

/* Whether anything went from host to host. */
static bool are_apart(const struct json *profile)
{
	const struct json *transfers = json_get(profile, "transfers");
	bool apart = false;
	for (int i = 0; transfers && i < transfers->items.n; i++) {
		const struct json *bytes = json_get(transfers->items.at[i], "between_hosts");
		apart = apart || (bytes && bytes->number > 0);
	}
	return apart;
}

/* What each kind of work took on the rank that took longest. */
struct times {
	struct arena *arena;
	struct works works;
	struct interner *kinds; /* as they are printed */
	struct map ns;          /* kind -> double */
};

static const char *kind_of(const struct times *t, const struct step_work *w)
{
	struct text text;
	text_init(&text, t->arena);
	work_print(&text, w, "");
	return intern(t->kinds, text_get(&text));
}

static struct times times_of(struct arena *a, const struct program *p, const struct measured *m)
{
	struct times t = {.arena = a, .works = works_of(a, p, m->vector_bytes), .kinds = interner_new(a)};
	map_init(&t.ns, a);
	for (int i = 0; i < m->works.n; i++) {
		const struct measured_work *w = &m->works.at[i];
		const char *kind = kind_of(&t, &w->work);
		const double *known = map_get(&t.ns, kind);
		if (!known || *known < w->ns)
			map_set(&t.ns, kind, (void *)(uintptr_t)&w->ns);
	}
	return t;
}

double probe_region_ns(const struct json *profile, const char *region, const char *which)
{
	const struct json *regions = json_get(profile, "regions");
	for (int i = 0; regions && i < regions->items.n; i++) {
		const struct json *ms = json_get(regions->items.at[i], which);
		if (!strcmp(json_get_text(regions->items.at[i], "name"), region) && ms)
			return ms->number * 1e6 > 1 ? ms->number * 1e6 : 1;
	}
	return 0;
}

static double steps_ns(struct times *t, const struct plan *plan)
{
	double sum = 0;
	for (int i = 0; plan && i < plan->steps.n; i++) {
		struct step_work w = step_work(&t->works, plan, &plan->steps.at[i]);
		if (!work_is_timed(&w) || !probe_times(plan, i))
			continue;
		const double *ns = map_get(&t->ns, kind_of(t, &w));
		if (!ns)
			return 0;
		sum += *ns;
	}
	return sum;
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Which of a probe's runs counts, from the quickest on: the first; of links the second. */
static int run_that_counts(const struct probe *x, enum link link)
{
	return probe_is_of_link(x) && x->runs[link].n > 2;
}

static void take(struct arena *a, struct probe *x, enum link link, double ns)
{
	vec_push(a, &x->runs[link], ns);
	qsort(x->runs[link].at, (size_t)x->runs[link].n, sizeof ns, by_size);
	x->ns[link] = x->runs[link].at[run_that_counts(x, link)];
}

double probes_unsettled(const struct probes *all, enum probe_set set)
{
	int of_set = 0, unsettled = 0;
	for (int i = 0; i < all->rows.n; i++) {
		const struct probe *x = &all->rows.at[i];
		for (int l = 0; l < (set == PROBES_OF_LINKS ? LINKS : 1); l++) {
			const double *run = x->runs[l].at;
			if (probe_is_of_link(x) != (set == PROBES_OF_LINKS))
				continue;
			of_set++;
			int at = run_that_counts(x, (enum link)l);
			unsettled += x->runs[l].n < at + 2 || run[at + 1] > run[at] * ALIKE[set];
		}
	}
	return of_set ? (double)unsettled / of_set : 0;
}

bool probes_read(struct probes *all, const struct program *p, enum link link, const char *path)
{
	size_t n;
	const char *error = NULL, *text = file_text(all->arena, path, &n);
	const struct json *j = text ? json_read(all->arena, text, n, &error) : NULL;
	const struct measured *m = j ? measured_of(all->arena, j, &error) : NULL;
	if (!m) {
		fprintf(stderr, "pmlc: %s: %s\n", path, error ? error : "cannot be read");
		return false;
	}
	struct times times = times_of(all->arena, p, m);
	all->apart = are_apart(j);
	for (int i = 0; i < all->rows.n; i++) {
		struct probe *x = &all->rows.at[i];
		bool of_link = probe_is_of_link(x);
		if (link == LINK_OF_MESSAGES && !of_link)
			continue;
		/* A step has many messages between hosts, of which some are held up as they come: the least is none. */
		const char *which = of_link && all->apart ? "median_ms" : "least_ms";
		double ns = x->kind == PROBE_MEMORY ? steps_ns(&times, probe_plan(all, p, x))
						    : probe_region_ns(j, region_name(all, x), which);
		if (!ns) {
			fprintf(stderr, "pmlc: %s: no time of region %s\n", path, region_name(all, x));
			return false;
		}
		for (int l = link; l < (of_link && all->apart ? LINKS : (int)link + 1); l++)
			take(all->arena, x, (enum link)l, ns);
	}
	return true;
}
