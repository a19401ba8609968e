/* wrt.c — what a derivative is by: arguments, or params that the function reads. */
#include "wrt.h"

#include <string.h>

/* ---- arguments as variables of the derivative ---- */

bool value_is_float_tensor(struct elab *e, const struct value *v)
{
	return value_is_tensor(v) && dtype_is_float(tensor_dtype(e, v));
}

static const char *argument_name(const struct value *f, const struct arguments *args, int i)
{
	return args->at.at[i].name ? args->at.at[i].name : function_param_name(f, i);
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
	vec_push(e->a, &w->nodes, n);
	vec_push(e->a, &w->slots, -1);
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

/* The element type that the function declares for argument i, DT_COUNT: none. */
static enum dtype declared_type(const struct value *f, const struct argument *a, int i)
{
	int n;
	const struct param *params = function_params(f, &n);
	for (int k = 0; k < n; k++)
		if ((a->name ? params[k].name.text == a->name : k == i) && params[k].type && params[k].type->name.text)
			return dtype_of_text(params[k].type->name.text);
	return DT_COUNT;
}

void wrt_take_number(struct elab *e, const struct value *f, struct arguments *args, int i)
{
	struct argument *a = &args->at.at[i];
	if (!value_is_number(a->value))
		return;
	enum dtype t = declared_type(f, a, i);
	if (t == DT_COUNT && a->value->host.type == HOST_FLOAT)
		t = a->value->host.is_typed ? a->value->host.dtype : DT_F32;
	if (t != DT_COUNT && dtype_is_float(t))
		a->value = tensor_value_of(e, tensor_of_host(e, a->value, t, a->span));
}

bool value_is_differentiable(struct elab *e, const struct value *v)
{
	struct parts parts = {0};
	parts_collect(e, v, &parts);
	bool all = parts.at.n > 0;
	for (int i = 0; i < parts.at.n; i++)
		all = all && value_is_float_tensor(e, parts.at.at[i]);
	return all;
}

/* Whether a param is called so, or a struct or list of params. */
static bool is_param(struct elab *e, const char *name)
{
	size_t n = strlen(name);
	for (int i = 0; i < e->p->slots.n; i++) {
		const struct slot *s = e->p->slots.at[i];
		if (s->slot_class == SLOT_PARAM && strncmp(s->name, name, n) == 0 && strchr(".[", s->name[n]))
			return true;
	}
	return false;
}

static void no_such_argument(struct elab *e, const struct derived *d, const struct name *name)
{
	int n;
	const struct param *params = function_params(d->function, &n);
	struct diag *m = elab_error(e, PML0413, name->span, "the function has no argument `%s` here", name->text);
	if (is_param(e, name->text)) {
		diag_help(m, "`%s` is a param, which is named without quotes: `wrt = %s`", name->text, name->text);
		if (d->wrt.n == 1)
			diag_edit(m, name->span, name->text);
	} else if (n) {
		diag_note(m, "its argument%s %s", n > 1 ? "s are" : " is", param_names(e, params, n));
	}
}

int wrt_named(struct elab *e, const struct derived *d, struct arguments *args, int k)
{
	int found = -1;
	for (int i = 0; i < args->at.n; i++)
		if (argument_name(d->function, args, i) == d->wrt.at[k].text)
			found = i;
	if (found < 0)
		no_such_argument(e, d, &d->wrt.at[k]);
	return found;
}

bool wrt_add_named(struct elab *e, const struct derived *d, struct arguments *args, struct wrt *w)
{
	for (int k = 0; k < d->wrt.n; k++) {
		int found = wrt_named(e, d, args, k);
		if (found < 0)
			return false;
		wrt_take_number(e, d->function, args, found);
		if (!value_is_differentiable(e, args->at.at[found].value)) {
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

void wrt_add_all(struct elab *e, const struct value *f, struct arguments *args, enum wrt_sort sort, struct wrt *w)
{
	for (int i = 0; i < args->at.n; i++) {
		if (sort == WRT_NUMBERS)
			wrt_take_number(e, f, args, i);
		if (value_is_float_tensor(e, args->at.at[i].value) ||
		    (sort != WRT_TENSORS && value_is_differentiable(e, args->at.at[i].value)))
			wrt_add_argument(e, f, args, i, w);
	}
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
struct param_read {
	int slot;
	bool is_line;
	struct node *node;
};
struct reads {
	VEC(struct param_read) at;
};

/* Which turn of a loop reads the param, where `line` is one of its lines; -1: none. */
static int turn_of(struct elab *e, const struct node *line, const struct param_read *r)
{
	if (line->nin == 1)
		return line->in[0] == r->node && r->is_line ? e->p->slots.at[r->slot]->member : -1;
	for (int t = 0; t < line->nin; t++)
		if (line->in[t] == r->node)
			return t;
	return -1;
}

static int place_of(struct elab *e, const struct reads *r, const struct node *line, int turn)
{
	if (turn >= line->nin && line->nin > 1)
		return -1;
	for (int i = 0; i < r->at.n; i++)
		if (r->at.at[i].node == line->in[line->nin > 1 ? turn : 0] && turn_of(e, line, &r->at.at[i]) == turn)
			return i;
	return -1;
}

static void swap_reads(struct reads *r, int i, int k)
{
	struct param_read x = r->at.at[i];
	r->at.at[i] = r->at.at[k];
	r->at.at[k] = x;
}

struct lines {
	VEC(const struct node *) at;
};

/* The lines that a loop reads, by its number. */
static const struct lines *lines_of_loops(struct elab *e, const struct graph *g)
{
	struct lines *of = ARENA_ARRAY(e->a, struct lines, g->loops.n);
	for (int i = 0; i < g->nodes.n; i++)
		if (g->nodes.at[i]->kind == NODE_LINE)
			vec_push(e->a, &of[g->nodes.at[i]->of->id].at, g->nodes.at[i]);
	return of;
}

/* A loop over lists has read them list by list; its turns read one of each list, then the next. The places are those
 * that the lists have. */
static void order_turns(struct elab *e, const struct lines *lines, struct reads *r)
{
	VEC(int) places = {0};
	int turns = 0;
	for (int i = 0; i < r->at.n && lines->at.n; i++) {
		int turn = -1;
		for (int k = 0; k < lines->at.n && turn < 0; k++)
			turn = turn_of(e, lines->at.at[k], &r->at.at[i]);
		if (turn >= 0)
			vec_push(e->a, &places, i);
		turns = turn >= turns ? turn + 1 : turns;
	}
	int next = 0;
	for (int t = 0; next < places.n && t < turns; t++)
		for (int k = 0; k < lines->at.n && next < places.n; k++) {
			int at = place_of(e, r, lines->at.at[k], t);
			if (at >= places.at[next])
				swap_reads(r, at, places.at[next++]);
		}
}

static struct reads all_reads(struct elab *e)
{
	struct slot_reads of = region_reads(e);
	struct reads r = {0};
	for (int i = 0; i < of.at.n; i++) {
		const struct slot *s = e->p->slots.at[of.at.at[i].slot];
		struct param_read x = {s->id, s->members.n, of.at.at[i].node};
		if (!x.is_line)
			vec_push(e->a, &r.at, x);
		for (int k = 0; k < s->members.n; k++) {
			x.slot = s->members.at[k]->id;
			vec_push(e->a, &r.at, x);
		}
	}
	return r;
}

/* The number of the variable that the function reads there. */
static int add_variable(struct elab *e, const struct param_read *r, struct wrt *w, struct map *known)
{
	const struct slot *s = e->p->slots.at[r->slot];
	int *of = map_get(known, r->node);
	if (of)
		return *of;
	of = ARENA_NEW(e->a, int);
	*of = w->nodes.n;
	map_set(known, r->node, of);
	vec_push(e->a, &w->nodes, r->node);
	vec_push(e->a, &w->slots, r->is_line ? s->list->id : s->id);
	return *of;
}

bool wrt_add_params(struct elab *e, const struct derived *d, int n, struct node *const *y, struct wrt *w)
{
	const struct graph *g = region_graph(e);
	struct reads r = all_reads(e);
	struct map known;
	map_init(&known, e->a);
	const struct lines *lines = lines_of_loops(e, g);
	for (int i = 0; i < g->loops.n; i++)
		order_turns(e, &lines[i], &r);
	bool *needed = graph_needed(g, e->a, n, y, false);
	for (int i = 0; i < r.at.n; i++) {
		const struct param_read *x = &r.at.at[i];
		bool is_by_it = needed[x->node->id] || region_is_mentioned(e, x->node);
		if (e->p->slots.at[x->slot]->slot_class == SLOT_PARAM && is_by_it && is_asked_for(d, x->slot))
			vec_push(e->a, &w->params, ((struct wrt_param){x->slot, add_variable(e, x, w, &known)}));
	}
	return check_found(e, d, w);
}
