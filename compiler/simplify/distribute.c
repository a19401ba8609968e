/* distribute.c — a sum of products of several tensors is computed from sums of products of two, which matrix
 * multiplications compute:
 *
 *   sum[c, d] x[i, c] * w[c, d] * y[j, d]     becomes     t[i, d] = sum[c] x * w  and  sum[d] t * y
 *   sum[k] a[i, k] * s[k] * b[k, j]           becomes     t[k, j] = s * b         and  sum[k] a * t
 *
 * where that takes at most half the work: einsums of three operands, and what gradients make of them. Each sum has the
 * layouts that the whole had: it is linear in its operands, and a dimension that is summed away inside leaves parts of
 * a sum, which go on.
 *
 * It adds up in another order, so nothing is done with --reproducible. */
#include "simplify.h"

/* MOST_TERMS: of those that are looked at, since all orders are. As long as a point of a matrix product takes: an
 * element that is stored and read again (POINTS_OF_ELEMENT), a point of a loop over all terms. */
enum { MOST_TERMS = 6, POINTS_OF_ELEMENT = 32, POINTS_OF_LOOP = 4 };

/* The factors of a product, by what they depend on: bits of indices. */
struct product {
	int n;
	const struct scalar *value[MOST_TERMS];
	uint32_t depends[MOST_TERMS];
};

/* What a sum inside computes: a term, or two (second < 0: one), over `gone`. */
struct inner {
	int first, second;
	uint32_t gone;
};

static uint32_t used_by_access(const struct access *x)
{
	uint32_t used = 0;
	for (int d = 0; d < x->rank; d++)
		for (int i = 0; i < x->index[d].nterms; i++)
			used |= UINT32_C(1) << x->index[d].term[i].factor;
	return used;
}

static uint32_t used_by(const struct rule *r, const struct scalar *s)
{
	uint32_t used = 0;
	for (int i = 0; i < r->noperands; i++)
		if (scalar_uses_operand(s, i))
			used |= used_by_access(&r->operand[i]);
	for (int f = 0; f < r->nfactors; f++)
		if (scalar_uses_factor(s, f))
			used |= UINT32_C(1) << f;
	return used;
}

/* False if there are too many. */
static bool add_terms(const struct rule *r, const struct scalar *s, struct product *p)
{
	if (s->kind == SCALAR_APPLY && s->fn == SC_MUL)
		return add_terms(r, s->arg[0], p) && add_terms(r, s->arg[1], p);
	if (p->n == MOST_TERMS)
		return false;
	p->depends[p->n] = used_by(r, s);
	p->value[p->n++] = s;
	return true;
}

static double points(const struct rule *r, uint32_t factors)
{
	double n = 1;
	for (int f = 0; f < r->nfactors; f++)
		if (factors >> f & 1)
			n *= (double)r->factor[f].extent;
	return n;
}

/* What a term depends on, or two (second < 0: one). */
static uint32_t depends_on(const struct product *p, int first, int second)
{
	return p->depends[first] | (second < 0 ? 0 : p->depends[second]);
}

/* What is summed over and no term but these depends on. */
static uint32_t gone_with(const struct product *p, uint32_t reduced, int first, int second)
{
	uint32_t gone = depends_on(p, first, second) & reduced;
	for (int i = 0; i < p->n; i++)
		if (i != first && i != second)
			gone &= ~p->depends[i];
	return gone;
}

static struct product without(const struct product *p, const struct inner *in, const struct scalar *instead)
{
	struct product q = {0};
	for (int i = 0; i < p->n; i++)
		if (i != in->first && i != in->second) {
			q.depends[q.n] = p->depends[i];
			q.value[q.n++] = p->value[i];
		}
	q.depends[q.n] = depends_on(p, in->first, in->second) & ~in->gone;
	q.value[q.n++] = instead;
	return q;
}

/* What it takes to sum all terms at once. Those of which one depends on everything are read in passes over that one. */
static double at_once(const struct rule *r, const struct product *p, uint32_t all)
{
	int n = 0;
	for (int i = 0; i < p->n; i++) {
		if (p->depends[i] == all)
			return points(r, all);
		n += p->depends[i] != 0;
	}
	return (n > 2 ? POINTS_OF_LOOP : 1) * points(r, all);
}

/* What the cheapest order of sums takes; *best: the first of them, first < 0 if that is all at once. */
static double cheapest(const struct rule *r, const struct product *p, uint32_t reduced, uint32_t kept,
		       struct inner *best)
{
	uint32_t all = reduced | kept;
	double least = at_once(r, p, all);
	best->first = -1;
	for (int i = 0; i < p->n; i++)
		for (int k = -1; p->n > 1 && k < i; k++) {
			struct inner in = {i, k, gone_with(p, reduced, i, k)}, next;
			uint32_t here = depends_on(p, i, k);
			if (k < 0 && !in.gone)
				continue;
			struct product rest = without(p, &in, NULL);
			double cost = points(r, here) + POINTS_OF_ELEMENT * points(r, here & ~in.gone) +
				      cheapest(r, &rest, reduced & ~in.gone, kept, &next);
			if (cost < least) {
				least = cost;
				*best = in;
			}
		}
	return least;
}

/* The rule without the factors in `gone`, which nothing in it depends on. */
static const struct rule *over_others(struct arena *a, const struct rule *r, uint32_t gone)
{
	for (int f = r->nfactors - 1; f >= 0; f--)
		if (gone >> f & 1)
			r = simplify_without_factor(a, r, f);
	return r;
}

/* An operand that is not read would drop points and do nothing else. */
static bool reads_all(const struct rule *r)
{
	for (int i = 0; i < r->noperands; i++)
		if (!scalar_uses_operand(r->body, i))
			return false;
	return true;
}

static bool has_data(const struct rule *r)
{
	for (int i = 0; i < r->noperands; i++)
		if (rule_reads_index(r, i))
			return true;
	return false;
}

static bool is_candidate(const struct node *n)
{
	return n->kind == NODE_MAP && n->rule->combiner == COMBINE_SUM && n->rule->body->kind == SCALAR_APPLY &&
	       n->rule->body->fn == SC_MUL && (n->dtype == DT_F32 || n->dtype == DT_F64) && !rule_is_scatter(n->rule) &&
	       !has_data(n->rule) && reads_all(n->rule);
}

/* A tensor over the factors in `over`, in their order. */
static struct access over_factors(const struct rule *r, uint32_t over, enum dtype t)
{
	struct access x = {.type = t};
	for (int f = 0; f < r->nfactors; f++)
		if (over >> f & 1) {
			x.dim[x.rank] = r->factor[f].extent;
			x.index[x.rank++] = index_of_factor(f);
		}
	return x;
}

/* A sum as it is made: a rule over the inputs of a node that its body reads, and one more behind them, if there is one.
 */
struct summed {
	struct rule rule;
	struct node *in[MAX_OPERANDS];
};

static struct summed sum_of(struct arena *a, const struct node *n, const struct scalar *body, const struct access *more)
{
	struct summed s = {.rule = *n->rule};
	const struct scalar *to[MAX_OPERANDS] = {NULL};
	struct access *operand = rule_own_operands(a, &s.rule, 1);
	s.rule.noperands = 0;
	s.rule.hint = HINT_NONE;
	for (int i = 0; i < n->nin; i++) {
		if (!scalar_uses_operand(body, i))
			continue;
		to[i] = scalar_operand(a, n->rule->operand[i].type, s.rule.noperands);
		s.in[s.rule.noperands] = n->in[i];
		operand[s.rule.noperands++] = n->rule->operand[i];
	}
	s.rule.body = scalar_substitute(a, body, to, NULL);
	if (more) {
		operand[s.rule.noperands] = *more;
		const struct scalar *value = scalar_operand(a, more->type, s.rule.noperands++);
		s.rule.body = s.rule.body->kind == SCALAR_CONST && s.rule.body->f == 1
				      ? value
				      : scalar_apply(a, SC_MUL, more->type, s.rule.body, value, NULL);
	}
	return s;
}

static const struct scalar *times(struct arena *a, const struct scalar *x, const struct scalar *y)
{
	return x ? scalar_apply(a, SC_MUL, x->type, x, y, NULL) : y;
}

/* n by a sum inside; n itself if its rank would be too large, or its inputs lie nowhere in particular. */
static struct node *sum_inside(struct graph *g, struct node *n, const struct product *p, const struct inner *in)
{
	struct arena *a = g->arena;
	const struct rule *r = n->rule;
	const struct scalar *body = NULL, *rest = NULL;
	uint32_t here = 0, all = (uint32_t)((UINT64_C(1) << r->nfactors) - 1);
	for (int i = 0; i < p->n; i++)
		if (i == in->first || i == in->second) {
			body = times(a, body, p->value[i]);
			here |= p->depends[i];
		} else {
			rest = times(a, rest, p->value[i]);
		}
	if (__builtin_popcount(here & ~in->gone) > MAX_RANK)
		return n;
	struct access t = over_factors(r, here & ~in->gone, n->dtype);
	struct summed inside = sum_of(a, n, body, NULL);
	inside.rule.out = t;
	struct summed outside = sum_of(a, n, rest ? rest : scalar_float(a, n->dtype, 1), &t);
	struct node_site at = node_site_of(n);
	at.name = NULL;
	struct node *sum = graph_map_pruned(g, &at, over_others(a, &inside.rule, all & ~here), inside.in);
	outside.in[outside.rule.noperands - 1] = sum;
	if (sum->place != n->place)
		return n;
	at = node_site_of(n);
	return graph_map_pruned(g, &at, over_others(a, &outside.rule, in->gone), outside.in);
}

static struct node *distribute(struct graph *g, struct node *n, void *context, bool *changed)
{
	(void)context, (void)changed;
	for (;;) {
		struct product p = {0};
		struct inner first;
		if (!is_candidate(n) || !add_terms(n->rule, n->rule->body, &p))
			return n;
		uint32_t kept = used_by_access(&n->rule->out), all = (uint32_t)((UINT64_C(1) << n->rule->nfactors) - 1);
		double cost = cheapest(n->rule, &p, all & ~kept, kept, &first);
		if (first.first < 0 || 2 * cost > at_once(n->rule, &p, all))
			return n;
		struct node *fresh = sum_inside(g, n, &p, &first);
		if (fresh == n)
			return n;
		n = fresh;
	}
}

bool pass_distribute(struct session *s, struct graph *g)
{
	return !s->options.reproducible && graph_rewrite(g, distribute, NULL);
}
