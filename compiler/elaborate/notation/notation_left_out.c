/* notation_left_out.c — points that are left out. One that reads outside of a tensor gives 0, whatever else it reads:
 * `x[i] - x[i - 1]` is 0 at i = 0, and not x[0]. Where the body is 0 anyway with a 0 in the place of what is not there,
 * as a product is, nobody needs to know; else it is said, unless the program says so itself: `x[(i - 1)?]`. */
#include "notation_build.h"

static bool may_leave(const struct notation *n, const struct index *x)
{
	return x->guarded && (x->data < 0 || n->operand[x->data].is_moved);
}

/* Whether no point at which k is not there has this operand. */
static bool leaves_with(const struct notation *n, const struct access *x, const struct access *k)
{
	for (int d = 0; d < k->rank; d++) {
		bool found = !may_leave(n, &k->index[d]);
		for (int e = 0; e < x->rank && !found; e++)
			found = x->dim[e] == k->dim[d] && index_equal(&x->index[e], &k->index[d]);
		if (!found)
			return false;
	}
	return true;
}

/* Whether the body is 0 where operand k is not there, nor what leaves with it. */
static bool is_zero_without(const struct notation *n, const struct scalar *body, int k)
{
	const struct scalar *to[MAX_OPERANDS] = {NULL};
	for (int i = 0; i < n->noperands; i++) {
		const struct access *x = &n->operand[i].access;
		if (!leaves_with(n, x, &n->operand[k].access))
			continue;
		to[i] = scalar_number(n->e->a, x->type, (union scalar_value){0});
	}
	return scalar_is_zero(scalar_vanish(n->e->a, body, to));
}

static bool is_left_out(const struct notation *n, const struct scalar *body, int k)
{
	const struct noted_operand *x = &n->operand[k];
	bool leaves = false;
	for (int d = 0; d < x->access.rank; d++)
		leaves |= may_leave(n, &x->access.index[d]);
	return leaves && !x->leaves_out && !is_zero_without(n, body, k);
}

/* An op is read anew for each call of it. */
static bool is_told(const struct session *s, struct span at)
{
	for (int i = 0; i < s->diags.n; i++) {
		const struct diag *d = s->diags.at[i];
		if (d->code == PML0609 && d->primary.span.file == at.file && d->primary.span.begin == at.begin)
			return true;
	}
	return false;
}

void notation_warn_left_out(struct notation *n, const struct scalar *body, struct span at)
{
	enum { MOST_LABELS = 3 };
	struct diag *d = NULL;
	int told = 0;
	for (int f = 0; f < n->nfactors; f++)
		if (n->factor[f].extent == 0) /* there are no points */
			return;
	if (elab_is_of_library(n->e, at))
		return;
	for (int k = 0; k < n->noperands; k++) {
		struct span read = n->operand[k].span;
		if (!is_left_out(n, body, k))
			continue;
		if (told++) {
			if (told <= MOST_LABELS)
				diag_label(d, read, "and this");
			continue;
		}
		if (is_told(n->e->s, read))
			return;
		d = diag_error(n->e->s, PML0609, read,
			       "where this reads outside of its tensor the result is 0, whatever else is read");
		diag_note(d, "a point that reads what is not there is left out as a whole");
	}
	if (!d)
		return;
	diag_help(d, "zeros stand outside if `pad(x, before = 1)[0..-1]` takes the place of x[i - 1], "
		     "`pad(x, after = 1)[1..]` that of x[i + 1]");
	diag_help(d, "if that is meant, say so: `x[(i - 1)?]`");
}
