/* scalar.c — trees of one point: building, comparing, replacing. What functions mean is in eval.c, what they fold to in
 * fold.c, how they are derived in derive.c, how they print in scalar_print.c. */
#include "scalar.h"

#include "base/map.h"

#include <string.h>

static const struct {
	const char *text;
	int arity;
	enum scalar_result result;
	enum scalar_linear linear;
	int flops;
} functions[SC_FN_COUNT] = {
#define SCALAR(name, text, arity, kind, linear, flops, effort) \
	[SC_##name] = {text, arity, SCALAR_##kind, SCALAR_##linear, flops},
#include "scalar.def"
#undef SCALAR
};

int scalar_arity(enum scalar_fn fn)
{
	return functions[fn].arity;
}

const char *scalar_text(enum scalar_fn fn)
{
	return fn < SC_FN_COUNT ? functions[fn].text : "?";
}

enum scalar_result scalar_result_kind(enum scalar_fn fn)
{
	return functions[fn].result;
}

enum scalar_linear scalar_linearity(enum scalar_fn fn)
{
	return functions[fn].linear;
}

enum scalar_fn scalar_fn_of_text(const char *name)
{
	int fn = 0;
	while (fn < SC_FN_COUNT && strcmp(functions[fn].text, name))
		fn++;
	return (enum scalar_fn)fn;
}

static bool is_internal(enum scalar_fn fn)
{
	return fn == SC_FOLD_KEY || fn == SC_SUM_GRID || fn == SC_QUANTA || fn == SC_OF_QUANTA || fn == SC_REINTERPRET;
}

enum scalar_fn scalar_fn_of_source(const char *name)
{
	enum scalar_fn fn = scalar_fn_of_text(name);
	return fn < SC_FN_COUNT && is_internal(fn) ? SC_FN_COUNT : fn;
}

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
	s->f = scalar_convert((union scalar_value){.f = v}, DT_F64, type).f;
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
	switch (functions[fn].result) {
	case SCALAR_SAME:
		return arg[fn == SC_WHERE]->type;
	case SCALAR_PRED:
		return DT_BOOL;
	case SCALAR_FLOAT:
		return arg[0]->type;
	case SCALAR_INT:
		return DT_I64;
	case SCALAR_FROM:
		return type;
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
	s->arg[1] = functions[fn].arity > 1 ? y : NULL;
	s->arg[2] = functions[fn].arity > 2 ? z : NULL;
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
};

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
	done = same ? s : scalar_apply(u->arena, s->fn, s->type, arg[0], arg[1], arg[2]);
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
	static const enum scalar_fn others[] = {SC_POW, SC_EXP,   SC_LOG,    SC_RSQRT,          SC_TANH,
						SC_ERF, SC_LOG1P, SC_EXPM1,  SC_SOFTPLUS,       SC_SIN,
						SC_COS, SC_ATAN2, SC_LGAMMA, SC_RANDOM_UNIFORM, SC_RANDOM_NORMAL};
	if (s->kind != SCALAR_APPLY)
		return true;
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (s->fn == others[i])
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
	if (s->fn == SC_RANDOM_BITS || s->fn == SC_RANDOM_UNIFORM || s->fn == SC_RANDOM_NORMAL)
		return true;
	for (int k = 0; k < 3 && s->arg[k]; k++)
		if (scalar_draws(s->arg[k]))
			return true;
	return false;
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

int scalar_flops(const struct scalar *s)
{
	if (s->kind != SCALAR_APPLY)
		return 0;
	int64_t n = functions[s->fn].flops;
	for (int k = 0; k < 3 && s->arg[k]; k++)
		n += scalar_flops(s->arg[k]);
	return n > 1000000 ? 1000000 : (int)n;
}

/* What the compiler alone makes: keys, and what sums as multiples of a unit are made of. */
static const char *check_internal(struct arena *a, const struct scalar *s)
{
	enum dtype x = s->arg[0]->type, y = s->arg[1] ? s->arg[1]->type : DT_F64;
	bool ok = true;
	if (s->fn == SC_SUM_GRID || s->fn == SC_QUANTA)
		ok = x == DT_F64 && y == DT_F64;
	else if (s->fn == SC_FOLD_KEY)
		ok = x == DT_U64 && y == DT_I64 && s->type == DT_U64;
	else if (s->fn == SC_OF_QUANTA)
		ok = x == DT_I64 && y == DT_F64 && s->type == DT_F64;
	else
		ok = dtype_is_float(x) != dtype_is_float(s->type) && dtype_size(x) == dtype_size(s->type) &&
		     (x == DT_F32 || x == DT_F64 || x == DT_I32 || x == DT_I64) &&
		     (s->type == DT_F32 || s->type == DT_F64 || s->type == DT_I32 || s->type == DT_I64);
	return ok ? NULL
		  : arena_printf(a, "`%s` of %s gives no %s", scalar_text(s->fn), dtype_text(x), dtype_text(s->type));
}

static const char *check_apply(struct arena *a, const struct scalar *s)
{
	enum dtype first = s->arg[0]->type;
	const char *name = scalar_text(s->fn);
	if (s->fn == SC_WHERE && (first != DT_BOOL || s->arg[1]->type != s->arg[2]->type))
		return arena_printf(a, "`where` takes a bool and two values of one type");
	if ((s->fn == SC_AND || s->fn == SC_OR || s->fn == SC_NOT) && first != DT_BOOL)
		return arena_printf(a, "`%s` takes bools", name);
	if (functions[s->fn].arity == 2 && functions[s->fn].result != SCALAR_FROM && first != s->arg[1]->type)
		return arena_printf(a, "`%s` of %s and %s", name, dtype_text(first), dtype_text(s->arg[1]->type));
	if (functions[s->fn].result == SCALAR_FLOAT && !dtype_is_float(first))
		return arena_printf(a, "`%s` of %s, which is not a float", name, dtype_text(first));
	if (functions[s->fn].result == SCALAR_SAME && s->fn != SC_WHERE && s->fn != SC_MIN && s->fn != SC_MAX &&
	    first == DT_BOOL)
		return arena_printf(a, "`%s` of bools", name);
	if (is_internal(s->fn))
		return check_internal(a, s);
	bool draws = functions[s->fn].result == SCALAR_FROM && s->fn != SC_CAST;
	if (draws && (first != DT_U64 || s->arg[1]->type != DT_I64))
		return arena_printf(a, "`%s` takes a u64 key and an i64 counter", name);
	if (draws && dtype_is_float(s->type) == (s->fn == SC_RANDOM_BITS))
		return arena_printf(a, "`%s` cannot give %s", name, dtype_text(s->type));
	if (result_type(s->fn, s->type, s->arg) != s->type)
		return arena_printf(a, "`%s` cannot give %s", name, dtype_text(s->type));
	return NULL;
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
	for (int k = 0; k < functions[s->fn].arity; k++) {
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
