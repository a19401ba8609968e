/* print.c — a graph as text, one node a line; read.c is its exact inverse. Spans and calls are not printed: they are
 * about the source, not about the computation.
 *
 *   graph logical vars 1
 *   %0 "w" = slot "w" : f32[4, 2] @left
 *   %1 = data 0 1 : f32[8, 4]
 *   %2 "x" = to(%1) [@left : S(0)] : f32[8, 4] @left
 *   %3 "y" = map(%2, %0) {matmul(…) -> … {m=8, k=4, n=2}} : f32[8, 2] @left
 *   %4 = const 0.5 : f32
 *   %5 = reshape(%3) : f32[16] @left ; backward of %3
 *   %6 = check(%5) below 4 or from the end, "dimension 0 of `w` has 4 elements" : i32[16] @left
 *   %7 = carry(%1) of 0 : f32[8, 4]
 *   loop 0 turns 8
 *   loop 1 in 0 count %4 most 100
 *   loop 2 in 0 while %9 and %12 branch
 *   output slot "w" = %3
 *   output host 0 = %4
 *
 * A laid-out graph shows `@left : S(0)` at every node. A target in brackets may be a place, a layout or both; its
 * layout is `auto`, `?3` for layout variable 3, or missing where it is inferred. */
#include "graph.h"

#include "../program.h"

#include <inttypes.h>
#include <string.h>

/* By name where that says which: variables of several scopes may share one. */
static void print_slot_name(struct text *t, const struct graph *g, int slot)
{
	const char *name = g->program->slots.at[slot]->name;
	int first = 0;
	while (name && first < slot &&
	       (!g->program->slots.at[first]->name || strcmp(g->program->slots.at[first]->name, name)))
		first++;
	if (name && first == slot)
		text_json(t, name);
	else
		text_printf(t, "%d", slot);
}

static void print_spec(struct text *t, const struct place *p, const struct layout_spec *l)
{
	switch (l->form) {
	case LAYOUT_INFER:
		break;
	case LAYOUT_GIVEN:
		layout_print(t, p, &l->layout);
		break;
	case LAYOUT_VAR:
		text_printf(t, "?%d", l->var);
		break;
	case LAYOUT_FINISH:
		text_add(t, "finish");
		break;
	}
}

static void print_target(struct text *t, const struct node *n)
{
	text_add(t, " [");
	if (n->target->place)
		text_printf(t, "@%s", n->target->place->name);
	if (n->target->layout.form != LAYOUT_INFER) {
		text_add(t, n->target->place ? " : " : ": ");
		print_spec(t, n->place, &n->target->layout);
	}
	if (n->target->what) {
		text_add(t, ", ");
		text_json(t, n->target->what);
	}
	text_add(t, "]");
}

static bool is_in(const struct graph *g, const struct node *n)
{
	return n->id >= 0 && n->id < g->nodes.n && g->nodes.at[n->id] == n;
}

static void print_attributes(struct text *t, const struct graph *g, const struct node *n)
{
	switch (n->kind) {
	case NODE_SLOT:
		text_add(t, " ");
		print_slot_name(t, g, n->slot);
		break;
	case NODE_DATA:
		text_printf(t, " %d %d", n->data.argument, n->data.field);
		break;
	case NODE_HOST:
		text_printf(t, " %d", n->argument);
		break;
	case NODE_CONST:
		text_add(t, " ");
		number_print(t, n->dtype, n->number);
		break;
	case NODE_MAP:
		text_add(t, " {");
		rule_print(t, n->rule);
		text_add(t, "}");
		break;
	case NODE_TO:
	case NODE_CONTRACT:
		print_target(t, n);
		break;
	case NODE_CHECK:
		text_printf(t, " %s %" PRId64 "%s, ", asked_text(n->check.asked), n->check.extent,
			    n->check.is_proved ? " proved" : "");
		text_json(t, n->check.range);
		break;
	case NODE_FACTORS:
		text_printf(t, " %s", factors_text(n->factors));
		break;
	case NODE_TANGENT:
	case NODE_RULED:
		text_printf(t, " depth %d", n->depth);
		break;
	case NODE_REMAT:
		if (n->after)
			text_printf(t, " after %%%d", n->after->id);
		break;
	case NODE_TURN:
	case NODE_CARRY:
	case NODE_END:
		text_printf(t, " of %d", n->of->id);
		break;
	case NODE_STACK:
		text_printf(t, " of %d%s", n->of->id, n->line.back ? " back" : "");
		break;
	case NODE_LINE:
		text_printf(t, " of %d first %" PRId64 " step %" PRId64 "%s", n->of->id, n->line.first, n->line.step,
			    n->line.back ? " back" : "");
		break;
	case NODE_RESHAPE:
	case NODE_PULLED:
	case NODE_STOP:
	case NODE_KINDS:
		break;
	}
}

static void print_node(struct text *t, const struct graph *g, const struct node *n)
{
	text_printf(t, "%%%d", n->id);
	if (n->name) {
		text_add(t, " ");
		text_json(t, n->name);
	}
	text_printf(t, " = %s", node_kind_text(n->kind));
	if (n->nin || n->kind == NODE_MAP) {
		for (int i = 0; i < n->nin; i++)
			text_printf(t, "%s%%%d", i ? ", " : "(", n->in[i]->id);
		text_add(t, n->nin ? ")" : "()");
	}
	print_attributes(t, g, n);
	text_add(t, " : ");
	type_print(t, n->dtype, &n->shape);
	if (n->place) {
		text_printf(t, " @%s", n->place->name);
		if (g->stage == GRAPH_LAID_OUT) {
			text_add(t, " : ");
			layout_print(t, n->place, &n->layout);
		}
	}
	if (n->origin == ORIGIN_BACKWARD)
		text_add(t, " ; backward");
	if (n->forward && is_in(g, n->forward))
		text_printf(t, n->origin == ORIGIN_BACKWARD ? " of %%%d" : " ; of %%%d", n->forward->id);
	text_add(t, "\n");
}

static void print_loop(struct text *t, const struct loop *l)
{
	text_printf(t, "loop %d", l->id);
	if (l->outer)
		text_printf(t, " in %d", l->outer->id);
	if (l->count)
		text_printf(t, " count %%%d", l->count->id);
	else if (l->condition)
		text_printf(t, " while %%%d", l->condition->id);
	else
		text_printf(t, " turns %" PRId64, l->turns);
	for (int i = 0; i < l->elsewhere.n; i++)
		text_printf(t, " and %%%d", l->elsewhere.at[i]->id);
	if (l->most >= 0)
		text_printf(t, " most %" PRId64, l->most);
	text_add(t, l->is_branch ? " branch\n" : l->batch ? " batches\n" : l->stages ? " stages\n" : "\n");
}

void graph_print(struct text *t, const struct graph *g)
{
	static const char *const stage[] = {"logical", "placed", "laid out"};
	text_printf(t, "graph %s vars %d\n", stage[g->stage], g->nlayout_vars);
	for (int i = 0; i < g->nodes.n; i++)
		print_node(t, g, g->nodes.at[i]);
	for (int i = 0; i < g->loops.n; i++)
		print_loop(t, g->loops.at[i]);
	for (int i = 0; i < g->outputs.n; i++) {
		const struct output *o = &g->outputs.at[i];
		text_add(t, o->kind == OUTPUT_SLOT ? "output slot " : "output host ");
		if (o->kind == OUTPUT_SLOT)
			print_slot_name(t, g, o->index);
		else
			text_printf(t, "%d", o->index);
		text_printf(t, " = %%%d\n", o->node->id);
	}
}
