/* microbatch.c — `microbatch(m, schedule = "1f1b", hold = 2, whole = x) { body }`. Micro-batches are turns of
 * a loop. Stages work on several at a time: there the loop is put in order when all is laid out (pipeline/). Where they
 * differ in more than tensors and their number, the body is walked once for every micro-batch.
 *
 * Results are averaged: scalars, and gradients before they are brought to the layout of their params, so that
 * unfinished sums are finished once. What the schedule is depends on the placements and is worked out by plan/. */
#include "wrt.h"
#include "../values/values.h"
#include "../walk/microbatch.h"
#include "../loops/loops.h"

#include <string.h>

bool microbatch_may_assign(struct elab *e, const struct binding *b, struct span at)
{
	if (!e->micro || b->micro == e->micro)
		return true;
	struct diag *d =
		elab_error(e, PML0522, at, "`%s` is assigned in a `microbatch`, but declared outside", b->name);
	diag_label(d, b->span, "declared here");
	diag_help(d, "let the block give the value: `let %s = microbatch(%d) { … };`", b->name, e->micro->batch->count);
	return false;
}

/* ---- what it gives ---- */

/* A gradient as autodiff made it, before it is brought to its param's layout. */
static struct node *unfinished(struct node *n)
{
	return n->origin == ORIGIN_BACKWARD && n->kind == NODE_CONTRACT ? n->in[0] : n;
}

/* A gradient that is brought from another stage, as it is or in another order of elements. */
static bool is_brought(const struct node *x)
{
	if (x->origin != ORIGIN_BACKWARD || !x->loop)
		return false;
	if (x->kind == NODE_TO)
		return x->place && x->in[0]->place && !place_same_ranks(x->place, x->in[0]->place);
	if (node_is_sum(x))
		return is_brought(x->in[0]) || is_brought(x->in[1]);
	bool copies = x->kind == NODE_MAP && x->nin == 1 && x->rule->combiner == COMBINE_NONE &&
		      x->rule->body->kind == SCALAR_OPERAND &&
		      shape_volume(&x->shape) == shape_volume(&x->in[0]->shape);
	return (copies || x->kind == NODE_RESHAPE) && is_brought(x->in[0]);
}

static struct node *add_turns(struct elab *e, const struct node_site *at, struct node *x);

/* The sum of what is brought is brought once, when all micro-batches are done. */
static struct node *add_before_bringing(struct elab *e, const struct node_site *at, struct node *x)
{
	struct graph *g = region_graph(e);
	struct node *first = add_turns(e, at, x->in[0]);
	if (x->kind == NODE_TO)
		return graph_to(g, at, first, x->place, &x->target->layout);
	if (x->kind == NODE_RESHAPE)
		return graph_reshape(g, at, first, &x->shape);
	return x->nin == 1 ? graph_map(g, at, x->rule, &first)
			   : graph_pointwise(g, at, SC_ADD, first, add_turns(e, at, x->in[1]), NULL);
}

/* What the turns of the loop add up to. Lines of one stack, as gradients of layers are, are lines of one sum. */
static struct node *add_turns(struct elab *e, const struct node_site *at, struct node *x)
{
	struct graph *g = region_graph(e);
	struct map *sums = &e->micro->sums;
	struct layout_spec anywhere = {.form = LAYOUT_INFER};
	int64_t line;
	if (graph_is_line_of(g, x, &line) && x->in[0]->kind == NODE_STACK && loop_is_in(x->in[0]->loop, e->micro->loop))
		return graph_line_of(g, at, add_turns(e, at, x->in[0]), line);
	struct node *sum = map_get(sums, x);
	if (sum)
		return sum;
	if (!e->s->options.reproducible && is_brought(x)) {
		sum = add_before_bringing(e, at, x);
		map_set(sums, x, sum);
		return sum;
	}
	struct node *zeros = graph_fill(g, at, graph_float(g, at, x->dtype, 0), &x->shape);
	if (x->place)
		zeros = graph_to(g, at, zeros, x->place, &anywhere);
	struct node *carry = graph_carry(g, at, e->micro->loop, zeros);
	sum = graph_end(g, at, carry, graph_pointwise(g, at, SC_ADD, carry, x, NULL));
	map_set(sums, x, sum);
	return sum;
}

/* Sums stand where what they are made of does; is_free: of a gradient, called `name`, "dw1". */
static struct node *add(struct elab *e, struct node *sum, struct node *x, struct span at, bool is_free,
			const char *name)
{
	if (!sum && !e->micro->loop)
		return x;
	struct node_site site = node_site_of(x);
	elab_site_micro(e, &site);
	site.origin = is_free ? ORIGIN_BACKWARD : ORIGIN_SOURCE;
	site.name = name ? name : sum ? sum->name : x->name;
	if (e->micro->loop)
		return add_turns(e, &site, x);
	return graph_pointwise(region_graph(e), &site, SC_ADD, sum, tensor_adopt(e, x, sum->place, at), NULL);
}

/* Whether the mean of what micro-batches give is what the whole step would. */
static bool has_average(struct elab *e, const struct value *v, struct span at)
{
	return value_is_float_tensor(e, v) &&
	       (tensor_shape(e, v)->rank == 0 || microbatch_is_whole(e, tensor_node(e, v, at)));
}

/* The sum of the values so far; NULL after an error. */
static const struct value *add_result(struct elab *e, const struct value *sum, const struct value *v, struct span at);

/* What an entry is, or is a line of. */
static const struct value *whole(struct elab *e, const struct gradient_entry *d, struct span at)
{
	return d->all ? d->all : gradient_d(e, d, at);
}

static void set_whole(struct gradient_entry *d, const struct value *v)
{
	*(d->all ? &d->all : &d->d) = v;
}

static const struct value *no_average(struct elab *e, const struct value *v, struct span at)
{
	struct diag *d = elab_error(e, PML0521, at, "a micro-batch gives %s, of which there is no average",
				    value_describe(e, v));
	diag_note(d, "scalars of floats, gradients, and derivatives by what is not cut are averaged over the "
		     "micro-batches");
	if (value_is_tensor(v) && tensor_shape(e, v)->rank == 0)
		diag_help(d, "average it as a float: `as f32`");
	else if (value_is_tensor(v))
		diag_help(d, "give its mean or sum, or compute it outside of the block");
	else
		diag_help(d, "compute it outside of the block");
	return &value_error;
}

static const struct value *add_gradient(struct elab *e, const struct value *sum, const struct value *v, struct span at)
{
	struct value *out = value_new(e, VALUE_GRADIENT);
	struct map all; /* by what an entry is, or is a line of */
	map_init(&all, e->a);
	e->micro->gives_gradients = true;
	BUG_IF(sum && sum->gradient.n != v->gradient.n, "the gradients of two micro-batches have different parts");
	for (int i = 0; i < v->gradient.n; i++) {
		struct gradient_entry d = v->gradient.at[i];
		const struct value *before = sum ? whole(e, &sum->gradient.at[i], at) : NULL, *now = whole(e, &d, at);
		const struct value *after = map_get(&all, now);
		if (!after) {
			struct node *x = unfinished(tensor_node(e, now, at));
			if (microbatch_has_rows(e, &d, x))
				return no_average(e, now, at);
			struct node *s = before ? tensor_node(e, before, at) : NULL;
			const char *name = arena_printf(e->a, "d%s", e->p->slots.at[d.slot]->name);
			after = tensor_value_of(e, add(e, s, x, at, true, name));
			map_set(&all, now, (void *)after);
		}
		set_whole(&d, after);
		vec_push(e->a, &out->gradient, d);
	}
	return out;
}

/* Of a tuple, list or struct. */
static const struct value *add_members(struct elab *e, const struct value *sum, const struct value *v, struct span at)
{
	const struct value *out = v;
	for (int i = 0; i < value_members(v); i++) {
		const struct value *before = sum ? value_member(e, sum, i) : NULL,
				   *part = add_result(e, before, value_member(e, v, i), at);
		if (value_failed(part))
			return part;
		out = parts_with_member(e, out, i, part);
	}
	return out;
}

static const struct value *add_result(struct elab *e, const struct value *sum, const struct value *v, struct span at)
{
	if (v->kind == VALUE_GRADIENT)
		return add_gradient(e, sum, v, at);
	if (value_is_composed(v))
		return add_members(e, sum, v, at);
	if (v->kind == VALUE_NONE || value_failed(v))
		return v;
	if (has_average(e, v, at)) {
		struct node *s = sum ? tensor_node(e, sum, at) : NULL, *x = tensor_node(e, v, at);
		bool is_free = x->origin == ORIGIN_BACKWARD && x->shape.rank;
		const char *name = is_free ? microbatch_sum_name(e, x) : NULL;
		if (!sum && !is_free)
			vec_push(e->p->arena, &e->micro->given, x);
		e->micro->gives_gradients |= is_free;
		return tensor_value_of(e, add(e, s, x, at, is_free, name));
	}
	return no_average(e, v, at);
}

static struct node *scaled(struct elab *e, struct node *x, int count)
{
	if (count == 1)
		return x;
	struct node_site site = node_site_of(x);
	struct graph *g = region_graph(e);
	int64_t line;
	site.batch = NULL;
	if (graph_is_line_of(g, x, &line) && x->in[0]->kind == NODE_END)
		return graph_line_of(g, &site, scaled(e, x->in[0], count), line);
	return graph_pointwise(g, &site, SC_MUL, x, graph_float(g, &site, x->dtype, 1.0 / count), NULL);
}

static const struct value *average(struct elab *e, const struct value *sum, int count, struct span at)
{
	if (value_is_composed(sum) && sum->kind != VALUE_GRADIENT) {
		const struct value *out = sum;
		for (int i = 0; i < value_members(sum); i++)
			out = parts_with_member(e, out, i, average(e, value_member(e, sum, i), count, at));
		return out;
	}
	if (sum->kind == VALUE_GRADIENT) {
		struct value *out = value_new(e, VALUE_GRADIENT);
		struct map all;
		map_init(&all, e->a);
		for (int i = 0; i < sum->gradient.n; i++) {
			struct gradient_entry d = sum->gradient.at[i];
			const struct value *now = whole(e, &d, at), *after = map_get(&all, now);
			if (!after) {
				struct node *x = scaled(e, tensor_node(e, now, at), count);
				after = gradient_entry_value(e, &d, x, x->span);
				map_set(&all, now, (void *)after);
			}
			set_whole(&d, after);
			vec_push(e->a, &out->gradient, d);
		}
		return out;
	}
	if (!value_is_tensor(sum))
		return sum;
	return tensor_value_of(e, scaled(e, tensor_node(e, sum, at), count));
}

/* ---- the block ---- */

/* "a", "b" or "c". */
static const char *schedule_names(struct arena *a)
{
	struct text t;
	text_init(&t, a);
	for (int i = 0; i < SCHEDULES; i++) {
		text_add(&t, !i ? "" : i < SCHEDULES - 1 ? ", " : " or ");
		text_printf(&t, "\"%s\"", schedule_text((enum schedule)i));
	}
	return text_get(&t);
}

static void add_whole(struct elab *e, struct microbatch_walk *w, const struct expr *x)
{
	if (x->kind == EXPR_TUPLE || x->kind == EXPR_LIST) {
		for (int i = 0; i < x->items.n; i++)
			add_whole(e, w, x->items.at[i]);
		return;
	}
	if (x->kind == EXPR_NAME && env_find(e, x->name.text))
		vec_push(e->a, &w->whole, x->name.text);
	else
		elab_error(e, PML0209, x->span, "`whole` takes names of variables: `whole = x` or `whole = (x, y)`");
}

/* `microbatch(auto, schedule = auto)`: until others are tried, one micro-batch, and the first schedule there is. */
static void take_open(struct elab *e, const struct expr *x, const struct arg *a, struct microbatch *b)
{
	const char *name = a->name.text;
	if (!name && !b->count)
		b->count = open_way(e, WAY_PARTS, x, a->span);
	else if (name && !strcmp(name, "schedule"))
		open_way(e, WAY_SCHEDULE, x, a->span);
	else
		elab_error(e, PML0209, a->span,
			   "`auto` stands for the number of micro-batches, or a schedule: `microbatch(auto, schedule = "
			   "auto)`");
}

static void take_argument(struct elab *e, const struct arg *a, struct microbatch_walk *w, struct microbatch *b)
{
	const char *name = a->name.text;
	if (name && !strcmp(name, "whole") && a->value) {
		add_whole(e, w, a->value);
		return;
	}
	const struct value *v = a->value ? expr_eval(e, a->value) : &value_none;
	if (value_failed(v))
		return;
	if (!name) {
		if (value_is_known(v) && v->host.type == HOST_INT && v->host.i >= 1 && v->host.i <= MAX_UNROLLED &&
		    !b->count)
			b->count = (int)v->host.i;
		else
			elab_error(e, PML0209, a->span,
				   "`microbatch` takes one number of micro-batches, 1 to %d, known when compiling",
				   (int)MAX_UNROLLED);
	} else if (!strcmp(name, "schedule")) {
		if (!value_is_known(v) || v->host.type != HOST_TEXT || !schedule_find(v->host.text, &b->schedule))
			elab_error(e, PML0209, a->span, "`schedule` is %s", schedule_names(e->a));
	} else if (!strcmp(name, "hold")) {
		if (value_is_known(v) && v->host.type == HOST_INT && v->host.i >= 0 && v->host.i <= MAX_UNROLLED)
			b->hold = (int)v->host.i;
		else
			elab_error(e, PML0209, a->span,
				   "`hold` is a number of micro-batches, 0 to %d, known when compiling",
				   (int)MAX_UNROLLED);
	} else {
		elab_error(e, PML0203, a->span,
			   "`microbatch` has no parameter `%s`, but `schedule`, `hold` and `whole`", name);
	}
}

static void refuse_hold(struct elab *e, const struct microbatch *b, const struct expr *x)
{
	struct diag *d = elab_error(e, PML0209, x->block.head.span, "`hold` has no meaning with `schedule = \"%s\"`",
				    schedule_text(b->schedule));
	diag_note(d, "it says how long gradients of weights may wait, which this schedule computes at once");
	diag_help(d, "take `schedule = \"%s\"`, or leave `hold` out", schedule_text(SCHEDULE_ZERO_BUBBLE));
}

static bool may_stand_here(struct elab *e, struct span at)
{
	if (microbatch_refuses(e, at, "`microbatch`") || (!e->grad_depth && graph_loop_refuses(e, at, "`microbatch`")))
		return false;
	if (!e->grad_depth)
		return true;
	struct diag *d = elab_error(e, PML0522, at, "`microbatch` stands in a function that is differentiated");
	diag_note(d, "gradients of micro-batches are added up as soon as each is there");
	diag_help(d, "put the gradient into the block: `microbatch(4) { value_and_grad(f)(x) }`");
	return false;
}

/* A walk of the body for all turns of a loop; *fits: as what was carried into it. */
static const struct value *walk_turns(struct elab *e, const struct expr *x, struct microbatch_walk *w,
				      struct carried_set *carried, bool *fits)
{
	struct graph *g = region_graph(e);
	const struct trial *before = trial_begin(e);
	struct node_site site = elab_site(e, x->span);
	int errors = e->s->errors;
	bool failed = false;
	w->loop = g->open = graph_loop(g, g->open, w->batch->count, x->block.head.span);
	w->loop->batch = w->batch;
	map_init(&w->sums, e->a);
	w->turn = number_value(e, HOST_INT, graph_turn(g, &site, w->loop));
	carried_begin(e, carried, w->loop, x->span);
	e->micro = w;
	e->frame->runtime_depth++;
	const struct value *v = block_value(e, x->block.body->body);
	const struct value *sum = e->s->errors > errors ? &value_error : add_result(e, NULL, v, x->span);
	e->frame->runtime_depth--;
	e->micro = NULL;
	g->open = w->loop->outer;
	*fits = carried_fits(e, carried, before, &failed) || value_failed(sum) || failed;
	if (!*fits)
		trial_back(e, before);
	return failed ? &value_error : sum;
}

/* All micro-batches as turns of a loop; NULL if they are to be walked one by one. */
static const struct value *sum_of_turns(struct elab *e, const struct expr *x, struct microbatch_walk *w)
{
	if (w->batch->count == 1 || e->s->options.unroll_loops)
		return NULL;
	const struct trial *before = trial_begin(e);
	const struct microbatch_walk as_it_was = *w;
	const struct value *sum = NULL;
	struct carried_set *carried = carried_by(e, x->block.body->body, NULL);
	for (bool fits = false; !fits;) {
		*w = as_it_was;
		sum = walk_turns(e, x, w, carried, &fits);
	}
	if (!value_failed(sum)) {
		carried_end(e, carried, x->span);
		return sum;
	}
	trial_back(e, before);
	*w = as_it_was;
	return NULL;
}

const struct value *expr_microbatch(struct elab *e, const struct expr *x)
{
	struct microbatch *b = ARENA_NEW(e->p->arena, struct microbatch);
	struct microbatch_walk w = {.batch = b, .rows = -1};
	int errors = e->s->errors;
	*b = (struct microbatch){.id = e->nmicrobatches++, .span = x->block.head.span};
	for (int i = 0; i < x->block.args.n; i++)
		if (x->block.args.at[i].is_auto)
			take_open(e, x, &x->block.args.at[i], b);
		else
			take_argument(e, &x->block.args.at[i], &w, b);
	struct open_way *schedule = open_way_of(e, WAY_SCHEDULE, x);
	if (schedule && b->hold) { /* which is said of one kind alone */
		schedule->holds = true;
		b->schedule = SCHEDULE_ZERO_BUBBLE;
	}
	if (b->hold && !schedule_splits(b->schedule))
		refuse_hold(e, b, x);
	if (!b->count && e->s->errors == errors)
		elab_error(e, PML0203, x->block.head.span,
			   "`microbatch` needs the number of micro-batches: `microbatch(4)`");
	if (e->s->errors > errors || !may_stand_here(e, x->block.head.span))
		return &value_error;
	if (region_writes(e))
		region_close(e);
	map_init(&w.shapes, e->a);
	vec_push(e->p->arena, &e->p->microbatches, b);
	const struct value *sum = sum_of_turns(e, x, &w);
	for (w.micro = 0; !w.loop && w.micro < b->count; w.micro++) {
		e->micro = &w;
		const struct value *v = block_value(e, x->block.body->body);
		sum = e->s->errors > errors ? &value_error : add_result(e, sum, v, x->span);
		e->micro = NULL;
		if (value_failed(sum))
			return sum;
	}
	b->given = w.given;
	b->gives_gradients = w.gives_gradients;
	struct open_way *parts = open_way_of(e, WAY_PARTS, x); /* there may be more by now */
	if (parts)
		parts->rows = w.rows > parts->rows ? w.rows : parts->rows;
	return average(e, sum, b->count, x->span);
}
