/* steps_library.c — composed functions of the prelude, as its documentation defines them. */
#include "program.h"

#include <string.h>

static int finish(struct maker *m, int n)
{
	const struct place *p = m->node[n].place;
	struct layout l = m->node[n].layout;
	if (!p || !layout_has_part(p, &l))
		return n;
	for (int x = 0; x < p->naxes; x++)
		if (l.axis[x].kind == ATOM_P)
			l.axis[x] = (struct atom){ATOM_B, 0, SUM};
	return node_move(m, n, p, &l);
}

static int unary(struct maker *m, enum fn fn, int n)
{
	enum dtype t = m->node[n].type;
	return node_apply(m, app_pointwise(m, b_fn(m, fn, t, b_operand(m, 0, t), NULL, NULL), &n, 1), &n);
}

static int binary(struct maker *m, enum fn fn, int x, int y)
{
	enum dtype t = m->node[x].type;
	int in[2] = {x, y};
	return node_apply(m, app_pointwise(m, b_fn(m, fn, t, b_operand(m, 0, t), b_operand(m, 1, t), NULL), in, 2), in);
}

static int along(struct maker *m, enum fn fn, int x, int y, int d)
{
	return m->undecided ? x : node_apply(m, app_along(m, fn, x, y, d), (int[]){x, y});
}

static int reduce(struct maker *m, int n, int d, enum joiner j)
{
	return m->undecided ? n : node_apply(m, app_reduce(m, n, d, j, m->node[n].type), &n);
}

static int softmax(struct maker *m, int x, int d)
{
	int top = node_stop(m, finish(m, reduce(m, x, d, JOIN_MAX)));
	int e = unary(m, FN_EXP, along(m, FN_SUB, x, top, d));
	return along(m, FN_DIV, e, finish(m, reduce(m, e, d, JOIN_SUM)), d);
}

static int log_softmax(struct maker *m, int x, int d)
{
	int top = node_stop(m, finish(m, reduce(m, x, d, JOIN_MAX)));
	int z = along(m, FN_SUB, x, top, d);
	return along(m, FN_SUB, z, unary(m, FN_LOG, finish(m, reduce(m, unary(m, FN_EXP, z), d, JOIN_SUM))), d);
}

/* where(a - a == 0, a, 0): 0 for what is not finite. */
static int or_zero(struct maker *m, int x)
{
	enum dtype t = m->node[x].type;
	const struct body *a = b_operand(m, 0, t), *zero = b_const(m, t, 0);
	const struct body *finite = b_fn(m, FN_EQ, BOOL, b_fn(m, FN_SUB, t, a, a, NULL), zero, NULL);
	return node_apply(m, app_pointwise(m, b_fn(m, FN_WHERE, t, finite, a, zero), &x, 1), &x);
}

static int logsumexp(struct maker *m, int x, int d)
{
	int top = or_zero(m, node_stop(m, finish(m, reduce(m, x, d, JOIN_MAX))));
	int e = unary(m, FN_EXP, along(m, FN_SUB, x, top, d));
	return binary(m, FN_ADD, unary(m, FN_LOG, finish(m, reduce(m, e, d, JOIN_SUM))), top);
}

static int variance(struct maker *m, int x, int d)
{
	int c = along(m, FN_SUB, x, finish(m, reduce(m, x, d, JOIN_MEAN)), d);
	return reduce(m, binary(m, FN_MUL, c, c), d, JOIN_MEAN);
}

static int make_composed(struct maker *m)
{
	static const struct {
		const char *name;
		int (*make)(struct maker *m, int x, int d);
	} all[] = {
		{"softmax", softmax}, {"log_softmax", log_softmax}, {"logsumexp", logsumexp}, {"variance", variance}};
	int k = dice_below(&m->dice, 4), x = some_variable(m, is_float), first = m->nnodes;
	const char *xt;
	int n = take(m, x, &xt), rank = m->node[n].shape.rank;
	if (!rank || shape_volume(&m->node[n].shape) == 0)
		return -1;
	int d = dice_chance(&m->dice, 60) ? rank - 1 : dice_below(&m->dice, rank);
	bool named = d != rank - 1 || dice_chance(&m->dice, 50);
	n = all[k].make(m, n, d);
	return define(m, first, n,
		      named ? heap_text(m->heap, "%s(%s, dim = %d)", all[k].name, xt, d)
			    : heap_text(m->heap, "%s(%s)", all[k].name, xt));
}

/* layernorm and rmsnorm */
static int make_norm(struct maker *m)
{
	bool layer = dice_chance(&m->dice, 50);
	int x = some_variable(m, is_float);
	struct node n = m->node[m->pool[x].node];
	if (!n.shape.rank || n.shape.dim[n.shape.rank - 1] < 2)
		return -1;
	int last = n.shape.rank - 1;
	struct shape s = {1, {n.shape.dim[last]}};
	int scale = some_operand(m, n.type, &s, n.place), shift = some_operand(m, n.type, &s, n.place),
	    first = m->nnodes;
	const char *xt, *ct, *ht;
	int c = take(m, x, &xt), cn = take(m, scale, &ct), hn = take(m, shift, &ht);
	if (layer)
		c = along(m, FN_SUB, c, finish(m, reduce(m, c, last, JOIN_MEAN)), last);
	int square = finish(m, reduce(m, binary(m, FN_MUL, c, c), last, JOIN_MEAN));
	for (int e = 0; !m->undecided && e < shape_volume(&m->node[square].shape); e++)
		m->undecided |= m->node[square].v[e] < 0.1; /* ill-conditioned */
	int root = unary(m, FN_RSQRT, binary(m, FN_ADD, square, literal(m, n.type, 1e-5)));
	int y = binary(m, FN_MUL, along(m, FN_MUL, c, root, last), cn);
	if (layer)
		y = binary(m, FN_ADD, y, hn);
	return define(m, first, y,
		      layer ? heap_text(m->heap, "layernorm(%s, %s, %s)", xt, ct, ht)
			    : heap_text(m->heap, "rmsnorm(%s, %s)", xt, ct));
}

static int make_finish(struct maker *m)
{
	int x = some_variable(m, is_any), first = m->nnodes;
	const char *xt;
	int n = take(m, x, &xt);
	if (!m->node[n].place || !layout_has_part(m->node[n].place, &m->node[n].layout))
		return -1;
	return define(m, first, finish(m, n), heap_text(m->heap, "finish(%s)", xt));
}

static int make_stop(struct maker *m)
{
	int x = some_variable(m, is_float), first = m->nnodes;
	const char *xt;
	int n = take(m, x, &xt);
	return define(m, first, node_stop(m, n), heap_text(m->heap, "stop_gradient(%s)", xt));
}

/* Random numbers: what comes is not known here, only that all ranks agree on it. */
static int make_draw(struct maker *m)
{
	struct shape s = some_shape(m, dice_range(&m->dice, 0, 3));
	bool normal = dice_chance(&m->dice, 50);
	struct layout l = some_layout(m, m->at, &s, 0);
	int n = node_source(m, dice_chance(&m->dice, 60) ? F32 : F64, &s, m->at, &l);
	m->node[n].known = m->node[n].exact = false;
	for (int e = 0; e < shape_volume(&s); e++)
		m->node[n].v[e] = 0.5;
	m->node[n].scale = 4;
	return define(m, n, n,
		      heap_text(m->heap, "%s(rng(%d), %s, dtype = %s) to %s", normal ? "normal" : "uniform",
				dice_below(&m->dice, 100), shape_text(m->heap, &s), dtype_names[m->node[n].type],
				place_layout(m, m->at, &l)));
}

const struct step steps_library[] = {
	{"composed", 5, true, make_composed}, {"norm", 3, true, make_norm},  {"finish", 3, true, make_finish},
	{"stop", 1, true, make_stop},         {"draw", 1, false, make_draw}, {NULL, 0, false, NULL},
};
