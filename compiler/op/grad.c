/* grad.c — gradient and tangent of a rule, which are rules again: da[Ia] += g[Io] * ∂body/∂a over the same points,
 * written as a gather where that is possible (gather.c). y and g are read where the rule writes, so the gradient of a
 * scatter reads through data, and that of a read through data is a scatter.
 *
 * max, min: only points that attain y get a share, g divided by their number, which a helper counts; where y is NaN,
 * all get NaN.
 * prod: a point gets g times the product of all others, which is exact where elements are zero, and closed under
 * differentiation. A helper computes it over a second copy of the reduced factors, leaving one point out; or, along one
 * factor, two do, of those before the point and of those behind it, which are cumulative products. */
#include "gather.h"
#include "intern.h"

struct derivation {
	struct arena *arena;
	const struct rule *rule;
	int wrt, n; /* operands of the rule */
};

static const char *named(struct derivation *d, const char *what)
{
	int round = d->wrt / 26;
	const char *number = round ? arena_printf(d->arena, "%d", round) : "";
	return arena_printf(d->arena, "%s(%s)/d%c%s", what, d->rule->name, 'a' + d->wrt % 26, number);
}

static const struct scalar *product(struct derivation *d, const struct scalar *x, const struct scalar *y)
{
	return scalar_flow(d->arena, x, y);
}

/* y is rounded to its type; a body of 16 bits is compared as such, too. */
static const struct scalar *attains(struct derivation *d)
{
	const struct rule *r = d->rule;
	const struct scalar *x = r->body, *y = scalar_operand(d->arena, r->out.type, d->n);
	if (dtype_is_narrow(r->out.type) && x->kind == SCALAR_APPLY) {
		x = scalar_narrowed(d->arena, scalar_widened(d->arena, x), r->out.type);
		y = scalar_widened(d->arena, y);
	}
	return scalar_apply(d->arena, SC_EQ, DT_BOOL, x, y, NULL);
}

/* What a point gets that does not attain y: 0, or, where y is NaN and none does, that, if y hangs on it. */
static const struct scalar *beside_extremum(struct derivation *d, const struct scalar *partial)
{
	enum dtype t = d->rule->out.type;
	const struct scalar *y = scalar_operand(d->arena, t, d->n);
	return scalar_apply(d->arena, SC_WHERE, t, scalar_apply(d->arena, SC_EQ, DT_BOOL, y, y, NULL),
			    scalar_float(d->arena, t, 0), product(d, y, partial));
}

static bool is_extremum(const struct rule *r)
{
	return r->combiner == COMBINE_MAX || r->combiner == COMBINE_MIN;
}

/* The rule with y as a further operand. */
static struct rule *with_result(struct derivation *d, const char *name)
{
	struct rule *q = ARENA_NEW(d->arena, struct rule);
	*q = *d->rule;
	q->name = name;
	q->hint = HINT_NONE;
	rule_add_operand(d->arena, q, &d->rule->out);
	return q;
}

static const struct rule *count_extrema(struct derivation *d)
{
	struct rule *q = with_result(d, arena_printf(d->arena, "count(%s)", d->rule->name));
	enum dtype t = d->rule->out.type;
	q->combiner = COMBINE_SUM;
	q->body = scalar_apply(d->arena, SC_WHERE, t, attains(d), scalar_float(d->arena, t, 1),
			       scalar_float(d->arena, t, 0));
	return q;
}

static struct access all_factors(const struct rule *r)
{
	struct access at = {.type = r->out.type, .rank = r->nfactors};
	for (int f = 0; f < r->nfactors && f < MAX_RANK; f++) {
		at.dim[f] = r->factor[f].extent;
		at.index[f] = index_of_factor(f);
	}
	return at;
}

/* Which points of the second copy a product takes: all but the point itself, or those before or behind it. */
enum others { OTHERS, BEFORE, BEHIND };

static const struct scalar *is_taken(struct derivation *d, enum others which, int factor, int copy)
{
	const struct scalar *at = scalar_factor(d->arena, factor), *other = scalar_factor(d->arena, copy);
	if (which == OTHERS)
		return scalar_apply(d->arena, SC_NE, DT_BOOL, at, other, NULL);
	return which == BEFORE ? scalar_apply(d->arena, SC_LT, DT_BOOL, other, at, NULL)
			       : scalar_apply(d->arena, SC_LT, DT_BOOL, at, other, NULL);
}

/* others[all factors] = prod[k'] where(k' is taken, body at k', 1). */
static const struct rule *product_of(struct derivation *d, enum others which)
{
	static const char *const names[] = {[OTHERS] = "others", [BEFORE] = "before", [BEHIND] = "behind"};
	const struct rule *r = d->rule;
	struct rule *q = with_result(d, arena_printf(d->arena, "%s(%s)", names[which], r->name));
	int copy[MAX_FACTORS];
	const struct scalar *taken = NULL;
	for (int f = 0; f < r->nfactors; f++) {
		copy[f] = f;
		if (!rule_reduces(r, f))
			continue;
		copy[f] = q->nfactors;
		q->factor[q->nfactors++] = r->factor[f];
		const struct scalar *is = is_taken(d, which, f, copy[f]);
		taken = taken ? scalar_apply(d->arena, SC_OR, DT_BOOL, taken, is, NULL) : is;
	}
	struct access *operand = rule_own_operands(d->arena, q, 0);
	for (int k = 0; k < r->noperands; k++)
		access_rename_factors(&operand[k], copy);
	q->out = all_factors(r);
	q->body = scalar_substitute(d->arena, r->body, NULL, copy);
	if (taken)
		q->body = scalar_apply(d->arena, SC_WHERE, r->out.type, taken, q->body,
				       scalar_float(d->arena, r->out.type, 1));
	else
		q->body = scalar_float(d->arena, r->out.type, 1);
	return q;
}

/* Whether there are the products before and behind each point, and no more of them than elements of an operand: points
 * along several factors have no order. */
static bool has_order(const struct rule *r)
{
	int reduced = 0, rank = 0;
	for (int f = 0; f < r->nfactors; f++)
		reduced += rule_reduces(r, f);
	for (int k = 0; k < r->noperands; k++)
		rank = r->operand[k].rank > rank ? r->operand[k].rank : rank;
	return reduced == 1 && r->nfactors <= rank;
}

/* Why the product of the others cannot be written, or NULL. */
static const char *check_product(struct derivation *d)
{
	const struct rule *r = d->rule;
	int n = r->nfactors;
	for (int f = 0; f < r->nfactors; f++)
		n += rule_reduces(r, f);
	if (rule_is_scatter(r))
		return arena_printf(d->arena, "the derivative of `%s`, a scattered product, is not supported", r->name);
	if (n > MAX_FACTORS || r->nfactors > MAX_RANK)
		return arena_printf(d->arena,
				    "the derivative of the product `%s` needs %d factors and a tensor of rank %d; "
				    "%d and %d are possible",
				    r->name, n, r->nfactors, MAX_FACTORS, MAX_RANK);
	return NULL;
}

/* A further operand of q, for which the helper is: its number. */
static int add_helper(struct derivation *d, struct rule *q, struct rule_gradient *g, const struct rule *helper)
{
	int i = 0;
	while (g->helper[i])
		i++;
	g->helper[i] = helper;
	rule_add_operand(d->arena, q, &helper->out);
	return d->n + 2 + i;
}

/* g times the product of the others. */
static const struct scalar *product_share(struct derivation *d, struct rule *q, const struct scalar *flow,
					  struct rule_gradient *g)
{
	enum others first = has_order(d->rule) ? BEFORE : OTHERS, last = first == BEFORE ? BEHIND : OTHERS;
	for (enum others which = first; which <= last; which++) {
		int i = add_helper(d, q, g, product_of(d, which));
		flow = product(d, flow, scalar_operand(d->arena, d->rule->out.type, i));
	}
	return flow;
}

/* Sets what the combiner needs: helpers and how much of `flow` (cotangent or tangent, operand n + 1) each point gets. */
static const struct scalar *share(struct derivation *d, struct rule *q, const struct scalar *partial,
				  const struct scalar *flow, struct rule_gradient *g)
{
	enum dtype t = d->rule->out.type;
	if (is_extremum(d->rule)) {
		const struct scalar *count = scalar_operand(d->arena, t, add_helper(d, q, g, count_extrema(d)));
		flow = product(d, scalar_apply(d->arena, SC_DIV, t, flow, count, NULL), partial);
		return scalar_apply(d->arena, SC_WHERE, t, attains(d), flow, beside_extremum(d, partial));
	}
	if (d->rule->combiner == COMBINE_PROD)
		flow = product_share(d, q, flow, g);
	return product(d, scalar_narrow_beside(d->arena, flow, partial), partial);
}

/* ∂body/∂wrt, or NULL if there is nothing to do; then g->error may say why. */
static const struct scalar *begin(struct derivation *d, struct rule_gradient *g)
{
	const struct rule *r = d->rule;
	int helpers = is_extremum(r) ? 1 : r->combiner == COMBINE_PROD ? MAX_HELPERS : 0;
	if (!dtype_is_float(r->operand[d->wrt].type) || !dtype_is_float(r->out.type) || !dtype_is_float(r->body->type))
		return NULL;
	const struct scalar *partial = scalar_derive(d->arena, r->body, d->wrt);
	if (scalar_is_zero(partial))
		return NULL;
	if (d->n + 2 + helpers > MAX_GIVEN_OPERANDS)
		g->error = arena_printf(d->arena, "the derivative of `%s` needs %d operands, at most %d are possible",
					r->name, d->n + 2 + helpers, MAX_GIVEN_OPERANDS);
	else if (r->combiner == COMBINE_PROD)
		g->error = check_product(d);
	return g->error ? NULL : partial;
}

static bool is_factor(const struct scalar *s)
{
	return s->kind == SCALAR_OPERAND || (scalar_narrows(s) != DT_COUNT && s->arg[0]->kind == SCALAR_OPERAND);
}

/* A sum of products of two operands stays a contraction. */
static enum kernel_hint contraction_hint(const struct rule *of, const struct rule *q)
{
	const struct scalar *b = q->body;
	bool two = b->kind == SCALAR_APPLY && b->fn == SC_MUL && is_factor(b->arg[0]) && is_factor(b->arg[1]);
	return two && q->combiner == COMBINE_SUM ? of->hint : HINT_NONE;
}

static struct rule_gradient gradient(struct arena *a, const struct rule *r, int wrt)
{
	struct derivation d = {.arena = a, .rule = r, .wrt = wrt, .n = r->noperands};
	struct rule_gradient g = {0};
	const struct scalar *partial = begin(&d, &g);
	if (!partial)
		return g;
	struct rule *q = with_result(&d, named(&d, "d"));
	rule_add_operand(a, q, &r->out);
	q->body = share(&d, q, partial, scalar_operand(a, r->out.type, d.n + 1), &g);
	q->body = scalar_apply(a, SC_CAST, r->operand[wrt].type, q->body, NULL, NULL);
	q->out = r->operand[wrt];
	rule_gather(a, q, d.n + 1);
	rule_solve_quotients(a, q, d.n + 1);
	q->hint = contraction_hint(r, q);
	g.rule = q;
	return g;
}

struct rule_gradient rule_gradient(struct arena *a, const struct rule *r, int wrt)
{
	struct rule_facts *facts = rule_facts(r);
	if (!facts)
		return gradient(a, r, wrt);
	if (!facts->gradient[wrt]) {
		struct rule_gradient *kept = ARENA_NEW(rules_arena(facts->table), struct rule_gradient);
		*kept = gradient(rules_arena(facts->table), r, wrt);
		kept->rule = kept->rule ? rule_intern(facts->table, kept->rule) : NULL;
		for (int i = 0; i < MAX_HELPERS && kept->helper[i]; i++)
			kept->helper[i] = rule_intern(facts->table, kept->helper[i]);
		facts->gradient[wrt] = kept;
	}
	return *facts->gradient[wrt];
}

struct rule_gradient rule_tangent(struct arena *a, const struct rule *r, int wrt)
{
	struct derivation d = {.arena = a, .rule = r, .wrt = wrt, .n = r->noperands};
	struct rule_gradient g = {0};
	const struct scalar *partial = begin(&d, &g);
	if (!partial)
		return g;
	struct rule *q = with_result(&d, named(&d, "tangent "));
	rule_add_operand(a, q, &r->operand[wrt]);
	const struct scalar *t = scalar_operand(a, r->operand[wrt].type, d.n + 1);
	t = scalar_apply(a, SC_CAST, r->body->type, t, NULL, NULL);
	q->body = share(&d, q, partial, t, &g);
	q->combiner = r->combiner == COMBINE_NONE ? COMBINE_NONE : COMBINE_SUM;
	q->hint = contraction_hint(r, q);
	g.rule = q;
	return g;
}
