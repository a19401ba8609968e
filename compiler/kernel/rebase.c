/* rebase.c — a kernel that reads a part of a buffer reads it from the part's beginning: what a step says is where that
 * is, and how large the whole is does not matter. So the updates of equal layers, whose gradients are lines of one
 * stack, are one kernel, and so is what reads a line of a stack and what reads a tensor.
 *
 *   in b0: f32[960], load b0[288 + 1*i0], i0 < 96     becomes     in b0: f32[96], load b0[1*i0], from element 288 on
 *
 * Left as they are: parameters written to or written in place, and addresses that data or a guard decides. */
#include "lower.h"

#include <string.h>

/* What is read of a parameter: elements low..high; `any` false: nothing, or nobody can say. */
struct reach {
	bool known, any;
	int64_t low, high;
};

struct loops {
	int64_t *extent; /* by loop around the place */
};

static void reach(struct reach *r, const struct kernel_instr *in, const struct loops *l)
{
	int64_t low = in->at.offset, high = in->at.offset;
	if (in->at.reg >= 0 || in->guard >= 0)
		r[in->param].known = false;
	for (int i = 0; i < in->at.nterms; i++) {
		int64_t most = in->at.term[i].coef * (l->extent[in->at.term[i].loop] - 1);
		*(most < 0 ? &low : &high) += most;
	}
	struct reach *p = &r[in->param];
	p->low = p->any && p->low < low ? p->low : low;
	p->high = p->any && p->high > high ? p->high : high;
	p->any = true;
}

static void find_reach(struct reach *r, const struct kernel_instr *body, const struct loops *l)
{
	for (const struct kernel_instr *in = body; in; in = in->next) {
		if (in->kind == K_LOAD)
			reach(r, in, l);
		if (in->kind != K_LOOP || in->extent == 0)
			continue;
		l->extent[in->loop] = in->extent;
		find_reach(r, in->body, l);
	}
}

static struct kernel_instr *copied(struct arena *a, const struct kernel_instr *body)
{
	struct kernel_instr *first = NULL, **to = &first;
	for (const struct kernel_instr *in = body; in; in = in->next) {
		struct kernel_instr *x = ARENA_NEW(a, struct kernel_instr);
		*x = *in;
		x->body = in->body ? copied(a, in->body) : NULL;
		*to = x;
		to = &x->next;
	}
	return first;
}

int64_t kernel_loop_extent(const struct kernel_instr *body, int loop)
{
	int64_t extent = 0;
	for (const struct kernel_instr *i = body; i && !extent; i = i->next)
		if (i->kind == K_LOOP)
			extent = i->loop == loop ? i->extent : kernel_loop_extent(i->body, loop);
	return extent;
}

bool kernel_stores_to(const struct kernel_instr *list, int param)
{
	for (const struct kernel_instr *i = list; i; i = i->next)
		if (i->kind == K_STORE && i->param == param)
			return true;
	return false;
}

struct kernel *kernel_copy(struct arena *a, const struct kernel *k)
{
	struct kernel *fresh = ARENA_NEW(a, struct kernel);
	*fresh = *k;
	fresh->params.at = ARENA_ARRAY(a, struct kernel_param, k->params.n);
	fresh->params.cap = k->params.n;
	memcpy(fresh->params.at, k->params.at, sizeof *k->params.at * (size_t)k->params.n);
	fresh->body = copied(a, k->body);
	return fresh;
}

static void shift(struct kernel_instr *body, const int64_t *from)
{
	for (struct kernel_instr *in = body; in; in = in->next) {
		if (in->kind == K_LOAD)
			in->at.offset -= from[in->param];
		shift(in->body, from);
	}
}

struct kernel *kernel_rebased(struct arena *a, const struct kernel *k, int64_t *from)
{
	struct reach *r = ARENA_ARRAY(a, struct reach, k->params.n);
	struct loops l = {ARENA_ARRAY(a, int64_t, k->nloops + 1)};
	bool any = false;
	for (int i = 0; i < k->params.n; i++)
		r[i].known = k->params.at[i].kind == KP_IN;
	for (int i = 0; i < k->params.n; i++)
		if (k->params.at[i].kind != KP_SCALAR && k->params.at[i].same >= 0)
			r[k->params.at[i].same].known = false;
	find_reach(r, k->body, &l);
	for (int i = 0; i < k->params.n; i++) {
		r[i].known = r[i].known && r[i].any && r[i].low >= 0;
		from[i] = r[i].known ? r[i].low : 0;
		any |= r[i].known;
	}
	struct kernel *fresh = kernel_copy(a, k);
	if (!any)
		return fresh;
	for (int i = 0; i < k->params.n; i++)
		if (r[i].known)
			fresh->params.at[i].size = r[i].high - r[i].low + 1;
	shift(fresh->body, from);
	return fresh;
}
