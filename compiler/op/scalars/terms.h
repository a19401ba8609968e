/* terms.h — short names for building and matching expressions, for the families of functions. */
#ifndef PML_SCALAR_TERMS_H
#define PML_SCALAR_TERMS_H

#include "function.h"

static inline const struct scalar *number(struct arena *a, enum dtype t, double v)
{
	return dtype_is_float(t) ? scalar_float(a, t, v) : scalar_int(a, t, (int64_t)v);
}

static inline const struct scalar *op1(struct arena *a, enum scalar_fn fn, const struct scalar *x)
{
	return scalar_apply(a, fn, x->type, x, NULL, NULL);
}

static inline const struct scalar *op2(struct arena *a, enum scalar_fn fn, const struct scalar *x,
				       const struct scalar *y)
{
	return scalar_apply(a, fn, x->type, x, y, NULL);
}

static inline const struct scalar *choose(struct arena *a, const struct scalar *c, const struct scalar *x,
					  const struct scalar *y)
{
	return scalar_apply(a, SC_WHERE, x->type, c, x, y);
}

static inline bool is_const(const struct scalar *s)
{
	return s->kind == SCALAR_CONST;
}

static inline bool is_number(const struct scalar *s, double v)
{
	return is_const(s) && (dtype_is_float(s->type) ? s->f == v : (double)s->i == v);
}

static inline bool is_fn(const struct scalar *s, enum scalar_fn fn)
{
	return s->kind == SCALAR_APPLY && s->fn == fn;
}

#endif
