/* infer_target.c — what the source declares: contracts of parameters and results, which nothing is moved to satisfy,
 * and `to`. A layout parameter stands for what the first value that it meets has. */
#include "infer.h"

#include "../program.h"
#include "choice.h"
#include "errors.h"

#include <string.h>

/* A gradient's contract: where no layout is written, it is that of what the gradient is of. */
static bool follows_forward(const struct node *n)
{
	return n->kind == NODE_CONTRACT && n->origin == ORIGIN_BACKWARD && n->target->layout.form == LAYOUT_INFER &&
	       n->forward && n->forward->place == n->place && n->forward->kind == NODE_SLOT;
}

bool stage_is_written(const struct node *n)
{
	return n->target->layout.form == LAYOUT_GIVEN || n->target->layout.form == LAYOUT_VAR;
}

bool target_is_given(const struct node *n)
{
	return stage_is_written(n) || follows_forward(n);
}

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
	if (n->origin == ORIGIN_BACKWARD || stage_fits(st, n->in[0], want) || takes_parts(st, n->in[0], want))
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

void infer_views_through(struct stage *st, const struct node *n)
{
	const struct note *from = &st->notes[n->in[0]->id];
	memcpy(st->notes[n->id].has, from->has, sizeof from->has);
	memcpy(st->notes[n->id].view, from->view, sizeof from->view);
}

bool infer_contract(struct stage *st, struct node *n)
{
	struct layout has = stage_seen(st, n->in[0]), want = has;
	if (!target_is_given(n)) {
		n->layout = has;
		st->notes[n->id].want[0] = has;
		infer_views_through(st, n);
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
	if (layout_open(n->place, &want) >= 0) /* of a gradient; what depends on it is not judged yet */
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

/* A transfer reads what is there; from a free value on the same ranks the wanted layout is had at once. */
void infer_want_of_to(struct stage *st, const struct node *n)
{
	const struct node *x = n->in[0];
	bool moves_freely = st->notes[x->id].is_free || st->notes[x->id].is_pending || n->origin == ORIGIN_BACKWARD;
	st->notes[n->id].want[0] = moves_freely && x->place == n->place ? n->layout : stage_seen(st, x);
	st->notes[n->id].is_open = moves_freely && x->place != n->place;
}

bool infer_to(struct stage *st, struct node *n)
{
	const struct node *x = n->in[0];
	struct layout has = stage_seen(st, x);
	if (layout_open(n->place, &n->target->layout.layout) >= 0) /* what depends on it is not judged yet */
		return false;
	n->layout = layout_carried_over(x->place, &has, n->place);
	if (n->target->layout.form == LAYOUT_FINISH)
		n->layout = layout_finished(n->place, &n->layout);
	if (target_is_given(n) && !target_layout(st, n, n->layout, &n->layout))
		return false;
	infer_want_of_to(st, n);
	return true;
}
