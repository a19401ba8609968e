/* collapse.c — fewer, longer loops: loops of one turn vanish, and a nest whose addresses step evenly across both
 * variables becomes one loop over the product, so that vector loops are long and start-up is paid once. Not where that
 * would add up floats in another order: whether addresses step evenly hangs on everything that the kernel computes, and
 * a sum's order must not. What is left is put in an order in which it is read well (interchange.c). */
#include "build.h"
#include "lower.h"

#include <stdlib.h>
#include <string.h>

struct collapser {
	struct arena *arena;
	struct kernel *k;
	bool changed;
	bool *ordered; /* by register: a sum of floats, or a product */
};

static void drop_term(struct kernel_affine *at, int loop)
{
	int n = 0;
	for (int i = 0; i < at->nterms; i++)
		if (at->term[i].loop != loop)
			at->term[n++] = at->term[i];
	at->nterms = n;
}

static void drop_loop(struct kernel_instr *body, int loop)
{
	for (struct kernel_instr *in = body; in; in = in->next) {
		drop_term(&in->at, loop);
		if (in->kind == K_LOOP)
			drop_loop(in->body, loop);
	}
}

/* Renames outer to inner in all addresses: the inner loop's coefficient serves both. An inner loop of one turn has no
 * say. */
static void join_terms(struct kernel_instr *body, int outer, int inner, bool inner_is_one)
{
	for (struct kernel_instr *in = body; in; in = in->next) {
		if (in->kind == K_LOOP)
			join_terms(in->body, outer, inner, inner_is_one);
		if (!inner_is_one) {
			drop_term(&in->at, outer);
			continue;
		}
		drop_term(&in->at, inner);
		for (int i = 0; i < in->at.nterms; i++)
			if (in->at.term[i].loop == outer)
				in->at.term[i].loop = inner;
	}
}

static bool even(const struct kernel_instr *body, int outer, int inner, int64_t extent)
{
	for (const struct kernel_instr *in = body; in; in = in->next) {
		if (extent != 1 && affine_coef(&in->at, outer) != affine_coef(&in->at, inner) * extent)
			return false;
		if (in->kind == K_LOOP && !even(in->body, outer, inner, extent))
			return false;
	}
	return true;
}

/* Whether the body adds up, in an accumulator of a loop around it, what is not the same in every order. */
static bool adds_in_order(const struct collapser *c, const struct kernel_instr *body)
{
	for (const struct kernel_instr *in = body; in; in = in->next)
		if (in->kind == K_LOOP ? adds_in_order(c, in->body) : in->kind == K_REDUCE && c->ordered[in->reg])
			return true;
	return false;
}

/* Whether a store of the body may reach the element that the load reads from another turn of the loops, which are to be
 * one of `extent` turns. */
static bool stored_in_another_turn(const struct kernel_instr *body, const struct kernel_instr *load, int loop,
				   int64_t extent)
{
	for (const struct kernel_instr *in = body; in; in = in->next) {
		if (in->kind == K_LOOP && stored_in_another_turn(in->body, load, loop, extent))
			return true;
		if (in->kind != K_STORE || in->param != load->param || affine_equal(&in->at, &load->at))
			continue;
		struct kernel_affine at = in->at;
		at.offset = load->at.offset;
		int64_t apart = llabs(in->at.offset - load->at.offset);
		if (!affine_equal(&at, &load->at) || apart < llabs(affine_coef(&at, loop)) * extent)
			return true;
	}
	return false;
}

/* Whether turns of the loop would depend on each other through memory, so that they cannot be lanes. */
static bool carries(const struct kernel_instr *body, const struct kernel_instr *root, int loop, int64_t extent)
{
	for (const struct kernel_instr *in = body; in; in = in->next)
		if ((in->kind == K_LOOP && carries(in->body, root, loop, extent)) ||
		    (in->kind == K_LOAD && stored_in_another_turn(root, in, loop, extent)))
			return true;
	return false;
}

static void find_ordered(struct collapser *c, const struct kernel_instr *body)
{
	for (const struct kernel_instr *in = body; in; in = in->next) {
		if (in->kind != K_LOOP)
			continue;
		for (int i = 0; i < in->naccs; i++) {
			const struct kernel_acc *acc = &in->acc[i];
			bool sums = acc->combiner == COMBINE_SUM || acc->combiner == COMBINE_PROD;
			c->ordered[acc->reg] = sums && dtype_is_float(acc->type);
		}
		find_ordered(c, in->body);
	}
}

static bool try_join(struct collapser *c, struct kernel_instr *outer)
{
	struct kernel_instr *inner = outer->body;
	int64_t extent;
	if (outer->vector || !inner || inner->kind != K_LOOP || inner->next || inner->naccs)
		return false;
	if (inner->vector && outer->extent != 1 && adds_in_order(c, inner->body))
		return false;
	if (!even(inner->body, outer->loop, inner->loop, inner->extent))
		return false;
	if (__builtin_mul_overflow(outer->extent, inner->extent, &extent))
		return false;
	if (outer->extent != 1 && carries(inner->body, inner->body, inner->loop, extent))
		return false;
	join_terms(inner->body, outer->loop, inner->loop, inner->extent == 1);
	outer->loop = inner->loop;
	outer->loop_name = inner->loop_name;
	outer->vector = inner->vector;
	outer->extent = extent;
	outer->body = inner->body;
	c->changed = true;
	return true;
}

/* A loop of one turn without accumulators is its body. */
static struct kernel_instr *unwrap(struct collapser *c, struct kernel_instr *loop)
{
	if (loop->extent != 1 || loop->naccs)
		return NULL;
	drop_loop(loop->body, loop->loop);
	c->changed = true;
	struct kernel_instr *last = loop->body;
	if (!last)
		return loop->next;
	while (last->next)
		last = last->next;
	last->next = loop->next;
	return loop->body;
}

static void collapse_body(struct collapser *c, struct kernel_instr **link)
{
	while (*link) {
		struct kernel_instr *in = *link;
		if (in->kind != K_LOOP) {
			link = &in->next;
			continue;
		}
		while (try_join(c, in))
			;
		collapse_body(c, &in->body);
		while (try_join(c, in))
			;
		struct kernel_instr *opened = unwrap(c, in);
		if (opened != NULL || (in->extent == 1 && !in->naccs))
			*link = opened;
		else
			link = &in->next;
	}
}

/* Numbers registers and loops in order of appearance, so that equal kernels look equal. */
struct renumber {
	int *reg, *loop, nregs, nloops;
};

static int new_number(int *map, int old, int *n)
{
	if (old < 0)
		return old;
	if (map[old] < 0)
		map[old] = (*n)++;
	return map[old];
}

static void renumber_affine(struct renumber *m, struct kernel_affine *at)
{
	at->reg = new_number(m->reg, at->reg, &m->nregs);
	for (int i = 0; i < at->nterms; i++)
		at->term[i].loop = new_number(m->loop, at->term[i].loop, &m->nloops);
	affine_sort(at);
}

static void renumber_body(struct renumber *m, struct kernel_instr *body)
{
	for (struct kernel_instr *in = body; in; in = in->next) {
		in->a = new_number(m->reg, in->a, &m->nregs);
		in->b = new_number(m->reg, in->b, &m->nregs);
		in->c = new_number(m->reg, in->c, &m->nregs);
		in->guard = new_number(m->reg, in->guard, &m->nregs);
		renumber_affine(m, &in->at);
		in->reg = new_number(m->reg, in->reg, &m->nregs);
		if (in->kind != K_LOOP)
			continue;
		in->loop = new_number(m->loop, in->loop, &m->nloops);
		for (int i = 0; i < in->naccs; i++) {
			in->acc[i].reg = new_number(m->reg, in->acc[i].reg, &m->nregs);
			in->acc[i].index_reg = new_number(m->reg, in->acc[i].index_reg, &m->nregs);
		}
		renumber_body(m, in->body);
	}
}

static void renumber(struct arena *a, struct kernel *k)
{
	struct renumber m = {.reg = ARENA_ARRAY(a, int, k->nregs), .loop = ARENA_ARRAY(a, int, k->nloops)};
	for (int i = 0; i < k->nregs; i++)
		m.reg[i] = -1;
	for (int i = 0; i < k->nloops; i++)
		m.loop[i] = -1;
	for (int i = 0; i < k->params.n; i++)
		k->params.at[i].reg = new_number(m.reg, k->params.at[i].reg, &m.nregs);
	renumber_body(&m, k->body);
	k->nregs = m.nregs;
	k->nloops = m.nloops;
}

static void collapse_all(struct collapser *c)
{
	do {
		c->changed = false;
		collapse_body(c, &c->k->body);
	} while (c->changed);
}

void kernel_collapse(struct arena *a, struct kernel *k)
{
	struct collapser c = {a, k, false, ARENA_ARRAY(a, bool, k->nregs)};
	find_ordered(&c, k->body);
	collapse_all(&c);
	kernel_interchange(a, k);
	collapse_all(&c);
	renumber(a, k);
}
