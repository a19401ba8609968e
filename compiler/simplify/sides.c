/* sides.c — a derivative that is chosen by position (that of `concat`) and read where all positions choose alike is not
 * chosen: who reads it reads the side.
 *
 *   %1 = map(%0) {f(a[i]) -> [i] = where(i >= 8, a, 0.0)}
 *   %2 = map(%1) {cut(a[n + 8]) -> [n] = a}                 reads  %0  instead
 *
 * Only of derivatives, whose layouts are free: of what the program wrote the legal layouts must not depend on it. */
#include "simplify.h"

enum { UNDECIDED = -1, SECOND, FIRST };

static int decide(enum scalar_fn fn, int64_t low, int64_t high, int64_t than)
{
	if (fn != SC_GE && fn != SC_LT)
		return UNDECIDED;
	if (low >= than)
		return fn == SC_GE ? FIRST : SECOND;
	return high >= than ? UNDECIDED : fn == SC_GE ? SECOND : FIRST;
}

/* Which side of m, `where` of a comparison of a position with a number, all points of `reader` choose that read m
 * through x. */
static int side_of(const struct node *m, const struct rule *reader, const struct access *x)
{
	const struct scalar *s = m->rule->body, *c = s->arg[0];
	if (c->kind != SCALAR_APPLY || scalar_arity(c->fn) != 2 || c->arg[0]->kind != SCALAR_FACTOR ||
	    c->arg[1]->kind != SCALAR_CONST)
		return UNDECIDED;
	int64_t low, high;
	int d = access_dim_of(&m->rule->out, c->arg[0]->index);
	if (d < 0 || x->index[d].data >= 0 || x->index[d].div != 1 || !index_range(reader, &x->index[d], &low, &high))
		return UNDECIDED;
	low = low < 0 ? 0 : low;
	high = high < x->dim[d] ? high : x->dim[d] - 1;
	return decide(c->fn, low, high, c->arg[1]->i);
}

static bool is_choice(const struct node *m)
{
	return m->kind == NODE_MAP && m->origin == ORIGIN_BACKWARD && m->rule->combiner == COMBINE_NONE &&
	       m->rule->body->kind == SCALAR_APPLY && m->rule->body->fn == SC_WHERE && rule_is_elementwise(m->rule);
}

/* What the points that read m through x read in truth; m itself if that is not one of its operands, as it is. */
static struct node *read_side(struct node *m, const struct rule *reader, const struct access *x)
{
	int side = is_choice(m) ? side_of(m, reader, x) : UNDECIDED;
	const struct scalar *s = side == UNDECIDED ? NULL : m->rule->body->arg[side == FIRST ? 1 : 2];
	if (!s || s->kind != SCALAR_OPERAND)
		return m;
	struct node *y = m->in[s->index];
	bool same = y->place == m->place && y->dtype == m->dtype && shape_equal(&y->shape, &m->shape) &&
		    y->loop == m->loop && access_equal(&m->rule->operand[s->index], &m->rule->out);
	return same ? y : m;
}

static struct node *read_sides(struct graph *g, struct node *n, void *context, bool *changed)
{
	(void)g, (void)context;
	for (int i = 0; n->kind == NODE_MAP && i < n->nin; i++) {
		struct node *y = read_side(n->in[i], n->rule, &n->rule->operand[i]);
		if (y == n->in[i])
			continue;
		n->in[i--] = y;
		*changed = true;
	}
	return n;
}

bool pass_sides(struct session *s, struct graph *g)
{
	(void)s;
	return graph_rewrite(g, read_sides, NULL);
}
