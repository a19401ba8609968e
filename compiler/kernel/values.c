/* values.c — computes the value of a tensor at a point: loads it where it is stored, else evaluates the map that makes
 * it at that point, operands first. One recursion serves fused chains, gathers, windows and plain loads alike. */
#include "values.h"

#include "base/map.h"

#include <string.h>

enum { MAX_INLINING = 200 };

void value_set(struct lowering *l, const struct phys_node *n, const struct kernel_affine *at, int rank, int guard,
	       int reg)
{
	struct held_value m = {n, ARENA_ARRAY(l->scratch, struct kernel_affine, rank), guard, reg};
	memcpy(m.at, at, sizeof *at * (size_t)rank);
	vec_push(l->scratch, &l->held, m);
}

/* A value computed without a guard serves under any. */
static int remembered(const struct lowering *l, const struct phys_node *n, const struct kernel_affine *at, int guard)
{
	for (int i = l->held.n - 1; i >= 0; i--) {
		const struct held_value *m = &l->held.at[i];
		if (m->node != n || (m->guard >= 0 && m->guard != guard) || !build_sees(l->b, m->reg))
			continue;
		int d = 0;
		while (d < n->shape.rank && affine_equal(&m->at[d], &at[d]))
			d++;
		if (d == n->shape.rank)
			return m->reg;
	}
	return -1;
}

static struct phys_node *root(struct phys_node *n)
{
	while (n->kind == PHYS_VIEW)
		n = n->in[0];
	return n;
}

int value_param(struct lowering *l, struct phys_node *n, enum kernel_param_kind kind)
{
	n = root(n);
	uintptr_t known = (uintptr_t)map_get(&l->params, n);
	if (known)
		return (int)known - 1;
	int p = build_buffer(l->b, kind, n->dtype, shape_volume(&n->shape), n->name);
	map_set(&l->params, n, (void *)(uintptr_t)(p + 1));
	vec_push(l->arena, &l->out->buffers, n);
	return p;
}

struct kernel_affine value_address(struct lowering *l, const struct shape *s, const struct kernel_affine *at)
{
	struct kernel_affine sum = affine_const(0);
	int64_t stride = 1;
	for (int d = s->rank - 1; d >= 0; d--) {
		affine_sum(l->b, &sum, &at[d], stride);
		stride *= s->dim[d];
	}
	return sum;
}

static int load(struct lowering *l, struct phys_node *n, const struct kernel_affine *at, int guard)
{
	int p = value_param(l, n, KP_IN);
	struct kernel_affine address = value_address(l, &n->shape, at);
	return build_load(l->b, p, &address, guard);
}

static int scalar_register(struct lowering *l, uint64_t key, struct plan_scalar s, const char *name)
{
	uintptr_t known = (uintptr_t)map_get_u64(&l->scalars, key);
	if (known)
		return (int)known - 1;
	int reg = build_scalar(l->b, s.type, name);
	map_set_u64(&l->scalars, key, (void *)(uintptr_t)(reg + 1));
	vec_push(l->arena, &l->out->scalars, s);
	return reg;
}

static int host_register(struct lowering *l, const struct phys_node *n)
{
	struct plan_scalar s = {.kind = OPERAND_ARGUMENT, .type = n->dtype, .argument = n->argument};
	return scalar_register(l, (uint64_t)n->argument * DT_COUNT + n->dtype, s, n->name);
}

static int origin_register(struct lowering *l, struct phys_origin o)
{
	struct plan_scalar s = {.kind = OPERAND_ORIGIN, .type = DT_I64, .origin = {.type = o.type, .dim = 0}};
	return scalar_register(l, UINT64_C(1) << 62 | (uint64_t)o.type, s, "origin");
}

/* *at += origin * scale */
static void add_origin(struct lowering *l, struct kernel_affine *at, struct phys_origin o, int64_t scale)
{
	if (o.type < 0 || scale == 0)
		return;
	struct kernel_affine by = affine_reg(origin_register(l, o));
	affine_sum(l->b, at, &by, scale);
}

static int both(struct lowering *l, int x, int y)
{
	return x < 0 ? y : y < 0 || x == y ? x : build_apply(l->b, SC_AND, DT_BOOL, x, y, -1);
}

static int compare(struct lowering *l, enum scalar_fn fn, int reg, int64_t v)
{
	return build_apply(l->b, fn, DT_BOOL, reg, build_int(l->b, DT_I64, v), -1);
}

/* 0 <= at < n as a condition, joined with ok; nothing where the range is known to be inside. */
static int in_range(struct lowering *l, const struct kernel_affine *at, int64_t n, int ok)
{
	int64_t low = -1, high = n;
	bool known = affine_range(l->b, at, &low, &high);
	if (known && low >= 0 && high < n)
		return ok;
	int reg = build_loopvar(l->b, at);
	if (!known || low < 0)
		ok = both(l, ok, compare(l, SC_GE, reg, 0));
	if (!known || high >= n)
		ok = both(l, ok, compare(l, SC_LT, reg, n));
	return ok;
}

/* State of one point of one map. */
struct point {
	struct phys_node *node;
	const struct kernel_affine *factor; /* local */
	int guard;                          /* that of the caller */
	int ok;                             /* conditions of the accesses; -1: none */
	int *operand;                       /* registers, -1: not yet */
	struct kernel_affine **at;          /* by operand and dimension */
};

static struct phys_origin origin_of_factor(const struct phys_node *n, int f)
{
	return n->origins ? n->origins->factor[f] : (struct phys_origin){-1};
}

void value_add_origin(struct lowering *l, struct kernel_affine *at, const struct phys_node *n, int factor,
		      int64_t scale)
{
	add_origin(l, at, origin_of_factor(n, factor), scale);
}

/* Of which nothing is read yet. */
static void point_begin(struct lowering *l, struct point *p, struct phys_node *n, const struct kernel_affine *factor,
			int guard)
{
	int count = n->rule->noperands;
	*p = (struct point){.node = n, .factor = factor, .guard = guard, .ok = -1};
	p->operand = ARENA_ARRAY(l->scratch, int, count);
	p->at = ARENA_ARRAY(l->scratch, struct kernel_affine *, count);
	for (int k = 0; k < count; k++) {
		p->operand[k] = -1;
		p->at[k] = ARENA_ARRAY(l->scratch, struct kernel_affine, n->rule->operand[k].rank);
	}
}

static int operand_value(struct lowering *l, struct point *p, int k, int guard);
static void operand_place(struct lowering *l, struct point *p, int k);

static struct kernel_affine data_index(struct lowering *l, struct point *p, int k, struct phys_origin origin)
{
	if (p->operand[k] < 0) {
		operand_place(l, p, k);
		p->operand[k] = operand_value(l, p, k, both(l, p->guard, p->ok));
	}
	int reg = p->operand[k];
	if (build_type(l->b, reg) != DT_I64)
		reg = build_apply(l->b, SC_CAST, DT_I64, reg, -1, -1);
	struct kernel_affine at = affine_reg(reg);
	add_origin(l, &at, origin, -1);
	return at;
}

/* The local position that one index of an access names; conditions go to p->ok. */
static struct kernel_affine index_place(struct lowering *l, struct point *p, const struct index *x, int64_t dim,
					struct phys_origin origin)
{
	struct kernel_affine at = affine_const(x->offset);
	if (x->data >= 0) {
		at = data_index(l, p, x->data, origin);
		p->ok = in_range(l, &at, dim, p->ok);
		return at;
	}
	int64_t own =
		x->div == 1 && origin.type >= 0 ? 1 : 0; /* times this dimension's origin that are still to subtract */
	for (int i = 0; i < x->nterms; i++) {
		struct phys_origin o = origin_of_factor(p->node, x->term[i].factor);
		affine_sum(l->b, &at, &p->factor[x->term[i].factor], x->term[i].coef);
		bool cancels = own == 1 && o.type == origin.type;
		own -= cancels;
		add_origin(l, &at, o, x->term[i].coef - cancels);
	}
	if (x->div > 1) {
		int reg = build_loopvar(l->b, &at), div = build_int(l->b, DT_I64, x->div);
		int rest = build_apply(l->b, SC_MOD, DT_I64, reg, div, -1);
		p->ok = both(l, p->ok, compare(l, SC_EQ, rest, 0));
		at = affine_reg(build_apply(l->b, SC_DIV, DT_I64, reg, div, -1));
	}
	add_origin(l, &at, origin, x->div == 1 ? -own : -1);
	if (x->guarded || x->div > 1)
		p->ok = in_range(l, &at, dim, p->ok);
	return at;
}

static void operand_place(struct lowering *l, struct point *p, int k)
{
	const struct access *a = &p->node->rule->operand[k];
	for (int d = 0; d < a->rank; d++) {
		struct phys_origin o = p->node->origins ? p->node->origins->operand[k][d] : (struct phys_origin){-1};
		p->at[k][d] = index_place(l, p, &a->index[d], a->dim[d], o);
	}
}

static int operand_value(struct lowering *l, struct point *p, int k, int guard)
{
	return value_at(l, p->node->in[k], p->at[k], guard);
}

/* seen: the registers of nodes that were emitted, so that shared subtrees are made once. */
static int body_value(struct lowering *l, struct point *p, const struct scalar *s, struct map *seen)
{
	const int *emitted = map_get(seen, s);
	if (emitted)
		return *emitted;
	int reg = -1, arg[3] = {-1, -1, -1};
	struct kernel_affine at;
	switch (s->kind) {
	case SCALAR_CONST:
		reg = build_const(l->b, s->type, scalar_eval(s, NULL, NULL));
		break;
	case SCALAR_OPERAND:
		reg = p->operand[s->index];
		break;
	case SCALAR_FACTOR:
		at = p->factor[s->index];
		add_origin(l, &at, origin_of_factor(p->node, s->index), 1);
		reg = build_loopvar(l->b, &at);
		break;
	case SCALAR_EXTENT:
		session_bug(__FILE__, __LINE__, "%s: an extent is not bound", p->node->rule->name);
	case SCALAR_APPLY:
		for (int i = 0; i < 3 && s->arg[i]; i++)
			arg[i] = body_value(l, p, s->arg[i], seen);
		reg = build_apply(l->b, s->fn, s->type, arg[0], arg[1], arg[2]);
		break;
	}
	int *made = ARENA_NEW(l->scratch, int);
	*made = reg;
	map_set(seen, s, made);
	return reg;
}

/* The value where a point is left out: of a rank's own part of a tensor -0.0 if it is another rank's, and 0 if whole
 * tensors leave it out too. */
static int left_out(struct lowering *l, struct point *p, enum dtype t)
{
	const struct rule *whole = p->node->owned;
	int neutral = build_const(l->b, t, combiner_neutral(p->node->rule->combiner, t));
	if (!whole || !dtype_is_float(t))
		return neutral;
	int elsewhere = build_float(l->b, t, -0.0), here = p->ok;
	p->ok = -1;
	for (int k = 0; k < whole->noperands; k++)
		for (int d = 0; d < whole->operand[k].rank; d++)
			if (whole->operand[k].index[d].guarded)
				index_place(l, p, &whole->operand[k].index[d], whole->operand[k].dim[d],
					    (struct phys_origin){-1});
	int inside = p->ok;
	p->ok = here;
	return inside < 0 ? elsewhere : build_apply(l->b, SC_WHERE, t, inside, elsewhere, neutral);
}

/* Operand k is there wherever the factors are: the conditions of other accesses need not be asked. So what all lanes of
 * a vector read alike stays one element. */
static bool is_everywhere(const struct phys_node *n, int k)
{
	const struct access *a = &n->rule->operand[k];
	for (int d = 0; d < a->rank; d++) {
		const struct index *x = &a->index[d];
		if (x->guarded || x->div != 1 || x->data >= 0)
			return false;
		int own = n->origins ? n->origins->operand[k][d].type : -1;
		for (int i = 0; i < x->nterms; i++)
			if (origin_of_factor(n, x->term[i].factor).type != own ||
			    (own >= 0 && (x->nterms > 1 || x->term[i].coef != 1)))
				return false;
	}
	return true;
}

/* Everything that the body at a point reads. */
static void read_point(struct lowering *l, struct point *p, struct phys_node *n, const struct kernel_affine *factor,
		       int guard)
{
	const struct rule *r = n->rule;
	point_begin(l, p, n, factor, guard);
	for (int k = 0; k < r->noperands; k++)
		if (p->operand[k] < 0)
			operand_place(l, p, k);
	int safe = both(l, guard, p->ok);
	for (int k = 0; k < r->noperands; k++)
		if (p->operand[k] < 0 && scalar_uses_operand(r->body, k))
			p->operand[k] = operand_value(l, p, k, is_everywhere(n, k) ? guard : safe);
}

/* The body's value where the point is not dropped. */
static int value_or_neutral(struct lowering *l, struct point *p)
{
	const struct rule *r = p->node->rule;
	struct map seen;
	map_init(&seen, l->scratch);
	int reg = body_value(l, p, r->body, &seen);
	if (p->ok < 0)
		return reg;
	enum dtype t = build_type(l->b, reg);
	return build_apply(l->b, SC_WHERE, t, p->ok, reg, left_out(l, p, t));
}

/* A sum of floats that has one term here is added to 0 like one of many, so that none is -0.0, wherever its terms are.
 */
static int sum_of_one(struct lowering *l, const struct phys_node *n, int reg)
{
	if (n->rule->combiner != COMBINE_SUM || !dtype_is_float(n->rule->body->type) || !map_is_pointwise(n))
		return reg;
	enum dtype t = build_type(l->b, reg);
	return build_apply(l->b, SC_ADD, t, build_float(l->b, t, 0), reg, -1);
}

int value_of_point(struct lowering *l, struct phys_node *n, const struct kernel_affine *factor, int guard, int *ok)
{
	struct point p;
	read_point(l, &p, n, factor, guard);
	if (!ok)
		return sum_of_one(l, n, value_or_neutral(l, &p));
	struct map seen;
	map_init(&seen, l->scratch);
	*ok = p.ok;
	return body_value(l, &p, n->rule->body, &seen);
}

int value_of_summand(struct lowering *l, struct phys_node *n, const struct kernel_affine *factor, int *times,
		     int *guard)
{
	const struct scalar *s = n->rule->body;
	bool product = n->rule->combiner == COMBINE_SUM && kernel_contracts(s->type) && s->kind == SCALAR_APPLY &&
		       s->fn == SC_MUL;
	struct point p;
	read_point(l, &p, n, factor, -1);
	*times = *guard = -1;
	if (!product)
		return value_or_neutral(l, &p);
	struct map seen;
	map_init(&seen, l->scratch);
	*guard = p.ok;
	*times = body_value(l, &p, s->arg[1], &seen);
	return body_value(l, &p, s->arg[0], &seen);
}

struct kernel_affine value_out_address(struct lowering *l, struct phys_node *n, const struct kernel_affine *factor,
				       int *guard)
{
	const struct access *a = &n->rule->out;
	struct point here, *p = &here;
	point_begin(l, p, n, factor, *guard);
	struct kernel_affine at[MAX_RANK];
	for (int d = 0; d < a->rank; d++) {
		struct phys_origin o = n->origins ? n->origins->out[d] : (struct phys_origin){-1};
		at[d] = index_place(l, p, &a->index[d], a->dim[d], o);
		at[d].offset += n->part ? n->part->begin[d] : 0;
	}
	*guard = both(l, *guard, p->ok);
	return value_address(l, &n->shape, at);
}

/* A map of one value per element, at local indices of its result. */
static int inlined(struct lowering *l, struct phys_node *n, const struct kernel_affine *at, int guard)
{
	const struct rule *r = n->rule;
	BUG_IF(!map_is_pointwise(n), "kernel %s: node %%%d (%s) is neither stored nor pointwise", l->out->kernel->name,
	       n->id, r->name);
	BUG_IF(++l->depth > MAX_INLINING, "kernel %s inlines too deeply", r->name);
	struct kernel_affine *factor = ARENA_ARRAY(l->scratch, struct kernel_affine, r->nfactors);
	for (int f = 0; f < r->nfactors; f++)
		factor[f] = affine_const(0);
	for (int d = 0; d < r->out.rank; d++)
		if (index_factor(&r->out.index[d]) >= 0 && r->out.dim[d] != 1)
			factor[index_factor(&r->out.index[d])] = at[d];
	int reg = value_of_point(l, n, factor, guard, NULL);
	l->depth--;
	return reg;
}

/* A member stored in an earlier pass is loaded back where that is cheaper than computing it again. */
static bool reload(const struct lowering *l, const struct phys_node *n, const struct kernel_affine *at)
{
	const struct kernel_affine *own = map_get(&l->done, n);
	if (!own)
		return false;
	for (int d = 0; d < n->shape.rank; d++)
		if (!affine_equal(&own[d], &at[d]))
			return false;
	return true;
}

int value_at(struct lowering *l, struct phys_node *n, const struct kernel_affine *at, int guard)
{
	if (n->kind == PHYS_CONST)
		return build_const(l->b, n->dtype, n->number);
	if (n->kind == PHYS_HOST)
		return host_register(l, n);
	struct kernel_affine own[MAX_RANK];
	for (int d = 0; d < n->shape.rank; d++)
		own[d] = n->shape.dim[d] == 1 ? affine_const(0) : at[d];
	int reg = remembered(l, n, own, guard);
	if (reg >= 0)
		return reg;
	const struct member *m = map_get(&l->members, n);
	if (m ? m->late && m->reduces : l->stored[n->id] || n->kind != PHYS_MAP)
		reg = load(l, n, own, guard);
	else if (m && reload(l, n, own))
		reg = load(l, n, own, guard);
	else
		reg = inlined(l, n, own, guard);
	value_set(l, n, own, n->shape.rank, guard, reg);
	return reg;
}
