/* general.c — a kernel for one map of any kind, straight from its rule: factors are loops, reduced ones innermost, but
 * for running reductions (prefix.h). The vector loop is the factor along which most accesses are contiguous; a scatter
 * is a sequence of read-modify-writes. Maps of each element that a plain one leaves follow behind its reduction. */
#include "across.h"
#include "domain.h"
#include "prefix.h"

#include <stdlib.h>
#include <string.h>

/* Elements between neighbours along factor f; a large number if that depends on data. */
static int64_t stride_of(const struct access *a, int f)
{
	int64_t stride = 1;
	uint64_t sum = 0; /* of a factor that has one number the coefficient may be any */
	for (int d = a->rank - 1; d >= 0; d--) {
		const struct index *x = &a->index[d];
		for (int i = 0; i < x->nterms; i++)
			if (x->term[i].factor == f)
				sum += x->div > 1 ? 1000 : (uint64_t)x->term[i].coef * (uint64_t)stride;
		stride *= a->dim[d];
	}
	return (int64_t)sum;
}

/* What a vector loop over factor f costs: lanes a few elements apart are put together of rows, others are gathered, a
 * strided store is worse, short loops waste lanes. */
static int vector_cost(const struct rule *r, int f)
{
	int cost = 0;
	for (int k = 0; k < r->noperands; k++) {
		int64_t s = stride_of(&r->operand[k], f);
		bool gathered = false;
		for (int d = 0; d < r->operand[k].rank; d++) {
			int data = r->operand[k].index[d].data;
			gathered = gathered || (data >= 0 && stride_of(&r->operand[data], f) != 0);
		}
		cost += gathered || (s != 0 && s != 1) ? kernel_is_apart(s) && !gathered ? 4 : 8 : 0;
	}
	int64_t s = stride_of(&r->out, f);
	cost += rule_reduces(r, f) ? 1 : s == 1 ? 0 : 10;
	return cost + (r->factor[f].extent < 4 ? 16 : r->factor[f].extent < 8 ? 6 : r->factor[f].extent < 16 ? 3 : 0);
}

/* The factor of the vector loop, or -1: no loop at all. */
static int vector_factor(const struct rule *r)
{
	int best = -1, cost = 0;
	for (int f = 0; f < r->nfactors; f++) {
		if (r->factor[f].extent == 1)
			continue;
		int c = vector_cost(r, f);
		if (best < 0 || c < cost) {
			best = f;
			cost = c;
		}
	}
	return best;
}

struct loops {
	struct lowering *l;
	struct phys_node *node;
	const struct rule *rule;
	struct kernel_affine factor[MAX_FACTORS];
	int acc, index; /* of the outermost loop that reduces; -1: none does */
};

static void open_loop(struct loops *x, int f, bool vector, bool reduces)
{
	const struct rule *r = x->rule;
	x->factor[f] = affine_loop(build_open(x->l->b, r->factor[f].name, r->factor[f].extent, vector));
	if (reduces && x->acc < 0)
		x->acc = build_acc(x->l->b, r->body->type, r->combiner, &x->index);
}

/* The reduction loops, the value inside them, and what comes out. */
static int reduce_point(struct loops *x, int vector)
{
	const struct rule *r = x->rule;
	struct kernel_builder *b = x->l->b;
	int winner = -1, opened = 0, times = -1, guard = -1;
	for (int pass = 0; pass < 2; pass++)
		for (int f = 0; f < r->nfactors; f++)
			if (rule_reduces(r, f) && r->factor[f].extent != 1 && (f == vector) == (pass == 1)) {
				open_loop(x, f, f == vector, true);
				opened++;
				winner = f;
			}
	int value = opened ? value_of_summand(x->l, x->node, x->factor, &times, &guard)
			   : value_of_point(x->l, x->node, x->factor, -1, NULL);
	bool indexed = r->combiner == COMBINE_ARGMAX || r->combiner == COMBINE_ARGMIN;
	int at = !indexed ? -1 : winner >= 0 ? build_loopvar(b, &x->factor[winner]) : build_int(b, DT_I64, 0);
	if (opened) {
		build_reduce(b, x->acc, value, times, at, guard);
		value = x->acc;
		at = x->index;
	}
	while (opened-- > 0)
		build_close(b);
	int reg = indexed ? at : value;
	return build_type(b, reg) == r->out.type ? reg : build_apply(b, SC_CAST, r->out.type, reg, -1, -1);
}

/* The order of a sum is that of the whole tensor. */
static const struct rule *order_of(const struct loops *x)
{
	bool ordered = x->node->part && x->rule->combiner != COMBINE_NONE;
	return ordered ? x->node->part->whole : x->rule;
}

/* The loops over the elements of the result, that over factor `last` innermost, or left out; how many. */
static int open_elements(struct loops *x, int last, bool with_last)
{
	const struct rule *r = x->rule;
	int opened = 0;
	for (int pass = 0; pass < (with_last ? 2 : 1); pass++)
		for (int d = 0; d < r->out.rank; d++) {
			int f = index_factor(&r->out.index[d]);
			if (f < 0 || r->factor[f].extent == 1 || (f == last) != (pass == 1))
				continue;
			open_loop(x, f, pass == 1, false);
			opened++;
		}
	return opened;
}

/* Elements of operand k that the points read: at the most as many as the points have values of its factors. */
static int64_t elements_read(const struct rule *r, int k)
{
	int64_t n = 1;
	for (int f = 0; f < r->nfactors; f++)
		n *= access_uses(&r->operand[k], f) ? r->factor[f].extent : 1;
	return n;
}

/* The one factor that r reduces, if it does so line by line: many lines, each longer than registers hold, of more data
 * than the caches near the core have. Else -1. What stays in registers is read in strips of lines, which memory brings
 * at half its speed. */
static int lines_factor(const struct rule *r, int vector)
{
	enum { LONG = 128, MANY = 16, LARGE = 1 << 22 /* elements */ };
	int found = -1;
	bool indexed = r->combiner == COMBINE_ARGMAX || r->combiner == COMBINE_ARGMIN;
	if (indexed || vector < 0 || rule_reduces(r, vector) || r->body->type != r->out.type ||
	    r->factor[vector].extent < LONG || stride_of(&r->out, vector) != 1)
		return -1;
	for (int f = 0; f < r->nfactors; f++) {
		if (!rule_reduces(r, f) || r->factor[f].extent == 1)
			continue;
		if (found >= 0 || r->factor[f].extent < MANY)
			return -1;
		found = f;
	}
	for (int k = 0; k < r->noperands && found >= 0; k++)
		if (stride_of(&r->operand[k], vector) == 1 && access_uses(&r->operand[k], found) &&
		    elements_read(r, k) >= LARGE)
			return found;
	return -1;
}

static int neutral(struct loops *x)
{
	enum dtype t = x->node->dtype;
	return build_const(x->l->b, t, combiner_neutral(x->rule->combiner, t));
}

static int joined(struct loops *x, int old, int value)
{
	return build_apply(x->l->b, combiner_fn(x->rule->combiner), x->node->dtype, old, value, -1);
}

/* The neutral element where the point is in the result. */
static void clear_point(struct loops *x, int p)
{
	int guard = -1;
	struct kernel_affine at = value_out_address(x->l, x->node, x->factor, &guard);
	build_store(x->l->b, p, &at, neutral(x), guard);
}

/* Lines that are joined with one of the result in a pass over it, which is loaded and stored once for all of them: as
 * many as divide all lines, where little is computed of each element. */
static int lines_at_once(const struct loops *x, int lines)
{
	enum { MOST = 2, LIGHT = 4 };
	int n = scalar_flops(x->rule->body) <= LIGHT ? MOST : 1;
	while (x->rule->factor[lines].extent % n)
		n--;
	return n;
}

/* Neutral elements in a line of the result, then line after line is joined with it where it lies. */
static void lower_lines(struct loops *x, int vector, int lines)
{
	struct kernel_builder *b = x->l->b;
	const struct factor *f = &x->rule->factor[lines];
	int p = value_param(x->l, x->node, KP_INOUT), opened = open_elements(x, vector, false), guard = -1;
	open_loop(x, vector, true, false);
	clear_point(x, p);
	build_close(b);
	int n = lines_at_once(x, lines);
	struct kernel_affine turn = affine_loop(build_open(b, f->name, f->extent / n, false));
	open_loop(x, vector, true, false);
	struct kernel_affine at = value_out_address(x->l, x->node, x->factor, &guard);
	int sum = build_load(b, p, &at, guard);
	for (int i = 0; i < n; i++) {
		x->factor[lines] = affine_const(i);
		affine_sum(b, &x->factor[lines], &turn, n);
		sum = joined(x, sum, value_of_point(x->l, x->node, x->factor, -1, NULL));
	}
	build_store(b, p, &at, sum, guard);
	for (opened += 2; opened > 0; opened--)
		build_close(b);
}

bool map_leaves_lanes(const struct phys_node *n)
{
	int vector = map_is_plain(n) && !n->part && !map_is_prefix(n) ? vector_factor(n->rule) : -1;
	return vector >= 0 && !rule_reduces(n->rule, vector) && lines_factor(n->rule, vector) < 0;
}

static void store_point(struct lowering *l, struct phys_node *n, const struct kernel_affine *factor, int reg)
{
	int p = value_param(l, n, KP_OUT), guard = -1;
	struct kernel_affine at = value_out_address(l, n, factor, &guard);
	build_store(l->b, p, &at, reg, guard);
}

/* What follows the element of the first member that reg holds. */
static void lower_followers(struct loops *x, int reg)
{
	struct lowering *l = x->l;
	const struct rule *r = x->rule;
	struct kernel_affine at[MAX_RANK];
	for (int d = 0; d < r->out.rank; d++) {
		int f = index_factor(&r->out.index[d]);
		at[d] = f < 0 || r->factor[f].extent == 1 ? affine_const(0) : x->factor[f];
	}
	value_set(l, x->node, at, r->out.rank, -1, reg);
	for (int i = 1; i < l->group->members.n; i++) {
		struct phys_node *n = l->group->members.at[i]->node;
		struct kernel_affine factor[MAX_FACTORS];
		if (!l->stored[n->id])
			continue;
		for (int f = 0; f < n->rule->nfactors; f++)
			factor[f] = affine_const(0);
		for (int d = 0; d < n->rule->out.rank; d++)
			if (index_factor(&n->rule->out.index[d]) >= 0)
				factor[index_factor(&n->rule->out.index[d])] = at[d];
		reg = value_of_point(l, n, factor, -1, NULL);
		store_point(l, n, factor, reg);
		value_set(l, n, at, r->out.rank, -1, reg);
	}
}

static void lower_plain(struct loops *x)
{
	int vector = vector_factor(order_of(x)), lines = lines_factor(order_of(x), vector);
	if (lines >= 0) {
		lower_lines(x, vector, lines);
		return;
	}
	bool alone = x->l->group->members.n == 1;
	if (alone)
		value_param(x->l, x->node, KP_OUT); /* the first of the kernel's */
	int opened = open_elements(x, vector, true), reg = reduce_point(x, vector);
	if (alone || x->l->stored[x->node->id])
		store_point(x->l, x->node, x->factor, reg);
	if (!alone)
		lower_followers(x, reg);
	while (opened-- > 0)
		build_close(x->l->b);
}

static void fill_neutral(struct loops *x, int p)
{
	struct kernel_affine at = affine_loop(build_open(x->l->b, NULL, shape_volume(&x->node->shape), true));
	build_store(x->l->b, p, &at, neutral(x), -1);
	build_close(x->l->b);
}

/* No two values of the factors of an index are one: each steps farther than those that step less can reach. */
static bool index_is_unique(const struct rule *r, const struct index *x)
{
	int64_t reach = 0;
	bool seen[MAX_TERMS] = {false};
	for (int n = 0; n < x->nterms; n++) {
		int next = -1;
		for (int i = 0; i < x->nterms; i++)
			if (!seen[i] && (next < 0 || x->term[i].coef < x->term[next].coef))
				next = i;
		if (x->term[next].coef <= reach)
			return false;
		seen[next] = true;
		reach += x->term[next].coef * (r->factor[x->term[next].factor].extent - 1);
	}
	return x->data < 0 && x->div == 1;
}

/* No two points of a scatter meet. */
static bool is_unique(const struct rule *r)
{
	for (int f = 0; f < r->nfactors; f++)
		if (r->factor[f].extent > 1 && !access_uses(&r->out, f))
			return false;
	for (int d = 0; d < r->out.rank; d++)
		if (!index_is_unique(r, &r->out.index[d]))
			return false;
	return true;
}

/* As many points as elements, none of them left out: if no two meet, every element is reached. */
static bool is_complete(const struct rule *r)
{
	int64_t points = 1, elements = 1;
	for (int f = 0; f < r->nfactors; f++)
		points *= r->factor[f].extent;
	for (int d = 0; d < r->out.rank; d++) {
		elements *= r->out.dim[d];
		if (r->out.index[d].guarded)
			return false;
	}
	return points == elements && !rule_is_guarded(r);
}

/* A factor whose points never meet in one element of a scatter, and are neighbours there, or near where no points meet
 * at all; -1 if there is none. */
static int scatter_vector(const struct rule *r)
{
	enum { NEAR = 4 };
	int best = -1;
	int64_t stride = is_unique(r) ? NEAR + 1 : 2;
	for (int f = 0; f < r->nfactors; f++) {
		int64_t s = stride_of(&r->out, f);
		if (r->factor[f].extent >= 8 && s >= 1 && s < stride && (s > 1 || access_dim_of(&r->out, f) >= 0)) {
			best = f;
			stride = s;
		}
	}
	return best;
}

/* The loops over all points of a scatter; how many. */
static int open_points(struct loops *x, int vector)
{
	const struct rule *r = x->rule;
	int opened = 0;
	for (int pass = 0; pass < 2; pass++)
		for (int f = 0; f < r->nfactors; f++)
			if (r->factor[f].extent != 1 && (f == vector) == (pass == 1)) {
				open_loop(x, f, f == vector, false);
				opened++;
			}
	return opened;
}

/* The neutral element where points will be. */
static void clear_points(struct loops *x, int p, int vector)
{
	int opened = open_points(x, vector);
	clear_point(x, p);
	while (opened-- > 0)
		build_close(x->l->b);
}

static void lower_scatter(struct loops *x)
{
	const struct rule *r = x->rule;
	struct kernel_builder *b = x->l->b;
	BUG_IF(r->combiner == COMBINE_ARGMAX || r->combiner == COMBINE_ARGMIN, "%s: a scatter of winners", r->name);
	int p = value_param(x->l, x->node, KP_INOUT), vector = scatter_vector(r);
	enum scatter_rows rows = x->l->group->members.at[0]->rows;
	bool unique = is_unique(r);
	if (rows == ROWS_ALL && !(unique && is_complete(r)))
		fill_neutral(x, p);
	if (rows == ROWS_ALONE)
		clear_points(x, p, vector);
	int opened = open_points(x, vector), ok = -1;
	int value = value_of_point(x->l, x->node, x->factor, -1, &ok);
	struct kernel_affine at = value_out_address(x->l, x->node, x->factor, &ok);
	if (r->combiner != COMBINE_NONE) {
		bool first = rows == ROWS_ALL && unique;
		value = joined(x, first ? neutral(x) : build_load(b, p, &at, ok), value);
	}
	build_store(b, p, &at, value, ok);
	while (opened-- > 0)
		build_close(b);
}

void lower_general(struct lowering *l)
{
	struct loops *x = ARENA_NEW(l->scratch, struct loops);
	x->l = l;
	x->node = l->group->members.at[0]->node;
	x->rule = x->node->rule;
	x->acc = -1;
	for (int f = 0; f < x->rule->nfactors; f++)
		x->factor[f] = affine_const(0);
	struct prefix prefix;
	if (prefix_of_map(l->scratch, x->node, &prefix))
		lower_prefix(l, &prefix);
	else if (map_is_plain(x->node))
		lower_plain(x);
	else
		lower_scatter(x);
}
