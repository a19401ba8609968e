/* moves.c — see moves.h.
 * Example: S(0) on ranks 0..2 to B on ranks 2..4, f32[4]: contributions 0 (elements 0..2, rank 0) and 1 (2..4, rank 1);
 * both receivers take both, four messages of two elements. */
#include "moves.h"

#include "meet.h"
#include "rt.h"

/* How one side's coordinates divide into contributions (S and P axes) and replicas (B axes). */
struct division {
	int64_t contributions, parts, replicas;
};

void side_make(struct side *s, const struct pmlrt_program *program, int32_t type)
{
	const struct pmlrt_type *t = &program->types[type];
	*s = (struct side){.dtype = t->dtype, .rank = t->rank ? t->rank : 1, .place = &program->places[t->place]};
	s->dim[0] = 1;
	for (int d = 0; d < t->rank; d++)
		s->dim[d] = t->dim[d];
	for (int a = 0; a < s->place->naxes; a++)
		s->atom[a] = t->atom[a];
}

static void coordinates_of(const struct pmlrt_place *p, int64_t position, int64_t *coordinate)
{
	for (int a = p->naxes - 1; a >= 0; a--) {
		coordinate[a] = position % p->extent[a];
		position /= p->extent[a];
	}
}

/* Whether an axis makes no difference to what its ranks hold. */
static bool repeats(const struct side *s, int axis)
{
	return s->atom[axis].kind == SHARD_B && !s->shared;
}

/* Cuts a box among the ranks of the B axes. */
static void share_out(const struct side *s, const int64_t *coordinate, struct box *b)
{
	int d = s->shared - 1;
	int64_t ranks = 1, own = 0, n = b->end[d] - b->begin[d];
	for (int a = 0; a < s->place->naxes; a++)
		if (s->atom[a].kind == SHARD_B) {
			own = own * s->place->extent[a] + coordinate[a];
			ranks *= s->place->extent[a];
		}
	b->begin[d] += shard_begin(n, ranks, own);
	b->end[d] = b->begin[d] + shard_count(n, ranks, own);
}

static struct box box_at(const struct side *s, const int64_t *coordinate)
{
	struct box b = {{0}, {0}};
	shard_box(s->rank, s->dim, s->place->naxes, s->place->extent, s->atom, coordinate, b.begin, b.end);
	if (s->shared)
		share_out(s, coordinate, &b);
	return b;
}

struct box side_box(const struct side *s, int64_t position)
{
	int64_t coordinate[PMLRT_MAX_AXES];
	coordinates_of(s->place, position, coordinate);
	return box_at(s, coordinate);
}

bool side_uses(const struct side *s, enum shard_kind kind)
{
	for (int a = 0; a < s->place->naxes; a++)
		if (s->atom[a].kind == kind && s->place->extent[a] > 1)
			return true;
	return false;
}

int32_t side_combiner(const struct side *s)
{
	for (int a = 0; a < s->place->naxes; a++)
		if (s->atom[a].kind == SHARD_P && s->place->extent[a] > 1)
			return s->atom[a].combiner;
	return SHARD_SUM;
}

static struct division side_division(const struct side *s)
{
	struct division d = {1, 1, 1};
	for (int a = 0; a < s->place->naxes; a++) {
		int64_t n = s->place->extent[a];
		if (repeats(s, a))
			d.replicas *= n;
		else
			d.contributions *= n;
		if (s->atom[a].kind == SHARD_P)
			d.parts *= n;
	}
	return d;
}

/* The numbers of contribution, part and replica that a position has. */
static struct division side_numbers(const struct side *s, int64_t position)
{
	struct division n = {0, 0, 0};
	int64_t coordinate[PMLRT_MAX_AXES];
	coordinates_of(s->place, position, coordinate);
	for (int a = 0; a < s->place->naxes; a++) {
		int64_t k = s->place->extent[a];
		if (repeats(s, a))
			n.replicas = n.replicas * k + coordinate[a];
		else
			n.contributions = n.contributions * k + coordinate[a];
		if (s->atom[a].kind == SHARD_P)
			n.parts = n.parts * k + coordinate[a];
	}
	return n;
}

int64_t side_boxes(const struct side *s)
{
	return side_division(s).contributions;
}

/* The position that holds a contribution, as the replica of that number. */
static int64_t holder_position(const struct side *s, int64_t contribution, int64_t replica)
{
	int64_t coordinate[PMLRT_MAX_AXES], position = 0;
	for (int a = s->place->naxes - 1; a >= 0; a--) {
		int64_t *number = repeats(s, a) ? &replica : &contribution;
		coordinate[a] = *number % s->place->extent[a];
		*number /= s->place->extent[a];
	}
	for (int a = 0; a < s->place->naxes; a++)
		position = position * s->place->extent[a] + coordinate[a];
	return position;
}

/* The part of a P destination that takes a contribution: one whose rank holds it already, else in turn. Parts of an
 * unfinished value stay apart only if they are combined alike; others are finished on part 0. */
static int64_t part_for(const struct side *src, const struct side *dst, int64_t contribution)
{
	int64_t parts = side_division(dst).parts;
	if (parts == 1)
		return 0;
	if (side_uses(src, SHARD_P) && side_combiner(src) != side_combiner(dst))
		return 0;
	int64_t replicas = side_division(src).replicas;
	for (int64_t r = 0; r < replicas; r++) {
		int32_t rank = rt_place_rank(src->place, holder_position(src, contribution, r));
		int64_t position = rt_place_position(dst->place, rank);
		if (position >= 0)
			return side_numbers(dst, position).parts;
	}
	return contribution % parts;
}

/* The replica that serves a receiver: the one that has the receiver's own coordinates on the B axes, which is itself if it
 * holds the contribution, and else keeps groups of ranks among themselves. Receivers that are not on the source spread over
 * the replicas by the numbers of their boxes and of themselves among those that hold the same. */
static int32_t serve(const struct side *src, const struct side *dst, int64_t receiver, int64_t contribution)
{
	int64_t position = rt_place_position(src->place, rt_place_rank(dst->place, receiver));
	struct division n = position >= 0 ? side_numbers(src, position) : side_numbers(dst, receiver);
	int64_t replica = position >= 0 ? n.replicas : (n.replicas + n.contributions) % side_division(src).replicas;
	return rt_place_rank(src->place, holder_position(src, contribution, replica));
}

/* Whether a contribution is the first that a receiver gets of its box: part 0 of the source; where parts stay apart,
 * any may come first, and all are combined with the identity. */
static bool is_first(const struct side *src, const struct side *dst, int64_t part)
{
	if (side_uses(dst, SHARD_P) && side_uses(src, SHARD_P) && side_combiner(src) == side_combiner(dst))
		return false;
	return part == 0;
}

/* Moves between one rank and all it has to do with. */
struct visit {
	const struct side *src, *dst;
	int64_t position, contribution; /* of a receiver; of a sender */
	int32_t rank;
	move_visitor *visit;
	void *context;
};

/* A contribution, by its first holder, to a receiver. */
static void visit_contribution(void *context, int64_t holder, const struct box *common)
{
	const struct visit *v = context;
	struct division from = side_numbers(v->src, holder), to = side_numbers(v->dst, v->position);
	if (part_for(v->src, v->dst, from.contributions) != to.parts)
		return;
	struct move m = {.to = v->rank, .box = *common, .number = to.contributions};
	m.first = is_first(v->src, v->dst, from.parts);
	m.from = serve(v->src, v->dst, v->position, from.contributions);
	v->visit(v->context, &m);
}

/* A sender's contribution to a receiver, if the sender is the one that serves it. */
static void visit_receiver(void *context, int64_t receiver, const struct box *common)
{
	const struct visit *v = context;
	if (serve(v->src, v->dst, receiver, v->contribution) != v->rank)
		return;
	struct move m = {.from = v->rank, .to = rt_place_rank(v->dst->place, receiver), .box = *common};
	m.number = side_numbers(v->dst, receiver).contributions;
	m.first = is_first(v->src, v->dst, side_numbers(v->src, v->position).parts);
	v->visit(v->context, &m);
}

void moves_to(const struct side *src, const struct side *dst, int32_t rank, move_visitor *visit, void *context)
{
	struct visit v = {.src = src, .dst = dst, .rank = rank, .visit = visit, .context = context};
	int64_t only[PMLRT_MAX_AXES];
	v.position = rt_place_position(dst->place, rank);
	if (v.position < 0)
		return;
	for (int a = 0; a < src->place->naxes; a++)
		only[a] = repeats(src, a) ? 0 : -1;
	struct box wanted = side_box(dst, v.position);
	side_meet(src, &wanted, only, visit_contribution, &v);
}

void moves_from(const struct side *src, const struct side *dst, int32_t rank, move_visitor *visit, void *context)
{
	struct visit v = {.src = src, .dst = dst, .rank = rank, .visit = visit, .context = context};
	int64_t only[PMLRT_MAX_AXES];
	v.position = rt_place_position(src->place, rank);
	if (v.position < 0)
		return;
	v.contribution = side_numbers(src, v.position).contributions;
	int64_t part = part_for(src, dst, v.contribution);
	for (int a = dst->place->naxes - 1; a >= 0; a--) {
		only[a] = dst->atom[a].kind == SHARD_P ? part % dst->place->extent[a] : -1;
		part /= dst->atom[a].kind == SHARD_P ? dst->place->extent[a] : 1;
	}
	struct box held = side_box(src, v.position);
	side_meet(dst, &held, only, visit_receiver, &v);
}

/* Whether the destination has as many parts as the source, combined alike: nothing is finished on the way. */
static bool parts_stay(const struct side *src, const struct side *dst)
{
	return side_combiner(src) == side_combiner(dst) && side_division(src).parts == side_division(dst).parts;
}

/* The axes longer than 1 that split dimension d, as bits. */
static unsigned splits(const struct side *s, int d)
{
	unsigned axes = 0;
	for (int a = 0; a < s->place->naxes; a++)
		if (s->atom[a].kind == SHARD_S && s->atom[a].dim == d && s->place->extent[a] > 1)
			axes |= 1u << a;
	return axes;
}

bool mesh_same(const struct pmlrt_place *a, const struct pmlrt_place *b)
{
	if (a->naxes != b->naxes || a->count != b->count)
		return false;
	for (int i = 0; i < a->naxes; i++)
		if (a->extent[i] != b->extent[i])
			return false;
	for (int64_t i = 0; a != b && i < a->count; i++)
		if (rt_place_rank(a, i) != rt_place_rank(b, i))
			return false;
	return true;
}

/* Where the source splits what the destination leaves whole, the time in between keeps the split. */
static void keep_splits(const struct side *src, const struct side *dst, struct side *mid)
{
	for (int a = 0; mesh_same(src->place, dst->place) && a < dst->place->naxes; a++)
		if (dst->atom[a].kind == SHARD_B && src->atom[a].kind == SHARD_S && !splits(dst, src->atom[a].dim))
			mid->atom[a] = src->atom[a];
}

/* Whether dimension d is longer than another for a rank, or else as a whole. Equal ones are told apart by the axes that
 * split them, never by their order: a transposed tensor moves alike. */
static bool is_longer(const struct side *src, const struct side *mid, int d, int than)
{
	struct box b = side_box(mid, 0);
	int64_t difference = b.end[d] - b.begin[d] - (b.end[than] - b.begin[than]);
	if (difference == 0)
		difference = mid->dim[d] - mid->dim[than];
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
	for (int d = 0; d < mid->rank; d++)
		if ((!whole_only || !splits(mid, d)) && (best < 0 || is_longer(src, mid, d, best)))
			best = d;
	return best;
}

bool side_between(const struct side *src, const struct side *dst, struct side *mid)
{
	if (!side_uses(src, SHARD_P) || !side_uses(dst, SHARD_B) || parts_stay(src, dst))
		return false;
	*mid = *dst;
	keep_splits(src, dst, mid);
	int whole = longest(src, mid, true), any = longest(src, mid, false);
	if (whole < 0 || mid->dim[whole] < side_division(mid).replicas) {
		mid->shared = 1 + any;
		return true;
	}
	for (int a = 0; a < dst->place->naxes; a++)
		if (mid->atom[a].kind == SHARD_B)
			mid->atom[a] = (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)whole};
	return true;
}

struct bytes_count {
	int64_t elements;
	int32_t rank;
};

static void count_move(void *context, const struct move *m)
{
	struct bytes_count *c = context;
	if (m->to != m->from)
		c->elements += box_volume(c->rank, &m->box);
}

int64_t moves_bytes(const struct side *src, const struct side *dst, int32_t rank)
{
	struct bytes_count c = {.rank = src->rank};
	struct side mid;
	if (side_between(src, dst, &mid)) {
		moves_from(src, &mid, rank, count_move, &c);
		moves_from(&mid, dst, rank, count_move, &c);
	} else {
		moves_from(src, dst, rank, count_move, &c);
	}
	return c.elements * rt_dtype_size(src->dtype);
}
