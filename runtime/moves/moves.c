/* moves.c — see moves.h.
 * Example: S(0) on ranks 0..2 to B on ranks 2..4, f32[4]: contributions 0 (elements 0..2, rank 0) and 1 (2..4, rank 1);
 * both receivers take both, four messages of two elements. */
#include "moves.h"

#include "count.h"
#include "meet.h"
#include "mesh.h"

bool moves_finish(const struct side *src, const struct side *dst)
{
	return side_uses(src, SHARD_P) && side_combiner(src) != side_combiner(dst);
}

/* Into how many groups the parts of the source go. */
static int64_t parts_taken(const struct side *src, const struct side *dst)
{
	int64_t parts = side_division(dst).parts;
	return parts == 1 || moves_finish(src, dst) ? 1 : parts;
}

/* replicas: of the source; parts: parts_taken. */
static int64_t part_taken(const struct side *src, const struct side *dst, int64_t replicas, int64_t parts,
			  int64_t contribution)
{
	if (parts == 1)
		return 0;
	for (int64_t r = 0; r < replicas; r++) {
		int32_t rank = mesh_rank(src->place, side_holder(src, contribution, r));
		int64_t position = mesh_position(dst->place, rank);
		if (position >= 0)
			return side_numbers(dst, position).parts;
	}
	return contribution % parts;
}

int64_t moves_part(const struct side *src, const struct side *dst, int64_t contribution)
{
	return part_taken(src, dst, side_division(src).replicas, parts_taken(src, dst), contribution);
}

/* The replica that serves a receiver, of so many: the one that has the receiver's own coordinates on the B axes, which
 * is itself if it holds the contribution, and else keeps groups of ranks among themselves. Receivers that are not on
 * the source spread over the replicas by the numbers of their boxes and of themselves among those that hold the same.
 */
static int64_t serving_replica(const struct side *src, const struct side *dst, int64_t replicas, int64_t receiver)
{
	int64_t position = mesh_position(src->place, mesh_rank(dst->place, receiver));
	struct division n = position >= 0 ? side_numbers(src, position) : side_numbers(dst, receiver);
	return position >= 0 ? n.replicas : (n.replicas + n.contributions) % replicas;
}

int32_t moves_server(const struct side *src, const struct side *dst, int64_t receiver, int64_t contribution)
{
	int64_t replica = serving_replica(src, dst, side_division(src).replicas, receiver);
	return mesh_rank(src->place, side_holder(src, contribution, replica));
}

bool moves_copy_first(const struct side *src, const struct side *dst)
{
	return !side_uses(dst, SHARD_P) || !side_uses(src, SHARD_P) || moves_finish(src, dst);
}

/* Moves between one rank and all it has to do with. */
struct visit {
	const struct side *src, *dst;
	struct division all;            /* of the source */
	int64_t parts;                  /* groups of parts that receivers take apart */
	bool copies_first;              /* what comes of part 0 is copied */
	int64_t position, contribution; /* of a receiver; of a sender */
	struct division own;            /* the numbers of the receiver */
	int64_t replica;                /* that serves it */
	int32_t rank;
	move_visitor *visit;
	void *context;
};

static struct visit visit_new(const struct side *src, const struct side *dst, int32_t rank, move_visitor *visit,
			      void *context)
{
	struct visit v = {.src = src, .dst = dst, .rank = rank, .visit = visit, .context = context};
	v.all = side_division(src);
	v.parts = parts_taken(src, dst);
	v.copies_first = moves_copy_first(src, dst);
	return v;
}

/* A contribution, by its first holder, to a receiver. */
static void visit_contribution(void *context, int64_t holder, const struct box *common)
{
	const struct visit *v = context;
	struct division from = side_numbers(v->src, holder);
	if (part_taken(v->src, v->dst, v->all.replicas, v->parts, from.contributions) != v->own.parts)
		return;
	struct move m = {.to = v->rank, .box = *common, .number = v->own.contributions};
	m.first = from.parts == 0 && v->copies_first;
	m.from = mesh_rank(v->src->place, side_holder(v->src, from.contributions, v->replica));
	v->visit(v->context, &m);
}

/* A sender's contribution to a receiver, if the sender is the one that serves it. */
static void visit_receiver(void *context, int64_t receiver, const struct box *common)
{
	const struct visit *v = context;
	int64_t replica = serving_replica(v->src, v->dst, v->all.replicas, receiver);
	if (mesh_rank(v->src->place, side_holder(v->src, v->contribution, replica)) != v->rank)
		return;
	struct move m = {.from = v->rank, .to = mesh_rank(v->dst->place, receiver), .box = *common};
	m.number = side_numbers(v->dst, receiver).contributions;
	m.first = v->copies_first && side_numbers(v->src, v->position).parts == 0;
	v->visit(v->context, &m);
}

void moves_to(const struct side *src, const struct side *dst, int32_t rank, move_visitor *visit, void *context)
{
	struct visit v = visit_new(src, dst, rank, visit, context);
	int64_t only[PMLRT_MAX_AXES];
	v.position = mesh_position(dst->place, rank);
	if (v.position < 0)
		return;
	v.replica = serving_replica(src, dst, v.all.replicas, v.position);
	for (int a = 0; a < src->place->naxes; a++)
		only[a] = side_repeats(src, a) ? 0 : -1;
	v.own = side_numbers(dst, v.position);
	struct box wanted = side_box(dst, v.position);
	side_meet(src, &wanted, only, visit_contribution, &v);
}

/* Ranks in the same order on both sides take from the replica that has their own coordinates. So on one mesh a replica
 * serves those alone that have its coordinates on the axes that tell replicas apart, and where every rank holds all it
 * serves itself alone. False if none of these takes the contribution. */
static bool restrict_to_own(const struct side *src, const struct side *dst, int64_t position, int64_t *only)
{
	int64_t own[PMLRT_MAX_AXES];
	bool same = mesh_same(src->place, dst->place);
	if (!same && (side_division(src).contributions > 1 || !mesh_same_ranks(src->place, dst->place)))
		return true;
	mesh_coordinates(dst->place->naxes, dst->place->extent, position, own);
	for (int a = 0; a < dst->place->naxes; a++) {
		if (same && !side_repeats(src, a))
			continue;
		if (only[a] >= 0 && only[a] != own[a])
			return false;
		only[a] = own[a];
	}
	return true;
}

void moves_from(const struct side *src, const struct side *dst, int32_t rank, move_visitor *visit, void *context)
{
	struct visit v = visit_new(src, dst, rank, visit, context);
	int64_t only[PMLRT_MAX_AXES];
	v.position = mesh_position(src->place, rank);
	if (v.position < 0)
		return;
	v.contribution = side_numbers(src, v.position).contributions;
	int64_t part = moves_part(src, dst, v.contribution);
	for (int a = dst->place->naxes - 1; a >= 0; a--) {
		only[a] = dst->atom[a].kind == SHARD_P ? part % dst->place->extent[a] : -1;
		part /= dst->atom[a].kind == SHARD_P ? dst->place->extent[a] : 1;
	}
	if (!restrict_to_own(src, dst, v.position, only))
		return;
	struct box held = side_box(src, v.position);
	side_meet(dst, &held, only, visit_receiver, &v);
}

bool moves_keep_parts(const struct side *src, const struct side *dst)
{
	if (!mesh_same(src->place, dst->place) || moves_finish(src, dst))
		return false;
	for (int a = 0; a < src->place->naxes; a++)
		if (src->place->extent[a] > 1 && src->atom[a].kind == SHARD_P && dst->atom[a].kind != SHARD_P)
			return false;
	return true;
}

bool moves_round(int32_t dtype, int32_t combiner)
{
	return (dtype == PMLRT_BF16 || dtype == PMLRT_F16) && (combiner == SHARD_SUM || combiner == SHARD_PROD);
}

bool moves_widen(int32_t dtype, const struct side *src, const struct side *dst)
{
	return moves_round(dtype, side_combiner(src)) && side_division(src).parts > 2 && !moves_keep_parts(src, dst);
}

/* Nothing is finished on the way: parts stay, or the destination has as many, combined alike. */
static bool parts_stay(const struct side *src, const struct side *dst)
{
	return moves_keep_parts(src, dst) ||
	       (side_combiner(src) == side_combiner(dst) && side_division(src).parts == side_division(dst).parts);
}

/* Where the source splits what the destination leaves whole, the time in between keeps the split. */
static void keep_splits(const struct side *src, const struct side *dst, struct side *mid)
{
	for (int a = 0; mesh_same(src->place, dst->place) && a < dst->place->naxes; a++)
		if (dst->atom[a].kind == SHARD_B && src->atom[a].kind == SHARD_S && !side_splits(dst, src->atom[a].dim))
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
		difference = (int64_t)side_splits(src, than) - side_splits(src, d);
	if (difference == 0)
		difference = (int64_t)side_splits(mid, than) - side_splits(mid, d);
	return difference > 0;
}

/* The longest dimension of what a rank holds, among those that nothing splits or among all; -1: there is none. */
static int longest(const struct side *src, const struct side *mid, bool whole_only)
{
	int best = -1;
	for (int d = 0; d < mid->rank; d++)
		if ((!whole_only || !side_splits(mid, d)) && (best < 0 || is_longer(src, mid, d, best)))
			best = d;
	return best;
}

bool moves_between(const struct side *src, const struct side *dst, struct side *mid)
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

struct tally {
	int64_t elements;
	int32_t rank;
};

static void tally_move(void *context, const struct move *m)
{
	struct tally *t = context;
	if (m->to != m->from)
		t->elements = count_add(t->elements, box_volume(t->rank, &m->box));
}

uint32_t moves_groups(const struct side *src, const struct side *dst)
{
	uint32_t axes = 0;
	for (int a = 0; a < src->place->naxes; a++)
		if (src->place->extent[a] > 1 && src->atom[a].kind == SHARD_B && dst->atom[a].kind == SHARD_B)
			axes |= UINT32_C(1) << a;
	return axes;
}

int64_t moves_reduction_sent(const struct reduction *r, int64_t share)
{
	int64_t ranks = r->parts * r->groups, own = shard_count(r->elements, ranks, share);
	int64_t first = share / r->parts * r->parts;
	int64_t of_group = shard_begin(r->elements, ranks, first + r->parts) - shard_begin(r->elements, ranks, first);
	return count_add(of_group - own, count_mul(own, ranks - 1));
}

int64_t moves_reduction_received(const struct reduction *r, int64_t share)
{
	int64_t own = shard_count(r->elements, r->parts * r->groups, share);
	return count_add(r->elements - own, count_mul(own, r->parts - 1));
}

/* Elements that a rank has in both boxes at once: they stay where they are. */
static int64_t stays(const struct side *s, const struct box *box, const struct side *other, int32_t rank)
{
	struct box own, common;
	int64_t position = mesh_position(other->place, rank);
	if (position < 0)
		return 0;
	own = side_box(other, position);
	return box_intersect(s->rank, box, &own, &common) ? box_volume(s->rank, &common) : 0;
}

/* How many receivers take each element of a contribution from one holder, if that is one number; else -1: boxes of the
 * destination cover the tensor once per replica, and replicas of the source serve those of their own coordinates. */
static int64_t takers(const struct side *src, const struct side *dst)
{
	struct division to = side_division(dst);
	if (to.parts > 1 || side_uses(dst, SHARD_WINDOW))
		return -1;
	if (side_division(src).replicas == 1)
		return to.replicas;
	int64_t n = to.replicas;
	for (int a = 0; a < src->place->naxes; a++) {
		if (!side_repeats(src, a) || src->place->extent[a] == 1)
			continue;
		if (!side_repeats(dst, a) || !mesh_same(src->place, dst->place))
			return -1;
		n /= src->place->extent[a];
	}
	return n;
}

int64_t moves_sent(const struct side *src, const struct side *dst, int32_t rank)
{
	int64_t position = mesh_position(src->place, rank), n = position >= 0 ? takers(src, dst) : -1;
	if (n >= 0) {
		struct box held = side_box(src, position);
		return count_mul(n, box_volume(src->rank, &held)) - stays(src, &held, dst, rank);
	}
	struct tally t = {.rank = src->rank};
	moves_from(src, dst, rank, tally_move, &t);
	return t.elements;
}

int64_t moves_received(const struct side *src, const struct side *dst, int32_t rank)
{
	int64_t position = mesh_position(dst->place, rank);
	if (position >= 0 && side_division(dst).parts == 1) {
		struct box wanted = side_box(dst, position);
		return count_mul(side_division(src).parts, box_volume(dst->rank, &wanted)) -
		       stays(dst, &wanted, src, rank);
	}
	struct tally t = {.rank = src->rank};
	moves_to(src, dst, rank, tally_move, &t);
	return t.elements;
}
