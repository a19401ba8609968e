/* narrow.c — what is whole and wanted in shares alone is computed in shares. Inference gives a value the layout that
 * follows from its operands, so what is made of tensors that every rank has is made on every rank, whatever a `to` then
 * leaves of it. Here shares reach back, from the last node to the first: if all who take a value can have what they
 * want of it from one split that it could be sliced to, and the node gives this split from operands as it has them or
 * slices of these, no byte more moved, for no more work, then it does; what its operands are wanted in then is looked
 * at in turn. Nothing moves that did not. Example: x : B, conv2d(x, w) to S(2) on 4 ranks: each cuts out of x what its
 * quarter of the rows reads.
 *
 * What is carried from turn to turn stays as it is, and so do rows that are added up where an index says, for what
 * moves to them hangs on the layout of the result. What is read of a value through windows that reach beyond its shares
 * is made of all of it: conv2d(conv2d(x, v), w) to S(2) computes the inner one whole.
 */
#include "solve.h"

/* One who takes a value. */
struct taker {
	const struct node *user; /* NULL: an output, or a loop that asks */
	struct layout *want;     /* in what layout; of a loop NULL: whole */
};

struct narrowing {
	struct stage *st;
	struct arena *scratch;
	VEC(struct taker) * uses; /* by node */
};

/* ---- uses ---- */

static void add_use(struct narrowing *w, struct node *x, const struct node *user, struct layout *want)
{
	struct taker t = {user, want};
	vec_push(w->scratch, &w->uses[stage_value(w->st, x)->id], t);
}

static void find_uses(struct narrowing *w)
{
	const struct graph *g = w->st->graph;
	for (int id = 0; id < g->nodes.n; id++) {
		const struct note *note = &w->st->notes[id];
		for (int i = 0; note->is_live && !note->is_alias && i < g->nodes.at[id]->nin; i++)
			add_use(w, g->nodes.at[id]->in[i], g->nodes.at[id], &note->want[i]);
	}
	for (int i = 0; i < g->outputs.n; i++)
		add_use(w, g->outputs.at[i].node, NULL, &w->st->output_want[i]);
	for (int i = 0; i < g->loops.n; i++)
		for (int k = 0; loop_asked(g->loops.at[i], k); k++)
			add_use(w, *loop_asked(g->loops.at[i], k), NULL, NULL);
}

/* A `to` that slices a value takes no more of it than it gives. */
static bool slices(const struct node *v, const struct node *user)
{
	return user && user->kind == NODE_TO && user->place == v->place &&
	       layout_converts_freely(v->place, &v->shape, &v->layout, &user->layout);
}

static struct layout taken(const struct node *v, const struct taker *use)
{
	return !use->want ? layout_broadcast() : slices(v, use->user) ? use->user->layout : *use->want;
}

/* ---- the split ---- */

static bool adds_parts(const struct place *p, const struct layout *from, const struct layout *to)
{
	for (int a = 0; a < p->naxes; a++)
		if (to->atom[a].kind == SHARD_P && from->atom[a].kind != SHARD_P)
			return true;
	return false;
}

/* Whether a value made in layout `from` is had in another for nothing, and none of its parts are new. */
static bool is_sliced_to(const struct node *v, const struct layout *from, const struct layout *to)
{
	return layout_same(v->place, from, to) ||
	       (layout_can_become(v->place, from, v->place, to) && !adds_parts(v->place, from, to) &&
		layout_converts_freely(v->place, &v->shape, from, to));
}

/* The layout with splits where it has windows: who reads through these may find all within. */
static struct layout split_for(const struct place *p, const struct layout *want)
{
	struct layout l = *want;
	for (int a = 0; a < p->naxes; a++)
		if (l.atom[a].kind == SHARD_WINDOW)
			l.atom[a] = (struct shard_atom){
				.kind = SHARD_S, .dim = want->atom[a].dim, .shares = want->atom[a].shares};
	return l;
}

/* The split that all who take the value can have theirs from. */
static bool find_split(const struct narrowing *w, const struct node *v, struct layout *split)
{
	for (int i = 0; i < w->uses[v->id].n; i++) {
		struct layout first = taken(v, &w->uses[v->id].at[i]);
		*split = split_for(v->place, &first);
		bool serves = !layout_same(v->place, split, &v->layout) && is_sliced_to(v, &v->layout, split);
		for (int k = 0; k < w->uses[v->id].n && serves; k++) {
			struct layout l = taken(v, &w->uses[v->id].at[k]);
			serves = is_sliced_to(v, split, &l);
		}
		if (serves)
			return true;
	}
	return false;
}

/* ---- the choice ---- */

static bool is_taken_as_made(const struct narrowing *w, const struct node *n)
{
	bool as_made = false;
	for (int i = 0; i < n->nin; i++)
		as_made |= solve_takes_as_made(n, i);
	for (int i = 0; i < w->uses[n->id].n; i++) {
		const struct node *user = w->uses[n->id].at[i].user;
		for (int k = 0; user && k < user->nin; k++)
			as_made |= stage_value(w->st, user->in[k]) == n && solve_takes_as_made(user, k);
	}
	return as_made;
}

static bool adds_rows_up(const struct narrowing *w, const struct node *n, const struct layout *out)
{
	for (int i = 0; i < n->nin; i++)
		if (stage_wanted(w->st, stage_value(w->st, n->in[i]), n->place, n, &w->st->notes[n->id].want[i], out)
			    .owning)
			return true;
	return false;
}

static bool may_be_other(const struct narrowing *w, const struct node *n)
{
	const struct note *note = &w->st->notes[n->id];
	bool kind = n->kind == NODE_MAP || n->kind == NODE_RESHAPE || n->kind == NODE_REMAT || n->kind == NODE_LINE ||
		    n->kind == NODE_STACK;
	return kind && note->is_live && !note->is_alias && !note->between && w->uses[n->id].n &&
	       !is_taken_as_made(w, n) && !adds_rows_up(w, n, &n->layout);
}

/* Operands are taken as they are or are moved to now, or slices of that. */
static bool moves_no_more(const struct narrowing *w, const struct node *n, const struct choice *c)
{
	for (int i = 0; i < n->nin; i++) {
		const struct node *v = stage_value(w->st, n->in[i]);
		const struct layout *l = choice_input(n, c, i), *want = &w->st->notes[n->id].want[i];
		bool moves_less = is_sliced_to(v, want, l) && layout_can_become(v->place, &v->layout, v->place, l);
		if (v->place != n->place || (!moves_less && !is_sliced_to(v, &v->layout, l)))
			return false;
	}
	return true;
}

static bool takes_alone(const struct narrowing *w, const struct node *n, const struct node *v)
{
	for (int i = 0; i < w->uses[v->id].n; i++)
		if (w->uses[v->id].at[i].user != n)
			return false;
	return true;
}

/* Elements that are cut out of an operand, which most kernels read where it lies, or that it has then, if the split may
 * reach further back. */
static int64_t elements_cut(const struct narrowing *w, const struct node *n, const struct node *v,
			    const struct layout *l)
{
	struct layout split = split_for(v->place, l);
	struct shape part = layout_largest_shape(v->place, l, &v->shape);
	bool reaches = takes_alone(w, n, v) && may_be_other(w, v) && is_sliced_to(v, &split, l);
	return reaches || !layout_same(v->place, &v->layout, l) ? shape_volume(&part) : 0;
}

/* Of the busiest rank, with what is cut out of operands. */
static int64_t work_with_cuts(const struct narrowing *w, const struct node *n, const struct choice *c)
{
	int64_t work = c->work;
	for (int i = 0; i < n->nin; i++) {
		const struct node *v = stage_value(w->st, n->in[i]);
		work = count_add(work, count_mul(elements_cut(w, n, v, choice_input(n, c, i)), dtype_size(v->dtype)));
	}
	return work;
}

static bool is_current(const struct narrowing *w, const struct node *n, const struct choice *c)
{
	bool same = layout_same(n->place, &c->out, &n->layout);
	for (int i = 0; i < n->nin && same; i++)
		same = layout_same(n->in[i]->place, choice_input(n, c, i), &w->st->notes[n->id].want[i]);
	return same;
}

/* The choice of least work that gives the split, if that is no more than now; NULL: none. */
static const struct choice *choice_giving(const struct narrowing *w, const struct node *n, const struct layout *split)
{
	struct choice *list;
	const struct choice *best = NULL;
	int64_t now = -1, least = INT64_MAX;
	int count = choices_of(w->scratch, n, &list);
	for (int i = 0; i < count; i++) {
		const struct choice *c = &list[i];
		if (now < 0 && is_current(w, n, c))
			now = c->work;
		if (!layout_same(n->place, &c->out, split) || c->serves || !moves_no_more(w, n, c) ||
		    adds_rows_up(w, n, &c->out))
			continue;
		int64_t work = work_with_cuts(w, n, c);
		if (!best || work < least) {
			best = c;
			least = work;
		}
	}
	return best && best->work <= now ? best : NULL;
}

static void give(struct narrowing *w, struct node *n, const struct layout *out, const struct layout *in)
{
	for (int i = 0; i < w->uses[n->id].n; i++)
		*w->uses[n->id].at[i].want = taken(n, &w->uses[n->id].at[i]);
	n->layout = *out;
	for (int i = 0; i < n->nin; i++)
		w->st->notes[n->id].want[i] = in[i];
}

static void narrow(struct narrowing *w, struct node *n, const struct choice *found)
{
	const struct choice *c = choice_keep(w->st->graph->arena, n, found);
	struct layout *in = ARENA_ARRAY(w->scratch, struct layout, n->nin);
	for (int i = 0; i < n->nin; i++)
		in[i] = *choice_input(n, c, i);
	give(w, n, &c->out, in);
}

/* A `to` for which its operand is computed as it wants it (pending.c): that may be in shares as well. */
static bool is_to_of_free(const struct narrowing *w, const struct node *n)
{
	const struct note *note = &w->st->notes[n->id];
	if (n->kind != NODE_TO || !note->is_live || note->is_alias || w->uses[n->id].n == 0 ||
	    n->in[0]->place != n->place)
		return false;
	return w->st->notes[stage_value(w->st, n->in[0])->id].is_free &&
	       layout_same(n->place, &note->want[0], &n->layout);
}

void stage_narrow(struct stage *st)
{
	const struct graph *g = st->graph;
	struct narrowing w = {.st = st, .scratch = arena_new("layout: narrow")};
	w.uses = arena_alloc(w.scratch, sizeof *w.uses * (size_t)(g->nodes.n + 1));
	find_uses(&w);
	for (int id = g->nodes.n - 1; id >= 0; id--) {
		struct layout split;
		struct node *n = g->nodes.at[id];
		bool hands_on = is_to_of_free(&w, n);
		if ((!hands_on && !may_be_other(&w, n)) || !find_split(&w, n, &split))
			continue;
		const struct choice *c = hands_on ? NULL : choice_giving(&w, n, &split);
		if (hands_on)
			give(&w, n, &split, &split);
		else if (c)
			narrow(&w, n, c);
	}
	for (int id = 0; id < g->nodes.n; id++)
		if (st->notes[id].is_alias)
			g->nodes.at[id]->layout = g->nodes.at[id]->in[0]->layout;
	arena_free(w.scratch);
}
