/* graph_loops.c — see graph_loops.h. Values are bounded by sines and hyperbolic tangents, so that many turns of
 * products do not leave the range in which differences mean something. */
#include "graph_loops.h"

enum { MOST_VALUES = 64, MOST_STACKS = 16 };

/* What can be read where nodes are being made; stacks with the loop that made them. */
struct pool {
	struct node *value[MOST_VALUES], *stack[MOST_STACKS];
	struct loop *of[MOST_STACKS];
	int nvalues, nstacks;
};

struct making {
	struct fixture *f;
	struct graph *g;
	uint64_t dice;
	int64_t count; /* the turns of loops that may be counted by the slot */
	bool by_count; /* and are */
	struct node *count_node;
	struct node *xs;
};

static int roll(struct making *m, int n)
{
	return (int)(fixture_random(&m->dice) % (uint64_t)n);
}

void loop_slots(struct fixture *f)
{
	static const char *const name[] = {"x", "w", "xs", "dx", "dw", "dxs", "y"};
	for (int s = 0; s <= LOOP_Y; s++)
		fixture_slot(f, name[s], DT_F64, s % 3 == 2 ? SHAPE(LOOP_LINES, LOOP_N) : SHAPE(LOOP_N), f->left);
	fixture_slot(f, "count", DT_I64, SCALAR_SHAPE, f->left);
}

static void add_value(struct pool *p, struct node *n)
{
	if (p->nvalues < MOST_VALUES)
		p->value[p->nvalues++] = n;
}

static void add_stack(struct pool *p, struct node *n)
{
	if (p->nstacks < MOST_STACKS) {
		p->of[p->nstacks] = n->of;
		p->stack[p->nstacks++] = n;
	}
}

/* Rather a late one. */
static struct node *pick(struct making *m, const struct pool *p)
{
	int from = roll(m, 2) ? p->nvalues / 2 : 0;
	return p->value[from + roll(m, p->nvalues - from)];
}

static struct node *operation(struct making *m, const struct pool *p, struct loop *in)
{
	static const char *const rule[] = {
		"f(a[i]: f64, b[i]: f64) -> [i] = tanh(a * b) {i=3}",
		"sin(a[i]: f64) -> [i] = sin(a) {i=3}",
		"add(a[i]: f64, b[i]: f64) -> [i] = a + b {i=3}",
		"mix(a[i]: f64, b[j]: f64) -> [i] = sum[j] a * b * 0.3 {i=3, j=3}",
		"cut(a[i]: f64, b[i]: f64) -> [i] = max(a, b) {i=3}",
		"turn(a[i]: f64, n: i64) -> [i] = a * f64(n + 2) / 4.0 {i=3}",
		"back(a[i]: f64) -> [2 - i] = a {i=3}",
	};
	int rules = sizeof rule / sizeof *rule, k = roll(m, rules + 1);
	if (k == rules)
		return graph_stop(m->g, &m->f->site, pick(m, p));
	if (k == 5 && !in)
		k = 0;
	struct node *x = pick(m, p), *y = k == 5 ? graph_turn(m->g, &m->f->site, in) : pick(m, p);
	return fixture_map(m->f, rule[k], x, y, NULL);
}

/* Whether the turns of l are taken for known. Those of a loop in another one are: what it keeps of each turn of the
 * outer one has a size. */
static bool is_known(const struct making *m, const struct loop *l)
{
	return l->turns >= 0 && (l->outer || l->turns != m->count);
}

/* A line for each turn of l, if there is a stack of as many; NULL if not. */
static struct node *some_line(struct making *m, const struct pool *p, struct loop *l)
{
	struct node *x = NULL;
	bool back = roll(m, 2);
	for (int i = 0; i < p->nstacks; i++)
		if (p->of[i]->turns == l->turns && is_known(m, p->of[i]) == is_known(m, l) && (roll(m, 2) || !x))
			x = p->stack[i];
	if (is_known(m, l) && (!x || roll(m, 2)))
		x = m->xs;
	if (!x)
		return NULL;
	int64_t first = back ? -1 : 0, step = back ? -1 : 1;
	if (x == m->xs && l->turns > 0 && l->turns < 3 && roll(m, 2)) {
		back = false;
		first = 4;
		step = -2;
	}
	return graph_line(m->g, &m->f->site, l, 1, &x, first, step, back);
}

static void fill(struct making *m, struct pool *p, struct loop *in, int depth);

static struct loop *new_loop(struct making *m, struct loop *in)
{
	struct loop *l = graph_loop(m->g, in, roll(m, LOOP_LINES + 1), (struct span){0});
	if (!m->by_count || in || l->turns != m->count)
		return l;
	l->turns = -1;
	l->count = m->count_node;
	return l;
}

static void one_loop(struct making *m, struct pool *p, struct loop *in, int depth)
{
	struct pool inner = *p;
	struct node *carry[3];
	struct loop *l = new_loop(m, in);
	int n = 1 + roll(m, 3);
	for (int i = 0; i < n; i++) {
		carry[i] = graph_carry(m->g, &m->f->site, l, pick(m, p));
		add_value(&inner, carry[i]);
	}
	for (int i = roll(m, 3); i > 0; i--) {
		struct node *line = some_line(m, p, l);
		if (line)
			add_value(&inner, line);
	}
	if (roll(m, 3) == 0) {
		struct node *many[LOOP_LINES];
		for (int i = 0; i < LOOP_LINES; i++)
			many[i] = pick(m, p);
		if (is_known(m, l))
			add_value(&inner, graph_line(m->g, &m->f->site, l, LOOP_LINES, many, 0, 1, false));
	}
	fill(m, &inner, l, depth + 1);
	for (int i = 0; i < n; i++)
		add_value(p, graph_end(m->g, &m->f->site, carry[i], pick(m, &inner)));
	for (int i = roll(m, 3); i > 0; i--)
		if (is_known(m, l) || !in) /* of unknown turns in a loop: as large as it happens to be */
			add_stack(p, graph_stack(m->g, &m->f->site, l, pick(m, &inner), roll(m, 2)));
}

/* Stacks are read in the loop in which they were made. */
static void fill(struct making *m, struct pool *p, struct loop *in, int depth)
{
	for (int i = 3 + roll(m, 4); i > 0; i--) {
		if (depth < 3 && roll(m, 3) == 0)
			one_loop(m, p, in, depth);
		else
			add_value(p, operation(m, p, in));
	}
	for (int i = 0; i < p->nstacks; i++) {
		const char *sum = "all(a[t, i]: f64) -> [i] = sum[t] sin(a) {t=%d, i=3}";
		if (is_known(m, p->of[i]) && p->of[i]->turns > 0 && p->stack[i]->loop == in && roll(m, 4) == 0) {
			sum = arena_printf(m->g->arena, sum, (int)p->of[i]->turns);
			add_value(p, fixture_map(m->f, sum, p->stack[i], NULL, NULL));
		}
	}
}

void random_loops(struct fixture *f, uint64_t seed, int64_t count, bool by_count)
{
	struct making m = {.f = f, .g = f->graph, .dice = seed, .count = count, .by_count = by_count};
	struct pool p = {.nvalues = 0};
	add_value(&p, graph_slot(m.g, &f->site, 0));
	add_value(&p, graph_slot(m.g, &f->site, 1));
	m.xs = graph_slot(m.g, &f->site, 2);
	m.count_node = graph_slot(m.g, &f->site, LOOP_COUNT);
	fill(&m, &p, NULL, 0);
	one_loop(&m, &p, NULL, 0);
	struct node *y = p.value[p.nvalues - 1];
	for (int i = 2; i < p.nvalues; i += 3)
		y = fixture_map(f, "f(a[i]: f64, b[i]: f64) -> [i] = a + sin(b) {i=3}", y, p.value[i], NULL);
	graph_output(m.g, OUTPUT_SLOT, LOOP_Y, y, (struct span){0});
	graph_compact(m.g);
}

struct tensor_value *loop_run(const struct graph *g, int64_t count)
{
	struct tensor_value *slots = ARENA_ARRAY(g->arena, struct tensor_value, LOOP_SLOTS), none = {0};
	for (int s = 0; s < LOOP_SLOTS; s++) {
		int64_t n = shape_volume(&g->program->slots.at[s]->shape);
		slots[s].at = ARENA_ARRAY(g->arena, union scalar_value, n);
		for (int i = 0; i < n && s < LOOP_INPUTS; i++)
			slots[s].at[i].f = 1.1 + 0.15 * i - 0.1 * s;
	}
	slots[LOOP_COUNT].at->i = count;
	graph_interpret(g, slots, &none, ARENA_ARRAY(g->arena, struct tensor_value, g->nodes.n));
	return slots;
}
