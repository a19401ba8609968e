/* errors.c — see errors.h. The form is always: what is wrong and where it is used, both types as a whole and per rank,
 * why it is so, where it comes from, and what would make it right. */
#include "errors.h"

#include "../op/signature.h"
#include "choice.h"
#include "help.h"

#include <string.h>

enum { MAX_CALLS_SHOWN = 4, MAX_RULES_SHOWN = 6 };

static const char *const reduction[] = {"sum", "maximum", "minimum", "product"};

/* ---- parts of messages ---- */

static const char *reduction_text(const struct place *p, const struct layout *l)
{
	for (int a = 0; a < p->naxes; a++)
		if (l->atom[a].kind == SHARD_P)
			return reduction[l->atom[a].combiner & 3];
	return "value";
}

/* "sum", "maximum over `dp` and `tp`". */
static const char *partial_text(struct arena *arena, const struct place *p, const struct layout *l)
{
	bool partial[MAX_AXES] = {false};
	for (int a = 0; a < p->naxes; a++)
		partial[a] = l->atom[a].kind == SHARD_P;
	return arena_printf(arena, "%s%s", reduction_text(p, l), help_axes(arena, p, "over", partial));
}

/* Layouts of one placement differ on these axes. */
static void note_axes(struct stage *st, struct diag *d, const struct place *p, const struct layout *has,
		      const struct layout *wants)
{
	bool differs[MAX_AXES] = {false};
	for (int a = 0; a < p->naxes; a++)
		differs[a] = !atom_equal(has->atom[a], wants->atom[a]);
	const char *axes = help_axes(st->session->arena, p, "on", differs);
	if (*axes)
		diag_note(d, "they differ%s", axes);
}

static void label_calls(struct diag *d, const struct call_site *c)
{
	struct span at = d->primary.span;
	for (int i = 0; c && i < MAX_CALLS_SHOWN; c = c->outer, i++)
		if (c->span.file && (c->span.file != at.file || c->span.begin != at.begin || c->span.end != at.end))
			diag_label(d, c->span, "in this call of `%s`", c->function ? c->function : "a function");
}

/* The axis on which a map's result became partial because what it joins is split there, or -1. */
static int contracted_axis(const struct node *x)
{
	struct signature s;
	for (int a = 0; x->kind == NODE_MAP && a < x->place->naxes; a++)
		if (x->layout.atom[a].kind == SHARD_P && layout_signature_of(NULL, x, a, &s) && s.factor >= 0)
			return a;
	return -1;
}

static bool contracts_split(const struct node *x)
{
	return contracted_axis(x) >= 0;
}

static bool is_contraction(const struct node *x)
{
	return x->rule->combiner == COMBINE_SUM && x->nin > 1;
}

/* Where a P comes from, if that is another place than where it is used. */
static void label_origin(struct stage *st, struct diag *d, const struct node *x, struct span used)
{
	const struct node *v = stage_value(st, (struct node *)x);
	while (v->kind == NODE_MAP && v->nin > 0 && layout_has_partial(v->place, &v->layout) && !contracts_split(v)) {
		const struct node *from = NULL;
		for (int i = 0; i < v->nin && !from; i++)
			if (layout_has_partial(v->place, &v->in[i]->layout))
				from = v->in[i];
		if (!from)
			break;
		v = stage_value(st, (struct node *)from);
	}
	if (!v->span.file || (v->span.file == used.file && v->span.begin == used.begin && v->span.end == used.end))
		return;
	if (contracts_split(v))
		diag_label(d, v->span, "%s a dimension that is split over `%s`, so every rank holds a part of the %s",
			   is_contraction(v) ? "contracts" : "reduces",
			   *v->place->axis[contracted_axis(v)] ? v->place->axis[contracted_axis(v)] : v->place->name,
			   reduction_text(v->place, &v->layout));
	else
		diag_label(d, v->span, "an unfinished %s since here",
			   partial_text(st->session->arena, v->place, &v->layout));
}

static void label_operand(struct stage *st, struct diag *d, const struct node *n, int i)
{
	const struct node *x = n->in[i];
	struct layout has = stage_seen(st, x);
	struct span at;
	help_site(st->session, n, x, &at);
	if (at.file)
		diag_label(d, at, "%s", help_type(st->session->arena, x, &has));
	else
		diag_note(d, "operand %d: %s", i + 1, help_type(st->session->arena, x, &has));
}

/* ---- maps ---- */

/* What is whole on an axis is sliced silently, but not inside a cut that an inner axis has made already. */
static void explain_nesting(struct stage *st, struct diag *d, const struct node *n)
{
	const struct place *p = n->place;
	for (int i = 0; i < n->nin; i++) {
		struct layout has = stage_seen(st, n->in[i]);
		const char *name = help_word(st->session, n, n->in[i]);
		for (int a = 0; a < p->naxes; a++)
			for (int b = a + 1; b < p->naxes && has.atom[a].kind == SHARD_B; b++) {
				if (has.atom[b].kind != SHARD_S || p->extent[a] < 2)
					continue;
				diag_note(
					d,
					"%s%s%s is cut over `%s`; cutting the same dimension over `%s` too would move "
					"elements, since the cut over the earlier axis comes first",
					name ? "`" : "", name ? name : "an operand", name ? "`" : "", p->axis[b],
					p->axis[a]);
				return;
			}
	}
}

static void explain(struct stage *st, struct diag *d, const struct node *n)
{
	struct shard_atom atoms[MAX_OPERANDS];
	const char *names[MAX_OPERANDS];
	for (int i = 0; i < n->nin; i++)
		names[i] = help_word(st->session, n, n->in[i]);
	for (int a = 0; a < n->place->naxes; a++) {
		for (int i = 0; i < n->nin; i++)
			atoms[i] = stage_seen(st, n->in[i]).atom[a];
		const char *why = rule_explain(st->session->arena, n->rule, atoms, names);
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
	struct signature s[MAX_SIGNATURES];
	int count = rule_signatures(n->rule, s);
	struct text t;
	text_init(&t, st->session->arena);
	for (int i = 0; i < count && i < MAX_RULES_SHOWN; i++) {
		text_add(&t, i ? "; " : "");
		signature_print(&t, n->rule, &s[i]);
	}
	if (count > MAX_RULES_SHOWN)
		text_add(&t, "; …");
	diag_note(d, "`%s` can be computed with %s", n->rule->name, text_get(&t));
}

/* Whether any choice takes operand i as it is. */
static bool operand_is_usable(struct stage *st, const struct node *n, int i)
{
	struct layout has = stage_seen(st, n->in[i]);
	struct choice *c;
	int count = choices_of(st->arena, n, &c);
	for (int k = 0; k < count; k++)
		if (layout_equal(n->place, &has, &c[k].in[i]) || layout_converts_freely(n->place, &has, &c[k].in[i]))
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
				    partial_text(st->session->arena, x->place, &has), help_sign(n->rule));
	diag_primary(d, "%s", help_type(s->arena, x, &has));
	label_origin(st, d, x, used);
	label_calls(d, n->call);
	explain(st, d, n);
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

void error_operands(struct stage *st, const struct node *n)
{
	struct session *s = st->session;
	for (int i = 0; i < n->nin; i++) {
		struct layout has = stage_seen(st, n->in[i]);
		if (layout_has_partial(n->place, &has) && !operand_is_usable(st, n, i)) {
			error_unfinished(st, n, i);
			return;
		}
	}
	bool parts = both_partial(st, n);
	struct diag *d =
		parts ? diag_error(s, PML0308, n->span, "`%s` of two unfinished values", help_sign(n->rule))
		      : diag_error(s, PML0304, n->span, "the operands of `%s` have layouts that do not fit together",
				   help_sign(n->rule));
	for (int i = 0; i < n->nin; i++)
		if (!st->notes[n->in[i]->id].is_free)
			label_operand(st, d, n, i);
	label_calls(d, n->call);
	explain(st, d, n);
	if (!parts)
		note_rules(st, d, n);
	help_operands(st, d, n, parts);
}

void error_parts_read(struct stage *st, const struct node *n, int i)
{
	struct session *s = st->session;
	const struct node *x = n->in[i];
	struct layout has = stage_seen(st, x), whole = layout_broadcast();
	struct span at;
	bool found = help_site(s, n, x, &at);
	for (int a = 0; a < n->place->naxes; a++)
		if (has.atom[a].kind != SHARD_P)
			whole.atom[a] = has.atom[a];
	struct diag *d = diag_error(s, PML0320, n->span, "%s is an unfinished %s, and `%s` would compute with its parts",
				    help_name(s, x, at), partial_text(s->arena, x->place, &has), help_sign(n->rule));
	diag_primary(d, "%s", help_type(s->arena, x, &has));
	label_origin(st, d, x, n->span);
	label_calls(d, n->call);
	diag_note(d, "one rank rounds every element before it goes on; parts cannot be rounded so (--reproducible)");
	help_convert(st, d, false, at, found, x, &has, &whole);
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
	struct diag *d = diag_error(s, PML0311, n->span, "a reshape to %s does not keep the split of %s", text_get(&t),
				    help_name(s, x, at));
	diag_primary(d, "%s", help_type(s->arena, x, &x->layout));
	label_calls(d, n->call);
	diag_note(d, "every rank would have to hold the same elements before and after");
	struct layout *all, *would_do = NULL, out;
	int n_all = layouts_of(st->arena, x->place, &x->shape, false, &all), count = 0;
	would_do = ARENA_ARRAY(st->arena, struct layout, n_all);
	for (int i = 0; i < n_all; i++)
		if (reshape_layout(n->place, &x->shape, &all[i], &n->shape, &out))
			would_do[count++] = all[i];
	help_layouts(st, d, n, at, found, &x->layout, count, would_do);
}

/* ---- contracts ---- */

static struct span contract_site(const struct node *n)
{
	return n->span.file ? n->span : n->in[0]->span;
}

void error_contract(struct stage *st, const struct node *n, const struct layout *has, const struct layout *wants)
{
	struct session *s = st->session;
	const struct node *x = n->in[0];
	struct diag *d = diag_error(s, PML0303, contract_site(n), "%s is declared `%s`, but %s is `%s`",
				    n->target.what ? n->target.what : "it", help_layout(s->arena, n->place, wants),
				    help_name(s, x, contract_site(n)), help_layout(s->arena, n->place, has));
	diag_primary(d, "%s", help_type(s->arena, x, has));
	if (n->target.where.file)
		diag_label(d, n->target.where, "declared here: %s", help_type(s->arena, n, wants));
	else
		diag_note(d, "declared: %s", help_type(s->arena, n, wants));
	label_calls(d, n->call);
	note_axes(st, d, n->place, has, wants);
	diag_note(d, "nothing moves unless the source says `to`");
	help_layouts(st, d, n, contract_site(n), true, has, 1, wants);
}

void error_boundary(struct stage *st, const struct node *n, const struct layout *has)
{
	struct session *s = st->session;
	const struct node *x = n->in[0];
	struct layout *finished;
	int count = help_finished(st->arena, x, has, &finished);
	const char *layout = help_layout(s->arena, n->place, has);
	bool is_var = n->target.layout.form == LAYOUT_VAR;
	struct diag *d =
		diag_error(s, PML0309, contract_site(n), "%s wants a finished value, but %s is an unfinished %s",
			   n->target.what ? n->target.what : "this", help_name(s, x, contract_site(n)),
			   partial_text(st->session->arena, n->place, has));
	diag_primary(d, "%s", help_type(s->arena, x, has));
	if (n->target.where.file)
		diag_label(d, n->target.where,
			   is_var ? "a layout parameter stands for a finished layout" : "no layout is declared here");
	label_origin(st, d, x, contract_site(n));
	label_calls(d, n->call);
	help_layouts(st, d, n, contract_site(n), true, has, count, finished);
	diag_help(d, "or let it pass unfinished: write `: %s` in the signature", layout);
}

void error_variable(struct stage *st, const struct node *n, const struct layout *has, const struct bound *var)
{
	struct session *s = st->session;
	const struct node *x = n->in[0];
	struct diag *d =
		diag_error(s, PML0305, contract_site(n), "%s is `%s`, but its layout parameter already stands for `%s`",
			   help_name(s, x, contract_site(n)), help_layout(s->arena, n->place, has),
			   help_layout(s->arena, n->place, &var->layout));
	diag_primary(d, "%s", help_type(s->arena, x, has));
	if (var->span.file)
		diag_label(d, var->span, "%s is `%s`", var->what ? var->what : "this",
			   help_layout(s->arena, var->place, &var->layout));
	label_calls(d, n->call);
	note_axes(st, d, n->place, has, &var->layout);
	help_layouts(st, d, n, contract_site(n), true, has, 1, &var->layout);
}

void error_variable_place(struct stage *st, const struct node *n, const struct bound *var)
{
	struct session *s = st->session;
	struct diag *d =
		diag_error(s, PML0313, n->target.layout.span.file ? n->target.layout.span : n->span,
			   "a layout of `%s` is used on `%s`, which has other axes", var->place->name, n->place->name);
	if (var->span.file)
		diag_label(d, var->span, "bound to `%s` here", help_layout(s->arena, var->place, &var->layout));
	label_calls(d, n->call);
}

/* ---- declarations ---- */

void error_dimension(struct session *s, struct arena *a, struct span at, const char *what, enum dtype t,
		     const struct shape *shape, int dim, const struct call_site *call)
{
	struct text type;
	text_init(&type, a);
	type_print(&type, t, shape);
	struct diag *d = diag_error(s, PML0301, at, "%s cannot be split along dimension %d: it is %s",
				    what ? what : "the value", dim, text_get(&type));
	label_calls(d, call);
	if (shape->rank == 0)
		diag_note(d, "a scalar has no dimensions");
	else if (shape->rank == 1)
		diag_note(d, "its only dimension is 0");
	else
		diag_note(d, "its dimensions are 0 to %d", shape->rank - 1);
}

void error_unplaced(struct session *s, const struct node *n)
{
	struct span at = n->target.layout.span.file ? n->target.layout.span : n->span;
	struct diag *d = diag_error(s, PML0302, at, "%s is on no ranks yet, so it has no layout",
				    help_name(s, n->in[0], n->in[0]->span));
	diag_note(d, "a layout says which rank of a placement holds what");
	diag_help(d, "name the placement too: `to @place : …`");
}

/* ---- outputs ---- */

void error_host(struct stage *st, const struct output *o)
{
	struct session *s = st->session;
	const struct node *x = o->node;
	struct layout *finished;
	help_finished(st->arena, x, &x->layout, &finished);
	struct span at = o->span.file ? o->span : x->span;
	struct diag *d = diag_error(s, PML0310, at, "%s is an unfinished %s, but the host needs the finished value",
				    help_name(s, x, at), partial_text(st->session->arena, x->place, &x->layout));
	diag_primary(d, "%s", help_type(s->arena, x, &x->layout));
	label_origin(st, d, x, at);
	label_calls(d, x->call);
	help_convert(st, d, false, at, true, x, &x->layout, &finished[0]);
}

void error_slot(struct stage *st, const struct output *o, const struct slot *slot, struct span first)
{
	struct session *s = st->session;
	const struct node *x = o->node;
	struct layout has = stage_seen(st, x);
	struct span at = o->span.file ? o->span : x->span;
	bool kept = slot->slot_class == SLOT_VALUE;
	const char *name = slot->name ? arena_printf(s->arena, "`%s`", slot->name) : "the variable";
	struct diag *d =
		diag_error(s, kept ? PML0306 : PML0312, at, "%s is `%s`, but its new value is `%s`", name,
			   help_layout(s->arena, x->place, &slot->laid_out), help_layout(s->arena, x->place, &has));
	diag_primary(d, "%s", help_type(s->arena, x, &has));
	if (first.file)
		diag_label(d, first, "%s: %s", kept ? "its first value" : "declared here",
			   help_type(s->arena, x, &slot->laid_out));
	label_calls(d, x->call);
	note_axes(st, d, x->place, &has, &slot->laid_out);
	help_convert(st, d, false, at, true, x, &has, &slot->laid_out);
}
