/* every.c — how often an `every n { }` was reached, and the statement within a graph.
 *
 * There is one count for each place that the statement is called from, for all turns of loops around it, however these
 * are walked: a variable of the host; where it stands in what is differentiated, an int that is kept like a cache, on
 * all ranks. Loops and branches of the graph hand that on like a state; whether the body is walked is a branch of the
 * graph. */
#include "statements.h"
#include "../slots/slots.h"

/* The statement and the calls it stands in, which no walk changes. what: counts it, where. */
static int *count_of(struct elab *e, const struct stmt *s, const char *what)
{
	struct text t;
	text_init(&t, e->a);
	text_printf(&t, "%s %u.%u", what, s->span.file, s->span.begin);
	for (const struct call_site *c = e->call; c; c = c->outer)
		text_printf(&t, " in %u.%u", c->span.file, c->span.begin);
	const char *key = elab_intern(e, "%s", text_get(&t));
	int *known = map_get(&e->everies, key);
	if (known)
		return known;
	known = ARENA_NEW(e->a, int);
	*known = -1;
	map_set(&e->everies, key, known);
	return known;
}

int every_variable(struct elab *e, const struct stmt *s)
{
	int *var = count_of(e, s, arena_printf(e->a, "variable of %p", (void *)e->code->fn));
	if (*var < 0) {
		*var = host_new_var(e, "every", HOST_INT);
		vec_push(e->a, &e->code->assigned, *var);
	}
	return *var;
}

static int every_slot(struct elab *e, const struct stmt *s)
{
	int *known = count_of(e, s, "slot");
	const char *in = e->frame && e->frame->item ? elab_qualified(e, e->frame->item) : "main";
	struct slot slot = {.name = elab_intern(e, "%s.every.%d", in, e->p->slots.n),
			    .slot_class = SLOT_VALUE,
			    .dtype = DT_I64,
			    .place = e->world,
			    .layout = {.form = LAYOUT_GIVEN, .layout = layout_broadcast()},
			    .span = s->span};
	if (*known < 0) {
		*known = slot_new(e, &slot);
		slot_initialise(e, *known, NULL, NULL);
		vec_push(e->a, &e->every_slots, *known);
	}
	return *known;
}

void every_in_graph(struct elab *e, const struct stmt *s, const struct value *n)
{
	struct span at = s->value->span;
	int slot = every_slot(e, s);
	struct graph *g = region_graph(e);
	struct node_site site = elab_site(e, at);
	/* A count that is none is told when all is computed; until then it is 1. */
	struct node *so_far = region_slot_read(e, slot, at), *one = graph_int(g, &site, DT_I64, 1);
	struct node *by = graph_pointwise(g, &site, SC_MAX, tensor_of_host(e, n, DT_I64, at), one, NULL);
	struct node *rest = graph_pointwise(g, &site, SC_MOD, so_far, by, NULL);
	struct node *is_due = graph_pointwise(g, &site, SC_EQ, rest, graph_int(g, &site, DT_I64, 0), NULL);
	struct node *next = graph_pointwise(g, &site, SC_ADD, so_far, graph_int(g, &site, DT_I64, 1), NULL);
	region_slot_write(e, slot, next, at);
	graph_branch(e, s, tensor_value_of(e, is_due));
}
