/* build.c — maps made without a declaration: the compiler's own pointwise operators, casts, fills and reductions.
 * They are rules like those of the prelude, so everything downstream treats them alike. */
#include "graph.h"

#include <ctype.h>
#include <string.h>

/* Reads the inputs, each aligned with the last dimensions of the result; at: of n. */
static void read_aligned(struct rule *r, struct access *at, int n, struct node *const *in)
{
	r->operand = at;
	for (r->noperands = 0; r->noperands < n; r->noperands++) {
		struct access *a = &at[r->noperands];
		const struct shape *s = &in[r->noperands]->shape;
		int skip = r->out.rank - s->rank;
		BUG_IF(skip < 0, "operand of `%s` has more dimensions than its result", r->name);
		*a = (struct access){.type = in[r->noperands]->dtype, .rank = s->rank};
		for (int d = 0; d < a->rank; d++) {
			BUG_IF(s->dim[d] != r->out.dim[skip + d], "operands of `%s` do not align", r->name);
			a->dim[d] = s->dim[d];
			a->index[d] = r->out.index[skip + d];
		}
	}
}

struct node *graph_pointwise(struct graph *g, const struct node_site *at, enum scalar_fn fn, struct node *x,
			     struct node *y, struct node *z)
{
	struct node *in[3] = {x, y, z};
	int n = scalar_arity(fn);
	const struct shape *widest = &x->shape;
	for (int i = 1; i < n; i++)
		if (in[i]->shape.rank > widest->rank)
			widest = &in[i]->shape;
	enum dtype t = scalar_result_kind(fn) == SCALAR_PRED ? DT_BOOL : fn == SC_FOLD_KEY ? DT_U64 : in[n - 1]->dtype;
	struct rule r = rule_over_shape(scalar_name(fn), t, widest);
	struct access operand[3];
	const struct scalar *arg[3] = {NULL};
	read_aligned(&r, operand, n, in);
	for (int i = 0; i < n; i++)
		arg[i] = scalar_operand(g->arena, in[i]->dtype, i);
	r.body = scalar_apply(g->arena, fn, t, arg[0], arg[1], arg[2]);
	return graph_map(g, at, &r, in);
}

struct node *graph_cast(struct graph *g, const struct node_site *at, struct node *x, enum dtype to)
{
	if (x->dtype == to)
		return x;
	struct rule r = rule_over_shape("cast", to, &x->shape);
	struct access operand;
	read_aligned(&r, &operand, 1, &x);
	r.body = scalar_apply(g->arena, SC_CAST, to, scalar_operand(g->arena, x->dtype, 0), NULL, NULL);
	return graph_map(g, at, &r, &x);
}

struct node *graph_fill(struct graph *g, const struct node_site *at, struct node *scalar, const struct shape *s)
{
	BUG_IF(scalar->shape.rank, "a fill with something that is not a scalar");
	struct rule r = rule_over_shape("fill", scalar->dtype, s);
	struct access operand;
	read_aligned(&r, &operand, 1, &scalar);
	r.body = scalar_operand(g->arena, scalar->dtype, 0);
	return graph_map(g, at, &r, &scalar);
}

struct node *graph_zeros(struct graph *g, const struct node_site *at, enum dtype t, const struct shape *s)
{
	struct node *zero = graph_number(g, at, t, (union scalar_value){0});
	return s->rank ? graph_fill(g, at, zero, s) : zero;
}

struct node *graph_reduce(struct graph *g, const struct node_site *at, enum combiner c, struct node *x,
			  const bool *dims)
{
	bool index = c == COMBINE_ARGMAX || c == COMBINE_ARGMIN;
	struct rule r = rule_over_shape(combiner_text(c), index ? DT_I32 : x->dtype, &x->shape);
	struct access operand;
	read_aligned(&r, &operand, 1, &x);
	r.body = scalar_operand(g->arena, x->dtype, 0);
	int kept = 0;
	for (int d = 0; d < x->shape.rank; d++) {
		if (dims[d])
			continue;
		r.out.dim[kept] = r.out.dim[d];
		r.out.index[kept++] = r.out.index[d];
	}
	r.combiner = kept < r.out.rank ? c : COMBINE_NONE;
	if (r.combiner == COMBINE_NONE)
		r.out.type = x->dtype;
	r.out.rank = kept;
	return graph_map(g, at, &r, &x);
}

/* One of operand and result of which the other lacks the first dimension: factors are the others in order, from
 * factor `from` on. */
static struct access lines_access(enum dtype t, const struct shape *s, int skip, int from)
{
	struct access a = {.type = t, .rank = s->rank};
	for (int d = 0; d < s->rank; d++) {
		a.dim[d] = s->dim[d];
		a.index[d] = d < skip ? (struct index){.div = 1, .data = -1} : index_of_factor(from + d - skip);
	}
	return a;
}

static struct rule lines_rule(struct arena *a, const char *name, const struct shape *line, int first_factor,
			      const struct access *operand)
{
	struct rule r = {.name = name, .noperands = 1, .operand = operand, .nfactors = first_factor + line->rank};
	for (int d = 0; d < line->rank; d++)
		r.factor[first_factor + d] = (struct factor){arena_printf(a, "i%d", d), line->dim[d]};
	return r;
}

static struct shape line_shape(const struct shape *s)
{
	struct shape line = {.rank = s->rank - 1};
	memcpy(line.dim, s->dim + 1, sizeof *line.dim * (size_t)line.rank);
	return line;
}

/* The rule reads its operand from *at. */
static struct rule line_rule(struct graph *g, const struct node *x, int64_t line, struct access *at)
{
	struct shape s = line_shape(&x->shape);
	struct rule r = lines_rule(g->arena, "line", &s, 0, at);
	*at = lines_access(x->dtype, &x->shape, 1, 0);
	at->index[0].offset = line;
	r.out = lines_access(x->dtype, &s, 0, 0);
	r.body = scalar_operand(g->arena, x->dtype, 0);
	return r;
}

struct node *graph_line_of(struct graph *g, const struct node_site *at, struct node *x, int64_t line)
{
	struct access operand;
	struct rule r = line_rule(g, x, line, &operand);
	return graph_map(g, at, &r, &x);
}

struct node *graph_line_at(struct graph *g, const struct node_site *at, struct node *x, struct node *line)
{
	struct node *in[2] = {x, line};
	struct shape s = line_shape(&x->shape);
	struct access operand[2] = {lines_access(x->dtype, &x->shape, 1, 0), {.type = line->dtype}};
	struct rule r = lines_rule(g->arena, "line", &s, 0, operand);
	r.noperands = 2;
	operand[0].index[0] = (struct index){.div = 1, .data = 1, .guarded = true};
	r.out = lines_access(x->dtype, &s, 0, 0);
	r.body = scalar_operand(g->arena, x->dtype, 0);
	return graph_map(g, at, &r, in);
}

/* The dimension that a map moves to the front, all else as it was; -1: it is no such map. */
static int moved_to_front(const struct rule *r)
{
	if (r->noperands != 1 || r->combiner != COMBINE_NONE || r->body->kind != SCALAR_OPERAND || rule_is_scatter(r) ||
	    r->out.rank != r->operand[0].rank || r->out.rank != r->nfactors)
		return -1;
	const struct access *from = &r->operand[0];
	int front = access_dim_of(from, index_factor(&r->out.index[0]));
	for (int d = 0, k = 1; d < from->rank && front >= 0; d++)
		if (d != front && !index_equal(&from->index[d], &r->out.index[k++]))
			return -1;
	return front >= 0 && from->dim[front] == r->out.dim[0] && !from->index[front].guarded ? front : -1;
}

/* Whether dimension d of one is blocks of that of the other, by dimensions d and d + 1. */
static bool is_cut_into_blocks(const struct shape *from, const struct shape *to, int d)
{
	bool same = to->rank == from->rank + 1 && d < from->rank && from->dim[d] == to->dim[d] * to->dim[d + 1];
	for (int k = 0; k < from->rank && same; k++)
		same = k == d || from->dim[k] == to->dim[k + (k > d)];
	return same;
}

struct node *graph_block_of(struct graph *g, const struct node_site *at, const struct node *x, int64_t line)
{
	int d = x->kind == NODE_MAP ? moved_to_front(x->rule) : 0;
	const struct node *blocks = x->kind == NODE_MAP && d >= 0 ? x->in[0] : x;
	if (d < 0 || blocks->kind != NODE_RESHAPE || !is_cut_into_blocks(&blocks->in[0]->shape, &blocks->shape, d))
		return NULL;
	struct node *from = blocks->in[0];
	struct shape s = line_shape(&x->shape);
	struct access operand = lines_access(x->dtype, &from->shape, 0, 0);
	struct rule r = lines_rule(g->arena, "slice", &s, 0, &operand);
	operand.index[d].offset = line * s.dim[d];
	r.out = lines_access(x->dtype, &s, 0, 0);
	r.body = scalar_operand(g->arena, x->dtype, 0);
	return graph_map(g, at, &r, &from);
}

struct node *graph_turned(struct graph *g, const struct node_site *at, struct node *x, int from, int to)
{
	struct shape s = {.rank = x->shape.rank};
	int of[MAX_RANK]; /* by dimension of the result: of x */
	for (int d = 0, next = 0; d < s.rank; d++) {
		next += next == from;
		of[d] = d == to ? from : next++;
		s.dim[d] = x->shape.dim[of[d]];
	}
	struct rule r = rule_over_shape("turned", x->dtype, &s);
	struct access operand = access_of_shape(x->dtype, &x->shape);
	for (int d = 0; d < s.rank; d++)
		operand.index[of[d]] = r.out.index[d];
	r.noperands = 1;
	r.operand = &operand;
	r.body = scalar_operand(g->arena, x->dtype, 0);
	return graph_map(g, at, &r, &x);
}

struct node *graph_repeated(struct graph *g, const struct node_site *at, struct node *x, int64_t n)
{
	struct shape s = shape_of_lines(n, &x->shape);
	const struct access operand = lines_access(x->dtype, &x->shape, 0, 1);
	struct rule r = lines_rule(g->arena, "repeat", &x->shape, 1, &operand);
	r.factor[0] = (struct factor){"n", n};
	r.out = lines_access(x->dtype, &s, 0, 0);
	r.body = scalar_operand(g->arena, x->dtype, 0);
	return graph_map(g, at, &r, &x);
}

bool graph_is_line_of(struct graph *g, const struct node *n, int64_t *line)
{
	if (n->kind != NODE_MAP || n->nin != 1 || n->in[0]->shape.rank != n->shape.rank + 1)
		return false;
	*line = n->rule->operand[0].index[0].offset;
	struct access operand;
	struct rule r = line_rule(g, n->in[0], *line, &operand);
	return graph_rule(g, &r) == n->rule;
}

struct node *graph_as_line(struct graph *g, const struct node_site *at, struct node *x, const struct shape *s,
			   int64_t line)
{
	const struct access operand = lines_access(x->dtype, &x->shape, 0, 0);
	struct rule r = lines_rule(g->arena, "stack", &x->shape, 0, &operand);
	r.out = lines_access(x->dtype, s, 1, 0);
	r.out.index[0].offset = line;
	r.body = scalar_operand(g->arena, x->dtype, 0);
	return graph_map(g, at, &r, &x);
}

struct node *graph_lines(struct graph *g, const struct node_site *at, struct node *x, int64_t n, int64_t first,
			 int64_t step)
{
	struct shape line = line_shape(&x->shape), s = x->shape;
	struct access operand = lines_access(x->dtype, &x->shape, 0, 0);
	struct rule r = lines_rule(g->arena, "lines", &line, 1, &operand);
	s.dim[0] = n;
	r.factor[0] = (struct factor){"t", n};
	operand.index[0] = (struct index){
		.nterms = 1, .term = {{.factor = 0, .coef = step}}, .offset = first, .div = 1, .data = -1};
	operand.index[0].guarded = index_needs_guard(&r, &operand.index[0], x->shape.dim[0]);
	r.out = lines_access(x->dtype, &s, 0, 0);
	r.body = scalar_operand(g->arena, x->dtype, 0);
	return graph_map(g, at, &r, &x);
}

struct node *graph_joined_lines(struct graph *g, const struct node_site *at, struct node *x, struct node *y,
				int64_t from)
{
	struct node *in[2] = {x, y};
	struct rule r = rule_over_shape("joined", x->dtype, &x->shape);
	struct access operand[2];
	const struct scalar *of[2];
	read_aligned(&r, operand, 2, in);
	for (int i = 0; i < 2; i++)
		of[i] = scalar_operand(g->arena, x->dtype, i);
	const struct scalar *behind = scalar_apply(g->arena, SC_GE, DT_BOOL, scalar_factor(g->arena, 0),
						   scalar_int(g->arena, DT_I64, from), NULL);
	r.body = scalar_apply(g->arena, SC_WHERE, x->dtype, behind, of[1], of[0]);
	return graph_map(g, at, &r, in);
}

struct node *graph_spread_lines(struct graph *g, const struct node_site *at, struct node *x, const struct shape *s,
				int64_t first, int64_t step)
{
	struct shape line = line_shape(s);
	const struct access operand = lines_access(x->dtype, &x->shape, 0, 0);
	struct rule r = lines_rule(g->arena, "lines", &line, 1, &operand);
	r.factor[0] = (struct factor){"t", x->shape.dim[0]};
	r.out = lines_access(x->dtype, s, 1, 1);
	r.out.index[0] = (struct index){
		.nterms = 1, .term = {{.factor = 0, .coef = step}}, .offset = first, .div = 1, .data = -1};
	r.out.index[0].guarded = index_needs_guard(&r, &r.out.index[0], s->dim[0]);
	r.combiner = COMBINE_SUM;
	r.body = scalar_operand(g->arena, x->dtype, 0);
	return graph_map(g, at, &r, &x);
}
