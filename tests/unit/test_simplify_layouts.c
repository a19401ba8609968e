/* test_simplify_layouts.c — simplification makes no legal program illegal: random graphs whose layouts are accepted by
 * the layout stage are accepted after all passes too, and still compute the same. */
#include "graph_models.h"
#include "graph_random.h"
#include "suite.h"

#include "compiler/layout/stage.h"
#include "compiler/simplify/passes.h"

#include <math.h>

enum { RANDOM_GRAPHS = 400 };

static struct graph *copy_of(struct fixture *f, const struct graph *g)
{
	const char *error = NULL;
	struct graph *copy = graph_read(f->session, f->program, fixture_print(g), &error);
	ck_assert_msg(copy, "%s", error);
	return copy;
}

/* Lays g out; NULL if that went well, else the first message. */
static const char *lay_out(struct fixture *f, struct graph *g)
{
	bool legal = stage_layout(f->session, g, NULL, NULL);
	const char *message = f->session->diags.n ? f->session->diags.at[0]->message : "no message";
	f->session->diags.n = f->session->errors = 0;
	return legal ? NULL : message;
}

static void check_same_outputs(int seed, struct fixture *f, struct graph *g, struct graph *h)
{
	struct tensor_value *slots = model_slots(f, 5);
	struct tensor_value *a = ARENA_ARRAY(f->session->arena, struct tensor_value, g->nodes.n);
	struct tensor_value *b = ARENA_ARRAY(f->session->arena, struct tensor_value, h->nodes.n);
	graph_interpret(g, slots, NULL, a);
	graph_interpret(h, slots, NULL, b);
	for (int i = 0; i < g->outputs.n; i++) {
		double x = a[g->outputs.at[i].node->id].at[0].f, y = b[h->outputs.at[i].node->id].at[0].f;
		ck_assert_msg((isnan(x) && isnan(y)) || x == y || fabs(x - y) <= 1e-10 * (1 + fabs(x)),
			      "graph %d: output %d is %.17g, was %.17g", seed, i, y, x);
	}
}

START_TEST(passes_make_no_legal_graph_illegal)
{
	const char *only = getenv("RANDOM_GRAPH");
	int legal = 0, accepted = 0, first = only ? atoi(only) : 0, last = only ? first + 1 : RANDOM_GRAPHS;
	for (int i = first; i < last; i++) {
		struct fixture f = fixture_new();
		random_graph(&f, (uint64_t)i, true);
		graph_compact(f.graph);
		struct graph *plain = copy_of(&f, f.graph), *simple = copy_of(&f, f.graph);
		if (only)
			puts(fixture_print(plain));
		if (!lay_out(&f, plain)) {
			legal++;
			graph_run_passes(f.session, simple);
			if (only)
				puts(fixture_print(simple));
			const char *wrong = lay_out(&f, simple);
			ck_assert_msg(!wrong, "graph %d became illegal: %s", i, wrong ? wrong : "");
			wrong = graph_verify(simple);
			ck_assert_msg(!wrong, "graph %d: %s", i, wrong ? wrong : "");
			check_same_outputs(i, &f, plain, simple);
		} else {
			graph_run_passes(f.session, simple);
			if (only)
				puts(fixture_print(simple));
			accepted += !lay_out(&f, simple);
		}
		session_free(f.session);
	}
	ck_assert_msg(accepted == 0, "%d graphs became legal", accepted);
	ck_assert_msg(only || legal > RANDOM_GRAPHS / 10, "only %d graphs were legal to begin with", legal);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "simplify layouts");
	tcase_add_test(t, passes_make_no_legal_graph_illegal);
	return suite_end(s);
}
