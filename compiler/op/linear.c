/* linear.c — which unfinished operands a rule takes, and how its result then joins: the body's answer
 * (scalars/joins.h), and the combiner's. */
#include "linear.h"

#include "scalars/joins.h"

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

bool rule_takes_parts(const struct rule *r, unsigned parts, enum shard_combiner combiner, enum shard_combiner *result)
{
	struct analysis n = {.parts = parts, .combiner = combiner, .single = (parts & (parts - 1)) == 0};
	for (int k = 0; k < r->noperands; k++) {
		if (!(parts >> k & 1))
			continue;
		bool numeric = dtype_kind(r->operand[k].type) != DTYPE_BOOL || joins_by_extremum(&n);
		if (!numeric || rule_reads_index(r, k) || !scalar_uses_operand(r->body, k))
			return false;
	}
	int v = joins_of(&n, r->body);
	*result = combiner;
	if (v & PART && reduction_joins(r->combiner, *result))
		return true;
	*result = other_way(combiner);
	return joins_by_extremum(&n) && v & COUNTER && reduction_joins(r->combiner, *result);
}
