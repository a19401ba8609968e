/* transfer_levels.c — P -> B along one or several axes by messages, without a collective of MPI: every rank adds up its
 * share of the flattened tensor and sends the sum to all, which is the least an all-reduce can send. Among few ranks of
 * one host that takes two rounds, however many there are: with more ranks than cores a round costs a turn of all of
 * them. Two ranks with few bytes need one round (levels_at_once). Among hosts, and among many ranks, it takes four
 * (moves/levels.h). Parts are combined in the order of ranks, so the result does not depend on an algorithm that MPI
 * picks. They come from ranks of the same host, where a message is copied straight from the sender's memory, when it is
 * received: long ones in pieces that are added up before they have left the cache. */
#include "transfer_levels.h"

#include "combine.h"

#include <string.h>

/* Ranks in the order of groups, each with its block: its host, or on one host some neighbours. */
static int64_t find_ranks(const struct pmlrt *rt, const struct rt_transfer *t, uint32_t groups, int64_t n,
			  int64_t parts, int32_t *peer, int32_t *block)
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

static int64_t run_elements(const struct reducer *r, int first, int last)
{
	return r->begin[last] - r->begin[first];
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

struct listing {
	const struct reducer *r;
	struct runs *runs; /* at NULL: they are counted */
};

static void list_run(void *context, int peer, int first, int last)
{
	struct listing *to = context;
	const struct levels *l = &to->r->levels;
	if (to->runs->at)
		to->runs->at[to->runs->n] = (struct reducer_run){.rank = peer < l->ranks ? l->peer[peer] : -1,
								 .behind = peer > to->r->own,
								 .begin = to->r->begin[first],
								 .elements = run_elements(to->r, first, last)};
	to->runs->n++;
}

static void visit_runs(const struct reducer *r, enum level level, bool sends, level_visitor *visit, void *context)
{
	if (level == LEVELS)
		levels_added(&r->levels, r->own, visit, context);
	else
		levels_visit(&r->levels, level, r->own, sends, visit, context);
}

/* level LEVELS: those that are added up. */
static void find_runs(struct pmlrt *rt, const struct reducer *r, enum level level, bool sends, struct runs *runs)
{
	struct listing to = {r, runs};
	visit_runs(r, level, sends, list_run, &to);
	runs->at = rt_alloc(rt, (runs->n + 1) * (int64_t)sizeof *runs->at);
	runs->n = 0;
	visit_runs(r, level, sends, list_run, &to);
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

/* Parts of a run come in the order of ranks, run by run, sums in the order of blocks, so each has its place in staging.
 * Every rank begins with those behind it, so that not all send to one at first. */
static void move_runs(struct pmlrt *rt, struct rt_transfer *t, struct reducer *r, bool sends, int64_t piece)
{
	const enum level level = (enum level)r->round;
	const struct runs *runs = &r->runs[level][sends];
	for (int pass = 0; pass < 2; pass++) {
		int64_t staged = 0;
		for (const struct reducer_run *x = runs->at; x < runs->at + runs->n; x++) {
			int64_t n = piece_elements(r, level, piece, x->elements), at = staged;
			int64_t begin = (x->begin + piece_begin(r, piece, x->elements)) * t->size;
			staged += n;
			if (x->behind != (pass == 0))
				continue;
			MPI_Request *request = &t->requests[t->nrequests];
			if (sends)
				transfer_send(rt, t, x->rank, (level == LEVEL_PARTS ? r->src : r->dst) + begin, n,
					      request);
			else
				transfer_receive(rt, t, x->rank,
						 level <= LEVEL_BLOCKS ? r->stage + at * t->size : r->dst + begin, n,
						 request);
			t->nrequests += transfer_messages(rt, n);
		}
	}
}

/* In the beginning sends all there is, then receives what comes next: requests of what is sent come first in the list,
 * and are waited for with the last piece. */
static void begin_round(struct pmlrt *rt, struct rt_transfer *t, struct reducer *r)
{
	int64_t pieces = pieces_of(r, (enum level)r->round);
	int sends = r->sends[r->round];
	t->nrequests = 0;
	for (int64_t i = 0; r->at == 0 && i < pieces; i++)
		move_runs(rt, t, r, true, i);
	t->nrequests = sends;
	t->nheld = r->at < pieces - 1 ? sends : 0;
	move_runs(rt, t, r, false, r->at);
}

/* ---- sums ---- */

/* What stays in the first cache beside its parts: elements of f32; bytes. */
enum { WIDE = 256, SOME_BYTES = 4096 };

/* The same of 16-bit floats, in f32, each rounded once. */
static void add_up_wide(const struct rt_transfer *t, const struct reducer *r, char *out, const char *const *part,
			int parts, int64_t n)
{
	float sum[WIDE];
	for (int64_t at = 0; at < n; at += WIDE) {
		int64_t some = least(n - at, WIDE), offset = at * t->size;
		combine_widen(t->dtype, sum, part[0] + offset, some);
		for (int i = 1; i < parts; i++)
			combine_wide(t->dtype, r->combiner, sum, part[i] + offset, some);
		combine_narrow(t->dtype, out + offset, sum, some);
	}
}

/* A few elements at a time, so that each part comes once from where it is, and the sum goes once to where it belongs.
 * Two parts are read side by side. */
void reducer_add_up(const struct rt_transfer *t, const struct reducer *r, char *out, const char *const *part, int parts,
		    int64_t n)
{
	_Alignas(64) char room[SOME_BYTES];
	bool apart = true;
	if (parts > 2 && moves_round(t->dtype, r->combiner)) {
		add_up_wide(t, r, out, part, parts, n);
		return;
	}
	if (parts == 1 && out != part[0])
		memcpy(out, part[0], (size_t)(n * t->size));
	for (int i = 2; i < parts; i++)
		apart = apart && part[i] != out;
	for (int64_t at = 0, few = parts > 2 ? SOME_BYTES / t->size : n; parts > 1 && at < n; at += few) {
		int64_t some = least(n - at, few), offset = at * t->size;
		char *sum = apart ? out + offset : room;
		combine(t->dtype, r->combiner, sum, part[0] + offset, part[1] + offset, some);
		for (int i = 2; i < parts; i++)
			combine(t->dtype, r->combiner, sum, sum, part[i] + offset, some);
		if (!apart)
			memcpy(out + offset, sum, (size_t)(some * t->size));
	}
}

/* The parts of others lie in staging, `step` bytes apart. */
static void add_staged(const struct rt_transfer *t, const struct reducer *r, char *out, const char *own, int own_at,
		       int parts, const char *stage, int64_t step, int64_t n)
{
	for (int i = 0; i < parts; i++)
		r->part[i] = i == own_at ? own : stage + (i - (i > own_at)) * step;
	reducer_add_up(t, r, out, r->part, parts, n);
}

/* The present piece of every share for which this rank adds up what its block has. */
static void add_parts(const struct rt_transfer *t, const struct reducer *r)
{
	const struct levels *l = &r->levels;
	int group = r->own / l->parts * l->blocks + l->block[r->own];
	int parts = l->common[group + 1] - l->common[group];
	const char *stage = r->stage;
	for (const struct reducer_run *x = r->added.at; x < r->added.at + r->added.n; x++) {
		int64_t n = piece_elements(r, LEVEL_PARTS, r->at, x->elements), bytes = n * t->size;
		int64_t begin = (x->begin + piece_begin(r, r->at, x->elements)) * t->size;
		add_staged(t, r, r->dst + begin, r->src + begin, l->of_group[r->own], parts, stage, bytes, n);
		stage += bytes * (parts - 1);
	}
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
	add_staged(t, r, own, own, own_at, blocks, r->stage, n * t->size, n);
}

/* ---- a transfer ---- */

struct sending {
	const struct reducer *r;
	int64_t elements;
};

static void count_sent(void *context, int peer, int first, int last)
{
	struct sending *s = context;
	(void)peer;
	s->elements += run_elements(s->r, first, last);
}

int64_t reducer_sent(const struct rt_transfer *t, const struct reducer *r)
{
	struct sending all = {.r = r};
	for (int level = 0; level < LEVELS; level++)
		visit_runs(r, (enum level)level, true, count_sent, &all);
	return all.elements * t->size;
}

static int64_t longest_of(const struct runs *runs, int64_t longest)
{
	for (int i = 0; i < runs->n; i++)
		longest = runs->at[i].elements > longest ? runs->at[i].elements : longest;
	return longest;
}

/* How many pieces the longest run is cut into that this rank sends, receives or adds up. */
static void find_pieces(const struct pmlrt *rt, const struct rt_transfer *t, struct reducer *r)
{
	int64_t longest = longest_of(&r->added, 0);
	longest = longest_of(&r->runs[LEVEL_PARTS][false], longest);
	longest = longest_of(&r->runs[LEVEL_PARTS][true], longest);
	r->piece = rt->piece_bytes / t->size > 0 ? rt->piece_bytes / t->size : 1;
	r->pieces = longest > r->piece ? (longest + r->piece - 1) / r->piece : 1;
}

/* Messages of one piece of all runs, and its elements. */
static int count_piece(const struct pmlrt *rt, const struct reducer *r, enum level level, bool sends, int64_t piece,
		       int64_t *elements)
{
	const struct runs *runs = &r->runs[level][sends];
	int messages = 0;
	*elements = 0;
	for (int i = 0; i < runs->n; i++) {
		int64_t n = piece_elements(r, level, piece, runs->at[i].elements);
		messages += transfer_messages(rt, n);
		*elements += n;
	}
	return messages;
}

void reducer_by_messages(struct pmlrt *rt, struct rt_transfer *t, struct reducer *r)
{
	int64_t staged = 0, elements, bytes = r->begin[r->levels.ranks] * t->size;
	int messages = 0;
	/* In one piece: what is added up may be what was sent (transfer_bucket.c). */
	r->levels.at_once = bytes <= rt->piece_bytes && levels_at_once(r->levels.ranks, r->levels.parts, bytes);
	for (int level = 0; level < LEVELS; level++)
		for (int sends = 0; sends < 2; sends++)
			find_runs(rt, r, (enum level)level, sends, &r->runs[level][sends]);
	find_runs(rt, r, LEVELS, false, &r->added);
	find_pieces(rt, t, r);
	for (int i = 0; i < LEVELS; i++) {
		const enum level level = (enum level)i;
		for (int64_t piece = 0; piece < pieces_of(r, level); piece++)
			r->sends[level] += count_piece(rt, r, level, true, piece, &elements);
		int received = count_piece(rt, r, level, false, 0, &elements);
		staged = level <= LEVEL_BLOCKS && elements > staged ? elements : staged;
		messages = r->sends[level] + received > messages ? r->sends[level] + received : messages;
	}
	r->stage = transfer_staging(rt, t, staged * t->size);
	int parts = r->levels.parts > r->levels.blocks ? r->levels.parts : r->levels.blocks;
	r->part = rt_alloc(rt, parts * (int64_t)sizeof *r->part);
	transfer_requests(rt, t, messages);
}

void reducer_prepare(struct pmlrt *rt, struct rt_transfer *t, struct reducer *r)
{
	if (!reducer_by_window(rt, t, r))
		reducer_by_messages(rt, t, r);
}

void reducer_begin(struct pmlrt *rt, struct rt_transfer *t, struct reducer *r, const void *src, void *dst)
{
	r->src = src;
	r->dst = dst;
	if (r->window) {
		reducer_window_begin(t, r);
		return;
	}
	r->round = LEVEL_PARTS;
	r->at = 0;
	begin_round(rt, t, r);
}

/* Whether this rank has nothing to do in the present round. */
static bool is_empty(const struct reducer *r)
{
	return r->runs[r->round][false].n + r->runs[r->round][true].n == 0;
}

bool reducer_next(struct pmlrt *rt, struct rt_transfer *t, struct reducer *r)
{
	if (r->window)
		return reducer_window_next(t, r);
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
	do
		r->round++;
	while (r->round < LEVELS && is_empty(r));
	if (r->round == LEVELS)
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
	t->sends = reducer_sent(t, r);
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
