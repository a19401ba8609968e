/* cuts.c — see cuts.h. For a bound on the slowest piece, best[p][i] is the least sum of p pieces of which the last one
 * ends in front of layer i. Bounds are the times of all runs of layers, from the least that can be, runs of as many
 * equal layers once; a larger bound cannot be better once (micro - 1) times it and all layers together are as much as
 * the best. */
#include "cuts.h"

#include "../pipeline/schedule.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDING 1e-9 /* by which sums of the same times differ */

struct search_cuts {
	struct arena *arena;
	const struct cutting *c;
	double *sum;           /* of times, in front of each layer */
	int64_t *fixed, *kept; /* likewise */
	double *best;          /* [pieces + 1][layers + 1] */
	int *from;             /* where the last piece begins */
};

/* A piece of the layers i to k - 1. */
static double time_of(const struct search_cuts *x, int i, int k)
{
	return x->sum[k] - x->sum[i] + (i ? x->c->send[i] : 0);
}

static bool fits(const struct search_cuts *x, int piece, int i, int k)
{
	int64_t bytes = x->fixed[k] - x->fixed[i] + x->c->held[piece] * (x->kept[k] - x->kept[i]);
	return !x->c->limit || bytes <= x->c->limit;
}

static double with_bound(struct search_cuts *x, double bound)
{
	int n = x->c->layers, w = n + 1;
	for (int i = 0; i <= n; i++)
		x->best[i] = i ? INFINITY : 0;
	for (int p = 1; p <= x->c->pieces; p++)
		for (int k = 0; k <= n; k++) {
			double *to = &x->best[p * w + k];
			*to = INFINITY;
			for (int i = k - 1; i >= 0 && x->sum[k] - x->sum[i] <= bound; i--) {
				double t = time_of(x, i, k), all = x->best[(p - 1) * w + i] + t;
				if (t <= bound && all < *to && fits(x, p - 1, i, k)) {
					*to = all;
					x->from[p * w + k] = i;
				}
			}
		}
	return x->best[x->c->pieces * w + n];
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static void add_up(struct search_cuts *x)
{
	int n = x->c->layers;
	x->sum = ARENA_ARRAY(x->arena, double, n + 1);
	x->fixed = ARENA_ARRAY(x->arena, int64_t, n + 1);
	x->kept = ARENA_ARRAY(x->arena, int64_t, n + 1);
	for (int i = 0; i < n; i++) {
		x->sum[i + 1] = x->sum[i] + x->c->time[i];
		x->fixed[i + 1] = x->fixed[i] + x->c->fixed[i];
		x->kept[i + 1] = x->kept[i] + x->c->kept[i];
	}
}

bool cut_layers(struct arena *a, const struct cutting *c, int *first, double *ns)
{
	struct search_cuts x = {.arena = a, .c = c};
	int n = c->layers, w = n + 1, nbounds = 0;
	double *bounds = ARENA_ARRAY(a, double, n *w / 2 + 1);
	if (c->pieces > n)
		return false;
	add_up(&x);
	x.best = ARENA_ARRAY(a, double, (c->pieces + 1) * w);
	x.from = ARENA_ARRAY(a, int, (c->pieces + 1) * w);
	for (int i = 0; i < n; i++)
		for (int k = i + 1; k <= n; k++)
			bounds[nbounds++] = time_of(&x, i, k);
	qsort(bounds, (size_t)nbounds, sizeof *bounds, by_value);
	*ns = INFINITY;
	for (int b = c->micro > 1 ? 0 : nbounds - 1; b < nbounds && x.sum[n] + (c->micro - 1) * bounds[b] < *ns; b++) {
		bool is_next_alike = b + 1 < nbounds && bounds[b + 1] <= bounds[b] * (1 + ROUNDING);
		if (is_next_alike || bounds[b] * c->pieces < x.sum[n] * (1 - ROUNDING))
			continue; /* one piece at least is as slow as the mean */
		double all = with_bound(&x, bounds[b]) + (c->micro - 1) * bounds[b];
		if (all >= *ns)
			continue;
		*ns = all;
		for (int p = c->pieces, k = n; p > 0; p--)
			k = first[p - 1] = x.from[p * w + k];
	}
	return *ns < INFINITY;
}

/* ---- what it takes ---- */

struct passes {
	struct arena *arena;
	struct pass_plan plan;
	int *unit[PASS_KINDS], *message[PASS_KINDS]; /* by piece and micro-batch; -1: none */
	int pieces, micro;
};

static int add_place(struct passes *x, int ranks, enum pass_kind kind, int level, int credits)
{
	vec_push(x->arena, &x->plan.places, ((struct pass_place){ranks, level, kind, credits, 0}));
	return x->plan.places.n - 1;
}

static void add_units(struct passes *x, int *unit, int piece, int place, double ns)
{
	for (int m = 0; m < x->micro; m++) {
		unit[piece * x->micro + m] = x->plan.units.n;
		vec_push(x->arena, &x->plan.units,
			 ((struct pass_unit){.place = place, .micro = m, .cost = ns < 1 ? 1 : (int64_t)ns}));
	}
}

static void order(struct passes *x, int before, int behind)
{
	if (before < 0 || behind < 0)
		return;
	vec_push(x->arena, &x->plan.units.at[before].after, behind);
	x->plan.units.at[behind].waits++;
}

static void order_all(struct passes *x, int *const *before, int piece, int *const *behind, int other, enum pass_kind k,
		      enum pass_kind l)
{
	for (int m = 0; m < x->micro; m++)
		order(x, before[k][piece * x->micro + m], behind[l][other * x->micro + m]);
}

static double sum_of(const double *v, int from, int to)
{
	double s = 0;
	for (int i = from; i < to; i++)
		s += v[i];
	return s;
}

/* Sets of ranks: the stages, then a link in front of each piece, forward and backward. */
static void add_passes(struct passes *x, const struct layers *l, const struct pipelining *p)
{
	bool splits = schedule_splits(p->schedule);
	double share = 1 / p->ranks;
	for (int c = 0; c < x->pieces; c++) {
		int from = p->first[c], to = c + 1 < x->pieces ? p->first[c + 1] : l->n, stage = c % p->stages;
		double backward = sum_of(l->backward, from, to), weights = sum_of(l->weights, from, to);
		add_units(x, x->unit[PASS_FORWARD], c, add_place(x, stage, PASS_FORWARD, c, x->pieces - c),
			  sum_of(l->forward, from, to) * share);
		add_units(x, x->unit[PASS_BACKWARD], c, add_place(x, stage, PASS_BACKWARD, 2 * x->pieces - c, 0),
			  (splits ? backward : backward + weights) * share);
		if (splits)
			add_units(x, x->unit[PASS_WEIGHTS], c, add_place(x, stage, PASS_WEIGHTS, 2 * x->pieces - c, 0),
				  weights * share);
		if (!c)
			continue;
		int link = p->stages + 2 * (c - 1);
		add_units(x, x->message[PASS_FORWARD], c, add_place(x, link, PASS_FORWARD, c, 0), p->send[from]);
		add_units(x, x->message[PASS_BACKWARD], c, add_place(x, link + 1, PASS_BACKWARD, c, 0), p->send[from]);
	}
	for (int c = 0; c < x->pieces; c++) {
		order_all(x, x->unit, c, x->unit, c, PASS_FORWARD, PASS_BACKWARD);
		order_all(x, x->unit, c, x->unit, c, PASS_FORWARD, PASS_WEIGHTS);
		order_all(x, x->unit, c, x->unit, c, PASS_BACKWARD, PASS_WEIGHTS);
		if (!c)
			continue;
		order_all(x, x->unit, c - 1, x->message, c, PASS_FORWARD, PASS_FORWARD);
		order_all(x, x->message, c, x->unit, c, PASS_FORWARD, PASS_FORWARD);
		order_all(x, x->unit, c, x->message, c, PASS_BACKWARD, PASS_BACKWARD);
		order_all(x, x->message, c, x->unit, c - 1, PASS_BACKWARD, PASS_BACKWARD);
	}
}

static int64_t most_memory(const struct passes *x, const struct layers *l, const struct pipelining *p)
{
	int64_t *bytes = ARENA_ARRAY(x->arena, int64_t, p->stages), most = 0;
	for (int c = 0; c < x->pieces; c++) {
		int from = p->first[c], to = c + 1 < x->pieces ? p->first[c + 1] : l->n;
		int held = x->plan.places.at[x->plan.units.at[x->unit[PASS_FORWARD][c * x->micro]].place].held;
		for (int i = from; i < to; i++)
			bytes[c % p->stages] +=
				(int64_t)((double)l->fixed[i] / p->ranks + (double)l->kept[i] * held / p->ranks);
	}
	for (int s = 0; s < p->stages; s++)
		most = bytes[s] > most ? bytes[s] : most;
	return most;
}

struct pipelined pipeline_takes(struct arena *a, const struct layers *l, const struct pipelining *p)
{
	struct passes x = {.arena = a, .pieces = p->stages * p->turns, .micro = p->micro};
	int sets = p->stages + 2 * (x.pieces - 1);
	bool *overlap = ARENA_ARRAY(a, bool, (int64_t)sets *sets);
	for (int i = 0; i < sets; i++)
		overlap[i * sets + i] = true;
	x.plan = (struct pass_plan){.schedule = p->schedule, .nranks = sets, .overlap = overlap};
	for (int k = 0; k < PASS_KINDS; k++) {
		x.unit[k] = ARENA_ARRAY(a, int, (int64_t)x.pieces *x.micro);
		x.message[k] = ARENA_ARRAY(a, int, (int64_t)x.pieces *x.micro);
		for (int i = 0; i < x.pieces * x.micro; i++)
			x.unit[k][i] = x.message[k][i] = -1;
	}
	add_passes(&x, l, p);
	schedule_passes(a, &x.plan);
	return (struct pipelined){(double)x.plan.span, most_memory(&x, l, p)};
}
