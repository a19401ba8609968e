/* hash.c — when two kernels are the same code: everything but names, and but for which buffers are others' places. */
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
		h = mix(mix(mix(mix(h, p->kind), p->type), p->size), p->reg);
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

static bool equal_but_same(const struct kernel *a, const struct kernel *b)
{
	if (a->params.n != b->params.n)
		return false;
	for (int i = 0; i < a->params.n; i++) {
		const struct kernel_param *x = &a->params.at[i], *y = &b->params.at[i];
		if (x->kind != y->kind || x->type != y->type || x->size != y->size || x->reg != y->reg)
			return false;
	}
	return equal_body(a->body, b->body);
}

bool kernel_equal(const struct kernel *a, const struct kernel *b)
{
	if (!equal_but_same(a, b))
		return false;
	for (int i = 0; i < a->params.n; i++)
		if (a->params.at[i].same != b->params.at[i].same)
			return false;
	return true;
}

/* What parameter i of k may be the same as, for the one or the other; -2: they do not go together. */
static int either_same(const struct kernel *k, const struct kernel *other, int i)
{
	int x = k->params.at[i].same, y = other->params.at[i].same;
	return x == y || y < 0 ? x : x < 0 ? y : -2;
}

/* Each input for one output. */
static bool shared_twice(const struct kernel *k)
{
	for (int i = 0; i < k->params.n; i++)
		for (int j = 0; j < i && k->params.at[i].same >= 0; j++)
			if (k->params.at[j].same == k->params.at[i].same)
				return true;
	return false;
}

bool kernel_take_in(struct arena *scratch, struct kernel *k, const struct kernel *other)
{
	if (!equal_but_same(k, other))
		return false;
	struct kernel both = *k;
	both.params.at = ARENA_ARRAY(scratch, struct kernel_param, k->params.n);
	for (int i = 0; i < k->params.n; i++) {
		both.params.at[i] = k->params.at[i];
		both.params.at[i].same = either_same(k, other, i);
		if (both.params.at[i].same == -2)
			return false;
	}
	bool divides = kernel_divided(&both, 0);
	if (shared_twice(&both) || divides != (kernel_divided(k, 0) != NULL) ||
	    divides != (kernel_divided(other, 0) != NULL))
		return false;
	for (int i = 0; i < k->params.n; i++)
		k->params.at[i].same = both.params.at[i].same;
	return true;
}
