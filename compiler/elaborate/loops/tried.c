/* tried.c — turns that become a loop if they differ in no more than tensors and numbers: all of them, runs that take
 * the same, or none, where each is walked by itself. */
#include "build.h"

/* What is tried: loop_build_range, if the turns are numbers, or loop_build. */
static bool try_loop(struct elab *e, struct build *b, const struct value *range)
{
	struct tried tried = {.outer = e->tried, .item = e->frame->item};
	e->tried = &tried;
	bool built = range ? loop_build_range(e, b->s, range->range.from, range->range.to, b) : loop_build(e, b);
	e->tried = tried.outer;
	return built && !b->counts;
}

/* Whether what was tried since called itself too deep, and inside of another such walk. Then it is for the outermost to
 * go turn by turn: if every one did, there would be twice as many walks at each depth. */
static bool too_deep(const struct elab *e, const struct trial *before)
{
	const struct diag *first = trial_diag(e, before);
	bool inside = false;
	for (const struct tried *t = e->tried; t && !inside; t = t->outer)
		inside = t->again;
	return inside && first && first->code == PML0504;
}

/* Turns that are tried as one loop. */
struct attempt {
	struct build b;
	const struct trial *before;
	struct unlike unlike;
};

/* v: a range that is known, or a list. False: nothing is left to do but to go back. */
static bool try_turns(struct elab *e, const struct stmt *s, const struct value *v, struct attempt *a)
{
	struct unlike outer = e->unlike;
	bool is_range = v->kind == VALUE_RANGE;
	*a = (struct attempt){.b = is_range ? (struct build){.s = s} : loop_over_list(e, s, v),
			      .before = trial_begin(e)};
	e->unlike = (struct unlike){0};
	bool is_done = try_loop(e, &a->b, is_range ? v : NULL) || too_deep(e, a->before);
	a->unlike = e->unlike;
	e->unlike = outer;
	return is_done;
}

/* The first turn, counted from the first that was tried, that takes what differs from what that one takes; 0: that is
 * not why they are no loop. */
static int64_t turn_unlike(const struct attempt *a)
{
	return a->unlike.why && a->unlike.loop == a->b.loop ? a->unlike.turn : 0;
}

/* Whether a variable is something else when the first turn begins than behind it: behind that turn the others may be a
 * loop. */
static bool begins_unlike(const struct elab *e, const struct attempt *a)
{
	const struct diag *first = trial_diag(e, a->before);
	return first && first->code == PML0505;
}

/* Why what was tried cannot be one loop. */
static struct unrolled why_unrolled(struct elab *e, const struct attempt *a)
{
	const struct build *b = &a->b;
	struct unrolled u = {.span = b->span, .where = b->span, .turns = b->turns, .why = a->unlike.why};
	const struct diag *first = trial_diag(e, a->before);
	bool is_left = b->counts && carried_is_hidden(b->counts);
	if (u.why) {
		u.where = a->unlike.where;
	} else if (first) {
		u.where = first->primary.span;
		u.why = first->message;
	} else if (is_left) {
		u.why = "in which turn it is left is known where turns are walked one by one";
	} else {
		u.why = arena_printf(e->p->arena,
				     "turns hand on the number `%s`, which is known, or the host's, where they are "
				     "walked one by one",
				     b->counts ? b->counts : "");
	}
	return u;
}

/* Why the turns from that one on are no loop: the run ends where one differs, or its first turn is walked by itself,
 * or, if that was of no use, all of them are. */
static void learn(const struct elab *e, struct loop_runs *r, const struct attempt *a, int64_t turn)
{
	int64_t unlike = turn_unlike(a);
	if (unlike) {
		r->end = turn + unlike;
	} else {
		r->alone = begins_unlike(e, a) && !r->is_behind_first ? turn + 1 : r->end;
		r->is_behind_first = true;
	}
}

bool graph_loop_tried(struct elab *e, const struct stmt *s, const struct value *v, struct loop_runs *rest)
{
	struct attempt a;
	if (try_turns(e, s, v, &a))
		return true;
	int64_t turns = a.b.turns;
	*rest = (struct loop_runs){.s = s, .over = v, .turns = turns, .end = turns};
	learn(e, rest, &a, 0);
	if (loop_may_stop(s) || e->s->options.turns_apart)
		rest->alone = turns;
	rest->why = why_unrolled(e, &a);
	struct slot_reads mentioned = region_reads(e);
	trial_back(e, a.before);
	for (int i = 0; i < mentioned.at.n && !turns && e->grad_depth; i++)
		region_param_read(e, mentioned.at.at[i].slot, a.b.span);
	return false;
}

/* Turns from..to of what a `for` goes over. */
static const struct value *turns_of(struct elab *e, const struct value *v, int64_t from, int64_t to)
{
	struct value *some = value_new(e, v->kind);
	*some = *v;
	if (v->kind == VALUE_RANGE) {
		int64_t first = v->range.from->host.i;
		some->range.from = value_int(e, first + from);
		some->range.to = value_int(e, first + to);
	} else {
		some->items.at += from;
		some->items.n = (int)(to - from);
	}
	return some;
}

int64_t graph_loop_run(struct elab *e, struct loop_runs *r, int64_t turn)
{
	enum { MAX_SHORT = 2 };   /* runs that are no loops, one after the other: the next ones are hardly longer */
	enum { LEAST_TURNS = 3 }; /* of a run: two are compiled as fast one by one */
	if (turn >= r->end) {
		r->nshort = turn - r->begin >= LEAST_TURNS ? 0 : r->nshort + 1;
		r->begin = turn;
		r->end = r->turns;
		r->is_behind_first = false;
		r->alone = r->nshort >= MAX_SHORT ? r->turns : r->alone;
	}
	while (turn >= r->alone && r->end - turn >= LEAST_TURNS) {
		struct attempt a;
		if (try_turns(e, r->s, turns_of(e, r->over, turn, r->end), &a)) {
			r->kept += r->end - turn;
			return r->end - turn;
		}
		learn(e, r, &a, turn);
		trial_back(e, a.before);
	}
	return 0;
}

void graph_loop_unrolled(struct elab *e, const struct loop_runs *r)
{
	struct unrolled u = r->why;
	u.kept = r->kept;
	if (u.why && u.turns <= MAX_UNROLLED &&
	    !elab_is_of_library(e, u.span)) /* which goes over dimensions and the like */
		program_unrolled(e->p, &u);
}

bool graph_loop_lists(struct elab *e, const struct list_loop *of, struct span at)
{
	struct build b = {.lists = of, .turns = of->turns->n, .most = -1, .span = at};
	const struct trial *before = trial_begin(e);
	if (try_loop(e, &b, NULL)) {
		list_turns_end(e, of->turns);
		return true;
	}
	if (too_deep(e, before))
		return true;
	trial_back(e, before);
	return false;
}
