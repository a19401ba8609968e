/* steps_index.c — reading and writing at places that data say. */
#include "program.h"

/* Whole numbers from 0 to below n, sometimes one more. */
static int new_indices(struct maker *m, const struct shape *s, int n, const struct place *p)
{
	struct layout l = {0};
	if (p)
		l = some_layout(m, p, s, 0);
	int x = node_source(m, I32, s, p, &l), mod = n + dice_chance(&m->dice, 15), step = dice_range(&m->dice, 1, 7);
	struct node *y = &m->node[x];
	for (int e = 0; e < shape_volume(s); e++)
		y->v[e] = e * step % mod;
	const char *name = new_name(m, "i");
	const char *all = heap_text(m->heap, "(iota(%d) * %d %% %d) as i32", shape_volume(s), step, mod);
	if (s->rank != 1)
		all = heap_text(m->heap, "reshape(%s, %s)", all, shape_text(m->heap, s));
	if (p)
		line(m, "let %s = %s to %s;", name, all, place_layout(m, p, &l));
	else
		line(m, "let %s = %s;", name, all);
	m->pool[m->npool] = (struct variable){name, x, false};
	return m->npool++;
}

/* The text of new indices below n: with `?` where some are outside, or now and then. */
static const char *as_index(struct maker *m, int node, int n, const char *text)
{
	const struct node *x = &m->node[node];
	bool outside = dice_chance(&m->dice, 20);
	for (int e = 0; e < shape_volume(&x->shape); e++)
		outside = outside || x->v[e] < 0 || x->v[e] >= n;
	return outside ? heap_text(m->heap, "(%s)?", text) : text;
}

static int make_embed(struct maker *m)
{
	int x = some_variable(m, is_number);
	struct node n = m->node[m->pool[x].node];
	if (n.shape.rank != 2 || !n.shape.dim[0] || m->npool > MAX_POOL - 4)
		return -1;
	struct shape s = {.rank = dice_below(&m->dice, 3)};
	for (int d = 0; d < s.rank; d++)
		s.dim[d] = dice_range(&m->dice, 1, 5);
	int i = new_indices(m, &s, n.shape.dim[0], n.place), first = m->nnodes;
	const char *xt, *it;
	int in[2] = {take(m, x, &xt), take(m, i, &it)};
	it = as_index(m, in[1], n.shape.dim[0], it);
	struct app *a = app_new(m, b_operand(m, 0, n.type), 2);
	a->in[0].type = n.type;
	a->in[1].type = I32;
	a->nfactors = s.rank + 1;
	for (int d = 0; d < s.rank; d++) {
		a->extent[d] = s.dim[d];
		add_dim(&a->in[1], s.dim[d], d);
		add_dim(&a->out, s.dim[d], d);
	}
	a->extent[s.rank] = n.shape.dim[1];
	add_dim(&a->in[0], n.shape.dim[0], -1);
	a->in[0].index[0].data = 1;
	add_dim(&a->in[0], n.shape.dim[1], s.rank);
	add_dim(&a->out, n.shape.dim[1], s.rank);
	return define(m, first, node_apply(m, a, in),
		      heap_text(m->heap, dice_chance(&m->dice, 50) ? "embed(%s, %s)" : "%s[%s]", xt, it));
}

static int make_pick(struct maker *m)
{
	int x = some_variable(m, is_number);
	struct node n = m->node[m->pool[x].node];
	if (!n.shape.rank || !n.shape.dim[n.shape.rank - 1] || m->npool > MAX_POOL - 4)
		return -1;
	int last = n.shape.rank - 1;
	struct shape s = n.shape;
	s.rank--;
	int i = new_indices(m, &s, n.shape.dim[last], n.place), first = m->nnodes;
	const char *xt, *it;
	int in[2] = {take(m, x, &xt), take(m, i, &it)};
	it = as_index(m, in[1], n.shape.dim[last], it);
	const struct body *b = b_fn(m, FN_EQ, BOOL, b_factor(m, last), b_operand(m, 1, I32), NULL);
	struct app *a = app_new(m, b_fn(m, FN_WHERE, n.type, b, b_operand(m, 0, n.type), b_const(m, n.type, 0)), 2);
	a->in[0].type = n.type;
	a->in[1].type = I32;
	a->joiner = JOIN_SUM;
	a->reduced[last] = true;
	for (int d = 0; d <= last; d++) {
		a->extent[a->nfactors++] = n.shape.dim[d];
		add_dim(&a->in[0], n.shape.dim[d], d);
		if (d < last) {
			add_dim(&a->in[1], n.shape.dim[d], d);
			add_dim(&a->out, n.shape.dim[d], d);
		}
	}
	return define(m, first, node_apply(m, a, in), heap_text(m->heap, "pick(%s, %s)", xt, it));
}

static int make_scatter(struct maker *m)
{
	int x = some_variable(m, is_number);
	struct node n = m->node[m->pool[x].node];
	if (n.shape.rank != 2 || m->npool > MAX_POOL - 4)
		return -1;
	int rows = dice_range(&m->dice, 1, 7);
	struct shape s = {1, {n.shape.dim[0]}};
	int i = new_indices(m, &s, rows, n.place), first = m->nnodes;
	const char *xt, *it;
	int in[2] = {take(m, i, &it), take(m, x, &xt)};
	it = as_index(m, in[0], rows, it);
	struct app *a = app_new(m, b_operand(m, 1, n.type), 2);
	a->in[0].type = I32;
	a->in[1].type = n.type;
	a->joiner = JOIN_SUM;
	a->nfactors = 2;
	a->extent[0] = n.shape.dim[0];
	a->extent[1] = n.shape.dim[1];
	a->reduced[0] = true;
	add_dim(&a->in[0], n.shape.dim[0], 0);
	add_dim(&a->in[1], n.shape.dim[0], 0);
	add_dim(&a->in[1], n.shape.dim[1], 1);
	add_dim(&a->out, rows, -1);
	a->out.index[0].data = 0;
	add_dim(&a->out, n.shape.dim[1], 1);
	return define(m, first, node_apply(m, a, in),
		      heap_text(m->heap, "scatter_add(%s, %s, rows = %d)", it, xt, rows));
}

static int make_one_hot(struct maker *m)
{
	int classes = dice_range(&m->dice, 1, 6), first, x;
	bool fresh = dice_chance(&m->dice, 50) && m->npool <= MAX_POOL - 4;
	struct shape s = {1, {dice_range(&m->dice, 1, 5)}};
	x = fresh ? new_indices(m, &s, classes, NULL) : some_variable(m, is_int);
	first = m->nnodes;
	const char *xt;
	int n = take(m, x, &xt), rank = m->node[n].shape.rank;
	if (rank == MAX_DIM)
		return -1;
	/* Turns of a loop give a variable other values than it has now. */
	const char *text = fresh ? as_index(m, n, classes, xt) : heap_text(m->heap, "(%s)?", xt);
	const struct body *same = b_fn(m, FN_EQ, BOOL, b_operand(m, 0, I32), b_factor(m, rank), NULL);
	struct app *a = app_new(m, b_fn(m, FN_WHERE, F32, same, b_const(m, F32, 1), b_const(m, F32, 0)), 1);
	a->in[0].type = I32;
	for (int d = 0; d < rank; d++) {
		a->extent[a->nfactors++] = m->node[n].shape.dim[d];
		add_dim(&a->in[0], m->node[n].shape.dim[d], d);
		add_dim(&a->out, m->node[n].shape.dim[d], d);
	}
	a->extent[a->nfactors++] = classes;
	add_dim(&a->out, classes, rank);
	return define(m, first, node_apply(m, a, &n), heap_text(m->heap, "one_hot(%s, %d)", text, classes));
}

/* The operator over the dimensions of `like`, the last one being factor rank - 1 with another extent. */
static struct app *along_last(struct maker *m, const struct body *b, const struct shape *like, int last)
{
	struct app *a = app_new(m, b, 2);
	for (int d = 0; d < like->rank; d++)
		a->extent[a->nfactors++] = d == like->rank - 1 ? last : like->dim[d];
	return a;
}

static void add_leading(struct access *at, const struct shape *s)
{
	for (int d = 0; d < s->rank - 1; d++)
		add_dim(at, s->dim[d], d);
}

/* out[.., k] = x[.., i[.., k]], or i[k] for all lines */
static int make_take(struct maker *m)
{
	int x = some_variable(m, is_number);
	struct node n = m->node[m->pool[x].node];
	int last = n.shape.rank - 1, k = dice_range(&m->dice, 1, 5);
	if (last < 0 || !n.shape.dim[last] || m->npool > MAX_POOL - 4)
		return -1;
	bool for_all = dice_chance(&m->dice, 40);
	struct shape s = for_all ? (struct shape){1, {k}} : n.shape;
	s.dim[s.rank - 1] = k;
	int i = new_indices(m, &s, n.shape.dim[last], n.place), first = m->nnodes;
	const char *xt, *it;
	int in[2] = {take(m, x, &xt), take(m, i, &it)};
	it = as_index(m, in[1], n.shape.dim[last], it);
	struct app *a = along_last(m, b_operand(m, 0, n.type), &n.shape, k);
	a->in[0].type = n.type;
	a->in[1].type = I32;
	add_leading(&a->in[0], &n.shape);
	add_dim(&a->in[0], n.shape.dim[last], -1);
	a->in[0].index[last].data = 1;
	if (!for_all)
		add_leading(&a->in[1], &n.shape);
	add_dim(&a->in[1], k, last);
	add_leading(&a->out, &n.shape);
	add_dim(&a->out, k, last);
	return define(m, first, node_apply(m, a, in),
		      heap_text(m->heap, for_all ? "take(%s, %s)" : "take_along(%s, %s)", xt, it));
}

/* out[.., i[.., k]] = sum[k] x[.., k] */
static int make_add_at(struct maker *m)
{
	int x = some_variable(m, is_number), places = dice_range(&m->dice, 1, 5);
	struct node n = m->node[m->pool[x].node];
	int last = n.shape.rank - 1;
	if (last < 0 || !shape_volume(&n.shape) || m->npool > MAX_POOL - 4)
		return -1;
	int i = new_indices(m, &n.shape, places, n.place), first = m->nnodes;
	const char *xt, *it;
	int in[2] = {take(m, i, &it), take(m, x, &xt)};
	it = as_index(m, in[0], places, it);
	struct app *a = along_last(m, b_operand(m, 1, n.type), &n.shape, n.shape.dim[last]);
	a->joiner = JOIN_SUM;
	a->reduced[last] = true;
	for (int k = 0; k < 2; k++) {
		a->in[k].type = k ? n.type : I32;
		add_leading(&a->in[k], &n.shape);
		add_dim(&a->in[k], n.shape.dim[last], last);
	}
	add_leading(&a->out, &n.shape);
	add_dim(&a->out, places, -1);
	a->out.index[last].data = 0;
	return define(m, first, node_apply(m, a, in),
		      heap_text(m->heap, "add_along_at(%s, %s, n = %d)", it, xt, places));
}

const struct step steps_index[] = {
	{"embed", 3, true, make_embed},
	{"pick", 2, true, make_pick},
	{"scatter", 3, true, make_scatter},
	{"one hot", 2, false, make_one_hot},
	{"take", 3, true, make_take},
	{"add at", 2, true, make_add_at},
	{NULL, 0, false, NULL},
};
