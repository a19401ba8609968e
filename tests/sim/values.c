/* values.c — the values of test tensors: small whole numbers, so that every order of adding gives the same bits in
 * every element type; the parts of a sum are all different from 0 for most elements, those of a product from 1. */
#include "combine.h"
#include "half.h"
#include "oracle.h"

#include <stdio.h>
#include <string.h>

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= UINT64_C(0x7FB5D329728EA185);
	x ^= x >> 27;
	x *= UINT64_C(0x81DADEF4BC2DD44D);
	return x ^ x >> 33;
}

enum kind { FLOAT, INT, UINT, BOOL };
static const struct {
	enum kind kind;
	int size;
} dtypes[] = {
#define DTYPE(name, text, ctype, size, kind) [PMLRT_##name] = {kind, size},
#include "dtype.def"
#undef DTYPE
};

/* A part of an element, or its value where there is one part only. */
static int64_t part_value(const struct holdings *h, int64_t element, int part, uint64_t salt)
{
	uint64_t x = mix(salt ^ mix((uint64_t)element * 64 + (uint64_t)part + 1));
	enum kind kind = dtypes[h->type->dtype].kind;
	int64_t shift = kind == FLOAT || kind == INT;
	if (kind == BOOL)
		return (int64_t)(x & 1);
	if (!h->partial)
		return (int64_t)(x % 100) - 50 * shift;
	switch ((enum shard_combiner)h->combiner) {
	case SHARD_SUM:
		return (int64_t)(x % 7) - 3 * shift;
	case SHARD_PROD:
		return x & 1 && part < 6 ? 2 : shift && x & 2 ? -1 : 1; /* 64 fits every type */
	case SHARD_MAX:
	case SHARD_MIN:
		return (int64_t)(x % 100) - 50 * shift;
	}
	return 0;
}

static int64_t join(int combiner, enum kind kind, int64_t a, int64_t b)
{
	switch ((enum shard_combiner)combiner) {
	case SHARD_SUM:
		return kind == BOOL ? a | b : a + b;
	case SHARD_PROD:
		return kind == BOOL ? a & b : a * b;
	case SHARD_MAX:
		return a > b ? a : b;
	case SHARD_MIN:
		return a < b ? a : b;
	}
	return 0;
}

static int64_t logical_value(const struct holdings *src, int64_t element, uint64_t salt)
{
	int64_t v = part_value(src, element, 0, salt);
	for (int p = 1; p < src->parts; p++)
		v = join(src->combiner, dtypes[src->type->dtype].kind, v, part_value(src, element, p, salt));
	return v;
}

static void store(int32_t dtype, int64_t v, void *p)
{
	float f = (float)v;
	double d = (double)v;
	uint16_t h = half_of_float(f, dtype == PMLRT_BF16);
	if (dtypes[dtype].kind != FLOAT)
		memcpy(p, &v, (size_t)dtypes[dtype].size);
	else
		memcpy(p,
		       dtypes[dtype].size == 4   ? (void *)&f
		       : dtypes[dtype].size == 8 ? (void *)&d
						 : &h,
		       (size_t)dtypes[dtype].size);
}

void oracle_value(const struct holdings *h, int64_t element, uint64_t salt, void *out)
{
	store(h->type->dtype, logical_value(h, element, salt), out);
}

/* Visits what a rank holds in the order of its shard: row-major. What one step of a dimension's index adds to an
 * element's number is its stride. */
struct walk {
	int rank, at[PMLRT_MAX_RANK], n[PMLRT_MAX_RANK];
	int64_t offset[PMLRT_MAX_RANK][ORACLE_LONGEST]; /* of the indices held */
	int64_t element, left;
};

static struct walk walk_begin(const struct holdings *h, int rank)
{
	struct walk w;
	int64_t stride = 1;
	w.rank = h->type->rank;
	w.left = oracle_held(h, rank);
	w.element = 0;
	for (int d = w.rank - 1; d >= 0; d--) {
		w.at[d] = w.n[d] = 0;
		for (int64_t i = 0; i < h->type->dim[d]; i++)
			if (h->rank[rank].set[d] >> i & 1)
				w.offset[d][w.n[d]++] = i * stride;
		w.element += w.n[d] ? w.offset[d][0] : 0;
		stride *= h->type->dim[d];
	}
	if (w.rank)
		w.at[w.rank - 1] = -1;
	return w;
}

static bool walk_next(struct walk *w)
{
	if (w->left-- <= 0)
		return false;
	for (int d = w->rank - 1; d >= 0; d--) {
		if (++w->at[d] < w->n[d]) {
			w->element +=
				w->offset[d][w->at[d]] - (w->at[d] ? w->offset[d][w->at[d] - 1] : w->offset[d][0]);
			return true;
		}
		w->element -= w->offset[d][w->n[d] - 1] - w->offset[d][0];
		w->at[d] = 0;
	}
	return true;
}

void oracle_fill(const struct holdings *h, int rank, uint64_t salt, void *data)
{
	char *p = data;
	for (struct walk w = walk_begin(h, rank); walk_next(&w); p += dtypes[h->type->dtype].size)
		store(h->type->dtype, part_value(h, w.element, h->rank[rank].part, salt), p);
}

static const char *say(const char *what, int rank, int64_t element)
{
	static char text[96];
	snprintf(text, sizeof text, "%s (rank %d, element %lld)", what, rank, (long long)element);
	return text;
}

static const char *check_values(const struct holdings *src, const struct holdings *dst, uint64_t salt,
				void *const *data)
{
	int size = dtypes[dst->type->dtype].size;
	char expected[ORACLE_MOST_ELEMENTS * 8];
	for (int64_t e = 0; e < oracle_volume(src->type); e++)
		store(dst->type->dtype, logical_value(src, e, salt), expected + e * size);
	for (int r = 0; r < dst->ranks; r++) {
		if (!dst->rank[r].on)
			continue;
		const char *p = data[r];
		for (struct walk w = walk_begin(dst, r); walk_next(&w); p += size)
			if (memcmp(p, expected + w.element * size, (size_t)size))
				return say("wrong value", r, w.element);
	}
	return NULL;
}

/* Where parts of the destination go: one whole tensor per part, taken from any replica; the others must be the same. */
static const char *gather_parts(const struct holdings *dst, void *const *data, char (*parts)[ORACLE_MOST_ELEMENTS * 8])
{
	static bool seen[ORACLE_MOST_RANKS][ORACLE_MOST_ELEMENTS];
	int size = dtypes[dst->type->dtype].size;
	memset(seen, 0, sizeof seen);
	for (int r = 0; r < dst->ranks; r++) {
		if (!dst->rank[r].on)
			continue;
		const char *p = data[r];
		int part = dst->rank[r].part;
		for (struct walk w = walk_begin(dst, r); walk_next(&w); p += size) {
			char *at = parts[part] + w.element * size;
			if (seen[part][w.element] && memcmp(at, p, (size_t)size))
				return say("replicas of a part differ", r, w.element);
			memcpy(at, p, (size_t)size);
			seen[part][w.element] = true;
		}
	}
	return NULL;
}

/* An element of any type as the exact double it is. */
static double load(int32_t dtype, const char *p)
{
	union {
		float f;
		double d;
		uint16_t h;
		int8_t i8;
		int16_t i16;
		int32_t i32;
		int64_t i64;
		uint8_t u8;
		uint32_t u32;
		uint64_t u64;
	} u = {.u64 = 0};
	memcpy(&u, p, (size_t)dtypes[dtype].size);
	switch ((enum pmlrt_dtype)dtype) {
	case PMLRT_F32:
		return (double)u.f;
	case PMLRT_F64:
		return u.d;
	case PMLRT_BF16:
		return (double)half_to_float(u.h, true);
	case PMLRT_F16:
		return (double)half_to_float(u.h, false);
	case PMLRT_I8:
		return u.i8;
	case PMLRT_I16:
		return u.i16;
	case PMLRT_I32:
		return u.i32;
	case PMLRT_I64:
		return (double)u.i64;
	case PMLRT_U8:
	case PMLRT_BOOL:
		return u.u8;
	case PMLRT_U16:
		return u.h;
	case PMLRT_U32:
		return u.u32;
	case PMLRT_U64:
		return (double)u.u64;
	case PMLRT_DTYPES:
		break;
	}
	return 0;
}

static double join_double(int combiner, enum kind kind, double a, double b)
{
	switch ((enum shard_combiner)combiner) {
	case SHARD_SUM:
		return kind == BOOL ? (a > b ? a : b) : a + b;
	case SHARD_PROD:
		return kind == BOOL ? (a < b ? a : b) : a * b;
	case SHARD_MAX:
		return a > b ? a : b;
	case SHARD_MIN:
		return a < b ? a : b;
	}
	return 0;
}

static const char *check_parts(const struct holdings *src, const struct holdings *dst, uint64_t salt, void *const *data)
{
	static char parts[ORACLE_MOST_RANKS][ORACLE_MOST_ELEMENTS * 8];
	int32_t dtype = dst->type->dtype;
	int size = dtypes[dtype].size;
	const char *wrong = gather_parts(dst, data, parts);
	for (int64_t e = 0; !wrong && e < oracle_volume(dst->type); e++) {
		double v = load(dtype, parts[0] + e * size);
		for (int p = 1; p < dst->parts; p++)
			v = join_double(dst->combiner, dtypes[dtype].kind, v, load(dtype, parts[p] + e * size));
		char expected[8];
		store(dtype, logical_value(src, e, salt), expected);
		if (v != load(dtype, expected))
			wrong = say("the parts together are wrong", -1, e);
	}
	return wrong;
}

const char *oracle_check(const struct holdings *src, const struct holdings *dst, uint64_t salt, void *const *data)
{
	return dst->partial ? check_parts(src, dst, salt, data) : check_values(src, dst, salt, data);
}
