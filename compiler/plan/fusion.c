/* fusion.c — which maps share a kernel.
 *
 * Maps are taken in order of computation; each joins the group that makes what it reads if it fits the group's domain
 * (join.c), else it starts a group. Every group has a level: all that its members read from outside is made at lower
 * levels, so no path leaves a group and comes back. Members also depend on the same last transfer: since transfers
 * begin in the order of their numbers, a group that waited for a later one than some member needs could hold up what
 * comes before it. What is asked before a turn shares none with the rest of the turn, which would be computed once more
 * than there are turns, of lines that are not there. Groups over large domains become one only if that saves reading
 * something large.
 *
 * A loop is one thing for what is outside of it: it waits for all that it reads, and all its results come after all of
 * it. */
#include "join.h"

#include "../../runtime/moves/count.h"

#include <string.h>

enum { SCALAR_LIMIT = 12, CHAIN_LIMIT = 32, WORK_LIMIT = SCALAR_LIMIT * CHAIN_LIMIT, FAR = 1 << 18 };

struct chooser {
	struct planner *p;
	int *avail;                     /* by node: level from which on other groups may read it */
	int *chain;                     /* by node: how many inline maps stand behind each other up to it */
	int *work;                      /* by node: operations of an element of it, with those of inline maps */
	const struct product **product; /* by node: the one that makes it */
	int begun; /* level at which the last transfer begins: they begin in order, so the next one begins no earlier */
	const struct phys_node *last; /* that transfer */
	struct loop_bounds bounds;    /* of avail */
	bool *moves;                  /* by loop: transfers stand in it */
};

/* How often x, which reads n, is computed while n is there: in the turns of loops that n does not stand in. */
static int64_t turns_of(const struct phys_node *x, const struct phys_node *n)
{
	int64_t turns = 1;
	for (const struct phys_loop *l = x->loop; l && !phys_loop_is_in(n->loop, l); l = l->outer) {
		int64_t most = l->loop->turns < 0 ? l->loop->most : l->loop->turns;
		turns = count_mul(turns, most > 0 ? most : 1);
	}
	return turns;
}

/* Whether a map reads elements of n many times over, as it does those of a vector in every line, or in turns: what is
 * dear is then better kept. */
static bool is_spread(const struct planner *p, const struct phys_node *n)
{
	enum { MANY = 4 };
	int64_t most = count_mul(shape_volume(&n->shape), MANY);
	for (struct phys_node **user = p->users[n->id]; *user; user++) {
		int64_t points = turns_of(*user, n);
		for (int f = 0; (*user)->rule && f < (*user)->rule->nfactors; f++)
			points = count_mul(points, (*user)->rule->factor[f].extent);
		if (points >= most)
			return shape_volume(&n->shape) > 1;
	}
	return false;
}

/* Made of numbers, arguments and index values alone, cheap, and no long way from them, which grows by each reading of
 * what is read several times. Sets the length of the way. */
static bool is_inline(struct chooser *c, const struct phys_node *n)
{
	const struct planner *p = c->p;
	int chain = 0, work = scalar_flops(n->rule->body);
	if (p->must_store[n->id] || !map_is_pointwise(n) || work > SCALAR_LIMIT || scalar_draws(n->rule->body))
		return false;
	for (int k = 0; k < n->nin; k++) {
		const struct phys_node *x = n->in[k];
		if (x->kind != PHYS_CONST && x->kind != PHYS_HOST && p->treat[x->id] != TREAT_INLINE)
			return false;
		chain = c->chain[x->id] > chain ? c->chain[x->id] : chain;
		work += c->work[x->id];
	}
	c->chain[n->id] = chain + 1;
	c->work[n->id] = work > WORK_LIMIT ? WORK_LIMIT + 1 : work;
	return chain < CHAIN_LIMIT && work <= WORK_LIMIT && (work <= SCALAR_LIMIT || !is_spread(p, n)) &&
	       !planner_is_line(p, n, work);
}

static void find_epochs(struct planner *p)
{
	struct loop_bounds b = loop_bounds_new(p, p->epoch);
	for (int i = 0; i < p->graph->nodes.n; i++) {
		const struct phys_node *n = p->graph->nodes.at[i];
		int epoch = loop_bounds_inputs(&b, n, n->kind == PHYS_TRANSFER ? n->transfer : -1);
		loop_bounds_set(&b, n, epoch);
	}
}

static void ask_for(struct planner *p, const struct phys_loop *l, const struct phys_node *x)
{
	if (x && x->loop == l)
		p->asked[x->id] = true;
}

/* What is asked of n asks for what n reads in its loop; of results of a loop for all that this one reads. */
static void find_asked(struct planner *p)
{
	bool *whole = ARENA_ARRAY(p->scratch, bool, p->loops.n);
	for (int i = 0; i < p->loops.n; i++)
		if (p->loops.at[i]->phys->condition)
			ask_for(p, p->loops.at[i]->phys, p->loops.at[i]->phys->condition);
	for (int i = p->graph->nodes.n - 1; i >= 0; i--) {
		const struct phys_node *n = p->graph->nodes.at[i];
		bool is_exit = n->kind == PHYS_END || n->kind == PHYS_STACK;
		for (int k = 0; p->asked[i] && k < n->nin; k++)
			ask_for(p, n->loop, n->in[k]);
		if (p->asked[i] && is_exit) {
			whole[n->of->id] = true;
			ask_for(p, n->loop, n->of->count);
		}
		for (const struct phys_loop *l = is_exit ? n->of : n->loop; l; l = l->outer) {
			if (!whole[l->id])
				continue;
			for (int k = 0; k < n->nin; k++)
				ask_for(p, l->outer, n->in[k]);
		}
	}
}

static int level_of_coefficient(const struct chooser *c, const struct coefficient *x)
{
	int level = 0;
	for (int i = 0; i < x->ntimes; i++)
		level = c->avail[x->times[i]->id] > level ? c->avail[x->times[i]->id] : level;
	for (int i = 0; i < x->nover; i++)
		level = c->avail[x->over[i]->id] > level ? c->avail[x->over[i]->id] : level;
	return level;
}

static int level_of_inputs(struct chooser *c, const struct phys_node *n)
{
	return loop_bounds_inputs(&c->bounds, n, 0);
}

static int level_of_product(struct chooser *c, const struct product *x)
{
	int level = level_of_coefficient(c, &x->c.alpha), beta = level_of_coefficient(c, &x->beta);
	int inputs = level_of_inputs(c, x->result); /* through views, which may say what to wait for */
	const struct phys_node *in[] = {x->c.a, x->c.b, x->onto ? x->onto : x->c.a, x->c.grid ? x->c.grid : x->c.a};
	level = beta > level ? beta : level;
	level = inputs > level ? inputs : level;
	for (int i = 0; i < 4; i++)
		level = c->avail[in[i]->id] > level ? c->avail[in[i]->id] : level;
	return level;
}

static bool reads_lower(const struct chooser *c, const struct phys_node *n, const struct group *g)
{
	for (int k = 0; k < n->nin; k++)
		if (c->p->group_of[n->in[k]->id] != g && c->avail[n->in[k]->id] > g->level)
			return false;
	return true;
}

/* Whether a member makes or reads x. */
static bool group_has(const struct group *g, const struct phys_node *x)
{
	for (int i = 0; i < g->members.n; i++) {
		const struct phys_node *n = g->members.at[i]->node;
		for (int k = 0; k < n->nin; k++)
			if (n->in[k] == x)
				return true;
		if (n == x)
			return true;
	}
	return false;
}

/* Whether two groups over domains too large to stay in a cache have a tensor of that size in common. Without one a
 * common kernel saves no traffic worth mentioning, but holds what either reads until both have read it. */
static bool groups_share(const struct group *x, const struct group *y)
{
	int64_t volume = group_volume(x);
	for (int i = 0; i < x->members.n; i++) {
		const struct phys_node *n = x->members.at[i]->node;
		for (int k = 0; k < n->nin; k++)
			if (shape_volume(&n->in[k]->shape) == volume && group_has(y, n->in[k]))
				return true;
	}
	return false;
}

static bool worth_merging(const struct group *x, const struct group *y, const struct phys_node *n)
{
	int64_t less = group_volume(x) < group_volume(y) ? group_volume(x) : group_volume(y);
	return less < FAR || shape_volume(&n->shape) >= less || groups_share(x, y);
}

/* Whether nothing but itself reads what the group makes, so far: its level may rise. */
static bool may_rise(const struct planner *p, const struct group *g, const struct phys_node *before)
{
	for (int i = 0; i < g->members.n; i++) {
		struct phys_node **user = p->users[g->members.at[i]->node->id];
		for (; *user && (*user)->id < before->id; user++)
			if (p->group_of[(*user)->id] != g)
				return false;
	}
	return true;
}

/* Lets the group wait for what else n reads. */
static void rise(struct chooser *c, struct group *g, const struct phys_node *n)
{
	for (int k = 0; k < n->nin; k++)
		if (c->p->group_of[n->in[k]->id] != g && c->avail[n->in[k]->id] > g->level)
			g->level = c->avail[n->in[k]->id];
	for (int i = 0; i < g->members.n; i++)
		loop_bounds_set(&c->bounds, g->members.at[i]->node, g->level + 1);
}

/* The groups that made the inputs, at the highest level, become one if they can and should. NULL if there is none or
 * they cannot. Of those that should not, the last one, if nothing has read it yet, waits for the others. */
static struct group *producer_group(struct chooser *c, const struct phys_node *n)
{
	struct planner *p = c->p;
	struct group *best = NULL, *last = NULL;
	for (int k = 0; k < n->nin; k++) {
		struct group *g = p->group_of[n->in[k]->id];
		if (!g || g->general || g->loop != n->loop)
			continue;
		if (!best || g->level > best->level)
			best = g;
		if (!last || g->id > last->id)
			last = g;
	}
	bool apart = false;
	for (int k = 0; k < n->nin && best; k++) {
		struct group *g = p->group_of[n->in[k]->id];
		if (!g || g == best || g->general || g->loop != n->loop)
			continue;
		if (!worth_merging(best, g, n))
			apart = true;
		else if (g->level == best->level)
			group_merge(p, best, g);
	}
	if (apart && may_rise(p, last, n)) {
		rise(c, last, n);
		return last;
	}
	return best && reads_lower(c, n, best) ? best : NULL;
}

/* Whether some map reads n, or what is computed of it at the rows alone, at all points of the group together with
 * something that the group has there: then the kernel needs it before it goes on. So many maps are looked at. */
static bool is_wanted_at_points(const struct planner *p, const struct group *g, const struct phys_node *n, int *most)
{
	if (--*most < 0)
		return true;
	for (struct phys_node *const *u = p->users[n->id]; *u; u++) {
		bool is_map = (*u)->kind == PHYS_MAP && (*u)->loop == g->loop &&
			      (p->treat[(*u)->id] == TREAT_NONE || p->treat[(*u)->id] == TREAT_GROUP);
		int64_t points = 1;
		for (int f = 0; is_map && f < (*u)->rule->nfactors; f++)
			points = count_mul(points, (*u)->rule->factor[f].extent);
		for (int k = 0; is_map && points == group_volume(g) && k < (*u)->nin; k++)
			if (shape_volume(&(*u)->in[k]->shape) == points && group_has(g, (*u)->in[k]))
				return true;
		if (is_map && points == shape_volume(&n->shape) && is_wanted_at_points(p, g, *u, most))
			return true;
	}
	return false;
}

/* A row's value is computed row by row in the kernel that reduces it, and by vectors in one of its own. What is dear (a
 * root is not) takes as long for one row as for a vector of them, and so as long as a short row. */
static bool is_better_apart(const struct planner *p, const struct group *g, const struct member *m)
{
	enum { ROWS = 64, DEAR = 8, LANES = 16 };
	const struct phys_node *n = m->node;
	int64_t rows = shape_volume(&n->shape);
	int flops = scalar_flops(n->rule->body), most = CHAIN_LIMIT;
	return m->space == SPACE_ROW && !m->reduces && flops >= DEAR && rows >= ROWS &&
	       group_volume(g) / rows <= flops * LANES && !is_wanted_at_points(p, g, n, &most);
}

static bool joins(struct planner *p, struct group *g, struct member *m)
{
	if (!group_join(p, g, m))
		return false;
	if (!is_better_apart(p, g, m))
		return true;
	group_drop(g, m->node);
	return false;
}

/* A group that reads the same big tensor over the same domain, late enough. */
static struct group *sibling_group(struct chooser *c, const struct phys_node *n, struct member *m)
{
	struct planner *p = c->p;
	int level = level_of_inputs(c, n);
	for (int k = 0; k < n->nin; k++) {
		struct phys_node **user = p->users[n->in[k]->id];
		for (int i = 0; user[i] && user[i]->id < n->id && i < 16; i++) {
			struct group *g = p->group_of[user[i]->id];
			if (!g || g->general || g->level < level || !reads_lower(c, n, g))
				continue;
			if (shape_volume(&n->in[k]->shape) == group_volume(g) && joins(p, g, m))
				return g;
		}
	}
	return NULL;
}

/* A general group whose elements n is computed of. */
static struct group *followed_group(struct chooser *c, const struct phys_node *n, struct member *m)
{
	for (int k = 0; k < n->nin; k++) {
		struct group *g = c->p->group_of[n->in[k]->id];
		if (g && reads_lower(c, n, g) && group_follow(c->p, g, m))
			return g;
	}
	return NULL;
}

static void place_map(struct chooser *c, struct phys_node *n)
{
	struct planner *p = c->p;
	struct member *m = ARENA_NEW(p->scratch, struct member);
	m->node = n;
	m->rows = p->rows[n->id];
	struct group *g = p->fuse ? producer_group(c, n) : NULL;
	if (g && !joins(p, g, m))
		g = NULL;
	if (!g && p->fuse)
		g = followed_group(c, n, m);
	if (!g && p->fuse)
		g = sibling_group(c, n, m);
	if (!g)
		g = group_new(p, m, level_of_inputs(c, n));
	p->treat[n->id] = TREAT_GROUP;
	p->group_of[n->id] = g;
	loop_bounds_set(&c->bounds, n, g->level + 1);
}

/* The level from which on a transfer can begin in a loop: a loop is over before those behind it do. */
static int next_begin(const struct chooser *c, const struct phys_loop *loop)
{
	int level = c->begun;
	for (const struct phys_loop *l = c->last ? c->last->loop : NULL; l && !phys_loop_is_in(loop, l); l = l->outer)
		level = c->bounds.to[l->id] > level ? c->bounds.to[l->id] : level;
	return level;
}

static void enter_loop(struct chooser *c, const struct phys_loop *l)
{
	if (!l || c->bounds.from[l->id] != INT32_MIN)
		return;
	enter_loop(c, l->outer);
	loop_bounds_enter(&c->bounds, l, c->moves[l->id] ? next_begin(c, l->outer) : 0);
}

static void place_node(struct chooser *c, struct phys_node *n)
{
	struct planner *p = c->p;
	enter_loop(c, n->loop);
	switch (p->treat[n->id]) {
	case TREAT_PRODUCT:
		loop_bounds_set(&c->bounds, n, level_of_product(c, c->product[n->id]) + 1);
		return;
	case TREAT_SORTED:
	case TREAT_FOURIER:
		loop_bounds_set(&c->bounds, n, level_of_inputs(c, n) + 1);
		return;
	case TREAT_ABSORBED:
		loop_bounds_set(&c->bounds, n, level_of_inputs(c, n));
		return;
	case TREAT_NONE:
	case TREAT_GROUP:
	case TREAT_INLINE:
		break;
	}
	if (n->kind == PHYS_TRANSFER || n->kind == PHYS_SEND) {
		int level = level_of_inputs(c, n), begin = next_begin(c, n->loop);
		c->begun = level > begin ? level : begin;
		c->last = n;
		loop_bounds_set(&c->bounds, n, c->begun + 1);
	} else if (n->kind == PHYS_CHECK || n->kind == PHYS_FACTORS) {
		loop_bounds_set(&c->bounds, n, level_of_inputs(c, n) + 1);
	} else if (n->kind != PHYS_MAP) {
		loop_bounds_set(&c->bounds, n, level_of_inputs(c, n));
	} else if (is_inline(c, n)) {
		p->treat[n->id] = TREAT_INLINE;
		loop_bounds_set(&c->bounds, n, level_of_inputs(c, n));
	} else {
		place_map(c, n);
	}
}

static bool *loops_that_move(const struct planner *p)
{
	bool *moves = ARENA_ARRAY(p->scratch, bool, p->loops.n);
	for (int i = 0; i < p->graph->nodes.n; i++) {
		const struct phys_node *n = p->graph->nodes.at[i];
		for (const struct phys_loop *l = n->loop; l && n->transfer >= 0; l = l->outer)
			moves[l->id] = true;
	}
	return moves;
}

void planner_find_groups(struct planner *p)
{
	struct chooser c = {.p = p};
	int n = p->graph->nodes.n;
	c.avail = ARENA_ARRAY(p->scratch, int, n);
	c.chain = ARENA_ARRAY(p->scratch, int, n);
	c.work = ARENA_ARRAY(p->scratch, int, n);
	c.product = ARENA_ARRAY(p->scratch, const struct product *, n);
	for (int i = 0; i < p->products.n; i++)
		c.product[p->products.at[i]->result->id] = p->products.at[i];
	c.bounds = loop_bounds_new(p, c.avail);
	c.moves = loops_that_move(p);
	planner_find_must_store(p);
	find_epochs(p);
	find_asked(p);
	for (int i = 0; i < n; i++)
		place_node(&c, p->graph->nodes.at[i]);
	planner_decide_storage(p);
}
