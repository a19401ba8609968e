/* times.c — what `pmlc plan --machine` shows: how long a step takes, where, and what it waits for. */
#include "report.h"
#include "table.h"

#include <string.h>

const char *report_ns_text(struct arena *a, int64_t ns)
{
	static const char *const unit[] = {"ns", "us", "ms", "s"};
	double v = (double)ns;
	int u = 0;
	while (v >= 999.5 && u < 3) {
		v /= 1000;
		u++;
	}
	return arena_printf(a, u && v < 9.995 ? "%.2f %s" : u && v < 99.95 ? "%.1f %s" : "%.0f %s", v, unit[u]);
}

static const char *percent(struct arena *a, int64_t part, int64_t whole)
{
	return arena_printf(a, "%.1f %%", whole ? 100 * (double)part / (double)whole : 0.0);
}

static const char *role_name(const char *name)
{
	return *name ? name : "all";
}

static void print_regions(struct text *out, struct arena *a, const struct report *r)
{
	struct table t = {.right = 0xfe};
	TABLE_ROW(a, &t, "region", "time", "computing", "messages", "waiting", "idle", "");
	for (int i = 0; i < r->region_times.n; i++) {
		const struct report_region_times *x = &r->region_times.at[i];
		const struct report_region *g = &r->regions.at[x->region];
		const char *runs = report_runs_text(a, &g->runs);
		TABLE_ROW(a, &t, g->name, report_ns_text(a, x->ns), report_ns_text(a, x->mean.compute),
			  report_ns_text(a, x->mean.talk), report_ns_text(a, x->mean.wait),
			  percent(a, x->mean.wait, x->ns),
			  arena_printf(a, "%s%s%s", report_when_description(g->runs.when), *runs ? ", " : "", runs));
	}
	text_printf(out,
		    "time on `%s`, predicted (means over ranks; waiting: for messages, and for the last rank to end)\n",
		    r->machine);
	t.right = 0x3e;
	table_print(out, &t, "  ");
}

static void print_roles(struct text *out, struct arena *a, const struct report *r)
{
	struct table t = {.right = 0xfc};
	if (r->roles.n < 2)
		return;
	TABLE_ROW(a, &t, "role", "region", "ranks", "ends after", "computing", "messages", "waiting", "idle");
	for (int i = 0; i < r->role_times.n; i++) {
		const struct report_role_times *x = &r->role_times.at[i];
		int64_t all = x->mean.compute + x->mean.talk + x->mean.wait;
		TABLE_ROW(a, &t, role_name(x->role), r->regions.at[x->region].name,
			  arena_printf(a, "%lld", (long long)x->ranks), report_ns_text(a, x->last),
			  report_ns_text(a, x->mean.compute), report_ns_text(a, x->mean.talk),
			  report_ns_text(a, x->mean.wait), percent(a, x->mean.wait, all));
	}
	table_print(out, &t, "  ");
}

/* What takes a thousandth of its region at least, on the critical path or of a rank's time. */
static void print_lines(struct text *out, struct arena *a, const struct report *r)
{
	struct table t = {.right = 0x7c};
	TABLE_ROW(a, &t, "source", "", "computing", "messages", "waiting", "critical", "of it messages' way", "region");
	for (int i = 0; i < r->line_times.n; i++) {
		const struct report_line_times *x = &r->line_times.at[i];
		const struct report_region_times *g = NULL;
		for (int k = 0; k < r->region_times.n; k++)
			if (r->region_times.at[k].region == x->region)
				g = &r->region_times.at[k];
		int64_t most = x->mean.compute + x->mean.talk + x->mean.wait, path = x->path + x->way;
		if (!g || (most > path ? most : path) * 1000 < g->ns)
			continue;
		TABLE_ROW(a, &t, x->line ? arena_printf(a, "%s:%d", x->file, x->line) : "no line of its own", x->what,
			  report_ns_text(a, x->mean.compute), report_ns_text(a, x->mean.talk),
			  report_ns_text(a, x->mean.wait), report_ns_text(a, path), report_ns_text(a, x->way),
			  r->regions.at[x->region].name);
	}
	text_add(out,
		 "by source line (critical: on the longest chain of steps and messages that wait for each other)\n");
	table_print(out, &t, "  ");
}

void report_print_times(struct text *out, struct arena *a, const struct report *r)
{
	if (!report_has_times(r))
		return;
	text_add(out, "\n");
	print_regions(out, a, r);
	print_roles(out, a, r);
	for (int w = 0; w < REPORT_WHENS; w++)
		if (report_ns(r, (enum report_when)w))
			text_printf(out, "  %s: %s in all\n", report_when_text((enum report_when)w),
				    report_ns_text(a, report_ns(r, (enum report_when)w)));
	if (report_is_mean(r))
		text_printf(out, "  %s\n", report_mean);
	text_add(out, "\n");
	print_lines(out, a, r);
}
