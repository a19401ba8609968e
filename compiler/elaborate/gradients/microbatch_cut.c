/* microbatch_cut.c — what a body of micro-batches takes from outside, cut.
 *
 * What is cut: tensors of rank 1 and more that the body takes from outside, but for params and states. Micro-batch i
 * has the rows i, i + m, i + 2 m, … of each. Rows that lie on a rank stay there, whatever the number of ranks, so
 * cutting moves nothing and means the same in every layout: x is read as [rows / m, m, …], of which the i-th column is
 * taken. Keys differ from one micro-batch to the next: those from outside and those that `rng` makes are folded with
 * its number. */
#include "gradients.h"
#include "../values/values.h"
#include "../walk/microbatch.h"

static void report_other_rows(struct elab *e, const char *name, int64_t rows, struct span at)
{
	struct microbatch_walk *w = e->micro;
	for (int i = 0; i < w->other.n; i++)
		if (w->other.at[i] == name)
			return;
	vec_push(e->a, &w->other, name);
	struct diag *d = elab_error(e, PML0520, at, "`%s` has %lld rows, `%s` has %lld", name, (long long)rows, w->name,
				    (long long)w->rows);
	elab_label(e, d, w->at, "cut into %d micro-batches too", w->batch->count);
	diag_note(d, "every tensor from outside is cut along its first dimension");
	diag_help(d, "name those that every micro-batch takes as they are: `whole = %s`", name);
}

static void report_uneven_rows(struct elab *e, const char *name, int64_t rows, struct span at)
{
	struct microbatch_walk *w = e->micro;
	for (int i = 0; i < w->uneven.n; i++)
		if (w->uneven.at[i] == rows)
			return;
	vec_push(e->a, &w->uneven, rows);
	struct diag *d = elab_error(e, PML0520, at, "the %lld rows of `%s` are not cut into %d equal micro-batches",
				    (long long)rows, name, w->batch->count);
	diag_label(d, w->batch->span, "this many");
	diag_help(d, "take a divisor of %lld, or name `%s` as one that stays whole: `whole = %s`", (long long)rows,
		  name, name);
}

/* What was refused is told once, however often the body reads it and whatever else has as many rows. */
static bool check_rows(struct elab *e, const char *name, int64_t rows, struct span at)
{
	struct microbatch_walk *w = e->micro;
	if (w->rows >= 0 && w->rows != rows) {
		report_other_rows(e, name, rows, at);
		return false;
	}
	if (rows % w->batch->count) {
		report_uneven_rows(e, name, rows, at);
		return false;
	}
	w->rows = rows;
	w->at = at;
	w->name = name;
	return true;
}

/* out[i, j, …] = x[j, i, …] */
static struct node *columns_first(struct graph *g, const struct node_site *at, struct node *x)
{
	struct rule *r = ARENA_NEW(g->arena, struct rule);
	struct access operand = {.type = x->dtype, .rank = x->shape.rank};
	*r = (struct rule){.name = "microbatches", .noperands = 1, .operand = &operand, .nfactors = x->shape.rank};
	r->out = (struct access){.type = x->dtype, .rank = x->shape.rank};
	for (int d = 0; d < x->shape.rank; d++) {
		int f = d == 0 ? 1 : d == 1 ? 0 : d;
		r->factor[f] = (struct factor){arena_printf(g->arena, "i%d", f), x->shape.dim[d]};
		operand.dim[d] = r->out.dim[f] = x->shape.dim[d];
		operand.index[d] = r->out.index[f] = index_of_factor(f);
	}
	r->body = scalar_operand(g->arena, x->dtype, 0);
	return graph_map(g, at, r, &x);
}

/* out[j, …] = x[j, i, …] */
static struct node *column(struct graph *g, const struct node_site *at, struct node *x, int64_t i)
{
	struct rule *r = ARENA_NEW(g->arena, struct rule);
	struct access operand = {.type = x->dtype, .rank = x->shape.rank};
	*r = (struct rule){.name = "microbatch", .noperands = 1, .operand = &operand, .nfactors = x->shape.rank - 1};
	r->out = (struct access){.type = x->dtype, .rank = r->nfactors};
	for (int d = 0, f = 0; d < x->shape.rank; d++) {
		operand.dim[d] = x->shape.dim[d];
		operand.index[d] = (struct index){.offset = i, .div = 1, .data = -1};
		if (d == 1)
			continue;
		r->factor[f] = (struct factor){arena_printf(g->arena, "i%d", f), x->shape.dim[d]};
		r->out.dim[f] = x->shape.dim[d];
		operand.index[d] = r->out.index[f] = index_of_factor(f);
		f++;
	}
	r->body = scalar_operand(g->arena, x->dtype, 0);
	return graph_map(g, at, r, &x);
}

static const struct value *cut(struct elab *e, const struct value *v, const char *name, struct span at)
{
	struct microbatch_walk *w = e->micro;
	const struct shape *s = tensor_shape(e, v);
	if (s->rank == MAX_RANK) {
		elab_error(e, PML0520, at, "`%s` has %d dimensions, what is cut has at most %d", name, s->rank,
			   MAX_RANK - 1);
		return &value_error;
	}
	if (!check_rows(e, name, s->dim[0], at))
		return &value_error;
	struct node_site site = elab_site(e, at);
	struct node *x = tensor_node(e, v, at);
	struct shape columns = {.rank = s->rank + 1, .dim = {s->dim[0] / w->batch->count, w->batch->count}};
	for (int d = 1; d < s->rank; d++)
		columns.dim[d + 1] = s->dim[d];
	site.name = name;
	x = graph_reshape(region_graph(e), &site, x, &columns);
	if (!w->loop)
		return tensor_value_of(e, column(region_graph(e), &site, x, w->micro));
	x = columns_first(region_graph(e), &site, x);
	return tensor_value_of(e, graph_line(region_graph(e), &site, w->loop, 1, &x, 0, 1, false));
}

const struct value *microbatch_key(struct elab *e, const struct value *key, struct span at)
{
	if (!e->micro || e->micro->batch->count == 1)
		return key;
	const struct microbatch_walk *w = e->micro;
	struct host_expr *x[2] = {host_of(e, &key->host), w->loop ? host_of(e, &w->turn->host) : host_int(e, w->micro)};
	return value_expr(e, host_call(e, "key_fold", HOST_KEY, at, 2, x));
}

static bool is_cut(struct elab *e, const struct value *v)
{
	return value_is_tensor(v) && tensor_shape(e, v)->rank > 0 &&
	       (v->kind == VALUE_TENSOR || e->p->slots.at[v->slot]->slot_class == SLOT_VALUE);
}

static const struct value *outside(struct elab *e, const struct value *v, const char *name, struct span at)
{
	if (v->kind == VALUE_HOST && v->host.type == HOST_KEY)
		return microbatch_key(e, v, at);
	if (is_cut(e, v))
		return cut(e, v, name, at);
	if (!value_is_composed(v) || v->kind == VALUE_GRADIENT)
		return v;
	const struct value *out = v;
	for (int i = 0; i < value_members(v); i++) {
		const struct value *part = outside(e, value_member(e, v, i), name, at);
		if (value_failed(part))
			return part;
		out = parts_with_member(e, out, i, part);
	}
	return out;
}

/* Of a single micro-batch nothing is cut; how many rows there are. */
static void note_rows(struct elab *e, struct microbatch_walk *w, const struct value *v)
{
	if (is_cut(e, v))
		w->rows = w->rows < 0 ? tensor_shape(e, v)->dim[0] : w->rows;
	else if (value_is_composed(v) && v->kind != VALUE_GRADIENT)
		for (int i = 0; i < value_members(v); i++)
			note_rows(e, w, value_member(e, v, i));
}

const struct value *microbatch_outside(struct elab *e, const struct binding *b, const struct value *v, struct span at)
{
	struct microbatch_walk *w = e->micro;
	if (!w || b->micro == w || value_failed(v))
		return v;
	bool whole = false;
	for (int i = 0; i < w->whole.n && !whole; i++)
		whole = w->whole.at[i] == b->name;
	if (!whole && w->batch->count > 1)
		return outside(e, v, b->name, at);
	if (!whole)
		note_rows(e, w, v);
	else if (w->batch->count > 1)
		microbatch_named_whole(e, v, at);
	return v;
}
