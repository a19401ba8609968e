/* test_simplify_models.c — no pass changes a value: random graphs, and the models with their gradients of first and
 * second order, are interpreted before and after every pass. Every graph also goes through its own text after every
 * pass (verify_each). */
#include "graph_models.h"
#include "graph_random.h"
#include "suite.h"

#include "compiler/autodiff/autodiff.h"
#include "compiler/simplify/passes.h"

#include <math.h>

enum { MAX_LEAVES = 8, RANDOM_GRAPHS = 300 };

static struct fixture f;

static void setup(void)
{
	f = fixture_new();
	f.session->options.verify_each = true;
}

static void teardown(void)
{
	session_free(f.session);
}

/* The scalar outputs, interpreted. */
static double *outputs_of(struct graph *g, uint64_t seed)
{
	struct tensor_value *values = ARENA_ARRAY(g->arena, struct tensor_value, g->nodes.n);
	double *out = ARENA_ARRAY(g->arena, double, g->outputs.n);
	graph_interpret(g, model_slots(&f, seed), NULL, values);
	for (int i = 0; i < g->outputs.n; i++)
		out[i] = values[g->outputs.at[i].node->id].at[0].f;
	return out;
}

static void check_same(const char *what, const char *pass, const double *a, const double *b, int n)
{
	for (int i = 0; i < n; i++) {
		bool same =
			(isnan(a[i]) && isnan(b[i])) || a[i] == b[i] || fabs(a[i] - b[i]) <= 1e-10 * (1 + fabs(a[i]));
		ck_assert_msg(same, "%s, after %s: output %d was %.17g, is %.17g", what, pass, i, a[i], b[i]);
	}
}

static void check_passes(const char *what)
{
	struct graph *g = f.graph;
	double *before = outputs_of(g, 5);
	int nodes = g->nodes.n;
	for (int i = 0; i < pass_count(); i++)
		if (pass_row(i)->stage == GRAPH_LOGICAL) {
			graph_run_pass(f.session, g, pass_row(i));
			check_same(what, pass_row(i)->name, before, outputs_of(g, 5), g->outputs.n);
		}
	graph_run_passes(f.session, g);
	check_same(what, "all", before, outputs_of(g, 5), g->outputs.n);
	ck_assert_msg(g->nodes.n <= nodes, "%s: %d nodes became %d", what, nodes, g->nodes.n);
	for (int i = 0; i < pass_count(); i++)
		if (pass_row(i)->stage == GRAPH_LOGICAL)
			ck_assert_msg(!graph_run_pass(f.session, g, pass_row(i)),
				      "%s: %s still finds something to do\n%s", what, pass_row(i)->name,
				      fixture_print(g));
}

static void output(struct node *x)
{
	struct node *s = model_dot(f.graph, x, model_weights(f.graph, x));
	graph_output(f.graph, OUTPUT_HOST, f.graph->outputs.n, s, (struct span){0});
}

static struct node *gradients(struct node *y, int n, struct node *const *leaf, struct node **d)
{
	struct node_site at = node_site_backward(y);
	ck_assert(autodiff_vjp(f.graph, y, graph_float(f.graph, &at, DT_F64, 1), n, leaf, d));
	return d[0];
}

START_TEST(passes_keep_the_values_of_models_and_their_gradients)
{
	struct node *leaf[MAX_LEAVES], *d[MAX_LEAVES], *y = graph_models[_i].build(&f);
	int n = model_leaves(f.graph, leaf);
	output(y);
	gradients(y, n, leaf, d);
	for (int i = 0; i < n; i++)
		output(d[i]);
	check_passes(graph_models[_i].name);
	if (getenv("SHOW_GRAPHS"))
		puts(fixture_print(f.graph));
}
END_TEST

START_TEST(passes_keep_the_values_of_second_order_gradients)
{
	struct node *leaf[MAX_LEAVES], *d[MAX_LEAVES], *y = graph_models[_i].build(&f);
	int n = model_leaves(f.graph, leaf);
	gradients(y, n, leaf, d);
	struct node *z = model_dot(f.graph, d[0], model_weights(f.graph, d[0]));
	output(z);
	gradients(z, n, leaf, d);
	for (int i = 0; i < n; i++)
		output(d[i]);
	check_passes(graph_models[_i].name);
}
END_TEST

START_TEST(passes_keep_the_values_of_random_graphs)
{
	const char *only = getenv("RANDOM_GRAPH");
	for (int i = only ? atoi(only) : 0; i < (only ? atoi(only) + 1 : RANDOM_GRAPHS); i++) {
		if (f.session)
			teardown();
		setup();
		random_graph(&f, (uint64_t)i, false);
		const char *wrong = graph_verify(f.graph);
		ck_assert_msg(!wrong, "random graph %d: %s", i, wrong ? wrong : "");
		if (only)
			puts(fixture_print(f.graph));
		char what[32];
		snprintf(what, sizeof what, "random graph %d", i);
		check_passes(what);
	}
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "simplify models");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, passes_keep_the_values_of_models_and_their_gradients, 0, ngraph_models);
	tcase_add_loop_test(t, passes_keep_the_values_of_second_order_gradients, 0, ngraph_models);
	tcase_add_test(t, passes_keep_the_values_of_random_graphs);
	return suite_end(s);
}
