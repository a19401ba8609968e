/* again.c — the values inside of a `remat { … }` are not kept for the reverse pass: it reads copies, which are computed
 * from what the block reads from outside. Each such value passes through a REMAT node, which is equal to no other node,
 * so that copies are never merged with what was computed forward; the node also says what is better computed before.
 *
 *     y = remat { tanh(x @ w) }          r = remat x after dy,  t = tanh(r @ (remat w)),  dx = (dy * (1 - t * t)) @ w'
 *
 * Copies are source nodes like what they are copies of: their layouts are inferred the same way, and they move what was
 * moved forward. Random draws are functions of key and position, so they have the same bits.
 *
 * Blocks nest. For the gradients of the outer block's own nodes all of it is copied, inner blocks included; those of an
 * inner block's nodes read another copy of that block alone, from what it reads in the copy of the outer one. So values
 * of an inner block live only as long as its own gradients are computed. A reverse pass inside of a block reads what
 * the block itself has made: it will be copied as a part of it. */
#include "again.h"
#include "tape.h"

/* A block, copied for this reverse pass. */
struct copied {
	struct map copies;  /* node -> its copy */
	struct map loops;   /* loop that stands in the block -> its copy */
	struct map outside; /* node read from outside -> its REMAT */
	struct map blocks;  /* block inside -> its copy */
};

struct members {
	VEC(struct node *) at;
};

struct again {
	struct graph *g;
	struct tape *t;
	struct map original; /* copy of a loop -> the loop */
	struct map members;  /* block -> its nodes, those of inner blocks included, in order */
	struct map copied;   /* block -> struct copied */
};

/* What no block makes: params, data, numbers are there anyway. */
static bool is_leaf(const struct node *n)
{
	return n->kind == NODE_SLOT || n->kind == NODE_DATA || n->kind == NODE_HOST || n->kind == NODE_CONST;
}

static bool is_number(const struct node *n)
{
	return n->kind == NODE_HOST || n->kind == NODE_CONST;
}

/* Entries and exits are where their loop is. */
static bool is_inside(const struct node *n, const struct remat *block)
{
	return !is_leaf(n) && remat_is_in(node_block(n), block);
}

/* The innermost block that both stand in; NULL: none. */
static const struct remat *common_block(const struct remat *x, const struct remat *y)
{
	while (x && !remat_is_in(y, x))
		x = x->outer;
	return x;
}

static void add_member(struct again *a, const struct remat *block, struct node *n)
{
	struct members *m = map_get(&a->members, block);
	if (!m) {
		m = ARENA_NEW(a->g->arena, struct members);
		map_set(&a->members, block, m);
	}
	vec_push(a->g->arena, &m->at, n);
}

struct again *again_new(struct graph *g, int end, struct tape *t)
{
	struct again *a = ARENA_NEW(g->arena, struct again);
	a->g = g;
	a->t = t;
	map_init(&a->original, g->arena);
	map_init(&a->members, g->arena);
	map_init(&a->copied, g->arena);
	for (int i = 0; i < end; i++) {
		struct node *n = g->nodes.at[i];
		for (const struct remat *r = is_leaf(n) ? NULL : node_block(n); r; r = r->outer)
			add_member(a, r, n);
	}
	return a;
}

static struct node *value_in(struct again *a, const struct remat *block, struct node *x, const struct node *after);

static struct node *from_outside(struct again *a, struct copied *c, const struct remat *block, struct node *x,
				 const struct node *after)
{
	struct node *known = map_get(&c->outside, x);
	if (known)
		return known;
	struct node *value = is_leaf(x) ? x : value_in(a, common_block(block->outer, node_block(x)), x, after);
	struct node_site at = node_site_of(x);
	known = graph_remat(a->g, &at, tape_value(a->t, value), after->place ? after : NULL);
	map_set(&c->outside, x, known);
	return known;
}

/* Numbers, and what is made of them inside of the block, are not copied: tables of positions or masks, alike for all
 * blocks. */
static bool is_kept(const struct copied *c, const struct remat *block, const struct node *x)
{
	return is_number(x) || (is_inside(x, block) && !map_get(&c->copies, x));
}

static bool stays(const struct copied *c, const struct remat *block, const struct node *n)
{
	for (int i = 0; i < n->nin; i++)
		if (!is_kept(c, block, n->in[i]))
			return false;
	return !n->of && (!n->nin || n->kind != NODE_MAP || !scalar_draws(n->rule->body));
}

static struct node *value_read(struct again *a, struct copied *c, const struct remat *block, struct node *x,
			       const struct node *after)
{
	struct node *copy = map_get(&c->copies, x);
	if (copy)
		return copy;
	return is_kept(c, block, x) ? tape_value(a->t, x) : from_outside(a, c, block, x, after);
}

static struct loop *copied_loop(struct again *a, struct copied *c, const struct remat *block, struct loop *l,
				const struct node *after);

/* Where the copy of what stands in l is; NULL: in no loop. */
static struct loop *loop_of_copies(struct again *a, struct copied *c, const struct remat *block, struct loop *l,
				   const struct node *after)
{
	bool inside = l && remat_is_in(l->remat, block);
	return inside ? copied_loop(a, c, block, l, after) : tape_backward(a->t, l);
}

/* The block of what is copied of `inner`, which is the block or stands in it: also a copy may be differentiated. */
static const struct remat *copied_inside(struct again *a, struct copied *c, const struct remat *block,
					 const struct remat *inner, const struct node *after)
{
	if (inner == block)
		return tape_block(a->t, block);
	struct remat *copy = map_get(&c->blocks, inner);
	if (!copy) {
		copy = ARENA_NEW(a->g->arena, struct remat);
		*copy = (struct remat){.outer = copied_inside(a, c, block, inner->outer, after),
				       .in = inner->in ? loop_of_copies(a, c, block, inner->in, after) : NULL};
		map_set(&c->blocks, inner, copy);
	}
	return copy;
}

/* A loop that stands in the block, once more: its entries are copied before anything else of it. Its condition is set
 * when its exits are copied. */
static struct loop *copied_loop(struct again *a, struct copied *c, const struct remat *block, struct loop *l,
				const struct node *after)
{
	struct loop *copy = map_get(&c->loops, l);
	if (copy)
		return copy;
	copy = graph_loop(a->g, loop_of_copies(a, c, block, l->outer, after), l->turns, l->span);
	copy->most = l->most;
	copy->remat = copied_inside(a, c, block, l->remat, after);
	copy->is_branch = l->is_branch;
	copy->count = l->count ? value_read(a, c, block, l->count, after) : NULL;
	map_set(&c->loops, l, copy);
	map_set(&a->original, copy, l);
	return copy;
}

const struct loop *again_original(struct again *a, const struct loop *l)
{
	const struct loop *original = l ? map_get(&a->original, l) : NULL;
	return original ? original : l;
}

/* What was asked of indices was asked forward, where a branch around the block may have left it out; a copy, which is
 * where what it reads is, would ask it always. So they are kept, but for those of loops in the block. */
static bool is_asked_once(const struct remat *block, const struct node *n)
{
	return n->kind == NODE_CHECK && !block->outer && n->loop &&
	       !(n->loop->remat && remat_is_in(n->loop->remat, block));
}

static void copy_node(struct again *a, struct copied *c, const struct remat *block, struct node *n,
		      const struct node *after)
{
	if (stays(c, block, n))
		return;
	if (is_asked_once(block, n)) {
		map_set(&c->copies, n, tape_value(a->t, n));
		return;
	}
	struct node **in = ARENA_ARRAY(a->g->arena, struct node *, n->nin);
	bool draws_alone = true;
	for (int i = 0; i < n->nin; i++) {
		draws_alone &= is_kept(c, block, n->in[i]);
		in[i] = value_read(a, c, block, n->in[i], after);
	}
	if (draws_alone && !n->of) {
		struct node_site at = node_site_of(in[0]);
		in[0] = graph_remat(a->g, &at, in[0], after->place ? after : NULL);
	}
	struct node *copy = graph_node(a->g);
	*copy = *n;
	copy->in = in;
	/* Backward, turns are counted down from a number that ranks have: what is made of them is there as well. */
	copy->place = n->place ? n->place : node_place_of_inputs(copy);
	copy->remat = copied_inside(a, c, block, node_block(n), after);
	copy->of = n->of ? copied_loop(a, c, block, n->of, after) : NULL;
	copy->loop = node_loop(copy);
	copy->id = a->g->nodes.n; /* now: what the loop asks may have been made before it */
	vec_push(a->g->arena, &a->g->nodes, copy);
	map_set(&c->copies, n, copy);
	if (n->of && n->of->condition)
		copy->of->condition = map_get(&c->copies, n->of->condition);
}

static struct copied *copied_block(struct again *a, const struct remat *block, const struct node *after)
{
	struct copied *c = map_get(&a->copied, block);
	if (c)
		return c;
	c = ARENA_NEW(a->g->arena, struct copied);
	map_init(&c->copies, a->g->arena);
	map_init(&c->outside, a->g->arena);
	map_init(&c->loops, a->g->arena);
	map_init(&c->blocks, a->g->arena);
	map_set(&a->copied, block, c);
	const struct members *m = map_get(&a->members, block);
	const struct remat *here = a->g->remat;
	a->g->remat = tape_block(a->t, block);
	for (int i = 0; m && i < m->at.n; i++)
		copy_node(a, c, block, m->at.at[i], after);
	a->g->remat = here;
	return c;
}

/* The value of x as it is read inside of a block; NULL, or a block that is not left yet: as it was made. */
static struct node *value_in(struct again *a, const struct remat *block, struct node *x, const struct node *after)
{
	if (!block || remat_is_in(a->g->remat, block))
		return x;
	struct node *copy = map_get(&copied_block(a, block, after)->copies, x);
	return copy ? copy : x;
}

struct node *again_value(struct again *a, const struct node *reader, struct node *x, const struct node *after)
{
	return is_leaf(x) ? x : value_in(a, common_block(node_block(reader), node_block(x)), x, after);
}

struct loop *again_loop(struct again *a, struct loop *l, const struct node *after)
{
	if (!l->remat || remat_is_in(a->g->remat, l->remat))
		return l;
	struct loop *copy = map_get(&copied_block(a, l->remat, after)->loops, l);
	return copy ? copy : l;
}
