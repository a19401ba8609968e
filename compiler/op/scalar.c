/* scalar.c — trees of one point: building, checking, comparing, replacing. What functions mean is in scalars/. */
#include "scalars/function.h"

#include "base/map.h"

#include <string.h>

static const struct scalar *leaf(struct arena *a, enum scalar_kind kind, enum dtype type, int index)
{
	struct scalar *s = ARENA_NEW(a, struct scalar);
	s->kind = kind;
	s->type = type;
	s->index = index;
	return s;
}

const struct scalar *scalar_float(struct arena *a, enum dtype type, double v)
{
	struct scalar *s = ARENA_NEW(a, struct scalar);
	s->kind = SCALAR_CONST;
	s->type = type;
	s->f = scalar_convert((union scalar_value){.f = v}, DT_F64, dtype_is_narrow(type) ? DT_F32 : type).f;
	return s;
}

const struct scalar *scalar_int(struct arena *a, enum dtype type, int64_t v)
{
	struct scalar *s = ARENA_NEW(a, struct scalar);
	s->kind = SCALAR_CONST;
	s->type = type;
	s->i = scalar_convert((union scalar_value){.i = v}, DT_I64, type).i;
	return s;
}

const struct scalar *scalar_number(struct arena *a, enum dtype type, union scalar_value v)
{
	return dtype_is_float(type) ? scalar_float(a, type, v.f) : scalar_int(a, type, v.i);
}

const struct scalar *scalar_operand(struct arena *a, enum dtype type, int index)
{
	return leaf(a, SCALAR_OPERAND, type, index);
}

const struct scalar *scalar_factor(struct arena *a, int factor)
{
	return leaf(a, SCALAR_FACTOR, DT_I64, factor);
}

static enum dtype result_type(enum scalar_fn fn, enum dtype type, const struct scalar *const *arg)
{
	switch (scalar_result_kind(fn)) {
	case SCALAR_SAME:
	case SCALAR_FLOAT:
		return arg[scalar_first_value(fn)]->type;
	case SCALAR_PRED:
		return DT_BOOL;
	case SCALAR_INT:
		return DT_I64;
	case SCALAR_NAMED:
	case SCALAR_FROM:
		break;
	}
	return type;
}

const struct scalar *scalar_apply(struct arena *a, enum scalar_fn fn, enum dtype type, const struct scalar *x,
				  const struct scalar *y, const struct scalar *z)
{
	struct scalar *s = ARENA_NEW(a, struct scalar);
	s->kind = SCALAR_APPLY;
	s->fn = fn;
	s->arg[0] = x;
	s->arg[1] = scalar_arity(fn) > 1 ? y : NULL;
	s->arg[2] = scalar_arity(fn) > 2 ? z : NULL;
	s->type = result_type(fn, type, s->arg);
	const struct scalar *folded = scalar_fold(a, s);
	return folded ? folded : s;
}

struct substitution {
	struct arena *arena;
	struct map done; /* shared subtrees stay shared */
	const struct scalar *const *to;
	const int *factor_map;
	int factor; /* replaced by `with`, if that is given */
	const struct scalar *with;
	bool vanishes; /* products with a 0 are 0 */
};

static const struct scalar *applied(struct substitution *u, const struct scalar *s, const struct scalar *const *arg)
{
	if (u->vanishes && s->fn == SC_MUL)
		return scalar_flow(u->arena, arg[0], arg[1]);
	if (u->vanishes && s->fn == SC_DIV && scalar_is_zero(arg[0]))
		return arg[0];
	return scalar_apply(u->arena, s->fn, s->type, arg[0], arg[1], arg[2]);
}

static const struct scalar *substitute(struct substitution *u, const struct scalar *s)
{
	switch (s->kind) {
	case SCALAR_CONST:
		return s;
	case SCALAR_OPERAND:
		return u->to && u->to[s->index] ? u->to[s->index] : s;
	case SCALAR_FACTOR:
	case SCALAR_EXTENT:
		if (u->with && s->index == u->factor)
			return u->with;
		return u->factor_map ? leaf(u->arena, s->kind, s->type, u->factor_map[s->index]) : s;
	case SCALAR_APPLY:
		break;
	}
	const struct scalar *done = map_get(&u->done, s);
	if (done)
		return done;
	const struct scalar *arg[3] = {NULL, NULL, NULL};
	bool same = true;
	for (int k = 0; k < 3 && s->arg[k]; k++) {
		arg[k] = substitute(u, s->arg[k]);
		same = same && arg[k] == s->arg[k];
	}
	done = same ? s : applied(u, s, arg);
	map_set(&u->done, s, (void *)done);
	return done;
}

const struct scalar *scalar_substitute(struct arena *a, const struct scalar *body, const struct scalar *const *to,
				       const int *factor_map)
{
	struct substitution u = {.arena = a, .to = to, .factor_map = factor_map};
	map_init(&u.done, a);
	return substitute(&u, body);
}

const struct scalar *scalar_vanish(struct arena *a, const struct scalar *body, const struct scalar *const *to)
{
	struct substitution u = {.arena = a, .to = to, .vanishes = true};
	map_init(&u.done, a);
	return substitute(&u, body);
}

const struct scalar *scalar_replace_factor(struct arena *a, const struct scalar *body, int factor,
					   const struct scalar *with)
{
	struct substitution u = {.arena = a, .factor = factor, .with = with};
	map_init(&u.done, a);
	return substitute(&u, body);
}

static bool uses(const struct scalar *s, enum scalar_kind kind, int index)
{
	if (s->kind != SCALAR_APPLY)
		return s->kind == kind && s->index == index;
	for (int k = 0; k < 3 && s->arg[k]; k++)
		if (uses(s->arg[k], kind, index))
			return true;
	return false;
}

bool scalar_is_correctly_rounded(const struct scalar *s)
{
	if (s->kind != SCALAR_APPLY)
		return true;
	if (scalar_functions[s->fn]->approximate)
		return false;
	for (int k = 0; k < 3 && s->arg[k]; k++)
		if (!scalar_is_correctly_rounded(s->arg[k]))
			return false;
	return true;
}

bool scalar_draws(const struct scalar *s)
{
	if (s->kind != SCALAR_APPLY)
		return false;
	if (scalar_functions[s->fn]->draws)
		return true;
	for (int k = 0; k < 3 && s->arg[k]; k++)
		if (scalar_draws(s->arg[k]))
			return true;
	return false;
}

enum scalar_effort scalar_most_effort(const struct scalar *s)
{
	if (s->kind != SCALAR_APPLY)
		return EFFORT_ARITHMETIC;
	enum scalar_effort most = scalar_effort(s->fn);
	for (int k = 0; k < 3 && s->arg[k]; k++) {
		enum scalar_effort effort = scalar_most_effort(s->arg[k]);
		most = effort > most ? effort : most;
	}
	return most;
}

bool scalar_uses_operand(const struct scalar *body, int operand)
{
	return uses(body, SCALAR_OPERAND, operand);
}

bool scalar_uses_factor(const struct scalar *body, int factor)
{
	return uses(body, SCALAR_FACTOR, factor) || uses(body, SCALAR_EXTENT, factor);
}

bool scalar_is_zero(const struct scalar *s)
{
	return s->kind == SCALAR_CONST && (dtype_is_float(s->type) ? s->f == 0 : s->i == 0);
}

/* Equal as bits, so that -0.0 and 0.0 differ and a NaN equals itself. */
static bool same_bits(double x, double y)
{
	return !memcmp(&x, &y, sizeof x);
}

bool scalar_equal(const struct scalar *a, const struct scalar *b)
{
	if (a == b)
		return true;
	if (a->kind != b->kind || a->type != b->type)
		return false;
	if (a->kind == SCALAR_CONST)
		return a->i == b->i && same_bits(a->f, b->f);
	if (a->kind != SCALAR_APPLY)
		return a->index == b->index;
	if (a->fn != b->fn)
		return false;
	for (int k = 0; k < 3 && a->arg[k]; k++)
		if (!scalar_equal(a->arg[k], b->arg[k]))
			return false;
	return true;
}

uint64_t scalar_hash(uint64_t seed, const struct scalar *s)
{
	uint64_t bits, detail = s->kind == SCALAR_APPLY   ? (uint64_t)s->fn
				: s->kind == SCALAR_CONST ? 0
							  : (uint64_t)s->index;
	seed = hash_number(seed, (uint64_t)s->kind << 48 | (uint64_t)s->type << 32 | detail);
	if (s->kind == SCALAR_CONST) {
		memcpy(&bits, &s->f, sizeof bits);
		return hash_number(hash_number(seed, bits), (uint64_t)s->i);
	}
	for (int k = 0; k < 3 && s->arg[k]; k++)
		seed = scalar_hash(seed, s->arg[k]);
	return seed;
}

bool scalar_is_product(const struct scalar *s)
{
	return s->kind == SCALAR_APPLY && s->fn == SC_MUL && s->arg[0]->kind == SCALAR_OPERAND &&
	       s->arg[1]->kind == SCALAR_OPERAND && s->arg[0]->index != s->arg[1]->index;
}

int scalar_flops(const struct scalar *s)
{
	if (s->kind != SCALAR_APPLY)
		return 0;
	int64_t n = scalar_functions[s->fn]->flops;
	for (int k = 0; k < 3 && s->arg[k]; k++)
		n += scalar_flops(s->arg[k]);
	return n > 1000000 ? 1000000 : (int)n;
}

static const char *check_apply(struct arena *a, const struct scalar *s)
{
	const struct scalar_function *f = scalar_functions[s->fn];
	enum dtype first = s->arg[0]->type;
	if (f->bools == BOOLS_ONLY && first != DT_BOOL)
		return arena_printf(a, "`%s` takes bools", f->text);
	if (f->arity == 2 && f->result != SCALAR_FROM && first != s->arg[1]->type)
		return arena_printf(a, "`%s` of %s and %s", f->text, dtype_text(first), dtype_text(s->arg[1]->type));
	if (f->result == SCALAR_FLOAT && !dtype_is_float(first))
		return arena_printf(a, "`%s` of %s, which is not a float", f->text, dtype_text(first));
	if (f->result == SCALAR_SAME && f->bools == BOOLS_NEVER && first == DT_BOOL)
		return arena_printf(a, "`%s` of bools", f->text);
	const char *wrong = f->check ? f->check(a, s) : NULL;
	if (!wrong && result_type(s->fn, s->type, s->arg) != s->type)
		wrong = arena_printf(a, "`%s` cannot give %s", f->text, dtype_text(s->type));
	return wrong;
}

const char *scalar_check(struct arena *a, const struct scalar *s, int noperands, int nfactors)
{
	if (s->type >= DT_COUNT)
		return "a value without a type";
	switch (s->kind) {
	case SCALAR_CONST:
		return NULL;
	case SCALAR_OPERAND:
		return s->index < 0 || s->index >= noperands ? arena_printf(a, "the body reads operand %d", s->index)
							     : NULL;
	case SCALAR_FACTOR:
		return s->index < 0 || s->index >= nfactors ? arena_printf(a, "the body reads factor %d", s->index)
							    : NULL;
	case SCALAR_EXTENT:
		return "an extent that is not bound to a number";
	case SCALAR_APPLY:
		break;
	}
	if (s->fn >= SC_FN_COUNT)
		return "an unknown function";
	for (int k = 0; k < scalar_arity(s->fn); k++) {
		const char *wrong = s->arg[k] ? scalar_check(a, s->arg[k], noperands, nfactors) : "a missing argument";
		if (wrong)
			return wrong;
	}
	return check_apply(a, s);
}

const char *scalar_check_operand(struct arena *a, const struct scalar *s, int operand, enum dtype type)
{
	if (s->kind == SCALAR_OPERAND && s->index == operand && s->type != type)
		return arena_printf(a, "operand %d is %s, the body reads %s", operand, dtype_text(type),
				    dtype_text(s->type));
	const char *wrong = NULL;
	for (int k = 0; k < 3 && s->kind == SCALAR_APPLY && s->arg[k] && !wrong; k++)
		wrong = scalar_check_operand(a, s->arg[k], operand, type);
	return wrong;
}

/* How many of so many points are left when those of s are taken. */
static int points_left(const struct scalar *s, int points)
{
	points--;
	for (int k = 0; s->kind == SCALAR_APPLY && k < 3 && s->arg[k] && points >= 0; k++)
		points = points_left(s->arg[k], points);
	return points;
}

bool scalar_is_longer(const struct scalar *s, int points)
{
	return points_left(s, points) < 0;
}
