/* notation_body.c — the right-hand side of index notation to a point expression.
 *
 * Numbers and host scalars take the element type of what they meet; tensors of different types do not mix without `as`.
 * An inner reduction becomes a rule of its own, whose result is read at the point. */
#include "../operators/operators.h"
#include "notation_build.h"

#include <string.h>

struct span notation_span(struct notation *n, const struct expr *x)
{
	struct noted_param *p = x->kind == EXPR_NAME && !n->inlined ? notation_param(n, x->name.text) : NULL;
	return p ? p->span : x->span;
}

/* ---- names ---- */

static struct term operand_term(struct notation *n, struct node *node, const struct index_list *l, struct span at)
{
	int k = notation_read(n, node, l, at);
	return k < 0 ? fail_term(n) : typed_term(scalar_operand(n->e->a, node->dtype, k));
}

struct term notation_value_term(struct notation *n, const struct value *v, struct span at)
{
	if (value_failed(v))
		return fail_term(n);
	if (v->kind == VALUE_HOST && v->host.type != HOST_TEXT)
		return host_term(v);
	if (value_is_tensor(v)) {
		struct node *x = tensor_node(n->e, v, at);
		struct index_list none = {0};
		if (x->shape.rank == 0)
			return operand_term(n, x, &none, at);
		struct diag *d =
			elab_error(n->e, PML0603, at, "%s stands here without indices", value_describe(n->e, v));
		diag_help(d, "say which element: `a[i, j]`");
		return fail_term(n);
	}
	struct diag *d = elab_error(n->e, PML0603, at, "%s cannot stand in index notation", value_describe(n->e, v));
	elab_help_sort(n->e, d, v, at);
	return fail_term(n);
}

static struct term name_term(struct notation *n, const struct expr *x)
{
	const char *name = x->name.text;
	for (struct noted_bind *b = n->binds; b; b = b->next)
		if (b->name == name)
			return b->term;
	int f = n->inlined ? -1 : notation_factor(n, name);
	if (f >= 0) {
		struct term t = typed_term(scalar_factor(n->e->a, f));
		t.is_index = true;
		return t;
	}
	struct noted_param *p = n->inlined ? NULL : notation_param(n, name);
	if (!p || !p->decl->has_dims)
		return notation_value_term(n, expr_eval(n->e, x), x->span);
	if (!p->node) {
		struct term t = host_term(p->value);
		t.is_operand = true;
		return t;
	}
	struct index_list l;
	if (!index_list_of_dims(n, p->decl->dims.at, p->decl->dims.n, &l))
		return (struct term){0};
	return operand_term(n, p->node, &l, p->span);
}

/* `sum[k] q[i, k] * k[j, k]`: a tensor hidden by a factor of its name. */
static bool is_hidden(struct notation *n, const struct expr *x)
{
	if (n->inlined || x->callee->kind != EXPR_NAME || notation_factor(n, x->callee->name.text) < 0)
		return false;
	const char *name = x->callee->name.text;
	struct diag *d = elab_error(n->e, PML0603, x->callee->span, "`%s` is a factor here, not a tensor", name);
	diag_help(d, "give the factor or the tensor another name");
	return true;
}

static struct term index_term(struct notation *n, const struct expr *x)
{
	if (is_hidden(n, x))
		return fail_term(n);
	struct node *node = n->inlined ? NULL : notation_indexed(n, x->callee);
	struct index_list l;
	if (!node)
		return n->failed ? (struct term){0} : notation_value_term(n, expr_eval(n->e, x), x->span);
	if (!index_list_of_args(n, x->args.at, x->args.n, &l))
		return (struct term){0};
	int rest = index_list_rest(&l);
	if (rest < 0 ? l.n != node->shape.rank : l.n - 1 > node->shape.rank) {
		elab_error(n->e, PML0211, x->span, "the tensor has %d dimension%s, here are %d indices",
			   node->shape.rank, node->shape.rank == 1 ? "" : "s", l.n);
		return fail_term(n);
	}
	return operand_term(n, node, &l, x->span);
}

/* ---- operations ---- */

static enum scalar_fn binary_fn(enum binary_op op)
{
	switch (op) {
	case BIN_OR:
		return SC_OR;
	case BIN_AND:
		return SC_AND;
	case BIN_EQ:
		return SC_EQ;
	case BIN_NE:
		return SC_NE;
	case BIN_LT:
		return SC_LT;
	case BIN_LE:
		return SC_LE;
	case BIN_GT:
		return SC_GT;
	case BIN_GE:
		return SC_GE;
	case BIN_ADD:
		return SC_ADD;
	case BIN_SUB:
		return SC_SUB;
	case BIN_MUL:
		return SC_MUL;
	case BIN_DIV:
		return SC_DIV;
	case BIN_MOD:
		return SC_MOD;
	case BIN_POW:
		return SC_POW;
	case BIN_MATMUL:
		return SC_FN_COUNT;
	}
	return SC_FN_COUNT;
}

static struct term binary_term(struct notation *n, const struct expr *x)
{
	struct typed_list l = {.n = 2, .span = {notation_span(n, x->lhs), notation_span(n, x->rhs)}};
	l.term[0] = notation_term(n, x->lhs);
	l.term[1] = notation_term(n, x->rhs);
	if (!term_ok(n, l.term[0]) || !term_ok(n, l.term[1]))
		return fail_term(n);
	enum scalar_fn fn = binary_fn((enum binary_op)x->op);
	if (fn == SC_FN_COUNT) {
		elab_error(n->e, PML0603, x->span,
			   "`@` cannot stand in index notation: write `sum[k] a[i, k] * b[k, j]`");
		return fail_term(n);
	}
	if (l.term[0].host && l.term[1].host)
		return notation_value_term(n,
					   binary_apply(n->e, (enum binary_op)x->op, l.term[0].host, l.term[1].host,
							x->span, l.span[0], l.span[1]),
					   x->span);
	return notation_apply(n, fn, &l, x->span);
}

static struct term unary_term(struct notation *n, const struct expr *x)
{
	struct typed_list l = {.n = 1, .span = {notation_span(n, x->rhs)}};
	l.term[0] = notation_term(n, x->rhs);
	if (!term_ok(n, l.term[0]))
		return fail_term(n);
	if (l.term[0].host)
		return notation_value_term(n, unary_apply(n->e, (enum unary_op)x->op, l.term[0].host, x->span),
					   x->span);
	return notation_apply(n, x->op == UN_NEG ? SC_NEG : SC_NOT, &l, x->span);
}

/* `a as b.dtype` of an operand b, else as anywhere. */
static enum dtype type_named(struct notation *n, const struct type *t)
{
	const struct expr *of = t->of, *object = of && of->kind == EXPR_FIELD ? of->object : NULL;
	bool asks = object && object->kind == EXPR_NAME && !strcmp(of->name.text, "dtype") && !n->inlined;
	const struct noted_param *p = asks ? notation_param(n, object->name.text) : NULL;
	return p && p->node ? p->node->dtype : dtype_resolve(n->e, t);
}

static struct term as_term(struct notation *n, const struct expr *x)
{
	struct term t = notation_term(n, x->as.value);
	if (!term_ok(n, t) || x->as.type->has_dims || !x->as.type->name.text) {
		if (!n->failed)
			elab_error(n->e, PML0603, x->span, "in index notation `as` changes the element type only");
		return fail_term(n);
	}
	enum dtype to = type_named(n, x->as.type);
	if (to == DT_COUNT)
		return fail_term(n);
	struct arena *a = n->e->a;
	if (t.host) {
		if (t.host->host.type == HOST_FLOAT && t.host->host.known && !dtype_is_float(to))
			return typed_term(scalar_int(a, to, (int64_t)t.host->host.f));
		enum dtype via = notation_host_fits(t.host, to) ? to : notation_natural_type(t.host);
		t.s = notation_typed(n, t, via, x->span);
	}
	if (t.is_number)
		t.s = notation_typed(n, t, dtype_is_float(to) || !dtype_is_float(t.s->type) ? to : DT_COUNT, x->span);
	if (!t.s || t.s->type == to)
		return t.s ? typed_term(t.s) : fail_term(n);
	if (t.is_draw && dtype_is_float(t.s->type) && !dtype_is_float(to)) {
		struct diag *d =
			elab_error(n->e, PML0202, x->span,
				   "floats are drawn, not `%s` elements, which have no fractions", dtype_text(to));
		diag_help(d, "draw whole numbers by `randint(key, shape, low, high)`, or draw floats and convert them: "
			     "`(10.0 * uniform(key, shape)) as i32`");
		return fail_term(n);
	}
	if (t.is_draw && dtype_is_float(to) && dtype_is_float(t.s->type) && dtype_size(to) >= 4)
		return typed_term(scalar_apply(a, t.s->fn, to, t.s->arg[0], t.s->arg[1], t.s->arg[2]));
	return typed_term(scalar_apply(a, SC_CAST, to, t.s, NULL, NULL));
}

static struct term if_term(struct notation *n, const struct expr *x)
{
	struct span spans[3] = {x->cond.cond->span, x->cond.then->span, x->cond.other->span};
	struct term c = notation_term(n, x->cond.cond), t = notation_term(n, x->cond.then),
		    o = notation_term(n, x->cond.other);
	return notation_where(n, c, t, o, spans);
}

/* ---- reductions inside, and what is read as an index through another one ---- */

static bool uses_factor(const struct access *a, int f)
{
	for (int d = 0; d < a->rank; d++)
		for (int i = 0; i < a->index[d].nterms; i++)
			if (a->index[d].term[i].factor == f)
				return true;
	return false;
}

static bool body_reads(const struct notation *sub, const struct scalar *body, int f)
{
	for (int k = 0; k < sub->noperands; k++)
		if (uses_factor(&sub->operand[k].access, f))
			return true;
	return scalar_uses_factor(body, f);
}

/* A rule of its own over the factors it reads and does not reduce. */
static struct node *inner_node(struct notation *n, struct notation *sub, const struct expr *x, struct access *out)
{
	bool reduces = x->kind == EXPR_REDUCE;
	*sub = *n;
	sub->noperands = 0;
	sub->range = NULL;
	struct term t = notation_term(sub, reduces ? x->reduce.body : x);
	const struct scalar *body = notation_typed(sub, t, DT_COUNT, x->span);
	*out = (struct access){0};
	if (!body)
		return NULL;
	for (int f = 0; f < n->nfactors; f++) {
		bool reduced = false;
		for (int i = 0; reduces && i < x->reduce.factors.n; i++)
			reduced = reduced || n->factor[f].name == x->reduce.factors.at[i].text;
		if (reduced || !body_reads(sub, body, f) || out->rank == MAX_RANK)
			continue;
		out->dim[out->rank] = n->factor[f].extent;
		out->index[out->rank++] =
			(struct index){.nterms = 1, .term = {{.factor = f, .coef = 1}}, .div = 1, .data = -1};
	}
	return reduces ? notation_reduce(sub, x, out, body) : notation_map(sub, out, COMBINE_NONE, body);
}

struct term notation_inner_term(struct notation *n, const struct expr *x)
{
	struct access out;
	struct notation *sub = notation_new(n->e, n->name, n->at);
	struct node *r = inner_node(n, sub, x, &out);
	notation_end(sub);
	if (!r)
		return fail_term(n);
	out.type = r->dtype;
	int k = notation_operand(n, r, &out, x->span);
	return k < 0 ? fail_term(n) : typed_term(scalar_operand(n->e->a, r->dtype, k));
}

struct term notation_term(struct notation *n, const struct expr *x)
{
	if (n->failed)
		return (struct term){0};
	switch (x->kind) {
	case EXPR_INT:
	case EXPR_FLOAT:
	case EXPR_BOOL:
	case EXPR_FIELD:
		return notation_value_term(n, expr_eval(n->e, x), x->span);
	case EXPR_NAME:
		return name_term(n, x);
	case EXPR_UNARY:
		return unary_term(n, x);
	case EXPR_BINARY:
		return binary_term(n, x);
	case EXPR_CALL:
		return notation_call_term(n, x);
	case EXPR_INDEX:
		return index_term(n, x);
	case EXPR_AS:
		return as_term(n, x);
	case EXPR_IF:
		return if_term(n, x);
	case EXPR_REDUCE:
		return notation_inner_term(n, x);
	case EXPR_STRING:
	case EXPR_MAYBE:
	case EXPR_RANGE:
	case EXPR_TUPLE:
	case EXPR_LIST:
	case EXPR_LAYOUT:
	case EXPR_TO:
	case EXPR_EACH:
	case EXPR_BLOCK:
	case EXPR_PLACE:
		break;
	}
	struct diag *d = elab_error(n->e, PML0603, x->span, "this cannot stand in index notation");
	if (x->kind == EXPR_TO)
		diag_help(d, "`to` moves whole tensors: in front of this, `let z = x to B;`, or behind all of it, "
			     "`let y[i] = 2.0 * x[i] to S(0);`");
	return fail_term(n);
}
