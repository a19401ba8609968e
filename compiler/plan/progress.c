/* progress.c — no rank waits for ever: the proof, on the finished plans of all roles.
 *
 * Three things must come before others: a step before the next of its role; the begin of a transfer, in every role that
 * takes part, before its end in any of them; what takes the memory of a value after the end of the transfers that carry
 * it. The third is part of the first: memory is given out by the order of steps, and the end of a transfer is a step
 * that names its buffers (plan_verify). So if the first two have no circle, every order in which ranks really run comes
 * to its end: of the steps not done take one that waits for none other. Nothing is assumed of the network but that what
 * both sides have begun arrives; in particular no message needs a place to stay.
 *
 * Whether there is a circle is found by doing the steps: each role goes on as far as it can, again and again. If all
 * come to their end this way, they do so in every order, since a step that can be done stays possible.
 *
 * Transfers that are collectives of MPI must begin in the same order everywhere: they begin by number, in each turn of
 * a loop anew.
 *
 * Of a loop two turns are done, by all roles that have a part in it: what holds for the second after the first holds
 * for every turn after the one before, since all of them are the same steps, and no transfer is under way where a turn
 * ends. When a turn of a loop around it comes to a loop of which two were done, one is: with two, those of loops in
 * loops would be as many as there are ways through them. */
#include "progress.h"

struct progress {
	struct arena *arena;
	const struct program *program;
	int region;
	int *at;      /* by role: steps done */
	int *begun, *ended; /* by role and transfer: how often it has done so */
	bool *part;         /* likewise: whether it takes part */
	struct role_loops {
		int *turn;      /* by loop of the plan: turns that are over */
		int *last;      /* the last transfer that began before it */
		bool *was_done; /* two of them, for once */
	} * loops;
	const char *error;
};

static const struct plan *plan_of(const struct progress *g, int role)
{
	return g->program->roles.at[role]->plans[g->region];
}

static bool takes_part(const struct progress *g, int role, const struct transfer *t)
{
	int32_t rank = g->program->roles.at[role]->ranks.at[0];
	const struct place *from = g->program->types.at[t->src].place, *to = g->program->types.at[t->dst].place;
	return place_position(from, rank) >= 0 || place_position(to, rank) >= 0;
}

static const char *role_name(const struct progress *g, int role)
{
	const char *name = g->program->roles.at[role]->name;
	return *name ? name : "all";
}

static int64_t pair(const struct progress *g, int role, int t)
{
	return (int64_t)role * g->program->transfers.n + t;
}

static void find_parts(struct progress *g)
{
	const struct program *p = g->program;
	for (int t = 0; t < p->transfers.n; t++)
		for (int r = 0; r < p->roles.n && p->transfers.at[t].region == g->region; r++)
			g->part[pair(g, r, t)] = takes_part(g, r, &p->transfers.at[t]);
}

static void begin(struct progress *g, int role, int t, int *last)
{
	if (t <= *last)
		g->error = arena_printf(g->arena, "role %s begins transfer %d after transfer %d", role_name(g, role), t,
					*last);
	*last = t;
	g->begun[pair(g, role, t)]++;
}

/* Roles that take part in t and have not begun it as often as that. */
static int missing(const struct progress *g, int t, int times)
{
	int n = 0;
	for (int r = 0; r < g->program->roles.n; r++)
		n += g->part[pair(g, r, t)] && g->begun[pair(g, r, t)] < times;
	return n;
}

/* Whether the end of t can be passed: all who take part have begun it, and what it travels with. */
static bool is_begun(const struct progress *g, int role, int t)
{
	int bucket = g->program->transfers.at[t].bucket, times = g->ended[pair(g, role, t)] + 1;
	return !missing(g, t, times) && (bucket < 0 || !missing(g, bucket, times));
}

/* The step behind the begin or end of a loop. */
static int behind_loop_step(struct progress *g, int role, const struct plan *plan, const struct plan_step *s, int *last)
{
	enum { TURNS = 2 };
	const struct plan_loop *l = &plan->loops.at[s->loop];
	struct role_loops *r = &g->loops[role];
	if (s->kind == STEP_LOOP_BEGIN) {
		r->turn[s->loop] = 0;
		r->last[s->loop] = *last;
	} else if (s->kind == STEP_LOOP_END && ++r->turn[s->loop] < TURNS && !r->was_done[s->loop]) {
		*last = r->last[s->loop];
		return l->begin + 1;
	} else if (s->kind == STEP_LOOP_END) {
		r->was_done[s->loop] = true;
	}
	return g->at[role] + 1;
}

/* Goes on as far as role can; true if it did a step. */
static bool advance(struct progress *g, int role, int *last)
{
	const struct plan *plan = plan_of(g, role);
	bool moved = false;
	while (plan && g->at[role] < plan->steps.n && !g->error) {
		const struct plan_step *s = &plan->steps.at[g->at[role]];
		if (s->kind == STEP_TRANSFER_END && !is_begun(g, role, s->transfer))
			break;
		if (s->kind == STEP_TRANSFER_END)
			g->ended[pair(g, role, s->transfer)]++;
		if (s->kind == STEP_TRANSFER_BEGIN)
			begin(g, role, s->transfer, last);
		g->at[role] = plan_step_is_loop(s) ? behind_loop_step(g, role, plan, s, last) : g->at[role] + 1;
		moved = true;
	}
	return moved;
}

static bool is_done(const struct progress *g, int role)
{
	return !plan_of(g, role) || g->at[role] == plan_of(g, role)->steps.n;
}

static const char *stuck(const struct progress *g)
{
	for (int r = 0; r < g->program->roles.n; r++) {
		if (is_done(g, r))
			continue;
		int t = plan_of(g, r)->steps.at[g->at[r]].transfer;
		return arena_printf(g->arena,
				    "role %s waits at step %d for ever for transfer %d, which %d roles have not begun",
				    role_name(g, r), g->at[r], t, missing(g, t, g->ended[pair(g, r, t)] + 1));
	}
	return NULL;
}

const char *plan_progress(struct arena *a, const struct program *p, int region)
{
	struct progress g = {.arena = a, .program = p, .region = region};
	g.at = ARENA_ARRAY(a, int, p->roles.n);
	g.begun = ARENA_ARRAY(a, int, pair(&g, p->roles.n, 0));
	g.ended = ARENA_ARRAY(a, int, pair(&g, p->roles.n, 0));
	g.part = ARENA_ARRAY(a, bool, pair(&g, p->roles.n, 0));
	g.loops = ARENA_ARRAY(a, struct role_loops, p->roles.n);
	int *last = ARENA_ARRAY(a, int, p->roles.n);
	for (int r = 0; r < p->roles.n; r++) {
		const struct plan *plan = plan_of(&g, r);
		last[r] = -1;
		g.loops[r].turn = ARENA_ARRAY(a, int, plan ? plan->loops.n : 0);
		g.loops[r].last = ARENA_ARRAY(a, int, plan ? plan->loops.n : 0);
		g.loops[r].was_done = ARENA_ARRAY(a, bool, plan ? plan->loops.n : 0);
	}
	find_parts(&g);
	for (bool moved = true; moved && !g.error;) {
		moved = false;
		for (int r = 0; r < p->roles.n; r++)
			moved |= advance(&g, r, &last[r]);
	}
	return g.error ? g.error : stuck(&g);
}
