/* steps_order.c — running sums, orders, reading and writing at places. */
#include "program.h"

/* A dimension of a value with elements; -1 if it has none. */
static int some_dim(struct maker *m, int n)
{
	const struct shape *s = &m->node[n].shape;
	return s->rank && shape_volume(s) > 0 ? dice_below(&m->dice, s->rank) : -1;
}

static struct app *over(struct maker *m, const struct body *b, int operands, const struct node *x)
{
	struct app *a = app_new(m, b, operands);
	for (int d = 0; d < x->shape.rank; d++)
		a->extent[a->nfactors++] = x->shape.dim[d];
	for (int k = 0; k < operands; k++)
		a->in[k].type = x->type;
	return a;
}

/* out[.., i] = sum[j] where(j <= i, x[.., j], 0); factor j is the last one. */
static int make_cumsum(struct maker *m)
{
	int x = some_variable(m, is_number), first = m->nnodes;
	const char *xt;
	int n = take(m, x, &xt), d = some_dim(m, n);
	struct node v = m->node[n];
	if (d < 0)
		return -1;
	int j = v.shape.rank;
	const struct body *before = b_fn(m, FN_LE, BOOL, b_factor(m, j), b_factor(m, d), NULL);
	const struct body *b = b_fn(m, FN_WHERE, v.type, before, b_operand(m, 0, v.type), b_const(m, v.type, 0));
	struct app *a = over(m, b, 1, &v);
	a->extent[a->nfactors++] = v.shape.dim[d];
	a->joiner = JOIN_SUM;
	a->reduced[j] = true;
	for (int i = 0; i < v.shape.rank; i++) {
		add_dim(&a->in[0], v.shape.dim[i], i == d ? j : i);
		add_dim(&a->out, v.shape.dim[i], i);
	}
	return define(m, first, node_apply(m, a, &n), heap_text(m->heap, "cumsum(%s, dim = %d)", xt, d));
}

/* ---- order ---- */

static const struct body *both(struct maker *m, const struct body *x, const struct body *y)
{
	return b_fn(m, FN_AND, BOOL, x, y, NULL);
}

/* How many elements come before each: sum[j] x[j] < x[i] || (j < i && x[j] == x[i]); x is read twice. NaN is larger
 * than every number, and as large as another one. */
static int rank_of(struct maker *m, int n, int d, bool descending)
{
	struct node v = m->node[n];
	int j = v.shape.rank, in[2] = {n, n};
	const struct body *x = b_operand(m, 0, v.type), *y = b_operand(m, 1, v.type);
	const struct body *x_none = b_fn(m, FN_NE, BOOL, x, x, NULL), *y_none = b_fn(m, FN_NE, BOOL, y, y, NULL);
	const struct body *one_none = descending ? both(m, y_none, b_fn(m, FN_EQ, BOOL, x, x, NULL))
						 : both(m, x_none, b_fn(m, FN_EQ, BOOL, y, y, NULL));
	const struct body *same = b_fn(m, FN_OR, BOOL, b_fn(m, FN_EQ, BOOL, y, x, NULL), both(m, x_none, y_none), NULL);
	const struct body *tie = both(m, b_fn(m, FN_LT, BOOL, b_factor(m, j), b_factor(m, d), NULL), same);
	const struct body *first =
		b_fn(m, FN_OR, BOOL, b_fn(m, descending ? FN_GT : FN_LT, BOOL, y, x, NULL), one_none, NULL);
	struct app *a = over(m, NULL, 2, &v);
	a->body = b_fn(m, FN_CAST, I32, b_fn(m, FN_OR, BOOL, first, tie, NULL), NULL, NULL);
	a->extent[a->nfactors++] = v.shape.dim[d];
	a->joiner = JOIN_SUM;
	a->reduced[j] = true;
	a->out.type = I32;
	for (int i = 0; i < v.shape.rank; i++) {
		add_dim(&a->in[0], v.shape.dim[i], i);
		add_dim(&a->in[1], v.shape.dim[i], i == d ? j : i);
		add_dim(&a->out, v.shape.dim[i], i);
	}
	return node_apply_twice(m, a, in);
}

/* out[.., r[.., i]] = x[.., i] for the first n places; without an x: = i */
static int place_along(struct maker *m, int r, int x, int d, int n)
{
	struct node v = m->node[r];
	enum dtype t = x < 0 ? I32 : m->node[x].type;
	int in[2] = {r, x};
	struct app *a = over(m, x < 0 ? b_factor(m, d) : b_operand(m, 1, t), x < 0 ? 1 : 2, &v);
	a->in[0].type = I32;
	a->in[1].type = t;
	a->joiner = JOIN_SUM;
	a->reduced[d] = true;
	for (int i = 0; i < v.shape.rank; i++) {
		add_dim(&a->in[0], v.shape.dim[i], i);
		if (x >= 0)
			add_dim(&a->in[1], v.shape.dim[i], i);
		add_dim(&a->out, i == d ? n : v.shape.dim[i], i == d ? -1 : i);
	}
	a->out.index[d].data = 0;
	return node_apply(m, a, in);
}

static int make_sort(struct maker *m)
{
	static const char *const names[] = {"sort", "ranking", "argsort"};
	int x = some_variable(m, is_number), first = m->nnodes;
	const char *xt;
	int n = take(m, x, &xt), d = some_dim(m, n);
	bool descending = dice_chance(&m->dice, 40);
	int what = (int[]){0, 0, 1, 2}[dice_below(&m->dice, 4)];
	if (d < 0)
		return -1;
	int r = rank_of(m, n, d, descending), extent = m->node[n].shape.dim[d];
	if (what != 1 && !m->undecided && !m->failed)
		r = place_along(m, r, what == 0 ? n : -1, d, extent);
	return define(m, first, r,
		      heap_text(m->heap, "%s(%s, dim = %d, descending = %s)", names[what], xt, d,
				descending ? "true" : "false"));
}

/* let (v, i) = top_k(x, k); where it is legal */
static int make_top(struct maker *m)
{
	int x = some_variable(m, is_number), first = m->nnodes;
	const char *xt;
	int n = take(m, x, &xt), d = some_dim(m, n);
	if (d < 0 || m->npool > MAX_POOL - 2)
		return -1;
	int k = dice_range(&m->dice, 1, m->node[n].shape.dim[d]), r = rank_of(m, n, d, true);
	if (m->undecided || m->failed) {
		m->nnodes = first;
		m->undecided = m->failed = false;
		return -1;
	}
	int v = place_along(m, r, n, d, k), i = m->failed || m->undecided ? v : place_along(m, r, -1, d, k);
	if (m->undecided || m->failed || !usable(m, v)) {
		m->nnodes = first;
		m->undecided = m->failed = false;
		return -1;
	}
	const char *values = new_name(m, "v"), *places = new_name(m, "i");
	line(m, "let (%s, %s) = top_k(%s, %d, dim = %d);", values, places, xt, k, d);
	m->pool[m->npool++] = (struct variable){places, i, false};
	m->pool[m->npool] = (struct variable){values, v, false};
	return m->npool++;
}

/* ---- elements replaced ---- */

static int without(struct maker *m, int n, int d, int begin, int end)
{
	struct node v = m->node[n];
	const struct body *from = b_fn(m, FN_GE, BOOL, b_factor(m, d), b_const(m, I32, begin), NULL);
	const struct body *to = b_fn(m, FN_LT, BOOL, b_factor(m, d), b_const(m, I32, end), NULL);
	const struct body *named = b_fn(m, FN_AND, BOOL, from, to, NULL);
	const struct body *b = b_fn(m, FN_WHERE, v.type, named, b_const(m, v.type, 0), b_operand(m, 0, v.type));
	struct app *a = over(m, b, 1, &v);
	for (int i = 0; i < v.shape.rank; i++) {
		add_dim(&a->in[0], v.shape.dim[i], i);
		add_dim(&a->out, v.shape.dim[i], i);
	}
	return node_apply(m, a, &n);
}

static int padded(struct maker *m, int n, int d, int before, int extent)
{
	struct node v = m->node[n];
	struct app *a = over(m, b_operand(m, 0, v.type), 1, &v);
	a->extent[d] = extent;
	for (int i = 0; i < v.shape.rank; i++) {
		add_dim(&a->in[0], v.shape.dim[i], i);
		add_dim(&a->out, a->extent[i], i);
	}
	a->in[0].index[d].offset = -before;
	return node_apply(m, a, &n);
}

static const char *range_text(struct maker *m, const struct shape *s, int d, int begin, int end)
{
	const char *text = "";
	for (int i = 0; i < s->rank; i++)
		text = heap_text(m->heap, "%s%s%d..%d", text, i ? ", " : "", i == d ? begin : 0,
				 i == d ? end : s->dim[i]);
	return text;
}

/* var y = x; y[0..3, 1..2] = v; */
static int make_update(struct maker *m)
{
	int x = some_variable(m, is_number);
	struct node n = m->node[m->pool[x].node];
	int d = some_dim(m, m->pool[x].node);
	if (d < 0 || n.shape.dim[d] < 2 || !n.place || m->npool > MAX_POOL - 5)
		return -1;
	int begin = dice_below(&m->dice, n.shape.dim[d]), end = dice_range(&m->dice, begin + 1, n.shape.dim[d]);
	if (end - begin == n.shape.dim[d])
		begin++;
	struct shape s = n.shape;
	s.dim[d] = end - begin;
	int v = some_operand(m, n.type, &s, n.place), first = m->nnodes;
	const char *vt;
	int value = take(m, v, &vt), kept = without(m, m->pool[x].node, d, begin, end);
	int in[2] = {kept, m->undecided ? kept : padded(m, value, d, begin, n.shape.dim[d])};
	const struct body *sum = b_fn(m, FN_ADD, n.type, b_operand(m, 0, n.type), b_operand(m, 1, n.type), NULL);
	int r = m->undecided ? kept : node_apply(m, app_pointwise(m, sum, in, 2), in);
	bool wrong = m->failed && !m->undecided;
	if (m->undecided || (wrong && !m->finished_wrong) || !usable(m, r)) {
		m->nnodes = first;
		m->failed = m->undecided = false;
		return -1;
	}
	const char *name = new_name(m, "u");
	m->is_wrong |= wrong;
	m->failed = false;
	line(m, "var %s = %s;", name, m->pool[x].text);
	line(m, "%s[%s] = %s;%s", name, range_text(m, &n.shape, d, begin, end), vt, wrong ? " //~" : "");
	m->pool[m->npool] = (struct variable){name, r, false};
	return m->npool++;
}

const struct step steps_order[] = {
	{"cumsum", 4, true, make_cumsum}, {"sort", 4, false, make_sort}, {"top", 3, false, make_top},
	{"update", 5, true, make_update}, {NULL, 0, false, NULL},
};
