/* layout_brute.h — the least that a graph's layouts cost, by trying all of them. */
#ifndef PML_LAYOUT_BRUTE_H
#define PML_LAYOUT_BRUTE_H

#include "layout_random.h"

#include "compiler/layout/choice.h"
#include "compiler/layout/owners.h"
#include "compiler/layout/routes.h"

struct brute {
	struct stage *st;
	struct choice *choices[64];
	int n[64], at[64];
	struct cost best;
};

/* The cheapest way to have `made` in all of wanted[], by trying every order. */
static inline int64_t spread_cost(struct stage *st, const struct node *v, const struct layout *made, int n,
				  struct layout *wanted, int done)
{
	if (done == n)
		return 0;
	int64_t best = INT64_MAX;
	for (int i = done; i < n; i++) {
		struct layout next = wanted[i];
		wanted[i] = wanted[done];
		wanted[done] = next;
		int64_t step = redist_bytes(v->dtype, &v->shape, v->place, made, v->place, &next);
		for (int k = 0; k < done; k++) {
			int64_t other = redist_bytes(v->dtype, &v->shape, v->place, &wanted[k], v->place, &next);
			step = other < step ? other : step;
		}
		int64_t rest = spread_cost(st, v, made, n, wanted, done + 1);
		best = step + rest < best ? step + rest : best;
		wanted[done] = wanted[i];
		wanted[i] = next;
	}
	return best;
}

static const struct layout *layout_of(const struct brute *b, const struct node *v)
{
	return b->n[v->id] ? &b->choices[v->id][b->at[v->id]].out : &v->layout;
}

/* What all who read a value want of it; `adding`: rows to add up, in one layout, by so many. */
struct wants {
	int n, nadding;
	struct layout layout[17], adding;
	uint32_t owning; /* axes that share out the rows of all who add them up */
};

/* The axes along which a user's rows are shared out, if that is all it reads v for. */
static inline uint32_t owning_of(const struct brute *b, const struct node *v, const struct node *user, int k)
{
	uint32_t axes = 0;
	if (!user || user->kind != NODE_MAP || strcmp(user->rule->name, "rows") || k != 0 || user->loop != v->loop)
		return 0;
	for (int a = 0; a < v->place->naxes; a++) {
		struct shard_atom x = layout_of(b, user)->atom[a];
		if (v->place->extent[a] > 1 && x.kind == SHARD_S && x.dim == 0)
			axes |= 1u << a;
	}
	return axes;
}

/* rows: those who add some up have theirs apart from others, as long as they want the same. */
static inline struct wants wants_of(const struct brute *b, const struct node *v, bool rows)
{
	struct graph *g = b->st->graph;
	struct wants w = {.owning = UINT32_MAX};
	for (int i = 0; i < g->nodes.n + g->outputs.n; i++) {
		bool output = i >= g->nodes.n;
		const struct node *user = output ? NULL : g->nodes.at[i];
		if (!output && (!b->st->notes[i].is_live || b->st->notes[i].is_alias))
			continue;
		for (int k = 0; k < (output ? 1 : user->nin); k++) {
			struct node *x = output ? g->outputs.at[i - g->nodes.n].node : user->in[k];
			struct layout l = output    ? b->st->output_want[i - g->nodes.n]
					  : b->n[i] ? b->choices[i][b->at[i]].in[choice_operand(user, k)]
						    : b->st->notes[i].want[k];
			bool known = stage_value(b->st, x) != v || layout_equal(v->place, &l, layout_of(b, v));
			uint32_t owning = known || !rows ? 0 : owning_of(b, v, user, k);
			if (owning && (!w.nadding || layout_equal(v->place, &l, &w.adding))) {
				w.nadding++;
				w.owning &= owning;
				w.adding = l;
				continue;
			}
			for (int m = 0; m < w.n && !known; m++)
				known = layout_equal(v->place, &l, &w.layout[m]);
			if (!known)
				w.layout[w.n++] = l;
		}
	}
	return w;
}

/* Bytes to have rows returned from one layout; INT64_MAX: they cannot be. Each rank owns as many of what each keeps. */
static inline int64_t return_bytes(const struct node *v, const struct layout *from, const struct layout *to,
				   uint32_t owning)
{
	int64_t held = N * N, owners = 1;
	for (int a = 0; a < v->place->naxes; a++) {
		struct shard_atom x = from->atom[a], y = to->atom[a];
		bool inside = true;
		for (int c = a + 1; c < v->place->naxes; c++)
			inside &= x.kind != SHARD_S || from->atom[c].kind != SHARD_S || from->atom[c].dim != x.dim ||
				  to->atom[c].kind == SHARD_B;
		if (y.kind == SHARD_P ||
		    (!atom_equal(x, y) && (x.kind != SHARD_S || y.kind != SHARD_B || !(owning >> a & 1) || !inside)))
			return INT64_MAX;
		owners *= atom_equal(x, y) ? 1 : v->place->extent[a];
		held *= x.kind == SHARD_S ? 1 : v->place->extent[a];
	}
	return owners == 1 ? INT64_MAX : 4 * (held - held / owners);
}

/* With rows returned from the value, from what else is wanted of it, or from what finishes its parts by splits. */
static inline int64_t returning_cost(const struct brute *b, const struct node *v)
{
	struct wants w = wants_of(b, v, true);
	const struct layout *made = layout_of(b, v);
	struct layout *splits;
	int64_t best = INT64_MAX;
	int n = layouts_of(b->st->arena, v->place, &v->shape, false, &splits);
	for (int m = 0; m < w.n; m++)
		if (layout_equal(v->place, &w.layout[m], &w.adding))
			return INT64_MAX;
	for (int k = -1; w.nadding && k < n; k++) {
		bool finishes = k >= 0 && layout_has_partial(v->place, made);
		for (int a = 0; a < v->place->naxes && finishes; a++)
			finishes = made->atom[a].kind == SHARD_P ? splits[k].atom[a].kind == SHARD_S
								 : atom_equal(made->atom[a], splits[k].atom[a]);
		if (k >= 0 && !finishes)
			continue;
		int64_t least = return_bytes(v, made, &w.adding, w.owning);
		if (k >= 0)
			w.layout[w.n] = splits[k];
		for (int m = 0; m < w.n + (k >= 0); m++) {
			int64_t bytes = return_bytes(v, &w.layout[m], &w.adding, w.owning);
			least = bytes < least ? bytes : least;
		}
		if (least == INT64_MAX)
			continue;
		least = w.nadding * least + spread_cost(b->st, v, made, w.n + (k >= 0), w.layout, 0);
		best = least < best ? least : best;
	}
	return best;
}

static inline struct cost value_cost(struct brute *b, const struct node *v)
{
	struct wants w = wants_of(b, v, false);
	int64_t rows = returning_cost(b, v), bytes = spread_cost(b->st, v, layout_of(b, v), w.n, w.layout, 0);
	bytes = fixture_turns(v->loop) * (rows < bytes ? rows : bytes);
	return (struct cost){.again = !b->n[v->id] && v->origin == ORIGIN_SOURCE ? bytes : 0, .bytes = bytes};
}

static inline struct cost total_cost(struct brute *b)
{
	struct cost sum = {0};
	for (int i = 0; i < b->st->graph->nodes.n; i++) {
		if (!b->st->notes[i].is_live || b->st->notes[i].is_alias)
			continue;
		sum = cost_add(sum, value_cost(b, b->st->graph->nodes.at[i]));
		sum.bytes +=
			b->n[i] ? fixture_turns(b->st->graph->nodes.at[i]->loop) * b->choices[i][b->at[i]].bytes : 0;
	}
	return sum;
}

static inline void search(struct brute *b, int id)
{
	while (id < b->st->graph->nodes.n && !b->n[id])
		id++;
	if (id == b->st->graph->nodes.n) {
		struct cost cost = total_cost(b);
		b->best = cost_less(cost, b->best) ? cost : b->best;
		return;
	}
	const struct node *n = b->st->graph->nodes.at[id];
	if (n->kind == NODE_END) { /* like what is carried */
		b->at[id] = b->at[n->in[0]->id];
		search(b, id + 1);
		return;
	}
	for (b->at[id] = 0; b->at[id] < b->n[id]; b->at[id]++)
		search(b, id + 1);
}

static inline int transfer_choices(struct stage *st, const struct node *n, struct choice **out)
{
	struct layout *from, *to;
	int nfrom = layouts_of(st->arena, n->in[0]->place, &n->shape, true, &from);
	int nto = layouts_of(st->arena, n->place, &n->shape, true, &to), count = 0;
	*out = ARENA_ARRAY(st->arena, struct choice, nfrom * nto);
	for (int i = 0; i < nfrom; i++)
		for (int j = 0; j < nto; j++) {
			struct choice *c = &(*out)[count++];
			c->in = &from[i];
			c->out = to[j];
			c->bytes = redist_bytes(n->dtype, &n->shape, n->in[0]->place, &from[i], n->place, &to[j]);
		}
	return count;
}

/* All that may be computed from what they take. */
static inline int node_choices(struct stage *st, const struct node *n, struct choice **out)
{
	int count = choices_of(st->arena, n, out), kept = 0;
	for (int i = 0; i < count; i++)
		if (choice_keeps_parts(n, n->place, &(*out)[i]))
			(*out)[kept++] = (*out)[i];
	return kept;
}

static inline struct cost brute_force(struct stage *st)
{
	struct brute b = {.st = st, .best = {.forbidden = true}};
	for (int i = 0; i < st->graph->nodes.n; i++) {
		struct node *n = st->graph->nodes.at[i];
		if (!st->notes[i].is_live || st->notes[i].is_alias || !st->notes[i].is_free)
			continue;
		b.n[i] = n->kind == NODE_TO ? transfer_choices(st, n, &b.choices[i])
					    : node_choices(st, n, &b.choices[i]);
	}
	search(&b, 0);
	return b.best;
}

static inline int64_t combinations(struct stage *st)
{
	int64_t product = 1;
	for (int i = 0; i < st->graph->nodes.n; i++)
		if (st->notes[i].is_live && st->notes[i].is_free && !st->notes[i].is_alias)
			product *= st->graph->nodes.at[i]->kind == NODE_TO    ? 16
				   : st->graph->nodes.at[i]->kind == NODE_END ? 1
									      : 6;
	return product;
}

#endif
