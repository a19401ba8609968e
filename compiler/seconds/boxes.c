/* boxes.c — what is sent straight between ranks: boxes of the moves of runtime/moves/. Through shared memory all of
 * them are packed and unpacked, which is what they take there. */
#include "maker.h"

struct boxes {
	struct maker *m;
	struct route_round *round;
	struct box own; /* what this rank holds on the side that is looked at */
	int32_t rank;   /* dimensions */
};

/* Whether a box lies in one piece within what a rank holds. */
static bool is_piece(int32_t rank, const struct box *whole, const struct box *part)
{
	bool inner_whole = true;
	for (int d = rank - 1; d >= 0; d--) {
		int64_t n = part->end[d] - part->begin[d];
		if (!inner_whole && n > 1)
			return false;
		inner_whole = inner_whole && n == whole->end[d] - whole->begin[d];
	}
	return true;
}

static void sent_box(void *context, const struct move *x)
{
	struct boxes *b = context;
	int64_t bytes = b->m->size * box_volume(b->rank, &x->box);
	if (x->to == x->from)
		return;
	maker_add_message(b->m, b->round, x->to, true, bytes);
	b->round->packed += b->m->in_memory || is_piece(b->rank, &b->own, &x->box) ? 0 : bytes;
}

static void received_box(void *context, const struct move *x)
{
	struct boxes *b = context;
	int64_t bytes = b->m->size * box_volume(b->rank, &x->box);
	if (x->to != x->from)
		maker_add_message(b->m, b->round, x->from, false, bytes);
	if (x->to == x->from || (!b->m->in_memory && (!x->first || !is_piece(b->rank, &b->own, &x->box))))
		b->round->settled += bytes;
}

static struct box own_box(const struct side *s, int32_t rank)
{
	int64_t position = mesh_position(s->place, rank);
	return position < 0 ? (struct box){{0}, {0}} : side_box(s, position);
}

static void route_phase(struct maker *m, const struct side *src, const struct side *dst)
{
	struct boxes b = {.m = m, .round = maker_add_round(m), .own = own_box(dst, m->rank), .rank = src->rank};
	moves_to(src, dst, m->rank, received_box, &b);
	b.own = own_box(src, m->rank);
	moves_from(src, dst, m->rank, sent_box, &b);
}

/* What all ranks send is what all receive, so it is found once: those that a rank sends to come in the order of their
 * positions, as moves_from has them. */
struct sent_boxes {
	VEC(struct move) moves;
};
struct all_boxes {
	struct boxes *of;        /* by rank */
	struct sent_boxes *sent; /* by rank */
	int32_t to;
};

static void received_by_one(void *context, const struct move *x)
{
	struct all_boxes *all = context;
	struct boxes *b = &all->of[all->to];
	received_box(b, x);
	if (x->to != x->from)
		vec_push(b->m->arena, &all->sent[x->from].moves, *x);
}

static void route_phase_of_all(struct maker *m, int nranks, const struct side *src, const struct side *dst)
{
	struct arena *a = m->arena;
	struct all_boxes all = {ARENA_ARRAY(a, struct boxes, nranks), ARENA_ARRAY(a, struct sent_boxes, nranks), 0};
	for (int r = 0; r < nranks; r++)
		if (maker_takes_part(&m[r]))
			all.of[r] = (struct boxes){&m[r], maker_add_round(&m[r]), own_box(dst, r), src->rank};
	for (int64_t i = 0; i < dst->place->count; i++) {
		all.to = mesh_rank(dst->place, i);
		moves_to(src, dst, all.to, received_by_one, &all);
	}
	for (int r = 0; r < nranks; r++) {
		all.of[r].own = own_box(src, r);
		for (int i = 0; i < all.sent[r].moves.n; i++)
			sent_box(&all.of[r], &all.sent[r].moves.at[i]);
	}
}

void route_boxes(struct maker *m, int nranks, bool one_phase)
{
	struct side mid;
	bool two = !one_phase && moves_between(&m->src, &m->dst, &mid);
	const struct side *way[] = {&m->src, two ? &mid : &m->dst, &m->dst};
	for (int i = 0; i < (two ? 2 : 1); i++)
		if (nranks)
			route_phase_of_all(m, nranks, way[i], way[i + 1]);
		else
			route_phase(m, way[i], way[i + 1]);
}
