/* f64.h — the kernels of a level for f64. Included after the level's header. */
#include <string.h>

typedef double T;
typedef double V __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));
typedef double SUM __attribute__((vector_size(SUM_BYTES), aligned(8), may_alias));
enum { LANES = VECTOR_BYTES / 8, CHUNK = 2 };
#define FMA        FMA_F64
#define ACCUMULATE ACCUMULATE_F64
#define FMA_1      FMA_1_F64
#define JOIN       JOIN_F64
#define TRANSPOSE_BY(V, low, high, x) \
	{ \
		V t = low(x[0], x[1]); \
		x[1] = high(x[0], x[1]); \
		x[0] = t; \
	}
#define TRANSPOSE(x)     TRANSPOSE_BY(V, LOW_F64, HIGH_F64, x)
#define TRANSPOSE_SUM(x) TRANSPOSE_BY(SUM, SUM_LOW_F64, SUM_HIGH_F64, x)
#define SUM_OF           SUM_OF_F64
#define LANES_HERE       LANES_F64
#include "panels.h"
#include "filter_parts.h"
#include "tiles.h"

#define AS_IT_IS(x)    (x)
#define EACH_SOURCE(X) X(F64, f64, double, AS_IT_IS, LOAD_F64, LOAD16_F64)
EACH_SOURCE(PACKING)

static const struct product_packing packing[PRODUCT_TYPES] = {EACH_SOURCE(PACKING_MEMBER)};

const struct product_kernels KERNELS(f64) = {TILE_MEMBERS, .together = 1, .pack = packing, .transpose = transpose,
					     .filter = &filter_kernels};
