/* transfer_levels.c — P -> B along one or several axes by messages, without a collective of MPI: every rank adds up its
 * share of the flattened tensor and sends the sum to all, which is the least an all-reduce can send. Among few ranks of
 * one host that takes two rounds, however many there are: with more ranks than cores a round costs a turn of all of
 * them. Among hosts, and among many ranks, it takes four (moves/levels.h). Parts are combined in the order of ranks, so
 * the result does not depend on an algorithm that MPI picks. They come from ranks of the same host, where a message is
 * copied straight from the sender's memory, when it is received: long ones in pieces that are added up before they have
 * left the cache. */
#include "transfer_levels.h"

#include "combine.h"

#include <string.h>

/* Ranks in the order of groups, each with its block: its host, or on one host some neighbours. */
static int64_t find_ranks(const struct pmlrt *rt, const struct rt_transfer *t, uint32_t groups, int64_t n, int64_t parts,
			  int32_t *peer, int32_t *block)
{
	const struct pmlrt_place *p = t->from.place;
	uint32_t finished = transfer_finished_axes(t);
	int32_t place = rt->program->types[t->decl->src].place, *rank = peer + n;
	int64_t coordinate[PMLRT_MAX_AXES];
	rt_group_ranks(rt, place, finished | groups, rank);
	for (int64_t i = 0; i < n; i++) {
		mesh_coordinates(p->naxes, p->extent, mesh_position(p, rank[i]), coordinate);
		peer[mesh_number(p, groups, coordinate) * parts + mesh_number(p, finished, coordinate)] = rank[i];
	}
	return levels_blocks(n, peer, rt->host, rt->few_ranks, block);
}

void reducer_make(struct pmlrt *rt, const struct rt_transfer *t, struct reducer *r)
{
	const struct pmlrt_place *p = t->from.place;
	uint32_t finished = transfer_finished_axes(t), groups = levels_groups(&t->from, &t->to, finished, rt->host);
	int64_t parts = mesh_extent(p, finished), n = parts * mesh_extent(p, groups);
	int32_t *peer = rt_alloc(rt, 3 * n * (int64_t)sizeof *peer), *block = peer + 2 * n;
	int64_t blocks = find_ranks(rt, t, groups, n, parts, peer, block);
	*r = (struct reducer){.combiner = side_combiner(&t->from), .pieces = 1};
	int32_t *room = rt_alloc(rt, levels_room(n, parts, blocks) * (int64_t)sizeof *room);
	levels_make(&r->levels, room, n, parts, blocks, peer, block);
	r->own = levels_number(&r->levels, rt->rank);
	r->begin = rt_alloc(rt, (n + 1) * (int64_t)sizeof *r->begin);
	rt_release(rt, peer);
}

/* ---- what a round sends and receives ---- */

struct visit {
	struct pmlrt *rt;
	struct rt_transfer *t;
	const struct reducer *r;
	enum level level;
	int64_t piece; /* of every run */
	bool behind;   /* of the peers, those with larger numbers; else those with smaller ones */
	bool sends;
	int64_t elements; /* so far */
	int messages;
	int64_t longest; /* run */
};

static int64_t run_elements(const struct reducer *r, int first, int last)
{
	return r->begin[last] - r->begin[first];
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* In how many pieces the runs of a round go: parts in some, sums in one. */
static int64_t pieces_of(const struct reducer *r, enum level level)
{
	return level == LEVEL_PARTS ? r->pieces : 1;
}

/* A piece of a run of n elements: its first element there, and how many it has. */
static int64_t piece_begin(const struct reducer *r, int64_t piece, int64_t n)
{
	return least(piece * r->piece, n);
}

static int64_t piece_elements(const struct reducer *r, enum level level, int64_t piece, int64_t n)
{
	return pieces_of(r, level) == 1 ? n : least(n - piece_begin(r, piece, n), r->piece);
}

static void count_run(void *context, int peer, int first, int last)
{
	struct visit *v = context;
	(void)peer;
	int64_t run = run_elements(v->r, first, last), n = piece_elements(v->r, v->level, v->piece, run);
	v->elements += n;
	v->messages += transfer_messages(v->rt, n);
	v->longest = run > v->longest ? run : v->longest;
}

static struct visit count_round(struct pmlrt *rt, struct rt_transfer *t, const struct reducer *r, enum level level,
				bool sends, int64_t piece)
{
	struct visit v = {.rt = rt, .t = t, .r = r, .level = level, .piece = piece};
	levels_visit(&r->levels, level, r->own, sends, count_run, &v);
	return v;
}

/* Parts of a run come in the order of ranks, run by run, sums in the order of blocks, so each has its place in staging.
 */
static void move_run(void *context, int peer, int first, int last)
{
	struct visit *v = context;
	struct rt_transfer *t = v->t;
	int64_t run = run_elements(v->r, first, last), n = piece_elements(v->r, v->level, v->piece, run);
	int64_t at = v->elements;
	int32_t rank = v->r->levels.peer[peer];
	v->elements += n;
	if ((peer > v->r->own) != v->behind)
		return;
	int64_t begin = (v->r->begin[first] + piece_begin(v->r, v->piece, run)) * t->size;
	if (v->sends)
		transfer_send(v->rt, t, rank, (v->level == LEVEL_PARTS ? v->r->src : v->r->dst) + begin, n,
			      &t->requests[t->nrequests]);
	else
		transfer_receive(v->rt, t, rank,
				 v->level <= LEVEL_BLOCKS ? v->r->stage + at * t->size : v->r->dst + begin, n,
				 &t->requests[t->nrequests]);
	t->nrequests += transfer_messages(v->rt, n);
}

/* Every rank begins with those behind it, so that not all send to one at first. */
static void move_runs(struct pmlrt *rt, struct rt_transfer *t, struct reducer *r, bool sends, int64_t piece)
{
	for (int pass = 0; pass < 2; pass++) {
		struct visit v = {.rt = rt,
				  .t = t,
				  .r = r,
				  .level = (enum level)r->round,
				  .piece = piece,
				  .behind = pass == 0,
				  .sends = sends};
		levels_visit(&r->levels, v.level, r->own, sends, move_run, &v);
	}
}

/* Receives what comes next, then, in the beginning, sends all there is: these requests come first in the list, and are
 * waited for with the last piece. */
static void begin_round(struct pmlrt *rt, struct rt_transfer *t, struct reducer *r)
{
	int64_t pieces = pieces_of(r, (enum level)r->round);
	int sends = r->sends[r->round];
	t->nrequests = sends;
	move_runs(rt, t, r, false, r->at);
	int all = t->nrequests;
	t->nrequests = 0;
	for (int64_t i = 0; r->at == 0 && i < pieces; i++)
		move_runs(rt, t, r, true, i);
	t->nrequests = all;
	t->nheld = r->at < pieces - 1 ? sends : 0;
}

/* ---- sums ---- */

enum { WIDE = 256 }; /* elements that stay in the first cache beside their parts */

/* The same of 16-bit floats, in f32, a few at a time, each rounded once. */
static void add_up_wide(const struct rt_transfer *t, const struct reducer *r, char *out, const char *own, int own_at,
			int parts, const char *stage, int64_t step, int64_t n)
{
	float sum[WIDE];
	for (int64_t at = 0; at < n; at += WIDE) {
		int64_t some = least(n - at, WIDE), offset = at * t->size;
		for (int i = 0; i < parts; i++) {
			const char *part = i == own_at ? own : stage + (i - (i > own_at)) * step;
			if (i == 0)
				combine_widen(t->dtype, sum, part + offset, some);
			else
				combine_wide(t->dtype, r->combiner, sum, part + offset, some);
		}
		combine_narrow(t->dtype, out + offset, sum, some);
	}
}

/* Parts of n elements in their order, of which the own one lies apart and the others at `stage` and every `step` bytes
 * behind. They are added up where the first one lies. */
static void add_up(const struct rt_transfer *t, const struct reducer *r, char *out, const char *own, int own_at,
		   int parts, char *stage, int64_t step, int64_t n)
{
	if (parts > 2 && moves_round(t->dtype, r->combiner)) {
		add_up_wide(t, r, out, own, own_at, parts, stage, step, n);
		return;
	}
	char *sum = own_at == 0 ? out : stage;
	if (own_at == 0 && own != out && n)
		memcpy(out, own, (size_t)(n * t->size));
	for (int i = 1; i < parts && n; i++)
		combine_into(t->dtype, r->combiner, sum, i == own_at ? own : stage + (i - (i > own_at)) * step, n);
	if (sum != out && n)
		memcpy(out, sum, (size_t)(n * t->size));
}

struct adder {
	const struct rt_transfer *t;
	const struct reducer *r;
	int64_t at; /* bytes of the runs so far, of all peers */
};

static void add_run(void *context, int peer, int first, int last)
{
	struct adder *a = context;
	const struct levels *l = &a->r->levels;
	int group = a->r->own / l->parts * l->blocks + l->block[a->r->own];
	int parts = l->common[group + 1] - l->common[group];
	int64_t run = run_elements(a->r, first, last), n = piece_elements(a->r, LEVEL_PARTS, a->r->at, run);
	int64_t bytes = n * a->t->size;
	int64_t begin = (a->r->begin[first] + piece_begin(a->r, a->r->at, run)) * a->t->size;
	(void)peer;
	add_up(a->t, a->r, a->r->dst + begin, a->r->src + begin, l->of_group[a->r->own], parts, a->r->stage + a->at,
	       bytes, n);
	a->at += bytes * (parts - 1);
}

/* The present piece of every share for which this rank adds up what its block has. */
static void add_parts(const struct rt_transfer *t, const struct reducer *r)
{
	struct adder a = {.t = t, .r = r};
	levels_added(&r->levels, r->own, add_run, &a);
}

/* Of the own share, what the blocks have that have something of it. */
static void add_blocks(const struct rt_transfer *t, const struct reducer *r)
{
	const struct levels *l = &r->levels;
	int blocks = 0, own_at = 0;
	for (int b = 0; b < l->blocks; b++) {
		own_at = b == l->block[r->own] ? blocks : own_at;
		blocks += levels_adder(l, r->own, b) >= 0;
	}
	int64_t n = run_elements(r, r->own, r->own + 1);
	char *own = r->dst + r->begin[r->own] * t->size;
	add_up(t, r, own, own, own_at, blocks, r->stage, n * t->size, n);
}

/* ---- a transfer ---- */

int64_t reducer_sent(struct pmlrt *rt, struct rt_transfer *t, const struct reducer *r)
{
	int64_t sent = 0;
	for (int level = 0; level < LEVELS; level++)
		for (int64_t i = 0; i < pieces_of(r, (enum level)level); i++)
			sent += count_round(rt, t, r, (enum level)level, true, i).elements;
	return sent * t->size;
}

/* How many pieces the longest run is cut into that this rank sends, receives or adds up. */
static void find_pieces(struct pmlrt *rt, struct rt_transfer *t, struct reducer *r)
{
	struct visit added = {.rt = rt, .t = t, .r = r};
	levels_added(&r->levels, r->own, count_run, &added);
	for (int sends = 0; sends < 2; sends++) {
		int64_t longest = count_round(rt, t, r, LEVEL_PARTS, sends, 0).longest;
		added.longest = longest > added.longest ? longest : added.longest;
	}
	r->piece = rt->piece_bytes / t->size > 0 ? rt->piece_bytes / t->size : 1;
	r->pieces = added.longest > r->piece ? (added.longest + r->piece - 1) / r->piece : 1;
}

void reducer_prepare(struct pmlrt *rt, struct rt_transfer *t, struct reducer *r)
{
	int64_t staged = 0;
	int messages = 0;
	find_pieces(rt, t, r);
	for (int level = 0; level < LEVELS; level++) {
		struct visit in = count_round(rt, t, r, (enum level)level, false, 0);
		for (int64_t i = 0; i < pieces_of(r, (enum level)level); i++)
			r->sends[level] += count_round(rt, t, r, (enum level)level, true, i).messages;
		staged = level <= LEVEL_BLOCKS && in.elements > staged ? in.elements : staged;
		messages = r->sends[level] + in.messages > messages ? r->sends[level] + in.messages : messages;
	}
	r->stage = transfer_staging(rt, t, staged * t->size);
	transfer_requests(rt, t, messages);
}

void reducer_begin(struct pmlrt *rt, struct rt_transfer *t, struct reducer *r, const void *src, void *dst)
{
	r->src = src;
	r->dst = dst;
	r->round = LEVEL_PARTS;
	r->at = 0;
	begin_round(rt, t, r);
}

bool reducer_next(struct pmlrt *rt, struct rt_transfer *t, struct reducer *r)
{
	if (r->round == LEVEL_PARTS) {
		add_parts(t, r);
		if (++r->at < r->pieces) {
			begin_round(rt, t, r);
			return false;
		}
		r->at = 0;
	}
	if (r->round == LEVEL_BLOCKS)
		add_blocks(t, r);
	if (++r->round == LEVELS)
		return true;
	begin_round(rt, t, r);
	return false;
}

static bool levels_prepare(struct pmlrt *rt, struct rt_transfer *t)
{
	if (!transfer_finished_axes(t))
		return false;
	int64_t n = side_volume(&t->from, rt->places[rt->program->types[t->decl->src].place].position);
	struct reducer *r = t->plan = rt_alloc(rt, sizeof *r);
	reducer_make(rt, t, r);
	for (int i = 0; i <= r->levels.ranks; i++)
		r->begin[i] = shard_begin(n, r->levels.ranks, i);
	t->sends = reducer_sent(rt, t, r);
	reducer_prepare(rt, t, r);
	return true;
}

static void levels_begin(struct pmlrt *rt, struct rt_transfer *t)
{
	reducer_begin(rt, t, t->plan, t->src, t->dst);
}

static bool levels_next(struct pmlrt *rt, struct rt_transfer *t)
{
	return reducer_next(rt, t, t->plan);
}

const struct rt_method rt_method_levels = {.prepare = levels_prepare, .begin = levels_begin, .next = levels_next};
