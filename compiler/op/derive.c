/* derive.c — ∂body/∂operand, from the derivatives of functions in their records (scalars/). Those multiply the inner
 * derivative last, so that a zero one ends the work; shared subtrees are derived once. */
#include "scalars/terms.h"

static const struct scalar *derive_apply(struct derivation *d, const struct scalar *s)
{
	const struct scalar_function *f = scalar_functions[s->fn];
	const struct scalar *dx[3] = {NULL, NULL, NULL};
	bool moves = false;
	if (!f->slope && !f->derive)
		return number(d->arena, s->type, 0);
	for (int k = 0; k < f->arity; k++) {
		dx[k] = derivative(d, s->arg[k]);
		moves = moves || !scalar_is_zero(dx[k]);
	}
	if (!moves)
		return number(d->arena, s->type, 0);
	return f->slope ? scalar_flow(d->arena, f->slope(d->arena, s), dx[0]) : f->derive(d, s, dx);
}

const struct scalar *derivative(struct derivation *d, const struct scalar *s)
{
	if (s->kind == SCALAR_OPERAND && s->index == d->operand)
		return number(d->arena, s->type, 1);
	if (s->kind != SCALAR_APPLY || !dtype_is_float(s->type))
		return number(d->arena, s->type, 0);
	const struct scalar *done = map_get(&d->done, s);
	if (!done) {
		done = derive_apply(d, s);
		map_set(&d->done, s, (void *)done);
	}
	return done;
}

const struct scalar *scalar_derive(struct arena *a, const struct scalar *body, int operand)
{
	struct derivation d = {.arena = a, .operand = operand};
	map_init(&d.done, a);
	return derivative(&d, body);
}
