/* wrt.c — what a derivative is by: arguments, or params that the function reads. */
#include "wrt.h"

#include <string.h>

/* ---- arguments as variables of the derivative ---- */

bool value_is_float_tensor(struct elab *e, const struct value *v)
{
	return value_is_tensor(v) && dtype_is_float(tensor_dtype(e, v));
}

static const char *parameter_name(const struct value *f, int i)
{
	return f->kind == VALUE_FUNCTION && i < f->function->params.n ? f->function->params.at[i].name.text : "";
}

static const char *argument_name(const struct value *f, const struct arguments *args, int i)
{
	return args->at.at[i].name ? args->at.at[i].name : parameter_name(f, i);
}

/* A node of its own for a part of an argument, which is counted among the variables. */
static const struct value *variable(struct elab *e, const struct value *part, const char *name, struct span at,
				    struct wrt *w)
{
	struct node_site site = elab_site(e, at);
	struct node *n = tensor_node(e, part, at);
	struct layout_spec any = {.form = LAYOUT_INFER};
	struct graph *g = region_graph(e);
	site.name = n->name;
	/* In whatever layout it comes, P too: what the function takes, its signature says. */
	n = n->place ? graph_to(g, &site, n, n->place, &any)
		     : graph_contract(g, &site, n, NULL, &any, arena_printf(e->a, "argument `%s`", name), at);
	w->node[w->n] = n;
	w->slot[w->n] = -1;
	w->name[w->n++] = name;
	return tensor_value_of(e, n);
}

void wrt_add_argument(struct elab *e, const struct value *f, struct arguments *args, int i, struct wrt *w)
{
	struct argument *a = &args->at.at[i];
	struct parts parts = {0}, variables = {0};
	parts_collect(e, a->value, &parts);
	for (int k = 0; k < parts.at.n; k++)
		vec_push(e->a, &variables.at, variable(e, parts.at.at[k], argument_name(f, args, i), a->span, w));
	a->value = parts_replaced(e, a->value, &variables);
	vec_push(e->a, &w->arguments, a->value);
}

bool value_is_differentiable(struct elab *e, const struct value *v, const struct wrt *w)
{
	struct parts parts = {0};
	parts_collect(e, v, &parts);
	bool all = parts.at.n > 0 && parts.at.n <= MAX_WRT - w->n;
	for (int i = 0; i < parts.at.n; i++)
		all = all && value_is_float_tensor(e, parts.at.at[i]);
	return all;
}

bool wrt_add_named(struct elab *e, const struct derived *d, struct arguments *args, struct wrt *w)
{
	for (int k = 0; k < d->wrt.n; k++) {
		int found = -1;
		for (int i = 0; i < args->at.n; i++)
			if (argument_name(d->function, args, i) == d->wrt.at[k].text)
				found = i;
		if (found < 0) {
			elab_error(e, PML0413, d->wrt.at[k].span, "the function has no argument `%s` here",
				   d->wrt.at[k].text);
			return false;
		}
		if (!value_is_differentiable(e, args->at.at[found].value, w)) {
			struct diag *m = elab_error(e, PML0413, args->at.at[found].span,
						    "the gradient by `%s` needs a float tensor, this is %s",
						    d->wrt.at[k].text, value_describe(e, args->at.at[found].value));
			diag_note(m, "a struct, tuple, list or gradient of float tensors alone will do as well");
			return false;
		}
		wrt_add_argument(e, d->function, args, found, w);
	}
	return true;
}

void wrt_add_all(struct elab *e, const struct value *f, struct arguments *args, bool composed, struct wrt *w)
{
	for (int i = 0; i < args->at.n; i++)
		if (value_is_float_tensor(e, args->at.at[i].value) ||
		    (composed && value_is_differentiable(e, args->at.at[i].value, w)))
			wrt_add_argument(e, f, args, i, w);
}

/* ---- params as variables ---- */

static bool has_slot(const struct wrt_params *p, int slot)
{
	for (int i = 0; i < p->slots.n; i++)
		if (p->slots.at[i] == slot)
			return true;
	return false;
}

static bool is_asked_for(const struct derived *d, int slot)
{
	for (int i = 0; i < d->only.n; i++)
		if (has_slot(&d->only.at[i], slot))
			return true;
	return d->only.n == 0;
}

/* Everything that `wrt` names must have a part in the function. */
static bool check_found(struct elab *e, const struct derived *d, const struct wrt *w)
{
	for (int i = 0; i < d->only.n; i++) {
		const struct wrt_params *p = &d->only.at[i];
		bool found = false;
		for (int k = 0; k < w->params.n && !found; k++)
			found = has_slot(p, w->params.at[k].slot);
		if (found)
			continue;
		elab_error(e, PML0413, p->span, "the function's result does not depend on `%s`",
			   e->p->slots.at[p->slots.at[0]]->name);
		return false;
	}
	return true;
}

/* Params in the order in which the function reads them, those of a list by way of the list's node. */
struct reads {
	int n, slot[MAX_WRT];
	bool is_line[MAX_WRT];
	struct node *node[MAX_WRT];
};

/* Which turn of a loop reads the param, where `line` is one of its lines; -1: none. */
static int turn_of(struct elab *e, const struct node *line, const struct reads *r, int i)
{
	if (line->nin == 1)
		return line->in[0] == r->node[i] && r->is_line[i] ? e->p->slots.at[r->slot[i]]->member : -1;
	for (int t = 0; t < line->nin; t++)
		if (line->in[t] == r->node[i])
			return t;
	return -1;
}

static int place_of(struct elab *e, const struct reads *r, const struct node *line, int turn)
{
	if (turn >= line->nin && line->nin > 1)
		return -1;
	for (int i = 0; i < r->n; i++)
		if (r->node[i] == line->in[line->nin > 1 ? turn : 0] && turn_of(e, line, r, i) == turn)
			return i;
	return -1;
}

static void swap_reads(struct reads *r, int i, int k)
{
	struct node *node = r->node[i];
	int slot = r->slot[i];
	bool is_line = r->is_line[i];
	r->node[i] = r->node[k];
	r->slot[i] = r->slot[k];
	r->is_line[i] = r->is_line[k];
	r->node[k] = node;
	r->slot[k] = slot;
	r->is_line[k] = is_line;
}

/* A loop over lists has read them list by list; its turns read one of each list, then the next. The places are those
 * that the lists have. */
static void order_turns(struct elab *e, const struct graph *g, const struct loop *l, struct reads *r)
{
	VEC(const struct node *) lines = {0};
	VEC(int) places = {0};
	int turns = 0;
	for (int i = 0; i < g->nodes.n; i++)
		if (g->nodes.at[i]->kind == NODE_LINE && g->nodes.at[i]->of == l)
			vec_push(e->a, &lines, g->nodes.at[i]);
	for (int i = 0; i < r->n && lines.n; i++) {
		int turn = -1;
		for (int k = 0; k < lines.n && turn < 0; k++)
			turn = turn_of(e, lines.at[k], r, i);
		if (turn >= 0)
			vec_push(e->a, &places, i);
		turns = turn >= turns ? turn + 1 : turns;
	}
	int next = 0;
	for (int t = 0; next < places.n && t < turns; t++)
		for (int k = 0; k < lines.n && next < places.n; k++) {
			int at = place_of(e, r, lines.at[k], t);
			if (at >= places.at[next])
				swap_reads(r, at, places.at[next++]);
		}
}

static struct reads *all_reads(struct elab *e)
{
	struct reads *r = ARENA_NEW(e->a, struct reads), *of = ARENA_NEW(e->a, struct reads);
	of->n = region_reads(e, of->slot, of->node, MAX_WRT);
	for (int i = 0; i < of->n; i++) {
		const struct slot *s = e->p->slots.at[of->slot[i]];
		for (int k = 0; k < (s->members.n ? s->members.n : 1) && r->n < MAX_WRT; k++) {
			r->slot[r->n] = s->members.n ? s->members.at[k]->id : s->id;
			r->is_line[r->n] = s->members.n;
			r->node[r->n++] = of->node[i];
		}
	}
	return r;
}

/* The number of the variable that the function reads as read number i. */
static int add_variable(struct elab *e, const struct reads *r, int i, struct wrt *w, struct map *known)
{
	const struct slot *s = e->p->slots.at[r->slot[i]];
	int *of = map_get(known, r->node[i]);
	if (of)
		return *of;
	of = ARENA_NEW(e->a, int);
	*of = w->n;
	map_set(known, r->node[i], of);
	w->node[w->n] = r->node[i];
	w->slot[w->n] = r->is_line[i] ? s->list->id : s->id;
	w->name[w->n] = s->name;
	return w->n++;
}

bool wrt_add_params(struct elab *e, const struct derived *d, int n, struct node *const *y, struct wrt *w)
{
	const struct graph *g = region_graph(e);
	struct reads *r = all_reads(e);
	struct map known;
	map_init(&known, e->a);
	for (int i = 0; i < g->loops.n; i++)
		order_turns(e, g, g->loops.at[i], r);
	bool *needed = graph_needed(g, e->a, n, y, false);
	for (int i = 0; i < r->n; i++) {
		const struct slot *s = e->p->slots.at[r->slot[i]];
		if (s->slot_class != SLOT_PARAM || !needed[r->node[i]->id] || w->n == MAX_WRT ||
		    !is_asked_for(d, r->slot[i]))
			continue;
		vec_push(e->a, &w->params, ((struct wrt_param){s->id, add_variable(e, r, i, w, &known)}));
	}
	return check_found(e, d, w);
}
