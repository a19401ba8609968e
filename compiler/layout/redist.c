/* redist.c — the way from one placement and layout to another, and its bytes.
 * Every pair works: what is not one of the known collectives is an exchange of boxes, or, for a P, parts that travel
 * and are combined where they arrive. The totals are those of the table in docs/layouts.md, exact for uneven and empty
 * shards. */
#include "redist.h"

#include "../op/signature.h"
#include "exchange.h"

const char *redist_text(enum redist_method m)
{
	static const char *const text[] = {
#define REDIST(name, text, collective) [REDIST_##name] = text,
#include "../../runtime/redist.def"
#undef REDIST
	};
	return text[m];
}

/* A scalar moves like a vector of one element. */
static struct side side_of(const struct shape *s, const struct place *p, const struct layout *l)
{
	struct side side = {.place = p, .layout = *l, .shape = *s};
	if (s->rank == 0)
		side.shape = (struct shape){.rank = 1, .dim = {1}};
	return side;
}

/* The axes longer than 1 on which the layouts of one mesh differ, as bits. */
static unsigned changed_axes(const struct side *src, const struct side *dst)
{
	unsigned changed = 0;
	for (int a = 0; a < src->place->naxes; a++)
		if (src->place->extent[a] > 1 && !atom_equal(src->layout.atom[a], dst->layout.atom[a]))
			changed |= 1u << a;
	return changed;
}

/* Whether all of some axes go from P to one kind of atom. */
static bool all_finish(const struct side *src, const struct side *dst, unsigned axes, enum shard_kind to)
{
	for (int a = 0; a < src->place->naxes; a++)
		if (axes >> a & 1 && (src->layout.atom[a].kind != SHARD_P || dst->layout.atom[a].kind != (uint8_t)to))
			return false;
	return axes != 0;
}

static int64_t ranks_over(const struct place *p, unsigned axes)
{
	int64_t n = 1;
	for (int a = 0; a < p->naxes; a++)
		n = axes >> a & 1 ? count_mul(n, p->extent[a]) : n;
	return n;
}

/* Whether some axis is B before and after: then groups of ranks could reduce the same, each for itself, or share the
 * work. */
static bool stay_whole(const struct side *src, const struct side *dst)
{
	for (int a = 0; a < src->place->naxes; a++)
		if (src->place->extent[a] > 1 && src->layout.atom[a].kind == SHARD_B &&
		    dst->layout.atom[a].kind == SHARD_B)
			return true;
	return false;
}

/* Whether one axis is scattered, along a dimension that no other axis splits: then the change stays within the axis. */
static bool scatters_plainly(const struct side *src, const struct side *dst, unsigned axes)
{
	int axis = 0;
	while (!(axes >> axis & 1))
		axis++;
	if (axes >> axis != 1)
		return false;
	for (int a = 0; a < src->place->naxes; a++)
		if (a != axis && src->layout.atom[a].kind == SHARD_S &&
		    src->layout.atom[a].dim == dst->layout.atom[axis].dim && src->place->extent[a] > 1)
			return false;
	return true;
}

/* Layouts of one mesh without P, or whose P axes stay as they are: boxes are exchanged. */
static enum redist_method method_of_boxes(const struct side *src, const struct side *dst)
{
	bool gathers = true;
	for (int a = 0; a < src->place->naxes; a++)
		if (!atom_equal(src->layout.atom[a], dst->layout.atom[a]) && dst->layout.atom[a].kind != SHARD_B)
			gathers = false;
	if (exchange_total(src, dst) == 0)
		return REDIST_LOCAL;
	return gathers ? REDIST_ALL_GATHER : REDIST_ALL_TO_ALL;
}

static enum redist_method method_of(const struct side *src, const struct side *dst)
{
	bool partial = side_has(src, SHARD_P);
	if (!place_same_mesh(src->place, dst->place))
		return partial ? REDIST_REDUCE_SEND : REDIST_EXCHANGE;
	if (!partial)
		return method_of_boxes(src, dst);
	unsigned axes = changed_axes(src, dst);
	if (!axes)
		return REDIST_LOCAL;
	if (all_finish(src, dst, axes, SHARD_B) && (!(axes & (axes - 1)) || !stay_whole(src, dst)))
		return REDIST_ALL_REDUCE;
	if (all_finish(src, dst, axes, SHARD_S) && (scatters_plainly(src, dst, axes) || !side_has(dst, SHARD_B)))
		return REDIST_REDUCE_SCATTER;
	return REDIST_REDUCE_SEND;
}

/* Elements a position sends in an all-reduce over some axes: its share of a flat even split is reduced there and sent
 * back. */
static int64_t all_reduce_sent(const struct side *src, int64_t position, unsigned axes)
{
	int64_t coordinate[MAX_AXES], n = ranks_over(src->place, axes), volume = side_volume(src, position), own = 0;
	place_coordinates(src->place, position, coordinate);
	for (int a = 0; a < src->place->naxes; a++)
		own = axes >> a & 1 ? own * src->place->extent[a] + coordinate[a] : own;
	int64_t share = shard_count(volume, n, own);
	return count_add(volume - share, count_mul(share, n - 1));
}

/* What an exchange makes one rank send, or receive. */
typedef int64_t exchange_count(const struct side *src, const struct side *dst, int32_t rank);

/* In an all-reduce a position receives as much as it sends: the others' parts of its share, then their shares. */
static int64_t elements_moved(enum redist_method m, const struct side *src, const struct side *dst, int32_t rank,
			      exchange_count *count)
{
	int64_t position = place_position(src->place, rank);
	struct side mid;
	switch (m) {
	case REDIST_LOCAL:
		return 0;
	case REDIST_EXCHANGE:
	case REDIST_ALL_TO_ALL:
	case REDIST_ALL_GATHER:
	case REDIST_REDUCE_SCATTER:
		return count(src, dst, rank);
	case REDIST_ALL_REDUCE:
		return position < 0 ? 0 : all_reduce_sent(src, position, changed_axes(src, dst));
	case REDIST_REDUCE_SEND:
		if (!exchange_between(src, dst, &mid))
			return count(src, dst, rank);
		return count_add(count(src, &mid, rank), count(&mid, dst, rank));
	}
	return 0;
}

static int64_t elements_sent(enum redist_method m, const struct side *src, const struct side *dst, int32_t rank)
{
	return elements_moved(m, src, dst, rank, exchange_sent);
}

static int64_t elements_received(enum redist_method m, const struct side *src, const struct side *dst, int32_t rank)
{
	return elements_moved(m, src, dst, rank, exchange_received);
}

/* Elements of all shards together, where several ranks may hold the same. */
static int64_t elements_held(const struct side *s)
{
	int64_t held = 1;
	for (int d = 0; d < s->shape.rank; d++)
		held = count_mul(held, s->shape.dim[d]);
	for (int a = 0; a < s->place->naxes; a++)
		if (s->layout.atom[a].kind != SHARD_S)
			held = count_mul(held, s->place->extent[a]);
	return held;
}

/* Of n ranks that reduce a shard each, every one sends n - 1 shares and keeps one; to share out the result again they
 * send as much. */
static int64_t elements_total(enum redist_method m, const struct side *src, const struct side *dst)
{
	struct side mid;
	int64_t n, held;
	switch (m) {
	case REDIST_LOCAL:
		return 0;
	case REDIST_EXCHANGE:
	case REDIST_ALL_TO_ALL:
	case REDIST_ALL_GATHER:
	case REDIST_REDUCE_SCATTER:
		return exchange_total(src, dst);
	case REDIST_ALL_REDUCE:
		n = ranks_over(src->place, changed_axes(src, dst));
		held = elements_held(src);
		if (held == INT64_MAX)
			return held;
		return count_mul(held / n * (n - 1), 2);
	case REDIST_REDUCE_SEND:
		if (!exchange_between(src, dst, &mid))
			return exchange_total(src, dst);
		return count_add(exchange_total(src, &mid), exchange_total(&mid, dst));
	}
	return 0;
}

enum redist_method redist_method_of(const struct shape *s, const struct place *from, const struct layout *a,
				    const struct place *to, const struct layout *b)
{
	struct side src = side_of(s, from, a), dst = side_of(s, to, b);
	return method_of(&src, &dst);
}

int64_t redist_bytes(enum dtype dtype, const struct shape *s, const struct place *from, const struct layout *a,
		     const struct place *to, const struct layout *b)
{
	struct side src = side_of(s, from, a), dst = side_of(s, to, b);
	return count_mul(elements_total(method_of(&src, &dst), &src, &dst), dtype_size(dtype));
}

/* The most elements one rank sends. In the second phase of a reduction the destination's ranks send too. */
static int64_t most_sent(enum redist_method m, const struct side *src, const struct side *dst)
{
	int64_t most = 0;
	for (int64_t i = 0; i < src->place->count; i++) {
		int64_t sent = elements_sent(m, src, dst, place_rank(src->place, i));
		most = sent > most ? sent : most;
	}
	for (int64_t j = 0; m == REDIST_REDUCE_SEND && j < dst->place->count; j++) {
		int64_t sent = elements_sent(m, src, dst, place_rank(dst->place, j));
		most = sent > most ? sent : most;
	}
	return most;
}

/* The axes longer than 1 that split dimension d, as bits; of a side whose B axes share it out, these as well. */
static unsigned splitting_axes(const struct side *s, int d)
{
	unsigned axes = 0;
	for (int a = 0; a < s->place->naxes; a++) {
		struct shard_atom x = s->layout.atom[a];
		if (s->place->extent[a] > 1 &&
		    ((x.kind == SHARD_S && x.dim == d) || (x.kind == SHARD_B && s->shared == d + 1)))
			axes |= 1u << a;
	}
	return axes;
}

/* Whether the pieces of a shard that meet shards of the other side are runs of elements in it: only its outermost
 * dimension longer than 1 may be cut. */
static bool pieces_are_runs(const struct side *held, const struct side *other)
{
	struct shape local = layout_local_shape(held->place, &held->layout, &held->shape, 0);
	bool mesh = place_same_mesh(held->place, other->place), inner = false;
	for (int d = 0; d < local.rank; d++) {
		unsigned cuts = splitting_axes(other, d);
		if (inner && cuts && (!mesh || cuts != splitting_axes(held, d)))
			return false;
		inner |= local.dim[d] > 1;
	}
	return true;
}

/* Elements that wait in one phase of an exchange at most: packed pieces, and received ones that are not runs or have to
 * be combined, of which there is never more at once than twice the larger shard. */
static int64_t phase_staged(const struct side *src, const struct side *dst)
{
	int64_t from = side_volume(src, 0), to = side_volume(dst, 0), parts = 1;
	bool combines = side_has(src, SHARD_P);
	for (int a = 0; a < src->place->naxes; a++)
		if (src->layout.atom[a].kind == SHARD_P)
			parts = count_mul(parts, src->place->extent[a]);
	int64_t wait = count_mul(parts, to), most = count_mul(2, from > to ? from : to);
	int64_t packed = pieces_are_runs(src, dst) ? 0 : from;
	return count_add(packed, combines ? wait < most ? wait : most : pieces_are_runs(dst, src) ? 0 : to);
}

/* Elements a rank needs at most beside its source and destination shard. */
static int64_t elements_staged(enum redist_method m, const struct side *src, const struct side *dst)
{
	struct side mid;
	int64_t n, first, second;
	switch (m) {
	case REDIST_LOCAL:
		return 0;
	case REDIST_EXCHANGE:
	case REDIST_ALL_GATHER:
	case REDIST_ALL_TO_ALL:
		return phase_staged(src, dst);
	case REDIST_REDUCE_SCATTER:
		if (side_volume(src, 0) > SHARD_MESSAGE_ELEMENTS || !scatters_plainly(src, dst, changed_axes(src, dst)))
			return phase_staged(src, dst);
		return pieces_are_runs(src, dst) ? 0 : side_volume(src, 0);
	case REDIST_ALL_REDUCE:
		n = ranks_over(src->place, changed_axes(src, dst));
		return count_mul(shard_count(side_volume(src, 0), n, 0), n);
	case REDIST_REDUCE_SEND:
		if (!exchange_between(src, dst, &mid))
			return phase_staged(src, dst);
		first = phase_staged(src, &mid);
		second = phase_staged(&mid, dst);
		return count_add(side_volume(&mid, 0), first > second ? first : second);
	}
	return 0;
}

struct redist redist_plan(enum dtype dtype, const struct shape *s, const struct place *from, const struct layout *a,
			  const struct place *to, const struct layout *b)
{
	struct side src = side_of(s, from, a), dst = side_of(s, to, b);
	struct redist r = {.method = method_of(&src, &dst)};
	r.bytes_total = count_mul(elements_total(r.method, &src, &dst), dtype_size(dtype));
	return r;
}

int64_t redist_sent_max(const struct redist *r, enum dtype dtype, const struct shape *s, const struct place *from,
			const struct layout *a, const struct place *to, const struct layout *b)
{
	struct side src = side_of(s, from, a), dst = side_of(s, to, b);
	return count_mul(most_sent(r->method, &src, &dst), dtype_size(dtype));
}

int64_t redist_staging(const struct redist *r, enum dtype dtype, const struct shape *s, const struct place *from,
		       const struct layout *a, const struct place *to, const struct layout *b)
{
	struct side src = side_of(s, from, a), dst = side_of(s, to, b);
	return count_mul(elements_staged(r->method, &src, &dst), dtype_size(dtype));
}

int64_t redist_bytes_sent(const struct redist *r, enum dtype dtype, const struct shape *s, const struct place *from,
			  const struct layout *a, const struct place *to, const struct layout *b, int32_t rank)
{
	struct side src = side_of(s, from, a), dst = side_of(s, to, b);
	return count_mul(elements_sent(r->method, &src, &dst, rank), dtype_size(dtype));
}

int64_t redist_bytes_received(const struct redist *r, enum dtype dtype, const struct shape *s, const struct place *from,
			      const struct layout *a, const struct place *to, const struct layout *b, int32_t rank)
{
	struct side src = side_of(s, from, a), dst = side_of(s, to, b);
	return count_mul(elements_received(r->method, &src, &dst, rank), dtype_size(dtype));
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
