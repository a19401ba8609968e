/* test_redist.c — all pairs of layouts of tensors of 0 to 3 dimensions over the meshes and sizes below, on placements
 * that lie to each other in four ways. test_redist [--full=RANK] [--groups=N] [--pairs=N] [--schedules=N] [--seed=N]
 * [--part=I/N] [--stop] A group is one rank, two meshes, one relation and one shape. --full takes all pairs of layouts
 * of all groups of tensors of up to RANK dimensions; of the others, N groups (0: all) are drawn and of each N pairs.
 * Each is run under N schedules. Ends with "N passed, N failed". */
#include "batch.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MESHES = 7, CUBE = 5, SIZES = 6, RELATIONS = 4, MOST_LAYOUTS = 400, MOST_DIMS = 3, FEW_RANKS = 16 };

static const struct {
	int naxes;
	int64_t extent[3];
} meshes[MESHES] = {{1, {2}}, {1, {3}}, {1, {4}}, {2, {2, 2}}, {2, {2, 3}}, {3, {2, 2, 2}}, {2, {1, 3}}};
static const int64_t sizes[SIZES] = {1, 2, 5, 6, 7, 12};
enum relation { ALIGNED, PERMUTED, OVERLAPPING, DISJOINT };

struct plan {
	int full, groups, pairs, schedules, part, parts;
	uint64_t seed;
	bool stop;
};

struct group {
	int rank, mesh[2], relation;
	int64_t dim[MOST_DIMS];
};

/* ---- layouts ---- */

static struct shard_atom atom_number(int k, int rank)
{
	if (k == 0)
		return (struct shard_atom){.kind = SHARD_B};
	if (k <= rank)
		return (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)(k - 1)};
	return (struct shard_atom){.kind = SHARD_P, .combiner = (uint8_t)(k - rank - 1)};
}

/* Parts of two reductions make no tensor. */
static bool mixes(const struct pmlrt_type *t, int naxes)
{
	int seen = -1;
	for (int a = 0; a < naxes; a++) {
		if (t->atom[a].kind != SHARD_P)
			continue;
		if (seen >= 0 && seen != t->atom[a].combiner)
			return true;
		seen = t->atom[a].combiner;
	}
	return false;
}

static bool has_parts(const struct pmlrt_type *t, int naxes)
{
	for (int a = 0; a < naxes; a++)
		if (t->atom[a].kind == SHARD_P)
			return true;
	return false;
}

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

/* All layouts of a tensor over a mesh. */
static int layouts_of(int mesh, const struct group *g, int32_t dtype, struct pmlrt_type *out)
{
	int naxes = meshes[mesh].naxes, kinds = 1 + g->rank + 4, all = 1, n = 0;
	for (int a = 0; a < naxes; a++)
		all *= kinds;
	for (int k = 0; k < all; k++) {
		struct pmlrt_type t = {.dtype = dtype, .rank = g->rank};
		int rest = k;
		for (int a = 0; a < naxes; a++, rest /= kinds)
			t.atom[a] = atom_number(rest % kinds, g->rank);
		memcpy(t.dim, g->dim, sizeof g->dim);
		if (!mixes(&t, naxes))
			out[n++] = t;
	}
	return n;
}

/* ---- placements ---- */

static struct pmlrt_place mesh_place(int mesh, int32_t first)
{
	struct pmlrt_place p = {.name = "place", .naxes = meshes[mesh].naxes, .count = 1, .first = first};
	for (int a = 0; a < p.naxes; a++) {
		p.axis[a] = "";
		p.extent[a] = meshes[mesh].extent[a];
		p.count *= p.extent[a];
	}
	return p;
}

/* The second placement of a group; ranks: storage for a permutation. Returns how many ranks there are in all. */
static int place_second(const struct group *g, const struct pmlrt_place *from, struct pmlrt_place *to, int32_t *ranks,
			uint64_t *dice)
{
	int64_t p = from->count, all;
	*to = mesh_place(g->mesh[1], 0);
	if (g->relation == OVERLAPPING)
		to->first = (int32_t)(1 + sim_random(dice) % (uint64_t)(p - 1));
	if (g->relation == DISJOINT)
		to->first = (int32_t)p;
	all = to->first + to->count > p ? to->first + to->count : p;
	if (g->relation != PERMUTED)
		return (int)all;
	for (int64_t i = 0; i < all; i++) {
		int64_t k = (int64_t)(sim_random(dice) % (uint64_t)(i + 1));
		ranks[i] = ranks[k];
		ranks[k] = (int32_t)i;
	}
	to->ranks = ranks;
	return (int)all;
}

/* ---- a group ---- */

static int32_t draw_dtype(uint64_t *dice)
{
	int k = (int)(sim_random(dice) % (2 * PMLRT_DTYPES));
	return k < PMLRT_DTYPES ? k : PMLRT_F32;
}

static void run_batch(struct batch *b, int schedules, uint64_t *dice, struct tally *t)
{
	for (int i = 0; i < schedules; i++) {
		b->few_ranks = sim_random(dice) % 2 ? FEW_RANKS : 0;
		b->message_elements = sim_random(dice) % 8 ? 0 : 3;
		batch_run(b, sim_random(dice) >> 24, t);
	}
}

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

static void run_group(const struct group *g, int64_t pairs, int schedules, uint64_t *dice, struct tally *t)
{
	static struct pmlrt_type from_types[MOST_LAYOUTS], to_types[MOST_LAYOUTS];
	static struct batch b;
	int32_t ranks[SIM_MOST_RANKS], dtype = draw_dtype(dice);
	int n = layouts_of(g->mesh[0], g, dtype, from_types), m = layouts_of(g->mesh[1], g, dtype, to_types);
	int n_finished = finished_first(from_types, n, meshes[g->mesh[0]].naxes);
	int m_finished = finished_first(to_types, m, meshes[g->mesh[1]].naxes);
	struct pmlrt_place from = mesh_place(g->mesh[0], 0), to;
	int all = place_second(g, &from, &to, ranks, dice);
	bool same = g->relation == ALIGNED && g->mesh[0] == g->mesh[1];
	int64_t count = pairs ? pairs : (int64_t)n * m;
	batch_begin(&b, &from, same ? &from : &to, all);
	for (int64_t i = 0; i < count; i++) {
		int64_t k = pairs ? draw_pair(n, m, n_finished, m_finished, dice) : i;
		batch_add(&b, &from_types[k / m], &to_types[k % m]);
		if (b.n == BATCH_MOST || i == count - 1) {
			run_batch(&b, schedules, dice, t);
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

static void run_rank(const struct plan *p, int rank, struct tally *t)
{
	int64_t all = groups_of(rank), n = rank <= p->full || !p->groups || p->groups > all ? all : p->groups;
	for (int64_t i = p->part; i < n && !(p->stop && t->failures); i += p->parts) {
		uint64_t dice = (p->seed * 1000003 + (uint64_t)(i * 4 + rank)) * 2 + 1;
		sim_random(&dice);
		struct group g = n == all ? group_number(rank, i) : draw_group(rank, &dice);
		run_group(&g, rank <= p->full ? 0 : p->pairs, p->schedules, &dice, t);
	}
}

static bool number(const char *arg, const char *name, int *out)
{
	size_t n = strlen(name);
	if (strncmp(arg, name, n))
		return false;
	*out = atoi(arg + n);
	return true;
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

int main(int argc, char **argv)
{
	struct plan p = {.full = -1, .groups = 60, .pairs = 64, .schedules = 1, .parts = 1, .seed = 1};
	int seed = 1;
	for (int i = 1; i < argc; i++) {
		bool known = number(argv[i], "--full=", &p.full) || number(argv[i], "--groups=", &p.groups) ||
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
	for (int rank = 0; rank <= MOST_DIMS; rank++)
		run_rank(&p, rank, &t);
	sim_end();
	double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
	printf("%lld pairs (once for every schedule), %lld redistributions, %.0f a second: %lld of S and B, %lld in "
	       "the table;\n"
	       "%lld reductions, %lld of them with the fewest bytes possible; %lld pairs need no staging\n%lld passed, "
	       "%lld failed\n",
	       (long long)t.pairs, (long long)t.runs, (double)t.runs / (seconds + 1e-9), (long long)t.whole,
	       (long long)t.listed, (long long)t.reduced, (long long)t.least, (long long)t.unstaged,
	       (long long)(t.pairs - t.failures), (long long)t.failures);
	return t.failures > 0;
}
