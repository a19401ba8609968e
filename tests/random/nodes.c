/* nodes.c — what a program computes: nodes, their values, and whether they may be. */
#include "program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int node_new(struct maker *m, enum node_kind k, enum dtype t, const struct shape *s, const struct place *p)
{
	if (m->nnodes == MAX_NODES) {
		m->failed = true;
		return m->nnodes - 1;
	}
	struct node *n = &m->node[m->nnodes];
	size_t bytes = ((size_t)shape_volume(s) + 1) * sizeof(double);
	*n = (struct node){.kind = k, .type = t, .shape = *s, .place = p, .known = true, .exact = true};
	n->v = heap_new(m->heap, bytes);
	n->t = heap_new(m->heap, bytes);
	return m->nnodes++;
}

int node_source(struct maker *m, enum dtype t, const struct shape *s, const struct place *p, const struct layout *l)
{
	int n = node_new(m, NODE_SOURCE, t, s, p);
	m->node[n].layout = *l;
	return n;
}

static void evaluate(struct maker *m, struct node *n, bool tangents)
{
	struct operand in[MAX_OPERANDS];
	int volume = shape_volume(&n->shape);
	if (n->kind == NODE_SOURCE)
		return;
	if (n->kind == NODE_APP) {
		for (int k = 0; k < n->nin; k++)
			in[k] = (struct operand){m->node[n->in[k]].v, tangents ? m->node[n->in[k]].t : NULL, NULL};
		app_eval(n->app, in, n->v, tangents ? n->t : NULL, NULL);
	} else {
		memcpy(n->v, m->node[n->in[0]].v, sizeof *n->v * (size_t)volume);
		if (tangents && !n->stops)
			memcpy(n->t, m->node[n->in[0]].t, sizeof *n->t * (size_t)volume);
	}
}

/* Small multiples of a power of two are added and multiplied without rounding, in any order. */
static void judge(struct maker *m, struct node *n)
{
	int volume = shape_volume(&n->shape);
	n->scale = 0;
	for (int k = 0; k < n->nin; k++) {
		const struct node *x = &m->node[n->in[k]];
		n->exact &= x->exact;
		n->known &= x->known;
		n->scale = fmax(n->scale, x->scale);
	}
	if (n->kind == NODE_APP)
		n->exact &= body_is_exact(n->app->body) && n->app->joiner != JOIN_MEAN;
	bool copies = n->kind != NODE_APP || app_copies(n->app);
	for (int e = 0; e < volume; e++) {
		double v = fabs(n->v[e]);
		bool odd = m->odd && (!isfinite(v) || (copies && is_far(v)));
		if (isfinite(v) && !(m->odd && is_far(v)))
			n->scale = fmax(n->scale, v);
		n->exact &= odd || (v * 16 == floor(v * 16) && v < 30000);
	}
}

bool usable(const struct maker *m, int n)
{
	const struct node *x = &m->node[n];
	for (int e = 0; e < shape_volume(&x->shape); e++) {
		bool odd = m->odd && dtype_is_float(x->type) && (!isfinite(x->v[e]) || is_far(x->v[e]));
		if (!odd && !(fabs(x->v[e]) <= (x->type == I32 ? 1e6 : 1e8)))
			return false;
	}
	return x->scale < 1e8;
}

void node_evaluate(struct maker *m, int first, int last, bool tangents)
{
	for (int i = first; i < last; i++)
		evaluate(m, &m->node[i], tangents);
}

static int node_done(struct maker *m, int n)
{
	evaluate(m, &m->node[n], false);
	judge(m, &m->node[n]);
	return n;
}

/* All operands that are anywhere are on one placement. */
static bool one_place(struct maker *m, const int *in, int n, const struct place **place)
{
	*place = NULL;
	for (int k = 0; k < n; k++) {
		const struct place *p = m->node[in[k]].place;
		if (p && *place && p != *place)
			return false;
		if (p)
			*place = p;
	}
	return true;
}

static bool exact_enough(struct maker *m, const struct app *a, const int *in)
{
	bool picks = a->joiner == JOIN_ARGMAX || a->joiner == JOIN_ARGMIN;
	if (body_is_continuous(a->body) && !picks)
		return true;
	for (int k = 0; k < a->noperands; k++)
		if (!m->node[in[k]].exact)
			return false;
	return true;
}

/* A derivative there would depend on rounding. */
static bool too_close(struct maker *m, const struct app *a, const int *in)
{
	struct operand x[MAX_OPERANDS];
	for (int k = 0; k < a->noperands; k++)
		x[k] = (struct operand){m->node[in[k]].v, NULL, NULL};
	return app_margin(a, x) < 1e-3;
}

/* A maximum in parts and a number of the program: what is legal hangs on the number, of which the oracle knows nothing.
 */
static bool hangs_on_a_number(const struct maker *m, const struct app *a, const int *in, const struct layout *seen,
			      const struct place *p)
{
	bool number = false, extremum = false;
	for (int k = 0; k < a->noperands; k++) {
		const struct node *x = &m->node[in[k]];
		number |= x->kind == NODE_SOURCE && !x->place && !x->shape.rank;
		for (int axis = 0; axis < p->naxes; axis++)
			extremum |= seen[k].axis[axis].kind == ATOM_P &&
				    (seen[k].axis[axis].combiner == MAX || seen[k].axis[axis].combiner == MIN);
	}
	return number && extremum;
}

/* The position of the greatest among none. */
static bool chooses_among_none(const struct app *a)
{
	int points = 1;
	for (int f = 0; f < a->nfactors; f++)
		points *= a->reduced[f] ? a->extent[f] : 1;
	return (a->joiner == JOIN_ARGMAX || a->joiner == JOIN_ARGMIN) && !points && shape_volume(&a->out.shape);
}

static int apply(struct maker *m, const struct app *a, const int *in, bool may_repeat)
{
	const struct place *p;
	struct layout seen[MAX_OPERANDS] = {{{{0}}}};
	if (!a || m->failed || !one_place(m, in, a->noperands, &p) || shape_volume(&a->out.shape) > MAX_VOLUME ||
	    !exact_enough(m, a, in) || chooses_among_none(a) || (m->odd && app_is_open(m, a, in))) {
		m->undecided = true;
		return in[0];
	}
	int n = node_new(m, NODE_APP, a->out.type, &a->out.shape, p);
	struct node *x = &m->node[n];
	if (m->smooth && too_close(m, a, in))
		m->undecided = true;
	x->app = a;
	x->nin = a->noperands;
	for (int k = 0; k < a->noperands; k++) {
		x->in[k] = in[k];
		if (m->node[in[k]].place)
			seen[k] = m->node[in[k]].layout;
	}
	/* f(x, x) may be simpler than f: max(x, x) is x. */
	for (int k = 1; k < a->noperands && !may_repeat; k++)
		for (int i = 0; i < k; i++)
			m->undecided |= in[i] == in[k] && (m->finished_wrong || a->noperands > 2);
	if (p) {
		struct dice d = {m->seed * 1000003u + (uint64_t)n};
		enum verdict v = oracle_app(a, p, seen, &x->layout, &d);
		if (v == ILLEGAL && hangs_on_a_number(m, a, in, seen, p))
			v = UNDECIDED;
		m->failed |= v == ILLEGAL;
		m->undecided |= v == UNDECIDED;
	}
	return node_done(m, n);
}

int node_apply(struct maker *m, const struct app *a, const int *in)
{
	return apply(m, a, in, false);
}

int node_apply_twice(struct maker *m, const struct app *a, const int *in)
{
	return apply(m, a, in, true);
}

int node_reshape(struct maker *m, int x, const struct shape *s)
{
	int n = node_new(m, NODE_RESHAPE, m->node[x].type, s, m->node[x].place);
	m->node[n].in[0] = x;
	m->node[n].nin = 1;
	if (m->node[x].place) {
		enum verdict v =
			oracle_reshape(&m->node[x].shape, s, m->node[x].place, &m->node[x].layout, &m->node[n].layout);
		m->failed |= v == ILLEGAL;
		m->undecided |= v == UNDECIDED;
	}
	return node_done(m, n);
}

int node_move(struct maker *m, int x, const struct place *p, const struct layout *l)
{
	int n = node_new(m, NODE_SAME, m->node[x].type, &m->node[x].shape, p);
	m->node[n].in[0] = x;
	m->node[n].nin = 1;
	m->node[n].layout = *l;
	return node_done(m, n);
}

int node_stop(struct maker *m, int x)
{
	int n = node_move(m, x, m->node[x].place, &m->node[x].layout);
	m->node[n].stops = true;
	return n;
}

int node_replay(struct maker *m, int first, int last, const int *from, const int *to, int n, int wanted)
{
	int *number = calloc(MAX_NODES, sizeof *number), result;
	for (int i = 0; i < MAX_NODES; i++)
		number[i] = i;
	for (int k = 0; k < n; k++)
		number[from[k]] = to[k];
	for (int i = first; i < last && !m->failed; i++) {
		const struct node *x = &m->node[i];
		if (x->kind == NODE_SOURCE || number[i] != i)
			continue;
		int y = node_new(m, x->kind, x->type, &x->shape, x->place);
		struct node copy = *x;
		copy.v = m->node[y].v;
		copy.t = m->node[y].t;
		copy.known = copy.exact = true;
		for (int k = 0; k < x->nin; k++)
			copy.in[k] = number[x->in[k]];
		m->node[y] = copy;
		if (copy.kind == NODE_APP &&
		    (!exact_enough(m, copy.app, copy.in) || (m->smooth && too_close(m, copy.app, copy.in)) ||
		     (m->odd && app_is_open(m, copy.app, copy.in))))
			m->undecided = true;
		number[i] = node_done(m, y);
	}
	result = number[wanted];
	free(number);
	return result;
}
