/* graph.c — making nodes. A builder appends one node and computes what follows from its inputs: dtype, shape,
 * placement. Nothing is folded here, so that what elaboration asked for is what `--emit=graph` shows; the passes in
 * simplify/ rewrite. */
#include "graph.h"

#include "../op/intern.h"
#include "../program.h"

#include <string.h>

const char *node_kind_text(enum node_kind kind)
{
	static const char *const text[] = {
#define NODE(name, text, inputs) [NODE_##name] = text,
#include "node.def"
#undef NODE
	};
	return text[kind];
}

static const char *const schedules[] = {
#define SCHEDULE(name, text, splits, description) [SCHEDULE_##name] = text,
#include "schedule.def"
#undef SCHEDULE
};

const char *schedule_text(enum schedule s)
{
	return schedules[s];
}

bool schedule_splits(enum schedule s)
{
	static const bool split[] = {
#define SCHEDULE(name, text, splits, description) [SCHEDULE_##name] = splits,
#include "schedule.def"
#undef SCHEDULE
	};
	return split[s];
}

const char *pass_kind_text(enum pass_kind kind)
{
	static const char *const text[] = {
#define PASS_KIND(name, text, marks) [PASS_##name] = text,
#include "../../runtime/pass.def"
#undef PASS_KIND
	};
	return text[kind];
}

bool schedule_find(const char *text, enum schedule *out)
{
	for (int i = 0; i < SCHEDULES; i++)
		if (!strcmp(schedules[i], text)) {
			*out = (enum schedule)i;
			return true;
		}
	return false;
}

bool node_is_identity(const struct node *n)
{
	return n->kind == NODE_TO || n->kind == NODE_CONTRACT || n->kind == NODE_STOP || n->kind == NODE_REMAT;
}

bool node_is_of_rule(const struct node *n)
{
	return n->kind == NODE_TANGENT || n->kind == NODE_RULED || n->kind == NODE_PULLED;
}

struct graph *graph_new(struct session *s, struct program *p)
{
	struct graph *g = ARENA_NEW(p->arena, struct graph);
	g->session = s;
	g->program = p;
	g->arena = p->arena;
	if (!p->rules)
		p->rules = rules_new(p->arena);
	if (s->options.verify_each)
		rules_verify(p->rules);
	return g;
}

/* Nodes lie in a row, since passes go from one to the next. */
struct node *graph_node(struct graph *g)
{
	enum { LEAST = 8, MOST = 256 };
	if (!g->nroom) {
		g->nroom = g->nodes.n < LEAST ? LEAST : g->nodes.n < MOST ? g->nodes.n : MOST;
		g->room = ARENA_ARRAY(g->arena, struct node, g->nroom);
	}
	g->nroom--;
	return g->room++;
}

const struct rule *graph_rule(const struct graph *g, const struct rule *r)
{
	return rule_intern(g->program->rules, r);
}

struct span node_said_at(const struct node *n)
{
	struct span at = n->span;
	for (const struct call_site *c = n->call; c; c = c->outer)
		at = c->span;
	return at;
}

struct node_site node_site_of(const struct node *n)
{
	return (struct node_site){.span = n->span,
				  .call = n->call,
				  .is_derived = n->is_derived,
				  .in_library = n->in_library,
				  .doc = n->doc,
				  .names_factors = n->names_factors,
				  .origin = n->origin,
				  .forward = n->forward,
				  .name = n->name,
				  .batch = n->batch,
				  .micro = n->micro};
}

struct node_site node_site_backward(const struct node *n)
{
	struct node_site site = node_site_of(n);
	site.origin = ORIGIN_BACKWARD;
	site.forward = n;
	return site;
}

/* Of what is neither entry nor exit, which are told. */
static struct loop *in_loop(const struct node *n)
{
	return node_is_entry(n) || node_is_exit(n) ? NULL : node_loop(n);
}

static struct node *append(struct graph *g, const struct node_site *at, enum node_kind kind, enum dtype t,
			   const struct shape *s, int nin, struct node *const *in)
{
	struct node *n = graph_node(g);
	n->id = g->nodes.n;
	n->kind = kind;
	n->dtype = t;
	n->shape = *s;
	n->nin = nin;
	n->in = ARENA_ARRAY(g->arena, struct node *, nin);
	for (int i = 0; i < nin; i++) {
		BUG_IF(!in[i], "input %d of a new %s node is missing", i, node_kind_text(kind));
		n->in[i] = in[i];
	}
	n->origin = at->origin;
	n->span = at->span;
	n->call = at->call;
	n->is_derived = at->is_derived;
	n->in_library = at->in_library;
	n->doc = at->doc;
	n->names_factors = at->names_factors;
	n->name = at->name;
	n->forward = at->forward;
	n->remat = g->remat;
	n->batch = at->batch;
	n->micro = at->micro;
	n->loop = nin ? in_loop(n) : NULL;
	vec_push(g->arena, &g->nodes, n);
	return n;
}

static struct node *append_leaf(struct graph *g, const struct node_site *at, enum node_kind kind, enum dtype t)
{
	return append(g, at, kind, t, &(struct shape){0}, 0, NULL);
}

/* Of the type of its first input, where that is. */
static struct node *append_like_first(struct graph *g, const struct node_site *at, enum node_kind kind, int nin,
				      struct node *const *in)
{
	struct node *n = append(g, at, kind, in[0]->dtype, &in[0]->shape, nin, in);
	n->place = in[0]->place;
	return n;
}

static struct node *append_identity(struct graph *g, const struct node_site *at, enum node_kind kind, struct node *x)
{
	return append_like_first(g, at, kind, 1, &x);
}

struct node *graph_slot(struct graph *g, const struct node_site *at, int slot)
{
	BUG_IF(slot < 0 || slot >= g->program->slots.n, "slot %d does not exist", slot);
	const struct slot *s = g->program->slots.at[slot];
	struct node *n = append(g, at, NODE_SLOT, s->dtype, &s->shape, 0, NULL);
	n->slot = slot;
	n->place = s->place;
	if (!n->name)
		n->name = s->name;
	return n;
}

struct node *graph_data(struct graph *g, const struct node_site *at, int argument, int field, enum dtype t,
			const struct shape *s)
{
	struct node *n = append(g, at, NODE_DATA, t, s, 0, NULL);
	n->data.argument = argument;
	n->data.field = field;
	return n;
}

struct node *graph_host(struct graph *g, const struct node_site *at, int argument, enum dtype t)
{
	struct node *n = append_leaf(g, at, NODE_HOST, t);
	n->argument = argument;
	return n;
}

struct node *graph_float(struct graph *g, const struct node_site *at, enum dtype t, double v)
{
	BUG_IF(!dtype_is_float(t), "a float constant of type %s", dtype_text(t));
	struct node *n = append_leaf(g, at, NODE_CONST, t);
	/* The constant is what the type can hold: f32 rounds, as it does everywhere else. */
	n->number = scalar_eval(scalar_float(g->arena, t, v), NULL, NULL);
	return n;
}

struct node *graph_int(struct graph *g, const struct node_site *at, enum dtype t, int64_t v)
{
	BUG_IF(dtype_is_float(t), "an integer constant of type %s", dtype_text(t));
	struct node *n = append_leaf(g, at, NODE_CONST, t);
	n->number.i = v;
	return n;
}

struct node *graph_number(struct graph *g, const struct node_site *at, enum dtype t, union scalar_value v)
{
	return dtype_is_float(t) ? graph_float(g, at, t, v.f) : graph_int(g, at, t, v.i);
}

static struct shape access_shape(const struct access *a)
{
	struct shape s = {.rank = a->rank};
	memcpy(s.dim, a->dim, sizeof s.dim);
	for (int d = a->rank; d < MAX_RANK; d++)
		s.dim[d] = 0;
	return s;
}

struct node *graph_map(struct graph *g, const struct node_site *at, const struct rule *r, struct node *const *in)
{
	struct shape s = access_shape(&r->out);
	struct node *n = append(g, at, NODE_MAP, r->out.type, &s, r->noperands, in);
	n->rule = graph_rule(g, r);
	for (int i = 0; i < n->nin; i++) {
		struct shape want = access_shape(&r->operand[i]);
		BUG_IF(!shape_equal(&in[i]->shape, &want), "operand %d of `%s` has another shape than its rule", i,
		       r->name);
		BUG_IF(in[i]->dtype != r->operand[i].type, "operand %d of `%s` is %s, its rule says %s", i, r->name,
		       dtype_text(in[i]->dtype), dtype_text(r->operand[i].type));
		BUG_IF(n->place && in[i]->place && n->place != in[i]->place, "operands of `%s` are on `%s` and `%s`",
		       r->name, n->place->name, in[i]->place->name);
		if (in[i]->place)
			n->place = in[i]->place;
	}
	return n;
}

struct node *graph_reshape(struct graph *g, const struct node_site *at, struct node *x, const struct shape *s)
{
	BUG_IF(shape_volume(&x->shape) != shape_volume(s), "a reshape changes the number of elements");
	struct node *n = append(g, at, NODE_RESHAPE, x->dtype, s, 1, &x);
	n->place = x->place;
	return n;
}

struct node_target *graph_retarget(struct graph *g, struct node *n)
{
	struct node_target *fresh = ARENA_NEW(g->arena, struct node_target);
	if (n->target)
		*fresh = *n->target;
	n->target = fresh;
	return fresh;
}

struct node *graph_to(struct graph *g, const struct node_site *at, struct node *x, const struct place *p,
		      const struct layout_spec *l)
{
	struct node *n = append_identity(g, at, NODE_TO, x);
	*graph_retarget(g, n) = (struct node_target){.place = p, .layout = *l};
	if (p)
		n->place = p;
	return n;
}

struct node *graph_moved(struct graph *g, const struct node_site *at, struct node *x, const struct place *p,
			 const struct layout *l)
{
	struct layout_spec spec = {.form = LAYOUT_GIVEN, .layout = *l};
	struct node *n = graph_to(g, at, x, p, &spec);
	n->layout = *l;
	return n;
}

struct node *graph_contract(struct graph *g, const struct node_site *at, struct node *x, const struct place *p,
			    const struct layout_spec *l, const char *what, struct span where)
{
	BUG_IF(p && x->place && p != x->place, "a contract moves %s from `%s` to `%s`", what, x->place->name, p->name);
	struct node *n = append_identity(g, at, NODE_CONTRACT, x);
	*graph_retarget(g, n) = (struct node_target){p, *l, what, where};
	if (p)
		n->place = p;
	return n;
}

const char *asked_text(enum asked a)
{
	static const char *const text[] = {
#define ASKED(name, text) text,
#include "../../runtime/asked.def"
#undef ASKED
	};
	return text[a];
}

bool asked_holds(enum asked a, int64_t extent, int64_t v)
{
	switch (a) {
	case ASKED_NOT_ZERO:
		return v != 0;
	case ASKED_WITHIN:
	case ASKED_FITS:
		return v >= -extent && v < extent;
	case ASKED_NATURAL:
		return v >= 0 && v / 2 < extent;
	case ASKED_BELOW:
	case ASKED_HELD:
	case ASKED_COUNT:
		break;
	}
	return v >= 0 && v < extent;
}

struct node *graph_check(struct graph *g, const struct node_site *at, struct node *x, const struct check *c)
{
	BUG_IF(!dtype_is_int(x->dtype), "a check of %s", dtype_text(x->dtype));
	struct node *n = append_identity(g, at, NODE_CHECK, x);
	n->check = *c;
	return n;
}

struct node *graph_factors(struct graph *g, const struct node_site *at, struct node *x, enum factors_way way)
{
	struct shape s = factors_shape(&x->shape);
	BUG_IF(!factors_fit(x->dtype, &x->shape, &s), "factors of what is no square matrix");
	struct node *n = append(g, at, NODE_FACTORS, x->dtype, &s, 1, &x);
	n->factors = way;
	n->place = x->place;
	return n;
}

struct node *graph_stop(struct graph *g, const struct node_site *at, struct node *x)
{
	return append_identity(g, at, NODE_STOP, x);
}

struct node *graph_tangent(struct graph *g, const struct node_site *at, int depth, int n, struct node *const *argument,
			   int i)
{
	struct node **in = ARENA_ARRAY(g->arena, struct node *, n);
	for (int k = 0; k < n; k++)
		in[k] = argument[k];
	in[i] = argument[0];
	in[0] = argument[i];
	struct node *t = append_like_first(g, at, NODE_TANGENT, n, in);
	t->depth = depth;
	return t;
}

struct node *graph_ruled(struct graph *g, const struct node_site *at, int depth, struct node *x, struct node *y, int n,
			 struct node *const *argument)
{
	BUG_IF(x->dtype != y->dtype || !shape_equal(&x->shape, &y->shape), "a tangent unlike its value");
	struct node **in = ARENA_ARRAY(g->arena, struct node *, n + 2);
	in[0] = x;
	in[1] = y;
	for (int k = 0; k < n; k++)
		in[k + 2] = argument[k];
	struct node *r = append_like_first(g, at, NODE_RULED, n + 2, in);
	r->depth = depth;
	return r;
}

/* The value comes first, as in all nodes that stand for one, and what would stand there in its place. */
struct node *graph_pulled(struct graph *g, const struct node_site *at, const struct pullback *p, int i, int n,
			  struct node *const *tensor)
{
	struct node **in = ARENA_ARRAY(g->arena, struct node *, n);
	for (int k = 0; k < n; k++)
		in[k] = tensor[k];
	in[0] = tensor[i];
	in[i] = tensor[0];
	struct node *r = append_like_first(g, at, NODE_PULLED, n, in);
	r->pulled.by = p;
	r->pulled.result = i;
	return r;
}

int pulled_input(const struct node *n, int i)
{
	return i == n->pulled.result ? 0 : i ? i : n->pulled.result;
}

struct node *graph_remat(struct graph *g, const struct node_site *at, struct node *x, const struct node *after)
{
	struct node *n = append_identity(g, at, NODE_REMAT, x);
	n->after = after;
	return n;
}

static struct node *append_entry(struct graph *g, const struct node_site *at, enum node_kind kind, struct loop *l,
				 enum dtype t, const struct shape *s, int nin, struct node *const *in)
{
	struct node *n = append(g, at, kind, t, s, nin, in);
	n->of = n->loop = l;
	n->place = node_place_of_inputs(n);
	return n;
}

struct node *graph_turn(struct graph *g, const struct node_site *at, struct loop *l)
{
	return append_entry(g, at, NODE_TURN, l, DT_I64, &(struct shape){0}, 0, NULL);
}

struct node *graph_carry(struct graph *g, const struct node_site *at, struct loop *l, struct node *start)
{
	return append_entry(g, at, NODE_CARRY, l, start->dtype, &start->shape, 1, &start);
}

struct node *graph_line(struct graph *g, const struct node_site *at, struct loop *l, int n, struct node *const *x,
			int64_t first, int64_t step, bool back)
{
	struct shape s = n == 1 ? shape_of_line(&x[0]->shape) : x[0]->shape;
	struct node *line = append_entry(g, at, NODE_LINE, l, x[0]->dtype, &s, n, x);
	line->line.first = first;
	line->line.step = step;
	line->line.back = back;
	return line;
}

static struct node *append_exit(struct graph *g, const struct node_site *at, enum node_kind kind, struct loop *l,
				const struct shape *s, int nin, struct node *const *in)
{
	struct node *n = append(g, at, kind, in[0]->dtype, s, nin, in);
	n->of = l;
	n->loop = l->outer;
	n->place = node_place_of_inputs(n);
	return n;
}

struct node *graph_end(struct graph *g, const struct node_site *at, struct node *carry, struct node *next)
{
	struct node *in[2] = {carry, next};
	BUG_IF(carry->kind != NODE_CARRY, "the end of what is not carried");
	return append_exit(g, at, NODE_END, carry->of, &carry->shape, 2, in);
}

/* Turns are not limited, what is kept of them is. */
static void refuse_lines(struct graph *g, const struct loop *l, const struct node *x)
{
	struct text t;
	text_init(&t, g->arena);
	type_print(&t, x->dtype, &x->shape);
	struct diag *d = diag_error(g->session, PML0207, l->span,
				    "what has to be kept of each turn of this loop has too many elements in all");
	diag_label(d, x->span, "%s, of each of %lld turns", text_get(&t), (long long)loop_lines(l));
	diag_help(d, "`remat every k` before a loop keeps what each k turns begin with, and computes them again");
}

struct node *graph_stack(struct graph *g, const struct node_site *at, struct loop *l, struct node *x, bool back)
{
	struct shape s = shape_of_lines(loop_lines(l), &x->shape);
	if (shape_volume(&s) < 0) {
		refuse_lines(g, l, x);
		s.dim[0] = 0;
	}
	struct node *n = append_exit(g, at, NODE_STACK, l, &s, 1, &x);
	n->line.back = back;
	return n;
}

void graph_output(struct graph *g, enum output_kind kind, int index, struct node *x, struct span span)
{
	vec_push(g->arena, &g->outputs, ((struct output){.kind = kind, .index = index, .node = x, .span = span}));
}

bool node_is_sum(const struct node *n)
{
	return n->kind == NODE_MAP && rule_is_sum(n->rule) && n->in[0] != n->in[1] &&
	       shape_equal(&n->in[0]->shape, &n->shape) && shape_equal(&n->in[1]->shape, &n->shape);
}
