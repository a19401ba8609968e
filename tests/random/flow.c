/* flow.c — programs: steps in a row, loops, conditions, states, functions. */
#include "program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void make_steps(struct maker *m, int least, int most)
{
	int wanted = dice_range(&m->dice, least, most);
	for (int tries = 0; wanted > 0 && tries < 60 && m->npool < MAX_POOL - 10 && m->nnodes < MAX_NODES / 2; tries++)
		wanted -= step_any(m) >= 0;
}

void show(struct maker *m, int most)
{
	for (int i = m->npool - 1, shown = 0; i >= 0 && shown < most; i--)
		if (shown == 0 || dice_chance(&m->dice, 40)) {
			expect(m, m->pool[i].node, m->pool[i].text);
			shown++;
		}
}

/* ---- variables that change ---- */

static bool can_vary(const struct maker *m, const struct node *n, const void *with)
{
	(void)with, (void)m;
	for (int x = 0; n->place && x < n->place->naxes; x++)
		if (n->layout.axis[x].kind == ATOM_P && n->layout.axis[x].combiner != SUM)
			return false;
	return n->place && n->type != BOOL && n->known;
}

static bool like(const struct maker *m, const struct node *n, const void *with)
{
	const struct node *o = with;
	(void)m;
	return n->type == o->type && shape_same(&n->shape, &o->shape) && n->place == o->place && n->known;
}

/* One statement `y = ...` that keeps the type of y, from what there is; gives the new node, or -1. */
static int assign(struct maker *m, const char *name, int y)
{
	struct node n = m->node[y];
	int z = find_variable(m, like, &n);
	if (z < 0)
		return -1;
	int first = m->nnodes;
	int moved = node_move(m, m->pool[z].node, n.place, &n.layout), in[2] = {y, moved};
	bool minus = dice_chance(&m->dice, 40);
	const struct body *b =
		b_fn(m, minus ? FN_SUB : FN_ADD, n.type, b_operand(m, 0, n.type), b_operand(m, 1, n.type), NULL);
	int r = node_apply(m, app_pointwise(m, b, in, 2), in);
	if (m->failed || m->undecided || !usable(m, r) || !layout_same(n.place, &m->node[r].layout, &n.layout)) {
		m->failed = m->undecided = false;
		m->nnodes = first;
		return -1;
	}
	const char *to = layout_text(m->heap, n.place, &n.layout);
	if (dice_chance(&m->dice, 30))
		line(m, "%s %c= %s to %s;", name, minus ? '-' : '+', m->pool[z].text, to);
	else
		line(m, "%s = %s %c (%s to %s);", name, name, minus ? '-' : '+', m->pool[z].text, to);
	return r;
}

struct changing {
	int variable, node;
	const char *name;
};

static bool begin_var(struct maker *m, struct changing *c)
{
	c->variable = find_variable(m, can_vary, NULL);
	if (c->variable < 0 || m->npool > MAX_POOL - 20)
		return false;
	const struct node *n = &m->node[m->pool[c->variable].node];
	c->node = node_move(m, m->pool[c->variable].node, n->place,
			    &n->layout); /* its own: a loop puts others in its place */
	c->name = new_name(m, "y");
	line(m, "var %s = %s;", c->name, m->pool[c->variable].text);
	m->pool[m->npool++] = (struct variable){c->name, c->node, false};
	return true;
}

/* The variable's own entry in the pool follows it. */
static void set_var(struct maker *m, const struct changing *c, int node)
{
	for (int i = 0; i < m->npool; i++)
		if (!strcmp(m->pool[i].text, c->name))
			m->pool[i].node = node;
}

/* for or while around steps and an assignment; in a function for alone, and nothing is printed. */
void make_loop(struct maker *m)
{
	struct changing c;
	int times = dice_below(&m->dice, 4), outside = m->npool, first;
	if (!begin_var(m, &c))
		return;
	outside = m->npool;
	const char *i = new_name(m, "k"), *every = "";
	if (m->in_function && dice_chance(&m->dice, 40))
		every = heap_text(m->heap, "remat every %d ", dice_range(&m->dice, 1, 3));
	bool counted = !m->in_function && dice_chance(&m->dice, 30);
	if (counted) {
		line(m, "var %s = 0;", i);
		line(m, "while %s < %d {", i, times);
	} else {
		line(m, "%sfor %s in 0..%d {", every, i, times);
	}
	m->indent++;
	first = m->nnodes;
	make_steps(m, 0, 2);
	int y = assign(m, c.name, c.node);
	if (counted)
		line(m, "%s += 1;", i);
	m->indent--;
	line(m, "}");
	m->npool = outside;
	int last = m->nnodes, now = y < 0 || !times ? c.node : y;
	for (int k = 1; k < times && y >= 0; k++)
		now = node_replay(m, first, last, &c.node, &now, 1, y);
	m->spoiled |= m->failed || m->undecided || !usable(m, now);
	set_var(m, &c, now);
	if (!m->in_function)
		expect(m, now, c.name);
}

/* let v = remat { ...; v }; */
void make_remat(struct maker *m)
{
	int outside = m->npool;
	const char *name = new_name(m, "v");
	if (m->npool > MAX_POOL - 20)
		return;
	line(m, "let %s = remat {", name);
	m->indent++;
	make_steps(m, 1, 3);
	int n = m->pool[m->npool - 1].node;
	line(m, "%s", m->pool[m->npool - 1].text);
	m->indent--;
	line(m, "};");
	m->npool = outside;
	m->pool[m->npool++] = (struct variable){name, n, false};
}

static bool is_decisive(const struct maker *m, const struct node *n, const void *with)
{
	(void)with, (void)m;
	for (int e = 0; e < shape_volume(&n->shape); e++)
		if (!isfinite(n->v[e]) || is_far(n->v[e]))
			return false;
	return n->place && n->type != BOOL && n->exact && n->known && shape_volume(&n->shape) > 0 && n->shape.rank < 3;
}

/* The sum of a variable decides. */
static const char *some_condition(struct maker *m, bool *holds)
{
	int v = find_variable(m, is_decisive, NULL);
	if (v < 0) {
		*holds = dice_chance(&m->dice, 50);
		return *holds ? "1 < 2" : "1 > 2";
	}
	const struct node *n = &m->node[m->pool[v].node];
	double sum = 0;
	for (int e = 0; e < shape_volume(&n->shape); e++)
		sum += n->v[e];
	int limit = (int)floor(sum) + dice_range(&m->dice, -1, 1);
	for (int x = 0; x < n->place->naxes; x++)
		if (n->layout.axis[x].kind == ATOM_P && n->layout.axis[x].combiner != SUM) {
			*holds = n->v[0] > limit;
			const char *at = n->shape.rank == 0 ? "" : n->shape.rank == 1 ? "[0]" : "[0, 0]";
			return heap_text(m->heap, "((%s to B)%s > %s)", m->pool[v].text, at, number(m, n->type, limit));
		}
	*holds = sum > limit;
	return heap_text(m->heap, "(sum(%s) to B) > %s", m->pool[v].text, number(m, n->type, limit));
}

void make_condition(struct maker *m)
{
	struct changing c;
	bool holds;
	if (!begin_var(m, &c))
		return;
	int outside = m->npool;
	const char *condition = some_condition(m, &holds);
	line(m, "if %s {", condition);
	m->indent++;
	make_steps(m, 0, 2);
	int then = assign(m, c.name, c.node), otherwise = -1;
	m->npool = outside;
	if (dice_chance(&m->dice, 70)) {
		m->indent--;
		line(m, "} else {");
		m->indent++;
		make_steps(m, 0, 2);
		otherwise = assign(m, c.name, c.node);
		m->npool = outside;
	}
	m->indent--;
	line(m, "}");
	int now = holds ? then : otherwise;
	now = now < 0 ? c.node : now;
	set_var(m, &c, now);
	expect(m, now, c.name);
}

/* A state of the program, or of a function, that is added to in a loop. */
void make_state(struct maker *m)
{
	int v = find_variable(m, can_vary, NULL), times = dice_range(&m->dice, 1, 3);
	if (v < 0 || m->npool > MAX_POOL - 20)
		return;
	struct node n = m->node[m->pool[v].node];
	for (int x = 0; x < n.place->naxes; x++)
		if (n.layout.axis[x].kind == ATOM_P)
			return;
	for (int e = 0; e < shape_volume(&n.shape); e++)
		if (m->odd && is_far(n.v[e]))
			return;
	const char *name = new_name(m, "s"), *f = new_name(m, "f"), *k = new_name(m, "k"), *y = new_name(m, "t");
	const char *type = type_text(m, m->pool[v].node);
	bool inside = dice_chance(&m->dice, 50);
	const char *zeros =
		dtype_is_float(n.type) ? "zeros()" : heap_text(m->heap, "zeros(dtype = %s)", dtype_names[n.type]);
	if (inside)
		buffer_add(&m->items, "fn %s(x) {\n    state s : %s = %s;\n    s = s + x;\n    return s;\n}\n", f, type,
			   zeros);
	else
		buffer_add(&m->items, "state %s : %s = %s;\n", name, type, zeros);
	int first = m->nnodes, r = node_source(m, n.type, &n.shape, n.place, &n.layout);
	for (int i = 0; i < times; i++)
		for (int e = 0; e < shape_volume(&n.shape); e++)
			m->node[r].v[e] += n.v[e];
	m->node[r].exact = n.exact;
	m->node[r].scale = n.scale * times;
	if (!usable(m, r)) {
		m->nnodes = first;
		m->spoiled = true;
		return;
	}
	line(m, "for %s in 0..%d {", k, times);
	if (inside) {
		line(m, "    let %s = %s(%s);", y, f, m->pool[v].text);
		line(m, "    if %s == %d { print(\"#%llu.%d\", %s to B); }", k, times - 1, (unsigned long long)m->seed,
		     m->labels, y);
	} else {
		line(m, "    %s = %s + %s;", name, name, m->pool[v].text);
	}
	line(m, "}");
	if (inside)
		expect_quietly(m, r);
	else
		expect(m, r, name);
}

/* ---- programs ---- */

static void choose_place(struct maker *m)
{
	static const int chances[] = {0, 0, 0, 1, 1, 1, 1, 2, 3, 5, 5};
	m->at = &m->world->place[chances[dice_below(&m->dice, 11)]];
}

/* A layout that the value does not have and cannot be seen in, declared for a name or a parameter. */
static void declare_wrongly(struct maker *m)
{
	int v = find_variable(m, can_vary, NULL);
	if (v < 0)
		return;
	struct node n = m->node[m->pool[v].node];
	struct layout l = some_layout(m, n.place, &n.shape, 20), on_many = l;
	for (int x = 0; x < n.place->naxes; x++)
		if (n.place->size[x] == 1) /* where all layouts are one */
			on_many.axis[x] = n.layout.axis[x];
	if (layout_converts(n.place, &n.layout, &on_many, &n.shape))
		return;
	int moved = node_move(m, m->pool[v].node, n.place, &l);
	const char *name = new_name(m, "v"), *type = type_text(m, moved);
	if (dice_chance(&m->dice, 50)) {
		line(m, "let %s : %s = %s; //~", name, type, m->pool[v].text);
	} else {
		const char *f = new_name(m, "f");
		buffer_add(&m->items, "fn %s(x : %s) -> %s { return x; }\n", f, type, type);
		line(m, "let %s = %s(%s); //~", name, f, m->pool[v].text);
	}
	m->is_wrong = true;
	m->pool[m->npool++] = (struct variable){name, moved, false};
}

static void make_wrong(struct maker *m)
{
	make_steps(m, 2, 5);
	m->finished_wrong = true;
	for (int tries = 0; tries < 80 && !m->is_wrong && m->npool < MAX_POOL - 10; tries++) {
		if (dice_chance(&m->dice, 4)) {
			declare_wrongly(m);
			continue;
		}
		if (dice_chance(&m->dice, 30))
			step_move(m, dice_below(&m->dice, m->npool));
		step_any(m);
	}
	if (m->is_wrong) /* what nothing uses is not looked at */
		expect(m, m->pool[m->npool - 1].node, m->pool[m->npool - 1].text);
	else
		show(m, 2);
}

static void make_control(struct maker *m)
{
	make_steps(m, 2, 6);
	for (int n = dice_range(&m->dice, 1, 3); n > 0; n--) {
		int what = dice_below(&m->dice, 11);
		if (what < 5)
			make_loop(m);
		else if (what == 10)
			make_remat(m);
		else if (what < 8)
			make_condition(m);
		else
			make_state(m);
		make_steps(m, 0, 2);
	}
	show(m, 2);
}

static void make_straight(struct maker *m)
{
	make_steps(m, 4, 14);
	show(m, 4);
}

void program_make(struct maker *m)
{
	enum { ODD = 3 }; /* one program in so many */
	int kind = dice_below(&m->dice, 100);
	m->odd = m->seed % ODD == 0 && kind < 74;
	choose_place(m);
	m->indent = 2;
	m->parts = dice_chance(&m->dice, kind >= 30 && kind < 50 ? 45 : 20);
	m->combiner = dice_chance(&m->dice, 40) ? SUM : (enum combiner)dice_below(&m->dice, COMBINERS);
	if (kind < 30) {
		make_straight(m);
	} else if (kind < 50) {
		make_wrong(m);
	} else if (kind < 62) {
		make_control(m);
	} else if (kind < 74) {
		make_function(m);
	} else {
		m->smooth = true;
		make_gradient(m);
	}
}
