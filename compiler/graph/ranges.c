/* ranges.c — ranges of nodes in the order of the list; carried numbers by what a turn adds to them. */
#include "ranges.h"

/* Turns of a loop that nobody knows the end of: 2^50 of a nanosecond each are thirteen days, and they take longer. */
enum { TURNS_BITS = 50, MAX_DEPTH = 32 };

int64_t loop_most_turns(const struct loop *l)
{
	return l->turns >= 0 ? l->turns : l->most >= 0 ? l->most : (int64_t)1 << TURNS_BITS;
}

/* Of what was in r and is as asked. */
static struct range checked_range(const struct check *c, struct range r)
{
	switch (c->asked) {
	case ASKED_BELOW:
	case ASKED_HELD:
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

struct range range_of_node(const struct node *n, const struct range *in)
{
	struct range r;
	if (dtype_is_float(n->dtype))
		return range_of_type(n->dtype);
	switch (n->kind) {
	case NODE_CONST:
		return (struct range){n->number.i, n->number.i};
	case NODE_MAP:
		return range_of_rule(n->rule, in);
	case NODE_CHECK:
		return checked_range(&n->check, in[0]);
	case NODE_RESHAPE:
	case NODE_TO:
	case NODE_CONTRACT:
	case NODE_STOP:
	case NODE_REMAT:
	case NODE_RULED:
	case NODE_PULLED:
		return in[0];
	case NODE_TURN:
		r.high = loop_most_turns(n->of);
		return (struct range){0, r.high > 0 ? r.high - 1 : 0};
	case NODE_LINE:
		r = in[0];
		for (int i = 1; i < n->nin; i++)
			r = range_hull(r, in[i]);
		return r;
	case NODE_STACK: /* lines of turns that are not made are 0 */
		return range_hull(in[0], (struct range){0, 0});
	case NODE_SLOT:
	case NODE_DATA:
	case NODE_HOST:
	case NODE_FACTORS:
	case NODE_CARRY:
	case NODE_END:
	case NODE_TANGENT:
	case NODE_KINDS:
		break;
	}
	return range_of_type(n->dtype);
}

/* ---- what is carried ---- */

struct growth {
	const struct node *carry;
	const struct range *known;
	int depth;
};

static bool grows(struct growth *w, const struct node *n, struct range *by);

/* What the expression is more than what is carried; false: it is not made of that by sums and choices. */
static bool body_grows(struct growth *w, const struct node *n, const struct scalar *s, struct range *by)
{
	struct range x, y, in[MAX_OPERANDS];
	if (s->kind == SCALAR_OPERAND)
		return grows(w, n->in[s->index], by);
	if (s->kind != SCALAR_APPLY || w->depth++ > MAX_DEPTH)
		return false;
	if (s->fn == SC_WHERE) {
		if (!body_grows(w, n, s->arg[1], &x) || !body_grows(w, n, s->arg[2], &y))
			return false;
		*by = range_hull(x, y);
		return true;
	}
	if (s->fn != SC_ADD && s->fn != SC_SUB)
		return false;
	for (int i = 0; i < n->nin; i++)
		in[i] = w->known[n->in[i]->id];
	if (body_grows(w, n, s->arg[0], &x))
		y = range_of_body(n->rule, s->arg[1], in);
	else if (s->fn == SC_ADD && body_grows(w, n, s->arg[1], &x))
		y = range_of_body(n->rule, s->arg[0], in);
	else
		return false;
	*by = range_sum(x, s->fn == SC_SUB ? range_negative(y) : y);
	return true;
}

/* What a loop hands out that stands within: what it starts from grows, and then it does in each turn. */
static bool exit_grows(struct growth *w, const struct node *end, struct range *by)
{
	const struct node *carry = end->in[0];
	struct growth inner = {.carry = carry, .known = w->known, .depth = w->depth + 1};
	struct range x, none = {0, 0};
	if (carry->kind != NODE_CARRY || !grows(w, carry->in[0], &x) || !grows(&inner, end->in[1], by))
		return false;
	*by = range_sum(x, range_product(range_hull(*by, none), (struct range){0, loop_most_turns(carry->of)}));
	return true;
}

/* A check whose flag is 0 or the program ends, added to what it is asked of, is nothing. */
static bool grows(struct growth *w, const struct node *n, struct range *by)
{
	*by = (struct range){0, 0};
	if (n == w->carry)
		return true;
	if (n->kind == NODE_END)
		return w->depth++ < MAX_DEPTH && exit_grows(w, n, by);
	return n->kind == NODE_MAP && n->rule->combiner == COMBINE_NONE && w->depth++ < MAX_DEPTH &&
	       body_grows(w, n, n->rule->body, by);
}

static bool is_everything(struct range r, enum dtype t)
{
	struct range all = range_of_type(t);
	return r.low <= all.low && r.high >= all.high;
}

/* Of what a loop carries, from END: its start and what a turn makes of anything, as a remainder is; or its start, and
 * in each turn what that adds. */
static bool carried_range(const struct node *end, const struct range *known, struct range *out)
{
	const struct node *carry = end->in[0];
	struct growth w = {.carry = carry, .known = known};
	struct range by, none = {0, 0};
	if (carry->kind != NODE_CARRY || !dtype_is_int(carry->dtype))
		return false;
	struct range start = known[carry->in[0]->id];
	*out = range_hull(start, known[end->in[1]->id]);
	if (!is_everything(*out, carry->dtype))
		return true;
	if (carry->shape.rank || carry->dtype == DT_U64 || !grows(&w, end->in[1], &by))
		return false;
	struct range turns = {0, loop_most_turns(carry->of)}, all = range_of_type(carry->dtype);
	*out = range_sum(start, range_product(range_hull(by, none), turns));
	return !is_everything(*out, carry->dtype) && out->low >= all.low && out->high <= all.high; /* else it may wrap */
}

struct range *ranges_of_graph(struct arena *a, const struct graph *g)
{
	enum { ROUNDS = 3 };
	struct range *known = ARENA_ARRAY(a, struct range, g->nodes.n), in[MAX_OPERANDS];
	struct range *carried = ARENA_ARRAY(a, struct range, g->nodes.n);
	bool *is_carried = ARENA_ARRAY(a, bool, g->nodes.n), goes_on = true;
	for (int round = 0; round < ROUNDS && goes_on; round++) {
		for (int i = 0; i < g->nodes.n; i++) {
			const struct node *n = g->nodes.at[i];
			struct range *r = n->nin > MAX_OPERANDS ? ARENA_ARRAY(a, struct range, n->nin) : in;
			for (int k = 0; k < n->nin; k++)
				r[k] = known[n->in[k]->id];
			known[i] = is_carried[i] ? carried[i] : range_of_node(n, r);
			if (n->kind == NODE_END && is_carried[n->in[0]->id])
				known[i] = range_hull(known[n->in[0]->id], carried[n->in[0]->id]);
		}
		goes_on = false;
		for (int i = 0; i < g->nodes.n; i++) {
			const struct node *n = g->nodes.at[i];
			int c = n->kind == NODE_END ? n->in[0]->id : -1;
			if (c < 0 || is_carried[c] || !carried_range(n, known, &carried[c]))
				continue;
			is_carried[c] = goes_on = true;
		}
	}
	return known;
}
