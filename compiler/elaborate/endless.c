/* endless.c — loops of the host that only their condition ends, and whose turns leave nothing that anybody sees: no
 * line, record or file, no batch, no param and no state. Of these nobody could tell whether they still come to
 * something, so each turn counts, and --timeout ends them like a loop of a graph (runtime/loop.c). */
#include "elaborate.h"
#include "region/region.h"

#include <string.h>

/* Whether a call is seen: what it does, not its value. Of a check nothing is as long as it holds. */
static bool is_seen(const struct host_stmt *h)
{
	const char *f = h->expr && h->expr->kind == HOST_CALL ? h->expr->function : NULL;
	if (!f || (h->kind != HOST_EVAL && h->kind != HOST_WHILE))
		return false;
	bool checks = !strncmp(f, "check", 5) && strcmp(f, "checkpoint") != 0;
	return !checks && strcmp(f, "stopping_over") != 0 && strcmp(f, "loop_goes_on") != 0;
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

/* began = loop_began(); turns = 0; while … { loop_goes_on(site, began, turns); turns = turns + 1; … } */
static void count_turns(struct elab *e, struct host_function *f, struct host_stmt **at)
{
	struct host_stmt *loop = *at;
	struct span span = loop->span;
	int began = new_var(e, f), turns = new_var(e, f);
	struct host_expr *args[3] = {host_int(e, program_site(e->p, span, "while")), host_var(e, HOST_INT, began),
				     host_var(e, HOST_INT, turns)};
	struct host_expr *more =
		host_apply(e, HOST_ADD_OP, HOST_INT, host_var(e, HOST_INT, turns), host_int(e, 1), span);
	loop->body = host_in_front(e, HOST_SET, more, loop->body, span);
	loop->body->var = turns;
	struct host_expr *goes_on = host_call(e, "loop_goes_on", HOST_VOID, span, 3, args);
	loop->body = host_in_front(e, HOST_EVAL, goes_on, loop->body, span);
	*at = host_in_front(e, HOST_SET, host_int(e, 0), loop, span);
	(*at)->var = turns;
	*at = host_in_front(e, HOST_SET, host_call(e, "loop_began", HOST_INT, span, 0, NULL), *at, span);
	(*at)->var = began;
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
