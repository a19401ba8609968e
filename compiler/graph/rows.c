/* rows.c — follows elements back to the batch: through copies, slices, moves, reshapes and operators of one element.
 * In: a node of a graph of any stage.  Out: how its elements are numbered by rows, as long as that stays regular.
 * Example: ids[2..4, 0..8] as i32 of batches i32[16, 9]: first 2, per 8, step 1. */
#include "rows.h"

#include <string.h>

/* Nodes that are looked at: a long chain says no more than a short one, and operands may be shared. */
enum { MOST_NODES = 64 };

static struct batch_rows rows_of(const struct node *n, int *left);

static const struct batch_rows unknown = {.argument = -1};

/* Elements of all dimensions from number `from` on. */
static int64_t inner_volume(const struct shape *s, int from)
{
	int64_t n = 1;
	for (int d = from; d < s->rank; d++)
		n *= s->dim[d];
	return n;
}

static struct batch_rows rows_of_data(const struct node *n)
{
	return (struct batch_rows){n->data.argument, n->data.field, 0, inner_volume(&n->shape, 1), 1, 0, NULL};
}

/* Whether points read the operand in its order: each dimension of the result is one of the operand's, from some offset
 * on, and the others of the operand are read at a number. */
static bool reads_in_order(const struct rule *r, const struct access *a)
{
	int at = 0;
	for (int d = 0; d < a->rank; d++) {
		const struct index *x = &a->index[d];
		int f = index_shifted_factor(x);
		if (x->guarded || (f < 0 && !index_is_fixed(x)))
			return false;
		if (f >= 0 && (at == r->out.rank || index_factor(&r->out.index[at++]) != f))
			return false;
	}
	return at == r->out.rank;
}

/* The rows of what a map reads of x in order. Rows are x's first dimension, or, as micro-batches are cut, its first
 * two, of which the second is read at one place; of anything else only whole copies are followed. */
static struct batch_rows through(const struct node *n, const struct node *x, const struct access *a,
				 struct batch_rows b)
{
	bool keeps_first = a->rank && index_shifted_factor(&a->index[0]) >= 0;
	int64_t inner = inner_volume(&n->shape, keeps_first);
	if (a->rank && inner_volume(&x->shape, 1) == b.per) {
		b.first += a->index[0].offset * b.step;
	} else if (a->rank > 1 && inner_volume(&x->shape, 2) == b.per && index_is_fixed(&a->index[1])) {
		b.first += (a->index[0].offset * x->shape.dim[1] + a->index[1].offset) * b.step;
		b.step *= x->shape.dim[1];
	} else {
		return shape_equal(&n->shape, &x->shape) ? b : unknown;
	}
	b.per = inner;
	return b;
}

/* All operands that are no single numbers come from the same rows. */
static struct batch_rows rows_of_map(const struct node *n, int *left)
{
	const struct rule *r = n->rule;
	struct batch_rows all = unknown;
	if (r->combiner != COMBINE_NONE || rule_is_scatter(r))
		return unknown;
	for (int i = 0; i < n->nin; i++) {
		const struct node *x = n->in[i];
		if (x->shape.rank == 0 && !rule_reads_index(r, i))
			continue;
		struct batch_rows b = rows_of(x, left);
		if (b.argument < 0 || rule_reads_index(r, i) || !reads_in_order(r, &r->operand[i]))
			return unknown;
		b = through(n, x, &r->operand[i], b);
		if (all.argument >= 0 && memcmp(&all, &b, sizeof b))
			return unknown;
		all = b;
	}
	return all;
}

/* Whether the map's first two dimensions are those of its operand, the other way round, and all others as they are. */
static bool swaps_first(const struct node *n)
{
	const struct rule *r = n->rule;
	if (n->kind != NODE_MAP || n->nin != 1 || r->combiner != COMBINE_NONE || rule_is_scatter(r) ||
	    r->out.rank < 2 || r->operand[0].rank != r->out.rank)
		return false;
	for (int d = 0; d < r->out.rank; d++) {
		int f = index_factor(&r->out.index[d < 2 ? 1 - d : d]);
		if (f < 0 || index_factor(&r->operand[0].index[d]) != f)
			return false;
	}
	return true;
}

/* A line of what has one row for each, or of rows that are cut into as many columns as there are turns. */
static struct batch_rows rows_of_line(const struct node *n, int *left)
{
	const struct node *x = n->in[0];
	bool cut = swaps_first(x);
	if (n->nin != 1 || n->line.back)
		return unknown;
	struct batch_rows b = rows_of(cut ? x->in[0] : x, left);
	if (b.argument < 0 || b.loop || inner_volume(&x->shape, 1 + cut) != b.per)
		return unknown;
	b.loop = n->of;
	b.first += n->line.first * b.step;
	b.turn = n->line.step * b.step;
	b.step *= cut ? x->shape.dim[0] : 1;
	return b;
}

static struct batch_rows rows_of(const struct node *n, int *left)
{
	if (--*left < 0)
		return unknown;
	switch (n->kind) {
	case NODE_DATA:
		return rows_of_data(n);
	case NODE_MAP:
		return rows_of_map(n, left);
	case NODE_LINE:
		return rows_of_line(n, left);
	case NODE_RESHAPE:
	case NODE_TO:
	case NODE_CHECK:
	case NODE_CONTRACT:
	case NODE_STOP:
	case NODE_REMAT:
	case NODE_RULED:
	case NODE_PULLED:
		return rows_of(n->in[0], left);
	case NODE_SLOT:
	case NODE_HOST:
	case NODE_CONST:
	case NODE_FACTORS:
	case NODE_TURN:
	case NODE_CARRY:
	case NODE_END:
	case NODE_STACK:
	case NODE_TANGENT:
	case NODE_KINDS:
		break;
	}
	return unknown;
}

struct batch_rows node_batch_rows(const struct node *n)
{
	int left = MOST_NODES;
	return rows_of(n, &left);
}
