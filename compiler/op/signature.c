/* signature.c — the legal layouts of a rule on one axis. Three sources: splitting a factor, serving one guarded
 * dimension in part, and linearity. Each is a statement about index sets or about the body, so nothing here knows
 * operators by name. */
#include "intern.h"

#include "linear.h"

#include "base/vec.h"

#include <string.h>

static const struct shard_atom whole = {.kind = SHARD_B};

static struct shard_atom split_on(int dim)
{
	return (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)dim};
}

static struct shard_atom part_of(enum shard_combiner c)
{
	return (struct shard_atom){.kind = SHARD_P, .combiner = (uint8_t)c};
}

struct list {
	struct arena *arena;
	const struct rule *rule;
	VEC(struct signature) at;
};

/* A signature that is being made: its operands are in the array. */
static struct signature all_whole(struct shard_atom operand[MAX_OPERANDS])
{
	memset(operand, 0, sizeof *operand * MAX_OPERANDS);
	return (struct signature){.operand = operand, .out = whole, .factor = -1, .split_operand = -1};
}

static bool is_full(const struct list *l)
{
	return l->at.n == MAX_SIGNATURES;
}

static void add(struct list *l, const struct signature *s)
{
	struct signature kept = *s;
	struct shard_atom *operand = ARENA_ARRAY(l->arena, struct shard_atom, l->rule->noperands);
	if (is_full(l))
		return;
	memcpy(operand, s->operand, sizeof *operand * (size_t)l->rule->noperands);
	kept.operand = operand;
	vec_push(l->arena, &l->at, kept);
}

enum { NO_PARTS = -1 };

static const int combiner_parts[COMBINE_COUNT] = {
	[COMBINE_NONE] = SHARD_SUM,
#define NONE                                        NO_PARTS
#define COMBINER(name, text, result, partial, join) [COMBINE_##name] = partial,
#include "combiner.def"
#undef COMBINER
#undef NONE
};

bool signature_partial_result(const struct rule *r, struct shard_atom *atom)
{
	int c = combiner_parts[r->combiner];
	if (c == NO_PARTS)
		return false;
	bool bools = r->combiner == COMBINE_NONE && r->out.type == DT_BOOL;
	*atom = part_of(bools ? SHARD_MAX : (enum shard_combiner)c);
	return true;
}

static bool is_whole_dim(const struct rule *r, const struct access *at, int d, int f)
{
	return index_factor(&at->index[d]) == f && at->dim[d] == r->factor[f].extent;
}

bool dim_is_servable(const struct rule *r, const struct access *at, int d)
{
	int f = index_factor(&at->index[d]);
	bool whole_dim = f >= 0 && is_whole_dim(r, at, d, f);
	return at->index[d].guarded || (!whole_dim && at->index[d].nterms <= 1);
}

/* The first dimension from d on that is factor f over its full extent, or the rank. */
static int next_whole_dim(const struct rule *r, const struct access *at, int d, int f)
{
	while (d < at->rank && !is_whole_dim(r, at, d, f))
		d++;
	return d;
}

/* Chooses a dimension for operand k and those after it, then the result's. */
static void split_factor(struct list *l, struct signature *s, struct shard_atom *operand, int k)
{
	const struct rule *r = l->rule;
	const struct access *at = k < r->noperands ? &r->operand[k] : &r->out;
	int d = next_whole_dim(r, at, 0, s->factor);
	if (is_full(l))
		return;
	if (k < r->noperands) {
		operand[k] = whole;
		if (d == at->rank)
			split_factor(l, s, operand, k + 1);
		for (; d < at->rank; d = next_whole_dim(r, at, d + 1, s->factor)) {
			operand[k] = split_on(d);
			split_factor(l, s, operand, k + 1);
		}
		return;
	}
	if (d == at->rank && signature_partial_result(r, &s->out))
		add(l, s);
	for (; d < at->rank; d = next_whole_dim(r, at, d + 1, s->factor)) {
		s->out = split_on(d);
		add(l, s);
	}
}

static void add_factors(struct list *l)
{
	for (int f = 0; f < l->rule->nfactors; f++) {
		struct shard_atom operand[MAX_OPERANDS];
		struct signature s = all_whole(operand);
		s.factor = f;
		split_factor(l, &s, operand, 0);
	}
}

/* Operands and results of which a rank holds some rows of a servable dimension. */
static void add_served(struct list *l)
{
	const struct rule *r = l->rule;
	for (int k = 0; k < r->noperands; k++)
		for (int d = 0; d < r->operand[k].rank; d++) {
			struct shard_atom operand[MAX_OPERANDS];
			struct signature s = all_whole(operand);
			s.split_operand = k;
			operand[s.split_operand] = split_on(d);
			if (dim_is_servable(r, &r->operand[k], d) && signature_partial_result(r, &s.out))
				add(l, &s);
		}
	for (int d = 0; d < r->out.rank; d++) {
		struct shard_atom operand[MAX_OPERANDS];
		struct signature s = all_whole(operand);
		s.out = split_on(d);
		if (dim_is_servable(r, &r->out, d))
			add(l, &s);
	}
}

static void add_parts(struct list *l, enum shard_combiner c)
{
	const struct rule *r = l->rule;
	enum shard_combiner result = c;
	uint64_t set[MAX_PART_SETS];
	int n = rule_part_sets(r, c, 0, set);
	for (int i = 0; i < n; i++) {
		struct shard_atom operand[MAX_OPERANDS];
		struct signature s = all_whole(operand);
		for (int k = 0; k < r->noperands; k++)
			if (set[i] >> k & 1)
				operand[k] = part_of(c);
		rule_takes_parts(r, set[i], c, &result);
		s.out = part_of(result);
		add(l, &s);
	}
}

static int derive(struct arena *a, const struct rule *r, const struct signature **list)
{
	struct list l = {.arena = a, .rule = r};
	struct shard_atom operand[MAX_OPERANDS];
	struct signature s = all_whole(operand);
	add(&l, &s);
	add_factors(&l);
	add_served(&l);
	add_parts(&l, SHARD_SUM);
	add_parts(&l, SHARD_MAX);
	add_parts(&l, SHARD_MIN);
	add_parts(&l, SHARD_PROD);
	*list = l.at.at;
	return l.at.n;
}

int rule_signatures(struct arena *a, const struct rule *r, const struct signature **list)
{
	struct rule_facts *facts = rule_facts(r);
	if (!facts)
		return derive(a, r, list);
	if (!facts->signatures)
		facts->nsignatures = derive(rules_arena(facts->table), r, &facts->signatures);
	*list = facts->signatures;
	return facts->nsignatures;
}

bool signature_takes_parts(const struct signature *s, const struct rule *r)
{
	for (int k = 0; k < r->noperands; k++)
		if (s->operand[k].kind == SHARD_P)
			return true;
	return false;
}

static bool has_cuts(struct shard_atom x)
{
	return x.kind == SHARD_S || (x.kind == SHARD_WINDOW && x.step);
}

struct shard_atom signature_cuts(const struct signature *s, const struct rule *r, const struct shard_atom *operand,
				 struct shard_atom out)
{
	struct shard_atom cuts = split_on(0);
	for (int k = 0; k < r->noperands; k++)
		if (has_cuts(s->operand[k]) && has_cuts(operand[k])) {
			cuts.shares = operand[k].shares;
			return cuts;
		}
	cuts.shares = has_cuts(s->out) && has_cuts(out) ? out.shares : NULL;
	return cuts;
}

const int32_t *shares_of(struct arena *a, int64_t k, const int64_t *share)
{
	int64_t common = 0, sum = 0;
	for (int64_t r = 0; r < k; r++)
		common = shard_gcd(share[r], common);
	int32_t *shares = common ? ARENA_ARRAY(a, int32_t, k + 2) : NULL;
	for (int64_t r = 0; r < k && shares; r++) {
		sum += share[r] / common;
		shares[2 + r] = (int32_t)sum;
		shares = sum <= INT32_MAX ? shares : NULL;
	}
	if (shares)
		shares[0] = (int32_t)k;
	return shares;
}

struct signature signature_cut(const struct signature *s, const struct rule *r, struct shard_atom cuts,
			       struct shard_atom *room)
{
	struct signature cut = *s;
	if (!cuts.shares)
		return cut;
	for (int k = 0; k < r->noperands; k++) {
		room[k] = s->operand[k];
		room[k].shares = has_cuts(s->operand[k]) ? cuts.shares : NULL;
	}
	cut.operand = room;
	cut.out.shares = has_cuts(s->out) ? cuts.shares : NULL;
	return cut;
}

/* What is read for number i of a share, or for all of them. */
static void print_reach(struct text *t, struct shard_atom x, int32_t by)
{
	if (!x.step) {
		text_printf(t, "%d", by);
		return;
	}
	text_add(t, x.step < 0 ? "-" : "");
	if (x.step != 1 && x.step != -1)
		text_printf(t, "%d*", x.step < 0 ? -x.step : x.step);
	text_add(t, "i");
	if (by)
		text_printf(t, "%+d", by);
}

/* "S(0", ", shares = [2, 1]", ")". */
static void print_split(struct text *t, struct shard_atom x)
{
	text_printf(t, "S(%d", x.dim);
	for (int32_t r = 0; x.shares && r < x.shares[0]; r++)
		text_printf(t, "%s%d", r ? ", " : ", shares = [", x.shares[2 + r] - x.shares[1 + r]);
	text_add(t, x.shares ? "])" : ")");
}

static void print_window(struct text *t, struct shard_atom x)
{
	print_split(t, x);
	text_add(t, x.div > 1 ? "[(" : "[");
	print_reach(t, x, x.low);
	if (x.high != x.low) {
		text_add(t, "..");
		print_reach(t, x, x.high);
	}
	if (x.div > 1)
		text_printf(t, ")/%d", x.div);
	if (x.step)
		text_printf(t, " of %d", x.of);
	text_add(t, "]");
}

void atom_print(struct text *t, struct shard_atom atom)
{
	static const char *const combiner[] = {
		[SHARD_SUM] = "sum", [SHARD_MAX] = "max", [SHARD_MIN] = "min", [SHARD_PROD] = "prod"};
	if (atom.kind == SHARD_S)
		print_split(t, atom);
	else if (atom.kind == SHARD_WINDOW)
		print_window(t, atom);
	else if (atom.kind == SHARD_P)
		text_printf(t, "P(%s)", combiner[atom.combiner]);
	else
		text_add(t, "B");
}

void signature_print(struct text *t, const struct rule *r, const struct signature *s)
{
	for (int k = 0; k < r->noperands; k++) {
		text_add(t, k ? ", " : "");
		atom_print(t, s->operand[k]);
	}
	text_add(t, r->noperands ? " -> " : "-> ");
	atom_print(t, s->out);
}
