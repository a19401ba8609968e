/* simulate.c — ranks with random shards and parts that compute what they can of an operator, on one axis. */
#include "simulate.h"

#include <math.h>

struct trial {
	const struct app *app;
	int ranks;
	int truths, parts; /* of 100 truth values and of their parts, those that hold: mostly all or none tell most */
	struct dice *dice;
	double *value[MAX_OPERANDS], *expected;
	double *part[MAX_OPERANDS][MAX_RANKS]; /* what each rank holds */
	double *result[MAX_RANKS];
	bool *held[MAX_OPERANDS], *full[MAX_RANKS];
};

static int indexed_extent(const struct app *a, int operand)
{
	for (int k = 0; k <= a->noperands; k++) {
		const struct access *at = k < a->noperands ? &a->in[k] : &a->out;
		for (int d = 0; d < at->shape.rank; d++)
			if (at->index[d].data == operand)
				return at->shape.dim[d];
	}
	return -1;
}

static double random_element(struct trial *t, int k)
{
	int extent = indexed_extent(t->app, k);
	if (extent >= 0)
		return dice_below(t->dice, extent);
	if (t->app->in[k].type == BOOL)
		return dice_chance(t->dice, t->truths);
	double v = dice_range(t->dice, 1, 5);
	if (dtype_is_float(t->app->in[k].type)) /* fractions, exact in sums and products */
		v += 0.25 * dice_below(t->dice, 4);
	return dice_chance(t->dice, 50) ? -v : v;
}

/* Splits one value into as many parts as there are ranks. */
static void cut(struct trial *t, enum combiner c, enum dtype type, double v, double *part)
{
	double rest = v, unit = dtype_is_float(type) ? 0.25 : 1;
	for (int r = 1; r < t->ranks; r++) {
		if (c == SUM)
			part[r] = unit * dice_range(t->dice, -10, 10);
		else if (c == PROD)
			part[r] = type == I32 ? (dice_chance(t->dice, 50) ? -1 : 1)
					      : (double[]){-1, 2, 0.5, -2}[dice_below(t->dice, 4)];
		else if (type == BOOL)
			part[r] = c == MAX ? v != 0 && dice_chance(t->dice, t->parts)
					   : v != 0 || dice_chance(t->dice, t->parts);
		else
			part[r] = c == MAX ? v - unit * dice_below(t->dice, 9) : v + unit * dice_below(t->dice, 9);
		rest = c == SUM ? rest - part[r] : c == PROD ? rest / part[r] : v;
	}
	part[0] = rest;
	int other = dice_below(t->dice, t->ranks);
	double swap = part[other];
	part[other] = part[0];
	part[0] = swap;
}

static void deal(struct trial *t, int k, struct atom atom)
{
	const struct access *at = &t->app->in[k];
	int volume = shape_volume(&at->shape);
	for (int e = 0; e < volume; e++) {
		double part[MAX_RANKS];
		if (atom.kind == ATOM_P)
			cut(t, atom.combiner, at->type, t->value[k][e], part);
		for (int r = 0; r < t->ranks; r++)
			t->part[k][r][e] = atom.kind == ATOM_P ? part[r] : t->value[k][e];
	}
}

/* The rows that a rank's share of a factor reads. */
static void held_by_window(const struct trial *t, int k, struct atom window, int rank, bool *held)
{
	const struct access *at = &t->app->in[k];
	const struct index *ix = &at->index[window.dim];
	int begin, end, low = ix->offset, high = ix->offset, inner = 1, volume = shape_volume(&at->shape);
	part_of(t->app->extent[window.factor], t->ranks, rank, &begin, &end);
	for (int f = 0; f < t->app->nfactors; f++) {
		int first = f == window.factor ? begin : 0, last = (f == window.factor ? end : t->app->extent[f]) - 1;
		low += ix->coef[f] * (ix->coef[f] < 0 ? last : first);
		high += ix->coef[f] * (ix->coef[f] < 0 ? first : last);
	}
	for (int d = window.dim + 1; d < at->shape.rank; d++)
		inner *= at->shape.dim[d];
	for (int e = 0; e < volume; e++) {
		int row = e / inner % at->shape.dim[window.dim];
		held[e] = begin < end && row >= low && row <= high;
	}
}

static void compute(struct trial *t, const struct atom *in, int rank)
{
	struct operand x[MAX_OPERANDS];
	struct place line = {.naxes = 1, .size = {t->ranks}};
	for (int k = 0; k < t->app->noperands; k++) {
		struct layout l = {{in[k]}};
		if (in[k].kind == ATOM_WINDOW)
			held_by_window(t, k, in[k], rank, t->held[k]);
		else
			held_elements(&line, &l, &t->app->in[k].shape, &rank, t->held[k]);
		x[k] = (struct operand){t->part[k][rank], NULL, t->held[k]};
	}
	app_eval(t->app, x, t->result[rank], NULL, t->full[rank]);
}

static bool near(double a, double b)
{
	return a == b || fabs(a - b) <= 1e-9 * fmax(1, fmax(fabs(a), fabs(b))) || (isnan(a) && isnan(b));
}

static double neutral(enum combiner c)
{
	return c == SUM ? 0 : c == PROD ? 1 : c == MAX ? -INFINITY : INFINITY;
}

static double combine(enum combiner c, double a, double b)
{
	return c == SUM ? a + b : c == PROD ? a * b : c == MAX ? fmax(a, b) : fmin(a, b);
}

/* Parts of the result combine to it. A rank that computed no point of an element adds nothing: its operator's neutral
 * value is that of the combination, too, or 0 for a sum. */
static bool joins(struct trial *t, enum combiner c)
{
	int volume = shape_volume(&t->app->out.shape);
	for (int e = 0; e < volume; e++) {
		double all = neutral(c);
		for (int r = 0; r < t->ranks; r++)
			all = combine(c, all, t->result[r][e]);
		if (!near(all, t->expected[e]))
			return false;
	}
	return true;
}

static bool holds(struct trial *t, struct atom out)
{
	struct place line = {.naxes = 1, .size = {t->ranks}};
	struct layout l = {{out}};
	int volume = shape_volume(&t->app->out.shape);
	bool needed[MAX_HELD];
	if (out.kind == ATOM_P)
		return joins(t, out.combiner);
	for (int r = 0; r < t->ranks; r++) {
		held_elements(&line, &l, &t->app->out.shape, &r, needed);
		for (int e = 0; e < volume; e++)
			if (needed[e] && !(t->full[r][e] && near(t->result[r][e], t->expected[e])))
				return false;
	}
	return true;
}

static void trial_alloc(struct trial *t, struct heap *h)
{
	for (int k = 0; k < t->app->noperands; k++) {
		size_t n = (size_t)shape_volume(&t->app->in[k].shape) + 1;
		t->value[k] = heap_new(h, n * sizeof(double));
		t->held[k] = heap_new(h, n * sizeof(bool));
		for (int r = 0; r < t->ranks; r++)
			t->part[k][r] = heap_new(h, n * sizeof(double));
	}
	size_t n = (size_t)shape_volume(&t->app->out.shape) + 1;
	t->expected = heap_new(h, n * sizeof(double));
	for (int r = 0; r < t->ranks; r++) {
		t->result[r] = heap_new(h, n * sizeof(double));
		t->full[r] = heap_new(h, n * sizeof(bool));
	}
}

bool simulate(const struct app *a, int ranks, const struct atom *in, struct atom out, struct dice *d, int rounds)
{
	struct heap h = {0};
	struct trial t = {.app = a, .ranks = ranks, .dice = d};
	bool right = true;
	trial_alloc(&t, &h);
	for (int round = 0; round < rounds && right; round++) {
		struct operand x[MAX_OPERANDS] = {{0}};
		t.truths = (int[]){4, 50, 96}[dice_below(d, 3)];
		t.parts = (int[]){10, 50, 90}[dice_below(d, 3)];
		for (int k = 0; k < a->noperands; k++) {
			int volume = shape_volume(&a->in[k].shape);
			for (int e = 0; e < volume; e++)
				t.value[k][e] = random_element(&t, k);
			deal(&t, k, in[k]);
			x[k].v = t.value[k];
		}
		app_eval(a, x, t.expected, NULL, NULL);
		for (int r = 0; r < ranks; r++)
			compute(&t, in, r);
		right = holds(&t, out);
	}
	heap_free(&h);
	return right;
}
