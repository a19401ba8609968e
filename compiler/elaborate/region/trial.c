/* trial.c — walking something that may have to be walked again: a loop's body, when what is carried turns out to be of
 * another type than it seemed, or when the loop cannot stay one.
 *
 * All that a walk leaves behind is put back: nodes and loops of the open region, what slots hold there, assignments,
 * host code, messages. States that it has declared stay, since they are found by name again. Steps stay counted, so
 * that trials end. */
#include "region_build.h"

struct kept_binding {
	struct binding *binding, was;
};

struct trial {
	int nodes, loops, outputs, kept, arguments, layout_vars;
	const struct region_mark *region;
	VEC(struct kept_binding) bindings;
	struct frame frame;
	struct host_stmt **tail;
	int vars, assigned, numbers, diags, errors, unrolled;
	struct span library_call;
	struct loop *open;
	VEC(struct slot_line) lines; /* of the loop over lists that is being walked */
};

const struct trial *trial_begin(struct elab *e)
{
	struct graph *g = region_graph(e);
	struct trial *t = ARENA_NEW(e->a, struct trial);
	*t = (struct trial){.nodes = g->nodes.n,
			    .loops = g->loops.n,
			    .outputs = g->outputs.n,
			    .kept = e->region->kept.n,
			    .arguments = e->region->args.n,
			    .layout_vars = g->nlayout_vars,
			    .region = region_mark(e),
			    .frame = *e->frame,
			    .tail = e->code->tail,
			    .vars = e->code->fn->vars.n,
			    .assigned = e->code->assigned.n,
			    .numbers = e->numbers.n,
			    .diags = e->s->diags.n,
			    .errors = e->s->errors,
			    .unrolled = e->p->unrolled.n,
			    .library_call = e->library_call,
			    .open = g->open};
	for (int i = 0; e->turns && i < e->turns->lines.n; i++)
		vec_push(e->a, &t->lines, *e->turns->lines.at[i]);
	for (struct scope *s = e->scope; s; s = s->outer)
		for (struct binding *b = s->bindings; b; b = b->next)
			if (b->kind == BIND_VAR)
				vec_push(e->a, &t->bindings, ((struct kept_binding){b, *b}));
	return t;
}

static void forget_copies(struct region_build *b, int nodes, int loops)
{
	for (int i = 0; i < b->loops.n; i++) {
		const struct loop *l = b->loops.entries[i].value;
		if (l && l->id >= loops)
			b->loops.entries[i].value = NULL;
	}
	for (int i = 0; i < b->copies.n; i++) {
		const struct node *n = b->copies.entries[i].value;
		if (n && n->id >= nodes)
			b->copies.entries[i].value = NULL;
	}
}

void trial_back(struct elab *e, const struct trial *t)
{
	struct graph *g = region_graph(e);
	g->nodes.n = t->nodes;
	g->loops.n = t->loops;
	g->outputs.n = t->outputs;
	for (int i = t->kept; i < e->region->kept.n; i++)
		e->region->kept.entries[i].value = NULL;
	g->nlayout_vars = t->layout_vars;
	region_back(e, t->region);
	e->region->args.n = e->region->region->arguments.n = t->arguments;
	forget_copies(e->region, t->nodes, t->loops);
	for (int i = 0; i < t->lines.n; i++)
		*e->turns->lines.at[i] = t->lines.at[i];
	if (e->turns)
		e->turns->lines.n = t->lines.n;
	for (int i = 0; i < t->bindings.n; i++)
		*t->bindings.at[i].binding = t->bindings.at[i].was;
	*e->frame = t->frame;
	e->code->tail = t->tail;
	*e->code->tail = NULL;
	e->code->fn->vars.n = t->vars;
	e->code->assigned.n = t->assigned;
	e->numbers.n = t->numbers;
	e->s->diags.n = t->diags;
	e->s->errors = t->errors;
	e->p->unrolled.n = t->unrolled;
	e->library_call = t->library_call;
	g->open = t->open;
}

const struct diag *trial_diag(const struct elab *e, const struct trial *t)
{
	for (int i = t->diags; i < e->s->diags.n; i++)
		if (e->s->diags.at[i]->severity == SEVERITY_ERROR)
			return e->s->diags.at[i];
	return NULL;
}

const struct region_mark *trial_mark(const struct trial *t)
{
	return t->region;
}
