/* verify.c — what a graph of each stage must obey. Passes are run between two calls of this, and texts that are read
 * pass through it, so it trusts nothing: it says what is wrong, in words, or NULL.
 *
 * Always: ids are positions, inputs come earlier, types fit rules and slots, inputs agree on a placement unless a `to`
 * moves. From GRAPH_PLACED on every node has a placement. In GRAPH_LAID_OUT every layout is possible for its tensor,
 * every map fits one derived signature per axis, contracts and stops are gone, results for the host are finished. */
#include "known.h"

#include "../program.h"

#include <inttypes.h>
#include <string.h>

static const char *say(const struct graph *g, const struct node *n, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static const char *say(const struct graph *g, const struct node *n, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *what = arena_vprintf(g->arena, fmt, ap);
	va_end(ap);
	return arena_printf(g->arena, "%%%d = %s: %s", n->id, n->kind < NODE_KINDS ? node_kind_text(n->kind) : "?",
			    what);
}

static const char *check_form(const struct graph *g, const struct node *n, int id)
{
	static const int inputs[] = {
#define NODE(name, text, inputs) [NODE_##name] = inputs,
#include "node.def"
#undef NODE
	};
	if (n->id != id)
		return say(g, n, "stands at position %d", id);
	if (n->kind >= NODE_KINDS || n->dtype >= DT_COUNT)
		return say(g, n, "no such kind or type");
	if (inputs[n->kind] >= 0 && n->nin != inputs[n->kind])
		return say(g, n, "%d inputs, but it takes %d", n->nin, inputs[n->kind]);
	for (int i = 0; i < n->nin; i++) {
		const struct node *x = n->in[i];
		if (!x || x->id < 0 || x->id >= id || g->nodes.at[x->id] != x)
			return say(g, n, "input %d does not come earlier", i);
	}
	if (n->shape.rank < 0 || n->shape.rank > MAX_RANK)
		return say(g, n, "%d dimensions", n->shape.rank);
	for (int d = 0; d < n->shape.rank; d++)
		if (n->shape.dim[d] < 0)
			return say(g, n, "dimension %d has the extent %" PRId64, d, n->shape.dim[d]);
	if (shape_volume(&n->shape) < 0)
		return say(g, n, "too many elements");
	return NULL;
}

static bool access_fits(const struct access *a, const struct node *x)
{
	return a->type == x->dtype && a->rank == x->shape.rank &&
	       !memcmp(a->dim, x->shape.dim, sizeof *a->dim * (size_t)a->rank);
}

static const char *check_map(const struct graph *g, const struct node *n)
{
	if (!n->rule)
		return say(g, n, "no rule");
	if (n->rule->noperands != n->nin)
		return say(g, n, "%d inputs, but `%s` takes %d", n->nin, n->rule->name, n->rule->noperands);
	const char *wrong = rule_check(g->arena, n->rule);
	if (wrong)
		return say(g, n, "`%s`: %s", n->rule->name, wrong);
	for (int i = 0; i < n->nin; i++)
		if (!access_fits(&n->rule->operand[i], n->in[i]))
			return say(g, n, "operand %d of `%s` is not of the rule's type", i, n->rule->name);
	if (!access_fits(&n->rule->out, n))
		return say(g, n, "the result is not of the type that `%s` gives", n->rule->name);
	return NULL;
}

static const char *check_target(const struct graph *g, const struct node *n)
{
	if (n->target.place && n->target.place != n->place)
		return say(g, n, "is not on its target `%s`", n->target.place->name);
	if (n->target.layout.form == LAYOUT_GIVEN && !n->place)
		return say(g, n, "has a layout to go to but no placement");
	if (n->target.layout.form == LAYOUT_VAR &&
	    (n->target.layout.var < 0 || n->target.layout.var >= g->nlayout_vars))
		return say(g, n, "layout variable %d does not exist", n->target.layout.var);
	for (int a = 0; n->target.layout.form == LAYOUT_GIVEN && a < n->place->naxes; a++)
		if (atom_variable(n->target.layout.layout.atom[a]) >= g->nlayout_vars)
			return say(g, n, "layout variable %d does not exist",
				   atom_variable(n->target.layout.layout.atom[a]));
	if (n->kind == NODE_CONTRACT && n->in[0]->place && n->place != n->in[0]->place)
		return say(g, n, "a contract moves to another placement");
	if (n->kind == NODE_TO && !n->target.place && n->place != n->in[0]->place)
		return say(g, n, "moves without a target");
	return NULL;
}

static const char *check_slot(const struct graph *g, const struct node *n, int slot)
{
	if (slot < 0 || slot >= g->program->slots.n)
		return say(g, n, "slot %d does not exist", slot);
	const struct slot *s = g->program->slots.at[slot];
	if (s->dtype != n->dtype || !shape_equal(&s->shape, &n->shape))
		return say(g, n, "is not of the type of slot %d", slot);
	if (n->kind == NODE_SLOT && s->place != n->place)
		return say(g, n, "is not where slot %d is", slot);
	return NULL;
}

static const char *check_kind(const struct graph *g, const struct node *n)
{
	bool same = n->nin == 1 && n->dtype == n->in[0]->dtype;
	switch (n->kind) {
	case NODE_SLOT:
		return check_slot(g, n, n->slot);
	case NODE_DATA:
		return n->data.argument < 0 || n->data.field < 0 ? say(g, n, "negative argument or field") : NULL;
	case NODE_HOST:
		return n->shape.rank || n->argument < 0 ? say(g, n, "is not a scalar argument") : NULL;
	case NODE_CONST:
		return n->shape.rank ? say(g, n, "is not a scalar") : NULL;
	case NODE_MAP:
		return check_map(g, n);
	case NODE_RESHAPE:
		return !same || shape_volume(&n->shape) != shape_volume(&n->in[0]->shape)
			       ? say(g, n, "changes type or number of elements")
			       : NULL;
	case NODE_CHECK:
		return !same || !shape_equal(&n->shape, &n->in[0]->shape) || !dtype_is_int(n->dtype) ||
				       n->check.extent < 0 || !n->check.range
			       ? say(g, n, "does not check indices")
			       : NULL;
	case NODE_TO:
	case NODE_CONTRACT:
	case NODE_STOP:
	case NODE_REMAT:
		if (n->after && n->after->id >= n->id)
			return say(g, n, "is to come after what comes later");
		if (!same || !shape_equal(&n->shape, &n->in[0]->shape))
			return say(g, n, "has another type than its input");
		return n->kind == NODE_TO || n->kind == NODE_CONTRACT ? check_target(g, n) : NULL;
	case NODE_KINDS:
		break;
	}
	return NULL;
}

static const char *check_place(const struct graph *g, const struct node *n)
{
	if (g->stage >= GRAPH_PLACED && !n->place)
		return say(g, n, "has no placement");
	if (n->kind == NODE_TO || n->kind == NODE_CONTRACT)
		return NULL;
	const struct place *p = NULL;
	for (int i = 0; i < n->nin; i++) {
		const struct place *q = n->in[i]->place;
		if (p && q && p != q)
			return say(g, n, "inputs are on `%s` and `%s`", p->name, q->name);
		p = q ? q : p;
	}
	if (p && p != n->place)
		return say(g, n, "inputs are on `%s`, it is on `%s`", p->name,
			   n->place ? n->place->name : "no placement");
	if (n->nin && !p && n->place && g->stage < GRAPH_PLACED)
		return say(g, n, "is on `%s`, but no input is", n->place->name);
	return NULL;
}

static bool signature_fits(const struct signature *s, const struct node *n, int axis)
{
	for (int i = 0; i < n->nin; i++)
		if (!atom_equal(s->operand[i], n->in[i]->layout.atom[axis]))
			return false;
	return atom_equal(s->out, n->layout.atom[axis]);
}

static const char *check_signature(const struct graph *g, const struct node *n)
{
	struct signature room[MAX_SIGNATURES];
	const struct signature *s;
	int count = signatures_of_known(n->rule, n->in, room, &s);
	for (int axis = 0; axis < n->place->naxes; axis++) {
		int i = 0;
		while (i < count && !signature_fits(&s[i], n, axis))
			i++;
		if (i == count)
			return say(g, n, "no layout rule of `%s` fits on axis %d", n->rule->name, axis);
	}
	return NULL;
}

static const char *check_layout(const struct graph *g, const struct node *n)
{
	for (int axis = 0; axis < n->place->naxes; axis++) {
		struct shard_atom a = n->layout.atom[axis];
		if (a.kind > SHARD_P || (a.kind == SHARD_P && a.combiner > SHARD_PROD))
			return say(g, n, "no such layout on axis %d", axis);
		if (a.kind == SHARD_S && (a.dim < 0 || a.dim >= n->shape.rank))
			return say(g, n, "is split along dimension %d, which it does not have", a.dim);
	}
	if (n->kind == NODE_CONTRACT || n->kind == NODE_STOP)
		return say(g, n, "is left in a laid-out graph");
	if (n->kind == NODE_REMAT && !layout_equal(n->place, &n->layout, &n->in[0]->layout))
		return say(g, n, "changes the layout");
	if (n->kind == NODE_CHECK && (!layout_equal(n->place, &n->layout, &n->in[0]->layout) ||
				      layout_has_partial(n->place, &n->layout)))
		return say(g, n, "changes the layout, or is unfinished");
	return n->kind == NODE_MAP ? check_signature(g, n) : NULL;
}

static const char *check_output(const struct graph *g, const struct output *o)
{
	const struct node *n = o->node;
	if (!n || n->id < 0 || n->id >= g->nodes.n || g->nodes.at[n->id] != n)
		return "an output is not a node of the graph";
	if (o->kind == OUTPUT_SLOT)
		return check_slot(g, n, o->index);
	if (o->index < 0 || n->shape.rank)
		return say(g, n, "is given to the host but not a scalar");
	if (g->stage == GRAPH_LAID_OUT && layout_has_partial(n->place, &n->layout))
		return say(g, n, "is given to the host unfinished");
	return NULL;
}

const char *graph_verify(const struct graph *g)
{
	const char *wrong = NULL;
	for (int i = 0; i < g->nodes.n && !wrong; i++) {
		const struct node *n = g->nodes.at[i];
		wrong = check_form(g, n, i);
		wrong = wrong ? wrong : check_kind(g, n);
		wrong = wrong ? wrong : check_place(g, n);
		if (!wrong && g->stage == GRAPH_LAID_OUT)
			wrong = check_layout(g, n);
	}
	for (int i = 0; i < g->outputs.n && !wrong; i++)
		wrong = check_output(g, &g->outputs.at[i]);
	return wrong;
}
