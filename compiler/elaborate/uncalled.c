/* uncalled.c — functions that nothing calls, for `pmlc check`: walked once with arguments as declared. Only functions
 * whose signature says everything can be: generic ones, and ones with host parameters, are checked where they are
 * called. */
#include "elaborate.h"
#include "values/values.h"

/* A state belongs to the place that calls; there is none. */
static bool has_states(const struct stmt *s)
{
	for (; s; s = s->next)
		if (s->kind == STMT_STATE || has_states(s->body) || has_states(s->other))
			return true;
	return false;
}

static bool says_everything(const struct item *f)
{
	if (f->generics.n || has_states(f->body))
		return false;
	for (int i = 0; i < f->params.n; i++) {
		const struct type *t = f->params.at[i].type;
		if (f->params.at[i].init)
			continue;
		if (!t || t->kind == TYPE_TUPLE || t->kind == TYPE_ARRAY || t->item || !t->has_dims)
			return false;
		for (int d = 0; d < t->dims.n; d++)
			if (t->dims.at[d].form != DIM_EXPR)
				return false;
	}
	return true;
}

/* A tensor of the declared type that holds nothing in particular, whole where no layout is declared. */
static const struct value *any_value(struct elab *e, const struct param *p)
{
	struct tensor_type t;
	if (!type_resolve(e, p->type, &t))
		return &value_error;
	struct node_site site = elab_site(e, p->span);
	struct graph *g = region_graph(e);
	site.name = p->name.text;
	struct node *x = graph_fill(g, &site, graph_int(g, &site, DT_I64, 0), &t.shape);
	x = t.dtype == DT_I64 ? x : graph_cast(g, &site, x, t.dtype);
	if (!t.place)
		return tensor_value_of(e, x);
	if (t.layout.form != LAYOUT_GIVEN)
		t.layout = (struct layout_spec){.form = LAYOUT_GIVEN, .layout = layout_broadcast(), .span = p->span};
	return tensor_value_of(e, graph_to(g, &site, x, t.place, &t.layout));
}

void walk_uncalled(struct elab *e, struct item *f)
{
	if (f->kind != ITEM_FN || f->is_called || !says_everything(f))
		return;
	struct arguments args = {.span = {0}};
	bool ok = true;
	for (int i = 0; i < f->params.n; i++) {
		const struct param *p = &f->params.at[i];
		if (p->init)
			continue;
		const struct value *v = any_value(e, p);
		ok = ok && !value_failed(v);
		arguments_push(e, &args, p->name.text, v, p->span);
	}
	if (ok)
		call_function(e, f, &args);
	region_close(e);
}
