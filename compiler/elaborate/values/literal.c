/* literal.c — lists of known numbers as tensors: `[[1, 2], [3, 4]] as f32`, and where a list meets a declared tensor
 * type or a tensor.
 *
 * The tensor is an operator without operands whose body finds the element by its row-major position: a balanced tree of
 * `where`s over the numbers, equal neighbours being one leaf. So it has the layouts, the loops and the derivative of
 * any other operator, and every rank computes its own elements only. The body is as long as the list, hence the
 * limit. */
#include "values.h"

#include "../../op/range.h"
#include "../../op/scalar.h"

#include <string.h>

enum { MAX_LITERAL = 1024 };

struct literal {
	struct elab *e;
	struct span at;
	enum dtype type;
	struct shape shape;
	VEC(const struct scalar *) items;
	bool converts; /* what does not fit, as `as` does */
};

bool value_is_list(const struct value *v)
{
	return v->kind == VALUE_LIST || v->kind == VALUE_SHAPE;
}

static int length_of(const struct value *v)
{
	return v->kind == VALUE_SHAPE ? v->shape.rank : v->items.n;
}

static const struct value *item_of(struct elab *e, const struct value *v, int i)
{
	return v->kind == VALUE_SHAPE ? value_int(e, v->shape.dim[i]) : v->items.at[i];
}

static bool refuse(struct literal *l, const char *why)
{
	struct diag *d = elab_error(l->e, PML0208, l->at, "this list is no tensor: %s", why);
	diag_note(d,
		  "a list of numbers known when compiling, or of lists of them of one length, is one; numbers of the "
		  "running program and tensors are put side by side by `[a, b] as f32`, tensors joined by `concat`");
	return false;
}

/* The sizes, from the first item of each level; the others are compared with them. */
static bool find_shape(struct literal *l, const struct value *v)
{
	for (; value_is_list(v); v = item_of(l->e, v, 0)) {
		if (l->shape.rank == MAX_RANK)
			return refuse(l, arena_printf(l->e->a, "it is more than %d lists deep", (int)MAX_RANK));
		l->shape.dim[l->shape.rank++] = length_of(v);
		if (!length_of(v))
			break;
	}
	int64_t n = shape_volume(&l->shape);
	if (n > MAX_LITERAL || n < 0)
		return refuse(l, arena_printf(l->e->a,
					      "it has more than %d elements; a file may have (data.npy, data.csv)",
					      MAX_LITERAL));
	return true;
}

bool number_fits(struct elab *e, const struct host_value *h, enum dtype t, struct span at)
{
	union scalar_value v = {.i = h->i};
	bool is_int = h->known && h->type == HOST_INT && dtype_is_int(t);
	if (h->type == HOST_FLOAT && dtype_is_int(t)) {
		struct diag *d = elab_error(e, PML0202, at, "a float is no element of `%s`", dtype_text(t));
		diag_help(d, "`as %s` cuts off what is behind the point", dtype_text(t));
		return false;
	}
	if (!is_int || (scalar_convert(v, DT_I64, t).i == h->i && (t != DT_U64 || h->i >= 0)))
		return true;
	struct diag *d = elab_error(e, PML0202, at, "%lld is beyond what an element of `%s` can be", (long long)h->i,
				    dtype_text(t));
	if (t != DT_I64)
		diag_help(d, "take wider elements: `as i64`");
	return false;
}

/* Whether `as` has made it a number that elements of type t hold. */
static bool is_made_to_fit(const struct host_value *h, enum dtype t)
{
	if (!h->is_typed || !dtype_is_int(h->dtype))
		return false;
	struct range have = range_of_type(h->dtype), all = range_of_type(t);
	return h->dtype == t || (have.low >= (t == DT_U64 ? 0 : all.low) && have.high <= all.high);
}

/* One of the running program is checked whenever it is computed. */
const struct value *number_declared(struct elab *e, const struct value *v, enum dtype t, struct span at)
{
	if (!number_fits(e, &v->host, t, at))
		return &value_error;
	if (v->host.known || t == DT_I64 || is_made_to_fit(&v->host, t) || number_surely_fits(e, v, t))
		return v;
	struct host_expr *x = host_apply(e, HOST_FITS_OP, HOST_INT, v->host.expr, NULL, at);
	x->index = (int)t;
	return value_expr(e, x);
}

/* An int of the running program is checked when it is there. */
struct node *number_fitted(struct elab *e, const struct value *v, enum dtype t, struct span at)
{
	const struct host_value *h = &v->host;
	bool narrows = !h->known && h->type == HOST_INT && dtype_is_int(t) && t != DT_I64 && !is_made_to_fit(h, t);
	return narrows ? check_fits(e, tensor_of_host(e, v, DT_I64, at), t, at) : tensor_of_host(e, v, t, at);
}

const struct value *number_as(struct elab *e, const struct value *v, enum dtype t, struct span at)
{
	return number_fits(e, &v->host, t, at) ? tensor_value_of(e, number_fitted(e, v, t, at)) : &value_error;
}

static bool add_number(struct literal *l, const struct host_value *h)
{
	bool is_float = h->type == HOST_FLOAT;
	union scalar_value v = {.i = h->i};
	if (!l->converts && !number_fits(l->e, h, l->type, l->at))
		return false;
	if (is_float)
		v.f = h->f;
	v = scalar_convert(v, is_float ? DT_F64 : h->type == HOST_BOOL ? DT_BOOL : DT_I64, l->type);
	vec_push(l->e->a, &l->items, scalar_number(l->e->a, l->type, v));
	return true;
}

static bool add_items(struct literal *l, const struct value *v, int level)
{
	if (level < l->shape.rank) {
		if (!value_is_list(v) || length_of(v) != l->shape.dim[level])
			return refuse(l, "its rows are not alike");
		for (int i = 0; i < length_of(v); i++)
			if (!add_items(l, item_of(l->e, v, i), level + 1))
				return false;
		return true;
	}
	if (value_is_list(v))
		return refuse(l, "its rows are not alike");
	if (!value_is_known(v) || v->host.type == HOST_TEXT || v->host.type == HOST_KEY)
		return refuse(
			l, arena_printf(l->e->a, "an element is %s%s", value_describe(l->e, v),
					v->kind == VALUE_HOST && !value_is_known(v) ? " of the running program" : ""));
	return add_number(l, &v->host);
}

/* The position of the point in row-major order. */
static const struct scalar *position(const struct literal *l)
{
	struct arena *a = l->e->a;
	const struct scalar *p = scalar_int(a, DT_I64, 0);
	for (int d = 0; d < l->shape.rank; d++) {
		p = scalar_apply(a, SC_MUL, DT_I64, p, scalar_int(a, DT_I64, l->shape.dim[d]), NULL);
		p = scalar_apply(a, SC_ADD, DT_I64, p, scalar_factor(a, d), NULL);
	}
	return p;
}

static const struct scalar *choose(const struct literal *l, const struct scalar *p, int from, int to)
{
	struct arena *a = l->e->a;
	bool alike = true;
	for (int i = from + 1; alike && i < to; i++)
		alike = scalar_equal(l->items.at[from], l->items.at[i]);
	if (alike)
		return l->items.at[from];
	int mid = from + (to - from) / 2;
	const struct scalar *low = choose(l, p, from, mid), *high = choose(l, p, mid, to);
	return scalar_apply(a, SC_WHERE, l->type, scalar_apply(a, SC_LT, DT_BOOL, p, scalar_int(a, DT_I64, mid), NULL),
			    low, high);
}

static const struct value *make(const struct literal *l)
{
	struct elab *e = l->e;
	struct rule *r = ARENA_NEW(e->a, struct rule);
	*r = rule_over_shape("list", l->type, &l->shape);
	r->body = l->items.n ? choose(l, position(l), 0, l->items.n) : scalar_int(e->a, DT_BOOL, 0);
	if (!l->items.n)
		r->body = scalar_number(e->a, l->type, (union scalar_value){0});
	struct node *none[1] = {NULL};
	struct node_site site = elab_site(e, l->at);
	return tensor_value_of(e, graph_map(region_graph(e), &site, r, none));
}

static const struct value *made(struct literal l, const struct value *v)
{
	return find_shape(&l, v) && add_items(&l, v, 0) ? make(&l) : &value_error;
}

const struct value *literal_tensor(struct elab *e, const struct value *v, enum dtype t, struct span at)
{
	return made((struct literal){.e = e, .at = at, .type = t}, v);
}

static bool is_element(const struct value *v)
{
	return value_is_tensor(v) || value_is_number(v) || (v->kind == VALUE_HOST && v->host.type == HOST_BOOL);
}

/* Whether all its numbers are known when compiling. */
static bool is_known(struct elab *e, const struct value *v)
{
	if (!value_is_list(v))
		return value_is_known(v) || !is_element(v);
	for (int i = 0; i < length_of(v); i++)
		if (!is_known(e, item_of(e, v, i)))
			return false;
	return true;
}

const struct value *literal_as(struct elab *e, const struct value *v, enum dtype t, struct span at)
{
	struct node_site site = elab_site(e, at);
	if (value_is_tensor(v))
		return tensor_value_of(e, graph_cast(region_graph(e), &site, tensor_node(e, v, at), t));
	if (!value_is_list(v) && is_element(v))
		return tensor_value_of(e, tensor_of_host(e, v, t, at));
	if (!value_is_list(v) || is_known(e, v))
		return made((struct literal){.e = e, .at = at, .type = t, .converts = true}, v);
	struct value *items = value_new(e, VALUE_LIST);
	for (int i = 0; i < length_of(v); i++) {
		const struct value *item = literal_as(e, item_of(e, v, i), t, at);
		if (value_failed(item))
			return &value_error;
		vec_push(e->a, &items->items, item);
		struct literal l = {.e = e, .at = at};
		if (!shape_equal(tensor_shape(e, item), tensor_shape(e, items->items.at[0])) &&
		    !refuse(&l, "its members are not alike"))
			return &value_error;
	}
	const struct value *arguments[] = {items, value_int(e, 0)};
	struct span spans[] = {at, at};
	return call_prelude(e, "stack", at, 2, arguments, spans);
}

enum dtype number_type(const struct value *v)
{
	if (v->kind != VALUE_HOST)
		return DT_F32;
	if (v->host.is_typed)
		return v->host.dtype;
	return v->host.type == HOST_BOOL ? DT_BOOL : v->host.type == HOST_INT ? DT_I32 : DT_F32;
}

/* Of two types the one that holds numbers of both: floats before ints before bools, then the wider. */
static enum dtype wider(enum dtype a, enum dtype b)
{
	int kind_a = dtype_is_float(a) ? 2 : a != DT_BOOL, kind_b = dtype_is_float(b) ? 2 : b != DT_BOOL;
	if (kind_a != kind_b)
		return kind_a > kind_b ? a : b;
	return dtype_size(b) > dtype_size(a) ? b : a;
}

enum dtype literal_natural_type(struct elab *e, const struct value *v)
{
	if (!value_is_list(v))
		return number_type(v);
	enum dtype t = length_of(v) ? DT_BOOL : DT_F32;
	for (int i = 0; i < length_of(v); i++)
		t = wider(t, literal_natural_type(e, item_of(e, v, i)));
	return t;
}

void literal_help(struct elab *e, struct diag *d, const struct value *list)
{
	enum dtype t = list ? literal_natural_type(e, list) : DT_F32;
	diag_help(d, "a list of numbers becomes a tensor by `as`: `%s`; tensors become one by `stack`",
		  t == DT_BOOL      ? "[true, false] as bool"
		  : dtype_is_int(t) ? "[1, 2] as i32"
				    : "[1.0, 2.0] as f32");
}
