/* order.c — an order of the units: transfers begin as soon as they can, computation follows the program, and a transfer
 * is waited for only when nothing else is left to do. */
#include "planner.h"

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
	if (a != b)
		return a < b;
	if (a == class_of_end)
		return x->node->transfer < y->node->transfer;
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

void planner_order_units(struct planner *p)
{
	struct ready h = {0};
	for (int i = 0; i < p->units.n; i++) {
		p->units.at[i]->waits = p->units.at[i]->before.n;
		if (!p->units.at[i]->waits)
			ready_push(p, &h, p->units.at[i]);
	}
	while (h.at.n) {
		struct unit *u = ready_pop(&h);
		vec_push(p->scratch, &p->order, u);
		for (int i = 0; i < u->after.n; i++)
			if (--u->after.at[i]->waits == 0)
				ready_push(p, &h, u->after.at[i]);
	}
	BUG_IF(p->order.n != p->units.n, "the steps of region %s wait for each other", p->region->name);
}
