/* errors.c — what cannot be made independent of layouts. */
#include "rewrite.h"

#include "base/diag.h"

void error_too_many_operands(struct rewrite *w, const struct node *n)
{
	struct diag *d = diag_error(w->session, PML0321, n->span, "`%s` sums over %d operands", n->rule->name, n->nin);
	diag_primary(d, "%d operands", n->nin);
	diag_note(d, "with --reproducible a sum takes one operand more, and %d are the most there can be", MAX_OPERANDS);
	diag_help(d, "multiply some of them in an operator of their own first");
	w->failed = true;
}
