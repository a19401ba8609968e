/* bounds.c — bounds of int scalars by the turns of loops: see bounds.h.
 *
 * A scalar is a sum of multiples of others, as far as what makes it says, and as far as it cannot overflow:
 *
 *   k = i + 1 + turn        where turn < j - (i + 1), the count of its loop
 *   k - j < 0               since turn is at most that count less 1
 *
 * The turn of the innermost loop is replaced by its first or last number, which the turns of loops around it say, until
 * none is left. What then is a number is a bound, and of what is not its range. */
#include "bounds.h"

enum { MOST_TERMS = 6, MOST_STEPS = 8 };

struct form {
	int64_t constant;
	int n; /* -1: more terms than fit, or too large ones */
	struct {
		const struct node *of;
		int64_t times;
	} term[MOST_TERMS];
};

struct bounds {
	const struct range *range; /* by id */
	struct form *form;         /* of i64 scalars */
};

static const struct form none = {.n = -1};

/* ---- sums ---- */

static void add_term(struct form *x, const struct node *of, int64_t times)
{
	int k = 0;
	while (k < x->n && x->term[k].of != of)
		k++;
	if (x->n < 0 || k == MOST_TERMS) {
		*x = none;
		return;
	}
	if (k == x->n) {
		x->term[x->n].of = of;
		x->term[x->n++].times = 0;
	}
	if (__builtin_add_overflow(x->term[k].times, times, &x->term[k].times))
		*x = none;
	else if (!x->term[k].times)
		x->term[k] = x->term[--x->n];
}

/* x + times * y */
static void add(struct form *x, const struct form *y, int64_t times)
{
	int64_t by;
	if (y->n < 0 || __builtin_mul_overflow(y->constant, times, &by) ||
	    __builtin_add_overflow(x->constant, by, &x->constant))
		*x = none;
	for (int i = 0; i < y->n && x->n >= 0; i++) {
		if (__builtin_mul_overflow(y->term[i].times, times, &by))
			*x = none;
		else
			add_term(x, y->term[i].of, by);
	}
}

static struct form number(int64_t v)
{
	return (struct form){.constant = v};
}

/* ---- what a scalar is made of ---- */

static bool is_int_scalar(const struct node *n)
{
	return n->dtype == DT_I64 && !n->shape.rank;
}

static bool is_everything(struct range r)
{
	return r.low == INT64_MIN && r.high == INT64_MAX;
}

static struct form of_body(const struct bounds *b, const struct node *n, const struct scalar *s,
			   const struct range *operands)
{
	struct form x = none, y;
	if (s->type != DT_I64)
		return none;
	if (s->kind == SCALAR_CONST)
		return number(s->i);
	if (s->kind == SCALAR_OPERAND)
		return is_int_scalar(n->in[s->index]) ? b->form[n->in[s->index]->id] : none;
	/* A sum that might overflow is a number of its own. */
	if (s->kind != SCALAR_APPLY || is_everything(range_of_body(n->rule, s, operands)))
		return none;
	if (s->fn == SC_NEG) {
		y = of_body(b, n, s->arg[0], operands);
		x = number(0);
		add(&x, &y, -1);
		return x;
	}
	if (s->fn != SC_ADD && s->fn != SC_SUB && s->fn != SC_MUL)
		return none;
	x = of_body(b, n, s->arg[0], operands);
	y = of_body(b, n, s->arg[1], operands);
	if (s->fn != SC_MUL) {
		add(&x, &y, s->fn == SC_SUB ? -1 : 1);
		return x;
	}
	struct form product = number(0);
	if (x.n && y.n)
		return none;
	add(&product, x.n ? &x : &y, x.n ? y.constant : x.constant);
	return product;
}

/* What is carried and no turn changes. */
static const struct node *start_of(const struct node *carry, struct node *const *ends)
{
	const struct node *next = ends[carry->id] ? ends[carry->id]->in[1] : NULL;
	return next == carry || next == carry->in[0] ? carry->in[0] : NULL;
}

static struct form made_of(const struct bounds *b, const struct node *n, struct node *const *ends)
{
	struct range in[MAX_OPERANDS];
	const struct node *x = n->nin ? n->in[0] : NULL;
	if (n->kind == NODE_CONST)
		return number(n->number.i);
	if (n->kind == NODE_CARRY)
		x = start_of(n, ends);
	if (x && (n->kind == NODE_CARRY || node_is_identity(n)))
		return b->form[x->id];
	if (n->kind == NODE_CHECK) /* those below 0 count from the end */
		return n->check.asked != ASKED_WITHIN || bounds_of_node(b, x).low >= 0 ? b->form[x->id] : none;
	if (n->kind != NODE_MAP || n->rule->combiner != COMBINE_NONE)
		return none;
	for (int i = 0; i < n->nin; i++)
		in[i] = b->range[n->in[i]->id];
	return of_body(b, n, n->rule->body, in);
}

struct bounds *bounds_of_graph(struct arena *a, const struct graph *g)
{
	struct bounds *b = ARENA_NEW(a, struct bounds);
	struct node *const *ends = graph_ends(g, a);
	b->range = ranges_of_graph(a, g);
	b->form = ARENA_ARRAY(a, struct form, g->nodes.n);
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		if (!is_int_scalar(n))
			continue;
		b->form[i] = made_of(b, n, ends);
		if (b->form[i].n < 0) {
			b->form[i] = number(0);
			add_term(&b->form[i], n, 1);
		}
	}
	return b;
}

/* ---- bounds ---- */

const struct range *bounds_ranges(const struct bounds *b)
{
	return b->range;
}

/* By the ranges of what is left. */
static struct range by_ranges(const struct bounds *b, const struct form *x)
{
	struct range r = {x->constant, x->constant};
	for (int i = 0; i < x->n; i++) {
		struct range times = {x->term[i].times, x->term[i].times};
		r = range_sum(r, range_product(b->range[x->term[i].of->id], times));
	}
	return r;
}

/* Of the terms that are turns the one of the innermost loop; -1: none is. */
static int innermost(const struct form *x)
{
	int best = -1;
	for (int i = 0; i < x->n; i++)
		if (x->term[i].of->kind == NODE_TURN &&
		    (best < 0 || loop_is_in(x->term[i].of->of, x->term[best].of->of)))
			best = i;
	return best;
}

/* The last turn of a loop that is in one; none of one that asks, as that is done once more than it turns. */
static struct form last_turn(const struct bounds *b, const struct loop *l)
{
	struct form last = l->turns >= 0 ? number(l->turns) : l->count ? b->form[l->count->id] : none;
	const struct form one = number(1);
	if (last.n >= 0)
		add(&last, &one, -1);
	return last;
}

/* The greatest that x can be. */
static int64_t greatest(const struct bounds *b, struct form x)
{
	int64_t most = INT64_MAX;
	for (int step = 0; x.n >= 0 && step < MOST_STEPS; step++) {
		int64_t high = by_ranges(b, &x).high;
		most = high < most ? high : most;
		int k = innermost(&x);
		if (k < 0)
			break;
		const struct node *turn = x.term[k].of;
		int64_t times = x.term[k].times;
		struct form last = times > 0 ? last_turn(b, turn->of) : number(0);
		add_term(&x, turn, -times);
		add(&x, &last, times);
	}
	return most;
}

static struct range range_of_form(const struct bounds *b, const struct form *x)
{
	struct form opposite = number(0);
	add(&opposite, x, -1);
	int64_t least = greatest(b, opposite);
	return (struct range){least == INT64_MAX ? INT64_MIN : -least, greatest(b, *x)};
}

struct range bounds_of_node(const struct bounds *b, const struct node *n)
{
	struct range r = b->range[n->id];
	if (!is_int_scalar(n))
		return r;
	struct range of_form = range_of_form(b, &b->form[n->id]);
	return (struct range){r.low > of_form.low ? r.low : of_form.low, r.high < of_form.high ? r.high : of_form.high};
}

struct range bounds_of_difference(const struct bounds *b, const struct node *x, const struct node *y)
{
	struct form difference = b->form[x->id];
	add(&difference, &b->form[y->id], -1);
	return range_of_form(b, &difference);
}
