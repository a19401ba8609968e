/* test_plan_loops.c — laid-out graphs with loops, planned and run on simulated ranks: what comes out is what the graph
 * means, turn by turn or not, and nothing is copied that need not be. Arguments: first seed and number of seeds. */
#include "compiler/autodiff/autodiff.h"
#include "graph_loops.h"
#include "plan_run.h"
#include "suite.h"

enum { N = 3, LINES = 5, RANDOM = 30 };

static struct run r;

static void slot(const char *name, struct shape s, const struct place *at, const char *layout)
{
	int id = fixture_slot(&r.f, name, DT_F64, s, at);
	struct slot *x = r.f.program->slots.at[id];
	x->layout = given(layout);
	x->laid_out = x->layout.layout;
	x->is_laid_out = true;
}

static void setup(void)
{
	r = start();
	slot("x", SHAPE(N), r.f.left, "S0");
	slot("xs", SHAPE(LINES, N), r.f.left, "S1");
	slot("y", SHAPE(N), r.f.left, "S0");
	slot("ys", SHAPE(LINES, N), r.f.left, "S1");
	slot("z", SHAPE(N), r.f.right, "S0");
	slot("s", SCALAR_SHAPE, r.f.left, "B");
	slot("w", SHAPE(N, N), r.f.left, "B");
	slot("h", SHAPE(N), r.f.left, "B");
	slot("hs", SHAPE(LINES, N), r.f.left, "B");
}

static void teardown(void)
{
	session_free(r.f.session);
}

#define V       " : f64[3] @left : S(0)\n"
#define WHOLE   " : f64[3] @left : B\n"
#define LIST    " : f64[5, 3] @left : S(1)\n"
#define INT     " : i64 @left : B\n"
#define SCALAR  " : f64 @left : B\n"
#define X       "%0 \"x\" = slot \"x\"" V
#define XS      "%1 \"xs\" = slot \"xs\"" LIST
#define H       "%0 \"h\" = slot \"h\"" WHOLE
#define ADD     "{add(a[i]: f64, b[i]: f64) -> [i] = a + b {i=3}}"
#define MUL     "{mul(a[i]: f64, b[i]: f64) -> [i] = a * b {i=3}}"
#define HALF    "{half(a[i]: f64, b[i]: f64) -> [i] = a * 0.5 + b {i=3}}"
#define NUM     "{scale(a[i]: f64, n: i64) -> [i] = a * f64(n) {i=3}}"
#define REVERSE "{mix(a[i]: f64, w[i, j]: f64) -> [j] = sum[i] a * w {i=3, j=3}}"

static const char *const graphs[] = {
	/* in place: the next value reads the carried one element by element */
	X XS "%2 = carry(%0) of 0" V "%3 = map(%2, %0) " HALF V "%4 = end(%2, %3) of 0" V "loop 0 turns 5\n"
	     "output slot \"y\" = %4\n",
	/* two buffers: it reads all of it */
	H "%1 = slot \"w\" : f64[3, 3] @left : B\n%2 = carry(%0) of 0" WHOLE "%3 = map(%2, %1) " REVERSE WHOLE
	  "%4 = end(%2, %3) of 0" WHOLE "loop 0 turns 4\noutput slot \"h\" = %4\n",
	/* an odd number of turns, and a start that others read */
	H "%1 = slot \"w\" : f64[3, 3] @left : B\n%2 = carry(%0) of 0" WHOLE "%3 = map(%2, %1) " REVERSE WHOLE
	  "%4 = end(%2, %3) of 0" WHOLE "%5 = map(%4, %0) " ADD WHOLE "loop 0 turns 3\noutput slot \"h\" = %5\n",
	/* lines forward and backward, and a stack of them */
	X XS "%2 = carry(%0) of 0" V "%3 = line(%1) of 0 first 0 step 1" V "%4 = line(%1) of 0 first -1 step -1 back" V
	     "%5 = map(%3, %4) " ADD V "%6 = map(%2, %5) " HALF V "%7 = end(%2, %6) of 0" V "%8 = stack(%6) of 0" LIST
	     "loop 0 turns 5\noutput slot \"y\" = %7\noutput slot \"ys\" = %8\n",
	/* a stack of what is carried, from the last line on, and one of a line as it is */
	X XS "%2 = carry(%0) of 0" V "%3 = line(%1) of 0 first 0 step 1" V "%4 = map(%2, %3) " HALF V
	     "%5 = end(%2, %4) of 0" V "%6 = stack(%2) of 0 back" LIST "%7 = stack(%3) of 0" LIST
	     "%8 = map(%6, %7) {add(a[t, i]: f64, b[t, i]: f64) -> [t, i] = a + b {t=5, i=3}}" LIST
	     "loop 0 turns 5\noutput slot \"y\" = %5\noutput slot \"ys\" = %8\n",
	/* two values that take each other's place, the number of the turn, one of several tensors */
	X XS "%2 = map(%0, %0) " ADD V "%3 = carry(%0) of 0" V "%4 = carry(%2) of 0" V "%5 = turn of 0" INT
	     "%6 = line(%0, %2, %0, %2) of 0 first 3 step -1" V "%7 = map(%4, %5) " NUM V "%8 = map(%7, %6) " ADD V
	     "%9 = end(%3, %8) of 0" V "%10 = end(%4, %3) of 0" V "%11 = map(%9, %10) " ADD V
	     "loop 0 turns 4\noutput slot \"y\" = %11\n",
	/* they do nothing else */
	X XS "%2 = map(%0, %0) " ADD V "%3 = carry(%0) of 0" V "%4 = carry(%2) of 0" V "%5 = end(%3, %4) of 0" V
	     "%6 = end(%4, %3) of 0" V "%7 = map(%5, %6) " HALF V "loop 0 turns 3\noutput slot \"y\" = %7\n",
	/* no turn at all, and a stack of none */
	X XS "%2 = carry(%0) of 0" V "%3 = map(%2, %0) " MUL V "%4 = end(%2, %3) of 0" V
	     "loop 0 turns 0\noutput slot \"y\" = %4\n",
	/* one thing is the next of two */
	X XS "%2 = map(%0, %0) " ADD V "%3 = carry(%0) of 0" V "%4 = carry(%2) of 0" V "%5 = map(%3, %4) " HALF V
	     "%6 = end(%3, %5) of 0" V "%7 = end(%4, %5) of 0" V "%8 = map(%6, %7) " ADD V
	     "loop 0 turns 4\noutput slot \"y\" = %8\n",
	/* what every turn takes over from outside, and what none changes */
	X XS "%2 = map(%0, %0) " ADD V "%3 = carry(%0) of 0" V "%4 = carry(%2) of 0" V "%5 = map(%3, %4) " HALF V
	     "%6 = end(%3, %0) of 0" V "%7 = end(%4, %4) of 0" V "%8 = stack(%5) of 0" LIST "%9 = map(%6, %7) " ADD V
	     "loop 0 turns 5\noutput slot \"y\" = %9\noutput slot \"ys\" = %8\n",
	/* a loop in a loop, which reads the outer one's number, and a stack of its results that a third reads back */
	X XS "%2 = carry(%0) of 0" V "%3 = turn of 0" INT "%4 = carry(%2) of 1" V "%5 = map(%4, %3) " NUM V
	     "%6 = map(%5, %0) " HALF V "%7 = end(%4, %6) of 1" V "%8 = end(%2, %7) of 0" V "%9 = stack(%7) of 0" LIST
	     "%10 = carry(%8) of 2" V "%11 = line(%9) of 2 first -1 step -1 back" V "%12 = map(%10, %11) " HALF V
	     "%13 = end(%10, %12) of 2" V
	     "loop 0 turns 5\nloop 1 in 0 turns 2\nloop 2 turns 5\noutput slot \"y\" = %13\n",
	/* the inner loop starts anew in every turn, with what swaps */
	H "%1 = slot \"w\" : f64[3, 3] @left : B\n%2 = carry(%0) of 0" WHOLE "%3 = carry(%0) of 1" WHOLE
	  "%4 = map(%3, %1) " REVERSE WHOLE "%5 = map(%4, %2) " HALF WHOLE "%6 = end(%3, %5) of 1" WHOLE
	  "%7 = map(%6, %2) " HALF WHOLE "%8 = end(%2, %7) of 0" WHOLE
	  "loop 0 turns 3\nloop 1 in 0 turns 3\noutput slot \"h\" = %8\n",
	/* a transfer in every turn */
	X XS "%2 = carry(%0) of 0" V "%3 = to(%2) [@left : B]" WHOLE
	     "%4 = map(%3) {sum(a[i]: f64) -> [] = sum[i] a {i=3}}" SCALAR
	     "%5 = map(%2, %4) {scale(a[i]: f64, n: f64) -> [i] = a * n * 0.125 {i=3}}" V "%6 = end(%2, %5) of 0" V
	     "loop 0 turns 5\noutput slot \"y\" = %6\n",
	/* several that travel together, one before the loop and one behind */
	X XS "%2 = map(%0) {sum(a[i]: f64) -> [] = sum[i] a {i=3}} : f64 @left : P\n%3 = to(%2) [@left : B]" SCALAR
	     "%4 = carry(%0) of 0" V "%5 = map(%4) {sum(a[i]: f64) -> [] = sum[i] a {i=3}} : f64 @left : P\n"
	     "%6 = to(%5) [@left : B]" SCALAR
	     "%7 = map(%4) {sum(a[i]: f64) -> [] = sum[i] a * a {i=3}} : f64 @left : P\n%8 = to(%7) [@left : B]" SCALAR
	     "%9 = map(%4, %6, %8, %3) {mix(a[i]: f64, n: f64, m: f64, k: f64) -> [i] = a * 0.25 + n * 0.125 + "
	     "m * 0.0625 + k {i=3}}" V "%10 = end(%4, %9) of 0" V
	     "%11 = map(%10) {sum(a[i]: f64) -> [] = sum[i] a {i=3}} : f64 @left : P\n%12 = to(%11) [@left : B]" SCALAR
	     "loop 0 turns 5\noutput slot \"y\" = %10\noutput slot \"s\" = %12\n",
	/* there and back again, on two placements */
	X "%1 = slot \"z\" : f64[3] @right : S(0)\n%2 = carry(%0) of 0" V
	  "%3 = to(%2) [@right : S(0)] : f64[3] @right : S(0)\n%4 = carry(%1) of 0 : f64[3] @right : S(0)\n"
	  "%5 = map(%3, %4) " HALF " : f64[3] @right : S(0)\n%6 = to(%5) [@left : S(0)]" V "%7 = map(%6, %2) " HALF V
	  "%8 = end(%2, %7) of 0" V "%9 = end(%4, %5) of 0 : f64[3] @right : S(0)\n"
	  "loop 0 turns 5\noutput slot \"y\" = %8\noutput slot \"z\" = %9\n",
	/* turns counted at run time, more stated: lines of turns that are not made are 0 */
	X XS "%2 = const 3" INT "%3 = carry(%0) of 0" V "%4 = map(%3, %0) " HALF V "%5 = end(%3, %4) of 0" V
	     "%6 = stack(%4) of 0" LIST "loop 0 count %2 most 5\noutput slot \"y\" = %5\noutput slot \"ys\" = %6\n",
	/* nothing stated: a tape, read back */
	X XS "%2 = const 3" INT "%3 = carry(%0) of 0" V "%4 = map(%3, %0) " HALF V "%5 = end(%3, %4) of 0" V
	     "%6 = stack(%3) of 0 : f64[0, 3] @left : S(1)\n%7 = carry(%5) of 1" V
	     "%8 = line(%6) of 1 first -1 step -1 back" V "%9 = map(%7, %8) " HALF V "%10 = end(%7, %9) of 1" V
	     "loop 0 count %2\nloop 1 count %2\noutput slot \"y\" = %10\n",
	/* while: what decides is computed once more than the rest */
	X XS "%2 = const 0" INT "%3 = carry(%2) of 0" INT "%4 = map(%3) {less(n: i64) -> [] = n < i64(4)} : bool @left "
	     ": B\n%5 = map(%3) {more(n: i64) -> [] = n + i64(1)}" INT "%6 = carry(%0) of 0" V "%7 = map(%6, %3) " NUM V
	     "%8 = map(%7, %0) " HALF V "%9 = end(%3, %5) of 0" INT "%10 = end(%6, %8) of 0" V
	     "%11 = stack(%6) of 0 : f64[0, 3] @left : S(1)\n%12 = carry(%10) of 1" V
	     "%13 = line(%11) of 1 first -1 step -1 back" V "%14 = map(%12, %13) " HALF V "%15 = end(%12, %14) of 1" V
	     "loop 0 while %4\nloop 1 count %9\noutput slot \"y\" = %15\n",
	/* while: by what a transfer brings, and with one behind */
	H "%1 = slot \"x\"" V "%2 = carry(%1) of 0" V
	  "%3 = map(%2) {sum(a[i]: f64) -> [] = sum[i] a * a {i=3}} : f64 @left : P\n"
	  "%4 = to(%3) [@left : B]" SCALAR "%5 = map(%4) {far(a: f64) -> [] = a > 0.5} : bool @left : B\n"
	  "%6 = map(%2) {sum(a[i]: f64) -> [] = sum[i] a {i=3}} : f64 @left : P\n%7 = to(%6) [@left : B]" SCALAR
	  "%8 = map(%2, %7) {scale(a[i]: f64, n: f64) -> [i] = a * 0.5 + n * 0.0625 {i=3}}" V "%9 = end(%2, %8) of 0" V
	  "loop 0 while %5\noutput slot \"y\" = %9\n",
	/* what decides is what is carried next: it is not there if no turn is made */
	X XS
	"%2 = carry(%0) of 0" V "%3 = map(%2, %0) " HALF V "%4 = to(%3) [@left : B]" WHOLE
	"%5 = map(%4) {far(a[i]: f64) -> [] = max[i] a {i=3}}" SCALAR
	"%6 = map(%5) {less(a: f64) -> [] = a < 3.0} : bool @left : B\n%7 = turn of 0" INT
	"%8 = map(%6, %7) {both(a: bool, n: i64) -> [] = a && n < i64(3)} : bool @left : B\n%9 = end(%2, %3) of 0" V
	"loop 0 while %8\noutput slot \"y\" = %9\n",
	/* stacks of stacks, and a stack that is carried, which the next turn reads */
	X XS "%2 = carry(%1) of 0" LIST "%3 = carry(%0) of 1" V "%4 = line(%2) of 1 first -1 step -1 back" V
	     "%5 = map(%3, %4) " HALF V "%6 = end(%3, %5) of 1" V "%7 = stack(%5) of 1" LIST "%8 = carry(%6) of 2" V
	     "%9 = map(%8, %0) " HALF V "%10 = end(%8, %9) of 2" V "%11 = stack(%9) of 2" LIST
	     "%12 = end(%2, %7) of 0" LIST "%13 = stack(%11) of 0 : f64[4, 5, 3] @left : S(2)\n"
	     "%14 = map(%13) {sum(a[k, t, i]: f64) -> [t, i] = sum[k] a {k=4, t=5, i=3}}" LIST
	     "loop 0 turns 4\nloop 1 in 0 turns 5\nloop 2 in 0 turns 5\noutput slot \"xs\" = %12\n"
	     "output slot \"ys\" = %14\n",
	/* a stack that is carried, of which each turn reads all of the last one */
	X XS "%2 = carry(%1) of 0" LIST "%3 = carry(%0) of 1" V
	     "%4 = map(%3, %2) {near(a[i]: f64, b[t, i]: f64) -> [i] = sum[t] a * 0.125 + b * 0.25 {t=5, i=3}}" V
	     "%5 = end(%3, %4) of 1" V "%6 = stack(%4) of 1 back" LIST "%7 = end(%2, %6) of 0" LIST
	     "loop 0 turns 3\nloop 1 in 0 turns 5\noutput slot \"ys\" = %7\n",
};
enum { GRAPHS = sizeof graphs / sizeof *graphs, WITHOUT_COPIES = 4 };

/* Sums of what inner turns stack. */
#define SUM  "{add(a[t, i]: f64, b[t, i]: f64) -> [t, i] = a + b {t=5, i=3}}" LIST
#define BODY "%3 = carry(%0) of 1" V "%4 = line(%1) of 1 first 0 step 1" V "%5 = map(%3, %4) " HALF V
static const char *const sums[] = {
	/* forward and backward */
	X XS "%2 = carry(%1) of 0" LIST BODY "%6 = end(%3, %5) of 1" V "%7 = stack(%5) of 1" LIST
	     "%8 = map(%2, %7) " SUM "%9 = end(%2, %8) of 0" LIST
	     "loop 0 turns 3\nloop 1 in 0 turns 5\noutput slot \"ys\" = %9\n",
	X XS "%2 = carry(%1) of 0" LIST BODY "%6 = end(%3, %5) of 1" V "%7 = stack(%5) of 1 back" LIST
	     "%8 = map(%7, %2) " SUM "%9 = end(%2, %8) of 0" LIST
	     "loop 0 turns 3\nloop 1 in 0 turns 5\noutput slot \"ys\" = %9\n",
	/* two loops, one behind the other, to one sum, whose start is the stack of a third */
	X XS "%2 = map(%0, %0) " ADD V BODY "%6 = map(%5, %0) " HALF V "%7 = end(%3, %5) of 1" V
	     "%8 = stack(%6) of 1" LIST "%9 = carry(%8) of 0" LIST "%10 = turn of 0" INT "%11 = map(%2, %10) " NUM V
	     "%12 = carry(%11) of 2" V "%13 = map(%12, %0) " HALF V "%14 = end(%12, %13) of 2" V
	     "%15 = stack(%13) of 2" LIST "%16 = map(%9, %15) " SUM "%17 = carry(%11) of 3" V
	     "%18 = map(%17, %14) " HALF V "%19 = end(%17, %18) of 3" V "%20 = stack(%18) of 3 back" LIST
	     "%21 = map(%16, %20) " SUM "%22 = end(%9, %21) of 0" LIST
	     "loop 0 turns 3\nloop 1 turns 5\nloop 2 in 0 turns 5\nloop 3 in 0 turns 5\noutput slot \"ys\" = %22\n",
	/* what was carried, and the stack of one more loop behind */
	X XS "%2 = carry(%1) of 0" LIST BODY "%6 = end(%3, %5) of 1" V "%7 = stack(%5) of 1" LIST
	     "%8 = map(%2, %7) " SUM "%9 = end(%2, %8) of 0" LIST "%10 = carry(%0) of 2" V "%11 = map(%10, %0) " HALF V
	     "%12 = end(%10, %11) of 2" V "%13 = stack(%11) of 2 back" LIST "%14 = map(%13, %9) " SUM
	     "%15 = map(%14, %12) {mix(a[t, i]: f64, b[i]: f64) -> [t, i] = a - b * 0.25 {t=5, i=3}}" LIST
	     "loop 0 turns 3\nloop 1 in 0 turns 5\nloop 2 turns 5\noutput slot \"ys\" = %15\n",
	/* the stacks of two loops */
	X XS "%2 = carry(%0) of 0" V "%3 = line(%1) of 0 first 0 step 1" V "%4 = map(%2, %3) " HALF V
	     "%5 = map(%4, %0) " HALF V "%6 = end(%2, %4) of 0" V "%7 = stack(%5) of 0" LIST "%8 = carry(%0) of 1" V
	     "%9 = map(%8, %6) " HALF V "%10 = end(%8, %9) of 1" V "%11 = stack(%9) of 1 back" LIST
	     "%12 = map(%7, %11) " SUM
	     "%13 = map(%12, %10) {mix(a[t, i]: f64, b[i]: f64) -> [t, i] = a - b * 0.25 {t=5, i=3}}" LIST
	     "loop 0 turns 5\nloop 1 turns 5\noutput slot \"ys\" = %13\n",
	/* turns that are not made add nothing */
	X XS "%2 = const 0.0" SCALAR "%3 = map(%2) {fill(a: f64) -> [t, i] = a {t=5, i=3}}" LIST "%4 = const 3" INT
	     "%5 = carry(%3) of 0" LIST "%6 = carry(%0) of 1" V "%7 = map(%6, %0) " HALF V "%8 = end(%6, %7) of 1" V
	     "%9 = stack(%7) of 1" LIST "%10 = map(%5, %9) " SUM "%11 = end(%5, %10) of 0" LIST
	     "loop 0 turns 3\nloop 1 in 0 count %4 most 5\noutput slot \"ys\" = %11\n",
};
enum { SUMS = sizeof sums / sizeof *sums };
/* What is to stay as it was. */
static const char *const other_sums[] = {
	/* the old value is read behind the sum */
	X XS "%2 = carry(%1) of 0" LIST BODY "%6 = end(%3, %5) of 1" V "%7 = stack(%5) of 1" LIST
	     "%8 = map(%2, %7) " SUM
	     "%9 = map(%8, %2) {mix(a[t, i]: f64, b[t, i]: f64) -> [t, i] = a - b * 0.25 {t=5, i=3}}" LIST
	     "%10 = end(%2, %9) of 0" LIST "loop 0 turns 3\nloop 1 in 0 turns 5\noutput slot \"ys\" = %10\n",
	/* turns read other lines of it */
	X XS "%2 = carry(%1) of 0" LIST "%3 = carry(%0) of 1" V "%4 = line(%2) of 1 first -1 step -1 back" V
	     "%5 = map(%3, %4) " HALF V "%6 = end(%3, %5) of 1" V "%7 = stack(%5) of 1" LIST "%8 = map(%2, %7) " SUM
	     "%9 = end(%2, %8) of 0" LIST "loop 0 turns 3\nloop 1 in 0 turns 5\noutput slot \"ys\" = %9\n",
	/* the stack is read by others */
	X XS
	"%2 = carry(%1) of 0" LIST BODY "%6 = end(%3, %5) of 1" V "%7 = stack(%5) of 1" LIST "%8 = map(%2, %7) " SUM
	"%9 = map(%7) {first(a[t, i]: f64) -> [i] = sum[t] a {t=5, i=3}}" V "%10 = end(%2, %8) of 0" LIST
	"%11 = stack(%9) of 0 : f64[3, 3] @left : S(1)\n%12 = map(%10) {first(a[t, i]: f64) -> [i] = sum[t] a {t=5, "
	"i=3}}" V "%13 = map(%11, %12) {mix(a[t, i]: f64, b[i]: f64) -> [i] = sum[t] a * b {t=3, i=3}}" V
	"loop 0 turns 3\nloop 1 in 0 turns 5\noutput slot \"y\" = %13\n",
	/* the sum is read by others */
	X XS
	"%2 = carry(%1) of 0" LIST BODY "%6 = end(%3, %5) of 1" V "%7 = stack(%5) of 1" LIST "%8 = map(%2, %7) " SUM
	"%9 = map(%8) {first(a[t, i]: f64) -> [i] = sum[t] a {t=5, i=3}}" V "%10 = end(%2, %8) of 0" LIST
	"%11 = stack(%9) of 0 : f64[3, 3] @left : S(1)\n%12 = map(%10) {first(a[t, i]: f64) -> [i] = sum[t] a {t=5, "
	"i=3}}" V "%13 = map(%11, %12) {mix(a[t, i]: f64, b[i]: f64) -> [i] = sum[t] a * b {t=3, i=3}}" V
	"loop 0 turns 3\nloop 1 in 0 turns 5\noutput slot \"y\" = %13\n",
	/* what is carried lies in the stack */
	X XS "%2 = carry(%0) of 0" V "%3 = line(%1) of 0 first 0 step 1" V "%4 = map(%2, %3) " HALF V
	     "%5 = end(%2, %4) of 0" V "%6 = stack(%4) of 0" LIST "%7 = carry(%0) of 1" V "%8 = map(%7, %5) " HALF V
	     "%9 = end(%7, %8) of 1" V "%10 = stack(%8) of 1 back" LIST "%11 = map(%6, %10) " SUM
	     "%12 = map(%11, %9) {mix(a[t, i]: f64, b[i]: f64) -> [t, i] = a - b * 0.25 {t=5, i=3}}" LIST
	     "loop 0 turns 5\nloop 1 turns 5\noutput slot \"ys\" = %12\n",
	/* the start is such a stack */
	X XS "%2 = map(%0, %0) " ADD V BODY "%6 = end(%3, %5) of 1" V "%7 = stack(%5) of 1" LIST
	     "%8 = carry(%7) of 0" LIST "%9 = turn of 0" INT "%10 = map(%2, %9) " NUM V "%11 = carry(%10) of 2" V
	     "%12 = map(%11, %0) " HALF V "%13 = end(%11, %12) of 2" V "%14 = stack(%12) of 2" LIST
	     "%15 = map(%8, %14) " SUM "%16 = carry(%10) of 3" V "%17 = map(%16, %13) " HALF V
	     "%18 = end(%16, %17) of 3" V "%19 = stack(%17) of 3 back" LIST "%20 = map(%15, %19) " SUM
	     "%21 = end(%8, %20) of 0" LIST
	     "loop 0 turns 3\nloop 1 turns 5\nloop 2 in 0 turns 5\nloop 3 in 0 turns 5\noutput slot \"ys\" = %21\n",
	/* turns that are not made, and a start that may be -0 */
	X XS "%2 = const 3" INT "%3 = carry(%1) of 0" LIST "%4 = carry(%0) of 1" V "%5 = map(%4, %0) " HALF V
	     "%6 = end(%4, %5) of 1" V "%7 = stack(%5) of 1" LIST "%8 = map(%3, %7) " SUM "%9 = end(%3, %8) of 0" LIST
	     "loop 0 turns 3\nloop 1 in 0 count %2 most 5\noutput slot \"ys\" = %9\n",
};
enum { OTHER_SUMS = sizeof other_sums / sizeof *other_sums };

static void plan(const char *text)
{
	struct program *p = r.f.program;
	const char *error = NULL;
	struct graph *g = graph_read(r.f.session, p, arena_printf(p->arena, "graph laid out vars 0\n%s", text), &error);
	ck_assert_msg(g, "%s\n%s", error ? error : "", text);
	r.f.graph = g;
	r.meant = graph_copy(g, p->arena);
	prepare_laid_out(&r, 4);
}

START_TEST(plans_of_loops_compute_what_graphs_mean)
{
	plan(graphs[_i]);
	compare(&r, 3);
}
END_TEST

START_TEST(plans_of_loops_turn_by_turn_do_the_same)
{
	plan(graphs[_i]);
	struct graph *unrolled = graph_copy(r.meant, r.f.program->arena);
	if (!graph_unroll(unrolled))
		return;
	r.meant = unrolled;
	compare(&r, 2);
}
END_TEST

static int copies_in_turns(void)
{
	const struct plan *p = only_plan(&r);
	int n = 0;
	for (int l = 0; l < p->loops.n; l++)
		for (int i = p->loops.at[l].begin; i < p->loops.at[l].end; i++)
			n += p->steps.at[i].kind == STEP_COPY;
	return n;
}

START_TEST(what_is_made_for_the_next_turn_or_for_a_stack_is_not_copied)
{
	plan(graphs[_i]);
	ck_assert_int_eq(copies_in_turns(), 0);
}
END_TEST

/* Kernels in turns that stand in no other loop's. */
static int kernels_around(void)
{
	const struct plan *p = only_plan(&r);
	int n = 0;
	for (int l = 0; l < p->loops.n; l++)
		for (int i = p->loops.at[l].begin; i < p->loops.at[l].end; i++)
			n += p->steps.at[i].kind == STEP_KERNEL ? p->loops.at[l].outer < 0 ? 1 : -1 : 0;
	return n;
}

/* Buffers of the arena that hold lists. */
static int lists(void)
{
	const struct plan *p = only_plan(&r);
	int n = 0;
	for (int i = 0; i < p->buffers.n; i++)
		n += p->buffers.at[i].kind == BUFFER_ARENA && p->buffers.at[i].elements % LINES == 0;
	return n;
}

static void compare_sum(const char *text)
{
	plan(text);
	compare(&r, 3);
	plan(text);
	struct graph *unrolled = graph_copy(r.meant, r.f.program->arena);
	if (graph_unroll(unrolled)) {
		r.meant = unrolled;
		compare(&r, 2);
	}
}

START_TEST(what_turns_stack_for_a_sum_is_added_in_the_turns)
{
	compare_sum(sums[_i]);
	ck_assert_int_eq(lists(), 1);
	ck_assert_int_eq(copies_in_turns(), _i == 4 ? 0 : _i == 2 ? 2 : 1); /* of the starts */
	ck_assert_int_eq(kernels_around(), _i == 2 || _i == 4 ? 2 : _i == 3 ? 1 : 0);
}
END_TEST

START_TEST(sums_of_which_something_else_is_read_stay)
{
	compare_sum(other_sums[_i]);
	ck_assert_int_gt(lists(), 1);
}
END_TEST

/* ---- faults ---- */

static void finds(const char *message)
{
	const char *wrong = plan_verify(r.f.session->arena, only_plan(&r));
	ck_assert_msg(wrong && strstr(wrong, message), "`%s`, not `%s`", wrong ? wrong : "nothing", message);
}

static struct plan *lines_and_stack(void)
{
	plan(graphs[3]);
	return r.f.program->roles.at[0]->plans[0];
}

START_TEST(a_line_that_there_is_not_is_found)
{
	struct plan *p = lines_and_stack();
	p->loops.at[0].moves.at[0].first = 1;
	finds("leaves its lines");
}
END_TEST

START_TEST(a_buffer_that_moves_to_another_is_found)
{
	struct plan *p = lines_and_stack();
	p->loops.at[0].nexts.at[0].at = p->loops.at[0].moves.at[0].buffer;
	finds("in which it does not lie");
}
END_TEST

START_TEST(what_ends_before_what_lies_in_it_is_found)
{
	struct plan *p = lines_and_stack();
	int home = p->loops.at[0].starts.at[0].at;
	p->buffers.at[home].last_step = p->loops.at[0].begin;
	finds("is gone before");
}
END_TEST

/* A value from outside that the second turn would not find any more. */
START_TEST(what_does_not_live_through_a_loop_is_found)
{
	plan(graphs[0]);
	struct plan *p = r.f.program->roles.at[0]->plans[0];
	int b = p->loops.at[0].buffers.at[0];
	p->buffers.at[b].last_step = p->loops.at[0].begin + 1;
	finds("does not live through it");
}
END_TEST

/* The line that a turn adds to is another one than it writes. */
START_TEST(a_line_that_is_written_beside_another_is_found)
{
	plan(sums[0]);
	struct plan *p = r.f.program->roles.at[0]->plans[0];
	struct plan_loop *inner = &p->loops.at[1];
	struct plan_move *line = NULL;
	for (int i = 0; i < inner->moves.n; i++)
		line = p->buffers.at[inner->moves.at[i].of.at[0]].kind == BUFFER_ARENA ? &inner->moves.at[i] : line;
	struct plan_move other = *line;
	other.back = !other.back;
	other.first = other.back ? -1 : 0;
	other.step = -other.step;
	vec_push(r.f.program->arena, &inner->moves, other);
	finds("of which turns use others");
}
END_TEST

/* Turns write lines of what one of their steps reads as a whole. */
START_TEST(a_line_of_what_is_read_meanwhile_is_found)
{
	plan(sums[0]);
	struct plan *p = r.f.program->roles.at[0]->plans[0];
	struct plan_scalar first = {.kind = OPERAND_ELEMENT, .argument = p->loops.at[0].buffers.at[0]};
	for (int i = p->loops.at[1].begin + 1; i < p->loops.at[1].end; i++)
		vec_push(r.f.program->arena, &p->steps.at[i].scalars, first);
	finds("of which turns use others");
}
END_TEST

START_TEST(a_loop_without_end_is_found)
{
	struct plan *p = lines_and_stack();
	p->loops.at[0].end = p->loops.at[0].begin + 1;
	finds("ends no loop");
	p->loops.at[0].end = p->loops.at[0].begin;
	finds("begins no loop");
}
END_TEST

START_TEST(a_transfer_over_the_border_of_a_turn_is_found)
{
	plan(graphs[12]);
	struct plan *p = r.f.program->roles.at[0]->plans[0];
	ck_assert_int_eq(count_steps(p, STEP_TRANSFER_END), 1);
	bool moves = false;
	for (int i = 0; i < p->steps.n; i++) {
		struct plan_step *s = &p->steps.at[i];
		moves |= s->kind == STEP_TRANSFER_END;
		if (moves && !plan_step_is_loop(s))
			s->kind = STEP_PASS_BEGIN;
	}
	finds("crosses the border of a loop");
}
END_TEST

/* Buffers of the arena and steps do not become more with the turns. */
START_TEST(a_plan_is_as_long_for_many_turns_as_for_few)
{
	plan(X XS "%2 = carry(%0) of 0" V "%3 = map(%2, %0) " HALF V "%4 = end(%2, %3) of 0" V
		  "loop 0 turns 1000000\noutput slot \"y\" = %4\n");
	const struct plan *p = only_plan(&r);
	ck_assert_int_le(p->steps.n, 6);
	ck_assert_int_eq(count_steps(p, STEP_KERNEL), 1);
	ck_assert_int_eq(p->loops.at[0].nexts.n, 0);
}
END_TEST

/* ---- random loops ---- */

/* With the cotangents of the inputs for one of y. */
static void derive(struct graph *g)
{
	struct node *wrt[LOOP_INPUTS], *out[LOOP_INPUTS] = {NULL};
	struct node *y = g->outputs.at[0].node;
	for (int i = 0; i < LOOP_INPUTS; i++) {
		wrt[i] = NULL;
		for (int k = 0; k < g->nodes.n; k++)
			if (g->nodes.at[k]->kind == NODE_SLOT && g->nodes.at[k]->slot == i)
				wrt[i] = g->nodes.at[k];
		wrt[i] = wrt[i] ? wrt[i] : graph_slot(g, &r.f.site, i);
	}
	struct node *seed = graph_pointwise(g, &r.f.site, SC_SIN, y, NULL, NULL);
	ck_assert(autodiff_vjp(g, y, seed, LOOP_INPUTS, wrt, out));
	for (int i = 0; i < LOOP_INPUTS; i++)
		if (out[i])
			graph_output(g, OUTPUT_SLOT, LOOP_INPUTS + i, out[i], (struct span){0});
	graph_compact(g);
}

static void lay_out_slots(uint64_t *dice)
{
	static const char *const layouts[][2] = {{"B", "S0"}, {"B", "S0"}, {"B", "S1"}};
	for (int i = 0; i < LOOP_SLOTS; i++) {
		struct slot *slot = r.f.program->slots.at[i];
		slot->slot_class = i < LOOP_INPUTS || i == LOOP_COUNT ? SLOT_PARAM : SLOT_VALUE;
		slot->layout = (struct layout_spec){0};
		if (i < LOOP_INPUTS)
			slot->layout = given(layouts[i][fixture_random(dice) % 2]);
	}
}

/* With gradients, and counted by a slot, in some. */
START_TEST(random_loops_and_their_gradients_are_what_graphs_mean)
{
	uint64_t dice = (uint64_t)_i;
	r = start();
	loop_slots(&r.f);
	random_loops(&r.f, (uint64_t)_i, 3, _i % 2);
	lay_out_slots(&dice);
	if (_i % 3)
		derive(r.f.graph);
	r.meant = graph_copy(r.f.graph, r.f.session->arena);
	if (prepare(&r, 2))
		compare(&r, 2);
	else
		ck_assert(r.f.session->errors);
}
END_TEST

int main(int argc, char **argv)
{
	int first = argc > 1 ? atoi(argv[1]) : 0;
	int n = argc > 2 ? atoi(argv[2]) : RANDOM;
	Suite *s;
	TCase *t = suite_begin(&s, "plans of loops");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, plans_of_loops_compute_what_graphs_mean, 0, GRAPHS);
	tcase_add_loop_test(t, plans_of_loops_turn_by_turn_do_the_same, 0, GRAPHS);
	tcase_add_loop_test(t, what_is_made_for_the_next_turn_or_for_a_stack_is_not_copied, 0, WITHOUT_COPIES);
	tcase_add_loop_test(t, what_turns_stack_for_a_sum_is_added_in_the_turns, 0, SUMS);
	tcase_add_loop_test(t, sums_of_which_something_else_is_read_stay, 0, OTHER_SUMS);
	tcase_add_test(t, a_line_that_there_is_not_is_found);
	tcase_add_test(t, a_buffer_that_moves_to_another_is_found);
	tcase_add_test(t, what_ends_before_what_lies_in_it_is_found);
	tcase_add_test(t, what_does_not_live_through_a_loop_is_found);
	tcase_add_test(t, a_line_that_is_written_beside_another_is_found);
	tcase_add_test(t, a_line_of_what_is_read_meanwhile_is_found);
	tcase_add_test(t, a_loop_without_end_is_found);
	tcase_add_test(t, a_transfer_over_the_border_of_a_turn_is_found);
	tcase_add_test(t, a_plan_is_as_long_for_many_turns_as_for_few);
	tcase_add_loop_test(t, random_loops_and_their_gradients_are_what_graphs_mean, first, first + n);
	return suite_end(s);
}
