/* random.c — random draws at a point, draw(key, counter), some with a parameter behind: key a u64, counter the global
 * linear index (i64), by Philox4x32-10 (runtime/philox.h). And fold_key(key, number), the key of a key, which the
 * compiler alone makes: the host folds the keys of programs. */
#include "../range.h"
#include "function.h"

#include "../../../runtime/philox.h"

static const char *check_draw(struct arena *a, const struct scalar *s)
{
	if (s->arg[0]->type != DT_U64 || s->arg[1]->type != DT_I64)
		return arena_printf(a, "`%s` takes a u64 key and an i64 counter", scalar_text(s->fn));
	if (dtype_is_float(s->type) != dtype_is_float(scalar_functions[s->fn]->drawn))
		return arena_printf(a, "`%s` cannot give %s", scalar_text(s->fn), dtype_text(s->type));
	return NULL;
}

static union scalar_value rounded(enum dtype t, double v)
{
	return scalar_convert((union scalar_value){.f = v}, DT_F64, t);
}

/* 32 bits, of any int type. */
static union scalar_value bits(const struct scalar *s, const union scalar_value *x)
{
	union scalar_value r = {.i = philox_bits((uint64_t)x[0].i, (uint64_t)x[1].i)};
	return scalar_convert(r, DT_I64, s->type);
}

const struct scalar_function scalar_fn_random_bits = {
	.text = "random_bits",
	.arity = 2,
	.result = SCALAR_FROM,
	.check = check_draw,
	.drawn = DT_U32,
	.flops = 40,
	.effort = EFFORT_RANDOM,
	.eval = bits,
	.draws = true,
};

/* In [0, 1). */
static union scalar_value uniform(const struct scalar *s, const union scalar_value *x)
{
	uint64_t key = (uint64_t)x[0].i, at = (uint64_t)x[1].i;
	return rounded(s->type, s->type == DT_F64 ? philox_uniform_f64(key, at) : (double)philox_uniform_f32(key, at));
}

const struct scalar_function scalar_fn_random_uniform = {
	.text = "random_uniform",
	.arity = 2,
	.result = SCALAR_FROM,
	.check = check_draw,
	.drawn = DT_F32,
	.flops = 40,
	.effort = EFFORT_RANDOM,
	.eval = uniform,
	.approximate = true,
	.draws = true,
	.always = FACT_FINITE,
};

/* Box-Muller on two words. */
static union scalar_value normal(const struct scalar *s, const union scalar_value *x)
{
	uint64_t key = (uint64_t)x[0].i, at = (uint64_t)x[1].i;
	return rounded(s->type, s->type == DT_F64 ? philox_normal_f64(key, at) : (double)philox_normal_f32(key, at));
}

const struct scalar_function scalar_fn_random_normal = {
	.text = "random_normal",
	.arity = 2,
	.result = SCALAR_FROM,
	.check = check_draw,
	.drawn = DT_F32,
	.flops = 64,
	.effort = EFFORT_RANDOM,
	.eval = normal,
	.approximate = true,
	.draws = true,
	.always = FACT_FINITE,
};

static const char *check_parameter(struct arena *a, const struct scalar *s)
{
	const char *wrong = check_draw(a, s);
	enum dtype t = scalar_functions[s->fn]->parameter;
	if (!wrong && s->arg[2]->type != t)
		wrong = arena_printf(a, "`%s` takes an %s as third argument", scalar_text(s->fn), dtype_text(t));
	return wrong;
}

static union scalar_value gamma_draw(const struct scalar *s, const union scalar_value *x)
{
	return rounded(s->type, philox_gamma((uint64_t)x[0].i, (uint64_t)x[1].i, x[2].f));
}

/* Of the gamma distribution, alpha >= 1. */
const struct scalar_function scalar_fn_random_gamma = {
	.text = "random_gamma",
	.arity = 3,
	.result = SCALAR_FROM,
	.check = check_parameter,
	.parameter = DT_F64,
	.drawn = DT_F32,
	.flops = 120,
	.effort = EFFORT_RANDOM,
	.eval = gamma_draw,
	.approximate = true,
	.draws = true,
};

static union scalar_value poisson_draw(const struct scalar *s, const union scalar_value *x)
{
	return rounded(s->type, philox_poisson((uint64_t)x[0].i, (uint64_t)x[1].i, x[2].f));
}

/* Of the Poisson distribution, a rate of at least 0. */
const struct scalar_function scalar_fn_random_poisson = {
	.text = "random_poisson",
	.arity = 3,
	.result = SCALAR_FROM,
	.check = check_parameter,
	.parameter = DT_F64,
	.drawn = DT_F32,
	.flops = 160,
	.effort = EFFORT_RANDOM,
	.eval = poisson_draw,
	.approximate = true,
	.draws = true,
};

static union scalar_value position(const struct scalar *s, const union scalar_value *x)
{
	union scalar_value r = {.i = philox_position((uint64_t)x[0].i, x[1].i, x[2].i)};
	return scalar_convert(r, DT_I64, s->type);
}

/* Below the number, or the counter. */
static struct range range_of_position(const struct range *x)
{
	struct range positions = {0, x[2].high < 1 ? 0 : x[2].high - 1};
	bool within = x[1].low >= 0 && x[1].high < x[2].low && x[2].high <= (int64_t)PHILOX_POSITIONS;
	return within ? positions : range_hull(positions, x[1]);
}

/* Where an element of so many stands in an order. */
const struct scalar_function scalar_fn_random_position = {
	.text = "random_position",
	.arity = 3,
	.result = SCALAR_FROM,
	.check = check_parameter,
	.parameter = DT_I64,
	.drawn = DT_I64,
	.flops = 90,
	.effort = EFFORT_RANDOM,
	.eval = position,
	.range = range_of_position,
	.draws = true,
};

static const char *check_fold_key(struct arena *a, const struct scalar *s)
{
	bool right = s->arg[0]->type == DT_U64 && s->arg[1]->type == DT_I64 && s->type == DT_U64;
	return right ? NULL : function_gives_no(a, s);
}

static union scalar_value fold_key(const struct scalar *s, const union scalar_value *x)
{
	(void)s;
	return (union scalar_value){.i = (int64_t)philox_key_fold((uint64_t)x[0].i, (uint64_t)x[1].i)};
}

const struct scalar_function scalar_fn_fold_key = {
	.text = "fold_key",
	.internal = true,
	.arity = 2,
	.result = SCALAR_FROM,
	.check = check_fold_key,
	.flops = 40,
	.effort = EFFORT_RANDOM,
	.eval = fold_key,
};
