/* check.c — whether the layouts of a program are legal, as it is written: inference on a copy of every graph before any
 * of it is simplified, with what nobody reads and with the values of functions that are only differentiated. So the
 * verdict depends on the source alone, not on what simplification makes of it (max(x, x) is as wrong of an unfinished
 * sum as max(x, y)), and messages point at what was written. What this accepts the layout stage proper accepts:
 * simplification keeps legal programs legal. In: graphs as elaborated.  Out: messages; the program is as it was. */
#include "../compiler.h"
#include "stage.h"

#include <string.h>

static void check_graph(struct session *s, const struct graph *written, bool *poisoned)
{
	struct arena *scratch = arena_new("layout: check");
	struct graph *g = graph_copy(written, scratch);
	if (stage_check_unplaced(s, g)) {
		struct stage st;
		stage_place(g);
		stage_init(&st, s, g, poisoned);
		if (!stage_infer(&st))
			stage_poison_slots(&st, poisoned);
		arena_free(st.arena);
	}
	arena_free(scratch);
}

/* Layouts that values kept between regions were given here are forgotten: the layout stage finds its own. */
struct kept {
	struct layout laid_out;
	bool is_laid_out;
	struct span span;
};

void compiler_check_layouts(struct program *p)
{
	struct arena *scratch = arena_new("layout: slots");
	struct kept *before = ARENA_ARRAY(scratch, struct kept, p->slots.n);
	bool *poisoned = ARENA_ARRAY(scratch, bool, p->slots.n);
	for (int i = 0; i < p->slots.n; i++) {
		const struct slot *s = p->slots.at[i];
		before[i] = (struct kept){s->laid_out, s->is_laid_out, s->layout.span};
	}
	stage_lay_out_slots(p, poisoned);
	for (int i = 0; i < p->written.n; i++)
		check_graph(p->session, p->written.at[i], poisoned);
	for (int i = 0; i < p->slots.n; i++) {
		struct slot *s = p->slots.at[i];
		s->laid_out = before[i].laid_out;
		s->is_laid_out = before[i].is_laid_out;
		s->layout.span = before[i].span;
	}
	arena_free(scratch);
}
