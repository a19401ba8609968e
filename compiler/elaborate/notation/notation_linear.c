/* notation_linear.c — one position of index notation as a linear form over factors, with an optional division. */
#include "notation_build.h"
#include "../values/values.h"

#include <string.h>

static bool not_linear(struct notation *n, struct span at)
{
	if (!n->failed)
		elab_error(n->e, PML0601, at, "an index is a sum of factors times constants, or an int tensor");
	notation_fail(n);
	return false;
}

/* The factor that `extent(k)` asks of; -1 if x is something else. */
static int factor_asked(const struct notation *n, const struct expr *x)
{
	bool asked = x->kind == EXPR_CALL && x->callee->kind == EXPR_NAME &&
		     strcmp(x->callee->name.text, "extent") == 0 && x->args.n == 1 && x->args.at[0].value &&
		     x->args.at[0].value->kind == EXPR_NAME;
	return asked ? notation_factor(n, x->args.at[0].value->name.text) : -1;
}

bool notation_extents_known(const struct notation *n, const struct expr *x)
{
	int f = factor_asked(n, x);
	bool known = f < 0 || (n->factor[f].extent >= 0 && !n->factor[f].of_window);
	if (x->kind == EXPR_UNARY || x->kind == EXPR_BINARY)
		known = (!x->lhs || notation_extents_known(n, x->lhs)) && notation_extents_known(n, x->rhs);
	for (int i = 0; x->kind == EXPR_CALL && f < 0 && i < x->args.n; i++)
		known = known && (!x->args.at[i].value || notation_extents_known(n, x->args.at[i].value));
	return known;
}

const struct value *notation_extent(const struct notation *n, const struct expr *call)
{
	int f = factor_asked(n, call);
	if (f < 0 || n->factor[f].extent >= 0)
		return f < 0 ? NULL : value_int(n->e, n->factor[f].extent);
	elab_error(n->e, PML0602, call->span, "the extent of `%s` is not known here", n->factor[f].name);
	return &value_error;
}

const struct value *notation_number(struct notation *n, const struct expr *x)
{
	const struct notation *outer = n->e->notation;
	n->e->notation = n;
	const struct value *v = expr_eval(n->e, x);
	n->e->notation = outer;
	return v;
}

static bool linear_constant(struct notation *n, const struct expr *x, struct index *out)
{
	int64_t v;
	if (x->kind == EXPR_NAME && notation_param(n, x->name.text) && notation_param(n, x->name.text)->decl->has_dims)
		return not_linear(n, x->span);
	if (!size_of_value(n->e, notation_number(n, x), x->span, &v)) {
		notation_fail(n);
		return false;
	}
	*out = (struct index){.offset = v, .div = 1, .data = -1};
	return true;
}

bool notation_mentions_factor(const struct notation *n, const struct expr *x)
{
	if (x->kind == EXPR_NAME)
		return notation_factor(n, x->name.text) >= 0;
	if (x->kind == EXPR_UNARY)
		return notation_mentions_factor(n, x->rhs);
	if (x->kind == EXPR_BINARY)
		return notation_mentions_factor(n, x->lhs) || notation_mentions_factor(n, x->rhs);
	if (x->kind == EXPR_IF)
		return notation_mentions_factor(n, x->cond.cond) || notation_mentions_factor(n, x->cond.then) ||
		       notation_mentions_factor(n, x->cond.other);
	if (x->kind == EXPR_AS)
		return notation_mentions_factor(n, x->as.value);
	if (x->kind == EXPR_REDUCE)
		return notation_mentions_factor(n, x->reduce.body);
	bool mentions = false, has_args = x->kind == EXPR_INDEX || (x->kind == EXPR_CALL && factor_asked(n, x) < 0);
	for (int i = 0; has_args && i < x->args.n; i++)
		mentions = mentions || (x->args.at[i].value && notation_mentions_factor(n, x->args.at[i].value));
	return mentions;
}

static bool scale(struct notation *n, struct index *ix, int64_t by, struct span at)
{
	bool over = __builtin_mul_overflow(ix->offset, by, &ix->offset);
	ix->nterms = by ? ix->nterms : 0;
	for (int i = 0; i < ix->nterms; i++) {
		int64_t coef;
		over |= __builtin_mul_overflow(ix->term[i].coef, by, &coef);
		ix->term[i].coef = coef;
	}
	return over || ix->div != 1 ? not_linear(n, at) : true;
}

/* A remainder goes around the edge. */
static bool not_linear_remainder(struct notation *n, const struct expr *x)
{
	if (!n->failed) {
		struct diag *d = elab_error(n->e, PML0601, x->span, "an index in index notation goes around no edge");
		diag_note(d, "it is a sum of factors times constants, or such a sum divided by a constant");
		diag_help(d, "roll the tensor first, and read it at the factor itself: with `let before = roll(x, 1, "
			     "dim = 0);`, "
			     "`before[i]` is `x[i - 1]`, and the last one at 0");
	}
	notation_fail(n);
	return false;
}

static bool linear_sum(struct notation *n, const struct expr *x, struct index *out)
{
	struct index r;
	if (!notation_linear(n, x->lhs, out) || !notation_linear(n, x->rhs, &r))
		return false;
	if (out->div != 1 || r.div != 1)
		return not_linear(n, x->span);
	if (x->op == BIN_SUB && !scale(n, &r, -1, x->span))
		return false;
	if (__builtin_add_overflow(out->offset, r.offset, &out->offset))
		return not_linear(n, x->span);
	for (int i = 0; i < r.nterms; i++)
		if (!index_add_term(out, r.term[i].factor, r.term[i].coef))
			return not_linear(n, x->span);
	return true;
}

static bool linear_product(struct notation *n, const struct expr *x, struct index *out)
{
	struct index r;
	if (!notation_linear(n, x->lhs, out) || !notation_linear(n, x->rhs, &r))
		return false;
	if (r.nterms && out->nterms)
		return not_linear(n, x->span);
	if (r.nterms) {
		struct index swap = *out;
		*out = r;
		r = swap;
	}
	return scale(n, out, r.offset, x->span);
}

static bool linear_quotient(struct notation *n, const struct expr *x, struct index *out)
{
	struct index r;
	if (!notation_linear(n, x->lhs, out) || !notation_linear(n, x->rhs, &r))
		return false;
	if (r.nterms || r.offset < 1 || out->div != 1)
		return not_linear(n, x->span);
	out->div = r.offset;
	return true;
}

bool notation_linear(struct notation *n, const struct expr *x, struct index *out)
{
	if (!notation_mentions_factor(n, x))
		return linear_constant(n, x, out);
	if (x->kind == EXPR_NAME) {
		*out = (struct index){.nterms = 1, .div = 1, .data = -1};
		out->term[0].factor = notation_factor(n, x->name.text);
		out->term[0].coef = 1;
		return true;
	}
	if (x->kind == EXPR_UNARY && x->op == UN_NEG)
		return notation_linear(n, x->rhs, out) && scale(n, out, -1, x->span);
	if (x->kind != EXPR_BINARY)
		return not_linear(n, x->span);
	if (x->op == BIN_ADD || x->op == BIN_SUB)
		return linear_sum(n, x, out);
	if (x->op == BIN_MUL)
		return linear_product(n, x, out);
	if (x->op == BIN_DIV)
		return linear_quotient(n, x, out);
	if (x->op == BIN_MOD)
		return not_linear_remainder(n, x);
	return not_linear(n, x->span);
}
