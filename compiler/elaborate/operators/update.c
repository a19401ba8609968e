/* update.c — `x[i, 1..5] = v`: x with some elements replaced. It is two rules over the elements of x: one puts v where
 * they are, the other chooses between it and x. Example: x[2..4] = v is put[n] = v[n - 2]      x = where(2 <= n < 4,
 * put[n], x[n]). `x[2..4] += v` has no choice: it adds put, which is 0 elsewhere.
 *
 * Where the turns of a loop replace one line or block each of what nothing else reads meanwhile, what they put there is
 * stacked, and replaces all of them behind the loop. */
#include "operators.h"

#include <string.h>

/* Operands of both rules, before those are dropped that a rule does not read: x, v or what is put, indices. */
enum { OLD, PUT, FIRST_INDEX };

struct update {
	struct elab *e;
	struct rule *put;
	struct access operand[MAX_OPERANDS]; /* of the rule that is being made */
	struct node *x, *v;
	struct node *at[MAX_OPERANDS]; /* indices of the running program; of one dimension a number for each of its */
	int at_dim[MAX_OPERANDS];      /* elements */
	struct span span[MAX_OPERANDS];
	int nat;
	const struct scalar *named; /* whether the point is named; NULL: always */
	const struct scalar *one;   /* the same for indices alone, which v has no dimension for */
	int dim, vdim;
	bool scalar;             /* v is one number */
	struct number_line line; /* the lines or blocks of the turns; loop NULL: none */
	int64_t width;           /* of a block; 0: lines */
	int line_dim;
	bool partial; /* of the other dimensions not all is named */
	bool combines;
};

/* Of `updates`: which lines of base the turns replace, by what. */
struct turn_update {
	struct node *base, *v;
	struct number_line line;
	int64_t width;
	int dim;
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

/* A dimension in which the turns of the innermost loop each name one line, or one block. */
static bool names_line(struct update *u, const struct number_line *l, int64_t width)
{
	if (u->line.loop || l->loop != region_graph(u->e)->open)
		return false;
	u->line = *l;
	u->width = width;
	u->line_dim = u->dim;
	return true;
}

/* A whole dimension names nothing in particular. */
static void name_range(struct update *u, int64_t begin, int64_t end)
{
	struct arena *a = u->e->a;
	int64_t extent = u->x->shape.dim[u->dim];
	u->partial |= begin > 0 || end < extent;
	if (begin > 0)
		u->named = both(u->e, u->named, compare(u, SC_GE, scalar_int(a, DT_I64, begin)));
	if (end < extent)
		u->named = both(u->e, u->named, compare(u, SC_LT, scalar_int(a, DT_I64, end)));
	if (!u->scalar) {
		struct access *v = &u->operand[PUT];
		v->dim[u->vdim] = end - begin;
		v->index[u->vdim] = index_of_factor(u->dim);
		v->index[u->vdim].offset = -begin;
		v->index[u->vdim++].guarded = begin > 0 || end < extent;
	}
	u->dim++;
}

/* `x[mask] = v`, `x[1.0] = v`, `x[ids] += v`. */
static void report_index(struct update *u, const struct value *v, enum dtype_kind k, struct span at)
{
	const char *places =
		u->combines ? "changed at ints and ranges" : "replaced at ints, tensors of ints and ranges";
	struct diag *d = elab_error(u->e, PML0204, at, "elements are %s, this is %s", places, value_describe(u->e, v));
	if (k == DTYPE_BOOL)
		diag_help(d, "what a condition chooses is replaced by `x = where(condition, v, x);`");
	else if (k != DTYPE_FLOAT && u->combines)
		diag_help(d, "what is added, where ids meet as often as they do, is `x += scatter_add(ids, v, rows);`");
	else if (k != DTYPE_FLOAT)
		diag_help(d, "one after the other: `for k in 0..n { x[ids[k]] = v[k]; }`");
}

/* Per element of a dimension, the last of the indices that names it; less than 0: none does. */
static struct node *last_that_names(struct update *u, struct node *ids, struct span at)
{
	struct elab *e = u->e;
	struct rule *r = ARENA_NEW(e->a, struct rule);
	struct access *i = ARENA_NEW(e->a, struct access);
	*i = access_of_shape(ids->dtype, &ids->shape);
	*r = (struct rule){.name = "last", .noperands = 1, .operand = i, .nfactors = 1, .combiner = COMBINE_MAX};
	r->factor[0] = (struct factor){"n", ids->shape.dim[0]};
	r->out = (struct access){.type = DT_I64, .rank = 1, .dim = {u->x->shape.dim[u->dim]}};
	r->out.index[0] = (struct index){.div = 1, .data = 0, .guarded = true};
	r->body = scalar_factor(e->a, 0);
	struct node_site site = elab_site(e, at);
	site.name = ids->name;
	return graph_map(region_graph(e), &site, r, &ids);
}

/* Of indices that a tensor holds: of several that name one element the last one counts. */
static bool name_listed(struct update *u, const struct value *v, struct node *ids, struct span at)
{
	struct arena *a = u->e->a;
	int64_t extent = u->x->shape.dim[u->dim];
	if (u->nat == MAX_GIVEN_OPERANDS - FIRST_INDEX) {
		elab_error(u->e, PML0606, at, "too many indices are computed at run time");
		return false;
	}
	if (!v->may_miss)
		ids = check_indices(u->e, ids, extent, false, check_range(u->e, u->x->name, u->dim, extent), at);
	u->partial = true;
	u->at[u->nat] = last_that_names(u, ids, at);
	u->at_dim[u->nat] = u->dim;
	u->span[u->nat] = at;
	const struct scalar *last = scalar_operand(a, DT_I64, FIRST_INDEX + u->nat++);
	u->named = both(u->e, u->named, scalar_apply(a, SC_GE, DT_BOOL, last, scalar_int(a, DT_I64, 0), NULL));
	if (!u->scalar) {
		struct access *put = &u->operand[PUT];
		put->dim[u->vdim] = ids->shape.dim[0];
		put->index[u->vdim++] = (struct index){.div = 1, .data = FIRST_INDEX + u->nat - 1, .guarded = true};
	}
	u->dim++;
	return true;
}

static bool name_computed(struct update *u, const struct value *v, struct span at)
{
	struct node *n = value_is_tensor(v) ? tensor_node(u->e, v, at) : tensor_of_host(u->e, v, DT_I64, at);
	int64_t extent = u->x->shape.dim[u->dim];
	struct number_line l;
	if (n->shape.rank == 1 && dtype_is_int(n->dtype) && !u->combines)
		return name_listed(u, v, n, at);
	u->partial |= value_is_tensor(v) || v->may_miss || !number_is_line(u->e, v, &l) || !names_line(u, &l, 0);
	if (n->shape.rank || !dtype_is_int(n->dtype)) {
		report_index(u, v, dtype_kind(n->dtype), at);
		return false;
	}
	if (u->nat == MAX_GIVEN_OPERANDS - FIRST_INDEX) {
		elab_error(u->e, PML0606, at, "too many indices are computed at run time");
		return false;
	}
	if (index_leaves(u->e, v, 1, true, u->dim, extent, at))
		return false;
	if (!v->may_miss)
		n = check_indices(u->e, n, extent, true, check_range(u->e, u->x->name, u->dim, extent), at);
	u->at[u->nat] = n;
	u->span[u->nat] = at;
	const struct scalar *i = scalar_operand(u->e->a, n->dtype, FIRST_INDEX + u->nat++);
	name_element(u, n->dtype == DT_I64 ? i : scalar_apply(u->e->a, SC_CAST, DT_I64, i, NULL, NULL));
	return true;
}

/* A slice that begins where only the running program knows. */
static bool name_slice(struct update *u, const struct slice *s, struct span at)
{
	struct arena *a = u->e->a;
	int64_t extent = u->x->shape.dim[u->dim];
	struct number_line l;
	if (u->nat == MAX_GIVEN_OPERANDS - FIRST_INDEX) {
		elab_error(u->e, PML0606, at, "too many indices are computed at run time");
		return false;
	}
	u->partial |= !number_is_block(u->e, s->from, s->width, &l) || !names_line(u, &l, s->width);
	struct node *begin = slice_begin(u->e, s, u->x->name, u->dim, extent, at);
	u->at[u->nat] = slice_places(u->e, begin, extent, true, at);
	u->at_dim[u->nat] = u->dim;
	u->span[u->nat] = at;
	const struct scalar *i = scalar_operand(a, DT_I64, FIRST_INDEX + u->nat++);
	u->named = both(u->e, u->named,
			scalar_apply(a, SC_AND, DT_BOOL,
				     scalar_apply(a, SC_GE, DT_BOOL, i, scalar_int(a, DT_I64, 0), NULL),
				     scalar_apply(a, SC_LT, DT_BOOL, i, scalar_int(a, DT_I64, s->width), NULL), NULL));
	if (!u->scalar) {
		struct access *v = &u->operand[PUT];
		v->dim[u->vdim] = s->width;
		v->index[u->vdim++] = (struct index){.div = 1, .data = FIRST_INDEX + u->nat - 1, .guarded = true};
	}
	u->dim++;
	return true;
}

static bool name_index(struct update *u, const struct arg *a)
{
	int64_t begin, extent = u->x->shape.dim[u->dim];
	if (!a->value || a->name.text) {
		elab_error(u->e, PML0204, a->span, "this is not an index of a tensor");
		return false;
	}
	if (a->value->kind == EXPR_RANGE) {
		struct slice s;
		if (!slice_eval(u->e, a->value, u->dim, extent, &s))
			return false;
		if (s.from)
			return name_slice(u, &s, a->value->span);
		name_range(u, s.begin, s.begin + s.width);
		return true;
	}
	const struct value *v = expr_eval(u->e, a->value);
	if (value_is_list(v))
		v = literal_tensor(u->e, v, literal_natural_type(u->e, v), a->span);
	if (value_failed(v))
		return false;
	if (v->kind == VALUE_HOST && v->host.type == HOST_INT && v->host.known && !v->may_miss &&
	    !index_waits(u->e, v->host.i, extent)) {
		if (!index_known(u->e, v->host.i, u->dim, extent, a->span, &begin))
			return false;
		u->partial = true;
		name_element(u, scalar_int(u->e->a, DT_I64, begin));
		return true;
	}
	if (value_is_tensor(v) || (v->kind == VALUE_HOST && v->host.type == HOST_INT))
		return name_computed(u, v, a->span);
	report_index(u, v, DTYPE_FLOAT, a->span);
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

/* The rules of one update belong together like those of a call: what can be edited is what is assigned. */
static struct node_site site_of(struct elab *e, struct span at, const struct node *like)
{
	struct node_site site = elab_site(e, at);
	site.in_library = true;
	site.name = like->name;
	return site;
}

/* v, repeated for what stands in front of its dimensions and where it has one element, as beside an operator; NULL: it
 * does not go on to this shape. */
static struct node *repeated(struct update *u, const struct shape *s, struct span at)
{
	struct elab *e = u->e;
	int front = s->rank - u->v->shape.rank;
	struct rule *r = ARENA_NEW(e->a, struct rule);
	struct access *v = ARENA_NEW(e->a, struct access);
	*r = rule_over_shape("broadcast", u->v->dtype, s);
	*v = (struct access){.type = u->v->dtype, .rank = u->v->shape.rank};
	for (int d = 0; d < v->rank && front >= 0; d++) {
		v->dim[d] = u->v->shape.dim[d];
		v->index[d] = v->dim[d] == s->dim[front + d] ? index_of_factor(front + d)
							     : (struct index){.div = 1, .data = -1};
		if (v->dim[d] != s->dim[front + d] && v->dim[d] != 1)
			return NULL;
	}
	r->operand = v;
	r->noperands = 1;
	r->body = scalar_operand(e->a, u->v->dtype, 0);
	struct node_site site = site_of(e, at, u->v);
	return front < 0 ? NULL : graph_map(region_graph(e), &site, r, &u->v);
}

/* What the indices name has the shape of v, or v goes on to it. */
static bool fits(struct update *u, struct span at)
{
	struct shape wanted = {.rank = u->vdim};
	memcpy(wanted.dim, u->operand[PUT].dim, sizeof wanted.dim);
	if (u->scalar || shape_equal(&wanted, &u->v->shape))
		return true;
	struct node *v = repeated(u, &wanted, at);
	if (v) {
		u->v = v;
		return true;
	}
	struct text t;
	text_init(&t, u->e->a);
	type_print(&t, u->v->dtype, &wanted);
	elab_error(u->e, PML0505, at, "the elements that are replaced are %s, this is %s", text_get(&t),
		   value_describe(u->e, tensor_value_of(u->e, u->v)));
	return false;
}

static struct rule *over_elements(struct elab *e, const struct node *x, const char *name)
{
	struct rule *r = ARENA_NEW(e->a, struct rule);
	*r = rule_over_shape(name, x->dtype, &x->shape);
	return r;
}

/* The rule with its body over x, `second` and the indices. */
static struct node *apply(struct update *u, struct rule *r, const struct scalar *body, struct node *second,
			  const struct node *like, struct span target, struct span at)
{
	struct node *in[MAX_OPERANDS] = {u->x, second};
	struct span spans[MAX_OPERANDS] = {target, at};
	u->operand[OLD] = r->out;
	r->operand = u->operand;
	r->noperands = FIRST_INDEX + u->nat;
	r->body = body;
	for (int i = 0; i < u->nat; i++) {
		struct access *x = &u->operand[FIRST_INDEX + i];
		in[FIRST_INDEX + i] = u->at[i];
		spans[FIRST_INDEX + i] = u->span[i];
		*x = (struct access){.type = u->at[i]->dtype, .rank = u->at[i]->shape.rank};
		if (x->rank) {
			x->dim[0] = u->at[i]->shape.dim[0];
			x->index[0] = index_of_factor(u->at_dim[i]);
		}
	}
	if (!tensor_same_place(u->e, r->noperands, in, spans, at, true))
		return NULL;
	const char *wrong = rule_check(u->e->a, r);
	BUG_IF(wrong, "update rule: %s", wrong);
	struct node_site site = site_of(u->e, at, like);
	return graph_map_pruned(region_graph(u->e), &site, r, in);
}

static const struct scalar *zero(struct elab *e, enum dtype t)
{
	return scalar_number(e->a, t, (union scalar_value){0});
}

static const struct scalar *choose(struct elab *e, const struct scalar *c, enum dtype t, const struct scalar *a,
				   const struct scalar *b)
{
	return c ? scalar_apply(e->a, SC_WHERE, t, c, a, b) : a;
}

/* What comes of v where the elements are; NULL after an error. */
static struct node *put(struct update *u, const struct scalar *body, struct span target, struct span at)
{
	u->operand[PUT].rank = u->vdim;
	return fits(u, at) ? apply(u, u->put, body, u->v, u->v, target, at) : NULL;
}

/* y, which took the place of all of x: it is where x is, although nothing of x is left in it. */
static struct node *placed_like(struct update *u, struct node *y, struct span at)
{
	struct layout_spec l;
	if (y->place || !u->x->place || !layout_resolve(u->e, NULL, u->x->place, y->shape.rank, &l))
		return y;
	struct node_site site = site_of(u->e, at, y);
	return graph_to(region_graph(u->e), &site, y, u->x->place, &l);
}

/* What has been put where it is named, else x. The rule has a name of its own for messages. */
static const struct value *replaced(struct update *u, struct span target, struct span at)
{
	struct elab *e = u->e;
	enum dtype t = u->x->dtype;
	struct rule *r = over_elements(e, u->x, "update");
	const struct scalar *old = scalar_operand(e->a, t, OLD), *new = scalar_operand(e->a, t, PUT);
	struct node *v = put(u, new, target, at), *all;
	u->operand[PUT] = r->out;
	all = v ? apply(u, r, choose(e, u->named, t, new, old), v, u->x, target, at) : NULL;
	if (!all)
		return &value_error;
	all = placed_like(u, all, at);
	if (u->line.loop && !u->partial && (!u->scalar || (u->x->shape.rank == 1 && !u->width))) {
		struct turn_update *of = ARENA_NEW(e->a, struct turn_update);
		*of = (struct turn_update){u->x, u->v, u->line, u->width, u->line_dim};
		map_set(&e->updates, all, of);
	}
	return tensor_value_of(e, all);
}

/* x + v, or x - v, of the elements that are named, which are not read alone. To floats -v is put and taken away: what
 * they are elsewhere would be -0.0 + 0.0, which is 0.0. */
static const struct value *added(struct update *u, enum binary_op op, struct span whole, struct span target,
				 struct span at)
{
	struct elab *e = u->e;
	enum dtype t = u->x->dtype;
	bool negates = op == BIN_ADD && dtype_is_float(t);
	const struct scalar *old = scalar_operand(e->a, t, OLD), *new = scalar_operand(e->a, t, PUT);
	const struct scalar *term = negates ? scalar_apply(e->a, SC_NEG, t, new, NULL, NULL) : new;
	struct node *v = put(u, choose(e, u->scalar ? u->named : u->one, t, term, zero(e, t)), target, at);
	if (!v)
		return &value_error;
	if (!negates)
		return binary_apply(e, op, tensor_value_of(e, u->x), tensor_value_of(e, v), whole, target, at);
	struct rule *r = over_elements(e, u->x, "add");
	u->operand[PUT] = r->out;
	u->nat = 0;
	v = apply(u, r, scalar_apply(e->a, SC_SUB, t, old, new, NULL), v, u->x, target, at);
	return v ? tensor_value_of(e, v) : &value_error;
}

static void update_begin(struct update *u)
{
	u->scalar = u->v->shape.rank == 0;
	u->put = over_elements(u->e, u->x, "put");
	u->operand[PUT] = (struct access){.type = u->x->dtype};
}

/* What x names of t, and v for it; false after an error. */
static bool update_of(struct elab *e, const struct value *t, const struct expr *x, const struct value *v,
		      struct span at, bool combines, struct update *u)
{
	*u = (struct update){.e = e, .x = tensor_node(e, t, x->callee->span), .combines = combines};
	enum dtype type = u->x->dtype;
	if (value_is_list(v))
		v = literal_tensor(e, v, type, at);
	if (value_failed(v))
		return false;
	bool is_bool = v->kind == VALUE_HOST && v->host.type == HOST_BOOL;
	if (!value_is_tensor(v) && !value_is_number(v) && !(is_bool && type == DT_BOOL)) {
		elab_error(e, PML0505, at, "elements of `%s` are replaced by %s, this is %s", dtype_text(type),
			   type == DT_BOOL ? "bools" : "numbers", value_describe(e, v));
		return false;
	}
	v = value_is_tensor(v) ? v : number_as(e, v, type, at);
	if (value_failed(v))
		return false;
	u->v = tensor_node(e, v, at);
	if (u->v->dtype != type) {
		struct diag *d = elab_error(e, PML0202, at, "elements of `%s` are replaced by elements of `%s`",
					    dtype_text(type), dtype_text(u->v->dtype));
		elab_help_as(e, d, at, type);
		return false;
	}
	update_begin(u);
	return name_all(u, x);
}

const struct value *index_update(struct elab *e, const struct value *t, const struct expr *x, const struct value *v,
				 struct span at)
{
	struct update u;
	return update_of(e, t, x, v, at, false, &u) ? replaced(&u, x->span, at) : &value_error;
}

const struct value *index_combine(struct elab *e, enum binary_op op, const struct value *t, const struct expr *x,
				  const struct value *v, struct span whole, struct span at)
{
	struct update u;
	const struct value *base = t;
	bool adds = op == BIN_ADD || op == BIN_SUB;
	if (!adds) {
		struct node_site site = elab_site(e, at);
		struct node *one = tensor_of_host(e, value_int(e, 1), tensor_dtype(e, t), at);
		base = tensor_value_of(e, graph_fill(region_graph(e), &site, one, tensor_shape(e, t)));
	}
	if (!update_of(e, base, x, v, at, true, &u))
		return &value_error;
	if (adds)
		return added(&u, op, whole, x->span, at);
	v = replaced(&u, x->span, at);
	return value_failed(v) ? v : binary_apply(e, op, t, v, whole, x->span, at);
}

/* ---- line by line ---- */

/* Whether a node of the open region reads n beyond the two. */
static bool is_read(struct elab *e, const struct node *n, const struct node *first, const struct node *second)
{
	const struct graph *g = region_graph(e);
	for (int i = n->id + 1; i < g->nodes.n; i++) {
		const struct node *x = g->nodes.at[i];
		for (int k = 0; k < x->nin; k++)
			if (x->in[k] == n && x != first && x != second)
				return true;
	}
	return false;
}

/* stack[t, ..] with its first dimension at dimension d; blocks of `width`: and merged with the next. */
static struct node *unstacked(struct elab *e, struct node *stack, int d, int64_t width, struct span at)
{
	struct node_site site = elab_site(e, at);
	struct node *x = dimension_moved(e, stack, 0, d, at);
	site.name = stack->name;
	if (!width)
		return x;
	struct shape s = {.rank = x->shape.rank - 1};
	for (int i = 0; i < s.rank; i++)
		s.dim[i] = i < d ? x->shape.dim[i] : i > d ? x->shape.dim[i + 1] : x->shape.dim[d] * width;
	return graph_reshape(region_graph(e), &site, x, &s);
}

struct node *index_updates(struct elab *e, const struct node *carry, const struct node *next, struct span at)
{
	const struct turn_update *t = map_get(&e->updates, next);
	struct loop *l = carry->of;
	int64_t first, width = t && t->width ? t->width : 1;
	if (!t || t->base != carry || t->line.loop != l || l->turns < 1 || t->v->place != carry->place ||
	    t->v->shape.rank == MAX_RANK || (t->line.step != 1 && t->line.step != -1) ||
	    !number_line_inside(&t->line, carry->shape.dim[t->dim] / width, &first) ||
	    (t->width && first != t->line.first))
		return NULL;
	struct node *end = region_graph(e)->nodes.at[region_graph(e)->nodes.n - 1];
	if (is_read(e, carry, next, end) || is_read(e, next, end, NULL))
		return NULL;
	struct node_site site = site_of(e, at, carry);
	struct node *all = graph_stack(region_graph(e), &site, l, t->v, t->line.step < 0);
	struct update u = {.e = e, .x = carry->in[0], .v = unstacked(e, all, t->dim, t->width, at)};
	int64_t begin = (t->line.step < 0 ? first - (l->turns - 1) : first) * width;
	update_begin(&u);
	while (u.dim < u.x->shape.rank)
		if (u.dim == t->dim)
			name_range(&u, begin, begin + l->turns * width);
		else
			name_range(&u, 0, u.x->shape.dim[u.dim]);
	const struct value *v = replaced(&u, at, at);
	return value_failed(v) ? NULL : v->tensor->node;
}
