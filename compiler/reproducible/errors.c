/* errors.c — what cannot be made independent of layouts: what it is, why, and where a `to` helps. */
#include "rewrite.h"

#include "../layout/help.h"

static const char *what_part(const struct node *x)
{
	return has_combiner_part(x->place, &x->layout, SHARD_PROD) ? "product" : "sum";
}

/* The help and its edit: x finished where it stands in what n computes. */
static void help_finish(struct rewrite *w, struct diag *d, const struct node *n, const struct node *x)
{
	struct span at;
	struct layout whole = without_parts(x->place, &x->layout);
	const char *word = help_word(w->session, n, x);
	const char *layout = help_layout(w->session->arena, x->place, &whole);
	diag_help(d, "finish it first (%s): `%s to %s`", help_cost(w->session->arena, x, &x->layout, &whole),
		  word ? word : "…", layout);
	if (!help_site(w->session, n, x, &at))
		return;
	diag_edit(d, (struct span){at.file, at.begin, at.begin}, "(");
	diag_edit(d, (struct span){at.file, at.end, at.end}, arena_printf(w->session->arena, " to %s)", layout));
}

void error_part_is_read(struct rewrite *w, const struct node *n, const struct node *x)
{
	struct session *s = w->session;
	struct span at;
	help_site(s, n, x, &at);
	struct diag *d = diag_error(s, PML0320, n->span, "%s is an unfinished %s, and `%s` would compute with its parts",
				    help_name(s, x, at), what_part(x), help_sign(n->rule));
	diag_primary(d, "%s", help_type(s->arena, x, &x->layout));
	if (x->span.file && (x->span.begin != n->span.begin || x->span.end != n->span.end))
		diag_label(d, x->span, "unfinished since here");
	diag_note(d, "one rank rounds every element before it goes on; parts cannot be rounded so (--reproducible)");
	help_finish(w, d, n, x);
	w->failed = true;
}

void error_too_many_operands(struct rewrite *w, const struct node *n)
{
	struct diag *d = diag_error(w->session, PML0321, n->span, "`%s` sums over %d operands", n->rule->name, n->nin);
	diag_primary(d, "%d operands", n->nin);
	diag_note(d, "with --reproducible a sum takes one operand more, and %d are the most there can be", MAX_OPERANDS);
	diag_help(d, "multiply some of them in an operator of their own first");
	w->failed = true;
}
