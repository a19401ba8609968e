/* divide.c — kernels that threads can share: whose turns of one loop around everything neither read nor write what
 * another turn writes. Their bits do not hang on who makes which turn. */
#include "kernel.h"

/* The only loop of a list; NULL if there is none or another one, or if its turns are joined. */
static const struct kernel_instr *only_loop(const struct kernel_instr *body)
{
	const struct kernel_instr *loop = NULL;
	for (const struct kernel_instr *i = body; i; i = i->next) {
		if (i->kind == K_LOOP && loop)
			return NULL;
		if (i->kind == K_LOOP)
			loop = i;
	}
	return loop && !loop->naccs ? loop : NULL;
}

/* Instructions at points. */
static double work_of(const struct kernel_instr *body)
{
	double sum = 0;
	for (const struct kernel_instr *i = body; i; i = i->next)
		sum += i->kind == K_LOOP ? (double)i->extent * work_of(i->body) : 1;
	return sum;
}

static int64_t length(int64_t x)
{
	return x < 0 ? -x : x;
}

/* What a turn of one loop touches of a buffer: elements low..high, moved on by `step` from turn to turn. */
struct touched {
	const struct kernel *k;
	const struct kernel_instr *loop;
	int buffer; /* the parameter, or the one whose place it takes */
	int nstores;
	bool is_read, fits;
	int64_t step, low, high;
	const struct kernel_instr *store;
};

static int buffer_of(const struct kernel *k, int param)
{
	return k->params.at[param].same >= 0 ? k->params.at[param].same : param;
}

static void touch(struct touched *t, const struct kernel_instr *i)
{
	const struct kernel_affine *at = &i->at;
	int64_t low = at->offset, high = at->offset, step = affine_coef(at, t->loop->loop);
	for (int n = 0; n < at->nterms; n++) {
		if (at->term[n].loop == t->loop->loop)
			continue;
		int64_t most = at->term[n].coef * (kernel_loop_extent(t->k->body, at->term[n].loop) - 1);
		low += most < 0 ? most : 0;
		high += most < 0 ? 0 : most;
	}
	bool first = !t->nstores && !t->is_read;
	t->fits = at->reg < 0 && step != 0 && (first || (t->fits && step == t->step));
	t->low = first || low < t->low ? low : t->low;
	t->high = first || high > t->high ? high : t->high;
	t->step = step;
	t->is_read |= i->kind == K_LOAD;
	t->nstores += i->kind == K_STORE;
	t->store = i->kind == K_STORE ? i : t->store;
}

static void touch_all(struct touched *t, const struct kernel_instr *body)
{
	for (const struct kernel_instr *i = body; i; i = i->next)
		if (i->kind == K_LOOP)
			touch_all(t, i->body);
		else if ((i->kind == K_LOAD || i->kind == K_STORE) && buffer_of(t->k, i->param) == t->buffer)
			touch(t, i);
}

/* Whether a store writes every element once: a term outweighs all smaller ones together. */
static bool writes_once(const struct touched *t)
{
	const struct kernel_affine *at = &t->store->at;
	for (int n = 0; n < at->nterms; n++) {
		int64_t smaller = 0;
		for (int o = 0; o < at->nterms; o++) {
			int64_t turns = kernel_loop_extent(t->k->body, at->term[o].loop) - 1;
			bool counts = o != n && turns > 0 && length(at->term[o].coef) <= length(at->term[n].coef);
			smaller += counts ? length(at->term[o].coef) * turns : 0;
		}
		if (smaller >= length(at->term[n].coef) && kernel_loop_extent(t->k->body, at->term[n].loop) > 1)
			return false;
	}
	return affine_coef(at, t->loop->loop) != 0 && at->reg < 0;
}

static bool turns_are_apart(const struct kernel *k, const struct kernel_instr *loop, int buffer)
{
	struct touched t = {.k = k, .loop = loop, .buffer = buffer};
	touch_all(&t, k->body);
	if (t.nstores == 1 && !t.is_read)
		return writes_once(&t);
	return t.nstores == 0 || (t.fits && t.high - t.low < length(t.step));
}

const struct kernel_instr *kernel_divided(const struct kernel *k, double least_work)
{
	const struct kernel_instr *loop = only_loop(k->body);
	while (loop && loop->extent == 1 && !loop->vector)
		loop = only_loop(loop->body);
	if (!loop || loop->extent < 2 || work_of(k->body) < least_work)
		return NULL;
	for (int p = 0; p < k->params.n; p++)
		if (k->params.at[p].kind != KP_SCALAR && !turns_are_apart(k, loop, buffer_of(k, p)))
			return NULL;
	return loop;
}
