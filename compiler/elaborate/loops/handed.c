/* handed.c — numbers that turns hand on, as they are behind the loop.
 *
 * Where turns are walked one by one such a number is known, unless something decides over it that only the running
 * program knows. So it is where they are a loop: what it is made of is computed here, turn by turn, with loops and
 * branches in the turn.
 *
 *   var at = 0;
 *   for i in 0..100 { if i % 3 == 0 { at += 2; }  y[at] = x[i]; }          at is 68 behind it */
#include "handed.h"

/* Of nodes and turns, of a loop, and of all loops of a program; of nodes one of which is made of the next. */
enum { MAX_COMPUTED = 1 << 20, MAX_OF_ALL = 1 << 22, MAX_DEPTH = 1 << 12 };

struct carries {
	VEC(const struct node *) at;
	union scalar_value *next;
};

struct computing {
	struct arena *scratch;
	const struct graph *g;
	const struct node **end; /* by node: the END of a CARRY */
	union scalar_value *value;
	int64_t *when; /* by node: the moment of its loop that its value is of; of a CARRY -1 while none is known */
	int64_t *now;  /* by loop, the last for what stands in none: the moment, of which every turn is another */
	int64_t computed, most;
	int depth;
	int64_t *turn;            /* by loop */
	struct carries **carries; /* by END: what its loop carries for it; NULL: not come to yet */
};

static bool compute(struct computing *c, const struct node *n, union scalar_value *out);

static int64_t *moment(const struct computing *c, const struct loop *l)
{
	return &c->now[l ? l->id : c->g->loops.n];
}

/* ---- a loop ---- */

/* Those of the loop that a node, which stands in it, is made of. */
static void find_carries(struct computing *c, const struct loop *l, const struct node *from, bool *seen,
			 struct carries *found)
{
	VEC(const struct node *) todo = {0};
	vec_push(c->scratch, &todo, from);
	while (todo.n) {
		const struct node *n = todo.at[--todo.n];
		if (!n || seen[n->id] || !loop_is_in(n->loop, l))
			continue;
		seen[n->id] = true;
		if (n->kind == NODE_CARRY && n->of == l)
			vec_push(c->scratch, &found->at, n);
		if (n->kind == NODE_CARRY)
			vec_push(c->scratch, &todo, n->of == l ? c->end[n->id]->in[1] : c->end[n->id]);
		for (int k = 0; k < n->nin && !(n->kind == NODE_CARRY && n->of == l); k++)
			vec_push(c->scratch, &todo, n->in[k]);
		if (n->of && n->of != l) {
			vec_push(c->scratch, &todo, n->of->count);
			vec_push(c->scratch, &todo, n->of->condition);
		}
	}
}

static struct carries *carries_of(struct computing *c, const struct node *end)
{
	struct carries *found = c->carries[end->id];
	bool *seen = found ? NULL : ARENA_ARRAY(c->scratch, bool, c->g->nodes.n);
	if (found)
		return found;
	found = c->carries[end->id] = ARENA_NEW(c->scratch, struct carries);
	find_carries(c, end->of, end->in[0], seen, found);
	find_carries(c, end->of, end->of->condition, seen, found);
	found->next = ARENA_ARRAY(c->scratch, union scalar_value, found->at.n + 1);
	return found;
}

static void set(struct computing *c, const struct node *n, union scalar_value v)
{
	c->value[n->id] = v;
	c->when[n->id] = *moment(c, n->loop);
}

/* How many turns it makes; INT64_MAX: its condition says. */
static bool compute_count(struct computing *c, const struct loop *l, int64_t *turns)
{
	union scalar_value count;
	*turns = l->turns >= 0 ? l->turns : INT64_MAX;
	if (l->turns >= 0 || !l->count)
		return true;
	if (!compute(c, l->count, &count))
		return false;
	*turns = count.i;
	return true;
}

static bool compute_turn(struct computing *c, const struct loop *l, const struct carries *carries, bool *is_made)
{
	union scalar_value on = {.i = 1};
	if (c->computed++ >= c->most || (l->condition && !compute(c, l->condition, &on)))
		return false;
	*is_made = on.i;
	for (int i = 0; i < carries->at.n && on.i; i++)
		if (!compute(c, c->end[carries->at.at[i]->id]->in[1], &carries->next[i]))
			return false;
	++*moment(c, l);
	for (int i = 0; i < carries->at.n; i++)
		set(c, carries->at.at[i], on.i ? carries->next[i] : c->value[carries->at.at[i]->id]);
	return true;
}

static bool compute_loop(struct computing *c, const struct node *end, union scalar_value *out)
{
	const struct loop *l = end->of;
	const struct carries *carries = carries_of(c, end);
	int64_t turns;
	bool is_made = true, is_done = true;
	if (l->batch || !compute_count(c, l, &turns))
		return false;
	for (int i = 0; i < carries->at.n; i++) {
		union scalar_value start;
		if (!compute(c, carries->at.at[i]->in[0], &start))
			return false;
		set(c, carries->at.at[i], start);
	}
	++*moment(c, l);
	for (int64_t t = 0; t < turns && is_made && is_done; t++) {
		c->turn[l->id] = t;
		is_done = compute_turn(c, l, carries, &is_made);
	}
	*out = c->value[end->in[0]->id];
	for (int i = 0; i < carries->at.n; i++)
		c->when[carries->at.at[i]->id] = -1;
	c->turn[l->id] = -1;
	++*moment(c, l);
	return is_done;
}

/* ---- a node ---- */

static bool compute_map(struct computing *c, const struct node *n, union scalar_value *out)
{
	static const struct rule_origin whole;
	union scalar_value value[MAX_OPERANDS], *operand[MAX_OPERANDS];
	if (n->shape.rank || n->place || n->rule->nfactors)
		return false;
	for (int i = 0; i < n->nin; i++) {
		operand[i] = &value[i];
		if (n->in[i]->shape.rank || !compute(c, n->in[i], &value[i]))
			return false;
	}
	return rule_try_interpret(n->rule, operand, out, &whole);
}

static bool compute_new(struct computing *c, const struct node *n, union scalar_value *out)
{
	switch (n->kind) {
	case NODE_TURN:
		out->i = c->turn[n->of->id];
		return out->i >= 0;
	case NODE_MAP:
		return compute_map(c, n, out);
	case NODE_CHECK:
		return !n->shape.rank && compute(c, n->in[0], out) &&
		       asked_holds(n->check.asked, n->check.extent, out->i);
	case NODE_END:
		return !n->shape.rank && compute_loop(c, n, out);
	default:
		return false;
	}
}

static bool compute(struct computing *c, const struct node *n, union scalar_value *out)
{
	if (n->kind == NODE_CONST) {
		*out = n->number;
		return true;
	}
	bool is_carry = n->kind == NODE_CARRY;
	if (is_carry ? c->when[n->id] < 0 : c->when[n->id] != *moment(c, n->loop)) {
		if (is_carry || c->computed++ >= c->most || c->depth > MAX_DEPTH)
			return false;
		c->depth++;
		bool is_done = compute_new(c, n, out);
		c->depth--;
		if (!is_done)
			return false;
		set(c, n, *out);
	}
	*out = c->value[n->id];
	return true;
}

/* ---- what only the running program knows ---- */

static bool is_running(const struct computing *c, const struct node *n)
{
	bool is_entry = n->kind == NODE_CARRY || n->kind == NODE_TURN;
	return n->place || n->kind == NODE_SLOT || n->kind == NODE_DATA || n->kind == NODE_HOST ||
	       (is_entry && loop_is_in(c->g->open, n->of));
}

static bool runs(const struct computing *c, const struct node *end)
{
	VEC(const struct node *) todo = {0};
	bool *seen = ARENA_ARRAY(c->scratch, bool, c->g->nodes.n);
	vec_push(c->scratch, &todo, end);
	while (todo.n) {
		const struct node *n = todo.at[--todo.n];
		if (!n || seen[n->id])
			continue;
		if (is_running(c, n))
			return true;
		seen[n->id] = true;
		for (int k = 0; k < n->nin; k++)
			vec_push(c->scratch, &todo, n->in[k]);
		if (n->kind == NODE_CARRY)
			vec_push(c->scratch, &todo, c->end[n->id]);
		if (n->kind != NODE_END)
			continue;
		vec_push(c->scratch, &todo, n->of->count);
		vec_push(c->scratch, &todo, n->of->condition);
	}
	return false;
}

enum handed handed_number(struct elab *e, const struct node *end, union scalar_value *v)
{
	const struct graph *g = region_graph(e);
	struct arena *scratch = arena_new("handed");
	struct computing c = {.scratch = scratch, .g = g};
	int64_t left = MAX_OF_ALL - e->computed;
	c.most = left < MAX_COMPUTED ? left : MAX_COMPUTED;
	c.end = ARENA_ARRAY(scratch, const struct node *, g->nodes.n);
	c.value = ARENA_ARRAY(scratch, union scalar_value, g->nodes.n);
	c.when = ARENA_ARRAY(scratch, int64_t, g->nodes.n);
	c.carries = ARENA_ARRAY(scratch, struct carries *, g->nodes.n);
	c.turn = ARENA_ARRAY(scratch, int64_t, g->loops.n);
	c.now = ARENA_ARRAY(scratch, int64_t, g->loops.n + 1);
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		c.when[i] = -1;
		if (n->kind == NODE_END)
			c.end[n->in[0]->id] = n;
	}
	for (int i = 0; i < g->loops.n; i++)
		c.turn[i] = -1;
	enum handed handed = runs(&c, end) ? HANDED_RUNS : compute(&c, end, v) ? HANDED_KNOWN : HANDED_UNSURE;
	e->computed += c.computed;
	arena_free(scratch);
	return handed;
}
