/* oracle.c — which layouts an operator may have. Two answers that must agree: the rules as docs/operators.md and
 * docs/layouts.md state them, read off the indices; and a simulation: ranks with random shards or parts that compute
 * what they can, on one axis at a time. Only the simulation can say that something is impossible; only both together,
 * that it must be accepted. */
#include "simulate.h"

#include <string.h>

static const struct atom whole = {ATOM_B, 0, SUM};

static struct atom split_on(int d)
{
	return (struct atom){ATOM_S, d, SUM};
}

static struct atom parts(enum combiner c)
{
	return (struct atom){ATOM_P, 0, c};
}

/* ---- the rules ---- */

struct found {
	int n, conversions;
	struct atom out;
	struct atom seen[MAX_OPERANDS];
	bool ambiguous;
};

static void consider(struct found *f, int operands, const struct atom *in, const struct atom *seen, struct atom out)
{
	int conversions = 0;
	for (int k = 0; k < operands; k++)
		conversions += !atom_same(in[k], seen[k]);
	if (f->n && conversions > f->conversions)
		return;
	bool other = f->n && conversions == f->conversions && !atom_same(f->out, out);
	f->ambiguous = other || (f->n && conversions == f->conversions && f->ambiguous);
	f->n++;
	f->conversions = conversions;
	f->out = out;
	memcpy(f->seen, seen, sizeof *seen * (size_t)operands);
}

static bool joined_part(const struct app *a, struct atom *out)
{
	static const int part[] = {
		[JOIN_NONE] = SUM, [JOIN_SUM] = SUM, [JOIN_MEAN] = SUM, [JOIN_PROD] = PROD, [JOIN_MAX] = MAX,
		[JOIN_MIN] = MIN,  [JOIN_ANY] = MAX, [JOIN_ALL] = MIN,  [JOIN_ARGMAX] = -1, [JOIN_ARGMIN] = -1};
	if (part[a->joiner] < 0)
		return false;
	*out = parts((enum combiner)part[a->joiner]);
	if (a->joiner == JOIN_NONE && a->out.type == BOOL)
		*out = parts(MAX);
	return true;
}

/* Every operand that has the factor is split along it; one that is split already decides among several dimensions. */
static bool split_by(const struct app *a, int f, const struct atom *in, struct atom *seen)
{
	for (int k = 0; k < a->noperands; k++) {
		bool fits = false, has = false;
		for (int d = 0; d < a->in[k].shape.rank; d++) {
			if (plain_factor(a, &a->in[k], d) != f)
				continue;
			if (!has || (in[k].kind == ATOM_S && in[k].dim == d))
				seen[k] = split_on(d);
			has = true;
			fits |= in[k].kind == ATOM_B || (in[k].kind == ATOM_S && in[k].dim == d);
		}
		if (!has)
			seen[k] = whole;
		if (has ? !fits : in[k].kind != ATOM_B)
			return false;
	}
	return true;
}

static void by_factors(const struct app *a, const struct atom *in, struct found *found)
{
	for (int f = 0; f < a->nfactors; f++) {
		struct atom seen[MAX_OPERANDS], out;
		bool placed = false;
		if (!split_by(a, f, in, seen))
			continue;
		for (int d = 0; d < a->out.shape.rank; d++)
			if (plain_factor(a, &a->out, d) == f) {
				consider(found, a->noperands, in, seen, split_on(d));
				placed = true;
			}
		if (!placed && joined_part(a, &out))
			consider(found, a->noperands, in, seen, out);
	}
}

/* Slices, strides and padding: rows in the order of ranks, which stay where they are if they can. */
static bool is_slice(const struct app *a, const struct access *at, int d)
{
	for (int f = 0; f < a->nfactors; f++)
		for (int o = 0; at->index[d].coef[f] > 0 && o < a->out.shape.rank; o++)
			if (plain_factor(a, &a->out, o) == f)
				return true;
	return false;
}

/* One operand is split along a dimension that is read at other places: every rank adds the points whose rows it has. A
 * dimension of which each point reads the sum of several factors is left open by the language: windows. */
static void by_rows(const struct app *a, const struct atom *in, struct found *found)
{
	int split = -1;
	for (int k = 0; k < a->noperands; k++) {
		if (in[k].kind == ATOM_S && split < 0)
			split = k;
		else if (in[k].kind != ATOM_B)
			return;
	}
	struct atom out;
	int factors = 0;
	for (int f = 0; split >= 0 && f < a->nfactors; f++)
		factors += a->in[split].index[in[split].dim].coef[f] != 0;
	if (split < 0 || factors > 1 || plain_factor(a, &a->in[split], in[split].dim) >= 0 || !joined_part(a, &out))
		return;
	consider(found, a->noperands, in, in, out);
	/* An extent of 1 that is repeated belongs to one rank, but nobody means that. */
	found->ambiguous |= a->in[split].shape.dim[in[split].dim] == 1;
	/* The cuts that a slice leaves are none that layouts here have. */
	found->ambiguous |= is_slice(a, &a->in[split], in[split].dim);
}

/* Parts: which operators they pass is a question of arithmetic, so the simulation answers. */
static void by_parts(const struct app *a, int ranks, const struct atom *in, struct found *found, struct dice *d)
{
	unsigned combiners = 0;
	bool splits = false, truths = false;
	for (int k = 0; k < a->noperands; k++) {
		splits |= in[k].kind == ATOM_S;
		truths |= a->in[k].type == BOOL;
		combiners |= in[k].kind == ATOM_P ? 1u << in[k].combiner : 0;
	}
	if (splits || !combiners || (combiners & (combiners - 1)))
		return;
	if (ranks < 2)
		ranks = 2;               /* the rule is the same; with one part all would be legal */
	int rounds = 50 + 200 * truths;  /* few data tell of truth values what is wrong */
	int others = ranks == 2 ? 3 : 2; /* minus the product of three is the product of three times minus */
	enum combiner c = combiners >> SUM & 1 ? SUM : combiners >> MAX & 1 ? MAX : combiners >> MIN & 1 ? MIN : PROD;
	for (unsigned choice = 0; choice < 1u << a->noperands; choice++) {
		struct atom seen[MAX_OPERANDS];
		bool possible = true;
		for (int k = 0; k < a->noperands; k++) {
			bool part = choice >> k & 1;
			possible &= part || in[k].kind != ATOM_P;
			possible &= !part || a->in[k].type != BOOL || c == MAX || c == MIN;
			seen[k] = part ? parts(c) : whole;
		}
		for (int o = 0; possible && o < COMBINERS; o++)
			if (simulate(a, ranks, seen, parts((enum combiner)o), d, rounds) &&
			    simulate(a, others, seen, parts((enum combiner)o), d, rounds / 5))
				consider(found, a->noperands, in, seen, parts((enum combiner)o));
	}
}

/* Nothing that is read depends on what is joined. */
static bool joins_equals(const struct app *a)
{
	for (int f = 0; f < a->nfactors; f++)
		for (int k = 0; a->reduced[f] && k < a->noperands; k++)
			for (int d = 0; d < a->in[k].shape.rank; d++)
				if (a->in[k].index[d].coef[f])
					return false;
	return true;
}

/* Where nothing is joined a max is a copy, and nothing at all is wrong of no elements: legal by chance, not by the
 * rules. */
static bool is_degenerate(const struct app *a, struct atom out)
{
	int points = 1, joined = 1;
	for (int f = 0; f < a->nfactors; f++) {
		points *= a->extent[f];
		joined *= a->reduced[f] ? a->extent[f] : 1;
	}
	bool sums = out.combiner == SUM && (a->joiner == JOIN_SUM || a->joiner == JOIN_MEAN);
	if (out.combiner != SUM && a->joiner == JOIN_SUM)
		return true; /* of all but one zeros */
	if (a->joiner != JOIN_NONE && !sums && joins_equals(a))
		return true;
	if (out.combiner == SUM && a->joiner != JOIN_NONE && !sums)
		return true; /* of equal values */
	return points == 0 || (joined == 1 && a->joiner != JOIN_NONE && !sums);
}

/* Parts that join otherwise than they were made (exp of a sum is a product), or to truth values. */
static bool changes_kind(const struct app *a, const struct atom *in, struct atom out)
{
	for (int k = 0; k < a->noperands; k++) {
		enum combiner c = in[k].combiner;
		bool extrema = (c == MAX || c == MIN) && (out.combiner == MAX || out.combiner == MIN);
		if (in[k].kind == ATOM_P && (a->out.type != a->in[k].type || (c != out.combiner && !extrema)))
			return a->body->fn != FN_CAST;
	}
	return false;
}

/* One of the operands, by position: a concatenation. */
static bool chooses(const struct body *b)
{
	return b->fn == FN_WHERE && b->arg[1]->fn == FN_OPERAND && b->arg[2]->fn == FN_OPERAND && b->arg[0]->arg[1] &&
	       b->arg[0]->arg[0]->fn == FN_FACTOR && b->arg[0]->arg[1]->fn == FN_CONST;
}

/* A conversion of parts from or to ints, or to a shorter float, is not allowed, though it might be right; nor is
 * arithmetic of maxima. */
static bool converts_ints(const struct app *a, struct atom out)
{
	bool computes = a->body->fn != FN_OPERAND && !chooses(a->body);
	for (int i = 0; i < 3 && computes; i++) /* nor need it be seen that a longer formula never falls */
		if (out.combiner != SUM && a->body->arg[i] && a->body->arg[i]->fn > FN_FACTOR && !a->joiner)
			return true;
	if (a->out.type == I32 && computes && out.combiner != SUM) /* which wrap around */
		return true;
	return a->body->fn == FN_CAST && !(a->out.type == F64 && a->in[0].type == F32);
}

static enum verdict oracle_axis(const struct app *a, int ranks, const struct atom *in, struct atom *seen,
				struct atom *out, struct dice *d)
{
	struct found found = {0};
	bool all_whole = true;
	for (int k = 0; k < a->noperands; k++)
		all_whole &= in[k].kind == ATOM_B;
	*out = whole;
	memcpy(seen, in, sizeof *seen * (size_t)a->noperands);
	if (all_whole)
		return LEGAL;
	by_factors(a, in, &found);
	by_rows(a, in, &found);
	by_parts(a, ranks, in, &found, d);
	if (found.n) {
		*out = found.out;
		memcpy(seen, found.seen, sizeof *seen * (size_t)a->noperands);
		bool chance = out->kind == ATOM_P &&
			      (is_degenerate(a, *out) || converts_ints(a, *out) || changes_kind(a, in, *out));
		return found.ambiguous || chance || !simulate(a, ranks, found.seen, found.out, d, 2) ? UNDECIDED
												     : LEGAL;
	}
	struct ways any;
	return ways_on_axis(a, ranks, in, d, 1, &any) ? UNDECIDED : ILLEGAL;
}

/* Extents of 1 that are repeated are dropped first; the split of another extent of 1 may go with any of those left. */
static bool splits_repeated(const struct app *a, const struct access *at, const struct place *p, const struct layout *l)
{
	bool split = false, repeated = false;
	for (int x = 0; x < p->naxes; x++)
		split |= l->axis[x].kind == ATOM_S && at->shape.dim[l->axis[x].dim] == 1;
	for (int d = 0; d < at->shape.rank; d++)
		repeated |= at->shape.dim[d] == 1 && plain_factor(a, at, d) < 0;
	return split && repeated;
}

/* Two axes share out one factor, each in another dimension (x[i, i]): the second takes its part of the whole there, but
 * of what the first left in the result. */
static bool cuts_diagonal(const struct app *a, const struct access *at, const struct place *p, const struct layout *l)
{
	for (int x = 0; x < p->naxes; x++)
		for (int y = x + 1; y < p->naxes; y++) {
			if (l->axis[x].kind != ATOM_S || l->axis[y].kind != ATOM_S || l->axis[x].dim == l->axis[y].dim)
				continue;
			int f = plain_factor(a, at, l->axis[x].dim);
			if (f >= 0 && f == plain_factor(a, at, l->axis[y].dim))
				return true;
		}
	return false;
}

enum verdict oracle_app(const struct app *a, const struct place *p, const struct layout *in, struct layout *out,
			struct dice *d)
{
	enum verdict all = LEGAL;
	struct layout wanted[MAX_OPERANDS] = {{{{0}}}};
	*out = (struct layout){0};
	for (int x = 0; x < p->naxes; x++) {
		struct atom axis[MAX_OPERANDS], seen[MAX_OPERANDS];
		for (int k = 0; k < a->noperands; k++)
			axis[k] = in[k].axis[x];
		enum verdict v = oracle_axis(a, p->size[x], axis, seen, &out->axis[x], d);
		if (v == ILLEGAL)
			return ILLEGAL;
		for (int k = 0; k < a->noperands; k++)
			wanted[k].axis[x] = seen[k];
		if (v == UNDECIDED)
			all = UNDECIDED;
	}
	for (int k = 0; k < a->noperands; k++)
		if (cuts_diagonal(a, &a->in[k], p, &in[k]))
			return ILLEGAL;
		else if (cuts_diagonal(a, &a->in[k], p, &wanted[k]))
			all = UNDECIDED;
	/* Each axis alone could be served, but the slices must be there, too, where axes nest. */
	for (int k = 0; k < a->noperands && all == LEGAL; k++)
		if (splits_repeated(a, &a->in[k], p, &in[k]))
			all = UNDECIDED;
		else if (!layout_converts(p, &in[k], &wanted[k], &a->in[k].shape))
			all = possible_together(a, p, in, d) ? UNDECIDED : ILLEGAL;
	return all == LEGAL && layout_mixes_parts(p, out) ? UNDECIDED : all;
}

/* ---- reshape ---- */

/* Every rank holds the same elements, counted through, before and after. */
static bool same_elements(const struct place *p, const struct shape *from, const struct layout *l,
			  const struct shape *to, const struct layout *m)
{
	bool before[MAX_HELD], after[MAX_HELD];
	int c[MAX_AXES];
	for (int r = 0; r < p->count; r++) {
		coordinates_of(p, r, c);
		held_elements(p, l, from, c, before);
		held_elements(p, m, to, c, after);
		if (memcmp(before, after, sizeof *before * (size_t)shape_volume(from)))
			return false;
	}
	return true;
}

/* Whether some ranks have more of a dimension than others: its elements may be a dimension in unequal shares. */
static bool is_uneven(const struct shape *s, const struct place *p, const struct layout *l)
{
	for (int d = 0; d < s->rank; d++) {
		int ranks = 1;
		for (int x = 0; x < p->naxes; x++)
			ranks *= l->axis[x].kind == ATOM_S && l->axis[x].dim == d ? p->size[x] : 1;
		if (s->dim[d] % ranks)
			return true;
	}
	return false;
}

enum verdict oracle_reshape(const struct shape *from, const struct shape *to, const struct place *p,
			    const struct layout *in, struct layout *out)
{
	int splits[MAX_AXES], n = 0, ways = 0, combinations = 1;
	*out = *in;
	for (int x = 0; x < p->naxes; x++)
		if (in->axis[x].kind == ATOM_S) {
			splits[n++] = x;
			combinations *= to->rank;
		}
	if (shape_same(from, to) || !n)
		return LEGAL;
	for (int k = 0; k < n; k++)
		if (from->dim[in->axis[splits[k]].dim] == 1)
			return UNDECIDED; /* it may go with the dimensions before it or with those behind */
	struct layout kept = *in;
	for (int i = 0; i < combinations; i++) {
		struct layout l = *in;
		for (int k = 0, rest = i; k < n; k++, rest /= to->rank)
			l.axis[splits[k]].dim = rest % to->rank;
		if (same_elements(p, from, in, to, &l)) {
			kept = l;
			ways++;
		}
	}
	*out = kept;
	if (ways == 0 && !is_uneven(from, p, in))
		return ILLEGAL;
	return ways == 1 ? LEGAL : UNDECIDED;
}
