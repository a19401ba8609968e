/* program.c — the text of the program at hand, its variables, and what it must print. */
#include "program.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- layouts ---- */

struct layout some_layout(struct maker *m, const struct place *p, const struct shape *s, int parts_percent)
{
	struct layout l = {0};
	enum combiner c = dice_chance(&m->dice, 75) ? SUM : (enum combiner)dice_below(&m->dice, COMBINERS);
	if (m->parts && parts_percent) {
		parts_percent = 55;
		c = m->combiner;
	}
	for (int x = 0; x < p->naxes; x++) {
		if (dice_chance(&m->dice, parts_percent))
			l.axis[x] = (struct atom){ATOM_P, 0, c};
		else if (s->rank && dice_chance(&m->dice, 65))
			l.axis[x] = (struct atom){ATOM_S, dice_below(&m->dice, s->rank), SUM};
	}
	return l;
}

int parts_percent(const struct maker *m, enum dtype t, int percent)
{
	bool extremum = m->combiner == MAX || m->combiner == MIN;
	return t != BOOL || (m->parts && extremum) ? percent : 0;
}

/* ---- text ---- */

const char *new_name(struct maker *m, const char *stem)
{
	return heap_text(m->heap, "%s%s%d", stem, m->prefix, m->names++);
}

void line(struct maker *m, const char *format, ...)
{
	char text[4000];
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	if (n >= (int)sizeof text)
		m->failed = true;
	buffer_add(&m->text, "%*s%s\n", 4 * m->indent, "", text);
}

const char *place_layout(struct maker *m, const struct place *p, const struct layout *l)
{
	return heap_text(m->heap, "@%s : %s", p->text, layout_text(m->heap, p, l));
}

const char *type_text(struct maker *m, int n)
{
	const struct node *x = &m->node[n];
	const char *shape = x->shape.rank ? shape_text(m->heap, &x->shape) : "";
	return x->place ? heap_text(m->heap, "%s%s %s", dtype_names[x->type], shape,
				    place_layout(m, x->place, &x->layout))
			: heap_text(m->heap, "%s%s", dtype_names[x->type], shape);
}

const char *number(struct maker *m, enum dtype t, double v)
{
	if (t == BOOL)
		return v != 0 ? "true" : "false";
	if (!dtype_is_float(t))
		return heap_text(m->heap, "%d", (int)v);
	const char *text = heap_text(m->heap, "%.9g", v);
	return strpbrk(text, ".e") ? text : heap_text(m->heap, "%s.0", text);
}

/* Forgets the nodes of a step that cannot be, but not those of sources that it has written. */
static void drop(struct maker *m, int first)
{
	for (int i = 0; i < m->npool; i++)
		if (m->pool[i].node >= first)
			first = m->pool[i].node + 1;
	m->nnodes = first;
	m->failed = m->undecided = false;
}

int define(struct maker *m, int first, int n, const char *text)
{
	bool wrong = m->failed && !m->undecided;
	if (m->undecided || (wrong && !m->finished_wrong) || (!wrong && !usable(m, n)) || m->npool == MAX_POOL) {
		drop(m, first);
		return -1;
	}
	const char *name = new_name(m, "v"), *equals = *text == '[' ? "" : " = ";
	m->is_wrong |= wrong;
	m->failed = false;
	if (wrong || *text == '[')
		line(m, "let %s%s%s;%s", name, equals, text, wrong ? " //~" : "");
	else if (m->node[n].place && dice_chance(&m->dice, 40))
		line(m, "let %s : %s = %s;", name, type_text(m, n), text);
	else
		line(m, "let %s = %s;", name, text);
	m->pool[m->npool] = (struct variable){name, n, false};
	return m->npool++;
}

int find_variable(struct maker *m, bool (*fits)(const struct maker *, const struct node *, const void *),
		  const void *with)
{
	int found[MAX_POOL], n = 0;
	for (int i = 0; i < m->npool; i++)
		if (fits(m, &m->node[m->pool[i].node], with))
			found[n++] = i;
	if (!n)
		return -1;
	/* Rather a young one: chains grow long. */
	int a = dice_below(&m->dice, n), b = dice_below(&m->dice, n);
	return found[a > b ? a : b];
}

struct wanted {
	enum dtype type;
	const struct shape *shape;
	const struct place *place;
};

static bool is_wanted(const struct maker *m, const struct node *n, const void *with)
{
	const struct wanted *w = with;
	(void)m;
	return n->type == w->type && shape_same(&n->shape, w->shape) && (!n->place || n->place == w->place);
}

int some_operand(struct maker *m, enum dtype t, const struct shape *s, const struct place *p)
{
	struct wanted w = {t, s, p};
	int found = dice_chance(&m->dice, 70) ? find_variable(m, is_wanted, &w) : -1;
	if (found >= 0)
		return found;
	if (!p)
		return new_source(m, t, s, NULL, &(struct layout){0});
	struct layout l = some_layout(m, p, s, parts_percent(m, t, 8));
	return new_source(m, t, s, p, &l);
}

/* ---- sources ---- */

void source_fill(struct maker *m, int n)
{
	struct node *x = &m->node[n];
	static const int modulus[] = {5, 7, 11, 13};
	int mod = modulus[dice_below(&m->dice, 4)], step = dice_range(&m->dice, 1, mod - 1), low = mod / 2;
	x->scale = 0;
	for (int e = 0; e < shape_volume(&x->shape); e++) {
		int i = e * step % mod;
		x->v[e] = x->type == BOOL                        ? i % 2
			  : m->smooth && dtype_is_float(x->type) ? 0.25 * (i - low) + 0.125
								 : i - low;
		x->scale = fmax(x->scale, fabs(x->v[e]));
	}
	x->modulus = mod;
	x->step = step;
	x->low = low;
	if (m->odd && dtype_is_float(x->type) && !m->smooth)
		odd_fill(m, n);
}

const char *source_text(struct maker *m, int n)
{
	const struct node *x = &m->node[n];
	int volume = shape_volume(&x->shape);
	const char *all = heap_text(m->heap, "iota(%d) * %d %% %d", volume, x->step, x->modulus);
	if (x->odd)
		return odd_text(m, n, all);
	if (x->type == BOOL)
		all = heap_text(m->heap, "(%s) %% 2 == 1", all);
	else
		all = heap_text(m->heap, "(%s) as %s", all, dtype_names[x->type]);
	all = x->shape.rank == 1 ? heap_text(m->heap, "(%s)", all)
				 : heap_text(m->heap, "reshape(%s, %s)", all, shape_text(m->heap, &x->shape));
	if (x->type == I32)
		return heap_text(m->heap, "%s - %d", all, x->low);
	if (x->type == BOOL)
		return all;
	if (m->smooth)
		return heap_text(m->heap, "0.25 * %s - %s", all, number(m, F64, 0.25 * x->low - 0.125));
	return heap_text(m->heap, "%s - %d.0", all, x->low);
}

int new_source(struct maker *m, enum dtype t, const struct shape *s, const struct place *p, const struct layout *l)
{
	int n = node_source(m, t, s, p, l);
	source_fill(m, n);
	const char *name = new_name(m, "x"), *text = source_text(m, n);
	if (p)
		line(m, "let %s = %s to %s;", name, text, place_layout(m, p, l));
	else
		line(m, "let %s = %s;", name, text);
	if (m->npool == MAX_POOL) {
		m->failed = true;
		return 0;
	}
	m->pool[m->npool] = (struct variable){name, n, false};
	return m->npool++;
}

/* ---- expectations: what a print gives, token by token, like the runtime shortens it ---- */

static void expect_dim(struct maker *m, const struct node *n, int d, int at)
{
	int step = 1;
	if (d == n->shape.rank) {
		if (n->type == BOOL)
			buffer_add(&m->expected, " %s", n->v[at] != 0 ? "true" : "false");
		else
			buffer_add(&m->expected, " %.17g", n->v[at]);
		return;
	}
	for (int i = d + 1; i < n->shape.rank; i++)
		step *= n->shape.dim[i];
	buffer_add(&m->expected, " [");
	for (int i = 0; i < n->shape.dim[d]; i++) {
		if (shape_volume(&n->shape) > 1000 && n->shape.dim[d] > 10 && i == 3) {
			buffer_add(&m->expected, " ...");
			i = n->shape.dim[d] - 3;
		}
		expect_dim(m, n, d + 1, at + i * step);
	}
	buffer_add(&m->expected, " ]");
}

void expect_quietly(struct maker *m, int n)
{
	const struct node *x = &m->node[n];
	double tolerance =
		x->exact || !dtype_is_float(x->type) ? 0 : (x->type == F32 ? 1e-4 : 5e-6) * fmax(1, x->scale);
	buffer_add(&m->expected, "#%llu.%d %s %.3g", (unsigned long long)m->seed, m->labels++,
		   x->known ? "known" : "drawn", tolerance);
	expect_dim(m, x, 0, 0);
	buffer_add(&m->expected, "\n");
}

void expect(struct maker *m, int n, const char *text)
{
	line(m, "print(\"#%llu.%d\", %s%s);", (unsigned long long)m->seed, m->labels, text,
	     m->node[n].place ? " to B" : "");
	expect_quietly(m, n);
}
