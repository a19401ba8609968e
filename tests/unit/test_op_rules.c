/* test_op_rules.c — proof by simulation of the layouts derived from rules (test_op_rules.def).
 *
 * Every derived signature is run on 2, 3 and 4 ranks with even, uneven and tiny extents and must give the whole rule's
 * result. Every other combination of {B, S(d), P(sum), P(max)} per operand and result must fail for some input,
 * whichever factor the ranks split, unless it follows from a derived one by free conversions (B to S, B to P, S to P)
 * or is listed with a reason in test_op_listed.def. Mutants, mistakes that would be easy to make, must be found by the
 * same function. */
#include "test_op_simulate.h"
#include "suite.h"

static struct {
	int rules, derived, runs, candidates, implied, listed;
} counted;

static struct arena *arena;

static const char *signature_text(const struct rule *r, const struct signature *s)
{
	struct text t;
	text_init(&t, arena);
	signature_print(&t, r, s);
	return text_get(&t);
}

/* A sum of bools is no layout. */
static bool is_layout(const struct rule *r, const struct signature *c)
{
	for (int k = 0; k <= r->noperands; k++) {
		struct shard_atom atom = k < r->noperands ? c->operand[k] : c->out;
		enum dtype t = k < r->noperands ? r->operand[k].type : r->out.type;
		if (atom.kind == SHARD_P && atom.combiner == SHARD_SUM && t == DT_BOOL)
			return false;
	}
	return true;
}

static int prove_derived(const struct rule *r)
{
	const struct signature *s;
	int n = rule_signatures(arena, r, &s), wrong = 0;
	for (int j = 0; j < n; j++) {
		if (!is_layout(r, &s[j])) {
			printf("derived, but no layout: %s: %s\n", r->name, signature_text(r, &s[j]));
			wrong++;
		}
		for (int k = 2; k <= MAX_RANKS; k++)
			for (uint64_t seed = 0; seed < 2; seed++) {
				counted.runs++;
				if (signature_holds(r, &s[j], k, seed, false))
					continue;
				printf("derived, but wrong on %d ranks: %s: %s\n", k, r->name,
				       signature_text(r, &s[j]));
				wrong++;
			}
	}
	counted.derived += n;
	return wrong;
}

START_TEST(every_derived_signature_gives_the_whole_result)
{
	int wrong = 0;
	for (int i = 0; i < RULES; i++)
		for (int v = 0; v < VARIANTS; v++) {
			const struct rule *r = read_variant(arena, rule_texts[i], (enum variant)v);
			ck_assert_ptr_nonnull(r);
			wrong += prove_derived(r);
			counted.rules += v == EVEN;
		}
	ck_assert_int_eq(wrong, 0);
}
END_TEST

/* The derivative as a rule to prove. A helper may be a divisor: the operands of a rule that reads one are positive. */
static int prove_derivative(struct rule_gradient g)
{
	int kept[MAX_OPERANDS], wrong = 0;
	for (int i = 0; i < MAX_HELPERS && g.helper[i]; i++)
		wrong += prove_derived(rule_prune(arena, g.helper[i], kept));
	if (!g.rule)
		return 0;
	struct rule *r = ARENA_NEW(arena, struct rule);
	*r = *rule_prune(arena, g.rule, kept);
	if (g.helper[0])
		r->name = arena_printf(arena, "%s+", r->name);
	const struct rule *apart = rule_guards_apart(arena, r, kept, &(int){0});
	return wrong + prove_derived(r) + (apart == r ? 0 : prove_derived(apart));
}

/* Gradients and tangents are rules, split by the same code. */
START_TEST(signatures_of_gradients_give_the_whole_result)
{
	int wrong = 0;
	for (int i = 0; i < RULES; i++)
		for (int v = 0; v < VARIANTS; v++) {
			const struct rule *r = read_variant(arena, rule_texts[i], (enum variant)v);
			for (int wrt = 0; wrt < r->noperands; wrt++) {
				wrong += prove_derivative(rule_gradient(arena, r, wrt));
				wrong += prove_derivative(rule_tangent(arena, r, wrt));
			}
		}
	ck_assert_int_eq(wrong, 0);
}
END_TEST

/* ---- candidates that are not derived ---- */

static const struct {
	const char *rule, *signature, *reason;
	bool *used;
} listed[] = {
#define LISTED(rule, signature, reason) {rule, signature, reason, &(bool){false}},
#include "test_op_listed.def"
#undef LISTED
};
enum { LISTED_COUNT = sizeof listed / sizeof *listed };

static struct shard_atom nth_atom(int rank, int n)
{
	if (n == 0)
		return (struct shard_atom){.kind = SHARD_B};
	if (n <= rank)
		return (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)(n - 1)};
	return (struct shard_atom){.kind = SHARD_P, .combiner = n == rank + 1 ? SHARD_SUM : SHARD_MAX};
}

/* Number c of all candidates; false after the last. */
static bool nth_candidate(const struct rule *r, int c, struct signature *s, struct shard_atom *operand)
{
	*s = (struct signature){.operand = operand, .factor = -1, .split_operand = -1};
	for (int k = 0; k <= r->noperands; k++) {
		int rank = k < r->noperands ? r->operand[k].rank : r->out.rank;
		struct shard_atom *atom = k < r->noperands ? &operand[k] : &s->out;
		*atom = nth_atom(rank, c % (rank + 3));
		c /= rank + 3;
	}
	return c == 0;
}

static bool same_layouts(const struct rule *r, const struct signature *a, const struct signature *b)
{
	for (int k = 0; k < r->noperands; k++)
		if (!atom_equal(a->operand[k], b->operand[k]))
			return false;
	return atom_equal(a->out, b->out);
}

static bool is_free(struct shard_atom from, struct shard_atom to)
{
	return atom_equal(from, to) || from.kind == SHARD_B || (from.kind == SHARD_S && to.kind == SHARD_P);
}

static bool is_implied(const struct rule *r, const struct signature *c, const struct signature *derived)
{
	for (int k = 0; k < r->noperands; k++)
		if (!is_free(c->operand[k], derived->operand[k]))
			return false;
	return is_free(derived->out, c->out);
}

/* True if the candidate survives every run. The first run finds most wrong ones. */
static bool survives(struct signature *c, const struct rule *const *variant)
{
	for (int f = -1; f < variant[0]->nfactors; f++) {
		bool holds = true;
		c->factor = f;
		for (int k = 2; k <= 3 && holds; k++)
			for (int v = UNEVEN; v >= EVEN && holds; v--)
				for (uint64_t seed = 0; seed < 6 && holds; seed++)
					holds = signature_holds(variant[v], c, k, seed * 7 + 1, false);
		if (holds)
			return true;
	}
	return false;
}

static bool is_listed(const struct rule *r, const char *signature)
{
	for (int i = 0; i < LISTED_COUNT; i++)
		if (!strcmp(listed[i].rule, r->name) && !strcmp(listed[i].signature, signature)) {
			*listed[i].used = true;
			counted.listed++;
			return true;
		}
	return false;
}

static int refute_candidates(const char *text)
{
	const struct rule *variant[] = {read_variant(arena, text, EVEN), read_variant(arena, text, UNEVEN)};
	const struct rule *r = variant[0];
	const struct signature *derived;
	struct shard_atom operand[MAX_OPERANDS];
	struct signature c;
	int n = rule_signatures(arena, r, &derived), wrong = 0;
	for (int i = 0; nth_candidate(r, i, &c, operand); i++) {
		bool known = !is_layout(r, &c), implied = false;
		for (int j = 0; j < n; j++) {
			known = known || same_layouts(r, &c, &derived[j]);
			implied = implied || is_implied(r, &c, &derived[j]);
		}
		if (known)
			continue;
		counted.candidates++;
		counted.implied += implied;
		if (implied || !survives(&c, variant) || is_listed(r, signature_text(r, &c)))
			continue;
		printf("not derived, but never wrong: LISTED(\"%s\", \"%s\", )\n", r->name, signature_text(r, &c));
		wrong++;
	}
	return wrong;
}

START_TEST(every_other_signature_fails_or_is_listed)
{
	int wrong = 0;
	for (int i = 0; i < RULES; i++)
		wrong += refute_candidates(rule_texts[i]);
	for (int i = 0; i < LISTED_COUNT; i++) {
		if (!*listed[i].used)
			printf("listed in vain: %s: %s\n", listed[i].rule, listed[i].signature);
		wrong += !*listed[i].used;
	}
	ck_assert_int_eq(wrong, 0);
}
END_TEST

/* ---- mutants ---- */

static const struct mutant {
	const char *what, *rule;
	struct shard_atom operand[3], out;
	int factor;
	bool forget_origin, forget_guard;
} mutants[] = {
#define B \
	{ \
		.kind = SHARD_B \
	}
#define S(d) \
	{ \
		.kind = SHARD_S, .dim = d \
	}
#define P(c) \
	{ \
		.kind = SHARD_P, .combiner = SHARD_##c \
	}
	{"linear in each taken as jointly linear", "mul", {P(SUM), P(SUM)}, P(SUM), -1, false, false},
	{"linear in each taken as jointly linear, reduced", "matmul", {P(SUM), P(SUM)}, P(SUM), -1, false, false},
	{"jointly linear taken as linear in each", "add", {P(SUM), B}, P(SUM), -1, false, false},
	{"a bias added on every rank of a sum", "bias", {P(SUM), B}, P(SUM), -1, false, false},
	{"nonlinear taken as linear", "relu", {P(SUM)}, P(SUM), -1, false, false},
	{"divisor taken as linear", "div+", {B, P(SUM)}, P(SUM), -1, false, false},
	{"product of one operand taken as linear", "square", {P(SUM)}, P(SUM), -1, false, false},
	{"rounding of parts", "to_int", {P(SUM)}, P(SUM), -1, false, false},
	{"a condition over parts", "leaky", {P(SUM)}, P(SUM), -1, false, false},
	{"falling function taken as rising", "neg", {P(MAX)}, P(MAX), -1, false, false},
	{"undefined below zero", "log+", {P(MAX)}, P(MAX), -1, false, false},
	{"maximum for a sum", "sum", {S(1)}, P(MAX), 1, false, false},
	{"sum for a maximum", "max_of", {S(1)}, P(SUM), 1, false, false},
	{"sum of maxima", "max_of", {P(SUM)}, P(SUM), -1, false, false},
	{"unfinished sum taken as finished", "matmul", {S(1), S(0)}, B, 1, false, false},
	{"wrong dimension of the result", "matmul", {S(0), B}, S(1), 0, false, false},
	{"position in the shard taken for the position", "argmax", {S(1)}, P(MAX), 1, false, false},
	{"shard on a window", "conv1d", {S(0), B}, S(0), 0, false, false},
	{"shard on a window, one rank's points", "conv2d", {S(2), B}, S(2), 2, false, false},
	{"shard on a window with a step", "max_pool", {S(1)}, S(1), 1, false, false},
	{"shard on a slice", "slice", {S(0)}, S(0), 0, false, false},
	{"mask without the shard's origin", "causal", {S(1)}, S(1), 1, true, false},
	{"positions without the shard's origin", "iota", {B}, S(0), 0, true, false},
	{"random numbers that depend on the ranks", "uniform", {B}, S(0), 0, true, false},
	{"window without the shard's origin", "conv1d", {B, B}, S(0), 0, true, false},
	{"table rows without a guard", "embed", {S(0), B}, P(SUM), -1, false, true},
	{"table in parts taken as finished", "embed", {S(0), B}, B, -1, false, false},
	{"maximum of table parts", "embed", {S(0), B}, P(MAX), -1, false, false},
	{"scatter of split indices taken as finished", "scatter_add", {S(0), S(0)}, B, 0, false, false},
	{"scatter of split indices joined by max", "scatter_add", {S(0), S(0)}, P(MAX), 0, false, false},
	{"scatter into shards without a guard", "scatter_add", {B, B}, S(0), -1, false, true},
	{"unfinished indices", "embed", {B, P(SUM)}, P(SUM), -1, false, false},
	{"overlapping shards taken as split", "overlap_add", {S(0), B}, S(0), 0, false, false},
	{"padding served by shards as maximum", "pad", {S(0)}, P(MAX), -1, false, false},
#undef B
#undef S
#undef P
};

static const struct rule *find_rule(const char *name, enum variant v)
{
	size_t n = strlen(name);
	for (int i = 0; i < RULES; i++)
		if (!strncmp(rule_texts[i], name, n) && rule_texts[i][n] == '(')
			return read_variant(arena, rule_texts[i], v);
	return NULL;
}

static const struct rule *without_guards(const struct rule *r)
{
	struct rule *q = ARENA_NEW(arena, struct rule);
	*q = *r;
	struct access *operand = rule_own_operands(arena, q, 0);
	for (int k = 0; k <= r->noperands; k++)
		for (int d = 0; d < MAX_RANK; d++)
			(k < r->noperands ? &operand[k] : &q->out)->index[d].guarded = false;
	return q;
}

static bool is_caught(const struct mutant *m)
{
	struct signature s = {.operand = m->operand, .out = m->out, .factor = m->factor, .split_operand = -1};
	for (uint64_t seed = 0; seed < 4; seed++) {
		const struct rule *r = find_rule(m->rule, seed & 1 ? EVEN : UNEVEN);
		ck_assert_msg(r != NULL, "no rule %s", m->rule);
		if (!signature_holds(r, &s, 2, seed, m->forget_origin) && !m->forget_guard)
			return true;
		/* Without its guard the access is reported as one that leaves its array; with it the signature holds.
		 */
		struct arena *scratch = arena_new("mutant");
		union scalar_value *x[MAX_OPERANDS], *out = new_values(scratch, access_volume(&r->out));
		random_operands(scratch, r, false, &(uint64_t){seed}, x);
		bool caught = m->forget_guard && !rule_try_interpret(without_guards(r), x, out, NULL);
		arena_free(scratch);
		if (caught)
			return true;
	}
	return false;
}

START_TEST(planted_mistakes_are_found)
{
	for (size_t i = 0; i < sizeof mutants / sizeof *mutants; i++)
		ck_assert_msg(is_caught(&mutants[i]), "%s (%s) is not found", mutants[i].what, mutants[i].rule);
}
END_TEST

/* None of the mutants' signatures is derived, or the suite would contradict itself. */
START_TEST(planted_mistakes_are_not_derived)
{
	for (size_t i = 0; i < sizeof mutants / sizeof *mutants; i++) {
		const struct mutant *m = &mutants[i];
		const struct rule *r = find_rule(m->rule, EVEN);
		const struct signature *derived, s = {.operand = m->operand, .out = m->out};
		int n = rule_signatures(arena, r, &derived);
		for (int j = 0; j < n && !m->forget_guard && !m->forget_origin; j++)
			ck_assert_msg(!same_layouts(r, &s, &derived[j]), "%s (%s) is derived", m->what, m->rule);
	}
}
END_TEST

int main(void)
{
	arena = arena_new("test_op_rules");
	Suite *suite;
	TCase *tc = suite_begin(&suite, "op rules");
	tcase_add_test(tc, every_derived_signature_gives_the_whole_result);
	tcase_add_test(tc, signatures_of_gradients_give_the_whole_result);
	tcase_add_test(tc, every_other_signature_fails_or_is_listed);
	tcase_add_test(tc, planted_mistakes_are_found);
	tcase_add_test(tc, planted_mistakes_are_not_derived);
	int failed = suite_end_counting(suite);
	printf("%d rules: %d derived signatures held in %d simulations; of %d other candidates %d follow by free "
	       "conversions, "
	       "%d are listed, all others failed; %d mutants found\n",
	       counted.rules, counted.derived, counted.runs, counted.candidates, counted.implied, counted.listed,
	       (int)(sizeof mutants / sizeof *mutants));
	arena_free(arena);
	return failed;
}
