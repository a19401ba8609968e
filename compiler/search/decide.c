/* decide.c — a node that the layout stage decides (of gradients): a variable with all its legal choices, and an edge to
 * each input with what it takes to have that in the layout the choice wants. Where several such nodes read one value it
 * is converted for all of them first, which is a variable as well: what they agree on is paid for once. What is carried
 * is a variable that its END shares. */
#include "graph.h"

#include "../layout/owners.h"
#include "../layout/solve.h"

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

/* In the model, where equal lists are one, with the shares that were found with them. */
static struct choice *keep_choices(struct model *m, const struct node *n, struct choice *list, int count)
{
	struct arena *scratch = arena_new("search: choices");
	const struct place *from = n->kind == NODE_TO ? n->in[0]->place : n->place;
	int nin = choice_nin(n);
	struct layout *in = ARENA_ARRAY(scratch, struct layout, (int64_t)count * nin);
	for (int i = 0; i < count; i++) {
		layout_intern_shares(&m->shares, n->place, &list[i].out);
		for (int k = 0; k < nin; k++) {
			in[(int64_t)i * nin + k] = list[i].in[k];
			layout_intern_shares(&m->shares, from, &in[(int64_t)i * nin + k]);
		}
	}
	in = model_list(m, in, sizeof *in * (size_t)count * (size_t)nin);
	for (int i = 0; i < count; i++)
		list[i].in = in + (int64_t)i * nin;
	arena_free(scratch);
	return model_list(m, list, sizeof *list * (size_t)count);
}

/* Those that compute from parts what may be, and read no windows: what is whole is always among them. Axes of one rank
 * say nothing. */
static int plain_choices(const struct adding *x, const struct node *n, struct choice **out)
{
	struct arena *scratch = arena_new("search: choices");
	const struct choice whole = {.work = 0};
	struct choice *list;
	int count = choices_along(scratch, n, n->place, &whole, ALL_AXES, &list), kept = 0;
	bool reproducible = x->g->session->options.reproducible;
	for (int i = 0; i < count; i++)
		if (choice_keeps_parts(n, n->place, &list[i]) && !choice_has_window(n, &list[i]) &&
		    (!reproducible || choice_is_reproducible(n, n->place, &list[i])) && !makes_parts(x, n, &list[i]))
			list[kept++] = list[i];
	*out = keep_choices(x->m, n, list, kept);
	arena_free(scratch);
	return kept;
}

/* Layouts of operand i (-1: of the result) in a list of choices. */
static struct layout *layouts_in(struct model *m, const struct choice *list, int count, int operand)
{
	struct arena *scratch = arena_new("search: layouts");
	struct layout *l = ARENA_ARRAY(scratch, struct layout, count);
	for (int k = 0; k < count; k++)
		l[k] = operand < 0 ? list[k].out : list[k].in[operand];
	struct layout *kept = model_list(m, l, sizeof *l * (size_t)count);
	arena_free(scratch);
	return kept;
}

static struct model_value one_of(struct model *m, const struct node *n, int count, struct layout *layouts)
{
	return (struct model_value){.place = n->place, .var = model_variable(m, count), .n = count, .layout = layouts};
}

static bool has_parts(const struct model_value *v)
{
	for (int i = 0; i < v->n; i++)
		if (layout_has_partial(v->place, &v->layout[i]))
			return true;
	return false;
}

/* Conversions stand where the value is made: in a loop as often as it has turns. */
static void pay_conversion(struct adding *x, const struct node *v, const struct model_value *from,
			   const struct model_value *to, model_price *price)
{
	int64_t weight = x->m->weight;
	x->m->weight = weight ? x->weight * solve_turns(v->loop) : 0;
	model_pay(x->m, v, from, to, price);
	x->m->weight = weight;
}

static int layouts_decided(struct arena *a, const struct node *n, bool parts, struct layout **out)
{
	const struct layout whole = layout_broadcast();
	return layouts_along(a, n->place, &n->shape, parts, &whole, ALL_AXES, out);
}

/* The value as nodes that the stage decides read it. */
static const struct model_value *read_value(struct adding *x, const struct node *n)
{
	const struct node *made = x->made[n->id];
	struct model_value *shared = &x->shared[made->id], *v = &x->value[n->id];
	bool is_decided = x->choices[made->id] || (made->kind == NODE_END && x->choices[made->in[0]->id]);
	if (v->is_free || x->readers[n->id] < 2 || !is_decided)
		return v;
	if (shared->layout)
		return shared;
	struct layout *all;
	int count = layouts_decided(x->m->arena, n, has_parts(v) && n->dtype != DT_BOOL, &all);
	*shared = one_of(x->m, n, count, model_list(x->m, all, sizeof *all * (size_t)count));
	pay_conversion(x, made, v, shared, model_price_move);
	return shared;
}

/* By choice the axes that share out the rows in which the map adds up what it takes as that operand; NULL: none ever
 * do, or it is made in another loop than it is read in. */
static const uint32_t *owning_axes(struct adding *x, const struct node *n, int i, int count, const struct choice *list)
{
	uint32_t *owning = ARENA_ARRAY(x->m->arena, uint32_t, count);
	bool any = false;
	if (n->kind != NODE_MAP || n->in[i]->place != n->place || x->made[n->in[i]->id]->loop != n->loop)
		return NULL;
	for (int k = 0; k < count; k++) {
		owning[k] = owners_axes(n, i, n->place, &list[k].out);
		any |= owning[k] != 0;
	}
	return any ? owning : NULL;
}

/* What goes back to its owners is moved for this map by itself (layout/returns.h). */
static void pay_rows(struct adding *x, const struct node *v, const struct model_value *from,
		     const struct model_value *to, const uint32_t *owning)
{
	int64_t weight = x->m->weight;
	x->m->weight = weight ? x->weight * solve_turns(v->loop) : 0;
	model_pay_rows(x->m, v, from, to, owning);
	x->m->weight = weight;
}

static void pay_inputs(struct adding *x, const struct node *n, const struct model_value *out, const struct choice *list)
{
	struct model_value want = *out;
	for (int i = 0; i < n->nin; i++) {
		const struct node *in = n->in[i];
		want.place = in->place;
		want.layout = layouts_in(x->m, list, out->n, choice_operand(n, i));
		bool as_made = solve_takes_as_made(n, i);
		const uint32_t *owning = owning_axes(x, n, i, out->n, list);
		if (owning && !as_made)
			pay_rows(x, x->made[in->id], read_value(x, in), &want, owning);
		else
			pay_conversion(x, x->made[in->id], as_made ? &x->value[in->id] : read_value(x, in), &want,
				       as_made ? model_price_equal : model_price_move);
	}
}

/* What is brought to another placement comes and goes in any layout. */
static int transfer_choices(struct adding *x, const struct node *n, struct choice **out)
{
	const struct node *in = n->in[0];
	struct arena *scratch = arena_new("search: transfers");
	struct layout *from, *to;
	int nfrom = layouts_decided(scratch, in, false, &from), nto = layouts_decided(scratch, n, false, &to),
	    count = 0;
	struct choice *list = ARENA_ARRAY(scratch, struct choice, (int64_t)nfrom * nto);
	for (int i = 0; i < nto; i++)
		for (int k = 0; k < nfrom; k++)
			list[count++] = (struct choice){.out = to[i], .in = &from[k]};
	*out = keep_choices(x->m, n, list, count);
	arena_free(scratch);
	return count;
}

void adding_decide_carry(struct adding *x, const struct node *n)
{
	struct choice *list;
	int count = plain_choices(x, n, &list);
	struct model_value v = one_of(x->m, n, count, layouts_in(x->m, list, count, -1));
	x->choices[n->id] = list;
	pay_inputs(x, n, &v, list);
	x->value[n->id] = v;
}

void adding_decide_end(struct adding *x, const struct node *n)
{
	const struct model_value *v = &x->value[n->in[0]->id];
	x->value[n->id] = *v;
	pay_conversion(x, x->made[n->in[1]->id], read_value(x, n->in[1]), v, model_price_move);
}

void adding_pay(struct adding *x, const struct node *v, const struct model_value *want)
{
	pay_conversion(x, x->made[v->id], &x->value[v->id], want, model_price_move);
}

void adding_decide(struct adding *x, const struct node *n)
{
	struct choice *list;
	int count = n->kind == NODE_TO ? transfer_choices(x, n, &list) : plain_choices(x, n, &list);
	x->choices[n->id] = list;
	if (n->kind == NODE_TO) {
		struct model_value out = one_of(x->m, n, count, layouts_in(x->m, list, count, -1));
		for (int k = 0; k < count; k++) {
			int64_t ps = model_price_move(x->m, n, n->in[0]->place, &list[k].in[0], n->place, &list[k].out);
			x->m->vars.at[out.var].cost[k] = ps;
		}
		pay_inputs(x, n, &out, list);
		x->value[n->id] = out;
		return;
	}
	struct model_value out = one_of(x->m, n, count, layouts_in(x->m, list, count, -1));
	for (int k = 0; k < count; k++)
		model_add_time(x->m, out.var, k, model_time(x->m, n, &list[k]));
	pay_inputs(x, n, &out, list);
	x->value[n->id] = out;
}
