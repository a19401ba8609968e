/* ranking.c — where every element of a line would stand if the line were sorted: equal elements by position, NaN beyond
 * every number. The positions are sorted in the result's own memory (heapsort: in place, n log n whatever the data is),
 * then turned around in place, so nothing is allocated. */
#include "rt.h"

#include <string.h>

/* One line of n elements. Positions, later ranks, stand `step` apart in out. */
struct line {
	const char *x;
	int64_t bytes; /* from one element to the next */
	int32_t dtype;
	bool down;
	int32_t *out;
	int64_t n, step;
};

/* Bits whose order as unsigned numbers is that of the floats of which these are the bits: -0 is 0, every NaN is the
 * largest. */
static uint64_t float_key(uint64_t u, int bits, uint64_t infinity)
{
	uint64_t sign = UINT64_C(1) << (bits - 1), magnitude = u & (sign - 1);
	if (magnitude > infinity)
		return sign | (sign - 1);
	return u & sign ? sign - magnitude : sign + magnitude;
}

#define LOAD(name, T)                                                                                                  \
	static uint64_t name(const char *p)                                                                            \
	{                                                                                                              \
		T v;                                                                                                   \
		memcpy(&v, p, sizeof v);                                                                               \
		return (uint64_t)v;                                                                                    \
	}
LOAD(load_8, uint8_t)
LOAD(load_16, uint16_t)
LOAD(load_32, uint32_t)
LOAD(load_64, uint64_t)

static const uint64_t sign_64 = UINT64_C(1) << 63;

/* Larger keys come later. Signed integers are shifted, so that the least of them is 0. */
static uint64_t key_of(const char *p, int32_t dtype)
{
	switch ((enum pmlrt_dtype)dtype) {
	case PMLRT_F32:
		return float_key(load_32(p), 32, UINT64_C(0x7F800000));
	case PMLRT_F64:
		return float_key(load_64(p), 64, UINT64_C(0x7FF0000000000000));
	case PMLRT_BF16:
		return float_key(load_16(p), 16, UINT64_C(0x7F80));
	case PMLRT_F16:
		return float_key(load_16(p), 16, UINT64_C(0x7C00));
	case PMLRT_I8:
		return load_8(p) ^ UINT64_C(0x80);
	case PMLRT_I16:
		return load_16(p) ^ UINT64_C(0x8000);
	case PMLRT_I32:
		return load_32(p) ^ UINT64_C(0x80000000);
	case PMLRT_I64:
		return load_64(p) ^ sign_64;
	case PMLRT_U8:
	case PMLRT_BOOL:
		return load_8(p);
	case PMLRT_U16:
		return load_16(p);
	case PMLRT_U32:
		return load_32(p);
	case PMLRT_U64:
		return load_64(p);
	case PMLRT_DTYPES:
		break;
	}
	return 0;
}

static bool before(const struct line *l, int32_t i, int32_t j)
{
	uint64_t x = key_of(l->x + i * l->bytes, l->dtype), y = key_of(l->x + j * l->bytes, l->dtype);
	if (x != y)
		return l->down ? x > y : x < y;
	return i < j;
}

/* Lets the position at `hole` sink among the first n. */
static void sift(const struct line *l, int64_t hole, int64_t n)
{
	int32_t value = l->out[hole * l->step];
	for (int64_t child = 2 * hole + 1; child < n; child = 2 * hole + 1) {
		if (child + 1 < n && before(l, l->out[child * l->step], l->out[(child + 1) * l->step]))
			child++;
		if (!before(l, value, l->out[child * l->step]))
			break;
		l->out[hole * l->step] = l->out[child * l->step];
		hole = child;
	}
	l->out[hole * l->step] = value;
}

static void sort_positions(const struct line *l)
{
	for (int64_t i = 0; i < l->n; i++)
		l->out[i * l->step] = (int32_t)i;
	for (int64_t i = l->n / 2 - 1; i >= 0; i--)
		sift(l, i, l->n);
	for (int64_t end = l->n - 1; end > 0; end--) {
		int32_t last = l->out[0];
		l->out[0] = l->out[end * l->step];
		l->out[end * l->step] = last;
		sift(l, 0, end);
	}
}

/* out[k] = position of the k-th becomes out[position] = k, cycle by cycle; numbers that are done are kept as their
 * complement meanwhile. */
static void invert(const struct line *l)
{
	for (int64_t start = 0; start < l->n; start++) {
		int64_t k = start;
		int32_t at = l->out[start * l->step];
		while (at >= 0) {
			int32_t next = l->out[at * l->step];
			l->out[at * l->step] = ~(int32_t)k;
			k = at;
			at = next;
		}
	}
	for (int64_t i = 0; i < l->n; i++)
		l->out[i * l->step] = ~l->out[i * l->step];
}

void pmlrt_ranking(int32_t dtype, bool down, int64_t outer, int64_t n, int64_t inner, const void *x, void *out)
{
	int64_t size = rt_dtype_size(dtype);
	for (int64_t i = 0; i < outer; i++)
		for (int64_t k = 0; k < inner; k++) {
			int64_t first = i * n * inner + k;
			struct line l = {(const char *)x + first * size,
					 inner * size,
					 dtype,
					 down,
					 (int32_t *)out + first,
					 n,
					 inner};
			sort_positions(&l);
			invert(&l);
		}
}
