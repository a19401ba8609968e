/* bits.c — functions of the bits of ints: &, |, ^ of C, and shifts. Signed numbers are two's complements. */
#include "terms.h"

#include "../range.h"

static const char *check_ints(struct arena *a, const struct scalar *s)
{
	return dtype_is_int(s->type)
		       ? NULL
		       : arena_printf(a, "`%s` takes ints, not %s", scalar_text(s->fn), dtype_text(s->type));
}

static int64_t bits_of(enum dtype t)
{
	return 8 * (int64_t)dtype_size(t);
}

static int64_t and_ints(enum dtype t, int64_t x, int64_t y)
{
	(void)t;
	return x & y;
}

static int64_t or_ints(enum dtype t, int64_t x, int64_t y)
{
	(void)t;
	return x | y;
}

static int64_t xor_ints(enum dtype t, int64_t x, int64_t y)
{
	(void)t;
	return x ^ y;
}

/* By as many bits as there are, or more, which a negative number counts as: nothing is left of it. */
static int64_t left_ints(enum dtype t, int64_t x, int64_t y)
{
	return (uint64_t)y < (uint64_t)bits_of(t) ? (int64_t)((uint64_t)x << y) : 0;
}

/* The same, but of signed numbers the sign is. */
static int64_t right_ints(enum dtype t, int64_t x, int64_t y)
{
	bool within = (uint64_t)y < (uint64_t)bits_of(t);
	if (dtype_kind(t) == DTYPE_UINT)
		return within ? (int64_t)((uint64_t)x >> y) : 0;
	return x >> (within ? y : bits_of(t) - 1);
}

/* What one of them that is not negative has no bits for, the result has none for. */
static struct range range_of_and(const struct range *x)
{
	int64_t most = INT64_MAX;
	for (int k = 0; k < 2; k++)
		most = x[k].low >= 0 && x[k].high < most ? x[k].high : most;
	return x[0].low >= 0 || x[1].low >= 0 ? (struct range){0, most} : range_everything;
}

#define BITS(name, ...) \
	const struct scalar_function scalar_fn_##name = { \
		.text = #name, \
		.arity = 2, \
		.result = SCALAR_SAME, \
		.check = check_ints, \
		.flops = 1, \
		.effort = EFFORT_ARITHMETIC, \
		__VA_ARGS__, \
	}
BITS(bitwise_and, .ints = and_ints, .range = range_of_and);
BITS(bitwise_or, .ints = or_ints);
BITS(bitwise_xor, .ints = xor_ints);
BITS(left_shift, .ints = left_ints);
BITS(right_shift, .ints = right_ints);
#undef BITS
