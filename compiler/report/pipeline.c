/* pipeline.c — what `pmlc plan` shows of micro-batches: a row per stage with a picture of its time. */
#include "../pipeline/pipeline.h"
#include "report.h"
#include "table.h"

#include <inttypes.h>
#include <string.h>

enum { WIDEST = 100, WEIGHTS_COLUMN = 4, COLUMNS = 7 };

static char mark_of(const struct pipeline_unit *u)
{
	static const char *const marks[] = {
#define PASS_KIND(name, text, marks) [PASS_##name] = marks,
#include "../../runtime/pass.def"
#undef PASS_KIND
	};
	return marks[u->kind][(size_t)u->micro % strlen(marks[u->kind])];
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
							   .forward = stage->work[PASS_FORWARD],
							   .backward = stage->work[PASS_BACKWARD],
							   .weights = stage->work[PASS_WEIGHTS],
							   .held = stage->held,
							   .idle = x->idle,
							   .between = x->between,
							   .picture = picture(r->arena, x, s)};
				vec_push(r->arena, &r->stages, row);
			}
		}
}

/* Without what is said of gradients of weights where they are part of backward passes. */
static void add_row(struct arena *a, struct table *t, bool split, const char *const cell[COLUMNS])
{
	const char *kept[COLUMNS];
	int n = 0;
	for (int i = 0; i < COLUMNS; i++)
		if (split || i != WEIGHTS_COLUMN)
			kept[n++] = cell[i];
	table_row(a, t, n, kept);
}

/* Rows first..last - 1 are of one block. */
static void print_block(struct text *out, struct arena *a, const struct report *r, int first, int last)
{
	struct table t = {.right = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5};
	const struct report_stage *one = &r->stages.at[first];
	bool split = false;
	for (int i = first; i < last; i++)
		split |= r->stages.at[i].weights > 0;
	text_printf(
		out,
		"region %s: %d micro-batches, %s, %d %s, ranks idle %d.%d %% of the time, %d.%d %% if the next step "
		"begins at once (estimated from operations)\n",
		r->regions.at[one->region].name, one->micro_batches, one->schedule, last - first,
		last - first == 1 ? "stage" : "stages", one->idle / 10, one->idle % 10, one->between / 10,
		one->between % 10);
	add_row(a, &t, split,
		(const char *[]){"stage", "ranks", "forward", "backward", "weights", "held",
				 split ? "time (0 forward, a backward, A weights of micro-batch 0, . idle)"
				       : "time (0 forward, a backward of micro-batch 0, . idle)"});
	for (int i = first; i < last; i++) {
		const struct report_stage *s = &r->stages.at[i];
		add_row(a, &t, split,
			(const char *[]){s->name, arena_printf(a, "%" PRId64, s->ranks), count_text(a, s->forward),
					 count_text(a, s->backward), count_text(a, s->weights),
					 arena_printf(a, "%d", s->held), s->picture});
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
