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
		to[i].i = from[i].i + (n->check.asked == ASKED_WITHIN && from[i].i < 0 ? n->check.extent : 0);
}

/* A run: everything that nodes read and write. */
struct run {
	const struct graph *g;
	struct tensor_value *slots, *values;
	const struct tensor_value *arguments;
	int64_t *turn; /* by loop: the turn it is in; behind it: how many it had */
};

/* Of a loop that is not asked turn by turn. */
static int64_t turns_of(const struct run *r, const struct loop *l)
{
	return l->count ? r->values[l->count->id].at->i : l->turns;
}

static int64_t line_of(const struct run *r, const struct node *n)
{
	return (n->line.back ? turns_of(r, n->of) : 0) + n->line.first + n->line.step * r->turn[n->of->id];
}

static void run_line(const struct run *r, const struct node *n, union scalar_value *out)
{
	int64_t line = line_of(r, n), volume = shape_volume(&n->shape);
	const struct tensor_value *x = &r->values[n->in[n->nin > 1 ? line : 0]->id];
	BUG_IF(n->nin == 1 && (line < 0 || line >= x->shape.dim[0]), "line %lld of a stack", (long long)line);
	copy_values(out, x->at + (n->nin > 1 ? 0 : line * volume), volume);
}

static void run_node(struct run *r, const struct node *n, union scalar_value *out)
{
	int64_t volume = shape_volume(&n->shape);
	switch (n->kind) {
	case NODE_SLOT:
		copy_values(out, r->slots[n->slot].at, volume);
		break;
	case NODE_DATA:
		copy_values(out, r->arguments[n->data.argument].field[n->data.field].at, volume);
		break;
	case NODE_HOST:
		*out = r->arguments[n->argument].at[0];
		break;
	case NODE_CONST:
		*out = n->number;
		break;
	case NODE_MAP:
		run_map(n, r->values, out);
		break;
	case NODE_CHECK:
		run_check(n, r->values[n->in[0]->id].at, out);
		break;
	case NODE_FACTORS:
		factors_interpret(n->factors, n->dtype, &n->in[0]->shape, r->values[n->in[0]->id].at, out);
		break;
	case NODE_TURN:
		out->i = r->turn[n->of->id];
		break;
	case NODE_LINE:
		run_line(r, n, out);
		break;
	case NODE_RESHAPE:
	case NODE_TO:
	case NODE_CONTRACT:
	case NODE_STOP:
	case NODE_REMAT:
	case NODE_RULED:
	case NODE_PULLED:
	case NODE_END:
		copy_values(out, r->values[n->in[0]->id].at, volume);
		break;
	case NODE_TANGENT: /* nothing moves */
		memset(out, 0, sizeof *out * (size_t)volume);
		break;
	case NODE_CARRY: /* written when a turn begins */
	case NODE_STACK: /* a line in every turn */
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

static void make_room(struct run *r, const struct node *n)
{
	struct tensor_value *v = &r->values[n->id];
	v->dtype = n->dtype;
	v->shape = n->shape;
	if (!v->at)
		v->at = room_for(r->g, &n->shape);
}

static int run_nodes(struct run *r, const struct loop *in, int from);

/* What the ENDs among the exits from `from` on say is carried next: all is computed before any is replaced. */
static void replace_carried(struct run *r, int from, int end)
{
	union scalar_value **next = ARENA_ARRAY(r->g->arena, union scalar_value *, end - from);
	for (int pass = 0; pass < 2; pass++)
		for (int i = from; i < end; i++) {
			const struct node *n = r->g->nodes.at[i];
			int64_t volume = shape_volume(&n->shape);
			if (n->kind != NODE_END)
				continue;
			if (!pass)
				next[i - from] = room_for(r->g, &n->shape);
			copy_values(pass ? r->values[n->in[0]->id].at : next[i - from],
				    pass ? next[i - from] : r->values[n->in[1]->id].at, volume);
		}
}

static void add_line(struct run *r, const struct node *n, int64_t turn)
{
	if (n->line.back)
		turn = turns_of(r, n->of) - 1 - turn;
	struct tensor_value *v = &r->values[n->id];
	int64_t volume = shape_volume(&n->in[0]->shape);
	if (turn >= v->shape.dim[0]) { /* of unknown turns: twice as many */
		union scalar_value *old = v->at;
		int64_t had = v->shape.dim[0];
		v->shape.dim[0] = 2 * turn + 1;
		v->at = room_for(r->g, &v->shape);
		copy_values(v->at, old, had * volume);
	}
	copy_values(v->at + turn * volume, r->values[n->in[0]->id].at, volume);
}

static bool has_turn(const struct run *r, const struct loop *l)
{
	int64_t turn = r->turn[l->id];
	if (l->condition)
		return r->values[l->condition->id].at->i;
	return turn < turns_of(r, l);
}

static void clear(struct run *r, const struct node *n)
{
	make_room(r, n);
	memset(r->values[n->id].at, 0, sizeof *r->values->at * (size_t)shape_volume(&n->shape));
}

/* The loop whose nodes begin at `from`; where its exits end. */
static int run_loop(struct run *r, const struct loop *l, int from)
{
	const struct graph *g = r->g;
	const struct loop_extent x = loop_extent(l, g->nodes.at, g->nodes.n, from);
	for (int i = x.exits; i < x.end; i++)
		clear(r, g->nodes.at[i]);
	for (int i = from; i < x.exits; i++)
		if (g->nodes.at[i]->kind == NODE_CARRY && g->nodes.at[i]->of == l) {
			make_room(r, g->nodes.at[i]);
			copy_values(r->values[i].at, r->values[g->nodes.at[i]->in[0]->id].at,
				    shape_volume(&g->nodes.at[i]->shape));
		}
	for (r->turn[l->id] = 0;; r->turn[l->id]++) {
		if (!l->condition && !has_turn(r, l))
			break;
		run_nodes(r, l, from); /* of a condition: once too often, without effect */
		if (!has_turn(r, l))
			break;
		for (int i = x.exits; i < x.end; i++)
			if (g->nodes.at[i]->kind == NODE_STACK)
				add_line(r, g->nodes.at[i], r->turn[l->id]);
		replace_carried(r, x.exits, x.end);
	}
	for (int i = x.exits; i < x.end; i++) {
		if (g->nodes.at[i]->kind == NODE_STACK)
			r->values[i].shape.dim[0] = loop_lines(l) ? loop_lines(l) : r->turn[l->id];
		else
			run_node(r, g->nodes.at[i], r->values[i].at);
	}
	return x.end;
}

/* What stands in a loop (NULL: in none), from the node at `from` on; where it ends. */
static int run_nodes(struct run *r, const struct loop *in, int from)
{
	int i = from;
	while (i < r->g->nodes.n && loop_is_in(r->g->nodes.at[i]->loop, in)) {
		const struct node *n = r->g->nodes.at[i];
		if (n->loop != in || node_is_exit(n)) {
			i = run_loop(r, node_is_exit(n) && n->loop == in ? n->of : loop_below(n->loop, in), i);
			continue;
		}
		make_room(r, n);
		run_node(r, n, r->values[i].at);
		i++;
	}
	return i;
}

void graph_interpret(const struct graph *g, struct tensor_value *slots, const struct tensor_value *arguments,
		     struct tensor_value *values)
{
	struct run r = {.g = g, .slots = slots, .values = values, .arguments = arguments};
	r.turn = ARENA_ARRAY(g->arena, int64_t, g->loops.n);
	run_nodes(&r, NULL, 0);
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
