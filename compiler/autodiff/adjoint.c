/* adjoint.c — shared by vjp.c and jvp.c. All nodes made here are BACKWARD: their layouts are free. */
#include "adjoint.h"

#include "base/diag.h"
#include "../op/intern.h"

bool adjoint_check(struct graph *g, const struct node *x, bool is_result)
{
	if (dtype_is_float(x->dtype))
		return true;
	struct diag *d =
		diag_error(g->session, is_result ? PML0402 : PML0401, x->span, "%s%s%s%s is %s and has no derivative",
			   x->name ? "`" : "", x->name ? x->name : "this value", x->name ? "`" : "",
			   is_result ? ", the result," : "", dtype_text(x->dtype));
	diag_note(d, "only tensors of f16, bf16, f32 and f64 vary continuously");
	return false;
}

static int most(const struct node *n, const int *varying, int from)
{
	int level = 0;
	for (int i = from; i < n->nin; i++)
		level = varying[n->in[i]->id] > level ? varying[n->in[i]->id] : level;
	return level;
}

static int varies(const struct node *n, const int *varying)
{
	if (n->kind == NODE_STOP || n->kind == NODE_FACTORS || !dtype_is_float(n->dtype))
		return 0;
	if (n->kind == NODE_RULED)
		return most(n, varying, 2);
	if (n->kind == NODE_PULLED)
		return most(n, varying, n->pulled.by->results);
	int level = most(n, varying, 0);
	if (n->kind == NODE_TANGENT)
		return level && varying[n->in[0]->id] == level ? 1 + n->depth : 0;
	return level;
}

bool adjoint_goes_on(const int *varying, const struct node *n, int i)
{
	int level = varying[n->in[i]->id];
	if (n->kind == NODE_TANGENT)
		return i == 0 && varying[n->id];
	if (n->kind == NODE_RULED)
		return i == 1 && level == 1 + n->depth;
	return level && level == varying[n->id] && (n->kind != NODE_PULLED || i >= n->pulled.by->results);
}

/* What is carried varies where what it becomes does: then all is looked at once more. */
static bool carries_on(const struct node *n, int *varying)
{
	if (n->kind != NODE_END || varying[n->in[1]->id] <= varying[n->in[0]->id])
		return false;
	varying[n->in[0]->id] = varying[n->in[1]->id];
	return true;
}

int adjoint_end(const struct graph *g, int m, struct node *const *y)
{
	const struct node *last = y[0];
	for (int k = 1; k < m; k++)
		last = y[k]->id > last->id ? y[k] : last;
	int end = last->id + 1;
	while (node_is_exit(last) && end < g->nodes.n && node_is_exit(g->nodes.at[end]) &&
	       g->nodes.at[end]->of == last->of)
		end++;
	return end;
}

int *adjoint_varying(struct graph *g, int from, int end, int n, struct node *const *wrt)
{
	int *varying = ARENA_ARRAY(g->arena, int, end);
	bool *is_wrt = ARENA_ARRAY(g->arena, bool, end);
	for (int i = 0; i < n; i++)
		if (wrt[i]->id < end)
			varying[wrt[i]->id] = is_wrt[wrt[i]->id] = true;
	for (bool more = true; more;) {
		more = false;
		for (int id = from; id < end; id++) {
			const struct node *x = g->nodes.at[id];
			int level = is_wrt[id] ? 1 : varies(x, varying);
			/* What is carried keeps what it has got from the turn before. */
			varying[id] = x->kind == NODE_CARRY && varying[id] > level ? varying[id] : level;
			more |= carries_on(x, varying);
		}
	}
	return varying;
}

static struct node *move(struct graph *g, const struct node *forward, struct node *x, const struct place *p)
{
	struct node_site at = node_site_backward(forward);
	struct layout_spec anywhere = {.form = LAYOUT_INFER};
	return graph_to(g, &at, x, p, &anywhere);
}

struct node *adjoint_bring(struct graph *g, const struct node *forward, struct node *x, const struct place *p)
{
	return !p || !x->place || x->place == p ? x : move(g, forward, x, p);
}

struct node *adjoint_pin(struct graph *g, const struct node *forward, struct node *x, const struct place *p)
{
	return !p || x->place == p ? x : move(g, forward, x, p);
}

struct node *adjoint_add(struct graph *g, const struct node *forward, struct node *a, struct node *b)
{
	if (!a || !b)
		return a ? a : b;
	struct node_site at = node_site_backward(forward);
	return graph_pointwise(g, &at, SC_ADD, a, adjoint_bring(g, forward, b, a->place), NULL);
}

struct node *adjoint_zeros(struct graph *g, const struct node *x)
{
	struct node_site at = node_site_backward(x);
	return graph_zeros(g, &at, x->dtype, &x->shape);
}

struct node *adjoint_or_zeros(struct graph *g, const struct node *x, struct node *c)
{
	return adjoint_pin(g, x, c ? c : adjoint_zeros(g, x), x->place);
}

static const struct scalar *replaced(struct arena *a, const struct scalar *s, const struct scalar *what,
				     const struct scalar *with, struct map *done)
{
	if (scalar_equal(s, what))
		return with;
	if (s->kind != SCALAR_APPLY)
		return s;
	const struct scalar *known = map_get(done, s), *arg[3] = {NULL};
	for (int k = 0; k < scalar_arity(s->fn) && !known; k++)
		arg[k] = replaced(a, s->arg[k], what, with, done);
	known = known ? known : scalar_apply(a, s->fn, s->type, arg[0], arg[1], arg[2]);
	map_set(done, s, (void *)known);
	return known;
}

/* Reading the result costs less than an exp or tanh. */
enum { COSTLY = 8 };

static bool result_is_body(const struct rule *r)
{
	if (r->combiner != COMBINE_NONE || rule_is_scatter(r) || scalar_flops(r->body) < COSTLY)
		return false;
	for (int i = 0; i < r->noperands; i++)
		for (int d = 0; d < r->operand[i].rank; d++)
			if (r->operand[i].index[d].guarded)
				return false;
	return true;
}

/* The derivative of tanh(a) is 1 - tanh(a) * tanh(a): where a derivative d contains r's own body it reads r's result
 * instead, which is operand r->noperands of d. */
static const struct rule *reuse_result(const struct graph *g, const struct rule *r, const struct rule *d)
{
	struct map done;
	struct derived *reusing = rule_derived(graph_rule(g, d), DERIVE_REUSE, (uintptr_t)r, 0);
	if (!reusing->is_wanted)
		return reusing->rule;
	struct rule fresh = *d;
	map_init(&done, g->arena);
	if (result_is_body(r))
		fresh.body = replaced(g->arena, d->body, r->body, scalar_operand(g->arena, r->out.type, r->noperands),
				      &done);
	return rule_derived_is(reusing, graph_rule(g, &fresh));
}

/* A derivative leaves out the points that the operator leaves out because some operand has no such element, and often
 * needs nothing else of that operand, as of a linear stencil's: then zeros of its extent do, so that the operand is not
 * kept for the backward pass, nor fetched from other ranks. */
static struct node *map_of_what_is_read(struct graph *g, const struct node_site *at, const struct rule *r,
					struct node *const *in)
{
	struct node *all[MAX_OPERANDS], *some[MAX_OPERANDS];
	int kept[MAX_OPERANDS], nkept;
	for (int i = 0; i < r->noperands; i++)
		all[i] = in[i];
	r = rule_prune_inputs(g, r, all);
	const struct rule *apart = rule_guards_apart(g->arena, r, kept, &nkept);
	for (int i = 0; i < nkept; i++)
		some[i] = all[kept[i]];
	if (apart == r || nodes_place(nkept, some) != nodes_place(r->noperands, all))
		return graph_map(g, at, r, all);
	for (int i = nkept; i < apart->noperands; i++) {
		struct shape s = {.rank = 1, .dim = {apart->operand[i].dim[0]}};
		some[i] = graph_fill(g, at, graph_float(g, at, apart->operand[i].type, 0), &s);
	}
	return graph_map(g, at, apart, some);
}

struct node *adjoint_map(struct graph *g, struct node *n, const struct rule_gradient *d, struct node *const *values,
			 struct node *moving)
{
	if (d->error)
		diag_error(g->session, PML0403, n->span, "the derivative of `%s` cannot be written: %s", n->rule->name,
			   d->error);
	if (!d->rule)
		return NULL;
	struct node_site at = node_site_backward(n);
	struct node *in[MAX_OPERANDS] = {NULL};
	for (int i = 0; i <= n->nin; i++)
		in[i] = values[i];
	in[n->nin + 1] = moving;
	for (int i = 0; i < MAX_HELPERS && d->helper[i]; i++)
		in[n->nin + 2 + i] = graph_map_pruned(g, &at, d->helper[i], in);
	return map_of_what_is_read(g, &at, reuse_result(g, n->rule, d->rule), in);
}
