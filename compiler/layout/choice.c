/* choice.c — see choice.h. On several axes every combination of one signature per axis is a choice; what differs in no
 * layout is one choice. */
#include "choice.h"

#include "../op/signature.h"
#include "cost.h"

#include <string.h>

enum { MAX_CHOICES = 4096 };

struct choices {
	struct arena *arena;
	VEC(struct choice) list;
};

/* ---- work ---- */

static int64_t times(int64_t a, int64_t b)
{
	int64_t product;
	return __builtin_mul_overflow(a, b, &product) ? INT64_MAX / 4 : product;
}

static int64_t local_bytes(const struct node *n, const struct layout *l)
{
	struct shape local = layout_local_shape(n->place, l, &n->shape, 0);
	return times(shape_volume(&local), dtype_size(n->dtype));
}

/* Points of the busiest rank: a split factor is shared out, everything else is done by all. */
static int64_t local_points(const struct node *n, const struct signature *const *axes)
{
	int64_t extent[MAX_FACTORS], points = 1;
	for (int f = 0; f < n->rule->nfactors; f++)
		extent[f] = n->rule->factor[f].extent;
	for (int a = 0; a < n->place->naxes; a++)
		if (axes[a]->factor >= 0)
			extent[axes[a]->factor] = shard_count(extent[axes[a]->factor], n->place->extent[a], 0);
	for (int f = 0; f < n->rule->nfactors; f++)
		points = times(points, extent[f]);
	return points;
}

/* ---- maps ---- */

static bool same_layouts(const struct node *n, const struct choice *a, const struct choice *b)
{
	if (!layout_equal(n->place, &a->out, &b->out))
		return false;
	for (int i = 0; i < n->nin; i++)
		if (!layout_equal(n->place, &a->in[i], &b->in[i]))
			return false;
	return true;
}

static void add_choice(struct choices *c, const struct node *n, const struct choice *x)
{
	for (int i = 0; i < c->list.n; i++)
		if (same_layouts(n, &c->list.at[i], x)) {
			if (x->work < c->list.at[i].work)
				c->list.at[i] = *x;
			return;
		}
	if (c->list.n < MAX_CHOICES)
		vec_push(c->arena, &c->list, *x);
}

static void add_map_choice(struct choices *c, const struct node *n, const struct signature *const *axes, int64_t flops)
{
	struct choice x = {.out = layout_broadcast()};
	for (int a = 0; a < n->place->naxes; a++) {
		x.out.atom[a] = axes[a]->out;
		for (int i = 0; i < n->nin; i++)
			x.in[i].atom[a] = axes[a]->operand[i];
	}
	if (layout_mixes_combiners(n->place, &x.out))
		return;
	x.work = saturating_add(times(local_points(n, axes), flops), local_bytes(n, &x.out));
	add_choice(c, n, &x);
}

static void map_choices(struct choices *c, const struct node *n)
{
	struct signature s[MAX_SIGNATURES];
	const struct signature *axes[MAX_AXES];
	int count = rule_signatures(n->rule, s), flops = 1 + scalar_flops(n->rule->body);
	int64_t combinations = 1;
	for (int a = 0; a < n->place->naxes; a++)
		combinations = times(combinations, count);
	for (int64_t k = 0; k < combinations && k < MAX_CHOICES; k++) {
		int64_t rest = k;
		for (int a = n->place->naxes - 1; a >= 0; a--) {
			axes[a] = &s[rest % count];
			rest /= count;
		}
		add_map_choice(c, n, axes, flops);
	}
}

/* ---- the others ---- */

int layouts_of(struct arena *a, const struct place *p, const struct shape *s, bool parts, struct layout **out)
{
	int atoms = 1 + s->rank + parts, n = 0;
	int64_t combinations = 1;
	for (int x = 0; x < p->naxes; x++)
		combinations = times(combinations, atoms);
	if (combinations > MAX_CHOICES)
		combinations = MAX_CHOICES;
	struct layout *list = ARENA_ARRAY(a, struct layout, combinations);
	for (int64_t k = 0; k < combinations; k++) {
		int64_t rest = k;
		for (int x = p->naxes - 1; x >= 0; x--) {
			int atom = (int)(rest % atoms);
			rest /= atoms;
			list[n].atom[x].kind = atom == 0 ? SHARD_B : atom <= s->rank ? SHARD_S : SHARD_P;
			list[n].atom[x].dim = (int8_t)(atom > 0 && atom <= s->rank ? atom - 1 : 0);
		}
		n++;
	}
	*out = list;
	return n;
}

static void plain_choices(struct choices *c, const struct node *n, bool parts)
{
	struct layout *l;
	int count = layouts_of(c->arena, n->place, &n->shape, parts, &l);
	for (int i = 0; i < count; i++) {
		struct choice x = {.out = l[i], .work = local_bytes(n, &l[i])};
		for (int k = 0; k < n->nin; k++)
			x.in[k] = l[i];
		add_choice(c, n, &x);
	}
}

static void reshape_choices(struct choices *c, const struct node *n)
{
	struct layout *l;
	int count = layouts_of(c->arena, n->place, &n->in[0]->shape, true, &l);
	for (int i = 0; i < count; i++) {
		struct choice x = {.in = {l[i]}};
		if (!reshape_layout(n->place, &n->in[0]->shape, &l[i], &n->shape, &x.out))
			continue;
		x.work = local_bytes(n, &x.out);
		add_choice(c, n, &x);
	}
}

int choices_of(struct arena *a, const struct node *n, struct choice **out)
{
	struct choices c = {.arena = a};
	switch (n->kind) {
	case NODE_MAP:
		map_choices(&c, n);
		break;
	case NODE_RESHAPE:
		reshape_choices(&c, n);
		break;
	case NODE_DATA:
		plain_choices(&c, n, false);
		break;
	case NODE_CONTRACT:
	case NODE_STOP:
	case NODE_REMAT:
		plain_choices(&c, n, true);
		break;
	case NODE_SLOT:
	case NODE_HOST:
	case NODE_CONST:
		add_choice(&c, n, &(struct choice){.out = layout_broadcast()});
		break;
	case NODE_TO:
	case NODE_KINDS:
		break;
	}
	BUG_IF(c.list.n == 0, "no layout at all for a node of kind %d", (int)n->kind);
	*out = c.list.at;
	return c.list.n;
}

int choice_conversions(const struct node *n, const struct choice *c, const struct layout *has)
{
	int count = 0;
	for (int i = 0; i < n->nin; i++) {
		if (layout_equal(n->place, &has[i], &c->in[i]))
			continue;
		if (!layout_converts_freely(n->place, &has[i], &c->in[i]))
			return -1;
		count++;
	}
	return count;
}
