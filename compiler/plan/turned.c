/* turned.c — operands of sums that are read across. Distances of all points to all others,
 *
 *   d[i, j] = sum[k] (x[i, k] - y[j, k])^2
 *
 * differ from a product in what is summed up alone, so no call computes them. Neighbours of the result read y a row
 * apart: lanes would be those of k, which are added up across a vector for every pair. So y is turned first, once for
 * all rows of the result, into blocks of neighbours that one row after the other finds in the first cache,
 *
 *   t[b, k, l] = y[64 b + l, k]        d[i, b, l] = sum[k] (x[i, k] - t[b, k, l])^2
 *
 * and lanes are neighbours of the result, each with a sum of its own; kernels make several rows at a time
 * (kernel/abreast.c). So it goes with any body and any way to join: largest differences, min-plus products, bilinear
 * forms, whatever makes no product of matrices. A dimension that no such blocks divide is one. What is computed of each
 * element of d alone is made in the same blocks, so that it can follow in the kernel of the sums. */
#include "planner.h"

#include "../op/intern.h"

#include <string.h>

/* Lanes, points of a sum, and rows that read a line again, at least. */
enum { LEAST_LANES = 8, LEAST_POINTS = 4, LEAST_ROWS = 8 };
/* Elements of a block's lines: a few vectors, whole ones on all machines if they are a multiple of VECTOR. */
enum { LEAST_BLOCK = 32, GOOD_BLOCK = 64, MOST_BLOCK = 128, VECTOR = 16 };

/* The factor that dimension d goes along, maybe from another element on; -1: it stays at one. */
static int factor_along(const struct access *a, int d)
{
	return index_shifted_factor(&a->index[d]);
}

static int dim_along(const struct access *a, int factor)
{
	int d = 0;
	while (d < a->rank && factor_along(a, d) != factor)
		d++;
	return d < a->rank ? d : -1;
}

/* The factor that neighbours of the access are of: that of its last dimension which has more than one; -1: none has. */
static int innermost(const struct rule *r, const struct access *a)
{
	int d = a->rank - 1;
	while (d >= 0 && (factor_along(a, d) < 0 || r->factor[factor_along(a, d)].extent == 1))
		d--;
	return d < 0 ? -1 : factor_along(a, d);
}

/* Each dimension is read along a factor of its own, or at one place. */
static bool reads_plainly(const struct access *a)
{
	uint32_t seen = 0;
	for (int d = 0; d < a->rank; d++) {
		int f = factor_along(a, d);
		if (a->index[d].guarded || (f < 0 ? !index_is_fixed(&a->index[d]) : seen >> f & 1))
			return false;
		seen |= f < 0 ? 0 : 1u << f;
	}
	return true;
}

/* Elements of the result that read each element of the operand. */
static int64_t times_read(const struct rule *r, const struct access *a)
{
	int64_t n = 1;
	for (int f = 0; f < r->nfactors; f++)
		n *= rule_reduces(r, f) || access_uses(a, f) ? 1 : r->factor[f].extent;
	return n;
}

/* What an operand is to lanes along a factor: READS_LINES: lines that are read again for other rows. */
enum reading { READS_LANES, READS_LINES, READS_ACROSS, READS_BADLY };

static bool reads_points(const struct rule *r, const struct access *a)
{
	for (int f = 0; f < r->nfactors; f++)
		if (rule_reduces(r, f) && r->factor[f].extent > 1 && access_uses(a, f))
			return true;
	return false;
}

static enum reading reading_of(const struct rule *r, const struct access *a, int lanes)
{
	int f = innermost(r, a);
	bool again = times_read(r, a) >= LEAST_ROWS;
	if (!access_uses(a, lanes) || (f == lanes && !(again && reads_points(r, a))))
		return READS_LANES;
	return f == lanes ? READS_LINES : f >= 0 && rule_reduces(r, f) && again ? READS_ACROSS : READS_BADLY;
}

static bool joins_numbers(enum combiner c)
{
	return c == COMBINE_SUM || c == COMBINE_PROD || c == COMBINE_MAX || c == COMBINE_MIN;
}

/* Whether dimensions of a shard and the factors along them begin with the same element. */
static bool begins_alike(const struct phys_origin *dim, const struct access *a, const struct phys_origins *o)
{
	for (int d = 0; d < a->rank; d++) {
		int f = factor_along(a, d);
		if (dim[d].type != (f < 0 ? -1 : o->factor[f].type))
			return false;
	}
	return true;
}

/* The factor of the result's innermost dimension, if lanes along it see neighbours once some operands are turned; -1.
 */
static int lanes_of(struct arena *a, struct phys_node *n)
{
	const struct rule *r = n->rule;
	int lanes = innermost(r, &r->out), across = 0;
	int64_t points = 1;
	if (lanes < 0 || n->part || n->owned || !joins_numbers(r->combiner) || !map_is_plain(n) ||
	    map_is_pointwise(n) || r->factor[lanes].extent < LEAST_LANES || scalar_draws(r->body))
		return -1;
	for (int f = 0; f < r->nfactors; f++) {
		points *= rule_reduces(r, f) ? r->factor[f].extent : 1;
		if (rule_reduces(r, f) && scalar_uses_factor(r->body, f))
			return -1;
	}
	for (int k = 0; k < r->noperands; k++) {
		if (!reads_plainly(&r->operand[k]) || rule_reads_index(r, k) ||
		    (n->origins && !begins_alike(n->origins->operand[k], &r->operand[k], n->origins)))
			return -1;
		enum reading x = reading_of(r, &r->operand[k], lanes);
		if (x == READS_BADLY)
			return -1;
		across += x == READS_ACROSS || x == READS_LINES;
	}
	struct contraction c;
	return across && points >= LEAST_POINTS && !contraction_of_map(a, n, &c) ? lanes : -1;
}

/* A map whose operands are turned. */
struct turning {
	struct program *program;
	struct arena *arena;
	struct phys_graph *graph;
	int first; /* of the nodes that are made for it */
	const struct phys_node *node;
	int lanes, block;    /* factors: in a block, and of blocks; -1: there is one */
	int64_t width, most; /* elements of a block's lines; of the whole dimension */
	int viewed;          /* operand that is a view of a tensor in such blocks, `blocks`; -1: none is */
	struct phys_node *blocks;
};

/* Elements that the last vector of a block wastes, in parts of a thousand. */
static int64_t waste_of(int64_t width)
{
	int64_t whole = (width + VECTOR - 1) / VECTOR * VECTOR;
	return 1000 * (whole - width) / whole;
}

static int64_t width_of_block(int64_t n)
{
	int64_t best = n;
	for (int64_t w = LEAST_BLOCK; w <= MOST_BLOCK && n > MOST_BLOCK; w++) {
		int64_t waste = waste_of(w), least = waste_of(best);
		if (n % w == 0 && (best == n || waste < least || (waste == least && w <= GOOD_BLOCK)))
			best = w;
	}
	return best;
}

static bool is_turned(const struct turning *t, const struct access *a)
{
	enum reading x = reading_of(t->node->rule, a, t->lanes);
	return x == READS_ACROSS || (x == READS_LINES && t->block >= 0);
}

static void add_dim(struct access *to, int factor, int64_t extent, int *place)
{
	place[factor] = to->rank;
	to->dim[to->rank] = extent;
	to->index[to->rank++] = index_of_factor(factor);
}

/* The access with a dimension for each of its factors, that along the lanes last, behind that of the blocks in front of
 * the points of the sum. place: of the factors. */
static struct access turned_access(const struct turning *t, const struct access *a, int *place)
{
	const struct rule *r = t->node->rule;
	struct access to = {.type = a->type};
	bool blocks = t->block < 0;
	for (int d = 0; d <= a->rank; d++) {
		int f = d < a->rank ? factor_along(a, d) : -1;
		if (!blocks && (d == a->rank || (f >= 0 && r->factor[f].extent > 1 && rule_reduces(r, f)))) {
			add_dim(&to, t->block, t->most / t->width, place);
			blocks = true;
		}
		if (f >= 0 && f != t->lanes)
			add_dim(&to, f, r->factor[f].extent, place);
	}
	add_dim(&to, t->lanes, t->width, place);
	return to;
}

/* The rule that makes a tensor with these dimensions of the operand. */
static const struct rule *turning_rule(const struct turning *t, const struct access *old, const struct access *turned,
				       const int *place)
{
	struct shape shape = {.rank = turned->rank};
	memcpy(shape.dim, turned->dim, sizeof turned->dim);
	struct rule *r = ARENA_NEW(t->arena, struct rule);
	struct access *operand = ARENA_NEW(t->arena, struct access);
	*r = rule_over_shape("turned", old->type, &shape);
	*operand = *old;
	for (int d = 0; d < old->rank; d++)
		if (factor_along(old, d) >= 0)
			operand->index[d].term[0].factor = (int8_t)place[factor_along(old, d)];
	if (t->block >= 0)
		index_add_term(&operand->index[dim_along(old, t->lanes)], place[t->block], t->width);
	r->noperands = 1;
	r->operand = operand;
	r->body = scalar_operand(t->arena, old->type, 0);
	return rule_intern(t->program->rules, r);
}

/* A node that holds the operand so, which may be there already. */
static struct phys_node *turned_node(struct turning *t, struct phys_node *in, const struct rule *rule)
{
	for (int i = t->graph->nodes.n - 1; i >= t->first; i--) {
		struct phys_node *x = t->graph->nodes.at[i];
		if (x->is_turned && x->in[0] == in && x->rule == rule)
			return x;
	}
	struct phys_node *n = ARENA_NEW(t->arena, struct phys_node);
	*n = *t->node;
	n->name = in->name;
	n->dtype = in->dtype;
	n->shape = (struct shape){.rank = rule->out.rank};
	memcpy(n->shape.dim, rule->out.dim, sizeof rule->out.dim);
	n->nin = 1;
	n->in = ARENA_ARRAY(t->arena, struct phys_node *, 1);
	n->in[0] = in;
	n->rule = rule;
	n->origins = NULL;
	n->is_turned = true;
	vec_push(t->arena, &t->graph->nodes, n);
	return n;
}

static void set_origins(const struct phys_origin *factor, const struct access *a, struct phys_origin *dim)
{
	for (int d = 0; d < a->rank; d++) {
		int f = factor_along(a, d);
		dim[d] = f < 0 ? (struct phys_origin){-1} : factor[f];
	}
}

/* Of what begins alike, where a shard begins counts only for the body. */
static struct phys_origins *new_origins(const struct turning *t, const struct rule *r)
{
	const struct phys_origins *o = t->node->origins;
	struct phys_origins *to = o ? phys_origins_copy(t->arena, o, r->noperands) : NULL;
	if (!to)
		return NULL;
	for (int f = 0; f < MAX_FACTORS; f++)
		if (f >= r->nfactors || !scalar_uses_factor(r->body, f))
			to->factor[f] = (struct phys_origin){-1};
	for (int k = 0; k < r->noperands; k++)
		set_origins(to->factor, &r->operand[k], to->operand[k]);
	set_origins(to->factor, &r->out, to->out);
	return to;
}

/* The dimension along the lanes in blocks. */
static void cut_access(const struct turning *t, struct access *out)
{
	int d = access_dim_of(out, t->lanes);
	for (int i = out->rank++; i > d + 1; i--) {
		out->index[i] = out->index[i - 1];
		out->dim[i] = out->dim[i - 1];
	}
	out->index[d] = index_of_factor(t->block);
	out->dim[d] = t->most / t->width;
	out->index[d + 1] = index_of_factor(t->lanes);
	out->dim[d + 1] = t->width;
}

/* n as a map that reads what is turned. */
static void turn_operands(struct turning *t, struct phys_node *n)
{
	struct rule *r = ARENA_NEW(t->arena, struct rule);
	*r = *t->node->rule;
	struct access *operand = rule_own_operands(t->arena, r, 0);
	if (t->block >= 0) {
		r->factor[r->nfactors++] = (struct factor){"block", t->most / t->width};
		r->factor[t->lanes].extent = t->width;
		cut_access(t, &r->out);
	}
	n->in = ARENA_ARRAY(t->arena, struct phys_node *, n->nin);
	for (int k = 0; k < n->nin; k++) {
		const struct access *old = &t->node->rule->operand[k];
		int place[MAX_FACTORS], d = dim_along(old, t->lanes);
		n->in[k] = t->node->in[k];
		if (k == t->viewed) {
			cut_access(t, &operand[k]);
			n->in[k] = t->blocks;
		} else if (is_turned(t, old)) {
			operand[k] = turned_access(t, old, place);
			n->in[k] = turned_node(t, t->node->in[k], turning_rule(t, old, &operand[k], place));
		} else if (d >= 0 && t->block >= 0) {
			index_add_term(&operand[k].index[d], t->block, t->width);
		}
	}
	n->origins = new_origins(t, r);
	n->rule = rule_intern(t->program->rules, r);
	n->shape = (struct shape){.rank = r->out.rank};
	memcpy(n->shape.dim, r->out.dim, sizeof r->out.dim);
}

/* Whether the result and what is read may have a dimension more. */
static bool has_room(const struct rule *r)
{
	bool room = r->out.rank < MAX_RANK && r->nfactors < MAX_FACTORS;
	for (int k = 0; k < r->noperands; k++)
		room = room && r->operand[k].rank < MAX_RANK;
	return room;
}

/* ---- a graph whose maps are turned one by one ---- */

/* The tensor in blocks that a node is a view of, in lines of so many elements in front of dimension `dim`. */
struct in_blocks {
	struct phys_node *made; /* NULL: it is none */
	int64_t width;
	int dim;
};

struct turner {
	struct program *program;
	struct arena *arena;
	struct phys_graph *graph;
	int first;              /* of its nodes now */
	int *readers;           /* by node: how many read it, or hold it otherwise */
	struct in_blocks *view; /* by node */
	bool *unread;           /* views that what follows reads no more */
};

/* A copy of n, of which n is a view from now on. */
static struct phys_node *viewed(struct turner *w, struct phys_node *n)
{
	struct phys_node *made = ARENA_NEW(w->arena, struct phys_node);
	*made = *n;
	n->kind = PHYS_VIEW;
	n->rule = NULL;
	n->origins = NULL;
	n->nin = 1;
	n->in = ARENA_ARRAY(w->arena, struct phys_node *, 1);
	n->in[0] = made;
	return made;
}

/* The map as it is now, lanes along one of its factors, in no blocks yet. */
static struct turning turning_of(struct turner *w, const struct phys_node *n, int lanes)
{
	struct phys_node *old = ARENA_NEW(w->arena, struct phys_node);
	int64_t most = n->rule->factor[lanes].extent;
	*old = *n;
	return (struct turning){.program = w->program,
				.arena = w->arena,
				.graph = w->graph,
				.first = w->first,
				.node = old,
				.lanes = lanes,
				.block = -1,
				.width = most,
				.most = most,
				.viewed = -1};
}

static void note_blocks(struct turner *w, const struct phys_node *n, const struct turning *t)
{
	w->view[n->id] = (struct in_blocks){n->in[0], t->width, access_dim_of(&t->node->rule->out, t->lanes)};
}

/* What the node is a view of from now on; NULL: it is what it was, but reads what is turned. */
static struct phys_node *turn_map(struct turner *w, struct phys_node *n)
{
	int lanes = lanes_of(w->arena, n);
	if (lanes < 0)
		return NULL;
	struct phys_node *made = n;
	struct turning t = turning_of(w, n, lanes);
	if (has_room(n->rule) && !n->onto && !scalar_uses_factor(n->rule->body, lanes))
		t.width = width_of_block(t.most);
	t.block = t.width < t.most ? n->rule->nfactors : -1;
	bool any = false;
	for (int k = 0; k < n->nin; k++)
		any |= is_turned(&t, &n->rule->operand[k]);
	if (!any)
		return NULL;
	if (t.block >= 0) {
		made = viewed(w, n);
		note_blocks(w, n, &t);
	}
	turn_operands(&t, made);
	return made == n ? NULL : made;
}

/* An operand of n that is a view of a result in blocks, which nobody else reads, element by element; -1. */
static int operand_in_blocks(const struct turner *w, const struct phys_node *n)
{
	for (int k = 0; k < n->nin; k++) {
		const struct phys_node *x = n->in[k];
		if (w->view[x->id].made && w->readers[x->id] == 1 && x->loop == n->loop &&
		    rule_reads_in_place(n->rule, k))
			return k;
	}
	return -1;
}

/* What is computed of each element of such a result alone is made in blocks as well: in the kernel of the sums, whose
 * lanes it takes as they come, in the place of one that reads them all again. */
static struct phys_node *follow_blocks(struct turner *w, struct phys_node *n)
{
	int k = map_is_pointwise(n) && !n->part && !n->owned && !n->onto ? operand_in_blocks(w, n) : -1;
	if (k < 0 || !has_room(n->rule) || scalar_draws(n->rule->body))
		return NULL;
	const struct in_blocks *x = &w->view[n->in[k]->id];
	const struct rule *r = n->rule;
	int lanes = index_factor(&r->out.index[x->dim]);
	for (int i = 0; i < r->noperands; i++)
		if (!reads_plainly(&r->operand[i]) || rule_reads_index(r, i) ||
		    (n->origins && !begins_alike(n->origins->operand[i], &r->operand[i], n->origins)))
			return NULL;
	if (scalar_uses_factor(r->body, lanes))
		return NULL;
	struct turning t = turning_of(w, n, lanes);
	t.block = r->nfactors;
	t.width = x->width;
	t.viewed = k;
	t.blocks = x->made;
	for (const struct phys_node *v = n->in[k]; v->kind == PHYS_VIEW; v = v->in[0])
		w->unread[v->id] = true;
	struct phys_node *made = viewed(w, n);
	note_blocks(w, n, &t);
	turn_operands(&t, made);
	return made;
}

/* A view of a view that nobody else reads, as what is finished is of sums. */
static void follow_view(struct turner *w, const struct phys_node *n)
{
	const struct phys_node *x = n->in[0];
	if (w->readers[x->id] == 1 && shape_equal(&x->shape, &n->shape) && x->loop == n->loop)
		w->view[n->id] = w->view[x->id];
}

static void count_readers(struct turner *w)
{
	const struct phys_graph *g = w->graph;
	w->readers = ARENA_ARRAY(w->arena, int, g->nodes.n);
	w->view = ARENA_ARRAY(w->arena, struct in_blocks, g->nodes.n);
	w->unread = ARENA_ARRAY(w->arena, bool, g->nodes.n);
	for (int i = 0; i < g->nodes.n; i++) {
		const struct phys_node *n = g->nodes.at[i];
		for (int k = 0; k < n->nin; k++)
			w->readers[n->in[k]->id]++;
		if (n->onto)
			w->readers[n->onto->id]++;
	}
	for (int o = 0; o < g->outputs.n; o++)
		w->readers[g->outputs.at[o].node->id]++;
}

/* What nobody reads would be kept for a reader. */
static void drop_unread(struct turner *w)
{
	struct phys_graph *g = w->graph;
	int kept = 0;
	for (int i = 0; i < g->nodes.n; i++) {
		struct phys_node *n = g->nodes.at[i];
		if (n->kind != PHYS_VIEW || !w->unread[n->id])
			g->nodes.at[kept++] = n;
	}
	g->nodes.n = kept;
}

void planner_turn_operands(struct program *program, struct arena *a, struct phys_graph *g)
{
	struct turner w = {.program = program, .arena = a, .graph = g};
	count_readers(&w);
	int count = g->nodes.n;
	struct phys_node **old = physical_take_nodes(a, g);
	for (int i = 0; i < count; i++) {
		w.first = g->nodes.n;
		struct phys_node *made = NULL;
		if (old[i]->kind == PHYS_MAP && !(made = turn_map(&w, old[i])))
			made = follow_blocks(&w, old[i]);
		else if (old[i]->kind == PHYS_VIEW)
			follow_view(&w, old[i]);
		if (made)
			vec_push(a, &g->nodes, made);
		for (int o = 0; made && o < g->outputs.n; o++)
			if (g->outputs.at[o].node == old[i])
				g->outputs.at[o].node = made;
		vec_push(a, &g->nodes, old[i]);
	}
	drop_unread(&w);
	physical_number(g);
}
