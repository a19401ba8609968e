/* update.c — `x[i, 1..5] = v`: x with some elements replaced. It is the sum of two rules over the elements of x: one
 * keeps those that are not named, the other has v where they are and 0 elsewhere. Example: x[2..4] = v is kept[n] =
 * where(2 <= n < 4, 0, x[n])      put[n] = v[n - 2]      x = kept + put */
#include "operators.h"

#include <string.h>

struct update {
	struct elab *e;
	struct rule *kept, *put;
	struct node *x, *v;
	struct node *at[MAX_OPERANDS]; /* indices of the running program: further operands of both rules */
	struct span span[MAX_OPERANDS];
	int nat;
	const struct scalar *named; /* whether the point is named; NULL: always */
	const struct scalar *one;   /* the same for indices alone, which v has no dimension for */
	int dim, vdim;
	bool scalar; /* v is one number */
};

static const struct scalar *both(struct elab *e, const struct scalar *a, const struct scalar *b)
{
	return !a ? b : !b ? a : scalar_apply(e->a, SC_AND, DT_BOOL, a, b, NULL);
}

static const struct scalar *compare(struct update *u, enum scalar_fn fn, const struct scalar *with)
{
	return scalar_apply(u->e->a, fn, DT_BOOL, scalar_factor(u->e->a, u->dim), with, NULL);
}

static void name_element(struct update *u, const struct scalar *i)
{
	const struct scalar *here = compare(u, SC_EQ, i);
	u->named = both(u->e, u->named, here);
	u->one = both(u->e, u->one, here);
	u->dim++;
}

/* A whole dimension names nothing in particular. */
static void name_range(struct update *u, int64_t begin, int64_t end)
{
	struct arena *a = u->e->a;
	int64_t extent = u->x->shape.dim[u->dim];
	if (begin > 0)
		u->named = both(u->e, u->named, compare(u, SC_GE, scalar_int(a, DT_I64, begin)));
	if (end < extent)
		u->named = both(u->e, u->named, compare(u, SC_LT, scalar_int(a, DT_I64, end)));
	if (!u->scalar) {
		struct access *v = &u->put->operand[0];
		v->dim[u->vdim] = end - begin;
		v->index[u->vdim] = index_of_factor(u->dim);
		v->index[u->vdim].offset = -begin;
		v->index[u->vdim++].guarded = begin > 0 || end < extent;
	}
	u->dim++;
}

static bool name_computed(struct update *u, const struct value *v, struct span at)
{
	struct node *n = value_is_tensor(v) ? tensor_node(u->e, v, at) : tensor_of_host(u->e, v, DT_I64, at);
	int64_t extent = u->x->shape.dim[u->dim];
	if (n->shape.rank || !dtype_is_int(n->dtype)) {
		elab_error(u->e, PML0204, at, "elements are replaced at ints and ranges, this is %s",
			   value_describe(u->e, v));
		return false;
	}
	if (u->nat == MAX_GIVEN_OPERANDS - 1) {
		elab_error(u->e, PML0606, at, "too many indices are computed at run time");
		return false;
	}
	if (!v->may_miss)
		n = check_indices(u->e, n, extent, true, check_range(u->e, u->x->name, u->dim, extent), at);
	u->at[u->nat] = n;
	u->span[u->nat] = at;
	const struct scalar *i = scalar_operand(u->e->a, n->dtype, 1 + u->nat++);
	name_element(u, n->dtype == DT_I64 ? i : scalar_apply(u->e->a, SC_CAST, DT_I64, i, NULL, NULL));
	return true;
}

static bool name_index(struct update *u, const struct arg *a)
{
	int64_t begin, end, extent = u->x->shape.dim[u->dim];
	if (!a->value || a->name.text) {
		elab_error(u->e, PML0204, a->span, "this is not an index of a tensor");
		return false;
	}
	if (a->value->kind == EXPR_RANGE) {
		if (!index_range_of(u->e, a->value, u->dim, extent, &begin, &end))
			return false;
		name_range(u, begin, end);
		return true;
	}
	const struct value *v = expr_eval(u->e, a->value);
	if (value_failed(v))
		return false;
	if (v->kind == VALUE_HOST && v->host.type == HOST_INT && v->host.known && !v->may_miss) {
		if (!index_known(u->e, v->host.i, u->dim, extent, a->span, &begin))
			return false;
		name_element(u, scalar_int(u->e->a, DT_I64, begin));
		return true;
	}
	if (value_is_tensor(v) || (v->kind == VALUE_HOST && v->host.type == HOST_INT))
		return name_computed(u, v, a->span);
	elab_error(u->e, PML0204, a->span, "elements are replaced at ints and ranges, this is %s",
		   value_describe(u->e, v));
	return false;
}

static bool name_all(struct update *u, const struct expr *x)
{
	int rest;
	if (!index_count(u->e, x, &u->x->shape, &rest))
		return false;
	for (int i = 0; i < x->args.n; i++) {
		if (!index_is_rest(&x->args.at[i])) {
			if (!name_index(u, &x->args.at[i]))
				return false;
			continue;
		}
		for (int k = 0; k < rest; k++)
			name_range(u, 0, u->x->shape.dim[u->dim]);
	}
	while (u->dim < u->x->shape.rank)
		name_range(u, 0, u->x->shape.dim[u->dim]);
	return true;
}

/* What the indices name has the shape of v. */
static bool fits(struct update *u, struct span at)
{
	struct shape wanted = {.rank = u->vdim};
	memcpy(wanted.dim, u->put->operand[0].dim, sizeof wanted.dim);
	if (u->scalar || shape_equal(&wanted, &u->v->shape))
		return true;
	struct text t;
	text_init(&t, u->e->a);
	type_print(&t, u->v->dtype, &wanted);
	elab_error(u->e, PML0505, at, "the elements that are replaced are %s, this is %s", text_get(&t),
		   value_describe(u->e, tensor_value_of(u->e, u->v)));
	return false;
}

static struct rule *over_elements(struct elab *e, const struct node *x, const char *name)
{
	static const char *const names[MAX_RANK] = {"i", "j", "k", "l", "m", "n", "o", "p"};
	struct rule *r = ARENA_NEW(e->a, struct rule);
	*r = (struct rule){.name = name, .nfactors = x->shape.rank, .noperands = 1};
	r->out = (struct access){.type = x->dtype, .rank = x->shape.rank};
	for (int d = 0; d < x->shape.rank; d++) {
		r->factor[d] = (struct factor){names[d], x->shape.dim[d]};
		r->out.dim[d] = x->shape.dim[d];
		r->out.index[d] = index_of_factor(d);
	}
	return r;
}

/* The rules of one update belong together like those of a call: what can be edited is what is assigned. */
static struct node_site site_of(struct elab *e, struct span at, const struct node *like)
{
	struct node_site site = elab_site(e, at);
	site.in_library = true;
	site.name = like->name;
	return site;
}

/* The rule with its body over the operands, whose accesses beyond the first are those of the update's indices. */
static struct node *apply(struct update *u, struct rule *r, const struct scalar *body, struct node *first,
			  struct span at)
{
	struct node *in[MAX_OPERANDS] = {first};
	struct span spans[MAX_OPERANDS] = {at};
	for (int i = 0; i < u->nat; i++) {
		in[1 + i] = u->at[i];
		spans[1 + i] = u->span[i];
		r->operand[1 + i] = (struct access){.type = u->at[i]->dtype};
	}
	r->noperands = 1 + u->nat;
	r->body = body;
	if (!tensor_same_place(u->e, r->noperands, in, spans, at, true))
		return NULL;
	const char *wrong = rule_check(u->e->a, r);
	BUG_IF(wrong, "update rule: %s", wrong);
	struct node_site site = site_of(u->e, at, first);
	return graph_map(region_graph(u->e), &site, r, in);
}

/* kept + put; for bools: or. The rule has a name of its own for messages. */
static const struct value *joined(struct update *u, struct node *kept, struct node *put, struct span x, struct span v)
{
	struct elab *e = u->e;
	enum dtype t = kept->dtype;
	struct node *in[2] = {kept, put};
	struct span spans[2] = {x, v};
	if (!tensor_same_place(e, 2, in, spans, x, true))
		return &value_error;
	struct rule *r = over_elements(e, kept, "update");
	r->noperands = 2;
	r->operand[0] = r->operand[1] = r->out;
	r->body = scalar_apply(e->a, t == DT_BOOL ? SC_OR : SC_ADD, t, scalar_operand(e->a, t, 0),
			       scalar_operand(e->a, t, 1), NULL);
	struct node_site site = site_of(e, v, kept);
	return tensor_value_of(e, graph_map(region_graph(e), &site, r, in));
}

static const struct scalar *zero(struct elab *e, enum dtype t)
{
	return dtype_is_float(t) ? scalar_float(e->a, t, 0) : scalar_int(e->a, t, 0);
}

static const struct scalar *choose(struct elab *e, const struct scalar *c, enum dtype t, const struct scalar *a,
				   const struct scalar *b)
{
	return c ? scalar_apply(e->a, SC_WHERE, t, c, a, b) : a;
}

const struct value *index_update(struct elab *e, const struct value *t, const struct expr *x, const struct value *v,
				 struct span at)
{
	struct update u = {.e = e, .x = tensor_node(e, t, x->callee->span)};
	enum dtype type = u.x->dtype;
	if (value_failed(v))
		return v;
	if (value_is_list(v))
		v = literal_tensor(e, v, type, at);
	if (value_failed(v))
		return v;
	if (!value_is_tensor(v) && !value_is_number(v)) {
		elab_error(e, PML0505, at, "elements of a tensor are replaced by numbers, this is %s",
			   value_describe(e, v));
		return &value_error;
	}
	u.v = value_is_tensor(v) ? tensor_node(e, v, at) : tensor_of_host(e, v, type, at);
	if (u.v->dtype != type) {
		elab_error(e, PML0202, at, "elements of `%s` are replaced by elements of `%s`", dtype_text(type),
			   dtype_text(u.v->dtype));
		return &value_error;
	}
	u.scalar = u.v->shape.rank == 0;
	u.kept = over_elements(e, u.x, "update");
	u.put = over_elements(e, u.x, "update");
	u.kept->operand[0] = u.kept->out;
	u.put->operand[0] = (struct access){.type = type};
	if (!name_all(&u, x) || !fits(&u, at))
		return &value_error;
	u.put->operand[0].rank = u.vdim;
	const struct scalar *none = zero(e, type), *old = scalar_operand(e->a, type, 0);
	struct node *kept = apply(&u, u.kept, choose(e, u.named, type, none, old), u.x, at);
	struct node *put = apply(&u, u.put, choose(e, u.scalar ? u.named : u.one, type, old, none), u.v, at);
	return kept && put ? joined(&u, kept, put, x->span, at) : &value_error;
}

const struct value *index_neutral(struct elab *e, const struct value *t, enum binary_op op, const struct expr *x,
				  const struct value *v, struct span at)
{
	bool factor = op == BIN_MUL || op == BIN_DIV;
	struct node_site site = elab_site(e, at);
	struct node *one = tensor_of_host(e, value_int(e, factor), tensor_dtype(e, t), at);
	struct node *all = graph_fill(region_graph(e), &site, one, tensor_shape(e, t));
	return index_update(e, tensor_value_of(e, all), x, v, at);
}
