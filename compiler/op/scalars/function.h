/* function.h — all that the compiler knows of one function of a point, in one record.
 *
 * scalar.def lists the functions; each has its record `scalar_fn_NAME` in the file of its family in this folder, and
 * whoever wants to know something of a function asks the record (a missing one does not link). A record without some
 * entry: the derivative is 0, nothing folds, an int is any of its type, a float perhaps an infinity, parts of
 * unfinished values are not taken. Code is made by backend/apply_*.c, which have one function for each row of
 * scalar.def as well.
 *
 * An application of the function is s, its arguments s->arg[0], s->arg[1] and s->arg[2], as many as arity says. */
#ifndef PML_SCALAR_FUNCTION_H
#define PML_SCALAR_FUNCTION_H

#include "../scalar.h"

#include "base/map.h"

/* How tightly it binds as text, tightest first. */
enum scalar_level { LEVEL_CALL, LEVEL_UNARY, LEVEL_PRODUCT, LEVEL_SUM, LEVEL_COMPARE, LEVEL_AND, LEVEL_OR };

/* Whether arguments may be bools where the result has the type of the arguments. */
enum scalar_bools { BOOLS_NEVER, BOOLS_TOO, BOOLS_ONLY };

/* What is known of a value whatever the operands are (a NaN aside), as a set. */
enum scalar_sign { SIGN_POSITIVE = 1, SIGN_NOT_NEGATIVE = 2 };

/* What is known of a value from what made it, as a set: never an infinity; never 0. Both may be NaN. */
enum scalar_fact { FACT_FINITE = 1, FACT_NOT_ZERO = 2 };

struct analysis; /* joins.h */
struct range;    /* ../range.h */

/* A body that is being derived by one operand; shared subtrees are derived once. */
struct derivation {
	struct arena *arena;
	struct map done;
	int operand;
};
/* ∂s/∂operand. */
const struct scalar *derivative(struct derivation *d, const struct scalar *s);

struct scalar_function {
	/* Text. A call `text(x, y)`, an operator between its arguments, or (LEVEL_UNARY) one in front of its argument,
	 * which is `prefix` there. Programs cannot name what is internal. */
	const char *text;
	enum scalar_level level;
	const char *prefix;
	bool internal;

	/* Types. The first argument of a function that chooses is a bool and says which of the others is computed; the
	 * result has the type of those. check: what is wrong with the types of s beyond what the rest says, or NULL. */
	int arity;
	enum scalar_result result;
	enum scalar_bools bools;
	bool chooses;
	const char *(*check)(struct arena *a, const struct scalar *s);
	/* Of draws: the type of the third argument, if there is one, and of the result where nothing names it. */
	enum dtype parameter, drawn;

	/* Work: what it counts for in FLOPs, and what a processor does for it. */
	int flops;
	enum scalar_effort effort;

	/* Value. One of float1, float2 (of f64, rounded to the type afterwards; y is absent from float1) if it takes
	 * floats, and ints (wrapped to t afterwards) if it takes ints and bools; or eval, which does all of that
	 * itself: x are the values of the arguments, of their types. approximate: the result is not the exact one,
	 * rounded once. keeps_digits: it is one of the arguments, or a whole number or of the other sign, so that it needs
	 * no more digits than they have. draws: it is a random number. */
	double (*float1)(double x);
	double (*float2)(double x, double y);
	int64_t (*ints)(enum dtype t, int64_t x, int64_t y);
	union scalar_value (*eval)(const struct scalar *s, const union scalar_value *x);
	bool approximate, keeps_digits, draws;

	/* Derivative, where it is not 0. Of one argument: slope, by which that of the argument is multiplied. Else
	 * derive: from dx, the derivatives of the arguments, not all of them 0. */
	const struct scalar *(*slope)(struct arena *a, const struct scalar *s);
	const struct scalar *(*derive)(struct derivation *d, const struct scalar *s, const struct scalar *const *dx);

	/* A simpler equal of s, whose arguments are not all constants, or NULL. Holds for every finite value. */
	const struct scalar *(*fold)(struct arena *a, const struct scalar *s);

	/* Of ints: between which numbers the result lies if the arguments lie in x, before it wraps. */
	struct range (*range)(const struct range *x);

	/* Of floats: the sign, from those of the arguments; facts that always hold, and those that follow from facts of
	 * the arguments. */
	unsigned (*sign)(const unsigned *x);
	unsigned always;
	unsigned (*facts)(const struct scalar *s, const unsigned *x);

	/* Unfinished values: how the result joins if the arguments join as v says (joins.h). If argument k is not in
	 * parts and another is, infinities and zeros do no harm where facts beside[k] hold of it. absence: the
	 * arguments (a bit for each) that make the result -0.0 if all of them are; 0: none do. */
	int (*joins)(const struct analysis *n, const struct scalar *s, const int *v);
	unsigned beside[3], absence;
};

#define SCALAR(NAME, name) extern const struct scalar_function scalar_fn_##name;
#include "../scalar.def"
#undef SCALAR

/* By enum scalar_fn. */
extern const struct scalar_function *const scalar_functions[SC_FN_COUNT];

/* For `check`: "`f` of f32 gives no i64", from the types of s. */
const char *function_gives_no(struct arena *a, const struct scalar *s);

#endif
