/* steps.c — what all steps use: bodies, applications, operands. */
#include "program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- bodies ---- */

static struct body *b_new(struct maker *m, enum fn fn, enum dtype t)
{
	struct body *b = heap_new(m->heap, sizeof *b);
	b->fn = fn;
	b->type = t;
	return b;
}

const struct body *b_operand(struct maker *m, int k, enum dtype t)
{
	struct body *b = b_new(m, FN_OPERAND, t);
	b->index = k;
	return b;
}

const struct body *b_const(struct maker *m, enum dtype t, double v)
{
	struct body *b = b_new(m, FN_CONST, t);
	b->value = v;
	return b;
}

const struct body *b_factor(struct maker *m, int f)
{
	struct body *b = b_new(m, FN_FACTOR, I32);
	b->index = f;
	return b;
}

const struct body *b_fn(struct maker *m, enum fn fn, enum dtype t, const struct body *x, const struct body *y,
			const struct body *z)
{
	struct body *b = b_new(m, fn, t);
	b->arg[0] = x;
	b->arg[1] = y;
	b->arg[2] = z;
	return b;
}

/* ---- applications ---- */

struct app *app_new(struct maker *m, const struct body *b, int noperands)
{
	struct app *a = heap_new(m->heap, sizeof *a);
	a->body = b;
	a->noperands = noperands;
	if (b)
		a->out.type = b->type;
	for (int k = 0; k <= MAX_OPERANDS; k++)
		for (int d = 0; d < MAX_DIM; d++)
			(k < MAX_OPERANDS ? &a->in[k] : &a->out)->index[d].data = -1;
	return a;
}

void add_dim(struct access *at, int extent, int factor)
{
	at->shape.dim[at->shape.rank] = extent;
	if (factor >= 0)
		at->index[at->shape.rank].coef[factor] = 1;
	at->shape.rank++;
}

const struct app *app_pointwise(struct maker *m, const struct body *b, const int *in, int n)
{
	struct app *a = app_new(m, b, n);
	int rank = 0;
	for (int k = 0; k < n; k++)
		rank = m->node[in[k]].shape.rank > rank ? m->node[in[k]].shape.rank : rank;
	for (int d = 0; d < rank; d++) {
		int extent = 1;
		for (int k = 0; k < n; k++) {
			const struct shape *s = &m->node[in[k]].shape;
			int at = d - (rank - s->rank), e = at < 0 ? 1 : s->dim[at];
			if (e != 1 && extent != 1 && e != extent)
				return NULL;
			extent = e != 1 ? e : extent;
		}
		a->extent[a->nfactors++] = extent;
		add_dim(&a->out, extent, d);
	}
	for (int k = 0; k < n; k++) {
		const struct node *x = &m->node[in[k]];
		a->in[k].type = x->type;
		for (int d = 0; d < x->shape.rank; d++) {
			int f = d + rank - x->shape.rank;
			add_dim(&a->in[k], x->shape.dim[d], x->shape.dim[d] == a->extent[f] ? f : -1);
		}
	}
	return a;
}

const struct app *app_reduce(struct maker *m, int x, int d, enum joiner j, enum dtype out)
{
	const struct node *n = &m->node[x];
	const struct body *b = b_operand(m, 0, n->type);
	if (n->type == BOOL && out == I32)
		b = b_fn(m, FN_CAST, I32, b, NULL, NULL);
	struct app *a = app_new(m, b, 1);
	a->joiner = j;
	a->in[0].type = n->type;
	a->out.type = out;
	for (int i = 0; i < n->shape.rank; i++) {
		int f = a->nfactors++;
		a->extent[f] = n->shape.dim[i];
		add_dim(&a->in[0], n->shape.dim[i], f);
		a->reduced[f] = i == d || d < 0;
		if (!a->reduced[f])
			add_dim(&a->out, n->shape.dim[i], f);
	}
	return a;
}

const struct app *app_along(struct maker *m, enum fn fn, int x, int y, int d)
{
	const struct node *n = &m->node[x], *o = &m->node[y];
	struct app *a = app_new(m, b_fn(m, fn, n->type, b_operand(m, 0, n->type), b_operand(m, 1, n->type), NULL), 2);
	a->in[0].type = n->type;
	a->in[1].type = o->type;
	for (int i = 0; i < n->shape.rank; i++) {
		int f = a->nfactors++;
		a->extent[f] = n->shape.dim[i];
		add_dim(&a->in[0], n->shape.dim[i], f);
		if (i != d)
			add_dim(&a->in[1], n->shape.dim[i], f);
		add_dim(&a->out, n->shape.dim[i], f);
	}
	return a;
}

/* ---- operands ---- */

bool is_any(const struct maker *m, const struct node *n, const void *with)
{
	(void)with;
	return !m->smooth || dtype_is_float(n->type);
}

bool is_float(const struct maker *m, const struct node *n, const void *with)
{
	(void)m, (void)with;
	return dtype_is_float(n->type);
}

bool is_number(const struct maker *m, const struct node *n, const void *with)
{
	(void)with;
	return n->type != BOOL && (!m->smooth || dtype_is_float(n->type));
}

bool is_int(const struct maker *m, const struct node *n, const void *with)
{
	(void)m, (void)with;
	return n->type == I32;
}

bool is_bool(const struct maker *m, const struct node *n, const void *with)
{
	(void)m, (void)with;
	return n->type == BOOL;
}

struct shape some_shape(struct maker *m, int rank)
{
	static const int sizes[] = {1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 12, 13};
	struct shape s = {.rank = rank};
	for (int d = 0; d < rank; d++)
		s.dim[d] = sizes[dice_below(&m->dice, rank > 2 ? 9 : rank > 1 ? 12 : 14)];
	if (rank && !m->smooth && dice_chance(&m->dice, 2))
		s.dim[dice_below(&m->dice, rank)] = 0;
	return s;
}

static const struct place *some_place(struct maker *m)
{
	if (dice_chance(&m->dice, m->in_function ? 90 : 75))
		return m->at;
	return &m->world->place[dice_below(&m->dice, m->world->nplaces)];
}

static enum dtype type_for(struct maker *m, node_test *fits)
{
	if (fits == is_bool)
		return BOOL;
	if (fits == is_int)
		return I32;
	if (fits == is_any && !m->smooth && dice_chance(&m->dice, 10))
		return BOOL;
	if (fits != is_float && !m->smooth && dice_chance(&m->dice, 20))
		return I32;
	return dice_chance(&m->dice, 60) ? F32 : F64;
}

int some_variable(struct maker *m, node_test *fits)
{
	static const int ranks[] = {0, 1, 1, 2, 2, 2, 2, 3, 3, 4};
	int found = dice_chance(&m->dice, 88) ? find_variable(m, fits, NULL) : -1;
	if (found >= 0)
		return found;
	struct shape s = some_shape(m, ranks[dice_below(&m->dice, 10)]);
	const struct place *p = dice_chance(&m->dice, 5) ? NULL : some_place(m);
	enum dtype t = type_for(m, fits);
	struct layout l = {0};
	if (p)
		l = some_layout(m, p, &s, parts_percent(m, t, 10));
	return new_source(m, t, &s, p, &l);
}

int take(struct maker *m, int variable, const char **text)
{
	struct variable *v = &m->pool[variable];
	const struct node *n = &m->node[v->node];
	*text = v->text;
	if (!n->place || !dice_chance(&m->dice, 12))
		return v->node;
	struct layout l = some_layout(m, n->place, &n->shape, parts_percent(m, n->type, 10));
	*text = heap_text(m->heap, "(%s to %s)", v->text, layout_text(m->heap, n->place, &l));
	return node_move(m, v->node, n->place, &l);
}

int literal(struct maker *m, enum dtype t, double v)
{
	int n = node_source(m, t, &(struct shape){0}, NULL, &(struct layout){0});
	m->node[n].v[0] = v;
	m->node[n].scale = fabs(v);
	return n;
}

/* ---- any step ---- */

static int total(const struct maker *m, const struct step *s)
{
	int weight = 0;
	for (; s->name; s++)
		weight += !m->smooth || s->smooth ? s->weight : 0;
	return weight;
}

static int step_of(struct maker *m, const struct step *const *tables, int n)
{
	int all = 0;
	for (int i = 0; i < n; i++)
		all += total(m, tables[i]);
	int pick = dice_below(&m->dice, all);
	for (int i = 0; i < n; i++)
		for (const struct step *s = tables[i]; s->name; s++) {
			int weight = !m->smooth || s->smooth ? s->weight : 0;
			if (pick < weight)
				return s->make(m);
			pick -= weight;
		}
	return -1;
}

int step_any(struct maker *m)
{
	const struct step *const tables[] = {steps_elementwise, steps_shape, steps_product, steps_library,
					     steps_own,         steps_order, steps_index};
	const struct step *const of_parts[] = {steps_of_parts};
	if (m->parts && dice_chance(&m->dice, 50))
		return step_of(m, of_parts, 1);
	return step_of(m, tables, sizeof tables / sizeof *tables);
}

static const char *axis_name(const struct place *p, int axis)
{
	bool named = p->naxes > 1 || strcmp(p->text, p->name); /* or part of a grid */
	return named ? p->axis[axis] : "";
}

/* `x to @p`: an axis keeps what the axis of its name had. */
static struct layout carried_over(const struct place *from, const struct layout *l, const struct place *to)
{
	struct layout out = {0};
	for (int x = 0; x < to->naxes; x++)
		for (int y = 0; y < from->naxes; y++)
			if (!strcmp(axis_name(to, x), axis_name(from, y)))
				out.axis[x] = l->axis[y];
	return out;
}

int step_move(struct maker *m, int variable)
{
	const struct variable *v = &m->pool[variable];
	const struct node *n = &m->node[v->node];
	int first = m->nnodes;
	const struct place *p = n->place && dice_chance(&m->dice, m->in_function ? 85 : 60) ? n->place : some_place(m);
	struct layout l = some_layout(m, p, &n->shape, parts_percent(m, n->type, 20));
	bool carried = n->place && p != n->place && dice_chance(&m->dice, 25);
	if (carried)
		l = carried_over(n->place, &n->layout, p);
	int to = node_move(m, v->node, p, &l);
	if (carried)
		return define(m, first, to, heap_text(m->heap, "%s to @%s", v->text, p->text));
	if (p == n->place)
		return define(m, first, to, heap_text(m->heap, "%s to %s", v->text, layout_text(m->heap, p, &l)));
	return define(m, first, to, heap_text(m->heap, "%s to %s", v->text, place_layout(m, p, &l)));
}
