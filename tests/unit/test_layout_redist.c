/* test_layout_redist.c — bytes of redistributions: the table of docs/layouts.md, and an oracle that lists who holds
 * which element and counts what is missing, over uneven, empty, overlapping, permuted and nested placements. */
#include "layout_fixture.h"
#include "suite.h"

/* ---- the table ---- */

struct row {
	const char *from, *to;
	const char *same,
		*apart; /* formulas over T, p, q: "0", "T", "(p-1)T", "(p-1)T/p", "2(p-1)T", "qT", "pT", "(p+q-1)T" */
	enum redist_method method;
};

static const struct row table[] = {
	{"S0", "S0", "0", "T", REDIST_LOCAL},
	{"S0", "S1", "(p-1)T/p", "T", REDIST_ALL_TO_ALL},
	{"S0", "B", "(p-1)T", "qT", REDIST_ALL_GATHER},
	{"S0", "P", "0", "T", REDIST_LOCAL},
	{"B", "S0", "0", "T", REDIST_LOCAL},
	{"B", "B", "0", "qT", REDIST_LOCAL},
	{"B", "P", "0", "T", REDIST_LOCAL},
	{"P", "S0", "(p-1)T", "pT", REDIST_REDUCE_SCATTER},
	{"P", "B", "2(p-1)T", "(p+q-1)T", REDIST_ALL_REDUCE},
	{"P", "P", "0", "pT", REDIST_LOCAL},
};

static int64_t formula(const char *text, int64_t t, int64_t p, int64_t q)
{
	static const char *const names[] = {"0", "T", "(p-1)T", "(p-1)T/p", "2(p-1)T", "qT", "pT", "(p+q-1)T"};
	const int64_t values[] = {0, t, (p - 1) * t, (p - 1) * t / p, 2 * (p - 1) * t, q * t, p * t, (p + q - 1) * t};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i], text))
			return values[i];
	ck_abort_msg("formula %s", text);
	return -1;
}

static struct place *line(struct fixture *f, int32_t first, int64_t count)
{
	return fixture_place(f->program, arena_printf(f->session->arena, "p%d", f->program->places.n), first, count);
}

START_TEST(bytes_are_those_of_the_table)
{
	struct fixture f = fixture_new();
	struct shape s = SHAPE(24, 60);
	for (int64_t p = 2; p <= 4; p++)
		for (int64_t q = 1; q <= 4; q++)
			for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
				struct place *a = line(&f, 0, p), *b = line(&f, 10, q);
				struct layout from = layout_text(table[i].from), to = layout_text(table[i].to);
				struct redist r = redist_plan(DT_F32, &s, a, &from, a, &to);
				ck_assert_int_eq(r.bytes_total, formula(table[i].same, 24 * 60 * 4, p, p));
				ck_assert_int_eq(r.method, table[i].method);
				r = redist_plan(DT_F32, &s, a, &from, b, &to);
				ck_assert_msg(r.bytes_total == formula(table[i].apart, 24 * 60 * 4, p, q),
					      "%s -> %s, %d to %d ranks: %lld", table[i].from, table[i].to, (int)p,
					      (int)q, (long long)r.bytes_total);
				ck_assert_int_eq(r.method,
						 *table[i].from == 'P' ? REDIST_REDUCE_SEND : REDIST_EXCHANGE);
			}
	session_free(f.session);
}
END_TEST

/* ---- the oracle: sets of elements ---- */

enum { MAX_ELEMENTS = 600 };

/* Marks what a position holds: the indices of each dimension are dealt out axis by axis. */
static void elements_held(const struct place *p, const struct layout *l, const struct shape *s, int64_t position,
			  bool *held)
{
	int64_t index[MAX_RANK][MAX_ELEMENTS], count[MAX_RANK], coordinate[MAX_AXES];
	place_coordinates(p, position, coordinate);
	for (int d = 0; d < s->rank; d++) {
		count[d] = s->dim[d];
		for (int64_t i = 0; i < count[d]; i++)
			index[d][i] = i;
	}
	for (int a = 0; a < p->naxes; a++) {
		if (l->atom[a].kind != SHARD_S)
			continue;
		int d = l->atom[a].dim;
		int64_t first = 0, size = 0;
		for (int64_t r = 0; r <= coordinate[a]; r++) {
			first += size;
			const int32_t *shares = l->atom[a].shares;
			int64_t all = shares ? shares[1 + p->extent[a]] : 0;
			size = shares ? count[d] * shares[2 + r] / all - count[d] * shares[1 + r] / all
				      : count[d] / p->extent[a] + (r < count[d] % p->extent[a] ? 1 : 0);
		}
		for (int64_t i = 0; i < size; i++)
			index[d][i] = index[d][first + i];
		count[d] = size;
	}
	int64_t volume = shape_volume(s);
	for (int64_t e = 0; e < volume; e++) {
		int64_t rest = e;
		held[e] = true;
		for (int d = s->rank - 1; d >= 0; d--) {
			bool found = false;
			for (int64_t i = 0; i < count[d]; i++)
				found |= index[d][i] == rest % s->dim[d];
			held[e] &= found;
			rest /= s->dim[d];
		}
	}
}

/* Elements that ranks lack, over all ranks: |dst_r \ src_r|. */
static int64_t elements_missing(const struct shape *s, const struct place *from, const struct layout *a,
				const struct place *to, const struct layout *b)
{
	static bool has[MAX_ELEMENTS], wants[MAX_ELEMENTS];
	int64_t missing = 0, volume = shape_volume(s);
	for (int64_t j = 0; j < to->count; j++) {
		int64_t i = place_position(from, place_rank(to, j));
		memset(has, 0, sizeof has);
		if (i >= 0)
			elements_held(from, a, s, i, has);
		elements_held(to, b, s, j, wants);
		for (int64_t e = 0; e < volume; e++)
			missing += wants[e] && !has[e];
	}
	return missing;
}

static const char *const atoms[] = {"B", "S0", "S1", "S0", "S1"};
enum { ATOMS = sizeof atoms / sizeof *atoms, EVEN = 3 };

/* Places on one and two axes: the same, shifted, nested, permuted, apart. */
static int make_places(struct fixture *f, struct place **out)
{
	static const int32_t mixed[] = {3, 0, 2}, reversed[] = {2, 1, 0}, pairs[] = {4, 1, 5, 0};
	int n = 0;
	out[n++] = line(f, 0, 3);
	out[n++] = line(f, 1, 3);
	out[n++] = line(f, 0, 2);
	out[n++] = line(f, 5, 4);
	out[n++] = line(f, 2, 1);
	out[n] = line(f, 0, 3);
	out[n++]->ranks = mixed;
	out[n] = line(f, 0, 3);
	out[n++]->ranks = reversed;
	for (int i = 0; i < 2; i++) {
		out[n] = line(f, 0, 4);
		out[n]->naxes = 2;
		out[n]->extent[0] = out[n]->extent[1] = 2;
		out[n]->axis[0] = "a";
		out[n]->axis[1] = "b";
		out[n++]->ranks = i ? pairs : NULL;
	}
	return n;
}

/* The last ones in unequal shares. */
static struct layout layout_number(struct arena *arena, const struct place *p, int k)
{
	struct layout l = layout_broadcast();
	for (int a = 0; a < p->naxes; a++, k /= ATOMS) {
		l.atom[a] = layout_text(atoms[k % ATOMS]).atom[0];
		if (k % ATOMS >= EVEN)
			l.atom[a].shares = some_shares(arena, p->extent[a], (k % ATOMS + a) % 3);
	}
	return l;
}

START_TEST(exchanges_move_exactly_what_is_missing)
{
	struct fixture f = fixture_new();
	static const struct shape shapes[] = {{2, {7, 5}}, {2, {2, 9}}, {2, {1, 1}}, {2, {0, 4}}, {3, {3, 4, 2}}};
	struct place *places[16];
	int n = make_places(&f, places), pairs = 0;
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++)
				for (int a = 0; a < (places[i]->naxes == 2 ? ATOMS * ATOMS : ATOMS); a++)
					for (int b = 0; b < (places[j]->naxes == 2 ? ATOMS * ATOMS : ATOMS); b++) {
						struct arena *arena = f.session->arena;
						struct layout from = layout_number(arena, places[i], a),
							      to = layout_number(arena, places[j], b);
						int64_t missing =
							elements_missing(&shapes[s], places[i], &from, places[j], &to);
						struct redist r = redist_plan(DT_F64, &shapes[s], places[i], &from,
									      places[j], &to);
						ck_assert_msg(r.bytes_total == 8 * missing,
							      "places %d %d layouts %d %d: %lld, missing %lld", i, j, a,
							      b, (long long)r.bytes_total / 8, (long long)missing);
						int64_t sum = 0, most = 0;
						for (int32_t rank = 0; rank < 10; rank++) {
							int64_t sent =
								redist_bytes_sent(&r, DT_F64, &shapes[s], places[i],
										  &from, places[j], &to, rank);
							sum += sent;
							most = sent > most ? sent : most;
						}
						ck_assert_int_eq(sum, r.bytes_total);
						ck_assert_int_eq(most,
								 redist_sent_max(&r, DT_F64, &shapes[s], places[i],
										 &from, places[j], &to));
						pairs++;
					}
	ck_assert_int_gt(pairs, 4000);
	session_free(f.session);
}
END_TEST

START_TEST(the_mesh_example_is_one_all_to_all)
{
	struct fixture f = fixture_new();
	struct place *mesh = line(&f, 0, 8);
	mesh->naxes = 3;
	mesh->extent[0] = mesh->extent[1] = mesh->extent[2] = 2;
	struct shape s = SHAPE(8, 8, 8);
	struct layout from = layout_text("S0,S0,S0"), to = layout_text("S1,S1,S1");
	struct redist r = redist_plan(DT_F32, &s, mesh, &from, mesh, &to);
	ck_assert_int_eq(r.bytes_total, 8 * 224);
	ck_assert_int_eq(redist_sent_max(&r, DT_F32, &s, mesh, &from, mesh, &to), 224);
	ck_assert_int_eq(r.method, REDIST_ALL_TO_ALL);
	session_free(f.session);
}
END_TEST

START_TEST(sums_per_rank_are_the_total_for_every_partial)
{
	static const char *const all[] = {"B", "S0", "S1", "P", "Pmax"};
	struct fixture f = fixture_new();
	struct place *places[16];
	int n = make_places(&f, places);
	struct shape shapes[] = {SHAPE(7, 5), SHAPE(2, 3), SHAPE(1, 1)};
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			for (int k = 0; k < 5 * 5 * 3; k++) {
				struct layout from = layout_text(all[k % 5]), to = layout_text(all[k / 5 % 5]);
				const struct shape *s = &shapes[k / 25];
				struct redist r = redist_plan(DT_F32, s, places[i], &from, places[j], &to);
				int64_t sum = 0, received = 0, most = 0;
				for (int32_t rank = 0; rank < 10; rank++) {
					sum += redist_bytes_sent(&r, DT_F32, s, places[i], &from, places[j], &to, rank);
					int64_t in = redist_bytes_received(&r, DT_F32, s, places[i], &from, places[j],
									   &to, rank);
					received += in;
					most = in > most ? in : most;
				}
				ck_assert_msg(received == r.bytes_total,
					      "places %d %d, %s -> %s: %lld of %lld received", i, j, all[k % 5],
					      all[k / 5 % 5], (long long)received, (long long)r.bytes_total);
				ck_assert_int_eq(most,
						 redist_received_max(&r, DT_F32, s, places[i], &from, places[j], &to));
				ck_assert_msg(sum == r.bytes_total, "places %d %d, %s -> %s: %lld of %lld", i, j,
					      all[k % 5], all[k / 5 % 5], (long long)sum, (long long)r.bytes_total);
			}
	session_free(f.session);
}
END_TEST

/* With three axes: B axes that share boxes out while others split them, along the same and along other dimensions. */
START_TEST(sums_per_rank_are_the_total_on_three_axes)
{
	static const char *const all[] = {"B", "S0", "S1", "P"};
	struct fixture f = fixture_new();
	struct place *mesh = line(&f, 0, 12);
	mesh->naxes = 3;
	mesh->extent[0] = mesh->extent[2] = 2;
	mesh->extent[1] = 3;
	struct shape s = SHAPE(13, 7);
	for (int k = 0; k < 64 * 64; k++) {
		char from_text[16], to_text[16];
		snprintf(from_text, sizeof from_text, "%s,%s,%s", all[k % 4], all[k / 4 % 4], all[k / 16 % 4]);
		snprintf(to_text, sizeof to_text, "%s,%s,%s", all[k / 64 % 4], all[k / 256 % 4], all[k / 1024]);
		struct layout from = layout_text(from_text), to = layout_text(to_text);
		struct redist r = redist_plan(DT_F32, &s, mesh, &from, mesh, &to);
		int64_t received = 0;
		for (int32_t rank = 0; rank < 12; rank++)
			received += redist_bytes_received(&r, DT_F32, &s, mesh, &from, mesh, &to, rank);
		if (received != r.bytes_total)
			ck_abort_msg("%s -> %s: %lld of %lld received", from_text, to_text, (long long)received,
				     (long long)r.bytes_total);
	}
	session_free(f.session);
}
END_TEST

START_TEST(scalars_and_single_ranks_move)
{
	struct fixture f = fixture_new();
	struct shape s = SCALAR_SHAPE;
	struct place *a = line(&f, 0, 4), *b = line(&f, 4, 2), *one = line(&f, 1, 1);
	struct layout whole = layout_text("B"), part = layout_text("P");
	ck_assert_int_eq(redist_bytes(DT_F32, &s, a, &part, a, &whole), 2 * 3 * 4);
	ck_assert_int_eq(redist_bytes(DT_F32, &s, a, &part, b, &whole), (4 + 2 - 1) * 4);
	ck_assert_int_eq(redist_bytes(DT_F32, &s, a, &whole, b, &whole), 2 * 4);
	ck_assert_int_eq(redist_bytes(DT_F32, &s, one, &part, one, &whole), 0);
	ck_assert_int_eq(redist_method_of(&s, one, &part, one, &whole), REDIST_LOCAL);
	ck_assert_int_eq(redist_bytes(DT_F32, &s, a, &whole, one, &whole), 0);
	session_free(f.session);
}
END_TEST

START_TEST(another_kind_of_part_is_finished_on_the_way)
{
	struct fixture f = fixture_new();
	struct shape s = SHAPE(10);
	struct place *a = line(&f, 0, 3);
	struct layout sum = layout_text("P"), max = layout_text("Pmax");
	ck_assert_int_eq(redist_bytes(DT_F32, &s, a, &sum, a, &max), 2 * 10 * 4);
	ck_assert_int_eq(redist_method_of(&s, a, &sum, a, &max), REDIST_REDUCE_SEND);
	session_free(f.session);
}
END_TEST

/* Where every part is to be had in full the busiest rank is one of those it is finished on. */
START_TEST(the_busiest_rank_may_be_one_that_finishes)
{
	static const char *const all[] = {"B", "S0", "S1", "P", "Pmax"};
	struct fixture f = fixture_new();
	struct place *places[16];
	int n = make_places(&f, places);
	struct shape s = SHAPE(7, 5);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			for (int k = 0; k < 5 * 5; k++) {
				struct layout from = layout_text(all[k % 5]), to = layout_text(all[k / 5]);
				struct redist r = redist_plan(DT_F32, &s, places[i], &from, places[j], &to);
				int64_t most = 0;
				for (int32_t rank = 0; rank < 10; rank++) {
					int64_t sent = redist_bytes_sent(&r, DT_F32, &s, places[i], &from, places[j],
									 &to, rank);
					most = sent > most ? sent : most;
				}
				ck_assert_int_eq(most,
						 redist_sent_max(&r, DT_F32, &s, places[i], &from, places[j], &to));
			}
	session_free(f.session);
}
END_TEST

/* There and back among few ranks everybody writes to everybody; among many, halves are exchanged, 2^5 >= 20. */
START_TEST(messages_are_counted)
{
	struct fixture f = fixture_new();
	struct shape s = SHAPE(64);
	struct layout part = layout_text("P"), whole = layout_text("B"), split = layout_text("S0");
	for (int64_t n = 4; n <= 20; n += 16) {
		struct place *p = line(&f, 0, n);
		int64_t one_way = n == 4 ? 3 : 2 * 5;
		struct redist all = redist_plan(DT_F32, &s, p, &part, p, &whole),
			      scatter = redist_plan(DT_F32, &s, p, &part, p, &split),
			      gather = redist_plan(DT_F32, &s, p, &split, p, &whole);
		ck_assert_int_eq(redist_messages(&all, &s, p, &part, p, &whole), 2 * one_way);
		ck_assert_int_eq(redist_messages(&scatter, &s, p, &part, p, &split), one_way);
		ck_assert_int_eq(redist_messages(&gather, &s, p, &split, p, &whole), one_way);
	}
	session_free(f.session);
}
END_TEST

/* x[i - 1] + x[i] + x[i + 1] of 12 rows on 4 ranks. */
START_TEST(a_halo_comes_from_its_neighbours)
{
	struct fixture f = fixture_new();
	struct shape s = SHAPE(12);
	struct place *p = line(&f, 0, 4);
	struct layout split = layout_text("S0"), around = split;
	around.atom[0] = (struct shard_atom){.kind = SHARD_WINDOW, .of = 12, .step = 1, .low = -1, .high = 1, .div = 1};
	struct redist_halo h = redist_halo(&s, p, &split, &around);
	ck_assert_int_eq(h.ranks, 2);
	ck_assert_int_eq(h.beyond[0], 2);
	session_free(f.session);
}
END_TEST

START_TEST(huge_tensors_saturate_instead_of_wrapping)
{
	struct fixture f = fixture_new();
	struct shape s = SHAPE(INT64_C(1) << 30, INT64_C(1) << 31);
	struct place *a = line(&f, 0, 1000);
	struct layout split = layout_text("S0"), whole = layout_text("B");
	ck_assert_int_eq(redist_bytes(DT_F64, &s, a, &split, a, &whole), INT64_MAX);
	session_free(f.session);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "layout redist");
	tcase_add_test(t, bytes_are_those_of_the_table);
	tcase_add_test(t, exchanges_move_exactly_what_is_missing);
	tcase_add_test(t, the_mesh_example_is_one_all_to_all);
	tcase_add_test(t, sums_per_rank_are_the_total_for_every_partial);
	tcase_add_test(t, sums_per_rank_are_the_total_on_three_axes);
	tcase_add_test(t, scalars_and_single_ranks_move);
	tcase_add_test(t, another_kind_of_part_is_finished_on_the_way);
	tcase_add_test(t, the_busiest_rank_may_be_one_that_finishes);
	tcase_add_test(t, messages_are_counted);
	tcase_add_test(t, a_halo_comes_from_its_neighbours);
	tcase_add_test(t, huge_tensors_saturate_instead_of_wrapping);
	return suite_end(s);
}
