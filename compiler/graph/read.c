/* read.c — the inverse of print.c, for tests of single passes and for the check that printing loses nothing.
 * What is read is verified before it is handed out: the text may be anybody's. */
#include "cursor.h"
#include "graph.h"

#include "../program.h"

#include <string.h>

enum { MOST_LOOPS = 100000 };

struct reader {
	struct cursor c;
	struct graph *g;
	VEC(bool) is_told; /* by loop */
	VEC(int) forward;  /* per node: id of its `forward`, or -1; resolved at the end, since it may stand later */
};

static const struct place *read_place(struct reader *r)
{
	const char *name = cursor_word(&r->c);
	for (int i = 0; i < r->g->program->places.n; i++)
		if (!strcmp(r->g->program->places.at[i]->name, name))
			return r->g->program->places.at[i];
	cursor_fail(&r->c, "there is no placement `%s`", name);
	return NULL;
}

static int read_slot(struct reader *r)
{
	const struct program *p = r->g->program;
	if (!cursor_sees(&r->c, "\"")) {
		int i = cursor_count(&r->c);
		if (i >= p->slots.n)
			cursor_fail(&r->c, "there is no slot %d", i);
		return i;
	}
	const char *name = cursor_string(&r->c);
	for (int i = 0; i < p->slots.n; i++)
		if (p->slots.at[i]->name && !strcmp(p->slots.at[i]->name, name))
			return i;
	cursor_fail(&r->c, "there is no slot `%s`", name);
	return 0;
}

static struct node *read_ref(struct reader *r)
{
	cursor_expect(&r->c, "%");
	int64_t id = cursor_int(&r->c);
	if (r->c.error || id < 0 || id >= r->g->nodes.n) {
		cursor_fail(&r->c, "there is no node %%%lld before this line", (long long)id);
		return NULL;
	}
	return r->g->nodes.at[id];
}

static enum node_kind read_kind(struct reader *r)
{
	const char *start = r->c.p;
	start += strspn(start, " ");
	size_t n = strcspn(start, " (\n");
	for (enum node_kind k = 0; k < NODE_KINDS; k++)
		if (strlen(node_kind_text(k)) == n && !strncmp(start, node_kind_text(k), n)) {
			r->c.p = start + n;
			return k;
		}
	cursor_fail(&r->c, "kind of node expected at `%.20s`", start);
	return NODE_KINDS;
}

static void read_inputs(struct reader *r, struct node *n)
{
	VEC(struct node *) in = {0};
	if (!cursor_take(&r->c, "("))
		return;
	while (!r->c.error && !cursor_take(&r->c, ")")) {
		if (in.n)
			cursor_expect(&r->c, ",");
		struct node *x = read_ref(r);
		vec_push(r->g->arena, &in, x);
	}
	n->in = in.at;
	n->nin = in.n;
}

/* The layout of a target is about a placement that the type at the end of the line may be first to name: it is read
 * after it. */
struct pending_layout {
	const char *at;
};

static void read_target(struct reader *r, struct node *n, struct pending_layout *pending)
{
	struct cursor *c = &r->c;
	struct node_target *t = graph_retarget(r->g, n);
	cursor_expect(c, "[");
	if (cursor_take(c, "@"))
		t->place = read_place(r);
	if (cursor_take(c, ":")) {
		if (cursor_take(c, "finish")) {
			t->layout.form = LAYOUT_FINISH;
		} else if (cursor_take(c, "?")) {
			t->layout.form = LAYOUT_VAR;
			t->layout.var = cursor_count(c);
			if (t->layout.var >= r->g->nlayout_vars)
				cursor_fail(c, "there is no layout variable %d", t->layout.var);
		} else {
			t->layout.form = LAYOUT_GIVEN;
			pending->at = c->p;
			for (int depth = 0; *c->p && *c->p != '\n' && (depth || !strchr(",]", *c->p)); c->p++)
				depth += strchr("([", *c->p) ? 1 : strchr(")]", *c->p) ? -1 : 0;
		}
	}
	if (cursor_take(c, ","))
		t->what = cursor_string(c);
	cursor_expect(c, "]");
}

static void read_rule(struct reader *r, struct node *n)
{
	const char *text = cursor_braces(&r->c), *error = NULL;
	if (r->c.error)
		return;
	const struct rule *rule = rule_read(r->g->arena, text, &error);
	if (rule)
		n->rule = graph_rule(r->g, rule);
	else
		cursor_fail(&r->c, "%s", error ? error : "this is not a rule");
}

/* A loop may be named before its line: it is made here, and must be told about later. */
static struct loop *read_loop_number(struct reader *r)
{
	int id = cursor_count(&r->c);
	if (id > MOST_LOOPS)
		cursor_fail(&r->c, "a graph of more than %d loops", MOST_LOOPS);
	while (!r->c.error && id >= r->g->loops.n) {
		graph_loop(r->g, NULL, -1, (struct span){0});
		vec_push(r->g->arena, &r->is_told, false);
	}
	return r->c.error ? NULL : r->g->loops.at[id];
}

static struct loop *read_of(struct reader *r)
{
	cursor_expect(&r->c, "of");
	return read_loop_number(r);
}

static void read_loop(struct reader *r)
{
	struct cursor *c = &r->c;
	struct loop *l = read_loop_number(r);
	if (!l)
		return;
	r->is_told.at[l->id] = true;
	if (cursor_take(c, "in"))
		l->outer = read_loop_number(r);
	if (cursor_take(c, "count"))
		l->count = read_ref(r);
	else if (cursor_take(c, "while"))
		l->condition = read_ref(r);
	else
		cursor_expect(c, "turns"), l->turns = cursor_int(c);
	while (!c->error && cursor_take(c, "and"))
		vec_push(r->g->arena, &l->elsewhere, read_ref(r));
	if (cursor_take(c, "most"))
		l->most = cursor_int(c);
	l->is_branch = cursor_take(c, "branch");
	l->stages = cursor_take(c, "stages");
	if (cursor_take(c, "batches")) {
		struct microbatch *m = ARENA_NEW(r->g->arena, struct microbatch);
		m->count = (int)l->turns;
		l->batch = m;
	}
	if (l->outer && l->outer->id >= l->id)
		cursor_fail(c, "loop %d stands in a later one", l->id);
}

/* Nodes were read before the loops were. */
static void settle_loops(struct reader *r)
{
	for (int i = 0; i < r->is_told.n && !r->c.error; i++)
		if (!r->is_told.at[i])
			cursor_fail(&r->c, "nothing is said of loop %d", i);
	for (int i = 0; i < r->g->nodes.n && !r->c.error; i++)
		r->g->nodes.at[i]->loop = node_loop(r->g->nodes.at[i]);
}

/* Up to the type, which says how a number is to be read: its text is returned. */
static const char *read_attributes(struct reader *r, struct node *n, struct pending_layout *pending)
{
	switch (n->kind) {
	case NODE_SLOT:
		n->slot = read_slot(r);
		break;
	case NODE_DATA:
		n->data.argument = cursor_count(&r->c);
		n->data.field = cursor_count(&r->c);
		break;
	case NODE_HOST:
		n->argument = cursor_count(&r->c);
		break;
	case NODE_CONST:
		return cursor_word(&r->c);
	case NODE_MAP:
		read_rule(r, n);
		break;
	case NODE_TO:
	case NODE_CONTRACT:
		read_target(r, n, pending);
		break;
	case NODE_CHECK:
		n->check.asked = ASKED_BELOW;
		while (n->check.asked + 1 < ASKED_COUNT && !cursor_sees(&r->c, asked_text(n->check.asked)))
			n->check.asked++;
		cursor_expect(&r->c, asked_text(n->check.asked));
		n->check.extent = cursor_int(&r->c);
		n->check.is_proved = cursor_take(&r->c, "proved");
		cursor_expect(&r->c, ",");
		n->check.range = cursor_string(&r->c);
		break;
	case NODE_FACTORS:
		while (n->factors + 1 < FACTORS_WAYS && !cursor_sees(&r->c, factors_text(n->factors)))
			n->factors++;
		cursor_expect(&r->c, factors_text(n->factors));
		break;
	case NODE_TANGENT:
	case NODE_RULED:
		cursor_expect(&r->c, "depth");
		n->depth = (int)cursor_int(&r->c);
		break;
	case NODE_REMAT:
		if (cursor_take(&r->c, "after"))
			n->after = read_ref(r);
		break;
	case NODE_LINE:
		n->of = read_of(r);
		cursor_expect(&r->c, "first");
		n->line.first = cursor_int(&r->c);
		cursor_expect(&r->c, "step");
		n->line.step = cursor_int(&r->c);
		n->line.back = cursor_take(&r->c, "back");
		break;
	case NODE_TURN:
	case NODE_CARRY:
	case NODE_END:
		n->of = read_of(r);
		break;
	case NODE_STACK:
		n->of = read_of(r);
		n->line.back = cursor_take(&r->c, "back");
		break;
	case NODE_RESHAPE:
	case NODE_PULLED: /* whose rule no text has */
	case NODE_STOP:
	case NODE_KINDS:
		break;
	}
	return NULL;
}

static void read_type(struct reader *r, struct node *n)
{
	cursor_expect(&r->c, ":");
	cursor_type(&r->c, &n->dtype, &n->shape);
	if (!cursor_take(&r->c, "@"))
		return;
	n->place = read_place(r);
	if (r->g->stage == GRAPH_LAID_OUT && !r->c.error) {
		cursor_expect(&r->c, ":");
		n->layout = cursor_layout(&r->c, n->place);
	}
}

static void read_number(struct reader *r, struct node *n, const char *text)
{
	struct cursor c = {.p = text, .arena = r->c.arena, .line = r->c.line};
	if (dtype_is_float(n->dtype))
		n->number.f = cursor_float(&c);
	else
		n->number.i = cursor_int(&c);
	if (c.error || *c.p)
		cursor_fail(&r->c, "`%s` is not a number of type %s", text, dtype_text(n->dtype));
}

static int read_origin(struct reader *r, struct node *n)
{
	if (!cursor_take(&r->c, ";"))
		return -1;
	if (cursor_take(&r->c, "backward"))
		n->origin = ORIGIN_BACKWARD;
	if (!cursor_take(&r->c, "of"))
		return -1;
	cursor_expect(&r->c, "%");
	return cursor_count(&r->c);
}

static void read_node(struct reader *r)
{
	struct cursor *c = &r->c;
	struct node *n = graph_node(r->g);
	n->id = r->g->nodes.n;
	if (cursor_int(c) != n->id)
		cursor_fail(c, "this line is node %%%d", n->id);
	if (!cursor_take(c, "="))
		n->name = cursor_string(c), cursor_expect(c, "=");
	n->kind = read_kind(r);
	if (c->error)
		return;
	read_inputs(r, n);
	struct pending_layout pending = {NULL};
	const char *number = read_attributes(r, n, &pending);
	if (!c->error)
		read_type(r, n);
	if (number && !c->error)
		read_number(r, n, number);
	const struct place *p = n->place;
	if (pending.at && !c->error) {
		struct cursor at = {.p = pending.at, .arena = c->arena, .line = c->line};
		if (p)
			graph_retarget(r->g, n)->layout.layout = cursor_layout(&at, p);
		else
			cursor_fail(&at, "a layout without a placement");
		c->error = at.error;
	}
	int forward = read_origin(r, n);
	vec_push(r->g->arena, &r->forward, forward);
	vec_push(r->g->arena, &r->g->nodes, n);
}

static void read_output(struct reader *r)
{
	struct output o = {.kind = OUTPUT_HOST};
	if (cursor_take(&r->c, "slot")) {
		o.kind = OUTPUT_SLOT;
		o.index = read_slot(r);
	} else {
		cursor_expect(&r->c, "host");
		o.index = cursor_count(&r->c);
	}
	cursor_expect(&r->c, "=");
	o.node = read_ref(r);
	vec_push(r->g->arena, &r->g->outputs, o);
}

static void read_header(struct reader *r)
{
	cursor_at_end(&r->c);
	cursor_expect(&r->c, "graph");
	if (cursor_take(&r->c, "placed"))
		r->g->stage = GRAPH_PLACED;
	else if (cursor_take(&r->c, "laid out"))
		r->g->stage = GRAPH_LAID_OUT;
	else
		cursor_expect(&r->c, "logical");
	if (cursor_take(&r->c, "vars"))
		r->g->nlayout_vars = cursor_count(&r->c);
	cursor_end_line(&r->c);
}

static void resolve_forward(struct reader *r)
{
	for (int i = 0; i < r->g->nodes.n && !r->c.error; i++) {
		int f = r->forward.at[i];
		if (f >= r->g->nodes.n)
			cursor_fail(&r->c, "%%%d is backward of %%%d, which does not exist", i, f);
		else if (f >= 0)
			r->g->nodes.at[i]->forward = r->g->nodes.at[f];
	}
}

struct graph *graph_read(struct session *s, struct program *p, const char *text, const char **error)
{
	struct graph *g = graph_new(s, p);
	struct reader r = {.c = {.p = text, .arena = g->arena, .line = 1}, .g = g};
	read_header(&r);
	while (!cursor_at_end(&r.c)) {
		if (cursor_take(&r.c, "%"))
			read_node(&r);
		else if (cursor_take(&r.c, "loop"))
			read_loop(&r);
		else if (cursor_take(&r.c, "output"))
			read_output(&r);
		else
			cursor_fail(&r.c, "node or output expected at `%.20s`", r.c.p);
		cursor_end_line(&r.c);
	}
	resolve_forward(&r);
	settle_loops(&r);
	if (!r.c.error)
		r.c.error = graph_verify(g);
	*error = r.c.error;
	return r.c.error ? NULL : g;
}
