/* test_cuts.c — stages of a pipeline: the cuts that are found are the best of all, with and without a limit of memory;
 * a pipeline of equal stages takes what the closed forms say. TEST_LONG: 2,000 chains. */
#include "suite.h"

#include "compiler/search/cuts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state;

static int roll(int n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (int)((state >> 33) % (uint64_t)n);
}

enum { MOST = 8 };

struct chain {
	struct cutting c;
	double time[MOST], send[MOST];
	int64_t fixed[MOST], kept[MOST];
	int held[MOST];
};

static void chain_new(struct chain *x)
{
	int n = 2 + roll(MOST - 1);
	bool equal = roll(3) == 0;
	x->c = (struct cutting){.layers = n,
				.pieces = 1 + roll(n),
				.micro = 1 + roll(12),
				.time = x->time,
				.send = x->send,
				.fixed = x->fixed,
				.kept = x->kept,
				.held = x->held};
	for (int i = 0; i < n; i++) {
		x->time[i] = equal ? 10 : 1 + roll(20);
		x->send[i] = roll(3) ? roll(10) : 0;
		x->fixed[i] = roll(10);
		x->kept[i] = roll(10);
		x->held[i] = 1 + roll(x->c.micro);
	}
}

/* What the pieces cost that begin at first[]; INFINITY: more than the limit. most: bytes of the largest. */
static double cost_of(const struct cutting *c, const int *first, int64_t *most)
{
	double sum = 0, slowest = 0;
	*most = 0;
	for (int p = 0; p < c->pieces; p++) {
		int to = p + 1 < c->pieces ? first[p + 1] : c->layers;
		double t = first[p] ? c->send[first[p]] : 0;
		int64_t bytes = 0;
		for (int i = first[p]; i < to; i++) {
			t += c->time[i];
			bytes += c->fixed[i] + c->kept[i] * c->held[p];
		}
		sum += t;
		slowest = t > slowest ? t : slowest;
		*most = bytes > *most ? bytes : *most;
	}
	return c->limit && *most > c->limit ? INFINITY : sum + (c->micro - 1) * slowest;
}

/* The least of all cuts; *least: bytes of that which takes least memory. */
static double least_of_all(const struct cutting *c, int64_t *least)
{
	int first[MOST] = {0};
	double best = INFINITY;
	*least = INT64_MAX;
	for (int set = 0; set < 1 << (c->layers - 1); set++) {
		int n = 1;
		int64_t most;
		for (int i = 1; i < c->layers; i++)
			if (set >> (i - 1) & 1)
				first[n++] = i;
		if (n != c->pieces)
			continue;
		double cost = cost_of(c, first, &most);
		best = cost < best ? cost : best;
		*least = most < *least ? most : *least;
	}
	return best;
}

static void check_chain(const struct cutting *c, int seed)
{
	int first[MOST];
	double ns = 0;
	int64_t most, least;
	double best = least_of_all(c, &least);
	bool found = cut_layers(c, first, &ns);
	ck_assert_msg(found == (best < INFINITY), "seed %d: %s", seed, found ? "nothing fits" : "something fits");
	if (!found)
		return;
	ck_assert_msg(fabs(ns - best) < 1e-6, "seed %d: the best takes %g, found %g", seed, best, ns);
	ck_assert_msg(fabs(cost_of(c, first, &most) - best) < 1e-6, "seed %d: the cuts take %g, said %g", seed,
		      cost_of(c, first, &most), ns);
	ck_assert_int_eq(first[0], 0);
}

START_TEST(cuts_are_the_best_of_all)
{
	int count = getenv("TEST_LONG") ? 2000 : 200;
	for (int seed = 0; seed < count; seed++) {
		struct arena *a = arena_new("test");
		struct chain x;
		int64_t least;
		state = (uint64_t)seed * 7919 + 5;
		chain_new(&x);
		check_chain(&x.c, seed);
		least_of_all(&x.c, &least);
		for (int more = -1; more <= 20; more += 7) {
			x.c.limit = least + more;
			if (x.c.limit > 0)
				check_chain(&x.c, seed);
		}
		arena_free(a);
	}
}
END_TEST

START_TEST(more_pieces_than_layers_are_none)
{
	struct arena *a = arena_new("test");
	struct chain x;
	int first[MOST];
	double ns;
	state = 3;
	chain_new(&x);
	x.c.pieces = x.c.layers + 1;
	ck_assert(!cut_layers(&x.c, first, &ns));
	arena_free(a);
}
END_TEST

/* Four equal stages of two layers: forward 10, backward 12 and 8 for weights a layer. */
static struct pipelined takes(struct arena *a, enum schedule s, int micro, int turns, double message)
{
	enum { N = 8 };
	double forward[N], backward[N], weights[N], send[N];
	int64_t fixed[N], kept[N], bytes[N];
	int first[N];
	for (int i = 0; i < N; i++) {
		forward[i] = 10000;
		backward[i] = 12000;
		weights[i] = 8000;
		send[i] = message;
		fixed[i] = 100;
		kept[i] = 10;
		bytes[i] = 0;
		first[i] = i * N / (4 * turns);
	}
	struct layers l = {N, forward, backward, weights, fixed, kept, bytes};
	struct pipelining p = {4, turns, first, micro, s, 1, send};
	return pipeline_takes(a, &l, &p);
}

START_TEST(equal_stages_take_what_closed_forms_say)
{
	struct arena *a = arena_new("test");
	for (int m = 4; m <= 16; m *= 2) {
		/* (p - 1 + m) (F + B + W), with F = 20, B + W = 40 us */
		struct pipelined gpipe = takes(a, SCHEDULE_GPIPE, m, 1, 0),
				 one = takes(a, SCHEDULE_ONE_F_ONE_B, m, 1, 0),
				 zero = takes(a, SCHEDULE_ZERO_BUBBLE, m, 1, 0),
				 two = takes(a, SCHEDULE_ONE_F_ONE_B, m, 2, 0);
		ck_assert(fabs(gpipe.ns - (3 + m) * 60000.0) < 1000);
		ck_assert(fabs(one.ns - (3 + m) * 60000.0) < 1000);
		ck_assert(zero.ns < one.ns && zero.ns >= m * 60000.0);
		ck_assert(two.ns < one.ns && two.ns >= m * 60000.0);
		ck_assert_int_eq(gpipe.memory, 2 * (100 + 10 * m));
		ck_assert_int_eq(one.memory, 2 * (100 + 10 * 4));
		ck_assert(takes(a, SCHEDULE_ONE_F_ONE_B, m, 1, 5000).ns > one.ns + 6 * 4999);
	}
	arena_free(a);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "cuts");
	tcase_add_test(t, cuts_are_the_best_of_all);
	tcase_add_test(t, more_pieces_than_layers_are_none);
	tcase_add_test(t, equal_stages_take_what_closed_forms_say);
	return suite_end(s);
}
