/* sparse.c — updates of a table at the rows that a batch names. Written down, the gradient of such reads is a tensor as
 * large as the table, zero but for a few rows, and the step is a pass over all of it:
 *
 *   s = scatter-add of g at rows i;  table' = f(table, s), where f(x, 0) = x
 *
 * Instead the sum is made in these rows alone, in the same order and so to the same bits; the rows of f are gathered,
 * and then written onto the table:
 *
 *   s[i] = 0;  s[i] += g;     t = f(table[i], s[i]);     table[i] = t
 *
 * A row that several points name is computed for each of them, from the same numbers. What s holds elsewhere is
 * nobody's business: it has no other reader. */
#include "planner.h"

#include "../op/intern.h"
#include "../simplify/simplify.h"

#include <string.h>

/* The sum is worth it where points are fewer than a quarter of the table. */
enum { FEWER = 4, TABLE = 1, SUM = 2, MAX_CHAIN = 8 };

/* An update that may become one: from the sum over maps that each read only the one before it, the table and numbers.
 */
struct update {
	struct phys_output *output;
	struct phys_node *sum, *table;
	struct phys_node *chain[MAX_CHAIN]; /* the first makes the new table */
	int nchain, data;                   /* the dimension that indices name */
};

/* What is read here alone, maybe handed on; NULL: by others as well. */
static struct phys_node *read_alone(const struct planner *p, struct phys_node *n)
{
	while (n->kind == PHYS_VIEW && p->uses[n->id] == 1 && !n->after && shape_equal(&n->shape, &n->in[0]->shape))
		n = n->in[0];
	return p->uses[n->id] == 1 ? n : NULL;
}

/* Adds up over points that each name a row by data and are all of its other dimensions. */
static bool sums_rows(const struct phys_node *n, struct update *u)
{
	const struct rule *r = n->rule;
	int64_t points = 1;
	u->data = -1;
	if (n->kind != PHYS_MAP || n->loop || r->combiner != COMBINE_SUM || n->owned || r->nfactors > MAX_RANK)
		return false;
	for (int d = 0; d < r->out.rank; d++) {
		const struct index *x = &r->out.index[d];
		if (x->data >= 0
			    ? u->data >= 0
			    : index_factor(x) < 0 || x->guarded || r->out.dim[d] != r->factor[index_factor(x)].extent)
			return false;
		u->data = x->data >= 0 ? d : u->data;
	}
	for (int f = 0; f < r->nfactors; f++) {
		if (u->data < 0 ||
		    (access_dim_of(&r->out, f) < 0 && access_dim_of(&r->operand[r->out.index[u->data].data], f) < 0))
			return false;
		if (__builtin_mul_overflow(points, r->factor[f].extent, &points))
			return false;
	}
	return u->data >= 0 && points < shape_volume(&n->shape) / FEWER;
}

/* A map of the chain: its one operand that is computed, if all others are the table, in place, and numbers. */
static struct phys_node *computed_operand(const struct planner *p, const struct phys_node *n,
					  const struct phys_node *table)
{
	struct phys_node *found = NULL;
	if (n->kind != PHYS_MAP || n->loop || p->treat[n->id] != TREAT_NONE || !map_is_pointwise(n) ||
	    n->dtype != table->dtype || n->owned)
		return NULL;
	for (int f = 0; f < n->rule->nfactors; f++)
		if (scalar_uses_factor(n->rule->body, f))
			return NULL;
	for (int k = 0; k < n->nin; k++) {
		struct phys_node *x = n->in[k];
		if (n->rule->operand[k].rank == 0 && shape_volume(&x->shape) == 1)
			continue;
		if (!planner_reads_elements(n, k) || (found && x != table))
			return NULL;
		if (x != table)
			found = x;
	}
	return found ? read_alone(p, found) : NULL;
}

/* The way from an output back to the sum. */
static bool find_update(const struct planner *p, struct phys_output *o, struct phys_node **tables, struct update *u)
{
	struct phys_node *n = o->kind == OUTPUT_SLOT ? planner_root(o->node) : NULL;
	*u = (struct update){.output = o, .table = n ? tables[o->index] : NULL};
	while (n && u->table && u->nchain < MAX_CHAIN && !(u->nchain && sums_rows(n, u))) {
		u->chain[u->nchain++] = n;
		n = computed_operand(p, n, u->table);
	}
	if (!n || !u->table || !u->nchain || u->nchain == MAX_CHAIN || n->dtype != u->table->dtype)
		return false;
	if (u->nchain == 1 && read_alone(p, o->node) != u->chain[0])
		return false;
	u->sum = n;
	return shape_equal(&n->shape, &u->table->shape);
}

/* ---- what takes its place ---- */

/* The rows of f, being made: operands are the indices, the table, the sum, then numbers. */
struct rows {
	struct planner *p;
	struct rule *rule;
	struct phys_origins *origins;
	struct phys_node *in[MAX_OPERANDS];
};

static bool add_operand(struct rows *x, struct phys_node *n, const struct access *a, const struct phys_origin *origins)
{
	int k = x->rule->noperands;
	if (k == MAX_OPERANDS)
		return false;
	rule_add_operand(x->p->scratch, x->rule, a);
	if (x->origins)
		memcpy(x->origins->operand[k], origins, sizeof x->origins->operand[k]);
	x->in[k] = n;
	return true;
}

/* A rule over the points of the sum, with nothing but the indices as operand. */
static void rows_start(struct rows *x, const struct update *u, const char *name)
{
	const struct rule *r = u->sum->rule;
	const struct phys_origins *o = u->sum->origins;
	int data = r->out.index[u->data].data;
	x->rule = ARENA_NEW(x->p->scratch, struct rule);
	*x->rule = (struct rule){.name = name, .nfactors = r->nfactors};
	memcpy(x->rule->factor, r->factor, sizeof r->factor);
	x->origins = o ? phys_origins_new(x->p->scratch, MAX_OPERANDS) : NULL;
	if (o)
		memcpy(x->origins->factor, o->factor, sizeof o->factor);
	add_operand(x, u->sum->in[data], &r->operand[data], o ? o->operand[data] : NULL);
}

/* The sum's own place in its result, by operand 0. */
static struct access row_access(const struct update *u)
{
	struct access a = u->sum->rule->out;
	a.index[u->data].data = 0;
	return a;
}

/* Element by element of the points. */
static struct access point_access(const struct rule *r, enum dtype t)
{
	struct access a = {.type = t, .rank = r->nfactors};
	for (int f = 0; f < r->nfactors; f++) {
		a.dim[f] = r->factor[f].extent;
		a.index[f] = index_of_factor(f);
	}
	return a;
}

/* f as one body; NULL: it has too many numbers. */
static const struct scalar *whole_body(struct rows *x, const struct update *u)
{
	static const struct phys_origin none[MAX_RANK];
	struct arena *a = x->p->scratch;
	const struct scalar *value = scalar_operand(a, u->sum->dtype, SUM);
	for (int i = u->nchain - 1; i >= 0; i--) {
		const struct phys_node *n = u->chain[i];
		const struct scalar *to[MAX_OPERANDS] = {NULL};
		for (int k = 0; k < n->nin; k++) {
			bool number = n->rule->operand[k].rank == 0 && shape_volume(&n->in[k]->shape) == 1;
			if (n->in[k] == u->table)
				to[k] = scalar_operand(a, u->table->dtype, TABLE);
			else if (!number)
				to[k] = value;
			else if (!add_operand(x, n->in[k], &n->rule->operand[k], none))
				return NULL;
			else
				to[k] = scalar_operand(a, n->in[k]->dtype, x->rule->noperands - 1);
		}
		value = scalar_substitute(a, n->rule->body, to, NULL);
	}
	return value;
}

static bool keeps_at_zero(struct arena *a, const struct scalar *body, enum dtype t)
{
	const struct scalar *to[MAX_OPERANDS] = {NULL};
	to[SUM] = scalar_number(a, t, (union scalar_value){0});
	const struct scalar *s = simplify_body(a, scalar_vanish(a, body, to));
	return s->kind == SCALAR_OPERAND && s->index == TABLE;
}

/* Who writes the rows onto the table: what made the table, or, where that is the only map there is, a node after all
 * others that the output then reads. */
static struct phys_node *writer(struct planner *p, const struct update *u)
{
	if (u->nchain > 1)
		return u->chain[0];
	struct phys_node *n = ARENA_NEW(p->scratch, struct phys_node);
	*n = *u->chain[0];
	n->id = p->graph->nodes.n;
	vec_push(p->scratch, &p->graph->nodes, n);
	u->output->node = n;
	return n;
}

static void become(struct phys_node *n, struct rows *x, struct shape shape)
{
	n->rule = rule_intern(x->p->program->rules, x->rule);
	n->origins = x->origins;
	n->nin = x->rule->noperands;
	n->in = ARENA_ARRAY(x->p->scratch, struct phys_node *, n->nin);
	memcpy(n->in, x->in, sizeof *n->in * (size_t)n->nin);
	n->shape = shape;
}

static void rewrite(struct planner *p, const struct update *u)
{
	const struct phys_origins *o = u->sum->origins;
	const struct access row = row_access(u);
	struct rows part = {.p = p}, whole = {.p = p};
	struct phys_node *rows = u->chain[u->nchain - 1], *fresh;
	struct phys_origin own[MAX_RANK];
	rows_start(&part, u, u->chain[0]->rule->name);
	add_operand(&part, u->table, &row, o ? o->out : NULL);
	add_operand(&part, u->sum, &row, o ? o->out : NULL);
	part.rule->body = whole_body(&part, u);
	if (!part.rule->body || !keeps_at_zero(p->scratch, part.rule->body, u->sum->dtype))
		return;
	fresh = writer(p, u);
	part.rule->out = point_access(part.rule, fresh->dtype);
	for (int f = 0; o && f < part.rule->nfactors; f++)
		own[f] = part.origins->out[f] = o->factor[f];
	rows_start(&whole, u, "rows");
	add_operand(&whole, rows, &part.rule->out, own);
	whole.rule->body = scalar_operand(p->scratch, fresh->dtype, 1);
	whole.rule->out = row;
	if (o)
		memcpy(whole.origins->out, o->out, sizeof o->out);
	become(rows, &part, (struct shape){.rank = part.rule->out.rank});
	memcpy(rows->shape.dim, part.rule->out.dim, sizeof rows->shape.dim);
	become(fresh, &whole, fresh->shape);
	for (int i = 1; i < u->nchain - 1; i++)
		p->treat[u->chain[i]->id] = TREAT_ABSORBED;
	p->rows[u->sum->id] = ROWS_ALONE;
	p->rows[fresh->id] = ROWS_ONTO;
	fresh->onto = u->table;
}

void planner_find_sparse(struct planner *p)
{
	struct update u;
	struct phys_node **tables =
		ARENA_ARRAY(p->scratch, struct phys_node *, p->program->slots.n); /* as read first */
	for (int i = p->graph->nodes.n - 1; i >= 0; i--)
		if (p->graph->nodes.at[i]->kind == PHYS_SLOT)
			tables[p->graph->nodes.at[i]->slot] = p->graph->nodes.at[i];
	for (int i = 0; i < p->graph->outputs.n; i++)
		if (find_update(p, &p->graph->outputs.at[i], tables, &u))
			rewrite(p, &u);
	planner_find_users(p);
}
