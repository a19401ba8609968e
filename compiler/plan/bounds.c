/* bounds.c — what loops read, and numbers of nodes that respect it: a loop waits for all that anything in it reads, and
 * what reads a result of it waits for all of it, whatever the result is made of. */
#include "planner.h"

/* By loop and node: it is on the list. */
static void add_read(struct planner *p, struct map *known, const struct phys_loop *l, struct phys_node *x)
{
	uint64_t key = (uint64_t)l->id << 32 | (uint64_t)x->id;
	if (map_get_u64(known, key))
		return;
	map_set_u64(known, key, x);
	vec_push(p->scratch, &p->loops.at[l->id]->reads, x);
}

/* Of every loop from `around` on outwards that x does not stand in. */
static void add_reads(struct planner *p, struct map *known, const struct phys_loop *around, struct phys_node *x)
{
	for (const struct phys_loop *l = around; l && !phys_loop_is_in(x->loop, l); l = l->outer)
		add_read(p, known, l, x);
}

void planner_find_loops(struct planner *p)
{
	struct map known;
	map_init(&known, p->scratch);
	for (int i = 0; i < p->graph->loops.n; i++) {
		struct planned_loop *l = ARENA_NEW(p->scratch, struct planned_loop);
		l->phys = p->graph->loops.at[i];
		l->outer = l->phys->outer ? p->loops.at[l->phys->outer->id] : NULL;
		vec_push(p->scratch, &p->loops, l);
	}
	for (int i = 0; i < p->graph->nodes.n && p->loops.n; i++) {
		const struct phys_node *n = p->graph->nodes.at[i];
		bool leaves = n->kind == PHYS_END || n->kind == PHYS_STACK;
		for (int k = 0; k < n->nin; k++)
			add_reads(p, &known, leaves ? n->of : n->loop, n->in[k]);
	}
	for (int i = 0; i < p->loops.n; i++) {
		const struct phys_loop *l = p->loops.at[i]->phys;
		if (l->count || l->condition)
			add_reads(p, &known, l, l->count ? l->count : l->condition);
	}
}

struct planned_loop *planner_loop(const struct planner *p, const struct phys_loop *l)
{
	return l ? p->loops.at[l->id] : NULL;
}

bool planned_loop_is_in(const struct planned_loop *inner, const struct planned_loop *outer)
{
	while (inner != outer && inner)
		inner = inner->outer;
	return inner == outer;
}

struct phys_loop *planner_inner_loop(const struct phys_node *n)
{
	struct phys_loop *l = NULL;
	for (int k = 0; k < n->nin; k++)
		l = phys_loop_is_in(n->in[k]->loop, l) ? n->in[k]->loop : l;
	return l;
}

struct loop_bounds loop_bounds_new(const struct planner *p, int *number)
{
	struct loop_bounds b = {.p = p, .number = number};
	b.from = ARENA_ARRAY(p->scratch, int, p->loops.n);
	b.to = ARENA_ARRAY(p->scratch, int, p->loops.n);
	for (int i = 0; i < p->loops.n; i++)
		b.from[i] = b.to[i] = INT32_MIN;
	return b;
}

/* That of x as it is seen from a loop: of the whole loop that x stands in, if that is another. */
static int seen_from(const struct loop_bounds *b, const struct phys_loop *here, const struct phys_node *x)
{
	int number = b->number[x->id];
	for (const struct phys_loop *l = x->loop; l && !phys_loop_is_in(here, l); l = l->outer)
		number = b->to[l->id] > number ? b->to[l->id] : number;
	return number;
}

void loop_bounds_enter(struct loop_bounds *b, const struct phys_loop *l, int least)
{
	if (!l || b->from[l->id] != INT32_MIN)
		return;
	loop_bounds_enter(b, l->outer, least);
	const struct planned_loop *x = b->p->loops.at[l->id];
	int from = l->outer && b->from[l->outer->id] > least ? b->from[l->outer->id] : least;
	for (int i = 0; i < x->reads.n; i++) {
		int seen = seen_from(b, l->outer, x->reads.at[i]);
		from = seen > from ? seen : from;
	}
	b->from[l->id] = b->to[l->id] = from;
}

int loop_bounds_inputs(struct loop_bounds *b, const struct phys_node *n, int least)
{
	loop_bounds_enter(b, n->loop, least);
	int most = n->loop && b->from[n->loop->id] > least ? b->from[n->loop->id] : least;
	for (int k = 0; k < n->nin; k++) {
		int seen = seen_from(b, n->loop, n->in[k]);
		most = seen > most ? seen : most;
	}
	int after = n->after ? seen_from(b, n->loop, n->after) : least;
	bool leaves = n->kind == PHYS_END || n->kind == PHYS_STACK;
	most = leaves && b->to[n->of->id] > most ? b->to[n->of->id] : most;
	return after > most ? after : most;
}

void loop_bounds_set(struct loop_bounds *b, const struct phys_node *n, int number)
{
	b->number[n->id] = number;
	for (const struct phys_loop *l = n->loop; l; l = l->outer)
		b->to[l->id] = number > b->to[l->id] ? number : b->to[l->id];
}
