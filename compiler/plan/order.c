/* order.c — an order of the units: transfers begin as soon as they can, computation follows the program, and a transfer
 * is waited for only when nothing else is left to do.
 *
 * Params and states can be brought from the start on, which would hold all of them at once. So of these transfers only
 * as much is on its way as two of the largest need: one that is waited for, one under way meanwhile.
 *
 * Where there are micro-batches (pipeline/), all this holds within a pass over one of them, and passes follow each
 * other as the schedule says: what a message to another stage is made of comes first in its pass, gradients of weights
 * behind it; what comes from another stage is waited for in the first pass that reads it, what goes to
 * another stage when its memory is needed again, but no earlier than two passes later, so that two messages can be on
 * their way. */
#include "planner.h"
#include "../layout/exchange.h"

#include <stdlib.h>

bool unit_reaches(struct planner *p, struct unit *from, struct unit *to)
{
	p->search++;
	p->stack.n = 0;
	vec_push(p->scratch, &p->stack, from);
	while (p->stack.n) {
		struct unit *u = p->stack.at[--p->stack.n];
		if (u == to)
			return true;
		if (u->seen == p->search)
			continue;
		u->seen = p->search;
		for (int i = 0; i < u->after.n; i++)
			vec_push(p->scratch, &p->stack, u->after.at[i]);
	}
	return false;
}

enum { class_of_end = 2 };

static int class_of(const struct unit *u)
{
	return u->kind == UNIT_BEGIN ? 0 : u->kind == UNIT_END ? class_of_end : 1;
}

static bool earlier(const struct unit *x, const struct unit *y)
{
	int a = class_of(x), b = class_of(y);
	if (a == 0 || b == 0 ? a != b : x->segment == y->segment && a != b)
		return a < b;
	if (a != 0 && x->segment != y->segment)
		return x->segment < y->segment;
	if (a == class_of_end)
		return x->node->transfer < y->node->transfer;
	if (x->urgent != y->urgent)
		return x->urgent;
	return x->priority != y->priority ? x->priority < y->priority : x->id < y->id;
}

/* A binary heap of ready units. */
struct ready {
	VEC(struct unit *) at;
};

static void ready_push(struct planner *p, struct ready *h, struct unit *u)
{
	vec_push(p->scratch, &h->at, u);
	for (int i = h->at.n - 1; i > 0 && earlier(h->at.at[i], h->at.at[(i - 1) / 2]); i = (i - 1) / 2) {
		struct unit *t = h->at.at[i];
		h->at.at[i] = h->at.at[(i - 1) / 2];
		h->at.at[(i - 1) / 2] = t;
	}
}

static struct unit *ready_pop(struct ready *h)
{
	struct unit *top = h->at.at[0];
	h->at.at[0] = h->at.at[--h->at.n];
	for (int i = 0;;) {
		int least = i;
		for (int k = 2 * i + 1; k <= 2 * i + 2 && k < h->at.n; k++)
			if (earlier(h->at.at[k], h->at.at[least]))
				least = k;
		if (least == i)
			return top;
		struct unit *t = h->at.at[i];
		h->at.at[i] = h->at.at[least];
		h->at.at[least] = t;
		i = least;
	}
}

/* ---- passes over micro-batches ---- */

enum { SLOTS = 2, LAST = INT32_MAX };

/* The first pass that needs it; the end of its loop comes behind all passes of a turn. */
static int least_after(const struct unit *u)
{
	int least = LAST;
	for (int i = 0; i < u->after.n; i++)
		if (u->after.at[i]->segment < least &&
		    (u->after.at[i]->kind != UNIT_LOOP_END || u->after.at[i]->loop == u->loop))
			least = u->after.at[i]->segment;
	return least;
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* The passes in which the role computes, in order, each once. */
static int *own_segments(struct planner *p, int *n)
{
	int *list = ARENA_ARRAY(p->scratch, int, p->units.n), kept = 0;
	for (int i = *n = 0; i < p->units.n; i++)
		if (class_of(p->units.at[i]) == 1)
			list[(*n)++] = p->units.at[i]->segment;
	qsort(list, (size_t)*n, sizeof *list, compare_ints);
	for (int i = 0; i < *n; i++)
		if (!kept || list[kept - 1] != list[i])
			list[kept++] = list[i];
	*n = kept;
	return list;
}

static int slots_later(const int *list, int n, int segment)
{
	int i = 0;
	while (i < n && list[i] <= segment)
		i++;
	return i + SLOTS - 1 < n ? list[i + SLOTS - 1] : LAST;
}

/* What computes, in the same pass, something that u sends. */
static void mark_urgent(struct planner *p, struct unit *u)
{
	int segment = planner_segment(planner_root(u->node->in[0]));
	p->search++;
	p->stack.n = 0;
	vec_push(p->scratch, &p->stack, u);
	while (p->stack.n) {
		struct unit *x = p->stack.at[--p->stack.n];
		if (x->seen == p->search || (x != u && (x->urgent || x->segment != segment)))
			continue;
		x->seen = p->search;
		x->urgent = true;
		for (int i = 0; i < x->before.n; i++)
			vec_push(p->scratch, &p->stack, x->before.at[i]);
	}
}

static void find_segments(struct planner *p)
{
	int n, *last_read = ARENA_ARRAY(p->scratch, int, p->graph->nodes.n);
	for (int i = 0; i < p->units.n; i++) {
		struct unit *u = p->units.at[i];
		u->segment = u->kind == UNIT_COPY && u->slot >= 0 ? LAST : u->node ? planner_segment(u->node) : 0;
		for (int k = 0; k < u->reads.n && class_of(u) == 1; k++)
			if (last_read[u->reads.at[k]->id] < u->segment)
				last_read[u->reads.at[k]->id] = u->segment;
	}
	int *own = own_segments(p, &n);
	if (n < 2)
		return;
	for (int i = 0; i < p->units.n; i++) {
		struct unit *u = p->units.at[i];
		if (u->kind != UNIT_END)
			continue;
		int least = least_after(u);
		if (u->node->kind == PHYS_SEND) {
			const struct phys_node *src = planner_root(u->node->in[0]);
			u->segment = slots_later(own, n, planner_segment(src));
			u->segment = last_read[src->id] > u->segment ? last_read[src->id] : u->segment;
		} else {
			u->segment = LAST;
		}
		u->segment = least < u->segment ? least : u->segment;
	}
	for (int i = 0; i < p->units.n; i++)
		if (p->units.at[i]->kind == UNIT_BEGIN && p->units.at[i]->node->kind == PHYS_SEND)
			mark_urgent(p, p->units.at[i]);
}

/* ---- what is brought of slots ---- */

enum { LITTLE = 1 << 20 }; /* bytes that need no care */

struct bringing {
	int64_t under_way, most; /* bytes */
	struct unit *held; /* ready to begin, but for the memory; begins follow each other, so there is one at most */
};

/* Bytes that the transfer of a unit brings from a slot; 0: it brings something else. */
static int64_t brought(const struct unit *u)
{
	const struct phys_node *n = u->node;
	if ((u->kind != UNIT_BEGIN && u->kind != UNIT_END) || n->loop || n->kind != PHYS_TRANSFER || !n->nin ||
	    planner_root(n->in[0])->kind != PHYS_SLOT)
		return 0;
	int64_t bytes = count_mul(shape_volume(&n->shape), dtype_size(n->dtype));
	return bytes < INT64_MAX / 4 ? bytes : INT64_MAX / 4;
}

static void find_most(struct planner *p, struct bringing *b)
{
	for (int i = 0; i < p->units.n; i++)
		if (brought(p->units.at[i]) > b->most / 2)
			b->most = 2 * brought(p->units.at[i]);
	b->most = b->most > LITTLE ? b->most : LITTLE;
}

static void make_ready(struct planner *p, struct ready *h, struct bringing *b, struct unit *u)
{
	bool waits = u->kind == UNIT_BEGIN && b->under_way && brought(u) > b->most - b->under_way;
	if (waits && brought(u))
		b->held = u;
	else
		ready_push(p, h, u);
}

static void release_held(struct planner *p, struct ready *h, struct bringing *b)
{
	if (b->held && (!h->at.n || !b->under_way || brought(b->held) <= b->most - b->under_way)) {
		ready_push(p, h, b->held);
		b->held = NULL;
	}
}

/* What makes new values of slots in their own storage takes no memory, and what it reads is mostly not needed any more,
 * as a gradient by the update of its param: so it comes as soon as it can. */
static void hasten_updates(struct planner *p)
{
	for (int i = 0; i < p->units.n; i++) {
		struct unit *u = p->units.at[i];
		bool updates = u->writes.n > 0 && class_of(u) == 1;
		for (int k = 0; k < u->writes.n; k++)
			updates = updates && p->in_slot[u->writes.at[k]->id] >= 0;
		if (updates)
			u->priority = -1;
	}
}

/* ---- loops: from its begin to its end there is nothing but what stands in it ---- */

struct scope {
	struct ready ready;
	struct bringing bringing;
};

static int scope_of(const struct unit *u)
{
	const struct planned_loop *l = u->kind == UNIT_LOOP_END ? u->of : u->loop;
	return l ? l->phys->id + 1 : 0;
}

static void make_ready_in_scope(struct planner *p, struct scope *scopes, struct unit *u)
{
	struct scope *s = &scopes[scope_of(u)];
	make_ready(p, &s->ready, &s->bringing, u);
}

static int scope_behind(const struct unit *u, int scope)
{
	if (u->kind == UNIT_LOOP_BEGIN)
		return u->of->phys->id + 1;
	if (u->kind == UNIT_LOOP_END)
		return u->of->outer ? u->of->outer->phys->id + 1 : 0;
	return scope;
}

void planner_order_units(struct planner *p)
{
	struct scope *scopes = ARENA_ARRAY(p->scratch, struct scope, p->loops.n + 1);
	int scope = 0;
	find_segments(p);
	hasten_updates(p);
	for (int i = 0; i <= p->loops.n; i++)
		find_most(p, &scopes[i].bringing);
	for (int i = 0; i < p->units.n; i++) {
		p->units.at[i]->waits = p->units.at[i]->before.n;
		if (!p->units.at[i]->waits)
			make_ready_in_scope(p, scopes, p->units.at[i]);
	}
	while (scopes[scope].ready.at.n) {
		struct scope *s = &scopes[scope];
		struct unit *u = ready_pop(&s->ready);
		vec_push(p->scratch, &p->order, u);
		s->bringing.under_way += u->kind == UNIT_BEGIN ? brought(u) : -brought(u);
		for (int i = 0; i < u->after.n; i++)
			if (--u->after.at[i]->waits == 0)
				make_ready_in_scope(p, scopes, u->after.at[i]);
		release_held(p, &s->ready, &s->bringing);
		scope = scope_behind(u, scope);
	}
	BUG_IF(p->order.n != p->units.n, "the steps of region %s wait for each other", p->region->name);
}
