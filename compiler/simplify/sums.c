/* sums.c — a gradient made of several that come from the same ranks: they are added there, and the sum is moved once.
 *
 *   %5 = to(%3) [@left]                                %5 = map(%3, %4) {a + b}
 *   %6 = map(%1, %5) {a + b}
 *   %7 = to(%4) [@left]                     becomes    %6 = map(%1, %2) {a + b}
 *   %8 = map(%2, %7) {a + b}                           %7 = to(%5) [@left]
 *   %9 = map(%6, %8) {a + b}                           %8 = map(%6, %7) {a + b}
 *
 * So a param that several stages of a pipeline use costs one transfer of its gradient in a step instead of one for
 * every micro-batch. What is done between the transfer and the sum (a transposition, a cast) is done before the
 * transfer. A sum over micro-batches stands behind their block: no stage waits for it.
 *
 * The order of additions changes with the placements of a program, so nothing is done with --reproducible. */
#include "simplify.h"

#include "../op/linear.h"

/* What is done with a value behind its transfer, the last of it; operand: of map, the one that varies. */
struct done {
	const struct done *before;
	const struct node *map;
	int operand;
};

/* An addend: done(x), or done(move(x)). */
struct term {
	struct node *x;
	const struct node *move; /* NULL: x lies where the sum does */
	const struct done *done;
};

/* A value as the sum of its terms, in order; kept for values with a term that is moved. */
struct terms {
	bool is_used_once;
	VEC(struct term) list;
};

struct rewriting {
	struct arena *scratch;
	int *uses;        /* by id before the rewriting: by nodes and outputs */
	struct map terms; /* by node */
};

/* A transfer of which nothing is asked but where the value is to be. */
static bool is_free_move(const struct node *n)
{
	return n->kind == NODE_TO && n->origin == ORIGIN_BACKWARD && n->target->layout.form == LAYOUT_INFER &&
	       n->in[0]->place && n->in[0]->place != n->place;
}

static bool is_sum(const struct node *n)
{
	return n->origin == ORIGIN_BACKWARD && node_is_sum(n);
}

/* The operand from which n is computed where that lies, all others lying nowhere in particular; -1 if there is none, or
 * if n has more elements than it. */
static int only_operand(const struct node *n)
{
	int only = -1, placed = 0;
	if (n->kind == NODE_RESHAPE)
		return 0;
	if (n->kind != NODE_MAP)
		return -1;
	for (int i = 0; i < n->nin; i++)
		if (n->in[i]->place) {
			only = i;
			placed++;
		}
	return placed == 1 && shape_volume(&n->shape) <= shape_volume(&n->in[only]->shape) ? only : -1;
}

/* Whether n of a sum is the sum of n of each. */
static bool is_linear(const struct node *n, int operand)
{
	enum shard_combiner result;
	return n->kind == NODE_RESHAPE ||
	       (rule_takes_parts(n->rule, UINT64_C(1) << operand, SHARD_SUM, &result) && result == SHARD_SUM);
}

/* Those of a value that is used for nothing else; NULL if none of its terms is moved. */
static const struct terms *own_terms(const struct rewriting *w, const struct node *x)
{
	const struct terms *t = map_get(&w->terms, x);
	return t && t->is_used_once ? t : NULL;
}

/* ---- sums with a transfer less ---- */

static struct node *again(struct graph *g, struct node *x, const struct done *d)
{
	if (!d)
		return x;
	x = again(g, x, d->before);
	struct node_site at = node_site_of(d->map);
	if (d->map->kind == NODE_RESHAPE)
		return graph_reshape(g, &at, x, &d->map->shape);
	struct node *in[MAX_OPERANDS];
	for (int i = 0; i < d->map->nin; i++)
		in[i] = i == d->operand ? x : d->map->in[i];
	return graph_map(g, &at, d->map->rule, in);
}

static bool go_together(const struct term *a, const struct term *b)
{
	return a->move && b->move && a->x->place == b->x->place && a->move->place == b->move->place;
}

/* The one of the later micro-batch. */
static const struct node *later(const struct node *a, const struct node *b)
{
	return b->batch && (!a->batch || a->micro <= b->micro) ? b : a;
}

/* The sum of all terms of t that go together with term i, moved; later ones are taken out of t. */
static struct node *move_sum(struct graph *g, const struct node *n, struct terms *t, int i)
{
	const struct term *first = &t->list.at[i];
	struct node_site to = node_site_of(first->move);
	const struct node *last = first->move;
	struct node *sum = again(g, first->x, first->done);
	int kept = i + 1;
	for (int k = i + 1; k < t->list.n; k++) {
		const struct term x = t->list.at[k];
		if (!go_together(first, &x)) {
			t->list.at[kept++] = x;
			continue;
		}
		last = later(last, x.move);
		struct node_site at = node_site_of(last);
		at.name = n->name ? n->name : at.name;
		if (x.move->batch != to.batch || x.move->micro != to.micro)
			to.batch = NULL;
		sum = graph_pointwise(g, &at, SC_ADD, sum, again(g, x.x, x.done), NULL);
	}
	t->list.n = kept;
	to.name = n->name ? n->name : to.name;
	return graph_to(g, &to, sum, first->move->place, &first->move->target->layout);
}

/* n, whose terms are t, with one transfer for those that go together. t becomes what the new node's terms are. */
static struct node *rebuild(struct graph *g, struct rewriting *w, const struct node *n, struct terms *t)
{
	struct terms out = {.is_used_once = t->is_used_once};
	struct node_site at = node_site_of(n);
	struct node *sum = NULL;
	for (int i = 0; i < t->list.n; i++) {
		const struct term *x = &t->list.at[i];
		if (x->move)
			continue;
		struct node *y = again(g, x->x, x->done);
		sum = sum ? graph_pointwise(g, &at, SC_ADD, sum, y, NULL) : y;
	}
	if (sum)
		vec_push(w->scratch, &out.list, ((struct term){.x = sum}));
	for (int i = 0; i < t->list.n; i++) {
		if (!t->list.at[i].move)
			continue;
		struct node *y = move_sum(g, n, t, i);
		vec_push(w->scratch, &out.list, ((struct term){.x = y->in[0], .move = y}));
		at.batch = y->batch ? at.batch : NULL;
		sum = sum ? graph_pointwise(g, &at, SC_ADD, sum, y, NULL) : y;
	}
	*t = out;
	return sum;
}

/* ---- the pass ---- */

/* n is the node at hand: its id is that of before. */
static struct terms *keep(struct rewriting *w, const struct node *n)
{
	struct terms *t = ARENA_NEW(w->scratch, struct terms);
	t->is_used_once = w->uses[n->id] == 1;
	map_set(&w->terms, n, t);
	return t;
}

static void follow_one(struct rewriting *w, const struct node *n)
{
	int operand = only_operand(n);
	const struct terms *from = operand >= 0 ? own_terms(w, n->in[operand]) : NULL;
	if (!from || (from->list.n > 1 && !is_linear(n, operand)))
		return;
	struct terms *t = keep(w, n);
	for (int i = 0; i < from->list.n; i++) {
		struct term x = from->list.at[i];
		struct done *d = ARENA_NEW(w->scratch, struct done);
		*d = (struct done){.before = x.done, .map = n, .operand = operand};
		x.done = d;
		vec_push(w->scratch, &t->list, x);
	}
}

static bool any_together(const struct terms *t)
{
	for (int i = 0; i < t->list.n; i++)
		for (int k = 0; k < i; k++)
			if (go_together(&t->list.at[k], &t->list.at[i]))
				return true;
	return false;
}

static struct node *follow_sum(struct graph *g, struct rewriting *w, struct node *n)
{
	const struct terms *of[2] = {own_terms(w, n->in[0]), own_terms(w, n->in[1])};
	if (!of[0] && !of[1])
		return n;
	struct terms *t = keep(w, n);
	for (int i = 0; i < 2; i++) {
		for (int k = 0; of[i] && k < of[i]->list.n; k++)
			vec_push(w->scratch, &t->list, of[i]->list.at[k]);
		if (!of[i])
			vec_push(w->scratch, &t->list, ((struct term){.x = n->in[i]}));
	}
	if (!any_together(t))
		return n;
	struct node *sum = rebuild(g, w, n, t);
	map_set(&w->terms, sum, t);
	return sum;
}

static struct node *rewrite(struct graph *g, struct node *n, void *context, bool *changed)
{
	struct rewriting *w = context;
	(void)changed;
	if (is_free_move(n)) {
		struct terms *t = keep(w, n);
		vec_push(w->scratch, &t->list, ((struct term){.x = n->in[0], .move = n}));
	} else if (is_sum(n)) {
		return follow_sum(g, w, n);
	} else if (n->origin == ORIGIN_BACKWARD) {
		follow_one(w, n);
	}
	return n;
}

static bool any_free_move(const struct graph *g)
{
	for (int i = 0; i < g->nodes.n; i++)
		if (is_free_move(g->nodes.at[i]))
			return true;
	return false;
}

bool pass_sums(struct session *s, struct graph *g)
{
	if (s->options.reproducible || !any_free_move(g))
		return false;
	struct rewriting w = {.scratch = arena_new("sums")};
	w.uses = graph_count_reads(g, w.scratch);
	map_init(&w.terms, w.scratch);
	bool changed = graph_rewrite(g, rewrite, &w);
	arena_free(w.scratch);
	return changed;
}
