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

bool number_is_within(const struct elab *e, const struct value *v, int64_t least, int64_t most)
{
	struct number_line l;
	if (!number_is_line(e, v, &l))
		return false;
	struct range r = range_of_line(&l);
	return r.low >= least && r.high <= most;
}

bool number_surely_fits(const struct elab *e, const struct value *v, enum dtype t)
{
	struct range all = range_of_type(t);
	return dtype_is_int(t) && number_is_within(e, v, t == DT_U64 ? 0 : all.low, all.high);
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

/* when: what is asked of numbers is asked where this bool holds, in one side of a choice; NULL: always. */
struct lowering {
	struct elab *e;
	struct span at;
	struct node *when;
};

static struct node *lower(struct lowering *l, struct host_expr *x);

static struct node *apply_fn(const struct lowering *l, enum scalar_fn fn, struct node *a, struct node *b,
			     struct node *c)
{
	struct node_site site = elab_site(l->e, l->at);
	return graph_pointwise(region_graph(l->e), &site, fn, a, b, c);
}

static struct node *whole(const struct lowering *l, int64_t v)
{
	struct node_site site = elab_site(l->e, l->at);
	return graph_int(region_graph(l->e), &site, DT_I64, v);
}

/* x where it is asked, else what passes. */
static struct node *asked(const struct lowering *l, struct node *x, int64_t passes)
{
	return l->when ? apply_fn(l, SC_WHERE, l->when, x, whole(l, passes)) : x;
}

enum { NEAR = 6 }; /* nodes from a scalar to what it is made of */

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
static struct node *int_result(const struct lowering *l, enum scalar_fn fn, struct node *x, struct node *y,
			       struct span at)
{
	struct node *r = apply_fn(l, fn, x, y, NULL);
	struct range a = range_near(x, NEAR), b = range_near(y, NEAR), all = range_everything;
	struct range c = fn == SC_ADD   ? range_sum(a, b)
			 : fn == SC_SUB ? range_sum(a, range_negative(b))
					: range_product(a, b);
	bool fits = c.low != all.low || c.high != all.high;
	return fits ? r : check_overflow(l->e, fn, asked(l, x, 0), asked(l, y, 0), r, at);
}

static struct node *floor_quotient(const struct lowering *l, struct node *const *in, struct span at)
{
	struct node *divisor = asked(l, in[1], 1);
	const struct value *pair[2] = {tensor_value_of(l->e, in[0]), tensor_value_of(l->e, divisor)};
	struct span spans[2] = {l->at, l->at};
	const struct value *v = call_prelude(l->e, "floor_divide", l->at, 2, pair, spans);
	if (value_failed(v))
		return in[0];
	struct range x = range_near(in[0], NEAR), y = range_near(in[1], NEAR);
	struct node *r = tensor_node(l->e, v, l->at);
	bool fits = x.low > INT64_MIN || y.low > -1 || y.high < -1;
	return fits ? r : check_quotient(l->e, in[0], divisor, r, at);
}

static struct node *lower_apply(const struct lowering *l, const struct host_expr *x, struct node **in)
{
	struct node_site site = elab_site(l->e, l->at);
	struct graph *g = region_graph(l->e);
	enum scalar_fn fn = host_op_function(x->op);
	if (x->op == HOST_FLOOR_DIV_OP)
		return floor_quotient(l, in, x->span);
	BUG_IF(fn == SC_FN_COUNT, "no function for a host operation");
	if (x->op == HOST_FITS_OP) {
		struct node *n = check_fits(l->e, asked(l, in[0], 0), (enum dtype)x->index, x->span);
		return graph_cast(g, &site, n, DT_I64);
	}
	if (x->op == HOST_CONVERT_OP)
		in[0] = graph_cast(g, &site, in[0], (enum dtype)x->index);
	if (fn == SC_CAST)
		return graph_cast(g, &site, in[0], host_dtype(x->type));
	if ((fn == SC_DIV || fn == SC_MOD) && dtype_is_int(in[1]->dtype))
		in[1] = check_divisor(l->e, asked(l, in[1], 1), l->at);
	if (x->type == HOST_INT && fn == SC_NEG)
		return int_result(l, SC_SUB, whole(l, 0), in[0], x->span);
	if (x->type == HOST_INT && (fn == SC_ADD || fn == SC_SUB || fn == SC_MUL))
		return int_result(l, fn, in[0], in[1], x->span);
	for (int i = 0; fn == SC_DIV && i < 2; i++)
		in[i] = graph_cast(g, &site, in[i], DT_F64);
	struct node *r = apply_fn(l, fn, in[0], in[1], NULL);
	if (fn != SC_LEFT_SHIFT)
		return r;
	struct node *shifted = l->when ? apply_fn(l, fn, asked(l, in[0], 0), in[1], NULL) : r;
	return check_shifted(l->e, asked(l, in[0], 0), in[1], shifted, x->span);
}

/* A number of no graph: an argument of the region. */
static struct node *outside(const struct lowering *l, struct host_expr *x)
{
	struct host_value h = {.type = x->type, .known = x->kind == HOST_CONST, .i = x->i, .f = x->f, .expr = x};
	return tensor_of_host(l->e, value_host(l->e, &h), host_dtype(x->type), l->at);
}

/* Whether it can end the program, which it must not in a side that is not chosen. */
static bool may_end(const struct host_expr *x)
{
	bool may = x->kind == HOST_APPLY && x->arg[0]->type == HOST_INT && x->type != HOST_BOOL;
	for (int i = 0; i < x->nargs && !may; i++)
		may = may_end(x->arg[i]);
	return may;
}

/* x where c holds, or does not. */
static struct node *lower_where(struct lowering *l, struct node *c, bool holds, struct host_expr *x)
{
	struct lowering side = *l;
	struct node *when = holds ? c : apply_fn(l, SC_NOT, c, NULL, NULL);
	if (may_end(x))
		side.when = l->when ? apply_fn(l, SC_AND, l->when, when, NULL) : when;
	return lower(&side, x);
}

/* Something of the type after an error. */
static struct node *lower(struct lowering *l, struct host_expr *x)
{
	struct elab *e = l->e;
	struct node *in[3] = {NULL};
	struct node_site site = elab_site(e, l->at);
	bool is_made = x->kind == HOST_APPLY || x->kind == HOST_SELECT;
	if (!number_in(x) && !(l->when && is_made && may_end(x)))
		return outside(l, x);
	if (x->kind == HOST_NUMBER) {
		struct value *v = value_new(e, VALUE_TENSOR);
		v->tensor = e->numbers.at[x->index];
		return tensor_node(e, v, l->at);
	}
	bool folds = x->kind == HOST_CALL && !strcmp(x->function, "key_fold");
	if ((x->kind == HOST_CALL && !folds) || x->nargs > 3) {
		elab_error(e, PML0411, l->at,
			   "the host cannot compute with a number that changes from turn to turn of a loop in "
			   "a function that is differentiated");
		return x->type == HOST_FLOAT ? graph_float(region_graph(e), &site, DT_F64, 0)
					     : graph_int(region_graph(e), &site, host_dtype(x->type), 0);
	}
	bool is_and = x->kind == HOST_APPLY && x->op == HOST_AND_OP,
	     is_or = x->kind == HOST_APPLY && x->op == HOST_OR_OP;
	for (int i = 0; i < x->nargs; i++)
		in[i] = i && (x->kind == HOST_SELECT || is_and || is_or)
				? lower_where(l, in[0], x->kind == HOST_SELECT ? i == 1 : is_and, x->arg[i])
				: lower(l, x->arg[i]);
	if (folds)
		return apply_fn(l, SC_FOLD_KEY, in[0], graph_cast(region_graph(e), &site, in[1], DT_I64), NULL);
	if (x->kind == HOST_SELECT)
		return apply_fn(l, SC_WHERE, in[0], in[1], in[2]);
	return lower_apply(l, x, in);
}

static struct node *lowered(struct elab *e, struct host_expr *x, struct span at)
{
	struct lowering l = {.e = e, .at = at};
	return lower(&l, x);
}

struct node *number_node(struct elab *e, const struct value *v, enum dtype t, struct span at)
{
	struct node *n = lowered(e, v->host.expr, at);
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
	return number_value(e, v->host.type, lowered(e, v->host.expr, at));
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

bool number_is_known(struct elab *e, const struct value *v, struct span at, int64_t *value)
{
	int64_t other = 0, turn = 1;
	if (v->kind == VALUE_HOST && v->host.type == HOST_INT && v->host.known) {
		*value = v->host.i;
		return true;
	}
	const struct loop *l = number_in_turn(e, v, 0, value);
	if (!l || l->turns < 1 || l->turns > MAX_UNROLLED)
		return false;
	for (; turn < l->turns; turn++)
		if (!number_in_turn(e, v, turn, &other) || other != *value)
			break;
	if (turn < l->turns && !e->unlike.why)
		e->unlike = (struct unlike){arena_printf(e->p->arena, "a size is %lld in turn 0, %lld in turn %lld",
							 (long long)*value, (long long)other, (long long)turn),
					    l, turn, at};
	return turn == l->turns;
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
