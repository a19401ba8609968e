/* test_autodiff_loops.c — derivatives of loops are those of the same computation written turn by turn: cotangents,
 * tangents and cotangents of cotangents, interpreted. */
#include "graph_loops.h"
#include "suite.h"

#include "compiler/autodiff/autodiff.h"
#include "compiler/simplify/passes.h"

#include <math.h>

static struct fixture f;

enum { RANDOM_GRAPHS = 25, RANDOM_GRAPHS_LONG = 400 };

static void setup(void)
{
	f = fixture_new();
	loop_slots(&f);
}

static void teardown(void)
{
	session_free(f.session);
}

#define HEAD \
	"graph logical\n%0 \"x\" = slot \"x\" : f64[3] @left\n%1 \"w\" = slot \"w\" : f64[3] @left\n" \
	"%2 \"xs\" = slot \"xs\" : f64[5, 3] @left\n%3 = slot \"count\" : i64 @left\n"
#define ADD   "{add(a[i]: f64, b[i]: f64) -> [i] = a + b {i=3}} : f64[3] @left\n"
#define MUL   "{mul(a[i]: f64, b[i]: f64) -> [i] = a * b {i=3}} : f64[3] @left\n"
#define TANH  "{f(a[i]: f64, b[i]: f64) -> [i] = tanh(a * b) {i=3}} : f64[3] @left\n"
#define SIN   "{sin(a[i]: f64) -> [i] = sin(a) {i=3}} : f64[3] @left\n"
#define ROLL  "{mix(a[i]: f64, b[j]: f64) -> [i] = sum[j] a * b {i=3, j=3}} : f64[3] @left\n"
#define SCALE "{scale(a[i]: f64, n: i64) -> [i] = a * f64(n + 2) / 3.0 {i=3}} : f64[3] @left\n"
#define L     " : f64[3] @left\n"

struct sample {
	const char *text; /* the result is its last output */
	int64_t count;    /* the number of turns, where the loops in its text are to take so many by count; else 0 */
};

static const struct sample samples[] = {
	/* h = tanh(h * w) */
	{HEAD "%4 = carry(%0) of 0" L "%5 = map(%4, %1) " TANH "%6 = end(%4, %5) of 0" L
	      "loop 0 turns 5\noutput slot \"y\" = %6\n",
	 5},
	/* h = sin(h * w + xs[t]), every h added up, and the last and the first line read once more outside */
	{HEAD "%4 = carry(%0) of 0" L "%5 = line(%2) of 0 first 0 step 1" L "%6 = map(%4, %1) " MUL
	      "%7 = map(%6, %5) " ADD "%8 = map(%7) " SIN "%9 = carry(%1) of 0" L "%10 = map(%9, %8) " ADD
	      "%11 = end(%4, %8) of 0" L "%12 = end(%9, %10) of 0" L "%13 = map(%11, %12) " ROLL
	      "%14 = map(%13, %1) " MUL "loop 0 turns 5\noutput slot \"y\" = %14\n",
	 0},
	/* lines backward, of a part, and of several tensors; the number of the turn; two values that change places */
	{HEAD "%4 = map(%0) " SIN "%5 = carry(%0) of 0" L "%6 = carry(%4) of 0" L "%7 = turn of 0 : i64\n"
	      "%8 = line(%2) of 0 first 4 step -2" L "%9 = line(%0, %1, %4) of 0 first -1 step -1 back" L
	      "%10 = map(%5, %8) " TANH "%11 = map(%9, %7) " SCALE "%12 = map(%10, %11) " ADD "%13 = map(%12, %6) " MUL
	      "%14 = end(%5, %6) of 0" L "%15 = end(%6, %13) of 0" L "%16 = map(%14, %15) " ROLL
	      "loop 0 turns 3\noutput slot \"y\" = %16\n",
	 0},
	/* stacks, read back by another loop and as a whole */
	{HEAD "%4 = carry(%0) of 0" L "%5 = map(%4, %1) " TANH "%6 = end(%4, %5) of 0" L
	      "%7 = stack(%4) of 0 : f64[5, 3] @left\n%8 = stack(%5) of 0 back : f64[5, 3] @left\n%9 = carry(%6) of 1" L
	      "%10 = line(%7) of 1 first 0 step 1" L "%11 = line(%8) of 1 first -1 step -1 back" L
	      "%12 = map(%9, %10) " TANH "%13 = map(%12, %11) " ADD "%14 = end(%9, %13) of 1" L
	      "%15 = map(%7, %8) {whole(a[t, i]: f64, b[t, i]: f64) -> [i] = sum[t] a * b {t=5, i=3}} : f64[3] @left\n"
	      "%16 = map(%14, %15) " ADD "loop 0 turns 5\nloop 1 turns 5\noutput slot \"y\" = %16\n",
	 0},
	/* the same without the whole, so that the number of turns may be unknown */
	{HEAD "%4 = carry(%0) of 0" L "%5 = map(%4, %1) " TANH "%6 = end(%4, %5) of 0" L
	      "%7 = stack(%4) of 0 : f64[4, 3] @left\n%8 = stack(%5) of 0 back : f64[4, 3] @left\n%9 = carry(%6) of 1" L
	      "%10 = line(%7) of 1 first 0 step 1" L "%11 = line(%8) of 1 first -1 step -1 back" L
	      "%12 = map(%9, %10) " TANH "%13 = map(%12, %11) " ADD "%14 = end(%9, %13) of 1" L
	      "loop 0 turns 4\nloop 1 turns 4\noutput slot \"y\" = %14\n",
	 4},
	/* a loop in a loop that reads the outer one's carried value, line and number, and what stands outside of both
	 */
	{HEAD "%4 = carry(%0) of 0" L "%5 = turn of 0 : i64\n%6 = line(%2) of 0 first 0 step 1" L
	      "%7 = map(%4, %5) " SCALE "%8 = carry(%7) of 1" L "%9 = map(%8, %1) " TANH "%10 = map(%9, %6) " ADD
	      "%11 = map(%10, %4) " MUL "%12 = end(%8, %11) of 1" L "%13 = map(%12, %6) " ROLL
	      "%14 = end(%4, %13) of 0" L "loop 0 turns 5\nloop 1 in 0 turns 3\noutput slot \"y\" = %14\n",
	 0},
	/* no turn */
	{HEAD "%4 = carry(%0) of 0" L "%5 = map(%4, %1) " TANH "%6 = end(%4, %5) of 0" L "%7 = map(%6, %6) " MUL
	      "loop 0 turns 0\noutput slot \"y\" = %7\n",
	 0},
	/* a value that becomes one from outside, and one that nothing reads in the loop */
	{HEAD "%4 = carry(%0) of 0" L "%5 = carry(%1) of 0" L "%6 = carry(%0) of 0" L "%7 = map(%4, %5) " TANH
	      "%8 = end(%4, %1) of 0" L "%9 = end(%5, %7) of 0" L "%10 = end(%6, %4) of 0" L "%11 = map(%8, %9) " ADD
	      "%12 = map(%11, %10) " ROLL "loop 0 turns 3\noutput slot \"y\" = %12\n",
	 3},
	/* a value that the derivative of each turn takes for a constant, and so does the derivative of that derivative */
	{HEAD "%4 = carry(%0) of 0" L "%5 = stop(%4)" L "%6 = map(%4, %5) " TANH "%7 = map(%6, %4) " ADD
	      "%8 = map(%7, %1) " MUL "%9 = end(%4, %8) of 0" L "%10 = map(%9, %1) " ROLL
	      "loop 0 turns 4\noutput slot \"y\" = %10\n",
	 4},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static struct graph *read(const char *text)
{
	const char *error = NULL;
	struct graph *g = graph_read(f.session, f.program, text, &error);
	ck_assert_msg(g, "%s\n%s", error ? error : "", text);
	return g;
}

/* The same with loops that take their number of turns from the slot. */
static const char *by_count(const char *text, int64_t count)
{
	struct text t;
	text_init(&t, f.session->arena);
	char known[32], lines[32];
	snprintf(known, sizeof known, "turns %d\n", (int)count);
	snprintf(lines, sizeof lines, "f64[%d, 3] @left\n", (int)count);
	for (const char *p = text; *p;) {
		bool head = p < strstr(text, "%4");
		if (!strncmp(p, known, strlen(known)))
			text_add(&t, "count %3\n"), p += strlen(known);
		else if (!head && !strncmp(p, lines, strlen(lines)))
			text_add(&t, "f64[0, 3] @left\n"), p += strlen(lines);
		else
			text_printf(&t, "%c", *p++);
	}
	return text_get(&t);
}

static struct node *result(const struct graph *g)
{
	return g->outputs.at[g->outputs.n - 1].node;
}

enum what { COTANGENTS, COTANGENTS_OF_COTANGENTS, TANGENTS };

static struct node *of_all(struct graph *g, struct node *y)
{
	struct node_site at = node_site_of(y);
	return graph_pointwise(g, &at, SC_MUL,
			       graph_pointwise(g, &at, SC_ADD, y, graph_float(g, &at, DT_F64, 0.25), NULL), y, NULL);
}

/* dx, dw, dxs become what is asked for. */
static void derive(struct graph *g, enum what what)
{
	struct node *y = result(g), *wrt[LOOP_INPUTS] = {NULL}, *out[LOOP_INPUTS] = {NULL};
	for (int i = 0; i < g->nodes.n; i++)
		if (g->nodes.at[i]->kind == NODE_SLOT && g->nodes.at[i]->slot < LOOP_INPUTS)
			wrt[g->nodes.at[i]->slot] = g->nodes.at[i];
	for (int i = 0; i < LOOP_INPUTS; i++)
		wrt[i] = wrt[i] ? wrt[i] : graph_slot(g, &f.site, i);
	if (what == TANGENTS) {
		struct node *moving[2] = {of_all(g, wrt[0]), wrt[1]};
		out[0] = autodiff_jvp(g, y, 2, wrt, moving);
	} else {
		ck_assert(autodiff_vjp(g, y, of_all(g, y), LOOP_INPUTS, wrt, out));
	}
	if (what == COTANGENTS_OF_COTANGENTS) {
		struct node_site at = node_site_of(out[0]);
		struct node *again = of_all(g, graph_pointwise(g, &at, SC_ADD, of_all(g, out[0]), out[1], NULL));
		ck_assert(autodiff_vjp(g, again, of_all(g, again), LOOP_INPUTS, wrt, out));
	}
	for (int i = 0; i < LOOP_INPUTS; i++)
		if (out[i])
			graph_output(g, OUTPUT_SLOT, LOOP_INPUTS + i, out[i], (struct span){0});
	graph_compact(g);
	const char *wrong = graph_verify(g);
	ck_assert_msg(!wrong, "%s\n%s", wrong, fixture_print(g));
}

static double assert_near(const struct tensor_value *a, const struct tensor_value *b, const struct graph *g)
{
	double largest = 0;
	for (int s = 0; s < LOOP_COUNT; s++)
		for (int i = 0; i < shape_volume(&f.program->slots.at[s]->shape); i++) {
			double u = a[s].at[i].f, v = b[s].at[i].f;
			ck_assert_msg((isnan(u) && isnan(v)) || fabs(u - v) <= 1e-12 * (1 + fabs(u)),
				      "slot %d, element %d: %.17g and %.17g\n%s", s, i, u, v, fixture_print(g));
			if (s >= LOOP_INPUTS && s < 2 * LOOP_INPUTS)
				largest = fmax(largest, fabs(u));
		}
	return largest;
}

static void verify(const struct graph *g)
{
	const char *wrong = graph_verify(g);
	ck_assert_msg(!wrong, "%s\n%s", wrong, fixture_print(g));
}

/* The graph before it is derived, turn by turn and with its loops; the largest derivative. */
static double check_derived(enum what what, struct graph *turn_by_turn, struct graph *kept, int64_t count)
{
	ck_assert(graph_unroll(turn_by_turn));
	derive(turn_by_turn, what);
	const struct tensor_value *expected = loop_run(turn_by_turn, count);
	derive(kept, what);
	ck_assert_str_eq(fixture_print(read(fixture_print(kept))), fixture_print(kept));
	return assert_near(expected, loop_run(kept, count), kept);
}

static void check(enum what what, const struct sample *s)
{
	struct graph *kept = read(s->text);
	ck_assert(check_derived(what, read(s->text), kept, s->count) > 1e-3);
	const struct tensor_value *expected = loop_run(kept, s->count);
	ck_assert(graph_unroll(kept));
	verify(kept);
	assert_near(expected, loop_run(kept, s->count), kept);
	if (!s->count)
		return;
	struct graph *counted = read(by_count(s->text, s->count));
	derive(counted, what);
	assert_near(expected, loop_run(counted, s->count), counted);
}

/* Every pass leaves a graph of the same values that each of them could go on with. */
static void check_passes(struct graph *g, int64_t count)
{
	const struct tensor_value *expected = loop_run(g, count);
	f.session->options.verify_each = true;
	graph_run_passes(f.session, g);
	assert_near(expected, loop_run(g, count), g);
	for (int i = 0; i < pass_count(); i++)
		if (pass_row(i)->stage == GRAPH_LOGICAL)
			ck_assert_msg(!graph_run_pass(f.session, g, pass_row(i)), "%s still finds something to do\n%s",
				      pass_row(i)->name, fixture_print(g));
	graph_unroll(g);
	verify(g);
	assert_near(expected, loop_run(g, count), g);
}

START_TEST(passes_keep_the_values_of_loops)
{
	const struct sample *s = &samples[_i / 3];
	struct graph *g = read(s->text);
	derive(g, (enum what)(_i % 3));
	check_passes(g, s->count);
	if (!s->count)
		return;
	g = read(by_count(s->text, s->count));
	derive(g, (enum what)(_i % 3));
	check_passes(g, s->count);
}
END_TEST

static struct graph *random_graph(uint64_t seed, int64_t count, bool by_count)
{
	f.graph = graph_new(f.session, f.program);
	random_loops(&f, seed, count, by_count);
	verify(f.graph);
	return f.graph;
}

START_TEST(random_loops_are_what_they_are_turn_by_turn)
{
	for (enum what what = COTANGENTS; what <= TANGENTS; what++) {
		struct graph *g = random_graph((uint64_t)_i, -1, false),
			     *turn_by_turn = random_graph((uint64_t)_i, -1, false);
		const struct tensor_value *expected = loop_run(g, 0);
		graph_unroll(turn_by_turn);
		assert_near(expected, loop_run(turn_by_turn, 0), turn_by_turn);
		check_derived(what, turn_by_turn, g, 0);
		check_passes(g, 0);
	}
}
END_TEST

/* Where some loops are counted by the running program. */
START_TEST(random_loops_by_count_are_what_they_are_turn_by_turn)
{
	int64_t count = _i % 6;
	for (enum what what = COTANGENTS; what <= TANGENTS; what++) {
		struct graph *g = random_graph((uint64_t)_i, count, true),
			     *known = random_graph((uint64_t)_i, count, false);
		assert_near(loop_run(known, 0), loop_run(g, count), g);
		check_derived(what, known, g, count);
		check_passes(g, count);
	}
}
END_TEST

START_TEST(cotangents_are_those_turn_by_turn)
{
	check(COTANGENTS, &samples[_i]);
}
END_TEST

START_TEST(cotangents_of_cotangents_are_those_turn_by_turn)
{
	check(COTANGENTS_OF_COTANGENTS, &samples[_i]);
}
END_TEST

START_TEST(tangents_are_those_turn_by_turn)
{
	check(TANGENTS, &samples[_i]);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "autodiff loops");
	int seeds = suite_count(RANDOM_GRAPHS_LONG, RANDOM_GRAPHS, RANDOM_GRAPHS / 2);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, cotangents_are_those_turn_by_turn, 0, SAMPLES);
	tcase_add_loop_test(t, cotangents_of_cotangents_are_those_turn_by_turn, 0, SAMPLES);
	tcase_add_loop_test(t, tangents_are_those_turn_by_turn, 0, SAMPLES);
	tcase_add_loop_test(t, passes_keep_the_values_of_loops, 0, 3 * SAMPLES);
	tcase_add_loop_test(t, random_loops_are_what_they_are_turn_by_turn, 0, seeds);
	tcase_add_loop_test(t, random_loops_by_count_are_what_they_are_turn_by_turn, 0, seeds);
	return suite_end(s);
}
