/* test_plan_arrange.c — values that only maps read are stored so that products need fewer calls; each plan is also run
 * and compared. */
#include "plan_run.h"
#include "suite.h"

/* x[n, t, d] w[d, h, k] as q[n, h, t, k]: rows and columns of the product take turns. */
#define Q        "q(a[n, t, d], b[d, h, k]) -> [n, h, t, k] = sum[d] a * b {n=3, t=16, d=24, h=4, k=18}"
#define SCALE    "scale(a[n, h, t, k]) -> [n, h, t, k] = 0.5 * a {n=3, h=4, t=16, k=18}"
#define BIAS     "bias(a[n, h, t, k], b[h, k]) -> [n, h, t, k] = 0.125 * a + b {n=3, h=4, t=16, k=18}"
#define SCORES   "s(a[n, h, i, c], b[n, h, j, c]) -> [n, h, i, j] = sum[c] a * b {n=3, h=4, i=16, j=16, c=18}"
#define WEIGHTED "o(a[n, h, i, j], b[n, h, j, c]) -> [n, h, i, c] = sum[j] a * b {n=3, h=4, i=16, j=16, c=18}"
#define OUT      "y(a[n, h, t, k], b[h, k, d]) -> [n, t, d] = sum[h, k] a * b {n=3, h=4, t=16, k=18, d=24}"
#define OVER_H   "m(a[n, h, t, k]) -> [n, t, k] = sum[h] a {n=3, h=4, t=16, k=18}"
#define RISING   "r(a[n, h, t, k], b[n, h, u, k]) -> [n, h, t, u] = sum[k] a * b {n=3, h=4, t=16, u=16, k=18}"

struct model {
	struct run r;
	const struct place *at;
	struct node *x, *w, *wo, *bias;
};

static struct model model_start(void)
{
	struct model m = {.r = start()};
	m.at = one_rank(&m.r);
	m.x = fixture_param(&m.r.f, "x", SHAPE(3, 16, 24), m.at, "B");
	m.w = fixture_param(&m.r.f, "w", SHAPE(24, 4, 18), m.at, "B");
	m.wo = fixture_param(&m.r.f, "wo", SHAPE(4, 18, 24), m.at, "B");
	m.bias = fixture_param(&m.r.f, "bias", SHAPE(4, 18), m.at, "B");
	return m;
}

/* Turns of the loops around all products of the plan, and how many products there are. The model is gone then. */
static int64_t turns(struct model *m, int *products)
{
	ck_assert(prepare(&m->r, 1));
	compare(&m->r, 1);
	const struct plan *p = only_plan(&m->r);
	int64_t all = 0;
	*products = 0;
	for (int i = 0; i < p->steps.n; i++) {
		if (p->steps.at[i].kind != STEP_GEMM)
			continue;
		int64_t n = 1;
		for (int k = 0; k < p->steps.at[i].gemm->nloops; k++)
			n *= p->steps.at[i].gemm->loop[k].extent;
		all += n;
		++*products;
	}
	session_free(m->r.f.session);
	return all;
}

static struct node *map(struct model *m, const char *rule, struct node *x, struct node *y)
{
	return fixture_map(&m->r.f, rule, x, y, NULL);
}

static struct node *queries(struct model *m)
{
	return map(m, BIAS, map(m, Q, m->x, m->w), m->bias);
}

START_TEST(heads_are_columns_of_one_product)
{
	struct model m = model_start();
	int products;
	struct node *q = queries(&m);
	fixture_keep(&m.r.f, "y", map(&m, OUT, q, m.wo));
	ck_assert_int_eq(turns(&m, &products), 2);
	ck_assert_int_eq(products, 2);
}
END_TEST

START_TEST(attention_reads_what_is_stored_by_tokens)
{
	struct model m = model_start();
	int products;
	struct node *q = queries(&m);
	struct node *s = map(&m, SCORES, q, map(&m, SCALE, q, NULL));
	fixture_keep(&m.r.f, "y", map(&m, OUT, map(&m, WEIGHTED, s, q), m.wo));
	ck_assert_int_eq(turns(&m, &products), 1 + 12 + 12 + 1); /* once for every row and head */
	ck_assert_int_eq(products, 4);
}
END_TEST

START_TEST(what_is_kept_has_the_order_of_the_program)
{
	struct model m = model_start();
	int products;
	struct node *q = map(&m, Q, m.x, m.w);
	fixture_keep(&m.r.f, "q", q);
	fixture_keep(&m.r.f, "y", map(&m, OUT, q, m.wo));
	ck_assert_int_eq(turns(&m, &products), 24);
	ck_assert_int_eq(products, 2);
}
END_TEST

START_TEST(what_a_reshape_reads_has_the_order_of_the_program)
{
	struct model m = model_start();
	int products;
	struct node *q = queries(&m);
	struct shape flat = SHAPE(12, 16, 18);
	fixture_keep(&m.r.f, "flat",
		     graph_pointwise(m.r.f.graph, &m.r.f.site, SC_NEG,
				     graph_reshape(m.r.f.graph, &m.r.f.site, q, &flat), NULL, NULL));
	turns(&m, &products);
	ck_assert_int_eq(products, 1);
}
END_TEST

START_TEST(sums_over_a_moved_dimension)
{
	struct model m = model_start();
	int products;
	struct node *q = queries(&m);
	fixture_keep(&m.r.f, "y", map(&m, OUT, q, m.wo));
	fixture_keep(&m.r.f, "m", map(&m, OVER_H, q, NULL));
	fixture_keep(&m.r.f, "r", map(&m, RISING, q, q));
	turns(&m, &products);
	ck_assert_int_ge(products, 2);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "order of dimensions");
	tcase_add_test(t, heads_are_columns_of_one_product);
	tcase_add_test(t, attention_reads_what_is_stored_by_tokens);
	tcase_add_test(t, what_is_kept_has_the_order_of_the_program);
	tcase_add_test(t, what_a_reshape_reads_has_the_order_of_the_program);
	tcase_add_test(t, sums_over_a_moved_dimension);
	return suite_end(suite);
}
