/* test_plan_models.c — the composed models of the derivative tests, with their gradients and the gradients of these,
 * updating their parameters, and the random graphs of the pass tests: planned, run on simulated ranks, and compared
 * with the graph. */
#include "compiler/autodiff/autodiff.h"
#include "graph_models.h"
#include "graph_random.h"
#include "plan_run.h"
#include "suite.h"

enum { MAX_LEAVES = 16 };

/* Indices stay below 4 and floats mild, as the models want them. */
static void set_model_values(struct run *r, uint64_t seed)
{
	const struct program *p = r->f.program;
	struct tensor_value *v = model_slots(&r->f, seed);
	for (int i = 0; i < p->slots.n; i++) {
		r->slots[i] = v[i];
		sim_set_slot(&r->sim, i, v[i].at);
	}
}

static struct node *gradient_dot(struct run *r, struct node *y, int n, struct node *const *leaf, struct node **d)
{
	struct fixture *f = &r->f;
	struct layout_spec any = {.form = LAYOUT_INFER};
	ck_assert(autodiff_vjp(f->graph, y, model_float(f->graph, 1), n, leaf, d));
	struct node *z = NULL;
	for (int i = 0; i < n; i++) {
		struct node *p = graph_to(f->graph, &f->site, model_dot(f->graph, d[i], model_weights(f->graph, d[i])),
					  f->left, &any);
		z = z ? graph_pointwise(f->graph, &f->site, SC_ADD, z, p, NULL) : p;
	}
	return z;
}

/* Every leaf takes a step along its gradient; the last of the rates is that of second order. */
static void take_steps(struct run *r, int n, struct node *const *leaf, struct node *const *d, struct node *const *d2)
{
	struct fixture *f = &r->f;
	struct node *rate = model_float(f->graph, 0.01);
	for (int i = 0; i < n; i++) {
		struct node *g = d2 ? graph_pointwise(f->graph, &f->site, SC_ADD, d[i], d2[i], NULL) : d[i];
		struct node *step = graph_pointwise(f->graph, &f->site, SC_MUL, g, rate, NULL);
		graph_output(f->graph, OUTPUT_SLOT, leaf[i]->slot,
			     graph_pointwise(f->graph, &f->site, SC_SUB, leaf[i], step, NULL), (struct span){0});
	}
}

/* Elaboration places every slot; some models leave one open, to test derivatives. */
static bool all_placed(const struct program *p)
{
	for (int i = 0; i < p->slots.n; i++)
		if (!p->slots.at[i]->place)
			return false;
	return true;
}

static void run_model(int model, bool second)
{
	struct run r = start();
	struct node *leaf[MAX_LEAVES], *d[MAX_LEAVES], *d2[MAX_LEAVES], *y = graph_models[model].build(&r.f);
	int n = model_leaves(r.f.graph, leaf);
	if (!all_placed(r.f.program))
		return;
	struct node *z = gradient_dot(&r, y, n, leaf, d);
	if (second)
		gradient_dot(&r, z, n, leaf, d2);
	take_steps(&r, n, leaf, d, second ? d2 : NULL);
	fixture_keep(&r.f, "y", y);
	ck_assert_msg(prepare(&r, 4), "%s cannot be laid out", graph_models[model].name);
	set_model_values(&r, 11);
	compare(&r, 2);
	session_free(r.f.session);
}

START_TEST(models_take_gradient_steps)
{
	run_model(_i, false);
}
END_TEST

START_TEST(models_take_steps_of_second_order)
{
	run_model(_i, true);
}
END_TEST

START_TEST(random_graphs_run)
{
	struct run r = start();
	random_graph(&r.f, (uint64_t)_i, true);
	if (prepare(&r, 4))
		compare(&r, 1);
	session_free(r.f.session);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *t = suite_begin(&suite, "plans of models");
	tcase_add_loop_test(t, models_take_gradient_steps, 0, ngraph_models);
	tcase_add_loop_test(t, models_take_steps_of_second_order, 0, ngraph_models);
	tcase_add_loop_test(t, random_graphs_run, 0, 200);
	return suite_end(suite);
}
