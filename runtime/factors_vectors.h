/* factors_vectors.h — vectors of T that factors of matrices are made by (eigen/lines.h, lu/lines.h). Included after a
 * level's header of product/, T and INDEX, an integer as long. */
typedef T V __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));
typedef INDEX I __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));
enum { LANES = VECTOR_BYTES / sizeof(T) };

#define ALWAYS inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 4")

static ALWAYS V at(const T *x)
{
	return *(const V *)x;
}

static ALWAYS void put(T *x, V v)
{
	*(V *)x = v;
}

static ALWAYS V all(T x)
{
	return x - (V){0};
}
