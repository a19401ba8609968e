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
	return room_lines((2 + transfers) * (int64_t)sizeof(int64_t));
}

int64_t room_of_part(int64_t bytes)
{
	return WINDOW_COUNTERS * WINDOW_LINE + room_lines(bytes);
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

static void count_phase(const struct side *from, const struct side *to, int32_t rank, int64_t *boxes, int64_t *most)
{
	struct packing p = {.rank = from->rank};
	moves_from(from, to, rank, count_box, &p);
	*boxes += p.boxes;
	*most = p.elements > *most ? p.elements : *most;
}

/* What a rank has to pack: boxes of all phases, and the most elements of one. */
static void count_phases(const struct side *from, const struct side *to, bool one_phase, int32_t rank, int64_t *boxes,
			 int64_t *most)
{
	struct side mid;
	if (!one_phase && moves_between(from, to, &mid)) {
		count_phase(from, &mid, rank, boxes, most);
		count_phase(&mid, to, rank, boxes, most);
	} else {
		count_phase(from, to, rank, boxes, most);
	}
}

/* The most that any rank has to pack in a phase. */
static int64_t most_packed(const struct side *from, const struct side *to, bool one_phase)
{
	int64_t boxes = 0, most = 0;
	for (int64_t i = 0; i < from->place->count; i++)
		count_phases(from, to, one_phase, mesh_rank(from->place, i), &boxes, &most);
	return most;
}

bool room_fits_exchange(const struct room_limits *l, const struct side *from, const struct side *to, int64_t size,
			bool one_phase)
{
	if (l->window_bytes == 0 || from->place->count > l->few_ranks || to->place->count > l->few_ranks)
		return false;
	int ranks = room_ranks(from, to, NULL);
	return ranks >= 2 && ranks <= least(l->few_ranks, ROOM_RANKS) &&
	       most_packed(from, to, one_phase) <=
		       least(l->window_bytes, one_phase ? PARTS_WINDOW_BYTES : EXCHANGE_WINDOW_BYTES) / size;
}

bool room_is_empty(const struct side *from, const struct side *to, bool one_phase)
{
	return most_packed(from, to, one_phase) == 0;
}

struct room_contents room_contents(int64_t boxes, int64_t phase_bytes)
{
	int64_t bytes = (int64_t)sizeof(struct room_contents) + boxes * (int64_t)sizeof(struct room_parcel);
	return (struct room_contents){.begin = room_lines(bytes), .place = room_lines(phase_bytes), .n = boxes};
}

int64_t room_of_contents(const struct room_contents *c)
{
	return c->begin + ROOM_PLACES * c->place;
}

int64_t room_of_exchange(const struct side *from, const struct side *to, int64_t size, bool one_phase, int32_t rank)
{
	int64_t boxes = 0, most = 0;
	count_phases(from, to, one_phase, rank, &boxes, &most);
	struct room_contents c = room_contents(boxes, most * size);
	return room_of_contents(&c);
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
