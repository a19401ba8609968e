/* notation_op.c — a call of an op: arguments to operands and attributes, then the rule. Elementwise ops of host scalars
 * are computed by the host. */
#include "notation_build.h"
#include "../operators/operators.h"

#include <string.h>

/* Whether a name stands alone in a list of dims. */
static bool stands_in_dims(const struct ast_dim *dims, int count, const char *name)
{
	for (int i = 0; i < count; i++) {
		const struct expr *x = dims[i].expr ? notation_strip_extent(dims[i].expr) : NULL;
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

/* Attributes are values; one whose name is used as a factor gives that factor's extent. */
static void note_attribute(struct notation *n, struct noted_param *p)
{
	struct item *op = n->op;
	const char *name = p->decl->name.text;
	bool factor = stands_in_dims(op->out_dims.at, op->out_dims.n, name) || is_reduced(op->value, name);
	if (factor && p->value->kind == VALUE_HOST && p->value->host.type == HOST_INT && p->value->host.known) {
		if (p->value->host.i < 0) {
			elab_error(n->e, PML0207, p->span, "%s of `%s` is negative: %lld",
				   elab_is_of_library(n->e, p->span) ? "a size"
								     : arena_printf(n->e->a, "the size `%s`", name),
				   notation_called(n), (long long)p->value->host.i);
			notation_fail(n);
		}
		notation_unify(n, notation_add_factor(n, name), p->value->host.i, p->span, extent_from("the argument"));
	} else if (factor) {
		struct diag *d = elab_error(n->e, PML0205, p->span, "`%s` of `%s` is a size known when compiling", name,
					    n->name);
		note_not_known(n->e, d, "this", p->value);
		notation_fail(n);
	} else if (p->value->kind == VALUE_SHAPE) {
		notation_note_rest(n, p->value->shape.rank);
		int more = n->nrest - p->value->shape.rank;
		for (int i = 0; i < p->value->shape.rank && !n->failed; i++)
			notation_unify(n, n->rest[more + i], p->value->shape.dim[i], p->span, extent_from("the shape"));
	}
}

static bool class_has(const char *want, enum dtype t)
{
	enum dtype_kind k = dtype_kind(t);
	return strcmp(want, "float") == 0    ? k == DTYPE_FLOAT
	       : strcmp(want, "int") == 0    ? k == DTYPE_INT || k == DTYPE_UINT
	       : strcmp(want, "number") == 0 ? k != DTYPE_BOOL
	       : strcmp(want, "rngkey") == 0 ? t == DT_U64
					     : dtype_of_text(want) == t;
}

/* What a dtype parameter of the op wants of an element type: its class at first, then the type it was bound to. */
static const char *generic_class(struct notation *n, const char *name, enum dtype t)
{
	for (int i = 0; i < n->op->generics.n; i++) {
		const struct generic *g = &n->op->generics.at[i];
		if (g->name.text != name)
			continue;
		const struct binding *b = env_find(n->e, name);
		if (b)
			return b->value->kind == VALUE_DTYPE ? dtype_text(b->value->dtype) : name;
		if (!g->kind.text || class_has(g->kind.text, t))
			env_bind(n->e, g->name, BIND_LET, value_dtype(n->e, t));
		return g->kind.text ? g->kind.text : dtype_text(t);
	}
	return name;
}

static void note_operand_type(struct notation *n, struct noted_param *p)
{
	if (!p->decl->type || !p->node)
		return;
	enum dtype t = p->node->dtype;
	const char *want = generic_class(n, p->decl->type->name.text, t);
	if (class_has(want, t))
		return;
	const char *operand =
		elab_is_of_library(n->e, p->span) ? "an operand" : arena_printf(n->e->a, "`%s`", p->decl->name.text);
	struct diag *d = elab_error(n->e, PML0202, p->span, "%s of `%s` has %s elements, this has %s", operand,
				    notation_called(n), want, dtype_text(t));
	if (!elab_is_of_library(n->e, p->decl->span))
		diag_label(d, p->decl->span, "declared here");
	if (!strcmp(want, dtype_text(DT_BOOL))) {
		diag_help(d, "a comparison gives bools: `x != %s`", dtype_is_float(t) ? "0.0" : "0");
		elab_edit_behind(n->e, d, p->span, dtype_is_float(t) ? " != 0.0" : " != 0", true);
	} else if (class_has(want, DT_I32)) {
		elab_help_as(n->e, d, p->span, DT_I32);
	} else if (class_has(want, DT_F32)) {
		elab_help_as(n->e, d, p->span, DT_F32);
	}
	notation_fail(n);
}

/* `a[]` and `a[..]` take a scalar. */
static bool fits_scalar(const struct param *p)
{
	return p->dims.n == 0 || (p->dims.n == 1 && p->dims.at[0].form == DIM_REST);
}

/* The elements of a list: i32 for an index, else those of the first tensor beside it, else what fits its numbers. */
static enum dtype list_type(struct notation *n, const struct noted_param *p)
{
	const struct type *t = p->decl->type;
	if (t && dtype_of_text(t->name.text) != DT_COUNT)
		return dtype_of_text(t->name.text);
	if (t && strcmp(t->name.text, "int") == 0)
		return DT_I32;
	for (int i = 0; i < n->nparams; i++)
		if (!n->param[i].decl->type && value_is_tensor(n->param[i].value))
			return tensor_dtype(n->e, n->param[i].value);
	return literal_natural_type(n->e, p->value);
}

/* Gives tensors their node. Host scalars stay: they take the type of what they meet, unless they must be an operand. */
static void note_param(struct notation *n, struct noted_param *p)
{
	const struct value *v = p->value;
	if (!p->decl->has_dims) {
		note_attribute(n, p);
		return;
	}
	if (value_is_list(v))
		v = literal_tensor(n->e, v, list_type(n, p), p->span);
	if (value_failed(v)) {
		notation_fail(n);
		return;
	}
	if (value_is_tensor(v))
		p->node = tensor_node(n->e, v, p->span);
	else if (v->kind == VALUE_HOST && v->host.type == HOST_KEY)
		p->node = tensor_of_host(n->e, v, DT_U64, p->span);
	else if (v->kind == VALUE_HOST && v->host.type != HOST_TEXT && fits_scalar(p->decl))
		return;
	else {
		struct diag *d = elab_error(n->e, PML0208, p->span, "`%s` of `%s` is a tensor, this is %s",
					    p->decl->name.text, n->name, value_describe(n->e, v));
		if (v->kind == VALUE_GRADIENT)
			diag_help(d,
				  "gradients are added, and scaled by numbers; `optim.dot(g, h)` and `optim.norm(g)` "
				  "are of all derivatives together, `each (p, d) in g => f(d)` of each");
		elab_help_argument(n->e, d, v, p->span);
		notation_fail(n);
		return;
	}
	note_operand_type(n, p);
	note_dim_factors(n, p->decl->dims.at, p->decl->dims.n);
}

static struct extent_source param_what(struct notation *n, const struct noted_param *p)
{
	static const char *const sides[] = {"the left operand", "the right operand"};
	struct extent_source from = {.dim = -1, .param = p};
	from.is_name = true;
	if (p->node && p->node->name) {
		from.what = p->node->name;
	} else if (p - n->param < 2 && notation_is_sign(n)) {
		from.what = sides[p - n->param];
		from.is_name = false;
	} else if (!elab_is_of_library(n->e, p->span)) {
		from.what = p->decl->name.text;
	}
	return from;
}

/* `i[..]: int < k`: indices of k elements, which the body compares with factors. */
static void check_param(struct notation *n, struct noted_param *p)
{
	int64_t extent;
	if (p->value->may_miss || !notation_size(n, p->decl->below, &extent))
		return;
	if (!p->node && !value_is_index(n->e, p->value))
		return;
	if (value_is_known(p->value) && (p->value->host.i < 0 || p->value->host.i >= extent) &&
	    !elab_may_never_come(n->e)) {
		elab_error(n->e, PML0210, p->span, "index %lld is out of range, %s", (long long)p->value->host.i,
			   check_range(n->e, NULL, 0, extent));
		notation_fail(n);
		return;
	}
	if (!p->node)
		p->node = tensor_of_host(n->e, p->value, DT_I64, p->span);
	p->node = check_indices(n->e, p->node, extent, false, check_range(n->e, NULL, 0, extent), p->span);
}

static void note_windows(struct notation *n)
{
	struct index_list l;
	for (int i = 0; i < n->nparams && !n->failed; i++)
		if (n->param[i].node && index_list_of_dims(n, n->param[i].decl->dims.at, n->param[i].decl->dims.n, &l))
			notation_windows(n, &l, &n->param[i].node->shape);
}

static void note_op(struct notation *n)
{
	struct index_list l;
	for (int i = 0; i < n->nparams && !n->failed; i++)
		note_param(n, &n->param[i]);
	notation_note_reduced(n, n->op->value);
	for (int i = 0; i < n->op->out_dims.n; i++)
		if (n->op->out_dims.at[i].expr)
			note_names(n, n->op->out_dims.at[i].expr);
	for (int i = 0; i < n->nparams && !n->failed; i++)
		if (n->param[i].node && index_list_of_dims(n, n->param[i].decl->dims.at, n->param[i].decl->dims.n, &l))
			notation_extents(n, &l, &n->param[i].node->shape, n->param[i].span,
					 param_what(n, &n->param[i]));
	do
		note_windows(n);
	while (notation_settle(n));
	for (int i = 0; i < n->nparams && !n->failed; i++)
		if (n->param[i].decl->below)
			check_param(n, &n->param[i]);
}

bool notation_leaves_a_dim(const struct ast_dim *dims, int ndims)
{
	return ndims == 2 && dims[0].form == DIM_REST && dims[1].form == DIM_EXPR;
}

static bool takes_a_dim(const struct item *op)
{
	bool takes = notation_leaves_a_dim(op->out_dims.at, op->out_dims.n);
	for (int i = 0; i < op->params.n && !takes; i++)
		takes = notation_leaves_a_dim(op->params.at[i].dims.at, op->params.at[i].dims.n);
	return takes;
}

static bool take_dim(struct notation *n, struct arguments *args)
{
	for (int i = 0; i < args->at.n && takes_a_dim(n->op); i++) {
		struct argument *a = &args->at.at[i];
		if (!a->name || strcmp(a->name, "dim") != 0)
			continue;
		if (!value_is_known(a->value) || a->value->host.type != HOST_INT) {
			struct diag *d = elab_error(n->e, PML0205, a->span, "`dim` is an int known when compiling");
			help_config(n->e, d, a->value);
			return false;
		}
		n->has_dim = true;
		n->dim = a->value->host.i;
		args->at.at[i] = args->at.at[--args->at.n];
		break;
	}
	return true;
}

/* True after the error of `argmax(x, 1)`. */
static bool dim_by_position(struct notation *n, const struct arguments *args)
{
	const struct argument *a = &args->at.at[n->op->params.n];
	if (args->at.n <= n->op->params.n || n->has_dim || !takes_a_dim(n->op) || a->name ||
	    !value_is_known(a->value) || a->value->host.type != HOST_INT)
		return false;
	struct diag *d = elab_error(n->e, PML0203, a->span, "`%s` takes the dimension by its name", n->op->name.text);
	diag_help(d, "write `dim = ...`");
	diag_edit(d, (struct span){a->span.file, a->span.begin, a->span.begin}, "dim = ");
	return true;
}

static bool check_dim(struct notation *n)
{
	int rank = n->nrest + 1;
	if (!n->has_dim || (n->dim >= -rank && n->dim < rank))
		return true;
	notation_no_dim(n, rank);
	return false;
}

static bool bind_params(struct notation *n, struct arguments *args)
{
	struct item *op = n->op;
	const struct argument *given[64];
	if (op->params.n > 64 || dim_by_position(n, args) || arguments_disordered(n->e, op, args) ||
	    !arguments_match(n->e, args, op->name.text, "parameter", op->params.at, op->params.n, given))
		return false;
	n->nparams = op->params.n;
	n->param = ARENA_ARRAY(n->e->a, struct noted_param, op->params.n + 1);
	for (int i = 0; i < op->params.n; i++) {
		struct noted_param *p = &n->param[i];
		p->decl = &op->params.at[i];
		p->span = given[i] ? given[i]->span : n->at;
		p->value = given[i] ? given[i]->value : expr_eval(n->e, p->decl->init);
		if (!p->decl->has_dims) {
			p->value =
				unify_value(n->e, NULL, p->decl->type, p->value, p->span,
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

/* The result has the shape that the call asks for: operands are repeated to fill it, and it is not made larger. */
static bool check_shapes(struct notation *n)
{
	for (int i = 0; i < n->nparams; i++) {
		const struct noted_param *p = &n->param[i];
		if (p->value->kind != VALUE_SHAPE)
			continue;
		const struct shape *s = &p->value->shape;
		int d = 0;
		while (n->nrest == s->rank && d < s->rank && n->factor[n->rest[d]].extent == s->dim[d])
			d++;
		if (n->nrest == s->rank && d == s->rank)
			continue;
		struct diag *m =
			n->nrest != s->rank
				? elab_error(n->e, PML0201, p->span, "the shape has %d dimension%s, what fills it %d",
					     s->rank, s->rank == 1 ? "" : "s", n->nrest)
				: elab_error(n->e, PML0201, p->span,
					     "dimension %d of the shape is %lld, what fills it has %lld elements there",
					     d, (long long)s->dim[d], (long long)n->factor[n->rest[d]].extent);
		diag_note(m,
			  "what has fewer dimensions is repeated along those in front, and one of extent 1 fits any");
		notation_fail(n);
		return false;
	}
	return true;
}

static const struct value *op_value(struct notation *n, struct arguments *args)
{
	struct index_list out;
	if (!take_dim(n, args) || !bind_params(n, args))
		return &value_error;
	if (all_host(n))
		return host_op(n);
	note_op(n);
	if (n->failed || !check_dim(n) || !check_shapes(n) ||
	    !index_list_of_dims(n, n->op->out_dims.at, n->op->out_dims.n, &out))
		return &value_error;
	return tensor_value_of(n->e, notation_build(n, &out, n->op->value));
}

const struct value *notation_op(struct elab *e, struct item *op, struct arguments *args)
{
	if (!elab_step(e, STEPS_PER_OP, args->span))
		return &value_error;
	struct notation *n = notation_new(e, op->name.text, args->span);
	n->op = op;
	struct scope *scope = e->scope;
	struct module *module = e->module;
	struct caller caller = e->caller;
	const struct call_site *outer = e->op_call;
	struct call_site here = {outer ? outer : e->call, args->span, op->name.text, NULL, 0, NULL};
	e->caller = (struct caller){scope, module};
	e->scope = NULL;
	e->module = op->module;
	e->op_call = &here;
	env_push(e);
	const struct value *v = op_value(n, args);
	e->scope = scope;
	e->module = module;
	e->caller = caller;
	e->op_call = outer;
	notation_end(n);
	return v;
}
