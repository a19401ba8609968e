/* math.h — elementary functions as straight-line LLVM IR over scalars or vectors of f32 or f64.
 *
 * Every lane goes through the same arithmetic, so a value does not depend on where it stands. The polynomials are
 * minimax fits of our own (relative error, Remez exchange); stated errors are maxima against the C library in double
 * over dense samples, with fused multiply-adds; tests/unit/test_backend_errors.c measures them again. Infinities, NaN,
 * zeros and denormals give what C99 Annex F says. */
#ifndef PML_BACKEND_MATH_H
#define PML_BACKEND_MATH_H

#include "emit.h"

LLVMValueRef math_exp(struct emitter *e, LLVMValueRef x);                   /* f32: 1.0 ulp, f64: 1.1 ulp */
LLVMValueRef math_log(struct emitter *e, LLVMValueRef x);                   /* f32: 1.0 ulp, f64: 1.0 ulp */
LLVMValueRef math_tanh(struct emitter *e, LLVMValueRef x);                  /* f32: 3.0 ulp, f64: 3.0 ulp */
LLVMValueRef math_erf(struct emitter *e, LLVMValueRef x);                   /* f32: 1.5 ulp, f64: 1.5 ulp */
LLVMValueRef math_log1p(struct emitter *e, LLVMValueRef x);                 /* f32: 2.5 ulp, f64: 2.5 ulp */
LLVMValueRef math_expm1(struct emitter *e, LLVMValueRef x);                 /* f32: 1.5 ulp, f64: 2.0 ulp */
LLVMValueRef math_softplus(struct emitter *e, LLVMValueRef x);              /* f32: 3.0 ulp, f64: 3.0 ulp */
LLVMValueRef math_sigmoid(struct emitter *e, LLVMValueRef x);               /* f32: 2.5 ulp, f64: 2.5 ulp */
/* Beside 1: f32 to 1e-7, f64 to 2e-16; what is below 1e-8 and 1e-16 may be 0. */
LLVMValueRef math_normal_cdf(struct emitter *e, LLVMValueRef x);
LLVMValueRef math_asin(struct emitter *e, LLVMValueRef x);                  /* f32: 1.7 ulp, f64: 1.7 ulp */
LLVMValueRef math_acos(struct emitter *e, LLVMValueRef x);                  /* f32: 1.5 ulp, f64: 1.5 ulp */
LLVMValueRef math_erfinv(struct emitter *e, LLVMValueRef x);                /* f32: 2.0 ulp, f64: 2.2 ulp */
LLVMValueRef math_atan2(struct emitter *e, LLVMValueRef y, LLVMValueRef x); /* f32: 1.4 ulp, f64: 1.8 ulp */
/* f32: 1.0 ulp, near zeros of negative x to 2^-20; f64: the C library's. */
LLVMValueRef math_lgamma(struct emitter *e, LLVMValueRef x);
/* f32: 1.6 ulp, f64: 2.0 ulp; f64 without fused multiply-add: the C library's. */
LLVMValueRef math_sin(struct emitter *e, LLVMValueRef x);
LLVMValueRef math_cos(struct emitter *e, LLVMValueRef x);
LLVMValueRef math_tan(struct emitter *e, LLVMValueRef x); /* f32: 3.0 ulp, f64: 2.5 ulp, as above */
/* f32: 0.6 ulp, f64: 1.13 ulp, without fused multiply-add the C library's. */
LLVMValueRef math_pow(struct emitter *e, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef math_sqrt(struct emitter *e, LLVMValueRef x);  /* rounded correctly */
LLVMValueRef math_rsqrt(struct emitter *e, LLVMValueRef x); /* 1 / sqrt(x); f32: 1.0 ulp, f64: 1.0 ulp */

/* x / y where y is a scalar and x a vector: by the reciprocal, corrected to the quotient rounded correctly (but where
 * it is denormal: last bit). Needs fused multiply-add; worth it where the reciprocal can be taken out of a loop. */
LLVMValueRef math_divide_all(struct emitter *e, LLVMValueRef x, LLVMValueRef y);
/* Of numbers of bf16, as f32: what rounds to the bf16 nearest to x / y, always, and without fused multiply-add. */
LLVMValueRef math_divide_all_bf16(struct emitter *e, LLVMValueRef x, LLVMValueRef y);

/* What x / y leaves when it is cut to a whole number, with the sign of x; exact. */
LLVMValueRef math_fmod(struct emitter *e, LLVMValueRef x, LLVMValueRef y);

/* cos(2 pi v) for v in [0, 1) on a grid of 2^-24; f32. */
LLVMValueRef math_cos_turns(struct emitter *e, LLVMValueRef v);

/* Calls a C function of one (y NULL) or two arguments of the element type for every lane. */
LLVMValueRef math_library(struct emitter *e, const char *function, LLVMValueRef x, LLVMValueRef y);

/* c[0] + c[1] x + c[2] x^2 + … */
LLVMValueRef math_polynomial(struct emitter *e, LLVMValueRef x, const double *c, int n);
/* The same where others wait for it: neighbours in pairs, pairs of pairs and so on (Estrin, 1960), up to 32
 * coefficients; what is added last, c[0], rounds as by Horner's way. */
LLVMValueRef math_polynomial_in_pairs(struct emitter *e, LLVMValueRef x, const double *c, int n);

/* random.c — draws of Philox4x32-10 (runtime/philox.h), element `counter` of the stream `key`. key and counter are u64
 * and i64 of equal lanes. Bits and uniform draws are those of philox.h; normal f32 draws may differ in the last bits.
 */
LLVMValueRef random_bits(struct emitter *e, LLVMValueRef key, LLVMValueRef counter);
LLVMValueRef random_key(struct emitter *e, LLVMValueRef key, LLVMValueRef number);
LLVMValueRef random_uniform(struct emitter *e, enum dtype t, LLVMValueRef key, LLVMValueRef counter);
LLVMValueRef random_normal(struct emitter *e, enum dtype t, LLVMValueRef key, LLVMValueRef counter);
/* Of the gamma distribution, f64, of f64 alpha: tries while any lane has none that is taken. */
LLVMValueRef random_gamma(struct emitter *e, LLVMValueRef key, LLVMValueRef counter, LLVMValueRef alpha);
LLVMValueRef random_poisson(struct emitter *e, LLVMValueRef key, LLVMValueRef counter, LLVMValueRef rate);
/* philox_position of every lane: walks on while any lane is not below number. */
LLVMValueRef random_position(struct emitter *e, LLVMValueRef key, LLVMValueRef counter, LLVMValueRef number);

#endif
