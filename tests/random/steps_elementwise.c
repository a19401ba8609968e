/* steps_elementwise.c — arithmetic, functions of one element, reductions along a dimension. */
#include "program.h"

#include <math.h>
#include <string.h>

/* A shape that broadcasts to s: leading dimensions left out, some dimensions 1. */
static struct shape narrower(struct maker *m, const struct shape *s)
{
	int drop = dice_chance(&m->dice, 40) ? dice_below(&m->dice, s->rank + 1) : 0;
	struct shape n = {.rank = s->rank - drop};
	for (int d = 0; d < n.rank; d++)
		n.dim[d] = dice_chance(&m->dice, 15) ? 1 : s->dim[d + drop];
	return n;
}

/* The other operand: a value, or a number. */
static int partner(struct maker *m, int x, const char **text)
{
	const struct node *n = &m->node[m->pool[x].node];
	if (n->type != BOOL && dice_chance(&m->dice, m->parts ? 50 : 25)) {
		double v = dice_range(&m->dice, m->parts ? -3 : 1, 3) *
			   (dtype_is_float(n->type) && dice_chance(&m->dice, 30) ? 0.5 : 1);
		v = v == 0 ? 1 : v;
		*text = number(m, n->type, v);
		return literal(m, n->type, v);
	}
	struct shape s = dice_chance(&m->dice, 65) ? n->shape : narrower(m, &n->shape);
	return take(m, some_operand(m, n->type, &s, n->place), text);
}

static int binary(struct maker *m, enum fn fn, node_test *fits, bool compares, const char *format)
{
	int x = some_variable(m, fits), first = m->nnodes;
	const char *xt, *yt;
	int y = partner(m, x, &yt);
	int in[2] = {take(m, x, &xt), y};
	if (dice_chance(&m->dice, m->parts ? 50 : 20)) {
		int n = in[0];
		const char *t = xt;
		in[0] = in[1], in[1] = n;
		xt = yt, yt = t;
	}
	enum dtype t = m->node[in[0]].type;
	const struct body *b = b_fn(m, fn, compares ? BOOL : t, b_operand(m, 0, t), b_operand(m, 1, t), NULL);
	int n = node_apply(m, app_pointwise(m, b, in, 2), in);
	return define(m, first, n, heap_text(m->heap, format, xt, yt));
}

static int make_add(struct maker *m)
{
	return binary(m, FN_ADD, is_number, false, "%s + %s");
}
static int make_sub(struct maker *m)
{
	return binary(m, FN_SUB, is_number, false, "%s - %s");
}
static int make_mul(struct maker *m)
{
	return binary(m, FN_MUL, is_number, false, "%s * %s");
}
static int make_larger(struct maker *m)
{
	return binary(m, FN_LARGER, is_number, false, dice_chance(&m->dice, 50) ? "maximum(%s, %s)" : "max(%s, %s)");
}
static int make_smaller(struct maker *m)
{
	return binary(m, FN_SMALLER, is_number, false, "minimum(%s, %s)");
}
static int make_compare(struct maker *m)
{
	static const enum fn fns[] = {FN_LT, FN_LE, FN_GT, FN_GE, FN_EQ, FN_NE};
	static const char *const texts[] = {"%s < %s", "%s <= %s", "%s > %s", "%s >= %s", "%s == %s", "%s != %s"};
	int k = dice_below(&m->dice, 6);
	return binary(m, fns[k], is_number, true, texts[k]);
}
static int make_logic(struct maker *m)
{
	bool and = dice_chance(&m->dice, 50);
	return binary(m, and? FN_AND : FN_OR, is_bool, false, and? "%s && %s" : "%s || %s");
}

/* x over y * y + 1, which is 0 in no ring of 2^k elements, or over a number. */
static int divide_ints(struct maker *m, enum fn fn, const char *format)
{
	int x = some_variable(m, is_int), first = m->nnodes;
	const char *xt, *yt;
	int y = partner(m, x, &yt);
	int in[2] = {take(m, x, &xt), y};
	enum dtype t = m->node[in[0]].type;
	const struct body *p = b_operand(m, 0, t), *q = b_operand(m, 1, t);
	if (m->node[y].place || m->node[y].nin || m->node[y].shape.rank) {
		int squares[2] = {y, y};
		int sum[2] = {node_apply(m, app_pointwise(m, b_fn(m, FN_MUL, t, p, q, NULL), squares, 2), squares),
			      literal(m, t, 1)};
		in[1] = node_apply(m, app_pointwise(m, b_fn(m, FN_ADD, t, p, q, NULL), sum, 2), sum);
		yt = heap_text(m->heap, "(%s * %s + 1)", yt, yt);
	}
	int r = node_apply(m, app_pointwise(m, b_fn(m, fn, t, p, q, NULL), in, 2), in);
	return define(m, first, r, heap_text(m->heap, format, xt, yt));
}
static int make_remainder(struct maker *m)
{
	return divide_ints(m, FN_MOD, "%s %% %s");
}
static int make_int_quotient(struct maker *m)
{
	return divide_ints(m, FN_DIV, "floor_div(%s, %s)");
}

/* Too small to divide by: what comes out, or its derivative, would be ill-conditioned. */
static bool nears_zero(const struct maker *m, int n)
{
	for (int e = 0; e < shape_volume(&m->node[n].shape); e++)
		if (fabs(m->node[n].v[e]) < 0.1)
			return true;
	return false;
}

/* x / 2.0, x / (y * y + 1.0), x / y, 2.0 / y */
static int make_div(struct maker *m)
{
	int x = some_variable(m, is_float), what = dice_below(&m->dice, m->parts ? 6 : 10);
	const struct node *n = &m->node[m->pool[x].node];
	int o = some_operand(m, n->type, &n->shape, n->place), first = m->nnodes;
	const char *xt, *yt;
	int in[2] = {take(m, x, &xt), take(m, o, &yt)};
	enum dtype t = m->node[in[0]].type;
	const struct body *p = b_operand(m, 0, t), *q = b_operand(m, 1, t);
	const struct body *over = b_fn(m, FN_DIV, t, p, q, NULL);
	if (what < 4) {
		if (what < 2) {
			in[0] = literal(m, t, dice_range(&m->dice, 1, 5));
			xt = number(m, t, m->node[in[0]].v[0]);
		}
		int r = node_apply(m, app_pointwise(m, over, in, 2), in);
		m->undecided |= !m->failed && nears_zero(m, in[1]);
		return define(m, first, r, heap_text(m->heap, "%s / %s", xt, yt));
	}
	if (what % 2) {
		in[1] = literal(m, t, dice_range(&m->dice, 2, 5));
		int r = node_apply(m, app_pointwise(m, over, in, 2), in);
		return define(m, first, r, heap_text(m->heap, "%s / %s", xt, number(m, t, m->node[in[1]].v[0])));
	}
	int squares[2] = {in[1], in[1]};
	int sum[2] = {node_apply(m, app_pointwise(m, b_fn(m, FN_MUL, t, p, q, NULL), squares, 2), squares),
		      literal(m, t, 1)};
	in[1] = node_apply(m, app_pointwise(m, b_fn(m, FN_ADD, t, p, q, NULL), sum, 2), sum);
	int r = node_apply(m, app_pointwise(m, over, in, 2), in);
	return define(m, first, r, heap_text(m->heap, "%s / (%s * %s + 1.0)", xt, yt, yt));
}

static int make_where(struct maker *m)
{
	int x = some_variable(m, is_any);
	struct node n = m->node[m->pool[x].node];
	int y = some_operand(m, n.type, &n.shape, n.place);
	struct shape s = dice_chance(&m->dice, 80) ? n.shape : narrower(m, &n.shape);
	int c = some_operand(m, BOOL, &s, n.place), first = m->nnodes;
	const char *ct, *xt, *yt;
	int in[3] = {take(m, c, &ct), take(m, x, &xt), take(m, y, &yt)};
	const struct body *b =
		b_fn(m, FN_WHERE, n.type, b_operand(m, 0, BOOL), b_operand(m, 1, n.type), b_operand(m, 2, n.type));
	return define(m, first, node_apply(m, app_pointwise(m, b, in, 3), in),
		      heap_text(m->heap, "where(%s, %s, %s)", ct, xt, yt));
}

static const struct body *compose(struct maker *m, const char *name, enum dtype t, double *most)
{
	const struct body *x = b_operand(m, 0, t), *half = b_const(m, t, 0.5), *one = b_const(m, t, 1);
	const struct body *squash =
		b_fn(m, FN_ADD, t, half,
		     b_fn(m, FN_MUL, t, half, b_fn(m, FN_TANH, t, b_fn(m, FN_MUL, t, half, x, NULL), NULL, NULL), NULL),
		     NULL);
	*most = 1e9;
	if (!strcmp(name, "square"))
		return b_fn(m, FN_MUL, t, x, x, NULL);
	if (!strcmp(name, "relu"))
		return b_fn(m, FN_LARGER, t, x, b_const(m, t, 0), NULL);
	if (!strcmp(name, "sigmoid"))
		return squash;
	if (!strcmp(name, "silu"))
		return b_fn(m, FN_MUL, t, x, squash, NULL);
	if (!strcmp(name, "softplus")) {
		*most = 20;
		return b_fn(m, FN_LOG, t, b_fn(m, FN_ADD, t, one, b_fn(m, FN_EXP, t, x, NULL, NULL), NULL), NULL, NULL);
	}
	if (!strcmp(name, "gelu")) {
		const struct body *r = b_fn(m, FN_MUL, t, x, b_const(m, t, 0.70710678118654752), NULL);
		r = b_fn(m, FN_ADD, t, one, b_fn(m, FN_ERF, t, r, NULL, NULL), NULL);
		return b_fn(m, FN_MUL, t, b_fn(m, FN_MUL, t, half, x, NULL), r, NULL);
	}
	*most = 6;
	return b_fn(m, FN_EXP, t, x, NULL, NULL);
}

static int make_composed(struct maker *m)
{
	static const char *const names[] = {"square", "relu", "relu", "sigmoid", "silu", "softplus", "gelu", "exp"};
	const char *name = names[dice_below(&m->dice, 8)], *xt;
	int x = some_variable(m, is_float), first = m->nnodes;
	int in[1] = {take(m, x, &xt)};
	double most;
	const struct body *b = compose(m, name, m->node[in[0]].type, &most);
	int n = node_apply(m, app_pointwise(m, b, in, 1), in);
	m->undecided |= m->node[in[0]].scale > most;
	return define(m, first, n, heap_text(m->heap, "%s(%s)", name, xt));
}

static int make_unary(struct maker *m)
{
	static const struct {
		enum fn fn;
		const char *format;
		bool smooth;
	} all[] = {{FN_NEG, "-%s", true},         {FN_ABS, "abs(%s)", true}, {FN_TANH, "tanh(%s)", true},
		   {FN_SIN, "sin(%s)", true},     {FN_COS, "cos(%s)", true}, {FN_ERF, "erf(%s)", true},
		   {FN_FLOOR, "floor(%s)", false}};
	int k = dice_below(&m->dice, m->smooth ? 6 : 7), x = some_variable(m, k < 2 ? is_number : is_float),
	    first = m->nnodes;
	const char *xt;
	int in[1] = {take(m, x, &xt)};
	enum dtype t = m->node[in[0]].type;
	const struct body *b = b_fn(m, all[k].fn, t, b_operand(m, 0, t), NULL, NULL);
	return define(m, first, node_apply(m, app_pointwise(m, b, in, 1), in), heap_text(m->heap, all[k].format, xt));
}

static int make_not(struct maker *m)
{
	int x = some_variable(m, is_bool), first = m->nnodes;
	const char *xt;
	int in[1] = {take(m, x, &xt)};
	const struct body *b = b_fn(m, FN_NOT, BOOL, b_operand(m, 0, BOOL), NULL, NULL);
	return define(m, first, node_apply(m, app_pointwise(m, b, in, 1), in), heap_text(m->heap, "!%s", xt));
}

/* sqrt, ln and rsqrt of x * x + 1 */
static int make_root(struct maker *m)
{
	static const enum fn fns[] = {FN_SQRT, FN_LOG, FN_RSQRT};
	static const char *const names[] = {"sqrt", "ln", "rsqrt"};
	int k = dice_below(&m->dice, 3), x = some_variable(m, is_float), first = m->nnodes;
	const char *xt;
	int in[2] = {take(m, x, &xt)};
	in[1] = in[0];
	enum dtype t = m->node[in[0]].type;
	const struct body *p = b_operand(m, 0, t), *q = b_operand(m, 1, t);
	int sum[2] = {node_apply(m, app_pointwise(m, b_fn(m, FN_MUL, t, p, q, NULL), in, 2), in), literal(m, t, 1)};
	int n = node_apply(m, app_pointwise(m, b_fn(m, FN_ADD, t, p, q, NULL), sum, 2), sum);
	n = node_apply(m, app_pointwise(m, b_fn(m, fns[k], t, p, NULL, NULL), &n, 1), &n);
	return define(m, first, n, heap_text(m->heap, "%s(%s * %s + 1.0)", names[k], xt, xt));
}

static int make_cast(struct maker *m)
{
	int x = some_variable(m, is_any), first = m->nnodes;
	enum dtype t = m->smooth ? (dice_chance(&m->dice, 50) ? F32 : F64) : (enum dtype)dice_below(&m->dice, BOOL);
	const char *xt;
	int in[1] = {take(m, x, &xt)};
	enum dtype from = m->node[in[0]].type;
	if (!m->smooth && dtype_is_float(from) && dice_chance(&m->dice, 25)) { /* what is cut off stays away */
		int half[2] = {in[0], literal(m, from, 0.5)};
		const struct body *product = b_fn(m, FN_MUL, from, b_operand(m, 0, from), b_operand(m, 1, from), NULL);
		int n = node_apply(m, app_pointwise(m, product, half, 2), half);
		const struct body *whole = b_fn(m, FN_CAST, I32, b_operand(m, 0, from), NULL, NULL);
		n = m->undecided || m->failed ? n : node_apply(m, app_pointwise(m, whole, &n, 1), &n);
		const struct body *back = b_fn(m, FN_CAST, from, b_operand(m, 0, I32), NULL, NULL);
		n = m->undecided || m->failed ? n : node_apply(m, app_pointwise(m, back, &n, 1), &n);
		return define(m, first, n, heap_text(m->heap, "((%s * 0.5) as i32) as %s", xt, dtype_names[from]));
	}
	if (from == t)
		return -1;
	const struct body *b = b_fn(m, FN_CAST, t, b_operand(m, 0, from), NULL, NULL);
	return define(m, first, node_apply(m, app_pointwise(m, b, in, 1), in),
		      heap_text(m->heap, "%s as %s", xt, dtype_names[t]));
}

static int make_clamp(struct maker *m)
{
	int x = some_variable(m, is_float), first = m->nnodes;
	const char *xt;
	int in[3] = {take(m, x, &xt)};
	enum dtype t = m->node[in[0]].type;
	in[1] = literal(m, t, -1.5);
	in[2] = literal(m, t, 2.5);
	const struct body *b = b_fn(m, FN_LARGER, t, b_operand(m, 0, t), b_operand(m, 1, t), NULL);
	b = b_fn(m, FN_SMALLER, t, b, b_operand(m, 2, t), NULL);
	return define(m, first, node_apply(m, app_pointwise(m, b, in, 3), in),
		      heap_text(m->heap, "clamp(%s, -1.5, 2.5)", xt));
}

/* ---- reductions ---- */

struct reduction {
	const char *name;
	enum joiner joiner;
	node_test *fits;
	bool smooth;
};
static const struct reduction reductions[] = {
	{"sum", JOIN_SUM, is_number, true},        {"sum", JOIN_SUM, is_number, true},
	{"max", JOIN_MAX, is_number, true},        {"min", JOIN_MIN, is_number, true},
	{"prod", JOIN_PROD, is_number, true},      {"mean", JOIN_MEAN, is_float, true},
	{"prod", JOIN_PROD, is_number, true},      {"argmax", JOIN_ARGMAX, is_number, false},
	{"argmin", JOIN_ARGMIN, is_number, false}, {"any", JOIN_ANY, is_bool, false},
	{"all", JOIN_ALL, is_bool, false},         {"sum", JOIN_SUM, is_bool, false},
};

static enum dtype reduced_type(const struct reduction *r, enum dtype t)
{
	bool position = r->joiner == JOIN_ARGMAX || r->joiner == JOIN_ARGMIN;
	return position || (t == BOOL && r->joiner == JOIN_SUM) ? I32 : t;
}

static int make_reduce(struct maker *m)
{
	const struct reduction *r = &reductions[dice_below(&m->dice, m->smooth ? 7 : 12)];
	int x = some_variable(m, r->fits), first = m->nnodes;
	const char *xt;
	int n = take(m, x, &xt), rank = m->node[n].shape.rank, d = dice_below(&m->dice, rank);
	if (!rank || (r->joiner == JOIN_PROD && m->node[n].scale > 20))
		m->undecided = true;
	n = node_apply(m, app_reduce(m, n, d, r->joiner, reduced_type(r, m->node[n].type)), &n);
	int written = dice_chance(&m->dice, 30) ? d - rank : d;
	return define(m, first, n, heap_text(m->heap, "%s(%s, dim = %d)", r->name, xt, written));
}

/* Over all dimensions: the last one first, but a sum of a matrix at once. */
static int make_reduce_all(struct maker *m)
{
	const struct reduction *r = &reductions[dice_below(&m->dice, 5)];
	int x = some_variable(m, r->fits), first = m->nnodes;
	const char *xt;
	int n = take(m, x, &xt);
	if (r->joiner == JOIN_PROD || !m->node[n].shape.rank)
		m->undecided = true;
	if (r->joiner == JOIN_SUM && m->node[n].shape.rank == 2)
		n = node_apply(m, app_reduce(m, n, -1, JOIN_SUM, m->node[n].type), &n);
	while (m->node[n].shape.rank && !m->undecided)
		n = node_apply(m, app_reduce(m, n, m->node[n].shape.rank - 1, r->joiner, m->node[n].type), &n);
	return define(m, first, n, heap_text(m->heap, "%s(%s)", r->name, xt));
}

static int make_along(struct maker *m)
{
	static const char *const names[] = {"add_along", "sub_along", "mul_along"};
	static const enum fn fns[] = {FN_ADD, FN_SUB, FN_MUL};
	int k = dice_below(&m->dice, 3), x = some_variable(m, is_number);
	struct node n = m->node[m->pool[x].node];
	if (!n.shape.rank)
		return -1;
	int d = dice_below(&m->dice, n.shape.rank);
	struct shape s = {0};
	for (int i = 0; i < n.shape.rank; i++)
		if (i != d)
			s.dim[s.rank++] = n.shape.dim[i];
	int y = some_operand(m, n.type, &s, n.place), first = m->nnodes;
	const char *xt, *yt;
	int in[2] = {take(m, x, &xt), take(m, y, &yt)};
	return define(m, first, node_apply(m, app_along(m, fns[k], in[0], in[1], d), in),
		      heap_text(m->heap, "%s(%s, %s, dim = %d)", names[k], xt, yt, d));
}

/* What may or may not be done with parts. */
const struct step steps_of_parts[] = {
	{"add", 2, true, make_add},       {"sub", 6, true, make_sub},
	{"mul", 4, true, make_mul},       {"div", 2, true, make_div},
	{"larger", 3, true, make_larger}, {"smaller", 3, true, make_smaller},
	{"unary", 4, true, make_unary},   {"composed", 2, true, make_composed},
	{"cast", 2, true, make_cast},     {"where", 3, false, make_where},
	{"logic", 1, false, make_logic},  {"not", 1, false, make_not},
	{"reduce", 4, true, make_reduce}, {NULL, 0, false, NULL},
};

const struct step steps_elementwise[] = {
	{"add", 10, true, make_add},
	{"sub", 8, true, make_sub},
	{"mul", 8, true, make_mul},
	{"div", 4, true, make_div},
	{"larger", 3, true, make_larger},
	{"smaller", 3, true, make_smaller},
	{"compare", 4, false, make_compare},
	{"logic", 2, false, make_logic},
	{"remainder", 1, false, make_remainder},
	{"quotient", 1, false, make_int_quotient},
	{"where", 4, false, make_where},
	{"composed", 8, true, make_composed},
	{"unary", 8, true, make_unary},
	{"not", 1, false, make_not},
	{"root", 2, true, make_root},
	{"cast", 4, true, make_cast},
	{"clamp", 2, true, make_clamp},
	{"reduce", 14, true, make_reduce},
	{"reduce all", 4, true, make_reduce_all},
	{"along", 4, true, make_along},
	{NULL, 0, false, NULL},
};
