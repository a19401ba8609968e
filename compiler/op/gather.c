/* gather.c — solving out indices for factors; see gather.h.
 * Example, a convolution's input gradient:  dx[y + p] += g[y] * w[p]   becomes   dx[u] = sum[p] g[u - p] * w[p], u - p
 * guarded. */
#include "gather.h"

#include "../../runtime/shard.h"

#include <string.h>

/* factor = (sum of coef[f] * f + offset) / div, with the factor's own number standing for the new factor u. */
struct solution {
	int factor;
	int64_t coef[MAX_FACTORS], offset, div;
	int64_t extent; /* of the old factor */
};

static bool multiply_add(int64_t *sum, int64_t a, int64_t b)
{
	int64_t product;
	return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum);
}

static struct solution solve(const struct rule *r, const struct index *x, int term)
{
	int64_t c = x->term[term].coef, sign = c < 0 ? -1 : 1;
	struct solution s = {.factor = x->term[term].factor, .offset = -sign * x->offset, .div = sign * c};
	for (int k = 0; k < x->nterms; k++)
		if (k != term)
			s.coef[x->term[k].factor] = -sign * x->term[k].coef;
	s.coef[s.factor] = sign * x->div;
	s.extent = r->factor[s.factor].extent;
	return s;
}

/* The index with the solution put in for its factor; false if it has too many terms. */
static bool put_in(const struct rule *r, const struct solution *s, const struct index *old, struct index *x)
{
	int64_t coef[MAX_FACTORS] = {0}, own = 0, offset = 0, div, common;
	for (int k = 0; k < old->nterms; k++) {
		if (old->term[k].factor == s->factor)
			own = old->term[k].coef;
		else if (!multiply_add(&coef[old->term[k].factor], old->term[k].coef, s->div))
			return false;
	}
	*x = *old;
	if (own == 0)
		return true;
	if (!multiply_add(&offset, old->offset, s->div) || !multiply_add(&offset, own, s->offset) ||
	    __builtin_mul_overflow(old->div, s->div, &div))
		return false;
	common = shard_gcd(div, offset);
	for (int f = 0; f < r->nfactors; f++) {
		if (!multiply_add(&coef[f], own, s->coef[f]))
			return false;
		common = shard_gcd(common, coef[f]);
	}
	x->nterms = 0;
	for (int f = 0; f < r->nfactors; f++) {
		if (coef[f] == 0)
			continue;
		if (x->nterms == MAX_TERMS)
			return false;
		x->term[x->nterms].factor = f;
		x->term[x->nterms++].coef = coef[f] / common;
	}
	x->offset = offset / common;
	x->div = div / common;
	return true;
}

static bool put_in_access(const struct rule *r, const struct solution *s, const struct access *old, struct access *at)
{
	*at = *old;
	for (int d = 0; d < at->rank; d++)
		if (!put_in(r, s, &old->index[d], &at->index[d]))
			return false;
	return true;
}

/* Accesses that the new factor changed get their guards anew; the others keep theirs. */
static void set_guards(const struct rule *r, const struct access *old, struct access *at)
{
	for (int d = 0; d < at->rank; d++)
		if (!index_equal(&old->index[d], &at->index[d]) || !at->index[d].guarded)
			at->index[d].guarded = index_needs_guard(r, &at->index[d], at->dim[d]);
}

static const struct scalar *int_op(struct arena *a, enum scalar_fn fn, const struct scalar *x, int64_t y)
{
	return scalar_apply(a, fn, DT_I64, x, scalar_int(a, DT_I64, y), NULL);
}

static const struct scalar *linear_form(struct arena *a, const int64_t *coef, int n, int64_t offset)
{
	const struct scalar *sum = scalar_int(a, DT_I64, 0);
	for (int f = 0; f < n; f++)
		if (coef[f])
			sum = scalar_apply(a, SC_ADD, DT_I64, sum, int_op(a, SC_MUL, scalar_factor(a, f), coef[f]),
					   NULL);
	return int_op(a, SC_ADD, sum, offset);
}

static const struct scalar *both(struct arena *a, const struct scalar *x, const struct scalar *y)
{
	return x ? scalar_apply(a, SC_AND, DT_BOOL, x, y, NULL) : y;
}

static void mask(struct arena *a, struct rule *r, const struct scalar *condition)
{
	enum dtype t = r->body->type;
	const struct scalar *zero = scalar_number(a, t, (union scalar_value){0});
	if (condition)
		r->body = scalar_apply(a, SC_WHERE, t, condition, r->body, zero);
}

/* The body without points where the solution is no value of the old factor. r already has the new factor's extent. */
static void mask_solution(struct arena *a, struct rule *r, const struct solution *s, const struct scalar *number)
{
	struct index all = {.offset = s->offset, .div = 1, .data = -1};
	int64_t low = INT64_MIN, high = INT64_MAX, end = s->div * s->extent;
	const struct scalar *c = NULL;
	bool known = true;
	for (int f = 0; f < r->nfactors; f++) {
		if (s->coef[f] && all.nterms == MAX_TERMS)
			known = false;
		else if (s->coef[f]) {
			all.term[all.nterms].factor = f;
			all.term[all.nterms++].coef = s->coef[f];
		}
	}
	if (!known || !index_range(r, &all, &low, &high)) {
		low = INT64_MIN;
		high = INT64_MAX;
	}
	if (low < 0)
		c = both(a, c, int_op(a, SC_GE, number, 0));
	if (high >= end)
		c = both(a, c, int_op(a, SC_LT, number, end));
	if (s->div > 1)
		c = both(a, c, int_op(a, SC_EQ, int_op(a, SC_MOD, number, s->div), 0));
	mask(a, r, c);
}

static bool drops_for(const struct rule *r, int through, int factor)
{
	int d = through < 0 ? -1 : access_dim_of(&r->operand[through], factor);
	return d >= 0 && r->operand[through].dim[d] == r->factor[factor].extent;
}

/* Replaces a factor of an index of the rule by one that is the dimension of extent `dim`; false if some index would not
 * hold the terms. */
static bool try_solve(struct arena *a, struct rule *r, const struct index *x, int64_t dim, int term, int through)
{
	struct rule old = *r;
	struct solution s = solve(&old, x, term);
	struct access *operand = rule_own_operands(a, r, 0);
	for (int k = 0; k < r->noperands; k++)
		if (!put_in_access(&old, &s, &old.operand[k], &operand[k]))
			goto undo;
	if (!put_in_access(&old, &s, &old.out, &r->out))
		goto undo;
	bool dropped = drops_for(&old, through, s.factor);
	const struct scalar *number = linear_form(a, s.coef, r->nfactors, s.offset);
	r->body = scalar_replace_factor(a, old.body, s.factor, int_op(a, SC_DIV, number, s.div));
	r->factor[s.factor].extent = dim;
	if (!dropped)
		mask_solution(a, r, &s, number);
	for (int k = 0; k < r->noperands; k++)
		set_guards(r, &old.operand[k], &operand[k]);
	set_guards(r, &old.out, &r->out);
	return true;
undo:
	*r = old;
	return false;
}

/* The term to solve for: not the number of an earlier dimension; best one whose illegal values are dropped anyway. */
static int choose_term(const struct rule *r, const struct index *x, const bool *claimed, const bool *failed,
		       int through)
{
	int best = -1, best_rank = -1;
	for (int k = 0; k < x->nterms; k++) {
		int f = x->term[k].factor;
		int rank = 2 * drops_for(r, through, f) + (x->term[k].coef == 1 || x->term[k].coef == -1);
		if (!claimed[f] && !failed[k] && rank > best_rank) {
			best = k;
			best_rank = rank;
		}
	}
	return best;
}

static bool solve_dimension(struct arena *a, struct rule *r, int d, bool *claimed, int through)
{
	bool failed[MAX_TERMS] = {false};
	for (int k; (k = choose_term(r, &r->out.index[d], claimed, failed, through)) >= 0; failed[k] = true) {
		int f = r->out.index[d].term[k].factor;
		const struct index x = r->out.index[d];
		if (try_solve(a, r, &x, r->out.dim[d], k, through)) {
			claimed[f] = true;
			return true;
		}
	}
	return false;
}

/* The term of a quotient that solving for makes it a factor of fewer values, without a condition; -1: none. */
static int term_of_quotient(const struct rule *r, const struct access *at, int d, int through)
{
	const struct index *x = &at->index[d];
	for (int k = 0; k < x->nterms && x->data < 0 && x->div > 1; k++) {
		int f = x->term[k].factor;
		bool is_one = x->term[k].coef == 1 || x->term[k].coef == -1;
		if (is_one && rule_reduces(r, f) && at->dim[d] < r->factor[f].extent && drops_for(r, through, f))
			return k;
	}
	return -1;
}

void rule_solve_quotients(struct arena *a, struct rule *r, int through)
{
	for (int k = 0; k < r->noperands; k++)
		for (int d = 0; d < r->operand[k].rank; d++) {
			int term = term_of_quotient(r, &r->operand[k], d, through);
			const struct index x = r->operand[k].index[d];
			if (term >= 0)
				try_solve(a, r, &x, r->operand[k].dim[d], term, through);
		}
}

/* A new factor for the dimension, compared with the index in the body. */
static void compare_dimension(struct arena *a, struct rule *r, int d, bool *claimed)
{
	int64_t coef[MAX_FACTORS] = {0};
	const struct index x = r->out.index[d];
	if (r->nfactors == MAX_FACTORS)
		return;
	for (int k = 0; k < x.nterms; k++)
		coef[x.term[k].factor] = x.term[k].coef;
	int u = r->nfactors++;
	r->factor[u] = (struct factor){"u", r->out.dim[d]};
	const struct scalar *index = linear_form(a, coef, u, x.offset);
	const struct scalar *at = int_op(a, SC_MUL, scalar_factor(a, u), x.div);
	mask(a, r, scalar_apply(a, SC_EQ, DT_I64, at, index, NULL));
	r->out.index[d] = index_of_factor(u);
	claimed[u] = true;
}

/* No combiner is needed if every factor stands alone in an out index and none is data. */
static enum combiner needed_combiner(const struct rule *r)
{
	for (int d = 0; d < r->out.rank; d++)
		if (r->out.index[d].data >= 0)
			return COMBINE_SUM;
	for (int f = 0; f < r->nfactors; f++) {
		bool alone = false;
		for (int d = 0; d < r->out.rank; d++)
			alone = alone || (r->out.index[d].nterms == 1 && r->out.index[d].term[0].factor == f);
		if (!alone)
			return COMBINE_SUM;
	}
	return COMBINE_NONE;
}

void rule_gather(struct arena *a, struct rule *r, int through)
{
	bool claimed[MAX_FACTORS] = {false};
	for (int d = 0; d < r->out.rank; d++) {
		const struct index *x = &r->out.index[d];
		int f = index_factor(x);
		if (x->data >= 0)
			continue;
		if (f >= 0 && !claimed[f] && r->out.dim[d] == r->factor[f].extent)
			claimed[f] = true;
		else if (!solve_dimension(a, r, d, claimed, through))
			compare_dimension(a, r, d, claimed);
	}
	r->combiner = needed_combiner(r);
}
