/* jvp.c — forward mode: walks from wrt to the result once; a map's tangent is the sum over its moving operands of
 * rule_tangent's rules. Tangents live where their values do, also in blocks that are computed again. */
#include "adjoint.h"
#include "cumulative.h"

#include "base/diag.h"

struct moving {
	struct graph *g;
	const int *varying;    /* by id (adjoint_varying) */
	struct node **tangent; /* by id; NULL: it does not move */
};

/* Of input i, as n moves with it. */
static struct node *of_input(const struct moving *m, const struct node *n, int i)
{
	return adjoint_goes_on(m->varying, n, i) ? m->tangent[n->in[i]->id] : NULL;
}

static struct node *of_input_or_zeros(const struct moving *m, const struct node *n, int i)
{
	return adjoint_or_zeros(m->g, n->in[i], of_input(m, n, i));
}

static struct node *map_tangent(const struct moving *m, struct node *n)
{
	struct graph *g = m->g;
	struct node *sum = NULL, *values[MAX_OPERANDS + 1];
	for (int i = 0; i < n->nin; i++)
		values[i] = n->in[i];
	values[n->nin] = n;
	struct cumulative steps;
	bool is_cumulative = cumulative_of_map(g, n, values, &steps);
	struct node *map = is_cumulative ? values[n->nin] = steps.values : n;
	for (int i = 0; i < n->nin; i++) {
		struct node *moving = of_input(m, n, i);
		if (!moving)
			continue;
		struct rule_gradient d = rule_tangent(g->arena, map->rule, i);
		sum = adjoint_add(g, n, sum, adjoint_map(g, map, &d, values, moving));
	}
	return is_cumulative && sum ? cumulative_tangent(g, &steps, sum) : sum;
}

static struct node *line_tangent(const struct moving *m, struct node *n)
{
	struct node_site at = node_site_backward(n);
	struct node **in = ARENA_ARRAY(m->g->arena, struct node *, n->nin);
	for (int i = 0; i < n->nin; i++)
		in[i] = of_input_or_zeros(m, n, i);
	return graph_line(m->g, &at, n->of, n->nin, in, n->line.first, n->line.step, n->line.back);
}

static void tell_pulled(struct graph *g, const struct node *n)
{
	struct diag *d =
		diag_error(g->session, PML0416, n->span, "a function with a rule for cotangents has no tangents");
	diag_note(d, "`jvp`, `hessian_vector` and a `jacobian` of fewer arguments than results go forward");
	diag_help(d, "`custom_jvp(f, rule)`, with the tangent of the result, serves both modes");
}

static struct node *tangent_of(const struct moving *m, struct node *n)
{
	struct graph *g = m->g;
	struct node_site at = node_site_backward(n);
	struct node *in = n->nin ? of_input(m, n, 0) : NULL;
	switch (n->kind) {
	case NODE_MAP:
		return map_tangent(m, n);
	case NODE_RESHAPE:
		return in ? graph_reshape(g, &at, in, &n->shape) : NULL;
	case NODE_TO:
	case NODE_CONTRACT:
	case NODE_REMAT:
		return in ? adjoint_bring(g, n, in, n->place) : NULL;
	case NODE_TANGENT:
		return in;
	case NODE_RULED:
		in = of_input(m, n, 1);
		return in ? adjoint_bring(g, n, in, n->place) : NULL;
	case NODE_PULLED:
		tell_pulled(g, n);
		return NULL;
	case NODE_CHECK:
	case NODE_FACTORS:
	case NODE_STOP:
	case NODE_SLOT:
	case NODE_DATA:
	case NODE_HOST:
	case NODE_CONST:
	case NODE_CARRY:
		return graph_carry(g, &at, n->of, of_input_or_zeros(m, n, 0));
	case NODE_LINE:
		return line_tangent(m, n);
	case NODE_END:
		return graph_end(g, &at, in, of_input_or_zeros(m, n, 1));
	case NODE_STACK:
		return in ? graph_stack(g, &at, n->of, in, n->line.back) : NULL;
	case NODE_TURN:
	case NODE_KINDS:
		return NULL;
	}
	return NULL;
}

bool autodiff_jvps(struct graph *g, int from, int m, struct node *const *y, int n, struct node *const *wrt,
		   struct node *const *tangent, struct node **out)
{
	bool ok = true;
	for (int k = 0; k < m; k++)
		ok &= adjoint_check(g, y[k], true);
	for (int i = 0; i < n; i++)
		ok &= adjoint_check(g, wrt[i], false);
	if (!ok)
		return false;
	const char *wrong = graph_order_from(g, from);
	BUG_IF(wrong, "%s", wrong);
	int end = adjoint_end(g, m, y), errors = g->session->errors;
	struct node **known = ARENA_ARRAY(g->arena, struct node *, end);
	struct moving moving = {.g = g, .varying = adjoint_varying(g, from, end, n, wrt), .tangent = known};
	for (int i = 0; i < n; i++)
		if (wrt[i]->id < end)
			known[wrt[i]->id] = adjoint_bring(g, wrt[i], tangent[i], wrt[i]->place);
	const struct remat *around = g->remat;
	for (int id = from; id < end; id++) {
		struct node *x = g->nodes.at[id];
		g->remat = remat_is_in(node_block(x), around) ? node_block(x) : around;
		if (moving.varying[id] && !known[id])
			known[id] = tangent_of(&moving, x);
	}
	g->remat = around;
	if (g->session->errors > errors)
		return false;
	for (int k = 0; k < m; k++)
		out[k] = adjoint_pin(g, y[k], known[y[k]->id] ? known[y[k]->id] : adjoint_zeros(g, y[k]), y[k]->place);
	return true;
}

struct node *autodiff_jvp(struct graph *g, struct node *y, int n, struct node *const *wrt, struct node *const *tangent)
{
	struct node *out;
	return autodiff_jvps(g, 0, 1, &y, n, wrt, tangent, &out) ? out : y;
}
