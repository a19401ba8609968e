/* checked.c — indices that only the running program knows. Rules leave out the points whose index is outside, which is
 * how a rank reads its part of a table; so that a wrong index is not left out as well, what is indexed reads it through
 * a CHECK node, except where the program says `i?`. The check is of all elements of an index tensor, and lives as long
 * as anything that reads by it. */
#include "values.h"

#include "../../layout/exchange.h"

bool value_is_index(struct elab *e, const struct value *v)
{
	if (value_is_tensor(v))
		return dtype_is_int(tensor_dtype(e, v));
	return v->kind == VALUE_HOST && v->host.type == HOST_INT;
}

const struct value *value_that_may_miss(struct elab *e, const struct value *v)
{
	struct value *copy = value_new(e, v->kind);
	*copy = *v;
	copy->may_miss = true;
	return copy;
}

const struct value *expr_maybe(struct elab *e, const struct expr *x)
{
	const struct value *v = expr_eval(e, x->index);
	if (value_is_list(v))
		v = literal_tensor(e, v, literal_natural_type(e, v), x->index->span);
	if (value_failed(v))
		return v;
	if (value_is_index(e, v))
		return value_that_may_miss(e, v);
	struct diag *d =
		elab_error(e, PML0204, x->span, "`?` stands behind an index, an int or a tensor of ints; this is %s",
			   value_describe(e, v));
	diag_note(d, "`x[i?]` leaves out what `i` names outside of `x`");
	return &value_error;
}

const char *check_range(struct elab *e, const char *of, int dim, int64_t extent)
{
	const char *op = e->op_call ? e->op_call->function : NULL;
	const char *function = elab_in_library(e) || !of ? elab_called(e, op) : NULL;
	if (function && extent > 0)
		return arena_printf(e->a, "`%s` takes 0 to %lld", function, (long long)extent - 1);
	if (of)
		return arena_printf(e->a, "dimension %d of `%s` has %lld elements", dim, of, (long long)extent);
	return arena_printf(e->a, "dimension %d has %lld elements", dim, (long long)extent);
}

/* Of elements, and of the nodes that make them. */
enum { MAX_KNOWN = 4096, MAX_MAKERS = 16 };

static bool has_few_points(const struct rule *r)
{
	int64_t points = 1;
	for (int f = 0; f < r->nfactors; f++)
		points = count_mul(points, r->factor[f].extent);
	return points <= MAX_KNOWN;
}

/* The elements of what is made of numbers alone, as lists are; NULL: of something else, or there are many. */
static union scalar_value *known_elements(struct arena *a, const struct node *x, int *left)
{
	static const struct rule_origin whole;
	union scalar_value *in[MAX_OPERANDS], *out;
	if (--*left < 0 || shape_volume(&x->shape) > MAX_KNOWN ||
	    (x->kind != NODE_MAP && x->kind != NODE_CONST && x->kind != NODE_RESHAPE))
		return NULL;
	for (int i = 0; i < x->nin; i++) {
		in[i] = known_elements(a, x->in[i], left);
		if (!in[i])
			return NULL;
	}
	if (x->kind == NODE_RESHAPE)
		return in[0];
	out = ARENA_ARRAY(a, union scalar_value, shape_volume(&x->shape) + 1);
	if (x->kind == NODE_CONST)
		out[0] = x->number;
	else if (has_few_points(x->rule))
		rule_interpret(x->rule, in, out, &whole);
	else
		return NULL;
	return out;
}

/* Whether the indices are known now, so that nothing is left to check: the first that is outside is told. */
static bool checked_now(struct elab *e, const struct node *x, int64_t extent, const char *range, struct span at)
{
	struct arena *scratch = arena_new("indices");
	int left = MAX_MAKERS;
	const union scalar_value *v = known_elements(scratch, x, &left);
	int64_t n = shape_volume(&x->shape), i = 0;
	while (v && i < n && v[i].i >= 0 && v[i].i < extent)
		i++;
	if (v && i < n)
		elab_error(e, PML0210, at, "index %lld is out of range, %s", (long long)v[i].i, range);
	arena_free(scratch);
	return v != NULL;
}

struct node *check_indices(struct elab *e, struct node *x, int64_t extent, bool wraps, const char *range,
			   struct span at)
{
	struct graph *g = region_graph(e);
	if (!wraps && checked_now(e, x, extent, range, at))
		return x;
	struct node_site site = elab_site(e, at), of = node_site_of(x);
	struct span where = site.span;
	/* To messages about layouts the check is what it checks. */
	site.span = of.span;
	site.call = of.call;
	site.in_library = of.in_library;
	site.name = of.name;
	wraps = wraps && dtype_kind(x->dtype) == DTYPE_INT;
	return graph_check(g, &site, wraps ? graph_cast(g, &site, x, DT_I64) : x, extent, wraps, range, where);
}
