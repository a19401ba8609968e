/* errors_served.c — why a slice of a split dimension is in parts: its rows do not lie one behind the other by rank, so
 * no split of the result says where they are, and each rank serves what it has to all. */
#include "errors.h"
#include "help.h"
#include "message.h"

/* The map at which a value became parts since an operand is served, and which one; NULL: it became so otherwise. */
static const struct node *find_served(struct stage *st, const struct node *x, int *operand)
{
	const struct node *from = stage_value(st, (struct node *)x);
	for (x = NULL; from && layout_has_partial(from->place, &from->layout); from = x) {
		x = NULL;
		for (int i = 0; from->kind == NODE_MAP && i < from->nin; i++) {
			struct layout has = stage_seen(st, from->in[i]);
			*operand = i;
			if (!layout_has_partial(from->place, &has) && st->notes[from->id].serves && from->nin == 1)
				return from;
			if (layout_has_partial(from->place, &has))
				x = stage_value(st, from->in[i]);
		}
	}
	return NULL;
}

/* "`dp` and `tp` both split dimension 0 of `w`", where several axes do. */
static bool note_nested(struct stage *st, struct diag *d, const struct node *x, const char *of, int dim)
{
	struct layout has = stage_seen(st, x);
	const char *axis[MAX_AXES];
	int n = 0;
	for (int a = 0; a < x->place->naxes; a++)
		if (has.atom[a].kind == SHARD_S && has.atom[a].dim == dim)
			axis[n++] = x->place->axis[a];
	if (n < 2)
		return false;
	diag_note(d,
		  "`%s` and `%s` both split dimension %d of %s: what a slice leaves is cut otherwise for each of `%s`, "
		  "which no shares say, so every rank serves its rows until a `to` splits them anew",
		  axis[n - 2], axis[n - 1], dim, of, axis[n - 2]);
	return true;
}

void note_line_by_line(struct stage *st, struct diag *d, const struct node *n)
{
	for (int i = 0; i < st->program->one_by_one.n; i++) {
		const struct line_by_line *x = &st->program->one_by_one.at[i];
		if (x->call.file != n->span.file || n->span.begin < x->call.begin || n->span.end > x->call.end)
			continue;
		diag_label(d, x->where, "%s: so `vmap` takes one after the other", x->why);
		return;
	}
}

/* The tensor that the program reads where a loop reads it with the turns in front: x made at the same place by moving
 * dimensions, or as a slice. dim and position in x become those in the tensor. */
static const struct node *as_written(const struct node *user, const struct node *x, int *dim, int64_t *position)
{
	while (x->kind == NODE_MAP && x->nin == 1 && x->rule->combiner == COMBINE_NONE &&
	       message_same_place(x->span, user->span)) {
		const struct access *from = &x->rule->operand[0];
		int f = index_factor(&x->rule->out.index[*dim]), e = from->rank - 1;
		while (e >= 0 && (f < 0 || !index_coef(&from->index[e], f)))
			e--;
		if (e < 0 || from->index[e].nterms != 1 || from->index[e].div != 1)
			break;
		*position = *position * index_coef(&from->index[e], f) + from->index[e].offset;
		*dim = e;
		x = x->in[0];
	}
	return x;
}

static const char *quoted(struct stage *st, const struct node *user, const struct node *x)
{
	const char *word = help_word(st->session, user, x);
	return word ? arena_printf(st->session->arena, "`%s`", word) : "the operand";
}

void note_served(struct stage *st, struct diag *d, const struct node *x)
{
	int k;
	const struct node *n = find_served(st, x, &k);
	if (!n)
		return;
	struct layout has = stage_seen(st, n->in[k]);
	const char *of = quoted(st, n, n->in[k]);
	for (int a = 0; a < n->place->naxes; a++) {
		const struct index *at = &n->rule->operand[k].index[has.atom[a].dim];
		if (has.atom[a].kind != SHARD_S || n->layout.atom[a].kind != SHARD_P || at->data >= 0)
			continue;
		if (at->nterms == 0) {
			int64_t position = at->offset / at->div;
			int dim = has.atom[a].dim;
			const struct node *read = as_written(n, n->in[k], &dim, &position);
			note_line_by_line(st, d, n);
			diag_note(d,
				  "what stands at %lld along dimension %d of %s is on one rank, and the others have "
				  "nothing "
				  "of it: a `to` sends it to them",
				  (long long)position, dim, quoted(st, n, read));
		} else if (at->nterms == 1 && at->term[0].coef < 0) {
			diag_note(d,
				  "the rows of %s are read in reverse order, and lie the other way round on the ranks: "
				  "a `to` "
				  "moves those that change ranks",
				  of);
		} else if (at->nterms != 1 || !note_nested(st, d, n->in[k], of, has.atom[a].dim)) {
			continue;
		}
		return;
	}
}
