/* gemm.h — the runtime's own contraction loops, which tests take as the truth. */
#ifndef RT_GEMM_H
#define RT_GEMM_H

#include <stdint.h>

/* C = alpha * op(A) op(B) + beta * C; beta 0 overwrites. */
#define GEMM_STRUCT(T) \
	struct gemm_##T { \
		int64_t ta, tb, m, n, k, lda, ldb, ldc; \
		T alpha, beta; \
		const T *a, *b; \
		T *c; \
	}
GEMM_STRUCT(float);
GEMM_STRUCT(double);

void gemm_own_f32(const struct gemm_float *g);
void gemm_own_f64(const struct gemm_double *g);

#endif
