/* test_plan_slices.c — slices, strides, padding and zeros put between rows of what is split, against the graph on one
 * rank: every row stays where it is, under a function that is not linear and in its gradient, and nothing moves. Slices
 * that are moved, single rows and rows in reverse order send what ranks want and do not have, and no more. The cuts
 * that this takes are compared with all that there are. */
#include "compiler/autodiff/autodiff.h"
#include "compiler/op/windows.h"
#include "plan_run.h"
#include "suite.h"

/* out[i] = x[(step * i + low) / div] for i < numbers, of n rows that are cut in the way `cuts` (some_shares). */
struct slice {
	int n, ranks, step, div, low, numbers, cuts;
};

static const char *text_of(struct arena *a, const struct slice *s)
{
	return arena_printf(a, "n %d ranks %d cuts %d: (%d * i + %d) / %d of %d", s->n, s->ranks, s->cuts, s->step,
			    s->low, s->div, s->numbers);
}

/* Row that number i reads, -1: none. */
static int64_t row_of(const struct slice *s, int64_t i)
{
	int64_t at = s->step * i + s->low;
	return at < 0 || at % s->div || at / s->div >= s->n ? -1 : at / s->div;
}

static struct shard_atom cut_of(struct run *r, const struct slice *s)
{
	return (struct shard_atom){.kind = SHARD_S, .shares = some_shares(r->f.session->arena, s->ranks, s->cuts)};
}

static struct node *rows(struct run *r, const struct slice *s, const struct place *p)
{
	struct node *x = fixture_param(&r->f, "x", SHAPE(s->n, 2), p, "S0");
	struct slot *slot = r->f.program->slots.at[x->slot];
	slot->layout.layout.atom[0] = slot->laid_out.atom[0] = cut_of(r, s);
	return x;
}

static void check_rows_stay(struct run *r, const struct slice *s, struct shard_atom result)
{
	struct shard_atom x = cut_of(r, s);
	ck_assert_int_eq(result.kind, s->ranks > 1 ? SHARD_S : result.kind);
	for (int64_t i = 0; i < s->numbers && s->ranks > 1; i++) {
		int64_t row = row_of(s, i);
		if (row >= 0 && cuts_owner(x, s->n, s->ranks, row) != cuts_owner(result, s->numbers, s->ranks, i))
			ck_abort_msg("%s: row %lld goes to another rank", text_of(r->f.session->arena, s),
				     (long long)row);
	}
}

static void run_slice(const struct slice *s)
{
	struct run r = start();
	struct arena *a = r.f.session->arena;
	const struct place *p = line_of(&r, s->ranks);
	struct node *x = rows(&r, s, p), *dx;
	struct node *g = fixture_param(&r.f, "g", SHAPE(s->numbers, 2), p, "B");
	struct node *y =
		fixture_map(&r.f,
			    arena_printf(a, "take(a[(%d * i %c %d) / %d:%d, j]) -> [i, j] = a {i=%d, j=2}", s->step,
					 s->low < 0 ? '-' : '+', abs(s->low), s->div, s->n, s->numbers),
			    x, NULL, NULL);
	y = fixture_map(&r.f, arena_printf(a, "curve(a[i, j]) -> [i, j] = exp(a) {i=%d, j=2}", s->numbers), y, NULL,
			NULL);
	fixture_keep(&r.f, "y", y);
	ck_assert(autodiff_vjp(r.f.graph, y, g, 1, &x, &dx));
	graph_output(r.f.graph, OUTPUT_SLOT, x->slot, dx, (struct span){0});
	if (!prepare(&r, s->ranks))
		ck_abort_msg("%s: cannot be laid out", text_of(a, s));
	check_rows_stay(&r, s, r.f.program->slots.at[r.f.program->slots.n - 1]->laid_out.atom[0]);
	const struct graph *done = r.f.program->regions.at[0]->graph;
	if (transfer_bytes(done, ORIGIN_SOURCE) + transfer_bytes(done, ORIGIN_BACKWARD))
		ck_abort_msg("%s: bytes are moved", text_of(a, s));
	compare(&r, 1);
	session_free(r.f.session);
}

START_TEST(rows_of_a_slice_stay_where_they_are)
{
	int done = 0;
	struct slice s;
	for (s.n = 1; s.n <= 13; s.n++)
		for (s.ranks = 1; s.ranks <= 4; s.ranks++)
			for (s.step = 1; s.step <= 3; s.step++)
				for (s.div = 1; s.div <= 2; s.div++)
					for (s.low = -3; s.low < s.n * s.div; s.low += 1 + (s.low > 2) * 2) {
						int fit = (s.n * s.div - s.low + s.step - 1) / s.step;
						s.numbers = fit + (s.n + s.low + 3) % 4 - 1;
						s.cuts = (s.n + s.step + s.low + 3) % 4 - 1;
						bool never = s.div == 2 && s.step == 2 && s.low % 2; /* reads a row */
						if (s.numbers < 1 || never)
							continue;
						run_slice(&s);
						done++;
					}
	ck_assert_int_gt(done, 1500);
}
END_TEST

/* ---- what is moved ---- */

/* Rows that change ranks if x is dealt out evenly in reverse order. */
static int64_t rows_turned(struct run *r, const struct slice *s)
{
	struct shard_atom has = cut_of(r, s);
	int64_t rows = 0;
	for (int64_t i = 0; i < s->n; i++)
		rows += cuts_owner(has, s->n, s->ranks, s->n - 1 - i) != shard_owner(s->n, s->ranks, i);
	return rows;
}

/* Rows of x, read at `index`, through a function that is not linear and moved as a whole; with the gradient. Forward so
 * many rows travel as the bound says, backward no more than `back`. */
static void run_moved(struct run *r, const struct slice *s, const char *index, const char *layout, int64_t bound,
		      int64_t back)
{
	struct arena *a = r->f.session->arena;
	const struct place *p = line_of(r, s->ranks);
	struct node *x = rows(r, s, p), *dx;
	struct layout_spec l = given(layout);
	const char *out = strchr(index, 'i') ? "[i, j]" : "[j]",
		   *extents = strchr(index, 'i') ? arena_printf(a, "i=%d, j=2", s->numbers) : "j=2";
	struct node *y = fixture_map(
		&r->f, arena_printf(a, "take(a[%s:%d, j]) -> %s = a {%s}", index, s->n, out, extents), x, NULL, NULL);
	y = fixture_map(&r->f, arena_printf(a, "curve(a%s) -> %s = exp(a) {%s}", out, out, extents), y, NULL, NULL);
	y = graph_to(r->f.graph, &r->f.site, y, p, &l);
	fixture_keep(&r->f, "y", y);
	struct node *g = fixture_param(&r->f, "g", y->shape, p, layout);
	ck_assert(autodiff_vjp(r->f.graph, y, g, 1, &x, &dx));
	graph_output(r->f.graph, OUTPUT_SLOT, x->slot, dx, (struct span){0});
	if (!prepare(r, s->ranks))
		ck_abort_msg("%s to %s: cannot be laid out", index, layout);
	const struct graph *done = r->f.program->regions.at[0]->graph;
	int64_t moved = transfer_bytes(done, ORIGIN_SOURCE), returned = transfer_bytes(done, ORIGIN_BACKWARD);
	if (moved != 8 * bound || returned > 8 * back)
		ck_abort_msg("%s, %s to %s: %lld bytes are moved, %lld for the gradient, not %lld and %lld",
			     text_of(a, s), index, layout, (long long)moved, (long long)returned,
			     (long long)(8 * bound), (long long)(8 * back));
	compare(r, 1);
	session_free(r->f.session);
}

START_TEST(a_row_goes_from_its_owner_to_all)
{
	struct slice s = {.step = 1, .div = 1};
	for (s.n = 1; s.n <= 7; s.n++)
		for (s.ranks = 1; s.ranks <= 4; s.ranks++)
			for (s.cuts = -1; s.cuts < 3; s.cuts++)
				for (int row = 0; row < s.n; row++) {
					struct run r = start();
					run_moved(&r, &s, arena_printf(r.f.session->arena, "%d", row), "B", s.ranks - 1,
						  0);
				}
}
END_TEST

/* Of a mesh of 2 x 2 ranks, to all: an element of what is split in two dimensions, and a row of what both axes split.
 */
static void run_on_mesh(const char *layout, const char *take, const char *curve, int64_t bound)
{
	struct run r = start();
	struct place *p = (struct place *)line_of(&r, 4);
	p->naxes = 2;
	p->axis[0] = intern(r.f.session->names, "a");
	p->axis[1] = intern(r.f.session->names, "b");
	p->extent[0] = p->extent[1] = 2;
	struct layout_spec whole = given("B,B");
	struct node *y = fixture_map(&r.f, take, fixture_param(&r.f, "x", SHAPE(7, 6), p, layout), NULL, NULL);
	y = graph_to(r.f.graph, &r.f.site, fixture_map(&r.f, curve, y, NULL, NULL), p, &whole);
	fixture_keep(&r.f, "y", y);
	ck_assert_msg(prepare(&r, 4), "%s of %s: cannot be laid out", take, layout);
	ck_assert_int_eq(transfer_bytes(r.f.program->regions.at[0]->graph, ORIGIN_SOURCE), bound);
	compare(&r, 1);
	session_free(r.f.session);
}

START_TEST(elements_of_a_mesh_go_from_their_owners)
{
	run_on_mesh("S0,S1", "take(a[4:7, 1:6]) -> [] = a", "curve(a[]) -> [] = exp(a)", 3 * 4);
	run_on_mesh("S0,S0", "take(a[5:7, j]) -> [j] = a {j=6}", "curve(a[j]) -> [j] = exp(a) {j=6}", 3 * 6 * 4);
	run_on_mesh("S0,S1", "take(a[5:7, j]) -> [j] = a {j=6}", "curve(a[j]) -> [j] = exp(a) {j=6}", 3 * 6 * 4);
	run_on_mesh("S1,S0", "take(a[i, 2:6]) -> [i] = a {i=7}", "curve(a[i]) -> [i] = exp(a) {i=7}", 3 * 7 * 4);
}
END_TEST

START_TEST(rows_of_a_slice_are_gathered_once)
{
	struct slice s = {.step = 1, .div = 1};
	for (s.n = 2; s.n <= 9; s.n++)
		for (s.ranks = 2; s.ranks <= 4; s.ranks++)
			for (s.cuts = -1; s.cuts < 3; s.cuts++)
				for (s.low = 0; s.low < s.n; s.low += 2)
					for (s.numbers = 1; s.numbers <= s.n - s.low; s.numbers += 2) {
						struct run r = start();
						run_moved(&r, &s, arena_printf(r.f.session->arena, "i + %d", s.low),
							  "B", (s.ranks - 1) * s.numbers, 0);
					}
}
END_TEST

START_TEST(reversed_rows_go_to_who_wants_them)
{
	struct slice s = {.step = 1, .div = 1};
	for (s.n = 1; s.n <= 13; s.n++)
		for (s.ranks = 1; s.ranks <= 4; s.ranks++)
			for (s.cuts = -1; s.cuts < 3; s.cuts++) {
				struct run r = start();
				s.numbers = s.n;
				int64_t wanted = rows_turned(&r, &s);
				run_moved(&r, &s, arena_printf(r.f.session->arena, "-1 * i + %d", s.n - 1), "S0",
					  wanted, wanted);
			}
}
END_TEST

/* ---- the cuts alone ---- */

struct reading {
	int64_t n, k;
	struct shard_atom has, reads;
};

static bool holds(const struct reading *x, int64_t rank, int64_t begin, int64_t end)
{
	return begin >= end ||
	       (begin >= cuts_begin(x->has, x->n, x->k, rank) && end <= cuts_begin(x->has, x->n, x->k, rank + 1));
}

/* Whether every number can go to a rank that has what it reads, in the order of ranks: the earliest is the best for the
 * numbers behind. */
static bool can_stay(const struct reading *x)
{
	int64_t rank = 0;
	for (int64_t i = 0; i < x->reads.of; i++) {
		int64_t begin = i, end = i + 1;
		shard_window(x->reads, x->n, &begin, &end);
		while (rank < x->k && !holds(x, rank, begin, end))
			rank++;
		if (rank == x->k)
			return false;
	}
	return true;
}

static bool stays(const struct reading *x, struct shard_atom cuts)
{
	bool all = true;
	for (int64_t rank = 0; rank < x->k && all; rank++) {
		int64_t begin = cuts_begin(cuts, x->reads.of, x->k, rank),
			end = cuts_begin(cuts, x->reads.of, x->k, rank + 1);
		shard_window(x->reads, x->n, &begin, &end);
		all = holds(x, rank, begin, end);
	}
	return all;
}

START_TEST(cuts_are_found_where_there_are_any)
{
	struct arena *a = arena_new("cuts");
	int found = 0, none = 0;
	for (int64_t n = 1; n <= 13; n++)
		for (int64_t k = 1; k <= 4; k++)
			for (int kind = -1; kind < 3; kind++)
				for (int32_t step = 1; step <= 4; step++)
					for (int32_t low = -4; low <= 4; low++)
						for (int32_t width = 1; width <= 4; width++)
							for (int32_t div = 1; div <= 3; div++) {
								struct reading x = {n, k, {.kind = SHARD_S}, {0}};
								struct shard_atom cuts;
								x.has.shares = some_shares(a, k, kind);
								x.reads = (struct shard_atom){
									.kind = SHARD_WINDOW,
									.of = (int32_t)(n * div / step + 2),
									.step = step,
									.low = low,
									.high = low + width - 1,
									.div = div};
								ck_assert(window_cuts(a, x.reads, x.has, n, k, &cuts));
								ck_assert_msg(
									stays(&x, cuts) == can_stay(&x),
									"n %d k %d cuts %d: (%d * i + %d..%d) / %d",
									(int)n, (int)k, kind, step, low,
									low + width - 1, div);
								found += can_stay(&x) && width > 1;
								none += !can_stay(&x);
							}
	ck_assert_int_gt(found, 1000);
	ck_assert_int_gt(none, 1000);
	arena_free(a);
}
END_TEST

START_TEST(reversed_rows_have_no_cuts)
{
	struct arena *a = arena_new("cuts");
	struct shard_atom has = {.kind = SHARD_S}, cuts;
	struct shard_atom reads = {.kind = SHARD_WINDOW, .of = 8, .step = -1, .low = 7, .high = 7, .div = 1};
	ck_assert(!window_cuts(a, reads, has, 8, 2, &cuts));
	arena_free(a);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "plan: slices");
	tcase_add_test(t, rows_of_a_slice_stay_where_they_are);
	tcase_add_test(t, a_row_goes_from_its_owner_to_all);
	tcase_add_test(t, elements_of_a_mesh_go_from_their_owners);
	tcase_add_test(t, rows_of_a_slice_are_gathered_once);
	tcase_add_test(t, reversed_rows_go_to_who_wants_them);
	tcase_add_test(t, cuts_are_found_where_there_are_any);
	tcase_add_test(t, reversed_rows_have_no_cuts);
	return suite_end(s);
}
