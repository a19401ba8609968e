/* batch.c — see batch.h. Every transfer is called several times with other values. All ranks begin the calls in one
 * order of the seed's; each rank ends them, and looks after them in between, as its own dice fall. */
#include "batch.h"

#include "buckets.h"
#include "holes.h"
#include "moves/levels.h"
#include "moves/mesh.h"
#include "moves/moves.h"
#include "moves/room.h"
#include "ranks.h"
#include "rt.h"
#include "transfer.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 20, GUARD = 16, AT_ONCE = 24, FEW_RANKS = 16 };

void batch_begin(struct batch *b, const struct pmlrt_place *from, const struct pmlrt_place *to, int ranks)
{
	b->n = 0;
	b->ranks = ranks;
	b->rounds = BATCH_ROUNDS;
	b->has_holes = false;
	b->places[0] = *from;
	b->places[1] = *to;
	b->program = (struct pmlrt_program){.abi = PMLRT_ABI,
					    .nranks = ranks,
					    .nplaces = from == to ? 1 : 2,
					    .places = b->places,
					    .types = b->types,
					    .transfers = b->transfers};
}

void batch_add(struct batch *b, const struct pmlrt_type *src, const struct pmlrt_type *dst)
{
	int i = b->n++;
	b->types[2 * i] = *src;
	b->types[2 * i + 1] = *dst;
	b->types[2 * i + 1].place = b->program.nplaces - 1;
	b->program.ntypes = 3 * BATCH_MOST;
	b->program.ntransfers = b->n;
	oracle_hold(&b->holds[2 * i], &b->program, 2 * i, b->ranks);
	oracle_hold(&b->holds[2 * i + 1], &b->program, 2 * i + 1, b->ranks);
	announce(&b->announced[i], &b->program, 2 * i, 2 * i + 1, b->ranks);
	b->transfers[i] =
		(struct pmlrt_transfer){.src = 2 * i, .dst = 2 * i + 1, .method = b->announced[i].method, .table = -1};
	b->rows[i].table.type = NULL;
}

void batch_add_rows(struct batch *b, const struct pmlrt_type *src, const struct pmlrt_type *dst,
		    const struct pmlrt_type *table, const struct rows *rows)
{
	int i = b->n, at = 2 * BATCH_MOST + i;
	batch_add(b, src, dst);
	announce_rows(&b->announced[i], &b->program, 2 * i, 2 * i + 1, b->ranks);
	b->types[at] = *table;
	b->rows[i] = *rows;
	oracle_hold(&b->rows[i].table, &b->program, at, b->ranks);
	b->transfers[i] = (struct pmlrt_transfer){.src = 2 * i,
						  .dst = 2 * i + 1,
						  .method = b->announced[i].method,
						  .table = at,
						  .table_dim = rows->dim,
						  .rows_at = rows->at,
						  .rows_rank = rows->rank,
						  .rows_dtype = rows->dtype};
}

/* ---- on a rank ---- */

static uint64_t salt_of(const struct batch *b, int round, int id)
{
	return b->seed * 64 + (uint64_t)round * BATCH_MOST + (uint64_t)id;
}

/* A gap in a destination has no memory. */
static size_t shard_bytes(const struct batch *b, int side, int rank)
{
	int64_t gap = side % 2 ? b->with_holes[rank][side / 2].gap : 0;
	return (size_t)((oracle_held(&b->holds[side], rank) - gap) * rt_dtype_size(b->types[side].dtype));
}

/* A block of exactly the shard's size, with a guard behind it. */
static void *shard_make(const struct batch *b, int side, int rank)
{
	size_t bytes = shard_bytes(b, side, rank);
	if (!b->holds[side].rank[rank].on)
		return NULL;
	char *p = malloc(bytes + GUARD);
	if (!p)
		abort();
	memset(p, HOLE_UNTOUCHED, bytes + GUARD);
	return p;
}

static bool takes_rows(const struct batch *b, int id)
{
	return b->rows[id].table.type != NULL;
}

static void fill_source(const struct batch *b, int rank, int round, int id, void *data)
{
	if (takes_rows(b, id))
		rows_fill(&b->rows[id], &b->holds[2 * id], rank, salt_of(b, round, id), data);
	else
		oracle_fill(&b->holds[2 * id], rank, salt_of(b, round, id), data);
}

/* The indices are read before it returns: they are spoiled then. */
static void begin_rows(struct batch *b, int rank, int round, int id, const void *from, void *to)
{
	char indices[ORACLE_MOST_ELEMENTS * 8];
	const struct holdings *whole = &b->holds[2 * id + (b->rows[id].way == ROWS_RETURNED)];
	if (whole->rank[rank].on)
		rows_indices(&b->rows[id], whole, rank, salt_of(b, round, id), indices);
	pmlrt_transfer_begin_rows(b->rank[rank], id, from, to, indices);
	memset(indices, 0, sizeof indices);
}

static void begin_one(struct batch *b, int rank, int round, int id)
{
	void **data = b->data[rank][round][id];
	data[0] = shard_make(b, 2 * id, rank);
	data[1] = shard_make(b, 2 * id + 1, rank);
	if (data[0])
		fill_source(b, rank, round, id, data[0]);
	/* In a plan an empty shard may lie where another one does. */
	const void *from = data[1] && !shard_bytes(b, 2 * id, rank) ? data[1] : data[0];
	void *to = data[0] && !shard_bytes(b, 2 * id + 1, rank) ? data[0] : data[1];
	sim_label(id);
	if (takes_rows(b, id))
		begin_rows(b, rank, round, id, from, to);
	else
		pmlrt_transfer_begin(b->rank[rank], id, from, to);
}

/* After the end nobody reads the source any more: it is checked and spoiled. */
static void end_one(struct batch *b, int rank, int round, int id)
{
	char *src = b->data[rank][round][id][0];
	size_t bytes = shard_bytes(b, 2 * id, rank);
	sim_label(id);
	pmlrt_transfer_end(b->rank[rank], id);
	if (!src)
		return;
	char *again = malloc(bytes + 1);
	if (!again)
		abort();
	fill_source(b, rank, round, id, again);
	bool same = memcmp(src, again, bytes) == 0;
	free(again);
	if (!same)
		sim_fail("transfer %d changes its source on rank %d", id, rank);
	memset(src, 0xE7, bytes);
}

/* Whether what carries a transfer along has begun on a rank, if the rank takes part at all. */
static bool has_left(const struct batch *b, int rank, int round, int id)
{
	int bucket = b->transfers[id].bucket;
	return bucket == 0 || !b->holds[2 * id].rank[rank].on || b->data[rank][round][bucket - 1][0];
}

/* Of the transfers under way one that may be ended, looked for from place k on; -1: none. */
static int may_end(const struct batch *b, int rank, int round, const int *under_way, int n, int k)
{
	for (int i = 0; i < n; i++)
		if (has_left(b, rank, round, under_way[(k + i) % n]))
			return (k + i) % n;
	return -1;
}

static void run_round(struct batch *b, int rank, int round, uint64_t *dice)
{
	int under_way[BATCH_MOST], n = 0;
	for (int i = 0; i < b->n || n > 0;) {
		bool begins = i < b->n && (n == 0 || (n < AT_ONCE && sim_random(dice) % 3 > 0));
		int k = begins ? -1 : may_end(b, rank, round, under_way, n, (int)(sim_random(dice) % (uint64_t)n));
		if (k < 0) {
			under_way[n] = b->order[round][i++];
			begin_one(b, rank, round, under_way[n++]);
		} else {
			end_one(b, rank, round, under_way[k]);
			under_way[k] = under_way[--n];
		}
		if (sim_random(dice) % 4 == 0)
			pmlrt_poke(b->rank[rank]);
	}
}

static void run_rank(void *context, int rank)
{
	struct batch *b = context;
	uint64_t dice = (b->seed * 131 + (uint64_t)rank) * 2 + 1;
	rank_prepare(b->rank[rank]);
	for (int round = 0; round < b->rounds; round++)
		run_round(b, rank, round, &dice);
}

/* ---- what is checked afterwards ---- */

static void type_text(const struct batch *b, int side, char *text, size_t size)
{
	static const char *const combiners[] = {"sum", "max", "min", "prod"};
	const struct pmlrt_type *t = &b->types[side];
	const struct pmlrt_place *p = &b->places[t->place];
	size_t n = (size_t)snprintf(text, size, "(");
	for (int a = 0; a < p->naxes && n < size; a++)
		n += (size_t)snprintf(text + n, size - n, "%s%lld", a ? "," : "", (long long)p->extent[a]);
	n += (size_t)snprintf(text + n, size - n, ") from rank %d%s:", p->ranks ? p->ranks[0] : p->first,
			      p->ranks ? ", permuted" : "");
	for (int a = 0; a < p->naxes && n < size; a++) {
		const struct shard_atom *atom = &t->atom[a];
		n += (size_t)(atom->kind == SHARD_B ? snprintf(text + n, size - n, " B")
			      : atom->kind == SHARD_S
				      ? snprintf(text + n, size - n, " S(%d)", atom->dim)
				      : snprintf(text + n, size - n, " P(%s)", combiners[atom->combiner]));
	}
}

void batch_complain(const struct batch *b, struct tally *t, int id, const char *what)
{
	char from[128], to[128], shape[64];
	t->failures++;
	if (t->shown++ >= MOST_SHOWN)
		return;
	type_text(b, 2 * id, from, sizeof from);
	type_text(b, 2 * id + 1, to, sizeof to);
	printf("FAILED: %s, %s -> %s, by %s%s, seed %llu: %s\n", rt_type_text(&b->types[2 * id], shape, sizeof shape),
	       from, to, announced_method(b->announced[id].method), b->few_ranks ? "" : " (MPI)",
	       (unsigned long long)b->seed, what);
}

static void complain_bytes(const struct batch *b, struct tally *t, int id, const char *what, int64_t got,
			   int64_t expected)
{
	char text[160];
	snprintf(text, sizeof text, "%s: %lld, not %lld", what, (long long)got, (long long)expected);
	batch_complain(b, t, id, text);
}

static bool batch_is_halo(const struct batch *b, int id)
{
	return !strcmp(announced_method(b->announced[id].method), "halo");
}

static bool guards_hold(const struct batch *b, int id)
{
	static const char guard[GUARD] = {0x5A, 0x5A, 0x5A, 0x5A, 0x5A, 0x5A, 0x5A, 0x5A,
					  0x5A, 0x5A, 0x5A, 0x5A, 0x5A, 0x5A, 0x5A, 0x5A};
	for (int r = 0; r < b->ranks; r++)
		for (int round = 0; round < b->rounds; round++)
			for (int k = 0; k < 2; k++) {
				const char *p = b->data[r][round][id][k];
				if (p && memcmp(p + shard_bytes(b, 2 * id + k, r), guard, GUARD))
					return false;
			}
	return true;
}

/* All ranks' destinations with their holes filled, to be freed; false if something was written in one. */
static bool fill_holes(const struct batch *b, int id, int round, void **data)
{
	const struct holdings *dst = &b->holds[2 * id + 1];
	bool left_alone = true;
	for (int r = 0; r < b->ranks; r++) {
		data[r] = b->data[r][round][id][1];
		if (data[r])
			data[r] = hole_filled(&b->with_holes[r][id], dst, r, salt_of(b, round, id), data[r]);
		left_alone = left_alone && (data[r] || !dst->rank[r].on);
	}
	return left_alone;
}

static void check_values(struct batch *b, struct tally *t, int id)
{
	const char *wrong = NULL;
	for (int round = 0; round < b->rounds && !wrong; round++) {
		void *data[SIM_MOST_RANKS];
		bool halo = b->has_holes && batch_is_halo(b, id);
		for (int r = 0; r < b->ranks && !halo; r++)
			data[r] = b->data[r][round][id][1];
		if (halo && !fill_holes(b, id, round, data))
			wrong = "something is written where nobody reads";
		else if (takes_rows(b, id))
			wrong = rows_check(&b->rows[id], &b->holds[2 * id], &b->holds[2 * id + 1],
					   salt_of(b, round, id), data);
		else
			wrong = oracle_check(&b->holds[2 * id], &b->holds[2 * id + 1], salt_of(b, round, id), data);
		for (int r = 0; r < b->ranks && halo; r++)
			free(data[r]);
	}
	if (wrong)
		batch_complain(b, t, id, wrong);
	else if (!guards_hold(b, id))
		batch_complain(b, t, id, "writes behind a shard");
}

bool batch_has_levels(const struct batch *b, int id)
{
	const struct holdings *src = &b->holds[2 * id], *dst = &b->holds[2 * id + 1];
	return (!b->few_ranks && !strcmp(announced_method(b->announced[id].method), "all-reduce")) ||
	       (b->has_hosts && (src->partial || dst->replicas > 1 || src->replicas > 1));
}

/* Bytes of all ranks: those announced, or more where hosts that have all parts add up the same each for itself. An
 * element is sent to who adds it up by all other parts of a group, and its sum to all other ranks. */
static int64_t bytes_of_all(const struct batch *b, int id)
{
	int64_t announced = b->announced[id].total;
	for (int r = 0; r < b->ranks && b->has_hosts && !takes_rows(b, id); r++) {
		const struct rt_transfer *t = &b->rank[r]->transfers[id];
		uint32_t finished = t->method ? transfer_finished_axes(t) : 0;
		if (!finished)
			continue;
		const struct pmlrt_place *p = t->from.place;
		int64_t parts = mesh_extent(p, finished), all = mesh_extent(p, moves_groups(&t->from, &t->to)),
			sharing = mesh_extent(p, levels_groups(&t->from, &t->to, finished, b->rank[r]->host));
		return announced / (parts + parts * all - 2) * (all / sharing) * (parts + parts * sharing - 2);
	}
	return announced;
}

/* The fewest bytes that have to cross from host to host in all rounds. */
static int64_t least_crossing(const struct batch *b, int id)
{
	const struct holdings *src = &b->holds[2 * id], *dst = &b->holds[2 * id + 1];
	int64_t n = 0;
	if (bytes_of_all(b, id) != b->announced[id].total)
		return 0;
	for (int round = 0; round < b->rounds; round++)
		n += takes_rows(b, id) ? rows_crossing(&b->rows[id], src, dst, b->host, salt_of(b, round, id))
				       : oracle_crossing(&b->program, src, dst, b->host);
	return n * rt_dtype_size(src->type->dtype);
}

/* What crossed from host to host, by what is sent and by the runtime's own count. A bucket's bytes are its carrier's.
 */
static void check_crossing(struct batch *b, struct tally *t, int id)
{
	const struct holdings *src = &b->holds[2 * id], *dst = &b->holds[2 * id + 1];
	int64_t crossed = 0, counted = 0;
	for (int r = 0; r < b->ranks; r++) {
		crossed += b->traffic[id * b->ranks + r].crossed;
		counted += b->rank[r]->transfers[id].crossed;
	}
	if (!b->has_hosts || b->transfers[id].bucket)
		return;
	if (crossed != counted)
		complain_bytes(b, t, id, "bytes to other hosts, counted by the runtime", counted, crossed);
	int64_t least = least_crossing(b, id);
	t->crossing += crossed > 0;
	bool windows = batch_is_halo(b, id), rows = takes_rows(b, id); /* of windows each rank its own: they overlap */
	if (!dst->partial && (src->partial && !rows ? crossed > least : windows ? crossed < least : crossed != least))
		complain_bytes(b, t, id, "bytes to other hosts, by index sets", crossed, least);
}

/* Rows are where the indices of a call say, so what a rank receives is another number in each. What it sends has a
 * bound if all are on one host, or none but its keeper gets a row. */
static void check_rows_bytes(struct batch *b, struct tally *t, int id)
{
	const struct announced *a = &b->announced[id];
	int64_t size = rt_dtype_size(b->types[2 * id].dtype), sent = 0;
	for (int r = 0; r < b->ranks; r++) {
		const struct sim_traffic *x = &b->traffic[id * b->ranks + r];
		int64_t lacking = 0;
		for (int round = 0; round < b->rounds; round++)
			lacking += size * rows_lacking(&b->rows[id], &b->holds[2 * id], &b->holds[2 * id + 1], r,
						       salt_of(b, round, id));
		if (x->received != lacking)
			complain_bytes(b, t, id, "bytes of rows received by a rank", x->received, lacking);
		if ((!b->has_hosts || b->rows[id].way != ROWS_GATHERED) && x->sent > a->sends[r] * b->rounds)
			complain_bytes(b, t, id, "bytes of rows sent by a rank, announced as the most", x->sent,
				       a->sends[r] * b->rounds);
		if (x->received > a->receives[r] * b->rounds)
			complain_bytes(b, t, id, "bytes of rows received by a rank, announced as the most", x->received,
				       a->receives[r] * b->rounds);
		if (x->sent != b->rank[r]->transfers[id].bytes)
			complain_bytes(b, t, id, "bytes of rows sent by a rank, counted by the runtime", x->sent,
				       b->rank[r]->transfers[id].bytes);
		sent += x->sent;
	}
	t->taken += sent / size;
	if (b->rows[id].way != ROWS_GATHERED ? sent > a->total * b->rounds : sent != a->total * b->rounds)
		complain_bytes(b, t, id, "bytes of rows in all, announced", sent, a->total * b->rounds);
}

/* What was received against the oracle, and what was sent against what compiler and runtime say of every rank. */
static void check_bytes(struct batch *b, struct tally *t, int id)
{
	const struct holdings *src = &b->holds[2 * id], *dst = &b->holds[2 * id + 1];
	const struct announced *a = &b->announced[id];
	struct bounds bounds = oracle_bounds(&b->program, src, dst);
	int64_t size = rt_dtype_size(src->type->dtype), received = 0, sent = 0, most = 0;
	bool levels = batch_has_levels(b, id);
	for (int r = 0; r < b->ranks; r++) {
		const struct sim_traffic *x = &b->traffic[id * b->ranks + r];
		int64_t in = x->received / b->rounds, out = x->sent / b->rounds;
		const struct rt_transfer *here = &b->rank[r]->transfers[id];
		if (!src->partial && !dst->partial && in != oracle_lacking(src, dst, r) * size)
			complain_bytes(b, t, id, "bytes received by a rank, by index sets", in,
				       oracle_lacking(src, dst, r) * size);
		if (!levels && out != a->sends[r])
			complain_bytes(b, t, id, "bytes sent by a rank, announced", out, a->sends[r]);
		if (!levels && in != a->receives[r])
			complain_bytes(b, t, id, "bytes received by a rank, announced", in, a->receives[r]);
		if (out != (here->method ? here->sends : 0))
			complain_bytes(b, t, id, "bytes sent by a rank, counted by the runtime", out, here->sends);
		received += in;
		sent += out;
		most = out > most ? out : most;
	}
	int64_t all = bytes_of_all(b, id);
	if (sent != all || sent != received || (!levels && most != a->most))
		complain_bytes(b, t, id, "bytes in all, announced", sent, all);
	if (received < bounds.least * size)
		complain_bytes(b, t, id, "bytes received in all are fewer than possible", received,
			       bounds.least * size);
	if (received > bounds.most * size && all == a->total)
		complain_bytes(b, t, id, "bytes received in all are more than the bound", received, bounds.most * size);
	int64_t listed = oracle_listed(&b->program, src, dst);
	if (listed >= 0 && received != listed * size && all == a->total)
		complain_bytes(b, t, id, "bytes received in all, by the table of layouts", received, listed * size);
	t->listed += listed >= 0;
	t->whole += !src->partial && !dst->partial;
	t->reduced += src->partial && !dst->partial;
	t->least += src->partial && !dst->partial && received == bounds.least * size;
}

/* What comes on top of what is announced of a rank's staging. */
static int64_t staging_on_top(const struct batch *b, int id, int rank)
{
	int32_t dtype = b->types[2 * id].dtype;
	int64_t held = oracle_held(&b->holds[2 * id], rank) * rt_dtype_size(dtype);
	/* What one adds up for another among hosts: of 16-bit floats in f32 as well, which takes as much as two shards.
	 */
	if (b->has_hosts && (dtype == PMLRT_BF16 || dtype == PMLRT_F16))
		return 3 * held;
	/* On several hosts a collective is made of messages, whose parts wait: of two shards at most. Where there are
	 * no windows after all, nor is a collective. */
	return batch_has_levels(b, id) || b->window_bytes ? 2 * held : 0;
}

static void check_staging(struct batch *b, struct tally *t, int id)
{
	int64_t staged = 0;
	/* What is announced is for messages of full length: shorter ones take the place of collectives. */
	for (int r = 0; r < b->ranks; r++) {
		int64_t here = b->rank[r]->transfers[id].staging;
		if (here > b->announced[id].staging + staging_on_top(b, id, r) && !b->message_elements &&
		    !b->transfers[id].bucket) {
			complain_bytes(b, t, id, "bytes staged on a rank, announced", here, b->announced[id].staging);
			return;
		}
		staged += here;
	}
	t->unstaged += staged == 0;
}

/* Whether the ranks have windows: all of them have, or none has. */
static bool has_windows(const struct batch *b)
{
	for (int r = 0; r < b->ranks; r++)
		for (int id = 0; id < b->n; id++)
			if (b->rank[r]->transfers[id].shared)
				return true;
	return false;
}

/* The most that a rank shares: as announced, as if all were on one host. On several groups may each add up all they
 * have, whole arrays and not shares. */
static int64_t shared_at_most(const struct batch *b, int id, int rank, bool sums)
{
	int64_t announced = b->announced[id].shared[rank];
	int64_t all = room_lines((int64_t)sizeof(struct room_arrays)) +
		      oracle_held(&b->holds[2 * id], rank) * rt_dtype_size(b->types[2 * id].dtype);
	return sums && b->has_hosts && all > announced ? all : announced;
}

/* Memory that ranks share: as much as announced for ranks of one host, or none; of sums that go in pieces, which are
 * short here, at most so much. */
static void check_shared(struct batch *b, struct tally *t, int id)
{
	bool sums = !strcmp(announced_method(b->announced[id].method), "all-reduce");
	bool all = b->few_ranks && b->window_bytes && !b->has_hosts && has_windows(b);
	for (int r = 0; r < b->ranks && !b->transfers[id].bucket; r++) {
		int64_t here = b->rank[r]->transfers[id].shared, most = shared_at_most(b, id, r, sums);
		if (here > most || (here && here < most && !sums) || (all && !here && most)) {
			complain_bytes(b, t, id, "bytes shared by a rank, announced", here, most);
			return;
		}
		t->shared += here > 0;
	}
}

static void free_all(struct batch *b)
{
	for (int r = 0; r < b->ranks; r++) {
		rank_end(b->rank[r]);
		for (int round = 0; round < b->rounds; round++)
			for (int id = 0; id < b->n; id++)
				for (int k = 0; k < 2; k++)
					free(b->data[r][round][id][k]);
	}
}

static void shuffle(int *order, int n, uint64_t *dice)
{
	for (int i = 0; i < n; i++) {
		int k = (int)(sim_random(dice) % (uint64_t)(i + 1));
		order[i] = order[k];
		order[k] = i;
	}
}

/* What carries others along begins after them: of each bucket the last to begin and the carrier change places. */
static void carriers_last(const struct batch *b, int *order)
{
	for (int i = b->n - 1; i >= 0; i--) {
		int bucket = b->transfers[order[i]].bucket, k = 0;
		if (bucket == 0)
			continue;
		while (order[k] != bucket - 1)
			k++;
		if (k < i) {
			order[k] = order[i];
			order[i] = bucket - 1;
		}
	}
}

/* What each rank has of the program. */
static void give_programs(struct batch *b, struct tally *t, uint64_t *dice)
{
	for (int r = 0; r < b->ranks; r++) {
		memcpy(b->with_holes[r], b->transfers, sizeof b->transfers[0] * (size_t)b->n);
		b->own[r] = b->program;
		b->own[r].transfers = b->with_holes[r];
		for (int id = 0; id < b->n && b->has_holes; id++) {
			struct pmlrt_transfer *x = &b->with_holes[r][id];
			if (batch_is_halo(b, id))
				hole_draw(x, &b->holds[2 * id], &b->holds[2 * id + 1], r, dice);
			t->holes += x->hole_end[0] > 0;
			t->gaps += x->gap > 0;
		}
	}
}

void batch_run(struct batch *b, uint64_t seed, struct tally *t)
{
	uint64_t dice = seed * 2 + 1;
	struct sim_options options = {.ranks = b->ranks, .seed = seed, .labels = b->n, .traffic = b->traffic};
	options.host = b->has_hosts ? b->host : NULL;
	b->seed = seed;
	memset(b->traffic, 0, sizeof b->traffic[0] * (size_t)(b->n * b->ranks));
	memset(b->data, 0, sizeof b->data[0] * (size_t)b->ranks);
	give_programs(b, t, &dice);
	for (int r = 0; r < b->ranks; r++)
		b->rank[r] = rank_start(&b->own[r], r, b->few_ranks, b->message_elements, b->piece_bytes,
					b->window_bytes, b->pull_bytes, b->has_hosts ? b->host : NULL);
	for (int round = 0; round < b->rounds; round++) {
		shuffle(b->order[round], b->n, &dice);
		carriers_last(b, b->order[round]);
	}
	const char *error = sim_run(&options, run_rank, b);
	if (error) {
		int64_t label = sim_error_label();
		batch_complain(b, t, label >= 0 && label < b->n ? (int)label : 0, error);
	}
	if (!error)
		buckets_settle(b, t);
	for (int id = 0; !error && id < b->n; id++) {
		check_values(b, t, id);
		check_crossing(b, t, id);
		(takes_rows(b, id) ? check_rows_bytes : check_bytes)(b, t, id);
		check_staging(b, t, id);
		check_shared(b, t, id);
	}
	t->pairs += b->n;
	t->runs += b->n * b->rounds;
	free_all(b);
}

void batch_run_schedules(struct batch *b, int schedules, uint64_t *dice, struct tally *t)
{
	for (int i = 0; i < schedules; i++) {
		b->few_ranks = sim_random(dice) % 2 ? FEW_RANKS : 0;
		b->message_elements = sim_random(dice) % 8 ? 0 : 3;
		b->piece_bytes = INT64_C(1) << sim_random(dice) % 8;
		b->window_bytes = sim_random(dice) % 2 ? INT64_MAX : 0;
		b->pull_bytes = sim_random(dice) % 2 ? INT64_MAX : 0;
		b->has_hosts = sim_random(dice) % 2;
		for (int r = 0, hosts = 1 + (int)(sim_random(dice) % 3); r < b->ranks; r++)
			b->host[r] = (int32_t)(sim_random(dice) % (uint64_t)(hosts < b->ranks ? hosts : b->ranks));
		batch_run(b, sim_random(dice) >> 24, t);
	}
}
