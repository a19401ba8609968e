/* steps.c — which loops of main count steps: the innermost ones that assign params; where there are none, the innermost
 * ones over batches; where there are none of these either, the innermost ones that assign states or tensors in
 * variables, and are the program's own: a solver of the library goes on until it has its answer. --steps ends those,
 * and with them the loops around, which then begin no turn more: so nothing is averaged over no batches, and what
 * follows the loops is done once. */
#include "elaborate.h"
#include "region/region.h"

#include <string.h>

enum found { NOTHING, A_REGION, A_LOOP };

struct search {
	struct elab *e;
	unsigned assigned; /* bits 1 << enum slot_class: loops that assign one of these */
	bool batches;      /* loops over batches */
	bool own;          /* loops that stand in the program itself, not in the library */
};

static bool takes_batches(const struct host_expr *x)
{
	return x->kind == HOST_CALL && !strcmp(x->function, "batches_next");
}

static void count_turns(struct elab *e, struct host_stmt *loop)
{
	struct host_expr *step = host_call(e, "step", HOST_VOID, loop->span, 0, NULL);
	loop->body = host_in_front(e, HOST_EVAL, step, loop->body, loop->span);
}

static void end_with_steps(struct elab *e, struct host_stmt *loop)
{
	struct host_expr *left = host_call(e, "steps_left", HOST_BOOL, loop->span, 0, NULL);
	loop->expr = host_apply(e, HOST_AND_OP, HOST_BOOL, left, loop->expr, loop->span);
}

static enum found search(const struct search *s, struct host_stmt *list)
{
	enum found most = NOTHING;
	for (struct host_stmt *h = list; h; h = h->next) {
		enum found inside = NOTHING, other;
		if (h->kind == HOST_REGION && program_region_assigns(s->e->p, h->region, s->assigned))
			inside = A_REGION;
		if (h->kind == HOST_IF || h->kind == HOST_WHILE) {
			inside = search(s, h->body);
			other = search(s, h->other);
			inside = other > inside ? other : inside;
		}
		if (h->kind == HOST_WHILE && !(s->own && elab_is_of_library(s->e, h->span))) {
			if (inside == NOTHING && s->batches && takes_batches(h->expr))
				inside = A_REGION;
			if (inside == A_REGION)
				count_turns(s->e, h);
			if (inside != NOTHING)
				end_with_steps(s->e, h);
			inside = inside == NOTHING ? NOTHING : A_LOOP;
		}
		most = inside > most ? inside : most;
	}
	return most;
}

void steps_mark(struct elab *e)
{
	const struct search sorts[] = {
		{.e = e, .assigned = 1u << SLOT_PARAM},
		{.e = e, .batches = true},
		{.e = e, .assigned = 1u << SLOT_STATE | 1u << SLOT_VALUE, .own = true},
	};
	bool found = !e->p->main;
	for (size_t i = 0; i < sizeof sorts / sizeof *sorts && !found; i++)
		found = search(&sorts[i], e->p->main->body) == A_LOOP;
}
