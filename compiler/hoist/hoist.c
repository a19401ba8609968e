/* hoist.c — the stage, and what it does of loops of the host: what they compute alike in all turns, though the program says it
 * in front of them, becomes a region of its own there (README.md). */
#include "hoist.h"

#include "../compiler.h"

struct hoist {
	struct program *p;
	const struct host_function *f;
	int *runs; /* by region: how many statements run it */
};

static void count_runs(int *runs, const struct host_stmt *first)
{
	for (const struct host_stmt *s = first; s; s = s->next) {
		if (s->kind == HOST_REGION)
			runs[s->region]++;
		count_runs(runs, s->body);
		count_runs(runs, s->other);
	}
}

/* Whoever is given a handle may change what it stands for: the next batch is taken so. */
static void add_handles(struct arena *a, struct changes *c, const struct host_expr *x)
{
	if (x->kind == HOST_VAR && x->type == HOST_HANDLE)
		vec_push(a, &c->variables, x->index);
	for (int i = 0; i < x->nargs; i++)
		add_handles(a, c, x->arg[i]);
}

static void add_changes(struct arena *a, const struct program *p, struct changes *c, const struct host_stmt *s)
{
	if (s->expr)
		add_handles(a, c, s->expr);
	if (s->kind == HOST_SET)
		vec_push(a, &c->variables, s->var);
	for (int i = 0; s->kind == HOST_REGION && i < s->results.n; i++)
		if (s->results.at[i] >= 0)
			vec_push(a, &c->variables, s->results.at[i]);
	const struct graph *g = s->kind == HOST_REGION ? p->regions.at[s->region]->graph : NULL;
	for (int i = 0; g && i < g->outputs.n; i++)
		if (g->outputs.at[i].kind == OUTPUT_SLOT)
			vec_push(a, &c->slots, g->outputs.at[i].index);
	for (const struct host_stmt *b = s->body; b; b = b->next)
		add_changes(a, p, c, b);
	for (const struct host_stmt *b = s->other; b; b = b->next)
		add_changes(a, p, c, b);
}

struct changes changes_find(struct arena *a, const struct program *p, const struct host_stmt *s)
{
	struct changes c = {.of = s};
	add_changes(a, p, &c, s);
	return c;
}

/* A region that computes the nodes, numbered as those of r, into slots; the statement that runs it. */
static struct host_stmt *region_of(const struct hoist *h, const struct region *r, const struct host_stmt *run,
				   const struct kept_nodes *inv, const int *slots)
{
	struct program *p = h->p;
	struct region *fresh = ARENA_NEW(p->arena, struct region);
	fresh->id = p->regions.n;
	fresh->graph = graph_copy(r->graph, p->arena);
	struct graph *g = fresh->graph;
	g->outputs.n = 0;
	for (int i = 0; i < inv->nodes.n; i++)
		graph_output(g, OUTPUT_SLOT, slots[i], g->nodes.at[inv->nodes.at[i]->id], inv->nodes.at[i]->span);
	graph_compact(g);
	name_region(p, fresh, h->f);
	struct host_stmt *s = ARENA_NEW(p->arena, struct host_stmt);
	s->kind = HOST_REGION;
	s->span = fresh->span;
	s->region = fresh->id;
	for (int i = 0; i < r->arguments.n; i++) {
		vec_push(p->arena, &fresh->arguments, r->arguments.at[i]);
		vec_push(p->arena, &s->args, run->args.at[i]);
	}
	drop_arguments(p->arena, fresh, s);
	vec_push(p->arena, &p->regions, fresh);
	return s;
}

/* Statements to put in front of the loop for what stands at `first` and behind, behind `last`. */
static struct host_stmt **hoist_from(struct hoist *h, const struct changes *c, struct host_stmt *first,
				     struct host_stmt **last)
{
	struct program *p = h->p;
	for (struct host_stmt *s = first; s; s = s->next) {
		last = hoist_from(h, c, s->body, last);
		last = hoist_from(h, c, s->other, last);
		if (s->kind != HOST_REGION || h->runs[s->region] != 1)
			continue;
		struct region *r = p->regions.at[s->region];
		struct kept_nodes inv = invariants_find(p, r->graph, s, c);
		if (!inv.nodes.n)
			continue;
		int *slots = ARENA_ARRAY(p->arena, int, inv.nodes.n);
		for (int i = 0; i < inv.nodes.n; i++)
			slots[i] = kept_slot(p, inv.nodes.at[i]);
		*last = region_of(h, r, s, &inv, slots);
		last = &(*last)->next;
		kept_read(p, h->f, r, s, &inv, slots);
	}
	return last;
}

/* Outer loops first: what does not change in them is gone when inner ones are looked at. */
static void hoist_loops(struct hoist *h, struct host_stmt **at)
{
	for (; *at; at = &(*at)->next) {
		struct host_stmt *s = *at;
		if (s->kind == HOST_WHILE) {
			struct changes c = changes_find(h->p->arena, h->p, s);
			struct host_stmt *before = NULL, **last = hoist_from(h, &c, s->body, &before);
			last = hoist_from(h, &c, s->other, last);
			if (before) {
				*last = s;
				*at = before;
				at = last;
			}
		}
		hoist_loops(h, &s->body);
		hoist_loops(h, &s->other);
	}
}

static int *runs_of(const struct program *p, const struct host_function *f)
{
	int *runs = ARENA_ARRAY(p->arena, int, p->regions.n);
	count_runs(runs, f->body);
	return runs;
}

/* What the regions of a turn share is hoisted once; what is hoisted, regions in front of the loop and behind it may share. */
static void hoist_function(struct program *p, struct host_function *f)
{
	if (!f)
		return;
	repeats_keep(p, f, runs_of(p, f), true);
	struct hoist h = {.p = p, .f = f, .runs = runs_of(p, f)};
	hoist_loops(&h, &f->body);
	repeats_keep(p, f, runs_of(p, f), false);
}

void compiler_hoist(struct program *p)
{
	hoist_function(p, p->main);
	for (int i = 0; i < p->tests.n; i++)
		hoist_function(p, p->tests.at[i].function);
}
