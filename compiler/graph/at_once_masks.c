/* at_once_masks.c — see at_once_lines.h. A loop of which lines make unequal numbers of turns goes on as long as any
 * line does; the others keep what they have. Who is in a turn has to be in the turns around it as well. */
#include "at_once_lines.h"

static struct node_site site_of_loop(const struct loop *l)
{
	return node_site_of(l->count ? l->count : l->condition);
}

/* Where x is, or, if it is on no rank yet, as what is carried may be, what l computes; NULL: nothing is anywhere. */
static const struct place *place_in(const struct at_once *a, const struct node *x, const struct loop *l)
{
	const struct place *p = x->place;
	for (int i = a->end; i < a->g->nodes.n && !p && l; i++)
		p = loop_is_in(a->g->nodes.at[i]->loop, l) ? a->g->nodes.at[i]->place : NULL;
	return p;
}

struct node *at_once_whole(struct at_once *a, struct node *x, const struct loop *l)
{
	struct layout_spec whole = {.form = LAYOUT_GIVEN, .layout = layout_broadcast()};
	struct node_site at = node_site_of(x);
	const struct place *p = place_in(a, x, l);
	return p ? graph_to(a->g, &at, x, p, &whole) : x;
}

/* The greatest of all lines, which may be split, on all ranks that have any; l: the loop that has just been made, or
 * NULL. */
static struct node *greatest(struct at_once *a, const struct node_site *at, struct node *x, const struct loop *l)
{
	const bool all[MAX_RANK] = {true};
	return at_once_whole(a, graph_reduce(a->g, at, COMBINE_MAX, x, all), l);
}

/* How many turns each line makes, none where it is not in what is around. */
static bool find_counts(struct at_once *a, struct loop *l, struct inner *in)
{
	struct graph *g = a->g;
	struct node_site at = site_of_loop(l);
	struct node *mask, *zero;
	if (in->count)
		return true;
	if (!at_once_need(a, l->count) || !at_once_mask(a, l->outer, &mask))
		return false;
	in->count = at_once_with_lines(a, l->count);
	if (mask && in->count) {
		zero = graph_int(g, &at, DT_I64, 0);
		in->count = graph_pointwise(g, &at, SC_WHERE, mask, in->count, zero);
	}
	in->most = in->count && in->now ? greatest(a, &at, in->count, NULL) : NULL;
	return in->count;
}

/* The turns that are made before the first of each line. */
static struct node *turns_before(struct at_once *a, const struct node_site *at, const struct inner *in)
{
	return graph_pointwise(a->g, at, SC_SUB, in->most, in->count, NULL);
}

static struct node *active_of_count(struct at_once *a, struct loop *l, struct inner *in)
{
	struct graph *g = a->g;
	struct node_site at = site_of_loop(l);
	if (!find_counts(a, l, in))
		return NULL;
	if (!in->now)
		return graph_pointwise(g, &at, SC_LT, graph_int(g, &at, DT_I64, 0), in->count, NULL);
	struct node *turn = graph_turn(g, &at, in->now);
	return in->is_late ? graph_pointwise(g, &at, SC_GE, turn, turns_before(a, &at, in), NULL)
			   : graph_pointwise(g, &at, SC_LT, turn, in->count, NULL);
}

/* A line that is done does not go on later: its condition reads what it keeps, and the number of the turn at most as
 * what must be less than something. What the condition is computed from is asked by who is in what is around. */
static struct node *active_of_condition(struct at_once *a, struct loop *l, struct inner *in)
{
	struct node_site at = site_of_loop(l);
	struct node *mask, *goes_on;
	in->asks = true;
	goes_on = at_once_need(a, l->condition) ? at_once_with_lines(a, l->condition) : NULL;
	in->asks = false;
	if (!goes_on || !at_once_mask(a, l->outer, &mask))
		return NULL;
	return mask ? graph_pointwise(a->g, &at, SC_AND, mask, goes_on, NULL) : goes_on;
}

struct node *at_once_active(struct at_once *a, struct loop *l)
{
	struct inner *in = at_once_inner(a, l);
	const struct remat *open = a->g->remat;
	if (in->active)
		return in->active;
	a->g->remat = in->now ? in->now->remat : open;
	in->active = l->count ? active_of_count(a, l, in) : active_of_condition(a, l, in);
	a->g->remat = open;
	return in->active;
}

/* Counted in the turns of all lines. */
static struct node *counted(struct at_once *a, struct loop *l, const struct node_site *at)
{
	struct graph *g = a->g;
	struct node *one = graph_int(g, at, DT_I64, 1), *zero = graph_int(g, at, DT_I64, 0);
	struct node *so_far = graph_carry(g, at, at_once_inner(a, l)->now, graph_repeated(g, at, zero, a->n));
	struct node *made = graph_pointwise(g, at, SC_WHERE, at_once_active(a, l), one, zero);
	return graph_end(g, at, so_far, graph_pointwise(g, at, SC_ADD, so_far, made, NULL));
}

struct node *at_once_made(struct at_once *a, struct loop *l, bool *has_lines)
{
	struct inner *in = at_once_inner(a, l);
	struct node_site at = site_of_loop(l);
	*has_lines = at_once_turns_vary(a, l);
	if (!*has_lines)
		return graph_turns(a->g, &at, in->now);
	if (l->count)
		return find_counts(a, l, in) ? in->count : NULL;
	if (in->now)
		return counted(a, l, &at);
	return graph_pointwise(a->g, &at, SC_WHERE, at_once_active(a, l), graph_int(a->g, &at, DT_I64, 1),
			       graph_int(a->g, &at, DT_I64, 0));
}

bool at_once_mask(struct at_once *a, struct loop *l, struct node **mask)
{
	*mask = NULL;
	for (; l && l != a->loop; l = l->outer) {
		if (!at_once_turns_vary(a, l) || at_once_inner(a, l)->asks)
			continue;
		*mask = at_once_active(a, l);
		return *mask;
	}
	return true;
}

struct node *at_once_turn(struct at_once *a, const struct node *turn)
{
	struct node_site at = node_site_of(turn);
	struct inner *in = at_once_inner(a, turn->of);
	struct node *all = graph_turn(a->g, &at, in->now);
	if (!in->is_late)
		return all;
	if (!find_counts(a, turn->of, in))
		return NULL;
	return graph_pointwise(a->g, &at, SC_SUB, all, turns_before(a, &at, in), NULL);
}

bool at_once_ask_unequal(struct at_once *a, struct loop *l)
{
	struct inner *in = at_once_inner(a, l);
	struct node_site at = site_of_loop(l);
	if (!at_once_active(a, l))
		return false;
	if (l->count) {
		in->now->count = in->most;
		return true;
	}
	in->now->condition = greatest(a, &at, in->active, in->now); /* of bools: any */
	return true;
}
