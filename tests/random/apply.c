/* apply.c — an operator applied: every point in turn. */
#include "random.h"

#include <math.h>
#include <stdlib.h>

double join_neutral(enum joiner j)
{
	switch (j) {
	case JOIN_PROD:
	case JOIN_ALL:
		return 1;
	case JOIN_MAX:
		return -INFINITY;
	case JOIN_MIN:
		return INFINITY;
	default:
		return 0;
	}
}

int plain_factor(const struct app *a, const struct access *at, int d)
{
	const struct index *ix = &at->index[d];
	int f = -1;
	if (ix->data >= 0 || ix->offset)
		return -1;
	for (int k = 0; k < a->nfactors; k++) {
		if (!ix->coef[k])
			continue;
		if (f >= 0 || ix->coef[k] != 1)
			return -1;
		f = k;
	}
	return f >= 0 && a->extent[f] == at->shape.dim[d] ? f : -1;
}

/* The element that a point reads or writes, or -1 outside. index: values of the operands at the point. */
static int element(const struct access *at, const int *factor, const struct dual *operand)
{
	int e = 0;
	for (int d = 0; d < at->shape.rank; d++) {
		const struct index *ix = &at->index[d];
		int i = ix->offset;
		if (ix->data >= 0)
			i += (int)operand[ix->data].v;
		for (int f = 0; f < MAX_FACTORS; f++)
			if (ix->coef[f])
				i += ix->coef[f] * factor[f];
		if (i < 0 || i >= at->shape.dim[d])
			return -1;
		e = e * at->shape.dim[d] + i;
	}
	return e;
}

static bool has_data(const struct access *at)
{
	for (int d = 0; d < at->shape.rank; d++)
		if (at->index[d].data >= 0)
			return true;
	return false;
}

enum reading { READ, OUTSIDE, NOT_HELD };

/* Operands that index others are read first. A point that reads outside does not count; one that reads what is not held
 * is unknown. */
static enum reading read_operands(const struct app *a, const struct operand *in, const int *factor, struct dual *x)
{
	bool missing = false;
	for (int pass = 0; pass < 2; pass++)
		for (int k = 0; k < a->noperands; k++) {
			if (has_data(&a->in[k]) != (pass == 1))
				continue;
			int e = element(&a->in[k], factor, x);
			if (e < 0)
				return OUTSIDE;
			if (in[k].held && !in[k].held[e]) {
				missing = true;
				if (pass == 0 && !dtype_is_float(a->in[k].type))
					return NOT_HELD;
			}
			x[k] = (struct dual){in[k].v[e], in[k].t ? in[k].t[e] : 0};
		}
	return missing ? NOT_HELD : READ;
}

struct joining {
	const struct app *app;
	double *v, *t;
	int *winners, *position;
};

/* A NaN wins over numbers. */
static bool outdoes(double y, double x, bool larger)
{
	return isnan(y) ? !isnan(x) : larger ? y > x : y < x;
}

static void join_extremum(struct joining *j, int e, struct dual y, bool larger)
{
	if (j->winners[e] && y.v == j->v[e]) {
		if (j->t)
			j->t[e] += y.t;
		j->winners[e]++;
	} else if (!j->winners[e] || outdoes(y.v, j->v[e], larger)) {
		j->v[e] = y.v;
		if (j->t)
			j->t[e] = y.t;
		j->winners[e] = 1;
	}
}

static void join_winner(struct joining *j, int e, struct dual y, int position, bool larger, double *best)
{
	if (!j->winners[e] || outdoes(y.v, best[e], larger)) {
		best[e] = y.v;
		j->v[e] = position;
		j->winners[e] = 1;
	}
}

static void join(struct joining *j, int e, struct dual y, int position, double *best)
{
	double t = j->t ? j->t[e] : 0, v = j->v[e];
	switch (j->app->joiner) {
	case JOIN_NONE:
		v = y.v;
		t = y.t;
		break;
	case JOIN_SUM:
	case JOIN_MEAN:
		v += y.v;
		t += y.t;
		break;
	case JOIN_PROD:
		t = t * y.v + v * y.t;
		v *= y.v;
		break;
	case JOIN_MAX:
	case JOIN_MIN:
		join_extremum(j, e, y, j->app->joiner == JOIN_MAX);
		return;
	case JOIN_ANY:
		v = v != 0 || y.v != 0;
		break;
	case JOIN_ALL:
		v = v != 0 && y.v != 0;
		break;
	case JOIN_ARGMAX:
	case JOIN_ARGMIN:
		join_winner(j, e, y, position, j->app->joiner == JOIN_ARGMAX, best);
		return;
	}
	j->v[e] = v;
	if (j->t)
		j->t[e] = t;
}

static void settle(struct joining *j, int volume)
{
	int points = 1;
	for (int f = 0; f < j->app->nfactors; f++)
		if (j->app->reduced[f])
			points *= j->app->extent[f];
	for (int e = 0; e < volume; e++) {
		if (j->app->joiner == JOIN_MEAN)
			j->v[e] /= points;
		if (j->t && j->app->joiner == JOIN_MEAN)
			j->t[e] /= points;
		if (j->t && j->winners[e] > 1)
			j->t[e] /= j->winners[e];
	}
}

static int reduced_position(const struct app *a, const int *factor)
{
	for (int f = 0; f < a->nfactors; f++)
		if (a->reduced[f])
			return factor[f];
	return 0;
}

static bool next_point(const struct app *a, int *factor)
{
	for (int f = a->nfactors - 1; f >= 0; f--) {
		if (++factor[f] < a->extent[f])
			return true;
		factor[f] = 0;
	}
	return false;
}

void app_eval(const struct app *a, const struct operand *in, double *v, double *t, bool *full)
{
	int volume = shape_volume(&a->out.shape), factor[MAX_FACTORS] = {0}, points = 1;
	size_t room = (size_t)volume + 1;
	double *best = calloc(room, sizeof *best);
	struct joining j = {a, v, t, calloc(room, sizeof(int)), NULL};
	for (int e = 0; e < volume; e++) {
		v[e] = join_neutral(a->joiner);
		if (t)
			t[e] = 0;
		if (full)
			full[e] = true;
	}
	for (int f = 0; f < a->nfactors; f++)
		points *= a->extent[f];
	bool any = points > 0 && best && j.winners;
	while (any) {
		struct dual x[MAX_OPERANDS + 1] = {{0, 0}};
		enum reading r = read_operands(a, in, factor, x);
		int e = r == OUTSIDE ? -1 : element(&a->out, factor, x);
		if (r == NOT_HELD && full) {
			/* Where the place written to is unknown too, no element is known to be complete. */
			for (int i = 0; i < volume; i++)
				if (i == e || has_data(&a->out))
					full[i] = false;
		} else if (r == READ && e >= 0) {
			join(&j, e, body_eval(a->body, x, factor), reduced_position(a, factor), best);
		}
		any = next_point(a, factor);
	}
	settle(&j, volume);
	free(best);
	free(j.winners);
}

double app_margin(const struct app *a, const struct operand *in)
{
	int volume = shape_volume(&a->out.shape), factor[MAX_FACTORS] = {0}, points = 1;
	double *v = calloc((size_t)volume + 1, sizeof *v), least = INFINITY;
	bool extremum = a->joiner == JOIN_MAX || a->joiner == JOIN_MIN;
	for (int f = 0; f < a->nfactors; f++)
		points *= a->extent[f];
	if (v && extremum)
		app_eval(a, in, v, NULL, NULL);
	bool any = points > 0 && v;
	while (any) {
		struct dual x[MAX_OPERANDS + 1] = {{0, 0}};
		int e = read_operands(a, in, factor, x) == READ ? element(&a->out, factor, x) : -1;
		if (e >= 0) {
			double gap = extremum ? fabs(v[e] - body_eval(a->body, x, factor).v) : 0;
			least = fmin(least, body_margin(a->body, x, factor));
			least = gap > 0 ? fmin(least, gap) : least;
		}
		any = next_point(a, factor);
	}
	free(v);
	return least;
}
