/* report_pipeline.c — what `pmlc plan` shows of micro-batches: a row per stage with a picture of its time. */
#include "../pipeline/pipeline.h"
#include "report.h"
#include "report_table.h"

#include <inttypes.h>
#include <string.h>

enum { WIDEST = 100 };

/* One mark of a pass: 0..9 of a forward, a..z of a backward one, by the micro-batch's number. */
static char mark_of(const struct pipeline_unit *u)
{
	return (char)(u->backward ? 'a' + u->micro % 26 : '0' + u->micro % 10);
}

static int64_t shortest(const struct pipeline *p)
{
	int64_t least = p->span > 0 ? p->span : 1;
	for (int i = 0; i < p->units.n; i++)
		if (p->units.at[i].finish - p->units.at[i].start < least)
			least = p->units.at[i].finish - p->units.at[i].start;
	return least > p->span / WIDEST ? least : p->span / WIDEST + 1;
}

/* Every column is as long as the shortest pass, or a hundredth of all. */
static const char *picture(struct arena *a, const struct pipeline *p, int stage)
{
	int64_t column = shortest(p), width = (p->span + column - 1) / column;
	char *out = arena_alloc(a, (size_t)width + 1);
	memset(out, '.', (size_t)width);
	for (int i = 0; i < p->units.n; i++) {
		const struct pipeline_unit *u = &p->units.at[i];
		for (int64_t x = (u->start + column / 2) / column;
		     u->stage == stage && x < (u->finish + column / 2) / column && x < width; x++)
			out[x] = mark_of(u);
	}
	return out;
}

void report_add_stages(struct report *r, const struct program *p)
{
	for (int i = 0; i < p->regions.n; i++)
		for (int k = 0; k < p->regions.at[i]->pipelines.n; k++) {
			const struct pipeline *x = p->regions.at[i]->pipelines.at[k];
			for (int s = 0; s < x->stages.n; s++) {
				const struct pipeline_stage *stage = &x->stages.at[s];
				struct report_stage row = {.region = i,
							   .block = k,
							   .schedule = schedule_text(x->batch->schedule),
							   .micro_batches = x->batch->count,
							   .name = arena_strdup(r->arena, stage->name),
							   .ranks = stage->ranks,
							   .level = stage->level,
							   .forward = stage->forward,
							   .backward = stage->backward,
							   .held = stage->held,
							   .idle = x->idle,
							   .picture = picture(r->arena, x, s)};
				vec_push(r->arena, &r->stages, row);
			}
		}
}

/* Rows first..last - 1 are of one block. */
static void print_block(struct text *out, struct arena *a, const struct report *r, int first, int last)
{
	struct table t = {.right = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4};
	const struct report_stage *one = &r->stages.at[first];
	text_printf(
		out,
		"region %s: %d micro-batches, %s, %d %s, ranks idle %d.%d %% of the time (estimated from operations)\n",
		r->regions.at[one->region].name, one->micro_batches, one->schedule, last - first,
		last - first == 1 ? "stage" : "stages", one->idle / 10, one->idle % 10);
	TABLE_ROW(a, &t, "stage", "ranks", "forward", "backward", "held",
		  "time (0 forward, a backward of micro-batch 0, . idle)");
	for (int i = first; i < last; i++) {
		const struct report_stage *s = &r->stages.at[i];
		TABLE_ROW(a, &t, s->name, arena_printf(a, "%" PRId64, s->ranks), count_text(a, s->forward),
			  count_text(a, s->backward), arena_printf(a, "%d", s->held), s->picture);
	}
	table_print(out, &t, "  ");
}

void report_print_stages(struct text *out, struct arena *a, const struct report *r)
{
	if (r->stages.n)
		text_add(out, "micro-batches (forward, backward: work of a rank for one of them; held: most whose "
			      "activations are kept)\n");
	for (int i = 0, end; i < r->stages.n; i = end) {
		const struct report_stage *s = r->stages.at;
		for (end = i; end < r->stages.n && s[end].region == s[i].region && s[end].block == s[i].block;)
			end++;
		print_block(out, a, r, i, end);
	}
	if (r->stages.n)
		text_add(out, "\n");
}
