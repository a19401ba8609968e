/* test_layout_moves.c — the counts of redistributions against their moves: for all pairs of layouts and placements,
 * what every rank sends and receives in closed form is what a visit of its boxes adds up to, and the total over all
 * ranks is that of both. */
#include "layout_fixture.h"
#include "suite.h"

#include "compiler/layout/exchange.h"

enum { TRIED_RANKS = 70 };

/* What the moves of one rank add up to. */
struct tally {
	int64_t sent[TRIED_RANKS], received[TRIED_RANKS];
	int rank;
};

static void tally_sent(void *context, const struct move *m)
{
	struct tally *t = context;
	t->sent[m->from] += m->from == m->to ? 0 : box_volume(t->rank, &m->box);
}

static void tally_received(void *context, const struct move *m)
{
	struct tally *t = context;
	t->received[m->to] += m->from == m->to ? 0 : box_volume(t->rank, &m->box);
}

/* One phase: elements that travel. */
static int64_t check_phase(const struct side *src, const struct side *dst, const char *what)
{
	struct tally t = {.rank = src->rank};
	int64_t sent = 0, received = 0, total = exchange_total(src, dst);
	for (int32_t rank = 0; rank < TRIED_RANKS; rank++) {
		moves_from(src, dst, rank, tally_sent, &t);
		moves_to(src, dst, rank, tally_received, &t);
	}
	for (int32_t rank = 0; rank < TRIED_RANKS; rank++) {
		ck_assert_msg(t.sent[rank] == moves_sent(src, dst, rank), "%s: rank %d sends", what, rank);
		ck_assert_msg(t.received[rank] == moves_received(src, dst, rank), "%s: rank %d receives", what, rank);
		sent += t.sent[rank];
		received += t.received[rank];
	}
	ck_assert_msg(sent == total && received == total, "%s: ranks send %lld and receive %lld, in all %lld", what,
		      (long long)sent, (long long)received, (long long)total);
	return total;
}

/* Both phases of a reduction that ends on several ranks, or the one of another movement; and as one phase, as parts may
 * go. */
static int64_t check_moves(const struct shape *s, const struct place *from, const struct layout *a,
			   const struct place *to, const struct layout *b, const char *what)
{
	struct pmlrt_place p, q;
	struct side src = side_make(s->rank, s->dim, place_table(from, &p), a->atom),
		    dst = side_make(s->rank, s->dim, place_table(to, &q), b->atom), mid;
	int64_t moved = check_phase(&src, &dst, what);
	if (moves_between(&src, &dst, &mid))
		moved = check_phase(&src, &mid, what) + check_phase(&mid, &dst, what);
	return moved;
}

static const char *const atoms[] = {"B", "S0", "S1", "P", "Pmax", "S0", "S1"};
enum { ATOMS = sizeof atoms / sizeof *atoms, EVEN = 5 };

/* The last ones in unequal shares. */
static struct layout layout_number(struct arena *arena, const struct place *p, int k)
{
	char text[24] = "";
	int number[MAX_AXES];
	for (int a = 0; a < p->naxes; a++) {
		number[a] = k % ATOMS;
		strcat(text, atoms[number[a]]);
		strcat(text, ",");
		k /= ATOMS;
	}
	struct layout l = layout_text(text);
	for (int a = 0; a < p->naxes; a++)
		if (number[a] >= EVEN)
			l.atom[a].shares = some_shares(arena, p->extent[a], a);
	return l;
}

START_TEST(counts_are_what_moves_add_up_to)
{
	struct fixture f = fixture_new();
	static const int32_t mixed[] = {3, 0, 2}, pairs[] = {4, 1, 5, 0};
	struct place *places[] = {fixture_place(f.program, "a", 0, 3), fixture_place(f.program, "b", 1, 3),
				  fixture_place(f.program, "c", 5, 4), fixture_place(f.program, "d", 2, 1),
				  fixture_place(f.program, "e", 0, 3), fixture_place(f.program, "g", 0, 4)};
	enum { PLACES = sizeof places / sizeof *places };
	places[4]->ranks = mixed;
	places[5]->naxes = 2;
	places[5]->extent[0] = places[5]->extent[1] = 2;
	places[5]->ranks = pairs;
	struct shape shapes[] = {SHAPE(7, 5), SHAPE(2, 9), SHAPE(1, 1)};
	int64_t moved = 0;
	for (int i = 0; i < PLACES * PLACES; i++) {
		const struct place *from = places[i / PLACES], *to = places[i % PLACES];
		for (int a = 0; a < (from->naxes == 2 ? ATOMS * ATOMS : ATOMS); a++)
			for (int b = 0; b < (to->naxes == 2 ? ATOMS * ATOMS : ATOMS); b++)
				for (int k = 0; k < 3; k++) {
					if (!suite_takes(a + b + k, 3))
						continue;
					struct layout x = layout_number(f.session->arena, from, a),
						      y = layout_number(f.session->arena, to, b);
					char what[80];
					snprintf(what, sizeof what, "places %d, layouts %d -> %d, shape %d", i, a, b,
						 k);
					moved += check_moves(&shapes[k], from, &x, to, &y, what);
				}
	}
	ck_assert_int_gt(moved, 0);
	session_free(f.session);
}
END_TEST

/* ---- random meshes, parts of them, permutations ---- */

static uint64_t dice_state;

static int64_t dice(int64_t n)
{
	dice_state = dice_state * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)((dice_state >> 33) % (uint64_t)n);
}

static struct place *random_mesh(struct fixture *f)
{
	struct place *p = fixture_place(f->program, "mesh", (int32_t)dice(3), 1);
	p->naxes = 1 + (int)dice(3);
	p->count = 1;
	for (int a = 0; a < p->naxes; a++)
		p->count *= p->extent[a] = 1 + dice(4);
	return p;
}

/* The ranks of a mesh where some axes stand still and others are a range. */
static struct place *random_part(struct fixture *f, const struct place *p)
{
	int64_t begin[MAX_AXES], end[MAX_AXES], c[MAX_AXES];
	int32_t *ranks = ARENA_ARRAY(f->session->arena, int32_t, p->count);
	struct place *q = fixture_place(f->program, "part", 0, 1);
	q->naxes = q->count = 0;
	for (int a = 0; a < p->naxes; a++) {
		int way = (int)dice(3);
		begin[a] = way ? dice(p->extent[a]) : 0;
		end[a] = way == 1 ? begin[a] + 1 : way ? begin[a] + 1 + dice(p->extent[a] - begin[a]) : p->extent[a];
		if (way != 1)
			q->extent[q->naxes++] = end[a] - begin[a];
	}
	if (!q->naxes)
		q->extent[q->naxes++] = 1;
	for (int64_t i = 0; i < p->count; i++) {
		bool inside = true;
		place_coordinates(p, i, c);
		for (int a = 0; a < p->naxes; a++)
			inside &= c[a] >= begin[a] && c[a] < end[a];
		if (inside)
			ranks[q->count++] = place_rank(p, i);
	}
	q->ranks = ranks;
	return q;
}

static struct place *shuffled(struct fixture *f, const struct place *p)
{
	struct place *q = fixture_place(f->program, "shuffled", 0, 1);
	int32_t *ranks = ARENA_ARRAY(f->session->arena, int32_t, p->count);
	*q = *p;
	for (int64_t i = 0; i < p->count; i++) {
		int64_t k = dice(i + 1);
		ranks[i] = ranks[k];
		ranks[k] = place_rank(p, i);
	}
	q->ranks = ranks;
	q->table = NULL;
	return q;
}

/* The same ranks along one axis. */
static struct place *flattened(struct fixture *f, const struct place *p)
{
	struct place *q = fixture_place(f->program, "flat", 0, 1);
	*q = *p;
	q->naxes = 1;
	q->extent[0] = p->count;
	q->table = NULL;
	return q;
}

static struct place *random_partner(struct fixture *f, struct place *p)
{
	switch (dice(6)) {
	case 0:
	case 1:
		return p;
	case 2:
		return random_part(f, p);
	case 3:
		return shuffled(f, p);
	case 4:
		return flattened(f, p);
	}
	return random_mesh(f);
}

static struct layout random_layout(struct arena *arena, const struct place *p, int rank)
{
	struct layout l = layout_broadcast();
	enum shard_combiner c = dice(4) ? SHARD_SUM : SHARD_MAX;
	for (int a = 0; a < p->naxes; a++) {
		int64_t way = dice(rank + 2);
		l.atom[a] = way == 0   ? (struct shard_atom){.kind = SHARD_B}
			    : way == 1 ? atom_P(c)
				       : atom_S((int)way - 2);
		if (way > 1)
			l.atom[a].shares = some_shares(arena, p->extent[a], dice(6) - 3);
	}
	return l;
}

START_TEST(counts_are_those_of_moves_on_random_meshes)
{
	struct fixture f = fixture_new();
	int rounds = suite_count(6000, 200, 80);
	for (int round = 0; round < rounds; round++) {
		dice_state = (uint64_t)round * 977 + 1;
		struct place *p = random_mesh(&f);
		struct place *from = dice(4) ? p : random_part(&f, p), *to = random_partner(&f, from);
		if (dice(2)) {
			place_look_up(f.session->arena, from);
			place_look_up(f.session->arena, to);
		}
		if (dice(2)) {
			struct place *other = from;
			from = to;
			to = other;
		}
		for (int k = 0; k < 6; k++) {
			struct shape s = {.rank = 1 + (int)dice(3)};
			for (int d = 0; d < s.rank; d++)
				s.dim[d] = dice(9) ? 1 + dice(11) : 0;
			struct layout x = random_layout(f.session->arena, from, s.rank),
				      y = random_layout(f.session->arena, to, s.rank);
			char what[40];
			snprintf(what, sizeof what, "round %d.%d", round, k);
			check_moves(&s, from, &x, to, &y, what);
		}
	}
	session_free(f.session);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "layout moves");
	tcase_add_test(t, counts_are_what_moves_add_up_to);
	tcase_add_test(t, counts_are_those_of_moves_on_random_meshes);
	return suite_end(s);
}
