/* windows.c — see windows.h. Example: c[i] = a[i - 1] + b[i + 1] over 64 numbers: the factor i gives
 * S(0)[i-1 of 64], S(0)[i+1 of 64] -> S(0). */
#include "windows.h"

#include "intern.h"

#include <string.h>

/* What index x of a dimension of n elements needs for a share of factor f. False if there is no f in it, or numbers do
 * not fit. */
static bool window_of(const struct rule *r, const struct index *x, int d, int64_t n, int f, struct shard_atom *out)
{
	struct index rest = *x;
	int64_t step = index_coef(x, f), low, high;
	rest.nterms = 0;
	for (int i = 0; i < x->nterms; i++)
		if (x->term[i].factor != f)
			rest.term[rest.nterms++] = x->term[i];
	if (x->data >= 0 || step == 0 || !index_range(r, &rest, &low, &high))
		return false;
	if (n > INT32_MAX || r->factor[f].extent > INT32_MAX || step < -INT32_MAX || step > INT32_MAX ||
	    low < -INT32_MAX || high > INT32_MAX || x->div > INT32_MAX)
		return false;
	*out = (struct shard_atom){.kind = SHARD_WINDOW,
				   .dim = (int8_t)d,
				   .of = (int32_t)r->factor[f].extent,
				   .step = (int32_t)step,
				   .low = (int32_t)low,
				   .high = (int32_t)high,
				   .div = (int32_t)x->div};
	return true;
}

/* What is needed of one operand: a split, where the factor is a whole dimension; else a window. */
static struct shard_atom needed(const struct rule *r, const struct access *at, int f)
{
	struct shard_atom need = {.kind = SHARD_B};
	for (int d = 0; d < at->rank; d++)
		if (index_factor(&at->index[d]) == f && at->dim[d] == r->factor[f].extent)
			return (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)d};
	for (int d = 0; d < at->rank && need.kind == SHARD_B; d++)
		window_of(r, &at->index[d], d, at->dim[d], f, &need);
	return need;
}

static bool result_of(const struct rule *r, int f, struct shard_atom *out)
{
	struct shard_atom need = needed(r, &r->out, f);
	if (need.kind == SHARD_S) {
		*out = need;
		return true;
	}
	return !access_uses(&r->out, f) && signature_partial_result(r, out);
}

/* Number `number` of the dimensions of an operand of which all points read one element, of the last if there are not so
 * many. False if it has none. */
static bool row_of(const struct access *at, int number, struct shard_atom *out)
{
	bool found = false;
	for (int d = 0; d < at->rank && number >= 0; d++) {
		const struct index *x = &at->index[d];
		if (x->nterms || x->data >= 0 || x->offset % x->div || x->offset < 0 ||
		    x->offset / x->div >= at->dim[d] || at->dim[d] > INT32_MAX)
			continue;
		int32_t row = (int32_t)(x->offset / x->div);
		*out = (struct shard_atom){
			.kind = SHARD_WINDOW, .dim = (int8_t)d, .of = 1, .low = row, .high = row, .div = 1};
		found = true;
		number--;
	}
	return found;
}

/* Nothing is split, but of x[5, j] every rank reads row 5 alone. */
static int derive_rows(struct arena *a, const struct rule *r, struct signature *list, int n)
{
	const struct shard_atom *before = ARENA_ARRAY(a, struct shard_atom, r->noperands);
	bool more = true;
	for (int number = 0; more && number < MAX_RANK; number++) {
		struct shard_atom *operand = ARENA_ARRAY(a, struct shard_atom, r->noperands);
		more = false;
		for (int k = 0; k < r->noperands; k++) {
			row_of(&r->operand[k], number, &operand[k]);
			more |= !atom_equal(operand[k], before[k]);
		}
		if (more)
			list[n++] = (struct signature){.operand = operand, .factor = -1, .split_operand = -1};
		before = operand;
	}
	return n;
}

static int derive(struct arena *a, const struct rule *r, const struct signature **out)
{
	struct signature *list = ARENA_ARRAY(a, struct signature, r->nfactors + MAX_RANK);
	int n = 0;
	for (int f = 0; f < r->nfactors; f++) {
		struct shard_atom *operand = ARENA_ARRAY(a, struct shard_atom, r->noperands);
		struct signature s = {.operand = operand, .factor = f, .split_operand = -1};
		bool reads = false;
		for (int k = 0; k < r->noperands; k++) {
			operand[k] = needed(r, &r->operand[k], f);
			reads |= operand[k].kind == SHARD_WINDOW;
		}
		if (reads && result_of(r, f, &s.out))
			list[n++] = s;
	}
	*out = list;
	return derive_rows(a, r, list, n);
}

int rule_windows(struct arena *a, const struct rule *r, const struct signature **list)
{
	struct rule_facts *facts = rule_facts(r);
	if (!facts)
		return derive(a, r, list);
	if (!facts->windows)
		facts->nwindows = derive(rules_arena(facts->table), r, &facts->windows);
	*list = facts->windows;
	return facts->nwindows;
}

/* A split as the window that it is. */
static struct shard_atom as_window(struct shard_atom x, const int64_t *dim)
{
	if (x.kind != SHARD_S || dim[x.dim] > INT32_MAX)
		return x;
	return (struct shard_atom){
		.kind = SHARD_WINDOW, .dim = x.dim, .of = (int32_t)dim[x.dim], .step = 1, .div = 1, .shares = x.shares};
}

static bool share_alike(struct shard_atom x, struct shard_atom y)
{
	return x.kind == SHARD_WINDOW && y.kind == SHARD_WINDOW && x.dim == y.dim && x.of == y.of && x.step == y.step &&
	       x.div == y.div && cuts_equal(x, y);
}

bool atom_serves(struct shard_atom has, struct shard_atom need, const int64_t *dim)
{
	if (has.kind != SHARD_WINDOW)
		return atom_equal(has, need);
	need = as_window(need, dim);
	return share_alike(has, need) && has.low <= need.low && has.high >= need.high;
}

/* The first of `of` numbers that reads nothing in front of element i; of those that read nothing at all between the
 * last in front of it and the first of it, the last. */
static int64_t first_behind(struct shard_atom reads, int64_t i)
{
	int64_t behind = shard_floor_div(reads.div * (i - 1) - reads.low, reads.step) + 1;
	int64_t from = -shard_floor_div(reads.high - reads.div * i, reads.step);
	return i <= 0 ? 0 : shard_clamp(from > behind ? from : behind, reads.of);
}

bool window_cuts(struct arena *a, struct shard_atom reads, struct shard_atom has, int64_t n, int64_t k,
		 struct shard_atom *out)
{
	if (reads.kind != SHARD_WINDOW || has.kind != SHARD_S || reads.dim != has.dim || reads.step <= 0)
		return false;
	int64_t *count = ARENA_ARRAY(a, int64_t, k);
	bool even = true;
	for (int64_t r = 0, end, begin = 0; r < k; r++, begin = end) {
		end = r == k - 1 ? reads.of : first_behind(reads, cuts_begin(has, n, k, r + 1));
		count[r] = end - begin;
		even = even && count[r] == shard_count(reads.of, k, r);
	}
	*out = (struct shard_atom){.kind = SHARD_S, .shares = even ? NULL : shares_of(a, k, count)};
	return true;
}

bool atom_hull(struct shard_atom x, struct shard_atom y, const int64_t *dim, struct shard_atom *out)
{
	if (x.kind == SHARD_S && y.kind == SHARD_S)
		return false;
	x = as_window(x, dim);
	y = as_window(y, dim);
	if (!share_alike(x, y))
		return false;
	*out = x;
	out->low = x.low < y.low ? x.low : y.low;
	out->high = x.high > y.high ? x.high : y.high;
	return true;
}
