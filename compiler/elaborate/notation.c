/* notation.c — index notation: from a call of an op, or `let q[i, j] = sum[k] a[i, k] * b[k, j]`, to a node.
 *
 * First every factor gets its extent: from the operands' dimensions it stands at alone, from attributes of its name
 * (`op iota(n: int) -> [n] = n`), then from windows (`x[y + p]`: y has what p leaves of x). Then the rule is built. */
#include "notation.h"

#include <string.h>

void notation_fail(struct notation *n)
{
	n->failed = true;
}

int notation_factor(const struct notation *n, const char *name)
{
	for (int i = 0; i < n->nfactors; i++)
		if (n->factor[i].name == name)
			return i;
	return -1;
}

int notation_add_factor(struct notation *n, const char *name)
{
	int f = notation_factor(n, name);
	if (f >= 0)
		return f;
	if (n->nfactors == MAX_FACTORS) {
		if (!n->failed)
			elab_error(n->e, PML0606, n->at, "`%s` has more than %d factors", n->name, (int)MAX_FACTORS);
		notation_fail(n);
		return 0;
	}
	n->factor[n->nfactors] = (struct noted_factor){.name = name, .extent = -1};
	return n->nfactors++;
}

struct noted_param *notation_param(struct notation *n, const char *name)
{
	for (int i = 0; i < n->nparams; i++)
		if (n->param[i].decl->name.text == name)
			return &n->param[i];
	return NULL;
}

void notation_unify(struct notation *n, int f, int64_t extent, struct span at, const char *from)
{
	struct noted_factor *k = &n->factor[f];
	if (k->extent < 0) {
		k->extent = extent;
		k->span = at;
		k->from = from;
		return;
	}
	if (k->extent == extent || n->failed)
		return;
	struct diag *d = elab_error(n->e, PML0201, n->at, "sizes of `%s` do not fit: `%s` is %lld and %lld", n->name, k->name,
	                            (long long)k->extent, (long long)extent);
	diag_label(d, k->span, "%s is %lld", k->from, (long long)k->extent);
	diag_label(d, at, "%s is %lld", from, (long long)extent);
	notation_fail(n);
}

/* ---- `..` ---- */

static const char *rest_name(struct notation *n, int i)
{
	return elab_intern(n->e, "..%d", i);
}

static void note_rest(struct notation *n, int count)
{
	/* Factors of `..` are numbered from the last dimension, which is where operands align. */
	for (; n->nrest < count && !n->failed; n->nrest++) {
		int f = notation_add_factor(n, rest_name(n, n->nrest));
		memmove(n->rest + 1, n->rest, sizeof *n->rest * (size_t)n->nrest);
		n->rest[0] = f;
	}
}

/* Dimensions of extent 1 fit any other. */
static void unify_rest(struct notation *n, int f, int64_t extent, struct span at, const char *from)
{
	struct noted_factor *k = &n->factor[f];
	if (k->extent == 1 && extent != 1)
		k->extent = -1;
	if (extent == 1 && k->extent >= 0)
		return;
	notation_unify(n, f, extent, at, from);
}

bool notation_position(struct notation *n, const struct index_list *l, int rank, int dim, struct position *out)
{
	int rest = index_list_rest(l), extra = rest < 0 ? 0 : rank - (l->n - 1);
	if (n->has_dim && rest == 0 && l->n == 2) {
		int64_t d = n->dim < 0 ? n->dim + rank : n->dim;
		*out = (struct position){dim == d ? 1 : 0, dim < d ? dim : dim - 1};
		return true;
	}
	if (rest < 0 || dim < rest)
		*out = (struct position){dim, 0};
	else if (dim < rest + extra)
		*out = (struct position){rest, dim - rest};
	else
		*out = (struct position){dim - extra + 1, 0};
	return true;
}

void notation_extents(struct notation *n, const struct index_list *l, const struct shape *s, struct span at, const char *what)
{
	int rest = index_list_rest(l), extra = rest < 0 ? 0 : s->rank - (l->n - 1);
	if (extra < 0 || (rest < 0 && s->rank != l->n)) {
		if (!n->failed)
			elab_error(n->e, PML0211, at, "%s has %d dimension%s, `%s` wants %s%d", what, s->rank, s->rank == 1 ? "" : "s", n->name,
			           rest < 0 ? "" : "at least ", rest < 0 ? l->n : l->n - 1);
		notation_fail(n);
		return;
	}
	note_rest(n, extra);
	for (int d = 0; d < s->rank && !n->failed; d++) {
		struct position p;
		notation_position(n, l, s->rank, d, &p);
		const char *from = arena_printf(n->e->a, "dimension %d of %s", d, what);
		const struct expr *x = l->at[p.item].x;
		if (p.item == rest)
			unify_rest(n, n->rest[n->nrest - extra + p.rest], s->dim[d], at, from);
		else if (x->kind == EXPR_NAME && notation_factor(n, x->name.text) >= 0)
			notation_unify(n, notation_factor(n, x->name.text), s->dim[d], at, from);
	}
}

/* y + p over a dimension of n: y takes what the largest p leaves. */
static void solve_window(struct notation *n, const struct index *ix, int64_t dim)
{
	int64_t top = ix->offset;
	int unknown = -1;
	for (int i = 0; i < ix->nterms; i++) {
		int64_t extent = n->factor[ix->term[i].factor].extent;
		if (extent < 0 && unknown >= 0)
			return;
		if (extent < 0)
			unknown = i;
		else if (ix->term[i].coef > 0)
			top += ix->term[i].coef * (extent - 1);
	}
	if (unknown < 0 || ix->term[unknown].coef <= 0)
		return;
	int64_t room = dim * ix->div - 1 - top, coef = ix->term[unknown].coef;
	struct noted_factor *k = &n->factor[ix->term[unknown].factor];
	k->extent = room < 0 ? 0 : room / coef + 1;
	k->span = n->at;
	k->from = "the window";
}

void notation_windows(struct notation *n, const struct index_list *l, const struct shape *s)
{
	int rest = index_list_rest(l);
	for (int d = 0; d < s->rank && !n->failed; d++) {
		struct position p;
		notation_position(n, l, s->rank, d, &p);
		const struct expr *x = l->at[p.item].x;
		if (p.item == rest || x->kind == EXPR_NAME || notation_is_tensor(n, x))
			continue;
		struct index ix;
		if (notation_linear(n, x, &ix))
			solve_window(n, &ix, s->dim[d]);
	}
}

/* ---- ops ---- */

static const struct expr *strip_extent(const struct expr *x)
{
	return x->kind == EXPR_BINARY && x->op == BIN_LT ? x->lhs : x;
}

/* Whether a name stands alone in a list of dims. */
static bool stands_in_dims(const struct ast_dim *dims, int count, const char *name)
{
	for (int i = 0; i < count; i++) {
		const struct expr *x = dims[i].expr ? strip_extent(dims[i].expr) : NULL;
		if (x && x->kind == EXPR_NAME && x->name.text == name)
			return true;
	}
	return false;
}

static bool is_reduced(const struct expr *x, const char *name)
{
	for (int i = 0; x->kind == EXPR_REDUCE && i < x->reduce.factors.n; i++)
		if (x->reduce.factors.at[i].text == name)
			return true;
	return false;
}

/* Names that stand alone in an operand's dims are factors. */
static void note_dim_factors(struct notation *n, const struct ast_dim *dims, int count)
{
	for (int i = 0; i < count; i++)
		if (dims[i].form == DIM_EXPR && dims[i].expr->kind == EXPR_NAME)
			notation_add_factor(n, dims[i].expr->name.text);
}

static void note_names(struct notation *n, const struct expr *x)
{
	if (x->kind == EXPR_NAME && !notation_param(n, x->name.text) && !env_find(n->e, x->name.text))
		notation_add_factor(n, x->name.text);
	else if (x->kind == EXPR_BINARY && x->op != BIN_LT) {
		note_names(n, x->lhs);
		note_names(n, x->rhs);
	} else if (x->kind == EXPR_BINARY)
		note_names(n, x->lhs);
}

static void note_reduced(struct notation *n, const struct expr *x);

static void note_reduced_args(struct notation *n, const struct expr *x)
{
	for (int i = 0; i < x->args.n; i++)
		if (x->args.at[i].value)
			note_reduced(n, x->args.at[i].value);
}

/* Factors of every reduction in the body. */
static void note_reduced(struct notation *n, const struct expr *x)
{
	switch (x->kind) {
	case EXPR_REDUCE:
		for (int i = 0; i < x->reduce.factors.n; i++)
			notation_add_factor(n, x->reduce.factors.at[i].text);
		note_reduced(n, x->reduce.body);
		break;
	case EXPR_UNARY: note_reduced(n, x->rhs); break;
	case EXPR_BINARY:
		note_reduced(n, x->lhs);
		note_reduced(n, x->rhs);
		break;
	case EXPR_CALL:
	case EXPR_INDEX: note_reduced_args(n, x); break;
	case EXPR_AS: note_reduced(n, x->as.value); break;
	case EXPR_IF:
		note_reduced(n, x->cond.cond);
		note_reduced(n, x->cond.then);
		note_reduced(n, x->cond.other);
		break;
	case EXPR_INT: case EXPR_FLOAT: case EXPR_STRING: case EXPR_BOOL: case EXPR_NAME: case EXPR_FIELD:
	case EXPR_RANGE: case EXPR_TUPLE: case EXPR_LIST: case EXPR_TO: case EXPR_BLOCK: case EXPR_PLACE: break;
	}
}

/* Attributes are values; one whose name is used as a factor gives that factor's extent. */
static void note_attribute(struct notation *n, struct noted_param *p)
{
	struct item *op = n->op;
	const char *name = p->decl->name.text;
	bool factor = stands_in_dims(op->out_dims.at, op->out_dims.n, name) || is_reduced(op->value, name);
	if (factor && p->value->kind == VALUE_HOST && p->value->host.type == HOST_INT && p->value->host.known) {
		if (p->value->host.i < 0) {
			elab_error(n->e, PML0207, p->span, "the size `%s` of `%s` is negative", name, n->name);
			notation_fail(n);
		}
		notation_unify(n, notation_add_factor(n, name), p->value->host.i, p->span, "the argument");
	} else if (factor) {
		elab_error(n->e, PML0205, p->span, "`%s` of `%s` is a size known when compiling", name, n->name);
		notation_fail(n);
	} else if (p->value->kind == VALUE_SHAPE) {
		note_rest(n, p->value->shape.rank);
		for (int i = 0; i < p->value->shape.rank && !n->failed; i++)
			notation_unify(n, n->rest[i], p->value->shape.dim[i], p->span, "the shape");
	}
}

static void note_operand_type(struct notation *n, struct noted_param *p)
{
	if (!p->decl->type || !p->node)
		return;
	const char *want = p->decl->type->name.text;
	enum dtype t = p->node->dtype;
	enum dtype_kind k = dtype_kind(t);
	bool fits = strcmp(want, "float") == 0 ? k == DTYPE_FLOAT
	            : strcmp(want, "int") == 0 ? k == DTYPE_INT || k == DTYPE_UINT
	            : strcmp(want, "number") == 0 ? k != DTYPE_BOOL
	            : strcmp(want, "rngkey") == 0 ? t == DT_U64
	                                          : dtype_of_text(want) == t;
	if (fits)
		return;
	struct diag *d = elab_error(n->e, PML0202, p->span, "`%s` of `%s` has %s elements, this has %s", p->decl->name.text, n->name,
	                            want, dtype_text(t));
	diag_label(d, p->decl->span, "declared here");
	notation_fail(n);
}

/* `a[]` and `a[..]` take a scalar. */
static bool fits_scalar(const struct param *p)
{
	return p->dims.n == 0 || (p->dims.n == 1 && p->dims.at[0].form == DIM_REST);
}

/* Gives tensors their node. Host scalars stay: they take the type of what they meet, unless they must be an operand. */
static void note_param(struct notation *n, struct noted_param *p)
{
	const struct value *v = p->value;
	if (!p->decl->has_dims) {
		note_attribute(n, p);
		return;
	}
	if (value_is_tensor(v))
		p->node = tensor_node(n->e, v, p->span);
	else if (v->kind == VALUE_HOST && v->host.type == HOST_KEY)
		p->node = tensor_of_host(n->e, v, DT_U64, p->span);
	else if (v->kind == VALUE_HOST && v->host.type != HOST_TEXT && fits_scalar(p->decl))
		return;
	else {
		elab_error(n->e, PML0208, p->span, "`%s` of `%s` is a tensor, this is %s", p->decl->name.text, n->name,
		           value_describe(n->e, v));
		notation_fail(n);
		return;
	}
	note_operand_type(n, p);
	note_dim_factors(n, p->decl->dims.at, p->decl->dims.n);
}

static const char *param_what(struct notation *n, const struct noted_param *p)
{
	return p->node && p->node->name ? arena_printf(n->e->a, "`%s`", p->node->name)
	                                : arena_printf(n->e->a, "`%s`", p->decl->name.text);
}

static void note_op(struct notation *n)
{
	struct index_list l;
	for (int i = 0; i < n->nparams; i++)
		note_param(n, &n->param[i]);
	note_reduced(n, n->op->value);
	for (int i = 0; i < n->op->out_dims.n; i++)
		if (n->op->out_dims.at[i].expr)
			note_names(n, n->op->out_dims.at[i].expr);
	for (int i = 0; i < n->nparams && !n->failed; i++)
		if (n->param[i].node && index_list_of_dims(n, n->param[i].decl->dims.at, n->param[i].decl->dims.n, &l))
			notation_extents(n, &l, &n->param[i].node->shape, n->param[i].span, param_what(n, &n->param[i]));
	for (int i = 0; i < n->nparams && !n->failed; i++)
		if (n->param[i].node && index_list_of_dims(n, n->param[i].decl->dims.at, n->param[i].decl->dims.n, &l))
			notation_windows(n, &l, &n->param[i].node->shape);
}

static bool take_dim(struct notation *n, struct arguments *args)
{
	for (int i = 0; i < args->at.n; i++) {
		struct argument *a = &args->at.at[i];
		if (!a->name || strcmp(a->name, "dim") != 0)
			continue;
		if (!value_is_known(a->value) || a->value->host.type != HOST_INT) {
			elab_error(n->e, PML0205, a->span, "`dim` is an int known when compiling");
			return false;
		}
		n->has_dim = true;
		n->dim = a->value->host.i;
		args->at.at[i] = args->at.at[--args->at.n];
		break;
	}
	return true;
}

static bool check_dim(struct notation *n)
{
	int rank = n->nrest + 1;
	if (!n->has_dim || (n->dim >= -rank && n->dim < rank))
		return true;
	elab_error(n->e, PML0210, n->at, "a tensor of %d dimension%s has no dimension %lld", rank, rank == 1 ? "" : "s", (long long)n->dim);
	return false;
}

static bool bind_params(struct notation *n, struct arguments *args)
{
	struct item *op = n->op;
	const struct argument *given[64];
	if (op->params.n > 64 || !arguments_match(n->e, args, op->name.text, op->params.at, op->params.n, given))
		return false;
	n->nparams = op->params.n;
	n->param = ARENA_ARRAY(n->e->a, struct noted_param, op->params.n + 1);
	for (int i = 0; i < op->params.n; i++) {
		struct noted_param *p = &n->param[i];
		p->decl = &op->params.at[i];
		p->span = given[i] ? given[i]->span : n->at;
		p->value = given[i] ? given[i]->value : expr_eval(n->e, p->decl->init);
		if (!p->decl->has_dims) {
			p->value = unify_value(n->e, NULL, p->decl->type, p->value, p->span,
			                       arena_printf(n->e->a, "`%s` of `%s`", p->decl->name.text, op->name.text));
			env_bind(n->e, p->decl->name, BIND_LET, p->value);
		}
		if (value_failed(p->value))
			return false;
	}
	return true;
}

/* Elementwise ops of host scalars are computed by the host. */
static bool all_host(const struct notation *n)
{
	bool any = false;
	for (int i = 0; i < n->nparams; i++) {
		if (!n->param[i].decl->has_dims)
			return false;
		any = true;
		if (n->param[i].value->kind != VALUE_HOST || n->param[i].value->host.type == HOST_KEY ||
		    n->param[i].value->host.type == HOST_TEXT)
			return false;
	}
	return any && n->op->out_dims.n == 1 && n->op->out_dims.at[0].form == DIM_REST;
}

static const struct value *host_op(struct notation *n)
{
	bool outer = n->e->scalar_mode;
	for (int i = 0; i < n->nparams; i++)
		env_bind(n->e, n->param[i].decl->name, BIND_LET, n->param[i].value);
	n->e->scalar_mode = true;
	const struct value *v = expr_eval(n->e, n->op->value);
	n->e->scalar_mode = outer;
	return v;
}

static const struct value *op_value(struct notation *n, struct arguments *args)
{
	struct index_list out;
	if (!take_dim(n, args) || !bind_params(n, args))
		return &value_error;
	if (all_host(n))
		return host_op(n);
	note_op(n);
	if (n->failed || !check_dim(n) || !index_list_of_dims(n, n->op->out_dims.at, n->op->out_dims.n, &out))
		return &value_error;
	return tensor_value_of(n->e, notation_build(n, &out, n->op->value));
}

const struct value *notation_op(struct elab *e, struct item *op, struct arguments *args)
{
	struct notation *n = ARENA_NEW(e->a, struct notation);
	*n = (struct notation){.e = e, .name = op->name.text, .at = args->span, .op = op};
	map_init(&n->tensors, e->a);
	struct scope *scope = e->scope;
	struct module *module = e->module;
	const struct call_site *outer = e->op_call;
	struct call_site here = {outer ? outer : e->call, args->span, op->name.text};
	e->scope = NULL;
	e->module = op->module;
	e->op_call = &here;
	env_push(e);
	const struct value *v = op_value(n, args);
	e->scope = scope;
	e->module = module;
	e->op_call = outer;
	return v;
}

/* ---- let q[i, j] = …, and reductions in expressions ---- */

static void walk_accesses(struct notation *n, const struct expr *x, bool windows);

static void note_access(struct notation *n, const struct expr *x, bool windows)
{
	struct index_list l;
	struct node *t = notation_indexed(n, x->callee);
	if (t && index_list_of_args(n, x->args.at, x->args.n, &l)) {
		const char *what = t->name ? arena_printf(n->e->a, "`%s`", t->name) : "this tensor";
		if (windows)
			notation_windows(n, &l, &t->shape);
		else
			notation_extents(n, &l, &t->shape, x->span, what);
	}
	for (int i = 0; i < x->args.n; i++)
		if (x->args.at[i].value)
			walk_accesses(n, x->args.at[i].value, windows);
}

static void walk_accesses(struct notation *n, const struct expr *x, bool windows)
{
	if (n->failed)
		return;
	switch (x->kind) {
	case EXPR_INDEX: note_access(n, x, windows); break;
	case EXPR_REDUCE: walk_accesses(n, x->reduce.body, windows); break;
	case EXPR_UNARY: walk_accesses(n, x->rhs, windows); break;
	case EXPR_BINARY:
		walk_accesses(n, x->lhs, windows);
		walk_accesses(n, x->rhs, windows);
		break;
	case EXPR_CALL:
		for (int i = 0; i < x->args.n; i++)
			if (x->args.at[i].value)
				walk_accesses(n, x->args.at[i].value, windows);
		break;
	case EXPR_AS: walk_accesses(n, x->as.value, windows); break;
	case EXPR_IF:
		walk_accesses(n, x->cond.cond, windows);
		walk_accesses(n, x->cond.then, windows);
		walk_accesses(n, x->cond.other, windows);
		break;
	case EXPR_INT: case EXPR_FLOAT: case EXPR_STRING: case EXPR_BOOL: case EXPR_NAME: case EXPR_FIELD:
	case EXPR_RANGE: case EXPR_TUPLE: case EXPR_LIST: case EXPR_TO: case EXPR_BLOCK: case EXPR_PLACE: break;
	}
}

const struct value *notation_let(struct elab *e, const struct pattern *out, const struct expr *body, struct span at)
{
	struct notation *n = ARENA_NEW(e->a, struct notation);
	*n = (struct notation){.e = e, .name = out ? out->name.text : combiner_text(COMBINE_SUM), .at = at};
	if (!out && body->kind == EXPR_REDUCE)
		n->name = body->reduce.combiner.text;
	map_init(&n->tensors, e->a);
	struct index_list l = {0};
	if (out && !index_list_of_dims(n, out->factors.at, out->factors.n, &l))
		return &value_error;
	for (int i = 0; i < l.n; i++)
		if (l.at[i].x && strip_extent(l.at[i].x)->kind == EXPR_NAME)
			notation_add_factor(n, strip_extent(l.at[i].x)->name.text);
	note_reduced(n, body);
	walk_accesses(n, body, false);
	walk_accesses(n, body, true);
	if (n->failed)
		return &value_error;
	return tensor_value_of(e, notation_build(n, &l, body));
}
