/* undo.c — what turns of a loop hand on and only roll, inside of a `remat`, is rolled back by the reverse turns, in place
 * of lines kept of every turn: as many movements more, and memory for one.
 *
 *     for t in 1..n { k = remat { roll(k, s) to … }; … k … }        z = roll(k at the end, s)
 *                                                                  for t in n-1..=1 { z = roll(z, -s); … z … }
 *
 * Where the turns, or these and one more, lead all the way round, it begins with what the loop began with: a ring of n
 * shards has them once more in n - 1 movements, the last one's first. */
#include "undo.h"
#include "rolled.h"

/* What is carried by the reverse loop. */
struct undone {
	struct rolled of;
	struct node *carry;        /* the value that a turn begins with */
	struct node *next, *before; /* in the turn: of.next, of.carry; NULL: nobody has asked for it */
	bool ahead;                /* the carry is one roll further than of.next */
	struct undone *other;      /* of the same loop */
};

static struct node *end_of(const struct tape *t, const struct node *carry)
{
	if (carry->id < t->end)
		return t->ends[carry->id];
	for (int i = carry->id; i < t->g->nodes.n; i++) /* of a copied loop */
		if (t->g->nodes.at[i]->kind == NODE_END && t->g->nodes.at[i]->in[0] == carry)
			return t->g->nodes.at[i];
	return NULL;
}

/* Whether the turns roll a value on, of which x is the one before or behind the roll, and say that it is not to be
 * kept. */
static bool is_undone(struct tape *t, struct node *x, struct rolled *r)
{
	const struct node *end = x->kind == NODE_CARRY ? end_of(t, x) : NULL;
	if (!x->loop || x->loop->is_branch || !rolled_from(t->g, end ? end->in[1] : x, r))
		return false;
	end = end ? end : end_of(t, r->carry);
	const struct remat *block = node_block(r->next);
	return end && end->in[0] == r->carry && end->in[1] == r->next && block &&
	       !remat_is_in(node_block(r->carry), block);
}

bool undo_has(struct tape *t, struct node *x)
{
	struct rolled r;
	return is_undone(t, x, &r);
}

static struct undone *undone_of(struct tape *t, struct turns *w, const struct rolled *r)
{
	for (struct undone *u = w->undone; u; u = u->other)
		if (u->of.carry == r->carry)
			return u;
	struct undone *u = ARENA_NEW(t->g->arena, struct undone);
	struct node_site at = node_site_backward(r->next);
	int64_t turns = r->carry->of->turns, n = r->carry->shape.dim[r->dim];
	*u = (struct undone){.of = *r, .other = w->undone};
	u->ahead = turns >= 0 && (turns % n + 1) * r->by % n == 0;
	bool round = u->ahead || (turns >= 0 && turns % n * r->by % n == 0);
	t->turns = w->outer;
	struct node *start = tape_value(t, round ? r->carry->in[0] : end_of(t, r->carry));
	t->turns = w;
	u->carry = graph_carry(t->g, &at, w->backward, adjoint_pin(t->g, r->carry, start, r->carry->place));
	w->undone = u;
	return u;
}

static struct node *rolled_back(struct tape *t, const struct undone *u, struct node *x)
{
	struct node_site at = node_site_backward(u->of.next);
	return rolled_by(t->g, &at, x, u->of.dim, -u->of.by);
}

static struct node *next_of(struct tape *t, struct undone *u)
{
	if (!u->next)
		u->next = u->ahead ? rolled_back(t, u, u->carry) : u->carry;
	return u->next;
}

static struct node *before_of(struct tape *t, struct undone *u)
{
	if (!u->before)
		u->before = rolled_back(t, u, next_of(t, u));
	return u->before;
}

struct node *undo_value(struct tape *t, struct turns *w, struct node *x)
{
	struct rolled r;
	if (!is_undone(t, x, &r))
		return NULL;
	struct turns *here = t->turns;
	t->turns = w;
	struct undone *u = undone_of(t, w, &r);
	t->turns = here;
	return x == r.next ? next_of(t, u) : before_of(t, u);
}

void undo_end(struct tape *t, struct turns *w)
{
	for (struct undone *u = w->undone; u; u = u->other) {
		struct node_site at = node_site_backward(u->of.next);
		graph_end(t->g, &at, u->carry, u->ahead ? next_of(t, u) : before_of(t, u));
	}
}
