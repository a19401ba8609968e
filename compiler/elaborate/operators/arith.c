/* arith.c — operators on host values, folded where both sides are known, and on tensors, by the prelude's ops. */
#include "operators.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- the table ---- */

struct binary_row {
	const char *text, *op; /* op: of the prelude */
	enum host_op host;
};
static const struct binary_row rows[] = {
	[BIN_OR] = {"||", "logical_or", HOST_OR_OP}, [BIN_AND] = {"&&", "logical_and", HOST_AND_OP},
	[BIN_EQ] = {"==", "equal", HOST_EQ_OP},      [BIN_NE] = {"!=", "not_equal", HOST_NE_OP},
	[BIN_LT] = {"<", "less", HOST_LT_OP},        [BIN_LE] = {"<=", "less_equal", HOST_LE_OP},
	[BIN_GT] = {">", "greater", HOST_GT_OP},     [BIN_GE] = {">=", "greater_equal", HOST_GE_OP},
	[BIN_ADD] = {"+", "add", HOST_ADD_OP},       [BIN_SUB] = {"-", "sub", HOST_SUB_OP},
	[BIN_MUL] = {"*", "mul", HOST_MUL_OP},       [BIN_DIV] = {"/", "div", HOST_DIV_OP},
	[BIN_MOD] = {"%", "mod", HOST_MOD_OP},       [BIN_MATMUL] = {"@", "matmul", HOST_MUL_OP},
	[BIN_POW] = {"**", "pow", HOST_POW_OP},
};

const char *binary_sign(const char *op)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i].op, op))
			return rows[i].text;
	return op;
}

static bool is_comparison(enum binary_op op)
{
	return op >= BIN_EQ && op <= BIN_GE;
}

/* Of tensors or structs, as a derivative by a list is. */
static bool is_list_of_values(struct elab *e, const struct value *v)
{
	struct parts parts = {0};
	bool any = false;
	if (v->kind == VALUE_LIST)
		parts_collect(e, v, &parts);
	for (int i = 0; i < parts.at.n; i++)
		any = any || value_is_tensor(parts.at.at[i]);
	return any;
}

static const struct value *wrong_operands(struct elab *e, enum binary_op op, const struct value *l,
					  const struct value *r, struct span at, struct span ls, struct span rs)
{
	struct diag *d = elab_error(e, PML0204, at, "`%s` is not defined for %s and %s", rows[op].text,
				    value_describe(e, l), value_describe(e, r));
	diag_label(d, ls, "%s", value_describe(e, l));
	diag_label(d, rs, "%s", value_describe(e, r));
	if (is_list_of_values(e, l) || is_list_of_values(e, r))
		diag_help(d, "structs are computed with field by field, with the lists in them; of a list by itself "
			     "take one after "
			     "the other: `x[i] - 0.1 * g[i]`");
	else if (l->kind == VALUE_LIST || r->kind == VALUE_LIST)
		literal_help(e, d, l->kind == VALUE_LIST ? l : r);
	else if (l->kind == VALUE_GRADIENT || r->kind == VALUE_GRADIENT)
		diag_help(d, "a gradient has a derivative for each param: `g.w`, `w -= 0.1 * g;`, or "
			     "`each (p, d) in g { p -= 0.1 * d; }` for all");
	else if (op == BIN_MOD && l->kind == VALUE_HOST && l->host.type == HOST_TEXT)
		diag_help(d, "`print` takes values one after the other, `print(\"loss\", l);`; "
			     "`format(l, digits = 3)` is a number as a text");
	else if (op == BIN_ADD && l->kind == VALUE_HOST && r->kind == VALUE_HOST &&
		 (l->host.type == HOST_BOOL || r->host.type == HOST_BOOL))
		diag_help(d, "numbers join a text as they are, a bool as `format(b)`");
	else if (l->kind == VALUE_TUPLE || r->kind == VALUE_TUPLE)
		diag_help(d, "a tuple is taken apart first, `let (a, b) = ...;`, or computed with member by member: "
			     "`each d in v => 0.1 * d`");
	else if (op == BIN_MATMUL && r->kind == VALUE_PLACE)
		diag_help(d, "`@` says in types where something is; `x to @%s` brings a tensor there", r->place->name);
	else {
		elab_help_sort(e, d, l, ls);
		elab_help_sort(e, d, r, rs);
	}
	return &value_error;
}

/* ---- known numbers ---- */

const struct value *elab_int_overflow(struct elab *e, struct span at, const char *op, int64_t x, const int64_t *y)
{
	static const char none[] = "does not fit an int (64 bits)";
	if (!y)
		elab_error(e, PML0207, at, "%s(%lld) %s", op, (long long)x, none);
	else if (isalpha((unsigned char)op[0]))
		elab_error(e, PML0207, at, "%s(%lld, %lld) %s", op, (long long)x, (long long)*y, none);
	else
		elab_error(e, PML0207, at, "%lld %s %lld %s", (long long)x, op, (long long)*y, none);
	return &value_error;
}

/* Nothing is rounded: 6 / 2 is 3, 7 / 2 is 3.5. */
static const struct value *int_quotient(struct elab *e, int64_t a, int64_t b, struct span at)
{
	if (b == -1)
		return a == INT64_MIN ? elab_int_overflow(e, at, "/", a, &b) : value_int(e, -a);
	if (a % b == 0)
		return value_int(e, a / b);
	struct host_value h = {.type = HOST_FLOAT, .known = true, .f = (double)a / (double)b, .ratio = {a, b}};
	return value_host(e, &h);
}

static const struct value *int_power(struct elab *e, int64_t a, int64_t n, struct span at)
{
	int64_t r = 1;
	if (n < 0 || n > 4096)
		return value_float(e, pow((double)a, (double)n));
	for (int64_t i = 0; i < n; i++)
		if (__builtin_mul_overflow(r, a, &r))
			return elab_int_overflow(e, at, "**", a, &n);
	return value_int(e, r);
}

/* The value of a comparison; of NaNs nothing holds. */
static const struct value *compared(struct elab *e, enum binary_op op, bool less, bool equal, bool greater)
{
	switch (op) {
	case BIN_EQ:
		return value_bool(e, equal);
	case BIN_NE:
		return value_bool(e, !equal);
	case BIN_LT:
		return value_bool(e, less);
	case BIN_LE:
		return value_bool(e, less || equal);
	case BIN_GT:
		return value_bool(e, greater);
	case BIN_GE:
		return value_bool(e, greater || equal);
	case BIN_ADD:
	case BIN_SUB:
	case BIN_MUL:
	case BIN_DIV:
	case BIN_MOD:
	case BIN_POW:
	case BIN_OR:
	case BIN_AND:
	case BIN_MATMUL:
		break;
	}
	return &value_error;
}

/* Arithmetic on known numbers: ints, which must not overflow, or floats. */
static const struct value *known_number(struct elab *e, enum binary_op op, const struct host_value *a,
					const struct host_value *b, bool ints, struct span at)
{
	int64_t r = 0;
	bool over = false;
	switch (op) {
	case BIN_ADD:
		if (!ints)
			return value_float(e, a->f + b->f);
		over = __builtin_add_overflow(a->i, b->i, &r);
		break;
	case BIN_SUB:
		if (!ints)
			return value_float(e, a->f - b->f);
		over = __builtin_sub_overflow(a->i, b->i, &r);
		break;
	case BIN_MUL:
		if (!ints)
			return value_float(e, a->f * b->f);
		over = __builtin_mul_overflow(a->i, b->i, &r);
		break;
	case BIN_DIV:
		return ints ? int_quotient(e, a->i, b->i, at) : value_float(e, a->f / b->f);
	case BIN_MOD:
		if (!ints)
			return value_float(e, fmod(a->f, b->f));
		r = b->i == -1 ? 0 : a->i % b->i;
		break;
	case BIN_POW:
		return ints ? int_power(e, a->i, b->i, at) : value_float(e, pow(a->f, b->f));
	case BIN_EQ:
	case BIN_NE:
	case BIN_LT:
	case BIN_LE:
	case BIN_GT:
	case BIN_GE:
	case BIN_OR:
	case BIN_AND:
	case BIN_MATMUL:
		return &value_error;
	}
	return over ? elab_int_overflow(e, at, rows[op].text, a->i, &b->i) : value_int(e, r);
}

/* ---- host numbers, bools and texts ---- */

/* A comparison whose value is known keeps what it compared, for messages. */
static const struct value *known_comparison(struct elab *e, const struct value *v, struct host_expr *sides)
{
	if (value_failed(v))
		return v;
	struct value *with = value_new(e, VALUE_HOST);
	with->host = v->host;
	with->host.expr = sides;
	return with;
}

static const struct value *host_numbers(struct elab *e, enum binary_op op, const struct value *l, const struct value *r,
					struct span at)
{
	bool ints = l->host.type == HOST_INT && r->host.type == HOST_INT, known = l->host.known && r->host.known;
	if (ints && (op == BIN_DIV || op == BIN_MOD) && r->host.known && r->host.i == 0) {
		elab_zero_division(e, at);
		return &value_error;
	}
	if (ints && known && !is_comparison(op))
		return known_number(e, op, &l->host, &r->host, true, at);
	if (ints && op == BIN_MOD && r->host.known && r->host.i == 1)
		return value_int(e, 0); /* whatever l is: the stage of a layer, where there is one */
	if (ints && op == BIN_DIV)
		return value_expr(
			e, host_apply(e, HOST_DIV_OP, HOST_FLOAT, host_of(e, &l->host), host_of(e, &r->host), at));
	if (!ints || op == BIN_POW) {
		l = host_to_float(e, l);
		r = host_to_float(e, r);
		ints = false;
	}
	if (known && !is_comparison(op))
		return known_number(e, op, &l->host, &r->host, false, at);
	enum host_type t = is_comparison(op) ? HOST_BOOL : ints ? HOST_INT : HOST_FLOAT;
	struct host_expr *x = host_apply(e, rows[op].host, t, host_of(e, &l->host), host_of(e, &r->host), at);
	if (!known)
		return value_expr(e, x);
	int64_t i = l->host.i, j = r->host.i;
	double f = l->host.f, g = r->host.f;
	return known_comparison(e, compared(e, op, ints ? i < j : f < g, ints ? i == j : f == g, ints ? i > j : f > g),
				x);
}

static const struct value *host_bools(struct elab *e, enum binary_op op, const struct value *l, const struct value *r,
				      struct span at)
{
	if (op == BIN_AND || op == BIN_OR) {
		const struct value *known = l->host.known ? l : r->host.known ? r : NULL, *other = known == l ? r : l;
		if (known)
			return (known->host.i != 0) == (op == BIN_AND) ? other : known;
	} else if (l->host.known && r->host.known) {
		return value_bool(e, (l->host.i == r->host.i) == (op == BIN_EQ));
	}
	return value_expr(e, host_apply(e, rows[op].host, HOST_BOOL, host_of(e, &l->host), host_of(e, &r->host), at));
}

static const struct value *text_of(struct elab *e, const struct value *v, struct span at)
{
	struct host_expr *x;
	if (v->host.type == HOST_TEXT)
		return v;
	if (v->host.known && v->host.type == HOST_INT)
		return value_text(e, arena_printf(e->a, "%lld", (long long)v->host.i));
	x = host_of(e, &v->host);
	return value_expr(
		e, host_call(e, v->host.type == HOST_INT ? "text_of_int" : "text_of_float", HOST_TEXT, at, 1, &x));
}

/* Texts that loops put together are walked like calls: their bytes count as steps. */
static const struct value *joined_text(struct elab *e, const char *l, const char *r, struct span at)
{
	enum { MOST_BYTES = 1 << 20, BYTES_PER_STEP = 64 };
	size_t n = strlen(l) + strlen(r);
	if (n > MOST_BYTES) {
		struct diag *d = elab_error(
			e, PML0207, at, "a string that is known when compiling has at most %d bytes", (int)MOST_BYTES);
		diag_note(d, "this one would have %zu", n);
		return &value_error;
	}
	if (!elab_step(e, 1 + (int)(n / BYTES_PER_STEP), at))
		return &value_error;
	return value_text(e, arena_printf(e->a, "%s%s", l, r));
}

static const struct value *host_texts(struct elab *e, enum binary_op op, const struct value *l, const struct value *r,
				      struct span at)
{
	struct host_expr *x[2];
	if (op == BIN_EQ || op == BIN_NE) {
		x[0] = host_of(e, &l->host);
		x[1] = host_of(e, &r->host);
		struct host_expr *same = host_call(e, "text_equal", HOST_BOOL, at, 2, x);
		if (l->host.known && r->host.known) {
			bool equal = strcmp(l->host.text, r->host.text) == 0;
			return known_comparison(e, value_bool(e, equal == (op == BIN_EQ)),
						op == BIN_EQ ? same
							     : host_apply(e, HOST_NOT_OP, HOST_BOOL, same, NULL, at));
		}
		return value_expr(e, op == BIN_EQ ? same : host_apply(e, HOST_NOT_OP, HOST_BOOL, same, NULL, at));
	}
	l = text_of(e, l, at);
	r = text_of(e, r, at);
	if (op == BIN_ADD && l->host.known && r->host.known)
		return joined_text(e, l->host.text, r->host.text, at);
	x[0] = host_of(e, &l->host);
	x[1] = host_of(e, &r->host);
	return value_expr(e, host_call(e, op == BIN_ADD ? "text_concat" : "text_path", HOST_TEXT, at, 2, x));
}

static bool text_fits(enum binary_op op, const struct value *l, const struct value *r)
{
	bool lt = l->host.type == HOST_TEXT, rt = r->host.type == HOST_TEXT;
	if (op == BIN_DIV || op == BIN_EQ || op == BIN_NE)
		return lt && rt;
	return op == BIN_ADD && (lt || rt) && (lt || value_is_number(l)) && (rt || value_is_number(r));
}

static const struct value *host_binary(struct elab *e, enum binary_op op, const struct value *l, const struct value *r,
				       struct span at, struct span ls, struct span rs)
{
	bool bools = l->host.type == HOST_BOOL && r->host.type == HOST_BOOL;
	bool logic = op == BIN_AND || op == BIN_OR;
	if (value_is_number(l) && value_is_number(r) && !logic && op != BIN_MATMUL)
		return host_typed_like(e, host_numbers(e, op, l, r, at), 2, (const struct value *[]){l, r});
	if (bools && (logic || op == BIN_EQ || op == BIN_NE))
		return host_bools(e, op, l, r, at);
	if (text_fits(op, l, r))
		return host_texts(e, op, l, r, at);
	return wrong_operands(e, op, l, r, at, ls, rs);
}

/* A finished number of a tensor joins a string like a host value. */
static const struct value *text_and_tensor(struct elab *e, enum binary_op op, const struct value *l,
					   const struct value *r, struct span at, struct span ls, struct span rs)
{
	bool left = value_is_tensor(l);
	if (op != BIN_ADD || tensor_shape(e, left ? l : r)->rank || tensor_dtype(e, left ? l : r) == DT_BOOL)
		return wrong_operands(e, op, l, r, at, ls, rs);
	l = read_scalar(e, l, ls);
	r = read_scalar(e, r, rs);
	return value_failed(l) || value_failed(r) ? &value_error : host_binary(e, op, l, r, at, ls, rs);
}

/* ---- what is known when compiling ---- */

/* ---- tensors ---- */

static const char *matmul_op(int l, int r)
{
	if (l == 1)
		return r == 1 ? "dot" : "vecmat";
	return r == 1 ? "matvec" : "matmul";
}

static const struct value *times(struct elab *e, const struct value *x, const struct value *y, struct span at,
				 struct span ls)
{
	const struct value *pair[2] = {x, y};
	return call_prelude(e, "mul", at, 2, pair, (struct span[2]){ls, ls});
}

/* x ** n for a small whole n multiplies. */
static const struct value *whole_power(struct elab *e, const struct value *x, int64_t n, struct span at, struct span ls)
{
	const struct value *r = x;
	for (int64_t i = 1; i < n; i++)
		r = times(e, r, x, at, ls);
	return r;
}

/* Of ints, whose products are the same in any order, for every n from 0 on, by squares. */
static const struct value *power_of_ints(struct elab *e, const struct value *x, int64_t n, struct span at,
					 struct span ls)
{
	if (!n) {
		const struct value *one[2] = {times(e, x, value_int(e, 0), at, ls), value_int(e, 1)};
		return call_prelude(e, "add", at, 2, one, (struct span[2]){ls, ls});
	}
	const struct value *r = NULL;
	for (; n; n /= 2) {
		if (n % 2)
			r = r ? times(e, r, x, at, ls) : x;
		if (n > 1)
			x = times(e, x, x, at, ls);
	}
	return r;
}

/* Of a tensor: ints, but not bools. */
static bool has_ints(struct elab *e, const struct value *v)
{
	enum dtype_kind k = value_is_tensor(v) ? dtype_kind(tensor_dtype(e, v)) : DTYPE_FLOAT;
	return k == DTYPE_INT || k == DTYPE_UINT;
}

static bool is_int(const struct value *v)
{
	return v->kind == VALUE_HOST && v->host.type == HOST_INT;
}

static const struct value *tensor_binary(struct elab *e, enum binary_op op, const struct value *l,
					 const struct value *r, struct span at, struct span ls, struct span rs)
{
	const struct value *pair[2] = {l, r};
	struct span spans[2] = {ls, rs};
	const char *name = rows[op].op;
	if (op == BIN_MATMUL) {
		if (!value_is_tensor(l) || !value_is_tensor(r) || !tensor_shape(e, l)->rank ||
		    !tensor_shape(e, r)->rank)
			return wrong_operands(e, op, l, r, at, ls, rs);
		name = matmul_op(tensor_shape(e, l)->rank, tensor_shape(e, r)->rank);
	}
	bool ints[2] = {has_ints(e, l), has_ints(e, r)};
	if (op == BIN_DIV && (ints[0] || is_int(l)) && (ints[1] || is_int(r))) {
		elab_int_quotient(e, at, tensor_dtype(e, ints[0] ? l : r), ints[0] ? &ls : NULL, ints[1] ? &rs : NULL);
		return &value_error;
	}
	if (op == BIN_MOD && ints[0] && is_int(r) && r->host.known && r->host.i == 0) {
		elab_zero_division(e, at);
		return &value_error;
	}
	bool whole = op == BIN_POW && value_is_known(r) && is_int(r);
	if (whole && r->host.i >= 1 && r->host.i <= 8)
		return whole_power(e, l, r->host.i, at, ls);
	if (whole && ints[0] && r->host.i >= 0)
		return power_of_ints(e, l, r->host.i, at, ls);
	return call_prelude(e, name, at, 2, pair, spans);
}

/* What only the compiler knows, of which two can be the same. */
static bool has_sameness(const struct value *v)
{
	return v->kind == VALUE_PLACE || v->kind == VALUE_LAYOUT || v->kind == VALUE_DTYPE;
}

const struct value *binary_apply(struct elab *e, enum binary_op op, const struct value *l, const struct value *r,
				 struct span at, struct span ls, struct span rs)
{
	if (value_failed(l) || value_failed(r))
		return &value_error;
	if (op == BIN_ADD || op == BIN_SUB) {
		const struct value *left = gradient_beside(e, l, r, at), *right = gradient_beside(e, r, l, at);
		if ((left != l || right != r) && value_is_composed(left))
			return gradient_binary(e, op, left, right, at, ls, rs);
		l = left;
		r = right;
	}
	bool lt = value_is_tensor(l), rt = value_is_tensor(r), lh = l->kind == VALUE_HOST, rh = r->kind == VALUE_HOST;
	if (lt && value_is_list(r))
		r = literal_tensor(e, r, tensor_dtype(e, l), rs), rt = true;
	else if (rt && value_is_list(l))
		l = literal_tensor(e, l, tensor_dtype(e, r), ls), lt = true;
	if (value_failed(l) || value_failed(r))
		return &value_error;
	if (gradient_has(op, l, r))
		return gradient_binary(e, op, l, r, at, ls, rs);
	bool equality = op == BIN_EQ || op == BIN_NE, none = l->kind == VALUE_NONE || r->kind == VALUE_NONE;
	if ((lh && l->host.type == HOST_TEXT && rt) || (rh && r->host.type == HOST_TEXT && lt))
		return text_and_tensor(e, op, l, r, at, ls, rs);
	if (lh && rh)
		return host_binary(e, op, l, r, at, ls, rs);
	if ((lt || lh) && (rt || rh))
		return tensor_binary(e, op, l, r, at, ls, rs);
	if (op == BIN_ADD && sequence_joins(l) && sequence_joins(r))
		return sequence_joined(e, l, r, at);
	if (equality && sequence_compares(l, r)) {
		const struct value *same = sequence_equal(e, l, r, at);
		return op == BIN_EQ || value_failed(same) ? same : unary_apply(e, UN_NOT, same, at);
	}
	if (equality && (none || (l->kind == r->kind && has_sameness(l))))
		return value_bool(e, value_is_same(l, r) == (op == BIN_EQ));
	return wrong_operands(e, op, l, r, at, ls, rs);
}

/* From the innermost operation on the left, since a chain may be long. */
/* An operand. `?` behind one of them would not reach the index that they make. */
static const struct value *operand(struct elab *e, const struct expr *x)
{
	if (x->kind != EXPR_MAYBE)
		return expr_eval(e, x);
	struct diag *d = elab_error(e, PML0204, x->span, "`?` stands behind a whole index, not within it");
	diag_help(d, "put it behind parentheses: `x[(i + 1)?]`");
	return &value_error;
}

/* The right side, which counts only if the left one is true or false where that decides. */
static const struct value *right_side(struct elab *e, const struct expr *x, const struct value *l)
{
	bool decides = (x->op == BIN_AND || x->op == BIN_OR) && x->rhs->kind != EXPR_MAYBE;
	return decides ? expr_eval_where(e, x->rhs, l, x->op == BIN_AND, x->lhs->span) : operand(e, x->rhs);
}

const struct value *expr_binary(struct elab *e, const struct expr *x)
{
	VEC(const struct expr *) chain = {0};
	for (; x->kind == EXPR_BINARY; x = x->lhs)
		vec_push(e->a, &chain, x);
	int compares = 0; /* the outermost comparison: an initialiser's type is not that of what is compared */
	while (compares < chain.n && !is_comparison((enum binary_op)chain.at[compares]->op))
		compares++;
	enum dtype of_slot = e->param_dtype;
	e->param_dtype = compares < chain.n ? DT_COUNT : of_slot;
	const struct value *l = operand(e, x);
	for (int i = chain.n - 1; i >= 0; i--) {
		x = chain.at[i];
		if (!elab_step(e, 1, x->span)) {
			l = &value_error;
			break;
		}
		/* What cannot be reached is not evaluated: `n > 1 && x[1]`. */
		if ((x->op == BIN_AND || x->op == BIN_OR) && value_is_known(l) && l->host.type == HOST_BOOL &&
		    (l->host.i != 0) == (x->op == BIN_OR))
			continue;
		e->param_dtype = i >= compares && compares < chain.n ? DT_COUNT : of_slot;
		const struct value *r = right_side(e, x, l);
		/* Operands of products, and params that are kept in parts and taken whole. */
		if (x->op == BIN_MATMUL || l->kind == VALUE_PARAM)
			l = open_move(e, l, x->lhs, OPEN_OPERAND);
		if (x->op == BIN_MATMUL || r->kind == VALUE_PARAM)
			r = open_move(e, r, x->rhs, OPEN_OPERAND);
		l = binary_apply(e, (enum binary_op)x->op, l, r, x->span, x->lhs->span, x->rhs->span);
	}
	e->param_dtype = of_slot;
	return l;
}

/* ---- one operand ---- */

/* of: where the operand stands. */
static const struct value *unary_of(struct elab *e, enum unary_op op, const struct value *v, struct span at,
				    struct span of)
{
	if (value_failed(v))
		return v;
	if ((v->kind == VALUE_GRADIENT || v->kind == VALUE_STRUCT) && op == UN_NEG)
		return gradient_unary(e, op, v, at);
	if (value_is_tensor(v))
		return call_prelude(e, op == UN_NEG ? "neg" : "logical_not", at, 1, &v, &at);
	if (op == UN_NEG && value_is_number(v)) {
		if (!v->host.known || v->host.type == HOST_FLOAT) {
			const struct value *w = v->host.known ? value_float(e, -v->host.f)
							      : value_expr(e, host_apply(e, HOST_NEG_OP, v->host.type,
											 v->host.expr, NULL, at));
			return host_typed_like(e, w, 1, &v);
		}
		return v->host.i == INT64_MIN ? elab_int_overflow(e, at, "-", v->host.i, NULL)
					      : value_int(e, -v->host.i);
	}
	if (op == UN_NOT && v->kind == VALUE_HOST && v->host.type == HOST_BOOL)
		return v->host.known ? value_bool(e, !v->host.i)
				     : value_expr(e, host_apply(e, HOST_NOT_OP, HOST_BOOL, v->host.expr, NULL, at));
	struct diag *d = elab_error(e, PML0204, at, "`%s` is not defined for %s", op == UN_NEG ? "-" : "!",
				    value_describe(e, v));
	if (v->kind == VALUE_LIST && !is_list_of_values(e, v))
		literal_help(e, d, v);
	else
		elab_help_sort(e, d, v, of);
	return &value_error;
}

const struct value *unary_apply(struct elab *e, enum unary_op op, const struct value *v, struct span at)
{
	return unary_of(e, op, v, at, at);
}

const struct value *expr_unary(struct elab *e, const struct expr *x)
{
	return unary_of(e, (enum unary_op)x->op, operand(e, x->rhs), x->span, x->rhs->span);
}
