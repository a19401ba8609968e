/* wide.c — bodies in 16 bits. What stands at a point of bf16 or f16 is computed in f32 and rounded once, where it is
 * the value of the operator:
 *
 *     0.5 * a * (1.0 + erf(a * 0.707))      means      bf16(0.5 * f32(a) * (1.0 + erf(f32(a) * 0.707)))
 *
 * Rules keep the short form, so layouts, gradients and products are found as for any float; what computes a body of
 * more than one step asks for the long one. A conversion that is written rounds where it stands. */
#include "scalars/function.h"

/* Every point of s in turn; shared subtrees once. */
struct widening {
	struct arena *arena;
	struct map done;
};

static const struct scalar *wide(struct widening *w, const struct scalar *s);

static const struct scalar *in_f32(struct arena *a, const struct scalar *s)
{
	return dtype_is_narrow(s->type) ? scalar_apply(a, SC_CAST, DT_F32, s, NULL, NULL) : s;
}

/* Functions that name the type of their result give that type. */
static const struct scalar *wide_application(struct widening *w, const struct scalar *s)
{
	const struct scalar *x[3] = {NULL, NULL, NULL};
	enum scalar_result kind = scalar_result_kind(s->fn);
	bool named = kind == SCALAR_NAMED || kind == SCALAR_FROM;
	for (int k = 0; k < 3 && s->arg[k]; k++)
		x[k] = wide(w, s->arg[k]);
	if (s->fn == SC_CAST && s->type == x[0]->type)
		return x[0];
	enum dtype t = !named && dtype_is_narrow(s->type) ? DT_F32 : s->type;
	return in_f32(w->arena, scalar_apply(w->arena, s->fn, t, x[0], x[1], x[2]));
}

static const struct scalar *wide(struct widening *w, const struct scalar *s)
{
	if (s->kind == SCALAR_CONST)
		return dtype_is_narrow(s->type) ? scalar_float(w->arena, DT_F32, s->f) : s;
	if (s->kind != SCALAR_APPLY)
		return in_f32(w->arena, s);
	const struct scalar *done = map_get(&w->done, s);
	if (!done) {
		done = wide_application(w, s);
		map_set(&w->done, s, (void *)done);
	}
	return done;
}

const struct scalar *scalar_widened(struct arena *a, const struct scalar *s)
{
	struct widening w = {.arena = a};
	map_init(&w.done, a);
	return wide(&w, s);
}

/* Whether s, but for what its root does, is of 16 bits wherever it is of a type that has them. What a root chooses is
 * rounded before as well as behind. */
static bool is_exact(const struct scalar *s, bool root, struct map *seen)
{
	if (s->kind == SCALAR_CONST && dtype_is_narrow(s->type))
		return root || scalar_convert((union scalar_value){.f = s->f}, DT_F64, s->type).f == s->f ||
		       s->f != s->f;
	if (s->kind != SCALAR_APPLY || (!root && map_get(seen, s)))
		return true;
	if (!root)
		map_set(seen, s, seen);
	const struct scalar_function *f = scalar_functions[s->fn];
	if (!root && dtype_is_narrow(s->type) && !f->keeps_digits)
		return false;
	for (int k = 0; k < 3 && s->arg[k]; k++)
		if (!is_exact(s->arg[k], root && s->fn == SC_WHERE && k > 0, seen))
			return false;
	return true;
}

/* Whether steps of the body would be rounded that are not its value, or numbers in it are. */
static bool rounds_within(struct arena *a, const struct scalar *s)
{
	struct map seen;
	map_init(&seen, a);
	return !is_exact(s, true, &seen);
}

const struct scalar *scalar_rounded_once(struct arena *a, const struct scalar *s)
{
	if (!rounds_within(a, s))
		return s;
	const struct scalar *x = scalar_widened(a, s);
	return x->type == s->type ? x : scalar_apply(a, SC_CAST, s->type, x, NULL, NULL);
}
