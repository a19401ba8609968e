/* notation_let.c — index notation in functions: `let q[i, j] = sum[k] a[i, k] * b[k, j]`, and reductions in
 * expressions. */
#include "notation_build.h"
#include "../values/values.h"
#include "../region/region.h"

static bool is_read_at_factors(const struct notation *n, const struct expr *x)
{
	for (int i = 0; i < x->args.n; i++) {
		const struct expr *at = x->args.at[i].value;
		if (at && at->kind == EXPR_NAME && notation_factor(n, at->name.text) >= 0)
			return true;
	}
	return false;
}

/* A list has values for numbers known when compiling; for all that a factor takes a tensor has them. */
static void refuse_list(struct notation *n, const struct expr *x)
{
	const struct expr *list = x->callee;
	if (n->failed || (list->kind != EXPR_NAME && list->kind != EXPR_LIST) || !is_read_at_factors(n, x) ||
	    (list->kind == EXPR_NAME && notation_factor(n, list->name.text) >= 0))
		return;
	const struct value *v = expr_eval(n->e, list);
	if (v->kind != VALUE_LIST)
		return;
	struct diag *d =
		elab_error(n->e, PML0601, x->span, "a factor reads a tensor, this is %s", value_describe(n->e, v));
	literal_help(n->e, d, v);
	notation_fail(n);
}

static void note_access(struct notation *n, const struct expr *x, bool windows)
{
	struct index_list l;
	for (const struct expr *read = x; read->kind == EXPR_INDEX; read = read->callee)
		refuse_list(n, read);
	struct node *t = n->failed ? NULL : notation_indexed(n, x->callee);
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
	walk_accesses(n, body, &(bool){false});
	do
		walk_accesses(n, body, &(bool){true});
	while (notation_settle(n));
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
