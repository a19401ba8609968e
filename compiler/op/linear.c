/* linear.c — which unfinished operands a rule takes, and how its result then joins: the body's answer
 * (scalars/joins.h), and the combiner's. */
#include "linear.h"

#include "scalars/joins.h"

#include <string.h>

static enum shard_combiner other_way(enum shard_combiner c)
{
	return c == SHARD_MAX ? SHARD_MIN : SHARD_MAX;
}

/* Points that are dropped, and elements that no point reaches, hold the neutral element on every rank, or 0; both join
 * to themselves under the combiners accepted here. */
static bool reduction_joins(enum combiner c, enum shard_combiner parts)
{
	switch (c) {
	case COMBINE_NONE:
		return true;
	case COMBINE_SUM:
		return parts == SHARD_SUM;
	case COMBINE_PROD:
		return parts == SHARD_PROD;
	case COMBINE_MAX:
		return parts == SHARD_MAX;
	case COMBINE_MIN:
		return parts == SHARD_MIN;
	case COMBINE_ARGMAX:
	case COMBINE_ARGMIN:
	case COMBINE_COUNT:
		break;
	}
	return false;
}

/* Whether the operand can be a part at all. */
static bool may_be_part(const struct rule *r, const struct analysis *n, int k)
{
	bool numeric = dtype_kind(r->operand[k].type) != DTYPE_BOOL || joins_by_extremum(n);
	return numeric && !rule_reads_index(r, k) && scalar_uses_operand(r->body, k);
}

bool rule_takes_parts(const struct rule *r, uint64_t parts, enum shard_combiner combiner, enum shard_combiner *result)
{
	struct analysis n = {.parts = parts, .combiner = combiner, .single = (parts & (parts - 1)) == 0};
	for (int k = 0; k < r->noperands; k++)
		if (parts >> k & 1 && !may_be_part(r, &n, k))
			return false;
	n.known = joins_begin(r->body);
	int v = joins_of(&n, r->body);
	joins_end(n.known);
	*result = combiner;
	if (v & PART && reduction_joins(r->combiner, *result))
		return true;
	*result = other_way(combiner);
	return joins_by_extremum(&n) && v & COUNTER && reduction_joins(r->combiner, *result);
}

/* ---- which sets there are ---- */

enum { MAX_STEPS = 4096 };

/* A search through operands, one after the other in or out, given up where no set can follow. */
struct search {
	const struct rule *rule;
	enum shard_combiner combiner;
	uint64_t may, must;
	bool from_last; /* the order in which operands are decided */
	uint64_t *set;
	int n, most, steps;
};

static bool may_follow(const struct search *x, uint64_t in, uint64_t open)
{
	struct analysis n = {.parts = in | open, .open = open, .combiner = x->combiner};
	n.single = (in & (in - 1)) == 0;
	int wanted = PART | (joins_by_extremum(&n) ? COUNTER : 0);
	n.known = joins_begin(x->rule->body);
	unsigned found = joins_possible(&n, x->rule->body);
	joins_end(n.known);
	for (int v = 0; v < 8; v++)
		if (found >> v & 1 && v & wanted)
			return true;
	return false;
}

static void decide(struct search *x, uint64_t in, uint64_t open)
{
	enum shard_combiner result;
	if (x->n == x->most || x->steps-- <= 0 || !(in | open) || !may_follow(x, in, open))
		return;
	if (!open) {
		if (rule_takes_parts(x->rule, in, x->combiner, &result))
			x->set[x->n++] = in;
		return;
	}
	int k = x->from_last ? 63 - __builtin_clzll(open) : __builtin_ctzll(open);
	uint64_t one = UINT64_C(1) << k;
	decide(x, in | one, open & ~one);
	if (!(x->must & one))
		decide(x, in, open & ~one);
}

static bool is_known(const uint64_t *set, int n, uint64_t x)
{
	for (int i = 0; i < n; i++)
		if (set[i] == x)
			return true;
	return false;
}

int rule_part_sets(const struct rule *r, enum shard_combiner combiner, uint64_t must, uint64_t set[MAX_PART_SETS])
{
	uint64_t found[MAX_PART_SETS + 1], other[MAX_PART_SETS / 2];
	struct search x = {.rule = r, .combiner = combiner, .must = must, .from_last = true, .set = found};
	const struct analysis n = {.combiner = combiner};
	for (int k = 0; k < r->noperands; k++)
		x.may |= (uint64_t)may_be_part(r, &n, k) << k;
	if (must & ~x.may)
		return 0;
	x.most = MAX_PART_SETS + 1;
	x.steps = MAX_STEPS;
	decide(&x, 0, x.may);
	bool all = x.n <= MAX_PART_SETS && x.steps > 0;
	int count = all ? x.n : x.n < MAX_PART_SETS / 2 ? x.n : MAX_PART_SETS / 2;
	memcpy(set, found, sizeof *set * (size_t)count);
	if (all)
		return count;
	struct search first = x;
	first.from_last = false;
	first.set = other;
	first.n = 0;
	first.most = MAX_PART_SETS / 2;
	first.steps = MAX_STEPS;
	decide(&first, 0, x.may);
	for (int i = 0; i < first.n; i++)
		if (!is_known(set, count, other[i]))
			set[count++] = other[i];
	return count;
}
