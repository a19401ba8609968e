/* overflow.c — whether x + y, x - y, x * y of ints of 64 bits is none of these: what ints of the host are asked for
 * where a graph computes with them. */
#include "terms.h"

#include "../range.h"

static const char *check_words(struct arena *a, const struct scalar *s)
{
	return s->arg[0]->type == DT_I64
		       ? NULL
		       : arena_printf(a, "`%s` takes i64, not %s", scalar_text(s->fn), dtype_text(s->arg[0]->type));
}

static bool add_overflows(int64_t x, int64_t y)
{
	int64_t r;
	return __builtin_add_overflow(x, y, &r);
}

static bool sub_overflows(int64_t x, int64_t y)
{
	int64_t r;
	return __builtin_sub_overflow(x, y, &r);
}

static bool mul_overflows(int64_t x, int64_t y)
{
	int64_t r;
	return __builtin_mul_overflow(x, y, &r);
}

/* Whether one of the ends does: what lies between does not if these do not, as the functions are of each argument
 * increasing or decreasing throughout. */
static struct range range_of_flag(bool (*overflows)(int64_t x, int64_t y), const struct range *x)
{
	bool any = overflows(x[0].low, x[1].low) || overflows(x[0].low, x[1].high) || overflows(x[0].high, x[1].low) ||
		   overflows(x[0].high, x[1].high);
	return (struct range){0, any};
}

#define OVERFLOWS(name) \
	static union scalar_value eval_##name(const struct scalar *s, const union scalar_value *x) \
	{ \
		(void)s; \
		return (union scalar_value){.i = name##_overflows(x[0].i, x[1].i)}; \
	} \
	static struct range range_of_##name(const struct range *x) \
	{ \
		return range_of_flag(name##_overflows, x); \
	} \
	const struct scalar_function scalar_fn_##name##_overflows = { \
		.text = #name "_overflows", \
		.internal = true, \
		.arity = 2, \
		.result = SCALAR_PRED, \
		.check = check_words, \
		.flops = 1, \
		.effort = EFFORT_ARITHMETIC, \
		.eval = eval_##name, \
		.range = range_of_##name, \
	};
OVERFLOWS(add)
OVERFLOWS(sub)
OVERFLOWS(mul)
#undef OVERFLOWS
