/* rule.h — a regular operator: index maps, a point expression and a combiner, with all factors and extents known.
 *
 *   out[Io] = combiner over the factors not in Io of body(operands at their Ii, factor values)
 *
 * A declaration (`op matmul(a[.., m, k], b[k, n]) -> [.., m, n] = sum[k] a * b;`) is generic; elaboration binds it to
 * operand shapes and gets a rule: `..` is expanded to factors, extents are numbers. Everything else about the operator
 * is derived from this record by one small piece of code each: layouts (signature.h), linearity, gradient and tangents
 * (autodiff/), cost, kernels, interpreter, printing. Rules are immutable. */
#ifndef PML_RULE_H
#define PML_RULE_H

#include "scalar.h"

enum combiner {
	COMBINE_NONE, /* every factor occurs in the result */
#define COMBINER(name, text, result, partial, join) COMBINE_##name,
#include "combiner.def"
#undef COMBINER
	COMBINE_COUNT
};
const char *combiner_text(enum combiner c);
/* The scalar function that joins two values (combiner.def); SC_FN_COUNT for COMBINE_NONE. */
enum scalar_fn combiner_fn(enum combiner c);
/* What an empty reduction gives, and how two values join (sums of floats in double, ints wrap to t). */
union scalar_value combiner_neutral(enum combiner c, enum dtype t);
union scalar_value combiner_apply(enum combiner c, enum dtype t, union scalar_value x, union scalar_value y);

/* MAX_GIVEN_OPERANDS: of rules that programs and derivatives are made of; unfinished/ adds one. */
enum { MAX_FACTORS = 16, MAX_GIVEN_OPERANDS = 60, MAX_OPERANDS = MAX_GIVEN_OPERANDS + 1, MAX_TERMS = 3 };

/* One dimension of an access: (sum of coef * factor + offset) / div, or the value of operand `data` at this point.
 * A point that reads or writes outside a dimension, or where div does not divide, is dropped as a whole, whatever its
 * other operands are: it contributes nothing (the combiner's neutral element, or 0 without a combiner). So a
 * concatenation is not one rule over two padded operands, but the sum of two. `guarded` says that this can happen;
 * unguarded accesses are in range for all points by construction. Data indices are always guarded. */
struct index {
	int64_t offset, div; /* div >= 1 */
	/* Without gaps, since a program has rules by the thousand, and most of their room is indices. No address of a
	 * member is taken. */
	struct __attribute__((packed)) {
		int8_t factor;
		int64_t coef;
	} term[MAX_TERMS];
	int8_t nterms;
	int8_t data; /* operand that supplies the index (nterms 0, offset 0, div 1; itself without data indices), or -1
		      */
	bool guarded;
};

struct access {
	enum dtype type;
	int rank;
	int64_t dim[MAX_RANK]; /* extents of the tensor, logical */
	struct index index[MAX_RANK];
};

struct factor {
	const char *name;
	int64_t extent;
};

/* What `using` names: a hint that the product-sum goes to a tuned kernel; the loops stay valid without it. */
enum kernel_hint { HINT_NONE, HINT_GEMM };

struct rule {
	const char *name; /* for messages and plans: "matmul", "relu", "d(matmul)/da" */
	int nfactors, noperands;
	struct factor factor[MAX_FACTORS];
	const struct access *operand; /* noperands of them; two rules may have the same ones */
	/* The result. If some out index is data or leaves the range, the rule is a scatter: several points may meet in
	 * one element, the combiner joins them, and elements that no point reaches hold the neutral element. With
	 * COMBINE_NONE every element is reached once or (0) not at all. */
	struct access out;
	enum combiner combiner;
	const struct scalar *body;
	enum kernel_hint hint;
	struct rule_facts *facts; /* intern.h: of the rule that this is or was copied from; NULL: of none */
};

struct rule_facts;

/* True if factor f does not occur in any out index: it is reduced. */
bool rule_reduces(const struct rule *r, int factor);
/* The dimension of the access that is exactly factor f (coef 1, offset 0, div 1), or -1. */
int access_dim_of(const struct access *a, int factor);
bool access_uses(const struct access *a, int factor);
bool access_equal(const struct access *a, const struct access *b);
/* Factor f becomes to[f] wherever it occurs. */
void access_rename_factors(struct access *a, const int *to);
bool rule_is_scatter(const struct rule *r);
/* Whether each element of the result reads operand i at its own place, and nothing is reduced. */
bool rule_reads_in_place(const struct rule *r, int i);
/* Whether an operand's index may leave its dimension: then points are dropped. */
bool rule_is_guarded(const struct rule *r);
/* Every operand and the result have the identity access over all factors, nothing reduced: elementwise but for
 * broadcasts. */
bool rule_is_elementwise(const struct rule *r);
/* Whether it adds two operands element by element. */
bool rule_is_sum(const struct rule *r);

/* Of a rule that is being made: its operands in an array that is its own, to be written to, with room for `more`
 * (zeros) behind them, which do not count yet. In the arena; what r had before stays as it is. */
struct access *rule_own_operands(struct arena *a, struct rule *r, int more);
/* One operand more, in an array of r's own. */
void rule_add_operand(struct arena *a, struct rule *r, const struct access *x);
/* A tensor read element by element: dimension d by factor d. */
struct access access_of_shape(enum dtype t, const struct shape *s);
/* A rule that is being made: a factor for each dimension of the result, which has them in order. No operands, no body.
 */
struct rule rule_over_shape(const char *name, enum dtype t, const struct shape *s);

/* The structural checks every rule obeys (indices in range, types agree, unguarded accesses cannot leave the range);
 * NULL if right, else what is wrong (for BUG messages and tests). */
const char *rule_check(struct arena *a, const struct rule *r);

/* Names (of the rule and its factors) do not count: equal rules compute the same and can share a kernel. */
bool rule_equal(const struct rule *a, const struct rule *b);
uint64_t rule_hash(const struct rule *r);
/* "matmul(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=64, k=512, n=10}"; reads back with rule_read, equal.
 * Types other than f32 follow an operand (`i[n]: i32`); the result's type is that of the body (argmax and argmin: i32).
 * An index is a sum of factors and a number, `(u - p) / 2`, or the name of the operand that supplies it; `t[i:100, d]`
 * gives the extent of a dimension where it is not just what the factors need; `?` marks a guarded index that could not
 * leave the range anyway. In the body a name is an operand's value or a factor's (i64); numbers take the type of what
 * they meet; `f64(x)` converts; `random_normal<f32>(key, i)` draws. */
void rule_print(struct text *t, const struct rule *r);
/* Checked with rule_check. NULL and a message at *error if the text is not a rule. */
const struct rule *rule_read(struct arena *a, const char *text, const char **error);
/* The names rule_print gives to operands: a, b, c, …, z, a1, b1, …, except names of factors. */
void rule_operand_names(struct arena *a, const struct rule *r, const char **name);

/* Smallest and largest value of an index that is not data, before the division, over all points; false if that
 * overflows. */
bool index_range(const struct rule *r, const struct index *x, int64_t *low, int64_t *high);
/* True if some point leaves the dimension or does not divide: the index must be guarded. */
bool index_needs_guard(const struct rule *r, const struct index *x, int64_t dim);
bool index_equal(const struct index *a, const struct index *b);
/* The index that is just this factor. */
struct index index_of_factor(int factor);
/* The factor that the index just is (coef 1, offset 0, div 1, not data), or -1. */
int index_factor(const struct index *x);
/* The factor that the index is but for a number added, as in a slice (coef 1, div 1, not data), or -1. */
int index_shifted_factor(const struct index *x);
/* Whether the index is a number (div 1, not data). */
bool index_is_fixed(const struct index *x);
/* x += coef * factor, whose term goes where that makes 0; false on overflow or where there would be too many terms. */
bool index_add_term(struct index *x, int factor, int64_t coef);
/* What a step of the factor adds to the index, before the division. */
int64_t index_coef(const struct index *x, int factor);
bool rule_reads_index(const struct rule *r, int operand); /* true if the operand supplies an index */

/* FLOPs of the whole rule; elements read and written are the accesses' volumes. */
int64_t rule_flops(const struct rule *r);

/* Gradient: the contribution to operand `wrt` as one or two rules.
 * Operands of the result rule: those of r, then the result y of r (only read if needed), then the cotangent g of y:
 * numbers 0..n-1, n, n+1. Its out access has operand wrt's shape and type. rule is NULL if the derivative is zero
 * everywhere (integers, draws, comparisons); then error says why if there is one but it cannot be written (too many
 * factors). da[Ia] = sum over the factors not in Ia of g * ∂body/∂a. Windows become transposed windows (guarded),
 * data-indexed reads become scatter-adds. Some gradients need tensors more. They are the results of helpers, rules
 * over the operands of r and y (0..n-1, n), and become operands n+2 and n+3 of the gradient rule: for max and min, with
 * y's shape, how many points attain y, because they share g evenly, and where y is NaN all get that; for prod, over all
 * factors of r, the product of the other points, or of those before and of those behind, which is exact where elements
 * are zero. No derivative flows through y and the helper of max and min; helpers of prod are differentiable like any
 * rule. rule_prune drops what the result does not read. */
enum { MAX_HELPERS = 2 };
struct rule_gradient {
	const struct rule *rule;
	const struct rule *helper[MAX_HELPERS]; /* those that there are come first; NULL mostly */
	const char *error;                      /* NULL mostly */
};
struct rule_gradient rule_gradient(struct arena *a, const struct rule *r, int wrt);

/* Tangent: dy from operand tangents. Operands: those of r, y, then the tangent of operand `wrt` (and helpers, as above);
 * summed over wrt by the caller. */
struct rule_gradient rule_tangent(struct arena *a, const struct rule *r, int wrt);

/* The factors of a sum of products of two f32 operands, of which each has indices of the result that the other has not
 * (matrices, windows), more than a few points of them, are rounded to t before they are multiplied; any other rule
 * stays as it is (narrow.c). */
void rule_narrow_factors(struct arena *a, struct rule *r, enum dtype t);

/* How an operand changes from turn to turn of a loop: not at all, or it is line first + step * t of a tensor with
 * `extent` lines, or the i64 number first + step * t itself. */
enum turn_kind { TURN_SAME, TURN_LINE, TURN_NUMBER };
struct rule_turn {
	enum turn_kind kind;
	int64_t extent, first, step;
};
/* The rule that computes r for all turns at once: its result has a line for each turn, or, with add_up, is the sum of
 * the turns' results. NULL if that cannot be written. in: of r->noperands. */
const struct rule *rule_over_turns(struct arena *a, const struct rule *r, int64_t turns, const struct rule_turn *in,
				   bool add_up);

/* The same rule without the operands that change nothing: not read by the body, no index supplier, and dropping no
 * point by a guard that nothing else repeats. kept[k] becomes the old number of the result's operand k (kept:
 * MAX_OPERANDS ints). */
const struct rule *rule_prune(struct arena *a, const struct rule *r, int *kept);
/* The same rule, in which operands of floats that do nothing but drop points are replaced by operands of one dimension,
 * one for each index that drops some, which are read as little: what stood there need not be kept or moved. Those come
 * last; the first *nkept operands are operands kept[k] of r. r itself if there are none, or no room (kept: MAX_OPERANDS
 * ints). */
const struct rule *rule_guards_apart(struct arena *a, const struct rule *r, int *kept, int *nkept);

/* Reference interpreter: arrays are row-major doubles (floats) or int64 (ints, bools, keys) by type; out is
 * overwritten. origin->factor[f] is the global value of factor f's first point, origin->operand and origin->out the
 * position of the given local arrays in the logical tensors: with all origins 0 and full extents this is the operator
 * itself; with a shard's, a rank's part. */
struct rule_origin {
	int64_t factor[MAX_FACTORS];
	int64_t operand[MAX_OPERANDS][MAX_RANK];
	int64_t out[MAX_RANK];
};
void rule_interpret(const struct rule *r, union scalar_value *const *operands, union scalar_value *out,
		    const struct rule_origin *origin);
/* The same, but false (and out unfinished) if an unguarded access leaves its array, which rule_interpret takes for a
 * bug. */
bool rule_try_interpret(const struct rule *r, union scalar_value *const *operands, union scalar_value *out,
			const struct rule_origin *origin);

#endif
