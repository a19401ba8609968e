/* graph_models.c — the models, written as maps in index notation; see graph_models.h. */
#include "graph_models.h"

#define D ": f64"

static struct node *leaf(struct fixture *f, struct shape s)
{
	return fixture_leaf(f, arena_printf(f->session->arena, "p%d", f->program->slots.n), DT_F64, s, f->left);
}

static struct node *ints(struct fixture *f, struct shape s)
{
	return fixture_leaf(f, arena_printf(f->session->arena, "i%d", f->program->slots.n), DT_I32, s, f->left);
}

static struct node *op1(struct fixture *f, const char *rule, struct node *x)
{
	return fixture_map(f, rule, x, NULL, NULL);
}

static struct node *op2(struct fixture *f, const char *rule, struct node *x, struct node *y)
{
	return fixture_map(f, rule, x, y, NULL);
}

static struct node *pw(struct fixture *f, enum scalar_fn fn, struct node *x, struct node *y)
{
	return graph_pointwise(f->graph, &f->site, fn, x, y, NULL);
}

static struct node *total(struct fixture *f, struct node *x)
{
	bool all[MAX_RANK] = {true, true, true, true, true, true, true, true};
	return x->shape.rank ? graph_reduce(f->graph, &f->site, COMBINE_SUM, x, all) : x;
}

static struct node *to(struct fixture *f, struct node *x, const struct place *p)
{
	struct layout_spec any = {.form = LAYOUT_INFER};
	return graph_to(f->graph, &f->site, x, p, &any);
}

struct node *model_float(struct graph *g, double v)
{
	struct node_site at = {.origin = ORIGIN_SOURCE};
	return graph_float(g, &at, DT_F64, v);
}

struct node *model_weights(struct graph *g, const struct node *x)
{
	struct rule *r = ARENA_NEW(g->arena, struct rule);
	struct node_site at = {.origin = ORIGIN_SOURCE};
	const struct scalar *sum = scalar_float(g->arena, DT_F64, 0.3);
	static const char *const names[] = {"i", "j", "k", "l", "m", "n", "o", "p"};
	*r = (struct rule){
		.name = "weights", .nfactors = x->shape.rank, .out = {.type = DT_F64, .rank = x->shape.rank}};
	for (int d = 0; d < x->shape.rank; d++) {
		r->factor[d] = (struct factor){.name = names[d], .extent = x->shape.dim[d]};
		r->out.dim[d] = x->shape.dim[d];
		r->out.index[d] = index_of_factor(d);
		const struct scalar *v =
			scalar_apply(g->arena, SC_CAST, DT_F64, scalar_factor(g->arena, d), NULL, NULL);
		v = scalar_apply(g->arena, SC_MUL, DT_F64, v, scalar_float(g->arena, DT_F64, 0.7 + d), NULL);
		sum = scalar_apply(g->arena, SC_ADD, DT_F64, sum, v, NULL);
	}
	r->body = scalar_apply(g->arena, SC_COS, DT_F64, sum, NULL, NULL);
	return graph_map(g, &at, r, NULL);
}

struct node *model_dot(struct graph *g, struct node *a, struct node *b)
{
	struct node_site at = {.origin = ORIGIN_SOURCE};
	bool all[MAX_RANK] = {true, true, true, true, true, true, true, true};
	struct node *p = graph_pointwise(g, &at, SC_MUL, a, b, NULL);
	return p->shape.rank ? graph_reduce(g, &at, COMBINE_SUM, p, all) : p;
}

int model_leaves(const struct graph *g, struct node **found)
{
	int n = 0;
	for (int i = 0; i < g->nodes.n; i++)
		if (g->nodes.at[i]->kind == NODE_SLOT && g->nodes.at[i]->dtype == DT_F64)
			found[n++] = g->nodes.at[i];
	return n;
}

struct tensor_value *model_slots(const struct fixture *f, uint64_t seed)
{
	struct tensor_value *slots = ARENA_ARRAY(f->session->arena, struct tensor_value, f->program->slots.n);
	for (int i = 0; i < f->program->slots.n; i++) {
		const struct slot *s = f->program->slots.at[i];
		int64_t n = shape_volume(&s->shape);
		slots[i] = (struct tensor_value){.dtype = s->dtype, .shape = s->shape};
		slots[i].at = ARENA_ARRAY(f->session->arena, union scalar_value, n + 1);
		for (int64_t k = 0; k < n; k++) {
			if (dtype_is_float(s->dtype))
				slots[i].at[k].f = fixture_uniform(&seed, -1, 1);
			else
				slots[i].at[k].i = (int64_t)(fixture_random(&seed) % 5);
		}
	}
	return slots;
}

/* ---- parts ---- */

static struct node *log_softmax(struct fixture *f, struct node *x) /* [4, 5] */
{
	struct node *top = op1(f, "max(a[i, j]" D ") -> [i] = max[j] a {i=4, j=5}", x);
	top = graph_stop(f->graph, &f->site, top);
	struct node *z = op2(f, "sub(a[i, j]" D ", b[i]" D ") -> [i, j] = a - b {i=4, j=5}", x, top);
	struct node *s = op1(f, "sumexp(a[i, j]" D ") -> [i] = sum[j] exp(a) {i=4, j=5}", z);
	return op2(f, "norm(a[i, j]" D ", b[i]" D ") -> [i, j] = a - log(b) {i=4, j=5}", z, s);
}

/* -mean of y[i, t[i]] over 4 rows of 5 */
static struct node *nll(struct fixture *f, struct node *y, struct node *t)
{
	struct node *l =
		op2(f, "nll(a[i, j]" D ", b[i]: i32) -> [] = sum[i, j] where(j == i64(b), -a, 0) {i=4, j=5}", y, t);
	return pw(f, SC_DIV, l, model_float(f->graph, 4));
}

#define MATMUL(m, k, n) \
	"matmul(a[m, k]" D ", b[k, n]" D ") -> [m, n] = sum[k] a * b using gemm {m=" #m ", k=" #k ", n=" #n "}"

/* ---- models ---- */

static struct node *mlp(struct fixture *f)
{
	struct node *x = leaf(f, SHAPE(4, 3)), *w1 = leaf(f, SHAPE(3, 6)), *c1 = leaf(f, SHAPE(6));
	struct node *w2 = leaf(f, SHAPE(6, 5)), *c2 = leaf(f, SHAPE(5)), *t = ints(f, SHAPE(4));
	struct node *h = pw(f, SC_TANH, pw(f, SC_ADD, op2(f, MATMUL(4, 3, 6), x, w1), c1), NULL);
	return nll(f, log_softmax(f, pw(f, SC_ADD, op2(f, MATMUL(4, 6, 5), h, w2), c2)), t);
}

static struct node *mlp_on_two_places(struct fixture *f)
{
	struct node *x = leaf(f, SHAPE(4, 3)), *w1 = leaf(f, SHAPE(3, 6)), *h = op2(f, MATMUL(4, 3, 6), x, w1);
	struct node *w2 = fixture_leaf(f, "w2", DT_F64, SHAPE(6, 5), f->right), *t = ints(f, SHAPE(4));
	/* h goes to the right twice, and the loss comes back. */
	struct node *g = to(f, pw(f, SC_TANH, h, NULL), f->right);
	struct node *y = log_softmax(f, op2(f, MATMUL(4, 6, 5), g, w2));
	struct node *l = nll(f, y, to(f, t, f->right));
	return pw(f, SC_ADD, to(f, l, f->left), total(f, to(f, to(f, h, f->right), f->left)));
}

static struct node *layernorm(struct fixture *f)
{
	struct node *x = leaf(f, SHAPE(3, 4)), *gain = leaf(f, SHAPE(4)), *bias = leaf(f, SHAPE(4));
	struct node *mean = op1(f, "mean(a[i, j]" D ") -> [i] = sum[j] a / 4 {i=3, j=4}", x);
	struct node *z = op2(f, "sub(a[i, j]" D ", b[i]" D ") -> [i, j] = a - b {i=3, j=4}", x, mean);
	struct node *var = op1(f, "var(a[i, j]" D ") -> [i] = sum[j] a * a / 4 {i=3, j=4}", z);
	struct node *r = op1(f, "scale(a[i]" D ") -> [i] = rsqrt(a + 0.01) {i=3}", var);
	z = op2(f, "mul(a[i, j]" D ", b[i]" D ") -> [i, j] = a * b {i=3, j=4}", z, r);
	return model_dot(f->graph, pw(f, SC_ADD, pw(f, SC_MUL, z, gain), bias), model_weights(f->graph, x));
}

static struct node *attention(struct fixture *f)
{
	struct node *x = leaf(f, SHAPE(4, 6)), *wq = leaf(f, SHAPE(6, 2, 3)), *wk = leaf(f, SHAPE(6, 2, 3)),
		    *wv = leaf(f, SHAPE(6, 2, 3));
	const char *project = "project(a[t, e]" D ", b[e, h, d]" D ") -> [h, t, d] = sum[e] a * b {t=4, e=6, h=2, d=3}";
	struct node *q = op2(f, project, x, wq), *k = op2(f, project, x, wk), *v = op2(f, project, x, wv);
	struct node *s = op2(
		f, "score(a[h, t, d]" D ", b[h, u, d]" D ") -> [h, t, u] = sum[d] a * b {h=2, t=4, u=4, d=3}", q, k);
	s = op1(f, "mask(a[h, t, u]" D ") -> [h, t, u] = where(u <= t, a * 0.577, -1e30) {h=2, t=4, u=4}", s);
	struct node *top = op1(f, "max(a[h, t, u]" D ") -> [h, t] = max[u] a {h=2, t=4, u=4}", s);
	s = op2(f, "e(a[h, t, u]" D ", b[h, t]" D ") -> [h, t, u] = exp(a - b) {h=2, t=4, u=4}", s, top);
	struct node *z = op1(f, "sum(a[h, t, u]" D ") -> [h, t] = sum[u] a {h=2, t=4, u=4}", s);
	s = op2(f, "p(a[h, t, u]" D ", b[h, t]" D ") -> [h, t, u] = a / b {h=2, t=4, u=4}", s, z);
	struct node *o =
		op2(f, "mix(a[h, t, u]" D ", b[h, u, d]" D ") -> [t, h, d] = sum[u] a * b {h=2, t=4, u=4, d=3}", s, v);
	o = graph_reshape(f->graph, &f->site, o, (struct shape[]){SHAPE(4, 6)});
	return model_dot(f->graph, o, model_weights(f->graph, o));
}

static struct node *conv_maxpool(struct fixture *f)
{
	struct node *x = leaf(f, SHAPE(2, 2, 6, 6)), *w = leaf(f, SHAPE(3, 2, 3, 3));
	struct node *y =
		op2(f,
		    "conv(a[n, c, y + p, z + q]" D ", b[o, c, p, q]" D ") -> [n, o, y, z] = sum[c, p, q] a * b "
		    "{n=2, c=2, y=4, z=4, p=3, q=3, o=3}",
		    x, w);
	y = op1(f,
		"maxpool(a[n, o, 2 * y + p, 2 * z + q]" D
		") -> [n, o, y, z] = max[p, q] a {n=2, o=3, y=2, z=2, p=2, q=2}",
		y);
	return model_dot(f->graph, pw(f, SC_TANH, y, NULL), model_weights(f->graph, y));
}

/* Stride two and a border of zeros. */
static struct node *strided_conv(struct fixture *f)
{
	struct node *x = leaf(f, SHAPE(2, 5)), *w = leaf(f, SHAPE(3, 2, 3));
	struct node *y = op2(
		f, "conv(a[c, 2 * y + p - 1:5]" D ", b[o, c, p]" D ") -> [o, y] = sum[c, p] a * b {c=2, y=3, p=3, o=3}",
		x, w);
	y = op1(f, "upsample(a[o, (y) / 2:3]" D ") -> [o, y] = a {o=3, y=6}", y);
	return model_dot(f->graph, pw(f, SC_SIN, y, NULL), model_weights(f->graph, y));
}

static struct node *embedding(struct fixture *f)
{
	struct node *table = leaf(f, SHAPE(4, 3)), *i = ints(f, SHAPE(6)), *w = leaf(f, SHAPE(3, 4));
	/* Index 4 is outside: it reads nothing. */
	struct node *e = op2(f, "embed(a[b:4, d]" D ", b[i]: i32) -> [i, d] = a {i=6, d=3}", table, i);
	struct node *y = op2(f, MATMUL(6, 3, 4), pw(f, SC_TANH, e, NULL), w);
	/* The table again, as the output matrix: shared weights. */
	y = op2(f, "logits(a[i, v]" D ", b[v, d]" D ") -> [i, d] = sum[v] a * b {i=6, v=4, d=3}", y, table);
	return model_dot(f->graph, pw(f, SC_SIN, y, NULL), model_weights(f->graph, y));
}

static struct node *scatter(struct fixture *f)
{
	struct node *x = leaf(f, SHAPE(6, 2)), *i = ints(f, SHAPE(6));
	struct node *y = op2(f, "scatter(a[i, d]" D ", b[i]: i32) -> [b:4, d] = sum[i] a * a {i=6, d=2}", x, i);
	return model_dot(f->graph, pw(f, SC_SIN, y, NULL), model_weights(f->graph, y));
}

static struct node *recurrent(struct fixture *f)
{
	struct node *w = leaf(f, SHAPE(3, 3)), *h = leaf(f, SHAPE(2, 3)), *x = leaf(f, SHAPE(2, 3));
	for (int step = 0; step < 3; step++)
		h = pw(f, SC_TANH, pw(f, SC_ADD, op2(f, MATMUL(2, 3, 3), h, w), x), NULL);
	return model_dot(f->graph, h, h);
}

static struct node *functions(struct fixture *f)
{
	struct node *x = leaf(f, SHAPE(5)), *y = leaf(f, SHAPE(5)), *c = model_float(f->graph, 1.5);
	struct node *positive = pw(f, SC_ADD, pw(f, SC_MUL, x, x), c);
	struct node *s = pw(f, SC_LOG, positive, NULL);
	s = pw(f, SC_ADD, s, pw(f, SC_POW, positive, y));
	s = pw(f, SC_SUB, s, pw(f, SC_SQRT, positive, NULL));
	s = pw(f, SC_ADD, s, pw(f, SC_RSQRT, positive, NULL));
	s = pw(f, SC_MUL, s, pw(f, SC_ERF, y, NULL));
	s = pw(f, SC_ADD, s, pw(f, SC_COS, pw(f, SC_DIV, y, positive), NULL));
	s = pw(f, SC_ADD, s, pw(f, SC_ABS, pw(f, SC_NEG, y, NULL), NULL));
	s = pw(f, SC_MAX, s, pw(f, SC_EXP, x, NULL));
	s = pw(f, SC_MIN, s, pw(f, SC_ADD, c, pw(f, SC_MUL, y, y)));
	struct node *above = pw(f, SC_GT, x, y);
	s = graph_pointwise(f->graph, &f->site, SC_WHERE, above, s, pw(f, SC_MUL, s, x));
	return model_dot(f->graph, s, model_weights(f->graph, s));
}

static struct node *reductions(struct fixture *f)
{
	struct node *x = leaf(f, SHAPE(3, 4));
	struct node *s = op1(f, "max(a[i, j]" D ") -> [j] = max[i] a * a {i=3, j=4}", x);
	s = pw(f, SC_MUL, s, op1(f, "prod(a[i, j]" D ") -> [j] = prod[i] a {i=3, j=4}", x));
	s = pw(f, SC_MUL, s, op1(f, "min(a[i, j]" D ") -> [j] = min[i] a {i=3, j=4}", x));
	struct node *k = op1(f, "argmax(a[i, j]" D ") -> [i] = argmax[j] a {i=3, j=4}", x);
	struct node *picked = op2(f, "pick(a[i, b:4]" D ", b[i]: i32) -> [i] = a {i=3}", x, k);
	return pw(f, SC_ADD, total(f, s), model_dot(f->graph, picked, picked));
}

/* Transposes, broadcasts, slices, a diagonal, reshapes, fills: all that the view pass looks through. */
static struct node *views(struct fixture *f)
{
	struct node *x = leaf(f, SHAPE(3, 4)), *v = leaf(f, SHAPE(4)), *s = leaf(f, SCALAR_SHAPE);
	struct node *t = op1(f, "t(a[i, j]" D ") -> [j, i] = a {i=3, j=4}", x);
	struct node *wide = op1(f, "wide(a[j]" D ") -> [j, i] = a {i=3, j=4}", v);
	struct node *y = pw(f, SC_MUL, t, wide);
	y = pw(f, SC_ADD, y, graph_fill(f->graph, &f->site, s, &y->shape));
	y = graph_reshape(f->graph, &f->site, y, (struct shape[]){SHAPE(2, 6)});
	y = graph_reshape(f->graph, &f->site, pw(f, SC_SIN, y, NULL), (struct shape[]){SHAPE(3, 4)});
	struct node *cut = op1(f, "cut(a[i, j + 1:4]" D ") -> [j, i] = a {i=3, j=3}", y);
	struct node *diagonal = op1(f, "diagonal(a[i, i]" D ") -> [i] = a {i=3}", cut);
	struct node *outer = op2(f, MATMUL(4, 3, 4), t, x);
	struct node *mean = op1(f, "mean(a[j, i]" D ") -> [] = sum[j, i] a / 12 {i=3, j=4}", wide);
	struct node *window = op1(f, "window(a[y + p, i]" D ") -> [y, i] = sum[p] a * a {y=2, p=2, i=3}", cut);
	y = pw(f, SC_ADD, total(f, pw(f, SC_SIN, outer, NULL)), model_dot(f->graph, diagonal, diagonal));
	return pw(f, SC_ADD, pw(f, SC_ADD, y, total(f, window)), pw(f, SC_MUL, mean, s));
}

/* What is stopped or unused has no gradient; contracts and remat let it pass. */
static struct node *transparent(struct fixture *f)
{
	struct layout_spec any = {.form = LAYOUT_INFER};
	struct node *x = leaf(f, SHAPE(3)), *unused = leaf(f, SHAPE(2)), *y = leaf(f, SHAPE(3));
	struct node *h =
		graph_contract(f->graph, &f->site, pw(f, SC_EXP, x, NULL), f->left, &any, "x", (struct span){0});
	h = graph_remat(f->graph, &f->site, h, NULL);
	(void)unused;
	return total(f, pw(f, SC_MUL, h, pw(f, SC_MUL, y, model_float(f->graph, 3))));
}

static struct node *distances(struct fixture *f)
{
	struct node *a = leaf(f, SHAPE(3, 2)), *b = leaf(f, SHAPE(4, 2));
	struct node *d =
		op2(f, "sqdist(a[m, k]" D ", b[n, k]" D ") -> [m, n] = sum[k] (a - b) * (a - b) {m=3, n=4, k=2}", a, b);
	return total(f, op1(f, "kernel(a[m, n]" D ") -> [m, n] = exp(-a) {m=3, n=4}", d));
}

/* Values on no placement take part: data, constants, a scalar. */
static struct node *unplaced(struct fixture *f)
{
	struct node *s = fixture_leaf(f, "s", DT_F64, SCALAR_SHAPE, NULL),
		    *x = fixture_leaf(f, "x", DT_F64, SHAPE(3), NULL);
	struct node *w = leaf(f, SHAPE(3)), *v = fixture_leaf(f, "v", DT_F64, SHAPE(3), f->right);
	struct node *sx = pw(f, SC_SIN, pw(f, SC_MUL, x, s), NULL);
	struct node *l = total(f, pw(f, SC_MUL, sx, w)), *r = total(f, pw(f, SC_MUL, pw(f, SC_ADD, sx, s), v));
	return pw(f, SC_MUL, l, to(f, r, f->left));
}

static struct node *mixed_types(struct fixture *f)
{
	struct node *x = leaf(f, SHAPE(4)), *i = ints(f, SHAPE(4));
	struct node *k = graph_cast(f->graph, &f->site, i, DT_F64);
	struct node *whole = graph_cast(f->graph, &f->site, graph_cast(f->graph, &f->site, x, DT_I32), DT_F64);
	return total(f, pw(f, SC_ADD, pw(f, SC_SIN, pw(f, SC_MUL, x, k), NULL), whole));
}

const struct model_row graph_models[] = {
	{"mlp", mlp},
	{"mlp on two places", mlp_on_two_places},
	{"layernorm", layernorm},
	{"attention", attention},
	{"conv and maxpool", conv_maxpool},
	{"strided conv", strided_conv},
	{"embedding with shared weights", embedding},
	{"scatter", scatter},
	{"recurrent", recurrent},
	{"functions", functions},
	{"reductions", reductions},
	{"views", views},
	{"transparent", transparent},
	{"distances", distances},
	{"unplaced", unplaced},
	{"mixed types", mixed_types},
};
const int ngraph_models = sizeof graph_models / sizeof *graph_models;
