/* runs.c — see runs.h. Host code is structured, so the loops and branches around a region statement say how often it
 * runs; a counting loop from a constant to a constant says how many turns it has, and `every n` what share of them
 * counts. */
#include "runs.h"

#include "../../runtime/moves/count.h"

#include <string.h>

enum { MAX_NESTING = 128 };

/* A loop or branch around a statement. */
struct around {
	const struct host_stmt *stmt;
	bool is_loop;
	int64_t turns; /* loop: 0 if not known */
	int64_t every; /* branch: one of so many; 0 if the running program decides */
};

struct place_in_code {
	bool found, in_init;
	int depth;
	struct around *around; /* outermost first */
};

struct walk {
	struct arena *arena;
	struct place_in_code *places; /* by region */
	int nregions;
	bool in_init;
	int depth;
	struct around around[MAX_NESTING];
};

static bool is_const(const struct host_expr *x)
{
	return x && x->kind == HOST_CONST && x->type == HOST_INT;
}

static bool applies(const struct host_expr *x, enum host_op op)
{
	return x && x->kind == HOST_APPLY && x->op == op && x->nargs == 2;
}

/* `for i in a..b` is: i = a; while i < b. */
static int64_t turns_of(const struct host_stmt *first, const struct host_stmt *loop)
{
	const struct host_expr *x = loop->expr, *from = NULL;
	if (applies(x, HOST_AND_OP)) /* as long as there are steps left */
		x = x->arg[1];
	if (!applies(x, HOST_LT_OP) || x->arg[0]->kind != HOST_VAR || !is_const(x->arg[1]))
		return 0;
	for (const struct host_stmt *s = first; s != loop; s = s->next)
		if (s->kind == HOST_SET && s->var == x->arg[0]->index)
			from = s->expr;
	int64_t turns;
	if (!is_const(from) || from->i >= x->arg[1]->i)
		return 0;
	return __builtin_sub_overflow(x->arg[1]->i, from->i, &turns) ? INT64_MAX : turns;
}

/* `every n` is: if count % n == 0. */
static int64_t every_of(const struct host_stmt *branch)
{
	const struct host_expr *x = branch->expr;
	if (!applies(x, HOST_EQ_OP) || !applies(x->arg[0], HOST_MOD_OP) || !is_const(x->arg[0]->arg[1]) ||
	    !is_const(x->arg[1]) || x->arg[1]->i != 0)
		return 0;
	return x->arg[0]->arg[1]->i > 0 ? x->arg[0]->arg[1]->i : 0;
}

static void walk_list(struct walk *w, const struct host_stmt *first);

static void walk_inside(struct walk *w, struct around around, const struct host_stmt *body)
{
	if (w->depth == MAX_NESTING)
		return;
	w->around[w->depth++] = around;
	walk_list(w, body);
	w->depth--;
}

static void found(struct walk *w, int region)
{
	if (region < 0 || region >= w->nregions)
		return;
	struct place_in_code *at = &w->places[region];
	*at = (struct place_in_code){.found = true, .in_init = w->in_init, .depth = w->depth};
	at->around = ARENA_ARRAY(w->arena, struct around, w->depth);
	if (w->depth)
		memcpy(at->around, w->around, sizeof *at->around * (size_t)w->depth);
}

static void walk_list(struct walk *w, const struct host_stmt *first)
{
	for (const struct host_stmt *s = first; s; s = s->next) {
		if (s->kind == HOST_REGION)
			found(w, s->region);
		if (s->kind == HOST_WHILE)
			for (int after = 0; after < 2; after++)
				walk_inside(w, (struct around){s, true, turns_of(first, s), 0},
					    after ? s->other : s->body);
		if (s->kind == HOST_IF) {
			int64_t every = every_of(s);
			walk_inside(w, (struct around){s, false, 0, every}, s->body);
			walk_inside(w, (struct around){s, false, 0, 0}, s->other);
		}
	}
}

static bool is_trained(const struct region *r)
{
	for (int i = 0; i < r->graph->nodes.n; i++)
		if (r->graph->nodes.at[i]->origin == ORIGIN_BACKWARD)
			return true;
	return false;
}

static const struct host_stmt *innermost_loop(const struct place_in_code *at)
{
	for (int i = at->depth - 1; i >= 0; i--)
		if (at->around[i].is_loop)
			return at->around[i].stmt;
	return NULL;
}

/* The loop whose turn is a step; NULL: there is no loop. */
static const struct host_stmt *step_loop(const struct program *p, const struct place_in_code *places,
					 const int64_t *weight)
{
	const struct host_stmt *best = NULL;
	int64_t most = -1;
	bool trained = false;
	for (int i = 0; i < p->regions.n; i++) {
		const struct host_stmt *loop = innermost_loop(&places[i]);
		bool trains = is_trained(p->regions.at[i]);
		if (!loop || places[i].in_init || (trained && !trains))
			continue;
		if ((trains && !trained) || weight[i] > most) {
			best = loop;
			most = weight[i];
			trained = trains;
		}
	}
	return best;
}

static struct report_runs runs_at(const struct place_in_code *at, const struct host_stmt *step)
{
	struct report_runs r = {at->in_init ? REPORT_START : step ? REPORT_ONCE : REPORT_STEP, 1, 1, 1};
	int begin = 0;
	for (int i = 0; i < at->depth && !at->in_init; i++)
		if (at->around[i].stmt == step) {
			r.when = REPORT_STEP;
			begin = i + 1;
		}
	for (int i = begin; i < at->depth; i++) {
		const struct around *a = &at->around[i];
		if (a->is_loop && r.when == REPORT_ONCE)
			r.when = REPORT_LOOP;
		else if (a->is_loop && r.when == REPORT_LOOP)
			r.every = 1; /* a turn of the innermost loop counts */
		else if (a->is_loop)
			r.times = count_mul(r.times, a->turns);
		else if (a->every)
			r.every = count_mul(r.every, a->every);
		else {
			r.when = r.when == REPORT_STEP ? REPORT_SOMETIMES : r.when;
			r.sides = count_mul(r.sides, 2);
		}
	}
	return r;
}

const char report_mean[] =
	"a step is one on average: what stands behind `every n` counts for one in n, each side of an `if` "
	"that the running program decides for half";

double report_share(const struct report_runs *r)
{
	if (r->when != REPORT_STEP && r->when != REPORT_SOMETIMES)
		return 0;
	return (double)(r->times ? r->times : 1) / (double)r->every / (double)r->sides;
}

struct report_runs *runs_of_regions(struct arena *a, const struct program *p, const int64_t *weight)
{
	struct walk w = {.arena = a, .nregions = p->regions.n};
	w.places = ARENA_ARRAY(a, struct place_in_code, p->regions.n);
	struct report_runs *runs = ARENA_ARRAY(a, struct report_runs, p->regions.n);
	if (p->main)
		walk_list(&w, p->main->body);
	for (int i = 0; i < p->tests.n; i++)
		walk_list(&w, p->tests.at[i].function->body);
	w.in_init = true;
	if (p->init)
		walk_list(&w, p->init->body);
	const struct host_stmt *step = step_loop(p, w.places, weight);
	for (int i = 0; i < p->regions.n; i++)
		runs[i] = runs_at(&w.places[i], step);
	return runs;
}
