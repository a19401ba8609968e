/* fourier.c — recognises a transform by its body: the one way to write it, which derivatives keep. */
#include "fourier.h"

#include <math.h>

static bool applies(const struct scalar *s, enum scalar_fn fn)
{
	return s->kind == SCALAR_APPLY && s->fn == fn;
}

static bool is_int(const struct scalar *s, int64_t v)
{
	return s->kind == SCALAR_CONST && s->type == DT_I64 && s->i == v;
}

/* fn(factor *x, factor *y). */
static bool of_factors(const struct scalar *s, enum scalar_fn fn, int *x, int *y)
{
	if (!applies(s, fn) || s->arg[0]->kind != SCALAR_FACTOR || s->arg[1]->kind != SCALAR_FACTOR)
		return false;
	*x = s->arg[0]->index;
	*y = s->arg[1]->index;
	return true;
}

/* 4 * j * k, however it is bracketed. */
static bool is_angle(const struct scalar *s, int *j, int *k)
{
	if (!applies(s, SC_MUL))
		return false;
	const struct scalar *x = s->arg[0], *y = s->arg[1];
	if (is_int(x, 4))
		return of_factors(y, SC_MUL, j, k);
	if (!applies(x, SC_MUL) || !is_int(x->arg[0], 4) || x->arg[1]->kind != SCALAR_FACTOR ||
	    y->kind != SCALAR_FACTOR)
		return false;
	*j = x->arg[1]->index;
	*k = y->index;
	return true;
}

/* (4 * j * k + n * (d - c)) % (4 * n) * (pi / (2 * n)), an f64. */
static bool is_phase(const struct scalar *s, int64_t *n, int *j, int *k, int *d, int *c)
{
	if (!applies(s, SC_MUL) || !applies(s->arg[0], SC_CAST) || s->type != DT_F64 || s->arg[1]->kind != SCALAR_CONST)
		return false;
	const struct scalar *whole = s->arg[0]->arg[0];
	if (!applies(whole, SC_MOD) || !applies(whole->arg[0], SC_ADD) || whole->arg[1]->kind != SCALAR_CONST)
		return false;
	*n = whole->arg[1]->i / 4;
	if (*n < 1 || *n > FOURIER_MOST || !is_int(whole->arg[1], 4 * *n) ||
	    fabs(s->arg[1]->f * (double)(2 * *n) - 3.14159265358979323846) > 1e-14)
		return false;
	const struct scalar *turn = whole->arg[0]->arg[1], *parts = turn;
	if (*n > 1) {
		if (!applies(turn, SC_MUL) || !is_int(turn->arg[0], *n))
			return false;
		parts = turn->arg[1];
	}
	return is_angle(whole->arg[0]->arg[0], j, k) && of_factors(parts, SC_SUB, d, c);
}

static bool is_body(const struct scalar *s, int64_t *n, int *j, int *k, int *d, int *c)
{
	if (!applies(s, SC_MUL))
		return false;
	int x = s->arg[0]->kind == SCALAR_OPERAND ? 0 : 1;
	const struct scalar *w = s->arg[1 - x];
	if (s->arg[x]->kind != SCALAR_OPERAND)
		return false;
	if (applies(w, SC_CAST) && w->type == s->type)
		w = w->arg[0];
	return applies(w, SC_COS) && is_phase(w->arg[0], n, j, k, d, c);
}

bool fourier_of_rule(const struct rule *r, struct fourier_rule *f)
{
	int j, k, d, c, reduced = 0;
	if (r->combiner != COMBINE_SUM || r->noperands != 1 || r->operand[0].type != r->out.type ||
	    (r->out.type != DT_F32 && r->out.type != DT_F64) || !is_body(r->body, &f->n, &j, &k, &d, &c))
		return false;
	for (int i = 0; i < r->nfactors; i++)
		reduced += rule_reduces(r, i);
	if (reduced != 2 || rule_reduces(r, j) == rule_reduces(r, k) || rule_reduces(r, d) == rule_reduces(r, c))
		return false;
	f->number_in = rule_reduces(r, j) ? j : k;
	f->number_out = rule_reduces(r, j) ? k : j;
	f->positive = rule_reduces(r, d);
	f->part_in = f->positive ? d : c;
	f->part_out = f->positive ? c : d;
	return r->factor[j].extent <= f->n && r->factor[k].extent <= f->n && r->factor[c].extent <= 2 &&
	       r->factor[d].extent <= 2;
}
