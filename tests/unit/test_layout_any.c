/* test_layout_any.c — any graph is laid out legally or rejected; what is sent in graphs of models, and the time that
 * long ones take. */
#define _POSIX_C_SOURCE 200809L
#include "layout_random.h"
#include "suite.h"

#include "compiler/layout/verify.h"

#include <time.h>

static struct node *any_map(struct fixture *f, uint64_t *seed, struct node *const *pool, int n)
{
	struct node *x = pool[below(seed, n)], *y = pool[below(seed, n)];
	if (x->place && y->place && x->place != y->place)
		y = x;
	if (below(seed, 2))
		return fixture_map(f, unary[below(seed, 3)], x, NULL, NULL);
	return fixture_map(f, binary[below(seed, 4)], x, y, NULL);
}

static struct node *any_node(struct fixture *f, uint64_t *seed, struct node *const *pool, int n)
{
	const struct place *places[] = {f->left, f->right, f->grid};
	struct node *x = pool[below(seed, n)];
	struct layout_spec spec = {.form = LAYOUT_INFER};
	struct shape flat = SHAPE(N * N), square = SHAPE(N, N);
	const struct place *p = x->place && below(seed, 2) ? x->place : places[below(seed, 3)];
	if (below(seed, 2))
		spec = given(p == f->grid ? arena_printf(f->session->arena, "%s,%s", any_layout(seed), any_layout(seed))
					  : any_layout(seed));
	f->site.origin = below(seed, 3) ? ORIGIN_SOURCE : ORIGIN_BACKWARD;
	switch (below(seed, 8)) {
	case 0:
		return graph_to(f->graph, &f->site, x, p, &spec);
	case 1:
		return graph_contract(f->graph, &f->site, x, x->place ? x->place : p,
				      x->place == p ? &spec : &(struct layout_spec){0}, "it", (struct span){0});
	case 2:
		return graph_reshape(f->graph, &f->site, graph_reshape(f->graph, &f->site, x, &flat), &square);
	case 3:
		return graph_stop(f->graph, &f->site, x);
	case 4:
		return graph_remat(f->graph, &f->site, x, NULL);
	default:
		return any_map(f, seed, pool, n);
	}
}

static struct fixture any_graph(uint64_t seed)
{
	struct fixture f = fixture_new();
	struct node *pool[32];
	struct shape s = SHAPE(N, N);
	int n = 0, size = 6 + (int)below(&seed, 16);
	pool[n++] = fixture_param(&f, "l", s, f.left, any_layout(&seed));
	pool[n++] = fixture_param(&f, "r", s, f.right, any_layout(&seed));
	pool[n++] = fixture_param(&f, "g", s, f.grid, any_layout(&seed));
	pool[n++] = graph_data(f.graph, &f.site, 0, 0, DT_F32, &s);
	while (n < size) {
		pool[n] = any_node(&f, &seed, pool, n);
		n++;
	}
	for (int i = 0; i < 3; i++)
		if (pool[n - 1 - i]->place)
			fixture_keep(&f, arena_printf(f.session->arena, "out%d", i), pool[n - 1 - i]);
	return f;
}

START_TEST(any_graph_is_laid_out_legally_or_rejected)
{
	int accepted = 0, rejected = 0, seeds = suite_count(3000, 3000, 1500);
	for (uint64_t seed = 1; seed <= (uint64_t)seeds; seed++) {
		struct fixture f = any_graph(seed * 104729);
		const char *wrong = graph_verify(f.graph);
		ck_assert_msg(!wrong, "seed %d: %s", (int)seed, wrong);
		struct cost cost;
		bool ok = stage_layout(f.session, f.graph, NULL, &cost);
		ck_assert_int_eq(ok, f.session->errors == 0);
		accepted += ok;
		rejected += !ok;
		if (ok) {
			wrong = graph_verify(f.graph);
			ck_assert_msg(!wrong, "seed %d: %s\n%s", (int)seed, wrong, fixture_print(f.graph));
			ck_assert_ptr_null(layout_verify(f.graph));
		}
		session_free(f.session);
	}
	ck_assert_int_gt(accepted, seeds / 10);
	ck_assert_int_gt(rejected, seeds / 10);
}
END_TEST

START_TEST(two_products_that_are_added_are_finished_once)
{
	struct fixture f = fixture_new();
	struct node *x = fixture_param(&f, "x", SHAPE(N, N), f.left, "S1"),
		    *w = fixture_param(&f, "w", SHAPE(N, N), f.left, "S0");
	f.site.origin = ORIGIN_BACKWARD;
	struct node *a = fixture_map(&f, binary[0], x, w, NULL), *b = fixture_map(&f, binary[0], x, w, NULL);
	struct node *sum = fixture_map(&f, binary[2], a, b, NULL);
	fixture_keep(&f, "out", fixture_map(&f, unary[0], sum, NULL, NULL));
	struct cost cost;
	ck_assert(stage_layout(f.session, f.graph, NULL, &cost));
	ck_assert_int_eq(cost.bytes, 2 * N * N * 4);
	ck_assert_int_eq(count_to(f.graph), 1);
	session_free(f.session);
}
END_TEST

START_TEST(equal_conversions_are_made_once)
{
	struct fixture f = fixture_new();
	struct node *x = fixture_param(&f, "x", SHAPE(N, N), f.left, "S0");
	f.site.origin = ORIGIN_BACKWARD;
	x = fixture_map(&f, unary[0], x, NULL, NULL);
	for (int i = 0; i < 9; i++) {
		int slot = fixture_slot(&f, arena_printf(f.session->arena, "out%d", i), DT_F32, SHAPE(N, N), f.left);
		f.program->slots.at[slot]->is_laid_out = true;
		struct node *y = fixture_map(
			&f, binary[3], x,
			fixture_param(&f, arena_printf(f.session->arena, "b%d", i), SHAPE(N, N), f.left, "B"), NULL);
		graph_output(f.graph, OUTPUT_SLOT, slot, y, y->span);
	}
	struct cost cost;
	ck_assert(stage_layout(f.session, f.graph, NULL, &cost));
	ck_assert_int_eq(cost.bytes, N * N * 4);
	ck_assert_int_eq(count_to(f.graph), 1);
	session_free(f.session);
}
END_TEST

/* What it costs to make the gradient of a [200, 100] param, kept in a slot laid out as `kept`, from activations and
 * cotangents of so many rows laid out as `have`: bytes, and transfers. */
static void check_gradient(int64_t rows, const char *have, const char *kept, int64_t bytes, int transfers)
{
	struct fixture f = fixture_new();
	struct node *x = fixture_param(&f, "x", SHAPE(rows, 200), f.left, have),
		    *g = fixture_param(&f, "g", SHAPE(rows, 100), f.left, have);
	int w = fixture_slot(&f, "w", DT_F32, SHAPE(200, 100), f.left);
	f.program->slots.at[w]->is_laid_out = true;
	f.program->slots.at[w]->laid_out = layout_text(kept);
	f.site.origin = ORIGIN_BACKWARD;
	const char *rule = arena_printf(
		f.session->arena, "dw(a[i, k], b[i, j]) -> [k, j] = sum[i] a * b {i=%d, j=100, k=200}", (int)rows);
	struct node *dw = fixture_map(&f, rule, x, g, NULL);
	graph_output(f.graph, OUTPUT_SLOT, w, dw, dw->span);
	struct cost cost;
	ck_assert(stage_layout(f.session, f.graph, NULL, &cost));
	ck_assert_int_eq(cost.bytes, bytes);
	ck_assert_int_eq(count_to(f.graph), transfers);
	session_free(f.session);
}

/* A batch smaller than the layer is wide: moving x and g would send fewer bytes than reducing the gradient, but
 * activations are not moved again for it. */
START_TEST(a_small_batch_is_not_gathered)
{
	check_gradient(16, "S0", "B", 2 * 200 * 100 * 4, 1);
}
END_TEST

START_TEST(a_gradient_wanted_in_shares_is_reduce_scattered)
{
	check_gradient(16, "S0", "S0", 200 * 100 * 4, 1);
}
END_TEST

/* What the program itself computes on every rank stays so: no byte is sent to share it out. */
START_TEST(repeated_work_of_the_program_is_left_alone)
{
	check_gradient(900, "B", "B", 0, 0);
}
END_TEST

/* The backward pass of a chain of layers x <- relu(x @ w), data-parallel: dw = x^T g, g <- g w^T masked. */
START_TEST(forty_eight_layers_take_less_than_a_second)
{
	struct fixture f = fixture_new();
	enum { LAYERS = 48, WIDTH = 64 };
#define EXTENTS " {i=128, j=64, k=64}"
	struct node *h[LAYERS + 1], *w[LAYERS];
	h[0] = fixture_param(&f, "x", SHAPE(128, WIDTH), f.left, "S0");
	for (int i = 0; i < LAYERS; i++) {
		w[i] = fixture_param(&f, arena_printf(f.session->arena, "w%d", i), SHAPE(WIDTH, WIDTH), f.left, "B");
		struct node *y =
			fixture_map(&f, "matmul(a[i, k], b[k, j]) -> [i, j] = sum[k] a * b" EXTENTS, h[i], w[i], NULL);
		y = fixture_map(&f, "tanh(a[i, j]) -> [i, j] = tanh(a) {i=128, j=64}", y, NULL, NULL);
		h[i + 1] = fixture_map(&f, "add(a[i, j], b[i, j]) -> [i, j] = a + b {i=128, j=64}", y, h[i], NULL);
	}
	f.site.origin = ORIGIN_BACKWARD;
	struct node *g = fixture_map(&f, "neg(a[i, j]) -> [i, j] = -a {i=128, j=64}", h[LAYERS], NULL, NULL);
	for (int i = LAYERS - 1; i >= 0; i--) {
		struct node *m = fixture_map(
			&f, "mask(a[i, j], b[i, j], c[i, j]) -> [i, j] = a * (b - c) {i=128, j=64}", g, h[i + 1], h[i]);
		struct node *dw =
			fixture_map(&f, "dw(a[i, k], b[i, j]) -> [k, j] = sum[i] a * b" EXTENTS, h[i], m, NULL);
		struct node *dx =
			fixture_map(&f, "dx(a[i, j], b[k, j]) -> [i, k] = sum[j] a * b" EXTENTS, m, w[i], NULL);
		g = fixture_map(&f, "add(a[i, j], b[i, j]) -> [i, j] = a + b {i=128, j=64}", g, dx, NULL);
		graph_output(f.graph, OUTPUT_SLOT, w[i]->slot, dw, dw->span);
	}
	struct timespec a, b;
	struct cost cost;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	ck_assert(stage_layout(f.session, f.graph, NULL, &cost));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	double seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
	ck_assert_int_eq(cost.bytes, (int64_t)LAYERS * 2 * WIDTH * WIDTH * 4);
	ck_assert_int_eq(count_to(f.graph), LAYERS);
	ck_assert_msg(seconds < 1, "%g s", seconds);
	printf("48 layers: %.1f ms\n", seconds * 1e3);
	session_free(f.session);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "layouts of any graph");
	tcase_add_test(t, any_graph_is_laid_out_legally_or_rejected);
	tcase_add_test(t, two_products_that_are_added_are_finished_once);
	tcase_add_test(t, equal_conversions_are_made_once);
	tcase_add_test(t, a_small_batch_is_not_gathered);
	tcase_add_test(t, a_gradient_wanted_in_shares_is_reduce_scattered);
	tcase_add_test(t, repeated_work_of_the_program_is_left_alone);
	tcase_add_test(t, forty_eight_layers_take_less_than_a_second);
	return suite_end(s);
}
