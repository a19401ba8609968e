/* room.c — see room.h. */
#include "room.h"

#include "count.h"
#include "mesh.h"
#include "moves.h"

enum { SLOTS = 4, SLOTS_OF_PIECE = 4 /* of piece_bytes */ };

static int64_t least(int64_t x, int64_t y)
{
	return x < y ? x : y;
}

int64_t room_of_table(int64_t transfers)
{
	return room_lines((3 + transfers) * (int64_t)sizeof(int64_t));
}

int64_t room_of_part(int64_t bytes)
{
	return WINDOW_COUNTERS * WINDOW_LINE + room_lines(bytes);
}

int64_t room_of_pool(int64_t all, int64_t most)
{
	int64_t enough = count_mul(POOL_LARGEST, most);
	return least(count_mul(POOL_CALLS, all), enough > POOL_BYTES ? enough : POOL_BYTES);
}

/* ---- the general exchange ---- */

int room_ranks(const struct side *from, const struct side *to, int32_t *rank)
{
	int n = 0;
	for (int64_t i = 0; i < from->place->count; i++, n++)
		if (rank)
			rank[n] = mesh_rank(from->place, i);
	for (int64_t i = 0; i < to->place->count; i++) {
		int32_t r = mesh_rank(to->place, i);
		if (mesh_position(from->place, r) >= 0)
			continue;
		if (rank)
			rank[n] = r;
		n++;
	}
	return n;
}

/* Boxes that a rank sends, and the elements of those that differ: receivers of one number get the same. */
struct packing {
	int64_t boxes, elements;
	int rank;
	bool seen[ROOM_RANKS]; /* by number */
};

static void count_box(void *context, const struct move *m)
{
	struct packing *p = context;
	if (m->to == m->from)
		return;
	p->boxes++;
	p->elements = count_add(p->elements, p->seen[m->number] ? 0 : box_volume(p->rank, &m->box));
	p->seen[m->number] = true;
}

/* What a rank has to pack: boxes of all phases, and the elements of each. */
struct packed {
	int64_t boxes, elements[ROOM_PHASES];
};

static void count_phase(const struct side *from, const struct side *to, int32_t rank, int phase, struct packed *all)
{
	struct packing p = {.rank = from->rank};
	moves_from(from, to, rank, count_box, &p);
	all->boxes += p.boxes;
	all->elements[phase] = p.elements;
}

static struct packed count_phases(const struct side *from, const struct side *to, bool one_phase, int32_t rank)
{
	struct side mid;
	struct packed all = {0};
	if (!one_phase && moves_between(from, to, &mid)) {
		count_phase(from, &mid, rank, 0, &all);
		count_phase(&mid, to, rank, 1, &all);
	} else {
		count_phase(from, to, rank, 0, &all);
	}
	return all;
}

/* The most that any rank has to pack in a phase. */
static int64_t most_packed(const struct side *from, const struct side *to, bool one_phase)
{
	int64_t most = 0;
	for (int64_t i = 0; i < from->place->count; i++) {
		struct packed p = count_phases(from, to, one_phase, mesh_rank(from->place, i));
		for (int k = 0; k < ROOM_PHASES; k++)
			most = p.elements[k] > most ? p.elements[k] : most;
	}
	return most;
}

enum room_way room_way_of_exchange(const struct room_limits *l, const struct side *from, const struct side *to,
				   int64_t size, bool one_phase)
{
	if (l->window_bytes == 0 || from->place->count > l->few_ranks || to->place->count > l->few_ranks)
		return ROOM_MESSAGES;
	int ranks = room_ranks(from, to, NULL);
	if (ranks < 2 || ranks > least(l->few_ranks, ROOM_RANKS))
		return ROOM_MESSAGES;
	int64_t most = most_packed(from, to, one_phase);
	int64_t bound = least(l->window_bytes, one_phase ? PARTS_WINDOW_BYTES : EXCHANGE_WINDOW_BYTES);
	return most == 0 ? ROOM_NOTHING : most <= bound / size ? ROOM_WINDOW : ROOM_MESSAGES;
}

int64_t room_of_boxes(int64_t boxes)
{
	return (int64_t)sizeof(struct room_contents) + boxes * (int64_t)sizeof(struct room_parcel);
}

struct room_taken room_of_exchange(const struct side *from, const struct side *to, int64_t size, bool one_phase,
				   int32_t rank)
{
	struct packed p = count_phases(from, to, one_phase, rank);
	struct room_taken taken = {.own = room_of_boxes(p.boxes)};
	for (int k = 0; k < ROOM_PHASES; k++)
		taken.passing += room_lines(p.elements[k] * size);
	return taken;
}

/* ---- sums ---- */

bool room_of_sums(struct sums_room *r, const struct room_limits *l, int64_t ranks, int64_t parts, int64_t elements,
		  int64_t longest, int64_t size)
{
	int64_t bytes = count_mul(elements, size);
	bool pulls = bytes > l->pull_bytes, must_pull = bytes > l->window_bytes;
	if (ranks < 2 || ranks > l->few_ranks || elements == 0 || l->window_bytes == 0 || (must_pull && !pulls))
		return false;
	bool at_once = ranks == 2 && parts == 2;
	*r = (struct sums_room){
		.at_once = at_once, .shares = at_once ? 1 : (int)parts, .pulls = pulls, .must_pull = must_pull};
	r->longest = at_once ? elements : longest;
	int64_t piece = l->piece_bytes / (SLOTS_OF_PIECE * size * r->shares);
	r->piece = piece > 0 ? piece : 1;
	r->pieces = (r->longest + r->piece - 1) / r->piece;
	r->slots = least(r->pieces, SLOTS);
	int64_t most = least(r->slots * r->piece, r->longest) * r->shares * size;
	r->bytes = room_lines((int64_t)sizeof(struct room_arrays)) + (must_pull ? 0 : most);
	return true;
}
