/* roll_values.c — what nodes read in the loops of a steady pipeline and around them (roll.c): made there, carried from
 * earlier turns, stacked by an earlier loop, left by the last turns, or computed once more. */
#include "roll.h"

int roll_index_of(const struct roller *r, const struct node *x)
{
	int i = x->id - r->s->from;
	return i >= 0 && i < r->n && r->body[i] == x ? i : -1;
}

uint64_t roll_key(const struct roller *r, int64_t micro, int i)
{
	return (uint64_t)micro * (uint64_t)r->n + (uint64_t)i + 1;
}

/* Nodes that the builders make stand where n does, in its micro-batch. */
static struct node *settle(struct node *x, const struct node *n)
{
	x->place = x->place ? x->place : n->place;
	x->layout = n->layout;
	return x;
}

static struct node_site site_of(const struct roller *r, const struct node *n, int64_t micro)
{
	struct node_site at = node_site_of(n);
	at.batch = r->l->batch;
	at.micro = (int)micro;
	at.forward = roll_index_of(r, n->forward ? n->forward : n) < 0 ? n->forward : NULL;
	return at;
}

struct loop *roll_loop_of(const struct roller *r, int in)
{
	return r->s->loops[in].now;
}

int roll_first_segment(const struct roller *r, int in)
{
	return r->s->loops[in].begin + 1;
}

int roll_last_segment(const struct roller *r, int in)
{
	return r->s->loops[in].begin + r->s->loops[in].length;
}

/* ---- in a loop ---- */

struct node *roll_end_of(struct roller *r, int in, struct node *carry, struct node *next)
{
	struct node_site at = node_site_of(carry);
	struct node *x = settle(graph_end(r->g, &at, carry, next), carry);
	x->segment = roll_last_segment(r, in);
	map_set_u64(&r->ends, (uint64_t)(uintptr_t)carry, x);
	return x;
}

static struct node *aged(struct roller *r, int i, int turns)
{
	struct older *o = &r->older[i];
	struct node *n = r->body[i];
	int in = r->s->in[i];
	while (o->at.n < turns) {
		int64_t micro = r->s->first[i] - o->at.n - 1;
		struct node_site at = site_of(r, n, micro);
		struct node *x = graph_carry(r->g, &at, roll_loop_of(r, in), roll_value_at(r, n, in, micro));
		settle(x, n)->segment = roll_first_segment(r, in);
		vec_push(r->arena, &o->at, x);
		if (r->loops[in].is_made)
			roll_end_of(r, in, x, o->at.n > 1 ? o->at.at[o->at.n - 2] : r->made[i]);
	}
	return turns ? o->at.at[turns - 1] : r->made[i];
}

static struct node *line_in_turn(struct roller *r, struct node *n, int in, int ahead)
{
	struct node_site at = site_of(r, n, ahead);
	struct node *x = graph_line(r->g, &at, roll_loop_of(r, in), n->nin, n->in, n->line.first + n->line.step * ahead,
				    n->line.step, false);
	settle(x, n)->segment = roll_first_segment(r, in);
	return x;
}

static struct node *number_in_turn(struct roller *r, struct node *n, int in, int ahead)
{
	struct node_site at = site_of(r, n, ahead);
	struct node *turn = settle(graph_turn(r->g, &at, roll_loop_of(r, in)), n);
	turn->segment = roll_first_segment(r, in);
	struct node *more = settle(graph_int(r->g, &at, DT_I64, ahead), n);
	return settle(graph_pointwise(r->g, &at, SC_ADD, turn, more, NULL), n);
}

/* n once more, for who reads it elsewhere. */
static struct node *again(struct roller *r, struct node *n, struct node **in, int64_t micro)
{
	struct node *x = graph_node(r->g);
	struct node_site at = site_of(r, n, micro);
	*x = *n;
	x->in = in;
	x->forward = at.forward;
	x->batch = at.batch;
	x->micro = at.micro;
	x->loop = node_loop(x);
	x->after = NULL;
	x->segment = 0;
	vec_push(r->g->arena, &r->g->nodes, x);
	return x;
}

static struct node *again_in_turn(struct roller *r, struct node *n, int in, int ahead)
{
	struct node **x = ARENA_ARRAY(r->g->arena, struct node *, n->nin);
	for (int k = 0; k < n->nin; k++)
		x[k] = roll_value_in_turn(r, n->in[k], in, ahead);
	return again(r, n, x, ahead);
}

/* x over micro-batches `first` + turn, of all turns of the loop. */
static struct node *stack_in(struct roller *r, const struct node_site *at, int in, struct node *x, int first)
{
	struct node *n = roll_value_in_turn(r, x, in, first);
	struct node *lines = graph_stack(r->g, at, roll_loop_of(r, in), n, false);
	lines->place = x->place;
	lines->layout = layout_of_lines(x->place, &x->layout);
	lines->segment = roll_last_segment(r, in);
	return lines;
}

/* What an earlier loop has made of node i in all its turns. */
static struct node *lines_of(struct roller *r, int i)
{
	struct node *n = r->body[i];
	struct node_site at = site_of(r, n, r->s->first[i]);
	if (!r->lines[i])
		r->lines[i] = stack_in(r, &at, r->s->in[i], n, r->s->first[i]);
	return r->lines[i];
}

static struct node *kept_in_turn(struct roller *r, struct node *n, int in, int ahead)
{
	int i = roll_index_of(r, n);
	struct node_site at = site_of(r, n, ahead);
	struct node *lines = lines_of(r, i);
	struct node *x = graph_line(r->g, &at, roll_loop_of(r, in), 1, &lines, ahead - r->s->first[i], 1, false);
	settle(x, n)->segment = roll_first_segment(r, in);
	return x;
}

/* An entry of the loop as it was, what is computed again, or what an earlier loop made, over micro-batch turn +
 * ahead. */
static struct node *entry(struct roller *r, struct node *n, int in, int ahead)
{
	int i = roll_index_of(r, n);
	uint64_t k = roll_key(r, ahead, i);
	struct node *x = map_get_u64(&r->loops[in].entries, k);
	if (x)
		return x;
	x = n->of == r->l && n->kind == NODE_LINE   ? line_in_turn(r, n, in, ahead)
	    : n->of == r->l && n->kind == NODE_TURN ? number_in_turn(r, n, in, ahead)
	    : r->is_again[i]                        ? again_in_turn(r, n, in, ahead)
						    : kept_in_turn(r, n, in, ahead);
	map_set_u64(&r->loops[in].entries, k, x);
	return x;
}

/* x over micro-batch turn + ahead. */
struct node *roll_value_in_turn(struct roller *r, struct node *x, int in, int ahead)
{
	int i = roll_index_of(r, x);
	if (i < 0)
		return x;
	if (x->of == r->l && x->kind == NODE_CARRY)
		return roll_value_in_turn(r, r->s->end[x->id]->in[1], in, ahead - 1);
	if (x->of == r->l || r->s->in[i] != in)
		return entry(r, x, in, ahead);
	int turns = r->s->first[i] - ahead;
	return turns && r->is_again[i] ? entry(r, x, in, ahead) : aged(r, i, turns);
}

/* ---- ahead of loops and behind them ---- */

static struct node *plain_entry(struct roller *r, struct node *n, int64_t micro)
{
	uint64_t k = roll_key(r, micro, roll_index_of(r, n));
	struct node *x = map_get_u64(&r->plain, k);
	if (x)
		return x;
	struct node_site at = site_of(r, n, micro);
	int64_t line = n->line.first + n->line.step * micro;
	if (n->kind == NODE_TURN)
		x = settle(graph_int(r->g, &at, DT_I64, micro), n);
	else if (n->nin > 1)
		x = n->in[line];
	else
		x = settle(graph_line_of(r->g, &at, n->in[0], line), n);
	map_set_u64(&r->plain, k, x);
	return x;
}

/* What the loop has made of node i, so many turns before the last. */
static struct node *left(struct roller *r, int i, int turns)
{
	return map_get_u64(&r->ends, (uint64_t)(uintptr_t)aged(r, i, turns + 1));
}

enum { AS_MADE = INT32_MIN };

static struct node *value_at(struct roller *r, struct node *x, int in, int64_t micro, int ahead);

/* n once more, for who is a copy of what stands in loop `in`, `ahead` of the turn there. */
static struct node *again_at(struct roller *r, struct node *n, int in, int64_t micro, int ahead)
{
	uint64_t k = roll_key(r, micro, roll_index_of(r, n));
	struct again_at *all = map_get_u64(&r->again, k), *kept = all;
	while (kept && (kept->in != in || kept->ahead != ahead))
		kept = kept->next;
	if (kept)
		return kept->x;
	struct node **of = ARENA_ARRAY(r->g->arena, struct node *, n->nin);
	for (int m = 0; m < n->nin; m++)
		of[m] = value_at(r, n->in[m], in, micro, ahead);
	kept = ARENA_NEW(r->arena, struct again_at);
	*kept = (struct again_at){in, ahead, again(r, n, of, micro), all};
	map_set_u64(&r->again, k, kept);
	return kept->x;
}

/* What an earlier loop has made of n in that turn. */
static struct node *plain_kept(struct roller *r, struct node *n, int64_t micro)
{
	int i = roll_index_of(r, n);
	uint64_t k = roll_key(r, micro, i);
	struct node *x = map_get_u64(&r->plain, k);
	if (x)
		return x;
	struct node_site at = site_of(r, n, micro);
	x = settle(graph_line_of(r->g, &at, lines_of(r, i), micro - r->s->first[i]), n);
	map_set_u64(&r->plain, k, x);
	return x;
}

/* x over a micro-batch, for a copy of who stands in loop `in`, `ahead` of the turn there, and there computes it again;
 * AS_MADE: for others. */
static struct node *value_at(struct roller *r, struct node *x, int in, int64_t micro, int ahead)
{
	int i = roll_index_of(r, x);
	if (i < 0)
		return x;
	if (x->of == r->l && x->kind == NODE_CARRY)
		return micro ? value_at(r, r->s->end[x->id]->in[1], in, micro - 1,
					ahead == AS_MADE ? AS_MADE : ahead - 1)
			     : x->in[0];
	if (x->of == r->l)
		return plain_entry(r, x, micro);
	int64_t turn = micro - r->s->first[i], turns = r->s->loops[r->s->in[i]].turns;
	bool is_left = turn >= 0 && turn < turns, is_earlier = r->s->in[i] < in;
	bool is_apart = ahead != AS_MADE && (r->s->in[i] != in || r->s->first[i] != ahead);
	if (r->is_again[i] && (is_apart || (is_left && is_earlier)))
		return again_at(r, x, in, micro, ahead);
	if (is_left)
		return is_earlier ? plain_kept(r, x, micro) : left(r, i, (int)(turns - 1 - turn));
	struct node *made = map_get_u64(&r->plain, roll_key(r, micro, i));
	BUG_IF(!made, "node %d of a pipeline's micro-batches is read before it is made", i);
	return made;
}

struct node *roll_value_at(struct roller *r, struct node *x, int in, int64_t micro)
{
	return value_at(r, x, in, micro, AS_MADE);
}

struct node *roll_value_for(struct roller *r, int reader, struct node *x, int64_t micro)
{
	return value_at(r, x, r->s->in[reader], micro, r->s->first[reader]);
}

/* ---- all micro-batches ---- */

/* Whoever makes x, or what it carries, over which micro-batch first in turns; that of `in` for what none makes. */
static int first_of(struct roller *r, const struct node *x, int *in)
{
	while (x->of == r->l && x->kind == NODE_CARRY && x->loop == r->l)
		x = r->s->end[x->id]->in[1];
	int i = roll_index_of(r, x);
	*in = i >= 0 && x->of != r->l ? r->s->in[i] : 0;
	return i >= 0 && x->of != r->l ? r->s->first[i] : 0;
}

/* The next piece of a stack, whose lines begin at `line`: what there is is computed with the last of its pieces. */
static struct node *joined(struct roller *r, const struct node *stack, struct node *all, struct node *x,
			   const struct node *from, int64_t line)
{
	struct node_site at = node_site_of(stack);
	settle(x, stack)->segment = from->segment;
	if (!all)
		return x;
	struct node *y = settle(graph_joined_lines(r->g, &at, all, x, line), stack);
	y->segment = all->segment > x->segment ? all->segment : x->segment;
	return y;
}

static struct node *joined_plain(struct roller *r, const struct node *stack, struct node *all, int in, int64_t micro)
{
	struct node_site at = node_site_of(stack);
	struct node *x = roll_value_at(r, stack->in[0], in, micro);
	return joined(r, stack, all, graph_as_line(r->g, &at, x, &stack->shape, micro), x, micro);
}

struct node *roll_stack(struct roller *r, struct node *stack)
{
	struct node_site at = node_site_of(stack);
	struct node *x = stack->in[0], *all = NULL;
	int in, first = first_of(r, x, &in);
	int64_t turns = r->s->loops[in].turns;
	for (int64_t micro = 0; micro < first; micro++)
		all = joined_plain(r, stack, all, in, micro);
	struct node *lines = stack_in(r, &at, in, x, first);
	all = joined(r, stack, all, graph_lines(r->g, &at, lines, stack->shape.dim[0], -first, 1), lines, first);
	for (int64_t micro = first + turns; micro < r->l->turns; micro++)
		all = joined_plain(r, stack, all, in, micro);
	return all;
}
