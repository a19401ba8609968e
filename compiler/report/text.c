/* text.c — a report for people. */
#include "report.h"
#include "table.h"

#include <inttypes.h>
#include <string.h>

static const char *site_text(struct arena *a, const struct report_transfer *x)
{
	return x->line ? arena_printf(a, "%s:%d", x->file, x->line) : "";
}

static const char *turns_text(struct arena *a, int64_t turns)
{
	if (!turns)
		return "several turns";
	return turns == 1 ? "1 turn" : arena_printf(a, "%" PRId64 " turns", turns);
}

static void print_loops(struct text *out, struct arena *a, const struct report *r, int region)
{
	for (int i = 0; i < r->loops.n; i++) {
		const struct report_loop *l = &r->loops.at[i];
		if (l->region != region)
			continue;
		text_printf(out, "  %s at %s:%d: ", l->branch ? "branch" : "loop", l->file, l->line);
		if (!l->branch)
			text_printf(out, "%s of ", turns_text(a, l->turns));
		text_printf(out, "%d %s", l->steps, l->steps == 1 ? "step" : "steps");
		if (l->tape)
			text_printf(out, ", each turn adds %s to what a rank keeps", bytes_text(a, l->tape));
		text_add(out, "\n");
	}
}

static void print_unrolled(struct text *out, struct arena *a, const struct report *r)
{
	if (r->unrolled.n)
		text_add(out, "\nloops that were unrolled, and what differs between their turns or is known of each\n");
	for (int i = 0; i < r->unrolled.n; i++) {
		const struct report_unrolled *u = &r->unrolled.at[i];
		text_printf(out, "  loop at %s:%d, %s", u->file, u->line, turns_text(a, u->turns));
		if (u->kept)
			text_printf(out, ", %lld of them in loops", (long long)u->kept);
		text_printf(out, ": %s", u->why);
		bool here = !strcmp(u->file, u->at_file) && u->at == u->line;
		text_printf(out, here ? "\n" : " (%s:%d)\n", u->at_file, u->at);
	}
}

static void print_region(struct text *out, struct arena *a, const struct report *r, int region)
{
	struct table t = {.right = 1 << 7 | 1 << 8 | 1 << 9};
	int n = 0;
	for (int i = 0; i < r->transfers.n; i++) {
		const struct report_transfer *x = &r->transfers.at[i];
		if (x->region != region)
			continue;
		if (!n++)
			TABLE_ROW(a, &t, "", "kind", "axes", "tensor", "type", "from", "to", "sent", "received",
				  "in all", "source");
		const char *kind = x->bucket < 0 ? x->kind : arena_printf(a, "%s, bucket %d", x->kind, x->bucket);
		kind = *x->around ? arena_printf(a, "%s, %s", kind, x->around) : kind;
		if (x->spread)
			kind = arena_printf(a, "%s, %s if owners are spread", kind, bytes_text(a, x->spread));
		kind = x->turns == 1 ? kind : arena_printf(a, "%s, %s", kind, turns_text(a, x->turns));
		TABLE_ROW(a, &t, report_phase_text(x->phase), kind, x->axes, x->tensor, x->type, x->from, x->to,
			  bytes_text(a, x->sent_max), bytes_text(a, x->received_max), bytes_text(a, x->bytes),
			  site_text(a, x));
	}
	const struct report_region *g = &r->regions.at[region];
	const char *runs = report_runs_text(a, &g->runs);
	text_printf(out, "region %s, %s%s%s: ", g->name, report_when_description(g->runs.when), *runs ? ", " : "",
		    runs);
	if (!n) {
		text_add(out, "no transfers\n");
		print_loops(out, a, r, region);
		return;
	}
	text_printf(out, "%d %s%s\n", n, n == 1 ? "transfer" : "transfers",
		    g->is_exact ? "" : " (layouts of gradients found axis by axis: good, perhaps not the best)");
	table_print(out, &t, "  ");
	print_loops(out, a, r, region);
}

static void total_row(struct arena *a, struct table *t, const char *when, const char *what,
		      const struct report_total *total)
{
	TABLE_ROW(a, t, when, what, arena_printf(a, "%" PRId64, total->transfers), bytes_text(a, total->sent_max),
		  bytes_text(a, total->received_max), bytes_text(a, total->bytes));
}

static void print_totals(struct text *out, struct arena *a, const struct report *r)
{
	struct table t = {.right = 0x3c};
	TABLE_ROW(a, &t, "", "", "transfers", "sent", "received", "in all");
	for (int w = 0; w < REPORT_WHENS; w++) {
		struct report_total all = report_total(r, (enum report_when)w, REPORT_PHASES, NULL);
		if (!all.transfers && w != REPORT_STEP)
			continue;
		for (int p = 0; p < REPORT_PHASES; p++) {
			struct report_total one = report_total(r, (enum report_when)w, (enum report_phase)p, NULL);
			if (one.transfers)
				total_row(a, &t, report_when_text((enum report_when)w),
					  report_phase_text((enum report_phase)p), &one);
		}
		for (int k = 0; report_kind(k); k++) {
			struct report_total one = report_total(r, (enum report_when)w, REPORT_PHASES, report_kind(k));
			if (one.transfers)
				total_row(a, &t, report_when_text((enum report_when)w), report_kind(k), &one);
		}
		total_row(a, &t, report_when_text((enum report_when)w), "total", &all);
	}
	text_add(out, "bytes by phase and by kind (sent, received: by the rank with the most in all of them)\n");
	table_print(out, &t, "  ");
}

static const char *role_name(const struct report_role *r)
{
	return *r->name ? r->name : "all";
}

static void print_memory(struct text *out, struct arena *a, const struct report *r)
{
	struct table t = {.right = 0x1fe};
	TABLE_ROW(a, &t, "role", "ranks", "parameters", "state", "values", "arena", "data", "staging", "windows",
		  "total");
	for (int i = 0; i < r->roles.n; i++) {
		const struct report_role *role = &r->roles.at[i];
		const struct report_memory *m = &role->memory;
		TABLE_ROW(a, &t, role_name(role), arena_printf(a, "%d", role->ranks), bytes_text(a, m->parameters),
			  bytes_text(a, m->state), bytes_text(a, m->values), bytes_text(a, m->arena),
			  bytes_text(a, m->data), bytes_text(a, m->staging), bytes_text(a, m->windows),
			  bytes_text(a, report_memory_all(m)));
	}
	text_add(out, "memory per rank (arena: activations and gradients; data: a batch in use and those read ahead; "
		      "staging: of messages; windows: what ranks of one host share instead)\n");
	table_print(out, &t, "  ");
}

/* Where a rank has a tenth more to do than the mean, the others wait for it. */
static void print_imbalance(struct text *out, struct arena *a, const struct report *r)
{
	const char *role;
	int64_t most = report_busiest_flops(r, REPORT_STEP, &role), all = report_flops(r, REPORT_STEP);
	double over = all > 0 ? (double)most * (double)r->ranks / (double)all : 0;
	if (over >= 1.1)
		text_printf(out, "a rank of role %s has %s of them, %.2f times the mean\n", *role ? role : "all",
			    count_text(a, most), over);
}

static void print_work(struct text *out, struct arena *a, const struct report *r)
{
	struct table t = {.right = 0xfc};
	TABLE_ROW(a, &t, "role", "region", "FLOPs", "in products", "products", "kernels", "transfers", "sent",
		  "received");
	for (int i = 0; i < r->roles.n; i++)
		for (int k = 0; k < r->roles.at[i].work.n; k++) {
			const struct report_role *role = &r->roles.at[i];
			const struct report_work *w = &role->work.at[k];
			TABLE_ROW(a, &t, role_name(role), r->regions.at[w->region].name, count_text(a, w->flops),
				  count_text(a, w->product_flops), arena_printf(a, "%d", w->products),
				  arena_printf(a, "%d", w->kernels), arena_printf(a, "%d", w->transfers),
				  bytes_text(a, w->sent), bytes_text(a, w->received));
		}
	text_add(out, "work per rank\n");
	table_print(out, &t, "  ");
	text_printf(out, "FLOPs of all ranks in a step: %s\n", count_text(a, report_flops(r, REPORT_STEP)));
	print_imbalance(out, a, r);
}

void report_print(struct text *t, const struct report *r)
{
	struct arena *scratch = arena_new("plan report");
	text_printf(t, "%s: %" PRId64 " %s, %d %s\n\n", r->program, r->ranks, r->ranks == 1 ? "rank" : "ranks",
		    r->roles.n, r->roles.n == 1 ? "role" : "roles");
	for (int i = 0; i < r->regions.n; i++)
		print_region(t, scratch, r, i);
	text_add(t, "\n");
	print_unrolled(t, scratch, r);
	report_print_stages(t, scratch, r);
	print_totals(t, scratch, r);
	text_add(t, "\n");
	print_memory(t, scratch, r);
	text_add(t, "\n");
	print_work(t, scratch, r);
	report_print_times(t, scratch, r);
	arena_free(scratch);
}
