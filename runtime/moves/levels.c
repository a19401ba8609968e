/* levels.c — see levels.h. Example: ranks 0..4 on two hosts of two: shares 0, 1, 2, 3 belong to ranks 0, 2, 1, 3. Rank
 * 0 adds up what its host has of shares 0 and 1, sends the latter's sum to rank 2, and gets the other host's of share
 * 0. */
#include "levels.h"

#include "mesh.h"
#include "moves.h"

int64_t levels_room(int64_t ranks, int64_t parts, int64_t blocks)
{
	return 6 * ranks + blocks + 1 + ranks / parts * blocks + 1;
}

static void take_room(struct levels *l, int32_t *room)
{
	l->peer = room;
	l->block = l->peer + l->ranks;
	l->among = l->block + l->ranks;
	l->of_group = l->among + l->ranks;
	l->member = l->of_group + l->ranks;
	l->together = l->member + l->ranks;
	l->begin = l->together + l->ranks;
	l->common = l->begin + l->blocks + 1;
}

/* Sorts numbers by a key, keeping the order of equal ones: where those of a key begin, in begin[key]. */
static void sort_by(int n, int keys, const int32_t *key, int32_t *begin, int32_t *sorted, int32_t *position)
{
	for (int k = 0; k <= keys; k++)
		begin[k] = 0;
	for (int i = 0; i < n; i++)
		begin[key[i] + 1]++;
	for (int k = 0; k < keys; k++)
		begin[k + 1] += begin[k];
	for (int i = 0; i < n; i++) {
		sorted[begin[key[i]]] = i;
		position[i] = begin[key[i]]++;
	}
	for (int k = keys; k > 0; k--)
		begin[k] = begin[k - 1];
	begin[0] = 0;
	for (int i = 0; i < n; i++)
		position[i] -= begin[key[i]];
}

/* Positions in block and group, of ranks in the order in which they are given or numbered. */
static void find_positions(struct levels *l)
{
	for (int i = 0; i < l->ranks; i++)
		l->among[i] = i / l->parts * l->blocks + l->block[i];
	sort_by(l->ranks, l->ranks / l->parts * l->blocks, l->among, l->common, l->together, l->of_group);
	sort_by(l->ranks, l->blocks, l->block, l->begin, l->member, l->among);
}

/* Group by group, by position in the block: the numbers of the shares, as a list of ranks in the order given. */
static void find_numbers(const struct levels *l, int32_t *order)
{
	int n = 0;
	for (int first = 0; first < l->ranks; first += l->parts)
		for (int position = 0, end = first + l->parts; n < end; position++)
			for (int b = 0; b < l->blocks; b++) {
				int group = first / l->parts * l->blocks + b;
				if (position < l->common[group + 1] - l->common[group])
					order[n++] = l->together[l->common[group] + position];
			}
}

void levels_make(struct levels *l, int32_t *room, int64_t ranks, int64_t parts, int64_t blocks, const int32_t *peer,
		 const int32_t *block)
{
	*l = (struct levels){.ranks = (int)ranks, .parts = (int)parts, .blocks = (int)blocks};
	take_room(l, room);
	for (int i = 0; i < l->ranks; i++)
		l->block[i] = block[i];
	find_positions(l);
	find_numbers(l, l->member);
	for (int i = 0; i < l->ranks; i++) {
		l->peer[i] = peer[l->member[i]];
		l->block[i] = block[l->member[i]];
	}
	find_positions(l);
}

uint32_t levels_groups(const struct side *src, const struct side *dst, uint32_t finished, const int32_t *host)
{
	uint32_t axes = moves_groups(src, dst);
	if (mesh_parts_hosts(src->place, finished, host))
		return axes;
	for (int a = 0; a < src->place->naxes; a++)
		if (axes >> a & 1 && mesh_parts_hosts(src->place, UINT32_C(1) << a, host))
			axes &= ~(UINT32_C(1) << a);
	return axes;
}

static int32_t number_hosts(int64_t ranks, const int32_t *rank, const int32_t *host, int32_t *number)
{
	int32_t hosts = 0;
	for (int64_t i = 0; i < ranks; i++) {
		int64_t k = 0;
		while (k < i && host[rank[k]] != host[rank[i]])
			k++;
		number[i] = k < i ? number[k] : hosts++;
	}
	return hosts;
}

static int64_t neighbours(int64_t ranks, int64_t few, int32_t *block)
{
	int64_t size = ranks <= few ? ranks : 1;
	while (ranks > few && size * size < ranks)
		size++;
	for (int64_t i = 0; i < ranks; i++)
		block[i] = (int32_t)(i / size);
	return (ranks + size - 1) / size;
}

int64_t levels_blocks(int64_t ranks, const int32_t *rank, const int32_t *host, int64_t few, int32_t *block)
{
	int64_t hosts = host ? number_hosts(ranks, rank, host, block) : 1;
	return hosts > 1 && hosts < ranks ? hosts : neighbours(ranks, few, block);
}

int levels_number(const struct levels *l, int32_t rank)
{
	for (int i = 0; i < l->ranks; i++)
		if (l->peer[i] == rank)
			return i;
	return -1;
}

/* What MPI takes to a neighbour as it takes a few bytes: longer messages cost more than a second round. */
enum { AT_ONCE_BYTES = 8 << 10 };

bool levels_at_once(int64_t ranks, int64_t parts, int64_t bytes)
{
	return ranks == 2 && parts == 2 && bytes <= AT_ONCE_BYTES;
}

/* i % n, mostly without a division: most blocks are alike. */
static int in_turn(int i, int n)
{
	return i < n ? i : i % n;
}

int levels_adder(const struct levels *l, int share, int block)
{
	int group = share / l->parts * l->blocks + block, n = l->common[group + 1] - l->common[group];
	if (l->block[share] == block)
		return share;
	return n ? l->together[l->common[group] + in_turn(l->of_group[share], n)] : -1;
}

int levels_spreader(const struct levels *l, int share, int block)
{
	int n = l->begin[block + 1] - l->begin[block];
	return l->block[share] == block ? share : l->member[l->begin[block] + in_turn(l->among[share], n)];
}

/* A run of shares that go one way. */
struct run {
	int peer, first, last; /* peer -1: there is none yet */
	level_visitor *visit;
	void *context;
};

static void end_run(struct run *r)
{
	if (r->peer >= 0)
		r->visit(r->context, r->peer, r->first, r->last);
	r->peer = -1;
}

/* Share s goes to or comes from a peer; own: it stays. */
static void add_share(struct run *r, int s, int peer, int own)
{
	if (r->peer == peer && r->last == s) {
		r->last = s + 1;
		return;
	}
	end_run(r);
	if (peer == own || peer < 0)
		return;
	r->peer = peer;
	r->first = s;
	r->last = s + 1;
}

/* Where the shares lie for which this rank is the one: all of them from first to last - 1, few others between. */
struct span {
	int first, last;
};

static struct span find_own(const struct levels *l, int own, int (*who)(const struct levels *l, int share, int block))
{
	int first = who == levels_adder ? own / l->parts * l->parts : 0;
	int last = who == levels_adder ? first + l->parts : l->ranks;
	while (first < last && who(l, first, l->block[own]) != own)
		first++;
	while (last > first && who(l, last - 1, l->block[own]) != own)
		last--;
	return (struct span){first, last};
}

/* The runs of these, each to or from all of some peers but the rank itself. */
static void visit_own(const struct levels *l, int own, const int32_t *peers, int n,
		      int (*who)(const struct levels *l, int share, int block), level_visitor *visit, void *context)
{
	struct span among = find_own(l, own, who);
	for (int s = among.first; s < among.last; s++) {
		int first = s;
		while (s < among.last && who(l, s, l->block[own]) == own)
			s++;
		for (int i = 0; i < n && first < s; i++)
			if (peers[i] != own)
				visit(context, peers[i], first, s);
	}
}

/* The shares for which others in this rank's block are the ones. */
static void visit_others(const struct levels *l, struct run *r, int own,
			 int (*who)(const struct levels *l, int share, int block))
{
	int first = who == levels_adder ? own / l->parts * l->parts : 0;
	int last = who == levels_adder ? first + l->parts : l->ranks;
	for (int s = first; s < last; s++)
		add_share(r, s, who(l, s, l->block[own]), own);
	end_run(r);
}

/* To or from those who know the own share in other blocks. */
static void visit_blocks(const struct levels *l, struct run *r, int own,
			 int (*who)(const struct levels *l, int share, int block))
{
	for (int b = 0; b < l->blocks; b++) {
		if (b != l->block[own])
			add_share(r, own, who(l, own, b), own);
		end_run(r);
	}
}

/* To or from the owners in other blocks for whom this rank stands in. */
static void visit_owners(const struct levels *l, struct run *r, int own,
			 int (*who)(const struct levels *l, int share, int block))
{
	for (int s = 0; l->blocks > 1 && s < l->ranks; s++)
		if (who != levels_adder || s / l->parts == own / l->parts)
			add_share(r, s, who(l, s, l->block[own]) == own ? s : own, own);
	end_run(r);
}

void levels_visit(const struct levels *l, enum level level, int own, bool sends, level_visitor *visit, void *context)
{
	struct run r = {.peer = -1, .visit = visit, .context = context};
	int block = l->block[own], group = own / l->parts * l->blocks + block;
	if (l->at_once) {
		if (level == LEVEL_PARTS)
			visit(context, 1 - own, 0, 2);
		return;
	}
	const int32_t *near = level == LEVEL_SPREAD ? l->member + l->begin[block] : l->together + l->common[group];
	int n = level == LEVEL_SPREAD ? l->begin[block + 1] - l->begin[block] : l->common[group + 1] - l->common[group];
	int (*who)(const struct levels *, int, int) = level == LEVEL_PARTS ? levels_adder : levels_spreader;
	switch (level) {
	case LEVEL_PARTS:
	case LEVEL_SPREAD:
		if (sends == (level == LEVEL_PARTS)) {
			visit_others(l, &r, own, who);
			return;
		}
		visit_own(l, own, near, n, who, visit, context);
		return;
	case LEVEL_BLOCKS:
		if (sends)
			visit_owners(l, &r, own, levels_adder);
		else
			visit_blocks(l, &r, own, levels_adder);
		return;
	case LEVEL_SHARES:
		if (sends)
			visit_blocks(l, &r, own, levels_spreader);
		else
			visit_owners(l, &r, own, levels_spreader);
		return;
	case LEVELS:
		break;
	}
}

void levels_added(const struct levels *l, int own, level_visitor *visit, void *context)
{
	const int32_t nobody = l->ranks;
	if (l->at_once)
		visit(context, nobody, 0, 2);
	else
		visit_own(l, own, &nobody, 1, levels_adder, visit, context);
}
