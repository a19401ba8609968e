/* domain.c — kernels of groups that share a domain: rows, passes over columns, and what comes after the rows. */
#include "domain.h"

#include <string.h>

struct rows {
	struct lowering *l;
	const struct group *g;
	int split;
	struct kernel_affine var[MAX_FACTORS]; /* by dimension of the domain, while its loop is open */
};

/* Local values of the member's factors at the current point. */
static struct kernel_affine *factors_at(struct rows *x, const struct member *m)
{
	struct kernel_affine *f = ARENA_ARRAY(x->l->scratch, struct kernel_affine, m->node->rule->nfactors);
	for (int i = 0; i < m->node->rule->nfactors; i++)
		f[i] = m->map[i] < 0 ? affine_const(0) : x->var[m->map[i]];
	return f;
}

/* Indices of the member's result at the current point. */
static struct kernel_affine *place_of(struct rows *x, const struct member *m)
{
	const struct rule *r = m->node->rule;
	struct kernel_affine *at = ARENA_ARRAY(x->l->scratch, struct kernel_affine, r->out.rank);
	for (int d = 0; d < r->out.rank; d++) {
		int f = index_factor(&r->out.index[d]);
		at[d] = f < 0 || m->map[f] < 0 || r->out.dim[d] == 1 ? affine_const(0) : x->var[m->map[f]];
	}
	return at;
}

static int value_here(struct rows *x, const struct member *m)
{
	return value_of_point(x->l, m->node, factors_at(x, m), -1, NULL);
}

/* The value of a member's result in its own type (an index, for argmax). */
static int result_of(struct rows *x, const struct member *m, int reg)
{
	enum dtype t = m->node->dtype;
	return build_type(x->l->b, reg) == t ? reg : build_apply(x->l->b, SC_CAST, t, reg, -1, -1);
}

static void store_here(struct rows *x, const struct member *m, int reg)
{
	struct kernel_affine *at = place_of(x, m);
	int p = value_param(x->l, m->node, KP_OUT);
	struct kernel_affine address = value_address(x->l, &m->node->shape, at);
	build_store(x->l->b, p, &address, reg, -1);
}

/* The loops of dimensions first..last-1, of which the domain's last is the vector loop, and the reductions over all of
 * them: the outermost loop has their accumulators, so that lanes are joined once. */
struct nest {
	int first, last, nreds;
	struct member **red;
	int *acc, *index;
};

static void new_nest(struct rows *x, struct nest *n, int first, int last)
{
	int members = x->g->members.n;
	*n = (struct nest){.first = first, .last = last};
	n->red = ARENA_ARRAY(x->l->scratch, struct member *, members);
	n->acc = ARENA_ARRAY(x->l->scratch, int, members);
	n->index = ARENA_ARRAY(x->l->scratch, int, members);
}

static void open_nest(struct rows *x, struct nest *n)
{
	for (int d = n->first; d < n->last; d++) {
		x->var[d] = affine_loop(build_open(x->l->b, NULL, x->g->extent[d], d == x->g->ndims - 1));
		for (int i = 0; d == n->first && i < n->nreds; i++) {
			const struct rule *r = n->red[i]->node->rule;
			n->acc[i] = build_acc(x->l->b, r->body->type, r->combiner, &n->index[i]);
			BUG_IF(n->acc[i] < 0, "kernel %s: too many reductions", x->l->out->kernel->name);
		}
	}
}

static void close_nest(struct rows *x, const struct nest *n)
{
	for (int d = n->first; d < n->last; d++)
		build_close(x->l->b);
}

/* The global value of the one reduced factor, for argmax and argmin; -1 for others. */
static int winner_index(struct rows *x, const struct member *m)
{
	const struct rule *r = m->node->rule;
	if (r->combiner != COMBINE_ARGMAX && r->combiner != COMBINE_ARGMIN)
		return -1;
	struct kernel_affine *f = factors_at(x, m);
	for (int i = 0; i < r->nfactors; i++)
		if (rule_reduces(r, i))
			return build_loopvar(x->l->b, &f[i]);
	return build_int(x->l->b, DT_I64, 0);
}

static bool contributes_to(const struct nest *n, const struct member *m, int *i)
{
	for (*i = 0; *i < n->nreds; ++*i)
		if (n->red[*i] == m)
			return true;
	return false;
}

static void contribute(struct rows *x, const struct nest *pass, const struct nest *full, const struct member *m)
{
	int i, times, guard;
	const struct nest *n = contributes_to(pass, m, &i) ? pass : full;
	BUG_IF(!contributes_to(n, m, &i), "kernel %s: a reduction without accumulator", x->l->out->kernel->name);
	int value = value_of_summand(x->l, m->node, factors_at(x, m), &times, &guard);
	build_reduce(x->l->b, n->acc[i], value, times, winner_index(x, m), guard);
}

/* Adds the point's value to the element of a column sum, in memory. */
static void accumulate(struct rows *x, const struct member *m)
{
	int value = value_here(x, m);
	struct kernel_affine *at = place_of(x, m);
	int p = value_param(x->l, m->node, KP_INOUT);
	struct kernel_affine address = value_address(x->l, &m->node->shape, at);
	int old = build_load(x->l->b, p, &address, -1);
	int fresh = build_apply(x->l->b, combiner_fn(m->node->rule->combiner), m->node->dtype, old, value, -1);
	build_store(x->l->b, p, &address, fresh, -1);
}

static bool is_row_reduction(const struct member *m)
{
	return m->reduces && m->from == SPACE_POINT && m->space == SPACE_ROW;
}

static bool is_column_reduction(const struct member *m)
{
	return m->reduces && m->space == SPACE_COLUMN;
}

static bool is_full_reduction(const struct member *m)
{
	return m->reduces && m->space == SPACE_SCALAR;
}

static int pass_of(const struct member *m)
{
	return is_row_reduction(m) ? m->ready : m->ready + 1;
}

/* Whether the member has something to do in pass p over the columns. */
static bool works_in(const struct member *m, int p)
{
	if (m->late && !m->reduces)
		return false;
	if (m->from != SPACE_POINT || pass_of(m) != p)
		return false;
	return m->reduces || m->stored;
}

static void remember(struct rows *x, const struct member *m, int reg)
{
	value_set(x->l, m->node, place_of(x, m), m->node->shape.rank, -1, result_of(x, m, reg));
}

/* What the reduction has come to, once its loops are closed. */
static void finish_reduction(struct rows *x, const struct nest *n, int i)
{
	const struct member *m = n->red[i];
	int reg = n->index[i] >= 0 ? n->index[i] : n->acc[i];
	remember(x, m, reg);
	if (m->stored)
		store_here(x, m, result_of(x, m, reg));
}

/* One pass over the columns of a row. full: the nest around the rows; where there are no rows, its reductions are of
 * the pass. */
static void emit_pass(struct rows *x, int p, const struct nest *full)
{
	const struct group *g = x->g;
	struct nest n;
	new_nest(x, &n, x->split, g->ndims);
	bool work = false;
	for (int i = 0; i < g->members.n; i++) {
		struct member *m = g->members.at[i];
		work = work || works_in(m, p);
		if (works_in(m, p) && (is_row_reduction(m) || (is_full_reduction(m) && full->first == full->last)))
			n.red[n.nreds++] = m;
	}
	if (!work)
		return;
	open_nest(x, &n);
	for (int i = 0; i < g->members.n; i++) {
		struct member *m = g->members.at[i];
		if (!works_in(m, p))
			continue;
		if (is_column_reduction(m)) {
			accumulate(x, m);
		} else if (m->reduces) {
			contribute(x, &n, full, m);
		} else {
			int reg = value_here(x, m);
			value_set(x->l, m->node, place_of(x, m), m->node->shape.rank, -1, reg);
			store_here(x, m, reg);
			map_set(&x->l->done, m->node, place_of(x, m));
		}
	}
	close_nest(x, &n);
	for (int i = 0; i < n.nreds; i++)
		finish_reduction(x, &n, i);
}

/* Row values that passes up to p have made possible. */
static void emit_row_values(struct rows *x, int p)
{
	for (int i = 0; i < x->g->members.n; i++) {
		struct member *m = x->g->members.at[i];
		if (m->from != SPACE_ROW || m->ready != p || m->late || !m->stored)
			continue;
		int reg = value_here(x, m);
		value_set(x->l, m->node, place_of(x, m), m->node->shape.rank, -1, reg);
		store_here(x, m, reg);
	}
}

static void neutral_columns(struct rows *x)
{
	const struct group *g = x->g;
	bool any = false;
	for (int i = 0; i < g->members.n; i++)
		any = any || is_column_reduction(g->members.at[i]);
	if (!any)
		return;
	struct nest n;
	new_nest(x, &n, x->split, g->ndims);
	open_nest(x, &n);
	for (int i = 0; i < g->members.n; i++) {
		struct member *m = g->members.at[i];
		if (!is_column_reduction(m))
			continue;
		enum dtype t = m->node->dtype;
		int p = value_param(x->l, m->node, KP_INOUT);
		struct kernel_affine address = value_address(x->l, &m->node->shape, place_of(x, m));
		build_store(x->l->b, p, &address, build_const(x->l->b, t, combiner_neutral(m->node->rule->combiner, t)),
			    -1);
	}
	close_nest(x, &n);
}

static int last_pass(const struct group *g)
{
	int last = -1;
	for (int i = 0; i < g->members.n; i++) {
		const struct member *m = g->members.at[i];
		int p = m->from == SPACE_POINT ? pass_of(m) : m->ready;
		last = !(m->late && !m->reduces) && p > last ? p : last;
	}
	return last;
}

/* Scalars and column values that need whole reductions. */
static void emit_late(struct rows *x)
{
	const struct group *g = x->g;
	bool columns = false;
	for (int i = 0; i < g->members.n; i++) {
		struct member *m = g->members.at[i];
		if (m->reduces || !m->stored)
			continue;
		columns = columns || (m->space == SPACE_COLUMN && m->from == SPACE_COLUMN);
		if (m->space == SPACE_SCALAR)
			store_here(x, m, value_at(x->l, m->node, place_of(x, m), -1));
	}
	if (!columns)
		return;
	struct nest n;
	new_nest(x, &n, x->split, g->ndims);
	open_nest(x, &n);
	for (int i = 0; i < g->members.n; i++) {
		struct member *m = g->members.at[i];
		if (m->reduces || !m->stored || m->space != SPACE_COLUMN)
			continue;
		int reg = value_here(x, m);
		value_set(x->l, m->node, place_of(x, m), m->node->shape.rank, -1, reg);
		store_here(x, m, reg);
	}
	close_nest(x, &n);
}

void lower_domain(struct lowering *l)
{
	struct rows x = {.l = l, .g = l->group};
	x.split = x.g->split >= 0 ? x.g->split : x.g->ndims ? x.g->ndims - 1 : 0;
	for (int i = 0; i < x.g->members.n; i++) {
		struct member *m = x.g->members.at[i];
		map_set(&l->members, m->node, m);
		if (m->stored)
			value_param(l, m->node, is_column_reduction(m) ? KP_INOUT : KP_OUT);
	}
	struct nest full;
	new_nest(&x, &full, 0, x.split);
	for (int i = 0; i < x.g->members.n; i++)
		if (is_full_reduction(x.g->members.at[i]) && x.split > 0)
			full.red[full.nreds++] = x.g->members.at[i];
	neutral_columns(&x);
	open_nest(&x, &full);
	emit_row_values(&x, -1);
	for (int p = 0, last = last_pass(x.g); p <= last; p++) {
		emit_pass(&x, p, &full);
		emit_row_values(&x, p);
	}
	close_nest(&x, &full);
	for (int i = 0; i < full.nreds; i++)
		finish_reduction(&x, &full, i);
	emit_late(&x);
}
