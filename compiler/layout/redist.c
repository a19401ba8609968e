/* redist.c — the way from one placement and layout to another, and its bytes.
 * Every pair works: what is not one of the known collectives is an exchange of boxes, or, for a P, parts that travel
 * and are combined where they arrive. The totals are those of the table in docs/layouts.md, exact for uneven and empty
 * shards. */
#include "redist.h"

#include "../../runtime/moves/mesh.h"
#include "../../runtime/moves/room.h"
#include "exchange.h"

const char *redist_text(enum redist_method m)
{
	static const char *const text[] = {
#define REDIST(name, text, most) [REDIST_##name] = text,
#include "../../runtime/redist.def"
#undef REDIST
	};
	return text[m];
}

/* Both ends of a movement, and their placements where nobody has made a table of them. */
struct ends {
	struct side src, dst;
	struct pmlrt_place room[2];
};

static void find_ends(struct ends *e, const struct shape *s, const struct place *from, const struct layout *a,
		      const struct place *to, const struct layout *b)
{
	const struct pmlrt_place *source = place_table(from, &e->room[0]);
	e->src = side_make(s->rank, s->dim, source, a->atom);
	e->dst = side_make(s->rank, s->dim, from == to ? source : place_table(to, &e->room[1]), b->atom);
}

/* Whether all of some axes go from P to one kind of atom. */
static bool all_finish(const struct side *src, const struct side *dst, unsigned axes, enum shard_kind to)
{
	for (int a = 0; a < src->place->naxes; a++)
		if (axes >> a & 1 && (src->atom[a].kind != SHARD_P || dst->atom[a].kind != (uint8_t)to))
			return false;
	return axes != 0;
}

/* Whether one axis is scattered, along a dimension that no other axis splits: then the change stays within the axis. */
static bool scatters_plainly(const struct side *src, const struct side *dst, unsigned axes)
{
	if (axes & (axes - 1))
		return false;
	return (side_splits(src, dst->atom[__builtin_ctz(axes)].dim) & ~axes) == 0;
}

/* Layouts of one mesh in which what is in parts stays so: boxes are exchanged, moved elements in all. */
static enum redist_method method_of_boxes(const struct side *src, const struct side *dst, int64_t moved)
{
	bool gathers = true;
	for (int a = 0; a < src->place->naxes; a++)
		if (!atom_equal(src->atom[a], dst->atom[a]) && dst->atom[a].kind != SHARD_B)
			gathers = false;
	if (moved == 0)
		return REDIST_LOCAL;
	if (side_uses(dst, SHARD_WINDOW))
		return REDIST_HALO;
	return gathers ? REDIST_ALL_GATHER : REDIST_ALL_TO_ALL;
}

/* moved: the elements that are exchanged in all, where the method hangs on them; else as it was. */
static enum redist_method find_method(const struct side *src, const struct side *dst, int64_t *moved)
{
	bool partial = side_uses(src, SHARD_P);
	if (!mesh_same(src->place, dst->place))
		return partial ? REDIST_REDUCE_SEND : REDIST_EXCHANGE;
	if (moves_keep_parts(src, dst))
		return method_of_boxes(src, dst, *moved = exchange_total(src, dst));
	unsigned axes = side_changes(src, dst);
	if (all_finish(src, dst, axes, SHARD_B))
		return REDIST_ALL_REDUCE;
	if (all_finish(src, dst, axes, SHARD_S) && (scatters_plainly(src, dst, axes) || !side_uses(dst, SHARD_B)))
		return REDIST_REDUCE_SCATTER;
	return REDIST_REDUCE_SEND;
}

/* The number of a position's share in an all-reduce, by its coordinates on the axes that are finished, and on those of
 * the groups. */
static int64_t share_of(const struct side *src, int64_t position, uint32_t finished, uint32_t groups)
{
	int64_t coordinate[MAX_AXES];
	mesh_coordinates(src->place->naxes, src->place->extent, position, coordinate);
	return mesh_number(src->place, groups, coordinate) * mesh_extent(src->place, finished) +
	       mesh_number(src->place, finished, coordinate);
}

static struct reduction reduction_of(const struct side *src, const struct side *dst, int64_t elements)
{
	return (struct reduction){.elements = elements,
				  .parts = mesh_extent(src->place, side_changes(src, dst)),
				  .groups = mesh_extent(src->place, moves_groups(src, dst))};
}

/* Elements of one phase of a movement box by box: that a rank sends, that it receives, or in all. */
typedef int64_t phase_count(const struct side *src, const struct side *dst, int32_t rank);

static int64_t over_phases(enum redist_method m, const struct side *src, const struct side *dst, int32_t rank,
			   phase_count *count)
{
	struct side mid;
	if (m == REDIST_LOCAL)
		return 0;
	if (m != REDIST_REDUCE_SEND || !moves_between(src, dst, &mid))
		return count(src, dst, rank);
	return count_add(count(src, &mid, rank), count(&mid, dst, rank));
}

/* The most that one of so many ranks sends of a row gather: if all is its own, to those who pass it on, and its share
 * to all. */
static int64_t most_gathered(int64_t all, int64_t ranks)
{
	int64_t share = shard_count(all, ranks, 0);
	return count_add(all - shard_count(all, ranks, ranks - 1), count_mul(share, ranks - 1));
}

static bool is_of_rows(enum redist_method m)
{
	return m == REDIST_ROW_GATHER || m == REDIST_ROW_SCATTER || m == REDIST_ROW_RETURN;
}

/* Of rows, the most that a position sends: if all are its own, those that others keep; returned, all that it keeps. */
static int64_t rows_sent(enum redist_method m, const struct side *src, const struct side *dst, int64_t position)
{
	int64_t all = side_volume(src, position);
	if (m == REDIST_ROW_GATHER)
		return most_gathered(all, side_division(src).parts);
	return m == REDIST_ROW_SCATTER ? all - side_volume(dst, position) : all;
}

/* The most that it receives: if nothing that it is to have is its own; returned, if all is. */
static int64_t rows_received(enum redist_method m, const struct side *src, const struct side *dst, int64_t position)
{
	int64_t all = side_volume(dst, position);
	return m == REDIST_ROW_RETURN ? all - side_volume(src, position) : all;
}

/* What is counted of a rank: all that it sends, or all that it receives. */
struct counts {
	phase_count *boxes;
	int64_t (*reduced)(const struct reduction *r, int64_t share);
	int64_t (*rows)(enum redist_method m, const struct side *src, const struct side *dst, int64_t position);
};

static int64_t elements_moved(enum redist_method m, const struct side *src, const struct side *dst, int32_t rank,
			      const struct counts *count)
{
	int64_t position = mesh_position(src->place, rank);
	if (m != REDIST_ALL_REDUCE && !is_of_rows(m))
		return over_phases(m, src, dst, rank, count->boxes);
	if (position < 0)
		return 0;
	if (is_of_rows(m))
		return count->rows(m, src, dst, position);
	struct reduction r = reduction_of(src, dst, side_volume(src, position));
	return count->reduced(&r, share_of(src, position, side_changes(src, dst), moves_groups(src, dst)));
}

static int64_t elements_sent(enum redist_method m, const struct side *src, const struct side *dst, int32_t rank)
{
	static const struct counts sent = {moves_sent, moves_reduction_sent, rows_sent};
	return elements_moved(m, src, dst, rank, &sent);
}

static int64_t elements_received(enum redist_method m, const struct side *src, const struct side *dst, int32_t rank)
{
	static const struct counts received = {moves_received, moves_reduction_received, rows_received};
	return elements_moved(m, src, dst, rank, &received);
}

/* Elements of all shards together, where several ranks may hold the same. */
static int64_t elements_held(const struct side *s)
{
	int64_t held = 1;
	for (int d = 0; d < s->rank; d++)
		held = count_mul(held, s->dim[d]);
	for (int a = 0; a < s->place->naxes; a++)
		if (s->atom[a].kind != SHARD_S)
			held = count_mul(held, s->place->extent[a]);
	return held;
}

static int64_t phase_total(const struct side *src, const struct side *dst, int32_t rank)
{
	(void)rank;
	return exchange_total(src, dst);
}

/* Of k ranks in each of m groups that reduce a shard, k - 1 parts of every element travel to where it is added up, and
 * its sum to the k * m - 1 other ranks. Of rows, one travels to each of the others; scattered or returned, to one of
 * them. */
static int64_t elements_total(enum redist_method m, const struct side *src, const struct side *dst)
{
	int64_t held = elements_held(src), parts = side_division(src).parts;
	if (m == REDIST_ROW_RETURN)
		return elements_held(src);
	if (is_of_rows(m) && held != INT64_MAX)
		return count_mul(held / parts, m == REDIST_ROW_GATHER ? parts - 1 : 1);
	if (m != REDIST_ALL_REDUCE)
		return over_phases(m, src, dst, -1, phase_total);
	struct reduction r = reduction_of(src, dst, 0);
	int64_t ranks = r.parts * r.groups;
	return held == INT64_MAX ? held : count_mul(held / ranks, r.parts - 1 + ranks - 1);
}

enum redist_method redist_method_of(const struct shape *s, const struct place *from, const struct layout *a,
				    const struct place *to, const struct layout *b)
{
	struct ends e;
	int64_t moved;
	find_ends(&e, s, from, a, to, b);
	return find_method(&e.src, &e.dst, &moved);
}

/* Of one phase: on one mesh a rank has to do with those that differ on the axes that change, else with all. */
static int64_t phase_messages(const struct side *src, const struct side *dst, int32_t rank)
{
	(void)rank;
	if (!mesh_same(src->place, dst->place))
		return side_division(src).contributions;
	return mesh_extent(src->place, side_changes(src, dst)) - 1;
}

/* Among n ranks, where more than a few halve what is left in every round. */
static int64_t collective_messages(int64_t n)
{
	int64_t rounds = 0;
	while (n > PMLRT_FEW_RANKS && INT64_C(1) << rounds < n)
		rounds++;
	return n > PMLRT_FEW_RANKS ? 2 * rounds : n - 1;
}

int64_t redist_messages(const struct redist *r, const struct shape *s, const struct place *from, const struct layout *a,
			const struct place *to, const struct layout *b)
{
	struct ends e;
	find_ends(&e, s, from, a, to, b);
	uint32_t axes = side_changes(&e.src, &e.dst);
	if (r->method == REDIST_ALL_REDUCE)
		return 2 * collective_messages(mesh_extent(e.src.place, axes | moves_groups(&e.src, &e.dst)));
	if ((r->method == REDIST_REDUCE_SCATTER && scatters_plainly(&e.src, &e.dst, axes)) ||
	    (r->method == REDIST_ALL_GATHER && scatters_plainly(&e.dst, &e.src, axes)))
		return collective_messages(mesh_extent(e.src.place, axes));
	return over_phases(r->method, &e.src, &e.dst, 0, phase_messages);
}

/* The most elements one rank sends. In the second phase of a reduction the destination's ranks send too. */
static int64_t most_sent(enum redist_method m, const struct side *src, const struct side *dst)
{
	int64_t most = 0;
	for (int64_t i = 0; i < src->place->count; i++) {
		int64_t sent = elements_sent(m, src, dst, mesh_rank(src->place, i));
		most = sent > most ? sent : most;
	}
	for (int64_t j = 0; m == REDIST_REDUCE_SEND && j < dst->place->count; j++) {
		int64_t sent = elements_sent(m, src, dst, mesh_rank(dst->place, j));
		most = sent > most ? sent : most;
	}
	return most;
}

/* The axes longer than 1 that split dimension d, as bits; of a side whose B axes share it out, these as well. */
static unsigned splitting_axes(const struct side *s, int d)
{
	unsigned axes = side_splits(s, d) | side_windows(s, d) << MAX_AXES; /* never those of a split */
	for (int a = 0; s->shared == d + 1 && a < s->place->naxes; a++)
		if (s->place->extent[a] > 1 && s->atom[a].kind == SHARD_B)
			axes |= 1u << a;
	return axes;
}

/* Whether the axes that split dimension d on both sides of one mesh cut it at the same places. */
static bool cut_alike(const struct side *x, const struct side *y, int d)
{
	for (int a = 0; a < x->place->naxes; a++)
		if (side_splits(x, d) & side_splits(y, d) & UINT32_C(1) << a && !cuts_equal(x->atom[a], y->atom[a]))
			return false;
	return true;
}

/* Whether dimension d is longer than 1 on some rank. */
static bool is_long(const struct side *s, int d)
{
	struct side whole = *s;
	int64_t most = 0;
	whole.shared = 0;
	bool falls = side_falls(s) && !side_windows(s, d);
	for (int64_t i = 0; most <= 1 && i < (falls ? 1 : s->place->count); i++) {
		struct box b = side_box(&whole, i);
		most = b.end[d] - b.begin[d];
	}
	return most > 1;
}

/* Whether the pieces of a shard that meet shards of the other side are runs of elements in it: only its outermost
 * dimension longer than 1 may be cut. */
static bool pieces_are_runs(const struct side *held, const struct side *other)
{
	bool mesh = mesh_same(held->place, other->place), inner = false;
	for (int d = 0; d < held->rank; d++) {
		unsigned cuts = splitting_axes(other, d);
		if (inner && cuts && (!mesh || cuts != splitting_axes(held, d) || !cut_alike(held, other, d)))
			return false;
		inner |= is_long(held, d);
	}
	return true;
}

/* The same of halos, of which nothing else waits: at most, what a rank sends and receives. */
static int64_t halo_staged(const struct side *src, const struct side *dst)
{
	int64_t most = 0;
	bool packs = !pieces_are_runs(src, dst), unpacks = !pieces_are_runs(dst, src);
	for (int64_t i = 0; (packs || unpacks) && i < src->place->count; i++) {
		int32_t rank = mesh_rank(src->place, i);
		int64_t wait =
			count_add(packs ? moves_sent(src, dst, rank) : 0, unpacks ? moves_received(src, dst, rank) : 0);
		most = wait > most ? wait : most;
	}
	return most;
}

/* Elements that wait in one phase of an exchange at most: packed pieces, and received ones that are not runs or have to
 * be combined, of which there is never more at once than twice the larger shard. */
static int64_t phase_staged(enum dtype dtype, const struct side *src, const struct side *dst)
{
	int64_t from = side_most(src), to = side_most(dst), parts = 1;
	bool combines = side_uses(src, SHARD_P);
	for (int a = 0; a < src->place->naxes; a++)
		if (src->atom[a].kind == SHARD_P)
			parts = count_mul(parts, src->place->extent[a]);
	int64_t wait = count_mul(parts, to), most = count_mul(2, from > to ? from : to);
	int64_t packed = pieces_are_runs(src, dst) ? 0 : from;
	int64_t wide = moves_widen((int32_t)dtype, src, dst) ? count_mul(to, 2) : 0; /* an f32 is two of 16 bits */
	packed = count_add(packed, wide);
	return count_add(packed, combines ? wait < most ? wait : most : pieces_are_runs(dst, src) ? 0 : to);
}

/* Elements a rank needs at most beside its source and destination shard. */
static int64_t elements_staged(enum redist_method m, enum dtype dtype, const struct side *src, const struct side *dst)
{
	struct side mid;
	struct reduction r;
	int64_t first, second;
	switch (m) {
	case REDIST_LOCAL:
		return 0;
	case REDIST_HALO:
		return halo_staged(src, dst);
	case REDIST_EXCHANGE:
	case REDIST_ALL_GATHER:
	case REDIST_ALL_TO_ALL:
		return phase_staged(dtype, src, dst);
	case REDIST_REDUCE_SCATTER:
		if (side_most(src) > SHARD_MESSAGE_ELEMENTS || moves_widen((int32_t)dtype, src, dst) ||
		    !scatters_plainly(src, dst, side_changes(src, dst)))
			return phase_staged(dtype, src, dst);
		return pieces_are_runs(src, dst) ? 0 : side_most(src);
	case REDIST_ALL_REDUCE:
		r = reduction_of(src, dst, side_most(src));
		return count_mul(shard_count(r.elements, r.parts * r.groups, 0), r.parts);
	case REDIST_ROW_GATHER:
		return count_mul(2, side_most(src));
	case REDIST_ROW_SCATTER:
		return side_most(src);
	case REDIST_ROW_RETURN:
		return side_most(dst);
	case REDIST_REDUCE_SEND:
		if (!moves_between(src, dst, &mid))
			return phase_staged(dtype, src, dst);
		first = phase_staged(dtype, src, &mid);
		second = phase_staged(dtype, &mid, dst);
		return count_add(side_most(&mid), first > second ? first : second);
	}
	return 0;
}

struct redist redist_plan(enum dtype dtype, const struct shape *s, const struct place *from, const struct layout *a,
			  const struct place *to, const struct layout *b)
{
	struct ends e;
	find_ends(&e, s, from, a, to, b);
	int64_t moved = -1;
	struct redist r = {.method = find_method(&e.src, &e.dst, &moved)};
	if (moved < 0)
		moved = elements_total(r.method, &e.src, &e.dst);
	r.bytes_total = count_mul(moved, dtype_size(dtype));
	return r;
}

struct redist redist_rows(enum dtype dtype, const struct shape *s, const struct place *from, const struct layout *a,
			  const struct place *to, const struct layout *b)
{
	struct ends e;
	find_ends(&e, s, from, a, to, b);
	bool scatters = mesh_same(e.src.place, e.dst.place) &&
			all_finish(&e.src, &e.dst, side_changes(&e.src, &e.dst), SHARD_S);
	struct redist r = {.method = !side_uses(&e.src, SHARD_P) ? REDIST_ROW_RETURN
				     : scatters                  ? REDIST_ROW_SCATTER
								 : REDIST_ROW_GATHER};
	r.bytes_total = count_mul(elements_total(r.method, &e.src, &e.dst), dtype_size(dtype));
	return r;
}

int64_t redist_rows_spread(enum dtype dtype, const struct shape *s, const struct place *p, const struct layout *a,
			   const struct layout *b)
{
	struct ends e;
	find_ends(&e, s, p, a, p, b);
	struct redist r = redist_rows(dtype, s, p, a, p, b);
	int64_t all = r.bytes_total / dtype_size(dtype);
	int64_t owners = mesh_extent(e.src.place, side_changes(&e.src, &e.dst));
	return r.method == REDIST_ROW_GATHER ? r.bytes_total : count_mul(all - all / owners, dtype_size(dtype));
}

int64_t redist_sent_max(const struct redist *r, enum dtype dtype, const struct shape *s, const struct place *from,
			const struct layout *a, const struct place *to, const struct layout *b)
{
	struct ends e;
	find_ends(&e, s, from, a, to, b);
	return count_mul(most_sent(r->method, &e.src, &e.dst), dtype_size(dtype));
}

int64_t redist_staging(const struct redist *r, enum dtype dtype, const struct shape *s, const struct place *from,
		       const struct layout *a, const struct place *to, const struct layout *b)
{
	struct ends e;
	find_ends(&e, s, from, a, to, b);
	return count_mul(elements_staged(r->method, dtype, &e.src, &e.dst), dtype_size(dtype));
}

static struct room_taken shared_sums(const struct side *src, const struct side *dst, enum dtype dtype,
				     const int64_t *elements, int n)
{
	struct reduction r = reduction_of(src, dst, 0);
	struct sums_room room;
	int64_t ranks = count_mul(r.parts, r.groups), all = 0, longest = 0;
	for (int i = 0; i < n; i++) {
		all = count_add(all, elements[i]);
		longest = count_add(longest, shard_count(elements[i], ranks, 0));
	}
	bool fits = room_of_sums(&room, &ROOM_LIMITS, ranks, r.parts, all, longest, dtype_size(dtype));
	return (struct room_taken){.own = fits ? room.bytes : 0};
}

struct room_taken redist_shared_bucket(enum dtype dtype, const struct shape *s, const struct place *from,
				       const struct layout *a, const struct place *to, const struct layout *b,
				       const int64_t *elements, int n)
{
	struct ends e;
	find_ends(&e, s, from, a, to, b);
	return shared_sums(&e.src, &e.dst, dtype, elements, n);
}

struct room_taken redist_shared(const struct redist *r, enum dtype dtype, const struct shape *s,
				const struct place *from, const struct layout *a, const struct place *to,
				const struct layout *b, int32_t rank)
{
	struct ends e;
	const struct room_taken none = {0};
	if (r->bytes_total == 0 || is_of_rows(r->method))
		return none;
	find_ends(&e, s, from, a, to, b);
	int64_t at = mesh_position(e.src.place, rank);
	if (at < 0 && mesh_position(e.dst.place, rank) < 0)
		return none;
	if (r->method == REDIST_ALL_REDUCE) {
		int64_t elements = side_volume(&e.src, at);
		return shared_sums(&e.src, &e.dst, dtype, &elements, 1);
	}
	bool one_phase = r->method == REDIST_REDUCE_SCATTER;
	if (room_way_of_exchange(&ROOM_LIMITS, &e.src, &e.dst, dtype_size(dtype), one_phase) != ROOM_WINDOW)
		return none;
	return room_of_exchange(&e.src, &e.dst, dtype_size(dtype), one_phase, rank);
}

int64_t redist_bytes_sent(const struct redist *r, enum dtype dtype, const struct shape *s, const struct place *from,
			  const struct layout *a, const struct place *to, const struct layout *b, int32_t rank)
{
	struct ends e;
	find_ends(&e, s, from, a, to, b);
	return count_mul(elements_sent(r->method, &e.src, &e.dst, rank), dtype_size(dtype));
}

int64_t redist_bytes_received(const struct redist *r, enum dtype dtype, const struct shape *s, const struct place *from,
			      const struct layout *a, const struct place *to, const struct layout *b, int32_t rank)
{
	struct ends e;
	find_ends(&e, s, from, a, to, b);
	return count_mul(elements_received(r->method, &e.src, &e.dst, rank), dtype_size(dtype));
}

int64_t redist_received_max(const struct redist *r, enum dtype dtype, const struct shape *s, const struct place *from,
			    const struct layout *a, const struct place *to, const struct layout *b)
{
	int64_t most = 0;
	for (int64_t j = 0; j < to->count; j++) {
		int64_t bytes = redist_bytes_received(r, dtype, s, from, a, to, b, place_rank(to, j));
		most = bytes > most ? bytes : most;
	}
	return most;
}

static void count_neighbour(void *context, const struct move *m)
{
	int64_t *ranks = context;
	*ranks += m->to != m->from;
}

struct redist_halo redist_halo(const struct shape *s, const struct place *p, const struct layout *a,
			       const struct layout *b)
{
	struct redist_halo h = {0};
	struct ends e;
	find_ends(&e, s, p, a, p, b);
	for (int64_t i = 0; i < p->count; i++) {
		struct box own = side_box(&e.src, i), wanted = side_box(&e.dst, i);
		int64_t ranks = 0;
		moves_to(&e.src, &e.dst, place_rank(p, i), count_neighbour, &ranks);
		h.ranks = ranks > h.ranks ? ranks : h.ranks;
		for (int d = 0; d < s->rank && box_volume(e.dst.rank, &wanted) > 0; d++) {
			int64_t begin = own.begin[d] > wanted.begin[d] ? own.begin[d] : wanted.begin[d];
			int64_t end = own.end[d] < wanted.end[d] ? own.end[d] : wanted.end[d];
			int64_t lacks = wanted.end[d] - wanted.begin[d] - (end > begin ? end - begin : 0);
			h.beyond[d] = lacks > h.beyond[d] ? lacks : h.beyond[d];
		}
	}
	return h;
}
