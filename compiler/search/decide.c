/* decide.c — a node that the layout stage decides (of gradients): a variable with all its legal choices, and an edge to
 * each input with what it takes to have that in the layout the choice wants. Where several such nodes read one value it
 * is converted for all of them first, which is a variable as well: what they agree on is paid for once. */
#include "graph.h"

#include <string.h>

static bool may_be(const struct model_value *v, int axis, struct shard_atom atom)
{
	for (int i = 0; i < v->n; i++)
		if (atom_equal(v->layout[i].atom[axis], atom))
			return true;
	return false;
}

/* Whether an operand is wanted as parts of a maximum, minimum or product that no operand is: to make parts of what is
 * whole saves nothing but where they are added to other parts, which are sums. */
static bool makes_parts(const struct adding *x, const struct node *n, const struct choice *c)
{
	for (int a = 0; a < n->place->naxes; a++)
		for (int i = 0; i < n->nin; i++) {
			struct shard_atom atom = c->in[choice_operand(n, i)].atom[a];
			bool comes = atom.kind != SHARD_P || atom.combiner == SHARD_SUM;
			for (int k = 0; k < n->nin && !comes; k++)
				comes = may_be(&x->value[n->in[k]->id], a, atom);
			if (!comes)
				return true;
		}
	return false;
}

/* Those that compute from parts what may be, and read no windows, unless there are no others. */
static int keep_plain(const struct adding *x, const struct node *n, struct choice *list, int count)
{
	int kept = 0;
	for (int i = 0; i < count; i++)
		if (choice_keeps_parts(n, n->place, &list[i]) && !choice_has_window(n, &list[i]) &&
		    !makes_parts(x, n, &list[i]))
			list[kept++] = list[i];
	return kept ? kept : count;
}

static struct model_value one_of(struct model *m, const struct node *n, int count)
{
	return (struct model_value){.place = n->place,
				    .var = model_variable(m, count),
				    .n = count,
				    .layout = ARENA_ARRAY(m->arena, struct layout, count)};
}

static bool has_parts(const struct model_value *v)
{
	for (int i = 0; i < v->n; i++)
		if (layout_has_partial(v->place, &v->layout[i]))
			return true;
	return false;
}

/* The value as nodes that the stage decides read it. */
static const struct model_value *read_value(struct adding *x, const struct node *n)
{
	struct model_value *shared = &x->shared[n->id], *v = &x->value[n->id];
	if (v->is_free || x->readers[n->id] < 2 || !adding_decides(n))
		return v;
	if (shared->layout)
		return shared;
	struct layout *all;
	int count = layouts_of(x->m->arena, n->place, &n->shape, has_parts(v) && n->dtype != DT_BOOL, &all);
	*shared = one_of(x->m, n, count);
	memcpy(shared->layout, all, sizeof *all * (size_t)count);
	model_pay(x->m, n, v, shared, model_price_move);
	return shared;
}

static void pay_inputs(struct adding *x, const struct node *n, const struct model_value *out, const struct choice *list)
{
	struct model_value want = *out;
	for (int i = 0; i < n->nin; i++) {
		const struct node *in = n->in[i];
		if (n->kind == NODE_END && i == 0)
			continue;
		want.place = in->place;
		want.layout = ARENA_ARRAY(x->m->arena, struct layout, out->n);
		for (int k = 0; k < out->n; k++)
			want.layout[k] = list[k].in[choice_operand(n, i)];
		bool as_made =
			n->kind == NODE_END || (n->kind == NODE_LINE && in->kind == NODE_STACK && !in->shape.dim[0]);
		model_pay(x->m, in, as_made ? &x->value[in->id] : read_value(x, in), &want,
			  as_made              ? model_price_equal
			  : adding_decides(in) ? model_price_move
					       : model_price_again);
	}
}

/* What is brought to another placement comes and goes in any layout. */
static int transfer_choices(struct adding *x, const struct node *n, struct choice **out)
{
	const struct node *in = n->in[0];
	struct layout *from, *to;
	int nfrom = layouts_of(x->m->arena, in->place, &in->shape, false, &from),
	    nto = layouts_of(x->m->arena, n->place, &n->shape, false, &to), count = 0;
	*out = ARENA_ARRAY(x->m->arena, struct choice, (int64_t)nfrom * nto);
	for (int i = 0; i < nto; i++)
		for (int k = 0; k < nfrom; k++)
			(*out)[count++] = (struct choice){.out = to[i], .in = {from[k]}};
	return count;
}

void adding_decide(struct adding *x, const struct node *n)
{
	struct choice *list;
	int count = n->kind == NODE_TO ? transfer_choices(x, n, &list)
				       : keep_plain(x, n, list, choices_of(x->m->arena, n, &list));
	if (n->kind == NODE_TO) {
		struct model_value out = one_of(x->m, n, n->place->naxes ? count : 1);
		for (int k = 0; k < count; k++) {
			out.layout[k] = list[k].out;
			int64_t ps = model_price_move(x->m, n, n->in[0]->place, &list[k].in[0], n->place, &list[k].out);
			x->m->vars.at[out.var].cost[k] = ps;
		}
		pay_inputs(x, n, &out, list);
		x->value[n->id] = out;
		return;
	}
	struct model_value out = one_of(x->m, n, count);
	for (int k = 0; k < count; k++) {
		out.layout[k] = list[k].out;
		model_add_time(x->m, out.var, k, model_time(x->m, n, &list[k]));
	}
	pay_inputs(x, n, &out, list);
	x->value[n->id] = out;
}
