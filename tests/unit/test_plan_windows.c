/* test_plan_windows.c — what is read around shards, against the graph on one rank: windows of every width, step,
 * dilation and padding over tiny and uneven shards, forward and gradients, and the bytes of their halos against the
 * definition: the indices between the least and the greatest that a rank's results read, less those it has. Then
 * stencils at random on meshes: several reads of one value, several dimensions and axes. TEST_LONG: more of these. */
#include "compiler/autodiff/autodiff.h"
#include "plan_run.h"
#include "suite.h"

/* out[i] = sum of w[u] * x[step * i + dilation * u - pad] for i < windows. */
struct window {
	int n, ranks, width, step, dilation, pad, windows;
};

/* What all programs of a test had. */
struct seen {
	int parts, holes, gaps, exchanges;
};

static void look(struct seen *s, const struct program *p)
{
	for (int i = 0; i < p->roles.n; i++) {
		const struct role *role = p->roles.at[i];
		const struct plan *plan = role->plans[0];
		for (int k = 0; plan && k < plan->steps.n; k++) {
			s->parts += plan->steps.at[k].piece > 1;
			s->exchanges += plan->steps.at[k].kind == STEP_EXCHANGE;
		}
		for (int t = 0; t < p->transfers.n; t++) {
			s->holes += role->holes[t].end[0] > role->holes[t].begin[0];
			s->gaps += role->holes[t].gap > 0;
		}
	}
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Bytes of all halos of what `windows` results read of n elements: from low(i) to high(i) for result i, f32. */
static int64_t halo_bytes(int64_t n, int64_t windows, int64_t ranks, int64_t (*low)(const struct window *, int64_t),
			  int64_t (*high)(const struct window *, int64_t), const struct window *w)
{
	int64_t lacks = 0;
	for (int64_t r = 0; r < ranks; r++) {
		int64_t first = shard_begin(windows, ranks, r), end = first + shard_count(windows, ranks, r);
		int64_t own = shard_begin(n, ranks, r), own_end = own + shard_count(n, ranks, r), from = n, to = -1;
		for (int64_t i = first; i < end; i++) {
			from = least(from, low(w, i) < 0 ? 0 : low(w, i));
			to = -least(-to, -least(high(w, i), n - 1));
		}
		for (int64_t j = from; j <= to; j++)
			lacks += j < own || j >= own_end;
	}
	return lacks * 4;
}

static int64_t reads_from(const struct window *w, int64_t i)
{
	return w->step * i - w->pad;
}

static int64_t reads_to(const struct window *w, int64_t i)
{
	return w->step * i + w->dilation * (w->width - 1) - w->pad;
}

/* Of the cotangent for element j of x: (j + pad - dilation * u) / step. */
static int64_t gradient_reads_from(const struct window *w, int64_t j)
{
	return -shard_floor_div(-(j + w->pad - w->dilation * (w->width - 1)), w->step);
}

static int64_t gradient_reads_to(const struct window *w, int64_t j)
{
	return shard_floor_div(j + w->pad, w->step);
}

static struct node *to(struct run *r, struct node *x, const char *layout)
{
	struct layout_spec l = given(layout);
	return graph_to(r->f.graph, &r->f.site, x, x->place, &l);
}

static int64_t moved(const struct graph *g)
{
	return transfer_bytes(g, ORIGIN_SOURCE) + transfer_bytes(g, ORIGIN_BACKWARD);
}

/* With gradients: of x, and of the weights, which are on all ranks. */
static void run_window(const struct window *w, bool gradients, struct seen *seen)
{
	struct run r = start();
	r.f.session->options.halos = HALOS_PARTS;
	struct arena *a = r.f.session->arena;
	const struct place *p = line_of(&r, w->ranks);
	const char *what = arena_printf(a, "n %d ranks %d width %d step %d dilation %d pad %d", w->n, w->ranks,
					w->width, w->step, w->dilation, w->pad);
	struct node *x = fixture_param(&r.f, "x", SHAPE(w->n), p, "S0");
	struct node *k = fixture_param(&r.f, "w", SHAPE(w->width), p, "B");
	struct node *g = fixture_param(&r.f, "g", SHAPE(w->windows), p, "S0");
	struct node *y = fixture_map(&r.f,
				     arena_printf(a,
						  "conv(a[%d * i + %d * u - %d:%d], b[u]) -> [i] = sum[u] a * b "
						  "{i=%d, u=%d}",
						  w->step, w->dilation, w->pad, w->n, w->windows, w->width),
				     x, k, NULL);
	y = to(&r, y, "S0");
	fixture_keep(&r.f, "y", y);
	struct node *wrt[] = {x, k}, *d[2];
	ck_assert(!gradients || autodiff_vjp(r.f.graph, y, g, 2, wrt, d));
	for (int i = 0; gradients && i < 2; i++)
		graph_output(r.f.graph, OUTPUT_SLOT, wrt[i]->slot, d[i], (struct span){0});
	if (!prepare(&r, w->ranks))
		ck_abort_msg("%s: cannot be laid out", what);
	compare(&r, 1);
	look(seen, r.f.program);
	const struct graph *done = r.f.program->regions.at[0]->graph;
	int64_t around = halo_bytes(w->n, w->windows, w->ranks, reads_from, reads_to, w);
	int64_t back = halo_bytes(w->windows, w->n, w->ranks, gradient_reads_from, gradient_reads_to, w);
	int64_t bound = around + (gradients ? back + 2 * (w->ranks - 1) * 4 * w->width : 0);
	if (moved(done) > bound)
		ck_abort_msg("%s%s: %lld bytes are moved, halos are %lld of x, %lld of the cotangent", what,
			     gradients ? ", gradients" : "", (long long)moved(done), (long long)around,
			     (long long)back);
	session_free(r.f.session);
}

START_TEST(windows_over_shards_are_those_of_one_rank)
{
	int done = 0;
	struct window w;
	struct seen seen = {0};
	for (w.n = 1; w.n <= 13; w.n++)
		for (w.ranks = 2; w.ranks <= 4; w.ranks++)
			for (w.width = 1; w.width <= 5; w.width++)
				for (w.step = 1; w.step <= 3; w.step++)
					for (w.dilation = 1; w.dilation <= 2; w.dilation++)
						for (w.pad = 0; w.pad <= w.dilation * (w.width - 1); w.pad++) {
							int room = w.n + 2 * w.pad - w.dilation * (w.width - 1) - 1;
							w.windows = room / w.step + 1;
							if (room < 0)
								continue;
							run_window(&w, false, &seen);
							run_window(&w, true, &seen);
							done++;
						}
	ck_assert_int_gt(done, 4000);
	ck_assert_int_gt(seen.parts, 1000);
	ck_assert_int_gt(seen.gaps, 500);
}
END_TEST

/* ---- stencils on meshes ---- */

struct dice {
	uint64_t state;
};

static int roll_from(struct dice *d, int low, int high)
{
	return low + (int)(fixture_random(&d->state) % (uint64_t)(high - low + 1));
}

static const char *index_text(struct arena *a, struct dice *d, const char *factor, int64_t n)
{
	static const int step[] = {1, 1, 1, 2, -1, 3};
	int s = step[roll_from(d, 0, 5)], by = roll_from(d, -3, 3) + (s < 0 ? (int)n - 1 : 0);
	return arena_printf(a, "%d * %s %c %d:%d", s, factor, by < 0 ? '-' : '+', abs(by), (int)n);
}

static const char *body_text(struct dice *d, int noperands)
{
	static const char *const one[] = {"a", "exp(a)", "a * 2.0"},
				 *const two[] = {"a + b", "a * b", "max(a, b)", "a - 3.0 * b"},
				 *const three[] = {"a + b + c", "a * b + c", "max(a, b) - c"};
	return noperands == 1   ? one[roll_from(d, 0, 2)]
	       : noperands == 2 ? two[roll_from(d, 0, 3)]
				: three[roll_from(d, 0, 2)];
}

static struct node *stencil(struct run *r, struct dice *d, struct node *x, struct node *other)
{
	struct arena *a = r->f.session->arena;
	static const char *const name[] = {"a", "b", "c"};
	int noperands = roll_from(d, 1, 3), n = roll_from(d, 1, 9), m = roll_from(d, 1, 9);
	const char *text = "st(";
	struct node *in[3] = {NULL};
	for (int k = 0; k < noperands; k++) {
		in[k] = roll_from(d, 0, 4) ? x : other;
		text = arena_printf(a, "%s%s%s[%s, %s]", text, k ? ", " : "", name[k],
				    index_text(a, d, "i", in[k]->shape.dim[0]),
				    index_text(a, d, "j", in[k]->shape.dim[1]));
	}
	bool sums = roll_from(d, 0, 3) == 0;
	text = arena_printf(a, "%s) -> [%s] = %s%s {i=%d, j=%d}", text, sums ? "i" : "i, j", sums ? "sum[j] " : "",
			    body_text(d, noperands), n, m);
	return fixture_map(&r->f, text, in[0], in[1], in[2]);
}

static const char *some_splits(struct arena *a, struct dice *d, int rank)
{
	static const char *const atom[] = {"S0", "S1", "B"};
	const char *first = atom[roll_from(d, 0, 2)], *second = atom[roll_from(d, 0, 2)];
	if (rank == 1)
		return arena_printf(a, "%s,%s", roll_from(d, 0, 1) ? "S0" : "B", roll_from(d, 0, 1) ? "S0" : "B");
	return arena_printf(a, "%s,%s", first, second);
}

/* Whether the program is legal. */
static bool run_stencil(uint64_t seed, struct seen *seen)
{
	struct run r = start();
	r.f.session->options.halos = seed % 3 ? HALOS_PARTS : HALOS_AS_IT_PAYS;
	struct arena *a = r.f.session->arena;
	struct dice d = {seed * 7919 + 1};
	struct place *world = r.f.program->places.at[0], *p;
	int rows = roll_from(&d, 1, 3), columns = roll_from(&d, 1, 3);
	world->count = world->extent[0] = rows * columns;
	p = fixture_place(r.f.program, "mesh", 0, rows * columns);
	p->naxes = 2;
	p->axis[0] = intern(r.f.session->names, "a");
	p->axis[1] = intern(r.f.session->names, "b");
	p->extent[0] = rows;
	p->extent[1] = columns;
	struct node *x =
		fixture_param(&r.f, "x", SHAPE(roll_from(&d, 1, 9), roll_from(&d, 1, 9)), p, some_splits(a, &d, 2));
	struct node *z =
		fixture_param(&r.f, "z", SHAPE(roll_from(&d, 1, 9), roll_from(&d, 1, 9)), p, some_splits(a, &d, 2));
	struct node *y = to(&r, stencil(&r, &d, x, z), "B,B");
	if (y->shape.rank == 2 && roll_from(&d, 0, 1))
		y = to(&r, stencil(&r, &d, to(&r, y, some_splits(a, &d, 2)), z), some_splits(a, &d, 2));
	else
		y = to(&r, y, some_splits(a, &d, y->shape.rank));
	fixture_keep(&r.f, "y", y);
	struct node *g = fixture_param(&r.f, "g", y->shape, p, some_splits(a, &d, y->shape.rank));
	struct node *wrt[] = {x, z}, *dx[2];
	bool legal = autodiff_vjp(r.f.graph, y, g, 2, wrt, dx);
	for (int i = 0; legal && i < 2; i++)
		graph_output(r.f.graph, OUTPUT_SLOT, wrt[i]->slot, dx[i], (struct span){0});
	legal = legal && prepare(&r, rows * columns);
	if (legal) {
		compare(&r, 1);
		look(seen, r.f.program);
	}
	session_free(r.f.session);
	return legal;
}

START_TEST(stencils_on_meshes_are_those_of_one_rank)
{
	int n = getenv("TEST_LONG") ? 20000 : 400, legal = 0;
	struct seen seen = {0};
	for (int i = 0; i < n; i++)
		legal += run_stencil((uint64_t)i, &seen);
	ck_assert_int_gt(legal, n / 2);
	ck_assert_int_gt(seen.parts, 20);
	ck_assert_int_gt(seen.holes, seen.gaps);
}
END_TEST

/* A gradient that is a P unless fixed values move, taken through windows unless others do. */
START_TEST(a_part_and_windows_of_it_find_a_layout)
{
	struct seen seen = {0};
	ck_assert(run_stencil(8565, &seen));
}
END_TEST

/* Ranks that have none of the columns of a gradient cut nothing of it off. */
START_TEST(a_map_without_elements_is_not_cut)
{
	struct seen seen = {0};
	ck_assert(run_stencil(1192, &seen));
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "plan: windows");
	tcase_add_test(t, windows_over_shards_are_those_of_one_rank);
	tcase_add_test(t, stencils_on_meshes_are_those_of_one_rank);
	tcase_add_test(t, a_part_and_windows_of_it_find_a_layout);
	tcase_add_test(t, a_map_without_elements_is_not_cut);
	return suite_end(s);
}
