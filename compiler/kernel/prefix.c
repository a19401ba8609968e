/* prefix.c — see prefix.h. */
#include "prefix.h"

#include "../../runtime/moves/count.h"

bool prefix_of_map(struct arena *a, const struct phys_node *n, struct prefix *p)
{
	return n->kind == PHYS_MAP && prefix_of_rule(a, n->rule, p) && map_is_plain(n);
}

bool map_is_prefix(const struct phys_node *n)
{
	if (n->kind != PHYS_MAP || n->rule->combiner == COMBINE_NONE)
		return false;
	struct arena *a = arena_new("prefix");
	struct prefix p;
	bool found = prefix_of_map(a, n, &p);
	arena_free(a);
	return found;
}

int64_t prefix_flops(const struct phys_node *n, const struct prefix *p)
{
	const struct rule *r = n->rule;
	int64_t flops = 1 + scalar_flops(p->value);
	for (int f = 0; f < r->nfactors; f++)
		if (f != p->over)
			flops = count_mul(flops, r->factor[f].extent);
	return flops;
}
