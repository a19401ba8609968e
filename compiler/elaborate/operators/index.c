/* index.c — `x[i]`, `x[1..5, .., 0]`, `table[ids]`: elements, slices and lookups. Each is one rule: a known index is an
 * offset, a slice an offset factor, an index computed at run time or held in a tensor is data. */
#include "operators.h"

#include <string.h>

enum { MAX_INDICES = MAX_RANK + 1 };

/* A rule under construction, and the dimension of x it has come to. */
struct lookup {
	struct elab *e;
	struct rule *rule;
	struct access operand[MAX_GIVEN_OPERANDS]; /* of the rule */
	struct node *in[MAX_OPERANDS];
	struct span spans[MAX_OPERANDS];
	int dim;
	int taken;      /* dimension that is taken line by line, behind which the others are counted; MAX_RANK: none */
	bool looked_up; /* an index is data */
	bool listed;    /* one was a tensor of several, whose dimensions stand in the place of the one it indexes */
	bool failed;
};

static int add_factor(struct lookup *l, int64_t extent)
{
	static const char *const names[MAX_FACTORS] = {"i", "j", "k", "l", "m", "n", "o", "p",
						       "q", "r", "s", "t", "u", "v", "w", "x"};
	struct rule *r = l->rule;
	if (r->nfactors == MAX_FACTORS || r->out.rank == MAX_RANK) {
		if (!l->failed)
			elab_error(l->e, PML0606, l->spans[0], "the result has more than %d dimensions", (int)MAX_RANK);
		l->failed = true;
		return 0;
	}
	int f = r->nfactors++;
	r->factor[f] = (struct factor){names[f], extent};
	r->out.dim[r->out.rank] = extent;
	r->out.index[r->out.rank++] = (struct index){.nterms = 1, .term = {{f, 1}}, .div = 1, .data = -1};
	return f;
}

static void take_range(struct lookup *l, int64_t begin, int64_t end)
{
	struct index ix = {.nterms = 1, .offset = begin, .div = 1, .data = -1};
	ix.term[0].factor = add_factor(l, end - begin);
	ix.term[0].coef = 1;
	l->operand[0].index[l->dim++] = ix;
}

static int add_operand(struct lookup *l, struct node *n, struct span at)
{
	struct rule *r = l->rule;
	if (r->noperands == MAX_GIVEN_OPERANDS) {
		elab_error(l->e, PML0606, at, "too many indices are computed at run time");
		l->failed = true;
		return 0;
	}
	l->in[r->noperands] = n;
	l->spans[r->noperands] = at;
	l->operand[r->noperands] = (struct access){.type = n->dtype, .rank = n->shape.rank};
	return r->noperands++;
}

/* As the program counts dimensions. */
static int dim_of(const struct lookup *l)
{
	return l->dim + (l->dim >= l->taken);
}

/* The dimensions of n stand in the place of the one it indexes. */
static void take_data(struct lookup *l, struct node *n, struct span at)
{
	int operand = add_operand(l, n, at);
	l->looked_up |= n->shape.rank > 0;
	for (int d = 0; d < n->shape.rank && !l->failed; d++) {
		int f = add_factor(l, n->shape.dim[d]);
		l->operand[operand].dim[d] = n->shape.dim[d];
		l->operand[operand].index[d] = (struct index){.nterms = 1, .term = {{f, 1}}, .div = 1, .data = -1};
	}
	l->operand[0].index[l->dim++] = (struct index){.div = 1, .data = operand, .guarded = true};
}

/* An index has ints, and is the only one that has several. */
static bool is_index(struct lookup *l, const struct node *n, struct span at)
{
	if (n->shape.rank > 0 && l->listed) {
		struct diag *d =
			elab_error(l->e, PML0901, at, "several indices that are tensors are not supported yet");
		diag_help(d, "say it in index notation: `let y[n] = x[i[n], j[n]];`");
		return false;
	}
	if (dtype_is_int(n->dtype))
		return true;
	struct diag *d = elab_error(l->e, PML0202, at, "an index is an int, this tensor has `%s` elements",
				    dtype_text(n->dtype));
	if (dtype_kind(n->dtype) == DTYPE_BOOL) {
		diag_help(d, "elements that a condition chooses keep their places: `where(condition, x, 0.0)`");
	} else if (!elab_in_library(l->e)) {
		diag_help(d, "convert it, which rounds towards 0: `as i32`");
		elab_edit_as(l->e, d, at, DT_I32);
	}
	return false;
}

static void take_tensor(struct lookup *l, const struct value *v, struct span at)
{
	struct node *n = tensor_node(l->e, v, at);
	int64_t extent = l->rule->operand[0].dim[l->dim];
	if (!is_index(l, n, at)) {
		l->failed = true;
		return;
	}
	l->listed |= n->shape.rank > 0;
	if (!v->may_miss)
		n = check_indices(l->e, n, extent, !n->shape.rank, check_range(l->e, l->in[0]->name, dim_of(l), extent),
				  at);
	take_data(l, n, at);
}

static void out_of_range(struct elab *e, int64_t i, int dim, int64_t extent, struct span at)
{
	elab_error(e, PML0210, at, "index %lld is out of range, dimension %d has %lld elements", (long long)i, dim,
		   (long long)extent);
}

bool index_waits(const struct elab *e, int64_t i, int64_t extent)
{
	return (i < -extent || i >= extent) && elab_may_never_come(e);
}

bool index_known(struct elab *e, int64_t i, int dim, int64_t extent, struct span at, int64_t *out)
{
	*out = i < 0 ? i + extent : i;
	if (*out >= 0 && *out < extent)
		return true;
	out_of_range(e, i, dim, extent, at);
	return false;
}

bool index_leaves(struct elab *e, const struct value *v, int64_t width, bool wraps, int dim, int64_t extent,
		  struct span at)
{
	int64_t i;
	if (v->may_miss || e->guard || !number_leaves(e, v, wraps ? -extent : 0, extent - width + 1, &i))
		return false;
	out_of_range(e, i < 0 ? i : i + width - 1, dim, extent, at);
	return true;
}

static void take_int(struct lookup *l, const struct value *v, int64_t extent, struct span at)
{
	int64_t i;
	if (index_leaves(l->e, v, 1, true, l->dim, extent, at))
		l->failed = true;
	else if (!v->host.known || v->may_miss || index_waits(l->e, v->host.i, extent)) {
		const struct value *t = tensor_value_of(l->e, tensor_of_host(l->e, v, DT_I64, at));
		const struct guard *guard = l->e->guard;
		if (number_is_within(l->e, v, -extent, extent - 1))
			l->e->guard = NULL; /* the index of a line of turns stays one */
		take_tensor(l, v->may_miss ? value_that_may_miss(l->e, t) : t, at);
		l->e->guard = guard;
	} else if (index_known(l->e, v->host.i, l->dim, extent, at, &i))
		l->operand[0].index[l->dim++] = (struct index){.offset = i, .div = 1, .data = -1};
	else
		l->failed = true;
}

static void take_slice(struct lookup *l, const struct slice *s, int64_t extent, struct span at)
{
	if (!s->from) {
		take_range(l, s->begin, s->begin + s->width);
		return;
	}
	struct node *begin = slice_begin(l->e, s, l->in[0]->name, dim_of(l), extent, at);
	take_data(l, slice_places(l->e, begin, s->width, false, at), at);
}

bool index_is_rest(const struct arg *a)
{
	return a->value && a->value->kind == EXPR_RANGE && !a->value->lhs && !a->value->rhs;
}

/* What an index says. */
struct position {
	const struct value *v; /* NULL: a slice, or `..` */
	struct slice slice;
	bool failed;
};

static void take_index(struct lookup *l, const struct arg *a, const struct position *p, const struct shape *s)
{
	const struct value *v = p->v;
	if (!a->value || a->name.text) {
		elab_error(l->e, PML0204, a->span, "this is not an index of a tensor");
		l->failed = true;
		return;
	}
	if (a->value->kind == EXPR_RANGE) {
		l->failed |= p->failed;
		if (!p->failed)
			take_slice(l, &p->slice, s->dim[l->dim], a->value->span);
		return;
	}
	if (value_is_list(v))
		v = literal_tensor(l->e, v, literal_natural_type(l->e, v), a->span);
	if (value_is_tensor(v))
		take_tensor(l, v, a->span);
	else if (v->kind == VALUE_HOST && v->host.type == HOST_INT)
		take_int(l, v, s->dim[l->dim], a->span);
	else {
		if (!value_failed(v)) {
			struct diag *d = elab_error(l->e, PML0204, a->span,
						    "an index is an int, a range or an int tensor, this is %s",
						    value_describe(l->e, v));
			elab_help_int(l->e, d, v, a->span);
			if (v->kind == VALUE_NONE)
				diag_help(d, "`unsqueeze(x, dim = d)` adds a dimension of one element");
			elab_help_sort(l->e, d, v, a->span);
		}
		l->failed = true;
	}
}

bool index_count(struct elab *e, const struct expr *x, const struct shape *s, int *rest)
{
	int rests = 0;
	for (int i = 0; i < x->args.n; i++)
		rests += index_is_rest(&x->args.at[i]);
	int named = x->args.n - rests;
	*rest = s->rank - named;
	if (rests > 1 && *rest == rests) {
		*rest = 1;
		return s->rank <= MAX_RANK;
	}
	if (rests > 1) {
		struct diag *d = elab_error(e, PML0210, x->span,
					    "a tensor of %d dimension%s has here %d ind%s and %d times `..`", s->rank,
					    s->rank == 1 ? "" : "s", named, named == 1 ? "ex" : "ices", rests);
		diag_note(d, "one `..` stands for all dimensions that are left; several stand for one dimension each");
		return false;
	}
	if (*rest >= 0 && s->rank <= MAX_RANK)
		return true;
	elab_error(e, PML0211, x->span, "a tensor of %d dimension%s has here %d ind%s", s->rank,
		   s->rank == 1 ? "" : "s", named, named == 1 ? "ex" : "ices");
	return false;
}

/* Whether nothing is left out. */
static bool is_whole(const struct rule *r)
{
	bool whole = r->noperands == 1;
	for (int d = 0; d < r->operand[0].rank; d++)
		whole = whole && r->operand[0].index[d].nterms == 1 && r->operand[0].index[d].offset == 0 &&
			r->factor[r->operand[0].index[d].term[0].factor].extent == r->operand[0].dim[d];
	return whole;
}

static struct position *positions_of(struct elab *e, const struct expr *x, const struct shape *s, int rest)
{
	struct position *p = ARENA_ARRAY(e->a, struct position, x->args.n + 1);
	for (int i = 0, d = 0; i < x->args.n; i++) {
		const struct arg *a = &x->args.at[i];
		bool is_rest = index_is_rest(a);
		if (a->value && !a->name.text && a->value->kind != EXPR_RANGE)
			p[i].v = expr_eval(e, a->value);
		else if (a->value && !a->name.text && !is_rest)
			p[i].failed = !slice_eval(e, a->value, d, s->dim[d], &p[i].slice);
		d += is_rest ? rest : 1;
	}
	return p;
}

/* Where the first index that counts the turns of a loop is taken line by line, or block by block, the line; *arg: which
 * one that is. */
static struct node *take_line(struct lookup *l, struct node *n, const struct expr *x, const struct position *p,
			      int rest, int *arg)
{
	for (int i = 0, d = 0; i < x->args.n; i++) {
		struct node *line = NULL;
		struct span at = x->args.at[i].span;
		if (p[i].v && !p[i].v->may_miss)
			line = line_of_tensor(l->e, n, d, p[i].v, x->span);
		else if (!p[i].v && p[i].slice.from && !p[i].failed)
			line = line_of_slice(l->e, n, d, &p[i].slice, at);
		if (line) {
			*arg = i;
			l->taken = p[i].v ? d : MAX_RANK;
			return line;
		}
		d += index_is_rest(&x->args.at[i]) ? rest : 1;
	}
	return n;
}

/* Rows may be taken more often than a tensor has them. */
static bool result_is_counted(struct elab *e, const struct access *out, struct span at)
{
	struct shape s = {.rank = out->rank};
	memcpy(s.dim, out->dim, sizeof s.dim);
	if (shape_volume(&s) >= 0)
		return true;
	elab_error(e, PML0207, at, "what is taken here has more elements than can be counted");
	return false;
}

const struct value *index_tensor(struct elab *e, const struct value *t, const struct expr *x)
{
	struct node *n = tensor_node(e, t, x->callee->span);
	struct lookup l = {.e = e, .rule = ARENA_NEW(e->a, struct rule), .taken = MAX_RANK};
	int rest, taken = -1;
	if (!index_count(e, x, &n->shape, &rest))
		return &value_error;
	const struct position *p = positions_of(e, x, &n->shape, rest);
	const char *name = n->name;
	n = take_line(&l, n, x, p, rest, &taken);
	if (taken >= 0 && x->args.n == 1)
		return tensor_value_of(e, n);
	if (taken >= 0)
		n->name = name;
	struct rule *r = l.rule;
	r->operand = l.operand;
	add_operand(&l, n, x->callee->span);
	memcpy(l.operand[0].dim, n->shape.dim, sizeof n->shape.dim);
	for (int i = 0; i < x->args.n && !l.failed; i++) {
		if (i == taken && p[i].v)
			continue;
		if (i == taken)
			take_range(&l, 0, n->shape.dim[l.dim]);
		else if (!index_is_rest(&x->args.at[i]))
			take_index(&l, &x->args.at[i], &p[i], &n->shape);
		else
			for (int k = 0; k < rest; k++)
				take_range(&l, 0, n->shape.dim[l.dim]);
	}
	while (l.dim < n->shape.rank && !l.failed)
		take_range(&l, 0, n->shape.dim[l.dim]);
	if (l.failed || !tensor_same_place(e, r->noperands, l.in, l.spans, x->span, true) ||
	    !result_is_counted(e, &r->out, x->span))
		return &value_error;
	if (taken >= 0 && is_whole(r))
		return tensor_value_of(e, n);
	r->name = l.looked_up ? "embed" : "slice";
	r->out.type = n->dtype;
	r->body = scalar_operand(e->a, n->dtype, 0);
	const char *wrong = rule_check(e->a, r);
	BUG_IF(wrong, "index rule: %s", wrong);
	struct node_site site = elab_site(e, x->span);
	return tensor_value_of(e, graph_map(region_graph(e), &site, r, l.in));
}

/* ---- datasets, gradients ---- */

static const struct value *slice_dataset(struct elab *e, const struct value *v, const struct expr *x)
{
	const struct expr *r = x->args.n == 1 ? x->args.at[0].value : NULL;
	if (!r || r->kind != EXPR_RANGE || !r->lhs || !r->rhs) {
		elab_error(e, PML0204, x->span, "rows of a dataset are taken by a range: `data[0..1000]`");
		return &value_error;
	}
	const struct value *from = expr_eval(e, r->lhs), *to = expr_eval(e, r->rhs);
	if (from->kind != VALUE_HOST || to->kind != VALUE_HOST || from->host.type != HOST_INT ||
	    to->host.type != HOST_INT) {
		if (!value_failed(from) && !value_failed(to))
			elab_error(e, PML0204, r->span, "rows are counted with ints");
		return &value_error;
	}
	struct host_expr *args[4] = {v->dataset->handle, host_of(e, &from->host), host_of(e, &to->host),
				     host_int(e, elab_site_id(e, x->span, "rows of a dataset"))};
	const struct value *h =
		host_freeze(e, value_expr(e, host_call(e, "data_slice", HOST_HANDLE, x->span, 4, args)), NULL, x->span);
	struct dataset *d = ARENA_NEW(e->a, struct dataset);
	*d = *v->dataset;
	d->handle = host_of(e, &h->host);
	struct value *out = value_new(e, VALUE_DATASET);
	out->dataset = d;
	return out;
}

/* The derivative by a param. */
static const struct value *derivative_by(struct elab *e, const struct value *g, const struct value *param,
					 struct span at)
{
	const struct value *d = gradient_by(e, g, param, at);
	if (d)
		return d;
	elab_error(e, PML0216, at, "the gradient has no part for `%s`", e->p->slots.at[param->slot]->name);
	return &value_error;
}

/* `g[head]`, where `head` is a struct of params. */
static void report_struct(struct elab *e, const struct value *v, const struct expr *x, struct span by)
{
	struct diag *d = elab_error(e, PML0204, by, "`g[p]` is the derivative by a param, this is %s of several",
				    value_describe(e, v));
	diag_help(d, "the derivatives by all of them are a part of the gradient, named like them");
	diag_edit(d, (struct span){by.file, by.begin - 1, by.begin}, ".");
	diag_edit(d, (struct span){by.file, x->span.end - 1, x->span.end}, "");
}

/* `g[0..3]`, `g[i, j]`: as if it were the derivative by its one param. */
static void report_elements(struct elab *e, const struct value *g, const struct expr *x)
{
	struct diag *d = elab_error(e, PML0204, x->span, "a gradient has parts, no elements");
	if (g->gradient.n == 1)
		diag_help(d, "write `.%s` before the index for the derivative by that param", g->gradient.at[0].name);
	else
		diag_help(d, "write `g.w` for the derivative by param `w`, which has elements");
	diag_note(d, "of a function whose arguments are params `wrt = 0` gives derivatives by the arguments");
}

/* `g[p]` by a param, `g.blocks[0]` by position, which may be one that the running program says. */
static const struct value *index_gradient(struct elab *e, const struct value *g, const struct expr *x)
{
	const struct expr *by = x->args.n == 1 ? x->args.at[0].value : NULL;
	const struct value *v = by && by->kind != EXPR_RANGE ? expr_eval(e, by) : &value_none;
	int64_t i;
	if (value_failed(v))
		return v;
	if (v->kind == VALUE_NONE) {
		report_elements(e, g, x);
		return &value_error;
	}
	if (v->kind == VALUE_PARAM)
		return derivative_by(e, g, v, x->span);
	if (v->kind == VALUE_HOST && v->host.type == HOST_TEXT) {
		struct diag *d = elab_error(e, PML0204, x->span, "parts of a gradient are named by fields");
		diag_help(d, "write `g.w` for the derivative by param `w`");
		return &value_error;
	}
	if (v->kind == VALUE_STRUCT) {
		report_struct(e, v, x, by->span);
		return &value_error;
	}
	const struct value *one = value_is_unknown_int(e, v) && !e->turns ? gradient_element(e, g, x) : NULL;
	if (one)
		return one;
	return index_position(e, x, gradient_elements(e, g), "elements", &i)
		       ? gradient_part(e, g, elab_intern(e, "%lld", (long long)i), x->span)
		       : &value_error;
}

const struct value *expr_index(struct elab *e, const struct expr *x)
{
	const struct value *v = expr_eval(e, x->callee);
	int64_t i;
	switch (v->kind) {
	case VALUE_ERROR:
		return v;
	case VALUE_TENSOR:
	case VALUE_PARAM:
		return index_tensor(e, v, x);
	case VALUE_PLACE:
		return place_index(e, v->place, x);
	case VALUE_TUPLE:
	case VALUE_LIST:
		return sequence_is_sliced(x) ? sequence_slice(e, v, x) : index_list(e, v, x);
	case VALUE_SHAPE:
		if (sequence_is_sliced(x))
			return sequence_slice(e, v, x);
		return index_position(e, x, v->shape.rank, "dimensions", &i) ? value_int(e, v->shape.dim[i])
									     : &value_error;
	case VALUE_DATASET:
		return slice_dataset(e, v, x);
	case VALUE_GRADIENT:
		return index_gradient(e, v, x);
	case VALUE_STRUCT_TYPE:
		return struct_type_index(e, v, x);
	case VALUE_HOST:
		if (v->host.type == HOST_TEXT)
			return text_index(e, v, x);
		break;
	case VALUE_NONE:
	case VALUE_NAMES:
	case VALUE_LAYOUT:
	case VALUE_DTYPE:
	case VALUE_RANGE:
	case VALUE_STRUCT:
	case VALUE_FUNCTION:
	case VALUE_BUILTIN:
	case VALUE_DERIVED:
	case VALUE_BATCHES:
		break;
	}
	struct diag *d = elab_error(e, PML0208, x->span, "%s has no elements", value_describe(e, v));
	elab_help_sort(e, d, v, x->callee->span);
	return &value_error;
}
