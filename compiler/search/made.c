/* made.c — what a laid-out graph takes by the model, one node after the other: chains of movements are one, rows return
 * to their owners where that is less, and so on, as in what is compiled. */
#include "../graph/known.h"
#include "../layout/owners.h"
#include "../layout/returns.h"
#include "../layout/solve.h"
#include "../simplify/passes.h"
#include "model.h"

/* The choice that a map of a laid-out graph is; of several signatures the one that shares a factor out. */
static void find_choice(const struct node *n, struct choice *c)
{
	const struct signature *s;
	int count = signatures_of_known(n->rule, n->in, &s);
	c->out = n->layout;
	for (int i = 0; i < n->nin; i++)
		c->in[i] = n->in[i]->layout;
	for (int a = 0; a < n->place->naxes; a++) {
		int best = n->place->extent[a] == 1 ? 0 : -1;
		for (int i = 0; i < count && n->place->extent[a] > 1; i++)
			if (signature_fits(&s[i], n->rule, n->in, n->layout.atom[a], a) &&
			    (best < 0 || (s[best].factor < 0 && s[i].factor >= 0)))
				best = i;
		BUG_IF(best < 0, "node %%%d has no signature on axis %d", n->id, a);
		c->signature[a] = (uint16_t)best;
	}
}

static double time_of_map(struct model *m, const struct node *n)
{
	struct layout in[MAX_OPERANDS];
	struct choice c = {.in = in};
	find_choice(n, &c);
	return model_time(m, n, &c);
}

/* By id: movements that return rows to who owns those they are added to. */
static bool *find_returns(struct arena *a, const struct graph *g)
{
	bool *returns = ARENA_ARRAY(a, bool, g->nodes.n);
	struct owners owners;
	for (int i = 0; i < g->nodes.n; i++)
		for (int k = 0; k < g->nodes.at[i]->nin; k++) {
			const struct node *to = g->nodes.at[i]->in[k];
			returns[to->id] |= to->kind == NODE_TO && owners_of_sums(to, g->nodes.at[i], &owners);
		}
	return returns;
}

static double time_of_movement(struct model *m, const struct node *n, bool returns)
{
	const struct node *x = n->in[0];
	if (x->place == n->place && layout_converts_freely(n->place, &n->shape, &x->layout, &n->layout))
		return 0;
	if (returns)
		return transfer_time_returned(m->transfers, n->dtype, &n->shape, n->place, &x->layout, &n->layout);
	return transfer_time_by_steps(m->transfers, n->dtype, &n->shape, x->place, &x->layout, n->place, &n->layout);
}

double model_time_made(struct model *m, struct graph *g)
{
	struct arena *scratch = arena_new("search: a plan");
	double ns = 0;
	const char *print_after = g->session->options.print_after;
	g->session->options.print_after = NULL; /* of what is compiled alone */
	graph_run_passes(g->session, g);
	g->session->options.print_after = print_after;
	if (returns_write(g))
		graph_compact(g);
	const bool *returns = find_returns(scratch, g);
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		double own = n->kind == NODE_MAP  ? time_of_map(m, n)
			     : n->kind == NODE_TO ? time_of_movement(m, n, returns[i])
						  : 0;
		ns += own * (double)solve_turns(n->loop);
	}
	arena_free(scratch);
	return ns;
}
