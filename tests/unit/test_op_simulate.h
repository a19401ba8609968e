/* test_op_simulate.h — rules on simulated ranks: random operands, the parts each rank holds under a layout, what the
 * ranks compute, and whether their results join to that of the whole rule. Included by the tests of compiler/op. */
#ifndef PML_TEST_OP_SIMULATE_H
#define PML_TEST_OP_SIMULATE_H

#include "compiler/op/signature.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANKS = 4 };

static const char *const rule_texts[] = {
#define RULE(text) text,
#include "test_op_rules.def"
#undef RULE
};
enum { RULES = sizeof rule_texts / sizeof *rule_texts };

/* How extents in braces are changed: as given, one more, tiny (1 or 2, smaller than the number of ranks). */
enum variant { EVEN, UNEVEN, TINY, VARIANTS };

static inline uint64_t next_random(uint64_t *state)
{
	*state += 0x9E3779B97F4A7C15u;
	uint64_t z = *state;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

static inline int64_t random_below(uint64_t *state, int64_t n)
{
	return (int64_t)(next_random(state) % (uint64_t)n);
}

static inline double random_unit(uint64_t *state)
{
	return (double)(next_random(state) >> 11) * 0x1p-53;
}

static inline const struct rule *read_variant(struct arena *a, const char *text, enum variant v)
{
	struct text t;
	const char *error, *open = strrchr(text, '{');
	text_init(&t, a);
	int n = 0;
	for (const char *p = text; *p;) {
		char *end;
		if (!open || p < open || !isdigit((unsigned char)*p) || p[-1] != '=') {
			text_add_n(&t, p++, 1);
			continue;
		}
		long long e = strtoll(p, &end, 10);
		text_printf(&t, "%lld", v == EVEN ? e : v == UNEVEN ? e + 1 : 1 + n++ % 2);
		p = end;
	}
	const struct rule *r = rule_read(a, text_get(&t), &error);
	if (!r)
		printf("%s: %s\n", text_get(&t), error);
	return r;
}

static inline bool is_positive(const struct rule *r)
{
	return strchr(r->name, '+') != NULL;
}

static inline int64_t access_volume(const struct access *at)
{
	int64_t v = 1;
	for (int d = 0; d < at->rank; d++)
		v *= at->dim[d];
	return v;
}

/* The extent that an operand indexes, or -1. */
static inline int64_t indexed_extent(const struct rule *r, int operand)
{
	for (int k = 0; k <= r->noperands; k++) {
		const struct access *at = k < r->noperands ? &r->operand[k] : &r->out;
		for (int d = 0; d < at->rank; d++)
			if (at->index[d].data == operand)
				return at->dim[d];
	}
	return -1;
}

/* Floats: quarters in [-2, 2] (or (0, 2]), so that sums are exact and ties occur; smooth: any, no ties. Indices: the
 * extent and one more at each end. */
static inline union scalar_value random_value(const struct rule *r, int k, bool smooth, uint64_t *s)
{
	union scalar_value v = {.i = 0};
	int64_t extent = indexed_extent(r, k);
	enum dtype t = r->operand[k].type;
	if (dtype_is_float(t)) {
		double low = is_positive(r) ? 0.25 : -2;
		v.f = smooth ? low + (2 - low) * random_unit(s)
			     : low + 0.25 * (double)random_below(s, (int64_t)((2 - low) * 4) + 1);
		return v;
	}
	v.i = extent >= 0    ? random_below(s, extent + 2) - 1
	      : t == DT_U64  ? (int64_t)next_random(s)
	      : t == DT_BOOL ? random_below(s, 2)
			     : random_below(s, 11) - 3;
	return scalar_convert(v, DT_I64, t);
}

static inline union scalar_value *new_values(struct arena *a, int64_t n)
{
	return ARENA_ARRAY(a, union scalar_value, n);
}

static inline void random_operands(struct arena *a, const struct rule *r, bool smooth, uint64_t *s,
				   union scalar_value **x)
{
	for (int k = 0; k < r->noperands; k++) {
		int64_t n = access_volume(&r->operand[k]);
		x[k] = new_values(a, n);
		for (int64_t i = 0; i < n; i++)
			x[k][i] = random_value(r, k, smooth, s);
	}
}

/* ---- layouts ---- */

static inline enum combiner combiner_of(int shard_combiner)
{
	static const enum combiner c[] = {[SHARD_SUM] = COMBINE_SUM,
					  [SHARD_MAX] = COMBINE_MAX,
					  [SHARD_MIN] = COMBINE_MIN,
					  [SHARD_PROD] = COMBINE_PROD};
	return c[shard_combiner];
}

/* A value that can be one rank's part of v when another rank holds v itself (max, min), or any part (sum, prod). */
static inline union scalar_value random_part(int c, enum dtype t, union scalar_value v, uint64_t *s)
{
	int64_t pick = random_below(s, 4);
	union scalar_value p = {.i = 0};
	double down = c == SHARD_MAX ? -1 : 1;
	if (c == SHARD_SUM && dtype_is_float(t))
		p.f = 0.25 * (double)(random_below(s, 33) - 16);
	else if (c == SHARD_SUM)
		p.i = random_below(s, 100) - 50;
	else if (c == SHARD_PROD && dtype_is_float(t))
		p.f = (pick & 1 ? 2 : 0.5) * (pick & 2 ? -1 : 1);
	else if (c == SHARD_PROD)
		p.i = pick & 1 ? 1 : -1;
	else if (pick == 0 || (pick == 1 && t == DT_BOOL))
		return combiner_neutral(combiner_of(c), t);
	else if (dtype_is_float(t))
		p.f = v.f + down * 0.75 * (double)(pick - 1);
	else if (dtype_kind(t) == DTYPE_INT)
		p.i = v.i + (int64_t)down * (pick - 1);
	else if (dtype_kind(t) == DTYPE_UINT && c == SHARD_MAX && v.i >= 0 && v.i < INT64_MAX)
		p.i = v.i - random_below(s, v.i + 1);
	else
		return v;
	return dtype_is_float(t) ? p : scalar_convert(p, DT_I64, t);
}

/* Splits v into k parts. */
static inline void random_parts(int c, enum dtype t, union scalar_value v, int k, uint64_t *s, union scalar_value *part)
{
	int64_t last = random_below(s, k);
	union scalar_value rest = v;
	for (int r = 0; r < k; r++) {
		if (r == last)
			continue;
		part[r] = random_part(c, t, v, s);
		if (c == SHARD_SUM && dtype_is_float(t))
			rest.f -= part[r].f;
		else if (c == SHARD_SUM)
			rest = scalar_convert(
				(union scalar_value){.i = (int64_t)((uint64_t)rest.i - (uint64_t)part[r].i)}, DT_I64,
				t);
		else if (c == SHARD_PROD && dtype_is_float(t))
			rest.f /= part[r].f;
		else if (c == SHARD_PROD)
			rest = scalar_convert(
				(union scalar_value){.i = (int64_t)((uint64_t)rest.i * (uint64_t)part[r].i)}, DT_I64,
				t);
	}
	part[last] = rest;
}

/* Copies the box of a row-major array whose dimension `dim` starts at `begin` and has `count` elements. */
static inline void copy_box(const struct access *at, int dim, int64_t begin, int64_t count, const union scalar_value *x,
			    union scalar_value *y)
{
	int64_t inner = 1, outer = 1;
	for (int d = 0; d < at->rank; d++)
		*(d < dim ? &outer : d > dim ? &inner : &(int64_t){1}) *= at->dim[d];
	for (int64_t o = 0; o < outer; o++)
		for (int64_t i = 0; i < count * inner; i++)
			y[o * count * inner + i] = x[(o * at->dim[dim] + begin) * inner + i];
}

/* What each of k ranks holds of x under the atom. */
static inline void distribute(struct arena *a, const struct access *at, struct shard_atom atom,
			      const union scalar_value *x, int k, uint64_t *s, union scalar_value **local)
{
	int64_t n = access_volume(at);
	union scalar_value part[MAX_RANKS];
	for (int r = 0; r < k; r++) {
		local[r] = new_values(a, n);
		if (atom.kind == SHARD_B)
			memcpy(local[r], x, sizeof *x * (size_t)n);
		else if (atom.kind == SHARD_S)
			copy_box(at, atom.dim, shard_begin(at->dim[atom.dim], k, r),
				 shard_count(at->dim[atom.dim], k, r), x, local[r]);
	}
	for (int64_t i = 0; i < n && atom.kind == SHARD_P; i++) {
		random_parts(atom.combiner, at->type, x[i], k, s, part);
		for (int r = 0; r < k; r++)
			local[r][i] = part[r];
	}
}

static inline bool close_values(enum dtype t, union scalar_value x, union scalar_value y)
{
	double rtol = t == DT_BF16 || t == DT_F16 ? 0.02 : t == DT_F64 ? 1e-9 : 2e-5;
	if (!dtype_is_float(t))
		return x.i == y.i;
	if (x.f == y.f || (x.f != x.f && y.f != y.f))
		return true;
	if (isinf(x.f) || isinf(y.f))
		return false;
	return fabs(x.f - y.f) <= rtol * (1 + fabs(x.f) + fabs(y.f));
}

static inline bool same_values(enum dtype t, const union scalar_value *x, const union scalar_value *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		if (!close_values(t, x[i], y[i]))
			return false;
	return true;
}

/* True if the ranks' results are the result `want` under the atom. */
static inline bool results_join(struct arena *a, const struct access *at, struct shard_atom atom,
				union scalar_value *const *local, const union scalar_value *want, int k)
{
	int64_t n = access_volume(at), count;
	union scalar_value *box = new_values(a, n);
	if (atom.kind == SHARD_P) {
		for (int64_t i = 0; i < n; i++) {
			box[i] = local[0][i];
			for (int r = 1; r < k; r++)
				box[i] = combiner_apply(combiner_of(atom.combiner), at->type, box[i], local[r][i]);
		}
		return same_values(at->type, box, want, n);
	}
	for (int r = 0; r < k; r++) {
		if (atom.kind == SHARD_B && !same_values(at->type, local[r], want, n))
			return false;
		if (atom.kind == SHARD_B)
			continue;
		count = shard_count(at->dim[atom.dim], k, r);
		copy_box(at, atom.dim, shard_begin(at->dim[atom.dim], k, r), count, want, box);
		if (!same_values(at->type, local[r], box, at->dim[atom.dim] ? n / at->dim[atom.dim] * count : 0))
			return false;
	}
	return true;
}

/* One run of the rule on k ranks under the signature, with random operands. forget_origin plants a mistake: ranks take
 * their shard for the beginning of the tensor where the body reads factor values. */
static inline bool signature_holds(const struct rule *r, const struct signature *s, int k, uint64_t seed,
				   bool forget_origin)
{
	struct arena *a = arena_new("simulation");
	union scalar_value *x[MAX_OPERANDS], *part[MAX_OPERANDS][MAX_RANKS], *mine[MAX_OPERANDS], *local[MAX_RANKS];
	union scalar_value *want = new_values(a, access_volume(&r->out));
	bool holds = true;
	random_operands(a, r, false, &seed, x);
	rule_interpret(r, x, want, NULL);
	for (int j = 0; j < r->noperands; j++)
		distribute(a, &r->operand[j], s->operand[j], x[j], k, &seed, part[j]);
	for (int rank = 0; rank < k && holds; rank++) {
		struct rule_local extents;
		struct rule_origin origin;
		signature_local(r, s, k, rank, &extents, &origin);
		if (forget_origin)
			origin = (struct rule_origin){{0}, {{0}}, {0}};
		for (int j = 0; j < r->noperands; j++)
			mine[j] = part[j][rank];
		local[rank] = new_values(a, access_volume(&r->out));
		struct rule mine_of;
		struct access operand[MAX_OPERANDS];
		rule_localise(r, &extents, operand, &mine_of);
		holds = rule_try_interpret(&mine_of, mine, local[rank], &origin);
	}
	holds = holds && results_join(a, &r->out, s->out, local, want, k);
	arena_free(a);
	return holds;
}

#endif
