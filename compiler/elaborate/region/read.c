/* read.c — tensors that the host looks at. */
#include "region_build.h"

enum host_type host_type_of(enum dtype t)
{
	switch (dtype_kind(t)) {
	case DTYPE_FLOAT:
		return HOST_FLOAT;
	case DTYPE_INT:
	case DTYPE_UINT:
		return HOST_INT;
	case DTYPE_BOOL:
		return HOST_BOOL;
	}
	return HOST_INT;
}

/* Brings a scalar to the host: closes the region. */
static const struct value *brought(struct elab *e, const struct value *v, enum host_type t, struct span at)
{
	struct node *n = tensor_node(e, v, at);
	if (!n)
		return &value_error;
	struct graph *g = region_graph(e);
	struct region_build *b = e->region;
	if (!n->place) {
		struct layout_spec whole = {.form = LAYOUT_GIVEN, .layout = layout_broadcast()};
		struct node_site site = elab_site(e, at);
		n = graph_to(g, &site, n, e->world, &whole);
	}
	int result = b->region->nresults++;
	vec_push(e->a, &b->region->results, t);
	graph_output(g, OUTPUT_HOST, result, n, at);
	region_close(e);
	int var = host_new_var(e, n->name, t);
	vec_push(e->a, &b->stmt->results, var);
	return value_expr(e, host_var(e, t, var));
}

bool is_one_number(struct elab *e, const struct value *v, struct span at)
{
	if (!tensor_shape(e, v)->rank)
		return true;
	struct diag *d = elab_error(e, PML0506, at, "only one number becomes a host value, this is %s",
				    value_describe(e, v));
	diag_help(d, tensor_dtype(e, v) == DT_BOOL ? "ask for all or any of it: `all(x)`, `any(x)`"
						   : "reduce it first: `sum(x)`, `mean(x)`, `max(x)`");
	return false;
}

const struct value *read_number(struct elab *e, const struct value *v, enum host_type t, struct span at)
{
	if (microbatch_refuses(e, at, "a look at a value") ||
	    (!e->grad_depth && graph_loop_refuses(e, at, "a look at a value")))
		return &value_error;
	if (e->grad_depth) {
		struct diag *d =
			elab_error(e, PML0411, at, "a function that is differentiated cannot look at its values");
		diag_note(d, "the host would have to see the value while the derivative is still being made");
		diag_help(d, "`print` shows a value once all is computed");
		return &value_error;
	}
	return is_one_number(e, v, at) ? brought(e, v, t, at) : &value_error;
}

const struct value *read_scalar(struct elab *e, const struct value *v, struct span at)
{
	return value_is_tensor(v) ? read_number(e, v, host_type_of(tensor_dtype(e, v)), at) : v;
}

bool is_one_integer(struct elab *e, const struct value *v)
{
	return value_is_tensor(v) && dtype_is_int(tensor_dtype(e, v)) && !tensor_shape(e, v)->rank;
}

const struct value *read_integer(struct elab *e, const struct value *v, struct span at)
{
	if (!is_one_integer(e, v))
		return v;
	if (!region_stays_open(e))
		return read_scalar(e, v, at);
	struct node_site site = elab_site(e, at);
	return number_value(e, HOST_INT, graph_cast(region_graph(e), &site, tensor_node(e, v, at), DT_I64));
}
