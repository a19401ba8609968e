/* cuts.c — see cuts.h. For a bound on the slowest piece, best[p][i] is the least sum of p pieces of which the last one
 * ends in front of layer i. Bounds are the times of all runs of layers, from the least that can be, runs of as many
 * equal layers once; a larger bound cannot be better once (micro - 1) times it and all layers together are as much as
 * the best. So of thousands of layers few runs matter: those that are not shorter than a mean piece, nor longer than
 * some cut allows that is found at once. */
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

struct bounds {
	VEC(double) all;
};

/* The first k from `from` on at which a piece that begins with layer i takes as much; layers + 1: there is none. */
static int end_of(const struct search_cuts *x, int i, int from, double least)
{
	int low = from, high = x->c->layers + 1;
	while (low < high) {
		int middle = low + (high - low) / 2;
		if (time_of(x, i, middle) < least)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct bounds find_bounds(const struct search_cuts *x, double least, double most)
{
	struct bounds b = {0};
	for (int i = 0; i < x->c->layers; i++)
		for (int k = end_of(x, i, i + 1, least); k <= x->c->layers && time_of(x, i, k) <= most; k++) {
			double ns = time_of(x, i, k);
			vec_push(x->arena, &b.all, ns);
		}
	qsort(b.all.at, (size_t)b.all.n, sizeof *b.all.at, by_value);
	return b;
}

/* Of a piece that holds as much as can be. */
static double most_of(const struct search_cuts *x)
{
	double most = 0;
	for (int i = 0; i < x->c->layers; i++)
		most = fmax(most, time_of(x, i, x->c->layers));
	return most;
}

/* A message in front of a piece, at the least. */
static double least_send(const struct search_cuts *x)
{
	double send = x->c->layers > 1 ? INFINITY : 0;
	for (int i = 1; i < x->c->layers; i++)
		send = fmin(send, x->c->send[i]);
	return send;
}

/* What all pieces take if each has as many layers as the bound allows, `slowest` becoming the slowest of them;
 * INFINITY: they do not reach the end. With a send instead of the layers' own, and nothing but that asked, no cut keeps
 * to the bound if this one does not. */
static double with_long_pieces(const struct search_cuts *x, double bound, const double *send, double *slowest)
{
	int n = x->c->layers, i = 0;
	double all = *slowest = 0;
	for (int p = 0; p < x->c->pieces; p++) {
		int last = n - (x->c->pieces - 1 - p), low = i, high = last;
		double own = !i ? 0 : send ? *send : x->c->send[i];
		while (low < high) {
			int middle = low + (high - low + 1) / 2;
			if (x->sum[middle] - x->sum[i] + own <= bound)
				low = middle;
			else
				high = middle - 1;
		}
		if (low == i || (!send && !fits(x, p, i, low)))
			return INFINITY;
		all += x->sum[low] - x->sum[i] + own;
		*slowest = fmax(*slowest, x->sum[low] - x->sum[i] + own);
		i = low;
	}
	return i == n ? all : INFINITY;
}

struct range {
	double least, most;
};

/* The bounds that matter: the least are so large that long pieces reach the end if each is sent as little as any,
 * beyond the most nothing is better than a cut into long pieces. */
static struct range find_range(const struct search_cuts *x, double least, double most)
{
	double send = least_send(x), turns = (double)(x->c->micro - 1), slowest;
	struct range r = {0, most}, own = {0, most};
	for (double high = most; high > r.least * (1 + ROUNDING);) {
		double middle = (r.least + high) / 2;
		*(with_long_pieces(x, middle, &send, &slowest) < INFINITY ? &high : &r.least) = middle;
	}
	while (own.most > own.least * (1 + ROUNDING)) {
		double middle = (own.least + own.most) / 2, all = with_long_pieces(x, middle, NULL, &slowest);
		*(all < INFINITY ? &own.most : &own.least) = middle;
		r.most = all < INFINITY ? fmin(r.most, (all + turns * slowest - least) / turns) : r.most;
	}
	r.least *= 1 - ROUNDING;
	r.most *= 1 + 2 * ROUNDING;
	return r;
}

static bool find_cut(struct search_cuts *x, int *first, double *ns)
{
	const struct cutting *c = x->c;
	double most = most_of(x), turns = (double)(c->micro - 1);
	double least = (x->sum[c->layers] + (c->pieces - 1) * least_send(x)) * (1 - ROUNDING);
	struct range range = turns > 0 ? find_range(x, least, most) : (struct range){most, most};
	struct bounds bounds = find_bounds(x, range.least, range.most);
	const double *bound = bounds.all.at;
	*ns = INFINITY;
	for (int b = 0; b < bounds.all.n && least + turns * bound[b] < *ns; b++) {
		if (b + 1 < bounds.all.n && bound[b + 1] <= bound[b] * (1 + ROUNDING))
			continue;
		double all = with_bound(x, bound[b]) + turns * bound[b];
		if (all >= *ns)
			continue;
		*ns = all;
		for (int p = c->pieces, k = c->layers; p > 0; p--)
			k = first[p - 1] = x->from[p * (c->layers + 1) + k];
	}
	return *ns < INFINITY;
}

bool cut_layers(const struct cutting *c, int *first, double *ns)
{
	int n = c->layers, w = n + 1;
	if (c->pieces > n)
		return false;
	struct search_cuts x = {.arena = arena_new("search: cuts"), .c = c};
	add_up(&x);
	x.best = ARENA_ARRAY(x.arena, double, (c->pieces + 1) * w);
	x.from = ARENA_ARRAY(x.arena, int, (c->pieces + 1) * w);
	bool found = find_cut(&x, first, ns);
	arena_free(x.arena);
	return found;
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
