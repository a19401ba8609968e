/* test_op_random.c — random rules: any index map, body and combiner that rule_check accepts. Derived signatures must
 * hold on simulated ranks, gradients must agree with central differences, and the text form must read back equal;
 * mutated text must be refused or read, never crash. Finds what a list written by hand does not think of.
 * OP_RANDOM_RULES sets the number. */
#include "test_op_derive.h"
#include "suite.h"

static struct {
	int rules, signatures, gradients, texts, refused;
} counted;

/* ---- random rules ---- */

static struct index random_index(const struct rule *r, uint64_t *s)
{
	struct index x = index_of_factor((int)random_below(s, r->nfactors));
	int64_t kind = random_below(s, 10);
	if (kind < 6)
		return x;
	x.term[0].coef = kind == 9 ? -1 : 1 + random_below(s, 2);
	x.offset = random_below(s, 4) - 1;
	x.div = kind == 8 ? 2 : 1;
	int second = (int)random_below(s, r->nfactors);
	if (kind < 9 && second != x.term[0].factor) {
		x.term[1].factor = second;
		x.term[1].coef = 1 + random_below(s, 2);
		x.nterms = 2;
	}
	if (kind == 7 && random_below(s, 3) == 0)
		x.nterms = 0;
	return x;
}

/* The extent that holds the index, or often a smaller or larger one. */
static int64_t random_dim(const struct rule *r, const struct index *x, uint64_t *s)
{
	int64_t low = 0, high = 0;
	index_range(r, x, &low, &high);
	int64_t natural = high / x->div + 1 > 1 ? high / x->div + 1 : 1;
	int64_t pick = index_factor(x) >= 0 ? random_below(s, 12) : random_below(s, 4);
	return pick == 0 ? 1 + random_below(s, natural) : pick == 1 ? natural + random_below(s, 3) : natural;
}

static void random_access(struct rule *r, struct access *at, int max_rank, int data, uint64_t *s)
{
	at->type = DT_F64;
	at->rank = (int)random_below(s, max_rank + 1);
	for (int d = 0; d < at->rank; d++) {
		at->index[d] = random_index(r, s);
		at->dim[d] = random_dim(r, &at->index[d], s);
		at->index[d].guarded = index_needs_guard(r, &at->index[d], at->dim[d]);
		if (data >= 0 && random_below(s, 2) == 0) {
			at->index[d] = (struct index){.div = 1, .data = data, .guarded = true};
			at->dim[d] = 4; /* one extent, so that one range of values fits */
		}
	}
}

/* Mostly some factors in any order; sometimes any access. */
static void random_result(struct rule *r, int data, uint64_t *s)
{
	if (random_below(s, 4) == 0) {
		random_access(r, &r->out, 3, data, s);
		return;
	}
	bool used[MAX_FACTORS] = {false};
	r->out = (struct access){.type = DT_F64};
	for (int k = 0; k < r->nfactors; k++) {
		int f = (int)random_below(s, r->nfactors);
		if (used[f] || random_below(s, 4) == 0)
			continue;
		used[f] = true;
		r->out.dim[r->out.rank] = r->factor[f].extent;
		r->out.index[r->out.rank++] = index_of_factor(f);
	}
}

static const struct scalar *random_body(const struct rule *r, int depth, uint64_t *s);

static const struct scalar *random_leaf(const struct rule *r, uint64_t *s)
{
	int64_t kind = random_below(s, 8);
	int k = (int)random_below(s, r->noperands);
	if (kind < 5 && dtype_is_float(r->operand[k].type))
		return scalar_operand(arena, DT_F64, k);
	if (kind == 5)
		return scalar_apply(arena, SC_CAST, DT_F64, scalar_factor(arena, (int)random_below(s, r->nfactors)),
				    NULL, NULL);
	return scalar_float(arena, DT_F64, 0.5 * (double)(random_below(s, 9) - 4));
}

static const struct scalar *random_condition(const struct rule *r, uint64_t *s)
{
	const struct scalar *x = scalar_factor(arena, (int)random_below(s, r->nfactors));
	return scalar_apply(arena, random_below(s, 2) ? SC_LT : SC_GE, DT_BOOL, x,
			    scalar_int(arena, DT_I64, random_below(s, 4)), NULL);
}

static const struct scalar *random_body(const struct rule *r, int depth, uint64_t *s)
{
	static const enum scalar_fn one[] = {SC_NEG, SC_TANH, SC_SIN, SC_ABS, SC_ERF, SC_COS};
	static const enum scalar_fn two[] = {SC_ADD, SC_MUL, SC_MUL, SC_SUB, SC_MAX, SC_MIN};
	int64_t kind = random_below(s, 8);
	if (depth == 0 || kind == 0)
		return random_leaf(r, s);
	const struct scalar *x = random_body(r, depth - 1, s);
	if (kind == 1)
		return scalar_apply(arena, one[random_below(s, 6)], DT_F64, x, NULL, NULL);
	const struct scalar *y = random_body(r, depth - 1, s);
	if (kind == 2)
		return scalar_apply(arena, SC_WHERE, DT_F64, random_condition(r, s), x, y);
	return scalar_apply(arena, two[random_below(s, 6)], DT_F64, x, y, NULL);
}

/* NULL if the dice gave none that rule_check accepts. */
static const struct rule *random_rule(uint64_t *s)
{
	static const char *const names[] = {"i", "j", "k", "l"};
	struct rule *r = ARENA_NEW(arena, struct rule);
	r->name = "random";
	r->nfactors = 1 + (int)random_below(s, 4);
	for (int f = 0; f < r->nfactors; f++)
		r->factor[f] = (struct factor){names[f], random_below(s, 12) ? 1 + random_below(s, 4) : 0};
	r->noperands = 1 + (int)random_below(s, 3);
	struct access *operand = ARENA_ARRAY(arena, struct access, r->noperands);
	r->operand = operand;
	int data = r->noperands > 1 && random_below(s, 3) == 0 ? r->noperands - 1 : -1;
	for (int k = 0; k < r->noperands; k++)
		random_access(r, &operand[k], 3, k == data ? -1 : data, s);
	if (data >= 0)
		operand[data].type = DT_I32;
	random_result(r, data, s);
	r->body = random_body(r, 3, s);
	r->combiner = (enum combiner)random_below(s, COMBINE_ARGMAX);
	if (r->combiner == COMBINE_NONE && rule_check(arena, r))
		r->combiner = COMBINE_SUM;
	return rule_check(arena, r) ? NULL : r;
}

static int64_t points(const struct rule *r)
{
	int64_t n = 1;
	for (int f = 0; f < r->nfactors; f++)
		n *= r->factor[f].extent;
	return n;
}

static const char *text_of(const struct rule *r)
{
	struct text t;
	text_init(&t, arena);
	rule_print(&t, r);
	return text_get(&t);
}

/* ---- what must hold ---- */

static int prove(const struct rule *r, uint64_t seed)
{
	const struct signature *s;
	int n = rule_signatures(arena, r, &s), wrong = 0;
	for (int j = 0; j < n; j++)
		for (int k = 2; k <= 3; k++) {
			struct text t;
			counted.signatures++;
			if (signature_holds(r, &s[j], k, seed, false))
				continue;
			text_init(&t, arena);
			signature_print(&t, r, &s[j]);
			printf("on %d ranks: %s: %s\n", k, text_get(&t), text_of(r));
			wrong++;
		}
	return wrong;
}

static bool has_derivative(const struct rule *r)
{
	for (int k = 0; k < r->noperands; k++)
		if (rule_gradient(arena, r, k).error)
			return false;
	return true;
}

/* The largest and the second largest candidate of an extremum may be nearer than the step: such a case proves nothing,
 * and it shows by the difference quotient being different with a smaller step. So a mismatch must repeat with other
 * numbers. */
static int derivative_is_wrong(const struct rule *r, int wrt, uint64_t seed)
{
	for (int attempt = 0; attempt < 3; attempt++) {
		struct problem p = {.rule = r};
		uint64_t s = seed + (uint64_t)attempt * 1000;
		random_operands(arena, r, true, &s, p.x);
		p.g = random_cotangent(&r->out, &s);
		union scalar_value *dx = new_values(arena, access_volume(&r->operand[wrt]));
		pull(r, p.x, p.g, wrt, NULL, 0, dx);
		if (compare(first_order, &p, wrt, dx) < 20 * TOLERANCE)
			return 0;
	}
	printf("gradient for operand %d: %s\n", wrt, text_of(r));
	return 1;
}

static int check_gradients(const struct rule *r, uint64_t seed)
{
	int wrong = 0, kept[MAX_OPERANDS];
	for (int k = 0; k < r->noperands; k++) {
		if (!dtype_is_float(r->operand[k].type))
			continue;
		struct rule_gradient g = rule_gradient(arena, r, k);
		counted.gradients++;
		wrong += derivative_is_wrong(r, k, seed);
		if (g.rule && !g.helper[0])
			wrong += prove(rule_prune(arena, g.rule, kept), seed);
	}
	return wrong;
}

static int check_text(const struct rule *r)
{
	const char *error;
	const struct rule *back = rule_read(arena, text_of(r), &error);
	counted.texts++;
	if (back && rule_equal(back, r))
		return 0;
	printf("%s\n%s\n", text_of(r), back ? text_of(back) : error);
	return 1;
}

/* One to three characters of the text are changed, doubled or dropped. */
static void check_mutated_text(const struct rule *r, uint64_t *s)
{
	static const char alphabet[] = "abijk0123456789[](){}+-*/:?,=<>!&|. eE%_";
	char *text = arena_strdup(arena, text_of(r));
	size_t n = strlen(text);
	const char *error;
	for (int64_t changes = 1 + random_below(s, 3); changes > 0; changes--) {
		size_t at = (size_t)random_below(s, (int64_t)n);
		if (random_below(s, 3) == 0)
			memmove(text + at, text + at + 1, n - at);
		else
			text[at] = alphabet[random_below(s, sizeof alphabet - 1)];
		n = strlen(text);
		if (n == 0)
			return;
	}
	const struct rule *q = rule_read(arena, text, &error);
	const struct signature *sig;
	counted.refused += q == NULL;
	if (!q)
		return;
	rule_signatures(arena, q, &sig);
	for (int k = 0; k < q->noperands; k++)
		rule_gradient(arena, q, k);
}

START_TEST(random_rules_keep_every_promise)
{
	const char *wanted = getenv("OP_RANDOM_RULES");
	int wrong = 0, n = wanted ? atoi(wanted) : 1200;
	for (uint64_t i = 0; counted.rules < n && wrong < 5; i++) {
		uint64_t s = i * 7919 + 13;
		arena = arena_new("random rule");
		const struct rule *r = random_rule(&s);
		if (r && points(r) <= 200) {
			counted.rules++;
			wrong += check_text(r) + prove(r, i);
			if (has_derivative(r))
				wrong += check_gradients(r, i);
			for (int k = 0; k < 5; k++)
				check_mutated_text(r, &s);
		}
		arena_free(arena);
	}
	ck_assert_int_eq(wrong, 0);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *tc = suite_begin(&suite, "op random");
	tcase_add_test(tc, random_rules_keep_every_promise);
	int failed = suite_end_counting(suite);
	printf("%d random rules: %d simulations, %d gradients, %d texts read back, %d mutated texts refused\n",
	       counted.rules, counted.signatures, counted.gradients, counted.texts, counted.refused);
	return failed;
}
