/* rows.c — a line of rows that are taken by index, or a slice of them, is rows by a line or slice of the indices: what
 * moves it still knows whose rows they are.
 *
 *   %1 = map(%ids, %t) {i[b, n], t[v, d] -> [b, n, d] = t[i, d]}
 *   %2 = line(%1) of 0                 becomes
 *   %1 = line(%ids) of 0
 *   %2 = map(%1, %t) {i[n], t[v, d] -> [n, d] = t[i, d]}
 *
 * Only if all of the rows are moved nowhere, since a part of what has come need not come again, and where the indices
 * are whole along what a part is taken of: so it waits until layouts are known. */
#include "simplify.h"

#include "../layout/owners.h"

/* How the result of a map is read: dimension d from first[d] on, or there alone. In a line, dimension 0 is the turn. */
struct reading {
	int64_t first[MAX_RANK], extent[MAX_RANK];
	bool is_one[MAX_RANK];
};

static bool takes_rows(const struct node *n)
{
	struct layout whole;
	return n->kind == NODE_MAP && n->place && owners_of_rows(n, &whole);
}

/* False unless n reads a box of its operand, of which dimensions of one element may be gone. */
static bool find_box(const struct node *n, struct reading *r)
{
	const struct access *x = n->rule->operand;
	int dims = 0;
	if (simplify_view_of(n) != 0 || n->rule->noperands != 1)
		return false;
	for (int d = 0; d < x->rank; d++) {
		int f = index_shifted_factor(&x->index[d]);
		r->first[d] = x->index[d].offset;
		r->is_one[d] = index_is_fixed(&x->index[d]);
		r->extent[d] = r->is_one[d] ? 1 : f < 0 ? -1 : n->rule->factor[f].extent;
		if (x->index[d].guarded || r->extent[d] < 0 ||
		    (!r->is_one[d] && (dims >= n->rule->out.rank || index_factor(&n->rule->out.index[dims++]) != f)))
			return false;
	}
	return dims == n->rule->out.rank;
}

/* How n reads rows; false if it reads nothing but a part of them. */
static bool find_reading(const struct node *n, struct reading *r)
{
	if (!n->nin || !takes_rows(n->in[0]))
		return false;
	if (n->kind != NODE_LINE)
		return n->kind == NODE_MAP && find_box(n, r);
	*r = (struct reading){.is_one = {true}};
	for (int d = 1; d < n->in[0]->shape.rank; d++)
		r->extent[d] = n->in[0]->shape.dim[d];
	return n->nin == 1 && n->in[0]->loop != n->of;
}

/* Whether dimension d is the turn of a loop. */
static bool is_line_of_turns(const struct node *n, int d)
{
	return n->kind == NODE_LINE && d == 0;
}

static bool is_narrowed(const struct node *rows, const struct reading *r, int d)
{
	return r->is_one[d] || r->extent[d] != rows->shape.dim[d];
}

/* The dimension of an operand that a dimension of the result is; -1: none. */
static int dim_in_operand(const struct rule *r, int operand, int d)
{
	return access_dim_of(&r->operand[operand], index_factor(&r->out.index[d]));
}

/* How a part is laid out: like x, of which dimension d is dimension to[d], -1: narrowed. False if that is split. */
static bool part_layout(const struct node *x, const int *to, struct layout *out)
{
	*out = x->layout;
	for (int a = 0; a < x->place->naxes; a++) {
		struct shard_atom *atom = &out->atom[a];
		if (atom->kind == SHARD_B || atom->kind == SHARD_P)
			continue;
		if (atom->kind != SHARD_S || to[atom->dim] < 0)
			return false;
		atom->dim = to[atom->dim];
	}
	return true;
}

/* The dimensions of operand i of the rows in the part of it, those of the result for i = -1; -1: narrowed. */
static void find_dims(const struct node *rows, const struct reading *r, int i, int *to)
{
	const struct access *x = i < 0 ? &rows->rule->out : &rows->rule->operand[i];
	int dims = 0;
	for (int e = 0; e < x->rank; e++) {
		bool narrowed = false, is_one = false;
		for (int d = 0; d < rows->rule->out.rank; d++)
			if ((i < 0 ? d : dim_in_operand(rows->rule, i, d)) == e) {
				narrowed = is_narrowed(rows, r, d);
				is_one = r->is_one[d];
			}
		to[e] = narrowed ? -1 : dims;
		dims += !is_one;
	}
}

/* Whether the rows of parts of their indices are laid out as n is. */
static bool keeps_layout(const struct node *rows, const struct node *n, const struct reading *r)
{
	struct layout l;
	int to[MAX_RANK];
	for (int i = 0; i < rows->nin; i++) {
		find_dims(rows, r, i, to);
		if (!part_layout(rows->in[i], to, &l))
			return false;
	}
	find_dims(rows, r, -1, to);
	return part_layout(rows, to, &l) && layout_equal(n->place, &l, &n->layout);
}

/* Whether what is narrowed are dimensions of indices, and of nothing else. */
static bool fits(const struct node *rows, const struct node *n, const struct reading *r)
{
	const struct rule *rule = rows->rule;
	bool narrows = false;
	for (int d = 0; d < rule->out.rank; d++) {
		int f = index_factor(&rule->out.index[d]);
		if (f < 0 || (is_narrowed(rows, r, d) && scalar_uses_factor(rule->body, f)))
			return false;
		for (int i = 0; i < rule->noperands && is_narrowed(rows, r, d); i++) {
			bool uses = access_uses(&rule->operand[i], f);
			int e = dim_in_operand(rule, i, d);
			if (uses && (e < 0 || !rule_reads_index(rule, i) || (is_line_of_turns(n, d) && e != 0)))
				return false;
			narrows |= uses;
		}
	}
	return narrows && keeps_layout(rows, n, r);
}

/* A box of x, without the dimensions that are one element. */
static struct node *box_of(struct graph *g, const struct node_site *at, struct node *x, const struct reading *r)
{
	struct access operand = {.type = x->dtype, .rank = x->shape.rank};
	struct shape s = {0};
	for (int e = 0; e < x->shape.rank; e++) {
		operand.dim[e] = x->shape.dim[e];
		operand.index[e] = r->is_one[e] ? (struct index){.div = 1, .data = -1} : index_of_factor(s.rank);
		operand.index[e].offset = r->first[e];
		if (!r->is_one[e])
			s.dim[s.rank++] = r->extent[e];
	}
	struct rule rule = rule_over_shape("slice", x->dtype, &s);
	rule.noperands = 1;
	rule.operand = &operand;
	rule.body = scalar_operand(g->arena, x->dtype, 0);
	return graph_map(g, at, &rule, &x);
}

/* Operand i of the rows, of which n reads a part; itself if n reads all of it. */
static struct node *part_of(struct graph *g, const struct node *rows, struct node *n, const struct reading *r, int i)
{
	struct node *x = rows->in[i];
	struct reading own = {.first = {0}};
	bool is_whole = true;
	int to[MAX_RANK];
	struct node_site at = node_site_of(n);
	at.name = x->name;
	for (int e = 0; e < x->shape.rank; e++)
		own.extent[e] = x->shape.dim[e];
	for (int d = 0; d < rows->shape.rank; d++) {
		int e = dim_in_operand(rows->rule, i, d);
		if (e < 0 || !is_narrowed(rows, r, d))
			continue;
		if (is_line_of_turns(n, d))
			x = graph_line(g, &at, n->of, 1, &x, n->line.first, n->line.step, n->line.back);
		is_whole = false;
		own.first[e] = r->first[d];
		own.extent[e] = r->extent[d];
		own.is_one[e] = r->is_one[d];
	}
	if (is_whole)
		return x;
	find_dims(rows, r, i, to);
	if (x == rows->in[i])
		x = box_of(g, &at, x, &own);
	part_layout(rows->in[i], to, &x->layout);
	return x;
}

static void drop_dimension(struct access *a, int d)
{
	a->rank--;
	for (; d < a->rank; d++) {
		a->dim[d] = a->dim[d + 1];
		a->index[d] = a->index[d + 1];
	}
}

/* The rule of the rows over parts of their indices. */
static const struct rule *narrowed(struct arena *a, const struct node *rows, const struct reading *r)
{
	struct rule *fresh = ARENA_NEW(a, struct rule);
	const struct rule *of = rows->rule, *result = fresh;
	*fresh = *of;
	struct access *operand = rule_own_operands(a, fresh, 0);
	for (int d = of->out.rank - 1; d >= 0; d--) {
		int f = index_factor(&of->out.index[d]);
		if (!is_narrowed(rows, r, d))
			continue;
		fresh->factor[f].extent = fresh->out.dim[d] = r->extent[d];
		if (r->is_one[d])
			drop_dimension(&fresh->out, d);
		for (int i = 0; i < of->noperands; i++) {
			int e = access_dim_of(&operand[i], f);
			if (e < 0)
				continue;
			operand[i].dim[e] = r->extent[d];
			if (r->is_one[d])
				drop_dimension(&operand[i], e);
		}
	}
	for (int f = of->nfactors - 1; f >= 0; f--)
		for (int d = 0; d < of->out.rank; d++)
			if (r->is_one[d] && index_factor(&of->out.index[d]) == f)
				result = simplify_without_factor(a, result, f);
	return result;
}

static struct node *look(struct graph *g, struct node *n, void *context, bool *changed)
{
	struct map *whole = context;
	struct reading r;
	struct node *in[MAX_OPERANDS];
	(void)changed;
	if (!find_reading(n, &r) || map_get(whole, n->in[0]))
		return n;
	const struct node *rows = n->in[0];
	struct node_site at = node_site_of(n);
	for (int i = 0; i < rows->nin; i++)
		in[i] = part_of(g, rows, n, &r, i);
	struct node *part = graph_map(g, &at, narrowed(g->arena, rows, &r), in);
	part->layout = n->layout;
	return part;
}

/* Whether n leaves rows where they are: whatever else it computes of them, a part of them can be taken once more. */
static bool stays(const struct node *n)
{
	struct reading r;
	return n->kind == NODE_MAP && !find_reading(n, &r);
}

/* What is moved as a whole, or read so that its indices cannot say it, stays. */
static void find_whole(const struct graph *g, struct map *whole)
{
	for (int id = 0; id < g->nodes.n; id++) {
		const struct node *n = g->nodes.at[id];
		struct reading r;
		bool may = find_reading(n, &r) && fits(n->in[0], n, &r);
		for (int i = 0; i < n->nin && !may; i++)
			if (takes_rows(n->in[i]) && !stays(n))
				map_set(whole, n->in[i], n->in[i]);
	}
	for (int i = 0; i < g->outputs.n; i++)
		map_set(whole, g->outputs.at[i].node, g->outputs.at[i].node);
}

bool pass_rows(struct session *s, struct graph *g)
{
	(void)s;
	struct arena *scratch = arena_new("rows");
	struct map whole;
	map_init(&whole, scratch);
	find_whole(g, &whole);
	bool changed = graph_rewrite(g, look, &whole);
	arena_free(scratch);
	if (changed)
		graph_compact(g);
	return changed;
}
