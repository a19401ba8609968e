/* test_bytes.c — what the compiler announces is what the runtime sends: for every pair of placement and layout, the
 * bytes of redist_plan (in all, and rank by rank) against the counters of the prepared transfer. No message is sent. */
#include "layout/redist.h"
#include "rt.h"
#include "transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4 };

static int32_t turned[] = {3, 0, 1, 2}, back[] = {2, 0}, mixed[] = {2, 1, 3, 0};
static const struct place places[] = {
	{.name = "world", .naxes = 1, .axis = {""}, .extent = {4}, .count = 4},
	{.name = "low", .naxes = 1, .axis = {""}, .extent = {2}, .count = 2},
	{.name = "high", .naxes = 1, .axis = {""}, .extent = {2}, .count = 2, .first = 2},
	{.name = "first3", .naxes = 1, .axis = {""}, .extent = {3}, .count = 3},
	{.name = "middle", .naxes = 1, .axis = {""}, .extent = {2}, .count = 2, .first = 1},
	{.name = "turned", .naxes = 1, .axis = {""}, .extent = {4}, .count = 4, .ranks = turned},
	{.name = "one", .naxes = 1, .axis = {""}, .extent = {1}, .count = 1, .first = 2},
	{.name = "back", .naxes = 1, .axis = {""}, .extent = {2}, .count = 2, .ranks = back},
	{.name = "grid", .naxes = 2, .axis = {"a", "b"}, .extent = {2, 2}, .count = 4, .ranks = mixed},
};
enum { PLACES = sizeof places / sizeof *places };
static const struct shard_atom atoms[] = {{.kind = SHARD_B},
					  {.kind = SHARD_S, .dim = 0},
					  {.kind = SHARD_S, .dim = 1},
					  {.kind = SHARD_P, .combiner = SHARD_SUM},
					  {.kind = SHARD_P, .combiner = SHARD_MAX}};
enum { ATOMS = sizeof atoms / sizeof *atoms };

/* A tensor on a placement, as the compiler has it. */
struct located {
	const struct place *place;
	struct layout layout;
};

/* Bytes the runtime's plan makes a rank send. */
static int64_t runtime_sends(const struct located *from, const struct located *to, const struct shape *shape,
			     int method, int rank, int64_t few)
{
	const struct located *both[2] = {from, to};
	struct pmlrt_place room[2], p[2] = {*place_table(from->place, &room[0]), *place_table(to->place, &room[1])};
	struct pmlrt_type t[2];
	for (int i = 0; i < 2; i++) {
		t[i] = (struct pmlrt_type){
			.dtype = PMLRT_F32, .rank = shape->rank, .place = from->place == to->place ? 0 : i};
		memcpy(t[i].dim, shape->dim, sizeof t[i].dim);
		memcpy(t[i].atom, both[i]->layout.atom, sizeof t[i].atom);
	}
	struct pmlrt_site site = {"", 0, 0, ""};
	struct pmlrt_transfer transfer = {.src = 0, .dst = 1, .method = method};
	struct pmlrt_program program = {.nplaces = 2,
					.ntypes = 2,
					.nsites = 1,
					.ntransfers = 1,
					.places = p,
					.types = t,
					.sites = &site,
					.transfers = &transfer};
	struct pmlrt rt = {.program = &program, .rank = rank, .size = RANKS, .few_ranks = few};
	rt_places_prepare(&rt);
	rt_transfers_prepare(&rt);
	int64_t sends = rt.transfers[0].method ? rt.transfers[0].sends : 0;
	rt_free_all(&rt);
	return sends;
}

/* few: up to so many ranks send messages straight to each other. All-reduces of more go in levels: all send as many,
 * but not each rank. */
static bool agrees(const struct located *from, const struct located *to, const struct shape *shape, int64_t few)
{
	struct redist r = redist_plan(DT_F32, shape, from->place, &from->layout, to->place, &to->layout);
	int64_t sum = 0;
	for (int rank = 0; rank < RANKS; rank++) {
		int64_t sends = runtime_sends(from, to, shape, (int)r.method, rank, few);
		int64_t announced =
			redist_bytes_sent(&r, DT_F32, shape, from->place, &from->layout, to->place, &to->layout, rank);
		if (sends != announced && (few || r.method != REDIST_ALL_REDUCE)) {
			printf("%s -> %s by %s: rank %d sends %lld bytes, announced are %lld\n", from->place->name,
			       to->place->name, redist_text(r.method), rank, (long long)sends, (long long)announced);
			return false;
		}
		sum += sends;
	}
	if (sum != r.bytes_total)
		printf("%s -> %s by %s: %lld bytes in all, announced are %lld\n", from->place->name, to->place->name,
		       redist_text(r.method), (long long)sum, (long long)r.bytes_total);
	return sum == r.bytes_total;
}

static int list_layouts(struct located *list)
{
	int n = 0;
	for (int p = 0; p < PLACES; p++)
		for (int a = 0; a < ATOMS; a++)
			for (int b = 0; b < (places[p].naxes == 2 ? ATOMS : 1); b++) {
				bool two_combiners =
					b && atoms[a].kind == SHARD_P && atoms[b].kind == SHARD_P && a != b;
				if (!two_combiners)
					list[n++] = (struct located){&places[p], {{atoms[a], atoms[b]}}};
			}
	return n;
}

int main(void)
{
	static const int64_t shapes[][2] = {{1, 1}, {4, 4}, {7, 5}, {2, 3}, {5, 1}, {0, 3}};
	static struct located list[PLACES * ATOMS * ATOMS];
	int n = list_layouts(list), passed = 0, failed = 0;
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
		struct shape shape = {.rank = 2, .dim = {shapes[s][0], shapes[s][1]}};
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++)
				for (int64_t few = 0; few <= RANKS; few += RANKS)
					*(agrees(&list[i], &list[j], &shape, few) ? &passed : &failed) += 1;
	}
	printf("%d passed, %d failed\n", passed, failed);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
