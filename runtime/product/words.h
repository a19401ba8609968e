/* words.h — vectors V of elements of 4 bytes: f32, or pairs of bf16. Included after the level's header. */
enum { LANES = VECTOR_BYTES / 4, CHUNK = 4 };
#define FMA  FMA_F32
#define JOIN JOIN_F32
#define TRANSPOSE_BY(V, low, high, low_pairs, high_pairs, x) \
	{ \
		V t0 = low(x[0], x[1]), t1 = low(x[2], x[3]); \
		V t2 = high(x[0], x[1]), t3 = high(x[2], x[3]); \
		x[0] = low_pairs(t0, t1); \
		x[1] = high_pairs(t0, t1); \
		x[2] = low_pairs(t2, t3); \
		x[3] = high_pairs(t2, t3); \
	}
#define TRANSPOSE(x) TRANSPOSE_BY(V, LOW_F32, HIGH_F32, LOW_PAIRS, HIGH_PAIRS, x)
