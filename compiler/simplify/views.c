/* views.c — a map that only rearranges (transposes, broadcasts, slices) is not computed: who reads it reads through it.
 * The reader's access is composed with the view's index map; broadcasts and fills disappear, transposes are passed down
 * to the kernels, which read in any order.
 *
 *   %1 = map(%0) {t(x[i, j]) -> [j, i] = x}
 *   %2 = map(%1, %b) {f(y[m, k], …) …}          reads  %0 at [k, m]  instead
 *
 * A reader that may read outside the view (guarded, or at an index that is data) composes only where view and source
 * have the same extent there, so that "outside" means the same.
 *
 * What is legal must not depend on it. A slice of a split dimension has a layout of its own, shares or a part, with
 * which others meet or do not; a reader that looked through it would have another. So slices of placed values wait
 * until layouts are known (pass_slices): then the reader looks through if its layouts fit the rule that reads what was
 * sliced. Elementwise maps take a slice, and what others make of it, before it is fetched (layout/pending.c), so one
 * that reads a broadcast or transposition of it in place goes on reading that until then. */
#include "simplify.h"

#include "../layout/verify.h"
#include "../op/intern.h"

#include <string.h>

/* to += coef * x, for an x that is affine and stays in range. */
static bool add_scaled(struct index *to, const struct index *x, int64_t coef)
{
	int64_t v;
	if (x->data >= 0 || x->div != 1 || x->guarded || __builtin_mul_overflow(coef, x->offset, &v) ||
	    __builtin_add_overflow(to->offset, v, &to->offset))
		return false;
	for (int i = 0; i < x->nterms; i++)
		if (__builtin_mul_overflow(coef, x->term[i].coef, &v) || !index_add_term(to, x->term[i].factor, v))
			return false;
	return true;
}

/* Dimension of the view's result that is the given factor. */
static int dim_of_factor(const struct rule *view, int factor)
{
	return access_dim_of(&view->out, factor);
}

/* One dimension e of what the view reads, at the reader's indices. */
static bool compose_index(const struct rule *view, const struct access *source, int e, const struct access *reader,
			  struct index *out)
{
	int f = index_factor(&source->index[e]);
	int d = f < 0 ? -1 : dim_of_factor(view, f);
	if (d >= 0 && source->dim[e] == reader->dim[d]) {
		*out = reader->index[d];
		return true;
	}
	*out = (struct index){.offset = source->index[e].offset, .div = 1, .data = -1};
	for (int i = 0; i < source->index[e].nterms; i++) {
		d = dim_of_factor(view, source->index[e].term[i].factor);
		if (d < 0 || !add_scaled(out, &reader->index[d], source->index[e].term[i].coef))
			return false;
	}
	return true;
}

/* A guard of the reader on a dimension that the source does not have would be lost. */
static bool loses_guard(const struct rule *view, const struct access *source, const struct access *reader)
{
	for (int d = 0; d < reader->rank; d++)
		if (reader->index[d].guarded && !access_uses(source, view->out.index[d].term[0].factor))
			return true;
	return false;
}

static bool compose(const struct rule *view, int operand, const struct access *reader, struct access *out)
{
	const struct access *source = &view->operand[operand];
	if (loses_guard(view, source, reader))
		return false;
	*out = *source;
	for (int e = 0; e < source->rank; e++)
		if (!compose_index(view, source, e, reader, &out->index[e]))
			return false;
	return true;
}

/* r with its operand i read through the view; NULL if it cannot be. */
static const struct rule *read_through(const struct graph *g, const struct rule *r, int i, const struct rule *view,
				       int operand)
{
	struct derived *d = rule_derived(r, DERIVE_VIEW, (uint64_t)i, (uintptr_t)view);
	if (!d->is_wanted)
		return d->rule;
	struct rule fresh = *r;
	struct access *own = rule_own_operands(g->arena, &fresh, 0);
	bool fits = compose(view, operand, &r->operand[i], &own[i]) && !rule_check(g->arena, &fresh);
	return rule_derived_is(d, fits ? graph_rule(g, &fresh) : NULL);
}

/* Whether the layouts of the view are those of its source, dimension by dimension: no slice, no fixed position. */
static bool keeps_layouts(const struct node *view, int operand)
{
	const struct access *source = &view->rule->operand[operand];
	for (int d = 0; d < source->rank; d++)
		if (dim_is_servable(view->rule, source, d))
			return false;
	return true;
}

/* Whether the layouts around a laid-out map fit a signature of its rule on every axis. */
static bool fits_layouts(const struct graph *g, const struct node *n)
{
	struct signature s;
	for (int a = 0; a < n->place->naxes; a++)
		if (!layout_signature_of(g, n, a, &s))
			return false;
	return true;
}

/* Whether a map reads slices or windows, or a node is made of such element by element. apart: of the nodes before it,
 * those that are. */
static bool is_apart(const struct node *n, const struct map *apart)
{
	const struct rule *r = n->kind == NODE_MAP ? n->rule : NULL;
	if (!r && n->kind != NODE_CONTRACT && n->kind != NODE_STOP && n->kind != NODE_LINE)
		return false;
	for (int i = 0; i < n->nin; i++)
		if (map_get(apart, n->in[i]) && (!r || r->combiner == COMBINE_NONE))
			return true;
	for (int i = 0; r && i < r->noperands; i++)
		for (int d = 0; d < r->operand[i].rank; d++)
			if (r->operand[i].index[d].nterms > 1 || dim_is_servable(r, &r->operand[i], d))
				return true;
	return false;
}

static bool may_look_through(const struct graph *g, const struct node *n, int i, int operand, const struct map *apart)
{
	const struct node *view = n->in[i];
	if (g->stage == GRAPH_LAID_OUT || n->origin == ORIGIN_BACKWARD || !view->place)
		return true;
	bool moves = rule_reads_in_place(n->rule, i) && !rule_reads_in_place(view->rule, operand);
	return keeps_layouts(view, operand) && !(moves && map_get(apart, view->in[operand]));
}

/* Whether ranks still know whose rows operand i names: the indices stand in the result as they do in a tensor
 * (layout/owners.h), so not if they are a part of one, or in another order. */
static bool names_rows(const struct node *n, int i, const struct rule *through)
{
	if (!n->place || n->place->count == 1 || !rule_reads_index(n->rule, i))
		return true;
	const struct access *was = &n->rule->operand[i], *is = &through->operand[i];
	int d = 0;
	for (int e = 0; e < is->rank; e++) {
		while (d < was->rank && (was->dim[d] != is->dim[e] || !index_equal(&was->index[d], &is->index[e])))
			d++;
		if (d++ == was->rank)
			return false;
	}
	return true;
}

/* Lets operand i of n read what its input reads; false if it cannot. */
static bool look_through_operand(struct graph *g, struct node *n, int i, const struct map *apart)
{
	struct node *in[MAX_OPERANDS], *view = n->in[i], was = *n;
	int operand = simplify_view_of(view);
	if (operand < 0 || !may_look_through(g, n, i, operand, apart))
		return false;
	const struct rule *r = read_through(g, n->rule, i, view->rule, operand);
	if (!r || !names_rows(n, i, r))
		return false;
	memcpy(in, n->in, sizeof *in * (size_t)n->nin);
	in[i] = view->in[operand];
	if (!simplify_set_rule(g, n, r, in))
		return false;
	if (g->stage != GRAPH_LAID_OUT || fits_layouts(g, n))
		return true;
	*n = was;
	return false;
}

static struct node *look_through(struct graph *g, struct node *n, void *context, bool *changed)
{
	struct map *apart = context;
	for (int i = 0; n->kind == NODE_MAP && i < n->nin; i++)
		if (look_through_operand(g, n, i, apart)) {
			*changed = true;
			i = -1;
		}
	if (g->stage != GRAPH_LAID_OUT && is_apart(n, apart))
		map_set(apart, n, n);
	return n;
}

bool pass_views(struct session *s, struct graph *g)
{
	(void)s;
	struct arena *scratch = arena_new("views");
	struct map apart;
	map_init(&apart, scratch);
	bool changed = graph_rewrite(g, look_through, &apart);
	arena_free(scratch);
	return changed;
}

bool pass_slices(struct session *s, struct graph *g)
{
	bool changed = pass_views(s, g);
	if (changed)
		graph_compact(g);
	return changed;
}
