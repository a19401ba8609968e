/* scans.c — see scans.h. The rows of a shard become a dimension of their own, [.., n, ..] -> [.., shards, rows, ..],
 * which is split by shards; so all that is made here is a map, a reshape or a movement like others. Where the rows do
 * not fill the shards, there are more of them, on the side that no other row looks at: what is fetched for that are a
 * few rows of a neighbour. */
#include "scans.h"

#include "../op/prefix.h"
#include "../program.h"
#include "choice.h"
#include "redist.h"

#include "../../runtime/moves/count.h"

struct scan {
	struct graph *g;
	const struct node *map, *to;   /* what is replaced; one of the movements in front of it and behind */
	struct node *in[MAX_OPERANDS]; /* what the map reads, before it is moved for the map alone */
	struct node_site at;           /* of what is computed */
	struct prefix prefix;
	int dim;        /* of the result, that is scanned */
	uint32_t axes;  /* that split it */
	int64_t shards; /* their ranks */
	int64_t bytes;  /* of the movements made so far */
	bool failed;    /* something has no layout as it would have to */
};

static bool is_axis(const struct scan *s, int a)
{
	return s->axes >> a & 1;
}

/* l with the shards split along dimension `dim` in equal shares. */
static struct layout along(const struct scan *s, const struct layout *l, int dim)
{
	struct layout out = *l;
	for (int a = 0; a < s->map->place->naxes; a++)
		if (is_axis(s, a))
			out.atom[a] = (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)dim};
	return out;
}

/* ---- nodes with their layouts ---- */

static struct node *sent(struct scan *s, struct node *x, const struct place *p, const struct layout *l)
{
	if (s->failed || (x->place == p && layout_same(p, &x->layout, l)))
		return x;
	struct node_site at = node_site_of(s->to);
	struct node *n = graph_moved(s->g, &at, x, p, l);
	n->name = s->to->name ? s->to->name : s->map->name;
	s->bytes = count_add(s->bytes, redist_plan(x->dtype, &x->shape, x->place, &x->layout, p, l).bytes_total);
	return n;
}

static struct node *moved(struct scan *s, struct node *x, const struct layout *l)
{
	return sent(s, x, x->place, l);
}

static int64_t bytes_of(const struct node *n, const struct choice *c)
{
	int64_t bytes = 0;
	for (int k = 0; k < n->nin; k++)
		bytes = count_add(bytes, redist_plan(n->in[k]->dtype, &n->in[k]->shape, n->place, &n->in[k]->layout,
						     n->place, &c->in[k])
						 .bytes_total);
	return bytes;
}

static bool is_taken(const struct node *n, const struct choice *c)
{
	for (int k = 0; k < n->nin; k++)
		if (!layout_same(n->place, &n->in[k]->layout, &c->in[k]))
			return false;
	return true;
}

/* A map in the layout wanted, for which its operands are moved as little as possible; want: NULL: in that which it has
 * of operands as they are. */
static struct node *laid_out(struct scan *s, struct node *n, const struct layout *want)
{
	struct choice *c;
	const struct choice *best = NULL;
	int count = s->failed ? 0 : choices_of(s->g->arena, n, &c);
	for (int i = 0; i < count; i++)
		if (want ? layout_same(n->place, &c[i].out, want) && (!best || bytes_of(n, &c[i]) < bytes_of(n, best))
			 : !best && is_taken(n, &c[i]))
			best = &c[i];
	s->failed |= !best;
	if (!best)
		return n;
	struct node *in[MAX_OPERANDS];
	for (int k = 0; k < n->nin; k++)
		in[k] = moved(s, n->in[k], &best->in[k]);
	if (!is_taken(n, best))
		n = graph_map(s->g, &s->at, n->rule, in); /* behind the movements */
	n->layout = best->out;
	return n;
}

static struct node *mapped(struct scan *s, const struct rule *r, struct node *const *in, const struct layout *want)
{
	return laid_out(s, graph_map(s->g, &s->at, r, in), want);
}

static struct node *reshaped(struct scan *s, struct node *x, const struct shape *shape)
{
	struct node *n = graph_reshape(s->g, &s->at, x, shape);
	s->failed = s->failed || !reshape_layout(s->g->arena, x->place, &x->shape, &x->layout, shape, &n->layout);
	return n;
}

/* ---- the steps ---- */

/* What is scanned, element by element: the body where its condition holds, with the reduced factor in the place of the
 * one that it is held against. */
static struct node *values(struct scan *s)
{
	const struct rule *r = s->map->rule;
	int factor[MAX_FACTORS];
	struct rule v = rule_over_shape("scanned", r->out.type, &s->map->shape);
	for (int d = 0; d < r->out.rank; d++)
		factor[index_factor(&r->out.index[d])] = d;
	factor[s->prefix.over] = s->dim;
	v.operand = r->operand;
	v.noperands = r->noperands;
	struct access *own = rule_own_operands(s->g->arena, &v, 0);
	for (int k = 0; k < r->noperands; k++)
		for (int d = 0; d < own[k].rank; d++)
			for (int t = 0; t < own[k].index[d].nterms; t++)
				own[k].index[d].term[t].factor = (int8_t)factor[own[k].index[d].term[t].factor];
	v.body = scalar_substitute(s->g->arena, s->prefix.value, NULL, factor);
	return mapped(s, &v, s->in, NULL);
}

/* Rows from `from` on, as many as the result has: those that x does not have are 0. */
static struct node *rows_from(struct scan *s, struct node *x, int64_t from, int64_t n, const struct layout *l)
{
	struct shape shape = x->shape;
	shape.dim[s->dim] = n;
	struct rule r = rule_over_shape("rows", x->dtype, &shape);
	struct access operand = access_of_shape(x->dtype, &shape);
	operand.dim[s->dim] = x->shape.dim[s->dim];
	operand.index[s->dim].offset = from;
	operand.index[s->dim].guarded = index_needs_guard(&r, &operand.index[s->dim], operand.dim[s->dim]);
	r.operand = &operand;
	r.noperands = 1;
	r.body = scalar_operand(s->g->arena, x->dtype, 0);
	return mapped(s, &r, &x, l);
}

/* The scan of x along dimension `dim`, with the condition r + shift <= i (backward: >=). */
static struct node *scanned(struct scan *s, struct node *x, int dim, int64_t shift)
{
	struct arena *a = s->g->arena;
	enum combiner c = s->map->rule->combiner;
	struct rule r = rule_over_shape(s->map->rule->name, x->dtype, &x->shape);
	struct access operand = access_of_shape(x->dtype, &x->shape);
	int over = r.nfactors++;
	r.factor[over] = (struct factor){.name = "over", .extent = x->shape.dim[dim]};
	operand.index[dim] = index_of_factor(over);
	r.operand = &operand;
	r.noperands = 1;
	r.combiner = c;
	const struct scalar *row =
		scalar_apply(a, SC_ADD, DT_I64, scalar_factor(a, over), scalar_int(a, DT_I64, shift), NULL);
	const struct scalar *holds =
		scalar_apply(a, s->prefix.backward ? SC_GE : SC_LE, DT_BOOL, row, scalar_factor(a, dim), NULL);
	const struct scalar *none = scalar_number(a, x->dtype, combiner_neutral(c, x->dtype));
	r.body = scalar_apply(a, SC_WHERE, x->dtype, holds, scalar_operand(a, x->dtype, 0), none);
	struct layout l = along(s, &x->layout, s->dim);
	return mapped(s, &r, &x, &l);
}

/* rows[.., shards, rows, ..] joined with before[.., shards, ..]. */
static struct node *joined(struct scan *s, struct node *rows, struct node *before)
{
	struct arena *a = s->g->arena;
	struct node *in[2] = {rows, before};
	struct rule r = rule_over_shape("joined", rows->dtype, &rows->shape);
	struct access operand[2] = {access_of_shape(rows->dtype, &rows->shape),
				    access_of_shape(before->dtype, &before->shape)};
	for (int d = s->dim + 1; d < before->shape.rank; d++)
		operand[1].index[d] = index_of_factor(d + 1);
	r.operand = operand;
	r.noperands = 2;
	r.body = scalar_apply(a, combiner_fn(s->map->rule->combiner), rows->dtype, scalar_operand(a, rows->dtype, 0),
			      scalar_operand(a, rows->dtype, 1), NULL);
	return mapped(s, &r, in, &rows->layout);
}

/* Of what comes before each shard, or behind it: its total, from all of them. */
static struct node *totals_before(struct scan *s, struct node *x)
{
	bool dims[MAX_RANK] = {false};
	dims[s->dim + 1] = true;
	struct node *total = laid_out(s, graph_reduce(s->g, &s->at, s->map->rule->combiner, x, dims), NULL);
	struct layout whole = total->layout;
	for (int a = 0; a < total->place->naxes; a++)
		if (is_axis(s, a))
			whole.atom[a] = layout_broadcast().atom[a];
	return scanned(s, moved(s, total, &whole), s->dim, s->prefix.backward ? -1 : 1);
}

static struct node *scan_of(struct scan *s, struct node *x)
{
	int64_t n = x->shape.dim[s->dim], rows = (n + s->shards - 1) / s->shards, all = rows * s->shards;
	int64_t from = s->prefix.backward ? n - all : 0;
	struct layout had = x->layout, even = along(s, &had, s->dim);
	struct shape flat = x->shape, shape = {.rank = x->shape.rank + 1};
	if (all != n || !layout_same(x->place, &had, &even))
		x = rows_from(s, x, from, all, &even);
	flat.dim[s->dim] = all;
	for (int d = 0; d < shape.rank; d++)
		shape.dim[d] = d == s->dim ? s->shards : d == s->dim + 1 ? rows : flat.dim[d - (d > s->dim)];
	x = reshaped(s, x, &shape);
	x = joined(s, scanned(s, x, s->dim + 1, s->prefix.shift), totals_before(s, x));
	x = reshaped(s, x, &flat);
	return all == n ? x : rows_from(s, x, -from, n, &had);
}

/* ---- which ---- */

/* Every dimension of the result is a factor of its own, nothing else but the scanned one is reduced, and nothing is
 * left out: so what is scanned is a tensor of the result's shape. */
static bool is_over_result(const struct rule *r)
{
	for (int d = 0; d < r->out.rank; d++)
		if (index_factor(&r->out.index[d]) < 0)
			return false;
	return r->nfactors == r->out.rank + 1 && !rule_is_guarded(r);
}

/* A row takes all shards before its own as a whole, or all behind it: with a shift beyond a row it would end within
 * one. */
static bool is_shift(const struct prefix *p)
{
	return p->shift == 0 || p->shift == (p->backward ? -1 : 1);
}

static bool find(struct scan *s)
{
	const struct rule *r = s->map->rule;
	if (s->map->shape.rank >= MAX_RANK || !prefix_of_rule(s->g->arena, r, &s->prefix) || !is_over_result(r) ||
	    r->body->type != r->out.type || s->prefix.value->type != r->out.type)
		return false;
	s->at = node_site_of(s->map);
	s->dim = access_dim_of(&r->out, s->prefix.along);
	return is_shift(&s->prefix) && s->map->shape.dim[s->dim] > 0 &&
	       r->factor[s->prefix.along].extent == r->factor[s->prefix.over].extent;
}

/* Which axes split what is scanned along that dimension, and in how many shards. */
static void find_shards(struct scan *s, const struct node *x)
{
	s->shards = 1;
	for (int a = 0; a < x->place->naxes; a++) {
		struct shard_atom atom = x->layout.atom[a];
		if (atom.kind != SHARD_S || atom.dim != s->dim)
			continue;
		s->axes |= 1u << a;
		s->shards *= x->place->extent[a];
	}
}

/* The result on its way to where it goes, if that sends less than `whole`; else NULL. */
static struct node *write_scan(struct scan *s, const struct place *p, const struct layout *l, int64_t whole)
{
	struct node *x = values(s);
	if (!s->failed)
		find_shards(s, x);
	if (s->failed || s->shards == 1)
		return NULL;
	x = sent(s, scan_of(s, x), p, l);
	return s->failed || s->bytes >= whole ? NULL : x;
}

struct scans {
	struct map read_alone; /* values that are computed for one reader */
	bool tried;
};

static int64_t bytes_moved(const struct node *to)
{
	const struct node *x = to->in[0];
	return redist_bytes(to->dtype, &to->shape, x->place, &x->layout, to->place, &to->layout);
}

/* Of numbers alone there is nothing to scan in shares: all ranks know them. */
static bool combines(const struct node *n)
{
	return n->kind == NODE_MAP && n->rule->combiner != COMBINE_NONE && n->nin;
}

/* What the map reads, before it is moved for the map alone, as often as that is computed; the bytes of these movements.
 */
static int64_t find_operands(struct scan *s, const struct scans *all)
{
	int64_t bytes = 0;
	for (int k = 0; k < s->map->nin; k++) {
		struct node *x = s->map->in[k];
		bool moves = x->kind == NODE_TO && x->in[0]->place == s->map->place && x->loop == s->map->loop &&
			     map_get(&all->read_alone, x);
		s->in[k] = moves ? x->in[0] : x;
		if (!moves)
			continue;
		s->to = s->to ? s->to : x;
		bytes = count_add(bytes, bytes_moved(x));
	}
	return bytes;
}

/* What a `to` makes of a scan: of parts, or of what was split otherwise for it. */
static struct node *finished(struct scans *all, struct graph *g, const struct node *to)
{
	struct scan s = {.g = g, .to = to, .map = to->in[0]};
	if (!combines(s.map) || !map_get(&all->read_alone, s.map) || !find(&s))
		return NULL;
	all->tried = true;
	int64_t before = find_operands(&s, all);
	return write_scan(&s, to->place, &to->layout, count_add(before, bytes_moved(to)));
}

/* A scan of what was made whole, or split otherwise, for it. */
static struct node *gathered(struct scans *all, struct graph *g, const struct node *n)
{
	struct scan s = {.g = g, .map = n};
	int64_t before = combines(n) && !layout_has_partial(n->place, &n->layout) ? find_operands(&s, all) : 0;
	if (!before || !find(&s))
		return NULL;
	all->tried = true;
	return write_scan(&s, n->place, &n->layout, before);
}

static struct node *write(struct graph *g, struct node *n, void *context, bool *changed)
{
	struct node *instead = n->kind == NODE_TO ? finished(context, g, n) : gathered(context, g, n);
	(void)changed;
	return instead ? instead : n;
}

bool scans_write(struct graph *g)
{
	struct arena *scratch = arena_new("layout: scans");
	struct scans all = {.tried = false};
	int *reads = graph_count_reads(g, scratch);
	bool any = false;
	for (int i = 0; i < g->nodes.n && !any; i++)
		any = combines(g->nodes.at[i]);
	map_init(&all.read_alone, scratch);
	for (int i = 0; i < g->nodes.n && any; i++)
		if (reads[i] == 1)
			map_set(&all.read_alone, g->nodes.at[i], g->nodes.at[i]);
	bool rewritten = any && graph_rewrite(g, write, &all);
	if (all.tried)
		graph_compact(g);
	arena_free(scratch);
	return rewritten;
}
