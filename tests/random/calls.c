/* calls.c — functions: parameters in all the ways a signature can say them, results, several calls. */
#include "calls.h"

#include <stdlib.h>
#include <string.h>

void function_begin(struct maker *m, struct function *f)
{
	*f = (struct function){.name = new_name(m, "f"),
			       .outer_text = m->text,
			       .outer_indent = m->indent,
			       .outer_pool = malloc(sizeof m->pool),
			       .outer_npool = m->npool};
	memcpy(f->outer_pool, m->pool, sizeof m->pool);
	m->text = (struct buffer){0};
	m->npool = 0;
	m->indent = 1;
	m->in_function = true;
}

static const char *add_generic(struct maker *m, struct function *f, const char *stem, const char *kind)
{
	const char *name = heap_text(m->heap, "%s%d", stem, f->ngenerics++);
	f->generics =
		heap_text(m->heap, "%s%s%s%s", f->generics ? f->generics : "", f->generics ? ", " : "", name, kind);
	return name;
}

static const char *sizes_text(struct maker *m, struct function *f, const struct node *n)
{
	const char *text = "";
	if (!n->shape.rank)
		return "";
	for (int d = 0; d < n->shape.rank; d++) {
		const char *size = dice_chance(&m->dice, 50) ? add_generic(m, f, "n", "")
							     : heap_text(m->heap, "%d", n->shape.dim[d]);
		text = heap_text(m->heap, "%s%s%s", text, d ? ", " : "", size);
	}
	return heap_text(m->heap, "[%s]", text);
}

/* What a whole value becomes at a parameter that wants a part or a share of it. */
static int narrowed(struct maker *m, int n, struct layout *l)
{
	const struct node *x = &m->node[n];
	struct layout has = *l;
	for (int a = 0; a < x->place->naxes; a++)
		if (l->axis[a].kind == ATOM_B && x->shape.rank && dice_chance(&m->dice, 50))
			l->axis[a] = (struct atom){ATOM_S, dice_below(&m->dice, x->shape.rank), SUM};
	if (!layout_converts(x->place, &has, l, &x->shape))
		*l = has;
	return node_move(m, n, x->place, l);
}

void function_param(struct maker *m, struct function *f, int n)
{
	struct node x = m->node[n];
	const char *name = new_name(m, "p"), *shape = x.shape.rank ? shape_text(m->heap, &x.shape) : "";
	bool part = layout_has_part(x.place, &x.layout);
	const char *type = heap_text(m->heap, " : %s", type_text(m, n));
	int inside = node_move(m, n, x.place, &x.layout); /* of its own: one value may be given for two parameters */
	switch (dice_below(&m->dice, part ? 3 : 8)) {
	case 0:
		type = heap_text(m->heap, " : %s%s %s", dtype_names[x.type], sizes_text(m, f, &x),
				 place_layout(m, x.place, &x.layout));
		break;
	case 1:
		inside = narrowed(m, n, &x.layout);
		type = heap_text(m->heap, " : %s", type_text(m, inside));
		break;
	case 3:
		type = "";
		break;
	case 4:
		type = heap_text(m->heap, " : %s%s", dtype_names[x.type], sizes_text(m, f, &x));
		break;
	case 5:
		type = heap_text(m->heap, " : %s%s @ %s : %s", dtype_names[x.type], shape,
				 add_generic(m, f, "q", ": place"), add_generic(m, f, "l", ": layout"));
		break;
	case 6:
		if (dtype_is_float(x.type))
			type = heap_text(m->heap, " : %s%s", add_generic(m, f, "t", ": float"), sizes_text(m, f, &x));
		break;
	default:
		break;
	}
	f->params = heap_text(m->heap, "%s%s%s%s", f->params ? f->params : "", f->params ? ", " : "", name, type);
	f->param_name[f->nparams] = name;
	f->param_node[f->nparams] = inside;
	f->arg_node[f->nparams++] = n;
	m->pool[m->npool++] = (struct variable){name, inside, false};
}

/* Back to main; the function's text is an item. */
void function_end(struct maker *m, struct function *f, const char *result_type)
{
	const char *generics = f->generics ? heap_text(m->heap, "[%s]", f->generics) : "";
	buffer_add(&m->items, "fn %s%s(%s)%s {\n%s}\n", f->name, generics, f->params ? f->params : "", result_type,
		   m->text.at ? m->text.at : "");
	buffer_free(&m->text);
	m->text = f->outer_text;
	m->indent = f->outer_indent;
	memcpy(m->pool, f->outer_pool, sizeof m->pool);
	m->npool = f->outer_npool;
	free(f->outer_pool);
	m->in_function = false;
}

static bool is_here(const struct maker *m, const struct node *n, const void *with)
{
	(void)with;
	return n->place == m->at;
}

static bool is_alike(const struct maker *m, const struct node *n, const void *with)
{
	const struct node *o = with;
	(void)m;
	return n->type == o->type && shape_same(&n->shape, &o->shape) && n->place == o->place &&
	       layout_same(n->place, &n->layout, &o->layout);
}

static const char *arguments(struct maker *m, const struct function *f, const int *variable)
{
	const char *text = "";
	for (int k = 0; k < f->nparams; k++)
		text = heap_text(m->heap, "%s%s%s", text, k ? ", " : "", m->pool[variable[k]].text);
	return text;
}

/* The same function of other values of the same types. */
static void call_again(struct maker *m, const struct function *f, int first, int last, int result)
{
	int variable[MAX_PARAMS], node[MAX_PARAMS], start = m->nnodes;
	for (int k = 0; k < f->nparams; k++) {
		struct node n = m->node[f->arg_node[k]];
		variable[k] = find_variable(m, is_alike, &n);
		if (variable[k] < 0 || m->npool > MAX_POOL - 10)
			return;
		node[k] = m->pool[variable[k]].node;
	}
	int r = node_replay(m, first, last, f->param_node, node, f->nparams, result);
	if (m->failed || m->undecided || !usable(m, r)) {
		m->nnodes = start;
		m->failed = m->undecided = false;
		return;
	}
	const char *name = new_name(m, "v");
	line(m, "let %s = %s(%s);", name, f->name, arguments(m, f, variable));
	m->pool[m->npool++] = (struct variable){name, r, false};
}

void make_function(struct maker *m)
{
	struct function f;
	int variable[MAX_PARAMS], n = dice_range(&m->dice, 1, MAX_PARAMS), args = 0;
	make_steps(m, 2, 4);
	for (int k = 0; k < n; k++) {
		int v = find_variable(m, is_here, NULL);
		if (v >= 0)
			variable[args++] = v;
	}
	if (!args) {
		show(m, 3);
		return;
	}
	function_begin(m, &f);
	for (int k = 0; k < args; k++)
		function_param(m, &f, f.outer_pool[variable[k]].node);
	int first = m->nnodes;
	make_steps(m, 2, 6);
	if (dice_chance(&m->dice, 20))
		make_loop(m);
	int result = m->npool - 1;
	for (int tries = 0; tries < 10 && !m->node[m->pool[result].node].place; tries++)
		result = dice_below(&m->dice, m->npool);
	int r = m->pool[result].node;
	if (!m->node[r].place)
		r = m->pool[result = 0].node;
	bool part = layout_has_part(m->node[r].place, &m->node[r].layout);
	line(m, "return %s;", m->pool[result].text);
	function_end(m, &f, part || dice_chance(&m->dice, 40) ? heap_text(m->heap, " -> %s", type_text(m, r)) : "");
	const char *name = new_name(m, "v");
	line(m, "let %s = %s(%s);", name, f.name, arguments(m, &f, variable));
	m->pool[m->npool++] = (struct variable){name, r, false};
	int last = m->nnodes;
	make_steps(m, 0, 2);
	call_again(m, &f, first, last, r);
	show(m, 4);
}
