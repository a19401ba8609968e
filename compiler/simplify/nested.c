/* nested.c — reductions one after the other along dimensions that are neighbours in the tensor are one reduction:
 *
 *   %1 = map(%0) {f(a[n, c, h, w]) -> [n, c, h] = sum[w] a}
 *   %2 = map(%1) {f(a[n, c, h]) -> [n, c] = sum[h] a}          becomes    {f(a[n, c, h, w]) -> [n, c] = sum[h, w] a}
 *
 * which is how lists of dimensions are reduced. A line that is read is as long as all that is summed up, and vectors of
 * it are full. What is not a neighbour stays a reduction of its own: of less, since the first leaves little.
 *
 * It adds up in another order, so sums and products of floats stay with --reproducible. At most MOST_POINTS are added
 * to one number, since errors of rounding grow with them. */
#include "simplify.h"

#include "../../runtime/moves/count.h"

enum { MOST_POINTS = 65536 };

struct nested {
	bool is_exact;   /* no other order of floats */
	struct map uses; /* of what is reduced: node -> how often it is read */
};

static bool is_plain(const struct access *x)
{
	for (int d = 0; d < x->rank; d++)
		if (index_factor(&x->index[d]) < 0)
			return false;
	return true;
}

/* One operand, read element by element, is joined over some of its dimensions. */
static bool is_reduction(const struct node *n)
{
	if (n->kind != NODE_MAP || n->nin != 1)
		return false;
	enum combiner c = n->rule->combiner;
	return c != COMBINE_NONE && c != COMBINE_ARGMAX && c != COMBINE_ARGMIN && is_plain(&n->rule->operand[0]) &&
	       is_plain(&n->rule->out);
}

/* Whether it reduces what a reduction leaves, as it is. */
static bool is_nested(const struct nested *c, const struct node *n)
{
	if (!is_reduction(n) || n->rule->body->kind != SCALAR_OPERAND)
		return false;
	const struct node *inner = n->in[0];
	if (!is_reduction(inner) || inner->rule->combiner != n->rule->combiner || inner->dtype != n->dtype ||
	    inner->origin != n->origin)
		return false;
	bool rounds = n->rule->combiner == COMBINE_SUM || n->rule->combiner == COMBINE_PROD;
	return !(c->is_exact && rounds && dtype_is_float(n->dtype));
}

/* The inner rule, over what the outer one reduces as well. */
static struct rule joined(const struct rule *outer, const struct rule *inner)
{
	struct rule r = *inner;
	r.out = outer->out;
	for (int d = 0; d < r.out.rank; d++) {
		int kept = access_dim_of(&outer->operand[0], index_factor(&outer->out.index[d]));
		r.out.index[d] = inner->out.index[kept];
	}
	return r;
}

/* Whether what r reduces stands side by side in the tensor, and is not too much. */
static bool are_neighbours(const struct rule *r)
{
	const struct access *x = &r->operand[0];
	int64_t points = 1;
	int first = -1, last = -1, count = 0;
	for (int d = 0; d < x->rank; d++) {
		int f = index_factor(&x->index[d]);
		if (!rule_reduces(r, f))
			continue;
		points = count_mul(points, r->factor[f].extent);
		first = first < 0 ? d : first;
		last = d;
		count++;
	}
	return last - first + 1 == count && points <= MOST_POINTS;
}

static struct node *join(struct graph *g, struct node *n, void *context, bool *changed)
{
	const struct nested *c = context;
	(void)changed;
	if (!is_nested(c, n) || (intptr_t)map_get(&c->uses, n->in[0]) != 1)
		return n;
	struct rule r = joined(n->rule, n->in[0]->rule);
	if (!are_neighbours(&r))
		return n;
	struct rule *fresh = ARENA_NEW(g->arena, struct rule);
	*fresh = r;
	struct node_site at = node_site_of(n);
	return graph_map(g, &at, fresh, n->in[0]->in);
}

bool pass_nested(struct session *s, struct graph *g)
{
	struct nested c = {.is_exact = s->options.reproducible};
	struct arena *scratch = arena_new("nested");
	map_init(&c.uses, scratch);
	const int *reads = graph_count_reads(g, scratch);
	bool any = false;
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		if (is_nested(&c, n)) {
			map_set(&c.uses, n->in[0], (void *)(intptr_t)reads[n->in[0]->id]);
			any = true;
		}
	}
	bool changed = any && graph_rewrite(g, join, &c);
	arena_free(scratch);
	return changed;
}
