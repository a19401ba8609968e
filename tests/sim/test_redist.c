/* test_redist.c — all pairs of layouts of tensors of 0 to 3 dimensions over the meshes and sizes of pairs.c, on
 * placements that lie to each other in four ways. test_redist [--full=RANK] [--members=N] [--every=RANK] [--groups=N]
 * [--pairs=N]
 * [--schedules=N] [--seed=N] [--part=I/N] [--stop]
 *
 * A group is one rank, two meshes, one relation and one shape: of tensors of up to --every dimensions all pairs of all
 * groups are run; of the others N groups (0: all) are drawn and of each N pairs. --full runs instead, for tensors of up
 * to RANK dimensions, one pair of every class (classes.h), which together stand for all pairs; --members more of each.
 * Windows are drawn: from what is whole or split, on one placement, to what is read around shares of several
 * dimensions, most with holes in what they bring (holes.h). Every group is run again with unequal shares, of those
 * drawn a quarter. Each is run under N schedules. Ends with "N passed, N failed". */
#include "batch.h"
#include "full.h"
#include "pairs.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct plan {
	int full, members, every, groups, pairs, schedules, part, parts;
	uint64_t seed;
	bool stop;
};

struct group {
	int rank, mesh[2], relation;
	int64_t dim[MOST_DIMS];
};

/* Brings layouts without parts to the front; returns how many there are. */
static int finished_first(struct pmlrt_type *types, int n, int naxes)
{
	int finished = 0;
	for (int i = 0; i < n; i++)
		if (!has_parts(&types[i], naxes)) {
			struct pmlrt_type t = types[i];
			types[i] = types[finished];
			types[finished++] = t;
		}
	return finished;
}

/* ---- a group ---- */

/* Of the pairs drawn every third is of layouts without parts, which are few among all. */
static int64_t draw_pair(int n, int m, int n_finished, int m_finished, uint64_t *dice)
{
	if (sim_random(dice) % 3 == 0) {
		n = n_finished;
		int64_t k = (int64_t)(sim_random(dice) % (uint64_t)(n * m_finished));
		return k / m_finished * m + k % m_finished;
	}
	return (int64_t)(sim_random(dice) % (uint64_t)(n * m));
}

static void run_group(const struct group *g, int64_t pairs, bool unequal, int schedules, uint64_t *dice,
		      struct tally *t)
{
	static struct pmlrt_type from_types[MOST_LAYOUTS], to_types[MOST_LAYOUTS];
	static struct batch b;
	int32_t ranks[2 * SIM_MOST_RANKS], dtype = draw_dtype(dice);
	int n = layouts_of(g->mesh[0], g->rank, g->dim, dtype, from_types),
	    m = layouts_of(g->mesh[1], g->rank, g->dim, dtype, to_types);
	int n_finished = finished_first(from_types, n, meshes[g->mesh[0]].naxes);
	int m_finished = finished_first(to_types, m, meshes[g->mesh[1]].naxes);
	struct pmlrt_place from = mesh_place(g->mesh[0], 0), to;
	int all = place_second(g->mesh[1], (enum relation)g->relation, &from, &to, ranks, dice);
	bool same = g->relation == ALIGNED && g->mesh[0] == g->mesh[1];
	int64_t count = pairs ? pairs : (int64_t)n * m;
	batch_begin(&b, &from, same ? &from : &to, all);
	for (int64_t i = 0; i < count; i++) {
		int64_t k = pairs ? draw_pair(n, m, n_finished, m_finished, dice) : i;
		struct pmlrt_type x = from_types[k / m], y = to_types[k % m];
		if (unequal) {
			draw_shares(g->mesh[0], &x, dice);
			draw_shares(g->mesh[1], &y, dice);
		}
		batch_add(&b, &x, &y);
		if (b.n == BATCH_MOST || i == count - 1) {
			batch_run_schedules(&b, schedules, dice, t);
			batch_begin(&b, &from, same ? &from : &to, all);
		}
	}
}

/* ---- all groups ---- */

static int64_t groups_of(int rank)
{
	int64_t n = MESHES * MESHES * RELATIONS;
	for (int d = 0; d < rank; d++)
		n *= SIZES;
	return n;
}

static struct group group_number(int rank, int64_t k)
{
	struct group g = {.rank = rank};
	g.mesh[0] = (int)(k % MESHES);
	g.mesh[1] = (int)(k / MESHES % MESHES);
	g.relation = (int)(k / MESHES / MESHES % RELATIONS);
	k /= MESHES * MESHES * RELATIONS;
	for (int d = 0; d < rank; d++, k /= SIZES)
		g.dim[d] = sizes[k % SIZES];
	return g;
}

/* Of the groups drawn every fourth is of one placement, where collectives are. */
static struct group draw_group(int rank, uint64_t *dice)
{
	struct group g = group_number(rank, (int64_t)(sim_random(dice) % (uint64_t)groups_of(rank)));
	if (sim_random(dice) % 4 == 0) {
		g.mesh[1] = g.mesh[0];
		g.relation = ALIGNED;
	}
	return g;
}

/* Of tensors of this rank: all groups there are, or as many as are drawn. */
static int64_t groups_run(const struct plan *p, int rank)
{
	int64_t all = groups_of(rank);
	return rank <= p->every || !p->groups || p->groups > all ? all : p->groups;
}

static void run_number(const struct plan *p, int rank, int64_t i, struct tally *t)
{
	uint64_t dice = (p->seed * 1000003 + (uint64_t)(i * 4 + rank)) * 2 + 1;
	sim_random(&dice);
	struct group g = groups_run(p, rank) == groups_of(rank) ? group_number(rank, i) : draw_group(rank, &dice);
	run_group(&g, rank <= p->every ? 0 : p->pairs, false, p->schedules, &dice, t);
	run_group(&g, rank <= p->every ? 0 : (p->pairs + 3) / 4, true, p->schedules, &dice, t);
}

static bool number(const char *arg, const char *name, int *out)
{
	size_t n = strlen(name);
	if (strncmp(arg, name, n))
		return false;
	*out = atoi(arg + n);
	return true;
}

/* ---- windows ---- */

static int64_t draw(uint64_t *dice, int64_t low, int64_t high)
{
	return low + (int64_t)(sim_random(dice) % (uint64_t)(high - low + 1));
}

static struct shard_atom draw_window(int d, uint64_t *dice)
{
	static const int32_t step[] = {1, 1, 2, 3, -1, -2, 0};
	struct shard_atom x = {.kind = SHARD_WINDOW, .dim = (int8_t)d};
	x.of = (int32_t)draw(dice, 1, 12);
	x.step = step[draw(dice, 0, 6)];
	x.low = (int32_t)draw(dice, -4, 4) + (x.step < 0 ? -x.step * x.of : x.step ? 0 : 4);
	x.high = x.low + (int32_t)draw(dice, 0, 5);
	x.div = (int32_t)draw(dice, 1, 2);
	return x;
}

/* Each dimension is split or read through one window, whichever axes take it. */
static void draw_reader(int naxes, int rank, struct pmlrt_type *t, uint64_t *dice)
{
	struct shard_atom along[MOST_DIMS];
	for (int d = 0; d < rank; d++)
		along[d] = draw(dice, 0, 2) ? draw_window(d, dice)
					    : (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)d};
	for (int a = 0; a < naxes; a++)
		t->atom[a] = draw(dice, 0, 4) ? along[draw(dice, 0, rank - 1)] : (struct shard_atom){.kind = SHARD_B};
}

static void run_windows(int schedules, uint64_t *dice, struct tally *t)
{
	static struct pmlrt_type types[MOST_LAYOUTS];
	static struct batch b;
	int mesh = (int)draw(dice, 0, MESHES - 1), rank = (int)draw(dice, 1, MOST_DIMS);
	int64_t dim[MOST_DIMS];
	for (int d = 0; d < rank; d++)
		dim[d] = sizes[draw(dice, 0, SIZES - 1)];
	int n = layouts_of(mesh, rank, dim, draw_dtype(dice), types);
	int finished = finished_first(types, n, meshes[mesh].naxes);
	struct pmlrt_place place = mesh_place(mesh, 0);
	batch_begin(&b, &place, &place, (int)place.count);
	for (int k = 0; k < BATCH_MOST; k++) {
		const struct pmlrt_type *from = &types[draw(dice, 0, finished - 1)];
		struct pmlrt_type to = *from;
		draw_reader(meshes[mesh].naxes, rank, &to, dice);
		struct pmlrt_type held = *from;
		if (draw(dice, 0, 1)) {
			draw_shares(mesh, &held, dice);
			draw_shares(mesh, &to, dice);
		}
		batch_add(&b, &held, &to);
	}
	b.has_holes = draw(dice, 0, 3) > 0;
	batch_run_schedules(&b, schedules, dice, t);
}

/* Groups of all ranks and windows in turn, so that a fault in either is soon found. */
static void run_drawn(const struct plan *p, struct tally *t)
{
	int64_t most = 0;
	int windows = 1 + p->groups / p->parts;
	uint64_t dice = p->seed * 1000003 + (uint64_t)p->part * 2 + 1;
	for (int rank = 0; rank <= MOST_DIMS; rank++)
		most = groups_run(p, rank) > most ? groups_run(p, rank) : most;
	for (int64_t i = p->part; (i < most || windows > 0) && !(p->stop && t->failures); i += p->parts) {
		if (windows-- > 0)
			run_windows(p->schedules, &dice, t);
		for (int rank = 0; rank <= MOST_DIMS; rank++)
			if (i < groups_run(p, rank))
				run_number(p, rank, i, t);
	}
}

/* f32[8, 8, 8] over 2 x 2 x 2 ranks, S(0) on all axes to S(1) on all: one all-to-all, in which every rank receives
 * seven of the eight pieces of its shard, 224 bytes. */
static void run_example(struct tally *t)
{
	static struct batch b;
	struct pmlrt_type x = {.dtype = PMLRT_F32, .rank = MOST_DIMS, .dim = {8, 8, 8}}, y;
	struct pmlrt_place mesh = mesh_place(CUBE, 0);
	for (int a = 0; a < mesh.naxes; a++)
		x.atom[a] = (struct shard_atom){.kind = SHARD_S};
	y = x;
	for (int a = 0; a < mesh.naxes; a++)
		y.atom[a].dim = 1;
	batch_begin(&b, &mesh, &mesh, (int)mesh.count);
	batch_add(&b, &x, &y);
	batch_run(&b, 1, t);
	bool right = !strcmp(announced_method(b.announced[0].method), "all-to-all");
	for (int r = 0; r < mesh.count; r++)
		right = right && b.traffic[r].received == BATCH_ROUNDS * 224 && b.traffic[r].sent == BATCH_ROUNDS * 224;
	if (!right)
		printf("FAILED: the example on 2 x 2 x 2 ranks is not one all-to-all of 224 bytes a rank\n");
	t->failures += !right;
}

static void run_full(const struct plan *p, struct tally *t)
{
	struct full f = {.rank = p->full < MOST_DIMS ? p->full : MOST_DIMS,
			 .members = p->members,
			 .part = p->part,
			 .parts = p->parts,
			 .schedules = p->schedules,
			 .seed = p->seed,
			 .stop = p->stop};
	full_run(&f, t);
	printf("%lld classes of pairs, which stand for %lld pairs\n", (long long)f.classes, (long long)f.pairs);
}

int main(int argc, char **argv)
{
	struct plan p = {.full = -1,
			 .members = 1,
			 .every = -1,
			 .groups = 60,
			 .pairs = 64,
			 .schedules = 1,
			 .parts = 1,
			 .seed = 1};
	int seed = 1;
	for (int i = 1; i < argc; i++) {
		bool known = number(argv[i], "--full=", &p.full) || number(argv[i], "--every=", &p.every) ||
			     number(argv[i], "--members=", &p.members) || number(argv[i], "--groups=", &p.groups) ||
			     number(argv[i], "--pairs=", &p.pairs) || number(argv[i], "--schedules=", &p.schedules) ||
			     number(argv[i], "--seed=", &seed);
		known = known || sscanf(argv[i], "--part=%d/%d", &p.part, &p.parts) == 2;
		p.stop = p.stop || !strcmp(argv[i], "--stop");
		if (!known && strcmp(argv[i], "--stop")) {
			fprintf(stderr, "usage: see test_redist.c\n");
			return 2;
		}
	}
	p.seed = (uint64_t)seed;
	struct tally t = {0};
	clock_t begin = clock();
	run_example(&t);
	if (p.full < 0)
		run_drawn(&p, &t);
	if (p.full >= 0)
		run_full(&p, &t);
	sim_end();
	double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
	printf("%lld pairs (once for every schedule), %lld redistributions, %.0f a second: %lld of S and B, %lld in "
	       "the table;\n"
	       "%lld reductions, %lld of them with the fewest bytes possible; %lld pairs need no staging, %lld cross "
	       "between hosts,\n%lld holes, %lld of them without memory\n%lld passed, "
	       "%lld failed\n",
	       (long long)t.pairs, (long long)t.runs, (double)t.runs / (seconds + 1e-9), (long long)t.whole,
	       (long long)t.listed, (long long)t.reduced, (long long)t.least, (long long)t.unstaged,
	       (long long)t.crossing, (long long)t.holes, (long long)t.gaps, (long long)(t.pairs - t.failures),
	       (long long)t.failures);
	return t.failures > 0;
}
