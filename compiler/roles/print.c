/* print.c — roles as text: their ranks, and what each computes in every region. */
#include "roles.h"

#include "physical.h"

#include <inttypes.h>

static void print_source(struct text *t, const struct program *p, const struct phys_node *x)
{
	switch (x->kind) {
	case PHYS_SLOT:
		text_printf(t, " %s", p->slots.at[x->slot]->name);
		break;
	case PHYS_DATA:
		text_printf(t, " argument %d, field %d", x->argument, x->field);
		break;
	case PHYS_HOST:
		text_printf(t, " argument %d", x->argument);
		break;
	case PHYS_CONST:
		text_add(t, " ");
		number_print(t, x->dtype, x->number);
		break;
	case PHYS_TRANSFER:
	case PHYS_SEND:
		text_printf(t, " %d", x->transfer);
		break;
	case PHYS_CHECK:
		text_printf(t, " below %" PRId64, x->node->check.extent);
		break;
	case PHYS_TURN:
	case PHYS_CARRY:
	case PHYS_LINE:
	case PHYS_END:
	case PHYS_STACK:
		text_printf(t, " of loop %d", x->of->id);
		break;
	case PHYS_FACTORS:
		text_printf(t, " %s", factors_text(x->node->factors));
		break;
	case PHYS_MAP:
	case PHYS_VIEW:
		break;
	}
}

void physical_print(struct text *t, const struct program *p, const struct phys_graph *g)
{
	static const char *const kind[] = {
		[PHYS_SLOT] = "slot",       [PHYS_DATA] = "data", [PHYS_HOST] = "host",   [PHYS_CONST] = "const",
		[PHYS_MAP] = "map",         [PHYS_VIEW] = "view", [PHYS_CHECK] = "check", [PHYS_TRANSFER] = "transfer",
		[PHYS_SEND] = "send",       [PHYS_TURN] = "turn", [PHYS_CARRY] = "carry", [PHYS_LINE] = "line",
		[PHYS_FACTORS] = "factors", [PHYS_END] = "end",   [PHYS_STACK] = "stack"};
	for (int i = 0; i < g->nodes.n; i++) {
		const struct phys_node *x = g->nodes.at[i];
		text_printf(t, "%%%d = %s", x->id, kind[x->kind]);
		print_source(t, p, x);
		for (int k = 0; k < x->nin; k++)
			text_printf(t, "%s%%%d%s", k ? ", " : "(", x->in[k]->id, k + 1 < x->nin ? "" : ")");
		if (x->rule) {
			text_add(t, " {");
			rule_print(t, x->rule);
			text_add(t, "}");
		}
		text_add(t, " : ");
		type_print(t, x->dtype, &x->shape);
		text_printf(t, x->loop ? "  in loop %d\n" : "\n", x->loop ? x->loop->id : 0);
	}
	for (int i = 0; i < g->outputs.n; i++)
		text_printf(t, "output %s %d = %%%d\n", g->outputs.at[i].kind == OUTPUT_SLOT ? "slot" : "host",
			    g->outputs.at[i].index, g->outputs.at[i].node->id);
}

static void print_ranks(struct text *t, const struct role *r)
{
	for (int i = 0, end; i < r->ranks.n; i = end) {
		for (end = i + 1; end < r->ranks.n && r->ranks.at[end] == r->ranks.at[end - 1] + 1; end++)
			;
		text_printf(t, "%s%d", i ? ", " : "", r->ranks.at[i]);
		if (end > i + 1)
			text_printf(t, "..%d", r->ranks.at[end - 1]);
	}
}

void roles_print(struct text *t, struct program *p)
{
	struct arena *a = arena_new("printing roles");
	for (int r = 0; r < p->roles.n; r++) {
		const struct role *role = p->roles.at[r];
		text_printf(t, "role \"%s\", ranks ", role->name);
		print_ranks(t, role);
		text_add(t, "\n");
		for (int i = 0; i < p->regions.n; i++) {
			const struct region *region = p->regions.at[i];
			const struct phys_graph *g = physical_graph(p, a, role, region->graph, region->transfer_of);
			if (!g)
				continue;
			text_printf(t, "region %d %s\n", i, region->name);
			physical_print(t, p, g);
		}
	}
	arena_free(a);
}
