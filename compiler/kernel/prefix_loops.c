/* prefix_loops.c — running reductions as loops. The line's last dimension is a vector loop with running values; along
 * any other, every element is joined with the one before it in the result, which is in a cache yet, neighbouring lines
 * being lanes. Lines from the end on are walked from there: with i and r counted from the end, r + shift <= i holds
 * again.
 *
 *   before   elements r < -shift, which every i has            (shift < 0)
 *   i in 0 .. shift                  the neutral element       (shift > 0)
 *   i in shift .. shift + n          running values
 *   i beyond                         the value of the whole line
 *
 * Where the shift is known only when the program runs, one loop over all i has conditions instead. */
#include "prefix.h"

struct running {
	struct lowering *l;
	const struct prefix *p;
	struct phys_node node; /* the map with the value alone as its body */
	struct kernel_affine factor[MAX_FACTORS];
	struct kernel_affine shift; /* by the line's own direction; a number if reg is -1 */
	int64_t ni, nr;             /* extents along the line: of the result, of what is reduced */
	int param;
};

static int neutral(struct running *x)
{
	const struct rule *r = x->node.rule;
	return build_const(x->l->b, r->body->type, combiner_neutral(r->combiner, r->body->type));
}

/* The line's positions as values of its factors. */
static struct kernel_affine position(struct running *x, struct kernel_affine at, int64_t n)
{
	if (!x->p->backward)
		return at;
	struct kernel_affine from_end = affine_const(n - 1);
	affine_sum(x->l->b, &from_end, &at, -1);
	return from_end;
}

static struct kernel_affine plus(struct running *x, struct kernel_affine at, const struct kernel_affine *by,
				 int64_t scale)
{
	affine_sum(x->l->b, &at, by, scale);
	return at;
}

static int join(struct running *x, int before, int value)
{
	enum combiner c = x->node.rule->combiner;
	return build_apply(x->l->b, combiner_fn(c), build_type(x->l->b, value), before, value, -1);
}

/* The value at position r; where the guard is false, the neutral element. */
static int value_here(struct running *x, struct kernel_affine r, int guard)
{
	x->factor[x->p->over] = position(x, r, x->nr);
	int v = value_of_point(x->l, &x->node, x->factor, guard, NULL);
	return guard < 0 ? v : build_apply(x->l->b, SC_WHERE, build_type(x->l->b, v), guard, v, neutral(x));
}

static void store_here(struct running *x, struct kernel_affine i, int value)
{
	int none = -1;
	x->factor[x->p->along] = position(x, i, x->ni);
	struct kernel_affine at = value_out_address(x->l, &x->node, x->factor, &none);
	build_store(x->l->b, x->param, &at, value, none);
}

static int stored_at(struct running *x, struct kernel_affine i)
{
	int none = -1;
	x->factor[x->p->along] = position(x, i, x->ni);
	struct kernel_affine at = value_out_address(x->l, &x->node, x->factor, &none);
	return build_load(x->l->b, x->param, &at, none);
}

static int test(struct running *x, enum scalar_fn fn, const struct kernel_affine *at, int64_t than)
{
	return build_apply(x->l->b, fn, DT_BOOL, build_loopvar(x->l->b, at), build_int(x->l->b, DT_I64, than), -1);
}

/* 0 <= at < n */
static int inside(struct running *x, const struct kernel_affine *at, int64_t n)
{
	return build_apply(x->l->b, SC_AND, DT_BOOL, test(x, SC_GE, at, 0), test(x, SC_LT, at, n), -1);
}

static bool is_known(const struct running *x)
{
	return x->shift.reg < 0;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* What position `first` of the line has: all r with r + shift <= first. Of a known shift there are `count` of them. */
static int reduce_first(struct running *x, int64_t first, int64_t count, bool vector)
{
	struct kernel_builder *b = x->l->b;
	const struct rule *r = x->node.rule;
	if (is_known(x) && count <= 1)
		return count == 1 ? join(x, neutral(x), value_here(x, affine_const(0), -1)) : neutral(x);
	struct kernel_affine at = affine_loop(build_open(b, NULL, is_known(x) ? count : x->nr, vector));
	int acc = build_acc(b, r->body->type, r->combiner, NULL), guard = -1;
	if (!is_known(x)) {
		struct kernel_affine past = plus(x, at, &x->shift, 1);
		guard = test(x, SC_LE, &past, first);
	}
	build_reduce(b, acc, value_here(x, at, guard), -1, -1, -1);
	build_close(b);
	return acc;
}

/* ---- along the last dimension ---- */

static void store_all(struct running *x, int64_t first, int64_t end, int value)
{
	if (first >= end)
		return;
	struct kernel_affine first_at = affine_const(first),
			     at = affine_loop(build_open(x->l->b, NULL, end - first, true));
	store_here(x, plus(x, at, &first_at, 1), value);
	build_close(x->l->b);
}

static void line_of_lanes(struct running *x)
{
	struct kernel_builder *b = x->l->b;
	const struct rule *r = x->node.rule;
	int64_t s = x->shift.offset, first = 0, end = x->ni;
	bool early = !is_known(x) || s < 0; /* elements that the first position has already */
	if (is_known(x)) {
		first = s < 0 ? 0 : least(s, x->ni);
		end = least(x->nr + s, x->ni);
		end = end < first ? first : end;
	}
	int before = early ? reduce_first(x, -1, least(-s, x->nr), true) : -1, whole = before;
	store_all(x, 0, first, neutral(x));
	if (first < end) {
		struct kernel_affine at = affine_loop(build_open(b, r->factor[x->p->along].name, end - first, true));
		int acc = build_acc(b, r->body->type, r->combiner, NULL), guard = -1;
		at.offset = first;
		struct kernel_affine from = plus(x, at, &x->shift, -1);
		if (!is_known(x))
			guard = inside(x, &from, x->nr);
		int value = build_prefix(b, acc, value_here(x, from, guard));
		store_here(x, at, before < 0 ? value : join(x, before, value));
		build_close(b);
		whole = before < 0 ? acc : join(x, before, acc);
	}
	store_all(x, end, x->ni, whole);
}

/* ---- along another dimension ---- */

struct lanes {
	int factor[MAX_RANK], n; /* the dimensions behind that of the line, not of extent 1 */
};

static void open_lanes(struct running *x, const struct lanes *v)
{
	const struct rule *r = x->node.rule;
	for (int k = 0; k < v->n; k++)
		x->factor[v->factor[k]] = affine_loop(build_open(x->l->b, r->factor[v->factor[k]].name,
								 r->factor[v->factor[k]].extent, k == v->n - 1));
}

static void close_lanes(struct running *x, const struct lanes *v)
{
	for (int k = 0; k < v->n; k++)
		build_close(x->l->b);
}

/* Rows first .. end: each what the one before it holds, joined with what is new if there is any. */
static void rows(struct running *x, const struct lanes *v, int64_t first, int64_t end, bool fresh, bool empty)
{
	struct kernel_builder *b = x->l->b;
	if (first >= end)
		return;
	struct kernel_affine at = affine_loop(build_open(b, NULL, end - first, false)), one = affine_const(1);
	int guard = -1;
	at.offset = first;
	struct kernel_affine from = plus(x, at, &x->shift, -1);
	if (!is_known(x))
		guard = inside(x, &from, x->nr);
	open_lanes(x, v);
	int value = empty ? neutral(x) : stored_at(x, plus(x, at, &one, -1));
	if (fresh)
		value = join(x, value, value_here(x, from, guard));
	store_here(x, at, value);
	close_lanes(x, v);
	build_close(b);
}

static void line_of_rows(struct running *x, const struct lanes *v)
{
	int64_t s = x->shift.offset, first = 1, end = x->ni;
	if (is_known(x) && s > 0) {
		first = least(s, x->ni);
		rows(x, v, 0, first, false, true);
	} else if (x->ni > 0) {
		open_lanes(x, v);
		store_here(x, affine_const(0), reduce_first(x, 0, least(1 - s, x->nr), false));
		close_lanes(x, v);
	}
	if (is_known(x))
		end = least(x->nr + s, x->ni);
	rows(x, v, first, end, true, false);
	rows(x, v, end < first ? first : end, x->ni, false, false);
}

static struct lanes lanes_behind(const struct rule *r, int along)
{
	struct lanes v = {.n = 0};
	for (int d = access_dim_of(&r->out, along) + 1; d < r->out.rank; d++)
		if (r->out.dim[d] != 1)
			v.factor[v.n++] = index_factor(&r->out.index[d]);
	return v;
}

/* shift in numbers of the rank's own parts, counted in the line's direction. */
static struct kernel_affine own_shift(struct running *x)
{
	struct kernel_affine s = affine_const(x->p->shift);
	value_add_origin(x->l, &s, &x->node, x->p->over, 1);
	value_add_origin(x->l, &s, &x->node, x->p->along, -1);
	if (!x->p->backward)
		return s;
	struct kernel_affine turned = affine_const(x->ni - x->nr);
	affine_sum(x->l->b, &turned, &s, -1);
	return turned;
}

void lower_prefix(struct lowering *l, const struct prefix *p)
{
	struct running x = {.l = l, .p = p, .node = *l->group->members.at[0]->node};
	const struct rule *whole = x.node.rule;
	struct rule *r = ARENA_NEW(l->scratch, struct rule);
	int opened = 0;
	*r = *whole;
	r->body = p->value;
	x.node.rule = r;
	x.ni = r->factor[p->along].extent;
	x.nr = r->factor[p->over].extent;
	x.param = value_param(l, l->group->members.at[0]->node, KP_OUT);
	for (int f = 0; f < r->nfactors; f++)
		x.factor[f] = affine_const(0);
	x.shift = own_shift(&x);
	for (int d = 0; d < access_dim_of(&r->out, p->along); d++) {
		int f = index_factor(&r->out.index[d]);
		if (r->out.dim[d] == 1)
			continue;
		x.factor[f] = affine_loop(build_open(l->b, r->factor[f].name, r->factor[f].extent, false));
		opened++;
	}
	struct lanes v = lanes_behind(r, p->along);
	if (v.n)
		line_of_rows(&x, &v);
	else
		line_of_lanes(&x);
	while (opened-- > 0)
		build_close(l->b);
}
