/* linear.h — how a rule treats unfinished values: which sets of operands may be P(combiner), the others B, and what P
 * the result then is. */
#ifndef PML_LINEAR_H
#define PML_LINEAR_H

#include "rule.h"
#include "../../runtime/shard.h"

/* Operands with bit k of `parts` set are P(combiner), the others B. True if joining the ranks' results with *result
 * gives the result of the joined operands, exactly but for rounding; so for every value that parts can have. sum: the
 * body is jointly linear in them:  a + b, where(i < j, a, b), a * c, a / c, -a, a cast to a wider float. max, min: the
 * body commutes with them: monotone functions of one, also in pieces (where(a > c, f(a), g(a))), max of several, where;
 * a falling function turns max into min. A finished value counts as a P(max): it is its own maximum. prod:     the body
 * is multiplicative: a * b, a / b, abs(a). Conversions of parts to or from integers and bools, and to narrower floats,
 * are never legal: the rounding of a part differs from the rounding of the whole. Nor are comparisons. */
bool rule_takes_parts(const struct rule *r, uint64_t parts, enum shard_combiner combiner, enum shard_combiner *result);

enum { MAX_PART_SETS = 64 };

/* The sets of operands that rule_takes_parts accepts, among them all of `must`: by falling numbers. Where there are
 * more than MAX_PART_SETS, a sum of many products, as many, half of them those that prefer the last operands, half the
 * first.
 */
int rule_part_sets(const struct rule *r, enum shard_combiner combiner, uint64_t must, uint64_t set[MAX_PART_SETS]);

#endif
