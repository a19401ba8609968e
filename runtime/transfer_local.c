/* transfer_local.c — changes of layout that move no byte between ranks: the same layout (a copy), a slice of a B, a
 * shard put into zeros for a P, a B kept on one rank. The plan is that of the general exchange, whose legs all stay
 * within the rank; if the compiler chose this method where bytes must travel, the program ends at start. */
#include "transfer.h"

#include <string.h>

struct local {
	int64_t bytes;
};

static bool local_prepare(struct pmlrt *rt, struct rt_transfer *t)
{
	if (!mesh_same(t->from.place, t->to.place) || side_changes(&t->from, &t->to)) {
		if (moves_sent(&t->from, &t->to, rt->rank) > 0)
			rt_fail(rt, t->site,
				"internal error: transfer %d is planned as local, but moves bytes between ranks",
				t->id);
		return false;
	}
	struct local *plan = t->plan = rt_alloc(rt, sizeof *plan);
	plan->bytes = rt_type_bytes(rt, &rt->program->types[t->decl->src]);
	return true;
}

static void local_begin(struct pmlrt *rt, struct rt_transfer *t)
{
	(void)rt;
	const struct local *plan = t->plan;
	if (t->src != t->dst && plan->bytes)
		memcpy(t->dst, t->src, (size_t)plan->bytes);
}

static bool local_next(struct pmlrt *rt, struct rt_transfer *t)
{
	(void)rt;
	(void)t;
	return true;
}

const struct rt_method rt_method_local = {.prepare = local_prepare, .begin = local_begin, .next = local_next};
