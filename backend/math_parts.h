/* math_parts.h — what the files of math.h share. */
#ifndef PML_BACKEND_MATH_PARTS_H
#define PML_BACKEND_MATH_PARTS_H

#include "math.h"

bool math_is_f64(const struct emitter *e, LLVMValueRef x);
/* i32 or i64, in as many lanes. */
LLVMTypeRef math_bits_type(const struct emitter *e, LLVMValueRef x);
LLVMValueRef math_constant(LLVMValueRef x, double v); /* of the type of x */
/* NaN stays. */
LLVMValueRef math_clamp(struct emitter *e, LLVMValueRef x, double low, double high);
LLVMValueRef math_copy_sign(struct emitter *e, LLVMValueRef x, LLVMValueRef sign);

/* exp(x + rest), where rest is finite and no more than some units of the last place of x. */
LLVMValueRef math_exp_sum(struct emitter *e, LLVMValueRef x, LLVMValueRef rest);

/* exp(x) of what is not near the ends of its range. */
LLVMValueRef math_exp_normal(struct emitter *e, LLVMValueRef x);

/* f with x = (1 + f) 2^n, sqrt 1/2 <= 1 + f < sqrt 2, exactly; n as a float. x is positive and finite. */
LLVMValueRef math_split(struct emitter *e, LLVMValueRef x, LLVMValueRef *n);

/* -2 sqrt x, to the last bit; not a number where x is negative. x is neither infinite nor subnormal. */
LLVMValueRef math_minus_two_roots(struct emitter *e, LLVMValueRef x);

/* log x, where x is positive, finite and normal. */
LLVMValueRef math_log_normal(struct emitter *e, LLVMValueRef x);

/* log x of f64 to 2^-37 of itself, x positive, finite and normal. */
LLVMValueRef math_log_short(struct emitter *e, LLVMValueRef x);

/* |sin(pi x)|, f64, x finite: to 2 ulp, and 0 where x is whole. */
LLVMValueRef math_size_of_sin_pi(struct emitter *e, LLVMValueRef x);

/* Tables in registers: math_pieces.c. The number of the table, of MATH_PIECES f64 or twice as many f32, that the low
 * bits of index say, which is an int as wide. */
enum { MATH_PIECES = 16 };
bool math_has_tables(const struct emitter *e);
LLVMValueRef math_of_table(struct emitter *e, LLVMValueRef index, const double *table);
/* tables[0] + tables[1] x + …, each a table. */
LLVMValueRef math_polynomial_of_piece(struct emitter *e, LLVMValueRef x, LLVMValueRef index, const double *tables,
				      int n);
/* Which piece of this width x >= 0 is in, the first beginning at 0; *rest: what is beyond its beginning, which next to
 * an end may be that of the piece beside it. Products of the width by a number of a piece are exact. */
LLVMValueRef math_piece_of(struct emitter *e, LLVMValueRef x, double width, LLVMValueRef *rest);

/* log x of f64, to 2^-53 of 1 where it is less; x is positive, finite and normal. Needs tables. */
LLVMValueRef math_log_beside_one(struct emitter *e, LLVMValueRef x);

/* Whether a lane of a mask is set: an i1. */
LLVMValueRef math_any_lane(struct emitter *e, LLVMValueRef mask);

/* A branch that is hardly ever taken, to be filled by the caller: where a lane of `rare` is set. math_mixed ends it:
 * `there`, computed in it, where rare is set, else usual. */
struct math_branch {
	LLVMValueRef rare;
	LLVMBasicBlockRef before, done;
};
struct math_branch math_rarely(struct emitter *e, LLVMValueRef rare);
LLVMValueRef math_mixed(struct emitter *e, const struct math_branch *m, LLVMValueRef there, LLVMValueRef usual);

/* What `body` makes of x, as a function of the module, since what is hardly ever computed need not stand everywhere.
 * name: that of the function whose rare part it is. */
typedef LLVMValueRef math_body(struct emitter *e, LLVMValueRef x);
LLVMValueRef math_apart(struct emitter *e, const char *name, math_body *body, LLVMValueRef x);

/* usual, or where `rare` is set the C function of x, or of x and y (else NULL): a branch that is hardly ever taken. */
LLVMValueRef math_unless(struct emitter *e, LLVMValueRef rare, const char *function, LLVMValueRef x, LLVMValueRef y,
			 LLVMValueRef usual);

/* The words of 64-bit lanes: as lanes of 32 bits, and in the place of the lower. */
LLVMValueRef random_low_half(struct emitter *e, LLVMValueRef v);
LLVMValueRef random_high_half(struct emitter *e, LLVMValueRef v);

#endif
