/* layout_loops.h — graphs with loops for the tests of their layouts: matrices of N x N, rules over them, loops of known
 * and unknown turns. */
#ifndef TEST_LAYOUT_LOOPS_H
#define TEST_LAYOUT_LOOPS_H

#include "layout_fixture.h"
#include "suite.h"

enum { N = 6 };

#define SQUARE    " {i=6, j=6, k=6}"
#define FLAT      " {i=6, j=6}"
#define ADD       "add(a[i, j], b[i, j]) -> [i, j] = a + b" FLAT
#define MUL       "mul(a[i, j], b[i, j]) -> [i, j] = a * b" FLAT
#define MATMUL    "matmul(a[i, k], b[k, j]) -> [i, j] = sum[k] a * b" SQUARE
#define TRANSPOSE "transpose(a[j, i]) -> [i, j] = a" FLAT
#define NEG       "neg(a[i, j]) -> [i, j] = -a" FLAT
#define EXP       "exp(a[i, j]) -> [i, j] = exp(a)" FLAT

static inline struct node *zero(struct fixture *f)
{
	struct shape s = SHAPE(N, N);
	return graph_fill(f->graph, &f->site, graph_float(f->graph, &f->site, DT_F32, 0.0), &s);
}

/* turns -1: counted by the host. */
static inline struct loop *loop_of(struct fixture *f, struct loop *outer, int64_t turns)
{
	struct loop *l = graph_loop(f->graph, outer, turns, (struct span){0});
	if (turns < 0)
		l->count = graph_host(f->graph, &f->site, 0, DT_I64);
	return l;
}

static inline void tidy(struct fixture *f)
{
	const char *wrong = graph_order(f->graph);
	ck_assert_msg(!wrong, "%s", wrong);
	wrong = graph_verify(f->graph);
	ck_assert_msg(!wrong, "%s\n%s", wrong, fixture_print(f->graph));
}

#endif
