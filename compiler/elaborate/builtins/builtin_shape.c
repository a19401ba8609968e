/* builtin_shape.c — sizes as values, and the tensor functions that index notation cannot declare for every rank. */
#include "builtin.h"
#include "../values/values.h"

#include <string.h>

/* Ints of a list or shape; -1 stands for a size to be found (reshape). False if it is none. */
static bool read_ints(const struct value *v, int *n, int64_t *out)
{
	*n = v->kind == VALUE_SHAPE ? v->shape.rank : v->kind == VALUE_LIST || v->kind == VALUE_TUPLE ? v->items.n : -1;
	bool ok = *n >= 0 && *n <= MAX_RANK;
	for (int i = 0; ok && i < *n; i++) {
		const struct value *x = v->kind == VALUE_SHAPE ? NULL : v->items.at[i];
		ok = !x || (value_is_known(x) && x->host.type == HOST_INT);
		if (ok)
			out[i] = x ? x->host.i : v->shape.dim[i];
	}
	return ok;
}

static bool int_list(struct elab *e, const struct argument *a, int *n, int64_t *out)
{
	if (read_ints(a->value, n, out))
		return true;
	bool items = a->value->kind == VALUE_LIST || a->value->kind == VALUE_TUPLE;
	if (*n > MAX_RANK) {
		elab_error(e, PML0211, a->span, "a tensor has at most %d dimensions, here are %d", (int)MAX_RANK, *n);
		return false;
	}
	struct diag *d =
		elab_error(e, PML0205, a->span, "here stands a list of at most %d ints known when compiling%s%s",
			   (int)MAX_RANK, items ? "" : ", this is ", items ? "" : value_describe(e, a->value));
	for (int i = 0; items && i < a->value->items.n && i < MAX_RANK; i++)
		if (!value_is_known(a->value->items.at[i]) || a->value->items.at[i]->host.type != HOST_INT) {
			note_not_known(e, d, arena_printf(e->a, "number %d", i), a->value->items.at[i]);
			break;
		}
	return false;
}

static bool list_is_shape(struct elab *e, const struct argument *a, const struct shape *s)
{
	bool ok = true;
	for (int i = 0; i < s->rank; i++)
		ok = ok && s->dim[i] >= 0;
	if (ok && shape_volume(s) >= 0)
		return true;
	elab_error(e, PML0207, a->span, "these sizes are negative, or their product is too large");
	return false;
}

static void not_a_tensor(struct elab *e, enum diag_code code, const struct argument *a, enum builtin b)
{
	struct diag *d = elab_error(e, code, a->span, "`%s` takes a tensor, this is %s",
				    elab_called(e, builtin_name((int)b)), value_describe(e, a->value));
	if (a->value->kind == VALUE_TUPLE)
		diag_help(d, "take its parts first: `let (a, b) = ...;`, of batches `for (a, b) in ... { }`");
	if (a->value->kind == VALUE_GRADIENT && a->value->gradient.n) {
		const char *first = a->value->gradient.at[0].name;
		diag_help(d, "a gradient has a derivative for each param: this one has `.%s`", first);
		if (a->value->gradient.n == 1 && a->expr && a->expr->kind == EXPR_NAME)
			elab_edit_behind(e, d, a->span, arena_printf(e->a, ".%s", first), false);
	}
	if (a->value->kind == VALUE_LIST)
		literal_help(e, d, a->value);
	elab_help_sort(e, d, a->value, a->span);
}

static const struct value *factors(struct elab *e, struct arguments *args, enum builtin b, enum factors_way way)
{
	const struct argument *a = builtin_need(e, args, b, "a");
	if (!a || !builtin_done(e, args, b))
		return &value_error;
	if (!value_is_tensor(a->value)) {
		not_a_tensor(e, PML0209, a, b);
		return &value_error;
	}
	struct node *x = tensor_node(e, a->value, a->span);
	struct shape s = factors_shape(&x->shape);
	if (!factors_fit(x->dtype, &x->shape, &s)) {
		elab_error(e, PML0211, a->span, "`%s` takes square matrices of f32 or f64, [.., n, n], this is %s",
			   elab_called(e, builtin_name((int)b)), value_describe(e, a->value));
		return &value_error;
	}
	struct node_site site = elab_site(e, args->span);
	return tensor_value_of(e, graph_factors(region_graph(e), &site, x, way));
}

const struct value *builtin_symmetric_eigen(struct elab *e, struct arguments *args)
{
	return factors(e, args, BUILTIN_symmetric_eigen, FACTORS_EIGEN);
}

const struct value *builtin_pivoted_lu(struct elab *e, struct arguments *args)
{
	return factors(e, args, BUILTIN_pivoted_lu, FACTORS_LU);
}

static bool shape_argument(struct elab *e, struct arguments *args, enum builtin b, struct shape *out)
{
	const struct argument *a = builtin_need(e, args, b, "x");
	if (!a || !builtin_done(e, args, b))
		return false;
	*out = (struct shape){0};
	if (value_is_tensor(a->value))
		*out = *tensor_shape(e, a->value);
	else if (a->value->kind == VALUE_SHAPE)
		*out = a->value->shape;
	else if (b != BUILTIN_shape && a->value->kind == VALUE_LIST && read_ints(a->value, &out->rank, out->dim))
		return list_is_shape(e, a, out); /* to ask `[3, 4]` for its shape is to take it for a tensor */
	else if (a->value->kind != VALUE_HOST || a->value->host.type == HOST_TEXT) {
		not_a_tensor(e, PML0209, a, b);
		return false;
	}
	return true;
}

const struct value *builtin_shape(struct elab *e, struct arguments *args)
{
	struct shape s;
	return shape_argument(e, args, BUILTIN_shape, &s) ? value_shape(e, &s) : &value_error;
}

const struct value *builtin_rank(struct elab *e, struct arguments *args)
{
	struct shape s;
	return shape_argument(e, args, BUILTIN_rank, &s) ? value_int(e, s.rank) : &value_error;
}

const struct value *builtin_volume(struct elab *e, struct arguments *args)
{
	struct shape s;
	return shape_argument(e, args, BUILTIN_volume, &s) ? value_int(e, shape_volume(&s)) : &value_error;
}

const struct value *builtin_place_of(struct elab *e, struct arguments *args)
{
	const struct argument *a = builtin_need(e, args, BUILTIN_place_of, "x");
	if (!a || !builtin_done(e, args, BUILTIN_place_of))
		return &value_error;
	const struct place *p = value_is_tensor(a->value) ? tensor_place(e, a->value) : NULL;
	return p ? value_place(e, p) : &value_none;
}

const struct value *builtin_extent(struct elab *e, struct arguments *args)
{
	elab_error(e, PML0603, args->span,
		   "`extent` stands in index notation only; `shape(x)[d]` is the size of a dimension");
	return &value_error;
}

const struct value *builtin_linear(struct elab *e, struct arguments *args)
{
	elab_error(e, PML0603, args->span, "`linear` stands in the body of an op only");
	return &value_error;
}

/* ---- tensors ---- */

static struct node *tensor_argument(struct elab *e, struct arguments *args, enum builtin b)
{
	const struct argument *a = builtin_need(e, args, b, "x");
	if (!a)
		return NULL;
	const struct value *v = a->value;
	if (value_is_list(v))
		v = literal_tensor(e, v, literal_natural_type(e, v), a->span);
	if (value_is_tensor(v))
		return tensor_node(e, v, a->span);
	if (value_failed(v))
		return NULL;
	not_a_tensor(e, PML0208, a, b);
	return NULL;
}

const struct value *builtin_reshape(struct elab *e, struct arguments *args)
{
	if (arguments_of_list(e, "reshape", args))
		return &value_error;
	struct node *x = tensor_argument(e, args, BUILTIN_reshape);
	const struct argument *a = x ? builtin_need(e, args, BUILTIN_reshape, "shape") : NULL;
	struct shape s = {0};
	if (!a || !builtin_done(e, args, BUILTIN_reshape) || !int_list(e, a, &s.rank, s.dim))
		return &value_error;
	int64_t known = 1, all = shape_volume(&x->shape);
	int open = -1;
	bool ok = true;
	for (int i = 0, left = 0; i < s.rank; i++)
		if (s.dim[i] == -1 && ++left == 2) {
			elab_error(e, PML0201, a->span, "one size may be -1, which is found from the others, not two");
			return &value_error;
		}
	for (int i = 0; i < s.rank; i++) {
		ok = ok && s.dim[i] >= -1 && (s.dim[i] >= 0 || open < 0);
		if (s.dim[i] == -1)
			open = i;
		else if (__builtin_mul_overflow(known, s.dim[i], &known))
			ok = false;
	}
	if (ok && open >= 0 && known == 0 && all == 0) {
		elab_error(e, PML0201, a->span, "a size of -1 could be any beside a 0: say which");
		return &value_error;
	}
	if (ok && open >= 0 && known > 0 && all % known == 0) {
		s.dim[open] = all / known;
		known = all;
	}
	if (!ok || known != all) {
		struct text t;
		text_init(&t, e->a);
		type_print(&t, x->dtype, &x->shape);
		struct diag *d =
			elab_error(e, PML0201, a->span, "%s has %lld elements, which do not fill the new shape",
				   text_get(&t), (long long)all);
		diag_note(d, "one size may be -1: it is found from the others");
		return &value_error;
	}
	struct node_site site = elab_site(e, args->span);
	return tensor_value_of(e, graph_reshape(region_graph(e), &site, x, &s));
}

const struct value *builtin_permute(struct elab *e, struct arguments *args)
{
	if (arguments_of_list(e, "permute", args))
		return &value_error;
	struct node *x = tensor_argument(e, args, BUILTIN_permute);
	const struct argument *a = x ? builtin_need(e, args, BUILTIN_permute, "dims") : NULL;
	int64_t dims[MAX_RANK];
	int n;
	if (!a || !builtin_done(e, args, BUILTIN_permute) || !int_list(e, a, &n, dims))
		return &value_error;
	static const char *const names[MAX_RANK] = {"i", "j", "k", "l", "m", "n", "o", "p"};
	struct rule *r = ARENA_NEW(e->a, struct rule);
	struct access operand = {.type = x->dtype, .rank = n};
	*r = (struct rule){.name = "permute", .nfactors = n, .noperands = 1, .operand = &operand, .out = operand};
	bool seen[MAX_RANK] = {false}, ok = n == x->shape.rank;
	for (int i = 0; ok && i < n; i++) {
		int64_t d = dims[i] < 0 ? dims[i] + n : dims[i];
		ok = d >= 0 && d < n && !seen[d];
		if (!ok)
			break;
		seen[d] = true;
		r->factor[i] = (struct factor){names[i], x->shape.dim[d]};
		r->out.dim[i] = operand.dim[d] = x->shape.dim[d];
		r->out.index[i] = operand.index[d] =
			(struct index){.nterms = 1, .term = {{i, 1}}, .div = 1, .data = -1};
	}
	if (!ok) {
		elab_error(e, PML0210, a->span, "`permute` names each of the %d dimensions once", x->shape.rank);
		return &value_error;
	}
	r->body = scalar_operand(e->a, x->dtype, 0);
	struct node_site site = elab_site(e, args->span);
	return tensor_value_of(e, graph_map(region_graph(e), &site, r, &x));
}

static const struct value *finished(struct elab *e, const struct value *x, struct span at)
{
	struct node *n = value_is_tensor(x) ? tensor_node(e, x, at) : NULL;
	if (!n || !n->place)
		return x;
	struct node_site site = elab_site(e, at);
	site.name = n->name;
	struct layout_spec spec = {.form = LAYOUT_FINISH, .span = at};
	return tensor_value_of(e, graph_to(region_graph(e), &site, n, NULL, &spec));
}

/* finish(x): what a library writes where it needs a finished value and does not know the layout. */
const struct value *builtin_finish(struct elab *e, struct arguments *args)
{
	const struct argument *x = builtin_need(e, args, BUILTIN_finish, "x");
	if (!x || !builtin_done(e, args, BUILTIN_finish))
		return &value_error;
	return parts_changed(e, x->value, finished, args->span);
}
