/* test_plan_run.c — plans of hand-written regions, run on simulated ranks, give what the graph means. */
#include "compiler/autodiff/autodiff.h"
#include "plan_run.h"
#include "suite.h"

START_TEST(elementwise_chain_is_one_kernel)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *a = fixture_param(&r.f, "a", SHAPE(5, 7), at, "B"),
		    *b = fixture_param(&r.f, "b", SHAPE(7), at, "B");
	struct node *s = fixture_map(&r.f, "bias(a[i, j], b[j]) -> [i, j] = a + b {i=5, j=7}", a, b, NULL);
	struct node *y = fixture_map(&r.f, "relu(a[i, j]) -> [i, j] = max(a, 0.0) {i=5, j=7}", s, NULL, NULL);
	struct node *z = fixture_map(&r.f, "exp(a[i, j]) -> [i, j] = exp(a) {i=5, j=7}", y, NULL, NULL);
	fixture_keep(&r.f, "z", z);
	ck_assert(prepare(&r, 1));
	compare(&r, 1);
	ck_assert_int_eq(count_steps(only_plan(&r), STEP_KERNEL), 1);
	ck_assert_int_eq(only_plan(&r)->steps.n, 1);
}
END_TEST

/* softmax over rows and a sum over columns of its result. */
static struct node *softmax(struct run *r, struct node *x, int64_t n, int64_t k)
{
	struct arena *a = r->f.session->arena;
	struct node *m = fixture_map(
		&r->f, arena_printf(a, "max(a[i, j]) -> [i] = max[j] a {i=%d, j=%d}", (int)n, (int)k), x, NULL, NULL);
	struct node *e = fixture_map(
		&r->f, arena_printf(a, "shift(a[i, j], b[i]) -> [i, j] = exp(a - b) {i=%d, j=%d}", (int)n, (int)k), x,
		m, NULL);
	struct node *s = fixture_map(
		&r->f, arena_printf(a, "sum(a[i, j]) -> [i] = sum[j] a {i=%d, j=%d}", (int)n, (int)k), e, NULL, NULL);
	return fixture_map(&r->f, arena_printf(a, "div(a[i, j], b[i]) -> [i, j] = a / b {i=%d, j=%d}", (int)n, (int)k),
			   e, s, NULL);
}

START_TEST(softmax_is_one_kernel)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *x = fixture_param(&r.f, "x", SHAPE(6, 10), at, "B");
	struct node *y = softmax(&r, x, 6, 10);
	fixture_keep(&r.f, "y", y);
	fixture_keep(&r.f, "columns", fixture_map(&r.f, "sum(a[i, j]) -> [j] = sum[i] a {i=6, j=10}", y, NULL, NULL));
	fixture_keep(&r.f, "all", fixture_map(&r.f, "sum(a[i, j]) -> [] = sum[i, j] a {i=6, j=10}", y, NULL, NULL));
	ck_assert(prepare(&r, 1));
	compare(&r, 1);
	ck_assert_int_eq(count_steps(only_plan(&r), STEP_KERNEL), 1);
}
END_TEST

/* A classifier's training step; the sizes are small but worth products. */
static struct node *mlp(struct run *r, const struct place *at, bool momentum)
{
	struct fixture *f = &r->f;
	struct node *x = fixture_param(f, "x", SHAPE(16, 24), at, "B");
	int ts = fixture_slot(f, "t", DT_I32, SHAPE(16), at);
	struct node *t = graph_slot(f->graph, &f->site, ts);
	struct node *w1 = fixture_param(f, "w1", SHAPE(24, 32), at, "B"),
		    *c1 = fixture_param(f, "c1", SHAPE(32), at, "B");
	struct node *w2 = fixture_param(f, "w2", SHAPE(32, 10), at, "B"),
		    *c2 = fixture_param(f, "c2", SHAPE(10), at, "B");
	struct node *h = fixture_map(
		f, "matmul(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b using gemm {m=16, k=24, n=32}", x, w1, NULL);
	h = fixture_map(f, "add(a[i, j], b[j]) -> [i, j] = a + b {i=16, j=32}", h, c1, NULL);
	h = fixture_map(f, "relu(a[i, j]) -> [i, j] = max(a, 0.0) {i=16, j=32}", h, NULL, NULL);
	struct node *y = fixture_map(
		f, "matmul(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b using gemm {m=16, k=32, n=10}", h, w2, NULL);
	y = fixture_map(f, "add(a[i, j], b[j]) -> [i, j] = a + b {i=16, j=10}", y, c2, NULL);
	struct node *m = fixture_map(f, "max(a[i, j]) -> [i] = max[j] a {i=16, j=10}", y, NULL, NULL);
	m = graph_stop(f->graph, &f->site, m);
	struct node *z = fixture_map(f, "shift(a[i, j], b[i]) -> [i, j] = a - b {i=16, j=10}", y, m, NULL);
	struct node *e = fixture_map(f, "exp(a[i, j]) -> [i, j] = exp(a) {i=16, j=10}", z, NULL, NULL);
	struct node *s = fixture_map(f, "sum(a[i, j]) -> [i] = sum[j] a {i=16, j=10}", e, NULL, NULL);
	struct node *l = fixture_map(f, "log(a[i]) -> [i] = log(a) {i=16}", s, NULL, NULL);
	struct node *picked = fixture_map(f, "pick(a[i, b:10], b[i]: i32) -> [i] = a {i=16}", z, t, NULL);
	struct node *each = fixture_map(f, "sub(a[i], b[i]) -> [i] = a - b {i=16}", l, picked, NULL);
	struct node *loss = fixture_map(f, "sum(a[i]) -> [] = sum[i] a {i=16}", each, NULL, NULL);
	loss = fixture_map(f, "mean(a[]) -> [] = a / 16.0", loss, NULL, NULL);
	struct node *wrt[] = {w1, c1, w2, c2}, *g[4], *one = graph_float(f->graph, &f->site, DT_F32, 1);
	ck_assert(autodiff_vjp(f->graph, loss, one, 4, wrt, g));
	struct node *lr = host(r, 0, 0.1);
	for (int i = 0; i < 4; i++) {
		struct node *step = g[i];
		if (momentum) {
			struct slot *like = f->program->slots.at[wrt[i]->slot];
			struct node *v = fixture_param(f, arena_printf(f->session->arena, "v.%s", like->name),
						       like->shape, at, "B");
			f->program->slots.at[v->slot]->slot_class = SLOT_STATE;
			struct node *mu = graph_float(f->graph, &f->site, DT_F32, 0.9);
			step = graph_pointwise(f->graph, &f->site, SC_ADD,
					       graph_pointwise(f->graph, &f->site, SC_MUL, v, mu, NULL), g[i], NULL);
			graph_output(f->graph, OUTPUT_SLOT, v->slot, step, (struct span){0});
		}
		struct node *d = graph_pointwise(f->graph, &f->site, SC_MUL, step, lr, NULL);
		graph_output(f->graph, OUTPUT_SLOT, wrt[i]->slot,
			     graph_pointwise(f->graph, &f->site, SC_SUB, wrt[i], d, NULL), (struct span){0});
	}
	graph_output(f->graph, OUTPUT_HOST, 0, loss, (struct span){0});
	return loss;
}

START_TEST(gradient_step_of_a_classifier)
{
	struct run r = start();
	mlp(&r, one_rank(&r), false);
	ck_assert(prepare(&r, 1));
	compare(&r, 3);
	/* Bias and relu; softmax, losses of rows and their gradients; their sum; relu backward with the bias; and the
	 * rate, negated for the products. */
	ck_assert_int_eq(count_steps(only_plan(&r), STEP_KERNEL), 5);
	ck_assert_int_eq(count_steps(only_plan(&r), STEP_GEMM), 5);
	ck_assert_int_eq(count_steps(only_plan(&r), STEP_COPY), 0);
}
END_TEST

START_TEST(gradient_step_with_momentum)
{
	struct run r = start();
	mlp(&r, one_rank(&r), true);
	ck_assert(prepare(&r, 1));
	compare(&r, 3);
}
END_TEST

START_TEST(equal_layers_are_compiled_once)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *x = fixture_param(&r.f, "x", SHAPE(16, 16), at, "B");
	for (int i = 0; i < 300; i++) {
		struct node *w =
			fixture_param(&r.f, arena_printf(r.f.session->arena, "w%d", i), SHAPE(16, 16), at, "B");
		struct node *c = fixture_param(&r.f, arena_printf(r.f.session->arena, "c%d", i), SHAPE(16), at, "B");
		x = fixture_map(&r.f, "mm(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=16, k=16, n=16}", x, w, NULL);
		x = fixture_map(&r.f, "add(a[i, j], b[j]) -> [i, j] = tanh(a + b) {i=16, j=16}", x, c, NULL);
	}
	fixture_keep(&r.f, "y", x);
	ck_assert(prepare(&r, 1));
	/* One for layers in place and for the last, which is written into the slot. */
	ck_assert_int_eq(r.f.program->roles.at[0]->kernels.n, 1);
	/* The activations of a layer are gone when the one after the next is computed. */
	ck_assert_int_le(only_plan(&r)->arena_bytes, 2 * 16 * 16 * 4);
}
END_TEST

/* Groups of the same maps and shapes, of which one reads its first operand twice and the other its second. */
START_TEST(groups_that_read_again_something_else_are_others)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *x = fixture_param(&r.f, "x", SHAPE(16, 16), at, "B");
	for (int i = 0; i < 2; i++) {
		struct arena *a = r.f.session->arena;
		struct node *w = fixture_param(&r.f, arena_printf(a, "w%d", i), SHAPE(16, 16), at, "B"),
			    *c = fixture_param(&r.f, arena_printf(a, "c%d", i), SHAPE(16, 16), at, "B");
		x = fixture_map(&r.f, "mm(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=16, k=16, n=16}", x, w, NULL);
		struct node *d =
			fixture_map(&r.f, "sub(a[i, j], b[i, j]) -> [i, j] = tanh(a - b) {i=16, j=16}", x, c, NULL);
		x = fixture_map(&r.f, "mul(a[i, j], b[i, j]) -> [i, j] = a * b {i=16, j=16}", d, i ? c : x, NULL);
	}
	fixture_keep(&r.f, "y", x);
	ck_assert(prepare(&r, 1));
	compare(&r, 1);
	ck_assert_int_eq(count_steps(only_plan(&r), STEP_KERNEL), 2);
}
END_TEST

START_TEST(layer_norm_is_one_kernel_each_way)
{
	struct run r = start();
	struct fixture *f = &r.f;
	const struct place *at = one_rank(&r);
	struct node *x = fixture_param(f, "x", SHAPE(6, 20), at, "B"), *w = fixture_param(f, "w", SHAPE(20), at, "B");
	struct node *dy = fixture_param(f, "dy", SHAPE(6, 20), at, "B");
	struct node *m = fixture_map(f, "mean(a[i, j]) -> [i] = sum[j] a * 0.05 {i=6, j=20}", x, NULL, NULL);
	struct node *d = fixture_map(f, "sub(a[i, j], b[i]) -> [i, j] = a - b {i=6, j=20}", x, m, NULL);
	struct node *v = fixture_map(f, "var(a[i, j]) -> [i] = sum[j] a * a * 0.05 {i=6, j=20}", d, NULL, NULL);
	struct node *s = fixture_map(f, "scale(a[i]) -> [i] = rsqrt(a + 0.001) {i=6}", v, NULL, NULL);
	struct node *n = fixture_map(f, "mul(a[i, j], b[i]) -> [i, j] = a * b {i=6, j=20}", d, s, NULL);
	struct node *y = fixture_map(f, "gain(a[i, j], b[j]) -> [i, j] = a * b {i=6, j=20}", n, w, NULL);
	struct node *wrt[] = {x, w}, *g[2];
	ck_assert(autodiff_vjp(f->graph, y, dy, 2, wrt, g));
	fixture_keep(f, "y", y);
	fixture_keep(f, "dx", g[0]);
	fixture_keep(f, "dw", g[1]);
	ck_assert(prepare(&r, 1));
	compare(&r, 1);
	ck_assert_int_le(count_steps(only_plan(&r), STEP_KERNEL), 2);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "plan run");
	tcase_add_test(t, elementwise_chain_is_one_kernel);
	tcase_add_test(t, softmax_is_one_kernel);
	tcase_add_test(t, gradient_step_of_a_classifier);
	tcase_add_test(t, gradient_step_with_momentum);
	tcase_add_test(t, equal_layers_are_compiled_once);
	tcase_add_test(t, groups_that_read_again_something_else_are_others);
	tcase_add_test(t, layer_norm_is_one_kernel_each_way);
	return suite_end(suite);
}
