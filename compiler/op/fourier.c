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

static bool is_number(const struct scalar *s, double v)
{
	while (applies(s, SC_CAST))
		s = s->arg[0];
	return s->kind == SCALAR_CONST && (s->type == DT_F64 || s->type == DT_F32) && s->f == v;
}

/* where(j == 0 || 2 * j == n, 1.0, 2.0) */
static bool is_doubled(const struct scalar *s, int64_t *n, int *j)
{
	if (!applies(s, SC_WHERE) || !applies(s->arg[0], SC_OR) || !is_number(s->arg[1], 1) || !is_number(s->arg[2], 2))
		return false;
	const struct scalar *first = s->arg[0]->arg[0], *last = s->arg[0]->arg[1];
	if (!applies(first, SC_EQ) || first->arg[0]->kind != SCALAR_FACTOR || !is_int(first->arg[1], 0) ||
	    !applies(last, SC_EQ) || !applies(last->arg[0], SC_MUL) || !is_int(last->arg[0]->arg[0], 2) ||
	    last->arg[0]->arg[1]->kind != SCALAR_FACTOR || last->arg[1]->kind != SCALAR_CONST)
		return false;
	*j = first->arg[0]->index;
	*n = last->arg[1]->i;
	return last->arg[0]->arg[1]->index == *j;
}

/* Takes from a cosine what it is times. */
static const struct scalar *cosine_of(const struct scalar *w, int64_t *n, struct fourier_rule *f)
{
	bool divides = applies(w, SC_DIV);
	if ((divides || applies(w, SC_MUL)) && w->arg[1]->kind == SCALAR_CONST && w->type == DT_F64) {
		f->scale = divides ? 1 / w->arg[1]->f : w->arg[1]->f;
		w = w->arg[0];
	}
	if (applies(w, SC_MUL) && is_doubled(w->arg[1], n, &f->doubled)) {
		f->scale *= 2;
		w = w->arg[0];
	}
	return w;
}

static bool is_body(const struct scalar *s, struct fourier_rule *f, int *j, int *k, int *d, int *c)
{
	int64_t n_of_doubled = 0;
	if (!applies(s, SC_MUL))
		return false;
	int x = s->arg[0]->kind == SCALAR_OPERAND ? 0 : 1;
	const struct scalar *w = s->arg[1 - x];
	if (s->arg[x]->kind != SCALAR_OPERAND)
		return false;
	if (applies(w, SC_CAST) && w->type == s->type)
		w = w->arg[0];
	w = cosine_of(w, &n_of_doubled, f);
	return applies(w, SC_COS) && is_phase(w->arg[0], &f->n, j, k, d, c) && (f->doubled < 0 || n_of_doubled == f->n);
}

/* Whether a part is of what is summed. If the result has no dimension for the other one, of which there is one, it is
 * as if it had. */
static bool is_summed(const struct rule *r, int part, int other)
{
	return rule_reduces(r, part) && (!rule_reduces(r, other) || r->factor[part].extent == 2);
}

bool fourier_of_rule(const struct rule *r, struct fourier_rule *f)
{
	int j, k, d, c, reduced = 0;
	*f = (struct fourier_rule){.scale = 1, .doubled = -1};
	if (r->combiner != COMBINE_SUM || r->noperands != 1 || r->operand[0].type != r->out.type ||
	    (r->out.type != DT_F32 && r->out.type != DT_F64) || !is_body(r->body, f, &j, &k, &d, &c))
		return false;
	for (int i = 0; i < r->nfactors; i++)
		reduced += rule_reduces(r, i) && i != d && i != c;
	bool by_d = is_summed(r, d, c), by_c = is_summed(r, c, d) || (rule_reduces(r, c) && !by_d);
	if (reduced != 1 || rule_reduces(r, j) == rule_reduces(r, k) || by_d == by_c)
		return false;
	f->number_in = rule_reduces(r, j) ? j : k;
	f->number_out = rule_reduces(r, j) ? k : j;
	f->positive = by_d;
	f->part_in = by_d ? d : c;
	f->part_out = by_d ? c : d;
	int64_t extent[] = {r->factor[f->part_in].extent, r->factor[f->part_out].extent};
	bool is_real = f->doubled < 0 || (f->doubled == f->number_in && extent[1] == 1) ||
		       (f->doubled == f->number_out && extent[0] == 1);
	return is_real && r->factor[j].extent <= f->n && r->factor[k].extent <= f->n && extent[0] <= 2 &&
	       extent[1] <= 2;
}
