/* infer.c — the layouts of the program's own nodes, from the first to the last. Each map takes the signature that its
 * operands fit (infer_map.c). Declared layouts are checked, nothing is moved to satisfy them (infer_target.c). Free
 * values (data, constants, gradients) fit like a B: what is wanted of them is noted and left to solve.c. What is
 * carried from turn to turn comes from infer_loop.c. Example: x:S(0) @ w:B -> S(0);  x:S(1) @ w:B slices w -> P(sum);
 * x:S(0) @ w:S(1) is an error with two helps. */
#include "infer.h"

#include "../program.h"
#include "choice.h"
#include "errors.h"

#include <string.h>

/* ---- kinds of nodes ---- */

struct node *stage_value(const struct stage *st, struct node *n)
{
	while (st->notes[n->id].is_alias)
		n = n->in[0];
	return n;
}

/* A node that leaves its input as it is: of a free value because nothing is asked, else because the layouts are equal.
 */
static bool is_alias(const struct stage *st, const struct node *n)
{
	if (n->kind == NODE_STOP)
		return true;
	if ((n->kind != NODE_CONTRACT && n->kind != NODE_TO) || n->place != n->in[0]->place)
		return false;
	if (st->notes[n->in[0]->id].is_free || st->notes[n->in[0]->id].is_pending)
		return !target_is_given(n);
	return layout_equal(n->place, &n->layout, &n->in[0]->layout);
}

static bool inputs_are_free(const struct stage *st, const struct node *n)
{
	for (int i = 0; i < n->nin; i++)
		if (!st->notes[n->in[i]->id].is_free)
			return false;
	return true;
}

static bool node_is_free(const struct stage *st, const struct node *n)
{
	switch (n->kind) {
	case NODE_SLOT:
		return false;
	case NODE_DATA:
	case NODE_HOST:
	case NODE_CONST:
	case NODE_TURN:
		return true;
	case NODE_MAP:
	case NODE_RESHAPE:
	case NODE_CHECK:
	case NODE_FACTORS:
	case NODE_REMAT:
	case NODE_LINE:
	case NODE_STACK:
		return n->origin == ORIGIN_BACKWARD || inputs_are_free(st, n);
	case NODE_TO:
		if (target_is_given(n))
			return false;
		if (n->place != n->in[0]->place && n->origin == ORIGIN_BACKWARD)
			return true;
		return st->notes[n->in[0]->id].is_free;
	case NODE_CONTRACT:
		return !target_is_given(n) && st->notes[n->in[0]->id].is_free;
	case NODE_STOP:
	case NODE_END:
		return st->notes[n->in[0]->id].is_free;
	case NODE_CARRY:
		return n->origin == ORIGIN_BACKWARD || st->carried[n->id].is_free;
	case NODE_TANGENT:
	case NODE_RULED:
	case NODE_PULLED:
	case NODE_KINDS:
		break;
	}
	return false;
}

struct layout stage_seen(const struct stage *st, const struct node *n)
{
	return st->notes[n->id].is_free ? layout_broadcast() : n->layout;
}

bool stage_fits(const struct stage *st, const struct node *x, const struct layout *want)
{
	struct layout has = stage_seen(st, x);
	return layout_equal(x->place, &has, want) || layout_converts_freely(x->place, &x->shape, &has, want);
}

/* ---- the walk ---- */

/* Whether a split of rows by that axis is none of dimension 0 any more. */
static bool leaves_rows(const struct layout *l, const struct layout *out, int axis)
{
	const struct shard_atom *x = &l->atom[axis], *y = &out->atom[axis];
	return x->kind == SHARD_S && x->dim == 0 && (y->kind != SHARD_S || y->dim != 0);
}

/* Of rows that are cut into micro-batches rows stay split: [4, 6] becomes [1, 4, 6] for 4 micro-batches, and the split
 * would else go to the 4, as where one thing of 4 lines is meant; so may that of one of two axes. An axis of one rank
 * has all rows of each micro-batch; of several ranks each would have some micro-batches and nothing of others. */
static bool reshaped(const struct stage *st, const struct node *n, const struct layout *l, struct layout *out)
{
	bool leaves = false;
	*out = layout_broadcast();
	if (!reshape_layout(st->program->arena, n->place, &n->in[0]->shape, l, &n->shape, out))
		return false;
	for (int a = 0; a < n->place->naxes; a++)
		leaves = leaves || leaves_rows(l, out, a);
	if (!leaves || !n->shape.rank || !reshape_cuts(st->graph, n))
		return true;
	for (int a = 0; a < n->place->naxes; a++)
		if (leaves_rows(l, out, a) && n->place->extent[a] > 1)
			return false;
		else if (leaves_rows(l, out, a))
			out->atom[a] = l->atom[a];
	return true;
}

/* It can be had in what ways its input can, if what that splits survives. */
static bool infer_reshape(struct stage *st, struct node *n)
{
	const struct note *from = &st->notes[n->in[0]->id];
	struct note *note = &st->notes[n->id];
	note->want[0] = n->in[0]->layout;
	if (!reshaped(st, n, &n->in[0]->layout, &n->layout)) {
		error_reshape(st, n);
		return false;
	}
	for (int v = 0; v < VIEWS; v++)
		note->has[v] = from->has[v] && reshaped(st, n, &from->view[v], &note->view[v]);
	return true;
}

static bool infer_factors(struct stage *st, struct node *n)
{
	n->layout = n->in[0]->layout;
	st->notes[n->id].want[0] = n->layout;
	if (factors_take(n, &n->layout))
		return true;
	n->layout = layout_broadcast();
	error_factors(st, n);
	return false;
}

static bool infer_slot(struct stage *st, struct node *n)
{
	struct slot *s = st->program->slots.at[n->slot];
	if (!s->is_laid_out) /* read before anything was kept in it */
		s->laid_out = layout_broadcast();
	s->is_laid_out = true;
	n->layout = s->laid_out;
	return !st->slot_poisoned || !st->slot_poisoned[n->slot];
}

/* ---- loops ---- */

/* A line of a tensor can be had as the tensor can. */
static void find_views_of_line(struct stage *st, const struct node *n)
{
	const struct note *from = &st->notes[n->in[0]->id];
	struct note *note = &st->notes[n->id];
	for (int v = 0; v < VIEWS && n->nin == 1; v++)
		note->has[v] = from->has[v] && layout_of_line(n->place, &from->view[v], &note->view[v]);
}

/* Of several tensors: all alike, or at least to be had so. Lines that several ranks have between them are parts: which
 * of them has one is another turn by turn. */
static bool infer_line(struct stage *st, struct node *n)
{
	bool fitting = false, alike = true;
	for (int i = 0; i < n->nin && !fitting; i++) {
		struct layout whole = stage_seen(st, n->in[i]);
		fitting = n->nin > 1 || layout_of_line(n->place, &whole, &n->layout);
		for (int k = 0; k < n->nin; k++) {
			struct layout has = stage_seen(st, n->in[k]);
			alike = alike && layout_equal(n->place, &has, &whole);
			fitting = fitting && stage_fits(st, n->in[k], &whole);
			st->notes[n->id].want[k] = whole;
		}
		if (n->nin > 1)
			n->layout = whole;
	}
	if ((!alike || !fitting) && stage_can_unroll(st, n->of))
		stage_unroll(st, n->of, n->span,
			     alike ? "lines are split among ranks"
				   : "the tensors that turns read are laid out differently");
	find_views_of_line(st, n);
	if (fitting)
		return true;
	n->layout = layout_broadcast();
	if (!st->must_unroll)
		error_lines(st, n);
	return st->must_unroll;
}

static bool infer_stack(struct stage *st, struct node *n)
{
	n->layout = layout_of_lines(n->place, &n->in[0]->layout);
	st->notes[n->id].want[0] = n->in[0]->layout;
	return true;
}

static bool infer_carried(struct stage *st, struct node *n)
{
	n->layout = st->carried[n->kind == NODE_END ? n->in[0]->id : n->id].layout;
	for (int i = 0; i < n->nin; i++)
		st->notes[n->id].want[i] = n->layout;
	return true;
}

static bool infer_fixed(struct stage *st, struct node *n)
{
	switch (n->kind) {
	case NODE_SLOT:
		return infer_slot(st, n);
	case NODE_MAP:
		return infer_map(st, n);
	case NODE_RESHAPE:
		return infer_reshape(st, n);
	case NODE_CONTRACT:
		return infer_contract(st, n);
	case NODE_TO:
		return infer_to(st, n);
	case NODE_FACTORS:
		return infer_factors(st, n);
	case NODE_CHECK: /* a part is refused by what is indexed */
	case NODE_STOP:
	case NODE_REMAT:
		n->layout = n->in[0]->layout;
		st->notes[n->id].want[0] = n->layout;
		if (n->kind == NODE_STOP)
			infer_views_through(st, n);
		return true;
	case NODE_LINE:
		return infer_line(st, n);
	case NODE_STACK:
		return infer_stack(st, n);
	case NODE_CARRY:
	case NODE_END:
		return infer_carried(st, n);
	case NODE_DATA:
	case NODE_HOST:
	case NODE_CONST:
	case NODE_TURN:
	case NODE_TANGENT:
	case NODE_RULED:
	case NODE_PULLED:
	case NODE_KINDS:
		break;
	}
	return true;
}

static bool is_poisoned(const struct stage *st, const struct node *n)
{
	for (int i = 0; i < n->nin; i++)
		if (st->notes[n->in[i]->id].poisoned)
			return true;
	return false;
}

static bool cuts_are_written(const struct stage *st, const struct node *n)
{
	if (n->kind == NODE_SLOT)
		return st->program->slots.at[n->slot]->layout.form == LAYOUT_GIVEN;
	return (n->kind == NODE_TO || n->kind == NODE_CONTRACT) && n->target->layout.form == LAYOUT_GIVEN;
}

void stage_infer_node(struct stage *st, struct node *n)
{
	struct note *note = &st->notes[n->id];
	int before = st->session->errors;
	note->want = ARENA_ARRAY(st->arena, struct layout, n->nin);
	note->is_free = node_is_free(st, n);
	note->poisoned = is_poisoned(st, n);
	n->layout = layout_broadcast();
	note->is_pending = note->serves = note->is_viewed = note->is_opened = false;
	memset(note->has, 0, sizeof note->has);
	if (!note->poisoned && !note->is_free)
		note->poisoned = stage_refuses_pending(st, n) || !infer_fixed(st, n);
	note->is_alias = !note->poisoned && is_alias(st, n);
	if (!note->is_free && cuts_are_written(st, n)) /* free values may be cut so, and helps offer it */
		place_note_cuts(st->program->arena, st->program->places.at[n->place->id], &n->layout, NULL);
	if (st->tries && st->tries[n->id])
		st->errors_tried += st->session->errors - before;
}

/* ---- outputs ---- */

static struct layout slot_layout(const struct slot *s)
{
	return s->is_laid_out ? s->laid_out : layout_broadcast();
}

/* A value that is kept gives its slot the layout, unless an earlier one did. Free values are kept whole. */
static void settle_slot(struct stage *st, const struct output *o, struct slot *s)
{
	if (s->is_laid_out || s->slot_class != SLOT_VALUE)
		return;
	s->laid_out = stage_seen(st, o->node);
	s->is_laid_out = true;
	s->layout.span = o->node->span.file ? o->node->span : o->span;
}

static bool infer_slot_output(struct stage *st, const struct output *o, struct layout *want)
{
	struct slot *s = st->program->slots.at[o->index];
	settle_slot(st, o, s);
	*want = slot_layout(s);
	if (st->slot_poisoned && st->slot_poisoned[o->index])
		return true;
	if (o->node->origin == ORIGIN_BACKWARD || stage_fits(st, o->node, want))
		return true;
	error_slot(st, o, s, s->slot_class == SLOT_VALUE ? s->layout.span : s->span);
	return false;
}

bool stage_infer_output(struct stage *st, const struct output *o, struct layout *want)
{
	*want = stage_seen(st, o->node);
	if (st->notes[o->node->id].poisoned)
		return false;
	if (st->notes[o->node->id].is_pending) {
		error_window(st, o->node, NULL);
		return false;
	}
	if (o->kind == OUTPUT_SLOT)
		return infer_slot_output(st, o, want);
	if (!layout_has_partial(o->node->place, want))
		return true;
	error_host(st, o);
	return false;
}

struct marking {
	struct stage *st;
	VEC(const struct node *) under_way;
};

static void need(struct marking *m, const struct node *n)
{
	if (!n || m->st->notes[n->id].is_live)
		return;
	m->st->notes[n->id].is_live = true;
	vec_push(m->st->arena, &m->under_way, n);
}

static void mark_live(struct stage *st)
{
	const struct graph *g = st->graph;
	struct marking m = {.st = st};
	for (int i = 0; i < g->outputs.n; i++)
		need(&m, g->outputs.at[i].node);
	while (m.under_way.n) {
		const struct node *n = m.under_way.at[--m.under_way.n];
		for (int k = 0; k < n->nin; k++)
			need(&m, n->in[k]);
		if (n->kind == NODE_CARRY)
			need(&m, st->ends[n->id]);
		for (int k = 0; n->of && loop_asked(n->of, k); k++)
			need(&m, *loop_asked(n->of, k));
	}
}

/* How the program's own values are cut, slices of them too, free values of the same extents may be, and the same slices
 * where they are opened. */
static void note_cuts(struct stage *st)
{
	const struct graph *g = st->graph;
	for (int id = 0; id < g->nodes.n; id++) {
		const struct node *n = g->nodes.at[id];
		const struct note *note = &st->notes[id];
		if (note->is_free || !note->is_live)
			continue;
		struct place *p = st->program->places.at[n->place->id];
		place_note_cuts(st->program->arena, p, &n->layout, &n->shape);
		for (int i = 0; i < n->nin; i++)
			if (n->in[i]->place == n->place)
				place_note_cuts(st->program->arena, p, &note->want[i], &n->in[i]->shape);
	}
}

/* Loops that are uneven: the program is what they mean turn by turn. */
static void unroll(struct stage *st)
{
	graph_unroll_marked(st->graph, st->is_uneven);
	st->must_unroll = false;
	stage_renew(st);
}

bool stage_infer(struct stage *st)
{
	struct session *s = st->session;
	int before = s->errors, diags = s->diags.n;
	for (stage_infer_nodes(st, NULL, 0); st->must_unroll; stage_infer_nodes(st, NULL, 0)) {
		s->errors = before;
		s->diags.n = diags;
		unroll(st);
	}
	for (int i = 0; i < st->graph->outputs.n; i++)
		st->output_poisoned[i] = !stage_infer_output(st, &st->graph->outputs.at[i], &st->output_want[i]);
	for (int i = 0; i < st->graph->nodes.n; i++)
		if (st->notes[i].poisoned)
			return false;
	mark_live(st);
	if (s->errors > before)
		return false;
	note_cuts(st);
	stage_bring_rows(st);
	stage_open_windows(st);
	return true;
}
