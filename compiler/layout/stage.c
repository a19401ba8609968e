/* stage.c — the layout stage of a program: declared layouts of slots first, then region after region in program order,
 * so that a kept value's layout is known where it is read. A region with an error stays as it is and the others go on,
 * so that all errors are reported; what was to be kept from the wrong region is poisoned and silent. */
#include "stage.h"

#include "../compiler.h"
#include "errors.h"
#include "owners.h"
#include "trial.h"
#include "verify.h"

void stage_poison_slots(const struct stage *st, bool *slot_poisoned)
{
	for (int i = 0; slot_poisoned && i < st->graph->outputs.n; i++)
		if (st->graph->outputs.at[i].kind == OUTPUT_SLOT && st->output_poisoned[i])
			slot_poisoned[st->graph->outputs.at[i].index] = true;
}

bool stage_check_unplaced(struct session *s, const struct graph *g)
{
	bool ok = true;
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		if (n->place || (n->kind != NODE_TO && n->kind != NODE_CONTRACT) ||
		    n->target->layout.form == LAYOUT_INFER)
			continue;
		error_unplaced(s, n);
		ok = false;
	}
	return ok;
}

/* The operand of a user that a value is; -1: several are. */
static int operand_of(const struct stage *st, const struct node *user, const struct node *v)
{
	int found = -1;
	for (int i = 0; i < user->nin; i++) {
		if (stage_value(st, user->in[i]) != v)
			continue;
		if (found >= 0)
			return -1;
		found = i;
	}
	return found;
}

struct wanted stage_wanted(const struct stage *st, const struct node *v, const struct place *p, const struct node *user,
			   const struct layout *l, const struct layout *out)
{
	struct wanted w = {.layout = *l};
	bool may_add = user && user->kind == NODE_MAP && user->place == v->place && user->loop == v->loop;
	int moved = may_add ? operand_of(st, user, v) : -1;
	w.owning = moved < 0 ? 0 : owners_axes(user, moved, p, out);
	w.readers = w.owning != 0;
	return w;
}

bool stage_binds_late(const struct stage *st, const struct node *n)
{
	int named[MAX_AXES];
	for (int k = st->binders ? node_variables(n, named) - 1 : -1; k >= 0; k--)
		if (!loop_is_in(n->loop, st->binders[named[k]]->loop))
			return true;
	return false;
}

/* Of calls in loops: what is given from outside stands in front, whoever is first in the call. */
static void find_binders(struct stage *st)
{
	const struct graph *g = st->graph;
	int named[MAX_AXES];
	st->binders = ARENA_ARRAY(st->arena, struct node *, g->nlayout_vars);
	for (int i = 0; i < g->nodes.n && g->nlayout_vars; i++)
		for (int k = node_variables(g->nodes.at[i], named) - 1; k >= 0; k--) {
			struct node *n = g->nodes.at[i], **first = &st->binders[named[k]];
			*first = !*first || node_names_before(n, *first) ? n : *first;
		}
	for (int i = 0; i < g->nodes.n && g->nlayout_vars; i++)
		if (g->nodes.at[i]->kind == NODE_CONTRACT && stage_binds_late(st, g->nodes.at[i]))
			vec_push(st->arena, &st->late, g->nodes.at[i]);
}

void stage_renew(struct stage *st)
{
	const struct graph *g = st->graph;
	st->notes = ARENA_ARRAY(st->arena, struct note, g->nodes.n + TRIAL_PATCHES);
	st->vars = ARENA_ARRAY(st->arena, struct bound, g->nlayout_vars);
	st->binders = NULL;
	st->late.n = 0;
	if (!g->loops.n)
		return;
	find_binders(st);
	st->stacks_tapes = graph_stacks_tapes(g, st->arena);
	st->is_uneven = ARENA_ARRAY(st->arena, bool, g->loops.n);
	st->carried = ARENA_ARRAY(st->arena, struct carried, g->nodes.n);
	st->ends = graph_ends(g, st->arena);
}

void stage_init(struct stage *st, struct session *s, struct graph *g, const bool *slot_poisoned)
{
	*st = (struct stage){.session = s, .program = g->program, .graph = g, .arena = arena_new("layout")};
	stage_renew(st);
	st->output_want = ARENA_ARRAY(st->arena, struct layout, g->outputs.n);
	st->output_poisoned = ARENA_ARRAY(st->arena, bool, g->outputs.n);
	st->costs = convert_costs_new(st->arena, s->options.reproducible);
	st->slot_poisoned = slot_poisoned;
	map_init(&st->inferred, st->arena);
}

bool stage_layout(struct session *s, struct graph *g, bool *slot_poisoned, struct cost *backward)
{
	if (!stage_check_unplaced(s, g))
		return false;
	if (g->stage == GRAPH_LOGICAL)
		stage_place(g);
	struct stage st;
	stage_init(&st, s, g, slot_poisoned);
	bool ok = stage_infer(&st);
	if (ok) {
		stage_decide(&st, backward);
		g->is_exact = st.exact;
		stage_rebuild(&st);
		const char *wrong = layout_verify(g);
		BUG_IF(wrong, "after layout: %s", wrong);
	} else {
		stage_poison_slots(&st, slot_poisoned);
	}
	arena_free(st.arena);
	return ok;
}

/* The declared layout of a slot, or B. A kept value has none yet. */
static void lay_out_slot(struct program *p, struct slot *s, bool *poisoned)
{
	if (s->slot_class == SLOT_VALUE && s->layout.form != LAYOUT_GIVEN)
		return;
	s->is_laid_out = true;
	s->laid_out = layout_broadcast();
	*poisoned = s->layout.form == LAYOUT_GIVEN && layout_open(s->place, &s->layout.layout) >= 0;
	if (s->layout.form != LAYOUT_GIVEN)
		return;
	for (int a = 0; a < s->place->naxes; a++) {
		struct shard_atom atom = s->layout.layout.atom[a];
		if (atom.kind != SHARD_S || (atom.dim >= 0 && atom.dim < s->shape.rank))
			continue;
		struct span at = s->layout.span.file ? s->layout.span : s->span;
		error_dimension(p->session, p->arena, at, s->name ? arena_printf(p->arena, "`%s`", s->name) : NULL,
				s->dtype, &s->shape, atom.dim, NULL);
		*poisoned = true;
		return;
	}
	s->laid_out = layout_fitted(&s->layout.layout, s->place);
}

void stage_lay_out_slots(struct program *p, bool *poisoned)
{
	for (int i = 0; i < p->slots.n; i++)
		lay_out_slot(p, p->slots.at[i], &poisoned[i]);
}

void compiler_layout(struct program *p)
{
	bool *poisoned = ARENA_ARRAY(p->arena, bool, p->slots.n);
	stage_lay_out_slots(p, poisoned);
	for (int i = 0; i < p->regions.n; i++)
		stage_layout(p->session, p->regions.at[i]->graph, poisoned, NULL);
	for (int i = 0; i < p->slots.n; i++)
		p->slots.at[i]->is_laid_out = true;
}
