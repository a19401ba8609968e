/* across.c — see across.h. */
#include "across.h"

bool kernel_is_apart(int64_t stride)
{
	return stride > 1 && stride <= MAX_APART;
}

static bool reads_across(const struct kernel_instr *i, const struct kernel_nest *n)
{
	int64_t step = affine_coef(&i->at, n->lanes->loop);
	return i->kind == K_LOAD && i->guard < 0 && i->at.reg < 0 && affine_coef(&i->at, n->rows->loop) == 1 &&
	       (step < -1 || step > 1);
}

/* False if the body holds more than plain values, or reads nothing across. */
static bool find_loads(struct kernel_nest *n)
{
	for (const struct kernel_instr *i = n->lanes->body; i; i = i->next) {
		if (i->kind == K_LOOP || i->kind == K_REDUCE || i->kind == K_PREFIX)
			return false;
		if (i->kind == K_LOAD && kernel_stores_to(n->lanes->body, i->param))
			return false;
		if (reads_across(i, n) && n->nloads < MAX_TILED)
			n->load[n->nloads++] = i;
	}
	return n->nloads > 0;
}

bool kernel_is_nest(const struct kernel_instr *loop, struct kernel_nest *n)
{
	*n = (struct kernel_nest){.rows = loop};
	for (const struct kernel_instr *i = loop->body; i; i = i->next) {
		if (i->kind == K_STORE || i->kind == K_REDUCE || i->kind == K_PREFIX || n->lanes)
			return false;
		if (i->kind == K_LOOP)
			n->lanes = i;
	}
	return n->lanes && n->lanes->vector && !loop->naccs && !n->lanes->naccs && loop->extent > 1 &&
	       n->lanes->extent > 1 && find_loads(n);
}

int kernel_nest_load(const struct kernel_nest *n, const struct kernel_instr *load)
{
	for (int i = 0; i < n->nloads; i++)
		if (n->load[i] == load)
			return i;
	return -1;
}
