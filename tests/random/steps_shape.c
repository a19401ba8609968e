/* steps_shape.c — slices, reshapes, permutations, concatenation, padding. */
#include "program.h"

#include <string.h>

static int make_move(struct maker *m)
{
	return step_move(m, some_variable(m, is_any));
}

/* ---- elements and slices ---- */

/* One index: an element, a range from either end, everything. Gives its text. */
static const char *some_index(struct maker *m, struct app *a, int d, int extent)
{
	struct index *ix = &a->in[0].index[d];
	int what = dice_below(&m->dice, 10), begin = 0, end = extent;
	a->in[0].shape.dim[d] = extent;
	a->in[0].shape.rank = d + 1;
	if (what < 3 && extent > 0) {
		ix->offset = dice_below(&m->dice, extent);
		return heap_text(m->heap, "%d", dice_chance(&m->dice, 30) ? ix->offset - extent : ix->offset);
	}
	if (what < 7) {
		begin = dice_below(&m->dice, extent + 1);
		end = dice_range(&m->dice, begin, extent);
		if (begin == end && dice_chance(&m->dice, 90)) {
			begin = 0;
			end = extent;
		}
	}
	ix->offset = begin;
	ix->coef[a->nfactors] = 1;
	add_dim(&a->out, end - begin, a->nfactors);
	a->extent[a->nfactors++] = end - begin;
	if (begin == 0 && dice_chance(&m->dice, 40))
		return heap_text(m->heap, "..%d", end);
	if (end == extent && dice_chance(&m->dice, 40))
		return heap_text(m->heap, "%d..", begin);
	if (begin > 0 && begin < end && dice_chance(&m->dice, 20))
		return heap_text(m->heap, "%d..%d", begin - extent, end);
	return heap_text(m->heap, "%d..%d", begin, end);
}

static int make_slice(struct maker *m)
{
	int x = some_variable(m, is_any), first = m->nnodes;
	const char *xt, *text = "";
	int n = take(m, x, &xt), rank = m->node[n].shape.rank;
	if (!rank)
		return -1;
	struct app *a = app_new(m, b_operand(m, 0, m->node[n].type), 1);
	a->in[0].type = m->node[n].type;
	for (int d = 0; d < rank; d++)
		text = heap_text(m->heap, "%s%s%s", text, d ? ", " : "", some_index(m, a, d, m->node[n].shape.dim[d]));
	return define(m, first, node_apply(m, a, &n), heap_text(m->heap, "%s[%s]", xt, text));
}

/* ---- permutations, broadcasts ---- */

static int make_permute(struct maker *m)
{
	int x = some_variable(m, is_any), first = m->nnodes, order[MAX_DIM];
	const char *xt, *text = "";
	int n = take(m, x, &xt), rank = m->node[n].shape.rank;
	if (rank < 2)
		return -1;
	bool swaps = dice_chance(&m->dice, 50);
	for (int d = 0; d < rank; d++)
		order[d] = d;
	for (int d = rank - 1; d > 0; d--) {
		int o = swaps ? (d == rank - 1 ? d - 1 : d) : dice_below(&m->dice, d + 1), was = order[d];
		order[d] = order[o];
		order[o] = was;
	}
	struct app *a = app_new(m, b_operand(m, 0, m->node[n].type), 1);
	a->in[0].type = m->node[n].type;
	for (int d = 0; d < rank; d++) {
		a->extent[a->nfactors++] = m->node[n].shape.dim[d];
		add_dim(&a->in[0], m->node[n].shape.dim[d], d);
	}
	for (int d = 0; d < rank; d++) {
		add_dim(&a->out, m->node[n].shape.dim[order[d]], order[d]);
		text = heap_text(m->heap, "%s%s%d", text, d ? ", " : "", order[d]);
	}
	return define(m, first, node_apply(m, a, &n),
		      swaps ? heap_text(m->heap, "transpose(%s)", xt)
			    : heap_text(m->heap, "permute(%s, [%s])", xt, text));
}

static int make_broadcast(struct maker *m)
{
	int x = some_variable(m, is_any), first = m->nnodes;
	const char *xt;
	int n = take(m, x, &xt);
	struct shape s = m->node[n].shape, to = s;
	for (int d = 0; d < to.rank; d++)
		if (to.dim[d] == 1)
			to.dim[d] = dice_range(&m->dice, 1, 4);
	if (to.rank < MAX_DIM && dice_chance(&m->dice, 60)) {
		memmove(to.dim + 1, to.dim, sizeof *to.dim * (size_t)to.rank++);
		to.dim[0] = dice_range(&m->dice, 1, 4);
	}
	struct app *a = app_new(m, b_operand(m, 0, m->node[n].type), 1);
	a->in[0].type = m->node[n].type;
	for (int d = 0; d < to.rank; d++) {
		a->extent[a->nfactors++] = to.dim[d];
		add_dim(&a->out, to.dim[d], d);
		int from = d - (to.rank - s.rank);
		if (from >= 0)
			add_dim(&a->in[0], s.dim[from], s.dim[from] == to.dim[d] ? d : -1);
	}
	return define(m, first, node_apply(m, a, &n),
		      heap_text(m->heap, "broadcast(%s, %s)", xt, shape_text(m->heap, &to)));
}

/* ---- reshape ---- */

static struct shape other_shape(struct maker *m, const struct shape *s)
{
	struct shape to = *s;
	for (int changes = dice_range(&m->dice, 1, 2); changes > 0; changes--) {
		int d = dice_below(&m->dice, to.rank), what = dice_below(&m->dice, 3);
		if (what == 0 && d + 1 < to.rank) { /* two in one */
			to.dim[d] *= to.dim[d + 1];
			memmove(to.dim + d + 1, to.dim + d + 2, sizeof *to.dim * (size_t)(to.rank - d - 2));
			to.rank--;
		} else if (what == 1 && to.rank < MAX_DIM && to.rank) { /* one in two */
			int k = dice_range(&m->dice, 1, 4);
			if (to.dim[d] % k)
				continue;
			memmove(to.dim + d + 1, to.dim + d, sizeof *to.dim * (size_t)(to.rank - d));
			to.dim[d] = k;
			to.dim[d + 1] /= k;
			to.rank++;
		} else if (to.rank < MAX_DIM) {
			memmove(to.dim + d + 1, to.dim + d, sizeof *to.dim * (size_t)(to.rank - d));
			to.dim[d] = 1;
			to.rank++;
		}
	}
	return to;
}

static const char *reshape_text(struct maker *m, const struct shape *s)
{
	const char *text = "";
	int open = shape_volume(s) > 0 && dice_chance(&m->dice, 30) ? dice_below(&m->dice, s->rank) : -1;
	for (int d = 0; d < s->rank; d++)
		text = heap_text(m->heap, "%s%s%d", text, d ? ", " : "", d == open ? -1 : s->dim[d]);
	return heap_text(m->heap, "[%s]", text);
}

static int make_reshape(struct maker *m)
{
	int x = some_variable(m, is_any), first = m->nnodes;
	const char *xt;
	int n = take(m, x, &xt);
	struct shape s = m->node[n].shape, to = other_shape(m, &s);
	bool flat = s.rank >= 2 && dice_chance(&m->dice, 15);
	if (flat) {
		if (!s.dim[0])
			return -1;
		to = (struct shape){2, {s.dim[0], shape_volume(&s) / s.dim[0]}};
	}
	return define(m, first, node_reshape(m, n, &to),
		      flat ? heap_text(m->heap, "flatten(%s)", xt)
			   : heap_text(m->heap, "reshape(%s, %s)", xt, reshape_text(m, &to)));
}

/* ---- padding, concatenation ---- */

static int pad(struct maker *m, int n, int d, int before, int extent)
{
	const struct node *x = &m->node[n];
	struct app *a = app_new(m, b_operand(m, 0, x->type), 1);
	a->in[0].type = x->type;
	for (int i = 0; i < x->shape.rank; i++) {
		a->extent[a->nfactors++] = i == d ? extent : x->shape.dim[i];
		add_dim(&a->in[0], x->shape.dim[i], i);
		add_dim(&a->out, a->extent[i], i);
	}
	a->in[0].index[d].offset = -before;
	return node_apply(m, a, &n);
}

static int make_pad(struct maker *m)
{
	int x = some_variable(m, is_number), first = m->nnodes;
	const char *xt;
	int n = take(m, x, &xt), d = dice_below(&m->dice, m->node[n].shape.rank);
	int before = dice_below(&m->dice, 3), after = dice_below(&m->dice, 3);
	if (!m->node[n].shape.rank || !m->node[n].shape.dim[d])
		return -1;
	n = pad(m, n, d, before, before + m->node[n].shape.dim[d] + after);
	return define(m, first, n,
		      heap_text(m->heap, "pad(%s, before = %d, after = %d, dim = %d)", xt, before, after, d));
}

static int make_concat(struct maker *m)
{
	int x = some_variable(m, is_number);
	struct node n = m->node[m->pool[x].node];
	if (!n.shape.rank)
		return -1;
	int d = dice_below(&m->dice, n.shape.rank), count = dice_range(&m->dice, 1, 3), part[3], all = 0, at = 0,
	    whole = -1;
	const char *text = "", *xt;
	int v[3] = {x, 0, 0};
	for (int i = 1; i < count; i++) {
		struct shape s = n.shape;
		if (dice_chance(&m->dice, 40))
			s.dim[d] = dice_range(&m->dice, 1, 4);
		v[i] = some_operand(m, n.type, &s, n.place);
	}
	int first = m->nnodes;
	for (int i = 0; i < count; i++) {
		part[i] = take(m, v[i], &xt);
		all += m->node[part[i]].shape.dim[d];
		text = heap_text(m->heap, "%s%s%s", text, i ? ", " : "", xt);
	}
	for (int i = 0; i < count; i++) {
		int extent = m->node[part[i]].shape.dim[d];
		if (!extent)
			continue;
		int one = pad(m, part[i], d, at, all);
		int in[2] = {whole, one};
		const struct body *before = b_fn(m, FN_LT, BOOL, b_factor(m, d), b_const(m, I32, at), NULL);
		const struct body *b =
			b_fn(m, FN_WHERE, n.type, before, b_operand(m, 0, n.type), b_operand(m, 1, n.type));
		whole = whole < 0 || m->undecided ? one : node_apply(m, app_pointwise(m, b, in, 2), in);
		at += extent;
	}
	if (whole < 0)
		return -1;
	return define(m, first, whole, heap_text(m->heap, "concat([%s], dim = %d)", text, d));
}

const struct step steps_shape[] = {
	{"move", 16, true, make_move},       {"slice", 10, true, make_slice},
	{"permute", 6, true, make_permute},  {"broadcast", 2, true, make_broadcast},
	{"reshape", 10, true, make_reshape}, {"pad", 3, true, make_pad},
	{"concat", 5, true, make_concat},    {NULL, 0, false, NULL},
};
