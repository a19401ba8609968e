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

static bool stands_before(const struct graph *g, const struct node *n, const struct node *x)
{
	return x->id >= 0 && x->id < n->id && g->nodes.at[x->id] == x;
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
		if (!n->in[i] || !stands_before(g, n, n->in[i]))
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
	if (n->target->place && n->target->place != n->place)
		return say(g, n, "is not on its target `%s`", n->target->place->name);
	if (n->target->layout.form == LAYOUT_GIVEN && !n->place)
		return say(g, n, "has a layout to go to but no placement");
	if (n->target->layout.form == LAYOUT_VAR &&
	    (n->target->layout.var < 0 || n->target->layout.var >= g->nlayout_vars))
		return say(g, n, "layout variable %d does not exist", n->target->layout.var);
	for (int a = 0; n->target->layout.form == LAYOUT_GIVEN && a < n->place->naxes; a++)
		if (atom_variable(n->target->layout.layout.atom[a]) >= g->nlayout_vars)
			return say(g, n, "layout variable %d does not exist",
				   atom_variable(n->target->layout.layout.atom[a]));
	if (n->kind == NODE_CONTRACT && n->in[0]->place && n->place != n->in[0]->place)
		return say(g, n, "a contract moves to another placement");
	if (n->kind == NODE_TO && !n->target->place && n->place != n->in[0]->place)
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

static bool is_line_of(const struct node *n, const struct node *x)
{
	if (!x->shape.rank)
		return false;
	struct shape line = shape_of_line(&x->shape);
	return shape_equal(&line, &n->shape);
}

/* first + step * t of every turn t is one of `extent` lines; step and first are small where the turns are not known. */
static bool lines_exist(const struct node *n, int64_t extent)
{
	int64_t turns = n->of->turns, first = n->line.first + (n->line.back ? turns : 0), last;
	if (turns < 0)
		return true;
	return !turns || (first >= 0 && first < extent && !__builtin_mul_overflow(n->line.step, turns - 1, &last) &&
			  !__builtin_add_overflow(last, first, &last) && last >= 0 && last < extent);
}

static const char *check_line(const struct graph *g, const struct node *n)
{
	if (!n->nin)
		return say(g, n, "lines of nothing");
	if (n->line.back && n->of->condition)
		return say(g, n, "counts from the end of a loop that does not know it");
	for (int i = 0; i < n->nin; i++)
		if (n->in[i]->dtype != n->dtype ||
		    !(n->nin == 1 ? is_line_of(n, n->in[i]) : shape_equal(&n->in[i]->shape, &n->shape)))
			return say(g, n, "is no line of input %d", i);
	return lines_exist(n, n->nin == 1 ? n->in[0]->shape.dim[0] : n->nin)
		       ? NULL
		       : say(g, n, "not all turns of loop %d have a line", n->of->id);
}

static const char *check_loop_node(const struct graph *g, const struct node *n)
{
	const struct loop *l = n->of;
	if (!l || l->id < 0 || l->id >= g->loops.n || g->loops.at[l->id] != l)
		return say(g, n, "its loop does not exist");
	for (int i = 0; i < n->nin; i++)
		if (!loop_is_in(node_is_entry(n) ? l->outer : l, n->in[i]->loop))
			return say(g, n, "input %d stands in another loop", i);
	if (n->kind == NODE_TURN)
		return n->shape.rank || n->dtype != DT_I64 ? say(g, n, "is not a number") : NULL;
	if (n->kind == NODE_LINE)
		return check_line(g, n);
	if (n->kind == NODE_STACK) {
		if (n->line.back && l->condition)
			return say(g, n, "counts from the end of a loop that does not know it");
		return n->dtype != n->in[0]->dtype || !is_line_of(n->in[0], n) || n->shape.dim[0] != loop_lines(l)
			       ? say(g, n, "is not a line for each turn")
			       : NULL;
	}
	if (n->kind == NODE_END) {
		if (n->in[0]->kind != NODE_CARRY || n->in[0]->of != l)
			return say(g, n, "its first input is not carried by loop %d", l->id);
		if (n->in[1]->dtype != n->dtype || !shape_equal(&n->in[1]->shape, &n->shape))
			return say(g, n, "the next value is of another type");
	}
	return n->dtype != n->in[0]->dtype || !shape_equal(&n->shape, &n->in[0]->shape)
		       ? say(g, n, "has another type than its input")
		       : NULL;
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
	case NODE_FACTORS:
		return !same || !factors_fit(n->dtype, &n->in[0]->shape, &n->shape) ? say(g, n, "does not give factors")
										    : NULL;
	case NODE_TO:
	case NODE_CONTRACT:
	case NODE_STOP:
	case NODE_REMAT:
		if (n->after && !stands_before(g, n, n->after))
			return say(g, n, "is to come after what does not come before it");
		if (!same || !shape_equal(&n->shape, &n->in[0]->shape))
			return say(g, n, "has another type than its input");
		return n->kind == NODE_TO || n->kind == NODE_CONTRACT ? check_target(g, n) : NULL;
	case NODE_TANGENT:
	case NODE_RULED:
		return n->nin < 1 + (n->kind == NODE_RULED) || n->depth < 1 || n->dtype != n->in[0]->dtype ||
				       !shape_equal(&n->shape, &n->in[0]->shape)
			       ? say(g, n, "has another type than its input")
			       : NULL;
	case NODE_PULLED:
		return !n->pulled.by || n->nin < n->pulled.by->results || n->dtype != n->in[0]->dtype ||
				       !shape_equal(&n->shape, &n->in[0]->shape)
			       ? say(g, n, "has another type than its input")
			       : NULL;
	case NODE_TURN:
	case NODE_CARRY:
	case NODE_LINE:
	case NODE_END:
	case NODE_STACK:
		return check_loop_node(g, n);
	case NODE_KINDS:
		break;
	}
	return NULL;
}

static const char *check_place(const struct graph *g, const struct node *n)
{
	if (g->stage >= GRAPH_PLACED && node_is_of_rule(n))
		return say(g, n, "is left of a rule");
	if (g->stage >= GRAPH_PLACED && !n->place)
		return say(g, n, "has no placement");
	if (n->kind == NODE_TO || n->kind == NODE_CONTRACT || node_is_of_rule(n))
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

static const char *check_signature(const struct graph *g, const struct node *n)
{
	const struct signature *s;
	int count = signatures_of_known(n->rule, n->in, &s);
	for (int axis = 0; axis < n->place->naxes; axis++) {
		int i = 0;
		while (i < count && !signature_fits(&s[i], n->rule, n->in, n->layout.atom[axis], axis))
			i++;
		if (i == count)
			return say(g, n, "no layout rule of `%s` fits on axis %d", n->rule->name, axis);
	}
	return NULL;
}

/* What is carried has one layout; a line has that of the tensors, which are not split by lines. */
static const char *check_loop_layout(const struct graph *g, const struct node *n)
{
	bool is_line = n->kind == NODE_STACK || (n->kind == NODE_LINE && n->nin == 1);
	for (int i = 0; i < n->nin; i++)
		for (int axis = 0; axis < n->place->naxes; axis++) {
			struct shard_atom a = n->layout.atom[axis], b = n->in[i]->layout.atom[axis];
			struct shard_atom *whole = n->kind == NODE_STACK ? &a : &b;
			if (is_line && whole->kind == SHARD_S)
				whole->dim--;
			if (!atom_equal(a, b))
				return say(g, n, "changes the layout of input %d on axis %d", i, axis);
		}
	return NULL;
}

static const char *check_layout(const struct graph *g, const struct node *n)
{
	for (int axis = 0; axis < n->place->naxes; axis++) {
		struct shard_atom a = n->layout.atom[axis];
		if (a.kind > SHARD_WINDOW || (a.kind == SHARD_P && a.combiner > SHARD_PROD))
			return say(g, n, "no such layout on axis %d", axis);
		if (a.kind == SHARD_WINDOW && (n->kind != NODE_TO || a.dim < 0 || a.dim >= n->shape.rank))
			return say(g, n, "has a window on axis %d", axis);
		if (a.shares && a.shares[0] != n->place->extent[axis])
			return say(g, n, "has %d shares on axis %d of another extent", a.shares[0], axis);
		if (a.kind == SHARD_S && (a.dim < 0 || a.dim >= n->shape.rank))
			return say(g, n, "is split along dimension %d, which it does not have", a.dim);
	}
	if (n->kind == NODE_CONTRACT || n->kind == NODE_STOP)
		return say(g, n, "is left in a laid-out graph");
	if (n->kind == NODE_REMAT && !layout_equal(n->place, &n->layout, &n->in[0]->layout))
		return say(g, n, "changes the layout");
	if (n->kind == NODE_CHECK &&
	    (!layout_equal(n->place, &n->layout, &n->in[0]->layout) || layout_has_partial(n->place, &n->layout)))
		return say(g, n, "changes the layout, or is unfinished");
	if (n->kind == NODE_FACTORS && !layout_equal(n->place, &n->layout, &n->in[0]->layout))
		return say(g, n, "changes the layout");
	if (n->of)
		return check_loop_layout(g, n);
	return n->kind == NODE_MAP ? check_signature(g, n) : NULL;
}

static const char *say_loop(const struct graph *g, const struct loop *l, const char *what)
{
	return arena_printf(g->arena, "loop %d %s", l->id, what);
}

static const char *check_asked(const struct graph *g, const struct loop *l, const struct node *n)
{
	if (n->id < 0 || n->id >= g->nodes.n || g->nodes.at[n->id] != n || n->shape.rank)
		return say_loop(g, l, "asks what is no scalar of the graph");
	if (n->dtype != (l->count ? DT_I64 : DT_BOOL))
		return say_loop(g, l, "asks a value of another type");
	return loop_is_in(l->count ? l->outer : l, n->loop) ? NULL : say_loop(g, l, "asks what another loop computes");
}

static const char *check_loop(const struct graph *g, const struct loop *l, int id)
{
	const struct node *n = l->count ? l->count : l->condition;
	if (l->id != id || (l->outer && (l->outer->id >= id || g->loops.at[l->outer->id] != l->outer)))
		return say_loop(g, l, "does not stand where it says");
	if ((l->turns >= 0) + (l->count != NULL) + (l->condition != NULL) != 1)
		return say_loop(g, l, "has no number of turns, or several");
	if (l->turns < -1 || l->most < -1 || (l->is_branch && l->most != 1 && l->turns < 0))
		return say_loop(g, l, "has a senseless number of turns");
	if (l->elsewhere.n && (!n || g->stage < GRAPH_PLACED))
		return say_loop(g, l, "asks on other placements what it does not ask");
	const char *wrong = n ? check_asked(g, l, n) : NULL;
	for (int i = 0; i < l->elsewhere.n && !wrong; i++) {
		wrong = check_asked(g, l, l->elsewhere.at[i]);
		if (!wrong && loop_asks(l, l->elsewhere.at[i]->place) != l->elsewhere.at[i])
			wrong = say_loop(g, l, "asks twice on one placement");
	}
	return wrong;
}

/* Whether ranks that have a part in a loop know when it ends. */
static bool is_asked(const struct node *n)
{
	for (const struct loop *l = n->loop; l; l = l->outer)
		if (l->turns < 0 && !loop_asks(l, n->place))
			return false;
	return true;
}

/* Loops in one piece, exits last; one END for each CARRY. */
static const char *check_loops(const struct graph *g)
{
	const char *wrong = NULL;
	if (!g->loops.n)
		return NULL;
	bool *is_over = ARENA_ARRAY(g->arena, bool, g->loops.n), *has_end = ARENA_ARRAY(g->arena, bool, g->nodes.n);
	bool *is_left = ARENA_ARRAY(g->arena, bool, g->loops.n);
	const struct loop *at = NULL;
	for (int i = 0; i < g->loops.n && !wrong; i++)
		wrong = check_loop(g, g->loops.at[i], i);
	for (int i = 0; i < g->nodes.n && !wrong; i++) {
		const struct node *n = g->nodes.at[i];
		const struct loop *of = node_part_of(n);
		if (n->loop != node_loop(n))
			return say(g, n, "stands in another loop than its inputs say");
		if (g->stage >= GRAPH_PLACED && !is_asked(n))
			return say(g, n, "its ranks do not know when its loop ends");
		for (; at && !loop_is_in(of, at); at = at->outer)
			is_over[at->id] = true;
		at = of;
		for (const struct loop *l = of; l; l = l->outer)
			if (is_over[l->id])
				return say(g, n, "loop %d is not in one piece", l->id);
		if (node_is_exit(n))
			is_left[n->of->id] = true;
		else if (of && is_left[of->id])
			return say(g, n, "comes behind an exit of loop %d", of->id);
		if (n->kind != NODE_END)
			continue;
		if (has_end[n->in[0]->id])
			return say(g, n, "%%%d has two ends", n->in[0]->id);
		has_end[n->in[0]->id] = true;
	}
	for (int i = 0; i < g->nodes.n && !wrong; i++)
		if (g->nodes.at[i]->kind == NODE_CARRY && !has_end[i])
			return say(g, g->nodes.at[i], "is carried and has no end");
	return wrong;
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
	wrong = wrong ? wrong : check_loops(g);
	for (int i = 0; i < g->outputs.n && !wrong; i++)
		wrong = check_output(g, &g->outputs.at[i]);
	return wrong;
}
