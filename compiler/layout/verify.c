/* verify.c — the laid-out graph against the rules it was made by, without trusting any note of the stage. */
#include "verify.h"

#include "choice.h"
#include "../graph/known.h"
#include "../program.h"

bool layout_signature_of(const struct graph *g, const struct node *n, int axis, struct signature *out)
{
	(void)g;
	const struct signature *s;
	int count = n->kind == NODE_MAP ? signatures_of_known(n->rule, n->in, &s) : 0, best = -1;
	if (count && n->place->extent[axis] == 1) {
		*out = s[0];
		return true;
	}
	/* Of several that fit, the one that shares a factor out does the least work per rank. */
	for (int i = 0; i < count; i++)
		if (signature_fits(&s[i], n->rule, n->in, n->layout.atom[axis], axis) &&
		    (best < 0 || (s[best].factor < 0 && s[i].factor >= 0)))
			best = i;
	if (best >= 0)
		*out = s[best];
	return best >= 0;
}

static const char *say(const struct graph *g, const struct node *n, const char *what)
{
	return arena_printf(g->arena, "%%%d: %s", n->id, what);
}

static bool layout_exists(const struct node *n)
{
	for (int a = 0; a < n->place->naxes; a++) {
		struct shard_atom x = n->layout.atom[a];
		bool along = x.kind == SHARD_S || x.kind == SHARD_WINDOW;
		if (x.kind > SHARD_WINDOW || (along && (x.dim < 0 || x.dim >= n->shape.rank)) ||
		    (x.kind == SHARD_WINDOW && n->kind != NODE_TO) || (x.shares && x.shares[0] != n->place->extent[a]))
			return false;
	}
	return true;
}

static const char *check_map(const struct graph *g, const struct node *n)
{
	struct signature s;
	for (int a = 0; a < n->place->naxes; a++)
		if (!layout_signature_of(g, n, a, &s))
			return arena_printf(g->arena, "%%%d: no signature of `%s` fits on axis %d", n->id,
					    n->rule->name, a);
	return NULL;
}

static const char *check_inputs_alike(const struct graph *g, const struct node *n, const struct layout *l)
{
	for (int i = 0; i < n->nin; i++)
		if (!layout_same(n->place, &n->in[i]->layout, l))
			return say(g, n, "has another layout than what it is made of");
	return NULL;
}

static const char *check_node(const struct graph *g, const struct node *n)
{
	struct layout l;
	if (!n->place)
		return say(g, n, "has no placement");
	if (!layout_exists(n))
		return say(g, n, "has a layout that its shape does not allow");
	if (atoms_mix(n->place->naxes, n->layout.atom))
		return say(g, n, "is unfinished in two ways");
	for (int i = 0; n->kind != NODE_TO && i < n->nin; i++)
		if (n->in[i]->place != n->place)
			return say(g, n, "an input is elsewhere");
	switch (n->kind) {
	case NODE_MAP:
		return check_map(g, n);
	case NODE_RESHAPE:
		if (!reshape_layout(g->arena, n->place, &n->in[0]->shape, &n->in[0]->layout, &n->shape, &l) ||
		    !layout_same(n->place, &l, &n->layout))
			return say(g, n, "the split does not survive");
		return NULL;
	case NODE_CHECK:
		if (layout_has_partial(n->place, &n->layout))
			return say(g, n, "checks parts");
		return layout_same(n->place, &n->layout, &n->in[0]->layout) ? NULL : say(g, n, "changes the layout");
	case NODE_FACTORS:
		if (!factors_take(n, &n->layout))
			return say(g, n, "has a part of a matrix");
		return layout_same(n->place, &n->layout, &n->in[0]->layout) ? NULL : say(g, n, "changes the layout");
	case NODE_REMAT:
		return layout_same(n->place, &n->layout, &n->in[0]->layout) ? NULL : say(g, n, "changes the layout");
	case NODE_HOST:
	case NODE_CONST:
	case NODE_TURN:
		l = layout_broadcast();
		return layout_same(n->place, &n->layout, &l) ? NULL : say(g, n, "is not on all ranks");
	case NODE_DATA:
		return layout_has_partial(n->place, &n->layout) ? say(g, n, "is read in parts") : NULL;
	case NODE_SLOT:
		return layout_same(n->place, &n->layout, &g->program->slots.at[n->slot]->laid_out)
			       ? NULL
			       : say(g, n, "is not laid out like its slot");
	case NODE_TO:
		return NULL;
	case NODE_CONTRACT:
	case NODE_STOP:
		return say(g, n, "should be gone");
	case NODE_LINE:
		if (n->nin == 1)
			return layout_of_line(n->place, &n->in[0]->layout, &l) && layout_same(n->place, &n->layout, &l)
				       ? NULL
				       : say(g, n, "is not laid out like the lines of its input");
		return check_inputs_alike(g, n, &n->layout);
	case NODE_CARRY:
	case NODE_END:
		return check_inputs_alike(g, n, &n->layout);
	case NODE_STACK:
		return layout_of_line(n->place, &n->layout, &l) ? check_inputs_alike(g, n, &l)
								: say(g, n, "is split by lines");
	case NODE_TANGENT:
	case NODE_RULED:
	case NODE_PULLED:
	case NODE_KINDS:
		break;
	}
	return say(g, n, "is of no kind");
}

/* All who have a part in a loop are told in full when it ends. */
static const char *check_loop(const struct graph *g, struct loop *l)
{
	struct layout whole = layout_broadcast();
	for (int k = 0; loop_asked(l, k); k++) {
		const struct node *n = *loop_asked(l, k);
		if (!layout_same(n->place, &n->layout, &whole))
			return say(g, n, "decides over turns, but is not on all ranks");
	}
	return NULL;
}

static const char *check_output(const struct graph *g, const struct output *o)
{
	const struct place *world = g->program->places.at[0];
	const struct node *n = o->node;
	struct layout whole = layout_broadcast();
	if (o->kind == OUTPUT_HOST)
		return n->place == world && layout_same(world, &n->layout, &whole) ? NULL
										   : say(g, n, "is not on every rank");
	const struct slot *s = g->program->slots.at[o->index];
	if (s->place && s->place != n->place)
		return say(g, n, "is kept elsewhere");
	return layout_same(n->place, &n->layout, &s->laid_out) ? NULL : say(g, n, "does not fit its slot");
}

const char *layout_verify(const struct graph *g)
{
	if (g->stage != GRAPH_LAID_OUT)
		return "the graph is not laid out";
	for (int i = 0; i < g->nodes.n; i++) {
		const char *wrong = check_node(g, g->nodes.at[i]);
		if (wrong)
			return wrong;
	}
	for (int i = 0; i < g->loops.n; i++) {
		const char *wrong = check_loop(g, g->loops.at[i]);
		if (wrong)
			return wrong;
	}
	for (int i = 0; i < g->outputs.n; i++) {
		const char *wrong = check_output(g, &g->outputs.at[i]);
		if (wrong)
			return wrong;
	}
	return NULL;
}
