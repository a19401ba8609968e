/* base.h — vectors of 16 bytes, by what any compiler makes of vector types. */
#include "kernels.h"

enum { VECTOR_BYTES = 16, ROWS = 6, VECTORS = 2 };
#define KERNELS(type)      product_base_##type
#define LANES_F32          4
#define LANES_F64          2
#define EACH_VECTORS(X)    X(1) X(2)
#define EACH_ROWS(X, v, f) X(1, v, f) X(2, v, f) X(3, v, f) X(4, v, f) X(5, v, f) X(6, v, f)

#define ACCUMULATE_F32(sum, x, y) (sum) += (x) * (y)
#define ACCUMULATE_F64(sum, x, y) (sum) += (x) * (y)
#define FMA_1_F32(x, y, z)        ((x) * (y) + (z))
#define FMA_1_F64(x, y, z)        ((x) * (y) + (z))
#define FMA_F32(x, y, z)          ((x) * (y) + (z))
#define FMA_F64(x, y, z)          ((x) * (y) + (z))

typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef double f64x2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef uint16_t u16x4 __attribute__((vector_size(8), aligned(2), may_alias));
typedef uint32_t u32x4 __attribute__((vector_size(16)));

#define LOAD16_F32(p)  (*(const f32x4 *)(p))
#define LOAD16_F64(p)  (*(const f64x2 *)(p))
#define LOAD16_BF16(p) ((f32x4)(__builtin_convertvector(*(const u16x4 *)(p), u32x4) << 16))
#define LOAD16_F16(p) \
	((f32x4){half_to_float((p)[0], false), half_to_float((p)[1], false), half_to_float((p)[2], false), \
		 half_to_float((p)[3], false)})
#define LOAD_F32  LOAD16_F32
#define LOAD_F64  LOAD16_F64
#define LOAD_BF16 LOAD16_BF16
#define LOAD_F16  LOAD16_F16
#define STORE_F16(p, x) \
	for (int i_ = 0; i_ < 4; i_++) \
	(p)[i_] = half_of_float((x)[i_], false)
#define WIDEN_F16(x)              half_to_float(x, false)
#define LOAD16_AS_F16(p)          ((f32x4){as_f16((p)[0]), as_f16((p)[1]), as_f16((p)[2]), as_f16((p)[3])})
#define LOAD_AS_F16               LOAD16_AS_F16
#define JOIN_F32(load, row, r, k) load((row)[r] + (k))
#define JOIN_F64(load, row, r, k) load((row)[r] + (k))
#define LOW_F32(x, y)             __builtin_shufflevector(x, y, 0, 4, 1, 5)
#define HIGH_F32(x, y)            __builtin_shufflevector(x, y, 2, 6, 3, 7)
#define LOW_PAIRS(x, y)           __builtin_shufflevector(x, y, 0, 1, 4, 5)
#define HIGH_PAIRS(x, y)          __builtin_shufflevector(x, y, 2, 3, 6, 7)
#define LOW_F64(x, y)             __builtin_shufflevector(x, y, 0, 2)
#define HIGH_F64(x, y)            __builtin_shufflevector(x, y, 1, 3)

/* Partial sums of a dot product (few.h) are CHAINS vectors, and added up in vectors of SUM_BYTES. */
enum { CHAINS = 2, SUM_BYTES = VECTOR_BYTES, DOTS = 4 };
#define SUM_OF_F32(x)  ((x)[0] + (x)[1])
#define SUM_OF_F64     SUM_OF_F32
#define SUM_LOW_F32    LOW_F32
#define SUM_HIGH_F32   HIGH_F32
#define SUM_LOW_PAIRS  LOW_PAIRS
#define SUM_HIGH_PAIRS HIGH_PAIRS
#define SUM_LOW_F64    LOW_F64
#define SUM_HIGH_F64   HIGH_F64
