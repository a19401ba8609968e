/* ranking.c — where every element of a line would stand if the line were sorted: equal elements by position, NaN beyond
 * every number. The positions are sorted in the result's own memory (quicksort with drawn pivots: no order of the data
 * is slow), then turned around in place, so nothing is allocated. There is one copy of the code per element type: it is
 * inlined where the type is known. */
#include "rt.h"

#include <string.h>

#ifdef __GNUC__
#define ALWAYS inline __attribute__((always_inline))
#else
#define ALWAYS inline
#endif

/* Up to this many elements are inserted one by one. */
enum { FEW = 12 };

/* One line of n elements. Positions, later ranks, stand `step` apart in out. */
struct line {
	const char *x;
	int64_t bytes; /* from one element to the next */
	bool down;
	int32_t *out;
	int64_t n, step;
};

/* Bits whose order as unsigned numbers is that of the floats of which these are the bits: -0 is 0, every NaN is the
 * largest. */
static ALWAYS uint64_t float_key(uint64_t u, int bits, uint64_t infinity)
{
	uint64_t sign = UINT64_C(1) << (bits - 1), magnitude = u & (sign - 1);
	if (magnitude > infinity)
		return sign | (sign - 1);
	return u & sign ? sign - magnitude : sign + magnitude;
}

#define LOAD(name, T) \
	static uint64_t name(const char *p) \
	{ \
		T v; \
		memcpy(&v, p, sizeof v); \
		return (uint64_t)v; \
	}
LOAD(load_8, uint8_t)
LOAD(load_16, uint16_t)
LOAD(load_32, uint32_t)
LOAD(load_64, uint64_t)

static const uint64_t sign_64 = UINT64_C(1) << 63;

/* Larger keys come later. Signed integers are shifted, so that the least of them is 0. */
static ALWAYS uint64_t key_of(const char *p, int32_t dtype)
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

/* An element with its key, which is larger the later it comes. */
struct item {
	uint64_t key;
	int32_t at;
};

static ALWAYS struct item item_at(const struct line *l, int32_t dtype, int64_t k)
{
	int32_t at = l->out[k * l->step];
	uint64_t key = key_of(l->x + at * l->bytes, dtype);
	return (struct item){l->down ? ~key : key, at};
}

static ALWAYS bool before(struct item x, struct item y)
{
	return x.key < y.key || (x.key == y.key && x.at < y.at);
}

static ALWAYS void insert_all(const struct line *l, int32_t dtype, int64_t begin, int64_t end)
{
	for (int64_t i = begin + 1; i < end; i++) {
		struct item x = item_at(l, dtype, i);
		int64_t k = i;
		for (; k > begin && before(x, item_at(l, dtype, k - 1)); k--)
			l->out[k * l->step] = l->out[(k - 1) * l->step];
		l->out[k * l->step] = x.at;
	}
}

/* The middle one of three elements that a generator draws. */
static ALWAYS struct item pivot_of(const struct line *l, int32_t dtype, int64_t begin, int64_t end, uint64_t *state)
{
	struct item x[3];
	for (int i = 0; i < 3; i++) {
		*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		x[i] = item_at(l, dtype, begin + (int64_t)((*state >> 33) % (uint64_t)(end - begin)));
	}
	bool ab = before(x[0], x[1]), bc = before(x[1], x[2]), ac = before(x[0], x[2]);
	return ab == bc ? x[1] : ab == ac ? x[2] : x[0];
}

/* Puts those that do not come after the pivot in front; where the others begin (Hoare, Quicksort, 1962). All elements
 * differ, if only by position. */
static ALWAYS int64_t partition(const struct line *l, int32_t dtype, int64_t begin, int64_t end, struct item pivot)
{
	int64_t i = begin - 1, k = end;
	for (;;) {
		do
			i++;
		while (before(item_at(l, dtype, i), pivot));
		do
			k--;
		while (before(pivot, item_at(l, dtype, k)));
		if (i >= k)
			return k + 1;
		int32_t at = l->out[i * l->step];
		l->out[i * l->step] = l->out[k * l->step];
		l->out[k * l->step] = at;
	}
}

/* The longer part waits on the stack, so that 64 places are enough. */
static ALWAYS void sort_positions(const struct line *l, int32_t dtype)
{
	struct range {
		int64_t begin, end;
	} stack[64] = {{0, l->n}};
	uint64_t state = 1;
	for (int64_t i = 0; i < l->n; i++)
		l->out[i * l->step] = (int32_t)i;
	for (int waiting = 1; waiting > 0;) {
		struct range r = stack[--waiting];
		while (r.end - r.begin > FEW) {
			int64_t middle =
				partition(l, dtype, r.begin, r.end, pivot_of(l, dtype, r.begin, r.end, &state));
			if (middle == r.end) /* the pivot is the last of all, and stands there */
				middle--;
			struct range front = {r.begin, middle}, back = {middle, r.end};
			bool front_is_longer = middle - r.begin > r.end - middle;
			stack[waiting++] = front_is_longer ? front : back;
			r = front_is_longer ? back : front;
		}
		insert_all(l, dtype, r.begin, r.end);
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

static void rank_line(const struct line *l, int32_t dtype)
{
	switch ((enum pmlrt_dtype)dtype) {
#define DTYPE(id, text, type, bytes, kind) \
	case PMLRT_##id: \
		sort_positions(l, PMLRT_##id); \
		break;
#include "dtype.def"
#undef DTYPE
	case PMLRT_DTYPES:
		break;
	}
	invert(l);
}

void pmlrt_ranking(int32_t dtype, bool down, int64_t outer, int64_t n, int64_t inner, const void *x, void *out)
{
	int64_t size = rt_dtype_size(dtype);
	for (int64_t i = 0; i < outer; i++)
		for (int64_t k = 0; k < inner; k++) {
			int64_t first = i * n * inner + k;
			struct line l = {
				(const char *)x + first * size, inner * size, down, (int32_t *)out + first, n, inner};
			rank_line(&l, dtype);
		}
}
