/* reduce.c — exact rules, round after round, until none of them finds anything. */
#include "prune.h"

#include <string.h>

/* Entries that are looked at for dominated values, some tenths of a second at most; how often a round looks at all. */
enum { DOMINANCE = 50 * 1000 * 1000, ROUND = 6 };

static void begin_round(struct pruner *p, struct core *c, bool **alive, int64_t effort)
{
	*p = (struct pruner){.core = c, .scratch = arena_new("solve: reduce"), .alive = alive, .effort = effort};
	p->n = ARENA_ARRAY(p->scratch, int, c->nvars);
	p->gone = ARENA_ARRAY(p->scratch, bool, c->nvars);
	if (!alive)
		p->alive = ARENA_ARRAY(p->scratch, bool *, c->nvars);
	for (int v = 0; v < c->nvars; v++) {
		if (!alive) {
			p->alive[v] = ARENA_ARRAY(p->scratch, bool, c->var[v].n);
			memset(p->alive[v], true, sizeof **p->alive * (size_t)c->var[v].n);
		}
		for (int k = 0; k < c->var[v].n; k++)
			p->n[v] += p->alive[v][k];
		p->changes += c->var[v].n - p->n[v];
		c->infeasible |= p->n[v] == 0;
	}
}

/* Variables that determine each other are most of a large core, so in the first round nothing else is looked for. */
static void prune(struct pruner *p, bool first)
{
	struct core *c = p->core;
	if (!c->infeasible)
		prune_impossible(p);
	if (!c->infeasible && !first && c->compares)
		prune_dominated(p);
	if (!c->infeasible && !first)
		prune_variables(p);
}

/* Whether a round was worth its time. What a later elimination would take away as well goes as long as it is much. */
static bool was_worth(const struct pruner *p, const struct core *before, const struct core *after)
{
	bool shrinks = after->nvars < before->nvars || after->nedges < before->nedges;
	if (before->compares)
		return p->changes || shrinks;
	return after->nvars < before->nvars - before->nvars / 20;
}

struct core *core_reduce(struct core *c, bool **alive)
{
	int64_t effort = DOMINANCE, spent = 0;
	bool first = true;
	for (bool changed = true; changed && !c->infeasible; first = false, alive = NULL) {
		struct pruner p;
		core_prune_rows(c);
		begin_round(&p, c, alive, effort);
		spent += ROUND * core_effort(c);
		prune(&p, first);
		effort = p.effort;
		if (!c->infeasible) {
			struct core *next = core_merge(c, p.alive, p.gone);
			changed = first || was_worth(&p, c, next);
			core_free(c);
			c = next;
		}
		arena_free(p.scratch);
	}
	c->spent = spent + DOMINANCE - effort;
	return c;
}
