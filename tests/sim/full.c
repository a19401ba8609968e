/* full.c — see full.h. */
#include "full.h"

#include "classes.h"

enum { TWICE_ONE_IN = 4 }; /* batches whose transfers are called twice */

/* The batch that is being filled. */
struct gather {
	struct full *f;
	struct tally *tally;
	struct batch *batch;
	enum relation relation;
	int64_t number; /* of the batch among all */
	int filled;
	bool wanted;
	int32_t dtype, ranks[2 * SIM_MOST_RANKS];
	uint64_t dice;
	int64_t stood_for; /* by classes of all batches */
};

static void begin(struct gather *g, const struct class *c)
{
	g->wanted = g->number % g->f->parts == g->f->part && !(g->f->stop && g->tally->failures);
	if (!g->wanted)
		return;
	g->dice = (g->f->seed * 1000003 + (uint64_t)g->number) * 2 + 1;
	sim_random(&g->dice);
	g->dtype = draw_dtype(&g->dice);
	struct pmlrt_place from = mesh_place(c->mesh[0], 0), to;
	int all = place_second(c->mesh[1], g->relation, &from, &to, g->ranks, &g->dice);
	bool same = g->relation == ALIGNED && c->mesh[0] == c->mesh[1];
	batch_begin(g->batch, &from, same ? &from : &to, all);
	g->batch->rounds = sim_random(&g->dice) % TWICE_ONE_IN ? 1 : BATCH_ROUNDS;
}

static void end(struct gather *g)
{
	if (g->wanted && g->filled)
		batch_run_schedules(g->batch, g->f->schedules, &g->dice, g->tally);
	g->number += g->filled > 0;
	g->filled = 0;
}

/* What is announced of a member is what is announced of the first of its class, times the elements of the dimensions
 * that the class leaves out. */
static void compare(const struct gather *g, const struct class *c)
{
	const struct batch *b = g->batch;
	const struct announced *here = &b->announced[b->n - 1];
	struct pmlrt_type types[2];
	struct pmlrt_program program = b->program;
	struct announced first;
	class_first(c, types);
	types[0].dtype = types[1].dtype = g->dtype;
	types[1].place = program.nplaces - 1;
	program.types = types;
	program.ntypes = 2;
	announce(&first, &program, 0, 1, b->ranks);
	int64_t times = oracle_volume(&b->types[2 * b->n - 2]) / oracle_volume(&types[0]);
	bool alike = here->method == first.method && here->total == times * first.total;
	for (int r = 0; r < b->ranks; r++)
		alike = alike && here->sends[r] == times * first.sends[r] &&
			here->receives[r] == times * first.receives[r];
	if (!alike)
		batch_complain(b, g->tally, b->n - 1, "not as the first of its class");
}

static void add(struct gather *g, const struct class *c)
{
	struct pmlrt_type types[2];
	if (g->filled == 0)
		begin(g, c);
	if (g->wanted) {
		class_draw(c, g->f->rank, &g->dice, types);
		types[0].dtype = types[1].dtype = g->dtype;
		batch_add(g->batch, &types[0], &types[1]);
		compare(g, c);
	}
	if (++g->filled == BATCH_MOST)
		end(g);
}

static void visit(void *context, const struct class *c)
{
	struct gather *g = context;
	int64_t members = class_members(c, g->f->rank);
	g->stood_for += members;
	for (int i = 0; i < g->f->members; i++)
		add(g, c);
	if (g->wanted) {
		g->f->classes++;
		g->f->pairs += members;
	}
}

/* Pairs of layouts over two meshes, counted one by one. */
static int64_t count_pairs(int from, int to, int rank)
{
	static struct pmlrt_type types[MOST_LAYOUTS];
	static const int64_t dim[MOST_DIMS] = {1, 1, 1};
	int64_t all = 0, shapes = 1;
	for (int r = 0; r <= rank; r++, shapes *= SIZES)
		all += shapes * layouts_of(from, r, dim, PMLRT_F32, types) * layouts_of(to, r, dim, PMLRT_F32, types);
	return all;
}

void full_run(struct full *f, struct tally *t)
{
	static struct batch batch;
	struct gather g = {.f = f, .tally = t, .batch = &batch};
	for (int relation = 0; relation < RELATIONS; relation++)
		for (int k = 0; k < MESHES * MESHES; k++) {
			int64_t before = g.stood_for;
			g.relation = (enum relation)relation;
			classes_each(k % MESHES, k / MESHES, f->rank, visit, &g);
			end(&g);
			if (g.stood_for - before == count_pairs(k % MESHES, k / MESHES, f->rank))
				continue;
			printf("FAILED: the classes of meshes %d and %d are not all pairs\n", k % MESHES, k / MESHES);
			t->failures++;
		}
}
