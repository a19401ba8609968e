/* errors_declared.c — see errors.h: what is declared, and what leaves the region. */
#include "errors.h"

#include "help.h"
#include "message.h"

#include <string.h>

/* ---- contracts ---- */

static struct span contract_site(const struct node *n)
{
	return n->span.file ? n->span : n->in[0]->span;
}

void error_contract(struct stage *st, const struct node *n, const struct layout *has, const struct layout *wants)
{
	struct session *s = st->session;
	const struct node *x = n->in[0];
	/* Of what is declared nowhere it is a part: no text there stands for it alone. */
	bool is_part = !n->target->where.file;
	/* Nor is it declared where it stands itself: an argument that has to be whole. */
	bool is_argument = !is_part && span_equal(n->target->where, contract_site(n));
	struct diag *d = diag_error(
		s, PML0303, contract_site(n), "%s %s `%s`, but %s is `%s`", n->target->what ? n->target->what : "it",
		is_argument ? "has to be" : "is declared", help_layout(s->arena, n->place, wants),
		help_name(s, x, is_part ? (struct span){0} : contract_site(n)), help_layout(s->arena, n->place, has));
	diag_primary(d, "%s", help_type(s->arena, x, has));
	if (is_part)
		diag_note(d, "declared: %s", help_type(s->arena, n, wants));
	else if (!is_argument)
		diag_label(d, n->target->where, "declared here: %s", help_type(s->arena, n, wants));
	message_label_calls(d, n->call);
	message_note_axes(st, d, n->place, has, wants);
	note_served(st, d, x);
	diag_note(d, "nothing moves unless the source says `to`");
	help_layouts(st, d, n, contract_site(n), !is_part, has, 1, wants);
	diag_join(d, "and here"); /* what a check compares is as wrong as the check */
}

/* ", `-> f32[8] : P(sum)`": what a result is declared to be, of which a signature says nothing; else "". */
static const char *written_as(struct session *s, const struct node *n, const struct layout *layout)
{
	struct text type;
	if (!n->target->what || strncmp(n->target->what, RESULT_OF, strlen(RESULT_OF)) != 0)
		return "";
	text_init(&type, s->arena);
	type_print(&type, n->dtype, &n->shape);
	return arena_printf(s->arena, ", `-> %s : %s`", text_get(&type), help_layout(s->arena, n->place, layout));
}

void error_boundary(struct stage *st, const struct node *n, const struct layout *has)
{
	struct session *s = st->session;
	const struct node *x = n->in[0];
	struct layout *finished;
	int count = help_finished(st->arena, x, has, &finished);
	bool is_var = n->target->layout.form == LAYOUT_VAR;
	/* Of a library call, the argument if it is found there. */
	struct span at = contract_site(n), argument;
	bool found = !n->in_library || help_site(s, n, x, &argument);
	at = found && n->in_library ? argument : at;
	struct diag *d =
		diag_error(s, PML0309, at, "%s wants a finished value, but %s is an unfinished %s",
			   n->target->what ? n->target->what : "this", help_name(s, x, found ? at : (struct span){0}),
			   message_partial_text(st->session->arena, n->place, has));
	diag_primary(d, "%s", help_type(s->arena, x, has));
	if (n->target->where.file)
		diag_label(d, n->target->where,
			   is_var ? "a layout parameter stands for a finished layout" : "no layout is declared here");
	message_label_origin(st, d, x, at);
	message_label_calls(d, n->call);
	note_served(st, d, x);
	help_layouts(st, d, n, at, found, has, count, finished);
	struct layout written;
	if (n->target->where.file && help_written(n->place, has, x->lines, &written))
		diag_help(d, "or let it pass unfinished: write `: %s` in the signature%s",
			  help_layout(s->arena, n->place, &written), written_as(s, n, &written));
}

void error_variable(struct stage *st, const struct node *n, const struct layout *has, const struct bound *var)
{
	struct session *s = st->session;
	const struct node *x = n->in[0];
	struct layout here = layout_fitted(&var->layout, n->place);
	struct diag *d =
		diag_error(s, PML0305, contract_site(n), "%s is `%s`, but its layout parameter already stands for `%s`",
			   help_name(s, x, contract_site(n)), help_layout(s->arena, n->place, has),
			   help_layout(s->arena, n->place, &here));
	diag_primary(d, "%s", help_type(s->arena, x, has));
	if (var->span.file)
		diag_label(d, var->span, "%s is `%s`", var->what ? var->what : "this",
			   help_layout(s->arena, var->place, &var->layout));
	message_label_calls(d, n->call);
	message_note_axes(st, d, n->place, has, &here);
	help_layouts(st, d, n, contract_site(n), true, has, 1, &here);
}

void error_variable_place(struct stage *st, const struct node *n, const struct bound *var)
{
	struct session *s = st->session;
	struct diag *d =
		diag_error(s, PML0313, n->target->layout.span.file ? n->target->layout.span : n->span,
			   "a layout of `%s` is used on `%s`, which has other axes", var->place->name, n->place->name);
	if (var->span.file)
		diag_label(d, var->span, "bound to `%s` here", help_layout(s->arena, var->place, &var->layout));
	message_label_calls(d, n->call);
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
	message_label_calls(d, call);
	if (shape->rank == 0)
		diag_note(d, "a scalar has no dimensions");
	else if (shape->rank == 1)
		diag_note(d, "its only dimension is 0");
	else
		diag_note(d, "its dimensions are 0 to %d", shape->rank - 1);
}

void error_unplaced(struct session *s, const struct node *n)
{
	struct span at = n->target->layout.span.file ? n->target->layout.span : n->span;
	struct diag *d = diag_error(s, PML0302, at, "%s is on no ranks yet, so it has no layout",
				    help_name(s, n->in[0], n->in[0]->span));
	diag_note(d, "a layout says which rank of a placement holds what");
	diag_help(d, "name the placement too: `to @place : …`");
}

/* ---- turns of loops ---- */

void error_carried(struct stage *st, const struct node *end, const struct layout *before)
{
	struct session *s = st->session;
	const struct node *x = end->in[1], *start = end->in[0]->in[0];
	struct layout has = stage_seen(st, x);
	const char *name = end->name ? arena_printf(s->arena, "`%s`", end->name) : "what is carried from turn to turn";
	struct span at = x->span.file ? x->span : end->span;
	bool branch = end->of->is_branch;
	struct diag *d = diag_error(s, PML0306, at, "%s is `%s` before %s and `%s` after it", name,
				    help_layout(s->arena, x->place, before), branch ? "the branch" : "a turn",
				    help_layout(s->arena, x->place, &has));
	diag_primary(d, "%s", help_type(s->arena, x, &has));
	if (start->span.file)
		diag_label(d, start->span, "before: %s", help_type(s->arena, start, before));
	if (end->of->span.file && end->of->turns < 0)
		diag_label(d, end->of->span, "%s is known when the program runs",
			   branch ? "whether it is taken" : "how many turns there are");
	else if (end->of->span.file)
		diag_label(d, end->of->span, "more turns than are unrolled");
	message_label_calls(d, x->call);
	message_note_axes(st, d, x->place, &has, before);
	diag_note(d,
		  branch ? "so a variable has one layout, whether the branch is taken or not"
			 : "the turns of such a loop are computed alike, so a variable has one layout in all of them");
	help_convert(st, d, false, at, true, x, &has, before);
}

void error_asked(struct stage *st, const struct loop *l, const struct node *asked)
{
	struct session *s = st->session;
	struct layout has = stage_seen(st, asked), *finished;
	help_finished(st->arena, asked, &has, &finished);
	struct span at = asked->span.file ? asked->span : l->span;
	struct diag *d = diag_error(s, PML0310, at, "%s is an unfinished %s, but it decides %s",
				    help_name(s, asked, at), message_partial_text(s->arena, asked->place, &has),
				    l->count       ? "how many turns a loop has"
				    : l->is_branch ? "a branch"
						   : "whether a loop ends");
	diag_primary(d, "%s", help_type(s->arena, asked, &has));
	message_label_origin(st, d, asked, at);
	message_label_calls(d, asked->call);
	help_convert(st, d, false, at, true, asked, &has, &finished[0]);
}

/* ---- outputs ---- */

void error_host(struct stage *st, const struct output *o)
{
	struct session *s = st->session;
	const struct node *x = o->node;
	struct layout *finished;
	help_finished(st->arena, x, &x->layout, &finished);
	struct span at = o->span.file ? o->span : x->span;
	struct diag *d =
		diag_error(s, PML0310, at, "%s is an unfinished %s, but the host needs the finished value",
			   help_name(s, x, at), message_partial_text(st->session->arena, x->place, &x->layout));
	diag_primary(d, "%s", help_type(s->arena, x, &x->layout));
	message_label_origin(st, d, x, at);
	message_label_calls(d, x->call);
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
	message_label_calls(d, x->call);
	message_note_axes(st, d, x->place, &has, &slot->laid_out);
	help_convert(st, d, false, at, true, x, &has, &slot->laid_out);
}
