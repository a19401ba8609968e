/* scalar.h — expressions of one point: the body of an operator in index notation.
 *
 * A body is a tree (shared subtrees allowed) over operands (`a` at the point's indices), index values, constants and
 * the functions of scalar.def, whose meaning is in scalars/. Linearity, derivatives, cost and code are all read off
 * this tree. Trees are immutable.
 */
#ifndef PML_SCALAR_H
#define PML_SCALAR_H

#include "dtype.h"

enum scalar_fn {
#define SCALAR(NAME, name) SC_##NAME,
#include "scalar.def"
#undef SCALAR
	SC_FN_COUNT
};

enum scalar_kind {
	SCALAR_CONST,   /* number: f for floats, i for ints and bools */
	SCALAR_OPERAND, /* operand number `index` at this point */
	SCALAR_FACTOR,  /* value of factor number `index` (global, i64) */
	SCALAR_EXTENT,  /* extent of factor number `index` (global, i64): becomes a constant when bound */
	SCALAR_APPLY,   /* fn(arg…) */
};

struct scalar {
	enum scalar_kind kind;
	enum dtype type;
	enum scalar_fn fn;
	int index;
	double f;
	int64_t i;
	const struct scalar *arg[3];
};

/* Of bf16 and f16 with the digits of an f32: bodies are computed in it. */
const struct scalar *scalar_float(struct arena *a, enum dtype type, double v);
const struct scalar *scalar_int(struct arena *a, enum dtype type, int64_t v);
const struct scalar *scalar_operand(struct arena *a, enum dtype type, int index);
const struct scalar *scalar_factor(struct arena *a, int factor);
/* Applies fn; the result type follows from the function (SCALAR_NAMED, SCALAR_FROM: `type`). Folds constants, x+0, x*1
 * and the like, so derivatives come out small. */
const struct scalar *scalar_apply(struct arena *a, enum scalar_fn fn, enum dtype type, const struct scalar *x,
				  const struct scalar *y, const struct scalar *z);

/* What scalar_apply folds with: a simpler equal of the node, or NULL. */
const struct scalar *scalar_fold(struct arena *a, const struct scalar *s);

/* ---- functions, from their records in scalars/ ---- */

/* What the type of the result is: that of the arguments, bool, that of the arguments, which are floats, i64, what the
 * text names in place of the function (`f64(x)`), or what it names besides (`random_bits<u32>(key, i)`). */
enum scalar_result { SCALAR_SAME, SCALAR_PRED, SCALAR_FLOAT, SCALAR_INT, SCALAR_NAMED, SCALAR_FROM };
/* What a processor does for it, as machine files price it. */
enum scalar_effort { EFFORT_ARITHMETIC, EFFORT_DIVISION, EFFORT_FUNCTION, EFFORT_RANDOM };
int scalar_arity(enum scalar_fn fn);
const char *scalar_text(enum scalar_fn fn); /* "+", "exp" */
const char *scalar_name(enum scalar_fn fn); /* a word: "add", "exp" */
enum scalar_result scalar_result_kind(enum scalar_fn fn);
enum scalar_effort scalar_effort(enum scalar_fn fn);
/* Of draws: the type of their third argument, if they have one, and of what they give unless the program says. */
enum dtype scalar_parameter(enum scalar_fn fn);
enum dtype scalar_drawn(enum scalar_fn fn);
/* The first argument whose type is the result's, of functions that have the type of their arguments: 1 for where. */
int scalar_first_value(enum scalar_fn fn);
/* True for those that take bools and nothing else. */
bool scalar_is_of_bools(enum scalar_fn fn);
/* The same of ints. */
bool scalar_is_of_ints(enum scalar_fn fn);
/* "exp" -> SC_EXP, or SC_FN_COUNT. */
enum scalar_fn scalar_fn_of_text(const char *name);
/* The same for names in a program, which cannot name what the compiler alone makes. */
enum scalar_fn scalar_fn_of_source(const char *name);

/* ∂body/∂operand k, symbolic, of body's type. Comparisons, floor, casts to ints and draws have derivative 0; max, min,
 * abs and where take the branch taken (ties: half to each for max and min, 0 if one side is a constant, all to a in
 * min(max(a, low), high) of bounds that are none; 0 for abs). */
const struct scalar *scalar_derive(struct arena *a, const struct scalar *body, int operand);
/* x * y of a derivative: 0 where either is the number 0 when compiling, or a choice whose chosen number is 0, whatever
 * the other is. What does not depend on an operand has no part in its derivative, infinite or not. */
const struct scalar *scalar_flow(struct arena *a, const struct scalar *x, const struct scalar *y);

/* Replaces operand k by to[k] (NULL: keeps it) and renumbers factors by factor_map (NULL: keeps them). */
const struct scalar *scalar_substitute(struct arena *a, const struct scalar *body, const struct scalar *const *to,
				       const int *factor_map);
/* Replaces operands by what is nowhere, zeros: products with one, and what of one is divided, are 0, whatever the other
 * is. */
const struct scalar *scalar_vanish(struct arena *a, const struct scalar *body, const struct scalar *const *to);
/* Replaces the value of a factor by an i64 expression, which may name the same factor in a new meaning. */
const struct scalar *scalar_replace_factor(struct arena *a, const struct scalar *body, int factor,
					   const struct scalar *with);
/* True if every function in s gives the exact result, rounded once: arithmetic, comparisons, sqrt, conversions. So it
 * is the same wherever it is computed, and keeps order where the exact function does. exp and its like are not. */
bool scalar_is_correctly_rounded(const struct scalar *s);
/* To what s rounds an f32, its argument (narrow.c); DT_COUNT: s does something else. */
enum dtype scalar_narrows(const struct scalar *s);
/* s, an f32, rounded to t. */
const struct scalar *scalar_narrowed(struct arena *a, const struct scalar *s, enum dtype t);
/* To what the body rounds an operand (DT_COUNT: to nothing), and the body that reads it as it is. */
enum dtype scalar_narrowing_of(const struct scalar *s, int operand);
const struct scalar *scalar_without_narrowing(struct arena *a, const struct scalar *s, int operand);
/* flow, which is multiplied by `partial`, rounded to what the factors of that are rounded to; itself if none is. */
const struct scalar *scalar_narrow_beside(struct arena *a, const struct scalar *flow, const struct scalar *partial);
/* True if s draws random numbers. */
bool scalar_draws(const struct scalar *s);
/* The most that a function in it takes of a processor. Where all are arithmetic, values and slopes are finite where the
 * operands are. */
enum scalar_effort scalar_most_effort(const struct scalar *s);
bool scalar_uses_operand(const struct scalar *body, int operand);
bool scalar_uses_factor(const struct scalar *body, int factor);
bool scalar_is_zero(const struct scalar *s);
bool scalar_equal(const struct scalar *a, const struct scalar *b);
uint64_t scalar_hash(uint64_t seed, const struct scalar *s);
/* Whether it is the product of two different operands. */
bool scalar_is_product(const struct scalar *s);
/* Rough cost in FLOPs of one evaluation (exp and friends count 8). */
int scalar_flops(const struct scalar *s);
/* Whether s, written out, has more than so many points: one that several read counts for each of them. */
bool scalar_is_longer(const struct scalar *s, int points);
/* What is wrong with the types and operand and factor numbers of a body, or NULL. */
const char *scalar_check(struct arena *a, const struct scalar *s, int noperands, int nfactors);
const char *scalar_check_operand(struct arena *a, const struct scalar *s, int operand, enum dtype type);
/* "(a - b) * (a - b)" with the given operand and factor names (NULL: %0, $0). */
void scalar_print(struct text *t, const struct scalar *s, const char *const *operands, const char *const *factors);

/* A value at a point; floats in f, ints, bools and keys in i. */
union scalar_value {
	double f;
	int64_t i;
};
/* It as a number of the type. */
const struct scalar *scalar_number(struct arena *a, enum dtype type, union scalar_value v);
/* A number of the type, so that it reads back to the same bits; any nan as "nan". */
void number_print(struct text *t, enum dtype type, union scalar_value v);
/* The value as another type: floats to ints truncate and saturate (NaN gives 0), ints wrap, anything but 0 is true. */
union scalar_value scalar_convert(union scalar_value v, enum dtype from, enum dtype to);
/* Reference evaluation; results are rounded to the node's type (f32 arithmetic rounds at every step, bf16 and f16 at
 * the end). wide: of bf16 and f16 the f32 before that. */
union scalar_value scalar_eval(const struct scalar *s, const union scalar_value *operands, const int64_t *factors);
union scalar_value scalar_eval_wide(const struct scalar *s, const union scalar_value *operands, const int64_t *factors);
/* The same of one function: its result is of `type`, its arguments x are of types t. */
union scalar_value scalar_eval_function(enum scalar_fn fn, enum dtype type, const enum dtype *t,
					const union scalar_value *x);

/* ---- 16 bits (wide.c) ---- */

/* The body with f32 wherever it computes in bf16 or f16, and its value: an f32 if s is of these. */
const struct scalar *scalar_widened(struct arena *a, const struct scalar *s);
/* An equal of s in which every function may round to its own type: s itself, if none but that of its value would, and
 * no number in it. */
const struct scalar *scalar_rounded_once(struct arena *a, const struct scalar *s);
/* Ints of the type: whether x < y, and the quotient, which truncates; by 0 it is 0. */
bool scalar_int_less(enum dtype t, int64_t x, int64_t y);
int64_t scalar_int_divide(enum dtype t, int64_t x, int64_t y);

#endif
