/* number.c — host numbers that a graph computes: the turn of a loop, what is carried from turn to turn.
 *
 * To the program such a number is a host value like any other, of no element type until it meets a tensor. Its
 * expression has NUMBER leaves where others have variables, and becomes nodes only where a tensor wants it: so `2 * i +
 * 1` can still be seen to name every second line. Host code cannot read it. */
#include "region.h"

#include "../../graph/ranges.h"

#include <string.h>

const struct value *number_value(struct elab *e, enum host_type t, struct node *n)
{
	struct tensor *x = ARENA_NEW(e->a, struct tensor);
	region_graph(e);
	*x = (struct tensor){n, e->region};
	vec_push(e->a, &e->numbers, x);
	struct host_expr *leaf = ARENA_NEW(e->a, struct host_expr);
	*leaf = (struct host_expr){.kind = HOST_NUMBER, .type = t, .span = n->span, .index = e->numbers.n - 1};
	return value_expr(e, leaf);
}

bool number_in(const struct host_expr *x)
{
	if (!x || x->kind == HOST_NUMBER)
		return x != NULL;
	for (int i = 0; i < x->nargs; i++)
		if (number_in(x->arg[i]))
			return true;
	return false;
}

bool value_is_of_graph(const struct value *v)
{
	return v->kind == VALUE_HOST && !v->host.known && number_in(v->host.expr);
}

/* The loop whose turn the NUMBER is; NULL: of none, or of another region. */
static struct loop *counted_by(const struct elab *e, const struct host_expr *x)
{
	const struct tensor *t = e->numbers.at[x->index];
	return t->node->kind == NODE_TURN && t->home == e->region ? t->node->of : NULL;
}

/* ---- a * turn + b ---- */

static bool affine(const struct elab *e, const struct host_expr *x, struct number_line *out)
{
	struct number_line a, b;
	if (x->type != HOST_INT)
		return false;
	if (x->kind == HOST_CONST) {
		*out = (struct number_line){.first = x->i};
		return true;
	}
	if (x->kind == HOST_NUMBER) {
		*out = (struct number_line){counted_by(e, x), 0, 1};
		return out->loop != NULL;
	}
	if (x->kind != HOST_APPLY || !affine(e, x->arg[0], &a))
		return false;
	if (x->op == HOST_FITS_OP) {
		*out = a;
		return true;
	}
	if (x->op == HOST_NEG_OP) {
		*out = (struct number_line){a.loop, -a.first, -a.step};
		return a.first != INT64_MIN;
	}
	if (x->nargs != 2 || !affine(e, x->arg[1], &b) || (a.loop && b.loop && a.loop != b.loop))
		return false;
	out->loop = a.loop ? a.loop : b.loop;
	if (x->op == HOST_ADD_OP)
		return !__builtin_add_overflow(a.first, b.first, &out->first) &&
		       !__builtin_add_overflow(a.step, b.step, &out->step);
	if (x->op == HOST_SUB_OP)
		return !__builtin_sub_overflow(a.first, b.first, &out->first) &&
		       !__builtin_sub_overflow(a.step, b.step, &out->step);
	const struct number_line *k = a.loop ? &b : &a, *l = a.loop ? &a : &b;
	return x->op == HOST_MUL_OP && !k->loop && !__builtin_mul_overflow(l->first, k->first, &out->first) &&
	       !__builtin_mul_overflow(l->step, k->first, &out->step);
}

bool number_is_line(const struct elab *e, const struct value *v, struct number_line *out)
{
	return value_is_of_graph(v) && affine(e, v->host.expr, out) && out->loop;
}

/* Between which numbers it lies. */
static struct range range_of_line(const struct number_line *l)
{
	struct range turn = {0, loop_most_turns(l->loop)}, first = {l->first, l->first}, step = {l->step, l->step};
	return range_sum(first, range_product(turn, step));
}

bool number_surely_fits(const struct elab *e, const struct value *v, enum dtype t)
{
	struct number_line l;
	if (!dtype_is_int(t) || !number_is_line(e, v, &l))
		return false;
	struct range r = range_of_line(&l), all = range_of_type(t);
	return r.low >= (t == DT_U64 ? 0 : all.low) && r.high <= all.high;
}

/* ---- turn by turn ---- */

static bool apply(enum host_op op, int64_t a, int64_t b, int64_t *out)
{
	bool divides = op == HOST_MOD_OP || op == HOST_FLOOR_DIV_OP;
	if (divides && (!b || (a == INT64_MIN && b == -1)))
		return false;
	if (op == HOST_ADD_OP)
		return !__builtin_add_overflow(a, b, out);
	if (op == HOST_SUB_OP)
		return !__builtin_sub_overflow(a, b, out);
	if (op == HOST_MUL_OP)
		return !__builtin_mul_overflow(a, b, out);
	if (divides)
		*out = op == HOST_MOD_OP ? a % b : a / b - (a % b && (a < 0) != (b < 0));
	else if (op == HOST_MIN_OP || op == HOST_MAX_OP)
		*out = (a < b) == (op == HOST_MIN_OP) ? a : b;
	else
		return false;
	return true;
}

static bool in_turn(const struct elab *e, const struct host_expr *x, int64_t turn, struct loop **loop, int64_t *out)
{
	int64_t a = 0, b = 0;
	if (x->type != HOST_INT)
		return false;
	if (x->kind == HOST_CONST) {
		*out = x->i;
		return true;
	}
	if (x->kind == HOST_NUMBER) {
		struct loop *l = counted_by(e, x);
		bool other = *loop && *loop != l;
		*loop = l;
		*out = turn;
		return l && !other;
	}
	if (x->kind != HOST_APPLY || !in_turn(e, x->arg[0], turn, loop, x->nargs == 1 ? &b : &a))
		return false;
	if (x->op == HOST_NEG_OP)
		return !__builtin_sub_overflow(0, b, out);
	if (x->op == HOST_FITS_OP) {
		*out = b;
		return true;
	}
	return x->nargs == 2 && in_turn(e, x->arg[1], turn, loop, &b) && apply(x->op, a, b, out);
}

struct loop *number_in_turn(const struct elab *e, const struct value *v, int64_t turn, int64_t *out)
{
	struct loop *loop = NULL;
	return value_is_of_graph(v) && in_turn(e, v->host.expr, turn, &loop, out) ? loop : NULL;
}

/* ---- nodes ---- */

static struct node *lower(struct elab *e, struct host_expr *x, struct span at);

static struct node *floor_quotient(struct elab *e, struct node *const *in, struct span at)
{
	const struct value *pair[2] = {tensor_value_of(e, in[0]), tensor_value_of(e, in[1])};
	struct span spans[2] = {at, at};
	const struct value *v = call_prelude(e, "floor_divide", at, 2, pair, spans);
	return value_failed(v) ? in[0] : tensor_node(e, v, at);
}

/* Between which numbers a scalar lies, as far as what it is made of says at once. */
static struct range range_near(const struct node *n, int depth)
{
	struct range in[3];
	if (n->nin > 3 || depth == 0)
		return range_of_type(n->dtype);
	for (int i = 0; i < n->nin; i++)
		in[i] = range_near(n->in[i], depth - 1);
	return range_of_node(n, in);
}

/* A sum, difference or product of ints, which is one or ends the program. What is small is not asked; the rest may
 * still turn out to be (simplify/checks.c). */
static struct node *int_result(struct elab *e, enum scalar_fn fn, struct node *x, struct node *y, struct span at)
{
	enum { DEPTH = 6 };
	struct node_site site = elab_site(e, at);
	struct node *r = graph_pointwise(region_graph(e), &site, fn, x, y, NULL);
	struct range a = range_near(x, DEPTH), b = range_near(y, DEPTH), all = range_everything;
	struct range c = fn == SC_ADD   ? range_sum(a, b)
			 : fn == SC_SUB ? range_sum(a, range_negative(b))
					: range_product(a, b);
	bool fits = c.low != all.low || c.high != all.high;
	return fits ? r : check_overflow(e, fn, x, y, r, at);
}

static struct node *lower_apply(struct elab *e, const struct host_expr *x, struct node **in, struct span at)
{
	struct node_site site = elab_site(e, at);
	struct graph *g = region_graph(e);
	enum scalar_fn fn = host_op_function(x->op);
	if (x->op == HOST_FLOOR_DIV_OP)
		return floor_quotient(e, in, at);
	BUG_IF(fn == SC_FN_COUNT, "no function for a host operation");
	if (x->op == HOST_FITS_OP)
		return graph_cast(g, &site, check_fits(e, in[0], (enum dtype)x->index, x->span), DT_I64);
	if (x->op == HOST_CONVERT_OP)
		in[0] = graph_cast(g, &site, in[0], (enum dtype)x->index);
	if (fn == SC_CAST)
		return graph_cast(g, &site, in[0], host_dtype(x->type));
	if ((fn == SC_DIV || fn == SC_MOD) && dtype_is_int(in[1]->dtype))
		in[1] = check_divisor(e, in[1], at);
	if (x->type == HOST_INT && fn == SC_NEG)
		return int_result(e, SC_SUB, graph_int(g, &site, DT_I64, 0), in[0], x->span);
	if (x->type == HOST_INT && (fn == SC_ADD || fn == SC_SUB || fn == SC_MUL))
		return int_result(e, fn, in[0], in[1], x->span);
	for (int i = 0; fn == SC_DIV && i < 2; i++)
		in[i] = graph_cast(g, &site, in[i], DT_F64);
	struct node *r = graph_pointwise(g, &site, fn, in[0], in[1], NULL);
	return fn == SC_LEFT_SHIFT ? check_shifted(e, in[0], in[1], r, x->span) : r;
}

/* A number of no graph: an argument of the region. */
static struct node *outside(struct elab *e, struct host_expr *x, struct span at)
{
	struct host_value h = {.type = x->type, .known = x->kind == HOST_CONST, .i = x->i, .f = x->f, .expr = x};
	return tensor_of_host(e, value_host(e, &h), host_dtype(x->type), at);
}

/* Something of the type after an error. */
static struct node *lower(struct elab *e, struct host_expr *x, struct span at)
{
	struct node *in[3] = {NULL};
	struct node_site site = elab_site(e, at);
	if (!number_in(x))
		return outside(e, x, at);
	if (x->kind == HOST_NUMBER) {
		struct value *v = value_new(e, VALUE_TENSOR);
		v->tensor = e->numbers.at[x->index];
		return tensor_node(e, v, at);
	}
	bool folds = x->kind == HOST_CALL && !strcmp(x->function, "key_fold");
	if ((x->kind == HOST_CALL && !folds) || x->nargs > 3) {
		elab_error(e, PML0411, at,
			   "the host cannot compute with a number that changes from turn to turn of a loop in "
			   "a function that is differentiated");
		return x->type == HOST_FLOAT ? graph_float(region_graph(e), &site, DT_F64, 0)
					     : graph_int(region_graph(e), &site, host_dtype(x->type), 0);
	}
	for (int i = 0; i < x->nargs; i++)
		in[i] = lower(e, x->arg[i], at);
	if (folds)
		return graph_pointwise(region_graph(e), &site, SC_FOLD_KEY, in[0],
				       graph_cast(region_graph(e), &site, in[1], DT_I64), NULL);
	if (x->kind == HOST_SELECT)
		return graph_pointwise(region_graph(e), &site, SC_WHERE, in[0], in[1], in[2]);
	return lower_apply(e, x, in, at);
}

struct node *number_node(struct elab *e, const struct value *v, enum dtype t, struct span at)
{
	struct node *n = lower(e, v->host.expr, at);
	struct node_site site = elab_site(e, at);
	if (n->dtype == DT_I64 && dtype_is_float(t)) /* rounded as the host does */
		n = graph_cast(region_graph(e), &site, n, DT_F64);
	return graph_cast(region_graph(e), &site, n, t);
}

const struct value *number_freeze(struct elab *e, const struct value *v, struct span at)
{
	struct number_line line;
	bool is_text = host_dtype(v->host.type) == DT_COUNT;
	if (is_text || v->host.expr->kind == HOST_NUMBER || affine(e, v->host.expr, &line))
		return v;
	return number_value(e, v->host.type, lower(e, v->host.expr, at));
}

const struct value *number_as_tensor(struct elab *e, const struct value *v, struct span at)
{
	if (value_is_of_graph(v) && host_dtype(v->host.type) != DT_COUNT)
		return tensor_value_of(e, number_node(e, v, host_dtype(v->host.type), at));
	return v;
}

bool number_stays(struct elab *e, const struct host_expr *x, struct span at)
{
	if (!number_in(x))
		return true;
	struct diag *d = elab_error(e, PML0411, at,
				    "the host cannot take a number that a loop or branch of a function that is "
				    "differentiated computes");
	diag_note(d, "such a loop is computed as one with all that surrounds it");
	return false;
}

/* ---- in all turns ---- */

/* Whether every turn of the loop gets to what is walked now: no branch, and no loop that may have no turn, is between.
 */
static bool reaches_here(const struct elab *e, const struct loop *loop)
{
	for (const struct loop *l = region_loop(e); l; l = l->outer) {
		if (l->is_branch || l->turns < 1)
			return false;
		if (l == loop)
			return true;
	}
	return false;
}

bool number_leaves(const struct elab *e, const struct value *v, int64_t least, int64_t end, int64_t *value)
{
	enum { MAX_TURNS = 4096 };
	struct number_line line;
	const struct loop *l = number_in_turn(e, v, 0, value);
	if (!l || !reaches_here(e, l))
		return false;
	if (l->turns > MAX_TURNS) { /* a line leaves at its end if at all */
		bool leaves = *value < least || *value >= end;
		return leaves || (number_is_line(e, v, &line) && number_in_turn(e, v, l->turns - 1, value) &&
				  (*value < least || *value >= end));
	}
	for (int64_t t = 0; t < l->turns; t++)
		if (number_in_turn(e, v, t, value) && (*value < least || *value >= end))
			return true;
	return false;
}
