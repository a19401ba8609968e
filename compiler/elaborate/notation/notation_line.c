/* notation_line.c — positions that the turn of a loop of the graph says, as t + 1 in `keys[n, t + 1, d]`: the turn
 * reads a line, as of `keys[.., t + 1, ..]` (operators/line.c), where all turns are known to stay inside; the second of
 * one loop, as in `x[t, t]`, is data. A turn that may not stay is told of, or looked at, as any other number. Of a
 * dimension that is split there are no lines either: what reads one element of it by a number that is known when
 * compiling may be computed by the rank that has it. */
#include "notation_build.h"
#include "../operators/operators.h"

/* One that has been taken: an operand that the body names twice stays one. */
struct noted_line {
	const struct node *of;
	int dim;
	struct number_line turns;
	struct node *node;
	const struct noted_line *next;
};

/* A dimension whose position is a line of turns. */
struct counted {
	const struct value *v; /* NULL: it is not, or is taken */
	struct number_line turns;
};

/* Whether it is made by arithmetic alone, of what has a name: asked twice, it says the same. */
static bool is_arithmetic(const struct expr *x)
{
	if (x->kind == EXPR_UNARY || x->kind == EXPR_BINARY)
		return (!x->lhs || is_arithmetic(x->lhs)) && is_arithmetic(x->rhs);
	return x->kind == EXPR_INT || x->kind == EXPR_NAME || x->kind == EXPR_FIELD;
}

static struct counted count(struct notation *n, const struct expr *x, int64_t extent)
{
	struct counted c = {NULL};
	int64_t first;
	if (!x || !is_arithmetic(x) || notation_mentions_factor(n, x) || notation_is_tensor(n, x))
		return c;
	const struct value *v = notation_number(n, x);
	if (!v->may_miss && number_is_line(n->e, v, &c.turns) && number_line_inside(&c.turns, extent, &first) &&
	    first == c.turns.first)
		c.v = v;
	return c;
}

/* The dimension that the outermost loop counts: what inner loops take is a line of its lines. -1: there is none. */
static int outermost(const struct counted *c, int rank)
{
	int best = -1;
	for (int d = 0; d < rank; d++)
		if (c[d].v && (best < 0 || loop_is_in(c[best].turns.loop, c[d].turns.loop)))
			best = d;
	return best;
}

static struct node *take_line(struct notation *n, struct node *x, int dim, const struct counted *c)
{
	for (const struct noted_line *l = n->lines; l; l = l->next)
		if (l->of == x && l->dim == dim && l->turns.loop == c->turns.loop && l->turns.first == c->turns.first &&
		    l->turns.step == c->turns.step)
			return l->node;
	struct node *line = line_of_tensor(n->e, x, dim, c->v, n->at);
	if (!line)
		return NULL;
	line->name = x->name;
	struct noted_line *l = ARENA_NEW(n->e->a, struct noted_line);
	*l = (struct noted_line){x, dim, c->turns, line, n->lines};
	n->lines = l;
	return line;
}

struct node *notation_lines(struct notation *n, const struct index_list *l, struct node *x, enum by_turns *by)
{
	const int rank = x->shape.rank;
	struct counted c[MAX_RANK] = {{NULL}};
	for (int d = 0; d < rank; d++) {
		struct position p;
		notation_position(n, l, rank, d, &p);
		if (region_loop(n->e) && !dimension_is_split(n->e, x, d))
			c[d] = count(n, l->at[p.item].x, x->shape.dim[d]);
		by[d] = c[d].v ? BY_TURNS_DATA : BY_TURNS_NOT;
	}
	for (int d = outermost(c, rank); d >= 0; d = outermost(c, rank)) {
		int dim = d;
		for (int i = 0; i < d; i++)
			dim -= by[i] == BY_TURNS_LINE;
		struct node *line = take_line(n, x, dim, &c[d]);
		c[d].v = NULL;
		if (!line)
			continue;
		by[d] = BY_TURNS_LINE;
		x = line;
	}
	return x;
}
