/* interpret.c — what a graph means: every node computed in order on whole tensors, row-major, one element at a time.
 * Everything else (generated code, layouts, passes, gradients) is tested against this, so it stays as plain as can be.
 */
#include "graph.h"

#include "../program.h"

#include <string.h>

static void copy_values(union scalar_value *to, const union scalar_value *from, int64_t n)
{
	if (n)
		memcpy(to, from, sizeof *to * (size_t)n);
}

static void run_map(const struct node *n, const struct tensor_value *values, union scalar_value *out)
{
	static const struct rule_origin whole;
	union scalar_value *operand[MAX_OPERANDS];
	for (int i = 0; i < n->nin; i++)
		operand[i] = values[n->in[i]->id].at;
	rule_interpret(n->rule, operand, out, &whole);
}

/* What is outside ends the program; here it is left as it is, and reads and writes nothing. */
static void run_check(const struct node *n, const union scalar_value *from, union scalar_value *to)
{
	int64_t volume = shape_volume(&n->shape);
	for (int64_t i = 0; i < volume; i++)
		to[i].i = from[i].i + (n->check.wraps && from[i].i < 0 ? n->check.extent : 0);
}

static void run_node(const struct node *n, const struct tensor_value *slots, const struct tensor_value *arguments,
		     const struct tensor_value *values, union scalar_value *out)
{
	int64_t volume = shape_volume(&n->shape);
	switch (n->kind) {
	case NODE_SLOT:
		copy_values(out, slots[n->slot].at, volume);
		break;
	case NODE_DATA:
		copy_values(out, arguments[n->data.argument].field[n->data.field].at, volume);
		break;
	case NODE_HOST:
		*out = arguments[n->argument].at[0];
		break;
	case NODE_CONST:
		*out = n->number;
		break;
	case NODE_MAP:
		run_map(n, values, out);
		break;
	case NODE_CHECK:
		run_check(n, values[n->in[0]->id].at, out);
		break;
	case NODE_RESHAPE:
	case NODE_TO:
	case NODE_CONTRACT:
	case NODE_STOP:
	case NODE_REMAT:
		copy_values(out, values[n->in[0]->id].at, volume);
		break;
	case NODE_KINDS:
		break;
	}
}

static union scalar_value *room_for(const struct graph *g, const struct shape *s)
{
	int64_t volume = shape_volume(s);
	BUG_IF(volume < 0 || volume > INT64_C(1) << 40, "a tensor too large to interpret");
	return ARENA_ARRAY(g->arena, union scalar_value, volume ? volume : 1);
}

void graph_interpret(const struct graph *g, struct tensor_value *slots, const struct tensor_value *arguments,
		     struct tensor_value *values)
{
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		values[i].dtype = n->dtype;
		values[i].shape = n->shape;
		if (!values[i].at)
			values[i].at = room_for(g, &n->shape);
		run_node(n, slots, arguments, values, values[i].at);
	}
	for (int i = 0; i < g->outputs.n; i++) {
		const struct output *o = &g->outputs.at[i];
		if (o->kind != OUTPUT_SLOT)
			continue;
		struct tensor_value *s = &slots[o->index];
		s->dtype = o->node->dtype;
		s->shape = o->node->shape;
		if (!s->at)
			s->at = room_for(g, &s->shape);
		copy_values(s->at, values[o->node->id].at, shape_volume(&s->shape));
	}
}
