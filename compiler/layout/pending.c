/* pending.c — what is read around shards. A map that reads its operands through windows (op/windows.h) has a result
 * only when halos have been fetched, and nothing is fetched but for a `to`. So its result is pending: it has the layout
 * that it would have, elementwise maps and reshapes take it, and a `to` of the source ends it. Then all of it is free
 * for solve.c, which finds what is least: fetching the halos, or gathering, or splitting otherwise.
 *
 * A slice or a convolution, which also has a result in parts, is opened likewise if it is moved as a whole: halos may
 * cost less than reducing parts. Example: x:S(0), (x[i - 1] + x[i]) to S(0): one row from each neighbour. */
#include "errors.h"

#include <string.h>

static bool stands_for_input(const struct node *n)
{
	return n->kind == NODE_STOP || (n->kind == NODE_CONTRACT && !stage_is_written(n));
}

/* Hands one value on as each rank has it: a reshape, as behind a convolution in groups; a line of a tensor, for what a
 * loop computes for all turns at once (simplify/turns.c) stands in front of it, and its `to` behind. */
static bool hands_on(const struct node *n)
{
	return n->kind == NODE_RESHAPE || (n->kind == NODE_LINE && n->nin == 1);
}

enum waiting stage_waiting(const struct node *n, int i)
{
	if (n->origin == ORIGIN_BACKWARD)
		return WAITING_ENDS;
	if (n->kind == NODE_MAP ? rule_reads_in_place(n->rule, i) : stands_for_input(n) || hands_on(n))
		return WAITING_GOES_ON;
	return n->kind == NODE_TO && stage_is_written(n) ? WAITING_ENDS : WAITING_REFUSED;
}

bool stage_refuses_pending(struct stage *st, struct node *n)
{
	for (int i = 0; i < n->nin; i++) {
		if (!st->notes[n->in[i]->id].is_pending)
			continue;
		enum waiting w = stage_waiting(n, i);
		st->notes[n->id].is_pending |= w == WAITING_GOES_ON;
		if (w == WAITING_REFUSED) {
			error_window(st, n->in[i], n);
			return true;
		}
	}
	return false;
}

/* ---- opening ---- */

struct opening {
	struct stage *st;
	bool *serves; /* by node: gives parts because it is computed where operands are, or is made of such */
	bool *stays;  /* by node: somebody takes it as it is */
	bool *moves;  /* by node: a `to` or what is opened takes it */
};

static bool is_fixed_map(const struct stage *st, const struct node *n)
{
	return n->kind == NODE_MAP && n->origin == ORIGIN_SOURCE && !st->notes[n->id].is_free;
}

static bool is_fixed_handing(const struct stage *st, const struct node *n)
{
	return hands_on(n) && n->origin == ORIGIN_SOURCE && !st->notes[n->id].is_free;
}

static void find_serving(struct opening *o)
{
	const struct graph *g = o->st->graph;
	for (int id = 0; id < g->nodes.n; id++) {
		const struct node *n = g->nodes.at[id];
		bool passes = is_fixed_map(o->st, n) || stands_for_input(n) ||
			      (n->kind == NODE_RESHAPE && is_fixed_handing(o->st, n));
		for (int i = 0; passes && i < n->nin; i++)
			o->serves[id] |= o->serves[n->in[i]->id];
		o->serves[id] &= layout_has_partial(n->place, &n->layout) || o->st->notes[id].has[VIEW_PARTS];
		o->serves[id] |= is_fixed_map(o->st, n) && o->st->notes[id].serves;
	}
}

/* What is taken in another way than it is, is free, whoever else takes it as it is; so is what it is made of. */
static void open_viewed(struct opening *o, const struct node *n)
{
	struct note *note = &o->st->notes[n->id];
	note->is_opened |= is_fixed_map(o->st, n) || is_fixed_handing(o->st, n);
	note->is_free |= note->is_opened;
	for (int i = 0; i < n->nin; i++) {
		struct note *from = &o->st->notes[n->in[i]->id];
		from->is_viewed |= from->has[VIEW_PARTS] || from->has[VIEW_APART];
	}
}

static void open_node(struct opening *o, const struct node *n)
{
	struct note *note = &o->st->notes[n->id];
	bool ends = n->kind == NODE_TO && n->origin == ORIGIN_SOURCE && stage_is_written(n) && !note->is_free;
	if ((is_fixed_handing(o->st, n) || is_fixed_map(o->st, n)) && !o->stays[n->id])
		note->is_free = note->is_opened = note->is_pending || (o->serves[n->id] && o->moves[n->id]);
	if (note->is_viewed)
		open_viewed(o, n);
	for (int i = 0; i < n->nin; i++) {
		int x = n->in[i]->id;
		if (stands_for_input(n)) {
			o->stays[x] |= o->stays[n->id];
			o->moves[x] |= o->moves[n->id];
		} else if (ends || note->fetches ||
			   ((n->kind == NODE_MAP || hands_on(n)) && note->is_free && n->origin == ORIGIN_SOURCE)) {
			o->moves[x] = true;
		} else if (n->origin == ORIGIN_SOURCE || n->kind == NODE_END) {
			o->stays[x] = true;
		}
	}
}

/* The `to` takes in any layout what is free now. */
static void move_freely(struct opening *o, const struct node *n)
{
	struct note *note = &o->st->notes[n->id];
	const struct node *x = n->kind == NODE_TO ? stage_value(o->st, n->in[0]) : NULL;
	if (!x || note->is_free || note->is_alias || !o->st->notes[x->id].is_free)
		return;
	if (x->place == n->place)
		note->want[0] = n->layout;
	else
		note->is_open = true;
}

void stage_open_windows(struct stage *st)
{
	const struct graph *g = st->graph;
	struct opening o = {.st = st};
	o.serves = ARENA_ARRAY(st->arena, bool, g->nodes.n);
	o.stays = ARENA_ARRAY(st->arena, bool, g->nodes.n);
	o.moves = ARENA_ARRAY(st->arena, bool, g->nodes.n);
	find_serving(&o);
	for (int i = 0; i < g->outputs.n; i++)
		o.stays[g->outputs.at[i].node->id] = true;
	for (int i = 0; i < g->loops.n; i++)
		for (int k = 0; loop_asked(g->loops.at[i], k); k++)
			o.stays[(*loop_asked(g->loops.at[i], k))->id] = true;
	for (int id = g->nodes.n - 1; id >= 0; id--)
		open_node(&o, g->nodes.at[id]);
	for (int id = 0; id < g->nodes.n; id++)
		move_freely(&o, g->nodes.at[id]);
}
