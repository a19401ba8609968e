/* vjp.c — reverse mode: walks from the result to the leaves once and derives, per map and operand, one more map.
 * In: a graph, a node y with its cotangent.  Out: the same graph with nodes appended that compute the cotangents of
 * wrt. A map's contribution is rule_gradient's rule; reshapes are reshaped back; what only says where a value lives
 * (to, contract) lets the cotangent pass, moved to the source's placement where the two differ. Where a value is used
 * several times its cotangents are added. What was made inside of `remat` is read as computed again (again.c). Nothing
 * is made for values that do not vary, and a zero is not made until it is a result. */
#include "tape.h"
#include "cumulative.h"

struct node **tape_cell(struct tape *t, struct node *x, const struct node *like)
{
	struct turns *w = t->turns;
	if (!w || loop_is_in(x->loop, w->forward))
		return &t->cotangent[x->id];
	struct node **cell = map_get(&w->cotangent, x);
	if (!cell) {
		cell = ARENA_NEW(t->g->arena, struct node *);
		map_set(&w->cotangent, x, cell);
		vec_push(t->g->arena, &w->outside, x);
		*cell = tape_carried(t, x, like);
		vec_push(t->g->arena, &w->carries, *cell);
	}
	return cell;
}

void tape_add(struct tape *t, const struct node *from, struct node *x, struct node *c)
{
	if (!c)
		return;
	struct node_site at = node_site_backward(from);
	c = adjoint_bring(t->g, from, graph_cast(t->g, &at, c, x->dtype), x->place);
	struct node **cell = tape_cell(t, x, c), *sum = *cell;
	if (sum && x->kind == NODE_STACK && !loop_lines(x->of))
		*cell = tape_add_lines(t, x, sum, c);
	else
		*cell = sum && !sum->place ? adjoint_add(t->g, x, c, sum) : adjoint_add(t->g, x, sum, c);
}

static void backward_map(struct tape *t, struct node *n, struct node *c)
{
	struct node *values[MAX_OPERANDS + 1];
	for (int i = 0; i < n->nin; i++)
		values[i] = tape_value(t, again_value(t->again, n, n->in[i], c));
	values[n->nin] = tape_value(t, again_value(t->again, n, n, c));
	struct cumulative steps;
	struct node *map = n;
	if (cumulative_of_map(t->g, n, values, &steps)) {
		c = cumulative_cotangent(t->g, &steps, c);
		map = values[n->nin] = steps.values;
	}
	for (int i = 0; i < n->nin; i++) {
		if (!adjoint_goes_on(t->varying, n, i))
			continue;
		struct rule_gradient d = rule_gradient(t->g->arena, map->rule, i);
		tape_add(t, n, n->in[i], adjoint_map(t->g, map, &d, values, c));
	}
}

static void backward(struct tape *t, struct node *n, struct node *c)
{
	struct node_site at = node_site_backward(n);
	switch (n->kind) {
	case NODE_MAP:
		backward_map(t, n, c);
		break;
	case NODE_RESHAPE:
		tape_add(t, n, n->in[0], graph_reshape(t->g, &at, c, &n->in[0]->shape));
		break;
	case NODE_TO:
	case NODE_CONTRACT:
	case NODE_REMAT:
		tape_add(t, n, n->in[0], c);
		break;
	case NODE_TANGENT:
		tape_add(t, n, n->in[0], c);
		break;
	case NODE_RULED:
		if (adjoint_goes_on(t->varying, n, 1))
			tape_add(t, n, n->in[1], c);
		break;
	case NODE_PULLED:
		tape_backward_call(t, n);
		break;
	case NODE_CHECK:
	case NODE_FACTORS:
	case NODE_STOP:
	case NODE_SLOT:
	case NODE_DATA:
	case NODE_HOST:
	case NODE_CONST:
	case NODE_TURN:
	case NODE_CARRY:
	case NODE_LINE:
	case NODE_END:
	case NODE_STACK:
	case NODE_KINDS:
		break;
	}
}

/* What a loop of any number of turns keeps has no size that another loop could keep it by, and neither has what its
 * reverse keeps for a derivative of that: it is computed again too, with the copies that the reverse reads. */
const struct remat *tape_block(struct tape *t, const struct remat *block)
{
	while (block && !block->in)
		block = block->outer;
	if (!block || remat_is_in(t->around, block))
		return t->around;
	struct remat *reverse = map_get(&t->blocks, block);
	if (!reverse) {
		reverse = ARENA_NEW(t->g->arena, struct remat);
		*reverse = (struct remat){.outer = tape_block(t, block->outer), .in = tape_backward(t, block->in)};
		map_set(&t->blocks, block, reverse);
	}
	return reverse;
}

/* Loops are behind their exits; entries and exits are theirs (loop.c). A loop without exits gives nothing. */
void tape_walk(struct tape *t, int from, int to)
{
	const struct loop *here = t->turns ? t->turns->forward : t->g->open;
	const struct remat *block = t->g->remat;
	for (int id = to - 1; id >= from; id--) {
		struct node *x = t->g->nodes.at[id];
		t->g->remat = tape_block(t, node_block(x));
		if (node_is_exit(x)) {
			struct loop *l = x->of;
			int end = id + 1, exits = id;
			while (exits > from && node_is_exit(t->g->nodes.at[exits - 1]) &&
			       t->g->nodes.at[exits - 1]->of == l)
				exits--;
			for (id = exits; id > from && loop_is_in(t->g->nodes.at[id - 1]->loop, l); id--)
				;
			tape_walk_loop(t, l, id, exits, end);
			continue;
		}
		if (!loop_is_in(here, x->loop) || !t->varying[id])
			continue;
		struct node *c = t->cotangent[id];
		if (x->kind == NODE_PULLED ? tape_is_due(t, x) : c && !t->is_wrt[id])
			backward(t, x, c);
	}
	t->g->remat = block;
}

static bool check(struct graph *g, int m, struct node *const *y, struct node *const *seed, int n,
		  struct node *const *wrt)
{
	bool ok = true;
	for (int k = 0; k < m; k++)
		ok &= adjoint_check(g, y[k], true);
	for (int i = 0; i < n; i++)
		ok &= adjoint_check(g, wrt[i], false);
	for (int k = 0; k < m && ok; k++)
		BUG_IF(seed[k]->dtype != y[k]->dtype || !shape_equal(&seed[k]->shape, &y[k]->shape),
		       "a cotangent unlike its value");
	return ok;
}

static struct node *result(struct tape *t, int end, struct node *wrt)
{
	struct node *c = wrt->id < end ? t->cotangent[wrt->id] : NULL;
	return adjoint_pin(t->g, wrt, c ? c : adjoint_zeros(t->g, wrt), wrt->place);
}

/* One y may stand for several results. */
static void begin(struct tape *t, struct node *y, struct node *seed)
{
	struct node **c = &t->cotangent[y->id];
	struct node_site at = node_site_backward(y);
	seed = adjoint_bring(t->g, y, seed, y->place);
	*c = *c ? graph_pointwise(t->g, &at, SC_ADD, *c, seed, NULL) : seed;
}

bool autodiff_vjps(struct graph *g, int from, int m, struct node *const *y, struct node *const *seed, int n,
		   struct node *const *wrt, struct node **out)
{
	if (!check(g, m, y, seed, n, wrt))
		return false;
	const char *wrong = graph_order_from(g, from);
	BUG_IF(wrong, "%s", wrong);
	int end = adjoint_end(g, m, y), errors = g->session->errors;
	bool *is_wrt = ARENA_ARRAY(g->arena, bool, end);
	for (int i = 0; i < n; i++)
		if (wrt[i]->id < end)
			is_wrt[wrt[i]->id] = true;
	struct tape t = {
		.g = g, .varying = adjoint_varying(g, from, end, n, wrt), .is_wrt = is_wrt, .around = g->remat};
	map_init(&t.blocks, g->arena);
	t.ends = graph_ends(g, g->arena);
	t.end = g->nodes.n;
	t.again = again_new(g, end, &t);
	t.cotangent = ARENA_ARRAY(g->arena, struct node *, end);
	tape_find_calls(&t, from, end);
	for (int k = 0; k < m; k++)
		begin(&t, y[k], seed[k]);
	tape_walk(&t, from, end);
	for (int i = 0; i < n; i++)
		out[i] = result(&t, end, wrt[i]);
	return g->session->errors == errors;
}

bool autodiff_vjp(struct graph *g, struct node *y, struct node *seed, int n, struct node *const *wrt, struct node **out)
{
	return autodiff_vjps(g, 0, 1, &y, &seed, n, wrt, out);
}
