/* hash.c — when two kernels are the same code: everything but names. */
#include "kernel.h"

#include <string.h>

static uint64_t mix(uint64_t h, int64_t v)
{
	return hash_number(h, (uint64_t)v);
}

static uint64_t hash_affine(uint64_t h, const struct kernel_affine *at)
{
	h = mix(mix(h, at->offset), at->nterms);
	for (int i = 0; i < at->nterms; i++)
		h = mix(mix(h, at->term[i].loop), at->term[i].coef);
	return at->reg < 0 ? mix(h, -1) : mix(mix(h, at->reg), at->scale);
}

static uint64_t hash_body(uint64_t h, const struct kernel_instr *body)
{
	for (const struct kernel_instr *in = body; in; in = in->next) {
		const int64_t field[] = {in->kind,  in->reg,   in->type, in->fn,     in->a,      in->b,    in->c,
					 in->param, in->guard, in->loop, in->extent, in->vector, in->naccs};
		for (size_t i = 0; i < sizeof field / sizeof *field; i++)
			h = mix(h, field[i]);
		h = mix(hash_affine(h, &in->at), in->number.i);
		for (int i = 0; i < in->naccs; i++) {
			const struct kernel_acc *acc = &in->acc[i];
			h = mix(mix(mix(mix(h, acc->reg), acc->index_reg), acc->type), acc->combiner);
		}
		if (in->kind == K_LOOP)
			h = hash_body(h, in->body);
	}
	return mix(h, -2);
}

uint64_t kernel_hash(const struct kernel *k)
{
	uint64_t h = mix(HASH_SEED, k->params.n);
	for (int i = 0; i < k->params.n; i++) {
		const struct kernel_param *p = &k->params.at[i];
		h = mix(mix(mix(mix(mix(h, p->kind), p->type), p->size), p->same), p->reg);
	}
	return hash_body(h, k->body);
}

static bool equal_instr(const struct kernel_instr *x, const struct kernel_instr *y)
{
	if (x->kind != y->kind || x->reg != y->reg || x->type != y->type || x->fn != y->fn || x->a != y->a ||
	    x->b != y->b || x->c != y->c || x->param != y->param || x->guard != y->guard || x->loop != y->loop ||
	    x->extent != y->extent || x->vector != y->vector || x->naccs != y->naccs ||
	    memcmp(&x->number, &y->number, sizeof x->number))
		return false;
	if (x->at.offset != y->at.offset || x->at.nterms != y->at.nterms || x->at.reg != y->at.reg ||
	    (x->at.reg >= 0 && x->at.scale != y->at.scale))
		return false;
	for (int i = 0; i < x->at.nterms; i++)
		if (x->at.term[i].loop != y->at.term[i].loop || x->at.term[i].coef != y->at.term[i].coef)
			return false;
	for (int i = 0; i < x->naccs; i++)
		if (x->acc[i].reg != y->acc[i].reg || x->acc[i].index_reg != y->acc[i].index_reg ||
		    x->acc[i].type != y->acc[i].type || x->acc[i].combiner != y->acc[i].combiner)
			return false;
	return true;
}

static bool equal_body(const struct kernel_instr *x, const struct kernel_instr *y)
{
	for (; x != y && x && y; x = x->next, y = y->next)
		if (!equal_instr(x, y) || (x->kind == K_LOOP && !equal_body(x->body, y->body)))
			return false;
	return x == y;
}

bool kernel_equal(const struct kernel *a, const struct kernel *b)
{
	if (a->params.n != b->params.n)
		return false;
	for (int i = 0; i < a->params.n; i++) {
		const struct kernel_param *x = &a->params.at[i], *y = &b->params.at[i];
		if (x->kind != y->kind || x->type != y->type || x->size != y->size || x->same != y->same ||
		    x->reg != y->reg)
			return false;
	}
	return equal_body(a->body, b->body);
}
