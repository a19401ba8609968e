/* meeting.c — see meeting.h. */
#include "meeting.h"

#include "../../runtime/moves/mesh.h"
#include "../../runtime/moves/moves.h"
#include "../../runtime/moves/room.h"
#include "pairs.h"

/* What all meetings of as many ranks in as many groups, which lie on hosts alike, have in common. */
struct pattern {
	struct levels levels;          /* of ranks 0, 1, …, group by group */
	int32_t *number;               /* by rank: its share */
	struct meeting_round **rounds; /* by number: LEVELS of them; NULL: not worked out yet */
	bool paired;
};

void meetings_init(struct meetings *m, struct arena *a, const int32_t *host)
{
	m->arena = a;
	m->host = host;
	memo_init(&m->known, a);
	memo_init(&m->patterns, a);
}

/* ---- who takes part ---- */

static const int32_t *make_group(struct meetings *m, const struct pmlrt_place *p, uint32_t axes,
				 const int64_t *coordinate)
{
	int64_t n = mesh_extent(p, axes), other[PMLRT_MAX_AXES];
	int32_t *ranks = ARENA_ARRAY(m->arena, int32_t, n);
	for (int64_t i = 0; i < n; i++) {
		int64_t number = i, position = 0;
		for (int a = p->naxes - 1; a >= 0; a--) {
			bool varies = axes >> a & 1;
			other[a] = varies ? number % p->extent[a] : coordinate[a];
			number /= varies ? p->extent[a] : 1;
		}
		for (int a = 0; a < p->naxes; a++)
			position = position * p->extent[a] + other[a];
		ranks[i] = mesh_rank(p, position);
	}
	return ranks;
}

/* Begins the key of what all ranks of a group share. */
static void add_group(struct memo *m, const struct pmlrt_place *p, uint32_t axes, uint32_t groups,
		      const int64_t *coordinate)
{
	memo_begin(m);
	memo_add(m, axes);
	memo_add(m, groups);
	memo_add(m, (uint64_t)mesh_number(p, ~(axes | groups), coordinate));
	memo_add_pointer(m, p->ranks);
	memo_add(m, (uint64_t)p->first);
	for (int a = 0; a < p->naxes; a++)
		memo_add(m, (uint64_t)p->extent[a]);
}

const int32_t *meeting_group(struct meetings *m, const struct pmlrt_place *p, uint32_t axes, int32_t rank, int64_t *own)
{
	int64_t coordinate[PMLRT_MAX_AXES];
	mesh_coordinates(p->naxes, p->extent, mesh_position(p, rank), coordinate);
	*own = mesh_number(p, axes, coordinate);
	add_group(&m->known, p, axes, 0, coordinate);
	memo_add(&m->known, 0); /* no meeting */
	void **known = memo_find(&m->known);
	if (!*known)
		*known = (void *)make_group(m, p, axes, coordinate);
	return *known;
}

/* ---- patterns ---- */

static struct pattern *make_pattern(struct meetings *m, int64_t n, int64_t parts, int64_t blocks, const int32_t *block,
				    bool at_once)
{
	struct pattern *x = ARENA_NEW(m->arena, struct pattern);
	int32_t *peer = ARENA_ARRAY(m->arena, int32_t, n);
	for (int64_t i = 0; i < n; i++)
		peer[i] = (int32_t)i;
	levels_make(&x->levels, ARENA_ARRAY(m->arena, int32_t, levels_room(n, parts, blocks)), n, parts, blocks, peer,
		    block);
	x->levels.at_once = at_once;
	x->number = ARENA_ARRAY(m->arena, int32_t, n);
	for (int64_t i = 0; i < n; i++)
		x->number[x->levels.peer[i]] = (int32_t)i;
	x->rounds = ARENA_ARRAY(m->arena, struct meeting_round *, n);
	return x;
}

/* rank: world ranks, group by group. */
static struct pattern *find_pattern(struct meetings *m, int64_t n, int64_t parts, const int32_t *rank, bool at_once)
{
	int32_t *block = ARENA_ARRAY(m->arena, int32_t, n);
	int64_t blocks = levels_blocks(n, rank, m->host, PMLRT_FEW_RANKS, block);
	memo_begin(&m->patterns);
	memo_add(&m->patterns, (uint64_t)n);
	memo_add(&m->patterns, (uint64_t)parts);
	memo_add(&m->patterns, at_once);
	for (int64_t i = 0; m->host && i < n; i++)
		memo_add(&m->patterns, (uint64_t)block[i]);
	void **known = memo_find(&m->patterns);
	if (!*known)
		*known = make_pattern(m, n, parts, blocks, block, at_once);
	return *known;
}

/* How a sum of some bytes goes among so many ranks. */
struct manner {
	bool in_memory;           /* on one host, through memory that its ranks share … */
	bool at_once, by_message; /* … in one round; in one, if by messages (levels_at_once) */
};

/* Long sums are read where they are, which takes what messages take. */
static struct manner manner_of(int64_t ranks, int64_t parts, int64_t bytes, bool in_memory)
{
	struct sums_room room;
	bool fits = in_memory && room_of_sums(&room, &ROOM_LIMITS, ranks, parts, bytes, bytes, 1) && !room.pulls;
	return (struct manner){fits, fits && room.at_once, levels_at_once(ranks, parts, bytes)};
}

static bool are_on_one_host(const struct meetings *m, const int32_t *rank, int64_t n)
{
	for (int64_t i = 1; m->host && i < n; i++)
		if (m->host[rank[i]] != m->host[rank[0]])
			return false;
	return true;
}

static const struct meeting *make_meeting(struct meetings *m, const struct pmlrt_place *p, uint32_t axes,
					  uint32_t groups, const struct manner *manner, const int64_t *coordinate)
{
	struct meeting *x = ARENA_NEW(m->arena, struct meeting);
	int64_t n = mesh_extent(p, axes | groups), parts = mesh_extent(p, axes), at[PMLRT_MAX_AXES];
	const int32_t *ranks = make_group(m, p, axes | groups, coordinate);
	int32_t *rank = ARENA_ARRAY(m->arena, int32_t, n), *in_order = ARENA_ARRAY(m->arena, int32_t, n);
	for (int64_t i = 0; i < n; i++) {
		mesh_coordinates(p->naxes, p->extent, mesh_position(p, ranks[i]), at);
		in_order[mesh_number(p, groups, at) * parts + mesh_number(p, axes, at)] = ranks[i];
	}
	x->in_memory = manner->in_memory && are_on_one_host(m, ranks, n);
	x->at_once = x->in_memory ? manner->at_once : manner->by_message;
	x->pattern = find_pattern(m, n, parts, in_order, x->at_once);
	for (int64_t i = 0; i < n; i++)
		rank[x->pattern->number[i]] = in_order[i];
	x->ranks = (int)n;
	x->rank = rank;
	x->number = x->pattern->number;
	return x;
}

/* levels_groups, which looks at all ranks: of all meetings along these axes. */
static uint32_t find_groups(struct meetings *m, const struct side *src, const struct side *dst, uint32_t axes)
{
	const int64_t first[PMLRT_MAX_AXES] = {0};
	if (!m->host)
		return moves_groups(src, dst);
	add_group(&m->known, src->place, axes, moves_groups(src, dst), first);
	memo_add(&m->known, 2);
	void **known = memo_find(&m->known);
	if (!*known) {
		uint32_t *groups = ARENA_NEW(m->arena, uint32_t);
		*groups = levels_groups(src, dst, axes, m->host);
		*known = groups;
	}
	return *(const uint32_t *)*known;
}

const struct meeting *meeting_find(struct meetings *m, const struct side *src, const struct side *dst, uint32_t axes,
				   int64_t bytes, bool in_memory, int32_t rank, int *own)
{
	const struct pmlrt_place *p = src->place;
	uint32_t groups = find_groups(m, src, dst, axes);
	struct manner manner = manner_of(mesh_extent(p, axes | groups), mesh_extent(p, axes), bytes, in_memory);
	int64_t coordinate[PMLRT_MAX_AXES];
	mesh_coordinates(p->naxes, p->extent, mesh_position(p, rank), coordinate);
	add_group(&m->known, p, axes, groups, coordinate);
	memo_add(&m->known, 1);
	memo_add(&m->known, (uint64_t)manner.in_memory << 2 | (uint64_t)manner.at_once << 1 | manner.by_message);
	void **known = memo_find(&m->known);
	if (!*known)
		*known = (void *)make_meeting(m, p, axes, groups, &manner, coordinate);
	const struct meeting *x = *known;
	*own = x->number[mesh_number(p, groups, coordinate) * mesh_extent(p, axes) + mesh_number(p, axes, coordinate)];
	return x;
}

/* ---- messages ---- */

struct run_adding {
	struct arena *arena;
	struct meeting_round *round;
	int own;
	bool sends, behind; /* of the peers, those with larger numbers; else those with smaller ones */
};

static void add_run(void *context, int peer, int first, int last)
{
	struct run_adding *x = context;
	if ((peer > x->own) != x->behind)
		return;
	struct route_message m = {.peer = peer, .first = first, .last = last, .sends = x->sends};
	vec_push(x->arena, &x->round->messages, m);
}

static struct meeting_round *rounds_of(struct meetings *m, struct pattern *x, int own)
{
	if (x->rounds[own])
		return x->rounds[own];
	struct meeting_round *rounds = ARENA_ARRAY(m->arena, struct meeting_round, LEVELS);
	for (int level = 0; level < LEVELS; level++)
		for (int i = 0; i < 4; i++) {
			struct run_adding to = {m->arena, &rounds[level], own, .sends = i >= 2, .behind = i % 2 == 0};
			levels_visit(&x->levels, (enum level)level, own, to.sends, add_run, &to);
		}
	return x->rounds[own] = rounds;
}

/* What a level sends it receives. */
static void pair_level(struct meetings *m, struct pattern *x, int level)
{
	struct arena *scratch = arena_new("seconds: pairs");
	struct pairs *pairs = pairs_new(scratch);
	for (int own = 0; own < x->levels.ranks; own++) {
		struct meeting_round *round = &rounds_of(m, x, own)[level];
		pairs_add(pairs, own, level, round->messages.at, round->messages.n);
	}
	pairs_find(pairs, x->levels.ranks);
	arena_free(scratch);
}

struct meeting_round *meeting_rounds(struct meetings *m, const struct meeting *x, int own, bool paired)
{
	for (int level = 0; paired && !x->pattern->paired && level < LEVELS; level++)
		pair_level(m, x->pattern, level);
	x->pattern->paired |= paired;
	return rounds_of(m, x->pattern, own);
}
