/* simulate.c — see simulate.h. Regions of a step are played one after the other, each of them once however often it
 * runs. */
#include "simulate.h"

#include "times.h"

#include <math.h>

/* Sums by level, of which the busiest unit is that of the longest region. */
static void add_uses(struct arena *a, struct simulation *s, const struct play *play, double times)
{
	for (int i = 0; i < play->links.n; i++) {
		const struct play_use *x = &play->links.at[i];
		if (i == s->links.n)
			vec_push(a, &s->links, (struct play_use){.level = x->level});
		struct play_use *sum = &s->links.at[i];
		if (x->most * times > sum->most)
			sum->unit = x->unit;
		sum->most += x->most * times;
		sum->mean += x->mean * times;
		sum->messages += x->messages * times;
		sum->bytes += x->bytes * times;
	}
}

struct simulation simulate_step(struct arena *a, const struct program *p, const struct report *r,
				const struct machine *m, const struct play_options *o)
{
	struct simulation s = {
		.nranks = (int)p->nranks, .is_mean = report_is_mean(r), .busy = ARENA_ARRAY(a, double, p->nranks)};
	for (int i = 0; i < p->regions.n; i++) {
		double times = report_share(&r->regions.at[i].runs);
		if (times <= 0)
			continue;
		struct simulated one = {i, times, play_region(a, p, i, m, o)};
		s.ns += one.play->end * times;
		for (int k = 0; k < s.nranks; k++)
			s.busy[k] += (one.play->rank[k].times.compute + one.play->rank[k].times.talk) * times;
		add_uses(a, &s, one.play, times);
		vec_push(a, &s.regions, one);
	}
	return s;
}

/* ---- the timeline ---- */

/* Spans put together. */
struct stretch {
	double begin, end;
	enum play_kind kind;
	int step, steps; /* the first; how many */
	int32_t from;
};

static void write_stretch(struct text *t, const struct program *p, const struct plan *plan, double offset, int rank,
			  const struct stretch *x)
{
	static const char *const kinds[] = {[PLAY_COMPUTE] = "", [PLAY_TALK] = "messages: ", [PLAY_WAIT] = "wait: "};
	const struct plan_step *step = &plan->steps.at[x->step];
	struct arena *a = t->arena;
	const char *name = x->steps > 1 ? arena_printf(a, "%d short ones", x->steps)
					: arena_printf(a, "%s%s", kinds[x->kind], times_step_text(a, p, step));
	struct line_column at;
	const struct source *source = times_source(p, step->span, &at);
	/* Whole nanoseconds on both sides: spans that touch must not overlap once rounded, or viewers nest one in the
	 * other. */
	long long begin = llround(offset + x->begin), took = llround(offset + x->end) - begin;
	text_printf(t, ",\n{\"ph\":\"X\",\"pid\":%d,\"tid\":0,\"ts\":%lld.%03lld,\"dur\":%lld.%03lld,\"name\":", rank,
		    begin / 1000, begin % 1000, took / 1000, took % 1000);
	text_json(t, name);
	text_add(t, ",\"args\":{");
	if (source) {
		text_add(t, "\"at\":");
		text_json(t, arena_printf(a, "%s:%d", source->path, at.line));
	}
	if (x->kind == PLAY_WAIT && x->steps == 1)
		text_printf(t, "%s\"for rank\":%d", source ? "," : "", x->from);
	text_add(t, "}}");
}

static void write_rank(struct text *t, const struct program *p, const struct simulated *one, double offset, int rank)
{
	enum { SEEN = 5000 }; /* what is shorter than that part of the region is put together */
	const struct play_rank *r = &one->play->rank[rank];
	const struct plan *plan = p->roles.at[r->role]->plans[one->region];
	double seen = one->play->end / SEEN;
	struct stretch open = {0};
	for (int i = 0; i < r->spans.n; i++) {
		const struct play_span *s = &r->spans.at[i];
		if (open.steps && s->end - s->begin < seen && open.end - open.begin < seen) {
			open.end = s->end;
			open.steps++;
			continue;
		}
		if (open.steps)
			write_stretch(t, p, plan, offset, rank, &open);
		open = (struct stretch){s->begin, s->end, s->kind, s->step, 1, s->from};
	}
	if (open.steps)
		write_stretch(t, p, plan, offset, rank, &open);
}

void simulate_trace(struct text *t, const struct program *p, const struct simulation *s)
{
	text_add(t, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\","
		    "\"args\":{\"name\":\"rank 0\"}}");
	for (int r = 1; r < s->nranks; r++)
		text_printf(t, ",\n{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":\"rank %d\"}}",
			    r, r);
	double offset = 0;
	for (int i = 0; i < s->regions.n; i++) {
		const struct simulated *one = &s->regions.at[i];
		for (int r = 0; r < s->nranks; r++)
			write_rank(t, p, one, offset, r);
		offset += one->play->end;
	}
	text_add(t, "\n]}\n");
}
