/* test_rows.c — rows taken by index from tables that are split, among other transfers: values, bytes and staging, with
 * ranks on one host and on several. test_rows [--batches=N] [--seed=N] [--stop] Ends with "N passed, N failed". */
#include "batch.h"
#include "pairs.h"

#include <string.h>

enum { SCHEDULES = 2 };

static int draw(uint64_t *dice, int n)
{
	return (int)(sim_random(dice) % (uint64_t)n);
}

/* Dimensions of the tensor, some of them those of the indices, and of the table. */
static void draw_dims(struct pmlrt_type *whole, struct pmlrt_type *table, struct rows *x, uint64_t *dice)
{
	whole->rank = draw(dice, MOST_DIMS + 1);
	x->rank = draw(dice, whole->rank + 1);
	x->at = draw(dice, whole->rank - x->rank + 1);
	table->rank = whole->rank - x->rank + 1;
	x->dim = draw(dice, table->rank);
	x->dtype = PMLRT_I8 + draw(dice, PMLRT_U64 - PMLRT_I8 + 1);
	for (int d = 0; d < whole->rank; d++)
		whole->dim[d] = sizes[draw(dice, SIZES)];
	for (int d = 0, k = 0; d < table->rank; d++) {
		k += k == x->at && d != x->dim ? x->rank : 0;
		table->dim[d] = d == x->dim ? sizes[draw(dice, SIZES)] : whole->dim[k++];
	}
}

/* Which dimension of the table one of the tensor is; -1: one of the indices. */
static int table_dim(const struct rows *x, int d)
{
	if (d >= x->at && d < x->at + x->rank)
		return -1;
	d -= d < x->at ? 0 : x->rank;
	return d + (d >= x->dim);
}

/* Along an axis that does not share the rows out indices or elements of rows may be split, in the tensor as in the
 * table; along one that does, the tensor is in parts. */
static void draw_layout(int mesh, struct pmlrt_type *parts, struct pmlrt_type *whole, struct pmlrt_type *table,
			const struct rows *x, bool alike, uint64_t *dice)
{
	int naxes = meshes[mesh].naxes, sure = draw(dice, naxes);
	while (meshes[mesh].extent[sure] == 1)
		sure = draw(dice, naxes);
	for (int a = 0; a < naxes; a++) {
		bool shares = a == sure || draw(dice, 2);
		int d = shares || alike ? whole->rank : draw(dice, whole->rank + 1);
		if (shares)
			table->atom[a] = (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)x->dim};
		if (d < whole->rank)
			whole->atom[a] = (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)d};
	}
	draw_shares(mesh, table, dice);
	draw_shares(mesh, whole, dice);
	*parts = *whole;
	for (int a = 0; a < naxes; a++) {
		const struct shard_atom *held = &whole->atom[a];
		if (table->atom[a].kind == SHARD_S) {
			parts->atom[a] = (struct shard_atom){.kind = SHARD_P, .combiner = SHARD_SUM};
		} else if (held->kind == SHARD_S && table_dim(x, held->dim) >= 0) {
			table->atom[a] = *held;
			table->atom[a].dim = (int8_t)table_dim(x, held->dim);
		}
	}
}

/* Along the axes that share the rows out the tensor is split, inside of what splits it along others; false: it would
 * not be. */
static bool draw_split(int mesh, const struct pmlrt_type *parts, struct pmlrt_type *whole, uint64_t *dice)
{
	struct pmlrt_type split = *whole;
	int last[MOST_DIMS + 1] = {0};
	for (int a = 0; a < meshes[mesh].naxes; a++)
		if (parts->atom[a].kind == SHARD_S && meshes[mesh].extent[a] > 1)
			last[parts->atom[a].dim] = a;
	for (int a = 0; a < meshes[mesh].naxes; a++) {
		if (parts->atom[a].kind != SHARD_P)
			continue;
		int d = whole->rank ? draw(dice, whole->rank) : -1;
		if (d < 0 || last[d] > a)
			return false;
		split.atom[a] = (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)d};
	}
	draw_shares(mesh, &split, dice);
	for (int a = 0; a < meshes[mesh].naxes; a++)
		if (parts->atom[a].kind == SHARD_P)
			whole->atom[a] = split.atom[a];
	return true;
}

/* Of what is returned other axes may share the rows out as well: each group of ranks has those of its own. */
static void draw_more_rows(int mesh, const struct pmlrt_type *whole, struct pmlrt_type *table, const struct rows *x,
			   uint64_t *dice)
{
	for (int a = 0; a < meshes[mesh].naxes; a++)
		if (table->atom[a].kind == SHARD_B && whole->atom[a].kind == SHARD_B && draw(dice, 2))
			table->atom[a] = (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)x->dim};
}

/* alike: all ranks are to have the same, on another mesh of them. */
static void add_rows(struct batch *b, int mesh, bool alike, uint64_t *dice)
{
	int32_t dtype = draw_dtype(dice);
	struct pmlrt_type parts, whole = {.dtype = dtype}, table = {.dtype = dtype};
	struct rows x = {.way = ROWS_GATHERED};
	draw_dims(&whole, &table, &x, dice);
	draw_layout(mesh, &parts, &whole, &table, &x, alike, dice);
	struct pmlrt_type split = whole;
	if (!alike && draw(dice, 3) && draw_split(mesh, &parts, &split, dice))
		x.way = draw(dice, 2) ? ROWS_SCATTERED : ROWS_RETURNED;
	if (x.way == ROWS_RETURNED)
		draw_more_rows(mesh, &whole, &table, &x, dice);
	for (int a = 0; a < PMLRT_MAX_AXES && alike; a++)
		whole.atom[a] = (struct shard_atom){.kind = SHARD_B};
	batch_add_rows(b, x.way == ROWS_RETURNED ? &split : &parts, x.way == ROWS_SCATTERED ? &split : &whole, &table,
		       &x);
}

static void add_other(struct batch *b, int mesh, uint64_t *dice)
{
	static struct pmlrt_type all[MOST_LAYOUTS];
	int64_t dim[MOST_DIMS];
	int rank = draw(dice, MOST_DIMS + 1);
	for (int d = 0; d < rank; d++)
		dim[d] = sizes[draw(dice, SIZES)];
	int n = layouts_of(mesh, rank, dim, draw_dtype(dice), all), from = draw(dice, n), to = draw(dice, n);
	batch_add(b, &all[from], &all[to]);
}

/* Three of four transfers are of rows. Placements do not begin at rank 0 only, or their ranks are permuted; one in
 * four goes to a mesh of one axis of the same ranks. Returns the number of
 * those that were run. */
static int run_batch(uint64_t *dice, struct tally *t)
{
	static struct batch b;
	int32_t order[2 * SIM_MOST_RANKS];
	int mesh = draw(dice, MESHES), n = 1 + draw(dice, BATCH_MOST), moves = 0, first = draw(dice, 3), ranks;
	struct pmlrt_place base = mesh_place(mesh, first), place = base;
	ranks = first + (int)base.count;
	if (draw(dice, 2))
		ranks = place_second(mesh, PERMUTED, &base, &place, order, dice);
	struct pmlrt_place line = place;
	bool alike = draw(dice, 4) == 0;
	line.naxes = 1;
	line.extent[0] = line.count;
	batch_begin(&b, &place, alike ? &line : &place, ranks);
	for (int i = 0; i < n; i++) {
		bool rows = alike || draw(dice, 4);
		if (rows)
			add_rows(&b, mesh, alike, dice);
		else
			add_other(&b, mesh, dice);
		moves += rows;
	}
	batch_run_schedules(&b, SCHEDULES, dice, t);
	return moves * SCHEDULES;
}

int main(int argc, char **argv)
{
	int batches = 100, seed = 1, moves = 0;
	bool stop = false;
	for (int i = 1; i < argc; i++) {
		stop = stop || !strcmp(argv[i], "--stop");
		if (sscanf(argv[i], "--batches=%d", &batches) != 1 && sscanf(argv[i], "--seed=%d", &seed) != 1 &&
		    !stop) {
			fprintf(stderr, "usage: see test_rows.c\n");
			return 2;
		}
	}
	struct tally t = {0};
	uint64_t dice = (uint64_t)seed * 2 + 1;
	for (int i = 0; i < batches && !(stop && t.failures); i++)
		moves += run_batch(&dice, &t);
	sim_end();
	printf("%lld transfers under %d batches with rows, %d of them of rows, which moved %lld elements\n"
	       "%lld passed, %lld failed\n",
	       (long long)t.pairs, batches, moves, (long long)t.taken, (long long)(t.pairs - t.failures),
	       (long long)t.failures);
	return t.failures > 0 || t.taken == 0;
}
