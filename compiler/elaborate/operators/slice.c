/* slice.c — the ranges of `x[1..5, i * b .. (i + 1) * b]`. Ends that are known are offsets. A range may also begin
 * where only the running program knows, if its length is known: that is what the ends differ by, whatever the numbers
 * in them. Example: (i + 1) * b - i * b = b. */
#include "operators.h"

#include <string.h>

/* ---- what two ints differ by ---- */

enum { MAX_LEAVES = 16 };

/* A sum of multiples of what only the running program knows, and a constant. */
struct linear {
	const struct host_expr *leaf[MAX_LEAVES];
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

static bool add_leaf(struct linear *l, const struct host_expr *x, int64_t times)
{
	int i = 0;
	while (i < l->nleaves && !is_same(l->leaf[i], x))
		i++;
	if (i == MAX_LEAVES)
		return false;
	if (i == l->nleaves) {
		l->leaf[l->nleaves] = x;
		l->times[l->nleaves++] = 0;
	}
	return !__builtin_add_overflow(l->times[i], times, &l->times[i]);
}

static bool add(struct linear *l, const struct host_expr *x, int64_t times)
{
	int64_t product;
	if (x->type != HOST_INT)
		return false;
	if (x->kind == HOST_CONST)
		return !__builtin_mul_overflow(x->i, times, &product) &&
		       !__builtin_add_overflow(l->constant, product, &l->constant);
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
	return add_leaf(l, x, times);
}

/* b - a, if that is known. */
static bool difference(struct elab *e, const struct value *a, const struct value *b, int64_t *out)
{
	struct linear l = {.nleaves = 0};
	if (!add(&l, host_of(e, &b->host), 1) || !add(&l, host_of(e, &a->host), -1))
		return false;
	for (int i = 0; i < l.nleaves; i++)
		if (l.times[i])
			return false;
	*out = l.constant;
	return true;
}

/* ---- ranges ---- */

static bool is_int(const struct value *v)
{
	return v && v->kind == VALUE_HOST && v->host.type == HOST_INT;
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
	bool ints = is_int(from) && is_int(to), known = ints && from->host.known && to->host.known;
	bool moves = known ? dim >= 0 && slice_waits(e, from, to, extent) : ints;
	if (!moves || !difference(e, from, to, &out->width))
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
	struct node *n = tensor_of_host(e, s->from, DT_I64, at);
	const char *range = arena_printf(e->a, "slices of %lld begin at 0 to %lld: %s", (long long)s->width,
					 (long long)(extent - s->width), check_range(e, of, dim, extent));
	return check_indices(e, n, extent - s->width + 1, false, range, at);
}

struct node *slice_places(struct elab *e, struct node *begin, int64_t n, bool back, struct span at)
{
	struct rule *r = ARENA_NEW(e->a, struct rule);
	struct node_site site = elab_site(e, at);
	const struct access operand = {.type = DT_I64};
	*r = (struct rule){.name = "positions", .noperands = 1, .operand = &operand, .nfactors = 1};
	r->factor[0] = (struct factor){"i", n};
	r->out = (struct access){.type = DT_I64, .rank = 1, .dim = {n}};
	r->out.index[0] = index_of_factor(0);
	r->body = scalar_apply(e->a, back ? SC_SUB : SC_ADD, DT_I64, scalar_factor(e->a, 0),
			       scalar_operand(e->a, DT_I64, 0), NULL);
	return graph_map(region_graph(e), &site, r, &begin);
}
