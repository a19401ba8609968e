/* slice.c — the ranges of `x[1..5, i * b .. (i + 1) * b]`. Ends that are known are offsets. A range may also begin
 * where only the running program knows, if its length is known: that is what the ends differ by, whatever the numbers
 * in them. Example: (i + 1) * b - i * b = b. */
#include "operators.h"

#include <string.h>

/* ---- what two ints differ by ---- */

enum { MAX_LEAVES = 16 };

/* A number of the host, or a tensor of one int. */
struct leaf {
	const struct host_expr *host;
	const struct node *node;
};

/* A sum of multiples of what only the running program knows, and a constant. */
struct linear {
	struct leaf leaf[MAX_LEAVES];
	int64_t times[MAX_LEAVES];
	int nleaves;
	int64_t constant;
};

/* Whether both are the same int whenever they are computed. */
static bool is_same(const struct host_expr *a, const struct host_expr *b)
{
	if (a == b)
		return true;
	bool same = a->kind == b->kind && a->type == b->type && a->nargs == b->nargs && a->op == b->op;
	if (!same || a->kind == HOST_SLOT)
		return false;
	if (a->index != b->index || a->kind == HOST_VAR || a->kind == HOST_NUMBER)
		return a->index == b->index;
	if (a->kind == HOST_CONST)
		return a->type == HOST_INT && a->i == b->i;
	if (a->kind == HOST_CALL && (strcmp(a->function, b->function) || strcmp(a->function, "config_int")))
		return false;
	for (int i = 0; i < a->nargs; i++)
		same = same && is_same(a->arg[i], b->arg[i]);
	return same;
}

/* Whether both are computed alike of the same, `k[0]` and `k[0]`: graphs are not yet free of what is written twice. */
static bool is_same_node(const struct node *a, const struct node *b, int depth)
{
	if (a == b)
		return true;
	bool same = a->kind == b->kind && a->nin == b->nin && a->dtype == b->dtype && shape_equal(&a->shape, &b->shape);
	bool maps = same && a->kind == NODE_MAP && a->rule == b->rule;
	bool checks =
		same && a->kind == NODE_CHECK && a->check.asked == b->check.asked && a->check.extent == b->check.extent;
	same = depth > 0 && (maps || checks || (same && a->kind == NODE_RESHAPE));
	for (int i = 0; same && i < a->nin; i++)
		same = is_same_node(a->in[i], b->in[i], depth - 1);
	return same;
}

static bool is_same_leaf(struct leaf a, struct leaf b)
{
	enum { DEPTH = 8 };
	if (a.host || b.host)
		return a.host && b.host && is_same(a.host, b.host);
	return is_same_node(a.node, b.node, DEPTH);
}

static bool add_leaf(struct linear *l, struct leaf x, int64_t times)
{
	int i = 0;
	while (i < l->nleaves && !is_same_leaf(l->leaf[i], x))
		i++;
	if (i == MAX_LEAVES)
		return false;
	if (i == l->nleaves) {
		l->leaf[l->nleaves] = x;
		l->times[l->nleaves++] = 0;
	}
	return !__builtin_add_overflow(l->times[i], times, &l->times[i]);
}

static bool add_constant(struct linear *l, int64_t number, int64_t times)
{
	int64_t product;
	return !__builtin_mul_overflow(number, times, &product) &&
	       !__builtin_add_overflow(l->constant, product, &l->constant);
}

static bool add(struct linear *l, const struct host_expr *x, int64_t times)
{
	int64_t product;
	if (x->type != HOST_INT)
		return false;
	if (x->kind == HOST_CONST)
		return add_constant(l, x->i, times);
	if (x->kind == HOST_VAR && x->is)
		return add(l, x->is, times);
	bool sums = x->kind == HOST_APPLY && times > INT64_MIN;
	if (sums && x->op == HOST_FITS_OP)
		return add(l, x->arg[0], times);
	if (sums && x->op == HOST_NEG_OP)
		return add(l, x->arg[0], -times);
	if (sums && (x->op == HOST_ADD_OP || x->op == HOST_SUB_OP))
		return add(l, x->arg[0], times) && add(l, x->arg[1], x->op == HOST_ADD_OP ? times : -times);
	int k = sums && x->op == HOST_MUL_OP && x->arg[1]->kind == HOST_CONST;
	if (sums && x->op == HOST_MUL_OP && x->arg[k]->kind == HOST_CONST)
		return !__builtin_mul_overflow(times, x->arg[k]->i, &product) && add(l, x->arg[1 - k], product);
	return add_leaf(l, (struct leaf){.host = x}, times);
}

/* s, in the body of a rule of node x, is a number that is known. */
static bool is_number(const struct node *x, const struct scalar *s, int64_t *out)
{
	const struct node *in = s->kind == SCALAR_OPERAND ? x->in[s->index] : NULL;
	if (s->kind == SCALAR_CONST)
		*out = s->i;
	else if (in && in->kind == NODE_CONST)
		*out = in->number.i;
	return s->kind == SCALAR_CONST || (in && in->kind == NODE_CONST);
}

static bool add_node(struct linear *l, const struct node *x, int64_t times);

/* s, in the body of a rule of node x. What wraps already at sizes that tensors have is no sum. */
static bool add_scalar(struct linear *l, const struct node *x, const struct scalar *s, int64_t times)
{
	bool counts = s->kind == SCALAR_APPLY && times > INT64_MIN && dtype_size(s->type) >= 4;
	if (s->kind == SCALAR_CONST)
		return add_constant(l, s->i, times);
	if (s->kind == SCALAR_OPERAND && !x->in[s->index]->shape.rank)
		return add_node(l, x->in[s->index], times);
	if (counts && s->fn == SC_CAST && dtype_is_int(s->arg[0]->type) &&
	    dtype_size(s->arg[0]->type) <= dtype_size(s->type))
		return add_scalar(l, x, s->arg[0], times);
	if (counts && s->fn == SC_NEG)
		return add_scalar(l, x, s->arg[0], -times);
	if (counts && (s->fn == SC_ADD || s->fn == SC_SUB))
		return add_scalar(l, x, s->arg[0], times) &&
		       add_scalar(l, x, s->arg[1], s->fn == SC_ADD ? times : -times);
	int64_t number, product;
	for (int k = 0; counts && s->fn == SC_MUL && k < 2; k++)
		if (is_number(x, s->arg[k], &number))
			return !__builtin_mul_overflow(times, number, &product) &&
			       add_scalar(l, x, s->arg[1 - k], product);
	return s == x->rule->body && add_leaf(l, (struct leaf){.node = x}, times);
}

static bool add_node(struct linear *l, const struct node *x, int64_t times)
{
	if (!dtype_is_int(x->dtype) || x->shape.rank)
		return false;
	if (x->kind == NODE_CONST)
		return add_constant(l, x->number.i, times);
	return x->kind == NODE_MAP && !x->rule->nfactors ? add_scalar(l, x, x->rule->body, times)
							 : add_leaf(l, (struct leaf){.node = x}, times);
}

static bool add_value(struct linear *l, struct elab *e, const struct value *v, struct span at, int64_t times)
{
	return value_is_tensor(v) ? add_node(l, tensor_node(e, v, at), times) : add(l, host_of(e, &v->host), times);
}

/* b - a, if that is known. */
static bool difference(struct elab *e, const struct value *a, const struct value *b, struct span at, int64_t *out)
{
	struct linear l = {.nleaves = 0};
	if (!add_value(&l, e, b, at, 1) || !add_value(&l, e, a, at, -1))
		return false;
	for (int i = 0; i < l.nleaves; i++)
		if (l.times[i])
			return false;
	*out = l.constant;
	return true;
}

/* ---- ranges ---- */

static bool is_int(struct elab *e, const struct value *v)
{
	return v && value_is_index(e, v) && !(value_is_tensor(v) && tensor_shape(e, v)->rank);
}

static bool is_known(const struct value *v)
{
	return v->kind == VALUE_HOST && v->host.known;
}

/* "dimension 1 has 8 elements"; of a list "there are 8 items". */
static const char *what_is_there(struct elab *e, int dim, int64_t extent)
{
	return dim < 0 ? elab_intern(e, "there are %lld items", (long long)extent)
		       : elab_intern(e, "dimension %d has %lld elements", dim, (long long)extent);
}

static bool known_end(struct elab *e, const struct expr *x, const struct value *v, int dim, int64_t extent,
		      int64_t fallback, int64_t *out)
{
	int64_t written = fallback;
	if (x && value_is_tensor(v) && is_int(e, v)) {
		struct diag *d = elab_error(e, PML0205, x->span, "how long this slice is must be known when compiling");
		diag_help(d, "its ends may be of the running program where they differ by a number that is known: "
			     "`x[k..k + 2]` of a `let k = ...;`");
		return false;
	}
	if (x && !size_of_value(e, v, x->span, &written))
		return false;
	*out = written < 0 ? written + extent : written;
	if (*out >= 0 && *out <= extent)
		return true;
	elab_error(e, PML0210, x->span, "%lld is out of range, %s", (long long)written, what_is_there(e, dim, extent));
	return false;
}

static bool known_slice(struct elab *e, const struct expr *x, const struct value *from, const struct value *to, int dim,
			int64_t extent, struct slice *out)
{
	int64_t end;
	if (!known_end(e, x->lhs, from, dim, extent, 0, &out->begin) ||
	    !known_end(e, x->rhs, to, dim, extent, extent, &end))
		return false;
	out->width = end - out->begin;
	if (out->width >= 0)
		return true;
	elab_error(e, PML0210, x->span, "the slice ends before it begins");
	return false;
}

/* Whether it is for the running program to tell that known ends are outside, of a slice that has a size. */
static bool slice_waits(const struct elab *e, const struct value *from, const struct value *to, int64_t extent)
{
	int64_t begin = from->host.i, end = to->host.i;
	bool is_outside = begin < -extent || begin > extent || end < -extent || end > extent;
	return is_outside && elab_may_never_come(e);
}

bool slice_eval(struct elab *e, const struct expr *x, int dim, int64_t extent, struct slice *out)
{
	const struct value *from = x->lhs ? expr_eval(e, x->lhs) : NULL, *to = x->rhs ? expr_eval(e, x->rhs) : NULL;
	*out = (struct slice){.from = NULL};
	bool ints = is_int(e, from) && is_int(e, to), known = ints && is_known(from) && is_known(to);
	bool moves = known ? dim >= 0 && slice_waits(e, from, to, extent) : ints;
	if (!moves || !difference(e, from, to, x->span, &out->width))
		return known_slice(e, x, from, to, dim, extent, out);
	out->from = from;
	if (out->width >= 0 && out->width <= extent)
		return !index_leaves(e, from, out->width, false, dim, extent, x->span);
	if (out->width < 0)
		elab_error(e, PML0210, x->span, "the slice ends before it begins");
	else
		elab_error(e, PML0210, x->span, "the slice has %lld elements, %s", (long long)out->width,
			   what_is_there(e, dim, extent));
	return false;
}

struct node *slice_begin(struct elab *e, const struct slice *s, const char *of, int dim, int64_t extent, struct span at)
{
	struct node *n =
		value_is_tensor(s->from) ? tensor_node(e, s->from, at) : tensor_of_host(e, s->from, DT_I64, at);
	const char *range = arena_printf(e->a, "slices of %lld begin at 0 to %lld: %s", (long long)s->width,
					 (long long)(extent - s->width), check_range(e, of, dim, extent));
	return check_indices(e, n, extent - s->width + 1, false, range, at);
}

struct node *slice_places(struct elab *e, struct node *begin, int64_t n, bool back, struct span at)
{
	struct rule *r = ARENA_NEW(e->a, struct rule);
	struct node_site site = elab_site(e, at);
	const struct access operand = {.type = begin->dtype};
	*r = (struct rule){.name = "positions", .noperands = 1, .operand = &operand, .nfactors = 1};
	r->factor[0] = (struct factor){"i", n};
	r->out = (struct access){.type = DT_I64, .rank = 1, .dim = {n}};
	r->out.index[0] = index_of_factor(0);
	const struct scalar *from = scalar_operand(e->a, begin->dtype, 0);
	r->body = scalar_apply(e->a, back ? SC_SUB : SC_ADD, DT_I64, scalar_factor(e->a, 0),
			       begin->dtype == DT_I64 ? from : scalar_apply(e->a, SC_CAST, DT_I64, from, NULL, NULL),
			       NULL);
	return graph_map(region_graph(e), &site, r, &begin);
}
