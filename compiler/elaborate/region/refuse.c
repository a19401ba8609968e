/* refuse.c — what cannot stand where the walk is: in a micro-batch, in a loop or branch of a graph. */
#include "region_build.h"
#include "../walk/microbatch.h"

bool microbatch_refuses(struct elab *e, struct span at, const char *what)
{
	if (!e->micro)
		return false;
	struct diag *d = elab_error(e, PML0522, at, "%s stands in a `microbatch`", what);
	diag_label(d, e->micro->batch->span, "this one");
	diag_note(
		d,
		"its micro-batches are at work at the same time, so the host sees nothing of them before all are done");
	return true;
}

void microbatch_note_rows(struct elab *e, struct diag *d, int64_t want, int64_t rows, const char *help)
{
	if (!e->micro || e->micro->rows != want || rows == want || rows * e->micro->batch->count != want)
		return;
	diag_label(d, e->micro->at, "`%s` has %lld rows, of which each of the %d micro-batches takes %lld",
		   e->micro->name, (long long)want, e->micro->batch->count, (long long)rows);
	diag_help(d, "%s", help);
}

const struct loop *region_loop(const struct elab *e)
{
	return e->region ? e->region->region->graph->open : NULL;
}

bool graph_loop_shows(struct elab *e, struct span at, const char *what)
{
	if (!region_stays_open(e))
		return !graph_loop_refuses(e, at, what);
	const struct loop *any = NULL;
	for (const struct loop *l = region_loop(e); l; l = l->outer) {
		any = l->turns < 0 && l->most < 0 ? l : any;
		if (!l->batch || !any)
			continue;
		struct diag *d =
			elab_error(e, PML0411, at, "%s stands in a loop of any number of turns in micro-batches", what);
		diag_label(d, any->span, "this one");
		return false;
	}
	return true;
}

bool graph_loop_refuses(struct elab *e, struct span at, const char *what)
{
	const struct loop *l = region_loop(e);
	if (!l)
		return false;
	const char *where = e->mapped && !e->grad_depth ? "function that `vmap` calls for each line"
							: arena_printf(e->a, "%s of a function that is differentiated",
								       l->is_branch ? "branch" : "loop");
	struct diag *d = elab_error(e, PML0411, at, "%s stands in a %s", what, where);
	diag_label(d, l->span, "this one");
	diag_note(d, "it is computed as one with all that surrounds it, and the host sees nothing of its turns");
	return true;
}
