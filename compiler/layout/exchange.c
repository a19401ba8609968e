/* exchange.c — see exchange.h. The total needs no choice of holders and takes one step per receiver; what a single rank
 * sends follows the runtime's choice. Example: S(0) on ranks 0..2 to B on ranks 2..4, f32[4]: both receivers take both
 * contributions, 8 elements, 4 from either sender. */
#include "overlap.h"

struct box {
	int64_t begin[MAX_RANK], end[MAX_RANK];
};

/* How positions divide into contributions (S and P axes), the parts among these (P axes) and replicas (B axes); or the
 * numbers of these that one position has. */
struct division {
	int64_t contributions, parts, replicas;
};

int64_t count_add(int64_t a, int64_t b)
{
	int64_t sum;
	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

int64_t count_mul(int64_t a, int64_t b)
{
	int64_t product;
	return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/* Whether an axis makes no difference to what its ranks hold. */
static bool repeats(const struct side *s, int axis)
{
	return s->layout.atom[axis].kind == SHARD_B && !s->shared;
}

/* Cuts a box among the ranks of the B axes. */
static void share_out(const struct side *s, int64_t position, struct box *b)
{
	int64_t coordinate[MAX_AXES], ranks = 1, own = 0;
	int d = s->shared - 1;
	place_coordinates(s->place, position, coordinate);
	for (int a = 0; a < s->place->naxes; a++)
		if (s->layout.atom[a].kind == SHARD_B) {
			own = own * s->place->extent[a] + coordinate[a];
			ranks *= s->place->extent[a];
		}
	int64_t n = b->end[d] - b->begin[d];
	b->begin[d] += shard_begin(n, ranks, own);
	b->end[d] = b->begin[d] + shard_count(n, ranks, own);
}

static struct box box_of(const struct side *s, int64_t position)
{
	struct box b;
	layout_box(s->place, &s->layout, &s->shape, position, b.begin, b.end);
	if (s->shared)
		share_out(s, position, &b);
	return b;
}

static int64_t box_volume(int rank, const struct box *b)
{
	int64_t volume = 1;
	for (int d = 0; d < rank; d++)
		volume *= b->end[d] - b->begin[d];
	return volume;
}

static int64_t common_volume(int rank, const struct box *a, const struct box *b)
{
	int64_t volume = 1;
	for (int d = 0; d < rank; d++) {
		int64_t begin = a->begin[d] > b->begin[d] ? a->begin[d] : b->begin[d];
		int64_t end = a->end[d] < b->end[d] ? a->end[d] : b->end[d];
		if (begin >= end)
			return 0;
		volume *= end - begin;
	}
	return volume;
}

int64_t side_volume(const struct side *s, int64_t position)
{
	struct box b = box_of(s, position);
	return box_volume(s->shape.rank, &b);
}

bool side_has(const struct side *s, enum shard_kind kind)
{
	for (int a = 0; a < s->place->naxes; a++)
		if (s->layout.atom[a].kind == kind && s->place->extent[a] > 1)
			return true;
	return false;
}

static int combiner_of(const struct side *s)
{
	for (int a = 0; a < s->place->naxes; a++)
		if (s->layout.atom[a].kind == SHARD_P && s->place->extent[a] > 1)
			return s->layout.atom[a].combiner;
	return SHARD_SUM;
}

static struct division division_of(const struct side *s)
{
	struct division d = {1, 1, 1};
	for (int a = 0; a < s->place->naxes; a++) {
		int64_t n = s->place->extent[a];
		*(repeats(s, a) ? &d.replicas : &d.contributions) *= n;
		if (s->layout.atom[a].kind == SHARD_P)
			d.parts *= n;
	}
	return d;
}

static struct division numbers_of(const struct side *s, int64_t position)
{
	struct division n = {0, 0, 0};
	int64_t coordinate[MAX_AXES];
	place_coordinates(s->place, position, coordinate);
	for (int a = 0; a < s->place->naxes; a++) {
		int64_t k = s->place->extent[a], *number = repeats(s, a) ? &n.replicas : &n.contributions;
		*number = *number * k + coordinate[a];
		if (s->layout.atom[a].kind == SHARD_P)
			n.parts = n.parts * k + coordinate[a];
	}
	return n;
}

/* The position that holds a contribution as the replica of that number. */
static int64_t holder_of(const struct side *s, int64_t contribution, int64_t replica)
{
	int64_t position = 0, stride = 1;
	for (int a = s->place->naxes - 1; a >= 0; a--) {
		int64_t *number = repeats(s, a) ? &replica : &contribution;
		position += *number % s->place->extent[a] * stride;
		*number /= s->place->extent[a];
		stride *= s->place->extent[a];
	}
	return position;
}

static bool holds(const struct side *s, int32_t rank, int64_t contribution)
{
	int64_t position = place_position(s->place, rank);
	return position >= 0 && numbers_of(s, position).contributions == contribution;
}

/* A P that cannot stay in parts on a P destination: combined otherwise, it is finished on part 0. */
static bool must_finish(const struct side *src, const struct side *dst)
{
	return side_has(src, SHARD_P) && combiner_of(src) != combiner_of(dst);
}

static int64_t part_for(const struct side *src, const struct side *dst, int64_t contribution)
{
	int64_t parts = division_of(dst).parts, replicas = division_of(src).replicas;
	if (parts == 1 || must_finish(src, dst))
		return 0;
	for (int64_t r = 0; r < replicas; r++) {
		int64_t position = place_position(dst->place, place_rank(src->place, holder_of(src, contribution, r)));
		if (position >= 0)
			return numbers_of(dst, position).parts;
	}
	return contribution % parts;
}

/* One contribution to all receivers: elements not held by the receiver, and of these what `sender` (a replica's number)
 * sends. */
static void count_contribution(const struct side *src, const struct side *dst, int64_t contribution, int64_t sender,
			       int64_t *all, int64_t *sent)
{
	int64_t part = part_for(src, dst, contribution), replicas = division_of(src).replicas;
	struct box from = box_of(src, holder_of(src, contribution, 0));
	for (int64_t j = 0; j < dst->place->count; j++) {
		struct box to = box_of(dst, j);
		int64_t volume = common_volume(src->shape.rank, &from, &to);
		struct division n = numbers_of(dst, j);
		if (!volume || n.parts != part || holds(src, place_rank(dst->place, j), contribution))
			continue;
		*all = count_add(*all, volume);
		int64_t own = place_position(src->place, place_rank(dst->place, j));
		int64_t picked = (n.replicas + n.contributions) % replicas;
		if ((own >= 0 ? numbers_of(src, own).replicas : picked) == sender)
			*sent = count_add(*sent, volume);
	}
}

/* Elements that stay where they are: those a rank holds of a contribution that goes to it, rank by rank. */
static int64_t kept_by_ranks(const struct side *src, const struct side *dst)
{
	int64_t kept = 0;
	if (!place_overlap(src->place, dst->place))
		return 0;
	for (int64_t j = 0; j < dst->place->count; j++) {
		int64_t own = place_position(src->place, place_rank(dst->place, j));
		if (own < 0)
			continue;
		struct box held = box_of(src, own), to = box_of(dst, j);
		int64_t volume = common_volume(src->shape.rank, &held, &to);
		if (volume && part_for(src, dst, numbers_of(src, own).contributions) == numbers_of(dst, j).parts)
			kept = count_add(kept, volume);
	}
	return kept;
}

/* Every contribution covers its box once per replica of the destination, whichever part it goes to; what a rank holds
 * already does not travel. */
int64_t exchange_total(const struct side *src, const struct side *dst)
{
	int64_t kept = division_of(src).parts, all = count_mul(kept, division_of(dst).replicas);
	for (int d = 0; d < src->shape.rank; d++) {
		all = count_mul(all, src->shape.dim[d]);
		kept = count_mul(kept, src->shape.dim[d]);
	}
	if (all == INT64_MAX || src->shared) /* what is shared out is part of what each rank gets */
		return all == INT64_MAX ? all : all - kept;
	if (!overlap_on_mesh(src, dst, must_finish(src, dst), &kept))
		kept = kept_by_ranks(src, dst);
	return all - kept;
}

int64_t exchange_sent(const struct side *src, const struct side *dst, int32_t rank)
{
	int64_t all = 0, sent = 0, position = place_position(src->place, rank);
	if (position < 0)
		return 0;
	struct division n = numbers_of(src, position), to = division_of(dst);
	if (to.parts == 1 && division_of(src).replicas == 1) {
		/* The boxes of the destination cover the tensor once per replica, and this rank's part of it is held
		 * here alone. */
		int64_t own = place_position(dst->place, rank);
		struct box held = box_of(src, position), kept = held;
		if (own >= 0)
			kept = box_of(dst, own);
		int64_t stays = own >= 0 ? common_volume(src->shape.rank, &held, &kept) : 0;
		return count_mul(to.replicas, box_volume(src->shape.rank, &held)) - stays;
	}
	count_contribution(src, dst, n.contributions, n.replicas, &all, &sent);
	return sent;
}

int64_t exchange_received(const struct side *src, const struct side *dst, int32_t rank)
{
	int64_t received = 0, position = place_position(dst->place, rank);
	if (position < 0)
		return 0;
	struct division from = division_of(src);
	struct box to = box_of(dst, position);
	int64_t part = numbers_of(dst, position).parts;
	if (division_of(dst).parts == 1) {
		int64_t own = place_position(src->place, rank),
			all = count_mul(from.parts, box_volume(dst->shape.rank, &to));
		struct box held = own >= 0 ? box_of(src, own) : to;
		return own >= 0 ? all - common_volume(dst->shape.rank, &held, &to) : all;
	}
	for (int64_t c = 0; c < from.contributions; c++) {
		struct box sent = box_of(src, holder_of(src, c, 0));
		if (part_for(src, dst, c) == part && !holds(src, rank, c))
			received = count_add(received, common_volume(src->shape.rank, &sent, &to));
	}
	return received;
}

/* Whether the destination has as many parts as the source, combined alike: nothing is finished on the way. */
static bool parts_stay(const struct side *src, const struct side *dst)
{
	return combiner_of(src) == combiner_of(dst) && division_of(src).parts == division_of(dst).parts;
}

/* The axes longer than 1 that split dimension d, as bits. */
static unsigned splits(const struct side *s, int d)
{
	unsigned axes = 0;
	for (int a = 0; a < s->place->naxes; a++)
		if (s->layout.atom[a].kind == SHARD_S && s->layout.atom[a].dim == d && s->place->extent[a] > 1)
			axes |= 1u << a;
	return axes;
}

/* Where the source splits what the destination leaves whole, the time in between keeps the split. */
static void keep_splits(const struct side *src, const struct side *dst, struct side *mid)
{
	if (!place_same_mesh(src->place, dst->place))
		return;
	for (int a = 0; a < dst->place->naxes; a++) {
		struct shard_atom x = src->layout.atom[a];
		if (dst->layout.atom[a].kind == SHARD_B && x.kind == SHARD_S && !splits(dst, x.dim))
			mid->layout.atom[a] = x;
	}
}

/* Whether dimension d is longer than another for a rank, or else as a whole. Equal ones are told apart by the axes that
 * split them, never by their order: a transposed tensor moves alike. */
static bool is_longer(const struct side *src, const struct side *mid, int d, int than)
{
	struct box b = box_of(mid, 0);
	int64_t difference = b.end[d] - b.begin[d] - (b.end[than] - b.begin[than]);
	if (difference == 0)
		difference = mid->shape.dim[d] - mid->shape.dim[than];
	if (difference == 0)
		difference = (int64_t)splits(src, than) - splits(src, d);
	if (difference == 0)
		difference = (int64_t)splits(mid, than) - splits(mid, d);
	return difference > 0;
}

/* The longest dimension of what a rank holds, among those that nothing splits or among all; -1: there is none. */
static int longest(const struct side *src, const struct side *mid, bool whole_only)
{
	int best = -1;
	for (int d = 0; d < mid->shape.rank; d++)
		if ((!whole_only || !splits(mid, d)) && (best < 0 || is_longer(src, mid, d, best)))
			best = d;
	return best;
}

bool exchange_between(const struct side *src, const struct side *dst, struct side *mid)
{
	if (!side_has(src, SHARD_P) || !side_has(dst, SHARD_B) || parts_stay(src, dst))
		return false;
	*mid = *dst;
	keep_splits(src, dst, mid);
	int whole = longest(src, mid, true), any = longest(src, mid, false);
	if (whole < 0 || mid->shape.dim[whole] < division_of(mid).replicas) {
		mid->shared = 1 + any;
		return true;
	}
	for (int a = 0; a < dst->place->naxes; a++)
		if (mid->layout.atom[a].kind == SHARD_B)
			mid->layout.atom[a] = (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)whole};
	return true;
}
