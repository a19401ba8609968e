/* test_plan_products.c — what is folded into products of matrices; each plan is also run and compared. Which maps
 * become products is asked in test_plan_contractions.c. */
#include "plan_run.h"
#include "suite.h"

static struct node *pw(struct run *r, enum scalar_fn fn, struct node *x, struct node *y)
{
	return graph_pointwise(r->f.graph, &r->f.site, fn, x, y, NULL);
}

/* x^T g with x 16 × 17, g 16 × 18, shaped like w. */
static struct node *gradient(struct run *r, const struct place *at)
{
	struct node *x = fixture_param(&r->f, "x", SHAPE(16, 17), at, "B"),
		    *g = fixture_param(&r->f, "g", SHAPE(16, 18), at, "B");
	return fixture_map(&r->f, "tn(a[k, m], b[k, n]) -> [m, n] = sum[k] a * b {k=16, m=17, n=18}", x, g, NULL);
}

static void update(struct run *r, struct node *slot, struct node *x)
{
	graph_output(r->f.graph, OUTPUT_SLOT, slot->slot, x, (struct span){0});
}

static const struct plan *run(struct run *r)
{
	ck_assert(prepare(r, 1));
	compare(r, 2);
	return only_plan(r);
}

START_TEST(plain_gradient_step_is_one_product_in_place)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *w = fixture_param(&r.f, "w", SHAPE(17, 18), at, "B"), *g = gradient(&r, at);
	update(&r, w, pw(&r, SC_SUB, w, pw(&r, SC_MUL, g, graph_float(r.f.graph, &r.f.site, DT_F32, 0.25))));
	const struct plan *p = run(&r);
	ck_assert_int_eq(p->steps.n, 1);
	ck_assert_int_eq(p->arena_bytes, 0);
	ck_assert_double_eq(p->steps.at[0].gemm->alpha.number.f, -0.25);
	ck_assert_double_eq(p->steps.at[0].gemm->beta.number.f, 1);
}
END_TEST

START_TEST(rate_of_the_host_and_weight_decay_fold_too)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *w = fixture_param(&r.f, "w", SHAPE(17, 18), at, "B"), *g = gradient(&r, at),
		    *lr = host(&r, 0, 0.1);
	struct node *keep = graph_float(r.f.graph, &r.f.site, DT_F32, 0.5);
	update(&r, w, pw(&r, SC_SUB, pw(&r, SC_MUL, w, keep), pw(&r, SC_MUL, g, lr)));
	const struct plan *p = run(&r);
	ck_assert_int_eq(count_steps(p, STEP_GEMM), 1);
	ck_assert_int_le(p->steps.n, 3);
}
END_TEST

/* Coefficients that are worked out are worked out once if they are the same: of the same scalars. */
START_TEST(coefficients_of_other_scalars_are_others)
{
	struct run r = start();
	struct arena *a = r.f.session->arena;
	const struct place *at = one_rank(&r);
	struct node *c[] = {host(&r, 0, 0.1), host(&r, 1, 0.5)},
		    *factor[] = {c[0], c[1], pw(&r, SC_MUL, c[0], c[1]), c[0]};
	for (int i = 0; i < 4; i++) {
		struct node *w = fixture_param(&r.f, arena_printf(a, "w%d", i), SHAPE(17, 18), at, "B"),
			    *x = fixture_param(&r.f, arena_printf(a, "x%d", i), SHAPE(16, 17), at, "B"),
			    *y = fixture_param(&r.f, arena_printf(a, "y%d", i), SHAPE(16, 18), at, "B"),
			    *g = fixture_map(&r.f, "tn(a[k, m], b[k, n]) -> [m, n] = sum[k] a * b {k=16, m=17, n=18}",
					     x, y, NULL);
		update(&r, w, pw(&r, SC_SUB, w, pw(&r, SC_MUL, g, factor[i])));
	}
	const struct plan *p = run(&r);
	ck_assert_int_eq(count_steps(p, STEP_GEMM), 4);
	ck_assert_int_eq(count_steps(p, STEP_KERNEL), 3);
}
END_TEST

/* In one map: what scales is a quotient, of which each side is a coefficient. */
START_TEST(quotients_of_scalars_are_coefficients)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *w = fixture_param(&r.f, "w", SHAPE(17, 18), at, "B"),
		    *in[] = {gradient(&r, at), host(&r, 0, 0.75), host(&r, 1, 0.5)};
	struct node *scaled = fixture_map(&r.f, "scale(a[i, j], b[], c[]) -> [i, j] = a * (b / (c * 4.0)) {i=17, j=18}",
					  in[0], in[1], in[2]);
	update(&r, w, pw(&r, SC_SUB, w, scaled));
	const struct plan *p = run(&r);
	ck_assert_int_eq(count_steps(p, STEP_GEMM), 1);
	ck_assert_int_eq(p->steps.n, 2);
}
END_TEST

START_TEST(momentum_folds_into_the_product)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *w = fixture_param(&r.f, "w", SHAPE(17, 18), at, "B"),
		    *v = fixture_param(&r.f, "v", SHAPE(17, 18), at, "B");
	struct node *mu = graph_float(r.f.graph, &r.f.site, DT_F32, 0.5), *lr = host(&r, 0, 0.1);
	struct node *next = pw(&r, SC_ADD, pw(&r, SC_MUL, v, mu), gradient(&r, at));
	update(&r, v, next);
	update(&r, w, pw(&r, SC_SUB, w, pw(&r, SC_MUL, next, lr)));
	const struct plan *p = run(&r);
	ck_assert_int_eq(p->steps.n, 2);
	ck_assert_double_eq(p->steps.at[0].gemm->beta.number.f, 0.5);
	ck_assert_int_eq(p->arena_bytes, 0);
}
END_TEST

START_TEST(gradient_that_is_read_elsewhere_is_not_folded)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *w = fixture_param(&r.f, "w", SHAPE(17, 18), at, "B"), *g = gradient(&r, at);
	update(&r, w, pw(&r, SC_SUB, w, g));
	fixture_keep(&r.f, "g", g);
	const struct plan *p = run(&r), *unused = p;
	(void)unused;
	for (int i = 0; i < p->steps.n; i++)
		if (p->steps.at[i].kind == STEP_GEMM)
			ck_assert_double_eq(p->steps.at[i].gemm->beta.number.f, 0);
}
END_TEST

START_TEST(sum_of_products_accumulates)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *a = fixture_param(&r.f, "a", SHAPE(17, 20), at, "B"),
		    *b = fixture_param(&r.f, "b", SHAPE(20, 18), at, "B");
	struct node *ab =
		fixture_map(&r.f, "mm(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=17, k=20, n=18}", a, b, NULL);
	fixture_keep(&r.f, "y", pw(&r, SC_ADD, ab, gradient(&r, at)));
	const struct plan *p = run(&r);
	ck_assert_int_eq(count_steps(p, STEP_GEMM), 2);
	ck_assert_int_eq(count_steps(p, STEP_KERNEL), 0);
}
END_TEST

START_TEST(weights_read_after_their_gradient_are_updated_last)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *w = fixture_param(&r.f, "w", SHAPE(17, 18), at, "B"), *g = gradient(&r, at);
	update(&r, w, pw(&r, SC_SUB, w, g));
	struct node *x = fixture_param(&r.f, "late", SHAPE(16, 18), at, "B");
	fixture_keep(&r.f, "back",
		     fixture_map(&r.f, "nt(a[m, k], b[n, k]) -> [m, n] = sum[k] a * b {m=16, k=18, n=17}", x, w, NULL));
	const struct plan *p = run(&r);
	ck_assert_int_eq(count_steps(p, STEP_GEMM), 2);
	ck_assert_int_eq(count_steps(p, STEP_COPY), 0);
}
END_TEST

START_TEST(value_needed_old_and_new_is_copied)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	/* The old w is read by something that needs the new one. */
	struct node *w = fixture_param(&r.f, "w", SHAPE(17, 18), at, "B"), *g = gradient(&r, at);
	struct node *next = pw(&r, SC_SUB, w, g);
	update(&r, w, next);
	fixture_keep(
		&r.f, "y",
		fixture_map(&r.f, "nt(a[m, k], b[n, k]) -> [m, n] = sum[k] a * b {m=17, k=18, n=17}", next, w, NULL));
	run(&r);
}
END_TEST

START_TEST(slots_can_exchange_values)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *a = fixture_param(&r.f, "a", SHAPE(9), at, "B"), *b = fixture_param(&r.f, "b", SHAPE(9), at, "B");
	struct node *c = fixture_param(&r.f, "c", SHAPE(9), at, "B");
	update(&r, a, b);
	update(&r, b, c);
	update(&r, c, a);
	run(&r);
}
END_TEST

/* Also where it reads the old one, which is in another shape there, element for element; not where it turns it. */
START_TEST(value_in_another_shape_is_made_in_its_slot)
{
	static const char *const rule[] = {"add(a[i, j], b[i, j]) -> [i, j] = a + b {i=3, j=3}",
					   "turned(a[j, i], b[i, j]) -> [i, j] = a + b {i=3, j=3}"};
	for (int turned = 0; turned < 2; turned++) {
		struct run r = start();
		const struct place *at = one_rank(&r);
		struct node *a = fixture_param(&r.f, "a", SHAPE(9), at, "B"),
			    *b = fixture_param(&r.f, "b", SHAPE(3, 3), at, "B");
		struct node *x = graph_reshape(r.f.graph, &r.f.site, a, (struct shape[]){SHAPE(3, 3)});
		struct node *y = fixture_map(&r.f, rule[turned], x, b, NULL);
		update(&r, a, graph_reshape(r.f.graph, &r.f.site, y, (struct shape[]){SHAPE(9)}));
		const struct plan *p = run(&r);
		ck_assert_int_eq(count_steps(p, STEP_COPY), turned);
	}
}
END_TEST

/* What a loop leaves is added to where it lies, unless somebody else reads it. */
START_TEST(sums_go_on_behind_their_loop)
{
	for (int others = 0; others < 2; others++) {
		struct run r = start();
		struct graph *g = r.f.graph;
		const struct place *at = one_rank(&r);
		struct node *v = fixture_param(&r.f, "v", SHAPE(17, 18), at, "B"),
			    *u = fixture_param(&r.f, "u", SHAPE(17, 18), at, "B");
		struct loop *l = graph_loop(g, NULL, 3, (struct span){0});
		struct node *sum = graph_carry(g, &r.f.site, l, pw(&r, SC_MUL, v, v));
		struct node *end = graph_end(g, &r.f.site, sum, pw(&r, SC_ADD, sum, v));
		struct node *x = pw(&r, SC_ADD, pw(&r, SC_ADD, end, gradient(&r, at)), gradient(&r, at));
		update(&r, u, pw(&r, SC_MUL, x, x));
		if (others)
			update(&r, v, end);
		const struct plan *p = run(&r);
		ck_assert_int_eq(count_steps(p, STEP_GEMM), 2);
		ck_assert_int_eq(count_steps(p, STEP_KERNEL), 3);
		ck_assert_int_eq(count_steps(p, STEP_COPY), others); /* into v */
		for (int i = 0; i < p->steps.n; i++)
			if (p->steps.at[i].kind == STEP_GEMM)
				ck_assert_double_eq(p->steps.at[i].gemm->beta.number.f, !others);
	}
}
END_TEST

START_TEST(value_that_goes_to_two_slots_is_made_once)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *a = fixture_param(&r.f, "a", SHAPE(9), at, "B"), *b = fixture_param(&r.f, "b", SHAPE(9), at, "B");
	struct node *s = pw(&r, SC_MUL, a, b);
	update(&r, a, s);
	update(&r, b, s);
	const struct plan *p = run(&r);
	ck_assert_int_eq(count_steps(p, STEP_KERNEL), 1);
}
END_TEST

/* What is added would be added twice where turns overlap. */
START_TEST(nothing_is_added_in_turns_that_overlap)
{
	static const int lines[] = {60, 61};
	for (int i = 0; i < 2; i++) {
		struct run r = start();
		struct arena *arena = r.f.session->arena;
		const struct place *at = one_rank(&r);
		struct node *a = fixture_param(&r.f, "a", SHAPE(16, lines[i], 72), at, "B"),
			    *b = fixture_param(&r.f, "b", SHAPE(2, 16, 3, 3), at, "B"),
			    *z = fixture_param(&r.f, "z", SHAPE(2, lines[i], 72), at, "B");
		struct node *y = fixture_map(&r.f,
					     arena_printf(arena,
							  "conv(a[c, y + p - 1:%d, x + q - 1:72], b[o, c, p, q]) -> "
							  "[o, y, x] = sum[c, p, q] a * b "
							  "{c=16, y=%d, x=72, o=2, p=3, q=3}",
							  lines[i], lines[i]),
					     a, b, NULL);
		y = fixture_map(&r.f,
				arena_printf(arena,
					     "add(a[o, y, x], b[o, y, x]) -> [o, y, x] = a + b {o=2, y=%d, x=72}",
					     lines[i]),
				z, y, NULL);
		graph_output(r.f.graph, OUTPUT_SLOT, z->slot, y, (struct span){0});
		const struct plan *p = run(&r);
		ck_assert_int_eq(p->steps.n, i == 0 ? 1 : 2);
		ck_assert_int_eq(p->steps.at[0].kind, STEP_GEMM);
		ck_assert(p->steps.at[0].gemm->beta.number.f == (i == 0 ? 1 : 0));
	}
}
END_TEST

START_TEST(transposed_operands_are_flags)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *a = fixture_param(&r.f, "a", SHAPE(17, 16), at, "B"),
		    *b = fixture_param(&r.f, "b", SHAPE(17, 18), at, "B");
	struct node *t = fixture_map(&r.f, "t(a[i, j]) -> [j, i] = a {i=17, j=16}", a, NULL, NULL);
	fixture_keep(&r.f, "y",
		     fixture_map(&r.f, "mm(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=16, k=17, n=18}", t, b, NULL));
	const struct plan *p = run(&r);
	ck_assert_int_eq(p->steps.n, 1);
	ck_assert(p->steps.at[0].gemm->ta);
}
END_TEST

/* Of 8 bits are those that are widened, here by maps of their own and seen through a transposition; an i32 that is
 * computed is none. */
START_TEST(products_of_8_bits_read_them_as_they_are)
{
	for (int computed = 0; computed < 2; computed++) {
		struct run r = start();
		struct graph *g = r.f.graph;
		const struct node_site *site = &r.f.site;
		const struct place *at = one_rank(&r);
		struct node *a = graph_cast(g, site, fixture_param(&r.f, "a", SHAPE(17, 16), at, "B"), DT_I8),
			    *b = graph_cast(g, site, fixture_param(&r.f, "b", SHAPE(17, 18), at, "B"), DT_U8);
		fixture_keep(&r.f, "bytes", a);
		fixture_keep(&r.f, "more", b);
		struct node *wide = graph_cast(g, site, a, DT_I32);
		wide = fixture_map(&r.f, "t(a[i, j]: i32) -> [j, i] = a {i=17, j=16}", wide, NULL, NULL);
		if (computed)
			wide = pw(&r, SC_ADD, wide, wide);
		fixture_keep(&r.f, "y",
			     fixture_map(&r.f,
					 "mm(a[m, k]: i32, b[k, n]: i32) -> [m, n] = sum[k] a * b {m=16, k=17, n=18}",
					 wide, graph_cast(g, site, b, DT_I32), NULL));
		const struct plan *p = run(&r);
		const struct plan_gemm *product = NULL;
		ck_assert_int_eq(products(p, &product), !computed);
		if (!product)
			continue;
		ck_assert_int_eq(product->type, DT_I8);
		ck_assert_int_eq(product->type_b, DT_U8);
		ck_assert(product->ta);
	}
}
END_TEST

/* In turns that add up nothing may round: their factors become f32. In one turn they stay. */
START_TEST(products_of_16_bits_in_turns_are_of_f32)
{
	for (int turns = 1; turns < 4; turns += 2) {
		struct run r = start();
		struct graph *g = r.f.graph;
		const struct node_site *site = &r.f.site;
		const struct place *at = one_rank(&r);
		struct node *a = graph_cast(g, site, fixture_param(&r.f, "a", SHAPE(turns, 16, 17), at, "B"), DT_BF16),
			    *b = graph_cast(g, site, fixture_param(&r.f, "b", SHAPE(18, turns, 17), at, "B"), DT_BF16);
		fixture_keep(&r.f, "a", a);
		fixture_keep(&r.f, "b", b);
		struct node *y = fixture_map(&r.f,
					     turns == 1 ? "mm(a[x, m, k]: bf16, b[n, x, k]: bf16) -> [m, n] = sum[x, "
							  "k] a * b {x=1, m=16, n=18, k=17}"
							: "mm(a[x, m, k]: bf16, b[n, x, k]: bf16) -> [m, n] = sum[x, "
							  "k] a * b {x=3, m=16, n=18, k=17}",
					     a, b, NULL);
		fixture_keep(&r.f, "y", y);
		const struct plan_gemm *product = NULL;
		ck_assert_int_eq(products(run(&r), &product), 1);
		ck_assert_int_eq(product->type, turns == 1 ? DT_BF16 : DT_F32);
		ck_assert_int_eq(product->nloops, turns > 1);
	}
}
END_TEST

/* Windows of 16 bits are seen in f32, and filtered there, unless pairs of bf16 are multiplied; a product without
 * windows is one of the type all the same. */
START_TEST(windows_of_16_bits_are_of_f32_without_pairs)
{
	static const enum dtype types[] = {DT_BF16, DT_F16};
	const enum dtype type = types[_i & 1];
	const bool has_pairs = _i & 2;
	const char *name = type == DT_BF16 ? "bf16" : "f16";
	char conv[256], plain[256];
	snprintf(conv, sizeof conv,
		 "conv(x[n, c, i + u - 1:14, j + v - 1:14]: %s, w[k, c, u, v]: %s) -> [n, k, i, j] = sum[c, u, v] x * "
		 "w {n=16, c=32, k=48, i=14, j=14, u=3, v=3}",
		 name, name);
	snprintf(plain, sizeof plain,
		 "mm(a[i, n, k]: %s, b[n, j, k]: %s) -> [n, i, j] = sum[k] a * b {n=3, i=32, j=48, k=40}", name, name);
	struct run r = start();
	r.f.session->options.multiplies_bf16 = has_pairs;
	struct graph *g = r.f.graph;
	const struct node_site *site = &r.f.site;
	const struct place *at = one_rank(&r);
	struct node *x = fixture_param(&r.f, "x", SHAPE(16, 32, 14, 14), at, "B"),
		    *w = fixture_param(&r.f, "w", SHAPE(48, 32, 3, 3), at, "B"),
		    *a = fixture_param(&r.f, "a", SHAPE(32, 3, 40), at, "B"),
		    *b = fixture_param(&r.f, "b", SHAPE(3, 48, 40), at, "B");
	fixture_keep(&r.f, "y",
		     fixture_map(&r.f, conv, graph_cast(g, site, x, type), graph_cast(g, site, w, type), NULL));
	fixture_keep(&r.f, "z",
		     fixture_map(&r.f, plain, graph_cast(g, site, a, type), graph_cast(g, site, b, type), NULL));
	const struct plan *p = run(&r);
	int windows = 0, others = 0;
	for (int i = 0; i < p->steps.n; i++) {
		const struct plan_gemm *product = p->steps.at[i].gemm;
		if (p->steps.at[i].kind != STEP_GEMM)
			continue;
		bool sees = product->pack_a || product->pack_b;
		(*(sees ? &windows : &others))++;
		ck_assert_int_eq(product->type, sees && !has_pairs ? DT_F32 : type);
		ck_assert_int_eq(product->filter != NULL, sees && !has_pairs);
	}
	ck_assert_int_eq(windows, 1);
	ck_assert_int_eq(others, 1);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "products");
	tcase_add_test(t, plain_gradient_step_is_one_product_in_place);
	tcase_add_test(t, rate_of_the_host_and_weight_decay_fold_too);
	tcase_add_test(t, coefficients_of_other_scalars_are_others);
	tcase_add_test(t, quotients_of_scalars_are_coefficients);
	tcase_add_test(t, momentum_folds_into_the_product);
	tcase_add_test(t, gradient_that_is_read_elsewhere_is_not_folded);
	tcase_add_test(t, sum_of_products_accumulates);
	tcase_add_test(t, weights_read_after_their_gradient_are_updated_last);
	tcase_add_test(t, value_needed_old_and_new_is_copied);
	tcase_add_test(t, slots_can_exchange_values);
	tcase_add_test(t, value_in_another_shape_is_made_in_its_slot);
	tcase_add_test(t, sums_go_on_behind_their_loop);
	tcase_add_test(t, value_that_goes_to_two_slots_is_made_once);
	tcase_add_test(t, nothing_is_added_in_turns_that_overlap);
	tcase_add_test(t, transposed_operands_are_flags);
	tcase_add_test(t, products_of_8_bits_read_them_as_they_are);
	tcase_add_test(t, products_of_16_bits_in_turns_are_of_f32);
	tcase_add_loop_test(t, windows_of_16_bits_are_of_f32_without_pairs, 0, 4);
	return suite_end(suite);
}
