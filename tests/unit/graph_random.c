/* graph_random.c — graphs made of whatever the passes rewrite, at random; see graph_random.h. */
#include "graph_random.h"

#include "graph_models.h"

enum { STEPS = 24 };

struct maker {
	struct fixture *f;
	uint64_t dice;
	bool layouts;
	struct node *at[STEPS + 16];
	int n;
};

static int roll(struct maker *r, int n)
{
	return (int)(fixture_random(&r->dice) % (uint64_t)n);
}

/* A node of the given rank (any if negative), or NULL. */
static struct node *any(struct maker *r, int rank)
{
	for (int tries = 0; tries < 20; tries++) {
		struct node *x = r->at[roll(r, r->n)];
		if (rank < 0 || x->shape.rank == rank)
			return x;
	}
	return NULL;
}

static struct node *map1(struct maker *r, const char *rule, struct node *x)
{
	return fixture_map(r->f, rule, x, NULL, NULL);
}

#define TEXT(...) arena_printf(r->f->session->arena, __VA_ARGS__)
#define D0(x)     (int)(x)->shape.dim[0]
#define D1(x)     (int)(x)->shape.dim[1]

static struct node *rearranged(struct maker *r)
{
	struct node *x = any(r, roll(r, 3));
	int more = 1 + roll(r, 3);
	if (!x)
		return NULL;
	if (x->shape.rank == 0)
		return map1(r, TEXT("fill(a: f64) -> [i, j] = a {i=%d, j=%d}", more, 1 + roll(r, 3)), x);
	if (x->shape.rank == 1) {
		switch (roll(r, 4)) {
		case 0:
			return map1(r, TEXT("rows(a[j]: f64) -> [i, j] = a {i=%d, j=%d}", more, D0(x)), x);
		case 1:
			return map1(r, TEXT("columns(a[j]: f64) -> [j, i] = a {i=%d, j=%d}", more, D0(x)), x);
		case 2:
			return map1(r, TEXT("pad(a[i - 1:%d]: f64) -> [i] = a {i=%d}", D0(x), D0(x) + 2), x);
		default:
			return map1(
				r,
				TEXT("cut(a[i + %d:%d]: f64) -> [i] = a {i=%d}", D0(x) > 1, D0(x), D0(x) - (D0(x) > 1)),
				x);
		}
	}
	switch (roll(r, 4)) {
	case 0:
		return map1(r, TEXT("t(a[i, j]: f64) -> [j, i] = a {i=%d, j=%d}", D0(x), D1(x)), x);
	case 1:
		return map1(r, TEXT("pick(a[i, %d:%d]: f64) -> [i] = a {i=%d}", D1(x) - 1, D1(x), D0(x)), x);
	case 2:
		return map1(r, TEXT("mirror(a[%d - i, j]: f64) -> [i, j] = a {i=%d, j=%d}", D0(x) - 1, D0(x), D1(x)),
			    x);
	default:
		return map1(r, TEXT("copy(a[i, j]: f64) -> [i, j] = a {i=%d, j=%d}", D0(x), D1(x)), x);
	}
}

static struct node *reduced(struct maker *r)
{
	static const enum combiner combiners[] = {COMBINE_SUM, COMBINE_MAX, COMBINE_MIN, COMBINE_PROD};
	struct node *x = any(r, 1 + roll(r, 2));
	if (!x)
		return NULL;
	if (roll(r, 4) == 0 && x->shape.rank == 1)
		return map1(r,
			    TEXT("again(a[i]: f64) -> [i] = %s[k] a {i=%d, k=%d}", roll(r, 2) ? "sum" : "max", D0(x),
				 1 + roll(r, 3)),
			    x);
	return graph_reduce(r->f->graph, &r->f->site, combiners[roll(r, 4)], x, (bool[]){roll(r, 2), true});
}

static struct node *pointwise(struct maker *r)
{
	static const enum scalar_fn unary[] = {SC_NEG, SC_SIN, SC_ABS, SC_TANH, SC_NEG};
	static const enum scalar_fn binary[] = {SC_ADD, SC_SUB, SC_MUL, SC_MAX, SC_DIV, SC_POW};
	struct node *x = any(r, -1), *y = any(r, -1);
	if (roll(r, 3) == 0)
		return graph_pointwise(r->f->graph, &r->f->site, unary[roll(r, 5)], x, NULL, NULL);
	bool fits = x->shape.rank >= y->shape.rank;
	for (int d = 1; fits && d <= y->shape.rank; d++)
		fits = x->shape.dim[x->shape.rank - d] == y->shape.dim[y->shape.rank - d];
	return fits ? graph_pointwise(r->f->graph, &r->f->site, binary[roll(r, 6)], x, y, NULL) : NULL;
}

static struct layout random_layout(struct maker *r, const struct shape *s)
{
	struct layout l = {0};
	if (s->rank && roll(r, 3))
		l.atom[0] = (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)roll(r, s->rank)};
	return l;
}

static struct node *identity(struct maker *r)
{
	struct node *x = any(r, -1);
	struct layout_spec infer = {.form = LAYOUT_INFER}, to = {.form = r->layouts ? LAYOUT_GIVEN : LAYOUT_INFER};
	to.layout = random_layout(r, &x->shape);
	switch (roll(r, 5)) {
	case 0:
		return graph_to(r->f->graph, &r->f->site, x, r->f->left, &to);
	case 1:
		return graph_stop(r->f->graph, &r->f->site, x);
	case 2:
		return graph_contract(r->f->graph, &r->f->site, x, NULL, &infer, "x", (struct span){0});
	case 3:
		return graph_cast(r->f->graph, &r->f->site, graph_cast(r->f->graph, &r->f->site, x, DT_F32), DT_F64);
	default:
		return graph_reshape(r->f->graph, &r->f->site, x, (struct shape[]){SHAPE(shape_volume(&x->shape))});
	}
}

static struct node *joined(struct maker *r, struct node *index)
{
	struct node *x = any(r, 2), *y = any(r, 2);
	if (!x || !y)
		return NULL;
	if (roll(r, 2) && D1(x) == D0(y))
		return fixture_map(
			r->f,
			TEXT("matmul(a[m, k]: f64, b[k, n]: f64) -> [m, n] = sum[k] a * b {m=%d, k=%d, n=%d}", D0(x),
			     D1(x), D1(y)),
			x, y, NULL);
	if (roll(r, 2))
		index = graph_check(r->f->graph, &r->f->site, index,
				    &(struct check){ASKED_BELOW, D0(x), "there are rows", {0}, false});
	return fixture_map(r->f, TEXT("embed(a[b:%d, d]: f64, b[i]: i32) -> [i, d] = a {i=3, d=%d}", D0(x), D1(x)), x,
			   index, NULL);
}

static struct node *one_more(struct maker *r, struct node *index)
{
	switch (roll(r, 8)) {
	case 0:
	case 1:
		return rearranged(r);
	case 2:
		return reduced(r);
	case 3:
		return identity(r);
	case 4:
		return joined(r, index);
	default:
		return pointwise(r);
	}
}

/* A slot of f64 (or the indices) with a declared layout if layouts are wanted. */
static struct node *slot(struct maker *r, const char *name, enum dtype t, struct shape s, bool placed)
{
	struct node *x = fixture_leaf(r->f, name, t, s, placed || r->layouts ? r->f->left : NULL);
	struct layout_spec *l = &r->f->program->slots.at[x->slot]->layout;
	l->form = LAYOUT_GIVEN;
	l->layout = random_layout(r, &s);
	return x;
}

static void output(struct maker *r, struct node *x)
{
	struct layout_spec whole = {.form = LAYOUT_GIVEN};
	struct node *s = model_dot(r->f->graph, x, model_weights(r->f->graph, x));
	if (r->layouts)
		s = graph_to(r->f->graph, &r->f->site, s, r->f->left, &whole);
	graph_output(r->f->graph, OUTPUT_HOST, r->f->graph->outputs.n, s, (struct span){0});
}

void random_graph(struct fixture *f, uint64_t seed, bool layouts)
{
	static const double number[] = {0, 1, 2, -1, 0.5, 3};
	struct maker maker = {.f = f, .dice = seed, .layouts = layouts}, *r = &maker;
	r->at[r->n++] = slot(r, "a", DT_F64, SHAPE(2, 3), true);
	r->at[r->n++] = slot(r, "b", DT_F64, SHAPE(3), true);
	r->at[r->n++] = slot(r, "c", DT_F64, SHAPE(3, 2), roll(r, 2));
	r->at[r->n++] = slot(r, "d", DT_F64, SCALAR_SHAPE, false);
	struct node *index = slot(r, "i", DT_I32, SHAPE(3), true);
	for (int i = 0; i < 3; i++)
		r->at[r->n++] = model_float(f->graph, number[roll(r, 6)]);
	for (int i = 0; i < STEPS; i++) {
		struct node *x = one_more(r, index);
		if (x)
			r->at[r->n++] = x;
	}
	for (int i = 0; i < 4; i++)
		output(r, r->at[r->n - 1 - roll(r, r->n / 2)]);
}
