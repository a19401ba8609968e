/* localise.c — from the layouts around a map back to the signature that made them legal, axis by axis. */
#include "localise.h"

#include "../graph/known.h"

#include <string.h>

uint32_t split_of_dim(const struct place *p, const struct layout *l, int d)
{
	uint32_t mask = 0;
	for (int a = 0; a < p->naxes; a++) {
		bool along = l->atom[a].kind == SHARD_S || l->atom[a].kind == SHARD_WINDOW;
		if (p->extent[a] > 1 && along && l->atom[a].dim == d)
			mask |= 1u << a;
	}
	return mask;
}

struct layout layout_of_dim(const struct place *p, const struct layout *l, int d)
{
	struct layout out = layout_broadcast();
	uint32_t mask = split_of_dim(p, l, d);
	for (int a = 0; a < p->naxes; a++)
		if (mask >> a & 1) {
			out.atom[a] = l->atom[a];
			out.atom[a].dim = 0;
		}
	return out;
}

struct extent_at vector_at(const struct place *p, const struct layout *vector, int64_t n, int64_t position)
{
	struct shape s = {.rank = 1, .dim = {n}};
	int64_t begin[MAX_RANK], end[MAX_RANK];
	layout_box(p, vector, &s, position, begin, end);
	return (struct extent_at){begin[0], end[0] - begin[0]};
}

void split_of_map(const struct node *n, struct map_split *split)
{
	memset(split, 0, sizeof *split);
	const struct signature *signatures;
	int count = signatures_of_known(n->rule, n->in, &signatures);
	for (int a = 0; a < n->place->naxes; a++) {
		if (n->place->extent[a] == 1)
			continue;
		const struct signature *s = signatures;
		while (s < signatures + count && !signature_fits(s, n->rule, n->in, n->layout.atom[a], a))
			s++;
		BUG_IF(s == signatures + count, "node %%%d (%s): its layouts fit no signature on axis %d", n->id,
		       n->rule->name, a);
		struct shard_atom operand[MAX_OPERANDS];
		for (int i = 0; i < n->nin; i++)
			operand[i] = n->in[i]->layout.atom[a];
		if (s->factor >= 0)
			split->factor[s->factor].atom[a] = signature_cuts(s, n->rule, operand, n->layout.atom[a]);
	}
}
