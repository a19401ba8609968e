/* print.c — roles as text: their ranks, and what each computes in every region. */
#include "roles.h"

#include "physical.h"

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
