/* conversions.c — to whole numbers (floor; round, ties to even), to other types (cast), and to fewer digits. */
#include "joins.h"
#include "terms.h"

#include "../range.h"

#include <math.h>

static unsigned stays_finite(const struct scalar *s, const unsigned *x)
{
	(void)s;
	return x[0] & FACT_FINITE;
}

const struct scalar_function scalar_fn_floor = {
	.text = "floor",
	.arity = 1,
	.result = SCALAR_FLOAT,
	.flops = 1,
	.effort = EFFORT_ARITHMETIC,
	.keeps_digits = true,
	.float1 = floor,
	.facts = stays_finite,
	.joins = joins_rising,
};

const struct scalar_function scalar_fn_round = {
	.text = "round",
	.arity = 1,
	.result = SCALAR_FLOAT,
	.flops = 1,
	.effort = EFFORT_ARITHMETIC,
	.keeps_digits = true,
	.float1 = nearbyint,
	.facts = stays_finite,
	.joins = joins_rising,
};

/* ---- cast ---- */

static union scalar_value eval_cast(const struct scalar *s, const union scalar_value *x)
{
	return scalar_convert(x[0], s->arg[0]->type, s->type);
}

static const struct scalar *derive_cast(struct derivation *d, const struct scalar *s, const struct scalar *const *dx)
{
	return scalar_apply(d->arena, SC_CAST, s->type, dx[0], NULL, NULL);
}

/* A cast to the own type, and a cast back from a wider type of the same kind. */
static const struct scalar *fold_cast(struct arena *a, const struct scalar *s)
{
	(void)a;
	const struct scalar *x = s->arg[0];
	if (x->type == s->type)
		return x;
	if (!is_fn(x, SC_CAST) || x->arg[0]->type != s->type || dtype_kind(s->type) != dtype_kind(x->type))
		return NULL;
	return dtype_size(x->type) > dtype_size(s->type) ? x->arg[0] : NULL;
}

static struct range range_of_cast(const struct range *x)
{
	return x[0];
}

static unsigned facts_of_cast(const struct scalar *s, const unsigned *x)
{
	enum dtype from = s->arg[0]->type;
	if (!dtype_is_float(s->type))
		return FACT_FINITE;
	if (!dtype_is_float(from))
		return s->type == DT_F16 && dtype_size(from) > 1 ? x[0] & FACT_NOT_ZERO : x[0];
	return from == s->type || dtype_size(from) < dtype_size(s->type) ? x[0] : 0;
}

/* To a wider float only: the rounding of a part differs from the rounding of the whole. */
static int joins_cast(const struct analysis *n, const struct scalar *s, const int *v)
{
	(void)n;
	bool floats = dtype_is_float(s->type) && dtype_is_float(s->arg[0]->type);
	bool bf16_f16 = (s->type == DT_BF16 || s->type == DT_F16) && s->type != s->arg[0]->type;
	bool wider = floats && !bf16_f16 && dtype_size(s->type) >= dtype_size(s->arg[0]->type);
	return wider ? v[0] & (PART | COUNTER) : 0;
}

const struct scalar_function scalar_fn_cast = {
	.text = "cast",
	.arity = 1,
	.result = SCALAR_NAMED,
	.effort = EFFORT_ARITHMETIC,
	.eval = eval_cast,
	.derive = derive_cast,
	.fold = fold_cast,
	.range = range_of_cast,
	.facts = facts_of_cast,
	.joins = joins_cast,
	.absence = 1,
};

/* ---- an f32 rounded to a narrower type, but still one: factors of products (../narrow.c) ---- */

static const char *check_narrow(struct arena *a, const struct scalar *s)
{
	return s->arg[0]->type == DT_F32 ? NULL : function_gives_no(a, s);
}

static double narrow_bf16(double x)
{
	return scalar_convert((union scalar_value){.f = x}, DT_F32, DT_BF16).f;
}

static double narrow_f16(double x)
{
	return scalar_convert((union scalar_value){.f = x}, DT_F32, DT_F16).f;
}

static const struct scalar *derive_narrow(struct derivation *d, const struct scalar *s, const struct scalar *const *dx)
{
	(void)d;
	(void)s;
	return dx[0];
}

const struct scalar_function scalar_fn_narrow_bf16 = {
	.text = "narrow_bf16",
	.internal = true,
	.arity = 1,
	.result = SCALAR_FLOAT,
	.check = check_narrow,
	.effort = EFFORT_ARITHMETIC,
	.float1 = narrow_bf16,
	.derive = derive_narrow,
	.joins = joins_rising,
};

const struct scalar_function scalar_fn_narrow_f16 = {
	.text = "narrow_f16",
	.internal = true,
	.arity = 1,
	.result = SCALAR_FLOAT,
	.check = check_narrow,
	.effort = EFFORT_ARITHMETIC,
	.float1 = narrow_f16,
	.derive = derive_narrow,
	.joins = joins_rising,
};
