/* times.c — see times.h. Plays of regions, summed up by role, step and source line. */
#include "times.h"

#include <math.h>
#include <string.h>

const char *times_refused(struct arena *a, const struct program *p, const struct machine *m)
{
	if (machine_ranks(m) < p->nranks)
		return arena_printf(a, "the machine has %lld %s, and the program %lld", (long long)machine_ranks(m),
				    machine_ranks(m) == 1 ? "rank" : "ranks", (long long)p->nranks);
	for (int i = 0; i < m->processors.n; i++) {
		const char *missing = price_missing(a, p, &m->processors.at[i]);
		if (missing)
			return arena_printf(a, "processor `%s` has no rates of %s", m->processors.at[i].name, missing);
	}
	return NULL;
}

static int64_t ns_of(double ns)
{
	return (int64_t)floor(ns + 0.5);
}

static struct report_times times_of(const struct play_times *t, double n)
{
	return (struct report_times){ns_of(t->compute / n), ns_of(t->talk / n), ns_of(t->wait / n)};
}

static void add_times(struct play_times *to, const struct play_times *t)
{
	to->compute += t->compute;
	to->talk += t->talk;
	to->wait += t->wait;
}

/* ---- lines ---- */

/* Sums of a line of the source. */
struct line {
	struct line_column at;
	const struct source *source;
	const char *what;
	struct play_times times;
	double path, way;
};

struct lines {
	struct arena *arena;
	const struct program *program;
	VEC(struct line) all;
};

const char *times_step_text(struct arena *a, const struct program *p, const struct plan_step *s)
{
	switch (s->kind) {
	case STEP_KERNEL:
		return arena_printf(a, "kernel %s", s->kernel->name);
	case STEP_GEMM:
		return arena_printf(a, "product %lld x %lld x %lld", (long long)s->gemm->m, (long long)s->gemm->n,
				    (long long)s->gemm->k);
	case STEP_FOURIER:
		return "transform";
	case STEP_SORTED:
		return "sort";
	case STEP_FACTORS:
		return factors_what(s->factors->way);
	case STEP_CHECK:
		return "check of indices";
	case STEP_TRANSFER_BEGIN:
	case STEP_TRANSFER_END:
		return arena_printf(a, "%s %s", redist_text(p->transfers.at[s->transfer].redist.method),
				    p->transfers.at[s->transfer].name);
	case STEP_BATCH_READ:
		return "batch";
	case STEP_COPY:
		return "copy";
	case STEP_LOOP_BEGIN:
	case STEP_LOOP_TEST:
	case STEP_LOOP_END:
		return "loop";
	case STEP_EXCHANGE:
	case STEP_HAND:
	case STEP_RESULT:
	case STEP_PASS_BEGIN:
		return "";
	}
	return "";
}

const struct source *times_source(const struct program *p, struct span at, struct line_column *position)
{
	const struct session *s = p->session;
	const struct source *source = at.file && (int)at.file < s->sources.n ? &s->sources.at[at.file] : NULL;
	*position = source ? source_position(source, at.begin) : (struct line_column){0};
	return source;
}

/* Steps without a place in the source share the line 0. */
static struct line *line_of(struct lines *l, const struct plan_step *s)
{
	struct line_column at;
	const struct source *source = times_source(l->program, s->span, &at);
	for (int i = 0; i < l->all.n; i++)
		if (l->all.at[i].source == source && l->all.at[i].at.line == at.line)
			return &l->all.at[i];
	struct line x = {.at = at, .source = source, .what = times_step_text(l->arena, l->program, s)};
	vec_push(l->arena, &l->all, x);
	return &l->all.at[l->all.n - 1];
}

static bool comes_before(const struct line *a, const struct line *b)
{
	if (a->source != b->source)
		return a->source < b->source;
	return a->at.line < b->at.line;
}

static void add_lines(struct report *r, struct lines *l, int region, double ranks)
{
	for (int i = 1; i < l->all.n; i++)
		for (int k = i; k > 0 && comes_before(&l->all.at[k], &l->all.at[k - 1]); k--) {
			struct line x = l->all.at[k];
			l->all.at[k] = l->all.at[k - 1];
			l->all.at[k - 1] = x;
		}
	for (int i = 0; i < l->all.n; i++) {
		const struct line *x = &l->all.at[i];
		struct report_line_times row = {.region = region,
						.file = x->source ? arena_strdup(r->arena, x->source->path) : "",
						.what = arena_strdup(r->arena, x->what),
						.line = x->at.line,
						.mean = times_of(&x->times, ranks),
						.path = ns_of(x->path),
						.way = ns_of(x->way)};
		vec_push(r->arena, &r->line_times, row);
	}
}

/* ---- a region ---- */

static void add_steps(struct report *r, struct lines *l, const struct program *p, const struct play *play, int region)
{
	for (int i = 0; i < p->roles.n; i++) {
		const struct role *role = p->roles.at[i];
		const struct plan *plan = role->plans[region];
		for (int k = 0; plan && k < plan->steps.n; k++) {
			const struct play_times *t = &play->step[i][k];
			if (t->compute + t->talk + t->wait <= 0)
				continue;
			struct line *line = line_of(l, &plan->steps.at[k]);
			add_times(&line->times, t);
			struct report_step_times row = {
				.region = region,
				.role = arena_strdup(r->arena, role->name),
				.what = times_step_text(r->arena, p, &plan->steps.at[k]),
				.file = line->source ? arena_strdup(r->arena, line->source->path) : "",
				.step = k,
				.line = line->at.line,
				.mean = times_of(t, role->ranks.n)};
			vec_push(r->arena, &r->step_times, row);
		}
	}
}

static void add_path(struct arena *scratch, struct lines *l, const struct program *p, const struct play *play,
		     int region)
{
	struct play_path path = play_critical(scratch, play);
	for (int i = 0; i < path.links.n; i++) {
		const struct play_link *x = &path.links.at[i];
		const struct plan *plan = p->roles.at[play->rank[x->rank].role]->plans[region];
		struct line *line = line_of(l, &plan->steps.at[x->step]);
		*(x->kind == PLAY_WAIT ? &line->way : &line->path) += x->end - x->begin;
	}
}

/* What a rank does not compute until the last has ended, it waits. */
static struct play_times with_end(const struct play *play, const struct play_rank *rank)
{
	struct play_times t = rank->times;
	t.wait = play->end - t.compute - t.talk;
	return t;
}

static void add_roles(struct report *r, const struct program *p, const struct play *play, int region,
		      struct play_times *all)
{
	for (int i = 0; i < p->roles.n; i++) {
		const struct role *role = p->roles.at[i];
		struct play_times sum = {0};
		double last = 0;
		for (int k = 0; k < role->ranks.n; k++) {
			const struct play_rank *rank = &play->rank[role->ranks.at[k]];
			struct play_times t = with_end(play, rank);
			add_times(&sum, &t);
			last = rank->end > last ? rank->end : last;
		}
		add_times(all, &sum);
		if (!role->plans[region])
			continue;
		struct report_role_times row = {.region = region,
						.role = arena_strdup(r->arena, role->name),
						.ranks = role->ranks.n,
						.last = ns_of(last),
						.mean = times_of(&sum, role->ranks.n)};
		vec_push(r->arena, &r->role_times, row);
	}
}

static void add_region(struct report *r, const struct program *p, int region, const struct machine *m,
		       const struct play_options *o)
{
	struct arena *scratch = arena_new("play");
	struct play *play = play_region(scratch, p, region, m, o);
	struct lines lines = {.arena = scratch, .program = p};
	struct play_times all = {0};
	add_steps(r, &lines, p, play, region);
	add_path(scratch, &lines, p, play, region);
	add_lines(r, &lines, region, (double)p->nranks);
	add_roles(r, p, play, region, &all);
	struct report_region_times row = {
		.region = region, .ns = ns_of(play->end), .mean = times_of(&all, (double)p->nranks)};
	vec_push(r->arena, &r->region_times, row);
	arena_free(scratch);
}

void times_add(struct report *r, const struct program *p, const struct machine *m, const struct play_options *o)
{
	r->machine = arena_strdup(r->arena, m->name);
	for (int i = 0; i < p->regions.n; i++)
		add_region(r, p, i, m, o);
}
