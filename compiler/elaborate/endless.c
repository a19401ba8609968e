/* endless.c — loops of the host that only their condition ends, and whose turns leave nothing that anybody sees: no
 * line, record or file, no batch, no param and no state. Of these nobody could tell whether they still come to
 * something, so each turn counts, and --timeout ends them like a loop of a graph (runtime/loop.c). */
#include "elaborate.h"
#include "region/region.h"

/* Whether a call is seen: what it does, not its value. */
static bool is_seen(const struct host_stmt *h)
{
	const char *f = h->expr && h->expr->kind == HOST_CALL ? h->expr->function : NULL;
	if (!f || (h->kind != HOST_EVAL && h->kind != HOST_WHILE))
		return false;
	return !host_call_is_silent(f);
}

static bool leaves_something(const struct program *p, const struct host_stmt *list)
{
	for (const struct host_stmt *h = list; h; h = h->next)
		if ((h->kind == HOST_REGION && program_region_assigns(p, h->region, ~(1u << SLOT_VALUE))) ||
		    is_seen(h) || leaves_something(p, h->body) || leaves_something(p, h->other))
			return true;
	return false;
}

static int new_var(struct elab *e, struct host_function *f)
{
	vec_push(e->a, &f->vars, ((struct host_var){.type = HOST_INT}));
	return f->vars.n - 1;
}

/* Whether a turn takes no time that anybody would notice: it runs no region and has no loop within. */
static bool is_quick(const struct host_stmt *list)
{
	for (const struct host_stmt *h = list; h; h = h->next)
		if (h->kind == HOST_REGION || h->kind == HOST_WHILE || !is_quick(h->body) || !is_quick(h->other))
			return false;
	return true;
}

static struct host_stmt *set_in_front(struct elab *e, int var, struct host_expr *x, struct host_stmt *next,
				      struct span at)
{
	struct host_stmt *s = host_in_front(e, HOST_SET, x, next, at);
	s->var = var;
	return s;
}

/* if (turns & some) == 0 { began = loop_goes_on(site, began, turns) } */
static struct host_stmt *look_at_clock(struct elab *e, int began, int turns, int64_t some, struct host_stmt *next,
				       struct span at)
{
	struct host_expr *args[3] = {host_int(e, program_site(e->p, at, "while")), host_var(e, HOST_INT, began),
				     host_var(e, HOST_INT, turns)};
	struct host_expr *rest =
		host_apply(e, HOST_BITWISE_AND_OP, HOST_INT, host_var(e, HOST_INT, turns), host_int(e, some), at);
	struct host_stmt *s =
		host_in_front(e, HOST_IF, host_apply(e, HOST_EQ_OP, HOST_BOOL, rest, host_int(e, 0), at), next, at);
	s->body = set_in_front(e, began, host_call(e, "loop_goes_on", HOST_INT, at, 3, args), NULL, at);
	return s;
}

/* began = loop_began(); turns = 0; while … { turns = turns + 1; in some turns: look at the clock; … }. Where turns are
 * quick the clock is first read when there have been many: loops in loops begin often and end soon. */
static void count_turns(struct elab *e, struct host_function *f, struct host_stmt **at)
{
	enum { SOME = 1 << 5, MANY = 1 << 10 };
	struct host_stmt *loop = *at;
	struct span span = loop->span;
	int began = new_var(e, f), turns = new_var(e, f);
	bool quick = is_quick(loop->body) && is_quick(loop->other);
	struct host_expr *more =
		host_apply(e, HOST_ADD_OP, HOST_INT, host_var(e, HOST_INT, turns), host_int(e, 1), span);
	loop->body = look_at_clock(e, began, turns, (quick ? MANY : SOME) - 1, loop->body, span);
	loop->body = set_in_front(e, turns, more, loop->body, span);
	*at = set_in_front(e, turns, host_int(e, 0), loop, span);
	struct host_expr *now = quick ? host_int(e, 0) : host_call(e, "loop_began", HOST_INT, span, 0, NULL);
	*at = set_in_front(e, began, now, *at, span);
}

static void mark(struct elab *e, struct host_function *f, struct host_stmt **at)
{
	for (; *at; at = &(*at)->next) {
		struct host_stmt *h = *at;
		mark(e, f, &h->body);
		mark(e, f, &h->other);
		if (h->kind != HOST_WHILE || !h->asks || leaves_something(e->p, h->body) ||
		    leaves_something(e->p, h->other))
			continue;
		count_turns(e, f, at);
		while (*at != h)
			at = &(*at)->next;
	}
}

void endless_mark(struct elab *e)
{
	if (e->p->main)
		mark(e, e->p->main, &e->p->main->body);
	for (int i = 0; i < e->p->tests.n; i++)
		mark(e, e->p->tests.at[i].function, &e->p->tests.at[i].function->body);
}
