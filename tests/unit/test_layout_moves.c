/* test_layout_moves.c — the compiler's counts against the runtime's enumeration: for all pairs of layouts and
 * placements the bytes that every rank sends box by box are the same on both sides. The runtime's file is compiled in,
 * without MPI. */
#include "layout_fixture.h"

#include "compiler/layout/exchange.h"

#include <check.h>

/* Of rt.h, which wants MPI, moves.c needs three functions: they are given here. */
#define RT_H
#include "../../runtime/pmlrt.h"
int32_t rt_place_rank(const struct pmlrt_place *p, int64_t position);
int64_t rt_place_position(const struct pmlrt_place *p, int32_t rank);
int64_t rt_dtype_size(int32_t dtype);

/* Both sides call a layout on a placement a side. */
#define side     rt_side
#define side_has rt_side_has
#include "../../runtime/meet.c"
#include "../../runtime/moves.c"
#undef side
#undef side_has

int32_t rt_place_rank(const struct pmlrt_place *p, int64_t position)
{
	return p->ranks ? p->ranks[position] : p->first + (int32_t)position;
}

int64_t rt_place_position(const struct pmlrt_place *p, int32_t rank)
{
	for (int64_t i = 0; i < p->count; i++)
		if (rt_place_rank(p, i) == rank)
			return i;
	return -1;
}

int64_t rt_dtype_size(int32_t dtype)
{
	return dtype_size((enum dtype)dtype);
}

int64_t box_volume(int32_t rank, const struct box *b)
{
	int64_t volume = 1;
	for (int d = 0; d < rank; d++)
		volume *= b->end[d] - b->begin[d];
	return volume;
}

bool box_intersect(int32_t rank, const struct box *a, const struct box *b, struct box *out)
{
	for (int d = 0; d < rank; d++) {
		out->begin[d] = a->begin[d] > b->begin[d] ? a->begin[d] : b->begin[d];
		out->end[d] = a->end[d] < b->end[d] ? a->end[d] : b->end[d];
		if (out->begin[d] >= out->end[d])
			return false;
	}
	return true;
}

static struct rt_side runtime_side(const struct pmlrt_place *p, const struct shape *s, const struct layout *l)
{
	struct rt_side side = {.dtype = DT_F32, .rank = s->rank ? s->rank : 1, .place = p};
	side.dim[0] = 1;
	for (int d = 0; d < s->rank; d++)
		side.dim[d] = s->dim[d];
	for (int a = 0; a < p->naxes; a++)
		side.atom[a] = l->atom[a];
	return side;
}

static struct pmlrt_place runtime_place(const struct place *p)
{
	struct pmlrt_place q = {
		.name = p->name, .naxes = p->naxes, .count = p->count, .first = p->first, .ranks = p->ranks};
	for (int a = 0; a < p->naxes; a++)
		q.extent[a] = p->extent[a];
	return q;
}

/* What the compiler counts for the way box by box, without recognising collectives. */
static int64_t compiler_bytes(const struct shape *s, const struct place *from, const struct layout *a,
			      const struct place *to, const struct layout *b, int32_t rank)
{
	struct side src = {.place = from, .layout = *a, .shape = *s}, dst = {.place = to, .layout = *b, .shape = *s}, mid;
	if (s->rank == 0)
		src.shape = dst.shape = (struct shape){.rank = 1, .dim = {1}};
	if (exchange_between(&src, &dst, &mid))
		return 4 * (exchange_sent(&src, &mid, rank) + exchange_sent(&mid, &dst, rank));
	return 4 * exchange_sent(&src, &dst, rank);
}

static const char *const atoms[] = {"B", "S0", "S1", "P", "Pmax"};

static struct layout layout_number(const struct place *p, int k)
{
	char text[16] = "";
	for (int a = 0; a < p->naxes; a++) {
		strcat(text, atoms[k % 5]);
		strcat(text, ",");
		k /= 5;
	}
	return layout_text(text);
}

START_TEST(compiler_and_runtime_count_the_same_bytes)
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
		struct pmlrt_place p = runtime_place(from), q = runtime_place(to);
		for (int a = 0; a < (from->naxes == 2 ? 25 : 5); a++)
			for (int b = 0; b < (to->naxes == 2 ? 25 : 5); b++)
				for (int k = 0; k < 3; k++) {
					struct layout x = layout_number(from, a), y = layout_number(to, b);
					struct rt_side src = runtime_side(&p, &shapes[k], &x),
						       dst = runtime_side(&q, &shapes[k], &y);
					for (int32_t rank = 0; rank < 9; rank++) {
						int64_t here = compiler_bytes(&shapes[k], from, &x, to, &y, rank),
							there = moves_bytes(&src, &dst, rank);
						ck_assert_msg(here == there,
							      "places %d, layouts %d -> %d, shape %d, rank %d: "
							      "compiler %lld, runtime %lld",
							      i, a, b, k, rank, (long long)here, (long long)there);
						moved += there;
					}
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
	q->lookup = NULL;
	return q;
}

/* The same ranks along one axis. */
static struct place *flattened(struct fixture *f, const struct place *p)
{
	struct place *q = fixture_place(f->program, "flat", 0, 1);
	*q = *p;
	q->naxes = 1;
	q->extent[0] = p->count;
	q->lookup = NULL;
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

static struct layout random_layout(const struct place *p, int rank)
{
	struct layout l = layout_broadcast();
	enum shard_combiner c = dice(4) ? SHARD_SUM : SHARD_MAX;
	for (int a = 0; a < p->naxes; a++) {
		int64_t way = dice(rank + 2);
		l.atom[a] = way == 0 ? (struct shard_atom){.kind = SHARD_B} : way == 1 ? atom_P(c) : atom_S((int)way - 2);
	}
	return l;
}

START_TEST(random_meshes_are_counted_the_same)
{
	struct fixture f = fixture_new();
	for (int round = 0; round < 1500; round++) {
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
		struct pmlrt_place rp = runtime_place(from), rq = runtime_place(to);
		for (int k = 0; k < 6; k++) {
			struct shape s = {.rank = 1 + (int)dice(3)};
			for (int d = 0; d < s.rank; d++)
				s.dim[d] = dice(9) ? 1 + dice(11) : 0;
			struct layout x = random_layout(from, s.rank), y = random_layout(to, s.rank);
			struct rt_side src = runtime_side(&rp, &s, &x), dst = runtime_side(&rq, &s, &y);
			struct side here = {.place = from, .layout = x, .shape = s}, there = {.place = to, .layout = y, .shape = s}, mid;
			int64_t sent = 0, received = 0, total;
			for (int32_t rank = 0; rank < 70; rank++) {
				int64_t bytes = compiler_bytes(&s, from, &x, to, &y, rank);
				ck_assert_msg(bytes == moves_bytes(&src, &dst, rank), "round %d.%d, rank %d", round, k, rank);
				sent += bytes;
				received += exchange_received(&here, &there, rank);
			}
			total = exchange_between(&here, &there, &mid)
					? exchange_total(&here, &mid) + exchange_total(&mid, &there)
					: exchange_total(&here, &there);
			ck_assert_msg(sent == 4 * total, "round %d.%d: ranks send %lld, in all %lld", round, k,
				      (long long)sent / 4, (long long)total);
			ck_assert_msg(received == exchange_total(&here, &there), "round %d.%d: received", round, k);
		}
	}
	session_free(f.session);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("layout moves");
	TCase *t = tcase_create("moves");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, compiler_and_runtime_count_the_same_bytes);
	tcase_add_test(t, random_meshes_are_counted_the_same);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
