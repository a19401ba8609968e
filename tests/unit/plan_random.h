/* plan_random.h — random regions over a fixture: everything fusion has to tell apart, under random layouts. */
#ifndef PML_PLAN_RANDOM_H
#define PML_PLAN_RANDOM_H

#include "plan_run.h"

enum { REGION_STEPS = 26, POOL = 96 };

struct maker {
	struct run *r;
	uint64_t dice, layout_dice; /* what is computed, and where: one region in many layouts has the first alike */
	const struct place *at, *other;
	bool layouts, parts; /* parts: some values are seen as P(sum) */
	struct node *pool[POOL];
	int n;
	int64_t size[4];
	struct node *index; /* i32[size 0] below 3 */
};

static inline int roll(struct maker *m, int n)
{
	return (int)(fixture_random(&m->dice) % (uint64_t)n);
}

static inline int roll_layout(struct maker *m, int n)
{
	return (int)(fixture_random(&m->layout_dice) % (uint64_t)n);
}

#define TEXT(...) arena_printf(m->r->f.session->arena, __VA_ARGS__)
#define D(x, d)   (int)(x)->shape.dim[d]

static inline struct node *map(struct maker *m, const char *rule, struct node *x, struct node *y)
{
	return fixture_map(&m->r->f, rule, x, y, NULL);
}

static inline struct node *pick(struct maker *m, int rank)
{
	for (int tries = 0; tries < 30; tries++) {
		struct node *x = m->pool[roll(m, 3) ? m->n - 1 - roll(m, m->n < 8 ? m->n : 8) : roll(m, m->n)];
		if (rank < 0 || x->shape.rank == rank)
			return x;
	}
	return NULL;
}

static inline struct layout some_layout(struct maker *m, const struct shape *s)
{
	struct layout l = {0};
	for (int a = 0; m->layouts && a < m->at->naxes; a++)
		if (s->rank && roll_layout(m, 3))
			l.atom[a] = atom_S(roll_layout(m, s->rank));
	return l;
}

static inline struct node *moved(struct maker *m, struct node *x)
{
	struct layout_spec l = {.form = LAYOUT_GIVEN, .layout = some_layout(m, &x->shape)};
	for (int a = 0; m->parts && a < m->at->naxes; a++)
		if (!roll_layout(m, 6))
			l.layout.atom[a] = atom_P(SHARD_SUM);
	return graph_to(m->r->f.graph, &m->r->f.site, x, roll_layout(m, 5) || !m->other ? m->at : m->other, &l);
}

static inline struct node *unary(struct maker *m)
{
	static const enum scalar_fn fn[] = {SC_NEG, SC_ABS, SC_TANH, SC_NEG, SC_ABS, SC_FLOOR};
	struct node *x = pick(m, -1);
	return graph_pointwise(m->r->f.graph, &m->r->f.site, fn[roll(m, 6)], x, NULL, NULL);
}

static inline struct node *binary(struct maker *m)
{
	static const enum scalar_fn fn[] = {SC_ADD, SC_SUB, SC_MUL, SC_MAX, SC_MIN};
	struct node *x = pick(m, -1), *y = pick(m, roll(m, 2) ? x->shape.rank : -1);
	if (!y || x->place != y->place)
		return NULL;
	bool fits = x->shape.rank >= y->shape.rank;
	for (int d = 1; fits && d <= y->shape.rank; d++)
		fits = x->shape.dim[x->shape.rank - d] == y->shape.dim[y->shape.rank - d];
	return fits ? graph_pointwise(m->r->f.graph, &m->r->f.site, fn[roll(m, 5)], x, y, NULL) : NULL;
}

static inline struct node *by_row(struct maker *m)
{
	struct node *x = pick(m, 2), *v = pick(m, 1);
	if (!x || !v || x->place != v->place || D(x, 0) != D(v, 0))
		return NULL;
	const char *op = roll(m, 2) ? "a - b" : "max(a, b)";
	return map(m, TEXT("row(a[i, j]: f64, b[i]: f64) -> [i, j] = %s {i=%d, j=%d}", op, D(x, 0), D(x, 1)), x, v);
}

static inline struct node *reduced(struct maker *m)
{
	static const enum combiner combiners[] = {COMBINE_SUM, COMBINE_SUM, COMBINE_MAX, COMBINE_MIN};
	struct node *x = pick(m, 1 + roll(m, 3));
	if (!x)
		return NULL;
	bool dims[MAX_RANK] = {false};
	for (int d = 0; d < x->shape.rank; d++)
		dims[d] = roll(m, 2);
	dims[roll(m, x->shape.rank)] = true;
	return graph_reduce(m->r->f.graph, &m->r->f.site, combiners[roll(m, 4)], x, dims);
}

static inline struct node *winner(struct maker *m)
{
	struct node *x = pick(m, 2);
	if (!x)
		return NULL;
	const char *c = roll(m, 2) ? "argmax" : "argmin";
	struct node *w =
		roll(m, 2)
			? map(m, TEXT("w(a[i, k]: f64) -> [i] = %s[k] a {i=%d, k=%d}", c, D(x, 0), D(x, 1)), x, NULL)
			: map(m, TEXT("w(a[k, i]: f64) -> [i] = %s[k] a {k=%d, i=%d}", c, D(x, 0), D(x, 1)), x, NULL);
	return graph_cast(m->r->f.graph, &m->r->f.site, w, DT_F64);
}

static inline struct node *rearranged(struct maker *m)
{
	struct node *x = pick(m, 2);
	if (!x)
		return NULL;
	int i = D(x, 0), j = D(x, 1);
	switch (roll(m, 6)) {
	case 0:
		return map(m, TEXT("t(a[i, j]: f64) -> [j, i] = a {i=%d, j=%d}", i, j), x, NULL);
	case 1:
		return map(m, TEXT("pad(a[i - 1:%d, j]: f64) -> [i, j] = a {i=%d, j=%d}", i, i + 2, j), x, NULL);
	case 2:
		return map(m, TEXT("cut(a[i, j + %d:%d]: f64) -> [i, j] = a {i=%d, j=%d}", j > 1, j, i, j - (j > 1)), x,
			   NULL);
	case 3:
		return map(m, TEXT("lower(a[i, j]: f64) -> [i, j] = where(j <= i, a, 0) {i=%d, j=%d}", i, j), x, NULL);
	case 4:
		return map(m, TEXT("mirror(a[%d - i, j]: f64) -> [i, j] = a {i=%d, j=%d}", i - 1, i, j), x, NULL);
	default:
		return graph_reshape(m->r->f.graph, &m->r->f.site, x,
				     (struct shape[]){roll(m, 2) ? SHAPE(i * j) : SHAPE(i, 1, j)});
	}
}

static inline struct node *window(struct maker *m)
{
	struct node *x = pick(m, 1), *y = pick(m, 2);
	if (x && roll(m, 2) && D(x, 0) >= 3)
		return map(m, TEXT("smooth(a[i + p:%d]: f64) -> [i] = sum[p] a {i=%d, p=3}", D(x, 0), D(x, 0) - 2), x,
			   NULL);
	if (y && D(y, 0) >= 3 && roll(m, 2))
		return map(m,
			   TEXT("pool(a[i + p:%d, j]: f64) -> [i, j] = max[p] a {i=%d, j=%d, p=2}", D(y, 0),
				D(y, 0) - 1, D(y, 1)),
			   y, NULL);
	return y ? map(m,
		       TEXT("stuff(x[(i - 1) / 2:%d, j]: f64) -> [i, j] = x {i=%d, j=%d}", D(y, 0), 2 * D(y, 0),
			    D(y, 1)),
		       y, NULL)
		 : NULL;
}

static inline struct node *indexed(struct maker *m)
{
	struct node *x = pick(m, 2);
	if (!x || x->place != m->index->place)
		return NULL;
	int n = D(m->index, 0), i = D(x, 0), j = D(x, 1);
	struct node *index = m->index;
	if (roll(m, 2))
		index = graph_check(m->r->f.graph, &m->r->f.site, index,
				    &(struct check){.asked = ASKED_BELOW, .extent = 3, .range = "there are 3"});
	switch (roll(m, 4)) {
	case 0:
		return map(m, TEXT("embed(a[b:%d, d]: f64, b[n]: i32) -> [n, d] = a {n=%d, d=%d}", i, n, j), x, index);
	case 1:
		return i == n ? map(m, TEXT("pick(a[n, b:%d]: f64, b[n]: i32) -> [n] = a {n=%d}", j, n), x, index)
			      : NULL;
	case 2:
		return i == n ? map(m,
				    TEXT("add_at(a[n, d]: f64, b[n]: i32) -> [b:5, d] = sum[n] a {n=%d, d=%d}", n, j),
				    x, index)
			      : NULL;
	default: {
		struct node *v = pick(m, 1);
		return v && v->place == m->index->place && D(v, 0) == n
			       ? map(m, TEXT("put(a[n]: f64, b[n]: i32) -> [n, b:%d] = sum[] a {n=%d}", j, n), v, index)
			       : NULL;
	}
	}
}

static inline struct node *product(struct maker *m)
{
	struct node *x = pick(m, 2), *y = pick(m, 2);
	if (!x || !y || x->place != y->place)
		return NULL;
	if (D(x, 1) == D(y, 0))
		return map(m,
			   TEXT("mm(a[m, k]: f64, b[k, n]: f64) -> [m, n] = sum[k] a * b {m=%d, k=%d, n=%d}", D(x, 0),
				D(x, 1), D(y, 1)),
			   x, y);
	if (D(x, 1) == D(y, 1))
		return map(m,
			   TEXT("mt(a[m, k]: f64, b[n, k]: f64) -> [n, m] = sum[k] a * b {m=%d, k=%d, n=%d}", D(x, 0),
				D(x, 1), D(y, 0)),
			   x, y);
	if (D(x, 0) == D(y, 0))
		return map(m,
			   TEXT("tm(a[k, m]: f64, b[k, n]: f64) -> [m, n] = sum[k] a * b {m=%d, k=%d, n=%d}", D(x, 1),
				D(x, 0), D(y, 1)),
			   x, y);
	return NULL;
}

static inline struct node *batched(struct maker *m)
{
	struct node *x = pick(m, 3), *y = pick(m, 3);
	if (!x || !y || x->place != y->place || D(x, 0) != D(y, 0) || D(x, 2) != D(y, 2))
		return NULL;
	return map(m,
		   TEXT("bmm(a[b, m, k]: f64, c[b, n, k]: f64) -> [%s] = sum[k] a * c {b=%d, m=%d, n=%d, k=%d}",
			roll(m, 2) ? "b, m, n" : "m, b, n", D(x, 0), D(x, 1), D(y, 1), D(x, 2)),
		   x, y);
}

static inline struct node *one_more(struct maker *m)
{
	switch (roll(m, 14)) {
	case 0:
	case 1:
		return unary(m);
	case 2:
	case 3:
	case 4:
		return binary(m);
	case 5:
		return by_row(m);
	case 6:
	case 7:
		return reduced(m);
	case 8:
		return roll(m, 3) ? rearranged(m) : winner(m);
	case 9:
		return rearranged(m);
	case 10:
		return window(m);
	case 11:
		return indexed(m);
	case 12:
		return product(m);
	default:
		return batched(m);
	}
}

static inline void leaf(struct maker *m, const char *name, struct shape s)
{
	struct node *x = fixture_leaf(&m->r->f, name, DT_F64, s, m->at);
	struct slot *slot = m->r->f.program->slots.at[x->slot];
	slot->layout = (struct layout_spec){.form = LAYOUT_GIVEN, .layout = some_layout(m, &s)};
	m->pool[m->n++] = x;
}

/* New values of parameters where a node of the shape exists, kept values, scalars for the host. */
static inline void outputs(struct maker *m)
{
	struct graph *g = m->r->f.graph;
	int nslots = m->r->f.program->slots.n;
	for (int i = 0; i < nslots; i++) {
		const struct slot *s = m->r->f.program->slots.at[i];
		for (int tries = 0; tries < 12 && s->dtype == DT_F64; tries++) {
			struct node *x = m->pool[roll(m, m->n)];
			if (!shape_equal(&x->shape, &s->shape) || x->place != s->place)
				continue;
			struct layout_spec l = {.form = LAYOUT_GIVEN, .layout = s->layout.layout};
			graph_output(g, OUTPUT_SLOT, i, m->layouts ? graph_to(g, &m->r->f.site, x, s->place, &l) : x,
				     (struct span){0});
			break;
		}
	}
	struct layout_spec whole = {.form = LAYOUT_GIVEN};
	for (int i = 0; i < 3; i++) {
		struct node *x = m->pool[m->n - 1 - roll(m, m->n / 2)];
		if (x->place)
			fixture_keep(&m->r->f, TEXT("kept%d", i),
				     m->layouts ? graph_to(g, &m->r->f.site, x, x->place, &whole) : x);
	}
}

static inline void make_region(struct maker *m)
{
	static const int64_t sizes[] = {1, 2, 3, 5, 7, 16, 17, 18};
	struct run *r = m->r;
	for (int i = 0; i < 4; i++)
		m->size[i] = sizes[roll(m, 8)];
	leaf(m, "a", SHAPE(m->size[0], m->size[1]));
	leaf(m, "b", SHAPE(m->size[1], m->size[2]));
	leaf(m, "c", SHAPE(m->size[0], m->size[2]));
	leaf(m, "d", SHAPE(m->size[1]));
	leaf(m, "e", SHAPE(m->size[3] % 4 + 1, m->size[0], m->size[1]));
	leaf(m, "f", SHAPE(m->size[0]));
	leaf(m, "g", SHAPE(m->size[0], m->size[1]));
	int is = fixture_slot(&r->f, "index", DT_I32, SHAPE(m->size[0]), m->at);
	m->index = graph_slot(r->f.graph, &r->f.site, is);
	m->pool[m->n++] = graph_float(r->f.graph, &r->f.site, DT_F64, 0.5);
	m->pool[m->n++] = graph_int(r->f.graph, &r->f.site, DT_I32, 2);
	m->pool[m->n - 1] = graph_cast(r->f.graph, &r->f.site, m->pool[m->n - 1], DT_F64);
	for (int i = 0; i < REGION_STEPS; i++) {
		struct node *x = one_more(m);
		if (!x || shape_volume(&x->shape) > 20000)
			continue;
		/* Values stay small: what was multiplied is scaled back. */
		if (m->layouts && roll_layout(m, 2) && x->place)
			x = moved(m, x);
		m->pool[m->n++] = x;
	}
	outputs(m);
	r->f.program->nranks = m->layouts ? 4 : 1;
}

/* On one rank (0), on two, on four, or on four as a grid. */
static inline void place_region(struct maker *m, int shape)
{
	m->layouts = shape > 0;
	m->at = shape == 0   ? one_rank(m->r)
		: shape == 1 ? m->r->f.left
		: shape == 2 ? m->r->f.program->places.at[0]
			     : m->r->f.grid;
}

static inline void random_region(struct run *r, uint64_t seed)
{
	struct maker m = {.r = r, .dice = seed * 77 + 5, .layout_dice = seed * 31 + 11};
	int shape = roll(&m, 4);
	place_region(&m, shape);
	m.other = shape == 1 && roll(&m, 2) ? r->f.right : NULL;
	make_region(&m);
}

/* One region of a seed, in one of many layouts: variant 0 is one rank. */
static inline void random_variant(struct run *r, uint64_t seed, int variant)
{
	struct maker m = {.r = r, .dice = seed * 77 + 5, .layout_dice = seed * 1009 + (uint64_t)variant, .parts = true};
	place_region(&m, variant ? 1 + (variant - 1) % 3 : 0);
	make_region(&m);
}

#endif
