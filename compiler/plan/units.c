/* units.c — the steps of a region before they are ordered, and what must come before what. */
#include "planner.h"

#include <stdlib.h>
#include <string.h>

struct unit *unit_new(struct planner *p, enum unit_kind kind, struct phys_node *n)
{
	struct unit *u = ARENA_NEW(p->scratch, struct unit);
	u->id = p->units.n;
	u->kind = kind;
	u->node = n;
	u->slot = -1;
	u->loop = n ? planner_loop(p, n->loop) : NULL;
	u->priority = n ? n->id : 0;
	vec_push(p->scratch, &p->units, u);
	return u;
}

/* A loop that only one of the two stands in is one thing: what comes before something of it, or before its end, comes
 * before its begin. */
void unit_edge(struct planner *p, struct unit *from, struct unit *to)
{
	while (!planned_loop_is_in(to->loop, from->loop))
		from = from->loop->end;
	while (!planned_loop_is_in(from->loop, to->loop))
		to = to->loop->begin;
	if (to->kind == UNIT_LOOP_END && from->of != to->of && !planned_loop_is_in(from->loop, to->of))
		to = to->of->begin;
	if (from == to)
		return;
	for (int i = 0; i < to->before.n; i++)
		if (to->before.at[i] == from)
			return;
	vec_push(p->scratch, &from->after, to);
	vec_push(p->scratch, &to->before, from);
}

bool unit_does_read(const struct unit *u, const struct phys_node *n)
{
	for (int i = 0; i < u->reads.n; i++)
		if (u->reads.at[i] == n)
			return true;
	return false;
}

void unit_notes_read(struct planner *p, struct unit *u, struct phys_node *n)
{
	vec_push(p->scratch, &u->reads, n);
	vec_push(p->scratch, &p->readers[n->id].list, u);
}

void unit_reads(struct planner *p, struct unit *u, struct phys_node *n)
{
	n = planner_root(n);
	if (n->kind == PHYS_CONST || n->kind == PHYS_HOST)
		return;
	if (!unit_does_read(u, n))
		unit_notes_read(p, u, n);
}

static void unit_writes(struct planner *p, struct unit *u, struct phys_node *n)
{
	vec_push(p->scratch, &u->writes, n);
	p->maker[n->id] = u;
}

static struct unit *kernel_unit(struct planner *p, struct phys_node *n, struct lowered *l)
{
	struct unit *u = unit_new(p, UNIT_KERNEL, n);
	u->lowered = l;
	for (int i = 0, at = 0; i < l->kernel->params.n; i++) {
		if (l->kernel->params.at[i].kind == KP_SCALAR)
			continue;
		struct phys_node *x = l->buffers.at[at++];
		if (l->kernel->params.at[i].kind == KP_IN)
			unit_reads(p, u, x);
		else
			unit_writes(p, u, x);
	}
	return u;
}

/* The unit that makes a part, as if it were all of the map. */
static struct unit *part_unit(struct planner *p, const struct halo_cut *c, struct phys_node *part)
{
	struct group g = *c->group;
	struct member m = *g.members.at[0], *only = &m;
	m.node = part;
	g.general = true;
	g.members.at = &only;
	struct lowered *l = lower_group(p->arena, NULL, &g, p->stored);
	for (int i = 0; i < l->buffers.n; i++)
		if (l->buffers.at[i] == part)
			l->buffers.at[i] = c->map;
	return kernel_unit(p, c->map, l);
}

/* A number or argument that something wants in memory. */
static void scalar_unit(struct planner *p, struct phys_node *n)
{
	p->stored[n->id] = true;
	if (!p->maker[n->id])
		kernel_unit(p, n, lower_scalar(p->arena, n, p->stored));
}

static bool same_coefficient(const struct coefficient *x, const struct coefficient *y)
{
	return x->number == y->number && x->ntimes == y->ntimes && x->nover == y->nover &&
	       !memcmp(x->times, y->times, sizeof x->times[0] * (size_t)x->ntimes) &&
	       !memcmp(x->over, y->over, sizeof x->over[0] * (size_t)x->nover);
}

/* A coefficient as what a product takes: a constant, an argument, or element 0 of a node's buffer. */
static struct plan_scalar coefficient_scalar(struct planner *p, const struct coefficient *c, enum dtype t,
					     const struct phys_node *like, struct phys_node **node)
{
	struct plan_scalar s = {.kind = OPERAND_CONST, .type = t, .number = {.f = c->number}};
	*node = NULL;
	if (c->ntimes + c->nover == 0)
		return s;
	if (c->number == 1 && c->ntimes == 1 && c->nover == 0 && c->times[0]->kind == PHYS_HOST) {
		s.kind = OPERAND_ARGUMENT;
		s.argument = c->times[0]->argument;
		return s;
	}
	s.kind = OPERAND_ELEMENT;
	if (c->number == 1 && c->ntimes == 1 && c->nover == 0 && c->times[0]->dtype == t) {
		*node = c->times[0];
		return s;
	}
	for (int i = 0; i < p->coefficients.n; i++)
		if (same_coefficient(c, p->coefficients.at[i].c) && p->coefficients.at[i].node->dtype == t) {
			*node = p->coefficients.at[i].node;
			return s;
		}
	*node = planner_coefficient_node(p, c, t, like);
	scalar_unit(p, *node);
	vec_push(p->scratch, &p->coefficients, ((struct known_coefficient){c, *node}));
	return s;
}

/* reads_onto: what is added is read here; parts behind the first find it in the result. */
static struct unit *product_unit(struct planner *p, struct product *x, bool reads_onto)
{
	struct unit *u = unit_new(p, UNIT_PRODUCT, x->result);
	struct coefficient none = {.number = 0};
	u->product = x;
	enum dtype t = dtype_is_float(x->result->dtype) ? x->result->dtype : DT_F64;
	u->alpha = coefficient_scalar(p, &x->c.alpha, t, x->result, &u->alpha_node);
	u->beta = coefficient_scalar(
		p, x->onto ? &x->beta : memcpy(ARENA_NEW(p->scratch, struct coefficient), &none, sizeof none), t,
		x->result, &u->beta_node);
	unit_reads(p, u, x->c.a);
	unit_reads(p, u, x->c.b);
	if (x->c.grid)
		unit_reads(p, u, x->c.grid);
	if (x->onto && reads_onto)
		unit_reads(p, u, x->onto);
	if (u->alpha_node)
		unit_reads(p, u, u->alpha_node);
	if (u->beta_node)
		unit_reads(p, u, u->beta_node);
	unit_writes(p, u, x->result);
	return u;
}

static void cut_units(struct planner *p, struct halo_cut *c)
{
	struct phys_node *part[2 * MAX_FACTORS + 1];
	struct unit *last = NULL;
	int n = planner_parts(p, c, part);
	for (int i = 0; i < n; i++) {
		struct unit *u = c->product ? product_unit(p, planner_part_product(p, c, part[i]), i == 0)
					    : part_unit(p, c, part[i]);
		u->part = i + 1;
		u->parts = n;
		c->first = i ? c->first : u;
		if (last)
			unit_edge(p, last, u);
		last = u;
	}
}

static void group_unit(struct planner *p, struct group *g)
{
	if (g->members.n == 1 && p->cut[g->members.at[0]->node->id]) {
		cut_units(p, p->cut[g->members.at[0]->node->id]);
		return;
	}
	struct phys_node *first = NULL, *last = NULL;
	for (int i = 0; i < g->members.n; i++)
		if (g->members.at[i]->stored) {
			last = g->members.at[i]->node;
			first = first ? first : last;
		}
	if (!last)
		return;
	struct unit *u = kernel_unit(p, last, lower_group(p->arena, p->lowerings, g, p->stored));
	u->priority = first->id;
	u->onto = last->onto;
	if (u->onto)
		unit_reads(p, u, u->onto);
}

void planner_want_stored(struct planner *p, struct phys_node *n)
{
	n = planner_root(n);
	if (n->kind == PHYS_CONST || n->kind == PHYS_HOST)
		scalar_unit(p, n);
}

static void sorted_unit(struct planner *p, struct sorted *x)
{
	struct unit *u = unit_new(p, UNIT_SORTED, x->result);
	planner_want_stored(p, x->ranking.x);
	u->sorted = x;
	unit_reads(p, u, x->ranking.x);
	unit_writes(p, u, x->result);
}

static void transformed_unit(struct planner *p, struct transformed *x)
{
	struct unit *u = unit_new(p, UNIT_FOURIER, x->fourier.out.at[0]);
	u->transformed = x;
	for (int k = 0; k < 2; k++) {
		planner_want_stored(p, x->fourier.in.at[k]);
		unit_reads(p, u, x->fourier.in.at[k]);
	}
	unit_writes(p, u, x->fourier.out.at[0]);
	if (x->fourier.out.at[1] != x->fourier.out.at[0])
		unit_writes(p, u, x->fourier.out.at[1]);
}

static void check_unit(struct planner *p, struct phys_node *n)
{
	struct unit *u = unit_new(p, UNIT_CHECK, n);
	planner_want_stored(p, n->in[0]);
	unit_reads(p, u, n->in[0]);
	if (!u->reads.n) /* a number, which has been given memory */
		unit_notes_read(p, u, planner_root(n->in[0]));
	unit_writes(p, u, n);
}

static void factors_unit(struct planner *p, struct phys_node *n)
{
	struct unit *u = unit_new(p, UNIT_FACTORS, n);
	planner_want_stored(p, n->in[0]);
	unit_reads(p, u, n->in[0]);
	unit_writes(p, u, n);
}

static void transfer_units(struct planner *p, struct phys_node *n)
{
	if (n->nin)
		planner_want_stored(p, n->in[0]);
	struct unit *begin = unit_new(p, UNIT_BEGIN, n), *end = unit_new(p, UNIT_END, n);
	if (n->nin) {
		struct phys_node *src = planner_root(n->in[0]);
		unit_notes_read(p, begin, src);
		unit_notes_read(p, end, src);
	}
	if (n->nin > 1) {
		planner_want_stored(p, n->in[1]);
		unit_notes_read(p, begin, planner_root(n->in[1]));
	}
	if (n->kind == PHYS_TRANSFER)
		unit_writes(p, begin, n);
	p->maker[n->id] = end;
	unit_edge(p, begin, end);
}

static void result_unit(struct planner *p, const struct phys_output *o)
{
	struct unit *u = unit_new(p, UNIT_RESULT, o->node);
	u->result = o->index;
	unit_reads(p, u, o->node);
}

static int by_transfer(const void *a, const void *b)
{
	const struct unit *x = *(struct unit *const *)a, *y = *(struct unit *const *)b;
	return x->node->transfer - y->node->transfer;
}

/* Transfers begin in the order of their numbers on every rank. So no two ranks wait for each other: of all transfers
 * that some rank waits for in vain take the first; whoever has not begun it waits for one before it. */
static void chain_transfers(struct planner *p)
{
	struct unit **begin = ARENA_ARRAY(p->scratch, struct unit *, p->units.n);
	int n = 0;
	for (int i = 0; i < p->units.n; i++)
		if (p->units.at[i]->kind == UNIT_BEGIN)
			begin[n++] = p->units.at[i];
	qsort(begin, (size_t)n, sizeof *begin, by_transfer);
	for (int i = 1; i < n; i++)
		unit_edge(p, begin[i - 1], begin[i]);
}

/* What travels together leaves with the last to begin, so none of it is waited for before. */
static void hold_buckets(struct planner *p)
{
	struct unit **begin = ARENA_ARRAY(p->scratch, struct unit *, p->program->transfers.n);
	for (int i = 0; i < p->units.n; i++)
		if (p->units.at[i]->kind == UNIT_BEGIN)
			begin[p->units.at[i]->node->transfer] = p->units.at[i];
	for (int i = 0; i < p->units.n; i++) {
		struct unit *u = p->units.at[i];
		int bucket = u->kind == UNIT_END ? p->program->transfers.at[u->node->transfer].bucket : -1;
		BUG_IF(bucket >= 0 && !begin[bucket], "transfer %d is in a bucket that role `%s` does not begin",
		       u->node->transfer, p->role->name);
		if (bucket >= 0)
			unit_edge(p, begin[bucket], u);
	}
}

/* What computes n had better wait for that, as the views say that are read by it or by what is computed along with it;
 * the last of several. NULL: nothing. Groups and products were made so that this orders nothing in a circle (fusion.c).
 */
static void find_waits(struct planner *p, const struct phys_node **wait)
{
	for (int i = 0; i < p->graph->nodes.n; i++) {
		const struct phys_node *n = p->graph->nodes.at[i];
		const struct phys_node *last = n->after;
		for (int k = 0; k < n->nin; k++) {
			const struct phys_node *in = n->in[k];
			bool is_part = in->kind == PHYS_VIEW || (in->kind == PHYS_MAP && !p->stored[in->id]);
			if (is_part && wait[in->id] && (!last || wait[in->id]->id > last->id))
				last = wait[in->id];
		}
		wait[i] = last;
	}
}

static void wait_edge(struct planner *p, const struct phys_node *for_this, struct unit *u)
{
	while (for_this && for_this->kind == PHYS_VIEW)
		for_this = for_this->in[0];
	if (for_this && p->maker[for_this->id])
		unit_edge(p, p->maker[for_this->id], u);
}

static void wait_edges(struct planner *p)
{
	int n = p->graph->nodes.n;
	const struct phys_node **wait = ARENA_ARRAY(p->scratch, const struct phys_node *, n);
	find_waits(p, wait);
	for (int i = 0; i < p->units.n; i++) {
		struct unit *u = p->units.at[i];
		for (int k = 0; k < u->writes.n; k++)
			wait_edge(p, wait[u->writes.at[k]->id], u);
		if (u->kind == UNIT_BEGIN)
			wait_edge(p, wait[u->node->id], u);
	}
}

static void data_edges(struct planner *p)
{
	for (int i = 0; i < p->units.n; i++) {
		struct unit *u = p->units.at[i];
		for (int k = 0; k < u->reads.n; k++) {
			const struct phys_node *n = u->reads.at[k];
			if (n->kind == PHYS_SLOT)
				continue;
			BUG_IF(!p->maker[n->id], "nothing makes node %%%d, which is read", n->id);
			unit_edge(p, p->maker[n->id], u);
		}
	}
}

void planner_make_units(struct planner *p)
{
	int n = p->graph->nodes.n;
	planner_begin_loops(p);
	for (int i = 0; i < n; i++) {
		struct phys_node *x = p->graph->nodes.at[i];
		if (x->kind == PHYS_DATA)
			unit_writes(p, unit_new(p, UNIT_READ, x), x);
		else if (x->kind == PHYS_TRANSFER || x->kind == PHYS_SEND)
			transfer_units(p, x);
		else if (x->kind == PHYS_CHECK)
			check_unit(p, x);
		else if (x->kind == PHYS_FACTORS)
			factors_unit(p, x);
		else if (x->kind == PHYS_VIEW)
			planner_want_stored(p, x);
	}
	for (int i = 0; i < p->groups.n; i++)
		group_unit(p, p->groups.at[i]);
	for (int i = 0; i < p->products.n; i++)
		if (p->cut[p->products.at[i]->result->id])
			cut_units(p, p->cut[p->products.at[i]->result->id]);
		else
			product_unit(p, p->products.at[i], true);
	for (int i = 0; i < p->sorts.n; i++)
		sorted_unit(p, p->sorts.at[i]);
	for (int i = 0; i < p->transforms.n; i++)
		transformed_unit(p, p->transforms.at[i]);
	for (int i = 0; i < p->graph->outputs.n; i++) {
		const struct phys_output *o = &p->graph->outputs.at[i];
		if (o->kind == OUTPUT_HOST)
			result_unit(p, o);
		else
			planner_want_stored(p, o->node);
	}
	planner_enter_loops(p);
	data_edges(p);
	wait_edges(p);
	chain_transfers(p);
	hold_buckets(p);
	planner_place_loops(p);
}
