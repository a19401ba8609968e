/* each.c — `each (p, d) in g`: a gradient is walked when compiling, param by param, as statements or as another
 * gradient. Params of lists that a loop has read come element by element; these are walked once, as the turns of a
 * loop, if they are alike in all but their values. `each d in v` walks derivatives alone, or the parts of a struct,
 * tuple or list (each_part.c). */
#include "statements.h"
#include "../loops/loops.h"
#include "../operators/operators.h"
#include "../values/values.h"

/* Whether g is one, where each (p, d) is asked for; a message if not. */
static bool is_gradient(struct elab *e, const struct value *g, struct span at)
{
	if (value_failed(g) || g->kind == VALUE_GRADIENT)
		return g->kind == VALUE_GRADIENT;
	struct diag *d = elab_error(e, PML0501, at, "`each (p, d)` walks a gradient, this is %s", value_describe(e, g));
	if (value_is_list(g)) {
		diag_help(d, "`for (a, b) in …` walks the members of a list, also of tensors in pairs, `pairs(x, y)`");
		return false;
	}
	if (value_is_part(g) || value_is_composed(g))
		diag_help(d, "`each d in …` walks the tensors of structs, tuples and lists, which belong to no params");
	gradient_help(d, g);
	return false;
}

/* What is walked, and what it gives. */
struct walk {
	const struct value *g;
	const struct pattern *pattern;
	const struct stmt *block, *body; /* `body` stands in `block`, and may be empty */
	const struct expr *value;        /* NULL: statements */
	struct span at;
	struct value *out; /* of `value`: a gradient */
	bool failed;
};

/* ---- one param ---- */

/* Goes to one param of a gradient: the pattern's names are bound, states declared here belong to the param. What the
 * body gives, if it is a value. */
static const struct value *walk_param(struct elab *e, const struct walk *w, const struct gradient_entry *d,
				      const struct value *param)
{
	const struct value *pair[2] = {param, d->d}, *v = NULL;
	const struct gradient_entry *before = e->each;
	const char *outer = e->frame->like;
	e->frame->like = e->p->slots.at[d->slot]->name;
	e->each = d;
	env_push(e);
	pattern_bind(e, w->pattern, BIND_LET, w->pattern->name.text ? d->d : value_tuple(e, 2, pair), w->at);
	if (w->value)
		v = gradient_fit(e, expr_eval(e, w->value), d->slot, w->value->span);
	else
		stmt_block(e, w->body);
	env_pop(e);
	e->frame->like = outer;
	e->each = before;
	return v;
}

static void walk_entry(struct elab *e, struct walk *w, int i)
{
	struct gradient_entry d = w->g->gradient.at[i];
	struct value *p = value_new(e, VALUE_PARAM);
	p->slot = d.slot;
	d.d = gradient_d(e, &d, w->at);
	d.all = NULL;
	const struct value *v = walk_param(e, w, &d, p);
	if (!w->value)
		return;
	d.d = v;
	w->failed = value_failed(v);
	vec_push(e->a, &w->out->gradient, d);
}

struct entry {
	struct walk *w;
	int i;
};

static void walk_arm(struct elab *e, const void *x)
{
	const struct entry *entry = x;
	walk_entry(e, entry->w, entry->i);
}

/* The same where the running program may have returned from an entry before. */
static void walk_next(struct elab *e, struct walk *w, int i)
{
	struct entry entry = {w, i};
	struct arm_body arm = {.statements = w->block, .walk = walk_arm, .x = &entry};
	if (!(w->block && stmt_may_return(w->block) && unless_left(e, &arm, w->at)))
		walk_entry(e, w, i);
}

/* ---- params of lists ---- */

/* The entries from `at` on: `fields` params of a first element, as many of the next, and so on. */
struct run {
	struct walk *w;
	int at, fields;
	struct list_turns turns;
	const struct value **result; /* by field, in the turn */
};

static bool is_entry(const struct elab *e, const struct gradient_entry *d, int turn)
{
	const struct slot *s = e->p->slots.at[d->slot];
	return d->all && s->list && s->member == turn && layout_equal(s->place, &d->layout.layout, &s->layout.layout);
}

/* Whether entries from number i on are all of lists; all of them then. */
static bool run_find(const struct elab *e, struct walk *w, int i, struct run *out)
{
	const struct value *g = w->g;
	*out = (struct run){.w = w, .at = i};
	while (i + out->fields < g->gradient.n && is_entry(e, &g->gradient.at[i + out->fields], 0))
		out->fields++;
	if (!out->fields)
		return false;
	int turns = out->turns.n = e->p->slots.at[g->gradient.at[i].slot]->list->members.n;
	bool is_run = turns <= (g->gradient.n - i) / out->fields;
	for (int k = 0; is_run && k < turns * out->fields; k++) {
		const struct gradient_entry *d = &g->gradient.at[i + k], *first = &g->gradient.at[i + k % out->fields];
		is_run = is_entry(e, d, k / out->fields) && d->all == first->all &&
			 e->p->slots.at[d->slot]->list == e->p->slots.at[first->slot]->list &&
			 e->p->slots.at[d->slot]->list->members.n == turns;
	}
	return is_run;
}

static void walk_turn(struct elab *e, void *context)
{
	struct run *r = context;
	struct walk *w = r->w;
	for (int f = 0; f < r->fields && !r->turns.failed; f++) {
		struct gradient_entry d = w->g->gradient.at[r->at + f];
		struct value *p = value_new(e, VALUE_PARAM);
		p->slot = d.slot;
		p->line = slot_line_in(e, &r->turns, e->p->slots.at[d.slot]->list, w->at);
		d.d = gradient_by(e, w->g, p, w->at);
		d.all = NULL;
		r->result[f] = walk_param(e, w, &d, p);
		if (!w->value)
			continue;
		r->turns.failed |= value_failed(r->result[f]);
		if (!r->turns.failed)
			r->turns.failed = !loop_is_in(tensor_node(e, r->result[f], w->at)->loop, r->turns.loop);
	}
}

/* What the turns give, one behind the other, as entries of a gradient. */
static void run_results(struct elab *e, const struct run *r)
{
	struct walk *w = r->w;
	const struct value **all = ARENA_ARRAY(e->a, const struct value *, r->fields);
	for (int f = 0; f < r->fields; f++) {
		struct node_site site = elab_site(e, w->at);
		struct node *x = tensor_node(e, r->result[f], w->at);
		site.name = x->name;
		all[f] = tensor_value_of(e, graph_stack(region_graph(e), &site, r->turns.loop, x, false));
	}
	for (int k = 0; k < r->fields * r->turns.n; k++) {
		struct gradient_entry d = w->g->gradient.at[r->at + k];
		d.d = NULL;
		d.all = all[k % r->fields];
		vec_push(e->a, &w->out->gradient, d);
	}
}

/* The run as one loop; false: nothing has been done. */
static bool walk_run(struct elab *e, struct run *r)
{
	struct walk *w = r->w;
	if (region_stays_open(e) || e->turns ||
	    (!w->value && (stmt_may_leave(w->body, true) || stmt_may_return(w->body))))
		return false;
	r->result = ARENA_ARRAY(e->a, const struct value *, r->fields);
	struct list_loop loop = {&r->turns, w->body, walk_turn, r};
	if (!graph_loop_lists(e, &loop, w->at))
		return false;
	if (w->value)
		run_results(e, r);
	return true;
}

/* ---- all of them ---- */

static void walk_all(struct elab *e, struct walk *w)
{
	int none = 0; /* up to there entries are walked one by one */
	for (int i = 0; i < w->g->gradient.n && !w->failed && !e->frame->returned; i++) {
		struct run r;
		if (i >= none && run_find(e, w, i, &r)) {
			none = i + r.fields * r.turns.n;
			if (walk_run(e, &r)) {
				i = none - 1;
				continue;
			}
		}
		walk_next(e, w, i);
	}
}

/* `each d in v` of what is no gradient. */
static bool walks_parts(const struct walk *w)
{
	return w->pattern->name.text && w->g->kind != VALUE_GRADIENT;
}

void stmt_each(struct elab *e, const struct stmt *s)
{
	struct walk w = {expr_eval(e, s->value), s->pattern, s->body, s->body->body, NULL, s->value->span, NULL, false};
	if (walks_parts(&w))
		each_part(e, &(struct each_part){.pattern = s->pattern, .block = s->body, .at = w.at}, w.g);
	else if (is_gradient(e, w.g, w.at))
		walk_all(e, &w);
}

const struct value *expr_each(struct elab *e, const struct expr *x)
{
	struct walk w = {expr_eval(e, x->each.of),
			 x->each.pattern,
			 NULL,
			 NULL,
			 x->each.body,
			 x->each.of->span,
			 value_new(e, VALUE_GRADIENT),
			 false};
	if (walks_parts(&w))
		return each_part(e, &(struct each_part){.pattern = w.pattern, .value = w.value, .at = w.at}, w.g);
	if (!is_gradient(e, w.g, x->each.of->span))
		return &value_error;
	walk_all(e, &w);
	return w.failed ? &value_error : w.out;
}
