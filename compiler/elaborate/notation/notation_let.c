/* notation_let.c — index notation in functions: `let q[i, j] = sum[k] a[i, k] * b[k, j]`, and reductions in
 * expressions. */
#include "notation_build.h"
#include "../region/region.h"

static void note_access(struct notation *n, const struct expr *x, bool windows)
{
	struct index_list l;
	struct node *t = notation_indexed(n, x->callee);
	if (!t || !index_list_of_args(n, x->args.at, x->args.n, &l))
		return;
	if (windows)
		notation_windows(n, &l, &t->shape);
	else
		notation_extents(n, &l, &t->shape, x->span,
				 t->name ? extent_of_name(t->name) : extent_from("this tensor"));
}

/* context: whether this is the round of windows. */
static void walk_accesses(struct notation *n, const struct expr *x, void *context)
{
	const bool *windows = context;
	if (n->failed)
		return;
	if (x->kind == EXPR_INDEX)
		note_access(n, x, *windows);
	notation_each_operand(n, x, walk_accesses, context);
}

static const struct value *let_value(struct notation *n, const struct pattern *out, const struct expr *body)
{
	struct index_list l = {0};
	if (out && !index_list_of_dims(n, out->factors.at, out->factors.n, &l))
		return &value_error;
	for (int i = 0; i < l.n; i++)
		if (l.at[i].x && notation_strip_extent(l.at[i].x)->kind == EXPR_NAME)
			notation_add_factor(n, notation_strip_extent(l.at[i].x)->name.text);
	notation_note_reduced(n, body);
	for (int windows = 0; windows < 2; windows++)
		walk_accesses(n, body, &(bool){windows});
	if (n->failed)
		return &value_error;
	return tensor_value_of(n->e, notation_build(n, &l, body));
}

const struct value *notation_let(struct elab *e, const struct pattern *out, const struct expr *body, struct span at)
{
	bool reduces = !out && body->kind == EXPR_REDUCE;
	const char *name = out ? out->name.text : reduces ? body->reduce.combiner.text : combiner_text(COMBINE_SUM);
	struct notation *n = notation_new(e, name, at);
	const struct value *v = let_value(n, out, body);
	notation_end(n);
	return v;
}
