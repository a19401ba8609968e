/* ways.c — everything that would do: all ways to see the operands of an operator on one axis in which ranks can compute
 * a result, and whether some of them go together on all axes of a placement. */
#include "simulate.h"

static const struct atom whole = {ATOM_B, 0, SUM};

static struct atom split_on(int d)
{
	return (struct atom){ATOM_S, d, SUM};
}

static struct atom parts(enum combiner c)
{
	return (struct atom){ATOM_P, 0, c};
}

/* The layouts a value may be seen in on an axis: its own, and if it is whole, any. */
static int seen_as(struct atom has, const struct shape *s, enum dtype type, unsigned combiners, struct atom *out)
{
	int n = 0;
	out[n++] = has;
	if (has.kind != ATOM_B)
		return n;
	for (int d = 0; d < s->rank; d++)
		out[n++] = split_on(d);
	for (int c = 0; c < COMBINERS; c++)
		if (combiners >> c & 1 && (type != BOOL || c == MAX || c == MIN))
			out[n++] = parts((enum combiner)c);
	return n;
}

/* A split dimension that is read around the shards, by several factors or by one at other places: what the share of any
 * of them reads is fetched. */
static int windows_of(const struct app *a, const struct access *at, struct atom has, struct atom *out)
{
	int n = 0;
	if (has.kind != ATOM_S || at->index[has.dim].data >= 0 || plain_factor(a, at, has.dim) >= 0)
		return 0;
	for (int f = 0; f < a->nfactors; f++)
		if (at->index[has.dim].coef[f])
			out[n++] = (struct atom){ATOM_WINDOW, has.dim, SUM, f};
	return n;
}

static unsigned combiners_of(const struct app *a, const struct atom *in)
{
	static const unsigned joined[] = {
		[JOIN_NONE] = 1u << SUM, [JOIN_SUM] = 1u << SUM,   [JOIN_MEAN] = 1u << SUM, [JOIN_PROD] = 1u << PROD,
		[JOIN_MAX] = 1u << MAX,  [JOIN_MIN] = 1u << MIN,   [JOIN_ANY] = 1u << MAX,  [JOIN_ALL] = 1u << MIN,
		[JOIN_ARGMAX] = 0,       [JOIN_ARGMIN] = 1u << SUM};
	unsigned c = joined[a->joiner];
	for (int k = 0; k < a->noperands; k++)
		if (in[k].kind == ATOM_P)
			c |= 1u << in[k].combiner;
	return c;
}

struct search {
	const struct app *app;
	int ranks, most;
	const struct atom *in;
	struct dice *dice;
	struct ways *ways;
};

static bool gives_something(struct search *s, const struct atom *seen)
{
	struct atom out[MAX_DIM + COMBINERS + 2];
	int n = seen_as(whole, &s->app->out.shape, s->app->out.type, 15, out);
	for (int i = 0; i < n; i++)
		if (simulate(s->app, s->ranks, seen, out[i], s->dice, 1) &&
		    simulate(s->app, s->ranks, seen, out[i], s->dice, 3))
			return true;
	return false;
}

/* Operands as they are seen: one choice of conversions. Calls itself for the next operand. */
static void look(struct search *s, struct atom *seen, int k)
{
	struct atom options[MAX_DIM + COMBINERS + 2 + MAX_FACTORS];
	if (s->ways->n == s->most)
		return;
	if (k == s->app->noperands) {
		for (int i = 0; i < k; i++)
			s->ways->seen[s->ways->n][i] = seen[i];
		s->ways->n += gives_something(s, seen);
		return;
	}
	int n = seen_as(s->in[k], &s->app->in[k].shape, s->app->in[k].type, combiners_of(s->app, s->in), options);
	n += windows_of(s->app, &s->app->in[k], s->in[k], options + n);
	for (int i = 0; i < n; i++) {
		seen[k] = options[i];
		look(s, seen, k + 1);
	}
}

int ways_on_axis(const struct app *a, int ranks, const struct atom *in, struct dice *d, int most, struct ways *out)
{
	struct search s = {a, ranks, most, in, d, out};
	struct atom seen[MAX_OPERANDS];
	out->n = 0;
	look(&s, seen, 0);
	return out->n;
}

static bool together(const struct app *a, const struct place *p, const struct layout *in, const struct ways *ways,
		     struct layout *seen, int axis)
{
	if (axis == p->naxes) {
		for (int k = 0; k < a->noperands; k++)
			if (!layout_converts(p, &in[k], &seen[k], &a->in[k].shape))
				return false;
		return true;
	}
	for (int i = 0; i < ways[axis].n; i++) {
		for (int k = 0; k < a->noperands; k++)
			seen[k].axis[axis] =
				ways[axis].seen[i][k].kind == ATOM_WINDOW ? in[k].axis[axis] : ways[axis].seen[i][k];
		if (together(a, p, in, ways, seen, axis + 1))
			return true;
	}
	return false;
}

bool possible_together(const struct app *a, const struct place *p, const struct layout *in, struct dice *d)
{
	struct ways ways[MAX_AXES];
	struct layout seen[MAX_OPERANDS];
	for (int x = 0; x < p->naxes; x++) {
		struct atom has[MAX_OPERANDS];
		for (int k = 0; k < a->noperands; k++)
			has[k] = in[k].axis[x];
		if (ways_on_axis(a, p->size[x], has, d, MAX_WAYS, &ways[x]) == MAX_WAYS)
			return true; /* perhaps */
	}
	return together(a, p, in, ways, seen, 0);
}
