/* infer.c — the layouts of the program's own nodes, from the first to the last. Each map takes the signature that its
 * operands fit, where an operand may be converted without a byte moved; the fewest conversions win, then the order of
 * signatures. Declared layouts are checked, nothing is moved to satisfy them. Free values (data, constants, gradients)
 * fit like a B: what is wanted of them is noted and left to solve.c. What is carried from turn to turn comes from
 * infer_loop.c. Example: x:S(0) @ w:B -> S(0);  x:S(1) @ w:B slices w -> P(sum);  x:S(0) @ w:S(1) is an error with two
 * helps. */
#include "../graph/known.h"
#include "choice.h"
#include "errors.h"

#include "../program.h"

#include <string.h>

/* ---- kinds of nodes ---- */

/* A gradient's contract: where no layout is written, it is that of what the gradient is of. */
static bool follows_forward(const struct node *n)
{
	return n->kind == NODE_CONTRACT && n->origin == ORIGIN_BACKWARD && n->target->layout.form == LAYOUT_INFER &&
	       n->forward && n->forward->place == n->place && n->forward->kind == NODE_SLOT;
}

static bool is_given(const struct node *n)
{
	enum layout_form form = n->target->layout.form;
	return form == LAYOUT_GIVEN || form == LAYOUT_VAR || follows_forward(n);
}

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
		return !is_given(n);
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
	case NODE_REMAT:
	case NODE_LINE:
	case NODE_STACK:
		return n->origin == ORIGIN_BACKWARD || inputs_are_free(st, n);
	case NODE_TO:
		if (is_given(n))
			return false;
		if (n->place != n->in[0]->place && n->origin == ORIGIN_BACKWARD)
			return true;
		return st->notes[n->in[0]->id].is_free;
	case NODE_CONTRACT:
		return !is_given(n) && st->notes[n->in[0]->id].is_free;
	case NODE_STOP:
	case NODE_END:
		return st->notes[n->in[0]->id].is_free;
	case NODE_CARRY:
		return n->origin == ORIGIN_BACKWARD || st->carried[n->id].is_free;
	case NODE_KINDS:
		break;
	}
	return false;
}

struct layout stage_seen(const struct stage *st, const struct node *n)
{
	return st->notes[n->id].is_free ? layout_broadcast() : n->layout;
}

static bool fits(const struct stage *st, const struct node *x, const struct layout *want)
{
	struct layout has = stage_seen(st, x);
	return layout_equal(x->place, &has, want) || layout_converts_freely(x->place, &x->shape, &has, want);
}

/* ---- maps and reshapes ---- */

static bool is_last(const struct stage *st)
{
	return st->session->options.last_choice;
}

static struct layout seen_as(const struct stage *st, const struct node *n, enum view view)
{
	return st->notes[n->id].has[view] ? st->notes[n->id].view[view] : stage_seen(st, n);
}

/* Equal rules over operands of equal layouts are computed alike: layers are looked at once. */
struct inferred {
	const struct rule *rule, *known; /* interned; with the numbers among the inputs */
	const struct place *place;
	struct layout has[MAX_OPERANDS];
	const struct choice *choice;
	enum view view;
	enum reach reach;
	struct inferred *next; /* with the same hash */
};

static uint64_t hash_of(const struct node *n, const struct rule *known, const struct layout *has)
{
	uint64_t h = hash_number(hash_number(HASH_SEED, (uintptr_t)known), (uintptr_t)n->place);
	for (int i = 0; i < n->nin; i++)
		for (int a = 0; a < n->place->naxes; a++)
			h = hash_number(h, (uint64_t)has[i].atom[a].kind << 16 |
						   (uint64_t)has[i].atom[a].combiner << 8 |
						   (uint8_t)has[i].atom[a].dim);
	return h;
}

static bool is_like(const struct inferred *x, const struct node *n, const struct rule *known, const struct layout *has,
		    enum view view)
{
	bool same = x->view == view && x->rule == n->rule && x->known == known && x->place == n->place;
	for (int i = 0; i < n->nin && same; i++)
		same = layout_equal(n->place, &x->has[i], &has[i]);
	return same;
}

static bool is_chosen(const struct choice *known, const struct node *n, const struct choice *found)
{
	return known && found ? choice_equal(n, n->place, known, found) : known == found;
}

/* The best choice for operands seen in one of the ways that there are. */
static const struct choice *choice_of(struct stage *st, const struct node *n, enum view view, enum reach *reach)
{
	struct layout has[MAX_OPERANDS];
	for (int i = 0; i < n->nin; i++)
		has[i] = seen_as(st, n->in[i], view);
	const struct rule *known = rule_of_known(n->rule, n->in);
	uint64_t h = hash_of(n, known, has);
	struct inferred *first = map_get_u64(&st->inferred, h);
	for (const struct inferred *x = first; x; x = x->next)
		if (is_like(x, n, known, has, view)) {
			BUG_IF(st->session->options.verify_each &&
				       !is_chosen(x->choice, n,
						  choice_best(st->inferred.arena, n, has, view, is_last(st), reach)),
			       "the memo of layout/infer.c: node %%%d is not computed like the one it was taken for",
			       n->id);
			*reach = x->reach;
			return x->choice;
		}
	struct inferred *fresh = ARENA_NEW(st->inferred.arena, struct inferred); /* outlives a trial (trial.c) */
	*fresh = (struct inferred){.rule = n->rule, .known = known, .place = n->place, .view = view, .next = first};
	const struct choice *best = choice_best(st->inferred.arena, n, has, view, is_last(st), reach);
	fresh->choice = choice_keep(st->program->arena, n, best); /* how nodes are cut outlives the stage */
	fresh->reach = *reach;
	memcpy(fresh->has, has, sizeof *has * (size_t)n->nin);
	map_set_u64(&st->inferred, h, fresh);
	return fresh->choice;
}

static bool reads_view(const struct stage *st, const struct node *n, enum view view)
{
	for (int i = 0; i < n->nin; i++)
		if (st->notes[n->in[i]->id].has[view])
			return true;
	return false;
}

/* What is read so becomes free: the solver makes it in whatever ways are wanted. */
static const struct choice *take_view(struct stage *st, const struct node *n, enum view view, const struct choice *c)
{
	for (int i = 0; c && i < n->nin; i++)
		st->notes[n->in[i]->id].is_viewed |= st->notes[n->in[i]->id].has[view];
	return c;
}

/* Slices that are cut at different places, x[1..9] - x[0..8], meet in parts if the map is linear. */
static const struct choice *choice_of_parts(struct stage *st, const struct node *n, enum reach *reach)
{
	enum reach own = *reach;
	const struct choice *c = reads_view(st, n, VIEW_PARTS) ? choice_of(st, n, VIEW_PARTS, reach) : NULL;
	*reach = c ? *reach : own;
	return take_view(st, n, VIEW_PARTS, c);
}

/* What slices and convolutions of split values give is taken split as well: x[0..8] * x[1..9]. Then it is pending. */
static const struct choice *choice_apart(struct stage *st, const struct node *n, enum reach *reach)
{
	bool in_place = reads_view(st, n, VIEW_APART);
	for (int i = 0; i < n->nin; i++)
		in_place &= !st->notes[n->in[i]->id].has[VIEW_APART] || stage_takes_in_place(n, i);
	const struct choice *c = in_place ? take_view(st, n, VIEW_APART, choice_of(st, n, VIEW_APART, reach)) : NULL;
	if (c)
		*reach = REACH_HALO;
	return c;
}

static void find_view(struct stage *st, const struct node *n, enum view view)
{
	struct note *note = &st->notes[n->id];
	enum reach reach;
	const struct choice *c = choice_of(st, n, view, &reach);
	note->has[view] = c && !layout_equal(n->place, &c->out, &n->layout) &&
			  (view != VIEW_PARTS || layout_has_partial(n->place, &c->out));
	if (c)
		note->view[view] = c->out;
}

/* The ways beside that in which it was inferred. */
static void find_views(struct stage *st, const struct node *n, enum reach reach)
{
	bool parts = layout_has_partial(n->place, &n->layout);
	if (!parts && (reach == REACH_SLICE || reads_view(st, n, VIEW_PARTS)))
		find_view(st, n, VIEW_PARTS);
	if (reach == REACH_SLICE || (parts && st->notes[n->id].serves) || reads_view(st, n, VIEW_APART))
		find_view(st, n, VIEW_APART);
}

static bool infer_map(struct stage *st, struct node *n)
{
	struct note *note = &st->notes[n->id];
	enum reach reach;
	const struct choice *c = choice_of(st, n, VIEW_OWN, &reach);
	const struct choice *parts = c && reach != REACH_HALO ? NULL : choice_of_parts(st, n, &reach);
	c = parts ? parts : c ? c : choice_apart(st, n, &reach);
	note->fetches = c && reach == REACH_HALO && stage_is_assigned(st, n);
	note->is_pending |= reach == REACH_HALO && !note->fetches;
	if (!c) {
		error_operands(st, n);
		return false;
	}
	n->layout = c->out;
	note->serves = choice_serves(n, c) || choice_has_window(n, c) || parts;
	find_views(st, n, reach);
	for (int i = 0; i < n->nin; i++)
		note->want[i] = c->in[i];
	return true;
}

static bool infer_reshape(struct stage *st, struct node *n)
{
	n->layout = layout_broadcast();
	st->notes[n->id].want[0] = n->in[0]->layout;
	if (reshape_layout(n->place, &n->in[0]->shape, &n->in[0]->layout, &n->shape, &n->layout))
		return true;
	error_reshape(st, n);
	return false;
}

/* ---- targets ---- */

static bool check_dimensions(struct stage *st, const struct node *n, const struct layout *l)
{
	for (int a = 0; a < n->place->naxes; a++) {
		if (l->atom[a].kind != SHARD_S || (l->atom[a].dim >= 0 && l->atom[a].dim < n->shape.rank))
			continue;
		struct span at = n->target->layout.span.file ? n->target->layout.span : n->span;
		const char *what = n->kind == NODE_CONTRACT ? n->target->what
				   : n->name                ? arena_printf(st->arena, "`%s`", n->name)
							    : NULL;
		error_dimension(st->session, st->arena, at, what, n->dtype, &n->shape, l->atom[a].dim, n->call);
		return false;
	}
	return true;
}

/* What a layout parameter on one axis stands for: what the first value it meets has there. */
static struct shard_atom atom_bound(struct stage *st, const struct node *n, int v, struct shard_atom has)
{
	struct bound *var = &st->vars[v];
	if (!var->is_bound) {
		*var = (struct bound){true, n->place, layout_broadcast(), n->span, NULL};
		var->layout.atom[0] = has;
	}
	return var->layout.atom[0];
}

/* Whether the target names a layout parameter that nothing has been bound to yet. */
static bool binds_variable(const struct stage *st, const struct node *n)
{
	int named[MAX_AXES];
	for (int k = layout_variables(n->place, &n->target->layout, named) - 1; k >= 0; k--)
		if (!st->vars[named[k]].is_bound)
			return true;
	return false;
}

/* A part passes where the signature says so, not where a parameter stands. */
static bool binds_part(const struct node *n, const struct layout *want)
{
	for (int a = 0; a < n->place->naxes; a++)
		if (atom_variable(n->target->layout.layout.atom[a]) >= 0 && want->atom[a].kind == SHARD_P)
			return true;
	return false;
}

/* The layout a target asks for. A layout parameter takes the layout of the first value it meets. */
static bool target_layout(struct stage *st, struct node *n, struct layout has, struct layout *out)
{
	if (follows_forward(n)) {
		*out = n->forward->layout;
		return true;
	}
	*out = n->target->layout.layout;
	if (n->target->layout.form == LAYOUT_GIVEN) {
		for (int a = 0; a < n->place->naxes; a++)
			if (atom_variable(out->atom[a]) >= 0)
				out->atom[a] = atom_bound(st, n, atom_variable(out->atom[a]), has.atom[a]);
		*out = layout_fitted(out, n->place);
		return check_dimensions(st, n, out);
	}
	struct bound *var = &st->vars[n->target->layout.var];
	if (!var->is_bound) {
		*var = (struct bound){true, n->place, has, n->span, n->kind == NODE_CONTRACT ? n->target->what : NULL};
		*out = has;
		return true;
	}
	if (var->place->naxes != n->place->naxes) {
		error_variable_place(st, n, var);
		return false;
	}
	*out = layout_fitted(&var->layout, n->place);
	return check_dimensions(st, n, out);
}

/* Slices that are declared parts are had so: on one rank, too, where all are cut alike. */
static bool takes_parts(struct stage *st, const struct node *x, const struct layout *want)
{
	struct note *note = &st->notes[x->id];
	if (!note->has[VIEW_PARTS] || !layout_equal(x->place, &note->view[VIEW_PARTS], want))
		return false;
	note->is_viewed = true;
	return true;
}

static bool takes(struct stage *st, const struct node *n, const struct layout *has, const struct layout *want)
{
	if (n->origin == ORIGIN_BACKWARD || fits(st, n->in[0], want) || takes_parts(st, n->in[0], want))
		return true;
	if (n->target->layout.form == LAYOUT_VAR)
		error_variable(st, n, has, &st->vars[n->target->layout.var]);
	else
		error_contract(st, n, has, want);
	return false;
}

/* Contracts in front of the loop, whose layout parameters n has just bound. */
static void check_late(struct stage *st, const struct node *n)
{
	for (int i = 0; i < st->late.n && st->late.at[i]->id < n->id; i++) {
		struct node *x = st->late.at[i];
		struct layout has = x->layout, want;
		struct note *note = &st->notes[x->id];
		if (note->is_late && !note->poisoned && !binds_variable(st, x))
			note->poisoned = !target_layout(st, x, has, &want) || !takes(st, x, &has, &want);
	}
}

static void hand_on_views(struct stage *st, const struct node *n)
{
	const struct note *from = &st->notes[n->in[0]->id];
	memcpy(st->notes[n->id].has, from->has, sizeof from->has);
	memcpy(st->notes[n->id].view, from->view, sizeof from->view);
}

static bool infer_contract(struct stage *st, struct node *n)
{
	struct layout has = stage_seen(st, n->in[0]), want = has;
	if (!is_given(n)) {
		n->layout = has;
		st->notes[n->id].want[0] = has;
		hand_on_views(st, n);
		if (!layout_has_partial(n->place, &has))
			return true;
		error_boundary(st, n, &has);
		return false;
	}
	bool binds = binds_variable(st, n);
	st->notes[n->id].is_late = binds && stage_binds_late(st, n);
	if (st->notes[n->id].is_late) {
		n->layout = st->notes[n->id].want[0] = has;
		return true;
	}
	if (!target_layout(st, n, has, &want))
		return false;
	n->layout = st->notes[n->id].want[0] = want;
	if (binds && (n->target->layout.form == LAYOUT_VAR || binds_part(n, &want)) &&
	    layout_has_partial(n->place, &has)) {
		error_boundary(st, n, &has);
		return false;
	}
	if (binds)
		check_late(st, n);
	return takes(st, n, &has, &want);
}

static bool infer_to(struct stage *st, struct node *n)
{
	const struct node *x = n->in[0];
	struct layout has = stage_seen(st, x);
	if (layout_open(n->place, &n->target->layout.layout) >= 0) /* what depends on it is not judged yet */
		return false;
	n->layout = layout_carried_over(x->place, &has, n->place);
	if (n->target->layout.form == LAYOUT_FINISH)
		n->layout = layout_finished(n->place, &n->layout);
	if (is_given(n) && !target_layout(st, n, n->layout, &n->layout))
		return false;
	/* A transfer reads what is there; from a free value on the same ranks the wanted layout is had at once. */
	bool moves_freely = st->notes[x->id].is_free || st->notes[x->id].is_pending || n->origin == ORIGIN_BACKWARD;
	st->notes[n->id].want[0] = moves_freely && x->place == n->place ? n->layout : has;
	st->notes[n->id].is_open = moves_freely && x->place != n->place;
	return true;
}

/* ---- the walk ---- */

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
			fitting = fitting && fits(st, n->in[k], &whole);
			st->notes[n->id].want[k] = whole;
		}
		if (n->nin > 1)
			n->layout = whole;
	}
	if ((!alike || !fitting) && stage_can_unroll(n->of))
		stage_unroll(st, n->of, n->span,
			     alike ? "lines are split among ranks"
				   : "the tensors that turns read are laid out differently");
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
	case NODE_CHECK: /* a part is refused by what is indexed */
	case NODE_STOP:
	case NODE_REMAT:
		n->layout = n->in[0]->layout;
		st->notes[n->id].want[0] = n->layout;
		if (n->kind == NODE_STOP)
			hand_on_views(st, n);
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
	note->is_pending = note->serves = note->is_viewed = false;
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
	if (o->node->origin == ORIGIN_BACKWARD || fits(st, o->node, want))
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
		error_window(st, o->node);
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
	stage_open_windows(st);
	return true;
}
