/* signature.h — the legal layouts of a regular operator on one placement axis, derived from its rule.
 *
 * One signature per factor that can be split, those of linearity (P), and all-B. For matmul these are exactly the rules
 * of the OneFlow paper: S(0),B->S(0)  B,S(1)->S(1)  S(1),S(0)->P(sum)  P,B->P  B,P->P  B,B->B. On n axes one signature
 * is chosen per axis. */
#ifndef PML_SIGNATURE_H
#define PML_SIGNATURE_H

#include "rule.h"
#include "../../runtime/shard.h"

struct signature {
	const struct shard_atom *operand; /* of noperands */
	struct shard_atom out;
	int factor; /* the factor that is split, or -1 (all-B, linearity, an operand or a result served in part) */
	int split_operand; /* an operand split on a servable dimension: each rank serves the points that read its rows;
			      else -1 */
};

/* The most that a rule can have; what it has is what it needs. */
enum { MAX_SIGNATURES = 1024 };

/* The signatures of r, at most MAX_SIGNATURES; returns how many. They live as long as r, if it is interned, else in the
 * arena. [0] is all-B. In this order:
 *   a factor f is split, and every rank runs f over its shard. An operand that has f as a whole dimension d (the index
 * is just f, the extent f's) gets S(d); all others, among them those read through a window (y + p), a slice or a data
 * index that holds f, get B and are read at global positions. The result gets S(d) if f is a whole dimension of it,
 * else P(combiner), P(sum) without a combiner (each element is written by one rank, the others hold 0; bools: P(max)).
 *     argmax cannot be split where it reduces.
 *   an operand is split on a servable dimension: a guarded one (a table t[i, d] on the dimension that i indexes,
 * padding), or a slice (x[i + 2], x[2 * i], x[3]; not a window). Every rank runs over all points and serves those that
 * read what it owns; the others are dropped by the guard, which rule_localise sets. The result is P(combiner). the
 * result is split on a servable dimension (a scatter, a placement): every rank runs over all points, keeps its rows.
 *   sets of operands are P(c) and the result P(c'), by linearity (linear.h: rule_part_sets).
 * Where a factor is a whole dimension twice (a[i, i]), each choice is a signature. What follows by a free conversion (B
 * to S, B to P, S to P) is not listed. */
int rule_signatures(struct arena *a, const struct rule *r, const struct signature **list);
/* Whether some operand is P. */
bool signature_takes_parts(const struct signature *s, const struct rule *r);
bool dim_is_servable(const struct rule *r, const struct access *at, int d);

/* Why a combination of operand atoms is not legal, in words for a note: "relu is not linear: relu(a) + relu(b) is not
 * relu(a + b)", "both operands are unfinished sums: a product of sums is not a sum of products"; NULL if there is no
 * special reason beyond "no signature matches". names: what the operands are called, each or all NULL for those of
 * rule_operand_names. names_factors: whether the reader knows the names of the rule's factors. */
const char *rule_explain(struct arena *a, const struct rule *r, bool names_factors, const struct shard_atom *operands,
			 const char *const *names);

/* The layout of a result of which every rank computes some points; false if it has none. */
bool signature_partial_result(const struct rule *r, struct shard_atom *atom);

/* The cuts of an axis are no matter of the rule: what splits a factor, or an operand that is served, may cut it anyhow,
 * so long as all that is split with it is cut alike. As an S: how operands and result of these layouts are cut under a
 * signature; even, if nothing shows. */
struct shard_atom signature_cuts(const struct signature *s, const struct rule *r, const struct shard_atom *operand,
				 struct shard_atom out);
/* Shares as runtime/shard.h has them, in lowest terms; NULL if they add up to nothing, or to more than INT32_MAX. */
const int32_t *shares_of(struct arena *a, int64_t k, const int64_t *share);
/* The signature with its splits and windows cut so; where that changes it, its operands are in `room`, of noperands. */
struct signature signature_cut(const struct signature *s, const struct rule *r, struct shard_atom cuts,
			       struct shard_atom *room);

/* "S(0), B -> S(0)"; a window as "S(0)[2*i-1..2*i+1 of 32]": what is read for number i of a share of 32, both ends
 * included, "S(0)[5]" what all ranks read; "S(0, shares = [2, 1])". */
void atom_print(struct text *t, struct shard_atom atom);
void signature_print(struct text *t, const struct rule *r, const struct signature *s);

/* The extents of a rank's part: elements per factor, and shapes of what it holds. */
struct rule_local {
	int64_t factor[MAX_FACTORS];
	int64_t operand[MAX_OPERANDS][MAX_RANK];
	int64_t out[MAX_RANK];
};
/* The rule a rank computes under a signature: those extents, body and indices unchanged; servable dimensions of which
 * only a part is here become guarded. Global positions come from origins at run time: an index is computed from global
 * factor values, and the array's origin is taken off last (as in rule_interpret). rule_check does not apply to the
 * result, because positions without origins mean nothing. Its operands are written to `operand`, of r->noperands. */
void rule_localise(const struct rule *r, const struct rule_local *local, struct access *operand, struct rule *out);

/* Extents and origins of rank number `rank` of `count` on one axis under a signature. On several axes: localise by each
 * in turn, outermost first, adding the origins. */
void signature_local(const struct rule *r, const struct signature *s, int64_t count, int64_t rank,
		     struct rule_local *local, struct rule_origin *origin);

#endif
