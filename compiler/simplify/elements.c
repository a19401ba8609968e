/* elements.c — an element of a tensor that a loop changes in every turn, while it reads others of it, is carried by
 * itself: the tensor changes once, behind the loop.
 *
 *   %5 = carry(%1) of 2                                  %5 = map(%1, %i, %j) {slice}
 *   %6 = map(%5, %i, %k) {slice}                         %6 = carry(%5) of 2
 *   %7 = map(%5, %6, %i, %j) {a - where(…, b, 0)}        %7 = map(%1, %i, %k) {slice}
 *   %8 = end(%5, %7) of 2                     becomes    %8 = map(%6, %7) {a - b}
 *                                                        %9 = end(%6, %8) of 2
 *                                                        %10 = map(%1, %9, %i, %j) {update}
 *
 * for k in 0..j, whose turns never come to j (graph/bounds.h). So it is a number in a register in place of one that
 * each turn waits for until it has gone to memory and back. Within another loop alone, where a tensor is changed in
 * place. */
#include "simplify.h"

#include "../graph/bounds.h"

#include <string.h>

/* Where an element is, in one dimension: at a scalar, or (NULL) at a number. */
struct where {
	struct node *by;
	int64_t at;
};

struct element {
	struct where dim[MAX_RANK];
};

/* A carried tensor, what takes its place, and the element that it differs in. */
struct changed {
	struct node *carry, *end, *update;
	const struct node *put; /* a map that the update alone reads, and is taken with it; NULL: none */
	/* The update's body, over the tensor, which is operand 0, and scalars. */
	const struct scalar *body;
	int nin;
	struct node *in[MAX_OPERANDS];
	struct element element;
	const struct scalar *here[MAX_RANK]; /* the comparison that says so */
};

/* What reads it at one element. */
struct read {
	struct node *n;
	int operand;
	bool is_same; /* the element that changes */
};

struct search {
	struct graph *g;
	struct arena *scratch;
	const struct bounds *bounds;
	int nnodes; /* that there were */
	const int *reads;
	VEC(struct read) read;
};

/* ---- the element that changes ---- */

static const struct scalar *without_casts(const struct scalar *s)
{
	while (s->kind == SCALAR_APPLY && s->fn == SC_CAST && dtype_is_int(s->type) && dtype_is_int(s->arg[0]->type))
		s = s->arg[0];
	return s;
}

static int dim_of_factor(const struct changed *c, const struct scalar *s)
{
	return s->kind == SCALAR_FACTOR ? access_dim_of(&c->update->rule->out, s->index) : -1;
}

static bool set_where(struct changed *c, int d, const struct scalar *here, const struct scalar *number)
{
	struct where w = {NULL, number->i};
	if (number->kind == SCALAR_OPERAND && number->index > 0)
		w.by = c->in[number->index];
	else if (number->kind != SCALAR_CONST)
		return false;
	if (c->here[d])
		return scalar_equal(c->here[d], here);
	c->here[d] = here;
	c->element.dim[d] = w;
	return true;
}

/* The comparisons in the body: of each dimension with one number. */
static bool find_where(struct changed *c, const struct scalar *s)
{
	if (s->kind != SCALAR_APPLY)
		return s->kind != SCALAR_FACTOR && s->kind != SCALAR_EXTENT;
	for (int k = 0; s->fn == SC_EQ && k < 2; k++) {
		int d = dim_of_factor(c, s->arg[k]);
		if (d >= 0)
			return set_where(c, d, s, without_casts(s->arg[1 - k]));
	}
	for (int k = 0; k < scalar_arity(s->fn); k++)
		if (!find_where(c, s->arg[k]))
			return false;
	return true;
}

/* The body where dimensions for which `holds` has a bit are at the element, and the others beside it. */
static const struct scalar *body_where(struct search *w, const struct changed *c, const struct scalar *s,
				       unsigned holds)
{
	const struct scalar *arg[3] = {NULL};
	if (s->kind != SCALAR_APPLY)
		return s;
	for (int d = 0; d < c->carry->shape.rank; d++)
		if (scalar_equal(s, c->here[d]))
			return scalar_int(w->g->arena, DT_BOOL, holds >> d & 1);
	for (int k = 0; k < scalar_arity(s->fn); k++)
		arg[k] = body_where(w, c, s->arg[k], holds);
	return scalar_apply(w->g->arena, s->fn, s->type, arg[0], arg[1], arg[2]);
}

/* Operand k of n, if that is the tensor or a scalar; NULL: it is neither, or too many are there. */
static const struct scalar *operand_of(struct search *w, struct changed *c, const struct node *n, int k)
{
	const struct access *x = &n->rule->operand[k];
	if (n->in[k] == c->carry && n == c->update && rule_reads_in_place(n->rule, k))
		return scalar_operand(w->g->arena, x->type, 0);
	if (x->rank || c->nin == MAX_OPERANDS)
		return NULL;
	c->in[c->nin] = n->in[k];
	return scalar_operand(w->g->arena, x->type, c->nin++);
}

static bool is_pointwise(const struct node *n)
{
	return n->kind == NODE_MAP && n->rule->combiner == COMBINE_NONE && !rule_is_guarded(n->rule);
}

/* The body of what operand k of the update is made by, at the update's points; NULL: it is no such map. */
static const struct scalar *put_of(struct search *w, struct changed *c, int k)
{
	const struct node *n = c->update->in[k];
	const struct scalar *in[MAX_OPERANDS] = {NULL};
	int at[MAX_FACTORS] = {0};
	if (c->put || n->id >= w->nnodes || w->reads[n->id] != 1 || !is_pointwise(n) ||
	    !rule_reads_in_place(c->update->rule, k))
		return NULL;
	for (int i = 0; i < n->nin; i++)
		if (!(in[i] = operand_of(w, c, n, i)))
			return NULL;
	for (int d = 0; d < n->rule->out.rank; d++) {
		int f = index_factor(&n->rule->out.index[d]), of = index_factor(&c->update->rule->out.index[d]);
		if (f < 0 || of < 0)
			return NULL;
		at[f] = of;
	}
	c->put = n;
	return scalar_substitute(w->g->arena, n->rule->body, in, at);
}

/* The update as an expression of the tensor and scalars. False if it is none. */
static bool find_body(struct search *w, struct changed *c)
{
	const struct scalar *in[MAX_OPERANDS] = {NULL};
	const struct node *n = c->update;
	if (!is_pointwise(n))
		return false;
	c->in[0] = c->carry;
	c->nin = 1;
	for (int k = 0; k < n->nin; k++) {
		in[k] = operand_of(w, c, n, k);
		if (!in[k] && !(in[k] = put_of(w, c, k)))
			return false;
	}
	c->body = scalar_substitute(w->g->arena, n->rule->body, in, NULL);
	return true;
}

/* Whether the update leaves all other elements. */
static bool is_one_element(struct search *w, struct changed *c)
{
	const int rank = c->carry->shape.rank;
	if (!find_body(w, c) || !find_where(c, c->body))
		return false;
	for (int d = 0; d < rank; d++)
		if (!c->here[d])
			return false;
	for (unsigned holds = 0; holds + 1 < 1u << rank; holds++) {
		const struct scalar *rest = body_where(w, c, c->body, holds);
		if (rest->kind != SCALAR_OPERAND || rest->index)
			return false;
	}
	return true;
}

/* Whether it is the same element in all turns, and there. */
static bool stays_inside(const struct search *w, const struct changed *c)
{
	for (int d = 0; d < c->carry->shape.rank; d++) {
		const struct where *at = &c->element.dim[d];
		struct range r = {at->at, at->at};
		if (at->by && (at->by->id >= w->nnodes || loop_is_in(at->by->loop, c->carry->of)))
			return false;
		if (at->by)
			r = bounds_of_node(w->bounds, at->by);
		bool is_checked = at->by && at->by->kind == NODE_CHECK &&
				  at->by->check.extent == c->carry->shape.dim[d] &&
				  (at->by->check.asked == ASKED_WITHIN || at->by->check.asked == ASKED_BELOW);
		if (!is_checked && (r.low < 0 || r.high >= c->carry->shape.dim[d]))
			return false;
	}
	return true;
}

/* ---- what reads it ---- */

static bool element_of(const struct node *n, int operand, struct element *out)
{
	const struct access *x = &n->rule->operand[operand];
	if (n->kind != NODE_MAP || n->rule->nfactors || n->shape.rank)
		return false;
	for (int d = 0; d < x->rank; d++) {
		const struct index *ix = &x->index[d];
		if (ix->nterms || (ix->data < 0 && (ix->div != 1 || ix->guarded)) || (ix->data >= 0 && ix->offset))
			return false;
		out->dim[d] = (struct where){ix->data < 0 ? NULL : n->in[ix->data], ix->offset};
		if (ix->data >= 0 && n->rule->operand[ix->data].rank)
			return false;
	}
	return true;
}

static bool is_same_number(const struct where *a, const struct where *b)
{
	return a->by == b->by && a->at == b->at;
}

static bool are_apart(const struct search *w, const struct where *a, const struct where *b)
{
	struct range r;
	if (!a->by && !b->by)
		return a->at != b->at;
	if (a->by && b->by) {
		r = bounds_of_difference(w->bounds, a->by, b->by);
		return r.low > 0 || r.high < 0;
	}
	r = bounds_of_node(w->bounds, a->by ? a->by : b->by);
	int64_t at = a->by ? b->at : a->at;
	return r.low > at || r.high < at;
}

static bool are_known(const struct search *w, const struct element *x, int rank)
{
	for (int d = 0; d < rank; d++)
		if (x->dim[d].by && (x->dim[d].by->id >= w->nnodes || x->dim[d].by->dtype != DT_I64))
			return false;
	return true;
}

/* Whether n reads operand k of the tensor at the element, or certainly beside it. */
static bool add_read(struct search *w, const struct changed *c, struct node *n, int k)
{
	const int rank = c->carry->shape.rank;
	struct element x;
	if (n->kind != NODE_MAP || !element_of(n, k, &x) || !are_known(w, &x, rank) || !are_known(w, &c->element, rank))
		return false;
	bool same = true, apart = false;
	for (int d = 0; d < rank; d++) {
		same &= is_same_number(&x.dim[d], &c->element.dim[d]);
		apart |= are_apart(w, &x.dim[d], &c->element.dim[d]);
	}
	bool is_plain = n->rule->body->kind == SCALAR_OPERAND && n->rule->body->index == k;
	struct read r = {n, k, same};
	vec_push(w->scratch, &w->read, r);
	return apart || (same && is_plain);
}

/* All that reads the tensor within the loop. */
static bool find_reads(struct search *w, const struct changed *c)
{
	int found = 0;
	w->read.n = 0;
	for (int i = c->carry->id + 1; i < w->nnodes; i++) {
		struct node *n = w->g->nodes.at[i];
		for (int k = 0; k < n->nin; k++) {
			bool is_own = n == c->end || n == c->update;
			if (n->in[k] != c->carry)
				continue;
			found++;
			if (!is_own && !add_read(w, c, n, k))
				return false;
		}
	}
	return found == w->reads[c->carry->id] && found == w->read.n + 2;
}

/* ---- instead ---- */

static struct node *laid_out(struct node *n, const struct node *like)
{
	n->layout = like->layout;
	return n;
}

/* The positions of an element as operands of r from number `from` on: what their numbers are in its dimensions. */
static void add_positions(struct arena *a, struct rule *r, const struct element *x, int rank, struct node **in,
			  struct index *index)
{
	for (int d = 0; d < rank; d++) {
		index[d] = (struct index){.offset = x->dim[d].by ? 0 : x->dim[d].at, .div = 1, .data = -1};
		if (!x->dim[d].by)
			continue;
		const struct access scalar = {.type = x->dim[d].by->dtype};
		index[d] = (struct index){.div = 1, .data = (int8_t)r->noperands, .guarded = true};
		in[r->noperands] = x->dim[d].by;
		rule_add_operand(a, r, &scalar);
	}
}

static struct node *slice(struct graph *g, const struct node_site *at, struct node *x, const struct element *e)
{
	struct rule r = {.name = "slice", .out = {.type = x->dtype}};
	struct access operand = access_of_shape(x->dtype, &x->shape);
	struct node *in[MAX_OPERANDS] = {x};
	rule_add_operand(g->arena, &r, &operand);
	add_positions(g->arena, &r, e, x->shape.rank, in, operand.index);
	struct access *own = rule_own_operands(g->arena, &r, 0);
	own[0] = operand;
	r.body = scalar_operand(g->arena, x->dtype, 0);
	return graph_map(g, at, &r, in);
}

/* x, with the element as v is. */
static struct node *updated(struct graph *g, const struct node_site *at, struct node *x, const struct element *e,
			    struct node *v)
{
	struct arena *a = g->arena;
	struct rule r = rule_over_shape("update", x->dtype, &x->shape);
	const struct access operand = access_of_shape(x->dtype, &x->shape), scalar = {.type = x->dtype};
	struct index index[MAX_RANK];
	struct node *in[MAX_OPERANDS] = {x, v};
	const struct scalar *here = NULL;
	rule_add_operand(a, &r, &operand);
	rule_add_operand(a, &r, &scalar);
	add_positions(a, &r, e, x->shape.rank, in, index);
	for (int d = 0; d < x->shape.rank; d++) {
		int k = index[d].data;
		const struct scalar *number =
			k < 0 ? scalar_int(a, DT_I64, index[d].offset) : scalar_operand(a, in[k]->dtype, k);
		const struct scalar *is = scalar_apply(a, SC_EQ, DT_BOOL, scalar_factor(a, d), number, NULL);
		here = here ? scalar_apply(a, SC_AND, DT_BOOL, here, is, NULL) : is;
	}
	r.body = scalar_apply(a, SC_WHERE, x->dtype, here, scalar_operand(a, x->dtype, 1),
			      scalar_operand(a, x->dtype, 0));
	return graph_map(g, at, &r, in);
}

/* What the update makes of the element. */
static struct node *next_of(struct search *w, const struct changed *c, struct node *s)
{
	struct graph *g = w->g;
	const unsigned all = (1u << c->carry->shape.rank) - 1;
	const struct scalar *body = body_where(w, c, c->body, all);
	struct node_site at = node_site_of(c->update);
	struct node *read[MAX_OPERANDS];
	struct rule r = {.name = c->update->rule->name, .out = {.type = c->carry->dtype}, .body = body};
	int kept[MAX_OPERANDS];
	if (body->kind == SCALAR_OPERAND)
		return body->index ? c->in[body->index] : s;
	for (int k = 0; k < c->nin; k++) {
		const struct access scalar = {.type = c->in[k]->dtype};
		rule_add_operand(g->arena, &r, &scalar);
	}
	const struct rule *pruned = rule_prune(g->arena, &r, kept);
	for (int k = 0; k < pruned->noperands; k++)
		read[k] = kept[k] ? c->in[kept[k]] : s;
	return laid_out(graph_map(g, &at, pruned, read), c->carry);
}

static void replace(struct graph *g, const struct node *x, struct node *by)
{
	for (int i = 0; i < g->nodes.n; i++)
		for (int k = 0; k < g->nodes.at[i]->nin; k++)
			if (g->nodes.at[i]->in[k] == x)
				g->nodes.at[i]->in[k] = by;
	for (int i = 0; i < g->outputs.n; i++)
		if (g->outputs.at[i].node == x)
			g->outputs.at[i].node = by;
	for (int i = 0; i < g->loops.n; i++)
		for (int k = 0; loop_asked(g->loops.at[i], k); k++)
			if (*loop_asked(g->loops.at[i], k) == x)
				*loop_asked(g->loops.at[i], k) = by;
}

static void carry_element(struct search *w, const struct changed *c)
{
	struct graph *g = w->g;
	struct node_site at = node_site_of(c->update);
	struct node *before = c->carry->in[0];
	struct node *start = laid_out(slice(g, &at, before, &c->element), c->carry);
	struct node *s = laid_out(graph_carry(g, &at, c->carry->of, start), c->carry);
	struct node *end = laid_out(graph_end(g, &at, s, next_of(w, c, s)), c->carry);
	for (int i = 0; i < w->read.n; i++) {
		const struct read *r = &w->read.at[i];
		if (r->is_same)
			replace(g, r->n, s);
		else
			r->n->in[r->operand] = before;
	}
	replace(g, c->end, laid_out(updated(g, &at, before, &c->element, end), c->end));
}

/* ---- which ---- */

static bool is_whole(const struct node *n)
{
	for (int a = 0; n->place && a < n->place->naxes; a++)
		if (n->layout.atom[a].kind != SHARD_B)
			return false;
	return true;
}

static bool is_candidate(const struct search *w, const struct changed *c)
{
	const struct loop *l = c->carry->of;
	return c->end && l->outer && !l->is_branch && !l->batch && !l->stages && l->turns != 1 &&
	       c->carry->shape.rank && c->update->kind == NODE_MAP && c->update->id < w->nnodes &&
	       w->reads[c->update->id] == 1 && is_whole(c->carry) && is_whole(c->update) &&
	       shape_equal(&c->update->shape, &c->carry->shape);
}

bool pass_elements(struct session *s, struct graph *g)
{
	(void)s;
	if (!g->loops.n)
		return false;
	struct arena *scratch = arena_new("elements");
	struct node *const *ends = graph_ends(g, scratch);
	struct search w = {.g = g, .scratch = scratch, .nnodes = g->nodes.n};
	bool changed = false;
	w.bounds = bounds_of_graph(scratch, g);
	w.reads = graph_count_reads(g, scratch);
	for (int i = 0; i < w.nnodes; i++) {
		struct node *n = g->nodes.at[i];
		struct changed c = {.carry = n};
		if (n->kind != NODE_CARRY || !ends[n->id])
			continue;
		c.end = ends[n->id];
		c.update = c.end->in[1];
		if (!is_candidate(&w, &c) || !is_one_element(&w, &c) || !stays_inside(&w, &c) || !find_reads(&w, &c))
			continue;
		carry_element(&w, &c);
		changed = true;
	}
	arena_free(scratch);
	if (changed)
		graph_compact(g);
	return changed;
}
