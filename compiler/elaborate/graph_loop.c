/* graph_loop.c — loops that become loops of the graph: where a function is differentiated, and the running program
 * knows how often they turn.
 *
 * The body is walked once, with numbers and tensors standing for what is carried (carried.c). Nothing of it is known
 * before the program runs: what the host alone can do is refused. */
#include "elab.h"

bool graph_loop_wanted(const struct elab *e)
{
	return e->grad_depth && e->s->options.keep_loops;
}

bool graph_loop_refuses(struct elab *e, struct span at, const char *what)
{
	if (!e->loop)
		return false;
	struct diag *d =
		elab_error(e, PML0411, at, "%s stands in a loop or branch of a function that is differentiated", what);
	diag_label(d, e->loop->span, "decided when the program runs");
	diag_note(d, "it is computed as one with all that surrounds it, and the host sees nothing of its turns");
	return true;
}

/* A loop under construction. */
struct build {
	const struct stmt *s;
	const struct value *from; /* of a `for`: its first number */
	int64_t turns;            /* -1: counted by `count`, or by the condition of a `while` */
	const struct value *count;
	struct loop *loop;
	struct loop_walk walk;
};

static void enter(struct elab *e, struct build *b)
{
	b->loop = graph_loop(region_graph(e), e->loop, b->turns, b->s->value->span);
	b->walk = (struct loop_walk){.outer = e->frame->loop, .done = -1, .depth = ++e->frame->runtime_depth};
	if (b->count)
		b->loop->count = tensor_of_host(e, b->count, DT_I64, b->s->value->span);
	e->frame->loop = &b->walk;
	e->loop = b->loop;
}

static void leave(struct elab *e, struct build *b)
{
	e->loop = b->loop->outer;
	e->frame->loop = b->walk.outer;
	e->frame->runtime_depth--;
	e->frame->left = false;
}

/* from + the number of the turn */
static const struct value *number_of_turn(struct elab *e, struct build *b)
{
	struct span at = b->s->value->span;
	struct node_site site = elab_site(e, at);
	site.name = b->s->pattern->name.text;
	const struct value *t = number_value(e, HOST_INT, graph_turn(region_graph(e), &site, b->loop));
	if (b->from->host.known && !b->from->host.i)
		return t;
	return value_expr(e, host_apply(e, HOST_ADD_OP, HOST_INT, host_of(e, &b->from->host), t->host.expr, at));
}

static void walk_body(struct elab *e, struct build *b)
{
	stmt_turn(e, b->s, number_of_turn(e, b));
}

/* Walks the body until what is carried is what it was taken to be. */
static void build_loop(struct elab *e, struct build *b)
{
	struct span at = b->s->value->span;
	struct carried_set *set = carried_by(e, b->s->body, NULL);
	int errors = e->s->errors;
	bool failed = false;
	for (;;) {
		const struct trial *before = trial_begin(e);
		enter(e, b);
		carried_begin(e, set, b->loop, at);
		walk_body(e, b);
		bool fits = e->s->errors == errors && carried_fits(e, set, before, &failed);
		leave(e, b);
		if (fits || failed || e->s->errors > errors)
			break;
		trial_back(e, before);
	}
	if (failed || e->s->errors > errors)
		carried_fail(e, set);
	else
		carried_end(e, set, at);
}

void graph_loop_range(struct elab *e, const struct stmt *s, const struct value *from, const struct value *to)
{
	struct span at = s->value->span;
	struct build b = {.s = s, .turns = -1};
	from = host_freeze(e, from, NULL, at);
	to = host_freeze(e, to, NULL, at);
	b.from = from;
	if (from->host.known && to->host.known)
		b.turns = to->host.i > from->host.i ? to->host.i - from->host.i : 0;
	else if (from->host.known && !from->host.i)
		b.count = to;
	else
		b.count = value_expr(
			e, host_apply(e, HOST_SUB_OP, HOST_INT, host_of(e, &to->host), host_of(e, &from->host), at));
	build_loop(e, &b);
}
