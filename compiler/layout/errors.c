/* errors.c — see errors.h: maps and reshapes, whose operands do not fit. The form is always: what is wrong and where it
 * is used, both types as a whole and per rank, why it is so, where it comes from, and what would make it right. */
#include "errors.h"

#include "../graph/known.h"
#include "choice.h"
#include "help.h"
#include "message.h"

#include <string.h>

enum { MAX_RULES_SHOWN = 6 };

/* ---- maps ---- */

/* Whether the operands, as `atoms` has them on an axis, fit a rule there; with `slices` those that are whole may be
 * sliced or taken as parts. */
static bool fits(const struct node *n, const struct shard_atom *atoms, bool slices)
{
	const struct signature *s;
	int count = signatures_of_known(n->rule, n->in, &s);
	for (int k = 0; k < count; k++) {
		bool all = true;
		struct shard_atom room[MAX_OPERANDS];
		struct signature cut = signature_cut(
			&s[k], n->rule, signature_cuts(&s[k], n->rule, atoms, (struct shard_atom){0}), room);
		for (int i = 0; all && i < n->nin; i++)
			all = (slices && atoms[i].kind == SHARD_B) || atom_equal(atoms[i], cut.operand[i]);
		if (all)
			return true;
	}
	return false;
}

static bool fits_as_it_is(struct stage *st, const struct node *n, int axis)
{
	struct shard_atom atoms[MAX_OPERANDS];
	for (int i = 0; i < n->nin; i++)
		atoms[i] = stage_seen(st, n->in[i]).atom[axis];
	return fits(n, atoms, false);
}

/* What is whole on an axis is sliced silently, but not inside a cut that an inner axis has made already. */
static void explain_nesting(struct stage *st, struct diag *d, const struct node *n)
{
	const struct place *p = n->place;
	for (int i = 0; i < n->nin; i++) {
		struct layout has = stage_seen(st, n->in[i]);
		const char *name = help_word(st->session, n, n->in[i]);
		for (int a = 0; a < p->naxes; a++)
			for (int b = a + 1; b < p->naxes && has.atom[a].kind == SHARD_B; b++) {
				if (has.atom[b].kind != SHARD_S || p->extent[a] < 2 || p->extent[b] < 2 ||
				    fits_as_it_is(st, n, a))
					continue;
				diag_note(
					d,
					"%s%s%s is cut over `%s`; cutting the same dimension over `%s` too would move "
					"elements, since the cut over the earlier axis comes first: a mesh that names "
					"`%s` "
					"before `%s` moves none",
					name ? "`" : "", name ? name : "an operand", name ? "`" : "", p->axis[b],
					p->axis[a], p->axis[b], p->axis[a]);
				return;
			}
	}
}

/* Whether the operands would fit if all splits of an axis were cut evenly. */
static bool fits_but_for_cuts(struct stage *st, const struct node *n, int axis)
{
	struct shard_atom atoms[MAX_OPERANDS];
	for (int i = 0; i < n->nin; i++) {
		atoms[i] = stage_seen(st, n->in[i]).atom[axis];
		atoms[i].shares = NULL;
	}
	return fits(n, atoms, true);
}

static const char *operand_word(struct stage *st, const struct node *n, int i, const char *nameless)
{
	const char *word = message_word(st, n, n->in[i]);
	return word ? arena_printf(st->session->arena, "`%s`", word) : nameless;
}

/* The first rank that has not the same numbers of both, in their words. */
static bool note_cuts(struct stage *st, struct diag *d, const struct node *n, int axis, int i, int k)
{
	struct layout has[2] = {stage_seen(st, n->in[i]), stage_seen(st, n->in[k])};
	const struct shape *shape[2] = {&n->in[i]->shape, &n->in[k]->shape};
	const int dim[2] = {has[0].atom[axis].dim, has[1].atom[axis].dim};
	for (int64_t at = 0; at < n->place->count; at++) {
		int64_t begin[2][MAX_RANK], end[2][MAX_RANK];
		for (int side = 0; side < 2; side++)
			layout_box(n->place, &has[side], shape[side], at, begin[side], end[side]);
		int64_t from[2] = {begin[0][dim[0]], begin[1][dim[1]]}, to[2] = {end[0][dim[0]], end[1][dim[1]]};
		if (from[0] == from[1] && to[0] == to[1])
			continue;
		diag_note(d,
			  "they are cut at different places: rank %d has %lld..%lld along dimension %d of %s and "
			  "%lld..%lld along dimension %d of %s",
			  (int)place_rank(n->place, at), (long long)from[0], (long long)to[0], dim[0],
			  operand_word(st, n, i, "one"), (long long)from[1], (long long)to[1], dim[1],
			  operand_word(st, n, k, "the other"));
		return true;
	}
	return false;
}

static bool explain_cuts(struct stage *st, struct diag *d, const struct node *n)
{
	for (int a = 0; a < n->place->naxes; a++) {
		if (fits_as_it_is(st, n, a) || !fits_but_for_cuts(st, n, a))
			continue;
		for (int i = 0; i < n->nin; i++)
			for (int k = i + 1; k < n->nin; k++) {
				struct shard_atom x = stage_seen(st, n->in[i]).atom[a],
						  y = stage_seen(st, n->in[k]).atom[a];
				if (x.kind == SHARD_S && y.kind == SHARD_S && !cuts_equal(x, y) &&
				    note_cuts(st, d, n, a, i, k))
					return true;
			}
	}
	return false;
}

static void explain(struct stage *st, struct diag *d, const struct node *n)
{
	if (explain_cuts(st, d, n))
		return;

	struct rule as_called = *rule_of_known(n->rule, n->in);
	as_called.name = help_sign(st->session, n);
	struct shard_atom atoms[MAX_OPERANDS];
	const char *names[MAX_OPERANDS];
	for (int i = 0; i < n->nin; i++)
		names[i] = message_word(st, n, n->in[i]);
	for (int a = 0; a < n->place->naxes; a++) {
		for (int i = 0; i < n->nin; i++)
			atoms[i] = stage_seen(st, n->in[i]).atom[a];
		const char *why = fits(n, atoms, true) ? NULL
						       : rule_explain(st->session->arena, &as_called, n->names_factors,
								      atoms, names);
		if (why) {
			bool at[MAX_AXES] = {[0] = false};
			at[a] = true;
			const char *axis = help_axes(st->session->arena, n->place, "on", at);
			diag_note(d, "%s%s%s", *axis ? axis + 1 : "", *axis ? ": " : "", why);
			return;
		}
	}
	explain_nesting(st, d, n);
}

static void note_rules(struct stage *st, struct diag *d, const struct node *n)
{
	const struct signature *s;
	int count = rule_signatures(st->arena, n->rule, &s);
	struct text t;
	text_init(&t, st->session->arena);
	for (int i = 0; i < count && i < MAX_RULES_SHOWN; i++) {
		text_add(&t, i ? "; " : "");
		signature_print(&t, n->rule, &s[i]);
	}
	if (count > MAX_RULES_SHOWN)
		text_add(&t, "; …");
	const char *sign = help_sign(st->session, n);
	if (n->in_library && strcmp(sign, n->rule->name) && strcmp(sign, "="))
		diag_note(d, "`%s`, which `%s` calls, can be computed with %s", n->rule->name, sign, text_get(&t));
	else
		diag_note(d, "`%s` can be computed with %s", sign, text_get(&t));
}

/* Whether any choice takes operand i as it is. */
static bool operand_is_usable(struct stage *st, const struct node *n, int i)
{
	struct layout has = stage_seen(st, n->in[i]);
	struct choice *c;
	int count = choices_of(st->arena, n, &c);
	for (int k = 0; k < count; k++)
		if (layout_equal(n->place, &has, &c[k].in[i]) ||
		    layout_converts_freely(n->place, &n->in[i]->shape, &has, &c[k].in[i]))
			return true;
	return false;
}

static void error_unfinished(struct stage *st, const struct node *n, int i)
{
	struct session *s = st->session;
	const struct node *x = n->in[i];
	struct layout has = stage_seen(st, x);
	struct span used;
	bool found = help_site(s, n, x, &used) && used.file;
	const char *name = help_name(s, x, found ? used : (struct span){0});
	if (!found)
		used = n->span;
	struct diag *d = diag_error(s, PML0307, used, "%s is an unfinished %s and cannot be used by `%s`", name,
				    message_partial_text(st->session->arena, x->place, &has), help_sign(s, n));
	diag_primary(d, "%s", help_type(s->arena, x, &has));
	message_label_origin(st, d, x, used);
	message_label_calls(d, n->call);
	explain(st, d, n);
	note_served(st, d, x);
	help_operands(st, d, n, true);
}

/* Two operands that are both P where one might be. */
static bool both_partial(struct stage *st, const struct node *n)
{
	int partial = 0;
	for (int i = 0; i < n->nin; i++) {
		struct layout has = stage_seen(st, n->in[i]);
		partial += layout_has_partial(n->place, &has);
	}
	return partial > 1;
}

/* Whether there is but one value, read once or several times. */
static bool is_of_one_value(const struct node *n)
{
	for (int i = 1; i < n->nin; i++)
		if (n->in[i] != n->in[0])
			return false;
	return n->nin > 0;
}

static struct diag *do_not_fit(struct session *s, const struct node *n)
{
	struct span at;
	if (!is_of_one_value(n))
		return diag_error(s, PML0304, n->span, "the operands of `%s` have layouts that do not fit together",
				  help_sign(s, n));
	bool found = help_site(s, n, n->in[0], &at);
	return diag_error(s, PML0304, n->span, "`%s` does not take %s in this layout", help_sign(s, n),
			  found ? help_name(s, n->in[0], at) : "its operand");
}

/* Whether something was said about operands at the call of the library that n stands in: one message says what the call
 * does not take. While a help is tried all of them count. */
static bool is_told(const struct stage *st, const struct node *n)
{
	const struct session *s = st->session;
	for (int i = 0; n->in_library && !st->is_trial && i < s->diags.n; i++) {
		const struct diag *d = s->diags.at[i];
		bool of_operands = d->code == PML0304 || d->code == PML0307 || d->code == PML0308;
		if (of_operands && message_same_place(d->primary.span, n->span))
			return true;
	}
	return false;
}

static void help_fetch(struct stage *st, struct diag *d, const struct node *n)
{
	if (st->is_trial)
		return;
	const char *layout = help_layout(st->session->arena, n->place, &n->layout);
	diag_help(d, "%sfetch what lies around the shards: `to %s` behind it", d->helps.n ? "or " : "", layout);
	help_edit(st, d, n->span, layout);
}

/* A column beside a row, [n, 1] - [n], is a matrix: mostly not what was meant. */
static void note_stretched(struct stage *st, struct diag *d, const struct node *n)
{
	for (int i = 0; i < n->nin; i++) {
		struct span at;
		if (message_operand(st, n, i) == n->in[i])
			continue;
		help_site(st->session, n, n->in[i], &at);
		diag_note(d, "a dimension of extent 1, as %s has one, fits any: the result is %s",
			  help_name(st->session, n->in[i], at), help_type(st->session->arena, n, NULL));
		return;
	}
}

/* ends: behind that a `to` would fetch what lies around the shards; NULL: nowhere. */
static void tell_operands(struct stage *st, const struct node *n, const struct node *ends)
{
	struct session *s = st->session;
	if (is_told(st, n))
		return;
	for (int i = 0; i < n->nin; i++) {
		struct layout has = stage_seen(st, n->in[i]);
		if (layout_has_partial(n->place, &has) && !operand_is_usable(st, n, i)) {
			error_unfinished(st, n, i);
			return;
		}
	}
	bool parts = both_partial(st, n);
	struct diag *d = parts ? diag_error(s, PML0308, n->span, "`%s` of two unfinished values", help_sign(s, n))
			       : do_not_fit(s, n);
	for (int i = 0; i < (is_of_one_value(n) ? 1 : n->nin); i++)
		if (!st->notes[n->in[i]->id].is_free)
			message_label_operand(st, d, n, i);
	message_label_calls(d, n->call);
	note_stretched(st, d, n);
	explain(st, d, n);
	for (int i = 0; i < n->nin; i++)
		note_served(st, d, n->in[i]);
	if (!parts)
		note_rules(st, d, n);
	message_note_splits(s, d, n);
	bool first = is_of_one_value(n) || ends != n; /* what else would do moves all of that, or does for n alone */
	if (ends && first)
		help_fetch(st, d, ends);
	help_operands(st, d, n, parts);
	if (ends && !first)
		help_fetch(st, d, ends);
}

void error_operands(struct stage *st, const struct node *n)
{
	tell_operands(st, n, NULL);
}

/* A `to` behind x, what is computed of what reads around shards, would fetch that, unless who takes no such value
 * stands in the same call of the library. That of an assignment stands behind rows, which have the dimensions of what
 * they are put into. */
static bool may_be_fetched(struct session *s, const struct node *reads, const struct node *x, const struct node *user)
{
	bool inside = user && user->in_library && x->in_library && message_same_place(user->span, x->span);
	const struct node *rows = stage_rows_put(reads);
	return !inside && (strcmp(help_sign(s, reads), "=") != 0 || (rows && rows->shape.rank == reads->shape.rank));
}

void error_window(struct stage *st, const struct node *x, const struct node *user)
{
	const struct node *reads = x;
	for (int i = 0; i < reads->nin; i++)
		if (st->notes[reads->in[i]->id].is_pending) {
			reads = reads->in[i];
			i = -1;
		}
	tell_operands(st, reads, may_be_fetched(st->session, reads, x, user) ? x : NULL);
	st->notes[x->id].poisoned = true;
	st->notes[x->id].is_pending = false;
}

static void error_unlike(struct stage *st, const struct node *line)
{
	struct session *s = st->session;
	const struct node *x = line->in[0];
	struct layout has = stage_seen(st, x);
	int other = 1;
	while (other < line->nin - 1 && layout_equal(line->place, &has, &line->in[other]->layout))
		other++;
	const struct node *y = line->in[other];
	struct layout has_other = stage_seen(st, y);
	struct diag *d = diag_error(s, PML0304, line->span,
				    "every turn reads another of these tensors, but they have not one layout");
	diag_primary(d, "%s is %s", help_name(s, x, (struct span){0}), help_type(s->arena, x, &has));
	message_label_calls(d, line->call);
	diag_note(d, "%s is %s", help_name(s, y, (struct span){0}), help_type(s->arena, y, &has_other));
}

void error_lines(struct stage *st, const struct node *line)
{
	struct session *s = st->session;
	const struct node *x = line->in[0];
	struct layout has = stage_seen(st, x), *all, *would_do, out;
	struct span at;
	if (line->nin > 1) {
		error_unlike(st, line);
		return;
	}
	bool found = help_site(s, line, x, &at);
	struct diag *d = diag_error(s, PML0304, found ? at : line->span,
				    "every turn reads a line of %s, but its first dimension is split",
				    help_name(s, x, found ? at : (struct span){0}));
	diag_primary(d, "%s", help_type(s->arena, x, &has));
	message_label_calls(d, line->call);
	note_line_by_line(st, d, line);
	diag_note(d, "no rank has all the lines, and all ranks make the turns together");
	message_note_splits(s, d, line);
	int n = layouts_of(st->arena, x->place, &x->shape, false, &all), count = 0;
	would_do = ARENA_ARRAY(st->arena, struct layout, n);
	for (int i = 0; i < n; i++)
		if (layout_of_line(x->place, &all[i], &out))
			would_do[count++] = all[i];
	help_layouts(st, d, line, at, found, &has, count, would_do);
}

/* What of the new shape no rank can have: which axes split which dimension, and that broadcasting wants single elements
 * whole. */
static void note_reshape(struct stage *st, struct diag *d, const struct node *n, const char *becomes)
{
	const struct node *x = n->in[0];
	struct arena *a = st->session->arena;
	bool marked[MAX_AXES] = {false}, single = false;
	for (int i = 0; i < x->place->naxes; i++) {
		marked[i] = x->layout.atom[i].kind == SHARD_S;
		single |= marked[i] && x->shape.dim[x->layout.atom[i].dim] == 1;
	}
	diag_note(d, "there is no split of %s%s under which every rank has the elements it has now", becomes,
		  help_axes(a, x->place, "over", marked));
	if (single)
		diag_note(d,
			  "a dimension of one element is split, so one rank has it; to repeat it every rank needs it");
}

void error_factors(struct stage *st, const struct node *n)
{
	struct session *s = st->session;
	const struct node *x = n->in[0];
	struct span at;
	if (is_told(st, n))
		return;
	bool found = help_site(s, n, x, &at);
	struct diag *d = diag_error(s, PML0304, n->span, "%s are those of whole matrices, of %s ranks have parts",
				    factors_what(n->factors), help_name(s, x, at));
	diag_primary(d, "%s", help_type(s->arena, x, &x->layout));
	message_label_calls(d, n->call);
	struct layout *all, *would_do = NULL;
	int n_all = layouts_of(st->arena, x->place, &x->shape, false, &all), count = 0;
	would_do = ARENA_ARRAY(st->arena, struct layout, n_all);
	for (int i = 0; i < n_all; i++)
		if (factors_take(n, &all[i]))
			would_do[count++] = all[i];
	help_layouts(st, d, n, at, found, &x->layout, count, would_do);
}

void error_reshape(struct stage *st, const struct node *n)
{
	struct session *s = st->session;
	const struct node *x = n->in[0];
	struct text t;
	text_init(&t, s->arena);
	type_print(&t, n->dtype, &n->shape);
	struct span at;
	bool found = help_site(s, n, x, &at);
	const char *becomes = n->shape.rank ? text_get(&t) : arena_printf(s->arena, "a scalar %s", text_get(&t));
	const struct microbatch *cut = reshape_cuts(st->graph, n);
	struct diag *d =
		cut ? diag_error(s, PML0311, n->span,
				 "the rows of %s are split so that ranks cannot cut them into %d micro-batches",
				 help_name(s, x, at), cut->count)
		    : diag_error(s, PML0311, n->span, "a reshape to %s does not keep the split of %s", becomes,
				 help_name(s, x, at));
	diag_primary(d, "%s", help_type(s->arena, x, &x->layout));
	message_label_calls(d, n->call);
	if (cut) {
		diag_label(d, cut->span, "this many");
		diag_note(d, "every rank cuts its own rows, so each has to have a multiple of %d", cut->count);
		diag_help(d, "take another number of micro-batches or rows, or gather them before the block");
		return;
	}
	note_reshape(st, d, n, becomes);
	struct layout *all, *would_do = NULL, out;
	int n_all = layouts_of(st->arena, x->place, &x->shape, false, &all), count = 0;
	would_do = ARENA_ARRAY(st->arena, struct layout, n_all);
	for (int i = 0; i < n_all; i++)
		if (reshape_layout(st->arena, n->place, &x->shape, &all[i], &n->shape, &out))
			would_do[count++] = all[i];
	help_layouts(st, d, n, at, found, &x->layout, count, would_do);
}
