/* key.c — what equal nodes have in common, written down for a memo (graph.h). */
#include "graph.h"

#include "../op/intern.h"

#include "base/memo.h"

/* The first of the table that is equal but for names, as rule_equal has it. */
static const struct rule *without_names(const struct rule *r)
{
	const struct rule_facts *known = rule_facts(r);
	return known ? known->same : r;
}

static void add_attributes(struct memo *m, const struct node *n)
{
	switch (n->kind) {
	case NODE_SLOT:
		memo_add(m, (uint64_t)n->slot);
		return;
	case NODE_DATA:
		memo_add(m, (uint64_t)n->data.argument);
		memo_add(m, (uint64_t)n->data.field);
		return;
	case NODE_HOST:
		memo_add(m, (uint64_t)n->argument);
		return;
	case NODE_CONST:
		memo_add(m, (uint64_t)n->number.i);
		return;
	case NODE_MAP:
		memo_add_pointer(m, without_names(n->rule));
		return;
	case NODE_CHECK: /* of two places that would fail, the first is told */
		memo_add(m, (uint64_t)n->check.extent);
		memo_add(m, (uint64_t)n->check.asked);
		return;
	case NODE_FACTORS:
		memo_add(m, (uint64_t)n->factors);
		return;
	case NODE_LINE:
		memo_add(m, (uint64_t)n->line.first);
		memo_add(m, (uint64_t)n->line.step);
		memo_add(m, n->line.back);
		return;
	case NODE_STACK:
		memo_add(m, n->line.back);
		return;
	case NODE_TANGENT:
	case NODE_RULED:
		memo_add(m, (uint64_t)n->depth);
		return;
	case NODE_PULLED:
		memo_add(m, (uint64_t)(uintptr_t)n->pulled.by);
		memo_add(m, (uint64_t)n->pulled.result);
		return;
	case NODE_TURN:
	case NODE_CARRY:
	case NODE_END:
	case NODE_RESHAPE:
	case NODE_TO:
	case NODE_CONTRACT:
	case NODE_STOP:
	case NODE_REMAT:
	case NODE_KINDS:
		return;
	}
}

void node_add_key(struct memo *m, const struct node *n)
{
	memo_add(m, (uint64_t)n->kind << 32 | (uint64_t)n->dtype << 8 | (uint64_t)n->shape.rank);
	for (int d = 0; d < n->shape.rank; d++)
		memo_add(m, (uint64_t)n->shape.dim[d]);
	memo_add(m, (uint64_t)n->nin);
	add_attributes(m, n);
}
