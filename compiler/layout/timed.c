/* timed.c — layouts of what is free, where a machine is named: a few plans are made to their end, and the one that
 * takes least time is kept. What a plan takes is known only then: shares that reach back (narrow.c) leave out movements
 * of the program's own, which hangs on what all who read a value take of it, and what is converted once may serve
 * several. So it is asked of what would be written down: the conversions (rebuild.c) and each map under the layouts
 * that it has.
 *
 *   by time       as the program's own values are inferred
 *   by bytes      gradients then take values of the program as they are, which shares reach back through
 *   by time       again with the program's own values as the best so far leaves them, as long as that gains
 *
 * Example: h = tanh((x @ w) to B), x : S(0) on 4 ranks, and only the gradient of w is asked for. If h is whole,
 * gathering x takes less than reducing the gradient; if gradients take shares of h, nothing of the `to` is left. */
#include "stage.h"

#include "../program.h"
#include "timing.h"

enum { MOST_ROUNDS = 4 };

/* What is decided, of all nodes; arrays by node or output. */
struct state {
	struct note *note;
	struct layout *layout, *want, *output_want; /* want: of all inputs of all nodes in order */
	bool exact;
	struct cost backward;
	double ns; /* that the plan takes */
};

static int inputs_of(const struct graph *g)
{
	int n = 0;
	for (int i = 0; i < g->nodes.n; i++)
		n += g->nodes.at[i]->nin;
	return n;
}

static struct state state_new(const struct stage *st)
{
	const struct graph *g = st->graph;
	return (struct state){.note = ARENA_ARRAY(st->arena, struct note, g->nodes.n),
			      .layout = ARENA_ARRAY(st->arena, struct layout, g->nodes.n),
			      .want = ARENA_ARRAY(st->arena, struct layout, inputs_of(g)),
			      .output_want = ARENA_ARRAY(st->arena, struct layout, g->outputs.n)};
}

static void save(const struct stage *st, struct state *s)
{
	const struct graph *g = st->graph;
	struct layout *want = s->want;
	for (int i = 0; i < g->nodes.n; i++) {
		s->note[i] = st->notes[i];
		s->layout[i] = g->nodes.at[i]->layout;
		for (int k = 0; k < g->nodes.at[i]->nin; k++)
			*want++ = st->notes[i].want[k];
	}
	for (int i = 0; i < g->outputs.n; i++)
		s->output_want[i] = st->output_want[i];
	s->exact = st->exact;
}

static void restore(struct stage *st, const struct state *s)
{
	struct graph *g = st->graph;
	const struct layout *want = s->want;
	for (int i = 0; i < g->nodes.n; i++) {
		st->notes[i] = s->note[i];
		g->nodes.at[i]->layout = s->layout[i];
		for (int k = 0; k < g->nodes.at[i]->nin; k++)
			st->notes[i].want[k] = *want++;
	}
	for (int i = 0; i < g->outputs.n; i++)
		st->output_want[i] = s->output_want[i];
	st->exact = s->exact;
}

/* ns of the plan as it is decided, made of a copy. */
static double time_of(const struct stage *st, struct timing *t)
{
	struct stage copy = *st;
	copy.arena = arena_new("layout: a plan");
	copy.graph = graph_copy(st->graph, copy.arena);
	stage_rebuild(&copy);
	double ns = t->takes(t, copy.graph);
	arena_free(copy.arena);
	return ns;
}

/* ---- the plans ---- */

/* Whether it was decided by time. */
static bool make(struct stage *st, struct timing *t, struct state *s)
{
	convert_costs_by_time(st->costs, NULL);
	bool by_time = stage_solve_for(st, t, &s->backward);
	stage_narrow(st);
	return by_time;
}

static void judge(struct stage *st, struct timing *t, struct state *s)
{
	convert_costs_by_time(st->costs, t);
	s->ns = time_of(st, t);
	save(st, s);
}

static void keep_less(struct state *best, struct state *other)
{
	if (other->ns >= best->ns)
		return;
	struct state worse = *best;
	*best = *other;
	*other = worse;
}

static bool is_own(const struct state *begin, int i)
{
	return begin->note[i].is_live && !begin->note[i].is_free && !begin->note[i].is_open;
}

/* The program's own values are as in `from`, what is free is open as in the beginning. Returns whether they are other
 * than they were. */
static bool begin_from(struct stage *st, const struct state *begin, const struct state *from)
{
	bool other = false;
	for (int i = 0; i < st->graph->nodes.n; i++)
		other |= is_own(begin, i) &&
			 !layout_same(st->graph->nodes.at[i]->place, &begin->layout[i], &from->layout[i]);
	restore(st, from);
	for (int i = 0; i < st->graph->nodes.n; i++) {
		if (is_own(begin, i))
			continue;
		struct layout *want = st->notes[i].want;
		st->notes[i] = begin->note[i];
		st->notes[i].want = want;
		st->graph->nodes.at[i]->layout = begin->layout[i];
	}
	return other;
}

void stage_decide(struct stage *st, struct cost *backward)
{
	struct timing *t = st->program ? st->program->timing : NULL;
	if (!t) {
		stage_solve(st, backward);
		stage_narrow(st);
		return;
	}
	struct state begin = state_new(st), best = state_new(st), other = state_new(st);
	save(st, &begin);
	bool by_time = make(st, t, &best);
	if (by_time) {
		judge(st, t, &best);
		restore(st, &begin);
		make(st, NULL, &other);
		judge(st, t, &other);
		keep_less(&best, &other);
		for (int i = 0; i < MOST_ROUNDS && begin_from(st, &begin, &best); i++) {
			save(st, &begin);
			make(st, t, &other);
			judge(st, t, &other);
			if (other.ns >= best.ns)
				break;
			keep_less(&best, &other);
		}
		restore(st, &best);
		convert_costs_by_time(st->costs, t);
	}
	if (backward)
		*backward = best.backward;
}
