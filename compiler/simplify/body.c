/* body.c — identities within the body of one map that scalar_apply's own folding leaves alone: that of as_if holds when
 * gradients are made. All are exact, but for powers by a few numbers: these become products, which are as near to the
 * power as a function for any is. Division by a constant becomes a multiplication only if the reciprocal is exact. */
#include "simplify.h"

#include <math.h>

static bool is_fn(const struct scalar *s, enum scalar_fn fn)
{
	return s->kind == SCALAR_APPLY && s->fn == fn;
}

static bool is_float(const struct scalar *s, double v)
{
	return s->kind == SCALAR_CONST && dtype_is_float(s->type) && s->f == v;
}

/* A power of two whose reciprocal is a normal number of every float type but f16. */
static bool has_exact_reciprocal(const struct scalar *s)
{
	int exponent;
	if (s->kind != SCALAR_CONST || !dtype_is_float(s->type) || s->type == DT_F16 || !isfinite(s->f) || s->f == 0)
		return false;
	return fabs(frexp(s->f, &exponent)) == 0.5 && exponent > -100 && exponent < 100;
}

bool cast_is_exact(enum dtype from, enum dtype to)
{
	enum dtype_kind a = dtype_kind(from), b = dtype_kind(to);
	int64_t na = dtype_size(from), nb = dtype_size(to);
	if (from == to || a == DTYPE_BOOL)
		return true;
	switch (b) {
	case DTYPE_FLOAT:
		if (a == DTYPE_FLOAT)
			return na < nb;
		return to == DT_F64 ? na <= 4 : to == DT_F32 ? na <= 2 : na <= 1 && to == DT_F16;
	case DTYPE_INT:
		return (a == DTYPE_INT && na <= nb) || (a == DTYPE_UINT && na < nb);
	case DTYPE_UINT:
		return a == DTYPE_UINT && na <= nb;
	case DTYPE_BOOL:
		return false;
	}
	return false;
}

static const struct scalar *times(struct arena *a, const struct scalar *x, const struct scalar *y)
{
	return scalar_apply(a, SC_MUL, x->type, x, y, NULL);
}

/* A power that comes from a root or its reciprocal, as IEEE 754 has pow where the root is another: of -inf and -0.0. */
static const struct scalar *as_power(struct arena *a, const struct scalar *x, const struct scalar *by_root,
				     double at_infinity)
{
	const struct scalar *end = scalar_float(a, x->type, -INFINITY), *there = scalar_float(a, x->type, at_infinity);
	const struct scalar *power = scalar_apply(a, SC_ABS, x->type, by_root, NULL, NULL);
	return scalar_apply(a, SC_WHERE, x->type, scalar_apply(a, SC_EQ, DT_BOOL, x, end, NULL), there, power);
}

/* x ** y by a root or quotient and at most two products; NULL: by the function. */
static const struct scalar *known_power(struct arena *a, const struct scalar *x, const struct scalar *y)
{
	static const struct {
		double y;
		enum { SELF, OVER, ROOT, OVER_ROOT } base;
		int times;
	} powers[] = {{3, SELF, 3},   {4, SELF, 4},         {-1, OVER, 1},  {-2, OVER, 2},
		      {0.5, ROOT, 1}, {-0.5, OVER_ROOT, 1}, {1.5, ROOT, 3}, {-1.5, OVER_ROOT, 3}};
	for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
		if (!is_float(y, powers[i].y))
			continue;
		const struct scalar *b = x;
		if (powers[i].base == OVER)
			b = scalar_apply(a, SC_DIV, x->type, scalar_float(a, x->type, 1), x, NULL);
		else if (powers[i].base != SELF)
			b = scalar_apply(a, powers[i].base == ROOT ? SC_SQRT : SC_RSQRT, x->type, x, NULL, NULL);
		const struct scalar *square = powers[i].times > 1 ? times(a, b, b) : b, *power = square;
		if (powers[i].times > 2)
			power = times(a, square, powers[i].times == 3 ? b : square);
		bool by_root = powers[i].base == ROOT || powers[i].base == OVER_ROOT;
		return by_root ? as_power(a, x, power, powers[i].base == ROOT ? INFINITY : 0) : power;
	}
	return NULL;
}

/* Identities at the root; the arguments are done. */
static const struct scalar *at_root(struct arena *a, const struct scalar *s)
{
	const struct scalar *x = s->arg[0], *y = s->arg[1];
	const struct scalar *power = is_fn(s, SC_POW) ? known_power(a, x, y) : NULL;
	if (power)
		return power;
	if (is_fn(s, SC_AS_IF))
		return x;
	if (is_fn(s, SC_DIV) && has_exact_reciprocal(y))
		return scalar_apply(a, SC_MUL, s->type, x, scalar_float(a, s->type, 1 / y->f), NULL);
	if (is_fn(s, SC_CAST) && is_fn(x, SC_CAST) && cast_is_exact(x->arg[0]->type, x->type)) {
		const struct scalar *inner = x->arg[0];
		return inner->type == s->type ? inner : scalar_apply(a, SC_CAST, s->type, inner, NULL, NULL);
	}
	return s;
}

/* Shared subtrees are done once: bodies are graphs, and walking them as trees could take forever. */
static const struct scalar *simplified(struct arena *a, const struct scalar *s, struct map *done)
{
	if (s->kind != SCALAR_APPLY)
		return s;
	const struct scalar *known = map_get(done, s);
	if (known)
		return known;
	const struct scalar *arg[3] = {NULL};
	bool same = true;
	for (int i = 0; i < scalar_arity(s->fn); i++) {
		arg[i] = simplified(a, s->arg[i], done);
		same &= arg[i] == s->arg[i];
	}
	const struct scalar *fresh = same ? s : scalar_apply(a, s->fn, s->type, arg[0], arg[1], arg[2]);
	if (fresh->kind == SCALAR_APPLY)
		fresh = at_root(a, fresh);
	map_set(done, s, (void *)fresh);
	return fresh;
}

const struct scalar *simplify_body(struct arena *a, const struct scalar *body)
{
	struct map done;
	map_init(&done, a);
	return simplified(a, body, &done);
}
