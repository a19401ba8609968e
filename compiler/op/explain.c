/* explain.c — why operand layouts do not fit a rule, in the words of a note. The first reason found is given, those
 * about unfinished values before those about splits. */
#include "signature.h"

#include "linear.h"

#include <ctype.h>
#include <string.h>

struct question {
	struct arena *arena;
	const struct rule *rule;
	bool names_factors;
	const struct shard_atom *operands;
	const char *name[MAX_OPERANDS];
};

static uint64_t parts_of(const struct question *q, enum shard_combiner c)
{
	uint64_t parts = 0;
	for (int k = 0; k < q->rule->noperands; k++)
		if (q->operands[k].kind == SHARD_P && q->operands[k].combiner == (uint8_t)c)
			parts |= UINT64_C(1) << k;
	return parts;
}

static int first_of(uint64_t parts)
{
	int k = 0;
	while (!(parts >> k & 1))
		k++;
	return k;
}

static const char *noun_of(enum shard_combiner c)
{
	static const char *const what[] = {
		[SHARD_SUM] = "sum", [SHARD_MAX] = "maximum", [SHARD_MIN] = "minimum", [SHARD_PROD] = "product"};
	return what[c];
}

static bool reads_parts(const struct scalar *s, uint64_t parts)
{
	if (s->kind == SCALAR_OPERAND)
		return parts >> s->index & 1;
	for (int k = 0; k < 3 && s->kind == SCALAR_APPLY && s->arg[k]; k++)
		if (reads_parts(s->arg[k], parts))
			return true;
	return false;
}

/* A conversion of parts that is never legal, or NULL. */
static const struct scalar *find_cast(const struct scalar *s, uint64_t parts)
{
	if (s->kind != SCALAR_APPLY || !reads_parts(s, parts))
		return NULL;
	for (int k = 0; k < 3 && s->arg[k]; k++) {
		const struct scalar *inner = find_cast(s->arg[k], parts);
		if (inner)
			return inner;
	}
	bool floats = dtype_is_float(s->type) && dtype_is_float(s->arg[0]->type);
	bool wider = floats && dtype_size(s->type) > dtype_size(s->arg[0]->type);
	return s->fn == SC_CAST && !wider ? s : NULL;
}

static const char *explain_cast(const struct question *q, const struct scalar *cast)
{
	const char *from = dtype_text(cast->arg[0]->type), *to = dtype_text(cast->type);
	if (dtype_is_float(cast->type) && dtype_is_float(cast->arg[0]->type))
		return arena_printf(
			q->arena,
			"the conversion from %s to %s rounds: the rounded parts do not join to the rounded whole", from,
			to);
	return arena_printf(q->arena,
			    "the conversion from %s to %s needs a finished value: converted parts do not join to the "
			    "converted whole",
			    from, to);
}

/* Each of the operands alone may be a part, but not all together. */
static bool each_alone(const struct rule *r, uint64_t parts, enum shard_combiner c)
{
	enum shard_combiner result;
	for (int k = 0; k < r->noperands; k++)
		if (parts >> k & 1 && !rule_takes_parts(r, UINT64_C(1) << k, c, &result))
			return false;
	return (parts & (parts - 1)) != 0;
}

static bool is_product_with_itself(const struct scalar *s)
{
	return s->kind == SCALAR_APPLY && s->fn == SC_MUL && s->arg[0]->kind == SCALAR_OPERAND &&
	       s->arg[1]->kind == SCALAR_OPERAND;
}

static const char *explain_sum(const struct question *q, uint64_t parts)
{
	const struct rule *r = q->rule;
	const char *a = q->name[first_of(parts)];
	uint64_t more[MAX_PART_SETS];
	for (int k = 0; k < r->noperands; k++)
		if (q->operands[k].kind == SHARD_P && !(parts >> k & 1))
			return arena_printf(
				q->arena,
				"`%s` is an unfinished %s and `%s` an unfinished sum: parts join by one reduction",
				q->name[k], noun_of((enum shard_combiner)q->operands[k].combiner), a);
	if (r->combiner != COMBINE_NONE && r->combiner != COMBINE_SUM)
		return arena_printf(q->arena, "the %s of unfinished sums is not the %s of the sums",
				    combiner_text(r->combiner), combiner_text(r->combiner));
	if (each_alone(r, parts, SHARD_SUM))
		return arena_printf(q->arena,
				    "both operands are unfinished sums: a product of sums is not a sum of products");
	if (rule_part_sets(r, SHARD_SUM, parts, more))
		return arena_printf(
			q->arena, "`%s` would be counted on every rank: with `%s` unfinished it must be unfinished too",
			q->name[first_of(more[0] & ~parts)], a);
	if (r->body->kind == SCALAR_APPLY && scalar_result_kind(r->body->fn) == SCALAR_PRED)
		return arena_printf(q->arena, "a comparison of the parts says nothing about the sum");
	if (r->noperands == 1 && is_product_with_itself(r->body))
		return "a product of sums is not a sum of products";
	bool word = isalpha((unsigned char)r->name[0]);
	if (r->noperands == 1 && word)
		return arena_printf(q->arena, "%s is not linear: %s(a) + %s(b) is not %s(a + b)", r->name, r->name,
				    r->name, r->name);
	return arena_printf(q->arena, "%s%s%s is not linear in `%s`", word ? "" : "`", r->name, word ? "" : "`", a);
}

static const char *explain_other(const struct question *q, uint64_t parts, enum shard_combiner c)
{
	const char *what = noun_of(c), *a = q->name[first_of(parts)];
	return arena_printf(q->arena, "`%s` is an unfinished %s, and `%s` of its parts does not give parts of a %s", a,
			    what, q->rule->name, what);
}

static const char *explain_parts(const struct question *q)
{
	const struct rule *r = q->rule;
	for (int c = SHARD_SUM; c <= SHARD_PROD; c++) {
		enum shard_combiner result;
		uint64_t parts = parts_of(q, (enum shard_combiner)c);
		if (!parts || rule_takes_parts(r, parts, (enum shard_combiner)c, &result))
			continue;
		for (int k = 0; k < r->noperands; k++)
			if (parts >> k & 1 && rule_reads_index(r, k))
				return arena_printf(q->arena, "`%s` is an index, and an index must be finished",
						    q->name[k]);
		const struct scalar *cast = find_cast(r->body, parts);
		if (cast)
			return explain_cast(q, cast);
		return c == SHARD_SUM ? explain_sum(q, parts) : explain_other(q, parts, (enum shard_combiner)c);
	}
	return NULL;
}

static const char *explain_index(const struct question *q, int k, int d)
{
	const struct access *at = &q->rule->operand[k];
	const struct index *x = &at->index[d];
	if (x->data >= 0)
		return NULL;
	if (x->nterms > 1)
		return arena_printf(
			q->arena,
			"dimension %d of `%s` is read through a window: a rank would need rows of its neighbours", d,
			q->name[k]);
	return arena_printf(
		q->arena,
		"dimension %d of `%s` is read from an offset or with a step, so shards of it and of the result "
		"do not coincide",
		d, q->name[k]);
}

/* "`k` (dimension 1)"; the factors of `..` have names nobody wrote (z1, z2, ...), and those of the library's operators
 * names that the program does not know. */
static const char *split_text(const struct question *q, int factor, int dim)
{
	const char *name = q->rule->factor[factor].name;
	if (!q->names_factors || (name[0] == 'z' && name[1] >= '1' && name[1] <= '9'))
		return arena_printf(q->arena, "dimension %d", dim);
	return arena_printf(q->arena, "`%s` (dimension %d)", name, dim);
}

/* Splits: one factor at a time, over its whole extent. */
static const char *explain_splits(const struct question *q)
{
	const struct rule *r = q->rule;
	int factor = -1, by = -1, along = -1;
	for (int k = 0; k < r->noperands; k++) {
		int d = q->operands[k].dim;
		if (q->operands[k].kind != SHARD_S || d < 0 || d >= r->operand[k].rank)
			continue;
		int f = index_factor(&r->operand[k].index[d]);
		if (f < 0 || r->factor[f].extent != r->operand[k].dim[d])
			return explain_index(q, k, d);
		if (factor >= 0 && f != factor && !strcmp(q->name[by], q->name[k]) && !q->names_factors && along == d)
			return arena_printf(q->arena,
					    "`%s` is read along dimension %d twice, at different places: every element "
					    "meets the others of its line, so the line is wanted whole",
					    q->name[by], d);
		if (factor >= 0 && f != factor && !strcmp(q->name[by], q->name[k]))
			return arena_printf(q->arena,
					    "`%s` is read along %s and along %s: every element meets the others of its "
					    "line, so the line is "
					    "wanted whole",
					    q->name[by], split_text(q, factor, along), split_text(q, f, d));
		if (factor >= 0 && f != factor)
			return arena_printf(q->arena,
					    "`%s` is split along %s and `%s` along %s: on one axis only one of "
					    "them can be split",
					    q->name[by], split_text(q, factor, along), q->name[k], split_text(q, f, d));
		factor = f;
		along = d;
		by = k;
	}
	bool position = r->combiner == COMBINE_ARGMAX || r->combiner == COMBINE_ARGMIN;
	if (factor >= 0 && rule_reduces(r, factor) && position)
		return arena_printf(q->arena,
				    "%s needs all of dimension %d on one rank: positions of parts do not join",
				    combiner_text(r->combiner), along);
	return NULL;
}

const char *rule_explain(struct arena *a, const struct rule *r, bool names_factors, const struct shard_atom *operands,
			 const char *const *names)
{
	struct question q = {.arena = a, .rule = r, .names_factors = names_factors, .operands = operands};
	rule_operand_names(a, r, q.name);
	for (int k = 0; names && k < r->noperands; k++)
		q.name[k] = names[k] ? names[k] : q.name[k];
	const char *reason = explain_parts(&q);
	return reason ? reason : explain_splits(&q);
}
