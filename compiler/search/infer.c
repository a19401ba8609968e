/* infer.c — what inference makes of a node for all layouts of its inputs. If these hang on one variable the node hangs
 * on it too, and is paid for there; if on several it becomes a variable: all that may meet, with an edge to each of the
 * variables that says which of its values that is. */
#include "graph.h"

#include "../graph/known.h"
#include "../layout/stage.h"

#include <string.h>

enum { MAX_MEETINGS = 1 << 18 };

/* ---- one node with certain inputs ---- */

struct inferred {
	bool fits;
	struct layout out;
	double ns;
};

/* What slices left, as the parts in which they meet others: layout/infer_map.c. */
static const struct choice *choice_of_parts(struct arena *scratch, const struct node *n, const struct layout *has)
{
	struct layout parts[MAX_OPERANDS];
	enum reach reach;
	bool any = false;
	for (int i = 0; i < n->nin; i++) {
		parts[i] = has[i];
		for (int a = 0; a < n->place->naxes; a++)
			if (has[i].atom[a].kind == SHARD_S && has[i].atom[a].shares) {
				parts[i].atom[a] = (struct shard_atom){.kind = SHARD_P, .combiner = SHARD_SUM};
				any = true;
			}
	}
	return any ? choice_best(scratch, n, parts, VIEW_PARTS, false, &reach) : NULL;
}

/* Around shards it reads only what a `to` fetches. */
static struct inferred find_inferred(struct model *m, const struct node *n, const struct layout *has, bool may_wait)
{
	struct arena *scratch = arena_new("search: choices");
	enum reach reach;
	const struct choice *c = choice_best(scratch, n, has, VIEW_OWN, false, &reach);
	if (c && reach == REACH_HALO && !may_wait)
		c = NULL;
	c = choice_keep(m->arena, n, c ? c : choice_of_parts(scratch, n, has));
	struct inferred x = {.fits = c};
	if (c) {
		x.out = c->out;
		x.ns = model_time(m, n, c);
	}
	arena_free(scratch);
	return x;
}

static bool same_inferred(const struct node *n, const struct inferred *a, const struct inferred *b)
{
	return a->fits == b->fits && (!a->fits || (a->ns == b->ns && layout_same(n->place, &a->out, &b->out)));
}

static const struct inferred *infer_map(struct model *m, const struct node *n, const struct layout *has, bool may_wait)
{
	memo_begin(&m->choices);
	memo_add(&m->choices, may_wait);
	memo_add_pointer(&m->choices, n->rule);
	memo_add_pointer(&m->choices, rule_of_known(n->rule, n->in));
	memo_add_pointer(&m->choices, n->place);
	for (int i = 0; i < n->nin; i++)
		layout_add_key(&m->choices, n->place, &has[i]);
	void **known = memo_find(&m->choices);
	bool again = *known && m->program->session->options.verify_each;
	if (*known && !again)
		return *known;
	struct inferred found = find_inferred(m, n, has, may_wait);
	BUG_IF(again && !same_inferred(n, *known, &found),
	       "the memo of search/infer.c: node %%%d is not computed like the one it was taken for", n->id);
	if (*known)
		return *known;
	struct inferred *x = ARENA_NEW(m->arena, struct inferred);
	*x = found;
	*known = x;
	return x;
}

static bool fits(const struct node *x, const struct layout *has, const struct layout *want)
{
	return layout_equal(x->place, has, want) || layout_converts_freely(x->place, &x->shape, has, want);
}

static bool infer_line(const struct node *n, const struct layout *has, struct layout *out)
{
	if (n->nin == 1)
		return layout_of_line(n->place, &has[0], out);
	for (int i = 0; i < n->nin; i++) {
		bool all = true;
		for (int k = 0; k < n->nin && all; k++)
			all = fits(n->in[k], &has[k], &has[i]);
		*out = has[i];
		if (all)
			return true;
	}
	return false;
}

/* What is assigned to a slice by a `to` in a layout that nothing is chosen for goes to where the rest of the tensor has
 * it: layout/assigned.c. */
static const struct inferred *infer_put(const struct adding *to, const struct node *n, const struct layout *has)
{
	const struct node *end = stage_put_end(n);
	const struct model_value *v = end ? &to->value[end->id] : NULL;
	struct layout brought[MAX_OPERANDS];
	if (!v || v->var >= 0 || !stage_put_reaches(to->m->arena, n, &v->layout[0], &has[0]))
		return NULL;
	memcpy(brought, has, sizeof *has * (size_t)n->nin);
	brought[1] = has[0];
	return infer_map(to->m, n, brought, to->may_wait[n->id]);
}

static bool infer_one(const struct adding *to, const struct node *n, const struct layout *has, struct layout *out,
		      double *ns)
{
	struct model *m = to->m;
	const struct inferred *x;
	*out = layout_broadcast();
	*ns = 0;
	switch (n->kind) {
	case NODE_MAP:
		x = infer_map(m, n, has, to->may_wait[n->id]);
		x = x->fits ? x : infer_put(to, n, has);
		if (!x)
			return false;
		*out = x->out;
		*ns = x->ns;
		return x->fits;
	case NODE_RESHAPE:
		return reshape_layout(m->arena, n->place, &n->in[0]->shape, &has[0], &n->shape, out);
	case NODE_LINE:
		return infer_line(n, has, out);
	case NODE_STACK:
		*out = layout_of_lines(n->place, &has[0]);
		return true;
	case NODE_TO: /* nothing is said of the layout */
		*out = n->place == n->in[0]->place ? has[0] : layout_carried_over(n->in[0]->place, &has[0], n->place);
		if (n->target->layout.form == LAYOUT_FINISH)
			*out = layout_finished(n->place, out);
		return true;
	case NODE_CONTRACT:
		*out = has[0];
		return !layout_has_partial(n->place, &has[0]);
	case NODE_FACTORS:
		*out = has[0];
		return factors_take(n, &has[0]);
	case NODE_CHECK:
	case NODE_STOP:
	case NODE_REMAT:
		*out = has[0];
		return true;
	case NODE_SLOT:
	case NODE_DATA:
	case NODE_HOST:
	case NODE_CONST:
	case NODE_TURN:
	case NODE_CARRY:
	case NODE_END:
	case NODE_TANGENT:
	case NODE_RULED:
	case NODE_PULLED:
	case NODE_KINDS:
		break;
	}
	return false;
}

/* ---- inputs that hang on variables ---- */

/* The inputs that hang on one variable; values in which all of them have the same layouts are one class. */
struct group {
	int var, n, *class_of, *first; /* by value: its class; by class: its first value */
};

static const struct layout *layout_at(const struct model_value *v, int value)
{
	return &v->layout[v->var < 0 ? 0 : value];
}

static bool is_alike(const struct adding *x, const struct node *n, int var, int a, int b)
{
	for (int i = 0; i < n->nin; i++) {
		const struct model_value *v = &x->value[n->in[i]->id];
		if (v->var == var && !layout_equal(v->place, &v->layout[a], &v->layout[b]))
			return false;
	}
	return true;
}

static struct group make_group(struct adding *x, const struct node *n, int var)
{
	int count = x->m->vars.at[var].n;
	struct group g = {var, 0, ARENA_ARRAY(x->m->arena, int, count), ARENA_ARRAY(x->m->arena, int, count)};
	for (int v = 0; v < count; v++) {
		int c = 0;
		if (x->m->vars.at[var].cost[v] >= COST_FORBIDDEN) {
			g.class_of[v] = -1;
			continue;
		}
		while (c < g.n && !is_alike(x, n, var, g.first[c], v))
			c++;
		if (c == g.n)
			g.first[g.n++] = v;
		g.class_of[v] = c;
	}
	return g;
}

static int find_groups(struct adding *x, const struct node *n, struct group **out)
{
	struct group *g = ARENA_ARRAY(x->m->arena, struct group, n->nin);
	int count = 0;
	for (int i = 0; i < n->nin; i++) {
		int var = x->value[n->in[i]->id].var, k = 0;
		while (k < count && g[k].var != var)
			k++;
		if (var >= 0 && k == count)
			g[count++] = make_group(x, n, var);
	}
	*out = g;
	return count;
}

/* The layouts of all inputs when group k has the class at[k]. */
static void layouts_of_inputs(const struct adding *x, const struct node *n, const struct group *g, int groups,
			      const int *at, struct layout *has)
{
	for (int i = 0; i < n->nin; i++) {
		const struct model_value *v = &x->value[n->in[i]->id];
		int k = 0;
		while (k < groups && g[k].var != v->var)
			k++;
		has[i] = *layout_at(v, k < groups ? g[k].first[at[k]] : 0);
	}
}

/* On one variable, or on none. */
static struct model_value follow(struct adding *x, const struct node *n, int var)
{
	struct model *m = x->m;
	int count = var < 0 ? 1 : m->vars.at[var].n;
	struct layout *has = ARENA_ARRAY(m->arena, struct layout, n->nin);
	struct model_value out = {
		.place = n->place, .var = var, .n = count, .layout = ARENA_ARRAY(m->arena, struct layout, count)};
	for (int v = 0; v < count; v++) {
		double ns;
		for (int i = 0; i < n->nin; i++)
			has[i] = *layout_at(&x->value[n->in[i]->id], v);
		if (var >= 0 && m->vars.at[var].cost[v] >= COST_FORBIDDEN)
			out.layout[v] = layout_broadcast();
		else if (infer_one(x, n, has, &out.layout[v], &ns))
			model_add_time(m, var, v, ns);
		else
			model_forbid(m, var, v, n);
	}
	return out;
}

struct meeting {
	struct layout out;
	double ns;
	int *at; /* class by group */
};

static void add_membership(struct adding *x, int var, const struct group *g, int k, const struct meeting *list, int n)
{
	int count = x->m->vars.at[g->var].n;
	int64_t *cost = ARENA_ARRAY(x->m->arena, int64_t, (int64_t)n * count);
	for (int i = 0; i < n; i++)
		for (int v = 0; v < count; v++)
			cost[i * count + v] = g->class_of[v] == list[i].at[k] ? 0 : COST_FORBIDDEN;
	vec_push(x->m->arena, &x->m->edges, ((struct model_edge){{var, g->var}, cost}));
}

static struct model_value meet(struct adding *x, const struct node *n, const struct group *g, int groups)
{
	struct model *m = x->m;
	int64_t all = 1;
	VEC(struct meeting) list = {0};
	for (int k = 0; k < groups; k++)
		all = all > MAX_MEETINGS ? all : all * g[k].n;
	struct layout *has = ARENA_ARRAY(m->arena, struct layout, n->nin), out;
	int *at = ARENA_ARRAY(m->arena, int, groups);
	if (all > MAX_MEETINGS && !m->refused)
		m->refused = arena_printf(m->arena, "too many layouts meet in `%s`",
					  n->kind == NODE_MAP ? n->rule->name : node_kind_text(n->kind));
	for (int64_t i = 0; i < all && !m->refused; i++) {
		int64_t rest = i;
		struct meeting one;
		for (int k = 0; k < groups; k++) {
			at[k] = (int)(rest % g[k].n);
			rest /= g[k].n;
		}
		layouts_of_inputs(x, n, g, groups, at, has);
		if (!infer_one(x, n, has, &out, &one.ns))
			continue;
		one.out = out;
		one.at = ARENA_ARRAY(m->arena, int, groups);
		memcpy(one.at, at, sizeof *at * (size_t)groups);
		vec_push(m->arena, &list, one);
	}
	if (!list.n) {
		struct layout whole = layout_broadcast();
		model_forbid(m, -1, 0, n);
		return model_fixed(m, n->place, &whole);
	}
	struct model_value v = {.place = n->place,
				.var = model_variable(m, list.n),
				.n = list.n,
				.layout = ARENA_ARRAY(m->arena, struct layout, list.n)};
	for (int i = 0; i < list.n; i++) {
		v.layout[i] = list.at[i].out;
		model_add_time(m, v.var, i, list.at[i].ns);
	}
	for (int k = 0; k < groups; k++)
		add_membership(x, v.var, &g[k], k, list.at, list.n);
	return v;
}

void adding_infer(struct adding *x, const struct node *n)
{
	struct group *g;
	int groups = find_groups(x, n, &g);
	x->value[n->id] = groups < 2 ? follow(x, n, groups ? g[0].var : -1) : meet(x, n, g, groups);
	if (n->kind == NODE_TO) /* `finish`, or to another placement as it is */
		model_pay(x->m, n->in[0], &x->value[n->in[0]->id], &x->value[n->id], model_price_move);
}
