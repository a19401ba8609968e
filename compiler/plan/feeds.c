/* feeds.c — what a role reads of every batch, loop by loop, and where it lies in memory. The runtime keeps a few
 * batches of a loop at a time, each in a slot, and fills slots ahead of the steps that read them (runtime/feed.c). A
 * slot has one part for each field and layout that the regions of the loop read. Loops that stand in each other have
 * their slots side by side; loops one after the other share the memory.
 *
 *   for x in A { ...; for y in B { ... } }  for z in C { ... }       slots of one batch:  [ x | y ]  [ z ] */
#include "feeds.h"
#include "planner.h"

#include "../layout/exchange.h"

#include <string.h>

struct walk {
	struct program *program;
	struct feed_loops *loops;
	int *feed_of; /* by variable of the function: the loop whose handle it holds, -1 */
	int around;   /* the innermost loop that is open, -1 */
};

static void enter_region(struct walk *w, const struct host_stmt *s)
{
	int *feeds = ARENA_ARRAY(w->program->arena, int, s->args.n + 1);
	for (int i = 0; i < s->args.n; i++) {
		const struct host_expr *x = s->args.at[i];
		feeds[i] = x->kind == HOST_VAR && x->type == HOST_HANDLE ? w->feed_of[x->index] : -1;
	}
	w->loops->feeds_of_region[s->region] = feeds;
}

static bool calls(const struct host_expr *x, const char *function)
{
	return x && x->kind == HOST_CALL && !strcmp(x->function, function);
}

static void walk_list(struct walk *w, const struct host_stmt *first)
{
	for (const struct host_stmt *s = first; s; s = s->next) {
		if (s->kind == HOST_SET && calls(s->expr, "batches_begin")) {
			int feed = (int)s->expr->arg[s->expr->nargs - 1]->i;
			BUG_IF(feed < 0 || feed >= w->program->nfeeds, "a loop over batches has no number");
			w->loops->around[feed] = w->around;
			w->around = w->feed_of[s->var] = feed;
		}
		if (s->kind == HOST_EVAL && calls(s->expr, "batches_end"))
			w->around = w->loops->around[w->around];
		if (s->kind == HOST_REGION)
			enter_region(w, s);
		walk_list(w, s->body);
		walk_list(w, s->other);
	}
}

static void walk_function(struct feed_loops *loops, struct program *p, const struct host_function *f)
{
	if (!f)
		return;
	struct walk w = {.program = p, .loops = loops, .around = -1};
	w.feed_of = ARENA_ARRAY(p->arena, int, f->vars.n + 1);
	for (int i = 0; i < f->vars.n; i++)
		w.feed_of[i] = -1;
	walk_list(&w, f->body);
}

struct feed_loops feeds_of_loops(struct program *p)
{
	struct feed_loops loops = {.around = ARENA_ARRAY(p->arena, int, p->nfeeds + 1),
				   .feeds_of_region = ARENA_ARRAY(p->arena, const int *, p->regions.n + 1)};
	walk_function(&loops, p, p->init);
	walk_function(&loops, p, p->main);
	for (int i = 0; i < p->tests.n; i++)
		walk_function(&loops, p, p->tests.at[i].function);
	return loops;
}

/* The part of a slot with this field in this layout; made if there is none yet. */
static int part_of(struct program *p, struct feed *f, const struct plan_step *s, const struct buffer *b)
{
	for (int i = 0; i < f->parts.n; i++)
		if (f->parts.at[i].field == s->field && f->parts.at[i].type == s->type)
			return i;
	vec_push(p->arena, &f->parts, ((struct feed_part){s->field, s->type, f->bytes}));
	f->bytes = count_add(f->bytes, plan_buffer_bytes(b));
	return f->parts.n - 1;
}

void feeds_of_role(struct program *p, struct role *role, const struct feed_loops *loops)
{
	role->feeds = ARENA_ARRAY(p->arena, struct feed, p->nfeeds + 1);
	for (int i = 0; i < p->regions.n; i++) {
		struct plan *plan = loops->feeds_of_region[i] ? role->plans[i] : NULL;
		for (int k = 0; plan && k < plan->steps.n; k++) {
			struct plan_step *s = &plan->steps.at[k];
			if (s->kind != STEP_BATCH_READ)
				continue;
			int feed = loops->feeds_of_region[i][s->argument];
			BUG_IF(feed < 0, "region %s reads a batch of no loop", p->regions.at[i]->name);
			s->part = part_of(p, &role->feeds[feed], s, &plan->buffers.at[s->dst]);
		}
	}
	/* A loop has a smaller number than those that stand in it. */
	for (int i = 0; i < p->nfeeds; i++) {
		struct feed *f = &role->feeds[i];
		const struct feed *around = loops->around[i] >= 0 ? &role->feeds[loops->around[i]] : NULL;
		f->offset = around ? count_add(around->offset, around->bytes) : 0;
		int64_t end = count_add(f->offset, f->bytes);
		role->batch_bytes = end > role->batch_bytes ? end : role->batch_bytes;
	}
}
