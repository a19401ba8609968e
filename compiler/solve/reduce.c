/* reduce.c — exact rules, round after round, until none of them finds anything. */
#include "prune.h"

#include <string.h>

static void begin_round(struct pruner *p, struct core *c, bool **alive)
{
	*p = (struct pruner){.core = c, .scratch = arena_new("solve: reduce"), .alive = alive};
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
		p->changed |= p->n[v] < c->var[v].n;
		c->infeasible |= p->n[v] == 0;
	}
}

struct core *core_reduce(struct core *c, bool **alive)
{
	for (bool changed = true; changed && !c->infeasible; alive = NULL) {
		struct pruner p;
		core_prune_rows(c);
		begin_round(&p, c, alive);
		if (!c->infeasible)
			prune_impossible(&p);
		/* In large cores what determines each other is found first: it is most of them. */
		if (!c->infeasible && !p.changed)
			prune_dominated(&p);
		if (!c->infeasible && !p.changed)
			prune_variables(&p);
		if (c->infeasible) {
			arena_free(p.scratch);
			break;
		}
		struct core *next = core_merge(c, p.alive, p.gone);
		changed = p.changed || next->nvars < c->nvars || next->nedges < c->nedges;
		arena_free(p.scratch);
		core_free(c);
		c = next;
	}
	return c;
}
