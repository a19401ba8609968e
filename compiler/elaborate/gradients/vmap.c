/* vmap.c — vmap(f)(x): f for every line of x at once.
 *
 * f is walked once, with a line of each argument for the argument, as the turn of a loop that hands nothing on. Then
 * every node of the turn becomes one for all turns: a map has one factor more, in front (op/turns.c), so layouts, costs
 * and kernels need nothing of their own, and a batch that is split stays so. What cannot be written that way, loops and
 * branches that the running program decides most of all, stays a loop whose results are stacked. */
#include "gradients.h"
#include "../operators/operators.h"

#include <string.h>

struct mapping {
	struct elab *e;
	struct graph *g;
	struct loop *loop;
	int64_t n;      /* lines */
	struct map all; /* node of the turn -> the same of all turns */
};

/* ---- nodes of a turn, for all turns ---- */

static struct node *all_of(const struct mapping *m, struct node *x)
{
	return loop_is_in(x->loop, m->loop) ? map_get(&m->all, x) : x;
}

static const struct rule *over_lines(const struct mapping *m, const struct rule *r, struct node *const *in)
{
	struct rule_turn turn[MAX_OPERANDS];
	for (int i = 0; i < r->noperands; i++) {
		bool changes = loop_is_in(in[i]->loop, m->loop);
		turn[i] = (struct rule_turn){changes ? TURN_LINE : TURN_SAME, m->n, 0, 1};
	}
	return rule_over_turns(m->g->arena, r, m->n, turn, false);
}

static bool is_variable(const struct node *n)
{
	bool variable = n->target->layout.form == LAYOUT_VAR;
	for (int a = 0; n->target->layout.form == LAYOUT_GIVEN && n->target->place && a < n->target->place->naxes; a++)
		variable |= atom_variable(n->target->layout.layout.atom[a]) >= 0;
	return variable;
}

/* A layout of each line as one of all of them. Where no line is split, the lines may be. */
static struct layout_spec layout_over(const struct node *n)
{
	const struct place *p = n->target->place ? n->target->place : n->place;
	struct layout_spec l = layout_spec_of_lines(p, &n->target->layout);
	bool whole = true;
	for (int a = 0; l.form == LAYOUT_GIVEN && p && a < p->naxes; a++)
		whole = whole && l.layout.atom[a].kind == SHARD_B;
	if (l.form == LAYOUT_GIVEN && whole && n->kind == NODE_CONTRACT)
		l = (struct layout_spec){.form = LAYOUT_INFER};
	return l;
}

/* NULL if it cannot be written. */
static struct node *over_all(const struct mapping *m, struct node *n)
{
	struct graph *g = m->g;
	struct node *in[MAX_OPERANDS] = {NULL};
	struct node_site at = node_site_of(n);
	struct shape s = {.rank = n->shape.rank + 1, .dim = {m->n}};
	if (n->shape.rank == MAX_RANK || n->nin > MAX_OPERANDS)
		return NULL;
	memcpy(s.dim + 1, n->shape.dim, sizeof *s.dim * (size_t)n->shape.rank);
	for (int i = 0; i < n->nin; i++) {
		in[i] = all_of(m, n->in[i]);
		if (!in[i])
			return NULL;
	}
	if (at.forward && map_get(&m->all, at.forward))
		at.forward = map_get(&m->all, at.forward);
	const struct rule *r = n->kind == NODE_MAP ? over_lines(m, n->rule, n->in) : NULL;
	const struct node *after = n->after && map_get(&m->all, n->after) ? map_get(&m->all, n->after) : NULL;
	struct layout_spec l;
	switch (n->kind) {
	case NODE_MAP:
		return r ? graph_map(g, &at, r, in) : NULL;
	case NODE_RESHAPE:
		return graph_reshape(g, &at, in[0], &s);
	case NODE_STOP:
		return graph_stop(g, &at, in[0]);
	case NODE_REMAT:
		return graph_remat(g, &at, in[0], after);
	case NODE_CHECK:
		return graph_check(g, &at, in[0], &n->check);
	case NODE_TO:
		l = layout_over(n);
		return is_variable(n) ? NULL : graph_to(g, &at, in[0], n->target->place, &l);
	case NODE_CONTRACT:
		l = layout_over(n);
		return is_variable(n)
			       ? NULL
			       : graph_contract(g, &at, in[0], n->target->place, &l, n->target->what, n->target->where);
	case NODE_LINE:
		return n->of == m->loop && n->nin == 1 ? n->in[0] : NULL;
	case NODE_SLOT:
	case NODE_DATA:
	case NODE_HOST:
	case NODE_CONST:
	case NODE_TURN:
	case NODE_CARRY:
	case NODE_END:
	case NODE_STACK:
	case NODE_KINDS:
		break;
	}
	return NULL;
}

/* The nodes of the turn, which are numbers `from` to the last; false if some have to stay in a loop. */
static bool map_nodes(struct mapping *m, int from)
{
	int end = m->g->nodes.n;
	if (m->g->loops.n > m->loop->id + 1)
		return false;
	for (int i = from; i < end; i++) {
		struct node *n = m->g->nodes.at[i];
		if (!loop_is_in(n->loop, m->loop))
			continue;
		struct node *all = over_all(m, n);
		if (!all) {
			m->g->nodes.n = end;
			return false;
		}
		if (n->kind != NODE_LINE)
			all->remat = n->remat;
		map_set(&m->all, n, all);
	}
	return true;
}

/* Forgets the turn. */
static void drop_turn(struct mapping *m, int from)
{
	struct graph *g = m->g;
	int n = from;
	for (int i = from; i < g->nodes.n; i++) {
		struct node *x = g->nodes.at[i];
		if (loop_is_in(x->loop, m->loop))
			continue;
		if (x->forward && loop_is_in(x->forward->loop, m->loop))
			x->forward = map_get(&m->all, x->forward);
		if (x->after && loop_is_in(x->after->loop, m->loop))
			x->after = map_get(&m->all, x->after);
		g->nodes.at[n] = x;
		x->id = n++;
	}
	g->nodes.n = n;
	g->loops.n = m->loop->id;
}

/* ---- arguments and results ---- */

/* x once for each line. */
static struct node *repeated(const struct mapping *m, struct node *x, struct span at)
{
	struct node_site site = elab_site(m->e, at);
	struct rule *r = ARENA_NEW(m->e->a, struct rule);
	const struct access all_of_it = access_of_shape(x->dtype, &x->shape);
	*r = (struct rule){.name = "repeat", .noperands = 1, .operand = &all_of_it, .nfactors = x->shape.rank};
	r->out = all_of_it;
	for (int i = 0; i < x->shape.rank; i++)
		r->factor[i] = (struct factor){arena_printf(m->e->a, "i%d", i), x->shape.dim[i]};
	r->body = scalar_operand(m->e->a, x->dtype, 0);
	const struct rule *all = over_lines(m, r, &x);
	return all ? graph_map(m->g, &site, all, &x) : NULL;
}

static bool is_over(const struct derived *d, const struct arguments *args, int i)
{
	const struct argument *a = &args->at.at[i];
	for (int k = 0; k < d->over.n; k++) {
		const struct mapped_argument *o = &d->over.at[k];
		const char *name = a->name ? a->name : function_param_name(d->function, i);
		if (o->name ? o->name == name : o->position == i)
			return true;
	}
	return !d->over.n;
}

/* The lines of a tensor, of which there are m->n, -1 so far. */
static const struct value *line_of(struct mapping *m, const struct value *v, const struct argument *a)
{
	struct node_site site = elab_site(m->e, a->span);
	struct node *x = tensor_node(m->e, v, a->span);
	if (!x->shape.rank || (m->n >= 0 && x->shape.dim[0] != m->n) || !x->shape.dim[0]) {
		struct diag *d = elab_error(m->e, PML0414, a->span, "`vmap` goes over the first dimension, this is %s",
					    value_describe(m->e, v));
		if (x->shape.rank && m->n >= 0)
			diag_note(d, "another argument has %lld lines", (long long)m->n);
		diag_help(d, "name the arguments that it goes over: `vmap(f, over = \"x\")`");
		return &value_error;
	}
	m->n = x->shape.dim[0];
	if (!m->loop)
		m->loop = m->g->open = graph_loop(m->g, m->g->open, m->n, a->span);
	struct node *line = graph_line(m->g, &site, m->loop, 1, &x, 0, 1, false);
	line->name = x->name;
	return tensor_value_of(m->e, line);
}

/* A list of numbers is a tensor. */
static const struct value *list_as_tensor(struct elab *e, const struct value *v, struct span at)
{
	struct parts parts = {0};
	bool numbers = value_is_list(v);
	parts_collect(e, v, &parts);
	for (int i = 0; numbers && i < parts.at.n; i++)
		numbers = value_is_number(parts.at.at[i]);
	return numbers ? literal_tensor(e, v, literal_natural_type(e, v), at) : v;
}

static bool take_lines(struct mapping *m, const struct derived *d, struct arguments *args)
{
	for (int i = 0; i < args->at.n; i++) {
		struct argument *a = &args->at.at[i];
		struct parts parts = {0}, lines = {0};
		if (value_failed(a->value))
			return false;
		if (!is_over(d, args, i))
			continue;
		a->value = list_as_tensor(m->e, a->value, a->span);
		if (!value_is_tensor(a->value) && !value_is_composed(a->value))
			continue;
		parts_collect(m->e, a->value, &parts);
		for (int k = 0; k < parts.at.n; k++) {
			const struct value *part = parts.at.at[k];
			const struct value *line = value_is_tensor(part) ? line_of(m, part, a) : part;
			if (value_failed(line))
				return false;
			vec_push(m->e->a, &lines.at, line);
		}
		a->value = parts_replaced(m->e, a->value, &lines);
	}
	if (m->loop)
		return true;
	elab_error(m->e, PML0414, args->span, "`vmap` goes over the lines of tensors, and is given none");
	return false;
}

static const struct value *result(struct mapping *m, const struct value *v, bool is_mapped, struct span at)
{
	struct node_site site = elab_site(m->e, at);
	v = number_as_tensor(m->e, v, at);
	if (!value_is_tensor(v))
		return v;
	struct node *x = tensor_node(m->e, v, at);
	if (!loop_is_in(x->loop, m->loop))
		return tensor_value_of(m->e, repeated(m, x, at));
	return tensor_value_of(m->e, is_mapped ? map_get(&m->all, x) : graph_stack(m->g, &site, m->loop, x, false));
}

static const struct value *results(struct mapping *m, const struct value *v, int from, struct span at)
{
	struct parts parts = {0}, all = {0};
	if (value_failed(v) || v->kind == VALUE_NONE)
		return v;
	if (!value_is_part(v) && !value_is_composed(v)) {
		elab_error(m->e, PML0414, at, "`vmap` takes what a function gives for each line, this is %s",
			   value_describe(m->e, v));
		return &value_error;
	}
	bool is_mapped = map_nodes(m, from);
	parts_collect(m->e, v, &parts);
	for (int i = 0; i < parts.at.n; i++)
		vec_push(m->e->a, &all.at, result(m, parts.at.at[i], is_mapped, at));
	if (is_mapped) {
		drop_turn(m, from);
		region_behind_lines(m->e, m->loop, m->n, &m->all, at);
	}
	return parts_replaced(m->e, v, &all);
}

const struct value *vmap_call(struct elab *e, const struct derived *d, struct arguments *args)
{
	/* A gradient in it reads params as what they are now. */
	if (region_writes(e) && !region_stays_open(e) && !region_loop(e))
		region_close(e);
	struct mapping m = {.e = e, .g = region_graph(e), .n = -1};
	struct loop *outer = m.g->open;
	int from = m.g->nodes.n, slot;
	map_init(&m.all, e->a);
	const struct region_mark *before = region_mark(e);
	const struct value *v = &value_error;
	if (take_lines(&m, d, args)) {
		e->mapped++;
		v = call_value(e, d->function, args);
		e->mapped--;
	}
	m.g->open = outer;
	if (!value_failed(v) && region_assigned(e, before, &slot, 1)) {
		elab_error(e, PML0411, d->span, "a function that `vmap` calls for each line assigns `%s`",
			   e->p->slots.at[slot]->name);
		return &value_error;
	}
	return value_failed(v) ? v : results(&m, v, from, args->span);
}
