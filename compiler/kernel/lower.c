/* lower.c — the entry of the lowerings, and the questions that decide which one a map needs. */
#include "lower.h"

#include "domain.h"
#include "known.h"
#include "prefix.h"

#include <string.h>

bool map_is_plain(const struct phys_node *n)
{
	const struct rule *r = n->rule;
	uint32_t seen = 0;
	for (int d = 0; d < r->out.rank; d++) {
		const struct index *x = &r->out.index[d];
		int f = index_factor(x);
		if (f < 0 && (r->out.dim[d] != 1 || x->guarded || x->nterms || x->data >= 0))
			return false;
		if (f < 0)
			continue;
		if (x->guarded || (seen >> f & 1) || r->out.dim[d] != r->factor[f].extent)
			return false;
		seen |= 1u << f;
	}
	return true;
}

bool map_is_pointwise(const struct phys_node *n)
{
	const struct rule *r = n->rule;
	if (n->kind != PHYS_MAP || !map_is_plain(n) || r->combiner == COMBINE_ARGMAX || r->combiner == COMBINE_ARGMIN)
		return false;
	for (int f = 0; f < r->nfactors; f++)
		if (r->factor[f].extent != 1 && rule_reduces(r, f))
			return false;
	return true;
}

/* The names of the stored maps, last first, three at most, as a symbol: "sub_d_add_db". */
static const char *group_name(struct arena *a, const struct group *g)
{
	char name[64];
	size_t n = 0;
	int parts = 0;
	for (int i = g->members.n - 1; i >= 0 && parts < 3; i--) {
		const char *s = g->members.at[i]->node->rule->name;
		if (!s || !g->members.at[i]->stored)
			continue;
		parts++;
		if (n && name[n - 1] != '_')
			name[n++] = '_';
		for (; *s && n < sizeof name - 2; s++) {
			bool plain = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9');
			if (plain || (n && name[n - 1] != '_'))
				name[n++] = plain ? *s : '_';
		}
		if (n >= sizeof name - 2)
			break;
	}
	while (n && name[n - 1] == '_')
		n--;
	return n ? arena_strndup(a, name, n) : "map";
}

static void start(struct lowering *l, struct arena *a, const char *name)
{
	l->arena = a;
	l->scratch = arena_new("lowering");
	l->b = build_new(a, name);
	l->out = ARENA_NEW(a, struct lowered);
	l->out->kernel = build_kernel(l->b);
	map_init(&l->params, l->scratch);
	map_init(&l->members, l->scratch);
	map_init(&l->scalars, l->scratch);
	map_init(&l->done, l->scratch);
}

static struct lowered *finish(struct lowering *l)
{
	l->out->kernel = build_finish(l->b);
	arena_free(l->scratch);
	kernel_phases(l->arena, l->out->kernel);
	kernel_cut(l->arena, l->out->kernel);
	kernel_collapse(l->arena, l->out->kernel);
	kernel_keep(l->arena, l->out->kernel);
	kernel_abreast(l->arena, l->out->kernel);
	const char *wrong = kernel_verify(l->arena, l->out->kernel);
	BUG_IF(wrong, "kernel %s: %s", l->out->kernel->name, wrong);
	int nparams = l->out->kernel->params.n;
	l->out->may_share = ARENA_ARRAY(l->arena, int8_t, nparams * nparams);
	return l->out;
}

/* Operations of the kernel that computes the map, about. */
static int64_t map_flops(const struct phys_node *n)
{
	struct arena *a = arena_new("flops");
	struct prefix p;
	int64_t flops = prefix_of_map(a, n, &p) ? prefix_flops(n, &p) : rule_flops(n->rule);
	arena_free(a);
	return flops;
}

static struct lowered *lower_new(struct arena *a, const struct group *g, const bool *stored)
{
	struct lowering l = {.group = g, .stored = stored};
	start(&l, a, group_name(a, g));
	if (g->general)
		lower_general(&l);
	else
		lower_domain(&l);
	struct lowered *out = finish(&l);
	for (int i = 0; i < g->members.n; i++)
		out->kernel->flops += map_flops(g->members.at[i]->node);
	return out;
}

struct lowered *lower_group(struct arena *a, struct lowerings *known, const struct group *g, const bool *stored)
{
	if (!known)
		return lower_new(a, g, stored);
	struct group_key key;
	struct arena *scratch = arena_new("group");
	group_key_make(&key, scratch, g, stored);
	struct lowered *l = lowerings_find(known, a, &key);
	struct lowered *fresh = !l || lowerings_verify(known) ? lower_new(a, g, stored) : NULL;
	if (!l) {
		lowerings_add(known, &key, fresh);
		l = fresh;
	}
	BUG_IF(fresh && !lowered_equal(l, fresh),
	       "the memo of kernel/known.c: kernel %s is not that of the group it was found for", l->kernel->name);
	arena_free(scratch);
	return l;
}

bool lowered_can_share(struct lowered *l, int in, int out)
{
	int8_t *known = &l->may_share[in * l->kernel->params.n + out];
	if (!*known)
		*known = kernel_can_share(l->kernel, in, out) ? 1 : -1;
	return *known > 0;
}

struct lowered *lower_scalar(struct arena *a, struct phys_node *n, const bool *stored)
{
	struct lowering l = {.stored = stored};
	start(&l, a, "scalar");
	int p = value_param(&l, n, KP_OUT);
	struct kernel_affine at = affine_const(0);
	int reg = n->kind == PHYS_MAP ? value_of_point(&l, n, NULL, -1, NULL) : value_at(&l, n, NULL, -1);
	build_store(l.b, p, &at, reg, -1);
	struct lowered *out = finish(&l);
	out->kernel->flops = n->kind == PHYS_MAP ? rule_flops(n->rule) : 0;
	return out;
}
