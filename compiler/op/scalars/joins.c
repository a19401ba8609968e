/* joins.c — the walk over a body, and what several functions have in common. See joins.h. */
#include "joins.h"

#include <math.h>

bool joins_by_extremum(const struct analysis *n)
{
	return n->combiner == SHARD_MAX || n->combiner == SHARD_MIN;
}

int joins_turned(int v)
{
	return (v & FIXED) | (v & PART ? COUNTER : 0) | (v & COUNTER ? PART : 0);
}

int joins_if_float(const struct scalar *s, int v)
{
	return dtype_is_float(s->type) ? v : v & FIXED;
}

int joins_rising(const struct analysis *n, const struct scalar *s, const int *v)
{
	(void)s;
	return joins_by_extremum(n) ? v[0] & (PART | COUNTER) : 0;
}

/* They keep the values of P(min), whose parts are not below the whole, but of P(max) only if the parts cannot be below
 * 0. */
int joins_rising_from(const struct analysis *n, const struct scalar *s, const int *v)
{
	int x = joins_rising(n, s, v);
	if (!(sign_of(s->arg[0]) & SIGN_NOT_NEGATIVE))
		x &= n->combiner == SHARD_MIN ? PART : COUNTER;
	return x;
}

int joins_extremum(const struct analysis *n, const int *v, bool greatest)
{
	int along = greatest == (n->combiner == SHARD_MAX) ? PART : COUNTER;
	if (!joins_by_extremum(n))
		return 0;
	/* max of maxima always; min of maxima if one side is fixed, or both follow one operand. */
	if ((v[0] | v[1]) & FIXED || n->single)
		return v[0] & v[1] & (PART | COUNTER);
	return v[0] & v[1] & along;
}

int sign_of_number(const struct scalar *s)
{
	if (s->kind != SCALAR_CONST || !dtype_is_float(s->type) || !isfinite(s->f))
		return 0;
	return s->f > 0 ? 1 : s->f < 0 ? -1 : 0;
}

unsigned sign_of(const struct scalar *s)
{
	unsigned x[3] = {0, 0, 0};
	if (scalar_is_zero(s))
		return SIGN_NOT_NEGATIVE;
	if (s->kind != SCALAR_APPLY)
		return sign_of_number(s) > 0 ? SIGN_POSITIVE | SIGN_NOT_NEGATIVE : 0;
	const struct scalar_function *f = scalar_functions[s->fn];
	if (!f->sign || !dtype_is_float(s->type))
		return 0;
	for (int k = 0; k < f->arity; k++)
		x[k] = sign_of(s->arg[k]);
	return f->sign(x);
}

/* What a fixed value is besides. */
static int fixed(const struct analysis *n, const struct scalar *s)
{
	bool is_one = s->kind == SCALAR_CONST && (dtype_is_float(s->type) ? s->f == 1 : s->i == 1);
	if (joins_by_extremum(n))
		return FIXED | PART | COUNTER;
	if (scalar_is_zero(s) || (is_one && n->combiner == SHARD_PROD))
		return FIXED | PART;
	return FIXED;
}

/* What a function makes of what its arguments are. */
static int joins_of_function(const struct analysis *n, const struct scalar *s, const int *v)
{
	bool all_fixed = true;
	for (int k = 0; k < 3 && s->arg[k]; k++)
		all_fixed = all_fixed && v[k] & FIXED;
	const struct scalar_function *f = scalar_functions[s->fn];
	return all_fixed ? fixed(n, s) : f->joins ? f->joins(n, s, v) : 0;
}

/* ---- the walk: points that derivatives have many times are looked at once ---- */

enum { SHORT = 128 };

struct map *joins_begin(const struct scalar *body)
{
	if (!scalar_is_longer(body, SHORT))
		return NULL;
	struct arena *a = arena_new("joins");
	struct map *known = ARENA_NEW(a, struct map);
	map_init(known, a);
	return known;
}

struct map *joins_again(const struct map *known)
{
	if (!known)
		return NULL;
	struct map *other = ARENA_NEW(known->arena, struct map);
	map_init(other, known->arena);
	return other;
}

void joins_end(struct map *known)
{
	if (known)
		arena_free(known->arena);
}

static bool is_known(const struct analysis *n, const struct scalar *s, unsigned *found)
{
	const char *v = n->known ? map_get(n->known, s) : NULL;
	if (v)
		*found = (unsigned)((uintptr_t)v - 1);
	return v != NULL;
}

static unsigned remember(const struct analysis *n, const struct scalar *s, unsigned found)
{
	if (n->known)
		map_set(n->known, s, (void *)((uintptr_t)found + 1));
	return found;
}

int joins_of(const struct analysis *n, const struct scalar *s)
{
	int v[3] = {FIXED, FIXED, FIXED};
	unsigned found;
	if (s->kind == SCALAR_OPERAND && n->parts >> s->index & 1)
		return PART;
	if (s->kind != SCALAR_APPLY)
		return fixed(n, s);
	if (is_known(n, s, &found))
		return (int)found;
	for (int k = 0; k < 3 && s->arg[k]; k++)
		v[k] = joins_of(n, s->arg[k]);
	return (int)remember(n, s, (unsigned)joins_of_function(n, s, v));
}

unsigned joins_possible(const struct analysis *n, const struct scalar *s)
{
	unsigned arg[3] = {1u << FIXED, 1u << FIXED, 1u << FIXED}, found = 0;
	bool open = s->kind == SCALAR_OPERAND && n->open >> s->index & 1;
	if (s->kind != SCALAR_APPLY)
		return 1u << joins_of(n, s) | (open ? 1u << fixed(n, s) : 0);
	if (is_known(n, s, &found))
		return found;
	for (int k = 0; k < 3 && s->arg[k]; k++)
		arg[k] = joins_possible(n, s->arg[k]);
	for (unsigned a = arg[0]; a; a &= a - 1)
		for (unsigned b = arg[1]; b; b &= b - 1)
			for (unsigned c = arg[2]; c; c &= c - 1) {
				int v[3] = {__builtin_ctz(a), __builtin_ctz(b), __builtin_ctz(c)};
				found |= 1u << joins_of_function(n, s, v);
			}
	return remember(n, s, found);
}
