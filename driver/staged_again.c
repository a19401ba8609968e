/* staged_again.c — a plain program in micro-batches, and with layers that are computed again for gradients. */
#include "staged_writer.h"

/* ---- micro-batches ---- */

/* States are not cut, but what a variable holds is. */
static void write_rows(struct edits *w, const struct chain *c)
{
	for (int i = 0; i < c->gradient->args.n; i++) {
		const struct expr *x = c->gradient->args.at[i].value;
		if (!x || (x->kind != EXPR_NAME && x->kind != EXPR_FIELD) || !x->item || x->item->kind != ITEM_STATE)
			continue;
		const char *name = staged_free_name(w->arena, c, arena_printf(w->arena, "rows_of_%s", x->name.text));
		staged_before(w, c->gradient_in, arena_printf(w->arena, "let %s = %s;", name, edits_text(w, x->span)));
		edits_add(w, x->span.begin, x->span.end, name, 0);
	}
}

void staged_write_micro(struct edits *w, const struct chain *c, int micro, const char *schedule)
{
	struct span at = c->gradient->span;
	write_rows(w, c);
	edits_add(w, at.begin, at.begin, arena_printf(w->arena, "microbatch(%d%s) { ", micro, schedule), 1);
	edits_add(w, at.end, at.end, " }", 0);
}

struct file_texts staged_micro(struct arena *a, const struct chain *c, int micro)
{
	struct edits *files = staged_edits(a, c);
	staged_write_micro(&files[c->files.n - 1], c, micro, "");
	return staged_texts(a, c, files);
}

/* ---- layers that are computed again ---- */

static const struct stmt *last_of(const struct stmt *first)
{
	while (first && first->next)
		first = first->next;
	return first;
}

/* { S; x = E; } as { x = remat { S; E }; } */
static const char *remat_body(struct arena *a, const struct edits *w, const struct stmt *first)
{
	const struct stmt *last = last_of(first);
	struct span name = last->target->span, value = last->value->span, before = first->span;
	before.end = last->span.begin;
	return arena_printf(a, "%s = remat { %s%s };", edits_text(w, name), edits_text(w, before),
			    edits_text(w, value));
}

static bool fits(const struct chain_loop *l)
{
	const struct stmt *last = last_of(stmt_first(l->loop->body));
	return l->carried.n == 1 && last && last->kind == STMT_ASSIGN && last->op == ASSIGN_SET &&
	       last->target->kind == EXPR_NAME && l->loop->value->lhs && l->loop->value->rhs &&
	       l->loop->value->lhs->kind == EXPR_INT && l->loop->value->lhs->i == 0;
}

static void write_again(struct edits *w, const struct chain_loop *l, int layers, int of)
{
	struct arena *a = w->arena;
	const struct stmt *first = stmt_first(l->loop->body), *last = last_of(first);
	struct span body = {first->span.file, first->span.begin, stmt_end(w, last)};
	struct span end = l->loop->value->rhs->span, whole = l->loop->span;
	const char *again = remat_body(a, w, first);
	edits_add(w, body.begin, body.end, again, 0);
	if (layers == of)
		return;
	edits_add(w, end.begin, end.end, arena_printf(a, "%d", layers), 0);
	edits_add(w, whole.end, whole.end,
		  arena_printf(a, "%sfor %s in %d..%s { %s }", staged_gap(w, whole.begin), l->turn, layers,
			       edits_text(w, end), edits_text(w, body)),
		  0);
}

bool staged_remat(struct arena *a, const struct chain *c, int layers, int of, struct file_texts *out)
{
	struct edits *files = staged_edits(a, c);
	for (int i = 0; i < c->loops.n; i++) {
		int k = 0;
		while (c->files.at[k] != c->loops.at[i]->function->module)
			k++;
		if (!fits(c->loops.at[i]))
			return false;
		write_again(&files[k], c->loops.at[i], layers, of);
	}
	*out = staged_texts(a, c, files);
	return true;
}
