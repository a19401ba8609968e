/* steps_product.c — matrix products, outer products, convolutions, pooling. */
#include "program.h"

static const struct body *product(struct maker *m, enum dtype t)
{
	return b_fn(m, FN_MUL, t, b_operand(m, 0, t), b_operand(m, 1, t), NULL);
}

static const struct app *contraction(struct maker *m, int x, int y)
{
	const struct node *n = &m->node[x], *o = &m->node[y];
	int nr = n->shape.rank, or = o->shape.rank, batches = nr > 2 ? nr - 2 : 0;
	struct app *a = app_new(m, product(m, n->type), 2);
	a->joiner = JOIN_SUM;
	a->in[0].type = n->type;
	a->in[1].type = o->type;
	if (or > 2 && or -2 > batches)
		batches = or -2;
	for (int d = 0; d < batches; d++) {
		int i = d - (batches - (nr - 2)), j = d - (batches - (or -2));
		int e = nr > 2 && i >= 0 ? n->shape.dim[i] : 1;
		if (or > 2 && j >= 0 && o->shape.dim[j] != 1)
			e = o->shape.dim[j];
		a->extent[a->nfactors] = e;
		if (nr > 2 && i >= 0)
			add_dim(&a->in[0], n->shape.dim[i], n->shape.dim[i] == e ? a->nfactors : -1);
		if (or > 2 && j >= 0)
			add_dim(&a->in[1], o->shape.dim[j], o->shape.dim[j] == e ? a->nfactors : -1);
		add_dim(&a->out, e, a->nfactors++);
	}
	if (nr > 1) {
		a->extent[a->nfactors] = n->shape.dim[nr - 2];
		add_dim(&a->in[0], n->shape.dim[nr - 2], a->nfactors);
		add_dim(&a->out, n->shape.dim[nr - 2], a->nfactors++);
	}
	int k = a->nfactors++;
	a->extent[k] = n->shape.dim[nr - 1];
	a->reduced[k] = true;
	add_dim(&a->in[0], a->extent[k], k);
	add_dim(&a->in[1], a->extent[k], k);
	if (or > 1) {
		a->extent[a->nfactors] = o->shape.dim[or - 1];
		add_dim(&a->in[1], o->shape.dim[or - 1], a->nfactors);
		add_dim(&a->out, o->shape.dim[or - 1], a->nfactors++);
	}
	return a;
}

/* The second operand's shape: [k], [k, n], or with batches in front where the first has at least two dimensions. */
static struct shape partner_shape(struct maker *m, const struct shape *s)
{
	int k = s->dim[s->rank - 1], n = dice_range(&m->dice, 1, 6);
	if (dice_chance(&m->dice, 20))
		return (struct shape){1, {k}};
	if (s->rank < 3 || dice_chance(&m->dice, 40))
		return (struct shape){2, {k, n}};
	struct shape o = *s;
	for (int d = 0; d < o.rank - 2; d++)
		if (dice_chance(&m->dice, 25))
			o.dim[d] = 1;
	o.dim[o.rank - 2] = k;
	o.dim[o.rank - 1] = n;
	return o;
}

static int make_matmul(struct maker *m)
{
	int x = some_variable(m, is_number);
	struct node n = m->node[m->pool[x].node];
	if (!n.shape.rank)
		return -1;
	struct shape s = partner_shape(m, &n.shape);
	int y = some_operand(m, n.type, &s, n.place), first = m->nnodes;
	const char *xt, *yt;
	int in[2] = {take(m, x, &xt), take(m, y, &yt)};
	return define(m, first, node_apply(m, contraction(m, in[0], in[1]), in), heap_text(m->heap, "%s @ %s", xt, yt));
}

static int make_outer(struct maker *m)
{
	int x = some_variable(m, is_number);
	struct node n = m->node[m->pool[x].node];
	if (n.shape.rank != 1)
		return -1;
	struct shape s = some_shape(m, 1);
	int y = some_operand(m, n.type, &s, n.place), first = m->nnodes;
	const char *xt, *yt;
	int in[2] = {take(m, x, &xt), take(m, y, &yt)};
	struct app *a = app_new(m, product(m, n.type), 2);
	a->nfactors = 2;
	for (int k = 0; k < 2; k++) {
		a->in[k].type = n.type;
		a->extent[k] = k ? s.dim[0] : n.shape.dim[0];
		add_dim(&a->in[k], a->extent[k], k);
		add_dim(&a->out, a->extent[k], k);
	}
	return define(m, first, node_apply(m, a, in), heap_text(m->heap, "outer(%s, %s)", xt, yt));
}

/* ---- images ---- */

static int windows(int extent, int size, int stride, int pad)
{
	return (extent + 2 * pad - size) / stride + 1;
}

static int image(struct maker *m)
{
	struct shape s = {4, {0}};
	for (int d = 0; d < 4; d++)
		s.dim[d] = dice_range(&m->dice, d < 2 ? 1 : 3, d < 2 ? 4 : 5);
	for (int i = m->npool - 1; i >= 0 && dice_chance(&m->dice, 80); i--) {
		const struct node *n = &m->node[m->pool[i].node];
		if (n->shape.rank == 4 && dtype_is_float(n->type) && n->shape.dim[2] >= 2 && n->shape.dim[3] >= 2)
			return i;
	}
	struct layout l = some_layout(m, m->at, &s, 5);
	return new_source(m, dice_chance(&m->dice, 60) ? F32 : F64, &s, m->at, &l);
}

/* Dimension d of the image, read at stride * factor[out] + factor[in] - pad. */
static void window(struct app *a, int d, int out, int in, int stride, int pad)
{
	a->in[0].index[d].coef[out] = stride;
	a->in[0].index[d].coef[in] = 1;
	a->in[0].index[d].offset = -pad;
}

static int make_conv(struct maker *m)
{
	int x = image(m), stride = dice_range(&m->dice, 1, 2), pad = dice_below(&m->dice, 2);
	struct node n = m->node[m->pool[x].node];
	int p = dice_range(&m->dice, 1, n.shape.dim[2] < 3 ? n.shape.dim[2] : 3), q = dice_range(&m->dice, 1, 2);
	struct shape s = {4, {dice_range(&m->dice, 1, 4), n.shape.dim[1], p, q}};
	int w = some_operand(m, n.type, &s, n.place), first = m->nnodes;
	const char *xt, *wt;
	int in[2] = {take(m, x, &xt), take(m, w, &wt)};
	int y = windows(n.shape.dim[2], p, stride, pad), z = windows(n.shape.dim[3], q, stride, pad);
	/* factors: 0 n, 1 o, 2 y, 3 z, 4 c, 5 p, 6 q */
	int extent[] = {n.shape.dim[0], s.dim[0], y, z, s.dim[1], p, q};
	struct app *a = app_new(m, product(m, n.type), 2);
	a->joiner = JOIN_SUM;
	a->nfactors = 7;
	for (int f = 0; f < 7; f++) {
		a->extent[f] = extent[f];
		a->reduced[f] = f > 3;
	}
	a->in[0].type = a->in[1].type = n.type;
	add_dim(&a->in[0], n.shape.dim[0], 0);
	add_dim(&a->in[0], n.shape.dim[1], 4);
	add_dim(&a->in[0], n.shape.dim[2], -1);
	add_dim(&a->in[0], n.shape.dim[3], -1);
	window(a, 2, 2, 5, stride, pad);
	window(a, 3, 3, 6, stride, pad);
	static const int of_filter[] = {1, 4, 5, 6};
	for (int d = 0; d < 4; d++) {
		add_dim(&a->in[1], s.dim[d], of_filter[d]);
		add_dim(&a->out, extent[d], d);
	}
	return define(m, first, node_apply(m, a, in),
		      heap_text(m->heap, "conv2d(%s, %s, stride = %d, pad = %d)", xt, wt, stride, pad));
}

static int make_pool(struct maker *m)
{
	int x = image(m), first = m->nnodes, size = dice_range(&m->dice, 1, 2), stride = dice_range(&m->dice, 1, 2);
	bool largest = dice_chance(&m->dice, 50);
	const char *xt;
	int in = take(m, x, &xt);
	struct node n = m->node[in];
	int extent[] = {n.shape.dim[0],
			n.shape.dim[1],
			windows(n.shape.dim[2], size, stride, 0),
			windows(n.shape.dim[3], size, stride, 0),
			size,
			size};
	struct app *a = app_new(m, b_operand(m, 0, n.type), 1);
	a->joiner = largest ? JOIN_MAX : JOIN_MEAN;
	a->nfactors = 6;
	for (int f = 0; f < 6; f++) {
		a->extent[f] = extent[f];
		a->reduced[f] = f > 3;
	}
	a->in[0].type = n.type;
	for (int d = 0; d < 4; d++) {
		add_dim(&a->in[0], n.shape.dim[d], d < 2 ? d : -1);
		add_dim(&a->out, extent[d], d);
	}
	window(a, 2, 2, 4, stride, 0);
	window(a, 3, 3, 5, stride, 0);
	return define(
		m, first, node_apply(m, a, &in),
		heap_text(m->heap, "%s_pool2d(%s, size = %d, stride = %d)", largest ? "max" : "avg", xt, size, stride));
}

const struct step steps_product[] = {
	{"matmul", 14, true, make_matmul}, {"outer", 2, true, make_outer}, {"conv", 3, true, make_conv},
	{"pool", 2, true, make_pool},      {NULL, 0, false, NULL},
};
