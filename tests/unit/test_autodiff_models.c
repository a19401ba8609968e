/* test_autodiff_models.c — derivatives of composed models, in f64: first and second order against central differences,
 * forward mode against reverse mode, and what differentiation promises about placements and errors. */
#include "graph_models.h"
#include "suite.h"

#include "compiler/autodiff/autodiff.h"

#include <math.h>

enum { MAX_LEAVES = 8 };

static struct fixture f;

static void setup(void)
{
	f = fixture_new();
}

static void teardown(void)
{
	session_free(f.session);
}

struct run {
	struct tensor_value *slots, *values;
};

static double value_of(struct run *r, const struct node *n)
{
	graph_interpret(f.graph, r->slots, NULL, r->values);
	return r->values[n->id].at[0].f;
}

static void check_legal(const char *model)
{
	const char *wrong = graph_verify(f.graph), *error = NULL;
	ck_assert_msg(!wrong, "%s: %s", model, wrong ? wrong : "");
	ck_assert_msg(graph_read(f.session, f.program, fixture_print(f.graph), &error), "%s: %s", model,
		      error ? error : "");
}

/* The analytic derivatives d[i] of y against central differences over every element of the leaves. */
static void check_differences(const char *model, struct node *y, int n, struct node *const *leaf, struct node *const *d)
{
	struct run r = {.slots = model_slots(&f, 7)};
	r.values = ARENA_ARRAY(f.session->arena, struct tensor_value, f.graph->nodes.n);
	for (int i = 0; i < n; i++)
		for (int64_t k = 0; k < shape_volume(&leaf[i]->shape); k++) {
			double h = 1e-5, *x = &r.slots[leaf[i]->slot].at[k].f, at = *x;
			*x = at + h;
			double up = value_of(&r, y);
			*x = at - h;
			double down = value_of(&r, y);
			*x = at;
			value_of(&r, y);
			double want = (up - down) / (2 * h), got = r.values[d[i]->id].at[k].f;
			ck_assert_msg(fabs(want - got) <= 1e-6 * (1 + fabs(want)),
				      "%s: d/d%s[%d] is %.9g, differences say %.9g", model, leaf[i]->name, (int)k, got,
				      want);
		}
}

static struct node *gradients(struct node *y, int n, struct node *const *leaf, struct node **d)
{
	struct node_site at = node_site_backward(y);
	struct node *seed = graph_float(f.graph, &at, DT_F64, 1);
	ck_assert(autodiff_vjp(f.graph, y, seed, n, leaf, d));
	return seed;
}

START_TEST(gradients_agree_with_differences)
{
	struct node *leaf[MAX_LEAVES], *d[MAX_LEAVES], *y = graph_models[_i].build(&f);
	int n = model_leaves(f.graph, leaf);
	gradients(y, n, leaf, d);
	check_legal(graph_models[_i].name);
	for (int i = 0; i < n; i++) {
		ck_assert_ptr_eq(d[i]->place, leaf[i]->place ? leaf[i]->place : d[i]->place);
		ck_assert(shape_equal(&d[i]->shape, &leaf[i]->shape) && d[i]->dtype == leaf[i]->dtype);
	}
	check_differences(graph_models[_i].name, y, n, leaf, d);
}
END_TEST

/* z = sum of <gradient, weights> on the left: its gradient is the second derivative along the weights. */
static struct node *contract_gradients(int n, struct node *const *d)
{
	struct layout_spec any = {.form = LAYOUT_INFER};
	struct node *z = NULL;
	for (int i = 0; i < n; i++) {
		struct node *p = model_dot(f.graph, d[i], model_weights(f.graph, d[i]));
		p = graph_to(f.graph, &f.site, p, f.left, &any);
		z = z ? graph_pointwise(f.graph, &f.site, SC_ADD, z, p, NULL) : p;
	}
	return z;
}

START_TEST(second_order_gradients_agree_with_differences)
{
	struct node *leaf[MAX_LEAVES], *d[MAX_LEAVES], *d2[MAX_LEAVES], *y = graph_models[_i].build(&f);
	int n = model_leaves(f.graph, leaf);
	gradients(y, n, leaf, d);
	struct node *z = contract_gradients(n, d);
	gradients(z, n, leaf, d2);
	check_legal(graph_models[_i].name);
	check_differences(graph_models[_i].name, z, n, leaf, d2);
}
END_TEST

/* <vjp, t> = jvp along t, for the model and for its gradient (forward over reverse). */
START_TEST(forward_mode_agrees_with_reverse_mode)
{
	struct node *leaf[MAX_LEAVES], *d[MAX_LEAVES], *d2[MAX_LEAVES], *t[MAX_LEAVES];
	struct node *y = graph_models[_i].build(&f);
	int n = model_leaves(f.graph, leaf);
	for (int i = 0; i < n; i++)
		t[i] = model_weights(f.graph, leaf[i]);
	gradients(y, n, leaf, d);
	struct node *forward = autodiff_jvp(f.graph, y, n, leaf, t), *reverse = contract_gradients(n, d);
	struct node *forward2 = autodiff_jvp(f.graph, reverse, n, leaf, t);
	gradients(reverse, n, leaf, d2);
	struct node *reverse2 = contract_gradients(n, d2);
	ck_assert(forward && forward2);
	check_legal(graph_models[_i].name);
	struct run r = {.slots = model_slots(&f, 11)};
	r.values = ARENA_ARRAY(f.session->arena, struct tensor_value, f.graph->nodes.n);
	double a = value_of(&r, forward), b = r.values[reverse->id].at[0].f;
	ck_assert_msg(fabs(a - b) <= 1e-9 * (1 + fabs(a)), "%s: forward %.15g, reverse %.15g", graph_models[_i].name, a,
		      b);
	a = r.values[forward2->id].at[0].f, b = r.values[reverse2->id].at[0].f;
	ck_assert_msg(fabs(a - b) <= 1e-9 * (1 + fabs(a)), "%s: forward over reverse %.15g, reverse over reverse %.15g",
		      graph_models[_i].name, a, b);
}
END_TEST

START_TEST(a_wrt_is_a_leaf_even_if_it_depends_on_another)
{
	struct node *x = fixture_leaf(&f, "x", DT_F64, SCALAR_SHAPE, f.left);
	struct node *u = graph_pointwise(f.graph, &f.site, SC_MUL, x, model_float(f.graph, 2), NULL);
	struct node *y = graph_pointwise(f.graph, &f.site, SC_MUL, x, u, NULL), *wrt[] = {x, u}, *d[2];
	gradients(y, 2, wrt, d);
	struct run r = {.slots = model_slots(&f, 3)};
	r.values = ARENA_ARRAY(f.session->arena, struct tensor_value, f.graph->nodes.n);
	double v = r.slots[0].at[0].f;
	value_of(&r, y);
	ck_assert(r.values[d[0]->id].at[0].f == 2 * v && r.values[d[1]->id].at[0].f == v);
}
END_TEST

START_TEST(the_gradient_of_a_value_by_itself_is_the_seed)
{
	struct node *x = fixture_leaf(&f, "x", DT_F64, SCALAR_SHAPE, NULL), *d;
	ck_assert_ptr_eq(gradients(x, 1, &x, &d), d);
}
END_TEST

START_TEST(every_node_made_is_backward_and_names_its_forward_node)
{
	struct node *leaf[MAX_LEAVES], *d[MAX_LEAVES], *y = graph_models[0].build(&f);
	int n = model_leaves(f.graph, leaf), before = f.graph->nodes.n;
	gradients(y, n, leaf, d);
	for (int i = before; i < f.graph->nodes.n; i++)
		ck_assert(f.graph->nodes.at[i]->origin == ORIGIN_BACKWARD && f.graph->nodes.at[i]->forward);
}
END_TEST

START_TEST(matmul_gradients_are_products_of_two_operands)
{
	struct node *x = fixture_leaf(&f, "x", DT_F32, SHAPE(4, 3), f.left),
		    *w = fixture_leaf(&f, "w", DT_F32, SHAPE(3, 5), f.left);
	struct node *y = fixture_map(&f, "matmul(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b using gemm {m=4, k=3, n=5}",
				     x, w, NULL);
	struct node *seed = fixture_leaf(&f, "g", DT_F32, SHAPE(4, 5), f.left), *wrt[] = {x, w}, *d[2];
	ck_assert(autodiff_vjp(f.graph, y, seed, 2, wrt, d));
	for (int i = 0; i < 2; i++) {
		const struct rule *r = d[i]->rule;
		ck_assert_int_eq(d[i]->kind, NODE_MAP);
		ck_assert(r->noperands == 2 && r->combiner == COMBINE_SUM && r->hint == HINT_GEMM &&
			  r->body->fn == SC_MUL);
		ck_assert(r->body->arg[0]->kind == SCALAR_OPERAND && r->body->arg[1]->kind == SCALAR_OPERAND);
	}
}
END_TEST

START_TEST(a_cotangent_goes_back_to_where_its_value_is)
{
	struct layout_spec any = {.form = LAYOUT_INFER}, split = {.form = LAYOUT_GIVEN};
	split.layout.atom[0] = (struct shard_atom){.kind = SHARD_S};
	struct node *x = fixture_leaf(&f, "x", DT_F32, SHAPE(4), f.left);
	struct node *here = graph_to(f.graph, &f.site, x, f.left, &split),
		    *there = graph_to(f.graph, &f.site, here, f.right, &any);
	struct node *seed = fixture_leaf(&f, "g", DT_F32, SHAPE(4), f.right), *d;
	ck_assert(autodiff_vjp(f.graph, there, seed, 1, &x, &d));
	ck_assert_msg(d->kind == NODE_TO && d->in[0] == seed, "one move between placements, none for a layout");
	ck_assert(d->place == f.left && d->origin == ORIGIN_BACKWARD && d->target->layout.form == LAYOUT_INFER);
}
END_TEST

START_TEST(a_cast_gives_the_gradient_its_operand_s_type)
{
	struct node *x = fixture_leaf(&f, "x", DT_F32, SHAPE(4), f.left), *d;
	struct node *y = graph_cast(f.graph, &f.site, x, DT_F64);
	struct node *seed = fixture_leaf(&f, "g", DT_F64, SHAPE(4), f.left);
	ck_assert(autodiff_vjp(f.graph, y, seed, 1, &x, &d));
	ck_assert_int_eq(d->dtype, DT_F32);
	ck_assert_ptr_null(graph_verify(f.graph));
}
END_TEST

START_TEST(integers_have_no_gradient_and_that_is_an_error_of_the_program)
{
	struct node *i = fixture_leaf(&f, "i", DT_I32, SHAPE(4), f.left),
		    *x = fixture_leaf(&f, "x", DT_F32, SHAPE(4), f.left), *d;
	ck_assert(!autodiff_vjp(f.graph, x, x, 1, &i, &d));
	ck_assert_int_eq(f.session->errors, 1);
	ck_assert_int_eq(f.session->diags.at[0]->code, PML0401);
	ck_assert(!autodiff_vjp(f.graph, i, i, 1, &x, &d));
	ck_assert_int_eq(f.session->diags.at[1]->code, PML0402);
	ck_assert_ptr_eq(autodiff_jvp(f.graph, i, 1, &x, &x), i);
	ck_assert_int_eq(f.session->errors, 3);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "autodiff models");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, gradients_agree_with_differences, 0, ngraph_models);
	tcase_add_loop_test(t, second_order_gradients_agree_with_differences, 0, ngraph_models);
	tcase_add_loop_test(t, forward_mode_agrees_with_reverse_mode, 0, ngraph_models);
	tcase_add_test(t, a_wrt_is_a_leaf_even_if_it_depends_on_another);
	tcase_add_test(t, the_gradient_of_a_value_by_itself_is_the_seed);
	tcase_add_test(t, every_node_made_is_backward_and_names_its_forward_node);
	tcase_add_test(t, matmul_gradients_are_products_of_two_operands);
	tcase_add_test(t, a_cotangent_goes_back_to_where_its_value_is);
	tcase_add_test(t, a_cast_gives_the_gradient_its_operand_s_type);
	tcase_add_test(t, integers_have_no_gradient_and_that_is_an_error_of_the_program);
	return suite_end(s);
}
