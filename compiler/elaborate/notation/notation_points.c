/* notation_points.c — whether a rule has points at all. One that reads a position which is not there is left out, and
 * of two positions with quotients, x[i / 2] and x[(i - 1) / 2], one never is. Which points have both depends on
 * remainders alone, not on extents. */
#include "notation_build.h"

#include "../../../runtime/shard.h"

/* A position is there where step * v + offset is a multiple of div, v being any whole number. */
struct divided {
	int64_t step, offset, div;
};

static int64_t common_step(const struct index *x)
{
	int64_t g = 0;
	for (int i = 0; i < x->nterms; i++)
		g = shard_gcd(g, x->term[i].coef);
	return x->term[0].coef < 0 ? -g : g;
}

/* Both in terms of one number; false if they depend on the factors in different ways. */
static bool same_number(const struct index *x, const struct index *y, struct divided *a, struct divided *b)
{
	if (x->data >= 0 || y->data >= 0 || x->nterms == 0 || x->nterms != y->nterms)
		return false;
	*a = (struct divided){common_step(x), x->offset, x->div};
	*b = (struct divided){common_step(y), y->offset, y->div};
	for (int i = 0; i < x->nterms; i++)
		if (x->term[i].factor != y->term[i].factor || x->term[i].coef / a->step != y->term[i].coef / b->step)
			return false;
	return true;
}

static bool divides(struct divided x, int64_t v)
{
	return (x.step % x.div * v + x.offset % x.div) % x.div == 0;
}

/* Remainders come back after a * b numbers; larger divisors are left alone. */
static bool never_both(const struct index *x, const struct index *y)
{
	enum { LARGE = 256 };
	struct divided a, b;
	if ((x->div == 1 && y->div == 1) || x->div > LARGE || y->div > LARGE || !same_number(x, y, &a, &b))
		return false;
	for (int64_t v = 0; v < a.div * b.div; v++)
		if (divides(a, v) && divides(b, v))
			return false;
	return true;
}

static bool report(struct notation *n, int k, int l)
{
	struct diag *d = elab_error(n->e, PML0608, n->operand[l].span, "no point of `%s` has all positions that it reads",
				    n->name);
	if (k != l)
		diag_label(d, n->operand[k].span, "where this position is there, the other is not");
	diag_note(d, "a quotient that is not whole names no element, and a point that reads one is left out: all would "
		     "be 0");
	diag_help(d, "add up with a sum, which passes over what is not there: `sum[p] x[(i - p) / 2] * w[p]`; or compute "
		     "the parts with a `let` each, and add those");
	return false;
}

bool notation_has_points(struct notation *n)
{
	for (int l = 0; l < n->noperands; l++)
		for (int k = 0; k <= l; k++)
			for (int j = 0; j < n->operand[l].access.rank; j++)
				for (int i = 0; i < n->operand[k].access.rank; i++)
					if (never_both(&n->operand[k].access.index[i], &n->operand[l].access.index[j]))
						return report(n, k, l);
	return true;
}
