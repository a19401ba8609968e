/* checks.c — indices that cannot be outside are not checked: positions, remainders, classes of argmax, bytes as indices
 * of 256 rows; nor divisors that cannot be 0, nor numbers that fit. The ranges of all nodes of ints are found in order (op/range.h); a checked index has its dimension's. */
#include "simplify.h"

#include "../op/range.h"

/* Of what was in r and is as asked. */
static struct range checked_range(const struct check *c, struct range r)
{
	switch (c->asked) {
	case ASKED_BELOW:
		return (struct range){r.low < 0 ? 0 : r.low, r.high < c->extent ? r.high : c->extent - 1};
	case ASKED_WITHIN:
		return (struct range){r.low < 0 ? 0 : r.low, c->extent - 1};
	case ASKED_NOT_ZERO:
		return (struct range){r.low + (r.low == 0), r.high - (r.high == 0)};
	case ASKED_FITS:
		return (struct range){r.low < -c->extent ? -c->extent : r.low,
				      r.high < c->extent ? r.high : c->extent - 1};
	case ASKED_NATURAL:
		return (struct range){r.low < 0 ? 0 : r.low,
				      r.high / 2 < c->extent ? r.high : c->extent - 1 + c->extent};
	case ASKED_COUNT:
		break;
	}
	return r;
}

static bool is_proved(const struct check *c, struct range r)
{
	if (c->asked == ASKED_NOT_ZERO)
		return r.low > 0 || r.high < 0;
	if (c->asked == ASKED_WITHIN) /* where none counts from the end */
		return r.low >= 0 && r.high < c->extent;
	return asked_holds(c->asked, c->extent, r.low) && asked_holds(c->asked, c->extent, r.high);
}

/* From the ranges of what it reads, by id. */
static struct range node_range(const struct node *n, const struct range *known)
{
	struct range in[MAX_OPERANDS], r;
	if (dtype_is_float(n->dtype))
		return range_of_type(n->dtype);
	switch (n->kind) {
	case NODE_CONST:
		return (struct range){n->number.i, n->number.i};
	case NODE_MAP:
		for (int i = 0; i < n->nin; i++)
			in[i] = known[n->in[i]->id];
		return range_of_rule(n->rule, in);
	case NODE_CHECK:
		return checked_range(&n->check, known[n->in[0]->id]);
	case NODE_RESHAPE:
	case NODE_TO:
	case NODE_CONTRACT:
	case NODE_STOP:
	case NODE_REMAT:
		return known[n->in[0]->id];
	case NODE_TURN:
		return (struct range){0, loop_lines(n->of) ? loop_lines(n->of) - 1 : INT64_MAX - 1};
	case NODE_LINE:
		r = known[n->in[0]->id];
		for (int i = 1; i < n->nin; i++)
			r = range_hull(r, known[n->in[i]->id]);
		return r;
	case NODE_STACK: /* lines of turns that are not made are 0 */
		return range_hull(known[n->in[0]->id], (struct range){0, 0});
	case NODE_SLOT:
	case NODE_DATA:
	case NODE_HOST:
	case NODE_CARRY:
	case NODE_END:
	case NODE_KINDS:
		break;
	}
	return range_of_type(n->dtype);
}

/* context: by id, a node's own until it is replaced or kept. */
static struct node *drop_proved(struct graph *g, struct node *n, void *context, bool *changed)
{
	const bool *proved = context;
	(void)g, (void)changed;
	return proved[n->id] ? n->in[0] : n;
}

static bool has_checks(const struct graph *g)
{
	for (int i = 0; i < g->nodes.n; i++)
		if (g->nodes.at[i]->kind == NODE_CHECK)
			return true;
	return false;
}

bool pass_checks(struct session *s, struct graph *g)
{
	(void)s;
	if (!has_checks(g))
		return false;
	struct arena *scratch = arena_new("checks");
	struct range *ranges = ARENA_ARRAY(scratch, struct range, g->nodes.n);
	bool *proved = ARENA_ARRAY(scratch, bool, g->nodes.n);
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		ranges[i] = node_range(n, ranges);
		proved[i] = n->kind == NODE_CHECK && is_proved(&n->check, ranges[n->in[0]->id]);
	}
	bool changed = graph_rewrite(g, drop_proved, proved);
	arena_free(scratch);
	return changed;
}
