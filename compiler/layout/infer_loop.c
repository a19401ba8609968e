/* infer_loop.c — layouts of what is carried from turn to turn. A loop means its turns one after the other, so it is
 * inferred that way: a turn with the layouts that values begin with, the next with those they were left in, until they
 * stay. Whatever is wrong in one of these turns is wrong. In the end a carried value has one layout, which what it was
 * before must convert to without a byte moved: a sum that begins as 0 (B) and takes in parts is carried as P, and is
 * finished once, behind the loop.
 *
 * Where there is no such layout (x = transpose(x)) the loop is unrolled; one that cannot be (stage_can_unroll) is
 * wrong. There it is enough if what a turn leaves converts to what it began with. */
#include "errors.h"
#include "help.h"

#include <string.h>

enum { MOST_UNROLLED = 4096 }; /* turns; as many as elaboration walks */

bool stage_can_unroll(const struct stage *st, const struct loop *l)
{
	return l->turns >= 0 && l->turns <= MOST_UNROLLED && !st->stacks_tapes[l->id];
}

void stage_unroll(struct stage *st, const struct loop *l, struct span at, const char *why)
{
	struct unrolled u = {.span = l->span, .where = at, .turns = l->turns, .why = why};
	st->is_uneven[l->id] = st->must_unroll = true;
	program_unrolled(st->graph->program, &u);
}

struct turns {
	struct stage *st;
	const struct loop *l;
	int from, exits, end;      /* its nodes, its exits */
	struct bound *vars;        /* as they were before the loop: those of calls in it are bound anew in each turn */
	bool rises;                /* what is carried converts freely from each turn to the next */
	const struct node *uneven; /* an END that was left in another layout, */
	struct layout was;         /* than this */
};

static struct carried seen(const struct stage *st, const struct node *n)
{
	return (struct carried){st->notes[n->id].is_free, stage_seen(st, n)};
}

static struct turns find_turns(struct stage *st, const struct loop *l, int from)
{
	const struct graph *g = st->graph;
	const struct loop_extent x = loop_extent(l, g->nodes.at, g->nodes.n, from);
	struct turns t = {.st = st, .l = l, .from = from, .exits = x.exits, .end = x.end, .rises = true};
	t.vars = ARENA_ARRAY(st->arena, struct bound, g->nlayout_vars);
	if (g->nlayout_vars)
		memcpy(t.vars, st->vars, sizeof *t.vars * (size_t)g->nlayout_vars);
	return t;
}

static bool is_poisoned(const struct turns *t)
{
	for (int i = t->from; i < t->exits; i++)
		if (t->st->notes[i].poisoned)
			return true;
	return false;
}

/* Begins the first turn. At most so many it takes: each may become fixed and change on every axis, one after the other.
 */
static int64_t begin(struct turns *t)
{
	int64_t ncarried = 0;
	for (int i = t->from; i < t->exits; i++) {
		const struct node *n = t->st->graph->nodes.at[i];
		if (n->kind != NODE_CARRY || n->of != t->l)
			continue;
		t->st->carried[i] = seen(t->st, n->in[0]);
		ncarried++;
	}
	return ncarried * (MAX_AXES + 1) + 1;
}

static bool converts(const struct node *n, const struct carried *from, const struct carried *to)
{
	const struct place *p = n->place;
	return from->is_free || (!to->is_free && (layout_equal(p, &from->layout, &to->layout) ||
						  layout_converts_freely(p, &n->shape, &from->layout, &to->layout)));
}

/* What the turn left begins the next one; whether that is another layout. */
static bool go_on(struct turns *t)
{
	bool changed = false;
	for (int i = t->exits; i < t->end; i++) {
		const struct node *n = t->st->graph->nodes.at[i];
		if (n->kind != NODE_END || n->in[0]->origin == ORIGIN_BACKWARD)
			continue;
		struct carried *was = &t->st->carried[n->in[0]->id], next = seen(t->st, n->in[1]);
		if (was->is_free == next.is_free && layout_equal(n->place, &was->layout, &next.layout))
			continue;
		if (!stage_can_unroll(t->st, t->l) && !was->is_free && converts(n, &next, was))
			continue;
		if (!converts(n, was, &next)) {
			t->rises = false;
			t->uneven = n;
			t->was = was->layout;
		}
		*was = next;
		changed = true;
	}
	return changed;
}

/* False: with the turns that there are, or any number of them, layouts do not settle. */
static bool infer_turns(struct turns *t)
{
	struct stage *st = t->st;
	int64_t most = begin(t);
	if (stage_can_unroll(st, t->l) && t->l->turns < most)
		most = t->l->turns;
	for (int64_t turn = 0; turn < most; turn++) {
		if (st->graph->nlayout_vars)
			memcpy(st->vars, t->vars, sizeof *t->vars * (size_t)st->graph->nlayout_vars);
		stage_infer_nodes(st, t->l, t->from);
		if (st->must_unroll || is_poisoned(t))
			return true;
		if (!go_on(t))
			return t->rises;
		if (!stage_can_unroll(t->st, t->l) && !t->rises)
			return false;
	}
	return false;
}

static void check_asked(struct turns *t)
{
	const struct node *asked = t->l->count ? t->l->count : t->l->condition;
	struct note *note = asked ? &t->st->notes[asked->id] : NULL;
	if (!note || note->is_free || note->poisoned || !layout_has_partial(asked->place, &asked->layout))
		return;
	error_asked(t->st, t->l, asked);
	note->poisoned = true;
}

/* Its layouts differ from turn to turn. */
static void unroll_uneven(const struct turns *t)
{
	const struct node *end = t->uneven, *x = end ? end->in[1] : NULL;
	struct arena *a = t->st->graph->program->arena;
	if (!end) {
		stage_unroll(t->st, t->l, t->l->span, "layouts change from turn to turn");
		return;
	}
	struct layout has = stage_seen(t->st, x);
	stage_unroll(t->st, t->l, x->span.file ? x->span : t->l->span,
		     arena_printf(a, "%s is `%s` before a turn and `%s` after it",
				  end->name ? arena_printf(a, "`%s`", end->name) : "what is carried",
				  help_layout(a, x->place, &t->was), help_layout(a, x->place, &has)));
}

/* The loop whose nodes begin at `from`; where its exits end. */
static int infer_loop(struct stage *st, const struct loop *l, int from)
{
	struct turns t = find_turns(st, l, from);
	bool settles = infer_turns(&t);
	if (!settles && stage_can_unroll(st, l))
		unroll_uneven(&t);
	if (st->must_unroll)
		return t.end;
	check_asked(&t);
	for (int i = t.exits; i < t.end; i++)
		stage_infer_node(st, st->graph->nodes.at[i]);
	if (settles)
		return t.end;
	error_carried(st, t.uneven, &t.was);
	st->notes[t.uneven->id].poisoned = true;
	return t.end;
}

int stage_infer_nodes(struct stage *st, const struct loop *in, int from)
{
	struct graph *g = st->graph;
	int i = from;
	while (i < g->nodes.n && loop_is_in(g->nodes.at[i]->loop, in)) {
		struct node *n = g->nodes.at[i];
		if (n->loop != in || node_is_exit(n))
			i = infer_loop(st, n->loop == in ? n->of : loop_below(n->loop, in), i);
		else
			stage_infer_node(st, g->nodes.at[i++]);
	}
	return i;
}
