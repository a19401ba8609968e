/* test_plan_windows.c — what is read around shards, against the graph on one rank: windows of every width, step,
 * dilation and padding over tiny and uneven shards, in one and in two dimensions, forward and gradients, and the bytes
 * of their halos against the definition: the indices between the least and the greatest that a rank's results read,
 * less those it has. Then stencils at random on meshes: several reads of one value, several dimensions and axes; and
 * convolutions, which are products, scaled and added to others. Short: a sample; TEST_LONG: every window, each in
 * either dimension, and more stencils and convolutions. */
#include "compiler/autodiff/autodiff.h"
#include "plan_run.h"
#include "suite.h"

/* out[i] = sum of w[u] * x[step * i + dilation * u - pad] for i < windows. */
struct window {
	int n, ranks, width, step, dilation, pad, windows;
};

/* What all programs of a test had. */
struct seen {
	int parts, products, added, holes, gaps, exchanges, halos, exact;
};

static void look(struct seen *s, const struct program *p)
{
	for (int i = 0; i < p->roles.n; i++) {
		const struct role *role = p->roles.at[i];
		const struct plan *plan = role->plans[0];
		for (int k = 0; plan && k < plan->steps.n; k++) {
			const struct plan_step *step = &plan->steps.at[k];
			bool is_product = step->kind == STEP_GEMM && step->piece > 1;
			s->parts += step->piece > 1;
			s->products += is_product;
			s->added += is_product &&
				    (step->gemm->beta.kind != OPERAND_CONST || step->gemm->beta.number.f != 0);
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

/* The least and the greatest index that a result reads. */
struct reading {
	int64_t (*low)(const struct window *, int64_t), (*high)(const struct window *, int64_t);
};

/* Of n elements along a dimension, those that a rank reads for its part of `windows` results; *has: those it holds. */
static int64_t image(const struct window *w, const struct reading *by, int64_t n, int64_t windows, int64_t rank,
		     int64_t *has)
{
	int64_t first = shard_begin(windows, w->ranks, rank), end = first + shard_count(windows, w->ranks, rank);
	int64_t own = shard_begin(n, w->ranks, rank), own_end = own + shard_count(n, w->ranks, rank), from = n, to = -1;
	for (int64_t i = first; i < end; i++) {
		from = least(from, by->low(w, i) < 0 ? 0 : by->low(w, i));
		to = -least(-to, -least(by->high(w, i), n - 1));
	}
	*has = 0;
	for (int64_t j = from; j <= to; j++)
		*has += j >= own && j < own_end;
	return to < from ? 0 : to - from + 1;
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

static const struct reading forward = {reads_from, reads_to}, backward = {gradient_reads_from, gradient_reads_to};

/* Bytes of all halos: the box that a rank reads, less what it has of it, f32. */
static int64_t halo_bytes(const struct window *w, int ndims, bool back)
{
	int64_t lacks = 0, ranks = w[0].ranks * (ndims > 1 ? w[1].ranks : 1);
	for (int64_t r = 0; r < ranks; r++) {
		int64_t box = 1, held = 1;
		for (int d = 0; d < ndims; d++) {
			int64_t n = back ? w[d].windows : w[d].n, results = back ? w[d].n : w[d].windows, has;
			int64_t at = d == ndims - 1 ? r % w[d].ranks : r / w[1].ranks;
			box *= image(&w[d], back ? &backward : &forward, n, results, at, &has);
			held *= has;
		}
		lacks += box - held;
	}
	return lacks * 4;
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

/* A mesh of rows x columns ranks, which are all there are. */
static struct place *mesh_of(struct run *r, int rows, int columns)
{
	struct place *world = r->f.program->places.at[0];
	world->count = world->extent[0] = rows * columns;
	struct place *p = fixture_place(r->f.program, "mesh", 0, rows * columns);
	p->naxes = 2;
	p->axis[0] = intern(r->f.session->names, "a");
	p->axis[1] = intern(r->f.session->names, "b");
	p->extent[0] = rows;
	p->extent[1] = columns;
	return p;
}

static const char *text_of(struct arena *a, const struct window *w, int ndims)
{
	const char *text = "";
	for (int d = 0; d < ndims; d++)
		text = arena_printf(a, "%s%sn %d ranks %d width %d step %d dilation %d pad %d", text, d ? "; " : "",
				    w[d].n, w[d].ranks, w[d].width, w[d].step, w[d].dilation, w[d].pad);
	return text;
}

static struct node *convolution(struct run *r, const struct window *w, int ndims, struct node *x, struct node *k)
{
	struct arena *a = r->f.session->arena;
	const char *in[2];
	for (int d = 0; d < ndims; d++)
		in[d] = arena_printf(a, "%d * %s + %d * %s - %d:%d", w[d].step, d ? "j" : "i", w[d].dilation,
				     d ? "v" : "u", w[d].pad, w[d].n);
	const char *text =
		ndims == 1
			? arena_printf(a, "conv(a[%s], b[u]) -> [i] = sum[u] a * b {i=%d, u=%d}", in[0], w->windows,
				       w->width)
			: arena_printf(a,
				       "conv(a[%s, %s], b[u, v]) -> [i, j] = sum[u, v] a * b {i=%d, j=%d, u=%d, v=%d}",
				       in[0], in[1], w[0].windows, w[1].windows, w[0].width, w[1].width);
	return fixture_map(&r->f, text, x, k, NULL);
}

/* Halos are those of the definition, of x and of the cotangent g; whatever else is moved instead is no more. */
static void check_bytes(struct run *r, const struct window *w, int ndims, bool gradients, const char *what,
			struct seen *seen)
{
	const struct graph *done = r->f.program->regions.at[0]->graph;
	int64_t around = halo_bytes(w, ndims, false), back = halo_bytes(w, ndims, true);
	int64_t ranks = r->f.program->nranks, weights = ndims == 1 ? w->width : w[0].width * w[1].width;
	int64_t bound = around + (gradients ? back + 2 * (ranks - 1) * 4 * weights : 0);
	if (moved(done) > bound)
		ck_abort_msg("%s%s: %lld bytes are moved, halos are %lld of x, %lld of the cotangent", what,
			     gradients ? ", gradients" : "", (long long)moved(done), (long long)around,
			     (long long)back);
	for (int i = 0; i < done->nodes.n; i++) {
		const struct node *n = done->nodes.at[i], *x = n->nin ? n->in[0] : NULL;
		if (n->kind != NODE_TO || !layout_has_window(n->place, &n->layout) || x->kind != NODE_SLOT)
			continue;
		bool of_x = !strcmp(r->f.program->slots.at[x->slot]->name, "x");
		int64_t bytes = redist_bytes(n->dtype, &n->shape, x->place, &x->layout, n->place, &n->layout);
		seen->halos++;
		seen->exact += bytes == (of_x ? around : back); /* less: another factor is split */
		if (bytes > (of_x ? around : back))
			ck_abort_msg("%s: a halo of %lld bytes, not %lld", what, (long long)bytes,
				     (long long)(of_x ? around : back));
	}
}

/* In one or two dimensions, each split over its ranks; with gradients of x, and of the weights, which are on all ranks.
 */
static void run_window(const struct window *w, int ndims, bool gradients, struct seen *seen)
{
	struct run r = start();
	r.f.session->options.halos = HALOS_PARTS;
	struct arena *a = r.f.session->arena;
	const struct place *p = ndims == 1 ? line_of(&r, w->ranks) : mesh_of(&r, w[0].ranks, w[1].ranks);
	const char *what = text_of(a, w, ndims), *split = ndims == 1 ? "S0" : "S0,S1",
		   *whole = ndims == 1 ? "B" : "B,B";
	struct shape n = SHAPE(w->n), width = SHAPE(w->width), windows = SHAPE(w->windows);
	if (ndims == 2) {
		n = SHAPE(w[0].n, w[1].n);
		width = SHAPE(w[0].width, w[1].width);
		windows = SHAPE(w[0].windows, w[1].windows);
	}
	struct node *x = fixture_param(&r.f, "x", n, p, split);
	struct node *k = fixture_param(&r.f, "w", width, p, whole);
	struct node *g = fixture_param(&r.f, "g", windows, p, split);
	struct node *y = to(&r, convolution(&r, w, ndims, x, k), split);
	fixture_keep(&r.f, "y", y);
	struct node *wrt[] = {x, k}, *d[2];
	ck_assert(!gradients || autodiff_vjp(r.f.graph, y, g, 2, wrt, d));
	for (int i = 0; gradients && i < 2; i++)
		graph_output(r.f.graph, OUTPUT_SLOT, wrt[i]->slot, d[i], (struct span){0});
	if (!prepare(&r, p->count))
		ck_abort_msg("%s: cannot be laid out", what);
	compare(&r, 1);
	look(seen, r.f.program);
	check_bytes(&r, w, ndims, gradients, what, seen);
	session_free(r.f.session);
}

/* Every window in one dimension; how many. */
static int all_windows(struct window *list)
{
	int count = 0;
	struct window w;
	for (w.n = 0; w.n <= 13; w.n++)
		for (w.ranks = 2; w.ranks <= 4; w.ranks++)
			for (w.width = 1; w.width <= 5; w.width++)
				for (w.step = 1; w.step <= 3; w.step++)
					for (w.dilation = 1; w.dilation <= 2; w.dilation++)
						for (w.pad = 0; w.pad <= w.dilation * (w.width - 1); w.pad++) {
							int room = w.n + 2 * w.pad - w.dilation * (w.width - 1) - 1;
							w.windows = room < 0 ? 0 : room / w.step + 1;
							if (room >= 0 || w.n == 0)
								list[count++] = w;
						}
	return count;
}

enum { MOST_WINDOWS = 6000, WHOLE_LINES = 2, SHORT_LINES = 13, SHORT_PLANES = 40 };

START_TEST(windows_over_shards_are_those_of_one_rank)
{
	static struct window w[MOST_WINDOWS];
	int n = all_windows(w), every = suite_count(1, WHOLE_LINES, SHORT_LINES);
	struct seen seen = {0};
	ck_assert_int_gt(n, 4000);
	for (int i = 0; i < n; i += every) {
		run_window(&w[i], 1, false, &seen);
		run_window(&w[i], 1, true, &seen);
	}
	ck_assert_int_gt(seen.parts, 1000 / every);
	ck_assert_int_gt(seen.gaps, 500 / every);
	ck_assert_int_gt(seen.exact, n / every);
	ck_assert_int_gt(10 * seen.exact, 9 * seen.halos);
}
END_TEST

/* Every window in the first and in the second dimension, beside others. */
START_TEST(windows_in_two_dimensions_are_those_of_one_rank)
{
	static struct window w[MOST_WINDOWS];
	int n = all_windows(w), every = getenv("TEST_LONG") ? 1 : SHORT_PLANES;
	struct seen seen = {0};
	for (int i = 0; i < n; i += every) {
		const struct window *other = &w[(i * INT64_C(2654435761) + 12345) % n];
		struct window both[2] = {w[i], *other};
		struct window turned[2] = {*other, w[i]};
		run_window(both, 2, false, &seen);
		run_window(turned, 2, true, &seen);
	}
	ck_assert_int_gt(seen.parts, 500 / every);
	ck_assert_int_gt(seen.exact, n / every);
	ck_assert_int_gt(10 * seen.exact, 7 * seen.halos);
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
	int rows = roll_from(&d, 1, 3), columns = roll_from(&d, 1, 3);
	struct place *p = mesh_of(&r, rows, columns);
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
	int n = suite_count(20000, 400, 130), legal = 0;
	struct seen seen = {0};
	for (int i = 0; i < n; i++)
		legal += run_stencil((uint64_t)i, &seen);
	ck_assert_int_gt(legal, n / 2);
	ck_assert_int_gt(seen.parts, n / 25);
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

/* The new value of a state, of whose neighbours it is made, is read by what comes last, too: by another slot's copy. */
START_TEST(a_stepped_value_goes_to_another_slot_before_it_is_exchanged)
{
	struct run r = start();
	struct seen seen = {0};
	const struct place *p = line_of(&r, 1);
	struct node *x = fixture_param(&r.f, "x", SHAPE(9), p, "B"), *y = fixture_param(&r.f, "y", SHAPE(9), p, "B");
	struct node *next = fixture_map(&r.f, "step(a[i - 1:9], b[i]) -> [i] = a * 0.5 + b {i=9}", x, x, NULL);
	graph_output(r.f.graph, OUTPUT_SLOT, x->slot, next, (struct span){0});
	graph_output(r.f.graph, OUTPUT_SLOT, y->slot, next, (struct span){0});
	ck_assert(prepare(&r, 1));
	compare(&r, 2);
	look(&seen, r.f.program);
	ck_assert_int_eq(seen.exchanges, 1);
	session_free(r.f.session);
}
END_TEST

/* ---- convolutions ---- */

/* Of images of many channels, whose products are worth a call; out: extents of the result. */
static struct node *image_convolution(struct run *r, const struct window *w, const int64_t *out, struct node *x,
				      struct node *k)
{
	const char *text = arena_printf(
		r->f.session->arena,
		"conv(a[n, c, %d * i + %d * u - %d:%d, %d * j + %d * v - %d:%d], b[k, c, u, v]) -> [n, k, i, j] = "
		"sum[c, u, v] a * b {n=%d, c=%d, k=%d, i=%d, j=%d, u=%d, v=%d}",
		w[0].step, w[0].dilation, w[0].pad, w[0].n, w[1].step, w[1].dilation, w[1].pad, w[1].n, (int)out[0],
		(int)x->shape.dim[1], (int)out[1], w[0].windows, w[1].windows, w[0].width, w[1].width);
	return fixture_map(&r->f, text, x, k, NULL);
}

static struct node *image_map(struct run *r, const char *text, struct node *x, struct node *y)
{
	const int64_t *n = x->shape.dim;
	return fixture_map(&r->f,
			   arena_printf(r->f.session->arena, "%s {n=%d, k=%d, i=%d, j=%d}", text, (int)n[0], (int)n[1],
					(int)n[2], (int)n[3]),
			   x, y, NULL);
}

/* y and elements of a tensor that may have rows fewer or more, read at a distance: around their shards, or just what y
 * has here. */
static struct node *plus_others(struct run *r, struct dice *d, struct node *y, const struct place *p)
{
	const int64_t *n = y->shape.dim;
	int64_t rows = n[2] + roll_from(d, n[2] > 1 ? -1 : 0, 1);
	struct node *q = fixture_param(&r->f, "q", SHAPE(n[0], n[1], rows, n[3]), p, "S2,S3");
	int by = roll_from(d, -1, 1);
	return image_map(r,
			 arena_printf(r->f.session->arena,
				      "add(a[n, k, i, j], b[n, k, i %c %d:%d, j]) -> [n, k, i, j] = a + b",
				      by < 0 ? '-' : '+', abs(by), (int)rows),
			 y, q);
}

static struct window some_window(struct dice *d)
{
	struct window w = {.n = roll_from(d, 6, 24),
			   .ranks = roll_from(d, 1, 3),
			   .width = roll_from(d, 1, 4),
			   .step = roll_from(d, 0, 3) ? 1 : 2,
			   .dilation = roll_from(d, 0, 3) ? 1 : 2};
	w.pad = roll_from(d, 0, w.dilation * (w.width - 1));
	w.windows = (w.n + 2 * w.pad - w.dilation * (w.width - 1) - 1) / w.step + 1;
	return w;
}

static void run_convolution(uint64_t seed, struct seen *seen)
{
	struct run r = start();
	struct dice d = {seed * 7919 + 1};
	struct window w[2] = {some_window(&d), some_window(&d)};
	int channels = roll_from(&d, 2, 8), results = roll_from(&d, 2, 12), images = roll_from(&d, 1, 2);
	r.f.session->options.halos = HALOS_PARTS;
	struct place *p = mesh_of(&r, w[0].ranks, w[1].ranks);
	struct shape out = SHAPE(images, results, w[0].windows, w[1].windows);
	struct node *x = fixture_param(&r.f, "x", SHAPE(images, channels, w[0].n, w[1].n), p, "S2,S3");
	struct node *k = fixture_param(&r.f, "w", SHAPE(results, channels, w[0].width, w[1].width), p, "B,B");
	struct node *g = fixture_param(&r.f, "g", out, p, "S2,S3");
	struct node *z = fixture_param(&r.f, "z", out, p, "S2,S3");
	int slot = z->slot;
	struct node *y = to(&r, image_convolution(&r, w, out.dim, x, k), "S2,S3");
	y = image_map(&r, "scale(a[n, k, i, j]) -> [n, k, i, j] = a * 0.5", y, NULL);
	if (roll_from(&d, 0, 1)) /* to what has memory of its own, or to a slot, which y replaces or not */
		z = image_map(&r, "exp(a[n, k, i, j]) -> [n, k, i, j] = exp(a)", z, NULL);
	int adds = roll_from(&d, 0, 3);
	if (adds == 1)
		y = to(&r, plus_others(&r, &d, y, p), "S2,S3");
	else if (adds)
		y = image_map(&r, "add(a[n, k, i, j], b[n, k, i, j]) -> [n, k, i, j] = a + b", y, z);
	if (roll_from(&d, 0, 1))
		fixture_keep(&r.f, "y", y);
	else
		graph_output(r.f.graph, OUTPUT_SLOT, slot, y, (struct span){0});
	struct node *wrt[] = {x, k}, *dx[2];
	bool gradients = roll_from(&d, 0, 1) && autodiff_vjp(r.f.graph, y, g, 2, wrt, dx);
	for (int i = 0; gradients && i < 2; i++)
		graph_output(r.f.graph, OUTPUT_SLOT, wrt[i]->slot, dx[i], (struct span){0});
	if (!prepare(&r, p->count))
		ck_abort_msg("convolution %llu cannot be laid out", (unsigned long long)seed);
	compare(&r, 2);
	look(seen, r.f.program);
	session_free(r.f.session);
}

START_TEST(convolutions_in_parts_are_those_of_one_rank)
{
	int n = suite_count(4000, 100, 33);
	struct seen seen = {0};
	for (int i = 0; i < n; i++)
		run_convolution((uint64_t)i, &seen);
	ck_assert_int_gt(seen.products, n / 4);
	ck_assert_int_gt(seen.added, n / 20);
	ck_assert_int_gt(seen.holes, n / 20);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "plan: windows");
	tcase_add_test(t, windows_over_shards_are_those_of_one_rank);
	tcase_add_test(t, windows_in_two_dimensions_are_those_of_one_rank);
	tcase_add_test(t, stencils_on_meshes_are_those_of_one_rank);
	tcase_add_test(t, convolutions_in_parts_are_those_of_one_rank);
	tcase_add_test(t, a_part_and_windows_of_it_find_a_layout);
	tcase_add_test(t, a_stepped_value_goes_to_another_slot_before_it_is_exchanged);
	tcase_add_test(t, a_map_without_elements_is_not_cut);
	return suite_end(s);
}
