/* test_plan_elements.c — lines that turns replace, add to and read, by a number of the running program: planned and run
 * on simulated ranks, what comes out is what the graph means, no turn makes or copies more than lines, and what a loop
 * carries of a slot lies there. */
#include "compiler/autodiff/autodiff.h"
#include "plan_run.h"
#include "suite.h"

enum { LINES = 200, WIDTH = 8 };

static struct run r;

static void slot(const char *name, struct shape s, const char *layout)
{
	int id = fixture_slot(&r.f, name, DT_F64, s, r.f.left);
	struct slot *x = r.f.program->slots.at[id];
	x->layout = given(layout);
	x->laid_out = x->layout.layout;
	x->is_laid_out = true;
}

static const char *const layouts[] = {"B", "S0", "S1"};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static void setup(void)
{
	r = start();
}

static void teardown(void)
{
	session_free(r.f.session);
}

/* L is put in for the layout of lines, M for that of one line, which is not split by lines, N for that of a number for
 * each line, V for that of a few lines, which are not split by lines. */
#define LIST     " : f64[200, 8] @left : L\n"
#define LINE     " : f64[8] @left : M\n"
#define INT      " : i64 @left : B\n"
#define NUMBER   " : f64 @left : B\n"
#define BOOL     " : bool @left : B\n"
#define X        "%0 \"x\" = slot \"x\"" LIST "%1 \"y\" = slot \"y\"" LINE
#define BEGIN    X "%2 = carry(%0) of 0" LIST "%3 = turn of 0" INT
#define UPDATE   "{update(a[i, j]: f64, b[j]: f64, c: i64) -> [i, j] = where(i == c, b, a) {i=200, j=8}}"
#define CLEAR    "{clear(a[i, j]: f64, c: i64) -> [i, j] = where(i == c, 0.0, a) {i=200, j=8}}"
#define ADD_LINE "{put(b[j]: f64, c: i64) -> [c:200, j] = sum[] b {j=8}}"
#define ADD      "{add(a[i, j]: f64, b[i, j]: f64) -> [i, j] = a + b {i=200, j=8}}"
#define TAKE     "{take(a[i, j]: f64, c: i64) -> [j] = sum[i] where(i == c, a, 0.0) {i=200, j=8}}"
#define OTHER    "{other(c: i64) -> [] = c * 37 % 200}"
#define SAME     "{mix(a[j]: f64, b[j]: f64) -> [j] = a * 0.5 + b {j=8}}"
#define SQUARE   "{square(a[i, j]: f64, c: i64) -> [i, j] = where(i == c, a * a + f64(i * 3 + j), a) {i=200, j=8}}"
#define ALL      "{all(a[i, j]: f64, b[j]: f64) -> [j] = sum[i] a * b {i=200, j=8}}"
#define FIRST    "{first(a[i, j]: f64, b[j]: f64) -> [i, j] = where(i == 0, b + a, a) {i=200, j=8}}"
#define END      "loop 0 turns 60\noutput slot \"x\" = "

static const char *const graphs[] = {
	/* a line is replaced by what is outside */
	BEGIN "%4 = map(%2, %1, %3) " UPDATE LIST "%5 = end(%2, %4) of 0" LIST END "%5\n",
	/* by what it was, and by its number */
	BEGIN "%4 = map(%3) " OTHER INT "%5 = map(%2, %4) " SQUARE LIST "%6 = end(%2, %5) of 0" LIST END "%6\n",
	/* one that is read replaces another */
	BEGIN "%4 = map(%3) " OTHER INT "%5 = map(%2, %4) " TAKE LINE "%6 = map(%5, %1) " SAME LINE
	      "%7 = map(%2, %6, %3) " UPDATE LIST "%8 = end(%2, %7) of 0" LIST END "%8\n",
	/* one is cleared, then one is added to that may be the same, then one replaced */
	BEGIN "%4 = map(%3) " OTHER INT "%5 = map(%2, %4) " TAKE LINE "%6 = map(%2, %4) " CLEAR LIST
	      "%7 = map(%5, %3) " ADD_LINE LIST "%8 = map(%6, %7) " ADD LIST "%9 = map(%8, %1, %4) " UPDATE LIST
	      "%10 = end(%2, %9) of 0" LIST END "%10\n",
	/* what is added twice */
	BEGIN "%4 = map(%1, %3) " ADD_LINE LIST "%5 = map(%2, %4) " ADD LIST "%6 = map(%5, %4) " ADD LIST
	      "%7 = end(%2, %6) of 0" LIST END "%7\n",
	/* turn by turn to the same line, from both sides of the sum */
	X "%2 = const 5" INT "%3 = carry(%0) of 0" LIST "%4 = map(%3, %2) " TAKE LINE "%5 = map(%4, %2) " ADD_LINE LIST
	  "%6 = map(%5, %3) " ADD LIST "%7 = end(%3, %6) of 0" LIST END "%7\n",
	/* in an arm of each turn, and in a loop of its own */
	BEGIN "%4 = map(%3) {odd(c: i64) -> [] = c % 2}" INT "%5 = carry(%2) of 1" LIST "%6 = map(%5, %3) " SQUARE LIST
	      "%7 = end(%5, %6) of 1" LIST "%8 = carry(%7) of 2" LIST "%9 = turn of 2" INT
	      "%10 = map(%8, %1, %9) " UPDATE LIST "%11 = end(%8, %10) of 2" LIST "%12 = end(%2, %11) of 0" LIST
	      "loop 0 turns 5\nloop 1 in 0 count %4 most 1 "
	      "branch\nloop 2 in 0 turns 3\noutput slot \"x\" = %12\n",
	/* in one arm or the other, by an element that is read before both, in the kernel that also says of the second
	 * one, behind the first, whether it is taken */
	BEGIN "%4 = map(%2, %3) {one(a[c:200, 3:8]: f64, c: i64) -> [] = a}" NUMBER
	      "%5 = map(%4) {large(a: f64) -> [] = i64(a > 10.0)}" INT "%6 = carry(%2) of 1" LIST
	      "%7 = map(%6, %3) " SQUARE LIST "%8 = end(%6, %7) of 1" LIST
	      "%9 = map(%4) {small(a: f64) -> [] = i64(!(a > 10.0))}" INT "%10 = carry(%8) of 2" LIST
	      "%11 = map(%10, %1, %3) " UPDATE LIST "%12 = end(%10, %11) of 2" LIST "%13 = end(%2, %12) of 0" LIST
	      "loop 0 turns 5\nloop 1 in 0 count %5 most 1 branch\nloop 2 in 0 count %9 most 1 "
	      "branch\noutput slot \"x\" = %13\n",
};
enum { GRAPHS = sizeof graphs / sizeof *graphs };

#define PLACE    "%4 = map(%3) {spot(c: i64) -> [] = c * 37 % 190 - 2}" INT
#define PLACES   "{places(c: i64) -> [i] = i - c {i=200}} : i64[200] @left : N\n"
#define ROWS     "{rows(b[j]: f64, c: i64) -> [k, j] = b * 0.5 + f64(c * 4 + k) {k=4, j=8}} : f64[4, 8] @left : V\n"
#define PUT      "{put(a[b:4, j]: f64, b[i]: i64) -> [i, j] = a {i=200, j=8}}"
#define PUT_ROWS "{update(a[i, j]: f64, b[i, j]: f64, c[i]: i64) -> [i, j] = where(c >= 0 && c < 4, b, a) {i=200, j=8}}"
#define PUT_ONE  "{update(a[i, j]: f64, b: f64, c[i]: i64) -> [i, j] = where(c >= 0 && c < 4, b, a) {i=200, j=8}}"
#define PUT_ZERO "{clear(a[i, j]: f64, c[i]: i64) -> [i, j] = where(c >= 0 && c < 4, 0.0, a) {i=200, j=8}}"

#define CHOOSE    "{choose(c[i]: i64, a[i, j]: f64) -> [i, j] = where(c >= 0 && c < 4, a, 0.0) {i=200, j=8}}"
#define TAKE_ROWS "{take(a[i]: i64, b[i, j]: f64) -> [a:4, j] = sum[i] b {i=200, j=8}} : f64[4, 8] @left : V\n"
#define MIX_ROWS  "{mix(a[k, j]: f64, b[j]: f64) -> [k, j] = a * 0.5 + b {k=4, j=8}} : f64[4, 8] @left : V\n"
#define FORWARD   "{forward(c: i64) -> [i] = i + c {i=4}} : i64[4] @left : B\n"
#define SPREAD    "{spread(a[i]: i64, b[i, j]: f64) -> [a:200, j] = sum[i] b {i=4, j=8}}"

/* A few lines, that begin where the turn says, some of them outside: what is outside, one number, what they were. */
static const char *const slices[] = {
	BEGIN PLACE "%5 = map(%4) " PLACES "%6 = map(%1, %3) " ROWS "%7 = map(%6, %5) " PUT LIST
		    "%8 = map(%2, %7, %5) " PUT_ROWS LIST "%9 = end(%2, %8) of 0" LIST END "%9\n",
	BEGIN PLACE "%5 = map(%4) " PLACES "%6 = map(%3) {one(c: i64) -> [] = f64(c)}" NUMBER
		    "%7 = map(%2, %6, %5) " PUT_ONE LIST "%8 = end(%2, %7) of 0" LIST END "%8\n",
	BEGIN PLACE "%5 = map(%4) " PLACES "%6 = map(%2, %5) " PUT_ZERO LIST "%7 = map(%1, %3) " ROWS
		    "%8 = map(%7, %5) " PUT LIST "%9 = map(%6, %8, %5) " PUT_ROWS LIST
		    "%10 = map(%9, %1, %3) " UPDATE LIST "%11 = end(%2, %10) of 0" LIST END "%11\n",
	/* read as a sum of all, cleared, added to: what reverse mode makes of them */
	BEGIN PLACE "%5 = map(%4) " PLACES "%6 = map(%5, %2) " CHOOSE LIST "%7 = map(%5, %6) " TAKE_ROWS
		    "%8 = map(%7, %1) " MIX_ROWS "%9 = map(%2, %5) " PUT_ZERO LIST "%10 = map(%4) " FORWARD
		    "%11 = map(%10, %8) " SPREAD LIST "%12 = map(%9, %11) " ADD LIST "%13 = end(%2, %12) of 0" LIST END
		    "%13\n",
	/* and of what nothing chooses; the sum is on the other side */
	BEGIN PLACE "%5 = map(%4) " PLACES "%6 = map(%5, %2) " TAKE_ROWS "%7 = map(%6, %1) " MIX_ROWS
		    "%8 = map(%4) " FORWARD "%9 = map(%8, %7) " SPREAD LIST "%10 = map(%9, %2) " ADD LIST
		    "%11 = end(%2, %10) of 0" LIST END "%11\n",
};
enum { SLICES = sizeof slices / sizeof *slices };

/* The old value is read behind what replaces a line of it, so it is not written over; and a number outside of the
 * lines. */
static const char *const others[] = {
	BEGIN "%4 = carry(%1) of 0" LINE "%5 = map(%2, %1, %3) " UPDATE LIST "%6 = map(%5, %3) " TAKE LINE
	      "%7 = map(%6, %4) " SAME LINE
	      "%8 = map(%2, %7) {all(a[i, j]: f64, b[j]: f64) -> [j] = sum[i] a * b {i=200, j=8}}" LINE
	      "%9 = end(%2, %5) of 0" LIST "%10 = end(%4, %8) of 0" LINE "loop 0 turns 3\noutput slot \"x\" = "
	      "%9\noutput slot \"y\" = %10\n",
	BEGIN "%4 = map(%3) {far(c: i64) -> [] = c * 5 - 40}" INT "%5 = map(%2, %4) " TAKE LINE
	      "%6 = map(%5, %1) " SAME LINE "%7 = map(%2, %6, %4) " UPDATE LIST "%8 = end(%2, %7) of 0" LIST END "%8\n",
	/* two lines at once, and one that is not the only thing that changes */
	BEGIN "%4 = map(%3) " OTHER INT
	      "%5 = map(%2, %3, %4) {two(a[i, j]: f64, c: i64, d: i64) -> [i, j] = where(i == c, "
	      "a * 0.5, where(i == d, a + 1.0, a)) {i=200, j=8}}" LIST "%6 = end(%2, %5) of 0" LIST END "%6\n",
	BEGIN "%4 = map(%2, %1, %3) {all(a[i, j]: f64, b[j]: f64, c: i64) -> [i, j] = where(i == c, b, a * 0.5) "
	      "{i=200, j=8}}" LIST "%5 = end(%2, %4) of 0" LIST END "%5\n",
	/* a sum of more than a line, and a line that is read once more than where it is added */
	BEGIN
	"%4 = map(%2, %3) {most(a[i, j]: f64, c: i64) -> [j] = sum[i] where(i == c, a, a * 0.5) {i=200, j=8}}" LINE
	"%5 = map(%2, %4, %3) " UPDATE LIST "%6 = end(%2, %5) of 0" LIST END "%6\n",
	BEGIN "%4 = carry(%0) of 0" LIST "%5 = map(%1, %3) " ADD_LINE LIST "%6 = map(%2, %5) " ADD LIST
	      "%7 = end(%2, %6) of 0" LIST "%8 = end(%4, %5) of 0" LIST "%9 = map(%7, %8) " ADD LIST END "%9\n",
	/* an arm changes a line of what is read behind it as it was; what it leaves is read, and the next value another
	 */
	BEGIN "%4 = map(%3) {odd(c: i64) -> [] = c % 2}" INT "%5 = carry(%2) of 1" LIST
	      "%6 = map(%5, %1, %3) " UPDATE LIST "%7 = end(%5, %6) of 1" LIST "%8 = map(%7, %2) " ADD LIST
	      "%9 = end(%2, %8) of 0" LIST "loop 0 turns 5\nloop 1 in 0 "
	      "count %4 most 1 branch\noutput slot \"x\" = %9\n",
	BEGIN "%4 = carry(%0) of 0" LIST "%5 = carry(%2) of 1" LIST "%6 = map(%5, %1, %3) " UPDATE LIST
	      "%7 = end(%5, %6) of 1" LIST "%8 = end(%2, %4) of 0" LIST "%9 = end(%4, %7) of 0" LIST
	      "%10 = map(%8, %9) " ADD LIST "loop 0 turns 5\nloop 1 in 0 "
	      "turns 2\noutput slot \"x\" = %10\n",
	/* two that change places in a loop, one of which it took over; what takes over is carried on by another */
	BEGIN "%4 = carry(%0) of 0" LIST "%5 = carry(%2) of 1" LIST "%6 = carry(%4) of 1" LIST
	      "%7 = map(%6, %5) " ADD LIST "%8 = end(%5, %7) of 1" LIST "%9 = end(%6, %5) of 1" LIST
	      "%10 = map(%0, %3) " SQUARE LIST "%11 = map(%10, %9) " ADD LIST "%12 = end(%2, %10) of 0" LIST
	      "%13 = end(%4, %11) of 0" LIST "%14 = map(%12, %13) " ADD LIST
	      "loop 0 turns 3\nloop 1 in 0 turns 1\noutput slot \"x\" = %14\n",
	BEGIN "%4 = carry(%0) of 0" LIST "%5 = carry(%2) of 1" LIST "%6 = map(%5, %1, %3) " UPDATE LIST
	      "%7 = end(%5, %6) of 1" LIST "%8 = map(%0, %3) " SQUARE LIST "%9 = map(%4, %8) " ADD LIST
	      "%10 = end(%2, %9) of 0" LIST "%11 = end(%4, %7) of 0" LIST "%12 = map(%10, %11) " ADD LIST
	      "loop 0 turns 3\nloop 1 in 0 turns 2\noutput slot \"x\" = %12\n",
	/* what a loop changes is what the turn stacks, and what its condition asks */
	BEGIN "%4 = carry(%2) of 1" LIST "%5 = map(%4, %1, %3) " UPDATE LIST "%6 = end(%4, %5) of 1" LIST
	      "%7 = map(%6) {all(a[i, j]: f64) -> [] = sum[i, j] a {i=200, j=8}}" NUMBER
	      "%8 = map(%7, %3) {less(a: f64, c: i64) -> [] = c < 4 && a < 1000000.0}" BOOL "%9 = end(%2, %6) of 0" LIST
	      "loop 0 while %8\nloop 1 in 0 turns 2\noutput slot \"x\" = %9\n",
	/* what is added is read besides */
	BEGIN "%4 = carry(%1) of 0" LINE "%5 = map(%4, %3) " ADD_LINE LIST "%6 = map(%2, %5) " ADD LIST
	      "%7 = map(%6, %5) " ADD LIST "%8 = map(%5, %4) " ALL LINE "%9 = end(%2, %7) of 0" LIST
	      "%10 = end(%4, %8) of 0" LINE "loop 0 turns 3\noutput slot \"x\" = %9\noutput slot \"y\" = %10\n",
	/* what the slot held is read before a loop that changes it there, behind one, by the turns */
	BEGIN "%4 = map(%2, %1, %3) " UPDATE LIST "%5 = end(%2, %4) of 0" LIST "%6 = map(%0, %1) " ALL LINE
	      "loop 0 turns 60\noutput slot \"y\" = %6\noutput slot \"x\" = %5\n",
	BEGIN "%4 = map(%2, %1, %3) " UPDATE LIST "%5 = end(%2, %4) of 0" LIST "%6 = map(%0, %5) " ADD LIST
	      "%7 = map(%6, %1) " ALL LINE "loop 0 turns 60\noutput slot \"y\" = %7\noutput slot \"x\" = %5\n",
	BEGIN "%4 = map(%0, %3) " TAKE LINE "%5 = map(%2, %4) " FIRST LIST "%6 = end(%2, %5) of 0" LIST END "%6\n",
	BEGIN "%4 = line(%0) of 0 first 0 step 1" LINE "%5 = map(%2, %4) " FIRST LIST "%6 = end(%2, %5) of 0" LIST END
	      "%6\n",
	/* a loop that begins with something else; two slots that hand on what they held, and a loop between them */
	X "%2 = map(%1) {fill(b[j]: f64) -> [i, j] = b {i=200, j=8}}" LIST "%3 = carry(%2) of 0" LIST
	  "%4 = turn of 0" INT "%5 = map(%3, %1, %4) " UPDATE LIST "%6 = end(%3, %5) of 0" LIST
	  "%7 = map(%0, %1) " ALL LINE "loop 0 turns 60\noutput slot \"y\" = %7\noutput slot \"x\" = %6\n",
	X "%2 \"z\" = slot \"z\"" LIST "%3 = carry(%2) of 0" LIST "%4 = turn of 0" INT
	  "%5 = map(%3, %1, %4) " UPDATE LIST "%6 = end(%3, %5) of 0" LIST
	  "loop 0 turns 60\noutput slot \"z\" = %0\noutput slot \"x\" = %6\n",
	X "%2 \"z\" = slot \"z\"" LIST "%3 = carry(%2) of 0" LIST "%4 = carry(%0) of 0" LIST "%5 = turn of 0" INT
	  "%6 = map(%3, %1, %5) " UPDATE LIST "%7 = map(%4, %5) " SQUARE LIST "%8 = end(%3, %6) of 0" LIST
	  "%9 = end(%4, %7) of 0" LIST "loop 0 turns 60\noutput slot \"z\" = %9\noutput slot \"x\" = %8\n",
};
enum { OTHERS = sizeof others / sizeof *others };

/* The text with layouts put in. False if ranks that have a part of the lines each would have parts of a sum. */
static bool plan(const char *text, int layout)
{
	struct program *p = r.f.program;
	static const char *const printed[] = {"B", "S(0)", "S(1)"}, *const line[] = {"B", "B", "S(0)"};
	static const char *const each[] = {"B", "S(0)", "B"}, *const few[] = {"B", "B", "S(1)"};
	struct text t;
	const char *error = NULL;
	bool is_whole = strstr(text, "sum[i, j]") || strstr(text, "3:8");
	if ((layout == 1 && (strstr(text, "sum[i]") || strstr(text, "line("))) || (layout && is_whole))
		return false;
	slot("x", SHAPE(LINES, WIDTH), layouts[layout]);
	slot("y", SHAPE(WIDTH), layout == 2 ? "S0" : "B");
	slot("z", SHAPE(LINES, WIDTH), layouts[layout]);
	text_init(&t, p->arena);
	text_add(&t, "graph laid out vars 0\n");
	for (const char *c = text; *c; c++)
		if (c[0] == ':' && c[1] == ' ' && c[2] && strchr("LMNV", c[2]))
			text_printf(&t, ": %s",
				    (c[2] == 'L'   ? printed
				     : c[2] == 'M' ? line
				     : c[2] == 'N' ? each
						   : few)[layout]),
				c += 2;
		else
			text_printf(&t, "%c", *c);
	struct graph *g = graph_read(r.f.session, p, text_get(&t), &error);
	ck_assert_msg(g, "%s\n%s", error ? error : "", text_get(&t));
	r.f.graph = g;
	r.meant = graph_copy(g, p->arena);
	prepare_laid_out(&r, 4);
	return true;
}

static void expect_lines(int lines)
{
	for (int i = 0; i < r.f.program->roles.n; i++) {
		const struct plan *p = r.f.program->roles.at[i]->plans[0];
		for (int k = 0; p && k < p->steps.n; k++)
			ck_assert(p->steps.at[k].kind != STEP_COPY);
		for (int l = 0; p && l < p->loops.n; l++)
			for (int k = p->loops.at[l].begin; k < p->loops.at[l].end; k++) {
				const struct plan_step *s = &p->steps.at[k];
				for (int b = 0; s->kind == STEP_KERNEL && b < s->kernel->params.n; b++)
					ck_assert(s->kernel->params.at[b].kind != KP_OUT ||
						  s->kernel->params.at[b].size <= lines * WIDTH);
				ck_assert(s->kind != STEP_KERNEL || s->kernel->flops <= 8 * lines * WIDTH);
			}
	}
}

START_TEST(turns_write_and_read_lines_alone)
{
	if (!plan(graphs[_i / LAYOUTS], _i % LAYOUTS))
		return;
	expect_lines(1);
	compare(&r, 3);
}
END_TEST

START_TEST(turns_write_slices_alone)
{
	if (!plan(slices[_i / LAYOUTS], _i % LAYOUTS))
		return;
	if (_i % LAYOUTS != 1) /* lines are split: each rank looks for its own */
		expect_lines(4);
	compare(&r, 3);
}
END_TEST

START_TEST(what_they_compute_is_what_graphs_mean)
{
	if (plan(others[_i / LAYOUTS], _i % LAYOUTS))
		compare(&r, 3);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "elements in loops");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, turns_write_and_read_lines_alone, 0, GRAPHS * LAYOUTS);
	tcase_add_loop_test(t, turns_write_slices_alone, 0, SLICES * LAYOUTS);
	tcase_add_loop_test(t, what_they_compute_is_what_graphs_mean, 0, OTHERS * LAYOUTS);
	return suite_end(s);
}
