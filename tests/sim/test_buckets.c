/* test_buckets.c — small all-reduces that travel together, among other transfers: values, bytes and staging are those
 * of each by itself. test_buckets [--batches=N] [--seed=N] [--stop] Ends with "N passed, N failed". */
#include "buckets.h"
#include "pairs.h"

#include <stdlib.h>
#include <string.h>

static int draw(uint64_t *dice, int n)
{
	return (int)(sim_random(dice) % (uint64_t)n);
}

/* Three of four transfers are reductions that end whole on one axis or several; the others are as they come. */
static void draw_types(int mesh, int32_t dtype, uint64_t *dice, struct pmlrt_type types[2])
{
	static struct pmlrt_type all[MOST_LAYOUTS];
	int64_t dim[MOST_DIMS];
	int rank = draw(dice, MOST_DIMS + 1);
	for (int d = 0; d < rank; d++)
		dim[d] = sizes[draw(dice, SIZES)];
	int n = layouts_of(mesh, rank, dim, dtype, all);
	types[0] = all[draw(dice, n)];
	types[1] = all[draw(dice, n)];
	if (draw(dice, 4) == 0)
		return;
	while (!has_parts(&types[0], meshes[mesh].naxes))
		types[0] = all[draw(dice, n)];
	types[1] = types[0];
	for (int a = 0; a < meshes[mesh].naxes; a++)
		if (types[0].atom[a].kind == SHARD_P && draw(dice, 4))
			types[1].atom[a] = (struct shard_atom){.kind = SHARD_B};
}

/* Placements do not begin at rank 0 only: some ranks take no part. */
static int run_batch(uint64_t *dice, struct tally *t)
{
	static struct batch b;
	int mesh = draw(dice, MESHES), n = 1 + draw(dice, BATCH_MOST), first = draw(dice, 3);
	struct pmlrt_place place = mesh_place(mesh, (int32_t)first);
	int32_t dtype = draw_dtype(dice);
	batch_begin(&b, &place, &place, first + (int)place.count);
	for (int i = 0; i < n; i++) {
		struct pmlrt_type types[2];
		draw_types(mesh, dtype, dice, types);
		batch_add(&b, &types[0], &types[1]);
	}
	int merged = buckets_draw(&b, dice);
	batch_run_schedules(&b, 2, dice, t);
	return merged;
}

int main(int argc, char **argv)
{
	int batches = 100, seed = 1, merged = 0;
	bool stop = false;
	for (int i = 1; i < argc; i++) {
		stop = stop || !strcmp(argv[i], "--stop");
		if (sscanf(argv[i], "--batches=%d", &batches) != 1 && sscanf(argv[i], "--seed=%d", &seed) != 1 &&
		    !stop) {
			fprintf(stderr, "usage: see test_buckets.c\n");
			return 2;
		}
	}
	struct tally t = {0};
	uint64_t dice = (uint64_t)seed * 2 + 1;
	for (int i = 0; i < batches && !(stop && t.failures); i++)
		merged += run_batch(&dice, &t);
	sim_end();
	printf("%lld transfers under %d batches of buckets, %d of them in one\n%lld passed, %lld failed\n",
	       (long long)t.pairs, batches, merged, (long long)(t.pairs - t.failures), (long long)t.failures);
	return t.failures > 0 || merged == 0;
}
