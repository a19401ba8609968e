/* averaged.c — see averaged.h. */
#include "averaged.h"

#include "../op/linear.h"

#include <math.h>
#include <string.h>

enum part_kind {
	PART_NONE, /* neither */
	PART_ALL,  /* the same value */
	PART_ROWS, /* along one dimension that counts rows, or rows times something, those of the micro-batch */
	PART_SUM,  /* summed up over rows */
};

/* b is `ratio` times that of a. */
struct part {
	enum part_kind kind;
	int dim;
	double ratio;
	bool is_known;
};

enum { MOST_DEPTH = 5000 }; /* of nodes behind each other: the comparison goes down from the loss */

struct comparing {
	struct arena *arena;
	int parts;
	int64_t rows; /* of what is cut; 0: not met yet */
	const struct graph *g[2];
	struct node **ends[2]; /* by CARRY */
	struct part *known;    /* by node of the whole */
	int depth;
	const char *why;
};

static struct part part_of(struct comparing *x, const struct node *a, const struct node *b);

static const struct part none = {.kind = PART_NONE};

static struct part fail(struct comparing *x, const char *why)
{
	if (!x->why)
		x->why = why;
	return none;
}

/* Constants were rounded. */
static bool is_near(double a, double b)
{
	return fabs(a - b) <= 1e-6 * fabs(b);
}

static struct part all(double ratio)
{
	return (struct part){PART_ALL, 0, ratio, true};
}

/* ---- shapes ---- */

/* The one dimension in which b has a part-th of what a has, and which holds whole rows; -1. */
static int cut_dim(const struct comparing *x, const struct shape *a, const struct shape *b)
{
	int dim = -1;
	for (int d = 0; a->rank == b->rank && d < a->rank; d++) {
		if (a->dim[d] == b->dim[d])
			continue;
		if (dim >= 0 || a->dim[d] != b->dim[d] * x->parts || (x->rows && a->dim[d] % x->rows))
			return -1;
		dim = d;
	}
	return dim;
}

/* ---- bodies ---- */

/* What the body of b is times that of a, where its operands are as many times those of a's; NAN: nobody knows. */
static double body_ratio(const struct scalar *a, const struct scalar *b, const double *operand)
{
	double r[3] = {1, 1, 1};
	if (a->kind != b->kind || a->type != b->type)
		return NAN;
	switch (a->kind) {
	case SCALAR_CONST:
		if (scalar_equal(a, b))
			return 1;
		return dtype_is_float(a->type) && a->f != 0 ? b->f / a->f : NAN;
	case SCALAR_OPERAND:
		return a->index == b->index ? operand[a->index] : NAN;
	case SCALAR_FACTOR:
		return a->index == b->index ? 1 : NAN;
	case SCALAR_EXTENT:
		return NAN;
	case SCALAR_APPLY:
		break;
	}
	if (a->fn != b->fn)
		return NAN;
	for (int i = 0; i < scalar_arity(a->fn); i++)
		r[i] = body_ratio(a->arg[i], b->arg[i], operand);
	switch (a->fn) {
	case SC_MUL:
		return r[0] * r[1];
	case SC_DIV:
		return r[0] / r[1];
	case SC_NEG:
		return r[0];
	case SC_ADD:
	case SC_SUB:
		return is_near(r[0], r[1]) ? r[0] : NAN;
	default:
		return r[0] == 1 && r[1] == 1 && r[2] == 1 ? 1 : NAN;
	}
}

/* ---- maps ---- */

static bool same_index(const struct index *a, const struct index *b)
{
	return index_equal(a, b);
}

/* Rules that differ in extents alone: *row is the factor of which b has fewer; -1: none. */
static bool rules_match(const struct comparing *x, const struct rule *a, const struct rule *b, int *row)
{
	*row = -1;
	if (a->nfactors != b->nfactors || a->noperands != b->noperands || a->combiner != b->combiner ||
	    a->out.rank != b->out.rank || a->out.type != b->out.type)
		return false;
	for (int f = 0; f < a->nfactors; f++) {
		if (a->factor[f].extent == b->factor[f].extent)
			continue;
		if (*row >= 0 || a->factor[f].extent != b->factor[f].extent * x->parts ||
		    (x->rows && a->factor[f].extent % x->rows))
			return false;
		*row = f;
	}
	for (int o = -1; o < a->noperands; o++) {
		const struct access *p = o < 0 ? &a->out : &a->operand[o], *q = o < 0 ? &b->out : &b->operand[o];
		if (p->rank != q->rank || p->type != q->type)
			return false;
		for (int d = 0; d < p->rank; d++)
			if (!same_index(&p->index[d], &q->index[d]))
				return false;
	}
	return true;
}

/* The access has the factor as one of its dimensions and nowhere else, or not at all. */
static bool is_plain(const struct access *a, int factor, int *dim)
{
	*dim = -1;
	for (int d = 0; factor >= 0 && d < a->rank; d++) {
		if (index_factor(&a->index[d]) == factor) {
			if (*dim >= 0)
				return false;
			*dim = d;
		} else if (index_coef(&a->index[d], factor)) {
			return false;
		}
	}
	return true;
}

/* Affine in sums: linear, or a sum and what is the same in all parts, which an average leaves as it is. */
static bool keeps_sums(const struct comparing *x, const struct rule *r, const struct part *in, double *ratio)
{
	uint64_t sums = 0;
	enum shard_combiner result;
	bool scaled = true;
	for (int i = 0; i < r->noperands; i++) {
		sums |= in[i].kind == PART_SUM ? UINT64_C(1) << i : 0;
		scaled &= in[i].kind == PART_SUM ? is_near(in[i].ratio, x->parts) : in[i].ratio == 1;
	}
	if (rule_takes_parts(r, sums, SHARD_SUM, &result) && result == SHARD_SUM)
		return true;
	bool adds = r->combiner == COMBINE_NONE && r->body->kind == SCALAR_APPLY &&
		    (r->body->fn == SC_ADD || r->body->fn == SC_SUB) && r->body->arg[0]->kind == SCALAR_OPERAND &&
		    r->body->arg[1]->kind == SCALAR_OPERAND;
	if (adds && scaled)
		*ratio = x->parts;
	return adds && scaled;
}

static struct part map_part(struct comparing *x, const struct node *a, const struct node *b)
{
	struct part in[MAX_OPERANDS];
	double ratios[MAX_OPERANDS];
	int row, dim;
	bool has_rows = false, has_sums = false;
	if (!rules_match(x, a->rule, b->rule, &row))
		return fail(x, "it computes something else of a part of the rows");
	for (int i = 0; i < a->nin; i++) {
		in[i] = part_of(x, a->in[i], b->in[i]);
		if (in[i].kind == PART_NONE)
			return none;
		ratios[i] = in[i].ratio;
		has_rows |= in[i].kind == PART_ROWS;
		has_sums |= in[i].kind == PART_SUM;
		if (!is_plain(&a->rule->operand[i], row, &dim))
			return fail(x, "rows are shifted against each other");
		if (in[i].kind == PART_ROWS && (row < 0 || dim != in[i].dim))
			return fail(x, "rows are computed with other rows");
		if (in[i].kind != PART_ROWS && row >= 0 && dim >= 0)
			return fail(x, "rows are computed with other rows");
	}
	double ratio = body_ratio(a->rule->body, b->rule->body, ratios);
	if (row >= 0 && (scalar_uses_factor(a->rule->body, row) || !is_plain(&a->rule->out, row, &dim)))
		return fail(x, scalar_draws(a->rule->body) ? "numbers are drawn for every row"
							   : "the number of a row is computed with");
	if (has_sums && (has_rows || row >= 0))
		return fail(x, "what is computed of all rows goes into each of them");
	if (has_sums) {
		if (!keeps_sums(x, a->rule, in, &ratio) || isnan(ratio))
			return fail(x, "a sum over rows is not only scaled and added");
		return (struct part){PART_SUM, 0, ratio, true};
	}
	if (isnan(ratio))
		return fail(x, "it computes something else of a part of the rows");
	if (row < 0)
		return all(ratio);
	if (dim >= 0)
		return (struct part){PART_ROWS, dim, ratio, true};
	if (a->rule->combiner != COMBINE_SUM)
		return fail(x, "rows meet in something else than a sum");
	return (struct part){PART_SUM, 0, ratio, true};
}

/* ---- other nodes ---- */

/* One of the columns of x read as [rows / parts, parts, …]: micro-batches that are no turns of a loop. */
static bool is_column(const struct comparing *x, const struct node *b)
{
	const struct node *from = b->kind == NODE_MAP && b->nin == 1 ? b->in[0] : NULL;
	return from && b->batch && from->kind == NODE_RESHAPE && from->batch == b->batch &&
	       from->shape.rank == b->shape.rank + 1 && from->shape.rank == from->in[0]->shape.rank + 1 &&
	       from->shape.dim[1] == x->parts && from->shape.dim[0] * x->parts == from->in[0]->shape.dim[0] &&
	       index_is_fixed(&b->rule->operand[0].index[1]);
}

/* b: the micro-batch's rows of what a is. */
static const struct node *cut_of(const struct comparing *x, const struct node *b)
{
	bool is_cut = b->kind == NODE_LINE && b->of && b->of->batch && b->nin == 1 && b->in[0]->kind == NODE_MAP &&
		      b->in[0]->in[0]->kind == NODE_RESHAPE && !b->in[0]->loop;
	return is_cut ? b->in[0]->in[0]->in[0] : is_column(x, b) ? b->in[0]->in[0] : NULL;
}

static struct part cut_part(struct comparing *x, const struct node *a, const struct node *whole)
{
	if (part_of(x, a, whole).kind != PART_ALL)
		return none;
	if (x->rows && x->rows != a->shape.dim[0])
		return fail(x, "tensors with different numbers of rows are cut");
	x->rows = a->shape.dim[0];
	return (struct part){PART_ROWS, 0, 1, true};
}

static struct part reshape_part(struct comparing *x, const struct node *a, const struct node *b)
{
	struct part p = part_of(x, a->in[0], b->in[0]);
	if (p.kind != PART_ROWS)
		return shape_equal(&a->shape, &b->shape) ? p : fail(x, "it has another shape");
	int dim = cut_dim(x, &a->shape, &b->shape);
	int64_t in_front = 1, was_in_front = 1;
	for (int d = 0; d < dim; d++)
		in_front *= a->shape.dim[d];
	for (int d = 0; d < p.dim; d++)
		was_in_front *= a->in[0]->shape.dim[d];
	if (dim < 0 || in_front != was_in_front)
		return fail(x, "rows are joined with each other");
	p.dim = dim;
	return p;
}

/* What is carried from turn to turn is as what it begins with, if every turn leaves it so. */
static struct part carry_part(struct comparing *x, const struct node *a, const struct node *b)
{
	if (a->of->turns < 0 || a->of->turns != b->of->turns)
		return fail(x, "how often a loop turns hangs on its values");
	struct part p = part_of(x, a->in[0], b->in[0]);
	x->known[a->id] = p;
	if (p.kind == PART_NONE)
		return p;
	struct part q = part_of(x, x->ends[0][a->id]->in[1], x->ends[1][b->id]->in[1]);
	if (q.kind != p.kind || (p.kind == PART_ROWS && q.dim != p.dim) || q.ratio != p.ratio)
		return fail(x, "a loop carries something else from turn to turn");
	return p;
}

static struct part line_part(struct comparing *x, const struct node *a, const struct node *b)
{
	struct part first = none;
	if (a->nin != b->nin || a->line.first != b->line.first || a->line.step != b->line.step ||
	    a->line.back != b->line.back)
		return fail(x, "lines are read in another order");
	for (int i = 0; i < a->nin; i++) {
		struct part p = part_of(x, a->in[i], b->in[i]);
		if (p.kind == PART_NONE)
			return p;
		if (i && (p.kind != first.kind || p.dim != first.dim || p.ratio != first.ratio))
			return fail(x, "a loop reads different things");
		first = p;
	}
	if (first.kind == PART_ROWS && a->nin == 1 && a->in[0]->shape.rank == a->shape.rank + 1) {
		if (!first.dim)
			return fail(x, "rows are gone through one by one");
		first.dim--;
	}
	return first;
}

static struct part fresh_part(struct comparing *x, const struct node *a, const struct node *b)
{
	switch (a->kind) {
	case NODE_SLOT:
		return a->slot == b->slot ? all(1) : fail(x, "it reads another slot");
	case NODE_DATA:
		return a->data.argument == b->data.argument && a->data.field == b->data.field &&
				       shape_equal(&a->shape, &b->shape)
			       ? all(1)
			       : fail(x, "it reads other data");
	case NODE_HOST:
		return a->argument == b->argument ? all(1) : fail(x, "numbers are drawn");
	case NODE_CONST:
		if (dtype_is_float(a->dtype))
			return a->number.f == b->number.f ? all(1)
			       : a->number.f != 0         ? all(b->number.f / a->number.f)
							  : fail(x, "a number is another one");
		return a->number.i == b->number.i ? all(1) : fail(x, "a number is another one");
	case NODE_TURN:
		return all(1);
	case NODE_MAP:
		return map_part(x, a, b);
	case NODE_RESHAPE:
		return reshape_part(x, a, b);
	case NODE_CARRY:
		return carry_part(x, a, b);
	case NODE_LINE:
		return line_part(x, a, b);
	case NODE_STACK: {
		struct part p = part_of(x, a->in[0], b->in[0]);
		p.dim += p.kind == PART_ROWS;
		return p;
	}
	case NODE_CHECK:
	case NODE_END:
		return part_of(x, a->in[0], b->in[0]);
	case NODE_FACTORS:
	case NODE_TO: /* not met: identities */
	case NODE_CONTRACT:
	case NODE_STOP:
	case NODE_REMAT:
	case NODE_TANGENT:
	case NODE_RULED:
	case NODE_PULLED:
	case NODE_KINDS:
		break;
	}
	return fail(x, "it is not known");
}

static const struct node *value_of(const struct node *n)
{
	while (node_is_identity(n))
		n = n->in[0];
	return n;
}

static struct part part_of(struct comparing *x, const struct node *a, const struct node *b)
{
	a = value_of(a);
	b = value_of(b);
	const struct node *whole = cut_of(x, b);
	struct part *known = &x->known[a->id];
	if (whole)
		return cut_part(x, a, whole);
	if (a->kind != b->kind || a->dtype != b->dtype)
		return fail(x, "it computes something else of a part of the rows");
	if (!known->is_known) {
		if (x->depth == MOST_DEPTH)
			return fail(x, "it is too deep");
		x->depth++;
		struct part p = fresh_part(x, a, b);
		x->depth--;
		p.is_known = true;
		*known = p;
	}
	return *known;
}

/* ---- the whole ---- */

/* The values whose gradients they are, by the derivatives that are 1 by themselves; of a block, or of all. */
struct losses {
	VEC(const struct node *) all;
};

/* The block that a node stands in, of which micro-batches are turns of a loop or walked one by one. */
static const struct microbatch *batch_of(const struct node *n)
{
	const struct loop *l = n->loop;
	while (l && !l->batch)
		l = l->outer;
	return n->batch ? n->batch : l ? l->batch : NULL;
}

static bool is_seed(const struct node *n, const struct microbatch *of)
{
	return n->kind == NODE_CONST && n->origin == ORIGIN_BACKWARD && n->forward && !n->forward->shape.rank &&
	       n->forward->kind == NODE_CONTRACT && n->number.f == 1 && (!of || batch_of(n->forward) == of);
}

static struct losses find_losses(struct arena *a, const struct graph *g, const struct microbatch *of)
{
	struct losses x = {0};
	for (int i = 0; i < g->nodes.n; i++)
		if (is_seed(g->nodes.at[i], of))
			vec_push(a, &x.all, g->nodes.at[i]->forward);
	return x;
}

/* Why the mean of what micro-batches have in the place of a is not known to be a; NULL: it is. all_do: it may be the
 * same in all of them. */
static const char *compare(struct comparing *x, const struct node *a, const struct node *b, bool all_do)
{
	struct part p = part_of(x, a, b);
	if ((p.kind == PART_SUM && is_near(p.ratio, x->parts)) || (all_do && p.kind == PART_ALL && p.ratio == 1))
		return NULL;
	return x->why ? x->why : p.kind == PART_SUM ? "the loss is no mean over rows" : "no data is cut into rows";
}

static void begin(struct comparing *x, const struct graph *whole, const struct graph *micro)
{
	x->g[0] = whole;
	x->g[1] = micro;
	for (int i = 0; i < 2; i++)
		x->ends[i] = graph_ends(x->g[i], x->arena);
	x->known = ARENA_ARRAY(x->arena, struct part, whole->nodes.n);
}

/* The first graph with a loss, and it. */
static const struct node *differentiated(struct arena *a, const struct program *p, const struct graph **g)
{
	for (int r = 0; r < p->regions.n; r++) {
		*g = p->regions.at[r]->graph;
		struct losses x = find_losses(a, *g, NULL);
		if (x.all.n)
			return x.all.at[0];
	}
	return NULL;
}

const char *averaged_refused(struct arena *a, const struct program *whole, const struct program *micro, int parts)
{
	struct comparing x = {.arena = a, .parts = parts};
	const struct graph *g[2] = {NULL, NULL};
	const struct node *from = differentiated(a, whole, &g[0]), *to = differentiated(a, micro, &g[1]);
	if (!from || !to || whole->slots.n != micro->slots.n)
		return "no gradient of a single value was found";
	begin(&x, g[0], g[1]);
	return compare(&x, from, to, false);
}

/* ---- a block ---- */

static const struct graph *graph_of(const struct program *p, const struct microbatch *b)
{
	for (int r = 0; r < p->regions.n; r++)
		for (int i = 0; i < p->regions.at[r]->graph->nodes.n; i++)
			if (batch_of(p->regions.at[r]->graph->nodes.at[i]) == b)
				return p->regions.at[r]->graph;
	return NULL;
}

static bool is_given(const struct microbatch *b, const struct node *n)
{
	bool is = false;
	for (int i = 0; i < b->given.n; i++)
		is |= b->given.at[i] == n;
	return is;
}

/* What it gives may be kept, or be a state behind it. */
static bool leaves_states(const struct program *p, const struct graph *g, const struct microbatch *b)
{
	for (int i = 0; i < g->outputs.n; i++) {
		const struct output *o = &g->outputs.at[i];
		if (o->kind == OUTPUT_SLOT && batch_of(o->node) == b && !is_given(b, o->node) &&
		    p->slots.at[o->index]->slot_class != SLOT_VALUE)
			return true;
	}
	return false;
}

const char *averaged_block_refused(struct arena *a, const struct program *whole, const struct microbatch *one,
				   const struct program *micro, const struct microbatch *many)
{
	struct comparing x = {.arena = a, .parts = many->count};
	const struct graph *g[2] = {graph_of(whole, one), graph_of(micro, many)};
	const char *why = NULL;
	if (!g[0] || !g[1] || whole->slots.n != micro->slots.n || one->given.n != many->given.n)
		return "nothing is computed in it";
	if (leaves_states(whole, g[0], one))
		return "each micro-batch updates states in it";
	struct losses from = find_losses(a, g[0], one), to = find_losses(a, g[1], many);
	if (to.all.n < from.all.n || (!from.all.n && one->gives_gradients))
		return "no gradient of a single value was found";
	begin(&x, g[0], g[1]);
	for (int i = 0; i < from.all.n && !why; i++)
		why = compare(&x, from.all.at[i], to.all.at[i], true);
	for (int i = 0; i < one->given.n && !why; i++)
		why = compare(&x, one->given.at[i], many->given.at[i], true);
	return why;
}
